"""A table's life beside its rounds: a settled round voided, its rules changed, chips changed for chips.

A round that is over is cancelled by an entry of its own (`round.cancel`): what it moved goes back, for all
four games, to where it came from; what is not there any more is in dispute, as in
`tables.services.corrections`. The round keeps its result, and its row says that it does not count.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import Posted
from tables.engine.actions import VOID_REASONS
from tables.engine.cancelled import dues_of
from tables.engine.places import TRAY, seat_place
from tables.engine.registry import digest, game
from tables.models import Round, RoundStatus, RuleSet, Seat, Table
from tables.selectors.views import round_view, table_view
from tables.services.asked import some, why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.corrections import Signed, about_round, correction_effect
from tables.services.counts import check_chips
from tables.services.disputes import due_moves
from tables.services.locks import lock_table, lock_table_of_round, no_round, not_found, open_session
from tables.services.seats import occupied
from tables.services.signatures import Second, signed_by_two

VOID = "round.void"  # what is signed, and by whom, is what a void's profile says


def round_cancel(
    *, round_id: uuid.UUID, reason: str, second: Second, note: str = "", command: Command
) -> Answer:
    """Void a round that is over, once: what it moved goes back, or is in dispute where it cannot.

    Between rounds of an open session of the round's own table and gaming day; nothing is refused for lack
    of chips. The cards stay out, and the deal stays where it has passed to.

    Args:
        reason: one of the engine's closed list (`shoe_empty`, `misdeal`, `irregularity`, `other`).
        second: who signs with the actor, under the profile's rule for voids; never who dealt the round.
        note: what happened, in a sentence.

    Raises:
        DomainError: `round_not_found`, `table_closed`, `round_in_progress`, `round_voided`,
            `other_gaming_day`, `bad_reason`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        kept = Round.objects.select_related("session").get(id=round_id)
        if kept.status == RoundStatus.CANCELLED:
            raise DomainError("round_voided", "This round was voided before.")
        if kept.session.gaming_day != session.gaming_day:
            raise DomainError("other_gaming_day", "The round was played on another gaming day.")
        rules_of_game = game(kept.game, kept.engine_version)
        stands = rules_of_game.decode_state(kept.corrected_state or kept.state)
        said = about_round(kept, session) | {"state": digest(kept.state)}
        kept.status = RoundStatus.CANCELLED

        def write(posted: Posted) -> None:
            kept.cancelled_seq = posted.seq
            kept.save(update_fields=["status", "cancelled_seq"])

        effect = correction_effect(
            table,
            "round.cancel",
            said,
            due_moves(table, kept, dues_of(rules_of_game, stands)),
            signed,
            also=write,
            body=lambda: {"round": round_view(kept), "table": table_view(table)},
        )
        if effect.payload["second"] == str(kept.dealer_id):
            raise DomainError("not_independent", "Who dealt the round may not sign its void.", status=403)
        return effect

    signed = Signed(VOID, command, reason, note, second, round_id, VOID_REASONS)
    request = {"round": str(round_id), **signed.request}
    return execute("round.cancel", command, request, lock_table_of_round, round_id, work)


def table_rules(
    *, table_id: uuid.UUID, rules_id: uuid.UUID, reason: str, second: Second, command: Command
) -> Answer:
    """Play by another released rule set of the same game from now on: other limits, other odds.

    Between rounds, whether the table is open or not. Rounds before and after keep their own.

    Args:
        rules_id: the rule set; of the house.
        reason: why, in a sentence.
        second: who signs with the actor.

    Raises:
        DomainError: `round_in_progress`, `rules_not_found`, `same_rules`, `wrong_game`, `seats_unlike_table`
            (it seats more than the table has places, or fewer than are taken), `shoe_loaded` (packs or the
            cut card differ from the shoe's in play), `pool_not_empty`, `reason_missing`, and those of
            `countersigner`.
    """

    def work(table: Table) -> Effect:
        no_round(table)
        old, new = table.rules, _other_rules(table, rules_id)
        told = why(reason)
        witness, sign = signed_by_two("table.rules", command, second, on=table, subject=table_id, reason=told)
        table.rules = new
        return Effect(
            kind="table.rules",
            payload={
                "session": str(table.session.id) if table.session else None,
                "before": _named(old),
                "after": _named(new),
                "reason": told,
                "second": str(witness.id),
            },
            write=sign,
            changed=["rules"],
            body=lambda: table_view(table),
        )

    request = {"table": str(table_id), "rules": str(rules_id), "reason": reason, "second": second.number}
    return execute("table.rules", command, request, lock_table, table_id, work)


