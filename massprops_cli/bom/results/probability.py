"""Conditions on an item's results, as text: ``SAT: mass <= 850 kg``, ``center in box -5..5, *, 0..10 mm``.

    [ITEM:] [BASIS] QUANTITY <= NUMBER [UNIT]    also >=, <, >, ≤, ≥; BASIS is predicted (default) or basic
    [ITEM:] QUANTITY in LOW .. HIGH [UNIT]       * for an end that is open
    [ITEM:] center in box RANGE, RANGE, RANGE [UNIT]           * leaves an axis out
    [ITEM:] center in ellipse X, Y, Z ; A, B, C [UNIT]         middle; half axes, * leaves an axis out

The last unit counts for all numbers that have none; without a unit, they are in the table's own. Ids may hold
colons: the longest one that the table has is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, nextafter, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import item_quantity_values, single_item_rollup
from massprops_cli.findings.finding import UsageError, nearest_name_hint
from massprops_cli.rollups.inputs import SAMPLED_RESULTS
from massprops_cli.rollups.regions import (
    CENTER_RESULTS,
    CenterBox,
    CenterEllipsoid,
    NormalResults,
    ResultRange,
    ResultRegion,
    normal_interval,
)
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number
from massprops_cli.tables.cells.units import INERTIA, LENGTH, MASS, Units, quantity_dimension, unit_of_dimension

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.montecarlo.samples import SampledDistribution

_Floats = NDArray[np.float64]
_QUERY_EXAMPLE = "mass <= 850 kg"
_QUERY_EXAMPLES = {
    "range": "Cx in -5 .. 5 mm",
    "box": "center in box -5..5, -2..2, * mm",
    "ellipse": "center in ellipse 0,0,0 ; 5,2,* mm",
}
_Dimension = tuple[int, int, int]  # powers of mass, length and time
_BASIS = re.compile(r"(predicted|basic)[ _]+(.*)", re.IGNORECASE | re.DOTALL)  # ``basic mass``
_COMPARISON = re.compile(r"(\w+)\s*(<=|>=|=<|=>|<|>|≤|≥)\s*(.*)", re.DOTALL)  # ``mass <= 850 kg``
# ``Cx in -5 .. 5 mm``, ``center in box …``
_REGION = re.compile(r"(\w+)\s+in\s+(?:(box|ellipse|ellipsoid)\b)?\s*(.*)", re.IGNORECASE | re.DOTALL)
_MEASURE = re.compile(rf"\s*({NUMBER_PATTERN}|\*)\s*(.*?)\s*", re.DOTALL)  # ``850 kg``, ``*``
_DIMENSION_NAMES = {MASS: "mass", LENGTH: "length", INERTIA: "inertia"}
_CENTER_WORDS = ("center", "centre", "cg", "com")
_RESULT_NAMES = {name.casefold(): name for name in SAMPLED_RESULTS}
_QueryRegion = tuple[ResultRegion, _Dimension, bool]
"""A region, the dimension of its numbers, and whether the question states their unit."""
_Measure = tuple[float | None, str]  # a number as it is written, or a ``*`` (None), with its unit, which may be empty
_NORMAL_METHOD, _SAMPLE_METHOD, _SUM_METHOD = "normal approximation", "samples", "sum of distributions"
_MIN_TAIL_SAMPLES = 5  # so many samples at least lie beyond an end of an interval from samples
_UNKNOWN = float("nan")


@dataclass(frozen=True, slots=True)
class _ProbabilityQuery:
    """A condition on one item; its range is in the table's coherent units."""

    item: int
    name: str  # id of the item
    words: str  # its text, with its unit
    region: ResultRegion  # called with samples (B, 13) it returns which are inside
    basis: str = "predicted"  # or ``basic``; without growth they are equal


def _parse_probability_query(text: str, bom: Bom) -> _ProbabilityQuery:
    """Read a condition on a table; raises UsageError, with an example, for a text that is not a condition."""
    item, question = split_query_item(" ".join(text.split()), bom)
    basis, question = found.groups() if (found := _BASIS.fullmatch(question)) else ("predicted", question)
    region, dimension, has_unit = QueryParser(text, bom.units).region(question)
    unit = dimension_unit(bom.units, dimension)
    words = re.sub("=<|<=", "≤", re.sub("=>|>=", "≥", question))
    return _ProbabilityQuery(
        item, bom.ids[item], words if has_unit or not unit else f"{words} {unit}", region, basis.lower()
    )


