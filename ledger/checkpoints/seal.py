"""The sealer: appends what is new to the tree, signs, stores, publishes.

One sealer works at a time (a lock in the database), each transaction is a checkpoint as a whole or nothing,
and the folder is written from what was committed. So a sealer may be killed anywhere: before the commit
nothing has happened (a note that was signed and not stored was shown to nobody), after it the next run
publishes. It signs nothing that does not continue what it signed before: the last note in the database must
carry a signature of ours and the root of the stored tree, and so must the last one in the folder.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction

from config import env
from ledger.checkpoints import note, store
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.note import NoteError, SignerKey, VerifierKey, open_checkpoint
from ledger.checkpoints.publish import Folder, Step
from ledger.checkpoints.store import Range
from ledger.checkpoints.tree import (
    EMPTY_ROOT,
    Growth,
    Node,
    consistency_plan,
    cover,
    hashes_of,
    leaf_hash,
    root_at,
    verify_consistency,
)
from ledger.errors import SealerBusy, SealInconsistent, translated
from ledger.models import Checkpoint

LEAF_LIMIT = 20_000
"""Leaves per checkpoint at most, so that a long backlog is sealed in pieces of bounded memory."""
PAGE_ROWS = 500

_SEAL = "SELECT ledger_seal(%s, %s, %s, %s, %s, %s, %s, %s::integer[], %s::bigint[], %s::bigint[])"
_LOCK_NOT_AVAILABLE = "55P03"


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a run of the sealer did.

    Attributes:
        size: entries under the last checkpoint now.
        appended: how many of them are new.
        published: how many files were written.
        broken: ids of streams with a gap in their entries, which are sealed up to it only.
    """

    size: int
    appended: int
    published: int
    broken: tuple[int, ...]


def _nothing(name: str) -> None:
    """Nobody watches."""


def seal(
    *,
    keys: KeyStore | None = None,
    folder: Folder | None = None,
    using: str = DEFAULT_DB_ALIAS,
    step: Step = _nothing,
    leaf_limit: int = LEAF_LIMIT,
) -> Sealed:
    """Seal all committed entries and publish the checkpoints; must not run inside a transaction.

    Without a new entry no checkpoint is made; what was not published yet is published all the same.

    Args:
        keys, folder: by default those of ``PITLEDGER_HOME`` and ``PITLEDGER_CHECKPOINTS``.
        using: database alias; the application's rights suffice.
        step: called with the name of each step that was taken, for whoever watches.
        leaf_limit: leaves per checkpoint at most.

    Raises:
        SealerKeyMissing, SealerKeyBad: there is no key to sign with.
        SealerBusy: another sealer did not finish in time.
        SealInconsistent: the database does not continue what was signed; nothing was signed.
        OSError: the folder cannot be written; the checkpoint is in the database, and the next run goes on.
    """
    sealer = _Sealer(
        keys or KeyStore(env.home()), folder or Folder(env.checkpoint_folder()), using, step, leaf_limit
    )
    return sealer.run()


def publish_lost(*, keys: KeyStore | None = None, folder: Folder | None = None) -> int:
    """Write again every checkpoint whose file is gone though later ones are there; answers how many.

    A run of the sealer looks at ``latest`` alone, so that it takes no longer the longer the log is. A row
    that nobody we know has signed is no checkpoint, and is not written: ``verify_journal`` names it.

    Args:
        keys, folder: as for ``seal``.

    Raises:
        SealerKeyBad: a public key is none.
        OSError: the folder cannot be read or written.
    """
    known = (keys or KeyStore(env.home())).verifiers()
    place = folder or Folder(env.checkpoint_folder())
    rows, written = Checkpoint.objects.order_by("size"), 0
    for size in place.lacking(rows.values_list("size", "sealed_at").iterator(chunk_size=PAGE_ROWS)):
        row = rows.get(size=size)
        if _is_signed(row.note, known):
            place.write(row)
            written += 1
    return written


def _is_signed(text: str, known: Sequence[VerifierKey]) -> bool:
    try:
        open_checkpoint(text, known)
    except NoteError:
        return False
    return True


