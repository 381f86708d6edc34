"""One of many processes that post at the same time; it knows nothing of Django and keeps its own books.

Run as ``python -m tests.ledger.poster``: reads one JSON order from standard input, answers "ready", waits
for a further line, posts, and answers in JSON what it believes it has done.
"""

import json
import random
import sys
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import psycopg

POST = "SELECT o_seq FROM ledger_post(%s, 'test.moved', '{}', %s, %s, %s, %s, NULL, %s, NULL, NULL, NULL)"
PLACES = ("tray", "seat:1", "seat:2", "cage")


def main() -> None:
    """Obey one order."""
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    with psycopg.connect(order["url"], autocommit=True) as connection:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(obey(connection, order)), flush=True)


def obey(connection: "psycopg.Connection[tuple[Any, ...]]", order: dict[str, Any]) -> dict[str, Any]:
    """Post every command of the order once, to a stream chosen at random; refusals are counted by SQLSTATE.

    Answers the numbers each stream's entries got, and what this process moved there, by account.
    """
    choice = random.Random(order["seed"])
    numbers: dict[str, list[int]] = {stream: [] for stream in order["streams"]}
    moved: dict[str, Counter[str]] = {stream: Counter() for stream in order["streams"]}
    refused: Counter[str] = Counter()
    for command in order["commands"]:
        stream = choice.choice(order["streams"])
        pairs = [choice.sample(PLACES, 2) for _ in range(3)]
        amounts = [choice.randint(1, order["most"]) for _ in pairs]
        sources, targets = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        try:
            row = connection.execute(
                POST, [stream, sources, targets, amounts, uuid4(), UUID(command)]
            ).fetchone()
        except psycopg.Error as exc:
            refused[exc.sqlstate or ""] += 1
            continue
        numbers[stream].append(row[0] if row else 0)
        for (source, target), amount in zip(pairs, amounts, strict=True):
            moved[stream][source] -= amount
            moved[stream][target] += amount
    return {"numbers": numbers, "moved": moved, "refused": refused}


if __name__ == "__main__":
    main()
