"""A session's entries on their way to their check: whole rounds together, all else entry by entry."""

from collections.abc import Callable

from audit.facts import Fact
from audit.replayed import Replayed
from audit.resettle import TableCheck
from audit.whole import Whole, judge

AT_ONCE = 100
"""Rounds that are held back to be judged together: memory stays flat, and caches hold them."""


class Together:
    """Takes entries in order; those of whole rounds once many of them are there, or something else comes.

    Args:
        check: what judges the entries.
        played: called with each round that was judged as a whole, as the check calls it with any other.
        watch: called with each entry of no such round, after it was seen.
    """

    def __init__(
        self, check: TableCheck, played: Callable[[Replayed], None], watch: Callable[[Fact], None]
    ) -> None:
        self._check, self._played, self._watch = check, played, watch
        self._held: list[Whole] = []

    def see(self, fact: Fact) -> None:
        """Take the next entry."""
        if self._held and self._held[-1].goes_on(fact):
            return
        begun = Whole.begun(fact, self._check.beginning)
        if begun is None or len(self._held) == AT_ONCE:
            self.flush()
        if begun is None:
            self._see(fact)
        else:
            self._held.append(begun)

    def flush(self) -> None:
        """Judge what was held back."""
        held, self._held = self._held, []
        judge(held)
        for whole in held:
            if whole.plain and self._check.take(whole):
                self._played(whole.replayed)
                continue
            for fact in whole.facts:
                self._see(fact)

    def _see(self, fact: Fact) -> None:
        self._check.see(fact)
        self._watch(fact)
