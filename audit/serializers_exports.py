"""Shapes of exports: what is asked for, and how it stands."""

from typing import Any

from rest_framework import serializers

from audit.exports.columns import COLUMNS, Kind
from audit.models import FOLDER_NAME, ROUND_FORMS, ExportDestination, ExportForm, ExportKind, ExportStatus
from config.api.strict import Flag, Id, StrictSerializer, Text, Whole

MAX_SEAT = 100


class FilterBody(StrictSerializer):
    """Rows of round histories that have all of these."""

    gaming_day_from = serializers.DateField(required=False)
    gaming_day_to = serializers.DateField(required=False, help_text="Inclusive, as all bounds.")
    pit = Text(max_length=40, required=False, help_text="Its code.")
    table = Text(max_length=40, required=False, help_text="Its code.")
    session = Id(required=False)
    shift = Whole(min_value=1, max_value=3, required=False, help_text="In which the round began.")
    dealer = Text(max_length=40, required=False, help_text="Badge of who began the round.")
    player = Id(required=False)
    seat = Whole(min_value=1, max_value=MAX_SEAT, required=False)
    outcome = Text(max_length=40, required=False)
    stake_min = Whole(min_value=0, required=False, help_text="Bet and raise of the row, minor units.")
    stake_max = Whole(min_value=0, required=False)
    alert = Text(max_length=60, required=False, help_text="`any`, or a finding's code.")


class BundleBody(StrictSerializer):
    """What a bundle is of: one of these."""

    gaming_day = serializers.DateField(required=False)
    table = Id(required=False)
    session = Id(required=False)
    round = Id(required=False)
    whole = Flag(required=False, help_text="From the streams' first entries on: every balance is proved.")
    since = Whole(
        min_value=1,
        required=False,
        help_text="How many entries your last checkpoint has: prove that this one continues it.",
    )


class ExportBody(StrictSerializer):
    """An export to be made: of round histories with a filter, or a bundle."""

    kind = serializers.ChoiceField(choices=ExportKind.values)
    form = serializers.ChoiceField(choices=ExportForm.values, help_text="Of a bundle `zip`.")
    filter = FilterBody(required=False)
    bundle = BundleBody(required=False)

    def validate(self, attrs: Any) -> Any:
        """Of round histories there is no bundle, and of a bundle no filter."""
        other = "bundle" if attrs["kind"] == ExportKind.ROUNDS else "filter"
        if other in attrs:
            raise serializers.ValidationError(
                {other: f"This is none of {attrs['kind']}."}, code="unknown_field"
            )
        return attrs


class ExportsQuery(StrictSerializer):
    """Which exports."""

    status = serializers.ChoiceField(choices=ExportStatus.values, required=False)
    cursor = serializers.CharField(required=False)


class ExportProgress(serializers.Serializer[Any]):
    """How many rounds are looked through, of how many; of a bundle entries, each read, then judged.

    Null until that is known.
    """

    done = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)


class ExportFile(serializers.Serializer[Any]):
    """The file of an export; its ETag is the digest."""

    name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()


