"""Closed gaming days, and the act that closes one."""

from collections.abc import Iterator
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from ledger.models import Checkpoint
from tables.admin.acts import ActListAdmin
from tables.admin.signed import SECOND, SignedForm
from tables.admin.text import NOTHING, amount_text, anchor, entries_address, link, money, part, state
from tables.models import Casino, ClosedDay, Countersignature
from tables.selectors.days import day_to_close, still_open
from tables.services.command import Command
from tables.services.days import gaming_day_close


class DayClosingForm(SignedForm):
    """Close a gaming day."""

    operation = "day.close"
    title = "Close a gaming day"
    lead = (
        "The journal keeps the day's figures as they are now, under two signatures. Where a day is closed "
        "before its roll-over hour, nothing begins any more until the next one does."
    )
    button = "Close the day"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Day": ("gaming_day",), **SECOND}

    gaming_day = forms.DateField(help_text="The date it began on, as 2026-11-30.")

    def __init__(self, casino: Casino, object_id: UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.day = day_to_close(casino, timezone.now())
        self.initial.setdefault("gaming_day", self.day)

    def remarks(self) -> Iterator[str]:
        """What is still open of the day that is to be closed next."""
        if self.casino.closed_day is not None and self.day <= self.casino.closed_day:
            yield f"Gaming day {self.day} is closed already."
            return
        found = still_open(self.casino, self.day)
        yield f"Still open of gaming day {self.day}:" if found else f"Nothing of {self.day} is open any more."
        for each in found:
            yield each.what

    def perform(self, command: Command) -> str:
        """Close it."""
        day = self.cleaned_data["gaming_day"]
        gaming_day_close(casino_id=self.casino.id, gaming_day=day, second=self.second, command=command)
        return f"Gaming day {day} was closed."


@admin.register(ClosedDay)
class ClosedDayAdmin(ActListAdmin):
    """Gaming days that were closed, with the figures they were closed on."""

    act = DayClosingForm
    act_word = "close"
    list_display = ("gaming_day", "closed_at", "sessions", "drop", "win", "sealed_by", "stamped")
    related = ("casino",)
    unread = ("timestamp",)
    ordering = ("-gaming_day",)
    search_fields = ("gaming_day",)
    search_help_text = "A gaming day, for example 2026-11-30"
    fieldsets = (
        (None, {"fields": ("gaming_day", "closed_at", "how", "entry", "signatures")}),
        ("Figures when it was closed", {"fields": ("tables_shown", "redeemed")}),
        ("Proof", {"fields": ("sealed_by", "timestamped_at", "stamp")}),
    )

    def get_urls(self) -> list[URLPattern]:
        """The stock pages, the act's, and the timestamp to take away."""
        view = self.admin_site.admin_view(self.stamp_file)
        own = path("<uuid:object_id>/timestamp/", view, name="tables_closedday_timestamp")
        return [own, *super().get_urls()]

    def heading(self, closed: ClosedDay) -> str:
        """Which day."""
        return f"Gaming day {closed}"

    @admin.display(description="sessions")
    def sessions(self, closed: ClosedDay) -> int:
        """How many sessions it had."""
        return int(_total(closed)["sessions"])

    @admin.display(description="drop")
    def drop(self, closed: ClosedDay) -> SafeString:
        """The counted drop of all tables."""
        return money(_total(closed)["drop"], closed.casino.currency)

    @admin.display(description="win")
    def win(self, closed: ClosedDay) -> SafeString:
        """The win of all tables."""
        return money(_total(closed)["win"], closed.casino.currency)

    @admin.display(description="closed")
    def how(self, closed: ClosedDay) -> str:
        """Whether before its end."""
        return "Before its roll-over hour" if closed.early else "After its end"

    @admin.display(description="journal")
    def entry(self, closed: ClosedDay) -> SafeString:
        """The closing entry."""
        return anchor(entries_address(closed.casino.stream, closed.seq, closed.seq), f"Entry {closed.seq}")

    @admin.display(description="signatures")
    def signatures(self, closed: ClosedDay) -> SafeString | str:
        """Who closed it."""
        signed = Countersignature.objects.filter(stream=closed.casino.stream, seq=closed.seq)
        rows = list(signed.select_related("first", "second"))
        return part("signatures", rows=rows) if rows else NOTHING

    @admin.display(description="tables")
    def tables_shown(self, closed: ClosedDay) -> SafeString | str:
        """Each table's day, and the total."""
        lines = [*closed.figures["tables"], {"code": "all", **_total(closed)}]
        rows = [_cells(line, closed.casino.currency) for line in lines]
        return part("day", rows=rows, currency=closed.casino.currency)

    @admin.display(description="redeemed")
    def redeemed(self, closed: ClosedDay) -> str:
        """What the cage paid for chips."""
        said = closed.figures["redemptions"]
        return f"{said['number']} times, {amount_text(said['paid'], closed.casino.currency)} in all"

    @admin.display(description="sealed by")
    def sealed_by(self, closed: ClosedDay) -> SafeString | str:
        """The checkpoint that seals the closing."""
        if closed.checkpoint is None:
            return state("waiting", "Not yet")
        return link(Checkpoint(size=closed.checkpoint), f"Checkpoint of {closed.checkpoint}")

    @admin.display(description="stamped")
    def stamped(self, closed: ClosedDay) -> SafeString | str:
        """Whether a time-stamping authority vouches for that checkpoint."""
        return state("done", "Stamped") if closed.timestamped_at else NOTHING

    @admin.display(description="timestamp")
    def stamp(self, closed: ClosedDay) -> SafeString | str:
        """The authority's answer, to take away."""
        if closed.timestamped_at is None:
            return NOTHING
        return anchor(reverse("admin:tables_closedday_timestamp", args=[closed.pk]), "RFC 3161 answer")

    def stamp_file(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The timestamp of a day's checkpoint as the authority sent it."""
        closed = self.get_queryset(request).filter(pk=object_id, timestamp__isnull=False).first()
        if closed is None:
            raise Http404
        headers = {"Content-Disposition": f'attachment; filename="{closed.checkpoint}.tsr"'}
        return HttpResponse(
            bytes(closed.timestamp), content_type="application/timestamp-reply", headers=headers
        )


def _total(closed: ClosedDay) -> dict[str, Any]:
    total: dict[str, Any] = closed.figures["total"]
    return total


def _cells(line: dict[str, Any], currency: str) -> list[str]:
    """A line of the figures as texts; what is not known is a dash."""
    amounts = [line[name] for name in ("fills", "credits", "drop", "win")]
    texts = [NOTHING if amount is None else amount_text(amount, currency) for amount in amounts]
    return [line["code"], str(line["sessions"]), *texts, line["win_state"].capitalize()]
