"""What the journal is meant to be, as simply as it can be said: dicts, and rules in the order they hold."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from ledger import errors
from ledger.services import AccountSpec, Posted
from tests.fuzz.operations import OpenAccounts, OpenStream, Operation, Post

MAX = 2**53 - 1
NAME = re.compile(r"[a-z][a-z0-9_.:-]{0,99}")
ASSET = re.compile(r"[a-z][a-z0-9_]{0,29}:[A-Z0-9]{1,12}")
KIND = re.compile(r"[a-z][a-z0-9_.]{0,63}")
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 12, 30, tzinfo=UTC)
MOST_ACCOUNTS = 1000
MOST_MOVES = 1000
MOST_BYTES = 262_144
DEPTH = 32


@dataclass(frozen=True)
class Refusal:
    """One answer that will do: the error's class and particulars it must carry."""

    error: type[errors.LedgerError]
    extra: dict[str, Any] = field(default_factory=dict)

    def is_met_by(self, answer: errors.LedgerError) -> bool:
        """Whether the answer is this very refusal."""
        return type(answer) is self.error and all(answer.extra.get(k) == v for k, v in self.extra.items())


@dataclass(frozen=True)
class Account:
    """An account; floor and balance in minor units."""

    asset: str
    floor: int | None
    balance: int = 0


@dataclass
class Stream:
    """A stream: what its accounts hold, and what each command became."""

    accounts: dict[str, Account]
    commands: dict[UUID, tuple[int, UUID]]
    posts: list[tuple[UUID, Post]]
    seq: int
    recorded_at: datetime
    hash: bytes

    def fork(self) -> "Stream":
        """A copy that can be changed by itself."""
        return replace(
            self, accounts=dict(self.accounts), commands=dict(self.commands), posts=list(self.posts)
        )


class Model:
    """All streams. ``verdict`` judges an operation, ``accept`` makes its effect."""

    def __init__(self) -> None:
        self.streams: dict[str, Stream] = {}
        self.entry_ids: set[UUID] = set()
        self.reversed: set[UUID] = set()

    def fork(self, stream: str) -> "Model":
        """A copy in which ``stream`` can be changed by itself."""
        copy = Model()
        copy.streams, copy.entry_ids, copy.reversed = (
            dict(self.streams),
            set(self.entry_ids),
            set(self.reversed),
        )
        if stream in copy.streams:
            copy.streams[stream] = copy.streams[stream].fork()
        return copy

    def verdict(self, operation: Operation) -> list[Refusal]:
        """The refusals of which the journal must answer one; none when it must accept."""
        return list(next(self._refusals(operation), ()))

    def accept(self, operation: Operation, posted: Posted) -> None:
        """Make the effect of an operation that was accepted."""
        if isinstance(operation, OpenStream):
            stream = Stream({}, {}, [], 0, EARLIEST, bytes(32))
            self.streams[operation.stream] = stream
        stream = self.streams[operation.stream]
        if isinstance(operation, Post):
            stream.accounts |= _after(stream, operation)
            stream.posts.append((posted.entry_id, operation))
            if operation.reverses is not None:
                self.reversed.add(operation.reverses)
        else:
            stream.accounts |= {spec.name: Account(spec.asset, spec.floor) for spec in operation.accounts}
        stream.seq, stream.recorded_at, stream.hash = posted.seq, posted.recorded_at, posted.hash
        stream.commands[operation.command_id] = (posted.seq, posted.entry_id)
        self.entry_ids.add(posted.entry_id)

    def _refusals(self, operation: Operation) -> Iterator[list[Refusal]]:
        """What is wrong with the operation, in the order in which the journal looks."""
        if isinstance(operation, OpenStream):
            yield from self._opening_a_stream(operation)
        elif isinstance(operation, OpenAccounts):
            yield from self._opening_accounts(operation)
        else:
            yield from self._posting(operation)

    def _opening_a_stream(self, operation: OpenStream) -> Iterator[list[Refusal]]:
        if any(not _within(spec.floor) for spec in operation.accounts):
            yield [Refusal(errors.BadEntry)]
        if not NAME.fullmatch(operation.stream):
            yield [Refusal(errors.BadEntry, {"stream": operation.stream})]
        if operation.stream in self.streams:
            yield [Refusal(errors.StreamExists, {"stream": operation.stream})]
        yield from _bad_accounts(operation.accounts, {})

    def _opening_accounts(self, operation: OpenAccounts) -> Iterator[list[Refusal]]:
        if not operation.accounts or any(not _within(spec.floor) for spec in operation.accounts):
            yield [Refusal(errors.BadEntry)]
        yield from self._lock(operation)
        yield from _bad_accounts(operation.accounts, self.streams[operation.stream].accounts)

    def _lock(self, operation: OpenAccounts | Post) -> Iterator[list[Refusal]]:
        stream = self.streams.get(operation.stream)
        if stream is None:
            yield [Refusal(errors.StreamUnknown, {"stream": operation.stream})]
        elif operation.command_id in stream.commands:
            seq, entry_id = stream.commands[operation.command_id]
            yield [Refusal(errors.DuplicateCommand, {"seq": seq, "entry_id": str(entry_id)})]

    def _posting(self, post: Post) -> Iterator[list[Refusal]]:
        if not _has_canonical_text(post.payload, DEPTH):
            yield [Refusal(errors.BadPayload)]
        if any(type(amount) is not int or not _within(amount) for _, _, amount in post.moves):
            yield [Refusal(errors.BadAmount)]
        if not _makes_an_entry(post):
            yield [Refusal(errors.BadEntry, {"kind": post.kind})]
        yield from self._lock(post)
        stream = self.streams[post.stream]
        if post.reverses is not None and post.reverses not in {
            entry_id for _, entry_id in stream.commands.values()
        }:
            yield [Refusal(errors.ReversalUnknown, {"reverses": str(post.reverses)})]
        if post.reverses in self.reversed:
            yield [Refusal(errors.AlreadyReversed, {"reverses": str(post.reverses)})]
        for source, target, amount in post.moves:
            yield from _bad_move(stream, source, target, amount)
        yield from _bad_balances(_after(stream, post))
        if post.entry_id in self.entry_ids:
            yield [Refusal(errors.DuplicateEntry)]


