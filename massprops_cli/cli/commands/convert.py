"""``massprops convert``: the table in another format, layout, unit or frame, without a roll-up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.command import Command, ConvertRun
from massprops_cli.cli.stages.output_files import output_target
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_findings
from massprops_cli.cli.stages.table_input import read_input_bom, read_input_table, resolve_table_options
from massprops_cli.cli.stages.table_output import write_content, write_plain_table
from massprops_cli.cli.streams import EXIT_FINDINGS, report_screen
from massprops_cli.findings.finding import Finding, Findings, TableError, UsageError, rule_finding
from massprops_cli.reports.page.conventions import table_decision_blocks
from massprops_cli.reports.table_files import lost_content_findings

if TYPE_CHECKING:
    from massprops_cli.files.table import Table
    from massprops_cli.tables.options import TableOptions

COMMAND = Command(
    "convert",
    panel="Write",
    summary="Write the table in another format, layout, unit or frame.",
    examples=(
        "spacecraft.csv --to md",
        "spacecraft.xlsx -o spacecraft.parquet",
        "spacecraft.csv --rotate 'z 90 deg' --pivot item:PLD -o turned.csv",
    ),
    usual="output to to-layout units translate rotate to-frame where map sheet",
    sets="single-file table-output findings-report",
    more="""
The table goes to standard output unless -o names a file. Cells keep their characters; nothing is rolled up.

In another frame, a mirror or a rotation comes first, about the origin or the point of --pivot, then the translation in
the new axes. Centres, tensors and sigmas of all rows change, in their units, columns and sign conventions. Sigmas that
a rotation makes correlated are reported; --covariance writes them in full. --to-frame item:ID is the pose of the item,
without poses its centre of mass with unchanged axes. --into-robot writes a robot file.
""",
)

_UNIT_RULES = ("MP207", "MP209", "MP210", "MP211", "MP227")  # the rules about units


def command(run: ConvertRun) -> int:
    """Read the table, select rows and change layout or frame on request, and write it."""
    if run.into_robot:
        return _write_into_robot(run)
    if run.translate or run.rotate or run.pivot or run.mirror or run.to_frame or run.covariance:
        from massprops_cli.cli.stages.frame_change import move_table

        return move_table(run)
    options = resolve_table_options(run)
    findings = Findings()
    table = read_input_table(run, findings)
    lost = lost_content_findings(table)
    target = output_target(run, table.source.format, to_stdout=True)
    if run.to_layout is not None or options.where or options.units or options.make_root:
        table = _convert_layout(table, options, run.to_layout or "", findings)
    screen = report_screen(data_on_stdout=target.is_stdout)
    if findings.has_errors:
        code = exit_code(findings, run) or EXIT_FINDINGS
        return report_failure(screen, run.file, findings, run, "not converted, nothing written", code)
    findings += write_plain_table(table, options, target) + lost
    if findings or run.verbose or not target.is_stdout:
        did = f"{run.file}: converted {table.n_rows - 1:,} rows to {target.format}"
        did += "" if target.is_stdout else f" in {target.name}"
        more = table_decision_blocks(table.source, run.settings.words) if run.verbose else []
        report_findings(screen, run.file, findings, run, did, brief=True, more=more)
    return exit_code(findings, run)


def _write_into_robot(run: ConvertRun) -> int:
    """Write the numbers of the table into the inertials of a robot file."""
    for name, given in (("--to-layout", run.to_layout), ("--to", run.to_format), ("--units", run.units)):
        if given:
            raise UsageError(f"--into-robot and {name} are mutually exclusive: a robot file has kg and m")
    from massprops_cli.robots.inertial_resolution import file_with_inertials

    path = Path(run.into_robot)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {run.into_robot}: {error.strerror}") from None
    bom = read_input_bom(run, units="SI")
    findings = Findings(bom.findings)
    content, links = (b"", 0) if findings.has_errors else file_with_inertials(bom, run.into_robot, data, findings)
    failed = findings.has_errors
    name = "" if failed else write_content(content, run.output, replaces=not run.no_clobber)
    noun = "inertial" if links == 1 else "inertials"
    did = f"{run.into_robot}: nothing written" if failed else f"{run.into_robot}: {links} {noun} changed"
    did += f" → {name}" if name else ""
    if findings or name:
        report_findings(report_screen(data_on_stdout=not name), run.file, findings, run, did, failed=failed, brief=True)
    return exit_code(findings, run) or int(failed)


def _convert_layout(table: Table, options: TableOptions, layout: str, findings: Findings) -> Table:
    """Return the selected rows of the table in another layout; a table with errors is returned unchanged."""
    from massprops_cli.files.table import GridTable
    from massprops_cli.tables.columns.columns import read_columns
    from massprops_cli.tables.layouts.detection import find_table_of_pages, read_hierarchy
    from massprops_cli.tables.layouts.layout_output import hierarchy_rows, layout_rows
    from massprops_cli.tables.rows.excluded_rows import exclude_non_item_rows
    from massprops_cli.tables.rows.row_filter import filter_hierarchy

    around, of_table = Findings(), Findings()
    shown = find_table_of_pages(table, options, around)
    columns = read_columns(shown, options, of_table)
    if not layout and not options.where and not options.make_root:
        findings += _conversion_findings(of_table, options)
        return table
    if shown.n_rows <= columns.first_row:
        message = "table has a header and no row of data"
        raise TableError([*around, *of_table, rule_finding("MP111", message, shown.place(0))])
    shown, _ = exclude_non_item_rows(shown, columns, options, of_table)
    hierarchy = read_hierarchy(shown, columns, options, of_table)
    findings += [*around, *_conversion_findings(of_table, options)]
    if options.where:
        hierarchy = filter_hierarchy(hierarchy, shown, columns, options.where, findings)
    if findings.has_errors:
        return shown
    if options.where and not options.make_root and layout in ("", hierarchy.layout):
        return GridTable(shown.source, hierarchy_rows(hierarchy, shown, columns))
    made_root, layout = options.make_root, layout or hierarchy.layout
    if not made_root and layout != hierarchy.layout and hierarchy.tops_are_parts and (hierarchy.parents < 0).sum() > 1:
        made_root = options.root_name(table.source)  # as the roll-up names it
    return GridTable(shown.source, layout_rows(hierarchy, shown, columns, layout, findings, made_root=made_root))


def _conversion_findings(findings: Sequence[Finding], options: TableOptions) -> list[Finding]:
    """Return the findings about rows, the tree and, with ``--units``, units; not those about numbers."""
    rules = ("MP201", "MP202", "MP204", "MP250", *(_UNIT_RULES if options.units else ()))
    return [finding for finding in findings if finding.rule.startswith("MP3") or finding.rule in rules]