def sampling_events(
    bom: Bom, items: Sequence[str], questions: Sequence[str], result: Result | None = None
) -> tuple[list[int], dict[int, list[Callable[[_Floats], NDArray[np.bool_]]]]]:
    """List the items to watch while sampling, and the regions of samples (B, 13) to count, grown as a result states."""
    query = [_parse_probability_query(text, bom) for text in questions]
    watched = list(dict.fromkeys([int(bom.tree.order[0]), *map(bom.item, items), *(one.item for one in query)]))

    def region(one: _ProbabilityQuery) -> Callable[[_Floats], NDArray[np.bool_]]:
        if result is None or result.predicted is None or one.basis == "basic":
            return one.region
        growth = _item_results(result.predicted, one.item) - _item_results(result.rollup, one.item)
        return partial(_is_in_grown_region, one.region, growth)

    return watched, {item: [region(one) for one in query if one.item == item] for item in watched}


def _is_in_grown_region(region: ResultRegion, growth: _Floats, samples: _Floats) -> NDArray[np.bool_]:
    """Return which of the samples ``(B, 13)`` of basic results are inside ``(B,)`` with their growth ``(13,)``."""
    return region(samples + growth)


def split_query_item(text: str, bom: Bom) -> tuple[int, str]:
    """Split a condition into its item and the rest: the longest id before a colon, else the root."""
    if not (colons := [k for k, character in enumerate(text) if character == ":"]):
        return int(bom.tree.order[0]), text
    ids = set(bom.ids)
    for k in reversed(colons):
        if text[:k].strip() in ids:
            return bom.item(text[:k].strip()), text[k + 1 :].strip()
    return bom.item(text[: colons[-1]].strip()), ""


def dimension_unit(units: Units, dimension: _Dimension) -> str:
    """Look up the table's unit of a dimension."""
    return units.mass if dimension == MASS else units.length if dimension == LENGTH else units.inertia


def _result_index(name: str) -> int:
    """Return the number of a result by its name, in any case; raises UsageError with the nearest."""
    if (found := _RESULT_NAMES.get(name.casefold())) is None:
        known = (*SAMPLED_RESULTS, "center")
        near = nearest_name_hint(name, known)
        raise UsageError(f"result is not known: {name}{near} ({', '.join(known)})")
    return SAMPLED_RESULTS.index(found)


def _last_stated_unit(measures: Sequence[_Measure]) -> str:
    """Return the last unit that is stated; it counts for every number that has none of its own."""
    return next((unit for _, unit in reversed(measures) if unit), "")


