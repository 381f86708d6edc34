"""Cash that counts towards a report: what an entry of the journal says of it, totals, and patterns.

Cash in and cash out are two figures of one person in one gaming day, at all tables and the cage together;
they are never added to each other (31 CFR 1021.313). Both follow from journal entries alone: from what
went to or came from the patrons, and from whom the entry names. Pure, standard library only.

    cash:patrons -> cash:drop_box, cash:drawer     in: chips bought at a table or the cage
    cash:drawer  -> cash:patrons                   out: chips redeemed
    cash:drop_box -> cash:patrons                  a buy-in taken back: less cash in, never cash out
    money:N      -> cash:drop_box, cash:patrons    in: a money play settled, lost or not

Currency that was bet and lies there again is not counted again (1021.311(c)(2)). Nobody sees which notes
they are. Ours, erring towards reports: what the round before brought back to a seat counts as lying there
again, if the round dealt next at the table has it at stake and whoever sits there has not left; all else is
counted. What goes back to the patron is what was bet, and so no cash out (the same paragraph).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from fractions import Fraction
from typing import Any
from uuid import UUID

from tables.jurisdiction.profile import CashReporting

PATRONS, DROP_BOX, DRAWER, MONEY = "cash:patrons", "cash:drop_box", "cash:drawer", "money:"
LITTLE_PLAY = Fraction(1, 5)  # of the cash brought was wagered, at most
TAKEN_AWAY = Fraction(4, 5)  # of the cash brought was redeemed, at least
_DAY = timedelta(days=1)


class Direction(StrEnum):
    """Which way cash went, as the house sees it."""

    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True, kw_only=True)
class CashMoved:
    """Cash of one entry: minor units, negative for what is taken back."""

    direction: Direction
    amount: int


def cash_moved(moves: Iterable[tuple[str, str, int]]) -> CashMoved | None:
    """What an entry's movements (source, target, minor units) are as cash of a patron; None for none."""
    for source, target, amount in moves:
        if source == PATRONS and target in (DROP_BOX, DRAWER):
            return CashMoved(direction=Direction.IN, amount=amount)
        if (source, target) == (DROP_BOX, PATRONS):
            return CashMoved(direction=Direction.IN, amount=-amount)
        if (source, target) == (DRAWER, PATRONS):
            return CashMoved(direction=Direction.OUT, amount=amount)
    return None


def money_settled(state: Mapping[str, Any]) -> dict[int, int]:
    """The currency of each seat that a settled round played for, by its encoded state.

    Currency that went back before, or of a void round, was never bet.
    """
    settled: dict[int, int] = defaultdict(int)
    for part in ("money", "money_raises") if state.get("settled") else ():
        for seat, amount in state.get(part, {}).items():
            settled[int(seat)] += amount
    return dict(sorted(settled.items()))


def money_came_back(state: Mapping[str, Any]) -> dict[int, int]:
    """The currency a round brought back to each seat, by its encoded state."""
    return {} if state.get("outcome") == "lose" else money_settled(state)


