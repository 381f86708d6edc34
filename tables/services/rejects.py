"""Chips in a tray or a drop box that are no chips of the house in use: foreign, withdrawn or counterfeit.

They are documented when they are found, under two signatures, with what they were taken for, so that no count
is silently short. In a tray they were taken for the house's own: what was given for them is still out with
patrons, so it leaves the tray's books for `floor`, and is a documented loss in R, as a mispay is; T stays
zero. In a box nothing was booked of chips, so nothing moves, and B does not know them.
"""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from config.errors import DomainError
from ledger.services import Movement
from tables.engine.places import TRAY
from tables.models import BoxStatus, DropBox, Table
from tables.selectors.views import table_view
from tables.services.asked import some, why
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_pieces
from tables.services.locks import lock_table, lock_table_of_box, not_found, open_session
from tables.services.signatures import Second, signed_by_two

REJECT = "chips.reject"
REJECTED = ("foreign", "withdrawn", "counterfeit")


def tray_reject(
    *, table_id: uuid.UUID, kind: str, pieces: Count, note: str, second: Second, command: Command
) -> Answer:
    """Take chips that are none of the house's out of the tray's books.

    Args:
        kind: one of `REJECTED`.
        pieces: what they were taken for (minor units) to how many.
        note: what they look like, and where they have gone.
        second: who looks and signs with the actor.

    Raises:
        DomainError: `table_closed`, `bad_kind`, `bad_count`, `nothing_to_move`, `reason_missing`,
            `floor_broken` (the tray has less), and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        session = open_session(table)
        said = {"session": str(session.id), "where": "tray"}
        return _rejected(
            table, command, said, kind, pieces, note, second, table_id, lambda: table_view(table)
        )

    request = {"table": str(table_id), **_request(kind, pieces, note, second)}
    return execute(REJECT, command, request, lock_table, table_id, work)


def box_reject(
    *, box_id: uuid.UUID, kind: str, pieces: Count, note: str, second: Second, command: Command
) -> Answer:
    """Document chips that are none of the house's and were found in a drop box; nothing was booked of them.

    Args:
        kind, pieces, note, second: as in `tray_reject`.

    Raises:
        DomainError: `box_not_found`, `box_on_table`, `bad_kind`, `bad_count`, `nothing_to_move`,
            `reason_missing`, and those of `countersigner`.
    """

    def work(table: Table) -> Effect:
        box = DropBox.objects.filter(id=box_id, table=table).first()
        if box is None:
            raise not_found("box")
        if box.status == BoxStatus.ON_TABLE:
            raise DomainError("box_on_table", "The box is still on its table.")
        said = {"session": str(box.session_id), "where": "box", "box": str(box.id), "number": box.number}
        return _rejected(
            table, command, said, kind, pieces, note, second, box_id, lambda: {"box": str(box.id)}
        )

    request = {"box": str(box_id), **_request(kind, pieces, note, second)}
    return execute("box.reject", command, request, lock_table_of_box, box_id, work)


def _request(kind: str, pieces: Count, note: str, second: Second) -> dict[str, Any]:
    return {"kind": kind, "pieces": dict(pieces), "note": note, "second": second.number}


def _rejected(
    table: Table,
    command: Command,
    said: Mapping[str, Any],
    kind: str,
    pieces: Count,
    note: str,
    second: Second,
    subject: uuid.UUID,
    body: Callable[[], dict[str, Any]],
) -> Effect:
    """The effect of chips that were found: their entry, and their value out of the tray if they lay there."""
    if kind not in REJECTED:
        raise DomainError("bad_kind", f"One of {', '.join(REJECTED)}.", status=422)
    value = some(check_pieces(pieces))
    note = why(note, "Say what was found, and where it has gone.")
    witness, sign = signed_by_two(REJECT, command, second, on=table, subject=subject, reason=note)
    return Effect(
        kind=REJECT,
        payload={
            **said,
            "reason": kind,
            "pieces": dict(pieces),
            "value": value,
            "note": note,
            "second": str(witness.id),
        },
        movements=[Movement(TRAY, "floor", value)] if said["where"] == "tray" else [],
        write=sign,
        body=lambda: body() | {"rejected": value},
        status=201,
    )
