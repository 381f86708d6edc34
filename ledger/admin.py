"""The journal in the admin site: to look at, never to touch."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ledger import SYSTEM_ACTOR, selectors
from ledger.models import Account, Entry, Stream


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    """Lists and pages without a single act: the database would refuse them anyway."""

    actions = None
    show_full_result_count = False
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


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text.strip())
    except ValueError:
        return None


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Entries, newest first within their stream; searched by command, entry or actor id."""

    list_display = ("seq", "stream", "kind", "recorded_at", "actor", "short_hash")
    list_display_links = ("seq", "kind")
    list_filter = ("stream", "kind")
    list_select_related = ("stream",)
    search_fields = ("command_id",)
    search_help_text = "The id of a command, of an entry, or of the person who acted"
    fields = (
        "stream",
        "seq",
        "kind",
        "id",
        "command_id",
        "acted",
        "terminal",
        "recorded_at",
        "occurred_at",
        "reversal_of",
        "reversed_by",
        "movement_table",
        "payload_text",
        "digest_hex",
        "previous_hex",
        "hash_hex",
        "hash_version",
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Look an id up where indexes can; whatever is no id finds nothing."""
        if not search_term:
            return queryset, False
        sought = _uuid(search_term)
        if sought is None:
            return queryset.none(), False
        return queryset.filter(Q(pk=sought) | Q(command_id=sought) | Q(actor=sought)), False

    @admin.display(description="hash")
    def short_hash(self, entry: Entry) -> str:
        """The first eight bytes of the hash."""
        return bytes(entry.hash)[:8].hex()

    @admin.display(description="actor")
    def acted(self, entry: Entry) -> str:
        """Who did it, by name where the person is known here."""
        if entry.actor == SYSTEM_ACTOR:
            return "the system"
        person = get_user_model().objects.filter(pk=entry.actor).first()
        return f"{person} ({entry.actor})" if person else str(entry.actor)

    @admin.display(description="movements (minor units)")
    def movement_table(self, entry: Entry) -> SafeString | str:
        """What moved, in order."""
        rows = format_html_join(
            "",
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            (
                (m.line, m.source.name, m.target.name, f"{m.amount:,}", m.source.asset)
                for m in selectors.movements(entry)
            ),
        )
        if not rows:
            return "none"
        return format_html(
            "<table><thead><tr><th>Line</th><th>From</th><th>To</th><th>Amount</th><th>Asset</th></tr></thead>"
            "<tbody>{}</tbody></table>",
            rows,
        )

    @admin.display(description="payload")
    def payload_text(self, entry: Entry) -> SafeString:
        """The payload, indented."""
        return format_html("<pre>{}</pre>", entry.pretty_payload())

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

    @admin.display(description="reverses", empty_value="nothing")
    def reversal_of(self, entry: Entry) -> SafeString | None:
        """The entry this one takes back."""
        return _entry_link(Entry.objects.filter(pk=entry.reverses).first() if entry.reverses else None)

    @admin.display(description="reversed by", empty_value="nothing")
    def reversed_by(self, entry: Entry) -> SafeString | None:
        """The entry that took this one back."""
        return _entry_link(Entry.objects.filter(reverses=entry.pk).first())


def _entry_link(entry: Entry | None) -> SafeString | None:
    if entry is None:
        return None
    return format_html('<a href="{}">{}</a>', reverse("admin:ledger_entry_change", args=[entry.pk]), entry)


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    """Accounts with their balances."""

    list_display = ("name", "stream", "asset", "balance_text", "floor_text")
    list_filter = ("stream", "asset")
    list_select_related = ("stream",)
    search_fields = ("name", "stream__name")
    fields = ("stream", "name", "asset", "balance_text", "floor_text", "opened_seq")

    @admin.display(description="balance (minor units)", ordering="balance")
    def balance_text(self, account: Account) -> str:
        """The balance, grouped by thousands."""
        return f"{account.balance:,}"

    @admin.display(description="floor (minor units)")
    def floor_text(self, account: Account) -> str:
        """The lowest balance allowed."""
        return "none" if account.floor is None else f"{account.floor:,}"


@admin.register(Stream)
class StreamAdmin(ReadOnlyAdmin):
    """Streams with where they end."""

    list_display = ("name", "last_number", "last_recorded_at")
    list_select_related = ("head",)
    search_fields = ("name",)
    fields = ("name", "last_number", "last_recorded_at", "last_hash", "account_table")

    @admin.display(description="last number")
    def last_number(self, stream: Stream) -> int:
        """How many entries it has."""
        return stream.head.seq

    @admin.display(description="last recorded at")
    def last_recorded_at(self, stream: Stream) -> Any:
        """When its last entry was recorded."""
        return stream.head.recorded_at

    @admin.display(description="last hash")
    def last_hash(self, stream: Stream) -> str:
        """Hash of its last entry."""
        return bytes(stream.head.hash).hex()

    @admin.display(description="balances (minor units)")
    def account_table(self, stream: Stream) -> SafeString:
        """Every account with its balance."""
        rows = format_html_join(
            "",
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            ((a.name, f"{a.balance:,}", a.asset) for a in stream.accounts.order_by("name")),
        )
        return format_html(
            "<table><thead><tr><th>Account</th><th>Balance</th><th>Asset</th></tr></thead>"
            "<tbody>{}</tbody></table>",
            rows,
        )
