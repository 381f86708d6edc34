"""The generic profile of a house that gives credit at its tables and lets currency be bet there."""

from dataclasses import replace

from tables.jurisdiction.common import OURS
from tables.jurisdiction.generic import GENERIC_1
from tables.jurisdiction.profile import Practice

CASH = (
    "Of money plays 31 CFR 1021.311(a)(5) and (c)(2); which currency is the same as before is decided by this"
    " project."
)

GENERIC_MARKERS_MONEY_PLAYS_1 = replace(
    GENERIC_1,
    name="generic_markers_money_plays",
    title="Generic, with markers and money plays",
    allowed=frozenset({Practice.MARKERS, Practice.MONEY_PLAYS}),
    sources={
        **GENERIC_1.sources,
        "allowed": f"{OURS} Markers and money plays are open.",
        "cash": f"{GENERIC_1.sources['cash']} {CASH}",
    },
)
