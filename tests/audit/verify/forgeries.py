"""What a house that has the key may do to its own log: each changes the lines, which are then sealed anew."""

import copy
import uuid
from collections.abc import Callable
from typing import Any

from audit.verify.records import Transfer
from tests.audit.verify.made import Line

Change = Callable[[list[Line]], object]


def ordered(lines: list[Line]) -> list[Line]:
    """The entries of the table where things were corrected, then all others: streams are sorted by chance."""
    stream = next(line.stream for line in lines if line.kind == "entry.reverse")
    return sorted(lines, key=lambda line: line.stream != stream)


def first(lines: list[Line], kind: str, **said: Any) -> Line:
    """The first entry of a kind that says this."""
    return next(
        line
        for line in ordered(lines)
        if line.kind == kind and all(line.said.get(k) == v for k, v in said.items())
    )


def paying(lines: list[Line]) -> Line:
    """An entry that pays a seat for a round."""
    return next(
        line
        for line in ordered(lines)
        if line.kind == "round.deal" and any(move.source == "tray" for move in line.moves)
    )


def drawn(lines: list[Line], kind: str = "round.deal") -> Line:
    """An entry of a committed shoe."""
    return next(
        line for line in lines if line.kind == kind and ("openings" in line.said or "root" in line.said)
    )


def says(kind: str, **said: Any) -> Change:
    """Lets the first entry of a kind say something else."""
    return lambda lines: first(lines, kind).said.update(said)


def more_paid(lines: list[Line]) -> None:
    line = paying(lines)
    at = next(at for at, move in enumerate(line.moves) if move.source == "tray")
    line.moves[at] = line.moves[at]._replace(amount=line.moves[at].amount + 100)


def nothing_taken(lines: list[Line]) -> None:
    line = next(line for line in ordered(lines) if line.kind == "round.deal" and line.moves)
    line.moves.pop()


def another_card(lines: list[Line]) -> None:
    line = first(lines, "round.deal")
    line.said["actions"][0]["card"] = "2C"


def another_salt(lines: list[Line]) -> None:
    drawn(lines).said["openings"][0]["salt"] = "00" * 16


def a_later_position(lines: list[Line]) -> None:
    drawn(lines).said["openings"][0]["position"] += 1


def no_opening(lines: list[Line]) -> None:
    drawn(lines).said["openings"].pop()


def another_order(lines: list[Line]) -> None:
    leaves = drawn(lines, "shoe.load").said["leaves"]
    leaves[0], leaves[1] = leaves[1], leaves[0]


def a_card_too_often(lines: list[Line]) -> None:
    first(lines, "shoe.load", source="scanned").said.update(packs=1, cut_card=0)
    for line in lines:
        if line.kind == "round.deal" and "openings" not in line.said:
            for action in line.said["actions"]:
                if "card" in action:
                    action["card"] = "5S"


def another_drop(lines: list[Line]) -> None:
    first(lines, "session.count_drop").said["drop_total"] += 100


def another_closer(lines: list[Line]) -> None:
    first(lines, "session.close").said["closer_total"] += 100


def chips_for_nothing(lines: list[Line]) -> None:
    line = first(lines, "seat.leave")
    line.moves.append(Transfer("tray", "floor", "chips:USD", 500))


def another_box(lines: list[Line]) -> None:
    line = first(lines, "seat.take")
    at = next(at for at, move in enumerate(line.moves) if move.target == "cash:drop_box")
    line.moves[at] = line.moves[at]._replace(amount=line.moves[at].amount - 100)


def from_nowhere(lines: list[Line]) -> None:
    first(lines, "seat.take").moves.append(Transfer("seat:99", "tray", "chips:USD", 5))


def cash_for_chips(lines: list[Line]) -> None:
    first(lines, "seat.take").moves.append(Transfer("tray", "cash:patrons", "chips:USD", 5))


def more_than_there_is(lines: list[Line]) -> None:
    first(lines, "seat.take").moves.append(Transfer("seat:2", "tray", "chips:USD", 10**9))


def to_itself(lines: list[Line]) -> None:
    first(lines, "seat.take").moves.append(Transfer("floor", "floor", "chips:USD", 5))


def an_earlier_time(lines: list[Line]) -> None:
    first(lines, "seat.leave").recorded -= 10**10


