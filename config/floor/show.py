"""Telling whoever watches how far things are: one line that changes, or plain lines for a log."""

import sys
import time
from typing import TextIO

PLAIN_SECONDS = 5.0
TTY_SECONDS = 0.2


class Progress:
    """Shows what is going on; a terminal gets one updating line, anything else a line now and then.

    Args:
        out: where to; default standard error, so that the result alone is on standard output.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._tty = self._out.isatty()
        self._started = time.monotonic()
        self._shown = 0.0
        self._pending = False

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    def step(self, message: str) -> None:
        """A new thing begins: always its own line."""
        self._end_line()
        self._out.write(f"{self._stamp()} {message}\n")
        self._out.flush()

    def update(self, message: str) -> None:
        """How far the thing is; may be called as often as one likes."""
        now = time.monotonic()
        if now - self._shown < (TTY_SECONDS if self._tty else PLAIN_SECONDS):
            return
        self._shown = now
        if self._tty:
            self._out.write(f"\r\x1b[K{self._stamp()} {message}")
            self._pending = True
        else:
            self._out.write(f"{self._stamp()} {message}\n")
        self._out.flush()

    def _end_line(self) -> None:
        if self._pending:
            self._out.write("\r\x1b[K")
            self._pending = False

    def _stamp(self) -> str:
        return f"[{self.seconds:5.1f} s]"
