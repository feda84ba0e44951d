"""Draw ``internals/observation.svg``: singular values of the suspension for the page on singular values.

python docs/make_observation.py
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import massprops_cli as mp
from massprops_cli.findings.finding import TableError
from massprops_cli.reports.mechanisms import singular_value_plot

ROOT = Path(__file__).parent.parent

_CASES = {
    "closure to 1e-16": mp.ObservationSettings(),
    "closure to 1e-6": mp.ObservationSettings(closure=1e-6),
    "half amplitude": mp.ObservationSettings(amplitude=0.5),
    "half amplitude, 40 digits": mp.ObservationSettings(amplitude=0.5, digits=40),
}
"""The three published cases, and the third with enough digits."""


class CaseResult(NamedTuple):
    """What one case gives."""

    observation: mp.Observation
    ratio: float
    """Ratio of values 41 and 42."""
    largest: tuple[int, float]
    """Number of the value with the largest ratio to the next, and the ratio; rounding counts as equal."""
    count: int | None
    """Number of base parameters; None if the rank is rejected."""
    deviation: float | None
    """Largest deviation of a coefficient from the exact one."""


def case_results(*, digits: bool = True) -> dict[str, CaseResult]:
    """Return the results of all cases, or of those in double precision."""
    mechanism = mp.read_mechanism(ROOT / "sample_data" / "suspension.json")
    exact = mp.base_parameters(mechanism).combinations()
    cases = {name: settings for name, settings in _CASES.items() if digits or not settings.digits}
    return {name: _case_result(mechanism, exact, settings) for name, settings in cases.items()}


def _case_result(
    mechanism: mp.Mechanism, exact: dict[str, dict[str, float]], settings: mp.ObservationSettings
) -> CaseResult:
    """Return the result of one case."""
    count = deviation = None
    try:
        found = mp.base_parameters(mechanism, "svd", observation=settings)
    except TableError:
        observation = mp.observation_matrix(mechanism, settings)
    else:
        assert found.observation is not None
        observation, given = found.observation, found.combinations()
        count = len(given)
        pairs = {(head, name) for sums in (given, exact) for head, terms in sums.items() for name in terms}
        deviation = max(
            abs(given[head].get(name, 0.0) - float(exact[head].get(name, 0))) for head, name in sorted(pairs)
        )
    values = [float(one) for one in observation.singular_values]
    floor = values[0] * max(observation.numbers.rounding, 1e-40)
    ratios = [max(a, floor) / max(b, floor) for a, b in pairwise(values)]
    place = max(range(len(ratios)), key=ratios.__getitem__)
    return CaseResult(observation, values[40] / values[41], (place + 1, ratios[place]), count, deviation)


def draw(path: Path, results: dict[str, CaseResult]) -> None:
    """Draw the singular values of all cases."""
    singular_value_plot([(name, one.observation) for name, one in results.items()], str(path))


if __name__ == "__main__":
    results = case_results()
    draw(ROOT / "docs" / "internals" / "observation.svg", results)
    for name, one in results.items():
        print(name, one.observation.residual, one.observation.condition_number, *one[1:])  # noqa: T201 - what the script is for
