"""The journal against bare PostgreSQL on the same server, both driven by pgbench."""

import re
import subprocess
import tempfile
import uuid

from django.db import connections

from bench.databases import libpq_environment
from config.embedded.postgres import wheel_folder
from ledger import SYSTEM_ACTOR
from ledger.services import AccountSpec, Movement, open_stream, post

PGBENCH = wheel_folder() / "pginstall" / "bin" / "pgbench"
CLIENTS = 8
STREAMS = 100
LINES = 14

POST_ONE = """
\\set s random(1, {streams})
SELECT ledger_post('bench:' || :s, 'bench.post', '{{"n":1}}', '{{source}}', '{{a1}}', '{{100}}',
  '00000000-0000-0000-0000-000000000000', NULL, gen_random_uuid(), NULL, NULL, NULL);
"""
POST_MANY = """
\\set s random(1, {streams})
SELECT ledger_post('bench:' || :s, 'bench.post', '{{"n":1}}', array_fill('source'::text, ARRAY[{lines}]),
  '{{{targets}}}', array_fill(100::bigint, ARRAY[{lines}]),
  '00000000-0000-0000-0000-000000000000', NULL, gen_random_uuid(), NULL, NULL, NULL);
"""
BARE_MANY = """
\\set s random(1, {streams})
BEGIN;
SELECT seq FROM bare_head WHERE id = :s FOR UPDATE;
UPDATE bare_head SET seq = seq + 1 WHERE id = :s;
INSERT INTO bare_entry (stream, command, payload) VALUES (:s, gen_random_uuid(), '{{"n":1}}');
INSERT INTO bare_movement (stream, source, target, amount)
  SELECT :s, :s * 100, :s * 100 + n, 100 FROM generate_series(1, {lines}) n;
UPDATE bare_account a SET balance = a.balance + CASE WHEN a.id = :s * 100 THEN -100 * {lines} ELSE 100 END
  WHERE a.id = ANY (ARRAY(SELECT :s * 100 + n FROM generate_series(0, {lines}) n));
END;
"""
BARE_SCHEMA = """
CREATE TABLE bare_head (id int PRIMARY KEY, seq bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE bare_entry (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream int NOT NULL,
  command uuid NOT NULL, payload text NOT NULL);
CREATE TABLE bare_movement (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream int NOT NULL,
  source int NOT NULL, target int NOT NULL, amount bigint NOT NULL);
CREATE TABLE bare_account (id int PRIMARY KEY, balance bigint NOT NULL) WITH (fillfactor = 70);
INSERT INTO bare_head SELECT n, 0 FROM generate_series(1, {streams}) n;
INSERT INTO bare_account SELECT s * 100 + n, 0
  FROM generate_series(1, {streams}) s, generate_series(0, {lines}) n;
"""


def prepare() -> None:
    """Open the streams to post to."""
    accounts = [AccountSpec("source", "chips:USD", None)]
    accounts += [AccountSpec(f"a{line}", "chips:USD", 0) for line in range(1, LINES + 1)]
    for stream in range(1, STREAMS + 1):
        open_stream(name=f"bench:{stream}", accounts=accounts, actor=SYSTEM_ACTOR, command_id=uuid.uuid4())


def prepare_baselines(scale: int) -> None:
    """Make the bare tables to compare with, and pgbench's own (of `scale`)."""
    _pgbench_init(scale)
    with connections["owner"].cursor() as cursor:
        cursor.execute(BARE_SCHEMA.format(streams=STREAMS, lines=LINES))


def _pgbench_init(scale: int) -> None:
    subprocess.run(
        [PGBENCH, "-i", "-q", "-s", str(scale)],
        check=True,
        env=libpq_environment("owner"),
        capture_output=True,
    )


def _transactions_per_second(
    role: str, clients: int, seconds: float, script: str | None, database: str | None = None
) -> float:
    options = ["-n", "-c", str(clients), "-j", str(min(clients, 2)), "-T", str(max(1, round(seconds)))]
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        if script is not None:
            file.write(script)
            file.flush()
            options += ["-f", file.name, "-M", "prepared"]
        done = subprocess.run(
            [PGBENCH, *options],
            check=True,
            env=libpq_environment(role, database),
            capture_output=True,
            text=True,
        )
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    if found is None:
        raise RuntimeError(f"pgbench said no rate: {done.stdout}")
    return float(found[1])


def tpc_b(seconds: float) -> float:
    """pgbench's TPC-B-like transactions/s, 8 clients."""
    return _transactions_per_second("owner", CLIENTS, seconds, None)


def post_one(
    seconds: float, *, clients: int = CLIENTS, streams: int = STREAMS, database: str | None = None
) -> float:
    """Entries of one movement per second, in the application's database or another."""
    return _transactions_per_second("app", clients, seconds, POST_ONE.format(streams=streams), database)


def post_many(seconds: float) -> float:
    """Entries of 14 movements per second."""
    targets = ",".join(f"a{line}" for line in range(1, LINES + 1))
    script = POST_MANY.format(streams=STREAMS, lines=LINES, targets=targets)
    return _transactions_per_second("app", CLIENTS, seconds, script)


def bare_many(seconds: float) -> float:
    """The same rows by bare INSERT and UPDATE per second: no hash, no checks."""
    return _transactions_per_second("owner", CLIENTS, seconds, BARE_MANY.format(streams=STREAMS, lines=LINES))


def post_from_python() -> int:
    """One entry of one movement through `ledger.services.post`."""
    post(
        stream="bench:1",
        kind="bench.post",
        payload={"n": 1},
        movements=[Movement("source", "a1", 100)],
        actor=SYSTEM_ACTOR,
        command_id=uuid.uuid4(),
    )
    return 1
