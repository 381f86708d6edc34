"""One session's money, from its journal entries alone: what T, B and U are made of.

Pure functions; the three checks themselves are `tables.figures.reconcile`, which every screen shares.
R is what was PAID: the chips that went between wagers and tray, and currency that was bet and went into the
box, whatever the rules would have said (whether they were right is the re-settlement's question), what
documented mispays, corrected rounds and chips that were none of the house's brought the tray or cost it, and
the collections of card-room tables, whose pools and banks are nothing of the house's. A reversal undoes what
its entry did, under the same heading.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any
from uuid import UUID

from audit.chips import CARRYING, CHANGE, ByValue, ChipCheck, Count, added, chips_checked, chips_of, counted
from audit.codes import Found
from audit.facts import Fact, Moved, until_closed
from tables.figures import Reconciliation, TableWin, inserted, money_lost, reconcile, table_win
from tables.jurisdiction.profile import Profile

COUNTS = ("session.open", "session.close", "session.reopen", "dealer.relieve")
BUY_INS = ("seat.take", "seat.buy_in")
MARKER, MARKER_PAID = "marker.issue", "marker.redeem"  # chips for an instrument, and chips for it back
COLLECTIONS = ("collection.take", "round.start", "round.void")  # a void round gives its fees back
MISPAYS = ("correction.post", "round.correct", "round.cancel")
REJECTED = ("floor", "chips.reject")  # what was given for chips that are none of the house's
STAKES = ("wager:", "toke:")  # what is played against the house, for a seat or for the dealers
OTHER_END = ("seat:", "toke_box", "disputed")  # where a correction's chips come from or go to, or the tray


@dataclass(slots=True)
class Flows:
    """What passed a table's tray and box, in minor units.

    `rounds_result` is R; `corrections` is the part of it that documented mispays and corrected rounds are,
    `money_won` the part that money plays brought the box and not the tray.
    `chips` is what came into the tray less what left it, by denomination, up to the first entry that moved
    chips of the tray and does not say which (`by_value`); `in_tray` tells whether one entry moved any.
    """

    fills: int = 0
    credits: int = 0
    rounds_result: int = 0
    corrections: int = 0
    money_won: int = 0
    other_tray_moves: int = 0
    insertions: int = 0
    unlisted: list[tuple[int, Moved]] = field(default_factory=list)
    entries: int = 0
    movements: int = 0
    chips: Count = field(default_factory=dict)
    by_value: ByValue | None = None
    in_tray: bool = False

    def add(self, fact: Fact) -> None:
        """Take one entry into account; counting corrections (`over_short`) are no flow."""
        self.entries += 1
        self.movements += len(fact.moves)
        if fact.moves:
            self._merge(_flows_of(fact.kind, corrected(fact), fact.moves), fact.seq)
        if self.by_value is None:
            self._by_chips(fact)

    def _by_chips(self, fact: Fact) -> None:
        """Follow the tray by denomination, up to the first entry that does not carry them."""
        moved = bool(fact.moves) and _flows_of(fact.kind, corrected(fact), fact.moves).in_tray
        if not moved and fact.kind != CHANGE:
            return
        chips = chips_of(fact.kind, fact.payload) if fact.kind in CARRYING else None
        if chips is None:
            self.by_value = ByValue(fact.seq, fact.kind)
        else:
            self.chips = added(self.chips, chips)

    def _merge(self, one: "Flows", seq: int) -> None:
        """Add what one entry's movements are."""
        self.fills += one.fills
        self.credits += one.credits
        self.rounds_result += one.rounds_result
        self.corrections += one.corrections
        self.money_won += one.money_won
        self.other_tray_moves += one.other_tray_moves
        self.insertions += one.insertions
        if one.unlisted:
            self.unlisted += [(seq, move) for _, move in one.unlisted]

    def _take(self, kind: str, origin: str, moves: Iterable[Moved]) -> None:
        for move in moves:
            if move.target == "tray":
                self._tray(kind, origin, move, move.source, move.amount)
            elif move.source == "tray":
                self._tray(kind, origin, move, move.target, -move.amount)
            else:
                lost = money_lost(*move)
                self.insertions += inserted(*move)
                self.money_won += lost
                self.rounds_result += lost

    def _tray(self, kind: str, origin: str, move: Moved, other: str, into: int) -> None:
        """Chips that entered (`into` > 0) or left the tray, by the closed list of reasons."""
        if other == "over_short" and kind in COUNTS:
            return
        self.in_tray = True
        if other == "cage" and into > 0:
            self.fills += into
        elif other == "cage":
            self.credits -= into
        elif _is_result(kind, other):
            self.rounds_result += into
        elif (other.startswith(OTHER_END) and origin in MISPAYS) or (other, kind) == REJECTED:
            self.rounds_result += into
            self.corrections += into
        else:
            self.other_tray_moves += into
            if not _listed(kind, origin, other, into):
                self.unlisted.append((0, move))


