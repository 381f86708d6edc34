"""Corrections by terminals, and what auditors read of them: over HTTP, as they are really made."""

import json
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from ledger import statements
from ledger.models import Entry
from ledger.selectors import balances
from tables.models import Role, Round
from tests import floor
from tests.api.client import Desk
from tests.api.conftest import Place, put_on_duty
from tests.api.test_reads import reader
from tests.audit import support

pytestmark = pytest.mark.django_db


def supervisor(place: Place) -> Desk:
    """The table's terminal with the supervisor signed in."""
    put_on_duty(place.house, place.terminal, Role.SUPERVISOR)
    place.desk.get(place.path)
    return place.desk


def why(place: Place, **more: Any) -> dict[str, Any]:
    return {"reason": "mispaid", "second": place.badge(Role.PIT_BOSS)} | more


def test_a_supervisor_corrects_over_the_api(still: Place) -> None:
    desk, table = supervisor(still), still.table
    desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 5_000})
    bought = Entry.objects.filter(stream__name=table.stream).latest("seq")
    before = desk.version
    reply = desk.post(f"{still.path}/entries/{bought.id}/reversal", why(still, note="typed twice"))
    assert (reply.status, desk.version) == (201, before + 1)
    assert reply.body["correction"]["into_tray"] == 5_000
    reply = desk.post(f"{still.path}/entries/{bought.id}/reversal", why(still))
    assert (reply.status, reply.code) == (409, "already_reversed")
    paid = {"seat": 2, "amount": 500, "direction": "to_seat"}
    reply = desk.post(f"{still.path}/corrections", why(still, **paid))
    assert (reply.status, reply.body["correction"]["out_of_tray"]) == (201, 500)

    played = support.play_with_raise(still.house, table, support.LOSE, {})
    desk.get(still.path)
    reply = desk.post(f"rounds/{played.id}/correction", why(still, cards=list(support.WIN)))
    assert (reply.status, reply.body["correction"]["kind"]) == (201, "round.correct")
    record = reader(still.house).get(f"rounds/{played.id}").body
    assert record["results"]["1"]["net"] == -1000
    assert record["correction"] == {
        "seq": Round.objects.get(id=played.id).corrected_seq,
        "cards": list(support.WIN),
        "spread": 6,
        "outcome": "win",
        "results": {
            "1": {"bet": 1000, "raise": 0, "paid": 1000, "net": 1000},
            "2": {"bet": 2500, "raise": 0, "paid": 2500, "net": 2500},
        },
    }


def test_a_correction_of_the_wrong_shape_is_refused(still: Place) -> None:
    desk = supervisor(still)
    before = floor.snapshot(still.house)
    for body, pointer in (
        ({"seat": 1, "amount": 0, "direction": "to_seat"}, "/amount"),
        ({"seat": 1, "amount": "1", "direction": "to_seat"}, "/amount"),
        ({"seat": 0, "amount": 1, "direction": "to_seat"}, "/seat"),
        ({"amount": 1, "direction": "to_seat"}, "/seat"),
        ({"seat": 1, "amount": 1, "direction": "up"}, "/direction"),
        ({"seat": 1, "amount": 1, "direction": "to_seat", "more": 1}, "/more"),
    ):
        reply = desk.post(f"{still.path}/corrections", why(still, **body))
        assert (reply.status, [error["pointer"] for error in reply.body["errors"]]) == (400, [pointer]), body
    assert floor.snapshot(still.house) == before


