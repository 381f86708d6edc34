"""Rounds and shoes: the cards as they lay, the wagers, what was paid, and where the journal says so."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.models import Entry
from tables.admin import card_room
from tables.admin.acts import act_view
from tables.admin.base import HouseAdmin, printed, table_filter
from tables.admin.corrections import PhysicalForm, corrections_of, corrections_table
from tables.admin.signed import AtTableAdmin
from tables.admin.table_life import CancelForm
from tables.admin.text import NOTHING, anchor, cards, entries_address, link, money, part, status_shown, words
from tables.engine.shoe import Shoe as Cards
from tables.models import Player, Round, RoundStatus, Shoe, Staff
from tables.selectors.people import names_of
from tables.selectors.round_results import house_result, staked
from tables.selectors.views import is_card_room
from tables.services.permissions import allowed

OUTCOMES = {
    "consecutive": ("Push", "consecutive cards, no third card"),
    "pair_push": ("Push", "a pair, the third card differs"),
    "trips": ("Trips", "three of a kind"),
    "win": ("Win", "the third card lies between"),
    "lose": ("Lose", "the third card does not lie between"),
    "void": ("Void", "stakes went back"),
    None: ("Undecided", "the cards have not decided yet"),
}
TONES = {
    RoundStatus.IN_PROGRESS: "running",
    RoundStatus.COMPLETE: "done",
    RoundStatus.CANCELLED: "bad",
}
ENTRIES_SHOWN = 60


@admin.register(Round)
class RoundAdmin(AtTableAdmin):
    """Rounds: a page per round shows all of it."""

    at_table = (PhysicalForm, CancelForm)
    house = "table__casino"
    list_display = (
        "name",
        "started_at",
        "standing",
        "board",
        "outcome",
        "staked_money",
        "result_money",
        "dealer",
    )
    related = ("table__casino", "session", "dealer", "shoe", "rules")
    unread = ("shoe__sealed",)
    list_filter = (table_filter("table"), "status")
    ordering = ("-started_at", "-number")
    search_fields = ("table__code",)
    fieldsets = (
        (None, {"fields": ("board", "spread", "outcome_told", "standing", "remarks")}),
        ("Seats", {"fields": ("wager_table",)}),
        ("Journal", {"fields": ("entry_table", "entries_link", "corrections")}),
        (
            "Where and when",
            {
                "fields": (
                    "table_link",
                    "session_link",
                    "number",
                    "by",
                    "started_at",
                    "ended_at",
                    "shoe_link",
                    "rules_link",
                    "engine",
                    "id",
                )
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Round | None = None) -> Any:
        """A round of a card-room game is told by its turns and its players."""
        usual = super().get_fieldsets(request, obj)
        if obj is None or not is_card_room(obj.rules):
            return usual
        return (*card_room.FIELDSETS, *usual[2:])

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, and the one to look at a hand."""
        look = act_view(self, card_room.LookForm)
        return [path("<uuid:object_id>/look/", look, name="tables_round_look"), *super().get_urls()]

    def row_acts(self, person: Staff, row: Round) -> list[tuple[str, str]]:
        """Surveillance and auditors look at hands that were laid down unseen; it may be printed."""
        acts = super().row_acts(person, row)
        if card_room.can_be_looked_at(row) and allowed(card_room.LookForm.operation, person.role, None):
            acts = [*acts, (reverse("admin:tables_round_look", args=[row.pk]), card_room.LookForm.title)]
        return [*acts, *printed(person, row)]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """A session's page links to its rounds."""
        return lookup == "session__id__exact" or super().lookup_allowed(lookup, value, request)

    def heading(self, played: Round) -> str:
        """Which round of which session at which table."""
        return f"Round {played.number}, session {played.session.number} at table {played.table.code}"

    @admin.display(description="round", ordering="number")
    def name(self, played: Round) -> str:
        """Table, session and number."""
        return f"{played.table.code} / {played.session.number} / {played.number}"

    @admin.display(description="status", ordering="status")
    def standing(self, played: Round) -> SafeString:
        """The round's status, and what it waits for."""
        phase = f": {words(played.state['phase'])}" if played.status == RoundStatus.IN_PROGRESS else ""
        return status_shown(TONES, RoundStatus(played.status), phase)

    @admin.display(description="cards")
    def board(self, played: Round) -> SafeString:
        """The board in the order dealt."""
        return cards(played.state["cards"])

    @admin.display(description="spread")
    def spread(self, played: Round) -> str:
        """The spread, and what the dealer announced."""
        spread, announced = played.state["spread"], played.state["announced"]
        if spread is None:
            return NOTHING
        said = "not announced" if announced is None else f"announced {announced}"
        return f"{spread} ({said})"

    @admin.display(description="outcome")
    def outcome(self, played: Round) -> str:
        """How the cards decided, for the players."""
        if is_card_room(played.rules):
            return card_room.OUTCOMES[played.state["outcome"]]
        return OUTCOMES[played.state["outcome"]][0]

    @admin.display(description="outcome")
    def outcome_told(self, played: Round) -> str:
        """How the cards decided, and why."""
        if is_card_room(played.rules):
            return card_room.OUTCOMES[played.state["outcome"]]
        return "{}: {}".format(*OUTCOMES[played.state["outcome"]])

    @admin.display(description="remarks")
    def remarks(self, played: Round) -> SafeString | str:
        """Irregularities, as far as there were any."""
        if is_card_room(played.rules):
            told = [*card_room.remarks_on(played), *_cancelled(played)]
            return part("remarks", said=told) if told else "none"
        facts = played.state
        said = []
        if facts["misannounced"]:
            said.append("a wrong spread was announced")
        if facts["raise_test_excluded"]:
            said.append("the third card was seen before the raises were closed")
        if facts["void_reason"]:
            said.append(f"void: {words(facts['void_reason'])}")
        if played.corrected_state:
            lay, outcome = played.corrected_state["cards"], OUTCOMES[played.corrected_state["outcome"]][0]
            said.append(f"corrected by entry {played.corrected_seq}: {' '.join(lay)} lay ({outcome})")
        said += _cancelled(played)
        burnt = cards(facts["burnt"]) if facts["burnt"] else None
        return part("remarks", said=said, burnt=burnt) if said or burnt else "none"

    @admin.display(description="staked")
    def staked_money(self, played: Round) -> SafeString:
        """All bets and raises."""
        return money(staked(played), played.table.casino.currency)

    @admin.display(description="house result")
    def result_money(self, played: Round) -> SafeString | str:
        """What the house won (a minus: lost); pending until it was settled."""
        return money(house_result(played), played.table.casino.currency, unknown="pending")

    @admin.display(description="wagers and results")
    def wager_table(self, played: Round) -> SafeString:
        """What each seat bet and raised, was paid, and has won or lost."""
        players = _players(played)
        settled = played.status != RoundStatus.IN_PROGRESS
        rows = [
            _wager(seat, bet, played, players.get(seat), settled)
            for seat, bet in sorted(played.state["bets"].items(), key=lambda item: int(item[0]))
        ]
        return part("wagers", rows=rows, settled=settled)

    @admin.display(description="pool or bank")
    def middle(self, played: Round) -> SafeString:
        """What the players play for."""
        return card_room.middle_told(played)

    @admin.display(description="cards face up")
    def faces(self, played: Round) -> SafeString:
        """The cards everybody saw, turn by turn."""
        return card_room.face_table(played)

    @admin.display(description="hands and results")
    def player_table(self, played: Round) -> SafeString:
        """What each player did; a hand is a number of cards, but for what was shown."""
        return card_room.player_rows(played, _players(played))

    @admin.display(description="entries")
    def entry_table(self, played: Round) -> SafeString:
        """The journal while the round was played, oldest first."""
        found = Entry.objects.filter(
            stream__name=played.table.stream, seq__gte=played.first_seq, seq__lte=played.last_seq
        ).order_by("seq")
        rows = list(found[:ENTRIES_SHOWN])
        names = names_of(entry.actor for entry in rows)
        return part("entries", rows=[(entry, link(entry, entry.seq), names[entry.actor]) for entry in rows])

    @admin.display(description="corrections")
    def corrections(self, played: Round) -> SafeString | str:
        """What corrected the round afterwards."""
        return corrections_table(played.table.stream, corrections_of(played))

    @admin.display(description="as a list")
    def entries_link(self, played: Round) -> SafeString:
        """The same entries in the journal's own list."""
        first, last = played.first_seq, played.last_seq
        address = entries_address(played.table.stream, first, last)
        return anchor(address, f"Journal entries {first} to {last}")

    @admin.display(description="dealer")
    def by(self, played: Round) -> SafeString | str:
        """Who dealt."""
        return link(played.dealer)

    @admin.display(description="table")
    def table_link(self, played: Round) -> SafeString | str:
        """The table."""
        return link(played.table)

    @admin.display(description="session")
    def session_link(self, played: Round) -> SafeString | str:
        """The session."""
        return link(played.session, f"Session {played.session.number}")

    @admin.display(description="shoe")
    def shoe_link(self, played: Round) -> SafeString | str:
        """The shoe it was dealt from."""
        return link(played.shoe)

    @admin.display(description="rules")
    def rules_link(self, played: Round) -> SafeString | str:
        """The rules it was played under."""
        return link(played.rules)

    @admin.display(description="engine")
    def engine(self, played: Round) -> str:
        """The engine that decided it."""
        return f"{words(played.game)}, version {played.engine_version}"


