"""Performs operations on the journal, and compares its answers and its rows with the model's."""

import random
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import permutations
from threading import Barrier
from uuid import uuid4

from django.db import connection, transaction

from ledger import selectors
from ledger.errors import LedgerError
from ledger.models import Entry, Head
from ledger.services import Posted
from ledger.verify_journal import verify_journal
from tests.fuzz.generator import Generator
from tests.fuzz.model import Model, canonical
from tests.fuzz.operations import Operation, Post

Answer = Posted | LedgerError
TRACE = 12


class Differs(AssertionError):
    """The journal is not what the model says."""


@dataclass
class Outcome:
    """How often each kind of operation ended how."""

    operations: int = 0
    answers: Counter[str] = field(default_factory=Counter)


class _TakenBack(Exception):
    """Rolls back a transaction of the driver's."""


class Driver:
    """One run. ``step`` until you have enough, then ``finish``.

    Args:
        seed: decides everything but which of two concurrent operations is first.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.choice = random.Random(seed)
        self.model = Model()
        self.generator = Generator(self.choice, f"fuzz:{uuid4()}:")
        self.outcome = Outcome()
        self.trace: deque[tuple[Operation, ...]] = deque(maxlen=TRACE)
        self.pool = ThreadPoolExecutor(max_workers=2)

    def run(self, *, seconds: float | None = None, operations: int | None = None) -> Outcome:
        """Play until the time is up or the number is reached, then compare everything.

        Raises:
            Differs: naming the seed and the last operations.
        """
        until = None if seconds is None else time.monotonic() + seconds
        try:
            while (until is None or time.monotonic() < until) and (
                operations is None or self.outcome.operations < operations
            ):
                self.step()
            self.finish()
        except AssertionError as exc:
            trace = "\n".join(f"  {made}" for made in self.trace)
            raise Differs(f"seed {self.seed}: {exc}\nthe last operations were\n{trace}") from exc
        finally:
            self._close_the_pool()
        return self.outcome

    def step(self) -> None:
        """Perform one operation, or two at once, and compare."""
        operations = self.generator.next(self.model)
        self.trace.append(operations)
        if len(operations) == 1:
            self._single(operations[0])
        else:
            self._together(operations)
        for operation in operations:
            self.outcome.operations += 1
            self._compare_stream(operation.stream)

    def finish(self) -> None:
        """Compare every stream, and have the verifier find nothing in any of them."""
        for name, stream in self.model.streams.items():
            self._compare_stream(name)
            report = verify_journal(stream=name)
            assert (report.findings, report.entries) == ([], stream.seq), report.findings

    def _close_the_pool(self) -> None:
        """Each thread closes its own connection; the barrier keeps one from closing twice."""
        both = Barrier(2)

        def close() -> None:
            both.wait()
            connection.close()

        for closed in [self.pool.submit(close) for _ in range(2)]:
            closed.result()
        self.pool.shutdown()

    def _single(self, operation: Operation) -> None:
        perform = self.choice.choice((_plainly, _plainly, _in_a_transaction, _after_a_savepoint, _and_back))
        answer = perform(operation)
        wrong = self._wrong(self.model, operation, answer)
        assert wrong is None, wrong
        self._count(operation, answer)
        if isinstance(answer, Posted) and perform is not _and_back:
            self.model.accept(operation, answer)
            self._compare_entry(operation, answer)

    def _together(self, operations: tuple[Operation, ...]) -> None:
        """Two at once must have answers that one after the other would have had."""
        answers = list(self.pool.map(_plainly, operations))
        wrongs = []
        for order in permutations(zip(operations, answers, strict=True)):
            model, wrong = self.model.fork(operations[0].stream), None
            for operation, answer in order:
                wrong = wrong or self._wrong(model, operation, answer)
                if wrong is None and isinstance(answer, Posted):
                    model.accept(operation, answer)
            if wrong is None:
                self.model = model
                break
            wrongs.append(wrong)
        assert len(wrongs) < 2, f"no order explains both answers: {wrongs}"
        for operation, answer in zip(operations, answers, strict=True):
            self._count(operation, answer)
            if isinstance(answer, Posted):
                self._compare_entry(operation, answer)

    def _count(self, operation: Operation, answer: Answer) -> None:
        name = "accepted" if isinstance(answer, Posted) else type(answer).__name__
        self.outcome.answers[f"{type(operation).__name__} {name}"] += 1

    def _wrong(self, model: Model, operation: Operation, answer: Answer) -> str | None:
        """What is wrong with the answer, if anything."""
        wanted = model.verdict(operation)
        if isinstance(answer, LedgerError):
            if any(refusal.is_met_by(answer) for refusal in wanted):
                return None
            return f"{operation} was refused with {answer!r} {answer.extra}, not {wanted or 'accepted'}"
        if wanted:
            return f"{operation} was accepted, not refused with {wanted}"
        stream = model.streams.get(operation.stream)
        if (answer.stream, answer.seq) != (operation.stream, 1 if stream is None else stream.seq + 1):
            return f"{operation} became number {answer.seq} of {answer.stream}"
        if stream is not None and answer.recorded_at <= stream.recorded_at:
            return f"{operation} was recorded at {answer.recorded_at}, not after {stream.recorded_at}"
        return None

    def _compare_stream(self, name: str) -> None:
        """Balances, number and hash of a stream as the database has them."""
        stream = self.model.streams.get(name)
        head = Head.objects.filter(stream__name=name).first()
        if stream is None:
            assert head is None, f"{name} exists"
            return
        found = selectors.balances(name)
        expected = {key: account.balance for key, account in stream.accounts.items()}
        assert found == expected, f"{name} holds {found}, not {expected}"
        assert head is not None
        assert (head.seq, bytes(head.hash)) == (stream.seq, stream.hash), f"{name} is at {head.seq}"

    def _compare_entry(self, operation: Operation, posted: Posted) -> None:
        """Every field of a post, read back."""
        entry = Entry.objects.get(pk=posted.entry_id)
        assert (entry.command_id, entry.actor) == (operation.command_id, operation.actor)
        assert (entry.seq, bytes(entry.hash), entry.recorded_at) == (
            posted.seq,
            posted.hash,
            posted.recorded_at,
        )
        if isinstance(operation, Post):
            wanted: list[object] = [operation.kind, canonical(operation.payload), operation.terminal]
            wanted += [operation.reverses, operation.occurred_at or posted.recorded_at]
            found = [entry.kind, entry.payload, entry.terminal, entry.reverses, entry.occurred_at]
            assert found == wanted, f"{found} was read back, not {wanted}"
            assert operation.entry_id in (None, entry.pk)
            moves = tuple((m.source.name, m.target.name, m.amount) for m in selectors.movements(entry))
            assert moves == operation.moves


def _plainly(operation: Operation) -> Answer:
    """In autocommit mode."""
    try:
        return operation.perform()
    except LedgerError as refusal:
        return refusal


def _in_a_transaction(operation: Operation) -> Answer:
    try:
        with transaction.atomic():
            return operation.perform()
    except LedgerError as refusal:
        return refusal


def _after_a_savepoint(operation: Operation) -> Answer:
    """In a transaction in which the same was done before, and taken back to a savepoint."""
    with transaction.atomic():
        _and_back(operation)
        try:
            with transaction.atomic():
                return operation.perform()
        except LedgerError as refusal:
            return refusal


def _and_back(operation: Operation) -> Answer:
    """Rolled back after it was done: the answer counts, the effect must be gone."""
    answers: list[Posted] = []
    try:
        with transaction.atomic():
            answers.append(operation.perform())
            raise _TakenBack
    except LedgerError as refusal:
        return refusal
    except _TakenBack:
        return answers[0]
