"""Table sessions: opener, closer, drop, and the win with how much of it is known."""

from collections.abc import Sequence

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tables.admin.base import attach, printed, shown, table_filter
from tables.admin.corrections import corrections_between, corrections_table
from tables.admin.signed import AtTableAdmin
from tables.admin.table_life import ReopenForm
from tables.admin.text import (
    NOTHING,
    anchor,
    count_table,
    counted_text,
    entries_address,
    link,
    money,
    part,
    percent,
    state,
    status_shown,
)
from tables.figures import WinState
from tables.models import Countersignature, SessionStatus, Staff, TableSession
from tables.selectors.figures import SessionFigures, session_figures

WHY = {
    WinState.PENDING: "the closer is not counted yet",
    WinState.PROVISIONAL: "the drop is estimated from what was recorded as put into the box",
    WinState.COUNTED: "opener, closer and drop are counted",
}
TONES = {SessionStatus.OPEN: "running", SessionStatus.CLOSED: "waiting", SessionStatus.COUNTED: "done"}


@admin.register(TableSession)
class TableSessionAdmin(AtTableAdmin):
    """Sessions with their figures; what is not known yet is said to be, never shown as zero."""

    house = "table__casino"
    at_table = (ReopenForm,)
    list_display = (
        "name",
        "gaming_day",
        "standing",
        "opener_money",
        "fills_money",
        "closer_money",
        "drop_money",
        "win_state",
        "win_money",
        "hold_percent",
    )
    related = ("table__casino",)
    list_filter = (table_filter("table"), "status")
    list_per_page = 25
    date_hierarchy = None
    ordering = ("-gaming_day", "table__code", "-number")
    search_fields = ("table__code", "gaming_day")
    search_help_text = "A table's code or a gaming day, for example 2026-11-30"
    fieldsets = (
        (None, {"fields": ("table_link", "number", "gaming_day", "standing", "opened_at", "closed_at")}),
        (
            "Figures",
            {
                "fields": (
                    "opener_money",
                    "fills_money",
                    "credits_money",
                    "closer_money",
                    "insertions_money",
                    "drop_money",
                    "win_state_told",
                    "win_money",
                    "hold_percent",
                )
            },
        ),
        ("Counts", {"fields": ("opener_count", "closer_count", "drop_notes", "counted_at")}),
        (
            "What happened",
            {
                "fields": (
                    *("rounds_link", "stints_link", "entries_link"),
                    *("corrections", "signatures", "id"),
                )
            },
        ),
    )

    def heading(self, session: TableSession) -> str:
        """Which session of which table."""
        return f"Session {session.number} at table {session.table.code}"

    def row_acts(self, person: Staff, row: TableSession) -> list[tuple[str, str]]:
        """The corrections, and the page to print."""
        return [*super().row_acts(person, row), *printed(person, row)]

    def prepare(self, request: HttpRequest, rows: Sequence[TableSession]) -> None:
        """The figures of these sessions."""
        figures = session_figures(rows)
        for row in rows:
            attach(row, figures[row.id])

    @admin.display(description="session", ordering="table__code")
    def name(self, session: TableSession) -> str:
        """Table and number."""
        return f"{session.table.code} / {session.number}"

    @admin.display(description="table")
    def table_link(self, session: TableSession) -> SafeString | str:
        """The table."""
        return link(session.table)

    @admin.display(description="status", ordering="status")
    def standing(self, session: TableSession) -> SafeString:
        """Where the session stands, as words beside their sign."""
        return status_shown(TONES, SessionStatus(session.status))

    @admin.display(description="opener", ordering="opener_total")
    def opener_money(self, session: TableSession) -> SafeString:
        """The counted opener."""
        return money(session.opener_total, _currency(session))

    @admin.display(description="fills")
    def fills_money(self, session: TableSession) -> SafeString:
        """Chips received from the cage."""
        return money(_figures(session).fills, _currency(session))

    @admin.display(description="credits")
    def credits_money(self, session: TableSession) -> SafeString:
        """Chips sent back to the cage."""
        return money(_figures(session).credits, _currency(session))

    @admin.display(description="closer", ordering="closer_total")
    def closer_money(self, session: TableSession) -> SafeString:
        """The counted closer."""
        return money(session.closer_total, _currency(session), unknown="not counted")

    @admin.display(description="recorded insertions")
    def insertions_money(self, session: TableSession) -> SafeString:
        """Cash recorded as put into the drop box."""
        return money(_figures(session).insertions, _currency(session))

    @admin.display(description="drop", ordering="drop_total")
    def drop_money(self, session: TableSession) -> SafeString:
        """The counted drop."""
        return money(session.drop_total, _currency(session), unknown="not counted")

    @admin.display(description="win is")
    def win_state(self, session: TableSession) -> SafeString:
        """How much of the win is known."""
        known = _figures(session).win.state
        return state("done" if known == WinState.COUNTED else "waiting", known.capitalize())

    @admin.display(description="win is")
    def win_state_told(self, session: TableSession) -> SafeString:
        """How much of the win is known, and why."""
        return format_html("{} ({})", self.win_state(session), WHY[_figures(session).win.state])

    @admin.display(description="win")
    def win_money(self, session: TableSession) -> SafeString | str:
        """The win, or that it is pending."""
        win = _figures(session).win
        return "pending" if win.win is None else money(win.win, _currency(session))

    @admin.display(description="hold")
    def hold_percent(self, session: TableSession) -> str:
        """Win by drop; a dash where the drop is nothing, pending where the win is."""
        win = _figures(session).win
        return "pending" if win.win is None else percent(win.hold)

    @admin.display(description="opener")
    def opener_count(self, session: TableSession) -> SafeString | str:
        """The opener by denomination."""
        return count_table(session.opener, _currency(session))

    @admin.display(description="closer")
    def closer_count(self, session: TableSession) -> SafeString | str:
        """The closer by denomination."""
        return count_table(session.closer, _currency(session))

    @admin.display(description="drop")
    def drop_notes(self, session: TableSession) -> SafeString | str:
        """The drop by notes and coins."""
        return count_table(session.drop_count, _currency(session))

    @admin.display(description="rounds")
    def rounds_link(self, session: TableSession) -> SafeString:
        """The rounds played."""
        address = f"{reverse('admin:tables_round_changelist')}?session__id__exact={session.pk}"
        return anchor(address, counted_text(session.rounds.count(), "round"))

    @admin.display(description="stints")
    def stints_link(self, session: TableSession) -> SafeString:
        """The stints of its dealers."""
        address = f"{reverse('admin:tables_stint_changelist')}?session__id__exact={session.pk}"
        return anchor(address, counted_text(session.stints.count(), "stint"))

    @admin.display(description="journal")
    def entries_link(self, session: TableSession) -> SafeString:
        """The entries from opening to closing."""
        if session.closed_seq is None:
            text, last = f"Entries from {session.opened_seq} on", 2**53
        else:
            text, last = f"Entries {session.opened_seq} to {session.closed_seq}", session.closed_seq
        return anchor(entries_address(session.table.stream, session.opened_seq, last), text)

    @admin.display(description="corrections")
    def corrections(self, session: TableSession) -> SafeString | str:
        """What was corrected while it was open, whenever that had happened."""
        last = 2**53 if session.closed_seq is None else session.closed_seq
        made = corrections_between(session.table.stream, session.opened_seq, last)
        return corrections_table(session.table.stream, made)

    @admin.display(description="signatures")
    def signatures(self, session: TableSession) -> SafeString | str:
        """Who signed the opening and the closing."""
        ends = [seq for seq in (session.opened_seq, session.closed_seq) if seq is not None]
        signed = Countersignature.objects.filter(stream=session.table.stream, seq__in=ends).order_by("seq")
        rows = list(signed.select_related("first", "second"))
        return part("signatures", rows=rows) if rows else NOTHING


def _figures(session: TableSession) -> SessionFigures:
    figures: SessionFigures = shown(session)
    return figures


def _currency(session: TableSession) -> str:
    return session.table.casino.currency
