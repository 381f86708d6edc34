"""A round and a session of each of the four games, taken home alone and verified with nothing else."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F

from audit.verify.__main__ import FOUND, VERIFIED, main
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.models import Checkpoint
from ledger.selectors import balances
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.services import sessions
from tests import floor
from tests.audit import support
from tests.audit.verify.made import members_of, records_of, resigned
from tests.room import Room, make_room

pytestmark = pytest.mark.django_db
CARD_ROOM = ("high_card_pool", "burning_card", "banking")
CHIPS = {1: 500, 2: 500, 4: 500}


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of the test's own to publish checkpoints to."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    return tmp_path


def judged(bundle: Path, capsys: pytest.CaptureFixture[str], *also: str) -> tuple[int, dict[str, Any]]:
    """What the program of the auditor says: its exit code and its JSON report."""
    key = bundle.with_name("log.pub")
    key.write_text(KeyStore(env.home()).signer().verifier.text)
    capsys.readouterr()
    code = main([str(bundle), "--key", str(key), "--json", *also])
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, said


def two_sessions(house: floor.House, name: str) -> Table:
    """Two sessions at a table whose pack is committed to: one round, then two; all counted."""
    if name == "red_dog":
        return _at_the_board(house)
    room = make_room(house, name, chips=CHIPS, source=CardSource.DRAWN)
    _deal(room, name, bets=(1, 2))
    _close(room)
    sessions.session_open(
        table_id=room.table.id,
        opener={},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    room.shuffle()
    room.sit(CHIPS)
    room.draw()
    _deal(room, name, bets=(2,))
    room.shuffle()
    _deal(room, name, bets=(1, 4))
    _close(room)
    return room.table


def _at_the_board(house: floor.House) -> Table:
    table, session_id = floor.ready_table(house, "rd-all", packs=1, cut_card=20)
    floor.play_round(house, table, {1: 1000, 2: 2500})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    session_id = support.open_again(house, table)
    support.everybody_sits(house, table)
    for _ in range(2):
        floor.play_round(house, table, {1: 1000, 2: 2500})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    return table


def _deal(room: Room, name: str, bets: tuple[int, ...]) -> None:
    room.deal(**({"bank": 100} if name == "banking" else {}))
    room.play_out(bets=bets)


def _close(room: Room) -> None:
    """The pool is divided if there is one, everybody leaves, the table closes and its box is counted."""
    room.shuffle()
    if balances(room.table.stream).get("pool"):
        room.divide()
    for seat in CHIPS:
        room.leave(seat)
    session = TableSession.objects.filter(table=room.table).latest("number")
    sessions.session_close(
        session_id=session.id,
        closer={},
        second=room.house.badge(Role.SUPERVISOR),
        command=room.house.command(Role.DEALER),
    )
    floor.count_drop(room.house, session.id, {})


@pytest.mark.parametrize("name", ["red_dog", *CARD_ROOM])
def test_a_round_and_a_session_alone_of_every_game(
    house: floor.House, folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """FORMAT 3 and 6: from the opening on or whole, each holds; a record or a card less is named."""
    table = two_sessions(house, name)
    session = TableSession.objects.filter(table=table).latest("number")
    played = Round.objects.filter(session=session).latest("number")
    path = folder / "bundle.zip"
    for about in ({"session": session.id}, {"round": played.id, "whole": True}):
        call_command("export_bundle", casino=house.casino.code, output=path, stdout=StringIO(), **about)
        code, said = judged(path, capsys)
        assert (code, said["findings"]) == (VERIFIED, [])
        assert [engine["game"] for engine in said["engines"]] == [name]
        from_the_first = "whole" in about or name == "red_dog"  # whose shoe lay there since the first session
        assert said["counts"]["rounds"] == (3 if from_the_first else 2)
        assert said["rule_sets"][0]["id"] == str(table.rules_id)
        assert (said["streams"][0]["first"] == 1) is ("whole" in about)
        assert said["streams"][0]["opening"].startswith(
            ("proved: the stream begins", "tray and layout proved")
        )
        last = next(one for one in said["sessions"] if one["session"] == str(session.id))
        known = [last[check] for check in ("T", "B", "U", "win_state")]
        assert known == ([0, 0, 0, "reconciled"] if "session" in about else [None, None, None, "pending"])
        _assert_nothing_can_be_left_out(path, capsys)


def _assert_nothing_can_be_left_out(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record left out of the middle, by who can sign the manifest again: found, and named by its number."""
    members = members_of(path.read_bytes())
    records, first = (
        records_of(members["entries"]),
        json.loads(members["manifest.json"])["streams"][0]["first"],
    )
    gone = len(records) // 2
    less = b"".join(records[:gone] + records[gone + 1 :])
    path.write_bytes(resigned({**members, "entries": less}, KeyStore(env.home()).signer()))
    code, said = judged(path, capsys)
    assert code == FOUND
    assert ("sequence_gap", first + gone + 1) in {(one["type"], one["seq"]) for one in said["findings"]}


def test_each_day_is_continued_and_so_is_the_auditors_last(
    house: floor.House, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """FORMAT 5: the last checkpoint of each day before, or the one the auditor has; else it is refused."""
    table, session_id = support.open_scanned(house)
    sealed = [_sealed()]
    for _ in range(2):
        support.play_with_raise(house, table, support.WIN, {})
        sealed.append(_sealed())
    path, note = folder / "bundle.zip", folder / "note"
    about: dict[str, Any] = {"session": session_id, "casino": house.casino.code, "output": path}
    call_command("export_bundle", stdout=StringIO(), **about)
    code, said = judged(path, capsys)
    assert code == VERIFIED
    assert said["continues"][-1] == sealed[1].size, "the last of the day before the bundle's own"
    note.write_text(sealed[0].note)
    code, said = judged(path, capsys, "--since", str(note))
    assert (code, set(said["finding_counts"])) == (FOUND, {"since_unproved"})
    call_command("export_bundle", since=note, stdout=StringIO(), **about)
    code, said = judged(path, capsys, "--since", str(note))
    assert (code, said["since"], said["continues"]) == (VERIFIED, sealed[0].size, [sealed[0].size])
    monkeypatch.setattr("audit.bundle.write.TruncDate", lambda name, tzinfo: F(name))  # each its own day
    call_command("export_bundle", stdout=StringIO(), **about)
    for earlier in sealed[:2]:
        note.write_text(earlier.note)
        code, said = judged(path, capsys, "--since", str(note))
        assert (code, said["since"]) == (VERIFIED, earlier.size)
    assert said["continues"][-2:] == [sealed[0].size, sealed[1].size]


def _sealed() -> Checkpoint:
    """The checkpoint over everything there is."""
    call_command("seal", stdout=StringIO())
    return Checkpoint.objects.latest("size")
