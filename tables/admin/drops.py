"""Drop boxes: where each is, who counted it, what was found, and what a difference asks for."""

from collections.abc import Mapping

from django.contrib import admin
from django.utils.safestring import SafeString

from tables.admin.base import table_filter
from tables.admin.rejects import BoxRejectForm
from tables.admin.signed import AtTableAdmin
from tables.admin.text import (
    NOTHING,
    anchor,
    count_table,
    entries_address,
    link,
    money,
    part,
    status_shown,
    words,
)
from tables.models import BoxStatus, Countersignature, DropBox
from tables.selectors.jurisdiction import profile_on

TONES = {
    BoxStatus.ON_TABLE: "running",
    BoxStatus.REMOVED: "waiting",
    BoxStatus.FIRST_COUNTED: "waiting",
    BoxStatus.DIFFERS: "bad",
    BoxStatus.COUNTED: "done",
}
SEALED = "sealed until the second count is posted"


@admin.register(DropBox)
class DropBoxAdmin(AtTableAdmin):
    """Boxes with their two counts; a first count is on no page before the second is posted."""

    at_table = (BoxRejectForm,)
    house = "table__casino"
    list_display = (
        "name",
        "gaming_day",
        "standing",
        "booked_money",
        "counted_money",
        "variance_money",
        "late",
    )
    related = ("table__casino", "session", "first_counter", "second_counter")
    list_filter = (table_filter("table"), "status")
    ordering = ("-put_at",)
    search_fields = ("table__code", "session__gaming_day")
    search_help_text = "A table's code or a gaming day, for example 2026-11-30"
    fieldsets = (
        (
            None,
            {"fields": ("name", "session_link", "gaming_day", "standing", "put_at", "removed_at", "late")},
        ),
        ("Drop", {"fields": ("booked_money", "counted_money", "notes", "chips", "instruments", "copies")}),
        (
            "Two counts",
            {
                "fields": (
                    "first_found",
                    "first_by",
                    "first_counted_at",
                    "commitment",
                    "second_found",
                    "second_by",
                )
            },
        ),
        ("Variance report", {"fields": ("variance_money", "tier", "told", "signatures")}),
        ("What happened", {"fields": ("entry_link", "id")}),
    )

    def heading(self, box: DropBox) -> str:
        """Which box."""
        return str(box)

    @admin.display(description="box", ordering="table__code")
    def name(self, box: DropBox) -> str:
        """Its table's code and its number."""
        return box.label

    @admin.display(description="session")
    def session_link(self, box: DropBox) -> SafeString | str:
        """The session whose drop it holds."""
        return link(box.session)

    @admin.display(description="gaming day", ordering="session__gaming_day")
    def gaming_day(self, box: DropBox) -> str:
        """The day it belongs to, however late it is counted."""
        return box.session.gaming_day.isoformat()

    @admin.display(description="status", ordering="status")
    def standing(self, box: DropBox) -> SafeString:
        """Where it stands, as words beside their sign."""
        return status_shown(TONES, BoxStatus(box.status))

    @admin.display(description="recorded", ordering="booked")
    def booked_money(self, box: DropBox) -> SafeString:
        """Cash recorded as put into it."""
        return money(box.booked, _currency(box), unknown="on the table")

    @admin.display(description="counted", ordering="total")
    def counted_money(self, box: DropBox) -> SafeString:
        """What was found in it, all together."""
        return money(box.total, _currency(box), unknown="not counted")

    @admin.display(description="variance")
    def variance_money(self, box: DropBox) -> SafeString:
        """Counted less recorded."""
        return money(box.variance, _currency(box), unknown="not counted")

    @admin.display(description="notes and coins")
    def notes(self, box: DropBox) -> SafeString | str:
        """Notes and coins by value."""
        return _found(box, box.counted, "notes")

    @admin.display(description="chips")
    def chips(self, box: DropBox) -> SafeString | str:
        """Chips by value."""
        return _found(box, box.counted, "chips")

    @admin.display(description="credit instruments")
    def instruments(self, box: DropBox) -> SafeString | str:
        """Credit instruments by value."""
        return _found(box, box.counted, "instruments")

    @admin.display(description="slip copies")
    def copies(self, box: DropBox) -> str:
        """The slip copies found."""
        return "nobody has looked" if box.slips is None else ", ".join(box.slips) or "none"

    @admin.display(description="first count")
    def first_found(self, box: DropBox) -> SafeString | str:
        """The notes of the first count, once they may be known."""
        return SEALED if box.status == BoxStatus.FIRST_COUNTED else _found(box, box.first_count, "notes")

    @admin.display(description="by")
    def first_by(self, box: DropBox) -> SafeString | str:
        """Who counted first."""
        return link(box.first_counter)

    @admin.display(description="second count")
    def second_found(self, box: DropBox) -> SafeString | str:
        """The notes of the second count."""
        return _found(box, box.second_count, "notes")

    @admin.display(description="by")
    def second_by(self, box: DropBox) -> SafeString | str:
        """Who counted second."""
        return link(box.second_counter)

    @admin.display(description="the profile asks for")
    def tier(self, box: DropBox) -> str:
        """How grave the profile of its gaming day holds the difference."""
        tier = profile_on(box.table.casino, box.session.gaming_day).tier(box.variance or 0)
        return words(tier.name) if tier else NOTHING

    @admin.display(description="to be told")
    def told(self, box: DropBox) -> str:
        """Whom it wants told of it."""
        tier = profile_on(box.table.casino, box.session.gaming_day).tier(box.variance or 0)
        return ", ".join(words(who) for who in tier.told) if tier else NOTHING

    @admin.display(description="signatures")
    def signatures(self, box: DropBox) -> SafeString | str:
        """Who signed its removal and its counts."""
        seqs = [seq for seq in (box.removed_seq, box.counted_seq) if seq is not None]
        signed = Countersignature.objects.filter(stream=box.table.stream, seq__in=seqs).order_by("seq")
        rows = list(signed.select_related("first", "second"))
        return part("signatures", rows=rows) if rows else NOTHING

    @admin.display(description="journal")
    def entry_link(self, box: DropBox) -> SafeString | str:
        """The entries from its removal to its count."""
        if box.removed_seq is None:
            return NOTHING
        last = box.counted_seq or box.removed_seq
        address = entries_address(box.table.stream, box.removed_seq, last)
        return anchor(address, f"Entries {box.removed_seq} to {last}")


def _found(box: DropBox, counted: Mapping[str, Mapping[str, int]] | None, kind: str) -> SafeString | str:
    return NOTHING if counted is None else count_table(counted.get(kind, {}), _currency(box))


def _currency(box: DropBox) -> str:
    return box.table.casino.currency
