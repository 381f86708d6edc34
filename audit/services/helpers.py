"""Sessions re-settled by several processes at once: whoever is free gets the next.

A helper is a program of its own (``python -m audit.helper``), not a pool's child: a Celery worker may have
none, and nobody shares a connection to the database. A line names a session, a line answers how it went. A
helper whose input ends, because all is done or because whoever asked is gone, ends too.
"""

import json
import os
import selectors
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import date
from itertools import islice

from audit.selectors.days import SessionSpan
from config import env


class HelperGone(RuntimeError):
    """A helper ended before it had answered; what it was about is to be done again."""


class Helper:
    """One process that re-settles sessions of a casino's gaming day, each when it is told to."""

    def __init__(self, casino_id: uuid.UUID, gaming_day: date) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-m", "audit.helper", str(casino_id), gaming_day.isoformat()],
            cwd=env.BASE_DIR,
            env=os.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None, "a pipe"
        assert self._process.stdout is not None, "a pipe"
        self._asked, self.answers = self._process.stdin, self._process.stdout

    def ask(self, span: SessionSpan) -> None:
        """Give it a session to do."""
        self._asked.write(json.dumps([str(span.id), str(span.table.id), span.opened_seq]) + "\n")
        self._asked.flush()

    def answer(self) -> dict[str, int]:
        """Wait for what it did; raises HelperGone."""
        line = self.answers.readline()
        if not line:
            raise HelperGone(f"a helper ended with {self._process.wait()}")
        answered: dict[str, int] = json.loads(line)
        return answered

    def stop(self) -> None:
        """Let it end, with the session it is at if there is one, and collect it."""
        with suppress(BrokenPipeError):
            self._asked.close()
        self.answers.close()
        self._process.wait()


def resettled_by(
    helpers: int, spans: Iterable[SessionSpan], *, casino_id: uuid.UUID, gaming_day: date
) -> Iterator[dict[str, int]]:
    """Have helpers re-settle sessions, in transactions of their own; what each came to, as they answer.

    Which session comes next is looked up while all of them work.

    Raises:
        HelperGone: one of them failed.
        OSError: one could not be started, or asked.
    """
    waiting = iter(spans)
    with ExitStack() as stack, selectors.DefaultSelector() as ready:
        for span in islice(waiting, helpers):
            helper = Helper(casino_id, gaming_day)
            stack.callback(helper.stop)
            ready.register(helper.answers, selectors.EVENT_READ, helper)
            helper.ask(span)
        following = next(waiting, None)
        while ready.get_map():
            key, _ = ready.select()[0]
            answered = key.data.answer()
            if following is not None:
                key.data.ask(following)
                following = next(waiting, None)
            else:
                ready.unregister(key.fileobj)
            yield answered
