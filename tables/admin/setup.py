"""The acts that set a house up: its pits, the rules it plays by, its tables."""

import uuid
from typing import Any, ClassVar

from django import forms

from tables.admin.acts import ActForm
from tables.admin.fields import AmountField, in_currency
from tables.admin.signed import SECOND, SignedForm
from tables.admin.text import amount_text
from tables.engine.rules import DEFAULT_PAY_TABLE, MAX_MULTIPLE, MAX_ODDS, MAX_PACKS, MAX_SEATS, SPREADS
from tables.jurisdiction.catalogue import PROFILES
from tables.models import CardSource, Casino, Pit, RuleSet
from tables.services.command import Command
from tables.services.jurisdiction import profile_set
from tables.services.office import pit_create, rule_set_create, table_create

OFFERED = tuple(PROFILES.items())
RAISES = {
    "up_to": "Any amount up to the multiple",
    "exact_multiples": "Whole multiples of the bet",
    "exact_double": "Exactly the bet again",
}
PAYS = (*(f"pays_{spread}" for spread in SPREADS), "pays_trips")
# What the form offers, in steps of the smallest chip.
USUAL_STEPS = {"bet_step": 1, "min_bet": 5, "max_bet": 500}


class PitForm(ActForm):
    """Add a pit."""

    operation = "office.table"
    title = "Add a pit"
    lead = "A pit is a group of tables under one pit boss."
    button = "Add"

    code = forms.SlugField(max_length=20, help_text="Letters, digits, hyphens and underscores.")

    def perform(self, command: Command) -> str:
        """Add it."""
        code = self.cleaned_data["code"]
        pit_create(casino_id=self.casino.id, code=code, command=command)
        return f"Pit {code} was added."


def _odds(what: str, initial: int) -> forms.IntegerField:
    return forms.IntegerField(label=f"{what} pays, to 1", min_value=1, max_value=MAX_ODDS, initial=initial)


