"""Schedules of exports and kept filters in the admin site."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from audit.admin_history import ROUND_FILES, FilterForm, told
from audit.models import ExportDestination, ExportSchedule, SavedFilter
from audit.services.export_schedules import schedule_change, schedule_end, schedule_make
from audit.services.saved_filters import filter_forget, filter_save
from tables.admin.acts import ActForm, ActListAdmin, RowActs
from tables.admin.text import anchor, state
from tables.models import Casino, Staff
from tables.services.command import Command


class ScheduleForm(FilterForm):
    """Export every gaming day."""

    operation = "export.schedule"
    title = "Schedule an export"
    lead = "Once for each gaming day, the rows that have all of these go to a folder of the destination."
    button = "Schedule"
    of_a_day = True

    form = forms.ChoiceField(choices=ROUND_FILES, label="File")
    hour = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=23,
        help_text="Of the casino's clock; empty for when the day is closed.",
    )
    destination = forms.ChoiceField(choices=ExportDestination.choices)
    folder = forms.CharField(max_length=40, help_text="Small letters, digits, hyphens and underscores.")

    def said(self) -> dict[str, Any]:
        """What the service is told."""
        return {name: self.cleaned_data[name] for name in ("form", "hour", "destination", "folder")} | {
            "filter": self.wanted()
        }

    def perform(self, command: Command) -> str:
        """Make it."""
        schedule_make(casino_id=self.casino.id, command=command, **self.said())
        return "The export was scheduled."


class ScheduleChangeForm(ScheduleForm):
    """Change a schedule."""

    title = "Change this schedule"
    button = "Change it"

    active = forms.BooleanField(required=False, help_text="One that is not rests until it is again.")

    def __init__(self, casino: Casino, object_id: UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        if object_id is not None:
            kept = ExportSchedule.objects.get(id=object_id)
            for name in ("form", "hour", "destination", "folder", "active"):
                self.initial.setdefault(name, getattr(kept, name))
            self.show(kept.filter)

    def perform(self, command: Command) -> str:
        """Change it."""
        assert self.object_id is not None, "the address names the schedule"
        schedule_change(
            casino_id=self.casino.id,
            schedule_id=self.object_id,
            active=self.cleaned_data["active"],
            command=command,
            **self.said(),
        )
        return "The schedule was changed."


class ScheduleEndForm(ActForm):
    """End a schedule."""

    operation = "export.schedule"
    title = "End this schedule"
    lead = "Nothing is exported by it any more. What it has exported stays."
    button = "End it"

    def perform(self, command: Command) -> str:
        """End it."""
        assert self.object_id is not None, "the address names the schedule"
        schedule_end(casino_id=self.casino.id, schedule_id=self.object_id, command=command)
        return "The schedule was ended."


@admin.register(ExportSchedule)
class ExportScheduleAdmin(ActListAdmin, RowActs):
    """Exports of each gaming day."""

    of_row = {"change_it": ScheduleChangeForm, "end_it": ScheduleEndForm}
    act = ScheduleForm
    act_word = "make"
    list_display = ("form", "when", "destination", "folder", "standing", "last_day", "made_by")
    related = ("casino", "made_by")
    ordering = ("made_at", "pk")
    fields = (
        "standing",
        "form",
        "when",
        "destination",
        "folder",
        "rows",
        "last_day",
        "last_run_at",
        "made_by",
    )

    def makes_sense(self, word: str, row: ExportSchedule) -> bool:
        """What has ended is over."""
        return row.ended_at is None

    @admin.display(description="status")
    def standing(self, schedule: ExportSchedule) -> SafeString:
        """Whether it runs."""
        if schedule.ended_at is not None:
            return state("off", "Ended")
        return state("running", "Active") if schedule.active else state("waiting", "Resting")

    @admin.display(description="when", ordering="hour")
    def when(self, schedule: ExportSchedule) -> str:
        """At which hour of the casino's clock."""
        return "When the day is closed" if schedule.hour is None else f"At {schedule.hour}:00"

    @admin.display(description="which rows")
    def rows(self, schedule: ExportSchedule) -> SafeString:
        """The filter."""
        return told(schedule.filter)


class SaveForm(FilterForm):
    """Keep a filter."""

    operation = "filter.keep"
    title = "Keep a filter"
    lead = "Under a name of yours; nobody else sees it."
    button = "Keep it"

    name = forms.SlugField(max_length=40)

    def perform(self, command: Command) -> str:
        """Keep it."""
        filter_save(
            casino_id=self.casino.id,
            name=self.cleaned_data["name"],
            filter=self.wanted(),
            actor=command.actor,
        )
        return "The filter was kept."


class ForgetForm(ActForm):
    """Keep a filter no longer."""

    operation = "filter.keep"
    title = "Forget this filter"
    button = "Forget it"

    def perform(self, command: Command) -> str:
        """Forget it."""
        assert self.object_id is not None, "the address names the filter"
        filter_forget(name=SavedFilter.objects.get(id=self.object_id).name, actor=command.actor)
        self.leads_to = reverse("admin:audit_savedfilter_changelist")
        return "The filter was forgotten."


@admin.register(SavedFilter)
class SavedFilterAdmin(ActListAdmin, RowActs):
    """The filters the viewer keeps."""

    of_row = {"forget": ForgetForm}
    act = SaveForm
    act_word = "keep"
    list_display = ("name", "rows", "shown_rows", "saved_at")
    ordering = ("name",)
    fields = ("name", "rows", "shown_rows", "saved_at")

    def of_house(self, rows: QuerySet[Any], person: Staff) -> QuerySet[Any]:
        """The person's own, of whichever house they are."""
        return rows.filter(staff=person) if person.casino_id else rows.none()

    @admin.display(description="which rows")
    def rows(self, kept: SavedFilter) -> SafeString:
        """The filter."""
        return told(kept.filter)

    @admin.display(description="round histories")
    def shown_rows(self, kept: SavedFilter) -> SafeString:
        """Where they are listed."""
        return anchor(f"{reverse('admin:audit_round_history')}?{urlencode({'kept': kept.name})}", "show")
