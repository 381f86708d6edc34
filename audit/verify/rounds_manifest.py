"""The manifest beside an export of round histories (``audit/FORMAT.md``, 7): what was asked and what it is.

The manifest says nothing of who asked or when, so that the same request over the same journal gives the same
bytes; the note that signs it does.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.verify.records import canonical

SCHEMA = "pitledger.rounds"
SCHEMA_VERSION = 8
NO_ACTIVITY = "No Activity"
"""What an export without rows says in their place, once, and its manifest."""
NOTE_HEAD = "pitledger rounds manifest, version 1"
"""First line of the signed note; it has spaces, so the note can never be taken for a checkpoint's."""
MANIFEST_ENDING, NOTE_ENDING = ".manifest.json", ".manifest.note"
"""What the names of manifest and note have behind the export's own."""

KEYS = frozenset(
    {
        *("schema", "version", "format", "filter", "casino", "columns", "file", "counts", "sums"),
        *("gaming_days", "rule_sets", "streams", "checkpoint", "activity"),
    }
)


class RoundsManifestBad(ValueError):
    """This is no manifest of an export; the message says why."""


@dataclass(frozen=True, slots=True)
class RoundsManifest:
    """The part of a manifest that is read.

    Attributes:
        filter: what was asked for.
        size, sha256: of the export.
        counts: rounds and rows.
        sums: of each currency the sums of its amounts, minor units.
        checkpoint: origin, size and root (hexadecimal) of the log's last one, None when there was none.
        activity: None, or that there are no rows.
        streams: of each table's stream the last entry about any of the rounds.
    """

    filter: Mapping[str, Any]
    size: int
    sha256: str
    counts: Mapping[str, int]
    sums: Mapping[str, dict[str, int]]
    checkpoint: Mapping[str, Any] | None
    activity: str | None
    streams: Sequence[Mapping[str, Any]]


def note_text(manifest: bytes, *, by: str, at: str) -> str:
    """The text of the note that signs a manifest.

    Args:
        by: who asked: a badge, or a word for no person.
        at: when, UTC, ISO 8601.
    """
    return f"{NOTE_HEAD}\nsha256 {hashlib.sha256(manifest).hexdigest()}\nasked by {by} at {at}\n"


def signs(text: str, manifest: bytes) -> bool:
    """Whether the text of a note is one that signs this manifest, whoever asked."""
    lines = text.split("\n")
    due = note_text(manifest, by="", at="").split("\n")
    return len(lines) == 4 and lines[:2] == due[:2] and lines[2].startswith("asked by ") and not lines[3]


def parse_rounds_manifest(data: bytes) -> RoundsManifest:
    """Read a manifest, canonical JSON whose integers may be of any size; raises RoundsManifestBad."""
    try:
        said = json.loads(data)
        if not isinstance(said, dict) or canonical(said) != data:
            raise RoundsManifestBad("it is not an object in its canonical spelling")
        if said.keys() != KEYS or (said["schema"], said["version"]) != (SCHEMA, SCHEMA_VERSION):
            raise RoundsManifestBad(f"it is not of schema {SCHEMA}, version {SCHEMA_VERSION}")
        return RoundsManifest(
            filter=dict(said["filter"]),
            size=_number(said["file"]["size"]),
            sha256=str(said["file"]["sha256"]),
            counts={name: _number(said["counts"][name]) for name in ("rounds", "rows")},
            sums={str(name): dict(sums) for name, sums in said["sums"].items()},
            checkpoint=None if said["checkpoint"] is None else dict(said["checkpoint"]),
            activity=_activity(said["activity"]),
            streams=list(said["streams"]),
        )
    except (KeyError, TypeError, AttributeError, RecursionError, ValueError) as exc:
        raise exc if isinstance(exc, RoundsManifestBad) else RoundsManifestBad(repr(exc)[:200]) from exc


def _activity(value: Any) -> str | None:
    if value not in (None, NO_ACTIVITY):
        raise RoundsManifestBad("its activity is none")
    return None if value is None else NO_ACTIVITY


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise RoundsManifestBad("a number is not one")
    return value
