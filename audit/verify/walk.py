"""All entries of a bundle walked once, stream by stream, and everything that follows from them."""

import gc
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, count, islice, repeat
from typing import Any

from audit.facts import Fact
from audit.resettle import Replayed
from audit.verify.chain import StreamWalk
from audit.verify.cited import CitedEntries
from audit.verify.entries import fact_of, facts_of
from audit.verify.kinds import is_known
from audit.verify.manifest import Span
from audit.verify.records import (
    NO_HASH,
    Cut,
    Record,
    RecordBad,
    blocks,
    head_of,
    read,
    read_all,
    record_at,
    split,
)
from audit.verify.report import Findings, many
from audit.verify.reversals import NUMBERS, reversal_astray
from audit.verify.streams import Check, StreamChecks, Ways, judge_together
from audit.verify.table import OPENING, READING, TableJudge
from audit.verify.tree import leaf_hash
from audit.verify.walked import Walked
from tables.engine.frozen import Kept

Block = Sequence[tuple[bytes, bytes]]  # the hashed bytes and the payload of each record
COLLECTED_AFTER = 100_000  # objects
_LEAF = struct.Struct(">Q32s")  # the leaf's number, and the entry's hash as it was sealed
LEAF_BYTES = _LEAF.size
ID_BYTES = 16


