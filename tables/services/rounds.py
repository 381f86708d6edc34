"""Rounds: every action goes through the engine, and the engine's moves are the journal's movements.

The third card and its settlement are one entry. When the tray cannot cover what the round won, the
entry holds the card alone: the round waits, owed, until a fill has come and `round_settle` pays.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from config.errors import DomainError
from ledger.services import Posted
from tables.engine.registry import AnyGame, game
from tables.engine.shoe import Shoe as Cards
from tables.models import PromoPiece, Round, RoundStatus, Seat, Table
from tables.selectors.views import is_card_room
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table, lock_table_of_round, no_round, open_session, running_round
from tables.services.money import money_laid
from tables.services.pieces import given_back, pieces_held, staking
from tables.services.play import Action, act, apply, begin, effect
from tables.services.shoes import Taken, take_cards
from tables.services.signatures import Second, signed_by_two

SETTLE: Action = {"type": "settle"}
NOTHING: Mapping[int, int] = {}
NO_PIECE: Mapping[int, str] = {}


def round_start(
    *,
    table_id: uuid.UUID,
    bets: Mapping[int, int],
    money: Mapping[int, int] = NOTHING,
    tokes: Mapping[int, int] = NOTHING,
    coupons: Mapping[int, str] = NO_PIECE,
    command: Command,
) -> Answer:
    """Begin a round with the bets that lie on the layout.

    Args:
        bets: seat number to minor units of chips.
        money: bets of currency instead of chips, in the same way (`tables.services.money`).
        tokes: what is bet for the dealers beside them, in the same way.
        coupons: the number of the promotional piece beside the bet of each of some seats.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `no_shoe`, `shuffle_due`, `no_bets`,
            `seat_empty`, `wrong_game` (a card-room table), `floor_broken` (a seat bets more than it has),
            `coupon_not_good`, those of `money_laid`, and the engine's refusals.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        if is_card_room(table.rules):
            raise DomainError("wrong_game", "Here a round begins with a deal.")
        if table.shoe is None:
            raise DomainError("no_shoe", "There is no shoe on the table.")
        if Cards.from_dict(table.shoe_state).cut_reached:
            raise DomainError("shuffle_due", "The cut card is out: this shoe is finished.")
        if not bets and not money:
            raise DomainError("no_bets", "A round begins with at least one bet.", status=422)
        new, beginning = begin(table, session, table.shoe, _players(table, [*bets, *money]), command)
        money_laid(table, money, command)
        pieces = pieces_held(table.casino_id, coupons)
        actions = [*_bet(bets, money), *_placed("bet_toke", tokes), *_laid(pieces)]
        more = beginning | _named(coupons)
        staked = staking(table, new, pieces)
        return effect(table, new, "round.start", actions, more=more, also=staked, status=201)

    request = {
        "table": str(table_id),
        "bets": _as_json(bets),
        **_in_money(money),
        "tokes": _as_json(tokes),
        **_named(coupons),
    }
    return execute("round.start", command, request, lock_table, table_id, work)


