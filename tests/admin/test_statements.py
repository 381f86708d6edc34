"""How many SQL statements a page takes, and that more rows never take more.

A page of the site begins with three of its own: the login session, the person, their casino.
"""

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from config.errors import DomainError
from ledger.models import Entry
from tables.models import Role, Round
from tables.services import cage, office, rounds
from tests import floor
from tests.admin import house as at
from tests.api.statements import counted

LISTS = {
    "ledger.Account": 7,
    "ledger.Checkpoint": 7,
    "ledger.Entry": 8,
    "ledger.Stream": 7,
    "tables.Approval": 5,
    "tables.Cage": 5,
    "tables.CashTotal": 5,
    "tables.CashTransaction": 6,
    "tables.Casino": 5,
    "tables.ClosedDay": 5,
    "tables.Countersignature": 5,
    "tables.DropBox": 6,
    "tables.Marker": 6,
    "tables.Pit": 5,
    "tables.Player": 5,
    "tables.PromoPiece": 6,
    "tables.PromoStock": 5,
    "tables.Redemption": 5,
    "tables.Refusal": 7,
    "tables.Round": 6,
    "tables.RuleSet": 5,
    "tables.Shoe": 6,
    "tables.SignIn": 5,
    "tables.Slip": 7,
    "tables.Stint": 7,
    "tables.Staff": 5,
    "tables.Table": 9,
    "tables.TablePar": 5,
    "tables.TableSession": 7,
    "tables.Terminal": 5,
}
PAGES = {"tables.Table": 11, "tables.TableSession": 9, "tables.Round": 6, "ledger.Entry": 13}
FLOOR = 9

pytestmark = pytest.mark.django_db


def statements(client: Client, address: str, *, first: bool = True) -> int:
    """How many statements a page takes, once Django knows its content types, as after the first time."""
    if first:
        client.get(address)
    with counted() as sent:
        assert client.get(address).status_code == 200
    return len(sent)


def of_lists(client: Client, *, first: bool = True) -> dict[str, int]:
    """The statements of every list of the floor and the journal."""
    models = [model for model in at.registered() if model._meta.app_label in ("tables", "ledger")]
    return {model._meta.label: statements(client, at.list_address(model), first=first) for model in models}


def more_of_everything(house: floor.House) -> None:
    """More tables, people, terminals, fills, rounds, refusals and redemptions than before."""
    for number in range(3):
        table, _ = floor.ready_table(house, f"more-{number}")
        floor.enrol(house, table)
        floor.play_round(house, table, {1: 1000, 2: 2500})
        rounds.round_start(table_id=table.id, bets={2: 1000}, command=house.command(Role.DEALER))
        with pytest.raises(DomainError):
            rounds.round_start(table_id=table.id, bets={2: 1000}, command=house.command(Role.DEALER))
        cage.cage_redeem(
            casino_id=house.casino.id, chips={"100": 1}, player_id=None, command=house.command(Role.CAGE)
        )
        office.player_create(
            casino_id=house.casino.id, reference=f"M-{number}", description="", command=house.office()
        )
        office.pit_create(casino_id=house.casino.id, code=f"pit-{number + 2}", command=house.office())


def test_lists_take_a_fixed_number_of_statements_however_many_rows(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.PIT_BOSS)
    assert of_lists(client) == LISTS
    more_of_everything(shown.house)
    assert of_lists(client, first=False) == LISTS


def test_the_floor_takes_a_fixed_number_of_statements_however_many_tables(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.PIT_BOSS)
    assert statements(client, reverse("admin:index")) == FLOOR
    more_of_everything(shown.house)
    assert statements(client, reverse("admin:index"), first=False) == FLOOR


def test_pages_take_a_fixed_number_of_statements(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.PIT_BOSS)
    played = Round.objects.get(table=shown.table, status="complete")
    last = Entry.objects.get(stream__name=shown.table.stream, seq=played.last_seq)
    rows: list[Model] = [shown.table, shown.session, played, last]
    assert {row._meta.label: statements(client, at.page_address(row)) for row in rows} == PAGES


def test_the_journal_is_never_counted_whole(shown: at.Shown) -> None:
    client = at.logged_in(shown.house, Role.AUDITOR)
    with counted() as sent:
        client.get(at.list_address(Entry))
    counts = [text for text in sent if "COUNT(" in text and "ledger_entry" in text]
    assert counts
    assert all("LIMIT 10000" in text for text in counts)


def test_no_list_offers_counts_or_everything_on_one_page() -> None:
    for model_admin in admin.site._registry.values():
        assert not model_admin.show_full_result_count
        assert model_admin.list_max_show_all == 0
        assert model_admin.list_per_page <= 50
