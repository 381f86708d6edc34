"""Shapes of a table's life beside its rounds."""

from typing import Any

from rest_framework import serializers

from tables.api.serializers.corrections import CorrectionShown
from tables.api.serializers.rounds import RoundShown, VoidBody
from tables.api.serializers.tables import TableShown


class CancellationBody(VoidBody):
    """Why a round that is over does not count, and who signs that as the second."""


class RoundCancelled(serializers.Serializer[Any]):
    """The round with the result it keeps, its table, and the entry that voided it."""

    round = RoundShown()
    table = TableShown()
    correction = CorrectionShown()
