"""The cash of patrons in gaming days, and what they staked, from the journal alone."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from uuid import UUID

from audit.facts import Fact
from audit.selectors.journal import fact_at, facts, head_seq, last_of_kind, parsed, uuid_in
from ledger.models import Entry
from ledger.statements import seq_at
from tables.figures import gaming_day, gaming_day_bounds
from tables.jurisdiction.cash import MONEY, Transaction, transactions_of
from tables.models import CashTransaction, Casino, Table

_DAY, _INSTANT = timedelta(days=1), timedelta(microseconds=1)
STAKED_IN = ("wager:", "toke:", MONEY, "pool", "bank")


@dataclass(slots=True)
class Known:
    """Who people are, as the office's journal says by now.

    Attributes:
        told: whose a transaction was that named nobody, by stream and number, and seat of a money play.
        same: described persons found to be another one, each by the last one it was tied to.
    """

    told: dict[tuple[str, int, int | None], UUID] = field(default_factory=dict)
    same: dict[UUID, UUID] = field(default_factory=dict)

    def whose(self, person: UUID | None) -> UUID | None:
        """Who a person is."""
        return self.same.get(person, person) if person else None


@dataclass(slots=True)
class CashRead:
    """Cash transactions, and by gaming day and person what they staked (minor units)."""

    transactions: list[Transaction] = field(default_factory=list)
    staked: dict[date, Counter[UUID]] = field(default_factory=dict)


def who_is_who(casino: Casino) -> Known:
    """Every identity that was found, in the order it was."""
    known = Known()
    kinds = ("cash.identify", "person.tie")
    rows = Entry.objects.filter(stream__name=casino.stream, kind__in=kinds).order_by("seq")
    for kind, payload in rows.values_list("kind", "payload"):
        said = parsed(payload)
        person = uuid_in(said, "player")
        other = uuid_in(said, "same_as")
        if kind == "person.tie" and person and other:
            known.same = {one: other if of == person else of for one, of in known.same.items()}
            known.same[person] = other
        elif kind == "cash.identify" and person:
            known.told[str(said.get("stream")), int(said.get("seq", 0)), said.get("seat")] = person
    return known


def cash_between(casino: Casino, first: date, last: date, known: Known) -> CashRead:
    """The cash and the stakes of these gaming days at all tables and the cage."""
    read = CashRead()
    begins = gaming_day_bounds(first, casino.time_zone, casino.rollover_hour)[0]
    ends = gaming_day_bounds(last, casino.time_zone, casino.rollover_hour)[1]
    streams = [casino.cage_stream, *(t.stream for t in Table.objects.filter(casino=casino).order_by("code"))]
    seen = set()
    for stream in streams:
        for fact, day, staked in _entries(stream, begins, ends, casino, known):
            for made in _transactions(fact, casino, known):
                if first <= made.gaming_day <= last:
                    read.transactions.append(made)
                    seen.add((stream, fact.seq))
            if first <= day <= last:
                read.staked.setdefault(day, Counter()).update(staked)
    # An entry names its day itself, so it may have been recorded anywhere: wherever a row says it stands.
    rows = CashTransaction.objects.filter(casino=casino, gaming_day__range=(first, last), stream__in=streams)
    for stream, seq in rows.values_list("stream", "seq").distinct():
        elsewhere = None if (stream, seq) in seen else fact_at(stream, seq)
        made_there = _transactions(elsewhere, casino, known) if elsewhere else []
        read.transactions += [made for made in made_there if first <= made.gaming_day <= last]
    return read


def _transactions(fact: Fact, casino: Casino, known: Known) -> list[Transaction]:
    return transactions_of(
        stream=fact.stream,
        seq=fact.seq,
        payload=fact.payload,
        moves=fact.moves,
        day_recorded=gaming_day(fact.recorded_at, casino.time_zone, casino.rollover_hour),
        told=known.told,
    )


def _entries(
    stream: str, begins: datetime, ends: datetime, casino: Casino, known: Known
) -> Iterator[tuple[Fact, date, Counter[UUID]]]:
    """A stream's entries with the day each was recorded on and who staked how much by it.

    From the opening before, to know who sits where; to a day after, for what is entered late.
    """
    before = seq_at(stream, begins - _INSTANT)
    opening = last_of_kind(stream, "session.open", before=before + 1)
    seats: dict[str, UUID | None] = {}
    end = min(head_seq(stream), seq_at(stream, ends + _DAY))
    with closing(facts(stream, opening[0] if opening else before + 1, end)) as found:
        for fact in found:
            _seated(seats, fact, known)
            day = gaming_day(fact.recorded_at, casino.time_zone, casino.rollover_hour)
            staked: Counter[UUID] = Counter()
            for source, target, amount in fact.moves:
                # Currency is staked by whoever sits where it then lies; chips come from before their seat.
                seat = target.replace(MONEY, "seat:") if target.startswith(MONEY) else source
                person = known.whose(seats.get(seat))
                if person and target.startswith(STAKED_IN):
                    staked[person] += amount
            yield fact, day, staked


def _seated(seats: dict[str, UUID | None], fact: Fact, known: Known) -> None:
    """Follow who sits where."""
    if fact.kind in ("seat.take", "seat.buy_in"):
        person = known.told.get((fact.stream, fact.seq, None)) or uuid_in(fact.payload, "player")
        place = f"seat:{fact.payload.get('seat')}"
        if person or fact.kind == "seat.take":
            seats[place] = person
    elif fact.kind == "seat.leave":
        seats.pop(f"seat:{fact.payload.get('seat')}", None)
