"""Shapes of tables, their seats and shoes, as terminals send and see them."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Flag, Id, StrictSerializer, Text, Whole
from tables.api.serializers.access import SecondSignature
from tables.api.serializers.cash import CashReportDue
from tables.api.serializers.kinds import OneOf
from tables.api.serializers.rounds import RoundShown
from tables.api.serializers.sessions import SessionShown
from tables.api.serializers.slips import SlipShown

MAX_CARD, MAX_REASON, MAX_TOLD = 2, 40, 200
MAX_CARDS = 8 * 52


class RulesNamed(serializers.Serializer[Any]):
    """The rule set a table plays by."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    version = serializers.IntegerField()


class RedDogLimits(serializers.Serializer[Any]):
    """A Red Dog table's limits, minor units, and its number of seats."""

    min_bet = serializers.IntegerField()
    max_bet = serializers.IntegerField()
    bet_step = serializers.IntegerField()
    seats = serializers.IntegerField()


class FeeShown(serializers.Serializer[Any]):
    """The house's collection from each player: none, by the deal, or by time."""

    kind = serializers.CharField()
    amount = serializers.IntegerField()
    minutes = serializers.IntegerField()


class CardRoomLimits(serializers.Serializer[Any]):
    """What all card-room tables have; all amounts are multiples of the chip."""

    chip = serializers.IntegerField()
    seats = serializers.IntegerField()
    cards_each = serializers.IntegerField()
    fee = FeeShown()


class PoolLimits(CardRoomLimits):
    """The ante, which is the least bet too, and the agreed limit of the pool."""

    ante = serializers.IntegerField()
    pool_limit = serializers.IntegerField(allow_null=True)


class BankLimits(CardRoomLimits):
    """The most a banker may put up."""

    max_bank = serializers.IntegerField(allow_null=True)


class Limits(OneOf):
    """A table's limits, as its game has them."""

    shapes = {"red_dog": RedDogLimits, "pool": PoolLimits, "bank": BankLimits}


class ShoeShown(serializers.Serializer[Any]):
    """The shoe in use; never what is left in it."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    packs = serializers.IntegerField()
    root = serializers.CharField(  # type: ignore[assignment]
        allow_blank=True, help_text="Commitment to a drawn shoe's order; empty for a scanned one."
    )
    shuffle_due = serializers.BooleanField()


class TableShown(serializers.Serializer[Any]):
    """A table as its terminal may see it."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    game = serializers.CharField()
    rules = RulesNamed()
    limits = Limits()
    card_source = serializers.CharField()
    button = serializers.IntegerField(allow_null=True, help_text="The seat that deals (or banks) next.")
    frozen = serializers.CharField(allow_null=True, help_text="Why nothing may happen here for now.")
    session = SessionShown(allow_null=True)
    shoe = ShoeShown(allow_null=True)
    round = RoundShown(allow_null=True)


class RoundAnswer(serializers.Serializer[Any]):
    """A round and its table after a command; `round.results` says what every seat is paid.

    Where a round settles currency that was bet, the reports that makes due; told to those who run the table,
    not to a dealer.
    """

    round = RoundShown()
    table = TableShown()
    cash_reports_due = CashReportDue(many=True, required=False)


class SessionClosed(serializers.Serializer[Any]):
    """The closed session and its table."""

    table = TableShown()
    session = SessionShown()


class SeatShown(serializers.Serializer[Any]):
    """A seat, who sits there, and the chips in front of them (minor units)."""

    number = serializers.IntegerField()
    occupied = serializers.BooleanField()
    player = serializers.UUIDField(allow_null=True)
    chips = serializers.IntegerField()


class TableAtHand(TableShown):
    """A table with its seats and the slips under way, for a terminal that starts in mid-day."""

    pool = serializers.IntegerField(allow_null=True, help_text="What lies in the pool; null without one.")
    seats = SeatShown(many=True)
    slips = SlipShown(many=True)


class TableWithSlip(TableShown):
    """The table after a step of a fill or credit, and the slip."""

    slip = SlipShown()


class OccupationBody(StrictSerializer):
    """Who sits down, with what: cash for chips, chips brought along, both or neither (minor units)."""

    player = Id(source="player_id", allow_null=True, default=None, help_text="null for somebody unknown")
    cash = Whole(min_value=0)
    chips = Whole(min_value=0)


class BuyInBody(StrictSerializer):
    """Cash for chips, minor units; and who it is, where that was not known yet."""

    cash = Whole(min_value=1)
    player = Id(
        source="player_id", allow_null=True, default=None, help_text="null for whoever is known to sit there"
    )


class SeatFunded(TableShown):
    """The table, and the report a buy-in makes due; told to those who run the table, not to a dealer."""

    cash_report_due = CashReportDue(allow_null=True)


class SeatLeft(TableShown):
    """The table, and the chips (minor units) the player left with."""

    chips = serializers.IntegerField()


class FreezeBody(StrictSerializer):
    """Why nothing may happen at the table for now."""

    reason = Text(max_length=MAX_TOLD)


class ReleaseBody(StrictSerializer):
    """What was found, and who signs the release as the second."""

    reason = Text(max_length=MAX_TOLD)
    second = SecondSignature()


class BurnBody(StrictSerializer):
    """A card burnt between rounds: scanned, shown from a drawn shoe, or face down."""

    card = Text(max_length=MAX_CARD, allow_null=True, default=None)
    face_up = Flag(default=False)
    reason = Text(max_length=MAX_REASON)


class CardBurnt(TableShown):
    """The table, and the cards it saw being burnt."""

    burnt = serializers.ListField(child=serializers.CharField())


class RetirementBody(StrictSerializer):
    """What was left of a physical shoe, if somebody counted it; nothing for a drawn one."""

    stub = serializers.ListField(
        child=Text(max_length=MAX_CARD), max_length=MAX_CARDS, allow_null=True, default=None
    )
    burnt = serializers.ListField(child=Text(max_length=MAX_CARD), max_length=MAX_CARDS, default=list)
