"""The cage: chips and cash, redemptions, and its side of fills and credits."""

import uuid
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
    Redeemed,
    RedemptionBody,
    Sold,
)
from tables.api.serializers.slips import (
    CashierCountBody,
    FillIssueBody,
    ManualSlipBody,
    SlipCountBody,
    SlipList,
    SlipPrinted,
    SlipReasonBody,
    SlipShown,
    SlipVoidBody,
)
from tables.selectors.slips import slips_at_hand
from tables.selectors.terminal import cage_of
from tables.selectors.views import cage_view
from tables.services.cage import cage_commission, cage_fund, cage_redeem, cage_sell
from tables.services.credits import credit_issue, credit_receive
from tables.services.fills import fill_issue
from tables.services.slips import slip_enter, slip_print, slip_refuse
from tables.services.voids import cage_take_back, cage_void_slip


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


class CageSlips(TerminalView):
    """Slips of fills and credits."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act("cage.view", SlipList, name="cage_slips", versioned=True),
        "POST": command("slip.enter", SlipShown, ManualSlipBody, status=201),
    }

    def get(self, request: Request) -> Response:
        """What was requested, is on its way or comes back, at all tables."""
        cage = cage_of(self.casino_id)
        slips = slips_at_hand(casino=self.casino_id)
        return Response({"slips": slips}, headers={"ETag": etag(cage.version)})

    def post(self, request: Request) -> Response:
        """Enter a slip that was written by hand while the system was down."""
        return self.run(slip_enter, casino_id=self.casino_id)


class CageFillIssue(TerminalView):
    """The issue of a requested fill."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("fill.issue", SlipShown, FillIssueBody)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Accept it, in full or in part: a slip with the next number, its chips to the runner."""
        return self.run(fill_issue, casino_id=self.casino_id, slip_id=slip_id)


class CageCreditIssue(TerminalView):
    """The issue of a requested credit's slip."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("credit.issue", SlipShown)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Issue the slip under the next number; the chips come later."""
        return self.run(credit_issue, casino_id=self.casino_id, slip_id=slip_id)


class CageCreditReceipt(TerminalView):
    """The receipt of a credit."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("credit.receive", SlipShown, CashierCountBody)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Count the chips, verify them against the slip and take them into the vault."""
        return self.run(credit_receive, casino_id=self.casino_id, slip_id=slip_id)


class CageSlipRefusal(TerminalView):
    """The refusal of a request."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("slip.refuse", SlipShown, SlipReasonBody)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Refuse a fill or a credit that was requested."""
        return self.run(slip_refuse, casino_id=self.casino_id, slip_id=slip_id)


class CageSlipVoid(TerminalView):
    """The void of a slip, in the cage."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.void_slip", SlipShown, SlipVoidBody)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Make a slip void; its number stays, its chips go back."""
        return self.run(cage_void_slip, casino_id=self.casino_id, slip_id=slip_id)


class CageSlipReturn(TerminalView):
    """The return of a void fill's chips."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("cage.take_back", SlipShown, SlipCountBody)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Count the chips back into the vault."""
        return self.run(cage_take_back, casino_id=self.casino_id, slip_id=slip_id)


class CageSlipPrints(TerminalView):
    """Prints of a slip."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("slip.print", SlipPrinted)}

    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Print a slip; all but the first print are reprints, and say so."""
        return self.run(slip_print, casino_id=self.casino_id, slip_id=slip_id)


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
