"""A table's life: settled rounds voided, stints, closings cancelled, rules and chips changed."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from audit.models import Finding
from audit.report import day_report
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from audit.services.resettlement import gaming_day_resettle
from ledger.models import Entry
from ledger.selectors import balances, movements
from ledger.verify_journal import verify_journal
from tables.models import (
    CardSource,
    Countersignature,
    Role,
    Round,
    RoundStatus,
    SignIn,
    Stint,
    Table,
    TableSession,
    Terminal,
)
from tables.selectors.chips import chips_walked
from tables.selectors.stints import stint_records, stints_of
from tables.services import office, rounds, seats, sessions, shoes, stints
from tables.services.command import Answer, Command
from tables.services.corrections import round_correct
from tables.services.reopening import session_reopen
from tables.services.signatures import Badge
from tables.services.stints import dealer_relieve, dealer_sign_off, dealer_sign_on
from tables.services.table_life import round_cancel, seat_cash_out, seat_change, table_rules
from tables.services.terminals import actor_at, sign_in
from tests import floor, room
from tests.audit import support
from tests.floor import House, refused

LIVE = {"reason": "misdeal", "note": "the shoe was short"}


@pytest.fixture
def table(house: House) -> Table:
    """An open table with a scanned shoe and players on seats 1 and 2, 2,000.00 before each."""
    made, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    made.refresh_from_db()
    return made


def last(table: Table) -> Entry:
    return Entry.objects.filter(stream__name=table.stream).latest("seq")


def moves_of(entry: Entry) -> list[tuple[str, str, int]]:
    return [(m.source.name, m.target.name, m.amount) for m in movements(entry)]


def cancel(house: House, round_id: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"second": house.badge(Role.PIT_BOSS), **LIVE}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return round_cancel(round_id=round_id, command=command, **(given | other))


def physical(house: House, round_id: uuid.UUID, cards: Sequence[str]) -> Answer:
    second = house.badge(Role.PIT_BOSS)
    command = house.command(Role.SUPERVISOR)
    return round_correct(
        round_id=round_id, cards=cards, reason="card_misread", second=second, command=command
    )


def found(house: House) -> list[str]:
    """What the re-settlement of the house's gaming day finds."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)
    return support.codes(house)


def of_players(table: Table) -> Mapping[str, int]:
    return {name: held for name, held in balances(table.stream).items() if not name.startswith("cash")}


def hire(house: House, role: Role = Role.DEALER) -> Badge:
    """Another person of that role."""
    number = f"X-{uuid.uuid4().hex[:8]}"
    office.staff_create(
        casino_id=house.casino.id,
        badge=number,
        display_name="Dealer 2",
        role=role,
        pin=floor.PIN,
        password="",
        command=house.office(),
    )
    return Badge(number, floor.PIN)


# a round that is over is voided


def test_the_void_of_a_settled_round_restores_every_seat_and_the_tray(house: House, table: Table) -> None:
    """Whatever its state: two signatures, the result kept, the row says cancelled, the audit shows it."""
    before = of_players(table)
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    answer = cancel(house, played.id)
    assert (answer.status, answer.body["round"]["status"]) == (201, "cancelled")
    assert answer.body["round"]["results"]["1"]["net"] == 2000, "the result is kept"
    assert of_players(table) == before
    entry, kept = last(table), Round.objects.get(id=played.id)
    assert (entry.kind, kept.cancelled_seq, kept.status) == ("round.cancel", entry.seq, RoundStatus.CANCELLED)
    assert (kept.state, kept.last_seq) == (played.state, played.last_seq)
    signed = Countersignature.objects.get(stream=table.stream, seq=entry.seq)
    assert (signed.act, signed.second_id) == ("round.void", house.staff[Role.PIT_BOSS].id)
    assert json.loads(entry.payload)["note"] == LIVE["note"]
    assert found(house) == ["void_after_decision"]


def test_a_voided_round_leaves_t_b_and_u_at_zero(house: House) -> None:
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    support.play_with_raise(house, table, support.WIN, {})
    cancel(house, played.id)
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    kept = session_reconcile(session_id=session_id)
    assert kept is not None
    assert (kept.tray, kept.box, kept.unexplained, kept.rounds_result) == (0, 0, 0, -3_500)
    conservation_check(casino_id=house.casino.id)
    assert found(house) == ["void_after_decision"]


def test_what_has_left_the_table_is_in_dispute(house: House, table: Table) -> None:
    """The winner of seat 1 has gone; whoever sits there now does not pay. The loser of seat 2 gets all."""
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    seats.seat_leave(table_id=table.id, seat=1, command=house.command(Role.DEALER))
    floor.seat_player(house, table, 1, 10_000)
    answer = cancel(house, played.id)
    assert moves_of(last(table)) == [("floor", "disputed", 2_000), ("seat:2", "tray", 2_500)]
    assert answer.body["correction"]["into_dispute"] == 2_000
    assert found(house) == ["void_after_decision"]


