"""What a jurisdiction profile is made of; standard library only, so that auditors can use it as it is.

A profile is data: thresholds, signatories, periods. Amounts are minor units of a currency that has a
hundred of them; a house whose currency has none takes the figures as they stand. Who is meant by a role is
written as `tables.models.Role` writes it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Any


class Independence(StrEnum):
    """From what the second person under an act must be apart.

    Attributes:
        OF_ACTOR: from whoever acts; no two signatures are ever one person's.
        OF_DEALING: also from the dealing: has dealt no round of the table's open session.
        OF_SESSION: from all of it: has neither acted nor signed at the table since its opening, as
            surveillance or another pit's supervisor has not.
    """

    OF_ACTOR = "of_actor"
    OF_DEALING = "of_dealing"
    OF_SESSION = "of_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondSigner:
    """Who signs an act as the second.

    Attributes:
        roles: who may.
        independent: from what they must be apart.
        other_device: whether they must sign at a device of their own; otherwise two may sign at one.
    """

    roles: frozenset[str]
    independent: Independence = Independence.OF_ACTOR
    other_device: bool = False


class Told(StrEnum):
    """Who must be told of a difference."""

    PIT_BOSS = "pit_boss"
    SURVEILLANCE = "surveillance"
    SECURITY = "security"
    AUDITOR = "auditor"
    REGULATOR = "regulator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """How grave a difference of a count is, and what it asks for.

    Attributes:
        name: `any`, `signed_report` or `regulator_copy`.
        at_least: minor units, whichever way the difference goes.
        told: who must be told.
    """

    name: str
    at_least: int
    told: tuple[Told, ...]


class HoldKind(StrEnum):
    """How a hold is judged."""

    POINTS_FROM_BASE = "points_from_base"


class HoldWindow(StrEnum):
    """The time whose hold is judged."""

    MONTH = "month"
    ROLLING_30_DAYS = "rolling_30_days"


class HoldBase(StrEnum):
    """What it is compared with."""

    LIFETIME = "lifetime"
    PREVIOUS_YEAR = "previous_year"


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRule:
    """When a table's hold must be investigated.

    Attributes:
        threshold_bp: hundredths of a percentage point; only what lies further off is investigated.
    """

    kind: HoldKind
    threshold_bp: int
    base: HoldBase
    window: HoldWindow

    def broken_by(self, *, hold: Fraction, base: Fraction) -> bool:
        """Whether a hold (win by drop) lies strictly further from its base than the rule allows."""
        return abs(hold - base) > Fraction(self.threshold_bp, 10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class CashReporting:
    """Cash of one person in one gaming day, in and out each for itself, table and cage together.

    Attributes:
        report_above: a report is due for strictly more (minor units).
        report_days: within how many days.
        log_from: transactions from here on go into the multiple-transaction log.
        suspicious_from: what is suspicious is reported from here on.
        suspicious_days: within how many days.
    """

    report_above: int
    report_days: int
    log_from: int
    suspicious_from: int
    suspicious_days: int

    def report_due(self, total: int) -> bool:
        """Whether the cash a person brought, or took, in one gaming day must be reported."""
        return total > self.report_above


class Practice(StrEnum):
    """What a house may do only where its profile says so."""

    MONEY_PLAYS = "money_plays"
    MARKERS = "markers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One version of one jurisdiction's demands; once released it never changes.

    Attributes:
        name, version: what identifies it.
        released: since when this version has been on offer.
        title: what people call it.
        seconds: by act, who signs it as the second.
        otherwise: the same for an act that no line of `seconds` names.
        tiers: of count differences, mildest first.
        adjustments_above: corrections of strictly more are listed in the daily audit (minor units).
        hold: when a hold is investigated.
        cash: what cash is reported.
        retention_years: how long everything that recreates play is kept.
        session_lock_seconds: after how long without input a terminal locks.
        allowed: practices that are open; all others are refused.
        sources: by field, the public rule it follows, or that it is this project's own decision.
    """

    name: str
    version: int
    released: date
    title: str
    seconds: Mapping[str, SecondSigner]
    otherwise: SecondSigner
    tiers: tuple[Tier, ...]
    adjustments_above: int
    hold: HoldRule
    cash: CashReporting
    retention_years: int
    session_lock_seconds: int
    allowed: frozenset[Practice]
    sources: Mapping[str, str]

    def second(self, act: str) -> SecondSigner:
        """Who signs an act as the second."""
        return self.seconds.get(act, self.otherwise)

    def tier(self, difference: int) -> Tier | None:
        """The gravest tier a difference (minor units, of either sign) reaches; None for no difference."""
        reached = [tier for tier in self.tiers if abs(difference) >= tier.at_least]
        return reached[-1] if reached else None

    def allows(self, practice: Practice) -> bool:
        """Whether a practice is open to the house."""
        return practice in self.allowed

    @property
    def as_json(self) -> dict[str, Any]:
        """The whole profile as JSON values."""
        plain: dict[str, Any] = _plain(self)
        return plain

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of the whole profile as compact JSON with sorted keys."""
        text = json.dumps(self.as_json, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    """A value of a profile as JSON has it: sets sorted, dates by their ISO names."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, StrEnum) else value
