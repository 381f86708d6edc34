"""The journal as hledger reads it: an assertion of the balance on every single posting."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ledger.exports.names import hledger_account, hledger_commodity
from ledger.exports.rows import AccountLine, EntryLines, StreamLines

HEAD = """\
; The journal, in integer minor units. Check it with: hledger check --strict -f THIS
; An account is STREAM:ACCOUNT; a slash stands for a colon in the stream's name, and for an empty level.
; Every posting asserts what its account holds after it. Each stream ends with what the database keeps as
; its balances. A code in brackets is the entry's number in its stream; times are UTC.
"""


def lines(streams: Iterable[StreamLines]) -> Iterator[str]:
    """The text of a journal file, piece by piece."""
    yield HEAD
    commodities: set[str] = set()
    for stream in streams:
        yield f"\n; stream {stream.name}\n"
        for asset in {account.asset: None for account in stream.accounts.values()}:
            if asset not in commodities:
                commodities.add(asset)
                yield f"commodity 1. {hledger_commodity(asset)}\n"
        names = {key: hledger_account(stream.name, account.name) for key, account in stream.accounts.items()}
        yield from (f"account {name}\n" for name in names.values())
        yield from _stream(stream, names)


def _stream(stream: StreamLines, names: dict[int, str]) -> Iterator[str]:
    balances: Counter[int] = Counter()
    day = "1970-01-01"
    for entry in stream.entries:
        day = entry.day
        yield _entry(stream, entry, names, balances)
    if stream.accounts:
        yield f"\n{day} balances as kept\n"
        for key, account in stream.accounts.items():
            yield _posting(account, names[key], 0, account.balance)


def _entry(stream: StreamLines, entry: EntryLines, names: dict[int, str], balances: Counter[int]) -> str:
    text = [
        f"\n{entry.day} ({entry.seq}) {entry.kind}"
        f"  ; entry:{entry.id}, actor:{entry.actor}, at:{entry.recorded_at}\n    ; hash:{entry.hash}\n"
    ]
    for source, target, amount in entry.moves:
        for key, signed in ((source, -amount), (target, amount)):
            balances[key] += signed
            text.append(_posting(stream.accounts[key], names[key], signed, balances[key]))
    return "".join(text)


def _posting(account: AccountLine, name: str, amount: int, balance: int) -> str:
    unit = hledger_commodity(account.asset)
    return f"    {name}  {amount} {unit} == {balance} {unit}\n"
