"""One session on paper: its counts, slips, boxes, stints and rounds, its win, and what it rests on."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from audit.master_game import Sheet
from audit.models import SessionReconciliation
from audit.printing.evidence import (
    checkpoint_facts,
    correction_rows,
    finding_rows,
    signature_rows,
    signatures_of,
)
from audit.printing.figures import drop_rows, figure_facts, tray_rows
from audit.printing.paper import NUMBERS, TIMES, Facts, Ink, Paper, Rows, columns
from audit.printing.round import status_of
from audit.selectors.books import money_won
from audit.selectors.sheets import sheets_of
from ledger.models import Entry
from ledger.statements import head_seq
from tables.admin.corrections import KINDS
from tables.admin.text import NOTHING, card_text, words
from tables.models import DropBox, Round, RuleSet, SessionStatus, Slip, SlipKind, Staff, Stint, TableSession
from tables.selectors.round_results import house_result, staked
from tables.selectors.slips import pieces_between
from tables.selectors.stints import stint_figures

NOT_COUNTED = "not counted"
STEPS = ("requested", "refused", "issued", "counted", "received", "voided", "returned")


def sessions_to_print(**which: Any) -> QuerySet[TableSession]:
    """The sessions that a filter chooses, with what is printed of each."""
    return TableSession.objects.filter(**which).select_related("table__casino", "table__pit")


def session_paper(session: TableSession) -> Paper:
    """A session as it is recorded now.

    Args:
        session: one of `sessions_to_print`.
    """
    table, ink, last = session.table, Ink.of(session.table.casino), last_seq_of(session)
    sheet, slips = sheet_of(session), slips_of(session)
    boxes = boxes_of(session)
    made = Entry.objects.filter(stream__name=table.stream, seq__gt=session.opened_seq, seq__lte=last)
    corrections = list(made.filter(kind__in=KINDS).select_related("stream").order_by("seq"))
    counts = [seq for box in boxes for seq in (box.removed_seq, box.counted_seq) if seq is not None]
    within = Q(seq__gte=session.opened_seq, seq__lte=last) | Q(seq__in=counts)
    end = max(last, *counts, session.opened_seq)
    return Paper(
        title=f"Session {session.number} at table {table.code}",
        over=f"{table.casino.name} ({table.casino.code})",
        under=f"{words(sheet.game).capitalize()}, gaming day {session.gaming_day.isoformat()}",
        sections=[
            _standing(session, last, ink),
            figure_facts(sheet, ink),
            _checks(session, ink),
            tray_of(session, sheet, ink),
            slip_rows(slips, ink),
            box_rows(boxes, ink),
            drop_rows(sheet, ink),
            _stints(session, ink),
            _rounds(session, ink),
            correction_rows(corrections, ink),
            finding_rows(Q(session_id=session.id), ink),
            signature_rows(signatures_of(table.stream, within), ink),
            _entries(session, last, ink),
            checkpoint_facts(table.stream, end, ink),
        ],
    )


def last_seq_of(session: TableSession) -> int:
    """The last entry that belongs to a session: before the next opening, or the stream's last."""
    following = TableSession.objects.filter(table=session.table, number__gt=session.number)
    opened = following.order_by("number").values_list("opened_seq", flat=True).first()
    return head_seq(session.table.stream) if opened is None else opened - 1


def sheet_of(session: TableSession) -> Sheet:
    """The session's stiff sheet, as the master game report has it."""
    day = session.gaming_day
    sheets = sheets_of(session.table.casino, day, day, in_detail=day)
    return next(sheet for sheet in sheets if sheet.session == session.id)


def tray_of(session: TableSession, sheet: Sheet, ink: Ink) -> Rows:
    """The tray by denomination, with what slips brought and took between the two counts."""
    brought, taken = pieces_between(session.table, session.opened_seq, session.closed_seq)
    return tray_rows(sheet, brought, taken, ink)


