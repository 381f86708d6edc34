"""Rows of exported round histories: as a file has them, and as the entries of a round make them."""

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from audit.resettle import Replayed
from audit.verify.chosen import Row
from audit.verify.rounds_manifest import MANIFEST_ENDING, NO_ACTIVITY, NOTE_ENDING

PLACE = ("gaming_day", "table", "session")
ROUND = (
    *("round_id", "round", "shift", "started_at", "ended_at", "status", "game", "engine_version"),
    *("rule_set_id", "dealing_seat", "carried", "left", "cards", "burnt", "spread", "announced"),
    *("misannounced", "raises_returned", "outcome", "void_reason", "first_seq", "last_seq"),
)
OF_RESULTS = ("ante", "forfeit", "mispaid", "share", "fee")
SEAT = (
    *("seat", "player", "bet", "raise", "toke", "promo", "money", "tipped", "paid", "net"),
    *("hand", "turn", "shown", *OF_RESULTS),
)
CORRECTED = (
    *("corrected_seq", "corrected_cards", "corrected_outcome", "corrected_paid", "corrected_net"),
    "corrected_tipped",
)
CANCELLED = ("cancelled_seq",)
CURRENCY = ("money", "money_raises")  # what of bets and of raises is currency, in a round's state
COMPARED = (*PLACE, *ROUND, *SEAT, *CORRECTED, *CANCELLED, "currency")
SUMMED = ("bet", "raise", "toke", "money", "tipped", "paid", "net", "fee", "corrected_net")
TEXTS = ("cards", "burnt")  # that may be empty, and are never missing
NUMBERS = frozenset(
    {
        *("session", "round", "shift", "engine_version", "dealing_seat", "carried", "left", "spread"),
        *("announced", "first_seq", "last_seq", "seat", "bet", "raise", "toke", "promo", "money"),
        *("tipped", "paid", "net", "hand", "corrected_seq", "corrected_paid", "corrected_net"),
        *("corrected_tipped", *OF_RESULTS, *CANCELLED),
    }
)
UNREAD = (".parquet", ".xlsx")
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
TRUTHS = {"true": True, "false": False}
TRUE_OR_FALSE = ("misannounced", "raises_returned")


class Beside(NamedTuple):
    """What lies beside an export: its manifest and the note, and what the export itself is."""

    manifest: bytes
    note: bytes
    size: int
    sha256: str


class Export(NamedTuple):
    """An export as it lies in a file: its name, its rows with the compared columns, and what is beside it;
    `idle` is how many lines say that there are no rows; `is_read` is false of forms nothing is read of."""

    name: str
    rows: Sequence[Row]
    beside: Beside | None = None
    idle: int = 0
    is_read: bool = True


def read_export(path: Path) -> Export:
    """The rows of an export, CSV by its ending and JSON lines otherwise, and its manifest if it is beside.

    Python's library reads neither Parquet nor what a workbook means: of those there is the manifest alone.

    Raises:
        OSError, ValueError: it cannot be read, or is no export of rounds.
    """
    if path.suffix in UNREAD:
        beside = _beside(path)
        if beside is None:
            raise ValueError("its rows are not read here, and no manifest beside it says what they add up to")
        return Export(path.name, (), beside, is_read=False)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(_cells(file) if path.suffix == ".csv" else _lines(file))
    except UnicodeDecodeError:
        raise ValueError("it is no text (UTF-8), so neither CSV nor JSON lines") from None
    rows = [row for row in lines if row is not None]
    return Export(path.name, rows, _beside(path), len(lines) - len(rows))


def _beside(path: Path) -> Beside | None:
    manifest, note = (path.with_name(path.name + end) for end in (MANIFEST_ENDING, NOTE_ENDING))
    if not manifest.exists():
        return None
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Beside(manifest.read_bytes(), note.read_bytes(), path.stat().st_size, digest)


def _cells(file: Iterable[str]) -> Iterator[Row | None]:
    """The rows of CSV, None where one says there are none: every reader must see in them what this does."""
    try:
        lines = csv.reader(file, strict=True)
        head = next(lines, [])
        if len(set(head)) < len(head):
            raise ValueError("a column of the export stands twice")
        for line in lines:
            if len(line) != len(head):
                raise ValueError("a line of the export has other columns than its head")
            if line[0] == NO_ACTIVITY and not any(line[1:]):
                yield None
            else:
                yield _compared({name: _value(name, cell) for name, cell in zip(head, line, strict=True)})
    except csv.Error as exc:
        raise ValueError(f"the export is no CSV: {exc}") from exc


def _value(name: str, cell: str) -> Any:
    """What a cell of CSV stands for; texts lose the apostrophe that guards them."""
    if not cell:
        return "" if name in TEXTS else None
    if name in NUMBERS:
        if not WHOLE_NUMBER.fullmatch(cell):  # Python reads 1_000 and digits of any script, too
            raise ValueError(f"{name} is no whole number in a line of the export")
        return int(cell)
    return TRUTHS.get(cell, cell) if name in TRUE_OR_FALSE else cell.removeprefix("'")


