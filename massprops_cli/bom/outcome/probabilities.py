"""How probable it is what was asked of a result, and intervals: by the normal approximation or from samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np

from massprops_cli.bom.items.arrays import of_item, value_of_items
from massprops_cli.bom.outcome.asked import Asked, events_of, read_asked
from massprops_cli.bom.outcome.outcome import Outcome
from massprops_cli.findings import UsageError
from massprops_cli.rollup.montecarlo.request import RESULTS
from massprops_cli.rollup.montecarlo.sampling import Watched
from massprops_cli.rollup.normal.line import interval
from massprops_cli.rollup.normal.regions import CENTER, Normal
from massprops_cli.tables.cells.number_text import read_number

NORMAL, SAMPLES = "normal approximation", "samples"
BEYOND = 5
"""So many samples at least lie beyond an end of an interval that is told from samples."""
UNKNOWN = float("nan")


@dataclass(frozen=True, slots=True)
class Probability:
    """How probable it is that a question is answered by yes.

    ``value`` is NaN where it cannot be told, and ``how`` says why; ``opposite`` is 1 − value, with all its digits under
    the normal approximation but for an error of ``accuracy``. ``n`` samples have a standard ``error``.
    """

    asked: Asked
    value: float
    opposite: float
    how: str = NORMAL
    n: int = 0
    accuracy: float = 0.0

    @property
    def error(self) -> float:
        """Standard error of a share of samples, sqrt(p(1 − p)/n); 0 without samples."""
        return sqrt(self.value * self.opposite / self.n) if self.n else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Give plain JSON values, null where nothing can be told."""
        known = isfinite(self.value)
        values = {
            "item": self.asked.name,
            "asked": self.asked.words,
            "probability": self.value if known else None,
            "opposite": self.opposite if known else None,
            "from": self.how,
        }
        return {**values, "samples": self.n, "standard_error": self.error} if self.n else values


@dataclass(frozen=True, slots=True)
class Interval:
    """From where to where a result lies with probability ``level``; ``how`` says by what."""

    name: str
    value: float
    sigma: float
    low: float
    high: float
    level: float
    how: str = NORMAL

    def to_dict(self) -> dict[str, Any]:
        """Give plain JSON values, in coherent units."""
        return {"result": self.name, "level": self.level, "low": self.low, "high": self.high, "from": self.how}


def dictionary_of_answers(result: Outcome) -> dict[str, Any]:
    """Give the answers to what was asked of a result as plain JSON values; nothing where nothing was."""
    answers: dict[str, Any] = {}
    if result.asked.probability:
        answers["probabilities"] = [one.to_dict() for one in probabilities(result, result.asked.probability)]
    if result.asked.intervals:
        answers["intervals"] = [
            {"item": name, **one.to_dict()} for name, found in intervals_asked_for(result) for one in found
        ]
    return answers


def intervals_asked_for(result: Outcome) -> list[tuple[str, list[Interval]]]:
    """Give the intervals of the root's results and of those of each item asked for: id, intervals of one level."""
    names = dict.fromkeys([result.bom.ids[result.root_item], *result.asked.items])
    levels = [level_of(text) for text in result.asked.intervals]
    return [(name, intervals(result, result.bom.item(name), level)) for level in levels for name in names]


def probabilities(result: Outcome, questions: Sequence[str]) -> list[Probability]:
    """Answer questions such as ``SAT: mass <= 850 kg``; raises UsageError for one that cannot be understood.

    >>> from massprops_cli.bom.bom import Bom
    >>> from massprops_cli.bom.answers.rolling import rollup
    >>> rows = [{"id": "SAT", "parent": "", "mass": 800.0, "sigma_mass": 10.0}]
    >>> options = {"allow_missing": frozenset({"center", "inertia", "sigma"})}
    >>> [one] = probabilities(rollup(Bom.from_records(rows, **options)), ["mass <= 820"])
    >>> round(one.value, 6), one.how
    (0.97725, 'normal approximation')
    """
    return [answer(result, read_asked(text, result.bom)) for text in questions]


