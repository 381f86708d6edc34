"""Cash of patrons as it is reported: kept with each transaction, tied to whom it was, filed.

Each transaction is one row beside its entry, and adds to its person's total of the gaming day in the same
statement, so that of two places that take one person's cash at once neither misses the other's. The rows
are projections: `tables.jurisdiction.cash` derives them again from the journal.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import Q, Sum
from django.utils import timezone

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.figures import gaming_day as day_of
from tables.jurisdiction.cash import CashMoved, cash_moved, report_due_on
from tables.models import CashTotal, CashTransaction, Casino, ClosedDay, Player, Table
from tables.selectors.jurisdiction import profile_on
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found
from tables.services.permissions import CASHIER, RUNNING

CHECK = "cash.check"
FILED_UNDER = re.compile(r"(?=.*[0-9])[0-9A-Za-z-]{1,40}")

# The person's row is shared, so that whoever is being tied to another waits, and the total is the other's.
_KEEP = """
WITH person AS MATERIALIZED (
    SELECT coalesce(same_as_id, id) AS id FROM tables_player WHERE id = %(person)s FOR SHARE
), kept AS (
    INSERT INTO tables_cashtransaction (id, casino_id, person_id, direction, amount, gaming_day, at, stream,
                                        seq, kind, table_id, seat, staff_id, logged)
    VALUES (%(id)s, %(casino)s, %(person)s, %(direction)s, %(amount)s, %(day)s, %(at)s, %(stream)s,
            %(seq)s, %(kind)s, %(table)s, %(seat)s, %(staff)s, %(logged)s)
)
INSERT INTO tables_cashtotal AS so_far (id, casino_id, person_id, gaming_day, direction, total,
                                        due_on, filing_reference)
SELECT %(total_id)s, %(casino)s, person.id, %(day)s, %(direction)s, %(amount)s,
       CASE WHEN %(amount)s > %(above)s THEN %(due)s::date END, ''
  FROM person
ON CONFLICT (person_id, gaming_day, direction) DO UPDATE
   SET total = so_far.total + excluded.total,
       due_on = CASE WHEN so_far.total + excluded.total > %(above)s
                     THEN coalesce(so_far.due_on, %(due)s::date) END
RETURNING id, person_id, total, due_on
"""

_HOLD_ALL = """
SELECT id, coalesce(same_as_id, id) FROM tables_player WHERE id = ANY(%s) ORDER BY id FOR SHARE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where cash changed hands: at a table's seat, or (both None) at the cage."""

    table_id: uuid.UUID | None = None
    seat: int | None = None


CAGE = Place()


@dataclass(slots=True)
class CashKept:
    """A transaction to be kept with its entry, and whether its person's cash is to be reported by then.

    Attributes:
        casino, person_id, moved, place, command: whose house, who (None: nobody knows), what, where, by whom.
        day: the gaming day it belongs to where the entry names one, else that of the entry's moment.
        due: what `told` says, once it was written.
    """

    casino: Casino
    person_id: uuid.UUID | None
    moved: CashMoved
    place: Place
    command: Command
    kind: str
    day: date | None = None
    due: dict[str, Any] | None = None

    def write(self, posted: Posted) -> None:
        """Keep it: one statement, whoever it is."""
        casino = self.casino
        day = self.day or day_of(posted.recorded_at, casino.time_zone, casino.rollover_hour)
        cash = profile_on(casino, day).cash
        values = {
            "id": uuid.uuid4(),
            "total_id": uuid.uuid4(),
            "casino": casino.id,
            "person": self.person_id,
            "direction": str(self.moved.direction),
            "amount": self.moved.amount,
            "day": day,
            "at": posted.recorded_at,
            "stream": posted.stream,
            "seq": posted.seq,
            "kind": self.kind,
            "table": self.place.table_id,
            "seat": self.place.seat,
            "staff": self.command.actor.staff_id,
            "logged": abs(self.moved.amount) >= cash.log_from,
            "above": cash.report_above,
            "due": report_due_on(cash.report_above + 1, cash, day),
        }
        with connection.cursor() as cursor:
            cursor.execute(_KEEP, values)
            row = cursor.fetchone()
        if row is not None and row[3] is not None:
            self.due = {
                "report": str(row[0]),
                "player": str(row[1]),
                "direction": values["direction"],
                "gaming_day": day.isoformat(),
                "total": row[2],
                "due_on": row[3].isoformat(),
            }

    def told(self) -> dict[str, Any]:
        """What the answer says of it: at the cage, and at a table to those who run it.

        A dealer's terminal faces the players, who are not to learn that a report is due.
        """
        tell = self.command.actor.role in RUNNING | CASHIER
        return {"cash_report_due": self.due if tell else None}


