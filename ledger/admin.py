"""The journal in the admin site: to look at, never to touch.

These are the parts of its pages. Whoever knows which streams a person may see registers them: the floor
does, casino by casino.
"""

from uuid import UUID

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.models import Entry, Stream


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    """Lists and pages without a single act: the database would refuse them anyway."""

    actions = None
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each would be a count of its own
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes."""
        return False


def search_ids(rows: "QuerySet[Entry]", text: str) -> "QuerySet[Entry]":
    """The entries with this id or of this command; whatever is no id finds nothing."""
    try:
        sought = UUID(text.strip())
    except ValueError:
        return rows.none()
    return rows.filter(Q(pk=sought) | Q(command_id=sought))


class EntryParts:
    """What the page of an entry says of the chain: its digests, its hashes, what takes back what."""

    @admin.display(description="hash")
    def short_hash(self, entry: Entry) -> str:
        """The first eight bytes of the hash."""
        return bytes(entry.hash)[:8].hex()

    @admin.display(description="payload digest (SHA-256)")
    def digest_hex(self, entry: Entry) -> str:
        """Digest of the payload's canonical text."""
        return bytes(entry.payload_digest).hex()

    @admin.display(description="previous hash")
    def previous_hex(self, entry: Entry) -> str:
        """Hash of the entry before."""
        return bytes(entry.previous_hash).hex()

    @admin.display(description="hash")
    def hash_hex(self, entry: Entry) -> str:
        """Hash of this entry."""
        return bytes(entry.hash).hex()

    @admin.display(description="before")
    def before(self, entry: Entry) -> SafeString | str:
        """The entry before in the same stream."""
        return entry_link(Entry.objects.filter(stream_id=entry.stream_id, seq=entry.seq - 1).first())

    @admin.display(description="after")
    def after(self, entry: Entry) -> SafeString | str:
        """The entry after in the same stream."""
        return entry_link(Entry.objects.filter(stream_id=entry.stream_id, seq=entry.seq + 1).first())

    @admin.display(description="reverses")
    def reversal_of(self, entry: Entry) -> SafeString | str:
        """The entry this one takes back."""
        return entry_link(Entry.objects.filter(pk=entry.reverses).first() if entry.reverses else None)

    @admin.display(description="reversed by")
    def reversed_by(self, entry: Entry) -> SafeString | str:
        """The entry that took this one back."""
        return entry_link(Entry.objects.filter(reverses=entry.pk).first())


def entry_link(entry: Entry | None) -> SafeString | str:
    """A link to an entry's page, or that there is none."""
    if entry is None:
        return "none"
    address = reverse("admin:ledger_entry_change", args=[entry.pk])
    return format_html('<a href="{}">{} {}</a>', address, entry.seq, entry.kind)


class StreamParts:
    """What the page of a stream says of its end."""

    @admin.display(description="last number", ordering="head__seq")
    def last_number(self, stream: Stream) -> int:
        """How many entries it has."""
        return stream.head.seq

    @admin.display(description="last recorded at", ordering="head__recorded_at")
    def last_recorded_at(self, stream: Stream) -> object:
        """When its last entry was recorded."""
        return stream.head.recorded_at

    @admin.display(description="last hash")
    def last_hash(self, stream: Stream) -> str:
        """Hash of its last entry."""
        return bytes(stream.head.hash).hex()
