"""Tables, their seats, shoes and sessions."""

import uuid

from django.db import models
from django.db.models import F, Q

from tables.models.casino import Casino, Pit, Player, RuleSet


class CardSource(models.TextChoices):
    """Where a table's cards come from."""

    SCANNED = "scanned", "Physical shoe, cards scanned"
    DRAWN = "drawn", "Drawn by the system, committed beforehand"


class Table(models.Model):
    """One gaming table: one row, one lock, one action counter for everything that happens on it.

    `version` counts accepted actions and is the table's ETag; `session`, `shoe`, `round` and `stint` are
    what is going on now. Every command locks this row first. The state of the shoe in play stands here too,
    because every card changes it and this row is written anyway.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="tables")
    pit = models.ForeignKey(Pit, on_delete=models.PROTECT, related_name="tables")
    code = models.SlugField(max_length=20)
    rules = models.ForeignKey(RuleSet, on_delete=models.PROTECT, related_name="+")
    card_source = models.CharField(max_length=10, choices=CardSource.choices)
    version = models.BigIntegerField(default=0)
    sessions_opened = models.PositiveIntegerField(default=0)
    shoes_loaded = models.PositiveIntegerField(default=0)
    rounds_begun = models.PositiveIntegerField(default=0, help_text="In the session that is open now.")
    session = models.OneToOneField(
        "tables.TableSession", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    shoe = models.OneToOneField(
        "tables.Shoe", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    round = models.OneToOneField(
        "tables.Round", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    stint = models.OneToOneField(
        "tables.Stint", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    shoe_state = models.JSONField(
        null=True, blank=True, help_text="The engine's shoe in play: what was seen, how many cards are out."
    )
    button = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The seat that deals (or banks) next; none before the draw for it."
    )
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="When the house last took its fee by time."
    )
    frozen = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="Why nothing may happen here; blank when it may.",
    )
    answered: bool  # set by locking the row: whether the command at hand was answered before

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["casino", "code"], name="table_code_per_casino"),
            models.CheckConstraint(
                condition=Q(round__isnull=True) | Q(session__isnull=False), name="table_round_in_session"
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def stream(self) -> str:
        """The table's journal stream."""
        return f"table:{self.id}"


class Seat(models.Model):
    """A numbered place at a table and who sits there; its chips are the ledger account `seat:N`."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    occupied = models.BooleanField(default=False)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    since = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="seat_number_per_table"),
            models.CheckConstraint(condition=Q(number__gte=1), name="seat_number_from_one"),
            models.CheckConstraint(
                condition=Q(occupied=True) | Q(player__isnull=True, since__isnull=True), name="seat_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"Seat {self.number}"


class Shoe(models.Model):
    """The packs a table deals from, from the shuffle to the last card.

    `sealed` is a drawn shoe's whole order and its salts, encrypted with a key that is never in the
    database; `root` is the commitment that was journalled before the first card.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="shoes")
    number = models.PositiveIntegerField()
    packs = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=10, choices=CardSource.choices)
    final_state = models.JSONField(null=True, blank=True, help_text="The engine's shoe as it was retired.")
    root = models.CharField(max_length=64, blank=True)
    sealed = models.BinaryField(null=True, blank=True, editable=False)
    loaded_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="shoe_number_per_table"),
            models.CheckConstraint(condition=Q(packs__gte=1, packs__lte=8), name="shoe_packs"),
        ]

    def __str__(self) -> str:
        return f"Shoe {self.number}"


class SessionStatus(models.TextChoices):
    """Where a session stands between its opener and its final figures."""

    OPEN = "open", "Open"
    CLOSED = "closed", "Closed, drop not counted"
    COUNTED = "counted", "Drop counted"


class TableSession(models.Model):
    """A table's business between an opener and a closer; it belongs to one gaming day for good.

    Totals are minor units; the counts by denomination map a chip's value to how many there were.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="sessions")
    number = models.PositiveIntegerField()
    gaming_day = models.DateField()
    status = models.CharField(max_length=10, choices=SessionStatus.choices, default=SessionStatus.OPEN)
    opener = models.JSONField()
    opener_total = models.BigIntegerField()
    opened_at = models.DateTimeField()
    opened_seq = models.BigIntegerField(help_text="Journal sequence of the opening entry.")
    closer = models.JSONField(null=True, blank=True)
    closer_total = models.BigIntegerField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_seq = models.BigIntegerField(null=True, blank=True)
    drop_count = models.JSONField(null=True, blank=True)
    drop_total = models.BigIntegerField(null=True, blank=True)
    counted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="session_number_per_table"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(status="open"), name="one_open_session_per_table"
            ),
            models.CheckConstraint(
                condition=Q(status="open", closed_seq__isnull=True) | Q(closer_total__isnull=False),
                name="session_closed_has_closer",
            ),
            models.CheckConstraint(
                condition=~Q(status="counted") | Q(drop_total__isnull=False), name="session_counted_has_drop"
            ),
            models.CheckConstraint(
                condition=Q(closed_seq__isnull=True) | Q(closed_seq__gt=F("opened_seq")),
                name="session_closes_after_opening",
            ),
        ]
        indexes = [models.Index(fields=["gaming_day"], name="session_gaming_day")]

    def __str__(self) -> str:
        return f"{self.table} session {self.number}"