def cash_keep(several: Sequence[CashKept], posted: Posted) -> None:
    """Keep the transactions of one entry, people and then their totals in one order, whatever their seats.

    Else two tables that take the same people's cash at once, or one and a tie, would wait for each other.
    """
    people = sorted({each.person_id for each in several if each.person_id})
    roots: dict[uuid.UUID | None, uuid.UUID] = {}
    if len(people) > 1:
        with connection.cursor() as cursor:
            cursor.execute(_HOLD_ALL, [people])
            roots.update(cursor.fetchall())
    for each in sorted(several, key=lambda one: str(roots.get(one.person_id, ""))):
        each.write(posted)


def person_named(casino_id: uuid.UUID, player_id: uuid.UUID | None) -> None:
    """Refuse a person the house does not have.

    Raises:
        DomainError: `player_not_found`, `person_erased`.
    """
    if player_id is None:
        return
    known = Player.objects.filter(id=player_id, casino_id=casino_id).values_list("erased_at", flat=True)
    if not known:
        raise not_found("player")
    if known[0] is not None:
        raise DomainError("person_erased", "What was known of this person was erased.")


def cash_taken_back(
    table: Table, seq: int, moves: Sequence[Movement], command: Command
) -> tuple[Callable[[Posted], None], dict[str, str | None]]:
    """How the reversal of an entry is kept as cash, and what its own entry says of it: whose, of which day.

    A buy-in that never was is not cash of the day it is taken back in, but of the day it was entered for.

    Args:
        seq: the number of the entry that is reversed.
        moves: what the reversal moves.
    """
    moved = cash_moved((move.source, move.target, move.amount) for move in moves)
    if moved is None:
        return lambda posted: None, {}
    made = CashTransaction.objects.filter(stream=table.stream, seq=seq).first()
    if made is None:
        return lambda posted: None, {}
    kept = CashKept(
        casino=table.casino,
        person_id=made.person_id,
        moved=moved,
        place=Place(table_id=table.id, seat=made.seat),
        command=command,
        kind="entry.reverse",
        day=made.gaming_day,
    )
    person = str(made.person_id) if made.person_id else None
    return kept.write, {"player": person, "gaming_day": made.gaming_day.isoformat()}


def transaction_identify(
    *, casino_id: uuid.UUID, transaction_id: uuid.UUID, player_id: uuid.UUID, command: Command
) -> Answer:
    """Say whose cash a transaction was at which nobody was named; that person's totals follow.

    Args:
        player_id: a player of the house, or somebody described.

    Raises:
        DomainError: `transaction_not_found`, `transaction_identified`, `player_not_found`, `person_erased`.
    """

    def work(casino: Casino) -> Effect:
        person_named(casino_id, player_id)
        made = CashTransaction.objects.filter(id=transaction_id, casino=casino).first()
        if made is None:
            raise not_found("transaction")
        if made.person_id is not None:
            raise DomainError("transaction_identified", "It is known whose cash this was.")

        def write(posted: Posted) -> None:
            root = _root(Player.objects.get(id=player_id))
            _hold([root])
            made.person_id = player_id
            made.save(update_fields=["person"])
            _totals_redo(casino, root)

        said = {"transaction": str(made.id), "player": str(player_id)}
        which = {"seat": made.seat} if made.is_money_play else {}
        return Effect(
            kind="cash.identify",
            payload={**said, "stream": made.stream, "seq": made.seq, **which},
            write=write,
            outbox=_checks(casino, [made.gaming_day]),
            body=lambda: said,
        )

    request = {"transaction": str(transaction_id), "player": str(player_id)}
    return execute("cash.identify", command, request, lock_office, casino_id, work)


def person_tie(
    *, casino_id: uuid.UUID, player_id: uuid.UUID, same_as_id: uuid.UUID, command: Command
) -> Answer:
    """Say that somebody described is a player, or another described person; their cash is one total.

    What crosses the report's threshold by it is due from the gaming day on that it became known.

    Raises:
        DomainError: `player_not_found`, `person_erased`, `person_tied` (to somebody before, or these two are
            one already), `person_known` (a player with a reference is nobody else).
    """

    def work(casino: Casino) -> Effect:
        for person_id in (player_id, same_as_id):
            person_named(casino_id, person_id)
        tied, other = (Player.objects.get(id=each) for each in (player_id, same_as_id))
        root = _root(other)
        if tied.reference:
            raise DomainError("person_known", "Tie the description to the player, not the player to it.")
        if tied.same_as_id is not None or root == tied.id:
            raise DomainError("person_tied", "This was found before.")
        days = CashTransaction.objects.filter(Q(person=tied) | Q(person__same_as=tied))

        def write(posted: Posted) -> None:
            _hold([tied.id, root])
            Player.objects.filter(Q(id=tied.id) | Q(same_as=tied.id)).update(same_as=root)
            _totals_redo(casino, root)

        said = {"player": str(player_id), "same_as": str(root)}
        return Effect(
            kind="person.tie",
            payload=said,
            write=write,
            outbox=_checks(casino, days.values_list("gaming_day", flat=True).distinct()),
            body=lambda: said,
        )

    request = {"player": str(player_id), "same_as": str(same_as_id)}
    return execute("person.tie", command, request, lock_office, casino_id, work)


