"""Who is employed by two, how an empty house begins, and that it can always go on."""

import getpass
import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from config.commands import FAILED
from ledger.models import Entry
from tables.figures import gaming_day
from tables.jurisdiction.catalogue import SIGNERS
from tables.models import Casino, Countersignature, Role, Staff
from tables.services import office
from tables.services.command import Actor, Answer, Command
from tables.services.credentials import access_end
from tables.services.jurisdiction import profile_set
from tables.services.people import LEGAL_REQUEST, staff_erase
from tables.services.signatures import Badge
from tables.services.staff import staff_create
from tests import floor
from tests.floor import PIN, House, refused

pytestmark = pytest.mark.django_db


def employ(casino: Casino, command: Command, role: Role, **options: Any) -> Answer:
    """Somebody new of that role, with a PIN unless said otherwise."""
    badge = options.pop("badge", f"{role[:3].upper()}-{uuid.uuid4().hex[:8]}")
    wanted: dict[str, Any] = {"badge": badge, "display_name": "New", "role": role, "pin": PIN}
    return staff_create(casino_id=casino.id, command=command, **wanted | options)


def last(casino: Casino) -> dict[str, Any]:
    """What the office's last entry says."""
    said: dict[str, Any] = json.loads(Entry.objects.filter(stream__name=casino.stream).latest("seq").payload)
    return said


def test_whoever_may_sign_is_employed_by_two(house: House) -> None:
    """STAFF-TWO: else an administrator could make a second person of their own and sign with both."""
    assert set(Role) - SIGNERS == {Role.ADMINISTRATOR}, "who signs nothing as the second, in no profile"
    for role in sorted(SIGNERS):
        with refused(house, "second_needed"):
            employ(house.casino, house.office(), Role(role))
    for signer, code in (
        (Role.ADMINISTRATOR, "same_person_signed"),
        (Role.DEALER, "may_not_countersign"),
        (Role.AUDITOR, "may_not_countersign"),
    ):
        with refused(house, code):
            employ(house.casino, house.office(), Role.SURVEILLANCE, second=house.badge(signer))
    with refused(house, "badge_or_pin_wrong"):
        second = Badge(house.badge(Role.PIT_BOSS).number, "000000")
        employ(house.casino, house.office(), Role.SURVEILLANCE, second=second)
    with refused(house, "operation_not_allowed"):
        command = Command(uuid.uuid4(), Actor(house.staff[Role.PIT_BOSS].id, Role.PIT_BOSS))
        employ(house.casino, command, Role.ADMINISTRATOR)
    command = house.office()
    for _ in range(2):
        signed = house.badge(Role.SURVEILLANCE)
        made = employ(house.casino, command, Role.PIT_BOSS, badge=f"P-{house.tag}", second=signed)
    watcher = house.staff[Role.SURVEILLANCE].id
    assert last(house.casino) == {**made.body, "second": str(watcher)}
    kept = Countersignature.objects.filter(stream=house.casino.stream, act="staff.create").latest("seq")
    assert (kept.first_id, kept.second_id) == (house.staff[Role.ADMINISTRATOR].id, watcher)
    alone = employ(house.casino, house.office(), Role.ADMINISTRATOR)
    assert last(house.casino) == alone.body


def begun() -> House:
    """A house as the command line opens it: with an administrator, and nobody else."""
    system = office.system_actor()
    casino = office.casino_create(
        code=f"new-{uuid.uuid4().hex[:8]}",
        name="New",
        currency="USD",
        time_zone="UTC",
        rollover_hour=6,
        denominations=[100],
        command=Command(uuid.uuid4(), system),
    )
    made = employ(casino, Command(uuid.uuid4(), system), Role.ADMINISTRATOR)
    first = Staff.objects.get(id=made.body["staff"])
    return House(casino, uuid.uuid4(), {Role.ADMINISTRATOR: first}, first, casino.code)


