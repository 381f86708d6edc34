"""Promotional pieces by their numbers, from the entries of a casino's cage and tables alone; no database.

    promo.stock    pieces brought into the cage, by value
    promo.issue    each number given to a player, once for ever, out of what is in stock of its value
    round.*        laid beside a bet under its number and for its value; then its player's again, or taken in
    promo.collect  of what the table has taken in so far: found and cancelled, or missing

That chips and pieces move as the rules give is the re-settlement's; here is which piece it was. Each stream
is followed by itself (`PieceCheck`), in the order of its numbers; what takes several is judged on what they
said (`plays_astray`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact, Moved
from tables.engine.places import PROMO, PROMO_BOX

STOCK, ISSUE, COLLECT = "promo.stock", "promo.issue", "promo.collect"
MADE, IN_STOCK, OUT = "promo:made", "promo:stock", "promo:out"
LAID = "promo_wager:"
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)

# Within a stream the numbers are the order. Between two there is only `recorded_at`: the database's clock,
# read under each stream's own lock. Whatever waits for what another stream committed is recorded after it,
# unless the clock was set back in between: a stream then stays ahead of the others by as much. So two entries
# of two streams that are less than this apart have no order, and that one of them came too early is no
# finding; that a piece lay at two tables for longer, or was taken in at both, is one whatever the clock says.
APART = timedelta(seconds=1)
FOR_EVER = datetime.max.replace(tzinfo=UTC)


class Issue(NamedTuple):
    """A piece given to a player; its value in minor units."""

    serial: str
    value: int
    player: str
    stream: str
    seq: int
    at: datetime


class Cancelled(NamedTuple):
    """A piece that was found among those taken in, and cancelled."""

    serial: str
    stream: str
    seq: int


@dataclass(slots=True)
class Play:
    """A piece beside a bet, for its value (minor units), until it went back or was taken in."""

    serial: str
    value: int
    stream: str
    seat: str
    round: UUID | None
    seq: int
    at: datetime
    ended_seq: int | None = None
    ended_at: datetime | None = None
    taken: bool = False


@dataclass(slots=True)
class Heard:
    """What one stream says of pieces.

    Attributes:
        stock: pieces in stock by value, minor units.
        before: pieces that must have been there before the stream's first entry at hand.
    """

    issued: list[Issue] = field(default_factory=list)
    plays: list[Play] = field(default_factory=list)
    cancelled: list[Cancelled] = field(default_factory=list)
    stock: Counter[int] = field(default_factory=Counter)
    before: int = 0


class Standing(NamedTuple):
    """Where an issued piece is in the end, in the words of its row; stream, round and seat where it lies."""

    value: int
    player: str
    issued_seq: int
    status: str
    stream: str | None = None
    round: UUID | None = None
    seat: str | None = None
    cancelled_seq: int | None = None


class PieceCheck:
    """Follows the promotional pieces of one stream, a cage's or a table's.

    Attributes:
        heard: what it said so far.
        at_stake: what lies beside bets, by place.

    Args:
        stream: its name.
        report: called with each find.
        whole: whether its entries are at hand from the first one on; where they are not, what was in stock or
            taken in before is not known.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], *, whole: bool = True) -> None:
        self.heard = Heard()
        self.at_stake: dict[str, Play] = {}
        self._stream, self._report, self._whole = stream, report, whole
        self._is_cage = stream.startswith("cage:")
        self._box: dict[str, Play] = {}

    def see(self, fact: Fact) -> None:
        """Take the next entry."""
        if not (says_pieces(fact.kind, fact.payload) or moves_pieces(fact.moves)):
            return
        try:
            if self._is_cage:
                self._at_cage(fact)
            elif fact.kind == COLLECT:
                self._collected(fact)
            else:
                self._played(fact)
        except UNREADABLE as error:
            evidence = {"kind": fact.kind, "error": repr(error)[:200]}
            self._report(Found("entry_unreadable", evidence, self._stream, fact.seq, about="pieces"))

    def _at_cage(self, fact: Fact) -> None:
        """What an entry brings into stock or gives out of it; no other moves pieces at a cage."""
        said = fact.payload
        worth, way = 0, (MADE, IN_STOCK)
        if fact.kind == STOCK:
            for value, number in said["pieces"].items():
                if type(number) is not int or number < 0:
                    raise ValueError("a count is none")
                self.heard.stock[int(value)] += number
                worth += int(value) * number
        elif fact.kind == ISSUE:
            self._issued(fact, said["coupons"])
            way, worth = (IN_STOCK, OUT), sum(said["coupons"].values())
        due = [Moved(*way, worth)] if worth else []
        moved = [move for move in fact.moves if moves_pieces((move,))]
        if moved != due or worth != said.get("total", 0):
            evidence = {"worth": worth, "said": said.get("total"), "moved": [list(move) for move in moved]}
            self._found("promo_amount_differs", fact, evidence)

    def _issued(self, fact: Fact, coupons: Mapping[str, int]) -> None:
        if not all(type(value) is int for value in coupons.values()):
            raise TypeError("a piece is worth no amount")
        stock = self.heard.stock
        for value, number in sorted(Counter(coupons.values()).items()):
            short = number - stock[value]
            stock[value] = max(-short, 0)
            if short > 0 and self._whole:
                evidence = {"value": value, "issued": number, "in_stock": number - short}
                self._found("promo_not_in_stock", fact, evidence, about=str(value))
            elif short > 0:
                self.heard.before += short
        player = str(fact.payload["player"])
        self.heard.issued += [
            Issue(serial, value, player, self._stream, fact.seq, fact.recorded_at)
            for serial, value in sorted(coupons.items())
        ]

    def _played(self, fact: Fact) -> None:
        """What an entry lays beside bets, gives back and takes in, in the order of its movements."""
        named = dict(fact.payload.get("coupons", {}))
        for move in fact.moves:
            if move.source == PROMO and move.target.startswith(LAID):
                seat = move.target.removeprefix(LAID)
                self._laid(fact, seat, named.pop(seat, None), move)
            elif move.source.startswith(LAID):
                self._ended(fact, move)
        if named:
            self._found("promo_not_named", fact, {"named": named}, about="named")

    def _laid(self, fact: Fact, seat: str, serial: str | None, move: Moved) -> None:
        if not isinstance(serial, str | None):
            raise TypeError("a piece has a text for its number")
        said = fact.payload.get("round")
        about = UUID(said) if said else None
        play = Play(serial or "", move.amount, self._stream, seat, about, fact.seq, fact.recorded_at)
        self.at_stake[move.target] = play
        if serial:
            self.heard.plays.append(play)
        else:
            self._found("promo_not_named", fact, {"seat": seat, "value": move.amount}, about=seat)

    def _ended(self, fact: Fact, move: Moved) -> None:
        play = self.at_stake.pop(move.source, None)
        if play is None:
            return
        play.ended_seq, play.ended_at = fact.seq, fact.recorded_at
        play.taken = move.target == PROMO_BOX
        if play.taken and play.serial:
            self._box[play.serial] = play

    def _collected(self, fact: Fact) -> None:
        """What is found and what is missing are what was taken in and not cancelled yet, each piece once."""
        said = fact.payload
        coupons, missing, box = list(said["coupons"]), list(said["missing"]), self._box
        strangers = sorted({*coupons, *missing} - box.keys())
        passed_over = sorted(box.keys() - {*coupons, *missing})
        twice = len({*coupons, *missing}) < len(coupons) + len(missing)
        if passed_over or twice or (strangers and self._whole):
            evidence = {"coupons": coupons, "missing": missing, "taken_in": sorted(box)}
            self._found("promo_not_taken_in", fact, evidence)
        elif strangers:
            self.heard.before += len(strangers)
        worth = sum(box[serial].value for serial in coupons if serial in box)
        if not strangers and worth != said["total"]:
            self._found("promo_amount_differs", fact, {"worth": worth, "said": said["total"]})
        for serial in coupons:
            box.pop(serial, None)
            self.heard.cancelled.append(Cancelled(serial, self._stream, fact.seq))

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any], about: str = "") -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self._stream, seq=fact.seq, about=about))


