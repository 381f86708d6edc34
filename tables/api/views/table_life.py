"""A table's life beside its rounds: who deals, by which rules, and what was a mistake."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from config.api.pagination import page
from tables.api.base import StaffView, TerminalView
from tables.api.serializers.records import SessionsQuery
from tables.api.serializers.table_life import (
    CancellationBody,
    CashOutBody,
    ChangeBody,
    ReliefBody,
    ReopeningBody,
    RoundCancelled,
    RulesBody,
    StintPage,
)
from tables.api.serializers.tables import SessionClosed, TableShown
from tables.selectors.stints import stint_records, stints_of
from tables.services.reopening import session_reopen
from tables.services.stints import dealer_relieve, dealer_sign_off, dealer_sign_on
from tables.services.table_life import round_cancel, seat_cash_out, seat_change, table_rules


class RoundCancellation(TerminalView):
    """The void of a round that is over."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("round.cancel", RoundCancelled, CancellationBody, status=201),
    }

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Void a settled round: what it moved goes back, or is in dispute; two people sign."""
        return self.run(round_cancel, round_id=round_id)


class SessionReopening(TerminalView):
    """The end of a closing that was a mistake."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("session.reopen", SessionClosed, ReopeningBody)}

    def post(self, request: Request, session_id: uuid.UUID) -> Response:
        """Cancel the closing: the session goes on as if it had not been closed; two people sign."""
        return self.run(session_reopen, session_id=session_id)


class TableStints(TerminalView):
    """The stints of a table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("dealer.sign_on", TableShown, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Deal here from now on, and relieve whoever did without a count."""
        return self.run(dealer_sign_on, table_id=table_id)


class CurrentStint(TerminalView):
    """The stint of whoever deals."""

    acts: ClassVar[dict[str, Act]] = {"DELETE": command("dealer.sign_off", TableShown)}

    def delete(self, request: Request, table_id: uuid.UUID) -> Response:
        """Stop dealing; nobody comes."""
        return self.run(dealer_sign_off, table_id=table_id)


class StintRelief(TerminalView):
    """The relief of a dealer."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("dealer.relieve", TableShown, ReliefBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Hand the table to another dealer, who signs, with or without a count of the tray."""
        return self.run(dealer_relieve, table_id=table_id)


class TableRules(TerminalView):
    """The rule set a table plays by."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("table.rules", TableShown, RulesBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Play by another rule set of the same game from the next round on; two people sign."""
        return self.run(table_rules, table_id=table_id)


class SeatChanges(TerminalView):
    """Chips changed for chips."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("seat.change", TableShown, ChangeBody)}

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Change chips of a seat for others of the same value out of the tray."""
        return self.run(seat_change, table_id=table_id, seat=seat)


class SeatCashOuts(TerminalView):
    """Chips redeemed at a table: there is no such thing."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("seat.cash_out", TableShown, CashOutBody)}

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Refused (`no_cash_out`), and recorded: the cage redeems chips."""
        return self.run(seat_cash_out, table_id=table_id, seat=seat)


class StintList(StaffView):
    """Stints as they are kept."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act("audit.read", StintPage, query=SessionsQuery, name="stints_list"),
    }

    def get(self, request: Request) -> Response:
        """Dealers' stints of a gaming day, of a table, or all, oldest first, with rounds and T."""
        query = self.query()
        cursor, casino = query.pop("cursor", None), self.actor.casino_id
        found = page(
            stints_of(casino_id=casino, **query),
            keys=("began_at", "id"),
            scope=("stints", casino, query.get("gaming_day"), query.get("table")),
            cursor=cursor,
        )
        return Response({"results": stint_records(found.rows), "next": found.next})
