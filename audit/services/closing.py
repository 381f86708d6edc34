"""What follows the closing of a gaming day: its entry is sealed, published, and stamped by an authority.

Sealing and asking an authority take their own time and transactions, so the outbox does them before the
work it marks as done; each may be done twice. Neither ever keeps a day from being closed: what fails is a
finding and stays in the outbox for the next sweep.
"""

import uuid
from collections.abc import Iterator
from typing import Any

from audit.codes import Found
from audit.selectors.closings import Closing, closings_of
from audit.services.checkpoints import journal_seal
from audit.services.findings import finding_record
from config import env
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.timestamp import TimestampError, read_certificates, request_timestamp
from ledger.models import Checkpoint
from tables.models import Casino, ClosedDay, OutboxItem

STAMP = "day.timestamp"
COMPARED = ("gaming_day", "seq", "closed_at", "early", "figures")


class NotYet(Exception):
    """The work cannot be done yet, and whatever keeps it is a finding where it is one."""


def day_seal(*, day_id: uuid.UUID) -> None:
    """Have the closing of a day sealed and published; must not run inside a transaction."""
    if _sealing(ClosedDay.objects.select_related("casino").get(id=day_id)) is None:
        journal_seal()


def day_sealed(*, day_id: uuid.UUID) -> None:
    """Note which checkpoint seals the closing, and have it stamped where an authority is configured.

    Raises:
        NotYet: none does.
    """
    closed = ClosedDay.objects.select_related("casino").get(id=day_id)
    closed.checkpoint = _sealing(closed)
    if closed.checkpoint is None:
        raise NotYet
    closed.save(update_fields=["checkpoint"])
    if env.time_authority() is not None:
        OutboxItem.objects.create(topic=STAMP, subject=day_id)


def _sealing(closed: ClosedDay) -> int | None:
    closings = closings_of(closed.casino, seq=closed.seq)
    return closings[0].checkpoint if closings else None


def day_stamp(*, day_id: uuid.UUID) -> None:
    """Have the checkpoint of a day stamped, and keep the answer beside its note.

    Must not run inside a transaction: an authority may take its time. One that is away, slow or lies is a
    finding; so is a folder that cannot be written.
    """
    closed = ClosedDay.objects.get(id=day_id)
    checkpoint = _checkpoint(closed)
    authority = env.time_authority()
    try:
        if closed.timestamp is None and authority is not None:
            url, certificate = authority
            roots = read_certificates(certificate)
            stamp = request_timestamp(note=checkpoint.note, url=url, roots=roots)
            rows = ClosedDay.objects.filter(id=day_id, timestamp=None)  # of two that ask, one is kept
            rows.update(timestamp=stamp.der, timestamped_at=stamp.at)
            closed.refresh_from_db()
        if closed.timestamp is not None:
            Folder(env.checkpoint_folder()).publish_stamp(checkpoint, bytes(closed.timestamp))
    except (TimestampError, OSError) as exc:
        evidence = {"size": checkpoint.size, "detail": str(exc)[:300]}
        found = Found("timestamp_missing", evidence, about=str(checkpoint.size))
        finding_record(casino_id=closed.casino_id, found=found, gaming_day=closed.gaming_day)


def day_stamped(*, day_id: uuid.UUID) -> None:
    """See that the day's checkpoint was stamped and its stamp written.

    Raises:
        NotYet: it was not, and there still is an authority to ask.
    """
    closed = ClosedDay.objects.get(id=day_id)
    if closed.timestamp is None:
        if env.time_authority() is not None:
            raise NotYet
        return
    if not Folder(env.checkpoint_folder()).has_stamp(_checkpoint(closed)):
        raise NotYet


def _checkpoint(closed: ClosedDay) -> Checkpoint:
    assert closed.checkpoint is not None, "noted before it is stamped"
    return Checkpoint.objects.get(size=closed.checkpoint)


def closings_astray(casino: Casino) -> Iterator[Found]:
    """Closed days whose rows are not what the journal says, and those only one of the two has."""
    closings = {closing.id: closing for closing in closings_of(casino)}
    rows = {row.id: row for row in ClosedDay.objects.filter(casino=casino).defer("timestamp")}
    for key in closings.keys() | rows.keys():
        wrong = _differences(rows.get(key) if key else None, closings.get(key))
        if wrong:
            yield Found("closed_day_differs", wrong, casino.stream, about=str(key))
    last = max((each.gaming_day for each in closings.values() if each.gaming_day), default=None)
    if last != casino.closed_day:
        evidence = {"journal": str(last), "row": str(casino.closed_day)}
        yield Found("closed_day_differs", evidence, casino.stream, about="last")


def _differences(row: ClosedDay | None, closing: Closing | None) -> dict[str, Any]:
    if row is None or closing is None:
        return {"missing": "row" if row is None else "journal"}
    names = [*COMPARED, *(["checkpoint"] if row.checkpoint is not None else [])]
    said = {name: (getattr(closing, name), getattr(row, name)) for name in names}
    return {
        name: {"journal": str(journal), "row": str(kept)}
        for name, (journal, kept) in said.items()
        if journal != kept
    }
