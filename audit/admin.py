"""The audit in the admin site: findings to acknowledge and resolve, reconciliations and checks to read."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.dateformat import format as written
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from audit import admin_exports  # noqa: F401 (registers its own pages)
from audit.admin_prints import round_print, session_print, stiff_print
from audit.admin_reports import float_page, master_game_page, results_page
from audit.codes import Severity, meaning_of
from audit.models import Finding, FindingStatus, GamingDayCheck, SessionReconciliation
from audit.selectors.books import money_won
from audit.selectors.chips import chip_checks
from audit.services.findings import finding_acknowledge, finding_explain, finding_resolve
from tables.admin.acts import ActForm, RowActs
from tables.admin.base import HouseAdmin, attach, shown, viewer
from tables.admin.text import NOTHING, count_table, link, money, percent, pretty, state, status_shown
from tables.figures import WinState, gaming_day, table_win
from tables.models import Round, Staff, Table, TableSession
from tables.services.command import Command

TONES = {FindingStatus.OPEN: "bad", FindingStatus.ACKNOWLEDGED: "waiting", FindingStatus.RESOLVED: "done"}
GRAVITY = {Severity.NOTICE: "off", Severity.WARNING: "waiting", Severity.CRITICAL: "bad"}


class AcknowledgeForm(ActForm):
    """Take note of a finding."""

    operation = "finding.acknowledge"
    title = "Acknowledge this finding"
    lead = "It says that you are looking into it. The journal keeps who, when and the note."
    button = "Acknowledge"

    note = forms.CharField(max_length=500, widget=forms.Textarea(attrs={"rows": 3}))

    def perform(self, command: Command) -> str:
        """Acknowledge it."""
        assert self.object_id is not None, "the address names the finding"
        finding_acknowledge(finding_id=self.object_id, note=self.cleaned_data["note"], command=command)
        return "The finding was acknowledged."


class ResolveForm(ActForm):
    """Be done with a finding."""

    operation = "finding.resolve"
    title = "Resolve this finding"
    lead = "Say what it was and what came of it. The journal keeps it; the evidence stays."
    button = "Resolve"

    reason = forms.CharField(max_length=500, widget=forms.Textarea(attrs={"rows": 3}))
    false_positive = forms.BooleanField(
        required=False, label="False alarm", help_text="There was nothing wrong after all."
    )

    def perform(self, command: Command) -> str:
        """Resolve it."""
        assert self.object_id is not None, "the address names the finding"
        finding_resolve(
            finding_id=self.object_id,
            reason=self.cleaned_data["reason"],
            false_positive=self.cleaned_data["false_positive"],
            command=command,
        )
        return "The finding was resolved."


class ExplainForm(ActForm):
    """Say how a finding came about."""

    operation = "finding.explain"
    title = "Explain this finding"
    lead = "Say what you know of how it came about. It stays with the finding for good, and decides nothing."
    button = "Explain"

    text = forms.CharField(max_length=500, label="Explanation", widget=forms.Textarea(attrs={"rows": 3}))

    def perform(self, command: Command) -> str:
        """Explain it."""
        assert self.object_id is not None, "the address names the finding"
        finding_explain(finding_id=self.object_id, text=self.cleaned_data["text"], command=command)
        return "The explanation was attached."


@admin.register(Finding)
class FindingAdmin(RowActs):
    """Findings with their evidence; newest first."""

    of_row = {"acknowledge": AcknowledgeForm, "resolve": ResolveForm, "explain": ExplainForm}
    list_display = ("code", "gravity", "standing", "says", "place", "gaming_day", "counter", "last_seen")
    list_filter = ("status", "severity", "code")
    ordering = ("-last_seen", "pk")
    search_fields = ("code", "stream", "gaming_day")
    search_help_text = "A code, a stream or a gaming day"
    fieldsets = (
        (None, {"fields": ("code", "says", "gravity", "standing", "counter", "first_seen", "last_seen")}),
        ("Where", {"fields": ("place", "session_link", "round_link", "gaming_day")}),
        ("Evidence", {"fields": ("evidence_shown",)}),
        ("Explanations", {"fields": ("explanations_shown",)}),
        (
            "What people did",
            {
                "fields": (
                    *("acknowledged_by", "acknowledged_at", "note"),
                    *("resolved_by", "resolved_at", "reason", "false_positive"),
                )
            },
        ),
    )

    def makes_sense(self, word: str, row: Finding) -> bool:
        """One is acknowledged, then resolved; and may be explained at any time."""
        due = {"acknowledge": FindingStatus.OPEN, "resolve": FindingStatus.ACKNOWLEDGED}
        return due.get(word, row.status) == row.status

    def prepare(self, request: HttpRequest, rows: Sequence[Finding]) -> None:
        """What people call the tables: one statement however many findings there are."""
        tables = Table.objects.filter(casino=viewer(request).casino_id).values_list("pk", "code")
        codes = {f"table:{key}": code for key, code in tables}
        for row in rows:
            attach(row, codes.get(row.stream))

    def heading(self, finding: Finding) -> str:
        """What was found."""
        return f"{finding.code} {finding.stream}"

    @admin.display(description="severity", ordering="severity")
    def gravity(self, finding: Finding) -> SafeString:
        """How urgent it is, as a word beside its sign."""
        return state(GRAVITY[Severity(finding.severity)], Severity(finding.severity).value)

    @admin.display(description="status", ordering="status")
    def standing(self, finding: Finding) -> SafeString:
        """Where it stands, as a word beside its sign."""
        return status_shown(TONES, FindingStatus(finding.status))

    @admin.display(description="what it says")
    def says(self, finding: Finding) -> str:
        """The code in words."""
        return meaning_of(finding.code).text

    @admin.display(description="where")
    def place(self, finding: Finding) -> str:
        """Stream and entry, and the code of the table if it is one's."""
        place = f"{finding.stream} {finding.seq or ''}".strip() or NOTHING
        code = shown(finding)
        return f"{place} (table {code})" if code else place

    @admin.display(description="session")
    def session_link(self, finding: Finding) -> SafeString | str:
        """The session, if it still has a row."""
        return _link(TableSession.objects.select_related("table"), finding.session_id)

    @admin.display(description="round")
    def round_link(self, finding: Finding) -> SafeString | str:
        """The round, if it still has a row."""
        return _link(Round.objects.all(), finding.round_id)

    @admin.display(description="evidence")
    def evidence_shown(self, finding: Finding) -> SafeString:
        """Everything the finding rests on, oldest first."""
        rows = finding.evidence.order_by("seen_at")
        return format_html_join("", "<h3>{}</h3>{}", ((_at(row.seen_at), pretty(row.body)) for row in rows))

    @admin.display(description="explanations")
    def explanations_shown(self, finding: Finding) -> SafeString | str:
        """Who said what of it, oldest first."""
        rows = finding.explanations.select_related("by").order_by("id")
        said = ((_at(row.at), row.by, row.text) for row in rows)
        return format_html_join("", "<p>{}, {}: {}</p>", said) or NOTHING


