"""``massprops robot massmatrix``: the mass matrix and the joint forces of a tree of bodies."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from massprops_cli.cli.command import Command, MechanismOptions, ReportOptions, command_option
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_on_stderr, write_view
from massprops_cli.cli.streams import EXIT_FAILURE, report_screen
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, nearest_name_hint
from massprops_cli.reports.mechanisms import joint_force_blocks, joint_force_csv, pattern_blocks, pattern_plot
from massprops_cli.reports.page.findings import finding_dicts, json_text

COMMAND = Command(
    "robot massmatrix",
    panel="Parts and robots",
    summary="Compute the mass matrix and the joint forces of a tree of bodies.",
    examples=(
        "arm.json --q 0.3,0.5,-0.8,0,0.05",
        "arm.json --qd 0.5,0,0,0,0 --qdd 0,1,0,0,0 --format json",
        "arm.json --q 0.3,0.5,-0.8,0,0.05 --format csv",
    ),
    usual="q qd qdd pattern joints output format fail-on select ignore quiet",
    sets="mechanism findings file-output",
    more="""
T = M(q) qdd + C(q, qd), with gravity in C. Coordinates are those of the joints in the order of the file: R and helical
an angle; P a displacement; C an angle and a displacement; U an angle about the axis of the inner body and one about
that of the outer; S a rotation vector; planar two displacements and an angle; free a rotation vector and a
displacement. All are 0 at the pose of the file. Velocities are their rates, except for S and free: components of the
angular velocity, and of the velocity of the joint point, in the axes of the outer body.
""",
)
_PICTURES = (".svg", ".png", ".pdf")
_COORDINATE = re.compile(r"(.*[\d.])\s*(deg|rad|m)", re.ASCII)  # 1e-3 m, 30deg


class _MassMatrixRun(MechanismOptions, ReportOptions):
    """The options of ``massmatrix``: coordinates, velocities and accelerations, and the file of the result."""

    q: str = command_option("q", COMMAND)
    qd: str = command_option("qd", COMMAND)
    qdd: str = command_option("qdd", COMMAND)
    pattern: bool = command_option("pattern", COMMAND)
    format: str | None = command_option("format", COMMAND)


def command(run: _MassMatrixRun) -> int:
    """Read the mechanism, compute its mass matrix and joint forces, and print them."""
    suffix = Path(run.output).suffix.lower()
    if run.output and suffix not in (".csv", ".json", *_PICTURES):
        raise UsageError(
            f"unknown suffix of -o: {run.output} (expected .csv, .json, or .svg, .png, .pdf with --pattern)"
        )
    if suffix in _PICTURES and not run.pattern:
        raise UsageError(f"-o {run.output} needs --pattern")
    # a report of findings is JSON or text
    plain = run if run.format == "json" else replace(run, format=None)
    findings = Findings()
    try:
        content = _joint_forces(run, findings)
    except TableError as error:
        screen = report_screen(data_on_stdout=run.format is not None)
        return report_failure(screen, run.file, error.findings, plain, "not computed", EXIT_FAILURE)
    if suffix in _PICTURES:
        title = f"Mass matrix of {content['mechanism'] or run.file}"
        pattern_plot(content["pattern"], title, run.output, replaces=not run.no_clobber)
    elif run.output:
        with atomic_file(run.output, replaces=not run.no_clobber) as out:
            out.write((json_text(content) if suffix == ".json" else joint_force_csv(content)).encode())
    if not (run.output and run.quiet):
        screen = report_screen(data_on_stdout=False)
        write_view(
            screen,
            run.format,
            lambda symbols: joint_force_blocks(content, screen.width) + pattern_blocks(content, symbols),
            json=lambda: content,
            csv=lambda: joint_force_csv(content),
        )
    if run.format == "json":
        return exit_code(findings, run)
    return report_on_stderr(run.file, findings, plain, f"{run.file}: mass matrix")


def _joint_forces(run: _MassMatrixRun, findings: Findings) -> dict[str, Any]:
    """Compute the results as plain values."""
    from massprops_cli.mechanisms.spatial.articulated_bodies import check_mass_matrix
    from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel

    model = SpatialModel.read(run.read_data(), run.joints, findings, run.robot_reading())
    pose = model.at(_parse_numbers(run.q, "--q", model.names))
    check_mass_matrix(pose, findings, Place(run.file))
    zero = [0.0] * model.degrees
    rates = _parse_numbers(run.qd, "--qd", model.names) or zero
    content: dict[str, Any] = {
        "mechanism": model.mechanism.name,
        "coordinates": list(model.names),
        "gravity": model.gravity.tolist(),
        "q": pose.coordinates.tolist(),
        "M": pose.mass_matrix().tolist(),
    }
    if run.pattern:
        content |= {"pattern": model.pattern()}
    if run.qd or run.qdd:
        content |= {"qd": rates, "C": pose.inverse_dynamics(rates, zero).tolist()}
    if run.qdd:
        second = _parse_numbers(run.qdd, "--qdd", model.names)
        content |= {"qdd": second, "T": pose.inverse_dynamics(rates, second).tolist()}
    return content | {"findings": finding_dicts(findings)}


def _parse_numbers(text: str, option: str, names: Sequence[str]) -> list[float]:
    """Read numbers with commas between them, or NAME=NUMBER of some coordinates, others 0; ``deg`` is converted."""
    cells = [[part.strip() for part in cell.rpartition("=")] for cell in text.split(",")] if text.strip() else []
    found = []
    for number, (name, _, cell) in enumerate(cells, 1):
        if name and name not in names:
            raise UsageError(f"mechanism has no coordinate {name!r}{nearest_name_hint(name, names)} ({option})")
        match = _COORDINATE.fullmatch(cell)
        try:
            size = math.radians(1) if match and match[2] == "deg" else 1.0
            found.append(float(match[1] if match else cell) * size)
        except ValueError:
            what = f"number {number} of {option} is not a number: {cell!r}"
            raise UsageError(f"{what}; write numbers with commas between them, or JOINT=NUMBER") from None
    stated = {name: value for (name, _, _), value in zip(cells, found, strict=True) if name}
    if stated and len(stated) != len(cells):
        raise UsageError(f"{option} states some coordinates without or with the same name: {text}")
    return [stated.get(name, 0.0) for name in names] if stated else found
