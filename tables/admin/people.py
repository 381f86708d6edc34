"""People: staff, players, who signed what, and what was refused to whom."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.safestring import SafeString

from tables.admin.acts import ActListAdmin, PlayerForm, RowActs
from tables.admin.base import HouseAdmin, attach, shown
from tables.admin.cash import ErasureForm, StaffErasureForm, TieForm, totals_shown
from tables.admin.employ import StaffForm
from tables.admin.markers import LATEST, LimitForm, owed_by
from tables.admin.own import LeaveForm, ResetForm, own_password, own_pin
from tables.admin.promos import GiveForm
from tables.admin.text import NOTHING, amount_text, anchor, entries_address, link, part, words
from tables.jurisdiction.catalogue import SIGNED
from tables.jurisdiction.profile import Practice
from tables.models import Countersignature, Player, PromoPiece, PromoStatus, Refusal, Staff, Terminal
from tables.selectors.chips import chips_walked
from tables.selectors.jurisdiction import profile_now
from tables.selectors.people import names_of
from tables.services.permissions import allowed

WALKED = {"seat.take": "sat down with", "seat.leave": "left with"}


@admin.register(Staff)
class StaffAdmin(ActListAdmin, RowActs):
    """Who works here, as what; PINs and passwords stand nowhere, not even hashed."""

    of_row = {"reset": ResetForm, "leave": LeaveForm, "erase": StaffErasureForm}
    act = StaffForm
    act_word = "employ"
    list_display = ("badge", "display_name", "role", "is_active", "last_login")
    secret = ("pin", "password")
    list_filter = ("role", "is_active")
    ordering = ("badge",)
    search_fields = ("badge", "display_name")
    fields = (
        "badge",
        "display_name",
        "role",
        "is_active",
        "may_use_admin",
        "may_sign_in",
        "last_login",
        "erased_at",
        "id",
    )

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, the acts', and those of whoever is logged in."""
        own = [
            path("own/password/", own_password(self), name="own_password"),
            path("own/pin/", own_pin(self), name="own_pin"),
        ]
        return [*own, *super().get_urls()]

    def makes_sense(self, word: str, row: Staff) -> bool:
        """Nobody is erased twice, and who has left has no access any more."""
        return row.erased_at is None and (row.is_active or word == "erase")

    @admin.display(description="has a password for this site", boolean=True)
    def may_use_admin(self, staff: Staff) -> bool:
        """Whether this person can log in here."""
        return staff.is_active and staff.is_staff and staff.has_usable_password()

    @admin.display(description="has a PIN for terminals", boolean=True)
    def may_sign_in(self, staff: Staff) -> bool:
        """Whether this person can sign in at terminals or countersign."""
        return staff.is_active and bool(staff.pin)


@admin.register(Player)
class PlayerAdmin(ActListAdmin, RowActs):
    """Players the house knows by a reference or a description."""

    of_row = {"limit": LimitForm, "pieces": GiveForm, "tie": TieForm, "erase": ErasureForm}
    act = PlayerForm
    act_word = "enter"
    list_display = ("name", "reference", "description")
    ordering = ("reference", "description")
    search_fields = ("reference", "description")
    related = ("casino", "same_as")
    fields = ("reference", "description", "is_also", "credit", "pieces", "cash", "walked", "erased_at", "id")

    def makes_sense(self, word: str, row: Player) -> bool:
        """Nothing after an erasure; a described person is tied once, and credit is for who has a reference,
        where the house has chosen markers."""
        fits = {
            "tie": not (row.reference or row.same_as_id),
            "limit": bool(row.reference) and profile_now(row.casino).allows(Practice.MARKERS),
        }
        return row.erased_at is None and fits.get(word, True)

    @admin.display(description="credit")
    def credit(self, player: Player) -> SafeString | str:
        """What they may owe, and what they owe."""
        return owed_by(player)

    @admin.display(description="promotional pieces")
    def pieces(self, player: Player) -> str:
        """How many they have."""
        held = PromoPiece.objects.filter(player=player, status=PromoStatus.ISSUED)
        return ", ".join(held.order_by("serial").values_list("serial", flat=True)[:LATEST]) or "none"

    @admin.display(description="is the same as")
    def is_also(self, player: Player) -> SafeString | str:
        """Who a described person was found to be."""
        return link(player.same_as)

    @admin.display(description="cash by gaming day")
    def cash(self, player: Player) -> SafeString | str:
        """What they brought and took."""
        return totals_shown(player)

    def get_fields(self, request: HttpRequest, obj: Player | None = None) -> Any:
        """Where chips walked is for those who watch."""
        person = request.user
        watching = isinstance(person, Staff) and allowed("audit.read", person.role, None)
        return [name for name in self.fields if watching or name != "walked"]

    @admin.display(description="chips from table to table")
    def walked(self, player: Player) -> SafeString | str:
        """What they brought to seats and carried off from them."""
        currency = player.casino.currency
        rows = [
            (step.at, step.code, step.seat, WALKED[step.kind], amount_text(step.chips, currency))
            for step in reversed(chips_walked(player.id))
        ]
        return part("chips_walked", rows=rows, currency=currency) if rows else NOTHING

    @admin.display(description="player", ordering="reference")
    def name(self, player: Player) -> str:
        """The reference, else the description."""
        return str(player)