def slips_of(session: TableSession) -> list[Slip]:
    """The slips the table signed in a session, and those it asked for meanwhile; by number."""
    after, before = session.opened_seq, session.closed_seq or 2**62
    signed = Q(kind=SlipKind.FILL, received_seq__gt=after, received_seq__lt=before)
    signed |= Q(kind=SlipKind.CREDIT, counted_seq__gt=after, counted_seq__lt=before)
    signed |= Q(kind=SlipKind.FILL, received_seq__isnull=False, voided_seq__gt=after, voided_seq__lt=before)
    signed |= Q(kind=SlipKind.CREDIT, returned_seq__gt=after, returned_seq__lt=before)
    asked = Q(requested_at__gte=session.opened_at)
    if session.closed_at is not None:
        asked &= Q(requested_at__lte=session.closed_at)
    found = Slip.objects.filter(signed | asked, table=session.table)
    people = [f"{step}_by" for step in STEPS]
    people += [f"{step}_with" for step in STEPS if step != "refused"]
    return list(found.select_related(*people, "runner").order_by("kind", "series", "number", "requested_at"))


def boxes_of(session: TableSession) -> list[DropBox]:
    """The boxes that lay on the table in a session, in order."""
    found = DropBox.objects.filter(session=session).select_related("table", "first_counter", "second_counter")
    return list(found.order_by("put_at", "id"))


def _standing(session: TableSession, last: int, ink: Ink) -> Facts:
    table = session.table
    used = RuleSet.objects.filter(rounds__session=session).distinct().order_by("name", "version")
    rules = "\n".join(f"{one.name} version {one.version}, id {one.id}" for one in used)
    return Facts(
        "Session",
        [
            ("Status", SessionStatus(session.status).label),
            ("Session", f"{session.number}, id {session.id}"),
            ("Table", f"{table.code}, pit {table.pit.code}, id {table.id}"),
            ("Opened", ink.on(session.opened_at)),
            ("Closed", ink.on(session.closed_at, unknown="not yet")),
            ("Drop counted", ink.on(session.counted_at, unknown="not yet")),
            ("Rule sets and pay tables", rules or "no round was played"),
            ("Journal", f"{table.stream}, entries {session.opened_seq} to {last}"),
        ],
    )


def _checks(session: TableSession, ink: Ink) -> Facts:
    """T, B and U as they were reconciled; each is zero on an honest table."""
    kept = SessionReconciliation.objects.filter(session=session).first()
    if kept is None:
        return Facts("Reconciliation", [("Reconciled", "not yet")])
    currency = money_won(kept)
    return Facts(
        "Reconciliation",
        [
            ("T: counted tray less what went through it", ink.money(kept.tray)),
            ("B: counted box less recorded insertions", ink.money(kept.box, unknown="pending")),
            ("U: win less what the rounds won", ink.money(kept.unexplained, unknown="pending")),
            ("R: what the rounds won as paid", ink.money(kept.rounds_result)),
            *([("Of R, money plays lost into the box", ink.money(currency))] if currency else []),
            ("Opener less what the last closer left", ink.money(kept.opener_difference)),
            ("Reconciled", ink.on(kept.checked_at)),
        ],
    )


def slip_rows(slips: Iterable[Slip], ink: Ink) -> Rows:
    """Fills and credits by their numbers, each step with who signed it."""
    rows = [
        (
            slip.label or "no number",
            f"{SlipKind(slip.kind).name.lower()}\n{slip.get_status_display().lower()}",
            ink.chips(slip.chips if slip.chips is not None else slip.requested_chips),
            "\n".join(_steps(slip, ink)),
            slip.reason or NOTHING,
        )
        for slip in slips
    ]
    heads = columns("Slip", "What it is", "Chips", "Steps and signatures", "Reason")
    return Rows("Fills and credits", heads, rows)


def _steps(slip: Slip, ink: Ink) -> Iterator[str]:
    runner_signs = "issued" if slip.kind == SlipKind.FILL else "counted"
    for step in STEPS:
        at: datetime | None = getattr(slip, f"{step}_at")
        if at is None:
            continue
        people: list[Staff | None] = [getattr(slip, f"{step}_by"), getattr(slip, f"{step}_with", None)]
        people += [slip.runner] if step == runner_signs else []
        seq = getattr(slip, f"{step}_seq", None)
        entry = f", entry {seq}" if seq is not None else ""
        yield f"{step} by {', '.join(one.badge for one in people if one)}{entry}, {ink.on(at)}"


