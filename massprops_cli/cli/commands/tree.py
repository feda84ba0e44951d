"""``massprops tree``: the tree with mass, share and bars."""

from __future__ import annotations

import sys
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
from massprops_cli.cli.stages.report_output import exit_code, report_failure, write_view
from massprops_cli.cli.stages.table_input import read_and_explain_bom, verbose_decision_blocks
from massprops_cli.cli.streams import report_screen, screen_for
from massprops_cli.findings.finding import UsageError

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
    if depth.depth is not None and depth.depth < 0:
        raise UsageError(f"--depth is negative: {depth.depth} (expected 0 or more)")
    method = stated.uncertainty or "auto"
    if method == "montecarlo":
        raise UsageError("tree prints first-order sigmas, not samples; use --uncertainty covariance, massprops or none")
    bom = read_and_explain_bom(
        reading, meaning, reporting, use_sigmas=method != "none", sigma_level=stated.sigmas_are, write_poi="none"
    )
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.tree import tree_blocks

    result = rollup(bom, method, keep_going=True)
    screen = report_screen(data_on_stdout=False)
    write_view(
        screen,
        reporting.format,
        lambda symbols: tree_blocks(result, symbols, depth.depth),
        verbose_decision_blocks(bom, reading, reporting, screen.symbols),
        json=lambda: _limit_depth(result.to_dict(), depth.depth),
        jsonl=lambda: _limit_depth(result.to_dict(), depth.depth)["items"],
    )
    code = exit_code(result.findings, reporting)
    if code:
        report_failure(screen_for(sys.stderr), reading.file, result.findings, reporting, "tree of the known values")
    return code


def _limit_depth(report: dict[str, Any], depth: int | None) -> dict[str, Any]:
    """Return a report with its items down to a level, None for all of them."""
    if depth is None:
        return report
    return {**report, "items": [item for item in report["items"] if item["level"] <= depth]}
