"""One's own PIN and password: proved by the one until now, hashed, and in the journal by the id alone."""

import json
import uuid
from typing import Any

import pytest

from config.errors import DomainError
from ledger.models import Entry
from tables.models import CommandAnswer, Refusal, Role, SignIn, Staff
from tables.services.command import Actor, Command
from tables.services.credentials import access_end, credentials_reset, password_change, pin_change
from tables.services.signatures import Badge, identify
from tables.services.terminals import current_actor, sign_in
from tests import floor
from tests.floor import House, refused

NEW_PIN, NEW_WORDS = "246802", "an altogether other sentence"


def at_desk(house: House, role: Role = Role.PIT_BOSS) -> Command:
    """A command from the admin site."""
    return Command(uuid.uuid4(), Actor(house.staff[role].id, role))


def test_a_pin_is_changed_at_a_terminal_with_the_one_until_now(house: House) -> None:
    """STAFF-OWN: the old one signs no more; nothing of either is written down; sent twice, it acts once."""
    dealer, command = house.staff[Role.DEALER], house.command(Role.DEALER)
    for _ in range(2):
        pin_change(casino_id=house.casino.id, old=floor.PIN, new=NEW_PIN, command=command)
    assert identify(Badge(dealer.badge, NEW_PIN), casino_id=house.casino.id) == dealer
    (entry,) = Entry.objects.filter(stream__name=house.casino.stream, kind="staff.pin")
    assert (json.loads(entry.payload), entry.actor) == ({"staff": str(dealer.id)}, dealer.id)
    kept = CommandAnswer.objects.get(command_id=command.id)
    assert (kept.body, Staff.objects.get(pk=dealer.pk).pin[:6]) == ({"staff": str(dealer.id)}, "argon2")
    with refused(house, "badge_or_pin_wrong"):
        identify_or_refuse(house, floor.PIN)
    with refused(house, "command_id_reused", recorded=False):
        pin_change(casino_id=house.casino.id, old=floor.PIN, new="111111", command=command)
    for old, new, code in (
        (NEW_PIN, "12", "weak_pin"),
        (NEW_PIN, "12a456", "weak_pin"),
        (NEW_PIN, NEW_PIN, "credential_unchanged"),
        (NEW_PIN, "", "credential_unchanged"),
    ):
        with refused(house, code):
            pin_change(casino_id=house.casino.id, old=old, new=new, command=house.command(Role.DEALER))


def identify_or_refuse(house: House, pin: str) -> None:
    """Try a PIN as its own change does."""
    pin_change(casino_id=house.casino.id, old=pin, new="975310", command=house.command(Role.DEALER))


def test_a_password_is_changed_at_the_desk_and_opens_a_new_pin(house: House) -> None:
    """STAFF-OWN: who has forgotten a PIN proves themselves by the password; who guesses is locked out."""
    boss, words = house.staff[Role.PIT_BOSS], f"correct horse {house.tag}"
    change: dict[str, Any] = {"casino_id": house.casino.id, "old": words}
    for new, code in (
        ("short", "weak_password"),
        ("1q2w3e4r5t6y", "weak_password"),
        (words, "credential_unchanged"),
    ):
        with refused(house, code):
            password_change(**change, new=new, command=at_desk(house))
    with refused(house, "operation_not_allowed"):
        password_change(**change, new=NEW_WORDS, command=house.command(Role.PIT_BOSS))
    password_change(**change, new=NEW_WORDS, command=at_desk(house))
    assert Staff.objects.get(pk=boss.pk).check_password(NEW_WORDS)
    pin_change(casino_id=house.casino.id, old=NEW_WORDS, new=NEW_PIN, command=at_desk(house))
    assert identify(Badge(boss.badge, NEW_PIN), casino_id=house.casino.id) == boss
    for _ in range(5):
        with refused(house, "password_wrong"):
            password_change(**change, new="yet another sentence", command=at_desk(house))
    with refused(house, "badge_locked"):
        pin_change(casino_id=house.casino.id, old=NEW_WORDS, new="111111", command=at_desk(house))
    written = [entry.payload for entry in Entry.objects.filter(stream__name=house.casino.stream)]
    written += [refusal.detail for refusal in Refusal.objects.all()]
    assert not any(secret in text for text in written for secret in (NEW_PIN, NEW_WORDS, words))


