"""Rounds: what the engine's state is, kept beside the journal that can rebuild it."""

import uuid

from django.db import models
from django.db.models import Q

from tables.models.casino import RuleSet
from tables.models.staff import Staff
from tables.models.table import Shoe, Table, TableSession


class RoundStatus(models.TextChoices):
    """A round's standing, in the words regulators use."""

    IN_PROGRESS = "in_progress", "In progress"
    COMPLETE = "complete", "Complete"
    CANCELLED = "cancelled", "Cancelled"


class Round(models.Model):
    """One round of play; `state` is a projection of the journal, tagged with its engine version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="rounds")
    session = models.ForeignKey(TableSession, on_delete=models.PROTECT, related_name="rounds")
    shoe = models.ForeignKey(Shoe, on_delete=models.PROTECT, related_name="rounds")
    rules = models.ForeignKey(RuleSet, on_delete=models.PROTECT, related_name="rounds")
    dealer = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField(help_text="Counts up within the session.")
    game = models.CharField(max_length=40)
    engine_version = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=12, choices=RoundStatus.choices, default=RoundStatus.IN_PROGRESS)
    state = models.JSONField()
    players = models.JSONField(help_text="Seat number to player id, null for somebody unknown.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    corrected_seq = models.BigIntegerField(
        null=True, blank=True, help_text="The last entry that set the physical cards above the recorded ones."
    )
    corrected_state = models.JSONField(
        null=True,
        blank=True,
        help_text="The round as the physical cards decide it; `state` stays as recorded.",
    )

    cancelled_seq = models.BigIntegerField(
        null=True, blank=True, help_text="The entry that voided the round after it was over; `state` stays."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(cancelled_seq__isnull=True) | Q(status="cancelled"),
                name="round_cancelled_says_so",
            ),
            models.UniqueConstraint(fields=["session", "number"], name="round_number_per_session"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(status="in_progress"), name="one_round_in_progress_per_table"
            ),
            models.CheckConstraint(
                condition=Q(status="in_progress", ended_at__isnull=True)
                | (~Q(status="in_progress") & Q(ended_at__isnull=False)),
                name="round_ended_when_over",
            ),
            models.CheckConstraint(
                condition=Q(corrected_seq__isnull=True, corrected_state__isnull=True)
                | Q(corrected_seq__isnull=False, corrected_state__isnull=False),
                name="round_corrected_whole",
            ),
        ]
        indexes = [models.Index(fields=["started_at", "id"], name="round_in_order")]

    def __str__(self) -> str:
        return f"Round {self.number}"
