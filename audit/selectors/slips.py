"""Slips as the audit reads them, beside the journal's movements between the cage and the tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.utils import timezone

from audit.codes import Found
from audit.slips import Crossing, SlipSteps, unmatched, without_movement, without_slip
from tables.models import IN_TRANSIT, Cage, Casino, Slip, SlipKind, SlipSeries, TableSession
from tables.selectors.slips import copies_due, slip_numbers

LOOK_BACK = timedelta(days=4)
STEPS = ("issued", "counted", "received", "voided", "returned")

_MOVED = """
SELECT stream.name, m.seq, source.name, target.name, m.amount
  FROM unnest(%s::text[], %s::bigint[]) AS wanted (stream, seq)
  JOIN ledger_stream stream ON stream.name = wanted.stream
  JOIN ledger_movement m ON m.stream_id = stream.id AND m.seq = wanted.seq
  JOIN ledger_account source ON source.id = m.source_id
  JOIN ledger_account target ON target.id = m.target_id
"""

_CROSSED = """
SELECT stream.name, m.seq, source.name, target.name, m.amount
  FROM ledger_stream stream
  JOIN ledger_account boundary ON boundary.stream_id = stream.id
  JOIN ledger_movement m ON m.stream_id = stream.id
   AND (m.source_id = boundary.id OR m.target_id = boundary.id)
  JOIN ledger_account source ON source.id = m.source_id
  JOIN ledger_account target ON target.id = m.target_id
 WHERE (stream.name, boundary.name) IN ((%(table)s, 'cage'), (%(cage)s, %(table)s))
"""


def slips_astray(casino: Casino, tables: Sequence[str]) -> Iterator[Found]:
    """Everything about a casino's slips that is not as it must be.

    Args:
        tables: ids of the tables whose boundary accounts are not what the slips say; there, every entry
            is looked at, else only those of the last days' slips.
    """
    recent = Q()
    for step in STEPS:
        recent |= Q(**{f"{step}_at__gte": timezone.now() - LOOK_BACK})
    slips = Slip.objects.filter(casino=casino, number__isnull=False)
    looked_at = list(_steps(slips.filter(recent | Q(table__in=[UUID(table) for table in tables]))))
    yield from without_movement(looked_at, _moved(looked_at))
    for table in tables:
        streams = {"table": f"table:{table}", "cage": casino.cage_stream}
        yield from without_slip(_steps(slips.filter(table=UUID(table))), _crossed(streams))
    yield from _missing_numbers(casino)
    yield from _long_on_the_way(slips)
    yield from _differing(slips)


def _steps(slips: QuerySet[Slip]) -> Iterator[SlipSteps]:
    for slip in slips.order_by("issued_at"):
        yield SlipSteps(
            label=slip.label,
            kind=slip.kind,
            cage_stream=f"cage:{slip.casino_id}",
            table_stream=f"table:{slip.table_id}",
            total=slip.total or 0,
            **{step: getattr(slip, f"{step}_seq") for step in STEPS},
        )


def _moved(slips: Iterable[SlipSteps]) -> list[Crossing]:
    """The movements of the very entries the slips name."""
    wanted = [(said.stream, said.seq) for slip in slips for said in slip.crossings()]
    with connection.cursor() as cursor:
        cursor.execute(_MOVED, [[stream for stream, _ in wanted], [seq for _, seq in wanted]])
        return [Crossing(*row) for row in cursor.fetchall()]


def _crossed(streams: Mapping[str, str]) -> list[Crossing]:
    """Every movement over the boundary between the cage and a table, read through both streams."""
    with connection.cursor() as cursor:
        cursor.execute(_CROSSED, streams)
        return [Crossing(*row) for row in cursor.fetchall()]


def _missing_numbers(casino: Casino) -> Iterator[Found]:
    """Numbers the system gave that no slip has; what is missing of paper slips is the report's to show."""
    if _as_many_as_given(casino):
        return
    for numbers in slip_numbers(casino.id):
        if numbers.series == SlipSeries.SYSTEM:
            for first, last in numbers.missing:
                evidence = {"kind": numbers.kind.value, "first": first, "last": last}
                about = f"{numbers.kind} {first}"
                yield Found("slip_missing_number", evidence, stream=casino.cage_stream, about=about)


def _as_many_as_given(casino: Casino) -> bool:
    """Whether there are as many slips as numbers were given; as numbers are unique, none is missing then."""
    cage = Cage.objects.get(pk=casino.pk)
    slips = Slip.objects.filter(casino=casino, series=SlipSeries.SYSTEM, number__isnull=False)
    return slips.count() == cage.next_fill_number + cage.next_credit_number - 2


def _long_on_the_way(slips: QuerySet[Slip]) -> Iterator[Found]:
    """Slips whose chips were on their way while their table closed."""
    left = Case(When(kind=SlipKind.FILL, then=F("issued_at")), default=F("counted_at"))
    closed = TableSession.objects.filter(table=OuterRef("table"), closed_at__gt=OuterRef("left"))
    under_way = slips.filter(status__in=IN_TRANSIT).annotate(left=left)
    for slip in under_way.filter(Exists(closed)):
        evidence = {"slip": slip.label, "total": slip.total, "status": slip.status}
        yield Found("slip_long_on_the_way", evidence, stream=f"table:{slip.table_id}", about=slip.label)


def _differing(slips: QuerySet[Slip]) -> Iterator[Found]:
    """Slips whose chips were once counted as something else."""
    came_back_otherwise = Q(returned_chips__isnull=False) & ~Q(returned_chips=F("chips"))
    counted_otherwise = slips.filter(Q(differences__isnull=False) | came_back_otherwise).distinct()
    for slip in counted_otherwise.prefetch_related("differences"):
        evidence: dict[str, Any] = {
            "slip": slip.label,
            "chips": slip.chips,
            "counted": [found.chips for found in slip.differences.all()],
            "returned": slip.returned_chips,
        }
        yield Found("slip_differs", evidence, stream=f"table:{slip.table_id}", about=slip.label)


def unmatched_copies(session: TableSession, drop: Mapping[str, Any] | None) -> Iterator[Found]:
    """Whether the slip copies found at a drop count are those that should lie in the box.

    Args:
        drop: what the drop's count says; a count without a word on slips says nothing of them.
    """
    found = (drop or {}).get("slips")
    if found is None:
        return
    wrong = unmatched(copies_due(session), found)
    if wrong:
        yield Found("slip_unmatched", wrong, stream=session.table.stream, session=session.id)
