"""The profile a house has that has not chosen another: sound practice, no one regulator's rules."""

from datetime import date

from tables.jurisdiction.common import (
    LOCK,
    OFFICE_SECOND,
    OURS,
    PRACTICES,
    RUNNING,
    SLIPS,
    TITLE_31,
    TITLE_31_SOURCE,
    WATCHED,
    floor_acts,
)
from tables.jurisdiction.profile import (
    HoldBase,
    HoldKind,
    HoldRule,
    HoldWindow,
    Independence,
    Profile,
    SecondSigner,
    Tier,
    Told,
)

GENERIC_1 = Profile(
    name="generic",
    version=1,
    released=date(2026, 11, 30),
    title="Generic",
    seconds={
        "session.open": SecondSigner(roles=RUNNING),
        "session.close": SecondSigner(roles=RUNNING),
        "round.void": SecondSigner(roles=WATCHED, independent=Independence.OF_DEALING),
        "pool.divide": SecondSigner(roles=RUNNING),
        "table.release": SecondSigner(roles=WATCHED),
        "entry.reverse": SecondSigner(roles=WATCHED),
        "correction.post": SecondSigner(roles=WATCHED),
        "round.correct": SecondSigner(roles=WATCHED),
        "cage.commission": SecondSigner(roles=frozenset({"cage", "pit_boss"})),
        "session.count_drop": SecondSigner(roles=frozenset({"cage", "pit_boss", "auditor"})),
        "day.close": SecondSigner(roles=frozenset({"cage", "pit_boss", "auditor"})),
        "office.profile": SecondSigner(roles=OFFICE_SECOND),
        **SLIPS,
        **floor_acts(WATCHED),
    },
    otherwise=SecondSigner(roles=WATCHED),
    tiers=(
        Tier(name="any", at_least=1, told=(Told.PIT_BOSS,)),
        Tier(name="signed_report", at_least=2_501, told=(Told.PIT_BOSS, Told.SURVEILLANCE, Told.AUDITOR)),
    ),
    adjustments_above=200_000,
    hold=HoldRule(
        kind=HoldKind.POINTS_FROM_BASE,
        threshold_bp=300,
        base=HoldBase.PREVIOUS_YEAR,
        window=HoldWindow.MONTH,
    ),
    cash=TITLE_31,
    retention_years=10,
    session_lock_seconds=300,
    allowed=frozenset(),
    sources={
        "seconds": f"{OURS} A void is signed by somebody who has not dealt, after Ohio Adm. Code 3772-10-05.",
        "tiers": "After N.J.A.C. 13:69D-1.21(e), without a regulator to tell.",
        "adjustments_above": "After New Jersey's daily audit of the master game report.",
        "hold": "As Kansas and Nevada have it: more than three points in a month.",
        "cash": TITLE_31_SOURCE,
        "retention_years": "The longest of the five to ten years regulators ask for.",
        "session_lock_seconds": LOCK,
        "allowed": PRACTICES,
    },
)
