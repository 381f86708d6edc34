"""What the contract suite needs to know about each registered game: its rules and its actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tables.engine.card_room.actions import PAYMENT_KINDS
from tables.engine.cards import pack
from tables.engine.red_dog.actions import VOID_REASONS
from tables.engine.rules import RaiseRule
from tests.engine.card_room import opening
from tests.engine.card_room import rules as card_room_rules
from tests.engine.helpers import house_rules

Json = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """Rule sets of a game, well-formed actions of it whether or not they are legal, and how rounds begin."""

    rules: st.SearchStrategy[Json]
    actions: st.SearchStrategy[Json]
    starts: st.SearchStrategy[list[Json]] = field(default_factory=lambda: st.just([]))


def _red_dog(version: int) -> Sample:
    seats = st.integers(-1, 5)
    amounts = st.one_of(st.integers(-100, 1_500), st.sampled_from([100, 200, 500, 1_000, 2**53 - 1]))
    cards = st.sampled_from(pack())
    rules = [
        house_rules(seats=3, max_bet=1_000),
        house_rules(seats=2, packs=1, cut_card=0, raise_rule=RaiseRule()),
        house_rules(seats=4, packs=8, raise_rule=RaiseRule("exact_multiples", 3), round_cap=1_500),
        house_rules(seats=1, min_bet=1, bet_step=1, raise_rule=RaiseRule("up_to", 2), round_cap=7),
    ]
    by_type: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "bet": {"seat": seats, "amount": amounts},
        "take_back_bet": {"seat": seats},
        "deal": {"card": cards},
        "announce": {"spread": st.integers(-1, 13)},
        "raise": {"seat": seats, "amount": amounts},
        "withdraw_raise": {"seat": seats},
        "burn": {"card": cards},
        "expose_third": {"card": cards},
        "settle": {},
        "void": {"reason": st.sampled_from([*VOID_REASONS, "because"])},
    }
    if version > 1:
        by_type |= dict.fromkeys(("bet_toke", "bet_promo", "bet_money", "raise_money"), by_type["bet"])
    return Sample(st.sampled_from([one.to_dict() for one in rules]), _any_of(by_type))


def _any_of(by_type: dict[str, dict[str, st.SearchStrategy[Any]]]) -> st.SearchStrategy[Json]:
    """An action of any type."""
    return st.one_of(
        [st.fixed_dictionaries({"type": st.just(kind)} | dict(fields)) for kind, fields in by_type.items()]
    )


def _card_room(name: str) -> Sample:
    seats = st.integers(-1, 5)
    amounts = st.one_of(st.integers(-10, 60), st.sampled_from([2**53 - 1, 10**12]))
    cards = st.sampled_from(pack())
    by_type: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "join": {"seat": seats},
        "hand": {"seat": seats, "cards": st.integers(-1, 12)},
        "bet": {"seat": seats, "amount": amounts},
        "discard": {"seat": seats},
        "turn": {"card": cards},
        "expose": {"card": cards},
        "show": {"seat": seats, "cards": st.lists(cards, max_size=5)},
        "mispay": {"seat": seats, "kind": st.sampled_from([*PAYMENT_KINDS, "lost"]), "amount": amounts},
        "put_right": {"seat": seats},
        "settle": {},
        "void": {"reason": st.sampled_from([*VOID_REASONS, "because"])},
    }
    if name == "banking":
        by_type["open"] = {"banker": seats, "cards_each": st.integers(3, 6), "bank": amounts}
        by_type["pass"] = {"seat": seats}
        agreed: list[Json] = [{"max_bank": 90}, {"max_bank": None, "chip": 5}]
    else:
        by_type["open"] = {"dealer": seats, "cards_each": st.integers(3, 6), "carried": amounts}
        by_type["forfeit"] = {"seat": seats}
        by_type["short_forfeit"] = {"seat": seats, "amount": amounts}
        by_type["ante"] = {"seat": seats, "amount": amounts}
        by_type |= {"burn": {"card": cards}} if name == "burning_card" else {}
        fee = {"kind": "deal", "amount": 5, "minutes": 0}
        agreed = [{"pool_limit": 50}, {"chip": 5, "ante": 15, "pool_limit": 40, "fee": fee}]
    rules = [card_room_rules(name, seats=number, **more) for number, more in zip((3, 4), agreed, strict=True)]
    starts = [
        [],
        _dealt(name, (1, 2, 3), (5, 4, 6)),
        _dealt(name, (1, 3), (5, 5)),
        _dealt(name, (2, 3), (4, 0)),
    ]
    return Sample(st.sampled_from(rules), _any_of(by_type), st.sampled_from(starts))


def _dealt(name: str, seats: tuple[int, ...], cards: tuple[int, ...]) -> list[Json]:
    """The actions of a round whose hands were dealt; the highest seat deals or banks."""
    hands = zip(seats[:-1] if name == "banking" else seats, cards, strict=False)
    middle = 40 if name == "banking" else 15
    return [
        *opening(seats, name, middle=middle),
        *({"type": "hand", "seat": seat, "cards": number} for seat, number in hands),
    ]


SAMPLES: dict[tuple[str, int], Sample] = {("red_dog", version): _red_dog(version) for version in (1, 2)} | {
    (name, 1): _card_room(name) for name in ("high_card_pool", "burning_card", "banking")
}
