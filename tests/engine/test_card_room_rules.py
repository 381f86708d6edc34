"""RULES-1, STATE-1 and the rules page for the card-room games; the draw for the first deal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tables
from tables.engine.card_room import BankRules, antes_due, divide, first_ace, turn_of
from tables.engine.card_room.rulebook import CODES, RULES
from tables.engine.cards import pack
from tables.engine.contract import IllegalAction
from tables.engine.red_dog.rulebook import RULES as CASINO_RULES
from tests.engine.card_room import GAMES, bet, dealt, game_of, mispay, play, rules, show, turn
from tests.engine.helpers import act

PAGE = (Path(tables.__file__).parent / "RULES.md").read_text(encoding="utf-8")
every_game = pytest.mark.parametrize("game", GAMES)


def code_of(action: Any, *arguments: Any) -> tuple[str, str]:
    """The code and the rule with which ``action`` refuses."""
    with pytest.raises(IllegalAction) as refusal:
        action(*arguments)
    return refusal.value.code, refusal.value.rule


class TestRuleSets:
    """RULES-1."""

    @every_game
    def test_round_trip_through_json(self, game: str) -> None:
        """RULES-1: every key is needed, none is added, and what is written is read back equal."""
        data = rules(game)
        decode = GAMES[game].decode_rules
        written = GAMES[game].encode_rules(decode(json.loads(json.dumps(data))))
        assert written == data
        for key in data:
            less = {name: value for name, value in data.items() if name != key}
            assert code_of(decode, less) == code_of(decode, less | {key + "_": 1}) == ("bad_rules", "RULES-1")

    @every_game
    @pytest.mark.parametrize(
        "change",
        [
            {"game": "red_dog"},
            {"game": "poker"},
            {"game": ["banking"]},
            {"packs": 2},
            {"cut_card": 1},
            {"seats": 1},
            {"seats": 11},
            {"seats": True},
            {"chip": 0},
            {"chip": 10**9 + 1},
            {"cards_each": 3},
            {"cards_each": 6},
            {"cards_each": 5.0},
            {"fee": None},
            {"fee": {"kind": "none", "amount": 0}},
            {"fee": {"kind": "none", "amount": 5, "minutes": 0}},
            {"fee": {"kind": "deal", "amount": 0, "minutes": 0}},
            {"fee": {"kind": "deal", "amount": 5, "minutes": 30}},
            {"fee": {"kind": "time", "amount": 5, "minutes": 0}},
            {"fee": {"kind": "time", "amount": 5, "minutes": 1441}},
            {"fee": {"kind": "hand", "amount": 5, "minutes": 0}},
            {"fee": {"kind": "deal", "amount": 7, "minutes": 0}, "chip": 5, "ante": 10, "max_bank": 10},
        ],
        ids=str,
    )
    def test_what_no_table_can_agree_on(self, game: str, change: dict[str, Any]) -> None:
        """RULES-1: one pack, 2 to 10 seats, whole chips, and a fee that says what it is."""
        keys = rules(game).keys()
        data = rules(game) | {key: value for key, value in change.items() if key in keys}
        assert code_of(GAMES[game].decode_rules, data) == ("bad_rules", "RULES-1")

    @pytest.mark.parametrize(
        ("game", "change"),
        [
            ("high_card_pool", {"ante": 0}),
            ("high_card_pool", {"ante": None}),
            ("high_card_pool", {"ante": 7, "chip": 5}),
            ("high_card_pool", {"pool_limit": 0}),
            ("high_card_pool", {"pool_limit": 52, "chip": 5}),
            ("high_card_pool", {"pool_limit": 10**12 + 1}),
            ("high_card_pool", {"game": "burning_card"}),
            ("burning_card", {"game": "high_card_pool"}),
            ("banking", {"max_bank": 0}),
            ("banking", {"max_bank": 52, "chip": 5}),
        ],
        ids=str,
    )
    def test_amounts_are_whole_chips(self, game: str, change: dict[str, Any]) -> None:
        """RULES-1: an ante, a limit and a greatest bank of whole chips; each game has its own rules."""
        assert code_of(GAMES[game].decode_rules, rules(game) | change) == ("bad_rules", "RULES-1")

    def test_rules_made_in_code_are_checked_too(self) -> None:
        """RULES-1: the dataclasses check themselves."""
        wrong: Any = {"kind": "none", "amount": 0, "minutes": 0}
        assert code_of(lambda: BankRules(fee=wrong)) == ("bad_rules", "RULES-1")
        assert BankRules() == GAMES["banking"].decode_rules(rules("banking"))

    @every_game
    def test_what_a_terminal_is_told(self, game: str) -> None:
        """RULES-1: every amount that bounds a decision."""
        limits = GAMES[game].limits(GAMES[game].decode_rules(rules(game)))
        own = {"max_bank"} if game == "banking" else {"ante", "pool_limit"}
        assert limits.keys() == {"seats", "chip", "cards_each", "fee"} | own


STATE = play(
    dealt({1: 5, 2: 4, 3: 5}, pool_limit=50),
    bet(1, 20),
    turn("QS"),
    show(1, "KS"),
    mispay(1, "taken", 5),
)[0]


class TestStates:
    """STATE-1."""

    @pytest.mark.parametrize(
        "change",
        [
            {"pool": 6},
            {"pool": 5.0},
            {"dealer": 2},
            {"phase": "closing"},
            {"carried": 5},
            {"cards": []},
            {"shown": {"1": ["AS"]}},
            {"results": {}},
            {"turn": None},
            {"limit_passed": True},
            {"outcome": "settled"},
            {"payments": []},
            {"log": []},
            {"log": None},
            {"rules": {}},
            {"rules": rules(pool_limit=20)},
            {"hands": {"1": 5, "2": 5, "3": 5}},
            {"bank": 0},
        ],
        ids=lambda change: ",".join(change),
    )
    def test_what_does_not_follow_from_its_log_is_refused(self, change: dict[str, Any]) -> None:
        """STATE-1: what a state says must be what its actions made, to the type."""
        encoded = game_of(STATE).encode_state(STATE)
        assert game_of(STATE).decode_state(encoded) == STATE
        assert code_of(game_of(STATE).decode_state, encoded | change) == ("bad_state", "STATE-1")

    def test_a_log_of_what_is_not_allowed_is_refused(self) -> None:
        """STATE-1: a forged action is refused by the rules themselves."""
        encoded = game_of(STATE).encode_state(STATE)
        forged = [*encoded["log"], act("settle")]
        assert code_of(game_of(STATE).decode_state, encoded | {"log": forged})[0] == "bad_state"
        assert code_of(GAMES["burning_card"].decode_state, encoded)[0] == "bad_state"

    def test_what_the_table_sees(self) -> None:
        """CR-SECRET: hands as numbers of cards, whose turn it is and within which bounds, what was shown."""
        public = game_of(STATE).describe(STATE)
        assert public["hands"] == {"1": 5, "2": 4, "3": 5}
        assert public["shown"] == {"1": ["KS"]}
        assert (
            public["turn"]
            == turn_of(STATE)
            == {
                "seat": 2,
                "due": "bet",
                "cards": 4,
                "short": True,
                "stake": 0,
                "minimum": 5,
                "maximum": 5,
                "step": 1,
                "card": None,
            }
        )
        assert public["payments"] == [
            {"seat": 1, "kind": "taken", "amount": 5, "corrected": False, "open": True}
        ]
        assert (public["pool"], public["board"]) == (5, [{"card": "QS", "how": "turned", "seat": 1}])
        assert antes_due(STATE) == ()
        with pytest.raises(LookupError):
            STATE.player(4)


class TestDraw:
    """CR-FIRST-ACE."""

    @pytest.mark.parametrize(
        ("seats", "cards", "dealer"),
        [
            ((2, 5, 9), ["AS"], 2),
            ((9, 2, 5), ["2S", "AS"], 5),
            ((2, 5, 9), ["2S", "3S", "4S", "5S", "6S", "AD"], 9),
            ((2, 5, 9), ["2S", "3S", "4S", "AH", "AD"], 2),
        ],
    )
    def test_the_first_ace_deals(self, seats: tuple[int, ...], cards: list[str], dealer: int) -> None:
        """CR-FIRST-ACE: round from the lowest seat; no card is dealt behind the ace."""
        drawn = first_ace(seats, cards)
        assert drawn.dealer == dealer
        assert drawn.cards == tuple(cards[: next(i for i, c in enumerate(cards) if c[0] == "A") + 1])

    @pytest.mark.parametrize(
        ("seats", "cards", "code"),
        [
            ((2,), ["AS"], "too_few_players"),
            ((2, 2), ["AS"], "too_few_players"),
            ((1, 2), [], "no_ace"),
            ((1, 2), ["2S", "KD"], "no_ace"),
            ((1, 2), ["2S", "2S", "AS"], "impossible_card"),
            ((1, 2), ["2S", "1S"], "bad_card"),
        ],
    )
    def test_what_decides_nothing(self, seats: tuple[int, ...], cards: list[str], code: str) -> None:
        """CR-FIRST-ACE: two players at least, real cards, none twice, and an ace among them."""
        assert code_of(first_ace, seats, cards)[0] == code

    def test_a_whole_pack_always_decides(self) -> None:
        """CR-FIRST-ACE: at the latest the 49th card."""
        last = [card for card in pack() if card[0] != "A"] + ["AS", "AH", "AD", "AC"]
        assert len(first_ace((1, 2), last).cards) == 49


@pytest.mark.parametrize(
    ("order", "amount", "chip", "shares"),
    [
        ((3, 1, 2), 60, 1, {3: 20, 1: 20, 2: 20}),
        ((3, 1, 2), 65, 5, {3: 25, 1: 20, 2: 20}),
        ((3, 1, 2), 10, 5, {3: 5, 1: 5, 2: 0}),
        ((3, 1), 0, 5, {3: 0, 1: 0}),
        ((7,), 15, 5, {7: 15}),
    ],
)
def test_a_division_loses_nothing(
    order: tuple[int, ...], amount: int, chip: int, shares: dict[int, int]
) -> None:
    """CR-ODD-CHIPS, CR-BREAK-UP: whole chips, those over one by one in playing order."""
    assert divide(order, amount, chip) == shares
    assert sum(shares.values()) == amount


class TestPage:
    """The rules page says what the rulebooks say."""

    def test_every_rule_stands_on_the_page_and_no_other(self) -> None:
        """The identifiers in the page's margins are those of the rulebooks, each once."""
        named = re.findall(r"^- \*\*((?:RD|CR)-[A-Z-]+)\*\*", PAGE, re.MULTILINE)
        assert sorted(named) == sorted([*RULES, *CASINO_RULES])

    def test_every_code_guards_a_rule(self) -> None:
        """A refusal names a rule that stands in the rulebook."""
        assert set(CODES.values()) <= RULES.keys()

    def test_the_counts_of_the_page(self) -> None:
        """CR-PACK-OUT: the table of turns a pack allows, computed from it."""
        rows = re.findall(r"^\| (\d+) x (\d) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
        assert {row[:2] for row in rows} >= {("8", "5"), ("9", "4"), ("10", "4")}
        for players, cards, left, turns, burning in (map(int, row) for row in rows):
            assert left == 52 - players * cards
            assert turns == min(players, left)
            assert burning == min(players, left // 2)
