"""The processes of a running floor, and waiting until they serve."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from config import env
from config.embedded import Endpoints
from config.embedded.supervisor import Child

WEB_PROCESSES, WEB_THREADS = 2, 6
SERVING_SECONDS = 60.0
POLL_SECONDS = 0.1
LOOPBACK = "127.0.0.1"


class NotServing(Exception):
    """The web processes do not answer; the message says where to look."""


def base_url(port: int) -> str:
    """Where the floor's own web processes answer."""
    return f"http://{LOOPBACK}:{port}"


def processes(endpoints: Endpoints, port: int) -> list[Child]:
    """Web, worker and beat, in the order to start them.

    Without a Redis there is nothing that could carry work from beat to a worker, so beat does it itself.
    """
    quiet = ["--loglevel", "WARNING"]
    celery = [sys.executable, "-m", "celery", "-A", "config.celery"]
    web = Child("web", [*_gunicorn(), "--bind", f"{LOOPBACK}:{port}", "config.wsgi:application"])
    if endpoints.redis_url is None:
        return [web, Child("beat", [sys.executable, "-m", "config.floor", "audit"])]
    worker = Child("worker", [*celery, "worker", "--without-gossip", "--without-mingle", *quiet])
    beat = Child("beat", [*celery, "beat", *quiet, "--pidfile", ""])
    return [web, worker, beat]


def _gunicorn() -> list[str]:
    options = {
        "worker-class": "gthread",
        "workers": str(WEB_PROCESSES),
        "threads": str(WEB_THREADS),
        "keep-alive": "75",
        "graceful-timeout": "10",
        "log-level": "warning",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    flags += ["--preload", "--no-control-socket"]
    return [sys.executable, "-m", "gunicorn", "--chdir", str(env.BASE_DIR), *flags]


def wait_until_serving(url: str, *, meanwhile: Callable[[], None], log: Path) -> None:
    """Wait until the web processes answer.

    Args:
        meanwhile: called between the attempts, to look after the processes.
        log: where they write, for the message.

    Raises:
        NotServing: they do not, within a minute.
    """
    deadline = time.monotonic() + SERVING_SECONDS
    while time.monotonic() < deadline:
        meanwhile()
        try:
            if httpx.get(f"{url}/healthz", timeout=5.0).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(POLL_SECONDS)
    raise NotServing(f"{url} does not answer; see {log}")
