"""What the contract suite needs to know about each registered game: its rules and its actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tables.engine.cards import pack
from tables.engine.red_dog.actions import VOID_REASONS
from tables.engine.rules import RaiseRule
from tests.engine.helpers import house_rules

Json = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """Rule sets of a game, and well-formed actions of it whether or not they are legal."""

    rules: st.SearchStrategy[Json]
    actions: st.SearchStrategy[Json]


def _red_dog() -> Sample:
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
    kinds = [
        st.fixed_dictionaries({"type": st.just(kind)} | dict(fields)) for kind, fields in by_type.items()
    ]
    return Sample(st.sampled_from([one.to_dict() for one in rules]), st.one_of(kinds))


SAMPLES: dict[str, Sample] = {"red_dog": _red_dog()}
