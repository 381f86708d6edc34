"""`manage.py export_bundle`: what is in a bundle, what it starts from, and that it is the same each time."""

import json
import re
import uuid
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from audit.bundle.scope import Scope, signed_in_office
from audit.selectors.results import results
from audit.services.reconciliation import session_reconcile
from audit.verify.bundle import verify_bundle
from audit.verify.manifest import MEMBERS
from audit.verify.notes import parse_key
from audit.verify.page import page, report
from config import env
from config.commands import FAILED
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry, Head
from tables.figures import gaming_day
from tables.models import Role, Round, TableSession
from tables.services.days import gaming_day_close
from tables.services.office import rule_set_create
from tables.services.rounds import round_void
from tables.services.table_life import round_cancel, table_rules
from tests.audit import support
from tests.audit.verify.made import Made, members_of, records_of
from tests.floor import House
from tests.room import make_room, rules_of
from tests.tables.test_staff import employ


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of the test's own to publish checkpoints to."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    return tmp_path


def export(house: House, path: Path, **about: Any) -> str:
    """Run the command; what it said."""
    out = StringIO()
    call_command("export_bundle", casino=house.casino.code, output=path, stdout=out, **about)
    return out.getvalue()


def manifest(bundle: bytes) -> dict[str, Any]:
    """What a bundle says it is."""
    said: dict[str, Any] = json.loads(members_of(bundle)["manifest.json"])
    return said


def test_a_bundle_says_what_it_holds(made: Made) -> None:
    said = manifest(made.bundles["day"])
    assert [one["name"] for one in said["members"]] == list(MEMBERS[2:])
    assert said["counts"] == {**said["counts"], "sessions": 6, "rounds": 10, "shoes": 9}
    assert len(said["gaming_days"]) == 1
    assert {"rd-1", "rd-2", "rd-beside"} < set(said["tables"].values())
    assert [one["game"] for one in said["engines"]] == ["high_card_pool", "red_dog"]
    assert {span["stream"].partition(":")[0] for span in said["streams"]} == {"cage", "table"}
    entries = records_of(members_of(made.bundles["day"])["entries"])
    assert said["counts"]["entries"] == len(entries)


def test_a_part_starts_from_balances_and_says_what_proves_them(made: Made) -> None:
    """The tray and the layout by a count two people signed; whole streams need nobody's word."""
    judged = made.judged(made.bundles["session"])
    (stream,) = report(judged, [])["streams"]
    load = judged.manifest.spans[0].first  # type: ignore[union-attr]
    assert load > 1
    assert stream["balances"]["tray"] > 0
    assert stream["opening"].startswith("tray and layout proved by the count of entry")
    assert all(
        span["first"] == 1 and not span["balances"] for span in manifest(made.bundles["whole"])["streams"]
    )


def test_what_a_correction_goes_back_to_is_cited(made: Made) -> None:
    """The round corrected in a later session, its rule set, the accounts: entries like all others."""
    alone, whole = manifest(made.bundles["session"]), manifest(made.bundles["table"])
    assert alone["counts"]["cited"] > whole["counts"]["cited"]
    assert made.judged(made.bundles["session"]).holds


def test_what_the_office_does_by_two_goes_with_its_day(house: House, folder: Path) -> None:
    """FOUR-EYES: a day's closing goes with it, whenever it was; only what is under the checkpoint does."""
    employ(house.casino, house.office(), Role.DEALER, second=house.badge(Role.PIT_BOSS))
    today = gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)
    before = today - timedelta(days=1)

    def cited(day: date) -> list[str]:
        seal(folder=Folder(folder / "published"))
        size = Checkpoint.objects.latest("size").size
        seqs = signed_in_office(Scope(house.casino, day), size)
        office = Entry.objects.filter(stream__name=house.casino.stream, seq__in=seqs).order_by("seq")
        assert signed_in_office(Scope(house.casino, day), 0) == []
        return list(office.values_list("kind", flat=True))

    assert "day.close" not in cited(before)
    assert set(cited(today)) == {"staff.create"}
    signed: dict[str, Any] = {"second": house.badge(Role.PIT_BOSS), "command": house.command(Role.CAGE)}
    gaming_day_close(casino_id=house.casino.id, gaming_day=before, **signed)
    assert cited(before)[-1:] == ["day.close"]
    assert set(cited(today)) == {"staff.create"}


def test_every_scope_is_exported_and_the_same_request_gives_the_same_bytes(
    house: House, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 500})
    support.close(house, table, session_id)
    day = TableSession.objects.get(id=session_id).gaming_day
    path = folder / "bundle.zip"
    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr.isatty", lambda: True)
        assert "entries in" in export(house, path, gaming_day=day)
    assert "entries/s" in capsys.readouterr().err, "a bar, for people"
    size, first = Checkpoint.objects.latest("size").size, path.read_bytes()
    support.count_drop(house, session_id)
    export(house, path, gaming_day=day, checkpoint=size)
    assert path.read_bytes() == first, "what came later changes nothing under an earlier checkpoint"
    note = folder / "note"
    note.write_text(Checkpoint.objects.latest("size").note)
    for about in (
        {"gaming_day": day, "whole": True},
        {"table": table.code, "since": note},
        {"session": session_id},
        {"round": Round.objects.get(session=session_id).id},
    ):
        export(house, path, **about)
        assert (
            manifest(path.read_bytes())["checkpoint"]["size"] == Checkpoint.objects.latest("size").size > size
        )
    again = support.open_again(house, table)  # with the shoe of before, which is under the checkpoint
    with pytest.raises(CommandError, match="nothing of it is under the checkpoint"):
        export(house, path, session=again, checkpoint=size)
    assert sorted(one.name for one in folder.iterdir()) == ["bundle.zip", "note", "published"], "no half file"


