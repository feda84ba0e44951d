"""Joint points as expressions in the dimensions of a mechanism file: rational functions, by SymPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.mechanism_file import evaluate_expression
from massprops_cli.mechanisms.model import Mechanism

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")  # name in an expression: L1 of "2*L1 + 1e3"


class _Expression:
    """A rational function that Python's operators combine with fractions."""

    __slots__ = ("_field", "element")

    def __init__(self, element: Any, field: Any) -> None:
        self.element, self._field = element, field

    def _other(self, value: Any) -> Any:
        """Return an operand as an element of the field."""
        if isinstance(value, _Expression):
            return value.element
        exact = Fraction(value)
        return self._field(exact.numerator) / self._field(exact.denominator)

    def __add__(self, other: Any) -> _Expression:
        return _Expression(self.element + self._other(other), self._field)

    __radd__ = __add__

    def __neg__(self) -> _Expression:
        return _Expression(-self.element, self._field)

    def __sub__(self, other: Any) -> _Expression:
        return _Expression(self.element - self._other(other), self._field)

    def __rsub__(self, other: Any) -> _Expression:
        return _Expression(self._other(other) - self.element, self._field)

    def __mul__(self, other: Any) -> _Expression:
        return _Expression(self.element * self._other(other), self._field)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Expression:
        return _Expression(self.element / self._other(other), self._field)

    def __rtruediv__(self, other: Any) -> _Expression:
        return _Expression(self._other(other) / self.element, self._field)

    def __pow__(self, power: int) -> _Expression:
        return _Expression(self.element**power, self._field)

    def __bool__(self) -> bool:
        return bool(self.element)

    def __eq__(self, other: object) -> bool:
        return bool(self.element == self._other(other))

    def __hash__(self) -> int:
        return hash(self.element)

    def __str__(self) -> str:
        from sympy import factor

        return str(factor(self.element.as_expr()))


def symbolic_mechanism(mechanism: Mechanism) -> Mechanism | None:
    """Return the mechanism with the points of its joints as expressions in the dimensions of its file."""
    document = mechanism.document or {}
    given = document.get("joints", ())
    texts = [str(text) for joint in given for key in ("pi", "pj") for text in joint.get(key, ())]
    used = {name for text in texts for name in _NAME.findall(text)}
    symbols = [name for name in document.get("dimensions", {}) if name in used]
    if not symbols:
        return None
    from sympy import QQ
    from sympy.polys.fields import field

    space, *generators = field(symbols, QQ)
    values = {name: _Expression(one, space) for name, one in zip(symbols, generators, strict=True)}
    known = document["dimensions"]
    number = _number_reader(values[symbols[0]])
    values |= {name: number(known[name]) for name in known if name not in values}
    joints = []
    for joint, one in zip(mechanism.joints, given, strict=True):
        points = []
        for key, point in zip(("pi", "pj"), joint.points, strict=True):
            found = [evaluate_expression(str(text), values, number) for text in one.get(key, ())] or list(point)
            points.append((found[0], found[1], found[2]))
        joints.append(replace(joint, points=(points[0], points[1])))
    return replace(mechanism, joints=tuple(joints))


def _number_reader(unit: _Expression) -> Callable[[str], _Expression]:
    """Return a reader of numbers as elements of the field of an expression."""
    return lambda text: 0 * unit + Fraction(text)
