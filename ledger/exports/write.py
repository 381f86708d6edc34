"""Writing an export: to a file that is whole or not there, or to standard output."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from ledger.exports import beancount, hledger
from ledger.exports.rows import EntryLines, StreamLines, count_entries, read_stream, read_streams

FORMATS: dict[str, Callable[[Iterable[StreamLines]], Iterator[str]]] = {
    "hledger": hledger.lines,
    "beancount": beancount.lines,
}


STANDARD_OUTPUT = "-"
ENTRIES_BETWEEN_LOOKS = 2_000


def export_journal(
    *,
    form: str,
    output: str,
    stream: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> None:
    """Write the journal as it is at one moment; memory does not grow with it.

    Args:
        form: one of ``FORMATS``.
        output: the file to write, replaced when the new one is whole; ``-`` for standard output.
        stream: this stream only.
        progress: called with the entries that are written, and all there are to write.
        using: database alias; the application's rights suffice.

    Raises:
        StreamUnknown: there is no stream of this name.
        ValueError: the rows do not make a journal; ``verify_journal`` says where.
        OSError: the file cannot be written.
    """
    with _snapshot(using):
        chosen = read_streams(using, stream)
        with _opened(output) as target:
            streams: Iterator[StreamLines] = (read_stream(using, *row) for row in chosen)
            if progress is not None:
                streams = _told(streams, progress, count_entries(using, [row[0] for row in chosen]))
            for piece in FORMATS[form](streams):
                target.write(piece)


def _told(
    streams: Iterable[StreamLines], progress: Callable[[int, int], None], total: int
) -> Iterator[StreamLines]:
    """The streams, telling now and then how many of their entries have passed."""
    done = 0

    def passing(entries: Iterator[EntryLines]) -> Iterator[EntryLines]:
        nonlocal done
        for entry in entries:
            yield entry
            done += 1
            if not done % ENTRIES_BETWEEN_LOOKS:
                progress(done, total)

    for stream in streams:
        yield replace(stream, entries=passing(stream.entries))
    progress(done, total)


@contextmanager
def _snapshot(using: str) -> Iterator[None]:
    """One unchanging view of the whole journal."""
    with transaction.atomic(using=using, durable=True):
        with connections[using].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def _opened(output: str) -> Iterator[TextIO]:
    """The file to write to; it takes its name when everything is on the disk."""
    if output == STANDARD_OUTPUT:
        yield sys.stdout
        return
    path = Path(output)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
