"""Shapes of gaming days and their closing."""

from typing import Any

from rest_framework import serializers

from config.api.strict import StrictSerializer
from tables.api.serializers.access import SecondSignature


class DayClosingBody(StrictSerializer):
    """Who signs the closing of the gaming day as the second."""

    second = SecondSignature()


class ClosedDaysQuery(StrictSerializer):
    """Which page."""

    cursor = serializers.CharField(required=False)


class DaySum(serializers.Serializer[Any]):
    """What sessions came to, minor units; a sum of which a part is missing is null, never zero."""

    sessions = serializers.IntegerField()
    fills = serializers.IntegerField()
    credits = serializers.IntegerField()
    drop = serializers.IntegerField(allow_null=True)
    win = serializers.IntegerField(allow_null=True)
    win_state = serializers.CharField()


class TableDaySum(DaySum):
    """What a table's sessions came to."""

    table = serializers.UUIDField()
    code = serializers.CharField()


class DayRedemptions(serializers.Serializer[Any]):
    """Chips redeemed at the cage, and what was paid for them."""

    number = serializers.IntegerField()
    paid = serializers.IntegerField()


class DayFigures(serializers.Serializer[Any]):
    """A gaming day's figures as they were when it was closed."""

    tables = TableDaySum(many=True)
    total = DaySum()
    redemptions = DayRedemptions()


class ClosedDayShown(serializers.Serializer[Any]):
    """A closed gaming day; `seq` is its entry in the office's stream, `checkpoint` the size that seals it."""

    id = serializers.UUIDField()
    gaming_day = serializers.DateField()
    closed_at = serializers.DateTimeField()
    seq = serializers.IntegerField()
    early = serializers.BooleanField(help_text="Closed before its roll-over hour.")
    figures = DayFigures()
    checkpoint = serializers.IntegerField(allow_null=True)
    timestamped_at = serializers.DateTimeField(allow_null=True)


class ClosedDayRecord(ClosedDayShown):
    """A closed gaming day with the RFC 3161 timestamp of its checkpoint, where there is one."""

    timestamp = serializers.CharField(allow_null=True, help_text="The authority's answer, DER in base64.")


class ClosedDayPage(serializers.Serializer[Any]):
    """A page of closed gaming days, oldest first."""

    results = ClosedDayShown(many=True)
    next = serializers.CharField(allow_null=True)
