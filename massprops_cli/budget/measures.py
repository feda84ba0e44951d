"""Texts with units in a budget file: ``"850 kg"``, ``"5 %"``, and what they are in a table's own units."""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf, isinf

from massprops_cli.budget.entries import Measure
from massprops_cli.findings import UsageError
from massprops_cli.tables.cells.number_text import PATTERN, read_number
from massprops_cli.tables.units.unit_table import INERTIA, LENGTH, MASS
from massprops_cli.tables.units.unit_text import unit_for
from massprops_cli.tables.units.units import Units

Dimension = tuple[int, int, int]
"""Powers of mass, length and time."""
KINDS = {MASS: "mass", LENGTH: "length", INERTIA: "inertia"}
EXAMPLES = {MASS: "850 kg", LENGTH: "-5 mm", INERTIA: "120 kg m2"}
_MEASURE = re.compile(rf"\s*({PATTERN})\s*(.*?)\s*", re.DOTALL)


def read_measure(value: object, dimension: Dimension) -> Measure:
    """Read a number with its unit, which is required; raises UsageError, with an example.

    >>> read_measure("850 kg", MASS)
    Measure(number=850.0, unit='kg')
    """
    match = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    number = None if match is None else read_number(match[1])
    if match is None or number is None or not match[2]:
        raise UsageError(f'is {written(value)}; it takes a number with its unit, such as "{EXAMPLES[dimension]}"')
    if unit_for(match[2], dimension) is None:
        raise UsageError(
            f'is {written(value)}, and {match[2]} is not a unit of {KINDS[dimension]}, such as "{EXAMPLES[dimension]}"'
        )
    return Measure(number, match[2])


def read_range(value: object, dimension: Dimension) -> tuple[Measure, Measure]:
    """Read ``["-5 mm", "5 mm"]``; ``*`` is an open end. Raises UsageError.

    >>> read_range(["*", "5 mm"], LENGTH)
    (Measure(number=-inf, unit=''), Measure(number=5.0, unit='mm'))
    """
    example = EXAMPLES[dimension]
    if not isinstance(value, list) or len(value) != 2 or value == ["*", "*"]:
        raise UsageError(f'is {written(value)}; it takes two ends, such as ["{example}", "*"]')
    low, high = (
        Measure(end) if text == "*" else read_measure(text, dimension)
        for text, end in zip(value, (-inf, inf), strict=True)
    )
    if not isinf(low.number) and not isinf(high.number):
        units = unit_for(low.unit, dimension), unit_for(high.unit, dimension)
        assert units[0] is not None
        assert units[1] is not None
        if low.number * units[0].over(units[1]) > high.number:
            raise UsageError(f"is {written(value)}, whose low end is above its high end")
    return low, high


def read_percent(value: object) -> float:
    """Read ``"5 %"``; raises UsageError for a number without the sign, which might be a share.

    >>> read_percent("5 %")
    5.0
    """
    match = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    number = read_number(match[1]) if match is not None and match[2] == "%" else None
    if number is None:
        raise UsageError(f'is {written(value)}; it takes a percentage with its sign, such as "5 %"')
    return number


def in_table(measure: Measure, dimension: Dimension, units: Units) -> float:
    """Give a measure in a table's own unit; raises UsageError where the table states none.

    >>> in_table(Measure(850.0, "kg"), MASS, Units("g", "mm", "g*mm^2", True))
    850000.0
    """
    return measure.number if isinf(measure.number) else measure.number * factor(measure.unit, dimension, units)


@lru_cache(maxsize=64)
def factor(unit: str, dimension: Dimension, units: Units) -> float:
    """Give what takes a number in ``unit`` to a table's own unit; raises UsageError where the table states none."""
    kind = KINDS[dimension]
    own = getattr(units, kind)
    read, coherent = unit_for(unit, dimension), unit_for(own, dimension) if own else None
    if read is None or coherent is None:
        raise UsageError(
            f"the limit is in {unit}, and the table states no unit of {kind}; say it with --unit {kind}=UNIT"
        )
    return read.over(coherent)


def written(value: object) -> str:
    """Write a value as it stands in a TOML file.

    >>> written(["a", 1, True])
    '["a", 1, true]'
    """
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {written(each)}" for key, each in value.items()) + " }"
    return str(value)
