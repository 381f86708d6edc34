"""All entries of a bundle walked once, stream by stream, and everything that follows from them."""

import struct
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from audit.corrected import Changed
from audit.facts import Fact
from audit.promos import Heard, PieceCheck, plays_astray, unissued
from audit.resettle import Replayed
from audit.vault import VaultCheck
from audit.verify.chain import StreamWalk
from audit.verify.cited import CitedEntries
from audit.verify.manifest import Span
from audit.verify.records import NO_HASH, Cut, Record, RecordBad, head_of, read, record_at, split
from audit.verify.report import Findings
from audit.verify.table import Session, TableJudge, Told, fact_of
from audit.verify.tree import HASH_BYTES, leaf_hash

BLOCK = 256  # records
_LEAF = struct.Struct(">Q32s")  # the leaf's number, and the entry's hash as it was sealed
LEAF_BYTES = _LEAF.size
ID_BYTES = 16

KNOWN = frozenset(
    {
        *("stream.open", "account.open", "entry.reverse", "correction.post"),
        *("session.open", "session.close", "session.count_drop"),
        *("session.reopen", "dealer.sign_on", "dealer.sign_off", "dealer.relieve"),
        *("table.rules", "seat.change", "toke.give", "toke.collect", "chips.reject"),
        *("marker.issue", "marker.redeem"),
        *("box.remove", "drop.count_first", "drop.count_differs", "drop.count"),
        *("seat.take", "seat.buy_in", "seat.other_tender", "seat.leave"),
        *("shoe.load", "shoe.burn", "shoe.retire", "table.freeze", "table.release", "table.par"),
        *("deal.draw", "deal.start", "pool.divide", "collection.take", "hand.look", "day.close", "day.seal"),
    }
)
"""Kinds whose meaning the checks know, besides those of whole families."""
FAMILIES = ("round.", "fill.", "credit.", "cage.", "cash.", "promo.")
"""Rounds are the engine's to judge; of the others the accounts tell the meaning, whatever they are called."""


@dataclass(slots=True)
class Walked:
    """What follows from the entries.

    Attributes:
        leaves: the leaf hash of each entry, those of the cited ones last.
        derived: the manifest's derived half.
        sessions: of each table's stream.
        judges: what each table's stream comes to.
        walks: of each stream.
        cancelled: of each round that was voided after it was over the number of the entry that did it.
        corrected: the last correction of each round that was corrected.
        pieces: what each stream says of promotional pieces.
    """

    walks: Mapping[str, StreamWalk]
    leaves: list[tuple[int, bytearray]] = field(default_factory=list)
    judges: dict[str, Told] = field(default_factory=dict)
    engines: set[tuple[str, int]] = field(default_factory=set)
    derived: dict[str, Any] = field(default_factory=dict)
    cancelled: dict[str, int] = field(default_factory=dict)
    corrected: dict[str, Changed] = field(default_factory=dict)
    pieces: dict[str, Heard] = field(default_factory=dict)

    def add_leaves(self, first: int, hashes: bytes) -> None:
        """Add leaves without a gap, to those before if they go on."""
        if self.leaves and first == self.leaves[-1][0] + len(self.leaves[-1][1]) // HASH_BYTES:
            self.leaves[-1][1].extend(hashes)
        else:
            self.leaves.append((first, bytearray(hashes)))

    def note(self, changed: Changed) -> None:
        """Remember a round that was corrected, or voided after it was over."""
        if changed.voided:
            self.cancelled[str(changed.id)] = changed.seq
        else:
            self.corrected[str(changed.id)] = changed

    @property
    def sessions(self) -> list[tuple[str, Session]]:
        """Each session with its stream."""
        return [(name, session) for name, judge in self.judges.items() for session in judge.sessions.values()]

    def balances_of(self, stream: str) -> dict[str, int]:
        """What the stream's accounts hold at the end, minor units, none of it zero."""
        return self.walks[stream].balances()


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
        self.walked.leaves += other.leaves
        self.walked.judges.update(other.judges)
        self.walked.engines.update(other.engines)
        self.walked.cancelled.update(other.cancelled)
        self.walked.corrected.update(other.corrected)
        self.walked.pieces.update(other.pieces)

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
            self.findings.remark("kind_unknown", f"{number} entries of kind {kind}", stream)
        self._judge_pieces()
        self.walked.derived = self._derived()
        return self.walked

    def _judge_pieces(self) -> None:
        """What pieces did at several streams; what the bundle cannot know of them is a remark."""
        heard = self.walked.pieces
        is_whole = any(span.stream.startswith("cage:") and span.first == 1 for span in self._spans)
        for found in plays_astray(heard.values(), issues_known=is_whole):
            self.findings.found(found)
        before = {stream: part.before for stream, part in heard.items()}
        before[""] = 0 if is_whole else len(unissued(heard.values()))
        for stream, number in sorted(before.items()):
            if number:
                self.findings.remark("promo_before", f"{number} pieces of before the bundle", stream)

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
            for hashed, payload in split(self._entries):
                if current is None or not hashed.startswith(current.head):
                    current = self._next(current, due, hashed)
                if current is None:
                    self.findings.add(
                        "record_out_of_place", f"entries, at byte {offset}: no such stream is due"
                    )
                    self.leaf(NO_HASH, "", None)
                else:
                    current.take(hashed, payload, offset)
                offset += 8 + len(hashed) + len(payload)
        except Cut as exc:
            self.findings.add("record_unreadable", f"entries: {exc}")
        while current is not None:
            current = self._end(current, next(due, None))
        for span in due:
            self._end(self._begin(span), None)

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
        if not 0 <= seq - walk.first < min(walk.entries, len(offsets)):
            return self.cited.fact(stream, seq)
        hashed, payload, _ = record_at(self._entries, offsets[seq - walk.first])
        record = read(stream, hashed, payload)
        return fact_of(stream, record, walk.payload(record))

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


