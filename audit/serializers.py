"""Shapes of the audit's part of the API."""

from typing import Any

from rest_framework import serializers

from audit.codes import Severity
from audit.models import FindingStatus
from audit.results import GROUPINGS
from config.api.strict import StrictSerializer


class FindingsQuery(StrictSerializer):
    """Which findings."""

    status = serializers.ChoiceField(choices=FindingStatus.values, required=False)
    severity = serializers.ChoiceField(choices=[severity.value for severity in Severity], required=False)
    code = serializers.CharField(max_length=60, required=False)
    gaming_day = serializers.DateField(required=False)
    session = serializers.UUIDField(required=False)
    cursor = serializers.CharField(required=False)


class EvidenceRecord(serializers.Serializer[Any]):
    """What a finding rests on."""

    digest = serializers.CharField()
    seen_at = serializers.DateTimeField()
    body = serializers.JSONField()


class ExplanationRecord(serializers.Serializer[Any]):
    """What somebody said how a finding came about."""

    by = serializers.UUIDField()
    at = serializers.DateTimeField()
    text = serializers.CharField()


class FindingRecord(serializers.Serializer[Any]):
    """A finding with its evidence and explanations, oldest first; people by their ids."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    says = serializers.CharField()
    severity = serializers.CharField()
    status = serializers.CharField()
    stream = serializers.CharField(allow_blank=True)
    seq = serializers.IntegerField(allow_null=True)
    session = serializers.UUIDField(allow_null=True)
    round = serializers.UUIDField(allow_null=True)
    gaming_day = serializers.DateField(allow_null=True)
    counter = serializers.IntegerField()
    first_seen = serializers.DateTimeField()
    last_seen = serializers.DateTimeField()
    acknowledged_by = serializers.UUIDField(allow_null=True)
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField(allow_blank=True)
    resolved_by = serializers.UUIDField(allow_null=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    false_positive = serializers.BooleanField(allow_null=True)
    evidence = EvidenceRecord(many=True)
    explanations = ExplanationRecord(many=True)


class FindingPage(serializers.Serializer[Any]):
    """A page of findings, oldest first."""

    results = FindingRecord(many=True)
    next = serializers.CharField(allow_null=True)


class PlayFields(serializers.Serializer[Any]):
    """What was played, and the three checks; null where it was not worked out, or does not apply."""

    rounds = serializers.IntegerField(allow_null=True, help_text="Those that count.")
    voided = serializers.IntegerField(allow_null=True)
    handle = serializers.IntegerField(allow_null=True, help_text="Bets and raises against the house.")
    result = serializers.IntegerField(allow_null=True, help_text="R: what was paid.")
    theoretical_win = serializers.CharField(
        allow_null=True, help_text="To be expected of a full shoe under the decisions taken, minor units."
    )
    theoretical_win_exact = serializers.CharField(allow_null=True, help_text="The same as a fraction.")
    theoretical_best_win = serializers.CharField(allow_null=True, help_text="Under best decisions.")
    theoretical_best_win_exact = serializers.CharField(allow_null=True)
    markers_issued = serializers.IntegerField(allow_null=True, help_text="Minor units, at the table.")
    markers_redeemed = serializers.IntegerField(allow_null=True, help_text="Of them, at the table.")
    promo_pieces = serializers.IntegerField(allow_null=True, help_text="Promotional pieces that were played.")
    promo_worth = serializers.IntegerField(allow_null=True, help_text="What they were played for.")
    T = serializers.IntegerField(allow_null=True)
    B = serializers.IntegerField(allow_null=True)
    U = serializers.IntegerField(allow_null=True)


class MasterLine(PlayFields):
    """Sums of sessions, minor units; a sum of which a part is missing is null, never zero.

    Of a dealer or a shift nothing is counted, so that opener, fills, credits, closer, drop and win are null.
    """

    name = serializers.CharField()
    sessions = serializers.IntegerField()
    opener = serializers.IntegerField(allow_null=True)
    fills = serializers.IntegerField(allow_null=True)
    credits = serializers.IntegerField(allow_null=True)
    closer = serializers.IntegerField(allow_null=True)
    drop = serializers.IntegerField(allow_null=True)
    variance = serializers.IntegerField(allow_null=True, help_text="Counted drop less recorded insertions.")
    win = serializers.IntegerField(allow_null=True)
    win_state = serializers.CharField()
    hold = serializers.CharField(allow_null=True, help_text="A decimal number.")


class MasterToDate(serializers.Serializer[Any]):
    """The month or the year so far."""

    total = MasterLine()
    tables = MasterLine(many=True)


class AdjustmentRecord(serializers.Serializer[Any]):
    """A correction: the chips and cash it moved, and why."""

    stream = serializers.CharField()
    seq = serializers.IntegerField()
    kind = serializers.CharField()
    amount = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class DropPeriodRecord(serializers.Serializer[Any]):
    """A drop box on its table; T and U are known of a box that lay there from opener to closer."""

    number = serializers.IntegerField()
    put_at = serializers.DateTimeField()
    removed_at = serializers.DateTimeField(allow_null=True)
    booked = serializers.IntegerField(allow_null=True)
    total = serializers.IntegerField(allow_null=True)
    T = serializers.IntegerField(allow_null=True)
    B = serializers.IntegerField(allow_null=True)
    U = serializers.IntegerField(allow_null=True)


class ByValueRecord(serializers.Serializer[Any]):
    """The first entry of a session that moved chips of the tray and does not say which."""

    seq = serializers.IntegerField()
    kind = serializers.CharField()


class ChipCheckRecord(serializers.Serializer[Any]):
    """T by denomination: by chip value how many pieces more were counted than went through, none of it zero.

    The difference is null where not every movement carries denominations.
    """

    difference = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    by_value = ByValueRecord(allow_null=True)


class StiffSheet(PlayFields):
    """A session's account of itself."""

    session = serializers.UUIDField()
    table = serializers.UUIDField()
    code = serializers.CharField()
    pit = serializers.CharField()
    game = serializers.CharField()
    number = serializers.IntegerField()
    gaming_day = serializers.DateField()
    opener = serializers.DictField(child=serializers.IntegerField())
    opener_total = serializers.IntegerField()
    fills = serializers.IntegerField()
    credits = serializers.IntegerField()
    closer = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    closer_total = serializers.IntegerField(allow_null=True)
    drop_parts = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    drop = serializers.IntegerField(allow_null=True)
    insertions = serializers.IntegerField()
    variance = serializers.IntegerField(allow_null=True)
    win = serializers.IntegerField(allow_null=True)
    win_state = serializers.CharField()
    hold = serializers.CharField(allow_null=True)
    chips = ChipCheckRecord(allow_null=True, help_text="Null while the session is open.")
    drop_periods = DropPeriodRecord(many=True)


