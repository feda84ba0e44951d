"""Checks of a robot: links against their geometry and their other side, and findings in the words of its file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import OTHER_SIGN_REMEDY, TensorEvidence, full_tensors
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import factor_message, geometry_faults, mass_factor, placeholder_faults
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.solid_inputs import SolidInput, solid_bodies
from massprops_cli.files.meshes.mesh_file import find_mesh, read_mesh
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, Place, UsageError
from massprops_cli.robots.robot_model import SHAPE_DIMS, CollisionShape, RobotLink, RobotModel
from massprops_cli.robots.sdf.sdf_table import SdfTable, massless_joints, sdf_robot
from massprops_cli.robots.urdf import UrdfTable
from massprops_cli.tables.options import TableOptions

_Floats = NDArray[np.float64]
_LIGHTEST, _DENSEST = 10.0, 25000.0
"""Densities between which solids are, kg/m³: of foams and of the densest metals, with a margin."""
_MARGIN = 0.1  # part of the diagonal of its box by which a collision may be smaller than the link
_LARGEST_EXCESS = 10.0  # factor from which on second moments do not fit a simplified geometry
_GYRATION = 0.15, 0.45  # radii of gyration of ordinary bodies, as shares of the diagonal of their box
_Report = Callable[..., None]  # reports a rule and a message on the inertial of a link, with ``value`` and ``remedy``
_UNTURNED = np.eye(3)
_VISUAL = 5.0
"""Factor by which a tensor is closer to that of a visual than all that this excludes: its extent alone is known."""
_PACKAGE = ("package://", "model://", "file://")
_Geometry = tuple[_Floats, _Floats, float | None]
"""Box ``low (3,)``, ``high (3,)`` of the collisions of a link, and their volume; None if a mesh is among them."""


def _robot_link_bodies(robot: RobotModel) -> tuple[list[RobotLink], BodyArray]:
    """Return the n links that state a mass above 0, and their bodies in the frames of the links; kg, m, kg·m²."""
    stated = [(link, link.inertial) for link in robot.links.values() if link.inertial]
    with_mass = [(link, inertial) for link, inertial in stated if inertial.mass and inertial.pose[0]]
    heavy = [(link, inertial) for link, inertial in with_mass if float(inertial.mass) > 0]
    links, bodies = [link for link, _ in heavy], [inertial for _, inertial in heavy]
    mass = np.array([float(one.mass) for one in bodies])
    center = np.array([[float(text) for text in one.pose[:3]] for one in bodies]).reshape(-1, 3)
    angles = np.array([[float(text) for text in one.pose[3:]] for one in bodies]).reshape(-1, 3)
    own = np.array([[float(text or "nan") for text in one.tensor] for one in bodies]).reshape(-1, 6)
    turned = angles.any(axis=1)
    inertia = own.copy()
    inertia[turned] = Poses.from_rpy(center[turned], angles[turned], "rad").tensors(own[turned])
    return links, BodyArray(mass, center, inertia)


def _check_link_geometry(
    file: str, links: list[RobotLink], bodies: BodyArray, boxes: _MeshBoxes, findings: Findings
) -> None:
    """Report links whose mass, centre or tensor does not fit their collisions (docs/formulas.md, section 12)."""
    for k, link in enumerate(links):
        if (found := _geometry(link.collisions, boxes)) is None or link.inertial is None:
            continue
        report = partial(findings.report, place=Place(link.file or file, line=link.inertial.line), item=link.name)
        mass, center, tensor = float(bodies.mass[k]), bodies.center[k], bodies.inertia[k]
        if _has_odd_density(link.name, mass, found, report):
            continue
        low, high, _ = found
        margin = _MARGIN * float(np.linalg.norm(high - low))  # a collision is often simpler than the link
        low, high = low - margin, high + margin
        if ((center < low) | (center > high)).any():
            _report_center(link.name, center, found, report)
            continue
        # wherever the centre is in the box
        body = BodyArray.of([mass], [(low + high) / 2], [np.nan_to_num(tensor)])
        reduced = BodyArray(body.mass, body.center, body.inertia / _LARGEST_EXCESS)
        if np.isfinite(tensor).all() and geometry_faults(reduced, low, high) and not placeholder_faults(body):
            _report_tensor(link.name, tensor, mass, found, report)
            continue
        exact = _shape_tensor(link.collisions, mass)
        factor = None if exact is None else mass_factor(tensor, exact)
        if factor is not None:
            report("MP718", f"inertia of {link.name}: {factor_message(factor, mass, ' kg')}", item=f"{link.name}/body")


def _shape_values(one: CollisionShape, amount: str, value: float) -> _Floats:
    """Return the ten values of a shape of a mass or density in its own frame, NaN with a fault; kg, m, kg·m²."""
    dims = dict(zip(SHAPE_DIMS[one.kind], one.sizes, strict=True)) | {amount: value}
    return np.asarray(solid_bodies([SolidInput(one.kind, dims, {}, "z", amount)])[0][0])


def _shape_tensor(collisions: Sequence[CollisionShape], mass: float) -> _Floats | None:
    """Return the tensor (6,) of a mass in the only collision of a link, axes of the link; None of meshes or several."""
    if len(collisions) != 1 or collisions[0].kind == "mesh":
        return None
    six = _shape_values(collisions[0], "mass", mass)[4:]
    return np.asarray(Poses.from_rpy([(0, 0, 0)], [collisions[0].rpy], "rad").tensors(six[None])[0])


def link_geometry_tensors(table: Table, options: TableOptions, ids: Collection[str]) -> dict[str, TensorEvidence]:
    """Return the tensors (6,) kg·m² of links from their geometry, axes of the inertial, by the id of the row."""
    # of all links from the only collision; of some ids else from the box around collisions, else from visuals
    if (robot := _robot_of(table)) is None:
        return {}
    found, meshes = {}, _MeshBoxes(options)
    with np.errstate(all="ignore"):
        links, bodies = _robot_link_bodies(robot)
        for link, mass in zip(links, bodies.mass.tolist(), strict=True):
            shown, id = _shape_tensor(link.collisions, mass), f"{link.name}/body"
            evidence = None if shown is None else TensorEvidence(shown, "the collision")
            for shapes, what, clearer in ((link.collisions, "collision", 2.0), (link.visuals, "visual", _VISUAL)):
                if evidence is None and id in ids and (box := _geometry(shapes, meshes)) is not None:
                    sides = CollisionShape("box", tuple(box[1] - box[0]), (0, 0, 0), (0, 0, 0))
                    only = _shape_tensor(shapes, mass)
                    words = f"the box around each {what}" if only is None else f"the {what}"
                    six = _shape_tensor([sides], mass) if only is None else only
                    evidence = None if six is None else TensorEvidence(six, words, False, clearer)
            if evidence is not None and link.inertial is not None:
                turn = Poses.from_rpy([(0, 0, 0)], [[float(text) for text in link.inertial.pose[3:]]], "rad")
                found[id] = evidence._replace(tensor=turn.inverse().tensors(evidence.tensor[None])[0])
    return found


def _has_odd_density(link: str, mass: float, geometry: _Geometry, report: _Report) -> bool:
    """Return whether a mass does not fit the volume, and report it; of meshes only the box is known."""
    low, high, known = geometry
    exact = known is not None
    volume = float(np.prod(high - low)) if known is None else known
    density = mass / volume if volume > 0 else _LIGHTEST
    if is_odd := density > _DENSEST or (exact and density < _LIGHTEST):
        bound = f"at most {_DENSEST:,.0f}" if density > _DENSEST else f"at least {_LIGHTEST:g}"
        what = "collision geometry" if exact else "box of the collision geometry"
        message = (
            f"density of {link} is {density:.3g} kg/m³: {mass:g} kg in the {volume:.3g} m³ of its {what} "
            f"(expected {bound})"
        )
        report("MP883", message, value=f"{mass:g}", remedy=_unit_remedy(density))
    return is_odd


def _unit_remedy(density: float) -> str | None:
    """Return the hint on a mass in grams, or on a geometry in millimetres."""
    if _LIGHTEST * 30 <= density / 1000 <= _DENSEST / 2:
        return "the mass is probably in grams: divide it by 1000"
    if _LIGHTEST * 30 <= density * 1e9 <= _DENSEST / 2:
        return "the geometry is probably in millimetres: write metres"
    return None


def _report_center(link: str, center: _Floats, geometry: _Geometry, report: _Report) -> None:
    """Report a centre outside the box of the collisions."""
    low, high, _ = geometry
    outside = np.maximum(low - center, center - high)
    axis = int(np.argmax(outside))
    message = (
        f"centre of mass of {link} is {outside[axis]:.3g} m outside its collision geometry: "
        f"{'xyz'[axis]} = {center[axis]:g} m is not in {low[axis]:.4g} to {high[axis]:.4g} m"
    )
    other_sign = np.where(np.arange(3) == axis, -center, center)
    remedy = None
    if float(np.linalg.norm(center)) > 10 * float(np.linalg.norm(high - low)):
        remedy = "the centre is probably in millimetres: write metres"
    elif ((low <= other_sign) & (other_sign <= high)).all():
        remedy = f"the {'xyz'[axis]} of the centre has probably the wrong sign"
    report("MP882", message, value=f"{center[axis]:g}", remedy=remedy)


def _report_tensor(link: str, tensor: _Floats, mass: float, geometry: _Geometry, report: _Report) -> None:
    """Report a tensor that mass in the geometry cannot have."""
    radius = float(np.sqrt(0.5 * tensor[:3].sum() / mass))
    size = float(np.linalg.norm(geometry[1] - geometry[0]))
    message = (
        f"inertia tensor of {link} is more than {_LARGEST_EXCESS:g} times what mass in its collision geometry "
        f"can have: radius of gyration {radius:.3g} m, diagonal of the geometry {size:.3g} m"
    )
    factors = {1e-3: "g·m² or kg·m·mm", 1e-6: "kg·mm²", 1e-9: "g·mm²"}
    low, high = _GYRATION
    fits = [unit for power, unit in factors.items() if low < radius * power**0.5 / size < high]
    remedy = f"the tensor is probably in {fits[0]}: write kg·m²" if fits else None
    report("MP884", message, value=", ".join(f"{value:g}" for value in tensor.tolist()), remedy=remedy)


def _geometry(collisions: Sequence[CollisionShape], meshes: _MeshBoxes) -> _Geometry | None:
    """Return the box and the volume of the collisions of a link; None if they are not all known."""
    if not collisions:
        return None
    lows, highs = [], []
    volume: float | None = 0.0
    for one in collisions:
        middle, half = np.zeros(3), np.zeros(3)
        rotation = Poses.from_rpy([one.xyz], [one.rpy], "rad").rotation[0] if any(one.rpy) else _UNTURNED
        if one.kind == "mesh":
            if (box := meshes.box(one)) is None:
                return None
            middle, half = rotation @ (box[0] + box[1]) / 2, np.abs(rotation) @ (box[1] - box[0]) / 2
            volume = None
        else:
            half = _half_extents(one, rotation)
            volume = None if volume is None else volume + float(_shape_values(one, "density", 1.0)[0])
        lows.append(np.array(one.xyz) + middle - half)
        highs.append(np.array(one.xyz) + middle + half)
    return np.min(lows, axis=0), np.max(highs, axis=0), volume


def link_boxes(table: Table, options: TableOptions) -> dict[str, tuple[_Floats, _Floats]]:
    """Return the low and the high corner (3,) m of the collisions of links, in their frames, where all are known."""
    robot = _robot_of(table)
    meshes = _MeshBoxes(options)
    found = {} if robot is None else {link.name: _geometry(link.collisions, meshes) for link in robot.links.values()}
    return {name: (box[0], box[1]) for name, box in found.items() if box is not None and (box[1] > box[0]).all()}


def _robot_of(table: Table) -> RobotModel | None:
    """Return the robot of a table that is one."""
    return table.robot if isinstance(table, UrdfTable) else sdf_robot(table) if isinstance(table, SdfTable) else None


def _half_extents(shape: CollisionShape, rotation: _Floats) -> _Floats:
    """Return half the edges ``(3,)`` of the box around a turned shape."""
    if shape.kind == "box":
        return np.asarray(np.abs(rotation) @ np.array(shape.sizes) / 2)
    if shape.kind == "sphere":
        return np.full(3, shape.sizes[0])
    if shape.kind == "ellipsoid":
        return np.asarray(np.linalg.norm(rotation * np.array(shape.sizes), axis=1))
    radius, length = shape.sizes
    axis = np.abs(rotation[:, 2])
    # the box of a cone is that of its cylinder
    ends = np.ones(3) if shape.kind == "capsule" else np.sqrt(np.maximum(1 - axis**2, 0))
    return np.asarray(axis * length / 2 + radius * ends)


class _MeshBoxes:
    """Boxes around the meshes of a robot in allowed folders, each read once within limits."""

    def __init__(self, options: TableOptions) -> None:
        self._roots, self._caps = [Path(root) for root in options.mesh_roots], options.caps
        self._known: dict[str, tuple[_Floats, _Floats] | None] = {}

    def box(self, shape: CollisionShape) -> tuple[_Floats, _Floats] | None:
        """Return the corners (3,), (3,) of the box of a mesh in metres; None if it is not found or cannot be read."""
        if shape.file not in self._known:
            self._known[shape.file] = self._read(shape.file)
        if (known := self._known[shape.file]) is None:
            return None
        corners = np.array(known) * np.array(shape.scale)
        return corners.min(axis=0), corners.max(axis=0)

    def _read(self, file: str) -> tuple[_Floats, _Floats] | None:
        """Read a mesh from the first allowed folder that has it."""
        name = file
        for prefix in _PACKAGE:
            name = name.removeprefix(prefix)
        for root in self._roots:
            try:
                path = find_mesh(name, root, ())
            except UsageError:
                continue
            if path.is_file():
                if (mesh := read_mesh(path, Findings(), self._caps)) is None or not len(mesh.vertices):
                    return None
                points = mesh.vertices.astype(float) * (mesh.meters or 1.0)
                return points.min(axis=0), points.max(axis=0)
        return None


_SAME_MASS, _SAME_CENTER, _SAME_TENSOR = 0.01, 0.03, 0.05
"""Largest differences of a pair: of mass and tensor as a share of the larger, of centre as a share of its size."""
_SIGNED = 0.02  # share of the size from which on the sign of a component counts
_WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_LONGEST_NAME = 200  # characters of a name in which a side of one letter is found
_TOKEN = re.compile(r"[A-Za-z]+|[^A-Za-z]+")  # ``arm``, ``_`` and ``l`` of ``arm_l``
_MIRRORS = [np.array(signs, dtype=float) for signs in itertools.product((1, -1), repeat=3)]
"""Signs of the axes of one link in those of the other, of mirrored frames and of turned ones."""


def _left_right_pairs(names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that differ only in their side, the left one first."""
    known = set(names)
    for name in names:
        right = next((one for one in _right_names(name) if one in known and one != name), None)
        if right is not None:
            yield name, right


