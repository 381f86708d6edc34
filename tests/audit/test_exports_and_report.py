"""A day's round histories read back, and its page of figures."""

import csv
import hashlib
import json
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from audit.exports.rounds import COLUMNS, NO_ACTIVITY, rounds_export, rows_of
from audit.report import day_report
from audit.services.reconciliation import session_reconcile
from tables.engine.odds import closed_form, expected_net, full_shoe, without
from tables.figures import decimal
from tables.models import Role, Round, TableSession
from tables.services import rounds
from tables.services.corrections import round_correct
from tests import floor
from tests.audit import support
from tests.floor import House


@pytest.fixture
def played(house: House) -> TableSession:
    """Four rounds: a raised win, a loss, a push, and one voided."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.play_with_raise(house, table, support.LOSE, {})
    floor.play_round(house, table, {2: 500}, support.PUSH)
    voided = support.raising(house, table, ("5S", "QH"))
    rounds.round_void(
        round_id=voided.id,
        reason="misdeal",
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return TableSession.objects.get(id=session_id)


def test_a_csv_read_back_is_what_was_played(house: House, played: TableSession, tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    done = rounds_export(casino_id=house.casino.id, gaming_day=played.gaming_day, form="csv", path=path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert (done.rounds, done.rows, len(rows)) == (4, 7, 7)
    assert [(row["round"], row["seat"], row["bet"], row["raise"], row["net"]) for row in rows] == [
        ("1", "1", "1000", "1000", "2000"),
        ("1", "2", "2500", "0", "2500"),
        ("2", "1", "1000", "0", "-1000"),
        ("2", "2", "2500", "0", "-2500"),
        ("3", "2", "500", "0", "0"),
        ("4", "1", "1000", "0", "0"),
        ("4", "2", "2500", "0", "0"),
    ]
    assert [row["status"] for row in rows] == ["complete"] * 5 + ["cancelled"] * 2
    assert (rows[0]["cards"], rows[0]["spread"], rows[0]["announced"]) == ("5S QH 9D", "6", "6")
    assert rows[5]["void_reason"] == "misdeal"
    assert rows[0]["dealer"] == house.staff[Role.DEALER].badge
    assert done.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_json_lines_say_the_same_with_their_types(house: House, played: TableSession, tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    rounds_export(casino_id=house.casino.id, gaming_day=played.gaming_day, form="jsonl", path=path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 7
    assert (rows[0]["bet"], rows[0]["net"], rows[0]["player"], rows[0]["misannounced"]) == (
        1000,
        2000,
        None,
        False,
    )
    said = json.loads((tmp_path / "rounds.jsonl.columns.json").read_text())
    assert (said["schema"], said["version"], said["rows"]) == ("pitledger.rounds", 4, 7)
    assert list(said["columns"]) == list(rows[0])


def test_a_corrected_round_shows_what_was_recorded_and_what_lay(house: House, played: TableSession) -> None:
    lost = Round.objects.get(session=played, number=2)
    round_correct(
        round_id=lost.id,
        cards=support.WIN,
        reason="card_misread",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )
    lost.refresh_from_db()
    one, two = rows_of(lost)
    assert (one["cards"], one["outcome"], one["net"]) == ("5S QH KD", "lose", -1000)
    assert (one["corrected_cards"], one["corrected_outcome"]) == ("5S QH 9D", "win")
    assert (one["corrected_net"], two["corrected_paid"], two["corrected_net"]) == (1000, 2500, 2500)
    assert one["corrected_seq"] == lost.corrected_seq
    (other, _) = rows_of(Round.objects.get(session=played, number=1))
    assert {other[name] for name in other if name.startswith("corrected")} == {None}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_same_day_gives_the_same_bytes(
    house: House, played: TableSession, tmp_path: Path, form: str
) -> None:
    digests = set()
    for name in ("one", "two"):
        call_command(
            "export_rounds",
            *("--gaming-day", played.gaming_day.isoformat(), "--casino", house.casino.code),
            *("--format", form, "--output", str(tmp_path / name)),
            stdout=StringIO(),
        )
        digests.add((tmp_path / name).read_bytes())
    assert len(digests) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "one",
        "one.columns.json",
        "two",
        "two.columns.json",
    ]


def test_a_day_without_rounds_says_no_activity(house: House, played: TableSession, tmp_path: Path) -> None:
    other = played.gaming_day.replace(year=2001)
    for form in ("csv", "jsonl"):
        path = tmp_path / form
        done = rounds_export(casino_id=house.casino.id, gaming_day=other, form=form, path=path)
        assert (done.rounds, NO_ACTIVITY in path.read_text()) == (0, True)


def test_text_that_a_spreadsheet_would_run_is_guarded(
    house: House, played: TableSession, tmp_path: Path
) -> None:
    dealer = house.staff[Role.DEALER]
    dealer.badge = "=cmd|'/c calc'!A0"
    dealer.save(update_fields=["badge"])
    path = tmp_path / "rounds.csv"
    rounds_export(casino_id=house.casino.id, gaming_day=played.gaming_day, form="csv", path=path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["dealer"] == "'=cmd|'/c calc'!A0"
    assert rows[2]["net"] == "-1000"  # a number is no text: it stays one


def test_a_failed_export_leaves_the_old_file_and_nothing_else(
    house: House, played: TableSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text("old")

    def break_at_the_second(row: Round) -> object:
        if row.number == 2:
            raise RuntimeError("gone")
        return rows_of(row)

    monkeypatch.setattr("audit.exports.rounds.rows_of", break_at_the_second)
    with pytest.raises(RuntimeError):
        rounds_export(casino_id=house.casino.id, gaming_day=played.gaming_day, form="csv", path=path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["rounds.csv"]


def test_the_command_needs_a_folder_and_a_casino(house: House, tmp_path: Path) -> None:
    day = ("--gaming-day", "2026-01-01")
    with pytest.raises(CommandError, match="no folder"):
        call_command("export_rounds", *day, "--output", str(tmp_path / "none" / "x.csv"))
    with pytest.raises(CommandError, match="no casino nowhere"):
        call_command("export_rounds", *day, "--casino", "nowhere", "--output", str(tmp_path / "x.csv"))
    floor.make_house()
    with pytest.raises(CommandError, match=rf"say which casino: --casino .*{house.casino.code}"):
        call_command("export_rounds", *day, "--output", str(tmp_path / "x.csv"))
    with pytest.raises(CommandError, match="'yesterday' is not a date like 2026-11-30"):
        call_command("day_report", "--gaming-day", "yesterday")
    assert list(tmp_path.iterdir()) == []


def test_the_page_of_a_counted_day(house: House, played: TableSession) -> None:
    support.close(house, played.table, played.id)
    support.count_drop(house, played.id)
    kept = session_reconcile(session_id=played.id)
    report = day_report(casino_id=house.casino.id, gaming_day=played.gaming_day)
    (line,) = report.lines
    assert (line.rounds, line.voided, line.handle) == (3, 1, 4500 + 3500 + 500)
    assert (line.drop, line.win, line.play.result) == (400_000, -1000, -1000)
    assert line.hold == Fraction(-1000, 400_000)
    assert (line.tray, line.box, line.unexplained, line.win_state) == (0, 0, 0, "reconciled")
    assert kept is not None
    assert (line.win, line.entries, line.movements) == (kept.win, kept.entries, kept.movements)
    assert line.verified
    assert report.total.to_dict() | {"code": "", "table": None, "packs": None, "card_source": ""} == (
        line.to_dict() | {"code": "", "table": None, "packs": None, "card_source": ""}
    )


def test_what_the_house_could_expect_has_one_name_for_each_basis(house: House, played: TableSession) -> None:
    """Before the cards, of a full shoe; and given two cards, of what was left: never under one name."""
    odds = closed_form(6)
    best = (1000 + 2500 + 1000 + 2500 + 500) * odds.house_edge  # of the rounds that count
    spread_6 = next(one for one in odds.spreads if one.spread == 6)
    report = day_report(casino_id=house.casino.id, gaming_day=played.gaming_day)
    assert report.total.play.best == best
    assert report.total.play.actual == best - 1000 * spread_6.edge, "the best play does not raise on a six"
    said = report.lines[0].to_dict()
    assert said["theoretical_best_win_exact"] == str(best)
    unseen = full_shoe(6)
    expected = Fraction()
    for cards, stakes in (
        (support.WIN, [(1000, 1000), (2500, 0)]),
        (support.LOSE, [(1000, 0), (2500, 0)]),
        (support.PUSH, [(500, 0)]),
        (("5S", "QH"), [(1000, 0), (2500, 0)]),  # voided: it counts, as if it had been played
    ):
        two = without(unseen, cards[:2])
        expected -= sum(expected_net(cards[0], cards[1], bet, raised, two) for bet, raised in stakes)
        unseen = without(unseen, cards)
    assert report.total.given_cards == expected
    assert said["given_cards_win_exact"] == str(expected)


def test_what_is_missing_is_missing_and_not_zero(house: House, played: TableSession) -> None:
    line = day_report(casino_id=house.casino.id, gaming_day=played.gaming_day).total
    assert (line.drop, line.win, line.hold, line.tray) == (None, None, None, None)
    assert line.win_state == "pending"
    out = StringIO()
    arguments = ("--gaming-day", played.gaming_day.isoformat(), "--casino", house.casino.code)
    call_command("day_report", *arguments, stdout=out)
    assert "pending" in out.getvalue()
    out = StringIO()
    call_command("day_report", *arguments, "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert (said["total"]["win"], said["activity"]) == (None, True)


def test_a_day_that_does_not_verify_says_so(house: House, played: TableSession) -> None:
    running = support.raising(house, played.table, ("5S", "QH"))
    action = {"type": "raise", "seat": 1, "amount": 1000}
    support.forge(house, running, [action], kind="round.raise", payload={"state": "0" * 64})
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command(
            "day_report",
            *("--gaming-day", played.gaming_day.isoformat(), "--casino", house.casino.code),
            stdout=out,
        )
    assert "found: state_differs" in out.getvalue()


def test_a_day_nobody_played(house: House) -> None:
    out = StringIO()
    call_command("day_report", "--gaming-day", "2001-01-01", "--casino", house.casino.code, stdout=out)
    assert "No Activity" in out.getvalue()


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(4, 9), 6, "0.444444"),
        (Fraction(-4), 6, "-4.000000"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(5, 1000), 2, "0.00"),
        (Fraction(15, 1000), 2, "0.02"),
        (Fraction(123456), 2, "123456.00"),
    ],
)
def test_decimals_are_exact(value: Fraction, places: int, text: str) -> None:
    assert decimal(value, places) == text
