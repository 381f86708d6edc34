"""Promotional chips and coupons: an asset of its own, with a stock at the cage and a number on each piece.

No chip of the house's is one, and no drop, tray or win knows them: what they cost is the chips they win. A
piece is issued to a player once, played beside a bet (`tables.services.rounds`), and taken into the table's
promotional box, out of which two people take and cancel it.
"""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from config.errors import DomainError
from ledger.services import Movement, Posted
from tables.engine.places import PROMO_BOX
from tables.models import Cage, PromoPiece, PromoStatus, PromoStock, Table
from tables.selectors.views import cage_view, table_view
from tables.services.asked import some
from tables.services.cash import person_named
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_pieces
from tables.services.locks import lock_cage, lock_table
from tables.services.signatures import Second, signed_by_two

STOCK, COLLECT = "promo.stock", "promo.collect"
_BROUGHT = """
INSERT INTO tables_promostock AS kept (casino_id, value, pieces)
SELECT %s, value, pieces FROM unnest(%s::bigint[], %s::bigint[]) AS brought (value, pieces)
    ON CONFLICT (casino_id, value) DO UPDATE SET pieces = kept.pieces + excluded.pieces
"""
_GIVEN = """
UPDATE tables_promostock AS kept SET pieces = kept.pieces - given.pieces
  FROM unnest(%s::bigint[], %s::bigint[]) AS given (value, pieces)
 WHERE kept.casino_id = %s AND kept.value = given.value
"""


def promo_stock(*, casino_id: uuid.UUID, pieces: Count, second: Second, command: Command) -> Answer:
    """Bring new promotional pieces into the cage's stock.

    Args:
        pieces: value (minor units) to number of pieces.
        second: who counts and signs with the cashier.

    Raises:
        DomainError: `bad_count`, `nothing_to_move`, and those of `countersigner`.
    """

    def work(cage: Cage) -> Effect:
        total = some(check_pieces(pieces))
        witness, sign = signed_by_two(STOCK, command, second, on=cage, subject=casino_id)
        brought = Counter[int]()
        for value, number in pieces.items():
            brought[int(value)] += number

        def write(posted: Posted) -> None:
            _execute(_BROUGHT, casino_id, list(brought), list(brought.values()))
            sign(posted)

        return Effect(
            kind=STOCK,
            payload={"pieces": dict(pieces), "total": total, "second": str(witness.id)},
            movements=[Movement("promo:made", "promo:stock", total)],
            write=write,
            body=lambda: cage_view(cage),
            status=201,
        )

    request = {"pieces": dict(pieces), "second": second.number}
    return execute(STOCK, command, request, lock_cage, casino_id, work)


def _execute(statement: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def promo_issue(
    *, casino_id: uuid.UUID, player_id: uuid.UUID, pieces: Mapping[str, int], command: Command
) -> Answer:
    """Give a player promotional pieces out of the stock; a number is issued once, for ever.

    Args:
        player_id: a player, or somebody described.
        pieces: the number on each piece to its value, minor units.

    Raises:
        DomainError: `nothing_to_move`, `player_not_found`, `person_erased`, `coupon_issued` for a number that
            was given before, `coupon_not_in_stock` when the stock does not hold as many of a value.
    """

    def work(cage: Cage) -> Effect:
        total = some(sum(pieces.values()))
        person_named(casino_id, player_id)
        if PromoPiece.objects.filter(casino_id=casino_id, serial__in=pieces).exists():
            raise DomainError("coupon_issued", "One of these numbers was issued before.")
        wanted = Counter(pieces.values())
        held = PromoStock.objects.filter(casino_id=casino_id, value__in=wanted)
        if wanted - Counter(dict(held.values_list("value", "pieces"))):
            raise DomainError("coupon_not_in_stock", "There are not as many pieces of a value in stock.")

        def write(posted: Posted) -> None:
            _execute(_GIVEN, list(wanted), list(wanted.values()), casino_id)
            PromoPiece.objects.bulk_create(
                PromoPiece(
                    casino_id=casino_id,
                    serial=serial,
                    value=value,
                    player_id=player_id,
                    issued_at=posted.recorded_at,
                    issued_seq=posted.seq,
                )
                for serial, value in sorted(pieces.items())
            )

        return Effect(
            kind="promo.issue",
            payload={"player": str(player_id), "coupons": dict(pieces), "total": total},
            movements=[Movement("promo:stock", "promo:out", total)],
            write=write,
            body=lambda: cage_view(cage) | {"issued": total},
            status=201,
        )

    request = {"player": str(player_id), "pieces": dict(pieces)}
    return execute("promo.issue", command, request, lock_cage, casino_id, work)


def promo_collect(*, table_id: uuid.UUID, coupons: Sequence[str], second: Second, command: Command) -> Answer:
    """Take played pieces out of a table's promotional box and cancel them; what is missing stays booked.

    Args:
        coupons: the numbers found.
        second: who looks and signs with the actor.

    Raises:
        DomainError: `nothing_to_move`, `coupon_not_here` for a piece that was not taken in at this table, or
            was cancelled before, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        taken = PromoPiece.objects.filter(table=table, status=PromoStatus.TAKEN)
        found = {piece.serial: piece for piece in taken if piece.serial in coupons}
        if len(found) < len(coupons):
            raise DomainError("coupon_not_here", "One of these pieces was not taken in here.")
        total = some(sum(piece.value for piece in found.values()))
        witness, sign = signed_by_two(COLLECT, command, second, on=table, subject=table_id)
        missing = sorted(piece.serial for piece in taken if piece.serial not in found)

        def write(posted: Posted) -> None:
            ids = [piece.id for piece in found.values()]
            PromoPiece.objects.filter(id__in=ids).update(
                status=PromoStatus.CANCELLED, cancelled_seq=posted.seq
            )
            sign(posted)

        return Effect(
            kind=COLLECT,
            payload={
                "session": str(table.session.id) if table.session else None,
                "coupons": sorted(found),
                "missing": missing,
                "total": total,
                "second": str(witness.id),
            },
            movements=[Movement(PROMO_BOX, "promo_cancelled", total)],
            write=write,
            body=lambda: table_view(table) | {"cancelled": total, "missing": missing},
        )

    request = {"table": str(table_id), "coupons": list(coupons), "second": second.number}
    return execute(COLLECT, command, request, lock_table, table_id, work)
