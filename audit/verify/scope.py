"""Whether a bundle holds what it is said to be about, and sessions are of the days they were opened on."""

from datetime import timedelta

from audit.verify.manifest import SCOPES, Manifest
from audit.verify.report import Findings
from audit.verify.walked import Walked
from tables.figures import gaming_day

CLOCKS_APART = timedelta(minutes=1)
"""A day is told by the house's clock, and recorded by the database's."""


def check_scope(manifest: Manifest, walked: Walked, findings: Findings) -> None:
    """Compare the scope with the sessions and rounds the entries give."""
    scope = manifest.scope
    kind = scope["kind"]
    named = scope[SCOPES[kind]]
    tables = walked.judges
    met = {
        "day": bool(tables) and all(named in _days(walked, stream) for stream in tables),
        "table": list(tables) == [f"table:{named}"],
        "session": len(tables) == 1 and any(named in judge.sessions for judge in tables.values()),
        "round": len(tables) == 1 and all(judge.last_round == named for judge in tables.values()),
    }
    if not met[kind]:
        findings.add("scope_not_met", f"it is said to be about the {kind} {named}")
    if scope["whole"] and any(span.first != 1 for span in manifest.spans):
        findings.add("scope_not_met", "its streams are said to begin with their first entries")


def check_days(walked: Walked, findings: Findings) -> None:
    """Compare the gaming day of each session with the moment of its opening, and that of cash which is taken
    back with when it was brought: money is never re-dated."""
    casino = walked.derived["casino"]
    if not casino:
        return
    told = [
        (name, one.opened_seq, one.gaming_day.isoformat(), one.opened_at) for name, one in walked.sessions
    ]
    for name, judge in walked.judges.items():
        told += [(name, seq, day, at) for seq, day, at in judge.taken_back]
    for stream, seq, day, at in told:
        try:
            moments = (at - CLOCKS_APART, at + CLOCKS_APART)
            days = {gaming_day(each, casino["time_zone"], casino["rollover_hour"]) for each in moments}
        except (KeyError, TypeError, ValueError, OverflowError):
            findings.remark("days_unknown", "of when they were opened nothing is told", "")
            return
        if day not in {each.isoformat() for each in days}:
            detail = f"{day} is not the day of {at.isoformat()}"
            findings.add("gaming_day_differs", detail, stream, seq)


def _days(walked: Walked, stream: str) -> set[str]:
    return {one.gaming_day.isoformat() for one in walked.judges[stream].sessions.values()}
