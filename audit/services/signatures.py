"""Signatures of two that could be one person's, where the house's profile wants two devices.

That the two are different people is the database's own rule, and two devices the services'; what neither can
tell is whether one person has both badges. It shows where both signed at one device, as no service lets them,
or within seconds from one network address.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from audit.codes import Found
from tables.figures import gaming_day_bounds
from tables.models import Casino, Countersignature, Table
from tables.selectors.jurisdiction import profile_on

SECONDS_APART = timedelta(seconds=10)
"""As long as somebody needs to walk to another device and sign there, at least."""


def signed_as_one(casino: Casino, day: date) -> Iterator[Found]:
    """The signatures of a gaming day that two gave as one could; the address itself is no evidence's."""
    profile = profile_on(casino, day)
    for signed in _of_day(casino, day):
        why = _as_one(signed) if profile.second(signed.act).other_device else ""
        if why:
            evidence = {
                "act": signed.act,
                "first": str(signed.first_id),
                "second": str(signed.second_id),
                "one": why,
            }
            yield Found("signed_as_one", evidence, stream=signed.stream, seq=signed.seq)


def _of_day(casino: Casino, day: date) -> Iterator[Countersignature]:
    begins, ends = gaming_day_bounds(day, casino.time_zone, casino.rollover_hour)
    tables = [table.stream for table in Table.objects.filter(casino=casino)]
    streams = [casino.stream, casino.cage_stream, *tables]
    rows = Countersignature.objects.filter(stream__in=streams, signed_at__gte=begins, signed_at__lt=ends)
    return rows.order_by("signed_at").iterator()


def _as_one(signed: Countersignature) -> str:
    """What both signatures have in common and should not: a device, or a place and a moment; "" if none."""
    if signed.first_terminal_id == signed.second_terminal_id:
        return "device"
    apart = signed.signed_at - (signed.second_signed_at or signed.signed_at)
    if signed.first_address is None or signed.first_address != signed.second_address:
        return ""
    return "address" if abs(apart) < SECONDS_APART else ""
