"""Finding and locking the row a command is about."""

import uuid
from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Exists, QuerySet

from config.errors import DomainError
from tables.models import Cage, Casino, CommandAnswer, Round, RoundStatus, Table, TableSession
from tables.selectors.terminal import WITH_WHAT_GOES_ON
from tables.selectors.written import Written
from tables.services.command import Command

H = TypeVar("H", Table, Cage, Casino)


def not_found(what: str) -> DomainError:
    """The refusal for a row that is not there (or not for this caller to see)."""
    return DomainError(f"{what}_not_found", f"There is no such {what}.", status=404)


def lock_table(table_id: uuid.UUID, command: Command) -> Table:
    """The table, locked, with its casino, rules, session, shoe and round, if the actor may reach it.

    Raises:
        DomainError: `table_not_found` (404).
    """
    return _lock_table(Table.objects.filter(id=table_id), command, "table")


def lock_table_of_round(round_id: uuid.UUID, command: Command) -> Table:
    """The table a round was played at, locked; whether the round still runs is `running_round`'s to say.

    Raises:
        DomainError: `round_not_found` (404).
    """
    return _lock_table(Table.objects.filter(rounds=round_id), command, "round")


def lock_table_of_session(session_id: uuid.UUID, command: Command) -> Table:
    """The table a session belongs to, locked.

    Raises:
        DomainError: `session_not_found` (404).
    """
    return _lock_table(Table.objects.filter(sessions=session_id), command, "session")


def lock_table_of_box(box_id: uuid.UUID, command: Command) -> Table:
    """The table a drop box lay on, locked.

    Raises:
        DomainError: `box_not_found` (404).
    """
    return _lock_table(Table.objects.filter(boxes=box_id), command, "box")


def lock_cage(casino_id: uuid.UUID, command: Command) -> Cage:
    """The cage of a casino, locked.

    Raises:
        DomainError: `casino_not_found` (404).
    """
    key = _lock(Cage.objects.filter(pk=casino_id), "casino")
    return _held(_CAGE.get(key, Cage(pk=key).stream, command.id))


def lock_office(casino_id: uuid.UUID, command: Command) -> Casino:
    """The casino's own row, locked for office work.

    Raises:
        DomainError: `casino_not_found` (404).
    """
    key = _lock(Casino.objects.filter(pk=casino_id), "casino")
    return _held(_OFFICE.get(key, Casino(pk=key).stream, command.id))


def _lock_table(rows: QuerySet[Table], command: Command, what: str) -> Table:
    key = _lock(rows.filter(**command.actor.reach), what)
    return _held(_TABLE.get(key, Table(pk=key).stream, command.id))


def _lock(rows: QuerySet[Any], what: str) -> uuid.UUID:
    """Lock the one row and read nothing.

    A statement that has to wait for a row sees that row as it is afterwards, but whatever it joins as it
    was when the waiting began. So what goes on at a table is read by a second statement, under the lock.

    What merely refers to the row is not held up (no_key): whoever has signed elsewhere, and writes a row of
    this house, would wait for an office that waits for their signature.
    """
    held = rows.select_for_update(no_key=True, of=("self",))
    key: uuid.UUID | None = held.values_list("pk", flat=True).first()
    if key is None:
        raise not_found(what)
    return key


def _held(row: H | None) -> H:
    assert row is not None, "a locked row does not go away"
    return row


# Stand-ins for the row's key, its stream and the command's id.
_STAND_INS = (uuid.UUID(int=1), "stream", uuid.UUID(int=2))


def _written(rows: Callable[[], QuerySet[H]]) -> Written[H]:
    """The row with its `answered`: whether the command was answered before, asked along with the row."""
    key, stream, command_id = _STAND_INS
    answered = {"answered": Exists(CommandAnswer.objects.filter(stream=stream, command_id=command_id))}
    return Written(lambda: rows().annotate(**answered).filter(pk=key), *_STAND_INS)


_TABLE = _written(lambda: Table.objects.select_related(*WITH_WHAT_GOES_ON))
_CAGE = _written(lambda: Cage.objects.select_related("casino"))
_OFFICE = _written(lambda: Casino.objects.all())


def open_session(table: Table) -> TableSession:
    """The session that is open at a locked table.

    Raises:
        DomainError: `table_closed`.
    """
    if table.session is None:
        raise DomainError("table_closed", "The table is not open.")
    return table.session


def no_round(table: Table) -> None:
    """Refuse while a round is in progress.

    Raises:
        DomainError: `round_in_progress`.
    """
    if table.round is not None:
        raise DomainError("round_in_progress", "A round is in progress.", round=str(table.round.id))


def running_round(table: Table, round_id: uuid.UUID) -> Round:
    """The round in progress at a locked table, when it is the one that was meant.

    Raises:
        DomainError: `round_over` when it has ended before.
    """
    if table.round is None or table.round.id != round_id:
        raise DomainError("round_over", "This round is over.")
    assert table.round.status == RoundStatus.IN_PROGRESS, "the table points at running rounds only"
    return table.round
