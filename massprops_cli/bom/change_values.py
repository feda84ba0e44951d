"""Names and values of changes: ``TANK.mass=2.3 lb`` is an item by id or name, a quantity, and a number with a unit."""

from __future__ import annotations

import difflib
import re
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.items import CENTER, INERTIA, MASS
from massprops_cli.findings import UsageError, nearest_name_hint
from massprops_cli.tables import (
    NUMBER_PATTERN,
    ambiguous_unit,
    base_quantity,
    quantity_dimension,
    read_number,
    unit_of_dimension,
)

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

GROWTH = "mga"
"""Quantity of the column of growth, which is ``growth`` in a change."""
_OWN_QUANTITIES = (*MASS.columns, *CENTER.columns, *INERTIA.columns)
_SETTABLE_QUANTITIES = (*_OWN_QUANTITIES, "qty", "growth")
_MEASURE = re.compile(rf"\s*({NUMBER_PATTERN})\s*(.*?)\s*", re.DOTALL)
_DIMENSION_NAMES = {(1, 0, 0): ("mass", "2.3 lb"), (0, 1, 0): ("length", "25 mm"), (1, 2, 0): ("inertia", "1.2 kg m2")}


def find_named_item(bom: Bom, text: str) -> int:
    """Find an item by its id, or by its name where only one item has it.

    Parameters
    ----------
    bom : Bom
        A bill of materials.
    text : str
        Id or name.

    Returns
    -------
    int
        Number of the item, from 0.

    Raises
    ------
    UsageError
        No item, or several items, have the name; the message lists them, or the nearest ids and names.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> rows = [{"id": "1", "parent": ""}, {"id": "2", "parent": "1", "name": "Tank", "mass": 2.0}]
    >>> find_named_item(Bom.from_records(rows), "Tank")
    1
    """
    names = [] if bom.names is None else bom.names
    try:
        return bom.item(text)
    except UsageError:
        found = [i for i, name in enumerate(names) if name.strip() == text.strip()]
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            ids = ", ".join(bom.ids[i] for i in found[:5])
            more = f" and {len(found) - 5:,} more" if len(found) > 5 else ""
            raise UsageError(f"name is not unique: {text} (ids: {ids}{more})") from None
        near = difflib.get_close_matches(text, dict.fromkeys(names), 3) if len(names) <= 100_000 else []
        near = [name for name in near if name not in bom.ids]
        if not near:
            raise
        raise UsageError(f"id or name is not in the table: {text} (nearest: {', '.join(near)})") from None


def split_change_name(bom: Bom, name: str) -> tuple[int, str]:
    """Split ``P.1.mass`` into an item and a quantity, at the last dot.

    Parameters
    ----------
    bom : Bom
        A bill of materials.
    name : str
        Id or name of an item, a dot and a quantity.

    Returns
    -------
    item : int
        Number of the item, from 0.
    quantity : str
        Quantity of the column.

    Raises
    ------
    UsageError
        The name does not end in a quantity, or the item is unknown.
    """
    item, dot, quantity = name.rpartition(".")
    quantity = "growth" if quantity == GROWTH else quantity
    base = quantity.removeprefix("sigma_")
    if not dot or base not in _SETTABLE_QUANTITIES or (quantity != base and base not in _OWN_QUANTITIES):
        known = [*_SETTABLE_QUANTITIES, *(f"sigma_{one}" for one in _OWN_QUANTITIES)]
        near = nearest_name_hint(quantity, known, 0.6) if dot else ""
        raise UsageError(
            f"name does not end in a quantity: {name}{near} "
            f"(ID.mass, or another of {', '.join(_SETTABLE_QUANTITIES)} or sigma_ and one of these)"
        )
    return find_named_item(bom, item), GROWTH if quantity == "growth" else quantity


def change_number(bom: Bom, item: int | None, quantity: str, value: object, name: str) -> float:
    """Return a value as a number in the unit of its column.

    Parameters
    ----------
    bom : Bom
        A bill of materials.
    item : int or None
        Number of the item, from 0; None for one that is added.
    quantity : str
        Quantity of the column.
    value : object
        A number, or a text of a number and a unit.
    name : str
        Name of the change, for messages.

    Returns
    -------
    float, unit of the column; growth in percent
        The number.

    Raises
    ------
    UsageError
        The value is not a finite number, or its unit does not fit.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> rows = [{"id": "t", "parent": "", "mass [kg]": None}, {"id": "a", "parent": "t", "mass [kg]": 2.0}]
    >>> change_number(Bom.from_records(rows), 1, "mass", "500 g", "a.mass")
    0.5
    """
    if not isinstance(value, str):
        return finite_change_number(name, value)
    match = _MEASURE.fullmatch(value)
    number = None if match is None else read_number(match[1])
    if match is None or number is None:
        raise UsageError(f"value of {name} is not a number: {value!r} (such as 2.2, or 2.2 with a unit)")
    number, unit = finite_change_number(name, float(number)), match[2]
    column = bom.columns.by_quantity.get(quantity)
    in_percent = quantity == GROWTH or (column is not None and column.percent)
    if not unit or (unit == "%" and in_percent):
        return number
    dimension = None if quantity in ("qty", GROWTH) else quantity_dimension(base_quantity(quantity))
    if dimension is None or in_percent:
        expected = "a percentage such as 10 %" if in_percent else "a number without a unit"
        raise UsageError(f"value of {name} has a unit: {value} (expected {expected})")
    words, example = _DIMENSION_NAMES[dimension]
    if dimension == (1, 0, 0) and (sizes := ambiguous_unit(unit)) is not None:
        raise UsageError(f"value of {name} has an ambiguous unit: {value} ({unit} is {sizes[0]}); {sizes[1]}")
    own = unit_of_dimension(unit, dimension)
    if own is None:
        raise UsageError(f"value of {name} has no unit of {words}: {value} (expected a text such as {example})")
    of_cell = "" if column is None else column.unit if item is None else column.unit_at(int(bom.rows[item]))
    if item is None and column is not None and column.by_row is not None:
        of_cell = ""  # a column next to it states the unit of each row
    other = unit_of_dimension(of_cell, dimension) if of_cell else None
    if other is None:
        known = f"in {of_cell}, which is not a unit of {words}" if of_cell else "not stated in the table"
        raise UsageError(f"unit of {name} is {known}: {value} (omit the unit, or pass --unit {quantity}=UNIT)")
    return number * own.over(other)


def finite_change_number(name: str, value: object) -> float:
    """Return a value as a number.

    Parameters
    ----------
    name : str
        Name of the change, for messages.
    value : object
        The value.

    Returns
    -------
    float
        The number.

    Raises
    ------
    UsageError
        The value is not a number, or not finite.

    Examples
    --------
    >>> finite_change_number("a.mass", 2)
    2.0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise UsageError(f"value of {name} is not a number: {value!r} (for instance 2.2)")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not np.isfinite(number):
        raise UsageError(f"value of {name} is not finite: {number}")
    return number
