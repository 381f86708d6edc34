"""The house the simulation plays in: its tables and people, and what is kept of them between starts.

What is kept (PINs, passwords, terminal credentials) lies in one file that only its owner can read.
"""

import json
import os
import secrets
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tables.engine.card_room.rules import BankRules, Fee, PoolRules
from tables.engine.rules import RaiseRule, RuleSet
from tables.simulation.cage import Person

CHIPS = (100, 500, 2_500, 10_000, 50_000, 100_000)
"""Values of the house's chips, minor units."""
STOCK = 500_000_000
DRAWER = 50_000_000
PIN_DIGITS = 6


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table as it is to stand on the floor; amounts in minor units.

    Attributes:
        scanned: whether its cards are physical ones.
        tray: what the first opener holds.
        guests: how many its dealer likes to have there.
        wallet: what a newcomer brings in cash.
    """

    code: str
    scanned: bool
    tray: int
    guests: int
    wallet: int
    rules: RuleSet | PoolRules | BankRules

    @property
    def game(self) -> str:
        """The registered name of what is played there."""
        return self.rules.game

    @property
    def is_card_room(self) -> bool:
        """Whether players play each other there."""
        return not isinstance(self.rules, RuleSet)


def _red_dog(packs: int, least: int, most: int, raise_rule: RaiseRule, cut_card: int) -> RuleSet:
    return RuleSet(
        packs=packs, min_bet=least, max_bet=most, bet_step=500, raise_rule=raise_rule, cut_card=cut_card
    )


DOUBLE = RaiseRule("exact_double", 1)
BY_DEAL, BY_TIME = Fee("deal", 100), Fee("time", 200, 30)
TABLES = (
    TablePlan("T1", False, 2_000_000, 3, 200_000, _red_dog(1, 500, 50_000, DOUBLE, 12)),
    TablePlan("T2", True, 200_000, 4, 100_000, _red_dog(2, 1_000, 20_000, RaiseRule("up_to", 1), 20)),
    TablePlan("T3", False, 5_000_000, 5, 500_000, _red_dog(6, 2_500, 100_000, DOUBLE, 52)),
    TablePlan(
        "T4", False, 3_000_000, 5, 300_000, _red_dog(8, 1_000, 50_000, RaiseRule("exact_multiples", 2), 60)
    ),
    TablePlan(
        "T5",
        True,
        500_000,
        4,
        100_000,
        PoolRules(game="high_card_pool", chip=100, ante=500, pool_limit=10_000),
    ),
    TablePlan(
        "T6", False, 500_000, 4, 100_000, PoolRules(game="burning_card", chip=100, ante=500, fee=BY_DEAL)
    ),
    TablePlan(
        "T7", True, 500_000, 4, 150_000, BankRules(chip=100, cards_each=4, max_bank=50_000, fee=BY_TIME)
    ),
)

PEOPLE = (
    *((f"D00{number}", f"Dealer {number}", "dealer") for number in range(1, 1 + len(TABLES))),
    ("F001", "Floor supervisor 1", "supervisor"),
    ("P001", "Pit boss 1", "pit_boss"),
    ("C001", "Cashier 1", "cage"),
    ("C002", "Cashier 2", "cage"),
    ("S001", "Security 1", "security"),
    ("A001", "Auditor 1", "auditor"),
    ("ADM1", "Administrator 1", "administrator"),
)
AT_TERMINALS = frozenset({"dealer", "supervisor", "pit_boss", "cage", "security"})
IN_ADMIN = frozenset({"supervisor", "pit_boss", "auditor", "administrator"})
KNOWN_PLAYERS = 6


@dataclass
class Employee:
    """Somebody employed for the simulation; PIN or password empty where the role has none."""

    badge: str
    name: str
    role: str
    pin: str
    password: str

    @property
    def person(self) -> Person:
        """The badge and PIN."""
        return Person(self.badge, self.pin)


@dataclass
class House:
    """What is kept of a simulated house.

    Attributes:
        installation: the id all set-up commands derive theirs from, so that a repeated set-up finds
            done what was done.
        suffix: appended to casino code and badges, for a database that has a simulated house already.
        tables: table ids by code.
        codes: enrolment codes of terminals not enrolled yet, by place (a table's code, or "cage").
        credentials: credentials of enrolled terminals, by place.
        complete: whether the set-up was carried out to its end.
    """

    installation: str
    suffix: str
    people: dict[str, Employee]
    casino: str = ""
    tables: dict[str, str] = field(default_factory=dict)
    players: list[str] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict)
    complete: bool = False

    def person(self, badge: str) -> Person:
        """Somebody by the badge of the plan, without the suffix."""
        return self.people[badge].person


def planned_house(suffix: str) -> House:
    """A house that exists on paper only, with fresh PINs and passwords for everybody."""
    people = {
        badge: Employee(
            badge=badge + suffix,
            name=name,
            role=role,
            pin=_fresh_pin() if role in AT_TERMINALS else "",
            password=secrets.token_urlsafe(12) if role in IN_ADMIN else "",
        )
        for badge, name, role in PEOPLE
    }
    return House(installation=str(uuid.uuid4()), suffix=suffix, people=people)


def _fresh_pin() -> str:
    return "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))


def load_house(path: Path) -> House | None:
    """The house kept at `path`, None if there is none."""
    try:
        data: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    people = {badge: Employee(**kept) for badge, kept in data.pop("people").items()}
    return House(people=people, **data)


def keep_house(house: House, path: Path) -> None:
    """Write the house to `path`."""
    keep_text(path, json.dumps(asdict(house), indent=1))


def keep_text(path: Path, text: str) -> None:
    """Write a secret to `path`, for its owner's eyes only; readers see the old or the new one whole."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    draft.replace(path)
