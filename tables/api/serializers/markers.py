"""Shapes of markers and of the limits they are issued within."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Id, StrictSerializer, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.cage import CageShown, Sold
from tables.api.serializers.cash import CashReportDue
from tables.api.serializers.tables import TableShown
from tables.services.markers import REASONS


class MarkerBody(StrictSerializer):
    """How much credit (minor units), and who signs as the second."""

    amount = Whole(min_value=1)
    second = SecondSignature()


class MarkerShown(serializers.Serializer[Any]):
    """A marker; `label` is what is written on it, its table's code and its number in the table's series."""

    marker = serializers.UUIDField()
    number = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]
    table = serializers.UUIDField()
    player = serializers.UUIDField()
    seat = serializers.IntegerField()
    amount = serializers.IntegerField()


class MarkerIssued(TableShown):
    """The table, and the marker that was issued."""

    marker = MarkerShown()


class MarkerRedemptionBody(StrictSerializer):
    """What the marker is redeemed with."""

    tender = serializers.ChoiceField(choices=["cash", "chips"])


class MarkerRedeemed(TableShown):
    """The table, and what the marker was redeemed for (minor units)."""

    redeemed = serializers.IntegerField()
    cash_report_due = CashReportDue(allow_null=True)


class MarkerPaid(Sold):
    """The cage, and the cash the patron paid a marker with (minor units)."""


class CreditLimitBody(StrictSerializer):
    """What a player may owe on markers (minor units), why, and who signs as the second."""

    player = Id(source="player_id")
    limit = Whole(min_value=0)
    reason = serializers.ChoiceField(choices=REASONS)
    second = SecondSignature()


class CreditLimitSet(CageShown):
    """The cage, and what the player may owe from now on (minor units)."""

    player = serializers.UUIDField()
    limit = serializers.IntegerField()
