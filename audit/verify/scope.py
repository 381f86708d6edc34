"""Whether a bundle holds what it is said to be about."""

from audit.verify.manifest import SCOPES, Manifest
from audit.verify.report import Findings
from audit.verify.walked import Walked


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


def _days(walked: Walked, stream: str) -> set[str]:
    return {one.gaming_day.isoformat() for one in walked.judges[stream].sessions.values()}
