"""Forms that two people sign, and acts at a table, offered on the page of what they are about."""

import uuid
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404, QueryDict
from django.urls import URLPattern, path, reverse

from config.errors import DomainError
from tables.admin.acts import UNKNOWN, ActForm, act_view
from tables.admin.base import HouseAdmin
from tables.models import Casino, Staff, Table
from tables.services.command import Actor, Command
from tables.services.permissions import allowed
from tables.services.signatures import Approved, Badge, Second

SECOND: dict[str, tuple[str, ...]] = {"Second signature": ("badge", "pin", "approval")}


class SignedForm(ActForm):
    """An act that a second person signs: here on the page, or by an approval given elsewhere."""

    badge = forms.CharField(
        required=False,
        max_length=20,
        label="Badge of the second person",
        widget=forms.TextInput(UNKNOWN),
    )
    pin = forms.CharField(
        required=False,
        max_length=12,
        label="Their PIN",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )
    approval = forms.UUIDField(
        required=False,
        label="Or an approval",
        help_text="The id of one they gave elsewhere, in place of badge and PIN.",
    )

    def clean(self) -> dict[str, Any]:
        """One second signature, whole."""
        data = self.cleaned_data
        typed = bool(data.get("badge")) + bool(data.get("pin"))
        given = data.get("approval") is not None or "approval" in self.errors
        if typed != (0 if given else 2):
            raise ValidationError("The second person gives badge and PIN, or an approval.")
        return data

    @property
    def second(self) -> Second:
        """What the second person signs with."""
        data = self.cleaned_data
        if data["approval"] is not None:
            return Approved(data["approval"])
        return Badge(data["badge"], data["pin"])


class AtTableForm(ActForm):
    """An act at a table, on something of its own; what has changed since the page was opened refuses it."""

    word: ClassVar[str]  # ends the address of the page
    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        assert object_id is not None, "the address names what it is about"
        self.subject = object_id
        self.table = self.table_of(object_id)
        self.fields["version"].initial = self.table.version

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table at which it happens: the one of that id, unless a form says otherwise.

        Raises:
            Http404: for what is of no table of the house.
        """
        return house_table(self.casino, subject)

    @classmethod
    def fits(cls, row: Any) -> bool:
        """Whether the page of this row offers it."""
        raise AssertionError("an act at a table says what it is for")

    def command(self, person: Staff) -> Command:
        """The command, for the state of the table that the person saw."""
        actor = Actor(person.id, person.role, casino_id=self.casino.id)
        return Command(self.cleaned_data["command_id"], actor, self.cleaned_data["version"])

    def perform(self, command: Command) -> str:
        """Do it; what is refused as old may be sent again for the table as it is now."""
        try:
            return self.act(command)
        except DomainError as refused:
            if refused.code == "stale_version":
                self._look_again(int(refused.extra["current_version"]))
            raise

    def act(self, command: Command) -> str:
        """Call the service; answers what to tell the person.

        Raises:
            DomainError: the service's refusal.
        """
        raise AssertionError("an act at a table says what it does")

    def _look_again(self, version: int) -> None:
        """Sent once more, the form is for the table as it is now."""
        assert isinstance(self.data, QueryDict), "it came by POST"
        data = self.data.copy()
        data["version"] = str(version)
        self.data = data


class AtTableAdmin(HouseAdmin):
    """Rows whose page offers acts at a table, corrections among them, to those who may."""

    at_table: ClassVar[tuple[type[AtTableForm], ...]]

    def get_urls(self) -> list[URLPattern]:
        """The acts' pages, and all others."""
        pages = [
            path(f"<uuid:object_id>/{form.word}/", act_view(self, form), name=self._name_of(form))
            for form in self.at_table
        ]
        return [*pages, *super().get_urls()]

    def row_acts(self, person: Staff, row: Any) -> list[tuple[str, str]]:
        """The acts that fit, to those who may, and all others."""
        fitting = [
            (reverse(f"admin:{self._name_of(form)}", args=[row.pk]), form.title)
            for form in self.at_table
            if allowed(form.operation, person.role, None) and form.fits(row)
        ]
        return [*fitting, *super().row_acts(person, row)]

    def _name_of(self, form: type[AtTableForm]) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{form.word}"


def house_table(casino: Casino, table_id: uuid.UUID) -> Table:
    """A table of the house.

    Raises:
        Http404: there is no such table.
    """
    table = Table.objects.select_related("session", "rules").filter(casino=casino, pk=table_id).first()
    if table is None:
        raise Http404
    return table
