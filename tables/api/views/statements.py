"""Statements: what accounts hold and held, and how they came to; of one's own casino only."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act
from config.api.pagination import cursor_after, cursor_values
from ledger.errors import StreamUnknown, UnknownAccount
from ledger.statements import START, Position, balances_at, head_seq, history, seq_at, sums
from tables.api.base import StaffView
from tables.api.serializers.statements import AccountList, AccountsQuery, StatementPage, StatementQuery
from tables.selectors.records import is_stream_of
from tables.selectors.statements import account_record, statement_record
from tables.services.locks import not_found

READ = "audit.read"


class Accounts(StaffView):
    """The accounts of a stream."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, AccountList, query=AccountsQuery, name="accounts_list"),
    }

    def get(self, request: Request) -> Response:
        """What every account of a stream holds, or held after an entry or at a time."""
        query = self.query()
        stream = query["stream"]
        if not is_stream_of(stream, casino_id=self.actor.casino_id):
            raise not_found("stream")
        try:
            last = head_seq(stream)
            seq = seq_at(stream, query["at"]) if "at" in query else min(query.get("seq", last), last)
            rows = balances_at(stream, seq=seq)
        except StreamUnknown:
            raise not_found("stream") from None
        return Response({"seq": seq, "results": [account_record(row) for row in rows], "totals": sums(rows)})


class AccountStatement(StaffView):
    """The statement of an account."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, StatementPage, query=StatementQuery, name="statement_read"),
    }

    def get(self, request: Request, stream: str, account: str) -> Response:
        """An account's movements, oldest first, each with the balance it left."""
        query = self.query()
        if not is_stream_of(stream, casino_id=self.actor.casino_id):
            raise not_found("stream")
        scope = ("statement", stream, account, query.get("until"))
        cursor = query.get("cursor")
        after = START if cursor is None else Position(*cursor_values(cursor, scope=scope, length=2))
        try:
            page = history(stream, account, after=after, until=query.get("until"))
        except StreamUnknown:
            raise not_found("stream") from None
        except UnknownAccount:
            raise not_found("account") from None
        beyond = None if page.next is None else cursor_after(scope=scope, values=page.next)
        return Response(statement_record(page) | {"next": beyond})
