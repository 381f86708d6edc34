"""Beat and worker in one process, for where there is no Redis to carry work between them."""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from django.db import close_old_connections

from audit.services.outbox import exports_sweep, outbox_perform
from config.celery import app

EXPORTS = "turns"
"""The schedule's name of what hands exports out."""
logger = logging.getLogger(__name__)


def run() -> int:
    """Do the scheduled work here, one piece after the other, until told to stop; exports beside it."""
    app.conf.task_always_eager = True
    seconds = app.conf.beat_schedule.pop(EXPORTS)["schedule"]
    threading.Thread(target=write_exports, args=[partial(time.sleep, seconds)], daemon=True).start()
    app.Beat(loglevel="WARNING", quiet=True).run()
    return 0


def write_exports(pause: Callable[[], None]) -> None:
    """Write exports as their turns come: a long one must not hold up what watches the floor.

    It ends with the process, in the middle of one if need be: the next goes on with it.

    Args:
        pause: waits until it is time to look again.
    """
    while True:
        try:
            close_old_connections()
            exports_sweep(send=_perform)
        except Exception:
            logger.exception("exports could not be looked for")
        pause()


def _perform(topic: str, item_id: int) -> None:
    try:
        outbox_perform(item_id=item_id)
    except Exception:  # a finding by now, and tried again when others have had their turns
        logger.exception("the export of outbox item %s failed", item_id)
