"""Evenings at the card room's tables as chance has them, with mistakes and acts that are refused.

Whatever was played, nobody who checks it finds anything but what the rules allow and somebody must see:
not the reconciliation, not the nightly check, and not the auditor's program on the day's bundle.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from audit.codes import SIGNALS
from audit.models import GamingDayCheck, SessionReconciliation
from audit.services.days import day_check
from audit.verify.bundle import verify_bundle
from audit.verify.notes import parse_key
from config import env
from config.errors import DomainError
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry
from ledger.selectors import balances
from tables.engine.card_room import hand_positions, turn_of, winners
from tables.engine.cards import pack
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.selectors.figures import session_figures
from tables.services import corrections, freezes, office, pools, seats, sessions, table_life, tokes
from tables.services.reopening import session_reopen
from tests import floor
from tests.audit import support
from tests.floor import House
from tests.room import NO_FEE, Room, make_room, rules_of
from tests.tables.life import cancel

SHOWN = SIGNALS | {"void_after_decision"}
AMOUNTS = (1, 5, 10, 15, 40, 300)
KINDS = ("taken", "short", "bet_into_pool")
BY_DEAL = {"kind": "deal", "amount": 5, "minutes": 0}
BY_TIME = {"kind": "time", "amount": 5, "minutes": 30}
CHIPS = {1: 200, 2: 150, 4: 90, 5: 35, 6: 12}


@dataclass
class Evening:
    """A table, the luck that moves its players, and the pack in the dealer's hand where cards are scanned."""

    room: Room
    luck: Random
    cards: list[str] = field(default_factory=lambda: list(pack()))

    @property
    def banking(self) -> bool:
        """Whether one player banks."""
        return self.room.table.rules.game == "banking"

    @property
    def drawn(self) -> bool:
        """Whether the server draws the cards."""
        return self.room.table.card_source == CardSource.DRAWN

    @property
    def seat(self) -> int:
        """Some seat."""
        return self.luck.randint(1, 6)

    @property
    def amount(self) -> int:
        """Some amount."""
        return self.luck.choice(AMOUNTS)

    @property
    def second(self) -> Any:
        """Who signs with the dealer."""
        return self.room.house.badge(Role.SUPERVISOR)

    def top(self, number: int) -> list[str]:
        """The next cards of a physical pack, nothing of a drawn one."""
        at = self.room.pack.position
        return [] if self.drawn else self.cards[at : at + number]

    def step(self) -> None:
        """What is done next; now and then what never should be."""
        kinds = ROUND if self.room.row.round_id else BETWEEN
        begun = Round.objects.filter(table=self.room.table).exists()
        act = self.luck.choice((*ROUND, *BETWEEN) if begun and self.luck.random() < 0.07 else kinds)
        try:
            act(self)
        except DomainError:
            assert not Table.objects.get(id=self.room.table.id).frozen

    # --- a round

    def go_on(self) -> None:
        """The one thing the round waits for."""
        room, state = self.room, self.room.state
        turn = turn_of(state)
        if turn is None:
            room.settle()
        elif turn["due"] == "show":
            room.show(turn["seat"], *self.shown(turn["seat"], turn["card"]))
        elif turn["due"] == "bet":
            self.decide(turn)
        else:
            given = self.top(2 if turn["due"] == "burn" else 1)
            room.turn(given[-1] if given else None, given[0] if len(given) > 1 else None)

    def decide(self, turn: dict[str, Any]) -> None:
        """A bet of what the player has, or none."""
        seat, lying = turn["seat"], self.room.lying(f"seat:{turn['seat']}")[0]
        most = min(turn["maximum"], lying)
        if most < turn["minimum"] or self.luck.random() < 0.3:
            kind = "discard" if turn["short"] else "pass" if self.banking else "forfeit"
            self.room.lay_down(seat, kind)
        else:
            whole = (most - turn["minimum"]) // turn["step"]
            more = whole if self.luck.random() < 0.3 else self.luck.randint(0, whole)
            self.room.bet(seat, turn["minimum"] + more * turn["step"])

    def shown(self, seat: int, turned: str) -> list[str]:
        """What a player lays open of a hand out of a physical pack."""
        if self.drawn:
            return []
        hand = [self.cards[at] for at in hand_positions(self.room.state)[seat]]
        winning = winners(hand, turned)
        return [self.luck.choice(winning)] if winning else hand

    def expose(self) -> None:
        """The top card is seen."""
        self.room.expose(*self.top(1))

    def mispay(self) -> None:
        """A payment goes wrong."""
        self.room.mispay(self.seat, self.luck.choice(KINDS), self.amount)

    # --- between rounds

    def shuffle(self) -> None:
        """A fresh pack."""
        self.room.shuffle()
        self.luck.shuffle(self.cards)

    def begin(self) -> None:
        """The next deal, drawn for where it must be; hands are miscounted now and then."""
        room, luck = self.room, self.luck
        self.shuffle()
        if room.row.button is None:
            ace = next(at for at, card in enumerate(self.cards) if card[0] == "A")
            room.draw(*self.top(ace + 1))
            luck.shuffle(self.cards)
        counts = {self.seat: luck.choice((0, 3, 4, 6))} if luck.random() < 0.2 else {}
        some = luck.sample(sorted(pools.seated(room.row)), 3) if luck.random() < 0.1 else None
        room.deal(bank=10 * luck.randint(1, 4) if self.banking else None, counts=counts, players=some)

    def sit(self) -> None:
        """Somebody comes, with chips from elsewhere or cash."""
        command, cash = self.room.command(), self.luck.choice((0, 100))
        seats.seat_take(
            table_id=self.room.table.id,
            seat=self.seat,
            player_id=None,
            cash=cash,
            chips=self.amount,
            command=command,
        )

    def buy_in(self) -> None:
        """Somebody buys more chips, which is taken back now and then."""
        table = self.room.table
        seats.seat_buy_in(table_id=table.id, seat=self.seat, cash=100, command=self.room.command())
        if self.luck.random() < 0.3:
            bought = Entry.objects.filter(stream__name=table.stream).latest("seq")
            corrections.entry_reverse(
                table_id=table.id,
                entry_id=bought.id,
                reason="entered_twice",
                second=self.room.house.badge(Role.PIT_BOSS),
                command=self.room.command(Role.SUPERVISOR),
            )

    def correct(self) -> None:
        """A payment is documented."""
        corrections.correction_post(
            table_id=self.room.table.id,
            seat=self.seat,
            amount=self.amount,
            direction=self.luck.choice(("to_seat", "to_tray")),
            reason="mispaid",
            second=self.room.house.badge(Role.PIT_BOSS),
            command=self.room.command(Role.SUPERVISOR),
        )

    def cancel(self) -> None:
        """A round that is over is void."""
        played = list(Round.objects.filter(table=self.room.table).values_list("id", flat=True))
        if played:
            cancel(self.room.house, self.luck.choice(played))

    def change_rules(self) -> None:
        """Other amounts from now on, in other chips."""
        house, chip = self.room.house, self.luck.choice((1, 5))
        name = self.room.table.rules.game
        own = {} if name == "banking" else {"ante": 10, "pool_limit": self.luck.choice((None, 80))}
        fee = self.luck.choice((NO_FEE, BY_DEAL, BY_TIME))
        body = rules_of(name, seats=6, chip=chip, fee=fee, **own)
        released = office.rule_set_create(
            casino_id=house.casino.id, name=f"{self.room.table.code}-x", body=body, command=house.office()
        )
        table_life.table_rules(
            table_id=self.room.table.id,
            rules_id=UUID(released.body["rules"]),
            reason="asked for",
            second=house.badge(Role.PIT_BOSS),
            command=self.room.command(Role.SUPERVISOR),
        )

    def freeze(self) -> None:
        """Somebody has a look, at any time."""
        table_id = self.room.table.id
        freezes.table_freeze(table_id=table_id, reason="a look", command=self.room.command())
        freezes.table_release(
            table_id=table_id, second=self.second, reason="nothing", command=self.room.command()
        )

    def toke(self) -> None:
        """Something for the dealers."""
        command = self.room.command()
        tokes.toke_give(table_id=self.room.table.id, seat=self.seat, amount=self.amount, command=command)

    def collect(self) -> None:
        """The house's fee by time."""
        pools.collection_take(table_id=self.room.table.id, command=self.room.command())

    # --- the end

    def end(self) -> UUID:
        """The round is played out, the pool divided, everybody leaves; answers the session that closed."""
        while self.room.row.round_id:
            self.go_on()
        if self.room.lying("pool")[0]:
            self.room.divide()
        for seat in sorted(pools.seated(self.room.row)):
            self.room.leave(seat)
        session_id = self.room.row.session_id
        assert session_id is not None
        hundreds, ones = divmod(balances(self.room.table.stream)["tray"], 100)
        sessions.session_close(
            session_id=session_id,
            closer={"100": hundreds, "1": ones},
            second=self.second,
            command=self.room.command(),
        )
        return session_id

    def play(self, steps: int) -> UUID:
        """An evening that was closed once by mistake; answers its session."""
        for _ in range(steps):
            self.step()
        session_id = self.end()
        session_reopen(
            session_id=session_id,
            reason="too early",
            second=self.second,
            command=self.room.command(Role.PIT_BOSS),
        )
        self.room.sit(CHIPS)
        with suppress(DomainError):  # whoever is to bank may not have so much
            self.begin()
        assert self.end() == session_id
        return session_id


