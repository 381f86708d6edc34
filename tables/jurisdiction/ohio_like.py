"""A profile like Ohio's rules (Ohio Adm. Code 3772); no substitute for them, nor for advice on them."""

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

OF_ANOTHER_PLACE = SecondSigner(roles=WATCHED, independent=Independence.OF_SESSION, other_device=True)

OHIO_LIKE_1 = Profile(
    name="ohio_like",
    version=1,
    released=date(2026, 11, 30),
    title="Ohio-like",
    seconds={
        "session.open": SecondSigner(roles=RUNNING),
        "session.close": SecondSigner(roles=RUNNING),
        "round.void": OF_ANOTHER_PLACE,
        "pool.divide": SecondSigner(roles=RUNNING),
        "table.release": SecondSigner(roles=WATCHED),
        "entry.reverse": OF_ANOTHER_PLACE,
        "correction.post": OF_ANOTHER_PLACE,
        "round.correct": OF_ANOTHER_PLACE,
        "cage.commission": SecondSigner(roles=frozenset({"cage", "pit_boss", "auditor"})),
        "session.count_drop": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "day.close": SecondSigner(roles=frozenset({"cage", "auditor"})),
        "office.profile": SecondSigner(roles=OFFICE_SECOND),
        **SLIPS,
        **floor_acts(WATCHED),
    },
    otherwise=SecondSigner(roles=WATCHED),
    tiers=(
        Tier(name="any", at_least=1, told=(Told.PIT_BOSS, Told.SURVEILLANCE)),
        Tier(name="signed_report", at_least=2_501, told=(Told.PIT_BOSS, Told.SURVEILLANCE, Told.AUDITOR)),
    ),
    adjustments_above=200_000,
    hold=HoldRule(
        kind=HoldKind.POINTS_FROM_BASE,
        threshold_bp=400,
        base=HoldBase.LIFETIME,
        window=HoldWindow.ROLLING_30_DAYS,
    ),
    cash=TITLE_31,
    retention_years=5,
    session_lock_seconds=300,
    allowed=frozenset(),
    sources={
        "seconds": (
            "Ohio Adm. Code 3772-10-05(D): who voids and another person independent of the transaction sign, "
            "with the reason. That this person signs at a device of their own is this project's reading."
        ),
        "tiers": f"{OURS} After N.J.A.C. 13:69D-1.21(e).",
        "adjustments_above": f"{OURS} As New Jersey has it.",
        "hold": "Ohio Adm. Code 3772-10-08(A): per table, thirty days against its lifetime, above 4 percent.",
        "cash": TITLE_31_SOURCE,
        "retention_years": "Ohio Adm. Code 3772-1-07(A): five years.",
        "session_lock_seconds": LOCK,
        "allowed": PRACTICES,
    },
)
