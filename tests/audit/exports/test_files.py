"""An export as files: the same bytes each time, signed; whole or not at all; going on where it was killed."""

import hashlib
import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.exports import parts
from audit.exports.filters import RoundFilter
from audit.exports.forms import FORMS, Form
from audit.exports.rounds import (
    ExportCancelled,
    ExportFailed,
    manifest_path,
    note_path,
    rounds_export,
)
from audit.verify.notes import open_note, parse_key
from audit.verify.rounds_manifest import MANIFEST_ENDING, NOTE_ENDING, parse_rounds_manifest, signs
from audit.writing.errors import writing
from config import env
from ledger.checkpoints.keys import KeyStore
from tables.models import Round
from tests.audit.exports.conftest import DAYS, Told
from tests.audit.exports.reading import export, manifest_of


@pytest.fixture(autouse=True)
def checkpoints(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder of the test's own to publish checkpoints to."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path_factory.mktemp("published")))


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("form", FORMS)
def test_the_same_request_gives_the_same_bytes(told: Told, tmp_path: Path, form: Form) -> None:
    """Data and manifest; only the note says who asked, and when."""
    one, two = tmp_path / "one", tmp_path / "two"
    export(told.casino, one, form, seat=2)
    wanted = RoundFilter(casino=told.casino, seat=2)
    done = rounds_export(filter=wanted, form=form, path=two, asked_by="A001")
    assert one.read_bytes() == two.read_bytes()
    assert manifest_path(one).read_bytes() == manifest_path(two).read_bytes()
    assert b"asked by A001 at 20" in note_path(two).read_bytes()
    assert note_path(one).read_bytes() != note_path(two).read_bytes()
    assert done.sha256 == hashlib.sha256(two.read_bytes()).hexdigest()
    assert done.size == two.stat().st_size
    endings = ("", MANIFEST_ENDING, NOTE_ENDING)
    assert names(tmp_path) == [f"{name}{ending}" for name in ("one", "two") for ending in endings]
    assert two.stat().st_mode & 0o777 == 0o600


def test_the_manifest_says_what_the_file_is_and_is_signed(told: Told, tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    call_command(
        "export_rounds",
        *("--casino", told.house.casino.code, "--gaming-day", f"{DAYS[1]}..{DAYS[2]}", "--seat", "2"),
        *("--format", "jsonl", "--output", str(path)),
        stdout=StringIO(),
    )
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    said = manifest_of(path)
    assert said["filter"] == {
        "casino": str(told.casino),
        "gaming_day_from": DAYS[1].isoformat(),
        "gaming_day_to": DAYS[2].isoformat(),
        "seat": 2,
    }
    assert said["counts"] == {"rounds": len(rows), "rows": len(rows), "unsealed": 0}
    sums = {name: sum(row[name] or 0 for row in rows) for name in ("bet", "raise", "paid", "net")}
    assert said["sums"]["USD"] == said["sums"]["USD"] | sums
    assert said["gaming_days"] == [DAYS[2].isoformat()]
    assert [one["id"] for one in said["rule_sets"]] == [rows[0]["rule_set_id"]]
    (last,) = (one["last"] for one in said["streams"] if one["stream"] == told.table.stream)
    played = told.rounds(told.table)
    assert last == max(
        filter(None, (n for r in played for n in (r.last_seq, r.corrected_seq, r.cancelled_seq)))
    )
    assert [one["name"] for one in said["columns"]] == list(rows[0])
    signer = KeyStore(env.home()).signer()
    assert said["checkpoint"]["origin"] == signer.name
    text = open_note(note_path(path).read_bytes(), [parse_key(signer.verifier.text)])
    manifest = manifest_path(path).read_bytes()
    assert signs(text, manifest)
    assert not signs(text, manifest + b" ")
    assert parse_rounds_manifest(manifest).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


class Stop(Exception):
    """As if somebody had pulled the plug."""


def stopping_after(rounds: int) -> Callable[[int, int], None]:
    """A watcher that pulls it when so many rounds are done."""

    def progress(done: int, total: int) -> None:
        if done >= rounds:
            raise Stop

    return progress


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The sessions that are asked of the database, in order."""
    seen: list[Any] = []

    def watched(kind: str) -> Callable[[RoundFilter, Any], Any]:
        make = parts.KINDS[kind]

        def copy(wanted: RoundFilter, session: Any) -> Any:
            seen.append(session)
            return make(wanted, session)

        return copy

    monkeypatch.setattr(parts, "KINDS", {kind: watched(kind) for kind in parts.KINDS})
    return seen


@pytest.mark.parametrize("form", FORMS)
def test_a_killed_export_goes_on_from_its_whole_parts(
    told: Told, tmp_path: Path, copied: list[Any], form: Form
) -> None:
    whole, path = tmp_path / "whole", tmp_path / "rounds"
    export(told.casino, whole, form)
    sessions = list(copied)
    assert len(sessions) == 3
    copied.clear()
    wanted = RoundFilter(casino=told.casino)
    with pytest.raises(Stop):  # in the middle of the second day
        rounds_export(filter=wanted, form=form, path=path, progress=stopping_after(3))
    assert not path.exists()
    assert (tmp_path / ".rounds.work").is_dir()
    seen: list[tuple[int, int]] = []
    copied.clear()
    rounds_export(filter=wanted, form=form, path=path, progress=lambda *done: seen.append(done))
    assert copied == sessions[1:]
    assert path.read_bytes() == whole.read_bytes()
    assert seen[0] == (0, 9)
    assert seen == sorted(seen)
    assert seen[-1] == (9, 9)
    assert not (tmp_path / ".rounds.work").exists()


def test_a_part_about_which_something_is_new_is_made_again(
    told: Told, tmp_path: Path, copied: list[Any]
) -> None:
    """An entry came about a round of the first day, when the second was there too and the third was not."""
    path, wanted = tmp_path / "rounds.csv", RoundFilter(casino=told.casino)
    with pytest.raises(Stop):
        rounds_export(filter=wanted, form="csv", path=path, progress=stopping_after(4))
    first = Round.objects.filter(table__casino=told.casino).order_by("session__gaming_day", "number")[0]
    Round.objects.filter(id=first.id).update(last_seq=first.last_seq + 100)
    last = told.rounds(told.table)[0].session_id
    copied.clear()
    rounds_export(filter=wanted, form="csv", path=path)
    assert copied == [first.session_id, last]  # and not the second day's
    assert f",{first.last_seq + 100}\n" in path.read_text()


def test_a_cancelled_export_leaves_nothing(told: Told, tmp_path: Path) -> None:
    """What was there before stays."""
    path = tmp_path / "rounds.csv"
    path.write_text("old")
    answers = iter([False, False, True])
    with pytest.raises(ExportCancelled) as refused:
        rounds_export(
            filter=RoundFilter(casino=told.casino), form="csv", path=path, cancelled=lambda: next(answers)
        )
    assert refused.value.code == "export_cancelled"
    assert (names(tmp_path), path.read_text()) == (["rounds.csv"], "old")


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes: the kernel's own refusal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_is_told_and_leaves_no_half_file(told: Told, tmp_path: Path, form: Form) -> None:
    """Whether a part finds no room or the file they are joined to; with room again it is written."""
    path = tmp_path / "rounds"
    size = export(told.casino, path, form).size
    whole, beside = path.read_bytes(), names(tmp_path)
    path.write_text("old")
    for most in (100, size - 1):
        with files_of_at_most(most), pytest.raises(ExportFailed) as refused:
            export(told.casino, path, form)
        assert refused.value.code == "export_no_space"
        assert (names(tmp_path), path.read_text()) == (beside, "old")
    export(told.casino, path, form)
    assert path.read_bytes() == whole


def test_what_keeps_a_file_from_being_written_has_a_code(told: Told, tmp_path: Path) -> None:
    with pytest.raises(ExportFailed) as full, writing(), open("/dev/full", "wb", buffering=0) as file:
        file.write(b"no room")
    assert full.value.code == "export_no_space"
    (tmp_path / ".rounds.work").write_text("a file where the folder should be")
    with pytest.raises(ExportFailed) as refused:
        export(told.casino, tmp_path / "rounds", "csv")
    assert refused.value.code == "export_failed"
    assert names(tmp_path) == [".rounds.work"]


def test_the_command_says_what_it_lacks(told: Told, tmp_path: Path) -> None:
    to = ("--output", str(tmp_path / "x.csv"), "--casino", told.house.casino.code)
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for words, arguments in {
        f"^{pipe} is there and no file": ("--output", str(pipe)),
        f"^{link} is there and no file": ("--output", str(link)),
        "no folder": ("--output", str(tmp_path / "none" / "x.csv"), "--gaming-day", "2026-01-01"),
        f"^{tmp_path} is a folder": ("--output", str(tmp_path), "--gaming-day", "2026-01-01"),
        "no casino nowhere": ("--output", str(tmp_path / "x.csv"), "--casino", "nowhere"),
        "is not a date like 2026-11-30": (*to, "--gaming-day", "yesterday"),
        "'' is not a date": (*to, "--gaming-day", "2026-01-01.."),
        "filter_invalid: gaming_day_to": (*to, "--gaming-day", "2026-01-02..2026-01-01"),
        "filter_invalid: alert": (*to, "--alert", "nothing"),
        "has no pit nowhere": (*to, "--pit", "nowhere"),
        "has no table nowhere": (*to, "--table", "nowhere"),
        "has no dealer nobody": (*to, "--dealer", "nobody"),
    }.items():
        with pytest.raises(CommandError, match=words):
            call_command("export_rounds", *arguments)
    assert names(tmp_path) == ["link", "pipe"]
    assert pipe.is_fifo(), "what is no file is not replaced by one"


def test_a_terminal_is_shown_how_far_it_is(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    out = StringIO()
    to = ("--output", str(tmp_path / "x.parquet"), "--casino", told.house.casino.code)
    call_command("export_rounds", *to, "--format", "parquet", stdout=out)
    assert "9/9" in capsys.readouterr().err
    assert "9 rounds in 19 rows" in out.getvalue()
