"""Reference point of inertia: transfer to each item's own centre on reading, and from it on writing.

By the parallel-axis theorem (Huygens-Steiner), a tensor about P is I + m Φ(c − P), with Φ(v) = |v|² 1 − v vᵀ.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, phi
from massprops_cli.bom.items.numbers import SetCells
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, body_column, item_quantity_values
from massprops_cli.findings import UsageError
from massprops_cli.rollups import Rollup
from massprops_cli.tables import TableColumns, read_number

_Floats = NDArray[np.float64]
Point = tuple[float, float, float]

_UNCERTAINTY_COLUMNS = ("sigma_{}", "{}_min", "{}_max")


def parse_point(text: str) -> Point | None:
    """Read ``own`` (None: each item's own centre), ``origin`` or ``x,y,z``; raises UsageError.

    >>> parse_point("own"), parse_point("origin"), parse_point("1, 0, -2.5")
    (None, (0.0, 0.0, 0.0), (1.0, 0.0, -2.5))
    """
    word = text.strip().lower()
    if word in ("", "own"):
        return None
    numbers = [read_number(part) for part in ("0,0,0" if word == "origin" else text).split(",")]
    if len(numbers) != 3 or any(number is None for number in numbers):
        raise UsageError(f"inertia-about is not a point: {text} (own, origin or three numbers such as 0,0,1.5)")
    x, y, z = (float(number) for number in numbers if number is not None)
    return x, y, z


def point_text(point: Point) -> str:
    """Return a point as text.

    >>> point_text((0.0, 0.0, 0.0)), point_text((1.0, 0.0, -2.5))
    ('the origin 0,0,0', 'the point 1,0,-2.5')
    """
    numbers = ",".join(f"{x + 0.0:.12g}" for x in point)
    return f"the {'point' if any(point) else 'origin'} {numbers}"


def reject_inertia_uncertainties(columns: TableColumns, point: Point) -> None:
    """Reject sigmas and bounds of inertia that is not about the own centre.

    They may or may not include the uncertainties of mass and centre, which gives two results.
    """
    spreads = [form.format(name) for name in INERTIA.columns for form in _UNCERTAINTY_COLUMNS]
    named = next((columns.by_quantity[name].header for name in spreads if name in columns.by_quantity), None)
    if named is None:
        return
    raise UsageError(
        f"uncertainty of inertia about {point_text(point)} is ambiguous: {named} (it may or may not include the "
        "uncertainties of mass and centre; convert inertia and sigmas to the own centres, or pass --uncertainty none)"
    )


def tensors_about_own_centers(cells: Mapping[str, SetCells], point: Point) -> SetCells:
    """Return the tensors of n items about their own centres, from cells about ``point``.

    An item of unknown mass or centre has no tensor then, because it cannot be transferred.
    """
    inertia = cells[INERTIA.name]
    if MASS.name not in cells or CENTER.name not in cells:  # already reported
        return inertia
    mass, center = cells[MASS.name], cells[CENTER.name]
    moved = inertia.values - mass.values * phi(center.values - np.array(point))
    movable = mass.has & center.has
    # the missing mass or centre is already reported
    bad = inertia.bad | (inertia.has & ~movable)
    return SetCells(moved + 0.0, inertia.given, inertia.has & movable, bad, inertia.products)


def value_about_point(rollup: Rollup, name: str, point: Point | None) -> _Floats | None:
    """Return a quantity of every item ``(n,)``, inertia about ``point``; see ``item_quantity_values``."""
    if point is None or name not in INERTIA.columns:
        return item_quantity_values(rollup, name)
    return component_about_point(rollup.with_place.bodies, name, point)


def component_about_point(bodies: Bodies, name: str, point: Point) -> _Floats | None:
    """Return one component of every body's tensor about a point ``(n,)``, NaN if unknown; None if all are."""
    own, mass = body_column(bodies, name), body_column(bodies, "mass")
    if own is None or mass is None or bodies.center is None:
        return None
    center = np.column_stack([np.asarray(body_column(bodies, axis)) for axis in CENTER.columns])
    return own + mass * phi(center - np.array(point))[:, INERTIA.columns.index(name)]
