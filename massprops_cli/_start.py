"""What makes a start quick: regular expressions compiled at their first use, dataclasses whose methods are shared.

A run needs few of the patterns that a table could need. A roll-up loads some fifty dataclasses, and the standard
library compiles five methods for each: a tenth of a small run. Those of ``dataclass`` here are shared by all classes.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, cast

__all__ = ["dataclass", "lazy_pattern"]


class _LazyPattern:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = (text, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._arguments)
        # from now on every method is the compiled pattern's own
        self.__dict__.update((own, getattr(compiled, own)) for own in dir(compiled) if not own.startswith("_"))
        return getattr(compiled, name)


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Make a regular expression that is compiled at its first use."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True) -> Any:
        """Make a dataclass of the standard library whose methods are shared with others.

        Parameters
        ----------
        frozen, slots, eq, repr : bool
            As of ``dataclasses.dataclass``.

        Returns
        -------
        callable
            Decorator of a class.

        Notes
        -----
        A call takes about 1 µs longer: what is made for every row or cell keeps the decorator of the standard library.

        Examples
        --------
        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.0), Point(1.0) == Point(x=1.0, y=0.0)
        (Point(x=1.0, y=0.0), True)
        """
        shared: dict[str, Any] = {"__init__": _init, "__signature__": _Signature()}
        if repr:
            shared["__repr__"] = _repr
        if eq:
            shared |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
        if frozen:
            shared |= {"__setattr__": _reject_assignment, "__delattr__": _reject_assignment}
        if frozen and slots:
            shared |= {"__getstate__": _state, "__setstate__": _set_state}

        def decorate(cls: type) -> type:
            for name, method in shared.items():
                if name not in cls.__dict__:
                    setattr(cls, name, method)
            return dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)

        return decorate


class _Signature:
    """The signature of a class, made when a reader needs it."""

    def __get__(self, _instance: object, cls: Any) -> Any:
        from inspect import Parameter, Signature

        return Signature(
            [
                Parameter(
                    field.name,
                    Parameter.POSITIONAL_OR_KEYWORD,
                    default=Parameter.empty if _is_required(field) else field.default,
                    annotation=field.type,
                )
                for field in dataclasses.fields(cls)
                if field.init
            ]
        )


def _is_required(field: dataclasses.Field[Any]) -> bool:
    """Return whether a field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _init(self: Any, /, *arguments: object, **named: object) -> None:
    """Store the arguments; fields without one get their default, or are an error."""
    cls = type(self)
    values = dict(zip(cls.__match_args__, arguments, strict=False))
    values.update(named)
    own = cls.__dataclass_fields__
    if len(values) != len(arguments) + len(named) or not values.keys() <= own.keys():
        raise TypeError(f"{cls.__name__}() has the arguments {', '.join(cls.__match_args__)}")
    if len(values) < len(own):
        _add_defaults(cls, values)
    for name, value in values.items():
        object.__setattr__(self, name, value)
    post_init = getattr(cls, "__post_init__", None)
    if post_init is not None:
        post_init(self)


def _add_defaults(cls: Any, values: dict[str, object]) -> None:
    """Add the defaults of the fields that have no value."""
    for field in dataclasses.fields(cls):
        if field.name in values:
            continue
        if field.default_factory is not dataclasses.MISSING:
            values[field.name] = field.default_factory()
        elif field.default is not dataclasses.MISSING:
            values[field.name] = field.default
        elif field.init:
            raise TypeError(f"{cls.__name__}() has no value for its argument {field.name}")


def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__.rpartition('.')[2]}({shown})"


def _compared(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, field.name) for field in dataclasses.fields(self) if field.compare)


def _equal(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _reject_assignment(self: Any, name: str, _value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change the field {name} of {type(self).__name__}")
