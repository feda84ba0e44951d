"""Texts with units in a budget file: ``"850 kg"``, ``"5 %"``, and what they are in a table's own units.

How numbers, limits and formulas are written in verdicts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf, isinf

from massprops_cli.budgets.model import Limit, Measure
from massprops_cli.findings import UsageError
from massprops_cli.tables.number_text import PATTERN, read_number
from massprops_cli.tables.unit_text import INERTIA, LENGTH, MASS, several_sizes, unit_for
from massprops_cli.tables.units import Units

Dimension = tuple[int, int, int]
"""Powers of mass, length and time."""
KINDS = {MASS: "mass", LENGTH: "length", INERTIA: "inertia"}
EXAMPLES = {MASS: "850 kg", LENGTH: "-5 mm", INERTIA: "120 kg m2"}
MOST = 1e100
"""What a number of a budget is below, so that nothing reckoned with it overflows."""
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
    if dimension == MASS and (sizes := several_sizes(match[2])) is not None:
        raise UsageError(f"is {written(value)}, and {match[2]} is {sizes[0]}; {sizes[1]}")
    if unit_for(match[2], dimension) is None:
        raise UsageError(
            f'is {written(value)}, and {match[2]} is not a unit of {KINDS[dimension]}, such as "{EXAMPLES[dimension]}"'
        )
    return Measure(bounded(number, value), match[2])


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
    if is_above(low, high, dimension):
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
    return bounded(number, value)


def bounded(number: float, value: object) -> float:
    """Give a number back; raises UsageError, with what is ``written``, for one that is too large to reckon with."""
    if abs(number) > MOST:
        raise UsageError(f"is {written(value)}, larger than any number of a budget")
    return number


def is_above(one: Measure, other: Measure, dimension: Dimension) -> bool:
    """Tell whether one measure is above another, in whichever units; one without a unit is an open end.

    >>> is_above(Measure(1.0, "t"), Measure(900.0, "kg"), MASS), is_above(Measure(-inf), Measure(1.0, "kg"), MASS)
    (True, False)
    """
    if isinf(one.number) or isinf(other.number):
        return one.number > other.number
    return in_unit(one, other.unit, dimension) > other.number


def in_unit(measure: Measure, unit: str, dimension: Dimension) -> float:
    """Give a measure that was read in another unit.

    >>> in_unit(Measure(2.0, "in"), "mm", LENGTH)
    50.8
    """
    own, other = unit_for(measure.unit, dimension), unit_for(unit, dimension)
    assert own is not None
    assert other is not None
    return measure.number * own.over(other)


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


QUANTITIES = {"mass-max": "mass", "mass-min": "mass", "center-x": "Cx", "center-y": "Cy", "center-z": "Cz"}
"""Which column a limit is about; moments have the name of their column."""
WORDS = {"Cx": "centre x", "Cy": "centre y", "Cz": "centre z"}


def quantity_of(subject: str) -> str:
    """Give the canonical column that a limit bounds."""
    return QUANTITIES.get(subject, subject)


def words_of(subject: str) -> str:
    """Name what a limit bounds.

    >>> words_of("center-x"), words_of("mass-max"), words_of("Ixx")
    ('centre x', 'mass', 'Ixx')
    """
    quantity = quantity_of(subject)
    return WORDS.get(quantity, quantity)


def shown(value: float, beside: float | None = None) -> str:
    """Write a number with six digits, or with as many as tell it from the one ``beside`` it.

    >>> shown(850.0), shown(850.0001, 850.0), shown(1 / 3)
    ('850', '850.0001', '0.333333')
    """
    for digits in range(6, 18):
        text = f"{value:.{digits}g}"
        if beside is None or value == beside or float(text) != float(f"{beside:.{digits}g}"):
            break
    return text


def with_unit(value: float, unit: str, beside: float | None = None) -> str:
    """Write a number and its unit.

    >>> with_unit(5.0, "%")
    '5 %'
    """
    return f"{shown(value, beside)} {unit}".strip()


def measured(measure: Measure) -> str:
    """Write a measure as it stands in the file."""
    return f"{measure.number:.15g} {measure.unit}".strip()


def bounds(limit: Limit, name: str) -> str:
    """Write a limit as an inequality.

    >>> bounds(Limit("mass-max", high=Measure(850.0, "kg")), "mass")
    'mass ≤ 850 kg'
    """
    low = "" if isinf(limit.low.number) else f"{measured(limit.low)} ≤ "
    high = "" if isinf(limit.high.number) else f" ≤ {measured(limit.high)}"
    return f"{name} ≥ {measured(limit.low)}" if low and not high else f"{low}{name}{high}"
