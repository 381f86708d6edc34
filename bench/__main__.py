"""`python -m bench [--quick] [--output FILE]`: measure, print and write down."""

import argparse
import os
import tempfile
from pathlib import Path

import django

from bench.measure import Row, announced, compare, rate, write_report


def main() -> None:
    """Run every benchmark on an embedded server of its own, with full durability."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short repetition: only that it runs")
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pitledger-bench-") as home:
        os.environ["PITLEDGER_HOME"] = home
        from config.embedded import services

        with services(Path(home)) as endpoints:
            os.environ.update(endpoints.environ())
            os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
            django.setup()
            rows = measure(seconds=1 if options.quick else 5, runs=1 if options.quick else 5)
    for row in rows:
        print(row.line())
    write_report(rows, options.output)
    print(f"written to {options.output}")


def measure(*, seconds: float, runs: int) -> list[Row]:
    """All rows, each of `runs` repetitions of about `seconds`."""
    from django.core.management import call_command
    from django.db import connections

    from bench import postgres, python

    call_command("migrate", verbosity=0)
    postgres.prepare(scale=10)
    rows = []
    for name, unit, subject, floor_name, floor, goal in (
        (
            "post one movement, 8 clients, 100 streams",
            "entries/s",
            lambda: postgres.post_one(seconds),
            "pgbench TPC-B-like",
            lambda: postgres.tpc_b(seconds),
            ">= 0.8",
        ),
        (
            "post 14 movements in one entry, 8 clients",
            "entries/s",
            lambda: postgres.post_many(seconds),
            "bare INSERT and UPDATE of the rows",
            lambda: postgres.bare_many(seconds),
            ">= 0.6",
        ),
        (
            "8 clients on one stream",
            "entries/s",
            lambda: postgres.post_one(seconds, streams=1),
            "1 client",
            lambda: postgres.post_one(seconds, clients=1, streams=1),
            ">= 0.8",
        ),
        (
            "post one movement from Python, 1 client",
            "entries/s",
            lambda: rate(postgres.post_from_python, seconds),
            "SELECT 1 round trips",
            lambda: rate(postgres.select_one, seconds),
            "the higher the better",
        ),
        (
            "verify entries from values",
            "entries/s",
            lambda: rate(python.hash_entries, seconds),
            "struct.pack and sha256",
            lambda: rate(python.hash_bare, seconds),
            ">= 0.4",
        ),
        (
            "re-settle a round of five seats",
            "rounds/s",
            lambda: rate(python.resettle_rounds, seconds),
            "json.loads of its log",
            lambda: rate(python.parse_rounds, seconds),
            "the higher the better",
        ),
    ):
        with announced(name):
            rows.append(compare(name, unit, subject, floor_name, floor, goal=goal, runs=runs))
    size = postgres.bytes_per_movement()
    rows.append(
        Row("bytes on disk per movement", size, "bytes", "pgledger's own", 743, size / 743, "< 400 bytes", 1)
    )
    connections.close_all()
    return rows


if __name__ == "__main__":
    main()
