"""Solids: closed forms against random points in the shape, derivatives against differences, hollow bodies, faults."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import full_tensors
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import axis_rotation
from massprops_cli.bodies.solid_shapes import SHAPES, find_shape
from massprops_cli.bodies.solids import solid_faults, solids
from massprops_cli.findings.finding import UsageError

Array = np.ndarray
N = 100_000
N_INSIDE = 60_000


def prism_inside(d: Mapping[str, float], x: Array, y: Array, z: Array) -> Array:
    """A regular polygon with a corner on x, by its n half planes."""
    inside = np.abs(z) <= d["L"] / 2
    for k in range(int(d["n"])):
        angle = (2 * k + 1) * np.pi / d["n"]
        inside &= x * np.cos(angle) + y * np.sin(angle) <= d["r"] * np.cos(np.pi / d["n"])
    return inside


def round_inside(radius: Callable[[Mapping[str, float], Array], Array]) -> Callable[..., Array]:
    """A shape of revolution of length L."""
    return lambda d, x, y, z: (np.abs(z) <= d["L"] / 2) & (np.hypot(x, y) <= radius(d, z))


def torus_inside(d: Mapping[str, float], x: Array, y: Array, z: Array) -> Array:
    return (np.hypot(x, y) - d["R"]) ** 2 + z**2 <= d["r"] ** 2


def ellipsoid_inside(d: Mapping[str, float], x: Array, y: Array, z: Array) -> Array:
    return (x / d["a"]) ** 2 + (y / d["b"]) ** 2 + (z / d["c"]) ** 2 <= 1


def cap_inside(d: Mapping[str, float], x: Array, y: Array, z: Array) -> Array:
    return (z >= 0) & (x**2 + y**2 + (z - d["h"] + d["r"]) ** 2 <= d["r"] ** 2)


cone_inside = round_inside(lambda d, z: d["r"] * (0.5 - z / d["L"]))
cylinder_inside = round_inside(lambda d, z: d["r"] + 0 * z)

INSIDE: dict[str, tuple[dict[str, float], Callable[..., Array]]] = {
    "box": (
        {"a": 1.0, "b": 2.0, "c": 3.0},
        lambda d, x, y, z: (np.abs(x) <= d["a"] / 2) & (np.abs(y) <= d["b"] / 2) & (np.abs(z) <= d["c"] / 2),
    ),
    "sphere": ({"r": 1.5}, lambda d, x, y, z: x**2 + y**2 + z**2 <= d["r"] ** 2),
    "ellipsoid": ({"a": 1.0, "b": 2.0, "c": 1.5}, ellipsoid_inside),
    "cylinder": ({"r": 1.0, "L": 3.0}, cylinder_inside),
    "elliptic cylinder": (
        {"a": 1.0, "b": 2.0, "L": 3.0},
        lambda d, x, y, z: (np.abs(z) <= d["L"] / 2) & ((x / d["a"]) ** 2 + (y / d["b"]) ** 2 <= 1),
    ),
    "tube": (
        {"r": 1.0, "ri": 0.6, "L": 2.0},
        lambda d, x, y, z: (np.abs(z) <= d["L"] / 2) & (np.hypot(x, y) <= d["r"]) & (np.hypot(x, y) >= d["ri"]),
    ),
    "capsule": (
        {"r": 1.0, "L": 2.0},
        lambda d, x, y, z: x**2 + y**2 + np.maximum(np.abs(z) - d["L"] / 2, 0) ** 2 <= d["r"] ** 2,
    ),
    "domed cylinder": (
        {"r": 1.0, "L": 2.0, "e": 0.6},
        lambda d, x, y, z: np.hypot(x, y) ** 2 + (d["r"] / d["e"] * np.maximum(np.abs(z) - d["L"] / 2, 0)) ** 2 <= 1,
    ),
    "cone": ({"r": 1.0, "L": 2.0}, cone_inside),
    "frustum": (
        {"r1": 1.0, "r2": 0.4, "L": 2.0},
        round_inside(lambda d, z: d["r1"] + (d["r2"] - d["r1"]) * (z / d["L"] + 0.5)),
    ),
    "paraboloid": ({"r": 1.0, "L": 2.0}, round_inside(lambda d, z: d["r"] * np.sqrt(np.maximum(0.5 - z / d["L"], 0)))),
    "pyramid": (
        {"a": 1.0, "b": 2.0, "L": 1.5},
        lambda d, x, y, z: (
            (np.abs(z) <= d["L"] / 2)
            & (np.abs(x) <= d["a"] / 2 * (0.5 - z / d["L"]))
            & (np.abs(y) <= d["b"] / 2 * (0.5 - z / d["L"]))
        ),
    ),
    "wedge": (
        {"a": 1.0, "b": 2.0, "c": 1.5},
        lambda d, x, y, z: (
            (np.abs(x) <= d["a"] / 2)
            & (np.abs(y) <= d["b"] / 2)
            & (np.abs(z) <= d["c"] / 2)
            & (x / d["a"] + z / d["c"] <= 0)
        ),
    ),
    "prism": ({"n": 5.0, "r": 1.0, "L": 2.0}, prism_inside),
    "torus": ({"R": 1.5, "r": 0.5}, torus_inside),
    "spherical cap": ({"r": 1.5, "h": 0.7}, cap_inside),
    "hemisphere": ({"r": 1.5}, lambda d, x, y, z: (z >= 0) & (x**2 + y**2 + z**2 <= d["r"] ** 2)),
    "half ellipsoid": ({"a": 1.0, "b": 2.0, "c": 1.5}, lambda d, x, y, z: (z >= 0) & ellipsoid_inside(d, x, y, z)),
    "half cylinder": ({"r": 1.0, "L": 2.0}, lambda d, x, y, z: (x >= 0) & cylinder_inside(d, x, y, z)),
    "half cone": ({"r": 1.0, "L": 2.0}, lambda d, x, y, z: (x >= 0) & cone_inside(d, x, y, z)),
    "half torus": ({"R": 1.5, "r": 0.5}, lambda d, x, y, z: (x >= 0) & torus_inside(d, x, y, z)),
}
"""Solid shapes with dimensions and whether a point is inside, written from the meaning of the dimensions."""


def unit_circle(rng: np.random.Generator, n: int = N) -> tuple[Array, Array]:
    phi = rng.uniform(0, 2 * np.pi, n)
    return np.cos(phi), np.sin(phi)


def on_sphere(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    v = rng.normal(size=(N, 3))
    return d["r"] * v / np.linalg.norm(v, axis=1)[:, None]


def on_cylinder(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    c, s = unit_circle(rng)
    return np.stack([d["r"] * c, d["r"] * s, rng.uniform(-0.5, 0.5, N) * d["L"]], axis=1)


def on_disc(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    c, s = unit_circle(rng)
    rho = d["r"] * np.sqrt(rng.uniform(size=N))
    return np.stack([rho * c, rho * s, 0 * c], axis=1)


def on_closed_cylinder(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    side, end = on_cylinder(rng, d), on_disc(rng, d)
    end[:, 2] = d["L"] / 2 * rng.choice([-1, 1], N)
    on_end = rng.uniform(size=N) < d["r"] / (d["r"] + d["L"])
    return np.where(on_end[:, None], end, side)


def on_cone(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    points = on_disc(rng, d)
    points[:, 2] = d["L"] / 2 - d["L"] * np.hypot(points[:, 0], points[:, 1]) / d["r"]
    return points


def on_box(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    sides = np.array([d["a"], d["b"], d["c"]])
    points = rng.uniform(-0.5, 0.5, (N, 3)) * sides
    areas = sides.prod() / sides
    axis = rng.choice(3, N, p=areas / areas.sum())
    points[np.arange(N), axis] = sides[axis] / 2 * rng.choice([-1, 1], N)
    return points


def on_torus(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    theta = rng.uniform(0, 2 * np.pi, 2 * N)
    rho = d["R"] + d["r"] * np.cos(theta)
    kept = rng.uniform(0, d["R"] + d["r"], 2 * N) <= rho
    theta, rho = theta[kept], rho[kept]
    c, s = unit_circle(rng, len(rho))
    return np.stack([rho * c, rho * s, d["r"] * np.sin(theta)], axis=1)


def on_hemisphere(rng: np.random.Generator, d: Mapping[str, float]) -> Array:
    points = on_sphere(rng, d)
    points[:, 2] = np.abs(points[:, 2])
    return points


SURFACES: dict[str, tuple[dict[str, float], Callable[..., Array], float]] = {
    "rod": ({"L": 2.0}, lambda rng, d: rng.uniform(-0.5, 0.5, (N, 1)) * [0, 0, d["L"]], 2.0),
    "ring": ({"r": 1.5}, lambda rng, d: on_cylinder(rng, d | {"L": 0.0}), 3 * math.pi),
    "disc": ({"r": 1.5}, on_disc, 2.25 * math.pi),
    "plate": ({"a": 1.0, "b": 2.0}, lambda rng, d: rng.uniform(-0.5, 0.5, (N, 3)) * [d["a"], d["b"], 0], 2.0),
    "sphere shell": ({"r": 1.5}, on_sphere, 9 * math.pi),
    "hemisphere shell": ({"r": 1.5}, on_hemisphere, 4.5 * math.pi),
    "cylinder shell": ({"r": 1.0, "L": 2.0}, on_cylinder, 4 * math.pi),
    "closed cylinder shell": ({"r": 1.0, "L": 2.0}, on_closed_cylinder, 6 * math.pi),
    "cone shell": ({"r": 1.0, "L": 2.0}, on_cone, math.pi * math.sqrt(5)),
    "box shell": ({"a": 1.0, "b": 2.0, "c": 3.0}, on_box, 22.0),
    "torus shell": ({"R": 1.5, "r": 0.5}, on_torus, 3 * math.pi**2),
}
"""Thin shapes with dimensions, points spread evenly over them, and area or length."""


def second_moments(points: Array) -> tuple[Array, Array]:
    """Centre and mean products about it, of evenly spread points."""
    center = points.mean(axis=0)
    d = points - center
    return center, d.T @ d / len(d)


def assert_moments(body: BodyArray, points: Array, errors: float = 6.0, systematic: float = 0.0) -> None:
    """Compare a body of mass 1 with points, within some standard errors of the sample and a share of its size."""
    center, second = second_moments(points)
    tensor = full_tensors(body.inertia[0])
    found = np.trace(tensor) / 2 * np.eye(3) - tensor
    d = points - center
    spread = np.sqrt(np.maximum(np.einsum("ni,nj->ij", d**2, d**2) / len(d) - second**2, 0) / len(d))
    size = np.sqrt(np.trace(second))
    allowed = errors * d.std(axis=0) / np.sqrt(len(d)) + systematic * size
    assert (np.abs(body.center[0] - center) <= allowed + 1e-12).all()
    assert (np.abs(found - second) <= errors * spread + systematic * size**2 + 1e-12).all()


def rng_of(name: str) -> np.random.Generator:
    """Random numbers of a shape, which stay the same when others are added."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def sampled(name: str) -> tuple[Array, float, float]:
    """Random points in a shape, its volume by the share of an enclosing box, and the standard error of that share."""
    d, inside = INSIDE[name]
    lengths = [value for dimension, value in d.items() if dimension != "n"]
    reach = np.array([max(lengths)] * 3) * (1.0 if "R" not in d else 4 / 3)
    reach[2] = max(d.get("L", 0) / 2 + d.get("r", 0), *lengths)
    rng, kept, drawn = rng_of(name), np.empty((0, 3)), 0
    while len(kept) < N_INSIDE:
        points = rng.uniform(-1, 1, (N, 3)) * reach
        kept = np.concatenate([kept, points[inside(d, *points.T)]])
        drawn += N
    share = len(kept) / drawn
    return kept, share * float(8 * reach.prod()), math.sqrt((1 - share) / len(kept))


