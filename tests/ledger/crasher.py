"""A client that posts one command and waits to be killed.

Run as ``python -m tests.ledger.crasher``: reads one JSON order from standard input, posts it, commits if the
order says so, answers "posted", and sleeps.
"""

import json
import sys
import time
from typing import Any

import psycopg

POST = (
    "SELECT ledger_post(%s, 'test.moved', '{}', ARRAY['tray'], ARRAY['seat:1'], ARRAY[%s]::bigint[],"
    " %s, NULL, %s, NULL, NULL, NULL)"
)


def main() -> None:
    """Obey one order."""
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    with psycopg.connect(order["url"]) as connection:
        connection.execute(POST, [order["stream"], order["amount"], order["actor"], order["command"]])
        if order["commit"]:
            connection.commit()
        print("posted", flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main()
