"""The cage's papers: fills and redemptions."""

from django.contrib import admin
from django.utils.safestring import SafeString

from tables.admin.base import HouseAdmin, table_filter
from tables.admin.text import amount_text, count_table, link, money, state
from tables.models import Fill, FillStatus, Redemption


@admin.register(Fill)
class FillAdmin(HouseAdmin):
    """Fill slips, by their gap-free numbers."""

    list_display = (
        "slip_number",
        "table",
        "standing",
        "total_money",
        "issued_at",
        "issued_by",
        "received_at",
        "received_by",
    )
    related = ("casino", "table", "issued_by", "received_by")
    list_filter = (table_filter("table"), "status")
    ordering = ("-slip_number",)
    search_fields = ("=slip_number", "table__code")
    search_help_text = "A slip number or a table's code"
    fields = (
        "slip_number",
        "table_link",
        "standing",
        "chip_count",
        "issued_at",
        "issuer",
        "received_at",
        "receiver",
        "id",
    )

    def heading(self, fill: Fill) -> str:
        """Which slip."""
        return f"Fill slip {fill.slip_number}"

    @admin.display(description="status", ordering="status")
    def standing(self, fill: Fill) -> SafeString:
        """Where the chips are."""
        tone = "waiting" if fill.status == FillStatus.ISSUED else "done"
        return state(tone, FillStatus(fill.status).label)

    @admin.display(description="chips", ordering="total")
    def total_money(self, fill: Fill) -> SafeString:
        """The value of the chips."""
        return money(fill.total, fill.casino.currency)

    @admin.display(description="chips")
    def chip_count(self, fill: Fill) -> SafeString | str:
        """The chips by denomination."""
        return count_table(fill.chips, fill.casino.currency)

    @admin.display(description="table")
    def table_link(self, fill: Fill) -> SafeString | str:
        """The table."""
        return link(fill.table)

    @admin.display(description="issued by")
    def issuer(self, fill: Fill) -> SafeString | str:
        """The cashier."""
        return link(fill.issued_by)

    @admin.display(description="received by")
    def receiver(self, fill: Fill) -> SafeString | str:
        """Whoever took it at the table."""
        return link(fill.received_by, nothing="not received yet")


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
