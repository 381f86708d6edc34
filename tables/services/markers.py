"""Markers: chips at a table against a signed instrument, where the gaming day's profile allows it.

The instrument goes into the drop box, so it is in the insertions and in the drop as cash is; but it is an
asset of its own (`markers:USD`), and no cash until it is paid. At its table it is redeemed while the box it
lies in is on the table, for cash or chips, and comes out again; later at the cage, for cash, and the table's
drop keeps it.
"""

import uuid
from typing import Literal

from django.db.models import Max, Sum

from config.errors import DomainError
from ledger.selectors import balances
from ledger.services import AccountSpec, Movement, Posted, open_accounts
from tables.engine.places import TRAY, seat_place
from tables.jurisdiction.cash import CashMoved, Direction
from tables.jurisdiction.profile import Practice
from tables.models import BoxStatus, Cage, Casino, DropBox, Marker, Player, Table
from tables.selectors.jurisdiction import profile_now
from tables.selectors.views import cage_view, is_card_room, table_view
from tables.services.asked import some
from tables.services.cash import CAGE, CashKept, Place
from tables.services.command import Answer, Command, Effect, execute
from tables.services.days import running_day
from tables.services.locks import lock_cage, lock_table, no_round, not_found, open_session
from tables.services.seats import OTHER_TENDER, occupied
from tables.services.signatures import Second, signed_by_two

LIMIT, ISSUE, REDEEM, PAY = "cage.credit_limit", "marker.issue", "marker.redeem", "cage.redeem_marker"
REASONS = ("application", "raised", "lowered", "revoked", "other")
"""Why a limit is set: a closed list, since a text might say more of a person than the journal may keep."""
Tender = Literal["cash", "chips"]
PATRONS, IN_BOX, REMOVED, COUNTED = (
    "markers:patrons",
    "markers:drop_box",
    "markers:boxes",
    "markers:count_room",
)


def credit_limit_set(
    *, casino_id: uuid.UUID, player_id: uuid.UUID, limit: int, reason: str, second: Second, command: Command
) -> Answer:
    """Say how much a player may owe on markers; what is owed already stays owed.

    Args:
        player_id: a player the house knows by a reference, not one merely described.
        limit: minor units; 0 for nothing more.
        reason: one of `REASONS`.
        second: who signs with the cashier.

    Raises:
        DomainError: `markers_not_allowed`, `player_not_found`, `person_erased`, `no_credit` (a description),
            `bad_reason` (422), `same_limit`, and those of `countersigner`.
    """

    def work(cage: Cage) -> Effect:
        _allowed(cage.casino)
        if reason not in REASONS:
            raise DomainError("bad_reason", f"One of {', '.join(REASONS)}.", status=422)
        witness, sign = signed_by_two(LIMIT, command, second, on=cage, subject=player_id)
        player = _known(casino_id, player_id)
        if player.credit_limit == limit:
            raise DomainError("same_limit", "The limit is this already.")
        before, player.credit_limit = player.credit_limit, limit

        def write(posted: Posted) -> None:
            player.save(update_fields=["credit_limit"])
            sign(posted)

        said = {"player": str(player_id), "limit": limit}
        return Effect(
            kind=LIMIT,
            payload={**said, "before": before, "reason": reason, "second": str(witness.id)},
            write=write,
            body=lambda: cage_view(cage) | said,
        )

    request = {"player": str(player_id), "limit": limit, "reason": reason, "second": second.number}
    return execute(LIMIT, command, request, lock_cage, casino_id, work)


