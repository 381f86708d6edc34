"""Whoever waits for an export: told how far it is, asked whether it is still wanted."""

from collections.abc import Callable
from dataclasses import dataclass

from audit.writing.errors import ExportCancelled

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Watch:
    """Tells of the work, in rounds or entries; whichever are looked through.

    Args:
        progress: called with how many are done, and all there are.
        cancelled: asked now and then whether nobody wants it any more.
    """

    progress: Progress | None
    cancelled: Callable[[], bool] | None
    total: int = 0
    done: int = 0

    def begin(self, total: int) -> None:
        """So many there are."""
        self.total = total
        self.advance(0)

    def advance(self, number: int) -> None:
        """So many more are done, never more than there are; raises ExportCancelled."""
        self.done = min(self.done + number, self.total)
        self._tell(self.done)

    def within(self, number: int, most: int) -> None:
        """So many of the next `most` are done, which `advance` will count; raises ExportCancelled."""
        self._tell(min(self.done + min(number, most), self.total))

    def look(self) -> None:
        """Raise ExportCancelled if it is not wanted any more."""
        if self.cancelled is not None and self.cancelled():
            raise ExportCancelled

    def _tell(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done, self.total)
        self.look()
