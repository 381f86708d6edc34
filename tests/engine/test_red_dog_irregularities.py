"""What goes wrong at a table, and what then holds."""

from __future__ import annotations

from typing import Any

import pytest

from tables.engine.contract import Move
from tables.engine.red_dog import RED_DOG, State
from tables.engine.rules import RaiseRule
from tests.engine.helpers import act, balances, bet, board, deal, nets, play, raise_, refused, table


class TestThirdCardOnConsecutives:
    """RD-BURN."""

    def test_the_push_stands_and_the_card_is_burnt(self) -> None:
        """RD-BURN: a card seen by mistake is recorded as seen and changes nothing."""
        state = board("8S", "9H")
        burnt, moves = play(state, act("burn", card="2C"))
        assert moves == []
        assert burnt.burnt == ("2C",)
        assert (burnt.cards, burnt.outcome, burnt.results) == (state.cards, "consecutive", state.results)
        assert play(burnt, act("settle"))[1] == [Move("wager:1", "seat:1", 2_500)]

    def test_a_fourth_card_is_burnt_too(self) -> None:
        """RD-BURN: after any result a card drawn changes nothing."""
        state, _ = play(board("8S", "TH"), act("announce", spread=1), *deal("9C"))
        assert play(state, act("burn", card="8C"))[0].results == state.results

    @pytest.mark.parametrize("cards", [[], ["8S"], ["8S", "8H"], ["8S", "TH"]])
    def test_not_while_undecided(self, cards: list[str]) -> None:
        """RD-BURN: while the round is undecided the next card plays."""
        refused(table(bet(1, 500), *deal(*cards)), act("burn", card="2C"), "burn_too_early", "RD-BURN")


class TestWrongAnnouncement:
    """RD-MISCALL."""

    @pytest.fixture
    def miscalled(self) -> State:
        """Spread 7 announced as 8, after which seats 1 and 2 raised."""
        return play(
            board("2S", "TH", {1: 2_500, 2: 500}), act("announce", spread=8), raise_(1, 500), raise_(2, 500)
        )[0]

    def test_is_recorded_and_the_cards_speak(self, miscalled: State) -> None:
        """RD-MISCALL: the wrong number stays on record; the real spread is what pays."""
        assert (miscalled.announced, miscalled.misannounced, miscalled.spread) == (8, True, 7)
        corrected, _ = play(miscalled, act("announce", spread=7))
        assert (corrected.announced, corrected.misannounced) == (7, True)

    def test_pays_the_odds_of_the_cards(self) -> None:
        """RD-MISCALL: spread 1 announced as 4 still pays 5 to 1, corrected or not."""
        state, _ = play(board("8S", "TH"), act("announce", spread=4), *deal("9C"))
        assert nets(state) == {1: 12_500}

    def test_raises_may_be_withdrawn(self, miscalled: State) -> None:
        """RD-MISCALL: also after the correction, seat by seat, and the seat may raise anew."""
        for state in (miscalled, play(miscalled, act("announce", spread=7))[0]):
            after, moves = play(state, act("withdraw_raise", seat=1))
            assert moves == [Move("wager:1", "seat:1", 500)]
            assert after.raises == {2: 500}
            assert RED_DOG.places(after) == {"wager:1": 2_500, "wager:2": 500 + 500}
            assert play(after, raise_(1, 700))[0].raises == {1: 700, 2: 500}
            refused(after, act("withdraw_raise", seat=1), "no_raise", "RD-RAISE")

    def test_not_after_the_third_card(self, miscalled: State) -> None:
        """RD-MISCALL: the third card ends it."""
        state, _ = play(miscalled, *deal("KC"))
        refused(state, act("withdraw_raise", seat=1), "raises_closed", "RD-RAISE")

    def test_a_right_announcement_lets_raises_stand(self) -> None:
        """RD-MISCALL: without a wrong announcement a raise stands."""
        state, _ = play(board("2S", "TH"), act("announce", spread=7), raise_(1, 500))
        refused(state, act("withdraw_raise", seat=1), "raise_stands", "RD-MISCALL")

    @pytest.mark.parametrize(
        ("cards", "code", "rule"),
        [
            ([], "raises_not_open", "RD-RAISE"),
            (["8S"], "raises_not_open", "RD-RAISE"),
            (["8S", "8H"], "no_raise_on_pair", "RD-PAIR"),
            (["8S", "9H"], "no_raise_on_consecutive", "RD-CONSECUTIVE"),
        ],
    )
    def test_no_window_no_withdrawal(self, cards: list[str], code: str, rule: str) -> None:
        """RD-RAISE: where nothing can be raised nothing can be withdrawn."""
        refused(table(bet(1, 500), *deal(*cards)), act("withdraw_raise", seat=1), code, rule)