def _at(moment: datetime) -> str:
    """A moment on the house's clock, as the lists write it."""
    return written(localtime(moment), "Y-m-d H:i:s")


def _link(rows: QuerySet[Any], key: UUID | None) -> SafeString | str:
    row = None if key is None else rows.filter(pk=key).first()
    return NOTHING if row is None else link(row)


def _currency(row: SessionReconciliation) -> str:
    return row.session.table.casino.currency


def _made_of(field: str, name: str) -> Callable[[Any, SessionReconciliation], SafeString]:
    """A column for one of the amounts a reconciliation was made of."""

    @admin.display(description=name)
    def shown(self: Any, row: SessionReconciliation) -> SafeString:
        return money(getattr(row, field), _currency(row), unknown="pending")

    return shown


@admin.register(SessionReconciliation)
class SessionReconciliationAdmin(HouseAdmin):
    """T, B and U of closed sessions, and what they were made of."""

    house = "session__table__casino"
    list_display = ("session", "day", "T", "B", "U", "win_money", "win_is", "checked_at")
    list_select_related = ("session__table__casino",)
    list_filter = ("win_state",)
    ordering = ("-session__gaming_day", "session__table__code", "-session__number")
    search_fields = ("session__table__code", "session__gaming_day")
    fieldsets = (
        (None, {"fields": ("session", "day", "T", "B", "U", "by_denomination", "checked_at")}),
        ("Win", {"fields": ("win_money", "win_is", "hold")}),
        (
            "Made of",
            {
                "fields": (
                    *("carried_money", "opener_money", "fills_money", "credits_money", "closer_money"),
                    *("result_money", "money_plays_money", "moves_money", "insertions_money", "drop_money"),
                )
            },
        ),
        ("Journal", {"fields": ("opened_seq", "closed_seq", "entries", "movements")}),
    )

    def heading(self, row: SessionReconciliation) -> str:
        """Which session."""
        return str(row)

    @admin.display(description="gaming day", ordering="session__gaming_day")
    def day(self, row: SessionReconciliation) -> str:
        """The session's gaming day."""
        return row.session.gaming_day.isoformat()

    @admin.display(description="T", ordering="tray")
    def T(self, row: SessionReconciliation) -> SafeString:  # noqa: N802 (the check's own name)
        """Counted tray less what went through it."""
        return _check(row, row.tray)

    @admin.display(description="B", ordering="box")
    def B(self, row: SessionReconciliation) -> SafeString:  # noqa: N802
        """Counted box less recorded insertions."""
        return _check(row, row.box)

    @admin.display(description="U", ordering="unexplained")
    def U(self, row: SessionReconciliation) -> SafeString:  # noqa: N802
        """Win less what the rounds won."""
        return _check(row, row.unexplained)

    @admin.display(description="T by denomination")
    def by_denomination(self, row: SessionReconciliation) -> SafeString | str:
        """Counted chips less those that went through; where not every movement carries them, that."""
        check = chip_checks([row.session]).get(row.session_id)
        if check is None or check.difference is None:
            first = check and check.by_value
            which = f" (the first that does not: entry {first.seq}, {first.kind})" if first else ""
            return f"not known: not every movement carries it{which}"
        if not check.difference:
            return state("done", "zero of each chip")
        return count_table(check.difference, _currency(row))

    carried_money = _made_of("carried", "left by the last closer, and fills since")
    opener_money = _made_of("opener", "opener")
    fills_money = _made_of("fills", "fills")
    credits_money = _made_of("credits", "credits")
    closer_money = _made_of("closer", "closer")
    result_money = _made_of("rounds_result", "R, what rounds won")
    moves_money = _made_of("other_tray_moves", "other chips into the tray, less those out of it")
    insertions_money = _made_of("insertions", "insertions")
    drop_money = _made_of("drop", "drop")

    @admin.display(description="of R, money plays lost into the box")
    def money_plays_money(self, row: SessionReconciliation) -> SafeString:
        """What of R never went through the tray."""
        return money(money_won(row), _currency(row))

    @admin.display(description="win", ordering="win")
    def win_money(self, row: SessionReconciliation) -> SafeString:
        """The win."""
        return money(row.win, _currency(row), unknown="pending")

    @admin.display(description="win is", ordering="win_state")
    def win_is(self, row: SessionReconciliation) -> SafeString:
        """How much of it is known."""
        tone = "done" if row.win_state == WinState.RECONCILED else "waiting"
        return state(tone, row.win_state.capitalize())

    @admin.display(description="hold")
    def hold(self, row: SessionReconciliation) -> str:
        """Win by drop."""
        won = table_win(
            opener=row.opener, fills=row.fills, credits=row.credits, closer=row.closer, drop=row.drop
        )
        return percent(won.hold)


