"""Shapes of the cage."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Count, Id, StrictSerializer, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.cash import CashReportDue


class CommissionBody(StrictSerializer):
    """New chips by denomination, and who signs for them as the second."""

    chips = Count()
    second = SecondSignature()


class CashBody(StrictSerializer):
    """Cash from the bankroll into the drawer, minor units."""

    amount = Whole(min_value=1)


class RedemptionBody(StrictSerializer):
    """Chips by denomination that a patron brings, or gets, for cash."""

    chips = Count()
    player = Id(source="player_id", allow_null=True, default=None, help_text="null for somebody unknown")


class CageShown(serializers.Serializer[Any]):
    """The cage as its terminal may see it."""

    casino = serializers.UUIDField()
    next_fill = serializers.IntegerField()
    next_credit = serializers.IntegerField()


class Redeemed(CageShown):
    """The cage, and what the patron was paid (minor units)."""

    redemption = serializers.UUIDField()
    paid = serializers.IntegerField()
    cash_report_due = CashReportDue(allow_null=True)


class Sold(CageShown):
    """The cage, and the cash the patron brought (minor units)."""

    received = serializers.IntegerField()
    cash_report_due = CashReportDue(allow_null=True)
