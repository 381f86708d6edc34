"""Markers and promotional pieces have lines of their own where a table's figures stand, and there alone."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from audit.master_game import line_of
from audit.selectors.master_game import master_game
from ledger.models import Movement
from tables.figures import NO_PAPERS, Papers
from tables.models import Role, TableSession
from tests import floor
from tests.admin.house import logged_in
from tests.audit import support
from tests.audit.beside import beside_the_bets
from tests.audit.paper import facts, filed, read

pytestmark = pytest.mark.django_db

HAD = Papers(markers_issued=3_000, markers_redeemed=2_000, promo_pieces=1, promo_worth=500)
ON_PAPER = {
    "Markers issued": "30.00 USD",
    "Markers redeemed at the table": "20.00 USD",
    "Markers in the drop": "10.00 USD",
    "Promotional pieces played": "1",
    "Played for": "5.00 USD",
}


def test_one_figure_on_every_page(tmp_path: Path) -> None:
    """The same as the journal's movements; a table that had none has no such line, and nor has a shift."""
    house = floor.make_house(profile="generic_markers")
    floor.stock_cage(house)
    table, session_id = beside_the_bets(house)
    support.open_scanned(house, "rd-plain")
    session = TableSession.objects.get(id=session_id)

    moved = Movement.objects.filter(stream__name=table.stream).values_list(
        "source__name", "target__name", "amount"
    )
    into_box = sum(amount for source, target, amount in moved if target == "markers:drop_box")
    out_of_it = sum(amount for _, target, amount in moved if target == "markers:patrons")
    played = [amount for source, target, amount in moved if target == "promo_box"]
    assert Papers(into_box, out_of_it, len(played), sum(played)) == HAD

    report = master_game(house.casino, session.gaming_day)
    assert {sheet.code: sheet.papers for sheet in report.sheets} == {"rd-beside": HAD, "rd-plain": NO_PAPERS}
    total = line_of("all", report.sheets)
    assert (total.papers, total.papers and total.papers.markers_dropped) == (HAD, 1_000)
    said = report.to_dict()
    assert [said["total"][name] for name in HAD.to_dict()] == list(HAD.to_dict().values())

    about = {"casino": house.casino.code, "gaming_day": session.gaming_day}
    sheet = facts(read(filed(tmp_path, "print_session", session_id)), "Figures")
    stiff = read(filed(tmp_path, "stiff_sheet", **about))
    assert {name: sheet.get(name) for name in ON_PAPER} == ON_PAPER
    assert stiff["Markers and promotional pieces"][1:] == [
        [name, "30.00", "20.00", "10.00", "1", "5.00"] for name in ("rd-beside", "all")
    ]
    plain = read(filed(tmp_path, "stiff_sheet", table="rd-plain", **about))
    assert "Markers and promotional pieces" not in plain
    assert not ON_PAPER.keys() & facts(plain, "Figures").keys()
    _by_hand_and_on_screen(house, session)


def _by_hand_and_on_screen(house: floor.House, session: TableSession) -> None:
    about = ("--casino", house.casino.code)
    out = StringIO()
    call_command("master_game", *about, "--gaming-day", session.gaming_day.isoformat(), stdout=out)
    lines = [line for line in out.getvalue().splitlines() if "markers issued" in line]
    words = (
        "markers issued 30.00, redeemed there 20.00, in the drop 10.00; 1 promotional piece played for 5.00"
    )
    assert lines == [f"rd-beside, pit pit-1, red_dog, day, month to date, year to date: {words}"]
    out = StringIO()
    call_command(
        "results", *about, "--from", session.gaming_day.isoformat(), "--by", "shift", "--json", stdout=out
    )
    found = json.loads(out.getvalue())
    assert [found["total"][name] for name in HAD.to_dict()] == list(HAD.to_dict().values())
    assert {line[name] for line in found["lines"] for name in HAD.to_dict()} <= {None}, (
        "nobody counts by shift"
    )
    page = logged_in(house, Role.AUDITOR).get(reverse("admin:audit_master_game", args=[session.gaming_day]))
    table = page.content.decode().split("Markers and promotional pieces", 1)[1].split("</table>", 1)[0]
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table)
    assert [cell for cell in cells if "rd-" in cell] == ["rd-beside"]
    assert {"30.00", "20.00", "10.00", "5.00"} <= set(re.findall(r"\d+\.\d\d", table))
