"""One bundle, written whole or not at all; the same request over the same journal gives the same bytes."""

import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import IO

from django.db.models.functions import TruncDate

from audit.bundle.cite import Citations
from audit.bundle.rows import Sealed, sealed_entries
from audit.bundle.scope import Extent, NothingToBundle, Scope, extents
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
)
from audit.verify.notes import Checkpoint as Signed
from audit.verify.report import Findings
from audit.verify.tree import neighbours
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.prove import prove_consistency
from ledger.checkpoints.store import fetch_from
from ledger.checkpoints.tree import hashes_of
from ledger.models import Checkpoint, CheckpointRange
from ledger.statements import balances_at

NODES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """A bundle that was written.

    Attributes:
        path: where.
        size: in bytes.
        checkpoint: entries under the checkpoint it was cut at.
        entries: in it, the cited ones included.
        findings: what the verifier will find, key and proofs aside.
    """

    path: Path
    size: int
    checkpoint: int
    entries: int
    findings: Findings


def bundle_write(
    scope: Scope, *, checkpoint: Checkpoint, keys: KeyStore, path: Path, since: int | None = None
) -> Written:
    """Write the bundle of a scope as it stands under a checkpoint.

    Args:
        checkpoint: entries beyond it are left out.
        keys: the sealer's, which signs the manifest as it signs checkpoints.
        path: the file; replaced if it is there.
        since: prove that the checkpoint continues the one of so many entries, instead of each day's last.

    Raises:
        NothingToBundle: the scope has nothing under the checkpoint, or the log has another key by now.
        CheckpointUnknown: there is no checkpoint of ``since`` entries.
        SealerKeyMissing, SealerKeyBad: there is no key to sign with.
    """
    with ExitStack() as stack:
        draft = _Draft(scope, checkpoint, keys, path.parent, stack)
        return draft.write(path, since)


class _Draft:
    """The members of one bundle while it is made, the large ones in files of their own."""

    def __init__(
        self, scope: Scope, checkpoint: Checkpoint, keys: KeyStore, folder: Path, stack: ExitStack
    ) -> None:
        self._scope, self._checkpoint, self._folder, self._stack = scope, checkpoint, folder, stack
        self._signer, self._keys = keys.signer(), keys.verifiers()
        if self._signer.name != checkpoint.origin:
            raise NothingToBundle(f"the sealer's key is of another log than {checkpoint.origin}")
        self._count = 0

    def write(self, path: Path, since: int | None) -> Written:
        """Collect, derive, sign, and put the file in its place."""
        spans = [_span(extent) for extent in extents(self._scope, self._checkpoint.size)]
        members = self._collected(spans)
        members[CONSISTENCY] = memoryview(b"".join(map(line_of, self._earlier(since))))
        texts = sorted(key.text for key in self._keys if key.name == self._signer.name)
        members[KEYS] = memoryview("".join(f"{text}\n" for text in texts).encode())
        members[CHECKPOINT] = memoryview(self._checkpoint.note.encode())
        manifest, findings = self._manifest(spans, members)
        members[MANIFEST] = memoryview(manifest)
        members[NOTE] = memoryview(self._signer.sign(note_text(manifest)).encode())
        size = _put(path, [(name, members[name]) for name in MEMBERS])
        return Written(path, size, self._checkpoint.size, self._count, findings)

    def _collected(self, spans: Sequence[Span]) -> dict[str, memoryview]:
        """Entries, cited entries, leaves, and the nodes beside them."""
        found = [Extent(span.stream, span.first, span.last) for span in spans]
        citations = Citations(self._scope.casino, found)
        entries, cited, leaves = self._file(), self._file(), self._file()
        places, numbers = _Places(self._checkpoint.size), list[int]()
        for extent in found:
            for entry in sealed_entries(extent.stream, seq__gte=extent.first, seq__lte=extent.last):
                citations.note(entry)
                self._keep(entry, entries, leaves, places, numbers)
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
        described = {name: container.described(members[name]) for name in MEMBERS[2:]}
        stated = Manifest(
            self._scope.as_dict, Signed(row.origin, row.size, bytes(row.root)), spans, described, {}
        )
        findings = Findings()
        derived = walk(stated, members, findings).derived
        whole = Manifest(stated.scope, stated.checkpoint, spans, described, derived)
        return whole.as_bytes(), findings

    def _earlier(self, since: int | None) -> Iterator[Earlier]:
        """The last checkpoint of each earlier day, or the one asked for, with what leads from it to ours."""
        rows = Checkpoint.objects.filter(size__lt=self._checkpoint.size, origin=self._checkpoint.origin)
        if since is None:
            by_day = rows.annotate(day=TruncDate("sealed_at", tzinfo=UTC)).order_by("day", "-size")
            sizes = sorted(size for _, size in by_day.distinct("day").values_list("day", "size"))
        else:
            sizes = [since] if since != self._checkpoint.size else []
        for size in sizes:
            proof = prove_consistency(old=size, new=self._checkpoint.size)
            note = Checkpoint.objects.values_list("note", flat=True).get(size=size)
            yield Earlier(note.encode(), proof.hashes)

    def _file(self) -> IO[bytes]:
        return self._stack.enter_context(tempfile.TemporaryFile(dir=self._folder))

    def _mapped(self, file: IO[bytes]) -> memoryview:
        """What was written to a file, as memory that need not fit into it."""
        file.flush()
        if not file.tell():
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


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


def _put(path: Path, contents: Iterable[tuple[str, memoryview]]) -> int:
    """Write the container beside its place, then into it; its size in bytes."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as out:
            members = []
            for member_name, content in contents:
                members.append(container.member(member_name, content))
                out.write(container.local_header(members[-1]))
                out.write(content)
            out.write(container.directory(members))
            size = out.tell()
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    return size
