"""Rounds that follow one another, judged many at a time, as `audit.together` has them each night.

Here the next entries are at hand, and nothing is held back: a round of which anything is otherwise than of a
plain one, or that is not over with these entries, is seen entry by entry as it comes.
"""

from collections.abc import Callable, Iterator, Sequence

from audit.facts import Fact
from audit.whole import START, BeginningOf, Whole, judge


def in_turn(
    facts: Sequence[Fact], beginning_of: BeginningOf, take: Callable[[Whole], bool]
) -> Iterator[tuple[Fact, bool]]:
    """Each entry, and whether it is one of a round that was taken as a whole.

    Args:
        beginning_of: looks up how a round begins.
        take: takes a round before its entries come, unless something may be to be said of them.
    """
    at = 0
    while at < len(facts):
        rounds = _rounds_from(facts, at, beginning_of) if facts[at].kind == START else []
        for whole in rounds:
            is_taken = whole.plain and take(whole)
            at += len(whole.facts)
            for fact in whole.facts:
                yield fact, is_taken
        if not rounds:
            yield facts[at], False
            at += 1


def _rounds_from(facts: Sequence[Fact], at: int, beginning_of: BeginningOf) -> list[Whole]:
    """The rounds that follow one another from an entry on, as far as they may be plain; judged."""
    found = list[Whole]()
    try:
        while at < len(facts) and (begun := Whole.begun(facts[at], beginning_of)) is not None:
            at += 1
            while at < len(facts) and begun.goes_on(facts[at]):
                at += 1
            found.append(begun)
        judge(found)
    except Exception:  # whatever a forged entry makes of it is said when that is seen by itself
        return []
    return found
