"""Gaming days that were closed."""

import uuid

from django.db import models
from django.db.models import Q

from tables.models.casino import Casino


class ClosedDay(models.Model):
    """A gaming day that was closed: a projection of its `day.close` entry in the office's stream.

    Which checkpoint seals that entry, and what a time-stamping authority has said of that checkpoint, is
    added by the worker.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="closed_days")
    gaming_day = models.DateField()
    closed_at = models.DateTimeField()
    seq = models.BigIntegerField(help_text="Number of the closing entry in the office's stream.")
    early = models.BooleanField(help_text="Closed before its roll-over hour.")
    figures = models.JSONField(help_text="The day's figures as the closing entry has them, minor units.")
    checkpoint = models.BigIntegerField(
        null=True, blank=True, help_text="Entries under the first checkpoint that seals the closing."
    )
    timestamp = models.BinaryField(
        null=True, blank=True, editable=False, help_text="The RFC 3161 answer for that checkpoint, DER."
    )
    timestamped_at = models.DateTimeField(
        null=True, blank=True, help_text="The time in it, by the authority's clock."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["casino", "gaming_day"], name="gaming_day_closed_once"),
            models.CheckConstraint(
                condition=Q(timestamp__isnull=True, timestamped_at__isnull=True)
                | Q(timestamp__isnull=False, timestamped_at__isnull=False, checkpoint__isnull=False),
                name="closed_day_timestamp_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.gaming_day.isoformat()
