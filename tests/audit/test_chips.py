"""T by denomination: known where every movement carries it, and said not to be known where one does not."""

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.chips import ByValue, ChipCheck, chips_checked
from audit.models import Finding
from audit.selectors.cage import cage_astray
from audit.selectors.master_game import master_game
from audit.services.reconciliation import session_reconcile
from audit.verify.bundle import verify_bundle
from audit.verify.notes import parse_key
from audit.verify.page import report
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.services import Movement, post
from tables.models import CardSource, Role, Table, TableSession
from tables.services import cage, rejects, seats, sessions, voids
from tables.services.stints import dealer_relieve, dealer_sign_on
from tables.services.table_life import seat_change
from tests import floor
from tests.audit import support
from tests.audit.paper import filed, read
from tests.floor import House

LEFT = {"100": 399, "500": 408, "2500": 189, "10000": 100}
SWAPPED = LEFT | {"500": 413, "2500": 188}


def test_a_movement_by_value_leaves_nothing_known_and_is_no_zero() -> None:
    """By denomination only where every movement carries it: neither a difference nor none."""
    bought = ByValue(7, "seat.take")
    assert chips_checked({"5": 2}, {}, bought, {"5": 2}) == ChipCheck(None, bought)
    assert chips_checked(None, {}, None, {}).difference is None
    assert chips_checked({"5": 2, "1": 5}, {"1": -5}, None, {"5": 1, "25": 0}).difference == {"5": -1}
    assert chips_checked({"5": 2}, {"5": 1}, None, {"5": 3}).to_dict() == {"difference": {}, "by_value": None}


