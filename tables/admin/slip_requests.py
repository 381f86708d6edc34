"""Fills and credits asked for from the admin site, and slips voided there; the cage does the rest."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django import forms
from django.urls import reverse

from tables.admin.fields import ask_for_chips, chips_given
from tables.admin.signed import SECOND, AtTableForm, SignedForm, house_table
from tables.models import Casino, Slip, SlipKind, SlipStatus, Table
from tables.services.command import Answer, Command
from tables.services.credits import credit_request
from tables.services.fills import fill_request
from tables.services.voids import slip_void


class RequestForm(SignedForm, AtTableForm):
    """Ask for a slip."""

    asks: ClassVar[Callable[..., Answer]]
    done: ClassVar[str]

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.chips = ask_for_chips(self)

    def headings(self) -> Mapping[str, tuple[str, ...]]:
        """The chips of the house, and who signs."""
        return {"Chips": self.chips, **SECOND}

    def act(self, command: Command) -> str:
        """Ask the cage."""
        chips = chips_given(self.cleaned_data)
        self.asks(table_id=self.table.id, chips=chips, second=self.second, command=command)
        self.leads_to = reverse("admin:tables_slip_changelist")
        return f"{self.done} for table {self.table.code}; the cage sees it."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Any table: it may be filled before it opens, and send chips back after it has closed."""
        return True


class FillRequestForm(RequestForm):
    """Ask for a fill."""

    operation = "fill.request"
    word = "request_fill"
    title = "Request a fill"
    lead = "Chips from the cage for this table. No chip moves before the cage issues the slip."
    button = "Request it"
    done = "A fill was requested"
    asks = staticmethod(fill_request)


class CreditRequestForm(RequestForm):
    """Ask for a credit."""

    operation = "credit.request"
    word = "request_credit"
    title = "Request a credit"
    lead = "Chips of this table for the cage. They are counted out of the tray once it has issued the slip."
    button = "Request it"
    done = "A credit was requested"
    asks = staticmethod(credit_request)


class VoidForm(SignedForm, AtTableForm):
    """Make a slip void."""

    operation = "slip.void"
    word = "void"
    title = "Void this slip"
    lead = "It keeps its number. The chips go back where they came from and are counted in there."
    button = "Void"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Why": ("reason",), **SECOND}

    reason = forms.CharField(max_length=200, help_text="In a sentence; it stays in the journal.")

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table it is of."""
        return house_table(self.casino, Slip.objects.values_list("table", flat=True).get(pk=subject))

    def act(self, command: Command) -> str:
        """Void it."""
        slip_void(
            table_id=self.table.id,
            slip_id=self.subject,
            reason=self.cleaned_data["reason"],
            second=self.second,
            command=command,
        )
        return "The slip is void."

    @classmethod
    def fits(cls, row: Slip) -> bool:
        """Slips on their way, and fills whose chips are in the tray."""
        here = row.kind == SlipKind.FILL and row.status == SlipStatus.RECEIVED
        return here or row.status == SlipStatus.ON_THE_WAY
