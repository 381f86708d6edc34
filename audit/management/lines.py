"""Lines of figures as text, the same columns in every report."""

from collections.abc import Iterable
from fractions import Fraction

from audit.master_game import Line
from tables.figures import decimal

HEADINGS = (
    *("", "sessions", "rounds", "opener", "fills", "credits", "closer", "drop", "variance", "win", "hold %"),
    *("handle", "R", "theoretical", "at best play", "T", "B", "U", "win is"),
)


def table(lines: Iterable[Line]) -> list[str]:
    """The lines below their headings, amounts in major units."""
    rows = [HEADINGS, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _cells(line: Line) -> tuple[str, ...]:
    amounts = (line.opener, line.fills, line.credits, line.closer, line.drop, line.variance, line.win)
    return (
        line.name,
        str(line.sessions),
        "-" if line.rounds is None else str(line.rounds),
        *map(amount, amounts),
        "-" if line.hold is None else decimal(Fraction(line.hold) * 100, 2),
        *map(amount, (line.handle, line.result, *line.expected)),
        *map(amount, (line.tray, line.box, line.unexplained)),
        line.win_state.value,
    )


def amount(value: int | Fraction | None) -> str:
    """Minor units as major ones; what is missing is a dash, never a zero."""
    return "-" if value is None else decimal(Fraction(value) / 100, 2)
