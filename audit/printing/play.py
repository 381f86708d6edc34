"""A round's course as its entries tell it: each action in words, and each card as it came.

No entry holds a card that was not shown, so nothing of a hidden hand can come out here but how many cards
it had.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.printing.paper import Ink
from audit.selectors.journal import parsed
from ledger.models import Entry
from tables.admin.text import card_text, words
from tables.engine.contract import IllegalAction
from tables.engine.registry import game
from tables.models import Round

ORDER = ("first", "second", "third")
TOLD = {
    "bet": "Seat {seat} bets {amount}",
    "take_back_bet": "Seat {seat} takes its bet back",
    "bet_money": "Seat {seat} bets {amount} of currency",
    "bet_toke": "Seat {seat} bets {amount} for the dealers",
    "bet_promo": "Seat {seat} lays a promotional piece of {amount} beside its bet",
    "announce": "A spread of {spread} is announced",
    "raise": "Seat {seat} raises by {amount}",
    "raise_money": "Seat {seat} raises by {amount} of currency",
    "withdraw_raise": "Seat {seat} takes its raise back",
    "join": "Seat {seat} plays",
    "hand": "Seat {seat} is dealt {cards} cards face down",
    "forfeit": "Seat {seat} does not bet and pays the forfeit",
    "short_forfeit": "Seat {seat} does not bet and pays all it has, {amount}",
    "pass": "Seat {seat} passes",
    "discard": "Seat {seat} lays a short hand down unseen",
    "ante": "Seat {seat} antes again, {amount}",
    "put_right": "The wrong payment of seat {seat} is put right",
    "settle": "The round is settled",
    "void": "The round is void: {reason}",
}
PAID_WRONGLY = {
    "taken": "Seat {seat} takes {amount} wrongly",
    "short": "Seat {seat} takes {amount} too little",
    "bet_into_pool": "Seat {seat} pays {amount} into the pool, where it stays",
}
CARD_WAS = {
    "expose_third": "third card, seen before the raises were closed",
    "turn": "turned for the bettor",
    "expose": "exposed by accident, discarded",
    "show": "shown from the hand",
}
BURNT = {
    "red_dog": "seen after the result was known, burnt",
    "burning_card": "burnt before the card that decides",
}
AMOUNTS = ("amount", "bank", "carried")


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a round.

    Attributes:
        entry: the entry it stands in.
        action: as recorded.
        seat: whose it is: its own seat, or the seat whose turn it was; None where it is nobody's.
        place: which card of the board it deals, from 1; 0 where it deals none.
        phase: what the round waited for afterwards, blank where the engine cannot follow.
        game: which game it is of.
    """

    entry: Entry
    action: Mapping[str, Any]
    seat: int | None
    place: int
    phase: str
    game: str


def steps_of(played: Round, entries: Iterable[Entry]) -> list[Step]:
    """The recorded actions, followed by the engine as far as it can; what it refuses the audit finds."""
    follower, steps, dealt = _Follower(played), [], 0
    for entry, action in _actions(played, entries):
        seat = action.get("seat", follower.due)
        dealt += action.get("type") in ("deal", "expose_third")
        place = dealt if action.get("type") == "deal" else 0
        steps.append(Step(entry, action, seat, place, follower.follow(action), played.game))
    return steps


def _actions(played: Round, entries: Iterable[Entry]) -> Iterator[tuple[Entry, dict[str, Any]]]:
    for entry in entries:
        said = parsed(entry.payload)
        if said.get("round") == str(played.id):
            for action in said.get("actions") or ():
                yield entry, action


class _Follower:
    """The engine's state beside the actions, None once it refused one."""

    def __init__(self, played: Round) -> None:
        self._state: Any = None
        try:
            self._game = game(played.game, played.engine_version)
            self._state = self._game.new_round(self._game.decode_rules(played.rules.body))
        except IllegalAction:
            return

    @property
    def due(self) -> int | None:
        """The seat whose turn it is, in a game that has turns."""
        due: int | None = getattr(self._state, "due", None)
        return due

    def follow(self, action: Mapping[str, Any]) -> str:
        """Take an action; what the round waits for then."""
        if self._state is None:
            return ""
        try:
            self._state = self._game.apply(self._state, self._game.decode_action(dict(action))).state
        except IllegalAction:
            self._state = None
            return ""
        return words(str(self._game.encode_state(self._state)["phase"]))


def told(step: Step, ink: Ink) -> str:
    """An action in words; one that is not known here, by its own."""
    action, kind = step.action, str(step.action.get("type"))
    if kind == "open":
        return _opened(action, ink)
    if kind in ("deal", "burn", *CARD_WAS):
        return "; ".join(f"{card}: {what}" for card, what, _ in cards_in(step))
    said = {key: ink.money(value) if key in AMOUNTS else value for key, value in action.items()}
    if kind == "mispay":
        return PAID_WRONGLY[action["kind"]].format(**said)
    if kind in TOLD:
        return TOLD[kind].format(**said | {"reason": words(str(action.get("reason", "")))})
    others = (f"{words(key)} {value}" for key, value in said.items() if key != "type")
    return f"{words(kind).capitalize()}: {', '.join(others)}"


def _opened(action: Mapping[str, Any], ink: Ink) -> str:
    each = f"{action['cards_each']} cards each"
    if "bank" in action:
        return f"Seat {action['banker']} banks {ink.money(action['bank'])}, {each}"
    carried = ink.money(action["carried"])
    return f"Everybody antes, seat {action['dealer']} deals {each}; the pool carried {carried}"


def cards_in(step: Step) -> list[tuple[str, str, int | None]]:
    """(card, what it was, whose seat) of each card that an action shows or deals face down, in order."""
    action, kind = step.action, str(step.action.get("type"))
    if kind == "hand":
        return [(f"{action['cards']} cards", "face down", step.seat)] if action["cards"] else []
    if kind == "deal":
        return [(card_text(action["card"]), f"board, {ORDER[step.place - 1]} card", None)]
    if kind == "burn":
        return [(card_text(action["card"]), BURNT[step.game], step.seat)]
    if kind not in CARD_WAS:
        return []
    shown: Sequence[str] = action["cards"] if kind == "show" else [action["card"]]
    return [(card_text(card), CARD_WAS[kind], step.seat) for card in shown]
