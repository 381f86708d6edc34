"""The Celery application: ``celery -A config.celery worker`` and ``celery -A config.celery beat``.

Everything it needs stands in the settings (``CELERY_...``). The worker and beat are two processes, each
stopping cleanly on SIGTERM.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("pitledger")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
