"""A gaming day's round histories, one row per round and seat, as CSV or JSON lines.

The columns follow what GLI-19 (2.8.2) wants of a game's recall: times, pay table, stakes, choices,
intermediate phases, result and status, per player. The same day gives the same bytes: nothing in a file
says when or where it was made. A folder's worth of rows never lies in memory.
"""

import csv
import hashlib
import io
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from django.db import transaction

from tables.models import Round

SCHEMA = "pitledger.rounds"
SCHEMA_VERSION = 4
NO_ACTIVITY = "No Activity"
CHUNK = 500  # rounds fetched at a time
# What a spreadsheet would run as a formula when a cell begins with it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

Format = Literal["csv", "jsonl"]

COLUMNS: dict[str, str] = {
    "gaming_day": "Gaming day of the session, ISO 8601.",
    "casino": "Casino code.",
    "table": "Table code.",
    "session": "Session number at the table.",
    "round": "Round number within the session.",
    "round_id": "Round id (UUID).",
    "started_at": "When the first bet was recorded, UTC, ISO 8601.",
    "ended_at": "When the round was settled or voided, UTC; empty while in progress.",
    "status": "complete, cancelled (voided; after it was over, too: the result stays) or in_progress.",
    "game": "Game name.",
    "engine_version": "Version of the rules engine.",
    "rule_set": "Rule set (limits and pay table) by name.",
    "rule_set_version": "Its version.",
    "rule_set_id": "Its id (UUID).",
    "shoe": "Shoe number at the table.",
    "packs": "Packs in the shoe.",
    "card_source": "scanned (physical shoe) or drawn (committed by the system).",
    "dealer": "Badge of who began the round.",
    "dealing_seat": "Seat that dealt or banked, in a card-room game; empty in casino Red Dog.",
    "carried": "What lay in the pool before the round, minor units; empty where there is no pool.",
    "left": "What lay in the pool or bank after it, minor units; empty in casino Red Dog.",
    "cards": "Cards turned in the order dealt, space separated; rank 23456789TJQKA then suit SHDC.",
    "burnt": "Cards burned, exposed, or seen after the result was known, space separated.",
    "spread": "Ranks strictly between the first two cards, 1 to 11; empty on pairs and consecutives.",
    "announced": "Spread last announced; empty when none was.",
    "misannounced": "true when a wrong spread was ever announced.",
    "raises_returned": "true when the third card was seen before raises were closed.",
    "outcome": "consecutive, pair_push, trips, win, lose; settled (card room); void; empty while undecided.",
    "void_reason": "Why the round does not count; empty otherwise.",
    "seat": "Seat number; empty when nobody had a bet in the round (card room: when nobody played).",
    "player": "Player id (UUID); empty for somebody unknown.",
    "bet": "Bet, minor units.",
    "raise": "Raise, minor units.",
    "paid": "Won beyond the stake, minor units; empty while undecided.",
    "net": "The seat's gain, minor units; empty while undecided.",
    "hand": "How many cards the seat was dealt face down; empty for a banker and in casino Red Dog.",
    "turn": "How its turn ended: won, lost, forfeit, pass, discard, sits_out or returned; empty without one.",
    "shown": "Cards of the hand the rules showed, space separated; the others stay unseen.",
    "ante": "Antes it paid, or the bank it put up, minor units.",
    "forfeit": "What it paid for not betting, minor units.",
    "mispaid": "What wrong payments left it with, minor units, negative where they cost it.",
    "share": "Its share of a divided pool, or what came back of its bank, minor units.",
    "fee": "Collection it paid the house, minor units.",
    "corrected_seq": "Number of the entry that set the physical cards above the recorded; empty if none did.",
    "cancelled_seq": "Number of the entry that voided the round after it was over; empty if none did.",
    "corrected_cards": "Board as it really lay, where it is not the recorded one.",
    "corrected_outcome": "Outcome on those cards, as under outcome.",
    "corrected_paid": "Won beyond the stake on those cards, minor units.",
    "corrected_net": "The seat's gain on those cards, minor units: what it ended up with.",
    "currency": "Currency of all amounts, ISO 4217.",
    "first_seq": "Number of the round's first entry in the table's journal stream.",
    "last_seq": "Number of its last entry.",
}

