"""The card-room games played as they should be, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from tables.engine.card_room import State, hand_positions, least_bet, turn_of, winners
from tables.engine.contract import Handling, Move
from tests.engine.card_room import bet, dealt, game_of, mispay, new, opening, play, refused, show, turn
from tests.engine.helpers import act, balances

FIVE = {1: 5, 2: 5, 3: 5}
NOTHING = ("2H", "3H", "4H", "5H", "6H")
"""A hand that beats no spade, diamond or club, and no heart from the six up."""


def settled(state: State) -> State:
    return play(state, act("settle"))[0]


class TestWhoPlays:
    """CR-PLAYERS, CR-TURN, CR-CARDS."""

    def test_turns_go_clockwise_from_the_dealers_left(self) -> None:
        """CR-TURN: the dealer is last, seats wrap round, and only who joined is dealt in."""
        state, _ = play(new(), *opening((2, 5, 7, 9), dealer=5))
        assert state.order == (7, 9, 2, 5)
        refused(state, act("hand", seat=2, cards=5), "not_his_hand")
        assert state.next_hand == 7

    def test_a_banker_gets_no_hand(self) -> None:
        """CR-BANK: the banker is no part of the playing order."""
        state, _ = play(new("banking"), *opening((2, 5, 7), "banking", dealer=5, middle=50))
        assert (state.order, state.next_hand) == ((7, 2), 7)

    @pytest.mark.parametrize(
        ("game", "players", "code"),
        [
            ("high_card_pool", 1, "too_few_players"),
            ("high_card_pool", 8, None),
            ("high_card_pool", 9, "four_cards_only"),
            ("burning_card", 10, "four_cards_only"),
            ("banking", 9, None),
            ("banking", 10, "four_cards_only"),
        ],
    )
    def test_always_four_cards_over_eight_hands(self, game: str, players: int, code: str | None) -> None:
        """CR-CARDS, CR-PLAYERS: five only up to eight hands; the banker's place is no hand; two at least."""
        *joins, five = opening(tuple(range(1, players + 1)), game, middle=10)
        state, _ = play(new(game), *joins)
        if code is None:
            assert play(state, five)[0].cards_each == 5
        else:
            refused(state, five, code)
        if players > 1:
            assert play(state, five | {"cards_each": 4})[0].cards_each == 4
            refused(state, five | {"cards_each": 6}, "bad_cards_each")

    def test_cards_go_round_so_hands_lie_where_the_counts_say(self) -> None:
        """CR-CARDS: one card each in turn; who gets fewer or more shifts everybody behind him."""
        assert hand_positions(dealt({1: 2, 2: 2, 3: 2})) == {1: (0, 3), 2: (1, 4), 3: (2, 5)}
        assert hand_positions(dealt({1: 3, 2: 0, 3: 2})) == {1: (0, 2, 4), 2: (), 3: (1, 3)}
        assert hand_positions(dealt({1: 2, 2: 1}, "banking", middle=10)) == {1: (0, 2), 2: (1,)}

    def test_what_leaves_the_pack(self) -> None:
        """CR-CARDS, CR-SHOW: hands face down, turned cards face up, shown cards no longer hidden."""
        game = game_of(new("burning_card"))
        said = {
            "hand": (act("hand", seat=1, cards=5), Handling(face_down=5)),
            "burn": (act("burn", card="2C"), Handling(("2C",))),
            "turn": (turn("2D"), Handling(("2D",))),
            "expose": (act("expose", card="2H"), Handling(("2H",))),
            "show": (show(1, "3C", "4C"), Handling(revealed=("3C", "4C"))),
            "bet": (bet(1, 10), Handling()),
        }
        for action, handling in said.values():
            assert game.handling(game.decode_action(action)) == handling


