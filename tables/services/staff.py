"""Employing people. Whoever may sign as the second is employed by two.

Else an administrator could make a second person of their own and sign with both. A house that has nobody yet
who may sign is begun by one alone: the first of them, once. Whatever role is given later is a new badge's;
nobody's role is ever changed.
"""

import uuid

from django.contrib.auth.hashers import make_password

from config.errors import DomainError
from ledger.services import Posted
from tables.jurisdiction.catalogue import SIGNERS
from tables.models import Casino, Role, Staff
from tables.selectors.jurisdiction import profile_now
from tables.selectors.people import has_signers
from tables.services.command import Answer, Command, Effect, execute
from tables.services.credentials import check_strength
from tables.services.locks import lock_office
from tables.services.people import keyed
from tables.services.signatures import EMPLOY, Second, Witness, countersigner, signing


def staff_create(
    *,
    casino_id: uuid.UUID,
    badge: str,
    display_name: str,
    role: Role,
    pin: str = "",
    password: str = "",
    second: Second | None = None,
    command: Command,
) -> Answer:
    """Employ somebody; PIN (terminals) and password (admin site) are kept hashed, or left unusable.

    Args:
        second: who signs with the actor, for every role that signs anything as the second (`SIGNERS`).

    Raises:
        DomainError: `weak_pin`, `weak_password` (422), `badge_taken`, `second_needed` (403), `pin_missing`
            (422) for the first who may sign, and those of `countersigner`.
    """

    def work(casino: Casino) -> Effect:
        check_strength(pin=pin, password=password)
        if Staff.objects.filter(badge=badge).exists():
            raise DomainError("badge_taken", f"Badge {badge} is somebody's already.")
        staff = Staff(casino=casino, badge=badge, display_name=display_name, role=role)
        staff.pin = make_password(pin) if pin else ""
        staff.password = make_password(password or None)
        witness = _witness(casino, role, pin, second, command)

        def write(posted: Posted) -> None:
            staff.save(force_insert=True)
            if witness is not None:
                signing(act=EMPLOY, actor=command.actor, second=witness)(posted)

        said = {"staff": str(staff.id), "badge": badge, "role": str(role)}
        signed = {"second": str(witness.id)} if witness else {}
        return Effect(kind=EMPLOY, payload=said | signed, write=write, body=lambda: dict(said), status=201)

    request = {
        "badge": badge,
        "display_name": keyed(display_name),
        "role": str(role),
        "second": second and second.number,
    }
    return execute("office.staff", command, request, lock_office, casino_id, work)


def _witness(casino: Casino, role: Role, pin: str, second: Second | None, command: Command) -> Witness | None:
    """Who signs with the actor; None where one alone may employ: for a role that signs nothing, and once for
    the first of all who may sign, who then signs for the others."""
    if second is not None:
        return countersigner(EMPLOY, command, second, on=casino, subject=casino.id)
    if role not in SIGNERS:
        return None
    may_sign = profile_now(casino).second(EMPLOY).roles
    if role not in may_sign or has_signers(casino):
        raise DomainError(
            "second_needed",
            f"Two employ a {Role(role).label.lower()}, who may sign as the second; one alone the first of all"
            f" who may, one of: {', '.join(sorted(may_sign))}.",
            status=403,
        )
    if not pin:
        raise DomainError("pin_missing", "Who is the first to sign for others needs a PIN.", status=422)
    return None
