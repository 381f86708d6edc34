"""Gaming days: which sessions belong to one, which are due, and their rounds played again."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

from audit.codes import Found
from audit.corrected import Changed
from audit.facts import Fact, until_closed
from audit.resettle import Replayed, TableCheck
from audit.selectors.journal import date_in, fact_at, facts, last_of_kind, openings_between, uuid_in
from audit.together import Together
from tables.figures import gaming_day_bounds
from tables.models import Casino, RuleSet, Table

# An opening is recorded moments after its gaming day was decided; a day on each side is ample.
SLACK = timedelta(days=1)
NOBODY = uuid.UUID(int=0)  # the session of an opening that names none: its rounds are played again too
T = TypeVar("T")
FAR_AHEAD = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SessionSpan:
    """A session of a gaming day as the journal opens it."""

    id: uuid.UUID
    table: Table
    opened_seq: int


def sessions_of_day(casino: Casino, day: date) -> Iterator[SessionSpan]:
    """The sessions whose opening entries name a gaming day, table by table, from the journal alone."""
    begins, ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)
    for table in Table.objects.filter(casino=casino).order_by("code"):
        for seq, said in openings_between(table.stream, begins - SLACK, ends + SLACK):
            if date_in(said, "gaming_day") == day:
                yield SessionSpan(uuid_in(said, "session") or NOBODY, table, seq)


def days_opened_since(casino: Casino, since: datetime) -> set[date]:
    """The gaming days of all sessions the journal opened since a moment, whatever their rows say."""
    tables = Table.objects.filter(casino=casino).order_by("code")
    openings = (said for t in tables for _, said in openings_between(t.stream, since, FAR_AHEAD))
    return {day for said in openings if (day := date_in(said, "gaming_day")) is not None}


def rule_sets() -> Callable[[uuid.UUID], tuple[dict[str, Any], str] | None]:
    """A lookup of rule sets by id that asks the database once for each."""
    known: dict[uuid.UUID, tuple[dict[str, Any], str] | None] = {}

    def look_up(rules_id: uuid.UUID) -> tuple[dict[str, Any], str] | None:
        if rules_id not in known:
            known[rules_id] = RuleSet.objects.filter(id=rules_id).values_list("body", "digest").first()
        return known[rules_id]

    return look_up


def rule_set_name(rules_id: uuid.UUID) -> tuple[str, int] | None:
    """Name and version of a rule set by id, None when there is none."""
    return RuleSet.objects.filter(id=rules_id).values_list("name", "version").first()


@dataclass(slots=True)
class SessionReplay:
    """How much of the journal a session took, and whether its opening and closing entries were there."""

    entries: int = 0
    movements: int = 0
    begun: bool = False
    closed: bool = False

    def once_begun(self, do: Callable[[T], None]) -> Callable[[T], None]:
        """The same, but silent before the session begins."""
        return lambda what: do(what) if self.begun else None


def replay_session(
    span: SessionSpan,
    *,
    report: Callable[[Found], None],
    played: Callable[[Replayed], None],
    rule_set: Callable[[uuid.UUID], tuple[dict[str, Any], str] | None],
    watch: Callable[[Fact], None] = lambda fact: None,
    changed: Callable[[Changed], None] = lambda changed: None,
) -> SessionReplay:
    """Play a session's rounds again from its journal entries.

    A shoe may have been loaded in an earlier session: what came out of it then is followed silently, so that
    composition and openings hold over the shoe's whole life. What came between the last session's closing and
    the opening is judged with this session: there is no other.

    Args:
        report: called with each find of this session, and of what came between the last one and it.
        played: called with each round of this session.
        rule_set: as `rule_sets` makes it.
        watch: called with each entry of this session that is of no round judged as a whole.
        changed: called with each round that was corrected, or voided after it was over, in this session.
    """
    seen = SessionReplay()
    check = TableCheck(
        stream=span.table.stream,
        rule_set=rule_set,
        report=seen.once_begun(report),
        played=seen.once_begun(played),
        look_back=lambda seq: fact_at(span.table.stream, seq),
        changed=seen.once_begun(changed),
        name=rule_set_name,
        source=str(span.table.card_source),
    )
    closed = last_of_kind(span.table.stream, "session.close", before=span.opened_seq)
    before = closed[0] if closed else 0
    for fact in facts(span.table.stream, min(before, _first_seq(span)), span.opened_seq - 1):
        seen.begun = fact.seq > before
        check.see(fact)
    seen.begun, together = True, Together(check, played, watch)
    with closing(facts(span.table.stream, span.opened_seq)) as entries:
        for fact in until_closed(entries, str(span.id)):
            together.see(fact)
            seen.entries += 1
            seen.movements += len(fact.moves)
            seen.closed = fact.kind == "session.close"
    together.flush()
    check.finish()
    return seen


def _first_seq(span: SessionSpan) -> int:
    """Where to begin: at the load of the shoe that is on the table when the session opens."""
    load = last_of_kind(span.table.stream, "shoe.load", before=span.opened_seq)
    return span.opened_seq if load is None else load[0]