class TestAntesAndFees:
    """CR-ANTE, CR-FEE, CR-CARRY."""

    def test_everybody_antes_the_dealer_included(self) -> None:
        """CR-ANTE, CR-CARRY: the same amount each, on top of what was carried."""
        state, moves = play(new(), *opening((1, 4), middle=25))
        assert moves == [Move("seat:1", "pool", 10), Move("seat:4", "pool", 10)]
        assert game_of(state).carried(state) == {"pool": 25}
        assert game_of(state).places(state) == {"pool": 45}

    @pytest.mark.parametrize(("game", "kind"), [("high_card_pool", "deal"), ("banking", "deal")])
    def test_a_fee_by_the_deal(self, game: str, kind: str) -> None:
        """CR-FEE: from every player to the house, a banker included; the pool has nothing of it."""
        fee = {"kind": kind, "amount": 3, "minutes": 0}
        state, moves = play(new(game, fee=fee), *opening((1, 2, 3), game, middle=30))
        assert balances(moves)["tray"] == 9
        assert [game_of(state).nets(state)[seat] for seat in (1, 2)] == (
            [-3, -3] if game == "banking" else [-13, -13]
        )

    def test_a_fee_by_time_is_no_part_of_a_round(self) -> None:
        """CR-FEE: it is collected between rounds."""
        fee = {"kind": "time", "amount": 500, "minutes": 30}
        assert "tray" not in balances(play(new(fee=fee), *opening((1, 2)))[1])

    def test_what_is_left_stays_for_the_next_round(self) -> None:
        """CR-CARRY: without a limit the pool stays whole, however large."""
        state = settled(play(dealt(FIVE, middle=5_000), *(act("forfeit", seat=s) for s in FIVE))[0])
        assert game_of(state).places(state) == {"pool": 5_060}


class TestBets:
    """CR-BET, CR-SMALL-POOL, CR-FORFEIT, CR-STATED."""

    @pytest.mark.parametrize(
        ("amount", "code"), [(5, "bet_below_minimum"), (35, "bet_above_maximum"), (12, "bet_off_step")]
    )
    def test_between_the_ante_and_the_pool(self, amount: int, code: str) -> None:
        """CR-BET: at least the ante, at most the whole pool, in whole chips."""
        state = dealt(FIVE, chip=5)
        refused(state, bet(1, amount), code)
        for allowed in (10, 15, 30):
            assert play(state, bet(1, allowed))[0].stakes == {1: allowed}

    def test_the_stake_never_raises_its_own_maximum(self) -> None:
        """CR-BET: it lies beside the pool, so another player's bounds are those of the pool without it."""
        state, moves = play(dealt(FIVE), bet(1, 30))
        assert moves == [Move("seat:1", "wager:1", 30)]
        assert game_of(state).places(state) == {"wager:1": 30, "pool": 30}
        refused(state, bet(1, 10), "bet_stands")
        refused(state, act("forfeit", seat=1), "bet_stands")
        refused(state, bet(2, 10), "not_his_turn")

    def test_a_pool_smaller_than_the_ante(self) -> None:
        """CR-SMALL-POOL: all of it is the least bet, the greatest, and the forfeit."""
        state, _ = play(dealt(FIVE), bet(1, 28), turn("2S"), show(1, "3S"))
        assert (state.pool, least_bet(state)) == (2, 2)
        turn_now = turn_of(state)
        assert turn_now is not None
        assert (turn_now["minimum"], turn_now["maximum"]) == (2, 2)
        refused(state, bet(2, 10), "bet_above_maximum")
        refused(state, bet(2, 1), "bet_below_minimum")
        after, moves = play(state, act("forfeit", seat=2))
        assert moves == [Move("seat:2", "pool", 2)]
        assert least_bet(after) == 4

    def test_a_forfeit_goes_into_the_pool_and_the_hand_stays_unseen(self) -> None:
        """CR-FORFEIT: the least bet; no card is turned."""
        state, moves = play(dealt(FIVE), act("forfeit", seat=1))
        assert moves == [Move("seat:1", "pool", 10)]
        assert (state.due, state.seen) == (2, ())

    def test_who_has_less_than_the_forfeit_pays_all_he_has(self) -> None:
        """CR-FORFEIT: from nothing up to a chip less than the forfeit; a whole forfeit is none of this."""
        state = dealt(FIVE, chip=5)
        after, moves = play(state, act("short_forfeit", seat=1, amount=5))
        assert moves == [Move("seat:1", "pool", 5)]
        assert after.due == 2
        assert play(state, act("short_forfeit", seat=1, amount=0))[1] == []
        refused(state, act("short_forfeit", seat=1, amount=10), "forfeit_above_maximum")


