"""Shapes of cash that is reported, and of people who are described."""

from typing import Any

from rest_framework import serializers

from config.api.strict import Id, StrictSerializer, Text, Whole
from tables.services.seats import OTHER_TENDER

MAX_DESCRIPTION, MAX_REFERENCE, MAX_KIND = 200, 40, 20


class DescriptionBody(StrictSerializer):
    """How to know somebody unknown again: sex, age, appearance."""

    description = Text(max_length=MAX_DESCRIPTION)


class PersonNamed(serializers.Serializer[Any]):
    """Somebody, by id; what they are known by stands in no answer that is kept."""

    player = serializers.UUIDField()


class TieBody(StrictSerializer):
    """Who the described person was found to be."""

    same_as = Id(source="same_as_id")


class PersonTied(PersonNamed):
    """Two who are one."""

    same_as = serializers.UUIDField()


class IdentityBody(StrictSerializer):
    """Whose cash it was."""

    player = Id(source="player_id")


class TransactionIdentified(PersonNamed):
    """A transaction, and whose it was."""

    transaction = serializers.UUIDField()


class FilingBody(StrictSerializer):
    """Under which number the report was filed; never a name."""

    reference = Text(max_length=MAX_REFERENCE)


class ReportFiled(PersonNamed):
    """A report that was filed."""

    report = serializers.UUIDField()
    gaming_day = serializers.DateField()
    direction = serializers.CharField()
    total = serializers.IntegerField()
    reference = serializers.CharField()


class ReportShown(serializers.Serializer[Any]):
    """One person's cash in, or out, of a gaming day that is to be reported, or was; minor units."""

    id = serializers.UUIDField()
    player = serializers.UUIDField()
    gaming_day = serializers.DateField()
    direction = serializers.CharField()
    total = serializers.IntegerField()
    due_on = serializers.DateField(allow_null=True)
    is_due = serializers.BooleanField(help_text="Nobody has filed it, or not with this total.")
    filed_total = serializers.IntegerField(allow_null=True)
    filed_at = serializers.DateTimeField(allow_null=True)
    filed_by = serializers.UUIDField(allow_null=True)
    reference = serializers.CharField(allow_blank=True)


class WatchedShown(ReportShown):
    """The same for those who run floor and cage, with what the person is known by."""

    known_as = serializers.CharField()


class CashWatched(serializers.Serializer[Any]):
    """Whose cash has passed the report's threshold on the gaming day that runs, or soon may."""

    gaming_day = serializers.DateField()
    results = WatchedShown(many=True)


class ReportsQuery(StrictSerializer):
    """Which page; `open` for reports still to be filed."""

    cursor = serializers.CharField(required=False)
    open = serializers.BooleanField(required=False)


class ReportPage(serializers.Serializer[Any]):
    """A page of reports, by gaming day."""

    results = ReportShown(many=True)
    next = serializers.CharField(allow_null=True)


class LoggedShown(serializers.Serializer[Any]):
    """A cash transaction of the log; `table` null at the cage, `player` null while nobody is named."""

    id = serializers.UUIDField()
    player = serializers.UUIDField(allow_null=True)
    direction = serializers.CharField()
    amount = serializers.IntegerField()
    gaming_day = serializers.DateField()
    at = serializers.DateTimeField()
    table = serializers.UUIDField(allow_null=True)
    seat = serializers.IntegerField(allow_null=True)
    staff = serializers.UUIDField()
    stream = serializers.CharField()
    seq = serializers.IntegerField()


class LogQuery(StrictSerializer):
    """Which page, of which gaming day or of all."""

    cursor = serializers.CharField(required=False)
    gaming_day = serializers.DateField(required=False)


class LogPage(serializers.Serializer[Any]):
    """A page of the multiple-transaction log, in the order of the transactions."""

    results = LoggedShown(many=True)
    next = serializers.CharField(allow_null=True)


class OtherTenderBody(StrictSerializer):
    """Something else than chips for cash (minor units)."""

    kind = serializers.ChoiceField(choices=sorted(OTHER_TENDER))
    amount = Whole(min_value=1)


class CashReportDue(serializers.Serializer[Any]):
    """What a person's cash has come to that is to be reported; minor units."""

    report = serializers.UUIDField()
    player = serializers.UUIDField()
    direction = serializers.CharField()
    gaming_day = serializers.DateField()
    total = serializers.IntegerField()
    due_on = serializers.DateField()
