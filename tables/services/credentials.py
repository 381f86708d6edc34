"""What people prove themselves with, changed by themselves: passwords (admin site), PINs (terminals).

The journal says whose was changed, when and where. Nothing of either enters an entry, an answer, a refusal
or the fingerprint of a command.
"""

import uuid

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils import timezone

from config.errors import DomainError
from ledger.services import Posted
from tables.models import Casino, Refusal, Staff
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office
from tables.services.signatures import FAILURE_WINDOW, FAILURES_ALLOWED, Badge, identify

PASSWORD, PIN = "staff.password", "staff.pin"
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

    answer = execute(
        operation=operation,
        command=command,
        request={"staff": str(command.actor.staff_id)},
        lock=lambda: lock_office(casino_id, command),
        work=work,
    )
    if answer.replayed and not _is_now(command.actor.staff_id, field, new):
        raise DomainError(
            "command_id_reused", "This command id was used for another command before.", status=422
        )
    return answer


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


def _is_now(staff_id: uuid.UUID, field: str, new: str) -> bool:
    return check_password(new, Staff.objects.values_list(field, flat=True).get(pk=staff_id))