class TestCardsSpeak:
    """CR-CARD, CR-SHOW."""

    @pytest.mark.parametrize(
        ("card", "wins"),
        [
            ("QS", ("KS",)),
            ("AS", ()),
            ("KH", ()),
            ("8H", ("9H",)),
            ("9D", ()),
            ("2D", ("5D",)),
            ("4C", ()),
        ],
    )
    def test_the_same_suit_and_a_higher_rank(self, card: str, wins: tuple[str, ...]) -> None:
        """CR-SHOW: an equal rank in another suit loses, an ace is high, suits are never ranked."""
        assert winners(("KS", "9H", "5D", "2C", "3C"), card) == wins

    def test_a_win_shows_one_card_and_takes_its_stake_twice(self) -> None:
        """CR-SHOW: stake back and as much from the pool; any one of several winning cards."""
        state, _ = play(dealt(FIVE), bet(1, 20), turn("TS"))
        for card in ("KS", "JS"):
            won, moves = play(state, show(1, card))
            assert moves == [Move("wager:1", "seat:1", 20), Move("pool", "seat:1", 20)]
            assert (won.seen, won.pool) == (("TS", card), 10)

    def test_a_loss_shows_the_whole_hand(self) -> None:
        """CR-SHOW: the stake joins the pool and raises the next player's maximum."""
        state, moves = play(dealt(FIVE), bet(1, 30), turn("KS"), show(1, *NOTHING))
        assert moves == [Move("seat:1", "wager:1", 30), Move("wager:1", "pool", 30)]
        assert play(state, bet(2, 60))[0].stakes == {2: 60}

    def test_a_hand_that_wins_cannot_be_shown_as_lost(self) -> None:
        """CR-SHOW: cards speak: whoever shows all shows the winner, and that card alone is shown."""
        state, _ = play(dealt(FIVE), bet(1, 30), turn("QS"))
        refused(state, show(1, "KS", "9H", "5D", "2C", "3C"), "hand_wins")
        refused(state, show(1, "9H"), "show_whole_hand")
        refused(state, show(1, *NOTHING[:4]), "show_whole_hand")
        refused(state, show(2, "KS"), "not_his_turn")

    def test_the_pool_pays_what_it_holds(self) -> None:
        """CR-SHOW: a payment wrongly taken after the bet leaves less to win; the stake still comes back."""
        state, _ = play(dealt(FIVE), act("forfeit", seat=1), bet(2, 40), mispay(1, "taken", 15))
        won, moves = play(state, turn("QS"), show(2, "KS"))
        assert moves == [Move("wager:2", "seat:2", 40), Move("pool", "seat:2", 25)]
        assert won.phase == "reante"


