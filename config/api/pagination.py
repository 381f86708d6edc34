"""Lists in pages: keyset on a unique order, with signed cursors that fit one list only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

from config.errors import DomainError

PAGE = 100
_SALT = "pitledger.cursor"
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """A page of rows, and the cursor of the next one (None after the last)."""

    rows: list[M]
    next: str | None


def page(rows: QuerySet[M], *, keys: Sequence[str], scope: Sequence[Any], cursor: str | None) -> Page[M]:
    """The page of `rows` that follows a cursor.

    Args:
        rows: the whole list, filtered.
        keys: one or two fields that order the rows and are unique together.
        scope: what the list is (its name, its filters); a cursor of another list is refused.
        cursor: from the page before; None for the first one.

    Raises:
        DomainError: `cursor_bad` (400).
    """
    named = [str(part) for part in scope]
    if cursor is not None:
        rows = rows.filter(_after(keys, _opened(cursor, named, len(keys))))
    found = list(rows.order_by(*keys)[: PAGE + 1])
    if len(found) <= PAGE:
        return Page(found, None)
    last = found[PAGE - 1]
    values = [_plain(getattr(last, key)) for key in keys]
    return Page(found[:PAGE], signing.dumps([named, values], salt=_SALT))


def cursor_after(*, scope: Sequence[Any], values: Sequence[int | str]) -> str:
    """A cursor for a list that pages itself: `values` say where its next page begins."""
    return signing.dumps([[str(part) for part in scope], list(values)], salt=_SALT)


def cursor_values(cursor: str, *, scope: Sequence[Any], length: int) -> list[Any]:
    """What `cursor_after` put into a cursor of this very list.

    Raises:
        DomainError: `cursor_bad` (400).
    """
    return _opened(cursor, [str(part) for part in scope], length)


def _opened(cursor: str, scope: list[str], length: int) -> list[Any]:
    try:
        named, values = signing.loads(cursor, salt=_SALT)
    except (signing.BadSignature, ValueError):
        raise DomainError("cursor_bad", status=400) from None
    if named != scope or len(values) != length:
        raise DomainError("cursor_bad", "It belongs to another list or other filters.", status=400)
    return list(values)


def _after(keys: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows beyond the given one, in the order of the keys.

    That the first key is not smaller says nothing new, but an index is searched by it, and not by an "or".
    """
    first, *rest = keys
    beyond = Q(**{f"{first}__gt": values[0]})
    if not rest:
        return beyond
    return Q(**{f"{first}__gte": values[0]}) & (beyond | _after(rest, values[1:]))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int) else str(value)
