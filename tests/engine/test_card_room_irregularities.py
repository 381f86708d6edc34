"""What goes wrong at a card-room table, and what then holds."""

from __future__ import annotations

from typing import Any

import pytest

from tables.engine.card_room import State
from tables.engine.cards import pack
from tables.engine.contract import IllegalAction, Move
from tests.engine.card_room import (
    bet,
    bet_and_cards,
    dealt,
    game_of,
    mispay,
    new,
    opening,
    play,
    put_right,
    refused,
    show,
    turn,
)
from tests.engine.helpers import act, balances

FIVE = {1: 5, 2: 5, 3: 5}
NOTHING = ("2H", "3H", "4H", "5H", "6H")


def expose(card: str) -> dict[str, Any]:
    return act("expose", card=card)


class TestHands:
    """CR-NO-HAND, CR-SHORT-HAND."""

    @pytest.mark.parametrize("cards", [0, 6, 10])
    def test_no_hand_or_too_many_cards_sits_out(self, cards: int) -> None:
        """CR-NO-HAND: he keeps nothing of his ante, pays nothing more, and has no turn, dealer or not."""
        state, _ = play(dealt({1: 5, 2: cards, 3: cards}), act("forfeit", seat=1))
        assert state.phase == "closing"
        refused(state, bet(2, 10), "no_turn")
        done, _ = play(state, act("settle"))
        assert game_of(done).nets(done) == {1: -20, 2: -10, 3: -10}
        assert done.player(2).end == "sits_out"

    def test_all_players_but_one_out(self) -> None:
        """CR-NO-HAND: he still plays his turn; with none at all the round is over."""
        state = dealt({1: 0, 2: 6, 3: 5})
        assert state.due == 3
        assert play(state, bet(3, 30), turn("QS"), show(3, "KS"))[0].phase == "closing"
        assert dealt({1: 0, 2: 6, 3: 0}).phase == "closing"

    @pytest.mark.parametrize("game", ["high_card_pool", "banking"])
    def test_a_short_hand_plays_or_is_discarded(self, game: str) -> None:
        """CR-SHORT-HAND: it bets as it is and shows what it has, or goes without a bet and a forfeit."""
        state = dealt({1: 4, 2: 5}, game, middle=20)
        after, moves = play(state, act("discard", seat=1))
        assert (moves, after.due, after.seen) == ([], 2, ())
        refused(after, act("discard", seat=2), "hand_whole")
        lost, _ = play(state, bet(1, 10), turn("KS"), show(1, *NOTHING[:4]))
        assert lost.player(1).end == "lost"
        refused(play(state, bet(1, 10))[0], act("discard", seat=1), "bet_stands")

    def test_a_hand_of_one_card(self) -> None:
        """CR-SHORT-HAND, CR-SHOW: one card is the winner or the whole hand, as it speaks."""
        state, _ = play(dealt({1: 1, 2: 5}), bet(1, 10), turn("KS"))
        for card, end in (("AS", "won"), ("2S", "lost")):
            assert play(state, show(1, card))[0].player(1).end == end

    def test_no_hand_is_larger_than_the_pack_allows(self) -> None:
        """CR-CARDS: nor absurdly large; what is left of the pack is all there is."""
        state, _ = play(new(), *opening(tuple(range(1, 8)), cards_each=5))
        refused(state, act("hand", seat=1, cards=11), "bad_hand")
        state, _ = play(state, *(act("hand", seat=seat, cards=10) for seat in range(1, 6)))
        refused(state, act("hand", seat=6, cards=3), "bad_hand")
        assert play(state, act("hand", seat=6, cards=2), act("hand", seat=7, cards=0))[0].pack_left == 0


class TestExposedCards:
    """CR-EXPOSED."""

    def test_it_is_discarded_and_the_next_decides(self) -> None:
        """CR-EXPOSED: before the bet, after it, and more than once; the stated bet stands."""
        state, _ = play(dealt(FIVE), expose("2D"), bet(1, 10), expose("AS"), expose("AH"))
        refused(state, bet(1, 20), "bet_stands")
        refused(state, turn("AS"), "impossible_card")
        won, _ = play(state, turn("QS"), show(1, "KS"))
        assert won.player(1).end == "won"
        assert game_of(won).encode_state(won)["cards"] == ["2D", "AS", "AH", "QS"]

    def test_an_exposed_card_cannot_be_in_a_hand(self) -> None:
        """CR-COMPOSITION: there is one pack."""
        state, _ = play(dealt(FIVE), bet(1, 10), expose("KS"), turn("QS"))
        refused(state, show(1, "KS"), "impossible_card")
        refused(state, expose("KS"), "impossible_card")

    def test_not_before_the_hands_are_dealt(self) -> None:
        """CR-EXPOSED: there is no top card to decide yet."""
        refused(play(new(), *opening((1, 2)))[0], expose("2D"), "not_exposable")