class TestReante:
    """CR-REANTE, CR-LAST-TURN."""

    @pytest.fixture
    def emptied(self) -> State:
        return play(dealt(FIVE), bet(1, 30), turn("QS"), show(1, "KS"))[0]

    def test_everybody_antes_again_before_the_round_goes_on(self, emptied: State) -> None:
        """CR-REANTE: in any order, once each, also who has had his turn."""
        refused(emptied, bet(2, 10), "no_turn")
        refused(emptied, act("settle"), "not_decided")
        state, _ = play(emptied, *(act("ante", seat=seat, amount=10) for seat in (3, 1)))
        refused(state, act("ante", seat=3, amount=10), "ante_paid")
        state, _ = play(state, act("ante", seat=2, amount=10))
        assert (state.phase, state.due, state.pool) == ("turns", 2, 30)
        refused(state, act("ante", seat=2, amount=10), "no_ante_due")

    def test_who_has_less_gives_all_and_stays_in(self, emptied: State) -> None:
        """CR-REANTE: his turn comes as everybody's."""
        amounts = {1: 10, 2: 0, 3: 4}
        state, moves = play(emptied, *(act("ante", seat=s, amount=a) for s, a in amounts.items()))
        assert (state.pool, state.due) == (14, 2)
        assert balances(moves) == {"seat:1": -10, "seat:3": -4, "pool": 14}

    def test_where_nobody_has_anything_the_turns_end(self, emptied: State) -> None:
        """CR-REANTE: there is nothing to play for."""
        assert play(emptied, *(act("ante", seat=s, amount=0) for s in FIVE))[0].phase == "closing"

    def test_it_may_happen_twice(self, emptied: State) -> None:
        """CR-REANTE: whenever the pool is emptied and a turn is left."""
        antes = [act("ante", seat=seat, amount=10) for seat in FIVE]
        state, _ = play(emptied, *antes, bet(2, 30), turn("2S"), show(2, "3S"), *antes)
        assert (state.pool, state.due, state.player(1).ante) == (30, 3, 30)

    @pytest.mark.parametrize("hands", [FIVE, {1: 5, 2: 0, 3: 6}], ids=["all", "one"])
    def test_not_after_the_last_turn(self, hands: dict[int, int]) -> None:
        """CR-LAST-TURN: nobody is left to play, also where those behind sit the round out."""
        state = dealt(hands)
        while state.due is not None and state.due != max(s for s in hands if 1 <= hands[s] <= 5):
            state, _ = play(state, act("forfeit", seat=state.due))
        assert state.due is not None
        state, _ = play(state, bet(state.due, state.pool), turn("QS"), show(state.due, "KS"))
        assert (state.phase, state.pool) == ("closing", 0)
        assert settled(state).next_dealer == 1


class TestPoolLimit:
    """CR-LIMIT, CR-ODD-CHIPS."""

    @pytest.mark.parametrize(("limit", "divided"), [(39, True), (40, False), (None, False)])
    def test_passed_means_more_than_the_limit(self, limit: int | None, divided: bool) -> None:
        """CR-LIMIT: 40 has reached a limit of 40 and not passed it."""
        state = settled(play(dealt({1: 5, 2: 5}, pool_limit=limit), *FORFEITS)[0])
        assert (state.pool == 0) == divided

    def test_a_carried_pool_counts(self) -> None:
        """CR-LIMIT: at any time in the round, its beginning included."""
        assert dealt(FIVE, middle=30, pool_limit=50).limit_passed

    def test_odd_chips_go_one_by_one_in_playing_order(self) -> None:
        """CR-ODD-CHIPS: none is lost, none is broken: 65 in chips of 5 is 13 chips, 5, 4 and 4."""
        state = dealt({2: 0, 4: 0, 6: 0}, dealer=4, middle=35, pool_limit=50, chip=5)
        done, moves = play(state, act("settle"))
        assert moves == [Move("pool", "seat:6", 25), Move("pool", "seat:2", 20), Move("pool", "seat:4", 20)]
        assert (done.pool, game_of(done).places(done)) == (0, {})

    def test_a_bet_wrongly_paid_in_counts(self) -> None:
        """CR-LIMIT, CR-PAYMENT: it lies in the pool for good."""
        state, _ = play(dealt(FIVE, pool_limit=50), mispay(1, "bet_into_pool", 21))
        assert state.limit_passed


FORFEITS = (act("forfeit", seat=1), act("forfeit", seat=2))


