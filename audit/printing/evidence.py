"""What a printed record rests on: entries with their hashes, movements, signatures, checkpoint, findings."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Q

from audit.codes import meaning_of
from audit.models import Finding
from audit.printing.paper import HASHES, NUMBERS, TIMES, Facts, Ink, Rows, Section, columns
from audit.selectors.journal import parsed
from ledger.models import Checkpoint, CheckpointRange, Entry, Movement
from tables.admin.corrections import KINDS, correction_about
from tables.admin.text import NOTHING, words
from tables.models import Countersignature, Staff
from tables.selectors.people import badges_of


def entries_between(stream: str, first: int, last: int) -> list[Entry]:
    """The entries of a stream from one number to another."""
    return list(Entry.objects.filter(stream__name=stream, seq__gte=first, seq__lte=last).order_by("seq"))


def entry_rows(entries: Sequence[Entry], ink: Ink) -> Rows:
    """Entries by number, with the hash that stands for all of each and of what came before."""
    badges = badges_of(entry.actor for entry in entries)
    rows = [
        (str(entry.seq), entry.kind, ink.at(entry.recorded_at), badges[entry.actor], bytes(entry.hash).hex())
        for entry in entries
    ]
    heads = columns(("Entry", NUMBERS), "Kind", ("Recorded", TIMES), "By", ("SHA-256", HASHES))
    return Rows("Journal entries", heads, rows)


def movement_rows(entries: Sequence[Entry], ink: Ink) -> Rows:
    """What these entries of one stream moved."""
    found = Movement.objects.filter(
        stream_id__in={entry.stream_id for entry in entries}, seq__in=[entry.seq for entry in entries]
    )
    rows = [
        (str(one.seq), one.source.name, one.target.name, ink.amount(one.amount), words(one.source.asset))
        for one in found.select_related("source", "target").order_by("seq", "line")
    ]
    heads = columns(("Entry", NUMBERS), "From", "To", ("Amount", NUMBERS), "Asset")
    return Rows("Movements", heads, rows)


def correction_rows(entries: Iterable[Entry], ink: Ink) -> Rows:
    """Corrections of what was recorded: what they did, why, and who signed."""
    made = [entry for entry in entries if entry.kind in KINDS]
    signed = {one.seq: one for one in _signatures(made)}
    rows = [
        (
            str(entry.seq),
            entry.kind,
            correction_about(entry.kind, said, ink.currency),
            _why(said),
            _both(signed.get(entry.seq)),
            ink.at(entry.recorded_at),
        )
        for entry in made
        for said in [parsed(entry.payload)]
    ]
    heads = columns(("Entry", NUMBERS), "Kind", "What", "Why", "Signed by", ("Recorded", TIMES))
    return Rows("Corrections", heads, rows)


def _why(said: dict[str, Any]) -> str:
    return words(str(said.get("reason", ""))) + (f": {said['note']}" if said.get("note") else "")


def _both(signed: Countersignature | None) -> str:
    return NOTHING if signed is None else f"{signed.first.badge}\n{signed.second.badge}"


def _signatures(entries: Sequence[Entry]) -> list[Countersignature]:
    streams = {entry.stream.name for entry in entries}
    assert len(streams) <= 1, "the entries are of one stream"
    return signatures_of(next(iter(streams), ""), Q(seq__in=[entry.seq for entry in entries]))


def signatures_of(stream: str, which: Q) -> list[Countersignature]:
    """The acts two people signed in a stream, in order."""
    found = Countersignature.objects.filter(which, stream=stream)
    return list(found.select_related("first", "second", "first_terminal", "second_terminal").order_by("seq"))


def signature_rows(signed: Iterable[Countersignature], ink: Ink) -> Rows:
    """Who signed what with whom, when and where."""
    rows = [
        (
            str(one.seq),
            one.act,
            f"{one.first.badge}\n{_where(one.first_terminal)}",
            ink.at(one.signed_at),
            f"{one.second.badge}\n{_where(one.second_terminal)}",
            ink.at(one.second_signed_at or one.signed_at),
            one.reason or NOTHING,
        )
        for one in signed
    ]
    heads = columns(
        *(("Entry", NUMBERS), "Act", "Signed by", ("Signed at", TIMES)),
        *("Countersigned by", ("Countersigned at", TIMES), "Reason"),
    )
    return Rows("Signatures", heads, rows)


def _where(terminal: object) -> str:
    return "at a desk" if terminal is None else f"at {terminal}"


def checkpoint_facts(stream: str, last: int, ink: Ink) -> Section:
    """The first signed checkpoint that covers a stream up to an entry: it never becomes another."""
    place = CheckpointRange.objects.filter(stream__name=stream, seq_from__lte=last, seq_to__gte=last).first()
    leaf = None if place is None else place.position + last - place.seq_from
    found = None if leaf is None else Checkpoint.objects.filter(size__gt=leaf).order_by("size").first()
    if found is None:
        return Facts("Checkpoint", [("Covered by", f"none yet: entry {last} waits for its seal")])
    return Facts(
        "Checkpoint",
        [
            ("Log", found.origin),
            ("Covers", f"{found.size} entries, entry {last} of this stream as number {leaf} from 0"),
            ("Root", bytes(found.root).hex()),
            ("Sealed", ink.on(found.sealed_at)),
            ("Signed note", found.note.rstrip("\n")),
        ],
    )


def finding_rows(which: Q, ink: Ink) -> Rows:
    """What the audit found, where each stands, and what was said of it."""
    found = Finding.objects.filter(which).order_by("first_seen", "id")
    rows = [
        (
            one.code,
            one.severity,
            one.get_status_display(),
            NOTHING if one.seq is None else str(one.seq),
            ink.at(one.first_seen),
            "\n".join(_said_of(one)),
        )
        for one in found.select_related("acknowledged_by", "resolved_by").prefetch_related("explanations__by")
    ]
    heads = columns("Code", "Severity", "Status", ("Entry", NUMBERS), ("First seen", TIMES), "What it says")
    return Rows("Findings of the audit", heads, rows)


def _said_of(found: Finding) -> Iterator[str]:
    yield meaning_of(found.code).text
    for one in sorted(found.explanations.all(), key=lambda one: one.id):
        yield f"Explained by {one.by.badge}: {one.text}"
    if found.note:
        yield f"Acknowledged by {_badge(found.acknowledged_by)}: {found.note}"
    if found.reason:
        false = " (false alarm)" if found.false_positive else ""
        yield f"Resolved by {_badge(found.resolved_by)}{false}: {found.reason}"


def _badge(person: Staff | None) -> str:
    return NOTHING if person is None else person.badge
