"""Shapes of chips that are none of the house's."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Count, StrictSerializer, Text
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.tables import TableShown
from tables.services.rejects import REJECTED

MAX_NOTE = 200


class RejectBody(StrictSerializer):
    """What kind of chips, what they were taken for (minor units), what was seen, and who signs."""

    kind = serializers.ChoiceField(choices=REJECTED)
    pieces = Count()
    note = Text(max_length=MAX_NOTE)
    second = SecondSignature()


class TrayRejected(TableShown):
    """The table, and what left the tray's books (minor units)."""

    rejected = serializers.IntegerField()


class BoxRejected(serializers.Serializer[Any]):
    """The box, and what the chips were taken for (minor units); nothing was booked of them."""

    box = serializers.UUIDField()
    rejected = serializers.IntegerField()
