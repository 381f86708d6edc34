"""A house that forges its whole log and seals it: no hash is wrong, and what it did still does not add up.

Each test names what must hold. The forger has the key, and makes every hash, link, leaf and sum anew.
"""

import copy
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from audit.verify.records import Transfer
from tests.audit.verify.made import Line, Made, forged

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


FORGED: list[tuple[Change, set[str]]] = [
    # markers at both ends, and what the cage says of amounts
    (says("cage.redeem_marker", player=ANOTHER), {"marker_differs"}),
    (says("cage.redeem_marker", number=7), {"marker_differs"}),
    (paid_and_redeemed, {"marker_differs"}),
    (says("cage.fund", amount=5), {"amount_differs"}),
    (less("cage.fund", "cash:bankroll"), {"amount_differs"}),
    (says("cage.commission", total=5), {"amount_differs"}),
    # boxes
    (less("box.remove", "cash:drop_box"), {"amount_differs"}),
    (less("session.count_drop", "cash:boxes"), {"amount_differs"}),
    # corrections and reversals
    (says("correction.post", direction="to_tray"), {"amount_differs"}),
    (says("correction.post", seat=1), {"move_not_listed"}),
    (says("entry.reverse", entry=ANOTHER), {"reversal_invalid"}),
    (bound_to_another, {"reversal_invalid"}),
    (says("entry.reverse", gaming_day="2026-01-01"), {"gaming_day_differs"}),
    (unsaid("entry.reverse", "gaming_day"), {"wrong_reversal"}),
    *(
        (unsaid(kind), {"session_misnamed"})
        for kind in ("correction.post", "entry.reverse", "fill.request", "toke.give", "marker.issue")
    ),
    # rules, shoes and what rounds' entries are called
    (says("session.open", rules=ANOTHER), {"rule_set_differs", "rules_not_in_force"}),
    (other_rules_named, {"rule_set_differs"}),
    (released_for_nothing, {"out_of_order"}),
    (called("round.announce", "round.raise"), {"kind_differs"}),
    (called("round.deal", "round.sing"), {"kind_differs"}),
    (says("shoe.load", cut_card=3), {"shoe_not_of_table"}),
    (scanned_where_they_are_drawn, {"shoe_not_of_table"}),
    (more_asked_for, {"slip_differs"}),
    (says("fill.request", slip=ANOTHER), {"slip_differs"}),
    (says("fill.issue", partial=True), {"slip_differs"}),
    (says("round.start", players={"1": ANOTHER, "2": None}), {"player_not_seated"}),
    (says("round.start", number=7), {"round_out_of_order"}),
    (says("round.start", session=ANOTHER), {"session_misnamed"}),
    (says("round.start", dealer=ANOTHER), {"dealer_differs"}),
    (says("seat.leave", player=ANOTHER), {"player_not_seated"}),
    (says("session.open", gaming_day="2026-01-01"), {"gaming_day_differs"}),
    (says("fill.receive", label="F-99"), {"slip_differs"}),
    (says("fill.issue", slip=ANOTHER), {"slip_without_movement"}),
    (says("session.open", number=2), {"out_of_order"}),
    (a_session_nobody_opened, {"session_misnamed"}),
    (says("session.close", session=ANOTHER), {"session_misnamed"}),
    (a_fill_received_again, {"movement_without_slip"}),
    (chips_over_the_boundary, {"movement_without_slip", "tray_difference"}),
    (more_paid, {"wrong_payout", "count_differs"}),
    (nothing_taken, {"wrong_payout"}),
    (another_card, {"state_differs"}),
    (another_salt, {"opening_not_committed"}),
    (a_later_position, {"opening_out_of_order"}),
    (no_opening, {"opening_missing"}),
    (another_order, {"commitment_invalid"}),
    (a_card_too_often, {"impossible_card"}),
    (another_drop, {"box_difference", "blind_count_differs"}),
    (other_chips_in_the_opener, {"tray_chips_differ"}),
    (chips_changed_unequally, {"amount_differs"}),
    (other_chips_in_a_fill, {"vault_chips_differ"}),
    (says("fill.issue", chips={"500": 1}), {"amount_differs"}),
    (says("cage.commission", chips={}), {"amount_differs"}),
    (another_first_count, {"blind_count_differs"}),
    (counted_twice_by_one, {"blind_count_differs"}),
    (says("drop.count_first", commitment="00" * 32), {"blind_count_differs"}),
    (says("session.count_drop", total=5), {"blind_count_differs"}),
    (says("session.count_drop", notes={}), {"blind_count_differs"}),
    (another_closer, {"count_differs", "tray_difference"}),
    (says("session.open", opener_total=5), {"count_differs"}),
    (chips_for_nothing, {"tray_move_not_listed"}),
    (another_box, {"box_difference"}),
    (from_nowhere, {"account_unknown"}),
    (cash_for_chips, {"asset_differs"}),
    (more_than_there_is, {"floor_broken"}),
    (to_itself, {"movement_invalid"}),
    (an_earlier_time, {"time_not_increasing"}),
    (a_time_before_all_calendars, {"time_out_of_range"}),
    (the_same_id, {"id_repeated"}),
    (the_same_command, {"id_repeated"}),
    (reversed_twice, {"reversal_invalid"}),
    (a_reversal_of_another_stream, {"reversal_invalid"}),
    (says("seat.take", cash=5), {"amount_differs"}),
    (says("seat.buy_in", cash=5), {"amount_differs"}),
    (says("correction.post", amount=5), {"amount_differs"}),
    (says("toke.collect", total=5), {"amount_differs"}),
    (says("toke.collect", session="another"), {"session_misnamed"}),
    (says("promo.collect", session=None), {"session_misnamed"}),
    (says("chips.reject", session="another"), {"session_misnamed"}),
    (says("promo.collect", total=5), {"amount_differs"}),
    (says("chips.reject", value=5), {"amount_differs"}),
    (says("marker.issue", amount=5), {"amount_differs", "marker_differs"}),
    (says("marker.issue", second=None), {"signature_missing"}),
    *(
        (says(kind, second=None), {"signature_missing"})
        for kind in ("session.open", "session.close", "box.remove", "fill.request", "fill.receive")
    ),
    (says("fill.issue", runner=None), {"signature_missing"}),
    (a_second_of_ones_own, {"signature_missing"}),
    (says("cage.credit_limit", second=None), {"signature_missing"}),
    (says("cage.commission", second=""), {"signature_missing"}),
    (says("marker.issue", player=str(uuid.UUID(int=1))), {"marker_differs"}),
    (says("marker.redeem", number=9), {"marker_differs"}),
    (says("marker.redeem", tender="cash"), {"amount_differs"}),
    (more_chips_than_the_marker, {"amount_differs"}),
    (a_marker_taken_out, {"move_not_listed", "box_difference"}),
    (less_cash_in, {"cash_in_differs"}),
    (currency_of_somebody_else, {"cash_in_differs"}),
    (currency_not_boxed, {"wrong_payout", "box_difference", "unexplained_difference"}),
    (currency_for_a_seat_that_leaves, {"move_not_listed", "seats_not_empty"}),
    (half_a_reversal, {"wrong_reversal"}),
    (says("entry.reverse", seq=2), {"wrong_reversal"}),
    (one_left_out, {"sequence_gap"}),
    (an_account_opened_again, {"opening_invalid"}),
    (says("stream.open", stream="table:another"), {"opening_invalid"}),
    (other_rules, {"rule_set_differs"}),
    (says("round.start", engine={"game": "red_dog", "version": 99}), {"engine_unknown"}),
    (says("round.deal", state="00" * 32), {"state_differs"}),
    (says("round.deal", round="00000000-0000-0000-0000-000000000000"), {"round_out_of_order"}),
    (says("shoe.retire", cards={}), {"shoe_differs"}),
    (other_result, {"state_differs"}),
    (other_correction, {"wrong_correction"}),
    (other_seats, {"seats_not_empty"}),
    (unreadable, {"record_unreadable"}),
]