def _right_names(name: str) -> Iterator[str]:
    """Yield the names that the right counterpart of a left link may have."""
    for left, right in _WORDS:
        if left in name:
            yield name.replace(left, right)
    tokens = _TOKEN.findall(name) if len(name) <= _LONGEST_NAME else []
    for k, token in enumerate(tokens):
        sides = {"l": "r", "L": "R"}
        if token in sides:
            yield "".join([*tokens[:k], sides[token], *tokens[k + 1 :]])
        elif len(token) == 2 and token[1] in sides:  # FL, RL, HL
            yield "".join([*tokens[:k], token[0] + sides[token[1]], *tokens[k + 1 :]])
        if (len(token) == 2 and token[0] in sides) or re.match(r"L[A-Z][a-z]", token):  # LF, LH, LThumb
            yield "".join([*tokens[:k], sides[token[0]] + token[1:], *tokens[k + 1 :]])


def _check_left_right(
    file: str,
    robot: RobotModel,
    links: list[RobotLink],
    bodies: BodyArray,
    reported: Collection[str],
    findings: Findings,
) -> None:
    """Report pairs of a left and a right link that are neither alike nor mirrored."""
    # frames of the two may be mirrored or turned by half turns; if they are turned in any other way, only mass,
    # distance of the centre and principal moments are compared
    row = {link.name: k for k, link in enumerate(links)}
    for left, right in _left_right_pairs(list(robot.links)):
        if left in reported or right in reported:
            continue
        if left not in row or right not in row:
            if left in row or right in row:
                _report_one_sided(file, robot, (left, right), left in row, findings)
            continue
        i, j = row[left], row[right]
        rule, message = _difference(bodies[[i, j]], left, right)
        if rule:
            _report(file, (links[i], links[j]), rule, message, findings)