def marker_issue(*, table_id: uuid.UUID, seat: int, amount: int, second: Second, command: Command) -> Answer:
    """Give whoever sits there chips against a marker, which goes into the drop box.

    Args:
        amount: minor units.
        second: who signs with the actor.

    Raises:
        DomainError: `table_closed`, `round_in_progress` (in the card room), `markers_not_allowed`,
            `nothing_to_move`, `seat_unknown`, `seat_empty`, `no_credit` (nobody known, or without a limit),
            `person_erased`, `above_credit_limit` with what is owed already, `floor_broken` where the tray
            has not got the chips, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        if is_card_room(table.rules):
            no_round(table)
        _allowed(table.casino)
        some(amount)
        place = occupied(table, seat)
        if place.player_id is None:
            raise DomainError("no_credit", "Nobody knows who sits there.")
        witness, sign = signed_by_two(ISSUE, command, second, on=table, subject=table_id)
        player = _known(table.casino_id, place.player_id)
        _within_limit(player, amount)
        marker = _next_marker(table, player, seat, amount)
        _accounts_once(table, command)

        def write(posted: Posted) -> None:
            marker.issued_at, marker.issued_seq = posted.recorded_at, posted.seq
            marker.save(force_insert=True)
            sign(posted)

        said = _said(marker)
        return Effect(
            kind=ISSUE,
            payload={"session": str(session.id), **said, "second": str(witness.id)},
            movements=[Movement(PATRONS, IN_BOX, amount), Movement(TRAY, seat_place(seat), amount)],
            write=write,
            body=lambda: table_view(table) | {"marker": said | {"label": marker.label}},
            status=201,
        )

    request = {"table": str(table_id), "seat": seat, "amount": amount, "second": second.number}
    return execute(ISSUE, command, request, lock_table, table_id, work)


def marker_redeem(
    *, table_id: uuid.UUID, seat: int, marker_id: uuid.UUID, tender: Tender, command: Command
) -> Answer:
    """Redeem a marker at its table, whole, for cash or for chips of the seat; it comes out of the box.

    It goes on where the profile has ceased to allow markers: what is owed may be paid.

    Args:
        seat: where the player who owes it sits.
        tender: `cash`, which is cash in of the player, or `chips`.

    Raises:
        DomainError: `table_closed`, `round_in_progress` (in the card room), `marker_not_found`,
            `marker_redeemed`, `marker_at_cage` (its box has left the table), `seat_unknown`, `seat_empty`,
            `seat_of_another`, `floor_broken` where the seat has not got the chips.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        if is_card_room(table.rules):
            no_round(table)
        marker = _outstanding(marker_id, table=table)
        if marker.box.status != BoxStatus.ON_TABLE:
            raise DomainError("marker_at_cage", "Its box has left the table; the cage takes the payment.")
        if occupied(table, seat).player_id != marker.player_id:
            raise DomainError("seat_of_another", f"Who owes it is not known to sit on seat {seat}.")
        kept = _cash_in(table.casino, marker, Place(table_id=table.id, seat=seat), command, REDEEM)
        paid = {
            "cash": Movement("cash:patrons", "cash:drop_box", marker.amount),
            "chips": Movement(seat_place(seat), TRAY, marker.amount),
        }[tender]

        def write(posted: Posted) -> None:
            _redeemed(marker, posted)
            if tender == "cash":
                kept.write(posted)

        return Effect(
            kind=REDEEM,
            payload={"session": str(session.id), **_said(marker), "seat": seat, "tender": tender},
            movements=[Movement(IN_BOX, PATRONS, marker.amount), paid],
            write=write,
            body=lambda: table_view(table) | {"redeemed": marker.amount} | kept.told(),
        )

    request = {"table": str(table_id), "seat": seat, "marker": str(marker_id), "tender": tender}
    return execute(REDEEM, command, request, lock_table, table_id, work)


def marker_pay(*, casino_id: uuid.UUID, marker_id: uuid.UUID, command: Command) -> Answer:
    """Take the cash for a marker at the cage, whole: cash in of whoever owed it; no table's drop changes.

    Raises:
        DomainError: `marker_not_found`, `marker_redeemed`, `gaming_day_closed`.
    """

    def work(cage: Cage) -> Effect:
        marker = _outstanding(marker_id, casino=cage.casino)
        day = running_day(cage.casino)
        kept = _cash_in(cage.casino, marker, CAGE, command, PAY)
        kept.day = day

        def write(posted: Posted) -> None:
            _redeemed(marker, posted)
            kept.write(posted)

        return Effect(
            kind=PAY,
            payload={**_said(marker), "gaming_day": day.isoformat()},
            movements=[Movement("cash:patrons", "cash:drawer", marker.amount)],
            write=write,
            body=lambda: cage_view(cage) | {"received": marker.amount} | kept.told(),
            status=201,
        )

    return execute(PAY, command, {"marker": str(marker_id)}, lock_cage, casino_id, work)


