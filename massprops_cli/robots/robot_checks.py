"""Checks of a robot: links against their geometry and their other side, and findings in the words of its file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import OTHER_SIGN_REMEDY, full_tensors
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, Place
from massprops_cli.robots.link_checks import LinkBodies, MeshBoxes, check_link_geometry, robot_link_bodies
from massprops_cli.robots.robot_model import RobotLink, RobotModel
from massprops_cli.robots.sdf.sdf_robot import massless_joints, sdf_robot
from massprops_cli.robots.sdf.sdf_table import SdfTable
from massprops_cli.robots.urdf import UrdfTable
from massprops_cli.tables.options import TableOptions

_Floats = NDArray[np.float64]
_SAME_MASS, _SAME_CENTER, _SAME_TENSOR = 0.01, 0.03, 0.05
"""Largest differences of a pair: of mass and tensor as a share of the larger, of centre as a share of its size."""
_SIGNED = 0.02
"""Share of the size from which on the sign of a component counts."""
_WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_LONGEST_NAME = 200
"""Characters of a name in which a side of one letter is found."""
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


class _Pair(NamedTuple):
    """The numbers of two links: masses, centres ``(3,)`` and tensors ``(6,)``."""

    mass: tuple[float, float]
    center: tuple[_Floats, _Floats]
    inertia: tuple[_Floats, _Floats]

    @property
    def size(self) -> float:
        """Length to which the centres are compared: distance of the centres and radius of gyration."""
        radii = [np.sqrt(max(np.nansum(i[:3]), 0.0) / (2 * m)) for m, i in zip(self.mass, self.inertia, strict=True)]
        return float(max(*radii, *(np.linalg.norm(c) for c in self.center)))


def _check_left_right(
    file: str, robot: RobotModel, bodies: LinkBodies, reported: Collection[str], findings: Findings
) -> None:
    """Report pairs of a left and a right link that are neither alike nor mirrored."""
    # frames of the two may be mirrored or turned by half turns; if they are turned in any other way, only mass,
    # distance of the centre and principal moments are compared
    row = {link.name: k for k, link in enumerate(bodies.links)}
    for left, right in _left_right_pairs(list(robot.links)):
        if left in reported or right in reported:
            continue
        if left not in row or right not in row:
            if left in row or right in row:
                _report_one_sided(file, robot, (left, right), left in row, findings)
            continue
        i, j = row[left], row[right]
        pair = _Pair(
            (float(bodies.mass[i]), float(bodies.mass[j])),
            (bodies.center[i], bodies.center[j]),
            (bodies.inertia[i], bodies.inertia[j]),
        )
        rule, message = _difference(pair, left, right)
        if rule:
            _report(file, (bodies.links[i], bodies.links[j]), rule, message, findings)


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


def _difference(pair: _Pair, left: str, right: str) -> tuple[str, str]:
    """Return the rule and the message of the first difference of a pair; empty if there is none."""
    a, b = pair.mass
    if abs(a - b) > _SAME_MASS * max(a, b):
        return "MP880", f"masses of {left} and {right} differ by {abs(a - b) / max(a, b):.1%}: {a:g} and {b:g} kg"
    with_tensors = all(bool(np.isfinite(one).all()) for one in pair.inertia)
    is_zero = with_tensors and not all(one.any() for one in pair.inertia)  # reported as such
    if is_zero or any(_agree(pair, signs, with_tensors) for signs in _MIRRORS):
        return "", ""
    wrong = _wrong_products(pair) if with_tensors and _sizes_agree(pair) else []
    if wrong:
        verb = "has" if len(wrong) == 1 else "have"
        return "MP881", f"{' and '.join(wrong)} of {right} {verb} the wrong sign for a mirror image of {left}"
    p, q = (float(np.linalg.norm(one)) for one in pair.center)
    if abs(p - q) > _SAME_CENTER * pair.size:
        at = " and ".join(f"({', '.join(f'{value:g}' for value in one.tolist())})" for one in pair.center)
        return "MP880", f"centres of mass of {left} and {right} are not mirrored: {at} m"
    if with_tensors:
        principal = [np.linalg.eigvalsh(full_tensors(one)) for one in pair.inertia]
        if not np.abs(principal[0] - principal[1]).max() <= _SAME_TENSOR * np.abs(principal[0]).max():
            moments = " and ".join(", ".join(f"{one:.4g}" for one in three.tolist()) for three in principal)
            return "MP880", f"inertia tensors of {left} and {right} differ: principal moments {moments} kg·m²"
    return "", ""


def _agree(pair: _Pair, signs: _Floats, with_tensors: bool) -> bool:
    """Return whether the right body is the left one with the signs of its axes changed."""
    if np.abs(pair.center[0] * signs - pair.center[1]).max() > _SAME_CENTER * pair.size:
        return False
    if not with_tensors:
        return True
    expected = pair.inertia[0] * _product_signs(signs)
    return bool(np.abs(expected - pair.inertia[1]).max() <= _SAME_TENSOR * np.abs(pair.inertia[0]).max())


def _product_signs(signs: _Floats) -> _Floats:
    """Return the signs (6,) of tensor entries under signs (3,) of the axes."""
    x, y, z = signs
    return np.array([1, 1, 1, x * y, x * z, y * z])


def _sizes_agree(pair: _Pair) -> bool:
    """Return whether the bodies agree but for the signs of coordinates and products."""
    (c, d), (i, j) = np.abs(pair.center), np.abs(pair.inertia)
    return bool(
        np.abs(c - d).max() <= _SAME_CENTER * pair.size and np.abs(i - j).max() <= _SAME_TENSOR * np.abs(i).max()
    )


def _wrong_products(pair: _Pair) -> list[str]:
    """Return the products whose signs do not fit the mirror image that has the fewest of them; none if unclear."""
    found: list[list[str]] = []
    for signs in _MIRRORS:
        if np.abs(pair.center[0] * signs - pair.center[1]).max() > _SAME_CENTER * pair.size:
            continue
        expected = (pair.inertia[0] * _product_signs(signs))[3:]
        differ = np.abs(expected - pair.inertia[1][3:]) > _SIGNED * np.abs(pair.inertia[0]).max()
        found.append([name for name, is_wrong in zip(("Ixy", "Ixz", "Iyz"), differ, strict=True) if is_wrong])
    return min(found, key=len, default=[])


_REMEDIES = {
    "MP206": "state the mass of the link in its inertial",
    "MP402": "state the mass of the link, or delete its inertial",
    "MP406": "state the inertia of the link: from CAD, or from its geometry",
    "MP713": "state the inertia of the link: from CAD, or from its geometry",
    "MP714": "state the inertia of each link: from CAD, or from its geometry",
}
_NO_NOTES = ("MP217", "MP222")
"""Notes on quantities and columns, which the file of a robot does not have."""
_OTHER_SIGN = "change the signs of ixy, ixz and iyz: the file has entries of the tensor, which are minus the integrals"


def check_robot(table: Table, options: TableOptions, findings: Findings) -> None:
    """Report links whose numbers do not fit their geometry or their counterpart on the other side."""
    if isinstance(table, SdfTable):
        robot = sdf_robot(table)
        _report_massless_joints(table, findings)
    elif isinstance(table, UrdfTable):
        robot = table.robot
    else:
        return
    meshes = MeshBoxes(options.mesh_roots, options.caps)
    with np.errstate(all="ignore"):  # numbers too large are reported by the roll-up
        bodies = robot_link_bodies(robot)
        check_link_geometry(table.source.name, bodies, meshes, findings)
        # a mass that fits no volume differs from that of the other side for the same cause
        reported = {finding.item for finding in findings if finding.rule == "MP883"}
        _check_left_right(table.source.name, robot, bodies, reported, findings)


def _report_massless_joints(table: SdfTable, findings: Findings) -> None:
    """Report joints of an SDF file that move no mass."""
    for model, joint, child in massless_joints(table):
        message = f"{joint.kind} joint {joint.name} moves link {child}, whose mass is 0"
        findings.report("MP864", message, model.file.place(joint.line), value=joint.name, item=child)


def robot_findings(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Return the findings of a robot: hints in the words of its file, one finding for each cause."""
    moved = {finding.item for finding in findings if finding.rule == "MP864"}
    bodies = table.bodies if isinstance(table, SdfTable) else []
    defaults = {table.text(one.row, 0) for one in bodies if one.is_default and not one.states_tensor}
    hidden = {"MP402": moved, "MP713": defaults, "MP714": defaults}
    return [
        replace(one, remedy=_remedy(one))
        for one in findings
        if one.rule not in _NO_NOTES and not {one.item, one.item.removesuffix("/body")} & hidden.get(one.rule, set())
    ]


def _remedy(finding: Finding) -> str:
    """Return the hint of a finding for a robot."""
    if finding.remedy == OTHER_SIGN_REMEDY:
        return _OTHER_SIGN
    if "Ipoint" in finding.remedy:
        return _REMEDIES["MP713"]
    return _REMEDIES.get(finding.rule, finding.remedy)
