"""Shapes of corrections."""

from typing import Any

from rest_framework import serializers

from config.api.strict import StrictSerializer, Text, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.rounds import RedDogRoundShown
from tables.api.serializers.tables import TableShown
from tables.services.corrections import REASONS

MAX_CARD, MAX_CARDS, MAX_REASON, MAX_NOTE = 2, 3, 40, 200


class ReversalBody(StrictSerializer):
    """Why something is corrected, and who signs that as the second."""

    reason = Text(max_length=MAX_REASON, help_text=f"One of {', '.join(REASONS)}.")
    note = Text(max_length=MAX_NOTE, allow_blank=True, default="")
    second = SecondSignature()


class MispayBody(ReversalBody):
    """A wrong payout: whose (null: what is in dispute), how much (minor units), and which way."""

    seat = Whole(min_value=1, allow_null=True)
    amount = Whole(min_value=1)
    direction = serializers.ChoiceField(choices=["to_seat", "to_tray"])


class PhysicalBody(ReversalBody):
    """The board as it really lay, in order."""

    cards = serializers.ListField(child=Text(max_length=MAX_CARD), min_length=2, max_length=MAX_CARDS)


class CorrectionShown(serializers.Serializer[Any]):
    """The entry a correction became, and the chips it moved (minor units)."""

    entry = serializers.UUIDField()
    seq = serializers.IntegerField()
    kind = serializers.CharField()
    into_tray = serializers.IntegerField()
    out_of_tray = serializers.IntegerField()
    into_dispute = serializers.IntegerField()
    out_of_dispute = serializers.IntegerField()


class CorrectionAnswer(serializers.Serializer[Any]):
    """The table after a correction."""

    table = TableShown()
    correction = CorrectionShown()


class RoundCorrected(serializers.Serializer[Any]):
    """The round as it was recorded, its table, and its correction."""

    round = RedDogRoundShown()
    table = TableShown()
    correction = CorrectionShown()