def round_bet(
    *,
    round_id: uuid.UUID,
    bets: Mapping[int, int],
    take_back: Sequence[int],
    money: Mapping[int, int] = NOTHING,
    tokes: Mapping[int, int] = NOTHING,
    coupons: Mapping[int, str] = NO_PIECE,
    command: Command,
) -> Answer:
    """Change the bets before the first card: first bets taken back, with what lies beside them, then new ones
    placed.

    In a card-room game the player in turn states the one bet, and it stands.

    Raises:
        DomainError: `round_over`, `seat_empty`, `bet_stands`, `wrong_game` (in the card room nothing lies
            beside a bet), `coupon_not_good`, `floor_broken`, those of `money_laid`, and the engine's.
    """
    pieces: dict[int, PromoPiece] = {}
    freed: list[int] = []

    def actions(table: Table, running: Round) -> list[Action]:
        if take_back and is_card_room(table.rules):
            raise DomainError("bet_stands", "A bet once stated cannot be changed.", rule="CR-STATED")
        if (tokes or coupons) and is_card_room(table.rules):
            raise DomainError("wrong_game", "Only against the house does anything lie beside a bet.")
        _check_seated(table, [*bets, *money])
        money_laid(table, money, command)
        pieces.update(pieces_held(table.casino_id, coupons))
        freed.extend(seat for seat in take_back if str(seat) in running.state.get("promos", {}))
        taken_back = ({"type": "take_back_bet", "seat": seat} for seat in take_back)
        return [*taken_back, *_bet(bets, money), *_placed("bet_toke", tokes), *_laid(pieces)]

    def also(table: Table, running: Round, posted: Posted) -> None:
        if freed:
            given_back(running, freed)
        staking(table, running, pieces)(posted)

    request = {
        "bets": _as_json(bets),
        "take_back": list(take_back),
        **_in_money(money),
        "tokes": _as_json(tokes),
        **_named(coupons),
    }
    return act("round.bet", round_id, command, request, actions, more=_named(coupons), also=also)


def round_deal(*, round_id: uuid.UUID, cards: Sequence[str], number: int, command: Command) -> Answer:
    """Deal one card, or the first two at once; whatever decides the round also settles it.

    Args:
        cards: what a scanned shoe gave, in order; empty at a table that draws.
        number: how many cards are dealt (1 or 2).

    Raises:
        DomainError: `round_over`, `one_card_due`, those of `take_cards`, and the engine's refusals.
    """

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        # Before a card leaves the shoe: a refusal by the engine would tell what a drawn shoe holds next.
        if number > 1 and running.state["cards"]:
            raise DomainError("one_card_due", "Only the first two cards may be dealt at once.")
        taken = take_cards(table, cards, number)
        actions = [{"type": "deal", "card": card} for card in taken.cards]
        return _deciding_effect(table, running, "round.deal", actions, taken, command)

    request = {"round": str(round_id), "cards": list(cards), "number": number}
    return execute("round.deal", command, request, lock_table_of_round, round_id, work)


def round_expose(*, round_id: uuid.UUID, card: str | None, command: Command) -> Answer:
    """The third card was seen before the raises were closed: raises go back, bets play on it."""

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        taken = take_cards(table, [card] if card else [], 1)
        actions = [{"type": "expose_third", "card": taken.cards[0]}]
        return _deciding_effect(table, running, "round.expose", actions, taken, command)

    request = {"round": str(round_id), "card": card}
    return execute("round.expose", command, request, lock_table_of_round, round_id, work)


def round_announce(*, round_id: uuid.UUID, spread: int, command: Command) -> Answer:
    """Record the spread the dealer announced; a wrong one lets raises be withdrawn."""
    return act(
        "round.announce",
        round_id,
        command,
        {"spread": spread},
        lambda table, running: [{"type": "announce", "spread": spread}],
    )


def round_raise(
    *,
    round_id: uuid.UUID,
    raises: Mapping[int, int],
    withdraw: Sequence[int],
    money: Mapping[int, int] = NOTHING,
    command: Command,
) -> Answer:
    """Record raises (seat to minor units; `money` those of currency), and withdrawals after a wrong
    announcement.

    Raises:
        DomainError: those of `money_laid`, `floor_broken`, and the engine's refusals.
    """

    def actions(table: Table, running: Round) -> list[Action]:
        money_laid(table, money, command)
        raised = [*_placed("raise", raises), *_placed("raise_money", money)]
        return [*({"type": "withdraw_raise", "seat": seat} for seat in withdraw), *raised]

    request = {"raises": _as_json(raises), **_in_money(money), "withdraw": list(withdraw)}
    return act("round.raise", round_id, command, request, actions)


def round_settle(*, round_id: uuid.UUID, command: Command) -> Answer:
    """Pay a decided round that waited for a fill; close a card-room round after its last turn.

    Raises:
        DomainError: `floor_broken` while the tray still cannot cover it.
    """
    return act("round.settle", round_id, command, {}, lambda table, running: [SETTLE])


