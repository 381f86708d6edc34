"""The floor in Django's admin: read-only pages by topic, and the few acts that are POST pages."""

from tables.admin import (
    approvals,
    cage,
    cash,
    days,
    drops,
    floor,
    journal,
    markers,
    people,
    promos,
    rounds,
    seals,
    sessions,
    slips,
    table_life,
    terminals,
)

__all__ = [
    "approvals",
    "cage",
    "cash",
    "days",
    "drops",
    "floor",
    "journal",
    "markers",
    "people",
    "promos",
    "rounds",
    "seals",
    "sessions",
    "slips",
    "table_life",
    "terminals",
]