def test_nothing_is_refused_for_lack_of_chips(house: House, table: Table) -> None:
    """The winner has lost again what he won: what he has comes back, the rest is claimed."""
    played = floor.play_round(house, table, {1: 100_000}, ("8S", "8H", "8D"))
    for _ in range(5):
        floor.play_round(house, table, {1: 100_000}, support.LOSE)
    held = balances(table.stream)["seat:1"]
    assert held == 800_000
    cancel(house, uuid.UUID(played.body["round"]["id"]))
    assert moves_of(last(table)) == [("seat:1", "tray", held), ("floor", "disputed", 300_000)]


def test_a_corrected_round_is_voided_as_it_stands(house: House, table: Table) -> None:
    before = of_players(table)
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    physical(house, played.id, support.WIN)
    cancel(house, played.id)
    assert of_players(table) == before
    with refused(house, "round_voided"):
        physical(house, played.id, support.LOSE)
    assert found(house) == ["void_after_decision"]


def test_a_round_is_voided_once_between_rounds_by_two_who_may(house: House, table: Table) -> None:
    played = support.play_with_raise(house, table, support.WIN, {})
    for actor, second, code in (
        (Role.DEALER, Role.PIT_BOSS, "operation_not_allowed"),
        (Role.SUPERVISOR, Role.SUPERVISOR, "same_person_signed"),
        (Role.SUPERVISOR, Role.DEALER, "may_not_countersign"),
    ):
        with refused(house, code):
            cancel(house, played.id, second=house.badge(second), command=house.command(actor))
    with refused(house, "bad_reason"):
        cancel(house, played.id, reason="mispaid")
    with refused(house, "round_not_found"):
        cancel(house, uuid.uuid4())
    running = support.raising(house, table, support.WIN[:2])
    with refused(house, "round_in_progress"):
        cancel(house, played.id)
    rounds.round_void(
        round_id=running.id,
        reason="misdeal",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.DEALER),
    )
    with refused(house, "round_voided"):
        cancel(house, running.id)
    command = house.command(Role.SUPERVISOR)
    done = cancel(house, played.id, command=command)
    again = cancel(house, played.id, command=command)
    assert (again.replayed, again.body) == (True, done.body)
    with refused(house, "round_voided"):
        cancel(house, played.id)


def test_who_dealt_a_round_of_an_earlier_session_does_not_sign_its_void(house: House) -> None:
    """The round of the day's first session is voided in the second; of another day it is refused."""
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.close(house, table, session_id)
    with refused(house, "table_closed"):
        cancel(house, played.id)
    kept = TableSession.objects.get(id=session_id)
    support.open_again(house, table)
    Round.objects.filter(id=played.id).update(dealer=house.staff[Role.PIT_BOSS])
    with refused(house, "not_independent"):
        cancel(house, played.id)
    Round.objects.filter(id=played.id).update(dealer=house.staff[Role.DEALER])
    TableSession.objects.filter(id=session_id).update(gaming_day="2001-01-01")
    with refused(house, "other_gaming_day"):
        cancel(house, played.id)
    TableSession.objects.filter(id=session_id).update(gaming_day=kept.gaming_day)
    cancel(house, played.id)
    assert json.loads(last(table).payload)["late"] is True
    assert moves_of(last(table)) == [("floor", "disputed", 2_000), ("floor", "disputed", 2_500)]
    assert found(house) == ["void_after_decision"]


FEE = {"kind": "deal", "amount": 2, "minutes": 0}


@pytest.mark.parametrize("name", ["high_card_pool", "burning_card", "banking"])
def test_a_card_room_round_goes_back_to_pool_seats_and_tray(house: House, name: str) -> None:
    """Stakes, forfeits, antes and fees: each seat, the pool and the tray as they lay before the round."""
    banked = {"bank": 40} if name == "banking" else {}
    made = room.make_room(house, name, chips={1: 100, 2: 100, 3: 100}, source=CardSource.DRAWN, fee=FEE)
    before = of_players(made.table)
    made.deal(**banked)
    made.play_out(bets=(1, 2, 3))
    assert of_players(made.table) != before
    cancel(house, made.round_id)
    assert of_players(made.table) == before
    assert found(house) == ["void_after_decision"]


