"""Who deals at a table, from when to when."""

import uuid

from django.db import models
from django.db.models import F, Q

from tables.models.staff import Staff
from tables.models.table import Table, TableSession


class Stint(models.Model):
    """A dealer at a table, from signing on to being relieved, signing off, or the closer.

    The counts of the tray at its two ends are null where nobody counted: only between two of them is there
    anything to say about what went through the dealer's hands.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="stints")
    session = models.ForeignKey(TableSession, on_delete=models.PROTECT, related_name="stints")
    dealer = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="stints")
    began_at = models.DateTimeField()
    began_seq = models.BigIntegerField(help_text="Journal sequence of the entry that began it.")
    began_total = models.BigIntegerField(null=True, blank=True, help_text="The tray as counted then.")
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_seq = models.BigIntegerField(null=True, blank=True)
    ended_total = models.BigIntegerField(null=True, blank=True, help_text="The tray as counted at its end.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table"], condition=Q(ended_at__isnull=True), name="one_stint_per_table"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, ended_seq__isnull=True, ended_total__isnull=True)
                | Q(ended_at__isnull=False, ended_seq__gt=F("began_seq")),
                name="stint_ends_after_it_began",
            ),
        ]
        indexes = [models.Index(fields=["began_at"], name="stint_began_at")]

    def __str__(self) -> str:
        return f"{self.dealer} at {self.table}"