IN_THE_CARD_ROOM = ("ante", "forfeit", "mispaid", "share", "fee")
OF_A_SEAT = (
    *("seat", "player", "bet", "raise", "paid", "net", "corrected_paid", "corrected_net"),
    *("hand", "turn", "shown", *IN_THE_CARD_ROOM),
)


@dataclass(frozen=True, slots=True)
class Export:
    """A file that was written: where, its columns' description, rounds and rows in it, SHA-256 of it."""

    path: Path
    dictionary: Path
    rounds: int
    rows: int
    sha256: str


def rounds_export(*, casino_id: uuid.UUID, gaming_day: date, form: Format, path: Path) -> Export:
    """Write a gaming day's rounds to a file, whole or not at all, and its column dictionary beside it.

    Args:
        form: `csv` (text cells guarded against formula injection by a leading apostrophe) or `jsonl`.
        path: the file; replaced if it is there. The dictionary is `<path>.columns.json`.
    """
    counted = _Counter()
    with transaction.atomic(), closing(_rounds(casino_id, gaming_day)) as rounds:
        rows = (row for played in rounds for row in counted.of(played))
        digest = _write(path, lambda out: WRITERS[form](out, rows))
    dictionary = path.with_name(f"{path.name}.columns.json")
    said = {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "format": form,
        "gaming_day": gaming_day.isoformat(),
        "rounds": counted.rounds,
        "rows": counted.rows,
        "sha256": digest,
        "columns": COLUMNS,
    }
    _write(dictionary, lambda out: out.write(json.dumps(said, indent=2) + "\n"))
    return Export(path, dictionary, counted.rounds, counted.rows, digest)


class _Counter:
    """Counts rounds and rows on their way to the file."""

    def __init__(self) -> None:
        self.rounds = 0
        self.rows = 0

    def of(self, played: Round) -> Iterator[dict[str, Any]]:
        """The rows of a round."""
        self.rounds += 1
        for row in rows_of(played):
            self.rows += 1
            yield row


def _rounds(casino_id: uuid.UUID, gaming_day: date) -> Generator[Round]:
    """The day's rounds in an order that depends on nothing but the play, streamed by a server-side cursor."""
    found = Round.objects.filter(table__casino_id=casino_id, session__gaming_day=gaming_day)
    related = found.select_related("table__casino", "session", "shoe", "rules", "dealer")
    yield from related.order_by("table__code", "session__number", "number").iterator(chunk_size=CHUNK)


def rows_of(played: Round) -> Iterator[dict[str, Any]]:
    """A round's rows: one per seat that played, or one without a seat when there was none."""
    common = _common(played)
    seats = list(_seats(played) if "bets" in played.state else _card_room_seats(played))
    for row in seats or [{}]:
        yield common | dict.fromkeys(OF_A_SEAT) | row


def _seats(played: Round) -> Iterator[dict[str, Any]]:
    """What casino Red Dog was to each seat with a bet."""
    state = played.state
    corrected = (played.corrected_state or {}).get("results", {})
    for seat, bet in _by_number(state["bets"]):
        result = state["results"].get(seat, {})
        yield {
            "seat": int(seat),
            "player": played.players.get(seat),
            "bet": bet,
            "raise": state["raises"].get(seat, 0),
            "paid": result.get("paid"),
            "net": result.get("net"),
            "corrected_paid": corrected.get(seat, {}).get("paid"),
            "corrected_net": corrected.get(seat, {}).get("net"),
        }


