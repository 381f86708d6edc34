"""One bundle, written whole or not at all; the same request over the same journal gives the same bytes."""

import hashlib
import mmap
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC
from io import BufferedRandom
from pathlib import Path
from typing import IO

from django.db.models.functions import TruncDate

from audit.bundle.cite import Citations
from audit.bundle.rows import Sealed, sealed_entries
from audit.bundle.scope import Extent, NothingToBundle, Scope, extents, signed_in_office
from audit.resettle import Replayed
from audit.verify import container
from audit.verify.bundle import walk
from audit.verify.consistency import Earlier, line_of
from audit.verify.manifest import (
    CHECKPOINT,
    CITED,
    CONSISTENCY,
    ENTRIES,
    KEYS,
    LEAVES,
    MANIFEST,
    MEMBERS,
    NODES,
    NOTE,
    Manifest,
    Span,
    note_text,
    stamp_names,
)
from audit.verify.notes import Checkpoint as Signed
from audit.verify.report import Findings
from audit.verify.tree import neighbours
from audit.writing.errors import ExportCancelled, writing
from audit.writing.watch import Progress, Watch
from audit.writing.whole import whole
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.prove import prove_consistency
from ledger.checkpoints.store import fetch_from
from ledger.checkpoints.tree import hashes_of
from ledger.models import Checkpoint, CheckpointRange
from ledger.statements import balances_at
from tables.models import ClosedDay

NODES_AT_ONCE = 1000
ENTRIES_BETWEEN_LOOKS = 256


@dataclass(frozen=True, slots=True)
class Written:
    """A bundle that was written.

    Attributes:
        path: where.
        size, sha256: of the file, in bytes and in hexadecimal.
        checkpoint: entries under the checkpoint it was cut at.
        entries: in it, the cited ones included.
        findings: what the verifier will find, key and proofs aside.
    """

    path: Path
    size: int
    sha256: str
    checkpoint: int
    entries: int
    findings: Findings


