"""Every kind of false round, card and shoe is found when its day is re-settled, and only that."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.facts import Fact
from audit.models import Finding
from audit.resettle import Replayed, TableCheck
from audit.selectors.days import rule_sets
from audit.selectors.journal import facts
from audit.services.days import due_days_queue
from audit.services.resettlement import Resettled, gaming_day_resettle
from ledger.services import Movement, post
from tables.engine.shoe import fresh_cards
from tables.models import Role, Round, RuleSet, Shoe, Table, TableSession
from tables.services import rounds, sessions, shoes
from tests import floor
from tests.audit import support
from tests.floor import House


def resettle(house: House) -> Resettled:
    """Re-settle the gaming day of the house's sessions."""
    day = TableSession.objects.filter(table__casino=house.casino).latest("opened_at").gaming_day
    return gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)


def only(house: House) -> Finding:
    """The one finding of a house."""
    return Finding.objects.get(casino=house.casino)


def test_an_honest_day_has_no_findings(house: House) -> None:
    scanned, first = support.open_scanned(house)
    support.play_with_raise(house, scanned, support.WIN, {1: 1000})
    floor.play_round(house, scanned, {1: 1000}, support.PUSH)
    floor.play_round(house, scanned, {1: 1000}, support.TRIPS)
    support.new_shoe(house, scanned)
    drawn, _ = floor.ready_table(house, "rd-2")
    shoes.shoe_burn(
        table_id=drawn.id, card=None, face_up=True, reason="other", command=house.command(Role.DEALER)
    )
    shoes.shoe_burn(
        table_id=drawn.id, card=None, face_up=False, reason="first_card", command=house.command(Role.DEALER)
    )
    for _ in range(8):
        floor.play_round(house, drawn, {1: 1000, 2: 500})
    support.new_shoe(house, drawn)
    support.close(house, scanned, first)
    done = resettle(house)
    assert (done.sessions, done.rounds, done.findings) == (2, 11, 0)
    assert support.codes(house) == []


def test_a_day_of_another_date_is_not_touched(house: House) -> None:
    table, _ = support.open_scanned(house)
    floor.play_round(house, table, {1: 1000}, support.PUSH)
    day = TableSession.objects.get(table=table).gaming_day
    done = gaming_day_resettle(casino_id=house.casino.id, gaming_day=day.replace(year=day.year - 1))
    assert (done.sessions, done.rounds) == (0, 0)


def test_a_win_paid_at_wrong_odds_is_a_wrong_payout(house: House) -> None:
    table, _ = support.open_scanned(house)
    running = support.raising(house, table, ("5S", "8H"))  # spread 2 pays 4 to 1

    def five_to_one(moves: list[Movement]) -> list[Movement]:
        paid, back = moves[0], moves[2]
        assert (paid.source, paid.amount, back.amount) == ("tray", 4000, 5000)
        return [replace(paid, amount=5000), moves[1], replace(back, amount=6000), moves[3]]

    support.forge(house, running, [{"type": "deal", "card": "7D"}, {"type": "settle"}], moves=five_to_one)
    resettle(house)
    found = only(house)
    assert (found.code, found.round_id, found.severity) == ("wrong_payout", running.id, "critical")
    body = found.evidence.get().body
    assert (body["house_should_win"], body["house_won"]) == (-14_000, -15_000)
    assert body["cards"] == ["5S", "8H", "7D"]


def test_a_raise_whose_chips_did_not_move_is_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    running = support.raising(house, table, ("5S", "QH"))
    action = {"type": "raise", "seat": 1, "amount": 1000}
    support.forge(house, running, [action], kind="round.raise", moves=lambda moves: [])
    resettle(house)
    assert support.codes(house) == ["moves_differ"]


def test_a_state_that_does_not_follow_from_the_actions_is_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    running = support.raising(house, table, ("5S", "QH"))
    action = {"type": "raise", "seat": 1, "amount": 1000}
    support.forge(house, running, [action], kind="round.raise", payload={"state": "0" * 64})
    resettle(house)
    assert support.codes(house) == ["state_differs"]


def test_a_third_card_on_consecutives_is_an_illegal_action(house: House) -> None:
    table, _ = support.open_scanned(house)
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    running = Round.objects.get(id=begun.body["round"]["id"])
    two = [{"type": "deal", "card": card} for card in support.PUSH]
    posted = support.forge(house, running, two)
    support.forge(
        house, running, [{"type": "settle"}], kind="round.deal",
        payload={"actions": [{"type": "deal", "card": "9C"}, {"type": "settle"}]},
    )  # fmt: skip
    resettle(house)
    illegal = Finding.objects.get(casino=house.casino, code="illegal_action")
    assert illegal.seq == posted.seq + 1
    assert illegal.evidence.get().body["code"] == "no_third_card"


