"""Drop boxes: which lay on which table when, who counted them, and what they found."""

import uuid

from django.db import models
from django.db.models import F, Q

from tables.models.staff import Staff
from tables.models.table import Table, TableSession
from tables.models.terminal import Terminal


class BoxStatus(models.TextChoices):
    """Where a drop box stands between its table and its figures."""

    ON_TABLE = "on_table", "On the table"
    REMOVED = "removed", "Removed, not counted"
    FIRST_COUNTED = "first_counted", "Counted once, blind"
    DIFFERS = "differs", "The two counts differ"
    COUNTED = "counted", "Counted"


class DropBox(models.Model):
    """One stay of a drop box on a table, from the moment it is put there to its count.

    `number` is the box's own among those of its table, whose code it carries; the box comes back under the
    same number once it was counted. Until the second count is posted the first is `sealed`: encrypted with
    a key that is in no database, all of one length; the journal holds its `commitment`. Amounts are minor
    units; a count maps `notes`, `chips` and `instruments` each to values and how many there were.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="boxes")
    session = models.ForeignKey(TableSession, on_delete=models.PROTECT, related_name="boxes")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=15, choices=BoxStatus.choices, default=BoxStatus.ON_TABLE)
    put_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_seq = models.BigIntegerField(null=True, blank=True, help_text="Journal entry of the removal.")
    booked = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="Cash and markers recorded as put into it, less what was taken back.",
    )
    booked_instruments = models.BigIntegerField(
        default=0, help_text="Markers among what was recorded, minor units."
    )
    commitment = models.CharField(max_length=64, blank=True, default="")
    sealed = models.BinaryField(null=True, blank=True, editable=False)
    first_counter = models.ForeignKey(
        Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    first_terminal = models.ForeignKey(
        Terminal, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    first_address = models.GenericIPAddressField(null=True, blank=True)
    first_counted_at = models.DateTimeField(null=True, blank=True)
    second_counter = models.ForeignKey(
        Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    second_counted_at = models.DateTimeField(null=True, blank=True)
    first_count = models.JSONField(null=True, blank=True, help_text="Known once the second is posted.")
    second_count = models.JSONField(null=True, blank=True)
    counted = models.JSONField(null=True, blank=True, help_text="What both found, or what the recount did.")
    slips = models.JSONField(
        null=True, blank=True, help_text="Labels of the slip copies found; null when nobody has looked."
    )
    total = models.BigIntegerField(null=True, blank=True)
    late = models.BooleanField(default=False, help_text="Counted after its gaming day had ended.")
    counted_at = models.DateTimeField(null=True, blank=True)
    counted_seq = models.BigIntegerField(null=True, blank=True, help_text="Journal entry of the count.")

    class Meta:
        verbose_name_plural = "drop boxes"
        constraints = [
            models.UniqueConstraint(
                fields=["table"], condition=Q(status="on_table"), name="one_box_on_a_table"
            ),
            models.UniqueConstraint(
                fields=["table", "number"], condition=~Q(status="counted"), name="box_in_one_place"
            ),
            models.CheckConstraint(
                condition=Q(status="on_table", removed_at__isnull=True, booked__isnull=True)
                | (~Q(status="on_table") & Q(removed_at__isnull=False, booked__isnull=False)),
                name="box_removed_with_its_books",
            ),
            models.CheckConstraint(
                condition=Q(status="first_counted", sealed__isnull=False, first_count__isnull=True)
                | (~Q(status="first_counted") & Q(sealed__isnull=True)),
                name="first_count_sealed_until_second",
            ),
            models.CheckConstraint(
                condition=Q(second_counter__isnull=True) | ~Q(first_counter=F("second_counter")),
                name="drop_counted_by_two",
            ),
            models.CheckConstraint(
                condition=Q(status="counted", total__isnull=False, second_counter__isnull=False)
                | (~Q(status="counted") & Q(total__isnull=True)),
                name="box_counted_has_total",
            ),
        ]

    def __str__(self) -> str:
        return f"Box {self.label}"

    @property
    def label(self) -> str:
        """What is written on the box: its table's code and its own number."""
        return f"{self.table.code}-{self.number}"

    @property
    def variance(self) -> int | None:
        """Counted less recorded, minor units; None before the count."""
        if self.total is None or self.booked is None:
            return None
        return self.total - self.booked
