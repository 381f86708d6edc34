"""Asking for an export, and calling it off; each is an entry in the office's stream.

What leaves the house is evidence: the journal says who asked for which rows when. The work itself is handed
out by the outbox, written with the entry.
"""

import uuid
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from django.utils import timezone

from audit.bundle.scope import Scope
from audit.exports.filters import RoundFilter
from audit.exports.named import check_named
from audit.models import ROUND_FORMS, ExportForm, ExportJob, ExportKind, ExportStatus
from audit.selectors.exports import is_over, job_record
from audit.services.export_queue import TOPIC, check_export_room
from config.errors import DomainError
from ledger.errors import CheckpointUnknown
from ledger.models import Checkpoint
from ledger.services import Posted
from tables.figures import gaming_day_bounds
from tables.models import Casino, Round, Table, TableSession
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found


def export_ask(
    *, casino_id: uuid.UUID, kind: ExportKind, form: ExportForm, about: Mapping[str, Any], command: Command
) -> Answer:
    """Ask for an export.

    Args:
        kind: round histories, or a bundle.
        form: what file; a bundle is a zip, and nothing else is.
        about: of round histories the filter, as `RoundFilter.as_dict` has it, without the casino; of a
            bundle one of `gaming_day`, `table`, `session` and `round` (a day, or an id), and if wanted
            `whole` (from the streams' first entries on) and `since` (how many entries the auditor's last
            checkpoint has).

    Raises:
        DomainError: `export_form` (422), `filter_invalid` (400), `export_limit`; and those of `bundle_asked`.
    """

    def work(casino: Casino) -> Effect:
        job = ExportJob(
            casino=casino,
            asked_by_id=command.actor.staff_id,
            kind=kind,
            form=form,
            status=ExportStatus.QUEUED,
        )
        job.about = _checked(casino, kind, form, about)
        check_export_room(casino, command.actor.staff_id)
        job.file_name = file_name(job, timezone.now().date())

        def write(posted: Posted) -> None:
            job.asked_at = posted.recorded_at
            job.save(force_insert=True)

        return Effect(
            kind="export.ask",
            payload={"export": str(job.id), "of": str(kind), "form": str(form), "about": job.about},
            write=write,
            body=lambda: {"export": job_record(job)},
            outbox=[(TOPIC, job.id)],
            status=201,
        )

    request = {"kind": str(kind), "form": str(form), "about": dict(about)}
    return execute("export.ask", command, request, lock_office, casino_id, work)


def export_cancel(*, casino_id: uuid.UUID, export_id: uuid.UUID, command: Command) -> Answer:
    """Call an export off, or stop trying one that failed; whoever writes it stops at the next look.

    Raises:
        DomainError: `export_not_found` (404), `export_over`.
    """

    def work(casino: Casino) -> Effect:
        job = ExportJob.objects.select_for_update().filter(id=export_id, casino=casino).first()
        if job is None:
            raise not_found("export")
        if is_over(job):
            raise DomainError("export_over", f"The export is {job.get_status_display().lower()} already.")
        job.status, job.error = ExportStatus.CANCELLED, ""

        def write(posted: Posted) -> None:
            job.finished_at = posted.recorded_at
            job.save(update_fields=["status", "error", "finished_at"])

        return Effect(
            kind="export.cancel",
            payload={"export": str(job.id)},
            write=write,
            body=lambda: {"export": job_record(job)},
        )

    return execute("export.cancel", command, {"export": str(export_id)}, lock_office, casino_id, work)


def file_name(job: ExportJob, day: date) -> str:
    """What a job's file is called: nothing in it comes from whoever asked."""
    return f"{job.kind}-{job.casino.code}-{day.isoformat()}-{job.id.hex[:8]}.{job.form}"


def round_filter(casino: Casino, about: Mapping[str, Any]) -> RoundFilter:
    """The filter somebody asks with, of their own casino.

    Raises:
        FilterInvalid: it is none.
    """
    return RoundFilter.from_dict({**about, "casino": str(casino.id)})


class BundleAsked(NamedTuple):
    """A bundle somebody asks for: its scope, and from which checkpoint on it proves to continue."""

    scope: Scope
    since: int | None


def bundle_asked(casino: Casino, about: Mapping[str, Any]) -> BundleAsked:
    """What of a casino's a bundle is asked of.

    Raises:
        DomainError: `bundle_scope` (422), `table_not_found`, `session_not_found`, `round_not_found`,
            `checkpoint_unknown`.
    """
    of = {name: value for name, value in about.items() if name not in HOW}
    whole, since = (about.get(name, default) for name, default in HOW.items())
    if len(of) != 1 or not of.keys() <= {"gaming_day", *_FINDERS} or not isinstance(whole, bool):
        raise DomainError("bundle_scope", "Name one: gaming_day, table, session or round.", status=422)
    ((what, said),) = of.items()
    scope = Scope(casino, _subject(casino, what, said), whole)
    if since is not None and not Checkpoint.objects.filter(size=since).exists():
        raise CheckpointUnknown("there is no checkpoint of this size", size=since)
    return BundleAsked(scope, since)


def _subject(casino: Casino, what: str, said: Any) -> date | Table | TableSession | Round:
    try:
        if what == "gaming_day":
            day = date.fromisoformat(said)
            gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)  # no calendar has all of them
            return day
        found: Table | TableSession | Round | None = _FINDERS[what](casino).filter(id=uuid.UUID(said)).first()
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise DomainError("bundle_scope", f"{what}: this is none.", status=422) from None
    if found is None:
        raise not_found(what)
    return found


HOW: dict[str, Any] = {"whole": False, "since": None}
"""What may be said of a bundle besides what it is of."""
_FINDERS: dict[str, Any] = {
    "table": lambda casino: Table.objects.filter(casino=casino),
    "session": lambda casino: TableSession.objects.filter(table__casino=casino).select_related("table"),
    "round": lambda casino: Round.objects.filter(table__casino=casino).select_related("session__table"),
}


def _checked(casino: Casino, kind: ExportKind, form: ExportForm, about: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked for, in the one form it is kept in."""
    if (form in ROUND_FORMS) != (kind == ExportKind.ROUNDS):
        raise DomainError("export_form", "A bundle is a zip, and round histories are none.", status=422)
    if kind == ExportKind.ROUNDS:
        wanted = round_filter(casino, about)
        check_named(wanted)
        return wanted.as_dict
    bundle_asked(casino, about)
    return {name: value for name, value in about.items() if name not in HOW or value != HOW[name]}
