"""A jurisdiction profile as people read it."""

from collections.abc import Iterator

from django.utils.safestring import SafeString

from tables.admin.text import amount_text, part, words
from tables.jurisdiction.profile import Independence, Profile, SecondSigner

APART = {
    Independence.OF_ACTOR: "",
    Independence.OF_DEALING: "has dealt nothing in the session",
    Independence.OF_SESSION: "had no hand in the session",
}


def profile_table(profile: Profile, currency: str) -> SafeString:
    """Its thresholds and periods, and who signs what as the second."""
    signers = [(words(act.replace(".", ": ")), *_signer(who)) for act, who in sorted(profile.seconds.items())]
    return part(
        "profile",
        rules=list(_rules(profile, currency)),
        signers=[*signers, ("any other act", *_signer(profile.otherwise))],
    )


def _rules(profile: Profile, currency: str) -> Iterator[tuple[str, str]]:
    def told(amount: int) -> str:
        return f"{amount_text(amount, currency)} {currency}"

    cash = profile.cash
    yield "cash report", f"above {told(cash.report_above)} a day, within {cash.report_days} days"
    yield "multiple-transaction log", f"from {told(cash.log_from)}"
    yield "suspicious activity", f"from {told(cash.suspicious_from)}, within {cash.suspicious_days} days"
    for tier in profile.tiers:
        whom = ", ".join(words(who) for who in tier.told)
        yield f"count difference, {words(tier.name)}", f"from {told(tier.at_least)}: {whom}"
    yield "adjustments listed", f"above {told(profile.adjustments_above)}"
    yield "records kept", f"{profile.retention_years} years"
    yield "a terminal locks", f"after {profile.session_lock_seconds} seconds without input"
    yield "practices open", ", ".join(sorted(map(words, profile.allowed))) or "none"


def _signer(who: SecondSigner) -> tuple[str, str]:
    apart = [APART[who.independent], "at a device of their own" if who.other_device else ""]
    return ", ".join(sorted(map(words, who.roles))), ", ".join(filter(None, apart))
