"""Finding and locking the row a command is about."""

import uuid

from config.errors import DomainError
from tables.models import Cage, Casino, Round, RoundStatus, Table, TableSession
from tables.selectors.terminal import WITH_WHAT_GOES_ON
from tables.services.command import Actor


def not_found(what: str) -> DomainError:
    """The refusal for a row that is not there (or not for this caller to see)."""
    return DomainError(f"{what}_not_found", f"There is no such {what}.", status=404)


def lock_table(table_id: uuid.UUID, actor: Actor) -> Table:
    """The table, locked, with its casino, rules, session, shoe and round, if the actor may reach it.

    Raises:
        DomainError: `table_not_found` (404).
    """
    rows = Table.objects.select_related(*WITH_WHAT_GOES_ON).select_for_update(of=("self",))
    table = rows.filter(id=table_id, **actor.reach).first()
    if table is None:
        raise not_found("table")
    return table


def lock_table_of_round(round_id: uuid.UUID, actor: Actor) -> Table:
    """The table a round was played at, locked; whether the round still runs is `running_round`'s to say.

    Raises:
        DomainError: `round_not_found` (404).
    """
    rows = Table.objects.select_related(*WITH_WHAT_GOES_ON).select_for_update(of=("self",))
    table = rows.filter(rounds=round_id, **actor.reach).first()
    if table is None:
        raise not_found("round")
    return table


def lock_table_of_session(session_id: uuid.UUID, actor: Actor) -> Table:
    """The table a session belongs to, locked.

    Raises:
        DomainError: `session_not_found` (404).
    """
    rows = Table.objects.select_related(*WITH_WHAT_GOES_ON).select_for_update(of=("self",))
    table = rows.filter(sessions=session_id, **actor.reach).first()
    if table is None:
        raise not_found("session")
    return table


def lock_cage(casino_id: uuid.UUID) -> Cage:
    """The cage of a casino, locked.

    Raises:
        DomainError: `casino_not_found` (404).
    """
    cage = Cage.objects.select_related("casino").select_for_update(of=("self",)).filter(pk=casino_id).first()
    if cage is None:
        raise not_found("casino")
    return cage


def lock_office(casino_id: uuid.UUID) -> Casino:
    """The casino's own row, locked for office work.

    Raises:
        DomainError: `casino_not_found` (404).
    """
    casino = Casino.objects.select_for_update().filter(pk=casino_id).first()
    if casino is None:
        raise not_found("casino")
    return casino


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