def _report_one_sided(file: str, robot: RobotModel, names: tuple[str, str], is_left: bool, findings: Findings) -> None:
    """Report a pair of which one link has the mass 0, or no inertial."""
    left, right = (robot.links[name] for name in names)
    heavy, light = (left, right) if is_left else (right, left)
    assert heavy.inertial is not None
    if light.inertial and (not light.inertial.mass or float(light.inertial.mass) < 0):
        return  # reported as a missing or a negative mass
    message = f"{light.name} has no mass, but {heavy.name} has {float(heavy.inertial.mass):g} kg"
    _report(file, (light, heavy), "MP880", message, findings)


def _report(file: str, links: tuple[RobotLink, RobotLink], rule: str, message: str, findings: Findings) -> None:
    """Report a pair on the line of the first link."""
    lines = [link.inertial.line if link.inertial else link.line for link in links]
    files = [link.file or file for link in links]
    place, related = Place(files[0], line=lines[0]), (Place(files[1], line=lines[1]),)
    findings.report(rule, message, place, value=links[0].name, item=links[0].name, related=related)


def _pair_size(pair: BodyArray) -> float:
    """Return the length to which two centres are compared: distance of the centres and radius of gyration."""
    radii = np.sqrt(np.maximum(np.nansum(pair.inertia[:, :3], axis=1), 0.0) / (2 * pair.mass))
    return float(max(*radii, *np.linalg.norm(pair.center, axis=1)))