def box_rows(boxes: Iterable[DropBox], ink: Ink) -> Rows:
    """Drop boxes: when they lay there, who counted them, and what they found."""
    rows = [
        (
            box.label,
            box.get_status_display(),
            ink.at(box.put_at),
            ink.at(box.removed_at, unknown="on the table"),
            _counters(box, ink),
            ink.money(box.booked, unknown="pending"),
            ink.money(box.total, unknown="pending"),
            ink.money(box.variance, unknown="pending"),
        )
        for box in boxes
    ]
    heads = columns(
        *("Box", "Status", ("Put on", TIMES), ("Removed", TIMES), "Counted by"),
        *(("Recorded", NUMBERS), ("Counted", NUMBERS), ("Difference", NUMBERS)),
    )
    return Rows("Drop boxes", heads, rows)


def _counters(box: DropBox, ink: Ink) -> str:
    counts = ((box.first_counter, box.first_counted_at), (box.second_counter, box.second_counted_at))
    told = [f"{who.badge}\n{ink.at(at)}" for who, at in counts if who is not None]
    late = ["after its gaming day had ended"] if box.late else []
    return "\n".join([*told, *late]) or NOT_COUNTED


def _stints(session: TableSession, ink: Ink) -> Rows:
    stints = list(Stint.objects.filter(session=session).select_related("dealer").order_by("began_seq"))
    figures = stint_figures(stints)
    rows = [
        (
            stint.dealer.badge,
            ink.at(stint.began_at),
            ink.at(stint.ended_at, unknown="goes on"),
            str(figures[stint.id].rounds),
            ink.money(stint.began_total, unknown=NOT_COUNTED),
            ink.money(stint.ended_total, unknown=NOT_COUNTED),
            ink.money(figures[stint.id].tray, unknown="not between counts"),
        )
        for stint in stints
    ]
    heads = columns(
        *("Dealer", ("Began", TIMES), ("Ended", TIMES), ("Rounds", NUMBERS)),
        *(("Tray then", NUMBERS), ("Tray at its end", NUMBERS), ("T", NUMBERS)),
    )
    return Rows("Stints", heads, rows)


def _rounds(session: TableSession, ink: Ink) -> Rows:
    found = Round.objects.filter(session=session).select_related("table", "rules", "dealer")
    rounds = list(found.order_by("number"))
    rows = [_round(played, ink) for played in rounds]
    heads = columns(
        *(
            ("No.", NUMBERS),
            ("Began", TIMES),
            "Dealer",
            "Status",
            "Cards",
            (f"Staked, {ink.currency}", NUMBERS),
        ),
        *(("House result", NUMBERS), "Entries"),
    )
    return Rows("Rounds", heads, rows, note=_recorded_note(rounds))


def _round(played: Round, ink: Ink) -> Sequence[str]:
    result = house_result(played)
    return (
        str(played.number),
        ink.at(played.started_at),
        played.dealer.badge,
        status_of(played),
        " ".join(map(card_text, played.state["cards"])) or NOTHING,
        ink.amount(staked(played)),
        "pending" if result is None else ink.amount(result),
        f"{played.first_seq} to {played.last_seq}",
    )


def _recorded_note(rounds: Sequence[Round]) -> str:
    if any(played.corrected_seq is not None for played in rounds):
        return "Results are those recorded; what corrections changed stands under Corrections."
    return ""


def _entries(session: TableSession, last: int, ink: Ink) -> Facts:
    """The two entries between which everything stands: their hashes fix all between them."""
    ends = Entry.objects.filter(stream__name=session.table.stream, seq__in=[session.opened_seq, last])
    facts = [
        (f"Entry {entry.seq}, {entry.kind}", f"{bytes(entry.hash).hex()}\n{ink.on(entry.recorded_at)}")
        for entry in ends.order_by("seq")
    ]
    return Facts("Journal entries from the first to the last", facts)
