"""The demonstration's script: what must be seen on any day, at a place where it is sure to happen.

Only what chance could withhold is arranged: the first boards of the scanned Red Dog shoe, and the first
two deals of the physical packs. The rest is shuffled, and the other tables draw from the server's own
generator.
"""

from tables.simulation import incidents, room_incidents
from tables.simulation.dealer import Staged
from tables.simulation.floor import Staging
from tables.simulation.house import TABLES, House
from tables.simulation.world import Arranged

SCANNED = "T2"
# One card burnt, then trips that the tray cannot pay, a spread that is voided, and consecutive cards.
ON_TOP = ("2C", "8S", "8S", "8H", "5H", "QD", "6C", "7D")
ACES = Arranged(top=("AS", "AH", "AD", "AC"))
"""Nobody beats an ace: everybody who bets loses."""
KING = Arranged(hands=(("KD",),), top=("2D",))
"""The first player wins."""
ARRANGED = f"three boards of {SCANNED} and two deals each of T5 and T7, stacked for what must be shown"
LEAST_ROUNDS = 4
"""Rounds at each table it takes for everything to have its place."""
VOIDED = {"T5": 1}
"""Rounds at card-room tables that are staged to be void, and are played besides their share."""


def shares(rounds: int) -> dict[str, int]:
    """How many rounds each table plays so that there are `rounds` on the whole, at least.

    A round of a card-room game is many commands: those tables play an eighth each that counts.
    """
    rooms = [plan.code for plan in TABLES if plan.is_card_room]
    others = [plan.code for plan in TABLES if not plan.is_card_room]
    in_room = max(-(-rounds // 8), LEAST_ROUNDS)
    in_other = max(-(-(rounds - in_room * len(rooms)) // len(others)), LEAST_ROUNDS)
    in_rooms = {code: in_room + VOIDED.get(code, 0) for code in rooms}
    return dict.fromkeys(others, in_other) | in_rooms


def demonstration(house: House, played: dict[str, int]) -> Staging:
    """Everything that is refused, retried, sent back, voided or late on the demonstration's day.

    Args:
        played: how many rounds each table plays.
    """
    return {
        "T1": Staged(
            {
                (0, "closed"): [incidents.wrong_pin, incidents.not_signed_in, incidents.same_person_twice],
                (1, "betting"): [incidents.bad_shape, incidents.bet_over_limit, incidents.bet_beyond_chips],
                (2, "betting"): [incidents.stale, incidents.repeated_buy_in, incidents.two_at_once],
                (3, "betting"): [incidents.other_table(house.tables["T3"])],
                (LEAST_ROUNDS, "betting"): [incidents.fresh_shoe],
            }
        ),
        "T3": Staged({(2, "betting"): [incidents.credit]}, money=frozenset({1, 2, 3})),
        "T4": Staged(
            {
                (2, "betting"): [incidents.unwanted_fill],
                (3, "betting"): [incidents.toke],
                (played["T4"], "over"): [incidents.tokes_collected],
            },
            tokes=frozenset({1, 3, 4}),
        ),
        SCANNED: Staged(
            {
                (1, "betting"): [incidents.promoted],
                (1, "third_card"): [incidents.raise_on_pair],
                (2, "betting"): [incidents.impossible_card("8S"), incidents.piece_again],
                (2, "announcing"): [incidents.third_card_too_early, incidents.void_round],
                (3, "over"): [incidents.raise_on_consecutive, incidents.pieces_collected],
            },
            all_in=frozenset({1}),
            coupons=frozenset({1, 2, 3}),
            on_top=ON_TOP,
        ),
        "T5": _pool(),
        "T6": _burning(played["T6"]),
        "T7": _banking(),
    }


def _pool() -> Staged:
    """Everybody loses, so that the pool passes its limit; then it is won whole; then a card comes twice."""
    return Staged(
        {
            (1, "bet"): [room_incidents.out_of_turn, room_incidents.over_the_pool],
            (1, "stated"): [room_incidents.changed_bet],
            (1, "over"): [room_incidents.spent_pack],
            (2, "show"): [room_incidents.whole_hand_of_a_winner],
            (3, "bet"): [room_incidents.lays_down, room_incidents.exposed, room_incidents.impossible_card],
        },
        all_in=frozenset({1, 2}),
        arranged={1: ACES, 2: KING},
    )


def _burning(rounds: int) -> Staged:
    """Hands dealt wrongly, cards exposed, payments made in error, and a pool left over at the end."""
    return Staged(
        {
            (1, "dealing"): [room_incidents.misdealt(0, 6)],
            (1, "bet"): [room_incidents.paid_into_the_pool],
            (2, "dealing"): [room_incidents.misdealt(3, 4)],
            (2, "shown"): [room_incidents.lays_down],
            (3, "dealing"): [room_incidents.without_the_ante],
            (3, "bet"): [room_incidents.exposed],
            (3, "stated"): [room_incidents.exposed],
            (3, "shown"): [room_incidents.put_right_in_time],
            (4, "shown"): [room_incidents.noticed_too_late],
            (rounds, "closing"): [room_incidents.paid_into_the_pool],
            (rounds, "over"): [room_incidents.left_pool],
        },
        least=frozenset({1, 2, 3, 4}),
    )


def _banking() -> Staged:
    """The first bettor breaks the bank; then nobody wins and it goes back; then somebody passes."""
    return Staged(
        {
            (1, "bet"): [room_incidents.over_the_pool],
            (2, "bet"): [room_incidents.exposed],
            (3, "bet"): [room_incidents.lays_down],
        },
        all_in=frozenset({1}),
        least=frozenset({2}),
        arranged={1: KING, 2: ACES},
    )
