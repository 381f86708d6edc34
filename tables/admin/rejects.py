"""Chips that are none of the house's in the admin site: found in a tray, or in a drop box."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms

from tables.admin.fields import ask_for_chips, chips_given
from tables.admin.signed import SECOND, AtTableForm, SignedForm, house_table
from tables.admin.text import amount_text
from tables.models import BoxStatus, Casino, DropBox, Table
from tables.services.command import Answer, Command
from tables.services.rejects import REJECTED, box_reject, tray_reject


class RejectForm(SignedForm, AtTableForm):
    """Document chips that are none of the house's."""

    word = "reject"
    title = "Reject chips"
    button = "Document them"

    kind = forms.ChoiceField(
        choices=[("", "Choose what they are"), *((kind, kind.capitalize()) for kind in REJECTED)],
        label="They are",
    )
    note = forms.CharField(
        max_length=200, help_text="What they look like and where they are kept; it stays in the journal."
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.chips = ask_for_chips(self)

    def headings(self) -> Mapping[str, tuple[str, ...]]:
        """What they are, as what they were taken, and who signs."""
        return {"What was found": ("kind", "note"), "Taken for": self.chips, **SECOND}

    def reject(self, found: dict[str, Any], command: Command) -> Answer:
        """Call the service with what was found."""
        raise AssertionError("chips are found somewhere")

    def act(self, command: Command) -> str:
        """Document them."""
        data = self.cleaned_data
        found = {
            "kind": data["kind"],
            "note": data["note"],
            "pieces": chips_given(data),
            "second": self.second,
        }
        value = amount_text(self.reject(found, command).body["rejected"], self.casino.currency)
        return f"Chips taken for {value} {self.casino.currency} at table {self.table.code} were rejected."


class TrayRejectForm(RejectForm):
    """Those in a tray."""

    operation = "chips.reject"
    lead = (
        "Foreign, withdrawn or counterfeit chips in the tray. They leave its books at the value they were "
        "taken for, as a documented loss; two look at them and sign."
    )

    def reject(self, found: dict[str, Any], command: Command) -> Answer:
        """Out of the tray's books."""
        return tray_reject(table_id=self.table.id, command=command, **found)

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Open tables."""
        return row.session_id is not None


class BoxRejectForm(RejectForm):
    """Those in a drop box."""

    operation = "box.reject"
    lead = (
        "Foreign, withdrawn or counterfeit chips found in this box. Nothing was booked of them, so nothing "
        "moves; two look at them and sign."
    )

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table the box lay on."""
        return house_table(self.casino, DropBox.objects.values_list("table", flat=True).get(pk=subject))

    def reject(self, found: dict[str, Any], command: Command) -> Answer:
        """Documented only."""
        return box_reject(box_id=self.subject, command=command, **found)

    @classmethod
    def fits(cls, row: DropBox) -> bool:
        """Boxes that have left their table."""
        return row.status != BoxStatus.ON_TABLE
