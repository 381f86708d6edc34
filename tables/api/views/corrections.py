"""Corrections: nothing is edited, a further entry answers what was wrong."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.corrections import (
    CorrectionAnswer,
    MispayBody,
    PhysicalBody,
    ReversalBody,
    RoundCorrected,
)
from tables.services.corrections import correction_post, entry_reverse, round_correct


class EntryReversal(TerminalView):
    """The reversal of an entry."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("entry.reverse", CorrectionAnswer, ReversalBody, status=201),
    }

    def post(self, request: Request, table_id: uuid.UUID, entry_id: uuid.UUID) -> Response:
        """Take an entry back, once; what is not there any more is in dispute."""
        return self.run(entry_reverse, table_id=table_id, entry_id=entry_id)


class TableCorrections(TerminalView):
    """The documented mispays of a table."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("correction.post", CorrectionAnswer, MispayBody, status=201),
    }

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Document a wrong payout, or end a dispute."""
        return self.run(correction_post, table_id=table_id)


class RoundCorrection(TerminalView):
    """The correction of a round."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("round.correct", RoundCorrected, PhysicalBody, status=201),
    }

    def post(self, request: Request, round_id: uuid.UUID) -> Response:
        """Settle the round's wagers on the cards that really lay; the record stays beside it."""
        return self.run(round_correct, round_id=round_id)
