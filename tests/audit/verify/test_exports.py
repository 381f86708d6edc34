"""Exported rounds beside a bundle: they are what the journal gives, or the verifier says where not."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

import pytest

from audit.verify.__main__ import FAILED, FOUND, VERIFIED, main
from audit.verify.bundle import verify_bundle
from audit.verify.records import canonical
from audit.verify.rounds_manifest import MANIFEST_ENDING, NOTE_ENDING, note_text
from audit.verify.rows import COMPARED, NUMBERS, SUMMED, Export, read_export
from tests.audit.verify.made import Made

Lines = list[str]
Beside = dict[str, bytes]


def verified(
    made: Made, folder: Path, name: str, content: bytes, *, bundle: str = "day", beside: Beside | None = None
) -> int:
    """The exit code of the verifier with this export beside a bundle, alone or with manifest and note."""
    (folder / "bundle.zip").write_bytes(made.bundles[bundle])
    (folder / "log.pub").write_text(made.signer.verifier.text)
    (folder / name).write_bytes(content)
    for ending, text in (beside or {}).items():
        (folder / f"{name}{ending}").write_bytes(text)
    asked = [str(folder / "bundle.zip"), "--key", str(folder / "log.pub"), "--rounds", str(folder / name)]
    return main([*asked, "--json"])


def beside(made: Made, name: str) -> Beside:
    """An export's manifest and note."""
    return {ending: made.exports[f"{name}{ending}"] for ending in (MANIFEST_ENDING, NOTE_ENDING)}


@pytest.mark.parametrize("name", ["rounds.csv", "rounds.jsonl"])
@pytest.mark.parametrize("bundle", ["day", "whole"])
def test_the_exports_of_a_day_are_those_of_its_bundle(
    made: Made, tmp_path: Path, name: str, bundle: str
) -> None:
    assert verified(made, tmp_path, name, made.exports[name], bundle=bundle) == VERIFIED


def head(lines: Lines) -> Lines:
    """The line with the columns' names, where there is one."""
    return lines[:1] if lines[0].startswith("gaming_day") else []


def idle(lines: Lines) -> str:
    """The line that says there are no rows."""
    return f"No Activity{lines[0].count(',') * ','}\n" if head(lines) else '{"no_activity":"No Activity"}\n'


MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:")
CHANGED: dict[str, Callable[[Lines], Lines]] = {
    "a row left out": lambda lines: lines[:1] + lines[2:],
    "a round left out": lambda lines: lines[:-2],
    "a row twice": lambda lines: [*lines, lines[-1]],
    "rows swapped": lambda lines: [*lines[:1], lines[2], lines[1], *lines[3:]],
    "another card": lambda lines: [line.replace("9D", "8D") for line in lines],
    "another outcome": lambda lines: [line.replace("lose", "win") for line in lines],
    "another bet": lambda lines: [line.replace("2500", "2600") for line in lines],
    "another number": lambda lines: [line.replace("red_dog", "red_dot") for line in lines],
    "another shift": lambda lines: [MOMENT.sub("2026-01-01T00:", line) for line in lines],
    "that there is nothing, before rows": lambda lines: [*lines[:1], idle(lines), *lines[1:]],
    "that there is nothing, in their place": lambda lines: [*head(lines), idle(lines)],
    "nothing": head,
}


@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("name", ["rounds.csv", "rounds.jsonl"])
def test_a_changed_export_is_found(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, change: str
) -> None:
    lines = made.exports[name].decode().splitlines(keepends=True)
    content = "".join(CHANGED[change](lines)).encode()
    assert content != made.exports[name]
    assert verified(made, tmp_path, name, content) == FOUND
    assert set(json.loads(capsys.readouterr().out)["finding_counts"]) == {"export_differs"}


def test_each_column_of_an_export_is_held_against_the_journal(made: Made, tmp_path: Path) -> None:
    """A later correction the bundle cannot tell."""
    (tmp_path / "rounds.jsonl").write_bytes(made.exports["rounds.jsonl"])
    rows = read_export(tmp_path / "rounds.jsonl").rows
    wrong = [Export(name, [changed(rows[0], name), *rows[1:]]) for name in COMPARED]
    later = {"corrected_seq": 10**6, "corrected_net": 5, "cancelled_seq": 10**6, "status": "cancelled"}
    beyond = Export("beyond", [row | later for row in rows])
    found = verify_bundle(made.bundles["whole"], keys=[made.key], exports=[*wrong, beyond]).findings
    assert set(found.counts) == {"export_differs"}
    assert {one.detail.split(",")[0] for one in found.listed} == set(COMPARED)


