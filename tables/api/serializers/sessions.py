"""Shapes of sessions: opener, closer, drop."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Count, StrictSerializer, Text
from tables.api.serializers.access import SecondSignature

MAX_LABEL, MAX_SLIPS = 24, 500


class OpeningBody(StrictSerializer):
    """The joint count of the tray at the opening, and who signs it as the second."""

    opener = Count()
    second = SecondSignature()


class ClosingBody(StrictSerializer):
    """The joint count of the tray at the closing, and who signs it as the second."""

    closer = Count()
    second = SecondSignature()


class DropCountBody(StrictSerializer):
    """The notes and the slip copies found in the drop box, and who signs the count as the second."""

    notes = Count()
    slips = serializers.ListField(
        child=Text(max_length=MAX_LABEL),
        max_length=MAX_SLIPS,
        allow_null=True,
        default=None,
        help_text="Labels such as F-12 of the copies found; null when nobody has looked.",
    )
    second = SecondSignature()


class SessionShown(serializers.Serializer[Any]):
    """A session's standing; totals in minor units."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    gaming_day = serializers.DateField()
    status = serializers.CharField()
    opener_total = serializers.IntegerField()
    closer_total = serializers.IntegerField(allow_null=True)


class SessionAnswer(serializers.Serializer[Any]):
    """The session after the command."""

    session = SessionShown()
