"""The cage's redemptions; its slips, markers and promotional pieces have pages of their own."""

from django.contrib import admin
from django.utils.safestring import SafeString

from tables.admin.base import HouseAdmin
from tables.admin.text import amount_text, count_table, link, money
from tables.models import Redemption


@admin.register(Redemption)
class RedemptionAdmin(HouseAdmin):
    """Chips redeemed for cash."""

    list_display = ("at", "gaming_day", "total_money", "player", "cashier")
    related = ("casino", "player", "cashier")
    ordering = ("-at",)
    search_fields = ("gaming_day", "player__reference")
    search_help_text = "A gaming day, for example 2026-11-30, or a player's reference"
    fields = ("at", "gaming_day", "chip_count", "patron", "paid_by", "id")

    def heading(self, redemption: Redemption) -> str:
        """How much."""
        currency = redemption.casino.currency
        return f"Redemption of {amount_text(redemption.total, currency)} {currency}"

    @admin.display(description="paid", ordering="total")
    def total_money(self, redemption: Redemption) -> SafeString:
        """The cash paid."""
        return money(redemption.total, redemption.casino.currency)

    @admin.display(description="chips")
    def chip_count(self, redemption: Redemption) -> SafeString | str:
        """The chips by denomination."""
        return count_table(redemption.chips, redemption.casino.currency)

    @admin.display(description="player")
    def patron(self, redemption: Redemption) -> SafeString | str:
        """Who brought the chips."""
        return link(redemption.player, nothing="somebody unknown")

    @admin.display(description="cashier")
    def paid_by(self, redemption: Redemption) -> SafeString | str:
        """Who paid."""
        return link(redemption.cashier)
