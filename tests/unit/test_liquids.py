"""Liquids at rest against strips in 50 digits, dense quadrature, cut hulls and closed forms written here."""

from __future__ import annotations

from collections.abc import Callable

import manifold3d
import mpmath as mp
import numpy as np
import pytest

from massprops_cli.bodies.liquids import MeshContainer, liquid_region, shape_container
from massprops_cli.bodies.meshes.mesh import Mesh, mesh_moments
from massprops_cli.bodies.meshes.mesh_shells import convex_hull
from massprops_cli.bodies.solids import solids
from massprops_cli.findings.finding import UsageError
from massprops_cli.tanks.tank import Tank
from tests.examples import first

Array = np.ndarray
FEW_OR_ALL = pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.slow)])

DIMS = {
    "box": {"a": 1.0, "b": 2.0, "c": 0.7},
    "wedge": {"a": 1.0, "b": 2.0, "c": 0.7},
    "prism": {"n": 5.0, "r": 1.0, "L": 2.0},
    "cylinder": {"r": 0.6, "L": 1.7},
    "elliptic cylinder": {"a": 0.6, "b": 0.9, "L": 1.2},
    "sphere": {"r": 0.8},
    "ellipsoid": {"a": 0.5, "b": 0.8, "c": 1.1},
    "capsule": {"r": 0.5, "L": 0.8},
    "domed cylinder": {"r": 0.5, "L": 0.8, "e": 0.2},
    "cone": {"r": 0.5, "L": 0.8},
    "frustum": {"r1": 0.5, "r2": 0.9, "L": 0.8},
    "paraboloid": {"r": 0.5, "L": 0.8},
    "hemisphere": {"r": 0.7},
    "half ellipsoid": {"a": 0.5, "b": 0.8, "c": 1.1},
    "spherical cap": {"r": 0.7, "h": 0.3},
}
RADIUS: dict[str, tuple[Callable[..., Array], Callable[..., list[float]], tuple[float, float]]] = {
    "cylinder": (lambda z: 0.6 + 0 * z, lambda: [-0.85, 0.85], (1, 1)),
    "elliptic cylinder": (lambda z: 1 + 0 * z, lambda: [-0.6, 0.6], (0.6, 0.9)),
    "sphere": (lambda z: np.sqrt(np.maximum(0.64 - z * z, 0)), lambda: [-0.8, 0.8], (1, 1)),
    "ellipsoid": (lambda z: np.sqrt(np.maximum(1 - (z / 1.1) ** 2, 0)), lambda: [-1.1, 1.1], (0.5, 0.8)),
    "capsule": (
        lambda z: np.sqrt(np.maximum(0.25 - np.maximum(np.abs(z) - 0.4, 0) ** 2, 0)),
        lambda: [-0.9, -0.4, 0.4, 0.9],
        (1, 1),
    ),
    "domed cylinder": (
        lambda z: 0.5 * np.sqrt(np.maximum(1 - (np.maximum(np.abs(z) - 0.4, 0) / 0.2) ** 2, 0)),
        lambda: [-0.6, -0.4, 0.4, 0.6],
        (1, 1),
    ),
    "cone": (lambda z: 0.5 * (0.5 - z / 0.8), lambda: [-0.4, 0.4], (1, 1)),
    "frustum": (lambda z: 0.5 + 0.4 * (0.5 + z / 0.8), lambda: [-0.4, 0.4], (1, 1)),
    "paraboloid": (lambda z: 0.5 * np.sqrt(np.maximum(0.5 - z / 0.8, 0)), lambda: [-0.4, 0.4], (1, 1)),
    "hemisphere": (lambda z: np.sqrt(np.maximum(0.49 - z * z, 0)), lambda: [0, 0.7], (1, 1)),
    "half ellipsoid": (lambda z: np.sqrt(np.maximum(1 - (z / 1.1) ** 2, 0)), lambda: [0, 1.1], (0.5, 0.8)),
    "spherical cap": (lambda z: np.sqrt(np.maximum(0.49 - (z + 0.4) ** 2, 0)), lambda: [0, 0.3], (1, 1)),
}
"""Radius by z, ends of the pieces, and stretches along x and y, from the meaning of the dimensions."""


