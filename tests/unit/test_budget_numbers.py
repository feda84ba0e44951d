"""What limits are held against, next to plain sums over the leaves: growth, quantities, bases, units, sigmas."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from math import erf, sqrt
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.budgets.check import check
from massprops_cli.budgets.file import _budget_from_tables

LB, INCH = 0.45359237, 0.0254
ENTRIES = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}


@dataclass
class Part:
    """Pieces of one mass, centre, tensor and growth, with sigmas of mass and centre."""

    pieces: int
    mass: float
    center: np.ndarray
    tensor: np.ndarray
    growth: float
    of_mass: float
    of_center: np.ndarray


def drawn(rng: np.random.Generator, pieces: int) -> tuple[Part, dict[str, Any]]:
    """Draw a part, and its row in pounds and inches."""
    mass, center, half = rng.uniform(1, 50), rng.uniform(-5, 5, 3), rng.uniform(1, 2, 3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = turn @ np.diag(mass * (half.sum() - half)) @ turn.T
    growth, weighed = rng.uniform(0, 30), rng.random() < 0.3
    part = Part(pieces, mass, center, tensor, 0.0 if weighed else growth / 100, 0.05 * mass, rng.uniform(0, 0.05, 3))
    sign = rng.choice(["+", "-"])
    row: dict[str, Any] = {"mass [lb]": mass, "sigma_mass [lb]": part.of_mass, "POIconv": sign, "Ipoint": "no"}
    row |= {"mga [%]": growth, "weighed": "yes" if weighed else "no"}
    for k, axis in enumerate("xyz"):
        row |= {f"C{axis} [in]": center[k], f"sigma_C{axis} [in]": part.of_center[k]}
    for name, (i, j) in ENTRIES.items():
        # under + a cell is the integral, of which the tensor's entry is the negative
        row |= {f"{name} [lb in2]": tensor[i, j] * (-1 if sign == "+" and i != j else 1), f"sigma_{name} [lb in2]": 0.0}
    return part, row


def project(seed: int) -> tuple[Bom, list[Part]]:
    """Draw three assemblies of three parts, all with quantities."""
    rng = np.random.default_rng(seed)
    parts, rows = [], [{"id": "S", "parent": "", "POIconv": "+"}]
    for a in range(3):
        above = int(rng.integers(1, 4))
        rows.append({"id": f"A{a}", "parent": "S", "qty": above, "POIconv": "-"})
        for p in range(3):
            qty = int(rng.integers(1, 4))
            part, row = drawn(rng, above * qty)
            parts.append(part)
            rows.append({"id": f"A{a}.{p}", "parent": f"A{a}", "qty": qty, **row})
    headers = list(rows[-1])
    table = [{name: str(row.get(name, "")) for name in headers} for row in rows]
    return Bom.from_records(table), parts


def summed(parts: list[Part], share: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Add up mass, centre and tensor about it with so large a share of the growth."""
    masses = np.array([each.pieces * each.mass * (1 + share * each.growth) for each in parts])
    centers = np.array([each.center for each in parts])
    mass, center = masses.sum(), masses @ centers / masses.sum()
    away = centers - center
    own = sum(each.pieces * each.tensor * (1 + share * each.growth) for each in parts)
    return mass, center, own + (masses * (away**2).sum(1)).sum() * np.eye(3) - (masses[:, None] * away).T @ away


def spread(parts: list[Part]) -> tuple[float, float, float]:
    """Give the variances of mass and Cx, and their covariance: every piece deviates separately."""
    mass, center, _ = summed(parts, 0)
    away = [each.center[0] - center[0] for each in parts]
    of_mass = sum(each.pieces * each.of_mass**2 for each in parts)
    pieces = zip(parts, away, strict=True)
    of_x = sum(p.pieces * ((p.of_mass * d) ** 2 + (p.mass * p.of_center[0]) ** 2) for p, d in pieces) / mass**2
    return of_mass, of_x, sum(p.pieces * p.of_mass**2 * d for p, d in zip(parts, away, strict=True)) / mass


def last_value(bom: Bom, *lines: str) -> float:
    """Give what the last limit of an entry about the whole was held against."""
    text = "\n".join(["[[budget]]", 'item = "S"', *lines])
    value = check(bom, _budget_from_tables("budget.toml", text, tomllib.loads(text))).verdicts[-1].value
    assert value is not None
    return value


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("basis", "share"), [("predicted", 1), ("basic", 0)])
def test_masses_centers_and_tensors(seed: int, basis: str, share: float) -> None:
    bom, parts = project(seed)
    mass, center, tensor = summed(parts, share)
    on = f'basis = "{basis}"'
    assert last_value(bom, 'mass-max = "9e9 g"', on) == pytest.approx(mass * LB * 1000, rel=1e-12)
    assert last_value(bom, 'center-y = ["*", "9 ft"]', on) == pytest.approx(center[1] / 12, rel=1e-11)
    for name, (i, j) in ENTRIES.items():
        expected = tensor[i, j] * LB * INCH**2
        assert last_value(bom, f'{name} = ["-9e9 kg m2", "*"]', on, 'products = "-"') == pytest.approx(
            expected, rel=1e-10
        )


