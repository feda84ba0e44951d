"""The keys of a ``[[budget]]`` that are limits: which there are, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from massprops_cli.bom.uncertain.maturity import WORDS
from massprops_cli.budget.entries import Limit, Measure
from massprops_cli.budget.measures import Dimension, in_unit, read_measure, read_percent, read_range, written
from massprops_cli.findings import UsageError
from massprops_cli.findings.nearest import nearest
from massprops_cli.rollup.normal.polygon import crossing, is_flat
from massprops_cli.tables.units.unit_table import INERTIA, LENGTH, MASS

CENTERS = ("center-x", "center-y", "center-z")
MOMENTS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
ENVELOPE = "center-envelope"
PROBABLE = {"mass-max", "mass-min", "margin-min", *CENTERS, ENVELOPE, *MOMENTS}
"""The limits that are kept with a probability."""


def read_limit(subject: str, value: object) -> Limit:
    """Read the value of a limit; raises UsageError that begins with what the value is.

    >>> read_limit("mass-max", "850 kg").high
    Measure(number=850.0, unit='kg')
    """
    return READERS[subject](Limit(subject), value)


def dimension_of_limit(subject: str) -> Dimension:
    """Give the powers of mass, length and time of the number that a limit bounds."""
    return MASS if subject.startswith("mass") else LENGTH if subject in CENTERS else INERTIA


def _upper(limit: Limit, value: object) -> Limit:
    return replace(limit, high=read_measure(value, MASS))


def _lower(limit: Limit, value: object) -> Limit:
    return replace(limit, low=read_measure(value, MASS))


def _range(limit: Limit, value: object) -> Limit:
    low, high = read_range(value, dimension_of_limit(limit.subject))
    return replace(limit, low=low, high=high)


def _margin(limit: Limit, value: object) -> Limit:
    percent = read_percent(value)
    if percent <= -100:
        raise UsageError(f"is {written(value)}; it takes a percentage above -100")
    return replace(limit, low=Measure(percent, "%"))


def _share(limit: Limit, value: object) -> Limit:
    percent = read_percent(value)
    if not 0 < percent <= 100:
        raise UsageError(f"is {written(value)}; it takes a percentage above 0 and at most 100")
    return replace(limit, low=Measure(percent, "%"))


def _probability(limit: Limit, value: object) -> Limit:
    share = read_percent(value) / 100 if isinstance(value, str) else value
    if isinstance(share, bool) or not isinstance(share, float) or not 0 < share < 1:
        raise UsageError(f"is {written(value)}; it takes a number between 0 and 1, such as 0.95")
    return replace(limit, low=Measure(share))


def _maturity(limit: Limit, value: object) -> Limit:
    word, share = value if isinstance(value, list) and len(value) == 2 else (value, "100 %")
    if word not in WORDS:
        hint = nearest(word, WORDS) if isinstance(word, str) else ""
        raise UsageError(f'is {written(value)}; it takes {", ".join(WORDS)}, such as ["calculated", "80 %"]{hint}')
    return replace(_share(limit, share), word=str(word))


def _envelope(limit: Limit, value: object) -> Limit:
    """Read the corners of a polygon; a first pair such as ``["x", "mass"]`` names the axis."""
    pairs = value if isinstance(value, list) else []
    axis = "x"
    if pairs and isinstance(pairs[0], list) and pairs[0][1:] == ["mass"]:
        axis, pairs = pairs[0][0], pairs[1:]
    if axis not in ("x", "y", "z"):
        raise UsageError(f'has the axis {written(axis)}; it takes ["x", "mass"], ["y", "mass"] or ["z", "mass"]')
    if len(pairs) < 3 or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise UsageError(f'is {written(value)}; it takes three or more corners such as ["2.1 m", "900 kg"]')
    corners = tuple((read_measure(station, LENGTH), read_measure(mass, MASS)) for station, mass in pairs)
    shape = [(in_unit(x, corners[0][0].unit, LENGTH), in_unit(m, corners[0][1].unit, MASS)) for x, m in corners]
    if (edges := crossing(shape)) is not None:
        first, second = (edge + 1 for edge in edges)
        raise UsageError(f"is {written(value)}, whose edges after corners {first} and {second} cross each other")
    if is_flat(shape):
        raise UsageError(f"is {written(value)}, whose corners stand on one line")
    return replace(limit, corners=corners, axis=axis)


READERS: dict[str, Callable[[Limit, object], Limit]] = {
    "mass-max": _upper,
    "mass-min": _lower,
    "margin-min": _margin,
    **dict.fromkeys(CENTERS, _range),
    ENVELOPE: _envelope,
    **dict.fromkeys(MOMENTS, _range),
    "coverage-min": _share,
    "maturity-min": _maturity,
    "probability-min": _probability,
}
"""Every limit by its key; the probability comes last, being that of the others."""