def test_what_the_pool_does_not_hold_any_more_is_in_dispute(house: House) -> None:
    """Three anted 10 each; the pool was divided and two of them left with a third each."""
    made = room.make_room(house, chips={1: 100, 2: 100, 3: 100}, source=CardSource.DRAWN)
    made.deal()
    made.play_out()
    paid = {seat: 100 - held for seat, held in enumerate(made.lying("seat:1", "seat:2", "seat:3"), 1)}
    made.divide()
    made.leave(3)
    before = of_players(made.table)
    cancel(house, made.round_id)
    assert moves_of(last(made.table)) == [("disputed", "floor", owed) for owed in paid.values() if owed]
    now = of_players(made.table)
    assert now["pool"] == 0
    assert now["disputed"] == before["disputed"] - sum(paid.values())
    assert found(house) == ["void_after_decision"]


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


def t_of_stints(house: House) -> list[int | None]:
    """T of each stint of the house."""
    return [row["T"] for row in stint_records(stints_of(casino_id=house.casino.id).order_by("began_seq"))]


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
    missing = [one.evidence.get().body for one in Finding.objects.filter(code="tray_difference")]
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
    bodies = [one.evidence.get().body for one in Finding.objects.filter(code="tray_difference")]
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
    assert [entry.kind for entry in Entry.objects.filter(kind__startswith="dealer.").order_by("seq")] == [
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
    seen = Finding.objects.count()
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
    assert Finding.objects.count() == seen, "nothing new: only what the wrong closer was worth a look for"
    (line,) = day_report(casino_id=house.casino.id, gaming_day=kept.session.gaming_day).lines
    assert (line.sessions, line.rounds, line.tray, line.verified) == (1, 2, 0, True)
    assert [row.ended_total is None for row in Stint.objects.order_by("began_seq")] == [True, False]
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


# the rules of a table


def released(house: House, **changes: Any) -> uuid.UUID:
    """Another rule set like the table's, but for these changes."""
    body = floor.RULES | changes
    made = office.rule_set_create(
        casino_id=house.casino.id, name="evening", body=body, command=house.office()
    )
    return uuid.UUID(made.body["rules"])


def change_rules(house: House, table: Table, rules_id: uuid.UUID, **other: Any) -> Answer:
    given: dict[str, Any] = {"reason": "the evening's limits", "second": house.badge(Role.PIT_BOSS)}
    command = other.pop("command", None) or house.command(Role.SUPERVISOR)
    return table_rules(table_id=table.id, rules_id=rules_id, command=command, **(given | other))


def test_limits_change_between_rounds_and_every_round_keeps_its_own(house: House, table: Table) -> None:
    """Two sign; old and new are journalled; the bet that was too small before is played after."""
    before = floor.play_round(house, table, {1: 500}, support.LOSE).body["round"]["id"]
    cheaper = released(house, min_bet=100)
    with refused(house, "bet_below_minimum"):
        floor.play_round(house, table, {1: 100}, support.LOSE)
    answer = change_rules(house, table, cheaper)
    assert answer.body["limits"]["min_bet"] == 100
    said = json.loads(last(table).payload)
    assert (said["before"]["id"], said["after"]["id"]) == (str(table.rules_id), str(cheaper))
    after = floor.play_round(house, table, {1: 100}, support.WIN).body["round"]["id"]
    rows = {str(row.id): row.rules_id for row in Round.objects.filter(table=table)}
    assert rows == {before: table.rules_id, after: cheaper}
    assert found(house) == []
    Round.objects.filter(id=after).update(rules_id=table.rules_id)
    assert found(house) == ["round_projection_differs"]


def test_a_round_under_other_rules_than_the_table_s_is_found(house: House, table: Table) -> None:
    other = released(house, min_bet=100)
    Table.objects.filter(id=table.id).update(rules_id=other)  # past the services
    floor.play_round(house, table, {1: 500}, support.LOSE)
    assert found(house) == ["rules_not_in_force"]


def test_rules_that_do_not_fit_are_refused(house: House, table: Table) -> None:
    floor.seat_player(house, table, 5, 10_000)
    fits = released(house, seats=5)
    for rules_id, code in (
        (released(house, seats=4), "seats_unlike_table"),
        (released(house, seats=8), "seats_unlike_table"),
        (released(house, packs=8), "shoe_loaded"),
        (released(house, cut_card=52), "shoe_loaded"),
        (table.rules_id, "same_rules"),
        (uuid.uuid4(), "rules_not_found"),
        (room.make_room(house, chips={}).row.rules_id, "wrong_game"),
    ):
        with refused(house, code):
            change_rules(house, table, rules_id)
    for actor, second, code in (
        (Role.DEALER, Role.PIT_BOSS, "operation_not_allowed"),
        (Role.SUPERVISOR, Role.SUPERVISOR, "same_person_signed"),
        (Role.SUPERVISOR, Role.DEALER, "may_not_countersign"),
    ):
        with refused(house, code):
            change_rules(house, table, fits, second=house.badge(second), command=house.command(actor))
    with refused(house, "reason_missing"):
        change_rules(house, table, fits, reason="")
    running = support.raising(house, table, support.WIN[:2])
    with refused(house, "round_in_progress"):
        change_rules(house, table, fits)
    rounds.round_deal(round_id=running.id, cards=("9C",), number=1, command=house.command(Role.DEALER))
    command = house.command(Role.SUPERVISOR)
    done = change_rules(house, table, fits, command=command)
    assert change_rules(house, table, fits, command=command).body == done.body
    with refused(house, "seat_unknown"):
        floor.seat_player(house, table, 6, 10_000)
    shoes.shoe_retire(table_id=table.id, stub=None, burnt=[], command=house.command(Role.DEALER))
    change_rules(house, table, released(house, packs=8))
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    floor.play_round(house, table, {1: 500}, support.LOSE)
    assert found(house) == []


def test_a_card_room_s_rules_change_while_no_chips_lie_in_the_pool(house: House) -> None:
    """The audit follows: the next round's ante is the new one."""
    made = room.make_room(house, chips={1: 100, 2: 100}, source=CardSource.DRAWN)
    body = room.rules_of("high_card_pool", ante=20)
    dearer = office.rule_set_create(
        casino_id=house.casino.id, name="dearer", body=body, command=house.office()
    )
    rules_id = uuid.UUID(dearer.body["rules"])
    made.deal()
    made.play_out()
    with refused(house, "pool_not_empty"):
        change_rules(house, made.table, rules_id)
    made.divide()
    change_rules(house, made.table, rules_id)
    made.shuffle()
    made.draw()
    made.deal()
    made.play_out()
    assert {result["ante"] for result in made.newest.state["results"].values()} == {20}
    assert found(house) == []


# chips


def test_a_colour_change_moves_no_value(house: House, table: Table) -> None:
    """Equal value for equal value, by denomination: an entry, and no movement."""
    before = balances(table.stream)
    command = house.command(Role.DEALER)
    given: dict[str, Any] = {"seat": 1, "into_tray": {"500": 20}, "out_of_tray": {"2500": 4}}
    done = seat_change(table_id=table.id, command=command, **given)
    assert seat_change(table_id=table.id, command=command, **given).body == done.body
    entry = last(table)
    assert (entry.kind, moves_of(entry), json.loads(entry.payload)["value"]) == ("seat.change", [], 10_000)
    assert balances(table.stream) == before
    for changes, code in (
        ({"out_of_tray": {"2500": 5}}, "unequal_exchange"),
        ({"into_tray": {}, "out_of_tray": {}}, "nothing_to_move"),
        ({"into_tray": {"7": 1}}, "unknown_denomination"),
        ({"seat": 3}, "seat_empty"),
        ({"seat": 8}, "seat_unknown"),
        ({"into_tray": {"500": 420}, "out_of_tray": {"10000": 21}}, "chips_not_there"),
    ):
        with refused(house, code):
            seat_change(table_id=table.id, command=house.command(Role.DEALER), **(given | changes))


def test_nobody_is_paid_out_at_a_table(house: House, table: Table) -> None:
    with refused(house, "no_cash_out"):
        seat_cash_out(table_id=table.id, seat=1, amount=1_000, command=house.command(Role.DEALER))
    with refused(house, "seat_empty"):
        seat_cash_out(table_id=table.id, seat=3, amount=1_000, command=house.command(Role.DEALER))


def test_chips_that_walk_from_table_to_table_are_shown_by_player(house: House, table: Table) -> None:
    """A known player leaves one table with chips and brings some to another; cash is no part of it."""
    made = office.player_create(
        casino_id=house.casino.id, reference="P-1", description="", command=house.office()
    )
    player = uuid.UUID(made.body["player"])
    other, _ = floor.ready_table(house, "rd-2")

    def sit(at: Table, cash: int, chips: int) -> None:
        seats.seat_take(
            table_id=at.id,
            seat=4,
            player_id=player,
            cash=cash,
            chips=chips,
            command=house.command(Role.DEALER),
        )

    sit(table, 50_000, 0)
    seats.seat_leave(table_id=table.id, seat=4, command=house.command(Role.DEALER))
    sit(other, 0, 30_000)
    assert [(step.table, step.kind, step.chips) for step in chips_walked(player)] == [
        (table.id, "seat.take", 0),
        (table.id, "seat.leave", 50_000),
        (other.id, "seat.take", 30_000),
    ]
