"""Gaming days: closing one, and those that were closed."""

import base64
from datetime import date
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from config.api.pagination import page
from config.errors import DomainError
from tables.api.base import StaffView, TerminalView
from tables.api.serializers.days import (
    ClosedDayPage,
    ClosedDayRecord,
    ClosedDayShown,
    ClosedDaysQuery,
    DayClosingBody,
)
from tables.models import ClosedDay
from tables.selectors.days import closed_day_record, closed_days_of
from tables.services.days import gaming_day_close

READ = "audit.read"


class GamingDayClosure(TerminalView):
    """The closure of a gaming day."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("day.close", ClosedDayShown, DayClosingBody, status=201, any_version=True),
    }

    def post(self, request: Request, gaming_day: date) -> Response:
        """Close a gaming day; the cage, which does not see the office, may send `*`."""
        return self.run(gaming_day_close, casino_id=self.casino_id, gaming_day=gaming_day)


class GamingDayList(StaffView):
    """Gaming days that were closed."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, ClosedDayPage, query=ClosedDaysQuery, name="gaming_days_list"),
    }

    def get(self, request: Request) -> Response:
        """The closed gaming days, oldest first."""
        casino = self.actor.casino_id
        found = page(
            closed_days_of(casino),
            keys=("gaming_day",),
            scope=("gaming-days", casino),
            cursor=self.query().get("cursor"),
        )
        return Response({"results": [closed_day_record(row) for row in found.rows], "next": found.next})


class GamingDayDetail(StaffView):
    """A gaming day that was closed."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, ClosedDayRecord, name="gaming_days_read")}

    def get(self, request: Request, gaming_day: date) -> Response:
        """One closed gaming day, with the timestamp of its checkpoint."""
        found = ClosedDay.objects.filter(casino=self.actor.casino_id, gaming_day=gaming_day).first()
        if found is None:
            raise DomainError("gaming_day_not_found", f"Gaming day {gaming_day} was not closed.", status=404)
        stamp = found.timestamp and base64.b64encode(bytes(found.timestamp)).decode()
        return Response(closed_day_record(found) | {"timestamp": stamp})