def test_what_is_bet_in_currency_is_told_from_chips(made: Made, tmp_path: Path) -> None:
    """RD-MONEY: of the bet and of the raise on it; none of anybody else's, nor in the card room."""
    told = []
    for name in ("rounds.csv", "rounds.jsonl"):
        (tmp_path / name).write_bytes(made.exports[name])
        rows = read_export(tmp_path / name).rows
        told.append([(row["bet"], row["raise"], row["money"]) for row in rows if row["money"]])
        assert {row["money"] for row in rows if row["seat"] is None or row["game"] != "red_dog"} == {None}
        assert {row["money"] for row in rows if row["table"] == "rd-beside"} == {0}
    assert told == 2 * [[(1_000, 0, 1_000), (1_500, 500, 2_000)]]
    sums = json.loads(made.exports["rounds.csv.manifest.json"])["sums"]
    assert sums["USD"]["money"] == 3_000


def changed(row: Any, name: str) -> Any:
    """A row with another value under that name."""
    if name in NUMBERS:
        return row | {name: (row[name] or 0) + 1}
    return row | {name: "another" if isinstance(row[name], str | None) else not row[name]}


@pytest.mark.parametrize("change", ["25_00", "2500,", '2500"', "\u0662500"])
def test_what_two_readers_would_read_in_two_ways_is_no_export(
    made: Made, tmp_path: Path, change: str
) -> None:
    content = made.exports["rounds.csv"].decode()
    assert verified(made, tmp_path, "rounds.csv", content.replace("2500", change, 1).encode()) == FAILED
    twice = [",".join((line, line)) for line in content.splitlines()]
    assert verified(made, tmp_path, "rounds.csv", "\n".join(twice).encode()) == FAILED
    lines = made.exports["rounds.jsonl"]
    assert verified(made, tmp_path, "rounds.jsonl", lines.replace(b"{", b'{"net":1,', 1)) == FAILED
    assert verified(made, tmp_path, "rounds.jsonl", b"[" * 100_000) == FAILED
    assert verified(made, tmp_path, "rounds.jsonl", b"PAR1\xb5") == FAILED, "nor is another form"


