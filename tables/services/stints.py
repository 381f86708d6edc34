"""Who deals at a table: signing on, relief with or without a count of the tray, signing off.

Signing in at a terminal says who is at the device; a stint says who deals, in the journal. The two meet
where a dealer is concerned: a dealer who opens a table at its terminal, or signs in there while it is
open, is on, and relieves whoever was; signing out there ends it, and so does the closer. People who
run the floor sign in at the same terminal without dealing. A round is its stint's dealer's; only where
nobody is on it is the one's who began it.
"""

import uuid
from collections.abc import Callable
from typing import Any

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.models import Role, SignIn, Stint, Table, TableSession, Terminal
from tables.selectors.balances import tray_chips
from tables.selectors.views import table_view
from tables.services.command import Actor, Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, to_count
from tables.services.locks import lock_table, no_round, open_session
from tables.services.permissions import DEALING, RUNNING
from tables.services.signatures import Badge, Witness, identify, signing


def dealer_sign_on(*, table_id: uuid.UUID, command: Command) -> Answer:
    """The actor deals here from now on, and relieves whoever did without a count.

    Raises:
        DomainError: `table_closed`, `on_duty` (the actor deals here already).
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        if table.stint is not None and table.stint.dealer_id == command.actor.staff_id:
            raise DomainError("on_duty", "You deal here already.")
        ended, ending = end_stint(table)
        said, begin = begin_stint(table, session, command.actor.staff_id)

        def write(posted: Posted) -> None:
            ending(posted)
            begin(posted)

        return _effect(table, "dealer.sign_on", {"session": str(session.id)} | said | ended, write)

    return _run("dealer.sign_on", table_id, command, {}, work)


def dealer_sign_off(*, table_id: uuid.UUID, command: Command) -> Answer:
    """Whoever deals here goes, and nobody comes: a table that waits for players, or for a dealer.

    Raises:
        DomainError: `table_closed`, `nobody_deals`, `not_your_stint` (a dealer ends another's).
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        _own(table, command.actor)
        ended, ending = end_stint(table)
        return _effect(table, "dealer.sign_off", {"session": str(session.id)} | ended, ending)

    return _run("dealer.sign_off", table_id, command, {}, work)


def dealer_relieve(*, table_id: uuid.UUID, relief: Badge, count: Count | None, command: Command) -> Answer:
    """One dealer hands the table to another; both sign.

    With a count of the tray (the one who goes counts, the one who comes verifies) the books of the tray
    become what was counted, as at every count, and what differs is the stints' that lie between two counts.

    Args:
        relief: badge and PIN of who comes.
        count: chip value to number of chips; None where nobody counted.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `nobody_deals`, `not_your_stint`, `on_duty` (they
            deal here already), `same_person_signed`, `may_not_deal`, `unknown_denomination`, `bad_count`,
            and those of `identify`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        no_round(table)
        stint = _own(table, command.actor)
        person = identify(relief, casino_id=table.casino_id)
        if person.id == command.actor.staff_id:
            raise DomainError("same_person_signed", "A second, different person must sign.", status=403)
        if person.role not in DEALING:
            raise DomainError("may_not_deal", f"The role {person.role} does not deal.", status=403)
        if person.id == stint.dealer_id:
            raise DomainError("on_duty", "They deal here already.")
        total = None if count is None else check_chips(count, table.casino)
        variance = 0 if total is None else total - tray_chips(table)
        ended, ending = end_stint(table, total)
        said, begin = begin_stint(table, session, person.id, total)
        counted = {} if count is None else {"count": dict(count), "total": total, "variance": variance}
        actor = command.actor
        witness = Witness(person.id, actor.terminal_id, address=actor.address)
        sign = signing(act="dealer.relieve", actor=actor, second=witness)

        def write(posted: Posted) -> None:
            ending(posted)
            begin(posted)
            sign(posted)
            _at_the_terminal(actor.terminal_id, person.id, posted)

        payload = {"session": str(session.id), "second": str(person.id)} | said | ended | counted
        return _effect(table, "dealer.relieve", payload, write, to_count("tray", "over_short", variance))

    request = {"relief": relief.number, "count": None if count is None else dict(count)}
    return _run("dealer.relieve", table_id, command, request, work)


def signed_in(sign_in: SignIn, actor: Actor) -> Answer | None:
    """A dealer signed in at a table's terminal: where the table is open and somebody else, or nobody, was
    on, the dealer is on now. The sign-in is good either way.
    """
    table = _to_be_dealt(sign_in.terminal, actor)
    if table is None or (table.stint and table.stint.dealer_id == actor.staff_id):
        return None
    try:
        return dealer_sign_on(table_id=table.id, command=Command(uuid.uuid5(sign_in.id, "on"), actor))
    except DomainError:  # it was closed just now; the refusal is on record
        return None


def signed_out(sign_in: SignIn, actor: Actor) -> None:
    """A dealer signed out at a table's terminal: whoever was on there, if it was the dealer, is off."""
    table = _to_be_dealt(sign_in.terminal, actor)
    if table is None or table.stint is None or table.stint.dealer_id != actor.staff_id:
        return
    try:
        dealer_sign_off(table_id=table.id, command=Command(uuid.uuid5(sign_in.id, "off"), actor))
    except DomainError:  # somebody relieved the dealer just now
        return


def _to_be_dealt(terminal: Terminal, actor: Actor) -> Table | None:
    """The open table a dealer's terminal stands at."""
    if actor.role != Role.DEALER or terminal.table_id is None:
        return None
    rows = Table.objects.select_related("stint").filter(id=terminal.table_id, session__isnull=False)
    return rows.first()


def begin_stint(
    table: Table, session: TableSession, dealer: uuid.UUID, total: int | None = None
) -> tuple[dict[str, Any], Callable[[Posted], None]]:
    """Put a dealer on at a locked table: what the entry says of it, and the write.

    Args:
        total: the tray as it was counted with it, minor units; None where it was not.
    """
    stint = Stint(table=table, session=session, dealer_id=dealer, began_total=total)
    table.stint = stint

    def write(posted: Posted) -> None:
        stint.began_at, stint.began_seq = posted.recorded_at, posted.seq
        stint.save(force_insert=True)

    return {"stint": str(stint.id), "dealer": str(dealer)}, write


def opening_stint(
    table: Table, session: TableSession, total: int, actor: Actor
) -> tuple[dict[str, Any], Callable[[Posted], None]]:
    """A dealer who opens a table at its terminal deals there, from the opener on."""
    if actor.role != Role.DEALER or actor.terminal_id is None:
        return {}, lambda posted: None
    return begin_stint(table, session, actor.staff_id, total)


def end_stint(table: Table, total: int | None = None) -> tuple[dict[str, Any], Callable[[Posted], None]]:
    """Take whoever is on at a locked table off, if anybody is: what the entry says of it, and the write."""
    stint = table.stint
    if stint is None:
        return {}, lambda posted: None
    table.stint = None

    def write(posted: Posted) -> None:
        stint.ended_at, stint.ended_seq, stint.ended_total = posted.recorded_at, posted.seq, total
        stint.save(update_fields=["ended_at", "ended_seq", "ended_total"])

    return {"ended": str(stint.id)}, write


def _own(table: Table, actor: Actor) -> Stint:
    """The stint at the table, which its dealer ends, or who runs the floor."""
    if table.stint is None:
        raise DomainError("nobody_deals", "Nobody has signed on here.")
    if actor.staff_id != table.stint.dealer_id and actor.role not in RUNNING:
        raise DomainError("not_your_stint", "Another dealer is on here.", status=403)
    return table.stint


def _at_the_terminal(terminal: uuid.UUID | None, person: uuid.UUID, posted: Posted) -> None:
    """Who came has typed badge and PIN: the terminal is theirs."""
    if terminal is None:
        return
    now = posted.recorded_at
    SignIn.objects.filter(terminal_id=terminal, ended_at=None).update(ended_at=now)
    SignIn.objects.create(terminal_id=terminal, staff_id=person, started_at=now, last_input_at=now)


def _effect(
    table: Table,
    kind: str,
    payload: dict[str, Any],
    write: Callable[[Posted], None],
    movements: list[Movement] | None = None,
) -> Effect:
    return Effect(
        kind=kind,
        payload=payload,
        movements=movements or [],
        write=write,
        changed=["stint"],
        body=lambda: table_view(table),
        status=201 if "stint" in payload else 200,
    )


def _run(
    operation: str,
    table_id: uuid.UUID,
    command: Command,
    request: dict[str, Any],
    work: Callable[[Table], Effect],
) -> Answer:
    return execute(operation, command, {"table": str(table_id), **request}, lock_table, table_id, work)
