"""The generic profile of a house that gives credit at its tables; nothing else differs from it."""

from dataclasses import replace

from tables.jurisdiction.common import OURS
from tables.jurisdiction.generic import GENERIC_1
from tables.jurisdiction.profile import Practice

GENERIC_MARKERS_1 = replace(
    GENERIC_1,
    name="generic_markers",
    title="Generic, with markers",
    allowed=frozenset({Practice.MARKERS}),
    sources={**GENERIC_1.sources, "allowed": f"{OURS} Markers are open, money plays stay closed."},
)
