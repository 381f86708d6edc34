"""The cage's own papers: fills on their way to a table, and chips redeemed for cash."""

import uuid

from django.db import models
from django.db.models import F, Q

from tables.models.casino import Casino, Player
from tables.models.staff import Staff
from tables.models.table import Table


class FillStatus(models.TextChoices):
    """Where the chips of a fill are."""

    ISSUED = "issued", "Issued, on the way"
    RECEIVED = "received", "Received at the table"


class Fill(models.Model):
    """Chips from the cage to a table, under a slip whose number leaves no gap."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="fills")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="fills")
    slip_number = models.BigIntegerField()
    chips = models.JSONField(help_text="Chip value to number of chips.")
    total = models.BigIntegerField()
    status = models.CharField(max_length=10, choices=FillStatus.choices, default=FillStatus.ISSUED)
    issued_at = models.DateTimeField()
    issued_by = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    received_at = models.DateTimeField(null=True, blank=True)
    received_by = models.ForeignKey(Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["casino", "slip_number"], name="fill_slip_number"),
            models.CheckConstraint(condition=Q(total__gt=0), name="fill_total_positive"),
            models.CheckConstraint(
                condition=Q(status="issued", received_by__isnull=True)
                | (Q(status="received", received_by__isnull=False) & ~Q(issued_by=F("received_by"))),
                name="fill_received_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"Fill {self.slip_number}"


class Redemption(models.Model):
    """Chips a patron brought to the cage and was paid for in cash."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="redemptions")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    gaming_day = models.DateField()
    chips = models.JSONField(help_text="Chip value to number of chips.")
    total = models.BigIntegerField()
    at = models.DateTimeField()
    cashier = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(total__gt=0), name="redemption_total_positive")]

    def __str__(self) -> str:
        return f"Redemption of {self.total}"
