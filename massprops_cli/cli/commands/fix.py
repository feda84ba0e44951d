"""``massprops fix``: tensors that no body can have, replaced by the nearest valid ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from massprops_cli.cli.command import Command, WritingRun
from massprops_cli.cli.stages.output_files import output_target
from massprops_cli.cli.stages.report_output import exit_code, report_findings, selected_findings
from massprops_cli.cli.stages.table_input import read_and_explain_bom
from massprops_cli.cli.stages.table_output import write_changed_table, write_content
from massprops_cli.cli.streams import EXIT_FINDINGS, report_screen
from massprops_cli.findings.finding import Findings, Severity, UsageError

COMMAND = Command(
    "fix",
    panel="Write and look up",
    summary="Correct inertia tensors that no body can have.",
    examples=(
        "spacecraft.csv -o fixed.csv",
        "spacecraft.xlsx -o fixed.xlsx",
        "spacecraft.csv --format json -o fixed.csv",
    ),
    usual="output to no-clobber poi inertia-about map from sheet config format",
    sets="single-file table-output findings-report",
    more="""
A tensor is replaced where its principal moments are negative, or where the largest exceeds the sum of the others by
more than the rounding of its digits explains (rules MP403 and MP404), or where it is that of another mass in the shape,
mesh or collision of the body (MP718). If one slip explains it (order or signs of the six numbers, a power of ten of a
moment, the parallel axis theorem applied twice), the slip is corrected and named; of several, the one that fits a left
or right counterpart, or the geometry. Else the new tensor is the nearest one in the Frobenius norm: valid, not right.
If it differs by more than 1 %, that is a warning, with exit code 1: look for the cause. All other cells keep their
characters. The file of a robot is written with -o robot.urdf or -o model.sdf.
""",
)

_ROBOTS = ("urdf", "sdf")


def command(run: WritingRun) -> int:
    """Read the table, replace its invalid tensors, and write it."""
    if run.units:
        raise UsageError("--units cannot be combined with fix; run massprops convert --units first")
    bom = read_and_explain_bom(run, write_poi="none")
    is_robot = (
        not run.to_format
        and bom.table.source.format in _ROBOTS
        and Path(run.output).suffix[1:] == bom.table.source.format
    )
    target = output_target(replace(run, to_format="csv") if is_robot else run, bom.table.source.format, to_stdout=True)
    screen = report_screen(data_on_stdout=target.is_stdout)
    from massprops_cli.bom.motion import TENSOR_RULES, repair_tensors

    findings, geometry = Findings(), None
    if bom.table.source.format in _ROBOTS:
        from massprops_cli.robots.robot_checks import link_geometry_tensors

        geometry = link_geometry_tensors(bom.table, bom.options)
    changed, items, fixed = repair_tensors(bom, findings, geometry)
    repaired = {bom.ids[i] for i in items.tolist()}
    left = [f for f in bom.findings if f.rule not in TENSOR_RULES or f.item not in repaired]
    findings = Findings([*left, *findings])
    if is_robot:
        from massprops_cli.robots.inertial_resolution import file_with_inertials

        content, _ = file_with_inertials(fixed, run.file, Path(run.file).read_bytes(), findings)
        write_content(content, run.output, replaces=not run.no_clobber)
    else:
        findings += write_changed_table(changed, bom, target)
    did = f"{run.file}: {len(repaired):,} {'tensor' if len(repaired) == 1 else 'tensors'} replaced"
    did += "" if target.is_stdout else f", {'robot' if is_robot else 'table'} in {target.name}"
    guesses = [one.rule for one in selected_findings(findings, run) if one.severity is Severity.WARNING]
    is_guess = "MP716" in guesses or "MP718" in guesses
    report_findings(screen, run.file, findings, run, did, failed=is_guess, brief=True)
    return exit_code(findings, run) or (EXIT_FINDINGS if is_guess else 0)
