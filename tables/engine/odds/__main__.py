"""``python -m tables.engine.odds``: the exact odds of casino Red Dog for any pay table.

``python -m tables.engine.odds hand KS 9H 5D 2C 3C --seen AS QD``: of a card-room hand against the next card.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from tables.engine.contract import IllegalAction
from tables.engine.odds import ALWAYS, BEST, NEVER, GameOdds, closed_form
from tables.engine.odds.hands import HandOdds, hand_odds, random_hand_chance
from tables.engine.rules import DEFAULT_PAY_TABLE, MAX_PACKS, SPREADS, PayTable

PAY_ITEM = re.compile(r"(?:(?P<low>\d{1,2})(?:\.\.(?P<high>\d{1,2}))?|trips):(?P<odds>\d{1,4})")
DIGITS = 4


def percent(value: Fraction) -> str:
    """``value`` in percent with four digits, rounded half away from zero, without floats."""
    scale = 10 ** (DIGITS + 2)
    units = (abs(value.numerator) * scale * 2 + value.denominator) // (2 * value.denominator)
    whole, part = divmod(units, 10**DIGITS)
    return f"{'-' if value < 0 and units else ''}{whole}.{part:0{DIGITS}d}"


def parse_pay(text: str) -> PayTable:
    """A pay table as ``1:5,2:4,3:2,4..11:1,trips:11``: every spread and trips exactly once."""
    odds: dict[str, int] = {}
    for item in text.split(","):
        match = PAY_ITEM.fullmatch(item.strip())
        if match is None:
            raise argparse.ArgumentTypeError(f"{item.strip()!r} is not like 1:5, 4..11:1 or trips:11")
        for key in _keys(match["low"], match["high"]):
            if key in odds:
                raise argparse.ArgumentTypeError(f"{key} is given twice")
            odds[key] = int(match["odds"])
    missing = [key for key in (*map(str, SPREADS), "trips") if key not in odds]
    if missing:
        raise argparse.ArgumentTypeError(f"missing: {', '.join(missing)}")
    try:
        return PayTable.from_dict(odds)
    except IllegalAction as refusal:
        raise argparse.ArgumentTypeError(refusal.detail) from refusal


def _keys(low: str | None, high: str | None) -> list[str]:
    """The keys one item names: trips, one spread, or a range of spreads."""
    if low is None:
        return ["trips"]
    return [str(spread) for spread in range(int(low), int(high or low) + 1)]


def parse_raise_from(text: str) -> int:
    """``never``, ``always``, or the lowest spread to raise on."""
    words = {"never": NEVER, "always": ALWAYS}
    if text in words:
        return words[text]
    if text.isascii() and text.isdigit() and int(text) in SPREADS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a spread 1 to 11, never or always")


def raising_rule(odds: GameOdds) -> str:
    """The raising rule in words."""
    if odds.raise_from == NEVER:
        return "never raise"
    if odds.raise_from == ALWAYS:
        return "always raise, by the bet"
    return f"raise by the bet on spread {odds.raise_from} and above"


def both(value: Fraction) -> dict[str, str]:
    """A figure as a fraction and in percent."""
    return {"fraction": str(value), "percent": percent(value)}


def as_json(packs: int, pay_table: PayTable, odds: GameOdds) -> dict[str, Any]:
    """The odds as JSON, each one as a fraction and in percent."""
    return {
        "packs": packs,
        "pay_table": pay_table.to_dict(),
        "raising_rule": raising_rule(odds),
        "consecutive": both(odds.consecutive),
        "pair": both(odds.pair),
        "trips_given_pair": both(odds.trips),
        "pair_edge": both(odds.pair_edge),
        "spreads": [
            {
                "spread": s.spread,
                "pays": s.pays,
                "raises": odds.raises_on(s.spread),
                "probability": both(s.probability),
                "win": both(s.win),
                "player_edge": both(s.edge),
            }
            for s in odds.spreads
        ],
        "house_edge_per_initial_bet": both(odds.house_edge),
        "element_of_risk_per_wagered": both(odds.element_of_risk),
        "mean_wager_per_initial_bet": both(odds.mean_wager),
    }


def as_text(packs: int, odds: GameOdds) -> Iterator[str]:
    """The odds as lines of a table."""

    def row(name: str, pays: int, *values: Fraction) -> str:
        cells = "".join(f"{value!s:>16} {percent(value):>9}" for value in values)
        return f"{name:<12}{pays:>4}{cells}"

    yield f"Casino Red Dog, {packs} pack{'s' if packs > 1 else ''}, {raising_rule(odds)}"
    yield ""
    yield f"{'':<12}{'pays':>4}{'P(board)':>16} {'%':>9}{'P(win)':>16} {'%':>9}{'player edge':>16} {'%':>9}"
    yield row("consecutive", 0, odds.consecutive, Fraction(), Fraction())
    yield row("pair", odds.trips_pays, odds.pair, odds.trips, odds.pair_edge)
    for s in odds.spreads:
        mark = " +" if odds.raises_on(s.spread) else ""
        yield row(f"spread {s.spread}{mark}", s.pays, s.probability, s.win, s.edge)
    yield ""
    yield "The player's edge is per unit staked once the two cards lie; + marks a spread that is raised."
    yield f"House edge per initial bet:   {odds.house_edge} = {percent(odds.house_edge)} %"
    yield f"Element of risk per wagered:  {odds.element_of_risk} = {percent(odds.element_of_risk)} %"


def hand_as_json(odds: HandOdds, random: Fraction) -> dict[str, Any]:
    """The odds of a hand as JSON."""
    return {
        "hand": list(odds.hand),
        "seen": list(odds.seen),
        "unseen": odds.unseen,
        "wins": odds.wins,
        "chance": both(odds.chance),
        "edge_per_wagered": both(odds.edge),
        "chance_of_a_random_hand": both(random),
    }


def hand_as_text(odds: HandOdds, random: Fraction) -> Iterator[str]:
    """The odds of a hand as lines."""
    yield f"Hand {' '.join(odds.hand)}, seen besides: {' '.join(odds.seen) or 'nothing'}"
    yield f"Beats {odds.wins} of {odds.unseen} unseen cards: {odds.chance} = {percent(odds.chance)} %"
    yield f"Player's edge per unit wagered: {odds.edge} = {percent(odds.edge)} %"
    yield f"Any hand of {len(odds.hand)} cards, before it is seen: {random} = {percent(random)} %"


def hand_main(arguments: Sequence[str]) -> int:
    """Print the odds of one hand; exit status 2 with a message where an argument makes no sense."""
    parser = argparse.ArgumentParser(prog="python -m tables.engine.odds hand")
    parser.add_argument("cards", nargs="+", help="the cards of the hand, for example KS 9H 5D 2C 3C")
    parser.add_argument("--seen", nargs="+", default=[], help="cards burned, turned or shown in the open")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    try:
        odds = hand_odds(options.cards, options.seen)
        random = random_hand_chance(len(odds.hand), odds.seen)
    except (IllegalAction, ValueError) as error:
        parser.error(getattr(error, "detail", str(error)))
    if options.json:
        sys.stdout.write(json.dumps(hand_as_json(odds, random), indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(hand_as_text(odds, random)) + "\n")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the odds; exit status 2 with a message where an argument makes no sense."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return hand_main(given[1:]) if given[:1] == ["hand"] else casino_main(given)


def casino_main(arguments: Sequence[str]) -> int:
    """Print the odds of casino Red Dog; exit status 2 with a message where an argument makes no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m tables.engine.odds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--packs", type=int, required=True, choices=range(1, MAX_PACKS + 1), help="packs in the shoe"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--pay", type=parse_pay, default=DEFAULT_PAY_TABLE, help="for example 1:5,2:4,3:2,4..11:1,trips:11"
    )
    parser.add_argument(
        "--raise-from",
        type=parse_raise_from,
        default=BEST,
        help="lowest spread to raise on, by the bet; or never, or always (default %(default)s)",
    )
    options = parser.parse_args(arguments)
    odds = closed_form(options.packs, options.pay, options.raise_from)
    if options.json:
        text = json.dumps(as_json(options.packs, options.pay, odds), indent=2)
    else:
        text = "\n".join(as_text(options.packs, odds))
    sys.stdout.write(text + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
