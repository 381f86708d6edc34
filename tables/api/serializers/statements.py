"""Shapes of account statements."""

from typing import Any

from rest_framework import serializers

from config.api.parsers import MAX_INTEGER
from config.api.strict import StrictSerializer


class AccountsQuery(StrictSerializer):
    """Which stream's accounts, and as of when: after an entry, at a time, or now."""

    stream = serializers.CharField(max_length=60)
    seq = serializers.IntegerField(required=False, min_value=0, max_value=MAX_INTEGER)
    at = serializers.DateTimeField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """An entry or a time, not both."""
        if "seq" in attrs and "at" in attrs:
            raise serializers.ValidationError({"at": ["Either seq or at."]})
        return attrs


class StatementQuery(StrictSerializer):
    """Up to which entry, and where to go on."""

    until = serializers.IntegerField(required=False, min_value=0, max_value=MAX_INTEGER)
    cursor = serializers.CharField(required=False)


class AccountRecord(serializers.Serializer[Any]):
    """An account and what it holds, minor units."""

    stream = serializers.CharField()
    name = serializers.CharField()
    asset = serializers.CharField()
    floor = serializers.IntegerField(allow_null=True, help_text="Never below; null: no floor.")
    balance = serializers.IntegerField()


class AccountList(serializers.Serializer[Any]):
    """All accounts of a stream at one moment: a trial balance, whose totals are zero."""

    seq = serializers.IntegerField(help_text="The entry after which this is what they hold.")
    results = AccountRecord(many=True)
    totals = serializers.DictField(child=serializers.IntegerField(), help_text="Asset to sum.")


class StatementLine(serializers.Serializer[Any]):
    """One movement as the account sees it: the change, and the balance it left (minor units)."""

    seq = serializers.IntegerField()
    line = serializers.IntegerField()
    entry = serializers.UUIDField()
    kind = serializers.CharField()
    recorded_at = serializers.DateTimeField()
    other = serializers.CharField()
    change = serializers.IntegerField()
    balance = serializers.IntegerField()


class CountRecord(serializers.Serializer[Any]):
    """A tray counted chip by chip, or the part of a drop box's count that an account is of."""

    what = serializers.CharField(help_text="opener, closer, relief, or the box.")
    seq = serializers.IntegerField()
    chips = serializers.DictField(
        child=serializers.IntegerField(), help_text="Value of a chip, note or instrument, to how many."
    )
    total = serializers.IntegerField()


class StatementPage(serializers.Serializer[Any]):
    """A page of an account's history, oldest first."""

    stream = serializers.CharField()
    account = serializers.CharField()
    asset = serializers.CharField()
    until = serializers.IntegerField()
    opening = serializers.IntegerField(help_text="What the account held before this page.")
    results = StatementLine(many=True)
    count = CountRecord(
        allow_null=True, help_text="The last count by denomination, for a tray or a count room."
    )
    next = serializers.CharField(allow_null=True)
