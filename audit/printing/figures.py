"""A stiff sheet's figures on paper; each is the sheet's own, none is worked out here."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from audit.master_game import Line, Sheet, with_papers
from audit.pieces import PlaySums
from audit.printing.paper import NUMBERS, Facts, Ink, Rows, by_value, columns
from tables.admin.text import NOTHING, percent
from tables.figures import Papers, WinState, count_total

PENDING = "pending"
NOT_COUNTED = "not counted"


def figure_facts(sheet: Sheet, ink: Ink) -> Facts:
    """Opener to win, with how much of the win is known; what is missing is pending, never zero."""
    win = sheet.win
    return Facts(
        "Figures",
        [
            ("Opener", ink.money(sheet.opener_total)),
            ("Fills", ink.money(sheet.fills)),
            ("Credits", ink.money(sheet.credits)),
            ("Closer", ink.money(sheet.closer_total, unknown=NOT_COUNTED)),
            ("Recorded insertions", ink.money(sheet.insertions)),
            ("Drop", ink.money(sheet.drop, unknown=PENDING)),
            ("Drop less insertions", ink.money(sheet.variance, unknown=PENDING)),
            *_papers(sheet.papers, ink),
            ("Win", ink.money(win.win, unknown=PENDING)),
            ("Win is", sheet.standing.value),
            ("Hold", PENDING if win.win is None else percent(win.hold)),
            ("Handle", ink.money(sheet.handle, unknown=PENDING)),
            ("Expected, decisions as taken", _expected(sheet.play, "actual", ink)),
            ("Expected, best decisions", _expected(sheet.play, "best", ink)),
        ],
        paired=True,
    )


def _papers(had: Papers, ink: Ink) -> list[tuple[str, str]]:
    """Markers and promotional pieces, each kind where there were any."""
    facts = []
    if had.markers_issued:
        facts += [
            ("Markers issued", ink.money(had.markers_issued)),
            ("Markers redeemed at the table", ink.money(had.markers_redeemed)),
            ("Markers in the drop", ink.money(had.markers_dropped)),
        ]
    if had.promo_pieces:
        facts.append(("Promotional pieces played", str(had.promo_pieces)))
        facts.append(("Played for", ink.money(had.promo_worth)))
    return facts


def _expected(play: PlaySums | None, name: str, ink: Ink) -> str:
    """What the house could expect to win (`actual` or `best`), to the nearest minor unit."""
    if play is None:
        return PENDING
    value: Fraction | None = getattr(play, name)
    return "the house does not bank it" if value is None else ink.money(round(value))


def tray_rows(sheet: Sheet, fills: Mapping[str, int], credits: Mapping[str, int], ink: Ink) -> Rows:
    """The tray by denomination: opener, fills, credits, closer in pieces, the totals in value.

    Args:
        fills, credits: pieces that the slips brought and took, by value.
    """
    counts = [sheet.opener, fills, credits, sheet.closer]
    checked = None if sheet.chips is None else sheet.chips.difference
    if checked is not None:
        counts.append(checked)
    values = {value: 0 for count in counts for value in count or ()}
    rows = [
        (
            ink.amount(int(value)),
            *(NOT_COUNTED if count is None else str(count.get(value, 0)) for count in counts),
        )
        for value, _ in by_value(values)
    ]
    totals = (sheet.opener_total, sheet.fills, sheet.credits, sheet.closer_total)
    total = ["Total", *(ink.money(amount, unknown=NOT_COUNTED) for amount in totals)]
    heads = columns(
        *((f"Chip, {ink.currency}", NUMBERS), ("Opener", NUMBERS), ("Fills", NUMBERS)),
        *(("Credits", NUMBERS), ("Closer", NUMBERS)),
        *([] if checked is None else [("T", NUMBERS)]),
    )
    if checked is not None:
        total.append(ink.money(count_total(checked)))
    note = _by_denomination(sheet)
    return Rows("Tray by denomination, pieces", heads, rows, total=total if rows else (), note=note)


def _by_denomination(sheet: Sheet) -> str:
    """What is known of T by denomination; where something moved by value only, that is said and no zero."""
    if sheet.chips is None:
        return "T by denomination is pending: the session is open."
    if sheet.chips.by_value is not None:
        first = sheet.chips.by_value
        which = f"the first that does not is entry {first.seq}, {first.kind}"
        return f"No T by denomination: not every movement carries it, {which}."
    return "T by denomination: counted less what came and went, colour changes among it."


def drop_rows(sheet: Sheet, ink: Ink) -> Rows:
    """The drop by denomination, as the count room found it."""
    rows = [
        (part, ink.amount(int(value)), str(number), ink.amount(int(value) * number))
        for part, count in sheet.drop_parts.items()
        for value, number in by_value(count)
    ]
    heads = columns("What", ("Value", NUMBERS), ("Pieces", NUMBERS), (f"Amount, {ink.currency}", NUMBERS))
    if sheet.drop is None:
        note = "The drop is pending: not all boxes are counted."
        return Rows("Drop by denomination", heads, rows, note=note)
    return Rows("Drop by denomination", heads, rows, total=("Total", "", "", ink.amount(sheet.drop)))


def line_rows(heading: str, lines: Iterable[Line], ink: Ink) -> Rows:
    """Sums of several sheets, line by line."""
    rows = [
        (
            line.name,
            str(line.sessions),
            *(_known(amount, ink) for amount in _amounts(line)),
            _hold(line),
            line.win_state.value,
        )
        for line in lines
    ]
    heads = columns(
        *("Of", ("Sessions", NUMBERS), (f"Opener, {ink.currency}", NUMBERS), ("Fills", NUMBERS)),
        *(("Credits", NUMBERS), ("Closer", NUMBERS), ("Drop", NUMBERS), ("Win", NUMBERS), ("Hold", NUMBERS)),
        "Win is",
    )
    return Rows(heading, heads, rows)


def paper_rows(lines: Iterable[Line], ink: Ink) -> Rows:
    """Markers and promotional pieces, line by line; those that had none are left out."""
    rows = [
        (
            line.name,
            *map(ink.amount, (had.markers_issued, had.markers_redeemed, had.markers_dropped)),
            str(had.promo_pieces),
            ink.amount(had.promo_worth),
        )
        for line, had in with_papers(lines)
    ]
    heads = columns(
        *("Of", (f"Markers issued, {ink.currency}", NUMBERS), ("Redeemed at the table", NUMBERS)),
        *(("In the drop", NUMBERS), ("Promotional pieces", NUMBERS), ("Played for", NUMBERS)),
    )
    return Rows("Markers and promotional pieces", heads, rows)


def _amounts(line: Line) -> tuple[int | None, ...]:
    return (line.opener, line.fills, line.credits, line.closer, line.drop, line.win)


def _known(amount: int | None, ink: Ink) -> str:
    return PENDING if amount is None else ink.amount(amount)


def _hold(line: Line) -> str:
    if line.hold is None:
        return PENDING if line.win_state == WinState.PENDING else NOTHING
    return percent(Fraction(line.hold))
