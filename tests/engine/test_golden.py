"""Golden transcripts: a released version answers every one of them as it did when it was released."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tables.engine.card_room import actions as card_room
from tables.engine.card_room import rulebook as card_room_rules
from tables.engine.red_dog import actions as red_dog
from tables.engine.red_dog import rulebook as red_dog_rules
from tests.golden.transcript import inputs, parse_action, played_in, render, transcripts

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


CASINO_1 = [path for path, text in TEXTS.items() if "game red_dog 1" in text]


@pytest.mark.parametrize("path", CASINO_1, ids=lambda path: path.stem)
def test_without_anything_beside_the_bets_version_2_plays_as_version_1(path: Path) -> None:
    """The same refusals, moves and outcomes; only the state says more."""
    now = render(TEXTS[path].replace("game red_dog 1", "game red_dog 2"))
    said = [
        [line for line in text.splitlines() if not line.startswith(("    state", "    seat ", "game"))]
        for text in (now, TEXTS[path])
    ]
    assert said[0] == said[1]


GAMES = {
    "casino": (("red_dog",), red_dog.SIDE_KINDS.keys(), red_dog_rules.CODES.keys()),
    "card room": (
        ("high_card_pool", "burning_card", "banking"),
        card_room.BURNING_KINDS.keys() | card_room.BANKING_KINDS.keys(),
        card_room_rules.CODES.keys() - {"no_ace", "no_physical_result"},
    ),
}
OUTCOMES = {
    "casino": ("consecutive", "pair_push", "trips", "win", "lose", "void"),
    "card room": ("settled", "void"),
}


@pytest.mark.parametrize("kind", GAMES)
def test_they_cover_the_games(kind: str) -> None:
    """Every outcome, every action and every refusal code of an action stands in some transcript."""
    games, kinds, refusals = GAMES[kind]
    texts = [text for text in TEXTS.values() if played_in(text) in games]
    assert {played_in(text) for text in texts} == set(games)
    actions = [line for line in inputs("".join(texts)) if not line.startswith(("#", "game", "rules"))]
    assert {parse_action(line)["type"] for line in actions} == kinds
    for outcome in OUTCOMES[kind]:
        assert f"outcome {outcome}" in "".join(texts)
    codes = {line.split()[1] for line in "".join(texts).splitlines() if line.startswith("    refused ")}
    assert codes == refusals
