"""The roll-up against the R package massProps, row by row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from peers_tables import PeerTable, scaled_difference

from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up

TABLES = ["sawe_input", "test_unc_table", "mp_table_small", "mp_table", "mp_table_flat"]
TOLERANCE = 1e-12


def read(reference: Path, name: str) -> PeerTable:
    return PeerTable.of_massprops(reference, name)


def rolled(table: PeerTable, method: str = "massprops") -> Rollup:
    return roll_up(
        RollupInputs.of(table.tree(), table.bodies(), table.sigmas() if table.has("sigma_mass") else None),
        method=method,
    )


def assert_bodies(result: Rollup, expected: PeerTable, inner: np.ndarray) -> None:
    ten = expected.ten()
    assert result.bodies.center is not None
    assert result.bodies.inertia is not None
    assert scaled_difference(result.bodies.mass[inner, None], ten[inner, :1]) < TOLERANCE
    assert scaled_difference(result.bodies.center[inner], ten[inner, 1:4]) < TOLERANCE
    assert scaled_difference(result.bodies.inertia[inner], ten[inner, 4:]) < TOLERANCE


def assert_sigmas(result: Rollup, expected: PeerTable, inner: np.ndarray) -> None:
    ten = expected.ten("sigma_")
    assert result.sigmas is not None
    assert result.sigmas.center is not None
    assert result.sigmas.inertia is not None
    assert scaled_difference(result.sigmas.mass[inner, None], ten[inner, :1]) < TOLERANCE
    assert scaled_difference(result.sigmas.center[inner], ten[inner, 1:4]) < TOLERANCE
    assert scaled_difference(result.sigmas.inertia[inner], ten[inner, 4:]) < 1e-11


@pytest.mark.parametrize("name", [*TABLES, "test_table"])
def test_mass_properties(reference: Path, name: str) -> None:
    table = read(reference, name)
    result = rolled(table, "none")
    assert result.sigmas is None
    assert_bodies(result, read(reference, f"{name}_expected"), ~table.tree().is_leaf())


@pytest.mark.parametrize("name", TABLES)
def test_uncertainties(reference: Path, name: str) -> None:
    table, expected = read(reference, name), read(reference, f"{name}_expected")
    inner = ~table.tree().is_leaf()
    result = rolled(table)
    assert_bodies(result, expected, inner)
    assert_sigmas(result, expected, inner)


@pytest.mark.parametrize("name", [*TABLES, "test_table"])
def test_radii_of_gyration(reference: Path, name: str) -> None:
    table, expected = read(reference, name), read(reference, f"{name}_expected")
    result = rolled(table)
    assert result.radii is not None
    assert scaled_difference(result.radii, expected.radii()) < TOLERANCE
    if table.has("sigma_mass"):
        assert result.sigma_radii is not None
        assert scaled_difference(result.sigma_radii, expected.radii("sigma_")) < TOLERANCE


@pytest.mark.parametrize(
    ("name", "sign"), [("mp_table_small_expected", "-"), ("mp_table_small_poi_plus_expected", "+")]
)
def test_either_sign_of_products_on_the_way_out(reference: Path, name: str, sign: str) -> None:
    table, expected = read(reference, "mp_table_small"), read(reference, name)
    inner = ~table.tree().is_leaf()
    written = {row["POIconv"] for row, is_inner in zip(expected.rows, inner, strict=True) if is_inner}
    assert written == {sign}
    assert_bodies(rolled(table), expected, inner)
    assert_sigmas(rolled(table), expected, inner)


def test_published_table_against_its_own_inputs(reference: Path) -> None:
    """The row Combined of the published table is 0.2 % off what its two inputs give."""
    table = read(reference, "sawe_table")
    children = [row for row in table.rows if row["parent"]]
    combined = {**dict.fromkeys(children[0], ""), "id": "Combined", "POIconv": "+", "Ipoint": "FALSE"}
    result = rolled(PeerTable([*children, combined]))
    inputs = read(reference, "sawe_input_expected")
    root = inputs.ten()[[row["parent"] == "" for row in inputs.rows]]
    assert result.bodies.inertia is not None
    assert scaled_difference(result.bodies.inertia[-1:], root[:, 4:]) < TOLERANCE
    published = table.ten()[[row["id"] == "Combined" for row in table.rows]]
    assert scaled_difference(root[:, 4:], published[:, 4:]) < 5e-3


def test_uncertainty_depends_on_the_path(reference: Path) -> None:
    """Sigmas that go up level by level lose a correlation: 0.12748, where 0.1 is exact."""
    table = read(reference, "toy_pathdep")
    result = rolled(table)
    top = [row["id"] for row in table.rows].index("TOP")
    assert result.sigmas is not None
    assert result.sigmas.center is not None
    assert result.sigmas.center[top, 0] == pytest.approx(0.12748, abs=5e-6)


def test_one_level_is_exact_to_first_order(reference: Path) -> None:
    table, exact = read(reference, "sawe_input"), read(reference, "sawe_input_exact_sigma")
    assert_sigmas(rolled(table), replace(exact), ~table.tree().is_leaf())
