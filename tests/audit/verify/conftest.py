"""One small house, played once and rolled back: its bundles remain, and tests change them in memory."""

import os
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from audit.exports.forms import Form
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry
from ledger.selectors import balances
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.services import seats, sessions
from tables.services.corrections import correction_post, entry_reverse, round_correct
from tests import floor
from tests.audit import support
from tests.audit.beside import beside_the_bets, money_plays
from tests.audit.exports.reading import export
from tests.audit.verify.made import Made
from tests.room import make_room


@pytest.fixture(scope="session")
def made(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    """The bundles of two tables' day: three sessions, every kind of correction, a committed shoe."""
    folder = tmp_path_factory.mktemp("bundles")
    before = os.environ.get("PITLEDGER_CHECKPOINTS")
    os.environ["PITLEDGER_CHECKPOINTS"] = str(folder / "checkpoints")
    try:
        with django_db_blocker.unblock():
            atomic = transaction.atomic()
            atomic._from_testcase = True  # type: ignore[attr-defined]  # the sealer may commit within it
            with atomic:
                made = _played(folder)
                transaction.set_rollback(True)
    finally:
        os.environ.pop("PITLEDGER_CHECKPOINTS")
        if before is not None:
            os.environ["PITLEDGER_CHECKPOINTS"] = before
    return made


def _played(folder: Path) -> Made:
    keys = KeyStore(env.home())
    house = floor.make_house(profile="generic_markers_money_plays")
    floor.stock_cage(house)
    table, corrected = _first_session(house)
    early = _sealed(folder)
    _second_session(house, table, corrected)
    _drawn(house)
    _pool(house)
    beside_the_bets(house)
    money_plays(house)
    late = _sealed(folder)
    day = TableSession.objects.filter(table=table).latest("number").gaming_day
    sessions_there = TableSession.objects.select_related("table").filter(table__casino=house.casino)
    session = sessions_there.filter(table=table).latest("number")
    beside = sessions_there.get(table__code="rd-beside")
    played = Round.objects.select_related("session__table").filter(session=session).earliest("number")
    scopes = {
        "day": Scope(house.casino, day),
        "whole": Scope(house.casino, day, whole=True),
        "table": Scope(house.casino, table),
        "session": Scope(house.casino, session),
        "beside": Scope(house.casino, beside),
        "round": Scope(house.casino, played),
    }
    bundles, path = {}, folder / "bundle.zip"
    for name, scope in scopes.items():
        written = bundle_write(scope, checkpoint=late, keys=keys, path=path)
        assert written.findings.count == 0, written.findings.listed
        bundles[name] = path.read_bytes()
    bundle_write(scopes["session"], checkpoint=late, keys=keys, path=path, since=early.size)
    exports: dict[str, bytes] = {}
    forms: tuple[Form, ...] = ("csv", "jsonl", "parquet", "xlsx")
    for form in forms:
        export(house.casino.id, folder / f"rounds.{form}", form, gaming_day_from=day, gaming_day_to=day)
    for form in forms[:2]:
        export(house.casino.id, folder / f"some.{form}", form, table=table.code, stake_min=2_000, seat=2)
        export(house.casino.id, folder / f"dealt.{form}", form, dealer=house.staff[Role.DEALER].badge)
    for form in forms:
        exports |= {file.name: file.read_bytes() for file in folder.glob(f"*.{form}*")}
    return Made(
        bundles=bundles | {"since": path.read_bytes()},
        signer=keys.signer(),
        early=early.note,
        late=late.note,
        exports=exports,
    )


def _sealed(folder: Path) -> Checkpoint:
    seal(folder=Folder(folder / "checkpoints"))
    return Checkpoint.objects.latest("size")


def _first_session(house: floor.House) -> tuple[Table, Round]:
    """Two rounds, of which one is corrected later, and a reversed buy-in."""
    table, session_id = support.open_scanned(house)
    lost = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    support.play_with_raise(house, table, support.WIN, {})
    seats.seat_buy_in(table_id=table.id, seat=1, cash=7_000, command=house.command(Role.DEALER))
    bought = Entry.objects.filter(stream__name=table.stream).latest("seq")
    entry_reverse(table_id=table.id, entry_id=bought.id, **_signed(house))
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    return table, lost


def _second_session(house: floor.House, table: Table, corrected: Round) -> None:
    """A mispay, and a correction that goes back to the session before."""
    tray = TableSession.objects.get(table=table).closer_total
    assert tray is not None
    opened = sessions.session_open(
        table_id=table.id,
        opener={"100": tray // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    for seat in (1, 2):
        floor.seat_player(house, table, seat, 200_000)
    floor.play_round(house, table, {1: 1000, 2: 2500}, support.PUSH)
    support.new_shoe(house, table)
    floor.play_round(house, table, {1: 1000}, support.TRIPS)
    correction_post(table_id=table.id, seat=2, amount=500, direction="to_seat", **_signed(house))
    round_correct(round_id=corrected.id, cards=support.WIN, **_signed(house))
    session_id = uuid.UUID(opened.body["session"]["id"])
    support.close(house, table, session_id)
    support.count_drop(house, session_id)


def _drawn(house: floor.House) -> None:
    """A table of one pack whose order is committed to."""
    table, session_id = floor.ready_table(house, "rd-2", card_source=CardSource.DRAWN, packs=1, cut_card=10)
    floor.play_round(house, table, {1: 1000, 2: 2500})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)


def _pool(house: floor.House) -> None:
    """Two rounds at a card-room table, hands face down and committed to; then the pool is divided."""
    fee = {"kind": "deal", "amount": 100, "minutes": 0}
    room = make_room(house, chips={1: 1_000, 2: 1_000, 4: 1_000}, source=CardSource.DRAWN, fee=fee)
    room.deal()
    room.play_out(bets=(1, 2, 4))
    room.shuffle()
    room.deal()
    room.play_out(bets=(1,))
    room.shuffle()
    room.divide()
    for seat in (1, 2, 4):
        room.leave(seat)
    session = TableSession.objects.get(table=room.table)
    counted = balances(room.table.stream)["tray"]
    sessions.session_close(
        session_id=session.id,
        closer={"100": counted // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    floor.count_drop(house, session.id, {})


def _signed(house: floor.House) -> dict[str, Any]:
    return {
        "reason": "other",
        "second": house.badge(Role.PIT_BOSS),
        "command": house.command(Role.SUPERVISOR),
    }