class _Sealer:
    """One run."""

    def __init__(self, keys: KeyStore, folder: Folder, using: str, step: Step, leaf_limit: int) -> None:
        self._signer: SignerKey = keys.signer()
        self._known: list[VerifierKey] = keys.verifiers()
        self._folder, self._using, self._step, self._leaf_limit = folder, using, step, leaf_limit
        self._fetch = store.fetch_from(using)
        self._broken: set[int] = set()

    def run(self) -> Sealed:
        appended = 0
        while count := self._locked(self._append):
            appended += count
        published = self._locked(self._publish)
        last = store.last_checkpoint(self._using)
        return Sealed(last.size if last else 0, appended, published, tuple(sorted(self._broken)))

    def _locked(self, work: Callable[[], int]) -> int:
        """Do a piece of the work in one transaction, as the only sealer."""
        with transaction.atomic(using=self._using, durable=True):
            self._call("SELECT ledger_lock_sealing()", [])
            self._step("locked")
            done = work()
        self._step("committed")
        return done

    def _append(self) -> int:
        """Make one checkpoint of what waits; answers how many entries it seals."""
        last = self._last()
        ranges, hashes = self._next_entries()
        self._step("read")
        if not hashes:
            return 0
        growth = self._grown(last)
        nodes = [made for value in hashes for made in growth.append(leaf_hash(value))]
        new = note.Checkpoint(self._signer.name, growth.size, growth.root())
        self._step("computed")
        self._prove(last, new, _named(last.size, nodes))
        signed = self._signer.sign(new.text)
        self._step("signed")
        columns = [list(column) for column in zip(*ranges, strict=True)]
        self._call(
            _SEAL,
            [last.size, last.root, new.size, new.root, new.origin, signed, b"".join(nodes), *columns],
        )
        self._step("stored")
        return len(hashes)

    def _next_entries(self) -> tuple[list[Range], list[bytes]]:
        """The next ranges, up to the limit, and their entries' hashes one after the other."""
        room, wanted = self._leaf_limit, []
        for waiting in store.unsealed(self._using):
            if room > 0:
                wanted.append(waiting._replace(last=min(waiting.last, waiting.first + room - 1)))
                room -= wanted[-1].length
        ranges, hashes = [], []
        for wish, found in zip(wanted, store.entry_hashes(wanted, self._using), strict=True):
            if len(found) < wish.length:
                self._broken.add(wish.stream_id)
            if found:
                ranges.append(wish._replace(last=wish.first + len(found) - 1))
                hashes += found
        return ranges, hashes

    def _last(self) -> note.Checkpoint:
        """What was signed last, verified: in the database, and not behind what the folder has."""
        row = store.last_checkpoint(self._using)
        last = self._opened(row) if row else note.Checkpoint(self._signer.name, 0, EMPTY_ROOT)
        published = self._latest()
        if published is not None and published.origin == self._signer.name:
            self._check_continued(published, last)
        return last

    def _opened(self, row: Checkpoint) -> note.Checkpoint:
        try:
            signed = open_checkpoint(row.note, self._known)
        except NoteError as exc:
            raise SealInconsistent(f"the last checkpoint: {exc}", size=row.size) from exc
        if signed != (row.origin, row.size, bytes(row.root)):
            raise SealInconsistent("the last checkpoint is not what was signed", size=row.size)
        return signed

    def _latest(self) -> note.Checkpoint | None:
        """The checkpoint published last; a file that nobody we know has signed is as good as lost."""
        text = self._folder.latest()
        try:
            return open_checkpoint(text, self._known) if text is not None else None
        except NoteError:
            return None

    def _check_continued(self, published: note.Checkpoint, last: note.Checkpoint) -> None:
        if published.size > last.size:
            raise SealInconsistent(
                f"a checkpoint of {published.size} entries was published and the database has sealed"
                f" {last.size}: it was restored from an older copy, or cut",
                size=published.size,
            )
        if root_at(published.size, self._fetch) != published.root:
            raise SealInconsistent("the stored tree is not the one that was published", size=published.size)

    def _grown(self, last: note.Checkpoint) -> Growth:
        """The stored tree, ready to be appended to."""
        edge = cover(0, last.size)
        known = self._fetch(edge) if edge else {}
        growth = Growth(last.size, [known[node] for node in edge])
        if growth.root() != last.root:
            raise SealInconsistent("the stored tree is not the one that was signed", size=last.size)
        return growth

    def _prove(self, last: note.Checkpoint, new: note.Checkpoint, made: dict[Node, bytes]) -> None:
        """Prove the new tree consistent with the last one, as anybody outside would check it."""

        def fetch(nodes: Sequence[Node]) -> dict[Node, bytes]:
            old = [node for node in nodes if node not in made]
            return made | (self._fetch(old) if old else {})

        proof = hashes_of(consistency_plan(last.size, new.size), fetch) if last.size else []
        if not verify_consistency(
            old=last.size, old_root=last.root, new=new.size, new_root=new.root, proof=proof
        ):
            raise SealInconsistent("the new tree would not continue the last one", size=last.size)

    def _publish(self) -> int:
        """Write every checkpoint the folder does not have."""
        latest = self._latest()
        rows = Checkpoint.objects.using(self._using)
        is_ours = latest is not None and rows.filter(size=latest.size, root=latest.root).exists()
        done = latest.size if latest is not None and is_ours else 0
        return self._folder.publish(self._after(done), self._step)

    def _after(self, size: int) -> Iterator[Checkpoint]:
        """The checkpoints of more than ``size`` entries, smallest first."""
        rows = Checkpoint.objects.using(self._using).order_by("size")
        while page := list(rows.filter(size__gt=size)[:PAGE_ROWS]):
            yield from page
            size = page[-1].size

    def _call(self, sql: str, parameters: list[Any]) -> None:
        try:
            with connections[self._using].cursor() as cursor:
                cursor.execute(sql, parameters)
        except DatabaseError as exc:
            if getattr(exc.__cause__, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise SealerBusy("another sealer is at work") from exc
            refusal = translated(exc)
            if refusal is None:
                raise
            raise refusal from exc


def _named(size: int, nodes: Sequence[bytes]) -> dict[Node, bytes]:
    """Newly stored nodes by name, in a tree that had ``size`` leaves before."""
    named: dict[Node, bytes] = {}
    rest = iter(nodes)
    for value in rest:
        node = Node(0, size)
        named[node] = value
        while node.number & 1:
            node = Node(node.level + 1, node.number >> 1)
            named[node] = next(rest)
        size += 1
    return named
