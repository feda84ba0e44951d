"""``massprops validate``: all problems of a table."""

from __future__ import annotations

from massprops_cli.cli.command import Command, TableRun
from massprops_cli.cli.stages.report_output import exit_code, remedy_commands, report_findings, selected_findings
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page.findings import finding_summary_blocks

COMMAND = Command(
    "validate",
    panel="Look",
    summary="Report all problems of a table, with their places.",
    examples=("spacecraft.xlsx", "spacecraft.csv --fail-on warning --ignore MP4", "spacecraft.csv --format concise"),
    usual="format fail-on select ignore quiet map unit layout sheet config",
    sets="several-files sigmas findings-report",
    more="""
Exit code 1 if a finding is at or above --fail-on, 2 if no table could be read. The table is also rolled up, because
some problems appear only then; nothing is written.
""",
)

_ROBOTS = ("sdf", "urdf")  # files whose links have many findings of the same kinds


def command(run: TableRun) -> int:
    """Read the table, roll it up, and report all findings."""
    bom = read_input_bom(run, use_auto_inertials=False)
    from massprops_cli.bom.rollup import validate

    findings = validate(bom)
    code = exit_code(findings, run)
    screen = report_screen(data_on_stdout=False)
    did = f"{run.file}: checked {count_with_noun(len(bom), 'item')}"
    more = verbose_decision_blocks(bom, run, screen.symbols)
    if bom.table.source.format in _ROBOTS:
        more = [*more, *finding_summary_blocks(selected_findings(findings, run))]
    report_findings(screen, run.file, findings, run, did, more=more, commands=remedy_commands(findings, run))
    return code
