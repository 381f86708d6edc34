"""Second signatures given beforehand: to look at, and to give."""

import uuid
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from tables.admin.acts import ActForm, ActListAdmin
from tables.admin.text import NOTHING, link, state, words
from tables.jurisdiction.catalogue import APPROVED
from tables.models import Approval, Casino, Countersignature, Staff
from tables.services.approvals import approval_give
from tables.services.command import Command
from tables.services.signatures import Badge


def _act_words(act: str) -> str:
    return words(act.replace(".", ": "))


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

    act = forms.ChoiceField(
        choices=[("", "Choose what you sign"), *((act, _act_words(act)) for act in APPROVED)]
    )
    subject = forms.UUIDField(
        label="What it is on",
        help_text="Its id, from its page; for other acts of cage and office the casino's.",
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
        return f"You have signed {_act_words(data['act'])}."

    def once(self) -> str:
        """The approval's number."""
        return self.approval


class UseFilter(admin.SimpleListFilter):
    """Approvals by what has become of them."""

    title = "status"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """What may become of one."""
        return [("used", "Used"), ("open", "Open"), ("expired", "Expired")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those of which that became."""
        now = timezone.now()
        chosen = {
            "used": Q(used_at__isnull=False),
            "open": Q(used_at=None, expires_at__gt=now),
            "expired": Q(used_at=None, expires_at__lte=now),
        }.get(self.value() or "")
        return queryset.filter(chosen) if chosen else queryset


@admin.register(Approval)
class ApprovalAdmin(ActListAdmin):
    """Second signatures given beforehand, at a device of the signer's own."""

    act = ApprovalForm
    act_word = "give"
    list_display = ("given_at", "act_words", "standing", "given_by", "given_from", "used_by", "used_from")
    list_display_links = ("given_at",)
    list_filter = (UseFilter,)
    related = ("given_by", "terminal", "countersignature__first")
    ordering = ("-given_at",)
    search_fields = ("given_by__badge", "act")
    fields = (
        *("act_words", "standing", "subject", "version"),
        *("given_by", "given_at", "terminal", "given_from", "expires_at"),
        *("used_by", "used_at", "used_from", "id"),
    )

    def heading(self, approval: Approval) -> str:
        """What was signed."""
        return f"Approval of {self.act_words(approval)}"

    @admin.display(description="act", ordering="act")
    def act_words(self, approval: Approval) -> str:
        """What was signed."""
        return _act_words(approval.act)

    @admin.display(description="status")
    def standing(self, approval: Approval) -> SafeString:
        """Whether it was used, or can be."""
        if approval.used_at is not None:
            return state("done", "Used")
        return state("waiting", "Open") if approval.expires_at > timezone.now() else state("off", "Expired")

    @admin.display(description="given from")
    def given_from(self, approval: Approval) -> str:
        """The network address of whoever gave it."""
        return approval.address or NOTHING

    @admin.display(description="used by")
    def used_by(self, approval: Approval) -> SafeString | str:
        """Who acted on it."""
        signed = _signature(approval)
        return link(signed.first) if signed else NOTHING

    @admin.display(description="used from")
    def used_from(self, approval: Approval) -> str:
        """The network address of whoever acted on it."""
        signed = _signature(approval)
        return (signed.first_address if signed else None) or NOTHING


def _signature(approval: Approval) -> Countersignature | None:
    """The signature it became, read with it."""
    return getattr(approval, "countersignature", None)
