"""The state of a round: what happened is stored, what follows from it is derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tables.engine.cards import RANK_OF
from tables.engine.codec import is_int, is_object, same_json
from tables.engine.contract import IllegalAction, IntRange, JsonObject
from tables.engine.frozen import Kept, regardless_of
from tables.engine.red_dog.actions import VOID_REASONS
from tables.engine.red_dog.board import (
    Outcome,
    Phase,
    Result,
    Shape,
    Standing,
    Wager,
    outcome_of,
    results_of,
    standing_of,
    wager_texts,
)
from tables.engine.rules import SPREADS, RuleSet


@dataclass(frozen=True)
class State:
    """A round of casino Red Dog.

    Args:
        rules: the rule set it is played under.
        wagers: bets and raises by seat number; they stay on record after they were settled.
        cards: the board, up to three cards in the order dealt.
        burnt: cards seen after the result was known.
        announced: the spread last announced, right or wrong.
        misannounced: whether a wrong spread was ever announced.
        raise_test_excluded: the third card was seen before the raises were closed.
        settled: the chips of the outcome have moved.
        void_reason: why the round does not count, or None.
    """

    rules: RuleSet
    wagers: tuple[Wager, ...] = ()
    cards: tuple[str, ...] = ()
    burnt: tuple[str, ...] = ()
    announced: int | None = None
    misannounced: bool = False
    raise_test_excluded: bool = False
    settled: bool = False
    void_reason: str | None = None

    @regardless_of("wagers", "burnt", "announced", "misannounced", "raise_test_excluded")
    def standing(self) -> Standing:
        """What follows from cards and end together."""
        return standing_of(self.cards, settled=self.settled, void=self.void_reason is not None)

    @property
    def phase(self) -> Phase:
        """What the round waits for."""
        return self.standing.phase

    @property
    def shape(self) -> Shape | None:
        """What the first two cards are; None before they lie."""
        return self.standing.shape

    @property
    def spread(self) -> int | None:
        """The spread of the first two cards, 1 to 11, or None where there is none."""
        return self.standing.spread

    @property
    def outcome(self) -> Outcome | None:
        """How the round ended; None while it is undecided."""
        return self.standing.outcome

    @regardless_of(
        *("cards", "burnt", "announced", "misannounced", "raise_test_excluded", "settled", "void_reason")
    )
    def wager_texts(self) -> tuple[str, str]:
        """Bets and raises as members of JSON objects, by the numbers of the seats."""
        return wager_texts(self.wagers)

    @regardless_of("burnt", "announced", "misannounced", "raise_test_excluded", "settled")
    def results(self) -> tuple[Result, ...]:
        """What each seat is owed (phase paying) or was paid (phase over), by seat number."""
        outcome = self.outcome
        return () if outcome is None else self.results_if(outcome)

    def results_if(self, outcome: Outcome) -> tuple[Result, ...]:
        """What ``outcome`` does to every wager as it lies."""
        return self.results_with(self.wagers, outcome, self.spread)

    def results_with(
        self, wagers: Sequence[Wager], outcome: Outcome, spread: int | None
    ) -> tuple[Result, ...]:
        """What ``outcome`` on ``spread`` would do to other ``wagers`` of the same seats."""
        return results_of(self.rules, wagers, outcome, spread)

    @property
    def bets(self) -> dict[int, int]:
        """The bet of each seat, minor units."""
        return {wager.seat: wager.bet for wager in self.wagers}

    @property
    def raises(self) -> dict[int, int]:
        """The raise of each seat that raised, minor units."""
        return {wager.seat: wager.raised for wager in self.wagers if wager.raised}

    @property
    def seen(self) -> tuple[str, ...]:
        """Every card this round has shown."""
        return self.cards + self.burnt

    def wager(self, seat: int) -> Wager | None:
        """What ``seat`` has at stake, or None."""
        return next((wager for wager in self.wagers if wager.seat == seat), None)


RANGES: Kept[IntRange] = Kept(IntRange)


def bet_bounds(rules: RuleSet) -> IntRange:
    """The bets a seat may make (RD-BET)."""
    return rules.bets


def raise_bounds(rules: RuleSet, bet: int) -> IntRange:
    """The raises a seat with ``bet`` may make (RD-RAISE)."""
    highest = bet * rules.raise_rule.max_multiple
    step = rules.bet_step if rules.raise_rule.kind == "up_to" else bet
    return RANGES[step, highest, step]


def encode_state(state: State) -> JsonObject:
    """The state as JSON, with what follows from it for whoever reads it."""
    return {
        "rules": state.rules.to_dict(),
        "phase": state.phase,
        "bets": {str(seat): bet for seat, bet in state.bets.items()},
        "raises": {str(seat): amount for seat, amount in state.raises.items()},
        "cards": list(state.cards),
        "burnt": list(state.burnt),
        "spread": state.spread,
        "announced": state.announced,
        "misannounced": state.misannounced,
        "raise_test_excluded": state.raise_test_excluded,
        "outcome": state.outcome,
        "void_reason": state.void_reason,
        "settled": state.settled,
        "results": encode_results(state),
    }


def encode_results(state: State) -> JsonObject:
    """The results as JSON: ``{"3": {"bet", "raise", "paid", "net"}}``, minor units."""
    return {
        str(r.seat): {"bet": r.bet, "raise": r.raised, "paid": r.paid, "net": r.net} for r in state.results
    }


def decode_state(data: object) -> State:
    """The inverse of ``encode_state``, refusing what no round can reach (code ``bad_state``)."""
    if not is_object(data, ENCODED_KEYS):
        raise bad_state("it has other keys than a state")
    try:
        state = build(data)
        if same_json(encode_state(state), dict(data)):
            return state
    except (TypeError, ValueError, IllegalAction) as error:
        raise bad_state(str(error)) from error
    raise bad_state("what it says does not follow from what it holds")


def bad_state(detail: str) -> IllegalAction:
    """The refusal of what is no state, saying why."""
    return IllegalAction("bad_state", "STATE-1", f"not a state of this game: {detail}")


def build(data: Mapping[str, Any]) -> State:
    """The state of what is stored, ``CHECKS`` held; raises ValueError, TypeError or IllegalAction."""
    bets, raises = by_seat(data["bets"]), by_seat(data["raises"])
    if not raises.keys() <= bets.keys():
        raise ValueError("a raise without a bet")
    state = State(
        rules=RuleSet.from_dict(data["rules"]),
        wagers=tuple(Wager(seat, bets[seat], raises.get(seat, 0)) for seat in sorted(bets)),
        cards=tuple(data["cards"]),
        burnt=tuple(data["burnt"]),
        announced=data["announced"],
        misannounced=data["misannounced"],
        raise_test_excluded=data["raise_test_excluded"],
        settled=data["settled"],
        void_reason=data["void_reason"],
    )
    for what, holds in CHECKS:
        if not holds(state):
            raise ValueError(what)
    return state


def by_seat(data: object) -> dict[int, int]:
    """Amounts by seat number; TypeError for anything else."""
    if not isinstance(data, dict) or not all(map(is_int, data.values())):
        raise TypeError("amounts by seat")
    return {int(seat): amount for seat, amount in data.items()}


def _cards_possible(state: State) -> bool:
    return all(card in RANK_OF and state.seen.count(card) <= state.rules.packs for card in state.seen)


def _board_possible(state: State) -> bool:
    if len(state.cards) > 3 or (state.cards and not state.wagers):
        return False
    return len(state.cards) < 3 or state.shape != "consecutive"


def _wagers_possible(state: State) -> bool:
    bounds = bet_bounds(state.rules)
    return all(
        1 <= w.seat <= state.rules.seats
        and bounds.admits(w.bet)
        and (w.raised == 0 or raise_bounds(state.rules, w.bet).admits(w.raised))
        for w in state.wagers
    )


def _raises_possible(state: State) -> bool:
    return not state.raises or (state.announced is not None and not state.raise_test_excluded)


def _announcement_possible(state: State) -> bool:
    if state.announced is None:
        played = state.spread is not None and len(state.cards) == 3
        return not state.misannounced and (not played or state.raise_test_excluded)
    if state.spread is None or not is_int(state.announced) or state.announced not in SPREADS:
        return False
    return state.misannounced or state.announced == state.spread


def _end_possible(state: State) -> bool:
    if state.settled:
        return outcome_of(state.cards) is not None and state.void_reason is None
    return state.void_reason is None or state.void_reason in VOID_REASONS


def _flags_are_bools(state: State) -> bool:
    flags: tuple[object, ...] = (state.misannounced, state.raise_test_excluded, state.settled)
    return all(isinstance(flag, bool) for flag in flags)


CHECKS: tuple[tuple[str, Callable[[State], bool]], ...] = (
    ("a flag that is none", _flags_are_bools),
    ("a card that cannot be there", _cards_possible),
    ("a board that cannot lie", _board_possible),
    ("a wager outside the rules", _wagers_possible),
    ("a raise that was not open", _raises_possible),
    ("an announcement that was not due", _announcement_possible),
    ("an early look without a spread", lambda s: not s.raise_test_excluded or len(s.cards) == 3),
    ("an early look without a spread", lambda s: not s.raise_test_excluded or s.spread is not None),
    ("a burnt card before the result", lambda s: not s.burnt or outcome_of(s.cards) is not None),
    ("an end that cannot be", _end_possible),
)

ENCODED_KEYS = (
    "rules",
    "phase",
    "bets",
    "raises",
    "cards",
    "burnt",
    "spread",
    "announced",
    "misannounced",
    "raise_test_excluded",
    "outcome",
    "void_reason",
    "settled",
    "results",
)
