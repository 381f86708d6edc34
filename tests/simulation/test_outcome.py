"""A day is in order only if everything is: each thing that is not is named, and shows on the page."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.pieces import PlaySums
from audit.report import DayReport, Line
from config.floor.outcome import MUST_HAPPEN, Bundle, Closing, Outcome, Pair, shortcomings
from config.floor.page import money, percent, render
from tables.simulation.world import Attempt

DAY = date(2026, 11, 30)


def line(code: str, **figures: Any) -> Line:
    known: dict[str, Any] = {
        "packs": 1,
        "card_source": "drawn",
        "sessions": 1,
        "drop": 50_000,
        "win": 4_000,
        "entries": 80,
        "movements": 120,
    }
    played: dict[str, Any] = {"rounds": 9, "voided": 1, "handle": 90_000, "actual": Fraction(10_001, 4)}
    sums = {name: figures.pop(name, usual) for name, usual in played.items()}
    return Line(code=code, play=PlaySums(**sums), **(known | figures))


def outcome(*, lines: list[Line] | None = None, total: Line | None = None, **other: Any) -> Outcome:
    shown = lines or [line("T1"), line("T2", packs=8, card_source="scanned")]
    known: dict[str, Any] = {
        "wanted": {"T1": 10, "T2": 10},
        "games": {"T1": "red_dog", "T2": "high_card_pool"},
        "reports": [
            DayReport(
                "A house", "USD", date(2026, 11, 30), shown, total or line("all", rounds=18, voided=2), []
            )
        ],
        "pairs": {"vault": Pair(7, 7)},
        "missing_chips": 0,
        "unbalanced": [],
        "attempts": [Attempt("wrong PIN", "T1", "403 x", "403 x", True)],
        "happened": dict.fromkeys(MUST_HAPPEN, 2),
        "unreconciled": 0,
        "journal_findings": 0,
        "findings": [],
        "rounds_resettled": 20,
        "exported": {"csv": 20, "jsonl": 20},
        "closings": {DAY: Closing(4711)},
        "bundles": {DAY: Bundle(Path("/bundles/day.zip"), is_verified=True, said="VERIFIED")},
    }
    return Outcome(**(known | other))


def page(shown: Outcome) -> str:
    return render(shown, seed="s", seconds=1.0, exports="/exports", note="staged: nothing")


def test_a_day_in_order_has_no_shortcomings() -> None:
    assert shortcomings(outcome()) == []
    assert "Every chip is accounted for." in page(outcome())
    sealed = "gaming day 2026-11-30 under two signatures, sealed by the checkpoint of 4,711 entries"
    assert sealed in page(outcome())
    assert "/bundles/day.zip (verified there, offline)" in page(outcome())


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"wanted": {"T1": 10, "T2": 11}}, "T2: 10 rounds were played, not 11"),
        ({"pairs": {"vault": Pair(7, 6)}}, "vault: 7 by the books, 6 by hand"),
        ({"missing_chips": 100}, "chips worth 100 minor units are unaccounted for"),
        ({"unbalanced": ["cash_not_conserved"]}, "the house does not add up: cash_not_conserved"),
        ({"attempts": []}, "nothing was refused"),
        (
            {"attempts": [Attempt("wrong PIN", "T1", "403 x", "accepted", True)]},
            "T1: wrong PIN: expected 403 x, got accepted",
        ),
        (
            {"attempts": [Attempt("wrong PIN", "T1", "403 x", "403 x", False)]},
            "T1: wrong PIN: expected 403 x, got 403 x, and the table changed",
        ),
        ({"unreconciled": 3}, "3 pieces of queued work were not done in time"),
        ({"journal_findings": 1}, "the journal does not verify: 1 findings"),
        ({"findings": ["wrong_payout"]}, "finding: wrong_payout"),
        (
            {"findings": ["payment_stands"]},
            "payment_stands: 1 findings for 0 rounds with a payment that stands",
        ),
        ({"rounds_resettled": 19}, "19 of 20 rounds were re-settled"),
        ({"exported": {"csv": 19, "jsonl": 20}}, "the csv export has 19 rounds of 20"),
        ({"closings": {DAY: Closing()}}, "gaming day 2026-11-30 is not sealed"),
        (
            {"bundles": {DAY: Bundle(Path("/bundles/day.zip"), is_verified=False, said="NOT VERIFIED")}},
            "the bundle of gaming day 2026-11-30: NOT VERIFIED",
        ),
        (
            {"closings": {DAY: Closing(refused="409 gaming_day_open: Still open: fill 3.")}},
            "gaming day 2026-11-30 is not closed: 409 gaming_day_open: Still open: fill 3.",
        ),
        ({"lines": [line("T1", tray=-500), line("T2")]}, "T1: T is -500"),
        ({"lines": [line("T1"), line("T2", box=500)]}, "T2: B is 500"),
        ({"lines": [line("T1", unexplained=None), line("T2")]}, "T1: U is missing"),
        ({"lines": [line("T1", drop=None), line("T2")]}, "T1: the win is not known"),
        ({"lines": [line("T1", verified=False), line("T2")]}, "T1: its journal or its rounds do not verify"),
        ({"lines": [line("T1", sessions=2), line("T2")]}, "2 sessions were closed and 3 are reported"),
        *(
            ({"happened": dict.fromkeys(MUST_HAPPEN, 2) | {name: 0}}, f"there were no {name}")
            for name in MUST_HAPPEN
        ),
    ],
)
def test_whatever_is_wrong_is_named_and_shown(wrong: dict[str, Any], named: str) -> None:
    bad = outcome(**wrong)
    assert named in shortcomings(bad)
    assert f"NOT IN ORDER: {named}" in page(bad)
    assert "Every chip is accounted for." not in page(bad)


def test_money_and_shares_are_rounded_once_and_never_floats() -> None:
    shown = [money(amount) for amount in (0, 5, -5, 123_456_789, Fraction(-201, 2), None)]
    assert shown == ["0.00", "0.05", "-0.05", "1,234,567.89", "-1.00", "-"]
    assert [percent(share) for share in (Fraction(1, 3), Fraction(-1, 40), None)] == [
        "33.33 %",
        "-2.50 %",
        "-",
    ]


def test_the_page_has_a_line_for_each_table_and_the_total() -> None:
    rows = page(outcome(total=line("all", rounds=18, voided=2, win=8_000, drop=100_000))).splitlines()
    assert any(row.startswith("T1 red dog, 1 pack, drawn ") and " 9 +1 " in row for row in rows)
    assert any(row.startswith("T2 high card pool, 8 packs, scanned ") for row in rows)
    total = next(row for row in rows if row.startswith("all "))
    assert "8.00 %" in total
    assert "80.00" in total


def test_what_is_not_known_is_not_shown_as_nothing() -> None:
    rows = page(outcome(lines=[line("T1", win=None, drop=None, tray=None), line("T2")])).splitlines()
    first = next(row for row in rows if row.startswith("T1 "))
    assert first.split()[9:12] == ["-", "-", "-"]


def test_an_attempt_counts_only_without_effect() -> None:
    good = Attempt("stale", "T1", "412 stale_version", "412 stale_version", True)
    assert good.as_expected
    assert not replace(good, unchanged=False).as_expected
    assert not replace(good, got="accepted").as_expected
