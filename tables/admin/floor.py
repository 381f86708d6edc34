"""The house: its pits, rule sets and tables, and what goes on at each table now."""

from collections.abc import Mapping, Sequence

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.selectors import balances
from tables.admin.acts import ActListAdmin, act_view
from tables.admin.base import HouseAdmin, attach, shown
from tables.admin.card_room import BankForm, PoolForm, limits_told
from tables.admin.corrections import MispayForm
from tables.admin.freezes import FreezeForm, ReleaseForm
from tables.admin.markers import IssueForm
from tables.admin.profiles import profile_table
from tables.admin.promos import CollectForm
from tables.admin.rejects import TrayRejectForm
from tables.admin.setup import PitForm, ProfileForm, RuleSetForm, TableForm
from tables.admin.signed import AtTableAdmin
from tables.admin.slip_requests import CreditRequestForm, FillRequestForm
from tables.admin.table_life import RulesForm
from tables.admin.text import (
    amount_text,
    anchor,
    cards,
    entries_address,
    link,
    money,
    part,
    pretty,
    state,
    words,
)
from tables.admin.tokes import TokeBoxForm, TokeForm
from tables.engine.places import seat_place
from tables.models import Cage, Casino, Pit, RuleSet, Seat, Staff, Table
from tables.selectors.floor import TableNow, rules_changed, tables_now
from tables.selectors.jurisdiction import profile_now
from tables.selectors.views import is_card_room
from tables.services.permissions import allowed

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
        return _balance_table(table.casino, _balances(table))


def _balances(table: Table) -> dict[str, int]:
    """The table's balances, read once for its page."""
    if "_balances" not in table.__dict__:
        table.__dict__["_balances"] = balances(table.stream)
    read: dict[str, int] = table.__dict__["_balances"]
    return read


def _balance_table(
    casino: Casino, held: Mapping[str, int], codes: Mapping[str, str] | None = None
) -> SafeString:
    """The accounts that are not at zero, tables by their codes; how many others there are."""
    named = {name: f"table {code}" for name, code in (codes or {}).items()}
    rows = [
        (named.get(name, name), money(amount, casino.currency)) for name, amount in held.items() if amount
    ]
    return part("balances", rows=rows, others=len(held) - len(rows))


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


@admin.register(Casino)
class CasinoAdmin(ActListAdmin):
    """The viewer's casino."""

    act = ProfileForm
    act_word = "choose_profile"
    house = "pk"
    related = ("cage",)
    list_display = ("name", "code", "currency", "time_zone", "rollover_hour")
    fields = (
        *("name", "code", "currency", "time_zone", "rollover_hour", "chip_values", "cage_link", "id"),
        *("profile_chosen", "profile_history", "profile_told", "profile_text"),
    )

    @admin.display(description="chips in use")
    def chip_values(self, casino: Casino) -> str:
        """The values of the house's chips."""
        values = ", ".join(amount_text(value, casino.currency) for value in casino.denominations)
        return f"{values} {casino.currency}"

    @admin.display(description="jurisdiction profile")
    def profile_chosen(self, casino: Casino) -> str:
        """The profile in force on the gaming day that runs."""
        profile = profile_now(casino)
        return f"{profile.title} v{profile.version}"

    @admin.display(description="profiles chosen")
    def profile_history(self, casino: Casino) -> str:
        """Every choice, and from which gaming day on."""
        return ", ".join(f"{kept['name']} v{kept['version']} from {kept['from']}" for kept in casino.profiles)

    @admin.display(description="what it asks for")
    def profile_told(self, casino: Casino) -> SafeString:
        """Its thresholds in the house's currency, its periods, and who signs what as the second."""
        return profile_table(profile_now(casino), casino.currency)

    @admin.display(description="the whole of it, amounts in minor units")
    def profile_text(self, casino: Casino) -> SafeString:
        """The whole profile, with the rule each figure comes from."""
        return pretty(profile_now(casino).as_json)

    @admin.display(description="cage")
    def cage_link(self, casino: Casino) -> SafeString | str:
        """The casino's cage."""
        return link(casino.cage)


@admin.register(Cage)
class CageAdmin(HouseAdmin):
    """The cage: what is in the vault and the drawer."""

    list_display = ("name", "next_fill_number", "next_credit_number")
    related = ("casino",)
    fields = ("name", "next_fill_number", "next_credit_number", "version", "balance_table")

    def heading(self, cage: Cage) -> str:
        """Whose cage it is."""
        return self.name(cage)

    @admin.display(description="cage")
    def name(self, cage: Cage) -> str:
        """Whose cage it is."""
        return str(cage)

    @admin.display(description="balances")
    def balance_table(self, cage: Cage) -> SafeString:
        """The accounts of the cage's stream."""
        codes = {f"table:{table.id}": table.code for table in Table.objects.filter(casino=cage.casino_id)}
        return _balance_table(cage.casino, balances(cage.stream), codes)


@admin.register(Pit)
class PitAdmin(ActListAdmin):
    """Pits and their tables."""

    act = PitForm
    act_word = "create"
    list_display = ("code",)
    ordering = ("code",)
    fields = ("code", "tables_here")

    @admin.display(description="tables")
    def tables_here(self, pit: Pit) -> SafeString:
        """The tables of this pit."""
        return part("links", links=[link(table) for table in pit.tables.order_by("code")])


@admin.register(RuleSet)
class RuleSetAdmin(ActListAdmin):
    """Rule sets: every version that was ever released."""

    act = RuleSetForm
    act_word = "release"
    other_games = (
        ("release_pool", "tables_ruleset_release_pool", PoolForm),
        ("release_bank", "tables_ruleset_release_bank", BankForm),
    )
    list_display = ("name", "version", "game", "limits_money", "packs", "created_at")
    related = ("casino",)
    ordering = ("name", "-version")
    search_fields = ("name",)
    fieldsets = (
        (None, {"fields": ("name", "version", "game", "created_at", "limits_money", "pay_table")}),
        ("As the engine reads it", {"fields": ("body_text", "digest", "id")}),
    )

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, and one to release a rule set of each kind of game."""
        pages = [path(f"{word}/", act_view(self, form), name=name) for word, name, form in self.other_games]
        return [*pages, *super().get_urls()]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """A release for each kind of game, to those who may."""
        if not allowed(RuleSetForm.operation, person.role, None):
            return []
        others = [(reverse(f"admin:{name}"), form.title) for _, name, form in self.other_games]
        return [*super().list_acts(person), *others]

    @admin.display(description="bets")
    def limits_money(self, rules: RuleSet) -> str:
        """The lowest and the highest bet; the ante, or the bank, where players play each other."""
        if is_card_room(rules):
            return limits_told(rules)
        currency = rules.casino.currency
        low, high = (amount_text(rules.body[key], currency) for key in ("min_bet", "max_bet"))
        return f"{low} to {high} {currency}"

    @admin.display(description="packs")
    def packs(self, rules: RuleSet) -> int:
        """How many packs the shoe has."""
        return int(rules.body["packs"])

    @admin.display(description="pay table")
    def pay_table(self, rules: RuleSet) -> SafeString | str:
        """What each spread pays, to 1."""
        if is_card_room(rules):
            return "none: players win from each other"
        return part("pay_table", odds=rules.body["pay_table"].items())

    @admin.display(description="rules")
    def body_text(self, rules: RuleSet) -> SafeString:
        """The whole rule set."""
        return pretty(rules.body)
