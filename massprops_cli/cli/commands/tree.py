"""``massprops tree``: the tree with mass, share and bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from massprops_cli.cli.command import Command
from massprops_cli.cli.option_groups import (
    MeaningOptions,
    ReportOptions,
    SigmaOptions,
    TableInputOptions,
    command_option,
)
from massprops_cli.cli.stages.report_output import exit_code, report_findings, rule_selection
from massprops_cli.cli.stages.table_input import read_and_explain_bom, verbose_decision_blocks
from massprops_cli.cli.streams import report_screen, screen_for
from massprops_cli.findings.finding import UsageError
from massprops_cli.reports.page.findings import json_line, json_text
from massprops_cli.reports.page.page import UNICODE, fenced_markdown

COMMAND = Command(
    "tree",
    panel="Look at a table",
    summary="Show the tree with mass, share and bars.",
    examples=("spacecraft.csv", "spacecraft.csv --depth 2", "spacecraft.csv --root PLD"),
    usual="format depth uncertainty root where map unit layout sheet config",
    sets="single-file sigmas view",
    more="""
Shares are of the root's mass. Items below --depth are counted on the row of their assembly. Findings go to standard
error.
""",
)


@dataclass(frozen=True)
class _TreeOptions:
    """Number of levels to print."""

    depth: int | None = command_option("depth", COMMAND)


def command(
    reading: TableInputOptions,
    meaning: MeaningOptions,
    stated: SigmaOptions,
    reporting: ReportOptions,
    depth: _TreeOptions,
) -> int:
    """Read the table, roll it up, and print the tree of what can be computed, and the errors."""
    rule_selection(reporting)
    if depth.depth is not None and depth.depth < 0:
        raise UsageError(f"--depth is negative: {depth.depth} (expected 0 or more)")
    method = stated.uncertainty or "auto"
    if method == "montecarlo":
        raise UsageError("tree prints first-order sigmas, not samples; use --uncertainty covariance, massprops or none")
    bom = read_and_explain_bom(
        reading, meaning, reporting, use_sigmas=method != "none", sigma_level=stated.sigmas_are, write_poi="none"
    )
    import sys

    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.tree import tree_blocks

    result = rollup(bom, method, keep_going=True)
    screen = report_screen(data_on_stdout=False)
    more = verbose_decision_blocks(bom, reading, screen.symbols, is_verbose=reporting.verbose)
    if reporting.format == "json":
        screen.write(json_text(_limit_depth(result.to_dict(), depth.depth)))
    elif reporting.format == "jsonl":
        screen.write("".join(json_line(item) for item in _limit_depth(result.to_dict(), depth.depth)["items"]))
    elif reporting.format == "md":
        screen.write_text(fenced_markdown(tree_blocks(result, UNICODE, depth.depth)))
    else:
        screen.show([*tree_blocks(result, screen.symbols, depth.depth), *more])
    code = exit_code(result.findings, reporting)
    if code:
        report_findings(
            screen_for(sys.stderr),
            reading.file,
            result.findings,
            reporting,
            f"{reading.file}: tree of the known values",
            failed=True,
            brief=True,
        )
    return code


def _limit_depth(report: dict[str, Any], depth: int | None) -> dict[str, Any]:
    """Return a report with its items down to a level, None for all of them."""
    if depth is None:
        return report
    return {**report, "items": [item for item in report["items"] if item["level"] <= depth]}
