"""Shapes of the audit's part of the API."""

from typing import Any

from rest_framework import serializers

from audit.codes import Severity
from audit.models import FindingStatus
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
