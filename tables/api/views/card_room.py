"""The card-room games: the draw for the deal, deals, turns, payments made in error, the pool's end."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.card_room import (
    CollectionTaken,
    DealBody,
    DealerDrawn,
    DivisionBody,
    DrawBody,
    ExposedCardBody,
    MispaymentBody,
    PassBody,
    PoolDivided,
    PutRightBody,
    ShowBody,
    TurnBody,
)
from tables.api.serializers.tables import RoundAnswer
from tables.services.card_room import (
    deal_start,
    round_expose_top,
    round_mispay,
    round_pass,
    round_put_right,
    round_show,
    round_turn,
)
from tables.services.pools import collection_take, deal_draw, pool_divide


class DealerDraw(TerminalView):
    """The draw for the first dealer."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("deal.draw", DealerDrawn, DrawBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Deal cards face up round the table until the first ace: whoever gets it deals, or banks, first."""
        return self.run(deal_draw, table_id=table_id)


class TableDeals(TerminalView):
    """The deals of a card-room table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("deal.start", RoundAnswer, DealBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Begin a round: antes or the bank are put up, hands are dealt face down."""
        return self.run(deal_start, table_id=table_id)


class RoundPasses(TerminalView):
    """Turns without a bet."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.pass", RoundAnswer, PassBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """A player forfeits, passes (banking), or discards a short hand; the hand stays unseen."""
        return self.run(round_pass, round_id=round_id)


class RoundTurnedCards(TerminalView):
    """The cards that decide bets."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.turn", RoundAnswer, TurnBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Turn the top card for the bettor, after burning one where the game burns."""
        return self.run(round_turn, round_id=round_id)


class RoundShows(TerminalView):
    """What bettors show."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.show", RoundAnswer, ShowBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Show one winning card, or the whole hand that has lost; the stake is paid or taken with it."""
        return self.run(round_show, round_id=round_id)


class RoundExposedCards(TerminalView):
    """Top cards seen by accident."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.expose_top", RoundAnswer, ExposedCardBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Discard a top card that was exposed; a stated bet stands."""
        return self.run(round_expose_top, round_id=round_id)


class RoundMispayments(TerminalView):
    """Payments made in error."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.mispay", RoundAnswer, MispaymentBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Record a payment that was made in error."""
        return self.run(round_mispay, round_id=round_id)


class MispaymentCorrection(TerminalView):
    """The correction of a payment made in error."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.put_right", RoundAnswer, PutRightBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Take a seat's wrong payment back, until the next player's card has been turned."""
        return self.run(round_put_right, round_id=round_id)


class PoolDivision(TerminalView):
    """The end of a pool."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("pool.divide", PoolDivided, DivisionBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Divide the pool among those still seated, when the game breaks up; two people sign."""
        return self.run(pool_divide, table_id=table_id)


class TableCollections(TerminalView):
    """The house's collections by time."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("collection.take", CollectionTaken, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Take the seat fee of every player between rounds."""
        return self.run(collection_take, table_id=table_id)
