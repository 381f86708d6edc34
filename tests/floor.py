"""A small casino built through the services, for tests of everything above them."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from config.errors import DomainError
from tables.models import CardSource, Casino, DropBox, Refusal, Role, Staff, Table, Terminal
from tables.services import (
    boxes,
    cage,
    credits,
    drops,
    fills,
    office,
    rounds,
    seats,
    sessions,
    shoes,
    terminals,
)
from tables.services.command import Actor, Answer, Command
from tables.services.signatures import Badge
from tables.services.staff import staff_create
from tests import picture

PIN = "135790"
CHIPS = {"100": 400, "500": 400, "2500": 200, "10000": 100}  # 1,740,000 minor units
RULES: dict[str, Any] = {
    "game": "red_dog",
    "packs": 6,
    "seats": 7,
    "min_bet": 500,
    "max_bet": 100_000,
    "bet_step": 100,
    "raise_rule": {"kind": "up_to", "max_multiple": 1},
    "pay_table": {str(spread): max(1, {1: 5, 2: 4, 3: 2}.get(spread, 1)) for spread in range(1, 12)}
    | {"trips": 11},
    "round_cap": None,
    "cut_card": 60,
}


@dataclass
class House:
    """A casino with a pit, people of every role and a stocked cage; each test makes its own."""

    casino: Casino
    pit_id: uuid.UUID
    staff: dict[Role, Staff]
    cashier_2: Staff
    tag: str
    tables: dict[str, Table] = field(default_factory=dict)
    exchange: Callable[[CardSource], uuid.UUID | None] | None = field(default=None, repr=False, compare=False)

    def actor(self, role: Role, terminal: Terminal | None = None) -> Actor:
        """The person of that role, at a terminal where it is given."""
        person = self.staff[role]
        if terminal is None:
            kind = "cage" if role == Role.CAGE else "table"
            return Actor(person.id, role, None, kind)
        return Actor(person.id, role, terminal.id, terminal.kind)

    def badge(self, role: Role) -> Badge:
        """The badge and PIN of the person of that role."""
        return Badge(self.staff[role].badge, PIN)

    def office(self) -> Command:
        """A fresh office command by the administrator."""
        return Command(uuid.uuid4(), Actor(self.staff[Role.ADMINISTRATOR].id, Role.ADMINISTRATOR))

    def second_count(self) -> Command:
        """A fresh command by the second cashier, who counts what the first has counted."""
        return Command(uuid.uuid4(), Actor(self.cashier_2.id, Role.CAGE, None, "cage"))

    def command(self, role: Role, terminal: Terminal | None = None, version: int | None = None) -> Command:
        """A fresh command by the person of that role."""
        return Command(uuid.uuid4(), self.actor(role, terminal), version)


def make_house(**options: Any) -> House:
    """Open a casino and employ one person per role, and a second cashier."""
    tag = uuid.uuid4().hex[:8]
    system = office.system_actor()
    casino = office.casino_create(
        code=f"house-{tag}",
        name=f"House {tag}",
        currency="USD",
        time_zone=options.get("time_zone", "America/New_York"),
        rollover_hour=6,
        denominations=[100, 500, 2500, 10000, 50000],
        profile=options.get("profile", "generic"),
        command=Command(uuid.uuid4(), system),
    )
    pit = office.pit_create(casino_id=casino.id, code="pit-1", command=Command(uuid.uuid4(), system))
    people: list[Staff] = []
    # The administrator employs the pit boss alone, and all others with the pit boss's signature.
    first, signs = Role.ADMINISTRATOR, Role.PIT_BOSS
    roles = sorted(Role, key=lambda role: (role != first, role != signs))
    for role, number in [*((role, 1) for role in roles), (Role.CAGE, 2)]:
        answer = staff_create(
            casino_id=casino.id,
            badge=f"{role[:3].upper()}-{tag}" if number == 1 else f"{role[:3].upper()}{number}-{tag}",
            display_name=f"{role.label} {number}",
            role=role,
            pin=PIN,
            password=f"correct horse {tag}",
            second=Badge(people[1].badge, PIN) if people[1:] else None,
            command=Command(uuid.uuid4(), Actor(people[0].id, first) if people else system),
        )
        people.append(Staff.objects.get(id=answer.body["staff"]))
    *others, cashier_2 = people
    staff = {Role(person.role): person for person in others}
    return House(casino, uuid.UUID(pit.body["pit"]), staff, cashier_2, tag)


def stock_cage(
    house: House,
    chips: Mapping[str, int] = CHIPS,
    cash: int = 5_000_000,
    *,
    second: Role = Role.PIT_BOSS,
) -> None:
    """Commission chips into the vault and cash into the drawer; who signs with the cashier may differ."""
    cage.cage_commission(
        casino_id=house.casino.id,
        chips={value: number * 10 for value, number in chips.items()},
        second=house.badge(second),
        command=house.command(Role.CAGE),
    )
    cage.cage_fund(casino_id=house.casino.id, amount=cash, command=house.command(Role.CAGE))


def stocked_house() -> House:
    """A house with a stocked cage."""
    house = make_house()
    stock_cage(house)
    return house


def make_table(
    house: House, code: str = "rd-1", card_source: CardSource = CardSource.DRAWN, **rules: Any
) -> Table:
    """A table under a rule set of its own, without chips yet."""
    body = RULES | rules
    released = office.rule_set_create(
        casino_id=house.casino.id, name=f"rules-{code}", body=body, command=house.office()
    )
    made = office.table_create(
        casino_id=house.casino.id,
        pit_id=house.pit_id,
        code=code,
        rules_id=uuid.UUID(released.body["rules"]),
        card_source=card_source,
        command=house.office(),
    )
    table = Table.objects.get(id=made.body["table"])
    house.tables[code] = table
    return table


def request_fill(house: House, table: Table, chips: Mapping[str, int]) -> uuid.UUID:
    """Dealer and supervisor ask the cage for chips; the slip's id."""
    asked = fills.fill_request(
        table_id=table.id,
        chips=chips,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    return uuid.UUID(asked.body["slip"]["id"])


def send_fill(house: House, table: Table, chips: Mapping[str, int]) -> uuid.UUID:
    """Chips requested and issued, on their way to the table with a runner; the slip's id."""
    slip = request_fill(house, table, chips)
    fills.fill_issue(
        casino_id=house.casino.id,
        slip_id=slip,
        chips=chips,
        runner=house.badge(Role.SECURITY),
        command=house.command(Role.CAGE),
    )
    return slip


def receive_fill(house: House, table: Table, slip: uuid.UUID, chips: Mapping[str, int]) -> Answer:
    """Dealer and supervisor verify the chips and take them into the tray."""
    return fills.fill_receive(
        table_id=table.id,
        slip_id=slip,
        chips=chips,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )


def fill_table(house: House, table: Table, chips: Mapping[str, int] = CHIPS) -> None:
    """Bring chips from the cage into the table's tray."""
    receive_fill(house, table, send_fill(house, table, chips), chips)


def issue_credit(house: House, table: Table, chips: Mapping[str, int]) -> uuid.UUID:
    """A credit requested and its slip issued, no chip counted yet; the slip's id."""
    asked = credits.credit_request(
        table_id=table.id,
        chips=chips,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    slip = uuid.UUID(asked.body["slip"]["id"])
    credits.credit_issue(casino_id=house.casino.id, slip_id=slip, command=house.command(Role.CAGE))
    return slip


def send_credit(house: House, table: Table, chips: Mapping[str, int]) -> uuid.UUID:
    """A credit on its way from the table to the cage; the slip's id."""
    slip = issue_credit(house, table, chips)
    credits.credit_send(
        table_id=table.id,
        slip_id=slip,
        chips=chips,
        second=house.badge(Role.SUPERVISOR),
        runner=house.badge(Role.SECURITY),
        command=house.command(Role.DEALER),
    )
    return slip


def receive_credit(house: House, slip: uuid.UUID, chips: Mapping[str, int]) -> Answer:
    """The cashier counts the chips of a credit and takes them into the vault."""
    return credits.credit_receive(
        casino_id=house.casino.id, slip_id=slip, chips=chips, command=house.command(Role.CAGE)
    )


def open_table(house: House, table: Table, chips: Mapping[str, int] = CHIPS) -> uuid.UUID:
    """Open a session on a filled table and load a shoe; answers the session's id."""
    opened = sessions.session_open(
        table_id=table.id,
        opener=chips,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )
    shoes.shoe_load(table_id=table.id, command=house.command(Role.DEALER))
    return uuid.UUID(opened.body["session"]["id"])


def seat_player(house: House, table: Table, seat: int, cash: int) -> Answer:
    """Seat somebody unknown with chips bought for cash (minor units)."""
    return seats.seat_take(
        table_id=table.id,
        seat=seat,
        player_id=None,
        cash=cash,
        chips=0,
        command=house.command(Role.DEALER),
    )


def ready_table(house: House, code: str = "rd-1", **options: Any) -> tuple[Table, uuid.UUID]:
    """A table that is filled, open, has a shoe and players on seats 1 and 2; and its session's id.

    A house that was lent and where nothing has happened is exchanged for one that has such a table already.
    """
    if house.exchange and code == "rd-1" and options.keys() <= {"card_source"}:
        standing = house.exchange(options.get("card_source", CardSource.DRAWN))
        if standing is not None:
            return house.tables[code], standing
    table = make_table(house, code, **options)
    fill_table(house, table)
    session_id = open_table(house, table)
    for seat in (1, 2):
        seat_player(house, table, seat, 200_000)
    return table, session_id


def play_round(house: House, table: Table, bets: Mapping[int, int], cards: tuple[str, ...] = ()) -> Answer:
    """Play one round to its end without raises; `cards` are what a scanned shoe gives."""
    begun = rounds.round_start(table_id=table.id, bets=bets, command=house.command(Role.DEALER))
    round_id = uuid.UUID(begun.body["round"]["id"])
    answer = rounds.round_deal(
        round_id=round_id, cards=cards[:2], number=2, command=house.command(Role.DEALER)
    )
    if answer.body["round"]["phase"] == "raising":
        rounds.round_announce(
            round_id=round_id,
            spread=answer.body["round"]["spread"],
            command=house.command(Role.DEALER),
        )
    if not answer.body["round"]["over"]:
        answer = rounds.round_deal(
            round_id=round_id, cards=cards[2:3], number=1, command=house.command(Role.DEALER)
        )
    return answer


def remove_box(house: House, session_id: uuid.UUID, *, second: Role = Role.PIT_BOSS) -> uuid.UUID:
    """Take the box of a session off its table; its id."""
    box = DropBox.objects.get(session=session_id, status="on_table")
    boxes.box_remove(
        session_id=session_id,
        box=box.number,
        next_box=None,
        second=house.badge(second),
        command=house.command(Role.CAGE),
    )
    return box.id


def count_box(
    house: House,
    box_id: uuid.UUID,
    notes: Mapping[str, int],
    slips: Sequence[str] | None = None,
    **also: Mapping[str, int],
) -> Answer:
    """Both counts of a removed box, by the two cashiers, who find the same; `also` chips or instruments."""
    found: dict[str, Any] = {"notes": notes, "chips": {}, "instruments": {}} | also
    drops.drop_count_first(box_id=box_id, **found, command=house.command(Role.CAGE))
    return drops.drop_count_second(box_id=box_id, **found, slips=slips, command=house.second_count())


def count_drop(
    house: House, session_id: uuid.UUID, notes: Mapping[str, int], slips: Sequence[str] | None = None
) -> Answer:
    """Remove the box of a closed session, unless that was done, and count it twice."""
    box = DropBox.objects.exclude(status="counted").get(session=session_id)
    return count_box(house, remove_box(house, session_id) if box.removed_at is None else box.id, notes, slips)


def clear_box(house: House, table: Table) -> None:
    """Remove the box of the last session if it is still there, so that the table can open again."""
    for box in DropBox.objects.filter(table=table, status="on_table"):
        remove_box(house, box.session_id)


def enrol(house: House, table: Table | None, networks: tuple[str, ...] = ()) -> tuple[Terminal, str]:
    """A terminal (the cage's when `table` is None) and its credential."""
    _, code = terminals.terminal_register(
        casino_id=house.casino.id,
        table_id=table.id if table else None,
        name=f"terminal {uuid.uuid4().hex[:6]}",
        networks=networks,
        command=house.office(),
    )
    enrolment = terminals.terminal_enrol(code=code)
    return enrolment.terminal, enrolment.credential


def snapshot(house: House) -> dict[str, Any]:
    """All that a refusal must leave alone: every head, balance and action counter, and every row."""
    tables = list(house.tables.values())
    streams = [house.casino.stream, house.casino.cage_stream, *(table.stream for table in tables)]
    return picture.taken(casino=house.casino.id, tables=[table.id for table in tables], streams=streams)


@contextmanager
def refused(house: House, code: str, *, recorded: bool = True) -> Iterator[pytest.ExceptionInfo[DomainError]]:
    """What happens inside must be refused with this code, be recorded, and change nothing else."""
    before = snapshot(house)
    with pytest.raises(DomainError) as caught:
        yield caught
    assert caught.value.code == code, f"{caught.value.code}: {caught.value.detail}"
    assert snapshot(house) == before
    assert Refusal.objects.filter(code=code).exists() == recorded
