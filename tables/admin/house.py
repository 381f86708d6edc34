"""The house itself: its casino, cage, pits and rule sets."""

from django.contrib import admin
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from ledger.selectors import balances
from tables.admin.acts import ActListAdmin, act_view
from tables.admin.base import HouseAdmin
from tables.admin.card_room import BankForm, PoolForm, limits_told
from tables.admin.profiles import profile_table
from tables.admin.setup import PitForm, ProfileForm, RuleSetForm
from tables.admin.text import amount_text, balances_told, link, part, pretty
from tables.models import Cage, Casino, Pit, RuleSet, Staff, Table
from tables.selectors.jurisdiction import profile_now
from tables.selectors.views import is_card_room
from tables.services.permissions import allowed


@admin.register(Casino)
class CasinoAdmin(ActListAdmin):
    """The viewer's casino."""

    act = ProfileForm
    act_word = "choose_profile"
    house = "pk"
    related = ("cage",)
    list_display = ("name", "code", "currency", "time_zone", "rollover_hour")
    fields = (
        *("name", "code", "currency", "time_zone", "rollover_hour", "chip_values", "cage_link", "id"),
        *("profile_chosen", "profile_history", "profile_told", "profile_text"),
    )

    @admin.display(description="chips in use")
    def chip_values(self, casino: Casino) -> str:
        """The values of the house's chips."""
        values = ", ".join(amount_text(value, casino.currency) for value in casino.denominations)
        return f"{values} {casino.currency}"

    @admin.display(description="jurisdiction profile")
    def profile_chosen(self, casino: Casino) -> str:
        """The profile in force on the gaming day that runs."""
        profile = profile_now(casino)
        return f"{profile.title} v{profile.version}"

    @admin.display(description="profiles chosen")
    def profile_history(self, casino: Casino) -> str:
        """Every choice, and from which gaming day on."""
        return ", ".join(f"{kept['name']} v{kept['version']} from {kept['from']}" for kept in casino.profiles)

    @admin.display(description="what it asks for")
    def profile_told(self, casino: Casino) -> SafeString:
        """Its thresholds in the house's currency, its periods, and who signs what as the second."""
        return profile_table(profile_now(casino), casino.currency)

    @admin.display(description="the whole of it, amounts in minor units")
    def profile_text(self, casino: Casino) -> SafeString:
        """The whole profile, with the rule each figure comes from."""
        return pretty(profile_now(casino).as_json)

    @admin.display(description="cage")
    def cage_link(self, casino: Casino) -> SafeString | str:
        """The casino's cage."""
        return link(casino.cage)


@admin.register(Cage)
class CageAdmin(HouseAdmin):
    """The cage: what is in the vault and the drawer."""

    list_display = ("name", "next_fill_number", "next_credit_number")
    related = ("casino",)
    fields = ("name", "next_fill_number", "next_credit_number", "version", "balance_table")

    def heading(self, cage: Cage) -> str:
        """Whose cage it is."""
        return self.name(cage)

    @admin.display(description="cage")
    def name(self, cage: Cage) -> str:
        """Whose cage it is."""
        return str(cage)

    @admin.display(description="balances")
    def balance_table(self, cage: Cage) -> SafeString:
        """The accounts of the cage's stream."""
        codes = {f"table:{table.id}": table.code for table in Table.objects.filter(casino=cage.casino_id)}
        return balances_told(balances(cage.stream), cage.casino.currency, codes)


@admin.register(Pit)
class PitAdmin(ActListAdmin):
    """Pits and their tables."""

    act = PitForm
    act_word = "create"
    list_display = ("code",)
    ordering = ("code",)
    fields = ("code", "tables_here")

    @admin.display(description="tables")
    def tables_here(self, pit: Pit) -> SafeString:
        """The tables of this pit."""
        return part("links", links=[link(table) for table in pit.tables.order_by("code")])


@admin.register(RuleSet)
class RuleSetAdmin(ActListAdmin):
    """Rule sets: every version that was ever released."""

    act = RuleSetForm
    act_word = "release"
    other_games = (
        ("release_pool", "tables_ruleset_release_pool", PoolForm),
        ("release_bank", "tables_ruleset_release_bank", BankForm),
    )
    list_display = ("name", "version", "game", "limits_money", "packs", "created_at")
    related = ("casino",)
    ordering = ("name", "-version")
    search_fields = ("name",)
    fieldsets = (
        (None, {"fields": ("name", "version", "game", "created_at", "limits_money", "pay_table")}),
        ("As the engine reads it", {"fields": ("body_text", "digest", "id")}),
    )

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, and one to release a rule set of each kind of game."""
        pages = [path(f"{word}/", act_view(self, form), name=name) for word, name, form in self.other_games]
        return [*pages, *super().get_urls()]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """A release for each kind of game, to those who may."""
        if not allowed(RuleSetForm.operation, person.role, None):
            return []
        others = [(reverse(f"admin:{name}"), form.title) for _, name, form in self.other_games]
        return [*super().list_acts(person), *others]

    @admin.display(description="bets")
    def limits_money(self, rules: RuleSet) -> str:
        """The lowest and the highest bet; the ante, or the bank, where players play each other."""
        if is_card_room(rules):
            return limits_told(rules)
        currency = rules.casino.currency
        low, high = (amount_text(rules.body[key], currency) for key in ("min_bet", "max_bet"))
        return f"{low} to {high} {currency}"

    @admin.display(description="packs")
    def packs(self, rules: RuleSet) -> int:
        """How many packs the shoe has."""
        return int(rules.body["packs"])

    @admin.display(description="pay table")
    def pay_table(self, rules: RuleSet) -> SafeString | str:
        """What each spread pays, to 1."""
        if is_card_room(rules):
            return "none: players win from each other"
        return part("pay_table", odds=rules.body["pay_table"].items())

    @admin.display(description="rules")
    def body_text(self, rules: RuleSet) -> SafeString:
        """The whole rule set."""
        return pretty(rules.body)
