"""Money plays: currency that is bet instead of chips, where the gaming day's profile allows it.

A money play is cash in of whoever sits there once its round is settled, won or lost (31 CFR 1021.311(a)(5)):
before that it may be taken back or void, and was no bet. How much of it lay there before and is not counted
again, and why what goes back is no cash out, `tables.jurisdiction.cash` says.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import AccountSpec, Posted, open_accounts
from tables.engine.places import money_place
from tables.jurisdiction.cash import CashMoved, Direction, money_came_back, money_counted, money_settled
from tables.jurisdiction.profile import Practice
from tables.models import Round, Seat, Table
from tables.selectors.jurisdiction import profile_now
from tables.selectors.views import is_card_room
from tables.services.cash import CashKept, Place, cash_keep
from tables.services.command import Command
from tables.services.seats import OTHER_TENDER


def money_laid(table: Table, money: Mapping[int, int], command: Command) -> None:
    """See that currency may be bet at a locked table, and that it has accounts for it.

    Args:
        money: seat number to minor units; nothing is asked where there is none.

    Raises:
        DomainError: `wrong_game` in the card room, `money_plays_not_allowed` by the gaming day's profile.
    """
    if not money:
        return
    if is_card_room(table.rules):
        raise DomainError("wrong_game", "Only against the house is currency bet.")
    if not profile_now(table.casino).allows(Practice.MONEY_PLAYS):
        raise DomainError(*OTHER_TENDER["money_play"])
    lying = balances(table.stream)
    places = [money_place(seat) for seat in range(1, table.rules.body["seats"] + 1)]
    missing = [AccountSpec(place, table.casino.cash_asset, 0) for place in places if place not in lying]
    if missing:
        open_accounts(
            stream=table.stream,
            accounts=missing,
            actor=command.actor.staff_id,
            command_id=uuid.uuid5(command.id, "money"),
        )


@dataclass(frozen=True, slots=True)
class MoneySettled:
    """The money plays of a round that is settled, as cash of those who sit there."""

    kept: tuple[CashKept, ...] = ()

    @property
    def said(self) -> dict[str, Any]:
        """What the round's last entry says of them: whose cash in, and how much of it counts."""
        if not self.kept:
            return {}
        return {
            "cash_in": {
                str(each.place.seat): {
                    "player": str(each.person_id) if each.person_id else None,
                    "amount": each.moved.amount,
                }
                for each in self.kept
            }
        }

    def write(self, posted: Posted) -> None:
        """Keep each with the entry."""
        cash_keep(self.kept, posted)

    def told(self) -> dict[str, Any]:
        """The reports that became due, for those who may be told (`CashKept.told`)."""
        due = [report for each in self.kept if (report := each.told()["cash_report_due"])]
        return {"cash_reports_due": due} if due else {}


def money_plays(table: Table, running: Round, kind: str, command: Command) -> MoneySettled:
    """The money plays of a round that is over.

    Args:
        kind: of its last entry.
    """
    staked = money_settled(running.state)
    if not staked:
        return MoneySettled()
    rows = Seat.objects.filter(table=table, number__in=staked)
    sitting = {seat.number: seat for seat in rows}
    counted = money_counted(staked, _came_back(running, sitting))
    return MoneySettled(
        tuple(
            CashKept(
                casino=table.casino,
                person_id=sitting[seat].player_id,
                moved=CashMoved(direction=Direction.IN, amount=amount),
                place=Place(table_id=table.id, seat=seat),
                command=command,
                kind=kind,
            )
            for seat, amount in counted.items()
        )
    )


def _came_back(running: Round, sitting: Mapping[int, Seat]) -> dict[int, int]:
    """The currency that the round before brought back to seats whose players have not left since."""
    before = Round.objects.filter(session=running.session_id, number=running.number - 1).first()
    if before is None or before.ended_at is None:
        return {}
    stayed = {number for number, seat in sitting.items() if seat.since and seat.since <= before.ended_at}
    return {seat: amount for seat, amount in money_came_back(before.state).items() if seat in stayed}
