"""A shoe followed card by card: composition, order and commitment."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact
from tables.engine.commitment import Opening, leaf_of, root_of
from tables.engine.contract import IllegalAction
from tables.engine.shoe import Shoe


class Dealt(Protocol):
    """The part of a round the shoe has to do with."""

    id: UUID
    session: UUID
    shoe: UUID
    cards_out: int
    unseen: tuple[int, ...] | None


class ShoeCheck:
    """The shoe on one table, from its load to its retirement.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self.stream = stream
        self._report = report
        self._id: str | None = None
        self._cards: Shoe | None = None
        self._leaves: list[str] | None = None

    def see(self, fact: Fact) -> None:
        """Take an entry about the shoe itself: load, burn or retirement."""
        if fact.kind == "shoe.load":
            self._load(fact)
        elif self._cards is None or fact.payload["shoe"] != self._id:
            self._found("card_without_shoe", fact, {"shoe": fact.payload["shoe"]})
        elif fact.kind == "shoe.burn":
            self._burn(fact)
        elif fact.kind == "shoe.retire":
            self._retire(fact, self._cards)

    def _load(self, fact: Fact) -> None:
        said = fact.payload
        self._id, self._leaves = said["shoe"], said.get("leaves")
        self._cards = Shoe(packs=said["packs"], cut_card=said["cut_card"])
        committed = said["source"] == "drawn"
        if not committed and self._leaves is None:
            return
        leaves = [bytes.fromhex(leaf) for leaf in self._leaves or ()]
        if len(leaves) != self._cards.size or root_of(leaves).hex() != said.get("root"):
            self._found("commitment_invalid", fact, {"root": said.get("root"), "leaves": len(leaves)})

    def _burn(self, fact: Fact) -> None:
        assert self._cards is not None, "only a loaded shoe is burnt from"
        if fact.payload["cards"]:
            self.cards(fact, fact.payload["cards"])
            return
        try:
            self._cards = self._cards.burn_unseen()
        except IllegalAction as illegal:
            self._found("impossible_card", fact, {"code": illegal.code})

    def _retire(self, fact: Fact, cards: Shoe) -> None:
        said = fact.payload
        if said["cards"] != cards.to_dict():
            self._found("shoe_differs", fact, {"retired_as": said["cards"], "came_out": cards.to_dict()})
        if said["counted"]:
            wrong = cards.discrepancies(said["stub"], said["turned_up"])
            if wrong:
                listed = [{"card": d.card, "expected": d.expected, "found": d.found} for d in wrong]
                self._found("shoe_composition", fact, {"cards": listed})
        self._id, self._cards, self._leaves = None, None, None

    def cards(self, fact: Fact, faces: Sequence[str], dealt: Dealt | None = None) -> None:
        """Let the cards an entry shows leave the shoe, and check what opens them.

        Args:
            dealt: the round they belong to; told what is unseen once its second card lies.
        """
        if not faces:
            return
        if self._cards is None or (dealt is not None and str(dealt.shoe) != self._id):
            self._found("card_without_shoe", fact, {"cards": list(faces)}, dealt)
            return
        self._check_openings(fact, faces, self._cards.position, dealt)
        for number, face in enumerate(faces):
            try:
                self._cards = self._cards.see(face)
            except IllegalAction as illegal:
                evidence = {"card": face, "code": illegal.code, "packs": self._cards.packs}
                self._found("impossible_card", fact, evidence, dealt, about=str(number))
                self._skip()
            if dealt is not None:
                self._count(dealt)

    def _skip(self) -> None:
        """A card that cannot be came out all the same: only its place is known to be gone."""
        if self._cards is not None and self._cards.remaining:
            self._cards = self._cards.burn_unseen()

    def _count(self, dealt: Dealt) -> None:
        """Once the second card of a round lies, keep what is unseen then: the third comes from it."""
        assert self._cards is not None, "cards came out of it"
        dealt.cards_out += 1
        if dealt.cards_out == 2:
            dealt.unseen = self._cards.unseen_ranks()

    def _check_openings(self, fact: Fact, faces: Sequence[str], position: int, dealt: Dealt | None) -> None:
        if self._leaves is None:
            return
        openings: Sequence[Mapping[str, Any]] = fact.payload.get("openings", ())
        if len(openings) != len(faces):
            evidence = {"cards": list(faces), "openings": len(openings)}
            self._found("opening_missing", fact, evidence, dealt)
        for number, (face, opening) in enumerate(zip(faces, openings, strict=False)):
            evidence = {"card": face, "opening": dict(opening), "due": position + number}
            if opening["position"] != position + number:
                self._found("opening_out_of_order", fact, evidence, dealt, about=str(number))
            elif opening["card"] != face or not self._opens(opening):
                self._found("opening_not_committed", fact, evidence, dealt, about=str(number))

    def _opens(self, opening: Mapping[str, Any]) -> bool:
        """Whether an opening is the card behind its leaf."""
        assert self._leaves is not None, "only a committed shoe is opened"
        position: int = opening["position"]
        if position >= len(self._leaves):
            return False
        shown = Opening(position, opening["card"], bytes.fromhex(opening["salt"]))
        return leaf_of(shown).hex() == self._leaves[position]

    def _found(
        self,
        code: str,
        fact: Fact,
        evidence: Mapping[str, Any],
        dealt: Dealt | None = None,
        about: str = "",
    ) -> None:
        self._report(
            Found(
                code,
                evidence,
                stream=self.stream,
                seq=fact.seq,
                session=None if dealt is None else dealt.session,
                round=None if dealt is None else dealt.id,
                about=about,
            )
        )
