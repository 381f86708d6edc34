"""The one page a demonstration ends with."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from audit.report import DayReport, Line
from config.floor.outcome import Bundle, Outcome, shortcomings
from tables.figures import decimal

MINOR_UNITS = 100
Cell = str


def money(amount: int | Fraction | None) -> str:
    """Minor units as major ones with two decimals; a dash for what is not known."""
    if amount is None:
        return "-"
    whole = round(amount)
    sign = "-" if whole < 0 else ""
    return f"{sign}{abs(whole) // MINOR_UNITS:,}.{abs(whole) % MINOR_UNITS:02d}"


def percent(share: Fraction | None) -> str:
    """A share in per cent with two decimals; a dash for what is not known."""
    return "-" if share is None else f"{decimal(share * 100, 2)} %"


THEORETICAL = (
    "theoretical: the win to expect of a full shoe under the raises as they were made, before any card"
)
CARD_ROOM = "T5 to T7: players play each other, and what the house wins is the collection"
HEADINGS = (
    *("table", "rounds", "handle", "drop", "win", "hold", "theoretical", "T", "B", "U"),
    *("entries", "moves", "journal"),
)


def render(outcome: Outcome, *, seed: str, seconds: float, exports: str, note: str) -> str:
    """The page.

    Args:
        seed: of the players' decisions.
        seconds: wall time.
        exports: folder of the round histories.
        note: what a reader must know about the day.
    """
    wrong = shortcomings(outcome)
    parts = [
        *(_day(report, outcome.games) for report in outcome.reports),
        ["", *_wrapped("read as          ", [THEORETICAL, CARD_ROOM, note])],
        ["", *_what_happened(outcome)],
        ["", *_what_was_refused(outcome)],
        ["", *_what_was_checked(outcome)],
        ["", f"round histories  {exports} ({', '.join(outcome.exported)})"],
        [f"seed             {seed} (players and paper shuffles; drawn cards are the server's own)"],
        [f"wall time        {seconds:.1f} s", ""],
        [f"NOT IN ORDER: {problem}" for problem in wrong] or ["Every chip is accounted for."],
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _day(report: DayReport, games: Mapping[str, str]) -> list[str]:
    title = f"{report.casino}, gaming day {report.gaming_day.isoformat()}, amounts in {report.currency}"
    lines = [_cells(line, _name(line, games[line.code])) for line in report.lines]
    rows = [HEADINGS, *lines, _cells(report.total, "all")]
    return ["", title, "", *_table(rows)]


def _name(line: Line, game: str) -> str:
    packs = f"{line.packs} {'pack' if line.packs == 1 else 'packs'}"
    return f"{line.code} {game.replace('_', ' ')}, {packs}, {line.card_source}"


def _cells(line: Line, name: str) -> Sequence[Cell]:
    """A line of the table; voided rounds are counted beside those played."""
    return (
        name,
        f"{line.rounds:,}" + (f" +{line.voided}" if line.voided else ""),
        *(money(amount) for amount in (line.handle, line.drop, line.win)),
        percent(line.hold),
        *(money(amount) for amount in (line.play.actual, line.tray, line.box, line.unexplained)),
        f"{line.entries:,}",
        f"{line.movements:,}",
        "verified" if line.verified else "NOT VERIFIED",
    )


def _table(rows: Sequence[Sequence[Cell]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells))
    rule = "-" * len(lines[0])
    return [lines[0], rule, *lines[1:-1], rule, lines[-1]]


def _what_happened(outcome: Outcome) -> list[str]:
    return _wrapped(
        "on the floor     ", [f"{name} {number}" for name, number in sorted(outcome.happened.items())]
    )


def _what_was_refused(outcome: Outcome) -> list[str]:
    kinds = [
        f"{attempt.kind} ({attempt.got})" + ("" if attempt.as_expected else " !")
        for attempt in outcome.attempts
    ]
    return _wrapped("without effect   ", kinds)


def _what_was_checked(outcome: Outcome) -> list[str]:
    pairs = [f"{name} {money(pair.books)}" for name, pair in outcome.pairs.items()]
    checks = [
        f"{outcome.rounds_resettled} rounds played again from the journal",
        f"{outcome.journal_findings} findings in the journal",
        f"{len(outcome.findings)} findings of the audit",
        f"{money(outcome.missing_chips)} of chips missing",
    ]
    closed = [
        f"gaming day {day} under two signatures, sealed by the checkpoint of {closing.checkpoint:,} entries"
        for day, closing in outcome.closings.items()
        if closing.checkpoint is not None
    ]
    return [
        *_wrapped("books and hands  ", pairs),
        "",
        *_wrapped("checked          ", checks),
        *_wrapped("closed           ", closed or ["nothing"]),
        *_wrapped("auditor's bundle ", [_bundle(bundle) for bundle in outcome.bundles.values()] or ["none"]),
    ]


def _bundle(bundle: Bundle) -> str:
    verdict = "verified there, offline" if bundle.is_verified else "NOT VERIFIED"
    return f"{bundle.path} ({verdict})"


def _wrapped(heading: str, items: Sequence[str], width: int = 118) -> list[str]:
    """Items in lines of bounded width, indented below their heading."""
    lines, line = [], heading
    for item in items:
        addition = item if line == heading or not line.strip() else f"; {item}"
        if len(line) + len(addition) > width:
            lines.append(f"{line};")
            line, addition = " " * len(heading), item
        line += addition
    return [*lines, line]
