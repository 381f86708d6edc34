"""What is known of people stands beside the journal and can be erased without touching a hash."""

import logging
import uuid
from collections.abc import Callable
from datetime import date, timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from ledger.models import Entry
from ledger.verify_journal import verify_journal
from tables.jurisdiction.catalogue import PROFILES
from tables.models import CashTransaction, Player, Role, SignIn, Staff, Table
from tables.selectors.cash import log_record
from tables.selectors.people import names_of
from tables.services import cage, cash, office, people, seats
from tables.services.command import Answer
from tables.services.people import LEGAL_REQUEST, RETENTION_OVER, years_after
from tables.services.staff import staff_create
from tests import floor
from tests.floor import House, refused

pytestmark = pytest.mark.django_db

REFERENCE, DESCRIPTION, NAME = "member zyxwvut", "tall zyxwvut in a green coat", "Staff Zyxwvut"
WORD = "zyxwvut"  # in all of them, and nowhere else
HOLDS_NAMES = {
    ("tables_player", "reference"),
    ("tables_player", "description"),
    ("tables_staff", "display_name"),
}
_COLUMNS = """
SELECT table_name, column_name, data_type = 'bytea'
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
 WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
   AND data_type IN ('text', 'character varying', 'jsonb', 'json', 'bytea', 'ARRAY')
"""


def stored() -> set[tuple[str, str]]:
    """Every column of every table of the database in which the word stands."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        found = set()
        for table, column, is_bytes in cursor.fetchall():
            text = f"encode({column}, 'escape')" if is_bytes else f"{column}::text"
            cursor.execute(
                f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {text} ~* '{WORD}')"  # noqa: S608 (names of our own)
            )
            if cursor.fetchone()[0]:
                found.add((table, column))
    return found


def enter(house: House, reference: str = "", description: str = "") -> uuid.UUID:
    """A player."""
    made = office.player_create(
        casino_id=house.casino.id, reference=reference, description=description, command=house.office()
    )
    return uuid.UUID(made.body["player"])


def employ(house: House) -> uuid.UUID:
    """A dealer with the name that is looked for."""
    made = staff_create(
        casino_id=house.casino.id,
        badge=f"D-{uuid.uuid4().hex[:8]}",
        display_name=NAME,
        role=Role.DEALER,
        pin="2468",
        second=house.badge(Role.PIT_BOSS),
        command=house.office(),
    )
    return uuid.UUID(made.body["staff"])


def erase(house: House, person: uuid.UUID, reason: str = LEGAL_REQUEST) -> Answer:
    """Erase a player or somebody described; surveillance signs with the administrator."""
    return people.person_erase(
        casino_id=house.casino.id,
        player_id=person,
        reason=reason,
        second=house.badge(Role.SURVEILLANCE),
        command=house.office(),
    )


def erase_staff(house: House, person: uuid.UUID, reason: str = LEGAL_REQUEST) -> Answer:
    """Erase somebody's name who worked here."""
    return people.staff_erase(
        casino_id=house.casino.id,
        staff_id=person,
        reason=reason,
        second=house.badge(Role.SURVEILLANCE),
        command=house.office(),
    )


def describe(house: House) -> uuid.UUID:
    """Somebody described at a table."""
    made = people.person_describe(
        casino_id=house.casino.id, description=DESCRIPTION, command=house.command(Role.DEALER)
    )
    return uuid.UUID(made.body["player"])


