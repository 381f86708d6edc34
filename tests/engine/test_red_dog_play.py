"""The ordinary course of a round, rule by rule."""

from __future__ import annotations

import pytest

from tables.engine.contract import IntRange, Move
from tables.engine.red_dog import RED_DOG, tray_need
from tables.engine.red_dog.rulebook import CODES, RULES
from tables.engine.rules import RaiseKind, RaiseRule
from tests.engine.helpers import (
    act,
    balances,
    bet,
    board,
    deal,
    house_rules,
    nets,
    play,
    raise_,
    refused,
    table,
)


def test_every_code_guards_a_rule_that_is_written_down() -> None:
    """Each refusal code names a rule of the rulebook."""
    assert set(CODES.values()) <= RULES.keys()


class TestBets:
    """RD-BET."""

    def test_a_bet_goes_from_seat_to_wager(self) -> None:
        """RD-BET: chips in front of the seat become its wager."""
        state, moves = play(table(), bet(3, 2_500))
        assert moves == [Move("seat:3", "wager:3", 2_500)]
        assert state.bets == {3: 2_500}
        assert RED_DOG.places(state) == {"wager:3": 2_500}

    def test_seats_bet_in_any_order(self) -> None:
        """RD-BET: the state does not depend on who bet first."""
        assert table(bet(1, 500), bet(7, 600)) == table(bet(7, 600), bet(1, 500))

    @pytest.mark.parametrize("amount", [500, 600, 50_000])
    def test_limits_are_inclusive(self, amount: int) -> None:
        """RD-BET: least and most are allowed themselves."""
        assert table(bet(1, amount)).bets == {1: amount}

    @pytest.mark.parametrize(
        ("amount", "code"),
        [
            (499, "bet_below_minimum"),
            (400, "bet_below_minimum"),
            (0, "bet_below_minimum"),
            (-500, "bet_below_minimum"),
            (550, "bet_off_step"),
            (50_001, "bet_above_maximum"),
            (50_100, "bet_above_maximum"),
            (2**53 - 1, "bet_above_maximum"),
        ],
    )
    def test_outside_the_limits(self, amount: int, code: str) -> None:
        """RD-BET: below, off step, or above (the excess goes back: nothing is taken)."""
        refused(table(bet(2, 500)), bet(1, amount), code, "RD-BET")

    @pytest.mark.parametrize("seat", [0, -1, 8, 1_000])
    def test_unknown_seat(self, seat: int) -> None:
        """RD-BET: only seats of the table bet."""
        refused(table(bet(1, 500)), bet(seat, 500), "unknown_seat", "RD-BET")
        refused(table(bet(1, 500)), act("take_back_bet", seat=seat), "unknown_seat", "RD-BET")

    def test_one_bet_per_seat(self) -> None:
        """RD-BET: a second bet of a seat is refused."""
        refused(table(bet(1, 500)), bet(1, 500), "bet_exists", "RD-BET")

    def test_a_bet_is_taken_back_before_the_first_card(self) -> None:
        """RD-BET: the whole bet returns, and the seat may bet anew."""
        state, moves = play(table(bet(1, 500), bet(2, 900)), act("take_back_bet", seat=1))
        assert moves == [Move("wager:1", "seat:1", 500)]
        assert state == table(bet(2, 900))
        assert play(state, bet(1, 700))[0].bets == {1: 700, 2: 900}

    def test_nothing_to_take_back(self) -> None:
        """RD-BET: a seat without a bet has none to take back."""
        refused(table(bet(2, 500)), act("take_back_bet", seat=1), "no_bet", "RD-BET")


