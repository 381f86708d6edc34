"""Which jurisdiction profile a house plays by: chosen for a gaming day that has not begun, under two
signatures, and kept with all choices before."""

import uuid
from datetime import date

from django.utils import timezone

from config.errors import DomainError
from tables.figures import gaming_day
from tables.jurisdiction.catalogue import PROFILES, newest, term
from tables.jurisdiction.profile import Profile
from tables.models import Casino
from tables.selectors.jurisdiction import profile_on
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office
from tables.services.signatures import Second, signed_by_two, somebody_employs

ACT = "office.profile"


def profile_set(
    *,
    casino_id: uuid.UUID,
    profile: str,
    version: int,
    effective_from: date,
    second: Second,
    command: Command,
) -> Answer:
    """Choose the profile a house plays by from a gaming day on.

    Args:
        profile, version: which of the released ones.
        effective_from: the first gaming day it holds for, by the date that day begins on.
        second: who signs with the actor, as the profile in force says.

    Raises:
        DomainError: `unknown_profile` (422); `profile_too_early` (422) for a gaming day that has begun;
            `no_signer` where nobody could sign for new staff under it; and those of `countersigner`.
    """

    def work(casino: Casino) -> Effect:
        chosen = _released(profile, version)
        today = gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour)
        if effective_from <= today:
            raise DomainError(
                "profile_too_early", f"Gaming day {today} has begun and keeps its profile.", status=422
            )
        somebody_employs(casino, chosen)
        witness, sign = signed_by_two(ACT, command, second, on=casino, subject=casino_id)
        before = profile_on(casino, effective_from)
        said = {
            "profile": chosen.name,
            "version": chosen.version,
            "digest": chosen.digest,
            "effective_from": effective_from.isoformat(),
        }
        casino.profiles = [*casino.profiles, term(chosen, effective_from)]
        return Effect(
            kind="profile.set",
            payload={
                **said,
                "instead_of": {"profile": before.name, "version": before.version},
                "second": str(witness.id),
            },
            write=sign,
            changed=["profiles"],
            body=lambda: said,
            status=201,
        )

    request = {
        "profile": profile,
        "version": version,
        "effective_from": effective_from.isoformat(),
        "second": second.number,
    }
    return execute(ACT, command, request, lock_office, casino_id, work)


def newest_profile(name: str) -> Profile:
    """The newest version of a profile.

    Raises:
        DomainError: `unknown_profile` (422).
    """
    try:
        return newest(name)
    except KeyError:
        raise DomainError("unknown_profile", f"There is no profile {name}.", status=422) from None


def _released(name: str, version: int) -> Profile:
    if (name, version) not in PROFILES:
        raise DomainError("unknown_profile", f"There is no profile {name} v{version}.", status=422)
    return PROFILES[name, version]
