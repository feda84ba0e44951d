"""What holds for any body."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from massprops_cli.bodies.bodies import _is_valid_tensor, six_entries, tensor_faults
from massprops_cli.bodies.body import Body
from tests.examples import examples

seeds = st.integers(0, 2**32)


def clouds(seed: int, flat: int, scale: float) -> np.ndarray:
    """Tensors of 200 clouds of points: ``flat`` of the three dimensions are squeezed out, in random axes."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 8, 3)) * scale
    points[:, :, 3 - flat :] = 0.0
    points -= points.mean(axis=1, keepdims=True)
    turn, _ = np.linalg.qr(rng.normal(size=(200, 3, 3)))
    points = points @ turn
    second = np.einsum("nka,nkb->nab", points, points)
    return six_entries(np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)


@settings(max_examples=examples(40), deadline=None)
@given(seeds, st.sampled_from([0, 1, 2, 3]), st.sampled_from([1e-60, 1e-9, 1.0, 1e9, 1e100]))
def test_bodies_that_exist_are_never_called_invalid(seed: int, flat: int, scale: float) -> None:
    """Solids, plates, rods and points, whatever their size."""
    tensors = clouds(seed, flat, scale)
    assert list(tensor_faults(tensors, lambda row: np.zeros(6))) == []
    assert _is_valid_tensor(tensors[0])


@settings(max_examples=examples(40), deadline=None)
@given(seeds, st.sampled_from([1, 2]), st.integers(3, 8))
def test_rounded_plates_and_rods_are_at_most_a_note(seed: int, flat: int, digits: int) -> None:
    exact = clouds(seed, flat, 1.0)
    unit = 10.0**-digits
    rounded = np.round(exact / unit) * unit
    rules = {j.rule for j in tensor_faults(rounded, lambda row: np.full(6, unit / 2))}
    assert rules <= {"MP405"}


@settings(max_examples=examples(40), deadline=None)
@given(seeds)
def test_turning_back_and_moving_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    entries = rng.normal(size=(3, 3))
    body = Body(2.0, rng.normal(size=3), entries + entries.T)
    back = body.rotated(q).rotated(q.T)
    assert body.center is not None
    assert back.center is not None
    assert np.allclose(back.center, body.center, atol=1e-13)
    assert np.allclose(back.inertia, body.inertia, atol=1e-13)
    assert np.allclose(body.rotated(q).principal().moments, body.principal().moments, atol=1e-12)
    assert np.allclose(body.about(body.center), body.inertia, atol=1e-13)
