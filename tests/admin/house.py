"""A casino with something on every page of the admin, and people logged in to look at it."""

import tempfile
import uuid
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audit.models import ExportForm, ExportKind
from audit.services.export_jobs import export_ask
from audit.services.export_schedules import schedule_make
from audit.services.saved_filters import filter_save
from config import env
from config.errors import DomainError
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from tables.figures import gaming_day
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.services import cage, office, rounds, seats, sessions, terminals
from tables.services.approvals import approval_give
from tables.services.command import Actor, Command
from tables.services.days import gaming_day_close
from tables.services.markers import credit_limit_set, marker_issue
from tables.services.par import table_par_set
from tables.services.promos import promo_issue, promo_stock
from tables.services.signatures import Badge
from tables.services.stints import dealer_sign_on
from tests import floor

BACKEND = "django.contrib.auth.backends.ModelBackend"
HOSTILE = '<script>alert("card")</script><img src=x onerror=alert(1)>'


@dataclass
class Shown:
    """The casino, and what of it the tests ask for by name."""

    house: floor.House
    table: Table
    session: TableSession
    player_id: uuid.UUID
    running: Round


def furnished() -> Shown:
    """A casino where everything has happened once: played, filled, redeemed, refused, closed, signed."""
    house = floor.make_house(profile="generic_markers")
    floor.stock_cage(house)
    close_yesterday(house)
    player = office.player_create(
        casino_id=house.casino.id, reference="P-1", description=HOSTILE, command=house.office()
    )
    closed, session_id = floor.ready_table(house, "rd-closed")
    _lend(house, closed, uuid.UUID(player.body["player"]))
    dealer_sign_on(table_id=closed.id, command=house.command(Role.DEALER))
    floor.play_round(house, closed, {1: 1000, 2: 2500})
    _close(house, closed, session_id)
    table_par_set(casino_id=house.casino.id, table_id=closed.id, chips={"100": 500}, command=house.office())
    table = floor.make_table(house, "rd-open", CardSource.SCANNED)
    floor.fill_table(house, table)
    open_session = floor.open_table(house, table)
    _play(house, table)
    _sign_in_and_be_refused(house, table)
    cage.cage_redeem(
        casino_id=house.casino.id, chips={"100": 3}, player_id=None, command=house.command(Role.CAGE)
    )
    cage.cage_sell(
        casino_id=house.casino.id,
        chips={"10000": 101},
        player_id=uuid.UUID(player.body["player"]),
        command=house.command(Role.CAGE),
    )
    promo_stock(
        casino_id=house.casino.id,
        pieces={"500": 9},
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    promo_issue(
        casino_id=house.casino.id,
        player_id=uuid.UUID(player.body["player"]),
        pieces={"MP-1": 500},
        command=house.command(Role.CAGE),
    )
    approval_give(
        casino_id=house.casino.id,
        act="session.close",
        subject=open_session,
        badge=house.badge(Role.PIT_BOSS),
        command=Command(uuid.uuid4(), Actor(house.staff[Role.PIT_BOSS].id, Role.PIT_BOSS)),
    )
    _export(house)
    seal(folder=Folder(Path(tempfile.mkdtemp(dir=env.home()))))
    return Shown(
        house,
        Table.objects.get(id=table.id),
        TableSession.objects.get(id=open_session),
        uuid.UUID(player.body["player"]),
        Round.objects.get(table=table, status="in_progress"),
    )


def _lend(house: floor.House, table: Table, player: uuid.UUID) -> None:
    """The player sits down on seat 3 and gets chips against a marker."""
    dealer = house.command
    seats.seat_take(table_id=table.id, seat=3, player_id=player, cash=0, chips=0, command=dealer(Role.DEALER))
    credit_limit_set(
        casino_id=house.casino.id,
        player_id=player,
        limit=50_000,
        reason="application",
        second=house.badge(Role.PIT_BOSS),
        command=dealer(Role.CAGE),
    )
    marker_issue(
        table_id=table.id,
        seat=3,
        amount=20_000,
        second=house.badge(Role.SUPERVISOR),
        command=dealer(Role.DEALER),
    )


def _export(house: floor.House) -> None:
    """An export asked for, and one scheduled each day; and a filter everybody who may keeps."""
    auditor = Command(uuid.uuid4(), Actor(house.staff[Role.AUDITOR].id, Role.AUDITOR))
    casino_id = house.casino.id
    export_ask(
        casino_id=casino_id, kind=ExportKind.ROUNDS, form=ExportForm.CSV, about={"seat": 1}, command=auditor
    )
    schedule_make(
        casino_id=casino_id,
        filter={},
        form="xlsx",
        hour=None,
        destination="folder",
        folder="daily",
        command=Command(uuid.uuid4(), auditor.actor),
    )
    for role in (Role.AUDITOR, Role.PIT_BOSS):
        actor = Actor(house.staff[role].id, role)
        filter_save(casino_id=casino_id, name="first-seat", filter={"seat": 1}, actor=actor)


def close_yesterday(house: floor.House) -> None:
    """Close the gaming day before this one, on which nothing happened."""
    casino = house.casino
    gaming_day_close(
        casino_id=casino.id,
        gaming_day=gaming_day(timezone.now(), casino.time_zone, casino.rollover_hour) - timedelta(days=1),
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )


def _play(house: floor.House, table: Table) -> None:
    """One decided round (8, 10, then 9: the spread of 1 pays 5 to 1) and one in its raise phase."""
    for seat in (1, 2):
        floor.seat_player(house, table, seat, 200_000)
    floor.play_round(house, table, {1: 1000, 2: 2500}, ("8S", "TH", "9D"))
    begun = rounds.round_start(table_id=table.id, bets={1: 5000}, command=house.command(Role.DEALER))
    rounds.round_deal(
        round_id=uuid.UUID(begun.body["round"]["id"]),
        cards=("5C", "QH"),
        number=2,
        command=house.command(Role.DEALER),
    )


def _close(house: floor.House, table: Table, session_id: uuid.UUID) -> None:
    for seat in (1, 2, 3):
        seats.seat_leave(table_id=table.id, seat=seat, command=house.command(Role.DEALER))
    sessions.session_close(
        session_id=session_id,
        closer=floor.CHIPS,
        second=house.badge(Role.SUPERVISOR),
        command=house.command(Role.DEALER),
    )


def _sign_in_and_be_refused(house: floor.House, table: Table) -> None:
    terminal, _ = floor.enrol(house, table)
    terminals.sign_in(terminal=terminal, badge=house.badge(Role.DEALER))
    terminals.terminal_register(
        casino_id=house.casino.id, table_id=None, name="waiting", command=house.office()
    )
    try:
        sessions.session_open(
            table_id=table.id,
            opener=floor.CHIPS,
            second=Badge("nobody", "0000"),
            command=house.command(Role.DEALER, terminal),
        )
    except DomainError:
        return
    raise AssertionError("opening an open table must be refused")


def logged_in(house: floor.House, role: Role) -> Client:
    """A browser in which the person of that role has a session, without the login page."""
    client = Client()
    client.force_login(house.staff[role], backend=BACKEND)
    return client


def list_address(model: type[Model]) -> str:
    """Where the rows of a model are listed."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def page_address(row: Model, page: str = "change") -> str:
    """A page of a row."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=[row.pk])


def registered() -> list[type[Model]]:
    """Every model the site shows."""
    return sorted(admin.site._registry, key=lambda model: model._meta.label)


def rows_of(client: Client, model: type[Model]) -> list[Any]:
    """The rows of a model the client's person is shown first."""
    answer = client.get(list_address(model))
    assert answer.status_code == 200
    rows: list[Any] = answer.context["cl"].result_list
    return rows
