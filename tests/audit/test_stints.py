"""A table's life as the audit and an auditor's own machine see it."""

import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.codes import Found
from audit.facts import Fact, Moved, until_closed
from audit.reconcile import Flows
from audit.services.reconciliation import session_reconcile
from audit.stints import stint_finds, stints_of
from audit.verify.bundle import verify_bundle
from audit.verify.dealers import DealerCheck
from audit.verify.notes import parse_key
from audit.verify.rows import read_export
from config import env
from ledger.checkpoints.keys import KeyStore
from tables.models import CardSource, Role, Stint, TableSession
from tables.services import office, sessions, shoes
from tables.services.reopening import session_reopen
from tables.services.stints import dealer_relieve, dealer_sign_on
from tables.services.table_life import round_cancel, seat_change, table_rules
from tests import floor
from tests.audit import support
from tests.audit.exports.reading import export
from tests.floor import House

SESSION, ANYBODY = uuid.UUID(int=5), uuid.UUID(int=6)


def fact(seq: int, kind: str, *moves: tuple[str, str, int], **said: Any) -> Fact:
    moved = tuple(Moved(*move) for move in moves)
    at = datetime(2026, 11, 30, 12, seq, tzinfo=UTC)
    return Fact("table:1", seq, kind, ANYBODY, at, {"session": str(SESSION), **said}, moved)


OPENED = fact(1, "session.open", opener_total=1_000, stint="a", dealer="D1")
WON = fact(2, "round.deal", ("wager:1", "tray", 300))


def test_t_is_worked_out_between_each_two_counts() -> None:
    """T = (closer + credits - opener - fills) - (R through the tray + other moves), for a stint as for a
    session: the first dealer's tray is right, the second's is 50 short, of which a fill was no part."""
    seen = stints_of(
        SESSION,
        [
            OPENED,
            WON,
            fact(3, "dealer.relieve", total=1_300, ended="a", stint="b", dealer="D2"),
            fact(4, "fill.receive", ("cage", "tray", 500)),
            fact(5, "session.close", ("tray", "over_short", 50), closer_total=1_750, ended="b"),
        ],
    )
    assert [(span.tray, [one.dealer for one in span.stints]) for span in seen.spans] == [
        (0, ["D1"]),
        (-50, ["D2"]),
    ]
    (found,) = stint_finds(seen, "table:1", SESSION)
    assert (found.code, found.evidence["T"], found.evidence["stints"]) == ("tray_difference", -50, ["b"])


def test_a_t_that_is_the_session_s_is_the_session_s_to_tell() -> None:
    seen = stints_of(SESSION, [OPENED, WON, fact(5, "session.close", closer_total=1_200, ended="a")])
    assert seen.spans[0].tray == -100
    assert list(stint_finds(seen, "table:1", SESSION)) == []


def test_a_cancelled_closing_counts_for_nothing() -> None:
    """What came between it and its cancelling belongs to the session; what came after the last does not."""
    entries = [
        OPENED,
        fact(2, "session.close", closer_total=900, ended="a"),
        fact(3, "fill.receive", ("cage", "tray", 500)),
        fact(4, "session.reopen"),
        fact(5, "dealer.sign_on", stint="b", dealer="D2"),
        fact(6, "session.close", closer_total=1_500, ended="b"),
        fact(7, "fill.receive", ("cage", "tray", 10)),
        fact(8, "session.open", opener_total=1_510),
    ]
    assert [one.seq for one in until_closed(entries, str(SESSION))] == [1, 2, 3, 4, 5, 6]
    seen = stints_of(SESSION, entries)
    assert [(one.began_total, one.ended_total) for one in seen.stints] == [(1_000, None), (None, 1_500)]
    assert [span.tray for span in seen.spans] == [0]


def offline(entries: list[Fact]) -> list[tuple[str, Any]]:
    """What the offline verifier finds of a session's dealers, which keeps running sums and no spans."""
    finds: list[Found] = []
    flows, check = Flows(), DealerCheck("table:1", SESSION, finds.append)
    for one in until_closed(entries, str(SESSION)):
        flows.add(one)
        if one.kind == "session.reopen":
            check.go_on()
        else:
            check.see(one, flows)
    check.finish()
    return [(one.code, one.evidence.get("T")) for one in finds]