Act = Callable[[Evening], object]
ROUND: tuple[Act, ...] = (
    *[Evening.go_on] * 16,
    *(Evening.expose, Evening.mispay, Evening.mispay, Evening.freeze),
    lambda evening: evening.room.put_right(evening.seat),
    lambda evening: evening.luck.random() < 0.2 and evening.room.void(),
    lambda evening: evening.room.bet(evening.seat, evening.amount),
    lambda evening: evening.room.show(evening.seat, *evening.luck.sample(evening.cards, 1)),
    lambda evening: evening.room.lay_down(evening.seat, evening.luck.choice(("forfeit", "pass", "discard"))),
)
BETWEEN: tuple[Act, ...] = (
    *[Evening.begin] * 6,
    *(Evening.sit, Evening.sit, Evening.buy_in, Evening.correct, Evening.cancel, Evening.change_rules),
    *(Evening.freeze, Evening.toke, Evening.collect, Evening.shuffle),
    lambda evening: evening.room.leave(evening.seat),
    lambda evening: evening.luck.random() < 0.3 and evening.room.divide(),
    lambda evening: evening.room.draw(*evening.top(3)),
    lambda evening: evening.room.deal(bank=10 if evening.banking else None),
)
TABLES: tuple[tuple[str, CardSource, dict[str, Any]], ...] = (
    ("high_card_pool", CardSource.DRAWN, {"fee": BY_TIME, "pool_limit": 150}),
    ("burning_card", CardSource.SCANNED, {"fee": BY_DEAL, "cards_each": 4}),
    ("banking", CardSource.SCANNED, {"max_bank": 60}),
)