def _check(row: SessionReconciliation, amount: int | None) -> SafeString:
    """A check's amount with a sign for whether it is zero; pending before the drop is counted."""
    shown = money(amount, _currency(row), unknown="pending")
    tone = "waiting" if amount is None else "bad" if amount else "done"
    return format_html("{} {}", state(tone, {"bad": "off", "done": "zero"}.get(tone, "")), shown)


@admin.register(GamingDayCheck)
class GamingDayCheckAdmin(HouseAdmin):
    """Gaming days re-settled."""

    list_display = ("gaming_day", "requested_at", "finished_at", "rounds", "findings")
    ordering = ("-gaming_day",)
    fields = ("gaming_day", "requested_at", "finished_at", "rounds", "findings")

    def heading(self, row: GamingDayCheck) -> str:
        """Which day."""
        return str(row)

    def get_urls(self) -> list[URLPattern]:
        """The master game report of each day, and what is printed."""
        view = self.admin_site.admin_view(self.master_game_view)
        return [
            path("master-game/<day:day>/", view, name="audit_master_game"),
            path("results/", self.admin_site.admin_view(self.results_view), name="audit_results"),
            path("float/", self.admin_site.admin_view(self.float_view), name="audit_float"),
            *self._prints(),
            *super().get_urls(),
        ]

    def _prints(self) -> list[URLPattern]:
        """The pages to print, of a round, a session and a day."""
        view = self.admin_site.admin_view
        return [
            path("round/<uuid:object_id>/print/", view(round_print), name="audit_round_print"),
            path("session/<uuid:object_id>/print/", view(session_print), name="audit_session_print"),
            path("stiff-sheets/<day:day>/print/", view(stiff_print), name="audit_stiff_print"),
        ]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """The report and the stiff sheets of the day that runs."""
        if person.casino is None:
            return []
        today = gaming_day(timezone.now(), person.casino.time_zone, person.casino.rollover_hour)
        return [
            (reverse("admin:audit_master_game", args=[today]), "Master game report of today"),
            (reverse("admin:audit_results"), "Results"),
            (reverse("admin:audit_float"), "Float"),
            (reverse("admin:audit_stiff_print", args=[today]), "Stiff sheets of today"),
        ]

    def row_acts(self, person: Staff, row: GamingDayCheck) -> list[tuple[str, str]]:
        """The report and the stiff sheets of this day."""
        return [
            (reverse("admin:audit_master_game", args=[row.gaming_day]), "Master game report"),
            (reverse("admin:audit_stiff_print", args=[row.gaming_day]), "Stiff sheets"),
        ]

    def results_view(self, request: HttpRequest) -> TemplateResponse:
        """The results of a period."""
        return results_page(self.admin_site, self.opts, request)

    def float_view(self, request: HttpRequest) -> TemplateResponse:
        """Where all chips are."""
        return float_page(self.admin_site, self.opts, request)

    def master_game_view(self, request: HttpRequest, day: date) -> TemplateResponse:
        """The master game report."""
        return master_game_page(self.admin_site, self.opts, request, day)
