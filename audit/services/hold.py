"""Holds that must be investigated, by the profile's rule: judged when a day is closed, and each night."""

import uuid
from collections.abc import Iterator

from audit.codes import Found
from audit.selectors.hold import hold_judgements
from audit.services.findings import finding_record
from tables.models import Casino, ClosedDay


def closed_day_holds(*, day_id: uuid.UUID) -> None:
    """Judge the tables' holds once a gaming day was closed; those whose last drop the worker has not
    reconciled yet are judged at night.
    """
    closed = ClosedDay.objects.select_related("casino").get(id=day_id)
    for found in holds_out_of_range(closed.casino):
        finding_record(casino_id=closed.casino_id, found=found, gaming_day=closed.gaming_day)


def holds_out_of_range(casino: Casino) -> Iterator[Found]:
    """The tables whose hold is further from its base than allowed, as of the last closed gaming day."""
    if casino.closed_day is None:
        return
    for judgement in hold_judgements(casino, casino.closed_day):
        found = judgement.found()
        if found is not None:
            yield found
