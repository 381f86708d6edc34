"""Badges, PINs and second signatures."""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from django.contrib.auth.hashers import check_password, make_password
from django.utils import timezone

from config.errors import DomainError
from ledger.services import Posted
from tables.models import Countersignature, Refusal, Staff, Terminal
from tables.services.command import Actor
from tables.services.permissions import COUNTERSIGNERS

FAILURES_ALLOWED = 5
FAILURE_WINDOW = timedelta(minutes=15)
WRONG_PIN = "badge_or_pin_wrong"


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge number and the PIN typed with it; the PIN is never stored, journalled or answered."""

    number: str
    pin: str


def identify(badge: Badge, *, casino_id: uuid.UUID) -> Staff:
    """The person behind a badge and PIN.

    The refusal is the same whether the badge is unknown, the PIN wrong or the person has left. Five
    failures of a badge within a quarter of an hour lock it in that house. To be called in a transaction:
    it holds the person's row, so that guesses made at once are judged one after the other.

    Raises:
        DomainError: `badge_or_pin_wrong` (403), `badge_locked` (429).
    """
    people = Staff.objects.filter(badge=badge.number, casino_id=casino_id, is_active=True)
    staff = people.select_for_update(no_key=True).first()  # beside foreign keys that point here
    if _failures(badge, casino_id) >= FAILURES_ALLOWED:
        raise DomainError(
            "badge_locked",
            "Too many wrong PINs for this badge; wait a quarter of an hour.",
            status=429,
            retry_after=int(FAILURE_WINDOW.total_seconds()),
        )
    known_pin = staff.pin if staff and staff.pin else _nobodys_pin()
    if not check_password(badge.pin, known_pin) or staff is None:
        raise DomainError(WRONG_PIN, "Badge and PIN do not belong together.", status=403, badge=badge.number)
    return staff


def _failures(badge: Badge, casino_id: uuid.UUID) -> int:
    """Recent wrong PINs of a badge; those typed in another house lock nobody out here."""
    since = timezone.now() - FAILURE_WINDOW
    wrong = Refusal.objects.filter(code=WRONG_PIN, badge=badge.number, at__gt=since)
    elsewhere = Terminal.objects.exclude(casino_id=casino_id).values("id")
    return wrong.exclude(terminal_id__in=elsewhere).count()


@cache
def _nobodys_pin() -> str:
    """A hash no PIN meets, so that an unknown badge takes as long to refuse as a wrong PIN."""
    return make_password(secrets.token_hex(16))


def countersigner(*, act: str, actor: Actor, badge: Badge, casino_id: uuid.UUID) -> Staff:
    """The second person who signs an act, freshly identified.

    Raises:
        DomainError: as `identify`; `same_person_signed` (403) when it is the actor again;
            `may_not_countersign` (403) when the role may not sign this act.
    """
    second = identify(badge, casino_id=casino_id)
    if second.id == actor.staff_id:
        raise DomainError("same_person_signed", "A second, different person must sign.", status=403)
    if second.role not in COUNTERSIGNERS[act]:
        raise DomainError("may_not_countersign", f"The role {second.role} may not sign {act}.", status=403)
    return second


def signing(*, act: str, actor: Actor, second: Staff, reason: str = "") -> Callable[[Posted], None]:
    """A write that keeps both signatures under the entry that is about to be posted."""

    def write(posted: Posted) -> None:
        Countersignature.objects.create(
            stream=posted.stream,
            seq=posted.seq,
            act=act,
            first_id=actor.staff_id,
            second=second,
            reason=reason,
            signed_at=posted.recorded_at,
        )

    return write
