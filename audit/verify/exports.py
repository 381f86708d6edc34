"""Exported round histories against the journal: the columns that follow from a bundle's entries.

Names of people and of things the office calls so (badges, shoe numbers) are not compared; whatever says what
was played, bet, paid and won is.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from audit.resettle import Replayed
from audit.verify.manifest import SCOPES
from audit.verify.report import Findings
from audit.verify.walk import Walked

ROUND = (
    *("round_id", "round", "started_at", "ended_at", "status", "game", "engine_version", "rule_set_id"),
    *("cards", "burnt", "outcome", "void_reason", "first_seq", "last_seq"),
)
SEAT = ("seat", "player", "bet", "raise", "paid", "net")
Row = dict[str, Any]


class Export(NamedTuple):
    """An export as it lies in a file: its name, and its rows with the compared columns."""

    name: str
    rows: Sequence[Row]


@dataclass(slots=True)
class Expected:
    """The rounds a bundle gives, as an export has them.

    Attributes:
        rows: by round id.
        sessions: the session of each round.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)

    def take(self, played: Replayed) -> None:
        """Keep a round."""
        self.rows[str(played.id)] = list(rows_of(played))
        self.sessions[str(played.id)] = str(played.session)

    def within(self, scope: Mapping[str, Any], walked: Walked) -> dict[str, list[Row]]:
        """The rounds the bundle is about; it may hold others, of the same shoe or of earlier days."""
        days = {str(one.id): one.gaming_day.isoformat() for _, one in walked.sessions}
        named = scope[SCOPES[scope["kind"]]]
        is_wanted: dict[str, Callable[[str], bool]] = {
            "day": lambda round_id: days.get(self.sessions[round_id]) == named,
            "table": lambda round_id: True,
            "session": lambda round_id: self.sessions[round_id] == named,
            "round": lambda round_id: round_id == named,
        }
        wanted = {one: rows for one, rows in self.rows.items() if is_wanted[scope["kind"]](one)}
        for one in wanted.keys() & walked.cancelled:  # by an entry of its own, after it was over
            wanted[one] = [row | {"status": "cancelled"} for row in wanted[one]]
        return wanted


def rows_of(played: Replayed) -> Iterator[Row]:
    """A round's rows: one per seat that played, or one without a seat."""
    state = played.encoded
    common: Row = {
        "round_id": str(played.id),
        "round": played.number,
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
            "paid": result.get("paid" if own_bets else "won"),
            "net": None if undecided else result.get("net"),
        }


def read_export(path: Path) -> Export:
    """The rows of an export: CSV by its ending, JSON lines otherwise.

    Raises:
        OSError, ValueError: it cannot be read, or is no export of rounds.
    """
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            rows = [{name: row.get(name) for name in (*ROUND, *SEAT)} for row in csv.DictReader(file)]
        else:
            rows = [_compared(json.loads(line)) for line in file]
    return Export(path.name, [row for row in rows if row["seat"] is not None or row["round"]])


def _compared(row: Any) -> Row:
    if not isinstance(row, dict):
        raise ValueError("a line of the export is no object")
    return {name: row.get(name) for name in (*ROUND, *SEAT)}


def check_export(export: Export, expected: Mapping[str, list[Row]], findings: Findings) -> None:
    """Every round that is expected once, with these rows, and no other."""
    as_text = export.name.endswith(".csv")
    seen: set[str] = set()
    for round_id, group in groupby(export.rows, key=lambda row: str(row["round_id"])):
        due = expected.get(round_id)
        found = list(group)
        if due is None:
            _differs(findings, export, round_id, "the bundle is about no such round")
        elif round_id in seen:
            _differs(findings, export, round_id, "it stands twice")
        elif wrong := _wrong(found, [_texts(row) for row in due] if as_text else due):
            _differs(findings, export, round_id, f"the journal gives other {', '.join(wrong)}")
        seen.add(round_id)
    for round_id in sorted(expected.keys() - seen):
        _differs(findings, export, round_id, "it is missing")


def _differs(findings: Findings, export: Export, round_id: str, detail: str) -> None:
    findings.add("export_differs", f"{export.name}, round {round_id}: {detail}")


def _wrong(found: Sequence[Row], due: Sequence[Row]) -> list[str]:
    """The columns that differ; `seats` where there are not the same rows."""
    if len(found) != len(due):
        return ["seats"]
    pairs = [(name, one[name], other[name]) for one, other in zip(found, due, strict=True) for name in other]
    return sorted({name for name, one, other in pairs if one != other or type(one) is not type(other)})


def _texts(row: Row) -> Row:
    """A row as its cells in CSV."""
    return {name: "" if value is None else str(value) for name, value in row.items()}


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
