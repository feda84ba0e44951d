"""Robot descriptions as mechanism files: which files they are, and how they are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.findings import Findings, Place, TableError
from massprops_cli.mechanisms.robots.robot_mechanism import RobotReading, robot_mechanism

if TYPE_CHECKING:
    from massprops_cli.mechanisms.model import Mechanism

_SUFFIXES = (".urdf", ".xacro", ".xml")


def is_robot_source(source: str | Path | bytes) -> bool:
    """Return whether a mechanism file is a robot description.

    Parameters
    ----------
    source : str, Path or bytes
        Path of a file, decided by its suffix, or its content.

    Returns
    -------
    bool
        True for URDF.

    Examples
    --------
    >>> is_robot_source(b"<robot name='arm'/>"), is_robot_source("arm.json")
    (True, False)
    """
    if isinstance(source, bytes):
        return source.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return Path(source).suffix.lower() in _SUFFIXES


def read_robot_mechanism(source: str | Path | bytes, reading: RobotReading, findings: Findings) -> Mechanism | None:
    """Read a robot description as a mechanism.

    Parameters
    ----------
    source : str, Path or bytes
        Path of a URDF file, or its content.
    reading : RobotReading
        Gravity, base, and the meaning of angles.
    findings : Findings
        Receives what is wrong.

    Returns
    -------
    Mechanism or None
        None if the file has errors.
    """
    from massprops_cli.files import read_urdf_model

    name = "-" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        findings.report("MP101", f"file cannot be read: {error.strerror or error}", Place(name))
        return None
    try:
        robot = read_urdf_model(name, data)
    except TableError as error:
        findings.extend(error.findings)
        return None
    mechanism = robot_mechanism(robot, reading, Place(name), findings)
    if not mechanism.bodies and not findings.has_errors:
        findings.report("MP801", "robot has no moving or fixed link with an inertial below its root", Place(name))
    return None if findings.has_errors else mechanism
