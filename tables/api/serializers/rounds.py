"""Shapes of rounds, as terminals send and see them."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from config.api.strict import SeatAmounts, SeatSerials, StrictSerializer, Text, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.kinds import CARD_ROOM, RED_DOG, OneOf

MAX_CARD, MAX_REASON, MAX_NOTE, MAX_SEATS = 2, 40, 200, 100
MONEY = "Currency instead of chips, within the same bounds, where the profile allows money plays."


class StartBody(StrictSerializer):
    """The bets that lie on the layout, by seat."""

    bets = SeatAmounts(required=False, help_text="At least one, here or in `money`.")
    money = SeatAmounts(default=dict, help_text=MONEY)
    tokes = SeatAmounts(default=dict, help_text="Bet for the dealers, beside the seat's own bet.")
    coupons = SeatSerials(default=dict, help_text="The promotional piece beside the seat's own bet.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A bet at least, of chips or of currency."""
        if not attrs.get("bets") and not attrs["money"]:
            code = "empty" if "bets" in attrs else "required"
            raise ValidationError({"bets": ErrorDetail("A round begins with at least one bet.", code=code)})
        return {"bets": {}, **attrs}


class BetsBody(StrictSerializer):
    """Bets taken back first, with what lies beside them, then bets placed."""

    bets = SeatAmounts(default=dict)
    money = SeatAmounts(default=dict, help_text=MONEY)
    tokes = SeatAmounts(default=dict, help_text="Bet for the dealers, beside the seat's own bet.")
    coupons = SeatSerials(default=dict, help_text="The promotional piece beside the seat's own bet.")
    take_back = serializers.ListField(child=Whole(min_value=1), max_length=MAX_SEATS, default=list)


class CardsBody(StrictSerializer):
    """Either `cards` as scanned, or how many to `draw`; the first two may come at once."""

    cards = serializers.ListField(child=Text(max_length=MAX_CARD), min_length=1, max_length=2, required=False)
    draw = Whole(min_value=1, max_value=2, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Exactly one of the two, as the service takes them."""
        if len(attrs) != 1:
            raise ValidationError("Either cards or draw.", code="one_of")
        cards = attrs.get("cards", [])
        return {"cards": cards, "number": attrs.get("draw", len(cards))}


class AnnouncementBody(StrictSerializer):
    """The spread the dealer announced."""

    spread = Whole(min_value=0)


class RaisesBody(StrictSerializer):
    """Raises withdrawn after a wrong announcement, and raises made, by seat."""

    raises = SeatAmounts(default=dict)
    money = SeatAmounts(default=dict, help_text=MONEY)
    withdraw = serializers.ListField(child=Whole(min_value=1), max_length=MAX_SEATS, default=list)


class ExposureBody(StrictSerializer):
    """The third card as scanned; nothing at a table that draws."""

    card = Text(max_length=MAX_CARD, allow_null=True, default=None)


class VoidBody(StrictSerializer):
    """Why a round does not count, and who signs that as the second."""

    reason = Text(max_length=MAX_REASON)
    note = Text(max_length=MAX_NOTE, allow_blank=True, default="")
    second = SecondSignature()


class SeatResult(serializers.Serializer[Any]):
    """What a round did to a seat, minor units: `paid` is won beyond the stake, `net` the gain.

    Seat 0 are the dealers, where somebody bet for them.
    """

    bet = serializers.IntegerField()
    paid = serializers.IntegerField()
    net = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """The fields, with the one whose name is a word of Python."""
        return {**super().get_fields(), "raise": serializers.IntegerField()}


class LegalShown(serializers.Serializer[Any]):
    """A kind of action that would be accepted now, with the bounds of its fields."""

    type = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """The fields, with the one whose name serializers use themselves."""
        return {**super().get_fields(), "fields": serializers.DictField()}


class AnyRoundShown(serializers.Serializer[Any]):
    """What rounds of all games have; amounts in minor units by seat number."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    status = serializers.CharField()
    game = serializers.CharField()
    engine_version = serializers.IntegerField()
    phase = serializers.CharField()
    over = serializers.BooleanField()
    legal = LegalShown(many=True)
    tray_need = serializers.IntegerField(help_text="What the tray must hold before the round can be paid.")
    outcome = serializers.CharField(allow_null=True)
    void_reason = serializers.CharField(allow_null=True)
    settled = serializers.BooleanField()


class RedDogRoundShown(AnyRoundShown):
    """A round of casino Red Dog as everybody at the table sees it."""

    bets = serializers.DictField(child=serializers.IntegerField())
    raises = serializers.DictField(child=serializers.IntegerField())
    tokes = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="From engine version 2 on."
    )
    promos = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="From engine version 2 on."
    )
    money = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="The bets that are currency, if any is."
    )
    money_raises = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="The raises that are, if any stake is."
    )
    cards = serializers.ListField(child=serializers.CharField())
    burnt = serializers.ListField(child=serializers.CharField())
    spread = serializers.IntegerField(allow_null=True)
    announced = serializers.IntegerField(allow_null=True)
    misannounced = serializers.BooleanField()
    raise_test_excluded = serializers.BooleanField()
    results = serializers.DictField(child=SeatResult())