def _difference(pair: BodyArray, left: str, right: str) -> tuple[str, str]:
    """Return the rule and the message of the first difference of a pair; empty if there is none."""
    a, b = pair.mass.tolist()
    if abs(a - b) > _SAME_MASS * max(a, b):
        return "MP880", f"masses of {left} and {right} differ by {abs(a - b) / max(a, b):.1%}: {a:g} and {b:g} kg"
    with_tensors = all(bool(np.isfinite(one).all()) for one in pair.inertia)
    is_zero = with_tensors and not all(one.any() for one in pair.inertia)  # reported as such
    if is_zero or any(_agree(pair, signs, with_tensors) for signs in _MIRRORS):
        return "", ""
    wrong = []
    if with_tensors:  # and they agree but for the signs of coordinates and products
        (c, d), (i, j) = np.abs(pair.center), np.abs(pair.inertia)
        is_equal = np.abs(c - d).max() <= _SAME_CENTER * _pair_size(pair)
        wrong = _wrong_products(pair) if is_equal and np.abs(i - j).max() <= _SAME_TENSOR * np.abs(i).max() else []
    if wrong:
        verb = "has" if len(wrong) == 1 else "have"
        return "MP881", f"{' and '.join(wrong)} of {right} {verb} the wrong sign for a mirror image of {left}"
    p, q = (float(np.linalg.norm(one)) for one in pair.center)
    if abs(p - q) > _SAME_CENTER * _pair_size(pair):
        at = " and ".join(f"({', '.join(f'{value:g}' for value in one.tolist())})" for one in pair.center)
        return "MP880", f"centres of mass of {left} and {right} are not mirrored: {at} m"
    if with_tensors:
        principal = [np.linalg.eigvalsh(full_tensors(one)) for one in pair.inertia]
        if not np.abs(principal[0] - principal[1]).max() <= _SAME_TENSOR * np.abs(principal[0]).max():
            moments = " and ".join(", ".join(f"{one:.4g}" for one in three.tolist()) for three in principal)
            return "MP880", f"inertia tensors of {left} and {right} differ: principal moments {moments} kg·m²"
    return "", ""


