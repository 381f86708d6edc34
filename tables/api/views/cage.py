"""The cage: chips and cash, fills, redemptions."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from config.api.headers import etag
from tables.api.base import TerminalView
from tables.api.serializers.cage import (
    CageShown,
    CashBody,
    CommissionBody,
    FillBody,
    Redeemed,
    RedemptionBody,
    Sold,
)
from tables.api.serializers.tables import FillShown
from tables.selectors.terminal import cage_of
from tables.selectors.views import cage_view
from tables.services.cage import cage_commission, cage_fill, cage_fund, cage_redeem, cage_sell


class CageDetail(TerminalView):
    """The cage of this terminal's casino."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act("cage.view", CageShown, versioned=True)}

    def get(self, request: Request) -> Response:
        """The cage, and the ETag its commands are based on."""
        cage = cage_of(self.casino_id)
        return Response(cage_view(cage), headers={"ETag": etag(cage.version)})


class CageChips(TerminalView):
    """Chips in the vault."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("cage.commission", CageShown, CommissionBody, status=201),
    }

    def post(self, request: Request) -> Response:
        """Bring new chips into the house."""
        return self.run(cage_commission, casino_id=self.casino_id)


class CageCash(TerminalView):
    """Cash in the drawer."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.fund", CageShown, CashBody, status=201)}

    def post(self, request: Request) -> Response:
        """Bring cash from the bankroll into the drawer."""
        return self.run(cage_fund, casino_id=self.casino_id)


class CageFills(TerminalView):
    """Fills for tables."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.fill", FillShown, FillBody, status=201)}

    def post(self, request: Request) -> Response:
        """Issue a fill: a slip with the next number, and its chips out of the vault."""
        return self.run(cage_fill, casino_id=self.casino_id)


class CageRedemptions(TerminalView):
    """Chips redeemed for cash."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("cage.redeem", Redeemed, RedemptionBody, status=201),
    }

    def post(self, request: Request) -> Response:
        """Pay a patron cash for chips."""
        return self.run(cage_redeem, casino_id=self.casino_id)


class CageSales(TerminalView):
    """Chips sold for cash."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.sell", Sold, RedemptionBody, status=201)}

    def post(self, request: Request) -> Response:
        """Sell a patron chips at the cage."""
        return self.run(cage_sell, casino_id=self.casino_id)
