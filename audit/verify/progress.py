"""How far a verification is, for a person who waits at a terminal."""

import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """How many entries are judged, of how many; one process tells of them by rounds, several by parts.

    Attributes:
        show: told of each change, None where nobody waits.
    """

    show: Callable[[int, int], None] | None = None
    total: int = 0
    done: int = 0

    def begin(self, total: int) -> None:
        """So many there are, and none of them judged."""
        self.total, self.done = total, 0
        self.advance(0)

    def advance(self, entries: int) -> None:
        """So many more are."""
        self.done = min(self.done + entries, self.total)
        if self.show is not None:
            self.show(self.done, self.total)


class Line:
    """A line of error output that says how far it is; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._said = ""
        self.progress = Progress(self._show if sys.stderr.isatty() else None)

    def _show(self, done: int, total: int) -> None:
        said = f"{done * 100 // max(total, 1)} % of {total:,} entries"
        if said != self._said:
            sys.stderr.write(f"\r{said}")
            sys.stderr.flush()
            self._said = said

    def clear(self) -> None:
        """Take the line away, for what comes in its place."""
        if self._said:
            sys.stderr.write(f"\r{' ' * len(self._said)}\r")
