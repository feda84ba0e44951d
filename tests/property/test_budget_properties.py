"""What must hold of any growth and any budget."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import pi
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.check import check
from massprops_cli.budgets.file import _ENTRY_KEYS, _WAIVER_KEYS, _budget_from_tables
from massprops_cli.findings.finding import ConfigError
from massprops_cli.rollups.regions import edge_abscissas, is_inside_polygon
from tests.examples import examples

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


@settings(max_examples=examples(40), deadline=None)
@given(MASSES, SHARES, st.integers(1, 4))
def test_one_growth_for_all_is_that_growth_of_the_total(masses: list[float], percent: float, depth: int) -> None:
    result = rollup(bom_of(masses, [percent] * len(masses), depth))
    assert result.predicted is not None
    light = depth  # the fixed parts of one kilogram, which do not grow
    expected = light + (result.rollup.bodies.mass[0] - light) * (1 + percent / 100)
    assert result.predicted.bodies.mass[0] == pytest.approx(expected, rel=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(MASSES, st.data())
def test_what_is_predicted_lies_between_the_least_and_the_greatest_growth(masses: list[float], data: Any) -> None:
    growth = data.draw(st.lists(SHARES, min_size=len(masses), max_size=len(masses)))
    result = rollup(bom_of(masses, growth))
    assert result.predicted is not None
    ratio = result.predicted.bodies.mass[0] / result.rollup.bodies.mass[0]
    assert 1 - 1e-12 <= ratio <= 1 + max(growth) / 100 + 1e-12


@settings(max_examples=examples(40), deadline=None)
@given(MASSES, st.floats(0.1, 2), st.sampled_from(["kg", "g", "lb", "t"]))
def test_least_and_greatest_mass_part_all_masses_between_them(masses: list[float], times: float, unit: str) -> None:
    """A mass keeps at least one of two limits at one place, and both only where it is there."""
    bom = Bom.from_records(
        [{"id": "SAT", "parent": ""}, *({"id": f"P{k}", "parent": "SAT", "mass [kg]": m} for k, m in enumerate(masses))]
    )
    per_kg = {"kg": 1.0, "g": 1000.0, "lb": 1 / 0.45359237, "t": 0.001}[unit]
    limit = f"{sum(masses) * times * per_kg:.6e} {unit}"
    requested = {"item": "SAT", "mass-max": limit, "mass-min": limit}
    upper, lower = check(bom, _budget_from_tables("b", "", {"budget": [requested]})).verdicts
    assert upper.kept or lower.kept
    assert upper.margin == pytest.approx(-lower.margin, abs=0)
    assert upper.kept is (upper.margin >= -1e-12 * upper.limit)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(3, 12), st.floats(-2, 2), st.floats(-2, 2), st.floats(0, 1))
def test_point_in_a_regular_polygon(n: int, x: float, m: float, turn: float) -> None:
    """A convex polygon is the meeting of the half planes of its edges."""
    angles = 2 * pi * (np.arange(n) + turn) / n
    corners = list(zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True))
    normals = np.column_stack([np.cos(angles + pi / n), np.sin(angles + pi / n)])
    reach = normals @ [x, m] - np.cos(pi / n)
    if np.abs(reach).min() > 1e-9:
        assert is_inside_polygon(corners, x, m) is bool((reach < 0).all())
        edges = edge_abscissas(corners, m)
        if is_inside_polygon(corners, x, m):
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
ENTRIES = st.dictionaries(st.sampled_from(_ENTRY_KEYS), VALUES, max_size=4)
WAIVERS = st.dictionaries(st.sampled_from(_WAIVER_KEYS), VALUES, max_size=4)


@settings(max_examples=examples(300), deadline=None)
@given(st.one_of(VALUES, st.lists(ENTRIES, max_size=2)), st.one_of(VALUES, st.lists(WAIVERS, max_size=2)))
def test_any_file_is_understood_or_rejected(budget: Any, waive: Any) -> None:
    bom = bom_of([1.0, 2.0], [10.0, 20.0])
    with suppress(ConfigError):
        outcome = check(bom, _budget_from_tables("budget.toml", "", {"budget": budget, "waive": waive}))
        assert all(verdict.margin is not None for verdict in outcome.verdicts if verdict.kept)


DECIMALS = st.integers(-2000, 2000).map(lambda n: Fraction(n, 100))
WEIGHTS = st.integers(1, 500).map(lambda n: Fraction(n, 10))
ENTRY_AXES = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}


@st.composite
def exact_tables(draw: Any) -> tuple[list[dict[str, Any]], dict[str, Fraction]]:
    """Point masses in assemblies of several pieces, with exact mass, centre and tensor, the last part set so.

    It weighs what makes the total 100, and is where the centre comes to be a number of two decimals.
    """
    parts: list[tuple[str, Fraction, Fraction, list[Fraction]]] = []
    counts = [Fraction(draw(st.integers(1, 3))) for _ in range(2)]
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, 1))
        parts.append((f"G{place}", counts[place], draw(WEIGHTS), [draw(DECIMALS) for _ in range(3)]))
    far = Fraction(draw(st.sampled_from([0, 0, 1000, 123456])))
    parts = [(g, n, m, [x + far for x in c]) for g, n, m, c in parts]
    center = [draw(DECIMALS) * draw(st.sampled_from([0, 1])) + far for _ in range(3)]
    last = Fraction(draw(st.sampled_from([1, 2, 5, 10])))
    placed = [
        ((sum(n * m for _, n, m, _ in parts) + last) * center[a] - sum(n * m * c[a] for _, n, m, c in parts)) / last
        for a in range(3)
    ]
    parts.append(("S", Fraction(1), last, placed))
    mass = sum((n * m for _, n, m, _ in parts), Fraction(0))
    printed = {"mass": mass, **{f"C{axis}": center[k] for k, axis in enumerate("xyz")}}
    for name, (a, b) in ENTRY_AXES.items():
        terms = [(n * m, [c[k] - center[k] for k in range(3)]) for _, n, m, c in parts]
        printed[name] = sum(
            (w * ((sum(x * x for x in d) if a == b else 0) - d[a] * d[b]) for w, d in terms), Fraction(0)
        )
    rows: list[dict[str, Any]] = [{"id": "S", "parent": ""}]
    rows += [{"id": f"G{k}", "parent": "S", "qty": int(count)} for k, count in enumerate(counts)]
    rows += [{"id": f"F{k}", "parent": f"G{k}", "mass [kg]": 1, "qty": 0, **where(center)} for k in range(2)]
    rows += [
        {"id": f"P{k}", "parent": group, "mass [kg]": float(m), **where(c)} for k, (group, _, m, c) in enumerate(parts)
    ]
    return [{**row, "Ipoint": "yes"} for row in rows], printed


def where(center: list[Fraction]) -> dict[str, float]:
    return {f"C{axis} [m]": float(center[k]) for k, axis in enumerate("xyz")} | {
        f"I{entry} [kg m2]": 0.0 for entry in ("xx", "yy", "zz", "xy", "xz", "yz")
    }


UNITS = {"m": "kg", "C": "m", "I": "kg m2"}
SUBJECTS = {"mass": "mass", "Cx": "center-x", "Cy": "center-y", "Cz": "center-z"}


def limits_of(name: str, low: Fraction | None, high: Fraction | None) -> dict[str, Any]:
    """Give a limit of a quantity between two ends; a mass has one of them."""
    ends = ["*" if end is None else f"{float(end)!r} {UNITS[name[0]]}" for end in (low, high)]
    if name == "mass":
        return {"mass-max": ends[1]} if high is not None else {"mass-min": ends[0]}
    return {SUBJECTS.get(name, name): ends}


@settings(max_examples=examples(60), deadline=None)
@given(exact_tables(), st.sampled_from(["mass", "Cx", "Cy", "Cz", *ENTRY_AXES]), st.sampled_from([0, 1, -1]))
def test_limits_that_are_met_exactly_are_kept_and_real_excess_breaks_them(
    table: tuple[list[dict[str, Any]], dict[str, Fraction]], name: str, side: int
) -> None:
    rows, printed = table
    bom = Bom.from_records(rows, poi="-")
    value = printed[name]
    reach = max([Fraction(1), *(abs(Fraction(row[f"C{axis} [m]"])) for row in rows[3:] for axis in "xyz")])
    step = {"m": printed["mass"], "C": reach, "I": printed["mass"] * reach}[name[0]] / 10**9
    for move, kept in ((0, True), (1, True), (-1, False)):
        high = limits_of(name, None, value + move * step)
        low = limits_of(name, value - move * step, None)
        wide = None if name == "mass" else limits_of(name, value - 10**6 - abs(value), value + move * step)
        for limits in (high, low, wide):
            if limits is not None:
                (verdict,) = check(
                    bom, _budget_from_tables("b.toml", "", {"budget": [{"item": "S", **limits}]})
                ).verdicts
                assert verdict.kept is kept, (limits, verdict)
                assert move or verdict.margin == 0


@pytest.mark.parametrize("far", [0.0, 1.1, 1e5 + 0.1])
@pytest.mark.parametrize("sigma", ["0", ""])
def test_a_point_on_the_edge_of_an_envelope_is_inside(far: float, sigma: str) -> None:
    """0.1·7 − 9·1.5 − 8.9·0.56 + 0.1·177.84 is 0, and 0.1 + 9 + 8.9 + 0.1 is 18.1."""
    parts = ((0.1, 7.0), (9.0, -1.5), (8.9, -0.56), (0.1, 177.84))
    rows: list[dict[str, Any]] = [{"id": "R", "parent": ""}]
    for k, (mass, x) in enumerate(parts):
        spread = {"sigma_mass": 0, "sigma_Cx": 0, "sigma_Cy": 0, "sigma_Cz": 0} if sigma else {}
        rows.append({"id": f"P{k}", "parent": "R", "mass [kg]": mass, "Cx [m]": x + far, "Cy [m]": 0, "Cz [m]": 0})
        rows[-1] |= spread
    bom = Bom.from_records(rows)
    # the point is on the left edge and, in the second, on a step at its own mass
    for corners in (
        [(0, 0), (9, 0), (9, 30), (0, 30)],
        [(-9, 0), (0, 0), (0, 30), (-9, 30)],
        [(-9, 0), (9, 0), (9, 18.1), (-9, 18.1)],
        [(-9, 0), (9, 0), (9, 30), (5, 30), (5, 18.1), (-9, 18.1)],
        [(-9, 18.1), (9, 18.1), (9, 30), (-9, 30)],
    ):
        for shift, kept in ((0.0, True), (1e-6, False)):
            moved = [(x + far + shift * (1 if min(c[0] for c in corners) == 0 else -1), m - shift) for x, m in corners]
            if shift and min(m for _, m in corners) == 18.1:
                moved = [(x, m + 2 * shift) for x, m in moved]
            envelope = [[f"{x!r} m", f"{m!r} kg"] for x, m in moved]
            entry = {"item": "R", "center-envelope": envelope, **({"probability-min": 0.5} if sigma else {})}
            for verdict in check(bom, _budget_from_tables("b.toml", "", {"budget": [entry]})).verdicts:
                assert verdict.kept is kept, (corners, shift, verdict)


@pytest.mark.parametrize("name", ["mass-max", "mass-min", "margin-min", "center-x", "Ixx"])
def test_without_sigmas_a_limit_that_is_met_exactly_is_certain(name: str) -> None:
    """Ten times 0.1 kg at y = 0.1 … weigh 1 kg; Cx is 0.1 − 0.3 + 0.2 = 0."""
    rows: list[dict[str, Any]] = [{"id": "R", "parent": ""}]
    for k, x in enumerate([0.1, -0.3, 0.2, *[0.0] * 7]):
        place = {"Cx [m]": x, "Cy [m]": 1, "Cz [m]": 0, **{f"sigma_{q}": 0 for q in ("mass", "Cx", "Cy", "Cz")}}
        tensor = {f"I{e} [kg m2]": 0.1 if e[0] == e[1] else 0 for e in ("xx", "yy", "zz", "xy", "xz", "yz")}
        spread = {f"sigma_I{e}": 0 for e in ("xx", "yy", "zz", "xy", "xz", "yz")}
        rows.append({"id": f"P{k}", "parent": "R", "mass [kg]": 0.1, **place, **tensor, **spread})
    limits = {
        "mass-max": {"mass-max": "1 kg"},
        "mass-min": {"mass-min": "1 kg"},
        "margin-min": {"mass-max": "1.5 kg", "margin-min": "50 %"},
        "center-x": {"center-x": ["*", "0 mm"]},
        "Ixx": {"Ixx": ["*", "1 kg m2"]},
    }[name]
    entry = {"item": "R", **limits, "probability-min": 0.9}
    verdicts = check(Bom.from_records(rows, poi="-"), _budget_from_tables("b.toml", "", {"budget": [entry]})).verdicts
    assert all(verdict.kept for verdict in verdicts), verdicts
    assert [verdict.value for verdict in verdicts if verdict.subject == "probability-min"] == [1.0] * len(limits)
