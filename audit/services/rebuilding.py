"""Rounds' rows derived again from the journal where they are not what it says: when told to, and on record.

The nightly check finds such rows (`round_projection_differs`) and never mends them. What a row said, what it
says now and why stands in an entry of its table (`rows.rebuild`); the finding stays for a person to explain.
What corrected a round keeps its own entry's word in the row and is left as it is. Exports read rows: those
made before, files of the lake and parts of unfinished ones too, hold what the rows said then.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from audit.codes import Found, Severity, meaning_of
from audit.corrected import CANCEL
from audit.resettle import Replayed
from audit.selectors.days import SessionSpan, replay_session, rule_sets, sessions_of_day
from audit.selectors.journal import fact_at
from ledger import SYSTEM_ACTOR
from ledger.services import post
from tables.engine.registry import digest
from tables.models import Round, RoundStatus, Table, TableSession

KIND = "rows.rebuild"
AT_ONCE = 100
"""Rounds to an entry at most."""
NOBODYS = 2**31 - 1
"""The greatest number a row can have; no session has as many rounds."""


class NotDerivable(Exception):
    """The journal does not make the session's rounds without fault; the message says what it found."""


@dataclass(frozen=True, slots=True)
class Astray:
    """A round whose row is not what the journal makes it.

    `due` are the columns to write; `wrong` says by column what the journal and the row say, a state by its
    digest.
    """

    round: uuid.UUID
    number: int
    due: dict[str, Any]
    wrong: dict[str, dict[str, Any]]


def rounds_astray(*, session_id: uuid.UUID) -> list[Astray]:
    """The rounds of a session whose rows differ from the journal; a row that is missing is none of them.

    Raises:
        NotDerivable: there is no such session in the journal, or its rounds do not re-settle.
    """
    session = TableSession.objects.select_related("table__casino").filter(id=session_id).first()
    if session is None:
        raise NotDerivable("there is no such session")
    return list(_astray(session))


def rounds_rebuild(*, session_id: uuid.UUID, reason: str) -> list[Astray]:
    """Write the rows of a session's rounds as the journal makes them; answers those that were wrong.

    The table's row is locked meanwhile, so that nothing is played.

    Args:
        reason: why, in a sentence; it stands in the entry.

    Raises:
        NotDerivable: as `rounds_astray` does; nothing is written.
    """
    if not reason.strip():
        raise NotDerivable("say why, in a sentence")
    with transaction.atomic():
        table = Table.objects.select_for_update(of=("self",)).filter(sessions=session_id).first()
        found = rounds_astray(session_id=session_id)
        if table is None:
            return []
        _write(found)
        for first in range(0, len(found), AT_ONCE):
            some = found[first : first + AT_ONCE]
            said = [{"round": str(each.round), "wrong": each.wrong} for each in some]
            post(
                stream=table.stream,
                kind=KIND,
                payload={"session": str(session_id), "reason": reason.strip(), "rounds": said},
                actor=SYSTEM_ACTOR,
                command_id=uuid.uuid4(),
            )
    return found


def _write(found: Sequence[Astray]) -> None:
    """Write the rows as they are due: all of them or none.

    Where two have each other's number, no order would do: first all get one that nobody has.
    """
    try:
        with transaction.atomic():
            for taken, each in enumerate(found):
                Round.objects.filter(id=each.round).update(number=NOBODYS - taken)
            for each in found:
                Round.objects.filter(id=each.round).update(**{"number": each.number, **each.due})
    except IntegrityError as refused:
        why, _, _ = str(refused).partition("\n")
        raise NotDerivable(f"a row has more that is wrong, which is not rebuilt: {why}") from refused


def _astray(session: TableSession) -> Iterator[Astray]:
    spans = sessions_of_day(session.table.casino, session.gaming_day)
    span = next((each for each in spans if each.id == session.id), None)
    if span is None:
        raise NotDerivable("the journal opened no such session on its gaming day")
    finds: list[Found] = []
    rounds: list[Replayed] = []
    replay_session(span, report=finds.append, played=rounds.append, rule_set=rule_sets())
    faults = {found.code for found in finds if meaning_of(found.code).severity is Severity.CRITICAL}
    if faults:
        raise NotDerivable(f"its rounds do not re-settle: {', '.join(sorted(faults))}")
    rows = Round.objects.in_bulk([each.id for each in rounds])
    for replayed in rounds:
        row = rows.get(replayed.id)
        if row is not None:
            due = _due(span, replayed, row)
            said = {name: (_plain(value), _plain(getattr(row, name))) for name, value in due.items()}
            wrong = {
                name: {"journal": journal, "row": kept}
                for name, (journal, kept) in said.items()
                if journal != kept
            }
            if wrong:
                yield Astray(row.id, replayed.number, {name: due[name] for name in wrong}, wrong)


def _due(span: SessionSpan, replayed: Replayed, row: Round) -> dict[str, Any]:
    """What the journal makes of the columns of a round's row."""
    return {
        "table_id": span.table.id,
        "session_id": replayed.session,
        "shoe_id": replayed.shoe,
        "rules_id": replayed.rules,
        "dealer_id": replayed.dealer,
        "number": replayed.number,
        "game": replayed.game.name,
        "engine_version": replayed.game.version,
        "players": replayed.players,
        "status": RoundStatus.CANCELLED if _was_cancelled(span, row) else RoundStatus(replayed.status),
        "state": replayed.encoded,
        "first_seq": replayed.first_seq,
        "last_seq": replayed.last_seq,
        "started_at": replayed.started_at,
        "ended_at": replayed.ended_at,
    }


def _was_cancelled(span: SessionSpan, row: Round) -> bool:
    """Whether a later entry, which the row names, voided the round after it was over."""
    fact = None if row.cancelled_seq is None else fact_at(span.table.stream, row.cancelled_seq)
    return fact is not None and fact.kind == CANCEL and fact.payload.get("round") == str(row.id)


def _plain(value: Any) -> Any:
    """A column as an entry can say it; what is long by its digest."""
    if isinstance(value, dict):
        return digest(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int | None) else str(value)