@pytest.mark.parametrize("seed", range(4))
def test_margins(seed: int) -> None:
    bom, parts = project(seed)
    predicted, basic = summed(parts, 1)[0], summed(parts, 0)[0]
    top = 1.07 * float(predicted)
    for basis, expected in (
        ("predicted", (top - predicted) / predicted),
        ("basic", (top - basic) / basic),
        ("allocation", (top - predicted) / top),
    ):
        lines = f'mass-max = "{top!r} lb"', 'margin-min = "1 %"', f'margin-basis = "{basis}"'
        assert last_value(bom, *lines) == pytest.approx(100 * expected, rel=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_probabilities(seed: int) -> None:
    bom, parts = project(seed)
    mass, center, _ = summed(parts, 1)
    of_mass, of_x, shared = spread(parts)
    phi = 0.5 * (1 + erf(0.8 / sqrt(2)))
    top = float(mass + 0.8 * sqrt(of_mass))
    assert last_value(bom, f'mass-max = "{top!r} lb"', "probability-min = 0.5") == pytest.approx(phi, rel=1e-11)
    # of an envelope that ends at the line x + k m = end alone, all other edges being far
    k = sqrt(of_x / of_mass)
    end = center[0] + k * mass + 0.8 * sqrt(of_x + 2 * k * shared + k * k * of_mass)
    low, high, left = mass - 2000 * sqrt(of_mass), mass + 2000 * sqrt(of_mass), center[0] - 1e4 * sqrt(of_x)
    corners = [(end - k * low, low), (end - k * high, high), (left, high), (left, low)]
    pairs = ", ".join(f'["{float(x)!r} in", "{float(m)!r} lb"]' for x, m in corners)
    assert last_value(bom, f"center-envelope = [{pairs}]", "probability-min = 0.5") == pytest.approx(phi, rel=1e-9)


@pytest.mark.parametrize("most", [1.2, 1.5, 2.0])
def test_probability_of_a_centre_is_about_the_mean_of_its_bounds(most: float) -> None:
    """Two bodies of 1 kg, at 1 m and in the triangle 0, 1, 5 m: mean (0 + 1 + 5) / 3, variance (25 + 1 − 5) / 18."""
    header = "id parent mass[kg] sigma_mass[kg] Cx[m] Cx_min[m] Cx_likely[m] Cx_max[m] sigma_Cx[m] "
    header += "Cy[m] sigma_Cy[m] Cz[m] sigma_Cz[m]"
    columns = header.split()
    rows = ["S . . . . . . . . . . . .", "A S 1 0 1 0 1 5 . 0 0 0 0", "B S 1 0 1 . . . 0 0 0 0 0"]
    records = [dict(zip(columns, ("" if one == "." else one for one in row.split()), strict=True)) for row in rows]
    center, sigma = (2 + 1) / 2, sqrt(21 / 18) / 2
    expected = 0.5 * (1 + erf((most - center) / sigma / sqrt(2)))
    value = last_value(Bom.from_records(records), f'center-x = ["-9 m", "{most} m"]', "probability-min = 0.001")
    assert value == pytest.approx(expected, rel=1e-9)


def test_html_of_an_undecided_limit_and_a_day_as_text() -> None:
    bom = mp.Bom.from_records(
        [{"id": "S", "parent": ""}, {"id": "A", "parent": "S", "mass [kg]": 10.0}, {"id": "B", "parent": "S"}],
        allow_missing="mass",
    )
    budget = _budget_from_tables("budget.toml", "", {"budget": [{"item": "S", "mass-max": "20 kg"}]})
    page = mp.check(bom, budget, today="2027-12-01")._repr_html_()  # ≥ 10 kg is neither above nor below 20 kg
    assert "<td>undecided</td>" in page
    assert "<td>mass ≤ 20 kg (predicted)</td>" in page
    with pytest.raises(mp.UsageError, match="today is not a date: '2027-13-01'"):
        mp.check(bom, budget, today="2027-13-01")
    with pytest.raises(mp.UsageError, match="today is not a date: 5"):
        mp.check(bom, budget, today=5)
