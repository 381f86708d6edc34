"""Terminals and people: enrolment, credentials, signing in, locking."""

import threading
import uuid
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from config.api.headers import etag
from config.errors import DomainError
from tables.models import Refusal, Role, SignIn, Staff, Table, Terminal
from tables.services import terminals
from tests import floor
from tests.api.client import Desk, Reply
from tests.api.conftest import Place, put_on_duty

pytestmark = pytest.mark.django_db


def registered(place: Place, **options: Any) -> tuple[Terminal, str]:
    """A terminal that has not enrolled yet, and its code."""
    answer, code = terminals.terminal_register(
        casino_id=place.house.casino.id,
        table_id=place.table.id,
        name="new",
        command=place.house.office(),
        **options,
    )
    return Terminal.objects.get(id=answer.body["terminal"]), code


def enrol(code: str) -> Reply:
    return Desk(None).send("POST", "terminals/enrolments", {"code": code}, {})


def sign_in(desk: Desk, badge: str, pin: str) -> Reply:
    return desk.send("POST", "sign-ins", {"badge": badge, "pin": pin}, {})


def test_a_code_enrols_one_terminal_once(still: Place) -> None:
    terminal, code = registered(still)
    reply = enrol(code)
    assert reply.status == 201
    secret = reply.body["credential"].partition(".")[2]
    kept = Terminal.objects.get(id=terminal.id)
    assert secret.encode() not in bytes(kept.secret_hash or b""), "only a keyed hash is kept"
    again = enrol(code)
    assert (again.status, again.code) == (403, "enrolment_code_refused")
    assert Terminal.objects.get(id=terminal.id).secret_hash == kept.secret_hash


@pytest.mark.parametrize("change", ["code_expires_at", "expires_at", "revoked_at"])
def test_a_code_that_is_over_enrols_nobody(still: Place, change: str) -> None:
    terminal, code = registered(still)
    Terminal.objects.filter(id=terminal.id).update(**{change: timezone.now()})
    assert enrol(code).code == "enrolment_code_refused"
    assert Terminal.objects.get(id=terminal.id).enrolled_at is None


def credentials(place: Place) -> dict[str, str | None]:
    """Credentials that are not good, by what is wrong with them."""
    good = str(place.desk.credential)
    identity, _, secret = good.partition(".")
    return {
        "none": None,
        "empty": "",
        "no secret": identity,
        "another secret": f"{identity}.{'x' * len(secret)}",
        "another terminal": f"{uuid.uuid4()}.{secret}",
        "the cage's secret": f"{identity}.{str(place.cage.credential).partition('.')[2]}",
        "no identity": f".{secret}",
        "longer": f"{good}x",
        "not ASCII": f"{identity}.\u00e9",
    }


def test_a_credential_that_is_not_good_opens_nothing(still: Place) -> None:
    before = floor.snapshot(still.house)
    for wrong, credential in credentials(still).items():
        desk = Desk(credential, still.desk.version)
        reply = desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000})
        code = "not_authenticated" if credential is None else "credential_refused"
        assert (reply.status, reply.code) == (401, code), wrong
        assert reply.headers["WWW-Authenticate"] == 'Terminal realm="pitledger"'
    spelled = still.desk.get(still.path, authorization=f"TERMINAL {still.desk.credential}")
    assert spelled.status == 200, "a scheme's name has no case"
    bearer = still.desk.get(still.path, authorization=f"Bearer {still.desk.credential}")
    assert (bearer.status, bearer.code) == (401, "credential_refused")
    assert floor.snapshot(still.house) == before


@pytest.mark.parametrize("change", ["expires_at", "revoked_at"])
def test_a_credential_that_is_over_opens_nothing(still: Place, change: str) -> None:
    before = floor.snapshot(still.house)
    Terminal.objects.filter(id=still.terminal.id).update(**{change: timezone.now()})
    reply = still.desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000})
    assert (reply.status, reply.code) == (401, "credential_refused")
    assert sign_in(still.desk, still.house.badge(Role.DEALER).number, floor.PIN).status == 401
    assert floor.snapshot(still.house) == before


