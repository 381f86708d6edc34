"""Chips in a tray or a box that are none of the house's: documented, and no count is silently short."""

import json
import uuid
from typing import Any

from audit.selectors.balances import conservation
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from tables.models import Countersignature, Role
from tables.services.rejects import box_reject, tray_reject
from tests import floor
from tests.audit import support
from tests.floor import House, refused
from tests.tables.life import found, last, moves_of

SEEN = "a red chip of another house, in bag 12"


def test_a_false_chip_is_a_documented_loss_and_the_checks_stay_zero(house: House) -> None:
    """PIT-REJECT: out of the tray's books, in R as a mispay is; in a box it moves nothing."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.LOSE, {})
    given: dict[str, Any] = {"kind": "counterfeit", "pieces": {"2500": 1}, "note": SEEN}
    second = house.badge(Role.SUPERVISOR)
    before = conservation(house.casino)
    done = tray_reject(table_id=table.id, second=second, command=house.command(Role.DEALER), **given)
    assert (done.status, done.body["rejected"], moves_of(last(table))) == (
        201,
        2_500,
        [("tray", "floor", 2_500)],
    )
    entry = last(table)
    said = json.loads(entry.payload)
    assert (said["reason"], said["where"], said["value"], said["note"]) == (
        "counterfeit",
        "tray",
        2_500,
        SEEN,
    )
    assert Countersignature.objects.get(stream=table.stream, seq=entry.seq).act == "chips.reject"
    after = conservation(house.casino)
    assert (after.with_patrons - before.with_patrons, after.missing) == (2_500, 0), (
        "what was given is still out"
    )
    for changes, code in (
        ({"kind": "lost"}, "bad_kind"),
        ({"note": " "}, "reason_missing"),
        ({"pieces": {}}, "nothing_to_move"),
        ({"pieces": {"100000000": 1}}, "floor_broken"),
        ({"second": house.badge(Role.DEALER)}, "same_person_signed"),
    ):
        with refused(house, code):
            tray_reject(
                table_id=table.id,
                command=house.command(Role.DEALER),
                **({"second": second} | given | changes),
            )
    support.close(house, table, session_id)
    _box(house, session_id, given)
    support.count_drop(house, session_id)
    books = session_reconcile(session_id=session_id)
    assert books is not None
    assert (books.tray, books.box, books.unexplained, books.rounds_result) == (0, 0, 0, 3_500 - 2_500)
    conservation_check(casino_id=house.casino.id)
    assert found(house) == []


def _box(house: House, session_id: uuid.UUID, given: dict[str, Any]) -> None:
    """Another is found in the box, once it is off its table."""
    second = house.badge(Role.PIT_BOSS)
    (table,) = house.tables.values()
    box = table.boxes.get().id
    with refused(house, "box_on_table"):
        box_reject(box_id=box, second=second, command=house.command(Role.CAGE), **given)
    floor.remove_box(house, session_id)
    box_reject(box_id=box, second=second, command=house.command(Role.CAGE), **given)
    assert (moves_of(last(table)), json.loads(last(table).payload)["where"]) == ([], "box")
