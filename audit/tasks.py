"""Celery's side of the audit: thin, every task safe to run twice; the services do the work.

Only the sweeps publish work; beat publishes the sweeps themselves and the periodic checks.
"""

from celery import shared_task

from audit.services import (
    checkpoints,
    closing,
    days,
    export_files,
    export_queue,
    export_schedules,
    house,
    outbox,
    play,
)
from tables.models import Casino
from tables.services.cash import CHECK
from tables.services.days import SEAL


@shared_task(name="audit.sweep_outbox")
def sweep_outbox() -> int:
    """Hand out what is to be done."""
    return outbox.outbox_sweep(send=send)


@shared_task(name="audit.sweep_exports")
def sweep_exports() -> int:
    """Hand out the export whose turn it is."""
    return outbox.exports_sweep(send=send)


def send(topic: str, item_id: int) -> None:
    """Publish the task of one outbox item; raises when the broker cannot be reached."""
    TASKS[topic].apply_async(args=[item_id], retry=False)


@shared_task(name="audit.reconcile_session")
def reconcile_session(item_id: int) -> bool:
    """Reconcile the session an outbox item is about."""
    return outbox.outbox_perform(item_id=item_id)


@shared_task(name="audit.resettle_gaming_day")
def resettle_gaming_day(item_id: int) -> bool:
    """Re-settle the gaming day an outbox item is about."""
    return outbox.outbox_perform(item_id=item_id)


@shared_task(name="audit.seal_gaming_day")
def seal_gaming_day(item_id: int) -> bool:
    """Seal the closing of the gaming day an outbox item is about."""
    return outbox.outbox_perform(item_id=item_id)


@shared_task(name="audit.check_cash")
def check_cash(item_id: int) -> bool:
    """Look through the cash and the holds of the closed gaming day an outbox item is about."""
    return outbox.outbox_perform(item_id=item_id)


@shared_task(name="audit.stamp_gaming_day")
def stamp_gaming_day(item_id: int) -> bool:
    """Have the checkpoint of the closed gaming day an outbox item is about stamped."""
    return outbox.outbox_perform(item_id=item_id)


@shared_task(name="audit.perform_export")
def perform_export(item_id: int) -> bool:
    """Write and deliver the export an outbox item is about."""
    return outbox.outbox_perform(item_id=item_id)


@shared_task(name="audit.queue_due_exports")
def queue_due_exports() -> int:
    """Ask for the scheduled exports whose hour has come."""
    return export_schedules.hourly_schedules_run()


@shared_task(name="audit.clean_up_exports")
def clean_up_exports() -> int:
    """Remove exports that have expired."""
    return export_files.exports_clean_up()


@shared_task(name="audit.queue_due_days")
def queue_due_days() -> int:
    """Queue the check of every gaming day that has ended."""
    return len(days.due_days_queue())


@shared_task(name="audit.follow_play")
def follow_play() -> int:
    """Work out what the play of open tables came to so far, for whoever looks at results."""
    return play.open_sessions_play()


@shared_task(name="audit.check_conservation")
def check_conservation() -> bool:
    """See that every chip of every casino is somewhere."""
    casinos = list(Casino.objects.values_list("id", flat=True))
    checked = [house.conservation_check(casino_id=casino_id).conserved for casino_id in casinos]
    return all(checked)


@shared_task(name="audit.verify_journal")
def verify_journal_task() -> bool:
    """Verify the whole journal, and see that every checkpoint of it lies outside the database too."""
    checkpoints.checkpoints_publish_lost()
    return house.journal_check().ok


@shared_task(name="audit.seal_journal")
def seal_journal() -> int:
    """Seal what is new; safe to run twice, at once too."""
    sealed = checkpoints.journal_seal()
    return sealed.appended if sealed else 0


@shared_task(name="audit.watch_checkpoints")
def watch_checkpoints() -> bool:
    """See that the journal is being sealed; a task of its own, for a sealer may hang."""
    return not checkpoints.is_stale(checkpoints.checkpoint_watch())


TASKS = {
    outbox.RECONCILE: reconcile_session,
    days.TOPIC: resettle_gaming_day,
    CHECK: check_cash,
    SEAL: seal_gaming_day,
    closing.STAMP: stamp_gaming_day,
    export_queue.TOPIC: perform_export,
}
