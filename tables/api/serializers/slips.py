"""Shapes of fills and credits: what each step takes, and slips as terminals see them."""

import re
from datetime import datetime
from typing import Any

from rest_framework import serializers

from config.api.strict import Count, Id, StrictSerializer, Text, Whole
from tables.api.serializers.access import SecondSignature
from tables.models import SlipKind, SlipSeries, SlipStatus
from tables.services.slips import MAX_REASON

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)


class Moment(serializers.DateTimeField):
    """A moment as RFC 3339 writes it, with its offset."""

    def to_internal_value(self, value: Any) -> datetime:
        """The moment, time zone aware."""
        if not isinstance(value, str) or not _MOMENT.fullmatch(value):
            self.fail("invalid", format="RFC 3339")
        moment: datetime = super().to_internal_value(value)
        return moment


class SlipRequestBody(StrictSerializer):
    """Chips by denomination, and the supervisor who requests them with the dealer."""

    chips = Count()
    second = SecondSignature()


class SlipCountBody(StrictSerializer):
    """The chips as they are counted, and who signs for them as the second."""

    chips = Count()
    second = SecondSignature()


class DispatchBody(SlipCountBody):
    """The chips of a credit as the dealer counts them before supervisor and runner, who sign too."""

    runner = SecondSignature()


class FillIssueBody(StrictSerializer):
    """The chips the cage gives, all or part of what was requested, and the runner who signs for them."""

    chips = Count()
    runner = SecondSignature()


class NumbersShown(serializers.Serializer[Any]):
    """How the numbers of one series and kind of slip were used."""

    series = serializers.ChoiceField(choices=SlipSeries.choices)
    kind = serializers.ChoiceField(choices=SlipKind.choices)
    first = serializers.IntegerField(allow_null=True)
    last = serializers.IntegerField(allow_null=True)
    used = serializers.IntegerField()
    void = serializers.IntegerField()
    missing = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="Numbers in between without a slip, each as the first and the last of them.",
    )


class SlipNumbersShown(serializers.Serializer[Any]):
    """The report of slip numbers: the system's begin at 1 and leave no gap, a paper slip's are its own."""

    numbers = NumbersShown(many=True)


class CashierCountBody(StrictSerializer):
    """The chips of a credit as the cashier counts them."""

    chips = Count()


class SlipReasonBody(StrictSerializer):
    """Why a request is refused."""

    reason = Text(max_length=MAX_REASON)


class SlipVoidBody(SlipReasonBody):
    """Why a slip is void, and who signs that as the second."""

    second = SecondSignature()


class ManualSlipBody(StrictSerializer):
    """A slip that was written by hand while the system was down."""

    kind = serializers.ChoiceField(choices=SlipKind.values)
    number = Whole(min_value=1, help_text="As printed on the paper slip.")
    table = Id(source="table_id")
    chips = Count()
    occurred_at = Moment(help_text="When it was written.")
    second = SecondSignature()


class SlipShown(serializers.Serializer[Any]):
    """A slip; the chips are those requested until the cage has issued it."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=SlipKind.values)
    series = serializers.ChoiceField(choices=SlipSeries.values)
    number = serializers.IntegerField(allow_null=True)
    label = serializers.CharField(  # type: ignore[assignment]
        allow_null=True, help_text="As printed: F-12, C-3; MF-7, MC-7 by hand."
    )
    table = serializers.UUIDField()
    status = serializers.ChoiceField(choices=SlipStatus.values)
    requested_chips = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    chips = serializers.DictField(child=serializers.IntegerField())
    total = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)
    occurred_at = serializers.DateTimeField(allow_null=True)


class SlipList(serializers.Serializer[Any]):
    """The slips somebody has yet to do something about."""

    slips = SlipShown(many=True)


class SlipPrinted(SlipShown):
    """A slip, and which reprint this is: 0 for the first print."""

    reprint = serializers.IntegerField()


class TrayDenomination(serializers.Serializer[Any]):
    """One denomination of a tray, in pieces."""

    value = serializers.IntegerField(help_text="Of the chip, minor units.")
    par = serializers.IntegerField(allow_null=True, help_text="What should be there; null where none is set.")
    stock = serializers.IntegerField(help_text="As last counted, with the fills and credits since.")
    need = serializers.IntegerField()


class TrayInventory(serializers.Serializer[Any]):
    """A tray by denomination, and the fill that would bring it to par."""

    table = serializers.UUIDField()
    denominations = TrayDenomination(many=True)
    fill = serializers.DictField(child=serializers.IntegerField())
