"""Which entries of which streams a bundle holds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q

from audit.selectors.days import SessionSpan, sessions_of_day
from audit.selectors.journal import entry_about, last_of_kind
from audit.signed import OFFICE, SIGNED
from ledger.models import CheckpointRange, Entry
from tables.figures import gaming_day_bounds
from tables.models import Casino, Round, Table, TableSession

CLOSING = "day.close"


class NothingToBundle(Exception):
    """There is nothing of the kind under the checkpoint; the message says what."""


class Extent(NamedTuple):
    """Entries ``first`` to ``last`` of a stream."""

    stream: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Scope:
    """What a bundle is about.

    Args:
        casino: whose.
        about: a gaming day, a table, a session or a round.
        whole: whether its streams begin with their first entries, so that every balance is proved.
    """

    casino: Casino
    about: date | Table | TableSession | Round
    whole: bool = False

    @property
    def as_dict(self) -> dict[str, Any]:
        """The scope as a manifest has it."""
        if isinstance(self.about, date):
            return {"kind": "day", "gaming_day": self.about.isoformat(), "whole": self.whole}
        kind = {Table: "table", TableSession: "session", Round: "round"}[type(self.about)]
        return {"kind": kind, kind: str(self.about.id), "whole": self.whole or kind == "table"}

    @property
    def gaming_days(self) -> set[date]:
        """The gaming days of its sessions."""
        if isinstance(self.about, date):
            return {self.about}
        if isinstance(self.about, Table):
            return set(self.about.sessions.values_list("gaming_day", flat=True))
        session = self.about.session if isinstance(self.about, Round) else self.about
        return {session.gaming_day}


def extents(scope: Scope, size: int) -> list[Extent]:
    """The entries of a scope that are under the checkpoint of ``size`` entries, by stream.

    A table's part begins at the opening of its first session, or at the load of the shoe that lay on the
    table then: cards cannot be followed from the middle of a shoe. It ends before the next session, or with
    the count of the last one's drop box; a round's ends with the round.

    Raises:
        NothingToBundle: no entry of it is sealed.
    """
    about = scope.about
    if isinstance(about, Table):
        wanted = [Extent(about.stream, 1, sealed_to(about.stream, size))]
    elif isinstance(about, date):
        wanted = list(_of_day(scope.casino, about, size))
    else:
        session = about.session if isinstance(about, Round) else about
        span = SessionSpan(session.id, session.table, session.opened_seq)
        extent = _of_sessions([span], size)
        wanted = [extent._replace(last=about.last_seq) if isinstance(about, Round) else extent]
        if isinstance(about, Round) and about.last_seq > sealed_to(extent.stream, size):
            raise NothingToBundle("the round is not all under the checkpoint")
    found = [one._replace(first=1) if scope.whole else one for one in wanted if one.first <= one.last]
    if not any(one.stream.startswith("table:") for one in found):
        raise NothingToBundle("nothing of it is under the checkpoint")
    return sorted(found)


def sealed_to(stream: str, size: int) -> int:
    """The number of the stream's last entry under the checkpoint of ``size`` entries, 0 when none is."""
    ranges = CheckpointRange.objects.filter(stream__name=stream, position__lt=size)
    return ranges.order_by("-position").values_list("seq_to", flat=True).first() or 0


def _of_day(casino: Casino, day: date, size: int) -> Iterator[Extent]:
    """Each table with a session of the day, and what the cage recorded on it."""
    by_table: dict[str, list[SessionSpan]] = {}
    for span in sessions_of_day(casino, day):
        by_table.setdefault(span.table.stream, []).append(span)
    for spans in by_table.values():
        yield _of_sessions(spans, size)
    begins, ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)
    numbers = Entry.objects.filter(
        stream__name=casino.cage_stream,
        recorded_at__gte=begins,
        recorded_at__lt=ends,
        seq__lte=sealed_to(casino.cage_stream, size),
    ).order_by("seq")
    first, last = numbers.first(), numbers.last()
    if first is not None and last is not None:
        yield Extent(casino.cage_stream, first.seq, last.seq)


def signed_in_office(scope: Scope, size: int) -> list[int]:
    """Numbers of what the office did by two on a gaming day, and of the day's closing whenever that was.

    As far as the checkpoint of ``size`` entries goes; none for what is no day.
    """
    day, casino = scope.about, scope.casino
    if not isinstance(day, date):
        return []
    begins, ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)
    closing = Q(kind=CLOSING, payload__contains=f'"gaming_day":"{day.isoformat()}"')
    of_day = Q(kind__in=SIGNED[OFFICE] - {CLOSING}, recorded_at__gte=begins, recorded_at__lt=ends)
    found = Entry.objects.filter(closing | of_day, stream__name=casino.stream)
    under = found.filter(seq__lte=sealed_to(casino.stream, size))
    return list(under.order_by("seq").values_list("seq", flat=True))


def _of_sessions(spans: Iterable[SessionSpan], size: int) -> Extent:
    """The entries of a table's sessions that follow one another."""
    ordered = sorted(spans, key=lambda span: span.opened_seq)
    stream, opened = ordered[0].table.stream, ordered[0].opened_seq
    load = last_of_kind(stream, "shoe.load", before=opened)
    end, sealed = _end_of(stream, ordered[-1].id, ordered[-1].opened_seq), sealed_to(stream, size)
    return Extent(stream, load[0] if load and opened <= sealed else opened, min(end, sealed))


def _end_of(stream: str, session: UUID, opened_seq: int) -> int:
    """The last entry that belongs to a session: before the next one, or its count if that came later."""
    entries = Entry.objects.filter(stream__name=stream)
    following = entries.filter(kind="session.open", seq__gt=opened_seq).order_by("seq").first()
    last = (
        entries.order_by("-seq").values_list("seq", flat=True)[0] if following is None else following.seq - 1
    )
    counted = entry_about(stream, "session.count_drop", session, after=opened_seq)
    return max(last, counted[0] if counted else 0)
