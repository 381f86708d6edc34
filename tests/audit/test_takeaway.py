"""Whatever an auditor takes away agrees with everything else, the night after too, and tells no secrets."""

import json
import re
import uuid
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pyarrow import parquet

from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from audit.exports.forms import FORMS, Form
from audit.models import GamingDayCheck
from audit.selectors.results import results
from audit.services import days
from audit.services.export_schedules import schedule_make
from audit.services.saved_filters import filter_save
from audit.verify.__main__ import FOUND, VERIFIED, main
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.proof import check_consistency
from ledger.checkpoints.prove import prove_consistency
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry
from tables.admin.text import card_text
from tables.models import CardSource, Role, Round, Staff, Table, TableSession
from tables.services import office, rounds, seats
from tables.services.command import Command
from tables.services.promos import promo_issue, promo_stock
from tables.services.stints import dealer_sign_on
from tests import floor
from tests.admin.house import logged_in
from tests.api.client import API
from tests.api.routes import SCHEDULE
from tests.api.test_exports import ROUNDS, post, written
from tests.api.test_reads import reader
from tests.audit import support
from tests.audit.exports.reading import export, manifest_of
from tests.audit.paper import facts, filed, on_paper
from tests.audit.test_results import opened
from tests.audit.verify.made import lines_of, members_of
from tests.room import make_room
from tests.tables.life import cancel, hire, physical

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of the test's own."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))


