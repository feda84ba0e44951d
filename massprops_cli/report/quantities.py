"""The numbers of one item with their sigmas, as the screen asks for them: by name, from a datum, about a point."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.arrays import of_item, value_of_items

if TYPE_CHECKING:
    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.answers.result import Result

CENTER = ("Cx", "Cy", "Cz")
MOMENTS = ("Ixx", "Iyy", "Izz")
PRODUCTS = ("Ixy", "Ixz", "Iyz")
RADII = ("kx", "ky", "kz")
ENTRY_ROWS = (("moments", MOMENTS), ("products", PRODUCTS))

Point = tuple[float, float, float]
Floats = NDArray[np.float64]
UNKNOWN = float("nan")


def item_values(
    result: Result, i: int, datum: Point | None = None, about: Point | None = None, level: int = 1
) -> dict[str, tuple[float, float]]:
    """Give name → (value, sigma) of what was computed for item ``i``, NaN for what is not known.

    Centres are measured from ``datum``. With ``about``, a point of the table's frame, the tensor is about
    that point, and its sigmas come from the item's covariance, or are those of one body (``Body.sigma_about``).
    Sigmas are so many standard deviations as ``level`` says.
    """
    values: dict[str, tuple[float, float]] = {}
    rollup = of_item(result.rollup, i)
    for name in ("mass", *CENTER, *MOMENTS, *PRODUCTS, *RADII):
        column = value_of_items(rollup, name)
        if column is None:
            continue
        sigmas = value_of_items(rollup, f"sigma_{name}")
        values[name] = float(column[0]), UNKNOWN if sigmas is None else float(sigmas[0])
    if about is not None and "Ixx" in values and isfinite(values["Ixx"][0]):
        shifted_tensor(values, result.body(i), about)
    if datum is not None and "Cx" in values:
        for name, origin in zip(CENTER, datum, strict=True):
            values[name] = values[name][0] - origin, values[name][1]
    return {name: (value, level * sigma) for name, (value, sigma) in values.items()}


def shifted_tensor(values: dict[str, tuple[float, float]], body: Body, point: Point) -> None:
    """Put the tensor about a point in the place of the one about the centre; radii are about the centre only."""
    tensor, sigmas = body.about(list(point)), body.sigma_about(list(point))
    for name in (*MOMENTS, *PRODUCTS):
        row, column = "xyz".index(name[1]), "xyz".index(name[2])
        values[name] = float(tensor[row][column]), UNKNOWN if sigmas is None else float(sigmas[row][column])
    for name in RADII:
        values.pop(name, None)


@dataclass(frozen=True, slots=True)
class PrincipalMoments:
    """Principal moments of one item with their sigmas, NaN where not known, and unit axes, one a row.

    ``close`` are the pairs of moments, counted from 0, that stand within 3 sigma of their difference: their axes can
    be any in their plane, and first order says too little about them.
    """

    moments: Floats
    sigmas: Floats
    axes: Floats
    close: tuple[tuple[int, int], ...] = ()


CLOSE = 3.0
"""Moments nearer than so many sigmas of their difference cannot be told apart."""


def principal_moments(result: Result, i: int, level: int = 1) -> PrincipalMoments | None:
    """Give the principal moments of item ``i`` about its own centre; None where its tensor is not known."""
    body = result.body(i)
    if body.inertia is None or not np.isfinite(body.inertia).all():
        return None
    moments, axes = body.principal()
    spread = body.principal_sigmas()
    if spread is None:
        return PrincipalMoments(moments, np.full(3, UNKNOWN), axes)
    gaps = np.diff(moments)
    close = tuple((k, k + 1) for k in (0, 1) if gaps[k] < CLOSE * spread.sigma_gaps[k])
    return PrincipalMoments(moments, level * spread.sigmas, axes, close)