class BundleWalk:
    """The walk over one bundle's records.

    Args:
        spans: which entries there must be.
        entries, cited, leaves: the members of these names.
        findings: takes what is wrong.
        played: called with each round.
    """

    def __init__(
        self,
        spans: Sequence[Span],
        *,
        entries: memoryview,
        cited: memoryview,
        leaves: memoryview,
        findings: Findings,
        played: Callable[[Replayed], None] = lambda played: None,
    ) -> None:
        self._seen: dict[bytes, str] = {}
        self._spans, self._entries, self._cited_bytes, self._leaves = spans, entries, cited, leaves
        self.findings, self.played = findings, played
        self.walks = {
            span.stream: StreamWalk(span.stream, span.first, findings, self._seen) for span in spans
        }
        self.cited = CitedEntries(self.walks, findings)
        self.offsets: dict[str, array[int]] = {}
        self.unknown: Counter[tuple[str, str]] = Counter()
        self._count = self._cited_ids = 0
        self.ahead = 0  # entries that were walked and are not judged yet
        self._cited_leaves: list[tuple[int, bytearray]] = []
        self.walked = Walked(self.walks)

    def run(self) -> Walked:
        """Walk, and say what follows from all of it."""
        self.open()
        self.walk()
        return self.conclude()

    def open(self) -> None:
        """Take what is cited first, since it opens accounts, though it stands last; then what is stated."""
        records = self._split(self._cited_bytes, "cited")
        total = len(self._leaves) // LEAF_BYTES
        self._count = max(total - len(records), 0)
        for hashed, payload in records:
            record = self.cited.take(hashed, payload, self._seen)
            self.leaf(record.hash if record else NO_HASH, "", record.seq if record else None)
        self._cited_leaves, self.walked.leaves = self.walked.leaves, []
        self._count, self._cited_ids = 0, len(self._seen)
        for span in self._spans:
            self.walks[span.stream].state(span.balances)

    def walk(self) -> None:
        """Walk the entries, stream by stream."""
        with _seldom_collected():
            self._walk_entries()
        total = len(self._leaves) // LEAF_BYTES
        if self._count + self.cited.count != total or len(self._leaves) % LEAF_BYTES:
            detail = f"{self._count + self.cited.count} entries and {total} leaves"
            self.findings.add("leaves_differ", detail)

    @property
    def ids(self) -> bytes:
        """The ids of all entries walked, sixteen bytes each, those of cited ones left out."""
        return b"".join(islice(self._seen, self._cited_ids, None))

    def join(self, other: Walked, unknown: Counter[tuple[str, str]]) -> None:
        """Take what other streams come to, which another process has walked."""
        self.walks.update(other.walks)
        self.unknown.update(unknown)
        self.walked.join(other)

    def knows(self, ids: bytes) -> bool:
        """Whether one of these ids, sixteen bytes each, is known; they are from now on."""
        each = {ids[at : at + ID_BYTES] for at in range(0, len(ids), ID_BYTES)}
        is_known = not self._seen.keys().isdisjoint(each)
        self._seen.update(dict.fromkeys(each, ""))
        return is_known

    def conclude(self) -> Walked:
        """Say what follows from all streams together."""
        self.walked.leaves += self._cited_leaves
        for (stream, kind), number in sorted(self.unknown.items()):
            entries = many(number, "entry", "entries")
            self.findings.remark("kind_unknown", f"{entries} of kind {kind}", stream)
        judge_together(self.findings, self.walked)
        self.walked.derived = self._derived()
        return self.walked

    def _split(self, data: memoryview, name: str) -> list[tuple[bytes, bytes]]:
        records = []
        try:
            for hashed, payload in split(data):
                records.append((hashed, payload))
        except Cut as exc:
            self.findings.add("record_unreadable", f"{name}: {exc}")
        return records

    def _walk_entries(self) -> None:
        """Each record of the entries; they change from stream to stream where their bytes say so."""
        due = iter(self._spans)
        current = self._begin(next(due, None))
        offset = 0
        try:
            for block in blocks(self._entries):
                sizes = [8 + len(hashed) + len(payload) for hashed, payload in block]
                offsets = list(accumulate(sizes, initial=offset))
                current, offset = self._walk_block(block, offsets, current, due), offsets[-1]
        except Cut as exc:
            self.findings.add("record_unreadable", f"entries: {exc}")
        while current is not None:
            current = self._end(current, next(due, None))
        for span in due:
            self._end(self._begin(span), None)

    def _walk_block(
        self, block: Block, offsets: Sequence[int], current: "_Current | None", due: Iterator[Span]
    ) -> "_Current | None":
        """Some records and where each begins; the stream they end with."""
        at = 0
        while at < len(block):
            current = self._next(current, due, block[at][0])
            if current is None:
                detail = f"entries, at byte {offsets[at]}: no such stream is due"
                self.findings.add("record_out_of_place", detail)
                self.leaf(NO_HASH, "", None)
                at += 1
                continue
            head = current.head
            others = (end for end in range(at, len(block)) if not block[end][0].startswith(head))
            end = next(others, len(block))
            current.take(block[at:end], offsets[at:end])
            at = end
        return current

    def _begin(self, span: Span | None) -> "_Current | None":
        return None if span is None else _Current(self, span)

    def _next(self, current: "_Current | None", due: Any, hashed: bytes) -> "_Current | None":
        """The stream that begins with these bytes, if it is still due."""
        while current is not None and not hashed.startswith(current.head):
            current = self._end(current, next(due, None))
        return current

    def _end(self, current: "_Current | None", following: Span | None) -> "_Current | None":
        if current is not None:
            current.finish()
        return self._begin(following)

    def leaf(self, value: bytes, stream: str, seq: int | None) -> None:
        """Compare an entry's hash with the one that was sealed, and keep its leaf."""
        at = self._count * LEAF_BYTES
        self._count += 1
        stated = bytes(self._leaves[at : at + LEAF_BYTES])
        if stated[8:] != value:
            self.findings.add("leaf_differs", "its values do not give the hash that was sealed", stream, seq)
        self.walked.add_leaves(int.from_bytes(stated[:8], "big"), leaf_hash(value))

    def are_leaves(self, hashes: Sequence[bytes]) -> bool:
        """Whether entries have the hashes that were sealed, and leaves without a gap; then they are kept."""
        at, end = self._count * LEAF_BYTES, (self._count + len(hashes)) * LEAF_BYTES
        stated = list(_LEAF.iter_unpack(self._leaves[at:end])) if end <= len(self._leaves) else []
        first = stated[0][0] if stated else 0
        if stated != list(zip(count(first), hashes)):
            return False
        self._count += len(hashes)
        self.walked.add_leaves(first, b"".join(map(leaf_hash, hashes)))
        return True

    def fact_at(self, stream: str, seq: int) -> Fact | None:
        """An entry of the bundle by its number, None when it is not in it, or not walked yet."""
        walk = self.walks[stream]
        offsets = self.offsets.get(stream, array("Q"))
        if not 0 <= seq - walk.first < min(walk.entries - self.ahead, len(offsets)):
            return self.cited.fact(stream, seq)
        hashed, payload, _ = record_at(self._entries, offsets[seq - walk.first])
        record = read(stream, hashed, payload)
        return fact_of(stream, record, walk.payload(record))

    def id_at(self, stream: str, seq: int) -> bytes | None:
        """The id of an entry of the bundle by its number, None when it is not in it."""
        walk, offsets = self.walks[stream], self.offsets.get(stream, array("Q"))
        if not 0 <= seq - walk.first < len(offsets):
            return self.cited.ids.get((stream, seq))
        return read(stream, *record_at(self._entries, offsets[seq - walk.first])[:2]).id

    def _derived(self) -> dict[str, Any]:
        walks, judges, cited = self.walks.values(), self.walked.judges.values(), self.cited
        sums: Counter[str] = Counter()
        for walk in walks:
            sums.update(walk.moved)
        return {
            "casino": cited.casino,
            "tables": {name: code for name, code in sorted(cited.tables.items()) if name in self.walks},
            "gaming_days": sorted({one.gaming_day.isoformat() for _, one in self.walked.sessions}),
            "rule_sets": sorted(cited.rule_sets, key=lambda one: str(one["id"])),
            "engines": [{"game": name, "version": number} for name, number in sorted(self.walked.engines)],
            "counts": {
                "entries": sum(walk.entries for walk in walks),
                "movements": sum(walk.movements for walk in walks),
                "cited": cited.count,
                "sessions": len(self.walked.sessions),
                "rounds": sum(judge.rounds for judge in judges),
                "shoes": sum(judge.shoes for judge in judges),
            },
            "sums": dict(sorted(sums.items())),
        }


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Let the garbage collector look seldom: it takes a tenth of the time, and entries leave few cycles."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Current:
    """The stream whose records come now."""

    def __init__(self, owner: BundleWalk, span: Span) -> None:
        self.head = head_of(span.stream)
        self._owner, self._span = owner, span
        self._findings = owner.findings
        self._walk = owner.walks[span.stream]
        self._judge: TableJudge | None = None
        if span.stream.startswith("table:"):
            self._judge = TableJudge(
                self._walk,
                rule_set=owner.cited.rules.get,
                name=owner.cited.names.get,
                source=owner.cited.sources.get(span.stream),
                look_back=lambda seq: owner.fact_at(span.stream, seq),
                findings=owner.findings,
                played=self._played,
                changed=owner.walked.note,
            )
            owner.walked.judges[span.stream] = self._judge.told
        self._offsets = owner.offsets.setdefault(span.stream, array("Q"))
        self._stream_checks = StreamChecks(span, owner.findings, owner.walked)
        self._ways = Kept(self._stream_checks.ways_of)
        self._checks = Kept(self._checks_of)

    def take(self, block: Block, offsets: Sequence[int]) -> None:
        """Take the next records of this stream; they go through each step together.

        Every step for one record after the other takes longer: a processor does best what it has just done.
        """
        owner, walk = self._owner, self._walk
        read_ones = self._read_all(block, offsets)
        records = [one for one in read_ones if one is not None]
        is_whole = len(records) == len(block) and owner.are_leaves([record.hash for record in records])
        for record in () if is_whole else read_ones:
            if record is None:
                owner.leaf(NO_HASH, self._span.stream, None)
            else:
                owner.leaf(record.hash, self._span.stream, record.seq)
        if self._judge is not None:
            self._offsets.extend([at for one, at in zip(read_ones, offsets, strict=True) if one])
        payloads = walk.payloads(records)
        is_placed = bool(records) and walk.places(records)
        begin = 0
        for end, record in enumerate(records, start=1):
            if not is_placed or record.kind in READING or end == len(records):
                self._judged(records[begin:end], payloads[begin:end], is_placed=is_placed)
                begin = end

    def _read_all(self, block: Block, offsets: Sequence[int]) -> Sequence[Record | None]:
        try:
            return read_all(self._span.stream, block)
        except RecordBad:
            return [self._read(*each, at) for each, at in zip(block, offsets, strict=True)]

    def _read(self, hashed: bytes, payload: bytes, offset: int) -> Record | None:
        try:
            return read(self._span.stream, hashed, payload)
        except RecordBad as exc:
            self._findings.add("record_unreadable", f"entries, at byte {offset}: {exc}", self._span.stream)
            return None

    def _judged(
        self, records: Sequence[Record], payloads: Sequence[dict[str, Any]], *, is_placed: bool
    ) -> None:
        """Walk some records, then judge them; what is found is told in the order of the records."""
        owner, walk, judge, stream = self._owner, self._walk, self._judge, self._span.stream
        found = Findings()
        walk.findings = found
        for record, said in zip(records, payloads, strict=True):
            if record.kind == OPENING and judge is not None:
                judge.opens(judge.tray())
            walk.entry(record, said, is_placed=is_placed)
            if record.reverses is not None or record.kind in NUMBERS:
                self._takes_back(record, said, found)
        walk.findings = self._findings
        owner.ahead, is_wrong = len(records), found.count > 0
        checks, ways = self._checks, self._ways
        facts = facts_of(stream, records, payloads)
        turns = zip(facts, repeat(False)) if judge is None else judge.in_turn(facts)
        for fact, is_settled in turns:
            owner.ahead -= 1
            if is_wrong:
                self._findings.take(found, fact.seq)
            for check in checks[ways[fact.moves], is_settled, fact.kind, *fact.payload]:
                check(fact)
        if facts:
            self._stream_checks.until(facts[-1].recorded_at)
        if is_wrong:
            self._findings.count_rest(found)

    def _checks_of(self, ways: Ways, is_settled: bool, kind: str, *fields: str) -> list[Check]:
        """What may have anything to say of an entry of a kind that says these fields, in order."""
        checks: list[Check] = []
        if not is_known(kind):
            checks.append(self._unknown)
        if self._judge is not None:
            checks += self._judge.checks_of(is_settled, kind, *fields)
        return [*checks, *self._stream_checks.checks_of(ways, kind, *fields)]

    def _unknown(self, fact: Fact) -> None:
        self._owner.unknown[fact.stream, fact.kind] += 1

    def _takes_back(self, record: Record, said: dict[str, Any], found: Findings) -> None:
        owner, stream = self._owner, self._span.stream
        wrong = reversal_astray(record.kind, record.reverses, said, lambda seq: owner.id_at(stream, seq))
        if wrong is not None:
            found.add("reversal_invalid", wrong, stream, record.seq)

    def finish(self) -> None:
        """The stream ends: it must have begun and ended where its span does."""
        if self._judge is not None:
            self._judge.finish()
        walk, span = self._walk, self._span
        if (walk.last, walk.entries) != (span.last, span.last - span.first + 1):
            detail = f"{walk.entries} entries to number {walk.last}; {span.first} to {span.last} were due"
            self._findings.add("stream_incomplete", detail, span.stream)
        walk.close()

    def _played(self, played: Replayed) -> None:
        self._owner.walked.engines.add((played.game.name, played.game.version))
        self._owner.played(played)
