"""Entries a bundle cites: they lie before its spans, or in the office's stream, and are proved like the rest.

They open the accounts of a stream whose beginning is not here, are what a correction or a reversal goes back
to, and say which casino, tables and rule sets the rest is about, and what the office did by two on that day.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from audit.facts import Fact
from audit.signed import SignatureCheck
from audit.verify.chain import OPENINGS, StreamWalk
from audit.verify.entries import fact_of
from audit.verify.records import Record, RecordBad, read, stream_in
from audit.verify.report import Findings
from audit.verify.table import UNREADABLE
from tables.engine.registry import digest

CASINO, TABLE, RULES = "casino.open", "table.create", "rule_set.create"
OFFICE_STREAM = "office:"


@dataclass(slots=True)
class CitedEntries:
    """What the cited entries say.

    Args:
        walks: of the spans, by stream; told which accounts are open.
        findings: takes what is wrong.

    Attributes:
        rules: body and digest of each rule set, by id.
        casino: what its opening said; empty without one.
        names: name and version of each rule set, by id.
        tables: code of each table, by its stream.
        sources: whether the cards of each are scanned or drawn.
        ids: of the cited entries, by stream and number.
    """

    walks: Mapping[str, StreamWalk]
    findings: Findings
    rules: dict[UUID, tuple[dict[str, Any], str]] = field(default_factory=dict)
    rule_sets: list[dict[str, Any]] = field(default_factory=list)
    names: dict[UUID, tuple[str, int]] = field(default_factory=dict)
    casino: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    count: int = 0
    ids: dict[tuple[str, int], bytes] = field(default_factory=dict)
    _facts: dict[tuple[str, int], Fact] = field(default_factory=dict)
    _last: tuple[str, int] = ("", 0)
    _signatures: SignatureCheck | None = None

    def take(self, hashed: bytes, payload: bytes, seen: dict[bytes, str]) -> Record | None:
        """Take the next cited entry; None where the bytes are none."""
        self.count += 1
        try:
            stream = stream_in(hashed)
            record = read(stream, hashed, payload)
        except RecordBad as exc:
            self.findings.add("record_unreadable", f"cited entry {self.count}: {exc}", "", None)
            return None
        walk = self.walks.get(stream)
        if (stream, record.seq) <= self._last or (walk is not None and record.seq >= walk.first):
            detail = "a cited entry stands twice, out of order, or belongs to the entries themselves"
            self.findings.add("record_out_of_place", detail, stream, record.seq)
        self._last = stream, record.seq
        said = (walk or StreamWalk(stream, record.seq, self.findings, seen)).payload(record)
        seen[record.id] = stream
        self.ids[stream, record.seq] = record.id
        if walk is not None and record.kind in OPENINGS:
            walk.open(record, said)
        self._facts[stream, record.seq] = fact = fact_of(stream, record, said)
        self._signed(fact)
        try:
            self._office(stream, record.kind, said)
        except UNREADABLE:
            detail = f"an entry of kind {record.kind} does not say what it must"
            self.findings.add("record_unreadable", detail, stream, record.seq)
        return record

    def _signed(self, fact: Fact) -> None:
        """What the office did that two sign."""
        if not fact.stream.startswith(OFFICE_STREAM):
            return
        if self._signatures is None:
            self._signatures = SignatureCheck(fact.stream, self.findings.found)
        self._signatures.see(fact)

    def fact(self, stream: str, seq: int) -> Fact | None:
        """A cited entry by its number."""
        return self._facts.get((stream, seq))

    def _office(self, stream: str, kind: str, said: dict[str, Any]) -> None:
        """What the office said of casino, tables and rule sets."""
        if not stream.startswith(OFFICE_STREAM):
            return
        if kind == CASINO and stream == f"office:{said['casino']}":
            self.casino = {name: said[name] for name in ("currency", "time_zone", "rollover_hour")}
            self.casino["id"] = said["casino"]
        elif kind == TABLE:
            self.tables[f"table:{said['table']}"] = said["code"]
            self.sources[f"table:{said['table']}"] = said["card_source"]
        elif kind == RULES:
            body: dict[str, Any] = said["body"]
            one: dict[str, Any] = {"id": said["rules"], "digest": digest(body)}
            self.rules[UUID(said["rules"])] = body, one["digest"]
            self.names[UUID(said["rules"])] = said["name"], said["version"]
            self.rule_sets.append(one | {"name": said["name"], "version": said["version"]})
