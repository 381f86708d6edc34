"""Re-deriving the journal from values: hashes, links, numbers, balances, floors, accounts.

Pure functions on rows that somebody read back; standard library only. Nothing here is used for writing,
and nothing that writes is used here: a mistake would have to be made twice to go unseen. The layout of
the hashed bytes is described in ``ledger/sql/0001_hash.sql``; both sides must meet the same vectors.
"""

import hashlib
import json
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

TAG = b"pitledger:entry\x00"
VERSION = 1
NO_HASH = bytes(32)
MAX_INTEGER = 2**53 - 1
OPENING_KINDS = ("stream.open", "account.open")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INT2 = struct.Struct(">h")
_INT4 = struct.Struct(">i")
_INT8 = struct.Struct(">q")
_TIMES = struct.Struct(">qq")


class EntryRow(NamedTuple):
    """An entry as stored. A time that no calendar of ours can hold comes as None."""

    seq: int
    id: UUID
    command_id: UUID
    kind: str
    actor: UUID
    terminal: UUID | None
    recorded_at: datetime | None
    occurred_at: datetime | None
    payload: str
    payload_digest: bytes
    reverses: UUID | None
    previous_hash: bytes
    hash: bytes
    hash_version: int


class MovementRow(NamedTuple):
    """A movement as stored; amount in minor units."""

    seq: int
    line: int
    source_id: int
    target_id: int
    amount: int


class AccountRow(NamedTuple):
    """An account as stored; floor and balance in minor units."""

    id: int
    name: str
    asset: str
    floor: int | None
    balance: int
    opened_seq: int


class HeadRow(NamedTuple):
    """The end of a chain as the posting functions keep it."""

    seq: int
    hash: bytes
    recorded_at: datetime | None


class HashedMovement(NamedTuple):
    """What the hash covers of a movement: names and asset, no database ids; amount in minor units."""

    source: str
    target: str
    asset: str
    amount: int


