"""Jurisdiction profiles: data that never changes once released, and which of them is in force when."""

import re
import subprocess
import sys
import uuid
from dataclasses import fields, replace
from datetime import date, timedelta
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from audit.services.profiles import profiles_astray
from config.errors import DomainError
from ledger.models import Entry
from tables import services
from tables.figures import gaming_day
from tables.jurisdiction import catalogue
from tables.jurisdiction.catalogue import DEFAULT, NAMES, PROFILES, in_force, newest, term
from tables.jurisdiction.profile import Independence, Practice, Profile
from tables.models import Casino, Countersignature, Role, SignIn
from tables.selectors.jurisdiction import profile_now, profile_on
from tables.services import office, promos, terminals
from tables.services.command import Answer, Command
from tables.services.jurisdiction import profile_set
from tables.services.people import ERASE
from tables.services.tokes import COLLECT
from tests import floor

# What was released never changes: a change of any figure is a new version, with a line of its own here.
RELEASED = {
    ("generic", 1): "c9551caa193720837d2e2fc139c341b04da2e379cfe8778781c0e4103dad2085",
    ("new_jersey_like", 1): "2151b062d33d0a1b0731f8a537cc794b5e3bbd815d67e141c7ae4b13d0ae1bc2",
    ("nevada_like", 1): "9d34c97d96a2ec4299becba68d3211fc66793425b401ae6803ca326d2374a362",
    ("ohio_like", 1): "04a7623843ebae9bb41b61e9df83c894e731e28ac5e042f632259194b7b16eb3",
    ("generic_markers", 1): "261fde11257b6ef3116f40bb78f6cab3f2b8ac0ca6381527c77d363cd04fae5d",
    ("generic_markers_money_plays", 1): "fc84205363a8879e76ba4dc85759abff679f736f1027b5c888a3ce188d9ff2d9",
}
EACH = pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
# Acts at an open table: the only ones whose second can be asked to be apart from its session.
AT_OPEN_TABLE = {"round.void", "entry.reverse", "correction.post", "round.correct", "pool.divide"}


def test_a_released_profile_is_what_it_was_on_its_release() -> None:
    assert {key: profile.digest for key, profile in PROFILES.items()} == RELEASED


@EACH
def test_every_act_that_two_sign_has_a_line_of_its_own(profile: Profile) -> None:
    """What `otherwise` says is for acts nobody has thought of yet; a void later is signed as a void."""
    texts = [path.read_text() for path in Path(services.__path__[0]).glob("*.py")]
    named = {act for text in texts for act in re.findall(r'\bact="([a-z_.]+)"', text)}
    assert named - {"dealer.relieve"} <= set(profile.seconds), "a relief is signed by the dealer who comes"
    kept_by_name = {ERASE, COLLECT, promos.STOCK, promos.COLLECT, "day.close", "round.void"}
    assert kept_by_name | {"table.rules", "session.reopen"} <= set(profile.seconds)
    assert set(profile.seconds) == set(catalogue.ACTS), "no profile forgets one that another names"


@EACH
def test_a_profile_holds_together(profile: Profile) -> None:
    """Every role exists, every figure has its source, tiers rise, nothing is open that is not asked for."""
    rules = [*profile.seconds.values(), profile.otherwise]
    assert all(rule.roles and rule.roles <= set(Role.values) for rule in rules)
    assert not any(Role.DEALER in rule.roles for rule in rules), "a dealer is nobody's supervisor"
    apart = {act for act, rule in profile.seconds.items() if rule.independent != Independence.OF_ACTOR}
    assert apart <= AT_OPEN_TABLE
    assert profile.otherwise.independent == Independence.OF_ACTOR
    cited = {field.name for field in fields(Profile)} - {"name", "version", "released", "title", "sources"}
    assert set(profile.sources) == cited - {"otherwise"}
    floors = [tier.at_least for tier in profile.tiers]
    assert floors[0] == 1, "any difference is told"
    assert floors == sorted(set(floors))
    assert all(tier.told for tier in profile.tiers)
    assert 5 <= profile.retention_years <= 10
    asked_for = {"generic_markers": {Practice.MARKERS}, "generic_markers_money_plays": set(Practice)}
    opened = {practice for practice in Practice if profile.allows(practice)}
    assert opened == asked_for.get(profile.name, set()), "else refused"
    with pytest.raises(AttributeError):
        profile.retention_years = 1  # type: ignore[misc]


def test_new_jersey_tells_the_regulator_from_100_on_and_wants_a_report_above_25() -> None:
    """N.J.A.C. 13:69D-1.21(e): any; greater than $25.00; $100.00 or more."""
    profile = newest("new_jersey_like")
    expected = {0: None, 1: "any", 2_500: "any", 2_501: "signed_report", 9_999: "signed_report"}
    expected |= {10_000: "regulator_copy", -10_000: "regulator_copy", -2_501: "signed_report"}
    tiers = {difference: profile.tier(difference) for difference in expected}
    assert {difference: tier and tier.name for difference, tier in tiers.items()} == expected
    assert "regulator" in tiers[10_000].told  # type: ignore[union-attr]
    assert "regulator" not in tiers[9_999].told  # type: ignore[union-attr]


