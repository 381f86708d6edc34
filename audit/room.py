"""A card-room table between and around its rounds: who sits, who deals, what lies where.

The engine settles a round on what its actions say; here those claims are held against the table's other
entries: that a round began with the pool that lay there, that the deal was due to its dealer, that who paid
less than was due had no more, that who played sat there, that draws, divisions and collections are what cards
and chips give, and that nobody leaves a pool behind.
Everything is followed from a session's opening on; before one was seen nothing is judged.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from audit.codes import Found
from audit.facts import Fact, Moved
from audit.moves import Lying
from tables.engine.card_room import BankRules, PoolRules, State, clockwise, divide, first_ace
from tables.engine.contract import IllegalAction
from tables.engine.places import seat_place
from tables.engine.registry import game

RuleSetOf = Callable[[UUID], tuple[dict[str, Any], str] | None]
Rules = PoolRules | BankRules
POOL, TRAY = "pool", "tray"
OPENING, CHANGED = "session.open", "table.rules"
RULES_NAMED = (OPENING, CHANGED)
"""Entries that say what is played; at a table that is none of the card room's nothing else is followed."""


class RoomCheck:
    """Follows a card-room table's entries; silent at any other table.

    Args:
        stream: name of the table's stream.
        rule_set: looks rule sets up.
        report: called with each find.
    """

    def __init__(self, stream: str, rule_set: RuleSetOf, report: Callable[[Found], None]) -> None:
        self.stream = stream
        self._rule_set = rule_set
        self._report = report
        self._game: str | None = None  # what is played since an opening was seen, and by which rule set
        self._in_force = ""
        self._rules: Rules | None = None
        self._seats: dict[int, str | None] = {}  # who sits where, None for somebody unknown
        self._in_game: set[int] = set()  # who has played a round since sitting down
        self._lying = Lying()
        self._button: int | None = None
        self._collected_at: datetime | None = None
        self._checks: dict[str, Callable[[Fact, Rules], None]] = {
            "seat.take": self._sits,
            "seat.buy_in": self._sits,
            "seat.leave": self._left,
            "session.close": self._closed,
            "deal.draw": self._drawn,
            "pool.divide": self._divided,
            "collection.take": self._collected,
            "round.start": self._begun,
        }

    def see(self, fact: Fact) -> None:
        """Judge the next entry, then let its chips move."""
        if fact.kind == OPENING:
            self._open(fact)
        elif fact.kind == CHANGED and self._game is not None:
            self._changed(fact, self._game)
        if self._rules is None:
            return
        check = self._checks.get(fact.kind)
        if check is not None:
            check(fact, self._rules)
        self._lying.move(fact.moves)
        if fact.kind.startswith("round."):
            self._paid_all_he_had(fact, self._rules)

    @property
    def hands(self) -> bool:
        """Whether a card-room game is played here, as far as is known."""
        return self._rules is not None

    def over(self, state: object) -> None:
        """A round ended: the deal passes on, or stays with whoever dealt a void one."""
        if isinstance(state, State):
            self._button = state.next_dealer or self._button
            if state.settled:
                self._in_game |= set(state.seats)

    def _open(self, fact: Fact) -> None:
        """A session begins with nobody seated and nothing in the middle."""
        self._in_force = fact.payload["rules"]
        self._game, self._rules = self._rules_named(self._in_force)
        self._seats, self._in_game, self._lying = {}, set(), Lying()
        self._button = self._collected_at = None

    def _rules_named(self, rules_id: str) -> tuple[str | None, Rules | None]:
        """The game of a rule set, and the rules themselves where it is one of the card room."""
        kept = self._rule_set(UUID(rules_id))
        if kept is None:
            return None, None
        rules = game(kept[0]["game"]).decode_rules(kept[0])
        return kept[0]["game"], rules if isinstance(rules, PoolRules | BankRules) else None

    def _changed(self, fact: Fact, played: str) -> None:
        """Other rules of the same game, instead of those that were, and no pool that was anted under them."""
        before, after = fact.payload["before"]["id"], fact.payload["after"]["id"]
        if before != self._in_force:
            evidence = {"named": before, "in_force": self._in_force}
            self._found("rules_not_in_force", fact, evidence)
        self._in_force, (named, rules) = after, self._rules_named(after)
        pool = 0 if self._rules is None else self._lying.at(POOL)
        if pool or named not in (None, played):
            evidence = {"kind": fact.kind, "pool": pool, "game": played, "new_game": named}
            self._found("out_of_order", fact, evidence, about="rules")
        self._game, self._rules = named or played, rules

    def _closed(self, fact: Fact, rules: Rules) -> None:
        """Nobody sits there any more and no pool is left; should it be reopened, it draws for the deal."""
        pool = self._lying.at(POOL)
        if pool or self._seats:
            evidence = {"kind": fact.kind, "pool": pool, "seats": sorted(self._seats)}
            self._found("out_of_order", fact, evidence, about="pool")
        self._button = None

    def _sits(self, fact: Fact, rules: Rules) -> None:
        """Somebody sits there, who may be known from a later buy-in on."""
        self._seats[fact.payload["seat"]] = fact.payload.get("player")

    def _left(self, fact: Fact, rules: Rules) -> None:
        """Somebody leaves; a deal that was his is that of the next one to his left who stays."""
        seat: int = fact.payload["seat"]
        self._seats.pop(seat, None)
        self._in_game.discard(seat)
        if self._seats and self._button == seat:
            self._button = clockwise(self._seats, seat)[0]
        pool = self._lying.at(POOL)
        if pool and not self._seats:
            self._found("out_of_order", fact, {"kind": fact.kind, "pool": pool}, about="pool")

    def _drawn(self, fact: Fact, rules: Rules) -> None:
        said = fact.payload
        if self._button is not None:
            self._found("out_of_order", fact, {"kind": fact.kind, "deals_next": self._button}, about="draw")
        try:
            draw = first_ace(said["seats"], said["cards"])
            due = {"dealer": draw.dealer, "cards": list(draw.cards)}
        except IllegalAction as illegal:
            due = {"dealer": None, "cards": [], "code": illegal.code}
        due["seats"] = sorted(self._seats)
        recorded = {name: said[name] for name in ("dealer", "cards", "seats")}
        if due != recorded:
            self._found("draw_differs", fact, {"recorded": recorded, "due": due})
        self._button = said["dealer"]

    def _begun(self, fact: Fact, rules: Rules) -> None:
        """The round's opening: the pool it claims to have found, and whose deal it was."""
        round_id = UUID(fact.payload["round"])
        actions: Sequence[Mapping[str, Any]] = fact.payload["actions"]
        for action in actions:
            if action["type"] != "open":
                continue
            if isinstance(rules, PoolRules) and action["carried"] != self._lying.at(POOL):
                evidence = {"carried": action["carried"], "lay_there": self._lying.at(POOL)}
                self._found("pool_differs", fact, evidence, round_id)
            playing = [other["seat"] for other in actions if other["type"] == "join"]
            self._left_out(fact, rules, playing, round_id)
            seated = {str(seat): self._seats[seat] for seat in playing if seat in self._seats}
            if fact.payload["players"] != seated or len(seated) < len(playing):
                evidence = {"players": fact.payload["players"], "playing": playing, "seated": seated}
                self._found("player_not_seated", fact, evidence, round_id)
            deals = action["dealer" if isinstance(rules, PoolRules) else "banker"]
            if self._button is not None and playing and deals != clockwise(playing, self._button)[0]:
                evidence = {"deals": deals, "due_from": self._button, "players": playing}
                self._found("dealer_out_of_turn", fact, evidence, round_id)

    def _left_out(self, fact: Fact, rules: Rules, playing: Sequence[int], round_id: UUID) -> None:
        """Who sits there, has what a deal costs, and is not dealt in."""
        cost = rules.fee.amount if rules.fee.kind == "deal" else 0
        cost += rules.ante if isinstance(rules, PoolRules) else rules.chip
        out = {seat: self._lying.at(seat_place(seat)) for seat in sorted(set(self._seats) - set(playing))}
        able = {str(seat): has for seat, has in out.items() if has >= cost}
        if able:
            self._found("left_out", fact, {"had": able, "cost": cost}, round_id)

    def _paid_all_he_had(self, fact: Fact, rules: Rules) -> None:
        """Who paid less than was due must be left without a chip."""
        for action in fact.payload.get("actions", ()):
            if not isinstance(rules, PoolRules) or action["type"] not in ("ante", "short_forfeit"):
                continue
            left = self._lying.at(seat_place(action["seat"]))
            less = action["type"] == "short_forfeit" or action["amount"] < rules.ante
            if less and left >= rules.chip:
                evidence = {"seat": action["seat"], "paid": action["amount"], "kept": left}
                self._found("paid_short", fact, evidence, UUID(fact.payload["round"]))

    def _divided(self, fact: Fact, rules: Rules) -> None:
        order = clockwise(self._in_game or self._seats, self._button or 1)
        shares = divide(order, self._lying.at(POOL), rules.chip) if order else {}
        due = [Moved(POOL, seat_place(seat), share) for seat, share in shares.items() if share]
        self._compare("wrong_division", fact, due)
        said = {"pool": fact.payload.get("pool"), "shares": _moved_by(fact.payload.get("shares"))}
        moved = {seat: amount for _, seat, amount in fact.moves}
        if said != {"pool": sum(moved.values()), "shares": moved}:
            self._found("division_misstated", fact, {"said": fact.payload.get("shares"), "moved": moved})
        self._button = None

    def _collected(self, fact: Fact, rules: Rules) -> None:
        amount = rules.fee.amount if rules.fee.kind == "time" else 0
        fees = {
            seat_place(seat): min(amount, self._lying.at(seat_place(seat))) for seat in sorted(self._seats)
        }
        until = self._collected_at and self._collected_at + timedelta(minutes=rules.fee.minutes)
        if until and fact.recorded_at < until:
            self._found("collection_too_soon", fact, {"paid_until": until.isoformat()})
        self._collected_at = fact.recorded_at
        self._compare("wrong_collection", fact, [Moved(seat, TRAY, fee) for seat, fee in fees.items() if fee])
        said = {"minutes": fact.payload.get("minutes"), "fees": _moved_by(fact.payload.get("fees"))}
        moved = {"minutes": rules.fee.minutes, "fees": {seat: taken for seat, _, taken in fact.moves}}
        if said != moved:
            self._found("amount_differs", fact, {"kind": fact.kind, "said": said, "moved": moved})

    def _compare(self, code: str, fact: Fact, due: Sequence[Moved]) -> None:
        if list(fact.moves) != list(due):
            evidence = {"due": [list(move) for move in due], "recorded": [list(move) for move in fact.moves]}
            self._found(code, fact, evidence)

    def _found(
        self,
        code: str,
        fact: Fact,
        evidence: Mapping[str, Any],
        round_id: UUID | None = None,
        about: str = "",
    ) -> None:
        found = Found(code, evidence, stream=self.stream, seq=fact.seq, round=round_id, about=about)
        self._report(found)


def _moved_by(shares: Mapping[str, int] | None) -> dict[str, int]:
    """The movements that stated shares or fees are, by the seat's account; one of nothing is none."""
    return {f"seat:{seat}": share for seat, share in (shares or {}).items() if share}
