"""One round on paper: what GLI-19 (2.8.2) wants of a game's recall, and what it rests on.

Times, table, pay table and dealer; per player the stake, the choices, the intermediate phases, the result
and what it did to the chips; whether it is complete, in progress, interrupted or cancelled; the cards in
order; corrections, signatures, entries, checkpoint.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from audit.printing.evidence import (
    checkpoint_facts,
    correction_rows,
    entries_between,
    entry_rows,
    finding_rows,
    movement_rows,
    signature_rows,
    signatures_of,
)
from audit.printing.paper import NUMBERS, TIMES, Facts, Ink, Paper, Rows, Section, columns
from audit.printing.play import Step, cards_in, steps_of, told
from ledger.models import Entry
from ledger.statements import balances_at
from tables.admin.card_room import ENDS, OUTCOMES
from tables.admin.card_room import remarks_on as room_remarks
from tables.admin.corrections import corrections_of
from tables.admin.rounds import OUTCOMES as BOARD_OUTCOMES
from tables.admin.text import NOTHING, card_text, words
from tables.engine.places import DEALERS
from tables.models import Player, Round, RoundStatus
from tables.selectors.round_results import house_result, staked
from tables.selectors.views import is_card_room

PENDING = "pending"
RULE_AMOUNTS = ("min_bet", "max_bet", "bet_step", "round_cap", "chip", "ante", "pool_limit", "max_bank")
BESIDE = {
    "tokes": "For the dealers",
    "promos": "Promotional",
    "money": "Of the bet, currency",
    "money_raises": "Of the raise, currency",
}
RELATED = ("table__casino", "table__pit", "session", "dealer", "shoe", "rules__casino")


def rounds_to_print(**which: Any) -> QuerySet[Round]:
    """The rounds that a filter chooses, with all that is printed of each."""
    return Round.objects.filter(**which).select_related(*RELATED).defer("shoe__sealed")


def round_paper(played: Round) -> Paper:
    """A round as it is recorded now.

    Args:
        played: one of `rounds_to_print`.
    """
    ink, table = Ink.of(played.table.casino), played.table
    stream = table.stream
    entries = _with_stream(entries_between(stream, played.first_seq, played.last_seq))
    later = _with_stream(corrections_of(played))
    steps = steps_of(played, entries)
    numbers = [entry.seq for entry in (*entries, *later)]
    return Paper(
        title=f"Round {played.number} of session {played.session.number} at table {table.code}",
        over=f"{table.casino.name} ({table.casino.code})",
        under=f"{words(played.game).capitalize()}, gaming day {played.session.gaming_day.isoformat()}",
        sections=[
            _standing(played, ink),
            _where(played, ink),
            _rules(played, ink),
            _cards(steps),
            *_players(played, ink),
            _effect(played, ink),
            _course(steps, ink),
            correction_rows(later, ink),
            *_corrected(played, ink),
            signature_rows(signatures_of(stream, Q(seq__in=numbers)), ink),
            finding_rows(Q(round_id=played.id), ink),
            entry_rows([*entries, *later], ink),
            movement_rows([*entries, *later], ink),
            checkpoint_facts(stream, max(numbers), ink),
        ],
    )


def _with_stream(entries: Sequence[Entry]) -> list[Entry]:
    return list(
        Entry.objects.filter(pk__in=[entry.pk for entry in entries]).select_related("stream").order_by("seq")
    )


def status_of(played: Round) -> str:
    """A round's status in the words regulators use, and why."""
    if played.status == RoundStatus.IN_PROGRESS:
        if played.table.frozen:
            return f"Interrupted: the table is frozen ({played.table.frozen})"
        return f"In progress: {words(played.state['phase'])}"
    if played.cancelled_seq is not None:
        return f"Cancelled after it was over, by entry {played.cancelled_seq}: its result does not count"
    if played.status == RoundStatus.CANCELLED:
        return f"Cancelled: {words(str(played.state['void_reason']))}"
    if played.corrected_seq is not None:
        return f"Complete; settled again on the physical cards by entry {played.corrected_seq}"
    return "Complete"


def outcome_of(played: Round, state: Mapping[str, Any]) -> str:
    """How the cards of a state decided a round."""
    if is_card_room(played.rules):
        return OUTCOMES[state["outcome"]]
    return "{}: {}".format(*BOARD_OUTCOMES[state["outcome"]])


