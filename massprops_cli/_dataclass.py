"""Dataclasses that a start can afford: their methods are shared, where the standard ones compile theirs for each class.

A roll-up loads some fifty classes, and compiling five methods for each took a tenth of a small run. ``fields``,
``replace`` and ``asdict`` of the standard library, ``copy`` and ``pickle`` know these classes, because they are its
dataclasses. A call takes about 1 µs longer, so what is made for every row or cell keeps the standard decorator.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, eq: bool = True) -> Any:
        """Make a dataclass without slots whose methods are shared.

        Parameters
        ----------
        frozen : bool, default False
            No attribute can be assigned.
        eq : bool, default True
            Two with equal fields are equal; with ``frozen`` they have the same hash.

        Returns
        -------
        callable
            Decorator of a class.

        Examples
        --------
        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.0), Point(1.0) == Point(x=1.0, y=0.0)
        (Point(x=1.0, y=0.0), True)
        """
        shared = {"__init__": _init, "__repr__": _repr, "__signature__": _Signature()}
        if eq:
            shared |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
        if frozen:
            shared |= {"__setattr__": _reject_assignment, "__delattr__": _reject_assignment}

        def decorate(cls: type) -> type:
            for name, method in shared.items():
                if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
                    setattr(cls, name, method)
            return dataclasses.dataclass(init=False, repr=False, eq=False)(cls)

        return decorate


class _Signature:
    """The signature of a class, made when it is asked for."""

    def __get__(self, _instance: object, cls: Any) -> Any:
        from inspect import Parameter, Signature

        def default(field: dataclasses.Field[Any]) -> object:
            has_none = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            return Parameter.empty if has_none else field.default

        return Signature(
            [
                Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD, default=default(field), annotation=field.type)
                for field in dataclasses.fields(cls)
                if field.init
            ]
        )


def _init(self: Any, /, *arguments: object, **named: object) -> None:
    """Store the arguments; fields without one get their default, or are an error."""
    cls = type(self)
    values = self.__dict__
    values.update(zip(cls.__match_args__, arguments, strict=False))
    values.update(named)
    own = cls.__dataclass_fields__
    if len(values) != len(arguments) + len(named) or not values.keys() <= own.keys():
        raise TypeError(f"{cls.__name__}() has the arguments {', '.join(cls.__match_args__)}")
    if len(values) < len(own):
        _store_defaults(cls, values)
    post_init = getattr(cls, "__post_init__", None)
    if post_init is not None:
        post_init(self)


def _store_defaults(cls: Any, values: dict[str, object]) -> None:
    """Add the defaults of the fields that have no value."""
    for field in dataclasses.fields(cls):
        if field.name in values:
            continue
        if field.default_factory is not dataclasses.MISSING:
            values[field.name] = field.default_factory()
        elif field.default is not dataclasses.MISSING:
            values[field.name] = field.default
        elif field.init:
            raise TypeError(f"{cls.__name__}() needs the argument {field.name}")


def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__.rpartition('.')[2]}({shown})"


def _compared(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, field.name) for field in dataclasses.fields(self) if field.compare)


def _equal(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _reject_assignment(_self: Any, name: str, _value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change the field {name}")