def opened(house: House, table: Table, chips: Mapping[str, int]) -> uuid.UUID:
    """A session opened on these chips, at which the dealer is on."""
    floor.clear_box(house, table)
    answer = sessions.session_open(
        table_id=table.id,
        opener=chips,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    dealer_sign_on(table_id=table.id, command=house.command(Role.DEALER))
    return uuid.UUID(answer.body["session"]["id"])


def closed(house: House, session: uuid.UUID, chips: Mapping[str, int]) -> TableSession:
    """A session closed on these chips, and reconciled."""
    sessions.session_close(
        session_id=session,
        closer=chips,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    session_reconcile(session_id=session)
    return TableSession.objects.get(id=session)


def nobody_plays(house: House, table: Table) -> None:
    """Every movement of a tray that carries denominations."""
    second, dealer, cashier = house.badge, house.command, house.command
    floor.fill_table(house, table, {"500": 4})
    floor.receive_credit(house, floor.send_credit(house, table, {"2500": 10}), {"2500": 10})
    void = floor.send_fill(house, table, {"100": 5})
    floor.receive_fill(house, table, void, {"100": 5})
    why: dict[str, Any] = {"reason": "wrong table", "second": second(Role.PIT_BOSS)}
    voids.slip_void(table_id=table.id, slip_id=void, command=dealer(Role.DEALER), **why)
    voids.cage_take_back(
        casino_id=house.casino.id,
        slip_id=void,
        chips={"100": 5},
        second=second(Role.PIT_BOSS),
        command=cashier(Role.CAGE),
    )
    back = floor.send_credit(house, table, {"100": 10})
    voids.cage_void_slip(casino_id=house.casino.id, slip_id=back, command=cashier(Role.CAGE), **why)
    voids.slip_take_back(
        table_id=table.id,
        slip_id=back,
        chips={"100": 9},  # one is missing, and goes to over and short
        second=second(Role.PIT_BOSS),
        command=dealer(Role.DEALER),
    )
    seats.seat_take(
        table_id=table.id, seat=1, player_id=None, cash=0, chips=5_000, command=dealer(Role.DEALER)
    )
    given, taken = {"500": 5}, {"2500": 1}
    seat_change(table_id=table.id, seat=1, into_tray=given, out_of_tray=taken, command=dealer(Role.DEALER))
    seats.seat_leave(table_id=table.id, seat=1, command=dealer(Role.DEALER))
    rejects.tray_reject(
        table_id=table.id,
        kind="foreign",
        pieces={"500": 1},
        note="of another house",
        second=second(Role.PIT_BOSS),
        command=dealer(Role.DEALER),
    )


@pytest.mark.django_db
def test_a_session_nobody_played_at_is_checked_chip_by_chip(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exact once; then chips are swapped while closed and swapped back while open: T by value stays zero."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    table = floor.make_table(house, card_source=CardSource.SCANNED)
    floor.fill_table(house, table)
    first = opened(house, table, floor.CHIPS)
    nobody_plays(house, table)
    done = closed(house, first, LEFT)
    assert support.codes(house) == []
    second = opened(house, table, SWAPPED)
    dealer_relieve(
        table_id=table.id,
        relief=house.badge(Role.SUPERVISOR),
        count=SWAPPED,
        command=house.command(Role.DEALER),
    )
    closed(house, second, LEFT)
    third = opened(house, table, LEFT)
    floor.seat_player(house, table, 1, 1_000)
    seats.seat_leave(table_id=table.id, seat=1, command=house.command(Role.DEALER))
    last = closed(house, third, LEFT | {"100": 389})
    found = Finding.objects.filter(casino=house.casino).order_by("seq", "cause")
    said = [(one.code, one.session_id, one.evidence.get().body["difference"]) for one in found]
    swapped = ("tray_chips_differ", second)
    assert said == [
        (*swapped, {"500": 5, "2500": -1}),
        (*swapped, {"500": -5, "2500": 1}),  # of the session, and of the stint since the relief
        (*swapped, {"500": -5, "2500": 1}),
    ]
    assert len({one.evidence.get().body["since"] for one in found}) == 3
    checks = [sheet.to_dict()["chips"] for sheet in master_game(house.casino, done.gaming_day).sheets]
    assert checks[:2] == [
        {"difference": {}, "by_value": None},
        {"difference": {"500": -5, "2500": 1}, "by_value": None},
    ]
    bought = {"seq": last.opened_seq + 2, "kind": "seat.take"}
    assert checks[2] == {"difference": None, "by_value": bought}
    _printed(tmp_path, done, second)
    _taken_home(house, done, tmp_path, checks)


def _printed(folder: Path, done: TableSession, swapped: uuid.UUID) -> None:
    """The difference stands beside each denomination of the tray."""
    heading = "Tray by denomination, pieces"
    for session, off in ((done.id, ["0", "0", "0", "0"]), (swapped, ["0", "1", "-5", "0"])):
        tray = read(filed(folder, "print_session", session))[heading]
        assert [row[-1] for row in tray[1:5]] == off
        assert tray[6][0].startswith("T by denomination: counted less what came and went")


def _taken_home(house: House, done: TableSession, folder: Path, checks: list[dict[str, Any]]) -> None:
    """An auditor's machine finds the same in the bundle."""
    path = folder / "day.zip"
    which: dict[str, Any] = {"casino": house.casino.code, "gaming_day": done.gaming_day}
    with pytest.raises(SystemExit):
        call_command("export_bundle", output=path, verbosity=0, **which)
    judged = verify_bundle(path.read_bytes(), keys=[parse_key(KeyStore(env.home()).signer().verifier.text)])
    assert judged.findings.counts == {"tray_chips_differ": 2}
    assert [one["chips"] for one in report(judged, [])["sessions"]] == checks


@pytest.mark.django_db
def test_the_vault_is_followed_by_denomination(house: House) -> None:
    """What an entry says of chips is what it moved, and no more of a chip goes out than lay there."""
    table = floor.make_table(house)
    floor.fill_table(house, table)
    slip = floor.send_fill(house, table, {"500": 2})
    why: dict[str, Any] = {"reason": "wrong table", "second": house.badge(Role.PIT_BOSS)}
    voids.slip_void(table_id=table.id, slip_id=slip, command=house.command(Role.DEALER), **why)
    voids.cage_take_back(
        casino_id=house.casino.id,
        slip_id=slip,
        chips={"500": 1},
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    floor.receive_credit(house, floor.send_credit(house, table, {"2500": 1}), {"2500": 1})
    for act, chips in ((cage.cage_sell, {"100": 3}), (cage.cage_redeem, {"100": 2})):
        act(casino_id=house.casino.id, chips=chips, player_id=None, command=house.command(Role.CAGE))
    assert list(cage_astray(house.casino)) == []
    cage.cage_commission(
        casino_id=house.casino.id,
        chips={"50000": 1},
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    floor.send_fill(house, table, {"50000": 2})  # by value there is enough, but one of them was never made
    for said in ({"chips": {"100": 4}, "total": 500}, {"total": 500}):
        post(
            stream=house.casino.cage_stream,
            kind="cage.sell",
            payload=said,
            movements=[Movement("vault", "floor", 500), Movement("cash:patrons", "cash:drawer", 500)],
            actor=house.staff[Role.CAGE].id,
            command_id=uuid.uuid4(),
        )
    assert [(one.code, one.evidence) for one in cage_astray(house.casino)] == [
        ("vault_chips_differ", {"chip": "50000", "lay_there": 1, "taken": 2}),
        ("amount_differs", {"kind": "cage.sell", "chips_worth": -400, "into_vault": -500}),
        ("amount_differs", {"kind": "cage.sell", "chips_worth": None, "into_vault": -500}),
    ]