def canonical(payload: Any) -> str:
    """The canonical text of a payload of ASCII keys, texts and integers."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _within(value: int | None) -> bool:
    return value is None or abs(value) <= MAX


def _has_canonical_text(value: Any, depth: int) -> bool:
    """Whether a value may stand in a payload, whose top is an object."""
    if depth == DEPTH and not isinstance(value, dict):
        return False
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return abs(value) <= MAX
    if not isinstance(value, dict | list) or depth == 0:
        return False
    if isinstance(value, list):
        return all(_has_canonical_text(item, depth - 1) for item in value)
    return all(
        key.isascii() and "\0" not in key and _has_canonical_text(item, depth - 1)
        for key, item in value.items()
    )


def _makes_an_entry(post: Post) -> bool:
    return (
        KIND.fullmatch(post.kind) is not None
        and post.kind not in ("stream.open", "account.open")
        and len(post.moves) <= MOST_MOVES
        and len(canonical(post.payload).encode()) <= MOST_BYTES
        and (post.occurred_at is None or EARLIEST <= post.occurred_at <= LATEST)
    )


def _bad_accounts(specs: tuple[AccountSpec, ...], present: dict[str, Account]) -> Iterator[list[Refusal]]:
    names = [spec.name for spec in specs]
    if len(specs) > MOST_ACCOUNTS or not all(
        NAME.fullmatch(spec.name) and ASSET.fullmatch(spec.asset) and (spec.floor is None or spec.floor <= 0)
        for spec in specs
    ):
        yield [Refusal(errors.BadEntry)]
    taken = sorted({name for name in names if name in present or names.count(name) > 1})
    if taken:
        yield [Refusal(errors.AccountExists)]


def _bad_move(stream: Stream, source: str, target: str, amount: int) -> Iterator[list[Refusal]]:
    for name in (source, target):
        if name not in stream.accounts:
            yield [Refusal(errors.UnknownAccount, {"account": name})]
    if source == target:
        yield [Refusal(errors.SameAccount, {"account": source})]
    if stream.accounts[source].asset != stream.accounts[target].asset:
        yield [Refusal(errors.AssetMismatch, {"source": source, "target": target})]
    if amount < 1:
        yield [Refusal(errors.BadAmount, {"amount": amount, "source": source, "target": target})]


def _after(stream: Stream, post: Post) -> dict[str, Account]:
    """The accounts a post touches, as it would leave them."""
    after: dict[str, Account] = {}
    for source, target, amount in post.moves:
        for name, signed in ((source, -amount), (target, amount)):
            account = after.get(name) or stream.accounts[name]
            after[name] = replace(account, balance=account.balance + signed)
    return after


def _bad_balances(after: dict[str, Account]) -> Iterator[list[Refusal]]:
    """Whichever account is looked at first is the one named."""
    found = []
    for name, account in after.items():
        if account.floor is not None and account.balance < account.floor:
            extra = {"account": name, "floor": account.floor, "would_be": account.balance}
            found.append(Refusal(errors.FloorBroken, extra))
        elif not _within(account.balance):
            found.append(Refusal(errors.BadAmount, {"account": name}))
    if found:
        yield found