class TestWrongPayments:
    """CR-PAYMENT."""

    @pytest.fixture
    def lost(self) -> State:
        """Seat 1 lost 20 to a pool of 30."""
        return play(dealt(FIVE), bet(1, 20), turn("KS"), show(1, *NOTHING))[0]

    def test_put_right_until_the_next_players_card(self, lost: State) -> None:
        """CR-PAYMENT: also once he has bet, or exposed a card: none was turned for him."""
        taken, moves = play(lost, mispay(1, "taken", 20))
        assert moves == [Move("pool", "seat:1", 20)]
        for between in ([], [bet(2, 10)], [act("forfeit", seat=2)], [bet(2, 10), expose("2D")]):
            after, moves = play(play(taken, *between)[0], put_right(1))
            assert moves == [Move("seat:1", "pool", 20)]
            assert after.player(1).mispaid == 0
            refused(after, put_right(1), "no_payment")

    def test_it_stands_from_then_on(self, lost: State) -> None:
        """CR-PAYMENT: to the end of the round, and it counts in what the seat gained."""
        state, _ = play(lost, mispay(1, "taken", 20), bet(2, 10), turn("KH"))
        refused(state, put_right(1), "payment_stands")
        state, _ = play(state, show(2, "AH"), act("forfeit", seat=3))
        refused(state, put_right(1), "payment_stands")
        done, _ = play(state, act("settle"))
        assert game_of(done).nets(done) == {1: -10, 2: 0, 3: -20}

    def test_a_forfeit_in_between_turns_no_card(self, lost: State) -> None:
        """CR-PAYMENT: the next player is the next for whom a card is turned."""
        state, _ = play(lost, mispay(1, "taken", 5), act("forfeit", seat=2), bet(3, 10))
        assert play(state, put_right(1))[1] == [Move("seat:1", "pool", 5)]
        refused(play(state, turn("KH"))[0], put_right(1), "payment_stands")

    def test_found_late_it_stands_at_once(self, lost: State) -> None:
        """CR-PAYMENT: recorded after the next card, it belongs to a turn that is past."""
        state, _ = play(lost, bet(2, 10), turn("KH"), mispay(1, "taken", 20))
        refused(state, put_right(1), "payment_stands")

    def test_the_last_turns_payment_is_put_right_until_the_settlement(self) -> None:
        """CR-PAYMENT, CR-SETTLE: no further card is turned."""
        state, _ = play(dealt({1: 5, 2: 0}), bet(1, 10), turn("QS"), show(1, "KS"), mispay(1, "short", 5))
        assert play(state, put_right(1))[1] == [Move("pool", "seat:1", 5)]
        refused_by_end = play(state, act("settle"))[0]
        refused(refused_by_end, put_right(1), "round_over")

    def test_too_little_taken_of_a_win(self) -> None:
        """CR-PAYMENT: never more than was won; several mistakes are put right at once."""
        state, _ = play(dealt(FIVE), bet(1, 20), turn("QS"), show(1, "KS"))
        refused(state, mispay(1, "short", 21), "payment_above_maximum")
        state, moves = play(state, mispay(1, "short", 15), mispay(1, "taken", 4))
        assert moves == [Move("seat:1", "pool", 15), Move("pool", "seat:1", 4)]
        refused(state, mispay(1, "short", 6), "payment_above_maximum")
        after, moves = play(state, put_right(1))
        assert (moves, after.pool) == ([Move("pool", "seat:1", 11)], 10)

    def test_nothing_is_owed_that_the_pool_does_not_hold(self) -> None:
        """CR-PAYMENT: where another mistake emptied it, that one comes first."""
        state, _ = play(dealt(FIVE), bet(1, 20), turn("QS"), show(1, "KS"), mispay(1, "short", 5))
        state, _ = play(state, act("forfeit", seat=2), mispay(2, "taken", 25))
        refused(state, put_right(1), "pool_short")
        assert play(state, put_right(2), put_right(1))[0].pool == 20

    def test_a_bet_paid_into_the_pool_stays_there(self) -> None:
        """CR-PAYMENT: it is not the stake, it can be played for, and it is not put right."""
        state, moves = play(dealt(FIVE), mispay(1, "bet_into_pool", 20))
        assert moves == [Move("seat:1", "pool", 20)]
        refused(state, put_right(1), "no_payment")
        assert play(state, bet(1, 50))[0].stakes == {1: 50}

    def test_only_who_was_paid_or_took_can_be_wrong(self, lost: State) -> None:
        """CR-PAYMENT: not before a turn, not for who sat out, not beyond the pool, not without a kind."""
        refused(lost, mispay(2, "taken", 5), "not_played")
        refused(lost, mispay(4, "taken", 5), "not_a_player")
        refused(lost, mispay(1, "taken", 51), "payment_above_maximum")
        refused(lost, mispay(1, "taken", 0), "payment_below_minimum")
        refused(lost, mispay(1, "stolen", 5), "bad_payment_kind")
        refused(play(new(), *opening((1, 2)))[0], mispay(1, "taken", 5), "no_play")

    def test_what_lies_in_the_pool_decides_whether_it_is_emptied(self) -> None:
        """CR-PAYMENT, CR-REANTE: emptied by a mistake it is anted again, unless that is put right first."""
        state, _ = play(dealt(FIVE), act("forfeit", seat=1), mispay(1, "taken", 40))
        assert state.phase == "reante"
        assert play(state, put_right(1))[0].due == 2
        state, _ = play(state, act("ante", seat=2, amount=10), put_right(1))
        assert (state.phase, state.pool) == ("reante", 50)
        state, _ = play(state, act("ante", seat=1, amount=10), act("ante", seat=3, amount=10))
        assert (state.due, state.pool) == (2, 70)

    def test_a_bank_emptied_by_a_mistake(self) -> None:
        """CR-PAYMENT, CR-BROKEN: put right, the hand goes on; otherwise it is over."""
        state, _ = play(dealt({1: 5, 2: 5}, "banking", middle=40), act("pass", seat=1))
        state, _ = play(state, mispay(1, "taken", 40))
        assert state.phase == "closing"
        assert play(state, put_right(1))[0].due == 2
        refused(state, mispay(3, "bet_into_pool", 5), "not_a_player")


