"""A table's life in the admin site: dealers' stints, and the acts on rounds, sessions and tables."""

import uuid
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from tables.admin.base import HouseAdmin, attach, shown, table_filter
from tables.admin.corrections import WHY, CorrectionForm, MispayForm
from tables.admin.signed import SECOND, house_table
from tables.admin.text import link, money, words
from tables.engine.actions import VOID_REASONS
from tables.models import Casino, Round, RoundStatus, RuleSet, SessionStatus, Stint, Table, TableSession
from tables.selectors.stints import StintFigures, stint_figures
from tables.services.command import Answer, Command
from tables.services.reopening import session_reopen
from tables.services.table_life import round_cancel, table_rules

SIGNED: dict[str, tuple[str, ...]] = {"Why": ("reason",), **SECOND}
HOUR, MINUTE = 3600, 60


class CancelForm(CorrectionForm):
    """Void a round that is over."""

    operation = "round.cancel"
    word = "void"
    title = "Void this round"
    lead = (
        "Everything the round moved goes back, once; what is not there any more is in dispute. The result "
        "stays on record and does not count."
    )
    button = "Void"
    done = "Voided"
    sections = WHY

    reason = forms.ChoiceField(
        choices=[("", "Choose a reason"), *((code, words(code).capitalize()) for code in VOID_REASONS)]
    )

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table it was played at."""
        return house_table(self.casino, Round.objects.values_list("table", flat=True).get(pk=subject))

    def correct(self, command: Command) -> Answer:
        """Void the round."""
        data = self.cleaned_data
        return round_cancel(
            round_id=self.subject,
            reason=data["reason"],
            note=data["note"],
            second=self.second,
            command=command,
        )

    @classmethod
    def fits(cls, row: Round) -> bool:
        """Rounds that count, while a session is open between rounds."""
        return row.status == RoundStatus.COMPLETE and MispayForm.fits(row.table)


class _LifeForm(CorrectionForm):
    """An act of a table's life: why, in a sentence, and a second signature."""

    sections = SIGNED
    reason = forms.CharField(max_length=200, help_text="In a sentence; it stays in the journal.")

    def act(self, command: Command) -> str:
        """Do it."""
        self.correct(command)
        return f"{self.done}: table {self.table.code}."


class ReopenForm(_LifeForm):
    """Cancel a closing."""

    operation = "session.reopen"
    word = "reopen"
    title = "Cancel the closing"
    lead = "The session goes on as if it had not been closed; the closer stays on record in the journal."
    button = "Cancel the closing"
    done = "Open again"

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table of the session."""
        return house_table(self.casino, TableSession.objects.values_list("table", flat=True).get(pk=subject))

    def correct(self, command: Command) -> Answer:
        """Cancel the closing."""
        reason = self.cleaned_data["reason"]
        return session_reopen(session_id=self.subject, reason=reason, second=self.second, command=command)

    @classmethod
    def fits(cls, row: TableSession) -> bool:
        """The table's last session, closed and not counted."""
        last = row.table.session_id is None and row.number == row.table.sessions_opened
        return row.status == SessionStatus.CLOSED and last


class RulesForm(_LifeForm):
    """Change a table's rule set."""

    operation = "table.rules"
    word = "rules"
    title = "Change the rule set"
    lead = "From the next round on the table plays by another rule set of its game; rounds keep their own."
    button = "Change"
    done = "Changed"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Rules": ("rules",), **SIGNED}

    rules = forms.ModelChoiceField(RuleSet.objects.none(), label="Rule set", empty_label="Choose a rule set")

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        field = self.fields["rules"]
        assert isinstance(field, forms.ModelChoiceField)
        others = RuleSet.objects.filter(casino=casino, game=self.table.rules.game)
        field.queryset = others.exclude(pk=self.table.rules_id).order_by("name", "version")

    def correct(self, command: Command) -> Answer:
        """Change the rule set."""
        return table_rules(
            table_id=self.table.id,
            rules_id=self.cleaned_data["rules"].pk,
            reason=self.cleaned_data["reason"],
            second=self.second,
            command=command,
        )

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Tables between rounds."""
        return row.round_id is None


@admin.register(Stint)
class StintAdmin(HouseAdmin):
    """Dealers' stints, with what was dealt in them and T where the tray was counted at both ends."""

    house = "table__casino"
    list_display = (
        "began_at",
        "table_link",
        "dealer_link",
        "lasted",
        "rounds",
        "began_money",
        "ended_money",
        "t_money",
    )
    related = ("table__casino", "session", "dealer")
    list_filter = (table_filter("table"),)
    ordering = ("-began_at",)
    search_fields = ("dealer__badge", "session__gaming_day")
    search_help_text = "A dealer's badge or a gaming day, for example 2026-11-30"
    fields = (
        *("began_at", "ended_at", "table_link", "session_link", "dealer_link", "lasted", "rounds"),
        *("began_money", "ended_money", "t_money", "began_seq", "ended_seq", "id"),
    )

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """A session's page links to its stints."""
        return lookup == "session__id__exact" or super().lookup_allowed(lookup, value, request)

    def heading(self, stint: Stint) -> str:
        """Whose, and where."""
        return f"{stint.dealer.badge} at table {stint.table.code}"

    def prepare(self, request: HttpRequest, rows: Sequence[Stint]) -> None:
        """The figures of these stints."""
        figures = stint_figures(rows)
        for row in rows:
            attach(row, figures[row.id])

    @admin.display(description="table")
    def table_link(self, stint: Stint) -> SafeString | str:
        """The table."""
        return link(stint.table)

    @admin.display(description="session")
    def session_link(self, stint: Stint) -> SafeString | str:
        """The session."""
        return link(stint.session)

    @admin.display(description="dealer")
    def dealer_link(self, stint: Stint) -> SafeString | str:
        """The dealer."""
        return link(stint.dealer)

    @admin.display(description="lasted")
    def lasted(self, stint: Stint) -> str:
        """Hours and minutes."""
        seconds = _figures(stint).seconds
        return f"{seconds // HOUR} h {seconds % HOUR // MINUTE:02} min"

    @admin.display(description="rounds")
    def rounds(self, stint: Stint) -> int:
        """How many were begun in it."""
        return _figures(stint).rounds

    @admin.display(description="tray at its beginning")
    def began_money(self, stint: Stint) -> SafeString:
        """As it was counted."""
        return money(stint.began_total, stint.table.casino.currency, unknown="not counted")

    @admin.display(description="tray at its end")
    def ended_money(self, stint: Stint) -> SafeString:
        """As it was counted."""
        return money(stint.ended_total, stint.table.casino.currency, unknown="not counted")

    @admin.display(description="T")
    def t_money(self, stint: Stint) -> SafeString:
        """What the tray differs by between the two counts."""
        return money(_figures(stint).tray, stint.table.casino.currency, unknown="not between counts")


def _figures(stint: Stint) -> StintFigures:
    figures: StintFigures = shown(stint)
    return figures