class QueryParser:
    """Reads the question ``text`` in a table's ``units``."""

    def __init__(self, text: str, units: Units) -> None:
        self.text = text
        self.units = units

    def region(self, question: str) -> _QueryRegion:
        """Read a condition on one result or on the centre of mass (docs/formulas.md, section 11)."""
        if (compared := _COMPARISON.fullmatch(question)) is not None:
            return self.comparison(*compared.groups())
        if (inside := _REGION.fullmatch(question)) is None:
            raise self.error("is not a condition", _QUERY_EXAMPLE)
        name, shape, rest = inside.groups()
        if name.casefold() in _CENTER_WORDS:
            if not shape:
                raise self.error("does not state the region: box or ellipse", _QUERY_EXAMPLES["box"])
            return (self.box if shape.casefold() == "box" else self.ellipsoid)(rest)
        if shape:
            raise self.error(f"states a region for {name}, which is not the center", _QUERY_EXAMPLES["box"])
        result = _result_index(name)
        low, high = self.ends(rest)
        dimension, unit = self.dimension(result), _last_stated_unit([low, high])
        sides = self.value(low, unit, dimension, -inf), self.value(high, unit, dimension, inf)
        return ResultRange(result, *self.ordered(*sides)), dimension, bool(unit)

    def comparison(self, name: str, sign: str, rest: str) -> _QueryRegion:
        """Read ``mass <= 850 kg``; a sign without equality excludes the limit itself."""
        if name.casefold() in _CENTER_WORDS:
            raise self.error("compares a point with a number", _QUERY_EXAMPLES["box"])
        result = _result_index(name)
        (number, unit), dimension = self.measure(rest, _QUERY_EXAMPLE), self.dimension(result)
        if number is None:
            raise self.error("has a * in place of a number", _QUERY_EXAMPLE)
        limit = self.value((number, unit), "", dimension, inf)
        if sign in ("<", ">"):
            limit = nextafter(limit, -inf if sign == "<" else inf)
        is_upper = "<" in sign or sign == "≤"
        return ResultRange(result, high=limit) if is_upper else ResultRange(result, low=limit), dimension, bool(unit)

    def box(self, rest: str) -> _QueryRegion:
        """Read a box: three ranges with commas between."""
        sides = [self.ends(part, _QUERY_EXAMPLES["box"]) for part in self.three(rest, _QUERY_EXAMPLES["box"])]
        unit = _last_stated_unit([measure for side in sides for measure in side])
        (x, x1), (y, y1), (z, z1) = (
            self.ordered(self.value(low, unit, LENGTH, -inf), self.value(high, unit, LENGTH, inf))
            for low, high in sides
        )
        return CenterBox((x, y, z), (x1, y1, z1)), LENGTH, bool(unit)

    def ellipsoid(self, rest: str) -> _QueryRegion:
        """Read an ellipsoid: its centre and its half axes."""
        example = _QUERY_EXAMPLES["ellipse"]
        if len(halves := rest.split(";")) != 2:
            raise self.error("has no ; between centre and half axes", example)
        middle, axes = ([self.measure(part, example) for part in self.three(half, example)] for half in halves)
        unit = _last_stated_unit([*middle, *axes])
        x, y, z = (self.value(measure, unit, LENGTH, 0.0) for measure in middle)
        a, b, c = (self.value(measure, unit, LENGTH, inf) for measure in axes)
        if min(a, b, c) <= 0:
            raise self.error("has a half axis that is not positive", example)
        if any(at is None and half is not None for (at, _), (half, _) in zip(middle, axes, strict=True)):
            raise self.error("has a half axis without a centre", example)
        return CenterEllipsoid((x, y, z), (a, b, c)), LENGTH, bool(unit)

    def three(self, text: str, example: str) -> Sequence[str]:
        """Split three values at their commas."""
        if len(parts := text.split(",")) != 3:
            raise self.error(f"has {len(parts)} values in place of x, y, z", example)
        return parts

    def ends(self, text: str, example: str = _QUERY_EXAMPLES["range"]) -> tuple[_Measure, _Measure]:
        """Read ``LOW .. HIGH``; a single ``*`` is open at both ends."""
        first, dots, second = text.partition("..")
        low = self.measure(first, example)
        if dots:
            return low, self.measure(second, example)
        if low[0] is not None:
            raise self.error("has one number in place of a range", example)
        return low, low

    def measure(self, text: str, example: str) -> _Measure:
        """Read a number or ``*``, and the text after it as its unit."""
        if (match := _MEASURE.fullmatch(text)) is None:
            raise self.error(f"has {text.strip() or 'nothing'} in place of a number", example)
        number = None if match[1] == "*" else read_number(match[1])
        if number is None and match[1] != "*":
            raise self.error(f"has a number that exceeds double precision, {match[1]}", example)
        return number, match[2]

    def value(self, measure: _Measure, unit: str, dimension: _Dimension, opened: float) -> float:
        """Convert a number to the table's unit."""
        number, own = measure
        if number is None:
            return opened
        own = own or unit
        return number * self.factor(own, dimension) if own else number

    def factor(self, unit: str, dimension: _Dimension) -> float:
        """Compute the factor from a unit to the table's own unit."""
        kind = _DIMENSION_NAMES[dimension]
        own = dimension_unit(self.units, dimension)
        if (read := unit_of_dimension(unit, dimension)) is None:
            raise UsageError(f'"{self.text}": {unit} is not a unit of {kind}{f", such as {own}" if own else ""}')
        coherent = unit_of_dimension(own, dimension) if own else None
        if coherent is None:
            raise UsageError(
                f'"{self.text}" is in {unit}, and the table states no unit of {kind}; '
                f"leave the unit out, or state the table's with --unit {kind}=UNIT"
            )
        return read.over(coherent)

    def ordered(self, low: float, high: float) -> tuple[float, float]:
        """Check that the low end of a range is not above its high end."""
        if low > high:
            raise self.error("has a range with its low end above its high end", _QUERY_EXAMPLES["range"])
        return low, high

    def dimension(self, result: int) -> _Dimension:
        """Look up the dimension of a result."""
        found = quantity_dimension(SAMPLED_RESULTS[result])
        assert found is not None
        return found

    def error(self, fault: str, example: str) -> UsageError:
        """Build the error of a condition, with an example."""
        return UsageError(f'condition "{self.text}" {fault} (for instance "{example}")')


