"""What several profiles share: roles put together, and the United States' federal rules on cash."""

from tables.jurisdiction.profile import CashReporting, SecondSigner

RUNNING = frozenset({"supervisor", "pit_boss"})
WATCHED = RUNNING | {"surveillance"}
OFFICE_SECOND = frozenset({"surveillance", "auditor"})

# Fills and credits: the supervisor requests with the dealer and verifies with them, security carries.
SLIPS = {
    "fill.request": SecondSigner(roles=RUNNING),
    "fill.issue": SecondSigner(roles=frozenset({"security"})),
    "fill.receive": SecondSigner(roles=RUNNING),
    "credit.request": SecondSigner(roles=RUNNING),
    "credit.send": SecondSigner(roles=RUNNING),
    "credit.carry": SecondSigner(roles=frozenset({"security"})),
    "slip.enter": SecondSigner(roles=RUNNING | {"cage"}),
    "slip.void": SecondSigner(roles=WATCHED | {"cage"}),
    "slip.take_back": SecondSigner(roles=RUNNING | {"cage"}),
}


def floor_acts(seconds: frozenset[str]) -> dict[str, SecondSigner]:
    """What no public rule says who signs: these roles; for boxes security too, for names the office.

    A round that is voided after it was over is signed as every void is, and a relief by the dealer who comes.
    """
    acts = ("session.reopen", "table.rules", "toke.collect", "promo.stock", "promo.collect")
    return {
        **{act: SecondSigner(roles=seconds) for act in acts},
        "box.remove": SecondSigner(roles=seconds | {"security"}),
        "person.erase": SecondSigner(roles=OFFICE_SECOND | {"pit_boss"}),
    }


OURS = "Decided by this project; no public rule is followed."
LOCK = "GLI-19 v3.0: a dealer's screen locks after five minutes without input."
PRACTICES = f"{OURS} Money plays and markers stay closed until a house asks for a profile that opens them."

# 31 CFR 1021.311 and 1021.313: cash in, or cash out, of strictly more than $10,000 by one person in one
# gaming day. 1010.306(a)(1): reported within 15 days. 1021.320: suspicious from $5,000, within 30 days.
# The log is the house's own means of adding up; $3,000 is usual, Nevada's houses log from $2,500.
TITLE_31 = CashReporting(
    report_above=1_000_000,
    report_days=15,
    log_from=300_000,
    suspicious_from=500_000,
    suspicious_days=30,
)
TITLE_31_SOURCE = (
    "31 CFR 1021.311, 1021.313, 1010.306(a)(1), 1021.320; the log's threshold is the house's, as is usual."
)