# Wagers, payments and buy-ins repeat all day.
@lru_cache(maxsize=16_384)
def _flows_of(kind: str, origin: str, moves: tuple[Moved, ...]) -> Flows:
    """What the movements of one entry of a kind are; ``origin`` as `corrected` gives it."""
    flows = Flows()
    flows._take(kind, origin, moves)
    return flows


def won_in(fact: Fact) -> int:
    """What one entry adds to R, minor units."""
    return _flows_of(fact.kind, corrected(fact), fact.moves).rounds_result if fact.moves else 0


def _is_result(kind: str, other: str) -> bool:
    """Whether chips between tray and `other` are what the house won or lost: wagers, or a collection."""
    if other.startswith(STAKES):
        return kind.startswith("round.")
    return other.startswith("seat:") and kind in COLLECTIONS


def corrected(fact: Fact) -> str:
    """The kind of what an entry does or undoes: a reversal's is that of the entry it goes back to."""
    return str(fact.payload.get("origin", "")) if fact.kind == "entry.reverse" else fact.kind


def _listed(kind: str, origin: str, other: str, into: int) -> bool:
    """Whether chips may enter or leave the tray so: a buy-in, its reversal, a marker, a void credit's
    difference."""
    if kind == "entry.reverse":
        return other.startswith(OTHER_END) and origin in BUY_INS
    if other == "over_short":  # chips of a void credit that came back short or long
        return kind == "credit.take_back"
    if into > 0:
        return other.startswith("seat:") and kind == MARKER_PAID
    return other.startswith("seat:") and kind in (*BUY_INS, MARKER)


@dataclass(frozen=True, slots=True)
class SessionBooks:
    """A closed session as the journal has it; amounts in minor units, `drop` None until counted.

    Attributes:
        opener_chips, closer_chips: the two counts, as far as their entries say them.
        left_chips: what should lie in the tray at the opening, None where that is not known by denomination.
        unlisted_before: what entered or left the tray for no listed reason since the last closer, by entry.
    """

    session: UUID
    stream: str
    gaming_day: date
    opened_seq: int
    closed_seq: int
    carried: int
    opener: int
    closer: int
    drop: int | None
    flows: Flows
    opener_chips: Count | None = None
    closer_chips: Count | None = None
    left_chips: Count | None = None
    unlisted_before: Sequence[tuple[int, Moved]] = ()

    @property
    def chips(self) -> ChipCheck:
        """T by denomination."""
        return chips_checked(self.opener_chips, self.flows.chips, self.flows.by_value, self.closer_chips)

    @property
    def checks(self) -> Reconciliation:
        """T, B and U."""
        return reconcile(
            opener=self.opener,
            fills=self.flows.fills,
            credits=self.flows.credits,
            closer=self.closer,
            rounds_result=self.flows.rounds_result,
            other_tray_moves=self.flows.other_tray_moves,
            drop=self.drop,
            insertions=self.flows.insertions,
            money_won=self.flows.money_won,
        )

    @property
    def win(self) -> TableWin:
        """Win and hold, and how much of them is known."""
        return table_win(
            opener=self.opener,
            fills=self.flows.fills,
            credits=self.flows.credits,
            closer=self.closer,
            drop=self.drop,
            insertions=self.flows.insertions,
        )


@dataclass(frozen=True, slots=True)
class Left:
    """What lies in a tray: minor units, and pieces by chip value where that is known; and what brought it
    there, or took it away, for no listed reason, by entry."""

    total: int
    chips: Count | None = None
    unlisted: Sequence[tuple[int, Moved]] = ()

    def after(self, flows: Flows) -> "Left":
        """What lies there after what passed the tray."""
        through = flows.rounds_result - flows.money_won + flows.other_tray_moves
        total = self.total + flows.fills - flows.credits + through
        if self.chips is None or flows.by_value is not None:
            return Left(total, None, flows.unlisted)
        return Left(total, added(self.chips, flows.chips), flows.unlisted)