class TestDeal:
    """RD-DEAL."""

    def test_needs_a_bet(self) -> None:
        """RD-DEAL: no card without a bet, and none once the last bet was taken back."""
        refused(table(), deal("8S")[0], "no_bets", "RD-DEAL")
        refused(table(bet(1, 500), act("take_back_bet", seat=1)), deal("8S")[0], "no_bets", "RD-DEAL")

    @pytest.mark.parametrize(
        ("cards", "phase"),
        [
            ([], "betting"),
            (["8S"], "first_card"),
            (["8S", "9H"], "paying"),
            (["8S", "8H"], "third_card"),
            (["8S", "TH"], "raising"),
        ],
    )
    def test_phases(self, cards: list[str], phase: str) -> None:
        """RD-DEAL: the cards decide what the round waits for."""
        assert table(bet(1, 500), *deal(*cards)).phase == phase

    def test_cards_move_no_chips(self) -> None:
        """RD-DEAL: only the settlement moves chips, not the third card."""
        _, moves = play(
            table(bet(1, 500)), *deal("8S", "TH"), act("announce", spread=1), raise_(1, 500), *deal("9C")
        )
        assert moves == [Move("seat:1", "wager:1", 500)]

    @pytest.mark.parametrize("cards", [["9S", "9H", "9D"], ["9S", "9H", "2D"]])
    def test_no_fourth_card(self, cards: list[str]) -> None:
        """RD-DEAL: three cards lie."""
        refused(table(bet(1, 500), *deal(*cards)), deal("2C")[0], "board_complete", "RD-DEAL")


class TestSpread:
    """RD-SPREAD."""

    @pytest.mark.parametrize("wrong", [0, -1, 12, 2**53 - 1])
    def test_must_be_a_spread(self, wrong: int) -> None:
        """RD-SPREAD: 1 to 11."""
        refused(board("8S", "TH"), act("announce", spread=wrong), "bad_spread", "RD-SPREAD")

    def test_the_third_card_follows_the_announcement(self) -> None:
        """RD-SPREAD: it is announced, so that the record has it, before the third card and any raise."""
        state = board("8S", "TH")
        refused(state, deal("9C")[0], "not_announced", "RD-SPREAD")
        refused(state, raise_(1, 500), "not_announced", "RD-SPREAD")
        assert play(state, act("announce", spread=1), *deal("9C"))[0].outcome == "win"

    @pytest.mark.parametrize("cards", [[], ["8S"], ["8S", "8H"], ["8S", "9H"]])
    def test_only_where_there_is_one(self, cards: list[str]) -> None:
        """RD-SPREAD: none before two cards, on a pair or on consecutives."""
        refused(table(bet(1, 500), *deal(*cards)), act("announce", spread=1), "no_spread", "RD-SPREAD")

    def test_not_after_the_third_card(self) -> None:
        """RD-SPREAD: an announcement after the third card is too late."""
        state, _ = play(board("8S", "TH"), act("announce", spread=1), *deal("9C"))
        refused(state, act("announce", spread=1), "no_spread", "RD-SPREAD")


