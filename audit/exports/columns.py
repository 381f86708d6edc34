"""The columns of a round history: what each means, which values it has, and where it comes from.

They follow what GLI-19 (2.8.2) wants of a game's recall: times, pay table, stakes, choices, intermediate
phases, result and status, per player. One list for all forms; a change of it is a new schema version.
"""

from enum import StrEnum
from typing import NamedTuple

NO_ACTIVITY = "No Activity"
"""What a file says in which nothing is: that there was nothing is said, and not left to be guessed."""


class Kind(StrEnum):
    """Which values a column has."""

    DATE = "date"  # ISO 8601
    TIME = "time"  # UTC, ISO 8601 with six decimals and a Z
    INT = "int"
    BOOL = "bool"
    LABEL = "label"  # a text of which there are few
    TEXT = "text"


class Column(NamedTuple):
    """One column.

    Attributes:
        kind: which values it has; each may be missing.
        sql: its expression over the tables of `audit.exports.select.FROM`.
        text: what it means.
    """

    kind: Kind
    sql: str
    text: str


def _moment(sql: str) -> str:
    return f"to_char({sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"


def _cards(sql: str) -> str:
    """Cards in an array of JSON are two letters each, so its punctuation can be left out as it stands."""
    return f"translate({sql}, '[]\",', '')"


SHIFT = (
    "mod(extract(hour FROM r.started_at AT TIME ZONE c.time_zone)::int + 24 - c.rollover_hour, 24) / 8 + 1"
)
"""As `tables.figures.shift_of`: three shifts of eight hours of the wall clock, from the roll-over on."""

_D, _T, _I, _B, _L, _X = Kind.DATE, Kind.TIME, Kind.INT, Kind.BOOL, Kind.LABEL, Kind.TEXT
# o: whether seats have bets of their own (casino Red Dog); otherwise players have results (card room).

_FIRST_TOKE = (
    "x.tokes ? seat.number"
    " AND seat.number::int = (SELECT min(number::int) FROM jsonb_object_keys(x.tokes) AS each (number))"
)


def _tipped(results: str) -> str:
    """What the dealers won of a round by its results, on one row, so that rows add up."""
    won = f"CASE WHEN {_FIRST_TOKE} THEN ({results} -> '0' ->> 'paid')::bigint ELSE 0 END"
    return f"CASE WHEN o AND {results} -> seat.number IS NOT NULL THEN {won} END"


