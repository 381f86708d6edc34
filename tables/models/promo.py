"""Promotional pieces: chips and coupons of no value but what they may win, each with a number of its own."""

import uuid

from django.db import models
from django.db.models import Q

from tables.models.casino import Casino, Player
from tables.models.round import Round
from tables.models.table import Table


class PromoStatus(models.TextChoices):
    """Where a piece is; once taken in it never plays again."""

    ISSUED = "issued", "With the player"
    STAKED = "staked", "At stake"
    TAKEN = "taken", "Played, in the table's promotional box"
    CANCELLED = "cancelled", "Cancelled"


class PromoStock(models.Model):
    """How many promotional pieces of a value lie in a casino's cage, not given to anybody yet."""

    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="+")
    value = models.BigIntegerField(help_text="Minor units.")
    pieces = models.BigIntegerField()

    class Meta:
        verbose_name = "promotional stock"
        verbose_name_plural = "promotional stock"
        constraints = [
            models.UniqueConstraint(fields=["casino", "value"], name="promo_stock_by_value"),
            models.CheckConstraint(condition=Q(value__gt=0, pieces__gte=0), name="promo_stock_of_something"),
        ]

    def __str__(self) -> str:
        return f"{self.pieces} of {self.value}"


class PromoPiece(models.Model):
    """One promotional chip or coupon; its number is given once in a house, for ever.

    `table`, `round` and `seat` say where it lies at stake, or was played.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="+")
    serial = models.CharField(max_length=40)
    value = models.BigIntegerField(help_text="What it wins with, minor units.")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=10, choices=PromoStatus.choices, default=PromoStatus.ISSUED)
    issued_at = models.DateTimeField()
    issued_seq = models.BigIntegerField(help_text="The cage's entry that issued it.")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    cancelled_seq = models.BigIntegerField(
        null=True, blank=True, help_text="The entry of the table that cancelled it."
    )

    class Meta:
        verbose_name = "promotional chip or coupon"
        verbose_name_plural = "promotional chips and coupons"
        constraints = [
            models.UniqueConstraint(fields=["casino", "serial"], name="promo_serial_once"),
            models.CheckConstraint(condition=Q(value__gt=0), name="promo_value"),
            models.CheckConstraint(
                condition=Q(status="issued", round=None, seat=None, table=None)
                | (~Q(status="issued") & Q(round__isnull=False, seat__isnull=False, table__isnull=False)),
                name="promo_lies_somewhere",
            ),
            models.CheckConstraint(
                condition=Q(cancelled_seq=None) | Q(status="cancelled"), name="promo_cancelled_says_so"
            ),
            models.UniqueConstraint(
                fields=["round", "seat"], condition=~Q(status="issued"), name="promo_one_beside_a_bet"
            ),
        ]

    def __str__(self) -> str:
        return self.serial
