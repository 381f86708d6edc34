"""Corrections: nothing is edited, what was wrong is answered by a further entry under two signatures.

Three kinds, all between rounds of an open session (theirs is the money, however old what they correct):

    entry.reverse    the record was wrong (a buy-in entered twice): every movement of the entry, backwards
    correction.post  the payout was wrong: chips between tray and seat, a documented mispay
    round.correct    the recorded cards were not those that lay: the physical result stands, both are kept

No correction is refused for lack of chips: what the right place cannot give is in dispute
(`tables.services.disputes`).

`REVERSIBLE` is closed: entries that made nothing but movements. What also changed a seat, a shoe, a slip
or a session has projections a mere reversal would leave wrong, and a round is corrected or cancelled.
Only entries of the session that is open can be reversed: a count has settled what was before.
"""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from config.errors import DomainError
from ledger.selectors import balances, entry_of
from ledger.services import Movement, Posted
from tables.engine.places import TRAY
from tables.engine.registry import digest, game
from tables.models import CardSource, Round, Table, TableSession
from tables.selectors.views import round_view, table_view
from tables.services.asked import some
from tables.services.cash import cash_taken_back
from tables.services.command import Answer, Command, Effect, execute
from tables.services.disputes import DISPUTED, Purse, backwards, due_moves, place_now
from tables.services.locks import lock_table, lock_table_of_round, no_round, not_found, open_session
from tables.services.signatures import Second, signed_by_two

Direction = Literal["to_seat", "to_tray"]
REASONS = ("entered_twice", "wrong_amount", "wrong_seat", "mispaid", "card_misread", "dispute", "other")
REVERSIBLE = frozenset({"seat.buy_in", "correction.post", "entry.reverse"})


def entry_reverse(
    *,
    table_id: uuid.UUID,
    entry_id: uuid.UUID,
    reason: str,
    second: Second,
    note: str = "",
    command: Command,
) -> Answer:
    """Take an entry back, once: its movements backwards, shortfalls borne by `disputed`.

    Args:
        reason: one of `REASONS`.
        second: who signs with the actor.
        note: what happened, in a sentence.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `entry_not_found`, `not_reversible`,
            `already_reversed`, `bad_reason`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        entry = entry_of(table.stream, entry_id)
        if entry is None:
            raise not_found("entry")
        if entry.kind not in REVERSIBLE:
            raise DomainError("not_reversible", f"{entry.kind} is not reversed.", kind=entry.kind)
        if entry.seq < session.opened_seq:
            raise DomainError("not_reversible", "It was before the last count; correct it by a new entry.")
        moves = backwards(table, entry)
        said = {
            "session": str(session.id),
            "entry": str(entry.id),
            "seq": entry.seq,
            "kind": entry.kind,
            "origin": json.loads(entry.payload).get("origin", entry.kind),
        }
        kept, whose = cash_taken_back(table, entry.seq, moves, command)
        return correction_effect(
            table, "entry.reverse", said | whose, moves, signed, also=kept, reverses=entry.id
        )

    signed = Signed("entry.reverse", command, reason, note, second, entry_id)
    request = {"table": str(table_id), "entry": str(entry_id), **signed.request}
    return execute("entry.reverse", command, request, lock_table, table_id, work)


def correction_post(
    *,
    table_id: uuid.UUID,
    seat: int | None,
    amount: int,
    direction: Direction,
    reason: str,
    second: Second,
    note: str = "",
    command: Command,
) -> Answer:
    """Document a wrong payout: chips between the tray and a seat, or what is in dispute.

    Args:
        seat: whose payout it was; where nobody sits there any more, the chips are in dispute. None for
            chips that end a dispute: it takes the seat's place.
        amount: minor units.
        direction: `to_seat`, the house paid or pays more; `to_tray`, it gets chips back.
        reason, second, note: as in `entry_reverse`.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `seat_unknown`, `nothing_to_move`, `bad_reason`,
            and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        some(amount)
        place = place_now(table, seat)
        purse = Purse(balances(table.stream))
        if direction == "to_seat":
            purse.pay(place, amount)
        elif seat is None:
            purse.move(DISPUTED, TRAY, amount)
        else:
            purse.claim(place, amount)
        said = {
            "session": str(session.id),
            "seat": seat,
            "direction": direction,
            "amount": amount,
        }
        return correction_effect(table, "correction.post", said, purse.moves, signed)

    signed = Signed("correction.post", command, reason, note, second, table_id)
    request = {"table": str(table_id), "seat": seat, "amount": amount, "direction": direction}
    return execute("correction.post", command, request | signed.request, lock_table, table_id, work)


