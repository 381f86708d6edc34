"""Immutable states made cheaply: what follows is worked out once, and copies are not checked anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")


class derived(Generic[I, V]):  # noqa: N801
    """A property of an immutable instance, kept beside its fields once it was asked for.

    Written as ``functools.cached_property``, from 3.12 on, is: it has no lock.
    """

    def __init__(self, work: Callable[[I], V]) -> None:
        self._work = work
        self._name = ""
        self.__doc__ = work.__doc__

    def __set_name__(self, owner: type[I], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[I]) -> derived[I, V]: ...

    @overload
    def __get__(self, instance: I, owner: type[I]) -> V: ...

    def __get__(self, instance: I | None, owner: type[I]) -> derived[I, V] | V:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._work(instance)
        return value


D = TypeVar("D")


def changed(instance: D, **changes: Any) -> D:
    """A copy of a frozen dataclass with some fields changed, as ``dataclasses.replace`` makes it, faster.

    For changes that leave it valid: ``__post_init__`` is not called. What was derived is not copied.
    """
    fields = instance.__dataclass_fields__  # type: ignore[attr-defined]
    if not changes.keys() <= fields.keys():
        raise TypeError(f"{type(instance).__name__} has no such fields: {', '.join(changes)}")
    kept, copy = instance.__dict__, object.__new__(type(instance))
    made = copy.__dict__
    for name in fields:
        made[name] = changes[name] if name in changes else kept[name]
    return copy
