"""The folder outside the database: every checkpoint as a file, and ``latest``.

    <folder>/2026-11-30/00000000000000004711.checkpoint     by the UTC day it was sealed on, by size
    <folder>/2026-11-30/00000000000000004711.tsr            an RFC 3161 timestamp of it, where there is one
    <folder>/latest                                         renamed into place last

``PITLEDGER_CHECKPOINTS`` names the folder (a mount, a synchronised bucket); by default it lies under the
home. The database holds the same notes, so a folder that is lost is written again; but a ``latest`` that the
database does not have tells that the DATABASE has gone back, and then nothing more is signed.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from config import env
from ledger.checkpoints.files import read_text, write_whole
from ledger.models import Checkpoint

LATEST = "latest"
ENDING = ".checkpoint"
STAMP_ENDING = ".tsr"
_MODE = 0o644

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder checkpoints are published in."""

    path: Path

    def latest(self) -> str | None:
        """The note published last; None when there is none, or none that can be read, which is as bad."""
        try:
            return (self.path / LATEST).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def place(self, checkpoint: Checkpoint) -> Path:
        """The file of a checkpoint."""
        return self.path / _day(checkpoint.sealed_at) / _name(checkpoint.size)

    def lacking(self, checkpoints: Iterable[tuple[int, datetime]]) -> Iterator[int]:
        """Those of which there is no file, by (size, when sealed), smallest first; looks into each day once.

        Raises:
            OSError: a day's folder cannot be read.
        """
        for day, of_day in groupby(checkpoints, key=lambda each: _day(each[1])):
            folder = self.path / day
            there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
            yield from (size for size, _ in of_day if _name(size) not in there)

    def has_stamp(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint's timestamp lies beside its note."""
        return self._stamp_place(checkpoint).exists()

    def publish_stamp(self, checkpoint: Checkpoint, stamp: bytes) -> None:
        """Write a checkpoint's timestamp beside its note; raises OSError."""
        path = self._stamp_place(checkpoint)
        env.private_folder(path.parent)
        write_whole(path, stamp, mode=_MODE)

    def _stamp_place(self, checkpoint: Checkpoint) -> Path:
        return self.place(checkpoint).with_suffix(STAMP_ENDING)

    def write(self, checkpoint: Checkpoint) -> None:
        """Write one checkpoint's note; raises OSError."""
        path = self.place(checkpoint)
        env.private_folder(path.parent)
        write_whole(path, checkpoint.note, mode=_MODE)

    def publish(self, checkpoints: Iterable[Checkpoint], step: Step) -> int:
        """Write these checkpoints, smallest first, then make the last of them ``latest``.

        Answers how many were written. Killed in between, the same call does the rest: ``latest`` never
        names a checkpoint before its file and those of all smaller ones are there.
        """
        written, last = 0, None
        for checkpoint in checkpoints:
            self.write(checkpoint)
            written, last = written + 1, checkpoint
            step("file_written")
        if last is not None:
            write_whole(self.path / LATEST, last.note, mode=_MODE)
            step("published")
        return written


def _day(sealed_at: datetime) -> str:
    return sealed_at.astimezone(UTC).date().isoformat()


def _name(size: int) -> str:
    return f"{size:020d}{ENDING}"


def notes_in(path: Path) -> list[str]:
    """The notes at ``path``: of one file, or of a folder and those in it."""
    if path.is_dir():
        return [read_text(file) for file in sorted(path.rglob(f"*{ENDING}"))]
    return [read_text(path)]
