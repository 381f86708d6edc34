"""Holds that must be investigated, judged each night by the profile's rule."""

from collections.abc import Iterator

from audit.codes import Found
from audit.selectors.hold import hold_judgements
from tables.models import Casino


def holds_out_of_range(casino: Casino) -> Iterator[Found]:
    """The tables whose hold is further from its base than allowed, as of the last closed gaming day."""
    if casino.closed_day is None:
        return
    for judgement in hold_judgements(casino, casino.closed_day):
        found = judgement.found()
        if found is not None:
            yield found