def evening(house: House, number: int, seed: int, steps: int) -> UUID:
    """One of the tables' evenings; answers its session."""
    name, source, rules = TABLES[number]
    room = make_room(house, name, chips=CHIPS, source=source, drawn=False, seats=6, **rules)
    floor.fill_table(house, room.table, {"100": 30})
    return Evening(room, Random(seed)).play(steps)


def checked(house: House, played: list[UUID]) -> None:
    """Every box is counted, and the night's check done: each session comes to nothing."""
    for session_id, figures in session_figures(TableSession.objects.filter(id__in=played)).items():
        floor.count_drop(house, session_id, {"100": figures.insertions // 100})
    day = TableSession.objects.get(id=played[0]).gaming_day
    check = GamingDayCheck.objects.create(casino=house.casino, gaming_day=day, requested_at=timezone.now())
    day_check(check_id=check.id)
    for kept in SessionReconciliation.objects.filter(session__in=played):
        assert (kept.tray, kept.box, kept.unexplained) == (0, 0, 0)


def test_honest_evenings_are_found_honest(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CR-BETWEEN, CR-NEXT, CR-BREAK-UP, CR-FEE, CR-VOID, CR-PAYMENT: the audit follows what may happen."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    played = [evening(house, number, seed=number, steps=25) for number in range(len(TABLES))]
    checked(house, played)
    assert set(support.codes(house)) <= SHOWN
    seal(folder=Folder(tmp_path / "published"))
    keys, path = KeyStore(env.home()), tmp_path / "day.zip"
    day = TableSession.objects.get(id=played[0]).gaming_day
    bundle_write(Scope(house.casino, day), checkpoint=Checkpoint.objects.latest("size"), keys=keys, path=path)
    judged = verify_bundle(path.read_bytes(), keys=[parse_key(keys.signer().verifier.text)])
    assert judged.holds, judged.findings.listed
