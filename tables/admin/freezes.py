"""Freezing a table from the admin site, and letting it go on."""

from typing import ClassVar

from django import forms

from tables.admin.signed import SECOND, AtTableForm, SignedForm
from tables.models import Table
from tables.services.command import Command
from tables.services.freezes import table_freeze, table_release


class FreezeForm(AtTableForm):
    """Freeze a table."""

    operation = "table.freeze"
    word = "freeze"
    title = "Freeze this table"
    lead = "Until two let it go on nothing happens there but a void, and what becomes of its drop boxes."
    button = "Freeze it"

    reason = forms.CharField(max_length=200, help_text="In a sentence; the table shows it.")

    def act(self, command: Command) -> str:
        """Freeze it."""
        table_freeze(table_id=self.table.id, reason=self.cleaned_data["reason"], command=command)
        return f"Table {self.table.code} is frozen."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Open tables that are not."""
        return row.session_id is not None and not row.frozen


class ReleaseForm(SignedForm, AtTableForm):
    """Let a frozen table go on."""

    operation = "table.release"
    word = "release"
    title = "Let this table go on"
    lead = "What it was frozen for has been looked into; two sign."
    button = "Let it go on"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Why": ("reason",), **SECOND}

    reason = forms.CharField(max_length=200, help_text="What was found, in a sentence.")

    def act(self, command: Command) -> str:
        """Release it."""
        reason = self.cleaned_data["reason"]
        table_release(table_id=self.table.id, second=self.second, reason=reason, command=command)
        return f"Table {self.table.code} goes on."

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Frozen tables."""
        return bool(row.frozen)
