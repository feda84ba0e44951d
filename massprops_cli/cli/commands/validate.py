"""``massprops validate``: how a table was read, and all its problems; ``--save-map`` writes the decisions to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from massprops_cli.cli.command import Command, TableRun
from massprops_cli.cli.stages.report_output import exit_code, remedy_commands, report_findings, selected_findings
from massprops_cli.cli.stages.saved_map import save_map
from massprops_cli.cli.stages.table_input import input_inspection, read_or_explain_bom
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.inspect import reading_blocks
from massprops_cli.reports.page.findings import finding_summary_blocks

if TYPE_CHECKING:
    from massprops_cli.reports.page.page import PageBlock

COMMAND = Command(
    "validate",
    panel="Look",
    summary="Show how a table was read and what was left out, and report all its problems with their places.",
    examples=(
        "spacecraft.xlsx",
        "spacecraft.csv --fail-on warning --ignore MP4",
        "spacecraft.xlsx --save-map map.toml",
    ),
    usual="format fail-on select ignore quiet save-map map unit layout sheet",
    sets="several-files sigmas findings-report",
    more="""
Exit code 1 if a finding is at or above --fail-on, 2 if no table could be read. The table is also rolled up, because
some problems appear only then; no table is written. -q prints the errors only. --save-map writes every decision of
reading to a configuration file, and rejects a table with errors.
""",
)

_ROBOTS = ("sdf", "urdf")  # files whose links have many findings of the same kinds


def command(run: TableRun) -> int:
    """Read the table, roll it up, show how it was read, and report all findings."""
    shows_reading = run.format in (None, "full", "json", "md") and not (run.quiet or run.is_summary)
    bom = read_or_explain_bom(run, shows_reading=shows_reading and run.format not in ("json", "md"))
    from massprops_cli.bom.rollup import validate

    findings = validate(bom)
    screen, data = report_screen(data_on_stdout=False), dict[str, Any]()
    more: list[PageBlock] = []
    seen = input_inspection(bom, run) if shows_reading or run.save_map else None
    if seen is not None and shows_reading:
        more, data = reading_blocks(seen, run.settings.words, screen.symbols), {"reading": seen.to_dict()}
        del data["reading"]["findings"]
    if bom.table.source.format in _ROBOTS:
        more += finding_summary_blocks(selected_findings(findings, run))
    did = f"{run.file}: checked {count_with_noun(len(bom), 'item')}"
    commands = remedy_commands(findings, run)
    report_findings(screen, run.file, findings, run, did, more=more, commands=commands, data=data)
    if seen is not None and run.save_map:
        save_map(seen, run.save_map, force=run.force)
    return exit_code(findings, run)
