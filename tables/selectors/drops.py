"""Drop boxes as those see them who carry and count them."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from tables.models import BoxStatus, DropBox


def box_view(box: DropBox) -> dict[str, Any]:
    """A box as the count room sees it: never what is in it."""
    return {
        "id": str(box.id),
        "name": box.label,
        "number": box.number,
        "table": str(box.table_id),
        "session": str(box.session_id),
        "status": str(box.status),
    }


def boxes_in_use(casino_id: uuid.UUID) -> QuerySet[DropBox]:
    """The boxes of a casino on their tables and those not counted yet, as they were put there."""
    rows = DropBox.objects.filter(table__casino=casino_id).exclude(status=BoxStatus.COUNTED)
    return rows.select_related("table").order_by("put_at", "id")


def merged_counts(boxes: Iterable[DropBox], part: str) -> dict[str, int]:
    """One part of the counts of several boxes together: value to how many."""
    merged: dict[str, int] = {}
    for box in boxes:
        found: Mapping[str, int] = (box.counted or {}).get(part, {})
        for value, number in found.items():
            merged[value] = merged.get(value, 0) + number
    return merged
