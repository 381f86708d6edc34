"""How the admin writes money, cards, counts and links: plain text first, dressed by the style sheet."""

import json
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from django.db.models import Model, TextChoices
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tables.figures import decimal, decimals_of

S = TypeVar("S", bound=TextChoices)
AMOUNT = re.compile(r"(\d{1,3}(?:,\d{3})+|\d{1,16})(?:\.(\d{1,3}))?", re.ASCII)
SIGNS = {"running": "●", "off": "○", "done": "✓", "waiting": "◐", "bad": "✕"}
NOTHING, MINUS = "\N{EM DASH}", "\N{MINUS SIGN}"
SUITS = {"S": ("♠", "spades"), "H": ("♥", "hearts"), "D": ("♦", "diamonds"), "C": ("♣", "clubs")}
RANKS = {"T": "10", "J": "Jack", "Q": "Queen", "K": "King", "A": "Ace"}


def amount_text(amount: int, currency: str) -> str:
    """Minor units as people write them: 123456 USD is "1,234.56"; a loss carries a minus sign."""
    decimals = decimals_of(currency)
    whole, rest = divmod(abs(amount), 10**decimals)
    sign = MINUS if amount < 0 else ""
    return f"{sign}{whole:,}" + (f".{rest:0{decimals}d}" if decimals else "")


def amount_of(text: str, currency: str) -> int:
    """Minor units of an amount as people write it: "1,234.56" or "1234.56" USD is 123456.

    Raises:
        ValueError: for anything else, and for more decimals than the currency has.
    """
    decimals = decimals_of(currency)
    found = AMOUNT.fullmatch(text)
    if found is None or len(found[2] or "") > decimals:
        raise ValueError(text)
    return int(found[1].replace(",", "") + (found[2] or "").ljust(decimals, "0"))


def money(amount: int | None, currency: str, unknown: str = NOTHING) -> SafeString:
    """An amount with its currency; what is not known is said to be (`unknown`), never zero."""
    if amount is None:
        return format_html('<span class="money unknown">{}</span>', unknown)
    kind = "money" if amount > 0 else "money loss" if amount < 0 else "money nil"
    text = amount_text(amount, currency)
    return format_html('<span class="{}">{} <span class="currency">{}</span></span>', kind, text, currency)


def asset_money(amount: int | None, asset: str) -> SafeString:
    """An amount of a ledger asset such as "chips:USD"."""
    return money(amount, asset.partition(":")[2])


def percent(value: Fraction | None) -> str:
    """A ratio in per cent with two decimals, rounded as everywhere (`tables.figures.decimal`)."""
    return NOTHING if value is None else f"{decimal(value * 100, 2).replace('-', MINUS)} %"


def card_text(card: str) -> str:
    """A card as "8♠" or "10♥"."""
    rank = "10" if card[0] == "T" else card[0]
    return rank + SUITS[card[1]][0]


def cards(faces: Iterable[str]) -> SafeString:
    """Cards side by side: rank and suit are text, the name is there for screen readers."""
    drawn = format_html_join(
        " ",
        '<span class="playing-card suit-{}" role="img" aria-label="{}">{}</span>',
        ((SUITS[face[1]][1], _card_name(face), card_text(face)) for face in faces),
    )
    return drawn or SafeString(NOTHING)


def _card_name(card: str) -> str:
    return f"{RANKS.get(card[0], card[0])} of {SUITS[card[1]][1]}"


def count_table(count: Mapping[str, int] | None, currency: str) -> SafeString | str:
    """A count by denomination, highest first, with its total; None is a count not made."""
    if count is None:
        return "not counted"
    rows = [
        (amount_text(int(value), currency), pieces, amount_text(int(value) * pieces, currency))
        for value, pieces in sorted(count.items(), key=lambda item: -int(item[0]))
    ]
    total = sum(int(value) * pieces for value, pieces in count.items())
    return part("count", rows=rows, total=amount_text(total, currency), currency=currency)


def pretty(value: Any) -> SafeString:
    """JSON, indented, keys in order."""
    return pretty_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False))


def pretty_text(text: str) -> SafeString:
    """Text that is laid out already."""
    return format_html('<pre class="json" tabindex="0">{}</pre>', text)


def link(row: Model | None, text: object = None, nothing: str = NOTHING) -> SafeString | str:
    """A link to a row's own page."""
    if row is None:
        return nothing
    options = row._meta
    address = reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk])
    return anchor(address, row if text is None else text)


def anchor(address: str, text: object) -> SafeString:
    """A link to any address of this site."""
    return format_html('<a href="{}">{}</a>', address, text)


def state(tone: str, label: str) -> SafeString:
    """Where something stands: words, with a sign and a colour of that tone beside them."""
    return format_html(
        '<span class="state state-{}"><span aria-hidden="true">{}</span>\N{NO-BREAK SPACE}{}</span>',
        tone,
        SIGNS[tone],
        label,
    )


def status_shown(tones: Mapping[S, str], status: S, more: str = "") -> SafeString:
    """A status of a closed list by its label, in its tone; `more` says what else there is to it."""
    return state(tones[status], f"{status.label}{more}")


def entries_address(stream: str, first: int, last: int) -> str:
    """Where the entries of a stream from one number to another are listed."""
    return (
        f"{reverse('admin:ledger_entry_changelist')}?stream__name={stream}&seq__gte={first}&seq__lte={last}"
    )


def words(code: str) -> str:
    """A code such as "first_card" as words."""
    return code.replace("_", " ")


def counted_text(number: int, what: str) -> str:
    """A number of things: "1 round", "2 rounds"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def part(name: str, **context: Any) -> SafeString:
    """A rendered template of `admin/floor/parts/`."""
    return render_to_string(f"admin/floor/parts/{name}.html", context)


def balances_told(
    held: Mapping[str, int], currency: str, codes: Mapping[str, str] | None = None
) -> SafeString:
    """The accounts that are not at zero, tables by their codes; how many others there are."""
    named = {name: f"table {code}" for name, code in (codes or {}).items()}
    rows = [(named.get(name, name), money(amount, currency)) for name, amount in held.items() if amount]
    return part("balances", rows=rows, others=len(held) - len(rows))
