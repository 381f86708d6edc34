"""What the verifier prints: one page for a person, one object for a program."""

from collections.abc import Iterator, Sequence
from typing import Any

from audit.verify.bundle import Judged
from audit.verify.manifest import SCOPES, Manifest
from audit.verify.report import many
from audit.verify.table import Session
from audit.verify.walked import Walked

SHOWN = 40
"""Findings on the page at most; the JSON report has a thousand."""
ENTRIES = ("entry", "entries")
ONE = {
    "entries": "entry",
    "movements": "movement",
    "cited": "cited",
    "sessions": "session",
    "rounds": "round",
    "shoes": "shoe",
}
"""What one of each thing is called that a bundle counts."""


def page(judged: Judged, pinned: Sequence[str]) -> str:
    """The page, ending with the verdict.

    Args:
        pinned: the public keys the auditor gave, as texts.
    """
    lines = [*_head(judged, pinned)]
    if judged.manifest is not None and judged.walked is not None:
        lines += ["", *_streams(judged.manifest, judged.walked), "", *_sessions(judged.walked)]
    lines += ["", *_findings(judged)]
    return "\n".join(map(_shown, lines)) + "\n"


def _shown(line: str) -> str:
    """A line without anything that could steer a terminal, whatever stands in a bundle."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def report(judged: Judged, pinned: Sequence[str]) -> dict[str, Any]:
    """The report as JSON; amounts in minor units."""
    walked, findings = judged.walked, judged.findings
    said: dict[str, Any] = {
        "verified": judged.holds,
        "keys": list(pinned),
        "findings": [finding.as_dict() for finding in findings.listed],
        "finding_counts": dict(sorted(findings.counts.items())),
        "remarks": [remark.as_dict() for remark in findings.remarks],
        "continues": judged.proofs.earlier,
        "since": judged.proofs.since,
        "timestamps": [{**one._asdict(), "signature": "not checked"} for one in judged.stamped],
    }
    if judged.checkpoint is not None:
        size, root = judged.checkpoint.size, judged.checkpoint.root.hex()
        said["checkpoint"] = {"origin": judged.checkpoint.origin, "size": size, "root": root}
    if judged.manifest is not None:
        said["scope"] = dict(judged.manifest.scope)
    if walked is not None and judged.manifest is not None:
        said |= walked.derived
        said["sessions"] = [session.as_dict(stream) for stream, session in walked.sessions]
        said["streams"] = [
            span.as_dict()
            | {
                "closing": walked.balances_of(span.stream),
                "opening": opening(walked, span.stream, span.first),
            }
            for span in judged.manifest.spans
        ]
    return said


def opening(walked: Walked, stream: str, first: int) -> str:
    """What vouches for the balances a stream's entries start from."""
    if first == 1:
        return "proved: the stream begins here, with nothing"
    judge = walked.judges.get(stream)
    if judge is not None and judge.proved_by is not None:
        return f"tray and layout proved by the count of entry {judge.proved_by}; others as the sealer states"
    return "as the sealer states"


def _head(judged: Judged, pinned: Sequence[str]) -> Iterator[str]:
    manifest, checkpoint = judged.manifest, judged.checkpoint
    if manifest is not None:
        scope = manifest.scope
        extent = "whole streams" if scope["whole"] else "from the opening on"
        named = f"{scope['kind'].replace('day', 'gaming day')} {scope[SCOPES[scope['kind']]]}"
        yield f"bundle       of the {named}, {extent}"
    if judged.walked is not None:
        casino = judged.walked.derived["casino"]
        yield "casino       " + ", ".join(
            str(casino.get(name, "-")) for name in ("id", "currency", "time_zone")
        )
        counts = judged.walked.derived["counts"]
        yield "holds        " + ", ".join(many(number, ONE[name], name) for name, number in counts.items())
    if checkpoint is not None:
        yield f"checkpoint   {many(checkpoint.size, *ENTRIES)} of {checkpoint.origin}"
    yield f"pinned keys  {', '.join(pinned)}"
    earlier = judged.proofs.earlier
    since = f", from {many(earlier[0], *ENTRIES)} on" if earlier else ""
    yield f"continues    {many(len(earlier), 'earlier checkpoint')}{since}"
    if judged.proofs.since is not None:
        yield f"             and your note of {many(judged.proofs.since, *ENTRIES)}"
    for one in judged.stamped:
        of = many(one.size, *ENTRIES)
        yield f"stamped      {of} at {one.at}; the authority's signature is not checked here"


def _streams(manifest: Manifest, walked: Walked) -> Iterator[str]:
    tables = walked.derived["tables"]
    for span in manifest.spans:
        walk = walked.walks[span.stream]
        moved = many(walk.movements, "movement")
        name = f"{span.stream}{f' ({tables[span.stream]})' if span.stream in tables else ''}"
        yield f"{name}: entries {span.first:,} to {walk.last:,}, {moved}"
        yield f"    opening balances {opening(walked, span.stream, span.first)}"


def _sessions(walked: Walked) -> Iterator[str]:
    tables = walked.derived["tables"]
    for stream, session in sorted(
        walked.sessions, key=lambda one: (tables.get(one[0], one[0]), one[1].opened_seq)
    ):
        yield f"{tables.get(stream, stream)}  {_session(session, stream)}"


def _session(session: Session, stream: str) -> str:
    said = session.as_dict(stream)
    figures = "  ".join(f"{name} {_amount(said[name])}" for name in ("drop", "win", "T", "B", "U"))
    rounds = many(said["rounds"], "round") + (f", {said['voided']:,} voided" if said["voided"] else "")
    return f"{said['gaming_day']}  {rounds}  {figures}  {said['win_state']}"


def _amount(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _findings(judged: Judged) -> Iterator[str]:
    findings = judged.findings
    for remark in findings.remarks:
        yield f"remark: {remark.type}  {remark.place}  {remark.detail}"
    for finding in findings.listed[:SHOWN]:
        yield f"{finding.type}  {finding.place}  {finding.detail}"
    if findings.count > SHOWN:
        yield f"... and {findings.count - SHOWN:,} more"
    if judged.holds:
        yield "VERIFIED: every hash, proof, shoe, round, balance and win holds. Amounts are in minor units."
    else:
        yield f"NOT VERIFIED: {many(findings.count, 'finding')}. Amounts are in minor units."
