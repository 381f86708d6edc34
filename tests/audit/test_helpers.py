"""A gaming day re-settled by several processes: what one finds, and what becomes of it when one is gone."""

import sys
from typing import Any

import pytest

from audit.models import Finding
from audit.services.helpers import HelperGone
from audit.services.resettlement import Resettled, gaming_day_resettle
from tables.models import Round, TableSession
from tests import floor
from tests.audit import support

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.django_db(transaction=True)]


def test_several_processes_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each session is done once by some helper; findings count; a helper that is gone is no answer."""
    house = floor.stocked_house()
    for code in ("rd-1", "rd-2", "rd-3"):
        table, _ = support.open_scanned(house, code)
        support.play_with_raise(house, table, support.WIN, {1: 1000})
        floor.play_round(house, table, {1: 1000}, support.PUSH)
    Round.objects.filter(table=table, number=2).update(number=7)
    day = TableSession.objects.get(table=table).gaming_day
    asked: dict[str, Any] = {"casino_id": house.casino.id, "gaming_day": day}

    assert gaming_day_resettle(**asked, processes=2) == Resettled(sessions=3, rounds=6, findings=1)
    found = Finding.objects.filter(casino=house.casino).values_list("code", "counter")
    assert list(found.all()) == [("round_projection_differs", 1)]
    assert gaming_day_resettle(**asked, processes=1) == Resettled(sessions=3, rounds=6, findings=1)
    assert list(found.all()) == [("round_projection_differs", 2)]

    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises((HelperGone, BrokenPipeError)):
        gaming_day_resettle(**asked, processes=2)
    assert list(found.all()) == [("round_projection_differs", 2)]
