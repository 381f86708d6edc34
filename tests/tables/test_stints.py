"""Who deals at a table, and a closing that was a mistake."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from audit.models import Finding
from audit.report import day_report
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from ledger.models import Entry
from ledger.selectors import balances
from ledger.statements import history
from ledger.verify_journal import verify_journal
from tables.models import (
    CardSource,
    Countersignature,
    DropBox,
    Role,
    Round,
    SignIn,
    Stint,
    Table,
    TableSession,
    Terminal,
)
from tables.selectors.statements import statement_record
from tables.selectors.stints import stint_records, stints_of
from tables.services import sessions, shoes, stints
from tables.services.command import Answer, Command
from tables.services.reopening import session_reopen
from tables.services.signatures import Badge
from tables.services.stints import dealer_relieve, dealer_sign_off, dealer_sign_on
from tables.services.terminals import actor_at, sign_in
from tests import floor
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import found, hire, last, moves_of

# who deals


@dataclass
class Duty:
    """A table whose terminal's dealer opened it, and is on."""

    house: House
    table: Table
    terminal: Terminal
    session: uuid.UUID

    @property
    def row(self) -> Table:
        return Table.objects.select_related("stint").get(id=self.table.id)

    @property
    def tray(self) -> int:
        return balances(self.table.stream)["tray"]

    def command(self, role: Role = Role.DEALER) -> Command:
        return self.house.command(role, self.terminal)

    def relieve(self, relief: Badge, off: int | None = None, **how: Any) -> Answer:
        """Relief without a count, or with one that is `off` minor units from the books."""
        count = None if off is None else {"100": (self.tray + off) // 100}
        command = how.pop("command", None) or self.command()
        return dealer_relieve(table_id=self.table.id, relief=relief, command=command, count=count, **how)


@pytest.fixture
def duty(house: House) -> Duty:
    """Open, with two players seated."""
    table = floor.make_table(house, card_source=CardSource.SCANNED)
    floor.fill_table(house, table)
    terminal, _ = floor.enrol(house, table)
    opened = sessions.session_open(
        table_id=table.id,
        opener=floor.CHIPS,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER, terminal),
    )
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    support.everybody_sits(house, table)
    return Duty(house, table, terminal, uuid.UUID(opened.body["session"]["id"]))


