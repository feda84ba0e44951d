"""Solids by other ways: shapes by Gauss quadrature of their parametrisation, closed meshes by exact tetrahedra."""

from __future__ import annotations

import re
import struct
import tomllib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import acos, cos, lcm, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.verifications.digits import density_ratio, unit_ratio

if TYPE_CHECKING:
    from massprops_cli.bodies.bodies import Bodies
    from massprops_cli.bom.bom import Bom

_NODES = 20  # of each direction: exact to rounding for the turns and powers below
_STEP = 1e-30  # of derivatives in the imaginary direction
_MOST_TRIANGLES = 20_000  # of a mesh that is added in fractions
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_Map = Callable[[Any, Any, Any], tuple[Any, Any, Any]]  # three parameters from 0 to 1 → a point in own axes


_AGREEMENT = 1e-11  # relative difference of a shape or mesh
_COLUMNS = (
    "shape", "dims", "axis", "wall", "density", "material", "mesh", "mesh_units", "mesh_scale", "voxel_size",
)  # fmt: skip


class _Patch(NamedTuple):
    """A part of a solid, surface or line: parameters that are fixed, and 1, or −1 for a cavity."""

    of: _Map
    fixed: Mapping[int, float] = {}
    sign: int = 1


class _UnverifiedError(Exception):
    """Why a solid has no second way."""


def _turned(
    radius: Callable[[Any], Any], z: Callable[[Any], Any], arc: float = 2 * pi, inner: float = 0.0, squash: float = 1.0
) -> _Map:
    """Return the map of a contour radius(w), z(w) turned about z by an arc around x, from an inner radius."""

    def at(u: Any, v: Any, w: Any) -> tuple[Any, Any, Any]:
        rho, angle = inner + u * (radius(w) - inner), arc * (v - 0.5)
        return rho * np.cos(angle), squash * rho * np.sin(angle), z(w) + 0 * u

    return at


def _cylinder(a: float, b: float, L: float, arc: float = 2 * pi, inner: float = 0.0) -> _Map:
    """Return the map of an elliptic cylinder or tube."""
    return _turned(lambda w: a + 0 * w, lambda w: L * (w - 0.5), arc, inner, b / a)


def _cone(r1: float, r2: float, L: float, arc: float = 2 * pi) -> _Map:
    """Return the map of a frustum, a cone if r2 is 0."""
    return _turned(lambda w: r1 + (r2 - r1) * w, lambda w: L * (w - 0.5), arc)


def _ball(a: float, b: float, c: float, least: float = 0.0, most: float = pi, z0: float = 0.0) -> _Map:
    """Return the map of an ellipsoid between two angles from the z axis, raised by z0; c < 0: upside down."""
    arc = most - least
    return _turned(lambda w: a * np.sin(least + arc * w), lambda w: z0 + c * np.cos(least + arc * w), squash=b / a)


def _torus(R: float, r: float, arc: float = 2 * pi) -> _Map:
    """Return the map of a torus, or an arc of it."""

    def at(u: Any, v: Any, w: Any) -> tuple[Any, Any, Any]:
        rho, angle = R + r * u * np.cos(2 * pi * w), arc * (v - 0.5)
        return rho * np.cos(angle), rho * np.sin(angle), r * u * np.sin(2 * pi * w)

    return at


def _box(a: float, b: float, c: float) -> _Map:
    """Return the map of a box."""
    return lambda u, v, w: (a * (u - 0.5), b * (v - 0.5), c * (w - 0.5))


def _cap(r: float, h: float) -> _Map:
    """Return the map of a cap of a ball."""
    return _ball(r, r, r, 0.0, acos(max(-1.0, (r - h) / r)), h - r)


def _domed(r: float, L: float, e: float) -> list[_Map]:
    """Return a cylinder and its two domes of height e."""
    return [
        *([_cylinder(r, r, L)] if L else []),
        _ball(r, r, e, 0.0, pi / 2, L / 2),
        _ball(r, r, -e, 0.0, pi / 2, -L / 2),
    ]


