"""A house with two gaming days of play, committed once for all tests of exports; each has its own folder."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from audit.models import ExportForm, ExportJob, ExportKind, ExportStatus
from audit.services import outbox
from audit.services.export_jobs import export_ask, export_cancel
from tables.models import OutboxItem, Role, Table, TableSession
from tests import floor
from tests.audit import support


@dataclass
class Played:
    """The house, its table, and the session of each of two days."""

    house: floor.House
    table: Table
    sessions: tuple[TableSession, TableSession]

    @property
    def days(self) -> tuple[date, date]:
        """The gaming days."""
        return self.sessions[0].gaming_day, self.sessions[1].gaming_day


@pytest.fixture(scope="module")
def _played(own_database: None, django_db_blocker: DjangoDbBlocker) -> Played:
    with django_db_blocker.unblock():
        house = floor.stocked_house()
        table, first = support.open_scanned(house)
        support.play_with_raise(house, table, support.WIN, {1: 1000})
        floor.play_round(house, table, {2: 500}, support.PUSH)
        support.close(house, table, first)
        second = support.open_again(house, table)
        support.everybody_sits(house, table)
        support.new_shoe(house, table)
        support.play_with_raise(house, table, support.LOSE, {})
        rows = TableSession.objects.filter(table=table)
        today = rows.get(id=second).gaming_day
        rows.filter(id=first).update(gaming_day=today - timedelta(days=1))
        return Played(house, table, (rows.get(id=first), rows.get(id=second)))


@pytest.fixture
def played(_played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """The house that stands for the module's tests; what they export goes to a folder of the test's own."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))
    return _played


def perform(job: ExportJob) -> bool:
    """Do the job's outbox item, as a worker does; the job is read anew."""
    item = OutboxItem.objects.get(subject=job.id)
    done = outbox.outbox_perform(item_id=item.id)
    job.refresh_from_db()
    return done


def item_of(job: ExportJob) -> OutboxItem:
    """The job's outbox item."""
    return OutboxItem.objects.get(subject=job.id)


def stands(job: ExportJob) -> tuple[ExportStatus, str]:
    """Where a job stands, and why if it failed."""
    job.refresh_from_db()
    return ExportStatus(job.status), job.error


def asked(
    house: floor.House,
    kind: ExportKind = ExportKind.ROUNDS,
    form: str = "csv",
    *,
    role: Role = Role.AUDITOR,
    **about: Any,
) -> ExportJob:
    """An export somebody of a house has asked for."""
    answer = export_ask(
        casino_id=house.casino.id,
        kind=kind,
        form=ExportForm(form),
        about=about,
        command=support.at_desk(house, role),
    )
    return ExportJob.objects.get(id=answer.body["export"]["id"])


def cancel(house: floor.House, job: ExportJob) -> None:
    """Call an export off."""
    command = support.at_desk(house, Role.AUDITOR)
    export_cancel(casino_id=house.casino.id, export_id=job.id, command=command)
