"""``massprops tree``: the tree with mass, share and bars."""

from __future__ import annotations

import sys
from typing import Any

from massprops_cli.cli.command import Command, TableRun
from massprops_cli.cli.stages.report_output import exit_code, is_silent, most_rows, report_failure, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.streams import report_screen, screen_for
from massprops_cli.findings.finding import UsageError

COMMAND = Command(
    "tree",
    panel="Look",
    summary="Show the tree with mass, share and bars.",
    examples=("spacecraft.csv", "spacecraft.csv --depth 2", "spacecraft.csv --root PLD"),
    usual="format depth uncertainty root where map unit layout sheet config",
    sets="single-file sigmas view",
    more="""
Shares are of the root's mass. Items below --depth are counted on the row of their assembly. Findings go to standard
error.
""",
)


def command(run: TableRun) -> int:
    """Read the table, roll it up, and print the tree of what can be computed, and the errors."""
    if run.depth is not None and run.depth < 0:
        raise UsageError(f"--depth is negative: {run.depth} (expected 0 or more)")
    if run.method == "montecarlo":
        raise UsageError("tree prints first-order sigmas, not samples; use --uncertainty covariance, massprops or none")
    bom = read_input_bom(run, write_poi="none")
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.tree import tree_blocks

    result = rollup(bom, run.method, keep_going=True)
    screen = report_screen(data_on_stdout=False)
    if not is_silent(run):
        write_view(
            screen,
            run.format,
            lambda symbols: tree_blocks(result, symbols, run.depth, most_rows(screen, run)),
            verbose_decision_blocks(bom, run, screen.symbols),
            json=lambda: _limit_depth(result.to_dict(), run.depth),
            jsonl=lambda: _limit_depth(result.to_dict(), run.depth)["items"],
        )
    if code := exit_code(result.findings, run):
        report_failure(screen_for(sys.stderr), run.file, result.findings, run, "tree of the known values")
    return code


def _limit_depth(report: dict[str, Any], depth: int | None) -> dict[str, Any]:
    """Return a report with its items down to a level, None for all of them."""
    if depth is None:
        return report
    return {**report, "items": [item for item in report["items"] if item["level"] <= depth]}
