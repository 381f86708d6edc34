"""Exported round histories against the journal: the columns that follow from a bundle's entries.

Names of people and of things the office calls so (badges, pits, shoe numbers) are not compared; whatever says
what was played, bet, paid and won, and when, is. Of an export with its manifest beside it the signature is
checked too, and the filter says which rows there must be.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from audit.resettle import Replayed
from audit.verify.chosen import KNOWN, Place, Row, chosen, is_whole
from audit.verify.manifest import SCOPES
from audit.verify.notes import Checkpoint, Key, NoteBad, open_note
from audit.verify.report import Findings
from audit.verify.rounds_manifest import (
    MANIFEST_ENDING,
    NOTE_ENDING,
    RoundsManifest,
    RoundsManifestBad,
    parse_rounds_manifest,
    signs,
)
from audit.verify.walk import Walked
from tables.figures import shift_of

ROUND = (
    *("round_id", "round", "shift", "started_at", "ended_at", "status", "game", "engine_version"),
    *("rule_set_id", "cards", "burnt", "outcome", "void_reason", "first_seq", "last_seq"),
)
SEAT = ("seat", "player", "bet", "raise", "toke", "promo", "paid", "net")
SUMMED = ("bet", "raise", "paid", "net")
ALWAYS = ("cards", "burnt")  # texts that may be empty, and never missing
NUMBERS = frozenset(
    {*("round", "shift", "engine_version", "first_seq", "last_seq", "seat"), *("toke", "promo"), *SUMMED}
)


class Beside(NamedTuple):
    """What lies beside an export: its manifest and the note, and what the export itself is."""

    manifest: bytes
    note: bytes
    size: int
    sha256: str


class Export(NamedTuple):
    """An export as it lies in a file: its name, its rows with the compared columns, and what is beside it."""

    name: str
    rows: Sequence[Row]
    beside: Beside | None = None


@dataclass(slots=True)
class Expected:
    """The rounds a bundle gives, as an export has them.

    Attributes:
        rows: by round id.
        sessions: the session of each round.
        begun: when each round began.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    begun: dict[str, datetime] = field(default_factory=dict)

    def take(self, played: Replayed) -> None:
        """Keep a round."""
        self.rows[str(played.id)] = list(rows_of(played))
        self.sessions[str(played.id)] = str(played.session)
        self.begun[str(played.id)] = played.started_at

    def within(self, scope: Mapping[str, Any], walked: Walked) -> "Due":
        """The rounds the bundle is about; it may hold others, of the same shoe or of earlier days."""
        casino, tables = walked.derived["casino"], walked.derived["tables"]
        places = {
            str(one.id): Place(str(one.id), one.gaming_day.isoformat(), str(tables.get(stream, "")))
            for stream, one in walked.sessions
        }
        named = scope[SCOPES[scope["kind"]]]
        is_wanted: dict[str, Callable[[str], bool]] = {
            "day": lambda round_id: self._place(places, round_id).gaming_day == named,
            "table": lambda round_id: True,
            "session": lambda round_id: self.sessions[round_id] == named,
            "round": lambda round_id: round_id == named,
        }
        wanted = [one for one in self.rows if is_wanted[scope["kind"]](one)]
        rows = {one: [row | self._known(one, casino, walked) for row in self.rows[one]] for one in wanted}
        return Due(rows, {one: self._place(places, one) for one in wanted}, str(casino.get("id")))

    def _place(self, places: Mapping[str, Place], round_id: str) -> Place:
        return places.get(self.sessions[round_id], Place("", "", ""))

    def _known(self, round_id: str, casino: Mapping[str, Any], walked: Walked) -> Row:
        """What is known only when all entries were seen: the shift, and that a round was cancelled."""
        try:
            shift: int | None = shift_of(self.begun[round_id], casino["time_zone"], casino["rollover_hour"])
        except (KeyError, TypeError, ValueError):
            shift = None  # this machine knows no such time zone, or no casino was opened
        cancelled: Row = {"status": "cancelled"} if round_id in walked.cancelled else {}
        return {"shift": shift} | cancelled


class Due(NamedTuple):
    """What an export of the bundle's rounds has: rows and place of each round by its id; the casino's id."""

    rows: Mapping[str, list[Row]]
    places: Mapping[str, Place]
    casino: str


def rows_of(played: Replayed) -> Iterator[Row]:
    """A round's rows: one per seat that played, or one without a seat."""
    state = played.encoded
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
        "cards": " ".join(state["cards"]),
        "burnt": " ".join(state["burnt"]),
        "outcome": state["outcome"],
        "void_reason": state["void_reason"],
        "first_seq": played.first_seq,
        "last_seq": played.last_seq,
    }
    for seat in list(_seats(state, played.players)) or [dict.fromkeys(SEAT)]:
        yield common | seat


def _seats(state: Mapping[str, Any], players: Mapping[str, Any]) -> Iterator[Row]:
    """What the round was to each seat: in casino Red Dog by its bets, in a card-room game by its results."""
    own_bets = "bets" in state
    for seat in sorted(state["bets"] if own_bets else state["results"], key=int):
        result = state["results"].get(seat, {})
        undecided = not own_bets and state["outcome"] is None
        yield {
            "seat": int(seat),
            "player": players.get(seat),
            "bet": state["bets"][seat] if own_bets else result["bet"],
            "raise": state["raises"].get(seat, 0) if own_bets else None,
            "toke": state.get("tokes", {}).get(seat, 0) if own_bets else None,
            "promo": state.get("promos", {}).get(seat, 0) if own_bets else None,
            "paid": result.get("paid" if own_bets else "won"),
            "net": None if undecided else result.get("net"),
        }