def test_the_offline_verifier_says_the_same() -> None:
    """Between reliefs that were counted, over a closing that was cancelled, and of rounds of others."""
    relieved = fact(3, "dealer.relieve", total=1_250, ended="a", stint="b", dealer="D2")
    filled = fact(4, "fill.receive", ("cage", "tray", 500))
    for entries in (
        [OPENED, WON, relieved, filled, fact(5, "session.close", closer_total=1_740, ended="b")],
        [
            *(OPENED, WON, relieved, fact(4, "session.close", closer_total=900, ended="b")),
            *(filled._replace(seq=5), fact(6, "session.reopen")),
            fact(7, "session.close", closer_total=1_740),
        ],
        [OPENED, WON, fact(5, "session.close", closer_total=1_200, ended="a")],
        [OPENED, fact(2, "dealer.sign_off", ended="a"), fact(3, "round.start", round=str(SESSION))],
        [OPENED, fact(2, "round.start", dealer="D9", round=str(SESSION))],
    ):
        told = [(one.code, one.evidence.get("T")) for one in _nightly(entries)]
        assert sorted(offline(entries), key=str) == sorted(told, key=str)
    assert offline([OPENED, WON, relieved]) == [("tray_difference", -50)]


def _nightly(entries: list[Fact]) -> list[Found]:
    return list(stint_finds(stints_of(SESSION, entries), "table:1", SESSION))


def test_a_round_that_is_said_to_be_another_dealer_s_is_found() -> None:
    forged = fact(2, "round.start", dealer="D9", round=str(uuid.uuid4()))
    seen = stints_of(SESSION, [OPENED, forged])
    (found,) = stint_finds(seen, "table:1", SESSION)
    assert (found.code, found.evidence) == ("dealer_differs", {"recorded": "D9", "on": "D1"})


@pytest.fixture
def lived(house: House) -> uuid.UUID:
    """A session in which everything of a table's life happens once."""
    table = floor.make_table(house, card_source=CardSource.SCANNED)
    floor.fill_table(house, table)
    terminal, _ = floor.enrol(house, table)
    opened = sessions.session_open(
        table_id=table.id,
        opener=floor.CHIPS,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER, terminal),
    )
    session_id = uuid.UUID(opened.body["session"]["id"])
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    support.everybody_sits(house, table)
    why: dict[str, Any] = {"reason": "other", "second": house.badge(Role.PIT_BOSS)}
    played = support.play_with_raise(house, table, support.WIN, {})
    round_cancel(round_id=played.id, command=house.command(Role.SUPERVISOR), **why)
    dealer_relieve(
        table_id=table.id,
        relief=house.badge(Role.SUPERVISOR),
        count=None,
        command=house.command(Role.DEALER, terminal),
    )
    body = floor.RULES | {"min_bet": 100}
    made = office.rule_set_create(
        casino_id=house.casino.id, name="evening", body=body, command=house.office()
    )
    rules = uuid.UUID(made.body["rules"])
    table_rules(table_id=table.id, rules_id=rules, command=house.command(Role.SUPERVISOR), **why)
    seat_change(
        table_id=table.id,
        seat=1,
        into_tray={"500": 5},
        out_of_tray={"2500": 1},
        command=house.command(Role.DEALER),
    )
    support.play_with_raise(house, table, support.LOSE, {})
    support.close(house, table, session_id)
    second = house.badge(Role.SUPERVISOR)
    boss = house.command(Role.PIT_BOSS)
    session_reopen(session_id=session_id, reason="the wrong table", second=second, command=boss)
    dealer_sign_on(table_id=table.id, command=house.command(Role.DEALER, terminal))
    support.everybody_sits(house, table)
    support.play_with_raise(house, table, support.WIN, {})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    return session_id


def test_a_table_s_life_verifies_on_an_auditor_s_machine(
    house: House, lived: uuid.UUID, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Books, cancelled round, exported status: all of it follows from the bundle."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    day = TableSession.objects.get(id=lived).gaming_day
    export(house.casino.id, tmp_path / "rounds.jsonl", "jsonl", gaming_day_from=day)
    path = tmp_path / "day.zip"
    call_command("export_bundle", casino=house.casino.code, output=path, gaming_day=day, verbosity=0)
    key = parse_key(KeyStore(env.home()).signer().verifier.text)
    rounds = read_export(tmp_path / "rounds.jsonl")
    assert [row["status"] for row in rounds.rows] == ["cancelled"] * 2 + ["complete"] * 4
    judged = verify_bundle(path.read_bytes(), keys=[key], exports=[rounds])
    assert judged.holds, judged.findings.listed


def test_the_rows_of_stints_are_compared_with_the_journal(house: House, lived: uuid.UUID) -> None:
    session_reconcile(session_id=lived)
    assert support.codes(house) == []
    Stint.objects.filter(session=lived).update(dealer=house.staff[Role.PIT_BOSS])
    session_reconcile(session_id=lived)
    assert support.codes(house) == ["stint_projection_differs"] * 3
