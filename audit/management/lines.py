"""Lines of figures as text, written the same way in every report."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from audit.master_game import Line
from tables.figures import decimal, decimals_of

HEADINGS = (
    *("", "sessions", "rounds", "opener", "fills", "credits", "closer", "drop", "variance", "win", "hold %"),
    *("handle", "R", "theoretical", "at best play", "T", "B", "U", "win is"),
)


def table(lines: Iterable[Line], currency: str) -> list[str]:
    """The lines below their headings, amounts in the currency's major units."""
    return aligned([HEADINGS, *(_cells(line, currency) for line in lines)])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of as many cells each as lines of text, each column as wide as its widest cell."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _cells(line: Line, currency: str) -> tuple[str, ...]:
    amounts = (line.opener, line.fills, line.credits, line.closer, line.drop, line.variance, line.win)
    played = (line.handle, line.result, *line.expected, line.tray, line.box, line.unexplained)
    return (
        line.name,
        str(line.sessions),
        "-" if line.rounds is None else str(line.rounds),
        *(amount(each, currency) for each in amounts),
        percent(None if line.hold is None else Fraction(line.hold)),
        *(amount(each, currency) for each in played),
        line.win_state.value,
    )


def amount(value: int | Fraction | None, currency: str) -> str:
    """Minor units in major ones; what is missing is a dash, never a zero."""
    places = decimals_of(currency)
    return "-" if value is None else decimal(Fraction(value) / 10**places, places)


def percent(ratio: Fraction | None) -> str:
    """A ratio in per cent; what is missing is a dash."""
    return "-" if ratio is None else decimal(ratio * 100, 2)
