"""Covariances and correlations of mass, centre and tensor, by name and item."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.items.result_columns import CORRELATIONS, COVARIANCES, ItemCovariance, item_quantity_values
from massprops_cli.rollups.covariance import packed_covariances
from massprops_cli.rollups.inputs import SampleOptions
from massprops_cli.rollups.montecarlo.samples import SampledRollup
from tests.unit.bom_tables import bom_of

TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


@pytest.fixture
def result() -> mp.Result:
    """Two masses on a line, at 0 and 10, 1 and 3 heavy: closed forms by hand."""
    rows: list[dict[str, object]] = [{"id": "top", "parent": ""}]
    for name, mass, x, s_mass, s_x in (("a", 1.0, 0.0, 0.1, 0.2), ("b", 3.0, 10.0, 0.3, 0.0)):
        row: dict[str, object] = {"id": name, "parent": "top", "POIconv": "-", "Ipoint": "false"}
        row |= dict(zip(TEN, (mass, x, 0, 0, 1, 1, 1, 0, 0, 0), strict=True))
        row |= {f"sigma_{n}": 0.0 for n in TEN} | {"sigma_mass": s_mass, "sigma_Cx": s_x}
        rows.append(row)
    return mp.rollup(mp.Bom.from_records(rows))


def test_mass_and_centre_of_two_masses_err_together(result: mp.Result) -> None:
    """c = 10 m2 / (m1 + m2) + m1 x1 / m: ∂c/∂m1 = −7.5/4, ∂c/∂m2 = 2.5/4, ∂c/∂x1 = 1/4."""
    spread = ItemCovariance(result.rollup)
    by = np.array([[1.0, 1.0, 0.0], [-7.5 / 4, 2.5 / 4, 0.25]]) * [0.1, 0.3, 0.2]
    expected = by @ by.T
    found = [[spread.covariance(a, b, np.array([0]))[0] for b in (0, 1)] for a in (0, 1)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    rho = item_quantity_values(result.rollup, "rho_mass_Cx")
    assert rho[0] == pytest.approx(expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1]), rel=1e-14)


def test_a_part_has_independent_numbers(result: mp.Result) -> None:
    assert item_quantity_values(result.rollup, "rho_mass_Cx")[1] == 0
    assert np.isnan(item_quantity_values(result.rollup, "rho_mass_Cx")[2])  # its centre has no error
    np.testing.assert_allclose(np.diag(ItemCovariance(result.rollup).matrix(1)), [0.01, 0.04, *[0] * 8], rtol=1e-14)


def test_the_packed_numbers_are_those_of_the_body(result: mp.Result) -> None:
    assert len(COVARIANCES) == 55
    assert len(CORRELATIONS) == 45
    packed = ItemCovariance(result.rollup).packed()
    for i in range(3):
        body = result.body(i)
        np.testing.assert_allclose(packed_covariances(body.covariance), packed[:, i], rtol=1e-14)
        np.testing.assert_allclose(np.sqrt(np.diag(body.covariance))[:4], [body.sigma_mass, *body.sigma_center])


def test_no_method_no_correlations(result: mp.Result) -> None:
    plain = mp.rollup(result.bom, "massprops")
    assert item_quantity_values(plain.rollup, "rho_mass_Cx") is None
    assert plain.root.covariance is None
    assert plain.root.correlation is None


def test_what_was_sampled_represents_assemblies(result: mp.Result) -> None:
    sigma, covariance = np.arange(13.0)[None] + 1, np.diag(np.arange(10.0) + 1) ** 2
    of_root, n = np.zeros((1, 13)), np.ones((1, 13), np.int64)
    sampled = SampledRollup(
        SampleOptions(),
        np.array([0], np.int32),
        of_root,
        sigma,
        packed_covariances(covariance)[None],
        watched=(),
        shift=of_root,
        sigma_error=of_root,
        n=n,
    )
    drawn = replace(result, rollup=replace(result.rollup, method="montecarlo", sampled=sampled))
    assert item_quantity_values(drawn.rollup, "sigma_Cx").tolist() == [2.0, 0.2, 0.0]
    body = drawn.root
    assert (body.sigma_mass, body.sigma_center.tolist(), body.sigma_inertia[0, 1]) == (1.0, [2.0, 3.0, 4.0], 8.0)
    np.testing.assert_array_equal(body.covariance, covariance)
    np.testing.assert_array_equal(drawn["a"].covariance, result["a"].covariance)


def test_what_is_not_known_has_no_covariance() -> None:
    """The sigma of a mass is missing: all that is made of it is not known; what the others state is."""
    header = "id parent mass Cx Cy Cz sigma_mass sigma_Cx sigma_Cy sigma_Cz"
    rows = ("t . . . . . . . . .", "a t 1 0 0 0 0.1 0.1 0.1 0.1", "b t 2 1 0 0 . 0.1 0.1 0.1")
    rolled = mp.rollup(bom_of(header, *rows, allow_missing="sigma")).rollup
    packed = ItemCovariance(rolled).packed()
    assert np.isnan(packed).all(axis=0).tolist() == [True, False, False]
    assert np.isfinite(packed[:, 2]).sum() == 6  # those of the centre
    assert np.isfinite(packed[:, 1]).sum() == 10  # those of mass and centre; there are no tensors
