"""A house that forges its whole log and seals it: no hash is wrong, and what it did still does not add up.

Each test names what must hold. The forger has the key, and makes every hash, link, leaf and sum anew.
"""

import copy
import uuid

import pytest

from audit.verify.records import Transfer
from tests.audit.verify.forgeries import (
    ANOTHER,
    Change,
    a_card_too_often,
    a_fill_received_again,
    a_later_position,
    a_marker_taken_out,
    a_reversal_of_another_stream,
    a_second_of_ones_own,
    a_session_nobody_opened,
    a_time_before_all_calendars,
    an_account_opened_again,
    an_earlier_time,
    another_box,
    another_card,
    another_closer,
    another_drop,
    another_first_count,
    another_order,
    another_salt,
    bound_to_another,
    called,
    cash_for_chips,
    chips_changed_unequally,
    chips_for_nothing,
    chips_over_the_boundary,
    counted_twice_by_one,
    currency_for_a_seat_that_leaves,
    currency_not_boxed,
    currency_of_somebody_else,
    first,
    from_nowhere,
    half_a_reversal,
    less,
    less_cash_in,
    more_asked_for,
    more_chips_than_the_marker,
    more_paid,
    more_than_there_is,
    no_opening,
    nothing_taken,
    one_left_out,
    other_chips_in_a_fill,
    other_chips_in_the_opener,
    other_correction,
    other_result,
    other_rules,
    other_rules_named,
    other_seats,
    paid_and_redeemed,
    released_for_nothing,
    reversed_twice,
    says,
    scanned_where_they_are_drawn,
    the_same_command,
    the_same_id,
    to_itself,
    unreadable,
    unsaid,
)
from tests.audit.verify.made import Line, Made, forged

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


def test_the_shoe_a_part_begins_with_is_of_its_table(made: Made) -> None:
    """Loaded in the session before, it is held against the rules that are in force when this one opens."""
    found = made.types(forged(made, says("shoe.load", cut_card=3), of="session"))
    assert "shoe_not_of_table" in found, found


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


def test_what_leaves_the_tray_after_the_last_closing_is_found(made: Made) -> None:
    def change(lines: list[Line]) -> None:
        renamed(lines)
        taken = next(line for line in lines if line.kind == "table.sing")
        taken.kind, taken.moves = "table.par", [Transfer("tray", "floor", "chips:USD", 100)]

    assert made.types(forged(made, change)) == {"tray_move_not_listed"}


def test_and_its_movements_are_added_up_all_the_same(made: Made) -> None:
    def change(lines: list[Line]) -> None:
        first(lines, "seat.buy_in").kind = "seat.sing"

    judged = made.judged(forged(made, change))
    assert {"tray_move_not_listed", "box_difference"} & set(judged.findings.counts)
    assert [one.type for one in judged.findings.remarks] == ["kind_unknown"]