def _other_rules(table: Table, rules_id: uuid.UUID) -> RuleSet:
    """The rule set, where the table as it stands can go over to it."""
    new = RuleSet.objects.filter(id=rules_id, casino_id=table.casino_id).first()
    if new is None:
        raise not_found("rules")
    if new.pk == table.rules_id:
        raise DomainError("same_rules", "The table plays by these rules already.")
    if new.game != table.rules.game:
        raise DomainError("wrong_game", f"The table is one for {table.rules.game}.")
    places = Seat.objects.filter(table=table).order_by("number").values_list("number", "occupied")
    needed = max((number for number, occupied in places if occupied), default=0)
    if not needed <= new.body["seats"] <= len(places):
        raise DomainError(
            "seats_unlike_table", f"The table has {len(places)} places, seat {needed} is taken."
        )
    shoe_of = {name: table.rules.body[name] for name in ("packs", "cut_card")}
    if table.shoe is not None and any(new.body[name] != value for name, value in shoe_of.items()):
        raise DomainError("shoe_loaded", "The shoe in play is another: retire it first.")
    if balances(table.stream).get("pool"):
        raise DomainError("pool_not_empty", "The pool was anted under the rules that are.")
    return new


def _named(rules: RuleSet) -> dict[str, Any]:
    return {"id": str(rules.id), "digest": rules.digest, "name": rules.name, "version": rules.version}


def seat_change(
    *,
    table_id: uuid.UUID,
    seat: int,
    into_tray: Mapping[str, int],
    out_of_tray: Mapping[str, int],
    command: Command,
) -> Answer:
    """Change chips of a seat for others of the same value out of the tray; no value moves.

    Args:
        into_tray, out_of_tray: chip value to number of chips, either way.

    Raises:
        DomainError: `table_closed`, `seat_unknown`, `seat_empty`, `unknown_denomination`, `bad_count`,
            `unequal_exchange`, `nothing_to_move`, `chips_not_there` (the seat, or the tray, has not so much).
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        occupied(table, seat)
        given, taken = (check_chips(count, table.casino) for count in (into_tray, out_of_tray))
        if given != taken:
            raise DomainError("unequal_exchange", f"{given} for {taken} is no exchange.", status=422)
        some(given)
        lying = balances(table.stream)
        if given > min(lying[seat_place(seat)], lying[TRAY]):
            raise DomainError("chips_not_there", "The seat, or the tray, has not so much.")
        return Effect(
            kind="seat.change",
            payload={
                "session": str(session.id),
                "seat": seat,
                "into_tray": dict(into_tray),
                "out_of_tray": dict(out_of_tray),
                "value": given,
            },
            body=lambda: table_view(table),
        )

    request = {
        "table": str(table_id),
        "seat": seat,
        "into_tray": dict(into_tray),
        "out_of_tray": dict(out_of_tray),
    }
    return execute("seat.change", command, request, lock_table, table_id, work)


def seat_cash_out(*, table_id: uuid.UUID, seat: int, amount: int, command: Command) -> Answer:
    """Refused, always, and recorded: chips are redeemed at the cage only.

    Raises:
        DomainError: `table_closed`, `seat_unknown`, `seat_empty`, `no_cash_out`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        occupied(table, seat)
        raise DomainError("no_cash_out", "Nobody is paid out at a table: the cage redeems chips.", status=403)

    request = {"table": str(table_id), "seat": seat, "amount": amount}
    return execute("seat.cash_out", command, request, lock_table, table_id, work)
