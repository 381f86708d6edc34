"""The acts of this site: a page with a form, a POST, one service call.

Each form knows its operation (who may), and performs itself through the service. Its command id is made
with the empty form, so a form sent twice acts once.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from config.api.address import known_address
from config.errors import DomainError
from tables.admin.base import HouseAdmin, house_of, viewer
from tables.models import Casino, Staff, Table
from tables.services.command import Actor, Command
from tables.services.office import player_create
from tables.services.permissions import allowed
from tables.services.terminals import terminal_register, terminal_revoke

HOLDS = {
    "tray": "the tray",
    "vault": "the vault",
    "cash:drawer": "the cage's drawer",
    "promo:stock": "the stock of pieces",
}
UNKNOWN = {"autocomplete": "off"}  # it is somebody else's, not what the browser knows of its user


class ActForm(forms.Form):
    """A form that is one act. Subclasses name the operation and call the service in `perform`."""

    operation: ClassVar[str]
    title: ClassVar[str]
    lead: ClassVar[str] = ""
    button: ClassVar[str]
    answers_here: ClassVar[bool] = False  # on the page itself, for what is shown once; else on the list
    once_title: ClassVar[str] = ""  # what is shown once; and beside it what it is good for, or was
    once_note: ClassVar[str] = ""
    once_gone: ClassVar[str] = ""
    sections: ClassVar[dict[str, tuple[str, ...]]] = {}  # heading: fields; a short form has none
    leads_to: str = ""  # where the person goes when it is done; to the list if nothing is said
    required_css_class = "required"

    command_id = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.casino = casino
        self.object_id = object_id

    def command(self, person: Staff) -> Command:
        """The command this form is, by the person who sends it."""
        return Command(self.cleaned_data["command_id"], Actor(person.id, person.role))

    def parts(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """(heading, fields) in the order they are asked for."""
        headings = self.headings()
        if not headings:
            yield "", self.visible_fields()
        for heading, names in headings.items():
            yield heading, [self[name] for name in names]

    def headings(self) -> Mapping[str, tuple[str, ...]]:
        """The fields under each heading; a form whose fields are the house's to say makes them."""
        return self.sections

    def remarks(self) -> Iterable[str]:
        """What to know before performing it: a heading and what stands below it; usually nothing."""
        return ()

    def perform(self, command: Command) -> str:
        """Call the service; answers what to tell the person.

        Raises:
            DomainError: the service's refusal.
        """
        raise AssertionError("an act's form says what it does")

    def once(self) -> str:
        """What is shown on the answering page this one time and never again; usually nothing."""
        return ""


class PlayerForm(ActForm):
    """Enter a player."""

    operation = "office.player"
    title = "Enter a player"
    lead = "By the house's own reference where there is one, else by a description that finds them again."
    button = "Enter"

    reference = forms.CharField(required=False, max_length=40)
    description = forms.CharField(required=False, max_length=200)

    def clean(self) -> dict[str, Any]:
        """A player is known by something."""
        data = self.cleaned_data
        if not data.get("reference") and not data.get("description"):
            raise ValidationError("Give a reference or a description.")
        return data

    def perform(self, command: Command) -> str:
        """Enter the player."""
        data = self.cleaned_data
        player_create(
            casino_id=self.casino.id,
            reference=data["reference"],
            description=data["description"],
            command=command,
        )
        return "The player was entered."


