"""Second opinions: hledger and Beancount themselves accept the journal, and refuse it once it is changed."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from ledger import selectors, services
from ledger.exports import FORMATS, names
from ledger.exports.rows import read_stream, read_streams
from ledger.services import AccountSpec
from tests.ledger.support import as_owner, filled_stream, new_stream, post

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

CHECKS = {
    "hledger": ["hledger", "check", "--strict", "-f"],
    "beancount": [str(Path(sys.executable).with_name("bean-check"))],
}
AMOUNT = re.compile(r'(?<![\w.:-])-?\d+(?= "?(?:chips|cash|CHIPS|CASH)[:.])')
# bean-check comes with the tests' requirements; hledger is a program of the system's (see tests/conftest.py).
BOTH = pytest.mark.parametrize(
    "form", sorted(form for form, (tool, *_) in CHECKS.items() if shutil.which(tool))
)


def _exported(form: str, folder: Path, stream: str | None = None) -> Path:
    target = folder / f"journal.{form}"
    call_command("export_journal", format=form, output=str(target), stream=stream)
    return target


def _accepts(form: str, file: Path) -> bool:
    done = subprocess.run([*CHECKS[form], str(file)], capture_output=True, text=True, timeout=60)
    return done.returncode == 0 and done.stdout + done.stderr == ""


def _as_the_owner_sees(form: str, stream: str) -> str:
    """The export of what the owner's transaction has changed and never commits."""
    return "".join(FORMATS[form](read_stream("owner", *row) for row in read_streams("owner", stream)))


def _small_journal() -> str:
    """A stream with a movement of each asset, an entry that moves nothing, and a late account."""
    stream = new_stream([AccountSpec("tray", "chips:USD", None), AccountSpec("seat:1", "chips:USD", 0)])
    post(stream, ("tray", "seat:1", 500))
    post(stream, payload={"moves": "nothing"})
    post(stream, ("seat:1", "tray", 120), ("tray", "seat:1", 1))
    return stream


@BOTH
def test_whole_journal_is_accepted(form: str, tmp_path: Path) -> None:
    streams = [filled_stream(), _small_journal()]
    post(streams[0], ("cash:patrons", "cash:drop_box", 2**53 - 1))
    whole = _exported(form, tmp_path)
    text = whole.read_text()
    assert all(f"; stream {stream}\n" in text for stream in streams)
    assert _accepts(form, whole)
    for stream in streams:
        file = _exported(form, tmp_path, stream)
        assert _accepts(form, file)
        hashes = {bytes(entry.hash).hex() for entry in selectors.entries(stream)}
        assert hashes == set(re.findall(r'hash: ?"?([0-9a-f]{64})', file.read_text()))


@BOTH
def test_any_amount_changed_by_one_unit_is_refused(form: str, tmp_path: Path) -> None:
    """Every number that stands for money: movements' and asserted balances, up and down."""
    file = _exported(form, tmp_path, _small_journal())
    text = file.read_text()
    assert _accepts(form, file)
    places = list(AMOUNT.finditer(text))
    assert len(places) == {"hledger": 16, "beancount": 10}[form]
    for number, place in enumerate(places):
        changed = int(place[0]) + (1 if number % 2 else -1)
        file.write_text(text[: place.start()] + str(changed) + text[place.end() :])
        assert not _accepts(form, file), f"{place[0]} became {changed} at {place.start()}"


