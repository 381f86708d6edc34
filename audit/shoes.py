"""A shoe followed card by card: composition, order and commitment."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact
from tables.engine.commitment import Opening, leaf_of, root_of
from tables.engine.contract import Handling, IllegalAction
from tables.engine.shoe import Shoe


class Dealt(Protocol):
    """The part of a round the shoe has to do with."""

    id: UUID
    session: UUID
    shoe: UUID
    cards_out: int
    on_trust: int
    lay: Shoe | None
    before: Shoe | None


class ShoeCheck:
    """The shoe on one table, from its load to its retirement.

    Attributes:
        shown: how many cards the entry at hand has shown.

    Args:
        stream: name of the table's stream.
        report: called with each find.
    """

    def __init__(self, stream: str, report: Callable[[Found], None]) -> None:
        self.stream = stream
        self.shown = 0
        self._report = report
        self._id: str | None = None
        self._named: UUID | None = None  # the same, as the last round that was dealt from it names it
        self._cards: Shoe | None = None
        self._leaves: list[str] | None = None

    @property
    def committed(self) -> bool:
        """Whether the cards of the shoe on the table were drawn, and committed to."""
        return self._leaves is not None

    def see(self, fact: Fact, *, hands: bool = False) -> None:
        """Take an entry about the shoe itself: load, burn or retirement.

        Args:
            hands: whether a card-room game is played from it.
        """
        if fact.kind == "shoe.load":
            self._load(fact)
        elif self._cards is None or fact.payload["shoe"] != self._id:
            self._found("card_without_shoe", fact, {"shoe": fact.payload["shoe"]})
        elif fact.kind == "shoe.burn":
            if hands:
                self._tells_hands(fact, self._cards)
            self._burn(fact)
        elif fact.kind == "shoe.retire":
            if hands and (fact.payload["counted"] or "stub" in fact.payload or "turned_up" in fact.payload):
                self._found("burn_tells_hands", fact, {"stub": fact.payload.get("stub")})
            self._retire(fact, self._cards)

    def _load(self, fact: Fact) -> None:
        said = fact.payload
        if self._id is not None:
            self._found("out_of_order", fact, {"kind": fact.kind, "lies_there": self._id}, about="shoe")
        self._id, self._leaves, self._named = said["shoe"], said.get("leaves"), None
        self._cards = Shoe(packs=said["packs"], cut_card=said["cut_card"])
        committed = said["source"] == "drawn"
        if not committed and self._leaves is None:
            return
        leaves = [bytes.fromhex(leaf) for leaf in self._leaves or ()]
        if len(leaves) != self._cards.size or root_of(leaves).hex() != said.get("root"):
            self._found("commitment_invalid", fact, {"root": said.get("root"), "leaves": len(leaves)})

    def _tells_hands(self, fact: Fact, cards: Shoe) -> None:
        """What a pack still holds tells what hands were: none that was dealt from is burnt from face up, and
        a drawn one not at all."""
        seen = list(fact.payload["cards"])
        if self.committed or (seen and cards.position):
            self._found("burn_tells_hands", fact, {"cards": seen, "cards_out": cards.position})

    def _burn(self, fact: Fact) -> None:
        assert self._cards is not None, "only a loaded shoe is burnt from"
        if fact.payload["cards"]:
            self.handled(fact, [Handling(face_up=tuple(fact.payload["cards"]))])
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
        self._id, self._cards, self._leaves, self._named = None, None, None, None

    def drawn(self, fact: Fact) -> None:
        """Let the deal be drawn for: cards face up, the first of a pack shuffled for it, which is named."""
        if self._cards is not None and fact.payload["shoe"] != self._id:
            self._found("card_without_shoe", fact, {"shoe": fact.payload["shoe"], "lies_there": self._id})
        if self._cards is not None and self._cards.position:
            self._found("pack_not_fresh", fact, {"cards_out": self._cards.position})
        self.handled(fact, [Handling(face_up=tuple(fact.payload["cards"]))])

    def surplus(self, fact: Fact) -> None:
        """Once an entry was taken: it opens no card but those it shows."""
        openings: Sequence[Mapping[str, Any]] = fact.payload.get("openings", ())
        if len(openings) > self.shown:
            evidence = {"cards": self.shown, "openings": len(openings)}
            self._found("opening_surplus", fact, evidence)
        self.shown = 0

    def handled(
        self,
        fact: Fact,
        handled: Sequence[Handling],
        dealt: Dealt | None = None,
        hand: Sequence[int] = (),
    ) -> None:
        """Let what an entry does with the cards happen to the shoe, and check what opens them.

        Args:
            handled: what each of its actions does.
            dealt: the round they belong to; told how the shoe lay once its second card did, and how many
                shown cards are taken on trust.
            hand: where the cards of the hand lay that is shown, if one is.
        """
        handled = [each for each in handled if each.face_up or each.face_down or each.revealed]
        if not handled:
            return
        shown = [face for handling in handled for face in (*handling.face_up, *handling.revealed)]
        self.shown += len(shown)
        if self._cards is None or (dealt is not None and not self._is_of(dealt)):
            self._found("card_without_shoe", fact, {"cards": shown}, dealt)
            return
        if self._plain(handled, self._cards, shown, dealt):
            return
        due = self._due(handled, self._cards.position, hand)
        self._check_openings(fact, due, dealt)
        hands = sum(handling.face_down for handling in handled)
        if hands and self._cards.position:
            self._found("pack_not_fresh", fact, {"cards_out": self._cards.position}, dealt)
        if hands:
            self._move(fact, lambda shoe: shoe.burn_unseen(hands), {"face_down": hands}, dealt)
        for number, (face, hidden) in enumerate((face, hidden) for face, _, hidden in due):
            self._face(fact, face, hidden=hidden, number=number, dealt=dealt)

    def deal(self, dealt: Dealt, cards: Sequence[str], openings: Sequence[Mapping[str, Any]]) -> bool:
        """Let all cards of a round come face up; False, and nothing done, where there is something to say."""
        if self._cards is None or not self._is_of(dealt):
            return False
        try:
            after = self._cards.see(*cards)
            opened = self._open(cards, openings, self._cards.position) if self.committed else not openings
        except (IllegalAction, KeyError, TypeError, ValueError, AttributeError):
            return False
        if opened:
            dealt.before, self._cards = self._cards, after
        return opened

    def _open(self, cards: Sequence[str], openings: Sequence[Mapping[str, Any]], position: int) -> bool:
        """Whether just these cards are opened, which lie from a position on."""
        return len(openings) == len(cards) and all(
            opening["position"] == position + number and opening["card"] == card and self._opens(opening)
            for number, (card, opening) in enumerate(zip(cards, openings, strict=True))
        )

    def _is_of(self, dealt: Dealt) -> bool:
        """Whether a round is dealt from this shoe; the same object names it in round after round."""
        if dealt.shoe is not self._named and str(dealt.shoe) == self._id:
            self._named = dealt.shoe
        return dealt.shoe is self._named

    def _plain(
        self, handled: Sequence[Handling], shoe: Shoe, shown: Sequence[str], dealt: Dealt | None
    ) -> bool:
        """See cards that nobody opens and that come face up, as most do; nothing done where one cannot be."""
        if self._leaves is not None or any(each.face_down or each.revealed for each in handled):
            return False
        out = 2 if dealt is None else dealt.cards_out
        if out < 2 < out + len(shown):
            return False
        try:
            self._cards = shoe.see(*shown)
        except IllegalAction:
            return False
        if dealt is not None:
            self._count(dealt, len(shown))
        return True

    def _due(
        self, handled: Sequence[Handling], position: int, hand: Sequence[int]
    ) -> list[tuple[str, Sequence[int], bool]]:
        """Each card an entry shows, where in the shoe it can have lain, and whether that was face down."""
        due: list[tuple[str, Sequence[int], bool]] = []
        for handling in handled:
            for face in handling.face_up:
                due.append((face, (position,), False))
                position += 1
            position += handling.face_down
            due += [(face, hand, True) for face in handling.revealed]
        return due

    def _face(self, fact: Fact, face: str, *, hidden: bool, number: int, dealt: Dealt | None) -> None:
        """One card is seen: out of the shoe, or from a hand that was dealt out of it before."""
        about = str(number)
        if hidden:
            self._move(fact, lambda shoe: shoe.reveal(face), {"card": face}, dealt, about)
            if dealt is not None and self._leaves is None:
                dealt.on_trust += 1
            return
        if not self._move(fact, lambda shoe: shoe.see(face), {"card": face}, dealt, about):
            self._skip()
        if dealt is not None:
            self._count(dealt)

    def _move(
        self,
        fact: Fact,
        move: Callable[[Shoe], Shoe],
        evidence: Mapping[str, Any],
        dealt: Dealt | None,
        about: str = "",
    ) -> bool:
        """Do something with the shoe; where it cannot be, say so and leave it as it is."""
        assert self._cards is not None, "looked at before"
        try:
            self._cards = move(self._cards)
        except IllegalAction as illegal:
            told = {**evidence, "code": illegal.code, "packs": self._cards.packs}
            self._found("impossible_card", fact, told, dealt, about=about)
            return False
        return True

    def _skip(self) -> None:
        """A card that cannot be came out all the same: only its place is known to be gone."""
        if self._cards is not None and self._cards.remaining:
            self._cards = self._cards.burn_unseen()

    def _count(self, dealt: Dealt, cards: int = 1) -> None:
        """Once the second card of a round lies, keep the shoe as it is then: the third comes from it."""
        before = dealt.cards_out
        dealt.cards_out += cards
        if before < 2 == dealt.cards_out:
            dealt.lay = self._cards

    def _check_openings(
        self, fact: Fact, due: Sequence[tuple[str, Sequence[int], bool]], dealt: Dealt | None
    ) -> None:
        if self._leaves is None or not due:
            return
        openings: Sequence[Mapping[str, Any]] = fact.payload.get("openings", ())
        if len(openings) < len(due) or len({opening["position"] for opening in openings}) < len(openings):
            evidence = {"cards": [face for face, _, _ in due], "openings": len(openings)}
            self._found("opening_missing", fact, evidence, dealt)
        for number, ((face, places, hidden), opening) in enumerate(zip(due, openings, strict=False)):
            evidence = {"card": face, "opening": dict(opening), "due": list(places)}
            if opening["position"] not in places:
                code = "opening_not_of_hand" if hidden else "opening_out_of_order"
                self._found(code, fact, evidence, dealt, about=str(number))
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
