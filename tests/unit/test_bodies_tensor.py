"""Tensors as six entries and as matrices, principal axes."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, full_tensors, phi, principal_axes, principal_axes_of_bodies, six_entries


def test_six_entries_and_matrix_are_inverse() -> None:
    values = np.arange(12.0).reshape(2, 6)
    full = full_tensors(values)
    assert full.shape == (2, 3, 3)
    assert (full == np.swapaxes(full, 1, 2)).all()
    assert (full[0, 0, 1], full[0, 0, 2], full[0, 1, 2]) == (3.0, 4.0, 5.0)
    assert (six_entries(full) == values).all()


def test_phi_is_the_tensor_of_a_unit_mass() -> None:
    v = np.random.default_rng(1).normal(size=(20, 3))
    expected = (v**2).sum(axis=1)[:, None, None] * np.eye(3) - np.einsum("ni,nj->nij", v, v)
    assert full_tensors(phi(v)) == pytest.approx(expected, abs=1e-15)


def test_axes_diagonalise_and_are_right_handed() -> None:
    rng = np.random.default_rng(2)
    tensors = rng.normal(size=(50, 6))
    moments, axes = principal_axes(tensors)
    assert (np.diff(moments, axis=1) >= 0).all()
    assert np.linalg.det(axes) == pytest.approx(np.ones(50), abs=1e-12)
    for k in range(3):  # I v = λ v
        left = np.einsum("nij,nj->ni", full_tensors(tensors), axes[:, k])
        assert left == pytest.approx(moments[:, k, None] * axes[:, k], abs=1e-12)
    for k in range(2):
        largest = np.take_along_axis(axes[:, k], np.abs(axes[:, k]).argmax(axis=1)[:, None], axis=1)
        assert (largest > 0).all()


def test_principal_of_known_and_unknown_bodies() -> None:
    inertia = np.array([[3.0, 2, 1, 0, 0, 0], [1.0, 1, 1, 0, 0, 0], [0.0] * 6])
    known = np.array([True, False, True])
    points = np.array([False, False, True])
    found = principal_axes_of_bodies(Bodies(np.ones(3), np.zeros((3, 3)), inertia, points, has_inertia=known))
    assert found.moments[0].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(found.moments[1]).all()
    assert np.isnan(found.axes[1]).all()
    assert found.moments[2].tolist() == [0.0, 0.0, 0.0]
    nothing = principal_axes_of_bodies(Bodies(np.ones(3), None, None, points))
    assert nothing.moments.shape == (3, 3)
    assert np.isnan(nothing.moments).all()
    assert np.isnan(nothing.axes).all()


def test_no_bodies_have_no_axes() -> None:
    moments, axes = principal_axes(np.zeros((0, 6)))
    assert moments.shape == (0, 3)
    assert axes.shape == (0, 3, 3)
