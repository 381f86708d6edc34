"""A profile like New Jersey's rules (N.J.A.C. 13:69D); no substitute for them, nor for advice on them."""

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

BY_ANOTHER_DEPARTMENT = SecondSigner(
    roles=frozenset({"pit_boss", "surveillance"}), independent=Independence.OF_DEALING
)
ON_THE_SPOT = (Told.PIT_BOSS, Told.SECURITY, Told.SURVEILLANCE)

NEW_JERSEY_LIKE_1 = Profile(
    name="new_jersey_like",
    version=1,
    released=date(2026, 11, 30),
    title="New Jersey-like",
    seconds={
        "session.open": SecondSigner(roles=RUNNING),
        "session.close": SecondSigner(roles=RUNNING),
        "round.void": BY_ANOTHER_DEPARTMENT,
        "pool.divide": SecondSigner(roles=RUNNING),
        "table.release": SecondSigner(roles=frozenset({"pit_boss", "surveillance"})),
        "entry.reverse": BY_ANOTHER_DEPARTMENT,
        "correction.post": BY_ANOTHER_DEPARTMENT,
        "round.correct": BY_ANOTHER_DEPARTMENT,
        "cage.commission": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "session.count_drop": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "day.close": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "office.profile": SecondSigner(roles=OFFICE_SECOND),
        **SLIPS,
        **floor_acts(frozenset({"pit_boss", "surveillance"})),
    },
    otherwise=SecondSigner(roles=frozenset({"pit_boss", "surveillance"})),
    tiers=(
        Tier(name="any", at_least=1, told=ON_THE_SPOT),
        Tier(name="signed_report", at_least=2_501, told=ON_THE_SPOT),
        Tier(name="regulator_copy", at_least=10_000, told=(*ON_THE_SPOT, Told.REGULATOR)),
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
        "seconds": (
            "N.J.A.C. 13:69D-1.21(c) and (d): dealer and supervisor count and sign the table's inventory; "
            "1.33: the drop is counted in the count room, apart from the pit. For the rest: " + OURS
        ),
        "tiers": (
            "N.J.A.C. 13:69D-1.21(e): any discrepancy is reported at once to whoever is in charge, security "
            "and surveillance; above $25 a signed report; from $100 a copy to the Division."
        ),
        "adjustments_above": "N.J.A.C. 13:69D: daily audit of the master game report, above $2,000.",
        "hold": f"{OURS} As Nevada has it.",
        "cash": TITLE_31_SOURCE,
        "retention_years": "N.J.A.C. 13:69D-1.8 asks for retention; the years are this project's.",
        "session_lock_seconds": LOCK,
        "allowed": PRACTICES,
    },
)
