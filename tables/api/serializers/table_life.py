"""Shapes of a table's life beside its rounds."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Count, Id, StrictSerializer, Text, Whole
from tables.api.serializers.access import BadgeAndPin, SecondSignature
from tables.api.serializers.corrections import CorrectionShown
from tables.api.serializers.rounds import RoundShown, VoidBody
from tables.api.serializers.tables import TableShown

MAX_REASON = 200


class CancellationBody(VoidBody):
    """Why a round that is over does not count, and who signs that as the second."""


class RoundCancelled(serializers.Serializer[Any]):
    """The round with the result it keeps, its table, and the entry that voided it."""

    round = RoundShown()
    table = TableShown()
    correction = CorrectionShown()


class ReopeningBody(StrictSerializer):
    """Why a closing was a mistake, and who signs that as the second."""

    reason = Text(max_length=MAX_REASON)
    second = SecondSignature()


class ReliefBody(StrictSerializer):
    """Who comes, by badge and PIN, and the tray as it was counted (null: nobody counted)."""

    relief = BadgeAndPin()
    count = Count(allow_null=True, default=None)


class RulesBody(ReopeningBody):
    """The rule set, why it changes, and who signs that as the second."""

    rules = Id(source="rules_id")


class ChangeBody(StrictSerializer):
    """Chips that go into the tray and those of the same value that come out of it."""

    into_tray = Count()
    out_of_tray = Count()


class CashOutBody(StrictSerializer):
    """What somebody wanted to be paid for chips, minor units."""

    amount = Whole(min_value=1)


class StintRecord(serializers.Serializer[Any]):
    """A dealer's stint; `T` (minor units) is null unless the tray was counted at both of its ends."""

    id = serializers.UUIDField()
    table = serializers.UUIDField()
    session = serializers.UUIDField()
    gaming_day = serializers.DateField()
    dealer = serializers.UUIDField()
    badge = serializers.CharField()
    began_at = serializers.DateTimeField()
    began_seq = serializers.IntegerField()
    began_total = serializers.IntegerField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    ended_seq = serializers.IntegerField(allow_null=True)
    ended_total = serializers.IntegerField(allow_null=True)
    rounds = serializers.IntegerField()
    seconds = serializers.IntegerField()
    T = serializers.IntegerField(allow_null=True)


class StintPage(serializers.Serializer[Any]):
    """A page of stints, oldest first."""

    results = StintRecord(many=True)
    next = serializers.CharField(allow_null=True)
