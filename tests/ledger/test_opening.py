"""Opening streams and accounts: journalled by the same function, in its own words, and taken once."""

from uuid import uuid4

import pytest

from ledger import errors, selectors, services
from ledger.models import Account
from ledger.services import AccountSpec
from ledger.verify_journal import verify_journal
from tests.ledger.support import DEALER, filled_stream, new_stream, post, refused

pytestmark = pytest.mark.django_db(transaction=True)

MAX = 2**53 - 1


def test_opening_is_journalled() -> None:
    stream = new_stream([AccountSpec("tray", "chips:USD", 0), AccountSpec("cage", "chips:USD", None)])
    posted = services.open_accounts(
        stream=stream, accounts=[AccountSpec("seat:1", "chips:USD", -5)], actor=DEALER, command_id=uuid4()
    )
    entries = list(selectors.entries(stream))
    assert [(e.seq, e.kind, e.payload) for e in entries] == [
        (
            1,
            "stream.open",
            '{"accounts":[{"asset":"chips:USD","floor":0,"name":"tray"},'
            f'{{"asset":"chips:USD","floor":null,"name":"cage"}}],"stream":"{stream}"}}',
        ),
        (
            2,
            "account.open",
            f'{{"accounts":[{{"asset":"chips:USD","floor":-5,"name":"seat:1"}}],"stream":"{stream}"}}',
        ),
    ]
    assert posted.seq == 2
    opened = Account.objects.filter(stream__name=stream).order_by("id")
    assert [(a.name, a.opened_seq, a.balance) for a in opened] == [
        ("tray", 1, 0),
        ("cage", 1, 0),
        ("seat:1", 2, 0),
    ]


def test_stream_without_accounts_is_an_office() -> None:
    stream = new_stream([])
    post(stream, kind="staff.signed_in")
    assert selectors.balances(stream) == {}
    assert verify_journal(stream=stream).ok


def test_stream_and_account_names_are_taken_once() -> None:
    stream = filled_stream()
    spec = AccountSpec("tray", "chips:USD", 0)
    with refused(errors.StreamExists, stream=stream):
        services.open_stream(name=stream, accounts=[], actor=DEALER, command_id=uuid4())
    with refused(errors.AccountExists, accounts=["tray"]):
        services.open_accounts(
            stream=stream,
            accounts=[AccountSpec("new", "chips:USD", 0), spec],
            actor=DEALER,
            command_id=uuid4(),
        )
    with refused(errors.AccountExists, accounts=["twin"]):
        twin = AccountSpec("twin", "chips:USD", 0)
        services.open_stream(name=f"table:{uuid4()}", accounts=[twin, twin], actor=DEALER, command_id=uuid4())


@pytest.mark.parametrize(
    "spec",
    [
        AccountSpec("", "chips:USD", 0),
        AccountSpec("Tray", "chips:USD", 0),
        AccountSpec('a"b', "chips:USD", 0),
        AccountSpec("tray\n", "chips:USD", 0),
        AccountSpec("é", "chips:USD", 0),
        AccountSpec("a" * 101, "chips:USD", 0),
        AccountSpec("a", "chips", 0),
        AccountSpec("a", "chips:usd", 0),
        AccountSpec("a", "chips:USD", 1),
        AccountSpec("a", "chips:USD", -MAX - 1),
    ],
)
def test_bad_accounts_are_refused(spec: AccountSpec) -> None:
    stream = filled_stream()
    with refused(errors.BadEntry):
        services.open_accounts(stream=stream, accounts=[spec], actor=DEALER, command_id=uuid4())
    with refused(errors.BadEntry):
        new_stream([spec])


@pytest.mark.parametrize("name", ["", "Table:1", "1table", 'table:"', "table:1\n", "t" * 101])
def test_bad_stream_names_are_refused(name: str) -> None:
    filled_stream()
    with refused(errors.BadEntry):
        services.open_stream(name=name, accounts=[], actor=DEALER, command_id=uuid4())


def test_opening_no_account_is_refused() -> None:
    stream = filled_stream()
    with refused(errors.BadEntry):
        services.open_accounts(stream=stream, accounts=[], actor=DEALER, command_id=uuid4())