def test_a_revocation_works_at_once(still: Place) -> None:
    assert still.desk.get(still.path).status == 200
    terminals.terminal_revoke(
        casino_id=still.house.casino.id,
        terminal_id=still.terminal.id,
        reason="lost",
        command=still.house.office(),
    )
    assert still.desk.get(still.path).code == "credential_refused"


def test_a_credential_is_good_from_its_networks_alone(still: Place) -> None:
    terminal, code = registered(still, networks=("10.1.0.0/16", "2001:db8::/32"))
    credential = enrol(code).body["credential"]
    put_on_duty(still.house, terminal, Role.DEALER)
    for address, status in (
        ("10.1.2.3", 200),
        ("2001:db8::7", 200),
        ("10.2.0.1", 401),
        ("127.0.0.1", 401),
        ("", 401),
    ):
        assert Desk(credential, address=address).get(still.path).status == status, address
    outside = Desk(credential, address="10.2.0.1")
    reply = outside.get(still.path, x_forwarded_for="10.1.2.3")
    assert reply.status == 401, "what a caller says of its address counts for nothing without proxies"


def test_behind_a_proxy_the_address_it_saw_counts(still: Place, settings: Any) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    terminal, code = registered(still, networks=("10.1.0.0/16",))
    desk = Desk(enrol(code).body["credential"], address="127.0.0.1")
    put_on_duty(still.house, terminal, Role.DEALER)
    assert desk.get(still.path, x_forwarded_for="10.1.2.3").status == 200
    assert desk.get(still.path, x_forwarded_for="10.1.2.3, 10.9.9.9").status == 401


def test_whoever_signs_in_takes_the_terminal_over(still: Place) -> None:
    supervisor = still.house.badge(Role.SUPERVISOR)
    reply = sign_in(still.desk, supervisor.number, supervisor.pin)
    assert reply.status == 201
    assert reply.body["staff"]["role"] == "supervisor"
    current = SignIn.objects.get(terminal=still.terminal, ended_at=None)
    assert current.staff == still.house.staff[Role.SUPERVISOR]
    assert reply.body["locks_at"].startswith(f"{terminals.idle_since(current):%Y-%m-%dT%H:%M}")


def test_a_refused_sign_in_leaves_the_terminal_as_it_was(still: Place) -> None:
    house = still.house
    before = list(SignIn.objects.filter(terminal=still.terminal).values())
    leaver = house.staff[Role.SUPERVISOR]
    Staff.objects.filter(id=leaver.id).update(is_active=False)
    other_house = floor.make_house()
    for badge, pin, code in (
        (house.badge(Role.DEALER).number, "000000", "badge_or_pin_wrong"),
        ("nobody", floor.PIN, "badge_or_pin_wrong"),
        (leaver.badge, floor.PIN, "badge_or_pin_wrong"),
        (other_house.badge(Role.DEALER).number, floor.PIN, "badge_or_pin_wrong"),
        (house.badge(Role.CAGE).number, floor.PIN, "may_not_sign_in"),
        (house.badge(Role.AUDITOR).number, floor.PIN, "may_not_sign_in"),
    ):
        reply = sign_in(still.desk, badge, pin)
        assert (reply.status, reply.code) == (403, code), badge
        assert Refusal.objects.filter(code=code, badge=badge, terminal_id=still.terminal.id).exists()
    assert list(SignIn.objects.filter(terminal=still.terminal).values()) == before


def test_five_wrong_pins_lock_a_badge(still: Place) -> None:
    badge = still.house.badge(Role.DEALER).number
    for _ in range(5):
        assert sign_in(still.desk, badge, "000000").code == "badge_or_pin_wrong"
    reply = sign_in(still.desk, badge, floor.PIN)
    assert (reply.status, reply.code) == (429, "badge_locked")
    assert int(reply.headers["Retry-After"]) > 0
    assert sign_in(still.desk, still.house.badge(Role.SUPERVISOR).number, floor.PIN).status == 201


