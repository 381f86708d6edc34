"""Serializers that take what they are given literally, or refuse it.

Django REST framework is obliging: "12", 12.0 and true pass for integers, 12 for a text, and fields
nobody declared are dropped. Where money is at stake an obliging reader hides a broken sender.
"""

import re
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from config.api.parsers import MAX_INTEGER

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SEAT = re.compile(r"[1-9][0-9]{0,2}")
_VALUE = re.compile(r"[1-9][0-9]{0,15}")
MAX_PIECES = 10_000_000
SERIAL = "[0-9A-Z][0-9A-Z-]{0,39}"
"""What the number on a promotional piece looks like."""


class StrictSerializer(serializers.Serializer[Any]):
    """An object with the declared fields and no others."""

    def to_internal_value(self, data: Any) -> Any:
        """The checked content; an undeclared field is named in the refusal."""
        if isinstance(data, Mapping):
            unknown = sorted(str(name) for name in set(data) - set(self.fields))
            if unknown:
                refusal = ErrorDetail("There is no such field here.", code="unknown_field")
                raise ValidationError({name: [refusal] for name in unknown})
        return super().to_internal_value(data)


class Nothing(StrictSerializer):
    """No content."""


class Whole(serializers.IntegerField):
    """A JSON integer up to 2^53 - 1; no text, no fraction, no boolean."""

    def __init__(self, *, max_value: int = MAX_INTEGER, **kwargs: Any) -> None:
        super().__init__(max_value=max_value, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        """The integer itself."""
        if type(data) is not int:
            self.fail("invalid")
        return data


class Text(serializers.CharField):
    """A JSON string, kept as it is."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """The string itself."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Id(serializers.UUIDField):
    """A UUID in its usual form, as a string."""

    def to_internal_value(self, data: Any) -> Any:
        """The UUID."""
        if not isinstance(data, str) or not _UUID.fullmatch(data):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    """true or false, and nothing that passes for them."""

    def to_internal_value(self, data: Any) -> bool:
        """The boolean itself."""
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class _Keyed(serializers.DictField):
    """An object whose keys all have one form."""

    keys = _VALUE
    refusal = ""

    def to_internal_value(self, data: Any) -> Any:
        """The checked content."""
        content = super().to_internal_value(data)
        wrong = {key: [ErrorDetail(self.refusal, code="invalid_key")] for key in content if not self._ok(key)}
        if wrong:
            raise ValidationError(wrong)
        return content

    def _ok(self, key: str) -> bool:
        return self.keys.fullmatch(key) is not None


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"pattern": "^[1-9][0-9]{0,2}$"},
        "additionalProperties": {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER},
        "description": "Seat number to minor units.",
        "examples": [{"1": 2500, "4": 500}],
    }
)
class SeatAmounts(_Keyed):
    """An amount above zero for each of some seats; keys become integers."""

    keys = _SEAT
    refusal = "A seat is numbered from 1."
    child = Whole(min_value=1)

    def to_internal_value(self, data: Any) -> dict[int, int]:
        """Seat number to minor units."""
        return {int(seat): amount for seat, amount in super().to_internal_value(data).items()}


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"pattern": "^[1-9][0-9]{0,2}$"},
        "additionalProperties": {"type": "string", "pattern": f"^{SERIAL}$"},
        "description": "Seat number to the number on a promotional piece.",
        "examples": [{"1": "MP-000017"}],
    }
)
class SeatSerials(_Keyed):
    """The number on a piece for each of some seats; keys become integers."""

    keys = _SEAT
    refusal = "A seat is numbered from 1."
    child = serializers.RegexField(f"^{SERIAL}$")

    def to_internal_value(self, data: Any) -> dict[int, str]:
        """Seat number to the number on the piece."""
        return {int(seat): serial for seat, serial in super().to_internal_value(data).items()}


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"pattern": f"^{SERIAL}$"},
        "additionalProperties": {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER},
        "description": "The number on each promotional piece to its value in minor units.",
        "examples": [{"MP-000017": 2500}],
    }
)
class SerialValues(_Keyed):
    """A value for each of some numbered pieces."""

    keys = re.compile(SERIAL)
    refusal = "A number has capital letters, digits and hyphens, 40 at most."
    child = Whole(min_value=1)


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"pattern": "^[1-9][0-9]{0,15}$"},
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": MAX_PIECES},
        "description": "Value of a chip or note in minor units to the number of pieces.",
        "examples": [{"100": 40, "2500": 20}],
    }
)
class Count(_Keyed):
    """A count by denomination."""

    keys = _VALUE
    refusal = "A value is a whole number of minor units."
    child = Whole(min_value=0, max_value=MAX_PIECES)
