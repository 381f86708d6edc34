"""What may be asked for as an export, and what may not: a refusal makes no job, no work and no file."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from audit.models import ExportJob, ExportKind
from config import env
from tables.models import OutboxItem
from tests import floor
from tests.audit.jobs.conftest import asked

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own."""
    monkeypatch.setenv("PITLEDGER_EXPORTS", str(tmp_path / "exports"))


@pytest.mark.parametrize(
    ("code", "kind", "form", "about"),
    [
        ("filter_invalid", "rounds", "csv", {"seat": 0}),
        ("filter_invalid", "rounds", "csv", {"path": "../x"}),
        ("filter_invalid", "rounds", "csv", {"gaming_day_from": "2026-12-01", "gaming_day_to": "2026-11-01"}),
        *(("filter_invalid", "rounds", "csv", {name: "nowhere"}) for name in ("pit", "table", "dealer")),
        *(
            ("filter_invalid", "rounds", "csv", {name: str(uuid.UUID(int=7))})
            for name in ("session", "player")
        ),
        ("export_form", "rounds", "zip", {}),
        ("export_form", "bundle", "csv", {"gaming_day": "2026-11-30"}),
        ("bundle_scope", "bundle", "zip", {}),
        ("bundle_scope", "bundle", "zip", {"gaming_day": "../x"}),
        ("bundle_scope", "bundle", "zip", {"gaming_day": "2026-11-30", "table": str(uuid.UUID(int=7))}),
        ("bundle_scope", "bundle", "zip", {"casino": str(uuid.UUID(int=7))}),
        ("bundle_scope", "bundle", "zip", {"whole": True}),
        ("bundle_scope", "bundle", "zip", {"gaming_day": "2026-11-30", "whole": "yes"}),
        ("checkpoint_unknown", "bundle", "zip", {"gaming_day": "2026-11-30", "since": 10**9}),
        ("table_not_found", "bundle", "zip", {"table": str(uuid.UUID(int=7))}),
    ],
)
def test_what_cannot_be_exported_is_refused_and_nothing_is_made(
    house: floor.House, code: str, kind: str, form: str, about: dict[str, Any]
) -> None:
    before = ExportJob.objects.count(), OutboxItem.objects.count()
    with floor.refused(house, code):
        asked(house, ExportKind(kind), form, **about)
    assert (ExportJob.objects.count(), OutboxItem.objects.count()) == before
    assert not env.exports_folder().exists()
