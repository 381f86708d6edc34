"""Any sequence of postings against a plain Python model: same answers, same balances, nothing lost."""

from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger import errors, selectors
from ledger.services import AccountSpec
from ledger.verify_journal import verify_journal
from tests.ledger.support import new_stream, post

MAX = 2**53 - 1
ACCOUNTS = (
    AccountSpec("tray", "chips:USD", 0),
    AccountSpec("seat", "chips:USD", -20),
    AccountSpec("cage", "chips:USD", None),
    AccountSpec("box", "cash:USD", 0),
    AccountSpec("patrons", "cash:USD", None),
)
NAMES = [account.name for account in ACCOUNTS]
AMOUNTS = st.one_of(st.integers(1, 60), st.sampled_from([0, -1, MAX, MAX + 1]))
MOVES = st.tuples(st.sampled_from([*NAMES, "nowhere"]), st.sampled_from(NAMES), AMOUNTS)
ENTRIES = st.lists(st.lists(MOVES, max_size=5), max_size=12)

Move = tuple[str, str, int]


class Model:
    """What the ledger is meant to be, as simply as it can be said."""

    def __init__(self) -> None:
        self.specs = {account.name: account for account in ACCOUNTS}
        self.balances = dict.fromkeys(NAMES, 0)
        self.entries = 1

    def post(self, moves: list[Move]) -> type[errors.LedgerError] | None:
        """Apply ``moves``, or answer the refusal and change nothing."""
        after = dict(self.balances)
        for source, target, amount in moves:
            refusal = self._refusal(source, target, amount)
            if refusal:
                return refusal
            after[source] -= amount
            after[target] += amount
        if any(abs(balance) > MAX for balance in after.values()):
            return errors.BadAmount if not self._broken(after) else errors.LedgerError
        if self._broken(after):
            return errors.FloorBroken
        self.balances = after
        self.entries += 1
        return None

    def _refusal(self, source: str, target: str, amount: int) -> type[errors.LedgerError] | None:
        if source not in self.specs:
            return errors.UnknownAccount
        if source == target:
            return errors.SameAccount
        if self.specs[source].asset != self.specs[target].asset:
            return errors.AssetMismatch
        return None if 1 <= amount <= MAX else errors.BadAmount

    def _broken(self, after: dict[str, int]) -> bool:
        floors = {name: spec.floor for name, spec in self.specs.items()}
        return any(floor is not None and after[name] < floor for name, floor in floors.items())


def _post(stream: str, moves: list[Move]) -> type[errors.LedgerError] | None:
    try:
        with transaction.atomic():
            post(stream, *moves)
    except errors.LedgerError as refusal:
        return type(refusal)
    return None


@pytest.mark.django_db
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entries=ENTRIES)
def test_ledger_equals_its_model(entries: list[list[Move]]) -> None:
    stream, model = new_stream(ACCOUNTS), Model()
    for moves in entries:
        expected = model.post(moves)
        # An amount beyond what the function can be given is refused before anything else is looked at.
        if any(amount > MAX for _, _, amount in moves):
            expected = errors.BadAmount
        answer = _post(stream, moves)
        assert answer is expected or (expected is errors.LedgerError and answer is not None)
        _assert_same(stream, model)
    report = verify_journal(stream=stream)
    assert (report.findings, report.entries) == ([], model.entries)


def _assert_same(stream: str, model: Model) -> None:
    assert selectors.balances(stream) == model.balances
    sums: list[Any]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(balance) FROM ledger_account a JOIN ledger_stream s ON s.id = a.stream_id"
            " WHERE s.name = %s GROUP BY asset",
            [stream],
        )
        sums = cursor.fetchall()
    assert sums == [(0,), (0,)]
