"""The demonstration's script: what must be seen on any day, at a place where it is sure to happen.

Only the first three boards of the scanned table are arranged, as somebody stacking a deck would; the
rest of that shoe is shuffled, and the other tables draw from the server's own generator.
"""

from tables.simulation import incidents
from tables.simulation.floor import Staging
from tables.simulation.house import House

SCANNED = "T2"
# One card burnt, then trips that the tray cannot pay, a spread that is voided, and consecutive cards.
ON_TOP = ("2C", "8S", "8S", "8H", "5H", "QD", "6C", "7D")
ARRANGED = (
    f"the first three boards of {SCANNED} were stacked on top of its shuffle, to show what must be shown"
)
LEAST_ROUNDS = 4
"""Rounds at each table it takes for everything to have its place."""


def demonstration(house: House) -> Staging:
    """Everything that is refused, retried, voided or late on the demonstration's day."""
    return Staging(
        scripts={
            "T1": {
                (0, "closed"): [
                    incidents.wrong_pin,
                    incidents.not_signed_in,
                    incidents.same_person_twice,
                ],
                (1, "betting"): [
                    incidents.bad_shape,
                    incidents.bet_over_limit,
                    incidents.bet_beyond_chips,
                ],
                (2, "betting"): [
                    incidents.stale,
                    incidents.repeated_buy_in,
                    incidents.two_at_once,
                ],
                (3, "betting"): [incidents.other_table(house.tables["T3"])],
                (LEAST_ROUNDS, "betting"): [incidents.fresh_shoe],
            },
            SCANNED: {
                (1, "third_card"): [incidents.raise_on_pair],
                (2, "betting"): [incidents.impossible_card("8S")],
                (2, "announcing"): [incidents.third_card_too_early, incidents.void_round],
                (3, "over"): [incidents.raise_on_consecutive],
            },
        },
        all_in={SCANNED: frozenset({1})},
        on_top={SCANNED: ON_TOP},
    )
