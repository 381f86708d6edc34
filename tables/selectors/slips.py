"""Slips of fills and credits: as terminals see them, their numbers, their copies, and what a tray needs."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from itertools import pairwise
from typing import Any

from django.db.models import Q, QuerySet

from tables.figures import count_total
from tables.models import (
    UNFINISHED,
    Cage,
    SessionStatus,
    Slip,
    SlipKind,
    SlipSeries,
    SlipStatus,
    Table,
    TablePar,
    TableSession,
)


def slip_view(slip: Slip) -> dict[str, Any]:
    """A slip as the table's and the cage's terminals see it; `total` is of the chips once it has them."""
    chips = slip.chips if slip.chips is not None else slip.requested_chips or {}
    return {
        "id": str(slip.id),
        "kind": str(slip.kind),
        "series": str(slip.series),
        "number": slip.number,
        "label": slip.label or None,
        "table": str(slip.table_id),
        "status": str(slip.status),
        "requested_chips": slip.requested_chips,
        "chips": chips,
        "total": count_total(chips),
        "reason": slip.reason,
        "occurred_at": slip.occurred_at and slip.occurred_at.astimezone(UTC).isoformat(),
    }


def unfinished_slips(**within: Any) -> QuerySet[Slip]:
    """The slips of a table (or a casino) that somebody has yet to do something about, in order."""
    slips = Slip.objects.filter(status__in=UNFINISHED, **within)
    return slips.order_by("requested_at", "issued_at", "id")


def slips_at_hand(**within: Any) -> list[dict[str, Any]]:
    """The same as terminals see them."""
    return [slip_view(slip) for slip in unfinished_slips(**within)]


# --- numbers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Numbers:
    """How the numbers of one series and kind were used.

    Attributes:
        first, last: the lowest and the highest number that is accounted for; None when there is none.
        used: how many slips there are.
        void: how many of them are void.
        missing: numbers in between without a slip, as (from, to).
    """

    series: SlipSeries
    kind: SlipKind
    first: int | None
    last: int | None
    used: int
    void: int
    missing: tuple[tuple[int, int], ...]


def slip_numbers(casino_id: uuid.UUID) -> list[Numbers]:
    """How a casino's slip numbers were used, by series and kind.

    The system's numbers begin at 1 and end with the last it gave; of the paper ones nobody can say more
    than which are missing between the lowest and the highest that was entered.
    """
    cage = Cage.objects.get(pk=casino_id)
    given = {SlipKind.FILL: cage.next_fill_number - 1, SlipKind.CREDIT: cage.next_credit_number - 1}
    rows = Slip.objects.filter(casino_id=casino_id, number__isnull=False).order_by("number")
    found = list(rows.values_list("series", "kind", "number", "status"))
    return [
        _numbers(series, kind, [row[2:] for row in found if row[:2] == (series, kind)], given[kind])
        for series in SlipSeries
        for kind in SlipKind
    ]


def _numbers(series: SlipSeries, kind: SlipKind, slips: Iterable[tuple[Any, ...]], given: int) -> Numbers:
    rows = list(slips)
    numbers = [number for number, _ in rows]
    marks = [0, *numbers, given + 1] if series == SlipSeries.SYSTEM else numbers
    first, last = (marks[0], marks[-1]) if marks else (None, None)
    if series == SlipSeries.SYSTEM:
        first, last = (1, given) if given else (None, None)
    return Numbers(
        series=series,
        kind=kind,
        first=first,
        last=last,
        used=len(rows),
        void=sum(status in (SlipStatus.VOID, SlipStatus.RETURNING) for _, status in rows),
        missing=tuple((low + 1, high - 1) for low, high in pairwise(marks) if high - low > 1),
    )


# --- copies in the drop box ---------------------------------------------------------------------------------


def copies_due(session: TableSession) -> set[str]:
    """The labels of the slips whose copies lie in a session's drop box.

    A copy goes in when the table signs: for a fill that is received, a credit that is sent; at a closed
    table it lies in the next session's box. One written by hand went in when it was written.
    """
    before = TableSession.objects.filter(table=session.table_id, number__lt=session.number)
    last = before.order_by("-number").first()
    since = (last.closed_seq or 0) if last else 0
    signed = Q(received_seq__gt=since, kind=SlipKind.FILL) | Q(counted_seq__gt=since, kind=SlipKind.CREDIT)
    by_hand = Q(series=SlipSeries.MANUAL)
    if session.closed_seq is not None:
        into = Q(received_seq__lt=session.closed_seq, kind=SlipKind.FILL)
        signed &= into | Q(counted_seq__lt=session.closed_seq, kind=SlipKind.CREDIT)
        by_hand &= Q(occurred_at__lt=session.closed_at)
    if last:
        by_hand &= Q(occurred_at__gte=last.closed_at)
    slips = Slip.objects.filter(table=session.table_id)
    return {slip.label for slip in slips.filter((Q(series=SlipSeries.SYSTEM) & signed) | by_hand)}


# --- par and need -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Need:
    """One denomination of a table's tray, in pieces: what should be there, what is, what a fill would add.

    Attributes:
        value: of the chip, minor units.
        par: None where the office has set none.
        stock: as last counted, with the fills and credits since; bets move chips without saying which.
    """

    value: int
    par: int | None
    stock: int

    @property
    def need(self) -> int:
        """Pieces a fill would bring."""
        return max(0, (self.par or 0) - self.stock)


def tray_needs(table: Table) -> list[Need]:
    """Every denomination of a table's tray, highest first."""
    par = TablePar.objects.filter(table=table).values_list("chips", flat=True).first() or {}
    stock = tray_inventory(table)
    values = {int(value) for value in {*par, *stock}}
    return [
        Need(value, par.get(str(value)), stock.get(str(value), 0)) for value in sorted(values, reverse=True)
    ]


