"""The exact odds of the card-room games, against counting every case."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from itertools import combinations

import pytest

from tables.engine.cards import RANKS, pack
from tables.engine.contract import IllegalAction
from tables.engine.odds.__main__ import main
from tables.engine.odds.hands import hand_odds, random_hand_chance

HAND = ("KS", "9H", "5D", "2C", "3C")


def beats(hand: tuple[str, ...], card: str) -> bool:
    """Written apart from the engine: same suit, higher rank."""
    return any(held[1] == card[1] and RANKS.index(held[0]) > RANKS.index(card[0]) for held in hand)


def test_a_hand_against_a_fresh_pack() -> None:
    """King of spades beats 11 spades, nine 7 hearts, five 3 diamonds, three of clubs none (2C is in hand)."""
    odds = hand_odds(HAND)
    assert (odds.wins, odds.unseen) == (11 + 7 + 3, 47)
    assert odds.chance == Fraction(21, 47)
    assert odds.edge == Fraction(-5, 47)


@pytest.mark.parametrize(
    "seen",
    [(), ("AS",), ("QS", "JS", "AH"), ("2S", "3S", "4S", "5S", "6S", "7S", "8S"), tuple(pack()[13:34])],
    ids=len,
)
def test_it_is_what_counting_gives(seen: tuple[str, ...]) -> None:
    """Burned and shown cards known or not: every card that is left, one by one; an ace is never beaten."""
    shown = tuple(card for card in seen if card not in HAND)
    left = [card for card in pack() if card not in (*HAND, *shown)]
    odds = hand_odds(HAND, shown)
    assert odds.chance == Fraction(sum(beats(HAND, card) for card in left), len(left))
    assert hand_odds(("AS", "AH", "AD", "AC")).chance == 1


def test_what_nobody_saw_does_not_count() -> None:
    """The next card behind one burned unseen is as likely to be beaten: the mean over every burned card."""
    left = [card for card in pack() if card not in HAND]
    after = [hand_odds(HAND, (burned,)).chance for burned in left]
    assert sum(after) / len(after) == hand_odds(HAND).chance


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 5])
def test_a_random_hand_is_the_mean_over_every_hand(cards: int) -> None:
    """Thirteen cards unseen: every hand of them against every card left."""
    left = [card for card in pack() if card[0] in "25QA"][:13]
    seen = [card for card in pack() if card not in left]
    tried = [(hand, card) for hand in combinations(left, cards) for card in left if card not in hand]
    assert random_hand_chance(cards, seen) == Fraction(sum(beats(*case) for case in tried), len(tried))


def test_a_random_hand_from_a_full_pack() -> None:
    """Two cards of 52: all 66,300 cases. Four cards win 37.7 % of their turns, five 44.0 %."""
    tried = [(hand, card) for hand in combinations(pack(), 2) for card in pack() if card not in hand]
    assert random_hand_chance(2) == Fraction(sum(beats(*case) for case in tried), len(tried))
    assert random_hand_chance(1) == Fraction(4 * 78, 52 * 51)
    assert (random_hand_chance(4), random_hand_chance(5)) == (Fraction(4489, 11900), Fraction(8689, 19740))
    assert sum(hand_odds((card,)).chance for card in pack()) / 52 == random_hand_chance(1)


@pytest.mark.parametrize(
    ("hand", "seen"), [((), ()), (("KS", "KS"), ()), (("KS",), ("KS",)), (tuple(pack()), ())], ids=str
)
def test_what_cannot_be_is_refused(hand: tuple[str, ...], seen: tuple[str, ...]) -> None:
    """No card twice, a hand, and a card to play it against."""
    with pytest.raises(ValueError):
        hand_odds(hand, seen)
    with pytest.raises(ValueError):
        random_hand_chance(52)
    with pytest.raises(IllegalAction):
        hand_odds(("XX",))


def test_as_a_module() -> None:
    """It runs as documented."""
    command = [sys.executable, "-m", "tables.engine.odds", "hand", *HAND, "--seen", "AS", "QD"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Beats 21 of 45 unseen cards: 7/15 = 46.6667 %" in answer.stdout
    assert answer.stderr == ""


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Every figure as a fraction and in percent."""
    assert main(["hand", *HAND, "--seen", "AS", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["wins"], answer["unseen"]) == (21, 46)
    assert answer["chance"] == {"fraction": "21/46", "percent": "45.6522"}
    assert Fraction(answer["chance_of_a_random_hand"]["fraction"]) == random_hand_chance(5, ["AS"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "cards"), (["KX"], "a card is"), (["KS", "KS"], "twice"), (["KS", "--seen", "KS"], "twice")],
    ids=str,
)
def test_errors_are_clear(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, nothing on stdout, and what makes no sense is named."""
    with pytest.raises(SystemExit) as end:
        main(["hand", *arguments])
    assert end.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err
