"""Golden transcripts: whole rounds as text, so that a change of behaviour shows as a changed line.

Lines that begin at the margin are input (comments, ``game``, ``rules``, actions); indented lines are
what the engine answered. An action in brackets is one that is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables.engine.contract import IllegalAction
from tables.engine.registry import AnyGame, digest, game

FOLDER = Path(__file__).parent
FACTS = ("phase", "spread", "outcome", "next_dealer")
RULES: dict[str, Any] = json.loads((FOLDER / "rules.json").read_text(encoding="utf-8"))


def transcripts() -> list[Path]:
    """Every transcript, by name."""
    return sorted(FOLDER.glob("*.txt"))


def played_in(text: str) -> str:
    """The name of the game a transcript is of."""
    return next(line.split()[1] for line in inputs(text) if line.startswith("game "))


def inputs(text: str) -> list[str]:
    """The lines of a transcript that are input."""
    return [line for line in text.splitlines() if not line.startswith(" ")]


def parse_action(line: str) -> dict[str, Any]:
    """``raise seat=1 amount=500`` as an action."""
    kind, *fields = line.strip("[]").split()
    action: dict[str, Any] = {"type": kind}
    for field in fields:
        name, _, value = field.partition("=")
        action[name] = _value(kind, value)
    return action


def _value(kind: str, value: str) -> int | str | list[str]:
    """An integer, the cards a hand shows, or a word."""
    if kind == "show" and (value == "" or len(value.split(",")[0]) == 2):
        return value.split(",") if value else []
    return int(value) if value.lstrip("-").isdigit() else value


def render(text: str) -> str:
    """The transcript with every answer worked out anew from its input."""
    return "\n".join(_answers(inputs(text))) + "\n"


def _answers(lines: list[str]) -> Iterator[str]:
    """Every line of input followed by its answers."""
    played: AnyGame | None = None
    state: Any = None
    for line in lines:
        yield line
        word, _, rest = line.partition(" ")
        if word == "game":
            name, version = rest.split()
            played = game(name, int(version))
        elif played is not None and word == "rules":
            state = played.new_round(played.decode_rules(RULES[rest]))
            yield from _summary(played, state)
        elif played is not None and word and word != "#":
            try:
                step = played.apply(state, played.decode_action(parse_action(line)))
            except IllegalAction as refusal:
                yield f"    refused {refusal.code} {refusal.rule}"
                continue
            state = step.state
            yield from (f"    {move.source} -> {move.target} {move.amount}" for move in step.moves)
            yield from _summary(played, state)


def _summary(played: AnyGame, state: Any) -> Iterator[str]:
    """Where the round stands: phase, outcome, results once there are any, and the state's digest."""
    public = played.describe(state)
    if public["over"] or "turn" not in public:
        for seat, result in public["results"].items():
            yield f"    seat {seat}: " + " ".join(f"{name} {value}" for name, value in result.items())
    facts = {name: public[name] for name in FACTS if public.get(name) is not None}
    if public.get("turn"):
        facts["turn"] = "{seat} {due}".format(**public["turn"])
    facts |= {f"on {place}": amount for place, amount in played.places(state).items()}
    yield "    = " + ", ".join(f"{name} {value}" for name, value in facts.items())
    yield f"    state {digest(played.encode_state(state))[:16]}"
