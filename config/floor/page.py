"""The one page a demonstration ends with."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from config.floor.outcome import Outcome, TableLine, shortcomings

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
    if share is None:
        return "-"
    hundredths = round(share * 10_000)
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02d} %"


HEADINGS = (
    *("table", "rounds", "handle", "drop", "win", "hold", "theoretical", "T", "B", "U"),
    *("entries", "moves", "journal"),
)


def render(outcome: Outcome, *, seed: str, seconds: float, exports: str) -> str:
    """The page.

    Args:
        seed: of the players' decisions.
        seconds: wall time.
        exports: folder of the round histories.
    """
    wrong = shortcomings(outcome)
    parts = [
        ["", "PITLEDGER  one gaming day, played over HTTP and audited", ""],
        _table([HEADINGS, *map(_line, outcome.lines), _totals(outcome.lines)]),
        ["", *_what_happened(outcome)],
        ["", *_what_was_refused(outcome)],
        ["", *_what_was_checked(outcome)],
        ["", f"round histories  {exports} ({', '.join(sorted(outcome.exported))})"],
        [f"seed             {seed} (players and paper shuffles; drawn cards are the server's own)"],
        [f"wall time        {seconds:.1f} s", ""],
        [f"NOT IN ORDER: {problem}" for problem in wrong] or ["Every chip is accounted for."],
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _line(line: TableLine) -> Sequence[Cell]:
    source = "scanned" if line.scanned else "drawn"
    return (
        f"{line.code} {line.packs} {'pack' if line.packs == 1 else 'packs'}, {source}",
        *_figures(line.rounds, line.handle, line.drop, line.win, line.hold, line.theoretical),
        *(money(check) for check in (line.t, line.b, line.u)),
        f"{line.entries:,}",
        f"{line.movements:,}",
        "verified" if line.verified else "NOT VERIFIED",
    )


def _figures(
    rounds: int, handle: int, drop: int | None, win: int | None, hold: Fraction | None, theoretical: Fraction
) -> tuple[Cell, ...]:
    return (f"{rounds:,}", money(handle), money(drop), money(win), percent(hold), money(theoretical))


def _totals(lines: Sequence[TableLine]) -> Sequence[Cell]:
    drop, win = _sum(line.drop for line in lines), _sum(line.win for line in lines)
    hold = Fraction(win, drop) if win is not None and drop else None
    rounds, handle = sum(line.rounds for line in lines), sum(line.handle for line in lines)
    theoretical = sum((line.theoretical for line in lines), Fraction())
    return (
        "all",
        *_figures(rounds, handle, drop, win, hold, theoretical),
        *(money(_sum(getattr(line, name) for line in lines)) for name in ("t", "b", "u")),
        f"{sum(line.entries for line in lines):,}",
        f"{sum(line.movements for line in lines):,}",
        "verified" if all(line.verified for line in lines) else "NOT VERIFIED",
    )


def _sum(values: Iterable[int | None]) -> int | None:
    """A sum of what is all known; a missing one makes it missing."""
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _table(rows: Sequence[Sequence[Cell]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *rest = (cell for cell in row)
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join(cells))
    rule = "-" * len(lines[0])
    return [lines[0], rule, *lines[1:-1], rule, lines[-1]]


def _what_happened(outcome: Outcome) -> list[str]:
    return _wrapped("on the floor     ", [f"{number} {name}" for name, number in outcome.happened.items()])


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
    return [*_wrapped("books and hands  ", pairs), "", *_wrapped("checked          ", checks)]


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