def answer(result: Outcome, asked: Asked) -> Probability:
    """Answer one question: from the samples where they were counted, else from the normal approximation."""
    if result.rollup.sigmas is None:
        raise UsageError(
            f'"{asked.words}" has no probability without sigmas; give the sigma columns and an uncertainty'
        )
    normal = normal_of(result, asked.item)
    for part, values in (("", normal.mean), ("sigma of ", normal.sigma)):
        for k in asked.region.results:
            if not isfinite(values[k]):
                return Probability(asked, UNKNOWN, UNKNOWN, f"the {part}{RESULTS[k]} of {asked.name} is not known")
    counted = count_of(result, asked)
    if counted is not None:
        count, n = counted
        return Probability(asked, count / n, (n - count) / n, SAMPLES, n)
    chance = asked.region.chance(normal)
    return Probability(asked, chance.inside, chance.outside, accuracy=chance.accuracy)


def count_of(result: Outcome, asked: Asked) -> tuple[int, int] | None:
    """Give in how many of how many samples a question was answered by yes; None where that was not counted."""
    watched = watched_item(result, asked.item)
    if watched is None:
        return None
    _, events = events_of(result.bom, result.asked.items, result.asked.probability)
    regions = events.get(asked.item, [])
    return (watched.event_counts[regions.index(asked.region)], watched.n) if asked.region in regions else None


def watched_item(result: Outcome, i: int) -> Watched | None:
    """Give the sampled distribution of item ``i``; None where it was not watched."""
    sampled = result.rollup.sampled
    return None if sampled is None else next((one for one in sampled.watched if one.item == i), None)


def normal_of(result: Outcome, i: int) -> Normal:
    """Give the results of item ``i`` as normal variables; the centre's covariance is V[h, h]/m² (FORMULAS 4)."""
    rollup = of_item(result.rollup, i)
    columns = [[value_of_items(rollup, prefix + name) for name in RESULTS] for prefix in ("", "sigma_")]
    mean, sigma = (np.array([UNKNOWN if one is None else one[0] for one in row]) for row in columns)
    center = np.diag(sigma[CENTER] ** 2)
    covariances = result.rollup.covariances
    if covariances is not None and i in covariances.columns:
        with np.errstate(divide="ignore", invalid="ignore"):  # without mass there is no centre either
            center = covariances.matrix(i)[CENTER, CENTER] / mean[0] ** 2
    return Normal(mean, sigma, center)


def level_of(text: str) -> float:
    """Read the level of an interval: ``95%``, ``95`` or ``0.95``. Raises UsageError.

    >>> level_of("95%"), level_of("0.9"), level_of("99.7 %")
    (0.95, 0.9, 0.997)
    """
    bare = text.strip()
    number = read_number(bare.removesuffix("%"))
    if number is not None and (bare.endswith("%") or number > 1):
        number /= 100
    if number is None or not 0 < number < 1:
        raise UsageError(f"--interval is {text}; it takes a percentage between 0 and 100, such as 95%")
    return number


def intervals(result: Outcome, i: int, level: float) -> list[Interval]:
    """Give the interval of every result of item ``i`` that is known, as much below it as above.

    From the samples' percentiles where the item was watched while sampling and a few samples lie beyond them, else from
    the normal approximation. Raises UsageError for a level outside 0 … 1.
    """
    watched = watched_item(result, i)
    if watched is not None and watched.n * (1 - level) / 2 < BEYOND:
        watched = None
    normal = normal_of(result, i)
    found: list[Interval] = []
    for k, name in enumerate(RESULTS):
        value, sigma = float(normal.mean[k]), float(normal.sigma[k])
        low, high, how = *interval(value, sigma, level), NORMAL
        if watched is not None:
            low, high = watched.points(k, (50 * (1 - level), 50 * (1 + level))).tolist()
            how = SAMPLES
        if isfinite(low) and isfinite(high):
            found.append(Interval(name, value, sigma, low, high, level, how))
    return found
