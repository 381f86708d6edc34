"""Every route of the API with a body it takes: what the tests over all routes go through."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern

from config.urls import api
from tables.models import Role
from tests import floor
from tests.api.conftest import Place

SEAT = 3
ANYTHING = str(uuid.UUID(int=7))
LONG_AGO = "2001-01-01"
SCHEDULE = {"form": "csv", "hour": None, "destination": "folder", "folder": "daily"}


def listed() -> Iterator[tuple[str, str]]:
    """(method, route) of everything the API answers, but for its own description."""
    for pattern in api:
        assert isinstance(pattern, URLPattern), "routes are flat"
        for method in getattr(pattern.callback, "cls").acts if _is_ours(pattern) else ():  # noqa: B009
            yield method, str(pattern.pattern)


def _is_ours(pattern: URLPattern) -> bool:
    return pattern.name not in ("schema", "docs")


@dataclass(frozen=True)
class Targets:
    """The ids that go into paths."""

    table: str
    round: str
    session: str
    slip: str = ANYTHING
    entry: str = ANYTHING
    box: str = ANYTHING

    def path(self, route: str) -> str:
        """The path of a route."""
        named = {
            "<uuid:table_id>": self.table,
            "<uuid:round_id>": self.round,
            "<uuid:session_id>": self.session,
            "<uuid:slip_id>": self.slip,
            "<uuid:entry_id>": self.entry,
            "<uuid:player_id>": ANYTHING,
            "<uuid:report_id>": ANYTHING,
            "<uuid:transaction_id>": ANYTHING,
            "<uuid:box_id>": self.box,
            "<uuid:marker_id>": ANYTHING,
            "<int:seat>": str(SEAT),
            "<str:stream>": f"table:{self.table}",
            "<str:account>": "tray",
            "<int:size>": "1",
            "<day:gaming_day>": LONG_AGO,
            "<uuid:export_id>": ANYTHING,
            "<uuid:schedule_id>": ANYTHING,
            "<slug:name>": "mine",
        }
        for part, value in named.items():
            route = route.replace(part, value)
        return route


def body_for(method: str, route: str, place: Place) -> dict[str, Any]:
    """A body of the right shape for a route."""
    second = place.badge(Role.SUPERVISOR)
    runner, chips = place.badge(Role.SECURITY), {"100": 1}
    by_end: dict[str, dict[str, Any]] = {
        "/fills": {"chips": chips, "second": second},
        "/credits": {"chips": chips, "second": second},
        "cage/credits/<uuid:slip_id>/issue": {},
        "/issue": {"chips": chips, "runner": runner},
        "cage/credits/<uuid:slip_id>/receipt": {"chips": chips},
        "/receipt": {"chips": chips, "second": second},
        "/dispatch": {"chips": chips, "second": second, "runner": runner},
        "/slips/<uuid:slip_id>/void": {"reason": "torn", "second": second},
        "/return": {"chips": chips, "second": second},
        "/refusal": {"reason": "no chips"},
        "cage/slips": {
            "kind": "fill",
            "number": 1,
            "table": str(place.table.id),
            "chips": chips,
            "occurred_at": "2026-01-01T12:00:00Z",
            "second": place.badge(Role.PIT_BOSS),
        },
        "sign-ins/current/pin": {"old": "0000", "new": "1111"},
        "approvals": {"act": "session.open", "subject": str(place.table.id), "badge": second},
        "/sessions": {"opener": floor.CHIPS, "second": second},
        "<day:gaming_day>/closure": {"second": place.badge(Role.PIT_BOSS)},
        "/closure": {"closer": floor.CHIPS, "second": second},
        "/box-removal": {"box": 1, "second": place.badge(Role.PIT_BOSS)},
        "/first-count": {"notes": {"10000": 1}},
        "/second-count": {"notes": {"10000": 1}},
        "/recount": {"notes": {"10000": 1}, "second": place.badge(Role.PIT_BOSS)},
        "/occupation": {"cash": 1000, "chips": 0} if method == "POST" else {},
        "/buy-ins": {"cash": 1000},
        "/burns": {"reason": "other"},
        "/rounds": {"bets": {"1": 1000}},
        "/bets": {"bets": {"1": 1000}},
        "/cards": {"cards": ["8S"]},
        "/announcement": {"spread": 5},
        "/raises": {"raises": {"1": 1000}},
        "/reversal": {"reason": "other", "second": second},
        "/corrections": {
            "seat": 1,
            "amount": 100,
            "direction": "to_seat",
            "reason": "other",
            "second": second,
        },
        "/mispayments/correction": {"seat": 1},
        "/correction": {"cards": ["8S", "9S"], "reason": "other", "second": second},
        "/reopening": {"reason": "the wrong table", "second": second},
        "/rules": {"rules": ANYTHING, "reason": "other limits", "second": second},
        "/changes": {"into_tray": {"500": 5}, "out_of_tray": {"2500": 1}},
        "/cash-outs": {"amount": 1000},
        "/rejected-chips": {"kind": "foreign", "pieces": {"500": 1}, "note": "red", "second": second},
        "cage/promotions/stock": {"pieces": {"2500": 4}, "second": place.badge(Role.PIT_BOSS)},
        "cage/promotions": {"player": ANYTHING, "pieces": {"MP-1": 2500}},
        "/promotions": {"coupons": ["MP-1"], "second": second},
        "<int:seat>/markers": {"amount": 1000, "second": second},
        "<uuid:marker_id>/redemption": {"tender": "cash"},
        "cage/credit-limits": {
            "player": ANYTHING,
            "limit": 1000,
            "reason": "raised",
            "second": place.badge(Role.PIT_BOSS),
        },
        "<int:seat>/tokes": {"amount": 1000},
        "/tokes": {"chips": {"100": 1}, "second": second},
        "/relief": {"relief": second, "count": None},
        "/cancellation": {"reason": "misdeal", "second": second},
        "/void": {"reason": "misdeal", "second": second},
        "/freeze": {"reason": "a quarrel"},
        "/release": {"reason": "settled", "second": second},
        "/passes": {"seat": 1, "kind": "forfeit"},
        "/shows": {"seat": 1},
        "/mispayments": {"seat": 1, "kind": "taken", "amount": 100},
        "/pool-division": {"second": second},
        "cage/chips": {"chips": {"100": 1}, "second": place.badge(Role.PIT_BOSS)},
        "cage/cash": {"amount": 1000},
        "cage/redemptions": {"chips": {"100": 1}},
        "cage/sales": {"chips": {"100": 1}},
        "/other-tender": {"kind": "money_play", "amount": 1000},
        "people": {"description": "a player"},
        "/identity": {"same_as": ANYTHING},
        "/person": {"player": ANYTHING},
        "/filing": {"reference": "2026-1"},
        "exports": {"kind": "rounds", "form": "csv"},
        "saved-filters/<slug:name>": {"filter": {"seat": 1}},
        "export-schedules": SCHEDULE,
        "export-schedules/<uuid:schedule_id>": SCHEDULE | {"active": True},
    }
    return next((body for end, body in by_end.items() if route.endswith(end)), {})
