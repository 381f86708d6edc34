"""Shapes of what auditors read."""

from typing import Any

from rest_framework import serializers

from config.api.strict import StrictSerializer
from tables.api.serializers.kinds import CARD_ROOM, RED_DOG, OneOf
from tables.api.serializers.rounds import CardRoomRound, RedDogRoundShown, SeatResult


class RoundsQuery(StrictSerializer):
    """Which rounds."""

    gaming_day = serializers.DateField(required=False)
    table = serializers.UUIDField(required=False)
    cursor = serializers.CharField(required=False)


class SessionsQuery(StrictSerializer):
    """Which sessions."""

    gaming_day = serializers.DateField(required=False)
    table = serializers.UUIDField(required=False)
    cursor = serializers.CharField(required=False)


class EntriesQuery(StrictSerializer):
    """Which entries: those of one stream."""

    stream = serializers.CharField(max_length=60)
    cursor = serializers.CharField(required=False)


class CorrectedRound(serializers.Serializer[Any]):
    """A round as the cards that really lay decide it; the entry `seq` says so."""

    seq = serializers.IntegerField()
    cards = serializers.ListField(child=serializers.CharField())
    spread = serializers.IntegerField(allow_null=True)
    outcome = serializers.CharField()
    results = serializers.DictField(child=SeatResult())


class KeptRound(serializers.Serializer[Any]):
    """Where and when a round was played, by whom, and where the journal says so."""

    table = serializers.UUIDField()
    session = serializers.UUIDField()
    gaming_day = serializers.DateField()
    shoe = serializers.UUIDField()
    rules = serializers.UUIDField()
    dealer = serializers.UUIDField()
    players = serializers.DictField(child=serializers.UUIDField(allow_null=True))
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    first_seq = serializers.IntegerField()
    last_seq = serializers.IntegerField()
    cancelled_seq = serializers.IntegerField(allow_null=True)


class RedDogRoundRecord(RedDogRoundShown, KeptRound):
    """A round of casino Red Dog as it is kept."""

    correction = CorrectedRound(allow_null=True)


class CardRoomRoundRecord(CardRoomRound, KeptRound):
    """A round of a card-room game as it is kept; its hands are not, but for what was shown.

    `dealer` is who worked at the table, as in every record.
    """

    dealing_seat = serializers.IntegerField(allow_null=True, help_text="The player who dealt, or banked.")


class RoundRecord(OneOf):
    """A round of whatever game, as it is kept."""

    shapes = {RED_DOG: RedDogRoundRecord, **dict.fromkeys(CARD_ROOM, CardRoomRoundRecord)}
    told_by = "game"


class RoundPage(serializers.Serializer[Any]):
    """A page of rounds, oldest first."""

    results = RoundRecord(many=True)
    next = serializers.CharField(allow_null=True)


class SessionRecord(serializers.Serializer[Any]):
    """A session with its counts; totals in minor units, missing ones null and never zero."""

    id = serializers.UUIDField()
    table = serializers.UUIDField()
    number = serializers.IntegerField()
    gaming_day = serializers.DateField()
    status = serializers.CharField()
    opener = serializers.DictField(child=serializers.IntegerField())
    opener_total = serializers.IntegerField()
    opened_at = serializers.DateTimeField()
    opened_seq = serializers.IntegerField()
    closer = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    closer_total = serializers.IntegerField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    closed_seq = serializers.IntegerField(allow_null=True)
    drop_count = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    drop_total = serializers.IntegerField(allow_null=True)
    counted_at = serializers.DateTimeField(allow_null=True)


class SessionPage(serializers.Serializer[Any]):
    """A page of sessions, oldest first."""

    results = SessionRecord(many=True)
    next = serializers.CharField(allow_null=True)


class MovementRecord(serializers.Serializer[Any]):
    """Minor units that went from one account of the stream to another."""

    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    asset = serializers.CharField()
    amount = serializers.IntegerField()


class EntryRecord(serializers.Serializer[Any]):
    """An entry of the journal; `payload_text` is the very text that was hashed."""

    id = serializers.UUIDField()
    stream = serializers.CharField()
    seq = serializers.IntegerField()
    kind = serializers.CharField()
    command = serializers.UUIDField()
    actor = serializers.UUIDField()
    terminal = serializers.UUIDField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    occurred_at = serializers.DateTimeField()
    payload_text = serializers.CharField()
    payload_digest = serializers.CharField()
    reverses = serializers.UUIDField(allow_null=True)
    previous_hash = serializers.CharField()
    hash = serializers.CharField()
    hash_version = serializers.IntegerField()
    movements = MovementRecord(many=True)


class EntryPage(serializers.Serializer[Any]):
    """A page of entries, in the order of the chain."""

    results = EntryRecord(many=True)
    next = serializers.CharField(allow_null=True)


class StepShown(serializers.Serializer[Any]):
    """Chips brought along to a seat (`seat.take`), or carried off from one (`seat.leave`)."""

    at = serializers.DateTimeField()
    kind = serializers.CharField()
    table = serializers.UUIDField()
    code = serializers.CharField()
    seat = serializers.IntegerField()
    chips = serializers.IntegerField(help_text="Minor units; what was bought with cash is no part of it.")


class WalkShown(serializers.Serializer[Any]):
    """A player's newest steps from table to table, oldest first."""

    player = serializers.UUIDField()
    steps = StepShown(many=True)
