"""``massprops fix``: tensors that no body can have, replaced by the nearest valid ones."""

from __future__ import annotations

from massprops_cli.cli.command import Command, WritingRun
from massprops_cli.cli.stages.output_files import output_target
from massprops_cli.cli.stages.report_output import exit_code, report_findings
from massprops_cli.cli.stages.table_input import read_and_explain_bom
from massprops_cli.cli.stages.table_output import write_changed_table
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import Findings, UsageError, count_with_noun

COMMAND = Command(
    "fix",
    panel="Write and look up",
    summary="Replace inertia tensors that no body can have by the nearest valid ones.",
    examples=(
        "spacecraft.csv -o fixed.csv",
        "spacecraft.xlsx -o fixed.xlsx",
        "spacecraft.csv --format json -o fixed.csv",
    ),
    usual="output to no-clobber poi inertia-about map from sheet config format",
    sets="single-file table-output findings-report",
    more="""
A tensor is replaced where its principal moments are negative, or where the largest exceeds the sum of the others by
more than the rounding of its digits explains (rules MP403 and MP404). The new tensor is the nearest one in the
Frobenius norm: same principal axes, smallest change. Each change is reported with its distance; all other cells keep
their characters. A nearest tensor is valid, not right: look for the cause first.
""",
)

_REPAIRED = ("MP403", "MP404")


def command(run: WritingRun) -> int:
    """Read the table, replace its invalid tensors, and write it."""
    if run.units:
        raise UsageError("--units cannot be combined with fix; run massprops convert --units first")
    bom = read_and_explain_bom(run, write_poi="none")
    target = output_target(run, bom.table.source.format, to_stdout=True)
    screen = report_screen(data_on_stdout=target.is_stdout)
    from massprops_cli.bom.motion import repair_tensors

    findings = Findings()
    changed, items = repair_tensors(bom, findings)
    repaired = {bom.ids[i] for i in items.tolist()}
    left = [f for f in bom.findings if f.rule not in _REPAIRED or f.item not in repaired]
    findings = Findings([*left, *findings])
    findings += write_changed_table(changed, bom, target)
    did = f"{run.file}: {count_with_noun(len(repaired), 'tensor')} replaced"
    did += "" if target.is_stdout else f", table in {target.name}"
    report_findings(screen, run.file, findings, run, did, brief=True)
    return exit_code(findings, run)
