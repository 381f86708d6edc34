"""Kinds of fields that most migrations need; not one itself."""

import uuid
from typing import Any

from django.db import models


def uid() -> "models.UUIDField[Any, Any]":
    """The primary key of whatever is known by an id of ours."""
    return models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)


def key(to: str, **options: Any) -> "models.ForeignKey[Any, Any]":
    """A foreign key; what it points to is never deleted, and knows nothing of it where no name is given."""
    return models.ForeignKey(to=to, on_delete=models.PROTECT, **{"related_name": "+"} | options)


def one(to: str, **options: Any) -> "models.OneToOneField[Any, Any]":
    """The same, where only one row may point to each."""
    return models.OneToOneField(to=to, on_delete=models.PROTECT, **{"related_name": "+"} | options)
