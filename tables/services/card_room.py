"""Rounds of the card-room games: each command is engine actions and one journal entry, as in any round.

Hands lie face down. With physical cards the terminal reports what becomes visible and nothing else is ever
recorded; with a drawn pack a hand is positions of the commitment, opened as the rules show it. No refusal
here depends on a card that nobody has seen, so that asking tells nothing.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from config.errors import DomainError
from ledger.selectors import balances
from tables.engine.card_room.rules import (
    HAND_SIZES,
    MOST_HANDS_OF_FIVE,
    BankRules,
    CardRoomRules,
    PoolRules,
)
from tables.engine.card_room.state import State, clockwise
from tables.engine.contract import IntRange, LegalAction
from tables.engine.places import POOL, seat_place
from tables.engine.registry import AnyGame, game
from tables.engine.shoe import Shoe as Cards
from tables.models import CardSource, Round, Table
from tables.selectors.states import state_of
from tables.selectors.views import is_card_room
from tables.services.command import Answer, Command, Effect, execute
from tables.services.hands import open_hand, to_be_shown
from tables.services.locks import lock_table, lock_table_of_round, no_round, open_session, running_round
from tables.services.play import Action, apply, begin, effect
from tables.services.pools import fresh_pack, room_rules, seated
from tables.services.shoes import NOTHING_TAKEN, Taken, opening_record, take_cards


def deal_start(
    *,
    table_id: uuid.UUID,
    players: Sequence[int] | None,
    cards_each: int | None,
    counts: Mapping[int, int],
    bank: int | None,
    command: Command,
) -> Answer:
    """Begin a round: antes and fees, or the bank, and the hands face down.

    The seat with the button deals (or banks), or the next to its left that is dealt in.

    Args:
        players: the seats dealt in; None for everybody seated who can pay the ante and the fee.
        cards_each: 5 or 4; None for what the rule set says, four when more than eight hands are dealt.
        counts: seats that were dealt another number of cards, and how many.
        bank: what the banker puts up, minor units; None in a pool game.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `wrong_game`, `no_shoe`, `shuffle_due`,
            `dealer_unknown` (nobody has drawn for the deal), `seat_empty`, `too_few_players`,
            `not_a_player`, `bank_expected`, `bank_not_expected`, `floor_broken` (a seat without the ante),
            and the engine's.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        rules = room_rules(table)
        shoe = fresh_pack(table)
        if table.button is None:
            raise DomainError("dealer_unknown", "Draw for the first deal.")
        lying, there = balances(table.stream), seated(table)
        playing = _dealt_in(rules, players, lying, there)
        if not playing:
            raise DomainError("too_few_players", "Nobody who could play is seated.")
        order = clockwise(playing, table.button)
        new, beginning = begin(table, session, shoe, {str(seat): there[seat] for seat in playing}, command)
        actions = [{"type": "join", "seat": seat} for seat in playing]
        actions += _dealing(rules, order, cards_each, counts, _opening(rules, lying, bank))
        return _effect(table, new, "round.start", actions, more=beginning, status=201)

    request = {
        "table": str(table_id),
        "players": players and sorted(players),
        "cards_each": cards_each,
        "counts": {str(seat): number for seat, number in sorted(counts.items())},
        "bank": bank,
    }
    return execute("deal.start", command, request, lock_table, table_id, work)


def _dealt_in(
    rules: CardRoomRules,
    asked: Sequence[int] | None,
    lying: Mapping[str, int],
    there: Mapping[int, str | None],
) -> list[int]:
    """The seats that play: those asked for, or all who have what a deal costs them at least."""
    if asked is not None:
        for seat in asked:
            if seat not in there:
                raise DomainError("seat_empty", f"Nobody sits on seat {seat}.")
        return sorted(set(asked))
    fee = rules.fee.amount if rules.fee.kind == "deal" else 0
    needed = fee + (rules.ante if isinstance(rules, PoolRules) else rules.chip)
    return sorted(seat for seat in there if lying[seat_place(seat)] >= needed)


def _opening(rules: CardRoomRules, lying: Mapping[str, int], bank: int | None) -> dict[str, Any]:
    """What the opening of a round says of the money in the middle."""
    if isinstance(rules, BankRules):
        if bank is None:
            raise DomainError("bank_expected", "The banker says what he puts up.", status=422)
        return {"bank": bank}
    if bank is not None:
        raise DomainError("bank_not_expected", "Nobody banks in this game.", status=422)
    return {"carried": lying[POOL]}