def tray_inventory(table: Table) -> dict[str, int]:
    """A tray by denomination: the last joint count, and the fills and credits since."""
    session = TableSession.objects.filter(table=table).order_by("-number").first()
    stock, since = _last_count(session)
    for sign, chips in _since(table, since):
        for value, number in chips.items():
            stock[value] = stock.get(value, 0) + sign * number
    return stock


def _last_count(session: TableSession | None) -> tuple[dict[str, int], int]:
    if session is None:
        return {}, 0
    if session.status == SessionStatus.OPEN:
        return dict(session.opener), session.opened_seq
    return dict(session.closer or {}), session.closed_seq or 0


def pieces_between(table: Table, after: int, before: int | None) -> tuple[dict[str, int], dict[str, int]]:
    """What a table's slips brought into its tray and took out of it between two entries, in pieces by value.

    Args:
        before: None for up to now.
    """
    brought: dict[str, int] = {}
    taken: dict[str, int] = {}
    for sign, chips in _since(table, after, before):
        way = brought if sign > 0 else taken
        for value, number in chips.items():
            way[value] = way.get(value, 0) + number
    return brought, taken


def _since(table: Table, seq: int, before: int | None = None) -> Iterator[tuple[int, dict[str, int]]]:
    slips = Slip.objects.filter(table=table)
    fills, credits = slips.filter(kind=SlipKind.FILL), slips.filter(kind=SlipKind.CREDIT)

    def within(step: str) -> Q:
        after = Q(**{f"{step}_seq__gt": seq})
        return after if before is None else after & Q(**{f"{step}_seq__lt": before})

    for slip in fills.filter(within("received")):
        yield 1, slip.chips or {}
    for slip in fills.filter(within("voided"), received_seq__isnull=False):
        yield -1, slip.chips or {}
    for slip in credits.filter(within("counted")):
        yield -1, slip.chips or {}
    for slip in credits.filter(within("returned")):
        yield 1, slip.returned_chips or {}


def needs_view(table: Table) -> dict[str, Any]:
    """A tray's denominations as terminals see them, and the fill that would bring it to par."""
    needs = tray_needs(table)
    return {
        "table": str(table.id),
        "denominations": [
            {"value": each.value, "par": each.par, "stock": each.stock, "need": each.need} for each in needs
        ],
        "fill": {str(each.value): each.need for each in needs if each.need},
    }