class TestRaise:
    """RD-RAISE."""

    def test_joins_the_wager(self) -> None:
        """RD-RAISE: bet and raise lie on one place."""
        state, moves = play(board("2S", "TH"), act("announce", spread=7), raise_(1, 2_500))
        assert moves == [Move("seat:1", "wager:1", 2_500)]
        assert RED_DOG.places(state) == {"wager:1": 5_000}
        assert state.raises == {1: 2_500}

    @pytest.mark.parametrize(
        ("kind", "multiple", "bounds"),
        [
            ("exact_double", 1, IntRange(2_500, 2_500, 2_500)),
            ("up_to", 1, IntRange(100, 2_500, 100)),
            ("up_to", 2, IntRange(100, 5_000, 100)),
            ("exact_multiples", 3, IntRange(2_500, 7_500, 2_500)),
        ],
    )
    def test_bounds_of_each_rule(self, kind: RaiseKind, multiple: int, bounds: IntRange) -> None:
        """RD-RAISE: exact double, up to m times, whole multiples up to m; refused outside."""
        state, _ = play(board("2S", "TH", raise_rule=RaiseRule(kind, multiple)), act("announce", spread=7))
        (listed,) = [legal for legal in RED_DOG.legal(state) if legal.type == "raise"]
        assert (listed.seat, listed.fields) == (1, (("amount", bounds),))
        for amount in (bounds.minimum, bounds.maximum):
            assert play(state, raise_(1, amount))[0].raises == {1: amount}
        refused(state, raise_(1, bounds.minimum - 1), "raise_below_minimum", "RD-RAISE")
        refused(state, raise_(1, 0), "raise_below_minimum", "RD-RAISE")
        refused(state, raise_(1, -2_500), "raise_below_minimum", "RD-RAISE")
        refused(state, raise_(1, bounds.maximum + 1), "raise_above_maximum", "RD-RAISE")

    def test_off_step(self) -> None:
        """RD-RAISE: part multiples and part steps are refused."""
        state, _ = play(
            board("2S", "TH", raise_rule=RaiseRule("exact_multiples", 3)), act("announce", spread=7)
        )
        refused(state, raise_(1, 3_000), "raise_off_step", "RD-RAISE")
        state, _ = play(board("2S", "TH"), act("announce", spread=7))
        refused(state, raise_(1, 150), "raise_off_step", "RD-RAISE")

    def test_once_and_only_with_a_bet(self) -> None:
        """RD-RAISE, RD-BET: one raise per seat; none without a bet or without a seat."""
        state, _ = play(board("2S", "TH"), act("announce", spread=7), raise_(1, 500))
        refused(state, raise_(1, 500), "raise_exists", "RD-RAISE")
        refused(state, raise_(2, 500), "no_bet", "RD-BET")
        refused(state, raise_(8, 500), "unknown_seat", "RD-BET")

    def test_not_before_two_cards_and_not_after_the_third(self) -> None:
        """RD-RAISE: a raise before its time or after the third card is refused, win or lose."""
        refused(table(bet(1, 500)), raise_(1, 500), "raises_not_open", "RD-RAISE")
        refused(table(bet(1, 500), *deal("2S")), raise_(1, 500), "raises_not_open", "RD-RAISE")
        for third in ("5C", "KC"):
            state, _ = play(board("2S", "TH"), act("announce", spread=7), *deal(third))
            refused(state, raise_(1, 500), "raises_closed", "RD-RAISE")


class TestSettle:
    """RD-SETTLE, RD-WIN, RD-PAIR, RD-CONSECUTIVE."""

    def test_won_wagers_are_paid_then_returned(self) -> None:
        """RD-SETTLE: tray to wager, then wager to seat, seat by seat."""
        state, _ = play(board("8S", "TH", {2: 500, 5: 700}), act("announce", spread=1), raise_(5, 700))
        state, moves = play(state, *deal("9C"), act("settle"))
        assert moves == [
            Move("tray", "wager:2", 2_500),
            Move("tray", "wager:5", 7_000),
            Move("wager:2", "seat:2", 3_000),
            Move("wager:5", "seat:5", 8_400),
        ]
        assert nets(state) == {2: 2_500, 5: 7_000}

    def test_lost_wagers_go_to_the_tray(self) -> None:
        """RD-SETTLE: bet and raise in one move per seat."""
        state, _ = play(board("8S", "TH", {2: 500, 5: 700}), act("announce", spread=1), raise_(5, 700))
        state, moves = play(state, *deal("8C"), act("settle"))
        assert moves == [Move("wager:2", "tray", 500), Move("wager:5", "tray", 1_400)]
        assert nets(state) == {2: -500, 5: -1_400}

    @pytest.mark.parametrize("cards", [["9S", "TH"], ["9S", "9H", "2D"]])
    def test_pushes_return_the_stakes(self, cards: list[str]) -> None:
        """RD-CONSECUTIVE, RD-PAIR: a push moves nothing but the stakes, back to their seats."""
        state, moves = play(table(bet(1, 500), bet(2, 600), *deal(*cards)), act("settle"))
        assert moves == [Move("wager:1", "seat:1", 500), Move("wager:2", "seat:2", 600)]
        assert nets(state) == {1: 0, 2: 0}

    def test_results_are_owed_while_paying_and_stay_on_record(self) -> None:
        """RD-SETTLE: the results stand as soon as the cards decide; settling adds that they were paid."""
        paying, _ = play(board("9S", "9H"), *deal("9D"))
        settled, _ = play(paying, act("settle"))
        assert paying.results == settled.results
        assert [paying.phase, settled.phase] == ["paying", "over"]
        assert RED_DOG.places(settled) == {}
        assert settled.bets == {1: 2_500}

    @pytest.mark.parametrize("cards", [[], ["8S"], ["8S", "8H"], ["8S", "TH"]])
    def test_not_before_the_cards_decide(self, cards: list[str]) -> None:
        """RD-SETTLE: an undecided round is not settled."""
        refused(table(bet(1, 500), *deal(*cards)), act("settle"), "not_decided", "RD-SETTLE")

    def test_a_tray_that_cannot_pay_owes(self) -> None:
        """RD-SETTLE: the need is known, and the round waits in its paying phase for a fill."""
        state, _ = play(board("9S", "9H", {1: 2_500, 2: 500}), *deal("9D"))
        assert tray_need(state) == 33_000
        assert RED_DOG.describe(state)["tray_need"] == 33_000
        settled, moves = play(state, act("settle"))
        assert balances(moves)["tray"] == -33_000
        assert tray_need(settled) == 0

    def test_a_lost_round_needs_no_tray(self) -> None:
        """RD-SETTLE: what is taken needs no chips in the tray."""
        state, _ = play(board("8S", "TH"), act("announce", spread=1), *deal("8C"))
        assert tray_need(state) == 0


