"""Streams, accounts and assets by names that other tools allow; each mapping can be undone.

The journal's names are ``[a-z][a-z0-9_.:-]*``, and a colon makes a level of both tools' account trees. So a
stream becomes one level, and what no journal's name can hold (a slash, a capital) stands for the rest.
"""

_BEANCOUNT_ROOT = "Assets"
_CAPITALS = {":": "C", "_": "U", ".": "D"}
_LETTERS = {capital: letter for letter, capital in _CAPITALS.items()}


def hledger_account(stream: str, account: str) -> str:
    """``table:7d`` and ``seat:1`` make ``table/7d:seat:1``; an empty level is a slash."""
    levels = [level or "/" for level in account.split(":")]
    return ":".join([stream.replace(":", "/"), *levels])


def from_hledger_account(name: str) -> tuple[str, str]:
    """The stream and the account that ``hledger_account`` was given."""
    stream, *levels = name.split(":")
    return stream.replace("/", ":"), ":".join("" if level == "/" else level for level in levels)


def hledger_commodity(asset: str) -> str:
    """``chips:USD`` in quotation marks."""
    return f'"{asset}"'


def beancount_account(stream: str, account: str) -> str:
    """``table:7d`` and ``seat:1`` make ``Assets:TableC7d:SeatC1``.

    A level begins with a capital. Further on, capitals stand for what Beancount has not: C for a colon, U
    for an underscore, D for a dot. An account is one level, for a level's balance includes those below it.
    """
    return f"{_BEANCOUNT_ROOT}:{_level(stream)}:{_level(account)}"


def from_beancount_account(name: str) -> tuple[str, str]:
    """The stream and the account that ``beancount_account`` was given."""
    _, stream, account = name.split(":")
    return _from_level(stream), _from_level(account)


def beancount_commodity(asset: str) -> str:
    """``chips:USD`` as ``CHIPS.USD``; an asset's kind holds no dot."""
    return asset.upper().replace(":", ".")


def from_beancount_commodity(name: str) -> str:
    """The asset that ``beancount_commodity`` was given."""
    kind, unit = name.split(".")
    return f"{kind.lower()}:{unit}"


def _level(text: str) -> str:
    return text[0].upper() + "".join(_CAPITALS.get(letter, letter) for letter in text[1:])


def _from_level(level: str) -> str:
    return level[0].lower() + "".join(_LETTERS.get(letter, letter) for letter in level[1:])
