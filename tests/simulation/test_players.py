"""Players of every style stay within the rules and their stack, and decide the same when told the same."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.engine.red_dog import game as red_dog
from tables.engine.rules import RaiseRule, RuleSet
from tables.simulation.players import BETS, RAISES, STAKES, Bounds, Player, make_player

GAME = red_dog.RedDog()
STYLES = [(bet, raising) for bet in range(len(BETS)) for raising in range(len(RAISES))]

bounds = st.builds(
    lambda step, low, more: Bounds(step * low, step * (low + more), step),
    st.integers(1, 1000),
    st.integers(1, 50),
    st.integers(0, 500),
)


@given(bounds, st.integers(0, 10**6))
def test_fit_gives_the_largest_allowed_amount(limits: Bounds, wanted: int) -> None:
    fitted = limits.fit(wanted)
    allowed = range(limits.minimum, limits.maximum + 1, limits.step)
    assert fitted == max((amount for amount in allowed if amount <= wanted), default=0)


rules = st.builds(
    lambda step, low, more, raise_rule: RuleSet(
        packs=1, min_bet=step * low, max_bet=step * (low + more), bet_step=step, raise_rule=raise_rule
    ),
    st.integers(1, 1000),
    st.integers(1, 20),
    st.integers(0, 200),
    st.one_of(
        st.just(RaiseRule("exact_double", 1)),
        st.builds(RaiseRule, st.sampled_from(["up_to", "exact_multiples"]), st.integers(1, 3)),
    ),
)


@given(
    rules,
    st.integers(1, 10**4),
    st.integers(0, 10**6),
    st.lists(st.sampled_from(["2S", "5H", "9D", "KC", "AS"]), min_size=2, max_size=2, unique=True),
)
def test_every_bet_and_raise_is_one_the_engine_accepts(
    rule_set: RuleSet, number: int, stack: int, cards: list[str]
) -> None:
    guest = make_player("any", number, cash=0, patience=(1, 9))
    guest.stack = stack
    limits = Bounds(rule_set.min_bet, rule_set.max_bet, rule_set.bet_step)
    bet = guest.bet(limits)
    if not bet:
        assert stack < limits.minimum
        return
    assert bet <= stack
    state = GAME.new_round(rule_set)
    for action in (
        {"type": "bet", "seat": 1, "amount": bet},
        {"type": "deal", "card": cards[0]},
        {"type": "deal", "card": cards[1]},
    ):
        state = GAME.apply(state, GAME.decode_action(action)).state
    spread = state.spread
    if spread is None:
        return
    state = GAME.apply(state, GAME.decode_action({"type": "announce", "spread": spread})).state
    offered = next(legal for legal in GAME.legal(state) if legal.type == "raise").as_dict()
    guest.stack -= bet
    amount = guest.raise_bet(Bounds.from_json(offered["fields"]["amount"]), spread)
    assert amount <= guest.stack
    if amount:
        GAME.apply(state, GAME.decode_action({"type": "raise", "seat": 1, "amount": amount}))


chances = st.one_of(st.none(), st.fractions(0, 1, max_denominator=51))


@given(bounds, st.integers(1, 10**4), st.integers(0, 10**6), chances)
def test_every_stake_is_within_the_pool_and_the_stack(
    limits: Bounds, number: int, stack: int, chance: Fraction | None
) -> None:
    guest = make_player("any", number, cash=0, patience=(1, 9))
    guest.stack = stack
    staked = guest.stake(limits, chance)
    assert staked in (0, limits.fit(staked))
    assert staked <= stack


def test_the_styles_stake_as_their_names_say() -> None:
    """By sense a player looks at his hand; the others bet as they are."""
    pool = Bounds(500, 4_000, 500)
    staked = {}
    for number, style in enumerate(STAKES):
        guest = make_player("any", number, cash=0, patience=(1, 1))
        guest.stack, guest.stakes = 10_000, style
        chances = [None, *(Fraction(tenth, 10) for tenth in range(11))]
        staked[style.__name__] = [guest.stake(pool, chance) for chance in chances * 3]
    assert staked["by_sense"] == [500, 0, 0, 0, 0, *[500] * 3, *[4_000] * 4] * 3
    assert set(staked["timid"]) == {0, 500}
    assert set(staked["bold"]) <= {500, 1_000, 1_500, 2_000}
    assert set(staked["reckless"]) == {0, 500, 4_000}


@pytest.mark.parametrize(("bet", "raising"), STYLES)
def test_the_same_seed_decides_the_same(bet: int, raising: int) -> None:
    number = next(n for n in range(1, 100) if (n % len(BETS), n % len(RAISES)) == (bet, raising))
    assert _decisions("one", number) == _decisions("one", number)


def test_another_seed_decides_otherwise() -> None:
    assert _decisions("one", 2) != _decisions("two", 2)


def _decisions(seed: str, number: int) -> list[int]:
    guest = make_player(seed, number, cash=100_000, patience=(1, 50))
    guest.stack = 50_000
    limits = Bounds(500, 20_000, 500)
    return [guest.patience, *(guest.bet(limits) for _ in range(20)), *(_raises(guest) for _ in range(20))]


def _raises(guest: Player) -> int:
    return guest.raise_bet(Bounds(500, 4_000, 500), guest.rng.randint(1, 11))


def test_the_styles_raise_as_their_names_say() -> None:
    offer = Bounds(500, 4_000, 500)
    raised = {}
    for number, style in enumerate(RAISES):
        guest = make_player("any", number, cash=0, patience=(1, 1))
        guest.stack, guest.raises = 10_000, style
        raised[style.__name__] = [guest.raise_bet(offer, spread) for spread in range(1, 12)]
    assert raised["always_raises"] == [4_000] * 11
    assert raised["never_raises"] == [0] * 11
    assert raised["raises_from_seven"] == [0] * 6 + [4_000] * 5
    assert len(set(raised["raises_at_random"])) > 1


def test_who_has_lost_everything_leaves_and_who_has_cash_buys_in() -> None:
    limits = Bounds(500, 20_000, 500)
    guest = make_player("any", 1, cash=30_000, patience=(99, 99))
    assert not guest.leaves(limits)
    assert guest.buys_in(limits) == 20_000
    guest.stack = 2_000
    assert guest.buys_in(limits) == 0
    guest.stack = guest.cash = 0
    assert guest.leaves(limits)
