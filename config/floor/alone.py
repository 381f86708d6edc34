"""Beat and worker in one process, for where there is no Redis to carry work between them."""

from config.celery import app


def run() -> int:
    """Do the scheduled work here, one piece after the other, until told to stop."""
    app.conf.task_always_eager = True
    app.Beat(loglevel="WARNING", quiet=True).run()
    return 0
