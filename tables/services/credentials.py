"""What people prove themselves with: passwords (admin site) and PINs (terminals), changed, given, ended.

The journal says whose was changed, when and where. Nothing of either enters an entry, an answer, a refusal
or the fingerprint of a command.
"""

import uuid
from collections.abc import Mapping

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils import timezone

from config.errors import DomainError
from ledger.models import Entry
from ledger.services import Posted
from tables.models import Casino, Refusal, SignIn, Staff
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found
from tables.services.signatures import (
    FAILURE_WINDOW,
    FAILURES_ALLOWED,
    Badge,
    Second,
    identify,
    not_the_last,
    signed_by_two,
)

PASSWORD, PIN, RESET, LEAVE = "staff.password", "staff.pin", "staff.reset", "staff.leave"
LEAVING = ("left", "dismissed", "absent", "other")
"""Why access ends: a closed list, since a text might say more of a person than the journal may keep."""
WRONG_PASSWORD = "password_wrong"  # noqa: S105 (the code of a refusal)
MIN_PIN, MIN_PASSWORD = 4, 12


def check_strength(*, pin: str = "", password: str = "") -> None:
    """Refuse a PIN or a password that is easily guessed; an empty one is none.

    Raises:
        DomainError: `weak_pin`, `weak_password` (422).
    """
    if pin and (len(pin) < MIN_PIN or not pin.isdecimal()):
        raise DomainError("weak_pin", f"A PIN has at least {MIN_PIN} digits.", status=422)
    if password and len(password) < MIN_PASSWORD:
        raise DomainError("weak_password", f"A password has at least {MIN_PASSWORD} characters.", status=422)


def _check_guess(password: str, staff: Staff) -> None:
    try:
        validate_password(password, staff)
    except ValidationError as weak:
        raise DomainError("weak_password", " ".join(weak.messages), status=422) from None


def password_change(*, casino_id: uuid.UUID, old: str, new: str, command: Command) -> Answer:
    """Change one's own password for the admin site; every other session of theirs ends by it.

    Args:
        old: the password until now.

    Raises:
        DomainError: `password_wrong` (403), `badge_locked` (429) after five wrong ones in a quarter of an
            hour, `weak_password` (422), `credential_unchanged`, `command_id_reused` (422).
    """
    return _change(PASSWORD, "password", casino_id, old, new, command)


def pin_change(*, casino_id: uuid.UUID, old: str, new: str, command: Command) -> Answer:
    """Change one's own PIN, with which one signs in at terminals and signs as the second.

    Args:
        old: at a terminal the PIN until now; in the admin site the password there, so that whoever has
            forgotten the PIN, or never had one, gets another.

    Raises:
        DomainError: `badge_or_pin_wrong` (403) or `password_wrong` (403), `badge_locked` (429), `weak_pin`
            (422), `credential_unchanged`, `command_id_reused` (422).
    """
    return _change(PIN, "pin", casino_id, old, new, command)


def _change(operation: str, field: str, casino_id: uuid.UUID, old: str, new: str, command: Command) -> Answer:
    """One change: proved by who makes it, hashed, and told in the office's stream by the id alone."""

    def work(casino: Casino) -> Effect:
        staff = _proved(casino, old, command)
        check_strength(**{field: new})
        if operation == PASSWORD:
            _check_guess(new, staff)
        if not new or check_password(new, getattr(staff, field)):
            raise DomainError("credential_unchanged", "It is the same as before.")

        def write(posted: Posted) -> None:
            Staff.objects.filter(pk=staff.pk).update(**{field: make_password(new)})

        said = {"staff": str(staff.id)}
        return Effect(kind=operation, payload=said, write=write, body=lambda: said)

    answer = execute(operation, command, {"staff": str(command.actor.staff_id)}, lock_office, casino_id, work)
    return _as_sent(answer, command, command.actor.staff_id, {field: new})


def credentials_reset(
    *, casino_id: uuid.UUID, staff_id: uuid.UUID, pin: str, password: str, second: Second, command: Command
) -> Answer:
    """Give somebody who has forgotten theirs another PIN, another password, or both; an empty one stays.

    Whoever gives it knows it until its owner changes it: two sign.

    Raises:
        DomainError: `staff_not_found`, `staff_left`, `own_access` (403) for one's own, `weak_pin`,
            `weak_password` (422), `credential_unchanged` where nothing is given, those of `countersigner`,
            `command_id_reused` (422).
    """
    new = {field: value for field, value in (("pin", pin), ("password", password)) if value}

    def work(casino: Casino) -> Effect:
        staff = _somebody_else(casino, staff_id, command)
        if not new:
            raise DomainError("credential_unchanged", "Give a PIN, a password, or both.")
        check_strength(**new)
        if password:
            _check_guess(password, staff)
        witness, sign = signed_by_two(RESET, command, second, on=casino, subject=staff_id)

        def write(posted: Posted) -> None:
            Staff.objects.filter(pk=staff_id).update(**{name: make_password(new[name]) for name in new})
            sign(posted)

        said = {"staff": str(staff_id), "what": sorted(new)}
        return Effect(
            kind=RESET, payload={**said, "second": str(witness.id)}, write=write, body=lambda: dict(said)
        )

    request = {"staff": str(staff_id), "what": sorted(new), "second": second.number}
    answer = execute(RESET, command, request, lock_office, casino_id, work)
    return _as_sent(answer, command, staff_id, new)