def _card_room_seats(played: Round) -> Iterator[dict[str, Any]]:
    """What a card-room game was to each of its players; while it is undecided nobody has gained anything."""
    state = played.state
    for seat, result in _by_number(state["results"]):
        yield {
            "seat": int(seat),
            "player": played.players.get(seat),
            "bet": result["bet"],
            "paid": result["won"],
            "net": None if state["outcome"] is None else result["net"],
            "hand": state["hands"].get(seat),
            "turn": result["end"],
            "shown": " ".join(state["shown"].get(seat, ())),
            **{name: result[name] for name in IN_THE_CARD_ROOM},
        }


def _by_number(by_seat: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(by_seat.items(), key=lambda item: int(item[0]))


def _common(played: Round) -> dict[str, Any]:
    """What all rows of a round share."""
    state, casino, corrected = played.state, played.table.casino, played.corrected_state
    return {
        "gaming_day": played.session.gaming_day.isoformat(),
        "casino": casino.code,
        "table": played.table.code,
        "session": played.session.number,
        "round": played.number,
        "round_id": str(played.id),
        "started_at": _moment(played.started_at),
        "ended_at": _moment(played.ended_at),
        "status": str(played.status),
        "game": played.game,
        "engine_version": played.engine_version,
        "rule_set": played.rules.name,
        "rule_set_version": played.rules.version,
        "rule_set_id": str(played.rules_id),
        "shoe": played.shoe.number,
        "packs": played.shoe.packs,
        "card_source": str(played.shoe.source),
        "dealer": played.dealer.badge,
        "dealing_seat": state.get("dealer"),
        "carried": state.get("carried") if "pool" in state else None,
        "left": state.get("pool", state.get("bank")),
        "cards": " ".join(state["cards"]),
        "burnt": " ".join(state["burnt"]),
        "spread": state.get("spread"),
        "announced": state.get("announced"),
        "misannounced": state.get("misannounced"),
        "raises_returned": state.get("raise_test_excluded"),
        "outcome": state["outcome"],
        "void_reason": state["void_reason"],
        "corrected_seq": played.corrected_seq,
        "cancelled_seq": played.cancelled_seq,
        "corrected_cards": " ".join(corrected["cards"]) if corrected else None,
        "corrected_outcome": corrected["outcome"] if corrected else None,
        "currency": casino.currency,
        "first_seq": played.first_seq,
        "last_seq": played.last_seq,
    }


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _as_csv(out: io.TextIOBase, rows: Iterator[dict[str, Any]]) -> None:
    """The header, then the rows; a day without any says so in its first cell."""
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    empty = True
    for row in rows:
        writer.writerow([_cell(row[name]) for name in COLUMNS])
        empty = False
    if empty:
        writer.writerow([NO_ACTIVITY, *[""] * (len(COLUMNS) - 1)])


def _cell(value: Any) -> str | int:
    """A value as a cell: numbers as they are, text that a spreadsheet might run made harmless."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return value
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _as_json_lines(out: io.TextIOBase, rows: Iterator[dict[str, Any]]) -> None:
    """One object per line, keys in the order of the columns; a day without any is one such object."""
    empty = True
    for row in rows:
        out.write(json.dumps({name: row[name] for name in COLUMNS}, separators=(",", ":")) + "\n")
        empty = False
    if empty:
        out.write(json.dumps({"no_activity": NO_ACTIVITY}, separators=(",", ":")) + "\n")


WRITERS: dict[Format, Callable[[io.TextIOBase, Iterator[dict[str, Any]]], None]] = {
    "csv": _as_csv,
    "jsonl": _as_json_lines,
}


def _write(path: Path, fill: Callable[[io.TextIOBase], object]) -> str:
    """Fill a file beside `path`, put it in its place when it is whole, and answer its SHA-256."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
        with temporary.open("rb") as whole:
            digest = hashlib.file_digest(whole, "sha256").hexdigest()
        temporary.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
    return digest
