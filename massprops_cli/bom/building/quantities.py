"""Masses of whole lines, and quantities that are already multiplied: brought to one piece, and to one parent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.measured import measured_masses
from massprops_cli.bom.items.content import Content
from massprops_cli.bom.items.many import listed
from massprops_cli.bom.items.sets import INERTIA
from massprops_cli.findings import UsageError
from massprops_cli.rollup.quantity import Quantity

Floats = NDArray[np.float64]


class UnevenError(UsageError):
    """Quantities are not those of the whole: they do not divide by those of the assemblies they stand in."""


WHOLE = 1e-9
"""How far a quotient of counts may be from a whole number."""


def as_stated(content: Content) -> Content:
    """Bring masses to one piece and quantities to one parent, as ``--mass-is`` and ``--qty-is`` say they are not.

    ``pieces (n,)`` of the result keeps how many pieces a mass cell holds. Raises UsageError where that cannot be.
    """
    count = content.quantity.count
    if content.extra is not None:  # an assembly's own numbers stand on its row
        count = np.where(content.extra, count[content.tree.parent], count)
    if content.options.qty_is == "total":
        content = replace(content, quantity=per_parent(content))
    if content.options.mass_is != "line":
        return content
    refuse_line_values(content, count)
    pieces = np.where(count == 0, 1.0, np.abs(count))
    bodies = replace(content.bodies, mass=content.bodies.mass / pieces)
    return replace(content, bodies=bodies, pieces=pieces)


def per_parent(content: Content) -> Quantity:
    """Divide every item's quantity by its parent's: how many one parent holds.

    Raises UnevenError where a count of pieces does not divide: the pieces of a parent are all alike.
    """
    total, parent = content.quantity.count, content.tree.parent
    over = np.where(parent < 0, 1.0, total[parent])
    if content.extra is not None:
        over[content.extra] = 1.0
    count = np.divide(total, over, out=np.zeros(len(total)), where=over != 0)
    uneven = ~content.quantity.measured & (np.abs(count - np.round(count)) > WHOLE)
    if uneven.any():
        cases = [f"{content.ids[i]}: {total[i]:g} in {over[i]:g}" for i in np.flatnonzero(uneven).tolist()]
        raise UnevenError(
            f"the quantities are not already multiplied: they do not divide by their assembly's ({listed(cases)}); "
            "leave out --qty-is total, or correct them"
        )
    return Quantity(np.where(content.quantity.measured, count, np.round(count)), content.quantity.measured)


def refuse_line_values(content: Content, count: Floats) -> None:
    """Refuse inertias and sigmas of masses beside masses of whole lines: of the line or of a piece cannot be seen.

    A mass of one metre is none of a line.
    """
    named = content.columns.by_quantity
    for measure in measured_masses(content.table, content.columns).values():
        raise UsageError(f"--mass-is line: {named['mass'].header} has masses of one {measure}; leave the option out")
    wanted = (*INERTIA.columns, *(() if content.sigmas is None else ("sigma_mass",)))
    header = next((named[name].header for name in wanted if name in named), None)
    several = np.flatnonzero((count != 1) & (count != 0) & content.tree.is_leaf() & ~content.bodies.is_point)
    if header is not None and len(several):
        first = int(several[0])
        raise UsageError(
            f"--mass-is line: whether {header} of {content.ids[first]} is of the line or of one of {count[first]:g} "
            "pieces cannot be seen; write masses and the others per piece, and leave the option out"
        )
