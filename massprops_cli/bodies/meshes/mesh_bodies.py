"""Bodies of meshes: mass, centre and inertia of the enclosed volume with uncertainty, or of a custom calculator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import computed_body_faults, full_tensors
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.meshes import mesh_defects
from massprops_cli.bodies.meshes.mesh import Mesh, MeshMoments, mesh_moments, ten_values
from massprops_cli.bodies.meshes.mesh_shells import MeshEdges, mesh_union
from massprops_cli.findings.finding import Findings, UsageError, name_list, nearest_name_hint

_Floats = NDArray[np.float64]
_SMOOTH_ANGLE = np.radians(45.0) + 1e-6  # an octagon is at 45°, apart from rounding
"""Largest angle between the normals of two triangles that may belong to one curved surface."""
_FLAT_ANGLE = 1e-6  # rad; facets at less are one plane, apart from rounding
_CALCULATOR_GROUP = "massprops.calculators"
_Calculator = Callable[[Mesh, float, Mapping[str, str], Findings], Body | None]
"""Mesh in metres, density in kg/m³, parameters and collector of findings → body in SI, or None."""


def _rounding_covariance(mesh: Mesh, *, is_surface: bool = False) -> _Floats:
    """Return the covariance (10, 10), units of the file, of moments about the box centre from rounded coordinates."""
    # independent and uniform, σ = step/√12; the volume is exact to first order; docs/formulas.md, section 13
    corners, area = mesh_defects.face_vectors(mesh)
    if is_surface:
        sizes = np.linalg.norm(area, axis=1, keepdims=True)
        normal = np.divide(area, sizes, out=np.zeros_like(area), where=sizes > 0)
        opposite = [corners[:, (k + 2) % 3] - corners[:, (k + 1) % 3] for k in range(3)]
        shares = [np.cross(normal, one) / 2 for one in opposite]
    else:
        shares = [area / 3] * 3
    n = len(mesh.vertices)
    pull = np.zeros((n, 3))
    for k, share in enumerate(shares):
        for axis in range(3):
            pull[:, axis] += np.bincount(mesh.faces[:, k], share[:, axis], n)
    variance = (pull**2 * mesh.coordinate_steps() ** 2 / 12).sum(axis=1)
    # in the moments after the first, a vertex's share of its triangles is put at the vertex
    G = mesh_defects.moment_weights(mesh.vertices - mesh.center)
    return np.asarray((G * variance[:, None]).T @ G)


def _tessellation_bias(edges: MeshEdges) -> MeshMoments:
    """Bound the change of the moments by flat facets on a curved surface; docs/formulas.md, section 13."""
    mesh = edges.mesh
    corners, area = mesh_defects.face_vectors(mesh)
    double = 2 * np.linalg.norm(area, axis=1)
    pairs = edges.neighbors
    ends = mesh.vertices[edges.neighbor_ends].astype(float) - mesh.center
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    usable = (double[pairs] > 0).all(axis=1) & (length > 0)
    pairs, ends, along, length = pairs[usable], ends[usable], along[usable], length[usable]
    first, second = (area[pairs[:, k]] / (double[pairs[:, k], None] / 2) for k in (0, 1))
    turn = np.cross(first, second)
    angle = np.arctan2((turn * along).sum(axis=1) / length, (first * second).sum(axis=1))
    # rounding of the coordinates turns a facet by up to a step over its height
    flat = _FLAT_ANGLE + 2 * mesh.coordinate_steps().max(initial=0.0) * (length[:, None] / double[pairs]).sum(axis=1)
    angle = np.where((np.abs(angle) <= _SMOOTH_ANGLE) & (np.abs(angle) > flat), angle, 0.0)
    # two facets at an angle θ are chords of one arc: over a width w it rises by at most (w/2) tan(θ/4)
    rise = np.zeros(len(mesh.faces))
    for k in (0, 1):
        np.add.at(rise, pairs[:, k], double[pairs[:, k]] / length / 2 * np.tan(angle / 4))
    return MeshMoments(mesh.center, np.asarray((rise * double / 2) @ mesh_defects.moment_weights(corners.mean(axis=1))))


def _find_calculator(name: str) -> _Calculator:
    """Load a custom calculator."""
    known = {point.name: point for point in entry_points(group=_CALCULATOR_GROUP)}
    if name not in known:
        listed = f" (registered: {name_list(sorted(known))})" if known else " (no package registers a calculator)"
        raise UsageError(f"unknown calculator: {name}{nearest_name_hint(name, known) or listed}")
    try:
        found: Any = known[name].load()
    except Exception as error:
        raise UsageError(f"calculator {name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise UsageError(f"calculator {name} is not callable: {known[name].value}")
    return found  # type: ignore[no-any-return] # what a package registers has no type


def calculated_body(
    name: str, mesh: Mesh, density: float, parameters: Mapping[str, str], findings: Findings
) -> Body | None:
    """Return the body that a custom calculator makes of a mesh."""
    calculate = _find_calculator(name)
    before = len(findings)
    try:
        body = calculate(mesh, density, parameters, findings)
    except Exception as error:
        message = f"calculator {name} failed: {type(error).__name__}: {error}"
        findings.report("MP737", message, value=name, remedy="report it to the author of the calculator")
        return None
    if body is None:
        if len(findings) == before:
            findings.report("MP737", f"calculator {name} returned no body and no finding", value=name)
        return None
    parts = (body.mass, body.center, body.inertia) if isinstance(body, Body) else (None,)
    if not all(part is not None and np.isfinite(np.asarray(part, dtype=float)).all() for part in parts):
        findings.report("MP737", f"calculator {name} returned no body with a mass, centre and tensor", value=name)
        return None
    return body


_READINGS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "ft": 0.3048}
"""Units of length that mesh files have in practice."""
_SIZES = (1e-3, 50.0)  # largest dimension of an ordinary part, m
_DENSITIES = (5.0, 25_000.0)  # density of a part, from foam to osmium, kg/m³
_COARSE_STEP = 1e-4  # sigma of the rounding of coordinates, as a share, that is reported
_COARSE_FACETS = 5e-3  # bound of flat facets, as a share of the mass, that is reported
_THIN_RAYS = 0.1  # share of rays through thin walls that is reported
_UNITED_RULES = ("MP728", "MP729", "MP730")  # what a union changes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeshInput:
    """A mesh, and what makes a body of it.

    Attributes
    ----------
    mesh : Mesh
        Triangles as read.
    length : float
        Length of one unit of the file, with the scale of the mesh, in the coherent unit.
    density, mass : float or None
        What states the mass, in coherent units; a mass has priority.
    wall : float or None
        Thickness, if the body is the surface.
    voxel : float or None
        Size of the voxels, coherent length, if they are used.
    sigmas : mapping of str to float
        One standard deviation of ``density``, ``mass``, ``wall``, ``offset`` (coherent units) and ``scale`` (share).
    use_union : bool
        Overlaps count once, by the union of all shells.
    name : str
        Name in messages.
    meters, kilograms : float or None
        Size of the coherent units of length and mass; None if not stated.
    """

    mesh: Mesh
    length: float = 1.0
    density: float | None = None
    mass: float | None = None
    wall: float | None = None
    voxel: float | None = None
    sigmas: Mapping[str, float] = field(default_factory=dict)
    use_union: bool = False
    name: str = "mesh"
    meters: float | None = None
    kilograms: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeshBody:
    """A body computed from a mesh, in coherent units and in the axes of the file.

    Attributes
    ----------
    ten : array, shape (10,)
        Mass, Cx … Cz, Ixx … Iyz about the own centre as tensor entries.
    covariance : array, shape (10, 10)
        First-order covariance of the same.
    deviations : mapping of str to array, shape (10,)
        One standard deviation by source: ``rounding``, ``facets``, ``open edges``, ``voxels``, and the inputs.
    amount : float
        Volume, or area of a surface.
    """

    ten: _Floats
    covariance: _Floats
    deviations: Mapping[str, _Floats]
    amount: float

    def body(self, name: str = "") -> Body:
        """Return the body with its covariance.

        Parameters
        ----------
        name : str, optional
            Name in messages.

        Returns
        -------
        Body
            The body in coherent units and in the axes of the file.
        """
        plain = Body(float(self.ten[0]), self.ten[1:4].copy(), full_tensors(self.ten[4:]), name=name)
        return plain.with_covariance(self.covariance)


def mesh_body(given: MeshInput, findings: Findings) -> MeshBody | None:
    """Compute the body of a mesh, and report its defects.

    Parameters
    ----------
    given : MeshInput
        Mesh, unit, and what states the mass.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    MeshBody or None
        The body; None if the mesh has none.

    Raises
    ------
    UsageError
        Neither mass nor density is stated, an option contradicts another, or the union cannot be computed.

    Notes
    -----
    docs/formulas.md, section 13.

    Examples
    --------
    >>> corner = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    >>> mesh_body(MeshInput(corner, density=600.0), Findings()).ten[:4].round(9).tolist()
    [100.0, 0.25, 0.25, 0.25]
    """
    if given.density is None and given.mass is None:
        raise UsageError("mass, density and material are not stated; one of them is needed")
    if given.wall is not None and (given.voxel is not None or given.use_union or "offset" in given.sigmas):
        raise UsageError("a mesh with a wall is a surface, which has no voxels, no union and no offset")
    if given.voxel is not None and given.use_union:
        raise UsageError("voxels count overlaps once; they are not combined with a union")
    if not mesh_defects.usable_mesh(given.mesh, given.name, findings):
        return None
    found = Findings()
    checked = mesh_defects.check_mesh(
        given.mesh, given.name, found, is_surface=given.wall is not None, is_voxels=given.voxel is not None
    )
    findings += [one for one in found if not (given.use_union and one.rule in _UNITED_RULES)]
    if checked is not None and given.use_union:
        found = Findings()
        checked = mesh_defects.check_mesh(
            mesh_union(checked.edges), given.name, found, is_surface=False, is_voxels=False
        )
        findings += [one for one in found if one.is_withholding or one.rule == "MP729"]
    return None if checked is None else _MeshCalculation(given, checked, findings).result()


class _MeshCalculation:
    """The steps from checked triangles to a body."""

    def __init__(self, given: MeshInput, checked: mesh_defects.CheckedMesh, findings: Findings) -> None:
        self.given, self.checked, self.findings = given, checked, findings
        self.is_surface = given.wall is not None
        self.dimension: Literal[2, 3] = 2 if self.is_surface else 3
        self.voxels = self._voxels()
        moments = checked.moments if self.voxels is None else self.voxels.moments
        self.moments = moments.scaled(given.length, self.dimension)

    def _voxels(self) -> mesh_defects.VoxelMoments | None:
        """Return the voxels, with findings of their error and of walls that they do not show."""
        if (given := self.given).voxel is None:
            return None
        found = mesh_defects.voxel_moments(
            self.checked.edges.mesh, given.voxel / given.length, use_winding=self.checked.is_oriented
        )
        volume = found.moments.amount
        off = found.moments.values - self.checked.moments.values - self.checked.gap  # to the body with flat caps
        of = "larger voxels"
        if self.checked.gap.any() and abs(off[0]) > abs(found.error[0]):
            found, of = replace(found, error=off), "the body with flat caps on its holes"
        shape = "×".join(str(n) for n in found.shape)
        if not volume > 0:
            message = f"mesh {given.name} has no voxel inside, of {shape}"
            self.findings.report("MP735", message, value=f"{given.voxel:g}")
            return None
        share = np.sqrt(found.error[0] ** 2 + found.rest[0, 0]) / volume
        odd = f"; {found.odd_share:.2%} of the rays pass a hole" if found.odd_share else ""
        message = f"mesh {given.name} is computed from {shape} voxels: ± {share:.2g} of the mass,"
        self.findings.report("MP738", f"{message} by the difference to {of}, and by chance{odd}", value=shape)
        if found.thin_share > _THIN_RAYS:
            size = f"{given.voxel:g}" if given.meters is None else f"{given.voxel * given.meters:g} m"
            message = f"mesh {given.name} has walls thinner than a voxel of {size}"
            self.findings.report("MP735", f"{message}, on {found.thin_share:.0%} of the rays", value=f"{given.voxel:g}")
        return found

    def result(self) -> MeshBody | None:
        """Return the body, and report what makes it uncertain."""
        if (given := self.given).voxel is not None and self.voxels is None:
            return None
        amount = self.moments.amount
        thickness = 1.0 if given.wall is None else given.wall
        density = given.density if given.mass is None else given.mass / (amount * thickness)
        assert density is not None
        with np.errstate(all="ignore"):  # what is not finite has no body
            ten, derivatives = ten_values(self.moments, density * thickness)
        impossible = [*computed_body_faults(ten[None]).values()]
        if impossible and abs(self.checked.moments.amount) <= 1e-9 * np.prod(np.ptp(self.checked.edges.mesh.bounds, 0)):
            impossible = [f"its volume {self.checked.moments.amount:.3g} in units of the file is that of rounding"]
        for message in [*impossible, *self._wall_faults()]:
            remedy = "check the surface, the wall, the unit and the scale of the mesh"
            self.findings.report("MP721", f"mesh {given.name} has no body: {message}", value=given.name, remedy=remedy)
            return None
        self._report_size(density)
        deviations = self._deviations(ten, derivatives)
        V = sum((np.outer(one, one) for one in deviations.values()), np.zeros((10, 10)))
        C = _rounding_covariance(self.checked.edges.mesh, is_surface=self.is_surface)
        D = np.column_stack([derivatives(self._scaled(unit)) for unit in np.eye(10)])
        rounding = D @ C @ D.T  # of the coordinates
        V += rounding if self.voxels is None else rounding + D @ self.voxels.rest @ D.T
        deviations["rounding"] = np.sqrt(np.diag(rounding))
        self._report_precision(ten, deviations)
        if given.mass is not None:
            V, deviations = _with_stated_mass(ten, V, deviations, given.sigmas.get("mass", 0.0))
        return MeshBody(ten, V, deviations, amount)

    def _wall_faults(self) -> list[str]:
        """Return why a closed surface has no cavity with its wall; an open one has none to lose."""
        edges, wall = self.checked.edges, self.given.wall
        low, high = edges.mesh.bounds
        side = float((high - low).min()) * self.given.length
        if wall is None or wall <= side * (1 + 1e-9) or not edges.is_closed:
            return []
        return [f"wall {wall:.6g} is larger than the smallest side {side:.6g} of its box and leaves no cavity"]

    def _scaled(self, values: _Floats) -> MeshMoments:
        """Return changes of the moments about the box centre in coherent units."""
        return MeshMoments(self.checked.edges.mesh.center, values).scaled(self.given.length, self.dimension)

    def _deviations(self, ten: _Floats, derivatives: Callable[[MeshMoments], _Floats]) -> dict[str, _Floats]:
        """Return one standard deviation of the ten values for each source that all values share."""
        given, sigmas = self.given, self.given.sigmas
        found: dict[str, _Floats] = {}
        if self.voxels is not None:
            found["voxels"] = derivatives(self._scaled(self.voxels.error))
        else:
            if self.checked.gap.any():
                found["open edges"] = derivatives(self._scaled(self.checked.gap))
            bias = np.zeros(10) if self.is_surface else _tessellation_bias(self.checked.edges).values
            if bias.any():  # between 0 and the bound: its half width is not known better than the bound itself
                found["facets"] = derivatives(self._scaled(bias)) / 3**0.5
        for name, base in (("density", given.density), ("wall", given.wall)):
            if sigmas.get(name) and base:
                found[name] = _mass_change(ten) * sigmas[name] / base
        if sigmas.get("scale"):
            powers = [self.dimension, *[1] * 3, *[self.dimension + 2] * 6]
            found["scale"] = ten * np.array(powers, dtype=float) * sigmas["scale"]
        if sigmas.get("offset"):
            surface = mesh_moments(self.checked.edges.mesh, "surface").scaled(given.length, 2)
            found["offset"] = derivatives(surface) * sigmas["offset"]
        return found

    def _report_size(self, density: float) -> None:
        """Report a size or an implied density that no part has."""
        if (given := self.given).meters is None:
            return
        size = self.checked.edges.mesh.bounds
        largest = float((size[1] - size[0]).max()) * given.length * given.meters
        is_dense = True
        if given.mass is not None and given.kilograms is not None:
            implied = density * given.kilograms / given.meters**3
            is_dense = _DENSITIES[0] <= implied <= _DENSITIES[1]
            if not is_dense:
                message = (
                    f"mesh {given.name} has an implied density of {implied:.3g} kg/m³ with a size of {largest:.3g} m"
                )
                self.findings.report("MP732", message, value=f"{implied:.3g}")
        if is_dense and not _SIZES[0] <= largest <= _SIZES[1]:
            message = f"mesh {given.name} has a size of {largest:.3g} m"
            self.findings.report(
                "MP732", f"{message} (expected {_SIZES[0]:g} to {_SIZES[1]:g} m)", value=f"{largest:g}"
            )

    def _report_precision(self, ten: _Floats, deviations: Mapping[str, _Floats]) -> None:
        """Report coordinates and facets that are too coarse for the result."""
        of_mass = deviations["rounding"][0] / abs(ten[0])
        of_inertia = deviations["rounding"][4:].max() / np.abs(ten[4:]).max()
        if max(of_mass, of_inertia) > _COARSE_STEP:
            step = float(self.checked.edges.mesh.coordinate_steps().max())
            message = (
                f"coordinates of mesh {self.given.name} are rounded to {step:.2g} in units of the file: σ is "
                f"{of_mass:.2g} of the mass and {of_inertia:.2g} of the inertia"
            )
            self.findings.report("MP733", message, value=f"{step:.2g}")
        bias = deviations.get("facets")
        if bias is not None and abs(bias[0]) * 3**0.5 > _COARSE_FACETS * abs(ten[0]):
            share = bias[0] * 3**0.5 / ten[0]
            message = f"facets of mesh {self.given.name} are coarse: curved surfaces that they approximate change the"
            self.findings.report("MP734", f"{message} mass by up to {share:+.2%}", value=f"{share:.2g}")


def _mass_change(ten: _Floats) -> _Floats:
    """Return the ten values whose change is proportional to the density."""
    return np.array([ten[0], 0.0, 0.0, 0.0, *ten[4:]])


def _with_stated_mass(
    ten: _Floats, V: _Floats, deviations: Mapping[str, _Floats], sigma: float
) -> tuple[_Floats, dict[str, _Floats]]:
    """Return the covariance and deviations if the mass is stated: the geometry changes the density, not the mass."""
    keep = np.eye(10)
    keep[:, 0] -= _mass_change(ten) / ten[0]
    found = {name: keep @ one for name, one in deviations.items() if name != "rounding"}
    V = keep @ V @ keep.T
    found["rounding"] = np.asarray(deviations["rounding"] * [0.0, *[1.0] * 9])
    if sigma:
        found["mass"] = _mass_change(ten) * sigma / ten[0]
        V = V + np.outer(found["mass"], found["mass"])
    return V, found


def unit_readings(mesh: Mesh, density: float | None, wall: float | None = None) -> str:
    """Return the size and the mass of a mesh for each unit that its file may have."""
    low, high = mesh.bounds
    size = " × ".join(f"{value:.4g}" for value in (high - low).tolist())
    amount = abs(mesh_moments(mesh, "volume" if wall is None else "surface").amount)
    parts = []
    for unit, meters in _READINGS.items():
        mass = None if density is None else density * amount * (meters**3 if wall is None else meters**2 * wall)
        parts.append(f"{unit}: {size} {unit}" + ("" if mass is None else f", {mass:.4g} kg"))
    return "; ".join(parts)
