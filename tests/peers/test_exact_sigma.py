"""Method ``covariance`` against exact first-order sigmas of published tables, and massProps where that is exact.

The numbers of ``*_exact_sigma.csv`` were computed outside this project. They are compared as docs/formulas.md states.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from peers_tables import PeerTable, scaled_difference

from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up

EXACT = ["sawe_input", "test_unc_table", "mp_table_small", "mp_table"]
ONE_LEVEL = ["sawe_input", "mp_table_flat"]
TOLERANCE = 1e-12


def read(reference: Path, name: str) -> PeerTable:
    return PeerTable.of_massprops(reference, name)


def rolled(table: PeerTable, method: str = "covariance", moved: float = 0.0) -> Rollup:
    bodies = table.bodies()
    assert bodies.center is not None
    return roll_up(
        RollupInputs.of(table.tree(), replace(bodies, center=bodies.center + moved), table.sigmas()), method=method
    )


def sigmas_of(result: Rollup) -> np.ndarray:
    """Sigmas of mass, centre and tensor ``(n, 10)``."""
    assert result.sigmas is not None
    assert result.sigmas.center is not None
    assert result.sigmas.inertia is not None
    return np.column_stack([result.sigmas.mass, result.sigmas.center, result.sigmas.inertia])


def assert_sigmas(ten: np.ndarray, radii: np.ndarray | None, expected: PeerTable, rows: np.ndarray) -> None:
    """Compare kind by kind."""
    exact = expected.ten("sigma_")[rows]
    for kind in (slice(0, 1), slice(1, 4), slice(4, 10)):
        assert scaled_difference(ten[rows, kind], exact[:, kind]) < TOLERANCE
    assert radii is not None
    assert scaled_difference(radii[rows], expected.radii("sigma_")[rows]) < TOLERANCE


@pytest.mark.parametrize("name", EXACT)
def test_exact_sigmas(reference: Path, name: str) -> None:
    table, expected = read(reference, name), read(reference, f"{name}_exact_sigma")
    assert [row["id"] for row in table.rows] == [row["id"] for row in expected.rows]
    result = rolled(table)
    assert_sigmas(sigmas_of(result), result.sigma_radii, expected, ~table.tree().is_leaf())


def test_nesting_does_not_matter(reference: Path) -> None:
    """The 1267 parts of the deep table as children of one assembly have the root's sigmas of the deep table."""
    flat = read(reference, "mp_table_flat")
    result, expected = rolled(flat), read(reference, "mp_table_exact_sigma")
    assert result.sigma_radii is not None
    root, top = [row["parent"] for row in flat.rows].index(""), np.zeros(1, int)
    assert_sigmas(sigmas_of(result)[[root]], result.sigma_radii[[root]], replace(expected, rows=expected.rows[:1]), top)


def test_ten_million_lengths_away(reference: Path) -> None:
    """The table's coordinates are multiples of 2⁻²⁹, so that the move itself is exact."""
    table = read(reference, "mp_table")
    result = rolled(table, moved=1e7)
    inner = ~table.tree().is_leaf()
    assert_sigmas(sigmas_of(result), result.sigma_radii, read(reference, "mp_table_exact_sigma"), inner)


@pytest.mark.parametrize("name", ONE_LEVEL)
def test_one_level_equals_the_published_formulas(reference: Path, name: str) -> None:
    table = read(reference, name)
    result, published = rolled(table), read(reference, f"{name}_expected")
    assert_sigmas(sigmas_of(result), result.sigma_radii, published, ~table.tree().is_leaf())


def test_toy_by_hand(reference: Path) -> None:
    """SA: mass 2 ± 0.1, centre 0 ± 0.05, wholly correlated. TOP: mass 4, centre 5; the mass that deviates is 4 away."""
    table = read(reference, "toy_pathdep")
    top = [row["id"] for row in table.rows].index("TOP")
    assert sigmas_of(rolled(table))[top, 1] == pytest.approx(0.1 * 4 / 4, rel=1e-15)
    cut_apart = ((2 * 0.05) ** 2 + (0.1 * 5) ** 2) ** 0.5 / 4
    assert sigmas_of(rolled(table, "massprops"))[top, 1] == pytest.approx(cut_apart, rel=1e-15)
    assert cut_apart == pytest.approx(0.12748, abs=5e-6)


def test_how_far_the_published_formulas_are_off(reference: Path) -> None:
    """The figures of docs/internals/drift.md, in percent: the root's range, and that of all assemblies."""
    table = read(reference, "mp_table")
    exact, published = rolled(table), rolled(table, "massprops")
    tree = table.tree()
    inner = ~tree.is_leaf()
    assert exact.sigma_radii is not None
    assert published.sigma_radii is not None
    ten = 100 * (sigmas_of(published)[inner] / sigmas_of(exact)[inner] - 1)
    radii = 100 * (published.sigma_radii[inner] / exact.sigma_radii[inner] - 1)
    assert ten.shape[0] == 498
    assert int(tree.depth().max()) + 1 == 7
    figures = [
        (ten[:, :1], (0, 0), (0, 0)),
        (ten[:, 1:4], (4, 5), (-10, 29)),
        (ten[:, 4:], (6, 8), (-25, 59)),
        (radii, (43, 44), (-13, 89)),
    ]
    for percent, root, everywhere in figures:
        assert (round(percent[0].min()), round(percent[0].max())) == root
        assert (round(percent.min()), round(percent.max())) == everywhere
    parts_only = np.array([tree.is_leaf()[tree.children(i)].all() for i in np.flatnonzero(inner)])
    assert np.abs(ten[parts_only]).max() < 1e-9
    assert round(parts_only.mean(), 1) == 0.7