def test_a_changed_round_row_is_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {})
    state = dict(played.state, cards=["5S", "QH", "TD"])
    Round.objects.filter(id=played.id).update(state=state, dealer=house.staff[Role.PIT_BOSS])
    resettle(house)
    found = only(house)
    assert (found.code, found.seq) == ("round_projection_differs", played.first_seq)
    assert sorted(found.evidence.get().body) == ["dealer", "state"]


def test_an_invented_round_row_is_found(house: House) -> None:
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {})
    played.id, played.number = uuid.uuid4(), 7
    played.save(force_insert=True)
    support.close(house, table, session_id)
    resettle(house)
    found = only(house)
    assert (found.code, found.round_id) == ("round_not_in_journal", played.id)


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"root": "00" * 32}, ["root"]),
        ({"packs": 2, "number": 9}, ["number", "packs"]),
        ({"final_state": {"packs": 6}, "retired_at": None}, ["final_state", "retired_at"]),
    ],
)
def test_a_changed_shoe_row_is_found(house: House, change: dict[str, Any], fields: list[str]) -> None:
    table, _ = floor.ready_table(house)
    support.new_shoe(house, table)
    Shoe.objects.filter(table=table, number=1).update(**change)
    resettle(house)
    assert only(house).code == "shoe_projection_differs"
    assert sorted(only(house).evidence.get().body) == fields


def test_a_rule_set_changed_afterwards_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application cannot change a rule set; whoever could, is found out by the digest."""
    table, _ = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {})
    body = dict(table.rules.body, max_bet=200_000)

    def changed(rules_id: uuid.UUID) -> tuple[dict[str, Any], str]:
        return body, RuleSet.objects.get(id=rules_id).digest

    monkeypatch.setattr("audit.services.resettlement.rule_sets", lambda: changed)
    resettle(house)
    assert "rule_set_differs" in support.codes(house)
    assert "wrong_payout" not in support.codes(house)


def test_re_settling_again_finds_the_same_once(house: House) -> None:
    table, _ = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {})
    Round.objects.filter(id=played.id).update(number=5)
    resettle(house)
    resettle(house)
    assert (only(house).counter, only(house).evidence.count()) == (2, 1)


class Replay:
    """A table's entries checked with some of them changed, as if they had been written so."""

    def __init__(self, table: Table) -> None:
        self.entries = list(facts(table.stream, 1))
        self.stream = table.stream

    def change(self, kind: str, number: int = 0, **payload: Any) -> None:
        """Change members of the payload of the `number`-th entry of a kind."""
        at = [index for index, fact in enumerate(self.entries) if fact.kind == kind][number]
        old = self.entries[at]
        self.entries[at] = old._replace(payload=old.payload | payload)

    def entry(self, kind: str, number: int = 0) -> Fact:
        """The `number`-th entry of a kind."""
        return [fact for fact in self.entries if fact.kind == kind][number]

    def without(self, kind: str, number: int = 0) -> None:
        """Take the `number`-th entry of a kind away."""
        self.entries.remove(self.entry(kind, number))

    def codes(self) -> list[str]:
        """What is found now."""
        finds: list[str] = []
        rounds: list[Replayed] = []
        check = TableCheck(
            stream=self.stream,
            rule_set=rule_sets(),
            report=lambda found: finds.append(found.code),
            played=rounds.append,
        )
        for fact in self.entries:
            check.see(fact)
        check.finish()
        return finds


def drawn_rounds(house: House, number: int = 3) -> Replay:
    """A table that draws its cards, with some rounds played and the shoe retired."""
    table, _ = floor.ready_table(house)
    for _ in range(number):
        floor.play_round(house, table, {1: 1000})
    shoes.shoe_retire(table_id=table.id, stub=None, burnt=(), command=house.command(Role.DEALER))
    return Replay(table)


def test_a_commitment_whose_leaves_were_changed_is_found(house: House) -> None:
    replay = drawn_rounds(house)
    assert replay.codes() == []
    leaves = replay.entry("shoe.load").payload["leaves"]
    replay.change("shoe.load", leaves=[*leaves[:-1], "0" * 64])
    assert replay.codes() == ["commitment_invalid"]


def test_an_opening_that_is_not_the_committed_card_is_found(house: House) -> None:
    replay = drawn_rounds(house)
    openings = replay.entry("round.deal").payload["openings"]
    replay.change("round.deal", openings=[dict(openings[0], salt="00" * 16), *openings[1:]])
    assert replay.codes() == ["opening_not_committed"]


def test_an_opening_out_of_order_is_found(house: House) -> None:
    replay = drawn_rounds(house)
    openings = replay.entry("round.deal").payload["openings"]
    replay.change("round.deal", openings=[dict(openings[0], position=7), *openings[1:]])
    assert replay.codes() == ["opening_out_of_order"]


def test_a_card_without_opening_is_found(house: House) -> None:
    replay = drawn_rounds(house)
    replay.change("round.deal", openings=replay.entry("round.deal").payload["openings"][:1])
    assert replay.codes() == ["opening_missing"]


