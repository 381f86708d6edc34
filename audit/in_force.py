"""By which rule set a table plays, and what says something of that set; no database.

    session.open   names it, and it is one of the house's
    table.rules    names two sets as they are kept: digest, name and version
    shoe.load      as many packs, the cut card as deep and cards from where the table has them

From the first entry that names a set on, and the shoe that lies there then; who may change a set, and when,
is `audit.room`'s and `audit.order`'s.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact

OPENING, CHANGED, LOADED, RETIRED = "session.open", "table.rules", "shoe.load", "shoe.retire"
NAMING = frozenset({OPENING, CHANGED, LOADED, RETIRED})
"""Entries that name a rule set or something of one, or after which nothing of one lies there any more."""
RuleSetOf = Callable[[UUID], tuple[dict[str, Any], str] | None]
"""Body and digest of a rule set as it is kept, by id; None when there is none."""
NameOf = Callable[[UUID], tuple[str, int] | None]
"""Name and version of a rule set as it is kept, by id; None when that is not known."""


class RulesCheck:
    """Follows which rules are in force at a table.

    Attributes:
        in_force: id of the rule set; None while it is not known.

    Args:
        stream: name of the table's stream.
        rule_set, name: look rule sets up.
        source: whether the table's cards are scanned or drawn; None where that is not known.
        report: called with each find.
    """

    def __init__(
        self,
        stream: str,
        rule_set: RuleSetOf,
        report: Callable[[Found], None],
        *,
        name: NameOf = lambda rules: None,
        source: str | None = None,
    ) -> None:
        self.in_force: str | None = None
        self._stream, self._rule_set, self._name = stream, rule_set, name
        self._source, self._report = source, report
        self._before: Fact | None = None  # the load of the shoe that lies there, from before a set was named

    def see(self, fact: Fact) -> None:
        """The next entry."""
        said = fact.payload
        if fact.kind == OPENING:
            self.in_force = str(said["rules"])
            if self._rule_set(UUID(self.in_force)) is None:
                self._found("rule_set_differs", fact, {"named": self.in_force, "kept": None})
        elif fact.kind == CHANGED:
            self.in_force = str(said["after"]["id"])
            for which in ("before", "after"):
                self._named(fact, said[which], which)
        elif fact.kind == LOADED:
            self._loaded(fact, said)
        self._lies_there(fact)

    def _lies_there(self, fact: Fact) -> None:
        """While a shoe lies there, no set comes into force that has another."""
        if fact.kind == LOADED and self.in_force is None:
            self._before = fact
        elif self._before is not None:
            if fact.kind != RETIRED:
                self._loaded(self._before, self._before.payload)
            self._before = None

    def _named(self, fact: Fact, said: Mapping[str, Any], which: str) -> None:
        """A set is named as it is kept; one that is not known is a matter of the rounds played by it."""
        rules = UUID(said["id"])
        kept, name = self._rule_set(rules), self._name(rules)
        due: dict[str, Any] = {} if kept is None else {"digest": kept[1]}
        due |= {} if name is None else {"name": name[0], "version": name[1]}
        if any(said.get(field) != value for field, value in due.items()):
            self._found("rule_set_differs", fact, {"named": dict(said), "kept": due}, which)

    def _loaded(self, fact: Fact, said: Mapping[str, Any]) -> None:
        """A shoe is of the packs the rules say, and its cards come from where the table has them."""
        kept = None if self.in_force is None else self._rule_set(UUID(self.in_force))
        is_said = self._source is None or fact is self._before
        due: dict[str, Any] = {} if is_said else {"source": self._source}
        due |= {} if kept is None else {name: kept[0].get(name) for name in ("packs", "cut_card")}
        loaded = {name: said.get(name) for name in due}
        if loaded != due:
            self._found("shoe_not_of_table", fact, {"loaded": loaded, "due": due})

    def _found(self, code: str, fact: Fact, evidence: Mapping[str, Any], about: str = "") -> None:
        told = {"kind": fact.kind, **evidence}
        self._report(Found(code, told, stream=self._stream, seq=fact.seq, about=about))