def _agree(pair: BodyArray, signs: _Floats, with_tensors: bool) -> bool:
    """Return whether the right body is the left one with the signs of its axes changed."""
    if np.abs(pair.center[0] * signs - pair.center[1]).max() > _SAME_CENTER * _pair_size(pair):
        return False
    if not with_tensors:
        return True
    expected = pair.inertia[0] * _product_signs(signs)
    return bool(np.abs(expected - pair.inertia[1]).max() <= _SAME_TENSOR * np.abs(pair.inertia[0]).max())


def _product_signs(signs: _Floats) -> _Floats:
    """Return the signs (6,) of tensor entries under signs (3,) of the axes."""
    x, y, z = signs
    return np.array([1, 1, 1, x * y, x * z, y * z])


def _wrong_products(pair: BodyArray) -> list[str]:
    """Return the products whose signs do not fit the mirror image that has the fewest of them; none if unclear."""
    found: list[list[str]] = []
    for signs in _MIRRORS:
        if np.abs(pair.center[0] * signs - pair.center[1]).max() > _SAME_CENTER * _pair_size(pair):
            continue
        expected = (pair.inertia[0] * _product_signs(signs))[3:]
        differ = np.abs(expected - pair.inertia[1][3:]) > _SIGNED * np.abs(pair.inertia[0]).max()
        found.append([name for name, is_wrong in zip(("Ixy", "Ixz", "Iyz"), differ, strict=True) if is_wrong])
    return min(found, key=len, default=[])


