"""Shapes of what players give the dealers."""

from rest_framework import serializers

from config.api.strict import Count, StrictSerializer, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.tables import TableShown


class TokeBody(StrictSerializer):
    """Chips given to the dealers, minor units."""

    amount = Whole(min_value=1)


class TokesBody(StrictSerializer):
    """What was found in the toke box, and who counted it too and signs as the second."""

    chips = Count()
    second = SecondSignature()


class TokesCollected(TableShown):
    """The table, what was collected, and by how much the books had less (minor units)."""

    collected = serializers.IntegerField()
    variance = serializers.IntegerField()
