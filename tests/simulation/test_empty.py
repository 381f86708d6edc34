"""An empty house: a casino, its first administrator, nobody else; and the commands that make them."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.floor import running
from ledger.models import Stream
from tables.models import Casino, Role, Staff, Table

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PITLEDGER_HOME", str(tmp_path))
    return tmp_path


def test_an_empty_house_has_an_administrator_and_nothing_else(home: Path) -> None:
    people = running.first_administrator()
    ((role, badge, password),) = people
    assert role == Role.ADMINISTRATOR
    casino = Casino.objects.get(code=running.EMPTY_CASINO)
    assert [person.badge for person in Staff.objects.filter(casino=casino)] == [badge]
    assert not Table.objects.filter(casino=casino).exists()
    staff = Staff.objects.get(badge=badge)
    assert staff.check_password(password)
    assert (home / "secrets" / running.EMPTY_SECRET).stat().st_mode & 0o777 == 0o600
    assert running.first_administrator() == people
    assert Staff.objects.filter(casino=casino).count() == 1


def test_a_casino_is_opened_once(home: Path) -> None:
    for said in ("casino opened-once is open", "casino opened-once exists"):
        out = StringIO()
        call_command("create_casino", "opened-once", "--currency", "EUR", "--chips", "100,500", stdout=out)
        assert out.getvalue().strip() == said
    casino = Casino.objects.get(code="opened-once")
    assert (casino.currency, casino.denominations) == ("EUR", [100, 500])


@pytest.mark.parametrize(
    ("code", "options", "said"),
    [
        ("nowhere", ("--time-zone", "Nowhere/Land"), "No time zone"),
        ("nowhere", ("--currency", "dollar"), "three capital letters"),
        ("nowhere", ("--chips", "100,x"), "is not like"),
        ("nowhere", ("--name", "n" * 101), "up to 100 characters"),
        ("no where", (), "up to 20 letters"),
    ],
)
def test_a_casino_that_cannot_be_is_refused(code: str, options: tuple[str, ...], said: str) -> None:
    """No stream of its office is left over either."""
    before = Casino.objects.count(), Stream.objects.count()
    with pytest.raises(CommandError, match=said):
        call_command("create_casino", code, *options)
    assert (Casino.objects.count(), Stream.objects.count()) == before


def test_an_administrator_gets_a_fresh_password_once() -> None:
    call_command("create_casino", "with-people", stdout=StringIO())
    out = StringIO()
    call_command("create_administrator", "with-people", "ADM9", stdout=out)
    staff = Staff.objects.get(badge="ADM9")
    assert staff.role == Role.ADMINISTRATOR
    assert staff.check_password(out.getvalue().strip())
    with pytest.raises(CommandError, match="ADM9"):
        call_command("create_administrator", "with-people", "ADM9", stdout=StringIO())
    with pytest.raises(CommandError, match="no casino"):
        call_command("create_administrator", "nowhere", "ADM8", stdout=StringIO())
    assert not Staff.objects.filter(badge="ADM8").exists()
