"""A cage's cash for chips and for markers, and who may owe how much, from its entries alone; no database.

cage.commission, cage.fund   as many chips, and as much cash, as they say, from where these come
cage.redeem, cage.sell   as much cash as the chips are worth
cage.redeem_marker   cash for a marker, whole and once
cage.credit_limit    says what the limit was before
what else            moves from where to where its kind does, and no other kind moves anything
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from audit.codes import Found
from audit.facts import Fact, Moved

PAID, LIMIT = "cage.redeem_marker", "cage.credit_limit"
NAMED = ("number", "table", "player", "amount")
IN, OUT = ("cash:patrons", "cash:drawer"), ("cash:drawer", "cash:patrons")
DUE: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "cage.commission": ("total", (("commissioned", "vault"),)),
    "cage.fund": ("amount", (("cash:bankroll", "cash:drawer"),)),
    "cage.redeem": ("total", (("floor", "vault"), OUT)),
    "cage.sell": ("total", (("vault", "floor"), IN)),
    PAID: ("amount", (IN,)),
}
"""By kind of entry, the field that says how much it moves, and from where to where."""
AT_TABLE = "table:"
"""What the accounts for chips on their way from and to tables begin with."""
MAY_MOVE: Mapping[str, frozenset[tuple[str, str]]] = {
    "fill.issue": frozenset({("vault", AT_TABLE)}),
    "fill.enter": frozenset({("vault", AT_TABLE)}),
    "fill.take_back": frozenset({(AT_TABLE, "vault"), ("vault", "over_short"), ("over_short", "vault")}),
    "credit.receive": frozenset({(AT_TABLE, "vault")}),
    "credit.void": frozenset({("vault", AT_TABLE)}),
    "promo.stock": frozenset({("promo:made", "promo:stock")}),
    "promo.issue": frozenset({("promo:stock", "promo:out")}),
}
"""By other kinds, from where to where; how much is for `audit.transit`, `audit.vault` and `audit.promos`."""


class Payment(NamedTuple):
    """What a payment says of its marker, and its entry's number."""

    said: Mapping[str, Any]
    seq: int


class CreditCheck:
    """Follows a cage's entries.

    Attributes:
        paid: by marker, how it was paid.
        limits: by player, what they may owe, minor units.

    Args:
        stream: name of the cage's stream.
        report: called with each find.
        whole: whether the stream's first entry is among them.
    """

    def __init__(self, stream: str, report: Callable[[Found], None], *, whole: bool) -> None:
        self.paid: dict[str, Payment] = {}
        self.limits: dict[str, int] = {}
        self._stream, self._report, self._whole = stream, report, whole

    def see(self, fact: Fact) -> None:
        """The next entry."""
        try:
            if fact.kind in DUE:
                self._moved(fact)
            elif fact.moves:
                self._listed(fact)
            if fact.kind == PAID:
                self._paid(fact)
            elif fact.kind == LIMIT:
                self._limit(fact)
        except KeyError as error:
            self._found("entry_unreadable", fact, {"error": repr(error)[:200]})

    def _moved(self, fact: Fact) -> None:
        field, ways = DUE[fact.kind]
        due = [Moved(*way, fact.payload[field]) for way in ways]
        if sorted(fact.moves) != sorted(due):
            moved = [list(move) for move in fact.moves]
            self._found("amount_differs", fact, {"due": [list(move) for move in due], "moved": moved})

    def _listed(self, fact: Fact) -> None:
        """The list of what moves anything in a cage is closed, whatever an entry calls itself."""
        for number, move in enumerate(fact.moves):
            way = tuple(AT_TABLE if end.startswith(AT_TABLE) else end for end in (move.source, move.target))
            if way not in MAY_MOVE.get(fact.kind, ()):
                self._found("move_not_listed", fact, {"move": list(move)}, str(number))

    def _paid(self, fact: Fact) -> None:
        marker, said = str(fact.payload["marker"]), {name: fact.payload[name] for name in NAMED}
        before = self.paid.setdefault(marker, Payment(said, fact.seq))
        if before.seq != fact.seq:
            self._found("marker_differs", fact, {"marker": marker, "paid_before": before.seq})

    def _limit(self, fact: Fact) -> None:
        said = fact.payload
        player = str(said["player"])
        known = self.limits.get(player)
        if (self._whole or known is not None) and said["before"] != known:
            self._found("marker_differs", fact, {"limit_said": said["before"], "limit_was": known})
        self.limits[player] = said["limit"]

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any], about: str = "") -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self._stream, seq=fact.seq, about=about))
