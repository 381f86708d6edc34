"""Round histories, kept filters and schedules over the API."""

import json
import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from audit.api_exports import READ, DeskView, plain
from audit.exports.filters import RoundFilter
from audit.exports.named import check_named
from audit.history import Place, history_rows, place_of
from audit.selectors.exports import (
    saved_filter_record,
    saved_filters_of,
    schedule_record,
    schedules_of,
)
from audit.serializers_exports import (
    HistoryPage,
    HistoryQuery,
    SavedFilterBody,
    SavedFilterPage,
    SavedFilterRecord,
    SavedFiltersQuery,
    ScheduleBody,
    ScheduleChange,
    SchedulePage,
    ScheduleRecord,
    ScheduleShown,
    SchedulesQuery,
)
from audit.services.export_schedules import no_such_schedule, schedule_change, schedule_end, schedule_make
from audit.services.saved_filters import KEEP, filter_forget, filter_save
from config.api import pagination
from config.api.acts import Act

SCHEDULE = "export.schedule"


class RoundHistories(DeskView):
    """Round histories."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, HistoryPage, query=HistoryQuery, name="round_histories_list"),
    }

    def get(self, request: Request) -> Response:
        """Rounds by their seats, filtered, in the order of the play: what an export has, a page at a time."""
        query = self.query()
        cursor = query.pop("cursor", None)
        if self.actor.casino_id is None:
            return Response({"results": [], "next": None})
        wanted = RoundFilter(casino=self.actor.casino_id, **query)
        scope = ("round-histories", json.dumps(wanted.as_dict))
        after = None
        if cursor is None:
            check_named(wanted)
        else:
            after = Place(*pagination.cursor_values(cursor, scope=scope, length=len(Place._fields)))
        rows = history_rows(wanted, after=after, most=pagination.PAGE + 1)
        following = None
        if len(rows) > pagination.PAGE:
            rows = rows[: pagination.PAGE]
            following = pagination.cursor_after(scope=scope, values=place_of(rows[-1]))
        return Response({"results": rows, "next": following})


class SavedFilterList(DeskView):
    """Filters somebody keeps."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(KEEP, SavedFilterPage, query=SavedFiltersQuery, name="saved_filters_list"),
    }

    def get(self, request: Request) -> Response:
        """The filters of who is asking, by name."""
        staff = self.actor.staff_id
        found = pagination.page(
            saved_filters_of(staff_id=staff),
            keys=("name",),
            scope=("saved-filters", staff),
            cursor=self.query().get("cursor"),
        )
        return Response({"results": [saved_filter_record(row) for row in found.rows], "next": found.next})


class SavedFilterDetail(DeskView):
    """A filter somebody keeps under a name; put or deleted twice it is as if it were once."""

    acts: ClassVar[dict[str, Act]] = {
        "PUT": Act(KEEP, SavedFilterRecord, SavedFilterBody, name="saved_filters_put"),
        "DELETE": Act(KEEP, None, status=204, name="saved_filters_delete"),
    }

    def put(self, request: Request, name: str) -> Response:
        """Keep a filter under this name, in place of another."""
        said = plain(self.content()["filter"])
        kept, _ = filter_save(casino_id=self.casino_id, name=name, filter=said, actor=self.actor)
        return Response(saved_filter_record(kept))

    def delete(self, request: Request, name: str) -> Response:
        """Keep it no longer."""
        filter_forget(name=name, actor=self.actor)
        return Response(status=204)


class ScheduleList(DeskView):
    """Schedules of exports."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, SchedulePage, query=SchedulesQuery, name="export_schedules_list"),
        "POST": Act(
            SCHEDULE,
            ScheduleShown,
            ScheduleBody,
            201,
            name="export_schedules_make",
            is_command=True,
            based_on_state=False,
        ),
    }

    def get(self, request: Request) -> Response:
        """The schedules of the house, oldest first."""
        casino = self.actor.casino_id
        found = pagination.page(
            schedules_of(casino_id=casino),
            keys=("made_at", "id"),
            scope=("export-schedules", casino),
            cursor=self.query().get("cursor"),
        )
        return Response({"results": [schedule_record(row) for row in found.rows], "next": found.next})

    def post(self, request: Request) -> Response:
        """Have round histories exported of each gaming day."""
        said = self.content()
        return self.run(schedule_make, **said | {"filter": plain(said.get("filter", {}))})


class ScheduleDetail(DeskView):
    """A schedule of exports."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, ScheduleRecord, name="export_schedules_read"),
        "PUT": Act(
            SCHEDULE,
            ScheduleShown,
            ScheduleChange,
            name="export_schedules_change",
            is_command=True,
            based_on_state=False,
        ),
        "DELETE": Act(
            SCHEDULE, ScheduleShown, name="export_schedules_end", is_command=True, based_on_state=False
        ),
    }

    def get(self, request: Request, schedule_id: uuid.UUID) -> Response:
        """One schedule."""
        found = schedules_of(casino_id=self.actor.casino_id).filter(id=schedule_id).first()
        if found is None:
            raise no_such_schedule()
        return Response(schedule_record(found))

    def put(self, request: Request, schedule_id: uuid.UUID) -> Response:
        """Change it, all of it."""
        said = self.content()
        changed = said | {"filter": plain(said.get("filter", {}))}
        return self.run(schedule_change, schedule_id=schedule_id, **changed)

    def delete(self, request: Request, schedule_id: uuid.UUID) -> Response:
        """End it; what it has exported stays."""
        self.content()
        return self.run(schedule_end, schedule_id=schedule_id)