def _standing(played: Round, ink: Ink) -> Facts:
    return Facts(
        "Round",
        [
            ("Status", status_of(played)),
            ("Outcome", outcome_of(played, played.state)),
            ("Began", ink.on(played.started_at)),
            ("Ended", ink.on(played.ended_at, unknown="not yet")),
            ("Staked", ink.money(staked(played))),
            ("House result", ink.money(house_result(played), unknown=PENDING)),
            ("Remarks", "\n".join(_remarks(played)) or "none"),
        ],
    )


def _remarks(played: Round) -> Iterator[str]:
    if is_card_room(played.rules):
        yield from (remark.capitalize() for remark in room_remarks(played))
        return
    if played.state["misannounced"]:
        yield f"A wrong spread was announced; the cards give {played.state['spread']}"
    if played.state["raise_test_excluded"]:
        yield "The third card was seen before the raises were closed"


def _where(played: Round, ink: Ink) -> Facts:
    shoe = played.shoe
    return Facts(
        "Where and by whom",
        [
            ("Round", f"{played.number}, id {played.id}"),
            ("Session", f"{played.session.number}, id {played.session_id}"),
            ("Table", f"{played.table.code}, pit {played.table.pit.code}, id {played.table_id}"),
            ("Dealer", played.dealer.badge),
            (
                "Shoe",
                f"{shoe.number}, packs: {shoe.packs}, {shoe.get_source_display().lower()}, id {shoe.id}",
            ),
            ("Commitment of the shoe", shoe.root or "none: a physical shoe"),
            ("Journal", f"{played.table.stream}, entries {played.first_seq} to {played.last_seq}"),
        ],
    )


def _rules(played: Round, ink: Ink) -> Facts:
    rules = played.rules
    return Facts(
        "Rules and pay table",
        [
            ("Rule set and pay table", f"{rules.name} version {rules.version}, id {rules.id}"),
            ("Digest", rules.digest),
            ("Engine", f"{words(played.game)}, version {played.engine_version}"),
            *(
                (words(name).capitalize(), _rule(name, value, ink))
                for name, value in sorted(rules.body.items())
            ),
        ],
    )


def _rule(name: str, value: Any, ink: Ink) -> str:
    """A rule as people read it."""
    if value is None:
        return "none"
    if name in RULE_AMOUNTS:
        return ink.money(value)
    if name == "pay_table":
        odds = sorted(value.items(), key=lambda item: (not item[0].isdigit(), item[0].zfill(3)))
        return ", ".join(f"{'spread ' if key.isdigit() else ''}{key}: {pays} to 1" for key, pays in odds)
    if name == "fee":
        return "none" if value["kind"] == "none" else f"{ink.money(value['amount'])} by the {value['kind']}"
    if isinstance(value, dict):
        return ", ".join(f"{words(key)} {words(str(part))}" for key, part in sorted(value.items()))
    return words(str(value))


def _cards(steps: Sequence[Step]) -> Rows:
    came = [(step, *card) for step in steps for card in cards_in(step)]
    rows = [
        (str(number), card, what, _seat(seat), str(step.entry.seq))
        for number, (step, card, what, seat) in enumerate(came, start=1)
    ]
    heads = columns(("No.", NUMBERS), "Card", "What it was", "Seat", ("Entry", NUMBERS))
    return Rows("Cards in order", heads, rows)


def _seat(seat: int | None) -> str:
    return NOTHING if seat is None else str(seat)


def _players(played: Round, ink: Ink) -> Iterator[Rows]:
    if is_card_room(played.rules):
        yield _room_players(played, ink)
    else:
        yield _board_players(played, played.state, "Players", ink)


