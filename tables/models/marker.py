"""Markers: credit given at a table against a signed instrument, each with a number of its own."""

import uuid

from django.db import models
from django.db.models import F, Q

from tables.models.casino import Casino, Player
from tables.models.drop import DropBox
from tables.models.table import Table


class Marker(models.Model):
    """One marker; it lies in the drop box it was put into unless it was redeemed at its table.

    `number` is the next of its table's series, which has no gap: it is given under the table's lock. An
    outstanding one has no `redeemed_seq`; `redeemed_stream` says where it was paid, at the table or the cage.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="+")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    box = models.ForeignKey(DropBox, on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    seat = models.PositiveSmallIntegerField()
    amount = models.BigIntegerField(help_text="Minor units.")
    issued_at = models.DateTimeField()
    issued_seq = models.BigIntegerField(help_text="The table's entry that issued it.")
    redeemed_at = models.DateTimeField(null=True, blank=True)
    redeemed_stream = models.CharField(max_length=80, blank=True, default="")
    redeemed_seq = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="marker_number_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="marker_amount"),
            models.CheckConstraint(
                condition=Q(redeemed_at=None, redeemed_seq=None, redeemed_stream="")
                | (Q(redeemed_at__gte=F("issued_at"), redeemed_seq__isnull=False) & ~Q(redeemed_stream="")),
                name="marker_redeemed_somewhere",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """What is written on it: its table's code and its number."""
        return f"{self.table.code}-M{self.number}"