def _dealing(
    rules: CardRoomRules,
    order: Sequence[int],
    cards_each: int | None,
    counts: Mapping[int, int],
    opening: Mapping[str, Any],
) -> list[Action]:
    """The opening and the hands, from the dealer's left; `order` begins with the dealer."""
    dealer, others = order[0], order[1:]
    hands = list(others) if isinstance(rules, BankRules) else [*others, dealer]
    each = cards_each or (min(HAND_SIZES) if len(hands) > MOST_HANDS_OF_FIVE else rules.cards_each)
    role = "banker" if isinstance(rules, BankRules) else "dealer"
    for seat in counts:
        if seat not in hands:
            raise DomainError("not_a_player", f"Seat {seat} is dealt no hand.")
    return [
        {"type": "open", role: dealer, "cards_each": each, **opening},
        *({"type": "hand", "seat": seat, "cards": counts.get(seat, each)} for seat in hands),
    ]


def round_pass(*, round_id: uuid.UUID, seat: int, kind: str, command: Command) -> Answer:
    """A turn without a bet; the hand is laid down unseen and stays so.

    Args:
        kind: `forfeit` (a pool game: pays the least bet, or all the player has when it is less), `pass`
            (banking), `discard` (a short hand).
    """

    def actions(table: Table, running: Round, state: State) -> list[Action]:
        short = _legal(running, state, "short_forfeit", seat)
        if kind != "forfeit" or short is None:
            return [{"type": kind, "seat": seat}]
        has = _whole_chips(balances(table.stream)[seat_place(seat)], _bounds(short))
        if has > _bounds(short).maximum:
            return [{"type": kind, "seat": seat}]
        return [{"type": "short_forfeit", "seat": seat, "amount": has}]

    return _act("round.pass", round_id, command, {"seat": seat, "kind": kind}, actions)


def round_turn(*, round_id: uuid.UUID, card: str | None, burnt: str | None, command: Command) -> Answer:
    """Turn the top card for the bettor; where the game burns, after the one that is burnt.

    Args:
        card, burnt: what was scanned, the burnt card if one was due; both None at a table that draws.

    Raises:
        DomainError: `round_over`, `wrong_game`, those of `take_cards`, and the engine's refusals.
    """

    def work(table: Table) -> Effect:
        running, state = _running(table, round_id)
        given = [face for face in (burnt, card) if face is not None]
        if _is_drawn(table):
            kinds = ["burn", "turn"] if _legal(running, state, "burn") else ["turn"]
        else:
            kinds = [kind for kind, face in (("burn", burnt), ("turn", card)) if face is not None]
        taken = take_cards(table, given, max(1, len(kinds)))
        actions = [{"type": kind, "card": face} for kind, face in zip(kinds, taken.cards, strict=True)]
        return _effect(table, running, "round.turn", actions, taken=taken)

    return _execute("round.turn", round_id, command, {"card": card, "burnt": burnt}, work)


def round_expose_top(*, round_id: uuid.UUID, card: str | None, command: Command) -> Answer:
    """The top card was exposed by accident: it is discarded, and a stated bet stands.

    Args:
        card: what was scanned; None at a table that draws.
    """

    def work(table: Table) -> Effect:
        running, _ = _running(table, round_id)
        taken = take_cards(table, [card] if card else [], 1)
        actions: list[Action] = [{"type": "expose", "card": taken.cards[0]}]
        return _effect(table, running, "round.expose_top", actions, taken=taken)

    return _execute("round.expose_top", round_id, command, {"card": card}, work)


def round_show(*, round_id: uuid.UUID, seat: int, cards: Sequence[str], command: Command) -> Answer:
    """The bettor shows one winning card, or the whole hand that has lost; the stake is paid or taken.

    Args:
        cards: what was shown, as scanned. At a table that draws the hand is opened, and the card named (if
            any) is shown if it wins; otherwise the lowest that does, or the whole hand.

    Raises:
        DomainError: `round_over`, `wrong_game`, and the engine's refusals.
    """

    def work(table: Table) -> Effect:
        running, state = _running(table, round_id)
        taken = Taken(tuple(cards), ())
        if _is_drawn(table) and _legal(running, state, "show", seat) is not None:
            assert table.shoe is not None, "a round is played from the pack on the table"
            assert state.card is not None, "a show is due once a card was turned"
            opened = to_be_shown(open_hand(table.shoe, state, seat), state.card, cards)
            taken = Taken(tuple(held.card for held in opened), tuple(map(opening_record, opened)))
        actions: list[Action] = [{"type": "show", "seat": seat, "cards": list(taken.cards)}]
        return _effect(table, running, "round.show", actions, taken=taken)

    return _execute("round.show", round_id, command, {"seat": seat, "cards": list(cards)}, work)


