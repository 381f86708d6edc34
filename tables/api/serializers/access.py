"""Shapes of enrolment and signing in."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from config.api.strict import Id, StrictSerializer, Text
from tables.jurisdiction.catalogue import APPROVED
from tables.services.signatures import Approved, Badge, Second

MAX_BADGE, MAX_PIN, MAX_CODE = 20, 64, 64


class BadgeAndPin(StrictSerializer):
    """A badge number and the PIN typed with it."""

    badge = Text(max_length=MAX_BADGE)
    pin = Text(max_length=MAX_PIN)

    def to_internal_value(self, data: Any) -> Badge:
        """The badge as the services take it."""
        content = super().to_internal_value(data)
        return Badge(content["badge"], content["pin"])


class SecondSignature(StrictSerializer):
    """Who signs as the second: a badge and the PIN typed with it, or an approval given elsewhere."""

    badge = Text(max_length=MAX_BADGE, required=False)
    pin = Text(max_length=MAX_PIN, required=False)
    approval = Id(required=False)

    def to_internal_value(self, data: Any) -> Second:
        """The second signature as the services take it.

        Raises:
            ValidationError: for anything but a badge with its PIN, or an approval alone.
        """
        content = super().to_internal_value(data)
        if set(content) == {"approval"}:
            return Approved(content["approval"])
        if set(content) == {"badge", "pin"}:
            return Badge(content["badge"], content["pin"])
        raise ValidationError({"badge": [ErrorDetail("Give badge and pin, or approval.", code="required")]})


class ApprovalBody(StrictSerializer):
    """What is signed beforehand, and by whom: the act, and what it is on as it stands now."""

    act = serializers.ChoiceField(choices=APPROVED)
    subject = Id(help_text="A round, session, entry or table; the casino for acts of cage and office.")
    badge = BadgeAndPin()


class ApprovalAnswer(serializers.Serializer[Any]):
    """An approval: good for this act on this subject, once, until then, while nothing happens there."""

    approval = serializers.UUIDField()
    act = serializers.CharField()
    subject = serializers.UUIDField()
    subject_version = serializers.IntegerField()
    expires_at = serializers.DateTimeField()


class SignInBody(StrictSerializer):
    """Who signs in."""

    badge = Text(max_length=MAX_BADGE)
    pin = Text(max_length=MAX_PIN)


class PinBody(StrictSerializer):
    """The PIN until now, and the new one: at least four digits."""

    old = Text(max_length=MAX_PIN)
    new = Text(max_length=MAX_PIN)


class PinAnswer(serializers.Serializer[Any]):
    """Whose PIN was changed."""

    staff = serializers.UUIDField()


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
