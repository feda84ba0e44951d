"""``massprops convert --fix``: tensors that no body can have, replaced by the nearest valid ones."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import partial
from pathlib import Path

from massprops_cli.cli.command import WritingRun
from massprops_cli.cli.stages.output_files import output_target
from massprops_cli.cli.stages.report_output import exit_code, report_findings, selected_findings
from massprops_cli.cli.stages.table_input import read_input_bom, recorded_stdin
from massprops_cli.cli.stages.table_output import write_changed_table, write_content
from massprops_cli.cli.streams import EXIT_FINDINGS, report_screen
from massprops_cli.findings.finding import Findings, Severity


def write_fixed_table(run: WritingRun) -> int:
    """Read the table, replace its invalid tensors, write it, and return the exit code."""
    bom = read_input_bom(run, write_poi="none")
    is_robot = (
        not run.to_format
        and bom.table.source.is_robot
        and Path(run.output).suffix == f".{bom.table.source.format}".replace(".mjcf", ".xml")
    )
    target = output_target(replace(run, to_format="csv") if is_robot else run, bom.table.source.format, to_stdout=True)
    screen = report_screen(data_on_stdout=target.is_stdout)
    from massprops_cli.bom.motion import findings_after, repair_tensors

    findings, geometry, content = Findings(), None, b""
    if bom.table.source.is_robot:
        from massprops_cli.robots.robot_checks import link_geometry_tensors

        geometry = partial(link_geometry_tensors, bom.table, bom.options)
    changed, items, fixed = repair_tensors(bom, findings, geometry)
    if is_robot or (geometry is not None and len(items)):
        from massprops_cli.robots.inertial_resolution import file_with_inertials

        data = recorded_stdin() or Path(run.file).read_bytes()
        data = gzip.decompress(data) if bom.table.source.compressed else data
        content, _ = file_with_inertials(fixed, run.file, data, findings if is_robot else Findings())
    left = list(bom.findings)
    if len(items):  # what is reported is that of the repaired table or robot
        left = [*read_input_bom(run, content, write_poi="none").findings] if content else findings_after(bom, changed)
    findings = Findings([*left, *findings])
    if is_robot:
        write_content(content, run.output, replaces=not run.no_clobber)
    else:
        findings += write_changed_table(changed, bom, target)
    did = f"{run.file}: {len(items):,} {'tensor' if len(items) == 1 else 'tensors'} replaced"
    did += "" if target.is_stdout else f", {'robot' if is_robot else 'table'} in {target.name}"
    guesses = [one.rule for one in selected_findings(findings, run) if one.severity is Severity.WARNING]
    is_guess = "MP716" in guesses or "MP718" in guesses
    report_findings(screen, run.file, findings, run, did, failed=is_guess, brief=True)
    return exit_code(findings, run) or (EXIT_FINDINGS if is_guess else 0)
