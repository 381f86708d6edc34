"""Rounds: one view per thing that happens in one."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.rounds import (
    AnnouncementBody,
    BetsBody,
    CardsBody,
    ExposureBody,
    RaisesBody,
    StartBody,
    VoidBody,
)
from tables.api.serializers.tables import RoundAnswer
from tables.services.rounds import (
    round_announce,
    round_bet,
    round_deal,
    round_expose,
    round_raise,
    round_settle,
    round_start,
    round_void,
)


class TableRounds(TerminalView):
    """The rounds of a table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.start", RoundAnswer, StartBody, status=201)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Begin a round with the bets on the layout."""
        return self.run(round_start, table_id=table_id)


class RoundBets(TerminalView):
    """The bets of a round."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.bet", RoundAnswer, BetsBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Change the bets before the first card."""
        return self.run(round_bet, round_id=round_id)


class RoundCards(TerminalView):
    """The cards of a round."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.deal", RoundAnswer, CardsBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Deal; what decides the round also pays it, and `round.results` says what every seat is paid."""
        return self.run(round_deal, round_id=round_id)


class RoundAnnouncement(TerminalView):
    """The announcement of the spread."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.announce", RoundAnswer, AnnouncementBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Record the spread the dealer announced."""
        return self.run(round_announce, round_id=round_id)


class RoundRaises(TerminalView):
    """The raises of a round."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.raise", RoundAnswer, RaisesBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Record raises, and withdrawals after a wrong announcement."""
        return self.run(round_raise, round_id=round_id)


class RoundExposure(TerminalView):
    """A third card seen too early."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.expose", RoundAnswer, ExposureBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Record that the third card was seen before the raises were closed."""
        return self.run(round_expose, round_id=round_id)


class RoundSettlement(TerminalView):
    """The end of a round that waited for a fill, or for the last of its wrong payments."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.settle", RoundAnswer)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Pay what is owed; in the card room, close the round after its last turn."""
        return self.run(round_settle, round_id=round_id)


class RoundVoid(TerminalView):
    """The end of a round that does not count."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("round.void", RoundAnswer, VoidBody)}

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Void a round: every stake goes back, two people sign."""
        return self.run(round_void, round_id=round_id)
