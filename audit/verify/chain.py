"""One stream walked entry by entry, as ``ledger/FORMAT.md``, 1, has it: links, times, payloads, balances."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import lt
from typing import Any

from audit.verify.records import MAX_INTEGER, NO_HASH, NotCanonical, Record, Transfer, parse, parse_all
from audit.verify.report import Findings

OPENINGS = ("stream.open", "account.open")
NO_TIME = -(2**63) - 1
EFFECTS_KEPT = 16_384
FIRST_TIME, END_OF_TIME = -62_135_596_800_000_000, 253_402_300_800_000_000
"""Years 1 to 9999, microseconds since 1970."""


@dataclass(slots=True)
class Account:
    """An account as its opening entry describes it, and what it holds, in minor units."""

    asset: str
    floor: int | None
    balance: int = 0


@dataclass(slots=True)
class Effect:
    """What an entry's movements do: how many they are, the accounts that change, and what moves by asset.

    `times` is how often they were made and not added up yet.
    """

    movements: int
    changes: list[tuple[str, Account, int]]
    sums: list[tuple[str, int]]
    times: int = 0


@dataclass(slots=True)
class StreamWalk:
    """A stream's entries in order, from number ``first`` on.

    Args:
        name: of the stream.
        first: number of its first entry here.
        findings: takes what is wrong.
        seen: ids of all entries of the bundle so far, and the stream of each.

    Attributes:
        accounts: what is open, by name.
        last: number of the last entry.
        moved: sum of all movements by asset, minor units.
    """

    name: str
    first: int
    findings: Findings
    seen: dict[bytes, str]
    accounts: dict[str, Account] = field(default_factory=dict)
    last: int = 0
    entries: int = 0
    movements: int = 0
    moved: dict[str, int] = field(default_factory=dict)
    _previous: bytes | None = None
    _recorded: int = NO_TIME
    _commands: set[bytes] = field(default_factory=set)
    _reversed: set[bytes] = field(default_factory=set)
    _effects: dict[tuple[Transfer, ...], "Effect"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.last = self.first - 1
        self._previous = NO_HASH if self.first == 1 else None

    def state(self, balances: Mapping[str, int]) -> None:
        """Take opening balances as they are stated; what proves them is told elsewhere."""
        if self.first == 1 and balances:
            self._found(
                "balances_stated", None, "a stream that begins with its first entry begins with nothing"
            )
        for name, balance in balances.items():
            account = self.accounts.get(name)
            if account is None:
                self._found("balances_stated", None, f"nothing in the bundle opens the account {name}")
            else:
                account.balance = balance
                self._judge_floor(name, account, None)

    def places(self, records: Sequence[Record]) -> bool:
        """Whether numbers, links, times and ids of the next entries are as they must be, all at once.

        Where they are, `entry` is told so for each of them. Where one is not, or takes an earlier entry
        back, nothing is said or kept, and `entry` looks at each by itself.
        """
        all_of: Any = Record._make(zip(*records, strict=True))  # each field's values instead of its value
        hashes, recorded = all_of.hash, all_of.recorded
        are_sound = (
            all_of.seq == tuple(range(self.last + 1, self.last + 1 + len(records)))
            and all_of.previous == (self._previous or all_of.previous[0], *hashes[:-1])
            and all(map(lt, (self._recorded, *recorded), recorded))
            and min(recorded[0], *all_of.occurred) >= FIRST_TIME
            and max(recorded[-1], *all_of.occurred) < END_OF_TIME
            and not any(all_of.reverses)
            and self.seen.keys().isdisjoint(all_of.id)
            and self._commands.isdisjoint(all_of.command)
            and len(set(all_of.id)) == len(set(all_of.command)) == len(records)
        )
        if are_sound:
            self.seen.update(dict.fromkeys(all_of.id, self.name))
            self._commands.update(all_of.command)
            self.last, self._previous, self._recorded = all_of.seq[-1], hashes[-1], recorded[-1]
        return are_sound

    def entry(self, record: Record, payload: dict[str, Any], *, is_placed: bool = False) -> None:
        """Check the next entry, whose payload was read before.

        Args:
            is_placed: `places` has said so.
        """
        self.entries += 1
        if not is_placed:
            self._check_place(record)
            self.last, self._previous, self._recorded = record.seq, record.hash, record.recorded
        if record.kind in OPENINGS:
            self.open(record, payload)
        elif record.seq == 1:
            self._found("opening_invalid", 1, "a stream is opened by its first entry")
        if record.reverses is not None:
            self._check_reversal(record.seq, record.reverses)
        if record.moves:
            effect = self._effects.get(record.moves)
            if effect is None:
                self._move(record.seq, record.moves)
            else:
                self._repeat(record.seq, effect)

    def payloads(self, records: Sequence[Record]) -> list[dict[str, Any]]:
        """The payloads of entries, as `payload` gives them one by one."""
        sha256, texts = hashlib.sha256, [record.payload for record in records]
        read = None
        if [sha256(text).digest() for text in texts] == [record.digest for record in records]:
            read = parse_all(texts)
        return [self.payload(record) for record in records] if read is None else read

    def payload(self, record: Record) -> dict[str, Any]:
        """The payload of an entry, checked against its digest; empty where it is none."""
        if hashlib.sha256(record.payload).digest() != record.digest:
            self._found("payload_digest_differs", record.seq, "the payload is not the one that was hashed")
        try:
            return parse(record.payload)
        except NotCanonical as exc:
            self._found("payload_not_canonical", record.seq, str(exc))
            return {}

    def open(self, record: Record, payload: dict[str, Any]) -> None:
        """Open the accounts an entry says it opens."""
        if (record.seq == 1) != (record.kind == "stream.open"):
            self._found(
                "opening_invalid", record.seq, "a stream is opened by its first entry, and only by it"
            )
        try:
            opened = _opened(payload, self.name)
        except (KeyError, TypeError, ValueError, AttributeError):
            self._found("opening_invalid", record.seq, "it does not open accounts of this stream as it must")
            return
        for name in opened.keys() & self.accounts.keys():
            self._found("opening_invalid", record.seq, f"the account {name} was open before")
        self.accounts = opened | self.accounts

    def close(self) -> None:
        """Add up what moved, and let go of what only the walk itself needs, which is most of its memory."""
        for effect in self._effects.values():
            self._add(effect)
        self.seen, self.findings = {}, Findings()
        self._commands, self._reversed, self._effects = set(), set(), {}

    def balances(self) -> dict[str, int]:
        """What each account holds that holds anything, minor units."""
        return {name: one.balance for name, one in sorted(self.accounts.items()) if one.balance}

    def _check_place(self, record: Record) -> None:
        """Number, link, time and ids."""
        seq = record.seq
        if seq != self.last + 1:
            self._found("sequence_gap", seq, f"number {self.last + 1} was due")
        if self._previous is not None and record.previous != self._previous:
            self._found("link_broken", seq, "it does not carry the hash of the entry before it")
        if record.recorded <= self._recorded:
            self._found("time_not_increasing", seq, "it is not recorded later than the one before it")
        if not FIRST_TIME <= record.recorded < END_OF_TIME or not FIRST_TIME <= record.occurred < END_OF_TIME:
            self._found("time_out_of_range", seq, "a time no calendar holds")
        if record.id in self.seen:
            self._found("id_repeated", seq, "its id is that of another entry")
        if record.command in self._commands:
            self._found("id_repeated", seq, "its command is that of another entry")
        self.seen[record.id] = self.name
        self._commands.add(record.command)

    def _check_reversal(self, seq: int, target: bytes) -> None:
        if target in self._reversed:
            self._found("reversal_invalid", seq, "what it takes back was taken back before")
        elif self.seen.get(target) != self.name:
            self._found(
                "reversal_invalid", seq, "what it takes back is not in the bundle, in this stream before it"
            )
        self._reversed.add(target)

    def _move(self, seq: int, moves: tuple[Transfer, ...]) -> None:
        """Judge movements and make them; sound ones are judged once, and only made when they come again."""
        before = self.findings.count
        deltas: Counter[str] = Counter()
        sums: Counter[str] = Counter()
        for move in moves:
            source, target = self.accounts.get(move.source), self.accounts.get(move.target)
            if source is None or target is None:
                self._found("account_unknown", seq, f"from {move.source} to {move.target}")
                continue
            if source.asset != move.asset or target.asset != move.asset:
                self._found("asset_differs", seq, f"{move.asset} from {move.source} to {move.target}")
            if source is target or not 1 <= move.amount <= MAX_INTEGER:
                self._found("movement_invalid", seq, f"{move.amount} from {move.source} to {move.target}")
            deltas[move.source] -= move.amount
            deltas[move.target] += move.amount
            sums[move.asset] += move.amount
        changes = [(name, self.accounts[name], delta) for name, delta in deltas.items()]
        effect = Effect(len(moves), changes, list(sums.items()))
        self._repeat(seq, effect)
        if self.findings.count == before and len(self._effects) < EFFECTS_KEPT:
            self._effects[moves] = effect
        else:
            self._add(effect)

    def _add(self, effect: Effect) -> None:
        """Add up what moved, as often as it was made."""
        self.movements += effect.times * effect.movements
        for asset, amount in effect.sums:
            self.moved[asset] = self.moved.get(asset, 0) + effect.times * amount
        effect.times = 0

    def _repeat(self, seq: int, effect: Effect) -> None:
        """Let amounts move, and judge the floors on what the entry leaves behind."""
        effect.times += 1
        for name, account, delta in effect.changes:
            account.balance += delta
            if account.floor is not None and account.balance < account.floor:
                self._judge_floor(name, account, seq)

    def _judge_floor(self, name: str, account: Account, seq: int | None) -> None:
        if account.floor is not None and account.balance < account.floor:
            detail = f"{name} holds {account.balance}, its floor is {account.floor}"
            self._found("floor_broken", seq, detail)

    def _found(self, kind: str, seq: int | None, detail: str) -> None:
        self.findings.add(kind, detail, self.name, seq)


def _opened(payload: dict[str, Any], stream: str) -> dict[str, Account]:
    """The accounts an opening entry's payload describes."""
    if payload.keys() != {"accounts", "stream"} or payload["stream"] != stream:
        raise ValueError("another stream's")
    opened: dict[str, Account] = {}
    for account in payload["accounts"]:
        name, asset, floor = account["name"], account["asset"], account["floor"]
        texts = isinstance(name, str) and isinstance(asset, str)
        if len(account) != 3 or name in opened or not texts or type(floor) not in (int, type(None)):
            raise ValueError("an account is described wrongly or twice")
        opened[name] = Account(asset, floor)
    return opened
