"""Whose errors are shared in one roll-up, and what that assumption is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.arrays import of_item, sigma_to_first_order
from massprops_cli.bom.uncertain.uncertainties import CORRELATE, Uncertainties
from massprops_cli.findings import Finding, UsageError
from massprops_cli.rollup.correlation import TEN, Correlation
from massprops_cli.rollup.roll_up import roll_up

if TYPE_CHECKING:
    from massprops_cli.rollup.rolled import Rollup


def sharing_of(bom: Bom, asked: Uncertainties) -> tuple[Correlation | None, Sequence[Finding]]:
    """Say whose errors are shared, by the options and the table's column of groups; None when nobody's are.

    The findings are those of the file of correlations. Raises UsageError for centres that are to be shared with nobody.
    """
    if bom.groups is None and not asked.is_correlated:
        return None, []
    if bom.groups is None and asked.correlate == "none" and not asked.correlations:
        raise UsageError("--correlate-centers needs shared errors: --correlate part or all, or a column corr_group")
    from massprops_cli.bom.stating.correlation_file import read_correlations
    from massprops_cli.bom.stating.sharing import correlation_of

    findings: Sequence[Finding] = []
    matrix = None
    if asked.correlations:
        matrix, findings = read_correlations(bom, asked.correlations, correlate_centers=asked.correlate_centers)
    sharing = correlation_of(bom, asked.correlate, asked.correlate_centers, matrix)
    return None if sharing.is_none else sharing, findings


def is_repeated(bom: Bom) -> bool:
    """Tell whether it matters what is assumed: a row counts several times, or a part number stands in several rows."""
    counts = bom.quantity.count[bom.tree.parent >= 0]
    if bool((np.abs(counts) > 1).any()):
        return True
    if bom.part_numbers is None:
        return False
    numbers = [text.strip() for text in bom.part_numbers if text.strip()]
    return len(set(numbers)) < len(numbers)


def assumptions_of(
    bom: Bom, rolled: Rollup, asked: Uncertainties, sharing: Correlation | None = None
) -> Mapping[str, Mapping[str, float]]:
    """Give the root's sigmas for each assumption: none, part, all → quantity → sigma.

    ``sharing`` is what was in force; groups that it couples stay coupled, but under all there are none. They are exact
    to first order, whatever the method; a quantity that is not known is left out. Empty where nothing is
    repeated, so that it makes no difference, and where nothing is known.
    """
    if bom.sigmas is None or not is_repeated(bom):
        return {}
    root = int(bom.tree.order[0])
    wanted = [name for name in TEN if is_known(rolled, root, name)]
    if not wanted:
        return {}
    found: dict[str, dict[str, float]] = {}
    for word in CORRELATE:
        columns = of_item(rolled_under(word, bom, rolled, asked, sharing), root)
        sigmas = {name: sigma_to_first_order(columns, f"sigma_{name}") for name in wanted}
        found[word] = {name: float(sigma[0]) for name, sigma in sigmas.items() if sigma is not None}
    return found


def rolled_under(word: str, bom: Bom, rolled: Rollup, asked: Uncertainties, sharing: Correlation | None) -> Rollup:
    """Roll up to first order under an assumption on shared errors; what has been so already is taken as it is."""
    if rolled.covariances is not None and asked.correlate == word:
        return rolled
    from massprops_cli.bom.stating.correlation_file import Coupling
    from massprops_cli.bom.stating.sharing import correlation_of

    matrix = None
    if sharing is not None and len(sharing.coupled) and word != "all":
        matrix = Coupling(tuple(sharing.labels[group] for group in sharing.coupled.tolist()), sharing.matrix)
    supposed = correlation_of(bom, word, asked.correlate_centers, matrix)
    return roll_up(bom.tree, bom.bodies, bom.sigmas, bom.quantity, stated=bom.stated, correlation=supposed)


def is_known(rolled: Rollup, item: int, name: str) -> bool:
    """Tell whether a result of an item and its sigma are known."""
    sigmas, bodies = rolled.sigmas, rolled.bodies
    if sigmas is None or (sigmas.known is not None and not sigmas.known[item]):
        return False
    if name == "mass":
        return True
    array, has = (sigmas.center, bodies.has_center) if name[0] == "C" else (sigmas.inertia, bodies.has_inertia)
    return array is not None and (has is None or bool(has[item]))
