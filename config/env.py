"""What the environment says: folders, secrets, database and broker addresses.

Everything the system takes from outside comes through here, so that an operator has one page to
read. In production (``PITLEDGER_ENV=production``) nothing is invented: a missing secret or address
stops the program. Anywhere else secrets are made once, with fresh randomness, and kept under
``PITLEDGER_HOME`` where only their owner can read them.
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

BASE_DIR = Path(__file__).resolve().parent.parent


class MissingSetting(Exception):
    """Something the environment must provide is not there."""


def production() -> bool:
    """Whether the program runs for a real casino, where nothing may be defaulted.

    Raises:
        MissingSetting: for any other word than the two, which would quietly mean development.
    """
    word = os.environ.get("PITLEDGER_ENV") or "development"
    if word not in ("development", "production"):
        raise MissingSetting(f"PITLEDGER_ENV is development or production, not {word!r}")
    return word == "production"


def home() -> Path:
    """The one folder that holds data, secrets, logs and exports (``PITLEDGER_HOME``)."""
    return Path(os.environ.get("PITLEDGER_HOME") or BASE_DIR / ".pitledger").resolve()


def private_folder(path: Path) -> Path:
    """Make ``path`` for its owner alone; folders that exist already keep their permissions."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def secret(name: str) -> str:
    """The secret called ``name``, from ``PITLEDGER_<NAME>`` or ``<home>/secrets/<name>``.

    Args:
        name: lower-case name, for example ``django_secret_key``.

    Raises:
        MissingSetting: in production, when the environment does not carry it.
    """
    variable = f"PITLEDGER_{name.upper()}"
    value = os.environ.get(variable)
    if value:
        return value
    if production():
        raise MissingSetting(f"{variable} is not set; production never invents a secret")
    return _kept_secret(private_folder(home() / "secrets") / name)


def _kept_secret(path: Path) -> str:
    """Read the secret at ``path``, making it first if need be; of two makers one wins, for both.

    The file appears under its name whole or not at all, so nobody ever reads half a secret.
    """
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent)  # for its owner alone
        try:
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_urlsafe(32))
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            os.unlink(draft)
    return _read_secret(path)


def _read_secret(path: Path) -> str:
    value = path.read_text().strip()
    if not value:
        raise MissingSetting(f"{path} is empty; delete it to have a new secret made")
    return value


def checkpoint_folder() -> Path:
    """Where signed checkpoints are written, outside the database (``PITLEDGER_CHECKPOINTS``).

    By default a folder of the home; a mount of another machine protects better.
    """
    return Path(os.environ.get("PITLEDGER_CHECKPOINTS") or home() / "checkpoints").resolve()


def exports_folder() -> Path:
    """Where exports are written, kept for download, and delivered to folders (``PITLEDGER_EXPORTS``).

    By default a folder of the home; whoever writes them and whoever hands them out must both reach it.
    """
    return Path(os.environ.get("PITLEDGER_EXPORTS") or home() / "exports").resolve()


def export_store() -> str | None:
    """The object store that schedules may deliver to (``PITLEDGER_EXPORT_STORE``), as
    ``s3://bucket/prefix?region=...``; None when there is none.

    Raises:
        MissingSetting: for an address that is none, or one with credentials in it: those are AWS's variables.
    """
    url = os.environ.get("PITLEDGER_EXPORT_STORE")
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc:
        raise MissingSetting("PITLEDGER_EXPORT_STORE is an address like s3://bucket/folder?region=eu-west-1")
    if "@" in parts.netloc:
        raise MissingSetting("PITLEDGER_EXPORT_STORE holds no credentials; AWS_ACCESS_KEY_ID and the like do")
    return url


def time_authority() -> tuple[str, Path] | None:
    """The time-stamping authority that is asked for timestamps (``PITLEDGER_TSA_URL``), with the file of
    certificates its own must lead back to (``PITLEDGER_TSA_CERTIFICATE``, PEM); None when there is none.

    Raises:
        MissingSetting: for an address that is none, or one that nothing says whom to believe at.
    """
    url = os.environ.get("PITLEDGER_TSA_URL")
    if not url:
        return None
    if urlsplit(url).scheme not in ("http", "https"):
        raise MissingSetting("PITLEDGER_TSA_URL is an address that begins with http:// or https://")
    certificate = os.environ.get("PITLEDGER_TSA_CERTIFICATE")
    if not certificate:
        raise MissingSetting("PITLEDGER_TSA_URL needs PITLEDGER_TSA_CERTIFICATE, or anybody could answer")
    return url, Path(certificate)


def database_url(role: str) -> str:
    """The PostgreSQL address for ``role``: ``app`` (everything that runs) or ``owner`` (migrations).

    Raises:
        MissingSetting: when neither the environment nor an embedded server provides it.
    """
    variable = {"app": "DATABASE_URL", "owner": "DATABASE_OWNER_URL"}[role]
    value = os.environ.get(variable)
    if not value:
        raise MissingSetting(
            f"{variable} is not set; start through `make` or"
            " `python -m config.embedded run -- COMMAND`, which bring their own PostgreSQL"
        )
    return value


def database_settings(url: str) -> dict[str, str]:
    """Translate ``postgresql://user:password@host:port/name?host=/socket`` for Django.

    A Unix socket folder comes as the ``host`` query parameter, as libpq has it.
    """
    parts = urlsplit(url)
    query = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(query.get("host", parts.hostname or "")),
        "PORT": query.get("port", str(parts.port or "")),
    }


def redis_url() -> str | None:
    """The Redis address in redis-py's form, or None when Celery runs inside the process."""
    return os.environ.get("REDIS_URL") or None


def celery_broker_url(url: str | None) -> str:
    """Translate a redis-py address into Celery's spelling; without Redis, an in-memory broker.

    redis-py writes a Unix socket as ``unix://[:password@]/path?db=0``, Celery (kombu) as
    ``redis+socket://[:password@]/path?virtual_host=0``.
    """
    if not url:
        return "memory://"
    if url.startswith("unix://"):
        return url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)
    return url
