"""The cage's own papers: fill and credit slips with their steps, and chips redeemed for cash."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

from django.db import models
from django.db.models import F, Q

from tables.models.casino import Casino, Player
from tables.models.staff import Staff
from tables.models.table import Table
from tables.models.terminal import Terminal


class SlipKind(models.TextChoices):
    """Which way the chips go."""

    FILL = "fill", "Fill, from the cage to a table"
    CREDIT = "credit", "Credit, from a table to the cage"


class SlipSeries(models.TextChoices):
    """Who numbered the slip."""

    SYSTEM = "system", "Numbered by the system"
    MANUAL = "manual", "Written by hand while the system was down"


class SlipStatus(models.TextChoices):
    """How far a slip has come; `refused` and `void` are final, and only a void follows `received`."""

    REQUESTED = "requested", "Requested"
    ISSUED = "issued", "Issued, chips not counted yet"
    ON_THE_WAY = "on_the_way", "On the way"
    RECEIVED = "received", "Received"
    RETURNING = "returning", "Void, chips on their way back"
    REFUSED = "refused", "Refused"
    VOID = "void", "Void"


IN_TRANSIT = (SlipStatus.ON_THE_WAY, SlipStatus.RETURNING)
UNFINISHED = (SlipStatus.REQUESTED, SlipStatus.ISSUED, *IN_TRANSIT)
UNNUMBERED = (SlipStatus.REQUESTED, SlipStatus.REFUSED)

MaybePerson: TypeAlias = "models.ForeignKey[Staff | None, Staff | None]"


def _person() -> MaybePerson:
    return models.ForeignKey(Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+")


def _place() -> "models.ForeignKey[Terminal | None, Terminal | None]":
    return models.ForeignKey(Terminal, on_delete=models.PROTECT, null=True, blank=True, related_name="+")


def _moment() -> "models.DateTimeField[datetime | None, datetime | None]":
    return models.DateTimeField(null=True, blank=True)


def _seq() -> "models.BigIntegerField[int | None, int | None]":
    return models.BigIntegerField(null=True, blank=True)


def _different(*people: str) -> Q:
    """A condition: whoever is known of these is another person than each of the others."""
    rule = Q()
    for at, one in enumerate(people):
        for other in people[at + 1 :]:
            rule &= Q(**{f"{one}__isnull": True}) | Q(**{f"{other}__isnull": True}) | ~Q(**{one: F(other)})
    return rule


def _all_known(fields: Iterable[str]) -> Q:
    return Q(**{f"{name}__isnull": False for name in fields})


class Slip(models.Model):
    """A fill or a credit from its request to its end, under a number that leaves no gap.

    Each step keeps when it was done, by whom (`_by`) and with whose second signature (`_with`), at which
    terminal, and under which entry: `requested`, `refused`, `issued` and `voided` or `returned` of a fill
    in the stream of whoever did it, `counted` in the table's. What a step has written stays as it is: a
    trigger lets fields be added, `status` go on, and nothing else.

    Of a fill, `received` is at the table: the dealer, with the supervisor. Of a credit, `counted` is at the
    table (dealer, supervisor, runner) and `received` in the cage (the cashier).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="slips")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="slips")
    kind = models.CharField(max_length=10, choices=SlipKind.choices)
    series = models.CharField(max_length=10, choices=SlipSeries.choices, default=SlipSeries.SYSTEM)
    number = models.BigIntegerField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=SlipStatus.choices, default=SlipStatus.REQUESTED)
    requested_chips = models.JSONField(null=True, blank=True, help_text="Chip value to number of chips.")
    chips = models.JSONField(null=True, blank=True, help_text="Chip value to number of chips.")
    total = models.BigIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True, help_text="Why it was refused or made void.")
    occurred_at = models.DateTimeField(
        null=True, blank=True, help_text="When a manual slip was written, the system being down."
    )
    requested_at, requested_by, requested_with = _moment(), _person(), _person()
    requested_terminal = _place()
    refused_at, refused_by, refused_terminal = _moment(), _person(), _place()
    issued_at, issued_by, issued_with = _moment(), _person(), _person()
    issued_terminal, issued_seq = _place(), _seq()
    runner = _person()
    counted_at, counted_by, counted_with = _moment(), _person(), _person()
    counted_terminal, counted_seq = _place(), _seq()
    received_at, received_by, received_with = _moment(), _person(), _person()
    received_terminal, received_seq = _place(), _seq()
    voided_at, voided_by, voided_with = _moment(), _person(), _person()
    voided_terminal, voided_seq = _place(), _seq()
    returned_at, returned_by, returned_with = _moment(), _person(), _person()
    returned_terminal, returned_seq = _place(), _seq()
    returned_chips = models.JSONField(
        null=True, blank=True, help_text="What was counted when the chips of a void slip came back."
    )
    prints = models.PositiveIntegerField(default=0, help_text="How often it was printed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["casino", "series", "kind", "number"], name="slip_number"),
            models.CheckConstraint(
                condition=Q(status__in=UNNUMBERED, number__isnull=True)
                | (
                    ~Q(status__in=UNNUMBERED)
                    & Q(number__gte=1, total__gt=0)
                    & _all_known(("number", "chips", "total", "issued_at", "issued_by"))
                ),
                name="slip_numbered_when_issued",
            ),
            models.CheckConstraint(
                condition=Q(
                    series=SlipSeries.SYSTEM, requested_by__isnull=False, requested_with__isnull=False
                )
                | Q(series=SlipSeries.MANUAL, occurred_at__isnull=False, issued_with__isnull=False),
                name="slip_requested_or_manual",
            ),
            models.CheckConstraint(
                condition=Q(series=SlipSeries.MANUAL)
                | Q(kind=SlipKind.CREDIT)
                | Q(status__in=UNNUMBERED)
                | Q(runner__isnull=False),
                name="slip_fill_has_runner",
            ),
            models.CheckConstraint(
                condition=~Q(status=SlipStatus.RECEIVED)
                | Q(kind=SlipKind.FILL, received_by__isnull=False, received_with__isnull=False)
                | Q(
                    kind=SlipKind.CREDIT,
                    received_by__isnull=False,
                    counted_by__isnull=False,
                    counted_with__isnull=False,
                    runner__isnull=False,
                ),
                name="slip_received_is_signed",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[SlipStatus.VOID, SlipStatus.RETURNING])
                | (_all_known(("voided_by", "voided_with")) & ~Q(reason="")),
                name="slip_void_is_signed",
            ),
            models.CheckConstraint(
                condition=_different("requested_by", "requested_with"), name="slip_requested_by_two"
            ),
            models.CheckConstraint(
                condition=Q(kind=SlipKind.CREDIT)
                | _different("issued_by", "runner", "received_by", "received_with"),
                name="slip_fill_by_different_people",
            ),
            models.CheckConstraint(
                condition=Q(kind=SlipKind.FILL)
                | (
                    _different("counted_by", "counted_with", "runner", "issued_by")
                    & _different("counted_by", "counted_with", "runner", "received_by")
                ),
                name="slip_credit_by_different_people",
            ),
            models.CheckConstraint(
                condition=_different("issued_by", "issued_with")
                & _different("voided_by", "voided_with")
                & _different("returned_by", "returned_with"),
                name="slip_steps_by_two",
            ),
        ]
        indexes = [
            models.Index(fields=["table"], condition=Q(status__in=UNFINISHED), name="slip_unfinished"),
        ]

    def __str__(self) -> str:
        return self.label or f"{SlipKind(self.kind).name.capitalize()} {self.status}"

    @property
    def label(self) -> str:
        """What is printed on it and its copies: F-12, C-3; MF-7 and MC-7 were written by hand."""
        if self.number is None:
            return ""
        return f"{'M' if self.manual else ''}{self.kind[0].upper()}-{self.number}"

    @property
    def manual(self) -> bool:
        """Whether it was written by hand."""
        return self.series == SlipSeries.MANUAL


class SlipDifference(models.Model):
    """Chips that were not what their slip says: a receipt that was refused for it; rows are only added."""

    slip = models.ForeignKey(Slip, on_delete=models.PROTECT, related_name="differences")
    at = models.DateTimeField(auto_now_add=True)
    chips = models.JSONField(help_text="What was counted: chip value to number of chips.")
    staff = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    terminal = models.ForeignKey(Terminal, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"Difference at {self.slip}"


class TablePar(models.Model):
    """What a table's tray should hold of each denomination; a fill brings it there."""

    table = models.OneToOneField(Table, on_delete=models.PROTECT, primary_key=True, related_name="par")
    chips = models.JSONField(help_text="Chip value to number of chips.")
    set_at = models.DateTimeField()
    set_by = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = "par"

    def __str__(self) -> str:
        return f"Par of {self.table}"


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
