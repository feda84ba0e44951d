"""Base parameters of a mechanism that is assembled to 300 digits: the same energy rows, as balls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.mechanisms.assembly.assembled_motion import AssembledMotion
from massprops_cli.mechanisms.assembly.precise_series import (
    DIGITS,
    middle_fraction,
    middle_number,
    precise_numbers,
)
from massprops_cli.mechanisms.exact import energy_rows
from massprops_cli.mechanisms.model import Mechanism, simplest_fraction
from massprops_cli.mechanisms.row_reduction import Grouping, grouping_of_rows

_TERMS = (24, 32)
"""Terms of the motions of the first run, and of that which checks it."""
_FURTHER_ROWS = 8  # beyond the number of parameters
_ZERO, _LEAST = 10.0 ** (-DIGITS * 2 // 3), 10.0 ** (-DIGITS // 3)
"""A pivot below the first is 0, one above the second is not; between both the rank is rejected."""
_REACH = Fraction(1, 10 ** (DIGITS // 3))  # two runs must agree to 100 of the 300 digits
_LONGEST_DENOMINATOR = 10 ** (DIGITS // 6)  # 50 digits; a coefficient with a longer one is a float


def assembled_grouping(mechanism: Mechanism, order: Sequence[int], findings: Findings) -> Grouping:
    """Return the base parameters of a mechanism whose pose is approximate."""
    if any(joint.kind == "helical" for joint in mechanism.joints):
        findings.report("MP824", "mechanism has helical joints, which need an exact pose")
        raise TableError(findings)
    with precise_numbers():
        motions = AssembledMotion(mechanism, findings)
        first, check = (_reduced(mechanism, motions, order, terms, findings) for terms in _TERMS)
    if first[0] != check[0] or not _agree(first[1], check[1]):
        findings.report("MP824", "two random motions give different base parameters; the pose is near a singular one")
        raise TableError(findings)
    rows = [[_short_value(value) for value in row] for row in first[1]]
    return grouping_of_rows(order, first[0], rows, motions.degrees_of_freedom)


_Reduced = tuple[list[int], list[list[Any]]]


def _reduced(
    mechanism: Mechanism, motions: AssembledMotion, order: Sequence[int], terms: int, findings: Findings
) -> _Reduced:
    """Return the pivots and the reduced energy rows of random motions."""
    chance = random.Random(terms)
    rows: list[list[Any]] = []
    while motions.degrees_of_freedom and len(rows) < len(order) + _FURTHER_ROWS:
        rows += energy_rows(mechanism, motions.motion(terms, chance))
    left = [[row[index] for index in order] for row in rows]
    left = [[value / largest for value in row] for row in left if (largest := max(row, key=_size)) and _size(largest)]
    pivots: list[int] = []
    for column in range(len(order)):
        done = len(pivots)
        best = max(range(done, len(left)), key=lambda row: _size(left[row][column]), default=-1)
        size = _size(left[best][column]) if best >= 0 else 0.0
        if size < _ZERO:
            continue
        if size < _LEAST:
            findings.report("MP824", f"rank is not clear: a pivot is {size:.2g}; the pose is near a singular one")
            raise TableError(findings)
        left[done], left[best] = left[best], left[done]
        pivot = left[done][column]
        left[done] = [value / pivot for value in left[done]]
        for row in range(len(left)):
            factor = left[row][column]
            if row != done and _size(factor):
                left[row] = [value - factor * top for value, top in zip(left[row], left[done], strict=True)]
        pivots.append(column)
    return pivots, [[middle_fraction(value) for value in row] for row in left[: len(pivots)]]


def _size(value: Any) -> float:
    """Return the magnitude of the middle of a number."""
    return abs(float(middle_number(value)))


def _agree(first: list[list[Any]], second: list[list[Any]]) -> bool:
    """Return whether the coefficients of two runs agree to 100 digits."""
    return all(
        abs(a - b) <= _REACH * max(Fraction(1), abs(a))
        for one, other in zip(first, second, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def _short_value(value: Fraction) -> Any:
    """Return a coefficient as a short fraction, else as a float."""
    reach = _REACH * max(Fraction(1), abs(value))
    found = simplest_fraction(value - reach, value + reach)
    return found if found.denominator < _LONGEST_DENOMINATOR else float(value)
