"""A profile like Nevada's rules (Regulation 6, table games MICS); no substitute for them, nor for advice."""

from dataclasses import replace
from datetime import date

from tables.jurisdiction.common import (
    LOCK,
    OFFICE_SECOND,
    OURS,
    PRACTICES,
    RUNNING,
    SLIPS,
    TITLE_31,
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

APART = SecondSigner(roles=WATCHED, independent=Independence.OF_DEALING)

NEVADA_LIKE_1 = Profile(
    name="nevada_like",
    version=1,
    released=date(2026, 11, 30),
    title="Nevada-like",
    seconds={
        "session.open": SecondSigner(roles=RUNNING),
        "session.close": SecondSigner(roles=RUNNING),
        "round.void": APART,
        "pool.divide": SecondSigner(roles=RUNNING),
        "table.release": SecondSigner(roles=WATCHED),
        "entry.reverse": APART,
        "correction.post": APART,
        "round.correct": APART,
        "cage.commission": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "session.count_drop": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "day.close": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "office.profile": SecondSigner(roles=OFFICE_SECOND),
        **SLIPS,
        **floor_acts(WATCHED),
    },
    otherwise=SecondSigner(roles=WATCHED),
    tiers=(
        Tier(name="any", at_least=1, told=(Told.PIT_BOSS,)),
        Tier(name="signed_report", at_least=5_001, told=(Told.PIT_BOSS, Told.SURVEILLANCE, Told.AUDITOR)),
    ),
    adjustments_above=200_000,
    hold=HoldRule(
        kind=HoldKind.POINTS_FROM_BASE,
        threshold_bp=300,
        base=HoldBase.PREVIOUS_YEAR,
        window=HoldWindow.MONTH,
    ),
    cash=replace(TITLE_31, log_from=250_000),
    retention_years=5,
    session_lock_seconds=300,
    allowed=frozenset(),
    sources={
        "seconds": (
            "Nevada MICS, table games: two sign each inventory; the count is made by people independent of "
            "the pit. For the rest: " + OURS
        ),
        "tiers": OURS,
        "adjustments_above": f"{OURS} As New Jersey has it.",
        "hold": "Nevada MICS, table games: a month's hold more than three points from the year before.",
        "cash": "31 CFR 1021.311, 1021.313, 1010.306(a)(1), 1021.320; houses in Nevada log from $2,500.",
        "retention_years": "Nevada Gaming Commission Regulation 6: five years.",
        "session_lock_seconds": LOCK,
        "allowed": PRACTICES,
    },
)
