"""Parts and aggregated items on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import name_list
from massprops_cli.reports.page.page import Grid, Line, PageBlock, TextSpan, text_line

if TYPE_CHECKING:
    from massprops_cli.partitions.aggregation import Aggregation
    from massprops_cli.partitions.tree_partition import Partition

_DIGITS = 9  # significant digits of a mass


def partition_blocks(parts: Partition) -> list[PageBlock]:
    """Lay out the parts of a partition."""
    unit = parts.result.bom.units.mass
    head = ["part", "items", f"own mass [{unit}]" if unit else "own mass", "top items", "represented branches"]
    rows = [[TextSpan(text, "dim") for text in head]]
    rows += [
        [
            TextSpan(part.name, "strong"),
            TextSpan(f"{part.items:,}"),
            TextSpan(f"{part.mass:.{_DIGITS}g}"),
            TextSpan(_names(part.tops)),
            TextSpan(_names(part.branches)),
        ]
        for part in parts.parts
    ]
    return [Line(), Grid(rows, "lrrll", shrink=4)]


def aggregation_blocks(made: Aggregation) -> list[PageBlock]:
    """Lay out what became one item."""
    items = [name for name, is_member in zip(made.bom.ids, made.members.tolist(), strict=True) if is_member]
    return [
        Line(),
        text_line(TextSpan("aggregated: ", "strong"), _names(items), hang=2),
        text_line(TextSpan("new item: ", "strong"), made.name, hang=2),
        text_line(TextSpan("its children: ", "strong"), _names(made.children), hang=2),
    ]


def _names(names: Sequence[str]) -> str:
    """Return names as one text, a dash without any."""
    return name_list(list(names)) if names else "-"
