"""Round histories of many rounds as files, against a COPY of the same select that is read and thrown away.

Each form is written by a process of its own, so that its memory can be told; what it works on is a copy of
the database in which rounds that were played stand many times over.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.databases import connect, copy, libpq_environment
from bench.measure import Row, announced

DATABASE = "bench_rounds"
ROUNDS_PER_SESSION, SESSIONS_PER_DAY = 1000, 50
MEMORY = 300_000_000  # bytes a process that exports should stay below
GOALS = {"csv": 0.5, "jsonl": 0.5, "parquet": 0.3}

# Sessions and rounds like those that were played, under other ids, numbers and days.
_SESSIONS = """
INSERT INTO tables_tablesession
SELECT grown.*
  FROM tables_tablesession s, generate_series(1, %(sessions)s) n,
       jsonb_populate_record(s, jsonb_build_object(
           'id', gen_random_uuid(), 'number', s.number + n,
           'gaming_day', s.gaming_day + n / %(per_day)s)) grown
 WHERE s.id = %(session)s"""
_ROUNDS = """
INSERT INTO tables_round
SELECT grown.*
  FROM tables_round r
  JOIN tables_tablesession s ON s.table_id = r.table_id AND s.id <> r.session_id,
       generate_series(0, %(rounds)s / %(played)s - 1) n,
       jsonb_populate_record(r, jsonb_build_object(
           'id', gen_random_uuid(), 'session_id', s.id, 'number', r.number + n * %(played)s)) grown
 WHERE r.session_id = %(session)s"""


def grow(rounds: int) -> uuid.UUID:
    """Make a database with a casino that has so many rounds, two seats to each; the casino's id."""
    casino, session, played = _play()
    copy(DATABASE)
    each = min(rounds, ROUNDS_PER_SESSION)
    values: dict[str, Any] = {"sessions": rounds // each, "rounds": each, "per_day": SESSIONS_PER_DAY}
    values |= {"session": session, "played": played}
    with connect(DATABASE) as owner:
        owner.execute(_SESSIONS, values)
        owner.execute(_ROUNDS, values)
        owner.execute("VACUUM ANALYZE")
    return casino


def _play() -> tuple[uuid.UUID, uuid.UUID, int]:
    """A closed session of five rounds: its casino's id, its own, and how many."""
    from tests import floor
    from tests.audit import support

    house = floor.stocked_house()
    table, session = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.play_with_raise(house, table, support.LOSE, {})
    support.play_with_raise(house, table, support.WIN, {2: 2500})
    floor.play_round(house, table, {1: 1000, 2: 2500}, support.PUSH)
    floor.play_round(house, table, {1: 1000, 2: 2500}, support.TRIPS)
    support.close(house, table, session)
    return house.casino.id, session, 5


def rows(*, rounds: int, runs: int) -> Iterator[Row]:
    """A row for each form, and one for the most memory any of them took."""
    with announced(f"grow {rounds:,} rounds"):
        casino = grow(rounds)
    peaks = []
    for form, goal in GOALS.items():
        with announced(f"export {rounds:,} rounds as {form}") as name:
            said = _in_a_process(form, casino, runs)
        peaks.append(said["peak"])
        ratio, rates = said["ratio"], (said["rate"], said["baseline"])
        yield Row(name, rates[0], "rounds/s", "COPY thrown away", rates[1], ratio, f">= {goal}", runs)
    name = f"memory of an export of {rounds:,} rounds"
    yield Row(name, max(peaks), "bytes", "300 MB", MEMORY, max(peaks) / MEMORY, "<= 1", 1)


def _in_a_process(form: str, casino: uuid.UUID, runs: int) -> dict[str, Any]:
    values = libpq_environment("app", DATABASE)
    user, password, host = (quote(values[f"PG{key}"], safe="") for key in ("USER", "PASSWORD", "HOST"))
    url = f"postgresql://{user}:{password}@/{DATABASE}?host={host}&port={values['PGPORT']}"
    done = subprocess.run(
        [sys.executable, "-m", "bench.exports", form, str(casino), str(runs)],
        env=os.environ | {"DATABASE_URL": url},
        stdout=subprocess.PIPE,
        check=True,
    )
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def main(form: str, casino: str, runs: str) -> None:
    """Export and its floor in turn; prints the medians of their rates, of their ratio, and the peak memory.

    The floor is not measured before the export has told its memory, and both once before they count.
    """
    import django

    django.setup()
    from bench.measure import compare

    wanted = uuid.UUID(casino)
    peak = 0

    def subject() -> float:
        nonlocal peak
        rate = _export(form, wanted)
        peak = peak or _peak()
        return rate

    row = compare("", "", subject, "", lambda: _thrown_away(form, wanted), goal="", runs=int(runs))
    said = {"rate": row.value, "baseline": row.baseline, "ratio": row.ratio, "peak": peak}
    sys.stdout.write(json.dumps(said))


def _peak() -> int:
    """The most memory this process has had, in bytes; `ru_maxrss` would be its parent's, if that had more."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def _export(form: Any, casino: uuid.UUID) -> float:
    """Rounds per second of an export."""
    from audit.exports.filters import RoundFilter
    from audit.exports.rounds import rounds_export

    with tempfile.TemporaryDirectory(prefix="pitledger-bench-") as folder:
        begun = time.perf_counter()
        done = rounds_export(filter=RoundFilter(casino=casino), form=form, path=Path(folder) / "rounds")
        return done.rounds / (time.perf_counter() - begun)


def _thrown_away(form: Any, casino: uuid.UUID) -> float:
    """Rounds per second of what the export's parts are copied from."""
    from django.db import connection, transaction

    from audit.exports.filters import RoundFilter
    from audit.exports.forms import FORMS
    from audit.exports.parts import KINDS
    from audit.exports.scope import sessions_of

    wanted, statement = RoundFilter(casino=casino), KINDS[FORMS[form].kind]
    begun, rounds = time.perf_counter(), 0
    with transaction.atomic(), connection.cursor() as cursor:
        for session in sessions_of(wanted, None):
            with cursor.copy(cursor.mogrify(*statement(wanted, session.id))) as rows_:
                for _ in rows_:
                    pass
            rounds += session.rounds
    return rounds / (time.perf_counter() - begun)


if __name__ == "__main__":
    main(*sys.argv[1:])
