"""Dataclasses with shared methods are those of the standard library in all that a caller sees."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, ClassVar

import pytest

from massprops_cli import _start


@_start.dataclass(frozen=True, slots=True)
class Shared:
    """As below."""

    KIND: ClassVar[str] = "any"
    name: str
    mass: float = 1.5
    parts: list[str] = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="", repr=False, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """As above."""

    KIND: ClassVar[str] = "any"
    name: str
    mass: float = 1.5
    parts: list[str] = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="", repr=False, compare=False)


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("wing",), {}),
    (("wing", 2.0), {"note": "left"}),
    ((), {"name": "wing", "parts": ["rib"]}),
    (("wing", 2.0, ["rib"], "left"), {}),
]
WRONG_CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    (("wing", 2.0, [], "", "more"), {}),
    (("wing",), {"name": "again"}),
    (("wing",), {"colour": "red"}),
]


@pytest.mark.parametrize(("arguments", "named"), CALLS)
def test_fields_and_text_are_those_of_a_standard_dataclass(arguments: Any, named: Any) -> None:
    shared, standard = Shared(*arguments, **named), Standard(*arguments, **named)
    assert dataclasses.asdict(shared) == dataclasses.asdict(standard)
    assert repr(shared) == repr(standard).replace("Standard", "Shared")


@pytest.mark.parametrize(("arguments", "named"), WRONG_CALLS)
def test_wrong_calls_are_type_errors(arguments: Any, named: Any) -> None:
    for kind in (Shared, Standard):
        with pytest.raises(TypeError):
            kind(*arguments, **named)


def test_the_signature_names_fields_and_defaults() -> None:
    shared, standard = (inspect.signature(kind).parameters for kind in (Shared, Standard))
    assert list(shared) == list(standard) == ["name", "mass", "parts", "note"]
    assert [shared[name].default for name in ("name", "mass", "note")] == [inspect.Parameter.empty, 1.5, ""]


def test_every_object_has_its_own_default() -> None:
    one, other = Shared("a"), Shared("b")
    one.parts.append("rib")
    assert other.parts == []


def test_equal_fields_are_equal_unless_not_compared() -> None:
    assert Shared("a", note="x") == Shared("a", note="y") != Shared("a", 2.0)
    assert Shared("a") != Standard("a")


def test_equal_objects_have_one_hash() -> None:
    @_start.dataclass(frozen=True)
    class Point:
        x: float
        y: float = 0.0

    assert len({Point(1.0), Point(x=1.0, y=0.0), Point(2.0)}) == 2


def test_a_changeable_object_has_no_hash() -> None:
    @_start.dataclass()
    class Point:
        x: float

    point = Point(1.0)
    point.x = 2.0
    assert point == Point(2.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(point)


def test_a_frozen_object_cannot_be_changed() -> None:
    one = Shared("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="mass"):
        one.mass = 2.0  # type: ignore[misc] # what is tested
    with pytest.raises(dataclasses.FrozenInstanceError, match="name"):
        del one.name  # type: ignore[misc] # what is tested
    assert not hasattr(one, "__dict__")


def test_replace_copy_and_pickle() -> None:
    one = Shared("a", 2.0, ["rib"], "left")
    assert dataclasses.replace(one, mass=3.0) == Shared("a", 3.0, ["rib"])
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (again, again.note) == (one, "left")
    assert copy.deepcopy(one).parts is not one.parts


def test_methods_of_the_class_remain() -> None:
    @_start.dataclass(frozen=True, eq=False)
    class Named:
        text: str

        def __post_init__(self) -> None:
            object.__setattr__(self, "text", self.text.strip())

        def __repr__(self) -> str:
            return self.text

    assert repr(Named(" wing ")) == "wing"
    assert Named("a") != Named("a")


def test_a_class_inherits_fields() -> None:
    @_start.dataclass(frozen=True)
    class Base:
        x: float = 0.0

    @_start.dataclass(frozen=True)
    class Point(Base):
        y: float = 1.0

    assert Point(2.0) == Point(x=2.0, y=1.0)
    assert repr(Point()) == "Point(x=0.0, y=1.0)"