def test_an_honest_log_forged_anew_holds(made: Made) -> None:
    """So that what the others find is what they changed."""
    judged = made.judged(forged(made, lambda lines: None))
    assert judged.holds, judged.findings.listed


@pytest.mark.parametrize(("change", "due"), FORGED, ids=lambda part: getattr(part, "__name__", ""))
def test_what_does_not_add_up_is_named(made: Made, change: Change, due: set[str]) -> None:
    found = made.types(forged(made, change))
    assert due <= found, found


def renamed(lines: list[Line]) -> None:
    """An entry without movements, of a kind nobody knows."""
    line = copy.copy(next(one for one in reversed(lines) if one.stream.startswith("table:")))
    line.kind, line.seq, line.moves, line.said = "table.sing", line.seq + 1, [], {"song": "\u266b"}
    line.id, line.command, line.recorded = uuid.uuid4(), uuid.uuid4(), line.recorded + 1
    lines.insert(next(at for at, one in enumerate(lines) if one.is_cited), line)


def test_a_kind_nobody_knows_is_remarked(made: Made) -> None:
    judged = made.judged(forged(made, renamed))
    assert judged.holds, judged.findings.listed
    assert [(one.type, one.detail) for one in judged.findings.remarks] == [
        ("kind_unknown", "1 entry of kind table.sing")
    ]


def test_and_its_movements_are_added_up_all_the_same(made: Made) -> None:
    def change(lines: list[Line]) -> None:
        first(lines, "seat.buy_in").kind = "seat.sing"

    judged = made.judged(forged(made, change))
    assert {"tray_move_not_listed", "box_difference"} & set(judged.findings.counts)
    assert [one.type for one in judged.findings.remarks] == ["kind_unknown"]
