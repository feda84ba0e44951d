"""``massprops robot inertials``: the inertials of a robot from its geometry, written into its file."""

from __future__ import annotations

import re
import sys

from massprops_cli.cli.command import Command, RepeatedOption, ReportOptions, command_option
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_findings
from massprops_cli.cli.stages.table_output import write_content
from massprops_cli.cli.streams import EXIT_FAILURE, report_screen, screen_for
from massprops_cli.findings.finding import TableError, UsageError, count_with_noun
from massprops_cli.robots.inertial_resolution import FailurePolicy, GeometrySource, resolve_inertials

COMMAND = Command(
    "robot inertials",
    panel="Parts and robots",
    summary="Compute the inertials of a robot (SDF, URDF, MJCF) from its geometry and write them into its file.",
    examples=(
        "cart.sdf -o resolved.sdf",
        "arm.urdf --density '2700 kg/m3' -o filled.urdf",
        "arm.urdf --geometry visual --replace --density '2700 kg/m3'",
    ),
    usual="output geometry density replace calculator config no-clobber format",
    sets="findings file-output",
    more="""
An SDF file states which inertials are automatic: <inertial auto="true">. They are computed from the collisions of the
link, with the density of the collision, else of the inertial, else 1000 kg/m³. A stated mass scales mass and tensor.
Static models are skipped. In a URDF file, links without an inertial get one from their collisions, or with
--geometry visual from their visuals; --replace computes all links. In an MJCF file, bodies without an inertial get
that of their geoms.

Only the inertials change in the written file: comments, order and blanks remain byte for byte. With an error nothing is
written.
""",
)


class _InertialRun(ReportOptions):
    """The options of ``inertials``: the robot, how inertials are computed, and where the new file is written."""

    file: str = command_option("file", COMMAND)
    mesh_root: RepeatedOption = command_option("mesh-root", COMMAND)
    geometry: GeometrySource = command_option("geometry", COMMAND)
    density: str = command_option("density", COMMAND)
    replace: bool = command_option("replace", COMMAND)
    on_failure: FailurePolicy = command_option("on-failure", COMMAND)
    skip: bool = command_option("skip", COMMAND)
    calculator: str = command_option("calculator", COMMAND)


def command(run: _InertialRun) -> int:
    """Compute the inertials of a robot, and write its file with them."""
    file, output, to_stdout = run.file, run.output, run.output in ("", "-")
    screen = screen_for(sys.stderr) if to_stdout else report_screen(data_on_stdout=False)
    try:
        found = resolve_inertials(
            file,
            source=run.geometry,
            density=_parse_density(run.density),
            replace=run.replace,
            on_failure=run.on_failure,
            skip=run.skip,
            calculator=run.calculator,
            mesh_roots=tuple(run.mesh_root or ()),
            content=sys.stdin.buffer.read() if file == "-" else None,
        )
    except TableError as error:
        return report_failure(screen, file, error.findings, run, "no robot", EXIT_FAILURE)
    code = exit_code(found.findings, run)
    did = f"{file}: {count_with_noun(len(found.bodies), 'inertial')} computed"
    if any(one.is_withholding for one in found.findings):
        did += ", nothing written"
    else:
        name = write_content(found.content, output, replaces=not run.no_clobber)
        did += f", file in {name}" if name else ""
    report_findings(screen, file, found.findings, run, did, brief=True)
    return code


def _parse_density(text: str) -> float | None:
    """Return a density in kg/m³; None without one."""
    from massprops_cli.tables.cells.units import unit_of_dimension

    if not text:
        return None
    split = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(\S.*)", text)
    unit = unit_of_dimension(split[2].strip(), (1, -3, 0)) if split else None
    try:
        if split is None or unit is None:
            raise ValueError
        return float(split[1]) * float(unit.numerator / unit.denominator)
    except ValueError:
        raise UsageError(f"invalid --density: {text} (expected a number with a unit, such as '2700 kg/m3')") from None
