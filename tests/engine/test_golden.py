"""Golden transcripts: a released version answers every one of them as it did when it was released."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tables.engine.red_dog.actions import KINDS
from tables.engine.red_dog.rulebook import CODES
from tests.golden.transcript import inputs, parse_action, render, transcripts

TEXTS = {path: path.read_text(encoding="utf-8") for path in transcripts()}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    """Moves, results, refusals and state digests are what they were."""
    assert render(TEXTS[path]) == TEXTS[path]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_brackets_mark_what_is_refused(path: Path) -> None:
    """What a reader takes for refused is refused, and nothing else."""
    lines = TEXTS[path].splitlines()
    for line, answer in pairwise(lines):
        if not line.startswith((" ", "#", "game", "rules")):
            assert answer.startswith("    refused ") == line.startswith("[")


def test_they_cover_the_game() -> None:
    """Every outcome, every action and every refusal code stands in some transcript."""
    text = "".join(TEXTS.values())
    actions = [line for line in inputs(text) if not line.startswith(("#", "game", "rules"))]
    assert {parse_action(line)["type"] for line in actions} == KINDS.keys()
    for outcome in ("consecutive", "pair_push", "trips", "win", "lose", "void"):
        assert f"outcome {outcome}\n" in text
    codes = {line.split()[1] for line in text.splitlines() if line.startswith("    refused ")}
    assert codes == CODES.keys()
