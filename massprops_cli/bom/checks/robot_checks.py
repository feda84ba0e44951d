"""Checks of the table of a robot, and what its findings recommend: the file has links and inertials, not rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from massprops_cli.bodies.bodies import OTHER_SIGN_REMEDY
from massprops_cli.bom.checks.robot_links import MeshFolders, check_link_geometry, robot_link_bodies
from massprops_cli.bom.checks.robot_pairs import check_left_right
from massprops_cli.files.robots.sdf import SdfTable
from massprops_cli.files.robots.sdf_robot import massless_joints, sdf_robot
from massprops_cli.files.robots.urdf import UrdfTable
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings
from massprops_cli.tables.options import TableOptions

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
    meshes = MeshFolders(tuple(Path(root) for root in options.mesh_roots), options.caps)
    with np.errstate(all="ignore"):  # numbers too large are reported by the roll-up
        bodies = robot_link_bodies(robot)
        check_link_geometry(table.source.name, bodies, meshes, findings)
        # a mass that fits no volume differs from that of the other side for the same cause
        reported = {finding.item for finding in findings if finding.rule == "MP883"}
        check_left_right(table.source.name, robot, bodies, reported, findings)


def _report_massless_joints(table: SdfTable, findings: Findings) -> None:
    """Report joints of an SDF file that move no mass."""
    for one in massless_joints(table):
        message = f"{one.joint.kind} joint {one.joint.name} moves link {one.child}, whose mass is 0"
        place = one.model.file.place(one.joint.line)
        findings.report("MP864", message, place, value=one.joint.name, item=one.child)


def robot_findings(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Return the findings of a robot: hints in the words of its file, one finding for each cause."""
    moved = {finding.item for finding in findings if finding.rule == "MP864"}
    defaults = _ids_of_default_tensors(table)
    hidden = {"MP402": moved, "MP713": defaults, "MP714": defaults}
    kept = [one for one in findings if one.rule not in _NO_NOTES and not _link_id(one) & hidden.get(one.rule, set())]
    return [replace(one, remedy=_remedy(one)) for one in kept]


def _link_id(finding: Finding) -> set[str]:
    """Return the item of a finding and the link of a body."""
    return {finding.item, finding.item.removesuffix("/body")}


def _ids_of_default_tensors(table: Table) -> set[str]:
    """Return the ids of bodies whose tensor is the default of SDF."""
    bodies = table.bodies if isinstance(table, SdfTable) else []
    return {table.text(one.row, 0) for one in bodies if one.is_default and not one.states_tensor}


def _remedy(finding: Finding) -> str:
    """Return the hint of a finding for a robot."""
    if finding.remedy == OTHER_SIGN_REMEDY:
        return _OTHER_SIGN
    if "Ipoint" in finding.remedy:
        return _REMEDIES["MP713"]
    return _REMEDIES.get(finding.rule, finding.remedy)