def round_void(
    *, round_id: uuid.UUID, reason: str, second: Second, note: str = "", command: Command
) -> Answer:
    """Void a round before it is settled: every stake goes back; two people sign.

    Args:
        reason: one of the engine's closed list (`shoe_empty`, `misdeal`, `irregularity`, `other`).
        second: the supervisor who signs with the actor.
        note: what happened, in a sentence.
    """

    def work(table: Table) -> Effect:
        running = running_round(table, round_id)
        witness, sign = signed_by_two(
            "round.void", command, second, on=table, subject=round_id, reason=note or reason
        )
        return effect(
            table,
            running,
            "round.void",
            [{"type": "void", "reason": reason}],
            more={"second": str(witness.id), "note": note},
            also=sign,
        )

    request = {"round": str(round_id), "reason": reason, "second": second.number, "note": note}
    return execute("round.void", command, request, lock_table_of_round, round_id, work)


def _deciding_effect(
    table: Table, running: Round, kind: str, actions: list[Action], taken: Taken, command: Command
) -> Effect:
    """The effect of cards that may decide the round: settled at once, or waiting for a fill."""
    rules_of_game = game(running.game, running.engine_version)
    before = running.state
    state, _ = apply(rules_of_game, before, actions)
    if not _decided(rules_of_game, state):
        return effect(table, running, kind, actions, taken=taken)

    def waiting() -> Effect:
        running.state, running.status, running.ended_at, table.round = (
            before,
            RoundStatus.IN_PROGRESS,
            None,
            running,
        )
        return effect(table, running, kind, actions, taken=taken)

    whole = [*actions, SETTLE]
    return effect(table, running, kind, whole, command=command, taken=taken, otherwise=waiting)


def _decided(rules_of_game: AnyGame, state: Any) -> bool:
    return any(legal.type == "settle" for legal in rules_of_game.legal(state))


def _players(table: Table, bettors: Iterable[int]) -> dict[str, str | None]:
    """Who plays which seat, as the round keeps it."""
    playing = sorted({*bettors})
    seated = _check_seated(table, playing)
    return {str(seat): seated[seat] for seat in playing}


def _check_seated(table: Table, bettors: Iterable[int]) -> dict[int, str | None]:
    rows = Seat.objects.filter(table=table, occupied=True).values_list("number", "player_id")
    seated = {number: str(player) if player else None for number, player in rows}
    for seat in bettors:
        if seat not in seated:
            raise DomainError("seat_empty", f"Nobody sits on seat {seat}.")
    return seated


def _bet(bets: Mapping[int, int], money: Mapping[int, int]) -> list[Action]:
    """The actions that place bets of chips and of currency."""
    return [*_placed("bet", bets), *_placed("bet_money", money)]


def _placed(kind: str, amounts: Mapping[int, int]) -> list[Action]:
    """The actions that place amounts, by seat."""
    return [{"type": kind, "seat": seat, "amount": amount} for seat, amount in sorted(amounts.items())]


def _laid(pieces: Mapping[int, PromoPiece]) -> list[Action]:
    """The actions that lay promotional pieces beside bets."""
    return _placed("bet_promo", {seat: piece.value for seat, piece in pieces.items()})


def _named(coupons: Mapping[int, str]) -> dict[str, dict[str, str]]:
    """Which pieces, as an entry and a command say it; nothing where there is none."""
    return {"coupons": {str(seat): coupons[seat] for seat in sorted(coupons)}} if coupons else {}


def _in_money(money: Mapping[int, int]) -> dict[str, dict[str, int]]:
    """Currency at stake, as a command says it; nothing where there is none."""
    return {"money": _as_json(money)} if money else {}


def _as_json(amounts: Mapping[int, int]) -> dict[str, int]:
    return {str(seat): amount for seat, amount in sorted(amounts.items())}
