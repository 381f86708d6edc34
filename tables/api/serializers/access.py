"""Shapes of enrolment and signing in."""

from typing import Any

from rest_framework import serializers

from config.api.strict import StrictSerializer, Text
from tables.services.signatures import Badge

MAX_BADGE, MAX_PIN, MAX_CODE = 20, 64, 64


class BadgeAndPin(StrictSerializer):
    """A badge number and the PIN typed with it."""

    badge = Text(max_length=MAX_BADGE)
    pin = Text(max_length=MAX_PIN)

    def to_internal_value(self, data: Any) -> Badge:
        """The badge as the services take it."""
        content = super().to_internal_value(data)
        return Badge(content["badge"], content["pin"])


class SignInBody(StrictSerializer):
    """Who signs in."""

    badge = Text(max_length=MAX_BADGE)
    pin = Text(max_length=MAX_PIN)


class EnrolmentBody(StrictSerializer):
    """The one-time code of a terminal."""

    code = Text(max_length=MAX_CODE)


class EnrolmentAnswer(serializers.Serializer[Any]):
    """The terminal, and the credential it carries from now on; it is shown this once."""

    terminal = serializers.UUIDField()
    kind = serializers.CharField()
    table = serializers.UUIDField(allow_null=True)
    casino = serializers.UUIDField()
    credential = serializers.CharField()


class PersonSignedIn(serializers.Serializer[Any]):
    """Who is signed in."""

    badge = serializers.CharField()
    display_name = serializers.CharField()
    role = serializers.CharField()


class SignInAnswer(serializers.Serializer[Any]):
    """Who is signed in, and when the terminal locks itself unless there is input."""

    staff = PersonSignedIn()
    locks_at = serializers.DateTimeField()
