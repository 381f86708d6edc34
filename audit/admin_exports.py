"""Exports in the admin site: asked for, called off, and their files."""

from collections.abc import Sequence
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from audit.admin_history import ROUND_FILES, FilterForm, history_page, told
from audit.admin_schedules import SaveForm
from audit.downloads import FILES, download
from audit.models import ExportForm, ExportJob, ExportKind, ExportStatus
from audit.selectors.exports import is_over
from audit.services.export_jobs import export_ask, export_cancel
from config.errors import DomainError
from tables.admin.acts import ActForm, ActListAdmin, RowActs, act_view
from tables.admin.base import attach, shown, viewer
from tables.admin.text import NOTHING, anchor, link, status_shown
from tables.models import Staff
from tables.services.command import Command
from tables.services.permissions import allowed

TONES = {
    ExportStatus.QUEUED: "waiting",
    ExportStatus.RUNNING: "running",
    ExportStatus.DONE: "done",
    ExportStatus.FAILED: "bad",
    ExportStatus.CANCELLED: "off",
}
BUNDLES = [
    ("gaming_day", "A gaming day"),
    ("table", "A table"),
    ("session", "A session"),
    ("round", "A round"),
]


class AskForm(FilterForm):
    """Export round histories."""

    operation = "export.ask"
    title = "Export round histories"
    lead = "A worker writes the rows that have all of these; empty fields ask for nothing. Players are ids."
    button = "Export these"

    form = forms.ChoiceField(choices=ROUND_FILES, label="File")

    def perform(self, command: Command) -> str:
        """Ask for them."""
        export_ask(
            casino_id=self.casino.id,
            kind=ExportKind.ROUNDS,
            form=ExportForm(self.cleaned_data["form"]),
            about=self.wanted(),
            command=command,
        )
        return "The export was asked for; its file is on its page when it is done."


class BundleForm(ActForm):
    """Export a bundle."""

    operation = "export.ask"
    title = "Export a bundle"
    lead = "What pitledger-verify judges offline: the entries, and what proves that all of them are there."
    button = "Export it"

    what = forms.ChoiceField(choices=BUNDLES, label="Of")
    which = forms.CharField(max_length=36, help_text="The day, as 2026-11-30, or the id from its page.")
    whole = forms.BooleanField(
        required=False, help_text="From the streams' first entries on: every balance is proved."
    )
    since = forms.IntegerField(
        required=False,
        min_value=1,
        help_text="The second line of your last signed checkpoint: it is proved to be continued.",
    )

    def perform(self, command: Command) -> str:
        """Ask for it."""
        said = self.cleaned_data
        export_ask(
            casino_id=self.casino.id,
            kind=ExportKind.BUNDLE,
            form=ExportForm.ZIP,
            about={said["what"]: said["which"], "whole": said["whole"], "since": said["since"]},
            command=command,
        )
        return "The bundle was asked for; its file is on its page when it is done."


class CancelForm(ActForm):
    """Call an export off."""

    operation = "export.cancel"
    title = "Call this export off"
    lead = "Whatever was written of it is removed. The journal keeps that it was asked for."
    button = "Call it off"

    def perform(self, command: Command) -> str:
        """Call it off."""
        assert self.object_id is not None, "the address names the export"
        export_cancel(casino_id=self.casino.id, export_id=self.object_id, command=command)
        return "The export was called off."


@admin.register(ExportJob)
class ExportJobAdmin(ActListAdmin, RowActs):
    """Exports, youngest first."""

    of_row = {"cancel": CancelForm}
    act = AskForm
    act_word = "ask"
    list_display = ("file_name", "standing", "progress", "files", "asked_at", "asked_by", "expires_at")
    related = ("casino", "asked_by", "schedule")
    list_filter = ("status", "kind", "form")
    ordering = ("-asked_at", "pk")
    fieldsets = (
        (None, {"fields": ("standing", "progress", "files", "size", "sha256", "expires_at", "removed_at")}),
        ("What of", {"fields": ("kind", "form", "asked_for", "scheduled")}),
        ("Who and when", {"fields": ("asked_by", "asked_at", "started_at", "finished_at", "id")}),
    )

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, the acts', the round histories, and the files."""
        view = self.admin_site.admin_view
        own = [
            path("bundle/", act_view(self, BundleForm), name="audit_exportjob_bundle"),
            path("rounds/", view(self.rounds_view), name="audit_round_history"),
        ]
        for name in FILES:
            address = f"<uuid:object_id>/{name}/"
            own.append(path(address, view(self.file_view), {"name": name}, name=f"audit_exportjob_{name}"))
        return [*own, *super().get_urls()]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """The round histories, and what may be asked for."""
        acts = super().list_acts(person)
        if acts:
            acts.append((reverse("admin:audit_exportjob_bundle"), BundleForm.title))
        if allowed("audit.read", person.role, None):
            acts.insert(0, (reverse("admin:audit_round_history"), "Round histories"))
        return acts

    def makes_sense(self, word: str, row: ExportJob) -> bool:
        """What is over cannot be called off."""
        return not is_over(row)

    def prepare(self, request: HttpRequest, rows: Sequence[ExportJob]) -> None:
        """Files are linked for those who may take them."""
        takes = allowed("export.take", viewer(request).role, None)
        for row in rows:
            attach(row, takes)

    def heading(self, row: ExportJob) -> str:
        """Which file."""
        return row.file_name

    @admin.display(description="status", ordering="status")
    def standing(self, job: ExportJob) -> SafeString:
        """Where it stands, and why if it failed."""
        why = f": {job.error}" if job.error else ", removed" if job.removed_at else ""
        return status_shown(TONES, ExportStatus(job.status), why)

    @admin.display(description="progress")
    def progress(self, job: ExportJob) -> str:
        """How much is written, of how much."""
        return NOTHING if job.progress_total is None else f"{job.progress_done} of {job.progress_total}"

    @admin.display(description="asked for")
    def asked_for(self, job: ExportJob) -> SafeString:
        """The filter, or what the bundle is of."""
        return told(job.about)

    @admin.display(description="schedule")
    def scheduled(self, job: ExportJob) -> SafeString | str:
        """The schedule that asked for it."""
        return NOTHING if job.schedule is None else link(job.schedule, f"{job.schedule}, {job.gaming_day}")

    @admin.display(description="files")
    def files(self, job: ExportJob) -> SafeString | str:
        """What there is to take away."""
        there = job.status == ExportStatus.DONE and job.removed_at is None
        names = [name for name in FILES if name == "file" or job.kind == ExportKind.ROUNDS]
        if not there or not shown(job):
            return NOTHING
        links = ((anchor(reverse(f"admin:audit_exportjob_{name}", args=[job.pk]), name),) for name in names)
        return format_html_join(", ", "{}", links)

    def rounds_view(self, request: HttpRequest) -> HttpResponseBase:
        """The round histories."""
        return history_page(self.admin_site, self.opts, request, AskForm, SaveForm)

    def file_view(self, request: HttpRequest, object_id: UUID, name: str) -> HttpResponseBase:
        """One of an export's files."""
        if not allowed("export.take", viewer(request).role, None):
            raise PermissionDenied
        job = self.get_queryset(request).filter(pk=object_id).first()
        try:
            if job is None:
                raise Http404
            return download(request, job, name)
        except DomainError as refused:
            raise Http404(refused.detail) from None
