"""What auditors read: rounds, sessions, journal entries; of their own casino only."""

import uuid
from dataclasses import asdict
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act
from config.api.pagination import page
from tables.api.base import StaffView
from tables.api.serializers.records import (
    EntriesQuery,
    EntryPage,
    EntryRecord,
    RoundPage,
    RoundRecord,
    RoundsQuery,
    SessionPage,
    SessionsQuery,
    WalkShown,
)
from tables.models import Player
from tables.selectors.chips import chips_walked
from tables.selectors.records import (
    entries_of,
    entry_by_id,
    entry_records,
    is_stream_of,
    round_record,
    rounds_of,
    session_record,
    sessions_of,
)
from tables.services.locks import not_found

READ = "audit.read"


class ChipsWalked(StaffView):
    """Chips a player walks with."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, WalkShown, name="chips_walked")}

    def get(self, request: Request, player_id: uuid.UUID) -> Response:
        """The newest steps over all tables: chips brought to a seat, and carried off from one."""
        player = Player.objects.filter(id=player_id).first()
        if player is None or player.casino_id != self.actor.casino_id:
            raise not_found("player")
        steps = [asdict(step) for step in chips_walked(player_id)]
        return Response({"player": str(player_id), "steps": steps})


class RoundList(StaffView):
    """Rounds as they are kept."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, RoundPage, query=RoundsQuery, name="rounds_list")}

    def get(self, request: Request) -> Response:
        """Rounds of a gaming day, of a table, or all, oldest first."""
        query = self.query()
        cursor, casino = query.pop("cursor", None), self.actor.casino_id
        found = page(
            rounds_of(casino_id=casino, **query),
            keys=("started_at", "id"),
            scope=("rounds", casino, query.get("gaming_day"), query.get("table")),
            cursor=cursor,
        )
        return Response({"results": [round_record(row) for row in found.rows], "next": found.next})


class RoundDetail(StaffView):
    """A round as it is kept."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, RoundRecord, name="rounds_read")}

    def get(self, request: Request, round_id: uuid.UUID) -> Response:
        """One round, with its cards and what every seat was paid."""
        found = rounds_of(casino_id=self.actor.casino_id).filter(id=round_id).first()
        if found is None:
            raise not_found("round")
        return Response(round_record(found))


class SessionList(StaffView):
    """Sessions as they are kept."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, SessionPage, query=SessionsQuery, name="sessions_list"),
    }

    def get(self, request: Request) -> Response:
        """Sessions of a gaming day, of a table, or all, oldest first."""
        query = self.query()
        cursor, casino = query.pop("cursor", None), self.actor.casino_id
        found = page(
            sessions_of(casino_id=casino, **query),
            keys=("opened_at", "id"),
            scope=("sessions", casino, query.get("gaming_day"), query.get("table")),
            cursor=cursor,
        )
        return Response({"results": [session_record(row) for row in found.rows], "next": found.next})


class EntryList(StaffView):
    """Entries of the journal."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, EntryPage, query=EntriesQuery, name="entries_list")}

    def get(self, request: Request) -> Response:
        """The entries of one stream with their movements, in the order of the chain."""
        query = self.query()
        stream = query["stream"]
        if not is_stream_of(stream, casino_id=self.actor.casino_id):
            raise not_found("stream")
        found = page(entries_of(stream), keys=("seq",), scope=("entries", stream), cursor=query.get("cursor"))
        return Response({"results": entry_records(found.rows), "next": found.next})


class EntryDetail(StaffView):
    """An entry of the journal."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, EntryRecord, name="entries_read")}

    def get(self, request: Request, entry_id: uuid.UUID) -> Response:
        """One entry with its movements."""
        found = entry_by_id(entry_id)
        if found is None or not is_stream_of(found.stream.name, casino_id=self.actor.casino_id):
            raise not_found("entry")
        return Response(entry_records([found])[0])
