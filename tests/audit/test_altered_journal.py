"""A journal that was altered is a finding of whoever it concerns; rows of no stream concern every house."""

import pytest

from audit.models import Finding
from audit.services import house as whole
from ledger.verify_journal import Report, verify_journal
from tests import floor
from tests.audit import support
from tests.ledger.support import as_owner

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


def test_an_altered_journal_is_a_finding_of_its_casino(monkeypatch: pytest.MonkeyPatch) -> None:
    """Done as the owner with the guards lifted, in a transaction that is rolled back."""
    house, elsewhere = floor.make_house(), floor.make_house()
    floor.stock_cage(house)
    table, _ = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {})
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_movement DISABLE TRIGGER ALL")
        cursor.execute(
            "UPDATE ledger_movement SET amount = amount + 100 WHERE (stream_id, seq, line) ="
            " (SELECT m.stream_id, m.seq, 1 FROM ledger_movement m JOIN ledger_stream s ON s.id = m.stream_id"
            "   WHERE s.name = %s ORDER BY m.seq DESC LIMIT 1)",
            [table.stream],
        )

        def as_altered() -> Report:
            return verify_journal(using="owner")

        monkeypatch.setattr(whole, "verify_journal", as_altered)
        assert not whole.journal_check().ok
        whole.journal_check()
    found = {f.code: f for f in Finding.objects.filter(casino=house.casino)}
    assert set(found) >= {"journal_hash_differs", "journal_balance_differs"}
    assert {f.stream for f in found.values()} == {table.stream}
    assert {f.counter for f in found.values()} == {2}
    assert support.codes(elsewhere) == []


def test_rows_of_no_stream_are_everybodys_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = floor.make_house(), floor.make_house()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_movement DISABLE TRIGGER ALL")
        cursor.execute(
            "INSERT INTO ledger_movement (stream_id, seq, line, source_id, target_id, amount)"
            " VALUES (-7, 1, 1, 1, 2, 5)"
        )
        monkeypatch.setattr(whole, "verify_journal", lambda: verify_journal(using="owner"))
        whole.journal_check()
    assert support.codes(one) == support.codes(two) == ["journal_stream_missing"]
