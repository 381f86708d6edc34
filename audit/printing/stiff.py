"""Stiff sheets: one sheet of paper per table and session, with places to sign, and the day's sums."""

from collections.abc import Sequence
from datetime import date

from audit.master_game import MasterGame, Sheet, line_of, lines_by, with_papers
from audit.printing.figures import drop_rows, figure_facts, line_rows, paper_rows
from audit.printing.paper import TIMES, Facts, Ink, Paper, Places, Rows, columns
from audit.printing.session import box_rows, boxes_of, slip_rows, slips_of, tray_of
from audit.selectors.master_game import master_game
from tables.admin.text import words
from tables.models import Casino, Countersignature, Table, TableSession

PLACES = (
    *("Opener: dealer", "Opener: floor supervisor", "Closer: dealer", "Closer: floor supervisor"),
    *("Drop: first counter", "Drop: second counter", "Pit boss", "Received for the audit"),
)


def stiff_papers(casino: Casino, day: date, table: Table | None = None) -> list[Paper]:
    """A gaming day's sheets by table and session, of one table where given, and a sheet of their sums.

    The figures are those of the master game report; a win that is not known yet is pending.
    """
    report = master_game(casino, day)
    sheets = [sheet for sheet in report.sheets if table is None or sheet.table == table.id]
    related = TableSession.objects.select_related("table__casino")
    found = related.in_bulk([sheet.session for sheet in sheets])
    papers = [_paper(found[sheet.session], sheet, report) for sheet in sheets]
    return [*papers, _sums(report, sheets, table)]


def _paper(session: TableSession, sheet: Sheet, report: MasterGame) -> Paper:
    ink = Ink.of(session.table.casino)
    return Paper(
        title=f"Stiff sheet, table {sheet.code}, session {sheet.number}",
        over=report.casino,
        under=f"Gaming day {sheet.gaming_day.isoformat()}, pit {sheet.pit}, {words(sheet.game)}",
        sections=[
            Facts(
                "Session",
                [
                    ("Opened", ink.on(session.opened_at)),
                    ("Closed", ink.on(session.closed_at, unknown="not yet")),
                    ("Drop counted", ink.on(session.counted_at, unknown="not yet")),
                    ("Id", str(session.id)),
                ],
            ),
            tray_of(session, sheet, ink),
            figure_facts(sheet, ink),
            slip_rows(slips_of(session), ink),
            box_rows(boxes_of(session), ink),
            drop_rows(sheet, ink),
            _signed(session, ink),
            Places("Signed by hand", PLACES),
        ],
    )


def _signed(session: TableSession, ink: Ink) -> Rows:
    """Who signed the two counts of the tray with badge and PIN."""
    ends = [seq for seq in (session.opened_seq, session.closed_seq) if seq is not None]
    found = Countersignature.objects.filter(stream=session.table.stream, seq__in=ends)
    rows = [
        (one.act, one.first.badge, one.second.badge, ink.at(one.signed_at))
        for one in found.select_related("first", "second").order_by("seq")
    ]
    heads = columns("Act", "Signed by", "Countersigned by", ("At", TIMES))
    return Rows("Signed with badge and PIN", heads, rows)


def _sums(report: MasterGame, sheets: Sequence[Sheet], table: Table | None) -> Paper:
    ink = Ink(report.currency, "UTC")
    lines = [*lines_by(sheets, lambda sheet: sheet.code), line_of("all", sheets)] if sheets else []
    about = "" if table is None else f", table {table.code}"
    return Paper(
        title=f"Stiff sheets of {report.gaming_day.isoformat()}{about}: sums",
        over=report.casino,
        under="The day is closed" if report.closed is not None else "The day is not closed",
        sections=[
            line_rows("By table", lines, ink),
            *([paper_rows(lines, ink)] if with_papers(lines) else []),
        ],
    )
