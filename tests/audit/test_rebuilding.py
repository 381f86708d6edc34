"""Rounds' rows that are wrong are found, and written again as the journal has them when somebody says why."""

import uuid
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.services import rebuilding
from audit.services.rebuilding import KIND, NotDerivable, rounds_astray, rounds_rebuild
from audit.services.resettlement import gaming_day_resettle
from config.commands import FOUND
from ledger.models import Entry
from tables.models import Role, Round, RoundStatus, TableSession
from tables.services.corrections import round_correct
from tables.services.table_life import round_cancel
from tests.audit import support
from tests.floor import House
from tests.ledger.support import post


def rows() -> list[Any]:
    """Every round's row."""
    return list(Round.objects.order_by("started_at").values())


def resettled(house: House, session_id: uuid.UUID) -> list[str]:
    """What the nightly check finds."""
    day = TableSession.objects.get(id=session_id).gaming_day
    gaming_day_resettle(casino_id=house.casino.id, gaming_day=day)
    return support.codes(house)


def test_rows_are_rebuilt_from_the_journal_and_on_record(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, session_id = support.open_scanned(house)
    signed: dict[str, Any] = {"reason": "other", "second": house.badge(Role.PIT_BOSS)}
    won, lost, off, corrected = (
        support.play_with_raise(house, table, cards, {})
        for cards in (support.WIN, support.LOSE, support.WIN, support.LOSE)
    )
    round_cancel(round_id=off.id, command=house.command(Role.SUPERVISOR), **signed)
    round_correct(
        round_id=corrected.id, cards=list(support.WIN), command=house.command(Role.SUPERVISOR), **signed
    )
    right = rows()
    assert rounds_astray(session_id=session_id) == []
    state = won.state | {"outcome": "lose"}
    Round.objects.filter(id=won.id).update(state=state, players={}, last_seq=won.last_seq + 1)
    Round.objects.filter(id=lost.id).update(status=RoundStatus.CANCELLED, ended_at=won.started_at)
    Round.objects.filter(id=off.id).update(game="red_cat", status=RoundStatus.CANCELLED)
    wrong = rows()
    found = ["round_projection_differs"] * 3 + ["void_after_decision"]
    assert resettled(house, session_id) == found
    assert rows() == wrong, "nothing is mended by itself"

    monkeypatch.setattr(rebuilding, "AT_ONCE", 2)
    rebuilt = rounds_rebuild(session_id=session_id, reason="restored from a copy")
    assert [set(each.wrong) for each in rebuilt] == [
        {"state", "players", "last_seq"},
        {"status", "ended_at"},
        {"game"},
    ]
    assert rows() == right
    entries = Entry.objects.filter(stream__name=table.stream, kind=KIND).order_by("seq")
    assert entries.count() == 2, "two rounds to an entry"
    assert '"reason":"restored from a copy"' in entries[0].payload
    assert f'"last_seq":{{"journal":{won.last_seq},"row":{won.last_seq + 1}}}' in entries[0].payload
    assert "lose" not in entries[0].payload, "a state is a digest"
    assert rounds_rebuild(session_id=session_id, reason="once more") == []
    assert entries.count() == 2
    support.play_with_raise(house, table, support.WIN, {})
    support.close(house, table, session_id)
    assert resettled(house, session_id) == found, "they stay to be explained"


def test_rows_that_have_each_others_numbers_are_rebuilt_and_what_contradicts_them_is_told(
    house: House,
) -> None:
    table, session_id = support.open_scanned(house)
    first, second = (support.play_with_raise(house, table, support.WIN, {}) for _ in range(2))
    right = rows()
    for row, number in ((first, 3), (second, 1), (first, 2)):
        Round.objects.filter(id=row.id).update(number=number)
    rebuilt = rounds_rebuild(session_id=session_id, reason="a test")
    assert [each.wrong["number"] for each in rebuilt] == [{"journal": 1, "row": 2}, {"journal": 2, "row": 1}]
    assert rows() == right

    Round.objects.filter(id=first.id).update(status=RoundStatus.CANCELLED, cancelled_seq=1)
    before, entries = rows(), Entry.objects.filter(stream__name=table.stream).count()
    with pytest.raises(NotDerivable, match="round_cancelled_says_so"):
        rounds_rebuild(session_id=session_id, reason="a test")
    assert (rows(), Entry.objects.filter(stream__name=table.stream).count()) == (before, entries)


def test_nothing_is_derived_from_a_journal_that_does_not_re_settle(house: House) -> None:
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {})
    Round.objects.filter(id=played.id).update(game="red_cat")
    running = support.raising(house, table, support.WIN[:2])
    post(table.stream, kind="round.raise", payload={"round": str(running.id), "actions": [{"type": "win"}]})
    before, entries = rows(), Entry.objects.filter(stream__name=table.stream).count()
    with pytest.raises(NotDerivable, match="do not re-settle"):
        rounds_rebuild(session_id=session_id, reason="a test")
    with pytest.raises(NotDerivable):
        rounds_rebuild(session_id=session_id, reason=" ")
    with pytest.raises(NotDerivable):
        rounds_astray(session_id=uuid.uuid4())
    assert (rows(), Entry.objects.filter(stream__name=table.stream).count()) == (before, entries)


def test_the_command_tells_what_is_wrong_and_rebuilds_where_it_is_told_why(house: House) -> None:
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {})
    out = StringIO()

    def run(*arguments: str) -> str:
        out.seek(out.truncate(0))
        call_command("rebuild_rounds", *arguments, stdout=out, stderr=StringIO())
        return out.getvalue()

    assert "nothing is wrong" in run(str(session_id))
    Round.objects.filter(id=played.id).update(number=7)
    with pytest.raises(SystemExit) as found:
        run(str(session_id))
    assert found.value.code == FOUND
    assert f"round 1  {played.id}  number\n" in out.getvalue()
    assert Round.objects.get(id=played.id).number == 7
    told = run(str(session_id), "--reason", "a test")
    assert "rebuilt: 1;" in told
    assert "is to be exported again" in told
    assert Round.objects.get(id=played.id).number == 1
    with pytest.raises(CommandError, match="no such session"):
        run(str(uuid.uuid4()))