def attitudes(count: int, seed: int = 5) -> list[tuple[Array, float]]:
    """Draw upward directions, some nearly along and nearly across the axis, and fills, some nearly empty or full."""
    rng = np.random.default_rng(seed)
    drawn = []
    for k in range(count):
        up = rng.normal(size=3)
        up[2] *= 10.0 ** rng.uniform(-6, 0) if k % 4 == 1 else 1.0
        up[:2] *= 10.0 ** rng.uniform(-6, 0) if k % 4 == 2 else 1.0
        fill = rng.random() if k % 3 else rng.choice([1e-4, 1 - 1e-4]) * rng.uniform(0.5, 1)
        drawn.append((up / np.linalg.norm(up), float(fill)))
    return drawn


def tanh_sinh(low: float, high: float) -> tuple[Array, Array]:
    """Nodes and weights that pass over singular ends, as shares of the interval next to each end."""
    t = np.linspace(-3.4, 3.4, 161)
    g = np.pi / 2 * np.sinh(t)
    near = 1 / (1 + np.exp(2 * np.abs(g)))  # distance from the nearer end
    x = np.where(g < 0, low + (high - low) * near, high - (high - low) * near)
    weight = (high - low) * np.pi / 4 * np.cosh(t) / np.cosh(g) ** 2 * (t[1] - t[0])
    return x, weight


def dense_moments(name: str, up: Array, height: float) -> tuple[Array, Array]:
    """Moments (4, 4) of the part below and of its surface, by discs of points (ψ, y) and double exponential rules."""
    radius, ends, (a, b) = RADIUS[name]
    n = np.array([a, b, 1.0]) * up  # heights in the unstretched body
    s, c, azimuth = np.hypot(n[0], n[1]), n[2], np.arctan2(n[1], n[0])

    def difference(z: Array, side: int) -> Array:
        return height - c * z - side * s * radius(z)

    cuts = list(ends())
    for low, high in zip(ends(), ends()[1:], strict=False):
        grid = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, 4001))) / 2
        for side in (-1, 1):
            value = difference(grid, side)
            for k in np.flatnonzero(value[:-1] * value[1:] < 0):
                one, other = grid[k], grid[k + 1]
                for _ in range(200):
                    middle = (one + other) / 2
                    is_before = difference(middle, side) * difference(one, side) > 0
                    one, other = (middle, other) if is_before else (one, middle)
                cuts.append(one)
    nodes, weights = np.polynomial.legendre.leggauss(80)
    below, surface = np.zeros((4, 4)), np.zeros((4, 4))
    for low, high in zip(sorted(cuts), sorted(cuts)[1:], strict=False):
        z, w = tanh_sinh(low, high)
        R = radius(z)
        x_most = np.clip((height - c * z) / s, -R, R)
        end = np.arcsin(np.clip(x_most / np.maximum(R, 1e-300), -1, 1))
        psi = (end[:, None] - np.pi / 2) / 2 + (end[:, None] + np.pi / 2) / 2 * nodes
        x, y = R[:, None] * np.sin(psi), R[:, None] * np.cos(psi)
        each = w[:, None] * (end[:, None] + np.pi / 2) / 2 * weights * y  # dx = y dψ
        points = np.stack([np.ones_like(x), x, 0 * x, np.broadcast_to(z[:, None], x.shape)])
        below += np.einsum("iab,jab,ab->ij", points, points, 2 * y * each)
        below[2, 2] += (2 / 3 * y**3 * each).sum()
        on = np.abs(height - c * z) < s * R
        half = np.sqrt(np.maximum(R**2 - x_most**2, 0)) * on
        points = np.stack([np.ones_like(z), x_most, 0 * z, z])
        surface += np.einsum("ia,ja,a->ij", points, points, 2 * half * w / s)
        surface[2, 2] += (2 / 3 * half**3 * w / s).sum()
    T = np.eye(4)
    T[1:3, 1:3] = [[np.cos(azimuth), -np.sin(azimuth)], [np.sin(azimuth), np.cos(azimuth)]]
    T = np.diag([1, a, b, 1]) @ T
    return a * b * T @ below @ T.T, a * b * T @ surface @ T.T


