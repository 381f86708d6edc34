"""The files of exports as answers, of the API and of the admin site."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.http.response import HttpResponseBase

from audit.models import ExportJob, ExportKind, ExportStatus
from audit.services.export_files import file_of, manifest_of, note_of
from config.api.files import file_response
from config.errors import DomainError

FILES: dict[str, Callable[[ExportJob], Path]] = {"file": file_of, "manifest": manifest_of, "note": note_of}


def download(request: Any, job: ExportJob, which: str) -> HttpResponseBase:
    """One of a job's files as an answer; `which` of `FILES`.

    Raises:
        DomainError: `export_not_done`; `export_no_manifest` (404) of a bundle; `export_gone` (410).
    """
    if job.status != ExportStatus.DONE:
        raise DomainError("export_not_done", f"The export is {job.get_status_display().lower()}.")
    path = FILES[which](job)
    beside = path.name.removeprefix(job.file_name)
    if beside and job.kind == ExportKind.BUNDLE:
        raise DomainError("export_no_manifest", "A bundle has its manifest inside.", status=404)
    try:
        return file_response(request, path, name=path.name, etag=f'"{job.sha256}{beside}"')
    except FileNotFoundError:
        raise DomainError("export_gone", "The file has been removed.", status=410) from None
