"""Sealing the journal, and watching that it is sealed: a sealer that fails or is down is a finding."""

from datetime import timedelta

from django.conf import settings

from audit.codes import Found
from audit.services.findings import finding_record
from config import env
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import Sealed, publish_lost, seal
from ledger.checkpoints.store import SealState, seal_state
from ledger.errors import SealerBusy, SealerKeyBad, SealerKeyMissing, SealInconsistent
from ledger.models import Checkpoint
from tables.models import Casino, ClosedDay


def journal_seal() -> Sealed | None:
    """Seal and publish what is new: every minute, and when a gaming day is closed.

    Must not run inside a transaction. Answers None when it could not: another sealer is at work, which is
    no fault, or for a reason that is recorded as a finding of every casino.
    """
    try:
        sealed = seal()
        if sealed.published:
            _publish_stamps()
        return sealed
    except SealerBusy:
        return None
    except (SealInconsistent, SealerKeyBad, SealerKeyMissing) as exc:
        _record(Found("seal_refused", {"code": exc.code, "detail": exc.detail}))
    except OSError as exc:
        _record(Found("checkpoint_unpublished", {"detail": str(exc)}))
    return None


def checkpoints_publish_lost() -> int:
    """Write again what the folder outside the database has lost; answers how many notes. Every hour: it looks
    for each of them. A folder that cannot be written is a finding of every casino."""
    try:
        lost = publish_lost()
        _publish_stamps()
        return lost
    except SealerKeyBad as exc:
        _record(Found("seal_refused", {"code": exc.code, "detail": exc.detail}))
    except OSError as exc:
        _record(Found("checkpoint_unpublished", {"detail": str(exc)}))
    return 0


def _publish_stamps() -> None:
    """Write the timestamps of closed days that the folder lacks, as after it was lost.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = Folder(env.checkpoint_folder())
    stamped = ClosedDay.objects.filter(timestamp__isnull=False)
    checkpoints = Checkpoint.objects.in_bulk(stamped.values_list("checkpoint", flat=True))
    for size, day_id in stamped.values_list("checkpoint", "id"):
        if size is not None and not folder.has_stamp(checkpoints[size]):
            kept = stamped.get(id=day_id)
            folder.publish_stamp(checkpoints[size], bytes(kept.timestamp or b""))


def checkpoint_watch() -> SealState:
    """See how long the oldest unsealed entry has been waiting, and record it when that is too long."""
    state = seal_state()
    if is_stale(state):
        code = "checkpoint_stale" if state.size else "checkpoint_missing"
        _record(Found(code, {"sealed": state.size}))
    return state


def is_stale(state: SealState) -> bool:
    """Whether entries have been waiting for their seal longer than the settings allow."""
    return state.age > timedelta(seconds=settings.CHECKPOINT_AGE_SECONDS)


def _record(found: Found) -> None:
    """A finding of everybody's: the journal is one for all casinos of the database."""
    for casino_id in Casino.objects.values_list("id", flat=True):
        finding_record(casino_id=casino_id, found=found)