def test_every_shape_is_tested() -> None:
    assert set(INSIDE) | set(SURFACES) == set(SHAPES)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", INSIDE)
def test_solid_against_random_points(name: str) -> None:
    points, volume, error = sampled(name)
    dims = INSIDE[name][0]
    one = solids(name, dims, mass=1.0)
    assert_moments(one.bodies, points)
    assert one.volume[0] == pytest.approx(volume, rel=6 * error)
    assert solids(name, dims, density=3.0).bodies.mass[0] == pytest.approx(3 * one.volume[0], rel=1e-15)


@pytest.mark.parametrize("name", SURFACES)
def test_thin_shape_against_random_points(name: str) -> None:
    dims, points, area = SURFACES[name]
    assert_moments(solids(name, dims, mass=1.0).bodies, points(rng_of(name), dims))
    thick = solids(name, dims | {SHAPES[name].thickness: 0.01}, density=5.0)
    assert thick.bodies.mass[0] == pytest.approx(5 * 0.01 * area, rel=1e-14)
    assert np.isnan(solids(name, dims, mass=1.0).volume[0])


def directions_around() -> Array:
    """26 directions to the faces, edges and corners of a cube, and a spiral: none is farther than 0.1 rad from one."""
    steps = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) != (0, 0, 0)])
    k = np.arange(700) + 0.5
    z, phi = 1 - k / 350, k * np.pi * (1 + np.sqrt(5))
    spiral = np.stack([np.sqrt(1 - z**2) * np.cos(phi), np.sqrt(1 - z**2) * np.sin(phi), z], axis=1)
    return np.concatenate([steps / np.linalg.norm(steps, axis=1)[:, None], spiral])


