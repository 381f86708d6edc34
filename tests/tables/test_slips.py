"""What is made of slips: copies in the drop box, comparison with movements, pars, races, admin pages."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from audit.codes import Found
from audit.models import Finding
from audit.services.house import conservation_check
from audit.services.reconciliation import session_reconcile
from audit.slips import Crossing, SlipSteps, without_movement, without_slip
from config.errors import DomainError
from tables.models import Role, Slip
from tables.services import voids
from tables.services.par import table_par_set
from tests import floor
from tests.audit import support
from tests.floor import House, refused
from tests.tables.test_fills_and_credits import CHIPS, Given, issue, void


def test_copies_in_the_drop_box_are_matched_with_the_slips(house: House) -> None:
    """A copy goes into the box when the table signs; a fill before the opening, and none of what is void."""
    table, session_id = floor.ready_table(house)  # F-1 filled it
    floor.receive_credit(house, floor.send_credit(house, table, {"500": 1}), {"500": 1})
    void(house, table, floor.send_fill(house, table, {"500": 1}))
    support.close(house, table, session_id)
    later = floor.send_fill(house, table, {"500": 1})  # the next session's box
    floor.receive_fill(house, table, later, {"500": 1})
    support.count_drop(house, session_id, slips=["C-1", "F-1"])
    session_reconcile(session_id=session_id)
    assert support.codes(house) == []
    other, other_id = floor.ready_table(house, "rd-2")
    support.close(house, other, other_id)
    support.count_drop(house, other_id, slips=["F-99"])
    session_reconcile(session_id=other_id)
    found = Finding.objects.get(casino=house.casino)
    assert (found.code, found.session_id) == ("slip_unmatched", other_id)
    assert found.evidence.get().body == {"missing": ["F-4"], "unknown": ["F-99"]}


def test_chips_on_the_way_while_their_table_closes_are_found(house: House) -> None:
    table, session_id = floor.ready_table(house)
    floor.send_fill(house, table, {"500": 1})
    conservation_check(casino_id=house.casino.id)
    assert support.codes(house) == []
    support.close(house, table, session_id)
    conservation_check(casino_id=house.casino.id)
    assert support.codes(house) == ["slip_long_on_the_way"]


def test_slips_and_movements_are_compared_entry_by_entry() -> None:
    """A slip with no movement, a movement with no slip, and one of another amount is both."""
    steps: Given = {"issued": 4, "counted": None, "received": 9, "voided": None, "returned": None}
    slip = SlipSteps("F-1", "fill", "cage:c", "table:t", 500, **steps)
    out = Crossing("cage:c", 4, "vault", "table:t", 500)
    into = Crossing("table:t", 9, "cage", "tray", 500)
    assert [*without_movement([slip], [out, into]), *without_slip([slip], [out, into])] == []
    wrong = into._replace(amount=400)
    missing, extra = list(without_movement([slip], [out, wrong])), list(without_slip([slip], [out, wrong]))
    assert [(found.code, found.stream) for found in missing] == [("slip_without_movement", "table:t")]
    assert extra == [Found("movement_without_slip", wrong._asdict(), "table:t", 9)]


def test_a_par_is_set_by_the_office_in_chips_of_the_house(house: House) -> None:
    table = floor.make_table(house)
    par: Given = {"casino_id": house.casino.id, "table_id": table.id}
    with refused(house, "unknown_denomination"):
        table_par_set(**par, chips={"3": 1}, command=house.office())
    with refused(house, "operation_not_allowed"):
        table_par_set(**par, chips={"500": 1}, command=house.command(Role.DEALER))
    answer = table_par_set(**par, chips={"500": 6, "100": 0}, command=house.office())
    assert answer.body["fill"] == {"500": 6}
    floor.fill_table(house, table, {"500": 4})
    answer = table_par_set(**par, chips={"500": 6}, command=house.office())
    assert answer.body["fill"] == {"500": 2}


def at_once(*steps: Callable[[], Any]) -> list[str]:
    """Run steps in threads of their own; what each came to: `done`, or the code it was refused with."""

    def run(step: Callable[[], Any]) -> str:
        try:
            step()
        except DomainError as refusal:
            return refusal.code
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(len(steps)) as threads:
        return sorted(threads.map(run, steps))


@pytest.mark.django_db(transaction=True)
def test_what_two_want_of_one_slip_one_gets() -> None:
    """Two cashiers accept a request; a fill is received twice; one end makes void what the other receives."""
    house = floor.make_house()
    floor.stock_cage(house)
    table = floor.make_table(house)
    asked = floor.request_fill(house, table, CHIPS)
    got = at_once(lambda: issue(house, asked, CHIPS), lambda: issue(house, asked, CHIPS))
    assert got == ["done", "slip_on_the_way"]
    got = at_once(*[lambda: floor.receive_fill(house, table, asked, CHIPS)] * 2)
    assert got == ["done", "slip_received"]
    for _ in range(3):
        slip = floor.send_fill(house, table, CHIPS)
        at_cage: Given = {
            "casino_id": house.casino.id,
            "second": house.badge(Role.PIT_BOSS),
            "reason": "late",
        }

        def make_void(slip: uuid.UUID = slip, at_cage: dict[str, Any] = at_cage) -> Any:
            return voids.cage_void_slip(**at_cage, slip_id=slip, command=house.command(Role.CAGE))

        def receive(slip: uuid.UUID = slip) -> Any:
            return floor.receive_fill(house, table, slip, CHIPS)

        assert at_once(make_void, receive) in (["done", "slip_received"], ["done", "slip_returning"])
    result = conservation_check(casino_id=house.casino.id)
    assert (result.conserved, support.codes(house)) == (True, [])


def test_the_admin_prints_a_slip_and_shows_missing_numbers_and_what_a_tray_needs(house: House) -> None:
    """GLI-19: a report with no rows says so. A reprint says REPRINT, and looking at a page prints nothing."""
    table = floor.make_table(house)
    slip_id = floor.send_fill(house, table, CHIPS)
    boss, office = Client(), Client()
    for client, role in ((boss, Role.PIT_BOSS), (office, Role.ADMINISTRATOR)):
        client.force_login(house.staff[role], backend="django.contrib.auth.backends.ModelBackend")
    address = reverse("admin:tables_slip_print", args=[slip_id])
    assert office.get(address).status_code == office.post(address).status_code == 403
    assert boss.get(address).context["form"].title == "Print this slip"
    assert Slip.objects.get(id=slip_id).prints == 0
    for reprint in (None, "REPRINT 1"):
        sent = boss.post(address, {"command_id": str(uuid.uuid4())})
        assert ("REPRINT" in sent.text, reprint is None or reprint in sent.text) == (bool(reprint), True)
        assert all(said in sent.text for said in ("F-1", "30.00", "Security, who carries chips 1"))
    assert boss.post(address, {"command_id": "no"}).status_code == 404
    numbers = boss.get(reverse("admin:tables_slip_numbers")).text
    assert numbers.count("No Activity") == 3, "only the system's fills have any"
    asked = boss.get("/api/v1/slips/numbers").json()["numbers"]
    fills = {"first": 1, "last": 1, "used": 1, "void": 0, "missing": []}
    assert asked[0] == {"series": "system", "kind": "fill", **fills}
    assert [each["used"] for each in asked] == [1, 0, 0, 0]
    page = boss.get(reverse("admin:tables_slip_change", args=[slip_id])).text
    assert all(said in page for said in ("On the way", "requested", "issued"))
    sets = {"command_id": str(uuid.uuid4()), "table": str(table.id)}
    sets |= {f"chip_{value}": "7" for value in house.casino.denominations}
    assert office.post(reverse("admin:tables_tablepar_set"), sets).status_code == 302
    shown = boss.get(reverse("admin:tables_tablepar_change", args=[table.id]))
    assert "A fill would bring" in shown.text
