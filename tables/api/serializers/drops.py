"""Shapes of drop boxes and their counts."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Count, StrictSerializer, Text, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.sessions import SessionShown

MAX_BOX, MAX_LABEL, MAX_SLIPS = 99, 24, 500


class BoxRemovalBody(StrictSerializer):
    """The number read on the box, that of the next one (null for the first free), and the second."""

    box = Whole(min_value=1, max_value=MAX_BOX)
    next_box = Whole(min_value=1, max_value=MAX_BOX, allow_null=True, default=None)
    second = SecondSignature()


class BoxCountBody(StrictSerializer):
    """What was found in a box: notes and coins, the house's chips, credit instruments."""

    notes = Count()
    chips = Count(default=dict)
    instruments = Count(default=dict)


class BoxSecondCountBody(BoxCountBody):
    """What the second counter found, and which slip copies."""

    slips = serializers.ListField(
        child=Text(max_length=MAX_LABEL),
        max_length=MAX_SLIPS,
        allow_null=True,
        default=None,
        help_text="Labels such as F-12 of the copies found; null when nobody has looked.",
    )


class BoxRecountBody(BoxSecondCountBody):
    """What both counters found together, and the other one's signature."""

    second = SecondSignature()


class BoxShown(serializers.Serializer[Any]):
    """A drop box as the count room sees it; never what is in it."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    number = serializers.IntegerField()
    table = serializers.UUIDField()
    session = serializers.UUIDField()
    status = serializers.CharField()


class BoxRemoved(serializers.Serializer[Any]):
    """The box that was removed, and the one that took its place, if any did."""

    box = BoxShown()
    next = BoxShown(allow_null=True)


class BoxAnswer(serializers.Serializer[Any]):
    """The box after its first count."""

    box = BoxShown()


class BoxCounted(BoxAnswer):
    """The box after its second count or its recount, and its session."""

    session = SessionShown()


class BoxesInUse(serializers.Serializer[Any]):
    """The boxes on their tables, and those that wait for their counts."""

    boxes = BoxShown(many=True)