class TestExposedThirdCard:
    """RD-EXPOSED."""

    def test_raises_go_back_and_bets_play(self) -> None:
        """RD-EXPOSED: the card plays, every raise returns, the round is marked for the raise tests."""
        state, _ = play(
            board("2S", "TH", {1: 2_500, 4: 500}), act("announce", spread=7), raise_(1, 500), raise_(4, 500)
        )
        after, moves = play(state, act("expose_third", card="5C"))
        assert moves == [Move("wager:1", "seat:1", 500), Move("wager:4", "seat:4", 500)]
        assert (after.outcome, after.raises, after.raise_test_excluded) == ("win", {}, True)
        assert nets(after) == {1: 2_500, 4: 500}
        refused(after, raise_(1, 500), "raises_closed", "RD-RAISE")

    def test_losing_card(self) -> None:
        """RD-EXPOSED: the bets also lose on it, the returned raises do not."""
        state, _ = play(board("2S", "TH"), act("announce", spread=7), raise_(1, 500))
        after, moves = play(state, act("expose_third", card="KC"), act("settle"))
        assert nets(after) == {1: -2_500}
        assert balances(moves) == {"wager:1": -3_000, "seat:1": 500, "tray": 2_500}

    def test_before_the_announcement(self) -> None:
        """RD-EXPOSED: it can happen before the spread was announced."""
        after, moves = play(board("2S", "TH"), act("expose_third", card="5C"))
        assert (after.outcome, after.announced, after.raise_test_excluded, moves) == ("win", None, True, [])

    def test_an_ordinary_round_is_not_excluded(self) -> None:
        """RD-EXPOSED: only an early look leaves a round out of the raise tests."""
        state, _ = play(board("2S", "TH"), act("announce", spread=7), *deal("5C"))
        assert not state.raise_test_excluded

    @pytest.mark.parametrize("cards", [[], ["8S"], ["8S", "8H"], ["8S", "9H"], ["8S", "8H", "8C"]])
    def test_only_while_raises_are_open(self, cards: list[str]) -> None:
        """RD-EXPOSED: elsewhere the card simply plays, or is burnt."""
        state = table(bet(1, 500), *deal(*cards))
        refused(state, act("expose_third", card="2C"), "not_exposable", "RD-EXPOSED")


class TestVoid:
    """RD-VOID."""

    STAGES: tuple[list[dict[str, Any]], ...] = (
        [],
        deal("2S"),
        deal("2S", "2H"),
        deal("2S", "TH"),
        [*deal("2S", "TH"), act("announce", spread=7), raise_(2, 500)],
        [*deal("2S", "TH"), act("announce", spread=7), raise_(2, 500), *deal("KC")],
        [*deal("2S", "3H"), act("burn", card="KC")],
    )

    @pytest.mark.parametrize("stage", STAGES, ids=len)
    def test_every_stake_goes_back_at_any_stage(self, stage: list[dict[str, Any]]) -> None:
        """RD-VOID: a shoe empty in mid-round, a misdeal: bets and raises return, the cards stay on record."""
        state, moves = play(table(), bet(1, 2_500), bet(2, 500), *stage)
        after, back = play(state, act("void", reason="shoe_empty"))
        assert balances(moves + back) == {}
        assert (after.outcome, after.void_reason, after.phase) == ("void", "shoe_empty", "over")
        assert (after.cards, after.burnt) == (state.cards, state.burnt)
        assert nets(after) == {1: 0, 2: 0}

    def test_an_empty_round(self) -> None:
        """RD-VOID: a round nobody bet on can be ended."""
        after, moves = play(table(), act("void", reason="other"))
        assert (after.phase, moves) == ("over", [])

    @pytest.mark.parametrize("reason", ["", "because", "MISDEAL", "shoe_empty "])
    def test_reasons_are_a_closed_list(self, reason: str) -> None:
        """RD-VOID: no other reason is taken."""
        code, rule = ("bad_reason", "RD-VOID") if reason else ("bad_action", "ACTION-1")
        refused(board("8S", "8H"), act("void", reason=reason), code, rule)


class TestLateAndTooMuch:
    """RD-BET, RD-RAISE."""

    @pytest.mark.parametrize("cards", [["8S"], ["8S", "8H"], ["8S", "9H"], ["8S", "TH"], ["8S", "8H", "8D"]])
    def test_a_late_bet_goes_back(self, cards: list[str]) -> None:
        """RD-BET: from the first card on, win or lose."""
        state = table(bet(1, 500), *deal(*cards))
        refused(state, bet(2, 500), "bets_closed", "RD-BET")
        refused(state, act("take_back_bet", seat=1), "bets_closed", "RD-BET")

    def test_the_excess_goes_back(self) -> None:
        """RD-BET, RD-RAISE: the refusal names the most that is allowed."""
        assert "50000" in refused(table(), bet(1, 50_100), "bet_above_maximum", "RD-BET").detail
        state, _ = play(board("2S", "TH", raise_rule=RaiseRule("up_to", 2)), act("announce", spread=7))
        assert "5000" in refused(state, raise_(1, 5_100), "raise_above_maximum", "RD-RAISE").detail


class TestImpossibleCards:
    """RD-COMPOSITION."""

    def test_more_often_than_packs(self) -> None:
        """RD-COMPOSITION: also for the burnt and the exposed card."""
        state = table(bet(1, 500), *deal("9S"), rules=board("2S", "TH", packs=1, cut_card=0).rules)
        refused(state, deal("9S")[0], "impossible_card", "RD-COMPOSITION")
        consecutive, _ = play(state, *deal("TH"))
        refused(consecutive, act("burn", card="TH"), "impossible_card", "RD-COMPOSITION")
        burnt, _ = play(consecutive, act("burn", card="2C"))
        refused(burnt, act("burn", card="2C"), "impossible_card", "RD-COMPOSITION")
        spread, _ = play(state, *deal("KH"))
        refused(spread, act("expose_third", card="9S"), "impossible_card", "RD-COMPOSITION")

    def test_as_often_as_packs(self) -> None:
        """RD-COMPOSITION: two packs hold a card twice, not three times."""
        state = board("9S", "9S", packs=2)
        refused(state, deal("9S")[0], "impossible_card", "RD-COMPOSITION")
        assert play(state, *deal("9H"))[0].outcome == "trips"
