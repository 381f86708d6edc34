"""One's own password and PIN, for whoever is logged in; and those of others, for the administrator."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters

from tables.admin.acts import ActForm, act_view
from tables.admin.base import HouseAdmin, viewer
from tables.admin.signed import SECOND, SignedForm
from tables.models import Staff
from tables.services.command import Command
from tables.services.credentials import (
    LEAVING,
    MIN_PASSWORD,
    access_end,
    credentials_reset,
    password_change,
    pin_change,
)

Service = Callable[..., Any]
DIGITS = r"^[0-9]{4,12}$"


def _secret(kind: str, **options: Any) -> forms.CharField:
    """A field nobody reads over a shoulder."""
    return forms.CharField(
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": kind, **options.pop("attrs", {})}),
        **options,
    )


class OwnForm(ActForm):
    """Change what one proves oneself with; the new one is typed twice."""

    button = "Change it"

    old = _secret("current-password", label="Your password")

    def clean(self) -> dict[str, Any]:
        """Both are one."""
        data = self.cleaned_data
        if "new" in data and "again" in data and data["new"] != data["again"]:
            self.add_error("again", "The two differ.")
        return data

    def change(self, service: Service, command: Command) -> None:
        """Call the service."""
        data = self.cleaned_data
        service(casino_id=self.casino.id, old=data["old"], new=data["new"], command=command)
        self.leads_to = reverse("admin:index")


class PasswordForm(OwnForm):
    """Change one's own password."""

    operation = "staff.password"
    title = "Change your password"
    lead = "It opens this site. Wherever else you are logged in, you are logged out; the journal keeps when."

    new = _secret(
        "new-password",
        label="New password",
        min_length=MIN_PASSWORD,
        help_text=f"At least {MIN_PASSWORD} characters.",
    )
    again = _secret("new-password", label="New password again")

    def perform(self, command: Command) -> str:
        """Change it."""
        self.change(password_change, command)
        return "Your password was changed."


class PinForm(OwnForm):
    """Change one's own PIN."""

    operation = "staff.pin"
    title = "Change your PIN"
    lead = "You sign in at terminals with it, and as the second person. The journal keeps when it changed."

    new = forms.RegexField(
        DIGITS,
        label="New PIN",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
        help_text="4 to 12 digits.",
        error_messages={"invalid": "A PIN has 4 to 12 digits."},
    )
    again = _secret("off", label="New PIN again", attrs={"inputmode": "numeric"})

    def perform(self, command: Command) -> str:
        """Change it."""
        self.change(pin_change, command)
        return "Your PIN was changed."


class ResetForm(SignedForm):
    """Give somebody another PIN or password."""

    operation = "staff.reset"
    title = "Give another PIN or password"
    lead = "For somebody who has forgotten theirs; they change it themselves as soon as they can. Two sign."
    button = "Give it"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"New": ("new_pin", "new_password"), **SECOND}

    new_pin = forms.RegexField(
        DIGITS,
        required=False,
        label="New PIN",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
        help_text="4 to 12 digits; empty to keep theirs.",
        error_messages={"invalid": "A PIN has 4 to 12 digits."},
    )
    new_password = _secret(
        "new-password",
        required=False,
        min_length=MIN_PASSWORD,
        help_text=f"At least {MIN_PASSWORD} characters; empty to keep theirs.",
    )

    def perform(self, command: Command) -> str:
        """Give it."""
        assert self.object_id is not None, "the address names the person"
        credentials_reset(
            casino_id=self.casino.id,
            staff_id=self.object_id,
            pin=self.cleaned_data["new_pin"],
            password=self.cleaned_data["new_password"],
            second=self.second,
            command=command,
        )
        return "It was given; they should change it themselves."


class LeaveForm(ActForm):
    """End somebody's access."""

    operation = "staff.leave"
    title = "End this person's access"
    lead = "At once, to this site, to terminals and to signatures. What they did stays, as does their name."
    button = "End it"

    reason = forms.ChoiceField(
        choices=[("", "Choose a reason"), *((reason, reason.capitalize()) for reason in LEAVING)]
    )

    def perform(self, command: Command) -> str:
        """End it."""
        assert self.object_id is not None, "the address names the person"
        access_end(
            casino_id=self.casino.id,
            staff_id=self.object_id,
            reason=self.cleaned_data["reason"],
            command=command,
        )
        return "Their access has ended."


def own_password(model_admin: HouseAdmin) -> Callable[..., HttpResponse]:
    """The page on which one changes one's password; the session it was changed in goes on."""
    page = act_view(model_admin, PasswordForm)

    def view(request: HttpRequest) -> HttpResponse:
        answer: HttpResponse = page(request)
        if request.method == "POST" and answer.status_code == 302:
            update_session_auth_hash(request, Staff.objects.get(pk=viewer(request).pk))
        return answer

    return sensitive_post_parameters()(view)


def own_pin(model_admin: HouseAdmin) -> Callable[..., HttpResponse]:
    """The page on which one changes one's PIN."""
    page: Callable[..., HttpResponse] = sensitive_post_parameters()(act_view(model_admin, PinForm))
    return page
