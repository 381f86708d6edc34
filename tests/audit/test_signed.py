"""What two sign: one list, held to the profiles; each entry judged, each signature kept as the entry says."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from audit.codes import Found
from audit.facts import Fact
from audit.models import Finding, GamingDayCheck
from audit.selectors.cage import cage_astray
from audit.selectors.signatures import office_by_one, signatures_astray
from audit.services.days import day_check
from audit.signed import CAGE, EMPLOY, KINDS, OFFICE, SIGNED, SIGNERS, TABLE, SignatureCheck, signed_by_one
from ledger.services import post
from tables.jurisdiction import catalogue
from tables.models import Countersignature, Role, Staff, TableSession
from tests import floor
from tests.floor import House
from tests.tables.test_staff import begun, employ

ME, YOU = UUID(int=1), UUID(int=2)
RUNNER = UUID(int=3)


def fact(where: str, kind: str, **said: Any) -> Fact:
    return Fact(f"{where}:1", 1, kind, ME, datetime(2026, 11, 30, tzinfo=UTC), said, ())


def test_no_act_that_two_sign_is_left_out() -> None:
    """FOUR-EYES: what a profile lets two sign is judged; a relief is signed by the dealer who comes."""
    assert set(KINDS) - {"dealer.relieve"} == set(catalogue.SIGNED)
    assert all(made and all(kinds for kinds in made.values()) for made in KINDS.values())
    assert set(SIGNED) == {TABLE, CAGE, OFFICE}
    assert {where for made in KINDS.values() for where in made} == set(SIGNED)
    assert SIGNERS == catalogue.SIGNERS
    assert set(catalogue.AT_CAGE) == {act for act, made in KINDS.items() if {TABLE, CAGE} <= made.keys()}


EACH = sorted((where, kind) for where, kinds in SIGNED.items() for kind in kinds)


@pytest.mark.parametrize(("where", "kind"), EACH)
def test_an_entry_that_names_nobody_else_is_signed_by_one(where: str, kind: str) -> None:
    names = {"fill.issue": ["runner"], "credit.send": ["second", "runner"]}.get(kind, ["second"])
    whole = dict(zip(names, (str(YOU), str(RUNNER)), strict=False))
    assert not signed_by_one(fact(where, kind, **whole))
    for name in names:
        for nobody in (None, "", str(ME)):
            assert signed_by_one(fact(where, kind, **whole | {name: nobody})), (name, nobody)
        assert signed_by_one(fact(where, kind, **{one: who for one, who in whole.items() if one != name}))


@pytest.mark.parametrize(
    ("said", "by_one"),
    [
        ({"first": {"by": str(YOU)}}, False),
        ({"first": {"by": str(ME)}}, True),
        ({"first": {}, "second": str(YOU)}, True),
        ({"recounted": {}, "second": str(YOU)}, False),
        ({"recounted": {}}, True),
    ],
)
def test_a_box_is_signed_for_by_both_who_count(said: Mapping[str, Any], by_one: bool) -> None:
    assert signed_by_one(fact(TABLE, "drop.count", **said)) == by_one


def test_who_carries_chips_is_a_third() -> None:
    assert signed_by_one(fact(TABLE, "credit.send", second=str(YOU), runner=str(YOU)))


def test_one_alone_employs_the_first_who_may_sign_and_nobody_else_who_may() -> None:
    """STAFF-BEGIN, from the entries alone."""
    finds: list[Found] = []
    check = SignatureCheck("office:1", finds.append)
    for seq, (role, second) in enumerate(
        (
            ("administrator", None),
            ("pit_boss", None),
            ("administrator", None),
            ("supervisor", str(YOU)),
            ("cage", None),
            ("dealer", str(ME)),
            ("administrator", None),
        ),
        1,
    ):
        check.see(fact(OFFICE, EMPLOY, role=role, second=second)._replace(seq=seq))
    assert [(each.code, each.seq) for each in finds] == [("signature_missing", seq) for seq in (5, 6)]
    signed = SignatureCheck("office:1", finds.append)
    signed.see(fact(OFFICE, EMPLOY, role="cage", second=str(YOU)))
    signed.see(fact(OFFICE, EMPLOY, role="cage"))
    assert len(finds) == 3, "somebody may sign already"


def forge(house: House, stream: str, kind: str, **said: Any) -> int:
    """An entry posted past the services by the administrator; its number."""
    posted = post(
        stream=stream,
        kind=kind,
        payload=said,
        actor=house.staff[Role.ADMINISTRATOR].id,
        command_id=uuid.uuid4(),
    )
    return posted.seq


@pytest.mark.django_db
def test_what_one_alone_signed_of_the_offices_and_the_cages_acts_is_found(house: House) -> None:
    """FOUR-EYES: resets, erasures, closings, profiles, people; slips, stock, chips and limits."""
    assert list(office_by_one(house.casino)) == []
    office = {kind: forge(house, house.casino.stream, kind, role="cage") for kind in sorted(SIGNED[OFFICE])}
    found = list(office_by_one(house.casino))
    assert {each.evidence["kind"]: each.seq for each in found} == office
    assert {each.code for each in found} == {"signature_missing"}
    me = str(house.staff[Role.ADMINISTRATOR].id)
    said: dict[str, Any] = {"second": me, "runner": me, "total": 0, "pieces": {}, "player": "p", "limit": 1}
    cage = {
        kind: forge(house, house.casino.cage_stream, kind, before=None, chips={}, **said)
        for kind in sorted(SIGNED[CAGE])
    }
    missing = [each for each in cage_astray(house.casino) if each.code == "signature_missing"]
    assert {each.evidence["kind"]: each.seq for each in missing} == cage


@pytest.mark.django_db
def test_a_house_is_begun_without_a_finding() -> None:
    """STAFF-BEGIN: the one act of one alone is right, and what follows is signed."""
    house = begun()
    made = employ(house.casino, house.office(), Role.PIT_BOSS, badge=f"P-{house.tag}")
    assert list(office_by_one(house.casino)) == []
    forge(house, house.casino.stream, EMPLOY, **made.body)
    assert [each.code for each in office_by_one(house.casino)] == ["signature_missing"]


@pytest.mark.django_db
def test_signatures_are_kept_as_their_entries_have_them(house: House) -> None:
    """FOUR-EYES: another signatory, another act, none, or one under nothing; and the night finds them."""
    table, session = floor.ready_table(house)
    day = TableSession.objects.get(id=session).gaming_day
    me, boss, watcher = (house.staff[r] for r in (Role.ADMINISTRATOR, Role.PIT_BOSS, Role.SURVEILLANCE))

    def astray() -> dict[tuple[str, int | None], Any]:
        found = list(signatures_astray(house.casino, day))
        assert {each.code for each in found} <= {"signature_differs"}
        return {(each.stream, each.seq): each.evidence for each in found}

    def kept(stream: str, seq: int, act: str, second: Staff = boss) -> None:
        at = timezone.now()
        Countersignature.objects.create(
            stream=stream, seq=seq, act=act, first=me, second=second, signed_at=at
        )

    assert astray() == {}
    cage, office = house.casino.cage_stream, house.casino.stream
    right = forge(house, table.stream, "round.cancel", second=str(boss.id))
    kept(table.stream, right, "round.void")
    another = forge(house, table.stream, "table.release", second=str(boss.id))
    kept(table.stream, another, "table.release", watcher)
    other_act = forge(house, cage, "fill.void", second=str(boss.id))
    kept(cage, other_act, "slip.take_back")
    none = forge(house, office, "staff.reset", second=str(boss.id))
    unsigned = forge(house, table.stream, "seat.leave")
    kept(table.stream, unsigned, "session.open")
    kept(office, 10_000, "day.close")
    wrong = astray()
    assert set(wrong) == {
        (table.stream, another),
        (table.stream, unsigned),
        (cage, other_act),
        (office, none),
        (office, 10_000),
    }
    people = [str(me.id), str(boss.id)]
    assert wrong[table.stream, another]["signed"] == people
    assert wrong[table.stream, another]["kept"] == ["table.release", str(me.id), str(watcher.id)]
    check = GamingDayCheck.objects.create(casino=house.casino, gaming_day=day, requested_at=timezone.now())
    day_check(check_id=check.id)
    assert Finding.objects.filter(casino=house.casino, code="signature_differs").count() == len(wrong)
