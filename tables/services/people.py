"""What is known of people beside the journal, which knows their ids: described, and erased when it is time.

Erasing empties the row and keeps its id, so that no entry, no hash and no balance changes. It may be done
when the profile's years of retention since the journal's last word of the person are over, or sooner where
the law asks for it; two sign. Texts about people never enter an entry, an answer or a refusal, and only a
keyed digest of them the fingerprint of a command.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from config.errors import DomainError
from ledger.services import Posted
from tables.figures import gaming_day
from tables.models import CashTotal, Casino, Marker, Player, Seat, SignIn, Staff
from tables.selectors.jurisdiction import profile_now
from tables.selectors.people import last_mentioned
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found
from tables.services.signatures import Second, not_the_last, signed_by_two

RETENTION_OVER, LEGAL_REQUEST = "retention_over", "legal_request"
REASONS = (RETENTION_OVER, LEGAL_REQUEST)
ERASE = "person.erase"


def keyed(text: str) -> str:
    """A digest of a text about somebody, which tells nothing to whoever has not the site's secret key."""
    return salted_hmac("tables.people", text, algorithm="sha256").hexdigest()


def person_describe(*, casino_id: uuid.UUID, description: str, command: Command) -> Answer:
    """Describe somebody unknown (sex, age, appearance), so that their cash can be told from others'.

    Raises:
        DomainError: `description_missing` (422).
    """

    def work(casino: Casino) -> Effect:
        if not description.strip():
            raise DomainError("description_missing", "Say how to know this person again.", status=422)
        person = Player(casino=casino, description=description.strip())
        said = {"player": str(person.id)}
        return Effect(
            kind="person.describe",
            payload=said,
            write=lambda posted: person.save(force_insert=True),
            body=lambda: said,
            status=201,
        )

    request = {"description": keyed(description)}
    return execute("person.describe", command, request, lock_office, casino_id, work)


def person_erase(
    *, casino_id: uuid.UUID, player_id: uuid.UUID, reason: str, second: Second, command: Command
) -> Answer:
    """Erase what is known of a player or a described person, and of whoever was found to be the same.

    Args:
        reason: `retention_over`, or `legal_request` for sooner.
        second: who signs with the actor.

    Raises:
        DomainError: `player_not_found`, `person_erased`, `person_present` (seated), `cash_report_open` (a
            report that is due needs the name), `marker_open` (so does a debt), `bad_reason` (422),
            `retention_runs` with the `earliest` day, and those of `countersigner`.
    """
    asked = Player.objects.filter(id=player_id, casino_id=casino_id).first()
    root = asked and (asked.same_as_id or asked.id)
    group = Player.objects.filter(Q(id=root) | Q(same_as=root)) if root else Player.objects.none()
    ids = list(group.values_list("id", flat=True))
    mentioned = _last_day(casino_id, ids)

    def check(casino: Casino) -> None:
        if asked is None:
            raise not_found("player")
        if asked.erased_at is not None:
            raise DomainError("person_erased", "This was done before.")
        if Seat.objects.filter(player__in=ids).exists():
            raise DomainError("person_present", "This person sits at a table.")
        if any(total.is_due for total in CashTotal.objects.filter(person__in=ids)):
            raise DomainError("cash_report_open", "A cash report on this person is still to be filed.")

    def write(posted: Posted) -> None:
        Player.objects.filter(id__in=ids).update(reference="", description="", erased_at=posted.recorded_at)
        # Now that the rows are held: a table may have been lending to this person at the same moment.
        if Marker.objects.filter(player__in=ids, redeemed_seq=None).exists():
            raise DomainError("marker_open", "A marker of this person's is still to be paid.")

    said = {"players": sorted(map(str, ids))}
    return _erase(casino_id, player_id, said, reason, mentioned, second, command, check, write)


def staff_erase(
    *, casino_id: uuid.UUID, staff_id: uuid.UUID, reason: str, second: Second, command: Command
) -> Answer:
    """Erase the name of somebody who worked here, and end their access; the badge's number stays.

    Args:
        reason, second: as in `person_erase`.

    Raises:
        DomainError: `staff_not_found`, `person_erased`, `person_present` (signed in), `last_signer`,
            `bad_reason` (422), `retention_runs` with the `earliest` day, and those of `countersigner`.
    """
    mentioned = _last_day(casino_id, [staff_id])

    def check(casino: Casino) -> None:
        person = Staff.objects.filter(id=staff_id, casino=casino).first()
        if person is None:
            raise not_found("staff")
        if person.erased_at is not None:
            raise DomainError("person_erased", "This was done before.")
        if SignIn.objects.filter(staff=person, ended_at=None).exists():
            raise DomainError("person_present", "This person is signed in at a terminal.")
        not_the_last(casino, person)

    def write(posted: Posted) -> None:
        Staff.objects.filter(id=staff_id).update(
            display_name="",
            pin="",
            password=make_password(None),
            is_active=False,
            erased_at=posted.recorded_at,
        )

    said = {"staff": str(staff_id)}
    return _erase(casino_id, staff_id, said, reason, mentioned, second, command, check, write)


def _last_day(casino_id: uuid.UUID, ids: Sequence[uuid.UUID]) -> date | None:
    """The gaming day of the journal's last word of these ids; it takes long, so nothing is locked yet."""
    casino = Casino.objects.filter(id=casino_id).first()
    if casino is None or not ids:
        return None
    at = last_mentioned(casino, ids)
    return at and gaming_day(at, casino.time_zone, casino.rollover_hour)


def _erase(
    casino_id: uuid.UUID,
    subject: uuid.UUID,
    said: Mapping[str, Any],
    reason: str,
    mentioned: date | None,
    second: Second,
    command: Command,
    check: Callable[[Casino], None],
    write: Callable[[Posted], None],
) -> Answer:
    """One erasure: an entry in the office's stream that says whose by id, why, and that two signed."""

    def work(casino: Casino) -> Effect:
        check(casino)
        today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
        earliest = years_after(mentioned or today, profile_now(casino).retention_years)
        _allowed(reason, earliest, today)
        witness, sign = signed_by_two(ERASE, command, second, on=casino, subject=subject, reason=reason)

        def erase(posted: Posted) -> None:
            write(posted)
            sign(posted)

        told = {**said, "reason": reason, "earliest": earliest.isoformat()}
        return Effect(
            kind=ERASE, payload={**told, "second": str(witness.id)}, write=erase, body=lambda: dict(told)
        )

    request = {"subject": str(subject), "reason": reason, "second": second.number}
    return execute(ERASE, command, request, lock_office, casino_id, work)


def years_after(day: date, years: int) -> date:
    """The same day some years later; the first of March where there is no 29th of February."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)


def _allowed(reason: str, earliest: date, today: date) -> None:
    if reason not in REASONS:
        raise DomainError("bad_reason", f"The reason is one of {', '.join(REASONS)}.", status=422)
    if reason == RETENTION_OVER and today < earliest:
        raise DomainError(
            "retention_runs",
            f"What is known of this person is kept until {earliest}.",
            earliest=earliest.isoformat(),
        )