class TestPackOut:
    """CR-PACK-OUT: the pack runs out before the last turn."""

    @pytest.mark.parametrize(
        ("players", "cards", "game", "turns"),
        [
            (8, 5, "high_card_pool", 8),
            (8, 5, "burning_card", 6),
            (9, 4, "high_card_pool", 9),
            (9, 4, "burning_card", 8),
            (10, 4, "high_card_pool", 10),
            (10, 4, "burning_card", 6),
            (7, 5, "burning_card", 7),
            (8, 4, "burning_card", 8),
        ],
    )
    def test_how_many_turns_a_pack_allows(self, players: int, cards: int, game: str, turns: int) -> None:
        """CR-PACK-OUT: everybody bets; who has no turn pays nothing. As counted in tables/RULES.md."""
        state = dealt(dict.fromkeys(range(1, players + 1), cards), game, cards_each=cards, middle=10_000)
        played = 0
        while state.due is not None:
            state, _ = play(state, *bet_and_cards(state, pack(), 10))
            played += 1
        assert (played, state.phase) == (turns, "closing")
        assert [player.from_pool for player in state.players if player.end is None] == [-10] * (
            players - turns
        )

    def test_a_stated_bet_goes_back_when_no_card_can_decide_it(self) -> None:
        """CR-PACK-OUT, CR-EXPOSED: the last card was exposed."""
        state, _ = play(NEARLY_OUT, bet(6, 10))
        after, moves = play(state, expose("AS"))
        assert moves == [Move("wager:6", "seat:6", 10)]
        assert (after.phase, after.player(6).end, after.player(6).from_pool) == ("closing", "returned", -10)
        refused(after, expose("AH"), "not_exposable")
        refused(after, bet(6, 10), "no_turn")

    def test_behind_the_last_card_nothing_can_be_exposed(self) -> None:
        """CR-PACK-OUT, CR-EXPOSED."""
        state, _ = play(NEARLY_OUT, bet(6, 10), turn("QS"))
        refused(state, expose("AH"), "pack_out")
        shown, _ = play(state, show(6, "KS"))
        refused(shown, expose("AH"), "not_exposable")

    def test_exposed_before_the_bet_there_is_no_turn(self) -> None:
        """CR-PACK-OUT: and nothing to pay, and no ante into an emptied pool."""
        state, moves = play(NEARLY_OUT, expose("AS"))
        assert (state.phase, moves) == ("closing", [])
        refused(state, act("forfeit", seat=6), "no_turn")

    def test_the_pool_is_not_anted_again_for_turns_that_cannot_come(self) -> None:
        """CR-REANTE, CR-PACK-OUT: no turn remains."""
        state, _ = play(NEARLY_OUT, bet(6, 70), turn("QS"), show(6, "KS"))
        assert (state.phase, state.pool, state.player(7).end) == ("closing", 0, None)

    def test_with_burning_two_cards_are_needed(self) -> None:
        """CR-PACK-OUT, CR-BURN: one card can be burned but not decide."""
        hands = dict(zip(range(1, 8), (10, 10, 10, 10, 0, 5, 5), strict=True))
        state = dealt(hands, "burning_card")
        assert state.pack_left == 2
        after, moves = play(state, bet(6, 10), expose("2D"))
        assert moves[-1] == Move("wager:6", "seat:6", 10)
        assert after.phase == "closing"


