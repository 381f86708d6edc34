"""What two people sign, and which entries of which streams that makes; no database.

ONE list, by the acts the jurisdiction profiles know; a test holds it to `tables.jurisdiction.catalogue`, so
that no act can be left out. Who acts is an entry's actor, and the others are named in it.
"""

from collections.abc import Callable, Mapping

from audit.codes import Found
from audit.facts import Fact

TABLE, CAGE, OFFICE = "table", "cage", "office"
EMPLOY = "staff.create"
SIGNERS = frozenset({"dealer", "supervisor", "pit_boss", "cage", "security", "surveillance", "auditor"})
"""Roles that sign something as the second, a relief or what a profile says: two employ whoever gets one."""

KINDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "session.open": {TABLE: ("session.open",)},
    "session.close": {TABLE: ("session.close",)},
    "session.reopen": {TABLE: ("session.reopen",)},
    "table.rules": {TABLE: ("table.rules",)},
    "table.release": {TABLE: ("table.release",)},
    "dealer.relieve": {TABLE: ("dealer.relieve",)},  # by the dealer who comes, whatever the profile
    "round.void": {TABLE: ("round.void", "round.cancel")},
    "round.correct": {TABLE: ("round.correct",)},
    "correction.post": {TABLE: ("correction.post",)},
    "entry.reverse": {TABLE: ("entry.reverse",)},
    "pool.divide": {TABLE: ("pool.divide",)},
    "toke.collect": {TABLE: ("toke.collect",)},
    "promo.collect": {TABLE: ("promo.collect",)},
    "promo.stock": {CAGE: ("promo.stock",)},
    "chips.reject": {TABLE: ("chips.reject",)},
    "marker.issue": {TABLE: ("marker.issue",)},
    "cage.credit_limit": {CAGE: ("cage.credit_limit",)},
    "cage.commission": {CAGE: ("cage.commission",)},
    "fill.request": {TABLE: ("fill.request",)},
    "fill.issue": {CAGE: ("fill.issue",)},
    "fill.receive": {TABLE: ("fill.receive",)},
    "credit.request": {TABLE: ("credit.request",)},
    "credit.send": {TABLE: ("credit.send",)},
    "credit.carry": {TABLE: ("credit.send",)},
    "slip.enter": {CAGE: ("fill.enter", "credit.enter")},
    "slip.void": {TABLE: ("fill.void", "credit.void"), CAGE: ("fill.void", "credit.void")},
    "slip.take_back": {TABLE: ("credit.take_back",), CAGE: ("fill.take_back",)},
    "box.remove": {TABLE: ("box.remove",)},
    "session.count_drop": {TABLE: ("drop.count_differs", "drop.count", "session.count_drop")},
    "day.close": {OFFICE: ("day.close",)},
    "office.profile": {OFFICE: ("profile.set",)},
    "person.erase": {OFFICE: ("person.erase",)},
    "staff.reset": {OFFICE: ("staff.reset",)},
    EMPLOY: {OFFICE: (EMPLOY,)},
}
"""By act, the kinds of entry it makes in a table's, a cage's and the office's stream."""
SIGNED: Mapping[str, frozenset[str]] = {
    where: frozenset(kind for made in KINDS.values() for kind in made.get(where, ()))
    for where in (TABLE, CAGE, OFFICE)
}
"""By the kind of stream, the entries that two people sign."""
OTHERS: Mapping[str, tuple[str, ...]] = {"fill.issue": ("runner",), "credit.send": ("second", "runner")}
"""Under what names an entry tells who signs besides the actor, where it is not `second` alone."""


def signed_by_one(fact: Fact) -> bool:
    """Whether somebody is missing who signs besides the actor, or signs twice."""
    return len({str(fact.actor), *others(fact)}) <= len(_names(fact))


def others(fact: Fact) -> list[str]:
    """Who signs besides the actor, as far as the entry names them.

    A drop's second count is signed by whoever counted it first; once they differed, the recount by a second.
    """
    first = fact.payload.get("first")
    said = first if isinstance(first, dict) else fact.payload
    return [str(said[name]) for name in _names(fact) if said.get(name)]


def _names(fact: Fact) -> tuple[str, ...]:
    is_second_count = isinstance(fact.payload.get("first"), dict)
    return ("by",) if is_second_count else OTHERS.get(fact.kind, ("second",))


class SignatureCheck:
    """Follows what two sign in a cage's or an office's stream.

    One alone employs the first of a house who may sign: the first at hand may be that one.

    Args:
        stream: its name.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self._stream, self._report = stream, report
        self._due = SIGNED.get(stream.partition(":")[0], frozenset())
        self._begun = False

    def see(self, fact: Fact) -> None:
        """The next entry."""
        if fact.kind in self._due and self._is_missing(fact):
            evidence = {"kind": fact.kind, "actor": str(fact.actor), "second": fact.payload.get("second")}
            self._report(Found("signature_missing", evidence, stream=self._stream, seq=fact.seq))

    def _is_missing(self, fact: Fact) -> bool:
        if fact.kind != EMPLOY:
            return signed_by_one(fact)
        if fact.payload.get("role") not in SIGNERS:
            return False
        is_first, self._begun = not self._begun, True
        return signed_by_one(fact) and not is_first