def test_a_finished_round_accepts_nothing() -> None:
    """RD-OVER: neither after the settlement nor after a void."""
    settled, _ = play(board("9S", "TH"), act("settle"))
    voided, _ = play(board("9S", "9H"), act("void", reason="misdeal"))
    for state in (settled, voided):
        assert RED_DOG.is_over(state)
        assert RED_DOG.legal(state) == ()
        for action in (bet(2, 500), deal("2S")[0], act("settle"), act("void", reason="other")):
            refused(state, action, "round_over", "RD-OVER")


def test_the_handle_is_what_was_played_for() -> None:
    """Bets and raises of a decided round; a void one, or one not decided yet, has none."""
    state = board("5S", "QH", {1: 1_000, 3: 500})
    assert RED_DOG.handle(state) == 0
    raised, _ = play(state, act("announce", spread=6), raise_(3, 500), *deal("9D"))
    assert RED_DOG.handle(raised) == 2_000
    voided, _ = play(raised, act("void", reason="misdeal"))
    assert RED_DOG.handle(voided) == 0


def test_describe_is_public_and_complete() -> None:
    """RD-BOARD: all cards lie face up; the table also sees what may come next."""
    state, _ = play(board("2S", "TH"), act("announce", spread=7), raise_(1, 500))
    public = RED_DOG.describe(state)
    assert public["game"] == "red_dog"
    assert public["engine_version"] == 1
    assert (public["phase"], public["over"]) == ("raising", False)
    assert (public["cards"], public["spread"], public["announced"]) == (["2S", "TH"], 7, 7)
    assert (public["bets"], public["raises"], public["results"]) == ({"1": 2_500}, {"1": 500}, {})
    assert {legal["type"] for legal in public["legal"]} == {"announce", "expose_third", "deal", "void"}


def test_legal_names_bounds_for_the_terminal() -> None:
    """RD-BET: each free seat with least, most and step; each bet with its way back."""
    state = table(bet(2, 500), rules=house_rules(seats=2))
    assert [legal.as_dict() for legal in RED_DOG.legal(state)] == [
        {
            "type": "bet",
            "seat": 1,
            "fields": {"amount": {"minimum": 500, "maximum": 50_000, "step": 100}},
        },
        {"type": "take_back_bet", "seat": 2, "fields": {}},
        {"type": "deal", "seat": None, "fields": {"card": {"card_except": []}}},
        {
            "type": "void",
            "seat": None,
            "fields": {"reason": {"one_of": ["shoe_empty", "misdeal", "irregularity", "other"]}},
        },
    ]
