"""Assemblies with removed pieces whose computed tensors no body has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import tensor_faults
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.findings.finding import Findings, Severity
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.trees.tree import subtree_sums

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
_ROUNDING = 1e-3
"""Rounding of three to four written digits, as a share of the moments of all pieces, added or removed."""
_REMEDY = "check the mass, centre and tensor of the removed pieces, and the signs of the quantities"


def check_removed_pieces(bom: Bom, rollup: Rollup, findings: Findings) -> None:
    """Report computed tensors that no body has, where pieces are removed; docs/formulas.md, section 8."""
    bodies, tree = rollup.bodies, bom.tree
    own = tree.is_leaf() if bom.stated is None else tree.is_leaf() | bom.stated
    removed = (bom.quantity.count < 0) | (own & (bom.bodies.mass < 0))
    if bodies.inertia is None or bodies.center is None or not removed.any():
        return
    weight = np.where(own[np.maximum(tree.parent, 0)], 0.0, np.abs(bom.quantity.count))
    gross = subtree_sums(tree, np.where(own, np.abs(bom.bodies.mass), 0.0), weight)
    chosen = ~own & (subtree_sums(tree, removed.astype(float)) > removed) & (bodies.mass > 0) & ~rollup.cancelled
    if bom.options.allow_negative_mass:  # a list of changes is no body: most of the mass must be left
        chosen &= 3 * bodies.mass >= gross
    if bodies.has_inertia is not None:
        chosen &= bodies.has_inertia
    items = np.flatnonzero(chosen)
    noise = _ROUNDING * _gross_moments(bom, bodies.center, own, weight, gross)
    for fault in tensor_faults(bodies.inertia[items], lambda k: np.full(6, noise[items[k]])):
        if fault.rule == "MP405":
            continue
        i = int(items[fault.row])
        message = f"computed inertia tensor of {bom.ids[i]}, with removed pieces: {fault.message.partition(';')[0]}"
        place = item_cell_place(bom.table, int(bom.rows[i]), None)
        findings.report(fault.rule, message, place, item=bom.ids[i], remedy=_REMEDY, severity=Severity.WARNING)


def _gross_moments(bom: Bom, about: _Floats, own: NDArray[np.bool_], weight: _Floats, gross: _Floats) -> _Floats:
    """Return Σ|I| + Σ|m| d² (n,) of the pieces below about the centres (n, 3), masses without sign."""
    center, inertia = bom.bodies.center, bom.bodies.inertia
    assert center is not None
    assert inertia is not None
    c, mass = np.nan_to_num(center), np.where(own, np.abs(bom.bodies.mass), 0.0)
    sizes = np.where(own, np.abs(np.nan_to_num(inertia)).max(axis=1), 0.0) + mass * (c * c).sum(axis=1)
    moved = [2 * about[:, a] * subtree_sums(bom.tree, mass * c[:, a], weight) for a in range(3)]
    spread = gross * (about * about).sum(axis=1)
    return np.asarray(np.abs(subtree_sums(bom.tree, sizes, weight) - sum(moved) + spread))
