"""Writing to the journal: each function is one call of one SQL function, one round trip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection

from ledger.canonical import MAX_INTEGER, canonical_json
from ledger.errors import BadAmount, BadEntry, translated

_OPEN = "SELECT * FROM {}(%s, %s::text[], %s::text[], %s::bigint[], %s::uuid, %s::uuid)"
_OPEN_STREAM = _OPEN.format("ledger_open_stream")
_OPEN_ACCOUNTS = _OPEN.format("ledger_open_accounts")
_POST = (
    "SELECT * FROM ledger_post(%s, %s, %s, %s::text[], %s::text[], %s::bigint[],"
    " %s::uuid, %s::uuid, %s::uuid, %s::timestamptz, %s::uuid, %s::uuid)"
)


@dataclass(frozen=True, slots=True)
class AccountSpec:
    """An account to open: its name in the stream, its asset ("chips:USD"), and the lowest balance it may
    have in minor units (None: a boundary account, no floor)."""

    name: str
    asset: str
    floor: int | None


@dataclass(frozen=True, slots=True)
class Movement:
    """``amount`` minor units go from account ``source`` to account ``target`` of the same stream."""

    source: str
    target: str
    amount: int


@dataclass(frozen=True, slots=True)
class Posted:
    """The entry a call became."""

    stream: str
    seq: int
    entry_id: UUID
    hash: bytes
    recorded_at: datetime


def open_stream(*, name: str, accounts: Sequence[AccountSpec], actor: UUID, command_id: UUID) -> Posted:
    """Open a stream with its first accounts; its entry number 1, "stream.open", says what was opened.

    Args:
        name: lower-case ASCII, for example ``table:<uuid>``; one stream per name, for ever.
        accounts: the accounts to open; may be empty.
        actor: the person, or ``ledger.SYSTEM_ACTOR``.
        command_id: unique within the stream.

    Raises:
        StreamExists, AccountExists (a name given twice), BadEntry, WrongIsolation.
    """
    return _call(name, _OPEN_STREAM, [name, *_columns(accounts), actor, command_id])


def open_accounts(*, stream: str, accounts: Sequence[AccountSpec], actor: UUID, command_id: UUID) -> Posted:
    """Open further accounts in a stream; the entry is "account.open".

    Raises:
        StreamUnknown, AccountExists, DuplicateCommand, BadEntry, WrongIsolation.
    """
    return _call(stream, _OPEN_ACCOUNTS, [stream, *_columns(accounts), actor, command_id])


def post(
    *,
    stream: str,
    kind: str,
    payload: Mapping[str, Any],
    movements: Sequence[Movement] = (),
    actor: UUID,
    terminal: UUID | None = None,
    command_id: UUID,
    occurred_at: datetime | None = None,
    entry_id: UUID | None = None,
    reverses: UUID | None = None,
) -> Posted:
    """Append one entry and make its movements, all or nothing, in one statement.

    Must run under READ COMMITTED (autocommit will do). A refusal leaves the surrounding transaction
    aborted: let it roll back.

    Args:
        stream: name of the stream, whose head is locked until the transaction ends.
        kind: dotted lower-case name of what happened.
        payload: what happened, as canonical JSON can say it (see ``ledger.canonical``).
        movements: amounts in minor units between accounts of this stream; floors are judged on what
            the entry as a whole leaves behind.
        actor: the person who did it, or ``ledger.SYSTEM_ACTOR``.
        terminal: the device it was done on.
        command_id: unique within the stream, for ever.
        occurred_at: when it happened, if not now (an offline terminal); time zone aware.
        entry_id: the entry's id, if the caller has to know it beforehand.
        reverses: id of the entry of this stream which this one takes back, at most once.

    Raises:
        StreamUnknown, UnknownAccount, AssetMismatch, BadAmount, SameAccount, FloorBroken,
        DuplicateCommand, DuplicateEntry, ReversalUnknown, AlreadyReversed, BadEntry, BadPayload,
        WrongIsolation.
    """
    arguments = [
        stream,
        kind,
        canonical_json(payload),
        [m.source for m in movements],
        [m.target for m in movements],
        [_checked(m) for m in movements],
        actor,
        terminal,
        command_id,
        occurred_at,
        entry_id,
        reverses,
    ]
    return _call(stream, _POST, arguments)


def _checked(movement: Movement) -> int:
    """The amount, if it is an integer the database can take; it judges the rest itself."""
    if type(movement.amount) is not int or abs(movement.amount) > MAX_INTEGER:
        raise BadAmount(
            "an amount lies between 1 and 2^53 - 1", source=movement.source, target=movement.target
        )
    return movement.amount


def _columns(accounts: Sequence[AccountSpec]) -> list[list[Any]]:
    return [[a.name for a in accounts], [a.asset for a in accounts], [_floor(a) for a in accounts]]


def _floor(account: AccountSpec) -> int | None:
    """The floor, if there is none or it is an integer the database can take; it judges the rest itself."""
    if account.floor is not None and (type(account.floor) is not int or abs(account.floor) > MAX_INTEGER):
        raise BadEntry("a floor lies between -(2^53 - 1) and 0", account=account.name)
    return account.floor


def _call(stream: str, sql: str, arguments: list[Any]) -> Posted:
    """Call a posting function and translate its refusal."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql, arguments)
            seq, entry_id, digest, recorded_at = cursor.fetchone()
    except DatabaseError as exc:
        refusal = translated(exc)
        if refusal is None:
            raise
        raise refusal from exc
    return Posted(stream, seq, entry_id, bytes(digest), recorded_at)
