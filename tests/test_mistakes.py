"""Mistakes that were seen in other systems, and which test proves each is not made here.

two win figures     one definition; closing, day report, master game, verifier agree   `PROVED["win"]`
drop twice          a box is counted once, and so is a session's drop                  `PROVED["drop"]`
cents times 100     what is typed, stored, answered and shown is one amount            `PROVED["cents"]`
missing is 0        what was not counted stays missing in every sum and on every page  `PROVED["missing"]`
day by UTC          the casino's own clock, over daylight saving                       `PROVED["day"]`
drop OR count       a day closes with the closers AND the drops                        `PROVED["close"]`
chain               every field is hashed; writers at once make no fork                `PROVED["chain"]`
purge               no right to delete evidence; a retry after a purge has no effect   `PROVED["purge"]`
floats              amounts are integers, in the database and in every request         `PROVED["floats"]`
replacement         no card comes more often than there are packs                      `PROVED["replacement"]`
bulk updates        rows are compared with the journal, however they were changed      `PROVED["bulk"]`
repeated alerts     one finding per cause, with a counter                              `PROVED["alerts"]`
cash reports        strictly more than the threshold; in and out apart                 `PROVED["cash"]`

The list is held true by importing what it names. What is proved nowhere else is below.
"""

import importlib
import os
from collections.abc import Mapping

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from ledger.selectors import balances
from tables.admin.text import amount_of, amount_text
from tables.figures import gaming_day
from tables.models import ClosedDay, Role
from tables.services import seats
from tables.services.corrections import correction_post
from tables.services.days import gaming_day_close
from tests import floor
from tests.audit import support

PROVED: Mapping[str, tuple[str, ...]] = {
    "win": (
        "tests.audit.test_master_game:test_a_gaming_day_from_the_tables_to_its_final_figures",
        "tests.audit.test_whole_day:test_every_figure_of_the_day_is_the_one_worked_out_by_hand",
        "tests.tables.test_figures:test_win_and_hold_of_the_case_file",
    ),
    "drop": (
        "tests.tables.test_drops:test_each_count_comes_in_its_turn_once_and_by_another_person",
        "tests.tables.test_drops:test_a_box_is_changed_in_the_middle_and_the_session_waits_for_all_its_boxes",
    ),
    "cents": (
        "tests.admin.test_text:test_amounts_follow_their_currency",
        "tests.test_mistakes:test_an_amount_is_one_and_the_same_from_the_form_to_the_journal_and_back",
    ),
    "missing": (
        "tests.admin.test_text:test_an_amount_that_is_not_known_is_no_zero",
        "tests.audit.test_reconcile:test_an_uncounted_drop_is_pending_and_not_zero",
        "tests.tables.test_days:test_the_figures_of_a_day_have_one_definition",
    ),
    "day": (
        "tests.tables.test_figures:test_the_gaming_day_is_not_the_utc_date",
        "tests.tables.test_days:test_a_session_over_the_roll_over_and_a_late_count_stay_with_their_day",
    ),
    "close": (
        "tests.test_mistakes:test_a_day_closes_with_the_closers_and_the_drops_not_with_one_of_them",
        "tests.tables.test_days:test_a_day_is_refused_while_anything_of_it_is_open_and_all_of_it_is_listed",
    ),
    "chain": (
        "tests.ledger.test_tampering:test_every_field_of_every_table_is_tampered_with",
        "tests.ledger.test_tampering:test_tampering_is_found",
        "tests.ledger.test_concurrency:test_eight_processes_on_one_stream",
    ),
    "purge": (
        "tests.test_mistakes:test_nothing_may_delete_what_is_evidence",
        "tests.test_mistakes:test_a_retry_after_stored_answers_were_purged_has_no_second_effect",
        "tests.ledger.test_rights:test_owner_is_refused_by_the_guards",
    ),
    "floats": (
        "tests.test_mistakes:test_no_amount_is_kept_as_a_float",
        "tests.api.test_shapes:test_what_is_no_amount_is_refused_by_name",
    ),
    "replacement": (
        "tests.engine.test_shoe:test_a_whole_shoe_comes_out",
        "tests.engine.test_shoe:test_an_impossible_card",
    ),
    "bulk": (
        "tests.audit.test_reconcile:test_a_changed_session_row_is_found",
        "tests.audit.test_resettle:test_a_changed_round_row_is_found",
    ),
    "alerts": (
        "tests.audit.test_findings:test_one_finding_per_cause_however_often_it_is_found",
        "tests.audit.test_findings:test_two_that_find_the_same_at_once_make_one_finding",
    ),
    "cash": (
        "tests.tables.test_cash_reporting:test_ten_thousand_is_not_reported_and_a_chip_more_is",
        "tests.tables.test_cash_rules:test_strictly_more_is_due_within_the_profiles_days",
    ),
}


