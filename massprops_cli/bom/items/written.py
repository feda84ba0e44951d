"""Items as their own rows have them, assemblies included."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.items.sets import CENTER, INERTIA, MASS, SIGMA_CENTER, SIGMA_INERTIA, SIGMA_MASS, QuantitySet

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content

Mask = NDArray[np.bool_]


def bodies_as_written(bom: Content) -> tuple[Bodies, Sigmas | None]:
    """Give all items with the numbers of their own rows: the masks tell which cells of an assembly are blank."""
    bodies, sigmas = bom.bodies, bom.sigmas
    written = replace(
        bodies,
        has_mass=known(bom, bodies.has_mass, (MASS,)),
        has_center=None if bodies.center is None else known(bom, bodies.has_center, (CENTER,)),
        has_inertia=None if bodies.inertia is None else known(bom, bodies.has_inertia, (INERTIA,)),
    )
    if sigmas is None:
        return written, None
    arrays = (sigmas.mass, sigmas.center, sigmas.inertia)
    sets = [s for s, array in zip((SIGMA_MASS, SIGMA_CENTER, SIGMA_INERTIA), arrays, strict=True) if array is not None]
    return written, replace(sigmas, known=known(bom, sigmas.known, sets))


def known(bom: Content, mask: Mask | None, sets: tuple[QuantitySet, ...] | list[QuantitySet]) -> Mask:
    """Tell which items have all cells of some sets: leaves by their mask, assemblies by what they state."""
    leaf = bom.tree.is_leaf()
    result = leaf.copy() if mask is None else mask & leaf
    count = np.zeros(len(bom), np.intp)
    names = [name for quantity_set in sets for name in quantity_set.columns]
    for name in names:
        if name in bom.written:
            count[bom.written[name][0]] += 1
    result |= ~leaf & (count == len(names))
    return result