def says_pieces(kind: str, fields: Collection[str]) -> bool:
    """Whether an entry of a kind that says these fields is about pieces, whatever it moves."""
    return kind.startswith("promo.") or "coupons" in fields


def plays_astray(
    heard: Iterable[Heard],
    *,
    issued_until: datetime | None = FOR_EVER,
    until: Mapping[str, datetime] = MappingProxyType({}),
) -> Iterator[Found]:
    """Pieces that were issued twice, or played without having been issued, for another value, or twice.

    Args:
        heard: what the streams of a casino said.
        issued_until: up to when the cage's entries are at hand from its first one on, None where they are
            not; a piece nobody is seen to issue may have been issued before, or later (`unissued`).
        until: by stream, up to when its entries are at hand, where they go on: what lay there then may have
            gone back.
    """
    parts = list(heard)
    issues = _first_issues(parts)
    for issue in sorted((each for part in parts for each in part.issued), key=_issue_order):
        first = issues[issue.serial]
        if issue is not first:
            evidence = {"serial": issue.serial, "issued_before": first.seq}
            yield Found("promo_issued_twice", evidence, issue.stream, issue.seq, about=issue.serial)
    for serial, plays in _by_serial(parts).items():
        for number, play in enumerate(plays):
            if serial in issues or _is_known(play, issued_until):
                yield from _not_as_issued(play, issues.get(serial))
            yield from _again(play, plays[:number], until)


