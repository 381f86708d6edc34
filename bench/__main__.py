"""`python -m bench [--quick] [--output FILE]`: measure, print and write down."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import django

from bench.measure import Row, announced, compare, rate, write_report

SEED = "bench_seed"  # the streams opened, and nothing posted
NIGHT, NIGHT_QUICKLY = 1_000_000, 400  # rounds; a million take some 8 GB
BASE, GROWN, GROWN_QUICKLY = 100_000, 10_000_000, 200_000  # movements
EXPORTED, EXPORTED_QUICKLY = 1_000_000, 10_000  # rounds


def main() -> None:
    """Run every benchmark on an embedded server of its own, with full durability."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short repetition: only that it runs")
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"))
    options = parser.parse_args()
    # So that the folder below is removed and the server in it stopped, as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="pitledger-bench-") as home:
        os.environ["PITLEDGER_HOME"] = home
        from config.embedded import services

        with services(Path(home)) as endpoints:
            os.environ.update(endpoints.environ())
            os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
            django.setup()
            rows = measure(quick=options.quick)
    for row in rows:
        print(row.line())
    write_report(rows, options.output)
    print(f"written to {options.output}")


def measure(*, quick: bool) -> list[Row]:
    """All rows: five repetitions of three seconds for each side, or one of one second."""
    from django.core.management import call_command
    from django.db import connections

    from bench import databases, exports, postgres

    seconds, runs = (1.0, 1) if quick else (3.0, 5)
    call_command("migrate", verbosity=0)
    postgres.prepare()
    databases.copy(SEED)
    postgres.prepare_baselines(scale=1 if quick else 10)
    rows = [*_of_the_journal(seconds, runs), *_of_python(seconds, runs), *_against_hordak(seconds, runs)]
    rows += _sizes(movements=BASE if quick else 3 * BASE)
    rows += exports.rows(rounds=EXPORTED_QUICKLY if quick else EXPORTED, runs=1)
    rows += _of_the_night(rounds=NIGHT_QUICKLY if quick else NIGHT)
    rows.append(_when_grown(seconds, runs, movements=GROWN_QUICKLY if quick else GROWN))
    connections.close_all()
    return rows


def _of_the_journal(seconds: float, runs: int) -> Iterator[Row]:
    from bench import postgres

    with announced("post one movement, 8 clients, 100 streams") as name:
        yield compare(
            name,
            "entries/s",
            lambda: postgres.post_one(seconds),
            "pgbench TPC-B-like",
            lambda: postgres.tpc_b(seconds),
            goal=">= 0.8",
            runs=runs,
        )
    with announced("post 14 movements in one entry, 8 clients") as name:
        yield compare(
            name,
            "entries/s",
            lambda: postgres.post_many(seconds),
            "bare INSERT and UPDATE of the rows",
            lambda: postgres.bare_many(seconds),
            goal=">= 0.6",
            runs=runs,
        )
    with announced("8 clients on one stream") as name:
        yield compare(
            name,
            "entries/s",
            lambda: postgres.post_one(seconds, streams=1),
            "1 client",
            lambda: postgres.post_one(seconds, clients=1, streams=1),
            goal=">= 0.8",
            runs=runs,
        )


def _of_python(seconds: float, runs: int) -> Iterator[Row]:
    from audit.verify.apart import processors
    from bench import bundle, python

    with announced("verify entries from values") as name:
        yield compare(
            name,
            "entries/s",
            lambda: rate(python.hash_entries, seconds),
            "struct.pack and sha256",
            lambda: rate(python.hash_bare, seconds),
            goal=">= 0.4",
            runs=runs,
        )
    for jobs in dict.fromkeys((1, processors())):
        with announced(f"verify a bundle offline, {jobs} processes") as name:
            yield compare(
                name,
                "entries/s",
                partial(rate, partial(bundle.verify, jobs), seconds),
                "struct.pack and sha256",
                lambda: rate(bundle.bare, seconds),
                goal=">= 0.25" if jobs > 1 else "the higher the better",
                runs=runs,
            )
    with announced("re-settle a round of five seats") as name:
        yield compare(
            name,
            "rounds/s",
            lambda: rate(python.resettle_rounds, seconds),
            "json.loads of its log",
            lambda: rate(python.parse_rounds, seconds),
            goal="the higher the better",
            runs=runs,
        )


def _against_hordak(seconds: float, runs: int) -> Iterator[Row]:
    """Where the disk is waited for, and where it is not: one client's rate is the disk's, mostly."""
    from bench import peer

    if not peer.PYTHON.exists():
        print("left out: django-hordak is not installed; `make bench` installs it")
        return
    yield peer.compared(seconds, runs)
    yield peer.compared_without_fsync(seconds, runs)


def _of_the_night(*, rounds: int) -> Iterator[Row]:
    """A gaming day settled again, once: it takes as long as many repetitions of the others."""
    from bench import nightly

    with announced(f"re-settle {rounds:,} rounds, 2 processes") as name:
        night = nightly.Night(each=min(400, rounds // 20))
        night.grow(rounds // 10)
        night.settle()
        before = nightly.peak_of_children()
        night.grow(rounds)
        settled = night.settle()
        after = nightly.peak_of_children()
        read, journal = (
            max(night.copy(tables) for _ in range(3)) for tables in (nightly.READ, nightly.OF_JOURNAL)
        )
    for what, copied in (("all rows it reads of them", read), ("their entries and movements alone", journal)):
        copying = f"COPY of {what} to /dev/null"
        yield Row(name, settled, "rounds/s", copying, copied, settled / copied, ">= 0.1", 1)
    tenth = "a tenth of the rounds"
    yield Row("the most memory of a process at it", after, "MB", tenth, before, after / before, "<= 1.1", 1)


def _sizes(*, movements: int) -> Iterator[Row]:
    """A chip here and there, and a round of some seats that settles: both are everyday entries."""
    from bench import growth, postgres

    for lines in (1, 5):
        with announced(f"bytes on disk per movement, {lines} to an entry") as name:
            size = growth.bytes_per_movement(
                f"bench_size_{lines}", of=SEED, movements=movements, streams=postgres.STREAMS, lines=lines
            )
        yield Row(name, size, "bytes", "pgledger's own", 743, size / 743, "< 400 bytes", 1)


def _when_grown(seconds: float, runs: int, *, movements: int) -> Row:
    from bench import growth, postgres

    with announced(f"post with {movements:,} movements in the table") as name:
        for database, count in (("bench_short", BASE), ("bench_long", movements)):
            growth.grow(database, of=SEED, movements=count, streams=postgres.STREAMS)
        return compare(
            name,
            "entries/s",
            lambda: postgres.post_one(seconds, database="bench_long"),
            f"with {BASE:,}",
            lambda: postgres.post_one(seconds, database="bench_short"),
            goal=">= 0.9",
            runs=runs,
        )


if __name__ == "__main__":
    main()