@pytest.mark.parametrize("mistake", PROVED)
def test_each_mistake_has_its_tests(mistake: str) -> None:
    assert __doc__ is not None
    assert f'`PROVED["{mistake}"]`' in __doc__
    for named in PROVED[mistake]:
        module, _, test = named.partition(":")
        assert test.startswith("test_")
        assert callable(getattr(importlib.import_module(module), test)), named


@pytest.mark.django_db
def test_an_amount_is_one_and_the_same_from_the_form_to_the_journal_and_back() -> None:
    """12.34 is typed, 1,234 is stored, moved and answered, 12.34 is shown: nothing is multiplied twice."""
    house = floor.stocked_house()
    table, _ = support.open_scanned(house)
    typed = "12.34"
    before = balances(table.stream)["seat:1"]
    correction_post(
        table_id=table.id,
        seat=1,
        amount=amount_of(typed, house.casino.currency),
        direction="to_seat",
        reason="mispaid",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )
    moved = balances(table.stream)["seat:1"] - before
    assert (moved, amount_text(moved, house.casino.currency)) == (1_234, typed)
    for currency in ("USD", "JPY", "KWD"):
        for amount in (0, 1, 99, 100, 12_345, 2**53 - 1):
            assert amount_of(amount_text(amount, currency), currency) == amount


@pytest.mark.django_db
def test_a_day_closes_with_the_closers_and_the_drops_not_with_one_of_them() -> None:
    """A counted box and no closer is not enough, nor is a closer and a box nobody has counted."""
    house = floor.stocked_house()
    table, session_id = support.open_scanned(house)
    day = gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)

    def close() -> None:
        second, command = house.badge(Role.PIT_BOSS), house.command(Role.CAGE)
        gaming_day_close(casino_id=house.casino.id, gaming_day=day, second=second, command=command)

    def open_still() -> list[str]:
        with floor.refused(house, "gaming_day_open") as caught:
            close()
        return [each["code"] for each in caught.value.extra["open"]]

    floor.count_box(house, floor.remove_box(house, session_id), {"10000": 40})
    assert open_still() == ["session_open"], "a count without a closer"
    support.close(house, table, session_id)
    assert open_still() == ["drop_not_counted"], "a closer without the count of its last box"
    floor.count_drop(house, session_id, {})
    close()
    assert ClosedDay.objects.get(casino=house.casino).figures["total"]["drop"] == 400_000


@pytest.mark.usefixtures("own_database")
@pytest.mark.django_db(transaction=True)
def test_a_retry_after_stored_answers_were_purged_has_no_second_effect() -> None:
    """The journal keeps the command's id for ever, so it is refused where it could not be answered again."""
    house = floor.stocked_house()
    table, _ = support.open_scanned(house)
    command = house.command(Role.DEALER)
    seats.seat_buy_in(table_id=table.id, seat=1, cash=5_000, command=command)
    with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as owner:
        done = owner.execute("DELETE FROM tables_commandanswer WHERE command_id = %s", [command.id])
        assert done.rowcount == 1
    with floor.refused(house, "duplicate_command"):
        seats.seat_buy_in(table_id=table.id, seat=1, cash=5_000, command=command)


@pytest.mark.django_db
def test_nothing_may_delete_what_is_evidence() -> None:
    """No job of the application can: it has no such right; findings and their evidence included."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.table_privileges"
            " WHERE grantee IN (current_user, 'PUBLIC') AND privilege_type IN ('DELETE', 'TRUNCATE')"
        )
        may = {name for (name,) in cursor.fetchall()}
    evidence = ("ledger_", "tables_", "audit_finding", "audit_evidence", "audit_explanation")
    assert not {name for name in may if name.startswith(evidence)}
    assert "django_session" in may, "the question is asked as the application"


@pytest.mark.django_db
def test_no_amount_is_kept_as_a_float() -> None:
    """Nothing in the journal's and the floor's tables but whole numbers; amounts are of 64 bits."""
    broken = ("real", "double precision", "numeric", "money")
    amounts = ("amount", "balance", "total", "opener_total", "closer_total", "drop_total", "win")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_name ~ '^(ledger|tables|audit)_'"
        )
        columns = cursor.fetchall()
    assert not [one for one in columns if one[2] in broken and not one[0].startswith("audit_")]
    assert {kind for _, name, kind in columns if name in amounts} == {"bigint"}
