"""The table of shapes: volume V, centre c, mean products u = ∫ (x − c)(x − c)ᵀ dV / V; I = m (tr(u) 1 − u)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError, checked_type, nearest_name_hint

_Floats = NDArray[np.float64]
_Numbers = Any  # a number, or an array of real or complex numbers: the arithmetic is the same
_Dimensions = Mapping[str, _Numbers]
_Cavity = tuple[dict[str, _Numbers], tuple[_Numbers, _Numbers, _Numbers]]  # dimensions and origin of a cavity
_PI = np.pi
_CENTERED = (0.0, 0.0, 0.0)
_FLAT_FACE_AT_Z = ("spherical cap", "hemisphere", "hemisphere shell", "half ellipsoid")
_FLAT_FACE_AT_X = ("half cylinder", "half cone", "half torus")
"""Shapes whose origin is in a flat face, so that the box is on one side of it."""


class Moments(NamedTuple):
    """Moments of a homogeneous shape in its own axes."""

    volume: _Numbers  # length³; length² for a shell, length for a rod
    center: tuple[_Numbers, _Numbers, _Numbers]  # length, from the origin of the shape
    mean: tuple[_Numbers, _Numbers, _Numbers, _Numbers, _Numbers, _Numbers]
    """Length², mean products about the centre, order xx yy zz xy xz yz."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of the table."""

    name: str
    dims: Mapping[str, str]  # name → meaning, in the order of a table
    origin: str  # with the axes of the own frame, as text
    formula: str  # closed forms as text
    closed_form: Callable[..., Moments]  # of the dimensions by name
    aliases: tuple[str, ...] = ()
    thickness: str = ""  # dimension by which an area (t) or a length (A) is multiplied; empty for a solid
    counts: tuple[str, ...] = ()  # dimensions that are whole numbers, such as the sides
    can_be_zero: tuple[str, ...] = ()
    inner: Callable[[_Dimensions, _Numbers], _Cavity] | None = field(default=None)
    """Dimensions and wall → cavity; None: no wall is defined."""

    def moments(self, dims: _Dimensions) -> Moments:
        """Return the moments for values of the dimensions; those of a wall and a thickness are not used."""
        return self.closed_form(**{name: d for name, d in dims.items() if name not in ("wall", self.thickness)})


def _symmetric(volume: _Numbers, xx: _Numbers, yy: _Numbers, zz: _Numbers, z: _Numbers = 0.0) -> Moments:
    """Return the moments of a shape with two planes of symmetry through z."""
    return Moments(volume, (0.0, 0.0, z), (xx, yy, zz, 0.0, 0.0, 0.0))


def _ellipsoid(a: _Numbers, b: _Numbers, c: _Numbers) -> Moments:
    """Return the moments of an ellipsoid of semi-axes a, b, c."""
    return _symmetric(4 / 3 * _PI * a * b * c, a * a / 5, b * b / 5, c * c / 5)


