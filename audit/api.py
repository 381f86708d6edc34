"""The audit's part of the API, to read: findings, and the master game report."""

from datetime import date
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from audit.selectors.balances import conservation
from audit.selectors.findings import FILTERS, finding_record_of, findings_of
from audit.selectors.inventory import vault_chips
from audit.selectors.master_game import master_game
from audit.selectors.results import results
from audit.serializers import (
    FindingPage,
    FindingsQuery,
    FloatRecord,
    MasterGameRecord,
    ResultsQuery,
    ResultsRecord,
)
from config.api.acts import Act
from config.api.pagination import page
from tables.api.base import StaffView
from tables.models import Casino


class FindingList(StaffView):
    """Findings of the audit."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act("audit.read", FindingPage, query=FindingsQuery, name="findings_list")
    }

    def get(self, request: Request) -> Response:
        """Findings with their evidence, oldest first; all of them, or those the query names."""
        query = self.query()
        cursor, casino = query.pop("cursor", None), self.actor.casino_id
        found = page(
            findings_of(casino_id=casino, **query),
            keys=("first_seen", "id"),
            scope=("findings", casino, *(query.get(name) for name in FILTERS)),
            cursor=cursor,
        )
        return Response({"results": [finding_record_of(row) for row in found.rows], "next": found.next})


class ResultsDetail(StaffView):
    """Results of a period."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act("audit.read", ResultsRecord, query=ResultsQuery, name="results_read"),
    }

    def get(self, request: Request) -> Response:
        """What gaming days came to, by table, pit, game, day, month, dealer or shift."""
        query = self.query()
        days = {"first": query["from"], "last": query.get("to", query["from"])}
        assert self.actor.casino_id is not None, "who reads here belongs to a casino"
        casino = Casino.objects.get(pk=self.actor.casino_id)
        return Response(results(casino, by=query["by"], **days).to_dict())


class FloatDetail(StaffView):
    """The float: chips the house has issued, and where they are."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act("audit.read", FloatRecord, name="float_read")}

    def get(self, request: Request) -> Response:
        """Where all chips of the casino are at this moment, and what of them the house is liable for."""
        assert self.actor.casino_id is not None, "who reads here belongs to a casino"
        casino = Casino.objects.get(pk=self.actor.casino_id)
        return Response(conservation(casino).float_dict() | {"vault_chips": vault_chips(casino)})


class MasterGameDetail(StaffView):
    """The master game report of a gaming day."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act("audit.read", MasterGameRecord, name="master_game_read"),
    }

    def get(self, request: Request, gaming_day: date) -> Response:
        """The day by table, pit and game, month and year to date, its adjustments and stiff sheets."""
        assert self.actor.casino_id is not None, "who reads here belongs to a casino"
        casino = Casino.objects.get(pk=self.actor.casino_id)
        return Response(master_game(casino, gaming_day).to_dict())
