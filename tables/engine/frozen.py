"""Immutable states made cheaply: what follows is worked out once, and copies are not checked anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields as dataclass_fields
from typing import Any, Generic, TypeVar, overload

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")


class derived(Generic[I, V]):  # noqa: N801
    """A property of an immutable instance, kept beside its fields once it was asked for.

    Written as ``functools.cached_property``, from 3.12 on, is: it has no lock.
    """

    def __init__(self, work: Callable[[I], V], regardless: frozenset[str] = frozenset()) -> None:
        self._work, self._regardless = work, regardless
        self._name = ""
        self.__doc__ = work.__doc__

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name
        owner.derived_names = {**getattr(owner, "derived_names", {}), name: self._regardless}

    @overload
    def __get__(self, instance: None, owner: type[I]) -> derived[I, V]: ...

    @overload
    def __get__(self, instance: I, owner: type[I]) -> V: ...

    def __get__(self, instance: I | None, owner: type[I]) -> derived[I, V] | V:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._work(instance)
        return value


def regardless_of(*fields: str) -> Callable[[Callable[[I], V]], derived[I, V]]:
    """Makes a derived property that a copy keeps where it has no other fields changed than these."""
    return lambda work: derived(work, frozenset(fields))


class Kept(dict[Any, V]):
    """Immutable things by what they are made of: made, and checked, once where they come again and again.

    Args:
        make: called with the members of a key, which must tell apart whatever makes a difference.
        most: how many are kept; beyond, all are made again as they come.
    """

    def __init__(self, make: Callable[..., V], most: int = 8192) -> None:
        super().__init__()
        self._make, self._most = make, most

    def __missing__(self, of: Any) -> V:
        if len(self) >= self._most:
            self.clear()
        made = self[of] = self._make(*of)
        return made


D = TypeVar("D")


def changed(instance: D, **changes: Any) -> D:
    """A copy of a frozen dataclass with some fields changed, as ``dataclasses.replace`` makes it, faster.

    For changes that leave it valid: ``__post_init__`` is not called. What was derived is not copied, unless
    it follows from none of them (``regardless_of``).
    """
    copy = object.__new__(type(instance))
    made = {**instance.__dict__, **changes}
    fields, outdated = _OUTDATED[type(instance), tuple(changes)]
    if len(made) > fields:
        for name in outdated:
            made.pop(name, None)
    object.__setattr__(copy, "__dict__", made)
    return copy


def _outdated(kind: type[Any], fields: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """How many fields a kind of dataclass has, and what is derived of it and may be otherwise with these."""
    if not kind.__dataclass_fields__.keys() >= set(fields):
        raise TypeError(f"{kind.__name__} has no such fields: {', '.join(fields)}")
    names: dict[str, frozenset[str]] = getattr(kind, "derived_names", {})
    outdated = tuple(name for name, regardless in names.items() if not regardless.issuperset(fields))
    return len(dataclass_fields(kind)), outdated


_OUTDATED: Kept[tuple[int, tuple[str, ...]]] = Kept(_outdated)
