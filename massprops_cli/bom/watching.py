"""Which items' distributions are wanted beside the root's, and what is counted while they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from massprops_cli.bom.asked import Asked, read_asked
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.uncertainties import Uncertainties
from massprops_cli.rollup.normal.regions import Region


def questions_of(bom: Bom, asked: Uncertainties) -> list[Asked]:
    """Read what was asked of probabilities, in the order asked; raises UsageError for what cannot be understood."""
    return [read_asked(text, bom) for text in asked.probability]


def watched_of(bom: Bom, asked: Uncertainties) -> tuple[list[int], Mapping[int, Sequence[Region]]]:
    """Give the items to be watched, the root first, and the regions that samples of each are to be counted in."""
    regions: dict[int, list[Region]] = {}
    for question in questions_of(bom, asked):
        regions.setdefault(question.item, []).append(question.region)
    root = int(bom.tree.order[0])
    named = [bom.item(name) for name in asked.items]
    return list(dict.fromkeys([root, *named, *regions])), regions
