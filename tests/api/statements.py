"""Counting SQL statements: what a budget is about, without transaction control."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements sent inside, once it is over; BEGIN, COMMIT, SAVEPOINT and the like left out."""
    sent: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield sent
    texts = [str(query["sql"]) for query in captured.captured_queries]
    sent.extend(text for text in texts if not text.startswith(CONTROL))