_REMEDIES = {
    "MP206": "state the mass of the link in its inertial",
    "MP402": "state the mass of the link, or delete its inertial",
    "MP406": "state the inertia of the link: from CAD, or from its geometry",
    "MP718": "correct the mass, or multiply the tensor: massprops convert --fix does it",
    "MP713": "state the inertia of the link: from CAD, or from its geometry",
    "MP714": "state the inertia of each link: from CAD, or from its geometry",
}  # fmt: skip
_NO_NOTES = ("MP217", "MP222")  # notes on quantities and columns, which the file of a robot does not have
_OTHER_SIGN = "change the signs of ixy, ixz and iyz: the file has entries of the tensor, which are minus the integrals"


def check_robot(table: Table, options: TableOptions, findings: Findings) -> None:
    """Report links whose numbers do not fit their geometry or their counterpart on the other side."""
    if isinstance(table, SdfTable):
        robot = sdf_robot(table)
        for model, joint, child in massless_joints(table):
            message = f"{joint.kind} joint {joint.name} moves link {child}, whose mass is 0"
            findings.report("MP864", message, model.file.place(joint.line), value=joint.name, item=child)
    elif isinstance(table, UrdfTable):
        robot = table.robot
    else:
        return
    meshes = _MeshBoxes(options)
    with np.errstate(all="ignore"):  # numbers too large are reported by the roll-up
        links, bodies = _robot_link_bodies(robot)
        _check_link_geometry(table.source.name, links, bodies, meshes, findings)
        # a mass that fits no volume differs from that of the other side for the same cause
        reported = {finding.item for finding in findings if finding.rule == "MP883"}
        _check_left_right(table.source.name, robot, links, bodies, reported, findings)


def robot_findings(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Return the findings of a robot: hints in the words of its file, one finding for each cause."""
    moved = {finding.item for finding in findings if finding.rule == "MP864"}
    bodies = table.bodies if isinstance(table, SdfTable) else []
    defaults = {table.text(one.row, 0) for one in bodies if one.is_default and not one.states_tensor}
    incomplete: set[str] = getattr(table, "incomplete", set())
    hidden = {"MP206": incomplete, "MP402": moved, "MP713": defaults, "MP714": defaults}
    return [
        replace(
            one,
            remedy=_OTHER_SIGN
            if one.remedy == OTHER_SIGN_REMEDY
            else _REMEDIES.get("MP713" if "Ipoint" in one.remedy else one.rule, one.remedy),
        )
        for one in findings
        if one.rule not in _NO_NOTES and not {one.item, one.item.removesuffix("/body")} & hidden.get(one.rule, set())
    ]
