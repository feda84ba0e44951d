"""What must hold of any growth and any budget."""

from __future__ import annotations

from contextlib import suppress
from math import pi
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from massprops_cli.bom.read import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.check import check
from massprops_cli.budgets.file import ENTRY_KEYS, WAIVER_KEYS, budget_of
from massprops_cli.findings import ConfigError
from massprops_cli.rollups.regions import abscissas_at, is_inside

MASSES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=12)
SHARES = st.floats(0, 200)


def bom_of(masses: list[float], growth: list[float], depth: int = 1) -> Bom:
    rows: list[dict[str, Any]] = [{"id": "SAT", "parent": ""}]
    rows += [{"id": f"G{k}", "parent": f"G{k - 1}" if k else "SAT"} for k in range(depth)]
    rows += [
        {"id": f"P{k}", "parent": f"G{k % depth}", "mass [kg]": mass, "mga [%]": percent}
        for k, (mass, percent) in enumerate(zip(masses, growth, strict=True))
    ]
    rows[1:1] = [{"id": f"F{k}", "parent": f"G{k}", "mass [kg]": 1.0, "mga [%]": 0} for k in range(depth)]
    return Bom.from_records(rows)


@settings(max_examples=40, deadline=None)
@given(MASSES, SHARES, st.integers(1, 4))
def test_one_growth_for_all_is_that_growth_of_the_total(masses: list[float], percent: float, depth: int) -> None:
    result = rollup(bom_of(masses, [percent] * len(masses), depth))
    assert result.predicted is not None
    light = depth  # the fixed parts of one kilogram, which do not grow
    expected = light + (result.rollup.bodies.mass[0] - light) * (1 + percent / 100)
    assert result.predicted.bodies.mass[0] == pytest.approx(expected, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(MASSES, st.data())
def test_what_is_predicted_lies_between_the_least_and_the_greatest_growth(masses: list[float], data: Any) -> None:
    growth = data.draw(st.lists(SHARES, min_size=len(masses), max_size=len(masses)))
    result = rollup(bom_of(masses, growth))
    assert result.predicted is not None
    ratio = result.predicted.bodies.mass[0] / result.rollup.bodies.mass[0]
    assert 1 - 1e-12 <= ratio <= 1 + max(growth) / 100 + 1e-12


@settings(max_examples=40, deadline=None)
@given(MASSES, st.floats(0.1, 2), st.sampled_from(["kg", "g", "lb", "t"]))
def test_least_and_greatest_mass_part_all_masses_between_them(masses: list[float], times: float, unit: str) -> None:
    """A mass keeps at least one of two limits at one place, and both only where it stands there."""
    bom = Bom.from_records(
        [{"id": "SAT", "parent": ""}, *({"id": f"P{k}", "parent": "SAT", "mass [kg]": m} for k, m in enumerate(masses))]
    )
    per_kg = {"kg": 1.0, "g": 1000.0, "lb": 1 / 0.45359237, "t": 0.001}[unit]
    limit = f"{sum(masses) * times * per_kg:.6e} {unit}"
    asked = {"item": "SAT", "mass-max": limit, "mass-min": limit}
    upper, lower = check(bom, budget_of("b", "", {"budget": [asked]})).verdicts
    assert upper.kept or lower.kept
    assert upper.margin == pytest.approx(-lower.margin, abs=0)
    assert upper.kept is (upper.margin >= -1e-12 * upper.limit)


@settings(max_examples=100, deadline=None)
@given(st.integers(3, 12), st.floats(-2, 2), st.floats(-2, 2), st.floats(0, 1))
def test_point_in_a_regular_polygon(n: int, x: float, m: float, turn: float) -> None:
    """A convex polygon is the meeting of the half planes of its edges."""
    angles = 2 * pi * (np.arange(n) + turn) / n
    corners = list(zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True))
    normals = np.column_stack([np.cos(angles + pi / n), np.sin(angles + pi / n)])
    reach = normals @ [x, m] - np.cos(pi / n)
    if np.abs(reach).min() > 1e-9:
        assert is_inside(corners, x, m) is bool((reach < 0).all())
        edges = abscissas_at(corners, m)
        if is_inside(corners, x, m):
            assert edges[0] < x < edges[-1]


VALUES = st.recursive(
    st.one_of(
        st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), st.datetimes(),
        st.sampled_from(["1 kg", "-5 mm", "*", "5 %", "predicted", "MP601", "x", "mass", "calculated", "SAT"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["level", "column", "value", "x"]), inner, max_size=3),
    ),
    max_leaves=8,
)  # fmt: skip
ENTRIES = st.dictionaries(st.sampled_from(ENTRY_KEYS), VALUES, max_size=4)
WAIVERS = st.dictionaries(st.sampled_from(WAIVER_KEYS), VALUES, max_size=4)


@settings(max_examples=300, deadline=None)
@given(st.one_of(VALUES, st.lists(ENTRIES, max_size=2)), st.one_of(VALUES, st.lists(WAIVERS, max_size=2)))
def test_any_file_is_understood_or_refused(budget: Any, waive: Any) -> None:
    bom = bom_of([1.0, 2.0], [10.0, 20.0])
    with suppress(ConfigError):
        outcome = check(bom, budget_of("budget.toml", "", {"budget": budget, "waive": waive}))
        assert all(verdict.margin is not None for verdict in outcome.verdicts if verdict.kept)
