"""A table's life beside its rounds: a settled round cancelled, its rules changed, chips changed for chips.

A round that is over is cancelled by an entry of its own (`round.cancel`): what it moved goes back, for all
four games, to where it came from; what is not there any more is in dispute, as in
`tables.services.corrections`. The round keeps its result, and its row says that it does not count.
"""

import uuid

from config.errors import DomainError
from ledger.services import Posted
from tables.engine.actions import VOID_REASONS
from tables.engine.cancelled import dues_of
from tables.engine.registry import digest, game
from tables.models import Round, RoundStatus, Table
from tables.selectors.views import round_view, table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.corrections import Signed, correction_effect, due_moves
from tables.services.locks import lock_table_of_round, no_round, open_session
from tables.services.signatures import Second

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
        said = {
            "round": str(kept.id),
            "session": str(session.id),
            "late": kept.session_id != session.id,
            "first_seq": kept.first_seq,
            "last_seq": kept.last_seq,
            "before_seq": kept.corrected_seq or kept.last_seq,
            "recorded": kept.state,
            "state": digest(kept.state),
        }
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
    return execute(
        operation="round.cancel",
        command=command,
        request={"round": str(round_id), **signed.request},
        lock=lambda: lock_table_of_round(round_id, command),
        work=work,
    )
