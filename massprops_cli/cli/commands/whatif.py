"""``massprops whatif``: changed, scaled or dropped items, and every assembly above them before and after."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from massprops_cli.bom.whatif_draft import condition_texts, parse_change_texts
from massprops_cli.cli.command import Command
from massprops_cli.cli.option_groups import (
    MeaningOptions,
    OutputOptions,
    RepeatedOption,
    ReportOptions,
    TableInputOptions,
    UncertaintyOptions,
    command_option,
)
from massprops_cli.cli.stages.output_files import output_target
from massprops_cli.cli.stages.report_output import exit_code, report_findings, rule_selection, selected_findings
from massprops_cli.cli.stages.table_input import read_and_explain_bom, read_stdin, verbose_decision_blocks
from massprops_cli.cli.stages.table_output import write_changed_table
from massprops_cli.cli.streams import EXIT_FINDINGS, report_screen, screen_for
from massprops_cli.findings.finding import Finding, FindingsError, UsageError
from massprops_cli.reports.page.findings import json_line, json_text
from massprops_cli.reports.page.page import UNICODE, fenced_markdown

COMMAND = Command(
    "whatif",
    panel="Compute",
    summary="Change, scale, add, move or drop items and show every assembly before and after.",
    examples=(
        "spacecraft.csv --set PLD-110.mass=8.2",
        "spacecraft.csv --scale HRN.mass=1.1",
        "spacecraft.csv --drop BAL-200 -o changed.csv",
    ),
    usual="set scale add move drop condition output format unit sheet",
    sets="single-file sigmas shared-sigmas table-output view",
    more="""
The name after the last dot is the quantity: P.1.mass is the mass of P.1; P.1 may be a name that one item has. --set
changes one cell of a leaf, and the result is that of the table with this cell: sigmas in percent, by method or from
bounds follow. Values may have a unit; growth is in percent. --scale X.mass=k scales mass and inertia, and their sigmas,
of every leaf under X. --add and --move apply before the other changes. With -o the changed table is written, otherwise
nothing. Findings of the table go to standard error, and --fail-on determines the exit code.
""",
)

_CHANGES = ("set", "scale", "drop", "add", "move")


@dataclass(frozen=True)
class _WhatIfOptions:
    """The changes."""

    set: RepeatedOption = command_option("set", COMMAND)
    scale: RepeatedOption = command_option("scale", COMMAND)
    add: RepeatedOption = command_option("add", COMMAND)
    move: RepeatedOption = command_option("move", COMMAND)
    drop: RepeatedOption = command_option("drop", COMMAND)
    condition: str = command_option("condition", COMMAND)


def command(
    reading: TableInputOptions,
    meaning: MeaningOptions,
    uncertain: UncertaintyOptions,
    reporting: ReportOptions,
    output: OutputOptions,
    changes: _WhatIfOptions,
) -> int:
    """Read the table, recompute the affected assemblies, and report them before and after the change."""
    rule_selection(reporting)
    changes = _with_condition(changes, reading)
    if not (changes.set or changes.scale or changes.drop or changes.add or changes.move):
        raise UsageError(
            "no change is given (expected --set ID.quantity=value, --scale ID.mass=factor, --drop ID, --add ITEM, "
            "--move ID=PARENT, or a condition of the configuration)"
        )
    method = uncertain.uncertainty or "auto"
    stdin = read_stdin(reading)
    bom = read_and_explain_bom(
        reading,
        meaning,
        reporting,
        stdin,
        use_sigmas=method != "none",
        sigma_level=uncertain.sigmas_are,
        write_poi="none",
    )
    target = None
    if output.output or output.to_format:
        target = output_target(reading.file, bom.table.source.format, output, to_stdout=True)
    screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
    more = verbose_decision_blocks(bom, reading, screen.symbols, is_verbose=reporting.verbose)
    from massprops_cli.bom.whatif import whatif
    from massprops_cli.reports.tree import whatif_blocks

    try:
        answer = whatif(
            bom,
            **parse_change_texts(
                {name: getattr(changes, name) or () for name in ("set", "scale", "drop", "add", "move")}
            ),
            uncertainty=method,
            correlate=uncertain.correlate,
            correlate_centers=uncertain.correlate_centers,
            correlations=uncertain.correlations,
            keep_going=True,
        )
    except FindingsError as error:
        did = f"{reading.file}: not rolled up with these changes"
        report_findings(screen, reading.file, error.findings, reporting, did, failed=True, brief=True)
        return EXIT_FINDINGS
    of_writing = [] if target is None else write_changed_table(answer.changed_table(), bom, target, stdin)
    if reporting.format == "json":
        screen.write(json_text(answer.to_dict()))
    elif reporting.format == "jsonl":
        screen.write("".join(json_line(item) for item in answer.to_dict()["items"]))
    elif reporting.format == "md":
        screen.write_text(fenced_markdown(whatif_blocks(answer, UNICODE)))
    else:
        screen.show([*whatif_blocks(answer, screen.symbols), *more])
    return _report_baseline_findings((*answer.findings, *of_writing), reading, reporting)


def _report_baseline_findings(findings: Sequence[Finding], reading: TableInputOptions, reporting: ReportOptions) -> int:
    """Report the findings of the table before the change on stderr; returns the exit code."""
    if selected_findings(findings, reporting):
        did = f"{reading.file}: read the unchanged table"
        report_findings(screen_for(sys.stderr), reading.file, findings, reporting, did, failed=False, brief=True)
    return exit_code(findings, reporting)


def _with_condition(changes: _WhatIfOptions, reading: TableInputOptions) -> _WhatIfOptions:
    """Put the changes of a condition of the configuration before those of the command line."""
    if not changes.condition:
        return changes
    stated = condition_texts(reading.settings.conditions, changes.condition)
    both: dict[str, Any] = {name: [*texts, *(getattr(changes, name) or ())] for name, texts in stated.items()}
    return replace(changes, **both)