class Opened(NamedTuple):
    """What an opening entry said of an account."""

    asset: str
    floor: int | None
    seq: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the journal that is not as it must be.

    Attributes:
        type: stable snake_case name of the kind of fault.
        stream: name of the stream, or "" for the journal as a whole.
        seq: number of the entry concerned, where there is one.
        detail: a sentence for a person.
    """

    type: str
    stream: str
    seq: int | None
    detail: str


Report = Callable[[Finding], None]


class _NotCanonical(ValueError):
    """The payload is not the canonical text of any value."""


def entry_bytes(stream: str, entry: EntryRow, movements: Sequence[HashedMovement]) -> bytes:
    """The bytes the hash of ``entry`` covers, layout version 1.

    Raises:
        ValueError: a time is out of range, or a number does not fit its field.
    """
    if entry.recorded_at is None or entry.occurred_at is None:
        raise ValueError("a time is out of range")
    try:
        parts = [
            TAG,
            _INT2.pack(entry.hash_version),
            _text(stream),
            _INT8.pack(entry.seq),
            entry.id.int.to_bytes(16),
            entry.command_id.int.to_bytes(16),
            _text(entry.kind),
            entry.actor.int.to_bytes(16),
            _optional(entry.terminal),
            _TIMES.pack(_microseconds(entry.recorded_at), _microseconds(entry.occurred_at)),
            entry.payload_digest,
            _optional(entry.reverses),
            entry.previous_hash,
            _INT4.pack(len(movements)),
        ]
        for source, target, asset, amount in movements:
            parts.append(_places(source, target, asset))
            parts.append(_INT8.pack(amount))
    except struct.error as exc:
        raise ValueError("a number does not fit its field") from exc
    return b"".join(parts)


def entry_hash(stream: str, entry: EntryRow, movements: Sequence[HashedMovement]) -> bytes:
    """SHA-256 over ``entry_bytes``; raises as that does."""
    return hashlib.sha256(entry_bytes(stream, entry, movements)).digest()


# Few texts are hashed again and again: streams, kinds, accounts, assets.
@lru_cache(maxsize=4096)
def _text(value: str) -> bytes:
    encoded = value.encode()
    return _INT4.pack(len(encoded)) + encoded


@lru_cache(maxsize=4096)
def _places(source: str, target: str, asset: str) -> bytes:
    return _text(source) + _text(target) + _text(asset)


def _optional(value: UUID | None) -> bytes:
    return bytes(17) if value is None else b"\x01" + value.int.to_bytes(16)


def _microseconds(value: datetime) -> int:
    since = value - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def parse_canonical(text: str) -> dict[str, Any]:
    """The object whose canonical JSON ``text`` is.

    With ASCII keys, no floats and integers within +-(2**53 - 1), RFC 8785 is what the standard library
    writes with sorted keys and no spaces; so the text is canonical if writing what was read gives it back.

    Raises:
        ValueError: it is not canonical, not an object, or holds what a payload must not.
    """
    value = json.loads(text, parse_float=_refuse, parse_constant=_refuse, parse_int=_integer)
    if not isinstance(value, dict):
        raise _NotCanonical("not an object")
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if written != text:
        raise _NotCanonical("not the canonical spelling")
    if not text.isascii() and not _keys_are_ascii(value):
        raise _NotCanonical("a key is not ASCII")
    return value


def _refuse(text: str) -> Any:
    raise _NotCanonical(f"{text} is not an integer")


def _integer(text: str) -> int:
    value = int(text)
    if abs(value) > MAX_INTEGER:
        raise _NotCanonical(f"{text} passes 2^53 - 1")
    return value


def _keys_are_ascii(value: Any) -> bool:
    if isinstance(value, dict):
        return all(key.isascii() and _keys_are_ascii(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_keys_are_ascii, value))


def parse_opening(payload: dict[str, Any], stream: str, seq: int) -> dict[str, Opened]:
    """The accounts an opening entry's payload says it opened, by name.

    Raises:
        ValueError: it is not of the shape the opening functions write, or speaks of another stream.
    """
    if set(payload) != {"accounts", "stream"} or payload["stream"] != stream:
        raise ValueError("it does not open this stream's accounts")
    opened: dict[str, Opened] = {}
    for account in payload["accounts"]:
        if set(account) != {"asset", "floor", "name"} or account["name"] in opened:
            raise ValueError("an account is described wrongly or twice")
        if not isinstance(account["asset"], str) or not isinstance(account["floor"], int | None):
            raise ValueError("an account's asset is a text and its floor a number or null")
        opened[account["name"]] = Opened(account["asset"], account["floor"], seq)
    return opened


@dataclass(slots=True)
class StreamCheck:
    """Walks one stream's entries in order and reports what is wrong with them.

    Memory is bounded by the number of the stream's accounts, however long the stream.

    Args:
        stream: its name.
        accounts: its account rows.
        report: called with each finding.

    Attributes:
        balances: what each account holds so far, by its id, in minor units.
    """

    stream: str
    accounts: Iterable[AccountRow]
    report: Report
    entries: int = 0
    movements: int = 0
    balances: dict[int, int] = field(default_factory=dict)
    _by_id: dict[int, AccountRow] = field(default_factory=dict)
    _opened: dict[str, Opened] = field(default_factory=dict)
    _last: EntryRow | None = None

    def __post_init__(self) -> None:
        self._by_id = {account.id: account for account in self.accounts}
        self.balances = dict.fromkeys(self._by_id, 0)

    def entry(self, entry: EntryRow, movements: Sequence[MovementRow]) -> None:
        """Check the next entry, with its movements in order of their lines."""
        self.entries += 1
        self.movements += len(movements)
        self._check_place(entry)
        self._check_payload(entry)
        self._check_hash(entry, movements)
        self._apply(entry, movements)
        self._last = entry

    def finish(self, head: HeadRow | None) -> None:
        """Check what must hold at the end: the head, every balance, every account."""
        last = self._last
        if head is None:
            self._found("head_missing", None, "the stream has no head")
        elif last is None:
            self._found("entries_missing", None, f"the head says {head.seq} entries, there is none")
        elif (head.seq, head.hash, head.recorded_at) != (last.seq, last.hash, last.recorded_at):
            self._found(
                "head_differs", last.seq, f"the head says number {head.seq}, the last entry is {last.seq}"
            )
        for account in self._by_id.values():
            self._check_account(account)
        for name in self._opened.keys() - {account.name for account in self._by_id.values()}:
            self._found("account_missing", self._opened[name].seq, f"account {name} was opened and is gone")

    def orphan(self, movement: MovementRow) -> None:
        """Report a movement whose entry is not there."""
        self._found("movement_without_entry", movement.seq, f"line {movement.line} has no entry")

    def _found(self, kind: str, seq: int | None, detail: str) -> None:
        self.report(Finding(kind, self.stream, seq, detail))

    def _check_place(self, entry: EntryRow) -> None:
        """Number, link to the one before, and time."""
        last = self._last
        expected = 1 if last is None else last.seq + 1
        if entry.seq != expected:
            self._found("sequence_gap", entry.seq, f"number {expected} was expected")
        if entry.previous_hash != (NO_HASH if last is None else last.hash):
            self._found("link_broken", entry.seq, "it does not carry the hash of the entry before it")
        if entry.recorded_at is None or entry.occurred_at is None:
            self._found("time_out_of_range", entry.seq, "a time no calendar holds")
        elif last is not None and last.recorded_at is not None and entry.recorded_at <= last.recorded_at:
            self._found("time_not_increasing", entry.seq, "it is not recorded later than the one before")

    def _check_payload(self, entry: EntryRow) -> None:
        if hashlib.sha256(entry.payload.encode()).digest() != entry.payload_digest:
            self._found("payload_digest_differs", entry.seq, "the payload is not the one that was hashed")
        try:
            payload = parse_canonical(entry.payload)
        except (ValueError, RecursionError) as exc:
            self._found("payload_not_canonical", entry.seq, str(exc))
            return
        if (entry.seq == 1) != (entry.kind == "stream.open"):
            self._found("opening_invalid", entry.seq, "a stream is opened by its first entry, and only by it")
        if entry.kind in OPENING_KINDS:
            self._open(entry, payload)

    def _open(self, entry: EntryRow, payload: dict[str, Any]) -> None:
        try:
            opened = parse_opening(payload, self.stream, entry.seq)
        except (ValueError, TypeError) as exc:
            self._found("opening_invalid", entry.seq, str(exc))
            return
        for name in opened.keys() & self._opened.keys():
            self._found("opening_invalid", entry.seq, f"account {name} was open before")
        self._opened = opened | self._opened

    def _check_hash(self, entry: EntryRow, movements: Sequence[MovementRow]) -> None:
        if entry.hash_version != VERSION:
            self._found("hash_version_unknown", entry.seq, f"hash version {entry.hash_version}")
        hashed = [
            HashedMovement(source.name, target.name, source.asset, movement.amount)
            for movement in movements
            if (source := self._by_id.get(movement.source_id))
            and (target := self._by_id.get(movement.target_id))
        ]
        try:
            derived = entry_hash(self.stream, entry, hashed)
        except ValueError as exc:
            self._found("hash_differs", entry.seq, f"no hash can be derived: {exc}")
            return
        if derived != entry.hash:
            self._found("hash_differs", entry.seq, f"its values give {derived.hex()}, not {entry.hash.hex()}")

    def _apply(self, entry: EntryRow, movements: Sequence[MovementRow]) -> None:
        """Move what the movements say, and judge the floors on what the entry leaves behind."""
        touched: set[int] = set()
        for number, movement in enumerate(movements, start=1):
            if movement.line != number:
                self._found("movement_line_gap", entry.seq, f"line {movement.line} is number {number}")
            if self._movement_is_sound(entry, movement):
                self.balances[movement.source_id] -= movement.amount
                self.balances[movement.target_id] += movement.amount
                touched |= {movement.source_id, movement.target_id}
        for account_id in touched:
            name, balance = self._by_id[account_id].name, self.balances[account_id]
            opened = self._opened.get(name)
            if opened is None:
                self._found("account_not_open", entry.seq, f"account {name} was not open yet")
            elif opened.floor is not None and balance < opened.floor:
                detail = f"account {name} falls to {balance}, its floor is {opened.floor}"
                self._found("floor_broken", entry.seq, detail)

    def _movement_is_sound(self, entry: EntryRow, movement: MovementRow) -> bool:
        source = self._by_id.get(movement.source_id)
        target = self._by_id.get(movement.target_id)
        if source is None or target is None:
            detail = f"line {movement.line} names an account this stream does not have"
            self._found("movement_account_unknown", entry.seq, detail)
            return False
        if source.asset != target.asset:
            detail = f"line {movement.line} turns {source.asset} into {target.asset}"
            self._found("movement_asset_differs", entry.seq, detail)
        if source.id == target.id:
            self._found("movement_same_account", entry.seq, f"line {movement.line} goes nowhere")
        if not 1 <= movement.amount <= MAX_INTEGER:
            self._found("movement_amount", entry.seq, f"line {movement.line} moves {movement.amount}")
        return True

    def _check_account(self, account: AccountRow) -> None:
        derived = self.balances[account.id]
        if account.balance != derived:
            detail = f"account {account.name} holds {account.balance}, its movements give {derived}"
            self._found("balance_differs", None, detail)
        opened = self._opened.get(account.name)
        if opened is None:
            self._found("account_not_opened", None, f"no entry opened account {account.name}")
        elif opened != Opened(account.asset, account.floor, account.opened_seq):
            detail = f"account {account.name} is not as entry {opened.seq} opened it"
            self._found("account_differs", opened.seq, detail)
