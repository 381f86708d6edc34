"""The audit's part of the API: findings, to read."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from audit.selectors.findings import FILTERS, finding_record_of, findings_of
from audit.serializers import FindingPage, FindingsQuery
from config.api.acts import Act
from config.api.pagination import page
from tables.api.base import StaffView


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