class TurnShown(serializers.Serializer[Any]):
    """Whose turn it is and what it waits for; `minimum` is the forfeit too, null once a bet is stated."""

    seat = serializers.IntegerField()
    due = serializers.CharField(help_text="bet, burn, turn or show.")
    cards = serializers.IntegerField(help_text="How many cards the hand holds, face down.")
    short = serializers.BooleanField()
    stake = serializers.IntegerField()
    minimum = serializers.IntegerField(allow_null=True)
    maximum = serializers.IntegerField(allow_null=True)
    step = serializers.IntegerField(allow_null=True)
    card = serializers.CharField(allow_null=True, help_text="The card turned for the bet.")


class FaceShown(serializers.Serializer[Any]):
    """A card that left the pack face up: burned, turned or exposed, and for whose turn."""

    card = serializers.CharField()
    how = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)


class PaymentShown(serializers.Serializer[Any]):
    """A payment made in error; `open` while it can still be put right."""

    seat = serializers.IntegerField()
    kind = serializers.CharField()
    amount = serializers.IntegerField()
    corrected = serializers.BooleanField()
    open = serializers.BooleanField()


class PlayerResult(serializers.Serializer[Any]):
    """What moved for a player, minor units; a banker's bank is his `ante`, what came back his `share`."""

    end = serializers.CharField(allow_null=True, help_text="How the turn ended; null before.")
    ante = serializers.IntegerField()
    fee = serializers.IntegerField()
    bet = serializers.IntegerField()
    won = serializers.IntegerField()
    forfeit = serializers.IntegerField()
    mispaid = serializers.IntegerField()
    share = serializers.IntegerField()
    net = serializers.IntegerField()


class CardRoomRound(AnyRoundShown):
    """What there is to see of a round of a card-room game: hands are numbers of cards."""

    order = serializers.ListField(child=serializers.IntegerField(), help_text="The turns, the dealer last.")
    cards_each = serializers.IntegerField()
    carried = serializers.IntegerField(help_text="What lay in the pool before the round.")
    pool = serializers.IntegerField(required=False, help_text="What lies in it now; a pool game's.")
    bank = serializers.IntegerField(required=False, help_text="What lies in it now; the banking game's.")
    turn = TurnShown(allow_null=True)
    antes_due = serializers.ListField(child=serializers.IntegerField())
    stakes = serializers.DictField(child=serializers.IntegerField())
    hands = serializers.DictField(child=serializers.IntegerField(), help_text="Cards dealt face down.")
    cards = serializers.ListField(child=serializers.CharField(), help_text="All cards that came face up.")
    burnt = serializers.ListField(child=serializers.CharField(), help_text="Those that decided nothing.")
    board = FaceShown(many=True)
    shown = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    payments = PaymentShown(many=True)
    limit_passed = serializers.BooleanField()
    next_dealer = serializers.IntegerField(allow_null=True)
    results = serializers.DictField(child=PlayerResult())


class CardRoomRoundShown(CardRoomRound):
    """A round of a card-room game as everybody at the table sees it."""

    dealer = serializers.IntegerField(allow_null=True, help_text="The seat that deals, or banks.")
    players = serializers.ListField(child=serializers.IntegerField(), help_text="Their seats.")


class RoundShown(OneOf):
    """A round of whatever game, as everybody at the table sees it."""

    shapes = {RED_DOG: RedDogRoundShown, **dict.fromkeys(CARD_ROOM, CardRoomRoundShown)}
    told_by = "game"
