"""The journal as Beancount reads it. Its assertions are about the beginning of a day, so each account's
balance is asserted on the day after every day it moved on."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from ledger.exports.names import beancount_account, beancount_commodity
from ledger.exports.rows import AccountLine, EntryLines, StreamLines

HEAD = """\
; The journal, in integer minor units. Check it with: bean-check THIS
; An account is Assets:STREAM:ACCOUNT. C, U and D inside a name stand for a colon, an underscore and a dot.
; CHIPS.USD is the asset chips:USD. Balances are asserted at the beginning of the day (UTC) after each day
; they moved on; last of all, as the database keeps them.
"""


def lines(streams: Iterable[StreamLines]) -> Iterator[str]:
    """The text of a Beancount file, piece by piece."""
    yield HEAD
    for stream in streams:
        yield f"\n; stream {stream.name}\n"
        names = {
            key: beancount_account(stream.name, account.name) for key, account in stream.accounts.items()
        }
        yield from _stream(stream, names)


def _stream(stream: StreamLines, names: dict[int, str]) -> Iterator[str]:
    opened: defaultdict[int, list[AccountLine]] = defaultdict(list)
    for account in stream.accounts.values():
        opened[account.opened_seq].append(account)
    balances: Counter[int] = Counter()
    moved: set[int] = set()
    day = "1970-01-01"
    for entry in stream.entries:
        if entry.day != day:
            yield from (
                _balance(day, stream.accounts[key], names[key], balances[key]) for key in sorted(moved)
            )
            moved.clear()
            day = entry.day
        for account in opened.get(entry.seq, ()):
            yield f"{day} open {names[account.id]} {beancount_commodity(account.asset)}\n"
        yield _entry(stream, entry, names)
        for source, target, amount in entry.moves:
            balances[source] -= amount
            balances[target] += amount
            moved |= {source, target}
    yield from (_balance(day, stream.accounts[key], names[key], balances[key]) for key in sorted(moved))
    for key, account in stream.accounts.items():
        yield _balance(day, account, names[key], account.balance)


def _entry(stream: StreamLines, entry: EntryLines, names: dict[int, str]) -> str:
    text = [
        f'\n{entry.day} * "{stream.name}" "{entry.kind}"\n'
        f'  seq: {entry.seq}\n  entry: "{entry.id}"\n  actor: "{entry.actor}"\n'
        f'  at: "{entry.recorded_at}"\n  hash: "{entry.hash}"\n'
    ]
    for source, target, amount in entry.moves:
        for key, signed in ((source, -amount), (target, amount)):
            text.append(f"  {names[key]} {signed} {beancount_commodity(stream.accounts[key].asset)}\n")
    return "".join(text)


def _balance(day: str, account: AccountLine, name: str, balance: int) -> str:
    after = date.fromisoformat(day) + timedelta(days=1)
    return f"{after} balance {name} {balance} {beancount_commodity(account.asset)}\n"