class HoldSide(serializers.Serializer[Any]):
    """What gaming days came to at a table, minor units."""

    kind = serializers.CharField()
    days = serializers.IntegerField(help_text="Those with business.")
    win = serializers.IntegerField()
    drop = serializers.IntegerField()
    uncounted = serializers.IntegerField(help_text="Sessions whose drop is not counted and reconciled.")
    hold = serializers.CharField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With the days; a lifetime has no first."""
        days = {"from": serializers.DateField(allow_null=True), "to": serializers.DateField()}
        return super().get_fields() | days


class HoldRecord(serializers.Serializer[Any]):
    """A table's hold, judged by the profile's rule."""

    table = serializers.CharField()
    standing = serializers.CharField()
    why = serializers.CharField(allow_blank=True)
    profile = serializers.CharField()
    threshold_bp = serializers.IntegerField()
    window = HoldSide()
    base = HoldSide()


class FigureSince(serializers.Serializer[Any]):
    """A figure as the day was closed with it, and as it is now."""

    closed = serializers.IntegerField(allow_null=True)
    now = serializers.IntegerField(allow_null=True)


class MasterGameRecord(serializers.Serializer[Any]):
    """The master game report of a gaming day."""

    casino = serializers.CharField()
    currency = serializers.CharField()
    gaming_day = serializers.DateField()
    activity = serializers.BooleanField()
    closed = serializers.BooleanField()
    tables = MasterLine(many=True)
    pits = MasterLine(many=True)
    games = MasterLine(many=True)
    total = MasterLine()
    month_to_date = MasterToDate()
    year_to_date = MasterToDate()
    adjustments = AdjustmentRecord(many=True)
    adjustments_above = serializers.IntegerField()
    adjustments_listed = AdjustmentRecord(many=True)
    since_closing = serializers.DictField(child=FigureSince())
    holds = HoldRecord(many=True)
    sheets = StiffSheet(many=True)


class FloatRecord(serializers.Serializer[Any]):
    """Where a casino's chips are at this moment, minor units."""

    asset = serializers.CharField()
    commissioned = serializers.IntegerField()
    vault = serializers.IntegerField()
    trays = serializers.IntegerField()
    seats = serializers.IntegerField()
    wagers = serializers.IntegerField()
    pools = serializers.IntegerField()
    tokes = serializers.IntegerField()
    count_room = serializers.IntegerField()
    in_transit = serializers.IntegerField()
    with_patrons = serializers.IntegerField(help_text="Away from the tables.")
    disputed = serializers.IntegerField()
    over_short = serializers.IntegerField()
    accounted = serializers.IntegerField()
    missing = serializers.IntegerField(help_text="Zero in an honest house.")
    house_held = serializers.IntegerField()
    float_liability = serializers.IntegerField(help_text="Commissioned less what the house holds.")
    vault_chips = serializers.DictField(
        child=serializers.IntegerField(), help_text="In the vault: chip value to number of chips."
    )


class ResultsQuery(StrictSerializer):
    """By what, and of which gaming days; one day where only the first is said."""

    by = serializers.ChoiceField(choices=GROUPINGS)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With the days, whose names are words of the language."""
        days = {"from": serializers.DateField(), "to": serializers.DateField(required=False)}
        return super().get_fields() | days

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Days in their order."""
        if attrs.get("to", attrs["from"]) < attrs["from"]:
            raise serializers.ValidationError({"to": ["The last day comes before the first."]})
        return attrs


class ResultsRecord(serializers.Serializer[Any]):
    """What gaming days came to."""

    casino = serializers.CharField()
    currency = serializers.CharField()
    by = serializers.CharField()
    activity = serializers.BooleanField()
    as_of = serializers.DateTimeField(
        allow_null=True, help_text="Until when the play of open sessions is in the figures."
    )
    waiting = serializers.IntegerField(help_text="Sessions whose play is not worked out yet.")
    lines = MasterLine(many=True)
    total = MasterLine()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With the days."""
        return super().get_fields() | {"from": serializers.DateField(), "to": serializers.DateField()}