def test_cash_is_reported_for_strictly_more_than_the_threshold() -> None:
    """31 CFR 1021.311: more than $10,000, so not for $10,000 itself."""
    cash = newest("nevada_like").cash
    assert [cash.report_due(total) for total in (1_000_000, 1_000_001)] == [False, True]
    assert (cash.report_days, cash.log_from, newest("ohio_like").cash.log_from) == (15, 250_000, 300_000)


def test_a_hold_is_investigated_strictly_beyond_the_rule() -> None:
    """Ohio Adm. Code 3772-10-08: deviations of more than four percent, whichever way."""
    rule = newest("ohio_like").hold
    base = Fraction(20, 100)
    holds = [Fraction(n, 10_000) for n in (1_599, 1_600, 2_400, 2_401)]
    assert [rule.broken_by(hold=hold, base=base) for hold in holds] == [True, False, False, True]


def test_the_profile_in_force_is_that_of_the_gaming_day() -> None:
    day, ohio, nevada = date(2026, 5, 1), newest("ohio_like"), newest("nevada_like")
    terms = [term(ohio, day), term(nevada, day + timedelta(days=9)), term(newest(DEFAULT), day)]

    def names(*offsets: int) -> list[str]:
        return [in_force(terms, day + timedelta(days=offset)).name for offset in offsets]

    assert names(-1, 0, 8, 9, 4000) == [DEFAULT, DEFAULT, DEFAULT, "nevada_like", "nevada_like"]
    assert in_force(terms[:2], day).name == "ohio_like", "the last choice for a day replaced this one"
    assert in_force([], day) == PROFILES[DEFAULT, 1], "who never chose keeps the first version"


def test_an_auditor_needs_the_standard_library_alone() -> None:
    code = (
        "import sys; from tables.jurisdiction.catalogue import PROFILES; assert len(PROFILES) >= 4\n"
        "outside = {'django', 'rest_framework', 'psycopg', 'ledger', 'config', 'tables.models'}\n"
        "assert not outside & set(sys.modules), outside & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def choose(house: floor.House, name: str, *, days: int, **options: Any) -> Answer:
    """Choose a profile from so many gaming days after today on."""
    casino = house.casino
    today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
    wanted: dict[str, Any] = {
        "profile": name,
        "version": 1,
        "effective_from": today + timedelta(days=days),
        "second": house.badge(Role.AUDITOR),
        "command": house.office(),
    }
    return profile_set(casino_id=casino.id, **wanted | options)


@pytest.mark.django_db
def test_a_house_chooses_its_profile_for_days_to_come_under_two_signatures() -> None:
    house = floor.make_house(profile="ohio_like")
    today = profile_now(house.casino)
    assert today.name == "ohio_like"
    opened = Entry.objects.get(stream__name=house.casino.stream, kind="casino.open")
    assert f'"digest":"{today.digest}"' in opened.payload
    command = house.office()
    answer = choose(house, "nevada_like", days=1, command=command)
    assert choose(house, "nevada_like", days=1, command=command).replayed
    casino = Casino.objects.get(id=house.casino.id)
    first = date.fromisoformat(answer.body["effective_from"])
    assert profile_now(casino) == today, "the day that runs keeps its profile"
    assert profile_on(casino, first - timedelta(days=1)) == today
    assert profile_on(casino, first).name == "nevada_like"
    entry = Entry.objects.get(stream__name=casino.stream, kind="profile.set")
    assert f'"digest":"{newest("nevada_like").digest}"' in entry.payload
    assert '"instead_of":{"profile":"ohio_like","version":1}' in entry.payload
    signed = Countersignature.objects.get(stream=casino.stream, seq=entry.seq)
    people = (signed.first, signed.second)
    assert people == (house.staff[Role.ADMINISTRATOR], house.staff[Role.AUDITOR])


@pytest.mark.django_db
def test_who_may_not_choose_and_what_is_no_choice() -> None:
    house = floor.make_house()
    choose(house, "nevada_like", days=3)
    house.casino.refresh_from_db()
    with floor.refused(house, "profile_too_early"):
        choose(house, "ohio_like", days=0)
    with floor.refused(house, "unknown_profile"):
        choose(house, "ohio_like", days=1, version=99)
    with floor.refused(house, "unknown_profile"):
        choose(house, "atlantis_like", days=1)
    with floor.refused(house, "same_person_signed"):
        choose(house, "ohio_like", days=1, second=house.badge(Role.ADMINISTRATOR))
    with floor.refused(house, "may_not_countersign"):
        choose(house, "ohio_like", days=1, second=house.badge(Role.PIT_BOSS))
    with floor.refused(house, "operation_not_allowed"):
        choose(house, "ohio_like", days=1, command=house.command(Role.PIT_BOSS))
    with pytest.raises(DomainError, match="unknown_profile"):
        floor.make_house(profile="atlantis_like")


@pytest.mark.django_db
def test_the_command_line_and_the_admin_offer_every_profile() -> None:
    code = f"cmd-{uuid.uuid4().hex[:8]}"
    call_command("create_casino", code, "--profile", "new_jersey_like", stdout=StringIO())
    assert profile_now(Casino.objects.get(code=code)).name == "new_jersey_like"

    house = floor.make_house()
    admin = Client()
    admin.force_login(house.staff[Role.ADMINISTRATOR], backend="django.contrib.auth.backends.ModelBackend")
    address = "/admin/tables/casino/choose_profile/"
    page = admin.get(address).content.decode()
    assert all(f'value="{name}:1"' in page for name in NAMES)
    auditor = house.badge(Role.AUDITOR)
    later = gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour)
    form = {
        "command_id": str(uuid.uuid4()),
        "profile": "ohio_like:1",
        "effective_from": (later + timedelta(days=2)).isoformat(),
        "badge": auditor.number,
        "pin": auditor.pin,
    }
    assert "has begun and keeps" in admin.post(address, form | {"effective_from": later.isoformat()}).text
    house.casino.refresh_from_db()
    assert len(house.casino.profiles) == 1
    assert admin.post(address, form).status_code == 302
    house.casino.refresh_from_db()
    assert house.casino.profiles[-1]["name"] == "ohio_like"
    shown = admin.get(f"/admin/tables/casino/{house.casino.id}/change/").content.decode()
    assert "generic v1 from" in shown
    assert "31 CFR 1021.311" in shown