def deeper_than(name: str, wall: float, points: Array) -> Array:
    """Whether points of a shape are deeper than the wall: no step of its length in any direction leaves the shape."""
    d, inside = INSIDE[name]
    deep = np.zeros(len(points), bool)
    for start in range(0, len(points), 8192):
        x, y, z = np.ascontiguousarray(points[start : start + 8192].T)
        at = np.arange(start, start + len(x))
        for a, b, c in wall * directions_around():
            kept = inside(d, x + a, y + b, z + c)
            if not kept.all():
                x, y, z, at = x[kept], y[kept], z[kept], at[kept]
        deep[at] = True
    return deep


@pytest.mark.spread(2)
@pytest.mark.parametrize("count", [12_000, pytest.param(N_INSIDE, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", [name for name in INSIDE if SHAPES[name].inner and name not in ("ellipsoid", "elliptic cylinder")]
)
def test_hollow_solid_against_points_near_the_surface(name: str, count: int) -> None:
    """A wall of constant thickness: the points of the solid that are less than the wall from its surface."""
    d, _ = INSIDE[name]
    points = sampled(name)[0][:count]
    wall = 0.12
    shell = points[~deeper_than(name, wall, points)]
    body = solids(name, d, wall=wall, mass=1.0)
    share = len(shell) / count
    # a step of 0.1 rad beside the normal is shorter along it by half a percent, and finds a wall thinner by as much
    thinner = 0.005
    volume = solids(name, d, mass=1.0).volume[0] * share
    assert body.volume[0] == pytest.approx(volume, rel=5 * math.sqrt((1 - share) / len(shell)) + thinner)
    assert_moments(body.bodies, shell, errors=5, systematic=thinner)


def test_hollow_is_outer_minus_inner() -> None:
    outer = solids("box", {"a": 4.0, "b": 5.0, "c": 6.0}, density=2.0).bodies
    inner = solids("box", {"a": 3.0, "b": 4.0, "c": 5.0}, density=2.0).bodies
    hollow = solids("box", {"a": 4.0, "b": 5.0, "c": 6.0}, wall=0.5, density=2.0).bodies
    left = outer - inner
    assert hollow.mass[0] == pytest.approx(2 * (120 - 60), rel=1e-15)
    assert hollow.inertia[0] == pytest.approx(left.inertia[0], rel=1e-14)
    tube = solids("tube", {"r": 2.0, "L": 7.0}, wall=0.5, density=1.0).bodies
    bars = [solids("cylinder", {"r": r, "L": 7.0}, density=1.0).bodies for r in (2.0, 1.5)]
    assert tube.inertia[0] == pytest.approx((bars[0] - bars[1]).inertia[0], rel=1e-14)


def test_thin_walls_become_shells() -> None:
    """The hollow sphere, box and closed cylinder tend to their thin shells as the wall becomes thin."""
    for solid, shell, dims in (
        ("sphere", "sphere shell", {"r": 2.0}),
        ("box", "box shell", {"a": 1.0, "b": 2.0, "c": 3.0}),
        ("cylinder", "closed cylinder shell", {"r": 1.0, "L": 3.0}),
        ("torus", "torus shell", {"R": 3.0, "r": 1.0}),
    ):
        hollow = solids(solid, dims, wall=1e-7, mass=1.0).bodies
        assert hollow.inertia[0] == pytest.approx(solids(shell, dims, mass=1.0).bodies.inertia[0], rel=1e-6)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("amount", ["density", "mass"])
def test_derivatives_against_central_differences(name: str, amount: str) -> None:
    shape = SHAPES[name]
    dims = dict(INSIDE[name][0] if name in INSIDE else SURFACES[name][0])
    dims |= {shape.thickness: 0.01} if shape.thickness else {}
    walls = {"wall": 0.1} if shape.inner is not None else {}

    def ten(values: Mapping[str, float]) -> Array:
        kept = {key: value for key, value in values.items() if key not in ("wall", amount)}
        found = solids(name, kept, wall=values.get("wall"), axis=[1.0, 2.0, 2.0], **{amount: values[amount]})
        b = found.bodies
        return np.concatenate([b.mass, b.center[0], b.inertia[0]])

    values: dict[str, Any] = dims | walls | {amount: 2.5}
    found = solids(name, dims, wall=walls.get("wall"), axis=[1.0, 2.0, 2.0], **{amount: 2.5}).derivatives
    assert set(found) == set(values) - set(shape.counts)
    for key, derivative in found.items():
        step = 1e-6 * values[key]
        slope = (ten(values | {key: values[key] + step}) - ten(values | {key: values[key] - step})) / (2 * step)
        scale = np.abs(derivative).max() + np.abs(ten(values)).max()
        assert derivative[0] == pytest.approx(slope, abs=2e-8 * scale), key


def test_derivatives_against_fifty_digits() -> None:
    """A hollow capsule, by differences with 50 digits of the formulas written out again."""
    import mpmath

    with mpmath.workdps(50):
        r0, L0, w0, rho = (mpmath.mpf(x) for x in ("0.5", "1.5", "0.0625", "7"))

        def part(r: Any, L: Any) -> tuple[Any, Any, Any]:
            middle, ends = mpmath.pi * r**2 * L, 4 * mpmath.pi / 3 * r**3
            zz = middle * L**2 / 12 + ends * (r**2 / 5 + L**2 / 4 + 3 * L * r / 8)
            xx = middle * r**2 / 4 + ends * r**2 / 5
            return middle + ends, xx, zz

        def values(r: Any, L: Any, w: Any) -> Any:
            out, cut = part(r, L), part(r - w, L)
            v, xx, zz = (rho * (a - b) for a, b in zip(out, cut, strict=True))
            return mpmath.matrix([v, xx + zz, 2 * xx])

        h = mpmath.mpf("1e-20")
        slopes = [
            (values(r0 + h, L0, w0) - values(r0 - h, L0, w0)) / (2 * h),
            (values(r0, L0 + h, w0) - values(r0, L0 - h, w0)) / (2 * h),
            (values(r0, L0, w0 + h) - values(r0, L0, w0 - h)) / (2 * h),
        ]
        expected = [[float(x) for x in slope] for slope in slopes]
    found = solids("capsule", {"r": 0.5, "L": 1.5}, wall=0.0625, density=7.0).derivatives
    for name, slope in zip(("r", "L", "wall"), expected, strict=True):
        assert found[name][0, [0, 4, 6]] == pytest.approx(slope, rel=1e-14), name


def test_first_order_against_a_sample() -> None:
    """Tolerances of a hollow cylinder and its density: sigmas within sampling error of 100,000 samples."""
    rng = np.random.default_rng(5)
    sigmas = {"r": 0.002, "L": 0.005, "wall": 0.0005, "density": 20.0}
    nominal = {"r": 0.5, "L": 1.5, "wall": 0.05, "density": 2700.0}
    n = 100_000
    drawn = {key: nominal[key] + sigmas[key] * rng.normal(size=n) for key in nominal}
    sample = solids(
        "cylinder", {"r": drawn["r"], "L": drawn["L"]}, wall=drawn["wall"], density=drawn["density"], axis="x"
    )
    b = sample.bodies
    ten = np.concatenate([b.mass[:, None], b.center, b.inertia], axis=1)
    one = solids("cylinder", {"r": 0.5, "L": 1.5}, wall=0.05, density=2700.0, axis="x")
    V = one.covariances(sigmas)[0]
    moving = np.sqrt(np.diag(V)) > 0
    assert np.sqrt(np.diag(V))[moving] == pytest.approx(ten.std(axis=0)[moving], rel=0.01)
    assert moving.tolist() == [True, False, False, False, True, True, True, False, False, False]
    expected = np.corrcoef(ten[:, moving].T)
    scale = np.sqrt(np.diag(V))[moving]
    assert V[np.ix_(moving, moving)] / np.outer(scale, scale) == pytest.approx(expected, abs=0.01)


def test_one_lot_of_material_is_shared() -> None:
    """Two bars of one lot: deviations of the density add up, those of lengths add up in squares."""
    bars = solids("cylinder", {"r": [0.1, 0.1], "L": [1.0, 2.0]}, density=1000.0)
    shared = bars.deviations("density", 10.0).sum(axis=0)
    assert shared[0] == pytest.approx(0.01 * bars.bodies.mass.sum(), rel=1e-14)
    alone = bars.covariances({"density": 10.0})[:, 0, 0].sum()
    assert alone == pytest.approx(1e-4 * (bars.bodies.mass**2).sum(), rel=1e-14)
    with pytest.raises(UsageError, match=r"no input 'densty'; the nearest is density"):
        bars.deviations("densty", 1.0)
    with pytest.raises(UsageError, match="negative"):
        bars.deviations("r", -1.0)


def test_box_of_343_blocks_is_the_box() -> None:
    rng = np.random.default_rng(11)
    cuts = [np.sort(np.concatenate([[0.0, side], rng.uniform(0, side, 6)])) for side in (1.0, 2.0, 3.0)]
    middle = [(cut[1:] + cut[:-1]) / 2 for cut in cuts]
    width = [np.diff(cut) for cut in cuts]
    grids = [g.ravel() for g in np.meshgrid(*width, indexing="ij")]
    centers = np.stack([g.ravel() for g in np.meshgrid(*middle, indexing="ij")], axis=1)
    blocks = solids("box", dict(zip("abc", grids, strict=True)), density=1.5).bodies.translated(centers)
    assert len(blocks) == 343
    whole = solids("box", {"a": 1.0, "b": 2.0, "c": 3.0}, density=1.5).bodies.translated([0.5, 1.0, 1.5])
    total = blocks.total()
    assert total.mass == pytest.approx(whole.mass, rel=1e-14)
    assert total.center[0] == pytest.approx(whole.center[0], rel=1e-14)
    assert total.inertia[0] == pytest.approx(whole.inertia[0], rel=1e-14, abs=1e-14)
    far = blocks.translated([1e6, 0, 0]).total()
    assert far.inertia[0] == pytest.approx(whole.inertia[0], rel=1e-9, abs=1e-9)


def test_halves_make_the_whole() -> None:
    back = np.diag([-1.0, -1.0, 1.0])
    for half, whole, dims in (
        ("half cylinder", "cylinder", {"r": 1.0, "L": 2.0}),
        ("half cone", "cone", {"r": 1.0, "L": 2.0}),
        ("half torus", "torus", {"R": 2.0, "r": 0.5}),
    ):
        one = solids(half, dims, density=1.0).bodies
        both, full = one + one.rotated(back), solids(whole, dims, density=1.0).bodies
        assert both.mass[0] == pytest.approx(full.mass[0], rel=1e-15)
        assert both.center[0] == pytest.approx(full.center[0], abs=1e-15)
        assert both.inertia[0] == pytest.approx(full.inertia[0], rel=1e-14, abs=1e-14)
    cap = solids("spherical cap", {"r": 2.0, "h": 1.2}, density=1.0).bodies.translated([0, 0, 0.8])
    rest = solids("spherical cap", {"r": 2.0, "h": 2.8}, density=1.0, axis="-z").bodies.translated([0, 0, 0.8])
    ball = solids("sphere", {"r": 2.0}, density=1.0).bodies
    assert (cap + rest).center[0] == pytest.approx(np.zeros(3), abs=1e-15)
    assert (cap + rest).inertia[0] == pytest.approx(ball.inertia[0], rel=1e-14, abs=1e-14)
    half = solids("wedge", {"a": 1.0, "b": 2.0, "c": 3.0}, density=1.0).bodies
    block = solids("box", {"a": 1.0, "b": 2.0, "c": 3.0}, density=1.0).bodies
    both = half + half.rotated(np.diag([-1.0, 1.0, -1.0]))
    assert both.inertia[0] == pytest.approx(block.inertia[0], rel=1e-14, abs=1e-15)


def test_limits_of_one_shape_are_another() -> None:
    cone = solids("frustum", {"r1": 1.5, "r2": 0.0, "L": 2.0}, density=1.0).bodies
    assert cone.inertia[0] == pytest.approx(
        solids("cone", {"r": 1.5, "L": 2.0}, density=1.0).bodies.inertia[0], rel=1e-14
    )
    bar = solids("frustum", {"r1": 1.5, "r2": 1.5, "L": 2.0}, density=1.0).bodies
    assert bar.inertia[0] == pytest.approx(
        solids("cylinder", {"r": 1.5, "L": 2.0}, density=1.0).bodies.inertia[0], rel=1e-14
    )
    square = solids("prism", {"n": 4, "r": math.sqrt(2), "L": 3.0}, density=1.0).bodies
    box = solids("box", {"a": 2.0, "b": 2.0, "c": 3.0}, density=1.0).bodies
    assert square.inertia[0] == pytest.approx(box.inertia[0], rel=1e-14)
    half = solids("spherical cap", {"r": 1.5, "h": 1.5}, density=1.0).bodies
    assert half.inertia[0] == pytest.approx(solids("hemisphere", {"r": 1.5}, density=1.0).bodies.inertia[0], rel=1e-14)
    thin = solids("tube", {"r": 1.0, "ri": 0.0, "L": 2.0}, density=1.0).bodies
    assert thin.inertia[0] == pytest.approx(
        solids("cylinder", {"r": 1.0, "L": 2.0}, density=1.0).bodies.inertia[0], rel=1e-15
    )


@pytest.mark.parametrize(
    ("axis", "direction"), [("x", [1, 0, 0]), ("y", [0, 1, 0]), ("-z", [0, 0, -1]), ("-x", [-1, 0, 0])]
)
def test_axis_of_a_cone(axis: str, direction: list[int]) -> None:
    """The tip is in the direction of the axis, the centre a quarter of the length towards the base."""
    cone = solids("cone", {"d": 2.0, "L": 4.0}, mass=1.0, axis=axis).bodies
    assert cone.center[0] == pytest.approx(-np.array(direction), abs=1e-15)
    along = np.abs(np.array(direction)) @ full_tensors(cone.inertia[0]) @ np.abs(np.array(direction))
    assert along == pytest.approx(0.3, rel=1e-15)
    assert np.linalg.det(axis_rotation(axis)) == pytest.approx(1.0, abs=1e-15)


def test_axes_one_for_each_body() -> None:
    found = solids("rod", {"L": [2.0, 2.0, 2.0]}, mass=3.0, axis=["x", "y", "z"]).bodies.inertia[:, :3]
    assert found.tolist() == [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    oblique = solids("rod", {"L": 2.0}, mass=3.0, axis=[0.0, 3.0, 4.0]).bodies
    assert full_tensors(oblique.inertia[0]) @ [0.0, 0.6, 0.8] == pytest.approx(np.zeros(3), abs=1e-15)
    for wrong in (["x"], "w", [0.0, 0.0, 0.0]):
        with pytest.raises(UsageError, match=r"ax[ei]s"):
            solids("rod", {"L": [2.0, 2.0, 2.0]}, mass=3.0, axis=wrong)


def test_other_names() -> None:
    assert find_shape("Cuboid").name == "box"
    assert find_shape("O-Ring").name == "torus"
    assert find_shape("closed_cylinder_shell").name == "closed cylinder shell"
    with pytest.raises(UsageError, match="unknown shape 'cilinder'; the nearest is cylinder"):
        find_shape("cilinder")
    words = [word for shape in SHAPES.values() for word in (shape.name, *shape.aliases)]
    assert len(set(words)) == len(words)
    by_radius = solids("cylinder", {"radius": 1.0, "height": 2.0}, density=1.0)
    by_diameter = solids("cylinder", {"d": 2.0, "l": 2.0}, density=1.0)
    assert by_radius.bodies.mass == by_diameter.bodies.mass
    assert by_diameter.derivatives["d"][0, 0] == pytest.approx(by_radius.derivatives["radius"][0, 0] / 2, rel=1e-15)


@pytest.mark.parametrize(
    ("shape", "dims", "more", "message"),
    [
        ("box", {"a": 1.0, "b": -2.0, "c": 3.0}, {}, "b = -2 of the box is not positive"),
        ("box", {"a": 1.0, "b": np.nan, "c": 3.0}, {}, "b is missing"),
        ("capsule", {"r": 1.0, "L": -1.0}, {}, "L = -1 of the capsule is negative"),
        ("prism", {"n": 3.5, "r": 1.0, "L": 1.0}, {}, "n = 3.5 of the prism is not a whole number from 3 on"),
        ("prism", {"n": 2.5, "r": 1.0, "L": 1.0}, {}, "n = 2.5 of the prism is not a whole number from 3 on"),
        ("sphere", {"r": 1.0}, {"density": 0.0}, "density = 0 of the sphere is not positive"),
        ("sphere", {"r": 1.0}, {"density": None, "mass": -1.0}, "mass = -1 of the sphere is not positive"),
        ("sphere", {"r": 1.0}, {"wall": 1.0}, "wall = 1 leaves no cavity in the sphere"),
        ("half cone", {"r": 1.0, "L": 1.0}, {"wall": 0.1}, "a half cone with a wall is not defined"),
        ("tube", {"r": 1.0, "L": 1.0}, {"wall": 1.5}, "inner radius -0.5 of the tube"),
        ("torus", {"R": 1.0, "r": 1.5}, {}, "radius 1.5 of the section of the torus is larger than 1"),
        ("spherical cap", {"r": 1.0, "h": 2.5}, {}, "height 2.5 of the spherical cap is larger than the diameter 2"),
        ("sphere shell", {"r": 0.05, "t": 0.2}, {}, "t = 0.2 of the sphere shell leaves no cavity"),
        ("cylinder shell", {"r": 0.05, "L": 1.0}, {"wall": 0.11}, "wall = 0.11 of the cylinder shell leaves"),
        ("closed cylinder shell", {"r": 1.0, "L": 0.1, "t": 0.11}, {}, "0.11 of the closed cylinder shell leaves"),
        ("box shell", {"a": 0.05, "b": 0.08, "c": 0.08, "t": 0.06}, {}, "t = 0.06 of the box shell leaves no cavity"),
        ("torus shell", {"R": 1.0, "r": 0.1, "t": 0.25}, {}, "t = 0.25 of the torus shell leaves no cavity or no hole"),
        ("torus shell", {"R": 1.0, "r": 0.9, "t": 0.21}, {}, "t = 0.21 of the torus shell leaves no cavity or no hole"),
        ("frustum", {"r1": 0.06, "r2": 0.0, "L": 0.3}, {"wall": 0.06}, "wall = 0.06 leaves no cavity in the frustum"),
        ("frustum", {"r1": 0.0, "r2": 0.0, "L": 1.0}, {}, "both radii of the frustum are 0"),
    ],
)
def test_impossible_values_are_faults(shape: str, dims: Any, more: dict[str, Any], message: str) -> None:
    faults = solid_faults(shape, dims, **({"density": 1.0} | more))
    assert [fault.row for fault in faults] == [0]
    assert message in faults[0].message
    with pytest.raises(UsageError, match="body 0: "):
        solids(shape, dims, **({"density": 1.0} | more))


def test_thickest_shell_has_its_cavity_gone() -> None:
    assert not solid_faults("sphere shell", {"r": [0.05], "t": [0.1]}, density=1.0)
    assert not solid_faults("cylinder shell", {"r": [0.05], "L": [0.01], "t": [0.1]}, density=1.0)


def test_cavity_of_a_frustum_with_a_narrow_end_is_a_cone() -> None:
    """V = πL(p² + pq + q²)/3 less the cone from the base to where the radius r(z) − w √(1 + s²) vanishes."""
    p, q, length, w = 0.06, np.array([0.0, 0.0039, 0.0041]), 0.3, 0.004
    slope = (p - q) / length
    base = p - slope * w - w * np.sqrt(1 + slope**2)
    height = np.minimum(base / slope, length - 2 * w)
    top = base - slope * height
    volume = np.pi * length * (p * p + p * q + q * q) / 3 - np.pi * height * (base * base + base * top + top * top) / 3
    found = solids("frustum", {"r1": p, "r2": q, "L": length}, wall=w, density=1000.0)
    assert found.bodies.mass == pytest.approx(1000 * volume, rel=1e-12)
    cone = solids("cone", {"r": p, "L": length}, wall=w, density=1000.0)
    assert found.bodies.mass[0] == pytest.approx(cone.bodies.mass[0], rel=1e-12)
    assert found.bodies.center[0] == pytest.approx(cone.bodies.center[0], rel=1e-10)
    assert found.bodies.inertia[0] == pytest.approx(cone.bodies.inertia[0], rel=1e-10)
    turned = solids("frustum", {"r1": q, "r2": p, "L": length}, wall=w, density=1000.0)
    assert turned.bodies.center[:, 2] == pytest.approx(-found.bodies.center[:, 2], rel=1e-12)
    step = 1e-7
    more, less = (solids("frustum", {"r1": p, "r2": q, "L": length}, wall=w + d, density=1000.0) for d in (step, -step))
    change = (more.bodies.inertia - less.bodies.inertia) / (2 * step)
    assert found.derivatives["wall"][:, 4:] == pytest.approx(change, rel=1e-5)


def test_all_faults_with_their_rows() -> None:
    faults = solid_faults("cylinder", {"r": [1.0, -1.0, 1.0], "L": [0.0, 1.0, 1.0]}, density=[1.0, 0.0, 1.0])
    assert [(fault.row, fault.name) for fault in faults] == [(0, "L"), (1, "r"), (1, "density")]


@pytest.mark.parametrize(
    ("shape", "dims", "more", "message"),
    [
        ("cylinder", {"r": 1.0}, {}, r"a cylinder needs the dimension L \(length along the axis\)"),
        ("cylinder", {"r": 1.0, "d": 2.0, "L": 1.0}, {}, "dimension r of a cylinder is given twice"),
        ("cylinder", {"r": 1.0, "q": 2.0, "L": 1.0}, {}, "a cylinder has no dimension 'q'; it has r, L"),
        ("sphere shell", {"r": 1.0}, {}, r"a sphere shell needs the dimension t \(thickness\)"),
        ("rod", {"L": 1.0}, {}, r"a rod needs the dimension A \(area of the section\)"),
        ("tube", {"r": 1.0, "ri": 0.5, "L": 1.0}, {"wall": 0.5}, "an inner radius or a wall, not both"),
        ("sphere", {"r": 1.0}, {"density": None}, "a solid needs a density or a mass"),
        ("sphere", {"r": 1.0, "wall": 0.1}, {"wall": 0.1}, "wall of a sphere is given twice"),
        ("sphere", {"r": [[1.0]]}, {}, r"must have the shape \(n,\)"),
    ],
)
def test_wrong_calls_raise(shape: str, dims: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        solids(shape, dims, **({"density": 1.0} | more))


def test_one_solid_as_a_body() -> None:
    bars = solids("cylinder", {"r": [0.1, 0.2], "L": [1.0, 1.0]}, density=1000.0)
    body = bars.body(1, {"r": 0.001, "density": 10.0}, name="bar")
    assert body.mass == pytest.approx(40 * math.pi, rel=1e-15)
    assert body.sigma_mass == pytest.approx(body.mass * math.hypot(2 * 0.001 / 0.2, 0.01), rel=1e-14)
    assert body.covariance is not None
    assert bars.body(0).sigma_mass is None


def test_t_of_a_tube_is_its_wall() -> None:
    """A tube of radius 3 and wall 1 has the area π (3² − 2²)."""
    one = solids("tube", {"r": 3.0, "t": 1.0, "L": 2.0}, density=1.0).bodies
    assert one.mass[0] == pytest.approx(10 * np.pi, rel=1e-14)


def test_axes_of_many_solids_are_turned_once_each() -> None:
    rods = solids("cylinder", {"r": 1.0, "L": [1.0, 2.0, 3.0]}, mass=1.0, axis=["x", "z", "x"]).bodies
    assert (rods.inertia[:, 0] == rods.inertia[:, 2]).tolist() == [False, False, False]
    assert (rods.inertia[:, 1] == rods.inertia[:, 2]).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("dims", "words"),
    [
        ({"a": np.inf, "b": 1, "c": 1}, "a = inf of the box is not finite"),
        ({"a": np.nan, "b": 1, "c": 1}, "a is missing, or not a number"),
        ({"a": 1e200, "b": 1, "c": 1}, "beyond double precision"),
        ({"a": 1e-200, "b": 1e-200, "c": 1e-200}, "beyond double precision"),
    ],
)
def test_a_solid_beyond_double_precision_is_rejected(dims: dict[str, float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        solids("box", dims, density=1.0)
