"""``massprops parts partition``: parts of a table, each a bill of materials of its own."""

from __future__ import annotations

import re
from pathlib import Path

from massprops_cli.cli.command import Command, RepeatedOption, TableRun, command_option, split_option_ids
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.output_files import sibling_file
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import FindingsError, UsageError, count_with_noun, name_list
from massprops_cli.reports.page.page import TextSpan, text_line
from massprops_cli.reports.tree import check_tree_picture, draw_tree_parts, partition_blocks

COMMAND = Command(
    "parts partition",
    panel="Parts and robots",
    summary="Divide a table into parts, each a bill of materials of its own.",
    examples=(
        "spacecraft.csv --at PLD",
        "spacecraft.csv --into 4 -o parts",
        "spacecraft.csv --at PLD --plot parts.svg",
    ),
    usual="at into output to correlate plot format map unit sheet",
    sets="single-file parts file-output view",
    more="""
--at names a region S: C has everything below it, P all the rest. A branch that is cut off is a leaf of the table above
it, with its computed numbers; where a part has several top items, it gets a root whose id begins with forest:. Parts
have units in their headers and are read without options. STEM.branches.json has the covariance of each branch and its
part in groups with other members, which massprops parts assemble --branches reads.
""",
)


class _PartitionRun(TableRun):
    """The options of ``partition``: the region or the number of parts, and where they are written."""

    at: RepeatedOption = command_option("at", COMMAND)
    into: int | None = command_option("into", COMMAND)
    output: str = command_option("output", COMMAND)
    to_format: str = command_option("to", COMMAND)
    plot: str = command_option("plot", COMMAND)


def command(run: _PartitionRun) -> int:
    """Read the table, divide it, and write the parts."""
    from massprops_cli.partitions.tree_partition import partition

    if not (at := split_option_ids(run.at)) and run.into is None:
        raise UsageError("partition needs --at IDS or --into N")
    if run.output == "-":
        raise UsageError("-o names the folder of the parts; partition does not write to standard output")
    check_tree_picture(run.plot)
    bom = read_input_bom(run, write_poi="none")
    screen = report_screen(data_on_stdout=False)
    try:
        parts = partition(bom, at, run.into or 0, correlate=run.correlate, correlate_centers=run.correlate_centers)
    except FindingsError as error:
        return report_output.report_failure(screen, run.file, error.findings, run, "not divided, nothing written")
    files = parts.save(run.output or sibling_file(run.file, "parts"), run.to_format, no_clobber=run.no_clobber)
    if run.plot:
        titles = [part.name for part in parts.parts]
        labels = [titles[k] for k in parts.labels.tolist()]
        draw_tree_parts(run.plot, bom.tree, bom.ids, labels, replaces=not run.no_clobber)
    if not report_output.write_data_view(
        screen, run.format, json=lambda: {**parts.to_dict(), "files": files}, jsonl=lambda: parts.to_dict()["parts"]
    ):
        items, count = count_with_noun(len(bom), "item"), count_with_noun(len(parts.parts), "part")
        fewer = f" (of {run.into}: each begins with an assembly)" if len(parts.parts) < (run.into or 0) else ""
        did = f"{run.file}: divided {items} into {count}{fewer} in {Path(files[0]).parent}"
        shown = report_output.selected_findings(parts.findings, run)
        end = f".{parts.parts[0].name}.{run.to_format}"
        stem, written = re.escape(Path(files[0]).name.removesuffix(end)), {Path(name).name for name in files}
        part = re.compile(rf"{stem}\.([A-Z]|\d+){re.escape(Path(end).suffix)}")
        others = sorted(path.name for path in Path(files[0]).parent.iterdir() if part.fullmatch(path.name))
        stale = name_list([name for name in others if name not in written])
        more = partition_blocks(parts)
        more += [text_line(TextSpan(f"  parts of an earlier division: {stale}", "warn"))] if stale else []
        report_output.report_findings(screen, run.file, shown, run, did, brief=True, more=more)
    return report_output.exit_code(parts.findings, run)