class RuleSetForm(ActForm):
    """Release a rule set; what it asks is what the engine's `RuleSet` holds."""

    operation = "office.rule_set"
    title = "Release rules of Red Dog"
    lead = (
        "Once released it never changes. Under a name that is used already it is the next version of that "
        "rule set; tables keep the version they were put up with."
    )
    button = "Release"
    sections = {
        "Game": ("name", "packs", "cut_card", "seats"),
        "Bets": ("bet_step", "min_bet", "max_bet", "raise_kind", "max_multiple", "round_cap"),
        "Pay table": PAYS,
    }
    amounts: ClassVar[tuple[str, ...]] = ("bet_step", "min_bet", "max_bet", "round_cap")

    name = forms.SlugField(max_length=40, help_text="Letters, digits, hyphens and underscores.")
    packs = forms.IntegerField(min_value=1, max_value=MAX_PACKS, initial=6, label="Packs in the shoe")
    cut_card = forms.IntegerField(
        min_value=0,
        initial=60,
        label="Cards behind the cut card",
        help_text="Once the cut card is reached, no further round begins.",
    )
    seats = forms.IntegerField(min_value=1, max_value=MAX_SEATS, initial=7)
    bet_step = AmountField(
        label="Bets go in steps of", help_text="All bets, raises and limits are multiples of it."
    )
    min_bet = AmountField(label="Lowest bet")
    max_bet = AmountField(label="Highest bet")
    raise_kind = forms.ChoiceField(choices=list(RAISES.items()), label="Raises")
    max_multiple = forms.IntegerField(
        min_value=1,
        max_value=MAX_MULTIPLE,
        initial=1,
        label="Highest raise, in bets",
        help_text="1: a raise is at most the bet. It must be 1 where a raise is exactly the bet.",
    )
    round_cap = AmountField(
        required=False,
        label="Most a round may win",
        help_text="Over all seats together; empty for no limit.",
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        usual = {
            name: amount_text(steps * min(casino.denominations), casino.currency)
            for name, steps in USUAL_STEPS.items()
        }
        in_currency(self)
        for name in self.amounts:
            self.fields[name].initial = usual.get(name)
        for spread in SPREADS:
            self.fields[f"pays_{spread}"] = _odds(f"Spread {spread}", DEFAULT_PAY_TABLE.spread(spread))
        self.fields["pays_trips"] = _odds("Three of a kind", DEFAULT_PAY_TABLE.trips)

    def clean(self) -> dict[str, Any]:
        """The limits in their order, which the engine would tell in minor units only."""
        data = self.cleaned_data
        low, high = data.get("min_bet"), data.get("max_bet")
        if low and high and low > high:
            self.add_error("max_bet", "The highest bet is below the lowest.")
        return data

    def perform(self, command: Command) -> str:
        """Release it."""
        name = self.cleaned_data["name"]
        answer = rule_set_create(casino_id=self.casino.id, name=name, body=self.body(), command=command)
        return f"Rule set {name} v{answer.body['version']} was released."

    def body(self) -> dict[str, Any]:
        """The rule set as the engine reads it."""
        data = self.cleaned_data
        plain = ("packs", "seats", "cut_card", *self.amounts)
        return {
            "game": "red_dog",
            **{name: data[name] for name in plain},
            "raise_rule": {"kind": data["raise_kind"], "max_multiple": data["max_multiple"]},
            "pay_table": {name.removeprefix("pays_"): data[name] for name in PAYS},
        }


class ProfileForm(SignedForm):
    """Choose the jurisdiction profile."""

    operation = "office.profile"
    title = "Choose the jurisdiction profile"
    lead = (
        "It says who signs what as the second, what differences of a count ask for, what cash is reported. "
        "It holds from a gaming day that has not begun; the days before keep theirs. A second person signs."
    )
    button = "Choose"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Profile": ("profile", "effective_from"), **SECOND}

    profile = forms.ChoiceField()
    effective_from = forms.DateField(
        label="First gaming day", widget=forms.DateInput(attrs={"type": "date"}), help_text="As 2026-12-31."
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        choice = self.fields["profile"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(f"{name}:{version}", f"{p.title} v{version}") for (name, version), p in OFFERED]

    def perform(self, command: Command) -> str:
        """Choose it."""
        data = self.cleaned_data
        name, version = data["profile"].split(":")
        profile_set(
            casino_id=self.casino.id,
            profile=name,
            version=int(version),
            effective_from=data["effective_from"],
            second=self.second,
            command=command,
        )
        return f"From gaming day {data['effective_from']} on the house plays by {name} v{version}."


class TableForm(ActForm):
    """Put up a table."""

    operation = "office.table"
    title = "Put up a table"
    lead = "It stands in a pit and plays by a released rule set: those come first."
    button = "Put up"

    pit = forms.ModelChoiceField(Pit.objects.none(), empty_label="Choose a pit")
    code = forms.SlugField(max_length=20, help_text="Letters, digits, hyphens and underscores.")
    rules = forms.ModelChoiceField(RuleSet.objects.none(), empty_label="Choose a rule set")
    card_source = forms.ChoiceField(
        choices=[("", "Choose where its cards come from"), *CardSource.choices], label="Cards"
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        pits, rules = self.fields["pit"], self.fields["rules"]
        assert isinstance(pits, forms.ModelChoiceField)
        assert isinstance(rules, forms.ModelChoiceField)
        pits.queryset = Pit.objects.filter(casino=casino).order_by("code")
        rules.queryset = RuleSet.objects.filter(casino=casino).order_by("name", "-version")

    def perform(self, command: Command) -> str:
        """Put it up."""
        data = self.cleaned_data
        table_create(
            casino_id=self.casino.id,
            pit_id=data["pit"].id,
            code=data["code"],
            rules_id=data["rules"].id,
            card_source=CardSource(data["card_source"]),
            command=command,
        )
        return f"Table {data['code']} stands in pit {data['pit']} now."