def _amounts_of_movements(text: str, form: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Both legs of each movement, each as its match."""
    pattern = r"(?m)^    \S+  (-?[1-9]\d*) \"" if form == "hledger" else r"(?m)^  Assets:\S+ (-?\d+) "
    legs = list(re.finditer(pattern, text))
    yield from zip(legs[::2], legs[1::2], strict=True)


@BOTH
def test_movement_changed_on_both_sides_is_refused(form: str, tmp_path: Path) -> None:
    """It still balances, so only the asserted balances can tell."""
    file = _exported(form, tmp_path, _small_journal())
    text = file.read_text()
    movements = list(_amounts_of_movements(text, form))
    assert [int(target[1]) for _, target in movements] == [500, 120, 1]
    for source, target in movements:
        changed = int(target[1]) + 1
        middle = text[source.end(1) : target.start(1)]
        file.write_text(f"{text[: source.start(1)]}{-changed}{middle}{changed}{text[target.end(1) :]}")
        assert not _accepts(form, file)


@BOTH
def test_wrong_projection_is_refused(form: str, tmp_path: Path) -> None:
    """The balance kept for an account is the last thing each tool compares."""
    stream = _small_journal()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_account DISABLE TRIGGER USER")
        cursor.execute("UPDATE ledger_account SET balance = 382 WHERE name = 'seat:1' AND balance = 381")
        target = tmp_path / "wrong"
        target.write_text(_as_the_owner_sees(form, stream))
    assert not _accepts(form, target)
    assert _accepts(form, _exported(form, tmp_path, stream))


def test_days_are_asserted_one_by_one(tmp_path: Path) -> None:
    """Beancount asserts at a day's beginning: what moved on a day is asserted on the next."""
    stream = _small_journal()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE ledger_entry DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE ledger_entry e SET recorded_at = '2026-03-01T12:00Z'::timestamptz"
            " + e.seq * interval '1 day' FROM ledger_stream s WHERE s.id = e.stream_id AND s.name = %s",
            [stream],
        )
        text = _as_the_owner_sees("beancount", stream)
    found = re.findall(r"(?m)^(\S+) balance \S+:([^:\s]+) (-?\d+) ", text)
    assert found == [
        ("2026-03-04", "Tray", "-500"),
        ("2026-03-04", "SeatC1", "500"),
        ("2026-03-06", "Tray", "-381"),
        ("2026-03-06", "SeatC1", "381"),
        ("2026-03-06", "Tray", "-381"),
        ("2026-03-06", "SeatC1", "381"),
    ]
    target = tmp_path / "days"
    target.write_text(text)
    assert _accepts("beancount", target)


@BOTH
def test_standard_output_gets_the_same(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = _small_journal()
    call_command("export_journal", format=form, output="-", stream=stream)
    assert capsys.readouterr().out == _exported(form, tmp_path, stream).read_text()


def test_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "journal.beancount"
    target.write_text("as it was")
    stream = _small_journal()
    with pytest.raises(CommandError):
        call_command("export_journal", format="beancount", output=str(target), stream="table:none")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("as it was", [target])
    with pytest.raises(CommandError):
        call_command(
            "export_journal", format="beancount", output=str(tmp_path / "no" / "file"), stream=stream
        )
    with pytest.raises(CommandError, match=f"^{tmp_path} is a folder"):
        call_command("export_journal", format="beancount", output=str(tmp_path), stream=stream)
    assert list(tmp_path.iterdir()) == [target]
    _exported("beancount", tmp_path, stream)
    assert _accepts("beancount", target)


LEVEL = st.text("abz019_.-:", max_size=8)
NAME = st.builds("{}{}".format, st.sampled_from("abz"), LEVEL)


@given(stream=NAME, account=NAME)
def test_names_can_be_read_back(stream: str, account: str) -> None:
    hledger = names.hledger_account(stream, account)
    assert names.from_hledger_account(hledger) == (stream, account)
    beancount = names.beancount_account(stream, account)
    assert names.from_beancount_account(beancount) == (stream, account)
    assert re.fullmatch(r"Assets(:[A-Z][A-Za-z0-9-]*){2}", beancount)


@given(
    kind=st.from_regex(r"[a-z][a-z0-9_]{0,29}", fullmatch=True),
    unit=st.from_regex("[A-Z0-9]{1,12}", fullmatch=True),
)
def test_assets_can_be_read_back(kind: str, unit: str) -> None:
    asset = f"{kind}:{unit}"
    assert names.from_beancount_commodity(names.beancount_commodity(asset)) == asset
    assert names.hledger_commodity(asset) == f'"{asset}"'


@BOTH
def test_odd_names_are_accepted_by_the_tools(form: str, tmp_path: Path) -> None:
    stream = f"z:9_.-::{uuid4()}"
    accounts = ["z", "a", "zz:z", "a::b", "a:", "a:_x", "a:-1.5", "a.b_c-d"]
    services.open_stream(
        name=stream,
        accounts=[AccountSpec(name, "z9_:9Z", None) for name in accounts],
        actor=uuid4(),
        command_id=uuid4(),
    )
    post(stream, *[(accounts[0], name, 3) for name in accounts[1:]])
    assert _accepts(form, _exported(form, tmp_path, stream))
