"""How amounts, ratios and cards are written."""

from fractions import Fraction

import pytest

from tables.admin.text import amount_of, amount_text, asset_money, card_text, cards, money, percent
from tests.admin.house import HOSTILE


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (0, "USD", "0.00"),
        (5, "USD", "0.05"),
        (123456, "USD", "1,234.56"),
        (-100, "EUR", "\N{MINUS SIGN}1.00"),
        (-5, "EUR", "\N{MINUS SIGN}0.05"),
        (123456, "JPY", "123,456"),
        (1234567, "KWD", "1,234.567"),
        (9_007_199_254_740_991, "USD", "90,071,992,547,409.91"),
    ],
)
def test_amounts_follow_their_currency(amount: int, currency: str, text: str) -> None:
    assert amount_text(amount, currency) == text
    assert f">{text} <" in money(amount, currency)
    assert money(amount, currency) == asset_money(amount, f"chips:{currency}")
    if amount >= 0:
        assert amount_of(text, currency) == amount_of(text.replace(",", ""), currency) == amount


@pytest.mark.parametrize(("text", "amount"), [("5", 500), ("5.5", 550), ("05.50", 550)])
def test_amounts_are_read_as_people_write_them(text: str, amount: int) -> None:
    assert amount_of(text, "USD") == amount


@pytest.mark.parametrize(
    "text",
    ["", " 5", "-5", "+5", "5.", ".5", "1.234", "1,50", "1,2345", "5e3", "0x5", "\u0665", "nan", "9" * 17],
)
def test_what_is_no_amount_is_not_read_as_one(text: str) -> None:
    with pytest.raises(ValueError):
        amount_of(text, "USD")
    with pytest.raises(ValueError):
        amount_of("1.5", "JPY")


def test_an_amount_that_is_not_known_is_no_zero() -> None:
    assert "0" not in money(None, "USD")
    assert "not counted" in money(None, "USD", unknown="not counted")


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (None, "\N{EM DASH}"),
        (Fraction(4, 9), "44.44 %"),
        (Fraction(1, 2000), "0.05 %"),
        (Fraction(-1, 3), "\N{MINUS SIGN}33.33 %"),
        (Fraction(-1, 10**6), "0.00 %"),
        (Fraction(33333, 1000), "3333.30 %"),
    ],
)
def test_ratios(ratio: Fraction | None, text: str) -> None:
    assert percent(ratio) == text


def test_cards_are_text_with_names() -> None:
    assert [card_text(card) for card in ("8S", "TH", "QD", "AC")] == ["8♠", "10♥", "Q♦", "A♣"]
    drawn = cards(["TH", "AC"])
    assert 'aria-label="10 of hearts">10♥<' in drawn
    assert 'aria-label="Ace of clubs">A♣<' in drawn
    assert cards([]) == "\N{EM DASH}"


def test_a_currency_is_escaped() -> None:
    assert "<script>" not in money(1, HOSTILE)
