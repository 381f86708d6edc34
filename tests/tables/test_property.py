"""Whatever sequence of legal and illegal commands comes, no chip is lost and the journal tells it all."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.errors import DomainError
from ledger.models import Account, Entry
from ledger.verify_journal import verify_journal
from tables.engine.registry import game
from tables.engine.replay import replay
from tables.models import CardSource, Role, Round, Table
from tables.services import rounds, seats
from tables.services.command import Answer, Command
from tests import floor

SEATS = st.integers(0, 4)
AMOUNTS = st.sampled_from([0, 100, 500, 1000, 2500, 50_000, 100_000, 100_100])
CARDS = st.sampled_from([rank + suit for suit in "SHDC" for rank in "23456789TJQKA"])
COMMANDS = st.one_of(
    st.tuples(st.just("start"), st.dictionaries(SEATS, AMOUNTS, max_size=3)),
    st.tuples(st.just("deal"), st.lists(CARDS, min_size=1, max_size=2)),
    st.tuples(st.just("announce"), st.integers(0, 12)),
    st.tuples(st.just("spread"), st.none()),
    st.tuples(st.just("raise"), st.dictionaries(SEATS, AMOUNTS, max_size=2)),
    st.tuples(st.just("withdraw"), SEATS),
    st.tuples(st.just("expose"), CARDS),
    st.tuples(st.just("void"), st.sampled_from(["misdeal", "shoe_empty", "nonsense"])),
    st.tuples(st.just("buy_in"), AMOUNTS),
    st.tuples(st.just("leave"), SEATS),
    st.tuples(st.just("settle"), st.none()),
)


def run(house: floor.House, table: Table, what: str, with_: Any) -> None:
    """One command, aimed at the table's newest round."""
    newest = Round.objects.filter(table=table).order_by("-number").first()
    command = house.command(Role.DEALER)
    if what in AT_TABLE:
        AT_TABLE[what](table.id, with_, command)
    elif what == "void":
        rounds.round_void(
            round_id=newest.id if newest else uuid.uuid4(),
            reason=with_,
            second=house.badge(Role.SUPERVISOR),
            command=command,
        )
    else:
        spread = newest.state["spread"] if newest else None
        with_ = (spread or 1) if what == "spread" else with_
        IN_ROUND[what](newest.id if newest else uuid.uuid4(), with_, command)


AT_TABLE: dict[str, Callable[[uuid.UUID, Any, Command], Answer]] = {
    "start": lambda at, bets, command: rounds.round_start(table_id=at, bets=bets, command=command),
    "buy_in": lambda at, cash, command: seats.seat_buy_in(table_id=at, seat=1, cash=cash, command=command),
    "leave": lambda at, seat, command: seats.seat_leave(table_id=at, seat=seat, command=command),
}
IN_ROUND: dict[str, Callable[[uuid.UUID, Any, Command], Answer]] = {
    "deal": lambda at, cards, command: rounds.round_deal(
        round_id=at, cards=cards, number=len(cards) or 1, command=command
    ),
    "announce": lambda at, spread, command: rounds.round_announce(
        round_id=at, spread=spread, command=command
    ),
    "spread": lambda at, spread, command: rounds.round_announce(round_id=at, spread=spread, command=command),
    "raise": lambda at, raises, command: rounds.round_raise(
        round_id=at, raises=raises, withdraw=[], command=command
    ),
    "withdraw": lambda at, seat, command: rounds.round_raise(
        round_id=at, raises={}, withdraw=[seat], command=command
    ),
    "expose": lambda at, card, command: rounds.round_expose(round_id=at, card=card, command=command),
    "settle": lambda at, _, command: rounds.round_settle(round_id=at, command=command),
}


def drawn(what: str, with_: Any) -> Any:
    """The same command at a table that draws: it names no card."""
    return {"deal": [], "expose": None}.get(what, with_)


def assert_conserved(table: Table) -> None:
    """Chips and cash of a stream are only ever moved; no place with a floor is below it."""
    accounts = list(Account.objects.filter(stream__name=table.stream))
    for asset in {account.asset for account in accounts}:
        assert sum(account.balance for account in accounts if account.asset == asset) == 0
    assert all(account.floor is None or account.balance >= account.floor for account in accounts)


def assert_wagers_match(table: Table) -> None:
    """What lies on the layout is what the running round's engine says lies there."""
    held = Account.objects.filter(stream__name=table.stream, name__startswith="wager:", balance__gt=0)
    running = Table.objects.select_related("round").get(id=table.id).round
    expected = {}
    if running is not None:
        rules_of_game = game(running.game, running.engine_version)
        expected = rules_of_game.places(rules_of_game.decode_state(running.state))
    assert {account.name: account.balance for account in held} == expected


def assert_journal_replays(table: Table) -> None:
    """Every round's stored state is what replaying its journalled actions gives."""
    actions: dict[str, list[Any]] = {}
    for entry in Entry.objects.filter(stream__name=table.stream, kind__startswith="round.").order_by("seq"):
        said = json.loads(entry.payload)
        actions.setdefault(said["round"], []).extend(said["actions"])
    for kept in Round.objects.select_related("rules").filter(table=table):
        rules_of_game = game(kept.game, kept.engine_version)
        log = [rules_of_game.decode_action(action) for action in actions.pop(str(kept.id))]
        state, _ = replay(rules_of_game, rules_of_game.decode_rules(kept.rules.body), log)
        assert rules_of_game.encode_state(state) == kept.state
    assert actions == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("source", CardSource)
def test_any_sequence_of_commands_conserves_chips_and_replays(source: CardSource) -> None:
    house = floor.make_house()
    numbers = iter(range(1, 1000))

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(commands=st.lists(COMMANDS, min_size=8, max_size=30))
    def play(commands: list[tuple[str, Any]]) -> None:
        floor.stock_cage(house)
        table, _ = floor.ready_table(house, f"rd-{next(numbers)}", card_source=source, packs=2)
        house.tables = {"rd": table}
        before = floor.snapshot(house)
        for what, with_ in commands:
            try:
                run(house, table, what, drawn(what, with_) if source == CardSource.DRAWN else with_)
            except DomainError:
                assert floor.snapshot(house) == before
                continue
            before = floor.snapshot(house)
            assert_conserved(table)
            assert_wagers_match(table)
        assert_journal_replays(table)
        assert verify_journal(stream=table.stream).ok

    play()