def _prism(n: float, r: float, L: float) -> list[_Map]:
    """Return triangles from the axis to each side of a regular prism."""

    def side(k: int) -> _Map:
        p, q = (np.exp(2j * pi * j / n) * r for j in (k, k + 1))
        return lambda u, v, w: (
            u * (p.real + (q.real - p.real) * v), u * (p.imag + (q.imag - p.imag) * v), L * (w - 0.5) + 0 * u
        )  # fmt: skip

    return [side(k) for k in range(round(n))]


_BASE, _TOP, _SKIN, _FLAT = {2: 0.0}, {2: 1.0}, {0: 1.0}, {2: 0.5}
_SOLIDS: Mapping[str, Callable[..., _Map | list[_Map]]] = {
    "box": _box,
    "sphere": lambda r: _ball(r, r, r),
    "ellipsoid": _ball,
    "cylinder": lambda r, L: _cylinder(r, r, L),
    "elliptic cylinder": _cylinder,
    "tube": lambda r, ri, L: _cylinder(r, r, L, inner=ri),
    "capsule": lambda r, L: _domed(r, L, r),
    "domed cylinder": _domed,
    "cone": lambda r, L: _cone(r, 0.0, L),
    "frustum": _cone,
    "paraboloid": lambda r, L: _turned(lambda w: r * w, lambda w: L * (0.5 - w * w)),
    "pyramid": lambda a, b, L: lambda u, v, w: (a * (1 - w) * (u - 0.5), b * (1 - w) * (v - 0.5), L * (w - 0.5)),
    "wedge": lambda a, b, c: lambda u, v, w: (a * (u - 0.5), b * (v - 0.5), c * ((1 - u) * w - 0.5)),
    "prism": _prism,
    "torus": _torus,
    "spherical cap": _cap,
    "hemisphere": lambda r: _ball(r, r, r, 0.0, pi / 2),
    "half ellipsoid": lambda a, b, c: _ball(a, b, c, 0.0, pi / 2),
    "half cylinder": lambda r, L: _cylinder(r, r, L, pi),
    "half cone": lambda r, L: _cone(r, 0.0, L, pi),
    "half torus": lambda R, r: _torus(R, r, pi),
}
_SHEETS: Mapping[str, Callable[..., list[_Patch]]] = {  # of a thickness t, or of a section A
    "rod": lambda L: [_Patch(_box(0.0, 0.0, L), {0: 0.5, 1: 0.5})],
    "ring": lambda r: [_Patch(_cylinder(r, r, 0.0), {**_SKIN, **_FLAT})],
    "disc": lambda r: [_Patch(_cylinder(r, r, 0.0), _FLAT)],
    "plate": lambda a, b: [_Patch(_box(a, b, 0.0), _FLAT)],
    "sphere shell": lambda r: [_Patch(_ball(r, r, r), _SKIN)],
    "hemisphere shell": lambda r: [_Patch(_ball(r, r, r, 0.0, pi / 2), _SKIN)],
    "cylinder shell": lambda r, L: [_Patch(_cylinder(r, r, L), _SKIN)],
    "closed cylinder shell": lambda r, L: [_Patch(_cylinder(r, r, L), at) for at in (_SKIN, _BASE, _TOP)],
    "cone shell": lambda r, L: [_Patch(_cone(r, 0.0, L), _SKIN)],
    "box shell": lambda a, b, c: [_Patch(_box(a, b, c), {k: x}) for k in range(3) for x in (0.0, 1.0)],
    "torus shell": lambda R, r: [_Patch(_torus(R, r), _SKIN)],
}
_ALIASES = {
    "cuboid": "box", "block": "box", "brick": "box", "ball": "sphere", "bar": "cylinder", "round bar": "cylinder",
    "pipe": "tube", "hollow cylinder": "tube", "washer": "tube", "annulus": "tube", "cap": "spherical cap",
    "half sphere": "hemisphere", "disk": "disc", "sheet": "plate", "panel": "plate", "hoop": "ring", "wire": "rod",
    "can": "closed cylinder shell", "dome": "hemisphere shell", "spherical shell": "sphere shell",
    "truncated cone": "frustum", "triangular prism": "wedge", "domed tank": "domed cylinder",
}  # fmt: skip
_HALVED = {"d": "r", "diameter": "r", "d1": "r1", "d2": "r2", "di": "ri"}
_NAMES = {"radius": "r", "sides": "n", "thickness": "t", "x": "a", "y": "b", "z": "c", "w": "wall"}
_NAMES |= dict.fromkeys(("l", "length", "H", "height"), "L")
_INSIDE = {  # how often a wall is subtracted from each dimension; others have no second way
    "box": {"a": 2, "b": 2, "c": 2}, "sphere": {"r": 1}, "ellipsoid": {"a": 1, "b": 1, "c": 1}, "torus": {"r": 1},
    "cylinder": {"r": 1, "L": 2}, "elliptic cylinder": {"a": 1, "b": 1, "L": 2}, "capsule": {"r": 1},
    "domed cylinder": {"r": 1, "e": 1}, "spherical cap": {"r": 1, "h": 2}, "prism": {"L": 2},
}  # fmt: skip


