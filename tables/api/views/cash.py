"""Cash that is reported: people described, transactions tied to them, reports due and filed."""

import uuid
from typing import ClassVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from config.api.pagination import page
from tables.api.base import StaffView, TerminalView
from tables.api.serializers.cash import (
    CashWatched,
    DescriptionBody,
    FilingBody,
    IdentityBody,
    LogPage,
    LogQuery,
    OtherTenderBody,
    PersonNamed,
    PersonTied,
    ReportFiled,
    ReportPage,
    ReportsQuery,
    TieBody,
    TransactionIdentified,
)
from tables.api.serializers.tables import TableShown
from tables.figures import gaming_day
from tables.models import Casino
from tables.selectors.cash import log_of, log_record, report_record, reports_of, totals_watched
from tables.services.cash import cash_report_file, person_tie, transaction_identify
from tables.services.people import person_describe
from tables.services.seats import seat_other_tender

READ = "audit.read"


class People(TerminalView):
    """People nobody knows by name."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("person.describe", PersonNamed, DescriptionBody, status=201, any_version=True),
    }

    def post(self, request: Request) -> Response:
        """Describe somebody; a terminal, which does not see the office, may send `*`."""
        return self.run(person_describe, casino_id=self.casino_id)


class PersonTie(TerminalView):
    """Who a described person was found to be."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("person.tie", PersonTied, TieBody, any_version=True),
    }

    def post(self, request: Request, player_id: uuid.UUID) -> Response:
        """Say that two are one; their cash is one total."""
        return self.run(person_tie, casino_id=self.casino_id, player_id=player_id)


class TransactionPerson(TerminalView):
    """Whose cash a transaction was."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("cash.identify", TransactionIdentified, IdentityBody, any_version=True),
    }

    def post(self, request: Request, transaction_id: uuid.UUID) -> Response:
        """Say whose it was, where nobody was named."""
        return self.run(transaction_identify, casino_id=self.casino_id, transaction_id=transaction_id)


class CashWatch(TerminalView):
    """Cash of the gaming day that runs."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act("cash.watch", CashWatched)}

    def get(self, request: Request) -> Response:
        """Whose cash has passed the report's threshold, or soon may: for those who run floor and cage."""
        casino = Casino.objects.get(id=self.casino_id)
        day = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
        return Response({"gaming_day": day.isoformat(), "results": totals_watched(casino, day)})


class ReportFiling(TerminalView):
    """The filing of a report."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("cash.file", ReportFiled, FilingBody, status=201, any_version=True),
    }

    def post(self, request: Request, report_id: uuid.UUID) -> Response:
        """Note that it was filed, under the authority's number."""
        return self.run(cash_report_file, casino_id=self.casino_id, report_id=report_id)


class ReportList(StaffView):
    """Cash reports."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, ReportPage, query=ReportsQuery, name="cash_reports")}

    def get(self, request: Request) -> Response:
        """The reports due and filed, by gaming day."""
        query, casino = self.query(), self.actor.casino_id
        only = query.get("open", False)
        found = page(
            reports_of(casino, open_only=only),
            keys=("gaming_day", "id"),
            scope=("cash-reports", casino, only),
            cursor=query.get("cursor"),
        )
        return Response({"results": [report_record(row) for row in found.rows], "next": found.next})


class TransactionLog(StaffView):
    """The multiple-transaction log."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, LogPage, query=LogQuery, name="cash_log")}

    def get(self, request: Request) -> Response:
        """Each cash transaction from the house's threshold on."""
        query, casino = self.query(), self.actor.casino_id
        day = query.get("gaming_day")
        found = page(
            log_of(casino, day),
            keys=("at", "id"),
            scope=("cash-log", casino, day),
            cursor=query.get("cursor"),
        )
        return Response({"results": [log_record(row) for row in found.rows], "next": found.next})


class OtherTender(TerminalView):
    """Something else than chips for cash at a seat."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("seat.other_tender", TableShown, OtherTenderBody),
    }

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Refused, and kept as a refusal: money plays, markers, cash out, another house's chips."""
        return self.run(seat_other_tender, table_id=table_id, seat=seat)