def _lines(file: Iterable[str]) -> Iterator[Row | None]:
    """The rows of JSON lines, None for one that says there are none."""
    for line in file:
        try:
            row = json.loads(line, object_pairs_hook=_once)
        except RecursionError as exc:
            raise ValueError("a line of the export is no object") from exc
        if not isinstance(row, dict):
            raise ValueError("a line of the export is no object")
        yield None if row == {"no_activity": NO_ACTIVITY} else _compared(row)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object no key of which stands twice: readers do not agree which of them holds."""
    said = dict(pairs)
    if len(said) < len(pairs):
        raise ValueError("a column of the export stands twice")
    return said


def _compared(row: Mapping[str, Any]) -> Row:
    if missing := sorted(set(COMPARED) - row.keys()):
        raise ValueError(f"the export has no column {missing[0]}")
    if not all(row[name] is None or type(row[name]) is int for name in NUMBERS):
        raise ValueError("a number of the export is none")
    # No card shown and no hand at all are one in CSV.
    return {name: row[name] for name in COMPARED} | {"shown": row["shown"] or None}


def rows_of(played: Replayed) -> Iterator[Row]:
    """A round's rows: one per seat that played, or one without a seat."""
    state = played.encoded
    has_pool = state.get("pool") is not None
    common: Row = {
        "round_id": str(played.id),
        "round": played.number,
        "shift": None,
        "started_at": _moment(played.started_at),
        "ended_at": _moment(played.ended_at),
        "status": played.status,
        "game": played.game.name,
        "engine_version": played.game.version,
        "rule_set_id": str(played.rules),
        "dealing_seat": state.get("dealer"),
        "carried": state["carried"] if has_pool else None,
        "left": state["pool"] if has_pool else state.get("bank"),
        "cards": " ".join(state["cards"]),
        "burnt": " ".join(state["burnt"]),
        "spread": state.get("spread"),
        "announced": state.get("announced"),
        "misannounced": state.get("misannounced"),
        "raises_returned": state.get("raise_test_excluded"),
        "outcome": state["outcome"],
        "void_reason": state["void_reason"],
        "first_seq": played.first_seq,
        "last_seq": played.last_seq,
    }
    seats = _bettors if "bets" in state else _players
    for seat in list(seats(state, played.players)) or [dict.fromkeys(SEAT)]:
        yield common | seat


def _bettors(state: Mapping[str, Any], players: Mapping[str, Any]) -> Iterator[Row]:
    """What a round of casino Red Dog was to each seat, by its bets."""
    for seat in sorted(state["bets"], key=int):
        result = state["results"].get(seat, {})
        yield dict.fromkeys(SEAT) | {
            "seat": int(seat),
            "player": players.get(seat),
            "bet": state["bets"][seat],
            "raise": state["raises"].get(seat, 0),
            "toke": state.get("tokes", {}).get(seat, 0),
            "promo": state.get("promos", {}).get(seat, 0),
            "money": sum(state.get(name, {}).get(seat, 0) for name in CURRENCY),
            "tipped": _tipped(state, seat),
            "paid": result.get("paid"),
            "net": result.get("net"),
        }


def _tipped(state: Mapping[str, Any], seat: str) -> int | None:
    """What the round's bets for the dealers won, on the row of the first seat with one; 0 on others."""
    tokes, results = state.get("tokes", {}), state["results"]
    if seat not in results:
        return None
    return int(results["0"]["paid"]) if seat == min(tokes, key=int, default=None) else 0


def _players(state: Mapping[str, Any], players: Mapping[str, Any]) -> Iterator[Row]:
    """What a round of a card-room game was to each seat, by its results."""
    for seat in sorted(state["results"], key=int):
        result = state["results"][seat]
        yield dict.fromkeys(SEAT) | {
            "seat": int(seat),
            "player": players.get(seat),
            "bet": result["bet"],
            "paid": result.get("won"),
            "net": None if state["outcome"] is None else result.get("net"),
            "hand": state["hands"].get(seat),
            "turn": result.get("end"),
            "shown": " ".join(state["shown"].get(seat, ())) or None,
            **{name: result.get(name) for name in OF_RESULTS},
        }


def corrected(row: Row, seq: int | None, state: Mapping[str, Any] | None) -> Row:
    """What a row says of the round's last correction, the entry `seq`, which left it in this state."""
    if state is None:
        return dict.fromkeys(CORRECTED)
    result = state["results"].get(str(row["seat"]), {})
    return {
        "corrected_seq": seq,
        "corrected_cards": " ".join(state["cards"]),
        "corrected_outcome": state["outcome"],
        "corrected_paid": result.get("paid"),
        "corrected_net": result.get("net"),
        "corrected_tipped": _tipped(state, str(row["seat"])),
    }


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