def a_time_before_all_calendars(lines: list[Line]) -> None:
    first(lines, "seat.leave").occurred = -(2**62)


def the_same_id(lines: list[Line]) -> None:
    first(lines, "seat.leave").id = lines[0].id


def the_same_command(lines: list[Line]) -> None:
    line = first(lines, "seat.leave")
    line.command = next(other.command for other in lines if other.stream == line.stream)


def reversed_twice(lines: list[Line]) -> None:
    line = first(lines, "entry.reverse")
    first([one for one in lines if one.stream == line.stream], "seat.leave").reverses = line.reverses


def a_reversal_of_another_stream(lines: list[Line]) -> None:
    first(lines, "entry.reverse").reverses = next(
        one for one in lines if one.stream.startswith("cage")
    ).id.bytes


def half_a_reversal(lines: list[Line]) -> None:
    line = first(lines, "entry.reverse")
    line.moves[:] = [move._replace(amount=move.amount // 2) for move in line.moves]


def one_left_out(lines: list[Line]) -> None:
    lines.remove(first(lines, "seat.leave"))


def an_account_opened_again(lines: list[Line]) -> None:
    line = first(lines, "seat.leave")
    line.kind = "account.open"
    line.said = {
        "accounts": [{"asset": "chips:USD", "floor": None, "name": "tray"}],
        "stream": line.stream,
    }


def other_rules(lines: list[Line]) -> None:
    first(lines, "rule_set.create").said["body"]["pay_table"]["1"] = 6


def other_result(lines: list[Line]) -> None:
    first(lines, "round.correct").said["cards"] = ["5S", "6H"]


def other_correction(lines: list[Line]) -> None:
    line = first(lines, "round.correct")
    line.moves[0] = line.moves[0]._replace(amount=line.moves[0].amount + 100)


def other_seats(lines: list[Line]) -> None:
    first(lines, "seat.leave").moves.clear()


def unreadable(lines: list[Line]) -> None:
    first(lines, "session.open").said.pop("opener_total")


def a_marker_taken_out(lines: list[Line]) -> None:
    line = first(lines, "marker.issue")
    leaving = next(one for one in lines if one.stream == line.stream and one.kind == "seat.leave")
    leaving.moves.append(Transfer("markers:drop_box", "markers:patrons", "markers:USD", 500))


def more_chips_than_the_marker(lines: list[Line]) -> None:
    line = first(lines, "marker.issue")
    at = next(at for at, move in enumerate(line.moves) if move.source == "tray")
    line.moves[at] = line.moves[at]._replace(amount=line.moves[at].amount + 100)


def other_chips_in_the_opener(lines: list[Line]) -> None:
    """Of the same value: five of 1.00 are one of 5.00."""
    opener = first(lines, "session.open", number=2).said["opener"]
    opener |= {"100": opener["100"] - 5, "500": 1}


def chips_changed_unequally(lines: list[Line]) -> None:
    line = copy.deepcopy(first(lines, "seat.buy_in"))
    line.kind, line.seq, line.moves = "seat.change", line.seq + 1, []
    line.said = {"session": line.said["session"], "seat": 1, "into_tray": {"5": 1}, "out_of_tray": {"5": 2}}
    line.id, line.command, line.recorded = uuid.uuid4(), uuid.uuid4(), line.recorded + 1
    later = [one for one in lines if one.stream == line.stream and one.seq >= line.seq and not one.is_cited]
    for one in later:
        one.seq += 1
    lines.insert(lines.index(later[0]), line)


def other_chips_in_a_fill(lines: list[Line]) -> None:
    """Of the same value, and more of one chip than the vault ever had."""
    line = first(lines, "fill.issue")
    line.said["chips"] = {"100": line.said["total"] // 100}


def another_first_count(lines: list[Line]) -> None:
    first(lines, "session.count_drop").said["first"]["counted"]["notes"]["100"] -= 1


def counted_twice_by_one(lines: list[Line]) -> None:
    line = first(lines, "session.count_drop")
    line.actor = first([one for one in lines if one.stream == line.stream], "drop.count_first").actor


def losing_currency(lines: list[Line]) -> Line:
    """The entry of a round whose currency was lost."""
    return next(line for line in lines if any(move.source.startswith("money:") for move in _boxed(line)))


def _boxed(line: Line) -> list[Transfer]:
    return [move for move in line.moves if move.target == "cash:drop_box"]


def less_cash_in(lines: list[Line]) -> None:
    losing_currency(lines).said["cash_in"]["3"]["amount"] -= 100


def currency_of_somebody_else(lines: list[Line]) -> None:
    losing_currency(lines).said["cash_in"]["3"]["player"] = str(uuid.UUID(int=1))


def currency_not_boxed(lines: list[Line]) -> None:
    line = losing_currency(lines)
    at = line.moves.index(_boxed(line)[0])
    line.moves[at] = line.moves[at]._replace(target="cash:patrons")


def currency_for_a_seat_that_leaves(lines: list[Line]) -> None:
    stream = losing_currency(lines).stream
    line = next(one for one in lines if one.stream == stream and one.kind == "seat.leave")
    line.moves.append(Transfer("cash:patrons", "money:1", "cash:USD", 500))


def a_fill_received_again(lines: list[Line]) -> None:
    line = first(lines, "fill.receive")
    leaving = first([one for one in lines if one.stream == line.stream], "seat.leave")
    leaving.kind, leaving.said, leaving.moves = line.kind, line.said, line.moves


def chips_over_the_boundary(lines: list[Line]) -> None:
    first(lines, "seat.leave").moves.append(Transfer("cage", "tray", "chips:USD", 500))


def a_session_nobody_opened(lines: list[Line]) -> None:
    """It is said to be something else, and the session is nowhere."""
    first(lines, "session.open").kind = "table.sing"


ANOTHER = str(uuid.UUID(int=1))


def less(kind: str, source: str, target: str = "") -> Change:
    """Lets the first entry of a kind that moves something from there move less of it."""

    def change(lines: list[Line]) -> None:
        ways = (source, target)
        line = next(one for one in ordered(lines) if one.kind == kind and _way(one, *ways) is not None)
        at = _way(line, *ways)
        assert at is not None
        line.moves[at] = line.moves[at]._replace(amount=line.moves[at].amount - 1)

    return change


def _way(line: Line, source: str, target: str) -> int | None:
    ways = ((at, move) for at, move in enumerate(line.moves) if move.source == source)
    return next((at for at, move in ways if target in ("", move.target)), None)


def unsaid(kind: str, name: str = "session") -> Change:
    """Lets the first entry of a kind that says something say nothing of it."""
    return lambda lines: first([one for one in lines if name in one.said], kind).said.pop(name)


def called(kind: str, other: str) -> Change:
    """Lets the first entry of a kind be called otherwise."""
    return lambda lines: setattr(first(lines, kind), "kind", other)


def paid_and_redeemed(lines: list[Line]) -> None:
    """The marker that the cage was paid for is said to be the one that was redeemed at its table."""
    paid, redeemed = first(lines, "cage.redeem_marker"), first(lines, "marker.redeem")
    paid.said |= {name: redeemed.said[name] for name in ("marker", "number")}


def bound_to_another(lines: list[Line]) -> None:
    line = first(lines, "entry.reverse")
    line.reverses = next(
        one for one in lines if one.stream == line.stream and one.kind == "seat.take"
    ).id.bytes


def other_rules_named(lines: list[Line]) -> None:
    """A change of rules to those that are in force, under another name."""
    rules = first(lines, "rule_set.create").said
    said = {"id": rules["rules"], "name": "another", "version": rules["version"], "digest": ""}
    line = first(lines, "shoe.retire")
    line.kind, line.said = "table.rules", {"before": said, "after": said, "second": ANOTHER} | line.said


def released_for_nothing(lines: list[Line]) -> None:
    first(lines, "shoe.retire").kind = "table.release"


def scanned_where_they_are_drawn(lines: list[Line]) -> None:
    line = drawn(lines, "shoe.load")
    line.said = {name: line.said[name] for name in ("shoe", "number", "packs", "cut_card")}
    line.said["source"] = "scanned"


def more_asked_for(lines: list[Line]) -> None:
    """The request says less than was issued for it."""
    line = first(lines, "fill.request")
    value = next(iter(line.said["chips"]))
    line.said["chips"][value] -= 1
    line.said["total"] -= int(value)


def a_second_of_ones_own(lines: list[Line]) -> None:
    """An administrator alone employs somebody who may sign."""
    first(lines, "staff.create", role="auditor").said["second"] = None