@dataclass(frozen=True, slots=True)
class Probability:
    """Probability that a condition is met."""

    requested: _ProbabilityQuery
    value: float  # NaN if unknown; ``how`` states why
    opposite: float  # 1 − value, with all its digits under the normal approximation
    how: str = _NORMAL_METHOD
    n: int = 0  # samples
    accuracy: float = 0.0  # error of ``opposite``
    basis: str = ""  # of the result: ``predicted`` or ``basic``; empty if no growth is stated

    @property
    def error(self) -> float:
        """Standard error of a share of samples, sqrt(p(1 − p)/n); 0 without samples."""
        return sqrt(self.value * self.opposite / self.n) if self.n else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Export the probability as JSON values."""
        known = isfinite(self.value)
        values = {
            "item": self.requested.name,
            "requested": self.requested.words,
            "probability": self.value if known else None,
            "opposite": self.opposite if known else None,
            "from": self.how,
            **({"basis": self.basis} if self.basis else {}),
        }
        return {**values, "samples": self.n, "standard_error": self.error} if self.n else values


@dataclass(frozen=True, slots=True)
class Interval:
    """Interval that contains a result with probability ``level``; ``how`` states the method."""

    name: str
    value: float
    sigma: float
    low: float
    high: float
    level: float
    how: str = _NORMAL_METHOD

    def to_dict(self) -> dict[str, Any]:
        """Export the interval as JSON values."""
        return {"result": self.name, "level": self.level, "low": self.low, "high": self.high, "from": self.how}


def query_answers_dict(result: Result) -> dict[str, Any]:
    """Export the requested probabilities and intervals as JSON values."""
    answers: dict[str, Any] = {}
    request = result.uncertainty_request
    if request.probability:
        answers["probabilities"] = [one.to_dict() for one in query_probabilities(result, request.probability)]
    if request.intervals:
        found = requested_intervals(result)
        answers["intervals"] = [{"item": name, **one.to_dict()} for name, intervals in found for one in intervals]
    return answers


def requested_intervals(result: Result) -> list[tuple[str, list[Interval]]]:
    """Compute the intervals of the root's results and of each requested item's (docs/formulas.md, section 11)."""
    names = dict.fromkeys([result.bom.ids[result.root_item], *result.uncertainty_request.items])
    levels = [parse_interval_level(text) for text in result.uncertainty_request.intervals]
    return [(name, _result_intervals(result, result.bom.item(name), level)) for level in levels for name in names]


def query_probabilities(result: Result, questions: Sequence[str]) -> list[Probability]:
    """Compute probabilities of conditions: ``SAT: mass <= 850 kg`` (docs/formulas.md, section 11)."""
    return [_query_probability(result, _parse_probability_query(text, result.bom)) for text in questions]


def _query_probability(result: Result, query: _ProbabilityQuery) -> Probability:
    """Compute one probability: from the samples where they were counted, else by the normal approximation."""
    if result.rollup.sigmas is None:
        raise UsageError(
            f'probability of "{query.words}" needs sigmas (sigma columns, and an uncertainty other than none)'
        )
    normal = _normal_variables(result, query.item, query.basis)
    basis = "" if result.predicted is None else query.basis
    for part, values in ((f"{basis} ".lstrip(), normal.mean), ("sigma of ", normal.sigma)):
        for k in query.region.results:
            if not isfinite(values[k]):
                why = f"{part}{SAMPLED_RESULTS[k]} of {query.name} is unknown"
                return Probability(query, _UNKNOWN, _UNKNOWN, why, basis=basis)
    if (watched := _watched_distribution(result, query.item)) is not None:
        known = [_parse_probability_query(text, result.bom) for text in result.uncertainty_request.probability]
        regions = [(one.region, one.basis) for one in known if one.item == query.item]
        if (query.region, query.basis) in regions:
            count, n = watched.event_counts[regions.index((query.region, query.basis))], watched.n
            return Probability(query, count / n, (n - count) / n, _SAMPLE_METHOD, n, basis=basis)
    how, found = _SUM_METHOD, None
    if isinstance(query.region, ResultRange) and query.region.result == 0:
        value = (result.predicted if basis == "predicted" else None) or result.rollup
        here = float(value.bodies.mass[query.item])
        found = result.mass_chance(query.item, query.region.low - here, query.region.high - here)
    if found is None:
        how, found = _NORMAL_METHOD, query.region.chance(normal)
    inside, outside, accuracy = found
    return Probability(query, inside, outside, how, accuracy=accuracy, basis=basis)


def _watched_distribution(result: Result, i: int) -> SampledDistribution | None:
    """Return the sampled distribution of item ``i``; None where it was not watched."""
    sampled = result.rollup.sampled
    return None if sampled is None else next((one for one in sampled.watched if one.item == i), None)


def _item_results(rollup: Any, i: int, prefix: str = "") -> _Floats:
    """Return the results, or with ``sigma_`` their sigmas, of an item ``(13,)``; NaN if unknown."""
    one = single_item_rollup(rollup, i)
    columns = [item_quantity_values(one, prefix + name) for name in SAMPLED_RESULTS]
    return np.array([_UNKNOWN if column is None else column[0] for column in columns])


def _normal_variables(result: Result, i: int, basis: str = "basic") -> NormalResults:
    """Return the results of item ``i`` as normal variables; covariance of the centre: docs/formulas.md, section 11."""
    basic, sigma = _item_results(result.rollup, i), _item_results(result.rollup, i, "sigma_")
    mean = basic
    if result.predicted is not None and basis == "predicted":
        grown, known = result.predicted, result.rollup.coverage.known_mass[i]
        mean = _item_results(grown, i) if grown.coverage.known_mass[i] == known else np.full_like(basic, _UNKNOWN)
    if result.at_means is not None:
        mean = mean + (_item_results(result.at_means, i) - basic)
    center = np.diag(sigma[CENTER_RESULTS] ** 2)
    if (covariances := result.rollup.covariances) is not None and i in covariances.columns:
        with np.errstate(divide="ignore", invalid="ignore"):  # without mass the centre is unknown
            center = covariances.matrix(i)[CENTER_RESULTS, CENTER_RESULTS] / basic[0] ** 2
    return NormalResults(mean, sigma, center)


def parse_interval_level(text: str) -> float:
    """Read the level of an interval: ``95%``, ``95`` or ``0.95``."""
    bare = text.strip()
    number = read_number(bare.removesuffix("%"))
    if number is not None and (bare.endswith("%") or number > 1):
        number /= 100
    if number is None or not 0 < number < 1:
        raise UsageError(f"interval is not a percentage between 0 and 100: {text} (for instance 95%)")
    return number


def _result_intervals(result: Result, i: int, level: float) -> list[Interval]:
    """Return the central interval of every known result of item ``i``."""
    # from the samples' percentiles where the item was watched and a few samples are beyond them, else by the normal
    # approximation
    watched = _watched_distribution(result, i)
    if watched is not None and watched.n * (1 - level) / 2 < _MIN_TAIL_SAMPLES:
        watched = None
    normal = _normal_variables(result, i)
    found: list[Interval] = []
    for k, name in enumerate(SAMPLED_RESULTS):
        value, sigma = float(normal.mean[k]), float(normal.sigma[k])
        low, high, how = *normal_interval(value, sigma, level), _NORMAL_METHOD
        if watched is not None:
            low, high = watched.points(k, (50 * (1 - level), 50 * (1 + level))).tolist()
            how = _SAMPLE_METHOD
        if isfinite(low) and isfinite(high):
            found.append(Interval(name, value, sigma, low, high, level, how))
    return found
