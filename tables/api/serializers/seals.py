"""Shapes of checkpoints and proofs."""

from typing import Any

from rest_framework import serializers

from config.api.strict import StrictSerializer
from ledger.checkpoints.note import MAX_SIZE


class ProofQuery(StrictSerializer):
    """Under which checkpoint; by default the last one."""

    size = serializers.IntegerField(min_value=1, max_value=MAX_SIZE, required=False)


class CheckpointsQuery(StrictSerializer):
    """Which page."""

    cursor = serializers.CharField(required=False)


class ConsistencyQuery(StrictSerializer):
    """With which earlier checkpoint."""

    old = serializers.IntegerField(min_value=1, max_value=MAX_SIZE)


class CheckpointRecord(serializers.Serializer[Any]):
    """A signed root over the first `size` sealed entries; `note` is the C2SP checkpoint."""

    size = serializers.IntegerField()
    sealed_at = serializers.DateTimeField()
    origin = serializers.CharField()
    root_hash = serializers.CharField(help_text="SHA-256, hexadecimal.")
    note = serializers.CharField()


class CheckpointPage(serializers.Serializer[Any]):
    """A page of checkpoints, smallest first."""

    results = CheckpointRecord(many=True)
    next = serializers.CharField(allow_null=True)


class InclusionRecord(serializers.Serializer[Any]):
    """That an entry is sealed: `proof` is a C2SP tlog-proof, its leaf the entry's `hash`."""

    entry = serializers.UUIDField()
    hash = serializers.CharField(help_text="Of the entry, hexadecimal.")
    index = serializers.IntegerField(help_text="The entry's leaf, from 0.")
    proof = serializers.CharField()


class ConsistencyRecord(serializers.Serializer[Any]):
    """That the checkpoint of `new` entries continues that of `old`; `proof` as a C2SP witness gets it."""

    old = serializers.IntegerField()
    new = serializers.IntegerField()
    proof = serializers.CharField()