def unissued(heard: Iterable[Heard], issued_until: datetime | None = None) -> list[str]:
    """The numbers of pieces that were at stake and may have been issued beyond what is at hand, in order.

    Args:
        issued_until: as `plays_astray` takes it.
    """
    parts = list(heard)
    issues = _first_issues(parts)
    plays = (play for part in parts for play in part.plays if play.serial not in issues)
    return sorted({play.serial for play in plays if not _is_known(play, issued_until)})


def standings(heard: Iterable[Heard]) -> dict[str, Standing]:
    """Where each piece that was issued is in the end, by its number."""
    parts = list(heard)
    plays = _by_serial(parts)
    cancelled = {(each.serial, each.stream): each.seq for part in parts for each in part.cancelled}
    return {
        serial: _standing(issue, plays.get(serial, ()), cancelled)
        for serial, issue in _first_issues(parts).items()
    }


def _standing(issue: Issue, plays: Sequence[Play], cancelled: Mapping[tuple[str, str], int]) -> Standing:
    known = Standing(issue.value, issue.player, issue.seq, "issued")
    lying = next((each for each in plays if each.taken), None)
    lying = lying or next((each for each in plays if each.ended_seq is None), None)
    if lying is None:
        return known
    seq = cancelled.get((issue.serial, lying.stream))
    status = "staked" if not lying.taken else "taken" if seq is None else "cancelled"
    there = known._replace(stream=lying.stream, round=lying.round, seat=lying.seat)
    return there._replace(status=status, cancelled_seq=seq if status == "cancelled" else None)


@lru_cache(maxsize=16_384)  # movements repeat all day
def moves_pieces(moves: tuple[Moved, ...]) -> bool:
    """Whether any of these movements is one of pieces."""
    # An asset of its own: whatever moves pieces takes them from a place of such a name.
    return any(move.source.startswith(PROMO) for move in moves)


def _issue_order(issue: Issue) -> tuple[str, datetime, int]:
    return issue.serial, issue.at, issue.seq


def _first_issues(parts: Iterable[Heard]) -> dict[str, Issue]:
    first: dict[str, Issue] = {}
    for issue in sorted((each for part in parts for each in part.issued), key=_issue_order):
        first.setdefault(issue.serial, issue)
    return first


def _by_serial(parts: Iterable[Heard]) -> dict[str, list[Play]]:
    """All plays by number, each number's in the order in which they began."""
    plays: dict[str, list[Play]] = {}
    began = sorted(
        (each for part in parts for each in part.plays), key=lambda one: (one.at, one.stream, one.seq)
    )
    for play in began:
        plays.setdefault(play.serial, []).append(play)
    return dict(sorted(plays.items()))


def _is_known(play: Play, issued_until: datetime | None) -> bool:
    """Whether all that the cage issued before a play is at hand."""
    return issued_until is not None and play.at <= issued_until


def _not_as_issued(play: Play, issue: Issue | None) -> Iterator[Found]:
    """A piece that nobody had issued when it was played, or issued with another value."""
    said = {"serial": play.serial, "value": play.value}
    if issue is None or issue.at - play.at >= APART:
        later = None if issue is None else {"seq": issue.seq, "at": issue.at.isoformat()}
        yield _about(play, "promo_not_issued", said | {"issued_later": later})
    elif issue.value != play.value:
        yield _about(play, "promo_value_differs", said | {"issued_with": issue.value, "issued_by": issue.seq})


def _again(play: Play, earlier: Sequence[Play], until: Mapping[str, datetime]) -> Iterator[Found]:
    """A piece that lies elsewhere at the same time, or was taken in before."""
    for other in earlier:
        if not (_may_follow(other, play, until) or _may_follow(play, other, until)):
            evidence = {"serial": play.serial, "stream": other.stream, "seq": other.seq, "taken": other.taken}
            yield _about(play, "promo_played_twice", evidence)
            return


def _may_follow(first: Play, then: Play, until: Mapping[str, datetime]) -> bool:
    """Whether a play may have begun after the other one had given the piece back."""
    if first.ended_seq is None or first.ended_at is None:
        return first.stream != then.stream and until.get(first.stream, FOR_EVER) < then.at
    if first.taken:
        return False
    if first.stream == then.stream:
        return first.ended_seq <= then.seq
    return first.ended_at - then.at < APART


def _about(play: Play, code: str, evidence: Mapping[str, Any]) -> Found:
    return Found(code, evidence, play.stream, play.seq, round=play.round, about=play.serial)
