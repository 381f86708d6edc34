"""Second signatures given beforehand: to look at, and to give."""

import uuid
from typing import Any

from django import forms
from django.contrib import admin

from tables.admin.acts import ActForm, ActListAdmin
from tables.admin.text import words
from tables.jurisdiction.catalogue import ACTS
from tables.models import Approval, Casino, Staff
from tables.services.approvals import approval_give
from tables.services.command import Command
from tables.services.signatures import Badge


class ApprovalForm(ActForm):
    """Sign an act beforehand."""

    operation = "approval.give"
    title = "Approve an act as its second"
    lead = (
        "You sign for one act on one thing as it stands now. The answer shows the approval's number: whoever "
        "acts gives it in the place of a second badge and PIN, once, within five minutes."
    )
    button = "Approve"
    answers_here = True
    once_title = "Approval"
    once_note = "It is good for this one act, once, for five minutes, while nothing else happens there."
    once_gone = "Its number was shown then. Approve anew if it is lost."

    act = forms.ChoiceField(choices=[("", "Choose what you sign"), *((act, act) for act in ACTS)])
    subject = forms.UUIDField(
        label="What it is on",
        help_text="The id of the round, session, journal entry or table; the casino's for cage and office.",
    )
    pin = forms.CharField(
        max_length=64,
        label="Your PIN",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.approval = ""

    def perform(self, command: Command) -> str:
        """Give the approval and keep its number for the answering page."""
        data = self.cleaned_data
        badge = Staff.objects.values_list("badge", flat=True).get(pk=command.actor.staff_id)
        answer = approval_give(
            casino_id=self.casino.id,
            act=data["act"],
            subject=data["subject"],
            badge=Badge(badge, data["pin"]),
            command=command,
        )
        self.approval = answer.body["approval"]
        return f"You have signed {data['act']}."

    def once(self) -> str:
        """The approval's number."""
        return self.approval


@admin.register(Approval)
class ApprovalAdmin(ActListAdmin):
    """Second signatures given beforehand, at a device of the signer's own."""

    act = ApprovalForm
    act_word = "give"
    list_display = ("given_at", "act_words", "given_by", "terminal", "expires_at", "used_at")
    list_display_links = ("given_at",)
    related = ("given_by", "terminal")
    ordering = ("-given_at",)
    search_fields = ("given_by__badge", "act")
    fields = (
        *("act_words", "subject", "version", "given_by", "terminal"),
        *("given_at", "expires_at", "used_at", "id"),
    )

    def heading(self, approval: Approval) -> str:
        """What was signed."""
        return f"Approval of {self.act_words(approval)}"

    @admin.display(description="act", ordering="act")
    def act_words(self, approval: Approval) -> str:
        """What was signed."""
        return words(approval.act.replace(".", ": "))