def _cancelled(played: Round) -> list[str]:
    """That a round was voided after it was over, if it was."""
    if played.cancelled_seq is None:
        return []
    return [f"voided after it was over, by entry {played.cancelled_seq}: its result does not count"]


def _players(played: Round) -> dict[str, Player]:
    known = [player for player in played.players.values() if player]
    found = Player.objects.in_bulk(known) if known else {}
    by_id = {str(key): player for key, player in found.items()}
    return {seat: by_id[player] for seat, player in played.players.items() if player in by_id}


def _wager(seat: str, bet: int, played: Round, player: Player | None, settled: bool) -> dict[str, Any]:
    currency = played.table.casino.currency
    raised = played.state["raises"].get(seat)
    toke, promo = (played.state.get(beside, {}).get(seat) for beside in ("tokes", "promos"))
    result = played.state["results"].get(seat) if settled else None
    return {
        "seat": seat,
        "player": link(player, nothing="somebody unknown"),
        "bet": _stake(bet, seat in played.state.get("money", {}), currency),
        "raised": _stake(raised, seat in played.state.get("money_raises", {}), currency),
        "toke": money(toke, currency),
        "promo": money(promo, currency),
        "paid": money(result["paid"] if result else None, currency),
        "net": money(result["net"] if result else None, currency),
        "word": _word(result),
    }


