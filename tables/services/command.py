"""How every command runs: one lock, one answer, one journal entry, all or nothing.

    lock the row the command is about (a table, the cage, the office)
    seen this command before?  same body: the stored answer; another body: refused
    expected version current?  else refused; so it is at a frozen table
    work()  decides, by the pure engine, what happens: an Effect, or a refusal
    post the entry and its movements; write the projections, the row, the answer, the outbox

A refusal rolls all of that back and is then recorded in a transaction of its own; the same command may
be tried again and is judged afresh.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from django.db import transaction

from config.errors import DomainError
from ledger.errors import FloorBroken
from ledger.services import Movement, Posted, post
from tables.engine.contract import IllegalAction
from tables.models import CommandAnswer, OutboxItem, Refusal, Table
from tables.selectors.views import table_view
from tables.services.permissions import WHILE_FROZEN, require


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and from which terminal (None: from the admin site or the command line).

    A terminal reaches the tables of its casino (`casino_id`), one at a table that table alone
    (`table_id`); anything else is not found, for it might as well not exist. The client's `address` is kept
    with signatures and nowhere else: it says whether two gave theirs at one place.
    """

    staff_id: uuid.UUID
    role: str
    terminal_id: uuid.UUID | None = None
    terminal_kind: str | None = None
    casino_id: uuid.UUID | None = None
    table_id: uuid.UUID | None = None
    address: str | None = None

    @property
    def reach(self) -> dict[str, uuid.UUID]:
        """What the row of a table must meet for this actor to reach it, as a query's conditions."""
        limits = {"casino_id": self.casino_id, "pk": self.table_id}
        return {field: value for field, value in limits.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Command:
    """What identifies one command: the caller's id for it, who sends it, and what it expects.

    `expected_version` is the action counter the caller saw last; None only for office and command-line
    work, where nobody races.
    """

    id: uuid.UUID
    actor: Actor
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answered: an HTTP status, a JSON body, and the row's version afterwards."""

    status: int
    body: dict[str, Any]
    version: int
    replayed: bool = False


class Holder(Protocol):
    """A row that serialises commands: it has a journal stream and an action counter.

    `answered` says whether the command at hand was answered before; locking the row finds it out.
    """

    version: int
    answered: bool

    @property
    def stream(self) -> str:
        """Name of the journal stream the commands on this row post to."""

    def save(self, *, update_fields: Sequence[str]) -> None:
        """Write the row."""


H = TypeVar("H", bound=Holder)


@dataclass(frozen=True, slots=True)
class Effect:
    """What an accepted command does.

    Args:
        kind: kind of the journal entry.
        payload: what the entry says, JSON of strings and integers.
        body: the answer, made after everything is written.
        movements: chips and cash that move, by account name within the stream.
        write: writes the projections, given the posted entry.
        changed: fields of the locked row that `work` changed.
        outbox: (topic, subject id) of work to be done afterwards.
        status: HTTP status of the answer.
        reverses: id of the entry this one takes back.
        occurred_at: when it happened, if not now.
        otherwise: what happens instead when `movements` would break the floor of the account
            `otherwise_if_short`, everything else being equal.
    """

    kind: str
    payload: Mapping[str, Any]
    body: Callable[[], dict[str, Any]]
    movements: Sequence[Movement] = ()
    write: Callable[[Posted], None] = lambda posted: None
    changed: Sequence[str] = ()
    outbox: Sequence[tuple[str, uuid.UUID]] = ()
    status: int = 200
    reverses: uuid.UUID | None = None
    occurred_at: datetime | None = None
    otherwise: "Callable[[], Effect] | None" = None
    otherwise_if_short: str = field(default="")


def execute(
    operation: str,
    command: Command,
    request: Mapping[str, Any],
    lock: Callable[[uuid.UUID, Command], H],
    key: uuid.UUID,
    work: Callable[[H], Effect],
) -> Answer:
    """Run one command to its end, or refuse it and change nothing.

    Args:
        operation: name of the operation, as in `permissions.PERMISSIONS`.
        command: identity, actor and expectation.
        request: the command's content in plain JSON values; a retry must carry the same.
        lock: fetches and locks the row that `key` names (`tables.services.locks`); raises DomainError when
            there is none.
        key: the id the row is found by.
        work: decides what happens, changing the row's fields in memory.

    Raises:
        DomainError: the refusal, already recorded.
    """
    try:
        require(operation, command.actor.role, command.actor.terminal_kind)
        with transaction.atomic():
            return _run(operation, command, request, lambda: lock(key, command), work)
    except IllegalAction as illegal:
        refusal = DomainError(illegal.code, illegal.detail, rule=illegal.rule)
        record_refusal(operation=operation, refusal=refusal, command=command)
        raise refusal from illegal
    except DomainError as refusal:
        record_refusal(operation=operation, refusal=refusal, command=command)
        raise


def _run(
    operation: str,
    command: Command,
    request: Mapping[str, Any],
    lock: Callable[[], H],
    work: Callable[[H], Effect],
) -> Answer:
    holder = lock()
    print_of_request = fingerprint(operation, command.actor, request)
    if holder.answered:
        stored = CommandAnswer.objects.get(stream=holder.stream, command_id=command.id)
        return _replay(stored, print_of_request)
    if command.expected_version is not None and command.expected_version != holder.version:
        raise _stale(holder)
    if isinstance(holder, Table) and holder.frozen and operation not in WHILE_FROZEN:
        raise DomainError("table_frozen", f"The table is frozen: {holder.frozen}")
    effect, posted = _post(holder, command, work(holder))
    holder.version += 1
    effect.write(posted)
    holder.save(update_fields=["version", *effect.changed])
    answer = Answer(effect.status, effect.body(), holder.version)
    CommandAnswer.objects.create(
        stream=holder.stream,
        command_id=command.id,
        fingerprint=print_of_request,
        status=answer.status,
        body=answer.body,
        version=answer.version,
    )
    if effect.outbox:
        OutboxItem.objects.bulk_create(
            OutboxItem(topic=topic, subject=subject) for topic, subject in effect.outbox
        )
    return answer


def _stale(holder: Holder) -> DomainError:
    """The refusal of a command based on an old state, with the state it should be based on."""
    current: dict[str, Any] = {"current": table_view(holder)} if isinstance(holder, Table) else {}
    return DomainError(
        "stale_version",
        "Something happened here since the state this command was based on.",
        status=412,
        current_version=holder.version,
        **current,
    )


def _post(holder: Holder, command: Command, effect: Effect) -> tuple[Effect, Posted]:
    """Post the effect's entry; where it has an alternative and falls short, post that instead."""
    if effect.otherwise is None:
        return effect, _post_entry(holder, command, effect)
    try:
        with transaction.atomic():
            return effect, _post_entry(holder, command, effect)
    except FloorBroken as short:
        if short.extra["account"] != effect.otherwise_if_short:
            raise
        return _post(holder, command, effect.otherwise())


def _post_entry(holder: Holder, command: Command, effect: Effect) -> Posted:
    return post(
        stream=holder.stream,
        kind=effect.kind,
        payload=effect.payload,
        movements=effect.movements,
        actor=command.actor.staff_id,
        terminal=command.actor.terminal_id,
        command_id=command.id,
        reverses=effect.reverses,
        occurred_at=effect.occurred_at,
    )


def _replay(stored: CommandAnswer, print_of_request: bytes) -> Answer:
    if bytes(stored.fingerprint) != print_of_request:
        raise DomainError(
            "command_id_reused", "This command id was used for another command before.", status=422
        )
    return Answer(stored.status, stored.body, stored.version, replayed=True)


def fingerprint(operation: str, actor: Actor, request: Mapping[str, Any]) -> bytes:
    """SHA-256 over what a retry must repeat: the operation, who asks, and the content."""
    content = [operation, str(actor.staff_id), str(actor.terminal_id), request]
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).digest()


def record_refusal(*, operation: str, refusal: DomainError, command: Command) -> None:
    """Keep a refusal as evidence, apart from the transaction that was rolled back."""
    Refusal.objects.create(
        operation=operation,
        code=refusal.code,
        detail=refusal.detail,
        badge=refusal.extra.get("badge", ""),
        command_id=command.id,
        staff_id=command.actor.staff_id,
        terminal_id=command.actor.terminal_id,
    )