class ExportRecord(serializers.Serializer[Any]):
    """An export: who asked for what, how it stands, and its file once that is whole."""

    id = serializers.UUIDField()
    asked_by = serializers.UUIDField()
    asked_at = serializers.DateTimeField()
    kind = serializers.CharField()
    about = serializers.DictField(
        child=serializers.JSONField(), help_text="The filter, or the bundle's scope."
    )
    form = serializers.CharField()
    schedule = serializers.UUIDField(allow_null=True)
    gaming_day = serializers.DateField(allow_null=True, help_text="The day a schedule exports.")
    status = serializers.CharField()
    error = serializers.CharField(allow_blank=True)
    progress = ExportProgress()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    file = ExportFile(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    removed_at = serializers.DateTimeField(allow_null=True)


class ExportShown(serializers.Serializer[Any]):
    """An export that was asked for, or called off."""

    export = ExportRecord()


class ExportPage(serializers.Serializer[Any]):
    """A page of exports, oldest first."""

    results = ExportRecord(many=True)
    next = serializers.CharField(allow_null=True)


class HistoryQuery(StrictSerializer):
    """Which rows of the round histories: those that have all of these."""

    gaming_day_from = serializers.DateField(required=False)
    gaming_day_to = serializers.DateField(required=False, help_text="Inclusive, as all bounds.")
    pit = serializers.CharField(max_length=40, required=False, help_text="Its code.")
    table = serializers.CharField(max_length=40, required=False, help_text="Its code.")
    session = serializers.UUIDField(required=False)
    shift = serializers.IntegerField(min_value=1, max_value=3, required=False)
    dealer = serializers.CharField(max_length=40, required=False, help_text="Badge of who began the round.")
    player = serializers.UUIDField(required=False)
    seat = serializers.IntegerField(min_value=1, max_value=MAX_SEAT, required=False)
    outcome = serializers.CharField(max_length=40, required=False)
    stake_min = serializers.IntegerField(min_value=0, required=False, help_text="Bet and raise, minor units.")
    stake_max = serializers.IntegerField(min_value=0, required=False)
    alert = serializers.CharField(max_length=60, required=False, help_text="`any`, or a finding's code.")
    cursor = serializers.CharField(required=False)


_FIELDS: dict[Kind, Any] = {
    Kind.DATE: serializers.DateField,
    Kind.TIME: serializers.DateTimeField,
    Kind.INT: serializers.IntegerField,
    Kind.BOOL: serializers.BooleanField,
    Kind.LABEL: serializers.CharField,
    Kind.TEXT: serializers.CharField,
}


class HistoryRow(serializers.Serializer[Any]):
    """A round and a seat of it, or a round nobody played in: the columns of an export."""

    def get_fields(self) -> dict[str, Any]:
        """The columns."""
        return {
            name: _FIELDS[column.kind](allow_null=True, help_text=column.text)
            for name, column in COLUMNS.items()
        }


class HistoryPage(serializers.Serializer[Any]):
    """A page of round histories, in the order of the play."""

    results = HistoryRow(many=True)
    next = serializers.CharField(allow_null=True)


class SavedFilterBody(StrictSerializer):
    """A filter to be kept."""

    filter = FilterBody()


class SavedFiltersQuery(StrictSerializer):
    """Which kept filters: all."""

    cursor = serializers.CharField(required=False)


class SavedFilterRecord(serializers.Serializer[Any]):
    """A filter somebody keeps."""

    name = serializers.CharField()
    filter = serializers.DictField(child=serializers.JSONField())
    saved_at = serializers.DateTimeField()


class SavedFilterPage(serializers.Serializer[Any]):
    """A page of kept filters, by name."""

    results = SavedFilterRecord(many=True)
    next = serializers.CharField(allow_null=True)


class ScheduleBody(StrictSerializer):
    """What is exported of each gaming day, when, and where to."""

    filter = FilterBody(required=False, help_text="Without gaming days: a schedule's is the day at hand.")
    form = serializers.ChoiceField(choices=[form.value for form in ROUND_FORMS])
    hour = Whole(
        min_value=0,
        max_value=23,
        allow_null=True,
        help_text="Of the casino's clock; null for when a gaming day is closed.",
    )
    destination = serializers.ChoiceField(choices=ExportDestination.values)
    folder = serializers.RegexField(FOLDER_NAME, help_text="One folder, below the destination.")


class ScheduleChange(ScheduleBody):
    """A schedule as it is to be from now on, all of it."""

    active = Flag()


class ScheduleRecord(serializers.Serializer[Any]):
    """A schedule."""

    id = serializers.UUIDField()
    made_by = serializers.UUIDField()
    made_at = serializers.DateTimeField()
    filter = serializers.DictField(child=serializers.JSONField())
    form = serializers.CharField()
    hour = serializers.IntegerField(allow_null=True)
    destination = serializers.CharField()
    folder = serializers.CharField()
    active = serializers.BooleanField()
    last_day = serializers.DateField(allow_null=True)
    last_run_at = serializers.DateTimeField(allow_null=True)


class ScheduleShown(serializers.Serializer[Any]):
    """A schedule that was made, changed or ended."""

    schedule = ScheduleRecord()


class SchedulesQuery(StrictSerializer):
    """Which schedules: all that were not ended."""

    cursor = serializers.CharField(required=False)


class SchedulePage(serializers.Serializer[Any]):
    """A page of schedules, oldest first."""

    results = ScheduleRecord(many=True)
    next = serializers.CharField(allow_null=True)
