"""Markers: credit at a table, its redemption there or at the cage, and its limits."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.markers import (
    CreditLimitBody,
    CreditLimitSet,
    MarkerBody,
    MarkerIssued,
    MarkerPaid,
    MarkerRedeemed,
    MarkerRedemptionBody,
)
from tables.services.markers import credit_limit_set, marker_issue, marker_pay, marker_redeem


class SeatMarkers(TerminalView):
    """Credit at a seat."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("marker.issue", MarkerIssued, MarkerBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> Response:
        """Give whoever sits there chips against a marker; two people sign."""
        return self.run(marker_issue, table_id=table_id, seat=seat)


class MarkerRedemption(TerminalView):
    """A marker's redemption at its table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("marker.redeem", MarkerRedeemed, MarkerRedemptionBody)}

    def post(self, request: Request, table_id: uuid.UUID, seat: int, marker_id: uuid.UUID) -> Response:
        """Redeem a marker, whole, for cash or chips, while its box is on the table."""
        return self.run(marker_redeem, table_id=table_id, seat=seat, marker_id=marker_id)


class CageMarkerPayment(TerminalView):
    """A marker's payment at the cage."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.redeem_marker", MarkerPaid, status=201)}

    def post(self, request: Request, marker_id: uuid.UUID) -> Response:
        """Take the cash for a marker, whole."""
        return self.run(marker_pay, casino_id=self.casino_id, marker_id=marker_id)


class CageCreditLimits(TerminalView):
    """What players may owe on markers."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.credit_limit", CreditLimitSet, CreditLimitBody)}

    def post(self, request: Request) -> Response:
        """Set a player's limit; two people sign."""
        return self.run(credit_limit_set, casino_id=self.casino_id)