def test_who_has_forgotten_theirs_is_given_another_by_two(house: House) -> None:
    """STAFF-RESET: by the administrator and a second, never to oneself; what it was stands nowhere."""
    dealer, boss = house.staff[Role.DEALER], house.staff[Role.PIT_BOSS]
    signed: dict[str, Any] = {"casino_id": house.casino.id, "second": house.badge(Role.SURVEILLANCE)}
    given: dict[str, Any] = {"staff_id": dealer.id, "pin": NEW_PIN, "password": "", **signed}
    for changes, code in (
        ({"staff_id": uuid.uuid4()}, "staff_not_found"),
        ({"staff_id": house.staff[Role.ADMINISTRATOR].id}, "own_access"),
        ({"pin": "12"}, "weak_pin"),
        ({"password": "short"}, "weak_password"),
        ({"pin": ""}, "credential_unchanged"),
        ({"second": house.badge(Role.ADMINISTRATOR)}, "same_person_signed"),
        ({"second": house.badge(Role.DEALER)}, "may_not_countersign"),
    ):
        with refused(house, code):
            credentials_reset(**given | changes, command=house.office())
    with refused(house, "operation_not_allowed"):
        credentials_reset(**given, command=at_desk(house))
    command = house.office()
    for _ in range(2):
        credentials_reset(**given, command=command)
    with refused(house, "command_id_reused", recorded=False):
        credentials_reset(**given | {"pin": "111111"}, command=command)
    assert identify(Badge(dealer.badge, NEW_PIN), casino_id=house.casino.id) == dealer
    pin_change(casino_id=house.casino.id, old=NEW_PIN, new="864209", command=house.command(Role.DEALER))
    for guess in ("864209", "111111", NEW_PIN):  # whoever gave it does not learn what it is now
        with refused(house, "command_id_reused", recorded=False):
            credentials_reset(**given | {"pin": guess}, command=command)
    credentials_reset(
        **given | {"staff_id": boss.id, "password": NEW_WORDS, "pin": ""}, command=house.office()
    )
    kept = Staff.objects.get(pk=boss.pk)
    assert kept.check_password(NEW_WORDS)
    assert identify(house.badge(Role.PIT_BOSS), casino_id=house.casino.id) == boss, "the PIN stayed"
    said = [json.loads(e.payload) for e in Entry.objects.filter(kind="staff.reset").order_by("-seq")[:2]]
    assert [each["what"] for each in said] == [["password"], ["pin"]]


def test_who_leaves_is_out_at_once_and_stays_on_record(house: House) -> None:
    """STAFF-LEAVE: no site, no terminal, no signature; the name and the entries stay; it is done once.

    Who is signed in somewhere is signed out.
    """
    watcher, badge = house.staff[Role.SURVEILLANCE], house.badge(Role.SURVEILLANCE)
    leave: dict[str, Any] = {"casino_id": house.casino.id, "staff_id": watcher.id, "reason": "left"}
    terminal, _ = floor.enrol(house, None)
    here = sign_in(terminal=terminal, badge=house.badge(Role.CAGE))
    for changes, code in (
        ({"reason": "because"}, "bad_reason"),
        ({"staff_id": house.staff[Role.ADMINISTRATOR].id}, "own_access"),
    ):
        with refused(house, code):
            access_end(**leave | changes, command=house.office())
    access_end(**leave, command=house.office())
    gone = Staff.objects.get(pk=watcher.pk)
    assert (gone.is_active, gone.pin, gone.has_usable_password()) == (False, "", False)
    assert gone.display_name == watcher.display_name
    with pytest.raises(DomainError, match="do not belong together"):
        identify(badge, casino_id=house.casino.id)
    with refused(house, "staff_left"):
        access_end(**leave, command=house.office())
    assert current_actor(terminal=terminal, is_input=False).staff_id == here.staff_id, "others stay"
    access_end(**leave | {"staff_id": here.staff_id}, command=house.office())
    ended = Entry.objects.filter(stream__name=house.casino.stream, kind="staff.leave").latest("seq")
    assert SignIn.objects.get(pk=here.pk).ended_at == ended.recorded_at
    with pytest.raises(DomainError, match="not_signed_in"):
        current_actor(terminal=terminal, is_input=False)
