"""Shapes of sessions: opener and closer."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Count, StrictSerializer, Whole
from tables.api.serializers.access import SecondSignature


class OpeningBody(StrictSerializer):
    """The joint count of the tray at the opening, the drop box, and who signs as the second."""

    opener = Count()
    box = Whole(
        min_value=1, max_value=99, allow_null=True, default=None, help_text="null for the first free box"
    )
    second = SecondSignature()


class ClosingBody(StrictSerializer):
    """The joint count of the tray at the closing, and who signs it as the second."""

    closer = Count()
    second = SecondSignature()


class SessionShown(serializers.Serializer[Any]):
    """A session's standing; totals in minor units."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    gaming_day = serializers.DateField()
    status = serializers.CharField()
    opener_total = serializers.IntegerField()
    closer_total = serializers.IntegerField(allow_null=True)
