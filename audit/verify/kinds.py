"""Which kinds of entries mean something to the checks; of any other the movements are added up alone."""

KNOWN = frozenset(
    {
        *("stream.open", "account.open", "ledger.rebuild", "rows.rebuild"),
        *("entry.reverse", "correction.post"),
        *("session.open", "session.close", "session.count_drop"),
        *("session.reopen", "dealer.sign_on", "dealer.sign_off", "dealer.relieve"),
        *("table.rules", "seat.change", "toke.give", "toke.collect", "chips.reject"),
        *("marker.issue", "marker.redeem"),
        *("box.remove", "drop.count_first", "drop.count_differs", "drop.count"),
        *("seat.take", "seat.buy_in", "seat.other_tender", "seat.leave"),
        *("shoe.load", "shoe.burn", "shoe.retire", "table.freeze", "table.release", "table.par"),
        *("deal.draw", "deal.start", "pool.divide", "collection.take", "hand.look", "day.close", "day.seal"),
    }
)
"""Kinds whose meaning the checks know, besides those of whole families."""
FAMILIES = ("round.", "fill.", "credit.", "cage.", "cash.", "promo.")
"""Rounds are the engine's to judge; of the others the accounts tell the meaning, whatever they are called."""


def is_known(kind: str) -> bool:
    """Whether the checks know what entries of a kind mean."""
    return kind in KNOWN or kind.startswith(FAMILIES)
