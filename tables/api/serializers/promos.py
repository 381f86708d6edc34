"""Shapes of promotional pieces."""

from rest_framework import serializers

from config.api.strict import SERIAL, Count, Id, SerialValues, StrictSerializer
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.cage import CageShown
from tables.api.serializers.tables import TableShown

MAX_PIECES = 500


class PromoStockBody(StrictSerializer):
    """New promotional pieces by value, and who counted them too and signs as the second."""

    pieces = Count()
    second = SecondSignature()


class PromoIssueBody(StrictSerializer):
    """Pieces a player is given: the number on each, and what it wins with (minor units)."""

    player = Id(source="player_id")
    pieces = SerialValues(allow_empty=False)


class PromoIssued(CageShown):
    """The cage, and what the pieces are worth together (minor units)."""

    issued = serializers.IntegerField()


class PromoCollectionBody(StrictSerializer):
    """The numbers found in the promotional box, and who looked too and signs as the second."""

    coupons = serializers.ListField(
        child=serializers.RegexField(f"^{SERIAL}$"), allow_empty=False, max_length=MAX_PIECES
    )
    second = SecondSignature()


class PromoCollected(TableShown):
    """The table, what was cancelled (minor units), and which pieces were played here and not found."""

    cancelled = serializers.IntegerField()
    missing = serializers.ListField(child=serializers.CharField())
