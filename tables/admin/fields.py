"""What forms of this site ask for again and again: amounts, chips by value, numbered pieces, people."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import pretty_name

from tables.admin.acts import ActForm
from tables.admin.text import amount_of, amount_text
from tables.services.counts import MAX_PIECES

CHIP = "chip_"
MAX_LINES = 200
MAX_SERIAL = 40


class AmountField(forms.CharField):
    """An amount of money as people write it; cleaned it is minor units, or None where there is none."""

    currency = ""

    def __init__(self, **options: Any) -> None:
        attributes = {"autocomplete": "off", "inputmode": "decimal"}
        super().__init__(max_length=24, widget=forms.TextInput(attributes), **options)

    def clean(self, value: Any) -> int | None:
        """The amount in minor units.

        Raises:
            ValidationError: for what is no amount above zero in this currency.
        """
        text = super().clean(value)
        if not text:
            return None
        try:
            amount = amount_of(text, self.currency)
        except ValueError:
            amount = 0
        if amount < 1:
            example = amount_text(123_456, self.currency)
            raise ValidationError(f"Enter an amount above zero, for example {example}.")
        return amount


class LinesField(forms.CharField):
    """Lines of two words each; cleaned, a mapping of the first to the second."""

    currency = ""
    example = ""

    def __init__(self, **options: Any) -> None:
        attributes = {"rows": 5, "autocomplete": "off", "spellcheck": "false"}
        super().__init__(max_length=80 * MAX_LINES, widget=forms.Textarea(attributes), **options)

    def clean(self, value: Any) -> dict[str, int]:
        """The lines as the services take them.

        Raises:
            ValidationError: names the first line that cannot be read, or stands there twice.
        """
        found: dict[str, int] = {}
        for number, line in enumerate(super().clean(value).splitlines(), 1):
            words = line.split()
            if not words:
                continue
            try:
                first, second = words
                key, amount = self.read(first, second)
            except ValueError:
                raise ValidationError(f"Line {number} is not like {self.example}.") from None
            if key in found:
                raise ValidationError(f"Line {number} says again what stands above.")
            found[key] = amount
        return found

    def read(self, first: str, second: str) -> tuple[str, int]:
        """What the two words of a line say.

        Raises:
            ValueError: when they are something else.
        """
        raise AssertionError("a field of lines says what they hold")


class ValuesField(LinesField):
    """A value and how many of it on each line; cleaned, minor units (as text) to number."""

    example = "25.00 40"

    def read(self, first: str, second: str) -> tuple[str, int]:
        """The value, and how many."""
        if not second.isdecimal() or not 1 <= int(second) <= MAX_PIECES:
            raise ValueError(second)
        return str(_some(first, self.currency)), int(second)


class SerialsField(LinesField):
    """The number of a piece and its value on each line; cleaned, number to minor units."""

    example = "MP-000017 25.00"

    def read(self, first: str, second: str) -> tuple[str, int]:
        """The number, and the value."""
        if len(first) > MAX_SERIAL:
            raise ValueError(first)
        return first, _some(second, self.currency)


def _some(text: str, currency: str) -> int:
    amount = amount_of(text, currency)
    if amount < 1:
        raise ValueError(text)
    return amount


def in_currency(form: ActForm) -> None:
    """Let the fields of a form that hold money take the house's, and say so."""
    currency = form.casino.currency
    for name, field in form.fields.items():
        if isinstance(field, AmountField):
            field.currency = currency
            field.label = f"{field.label or pretty_name(name)} ({currency})"
        elif isinstance(field, LinesField):
            field.currency = currency


def ask_for_chips(form: ActForm) -> tuple[str, ...]:
    """Give a form a field per chip of the house, highest first; their names."""
    casino = form.casino
    values = sorted(casino.denominations, reverse=True)
    for value in values:
        form.fields[f"{CHIP}{value}"] = forms.IntegerField(
            required=False,
            min_value=0,
            max_value=MAX_PIECES,
            widget=forms.NumberInput({"placeholder": "0"}),
            label=f"{amount_text(value, casino.currency)} {casino.currency}",
        )
    return tuple(f"{CHIP}{value}" for value in values)


def chips_given(data: Mapping[str, Any]) -> dict[str, int]:
    """The chips of a form's cleaned data by value (minor units, as text), without those there are none of."""
    given = {name.removeprefix(CHIP): n for name, n in data.items() if name.startswith(CHIP)}
    return {value: number for value, number in given.items() if number}