def round_correct(
    *,
    round_id: uuid.UUID,
    cards: Sequence[str],
    reason: str,
    second: Second,
    note: str = "",
    command: Command,
) -> Answer:
    """The cards that lay were not those recorded: settle the same wagers on them, and keep both results.

    The difference to what was paid so far moves between tray and seats; where the player of the round
    is gone, it is in dispute. What a shoe is known to have given stays as it was recorded.

    Args:
        cards: the board as it really lay, in order: two consecutive cards, or three.
        reason, second, note: as in `entry_reverse`.

    Raises:
        DomainError: `round_not_found`, `table_closed`, `round_in_progress`, `cards_not_expected` (a drawn
            shoe is committed to its cards), `nothing_to_correct`, `bad_reason`, those of `countersigner`,
            and the engine's (`not_settled`, `bad_card`, `board_undecided`, `impossible_card`).
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        kept = Round.objects.select_related("shoe").get(id=round_id)
        if kept.cancelled_seq is not None:
            raise DomainError("round_voided", "A cancelled round has nothing to correct.")
        if kept.shoe.source == CardSource.DRAWN:
            raise DomainError("cards_not_expected", "The shoe was committed to the cards it gave.")
        rules_of_game = game(kept.game, kept.engine_version)
        before = rules_of_game.decode_state(kept.corrected_state or kept.state)
        after = rules_of_game.judged_on(rules_of_game.decode_state(kept.state), cards)
        if rules_of_game.encode_state(before)["cards"] == list(cards):
            raise DomainError("nothing_to_correct", "These are the cards on record.")
        was, is_ = rules_of_game.nets(before), rules_of_game.nets(after)
        moves = due_moves(table, kept, {TRAY: {seat: is_[seat] - was[seat] for seat in is_}})
        about = about_round(kept, session)
        kept.corrected_state = rules_of_game.encode_state(after)

        def write(posted: Posted) -> None:
            kept.corrected_seq = posted.seq
            kept.save(update_fields=["corrected_state", "corrected_seq"])

        said = {
            **about,
            "cards": list(cards),
            "results": kept.corrected_state["results"],
            "state": digest(kept.corrected_state),
        }
        return correction_effect(
            table,
            "round.correct",
            said,
            moves,
            signed,
            also=write,
            body=lambda: {"round": round_view(kept), "table": table_view(table)},
        )

    signed = Signed("round.correct", command, reason, note, second, round_id)
    request = {"round": str(round_id), "cards": list(cards), **signed.request}
    return execute("round.correct", command, request, lock_table_of_round, round_id, work)


def about_round(kept: Round, session: TableSession) -> dict[str, Any]:
    """What the entry of a correction says of the round that is over: where it stands, and as what."""
    return {
        "round": str(kept.id),
        "session": str(session.id),
        "late": kept.session_id != session.id,
        "first_seq": kept.first_seq,
        "last_seq": kept.last_seq,
        "before_seq": kept.corrected_seq or kept.last_seq,
        "recorded": kept.state,
    }


@dataclass(frozen=True, slots=True)
class Signed:
    """Why a correction is made, and who signs it as the second."""

    act: str
    command: Command
    reason: str
    note: str
    second: Second
    subject: uuid.UUID
    reasons: Sequence[str] = REASONS

    @property
    def request(self) -> dict[str, str]:
        """Its part of the command's content."""
        return {"reason": self.reason, "note": self.note, "second": self.second.number}

    def sign(self, table: Table) -> tuple[dict[str, str], Callable[[Posted], None]]:
        """What the entry says of it, and the write that keeps both signatures."""
        if self.reason not in self.reasons:
            raise DomainError("bad_reason", f"The reason is one of {', '.join(self.reasons)}.", status=422)
        witness, sign = signed_by_two(
            self.act,
            self.command,
            self.second,
            on=table,
            subject=self.subject,
            reason=self.note or self.reason,
        )
        said = {"reason": self.reason, "note": self.note, "second": str(witness.id)}
        return said, sign


def correction_effect(
    table: Table,
    kind: str,
    said: Mapping[str, Any],
    moves: Sequence[Movement],
    signed: Signed,
    *,
    also: Callable[[Posted], None] = lambda posted: None,
    body: Callable[[], dict[str, Any]] | None = None,
    reverses: uuid.UUID | None = None,
) -> Effect:
    """The effect of a correction; its answer names the entry and says how much moved where."""
    why, sign = signed.sign(table)
    correction = {
        "into_tray": _sum(moves, target=TRAY),
        "out_of_tray": _sum(moves, source=TRAY),
        "into_dispute": _sum(moves, target=DISPUTED),
        "out_of_dispute": _sum(moves, source=DISPUTED),
    }
    answer: dict[str, Any] = {}

    def write(posted: Posted) -> None:
        answer.update(entry=str(posted.entry_id), seq=posted.seq, kind=kind, **correction)
        also(posted)
        sign(posted)

    return Effect(
        kind=kind,
        payload={**said, **why},
        movements=moves,
        write=write,
        body=lambda: (body() if body else {"table": table_view(table)}) | {"correction": answer},
        status=201,
        reverses=reverses,
    )


def _sum(moves: Iterable[Movement], *, source: str = "", target: str = "") -> int:
    return sum(move.amount for move in moves if source == move.source or target == move.target)