def test_an_empty_house_is_begun_by_one_with_somebody_who_signs_for_all_others() -> None:
    """STAFF-BEGIN: the first who may sign is employed by one alone, once, and can sign; then it takes two."""
    house = begun()
    for role in (Role.DEALER, Role.CAGE, Role.SECURITY, Role.AUDITOR):
        with refused(house, "second_needed"):
            employ(house.casino, house.office(), role)
    with refused(house, "pin_missing"):
        employ(house.casino, house.office(), Role.PIT_BOSS, pin="")
    made = employ(house.casino, house.office(), Role.PIT_BOSS)
    assert last(house.casino) == made.body, "one alone"
    system = Command(uuid.uuid4(), office.system_actor())
    for command in (house.office(), system):
        with refused(house, "second_needed"):
            employ(house.casino, command, Role.SUPERVISOR)
    boss = Staff.objects.get(id=made.body["staff"])
    by_boss = Badge(boss.badge, PIN)
    employ(house.casino, house.office(), Role.CAGE, second=by_boss)
    leave: dict[str, Any] = {"casino_id": house.casino.id, "staff_id": boss.id, "reason": "left"}
    with refused(house, "last_signer"):
        access_end(**leave, command=house.office())
    employ(house.casino, house.office(), Role.SUPERVISOR, pin="", second=by_boss)
    with refused(house, "last_signer"):
        access_end(**leave, command=house.office())
    auditor = employ(house.casino, house.office(), Role.AUDITOR, second=by_boss)
    auditor_badge = Badge(Staff.objects.get(id=auditor.body["staff"]).badge, PIN)
    erase = {key: value for key, value in leave.items() if key != "reason"}
    with refused(house, "last_signer"):
        staff_erase(**erase, reason=LEGAL_REQUEST, second=auditor_badge, command=house.office())
    employ(house.casino, house.office(), Role.SURVEILLANCE, second=by_boss)
    access_end(**leave, command=house.office())
    with refused(house, "second_needed"):
        employ(house.casino, house.office(), Role.PIT_BOSS)
    assert not Staff.objects.get(id=boss.id).is_active


def test_the_profile_says_who_signs_for_them() -> None:
    """New Jersey-like: no supervisor does."""
    house = floor.make_house(profile="new_jersey_like")
    with refused(house, "may_not_countersign"):
        employ(house.casino, house.office(), Role.CAGE, second=house.badge(Role.SUPERVISOR))
    employ(house.casino, house.office(), Role.CAGE, second=house.badge(Role.PIT_BOSS))


def test_no_profile_is_chosen_under_which_nobody_could_sign_for_new_staff() -> None:
    """STAFF-PROFILE: New Jersey-like has no supervisor sign for them, and nobody could ever be employed again
    who may; nor may who is to sign under a profile that is chosen leave before it is in force."""
    house = begun()
    supervisor = employ(house.casino, house.office(), Role.SUPERVISOR, badge=f"S-{house.tag}")
    signed = Badge(supervisor.body["badge"], PIN)
    employ(house.casino, house.office(), Role.AUDITOR, badge=f"A-{house.tag}", second=signed)
    today = gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)

    def choose(profile: str) -> None:
        profile_set(
            casino_id=house.casino.id,
            profile=profile,
            version=1,
            effective_from=today + timedelta(days=2),
            second=Badge(f"A-{house.tag}", PIN),
            command=house.office(),
        )

    with refused(house, "no_signer"):
        choose("new_jersey_like")
    employ(house.casino, house.office(), Role.PIT_BOSS, pin="", second=signed)
    with refused(house, "no_signer"):
        choose("new_jersey_like")
    choose("ohio_like")
    boss = employ(house.casino, house.office(), Role.PIT_BOSS, second=signed)
    choose("new_jersey_like")
    leaving = uuid.UUID(boss.body["staff"])
    leave: dict[str, Any] = {"casino_id": house.casino.id, "staff_id": leaving, "reason": "left"}
    with refused(house, "last_signer"):
        access_end(**leave, command=house.office())
    choose("generic")
    access_end(**leave, command=house.office())
    with refused(house, "no_signer"):
        choose("new_jersey_like")


@pytest.mark.parametrize(
    ("name", "option", "instead"),
    [
        ("changepassword", "{}", "in the admin site, .* `manage.py create_administrator`"),
        ("createsuperuser", "--badge=new-{}", "`manage.py create_administrator CASINO BADGE`"),
    ],
)
def test_djangos_own_commands_do_nothing_and_say_what_does(
    house: House, monkeypatch: pytest.MonkeyPatch, name: str, option: str, instead: str
) -> None:
    """STAFF-JOURNAL: no entry would tell of a password that was set so, nor of whom it employed."""
    monkeypatch.setattr(getpass, "getpass", lambda prompt: pytest.fail(f"asked for: {prompt}"))
    before = floor.snapshot(house), list(Staff.objects.order_by("pk").values())
    with pytest.raises(CommandError, match=instead) as told:
        call_command(name, option.format(house.badge(Role.PIT_BOSS).number))
    assert told.value.returncode == FAILED
    assert (floor.snapshot(house), list(Staff.objects.order_by("pk").values())) == before
