"""Cash reports over the API: at terminals by whom it concerns, over the admin's session to those who read."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tables.models import CashTotal, CashTransaction, CommandAnswer, Role
from tests.api.client import Desk
from tests.api.conftest import Place, put_on_duty

pytestmark = pytest.mark.django_db


def reader(place: Place, role: Role = Role.AUDITOR) -> Desk:
    """Somebody with a session of the admin site."""
    http = Client(raise_request_exception=False)
    http.force_login(place.house.staff[role], backend="django.contrib.auth.backends.ModelBackend")
    return Desk(None, http=http)


def test_a_described_person_is_followed_from_the_table_to_the_filed_report(place: Place) -> None:
    """What they look like is told to those who run the floor, and stands in no answer that is kept."""
    desk, cage, path = place.desk, place.cage, place.path
    described = desk.post("people", {"description": "long grey beard"}, if_match="*")
    assert described.status == 201
    person = described.body["player"]
    desk.get(path)
    sat = desk.post(f"{path}/seats/3/occupation", {"player": person, "cash": 700_000, "chips": 0})
    assert (sat.status, sat.body["cash_report_due"]) == (200, None)
    assert desk.get("cash/watch").status == 403, "a dealer's terminal does not tell"
    bought = cage.post("cage/sales", {"chips": {"10000": 31}, "player": person})
    assert bought.body["received"] == 310_000
    due = bought.body["cash_report_due"]
    assert (due["player"], due["total"]) == (person, 1_010_000)
    redeemed = cage.post("cage/redemptions", {"chips": {"10000": 50}, "player": person})
    assert redeemed.body["cash_report_due"] is None, "cash out is another total"
    unnamed = cage.post("cage/redemptions", {"chips": {"10000": 51}})
    assert unnamed.status == 201

    put_on_duty(place.house, place.terminal, Role.PIT_BOSS)
    watched = desk.get("cash/watch").body
    assert [(row["known_as"], row["total"]) for row in watched["results"]] == [("long grey beard", 1_010_000)]
    assert "beard" not in str(list(CommandAnswer.objects.values_list("body", flat=True)))
    log = reader(place).get(f"cash/log?gaming_day={watched['gaming_day']}").body["results"]
    lines = {row["id"]: (row["direction"], row["player"], row["table"]) for row in log}
    at_table = str(place.table.id)
    assert sorted(map(str, lines.values())) == sorted(
        map(str, [("in", person, at_table), ("in", person, None), ("out", person, None), ("out", None, None)])
    )
    (nobody,) = CashTransaction.objects.filter(id__in=lines, person=None)
    named = desk.post(f"cash/transactions/{nobody.id}/person", {"player": person}, if_match="*")
    assert named.status == 200
    out = CashTotal.objects.get(person=person, direction="out")
    assert (out.total, out.is_due) == (1_010_000, True)

    early = cage.post(f"cash/reports/{out.id}/filing", {"reference": "BSA-1"}, if_match="*")
    assert (early.status, early.code) == (409, "gaming_day_runs")
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=True):
        put_on_duty(place.house, place.cage_terminal, Role.CAGE)
        filed = cage.post(f"cash/reports/{out.id}/filing", {"reference": "BSA-1"}, if_match="*")
        assert (filed.status, filed.body["total"]) == (201, 1_010_000)
        left = reader(place).get("cash/reports?open=true").body["results"]
        assert [(row["id"], row["is_due"]) for row in left] == [(due["report"], True)]
        both = reader(place).get("cash/reports").body["results"]
    assert {row["id"]: row["reference"] for row in both} == {due["report"]: "", str(out.id): "BSA-1"}


def test_two_descriptions_become_one_person_at_a_terminal(place: Place) -> None:
    put_on_duty(place.house, place.terminal, Role.SUPERVISOR)
    one, two = (
        place.desk.post("people", {"description": text}, if_match="*").body["player"]
        for text in ("grey beard", "the man with the beard")
    )
    tied = place.desk.post(f"people/{one}/identity", {"same_as": two}, if_match="*")
    assert (tied.status, tied.body) == (200, {"player": one, "same_as": two})
    again = place.desk.post(f"people/{one}/identity", {"same_as": two}, if_match="*")
    assert (again.status, again.code) == (409, "person_tied")


def test_cash_does_not_play(place: Place) -> None:
    body = {"kind": "money_play", "amount": 5000}
    refused = place.desk.post(f"{place.path}/seats/1/other-tender", body)
    assert (refused.status, refused.code) == (409, "money_plays_not_allowed")
    wrong = place.desk.post(f"{place.path}/seats/1/other-tender", body | {"kind": "barter"})
    assert (wrong.status, wrong.code) == (400, "invalid_content")
