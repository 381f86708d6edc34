"""Round histories as a file: one row per round and seat, of one filter, in one of four forms.

An export is made of parts, one for each gaming day, written by PostgreSQL itself into a work folder; the
file is joined from them. One that was killed goes on from the parts that are whole, if nothing about their
rounds has changed since. All of it is read under one snapshot, in constant memory, and the same rows give
the same bytes: nothing in a file says when, where or for whom it was made.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedRandom
from os import SEEK_END
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection

from audit.exports.filters import RoundFilter
from audit.exports.forms import FORMS, Form
from audit.exports.manifest import manifest_of, note_of
from audit.exports.parts import Tally, Work
from audit.exports.scope import parts_of
from audit.verify.records import canonical
from audit.verify.rounds_manifest import MANIFEST_ENDING, NOTE_ENDING
from audit.writing.errors import ExportCancelled, ExportFailed, writing
from audit.writing.watch import Progress, Watch
from audit.writing.whole import whole
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.models import Checkpoint
from ledger.verify_journal import snapshot

_SAME_EVERYWHERE = """
SELECT set_config('datestyle', 'ISO, YMD', true), set_config('client_encoding', 'UTF8', true)
"""
"""What COPY writes dates and texts by, which a role or a database may have set to something of its own."""

__all__ = ["Export", "ExportCancelled", "ExportFailed", "Form", "manifest_path", "note_path", "rounds_export"]


@dataclass(frozen=True, slots=True)
class Export:
    """An export that was written.

    Attributes:
        path, manifest, note: its files.
        rounds, rows: how many are in it.
        size: of the file, in bytes.
        sha256: of the file, in hexadecimal.
    """

    path: Path
    manifest: Path
    note: Path
    rounds: int
    rows: int
    size: int
    sha256: str


def rounds_export(
    *,
    filter: RoundFilter,
    form: Form,
    path: Path,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    work: Path | None = None,
    asked_by: str = "command line",
    keys: KeyStore | None = None,
) -> Export:
    """Write the round histories a filter chooses, with their manifest and its signed note beside them.

    Args:
        form: `csv` (texts guarded against being run by a spreadsheet), `jsonl`, `parquet` or `xlsx`.
        path: the file, replaced if it is there; manifest and note are `manifest_path` and `note_path` of it.
        progress: called with the rounds that were looked through, and all there are to look through; in the
            midst of a COPY too, so not on this connection.
        cancelled: asked now and then whether nobody wants it any more.
        work: the work folder, for this export alone; by default one beside the file. It is gone when the
            export is written, cancelled or cannot be written; killed, the next call goes on from its parts.
        asked_by: badge of who asked, for the note.
        keys: the sealer's, which signs; by default those of the home.

    Raises:
        ExportCancelled: it was cancelled; nothing of it is left.
        ExportBusy: somebody else is writing the same file.
        ExportFailed: it could not be written; the file that was there before is as it was.
        SealerKeyMissing, SealerKeyBad: there is no key to sign with.
    """
    signer = (keys or KeyStore(env.home())).signer()
    at_work = Work(work or path.with_name(f".{path.name}.work"), FORMS[form].kind)
    watch = Watch(progress, cancelled)
    try:
        with writing():
            with snapshot("default"):  # which is not held while the file is made
                fetched = _fetch(filter, form, at_work, watch, signer.name)
            done = _join(fetched, form, path, watch, lambda manifest: note_of(manifest, signer, asked_by))
    except (ExportCancelled, ExportFailed):
        at_work.remove()
        raise
    at_work.remove()
    return done


def manifest_path(path: Path) -> Path:
    """Where the manifest of an export is."""
    return path.with_name(path.name + MANIFEST_ENDING)


def note_path(path: Path) -> Path:
    """Where the signed note of its manifest is."""
    return path.with_name(path.name + NOTE_ENDING)


class _Fetched(NamedTuple):
    """The parts' files that have rows, what all add up to, and what the manifest says besides the file."""

    files: Sequence[Path]
    total: Tally
    said: Mapping[str, Any]


def _fetch(wanted: RoundFilter, form: Form, at_work: Work, watch: Watch, log: str) -> _Fetched:
    """See to it that all parts are there."""
    with connection.cursor() as cursor:
        cursor.execute(_SAME_EVERYWHERE)
    checkpoint = Checkpoint.objects.filter(origin=log).order_by("-size").first()
    parts = parts_of(wanted, checkpoint, kind=at_work.kind)
    watch.begin(sum(part.rounds for part in parts))
    tallies = list(zip(parts, at_work.fetch(wanted, parts, watch), strict=True))
    total = Tally()
    for _, tally in tallies:
        total.add(tally)
    files = [at_work.path(part) for part, tally in tallies if tally.rows]
    return _Fetched(files, total, manifest_of(wanted, form, tallies, total, checkpoint))


def _join(fetched: _Fetched, form: Form, path: Path, watch: Watch, note: Callable[[bytes], bytes]) -> Export:
    """The file with its manifest and note: none takes its name before all three are written."""
    beside = manifest_path(path), note_path(path)
    with whole(path) as out, whole(beside[0]) as manifest_out, whole(beside[1]) as note_out:
        FORMS[form].join(out, fetched.files, watch.look)
        size, digest = out.seek(0, SEEK_END), _digest(out)
        manifest = canonical({**fetched.said, "file": {"size": size, "sha256": digest}})
        for file, content in ((manifest_out, manifest), (note_out, note(manifest))):
            file.write(content)
            file.flush()
    return Export(path, *beside, fetched.total.rounds, fetched.total.rows, size, digest)


def _digest(file: BufferedRandom) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()