def bundle_write(
    scope: Scope,
    *,
    checkpoint: Checkpoint,
    keys: KeyStore,
    path: Path,
    since: int | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Written:
    """Write the bundle of a scope as it stands under a checkpoint; killed, it is begun again.

    Args:
        checkpoint: entries beyond it are left out.
        keys: the sealer's, which signs the manifest as it signs checkpoints.
        path: the file; replaced if it is there.
        since: prove that the checkpoint continues the one of so many entries, instead of each day's last.
        progress: called with the entries that are done, and all there are to do; each is read, then judged.
        cancelled: asked now and then whether nobody wants it any more.

    Raises:
        ExportCancelled: it was cancelled; no half file is left.
        ExportBusy, ExportFailed: it could not be written; the file that was there before is as it was.
        NothingToBundle: the scope has nothing under the checkpoint, or the log has another key by now.
        CheckpointUnknown: there is no checkpoint of ``since`` entries.
        SealerKeyMissing, SealerKeyBad: there is no key to sign with.
    """
    watch = Watch(progress, cancelled)
    with writing(), whole(path) as out, ExitStack() as stack:
        return _Draft(scope, checkpoint, keys, path, stack, watch).write(out, since)


class _Draft:
    """The members of one bundle while it is made, the large ones in files of their own."""

    def __init__(
        self,
        scope: Scope,
        checkpoint: Checkpoint,
        keys: KeyStore,
        path: Path,
        stack: ExitStack,
        watch: Watch,
    ) -> None:
        self._scope, self._checkpoint, self._path = scope, checkpoint, path
        self._stack, self._watch = stack, watch
        self._signer, self._keys = keys.signer(), keys.verifiers()
        if self._signer.name != checkpoint.origin:
            raise NothingToBundle(f"the sealer's key is of another log than {checkpoint.origin}")
        self._count = 0

    def write(self, out: BufferedRandom, since: int | None) -> Written:
        """Collect, derive, sign, and write the file."""
        spans = [_span(extent) for extent in extents(self._scope, self._checkpoint.size)]
        self._watch.begin(2 * sum(span.last - span.first + 1 for span in spans))
        members = self._collected(spans)
        stamps = {row.size: (row.note.encode(), der) for row, der in self._stamps()}
        members[CONSISTENCY] = memoryview(b"".join(map(line_of, self._earlier(since, stamps))))
        texts = sorted(key.text for key in self._keys if key.name == self._signer.name)
        members[KEYS] = memoryview("".join(f"{text}\n" for text in texts).encode())
        members[CHECKPOINT] = memoryview(self._checkpoint.note.encode())
        for size in sorted(stamps):
            for name, content in zip(stamp_names(size), stamps[size], strict=True):
                members[name] = memoryview(content)
        manifest, findings = self._manifest(spans, members)
        members[MANIFEST] = memoryview(manifest)
        members[NOTE] = memoryview(self._signer.sign(note_text(manifest)).encode())
        self._put(out, [(name, members[name]) for name in self._in_order(members)])
        size = out.tell()
        out.seek(0)
        digest = hashlib.file_digest(out, "sha256").hexdigest()
        return Written(self._path, size, digest, self._checkpoint.size, self._count, findings)

    def _collected(self, spans: Sequence[Span]) -> dict[str, memoryview]:
        """Entries, cited entries, leaves, and the nodes beside them."""
        found = [Extent(span.stream, span.first, span.last) for span in spans]
        signed = signed_in_office(self._scope, self._checkpoint.size)
        citations = Citations(self._scope.casino, found, signed)
        entries, cited, leaves = self._file(), self._file(), self._file()
        places, numbers = _Places(self._checkpoint.size), list[int]()
        for extent in found:
            for entry in sealed_entries(extent.stream, seq__gte=extent.first, seq__lte=extent.last):
                citations.note(entry)
                self._keep(entry, entries, leaves, places, numbers)
                if not self._count % ENTRIES_BETWEEN_LOOKS:
                    self._watch.advance(ENTRIES_BETWEEN_LOOKS)
        self._watch.advance(self._count % ENTRIES_BETWEEN_LOOKS)
        for entry in citations.entries():
            self._keep(entry, cited, leaves, places, numbers)
        members = {ENTRIES: self._mapped(entries), CITED: self._mapped(cited), LEAVES: self._mapped(leaves)}
        members[NODES] = memoryview(b"".join(_nodes(sorted(numbers), self._checkpoint.size)))
        return members

    def _keep(
        self, entry: Sealed, file: IO[bytes], leaves: IO[bytes], places: "_Places", numbers: list[int]
    ) -> None:
        number = places.of(entry.stream, entry.seq)
        file.write(entry.record)
        leaves.write(number.to_bytes(8, "big") + entry.hash)
        numbers.append(number)
        self._count += 1

    def _manifest(self, spans: Sequence[Span], members: dict[str, memoryview]) -> tuple[bytes, Findings]:
        """The manifest, whose derived half is what the verifier will derive."""
        row = self._checkpoint
        described = {
            name: container.described(members[name]) for name in self._in_order(members) if name in members
        }
        stated = Manifest(
            self._scope.as_dict, Signed(row.origin, row.size, bytes(row.root)), spans, described, {}
        )
        findings = Findings()
        try:
            derived = walk(stated, members, findings, played=self._judged).derived
        except _CalledOff:
            raise ExportCancelled from None
        said = Manifest(stated.scope, stated.checkpoint, spans, described, derived)
        return said.as_bytes(), findings

    def _judged(self, played: Replayed) -> None:
        """A round has been judged, with all its entries."""
        try:
            self._watch.advance(played.last_seq - played.first_seq + 1)
        except ExportCancelled:
            raise _CalledOff from None

    @staticmethod
    def _in_order(members: Iterable[str]) -> list[str]:
        """The names of a bundle's members in their order: what every one has, then stamps by size."""
        return [*MEMBERS, *sorted(name for name in members if name not in MEMBERS)]

    def _stamps(self) -> Iterator[tuple[Checkpoint, bytes]]:
        """The checkpoints that seal the closings of the bundle's gaming days, with their timestamps."""
        closed = ClosedDay.objects.filter(
            casino=self._scope.casino,
            gaming_day__in=self._scope.gaming_days,
            checkpoint__lte=self._checkpoint.size,
        )
        stamps = {day.checkpoint: bytes(day.timestamp) for day in closed if day.timestamp is not None}
        rows = Checkpoint.objects.filter(size__in=list(stamps), origin=self._checkpoint.origin)
        yield from ((row, stamps[row.size]) for row in rows)

    def _earlier(self, since: int | None, stamped: Iterable[int]) -> Iterator[Earlier]:
        """The last checkpoint of each earlier day, or the one asked for, and those that are stamped; with
        what leads from each to ours."""
        rows = Checkpoint.objects.filter(size__lt=self._checkpoint.size, origin=self._checkpoint.origin)
        if since is None:
            by_day = rows.annotate(day=TruncDate("sealed_at", tzinfo=UTC)).order_by("day", "-size")
            sizes = [size for _, size in by_day.distinct("day").values_list("day", "size")]
        else:
            sizes = [since]
        for size in sorted({*sizes, *stamped} - {self._checkpoint.size}):
            proof = prove_consistency(old=size, new=self._checkpoint.size)
            note = Checkpoint.objects.values_list("note", flat=True).get(size=size)
            yield Earlier(note.encode(), proof.hashes)

    def _put(self, out: IO[bytes], contents: Iterable[tuple[str, memoryview]]) -> None:
        """Write the container."""
        members = []
        for name, content in contents:
            self._watch.look()
            members.append(container.member(name, content))
            out.write(container.local_header(members[-1]))
            out.write(content)
        out.write(container.directory(members))
        self._watch.advance(self._watch.total)

    def _file(self) -> IO[bytes]:
        return self._stack.enter_context(tempfile.TemporaryFile(dir=self._path.parent))

    def _mapped(self, file: IO[bytes]) -> memoryview:
        """What was written to a file, as memory that need not fit into it."""
        file.flush()
        if not file.tell():
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class _CalledOff(BaseException):
    """Nobody wants it any more; no Exception, which is what judges take for a forged entry's doing."""


class _Places:
    """Where entries stand in the tree: the ranges of the streams asked for, kept."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ranges: dict[str, list[tuple[int, int, int]]] = {}

    def of(self, stream: str, seq: int) -> int:
        """The leaf of an entry, from 0."""
        if stream not in self._ranges:
            found = CheckpointRange.objects.filter(stream__name=stream, position__lt=self._size)
            self._ranges[stream] = list(
                found.order_by("-position").values_list("seq_from", "seq_to", "position")
            )
            self._ranges[stream].reverse()
        ranges = self._ranges[stream]
        low, high = 0, len(ranges)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ranges[middle][1] < seq else (low, middle)
        if low == len(ranges) or ranges[low][0] > seq:
            raise NothingToBundle(f"entry {seq} of {stream} is not under the checkpoint")
        return ranges[low][2] + seq - ranges[low][0]


def _span(extent: Extent) -> Span:
    """The entries of a stream, with what its accounts held before them."""
    before = balances_at(extent.stream, seq=extent.first - 1) if extent.first > 1 else []
    return Span(*extent, {one.name: one.balance for one in before if one.balance})


def _nodes(numbers: Sequence[int], size: int) -> Iterator[bytes]:
    """The hashes beside these leaves, in the order of the proof."""
    fetch = fetch_from()
    plan = [
        (number << level, min((number + 1) << level, size)) for level, number in neighbours(numbers, size)
    ]
    for at in range(0, len(plan), NODES_AT_ONCE):
        yield from hashes_of(plan[at : at + NODES_AT_ONCE], fetch)
