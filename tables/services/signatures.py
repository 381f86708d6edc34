"""Badges, PINs and second signatures.

Who may sign an act as the second, from what that person must be apart, and whether at a device of their
own, is the jurisdiction profile's to say. A second signature is a badge and PIN typed at the act, or the
id of an approval that its giver signed so elsewhere (`tables.services.approvals`).
"""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.contrib.auth.hashers import check_password, make_password
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from config.errors import DomainError
from ledger.models import Entry
from ledger.services import Posted
from tables.jurisdiction.catalogue import AT_CAGE
from tables.jurisdiction.profile import Independence, Profile, SecondSigner
from tables.models import Approval, Cage, Casino, Countersignature, Refusal, Round, Staff, Table, Terminal
from tables.selectors.jurisdiction import profile_now, profiles_ahead
from tables.services.command import Actor, Command

FAILURES_ALLOWED = 5
FAILURE_WINDOW = timedelta(minutes=15)
WRONG_PIN = "badge_or_pin_wrong"
EMPLOY = "staff.create"


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge number and the PIN typed with it; the PIN is never stored, journalled or answered."""

    number: str
    pin: str


@dataclass(frozen=True, slots=True)
class Approved:
    """An approval given beforehand, in the place of a badge and PIN."""

    id: uuid.UUID

    @property
    def number(self) -> str:
        """What identifies it in a command's content, as a badge's number does."""
        return f"approval:{self.id}"


Second = Badge | Approved
Signable = Table | Cage | Casino
Sign = Callable[[Posted], None]


@dataclass(frozen=True, slots=True)
class Witness:
    """The second person under an act: who, where and when they signed, by which approval if by any."""

    id: uuid.UUID
    terminal_id: uuid.UUID | None
    signed_at: datetime | None = None
    approval: Approval | None = None
    address: str | None = None


def identify(badge: Badge, *, casino_id: uuid.UUID) -> Staff:
    """The person behind a badge and PIN.

    The refusal is the same whether the badge is unknown, the PIN wrong or the person has left. Five
    failures of a badge within a quarter of an hour lock it in that house. To be called in a transaction:
    it holds the person's row, so that guesses made at once are judged one after the other.

    Raises:
        DomainError: `badge_or_pin_wrong` (403), `badge_locked` (429).
    """
    people = Staff.objects.filter(badge=badge.number, casino_id=casino_id, is_active=True)
    # no_key: beside foreign keys that point here
    staff = people.select_related("casino").select_for_update(no_key=True, of=("self",)).first()
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


def signed_by_two(
    act: str, command: Command, second: Second, *, on: Signable, subject: uuid.UUID, reason: str = ""
) -> tuple[Witness, Sign]:
    """The second person under a command's act, and the write that keeps both signatures under its entry.

    Args:
        act, second, on, subject: as `countersigner` takes them.
        reason: why it is done, where that is kept with the signatures.

    Raises:
        DomainError: as `countersigner`.
    """
    witness = countersigner(act, command, second, on=on, subject=subject)
    return witness, signing(act=act, actor=command.actor, second=witness, reason=reason)


def countersigner(act: str, command: Command, second: Second, *, on: Signable, subject: uuid.UUID) -> Witness:
    """The second person who signs an act, freshly identified here or, by an approval, elsewhere.

    Args:
        act: the operation that is signed, by its name in the jurisdiction profiles.
        second: what they sign with.
        on: the locked row the act is about, of the house both belong to.
        subject: the id the act is on; an approval is for that, at the row's version. What of a slip's
            happens at the cage is approved as the cage's (`AT_CAGE`).

    Raises:
        DomainError: as `identify`; `approval_refused` (403) for an approval that is not for this, is used up
            or too old; `same_person_signed` (403) when it is the actor again; `may_not_countersign` (403)
            when the role may not sign this act; `not_independent` (403) for somebody who had a hand in it;
            `other_device_needed` (403) where two may not sign at one device.
    """
    actor, casino_id = command.actor, on.pk if isinstance(on, Casino) else on.casino_id
    if isinstance(second, Approved):
        asked = AT_CAGE.get(act, act) if isinstance(on, Cage) else act
        approval = _approval(second, asked, casino_id, on, subject)
        person, terminal_id, signed_at = approval.given_by, approval.terminal_id, approval.given_at
        address = approval.address
    else:
        person, terminal_id = identify(second, casino_id=casino_id), actor.terminal_id
        approval, signed_at, address = None, None, actor.address
    if person.id == actor.staff_id:
        raise DomainError("same_person_signed", "A second, different person must sign.", status=403)
    rule = second_of(person, act)
    if not _independent(rule, person, on):
        raise DomainError("not_independent", "Somebody who had no hand in it must sign.", status=403)
    if rule.other_device and terminal_id == actor.terminal_id:
        raise DomainError(
            "other_device_needed", "The second must sign at a device of their own: an approval.", status=403
        )
    return Witness(person.id, terminal_id, signed_at, approval, address)


def second_of(person: Staff, act: str) -> SecondSigner:
    """What the profile in force asks of the second under an act, if this person's role may be that.

    Raises:
        DomainError: `may_not_countersign` (403).
    """
    assert person.casino is not None, "only a house's people are identified"
    rule = profile_now(person.casino).second(act)
    if person.role not in rule.roles:
        raise DomainError("may_not_countersign", f"The role {person.role} may not sign {act}.", status=403)
    return rule


def not_the_last(casino: Casino, person: Staff) -> None:
    """Refuse to let somebody go without whom the house could employ nobody any more who may sign: now, or
    under a profile that is chosen for days to come.

    Raises:
        DomainError: `last_signer`.
    """
    for roles in {profile.second(EMPLOY).roles for profile in profiles_ahead(casino)}:
        if {signer.pk for signer in _employing(casino, roles)[:2]} == {person.pk}:
            raise DomainError("last_signer", "Nobody else could sign for new staff; employ somebody first.")


def somebody_employs(casino: Casino, profile: Profile) -> None:
    """Refuse a profile under which the house could employ nobody any more who may sign.

    Raises:
        DomainError: `no_signer`.
    """
    roles = profile.second(EMPLOY).roles
    if not _employing(casino, roles).exists():
        raise DomainError(
            "no_signer",
            f"Under {profile.title} nobody who works here could sign for new staff; first employ, with a PIN,"
            f" one of: {', '.join(sorted(roles))}.",
        )


def _employing(casino: Casino, roles: frozenset[str]) -> QuerySet[Staff]:
    """Who could sign for new staff where these roles may: who works here and has a PIN."""
    return Staff.objects.filter(casino=casino, role__in=roles, is_active=True).exclude(pin="")


def _independent(rule: SecondSigner, person: Staff, on: Signable) -> bool:
    """Whether a person is as far from what is signed as the rule asks."""
    if rule.independent == Independence.OF_ACTOR:
        return True
    assert isinstance(on, Table), "only acts at an open table ask for more"
    assert on.session is not None, "only acts at an open table ask for more"
    if rule.independent == Independence.OF_DEALING:
        began = {"stream__name": on.stream, "seq": OuterRef("first_seq"), "actor": person.id}
        dealt = Q(dealer=person) | Exists(Entry.objects.filter(**began))
        return not Round.objects.filter(dealt, session=on.session).exists()
    since = on.session.opened_seq
    signed = Countersignature.objects.filter(Q(first=person) | Q(second=person), stream=on.stream)
    acted = Entry.objects.filter(stream__name=on.stream, seq__gte=since, actor=person.id)
    return not signed.filter(seq__gte=since).exists() and not acted.exists()


def _approval(
    approved: Approved, act: str, casino_id: uuid.UUID, on: Signable, subject: uuid.UUID
) -> Approval:
    """The approval of that id, held, when it is good for this act on this subject as it stands now.

    The refusal is the same whatever is wrong with it.
    """
    approval = (
        Approval.objects.select_related("given_by__casino")
        .select_for_update(no_key=True, of=("self",))
        .filter(id=approved.id, casino_id=casino_id, act=act, used_at=None, expires_at__gt=timezone.now())
        .filter(given_by__is_active=True)
        .first()
    )
    if approval is None or (approval.subject, approval.version) != (subject, on.version):
        raise DomainError("approval_refused", "This approval is not good for this (any more).", status=403)
    return approval


def signing(*, act: str, actor: Actor, second: Witness, reason: str = "") -> Sign:
    """A write that keeps both signatures under the entry that is about to be posted, and where they were
    given; an approval is used up by it."""

    def write(posted: Posted) -> None:
        Countersignature.objects.create(
            stream=posted.stream,
            seq=posted.seq,
            act=act,
            first_id=actor.staff_id,
            second_id=second.id,
            first_terminal_id=actor.terminal_id,
            second_terminal_id=second.terminal_id,
            first_address=actor.address,
            second_address=second.address,
            approval=second.approval,
            reason=reason,
            signed_at=posted.recorded_at,
            second_signed_at=second.signed_at or posted.recorded_at,
        )
        if second.approval is not None:
            second.approval.used_at = posted.recorded_at
            second.approval.save(update_fields=["used_at"])

    return write
