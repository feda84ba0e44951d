"""The numbers of one item with their sigmas, as the screen asks for them: by name, from a datum, about a point."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from massprops_cli.bom.arrays import of_item, value_of_items

if TYPE_CHECKING:
    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.result import Result

CENTER = ("Cx", "Cy", "Cz")
MOMENTS = ("Ixx", "Iyy", "Izz")
PRODUCTS = ("Ixy", "Ixz", "Iyz")
RADII = ("kx", "ky", "kz")
ENTRY_ROWS = (("moments", MOMENTS), ("products", PRODUCTS))

Point = tuple[float, float, float]
UNKNOWN = float("nan")


def item_values(
    result: Result, i: int, datum: Point | None = None, about: Point | None = None
) -> dict[str, tuple[float, float]]:
    """Give name → (value, sigma) of what was computed for item ``i``, NaN for what is not known.

    Centres are measured from ``datum``. With ``about``, a point of the table's frame, the tensor is about
    that point, and its sigmas are those of the item as one body (``Body.sigma_about``).
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
    return values


def shifted_tensor(values: dict[str, tuple[float, float]], body: Body, point: Point) -> None:
    """Put the tensor about a point in the place of the one about the centre; radii are about the centre only."""
    tensor, sigmas = body.about(list(point)), body.sigma_about(list(point))
    for name in (*MOMENTS, *PRODUCTS):
        row, column = "xyz".index(name[1]), "xyz".index(name[2])
        values[name] = float(tensor[row][column]), UNKNOWN if sigmas is None else float(sigmas[row][column])
    for name in RADII:
        values.pop(name, None)
