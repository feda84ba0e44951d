"""Robot descriptions as mechanism files: read by the kind of their root element."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding
from massprops_cli.mechanisms.model import (
    Mechanism,
    RobotReading,
)

if TYPE_CHECKING:
    pass
from massprops_cli.robots.mechanisms.robot_mechanism import robot_mechanism


def read_robot_mechanism(source: str | Path | bytes, reading: RobotReading, findings: Findings) -> Mechanism | None:
    """Read a robot description as a mechanism."""
    from massprops_cli.robots.xml_source import parse_source

    name = "-" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        findings.report("MP101", f"file cannot be read: {error.strerror or error}", Place(name))
        return None
    try:
        root = parse_source(name, data)
        if root.tag not in _READERS:
            message = f"file is not a robot: its root element is {root.tag} (expected robot or sdf)"
            findings.report("MP801", message, Place(name, line=root.line), value=root.tag)
            return None
        mechanism = _READERS[root.tag](name, data, reading, findings)
        if mechanism.bodies or findings.has_errors:
            return None if findings.has_errors else mechanism
        findings.report("MP801", "robot has no moving or fixed link with an inertial below its root", Place(name))
    except TableError as error:
        findings.extend(error.findings)
    return None


def _urdf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read a URDF file."""
    from massprops_cli.robots.urdf import read_urdf_model

    robot = read_urdf_model(name, data)
    if not robot.links:
        raise TableError([rule_finding("MP801", "robot has no link", Place(name))])
    return robot_mechanism(robot, reading, Place(name), findings)


def _sdf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read an SDF file, and compute its automatic inertials."""
    from massprops_cli.files.options import FileOptions
    from massprops_cli.robots.link_inertials import resolve_robot_table
    from massprops_cli.robots.mechanisms.sdf_mechanism import sdf_mechanism
    from massprops_cli.robots.sdf.sdf_table import SdfTable, read_sdf

    table = resolve_robot_table(read_sdf(name, data, FileOptions(), False, findings), findings)
    assert isinstance(table, SdfTable)
    if findings.has_errors:
        raise TableError([])
    return sdf_mechanism(table, reading, Place(name), findings)


_READERS = {"robot": _urdf_mechanism, "sdf": _sdf_mechanism}
"""Root element → its reader."""
