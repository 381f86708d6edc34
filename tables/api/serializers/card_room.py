"""Shapes of the card-room games' commands, and of what they answer with beside the round."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.api.strict import SeatAmounts, StrictSerializer, Text, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.tables import TableShown

MAX_CARD, MAX_HAND, PACK, MAX_PLAYERS = 2, 10, 52, 10


class Card(Text):
    """A card as two characters; whether it is one the rules say."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(max_length=MAX_CARD, **kwargs)


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"pattern": "^[1-9][0-9]{0,2}$"},
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": PACK},
        "description": "Seat number to number of cards.",
        "examples": [{"3": 4, "7": 0}],
    }
)
class SeatCounts(SeatAmounts):
    """A number of cards for each of some seats; keys become integers."""

    child = Whole(min_value=0, max_value=PACK)


class DrawBody(StrictSerializer):
    """The cards as scanned, up to the first ace; nothing at a table that draws."""

    cards = serializers.ListField(child=Card(), max_length=PACK, default=list)


class DealerDrawn(TableShown):
    """The table, and the cards that went round; `button` is who got the first ace."""

    drawn = serializers.ListField(child=serializers.CharField())


class DealBody(StrictSerializer):
    """Who is dealt in and what was dealt; as a rule nothing need be said, but what a banker puts up."""

    players = serializers.ListField(
        child=Whole(min_value=1),
        min_length=1,
        max_length=MAX_PLAYERS,
        allow_null=True,
        default=None,
        help_text="Seats; null for everybody seated who can pay.",
    )
    cards_each = Whole(min_value=4, max_value=5, allow_null=True, default=None)
    counts = SeatCounts(default=dict, help_text="Hands that were dealt another number of cards.")
    bank = Whole(min_value=1, allow_null=True, default=None)


class PassBody(StrictSerializer):
    """A turn without a bet."""

    seat = Whole(min_value=1)
    kind = serializers.ChoiceField(choices=["forfeit", "pass", "discard"])


class TurnBody(StrictSerializer):
    """The card that decides, as scanned, and the one burnt before it; nothing at a table that draws."""

    card = Card(allow_null=True, default=None)
    burnt = Card(allow_null=True, default=None)


class ShowBody(StrictSerializer):
    """One winning card, or the whole hand; at a table that draws, the card the player chose, if any."""

    seat = Whole(min_value=1)
    cards = serializers.ListField(child=Card(), max_length=MAX_HAND, default=list)


class ExposedCardBody(StrictSerializer):
    """The card as scanned; nothing at a table that draws."""

    card = Card(allow_null=True, default=None)


class MispaymentBody(StrictSerializer):
    """A payment made in error, minor units: taken out of the pool, too little taken, or paid into it."""

    seat = Whole(min_value=1)
    kind = serializers.ChoiceField(choices=["taken", "short", "bet_into_pool"])
    amount = Whole(min_value=1)


class PutRightBody(StrictSerializer):
    """Whose wrong payment is taken back."""

    seat = Whole(min_value=1)


class DivisionBody(StrictSerializer):
    """Who signs the division as the second."""

    second = SecondSignature()


class PoolDivided(TableShown):
    """The table, and what each seat got of the pool (minor units)."""

    shares = serializers.DictField(child=serializers.IntegerField())


class CollectionTaken(TableShown):
    """The table, and what each seat paid the house (minor units)."""

    fees = serializers.DictField(child=serializers.IntegerField())
