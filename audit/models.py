"""What the audit keeps: findings with their evidence, sessions reconciled, days re-settled, exports."""

import uuid

from django.db import models
from django.db.models import F, Q

from audit.codes import Severity
from tables.models import Casino, Staff, TableSession


class FindingStatus(models.TextChoices):
    """Where a finding is between found and done with."""

    OPEN = "open", "Open"
    ACKNOWLEDGED = "acknowledged", "Acknowledged"
    RESOLVED = "resolved", "Resolved"


_SEVERITIES = [severity.value for severity in Severity]
_UNREAD = Q(acknowledged_by__isnull=True, acknowledged_at__isnull=True, note="")
_READ = Q(acknowledged_by__isnull=False, acknowledged_at__isnull=False) & ~Q(note="")
_UNDONE = Q(resolved_by__isnull=True, resolved_at__isnull=True, reason="", false_positive__isnull=True)
_DONE = Q(resolved_by__isnull=False, resolved_at__isnull=False, false_positive__isnull=False) & ~Q(reason="")


class Finding(models.Model):
    """One cause for alarm: found once, counted as often as it is seen again.

    Only one finding of a cause is not resolved at any time. A resolved one stays as it is; the same
    cause with other evidence opens a new one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="findings")
    code = models.CharField(max_length=60)
    severity = models.CharField(max_length=10, choices=[(value, value.capitalize()) for value in _SEVERITIES])
    cause = models.CharField(max_length=400)
    stream = models.CharField(max_length=100, blank=True)
    seq = models.BigIntegerField(null=True, blank=True)
    session_id = models.UUIDField(null=True, blank=True)
    round_id = models.UUIDField(null=True, blank=True)
    gaming_day = models.DateField(null=True, blank=True)
    counter = models.PositiveIntegerField(default=1)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    status = models.CharField(max_length=12, choices=FindingStatus.choices, default=FindingStatus.OPEN)
    acknowledged_by = models.ForeignKey(
        Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)
    resolved_by = models.ForeignKey(Staff, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    resolved_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    false_positive = models.BooleanField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["casino", "cause"], condition=~Q(status="resolved"), name="one_open_finding_per_cause"
            ),
            models.CheckConstraint(
                condition=(Q(status="open") & _UNREAD & _UNDONE)
                | (Q(status="acknowledged") & _READ & _UNDONE)
                | (Q(status="resolved") & _READ & _DONE),
                name="finding_who_when_why",
            ),
            models.CheckConstraint(
                condition=Q(counter__gte=1, last_seen__gte=F("first_seen")), name="finding_seen"
            ),
            models.CheckConstraint(condition=Q(severity__in=_SEVERITIES), name="finding_severity"),
        ]
        indexes = [
            models.Index(fields=["casino", "cause"], name="finding_cause"),
            models.Index(fields=["casino", "first_seen", "id"], name="finding_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.stream}{f'/{self.seq}' if self.seq else ''}"


class Evidence(models.Model):
    """What a finding rests on; each different sight of it is a row, and rows are only ever added."""

    id = models.BigAutoField(primary_key=True)
    finding = models.ForeignKey(Finding, on_delete=models.PROTECT, related_name="evidence")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the canonical body.")
    body = models.JSONField()
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "evidence"
        constraints = [models.UniqueConstraint(fields=["finding", "digest"], name="evidence_once")]

    def __str__(self) -> str:
        return f"Evidence of {self.seen_at:%Y-%m-%d %H:%M}"


class Explanation(models.Model):
    """What somebody says how a finding came about; rows are only ever added, whatever its status."""

    id = models.BigAutoField(primary_key=True)
    finding = models.ForeignKey(Finding, on_delete=models.PROTECT, related_name="explanations")
    by = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    text = models.CharField(max_length=500)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="explanation_says_something")]

    def __str__(self) -> str:
        return f"Explanation of {self.at:%Y-%m-%d %H:%M}"


class SessionReconciliation(models.Model):
    """T, B and U of a closed session with everything they were made of, as the journal has it.

    A projection: whoever reconciles again gets the same row. Amounts in minor units; what is not known
    before the drop is counted is null, never zero.
    """

    session = models.OneToOneField(
        TableSession, on_delete=models.PROTECT, primary_key=True, related_name="reconciliation"
    )
    opened_seq = models.BigIntegerField()
    closed_seq = models.BigIntegerField()
    entries = models.BigIntegerField()
    movements = models.BigIntegerField()
    carried = models.BigIntegerField(help_text="What the last closer and fills since left in the tray.")
    opener = models.BigIntegerField()
    fills = models.BigIntegerField()
    credits = models.BigIntegerField()
    closer = models.BigIntegerField()
    rounds_result = models.BigIntegerField(help_text="R, what the rounds won as they were paid.")
    other_tray_moves = models.BigIntegerField()
    insertions = models.BigIntegerField(help_text="Cash recorded as put into the box.")
    drop = models.BigIntegerField(null=True)
    tray = models.BigIntegerField("T")
    box = models.BigIntegerField("B", null=True)
    unexplained = models.BigIntegerField("U", null=True)
    win = models.BigIntegerField(null=True)
    win_state = models.CharField(max_length=12)
    checked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(drop__isnull=True, box__isnull=True, unexplained__isnull=True)
                | Q(drop__isnull=False, box__isnull=False, unexplained=F("tray") + F("box")),
                name="reconciliation_u_is_t_plus_b",
            ),
        ]

    def __str__(self) -> str:
        return f"Reconciliation of {self.session}"

    @property
    def opener_difference(self) -> int:
        """Opener less what the last closer left."""
        return self.opener - self.carried


class SessionPlay(models.Model):
    """How far a session's play was worked out: its pieces are those of the entries up to `through`."""

    session = models.OneToOneField(
        TableSession, on_delete=models.PROTECT, primary_key=True, related_name="play"
    )
    through = models.BigIntegerField(help_text="Number of the last entry looked at.")
    worked_out_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Play of {self.session}"


