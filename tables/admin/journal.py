"""The journal of one house, with the names of its people and tables."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger import selectors
from ledger.admin import EntryParts, StreamParts, search_ids
from ledger.checkpoints.store import position_of
from ledger.models import Account, Entry, Stream
from tables.admin.base import HouseAdmin, attach, shown, viewer
from tables.admin.corrections import ReversalForm, corrections_about, corrections_table
from tables.admin.signed import AtTableAdmin
from tables.admin.text import anchor, asset_money, entries_address, link, part, pretty_text
from tables.models import Staff, Terminal
from tables.selectors.people import names_of
from tables.selectors.streams import NamedStream, streams_of

FAMILIES = (
    *("round", "deal", "pool", "collection", "hand", "session", "seat", "shoe", "fill", "credit", "cage"),
    *("terminal", "staff", "rule_set", "table"),
)


def house_streams(person: Staff) -> dict[int, NamedStream]:
    """The streams of the viewer's casino by id, read once per request."""
    if "_streams" not in person.__dict__:
        found = streams_of(person.casino_id) if person.casino_id else []
        person.__dict__["_streams"] = {stream.id: stream for stream in found}
    streams: dict[int, NamedStream] = person.__dict__["_streams"]
    return streams


class StreamFilter(admin.SimpleListFilter):
    """Entries and accounts of one stream; the journal is read stream by stream."""

    title = "stream"
    parameter_name = "stream__name"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The streams of the house."""
        return [(stream.name, stream.title) for stream in house_streams(viewer(request)).values()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Rows of the stream that was chosen."""
        if not self.value():
            return queryset
        chosen = [s.id for s in house_streams(viewer(request)).values() if s.name == self.value()]
        return queryset.filter(stream_id__in=chosen)


class FamilyFilter(admin.SimpleListFilter):
    """Entries by the first word of their kind."""

    title = "what about"
    parameter_name = "about"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The families of kinds there are."""
        return [(family, family.replace("_", " ").capitalize()) for family in FAMILIES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Entries of the family that was chosen."""
        return queryset.filter(kind__startswith=f"{self.value()}.") if self.value() else queryset


class HouseJournalAdmin(HouseAdmin):
    """Rows that belong to a casino through their stream."""

    house_field = "stream_id"

    def of_house(self, rows: QuerySet[Any], person: Staff) -> QuerySet[Any]:
        """Rows of the casino's streams."""
        return rows.filter(**{f"{self.house_field}__in": list(house_streams(person))})

    @admin.display(description="stream", ordering="stream_id")
    def stream_title(self, row: Any) -> str:
        """What people call the stream."""
        title: str = shown(row)["stream"]
        return title