def test_an_export_without_rows_says_so_once(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GLI-19: No Activity, in the file and in its manifest; of a filter that nothing meets."""
    asked = json.loads(made.exports[f"some.csv{MANIFEST_ENDING}"])["filter"] | {"stake_min": 10**9}
    said = {"filter": asked, "counts": {"rounds": 0, "rows": 0, "unsealed": 0}, "gaming_days": []}
    said |= {"sums": {"USD": dict.fromkeys(SUMMED, 0)}, "activity": "No Activity"}
    for name in ("some.csv", "some.jsonl"):
        lines = made.exports[name].decode().splitlines(keepends=True)
        for content, exit_code in (
            ([*head(lines), idle(lines)], VERIFIED),
            ([*head(lines), idle(lines), idle(lines)], FOUND),
            (head(lines), FOUND),
        ):
            data = "".join(content).encode()
            file = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            signed = resigned(made, name, **said, file=file)
            assert verified(made, tmp_path, name, data, bundle="whole", beside=signed) == exit_code
        silent = resigned(made, name, **said | {"activity": None}, file=file)
        assert verified(made, tmp_path, name, data, bundle="whole", beside=silent) == FOUND
    capsys.readouterr()


@pytest.mark.parametrize("name", [*("rounds.csv", "some.csv", "some.jsonl"), *("dealt.csv", "dealt.jsonl")])
def test_an_export_is_what_its_signed_manifest_asked_for(made: Made, tmp_path: Path, name: str) -> None:
    """Also chosen by a dealer's badge, which no journal of a table knows."""
    content, signed = made.exports[name], beside(made, name)
    assert verified(made, tmp_path, name, content, bundle="whole", beside=signed) == VERIFIED


def test_what_lies_alone_is_compared_by_its_rows(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Saved again with other ends of lines it says the same, and is not the file that was signed."""
    name, again = "rounds.csv", made.exports["rounds.csv"].replace(b"\n", b"\r\n")
    assert verified(made, tmp_path, name, again) == VERIFIED
    assert "export_alone" in {one["type"] for one in json.loads(capsys.readouterr().out)["remarks"]}
    assert verified(made, tmp_path, name, again, beside=beside(made, name)) == FOUND
    capsys.readouterr()
    assert verified(made, tmp_path, name, made.exports[name], beside=beside(made, name)) == VERIFIED
    assert "export_alone" not in {one["type"] for one in json.loads(capsys.readouterr().out)["remarks"]}


@pytest.mark.parametrize("name", ["rounds.parquet", "rounds.xlsx"])
def test_of_a_form_that_is_not_read_the_signed_sums_are_compared(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    content, signed = made.exports[name], beside(made, name)
    assert verified(made, tmp_path, name, content) == FAILED, "there is nothing to go by"
    assert verified(made, tmp_path, name, content, beside=signed) == VERIFIED
    assert "export_unread" in {one["type"] for one in json.loads(capsys.readouterr().out)["remarks"]}
    assert verified(made, tmp_path, name, content + b"\0", beside=signed) == FOUND
    said = json.loads(signed[MANIFEST_ENDING])
    sums, counts = said["sums"]["USD"], said["counts"]
    lies: list[dict[str, Any]] = [
        {"sums": {"USD": sums | {"net": sums["net"] + 1}}},
        {"sums": {}},
        {"counts": counts | {"rows": counts["rows"] + 1}},
        {"counts": counts | {"rounds": 0, "rows": 0}, "activity": "No Activity"},
        {"activity": "No Activity"},
        {"filter": said["filter"] | {"seat": 1}},
    ]
    for lie in lies:
        assert verified(made, tmp_path, name, content, beside=resigned(made, name, **lie)) == FOUND, lie
    capsys.readouterr()


def test_a_machine_without_time_zones_compares_everything_but_shifts(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tables.figures.ZoneInfo", without_zones)
    name = "rounds.jsonl"
    content = re.sub(rb'"shift":\d', b'"shift":3', made.exports[name])
    assert verified(made, tmp_path, name, content) == VERIFIED
    told = {one["type"] for one in json.loads(capsys.readouterr().out)["remarks"]}
    assert told >= {"shifts_unknown", "days_unknown"}
    assert verified(made, tmp_path, name, content.replace(b'"seat":1', b'"seat":2')) == FOUND


def without_zones(key: str) -> None:
    raise ZoneInfoNotFoundError(key)


def resigned(made: Made, name: str, **said: Any) -> Beside:
    """Manifest and note of an export whose house says this of it, and signs it."""
    manifest = canonical(json.loads(made.exports[f"{name}{MANIFEST_ENDING}"]) | said)
    note = made.signer.sign(note_text(manifest, by="D001", at="2026-11-30T12:00:00Z"))
    return {MANIFEST_ENDING: manifest, NOTE_ENDING: note.encode()}


@pytest.mark.parametrize(
    ("said", "types"),
    [
        ({"filter": {"casino": "another"}}, {"export_differs"}),
        ({"filter": {"weather": "fine"}}, {"export_differs"}),
        ({"filter": {"seat": 1}}, {"export_differs"}),
        ({"filter": {"stake_min": "much"}}, {"export_differs"}),
        ({"counts": {"rounds": 1, "rows": 1, "unsealed": 0}}, {"export_differs"}),
        ({"sums": {"USD": {"bet": 1}}}, {"export_differs"}),
        ({"file": {"size": 1, "sha256": ""}}, {"export_differs"}),
        ({"version": 4}, {"export_not_signed"}),
        ({"counts": {}}, {"export_not_signed"}),
        ({"activity": "No Activity"}, {"export_differs"}),
        ({"activity": "none"}, {"export_not_signed"}),
    ],
)
def test_a_manifest_that_says_something_else_is_found(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], said: dict[str, Any], types: set[str]
) -> None:
    name = "some.csv"
    asked = json.loads(made.exports[f"{name}{MANIFEST_ENDING}"])["filter"]
    changed = said | ({"filter": asked | said["filter"]} if "filter" in said else {})
    signed = resigned(made, name, **changed)
    assert verified(made, tmp_path, name, made.exports[name], bundle="whole", beside=signed) == FOUND
    assert set(json.loads(capsys.readouterr().out)["finding_counts"]) == types


def test_a_manifest_nobody_signed_is_found(made: Made, tmp_path: Path) -> None:
    """And so is a checkpoint of the bundle's size with another root."""
    name = "some.csv"
    own, other = beside(made, name), resigned(made, name, format="jsonl")
    content = made.exports[name]
    mixed = own | {MANIFEST_ENDING: other[MANIFEST_ENDING]}
    assert verified(made, tmp_path, name, content, bundle="whole", beside=mixed) == FOUND
    cut = json.loads(own[MANIFEST_ENDING])["checkpoint"] | {"root": "00" * 32}
    forked = resigned(made, name, checkpoint=cut)
    assert verified(made, tmp_path, name, content, bundle="whole", beside=forked) == FOUND


def test_what_is_no_export_cannot_be_judged(made: Made, tmp_path: Path) -> None:
    assert verified(made, tmp_path, "rounds.jsonl", b"[]\n") == FAILED
    assert verified(made, tmp_path, "rounds.jsonl", b"no JSON\n") == FAILED
    lines = made.exports["rounds.jsonl"]
    assert verified(made, tmp_path, "rounds.jsonl", lines.replace(b'"shift":', b'"shirt":')) == FAILED
    assert verified(made, tmp_path, "rounds.jsonl", lines.replace(b'"seat":1', b'"seat":"1"')) == FAILED
