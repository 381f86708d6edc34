"""The tables of the house, and what goes on at each of them now."""

from collections.abc import Mapping, Sequence

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.selectors import balances
from tables.admin.acts import ActListAdmin
from tables.admin.base import attach, shown
from tables.admin.corrections import MispayForm
from tables.admin.freezes import FreezeForm, ReleaseForm
from tables.admin.markers import IssueForm
from tables.admin.promos import CollectForm
from tables.admin.rejects import TrayRejectForm
from tables.admin.setup import TableForm
from tables.admin.signed import AtTableAdmin
from tables.admin.slip_requests import CreditRequestForm, FillRequestForm
from tables.admin.table_life import RulesForm
from tables.admin.text import (
    anchor,
    balances_told,
    cards,
    entries_address,
    link,
    money,
    part,
    state,
    words,
)
from tables.admin.tokes import TokeBoxForm, TokeForm
from tables.engine.places import seat_place
from tables.models import Seat, Table
from tables.selectors.floor import TableNow, rules_changed, tables_now
from tables.selectors.views import is_card_room

ENTRIES_SHOWN = 25


@admin.register(Table)
class TableAdmin(AtTableAdmin, ActListAdmin):
    """Tables and what goes on there."""

    at_table = (
        *(FillRequestForm, CreditRequestForm, IssueForm, TokeForm, TokeBoxForm, CollectForm),
        *(TrayRejectForm, MispayForm, RulesForm, FreezeForm, ReleaseForm),
    )
    act = TableForm
    act_word = "put_up"
    list_display = (
        "code",
        "pit",
        "status",
        "session_number",
        "play",
        "dealer",
        "seats_taken",
        "tray_money",
        "last_action",
    )
    related = ("casino", "pit", "rules", "session", "shoe", "round")
    unread = ("shoe__sealed",)
    list_filter = ()
    ordering = ("pit__code", "code")
    search_fields = ("code",)
    fieldsets = (
        (
            "Now",
            {
                "fields": (
                    *("status", "frozen_why", "session_link", "play", "next_dealer", "dealer"),
                    *("tray_money", "last_action"),
                )
            },
        ),
        ("Seats", {"fields": ("seat_table",)}),
        ("Set-up", {"fields": ("pit", "rules_link", "changes", "card_source", "shoe_link", "id", "version")}),
        ("Journal", {"fields": ("entries_link", "balance_table")}),
    )

    def prepare(self, request: HttpRequest, rows: Sequence[Table]) -> None:
        """What is going on at these tables."""
        now = tables_now(rows)
        for row in rows:
            attach(row, now[row.id])

    @admin.display(description="status")
    def status(self, table: Table) -> SafeString:
        """Open or closed, as a word beside its sign."""
        return table_state(table)

    @admin.display(description="frozen")
    def frozen_why(self, table: Table) -> str:
        """Why nothing may happen there."""
        return table.frozen or "no"

    @admin.display(description="next to deal")
    def next_dealer(self, table: Table) -> str:
        """Which player deals or banks next, where players do."""
        if not is_card_room(table.rules):
            return "the house deals"
        return "not drawn yet" if table.button is None else f"seat {table.button}"

    @admin.display(description="session", ordering="session__number")
    def session_number(self, table: Table) -> SafeString | str:
        """The open session's number."""
        return link(table.session, table.session and table.session.number)

    @admin.display(description="session")
    def session_link(self, table: Table) -> SafeString | str:
        """The open session, with its gaming day."""
        session = table.session
        text = session and f"Session {session.number}, gaming day {session.gaming_day}"
        return link(session, text, nothing="none: the table is closed")

    @admin.display(description="round")
    def play(self, table: Table) -> SafeString | str:
        """The round in play: its number, its phase, its cards."""
        return play_of(table)

    @admin.display(description="dealer")
    def dealer(self, table: Table) -> SafeString | str:
        """Who is signed in at the table's terminal."""
        return link(_now(table).dealer, nothing="nobody signed in")

    @admin.display(description="seats taken")
    def seats_taken(self, table: Table) -> str:
        """How many of the seats are taken."""
        return f"{_now(table).occupied} of {table.rules.body['seats']}"

    @admin.display(description="tray")
    def tray_money(self, table: Table) -> SafeString:
        """Chips in the tray."""
        return money(_now(table).tray, table.casino.currency)

    @admin.display(description="last action")
    def last_action(self, table: Table) -> SafeString:
        """The last journal entry of the table."""
        now = _now(table)
        address = entries_address(table.stream, now.last_seq, now.last_seq)
        return part("last_action", now=now, address=address)

    @admin.display(description="rules")
    def rules_link(self, table: Table) -> SafeString | str:
        """The rule set in force."""
        return link(table.rules)

    @admin.display(description="changes of the rules")
    def changes(self, table: Table) -> SafeString:
        """The newest of them: when, from which to which, by whom, and why."""
        return part("rules_changed", rows=rules_changed(table))

    @admin.display(description="shoe")
    def shoe_link(self, table: Table) -> SafeString | str:
        """The shoe in play."""
        return link(table.shoe, nothing="none on the table")

    @admin.display(description="seats")
    def seat_table(self, table: Table) -> SafeString:
        """Who sits where, with the chips in front of them and on the layout."""
        lie = _balances(table)
        currency = table.casino.currency
        seats = [
            {
                "number": seat.number,
                "player": _sitter(seat),
                "since": seat.since,
                "chips": money(lie[seat_place(seat.number)], currency),
                "wager": _at_stake(lie, seat.number, currency),
            }
            for seat in Seat.objects.filter(table=table).select_related("player").order_by("number")
        ]
        return part("seats", seats=seats)

    @admin.display(description="entries")
    def entries_link(self, table: Table) -> SafeString:
        """The table's journal, from its end."""
        last = _now(table).last_seq
        first = max(1, last - ENTRIES_SHOWN + 1)
        address = entries_address(table.stream, first, last)
        return anchor(address, f"Entries {first} to {last}")

    @admin.display(description="balances")
    def balance_table(self, table: Table) -> SafeString:
        """The accounts of the table's stream."""
        return balances_told(_balances(table), table.casino.currency)


def _balances(table: Table) -> dict[str, int]:
    """The table's balances, read once for its page."""
    if "_balances" not in table.__dict__:
        table.__dict__["_balances"] = balances(table.stream)
    read: dict[str, int] = table.__dict__["_balances"]
    return read


def _now(table: Table) -> TableNow:
    now: TableNow = shown(table)
    return now


def table_state(table: Table) -> SafeString:
    """Open or closed, or frozen for now."""
    if table.frozen:
        return state("bad", "Frozen")
    return state("running", "Open") if table.session else state("off", "Closed")


def play_of(table: Table) -> SafeString | str:
    """The round in play at a table: its number, its phase, its cards."""
    running = table.round
    if running is None:
        return "none in play"
    number = link(running, f"Round {running.number}")
    board = running.state["cards"]
    return format_html("{}, {} {}", number, words(running.state["phase"]), cards(board) if board else "")


def _at_stake(lie: Mapping[str, int], seat: int, currency: str) -> SafeString:
    """What a seat has on the layout: chips, and currency where it bet any."""
    chips, cash = money(lie[f"wager:{seat}"], currency), lie.get(f"money:{seat}", 0)
    return format_html("{} and {} of currency", chips, money(cash, currency)) if cash else chips


def _sitter(seat: Seat) -> SafeString | str:
    if not seat.occupied:
        return "free"
    return link(seat.player, nothing="somebody unknown")
