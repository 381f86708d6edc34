"""Eight processes at once: no fork, no gap, no lost update, every balance exact."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from config.env import BASE_DIR
from ledger import selectors
from ledger.models import Entry
from ledger.verify_journal import verify_journal
from tests.ledger.support import FLOAT, filled_stream

pytestmark = pytest.mark.django_db(transaction=True)

PROCESSES = 8
COMMANDS = 60  # per process


@dataclass
class Outcome:
    """What all processes together say they did."""

    numbers: dict[str, list[int]]
    moved: dict[str, Counter[str]]
    refused: Counter[str]


def _run(streams: list[str], commands: list[list[str]], *, most: int) -> Outcome:
    """Start a process per list of commands, let all go at once, verify meanwhile, and sum up."""
    posters = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.ledger.poster"],
            cwd=BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in commands
    ]
    answers: list[dict[str, Any]] = []
    try:
        for seed, (poster, own) in enumerate(zip(posters, commands, strict=True)):
            order = {
                "url": os.environ["DATABASE_URL"],
                "streams": streams,
                "commands": own,
                "seed": seed,
                "most": most,
            }
            _tell(poster, json.dumps(order))
        for poster in posters:
            assert _answer(poster) == "ready"
        for poster in posters:
            _tell(poster, "go")
        while any(poster.poll() is None for poster in posters[:1]):
            assert verify_journal(stream=streams[0]).findings == []
        answers = [json.loads(_answer(poster)) for poster in posters]
        assert [poster.wait() for poster in posters] == [0] * len(posters)
    finally:
        for poster in posters:
            poster.kill()
            poster.communicate()
    return Outcome(
        {stream: [n for answer in answers for n in answer["numbers"][stream]] for stream in streams},
        {
            stream: sum((_signed(answer["moved"][stream]) for answer in answers), _Signed())
            for stream in streams
        },
        sum((Counter(answer["refused"]) for answer in answers), Counter()),
    )


class _Signed(Counter[str]):
    """A counter whose sum keeps negative and zero counts."""

    def __add__(self, other: Counter[str]) -> "_Signed":  # type: ignore[override]
        total = _Signed(self)
        total.update(other)
        return total


def _signed(counts: dict[str, int]) -> _Signed:
    return _Signed(counts)


def _tell(poster: "subprocess.Popen[str]", line: str) -> None:
    assert poster.stdin is not None
    poster.stdin.write(line + "\n")
    poster.stdin.flush()


def _answer(poster: "subprocess.Popen[str]") -> str:
    assert poster.stdout is not None
    line: str = poster.stdout.readline()
    return line.strip()


def _assert_exact(outcome: Outcome) -> None:
    """Every number once, every balance what the processes moved, and nothing for the verifier to find."""
    for stream, numbers in outcome.numbers.items():
        assert sorted(numbers) == list(range(3, len(numbers) + 3))
        expected = Counter({"tray": FLOAT, "cage": -FLOAT})
        expected.update(outcome.moved[stream])
        found = selectors.balances(stream)
        assert found == {name: expected[name] for name in found}
        entries = list(selectors.entries(stream))
        assert len({bytes(entry.previous_hash) for entry in entries}) == len(entries)
        report = verify_journal(stream=stream)
        assert (report.findings, report.entries) == ([], len(numbers) + 2)
        assert report.movements == 3 * len(numbers) + 1


def _commands(count: int = COMMANDS) -> list[list[str]]:
    return [[str(uuid4()) for _ in range(count)] for _ in range(PROCESSES)]


def test_eight_processes_on_one_stream() -> None:
    stream = filled_stream()
    outcome = _run([stream], _commands(), most=1)
    _assert_exact(outcome)
    assert len(outcome.numbers[stream]) + outcome.refused["PL008"] == PROCESSES * COMMANDS
    assert set(outcome.refused) <= {"PL008"}


def test_eight_processes_on_eight_streams_with_floors_that_break() -> None:
    streams = [filled_stream() for _ in range(PROCESSES)]
    outcome = _run(streams, _commands(), most=FLOAT)
    _assert_exact(outcome)
    posted = sum(len(numbers) for numbers in outcome.numbers.values())
    assert posted + outcome.refused["PL008"] == PROCESSES * COMMANDS
    assert posted > 0
    assert outcome.refused["PL008"] > 0


def test_eight_processes_with_the_same_commands() -> None:
    """Each command has one effect, whoever wins; the others are told so."""
    stream = filled_stream()
    shared = [str(uuid4()) for _ in range(COMMANDS)]
    outcome = _run([stream], [shared] * PROCESSES, most=1)
    _assert_exact(outcome)
    posted = set(Entry.objects.filter(stream__name=stream, seq__gt=2).values_list("command_id", flat=True))
    assert {str(command) for command in posted} <= set(shared)
    assert len(posted) == len(outcome.numbers[stream])
    assert outcome.refused["PL009"] > 0
    assert set(outcome.refused) <= {"PL008", "PL009"}