def _allowed(casino: Casino) -> None:
    if not profile_now(casino).allows(Practice.MARKERS):
        raise DomainError(*OTHER_TENDER["marker"])


def _known(casino_id: uuid.UUID, player_id: uuid.UUID) -> Player:
    """A player known by a reference, locked: two tables at once cannot both use up one limit.

    After the second has signed: who signs is locked before whose cash it is, everywhere.
    """
    rows = Player.objects.select_for_update(no_key=True, of=("self",))
    player = rows.filter(id=player_id, casino_id=casino_id).first()
    if player is None:
        raise not_found("player")
    if player.erased_at is not None:
        raise DomainError("person_erased", "What was known of this person was erased.")
    if not player.reference:
        raise DomainError("no_credit", "Credit is given to players the house knows by a reference.")
    return player


def _within_limit(player: Player, amount: int) -> None:
    if player.credit_limit is None:
        raise DomainError("no_credit", "This player has no credit limit.")
    open_ones = Marker.objects.filter(player=player, redeemed_seq=None)
    owed = open_ones.aggregate(owed=Sum("amount"))["owed"] or 0
    if owed + amount > player.credit_limit:
        raise DomainError("above_credit_limit", "That is more than the player's limit leaves.", owed=owed)


def _next_marker(table: Table, player: Player, seat: int, amount: int) -> Marker:
    """The next of a locked table's series, which goes into the box that is on it; not written yet."""
    last = Marker.objects.filter(table=table).aggregate(last=Max("number"))["last"]
    return Marker(
        casino_id=table.casino_id,
        table=table,
        number=(last or 0) + 1,
        box=DropBox.objects.get(table=table, status=BoxStatus.ON_TABLE),
        player=player,
        seat=seat,
        amount=amount,
    )


def _outstanding(marker_id: uuid.UUID, **within: object) -> Marker:
    rows = Marker.objects.select_for_update(no_key=True, of=("self",)).select_related("box", "table")
    marker = rows.filter(id=marker_id, **within).first()
    if marker is None:
        raise not_found("marker")
    if marker.redeemed_seq is not None:
        raise DomainError("marker_redeemed", "This marker was redeemed before.")
    return marker


def _redeemed(marker: Marker, posted: Posted) -> None:
    marker.redeemed_at = posted.recorded_at
    marker.redeemed_stream, marker.redeemed_seq = posted.stream, posted.seq
    marker.save(update_fields=["redeemed_at", "redeemed_stream", "redeemed_seq"])


def _said(marker: Marker) -> dict[str, str | int]:
    """What every entry about a marker says of it."""
    return {
        "marker": str(marker.id),
        "number": marker.number,
        "table": str(marker.table_id),
        "player": str(marker.player_id),
        "seat": marker.seat,
        "amount": marker.amount,
    }


def _cash_in(casino: Casino, marker: Marker, place: Place, command: Command, kind: str) -> CashKept:
    return CashKept(
        casino=casino,
        person_id=marker.player_id,
        moved=CashMoved(direction=Direction.IN, amount=marker.amount),
        place=place,
        command=command,
        kind=kind,
    )


def _accounts_once(table: Table, command: Command) -> None:
    """Open the accounts of the table's instruments with its first marker, in the marker's own transaction."""
    if IN_BOX in balances(table.stream):
        return
    asset = table.casino.markers_asset
    open_accounts(
        stream=table.stream,
        accounts=[
            AccountSpec(PATRONS, asset, None),
            AccountSpec(IN_BOX, asset, 0),
            AccountSpec(REMOVED, asset, 0),
            AccountSpec(COUNTED, asset, 0),
        ],
        actor=command.actor.staff_id,
        command_id=uuid.uuid5(command.id, "markers"),
    )
