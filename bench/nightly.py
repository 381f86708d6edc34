"""A gaming day of many rounds: sessions played through the services, and copies of them at other tables."""

import random
import resource
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import psycopg
from psycopg import sql

from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from bench.databases import connect, connect_superuser, database_name
from bench.growth import unguarded
from ledger.selectors import balances
from tables.engine.shoe import Shoe as Cards
from tables.engine.shoe import fresh_cards, shuffle
from tables.models import CardSource, Role, Table, TableSession
from tables.services import rounds, seats, sessions, shoes
from tests import floor

SEATS = (1, 2, 3, 4, 5)
CHIPS = {"100": 4000, "500": 4000, "2500": 2000, "10000": 1000}
RICH = dict.fromkeys(SEATS, 2000000)
PLAYED = 5
"""Sessions that differ: what a process keeps of one copy must not be all that it meets in the next."""


@dataclass(frozen=True)
class Played:
    """A session at one table that is over."""

    table: Table
    session: uuid.UUID
    gaming_day: date


def play_session(house: floor.House, number: int, rounds_wanted: int) -> Played:
    """Play a session of five players through the services at a table of its own, and close it.

    Args:
        number: of the table; other bets, cards and raises come at another one.
    """
    drawn = random.Random(number)
    table = floor.make_table(house, f"rd-{number}", card_source=CardSource.SCANNED)
    floor.fill_table(house, table, CHIPS)
    session = floor.open_table(house, table, CHIPS)
    for seat, cash in RICH.items():
        floor.seat_player(house, table, seat, cash)
    cards: list[str] = []
    for _ in range(rounds_wanted):
        table.refresh_from_db()
        if not cards or Cards.from_dict(table.shoe_state).cut_reached:
            if cards:
                shoes.shoe_retire(table_id=table.id, stub=None, burnt=(), command=house.command(Role.DEALER))
                shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
            cards = list(shuffle(fresh_cards(6), drawn.randrange))
        _play_round(house, table, cards, drawn)
    _close(house, table, session)
    row = TableSession.objects.get(id=session)
    return Played(table, session, row.gaming_day)


def _play_round(house: floor.House, table: Table, cards: list[str], drawn: random.Random) -> None:
    """One round: bets, two cards, spread, some raises, the third card; whatever the cards want of it."""

    def dealer() -> Any:
        return house.command(Role.DEALER)

    bets = {seat: drawn.choice((500, 1000, 2500, 5000)) for seat in SEATS}
    begun = rounds.round_start(table_id=table.id, bets=bets, command=dealer())
    round_id = uuid.UUID(begun.body["round"]["id"])
    two = [cards.pop(), cards.pop()]
    shown = rounds.round_deal(round_id=round_id, cards=two, number=2, command=dealer()).body["round"]
    if shown["phase"] == "raising":
        rounds.round_announce(round_id=round_id, spread=shown["spread"], command=dealer())
        raises = {seat: bet for seat, bet in bets.items() if drawn.random() < 0.5}
        if raises:
            rounds.round_raise(round_id=round_id, raises=raises, withdraw=[], command=dealer())
    if not shown["over"]:
        rounds.round_deal(round_id=round_id, cards=[cards.pop()], number=1, command=dealer())