def test_rules_that_no_round_was_played_by_are_cited(house: House, folder: Path) -> None:
    """CR-BETWEEN: who sits down while they are in force, and what lies there, is followed all the same."""
    room = make_room(house, chips={1: 1_000, 2: 1_000}, dealer=2)
    for ante in (20, 30):
        released = rule_set_create(
            casino_id=house.casino.id,
            name=f"ante {ante}",
            body=rules_of("high_card_pool", ante=ante),
            command=house.office(),
        )
        table_rules(
            table_id=room.table.id,
            rules_id=uuid.UUID(released.body["rules"]),
            reason="asked for",
            second=house.badge(Role.PIT_BOSS),
            command=house.command(Role.SUPERVISOR),
        )
        room.sit({ante // 10 + 1: 1_000})
    room.deal()
    export(house, folder / "bundle.zip", table=room.table.code)
    bundle = (folder / "bundle.zip").read_bytes()
    judged = verify_bundle(bundle, keys=[parse_key(KeyStore(env.home()).signer().verifier.text)])
    assert judged.holds, judged.findings.listed
    assert {"ante 20", "ante 30"} < {one["name"] for one in manifest(bundle)["rule_sets"]}


def test_an_open_session_with_a_round_on_the_table_verifies_as_far_as_it_goes(
    house: House, folder: Path
) -> None:
    """What is not decided yet is pending, and no finding."""
    table, session_id = support.open_scanned(house)
    support.raising(house, table, support.WIN[:2])
    path = folder / "bundle.zip"
    export(house, path, session=session_id)
    key = parse_key(KeyStore(env.home()).signer().verifier.text)
    judged = verify_bundle(path.read_bytes(), keys=[key])
    assert judged.holds, judged.findings.listed
    (session,) = report(judged, [])["sessions"]
    assert (session["rounds"], session["win"], session["win_state"]) == (1, None, "pending")


def test_rounds_that_are_void_are_counted_by_themselves(house: House, folder: Path) -> None:
    """As results count: what is voided while it runs, and what is voided when it was over."""
    table, session_id = support.open_scanned(house)
    why: dict[str, Any] = {"reason": "misdeal", "second": house.badge(Role.PIT_BOSS)}
    support.play_with_raise(house, table, support.WIN, {1: 500})
    over = support.play_with_raise(house, table, support.WIN, {1: 500})
    running = support.raising(house, table, support.WIN[:2])
    round_void(round_id=running.id, command=house.command(Role.DEALER), **why)
    round_cancel(round_id=over.id, command=house.command(Role.SUPERVISOR), **why)
    support.close(house, table, session_id)
    export(house, folder / "bundle.zip", session=session_id)
    key = parse_key(KeyStore(env.home()).signer().verifier.text)
    judged = verify_bundle((folder / "bundle.zip").read_bytes(), keys=[key])
    assert judged.holds, judged.findings.listed
    said = report(judged, [])
    (session,) = said["sessions"]
    assert (session["rounds"], session["voided"], said["counts"]["rounds"]) == (1, 2, 3)
    assert ", 2 voided  drop" in page(judged, [])
    session_reconcile(session_id=session_id)
    day = TableSession.objects.get(id=session_id).gaming_day
    lines = results(house.casino, by="table", first=day, last=day).lines
    assert [(play.rounds, play.voided) for line in lines if (play := line.play)] == [(1, 2)]


def test_a_refused_request_writes_nothing_and_posts_nothing(house: House, folder: Path) -> None:
    heads = dict(Head.objects.values_list("stream_id", "seq"))
    path = folder / "bundle.zip"
    for about in (
        {"table": "none"},
        {"gaming_day": date(2001, 1, 1)},
        {"gaming_day": date(2001, 1, 1), "checkpoint": 10**9},
        {"gaming_day": date(2001, 1, 1), "since": folder / "none"},
    ):
        with pytest.raises(CommandError):
            export(house, path, **about)
    binary = folder / "binary"
    binary.write_bytes(b"\xff")
    for about, output, named in (
        ({"gaming_day": date(2001, 1, 1)}, folder, f"{folder} is a folder"),
        ({"gaming_day": date(2001, 1, 1)}, folder / "no" / "file", f"no folder {folder / 'no'}"),
        ({"gaming_day": date(2001, 1, 1), "since": binary}, path, f"{binary}: it is no text"),
    ):
        with pytest.raises(CommandError, match=re.escape(named)) as refused:
            export(house, output, **about)
        assert refused.value.returncode == FAILED
    assert not path.exists()
    assert dict(Head.objects.values_list("stream_id", "seq")) == heads


def test_a_journal_that_was_tampered_with_is_exported_and_will_not_verify(
    house: House, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bundle is the evidence: exit code 1, and the finding on the spot."""
    table, _ = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {})
    path = folder / "bundle.zip"
    export(house, path, table=table.code)
    assert KeyStore(env.home()).signer().name == manifest(path.read_bytes())["checkpoint"]["origin"]
    monkeypatch.setattr(
        "audit.bundle.rows.HashedMovement",
        lambda source, target, asset, amount: (source, target, asset, amount + 1),
    )
    with pytest.raises(SystemExit) as left:
        export(house, path, table=table.code)
    assert left.value.code == 1
    assert path.exists()
    assert connection.in_atomic_block, "and the test's own work is rolled back"