def test_a_statement_leads_through_all_movements_with_the_last_count(
    still: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, stream = reader(still.house), still.table.stream
    floor.play_round(still.house, still.table, {1: 1000, 2: 500}, support.TRIPS)
    monkeypatch.setattr(statements.history, "__kwdefaults__", {**KEYWORDS, "limit": 2})
    path, lines, held = f"accounts/{stream}/tray/statement", [], 0
    reply = desk.get(path)
    while True:
        assert (reply.status, reply.body["opening"]) == (200, held)
        lines += reply.body["results"]
        held = lines[-1]["balance"]
        if reply.body["next"] is None:
            break
        reply = desk.get(f"{path}?cursor={reply.body['next']}")
    assert held == balances(stream)["tray"]
    assert [line["change"] for line in lines[-2:]] == [-11_000, -5_500]
    assert [line["other"] for line in lines] == ["cage", "seat:1", "seat:2", "wager:1", "wager:2"]
    opened = Entry.objects.get(stream__name=stream, kind="session.open")
    assert reply.body["count"] == {
        "what": "opener",
        "seq": opened.seq,
        "chips": floor.CHIPS,
        "total": 1_740_000,
    }
    early = desk.get(f"{path}?until={opened.seq - 1}").body
    assert (early["count"], len(early["results"])) == (None, 1)
    assert desk.get(f"accounts/{stream}/seat:1/statement").body["count"] is None


KEYWORDS: dict[str, Any] = dict(statements.history.__kwdefaults__ or {})


def test_accounts_are_read_now_after_an_entry_or_at_a_time(still: Place) -> None:
    desk, stream = reader(still.house), still.table.stream
    body = desk.get(f"accounts?stream={stream}").body
    assert {row["name"]: row["balance"] for row in body["results"]} == balances(stream)
    assert body["totals"] == {"chips:USD": 0, "cash:USD": 0, "promo:USD": 0}
    filled = Entry.objects.get(stream__name=stream, kind="fill.receive")
    moment = filled.recorded_at.isoformat().replace("+00:00", "Z")
    for query in (f"seq={filled.seq}", f"at={moment}"):
        then = desk.get(f"accounts?stream={stream}&{query}").body
        assert then["seq"] == filled.seq
        assert {row["name"]: row["balance"] for row in then["results"] if row["balance"]} == {
            "tray": 1_740_000,
            "cage": -1_740_000,
        }


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("accounts", 400, "invalid_query"),
        ("accounts?stream={own}&seq=-1", 400, "invalid_query"),
        ("accounts?stream={own}&seq=1&at=2026-01-01T00:00:00Z", 400, "invalid_query"),
        ("accounts?stream={other}", 404, "stream_not_found"),
        ("accounts?stream={shouted}", 404, "stream_not_found"),
        ("accounts/{other}/tray/statement", 404, "stream_not_found"),
        ("accounts/{shouted}/tray/statement", 404, "stream_not_found"),
        ("accounts/{own}/seat:99/statement", 404, "account_not_found"),
        ("accounts/{own}/tr%00ay/statement", 404, "account_not_found"),
        ("accounts/{own}/tray/statement?cursor=x", 400, "cursor_bad"),
        ("accounts/{own}/tray/statement?until=x", 400, "invalid_query"),
    ],
)
def test_what_is_not_there_or_another_house_s_cannot_be_read(
    still: Place, path: str, status: int, code: str
) -> None:
    names = {
        "own": still.table.stream,
        "other": floor.make_house().casino.cage_stream if "{other}" in path else "",
        "shouted": f"table:{str(still.table.id).upper()}",
    }
    reply = reader(still.house).get(path.format(**names))
    assert (reply.status, reply.code) == (status, code)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("statement", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_line_tells_the_same(still: Place) -> None:
    stream = still.table.stream
    text = run(stream, "tray", "--limit", "2")
    first, last = text.splitlines()[0], text.splitlines()[-1]
    assert first == f"{stream} tray, chips:USD, up to entry {statements.head_seq(stream)}"
    assert "more after" in text
    assert last.startswith("opener, entry ")
    assert last.endswith("400 of 100, 400 of 500, 200 of 2500, 100 of 10000; 1740000 in all")
    page = json.loads(run(stream, "tray", "--json"))
    assert page["results"] == reader(still.house).get(f"accounts/{stream}/tray/statement").body["results"]
    place = page["results"][0]
    rest = json.loads(run(stream, "tray", "--json", "--after", f"{place['seq']}.{place['line']}"))
    assert (rest["opening"], rest["results"]) == (place["balance"], page["results"][1:])
    opened = Entry.objects.get(stream__name=stream, kind="session.open").recorded_at
    assert json.loads(run(stream, "tray", "--json", "--at", opened.isoformat()))["results"] == [place]

    listed = json.loads(run(stream, "--json"))
    assert listed["totals"] == {"chips:USD": 0, "cash:USD": 0, "promo:USD": 0}
    assert {row["name"]: row["balance"] for row in listed["accounts"]} == balances(stream)
    assert run().splitlines()[-1].split()[-2:] == ["promo:USD", "0"]
    until = json.loads(run(stream, "--json", "--until", str(place["seq"])))
    assert {row["seq"] for row in until["accounts"]} == {place["seq"]}
    held = {row["name"]: row["balance"] for row in until["accounts"]}
    assert (held["tray"], held["seat:1"]) == (place["balance"], 0)
    before = (opened - timedelta(days=1)).isoformat()
    assert json.loads(run(stream, "--json", "--at", before)) == {"accounts": [], "totals": {}}


@pytest.mark.parametrize(
    "arguments",
    [
        ("table:none",),
        ("table:none", "tray"),
        ("{own}", "seat:99"),
        ("{own}", "tray", "--after", "7"),
        ("{own}", "tray", "--limit", "0"),
        ("{own}", "tray", "--until", "-1"),
        ("--until", "3"),
        ("{own}", "--until", "3", "--at", "2026-11-30T06:00:00Z"),
        ("{own}", "--at", "noon"),
        ("{own}", "--at", datetime(2026, 1, 1).isoformat()),
    ],
)
def test_the_command_line_refuses_what_is_not_there(still: Place, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*(part.format(own=still.table.stream) for part in arguments))
