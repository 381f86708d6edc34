"""Names of databases, roles, sockets and password files, and the addresses made of them.

Apart from the servers, so that whoever only connects loads nothing of what starts them.
"""

from pathlib import Path
from urllib.parse import quote

DATABASE = "pitledger"
OWNER = "pitledger_owner"
APP = "pitledger_app"
SUPERUSER = "postgres"
PASSWORDS = {SUPERUSER: "postgres_superuser", OWNER: "postgres_owner", APP: "postgres_app"}
POSTGRES_PORT = 5432
POSTGRES_SOCKET = f".s.PGSQL.{POSTGRES_PORT}"
REDIS_PASSWORD = "redis"  # noqa: S105 (the name of its file)
REDIS_SOCKET = "redis.sock"


def postgres_url(role: str, password: str, sockets: Path) -> str:
    """The database's address for ``role``, as libpq writes it over a Unix socket."""
    return (
        f"postgresql://{role}:{quote(password, safe='')}@/{DATABASE}"
        f"?host={quote(str(sockets), safe='')}&port={POSTGRES_PORT}"
    )


def redis_url(password: str, sockets: Path) -> str:
    """The address of the Redis whose socket lies in ``sockets``, in redis-py's form."""
    return f"unix://:{quote(password, safe='')}@{quote(str(sockets / REDIS_SOCKET))}?db=0"