def test_a_statement_says_what_was_last_counted_by_denomination(house: House, duty: Duty) -> None:
    """Opener, relief and closer of the tray; of the count room what the box had; elsewhere nothing."""
    stream = duty.table.stream

    def counted(account: str = "tray", until: int | None = None) -> dict[str, Any] | None:
        said: dict[str, Any] | None = statement_record(history(stream, account, until=until))["count"]
        return said

    opener = counted()
    assert opener is not None
    assert (opener["what"], opener["chips"]) == ("opener", floor.CHIPS)
    duty.relieve(hire(house), off=-100)
    lay, seq = duty.tray, last(duty.table).seq
    assert counted() == {"what": "relief", "seq": seq, "chips": {"100": lay // 100}, "total": lay}
    assert counted(until=seq - 1) == opener
    support.close(house, duty.table, duty.session)
    closer = counted()
    assert closer is not None
    assert (closer["what"], closer["total"]) == ("closer", duty.tray)
    assert counted("cash:count_room") is None
    support.count_drop(house, duty.session)
    box, inserted = DropBox.objects.get(session=duty.session), balances(stream)["cash:count_room"]
    found = {"what": f"box {box.label}", "seq": box.counted_seq}
    notes = {"chips": {"100": inserted // 100}, "total": inserted}
    assert counted("cash:count_room") == found | notes
    assert counted("count_room") == found | {"chips": {}, "total": 0}
    assert (counted("seat:1"), counted("cash:drop_box")) == (None, None)


def test_who_dealt_each_round_is_who_was_on(house: House, duty: Duty) -> None:
    """Opener to relief to closer: each round is its stint's dealer's, whoever typed it."""
    first = support.play_with_raise(house, duty.table, support.WIN, {})
    second = hire(house)
    answer = duty.relieve(second, off=0)
    assert answer.status == 201
    entry = last(duty.table)
    signed = Countersignature.objects.get(stream=duty.table.stream, seq=entry.seq)
    assert (signed.first_id, signed.second.badge) == (house.staff[Role.DEALER].id, second.number)
    later = support.play_with_raise(house, duty.table, support.LOSE, {})  # typed by dealer 1
    assert (first.dealer_id, later.dealer.badge) == (house.staff[Role.DEALER].id, second.number)
    assert SignIn.objects.get(terminal=duty.terminal, ended_at=None).staff.badge == second.number
    support.close(house, duty.table, duty.session)
    gone, came = Stint.objects.filter(table=duty.table).order_by("began_seq")
    assert (gone.began_total, gone.ended_total, gone.ended_seq) == (1_740_000, came.began_total, entry.seq)
    kept = TableSession.objects.get(id=duty.session)
    assert (came.ended_total, came.ended_seq) == (kept.closer_total, kept.closed_seq)
    assert duty.row.stint is None
    session_reconcile(session_id=duty.session)
    assert found(house) == []
    rows = stint_records(stints_of(casino_id=house.casino.id, table=duty.table.id).order_by("began_seq"))
    assert [(row["rounds"], row["T"]) for row in rows] == [(1, 0), (1, 0)]


def test_what_is_missing_is_of_the_stint_between_two_counts(house: House, duty: Duty) -> None:
    support.play_with_raise(house, duty.table, support.WIN, {})
    duty.relieve(hire(house), off=-500)
    support.play_with_raise(house, duty.table, support.LOSE, {})
    support.close(house, duty.table, duty.session)
    session_reconcile(session_id=duty.session)
    missing = [
        one.evidence.get().body for one in Finding.objects.filter(casino=house.casino, code="tray_difference")
    ]
    gone = Stint.objects.filter(table=duty.table).earliest("began_seq")
    assert sorted(body["T"] for body in missing) == [-500, -500], "the session's, and the stint's"
    (of_stint,) = [body for body in missing if "stints" in body]
    assert (of_stint["stints"], of_stint["dealers"]) == ([str(gone.id)], [str(gone.dealer_id)])
    assert [
        row["T"] for row in stint_records(stints_of(casino_id=house.casino.id).order_by("began_seq"))
    ] == [-500, 0]


def test_without_a_count_nobody_alone_is_charged(house: House, duty: Duty) -> None:
    duty.relieve(hire(house))
    duty.relieve(hire(house), off=-500, command=duty.command(Role.SUPERVISOR))
    support.close(house, duty.table, duty.session)
    session_reconcile(session_id=duty.session)
    bodies = [
        one.evidence.get().body for one in Finding.objects.filter(casino=house.casino, code="tray_difference")
    ]
    (shared,) = [body["stints"] for body in bodies if "stints" in body]
    assert len(shared) == 2
    assert [
        row["T"] for row in stint_records(stints_of(casino_id=house.casino.id).order_by("began_seq"))
    ] == [None, None, 0]


def test_a_dealer_who_signs_in_is_on_and_who_signs_out_is_off(house: House, duty: Duty) -> None:
    """Signing in as a dealer at an open table is signing on; who runs the floor signs in without dealing."""
    second = hire(house)
    entered = sign_in(terminal=duty.terminal, badge=second)
    actor = actor_at(duty.terminal, entered.staff)
    on = stints.signed_in(entered, actor)
    assert on is not None
    assert duty.row.stint.dealer_id == entered.staff_id  # type: ignore[union-attr]
    assert stints.signed_in(entered, actor) is None, "once"
    boss = sign_in(terminal=duty.terminal, badge=house.badge(Role.SUPERVISOR))
    assert stints.signed_in(boss, actor_at(duty.terminal, boss.staff)) is None
    stints.signed_out(boss, actor_at(duty.terminal, boss.staff))
    assert duty.row.stint.dealer_id == entered.staff_id  # type: ignore[union-attr]
    again = sign_in(terminal=duty.terminal, badge=second)
    stints.signed_out(again, actor)
    assert duty.row.stint is None
    signed = Entry.objects.filter(stream__name=duty.table.stream, kind__startswith="dealer.").order_by("seq")
    assert [entry.kind for entry in signed] == [
        "dealer.sign_on",
        "dealer.sign_off",
    ]
    with refused(house, "nobody_deals"):
        dealer_sign_off(table_id=duty.table.id, command=duty.command())
    played = support.play_with_raise(house, duty.table, support.WIN, {})
    assert played.dealer_id == house.staff[Role.DEALER].id, "whoever begins it, where nobody is on"


def test_a_relief_that_cannot_be_is_refused(house: House, duty: Duty) -> None:
    second, cashier = hire(house), house.badge(Role.CAGE)
    for relief, code in (
        (house.badge(Role.DEALER), "same_person_signed"),
        (cashier, "may_not_deal"),
        (Badge(second.number, "000000"), "badge_or_pin_wrong"),
    ):
        with refused(house, code):
            duty.relieve(relief)
    with refused(house, "on_duty"):
        duty.relieve(house.badge(Role.DEALER), command=duty.command(Role.SUPERVISOR))
    with refused(house, "on_duty"):
        dealer_sign_on(table_id=duty.table.id, command=duty.command())
    with refused(house, "unknown_denomination"):
        dealer_relieve(table_id=duty.table.id, relief=second, count={"7": 1}, command=duty.command())
    command = duty.command()
    done = duty.relieve(second, command=command)
    assert duty.relieve(second, command=command).body == done.body, "a retry has no second effect"
    with refused(house, "not_your_stint"):
        duty.relieve(house.badge(Role.PIT_BOSS))
    with refused(house, "not_your_stint"):
        dealer_sign_off(table_id=duty.table.id, command=duty.command())
    support.raising(house, duty.table, support.WIN[:2])
    with refused(house, "round_in_progress"):
        duty.relieve(house.badge(Role.DEALER), command=duty.command(Role.SUPERVISOR))


# a closing that was a mistake


def reopen(house: House, session_id: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "wrong table", "second": house.badge(Role.SUPERVISOR)}
    command = other.pop("command", None) or house.command(Role.PIT_BOSS)
    return session_reopen(session_id=session_id, command=command, **(given | other))


def test_a_session_goes_on_as_if_it_had_not_been_closed(house: House, duty: Duty) -> None:
    """The wrong closer stays on record; books, rounds and stints are the session's, and right at the end."""
    support.play_with_raise(house, duty.table, support.WIN, {})
    before = duty.tray
    support.close(house, duty.table, duty.session, off=-700)
    session_reconcile(session_id=duty.session)
    seen = Finding.objects.filter(casino=house.casino).count()
    answer = reopen(house, duty.session)
    assert answer.body["session"]["status"] == "open"
    entry = last(duty.table)
    said = json.loads(entry.payload)
    assert (said["variance"], said["closer_total"]) == (-700, duty.tray - 700)
    assert moves_of(entry) == [("over_short", "tray", 700)]
    assert duty.tray == before
    floor.fill_table(house, duty.table, {"100": 5})
    dealer_sign_on(table_id=duty.table.id, command=duty.command())
    support.everybody_sits(house, duty.table)
    support.play_with_raise(house, duty.table, support.LOSE, {})
    assert Round.objects.filter(session=duty.session).count() == 2
    assert session_reconcile(session_id=duty.session) is None
    support.close(house, duty.table, duty.session)
    support.count_drop(house, duty.session)
    kept = session_reconcile(session_id=duty.session)
    assert kept is not None
    assert (kept.tray, kept.box, kept.unexplained, kept.fills) == (0, 0, 0, 500)
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=kept.session.gaming_day)
    assert Finding.objects.filter(casino=house.casino).count() == seen, (
        "nothing new: only what the wrong closer was worth a look for"
    )
    (line,) = day_report(casino_id=house.casino.id, gaming_day=kept.session.gaming_day).lines
    assert (line.sessions, line.rounds, line.tray, line.verified) == (1, 2, 0, True)
    assert [
        row.ended_total is None for row in Stint.objects.filter(table=duty.table).order_by("began_seq")
    ] == [True, False]
    assert verify_journal(stream=duty.table.stream).ok


def test_a_closing_is_cancelled_by_two_while_nobody_has_touched_the_drop(house: House, duty: Duty) -> None:
    with refused(house, "session_open"):
        reopen(house, duty.session)
    support.close(house, duty.table, duty.session)
    for actor, second, code in (
        (Role.SUPERVISOR, Role.PIT_BOSS, "operation_not_allowed"),
        (Role.PIT_BOSS, Role.PIT_BOSS, "same_person_signed"),
        (Role.PIT_BOSS, Role.DEALER, "may_not_countersign"),
    ):
        with refused(house, code):
            reopen(house, duty.session, second=house.badge(second), command=house.command(actor))
    with refused(house, "reason_missing"):
        reopen(house, duty.session, reason=" ")
    with refused(house, "session_not_found"):
        reopen(house, uuid.uuid4())
    again = support.open_again(house, duty.table)
    with refused(house, "table_open"):
        reopen(house, duty.session)
    sessions.session_close(
        session_id=again,
        closer=TableSession.objects.get(id=duty.session).closer or {},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    with refused(house, "session_not_last"):
        reopen(house, duty.session)
    command = house.command(Role.PIT_BOSS)
    done = reopen(house, again, command=command)
    assert reopen(house, again, command=command).body == done.body
    sessions.session_close(
        session_id=again,
        closer=TableSession.objects.get(id=duty.session).closer or {},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    support.count_drop(house, again)
    with refused(house, "drop_counted"):
        reopen(house, again)


def test_opened_again_the_same_day_the_opener_is_the_last_closer(house: House, duty: Duty) -> None:
    """A new session, rolled from the closer of the one before, signed by two."""
    support.close(house, duty.table, duty.session)
    again = support.open_again(house, duty.table)
    kept = TableSession.objects.get(id=again)
    before = TableSession.objects.get(id=duty.session)
    assert (kept.opener, kept.opener_total, kept.number) == (before.closer, before.closer_total, 2)
    assert Countersignature.objects.filter(stream=duty.table.stream, seq=kept.opened_seq).exists()
    session_reconcile(session_id=duty.session)
    assert found(house) == []
