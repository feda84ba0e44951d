"""``massprops parts aggregate``: some items of a tree as one."""

from __future__ import annotations

import numpy as np

from massprops_cli.cli.command import Command, RepeatedOption, TableRun, command_option, split_option_ids
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.output_files import sibling_file
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import FindingsError, UsageError, count_with_noun
from massprops_cli.reports.tree import aggregation_blocks, check_tree_picture, draw_tree_parts

COMMAND = Command(
    "parts aggregate",
    panel="Parts and robots",
    summary="Replace some items of a tree by one, if the result is a tree.",
    examples=(
        "spacecraft.csv --nodes PLD-100,PLD-200",
        "spacecraft.csv --nodes PLD-100,HRN --extend",
        "spacecraft.csv --nodes PLD,PLD-100 -o payload.csv",
    ),
    usual="nodes extend output correlate plot format map unit layout sheet",
    sets="single-file parts file-output view",
    more="""
The items may become one if they have exactly one parent outside, which is above all of them, or contain the root and
have none; otherwise the result would not be a tree. Children that remain are attached to the new item; its own leaves
are summed in one leaf NODE/own. Mass, centre and inertia of all items outside are unchanged; STEM.branches.json has the
covariance of the sum, with which massprops parts assemble --branches gives the same sigmas.
""",
)


class _AggregationRun(TableRun):
    """The options of ``aggregate``: the items, and where the table is written."""

    nodes: RepeatedOption = command_option("nodes", COMMAND)
    extend: bool = command_option("extend", COMMAND)
    plot: str = command_option("plot", COMMAND)


def command(run: _AggregationRun) -> int:
    """Read the table, aggregate the items, and write the new table."""
    from massprops_cli.partitions.aggregation import aggregate

    if not (nodes := split_option_ids(run.nodes)):
        raise UsageError("aggregate needs --nodes IDS")
    if run.output == "-":
        raise UsageError("-o names a csv or parquet file; aggregate does not write to standard output")
    check_tree_picture(run.plot)
    bom = read_input_bom(run, write_poi="none")
    screen = report_screen(data_on_stdout=False)
    try:
        made = aggregate(
            bom, nodes, closure=run.extend, correlate=run.correlate, correlate_centers=run.correlate_centers
        )
    except FindingsError as error:
        return report_output.report_failure(screen, run.file, error.findings, run, "not aggregated, nothing written")
    files = made.save(run.output or sibling_file(run.file, "aggregated.csv"), no_clobber=run.no_clobber)
    if run.plot:
        titles = np.where(made.members, f"becomes {made.name}", "other").tolist()
        draw_tree_parts(run.plot, bom.tree, bom.ids, titles, replaces=not run.no_clobber)
    if not report_output.write_data_view(
        screen,
        run.format,
        json=lambda: {**made.to_dict(), "files": files},
        jsonl=lambda: [{**made.to_dict(), "files": files}],
    ):
        items = count_with_noun(int(made.members.sum()), "item")
        did = f"{run.file}: aggregated {items} to {made.name} in {files[0]}"
        shown = report_output.selected_findings(made.findings, run)
        report_output.report_findings(screen, run.file, shown, run, did, brief=True, more=aggregation_blocks(made))
    return report_output.exit_code(made.findings, run)