def _close(house: floor.House, table: Table, session: uuid.UUID) -> None:
    for seat in SEATS:
        seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))
    tray = balances(table.stream)["tray"]
    sessions.session_close(
        session_id=session,
        closer={"100": tray // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )


def multiply(played: Played, numbers: range) -> None:
    """Copy a session, with its table, its entries and every row that follows from them, to other tables.

    By bulk, as `bench.growth` does it: ids of a copy are the original's, hashed with the copy's number, in
    payloads too. All else is the original's: numbers, times, movements, digests of states; so are the hashes,
    at which the re-settlement does not look.

    Args:
        numbers: of the copies.
    """
    with unguarded(database_name()) as owner:
        stream = owner.execute(
            "SELECT id FROM ledger_stream WHERE name = %s", [played.table.stream]
        ).fetchall()
        values = {
            "stream": stream[0][0],
            "table": str(played.table.id),
            "session": str(played.session),
            "since": numbers.start,
            "until": numbers.stop - 1,
            "step": numbers.step,
            "first": FIRST,
        }
        for statement in (*TEMPLATE, *JOURNAL):
            owner.execute(statement.encode(), values)
        for table, which in PROJECTIONS.items():
            owner.execute(_copying(owner, table, which), values)


def _copying(owner: "psycopg.Connection[Any]", table: str, which: str) -> sql.Composed:
    """The statement that copies those rows of a table of projections."""
    found = owner.execute(
        "SELECT column_name FROM information_schema.columns"
        " WHERE table_name = %s AND is_identity = 'NO' ORDER BY ordinal_position",
        [table],
    ).fetchall()
    columns = {name: MADE_NEW.get(name, "{name}") for (name,) in found}
    values = [sql.SQL(value).format(name=sql.Identifier(name)) for name, value in columns.items()]
    return sql.SQL(
        "INSERT INTO {table} ({names}) SELECT {values}"
        " FROM generate_series(%(since)s::int, %(until)s::int, %(step)s::int) k"
        " CROSS JOIN {table} original WHERE {which}"
    ).format(
        table=sql.Identifier(table),
        names=sql.SQL(", ").join(map(sql.Identifier, columns)),
        values=sql.SQL(", ").join(values),
        which=sql.SQL(which),
    )


FIRST = 1_000_000  # streams' and accounts' ids from here on are copies'
_NEW = "md5({name}::text || k)::uuid"
MADE_NEW = dict.fromkeys(("id", "table_id", "session_id", "shoe_id", "round"), _NEW) | {
    "code": "'copy-' || k"  # in whose order sessions that differ follow each other
}
"""What a copy has otherwise than the original, by column."""
PROJECTIONS = {
    "tables_table": "id = %(table)s",
    "tables_tablesession": "id = %(session)s",
    "tables_shoe": "table_id = %(table)s",
    "tables_round": "session_id = %(session)s",
    "audit_sessionplay": "session_id = %(session)s",
    "audit_playpiece": "session_id = %(session)s",
}
TEMPLATE = (
    """CREATE TEMPORARY TABLE entry_of ON COMMIT DROP AS
       SELECT *, coalesce(substring(payload FROM '"round":"([0-9a-f-]{36})"'), '') AS round_id,
              coalesce(substring(payload FROM '"shoe":"([0-9a-f-]{36})"'), '') AS shoe_id
         FROM ledger_entry WHERE stream_id = %(stream)s ORDER BY seq""",
    """CREATE TEMPORARY TABLE account_of ON COMMIT DROP AS
       SELECT *, row_number() OVER (ORDER BY id) AS rank FROM ledger_account WHERE stream_id = %(stream)s""",
    """CREATE TEMPORARY TABLE movement_of ON COMMIT DROP AS
       SELECT m.seq, m.line, m.amount, s.rank AS source, t.rank AS target
         FROM ledger_movement m JOIN account_of s ON s.id = source_id JOIN account_of t ON t.id = target_id
        WHERE m.stream_id = %(stream)s ORDER BY seq, line""",
)
JOURNAL = (
    """INSERT INTO ledger_stream (id, name) OVERRIDING SYSTEM VALUE
       SELECT %(first)s + k, 'table:' || md5(%(table)s || k)::uuid
         FROM generate_series(%(since)s::int, %(until)s::int, %(step)s::int) k""",
    """INSERT INTO ledger_head (seq, recorded_at, stream_id, hash)
       SELECT seq, recorded_at, %(first)s + k, hash
         FROM generate_series(%(since)s::int, %(until)s::int, %(step)s::int) k CROSS JOIN ledger_head
        WHERE stream_id = %(stream)s""",
    """INSERT INTO ledger_account (floor, balance, opened_seq, id, stream_id, name, asset)
       OVERRIDING SYSTEM VALUE
       SELECT floor, balance, opened_seq, %(first)s + 100 * k + rank, %(first)s + k, name, asset
         FROM generate_series(%(since)s::int, %(until)s::int, %(step)s::int) k CROSS JOIN account_of""",
    """INSERT INTO ledger_entry (seq, recorded_at, occurred_at, stream_id, hash_version, id, command_id,
                                 actor, terminal, reverses, kind, payload, payload_digest, previous_hash,
                                 hash)
       SELECT seq, recorded_at, occurred_at, %(first)s + k, hash_version, gen_random_uuid(),
              gen_random_uuid(), actor, terminal, reverses, kind,
              replace(replace(replace(replace(payload, %(session)s, md5(%(session)s || k)::uuid::text),
                %(table)s, md5(%(table)s || k)::uuid::text),
                round_id, md5(round_id || k)::uuid::text), shoe_id, md5(shoe_id || k)::uuid::text),
              payload_digest, previous_hash, hash
         FROM generate_series(%(since)s::int, %(until)s::int, %(step)s::int) k CROSS JOIN entry_of""",
    """INSERT INTO ledger_movement (seq, amount, stream_id, source_id, target_id, line)
       SELECT seq, amount, %(first)s + k, %(first)s + 100 * k + source, %(first)s + 100 * k + target, line
         FROM generate_series(%(since)s::int, %(until)s::int, %(step)s::int) k CROSS JOIN movement_of""",
)


OF_JOURNAL = ("ledger_entry", "ledger_movement")
READ = (*OF_JOURNAL, "tables_round", "audit_playpiece")
"""Where what is read of every round lies: its entries, what they moved, its row and its piece of play."""


class Night:
    """A gaming day of some sessions of `each` rounds, and of as many copies of them as are wanted."""

    def __init__(self, each: int) -> None:
        self._house = floor.make_house()
        floor.stock_cage(self._house, CHIPS)
        self._each = each
        self._played = [play_session(self._house, number, each) for number in range(1, PLAYED + 1)]
        for played in self._played:  # as its closing has it done, long before the night
            session_reconcile(session_id=played.session)
        self._sessions = PLAYED

    @property
    def rounds(self) -> int:
        """Rounds of the day."""
        return self._sessions * self._each

    def grow(self, rounds: int) -> None:
        """Have the day hold so many rounds."""
        wanted = rounds // self._each
        for number, played in enumerate(self._played):
            multiply(played, range(self._sessions + number, wanted, PLAYED))
        self._sessions = max(self._sessions, wanted)
        with connect(database_name()) as owner:
            owner.execute("VACUUM ANALYZE")

    def settle(self) -> float:
        """Rounds/s settled again by two processes; nothing may be found."""
        started = time.perf_counter()
        day, casino_id = self._played[0].gaming_day, self._house.casino.id
        done = gaming_day_resettle(casino_id=casino_id, gaming_day=day, processes=2)
        assert (done.rounds, done.findings) == (self.rounds, 0), done
        return self.rounds / (time.perf_counter() - started)

    def copy(self, tables: Sequence[str]) -> float:
        """Rounds/s whose rows in these tables (those of `READ`) PostgreSQL copies to /dev/null."""
        played = sql.Literal([each.session for each in self._played])
        of_copies = {table: sql.SQL("stream_id > {}").format(sql.Literal(FIRST)) for table in OF_JOURNAL}
        of_rounds = sql.SQL("session_id <> ALL ({})").format(played)
        started = time.perf_counter()
        with connect_superuser() as server:
            for table in tables:
                statement = sql.SQL("COPY (SELECT * FROM {} WHERE {}) TO '/dev/null'")
                server.execute(statement.format(sql.Identifier(table), of_copies.get(table, of_rounds)))
        copied = (self._sessions - PLAYED) * self._each
        return copied / (time.perf_counter() - started)


def peak_of_children() -> float:
    """The most memory any process that was waited for ever had, MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
