"""Who is behind an id in the journal."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from django.db.models import Max, Q

from ledger import SYSTEM_ACTOR
from ledger.models import Entry
from tables.jurisdiction.catalogue import SIGNERS
from tables.models import Casino, Staff, Table

THE_SYSTEM = "the system"


def names_of(actors: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """What to call each actor of the journal: badge and name; the id where nobody is known by it.

    One statement however many there are.
    """
    return _called(actors, str)


def badges_of(actors: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The badge of each actor of the journal, for what leaves the house; otherwise as `names_of`."""
    return _called(actors, lambda person: person.badge)


def _called(actors: Iterable[uuid.UUID], how: Callable[[Staff], str]) -> dict[uuid.UUID, str]:
    wanted = set(actors)
    known = {person.id: how(person) for person in Staff.objects.filter(id__in=wanted - {SYSTEM_ACTOR})}
    names = {actor: known.get(actor, str(actor)) for actor in wanted}
    return names | ({SYSTEM_ACTOR: THE_SYSTEM} if SYSTEM_ACTOR in wanted else {})


def has_signers(casino: Casino) -> bool:
    """Whether a house ever employed somebody who may sign as the second; before, it is still to be begun."""
    return Staff.objects.filter(casino=casino, role__in=SIGNERS).exists()


def last_mentioned(casino: Casino, ids: Sequence[uuid.UUID]) -> datetime | None:
    """When an entry of a house last named one of these ids, or was made by one; None for never.

    It reads the house's whole journal.
    """
    tables = Table.objects.filter(casino=casino).values_list("id", flat=True)
    streams = [casino.stream, casino.cage_stream, *(Table(id=key).stream for key in tables)]
    named = Q(actor__in=ids)
    for each in ids:
        named |= Q(payload__contains=str(each))
    found = Entry.objects.filter(named, stream__name__in=streams).aggregate(last=Max("recorded_at"))
    last: datetime | None = found["last"]
    return last