def test_a_shoe_retired_with_other_cards_is_found(house: House) -> None:
    replay = drawn_rounds(house)
    cards = replay.entry("shoe.retire").payload["cards"]
    replay.change("shoe.retire", cards=cards | {"burnt": 1})
    assert replay.codes() == ["shoe_differs"]


def test_cards_without_a_shoe_are_found(house: House) -> None:
    replay = drawn_rounds(house, 1)
    replay.without("shoe.load")
    assert set(replay.codes()) == {"card_without_shoe"}


def test_a_round_that_never_ended_and_one_out_of_place_are_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    for _ in range(2):
        floor.play_round(house, table, {1: 1000}, support.PUSH)
    replay = Replay(table)
    assert replay.codes() == []
    replay.without("round.deal", 0)
    assert replay.codes() == ["round_not_finished"]
    replay.without("round.start", 0)
    replay.without("round.start", 0)
    assert replay.codes() == ["round_out_of_order"]


def test_an_entry_that_says_nothing_is_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    floor.play_round(house, table, {1: 1000}, support.PUSH)
    replay = Replay(table)
    replay.change("round.deal", actions=None)
    assert replay.codes() == ["entry_unreadable"]


def test_an_engine_nobody_knows_is_found(house: House) -> None:
    table, _ = support.open_scanned(house)
    floor.play_round(house, table, {1: 1000}, support.PUSH)
    replay = Replay(table)
    replay.change("round.start", engine={"game": "red_dog", "version": 99})
    assert replay.codes() == ["engine_unknown", "round_out_of_order"]


def test_a_card_more_often_than_there_are_packs_is_found(house: House) -> None:
    """One pack: the five of spades of the first round comes again in the second."""
    table, _ = support.open_scanned(house, packs=1, cut_card=10)
    support.play_with_raise(house, table, support.WIN, {})
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    running = Round.objects.get(id=begun.body["round"]["id"])
    again = [{"type": "deal", "card": card} for card in ("5S", "6C")]
    support.forge(house, running, [*again, {"type": "settle"}])
    resettle(house)
    found = only(house)
    assert (found.code, found.round_id) == ("impossible_card", running.id)
    assert found.evidence.get().body["card"] == "5S"


def test_a_counted_stub_that_does_not_make_up_the_packs_is_found(house: House) -> None:
    table, _ = support.open_scanned(house, packs=1, cut_card=10)
    support.play_with_raise(house, table, support.WIN, {})
    pack = fresh_cards(1)
    stub = [card for card in pack if card not in (*support.WIN, "AS")]
    support.new_shoe(house, table, stub=stub)
    resettle(house)
    found = only(house)
    assert found.code == "shoe_composition"
    assert found.evidence.get().body["cards"] == [{"card": "AS", "expected": 1, "found": 0}]


def test_a_shoe_is_followed_across_sessions(house: House) -> None:
    """The cards of an earlier session count: its five of spades cannot come in the next one."""
    table, session_id = support.open_scanned(house, packs=1, cut_card=10)
    support.play_with_raise(house, table, support.WIN, {})
    support.close(house, table, session_id)
    total = TableSession.objects.get(id=session_id).closer_total
    assert total is not None
    floor.clear_box(house, table)
    sessions.session_open(
        table_id=table.id,
        opener={"100": total // 100},
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    floor.seat_player(house, table, 1, 50_000)
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(Role.DEALER))
    running = Round.objects.get(id=begun.body["round"]["id"])
    again = [{"type": "deal", "card": card} for card in ("5S", "6C")]
    support.forge(house, running, [*again, {"type": "settle"}])
    done = resettle(house)
    assert (done.sessions, done.rounds) == (2, 2)
    assert only(house).code == "impossible_card"


def test_openings_that_say_nothing_stop_no_check(house: House) -> None:
    """Entries past the services, which an honest journal cannot hold: the day is re-settled all the same."""
    table, session_id = support.open_scanned(house)
    floor.play_round(house, table, {1: 1000}, support.PUSH)
    support.close(house, table, session_id)
    day = TableSession.objects.get(id=session_id).gaming_day.isoformat()
    for kind, payload in (
        ("session.open", {"gaming_day": "soon"}),
        ("session.open", {"gaming_day": 7, "session": 7}),
        ("session.open", {"gaming_day": day, "session": "somebody"}),
        ("shoe.load", {}),
        ("shoe.retire", {"shoe": 5}),
    ):
        post(
            stream=table.stream,
            kind=kind,
            payload=payload,
            actor=house.staff[Role.DEALER].id,
            command_id=uuid.uuid4(),
        )
    assert due_days_queue(now=timezone.now() + timedelta(days=2))
    done = resettle(house)
    assert (done.sessions, done.rounds) == (2, 1)
    assert set(support.codes(house)) == {
        "card_without_shoe",
        "entry_unreadable",
        "out_of_order",
        "shoe_not_of_table",
        "shoe_projection_differs",
        "signature_missing",
    }
