"""Round histories written for a test, and read back."""

import json
import uuid
from pathlib import Path
from typing import Any

from audit.exports.filters import RoundFilter
from audit.exports.forms import Form
from audit.exports.rounds import Export, rounds_export


def export(casino: uuid.UUID, path: Path, form: Form, **asked: Any) -> Export:
    """Export what a filter chooses."""
    return rounds_export(filter=RoundFilter(casino=casino, **asked), form=form, path=path)


def rows_of(casino: uuid.UUID, folder: Path, **asked: Any) -> list[dict[str, Any]]:
    """The rows a filter chooses, as JSON lines have them."""
    path = folder / "rows.jsonl"
    export(casino, path, "jsonl", **asked)
    return [row for row in map(json.loads, path.read_text().splitlines()) if "no_activity" not in row]


def manifest_of(path: Path) -> dict[str, Any]:
    """What the manifest beside an export says."""
    said: dict[str, Any] = json.loads(path.with_name(f"{path.name}.manifest.json").read_text())
    return said
