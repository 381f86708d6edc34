"""Terminals and who is signed in on them; administrators register and revoke them."""

from django.contrib import admin
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from tables.admin.acts import RevocationForm, TerminalForm, act_view
from tables.admin.base import HouseAdmin
from tables.admin.text import link, state
from tables.models import SignIn, Staff, Terminal
from tables.services.permissions import allowed


@admin.register(Terminal)
class TerminalAdmin(HouseAdmin):
    """Devices of the floor; what proves them stands nowhere, not even hashed."""

    list_display = ("name", "kind", "table", "standing", "enrolled_at", "expires_at")
    related = ("table",)
    unread = ("secret_hash", "code_hash")
    list_filter = ("kind",)
    ordering = ("name",)
    search_fields = ("name", "table__code")
    fields = (
        "name",
        "kind",
        "table_link",
        "standing",
        "network_list",
        "code_expires_at",
        "enrolled_at",
        "expires_at",
        "revoked_at",
        "id",
    )

    @admin.display(description="status")
    def standing(self, terminal: Terminal) -> SafeString:
        """Whether the terminal can be used now."""
        return _standing(terminal)

    @admin.display(description="table")
    def table_link(self, terminal: Terminal) -> SafeString | str:
        """The table it stands at."""
        return link(terminal.table, nothing="none: it is the cage's")

    @admin.display(description="networks")
    def network_list(self, terminal: Terminal) -> str:
        """Where the credential is good from."""
        return ", ".join(terminal.networks) or "any"

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, and those to register and to revoke."""
        return [
            path("register/", act_view(self, TerminalForm), name="tables_terminal_register"),
            path("<uuid:object_id>/revoke/", act_view(self, RevocationForm), name="tables_terminal_revoke"),
            *super().get_urls(),
        ]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """Administrators register terminals."""
        if not allowed(TerminalForm.operation, person.role, None):
            return []
        return [(reverse("admin:tables_terminal_register"), TerminalForm.title)]

    def row_acts(self, person: Staff, row: Terminal) -> list[tuple[str, str]]:
        """Administrators revoke terminals."""
        if row.revoked_at or not allowed(RevocationForm.operation, person.role, None):
            return []
        return [(reverse("admin:tables_terminal_revoke", args=[row.id]), RevocationForm.title)]


def _standing(terminal: Terminal) -> SafeString:
    now = timezone.now()
    if terminal.revoked_at:
        return state("bad", "Revoked")
    if terminal.expires_at <= now:
        return state("bad", "Expired")
    if terminal.enrolled_at:
        return state("running", "Enrolled")
    if terminal.code_expires_at and terminal.code_expires_at > now:
        return state("waiting", "Waits for its code")
    return state("off", "Code expired")


@admin.register(SignIn)
class SignInAdmin(HouseAdmin):
    """Who was signed in where, and when."""

    house = "terminal__casino"
    list_display = ("started_at", "staff", "terminal", "last_input_at", "ended_at")
    related = ("staff", "terminal")
    ordering = ("-started_at",)
    search_fields = ("staff__badge", "terminal__name")
    fields = ("staff_link", "terminal_link", "started_at", "last_input_at", "ended_at")

    def heading(self, sign_in: SignIn) -> str:
        """Who, where."""
        return f"{sign_in.staff} at {sign_in.terminal}"

    @admin.display(description="person")
    def staff_link(self, sign_in: SignIn) -> SafeString | str:
        """The person."""
        return link(sign_in.staff)

    @admin.display(description="terminal")
    def terminal_link(self, sign_in: SignIn) -> SafeString | str:
        """The terminal."""
        return link(sign_in.terminal)