def _root(person: Player) -> uuid.UUID:
    return person.same_as_id or person.id


def _hold(roots: Iterable[uuid.UUID]) -> None:
    """Lock people and all who were found to be them, in one order: no cash is added to their totals now."""
    wanted = list(roots)
    rows = Player.objects.filter(Q(id__in=wanted) | Q(same_as__in=wanted)).order_by("id")
    list(rows.select_for_update(no_key=True).values_list("id"))


def _checks(casino: Casino, days: Iterable[date]) -> list[tuple[str, uuid.UUID]]:
    """The closed ones among these days, to be looked through for patterns once more."""
    closed = ClosedDay.objects.filter(casino=casino, gaming_day__in=list(days))
    return [(CHECK, key) for key in closed.values_list("id", flat=True)]


def _totals_redo(casino: Casino, root: uuid.UUID) -> None:
    """Add up anew the totals of a person, with whoever was found to be them, whose rows are held.

    A total that is due from now on is so by the gaming day it became known.
    """
    known = day_of(timezone.now(), casino.time_zone, casino.rollover_hour)
    group = list(Player.objects.filter(Q(id=root) | Q(same_as=root)).values_list("id", flat=True))
    made = CashTransaction.objects.filter(person__in=group).values_list("gaming_day", "direction")
    sums = {(root, day, way): amount for day, way, amount in made.annotate(Sum("amount"))}
    for kept in CashTotal.objects.select_for_update().filter(person__in=group).order_by("id"):
        _retotal(kept, casino, sums.pop((kept.person_id, kept.gaming_day, kept.direction), 0), known)
        kept.save(update_fields=["total", "due_on"])
    for (_, day, way), amount in sums.items():
        new = CashTotal(casino=casino, person_id=root, gaming_day=day, direction=way, total=0)
        _retotal(new, casino, amount, known)
        new.save(force_insert=True)


def _retotal(kept: CashTotal, casino: Casino, amount: int, known: date) -> None:
    """Set a total; what was filed before and is another total now is due anew."""
    due = report_due_on(amount, profile_on(casino, kept.gaming_day).cash, known)
    stands = kept.due_on if amount == kept.total or kept.filed_at is None else None
    kept.total, kept.due_on = amount, due and (stands or due)


def cash_report_file(
    *, casino_id: uuid.UUID, report_id: uuid.UUID, reference: str, command: Command
) -> Answer:
    """Note that a report was filed: by whom, when, under which number of the authority's.

    Args:
        reference: letters, digits and hyphens, a digit among them; never a name, for the journal keeps it.

    Raises:
        DomainError: `report_not_found`, `report_not_due`, `gaming_day_runs` (the day may bring more),
            `bad_reference` (422).
    """

    def work(casino: Casino) -> Effect:
        if not FILED_UNDER.fullmatch(reference):
            raise DomainError("bad_reference", "Letters, digits and hyphens; at least a digit.", status=422)
        report = CashTotal.objects.select_for_update().filter(id=report_id, casino=casino).first()
        if report is None:
            raise not_found("report")
        if not report.is_due:
            raise DomainError("report_not_due", "No report is due, or it was filed.")
        if day_of(timezone.now(), casino.time_zone, casino.rollover_hour) <= report.gaming_day:
            raise DomainError("gaming_day_runs", "The gaming day is not over; it may bring more.")

        def write(posted: Posted) -> None:
            report.filed_total, report.filed_at = report.total, posted.recorded_at
            report.filed_by_id, report.filing_reference = command.actor.staff_id, reference
            report.save(update_fields=["filed_total", "filed_at", "filed_by", "filing_reference"])

        said = {
            "report": str(report.id),
            "player": str(report.person_id),
            "gaming_day": report.gaming_day.isoformat(),
            "direction": report.direction,
            "total": report.total,
            "reference": reference,
        }
        return Effect(kind="cash.file", payload=said, write=write, body=lambda: said, status=201)

    request = {"report": str(report_id), "reference": reference}
    return execute("cash.file", command, request, lock_office, casino_id, work)
