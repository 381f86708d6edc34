"""Employing somebody, by the administrator and, where they may sign as the second, by another."""

from typing import Any, ClassVar

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from tables.admin.acts import UNKNOWN
from tables.admin.own import DIGITS
from tables.admin.signed import SECOND, SignedForm
from tables.models import Role, Staff
from tables.selectors.people import has_signers
from tables.services.command import Command
from tables.services.staff import staff_create

(SECOND_FIELDS,) = SECOND.values()


class StaffForm(SignedForm):
    """Employ somebody."""

    operation = "office.staff"
    title = "Employ somebody"
    lead = (
        "A PIN is for terminals and second signatures, a password for this site. Give what the work needs. "
        "Whoever may sign as the second, so everybody but an administrator, is employed by two; the first of "
        "them, in a new house, by you alone."
    )
    button = "Employ"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {
        "Person": ("new_badge", "display_name", "role", "new_pin", "password", "password_again")
    }

    new_badge = forms.SlugField(
        label="Badge",
        max_length=20,
        help_text="Letters, digits, hyphens and underscores.",
        widget=forms.TextInput(UNKNOWN),
    )
    display_name = forms.CharField(max_length=100, label="Name shown", widget=forms.TextInput(UNKNOWN))
    role = forms.ChoiceField(choices=[("", "Choose a role"), *Role.choices])
    new_pin = forms.RegexField(
        DIGITS,
        required=False,
        label="PIN",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
        help_text="4 to 12 digits; empty for none.",
        error_messages={"invalid": "A PIN has 4 to 12 digits."},
    )
    password = forms.CharField(
        required=False,
        min_length=12,
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 12 characters; empty for none.",
    )
    password_again = forms.CharField(
        required=False,
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def headings(self) -> dict[str, tuple[str, ...]]:
        """A house that has nobody yet who may sign is asked for no signature."""
        return self.sections | (SECOND if has_signers(self.casino) else {})

    def clean(self) -> dict[str, Any]:
        """Both passwords are one, and a good one; a second signature is whole, or not there at all."""
        data = self.cleaned_data if not self._is_signed() else super().clean()
        password = data.get("password", "")
        if password != data.get("password_again", ""):
            self.add_error("password_again", "The two passwords differ.")
        elif password:
            try:
                person = Staff(badge=data.get("new_badge", ""), display_name=data.get("display_name", ""))
                validate_password(password, person)
            except ValidationError as weak:
                self.add_error("password", weak)
        return data

    def perform(self, command: Command) -> str:
        """Employ the person."""
        data = self.cleaned_data
        staff_create(
            casino_id=self.casino.id,
            badge=data["new_badge"],
            display_name=data["display_name"],
            role=Role(data["role"]),
            pin=data["new_pin"],
            password=data["password"],
            second=self.second if self._is_signed() else None,
            command=command,
        )
        return f"{data['new_badge']} works here now."  # by the badge: a message may be kept with the session

    def _is_signed(self) -> bool:
        """Whether anything of a second signature was given."""
        return any(self.data.get(name) for name in SECOND_FIELDS)