@pytest.mark.spread(2)
@FEW_OR_ALL
@pytest.mark.parametrize("name", RADIUS)
def test_bodies_of_revolution_against_dense_quadrature(name: str, count: int) -> None:
    container = shape_container(name, DIMS[name])
    whole = container.whole()
    for up, fill in attitudes(count):
        region = liquid_region(container, fill, up)
        below, surface = container.cut(up, region.height)
        assert below[0, 0] == pytest.approx(fill * whole[0, 0], rel=0, abs=1e-14 * whole[0, 0])
        expected, expected_surface = dense_moments(name, up, region.height)
        scale = np.abs(whole).max()
        np.testing.assert_allclose(below, expected, rtol=0, atol=1e-9 * scale)
        if np.hypot(*up[:2]) > 1e-4 and 1e-3 < fill < 1 - 1e-3:  # a chord by z has no digits where z hardly changes
            np.testing.assert_allclose(surface, expected_surface, rtol=0, atol=1e-9 * scale)


@FEW_OR_ALL
@pytest.mark.parametrize("name", ["box", "wedge", "prism"])
def test_polyhedra_against_meshes_of_the_cut_shape(name: str, count: int) -> None:
    """Cut by manifold3d; its hulls of almost coplanar points are not exact."""
    container = shape_container(name, DIMS[name])
    corners, faces = container.mesh.vertices, container.mesh.faces
    solid = manifold3d.Manifold(
        manifold3d.Mesh64(np.ascontiguousarray(corners), np.ascontiguousarray(faces, np.uint64))
    )
    for up, fill in attitudes(count):
        region = liquid_region(container, fill, up)
        cut = solid.trim_by_plane((-up).tolist(), -region.height).to_mesh64()
        moments = mesh_moments(Mesh(np.array(cut.vert_properties[:, :3]), np.array(cut.tri_verts, np.int64)))
        expected = moments.about(region.center).values
        assert region.volume == pytest.approx(expected[0], rel=0, abs=1e-9)
        np.testing.assert_allclose(expected[1:4], 0, rtol=0, atol=1e-9)
        np.testing.assert_allclose(region.spread[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], expected[4:], atol=1e-9)


@pytest.mark.parametrize("name", RADIUS)
def test_meshes_of_curved_shapes_approach_them(name: str) -> None:
    """A mesh inscribed in a body of revolution, 16 times finer: the error of the cut mesh falls with its square."""
    radius, ends, (a, b) = RADIUS[name]
    container = shape_container(name, DIMS[name])
    up = np.array([0.48, -0.36, 0.8])
    errors = []
    for n in (16, 64):
        q = (1 - np.cos(np.linspace(0, np.pi, n + 1))) / 2
        z = np.unique(np.concatenate([lo + (hi - lo) * q for lo, hi in zip(ends(), ends()[1:], strict=False)]))
        angle = 2 * np.pi * np.arange(2 * n) / (2 * n)
        rings = [
            np.column_stack([R * a * np.cos(angle), R * b * np.sin(angle), 0 * angle + w])
            for w, R in zip(z, radius(z), strict=True)
        ]
        hull = convex_hull(np.vstack(rings))
        found = liquid_region(MeshContainer(hull), 0.37, up)
        exact = liquid_region(container, 0.37, up)
        errors.append(
            abs(found.height - exact.height)
            + np.linalg.norm(found.center - exact.center)
            + abs(found.area - exact.area)
        )
    assert errors[1] < errors[0] / 10
    assert errors[1] < 3e-3


