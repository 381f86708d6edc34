"""What lies beside bets and what is no chip of the house's, at one table of a house that gives markers."""

import uuid

from tables.models import Role, Table
from tables.services import office, rounds, seats
from tables.services.markers import credit_limit_set, marker_issue, marker_pay, marker_redeem
from tables.services.promos import promo_collect, promo_issue, promo_stock
from tables.services.rejects import tray_reject
from tables.services.tokes import toke_collect, toke_give
from tests import floor
from tests.audit import support


def beside_the_bets(house: floor.House) -> tuple[Table, uuid.UUID]:
    """A round with a toke bet and a promotional piece, tokes given and collected, and a false chip."""
    table, session_id = support.open_scanned(house, "rd-beside")
    player = office.player_create(
        casino_id=house.casino.id, reference="P-1", description="", command=house.office()
    )
    second, cashier = house.badge(Role.PIT_BOSS), house.command
    promo_stock(casino_id=house.casino.id, pieces={"500": 2}, second=second, command=cashier(Role.CAGE))
    promo_issue(
        casino_id=house.casino.id,
        player_id=uuid.UUID(player.body["player"]),
        pieces={"MP-1": 500},
        command=cashier(Role.CAGE),
    )
    begun = rounds.round_start(
        table_id=table.id,
        bets={1: 1000, 2: 2500},
        tokes={2: 500},
        coupons={1: "MP-1"},
        command=house.command(Role.DEALER),
    )
    played = uuid.UUID(begun.body["round"]["id"])
    for cards in (support.TRIPS[:2], support.TRIPS[2:]):
        rounds.round_deal(round_id=played, cards=cards, number=len(cards), command=house.command(Role.DEALER))
    toke_give(table_id=table.id, seat=1, amount=500, command=house.command(Role.DEALER))
    toke_collect(table_id=table.id, chips={"500": 13}, second=second, command=house.command(Role.DEALER))
    promo_collect(table_id=table.id, coupons=["MP-1"], second=second, command=house.command(Role.DEALER))
    tray_reject(
        table_id=table.id,
        kind="foreign",
        pieces={"500": 1},
        note="of another house",
        second=second,
        command=house.command(Role.DEALER),
    )
    _markers(house, table, uuid.UUID(player.body["player"]))
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    return table, session_id


def _markers(house: floor.House, table: Table, player: uuid.UUID) -> None:
    """One redeemed for chips, one for cash, and one that is paid at the cage and dropped."""
    second, dealer = house.badge(Role.PIT_BOSS), house.command
    credit_limit_set(
        casino_id=house.casino.id,
        player_id=player,
        limit=5_000,
        reason="application",
        second=second,
        command=house.command(Role.CAGE),
    )
    seats.seat_take(table_id=table.id, seat=3, player_id=player, cash=0, chips=0, command=dealer(Role.DEALER))
    issued = [
        marker_issue(table_id=table.id, seat=3, amount=1_000, second=second, command=dealer(Role.DEALER))
        for _ in range(3)
    ]
    ids = [uuid.UUID(answer.body["marker"]["marker"]) for answer in issued]
    marker_redeem(table_id=table.id, seat=3, marker_id=ids[0], tender="chips", command=dealer(Role.DEALER))
    marker_redeem(table_id=table.id, seat=3, marker_id=ids[1], tender="cash", command=dealer(Role.DEALER))
    marker_pay(casino_id=house.casino.id, marker_id=ids[2], command=house.command(Role.CAGE))
    seats.seat_leave(table_id=table.id, seat=3, command=dealer(Role.DEALER))


def money_plays(house: floor.House) -> None:
    """A table of a house that takes them: currency won, lying there again and more of it, raised and lost."""
    table, session_id = support.open_scanned(house, "rd-money")
    player = office.player_create(
        casino_id=house.casino.id, reference="P-2", description="", command=house.office()
    )
    seats.seat_take(
        table_id=table.id,
        seat=3,
        player_id=uuid.UUID(player.body["player"]),
        cash=0,
        chips=0,
        command=house.command(Role.DEALER),
    )
    for cards, money, raised in ((support.TRIPS, 1_000, 0), (support.LOSE, 1_500, 500)):
        begun = rounds.round_start(
            table_id=table.id, bets={1: 1_000}, money={3: money}, command=house.command(Role.DEALER)
        )
        played = uuid.UUID(begun.body["round"]["id"])
        rounds.round_deal(round_id=played, cards=cards[:2], number=2, command=house.command(Role.DEALER))
        if raised:
            rounds.round_announce(round_id=played, spread=6, command=house.command(Role.DEALER))
            rounds.round_raise(
                round_id=played,
                raises={},
                withdraw=[],
                money={3: raised},
                command=house.command(Role.DEALER),
            )
        rounds.round_deal(round_id=played, cards=cards[2:], number=1, command=house.command(Role.DEALER))
    seats.seat_leave(table_id=table.id, seat=3, command=house.command(Role.DEALER))
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