def round_mispay(*, round_id: uuid.UUID, seat: int, kind: str, amount: int, command: Command) -> Answer:
    """Record a payment made in error between a seat and the pool or bank.

    Args:
        kind: `taken` (out of the pool, wrongly), `short` (too little was taken), `bet_into_pool` (a bet paid
            into the pool, where it stays).
        amount: minor units.
    """
    action: Action = {"type": "mispay", "seat": seat, "kind": kind, "amount": amount}
    request = {"seat": seat, "kind": kind, "amount": amount}
    return _act("round.mispay", round_id, command, request, lambda table, running, state: [action])


def round_put_right(*, round_id: uuid.UUID, seat: int, command: Command) -> Answer:
    """Put a seat's wrong payment right, until the next player's card has been turned."""
    action: Action = {"type": "put_right", "seat": seat}
    return _act("round.put_right", round_id, command, {"seat": seat}, lambda table, running, state: [action])


def _act(
    operation: str,
    round_id: uuid.UUID,
    command: Command,
    request: Mapping[str, Any],
    actions: Callable[[Table, Round, State], list[Action]],
) -> Answer:
    """Run a command that is nothing but engine actions on the running round."""

    def work(table: Table) -> Effect:
        running, state = _running(table, round_id)
        return _effect(table, running, operation, actions(table, running, state))

    return _execute(operation, round_id, command, request, work)


def _execute(
    operation: str,
    round_id: uuid.UUID,
    command: Command,
    request: Mapping[str, Any],
    work: Callable[[Table], Effect],
) -> Answer:
    content = {"round": str(round_id), **request}
    return execute(operation, command, content, lock_table_of_round, round_id, work)


def _effect(
    table: Table,
    running: Round,
    kind: str,
    actions: list[Action],
    *,
    more: Mapping[str, Any] | None = None,
    taken: Taken = NOTHING_TAKEN,
    status: int = 200,
) -> Effect:
    """The effect of actions, the antes they make due, and what they do with cards that lie face down."""
    rules_of_game = game(running.game, running.engine_version)
    whole = [*actions, *_antes(table, rules_of_game, running, actions)]
    cards = Cards.from_dict(table.shoe_state)
    for action in whole:
        handling = rules_of_game.handling(rules_of_game.decode_action(action))
        if handling.face_down:
            cards = cards.burn_unseen(handling.face_down)
        for face in handling.revealed:
            cards = cards.reveal(face)
    table.shoe_state = cards.to_dict()
    return effect(table, running, kind, whole, more=more, taken=taken, status=status)


def _antes(table: Table, rules_of_game: AnyGame, running: Round, actions: list[Action]) -> list[Action]:
    """The antes that are due once a turn has emptied the pool: each player's, or all that he has."""
    state, moves = apply(rules_of_game, running.state, actions)
    ways = [legal for legal in rules_of_game.legal(state) if legal.type == "ante"]
    due = {legal.seat: _bounds(legal) for legal in ways if legal.seat is not None}
    if not due:
        return []
    lying = balances(table.stream)
    for move in moves:
        lying[move.source] -= move.amount
        lying[move.target] += move.amount
    have = {seat: _whole_chips(lying[seat_place(seat)], bounds) for seat, bounds in due.items()}
    return [
        {"type": "ante", "seat": seat, "amount": min(has, due[seat].maximum)} for seat, has in have.items()
    ]


def _whole_chips(has: int, bounds: IntRange) -> int:
    """What can be paid of `has` in the chips the amount is counted in."""
    return has - has % bounds.step


def _bounds(legal: LegalAction) -> IntRange:
    bounds = dict(legal.fields)["amount"]
    assert isinstance(bounds, IntRange), "an amount is bounded"
    return bounds


def _legal(running: Round, state: State, kind: str, seat: int | None = None) -> LegalAction | None:
    """The action of this kind, for this seat where one is meant, if it would be accepted now."""
    actions = game(running.game, running.engine_version).legal(state)
    return next((legal for legal in actions if legal.type == kind and legal.seat == seat), None)


def _running(table: Table, round_id: uuid.UUID) -> tuple[Round, State]:
    """The card-room round in progress, and the engine's state of it.

    Raises:
        DomainError: `round_over`, `wrong_game`.
    """
    running = running_round(table, round_id)
    if not is_card_room(table.rules):
        raise DomainError("wrong_game", f"{running.game} is not played this way.")
    state: State = state_of(game(running.game, running.engine_version), running.state)
    return running, state


def _is_drawn(table: Table) -> bool:
    return table.card_source == CardSource.DRAWN