def carried_over(closer: Left, between: Iterable[Fact]) -> Left:
    """What should lie in the tray at the opening: the last closer, and what moved while closed."""
    flows = Flows()
    for fact in between:
        flows.add(fact)
    return closer.after(flows)


def books_of(
    session: UUID, during: Iterable[Fact], *, carried: Left, drop: int | None
) -> SessionBooks | None:
    """Add up a session from its opening entry to its closing one; None while it is not closed.

    Args:
        during: the entries from the opening one on; a closing that was cancelled is none.
        carried: what the last closer left.
        drop: the counted box, None before the count.

    Raises:
        KeyError, ValueError: the opening or the closing entry does not say what it must.
    """
    flows, opening, last = Flows(), None, None
    for fact in until_closed(during, str(session)):
        flows.add(fact)
        opening, last = opening or fact, fact
    if opening is None or last is None or last.kind != "session.close":
        return None
    return SessionBooks(
        session=session,
        stream=last.stream,
        gaming_day=date.fromisoformat(opening.payload["gaming_day"]),
        opened_seq=opening.seq,
        closed_seq=last.seq,
        carried=carried.total,
        opener=opening.payload["opener_total"],
        closer=last.payload["closer_total"],
        drop=drop,
        flows=flows,
        opener_chips=counted(opening.payload.get("opener")),
        closer_chips=counted(last.payload.get("closer")),
        left_chips=carried.chips,
        unlisted_before=carried.unlisted,
    )


def differences(books: SessionBooks, profile: Profile | None = None) -> Iterator[Found]:
    """Everything about a session's money that is not zero and should be.

    A difference says how grave the profile holds it, and whom it wants told.

    Args:
        profile: the one in force on the session's gaming day; None where nobody is to be told.
    """
    checks = books.checks
    amounts: dict[str, Any] = {
        "opener": books.opener,
        "fills": books.flows.fills,
        "credits": books.flows.credits,
        "closer": books.closer,
        "rounds_result": books.flows.rounds_result,
        "corrections": books.flows.corrections,
        "money_won": books.flows.money_won,
        "other_tray_moves": books.flows.other_tray_moves,
        "insertions": books.flows.insertions,
        "drop": books.drop,
        "T": checks.tray,
        "B": checks.box,
        "U": checks.unexplained,
        "chips": books.chips.to_dict(),
    }
    for code, difference in (
        ("tray_difference", checks.tray),
        ("box_difference", checks.box),
        ("unexplained_difference", checks.unexplained),
    ):
        if difference:
            yield _found(books, code, books.closed_seq, amounts | gravity(profile, difference))
    if books.opener != books.carried:
        evidence: dict[str, Any] = {"opener": books.opener, "left_by_closer": books.carried}
        evidence["chips"] = _since_closer(books)
        told = gravity(profile, books.opener - books.carried)
        yield _found(books, "opener_not_from_closer", books.opened_seq, evidence | told)
    yield from chips_astray(books)
    for seq, move in (*books.unlisted_before, *books.flows.unlisted):
        yield _found(books, "tray_move_not_listed", seq, move._asdict())


def chips_astray(books: SessionBooks) -> Iterator[Found]:
    """Counts that agree in value, and not in their chips, with what went through the tray between them."""
    since_closer, since_opener = _since_closer(books), books.chips.difference
    if since_closer and books.opener == books.carried:
        evidence = {"since": "the last closer", "difference": since_closer}
        yield _found(books, "tray_chips_differ", books.opened_seq, evidence)
    if since_opener and not books.checks.tray:
        evidence = {"since": "the opener", "difference": since_opener}
        yield _found(books, "tray_chips_differ", books.closed_seq, evidence)


def _since_closer(books: SessionBooks) -> Count | None:
    """The opener by denomination less what should have lain there."""
    return chips_checked(books.left_chips, {}, None, books.opener_chips).difference


def gravity(profile: Profile | None, difference: int) -> dict[str, Any]:
    """What the profile says of a difference that is not zero: its tier, and who must be told."""
    if profile is None:
        return {}
    tier = profile.tier(difference)
    assert tier is not None, "every profile has a tier for any difference"
    return {
        "profile": f"{profile.name} v{profile.version}",
        "tier": tier.name,
        "told": [str(who) for who in tier.told],
    }


def _found(books: SessionBooks, code: str, seq: int, evidence: dict[str, Any]) -> Found:
    return Found(code, evidence, stream=books.stream, seq=seq, session=books.session)