def _shape_patches(name: str, dims: Mapping[str, float]) -> list[_Patch]:
    """Return the patches of a shape of coherent dimensions; _UnverifiedError without a second way."""
    d = {k: x for k, x in dims.items() if k not in ("wall", "t", "A")}
    try:
        if name in _SHEETS:
            return _SHEETS[name](**d)
        made = _SOLIDS[name](**d)
        patches = [_Patch(one) for one in (made if isinstance(made, list) else [made])]
        if wall := dims.get("wall", 0.0):
            if name == "hemisphere":
                name, d = "spherical cap", {"r": d["r"], "h": d["r"]}
            inner = {k: x - _INSIDE[name].get(k, 0) * wall for k, x in d.items()}
            if name == "prism":
                inner["r"] = d["r"] - wall / cos(pi / d["n"])
            made, up = _SOLIDS[name](**inner), wall if name == "spherical cap" else 0.0
            patches += [_Patch(_raised(one, up), sign=-1) for one in (made if isinstance(made, list) else [made])]
    except (KeyError, TypeError, ZeroDivisionError):
        raise _UnverifiedError(f"{name or 'shape'} of these dimensions") from None
    return patches


def _raised(of: _Map, up: float) -> _Map:
    """Return a map moved along z."""
    return lambda u, v, w: (*of(u, v, w)[:2], of(u, v, w)[2] + up)


