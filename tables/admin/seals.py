"""Checkpoints and proofs to look at and to take away."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.checkpoints.note import MAX_SIZE
from ledger.checkpoints.prove import prove_consistency, prove_entry
from ledger.errors import CheckpointUnknown, NotSealed
from ledger.models import Checkpoint, CheckpointRange, Entry
from tables.admin.base import HouseAdmin, viewer
from tables.admin.journal import house_streams
from tables.admin.text import anchor, pretty_text
from tables.models import Staff


class EarlierForm(forms.Form):
    """Which earlier checkpoint one is to continue."""

    old = forms.IntegerField(
        label="Entries of the earlier checkpoint",
        min_value=1,
        max_value=MAX_SIZE,
        help_text="The second line of the note you have.",
    )


@admin.register(Checkpoint)
class CheckpointAdmin(HouseAdmin):
    """The checkpoints that seal entries of the house, youngest first."""

    list_display = ("size", "added", "sealed_at", "short_root")
    ordering = ("-size",)
    fields = ("size", "added", "sealed_at", "origin", "root_hex", "note_text", "files")

    def of_house(self, rows: QuerySet[Any], person: Staff) -> QuerySet[Any]:
        """Those with a range of one of the house's streams."""
        ranges = CheckpointRange.objects.filter(
            position__gte=OuterRef("previous_size"),
            position__lt=OuterRef("size"),
            stream_id__in=list(house_streams(person)),
        )
        return rows.filter(Exists(ranges))

    def heading(self, checkpoint: Checkpoint) -> str:
        """How much it seals."""
        return f"Checkpoint of {checkpoint.size} entries"

    @admin.display(description="new entries")
    def added(self, checkpoint: Checkpoint) -> int:
        """How many entries it sealed."""
        return checkpoint.size - checkpoint.previous_size

    @admin.display(description="root")
    def short_root(self, checkpoint: Checkpoint) -> str:
        """The first eight bytes of the root."""
        return bytes(checkpoint.root)[:8].hex()

    @admin.display(description="root")
    def root_hex(self, checkpoint: Checkpoint) -> str:
        """The root."""
        return bytes(checkpoint.root).hex()

    @admin.display(description="signed note")
    def note_text(self, checkpoint: Checkpoint) -> SafeString:
        """The note as it is published."""
        return pretty_text(checkpoint.note)

    @admin.display(description="to take away")
    def files(self, checkpoint: Checkpoint) -> SafeString:
        """The note, and that it continues the checkpoint before, or any other."""
        note = anchor(reverse("admin:ledger_checkpoint_note", args=[checkpoint.pk]), "signed note")
        if checkpoint.previous_size == 0:
            return note
        address = reverse("admin:ledger_checkpoint_consistency", args=[checkpoint.pk])
        before = f"proof that it continues the checkpoint of {checkpoint.previous_size} entries"
        earlier = f"{address}?old={checkpoint.previous_size}"
        return format_html("{}, {}, {}", note, anchor(earlier, before), anchor(address, "or an earlier one"))

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, and the files."""
        view, name = self.admin_site.admin_view, "ledger_checkpoint"
        own = [
            path("<int:size>/note/", view(self.note_file), name=f"{name}_note"),
            path("<int:size>/consistency/", view(self.consistency_file), name=f"{name}_consistency"),
            path("entry/<uuid:entry_id>/proof/", view(self.proof_file), name="ledger_entry_proof"),
        ]
        return [*own, *super().get_urls()]

    def note_file(self, request: HttpRequest, size: int) -> HttpResponse:
        """The signed note."""
        return _file(self._found(request, size).note, f"{size}.checkpoint")

    def consistency_file(self, request: HttpRequest, size: int) -> HttpResponse:
        """The proof that a checkpoint continues an earlier one; without its size, the question for it."""
        checkpoint = self._found(request, size)
        if checkpoint.previous_size == 0:
            raise Http404
        form = EarlierForm(request.GET if "old" in request.GET else None)
        if form.is_valid():
            old = form.cleaned_data["old"]
            try:
                return _file(prove_consistency(old=old, new=size).text, f"{old}-{size}.consistency")
            except CheckpointUnknown:
                form.add_error("old", f"There is no checkpoint of {old} entries before this one.")
        context = {
            **self.admin_site.each_context(request),
            "title": "Proof of consistency",
            "opts": self.opts,
            "original": self.heading(checkpoint),
            "back": reverse("admin:ledger_checkpoint_change", args=[size]),
            "form": form,
        }
        return TemplateResponse(request, "admin/floor/consistency.html", context)

    def proof_file(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        """The proof that an entry of the house is sealed, under the last checkpoint."""
        streams = list(house_streams(viewer(request)))
        if not Entry.objects.filter(pk=entry_id, stream_id__in=streams).exists():
            raise Http404
        try:
            proof = prove_entry(entry_id)
        except NotSealed:
            proof = None
        if proof is None:
            raise Http404
        return _file(proof.text, f"{entry_id}.tlog-proof")

    def _found(self, request: HttpRequest, size: int) -> Checkpoint:
        found: Checkpoint | None = self.get_queryset(request).filter(pk=size).first()
        if found is None:
            raise Http404
        return found


def _file(text: str, name: str) -> HttpResponse:
    """A text to keep."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)
