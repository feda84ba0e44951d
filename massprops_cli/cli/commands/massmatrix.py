"""``massprops massmatrix``: the mass matrix and the joint forces of a tree of bodies."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from massprops_cli.cli.command import Command
from massprops_cli.cli.option_groups import ReportOptions, command_option
from massprops_cli.cli.robot_options import parse_gravity
from massprops_cli.cli.stages.report_output import exit_code, report_findings, rule_selection, selected_findings
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_OK, report_screen, screen_for
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError
from massprops_cli.options import RobotBase
from massprops_cli.reports.graphs.joint_forces import joint_force_blocks, joint_force_csv
from massprops_cli.reports.page.findings import json_text

COMMAND = Command(
    "massmatrix",
    panel="Mechanisms",
    summary="Compute the mass matrix and the joint forces of a tree of bodies.",
    examples=(
        "arm.json --q 0.3,0.5,-0.8,0,0.05",
        "arm.json --qd 0.5,0,0,0,0 --qdd 0,1,0,0,0 --format json",
        "arm.json --q 0.3,0.5,-0.8,0,0.05 --format csv",
    ),
    usual="q qd qdd joints output format fail-on select ignore quiet",
    sets="mechanism findings file-output",
    more="""
T = M(q) qdd + C(q, qd), with gravity in C. Coordinates are those of the joints in the order of the file: R and helical
an angle; P a displacement; C an angle and a displacement; U an angle about the axis of the inner body and one about
that of the outer; S a rotation vector; planar two displacements and an angle; free a rotation vector and a
displacement. All are 0 at the pose of the file. Velocities are their rates, except for S and free: components of the
angular velocity, and of the velocity of the joint point, in the axes of the outer body.
""",
)


@dataclass(frozen=True)
class _MechanismFile:
    """The mechanism, and the file of the result."""

    file: str = command_option("file", COMMAND)
    joints: str = command_option("joints", COMMAND)
    gravity: str = command_option("gravity", COMMAND)
    base: RobotBase = command_option("base", COMMAND)
    output: str = command_option("output", COMMAND)
    no_clobber: bool = command_option("no-clobber", COMMAND)


@dataclass(frozen=True)
class _Motion:
    """Coordinates, velocities and accelerations."""

    q: str = command_option("q", COMMAND)
    qd: str = command_option("qd", COMMAND)
    qdd: str = command_option("qdd", COMMAND)


@dataclass(frozen=True, eq=False, repr=False)
class _ResultOptions(ReportOptions):
    """Form of the result, and the findings that count."""

    format: str | None = command_option("format", COMMAND)  # type: ignore[assignment] # words of its own


def command(source: _MechanismFile, motion: _Motion, reporting: _ResultOptions) -> int:
    """Read the mechanism, compute its mass matrix and joint forces, and print them."""
    rule_selection(reporting)
    suffix = Path(source.output).suffix.lower()
    if source.output and suffix not in (".csv", ".json"):
        raise UsageError(f"unknown suffix of -o: {source.output} (expected .csv or .json)")
    data: str | bytes = sys.stdin.buffer.read() if source.file == "-" else source.file
    findings = Findings()
    try:
        content = _joint_forces(data, source, motion, findings)
    except TableError as error:
        screen, did = report_screen(data_on_stdout=reporting.format is not None), f"{source.file}: not computed"
        report_findings(screen, source.file, error.findings, _plain(reporting), did, failed=True, brief=True)
        return EXIT_FAILURE
    if source.output:
        from massprops_cli.files.writer import atomic_file

        with atomic_file(source.output, replaces=not source.no_clobber) as out:
            out.write((json_text(content) if suffix == ".json" else joint_force_csv(content)).encode())
    screen = report_screen(data_on_stdout=False)
    if reporting.format == "json":
        screen.write(json_text(content))
    elif reporting.format == "csv":
        screen.write(joint_force_csv(content))
    else:
        screen.show(joint_force_blocks(content, screen.width))
    code = exit_code(findings, reporting)
    if reporting.format != "json" and selected_findings(findings, reporting):
        did, failed = f"{source.file}: mass matrix", code != EXIT_OK
        report_findings(
            screen_for(sys.stderr), source.file, findings, _plain(reporting), did, failed=failed, brief=True
        )
    return code


def _plain(reporting: _ResultOptions) -> ReportOptions:
    """Return the options of a report of findings: JSON or text."""
    return reporting if reporting.format == "json" else replace(reporting, format=None)


def _joint_forces(data: str | bytes, source: _MechanismFile, motion: _Motion, findings: Findings) -> dict[str, Any]:
    """Compute the results as plain values."""
    from massprops_cli.mechanisms.robots.robot_mechanism import RobotReading
    from massprops_cli.mechanisms.spatial.articulated_bodies import check_mass_matrix
    from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel

    reading = RobotReading(parse_gravity(source.gravity), source.base)
    model = SpatialModel.read(data, source.joints, findings, reading)
    pose = model.at(_parse_numbers(motion.q, "--q"))
    check_mass_matrix(pose, findings, Place(source.file))
    zero = [0.0] * model.degrees
    rates = _parse_numbers(motion.qd, "--qd") or zero
    content: dict[str, Any] = {
        "mechanism": model.mechanism.name,
        "coordinates": list(model.names),
        "gravity": model.gravity.tolist(),
        "q": pose.coordinates.tolist(),
        "M": pose.mass_matrix().tolist(),
    }
    if motion.qd or motion.qdd:
        content |= {"qd": rates, "C": pose.inverse_dynamics(rates, zero).tolist()}
    if motion.qdd:
        second = _parse_numbers(motion.qdd, "--qdd")
        content |= {"qdd": second, "T": pose.inverse_dynamics(rates, second).tolist()}
    return content | {"findings": [finding.to_dict() for finding in findings]}


def _parse_numbers(text: str, option: str) -> list[float]:
    """Read numbers with commas between them."""
    found = []
    for number, cell in enumerate(text.split(","), 1) if text.strip() else ():
        try:
            found.append(float(cell))
        except ValueError:
            what = f"number {number} of {option} is not a number: {cell.strip()!r}"
            raise UsageError(f"{what}; write numbers with commas between them") from None
    return found