NEARLY_OUT = dealt(dict(zip(range(1, 8), (10, 10, 10, 10, 1, 5, 5), strict=True)))
"""One card is left and seats 5, 6 and 7 play; the first of them forfeits."""
NEARLY_OUT = play(NEARLY_OUT, act("discard", seat=5))[0]


class TestVoid:
    """CR-VOID."""

    @pytest.mark.parametrize("turns", range(7))
    def test_everything_goes_back_at_any_point(self, turns: int) -> None:
        """CR-VOID: a win, a loss, a re-ante, a forfeit, wrong payments, a stake at risk and the fees."""
        fee = {"kind": "deal", "amount": 3, "minutes": 0}
        state, moves = play(new(fee=fee, pool_limit=50), *opening((1, 2, 3), middle=20))
        script: list[list[dict[str, Any]]] = [
            [act("hand", seat=seat, cards=5) for seat in FIVE],
            [bet(1, 50), turn("QS"), show(1, "KS")],
            [act("ante", seat=1, amount=10), act("ante", seat=2, amount=4), act("ante", seat=3, amount=0)],
            [bet(2, 14), turn("KD"), show(2, *NOTHING)],
            [mispay(2, "taken", 9), mispay(3, "bet_into_pool", 30)],
            [bet(3, 20), turn("QD")],
        ]
        for actions in script[:turns]:
            state, moved = play(state, *actions)
            moves += moved
        state, moved = play(state, act("void", reason="misdeal"))
        assert balances(moves + moved) == {}
        assert game_of(state).places(state) == game_of(state).carried(state) == {"pool": 20}
        assert set(game_of(state).nets(state).values()) == {0}
        assert (state.outcome, state.next_dealer) == ("void", 3)
        refused(state, act("settle"), "round_over")

    def test_a_bank_goes_back_to_its_banker(self) -> None:
        """CR-VOID: after a loss and a win."""
        state, moves = play(new("banking"), *opening((1, 2, 3), "banking", middle=60))
        hands = [act("hand", seat=1, cards=5), act("hand", seat=2, cards=5)]
        state, played = play(state, *hands, bet(1, 40), turn("QS"), show(1, "KS"), bet(2, 5))
        state, back = play(state, act("void", reason="irregularity"))
        assert balances([*moves, *played, *back]) == {}
        assert game_of(state).places(state) == {}

    def test_it_needs_a_reason_from_the_list(self) -> None:
        """CR-VOID: and comes before the settlement."""
        refused(dealt(FIVE), act("void", reason="because"), "bad_reason")
        done, _ = play(dealt({1: 0, 2: 0}), act("settle"))
        refused(done, act("void", reason="misdeal"), "round_over")


def test_there_is_no_other_board_to_settle_on() -> None:
    """CR-PHYSICAL: what was recorded wrong is put right by payments, a correction or a void."""
    done, _ = play(dealt({1: 0, 2: 0}), act("settle"))
    with pytest.raises(IllegalAction) as refusal:
        game_of(done).judged_on(done, ["2S"])
    assert (refusal.value.code, refusal.value.rule) == ("no_physical_result", "CR-PHYSICAL")
