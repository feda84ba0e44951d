"""One body as a value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas, full_tensors, six_entries
from massprops_cli.bodies.body import Body
from massprops_cli.findings.finding import UsageError

ROD = Body(3.0, np.array([1.0, 2.0, 3.0]), np.diag([0.0, 4.0, 4.0]), name="rod")


def test_about_another_point_by_the_parallel_axis_theorem() -> None:
    """A rod of length 4 along x about its end: m L²/3 = 16."""
    assert ROD.about([-1.0, 2.0, 3.0]) == pytest.approx(np.diag([0.0, 16.0, 16.0]))
    away = ROD.about([0.0, 0.0, 0.0])
    assert away[0, 1] == -3.0 * 1.0 * 2.0
    assert away[0, 0] == 3.0 * (4.0 + 9.0)


def test_rotated_a_quarter_turn() -> None:
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    turned = ROD.rotated(quarter)
    assert turned.center is not None
    assert turned.inertia is not None
    assert turned.center.tolist() == [-2.0, 1.0, 3.0]
    assert np.diag(turned.inertia).tolist() == [4.0, 0.0, 4.0]
    assert turned.sigma_mass is None
    assert turned.name == "rod"


@pytest.mark.parametrize("wrong", [np.diag([1.0, 1.0, -1.0]), 2 * np.eye(3), np.eye(2)])
def test_what_is_not_a_rotation_is_rejected(wrong: np.ndarray) -> None:
    with pytest.raises(UsageError, match="rotation"):
        ROD.rotated(wrong)


def test_principal_moments_and_radii() -> None:
    moments, axes = ROD.principal()
    assert moments.tolist() == [0.0, 4.0, 4.0]
    assert np.abs(axes[0]).tolist() == [1.0, 0.0, 0.0]
    assert ROD.radii == pytest.approx(np.sqrt([0.0, 4 / 3, 4 / 3]))


def test_what_is_not_known_is_none_or_a_wrong_call() -> None:
    bare = Body(1.0, name="lump")
    assert bare.radii is None
    with pytest.raises(UsageError, match="lump"):
        bare.about([0.0, 0.0, 0.0])
    with pytest.raises(UsageError, match="lump"):
        bare.principal()
    point = Body(1.0, np.zeros(3), np.zeros((3, 3)), is_point=True)
    assert point.radii is None
    assert Body(0.0, np.zeros(3), np.eye(3)).radii is None


def arrays() -> tuple[Bodies, Sigmas]:
    mask = np.array([True, False])
    bodies = Bodies(
        np.array([2.0, 0.0]),
        np.array([[1.0, 2, 3], [0, 0, 0]]),
        np.arange(12.0).reshape(2, 6),
        np.array([False, True]),
        has_mass=mask,
        has_center=mask,
        has_inertia=mask,
    )
    return bodies, Sigmas(np.array([0.1, 0.2]), np.full((2, 3), 0.3), np.full((2, 6), 0.4), mask)


def test_taken_out_of_arrays() -> None:
    bodies, sigmas = arrays()
    body = Body.of(bodies, 0, sigmas, name="a", units=("kg", "mm", "kg·mm²"))
    assert body.mass == 2.0
    assert body.center is not None
    assert body.inertia is not None
    assert body.sigma_inertia is not None
    assert body.center.tolist() == [1.0, 2.0, 3.0]
    assert (body.inertia == full_tensors(np.arange(6.0))).all()
    assert (body.sigma_mass, body.sigma_inertia[1, 2]) == (0.1, 0.4)
    body.center[0] = 9.0
    assert bodies.center is not None
    assert bodies.center[0, 0] == 1.0


def test_unknown_values_come_out_unknown() -> None:
    bodies, sigmas = arrays()
    body = Body.of(bodies, 1, sigmas)
    assert np.isnan(body.mass)
    assert body.center is None
    assert body.inertia is None
    assert body.sigma_mass is None
    assert body.is_point


def test_printed_for_the_eye() -> None:
    bodies, sigmas = arrays()
    text = repr(Body.of(bodies, 0, sigmas, name="Wing", units=("kg", "mm", "kg·mm²")))
    assert text.splitlines()[0] == "Wing: rigid body"
    assert "mass     2.00 ± 0.10 kg" in text
    assert "centre   1.00 ± 0.30  2.00 ± 0.30  3.00 ± 0.30 mm" in text
    assert "Ixx 0.00 ± 0.40  Iyy 1.00 ± 0.40  Izz 2.00 ± 0.40 kg·mm²" in text
    assert "Ixy 3.00 ± 0.40" in text
    assert "Ixy = −∫xy dm" in text
    plain = repr(Body(1.5, np.zeros(3), np.zeros((3, 3)), is_point=True))
    assert plain.splitlines() == ["body: point mass", "  mass     1.5", "  centre   0  0  0"]


def test_sigmas_about_a_point_are_the_derivatives_by_all_ten_numbers():
    rng = np.random.default_rng(5)
    center, point = rng.normal(size=3), rng.normal(size=3)
    own, sigma_own = rng.uniform(1, 2, (3, 3)), rng.uniform(0.1, 0.2, (3, 3))
    own, sigma_own = own + own.T, sigma_own + sigma_own.T
    sigma_center = rng.uniform(0.1, 0.2, 3)
    body = Body(2.5, center, own, 0.3, sigma_center, sigma_own)

    def tensor(mass, c):
        x = c - point
        return own + mass * (x @ x * np.eye(3) - np.outer(x, x))

    h = 1e-5
    variance = sigma_own**2 + (0.3 * (tensor(2.5 + h, center) - tensor(2.5 - h, center)) / (2 * h)) ** 2
    for k in range(3):
        step = h * np.eye(3)[k]
        variance += (sigma_center[k] * (tensor(2.5, center + step) - tensor(2.5, center - step)) / (2 * h)) ** 2
    assert np.allclose(body.sigma_about(point), np.sqrt(variance), rtol=1e-8, atol=0)
    assert Body(2.5, center, own).sigma_about(point) is None


def test_two_bodies_are_one_by_the_parallel_axis_theorem() -> None:
    """A cuboid cut in two is the cuboid: m (b² + c²) / 12, closed form."""

    def cuboid(mass: float, sides: tuple[float, float, float], center: list[float]) -> Body:
        a, b, c = sides
        moments = [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12]
        return Body(mass, np.array(center), np.diag(moments), units=("kg", "m", "kg*m^2"))

    whole = cuboid(6.0, (3.0, 1.0, 2.0), [1.5, 7.0, -2.0])
    joined = cuboid(2.0, (1.0, 1.0, 2.0), [0.5, 7.0, -2.0]) + cuboid(4.0, (2.0, 1.0, 2.0), [2.0, 7.0, -2.0])
    assert joined.mass == whole.mass
    assert joined.center is not None
    assert joined.inertia is not None
    np.testing.assert_allclose(joined.center, whole.center, rtol=1e-14)
    np.testing.assert_allclose(joined.inertia, whole.inertia, rtol=1e-13, atol=1e-13)
    with pytest.raises(UsageError, match="lb"):
        _ = whole + Body(1.0, np.zeros(3), np.zeros((3, 3)), units=("lb", "m", "lb*m^2"))


def assembly_with_covariance(rng) -> tuple[Body, list[Body]]:
    """Join two bodies; the covariance of their ten numbers comes from central differences of all twenty inputs."""

    def spread(k: int) -> Body:
        own = rng.uniform(0, 0.3, (3, 3))
        own += own.T + np.diag([5.0, 6.0, 7.0 + k])
        sigma = rng.uniform(0.01, 0.02, (3, 3))
        return Body(2.0 + k, rng.normal(size=3), own, 0.03, rng.uniform(0.01, 0.02, 3), sigma + sigma.T)

    def ten(body: Body) -> np.ndarray:
        return np.concatenate([[body.mass], body.center, six_entries(body.inertia)])

    def joined(inputs: np.ndarray) -> np.ndarray:
        one, two = (Body(x[0], x[1:4], full_tensors(x[4:])) for x in (inputs[:10], inputs[10:]))
        return ten(one + two)

    parts = [spread(0), spread(1)]
    at = np.concatenate([ten(part) for part in parts])
    step = 1e-5 * np.eye(20)
    slopes = np.array([(joined(at + h) - joined(at - h)) / 2e-5 for h in step]).T
    sigmas = [np.concatenate([[p.sigma_mass], p.sigma_center, six_entries(p.sigma_inertia)]) for p in parts]
    covariance = (slopes * np.concatenate(sigmas) ** 2) @ slopes.T
    whole, sigma = joined(at), np.sqrt(np.diag(covariance))
    body = Body(
        whole[0],
        whole[1:4],
        full_tensors(whole[4:]),
        sigma[0],
        sigma[1:4],
        full_tensors(sigma[4:]),
        covariance=covariance,
    )
    return body, parts


def test_sigmas_about_a_fixed_point_are_those_of_the_parts_about_it() -> None:
    """About one fixed point tensors just add, so the variances of independent parts do."""
    whole, parts = assembly_with_covariance(np.random.default_rng(3))
    point = [0.5, -2.0, 1.0]
    square = sum(part.sigma_about(point) ** 2 for part in parts)
    np.testing.assert_allclose(whole.sigma_about(point), np.sqrt(square), rtol=1e-8)
    alone = replace(whole, covariance=None).sigma_about(point)
    assert not np.allclose(alone, np.sqrt(square), rtol=1e-3)


def test_sigmas_about_the_own_centre_count_that_it_moves() -> None:
    whole, _ = assembly_with_covariance(np.random.default_rng(3))
    np.testing.assert_allclose(whole.sigma_about(whole.center), whole.sigma_inertia, rtol=1e-12)
    correlation = whole.correlation
    assert correlation is not None
    np.testing.assert_allclose(np.diag(correlation), 1.0)
    expected = whole.covariance[0, 1] / (whole.sigma_mass * whole.sigma_center[0])
    assert correlation[0, 1] == pytest.approx(expected, rel=1e-14)


def test_sigmas_of_principal_moments_are_the_slopes_of_the_eigenvalues() -> None:
    whole, _ = assembly_with_covariance(np.random.default_rng(4))
    block = whole.covariance[4:, 4:]
    slopes = np.empty((3, 6))
    for k, h in enumerate(1e-5 * np.eye(6)):
        up, down = (np.linalg.eigvalsh(whole.inertia + sign * full_tensors(h)) for sign in (1, -1))
        slopes[:, k] = (up - down) / 2e-5
    expected = slopes @ block @ slopes.T
    sigmas, gaps = whole.principal_sigmas()
    np.testing.assert_allclose(sigmas, np.sqrt(np.diag(expected)), rtol=1e-7)
    apart = [expected[k, k] + expected[k + 1, k + 1] - 2 * expected[k, k + 1] for k in (0, 1)]
    np.testing.assert_allclose(gaps, np.sqrt(apart), rtol=1e-6)
    assert Body(1.0).principal_sigmas() is None