@admin.register(Entry)
class EntryAdmin(EntryParts, AtTableAdmin, HouseJournalAdmin):
    """Entries, newest first within their stream."""

    at_table = (ReversalForm,)
    list_display = ("seq", "stream_title", "kind", "recorded_at", "acted", "short_hash")
    list_filter = (StreamFilter, FamilyFilter)
    related = ("stream",)
    ordering = ("-stream_id", "-seq")
    search_fields = ("id",)
    search_help_text = "The id of an entry or of a command"
    fieldsets = (
        (
            None,
            {"fields": ("stream_title", "seq", "kind", "acted", "device", "recorded_at", "occurred_at")},
        ),
        ("Movements", {"fields": ("movement_table",)}),
        ("Payload", {"fields": ("payload_text",)}),
        ("Neighbours", {"fields": ("before", "after", "reversal_of", "reversed_by", "corrections")}),
        (
            "Chain",
            {
                "fields": (
                    "id",
                    "command_id",
                    "digest_hex",
                    "previous_hex",
                    "hash_hex",
                    "hash_version",
                    "proof_link",
                )
            },
        ),
    )

    def prepare(self, request: HttpRequest, rows: Sequence[Entry]) -> None:
        """The names of the streams and of whoever acted."""
        streams = house_streams(viewer(request))
        names = names_of(row.actor for row in rows)
        for row in rows:
            attach(row, {"stream": streams[row.stream_id].title, "actor": names[row.actor]})

    def heading(self, entry: Entry) -> str:
        """Which entry of which stream."""
        return f"{self.stream_title(entry)}, entry {entry.seq}: {entry.kind}"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Look an id up where indexes can."""
        return (search_ids(queryset, search_term) if search_term else queryset), False

    @admin.display(description="by")
    def acted(self, entry: Entry) -> str:
        """Who did it."""
        name: str = shown(entry)["actor"]
        return name

    @admin.display(description="terminal")
    def device(self, entry: Entry) -> SafeString | str:
        """The terminal it came from: its name, and the id that the entry's hash covers."""
        if entry.terminal is None:
            return "none"
        name = link(Terminal.objects.filter(pk=entry.terminal).first(), nothing="unknown")
        return format_html("{} ({})", name, entry.terminal)

    @admin.display(description="movements")
    def movement_table(self, entry: Entry) -> SafeString | str:
        """What moved, in order."""
        rows = [
            (m.line, m.source.name, m.target.name, asset_money(m.amount, m.source.asset), m.source.asset)
            for m in selectors.movements(entry)
        ]
        return part("movements", rows=rows) if rows else "none"

    @admin.display(description="corrections")
    def corrections(self, entry: Entry) -> SafeString | str:
        """What it corrects, or what has corrected it: why, and who signed."""
        return corrections_table(entry.stream.name, corrections_about(entry))

    @admin.display(description="seal")
    def proof_link(self, entry: Entry) -> SafeString | str:
        """The proof that the entry is sealed, to take away."""
        found = position_of(entry.pk)
        if found is None or found[0] is None:
            return "not sealed yet"
        return anchor(reverse("admin:ledger_entry_proof", args=[entry.pk]), f"proof of leaf {found[0]}")

    @admin.display(description="payload")
    def payload_text(self, entry: Entry) -> SafeString:
        """The payload, indented."""
        return pretty_text(entry.pretty_payload())


@admin.register(Account)
class AccountAdmin(HouseJournalAdmin):
    """Accounts with their balances."""

    list_display = ("name", "stream_title", "asset", "balance_money", "floor_money")
    list_filter = (StreamFilter,)
    related = ("stream",)
    ordering = ("stream_id", "name")
    search_fields = ("name",)
    fields = ("stream_title", "name", "asset", "balance_money", "floor_money", "opened_seq")

    def prepare(self, request: HttpRequest, rows: Sequence[Account]) -> None:
        """The names of the streams."""
        streams = house_streams(viewer(request))
        for row in rows:
            attach(row, {"stream": streams[row.stream_id].title})

    @admin.display(description="balance", ordering="balance")
    def balance_money(self, account: Account) -> SafeString:
        """The balance."""
        return asset_money(account.balance, account.asset)

    @admin.display(description="never below")
    def floor_money(self, account: Account) -> SafeString | str:
        """The lowest balance allowed."""
        return "no floor" if account.floor is None else asset_money(account.floor, account.asset)


@admin.register(Stream)
class StreamAdmin(StreamParts, HouseJournalAdmin):
    """Streams with where they end."""

    house_field = "id"
    list_display = ("stream_title", "name", "last_number", "last_recorded_at")
    related = ("head",)
    ordering = ("id",)
    search_fields = ("name",)
    fields = ("stream_title", "name", "entries_link", "last_recorded_at", "last_hash", "account_table")

    def prepare(self, request: HttpRequest, rows: Sequence[Stream]) -> None:
        """The names of the streams."""
        streams = house_streams(viewer(request))
        for row in rows:
            attach(row, {"stream": streams[row.id].title})

    def heading(self, stream: Stream) -> str:
        """What people call the stream."""
        return f"Journal of: {self.stream_title(stream)}"

    @admin.display(description="entries")
    def entries_link(self, stream: Stream) -> SafeString:
        """All entries of the stream."""
        last = stream.head.seq
        return anchor(entries_address(stream.name, 1, last), f"Entries 1 to {last}")

    @admin.display(description="balances")
    def account_table(self, stream: Stream) -> SafeString:
        """Every account with its balance."""
        rows = [(a.name, asset_money(a.balance, a.asset)) for a in stream.accounts.order_by("name")]
        return part("balances", rows=rows)