class _Current:
    """The stream whose records come now."""

    def __init__(self, owner: BundleWalk, span: Span) -> None:
        self.head = head_of(span.stream)
        self._owner, self._span = owner, span
        self._findings = owner.findings
        self._walk = owner.walks[span.stream]
        self._block: list[tuple[bytes, bytes, int]] = []
        self._judge: TableJudge | None = None
        if span.stream.startswith("table:"):
            self._judge = TableJudge(
                self._walk,
                rule_set=owner.cited.rules.get,
                look_back=lambda seq: owner.fact_at(span.stream, seq),
                findings=owner.findings,
                played=self._played,
                changed=owner.walked.note,
            )
            owner.walked.judges[span.stream] = self._judge.told
        self._offsets = owner.offsets.setdefault(span.stream, array("Q"))
        self._pieces = PieceCheck(span.stream, owner.findings.found, whole=span.first == 1)
        self._vault = VaultCheck(span.stream, owner.findings.found, from_empty=span.first == 1)
        owner.walked.pieces[span.stream] = self._pieces.heard

    def take(self, hashed: bytes, payload: bytes, offset: int) -> None:
        """The next record of this stream; a block of them goes through each step together.

        Every step for one record after the other takes longer: a processor does best what it has just done.
        """
        self._block.append((hashed, payload, offset))
        if len(self._block) == BLOCK:
            self._through()

    def _through(self) -> None:
        """Read the records of the block, compare their hashes, read their payloads, then judge in order."""
        owner, walk = self._owner, self._walk
        block, self._block = self._block, []
        read_ones = [self._read(*each) for each in block]
        records = [one for one in read_ones if one is not None]
        is_whole = len(records) == len(block) and owner.are_leaves([record.hash for record in records])
        for record in () if is_whole else read_ones:
            if record is None:
                owner.leaf(NO_HASH, self._span.stream, None)
            else:
                owner.leaf(record.hash, self._span.stream, record.seq)
        if self._judge is not None:
            self._offsets.extend(at for one, (_, _, at) in zip(read_ones, block, strict=True) if one)
        payloads = walk.payloads(records)
        is_placed = bool(records) and walk.places(records)
        for record, said in zip(records, payloads, strict=True):
            self._judged(record, said, is_placed=is_placed)

    def _read(self, hashed: bytes, payload: bytes, offset: int) -> Record | None:
        try:
            return read(self._span.stream, hashed, payload)
        except RecordBad as exc:
            self._findings.add("record_unreadable", f"entries, at byte {offset}: {exc}", self._span.stream)
            return None

    def _judged(self, record: Record, said: dict[str, Any], *, is_placed: bool) -> None:
        if record.kind not in KNOWN and not record.kind.startswith(FAMILIES):
            self._owner.unknown[self._span.stream, record.kind] += 1
        judge = self._judge
        if judge is None:
            self._walk.entry(record, said, is_placed=is_placed)
            fact = fact_of(self._span.stream, record, said)
            self._pieces.see(fact)
            self._vault.see(fact)
            return
        before = judge.tray()
        self._walk.entry(record, said, is_placed=is_placed)
        fact = fact_of(self._span.stream, record, said)
        judge.see(fact, before)
        self._pieces.see(fact)

    def finish(self) -> None:
        """The stream ends: it must have begun and ended where its span does."""
        self._through()
        if self._judge is not None:
            self._judge.finish()
        walk, span = self._walk, self._span
        if (walk.last, walk.entries) != (span.last, span.last - span.first + 1):
            detail = f"{walk.entries} entries to number {walk.last}; {span.first} to {span.last} were due"
            self._findings.add("stream_incomplete", detail, span.stream)

    def _played(self, played: Replayed) -> None:
        self._owner.walked.engines.add((played.game.name, played.game.version))
        self._owner.played(played)
