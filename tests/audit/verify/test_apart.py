"""A bundle walked by several processes: the same report to the byte, and never silence when one is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.bundle import program
from audit.verify import apart
from audit.verify.__main__ import FAILED, FOUND, VERIFIED, main
from audit.verify.walk import BundleWalk
from bench import bundle as benchmark
from config.env import BASE_DIR
from tests.audit.verify.forgeries import (
    a_reversal_of_another_stream,
    another_card,
    another_drop,
    one_left_out,
    the_same_id,
)
from tests.audit.verify.made import Line, Made, forged, members_of, records_of, resigned
from tests.audit.verify.test_forged import renamed
from tests.embedded.harness import PATIENCE_SECONDS

Judge = Callable[..., tuple[int, str]]


@pytest.fixture
def judge(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Judge:
    """Verifies a bundle as on the command line, however small it is; the exit code and all that was said."""
    monkeypatch.setattr(apart, "SMALL", 0)
    (tmp_path / "log.pub").write_text(made.signer.verifier.text)

    def judged(bundle: bytes, jobs: int, *more: str) -> tuple[int, str]:
        (tmp_path / "bundle.zip").write_bytes(bundle)
        arguments = [str(tmp_path / "bundle.zip"), "--key", str(tmp_path / "log.pub"), "--jobs", str(jobs)]
        code = main([*arguments, *more])
        said = capsys.readouterr()
        return code, said.out + said.err

    return judged


def test_the_report_does_not_depend_on_how_many_there_were(made: Made, tmp_path: Path, judge: Judge) -> None:
    """Whole and in part, with exports beside it, and with remarks."""
    rounds = tmp_path / "rounds.csv"
    rounds.write_bytes(made.exports["rounds.csv"])
    honest = [made.bundles["day"], made.bundles["whole"], made.bundles["round"], forged(made, renamed)]
    for bundle in honest:
        assert judge(bundle, 1)[0] == VERIFIED
        assert judge(bundle, 1, "--json") == judge(bundle, 2, "--json") == judge(bundle, 5, "--json")
        assert judge(bundle, 1) == judge(bundle, 3)
    for more in (("--rounds", str(rounds)), ("--rounds", str(rounds), "--json")):
        assert judge(made.bundles["day"], 1, *more) == judge(made.bundles["day"], 2, *more)


def id_of_another_stream(lines: list[Line]) -> None:
    """An id that stands in two streams, which no process sees by itself."""
    own = next(one for one in lines if one.stream.startswith("table:") and one.kind == "seat.leave")
    own.id = next(one for one in lines if one.stream.startswith("cage:") and one.seq == 2).id


FORGED = (
    *(another_card, another_drop, one_left_out),
    *(the_same_id, id_of_another_stream, a_reversal_of_another_stream),
)


@pytest.mark.parametrize("change", FORGED)
def test_nor_does_what_is_found(made: Made, judge: Judge, change: Callable[[list[Line]], object]) -> None:
    bundle = forged(made, change)
    one = judge(bundle, 1, "--json")
    assert one[0] == FOUND
    assert one == judge(bundle, 2, "--json")


def test_nor_where_records_or_leaves_cannot_be_told_apart(made: Made, judge: Judge) -> None:
    members = members_of(made.bundles["day"])
    records = records_of(members["entries"])
    for changed in (
        {"entries": members["entries"][:-1]},
        {"entries": members["entries"] + bytes(3)},
        {"entries": b"".join([*records, records[0]])},
        {"entries": b"".join(reversed(records))},
        {"entries": b"\xff" * len(members["entries"])},
        {"leaves": members["leaves"][:-1]},
        {"leaves": members["leaves"] + bytes(40)},
        {"leaves": members["leaves"][40:]},
        {"cited": members["cited"][:-1]},
    ):
        bundle = resigned({**members, **changed}, made.signer)
        one = judge(bundle, 1, "--json")
        assert one[0] == FOUND
        assert one == judge(bundle, 3, "--json")


def test_a_process_that_is_killed_is_no_verdict(
    made: Made, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2: nothing is known, and that is said."""

    class Killed(BundleWalk):
        def walk(self) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(apart, "BundleWalk", Killed)
    code, said = judge(made.bundles["day"], 2)
    assert code == FAILED
    assert said == "could not verify: a process that verified a part of it was lost\n"


WAITING = """
import os, signal, sys
from audit.verify import apart
from audit.verify.__main__ import main

class Waiting(apart.BundleWalk):
    def walk(self):
        os.write(1, b".")
        signal.pause()

apart.SMALL, apart.BundleWalk = 0, Waiting
main()
"""


def test_where_the_first_is_killed_the_others_end(made: Made, tmp_path: Path) -> None:
    """Whoever reads what it says waits for none of them."""
    (tmp_path / "bundle.zip").write_bytes(made.bundles["day"])
    (tmp_path / "log.pub").write_text(made.signer.verifier.text)
    arguments = [str(tmp_path / "bundle.zip"), "--key", str(tmp_path / "log.pub"), "--jobs", "3"]
    command = [sys.executable, "-c", WAITING, *arguments]
    with subprocess.Popen(command, cwd=BASE_DIR, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.read(1) == b".", "others are at it"
        first.kill()
        first.communicate(timeout=PATIENCE_SECONDS)  # over when nobody can write to it any more


def test_where_no_process_can_be_begun_this_one_walks(
    made: Made, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **said: object) -> None:
        raise OSError("the system allows no more")

    due = judge(made.bundles["day"], 1)
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", refused)
    assert judge(made.bundles["day"], 2) == due


def test_a_small_bundle_begins_no_process(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object) -> None:
        raise AssertionError("it is small")

    monkeypatch.setattr(apart, "_walked", never)
    assert made.judged(made.bundles["day"], jobs=8).holds


FROM_NOTHING = """
import sys
from audit.verify import apart
from audit.verify.__main__ import main
apart.SMALL, apart.FORKED = 0, False
sys.exit(main())
"""


def test_processes_that_share_no_memory_say_the_same(made: Made, judge: Judge, tmp_path: Path) -> None:
    """As on systems that cannot fork: out of the one file, with nothing installed."""
    due = judge(made.bundles["day"], 1)
    verifier = tmp_path / "pitledger-verify.pyz"
    program.write_program(verifier)
    starter = tmp_path / "starter.py"
    starter.write_text(f"import sys\nsys.path.insert(0, {str(verifier)!r})\nif __name__ == '__main__':")
    with starter.open("a") as file:
        file.write(FROM_NOTHING.replace("\n", "\n    "))
    command = [sys.executable, "-I", "-S", str(starter), str(tmp_path / "bundle.zip"), "--jobs", "2"]
    ran = subprocess.run(
        [*command, "--key", str(tmp_path / "log.pub")],
        env={},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout + ran.stderr) == due


def test_what_the_benchmark_verifies_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that is added finds nothing in the bundle whose verifying is timed."""
    monkeypatch.setattr(benchmark, "ENTRIES", 40)
    try:
        assert benchmark.verify() == benchmark.bare() == 40
    finally:
        benchmark._made.cache_clear()