def read_export(path: Path) -> Export:
    """The rows of an export, CSV by its ending and JSON lines otherwise, and its manifest if it is beside.

    Raises:
        OSError, ValueError: it cannot be read, or is no export of rounds.
    """
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            rows = [
                _compared({k: _value(k, cell) for k, cell in row.items()}) for row in csv.DictReader(file)
            ]
        else:
            rows = [_compared(json.loads(line)) for line in file]
    return Export(path.name, [row for row in rows if row["round"] is not None], _beside(path))


def _beside(path: Path) -> Beside | None:
    manifest, note = (path.with_name(path.name + end) for end in (MANIFEST_ENDING, NOTE_ENDING))
    if not manifest.exists():
        return None
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Beside(manifest.read_bytes(), note.read_bytes(), path.stat().st_size, digest)


def _value(name: str | None, cell: Any) -> Any:
    """What a cell of CSV stands for; texts lose the apostrophe that guards them."""
    if not cell:
        return "" if name in ALWAYS else None
    if name in NUMBERS:
        return int(cell)
    return cell.removeprefix("'")


def _compared(row: Any) -> Row:
    if not isinstance(row, dict):
        raise ValueError("a line of the export is no object")
    if "no_activity" in row:
        return dict.fromkeys((*ROUND, *SEAT))
    if missing := sorted({*ROUND, *SEAT} - row.keys()):
        raise ValueError(f"the export has no column {missing[0]}")
    if not all(row[name] is None or type(row[name]) is int for name in NUMBERS):
        raise ValueError("a number of the export is none")
    return {name: row[name] for name in (*ROUND, *SEAT)}


def check_export(
    export: Export, due: Due, findings: Findings, *, keys: Sequence[Key], checkpoint: Checkpoint
) -> None:
    """Every round that is expected once, with these rows, and no other; the manifest signed, and of this.

    Args:
        keys: the log's public keys.
        checkpoint: the bundle's.
    """
    asked: Mapping[str, Any] = {}
    if export.beside is not None:
        manifest = _signed(export, export.beside, keys, findings)
        if manifest is None:
            return
        asked = manifest.filter
        for wrong in _wrong_with(export, manifest, due, checkpoint):
            _manifest_differs(findings, export, wrong)
    knows_shifts = all(row["shift"] is not None for rows in due.rows.values() for row in rows)
    if not knows_shifts:
        findings.remark("shifts_unknown", f"{export.name}: shifts are not compared", "")
    try:
        expected = {one: chosen(asked, due.places[one], rows) for one, rows in due.rows.items()}
    except TypeError:
        _manifest_differs(findings, export, "its filter asks for something that is none")
        return
    complete = is_whole(asked, knows_shifts=knows_shifts)
    _check_rows(export, {one: rows for one, rows in expected.items() if rows}, complete, findings)


def _signed(export: Export, beside: Beside, keys: Sequence[Key], findings: Findings) -> RoundsManifest | None:
    """The manifest beside an export; nothing is judged by one that nobody we know has signed."""
    try:
        if not signs(open_note(beside.note, keys), beside.manifest):
            raise NoteBad("what was signed is another manifest")
        return parse_rounds_manifest(beside.manifest)
    except (NoteBad, RoundsManifestBad) as exc:
        findings.add("export_not_signed", f"{export.name}: {exc}")
        return None


def _wrong_with(export: Export, manifest: RoundsManifest, due: Due, checkpoint: Checkpoint) -> Iterator[str]:
    """What the manifest says of the file and the house that is not so."""
    beside = export.beside
    if beside is None or (beside.size, beside.sha256) != (manifest.size, manifest.sha256):
        yield "it is of another file"
    counts = {"rounds": len({row["round_id"] for row in export.rows}), "rows": len(export.rows)}
    sums = {name: sum(row[name] or 0 for row in export.rows) for name in SUMMED}
    if counts != manifest.counts or any(one | sums != one for one in manifest.sums.values()):
        yield f"there are {counts}, {sums}"
    if manifest.filter.get("casino") != due.casino or manifest.filter.keys() - KNOWN:
        yield "its filter is of another house, or asks for what is not known"
    cut = manifest.checkpoint
    if cut is not None and cut.get("size") == checkpoint.size and cut.get("root") != checkpoint.root.hex():
        yield "its checkpoint is another than the bundle's of that size"


def _check_rows(
    export: Export, expected: Mapping[str, list[Row]], is_complete: bool, findings: Findings
) -> None:
    seen: set[str] = set()
    for round_id, group in groupby(export.rows, key=lambda row: str(row["round_id"])):
        due = expected.get(round_id)
        found = list(group)
        if due is None:
            _differs(findings, export, round_id, "the bundle gives no such round to it")
        elif round_id in seen:
            _differs(findings, export, round_id, "it stands twice")
        elif wrong := _wrong(found, due):
            _differs(findings, export, round_id, f"the journal gives other {', '.join(wrong)}")
        seen.add(round_id)
    for round_id in sorted(expected.keys() - seen) if is_complete else ():
        _differs(findings, export, round_id, "it is missing")


def _differs(findings: Findings, export: Export, round_id: str, detail: str) -> None:
    findings.add("export_differs", f"{export.name}, round {round_id}: {detail}")


def _manifest_differs(findings: Findings, export: Export, detail: str) -> None:
    findings.add("export_differs", f"{export.name}, its manifest: {detail}")


def _wrong(found: Sequence[Row], due: Sequence[Row]) -> list[str]:
    """The columns that differ; `seats` where there are not the same rows."""
    if len(found) != len(due):
        return ["seats"]
    pairs = [(name, one[name], other[name]) for one, other in zip(found, due, strict=True) for name in other]
    wrong = {name for name, one, other in pairs if one != other or type(one) is not type(other)}
    return sorted(wrong - {"shift"} if due[0]["shift"] is None else wrong)


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
