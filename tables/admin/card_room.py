"""Card-room games in the admin: rule sets to release, rounds as they went, a look at a hand."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.safestring import SafeString

from tables.admin.acts import ActForm
from tables.admin.fields import AmountField, in_currency
from tables.admin.text import amount_text, card_text, cards, link, money, part, words
from tables.engine.card_room.rules import DAY_MINUTES, FEWEST, MOST_PLAYERS
from tables.models import CardSource, Casino, Player, Round, RoundStatus, RuleSet
from tables.selectors.views import is_card_room
from tables.services.command import Command
from tables.services.hands import hand_look
from tables.services.office import rule_set_create

FEES = {"none": "None", "deal": "By the deal", "time": "By time"}
OUTCOMES = {"settled": "Settled", "void": "Void", None: "In play"}
ENDS = {
    "won": "won",
    "lost": "lost",
    "forfeit": "forfeited",
    "pass": "passed",
    "discard": "discarded a short hand",
    "sits_out": "sat out: no hand, or too many cards",
    "returned": "stake back: the pack was out",
    None: "no turn",
}
PAYMENTS = {
    "taken": "took {} wrongly",
    "short": "took {} too little",
    "bet_into_pool": "paid {} into the pool, where it stays",
}
FIELDSETS: tuple[Any, ...] = (
    (None, {"fields": ("outcome_told", "standing", "middle", "remarks")}),
    ("Turns", {"fields": ("faces",)}),
    ("Players", {"fields": ("player_table",)}),
)


class CardRoomForm(ActForm):
    """Release a rule set of a card-room game; subclasses add what is their game's own."""

    operation = "office.rule_set"
    lead = (
        "One pack, shuffled before every deal. Once released it never changes; under a name that is used "
        "already it is the next version of that rule set."
    )
    button = "Release"
    amounts: ClassVar[tuple[str, ...]] = ("chip", "fee_amount")
    required_amounts: ClassVar[dict[str, int]] = {"chip": 1}  # what is offered, in smallest chips

    name = forms.SlugField(max_length=40, help_text="Letters, digits, hyphens and underscores.")
    seats = forms.IntegerField(min_value=FEWEST, max_value=MOST_PLAYERS, initial=MOST_PLAYERS)
    cards_each = forms.TypedChoiceField(
        choices=[(5, "Five"), (4, "Four")],
        coerce=int,
        label="Cards each",
        help_text="Always four when more than eight hands are dealt.",
    )
    chip = AmountField(label="Smallest chip", help_text="All amounts are multiples of it.")
    fee_kind = forms.ChoiceField(choices=list(FEES.items()), label="The house's collection")
    fee_amount = AmountField(required=False, label="Collection from each player")
    fee_minutes = forms.IntegerField(
        required=False, min_value=1, max_value=DAY_MINUTES, label="Minutes it pays for, where it goes by time"
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)
        for name, chips in self.required_amounts.items():
            self.fields[name].initial = amount_text(chips * min(casino.denominations), casino.currency)

    def perform(self, command: Command) -> str:
        """Release it."""
        name = self.cleaned_data["name"]
        answer = rule_set_create(casino_id=self.casino.id, name=name, body=self.body(), command=command)
        return f"Rule set {name} v{answer.body['version']} was released."

    def body(self) -> dict[str, Any]:
        """The rule set as the engine reads it; it judges whether its parts go together."""
        data = self.cleaned_data
        fee = {
            "kind": data["fee_kind"],
            "amount": data["fee_amount"] or 0,
            "minutes": data["fee_minutes"] or 0,
        }
        shared = {name: data[name] for name in ("seats", "cards_each", "chip")}
        return {"packs": 1, "cut_card": 0, **shared, "fee": fee, **self.own(data)}

    def own(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What this game's rule sets have beside."""
        raise AssertionError("each game has rules of its own")


class PoolForm(CardRoomForm):
    """Release a rule set of High Card Pool or its burning-card variant."""

    title = "Release rules of a pool game"
    sections = {
        "Game": ("name", "game", "seats", "cards_each"),
        "Pool": ("chip", "ante", "pool_limit"),
        "Collection": ("fee_kind", "fee_amount", "fee_minutes"),
    }
    amounts = (*CardRoomForm.amounts, "ante", "pool_limit")
    required_amounts = {"chip": 1, "ante": 5}

    game = forms.ChoiceField(
        choices=[("high_card_pool", "High Card Pool"), ("burning_card", "High Card Pool with a burnt card")]
    )
    ante = AmountField(label="Ante", help_text="The least bet and the forfeit too.")
    pool_limit = AmountField(
        required=False,
        label="Limit of the pool",
        help_text="A pool that passes it is divided at the end of the round; empty for none.",
    )

    def own(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The ante and the limit."""
        return {name: data[name] for name in ("game", "ante", "pool_limit")}


class BankForm(CardRoomForm):
    """Release a rule set of banking Red Dog."""

    title = "Release rules of the banking game"
    sections = {
        "Game": ("name", "seats", "cards_each"),
        "Bank": ("chip", "max_bank"),
        "Collection": ("fee_kind", "fee_amount", "fee_minutes"),
    }
    amounts = (*CardRoomForm.amounts, "max_bank")

    max_bank = AmountField(required=False, label="Highest bank", help_text="Empty for no limit.")

    def own(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The highest bank."""
        return {"game": "banking", "max_bank": data["max_bank"]}


class LookForm(ActForm):
    """Look at a hand of a finished round."""

    operation = "hand.look"
    title = "Look at a hand"
    lead = (
        "A hand that was laid down unseen stays so, but for this look. That you looked, at which hand and "
        "why, goes into the office's journal; the cards do not."
    )
    button = "Look"
    answers_here = True
    once_title = "The hand"
    once_note = "It is shown this once; each look is written down."
    once_gone = "Its cards were shown then. To see them again is another look."

    seat = forms.IntegerField(min_value=1, max_value=MOST_PLAYERS)
    reason = forms.CharField(max_length=200)

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        self.seen: tuple[str, ...] = ()

    def perform(self, command: Command) -> str:
        """Look, and keep the cards for the answering page."""
        assert self.object_id is not None, "the address names the round"
        data = self.cleaned_data
        _, self.seen = hand_look(
            casino_id=self.casino.id,
            round_id=self.object_id,
            seat=data["seat"],
            reason=data["reason"],
            command=command,
        )
        return f"You looked at the hand of seat {data['seat']}."

    def once(self) -> str:
        """The cards; nothing when the form was sent again."""
        return " ".join(map(card_text, self.seen))


def can_be_looked_at(played: Round) -> bool:
    """Whether there are sealed hands in a finished round; its rules and its shoe must be at hand."""
    over = played.status != RoundStatus.IN_PROGRESS
    return over and is_card_room(played.rules) and played.shoe.source == CardSource.DRAWN


def limits_told(rules: RuleSet) -> str:
    """The amounts of a card-room rule set in a line."""
    body, currency = rules.body, rules.casino.currency
    if "ante" not in body:
        most = body["max_bank"]
        return f"bank up to {amount_text(most, currency)} {currency}" if most else "any bank"
    limit = body["pool_limit"]
    told = f", pool divided above {amount_text(limit, currency)}" if limit else ""
    return f"ante {amount_text(body['ante'], currency)}{told} {currency}"


def middle_told(played: Round) -> SafeString:
    """What lay in the pool before the round and lies there now, or the bank."""
    facts, currency = played.state, played.table.casino.currency
    place = "bank" if "bank" in facts else "pool"
    return part(
        "middle",
        place=place,
        carried=None if place == "bank" else money(facts["carried"], currency),
        now=money(facts[place], currency),
        dealer=facts["dealer"],
        next_dealer=facts["next_dealer"],
    )


def face_table(played: Round) -> SafeString:
    """The cards that came face up, in order: whose turn it was, what they did, what was shown for them."""
    shown = played.state["shown"]
    rows = [
        (cards([face["card"]]), words(face["how"]), face["seat"], cards(shown.get(str(face["seat"]), ())))
        if face["how"] == "turned"
        else (cards([face["card"]]), words(face["how"]), face["seat"], "")
        for face in played.state["board"]
    ]
    return part("faces", rows=rows)


def player_rows(played: Round, players: Mapping[str, Player]) -> SafeString:
    """What each player was dealt, did, showed and gained."""
    facts, currency = played.state, played.table.casino.currency
    rows = [
        {
            "seat": seat,
            "player": link(players.get(seat), nothing="somebody unknown"),
            "deals": int(seat) == facts["dealer"],
            "cards": facts["hands"].get(seat),
            "end": ENDS[result["end"]],
            "shown": cards(facts["shown"].get(seat, ())),
            **{
                name: money(result[name], currency)
                for name in ("ante", "fee", "bet", "won", "forfeit", "mispaid", "share", "net")
            },
        }
        for seat, result in sorted(facts["results"].items(), key=lambda item: int(item[0]))
    ]
    return part("players", rows=rows)


def remarks_on(played: Round) -> Iterator[str]:
    """What was out of the ordinary."""
    facts, currency = played.state, played.table.casino.currency
    for payment in facts["payments"]:
        amount = amount_text(payment["amount"], currency)
        told = PAYMENTS[payment["kind"]].format(amount)
        yield f"seat {payment['seat']} {told}" + (", put right" if payment["corrected"] else "")
    if facts["limit_passed"]:
        yield "the pool passed its limit"
    if facts["void_reason"]:
        yield f"void: {words(facts['void_reason'])}"
