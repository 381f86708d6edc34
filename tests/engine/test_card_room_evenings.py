"""Whole evenings of the card-room games: stacks, pool and deal go on from round to round."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.engine.card_room import State, antes_due, least_bet
from tables.engine.cards import pack
from tables.engine.contract import IllegalAction, IntRange, LegalAction
from tests.engine.card_room import bet, bet_and_cards, game_of, mispay, new, opening
from tests.engine.helpers import PROPERTY, act

ROUNDS = 6
CHIP = 5
AGREED: dict[str, dict[str, Any]] = {
    "high_card_pool": {"pool_limit": 200, "fee": {"kind": "deal", "amount": 5, "minutes": 0}},
    "burning_card": {},
    "banking": {"max_bank": 300},
}


class Short(Exception):
    """Somebody has fewer chips than that."""


@dataclass
class Evening:
    """A table whose players decide at random; what lies where is kept apart from the engine."""

    game: str
    luck: Random
    book: Counter[str] = field(default_factory=Counter)
    deck: list[str] = field(default_factory=list)
    dealer: int = 1

    def chips(self, seat: int) -> int:
        return self.book[f"seat:{seat}"]

    def perform(self, state: State, action: dict[str, Any]) -> State:
        """Apply ``action`` and move its chips; ``Short`` and nothing changed where somebody has too few."""
        step = game_of(state).apply(state, game_of(state).decode_action(action))
        book = Counter(self.book)
        for move in step.moves:
            book[move.source] -= move.amount
            book[move.target] += move.amount
            if book[move.source] < 0:
                raise Short
        self.book = book
        return step.state

    def start(self) -> State | None:
        """The hands of the next round dealt to whoever can pay; None when fewer than two can."""
        able = tuple(seat for seat in range(1, 11) if self.chips(seat) >= 15 and self.luck.random() < 0.8)
        if len(able) < 2:
            return None
        self.deck = list(pack())
        self.luck.shuffle(self.deck)
        dealer = next((seat for seat in able if seat >= self.dealer), able[0])
        most = min(self.chips(dealer), 300) // CHIP
        middle = CHIP * self.luck.randint(1, most) if self.game == "banking" else self.book["pool"]
        state = new(self.game, chip=CHIP, **AGREED[self.game])
        for action in opening(able, self.game, dealer=dealer, middle=middle, cards_each=4):
            state = self.perform(state, action)
        while state.next_hand is not None:
            cards = self.luck.choice([4, 4, 4, 4, 4, 4, 3, 0, 5])
            state = self.perform(state, act("hand", seat=state.next_hand, cards=min(cards, state.pack_left)))
        return state

    def play(self, state: State) -> State:
        """The round to its end, one decision or mistake after the other."""
        while state.phase != "over":
            self.attempt(state)
            check_secrecy(state, self.deck)
            state = self.mistake(state)
            for action in self.next_actions(state):
                state = self.perform(state, action)
        return state

    def next_actions(self, state: State) -> list[dict[str, Any]]:
        """What is done next: the antes due, a turn, or the end."""
        if self.luck.random() < 0.01:
            return [act("void", reason="irregularity")]
        if state.phase == "reante":
            return [act("ante", seat=s, amount=min(10, self.chips(s))) for s in antes_due(state)]
        if state.due is None:
            return [act("settle")] if state.phase == "closing" else []
        seat, chips, least = state.due, self.chips(state.due), least_bet(state)
        if state.player(seat).cards != state.cards_each and self.luck.random() < 0.5:
            return [act("discard", seat=seat)]
        if chips >= least and self.luck.random() < 0.8:
            most = min(chips, state.pool)
            steps = (most - least) // CHIP
            more = steps if self.luck.random() < 0.3 else self.luck.randint(0, steps)
            return bet_and_cards(state, self.deck, least + CHIP * more)
        if self.game == "banking":
            return [act("pass", seat=seat)]
        return [
            act("forfeit", seat=seat) if chips >= least else act("short_forfeit", seat=seat, amount=chips)
        ]

    def mistake(self, state: State) -> State:
        """Sometimes a wrong payment, its correction, or an exposed card: whatever is legal now."""
        kinds = [one for one in game_of(state).legal(state) if one.type in ("mispay", "put_right", "expose")]
        if not kinds or self.luck.random() < 0.7:
            return state
        try:
            return self.perform(state, self.within(state, self.luck.choice(kinds)))
        except Short:
            return state

    def attempt(self, state: State) -> None:
        """Something that is hardly ever allowed: refused, unless it is listed as legal."""
        seat, amount = self.luck.randint(-1, 11), self.luck.choice([-5, 0, 3, 5, 10, 40, 10**6])
        card, other = self.luck.sample(self.deck, 2)
        action = self.luck.choice(
            [
                bet(seat, amount),
                act("ante", seat=seat, amount=amount),
                act("hand", seat=seat, cards=amount),
                act("discard", seat=seat),
                act("forfeit", seat=seat),
                act("turn", card=card),
                act("show", seat=seat, cards=[card, other]),
                mispay(seat, "taken", amount),
                act("settle"),
            ]
        )
        allowed = any(one.admits(action) for one in game_of(state).legal(state))
        try:
            game_of(state).apply(state, game_of(state).decode_action(action))
        except IllegalAction:
            assert not allowed
        else:
            assert allowed

    def within(self, state: State, kind: LegalAction) -> dict[str, Any]:
        """An action of this kind that the players' chips allow."""
        fields = dict(kind.fields)
        action = act(kind.type) | ({} if kind.seat is None else {"seat": kind.seat})
        if kind.type == "expose":
            return action | {"card": self.deck[state.dealt + len(state.faces)]}
        if kind.type == "put_right":
            assert kind.seat is not None
            return action
        amounts = fields["amount"]
        assert isinstance(amounts, IntRange)
        return action | {"kind": fields["kind"].as_dict()["one_of"][0], "amount": amounts.minimum}


def check_secrecy(state: State, deck: list[str]) -> None:
    """CR-SECRET: neither the state nor what the table sees names a card that nobody has shown."""
    game = game_of(state)
    text = json.dumps([game.encode_state(state), game.describe(state)])
    assert not any(f'"{card}"' in text for card in deck if card not in state.seen)


@pytest.mark.parametrize("game", AGREED)
@settings(PROPERTY, max_examples=8)
@given(seed=st.integers(0, 2**32))
def test_an_evening(game: str, seed: int) -> None:
    """CR-CARRY, CR-NEXT, CR-LIMIT, CR-BANK-BACK, CR-SECRET: chips are conserved and the deal goes round."""
    evening = Evening(game, Random(seed))
    evening.book.update({f"seat:{seat}": CHIP * evening.luck.randint(1, 40) for seat in range(1, 11)})
    total = evening.book.total()
    for _ in range(ROUNDS):
        before = Counter(evening.book)
        state = evening.start()
        if state is None:
            break
        state = evening.play(state)
        assert evening.book.total() == total
        assert not any(evening.book[f"wager:{seat}"] for seat in range(1, 11))
        assert +Counter(game_of(state).places(state)) == +Counter({state.place: evening.book[state.place]})
        gained = {seat: evening.book[f"seat:{seat}"] - before[f"seat:{seat}"] for seat in state.seats}
        assert game_of(state).nets(state) == gained
        assert evening.book["bank"] == 0
        if state.outcome == "void":
            assert +evening.book == +before
        elif state.limit_passed:
            assert evening.book["pool"] == 0
        assert state.next_dealer in state.seats
        evening.dealer = state.next_dealer
        assert (state.next_dealer == state.dealer) == (state.outcome == "void")