def sell(house: House, amount: int, player: uuid.UUID) -> None:
    """Chips for cash at the cage."""
    cage.cage_sell(
        casino_id=house.casino.id,
        chips={"100": amount // 100},
        player_id=player,
        command=house.command(Role.CAGE),
    )


@pytest.fixture
def table(house: House) -> Table:
    """An open table."""
    return floor.ready_table(house)[0]


def test_names_stand_in_three_columns_and_nowhere_once_erased(
    house: House, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    """No entry, answer, refusal, fingerprint or log has them; the journal verifies after they are erased."""
    caplog.set_level(logging.DEBUG)
    player, person, worker = enter(house, REFERENCE, DESCRIPTION), describe(house), employ(house)
    with refused(house, "player_reference_taken"):
        enter(house, REFERENCE)
    seats.seat_take(
        table_id=table.id, seat=3, player_id=person, cash=400_000, chips=0, command=house.command(Role.DEALER)
    )
    sell(house, 100_000, player)
    cash.person_tie(
        casino_id=house.casino.id, player_id=person, same_as_id=player, command=house.command(Role.PIT_BOSS)
    )
    with refused(house, "person_present"):
        erase(house, player)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    assert stored() == HOLDS_NAMES

    before = dict(Entry.objects.values_list("id", "hash"))
    erase(house, player)
    erase_staff(house, worker)
    assert stored() == set()
    assert WORD not in caplog.text.lower()
    for row in Player.objects.filter(id__in=[player, person]):
        assert (str(row), row.erased_at is not None) == (str(row.id), True), "the id is left, and a mark"
    gone = Staff.objects.get(id=worker)
    assert (names_of([worker]), gone.is_active, gone.pin) == ({worker: gone.badge}, False, "")
    line = log_record(CashTransaction.objects.get(person=person))
    assert line["player"] == str(person), "what is exported shows the id"
    after = dict(Entry.objects.values_list("id", "hash"))
    assert before.items() <= after.items()
    for stream in (house.casino.stream, house.casino.cage_stream, table.stream):
        assert verify_journal(stream=stream).ok
    told = Entry.objects.filter(stream__name=house.casino.stream, kind="person.erase")
    assert {str(player), str(person), str(worker)} <= set("".join(e.payload for e in told).split('"'))


def test_people_are_kept_as_long_as_the_profile_says_unless_the_law_asks(house: House) -> None:
    """From the last day the journal mentions them on."""
    player, worker = enter(house, "member 1"), employ(house)
    sell(house, 100, player)
    day = CashTransaction.objects.get(person=player).gaming_day
    earliest = years_after(day, PROFILES["generic", 1].retention_years)
    acts: list[tuple[Callable[[House, uuid.UUID, str], Answer], uuid.UUID]] = [
        (erase, player),
        (erase_staff, worker),
    ]
    for act, person in acts:
        with refused(house, "retention_runs") as caught:
            act(house, person, RETENTION_OVER)
        assert caught.value.extra["earliest"] == earliest.isoformat()
        with refused(house, "bad_reason"):
            act(house, person, "bored")
        with time_machine.travel(timezone.now() + (earliest - day), tick=True):
            assert act(house, person, RETENTION_OVER).body["earliest"] == earliest.isoformat()
        with refused(house, "person_erased"):
            act(house, person, LEGAL_REQUEST)
    with refused(house, "person_erased"):
        sell(house, 100, player)
    assert years_after(date(2028, 2, 29), 5) == date(2033, 3, 1)


def test_nobody_is_erased_who_is_here_or_on_whom_a_report_is_due(house: House, table: Table) -> None:
    player, worker = enter(house, "member 1"), employ(house)
    sell(house, 1_000_100, player)
    with refused(house, "cash_report_open"):
        erase(house, player)
    terminal, _ = floor.enrol(house, table)
    now = timezone.now()
    here = SignIn.objects.create(
        terminal=terminal, staff_id=worker, started_at=now, last_input_at=now + timedelta(seconds=1)
    )
    with refused(house, "person_present"):
        erase_staff(house, worker)
    SignIn.objects.filter(pk=here.pk).update(ended_at=now)
    with refused(house, "same_person_signed"):
        people.staff_erase(
            casino_id=house.casino.id,
            staff_id=worker,
            reason=LEGAL_REQUEST,
            second=house.badge(Role.ADMINISTRATOR),
            command=house.office(),
        )
    with refused(house, "player_not_found"):
        erase(house, uuid.uuid4())
    with refused(house, "staff_not_found"):
        erase_staff(house, uuid.uuid4())
    erase_staff(house, worker)