@pytest.mark.django_db(transaction=True)
def test_guesses_at_once_are_no_more_than_guesses_in_turn() -> None:
    house = floor.make_house()
    terminal, _ = floor.enrol(house, None)
    guess = replace(house.badge(Role.CAGE), pin="000000")
    codes: list[str] = []
    start = threading.Barrier(12)

    def try_one() -> None:
        start.wait()
        try:
            terminals.sign_in(terminal=terminal, badge=guess)
        except DomainError as refusal:
            codes.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=try_one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(codes) == {"badge_or_pin_wrong": 5, "badge_locked": 7}
    assert not SignIn.objects.filter(terminal=terminal).exists()


def test_another_houses_terminal_locks_nobody_out(still: Place) -> None:
    terminal, _ = floor.enrol(floor.make_house(), None)
    badge = still.house.badge(Role.DEALER)
    for _ in range(6):
        with pytest.raises(DomainError):
            terminals.sign_in(terminal=terminal, badge=badge)
    assert sign_in(still.desk, badge.number, badge.pin).status == 201


def test_sign_ins_and_enrolments_are_throttled(still: Place) -> None:
    codes = [sign_in(still.desk, f"nobody-{number}", "000000").code for number in range(21)]
    assert set(codes[:20]) == {"badge_or_pin_wrong"}
    assert codes[20] == "throttled"
    cage = still.house.badge(Role.CAGE)
    assert sign_in(still.cage, cage.number, cage.pin).status == 201, "each terminal has its own count"
    replies = [enrol("x") for _ in range(31)]
    assert {reply.code for reply in replies[:30]} == {"enrolment_code_refused"}
    assert (replies[30].status, replies[30].code) == (429, "throttled")
    assert int(replies[30].headers["Retry-After"]) > 0


def idle_for(place: Place, **since: int) -> None:
    """Let the last input at the table's terminal be so long ago."""
    SignIn.objects.filter(terminal=place.terminal, ended_at=None).update(
        last_input_at=timezone.now() - timedelta(**since)
    )


def test_a_terminal_locks_after_five_idle_minutes(still: Place) -> None:
    before = floor.snapshot(still.house)
    idle_for(still, minutes=5, seconds=1)
    for reply in (
        still.desk.get(still.path),
        still.desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000}),
    ):
        assert (reply.status, reply.code) == (403, "session_locked")
    assert floor.snapshot(still.house) == before
    dealer = still.house.badge(Role.DEALER)
    assert sign_in(still.desk, dealer.number, dealer.pin).status == 201
    assert still.desk.get(still.path).status == 200


def test_input_keeps_a_terminal_open_and_a_refreshing_screen_does_not(still: Place) -> None:
    idle_for(still, minutes=4)
    assert still.desk.get(still.path).status == 200
    current = SignIn.objects.get(terminal=still.terminal, ended_at=None)
    assert timezone.now() - current.last_input_at > timedelta(minutes=4)
    assert still.desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000}).status == 200
    current.refresh_from_db()
    assert timezone.now() - current.last_input_at < timedelta(minutes=1)


def test_somebody_who_left_the_house_is_out_at_once(still: Place) -> None:
    Staff.objects.filter(id=still.house.staff[Role.DEALER].id).update(is_active=False)
    before = floor.snapshot(still.house)
    reply = still.desk.post(f"{still.path}/seats/1/buy-ins", {"cash": 1000})
    assert (reply.status, reply.code) == (403, "not_signed_in")
    assert floor.snapshot(still.house) == before


def test_a_terminal_of_another_table_may_watch_its_own(still: Place) -> None:
    table = floor.make_table(still.house, "rd-2")
    terminal, credential = floor.enrol(still.house, table)
    put_on_duty(still.house, terminal, Role.DEALER)
    desk = Desk(credential)
    reply = desk.get(f"tables/{table.id}")
    assert reply.headers["ETag"] == etag(Table.objects.get(id=table.id).version)
    assert desk.get(still.path).code == "table_not_found"
