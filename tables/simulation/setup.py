"""Setting the house up before there is a terminal, and looking at what lies where on a resumed floor.

The one part of the simulation that uses the services (as an administrator at the command line would) and
the database; during the day everything goes through the HTTP API.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from ledger.selectors import balances
from tables.engine.shoe import Shoe as Cards
from tables.models import CardSource, Casino, Role, Table, TableSession
from tables.selectors.slips import copies_due
from tables.services import office
from tables.services.command import Actor, Command
from tables.services.signatures import Badge
from tables.services.staff import staff_create
from tables.services.terminals import terminal_register
from tables.simulation.house import CHIPS, KNOWN_PLAYERS, TABLES, House, TablePlan
from tables.simulation.world import Lying

CASINO_CODE = "demo"
TIME_ZONE = "America/New_York"
CAGE = "cage"
PROFILE = "generic_markers_money_plays"  # so that cash may be bet, too
FIRST = (Role.ADMINISTRATOR, Role.PIT_BOSS)


def free_suffix() -> str:
    """What keeps a new simulated house apart from those the database has: nothing for the first one."""
    number = Casino.objects.filter(code__startswith=CASINO_CODE).count()
    return f"-{number + 1}" if number else ""


def set_up(house: House, keep: Callable[[], None], plans: Sequence[TablePlan] = TABLES) -> None:
    """Make the house real: casino, pit, people, rule sets, tables, players, terminals' codes.

    It may be repeated: what was done before is found done.

    Args:
        keep: writes the house down; called whenever something that cannot be found again is new.
        plans: the tables to be put up.
    """
    if house.complete:
        return
    casino = office.casino_create(
        code=CASINO_CODE + house.suffix,
        name="Demonstration casino",
        currency="USD",
        time_zone=TIME_ZONE,
        rollover_hour=6,
        denominations=CHIPS,
        profile=PROFILE,
        command=_command(house, "casino"),
    )
    house.casino = str(casino.id)
    _employ(house, casino.id)
    pit = office.pit_create(casino_id=casino.id, code="pit-1", command=_command(house, "pit")).body["pit"]
    for plan in plans:
        house.tables[plan.code] = _put_up(house, casino.id, UUID(pit), plan)
    house.players = [_register(house, casino.id, number) for number in range(1, KNOWN_PLAYERS + 1)]
    new_codes(house)
    house.complete = True
    keep()


def _command(house: House, name: str) -> Command:
    """The command of one step of the set-up, the same each time it is repeated."""
    actor: Actor = office.system_actor()
    return Command(uuid.uuid5(UUID(house.installation), name), actor)


def _employ(house: House, casino_id: UUID) -> None:
    """The administrator first, who employs the pit boss alone, and all others with a pit boss's signature."""
    people = sorted(house.people.values(), key=lambda one: (*(one.role != role for role in FIRST), one.badge))
    office_actor: Actor = office.system_actor()
    second: Badge | None = None
    for employee in people:
        command = Command(uuid.uuid5(UUID(house.installation), f"staff {employee.badge}"), office_actor)
        answer = staff_create(
            casino_id=casino_id,
            badge=employee.badge,
            display_name=employee.name,
            role=Role(employee.role),
            pin=employee.pin,
            password=employee.password,
            second=second,
            command=command,
        )
        if employee.role == Role.ADMINISTRATOR:
            office_actor = Actor(UUID(answer.body["staff"]), Role.ADMINISTRATOR)
        elif second is None:
            second = Badge(employee.badge, employee.pin)


def _put_up(house: House, casino_id: UUID, pit_id: UUID, plan: TablePlan) -> str:
    rule_set = office.rule_set_create(
        casino_id=casino_id,
        name=f"{plan.game.replace('_', '-')}-{plan.code.lower()}",
        body=plan.rules.to_dict(),
        command=_command(house, f"rules {plan.code}"),
    )
    table = office.table_create(
        casino_id=casino_id,
        pit_id=pit_id,
        code=plan.code,
        rules_id=UUID(rule_set.body["rules"]),
        card_source=CardSource.SCANNED if plan.scanned else CardSource.DRAWN,
        command=_command(house, f"table {plan.code}"),
    )
    return str(table.body["table"])


def _register(house: House, casino_id: UUID, number: int) -> str:
    player = office.player_create(
        casino_id=casino_id,
        reference=f"member-{number}",
        description="",
        command=_command(house, f"player {number}"),
    )
    return str(player.body["player"])


def new_codes(house: House) -> None:
    """Register a terminal for each place that has none enrolled; a code is told once and good once."""
    for place, table_id in [(CAGE, None), *house.tables.items()]:
        if place in house.credentials:
            continue
        _, house.codes[place] = terminal_register(
            casino_id=UUID(house.casino),
            table_id=UUID(table_id) if table_id else None,
            name=f"Terminal {place}",
            command=Command(uuid.uuid4(), office.system_actor()),
        )


def lying_at(table_id: str) -> Lying:
    """Walk up to a table and look: nobody has touched a chip since the books were last written."""
    table = Table.objects.select_related("session").get(id=table_id)
    chips = balances(table.stream)
    cards: list[str] = []
    burnt = 0
    if table.shoe_state is not None and table.card_source == CardSource.SCANNED:
        shoe = Cards.from_dict(table.shoe_state)
        cards = [card for card, left in shoe.unseen().items() for _ in range(left)]
        burnt = shoe.burnt
    running = table.session or TableSession(table=table, number=table.sessions_opened + 1)
    return Lying(
        tray=chips["tray"],
        box=chips["cash:drop_box"] + (chips["cash:boxes"] if table.session is None else 0),
        copies=sorted(copies_due(running)),
        wagers=_by_seat(chips, "wager:"),
        currency=_by_seat(chips, "money:"),
        middle=chips.get("pool", 0) + chips.get("bank", 0),
        cards=cards,
        burnt=burnt,
    )


def _by_seat(lying: Mapping[str, int], place: str) -> dict[int, int]:
    """What lies in places of a kind, by the number of the seat, where there is anything."""
    there = {name: held for name, held in lying.items() if name.startswith(place) and held}
    return {int(name.removeprefix(place)): held for name, held in there.items()}


def lying_in_cage(house: House) -> tuple[int, int]:
    """Chips in the vault and cash in the drawer, minor units."""
    there = balances(Casino(id=UUID(house.casino)).cage_stream)
    return there["vault"], there["cash:drawer"]
