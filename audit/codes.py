"""What the audit can find, by stable code, and what one find says; no database, no Django."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID


class Severity(StrEnum):
    """How urgently somebody must look."""

    NOTICE = "notice"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Meaning:
    """How grave a find of this code is, and what it says, for a person."""

    severity: Severity
    text: str


_C, _W, _N = Severity.CRITICAL, Severity.WARNING, Severity.NOTICE

CODES: dict[str, Meaning] = {
    # one session's money
    "tray_difference": Meaning(_W, "T: the counted tray is not what went through it."),
    "tray_chips_differ": Meaning(
        _W, "T by denomination: the tray holds other chips than went through it, of the same value."
    ),
    "box_difference": Meaning(_W, "B: the counted drop box is not what was recorded as put in."),
    "unexplained_difference": Meaning(_W, "U: the win is not what the rounds won."),
    "blind_count_differs": Meaning(_C, "The counts of a drop box are not what their entry says they were."),
    "box_projection_differs": Meaning(_C, "A drop box's row is not what the journal says."),
    "opener_not_from_closer": Meaning(_W, "The opener is not what the last closer left in the tray."),
    "dealer_differs": Meaning(_C, "A round is said to be dealt by another than the dealer who was on."),
    "stint_projection_differs": Meaning(_C, "A dealer's stint is not what the journal says."),
    "tray_move_not_listed": Meaning(_C, "Chips entered or left the tray for no listed reason."),
    "session_not_in_journal": Meaning(_C, "A session stands in the tables and not in the journal."),
    "session_projection_missing": Meaning(_C, "A session of the journal has no row."),
    "session_projection_differs": Meaning(_C, "A session's row is not what the journal says."),
    # one round, re-settled
    "wrong_payout": Meaning(_C, "A settlement moved other chips than the rules give."),
    "moves_differ": Meaning(_C, "An action moved other chips than the rules give."),
    "state_differs": Meaning(_C, "The recorded actions lead to another state than was recorded."),
    "illegal_action": Meaning(_C, "A recorded action was not allowed when it was recorded."),
    "rule_set_differs": Meaning(_C, "A rule set is unknown, or not the one that is named."),
    "rules_not_in_force": Meaning(
        _C, "A round, or a change of rules, names other rules than were the table's."
    ),
    "engine_unknown": Meaning(_C, "The engine version a round was played under does not exist."),
    "move_not_listed": Meaning(
        _C, "An entry moved players' chips, cash, or what a cage holds, that entries of its kind never move."
    ),
    "amount_differs": Meaning(_C, "An entry says another amount than it moved."),
    "cash_in_differs": Meaning(_C, "A round says other cash in than the currency that was bet in it."),
    "wrong_reversal": Meaning(_C, "A reversal is of another entry than it says, or moved otherwise."),
    "out_of_order": Meaning(_C, "An entry stands where none of its kind may: during a round or a freeze."),
    "session_misnamed": Meaning(_C, "An entry names another session than the one that was open."),
    "reopening_differs": Meaning(
        _C, "A session was opened again, and its closing is said to be another than it was."
    ),
    "kind_differs": Meaning(_C, "A round's entry is called otherwise than what was done in it."),
    "signature_missing": Meaning(_C, "What two people sign was signed by one."),
    "signature_differs": Meaning(_C, "Signatures are kept otherwise than their entry has them."),
    "bet_not_before_card": Meaning(
        _C, "A bet stands in one entry with what decides it: no proof it came first."
    ),
    "round_out_of_order": Meaning(_C, "A round's entry stands where it cannot."),
    "wrong_correction": Meaning(_C, "A correction moved other chips than the physical cards give."),
    "correction_without_round": Meaning(_C, "A correction is of no round, or of another than it says."),
    "void_after_decision": Meaning(_W, "A round was voided after a card had decided it: always shown."),
    "round_not_finished": Meaning(_W, "A round was begun and never ended."),
    "round_projection_differs": Meaning(_C, "A round's row is not what the journal says."),
    "round_projection_missing": Meaning(_C, "A round of the journal has no row."),
    "play_differs": Meaning(_C, "What rounds came to is kept otherwise than the journal gives it."),
    "round_not_in_journal": Meaning(_C, "A round stands in the tables and not in the journal."),
    # a card-room table
    "pool_differs": Meaning(_C, "A round began with another pool than lay on the table."),
    "dealer_out_of_turn": Meaning(_W, "Another seat dealt or banked than the one whose turn it was."),
    "draw_differs": Meaning(_C, "The draw for the first deal went to another seat than its cards give."),
    "paid_short": Meaning(_C, "A player paid less than was due, and had more."),
    "wrong_division": Meaning(_C, "A pool was divided otherwise than the rules give."),
    "division_misstated": Meaning(_C, "A division says other amounts than it moved."),
    "collection_too_soon": Meaning(_W, "A collection was taken before the time of the last one was over."),
    "wrong_collection": Meaning(_C, "A collection took other chips than the rules give."),
    "payment_stands": Meaning(_N, "A wrong payment was not put right, and stands: always shown."),
    "cards_exposed_often": Meaning(_N, "More than one card was exposed in a round: always shown."),
    "hand_miscounted": Meaning(_W, "A hand the server dealt is said to have another number of cards."),
    "player_not_seated": Meaning(_C, "An entry names another player at a seat than sits there."),
    "left_out": Meaning(_N, "Somebody seated had what a deal costs, and was not dealt in."),
    "pack_not_fresh": Meaning(_C, "Hands were dealt, or a deal drawn for, from a used pack."),
    "burn_tells_hands": Meaning(
        _C,
        "What a pack of hands still holds was shown: as a stub, or burnt once it was dealt from, or drawn.",
    ),
    # one shoe
    "impossible_card": Meaning(_C, "A card came that could not be in the shoe any more."),
    "card_without_shoe": Meaning(_C, "A card came while no such shoe was on the table."),
    "commitment_invalid": Meaning(_C, "A shoe's leaves are not those of its commitment."),
    "opening_missing": Meaning(_C, "A card of a committed shoe was not opened."),
    "opening_surplus": Meaning(_C, "An entry opens cards of a committed shoe that it does not show."),
    "opening_out_of_order": Meaning(_C, "A card of a committed shoe was not the next one."),
    "opening_not_committed": Meaning(_C, "A card is not the one the shoe was committed to."),
    "opening_not_of_hand": Meaning(_C, "A card was shown that was not dealt to the hand that showed it."),
    "shoe_not_of_table": Meaning(
        _C, "A shoe was loaded with other packs, cut card or source than its table's."
    ),
    "shoe_differs": Meaning(_C, "A shoe was retired with other cards than came out of it."),
    "shoe_composition": Meaning(_C, "Seen, stub and burnt cards do not make up the packs."),
    "shoe_projection_differs": Meaning(_C, "A shoe's row is not what the journal says."),
    # the house as a whole
    "chips_not_conserved": Meaning(_C, "What lies in all places is not what was commissioned."),
    "cash_not_conserved": Meaning(_C, "The cash accounts of a stream do not add up to nothing."),
    "in_transit_differs": Meaning(_C, "Chips in transit are not those of the slips on their way."),
    "boundary_differs": Meaning(_C, "Chips crossed between cage and table that no slip says did."),
    "movement_without_slip": Meaning(_C, "An entry moved chips between cage and table without a slip."),
    "slip_without_movement": Meaning(_C, "A slip says chips moved, and the journal does not."),
    "slip_differs": Meaning(_W, "Chips were counted that are not what their slip says."),
    "slip_long_on_the_way": Meaning(_W, "Chips have been on their way for longer than a session."),
    "slip_missing_number": Meaning(_C, "A slip number was given and there is no such slip."),
    "slip_unmatched": Meaning(_W, "Slip copies in a drop box are not those of the slips signed there."),
    "markers_differ": Meaning(_C, "Markers are not where the journal has them."),
    "marker_differs": Meaning(_C, "A marker is out of its series, or goes otherwise than it was issued."),
    "promo_differs": Meaning(_C, "Promotional pieces are not where the journal has them."),
    "promo_not_issued": Meaning(_C, "A promotional piece was at stake that nobody had issued."),
    "promo_issued_twice": Meaning(_C, "The number of a promotional piece was issued twice."),
    "promo_not_in_stock": Meaning(_C, "Promotional pieces were issued that were not in stock."),
    "promo_not_named": Meaning(_C, "A promotional stake names no piece, or a piece is named that is none."),
    "promo_value_differs": Meaning(_C, "A promotional piece was played for another value than issued with."),
    "promo_played_twice": Meaning(
        _C, "A promotional piece was at stake twice, or again after it had played."
    ),
    "promo_not_taken_in": Meaning(
        _C, "Pieces were cancelled, or missed, that are not those a table took in."
    ),
    "promo_amount_differs": Meaning(_C, "An entry says or moves another amount than its pieces are worth."),
    "vault_chips_differ": Meaning(_C, "More of a chip left the vault than ever lay in it."),
    "patrons_negative": Meaning(_C, "Patrons handed in more chips than they ever took away."),
    # cash that is reported
    "cash_structuring": Meaning(_W, "One person's small cash transactions add to what must be reported."),
    "cash_minimal_play": Meaning(_W, "Much cash was brought, hardly played, and taken away again."),
    "cash_report_overdue": Meaning(_C, "A cash report was not filed by the day it was due."),
    "cash_projection_differs": Meaning(_C, "Cash is kept otherwise than the journal has it."),
    # the house's jurisdiction profiles
    "profiles_differ": Meaning(_C, "The house's profiles are not those its journal says were chosen."),
    "profile_changed": Meaning(_C, "A profile is not any more what it was when it was chosen."),
    # who signed with whom
    "signed_as_one": Meaning(
        _W, "Two who should sign apart did it as one could: at one device, or at once from one address."
    ),
    # the journal's seals
    "checkpoint_missing": Meaning(_C, "Entries wait for the first checkpoint, and no sealer makes it."),
    "checkpoint_stale": Meaning(_C, "Entries have been waiting too long for the next checkpoint."),
    "checkpoint_unpublished": Meaning(_C, "Checkpoints cannot be written outside the database."),
    "seal_refused": Meaning(
        _C, "The sealer does not sign: the journal does not continue, or its key is bad."
    ),
    "timestamp_missing": Meaning(_W, "No good timestamp of a closed day's checkpoint could be had."),
    "closed_day_differs": Meaning(_C, "A closed gaming day's row is not what the journal says."),
    # results
    "hold_out_of_range": Meaning(_W, "A table's hold is further from its base than the profile allows."),
    # the work itself
    "entry_unreadable": Meaning(_C, "An entry does not say what entries of its kind say."),
    "work_failed": Meaning(_W, "A piece of background work failed; it is tried again."),
}

SIGNALS = frozenset({"payment_stands", "cards_exposed_often", "hand_miscounted", "left_out"})
"""What the rules allow and somebody must see: a round that shows it is as it was recorded."""

JOURNAL_PREFIX = "journal_"
_JOURNAL = Meaning(_C, "The journal does not verify: see the evidence.")


def meaning_of(code: str) -> Meaning:
    """What a code means; those of the journal's verification all begin with `journal_`.

    Raises:
        KeyError: a code nobody defined.
    """
    return _JOURNAL if code.startswith(JOURNAL_PREFIX) else CODES[code]


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is not as it must be.

    Args:
        code: one of `CODES`, or `journal_...`.
        evidence: JSON values that let a person judge it.
        stream, seq: the journal's stream and entry concerned, where there are any.
        session, round: ids concerned, where there are any.
        about: what else tells this cause from others of the same subject (an account, a card).
    """

    code: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    stream: str = ""
    seq: int | None = None
    session: UUID | None = None
    round: UUID | None = None
    about: str = ""

    @property
    def cause(self) -> str:
        """The key under which this is one and the same cause, however often it is found."""
        subject = (self.stream, self.seq, self.session, self.round, self.about)
        return "|".join([self.code, *("" if part is None else str(part) for part in subject)])
