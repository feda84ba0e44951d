"""``massprops whatif``: changed, scaled or dropped items, and every assembly above them before and after."""

from __future__ import annotations

from typing import Any

from massprops_cli.bom.whatif_draft import condition_texts, parse_change_texts
from massprops_cli.cli.command import Command, RepeatedOption, WritingRun, command_option, with_options
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.output_files import requested_output
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.stages.table_output import write_changed_table
from massprops_cli.findings.finding import FindingsError, UsageError

COMMAND = Command(
    "whatif",
    panel="Compute",
    summary="Change, scale, add, move or drop items and show every assembly before and after.",
    examples=(
        "spacecraft.csv --set PLD-110.mass=8.2",
        "spacecraft.csv --scale HRN.mass=1.1",
        "spacecraft.csv --drop BAL-200 -o changed.csv",
    ),
    usual="set scale new move drop condition output format unit sheet",
    sets="single-file sigmas shared-sigmas table-output view",
    more="""
The name after the last dot is the quantity: P.1.mass is the mass of P.1; P.1 may be a name or part number that one
item has. --set changes one cell of a leaf, and the result is that of the table with this cell: sigmas in percent, by
method or from bounds follow. Values may have a unit; growth is in percent. Cells of poses and shapes are set likewise:
M.tx=2 moves all below M, A.dims=r=60 mm changes the shape of A. --scale X.mass=k scales mass and inertia, and their
sigmas, of every leaf under X. --new and --move apply before the other changes. In a table of item numbers or levels
--new inserts a row at the end of the branch, with the next number, in the formats of the row above; formulas follow,
and sums that do not count it are named. With -o the changed table is written, otherwise nothing. Findings of the table
go to standard error, and --fail-on determines the exit code.
""",
)
_CHANGES = ("set", "scale", "drop", "new", "move")


class _WhatIfRun(WritingRun):
    """The options of ``whatif``: with the changes."""

    set: RepeatedOption = command_option("set", COMMAND)
    scale: RepeatedOption = command_option("scale", COMMAND)
    new: RepeatedOption = command_option("new", COMMAND)
    move: RepeatedOption = command_option("move", COMMAND)
    drop: RepeatedOption = command_option("drop", COMMAND)


def command(run: _WhatIfRun) -> int:
    """Read the table, recompute the affected assemblies, and report them before and after the change."""
    run = _with_condition(run)
    texts = {name: getattr(run, name) or () for name in _CHANGES}
    if not any(texts.values()):
        raise UsageError(
            "no change is given (expected --set ID.quantity=value, --scale ID.mass=factor, --drop ID, --new ITEM, "
            "--move ID=PARENT, or a condition of the configuration)"
        )
    bom = read_input_bom(run, write_poi="none")
    target, screen = requested_output(run, bom.table)
    from massprops_cli.bom.whatif import whatif
    from massprops_cli.reports.tree import whatif_blocks

    try:
        answer = whatif(bom, **parse_change_texts(texts), uncertainty=run.method, **run.correlation, keep_going=True)
    except FindingsError as error:
        did = "not rolled up with these changes"
        return report_output.report_failure(screen, run.file, error.findings, run, did)
    of_writing = [] if target is None else write_changed_table(answer.changed_table(), bom, target)
    if not report_output.is_silent(run, has_output=target is not None):
        report_output.write_view(
            screen,
            run.format,
            lambda symbols: whatif_blocks(
                answer,
                symbols,
                failed=bool(report_output.exit_code(answer.findings, run)),
                most=report_output.most_rows(screen, run),
            ),
            verbose_decision_blocks(bom, run, screen.symbols),
            json=answer.to_dict,
            jsonl=lambda: answer.to_dict()["items"],
        )
    findings, did = (*answer.findings, *of_writing), f"{run.file}: read the unchanged table"
    return report_output.report_on_stderr(run.file, findings, run, did)


def _with_condition(run: _WhatIfRun) -> _WhatIfRun:
    """Put the changes of a condition of the configuration before those of the command line."""
    if not run.condition:
        return run
    stated = condition_texts(run.settings.conditions, run.condition)
    both: dict[str, Any] = {name: [*texts, *(getattr(run, name) or ())] for name, texts in stated.items()}
    changed: _WhatIfRun = with_options(run, **both, condition="")
    return changed