def money_counted(staked: Mapping[int, int], came_back: Mapping[int, int]) -> dict[int, int]:
    """What of the money plays of a round is cash in: what did not come back from the round before.

    Args:
        staked: currency at stake, by seat, minor units.
        came_back: what the round before brought back to whoever sits there still.
    """
    counted = {seat: amount - came_back.get(seat, 0) for seat, amount in staked.items()}
    return {seat: amount for seat, amount in counted.items() if amount > 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """One cash transaction: which entry it is, whose (None: nobody was named), and how much.

    `seat` tells the money plays of an entry from each other, and is None of everything else.
    """

    stream: str
    seq: int
    gaming_day: date
    direction: Direction
    amount: int
    person: UUID | None
    seat: int | None = None


Told = Mapping[tuple[str, int, int | None], UUID]
"""Whose a transaction was, where that became known later: by stream, number, and seat of a money play."""


def transactions_of(
    *,
    stream: str,
    seq: int,
    payload: Mapping[str, Any],
    moves: Iterable[tuple[str, str, int]],
    day_recorded: date,
    told: Told,
) -> list[Transaction]:
    """The cash transactions an entry is: one at most, but for the money plays of a round, one for each seat.

    Of money plays the entry says how much counts, and whose; that it says so rightly is the audit's to judge.
    A transaction belongs to the gaming day the entry names (a redemption; what is taken back, which keeps the
    day of what it takes back), else to the one it was recorded in: a table's session may span the roll-over,
    but the day of cash reporting is one for all places.

    Args:
        day_recorded: the gaming day of the moment the entry was recorded.
        told: who it was.
    """
    moved, named = cash_moved(moves), payload.get("gaming_day")
    cash: list[tuple[int | None, CashMoved, Any]] = [
        (int(seat), CashMoved(direction=Direction.IN, amount=said["amount"]), said["player"])
        for seat, said in payload.get("cash_in", {}).items()
    ]
    if moved is not None:
        cash.append((None, moved, payload.get("player")))
    return [
        Transaction(
            stream=stream,
            seq=seq,
            gaming_day=date.fromisoformat(named) if named else day_recorded,
            direction=each.direction,
            amount=each.amount,
            person=told.get((stream, seq, seat)) or (UUID(person) if person else None),
            seat=seat,
        )
        for seat, each, person in cash
    ]


Key = tuple[UUID, date, Direction]


def cash_totals(transactions: Iterable[Transaction], same: Mapping[UUID, UUID]) -> dict[Key, int]:
    """By person, gaming day and direction what their cash comes to; what is nobody's adds to nothing.

    Args:
        same: persons found to be another one, who the total is then of.
    """
    totals: dict[Key, int] = defaultdict(int)
    for each in transactions:
        if each.person is not None:
            person = same.get(each.person, each.person)
            totals[person, each.gaming_day, each.direction] += each.amount
    return dict(totals)


def report_due_on(total: int, cash: CashReporting, known: date) -> date | None:
    """Until when a total must be reported, None when it need not be.

    Args:
        known: the gaming day it became known: its own, or the later one on which somebody was tied to it.
    """
    return known + timedelta(days=cash.report_days) if cash.report_due(total) else None


def report_near(total: int, cash: CashReporting) -> bool:
    """Whether one more transaction below the log's threshold could pass the report's, as a warning before."""
    return total + cash.log_from > cash.report_above


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Something to look at: the code of the finding, whose cash, which days, and what it rests on."""

    code: str
    person: UUID
    direction: Direction
    first_day: date
    last_day: date
    evidence: Mapping[str, Any]


def structuring(
    transactions: Iterable[Transaction],
    same: Mapping[UUID, UUID],
    cash_on: Callable[[date], CashReporting],
) -> Iterator[Pattern]:
    """Several transactions of one person, each too small for the log, that pass the report's threshold.

    Within a gaming day, or across two adjacent ones of which neither passes it by itself; at whatever
    places. The threshold is that of the (first) day.
    """
    small: dict[tuple[UUID, Direction], dict[date, list[Transaction]]] = defaultdict(dict)
    for each in transactions:
        if each.person is not None and abs(each.amount) < cash_on(each.gaming_day).log_from:
            who = same.get(each.person, each.person), each.direction
            small[who].setdefault(each.gaming_day, []).append(each)
    for (person, direction), days in small.items():
        for day, made in days.items():
            if _passes(made, cash_on(day)):
                yield _structured(person, direction, made)
                continue
            after = days.get(day + _DAY, [])
            if after and not _passes(after, cash_on(day)) and _passes([*made, *after], cash_on(day)):
                yield _structured(person, direction, [*made, *after])


def _passes(made: list[Transaction], cash: CashReporting) -> bool:
    return len(made) > 1 and cash.report_due(sum(each.amount for each in made))


def _structured(person: UUID, direction: Direction, made: list[Transaction]) -> Pattern:
    evidence = {
        "person": str(person),
        "direction": str(direction),
        "total": sum(each.amount for each in made),
        "entries": [f"{each.stream}/{each.seq}" for each in made],
        "places": len({each.stream for each in made}),
    }
    return Pattern(
        code="cash_structuring",
        person=person,
        direction=direction,
        first_day=min(each.gaming_day for each in made),
        last_day=max(each.gaming_day for each in made),
        evidence=evidence,
    )


def minimal_play(
    totals: Mapping[Key, int], wagered: Mapping[UUID, int], cash_on: Callable[[date], CashReporting]
) -> Iterator[Pattern]:
    """Much cash brought, hardly any of it played, and most of it taken away again in one gaming day.

    From the amount on that would be reported as suspicious. What "hardly any" and "most" are is ours.

    Args:
        totals: as `cash_totals` makes them.
        wagered: what each person staked that gaming day, minor units.
    """
    for (person, day, direction), brought in totals.items():
        if direction == Direction.OUT or brought < cash_on(day).suspicious_from:
            continue
        taken, played = totals.get((person, day, Direction.OUT), 0), wagered.get(person, 0)
        if played <= brought * LITTLE_PLAY and taken >= brought * TAKEN_AWAY:
            yield Pattern(
                code="cash_minimal_play",
                person=person,
                direction=Direction.IN,
                first_day=day,
                last_day=day,
                evidence={"person": str(person), "in": brought, "out": taken, "wagered": played},
            )