@pytest.mark.django_db
def test_a_terminal_locks_after_what_the_profile_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """GLI-19: five minutes; a profile may be stricter, and then its figure holds."""
    house = floor.make_house()
    terminal, _ = floor.enrol(house, None)
    terminals.sign_in(terminal=terminal, badge=house.badge(Role.CAGE))

    def idle(seconds: int) -> None:
        since = timezone.now() - timedelta(seconds=seconds)
        SignIn.objects.filter(terminal=terminal).update(last_input_at=since)
        terminals.current_actor(terminal=terminal, is_input=False)

    idle(240)
    with pytest.raises(DomainError, match="session_locked"):
        idle(301)
    strict = replace(PROFILES[DEFAULT, 1], session_lock_seconds=120)
    monkeypatch.setattr(catalogue, "GENERIC_1", strict)
    monkeypatch.setitem(PROFILES, (DEFAULT, 1), strict)
    with pytest.raises(DomainError, match="session_locked"):
        idle(240)
    signed_in = terminals.sign_in(terminal=terminal, badge=house.badge(Role.CAGE))
    assert terminals.idle_since(signed_in) - signed_in.last_input_at == timedelta(seconds=120)


@pytest.mark.django_db
def test_opening_a_house_twice_chooses_once() -> None:
    """A repetition of the opening finds it done and does not choose again."""
    command = Command(uuid.uuid4(), office.system_actor())
    wanted: dict[str, Any] = {
        "code": f"twice-{command.id.hex[:8]}",
        "name": "Twice",
        "currency": "USD",
        "time_zone": "UTC",
        "rollover_hour": 6,
        "denominations": [100],
        "command": command,
    }
    first = office.casino_create(**wanted, profile="ohio_like")
    again = office.casino_create(**wanted, profile="nevada_like")
    assert (again.id, again.profiles) == (first.id, first.profiles)


@pytest.mark.django_db
def test_profiles_that_are_not_as_they_were_chosen_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is a projection of the office's journal, and a released profile may not change behind it."""
    house = floor.make_house(profile="ohio_like")
    choose(house, "nevada_like", days=2)
    casino = Casino.objects.get(id=house.casino.id)
    assert not list(profiles_astray(casino))
    chosen = list(casino.profiles)
    altered = [dict(chosen[0], name="generic"), chosen[1]]
    Casino.objects.filter(id=casino.id).update(profiles=altered)
    (found,) = profiles_astray(casino)
    assert (found.code, found.evidence["journal"]) == ("profiles_differ", chosen)
    Casino.objects.filter(id=casino.id).update(profiles=chosen)
    lax = replace(PROFILES["nevada_like", 1], retention_years=1)
    monkeypatch.setitem(PROFILES, ("nevada_like", 1), lax)
    (found,) = profiles_astray(casino)
    assert (found.code, found.evidence["released"]) == ("profile_changed", lax.digest)
    assert found.seq == Entry.objects.get(stream__name=casino.stream, kind="profile.set").seq