class TestBurning:
    """CR-BURN."""

    def test_one_card_is_burned_for_each_bet(self) -> None:
        """CR-BURN: it decides nothing and cannot come again; no bet, no burn."""
        state = dealt(FIVE, "burning_card")
        refused(state, act("burn", card="AS"), "no_bet")
        refused(play(state, bet(1, 10))[0], turn("QS"), "burn_first")
        state, _ = play(state, bet(1, 10), act("burn", card="AS"))
        refused(state, act("burn", card="AH"), "burnt_already")
        refused(state, turn("AS"), "impossible_card")
        state, _ = play(state, turn("QS"), show(1, "KS"))
        assert [face.how for face in state.faces] == ["burned", "turned"]

    def test_an_exposed_card_does_not_take_its_place(self) -> None:
        """CR-BURN, CR-EXPOSED: it is discarded besides, before the burn or after it."""
        state, _ = play(dealt(FIVE, "burning_card"), bet(1, 10), act("expose", card="2D"))
        refused(state, turn("QS"), "burn_first")
        state, _ = play(state, act("burn", card="AS"), act("expose", card="3D"), turn("QS"))
        assert game_of(state).encode_state(state)["burnt"] == ["2D", "AS", "3D"]

    def test_nothing_is_burned_in_the_other_games(self) -> None:
        """CR-BURN: it is no action of theirs."""
        for name in ("high_card_pool", "banking"):
            assert "burn" not in {
                one.type for one in game_of(new(name)).legal(play(dealt(FIVE), bet(1, 10))[0])
            }


class TestBanking:
    """CR-BANK, CR-BROKEN, CR-BANK-BACK."""

    @pytest.mark.parametrize("bank", [0, 95, 205, 12])
    def test_any_bank_of_whole_chips_up_to_the_agreed_one(self, bank: int) -> None:
        """CR-BANK: at least a chip."""
        *joins, up = opening((1, 2), "banking", middle=bank)
        state, _ = play(new("banking", chip=10, max_bank=200), *joins)
        refused(state, up, "bad_bank")
        assert play(state, up | {"bank": 200})[0].pool == 200

    def test_bets_up_to_the_bank_and_passing_is_free(self) -> None:
        """CR-BANK: no ante, no forfeit, no least bet but a chip; lost stakes join, wins come out."""
        state = dealt({1: 5, 2: 5, 3: 5}, "banking", middle=50)
        state, moves = play(state, act("pass", seat=1), bet(2, 1), turn("KS"), show(2, *NOTHING))
        assert balances(moves) == {"seat:2": -1, "bank": 1}
        refused(state, bet(3, 52), "bet_above_maximum")
        state, moves = play(state, bet(3, 20), turn("QS"), show(3, "AS"))
        assert balances(moves) == {"seat:3": 20, "bank": -20}
        done, moves = play(state, act("settle"))
        assert moves == [Move("bank", "seat:4", 31)]
        assert game_of(done).nets(done) == {1: 0, 2: -1, 3: 20, 4: -19}
        assert (done.next_dealer, game_of(done).places(done)) == (1, {})

    def test_an_emptied_bank_ends_the_hand_at_once(self) -> None:
        """CR-BROKEN: no further turns or shows; deal and bank pass."""
        state, _ = play(dealt({1: 5, 2: 5}, "banking", middle=50), bet(1, 50), turn("2S"), show(1, "3S"))
        for action in (bet(2, 1), act("pass", seat=2)):
            refused(state, action, "no_turn")
        assert settled(state).next_dealer == 1

    @pytest.mark.parametrize("kind", ["forfeit", "short_forfeit", "ante"])
    def test_there_is_no_forfeit_and_no_ante(self, kind: str) -> None:
        """CR-BANK: they are no actions of this game, and passing is none of the others."""
        state = dealt({1: 5, 2: 5}, "banking", middle=50)
        assert kind not in {one.type for one in game_of(state).legal(state)}
        assert "pass" not in {one.type for one in game_of(dealt(FIVE)).legal(dealt(FIVE))}


def test_deal_passes_to_the_left() -> None:
    """CR-NEXT: to the next of the players, from the highest seat to the lowest."""
    deals: dict[int, Any] = {}
    for dealer in (2, 5, 9):
        state = dealt({2: 0, 5: 0, 9: 0}, dealer=dealer)
        deals[dealer] = settled(state).next_dealer
    assert deals == {2: 5, 5: 9, 9: 2}


def test_the_house_has_no_part_in_it() -> None:
    """CR-FEE: no handle and no need of the tray: the players play each other."""
    state = settled(play(dealt({1: 5, 2: 5}), *FORFEITS)[0])
    assert game_of(state).handle(state) == 0
    assert game_of(state).describe(state)["tray_need"] == 0
