"""Houses that stand for all tests of a process: what a test does to one is rolled back with it."""

import uuid
from copy import deepcopy
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from tables.figures import gaming_day
from tables.models import CardSource
from tests import floor


class Standing:
    """A stocked house without tables, and for each way cards come a house whose first table is ready.

    Made outside of any test's transaction. A house is lent without a table; the first that is asked for is
    the one that stands, with its house, as long as nothing has happened in the house that was lent.
    """

    def __init__(self) -> None:
        self._stocked = floor.stocked_house()
        self._untouched = floor.snapshot(self._stocked)
        self._ready = {source: _Ready(source) for source in CardSource}

    def lend(self) -> floor.House:
        """A house for one test; the objects are its own. Where the test commits, a house of its own."""
        if not connection.in_atomic_block:
            return floor.stocked_house()
        house = deepcopy(self._stocked)
        house.exchange = lambda source: self._exchange(house, source)
        return house

    def _exchange(self, house: floor.House, source: CardSource) -> uuid.UUID | None:
        ready = self._ready[source]
        if not ready.today() or floor.snapshot(house) != self._untouched:
            return None
        vars(house).update(vars(deepcopy(ready.house)))
        return ready.session


class _Ready:
    """A house with a table that is open, and its session."""

    def __init__(self, source: CardSource) -> None:
        self.made_at = timezone.now()
        self.house = floor.stocked_house()
        _, self.session = floor.ready_table(self.house, card_source=source)

    def today(self) -> bool:
        """Whether a table opened now would be of the same gaming day: a test may move the clock."""
        now = timezone.now()
        return abs(now - self.made_at) < timedelta(hours=1) and self._day(now) == self._day(self.made_at)

    def _day(self, moment: datetime) -> object:
        casino = self.house.casino
        return gaming_day(moment, casino.time_zone, casino.rollover_hour)
