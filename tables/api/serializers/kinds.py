"""Answers that have one shape or another, depending on the game: how the OpenAPI document says so."""

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers

RED_DOG = "red_dog"
CARD_ROOM = ("high_card_pool", "burning_card", "banking")


class OneOf(serializers.Serializer[Any]):
    """One of several shapes; it describes an answer and never makes one.

    Subclasses name the shapes, by the value of the field that tells them apart (`told_by`) if there is one.
    """

    shapes: ClassVar[Mapping[str, type[serializers.Serializer[Any]]]]
    told_by: ClassVar[str] = ""


class OneOfSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """How the document describes `OneOf`."""

    target_class = OneOf
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """The shapes by reference, each once."""
        found = {
            name: auto_schema.resolve_serializer(shape, direction).ref
            for name, shape in self.target.shapes.items()
        }
        distinct = {ref["$ref"]: ref for ref in found.values()}
        schema: dict[str, Any] = {"oneOf": list(distinct.values())}
        if self.target.told_by:
            mapping = {name: ref["$ref"] for name, ref in found.items()}
            schema["discriminator"] = {"propertyName": self.target.told_by, "mapping": mapping}
        return schema