def _stake(amount: int | None, in_currency: bool, currency: str) -> SafeString:
    """A bet or raise, and whether it is currency and no chips."""
    return format_html("{}{}", money(amount, currency), " of currency" if in_currency else "")


def _word(result: dict[str, int] | None) -> str:
    if result is None:
        return "pending"
    if result["net"] == 0:
        return "stake back"
    return "won" if result["net"] > 0 else "lost"


@admin.register(Shoe)
class ShoeAdmin(HouseAdmin):
    """Shoes: how far they were dealt; never what is in them."""

    house = "table__casino"
    list_display = ("name", "source", "packs", "loaded_at", "retired_at", "dealt_count")
    related = ("table",)
    unread = ("sealed",)
    list_filter = (table_filter("table"), "source")
    ordering = ("-loaded_at", "-number")
    search_fields = ("table__code",)
    fields = (
        "table_link",
        "number",
        "source",
        "packs",
        "loaded_at",
        "retired_at",
        "dealt_count",
        "root",
        "id",
    )

    def heading(self, shoe: Shoe) -> str:
        """Which shoe of which table."""
        return f"Shoe {shoe.number} at table {shoe.table.code}"

    @admin.display(description="shoe", ordering="number")
    def name(self, shoe: Shoe) -> str:
        """Table and number."""
        return f"{shoe.table.code} / {shoe.number}"

    @admin.display(description="table")
    def table_link(self, shoe: Shoe) -> SafeString | str:
        """The table."""
        return link(shoe.table)

    @admin.display(description="cards dealt")
    def dealt_count(self, shoe: Shoe) -> str:
        """How many cards have left it."""
        in_play = shoe.table.shoe_id == shoe.id
        kept = shoe.table.shoe_state if in_play else shoe.final_state
        if kept is None:
            return NOTHING
        dealt = Cards.from_dict(kept)
        cut = ", the cut card is out" if in_play and dealt.cut_reached else ""
        return f"{dealt.position} of {dealt.size}{cut}"
