"""Every released version of every profile, and which of them a house plays by on a gaming day."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tables.jurisdiction.generic import GENERIC_1
from tables.jurisdiction.generic_markers import GENERIC_MARKERS_1
from tables.jurisdiction.generic_markers_money_plays import GENERIC_MARKERS_MONEY_PLAYS_1
from tables.jurisdiction.nevada_like import NEVADA_LIKE_1
from tables.jurisdiction.new_jersey_like import NEW_JERSEY_LIKE_1
from tables.jurisdiction.ohio_like import OHIO_LIKE_1
from tables.jurisdiction.profile import Profile

# A version that was ever in force stays here for ever, and unchanged: a test holds each by its digest.
PROFILES: dict[tuple[str, int], Profile] = {
    (profile.name, profile.version): profile
    for profile in (
        GENERIC_1,
        NEW_JERSEY_LIKE_1,
        NEVADA_LIKE_1,
        OHIO_LIKE_1,
        GENERIC_MARKERS_1,
        GENERIC_MARKERS_MONEY_PLAYS_1,
    )
}
DEFAULT = GENERIC_1.name
NAMES = tuple(dict.fromkeys(name for name, _ in PROFILES))
ACTS = tuple(dict.fromkeys(act for profile in PROFILES.values() for act in profile.seconds))
# What two sign: the acts profiles name, and those left to whoever a profile names for any other.
SIGNED = (*ACTS, "chips.reject", "marker.issue", "cage.credit_limit", "staff.create", "staff.reset")
# What a profile names once and is done at a table or at the cage: the name of it there.
AT_CAGE = {"slip.void": "cage.void_slip", "slip.take_back": "cage.take_back"}
# What may be signed beforehand, elsewhere: not who is employed or given a new password, for an approval says
# of which house it is, and not of whom.
APPROVED = (*(act for act in SIGNED if not act.startswith("staff.")), *AT_CAGE.values())
# Roles that some profile lets sign something as the second, be it the house's own or not: it may be one day;
# and dealers, who sign as the one who comes when a table is handed over.
SIGNERS = frozenset(
    role
    for profile in PROFILES.values()
    for rule in (*profile.seconds.values(), profile.otherwise)
    for role in rule.roles
) | {"dealer"}


def newest(name: str) -> Profile:
    """The newest version of a profile.

    Raises:
        KeyError: when there is no profile of that name.
    """
    return PROFILES[name, max((version for known, version in PROFILES if known == name), default=0)]


def term(profile: Profile, since: date) -> dict[str, Any]:
    """What a house keeps of a choice: which profile in which version, and from which gaming day on."""
    return {"from": since.isoformat(), "name": profile.name, "version": profile.version}


def in_force(terms: Sequence[Mapping[str, Any]], day: date) -> Profile:
    """The profile a house plays by on a gaming day.

    Args:
        terms: the house's choices, as `term` makes them, in the order they were made. Of those that begin
            on one day the last holds. Before the first of them the house has the generic profile's first
            version, as one that never chose.
        day: the gaming day.
    """
    begun = [kept for kept in terms if kept["from"] <= day.isoformat()]
    if not begun:
        return GENERIC_1
    latest = max(kept["from"] for kept in begun)
    chosen = [kept for kept in begun if kept["from"] == latest][-1]
    return PROFILES[chosen["name"], chosen["version"]]