def access_end(*, casino_id: uuid.UUID, staff_id: uuid.UUID, reason: str, command: Command) -> Answer:
    """End the access of somebody who leaves, at once: site, terminals and signatures. What they did stays.

    Where they are signed in they are signed out; a table they deal at waits for whoever signs in next.

    Args:
        reason: one of `LEAVING`.

    Raises:
        DomainError: `staff_not_found`, `staff_left`, `own_access` (403) for one's own, `last_signer` where
            nobody else could sign for new staff, `bad_reason` (422).
    """

    def work(casino: Casino) -> Effect:
        staff = _somebody_else(casino, staff_id, command)
        if reason not in LEAVING:
            raise DomainError("bad_reason", f"One of {', '.join(LEAVING)}.", status=422)
        not_the_last(casino, staff)

        def write(posted: Posted) -> None:
            gone = {"is_active": False, "pin": "", "password": make_password(None)}
            Staff.objects.filter(pk=staff_id).update(**gone)
            SignIn.objects.filter(staff=staff_id, ended_at=None).update(ended_at=posted.recorded_at)

        said = {"staff": str(staff_id), "reason": reason}
        return Effect(kind=LEAVE, payload=said, write=write, body=lambda: said)

    return execute(LEAVE, command, {"staff": str(staff_id), "reason": reason}, lock_office, casino_id, work)


def _somebody_else(casino: Casino, staff_id: uuid.UUID, command: Command) -> Staff:
    """Somebody who works here, held; not the one who acts."""
    people = Staff.objects.select_for_update(no_key=True, of=("self",))
    staff = people.filter(pk=staff_id, casino=casino).first()
    if staff is None:
        raise not_found("staff")
    if staff_id == command.actor.staff_id:
        raise DomainError("own_access", "Somebody else does that for you.", status=403)
    if not staff.is_active:
        raise DomainError("staff_left", "This person has left.")
    return staff


def _as_sent(answer: Answer, command: Command, staff_id: uuid.UUID, new: Mapping[str, str]) -> Answer:
    """The answer; a repetition must be of what was asked for, which no fingerprint may tell.

    What was changed since is never compared: whoever gave it could try what it is now, as often as they like.
    """
    if not answer.replayed:
        return answer
    if not _changed_since(command, staff_id):
        kept = Staff.objects.values(*new).get(pk=staff_id)
        if all(check_password(value, kept[field]) for field, value in new.items()):
            return answer
    raise DomainError("command_id_reused", "This command id was used for another command before.", status=422)


def _changed_since(command: Command, staff_id: uuid.UUID) -> bool:
    """Whether somebody's password or PIN was changed or given after a command did so."""
    office = Entry.objects.filter(stream__name=Casino.objects.get(staff=staff_id).stream)
    did = office.get(command_id=command.id)
    later = office.filter(seq__gt=did.seq, kind__in=(PASSWORD, PIN, RESET))
    return later.filter(payload__contains=str(staff_id)).exists()


def _proved(casino: Casino, old: str, command: Command) -> Staff:
    """Who acts, by the PIN at a terminal and by the password elsewhere; their row is held."""
    people = Staff.objects.select_for_update(no_key=True, of=("self",))
    staff = people.get(pk=command.actor.staff_id, casino=casino)
    if command.actor.terminal_kind is not None:
        return identify(Badge(staff.badge, old), casino_id=casino.id)
    since = timezone.now() - FAILURE_WINDOW
    wrong = Refusal.objects.filter(code=WRONG_PASSWORD, staff_id=staff.id, at__gt=since).count()
    if wrong >= FAILURES_ALLOWED:
        raise DomainError(
            "badge_locked",
            "Too many wrong passwords; wait a quarter of an hour.",
            status=429,
            retry_after=int(FAILURE_WINDOW.total_seconds()),
        )
    if not staff.check_password(old):
        raise DomainError(WRONG_PASSWORD, "That is not the password until now.", status=403)
    return staff