def _patch_moments(patches: Sequence[_Patch]) -> NDArray[np.float64]:
    """Return measure, first and second moments (10,) of patches about the origin, by Gauss quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    total = np.zeros(10)
    for of, fixed, sign in patches:
        free = [k for k in range(3) if k not in fixed]
        grid = np.array(list(product((nodes + 1) / 2, repeat=len(free)))).T
        weight = np.prod(np.array(list(product(weights / 2, repeat=len(free)))), axis=1)
        at = [np.full(grid.shape[1], fixed.get(k, 0.0), complex) for k in range(3)]
        for k, values in zip(free, grid, strict=True):
            at[k] = values.astype(complex)
        point = np.real(np.array([np.broadcast_to(x, weight.shape) for x in of(*at)]))
        sides = []
        for k in free:
            moved = [x + 1j * _STEP * (j == k) for j, x in enumerate(at)]
            sides.append(np.array([np.broadcast_to(np.imag(x), weight.shape) for x in of(*moved)]) / _STEP)
        if len(free) == 3:
            size = np.abs((np.cross(sides[0], sides[1], axis=0) * sides[2]).sum(axis=0))
        else:
            normal = np.cross(sides[0], sides[1], axis=0) if len(free) == 2 else sides[0]
            size = np.sqrt((normal**2).sum(axis=0))
        share = sign * weight * size
        total += [share.sum(), *(point @ share), *(share @ (point[a] * point[b]) for a, b in _PAIRS)]
    return total


def _mesh_moments(triangles: Sequence[Sequence[tuple[Fraction, ...]]]) -> list[float]:
    """Return volume, first and second moments (10,) of closed triangles, as integers of a common denominator."""
    edges = [(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)]
    if len(triangles) > _MOST_TRIANGLES or len(set(edges)) < len(edges) or {(b, a) for a, b in edges} != set(edges):
        raise _UnverifiedError("a mesh that is not closed, or large")
    size = lcm(*{x.denominator for t in triangles for p in t for x in p})
    total = [0] * 10
    for t in triangles:
        a, b, c = ([x.numerator * (size // x.denominator) for x in p] for p in t)
        six = sum(a[i] * (b[j] * c[k] - b[k] * c[j]) for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))
        s = [x + y + z for x, y, z in zip(a, b, c, strict=True)]
        total[0] += six
        for i in range(3):
            total[1 + i] += six * s[i]
        for n, (i, j) in enumerate(_PAIRS):
            total[4 + n] += six * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j])
    divisors = [6 * size**3, *[24 * size**4] * 3, *[120 * size**5] * 6]
    sign = -1 if total[0] < 0 else 1
    return [float(Fraction(sign * one, of)) for one, of in zip(total, divisors, strict=True)]


def _read_triangles(path: Path) -> list[list[tuple[Fraction, ...]]]:
    """Read an STL, OBJ or OFF file; coordinates as their typed digits, or the exact binary numbers."""
    data, kind = path.read_bytes(), path.suffix.lower()
    if kind == ".stl" and len(data) > 84 and len(data) == 84 + 50 * struct.unpack_from("<I", data, 80)[0]:
        cells = [struct.unpack_from("<9f", data, at + 12) for at in range(84, len(data), 50)]
        exact = [[Fraction(x) for x in one] for one in cells]
        return [[tuple(one[k : k + 3]) for k in (0, 3, 6)] for one in exact]
    words = [line.split("#")[0].split() for line in data.decode("utf-8", "replace").splitlines()]
    words = [one for one in words if one]
    if kind == ".stl":
        points = [tuple(map(Fraction, one[1:4])) for one in words if one[0].lower() == "vertex"]
        return [points[k : k + 3] for k in range(0, len(points), 3)]
    if kind == ".obj":
        points = [tuple(map(Fraction, one[1:4])) for one in words if one[0] == "v"]
        faces = [[int(x.split("/")[0]) for x in one[1:]] for one in words if one[0] == "f"]
        faces = [[k - 1 if k > 0 else len(points) + k for k in one] for one in faces]
    elif kind == ".off" and words[0] == ["OFF"]:
        n, m = map(int, words[1][:2])
        points = [tuple(map(Fraction, one[:3])) for one in words[2 : 2 + n]]
        faces = [[int(x) for x in one[1 : 1 + int(one[0])]] for one in words[2 + n : 2 + n + m]]
    else:
        raise _UnverifiedError(f"a mesh in {kind.lstrip('.') or 'another format'}")
    return [[points[one[0]], points[one[k]], points[one[k + 1]]] for one in faces for k in range(1, len(one) - 1)]


def _axis_matrix(text: str) -> NDArray[np.float64]:
    """Return the rotation (3, 3) that moves own z to an axis: docs/formulas.md, section 12."""
    name = text.strip().lower().replace("−", "-") or "z"
    if found := re.fullmatch(r"([+-]?)([xyz])", name):
        columns = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}[found[2]]  # where own x, y, z point
        return np.eye(3)[:, columns] @ np.diag([1.0, -1.0, -1.0] if found[1] == "-" else [1.0] * 3)
    u = np.array([float(x) for x in re.split(r"[;,\s]+", name)])
    u /= np.sqrt(u @ u)
    if u[2] <= -1 + 1e-9:
        raise _UnverifiedError("an axis next to −z")
    cross = np.array([[0, 0, u[0]], [0, 0, u[1]], [-u[0], -u[1], 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + u[2]))


_TYPED = re.compile(r"\s*([^\W\d]\w*)?\s*[=:]?\s*([+-]?[\d.]+(?:[eE][+-]?\d+)?)(.*)", re.DOTALL)
_TOLERANCE = re.compile(r"(?:±|\+/-|\+-)\s*[\d.]+(?:[eE][+-]?\d+)?\s*%?|\([^)]*\)")


def _typed(text: str) -> tuple[str, float, str]:
    """Return name, number and unit of a dimension as it is typed."""
    if (found := _TYPED.fullmatch(text)) is None:
        raise _UnverifiedError(f"a dimension {text.strip()!r}")
    return found[1] or "", float(found[2]), _TOLERANCE.sub(" ", found[3]).strip()


class _SolidCells:
    """The cells that describe the solid of one row, by quantity, and the units in the headers."""

    def __init__(self, bom: Bom, texts: Mapping[str, str]) -> None:
        self.bom, self.texts = bom, {name: text for name, text in texts.items() if text}
        named = {name: bom.columns.by_quantity[name].header for name in texts}
        units = {name: re.search(r"[\[(]([^\])]+)[\])]", header) for name, header in named.items()}
        self.header_units = {name: found[1] for name, found in units.items() if found is not None}

    def ten(self, mass: float | None) -> NDArray[np.float64]:
        """Return mass, centre and tensor about it (10,), of a stated mass or the typed density."""
        is_mesh = "mesh" in self.texts
        moments, amount = self._mesh() if is_mesh else self._shape()
        density = None if mass is not None else self._density()
        volume, center = moments[0], moments[1:4] / moments[0]
        m = mass if density is None else density * volume * amount
        spread = np.array([moments[4 + k] / volume - center[a] * center[b] for k, (a, b) in enumerate(_PAIRS)])
        full = spread[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)
        turn = np.eye(3) if is_mesh else _axis_matrix(self.texts.get("axis", ""))
        center, full = turn @ center, turn @ full @ turn.T
        tensor = (m or 0.0) * (np.trace(full) * np.eye(3) - full)
        return np.array([m or 0.0, *center, *(tensor[a, b] for a, b in _PAIRS)])

    def _length(self, value: float, unit: str, column: str) -> float:
        """Return a typed length in coherent units."""
        return value * self._factor(unit or self.header_units.get(column, ""), 1)

    def _factor(self, unit: str, power: int) -> float:
        """Return the factor from a unit of length to coherent units."""
        if (factor := unit_ratio(unit, self.bom.units.length, power)) is None:
            raise _UnverifiedError(f"unit {unit}")
        return factor

    def _shape(self) -> tuple[NDArray[np.float64], float]:
        """Return the moments of the typed shape, and its thickness or section."""
        name = " ".join(re.sub("[_-]", " ", self.texts["shape"].lower()).split())
        name, text = _ALIASES.get(name, name), self.texts.get("dims", "")
        parts = [one for one in re.split(r"[;\n]", text) if one.strip()]
        parts = parts[0].split(",") if len(parts) == 1 and text.count("=") > 1 else parts
        dims: dict[str, float] = {}
        for key, value, unit in map(_typed, parts):
            own = _HALVED.get(key) or _NAMES.get(key, key)
            own = "L" if own == "h" and name != "spherical cap" else own
            own = "wall" if own == "t" and name == "tube" else "t" if own == "wall" and name in _SHEETS else own
            size = self._length(value, unit, "dims") if own not in ("n", "A") else value
            dims[own] = value * self._factor(unit, 2) if own == "A" else size / 2 if key in _HALVED else size
        if "wall" in self.texts:
            _, value, unit = _typed(self.texts["wall"])
            dims["t" if name in _SHEETS else "wall"] = self._length(value, unit, "wall")
        if name == "tube" and "wall" in dims:
            dims["ri"] = dims["r"] - dims.pop("wall")
        return _patch_moments(_shape_patches(name, dims)), dims.get("t", dims.get("A", 1.0))

    def _mesh(self) -> tuple[NDArray[np.float64], float]:
        """Return the moments of the typed mesh in coherent units."""
        options, folder = self.bom.options, Path(self.bom.table.source.name).parent
        if {"wall", "voxel_size"} & self.texts.keys():
            raise _UnverifiedError("a mesh with a wall or voxels")
        unit = self.texts.get("mesh_units") or options.mesh_units
        scale = float(_typed(self.texts.get("mesh_scale", "1"))[1]) * self._factor(unit, 1)
        tried = [path / self.texts["mesh"] for path in (folder, *map(Path, options.mesh_roots))]
        if not unit or not tried[0].is_file():
            raise _UnverifiedError("a mesh whose unit or path is not in the table")
        moments = np.array(_mesh_moments(_read_triangles(tried[0])))
        return moments * np.array([scale**3, *[scale**4] * 3, *[scale**5] * 6]), 1.0

    def _density(self) -> float:
        """Return the typed density, or that of the material, in coherent units."""
        if "density" in self.texts:
            _, value, unit = _typed(self.texts["density"])
            unit = unit or self.header_units.get("density", "")
        else:
            value, unit = _material_density(self.texts.get("material", ""), self.bom.options.materials), "kg/m3"
        if (factor := density_ratio(unit, self.bom.units.mass, self.bom.units.length)) is None:
            raise _UnverifiedError(f"unit {unit}")
        return value * factor


def _material_density(name: str, path: str) -> float:
    """Return the density of a material, kg/m³, from the files of materials."""
    shipped = Path(__file__).parents[1] / "bodies" / "materials.toml"
    found = {}
    for file in (shipped, *([Path(path)] if path else [])):
        for one in tomllib.loads(file.read_text("utf-8")).get("material", []):
            for word in (one["name"], *one.get("aliases", ())):
                found[re.sub(r"[\s_-]", "", word).casefold()] = float(one["density"])
    if (key := re.sub(r"[\s_-]", "", name).casefold()) not in found:
        raise _UnverifiedError(f"material {name!r}")
    return found[key]


def compared_solids(reading: Any, bodies: Bodies) -> set[tuple[int, str]]:
    """Compare what shapes and meshes give with the roll-up; return the items and quantities that were recomputed."""
    bom, made, failed = reading.bom, set[tuple[int, str]](), dict[str, int]()
    named = {name: bom.columns.by_quantity[name].index for name in _COLUMNS if name in bom.columns.by_quantity}
    if not {"shape", "mesh"} & named.keys() or reading.cells is None:
        return made
    stated = {q: c.index for q, c in bom.columns.by_quantity.items()}
    ways = {"shape": 0, "mesh": 0}
    for i in np.flatnonzero(bom.ends).tolist():
        texts = {name: reading.text(int(bom.rows[i]), j) or "" for name, j in named.items()}
        if not (kind := "mesh" if texts.get("mesh") else "shape" if texts.get("shape") else ""):
            continue

        def is_blank(*names: str, row: int = int(bom.rows[i])) -> bool:
            return not any(reading.text(row, stated[one]) for one in names if one in stated)

        try:
            if bom.growth is not None or bom.extra is not None:
                raise _UnverifiedError("solids with growth, or of assemblies")
            ten = _SolidCells(bom, texts).ten(None if is_blank("mass") else float(bodies.mass[i]))
        except (_UnverifiedError, ValueError, IndexError, struct.error, ZeroDivisionError, OSError) as error:
            what = str(error) if isinstance(error, _UnverifiedError) else f"a {kind} in another form"
            failed[what] = failed.get(what, 0) + 1
            continue
        ways[kind] += 1
        center = np.zeros(3) if bodies.center is None else bodies.center[i]
        tensor = np.zeros(6) if bodies.inertia is None else bodies.inertia[i]
        size = float(np.sqrt(np.abs(ten[4:7]).max() / ten[0])) + float(np.abs(ten[1:4]).max())
        for names, used, own, scale in (
            (("mass",), bodies.mass[i : i + 1], ten[:1], ten[0]),
            (("Cx", "Cy", "Cz"), center, ten[1:4], size),
            (("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), tensor, ten[4:], np.abs(ten[4:]).max()),
        ):
            if names[0] not in stated or not is_blank(*names):
                continue
            made |= {(i, name) for name in names}
            gap = float(np.abs(used - own).max() / scale)
            if not gap <= _AGREEMENT:
                k = int(np.argmax(np.abs(used - own)))
                message = f"{names[k]} of {bom.ids[i]} is {float(used[k])!r}, and {float(own[k])!r} by its {kind}"
                place = reading.table.place(int(bom.rows[i]), named[kind])
                reading.findings.report("MP904", message, place, value=repr(float(used[k])), item=bom.ids[i])
    words = {"shape": "shapes by Gauss quadrature", "mesh": "closed meshes by fractions of tetrahedra"}
    reading.methods += [f"{ways[kind]:,} {words[kind]}" for kind in ways if ways[kind]]
    reading.not_verified += [f"{count:,} of {what}" for what, count in failed.items()]
    return made
