"""Cash of patrons: each transaction, and what one person's come to in a gaming day.

Both are projections of the journal. The keys that lead to the casino and to staff are not constraints: a
row is written by tables and cage at once, which must not wait at their commit for an act of the office.
"""

import uuid

from django.db import models
from django.db.models import Q

from tables.jurisdiction.cash import Direction
from tables.models.casino import Casino, Player
from tables.models.staff import Staff
from tables.models.table import Table

DIRECTIONS = [(Direction.IN.value, "Cash in"), (Direction.OUT.value, "Cash out")]


class CashTransaction(models.Model):
    """Cash a patron brought or took, as its journal entry says; minor units, negative for a reversal.

    An entry is one of them, but for the money plays of a round, which are one for each seat.
    `person` is whom the entry names, or for one that names nobody who it was found to be later.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="+", db_constraint=False)
    person = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    direction = models.CharField(max_length=3, choices=DIRECTIONS)
    amount = models.BigIntegerField()
    gaming_day = models.DateField()
    at = models.DateTimeField()
    stream = models.CharField(max_length=60)
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=40, help_text="Kind of the journal entry.")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    staff = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+", db_constraint=False)
    logged = models.BooleanField(help_text="From the house's threshold for the multiple-transaction log on.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["stream", "seq", "seat"],
                nulls_distinct=False,
                name="one_cash_transaction_per_entry",
            ),
            models.CheckConstraint(condition=~Q(amount=0), name="cash_transaction_moves_something"),
            models.CheckConstraint(condition=Q(direction__in=["in", "out"]), name="cash_transaction_way"),
        ]
        indexes = [
            models.Index(fields=["casino", "gaming_day", "person"], name="cash_transaction_of_day"),
            models.Index(fields=["person"], name="cash_transaction_of_person"),
        ]

    def __str__(self) -> str:
        return f"Cash {self.direction} of {self.amount}"

    @property
    def is_money_play(self) -> bool:
        """Whether it is currency that was bet."""
        return self.kind.startswith("round.")


class CashTotal(models.Model):
    """One person's cash in, or cash out, of one gaming day over all tables and the cage.

    `due_on` is set while the total is one to be reported; `filed_total` is what a filed report said.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="+", db_constraint=False)
    person = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="cash_totals")
    gaming_day = models.DateField()
    direction = models.CharField(max_length=3, choices=DIRECTIONS)
    total = models.BigIntegerField()
    due_on = models.DateField(null=True, blank=True)
    filed_total = models.BigIntegerField(null=True, blank=True)
    filed_at = models.DateTimeField(null=True, blank=True)
    filed_by = models.ForeignKey(
        Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_constraint=False
    )
    filing_reference = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "gaming_day", "direction"], name="one_cash_total_per_day_and_way"
            ),
            models.CheckConstraint(condition=Q(direction__in=["in", "out"]), name="cash_total_way"),
            models.CheckConstraint(
                condition=Q(filed_total=None, filed_at=None, filed_by=None, filing_reference="")
                | (
                    Q(filed_total__isnull=False, filed_at__isnull=False, filed_by__isnull=False)
                    & ~Q(filing_reference="")
                ),
                name="cash_total_filed_by_whom_when",
            ),
        ]
        indexes = [
            models.Index(fields=["casino", "gaming_day"], name="cash_total_of_day"),
            models.Index(
                fields=["casino", "due_on"], condition=Q(due_on__isnull=False), name="cash_total_due"
            ),
        ]

    def __str__(self) -> str:
        return f"Cash {self.direction} of {self.person} on {self.gaming_day}"

    @property
    def is_due(self) -> bool:
        """Whether a report is still to be filed: there is none, or the total has changed since."""
        return self.due_on is not None and self.filed_total != self.total
