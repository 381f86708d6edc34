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
RULES: dict[str, Any] = json.loads((FOLDER / "rules.json").read_text(encoding="utf-8"))


def transcripts() -> list[Path]:
    """Every transcript, by name."""
    return sorted(FOLDER.glob("*.txt"))


def inputs(text: str) -> list[str]:
    """The lines of a transcript that are input."""
    return [line for line in text.splitlines() if not line.startswith(" ")]


def parse_action(line: str) -> dict[str, Any]:
    """``raise seat=1 amount=500`` as an action."""
    kind, *fields = line.strip("[]").split()
    action: dict[str, Any] = {"type": kind}
    for field in fields:
        name, _, value = field.partition("=")
        action[name] = int(value) if value.lstrip("-").isdigit() else value
    return action


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
    for seat, result in public["results"].items():
        yield f"    seat {seat}: " + " ".join(f"{name} {value}" for name, value in result.items())
    facts = {name: public[name] for name in ("phase", "spread", "outcome") if public[name] is not None}
    facts |= {f"on {place}": amount for place, amount in played.places(state).items()}
    yield "    = " + ", ".join(f"{name} {value}" for name, value in facts.items())
    yield f"    state {digest(played.encode_state(state))[:16]}"
