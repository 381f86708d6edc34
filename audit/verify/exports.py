"""Exported round histories against the journal: the columns that follow from a bundle's entries.

Names of people and of things the office calls so (badges, pits, shoe numbers) are not compared; whatever says
what was played, bet, paid and won, where and when, is. Of an export with its manifest beside it the signature
is checked too, and the filter says which rows there must be.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from audit.resettle import Replayed
from audit.verify.chosen import KNOWN, Place, Row, chosen, is_whole
from audit.verify.manifest import SCOPES
from audit.verify.notes import Checkpoint, Key, NoteBad, open_note
from audit.verify.report import Findings
from audit.verify.rounds_manifest import RoundsManifest, RoundsManifestBad, parse_rounds_manifest, signs
from audit.verify.rows import CANCELLED, CORRECTED, SUMMED, Beside, Export, corrected, rows_of
from audit.verify.walked import Walked
from tables.figures import shift_of

UNFINISHED = ("in_progress", "interrupted")


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

    def join(self, other: "Expected") -> None:
        """Take the rounds of other streams."""
        self.rows.update(other.rows)
        self.sessions.update(other.sessions)
        self.begun.update(other.begun)

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
        numbers = {str(one.id): one.number for _, one in walked.sessions}
        ends = {str(one.id): walked.walks[stream].last for stream, one in walked.sessions}
        rows = {
            one: [
                row
                | self._known(one, casino, walked)
                | _where(self._place(places, one), numbers.get(self.sessions[one]))
                | _since(row, one, walked)
                for row in self.rows[one]
            ]
            for one in wanted
        }
        return Due(
            rows,
            {one: self._place(places, one) for one in wanted},
            str(casino.get("id")),
            {one: ends.get(self.sessions[one], 0) for one in wanted},
        )

    def _place(self, places: Mapping[str, Place], round_id: str) -> Place:
        return places.get(self.sessions[round_id], Place("", "", ""))

    def _known(self, round_id: str, casino: Mapping[str, Any], walked: Walked) -> Row:
        """What is known only when all entries were seen: shift and currency, and that it was cancelled."""
        try:
            shift: int | None = shift_of(self.begun[round_id], casino["time_zone"], casino["rollover_hour"])
        except (KeyError, TypeError, ValueError):
            shift = None  # this machine knows no such time zone, or no casino was opened
        cancelled: Row = {"status": "cancelled"} if round_id in walked.cancelled else {}
        currency: Row = {"currency": casino["currency"]} if "currency" in casino else {}
        return {"shift": shift} | currency | cancelled


class Due(NamedTuple):
    """What an export of the bundle's rounds has, by a round's id.

    Attributes:
        rows, places: the rows of each, and where it was played.
        casino: the casino's id.
        ends: the number of the last entry of its table's stream that the bundle has.
    """

    rows: Mapping[str, list[Row]]
    places: Mapping[str, Place]
    casino: str
    ends: Mapping[str, int]


def _where(place: Place, number: int | None) -> Row:
    """Where a round was played, as far as the bundle tells."""
    said = {"gaming_day": place.gaming_day, "table": place.table, "session": number}
    return {name: value for name, value in said.items() if value}


def _since(row: Row, round_id: str, walked: Walked) -> Row:
    """What a round was corrected to, and which entry cancelled it."""
    last = walked.corrected.get(round_id)
    since = corrected(row, last.seq if last else None, last.state if last else None)
    return since | {"cancelled_seq": walked.cancelled.get(round_id)}


def check_export(
    export: Export, due: Due, findings: Findings, *, keys: Sequence[Key], checkpoint: Checkpoint
) -> None:
    """Every round that is expected once, with these rows, and no other; the manifest signed, and of this.

    Args:
        keys: the log's public keys.
        checkpoint: the bundle's.
    """
    if export.is_read and export.idle != (0 if export.rows else 1):
        detail = f"it says No Activity {export.idle} times, beside {len(export.rows)} rows"
        findings.add("export_differs", f"{export.name}: {detail}")
    asked: Mapping[str, Any] = {}
    manifest = None
    if export.beside is None:
        findings.remark("export_alone", f"{export.name}: no manifest says what it is", "")
    else:
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
    chosen_rows = {one: rows for one, rows in expected.items() if rows}
    if export.is_read or manifest is None:
        _check_rows(export, chosen_rows, due.ends, complete, findings)
        return
    findings.remark("export_unread", f"{export.name}: of its rows nothing else is told", "")
    if complete and (other := _other_sums(manifest, chosen_rows.values())):
        _manifest_differs(findings, export, f"the journal gives other {', '.join(other)}")


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
    counts, sums = _added_up(export.rows)
    if export.is_read and (
        counts != manifest.counts or any(one | sums != one for one in manifest.sums.values())
    ):
        yield f"there are {counts}, {sums}"
    if (manifest.activity is None) != bool(export.rows if export.is_read else manifest.counts["rows"]):
        yield f"it says of the activity: {manifest.activity}"
    if manifest.filter.get("casino") != due.casino or manifest.filter.keys() - KNOWN:
        yield "its filter is of another house, or asks for what is not known"
    cut = manifest.checkpoint
    if cut is not None and cut.get("size") == checkpoint.size and cut.get("root") != checkpoint.root.hex():
        yield "its checkpoint is another than the bundle's of that size"


def _added_up(rows: Sequence[Row]) -> tuple[dict[str, int], dict[str, int]]:
    """How many rounds and rows there are, and the sums of their amounts."""
    counts = {"rounds": len({row["round_id"] for row in rows}), "rows": len(rows)}
    return counts, {name: sum(row[name] or 0 for row in rows) for name in SUMMED}


def _other_sums(manifest: RoundsManifest, expected: Iterable[Sequence[Row]]) -> list[str]:
    """What a manifest says of rows nobody has read, and the journal does not.

    A correction may have come after the bundle's last entry, so what it changes is not compared.
    """
    counts, sums = _added_up([row for rows in expected for row in rows])
    wrong = [name for name, number in counts.items() if manifest.counts[name] != number]
    said = next(iter(manifest.sums.values()), {})
    compared = [name for name in sums if name not in CORRECTED]
    return wrong + [name for name in compared if said.get(name) != sums[name]]


def _check_rows(
    export: Export,
    expected: Mapping[str, list[Row]],
    ends: Mapping[str, int],
    is_complete: bool,
    findings: Findings,
) -> None:
    seen: set[str] = set()
    for round_id, group in groupby(export.rows, key=lambda row: str(row["round_id"])):
        due = expected.get(round_id)
        found = list(group)
        if due is None:
            _differs(findings, export, round_id, "the bundle gives no such round to it")
        elif round_id in seen:
            _differs(findings, export, round_id, "it stands twice")
        elif wrong := _wrong(found, due, ends[round_id]):
            _differs(findings, export, round_id, f"the journal gives other {', '.join(wrong)}")
        seen.add(round_id)
    for round_id in sorted(expected.keys() - seen) if is_complete else ():
        _differs(findings, export, round_id, "it is missing")


def _differs(findings: Findings, export: Export, round_id: str, detail: str) -> None:
    findings.add("export_differs", f"{export.name}, round {round_id}: {detail}")


def _manifest_differs(findings: Findings, export: Export, detail: str) -> None:
    findings.add("export_differs", f"{export.name}, its manifest: {detail}")


def _wrong(found: Sequence[Row], due: Sequence[Row], end: int) -> list[str]:
    """The columns that differ; `seats` where there are not the same rows.

    Args:
        end: the bundle's last entry: what was corrected or cancelled by a later one it cannot tell.
    """
    if len(found) != len(due):
        return ["seats"]
    pairs = [(name, one[name], other[name]) for one, other in zip(found, due, strict=True) for name in other]
    wrong = {name for name, one, other in pairs if one != other or type(one) is not type(other)}
    if due[0]["status"] == "in_progress" and all(one["status"] in UNFINISHED for one in found):
        wrong -= {"status"}  # whether its table was frozen by then
    if due[0]["shift"] is None:
        wrong -= {"shift"}
    if all((one["corrected_seq"] or 0) > end for one in found):
        wrong -= set(CORRECTED)
    if all((one["cancelled_seq"] or 0) > end for one in found):
        wrong -= {"status", *CANCELLED}
    return sorted(wrong)
