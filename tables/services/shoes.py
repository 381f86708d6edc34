"""Shoes: loaded, dealt from, burnt from, retired.

A drawn shoe is shuffled by the operating system's cryptographic generator, committed to in the journal
before its first card, and kept encrypted; each card is opened with its salt as the rules show it. The
leaves of the commitment stand in the loading entry, so an outsider checks every opening against them
and still learns nothing of a card that was never shown.
"""

import base64
import hashlib
import json
import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.fernet import Fernet, MultiFernet

from config import env
from config.errors import DomainError
from ledger.services import Posted
from tables.engine.commitment import SALT_BYTES, Opening, commit
from tables.engine.shoe import Shoe as Cards
from tables.engine.shoe import fresh_cards, shuffle
from tables.models import CardSource, Shoe, Table
from tables.selectors.views import is_card_room, table_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_table, no_round, open_session

BURN_REASONS = ("first_card", "third_on_consecutives", "exposed", "other")


def shoe_load(*, table_id: uuid.UUID, command: Command) -> Answer:
    """Put a freshly shuffled shoe on the table; a drawn one with its commitment.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `shoe_loaded`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        no_round(table)
        if table.shoe is not None:
            raise DomainError("shoe_loaded", "The old shoe must be retired first.")
        packs, cut_card = table.rules.body["packs"], table.rules.body["cut_card"]
        cards = Cards(packs=packs, cut_card=cut_card)
        shoe = Shoe(table=table, number=table.shoes_loaded + 1, packs=packs, source=table.card_source)
        payload = {
            "shoe": str(shoe.id),
            "number": shoe.number,
            "packs": packs,
            "cut_card": cut_card,
            "source": str(shoe.source),
        }
        if table.card_source == CardSource.DRAWN:
            payload |= _draw_order(shoe)

        def write(posted: Posted) -> None:
            shoe.loaded_at = posted.recorded_at
            shoe.save(force_insert=True)

        table.shoe, table.shoes_loaded, table.shoe_state = shoe, shoe.number, cards.to_dict()
        return Effect(
            kind="shoe.load",
            payload=payload,
            write=write,
            changed=["shoe", "shoes_loaded", "shoe_state"],
            body=lambda: table_view(table),
            status=201,
        )

    return execute("shoe.load", command, {"table": str(table_id)}, lock_table, table_id, work)


def shoe_burn(
    *, table_id: uuid.UUID, card: str | None, face_up: bool, reason: str, command: Command
) -> Answer:
    """Burn the next card between rounds.

    Args:
        card: what was scanned; None for a card burnt face down, and always for a drawn shoe.
        face_up: for a drawn shoe, whether the table saw the card.
        reason: one of `BURN_REASONS`.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `no_shoe`, `bad_reason`, `hands_stay_unseen` (in the
            card room the rest of a pack that was dealt from would tell what folded hands were; of a drawn one
            nothing is burnt), and as `take_cards`.
    """

    def work(table: Table) -> Effect:
        open_session(table)
        no_round(table)
        seen = face_up or card is not None
        if is_card_room(table.rules) and (
            table.card_source == CardSource.DRAWN or (seen and _is_used(table))
        ):
            raise DomainError("hands_stay_unseen", "What the pack still holds would tell what hands were.")
        if reason not in BURN_REASONS:
            raise DomainError("bad_reason", f"One of {', '.join(BURN_REASONS)}.", status=422)
        taken = take_cards(table, [card] if card else [], 1) if seen else burn_unseen(table)
        return Effect(
            kind="shoe.burn",
            payload={
                "shoe": str(_shoe(table).id),
                "reason": reason,
                "cards": list(taken.cards),
                "openings": list(taken.openings),
            },
            changed=["shoe_state"],
            body=lambda: table_view(table) | {"burnt": list(taken.cards)},
        )

    request = {"table": str(table_id), "card": card, "face_up": face_up, "reason": reason}
    return execute("shoe.burn", command, request, lock_table, table_id, work)


def _is_used(table: Table) -> bool:
    """Whether cards have left the shoe in play."""
    return Cards.from_dict(table.shoe_state).position > 0 if table.shoe else False


def shoe_retire(
    *, table_id: uuid.UUID, stub: Sequence[str] | None, burnt: Sequence[str], command: Command
) -> Answer:
    """Take the shoe off the table between rounds; a physical one with its stub, if somebody counted it.

    What a counted stub leaves unexplained is journalled with the shoe, for the auditors.

    Args:
        stub: the cards left in a scanned shoe, None when they were not counted.
        burnt: the face-down burnt cards, turned up with the stub.

    Raises:
        DomainError: `table_closed`, `round_in_progress`, `no_shoe`, `stub_of_drawn_shoe`,
            `hands_stay_unseen` (a card-room game: what is not in the stub was in hands that nobody showed,
            and what lay face down is such a hand).
    """

    def work(table: Table) -> Effect:
        open_session(table)
        no_round(table)
        shoe = _shoe(table)
        if (stub is not None or burnt) and is_card_room(table.rules):
            raise DomainError("hands_stay_unseen", "A stub would tell what hands were.", status=422)
        if stub is not None and shoe.source == CardSource.DRAWN:
            raise DomainError("stub_of_drawn_shoe", "A drawn shoe's unseen cards stay sealed.", status=422)
        cards = Cards.from_dict(table.shoe_state)
        payload: dict[str, Any] = {
            "shoe": str(shoe.id),
            "cards": cards.to_dict(),
            "counted": stub is not None,
        }
        if stub is not None:
            wrong = cards.discrepancies(stub, burnt)
            payload |= {"stub": list(stub), "turned_up": list(burnt)}
            payload["discrepancies"] = [
                {"card": d.card, "expected": d.expected, "found": d.found} for d in wrong
            ]

        def write(posted: Posted) -> None:
            shoe.retired_at, shoe.final_state = posted.recorded_at, cards.to_dict()
            shoe.save(update_fields=["retired_at", "final_state"])

        table.shoe, table.shoe_state = None, None
        return Effect(
            kind="shoe.retire",
            payload=payload,
            write=write,
            changed=["shoe", "shoe_state"],
            body=lambda: table_view(table),
        )

    request = {"table": str(table_id), "stub": stub and list(stub), "burnt": list(burnt)}
    return execute("shoe.retire", command, request, lock_table, table_id, work)


@dataclass(frozen=True, slots=True)
class Taken:
    """Cards that left the shoe face up, and for a drawn shoe what opens them."""

    cards: tuple[str, ...]
    openings: tuple[dict[str, Any], ...]


NOTHING_TAKEN = Taken((), ())


def take_cards(table: Table, scanned: Sequence[str], number: int) -> Taken:
    """Let `number` cards leave the shoe of a locked table, face up.

    Args:
        scanned: what the terminal read from a physical shoe; empty for a drawn one.
        number: how many cards are due.

    Raises:
        DomainError: `no_shoe`, `cards_expected`, `cards_not_expected`.
        IllegalAction: `impossible_card`, `shoe_empty`, `bad_card`.
    """
    shoe, cards = _shoe(table), Cards.from_dict(table.shoe_state)
    if shoe.source == CardSource.DRAWN:
        if scanned:
            raise DomainError("cards_not_expected", "This table draws its own cards.", status=422)
        cards.burn_unseen(number)  # refuses where the shoe does not hold so many
        openings = open_at(shoe, range(cards.position, cards.position + number))
    else:
        if len(scanned) != number:
            raise DomainError("cards_expected", f"{number} scanned cards are due.", status=422)
        openings = ()
    faces = tuple(opening.card for opening in openings) or tuple(scanned)
    for face in faces:
        cards = cards.see(face)
    table.shoe_state = cards.to_dict()
    return Taken(faces, tuple(opening_record(opening) for opening in openings))


def burn_unseen(table: Table) -> Taken:
    """Let one card leave the shoe face down: it counts as gone and stays sealed."""
    _shoe(table)
    table.shoe_state = Cards.from_dict(table.shoe_state).burn_unseen().to_dict()
    return NOTHING_TAKEN


def _shoe(table: Table) -> Shoe:
    if table.shoe is None:
        raise DomainError("no_shoe", "There is no shoe on the table.")
    return table.shoe


def _draw_order(shoe: Shoe) -> dict[str, Any]:
    """Shuffle, commit and seal; answers what is published before the first card."""
    order = shuffle(fresh_cards(shoe.packs), secrets.randbelow)
    salts = [secrets.token_bytes(SALT_BYTES) for _ in order]
    commitment = commit(order, salts)
    secret = json.dumps({"cards": order, "salts": [salt.hex() for salt in salts]}).encode()
    shoe.root, shoe.sealed = commitment.root.hex(), _cipher().encrypt(secret)
    return {"root": shoe.root, "leaves": [leaf.hex() for leaf in commitment.leaves]}


def open_at(shoe: Shoe, positions: Iterable[int]) -> tuple[Opening, ...]:
    """The cards at these positions of a drawn shoe, with their salts."""
    assert shoe.sealed is not None, "a drawn shoe is sealed when it is loaded"
    secret = json.loads(_cipher().decrypt(bytes(shoe.sealed)))
    return tuple(Opening(at, secret["cards"][at], bytes.fromhex(secret["salts"][at])) for at in positions)


def opening_record(opening: Opening) -> dict[str, Any]:
    """An opening as the journal holds it."""
    return {"position": opening.position, "card": opening.card, "salt": opening.salt.hex()}


def _cipher() -> MultiFernet:
    """The shoe key, newest first; older ones, separated by commas, still open what they sealed."""
    keys = [hashlib.sha256(text.encode()).digest() for text in env.secret("shoe_key").split(",")]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
