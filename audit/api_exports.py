"""Exports over the API: asked for, looked at, called off, and downloaded in whole or in part."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from audit.downloads import download
from audit.models import ExportForm, ExportJob, ExportKind
from audit.selectors.exports import job_record, jobs_of
from audit.serializers_exports import ExportBody, ExportPage, ExportRecord, ExportShown, ExportsQuery
from audit.services.export_jobs import export_ask, export_cancel
from config.api.acts import Act
from config.api.headers import idempotency_key
from config.api.pagination import page
from tables.api.base import StaffView
from tables.services.command import Answer, Command
from tables.services.locks import not_found

READ, TAKE = "audit.read", "export.take"


class DeskView(StaffView):
    """A view for people at a desk who have something done; the session's CSRF token is asked for."""

    def run(self, service: Callable[..., Answer], **what: Any) -> Response:
        """Run the command the request is, by the service, and answer what it answered.

        Args:
            what: the service's arguments.
        """
        command = Command(id=idempotency_key(self.request), actor=self.actor)
        answer = service(casino_id=self.casino_id, **what, command=command)
        headers = {"Idempotent-Replayed": "true"} if answer.replayed else {}
        return Response(answer.body, status=answer.status, headers=headers)

    @property
    def casino_id(self) -> uuid.UUID:
        """The casino of who is calling.

        Raises:
            DomainError: `casino_not_found` (404) for somebody who has none.
        """
        if self.actor.casino_id is None:
            raise not_found("casino")
        return self.actor.casino_id


class ExportList(DeskView):
    """Exports."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, ExportPage, query=ExportsQuery, name="exports_list"),
        "POST": Act("export.ask", ExportShown, ExportBody, 201, is_command=True, based_on_state=False),
    }

    def get(self, request: Request) -> Response:
        """The exports of the house, oldest first."""
        query, casino = self.query(), self.actor.casino_id
        status = query.get("status")
        found = page(
            jobs_of(casino_id=casino, status=status),
            keys=("asked_at", "id"),
            scope=("exports", casino, status),
            cursor=query.get("cursor"),
        )
        return Response({"results": [job_record(row) for row in found.rows], "next": found.next})

    def post(self, request: Request) -> Response:
        """Ask for round histories or a bundle; a worker writes the file."""
        content = self.content()
        kind = ExportKind(content["kind"])
        about = content.get("filter" if kind == ExportKind.ROUNDS else "bundle", {})
        return self.run(export_ask, kind=kind, form=ExportForm(content["form"]), about=plain(about))


class ExportDetail(DeskView):
    """An export."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, ExportRecord, name="exports_read")}

    def get(self, request: Request, export_id: uuid.UUID) -> Response:
        """One export: how far it is, and its file."""
        return Response(job_record(job_of(self.actor.casino_id, export_id)))


class ExportCancellation(DeskView):
    """The end of an export."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": Act("export.cancel", ExportShown, is_command=True, based_on_state=False),
    }

    def post(self, request: Request, export_id: uuid.UUID) -> Response:
        """Call it off."""
        self.content()
        return self.run(export_cancel, export_id=export_id)


class AsItIs(BaseContentNegotiation):
    """A file is what it is, whatever the caller would rather have; a refusal is JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The one there is."""
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        """The one there is."""
        return renderers[0], renderers[0].media_type


class FileView(DeskView):
    """A file of an export that is done."""

    content_negotiation_class = AsItIs
    which: ClassVar[str]

    def get(self, request: Request, export_id: uuid.UUID) -> HttpResponseBase:
        """The file, or the range of it that was asked for."""
        return download(request, job_of(self.casino_id, export_id), self.which)


class ExportContent(FileView):
    """The file of an export."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(TAKE, None, name="exports_download", is_file=True)}
    which = "file"


class ExportManifest(FileView):
    """The manifest of an export of round histories."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(TAKE, None, name="exports_manifest", is_file=True)}
    which = "manifest"


class ExportNote(FileView):
    """The signed note of an export's manifest."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(TAKE, None, name="exports_note", is_file=True)}
    which = "note"


def job_of(casino_id: uuid.UUID | None, export_id: uuid.UUID) -> ExportJob:
    """An export of the casino.

    Raises:
        DomainError: `export_not_found` (404).
    """
    job = jobs_of(casino_id=casino_id).filter(id=export_id).first()
    if job is None:
        raise not_found("export")
    return job


def plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Checked content as plain JSON values again: dates and ids as texts."""
    return {name: value if isinstance(value, int | str) else str(value) for name, value in content.items()}
