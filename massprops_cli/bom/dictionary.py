"""A result as plain JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.bom.arrays import value_of_items
from massprops_cli.bom.sets import CENTER, INERTIA, RADII, SIGMA_CENTER, SIGMA_INERTIA, SIGMA_RADII

if TYPE_CHECKING:
    from massprops_cli.bom.outcome import Outcome


def dictionary_of(result: Outcome) -> dict[str, Any]:
    """Give the report: source, units, conventions, summary, every item, every finding.

    Vectors are lists in the order x, y, z; tensors and their sigmas are objects keyed Ixx … Iyz (tensor entries). What
    is not known is null; what was not computed is absent.
    """
    from massprops_cli._version import VERSION
    from massprops_cli.bom.outcome import SIGN_WORDS

    bom, rollup = result.bom, result.rollup
    units = bom.units
    severities = [finding.severity.value for finding in result.findings]
    return {
        "massprops": VERSION,
        "source": {"file": bom.table.source.name, "sheet": bom.table.source.sheet, "format": bom.table.source.format},
        "layout": bom.layout,
        "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
        "frame": "one frame for all items; inertia about each item's own centre of mass",
        "sign": SIGN_WORDS,
        "uncertainty": rollup.method,
        "summary": {
            "items": len(bom),
            "leaves": int(rollup.coverage.rows[result.root_item]),
            "errors": severities.count("error"),
            "warnings": severities.count("warning"),
            "notes": severities.count("note"),
        },
        "root": bom.ids[result.root_item],
        "items": items_of(result),
        "findings": [finding.to_dict() for finding in result.findings],
    }


def items_of(result: Outcome) -> list[dict[str, Any]]:
    """Give every item in file order."""
    bom, rollup = result.bom, result.rollup
    n = len(bom)
    parents = bom.tree.parent.tolist()
    depth = bom.tree.depth().tolist()
    items: list[dict[str, Any]] = [
        {"id": bom.ids[i], "parent": bom.ids[parents[i]] if parents[i] >= 0 else None, "level": depth[i]}
        for i in range(n)
    ]
    if bom.names is not None:
        for item, name in zip(items, bom.names, strict=True):
            item["name"] = name
    quantity = bom.quantity.count.tolist()
    point = rollup.bodies.is_point.tolist()
    for i, item in enumerate(items):
        item["quantity"] = quantity[i]
        item["is_point"] = point[i]
    has_mass = "mass" in bom.columns.by_quantity
    if has_mass:
        put_number(result, items, "mass", "mass")
    put_number(result, items, "sigma_mass", "sigma_mass")
    put_list(result, items, "center", CENTER.columns)
    put_list(result, items, "sigma_center", SIGMA_CENTER.columns)
    put_object(result, items, "inertia", INERTIA.columns)
    put_object(result, items, "sigma_inertia", SIGMA_INERTIA.columns)
    put_list(result, items, "radii", RADII)
    put_list(result, items, "sigma_radii", SIGMA_RADII)
    coverage = rollup.coverage
    for i, (rows, mass, center, inertia) in enumerate(
        zip(
            coverage.rows.tolist(),
            coverage.known_mass.tolist(),
            coverage.known_center.tolist(),
            coverage.known_inertia.tolist(),
            strict=True,
        )
    ):
        known = {"mass": mass, "center": center, "inertia": inertia} if has_mass else {}
        items[i]["coverage"] = {"leaves": rows, **known}
    return items


def column(result: Outcome, quantity: str) -> list[float | None] | None:
    """Give one quantity of every item as JSON numbers."""
    values = value_of_items(result.rollup, quantity)
    if values is None:
        return None
    if np.isfinite(values).all():
        return values.tolist()  # type: ignore[no-any-return] # NumPy says Any
    return [value if good else None for value, good in zip(values.tolist(), np.isfinite(values).tolist(), strict=True)]


def put_number(result: Outcome, items: list[dict[str, Any]], key: str, quantity: str) -> None:
    """Put one number into every item, where it was computed."""
    values = column(result, quantity)
    if values is not None:
        for item, value in zip(items, values, strict=True):
            item[key] = value


def put_list(result: Outcome, items: list[dict[str, Any]], key: str, quantities: tuple[str, ...]) -> None:
    """Put a list of numbers into every item, or null where none of them is known."""
    columns = [column(result, quantity) for quantity in quantities]
    if any(values is None for values in columns):
        return
    for item, values in zip(items, zip(*columns, strict=True), strict=True):
        item[key] = None if all(value is None for value in values) else list(values)


def put_object(result: Outcome, items: list[dict[str, Any]], key: str, quantities: tuple[str, ...]) -> None:
    """Put a tensor into every item by the names of its entries, or null where it is not known."""
    names = [quantity.removeprefix("sigma_") for quantity in quantities]
    columns = [column(result, quantity) for quantity in quantities]
    if any(values is None for values in columns):
        return
    for item, values in zip(items, zip(*columns, strict=True), strict=True):
        item[key] = None if all(v is None for v in values) else dict(zip(names, values, strict=True))