def strips(r: mp.mpf, L: mp.mpf, s: mp.mpf, c: mp.mpf, h: mp.mpf) -> list[mp.mpf]:
    """V, first moments x z, second moments xx yy zz xz of a cylinder below s x + c z = h, by strips of x = r sin ψ."""

    def strip(psi: mp.mpf) -> list[mp.mpf]:
        x, w = r * mp.sin(psi), r * mp.cos(psi)
        top = min(max((h - s * x) / c, -L / 2), L / 2)
        length, first, second = top + L / 2, (top**2 - L**2 / 4) / 2, (top**3 + L**3 / 8) / 3
        area = 2 * w * w  # 2 w dx, dx = w dψ
        return [
            area * one for one in (length, x * length, first, x * x * length, w * w / 3 * length, second, x * first)
        ]

    limits = sorted(mp.asin(min(max((h - sign * c * L / 2) / (s * r), -1), 1)) for sign in (-1, 1))
    places = [-mp.pi / 2, *limits, mp.pi / 2]
    return [mp.quad(lambda psi, k=k: strip(psi)[k], places) for k in range(7)]


@pytest.mark.parametrize(("tilt", "fill"), first([(1.55, 0.9), (0.7, 0.3), (1.2, 0.6), (0.05, 0.5)], 1, several=True))
def test_cylinder_against_strips_and_derivatives_by_differences_of_50_digits(tilt: float, fill: float) -> None:
    r, L, density = 0.6, 1.7, 800.0
    up = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    tank = Tank("T", "T", density, shape_container("cylinder", {"r": r, "L": L}))
    liquid = tank.liquid(100 * fill, -up)
    with mp.workdps(50):
        s, c, step = mp.mpf(up[0]), mp.mpf(up[2]), mp.mpf(10) ** -14
        mine, low, high = (strips(mp.mpf(r), mp.mpf(L), s, c, mp.mpf(liquid.height) + k * step) for k in (0, -1, 1))

        def tensor(of: list[mp.mpf]) -> list[mp.mpf]:
            V, x, z, xx, yy, zz, xz = of
            xx, zz, xz = xx - x * x / V, zz - z * z / V, xz - x * z / V
            return [yy + zz, xx + zz, xx + yy, -xz]

        dV = high[0] - low[0]
        slope = [float((b - a) / dV) for a, b in zip(low, high, strict=True)]
        of_tensor = [float((b - a) / dV) for a, b in zip(tensor(low), tensor(high), strict=True)]
        of_center = [float((high[k] / high[0] - low[k] / low[0]) / dV) for k in (1, 2)]
        volume, center = float(mine[0]), [float(mine[1] / mine[0]), float(mine[2] / mine[0])]
        inertia = [float(one) for one in tensor(mine)]
    assert liquid.volume == pytest.approx(volume, rel=1e-13)
    np.testing.assert_allclose(liquid.center, [center[0], 0, center[1]], rtol=0, atol=1e-13)
    picked = [0, 1, 2, 0], [0, 1, 2, 2]
    np.testing.assert_allclose(liquid.inertia[picked], density * np.array(inertia), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(liquid.added_center, [slope[1], 0, slope[2]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(liquid.d_inertia[picked], of_tensor, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(liquid.d_center * density, [of_center[0], 0, of_center[1]], rtol=1e-11, atol=1e-12)


def test_sphere_against_the_closed_form_of_the_cap() -> None:
    r = 1.3
    for up, fill in attitudes(40):
        region = liquid_region(shape_container("sphere", {"r": r}), fill, up)
        h = region.height + r  # depth
        assert np.pi * h * h * (r - h / 3) == pytest.approx(region.volume, rel=0, abs=1e-13)
        depth = 3 * (2 * r - h) ** 2 / (4 * (3 * r - h))  # of the centroid below the middle
        np.testing.assert_allclose(region.center, -depth * up, atol=1e-11)
        assert region.area == pytest.approx(np.pi * h * (2 * r - h), rel=1e-9)


@pytest.mark.parametrize("name", DIMS)
def test_full_tank_is_the_solid_and_empty_tank_is_nothing(name: str) -> None:
    tank = Tank("T", "T", 7.0, shape_container(name, DIMS[name]))
    solid = solids(name, {key: [value] for key, value in DIMS[name].items()}, density=7.0).body(0)
    full, empty = tank.liquid(100, [1.0, 2.0, -2.0]), tank.liquid(0)
    assert full.mass == pytest.approx(solid.mass, rel=1e-14)
    np.testing.assert_allclose(full.center, solid.center, atol=1e-14)
    np.testing.assert_allclose(full.inertia, solid.inertia, atol=1e-13)
    assert empty.mass == 0
    assert not empty.inertia.any()
    assert full.free_surface_moment([1, 0, 0]) == empty.free_surface_moment([1, 0, 0]) == 0


def test_free_surfaces_by_closed_forms() -> None:
    """A box b l³/12, a lying cylinder: a rectangle as wide as the chord; a standing one: π r⁴/4."""
    box = Tank("T", "T", 2.0, shape_container("box", {"a": 3.0, "b": 5.0, "c": 1.0})).liquid(40)
    assert box.free_surface_moment([1, 0, 0]) == pytest.approx(2 * 3 * 5**3 / 12, rel=1e-14)
    assert box.free_surface_moment([0, 2, 0], 9.81) == pytest.approx(2 * 9.81 * 5 * 3**3 / 12, rel=1e-14)
    assert box.area == pytest.approx(15, rel=1e-14)
    tank = Tank("T", "T", 1.0, shape_container("cylinder", {"r": 0.6, "L": 1.7}))
    for fill in (10, 50, 83):
        lying = tank.liquid(fill, [1.0, 0, 0])
        chord = 2 * np.sqrt(0.36 - lying.height**2)
        assert lying.free_surface_moment([0, 0, 1]) == pytest.approx(1.7 * chord**3 / 12, rel=1e-12)
        assert lying.free_surface_moment([0, 1, 0]) == pytest.approx(chord * 1.7**3 / 12, rel=1e-12)
    assert tank.liquid(30).free_surface_moment([0, 1, 0]) == pytest.approx(np.pi * 0.6**4 / 4, rel=1e-13)


def test_layers_of_empty_and_full_tanks_are_the_lowest_and_the_highest_point() -> None:
    tank = Tank("T", "T", 1.0, shape_container("cylinder", {"r": 0.5, "L": 2.0}))
    up = np.array([0.6, 0.0, 0.8])
    np.testing.assert_allclose(tank.liquid(0, -up).added_center, [-0.5, 0, -1], atol=1e-6)
    np.testing.assert_allclose(tank.liquid(100, -up).added_center, [0.5, 0, 1], atol=1e-6)
    np.testing.assert_allclose(tank.liquid(100).added_center, [0, 0, 1], atol=1e-15)


def test_mesh_far_from_its_origin() -> None:
    mesh = shape_container("prism", DIMS["prism"]).mesh
    far, up = np.array([3e5, -2e5, 1e5]), np.array([0.6, 0.0, 0.8])
    near, moved = (liquid_region(MeshContainer(Mesh(mesh.vertices + at, mesh.faces)), 0.4, up) for at in (0 * far, far))
    np.testing.assert_allclose(moved.center - far, near.center, atol=1e-9)
    np.testing.assert_allclose(moved.spread, near.spread, atol=1e-9)
    np.testing.assert_allclose(moved.surface_spread, near.surface_spread, atol=1e-9)
    assert moved.height - up @ far == pytest.approx(near.height, abs=1e-9)


def test_two_basins_with_a_gap_between_their_heights() -> None:
    """Half of the volume has any height in the gap; more than half is in both."""
    up = np.array([0.0, 0.0, 1.0])
    low, high = (shape_container("box", {"a": 1.0, "b": 1.0, "c": 1.0}).mesh for _ in range(2))
    vertices = np.vstack([low.vertices, high.vertices + 3 * up])
    both = MeshContainer(Mesh(vertices, np.vstack([low.faces, high.faces + len(low.vertices)])))
    assert 0.5 <= liquid_region(both, 0.5, up).height <= 2.5
    region = liquid_region(both, 0.75, up)
    assert region.height == pytest.approx(3, rel=1e-15)
    np.testing.assert_allclose(region.center, [0, 0, 2.75 / 3], atol=1e-15)


def test_shapes_without_an_inside_are_rejected() -> None:
    with pytest.raises(UsageError, match="a torus is not a shape of tanks"):
        shape_container("torus", {"R": 2.0, "r": 1.0})