def _board_players(played: Round, state: Mapping[str, Any], heading: str, ink: Ink) -> Rows:
    """What each seat staked and was paid, on the cards of a state."""
    names, results = _names(played), state["results"]
    over = played.status != RoundStatus.IN_PROGRESS
    beside = [(name, head) for name, head in BESIDE.items() if state.get(name)]
    rows = [
        (
            seat,
            names[seat],
            ink.amount(bet),
            ink.amount(state["raises"].get(seat, 0)),
            *(ink.amount(state[name].get(seat, 0)) for name, _ in beside),
            ink.amount(results[seat]["paid"]) if over else PENDING,
            ink.amount(results[seat]["net"]) if over else PENDING,
        )
        for seat, bet in _by_number(state["bets"])
    ]
    heads = columns(
        *("Seat", "Player", (f"Bet, {ink.currency}", NUMBERS), ("Raise", NUMBERS)),
        *((head, NUMBERS) for _, head in beside),
        *(("Paid beyond the stake", NUMBERS), ("Gain", NUMBERS)),
    )
    tipped = results.get(str(DEALERS))
    note = "" if tipped is None else f"The dealers' box gains {ink.money(tipped['net'])}."
    return Rows(heading, heads, rows, note=note)


def _room_players(played: Round, ink: Ink) -> Rows:
    names, state = _names(played), played.state
    amounts = ("ante", "fee", "bet", "won", "forfeit", "mispaid", "share", "net")
    rows = [
        (
            f"{seat} (deals)" if int(seat) == state["dealer"] else seat,
            names[seat],
            str(state["hands"].get(seat) or "none"),
            ENDS[result["end"]],
            " ".join(map(card_text, state["shown"].get(seat, ()))) or NOTHING,
            *(ink.amount(result[name]) for name in amounts),
        )
        for seat, result in _by_number(state["results"])
    ]
    heads = columns(
        *("Seat", "Player", ("Cards", NUMBERS), "Turn", "Showed", (f"Ante or bank, {ink.currency}", NUMBERS)),
        *((name, NUMBERS) for name in ("Collection", "Bet", "Won", "Forfeit", "In error", "Share", "Gain")),
    )
    note = "Cards of a hand that the rules did not show stay unseen." if rows else ""
    return Rows("Players", heads, rows, note=note)


def _effect(played: Round, ink: Ink) -> Rows:
    """What lay in front of each player before the round and after its last entry."""
    before, after = (_in_front(played, seq) for seq in (played.first_seq - 1, played.last_seq))
    rows = [
        (seat, name, *map(ink.amount, (before(seat), after(seat), after(seat) - before(seat))))
        for seat, name in _by_number(_names(played))
    ]
    heads = columns(
        *("Seat", "Player", (f"Before, {ink.currency}", NUMBERS)), ("After", NUMBERS), ("Change", NUMBERS)
    )
    note = "Chips on the layout in front of the player and on the wager, by the journal's accounts."
    return Rows("Effect on balances", heads, rows, note=note)


def _in_front(played: Round, seq: int) -> Callable[[str], int]:
    """What lay in front of a seat after an entry, minor units."""
    held = {one.name: one.balance for one in balances_at(played.table.stream, seq=seq)}
    return lambda seat: held.get(f"seat:{seat}", 0) + held.get(f"wager:{seat}", 0)


def _course(steps: Sequence[Step], ink: Ink) -> Rows:
    """Choices and intermediate phases, action by action."""
    rows = [
        (str(step.entry.seq), ink.at(step.entry.recorded_at), told(step, ink), step.phase or NOTHING)
        for step in steps
    ]
    heads = columns(("Entry", NUMBERS), ("Recorded", TIMES), "What happened", "The round then waited for")
    return Rows("Course of play", heads, rows)


def _corrected(played: Round, ink: Ink) -> Iterator[Section]:
    state = played.corrected_state
    if state is None:
        return
    lay = " ".join(map(card_text, state["cards"]))
    facts = [("Cards that lay", lay), ("Outcome", outcome_of(played, state))]
    yield Facts("On the physical cards", facts)
    yield _board_players(played, state, "Players on the physical cards", ink)


def _names(played: Round) -> dict[str, str]:
    """Who sat where: a player by the casino's reference, or by id; never by a description."""
    found = Player.objects.in_bulk([player for player in played.players.values() if player])
    known = {str(key): player.reference or str(key) for key, player in found.items()}
    seats = {*played.players, *played.state.get("bets", played.state["results"])}
    named = {seat: played.players.get(seat) for seat in seats}
    return {
        seat: "somebody unknown" if player is None else known.get(player, player)
        for seat, player in named.items()
    }


def _by_number(by_seat: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(by_seat.items(), key=lambda item: int(item[0]))