COLUMNS: dict[str, Column] = {
    "gaming_day": Column(_D, "s.gaming_day", "Gaming day of the session, ISO 8601."),
    "casino": Column(_L, "c.code", "Casino code."),
    "pit": Column(_L, "p.code", "Code of the pit the table stands in."),
    "table": Column(_L, "t.code", "Table code."),
    "session": Column(_I, "s.number", "Session number at the table."),
    "shift": Column(_I, SHIFT, "Shift in which the round began: 1 to 3, eight hours from the roll-over on."),
    "round": Column(_I, "r.number", "Round number within the session."),
    "round_id": Column(_X, "r.id::text", "Round id (UUID)."),
    "started_at": Column(_T, _moment("r.started_at"), "When the first bet was recorded, UTC, ISO 8601."),
    "ended_at": Column(
        _T, _moment("r.ended_at"), "When the round was settled or voided, UTC; empty while in progress."
    ),
    "status": Column(
        _L,
        "CASE WHEN r.status = 'in_progress' AND t.frozen <> '' THEN 'interrupted' ELSE r.status END",
        "complete, cancelled (voided; after it was over, too: the result stays), in_progress, or interrupted "
        "while its table is frozen.",
    ),
    "game": Column(_L, "r.game", "Game name."),
    "engine_version": Column(_I, "r.engine_version", "Version of the rules engine."),
    "rule_set": Column(_L, "u.name", "Rule set (limits and pay table) by name."),
    "rule_set_version": Column(_I, "u.version", "Its version."),
    "rule_set_id": Column(_L, "u.id::text", "Its id (UUID)."),
    "shoe": Column(_I, "h.number", "Shoe number at the table."),
    "packs": Column(_I, "h.packs", "Packs in the shoe."),
    "card_source": Column(_L, "h.source", "scanned (physical shoe) or drawn (committed by the system)."),
    "dealer": Column(_L, "d.badge", "Badge of who began the round."),
    "dealing_seat": Column(
        _I, "x.dealer", "Seat that dealt or banked, in a card-room game; empty in casino Red Dog."
    ),
    "carried": Column(
        _I,
        "CASE WHEN x.pool IS NOT NULL THEN x.carried END",
        "What lay in the pool before the round, minor units; empty where there is no pool.",
    ),
    "left": Column(
        _I,
        "coalesce(x.pool, x.bank)",
        "What lay in the pool or bank after it, minor units; empty in casino Red Dog.",
    ),
    "cards": Column(
        _X,
        _cards("x.cards"),
        "Cards turned in the order dealt, space separated; rank 23456789TJQKA then suit SHDC.",
    ),
    "burnt": Column(
        _X, _cards("x.burnt"), "Cards burned, exposed, or seen after the result was known, space separated."
    ),
    "spread": Column(
        _I,
        "x.spread",
        "Ranks strictly between the first two cards, 1 to 11; empty on pairs and consecutives.",
    ),
    "announced": Column(_I, "x.announced", "Spread last announced; empty when none was."),
    "misannounced": Column(_B, "x.misannounced", "true when a wrong spread was ever announced."),
    "raises_returned": Column(
        _B, "x.raise_test_excluded", "true when the third card was seen before raises were closed."
    ),
    "outcome": Column(
        _L,
        "x.outcome",
        "consecutive, pair_push, trips, win, lose; settled (card room); void; empty while undecided.",
    ),
    "void_reason": Column(_L, "x.void_reason", "Why the round does not count; empty otherwise."),
    "seat": Column(
        _I,
        "seat.number::int",
        "Seat number; empty when nobody had a bet in the round (card room: when nobody played).",
    ),
    "player": Column(_X, "r.players ->> seat.number", "Player id (UUID); empty for somebody unknown."),
    "bet": Column(_I, "CASE WHEN o THEN seat.value::bigint ELSE z.bet END", "Bet, minor units."),
    "raise": Column(
        _I,
        "CASE WHEN o AND seat.number IS NOT NULL THEN coalesce((x.raises ->> seat.number)::bigint, 0) END",
        "Raise, minor units.",
    ),
    "toke": Column(
        _I,
        "CASE WHEN o AND seat.number IS NOT NULL THEN coalesce((x.tokes ->> seat.number)::bigint, 0) END",
        "Bet for the dealers beside it, minor units: gone from the seat unless it was a push.",
    ),
    "promo": Column(
        _I,
        "CASE WHEN o AND seat.number IS NOT NULL THEN coalesce((x.promos ->> seat.number)::bigint, 0) END",
        "Value of the promotional piece beside it, minor units, which is no chip; what it won is paid.",
    ),
    "money": Column(
        _I,
        "CASE WHEN o AND seat.number IS NOT NULL THEN coalesce((x.money ->> seat.number)::bigint, 0)"
        " + coalesce((x.money_raises ->> seat.number)::bigint, 0) END",
        "What of bet and raise is currency (a money play), minor units; the rest is chips.",
    ),
    "tipped": Column(
        _I,
        _tipped("x.results"),
        "Won for the dealers by all such bets of the round beyond them, minor units; on the row of the first "
        "seat with one, so that rows add up, 0 on others; empty while undecided.",
    ),
    "paid": Column(
        _I,
        "CASE WHEN o THEN z.paid ELSE z.won END",
        "Won beyond the stake, minor units; empty while undecided.",
    ),
    "net": Column(
        _I,
        "CASE WHEN o OR x.outcome IS NOT NULL THEN z.net END",
        "The seat's gain, minor units; empty while undecided.",
    ),
    "hand": Column(
        _I,
        "CASE WHEN NOT o THEN (x.hands ->> seat.number)::int END",
        "How many cards the seat was dealt face down; empty for a banker and in casino Red Dog.",
    ),
    "turn": Column(
        _L,
        'CASE WHEN NOT o THEN z."end" END',
        "How its turn ended: won, lost, forfeit, pass, discard, sits_out or returned; empty without one.",
    ),
    "shown": Column(
        _X,
        "CASE WHEN NOT o AND seat.number IS NOT NULL THEN "
        + _cards("coalesce(x.shown ->> seat.number, '')")
        + " END",
        "Cards of the hand the rules showed, space separated; the others stay unseen.",
    ),
    "ante": Column(_I, "z.ante", "Antes it paid, or the bank it put up, minor units."),
    "forfeit": Column(_I, "z.forfeit", "What it paid for not betting, minor units."),
    "mispaid": Column(
        _I, "z.mispaid", "What wrong payments left it with, minor units, negative where they cost it."
    ),
    "share": Column(
        _I, "z.share", "Its share of a divided pool, or what came back of its bank, minor units."
    ),
    "fee": Column(_I, "z.fee", "Collection it paid the house, minor units."),
    "corrected_seq": Column(
        _I,
        "r.corrected_seq",
        "Number of the entry that set the physical cards above the recorded; empty if none did.",
    ),
    "cancelled_seq": Column(
        _I,
        "r.cancelled_seq",
        "Number of the entry that voided the round after it was over; empty if none did.",
    ),
    "corrected_cards": Column(
        _X, _cards("y.cards"), "Board as it really lay, where it is not the recorded one."
    ),
    "corrected_outcome": Column(_L, "y.outcome", "Outcome on those cards, as under outcome."),
    "corrected_paid": Column(
        _I,
        "CASE WHEN o THEN (y.results -> seat.number ->> 'paid')::bigint END",
        "Won beyond the stake on those cards, minor units.",
    ),
    "corrected_net": Column(
        _I,
        "CASE WHEN o THEN (y.results -> seat.number ->> 'net')::bigint END",
        "The seat's gain on those cards, minor units: what it ended up with.",
    ),
    "corrected_tipped": Column(
        _I, _tipped("y.results"), "Won by bets for the dealers on those cards, minor units, as under tipped."
    ),
    "currency": Column(_L, "c.currency", "Currency of all amounts, ISO 4217."),
    "first_seq": Column(
        _I, "r.first_seq", "Number of the round's first entry in the table's journal stream."
    ),
    "last_seq": Column(_I, "r.last_seq", "Number of its last entry."),
}

SUMMED = ("bet", "raise", "toke", "money", "tipped", "paid", "net", "fee", "corrected_net")
"""Amounts that a manifest adds up, per currency."""