class Taken:
    """What an auditor takes home of a day: its bundle, and its round histories in every form."""

    def __init__(self, house: floor.House, day: date, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.day, self.house = folder, day, house
        seal(folder=Folder(env.checkpoint_folder()))
        self.checkpoint = Checkpoint.objects.latest("size")
        for form in FORMS:
            export(house.casino.id, self.rounds(form), form, gaming_day_from=day, gaming_day_to=day)
        self.bundle = self.bundle_under(self.checkpoint)

    def rounds(self, form: Form) -> Path:
        """The file of a form."""
        return self.folder / f"rounds.{form}"

    def bundle_under(self, checkpoint: Checkpoint) -> Path:
        """The day's bundle, cut at a checkpoint."""
        path = self.folder / f"{checkpoint.size}.zip"
        scope, keys = Scope(self.house.casino, self.day, whole=True), KeyStore(env.home())
        assert bundle_write(scope, checkpoint=checkpoint, keys=keys, path=path).findings.count == 0
        return path

    def verify(self, bundle: Path) -> int:
        """The exit code of the verifier, with what it had to say before it."""
        key = self.folder / "log.pub"
        key.write_text(KeyStore(env.home()).signer().verifier.text)
        files = [str(self.rounds("csv")), str(self.rounds("jsonl"))]
        return main([str(bundle), "--key", str(key), "--rounds", *files])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows."""
        lines = self.rounds("jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


def night(house: floor.House, taken: Taken) -> None:
    """The check of a gaming day in the night after it, or in a later one for what closed since."""
    GamingDayCheck.objects.filter(casino=house.casino).update(requested_at=taken.checkpoint.sealed_at)
    days.due_days_queue(now=timezone.now() + timedelta(days=1))
    check = GamingDayCheck.objects.get(casino=house.casino, gaming_day=taken.day)
    days.day_check(check_id=check.id)


def won(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """What the house won of each dealer's rounds, by the rows of an export."""
    found: Counter[str] = Counter()
    for row in rows:
        net = row["net"] if row["corrected_net"] is None else row["corrected_net"]
        found[row["dealer"]] -= 0 if row["status"] == "cancelled" else net
    return dict(found)


def in_results(house: floor.House, day: date) -> dict[str, int]:
    """The same by the results."""
    lines = results(house.casino, by="dealer", first=day, last=day).lines
    return {line.name: line.result or 0 for line in lines}


def of_round(rows: Iterable[dict[str, Any]], played: Round) -> list[dict[str, Any]]:
    """The rows of a round."""
    return [row for row in rows if row["round_id"] == str(played.id)]


@dataclass
class Day:
    """A day on one table: two dealers, and rounds to look at."""

    session: uuid.UUID
    other: str
    changed: Round
    capped: Round
    lost: Round
    won: Round


def played_day(house: floor.House) -> Day:
    """A dealer changes in the midst of a round; a promotional piece lies in one that the cap cuts; a round is
    lost, and one won."""
    table, session = opened(house, "rd-1", round_cap=150_000)
    seat_with_piece(house, table)
    changed = support.raising(house, table, support.WIN[:2])
    other = Staff.objects.get(badge=hire(house).number)
    actor = replace(house.actor(Role.DEALER, table.terminals.get()), staff_id=other.id)
    dealer_sign_on(table_id=table.id, command=Command(uuid.uuid4(), actor))
    deal(house, changed.id, support.WIN[2:])
    begun = rounds.round_start(
        table_id=table.id,
        bets={3: 20_000, 1: 500},
        coupons={3: "MP-1"},
        command=house.command(Role.DEALER),
    )
    capped = uuid.UUID(begun.body["round"]["id"])
    deal(house, capped, support.TRIPS[:2])
    deal(house, capped, support.TRIPS[2:])
    lost = support.play_with_raise(house, table, support.LOSE, {})
    won = support.play_with_raise(house, table, support.WIN, {2: 2_500})
    return Day(
        session, other.badge, Round.objects.get(id=changed.id), Round.objects.get(id=capped), lost, won
    )


def deal(house: floor.House, round_id: uuid.UUID, cards: Sequence[str]) -> None:
    """Deal these cards."""
    command = house.command(Role.DEALER)
    rounds.round_deal(round_id=round_id, cards=cards, number=len(cards), command=command)


def seat_with_piece(house: floor.House, table: Table, description: str = "") -> uuid.UUID:
    """Somebody known on seat 3, with a promotional piece."""
    made = office.player_create(
        casino_id=house.casino.id,
        reference="" if description else "P-7",
        description=description,
        command=house.office(),
    )
    player, cage = uuid.UUID(made.body["player"]), house.command
    seats.seat_take(
        table_id=table.id, seat=3, player_id=player, cash=200_000, chips=0, command=cage(Role.DEALER)
    )
    signed: dict[str, Any] = {"casino_id": house.casino.id, "second": house.badge(Role.PIT_BOSS)}
    promo_stock(pieces={"500": 1}, command=cage(Role.CAGE), **signed)
    del signed["second"]
    promo_issue(player_id=player, pieces={"MP-1": 500}, command=cage(Role.CAGE), **signed)
    return player


def test_what_changes_after_the_night_is_everywhere_the_night_after(
    house: floor.House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results, exports, bundle and paper agree before and after; what was taken then still proves itself."""
    made = played_day(house)
    day = TableSession.objects.get(id=made.session).gaming_day
    before = Taken(house, day, tmp_path / "before")
    night(house, before)
    assert support.codes(house) == []
    dealers = [house.staff[Role.DEALER].badge, made.other]
    assert sorted(in_results(house, day)) == sorted(dealers)
    assert won(before.rows) == in_results(house, day)
    for played, dealer in ((made.changed, dealers[0]), (made.capped, dealers[1])):
        assert {row["dealer"] for row in of_round(before.rows, played)} == {dealer}
        assert facts(on_paper(played.id), "Where and by whom")["Dealer"] == dealer
    _capped(made, before)
    assert before.verify(before.bundle) == VERIFIED

    physical(house, made.lost.id, support.WIN)
    cancel(house, made.won.id)
    table = Table.objects.get(casino=house.casino)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, made.session)
    support.count_drop(house, made.session)
    after = Taken(house, day, tmp_path / "after")
    night(house, after)
    assert support.codes(house) == ["void_after_decision"]
    assert won(after.rows) == in_results(house, day) != won(before.rows)
    assert after.verify(after.bundle) == VERIFIED
    corrected = on_paper(made.lost.id)
    assert facts(corrected, "Round")["Status"].startswith("Complete; settled again on the physical cards")
    assert facts(on_paper(made.won.id), "Round")["Status"].startswith("Cancelled after it was over")
    assert {row["status"] for row in of_round(after.rows, made.won)} == {"cancelled"}
    assert {row["corrected_cards"] for row in of_round(after.rows, made.lost)} == {" ".join(support.WIN)}

    again = before.bundle.read_bytes()
    assert before.bundle_under(before.checkpoint).read_bytes() == again, "cut where it was cut before"
    assert before.verify(before.bundle) == VERIFIED
    said = manifest_of(before.rounds("csv"))["checkpoint"]
    assert (said["size"], said["root"]) == (before.checkpoint.size, bytes(before.checkpoint.root).hex())
    proof = prove_consistency(old=said["size"], new=after.checkpoint.size)
    keys = KeyStore(env.home()).verifiers()
    assert check_consistency(proof.text, old_note=before.checkpoint.note, keys=keys) is not None
    assert before.verify(after.bundle) == FOUND, "and what has changed since is named"
    assert "the journal gives other" in capsys.readouterr().out


def _capped(made: Day, taken: Taken) -> None:
    """Trips at 11 to 1 on 200.00, 5.00 and a piece of 5.00 are 2,310.00: the cap cuts that to 1,500.00."""
    rows = of_round(taken.rows, made.capped)
    assert [(row["seat"], row["bet"], row["promo"]) for row in rows] == [(1, 500, 0), (3, 20_000, 500)]
    assert sum(row["net"] for row in rows) == 150_000
    assert facts(on_paper(made.capped.id), "Round")["House result"] == "-1,500.00 USD"


SECRET = "zyxwvut"
"""In the name of everybody who works here, and in what is known of a player; nowhere else."""
CARD = re.compile(r"(?<![\w+/=-])[2-9TJQKA][CDHS](?![\w+/=-])")
"""A card as the journal spells it, and no part of something else."""
FIRST_PACK = ("deal.draw", "shoe.retire")
"""Entries about the cards that were drawn for the deal: all were seen, and then another pack came."""


def test_nothing_that_leaves_the_house_tells_a_name_or_a_hand_nobody_showed(
    house: floor.House, tmp_path: Path
) -> None:
    """All of exports in each form, their manifests and notes, bundles, paper, and what the API reads."""
    Staff.objects.filter(casino=house.casino).update(display_name=f"Staff {SECRET}")
    table, session = opened(house, "rd-1")
    player = seat_with_piece(house, table, f"tall {SECRET} in a green coat")
    board = rounds.round_start(
        table_id=table.id, bets={3: 500}, coupons={3: "MP-1"}, command=house.command(Role.DEALER)
    )
    deal(house, uuid.UUID(board.body["round"]["id"]), support.PUSH)
    misread = support.play_with_raise(house, table, support.LOSE, {})
    physical(house, misread.id, support.WIN)
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session)
    support.count_drop(house, session)
    room = make_room(house, chips={1: 500, 2: 500, 3: 500}, source=CardSource.DRAWN)
    room.deal()
    hands = {card for seat in room.state.order for card in room.hand(seat)}
    room.play_out(bets=room.state.order[:1])
    seen = {*support.PUSH, *support.LOSE, *support.WIN}
    seen |= {card for each in room.state.players for card in each.shown}
    hidden = hands - seen
    assert len(hidden) > 4, "two laid their hands down unseen"
    taken = Taken(house, TableSession.objects.get(id=session).gaming_day, tmp_path / "taken")
    texts = dict(_texts(taken)) | dict(_printed(tmp_path, house, taken.day))
    texts |= dict(_read(house, room.table, room.round_id, session))
    for name, text in texts.items():
        assert SECRET not in text, name
        assert not any(card_text(card) in text for card in hidden), name
        assert name.startswith("first pack") or not hidden & set(CARD.findall(text)), name
    for path in taken.folder.iterdir():
        assert SECRET.encode() not in path.read_bytes()
    assert str(player) in texts["rounds.jsonl"], "players are ids"
    assert any(card in texts["entries"] for card in seen), "what was shown is there"
    assert len(texts) > 30


def _texts(taken: Taken) -> Iterator[tuple[str, str]]:
    """Every file an auditor takes, as text: what is packed unpacked."""
    for path in taken.folder.iterdir():
        if path.suffix not in (".zip", ".parquet", ".xlsx"):
            yield path.name, path.read_text()
    rows = parquet.read_table(taken.rounds("parquet"))
    yield "parquet", f"{rows.to_pylist()} {rows.schema.metadata}"
    with zipfile.ZipFile(taken.rounds("xlsx")) as book:
        for name in book.namelist():
            yield f"xlsx {name}", book.read(name).decode()
    members = members_of(taken.bundle.read_bytes())
    said: dict[bool, str] = {True: "", False: ""}
    for line in lines_of(members):
        said[line.kind in FIRST_PACK] += json.dumps(line.said) + "\n"
    yield from (("first pack", said[True]), ("entries", said[False]))
    yield "manifest.json", members["manifest.json"].decode()


def _printed(folder: Path, house: floor.House, day: date) -> Iterator[tuple[str, str]]:
    """What is printed of the day."""
    for played in Round.objects.filter(table__casino=house.casino):
        yield f"round {played.id}", filed(folder, "print_round", played.id)
    for session in TableSession.objects.filter(table__casino=house.casino):
        yield f"session {session.table.code}", filed(folder, "print_session", session.id)
    yield "stiff", filed(folder, "stiff_sheet", gaming_day=day, casino=house.casino.code)


def _read(
    house: floor.House, table: Table, round_id: uuid.UUID, session: uuid.UUID
) -> Iterator[tuple[str, str]]:
    """What an auditor reads over the API."""
    desk, day = reader(house), TableSession.objects.get(id=session).gaming_day
    entry = Entry.objects.filter(stream__name=table.stream).earliest("seq")
    for path in (
        *("rounds", "sessions", "round-histories", "exports", "findings", "float", "checkpoints"),
        *(f"rounds/{round_id}", f"rounds/{round_id}/print", f"sessions/{session}/print"),
        *(f"results?by=dealer&from={day}", f"master-game/{day}", f"stiff-sheets/{day}"),
        *(f"entries?stream={table.stream}", f"entries/{entry.id}/proof"),
    ):
        response = desk.http.get(f"{API}{path}")
        assert response.status_code == 200, path
        yield f"{'first pack' if 'stream' in path else ''}{path}", response.getvalue().decode()


BUNDLE = {"kind": "bundle", "form": "zip"}


def test_an_auditor_reaches_nothing_of_another_house(house: floor.House) -> None:
    """Exports, files, filters, schedules, paper and proofs, over the API and in the admin: not there."""
    table, session = opened(house, "rd-1")
    played = support.play_with_raise(house, table, support.WIN, {})
    seal(folder=Folder(env.checkpoint_folder()))
    job, ours = written(house), reader(house)
    queued = post(ours, "exports", ROUNDS).body["export"]["id"]
    desk = support.at_desk(house, Role.AUDITOR)
    schedule = schedule_make(casino_id=house.casino.id, command=desk, **SCHEDULE | {"filter": {}})
    filter_save(casino_id=house.casino.id, name="mine", filter={"seat": 1}, actor=desk.actor)
    entry = Entry.objects.filter(stream__name=table.stream).earliest("seq")
    about = f"export-schedules/{schedule.body['schedule']['id']}"
    read = {
        **{f"exports/{job.id}{part}": "export_not_found" for part in ("", "/file", "/manifest", "/note")},
        f"rounds/{played.id}": "round_not_found",
        f"rounds/{played.id}/print": "round_not_found",
        f"sessions/{session}/print": "session_not_found",
        f"entries/{entry.id}/proof": "entry_not_found",
        about: "export_schedule_not_found",
    }
    stranger = reader(floor.make_house())
    before = floor.snapshot(house)
    for path, code in read.items():
        response = ours.http.get(f"{API}{path}")
        assert response.status_code == 200, path
        assert b"".join(response), path
        reply = stranger.get(path)
        assert (reply.status, reply.code) == (404, code), path
    for path in ("exports", "export-schedules", "saved-filters", "round-histories", "rounds", "findings"):
        assert stranger.get(path).body["results"] == [], path
    for method, path, body, code in (
        ("POST", f"exports/{queued}/cancellation", None, "export_not_found"),
        ("PUT", about, SCHEDULE | {"active": False}, "export_schedule_not_found"),
        ("DELETE", about, None, "export_schedule_not_found"),
        ("DELETE", "saved-filters/mine", None, "saved_filter_not_found"),
        ("POST", "exports", BUNDLE | {"bundle": {"table": str(table.id)}}, "table_not_found"),
        ("POST", "exports", BUNDLE | {"bundle": {"session": str(session)}}, "session_not_found"),
        ("POST", "exports", BUNDLE | {"bundle": {"round": str(played.id)}}, "round_not_found"),
    ):
        reply = stranger.send(method, path, body, {"Idempotency-Key": str(uuid.uuid4())})
        assert (reply.status, reply.code) == (404, code), path
    assert floor.snapshot(house) == before
    other = logged_in(floor.make_house(), Role.AUDITOR)
    for name in ("file", "manifest", "note", "cancel"):
        assert other.get(reverse(f"admin:audit_exportjob_{name}", args=[job.id])).status_code == 404, name
    listed = other.get(reverse("admin:audit_exportjob_changelist"))
    assert (listed.status_code, str(job.id) in listed.text) == (200, False)