class PlayPiece(models.Model):
    """A round, or what changed a session's sums between rounds (`audit.pieces`); a projection of the journal.

    Amounts in minor units. What the house could expect is `best` and `actual` (under the decisions taken),
    each over the denominator `ways`; all three are null where it does not bank, or where nothing counts.
    """

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(SessionPlay, on_delete=models.PROTECT, related_name="pieces")
    seq = models.BigIntegerField(help_text="The entry that decided it.")
    at = models.DateTimeField()
    shift = models.PositiveSmallIntegerField()
    dealer = models.UUIDField(null=True)
    round = models.UUIDField(null=True)
    rounds = models.SmallIntegerField()
    voided = models.SmallIntegerField()
    handle = models.BigIntegerField()
    result = models.BigIntegerField(help_text="R, what the house won by it as it was paid.")
    ways = models.BigIntegerField(null=True)
    best = models.DecimalField(max_digits=40, decimal_places=0, null=True)
    actual = models.DecimalField(max_digits=40, decimal_places=0, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="one_piece_per_entry"),
            models.CheckConstraint(condition=Q(shift__gte=1, shift__lte=3), name="piece_shift"),
            models.CheckConstraint(
                condition=Q(ways__isnull=True, best__isnull=True, actual__isnull=True)
                | Q(ways__gt=0, best__isnull=False, actual__isnull=False),
                name="piece_theory_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"Piece {self.seq}"


class GamingDayCheck(models.Model):
    """One casino's gaming day, re-settled after its roll-over; re-done when a session closed late."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="day_checks")
    gaming_day = models.DateField()
    requested_at = models.DateTimeField(help_text="What was closed by then is covered.")
    finished_at = models.DateTimeField(null=True)
    rounds = models.PositiveIntegerField(null=True)
    findings = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["casino", "gaming_day"], name="one_check_per_day")]

    def __str__(self) -> str:
        return f"Check of {self.gaming_day}"


class ExportKind(models.TextChoices):
    """What an export is of."""

    ROUNDS = "rounds", "Round histories"
    BUNDLE = "bundle", "Bundle to verify"


class ExportForm(models.TextChoices):
    """What file an export is."""

    CSV = "csv", "CSV"
    JSONL = "jsonl", "JSON lines"
    PARQUET = "parquet", "Parquet"
    XLSX = "xlsx", "Workbook"
    ZIP = "zip", "Bundle"


class ExportStatus(models.TextChoices):
    """Where an export stands. One that failed is tried again, unless its error says that it is no use."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class ExportDestination(models.TextChoices):
    """Where a scheduled export goes; the addresses of both are the environment's to say."""

    FOLDER = "folder", "Folder of this installation"
    STORE = "store", "Object store"


FOLDER_NAME = r"^[a-z0-9][a-z0-9_-]{0,39}$"
ROUND_FORMS = [form for form in ExportForm if form != ExportForm.ZIP]


class ExportSchedule(models.Model):
    """Round histories that are exported of each gaming day, and where to.

    After the closing of the day, or at an hour of the casino's wall clock for the day that ended last. One
    that was ended stays for the exports it made.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="export_schedules")
    made_by = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    filter = models.JSONField(help_text="Which rows, without the gaming day.")
    form = models.CharField(max_length=8, choices=[(form.value, form.label) for form in ROUND_FORMS])
    hour = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Empty: when the day is closed.")
    destination = models.CharField(max_length=8, choices=ExportDestination.choices)
    folder = models.CharField(max_length=40, help_text="Folder below the destination.")
    active = models.BooleanField(default=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    last_day = models.DateField(null=True, blank=True, help_text="The last gaming day that was exported.")
    last_run_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(hour__isnull=True) | Q(hour__lte=23), name="schedule_hour"),
            models.CheckConstraint(condition=Q(form__in=ROUND_FORMS), name="schedule_form"),
            models.CheckConstraint(
                condition=Q(destination__in=ExportDestination.values), name="schedule_destination"
            ),
            models.CheckConstraint(condition=Q(folder__regex=FOLDER_NAME), name="schedule_folder"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(active=False), name="schedule_ended_rests"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_form_display()} to {self.destination} {self.folder}"


class ExportJob(models.Model):
    """A file somebody asked for, or a schedule: from the asking to the file's removal.

    The row stays when the file is gone: it says who took what out of the house.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    casino = models.ForeignKey(Casino, on_delete=models.PROTECT, related_name="export_jobs")
    asked_by = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=ExportKind.choices)
    about = models.JSONField(help_text="The filter of round histories, or what a bundle is of.")
    form = models.CharField(max_length=8, choices=ExportForm.choices)
    schedule = models.ForeignKey(
        ExportSchedule, on_delete=models.PROTECT, null=True, blank=True, related_name="jobs"
    )
    gaming_day = models.DateField(null=True, blank=True, help_text="The day a schedule exports.")
    status = models.CharField(max_length=10, choices=ExportStatus.choices, default=ExportStatus.QUEUED)
    progress_done = models.BigIntegerField(default=0)
    progress_total = models.BigIntegerField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=60, blank=True, help_text="Why it failed, as a stable code.")
    file_name = models.CharField(max_length=120)
    size = models.BigIntegerField(null=True, blank=True, help_text="Bytes.")
    sha256 = models.CharField(max_length=64, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="When the file is removed.")
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="bundle", form="zip") | Q(kind="rounds", form__in=ROUND_FORMS),
                name="export_form_of_kind",
            ),
            models.CheckConstraint(
                condition=Q(status="queued", started_at__isnull=True, finished_at__isnull=True, error="")
                | Q(status="running", started_at__isnull=False, finished_at__isnull=True, error="")
                | Q(status="done", started_at__isnull=False, finished_at__isnull=False, error="")
                | (Q(status="failed", started_at__isnull=False, finished_at__isnull=False) & ~Q(error=""))
                | Q(status="cancelled", finished_at__isnull=False, error=""),
                name="export_status_when_why",
            ),
            models.CheckConstraint(
                condition=~Q(status="done")
                | (Q(size__isnull=False, expires_at__isnull=False) & ~Q(sha256="")),
                name="export_done_has_file",
            ),
            models.CheckConstraint(
                condition=Q(size__isnull=True, sha256="") | (Q(size__gte=0) & ~Q(sha256="")),
                name="export_file_whole",
            ),
            models.CheckConstraint(
                condition=Q(progress_done__gte=0)
                & (Q(progress_total__isnull=True) | Q(progress_total__gte=F("progress_done"))),
                name="export_progress",
            ),
            models.CheckConstraint(
                condition=Q(schedule__isnull=True, gaming_day__isnull=True)
                | Q(schedule__isnull=False, gaming_day__isnull=False),
                name="export_scheduled_of_day",
            ),
            models.UniqueConstraint(fields=["schedule", "gaming_day"], name="export_once_per_day"),
        ]
        indexes = [
            models.Index(fields=["casino", "asked_at", "id"], name="export_in_order"),
            models.Index(fields=["casino", "started_at"], name="export_served"),  # whose turn it is
        ]

    def __str__(self) -> str:
        return self.file_name


class SavedFilter(models.Model):
    """A filter of round histories that somebody keeps under a name of their own."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    staff = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="saved_filters")
    name = models.SlugField(max_length=40)
    filter = models.JSONField()
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["staff", "name"], name="saved_filter_name")]

    def __str__(self) -> str:
        return self.name