class ActFilter(admin.SimpleListFilter):
    """Countersignatures by what was signed."""

    title = "act"
    parameter_name = "act"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The acts that need a second person."""
        return [(act, _operation(act)) for act in SIGNED]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The signatures under the act that was chosen."""
        return queryset.filter(act=self.value()) if self.value() else queryset


@admin.register(Countersignature)
class CountersignatureAdmin(HouseAdmin):
    """Acts that two people signed."""

    house = "first__casino"
    list_display = ("signed_at", "act_words", "first", "second", "addresses", "reason", "entry_link")
    list_display_links = ("signed_at",)
    related = ("first", "second", "first_terminal", "second_terminal")
    list_filter = (ActFilter,)
    ordering = ("-signed_at",)
    search_fields = ("first__badge", "second__badge", "reason")
    fields = (
        *("act_words", "reason", "entry_link"),
        *("first_link", "signed_at", "first_terminal", "first_from"),
        *("second_link", "second_signed_at", "second_terminal", "second_from"),
    )

    def heading(self, signed: Countersignature) -> str:
        """What was signed."""
        return f"Countersignature under {self.act_words(signed)}"

    @admin.display(description="act", ordering="act")
    def act_words(self, signed: Countersignature) -> str:
        """What was signed."""
        return _operation(signed.act)

    @admin.display(description="acted")
    def first_link(self, signed: Countersignature) -> SafeString | str:
        """Who acted."""
        return link(signed.first)

    @admin.display(description="countersigned")
    def second_link(self, signed: Countersignature) -> SafeString | str:
        """Who signed as the second."""
        return link(signed.second)

    @admin.display(description="acted from")
    def first_from(self, signed: Countersignature) -> str:
        """The network address of who acted."""
        return signed.first_address or NOTHING

    @admin.display(description="countersigned from")
    def second_from(self, signed: Countersignature) -> str:
        """The network address of who signed as the second."""
        return signed.second_address or NOTHING

    @admin.display(description="from")
    def addresses(self, signed: Countersignature) -> str:
        """Both addresses; one where they are the same."""
        return " and ".join(dict.fromkeys((self.first_from(signed), self.second_from(signed))))

    @admin.display(description="journal entry")
    def entry_link(self, signed: Countersignature) -> SafeString:
        """The entry under which both stand."""
        address = entries_address(signed.stream, signed.seq, signed.seq)
        return anchor(address, f"Entry {signed.seq}")


@admin.register(Refusal)
class RefusalAdmin(HouseAdmin):
    """Commands that were refused: nothing changed, but it is remembered."""

    list_display = ("at", "operation_words", "code_words", "detail", "person", "device")
    ordering = ("-id",)
    search_fields = ("operation", "code", "badge")
    search_help_text = "An operation, the code of a refusal, or the badge a wrong PIN was typed for"
    fields = ("at", "operation_words", "code", "detail", "badge", "person", "device", "command_id")

    def of_house(self, rows: QuerySet[Any], person: Staff) -> QuerySet[Any]:
        """A refusal belongs where the person, the badge or the terminal belongs."""
        if person.casino_id is None:
            return rows.none()
        staff = Staff.objects.filter(casino=person.casino_id)
        terminals = Terminal.objects.filter(casino=person.casino_id)
        return rows.filter(
            Q(staff_id__in=staff.values("id"))
            | Q(badge__in=staff.values("badge"))
            | Q(terminal_id__in=terminals.values("id"))
        )

    def prepare(self, request: HttpRequest, rows: Sequence[Refusal]) -> None:
        """The people and the terminals of these refusals."""
        names = names_of(row.staff_id for row in rows if row.staff_id)
        devices = Terminal.objects.in_bulk([row.terminal_id for row in rows if row.terminal_id])
        for row in rows:
            person = names[row.staff_id] if row.staff_id else NOTHING
            attach(row, (person, devices.get(row.terminal_id) if row.terminal_id else None))

    def heading(self, refusal: Refusal) -> str:
        """What was refused."""
        return f"Refusal of {self.operation_words(refusal)}"

    @admin.display(description="operation", ordering="operation")
    def operation_words(self, refusal: Refusal) -> str:
        """What was asked for."""
        return _operation(refusal.operation)

    @admin.display(description="refused because", ordering="code")
    def code_words(self, refusal: Refusal) -> str:
        """The stable code of the refusal, as words."""
        return words(refusal.code)

    @admin.display(description="who")
    def person(self, refusal: Refusal) -> str:
        """Who asked."""
        name: str = shown(refusal)[0]
        return name

    @admin.display(description="terminal")
    def device(self, refusal: Refusal) -> SafeString | str:
        """At which terminal."""
        return link(shown(refusal)[1])


def _operation(name: str) -> str:
    return words(name.replace(".", ": "))
