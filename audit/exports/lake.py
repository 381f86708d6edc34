"""Round histories at rest: a folder of Parquet files by casino and gaming day, which is read as one table.

    <folder>/rounds/casino=<code>/gaming_day=<YYYY-MM-DD>/part-0.parquet

Each file is an export of its day, with its signed manifest beside it; ``audit/QUERIES.md`` has questions to
ask of them.
"""

import hashlib
import uuid
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

from django.db.models import Count, F

from audit.exports.filters import RoundFilter
from audit.exports.manifest import streams_of
from audit.exports.rounds import manifest_path, rounds_export
from audit.exports.scope import parts_of
from audit.verify.rounds_manifest import RoundsManifestBad, parse_rounds_manifest
from audit.writing.watch import Progress
from ledger.checkpoints.keys import KeyStore
from tables.models import Casino, TableSession

PART = "part-0.parquet"


class Laid(NamedTuple):
    """A gaming day's file: where, how many rounds, and whether it had to be written."""

    path: Path
    rounds: int
    is_new: bool


def lake_export(
    casino: Casino,
    folder: Path,
    *,
    day: date | None = None,
    keys: KeyStore | None = None,
    progress: Progress | None = None,
) -> Iterator[Laid]:
    """Write the files of closed gaming days that have rounds; one that is there and is still right stays.

    Each is there as a whole or not at all, so whoever reads meanwhile reads whole days. A day about which
    something came late is written again.

    Args:
        day: this one only.
        progress: called as in `rounds_export`, over the rounds of all these days.

    Raises:
        ExportFailed: a file could not be written; those before it are there.
        SealerKeyMissing, SealerKeyBad: there is no key to sign with.
    """
    days, before = closed_days(casino.id, day), 0
    for one, rounds in days.items():
        path = folder / "rounds" / f"casino={casino.code}" / f"gaming_day={one.isoformat()}" / PART
        wanted = RoundFilter(casino=casino.id, gaming_day_from=one, gaming_day_to=one)
        far = None if progress is None else partial(_so_far, progress, before, sum(days.values()))
        kept = _kept(path, wanted)
        if kept is not None:
            yield Laid(path, kept, False)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            done = rounds_export(filter=wanted, form="parquet", path=path, keys=keys, progress=far)
            yield Laid(path, done.rounds, True)
        before += rounds
        if far is not None:
            far(rounds, rounds)


def _so_far(progress: Progress, before: int, total: int, done: int, of_day: int) -> None:
    """Tell how far all days are, of one of them."""
    progress(min(before + done, total), total)


def closed_days(casino: uuid.UUID, day: date | None = None) -> dict[date, int]:
    """The gaming days of a casino that are closed and have rounds, in order, with how many; or the one."""
    closed = TableSession.objects.filter(
        table__casino_id=casino, gaming_day__lte=F("table__casino__closed_day")
    )
    chosen = closed if day is None else closed.filter(gaming_day=day)
    counted = chosen.values("gaming_day").annotate(number=Count("rounds")).filter(number__gt=0)
    return dict(counted.order_by("gaming_day").values_list("gaming_day", "number"))


def _kept(path: Path, wanted: RoundFilter) -> int | None:
    """How many rounds the file there has, if it is what its manifest says and nothing about them is new."""
    try:
        said = parse_rounds_manifest(manifest_path(path).read_bytes())
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, RoundsManifestBad):
        return None
    now = streams_of(parts_of(wanted, None, kind="plain"))
    same = digest == said.sha256 and said.filter == wanted.as_dict and said.streams == now
    return said.counts["rounds"] if same else None
