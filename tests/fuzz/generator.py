"""Random operations: most of them nearly legal, for that is where mistakes are."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from ledger.services import AccountSpec
from tests.fuzz.model import EARLIEST, LATEST, MAX, Model, Stream
from tests.fuzz.operations import OpenAccounts, OpenStream, Operation, Post

MOST_STREAMS = 12
ASSETS = ("chips:USD", "cash:USD", "chips:EUR")
FLOORS = (0, 0, 0, None, None, -20, -MAX)
AMOUNTS = (
    0,
    -1,
    MAX,
    MAX - 1,
    MAX + 1,
    -MAX,
    2**63 - 1,
    2**63,
    -(2**63),
    10**30,
    True,
    1.0,
    math.nan,
    "1",
    None,
)
KINDS = (
    "",
    "Round.Raise",
    "round raise",
    "x" * 64,
    "x" * 65,
    "stream.open",
    "account.open",
    "1a",
    "a\n",
    "é",
)
TEXTS = (
    "",
    "Zoë",
    "😀👩‍👩‍👧",
    "שלום",
    "e\u0301",
    "\u2028",
    "\x01\x1f\x7f",
    '"\\/',
    "\U0001d518",
    "\ufffd",
    "a" * 30,
)
BAD_VALUES = (
    1.0,
    math.nan,
    MAX + 1,
    -(2**63),
    "\ud83d",
    "\x00",
    b"bytes",
    {"é": 1},
    {"\x00": 1},
    {1, 2},
    object(),
)
TIMES = (
    EARLIEST,
    LATEST,
    EARLIEST - timedelta(microseconds=1),
    LATEST + timedelta(microseconds=1),
    datetime(2026, 3, 29, 1, 59, 59, 999_999, tzinfo=UTC),
    datetime(2026, 10, 25, 2, 30, 0, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
)


class Generator:
    """Makes operations that fit what the model knows.

    Args:
        choice: where all chance comes from.
        prefix: begins the names of this run's streams.
    """

    def __init__(self, choice: random.Random, prefix: str) -> None:
        self.choice = choice
        self.prefix = prefix
        self.last: Operation | None = None

    def next(self, model: Model) -> tuple[Operation, ...]:
        """One operation, or two to be performed at the same time."""
        if len(model.streams) < 2:
            return (self._open_stream(model),)
        made = self._one(model)
        if isinstance(made, Post) and self.choice.random() < 0.08:
            return made, self._twin(model, made)
        if self.last is not None and self.choice.random() < 0.03:
            made = self.last
        self.last = made
        return (made,)

    def _one(self, model: Model) -> Operation:
        weight = self.choice.random()
        if weight < 0.02:
            return self._open_stream(model)
        if weight < 0.05:
            return self._open_accounts(model)
        post = self._reversal(model) if weight < 0.17 else self._post(model)
        while self.choice.random() < 0.25:
            post = self.choice.choice(self._changes())(model, post)
        return post

    def _twin(self, model: Model, post: Post) -> Post:
        """What to perform together with ``post``, at the same stream."""
        other = replace(self._post(model), stream=post.stream)
        stream = model.streams.get(post.stream)
        moves = self._moves(stream) if stream else ()
        return self.choice.choice(
            [
                post,
                replace(post, payload={"other": "body"}),
                replace(post, moves=moves),
                replace(post, command_id=self._uuid()),
                replace(other, moves=moves),
                replace(
                    other, moves=tuple((target, source, amount) for source, target, amount in post.moves)
                ),
            ]
        )

    def _uuid(self) -> UUID:
        return UUID(int=self.choice.getrandbits(128), version=4)

    def _open_stream(self, model: Model) -> OpenStream:
        number = self.choice.randrange(MOST_STREAMS)
        name = self.choice.choice(
            [f"{self.prefix}{number}"] * 6 + ["", "Upper", "1st", "a" * 101, 'a"', "a\n"]
        )
        return OpenStream(name, self._specs(), self._uuid(), self._command(model, name))

    def _open_accounts(self, model: Model) -> OpenAccounts:
        name = self._stream(model)
        return OpenAccounts(name, self._specs(), self._uuid(), self._command(model, name))

    def _specs(self) -> tuple[AccountSpec, ...]:
        odd = self.choice.random() < 0.1
        specs = [
            AccountSpec(
                f"{self.choice.choice('abcdefgh')}:{self.choice.randrange(3)}",
                self.choice.choice(ASSETS),
                self.choice.choice(FLOORS),
            )
            for _ in range(self.choice.choice((0, 1, 4, 6, 8)))
        ]
        if odd:
            bad = [
                ("A", "chips:USD", 0),
                ("a", "chips", 0),
                ("a", "chips:USD", 1),
                ("a", "chips:USD", -MAX - 1),
            ]
            specs.append(AccountSpec(*self.choice.choice([*bad, ("a", "chips:USD", -(2**63) - 1)])))
        elif self.choice.random() < 0.8:
            specs = list({spec.name: spec for spec in specs}.values())
        return tuple(specs)

    def _stream(self, model: Model) -> str:
        return self.choice.choice([*model.streams] * 20 + [f"{self.prefix}none"])

    def _command(self, model: Model, stream: str) -> UUID:
        known = model.streams.get(stream)
        if known and known.commands and self.choice.random() < 0.03:
            return self.choice.choice([*known.commands])
        return self._uuid()

    def _post(self, model: Model) -> Post:
        name = self.choice.choice([*model.streams])
        return Post(
            stream=name,
            kind=self.choice.choice(("round.deal", "round.raise", "table.filled")),
            payload=self._payload(),
            moves=self._moves(model.streams[name]),
            actor=self._uuid(),
            command_id=self._uuid(),
            terminal=self.choice.choice((None, self._uuid())),
            occurred_at=self._time(),
        )

    def _time(self) -> datetime | None:
        if self.choice.random() < 0.7:
            return None
        return EARLIEST + timedelta(microseconds=self.choice.randrange(10**16))

    def _moves(self, stream: Stream) -> tuple[tuple[str, str, Any], ...]:
        """Mostly within one asset; sometimes exactly all that an account can give."""
        if len(stream.accounts) < 2:
            return ()
        moves = []
        for _ in range(self.choice.choice((0, 1, 1, 1, 2, 3, 14))):
            source = self.choice.choice([*stream.accounts])
            asset = stream.accounts[source].asset
            peers = [name for name, account in stream.accounts.items() if account.asset == asset]
            target = self.choice.choice(peers * 10 + [*stream.accounts])
            moves.append((source, target, self._amount(stream, source)))
        legal = [move for move in moves if move[0] != move[1]]
        return tuple(moves if self.choice.random() < 0.05 else legal)

    def _amount(self, stream: Stream, source: str) -> int:
        account = stream.accounts[source]
        if account.floor is not None and self.choice.random() < 0.8:
            room = account.balance - account.floor
            return max(1, self.choice.choice((room, room, room + 1, self.choice.randint(0, min(room, 50)))))
        return self.choice.randint(1, 60)

    def _reversal(self, model: Model) -> Post:
        """Take back an entry, a reversal among them, exactly."""
        post = self._post(model)
        posts = model.streams[post.stream].posts
        if not posts:
            return post
        entry_id, taken_back = self.choice.choice(posts[-8:])
        moves = tuple((target, source, amount) for source, target, amount in taken_back.moves)
        return replace(post, kind="entry.reversed", moves=moves, reverses=entry_id)

    def _payload(self) -> dict[str, Any]:
        return {key: self._value(3) for key in self.choice.sample(("a", "b", "B", "c-1", "d e", "~/", ""), 3)}

    def _value(self, depth: int) -> Any:
        kinds: list[Callable[[], Any]] = [
            lambda: self.choice.choice(TEXTS),
            lambda: self.choice.choice((0, -1, MAX, -MAX, 10**15, True, False, None)),
        ]
        if depth:
            kinds.append(lambda: [self._value(depth - 1) for _ in range(self.choice.randrange(3))])
            kinds.append(lambda: {key: self._value(depth - 1) for key in self.choice.sample("zyx10", 2)})
        return self.choice.choice(kinds)()

    def _changes(self) -> list[Callable[[Model, Post], Post]]:
        """Ways to make a post one that may have to be refused."""
        pick = self.choice.choice
        return [
            lambda model, post: replace(post, stream=self._stream(model)),
            lambda model, post: replace(post, kind=pick(KINDS)),
            lambda model, post: replace(post, occurred_at=pick(TIMES)),
            lambda model, post: replace(post, payload=self._odd_payload()),
            lambda model, post: replace(post, moves=(*post.moves, self._odd_move(post))),
            lambda model, post: replace(post, command_id=self._command(model, post.stream)),
            lambda model, post: replace(post, entry_id=pick([self._uuid(), *sorted(model.entry_ids)[:50]])),
            lambda model, post: replace(post, reverses=pick([self._uuid(), *sorted(model.entry_ids)[:50]])),
        ]

    def _odd_payload(self) -> Any:
        deep: Any = 1
        for _ in range(self.choice.choice((31, 32))):
            deep = [deep]
        size = 262_144 - len('{"a":""}')
        long = {"a": "x" * (size + self.choice.randrange(2))}
        return self.choice.choice(
            [{"a": self.choice.choice(BAD_VALUES)}, {"a": deep}, long, [], "text", None]
        )

    def _odd_move(self, post: Post) -> tuple[str, str, Any]:
        source, target = self.choice.choice([move[:2] for move in post.moves] or [("a:0", "b:0")])
        source, target = self.choice.choice(
            [(source, target), (source, source), ("none", target), (source, "")]
        )
        return source, target, self.choice.choice((*AMOUNTS, 1, 1, 1))
