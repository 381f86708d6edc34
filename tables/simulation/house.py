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
        raise_rule: kind and highest multiple, as in a rule set.
        tray: what the first opener holds.
        wallet: what a newcomer brings in cash.
    """

    code: str
    packs: int
    scanned: bool
    min_bet: int
    max_bet: int
    raise_rule: tuple[str, int]
    cut_card: int
    tray: int
    guests: int
    wallet: int
    bet_step: int = 500


TABLES = (
    TablePlan("T1", 1, False, 500, 50_000, ("exact_double", 1), 12, 2_000_000, 3, 200_000),
    TablePlan("T2", 2, True, 1_000, 20_000, ("up_to", 1), 20, 200_000, 4, 100_000),
    TablePlan("T3", 6, False, 2_500, 100_000, ("exact_double", 1), 52, 5_000_000, 5, 500_000),
    TablePlan("T4", 8, False, 1_000, 50_000, ("exact_multiples", 2), 60, 3_000_000, 5, 300_000),
)

PEOPLE = (
    *((f"D00{number}", f"Dealer {number}", "dealer") for number in range(1, 5)),
    ("F001", "Floor supervisor 1", "supervisor"),
    ("P001", "Pit boss 1", "pit_boss"),
    ("C001", "Cashier 1", "cage"),
    ("C002", "Cashier 2", "cage"),
    ("A001", "Auditor 1", "auditor"),
    ("ADM1", "Administrator 1", "administrator"),
)
AT_TERMINALS = frozenset({"dealer", "supervisor", "pit_boss", "cage"})
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


def planned_house(suffix: str = "") -> House:
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
