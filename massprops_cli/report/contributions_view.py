"""What makes a sigma or a mass, in every format of the report."""

from __future__ import annotations

from typing import Any

from massprops_cli.bom.answers.contributions import Contributions
from massprops_cli.bom.answers.pareto import MassPareto
from massprops_cli.report.budget_view import budget_blocks, budget_markdown
from massprops_cli.report.json_report import json_line
from massprops_cli.report.number_text import percent
from massprops_cli.report.page import Block, Symbols
from massprops_cli.report.pareto_view import pareto_blocks, pareto_markdown

Answer = Contributions | MassPareto


def blocks(answer: Answer, symbols: Symbols, top: int, weigh: int) -> list[Block]:
    """Show the ``top`` rows, and what weighing ``weigh`` of them is worth."""
    if isinstance(answer, MassPareto):
        return pareto_blocks(answer, symbols, top)
    return budget_blocks(answer, symbols, top, weigh)


def markdown(answer: Answer, top: int, weigh: int) -> str:
    """Write the ``top`` rows as Markdown."""
    if isinstance(answer, MassPareto):
        return pareto_markdown(answer, top)
    return budget_markdown(answer, top, weigh)


def concise(answer: Answer, top: int) -> str:
    """Write the ``top`` rows, one a line: name, share, and the input that matters most."""
    if isinstance(answer, MassPareto):
        return "".join(f"{row.name}: {percent(row.share)} of the mass\n" for row in answer.rows(top))
    return "".join(
        f"{row.name}: {percent(row.share)} of the variance of {answer.of}, mostly from {row.input}\n"
        for row in answer.rows(top)
        if row.share
    )


def dictionary(answer: Answer, top: int | None, weigh: int) -> dict[str, Any]:
    """Give the answer as plain JSON values, all rows without ``top``."""
    return answer.to_dict(top) if isinstance(answer, MassPareto) else answer.to_dict(top, weigh)


def json_lines(answer: Answer, top: int | None) -> str:
    """Write rows as JSON objects, one a line."""
    rows = dictionary(answer, top, 0)["shares" if isinstance(answer, MassPareto) else "contributions"]
    return "".join(map(json_line, rows))