def _elliptic_cylinder(a: _Numbers, b: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of a cylinder along z with semi-axes a, b."""
    return _symmetric(_PI * a * b * L, a * a / 4, b * b / 4, L * L / 12)


def _half_cylinder(r: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of the half of a cylinder at x ≥ 0."""
    x = 4 * r / (3 * _PI)
    return Moments(_PI * r * r * L / 2, (x, 0.0, 0.0), (r * r / 4 - x * x, r * r / 4, L * L / 12, 0.0, 0.0, 0.0))


def _tube(r: _Numbers, ri: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of a tube along z with inner radius ri."""
    xx = (r * r + ri * ri) / 4
    return _symmetric(_PI * (r - ri) * (r + ri) * L, xx, xx, L * L / 12)


def _domed_cylinder(r: _Numbers, L: _Numbers, e: _Numbers) -> Moments:
    """Return the moments of a cylinder of length L with half ellipsoids of height e on both ends."""
    middle, ends = _PI * r * r * L, 4 / 3 * _PI * r * r * e
    volume = middle + ends
    xx = (middle * r * r / 4 + ends * r * r / 5) / volume
    zz = (middle * L * L / 12 + ends * (19 * e * e / 320 + (L / 2 + 3 * e / 8) ** 2)) / volume
    return _symmetric(volume, xx, xx, zz)


def _half_cone(r: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of the half of a cone at x ≥ 0."""
    x = r / _PI
    mean = (3 * r * r / 20 - x * x, 3 * r * r / 20, 3 * L * L / 80, 0.0, -x * L / 20, 0.0)
    return Moments(_PI * r * r * L / 6, (x, 0.0, -L / 4), mean)


def _frustum(r1: _Numbers, r2: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of a frustum with r1 at −L/2 and r2 at L/2."""
    p, q = r1, r2
    zeroth = (p * p + p * q + q * q) / 3
    first = (p * p + 2 * p * q + 3 * q * q) / 12
    second = (p * p + 3 * p * q + 6 * q * q) / 30
    fourth = (p**4 + p**3 * q + p * p * q * q + p * q**3 + q**4) / 5
    along = first / zeroth
    xx = fourth / (4 * zeroth)
    return _symmetric(_PI * L * zeroth, xx, xx, L * L * (second / zeroth - along * along), L * (along - 0.5))


def _wedge(a: _Numbers, b: _Numbers, c: _Numbers) -> Moments:
    """Return the moments of a right-angled wedge along y."""
    mean = (a * a / 18, b * b / 12, c * c / 18, 0.0, -a * c / 36, 0.0)
    return Moments(a * b * c / 2, (-a / 6, 0.0, -c / 6), mean)


def _prism(n: _Numbers, r: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of a regular prism of n sides and corner radius r."""
    angle = 2 * _PI / n
    xx = r * r * (2 + np.cos(angle)) / 12
    return _symmetric(n / 2 * r * r * np.sin(angle) * L, xx, xx, L * L / 12)


def _torus(R: _Numbers, r: _Numbers) -> Moments:
    """Return the moments of a torus."""
    xx = R * R / 2 + 3 * r * r / 8
    return _symmetric(2 * _PI**2 * R * r * r, xx, xx, r * r / 4)


def _half_torus(R: _Numbers, r: _Numbers) -> Moments:
    """Return the moments of the half of a torus at x ≥ 0."""
    x = 2 / _PI * (R + r * r / (4 * R))
    yy = R * R / 2 + 3 * r * r / 8
    return Moments(_PI**2 * R * r * r, (x, 0.0, 0.0), (yy - x * x, yy, r * r / 4, 0.0, 0.0, 0.0))


def _spherical_cap(r: _Numbers, h: _Numbers) -> Moments:
    """Return the moments of a cap of height h above its flat face."""
    # ρ² = 2 r w − w² at the depth w below the top
    zeroth = h * h * (r - h / 3)
    first = h**3 * (2 * r / 3 - h / 4)
    second = h**4 * (r / 2 - h / 5)
    fourth = h**3 * (4 * r * r / 3 - r * h + h * h / 5)
    depth = first / zeroth
    xx = fourth / (4 * zeroth)
    return _symmetric(_PI * zeroth, xx, xx, second / zeroth - depth * depth, h - depth)


def _closed_cylinder_shell(r: _Numbers, L: _Numbers) -> Moments:
    """Return the moments of the side and both ends of a cylinder."""
    side, ends = L, r
    area = side + ends
    xx = r * r * (side / 2 + ends / 4) / area
    return _symmetric(2 * _PI * r * area, xx, xx, L * L * (side / 12 + ends / 4) / area)


def _box_shell(a: _Numbers, b: _Numbers, c: _Numbers) -> Moments:
    """Return the moments of the six faces of a box."""
    x, y, z = b * c, a * c, a * b  # half the area normal to each axis
    area = x + y + z
    means = [side * side * (normal / 4 + (area - normal) / 12) / area for side, normal in ((a, x), (b, y), (c, z))]
    return _symmetric(2 * area, *means)


def _torus_shell(R: _Numbers, r: _Numbers) -> Moments:
    """Return the moments of the surface of a torus."""
    xx = R * R / 2 + 3 * r * r / 4
    return _symmetric(4 * _PI**2 * R * r, xx, xx, r * r / 2)


def _smaller(*names: str, both_sides: tuple[str, ...] = ()) -> Callable[[_Dimensions, _Numbers], _Cavity]:
    """Return a cavity with some dimensions reduced by the wall, others by twice the wall."""

    def inner(d: _Dimensions, wall: _Numbers) -> _Cavity:
        changed = {name: d[name] - wall for name in names} | {name: d[name] - 2 * wall for name in both_sides}
        return {**d, **changed}, _CENTERED

    return inner


def _inner_cone(d: _Dimensions, wall: _Numbers) -> _Cavity:
    """Return the cavity of a cone: similar to it about the centre of the inscribed sphere."""
    r, L = d["r"], d["L"]
    inscribed = r * L / (r + np.sqrt(r * r + L * L))
    k = 1 - wall / inscribed
    return {"r": r * k, "L": L * k}, (0.0, 0.0, (inscribed - L / 2) * (1 - k))


def _inner_frustum(d: _Dimensions, wall: _Numbers) -> _Cavity:
    """Return the cavity of a frustum: the wall is normal to the slanted side; a narrow end makes it a cone."""
    p, q, L = d["r1"], d["r2"], d["L"]
    normal = wall * np.sqrt(L * L + (p - q) ** 2) / L
    step = (q - p) * wall / L
    p, q, h = p + step - normal, q - step - normal, L - 2 * wall
    # the cavity ends where its radius vanishes, inside the wall of the end
    at_top, at_base = (np.real(q) < 0) & (np.real(p) > 0), (np.real(p) < 0) & (np.real(q) > 0)
    share = np.where(at_top, p, np.where(at_base, q, 1.0)) / np.where(at_top, p - q, np.where(at_base, q - p, 1.0))
    z = np.where(at_base, 0.5, -0.5) * h * (1 - share)
    return {"r1": np.where(at_base, 0.0, p), "r2": np.where(at_top, 0.0, q), "L": h * share}, (0.0, 0.0, z)


def _inner_cap(d: _Dimensions, wall: _Numbers) -> _Cavity:
    """Return the cavity of a half sphere: a cap, raised by the wall."""
    return {"r": d["r"] - wall, "h": d.get("h", d["r"]) - 2 * wall}, (0.0, 0.0, wall)


def _inner_wedge(d: _Dimensions, wall: _Numbers) -> _Cavity:
    """Return the cavity of a wedge: its triangle is similar about the centre of the inscribed circle."""
    a, b, c = d["a"], d["b"], d["c"]
    inscribed = (a + c - np.sqrt(a * a + c * c)) / 2
    k = 1 - wall / inscribed
    x, z = (inscribed - a / 2) * (1 - k), (inscribed - c / 2) * (1 - k)
    return {"a": a * k, "b": b - 2 * wall, "c": c * k}, (x, 0.0, z)


_SIDES = {"a": "side along x", "b": "side along y", "c": "side along z"}
_SEMI_AXES = {"a": "semi-axis along x", "b": "semi-axis along y", "c": "semi-axis along z"}
_ALONG = "length along the axis"
_ROUND = {"r": "radius", "L": _ALONG}
_TORUS = {"R": "radius of the centre line", "r": "radius of the section"}
_MIDDLE = "centre; axis z"
_HALF_LENGTH = "on the axis at half length; base at −L/2; axis z"
_FLAT_Z = "centre of the flat face; the shape is at z ≥ 0"
_FLAT_X = "on the axis at half length; flat face in the plane yz, the shape is at x ≥ 0; axis z"

# fmt: off
SHAPES: Mapping[str, Shape] = {
    shape.name: shape
    for shape in (
        Shape("box", _SIDES, "centre", "V = abc; u = (a², b², c²)/12",
              lambda a, b, c: _symmetric(a * b * c, a * a / 12, b * b / 12, c * c / 12),
              ("cuboid", "block", "brick"), inner=_smaller(both_sides=("a", "b", "c"))),
        Shape("sphere", {"r": "radius"}, "centre", "V = 4/3 π r³; u = r²/5", lambda r: _ellipsoid(r, r, r),
              ("ball",), inner=_smaller("r")),
        Shape("ellipsoid", _SEMI_AXES, "centre", "V = 4/3 π abc; u = (a², b², c²)/5", _ellipsoid,
              inner=_smaller("a", "b", "c")),
        Shape("cylinder", _ROUND, _MIDDLE, "V = π r² L; u = (r²/4, r²/4, L²/12)",
              lambda r, L: _elliptic_cylinder(r, r, L), ("round bar", "bar"), inner=_smaller("r", both_sides=("L",))),
        Shape("elliptic cylinder", {"a": "semi-axis along x", "b": "semi-axis along y", "L": _ALONG},
              _MIDDLE, "V = π ab L; u = (a²/4, b²/4, L²/12)", _elliptic_cylinder, ("elliptical cylinder",),
              inner=_smaller("a", "b", both_sides=("L",))),
        Shape("tube", {"r": "outer radius", "ri": "inner radius", "L": _ALONG}, _MIDDLE,
              "V = π (r² − ri²) L; u = ((r² + ri²)/4, (r² + ri²)/4, L²/12)", _tube,
              ("pipe", "hollow cylinder", "annulus", "washer"), can_be_zero=("ri",)),
        Shape("capsule", {"r": "radius", "L": "length of the cylindrical part"}, _MIDDLE,
              "cylinder and two hemispheres: V = π r² L + 4/3 π r³; u_zz of the ends 19 r²/320 + (L/2 + 3r/8)²",
              lambda r, L: _domed_cylinder(r, L, r), can_be_zero=("L",), inner=_smaller("r")),
        Shape("domed cylinder", {"r": "radius", "L": "length of the cylindrical part", "e": "height of a dome"},
              _MIDDLE,
              "cylinder and two half ellipsoids: V = π r² (L + 4e/3); u_zz of the ends 19 e²/320 + (L/2 + 3e/8)²",
              _domed_cylinder, ("domed tank",), can_be_zero=("L",), inner=_smaller("r", "e")),
        Shape("cone", _ROUND, _HALF_LENGTH, "V = π r² L/3; c_z = −L/4; u = (3r²/20, 3r²/20, 3L²/80)",
              lambda r, L: _symmetric(_PI * r * r * L / 3, 3 * r * r / 20, 3 * r * r / 20, 3 * L * L / 80, -L / 4),
              inner=_inner_cone),
        Shape("frustum", {"r1": "radius at −L/2", "r2": "radius at L/2", "L": _ALONG}, _HALF_LENGTH,
              "∫ r² and ∫ r⁴ with r = r1 + (r2 − r1)(z/L + ½)", _frustum,
              ("truncated cone", "conical frustum", "taper"), can_be_zero=("r1", "r2"), inner=_inner_frustum),
        Shape("paraboloid", _ROUND, _HALF_LENGTH, "V = π r² L/2; c_z = −L/6; u = (r²/6, r²/6, L²/18)",
              lambda r, L: _symmetric(_PI * r * r * L / 2, r * r / 6, r * r / 6, L * L / 18, -L / 6)),
        Shape("pyramid", {"a": "side of the base along x", "b": "side of the base along y", "L": "height"},
              _HALF_LENGTH, "V = ab L/3; c_z = −L/4; u = (a²/20, b²/20, 3L²/80)",
              lambda a, b, L: _symmetric(a * b * L / 3, a * a / 20, b * b / 20, 3 * L * L / 80, -L / 4)),
        Shape("wedge", {"a": "leg along x", "b": "width along y", "c": "leg along z"},
              "middle of the enclosing box; right angle at (−a/2, −c/2)",
              "V = abc/2; c = (−a/6, 0, −c/6); u = (a²/18, b²/12, c²/18), u_xz = −ac/36", _wedge,
              ("triangular prism", "right wedge"), inner=_inner_wedge),
        Shape("prism", {"n": "number of sides", "r": "radius of the circumscribed circle", "L": _ALONG},
              "centre; axis z, a corner at x = r",
              "V = n/2 r² L sin(2π/n); u_xx = u_yy = r² (2 + cos(2π/n))/12, u_zz = L²/12", _prism,
              ("regular prism", "polygonal bar"), counts=("n",),
              inner=lambda d, t: ({**d, "r": d["r"] - t / np.cos(_PI / d["n"]), "L": d["L"] - 2 * t}, _CENTERED)),
        Shape("torus", _TORUS, _MIDDLE, "V = 2π² R r²; u_xx = u_yy = R²/2 + 3r²/8, u_zz = r²/4", _torus,
              ("o-ring",), inner=_smaller("r")),
        Shape("spherical cap", {"r": "radius of the sphere", "h": "height of the cap"}, _FLAT_Z,
              "∫ ρ² and ∫ ρ⁴ with ρ² = 2 r w − w², w from the top", _spherical_cap, ("cap", "spherical segment"),
              inner=_inner_cap),
        Shape("hemisphere", {"r": "radius"}, _FLAT_Z, "V = 2/3 π r³; c_z = 3r/8; u = (r²/5, r²/5, 19r²/320)",
              lambda r, h=None: _spherical_cap(r, r if h is None else h),  # its cavity is a lower cap
              ("half sphere",), inner=_inner_cap),
        Shape("half ellipsoid", _SEMI_AXES, _FLAT_Z, "V = 2/3 π abc; c_z = 3c/8; u = (a²/5, b²/5, 19c²/320)",
              lambda a, b, c: _symmetric(2 / 3 * _PI * a * b * c, a * a / 5, b * b / 5, 19 * c * c / 320, 3 * c / 8)),
        Shape("half cylinder", _ROUND, _FLAT_X,
              "V = π r² L/2; c_x = 4r/3π; u = (r²/4 − c_x², r²/4, L²/12)", _half_cylinder),
        Shape("half cone", _ROUND, _FLAT_X + "; base at −L/2",
              "V = π r² L/6; c = (r/π, 0, −L/4); u = (3r²/20 − c_x², 3r²/20, 3L²/80), u_xz = −r L/20π", _half_cone),
        Shape("half torus", _TORUS, "centre; flat faces in the plane yz, the shape is at x ≥ 0; axis z",
              "V = π² R r²; c_x = 2/π (R + r²/4R); u = (u_yy − c_x², R²/2 + 3r²/8, r²/4)", _half_torus),
        Shape("rod", {"L": _ALONG}, _MIDDLE, "length L; u_zz = L²/12", lambda L: _symmetric(L, 0.0, 0.0, L * L / 12),
              ("thin rod", "wire"), thickness="A"),
        Shape("ring", {"r": "radius"}, _MIDDLE, "length 2π r; u_xx = u_yy = r²/2",
              lambda r: _symmetric(2 * _PI * r, r * r / 2, r * r / 2, 0.0), ("hoop", "thin ring"), thickness="A"),
        Shape("disc", {"r": "radius"}, _MIDDLE, "area π r²; u_xx = u_yy = r²/4",
              lambda r: _symmetric(_PI * r * r, r * r / 4, r * r / 4, 0.0), ("disk", "thin disc"), thickness="t"),
        Shape("plate", {"a": "side along x", "b": "side along y"}, "centre; normal z", "area ab; u = (a²/12, b²/12, 0)",
              lambda a, b: _symmetric(a * b, a * a / 12, b * b / 12, 0.0),
              ("sheet", "thin plate", "panel"), thickness="t"),
        Shape("sphere shell", {"r": "radius of the middle surface"}, "centre", "area 4π r²; u = r²/3",
              lambda r: _symmetric(4 * _PI * r * r, r * r / 3, r * r / 3, r * r / 3),
              ("spherical shell", "hollow sphere"), thickness="t"),
        Shape("hemisphere shell", {"r": "radius of the middle surface"},
              "centre of the open end; the shape is at z ≥ 0", "area 2π r²; c_z = r/2; u = (r²/3, r²/3, r²/12)",
              lambda r: _symmetric(2 * _PI * r * r, r * r / 3, r * r / 3, r * r / 12, r / 2),
              ("dome", "half sphere shell"), thickness="t"),
        Shape("cylinder shell", {"r": "radius of the middle surface", "L": _ALONG}, _MIDDLE + "; open ends",
              "area 2π r L; u = (r²/2, r²/2, L²/12)",
              lambda r, L: _symmetric(2 * _PI * r * L, r * r / 2, r * r / 2, L * L / 12),
              ("cylindrical shell", "thin tube"), thickness="t"),
        Shape("closed cylinder shell", {"r": "radius of the middle surface", "L": _ALONG},
              _MIDDLE + "; with both ends", "area 2π r (L + r); side and ends weighted by their areas",
              _closed_cylinder_shell, ("can", "closed cylindrical shell"), thickness="t"),
        Shape("cone shell", {"r": "radius of the middle surface at the base", "L": _ALONG},
              _HALF_LENGTH + "; without the base", "area π r √(r² + L²); c_z = −L/6; u = (r²/4, r²/4, L²/18)",
              lambda r, L: _symmetric(_PI * r * np.sqrt(r * r + L * L), r * r / 4, r * r / 4, L * L / 18, -L / 6),
              ("conical shell",), thickness="t"),
        Shape("box shell", _SIDES, "centre; six faces", "area 2 (ab + bc + ca); faces weighted by their areas",
              _box_shell, ("sheet box",), thickness="t"),
        Shape("torus shell", _TORUS, _MIDDLE, "area 4π² R r; u_xx = u_yy = R²/2 + 3r²/4, u_zz = r²/2", _torus_shell,
              (), thickness="t"),
    )
}
# fmt: on


def widest_shell(shape: Shape, d: Mapping[str, Any]) -> Any:
    """Return the thickness (n,) at which the cavity of a shell, or the hole of its ring, vanishes; None: no shell."""
    if not shape.name.endswith("shell"):
        return None
    factors = {"a": 1.0, "b": 1.0, "c": 1.0, "r": 2.0} | ({"L": 1.0} if shape.name == "closed cylinder shell" else {})
    least = [d[name] * factors[name] for name in d.keys() & factors.keys()]
    least += [2 * (d["R"] - d["r"])] if "R" in d else []
    return np.min(least, axis=0) * (1 + 1e-12)


def find_shape(name: str) -> Shape:
    """Look up a shape by its name or another name of it."""
    key = " ".join(checked_type("shape", name, str).lower().replace("_", " ").replace("-", " ").split())
    for shape in SHAPES.values():
        if key == shape.name or key in (alias.replace("-", " ") for alias in shape.aliases):
            return shape
    known = [word for shape in SHAPES.values() for word in (shape.name, *shape.aliases)]
    raise UsageError(f"unknown shape {name!r}{nearest_name_hint(key, known)}")


_BALLS = ("sphere", "sphere shell")
_SIZES: Mapping[str, Callable[[Mapping[str, float]], tuple[float, float, float]]] = {
    **dict.fromkeys(
        ("box", "box shell", "plate", "pyramid", "wedge"), lambda d: (d["a"], d["b"], d.get("c", d.get("L", 0.0)))
    ),
    **dict.fromkeys(("torus", "torus shell"), lambda d: (2 * (d["R"] + d["r"]),) * 2 + (2 * d["r"],)),
    **dict.fromkeys(_BALLS, lambda d: (2 * d["r"],) * 3),
    **dict.fromkeys(("hemisphere", "hemisphere shell"), lambda d: (2 * d["r"], 2 * d["r"], d["r"])),
    "ellipsoid": lambda d: (2 * d["a"], 2 * d["b"], 2 * d["c"]),
    "elliptic cylinder": lambda d: (2 * d["a"], 2 * d["b"], d["L"]),
    "capsule": lambda d: (2 * d["r"], 2 * d["r"], d["L"] + 2 * d["r"]),
    "domed cylinder": lambda d: (2 * d["r"], 2 * d["r"], d["L"] + 2 * d["e"]),
    "frustum": lambda d: (2 * max(d["r1"], d["r2"]), 2 * max(d["r1"], d["r2"]), d["L"]),
    "spherical cap": lambda d: (2 * np.sqrt(d["r"] ** 2 - max(d["r"] - d["h"], 0.0) ** 2),) * 2 + (d["h"],),
    "half ellipsoid": lambda d: (2 * d["a"], 2 * d["b"], d["c"]),
    "half cylinder": lambda d: (d["r"], 2 * d["r"], d["L"]),
    "half cone": lambda d: (d["r"], 2 * d["r"], d["L"]),
    "half torus": lambda d: (d["R"] + d["r"], 2 * (d["R"] + d["r"]), 2 * d["r"]),
    "rod": lambda d: (0.0, 0.0, d["L"]),
}
"""Size of the box around a shape; round ones by radius and length; a cap below half a ball is as wide as its base."""
_ROUND_ABOUT_Z = ("cylinder", "tube", "cone", "paraboloid", "disc", "ring", "cylinder shell", "closed cylinder shell")
"""Shapes whose farthest point is not a corner of the box, but on a circle about z."""


def enclosing_size(shape: str, dims: Mapping[str, float]) -> tuple[float, float, float]:
    """Return the sides along x, y and z of the box around a shape in its own axes; a thickness enlarges all sides."""
    sides = _SIZES.get(find_shape(shape).name)  # none for shapes of radius r and length L along z
    x, y, z = (2 * dims["r"], 2 * dims["r"], dims.get("L", 0.0)) if sides is None else sides(dims)
    t = dims.get("t", 0.0)
    return float(x + t), float(y + t), float(z + t)


def enclosing_box(shape: str, dims: Mapping[str, float]) -> tuple[_Floats, _Floats, float]:
    """Return the middle (3,) and the half sides (3,) of the box around a shape, own axes; its farthest point."""
    half = np.array(enclosing_size(shape, dims)) / 2
    x, _, z = 2 * half - dims.get("t", 0.0)
    middle = np.array([x if shape in _FLAT_FACE_AT_X else 0, 0, z if shape in _FLAT_FACE_AT_Z else 0]) / 2
    corner = half[:1] if shape in _BALLS else half[[0, 2]] if shape in _ROUND_ABOUT_Z else half
    return middle, half, float(np.linalg.norm(corner))
