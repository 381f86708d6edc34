"""Filters people keep under names of their own; nobody else sees them, and no entry is made of them."""

import re
import uuid
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from audit.exports.filters import RoundFilter
from audit.exports.named import check_named
from audit.models import SavedFilter
from config.errors import DomainError
from tables.services.command import Actor
from tables.services.permissions import require

KEEP = "filter.keep"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,40}")


def filter_save(
    *, casino_id: uuid.UUID, name: str, filter: Mapping[str, Any], actor: Actor
) -> tuple[SavedFilter, bool]:
    """Keep a filter under a name, in place of the one that had it; doing it twice is doing it once.

    Args:
        name: letters, digits, hyphens and underscores.
        filter: as `RoundFilter.as_dict` has it, without the casino.

    Returns:
        The filter as it is kept, and whether the name is new.

    Raises:
        DomainError: `filter_invalid` (400), `saved_filter_name` (422), `operation_not_allowed`.
    """
    require(KEEP, actor.role, actor.terminal_kind)
    if NAME.fullmatch(name) is None:
        raise DomainError("saved_filter_name", "A name is 1 to 40 letters, digits and hyphens.", status=422)
    return SavedFilter.objects.update_or_create(
        staff_id=actor.staff_id,
        name=name,
        defaults={"filter": checked_filter(casino_id, filter), "saved_at": timezone.now()},
    )


def filter_forget(*, name: str, actor: Actor) -> None:
    """Keep a filter no longer.

    Raises:
        DomainError: `saved_filter_not_found` (404), `operation_not_allowed`.
    """
    require(KEEP, actor.role, actor.terminal_kind)
    gone, _ = SavedFilter.objects.filter(staff=actor.staff_id, name=name).delete()
    if not gone:
        raise DomainError("saved_filter_not_found", "No filter is kept under this name.", status=404)


def checked_filter(casino_id: uuid.UUID, said: Mapping[str, Any]) -> dict[str, Any]:
    """A filter in the one form it is kept in, whose casino is its keeper's.

    Raises:
        FilterInvalid: it is none, or names what the house does not have.
    """
    wanted = RoundFilter.from_dict({**said, "casino": str(casino_id)})
    check_named(wanted)
    kept = wanted.as_dict
    del kept["casino"]
    return kept