class TerminalForm(ActForm):
    """Register a terminal."""

    operation = "office.terminal"
    title = "Register a terminal"
    lead = "The answer shows a code, once. Typed in at the device within the hour, it enrols the terminal."
    button = "Register"
    answers_here = True
    once_title = "Enrolment code"
    once_note = "It is shown this once, is good for an hour, and works one time."
    once_gone = (
        "Its code was shown then and is not kept. If it is lost, revoke the terminal and register it anew."
    )

    name = forms.CharField(max_length=60)
    table = forms.ModelChoiceField(
        Table.objects.none(),
        required=False,
        empty_label="The cage",
        label="Stands at",
        help_text="A table's terminal deals there, the cage's pays and issues slips.",
    )
    networks = forms.CharField(
        required=False,
        help_text="Where it may be used from, as 10.1.0.0/16, separated by spaces; empty for anywhere.",
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.code = ""
        choice = self.fields["table"]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = Table.objects.filter(casino=casino).order_by("code")

    def perform(self, command: Command) -> str:
        """Register the terminal and keep its code for the answering page."""
        data = self.cleaned_data
        _, self.code = terminal_register(
            casino_id=self.casino.id,
            table_id=data["table"].id if data["table"] else None,
            name=data["name"],
            networks=data["networks"].split(),
            command=command,
        )
        return f"Terminal {data['name']} was registered."

    def once(self) -> str:
        """The enrolment code; empty when the form was sent again."""
        return self.code


class RevocationForm(ActForm):
    """Revoke a terminal."""

    operation = "office.terminal"
    title = "Revoke this terminal"
    lead = "Its credential ends at once and for good. Its history stays."
    button = "Revoke"

    reason = forms.CharField(max_length=200)

    def perform(self, command: Command) -> str:
        """Revoke it."""
        assert self.object_id is not None, "the address names the terminal"
        terminal_revoke(
            casino_id=self.casino.id,
            terminal_id=self.object_id,
            reason=self.cleaned_data["reason"],
            command=command,
        )
        return "The terminal was revoked."


def act_view(model_admin: "ModelAdmin[Any]", form_class: type[ActForm]) -> Callable[..., Any]:
    """The page of an act on (or beside) the rows of a model: GET shows the form, POST performs it.

    Whoever may not perform it gets 403, before anything is read from the form.
    """

    def view(request: HttpRequest, object_id: uuid.UUID | None = None) -> HttpResponse:
        person = viewer(request)
        if not allowed(form_class.operation, person.role, None):
            raise PermissionDenied
        casino = house_of(request)
        row = _row(model_admin, request, object_id)
        if request.method != "POST":
            return _page(model_admin, request, form_class(casino, object_id, initial=_fresh()), row)
        form = form_class(casino, object_id, request.POST)
        if not form.is_valid():
            return _page(model_admin, request, form, row)
        return _perform(model_admin, request, form, row)

    return model_admin.admin_site.admin_view(view)


class ActListAdmin(HouseAdmin):
    """Rows whose list offers an act, to those who may perform it."""

    act: ClassVar[type[ActForm]]
    act_word: ClassVar[str]  # ends the address of the act's page, and its name

    def get_urls(self) -> list[URLPattern]:
        """The stock pages and the act's."""
        return [
            path(f"{self.act_word}/", act_view(self, self.act), name=self._act_name()),
            *super().get_urls(),
        ]

    def list_acts(self, person: Staff) -> list[tuple[str, str]]:
        """The act, to those who may."""
        if not allowed(self.act.operation, person.role, None):
            return []
        return [(reverse(f"admin:{self._act_name()}"), self.act.title)]

    def _act_name(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{self.act_word}"


class RowActs(HouseAdmin):
    """Rows whose own pages offer acts, by the word that ends each act's address."""

    of_row: ClassVar[Mapping[str, type[ActForm]]]

    def get_urls(self) -> list[URLPattern]:
        """The stock pages and the acts'."""
        own = [
            path(f"<uuid:object_id>/{word}/", act_view(self, form), name=self._name(word))
            for word, form in self.of_row.items()
        ]
        return [*own, *super().get_urls()]

    def row_acts(self, person: Staff, row: Any) -> list[tuple[str, str]]:
        """Those that make sense for this row, to those who may."""
        return [
            (reverse(f"admin:{self._name(word)}", args=[row.pk]), form.title)
            for word, form in self.of_row.items()
            if self.makes_sense(word, row) and allowed(form.operation, person.role, None)
        ]

    def makes_sense(self, word: str, row: Any) -> bool:
        """Whether an act could do anything to a row."""
        return True

    def _name(self, word: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{word}"


def _fresh() -> dict[str, uuid.UUID]:
    return {"command_id": uuid.uuid4()}


def _row(model_admin: "ModelAdmin[Any]", request: HttpRequest, object_id: uuid.UUID | None) -> Any:
    if object_id is None:
        return None
    row = model_admin.get_object(request, str(object_id))
    if row is None:
        raise Http404
    return row


def _perform(model_admin: "ModelAdmin[Any]", request: HttpRequest, form: ActForm, row: Any) -> HttpResponse:
    try:
        command = form.command(viewer(request))
        actor = replace(command.actor, address=known_address(request))
        said = form.perform(replace(command, actor=actor))
    except DomainError as refused:
        form.add_error(None, told(refused))
        return _page(model_admin, request, form, row)
    if form.answers_here:
        return _page(model_admin, request, form, row, done=said, once=form.once())
    messages.success(request, said)
    return HttpResponseRedirect(form.leads_to or _back(model_admin, row))


def told(refused: DomainError) -> str:
    """Why it was refused, for people; where something runs short, its place by the name they call it."""
    if refused.code == "floor_broken":
        account = str(refused.extra["account"])
        return f"There is not enough in {HOLDS.get(account, account.replace(':', ' '))}."
    return refused.detail or refused.code


def _list_address(model_admin: "ModelAdmin[Any]") -> str:
    options = model_admin.opts
    return reverse(f"admin:{options.app_label}_{options.model_name}_changelist")


def _back(model_admin: "ModelAdmin[Any]", row: Any) -> str:
    """Where the person came from: the page of the row, or the list."""
    if row is None:
        return _list_address(model_admin)
    options = model_admin.opts
    return reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk])


def _page(
    model_admin: "ModelAdmin[Any]",
    request: HttpRequest,
    form: ActForm,
    row: Any,
    *,
    done: str = "",
    once: str = "",
) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": form.title,
        "subtitle": str(row) if row else None,
        "opts": model_admin.opts,
        "form": form,
        "done": done,
        "once": once,
        "list_address": _list_address(model_admin),
        "back": _back(model_admin, row),
        "original": row,
    }
    return TemplateResponse(request, "admin/floor/act.html", context)
