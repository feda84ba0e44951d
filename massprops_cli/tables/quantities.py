"""The canonical columns: their names, what kind each is, and which belong together."""

from __future__ import annotations

from massprops_cli.tables.unit_text import INERTIA, LENGTH, MASS

CENTER_COLUMNS = ("Cx", "Cy", "Cz")
INERTIA_COLUMNS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
RADII_COLUMNS = ("kx", "ky", "kz")
TEXT_QUANTITIES = (
    "id",
    "parent",
    "child",
    "level",
    "item",
    "name",
    "part",
    "qty",
    "item_qty",
    "unit_qty",
    "uom",
    "mass_unit",
    "length_unit",
    "inertia_unit",
    "POIconv",
    "Ipoint",
    "weighed",
    "dist",
    "corr_group",
    "method",
    "mga",
    "category",
    "maturity",
)
WITH_NUMBERS = ("qty", "mga")
"""Of the texts, those whose cells are numbers as a rule, though not of a physical quantity."""
UNIT_COLUMNS = {"mass_unit": "mass", "length_unit": "Cx", "inertia_unit": "Ixx"}
"""The columns that hold units row by row, each with a quantity that has such a unit."""
NUMBER_QUANTITIES = ("mass", *CENTER_COLUMNS, *INERTIA_COLUMNS, *RADII_COLUMNS)
SIGMA_QUANTITIES = tuple(f"sigma_{name}" for name in NUMBER_QUANTITIES)
BOUNDS = ("min", "likely", "max")
BOUND_QUANTITIES = tuple(f"{name}_{end}" for name in NUMBER_QUANTITIES[:10] for end in BOUNDS)
PRODUCTS = {"line_mass": "mass", "total_qty": "qty"}
"""Columns of what may be multiplied already, and the quantity that they stand for where it has no column."""
GROWTH_MASSES = ("growth_mass", "line_growth_mass", "mass_with_growth", "line_mass_with_growth")
"""Growth as a mass, and masses with their growth; of one piece, and of all pieces in a row."""
MASS_QUANTITIES = ("mass", "line_mass", *GROWTH_MASSES)
"""Every column of masses."""
QUANTITIES = (*TEXT_QUANTITIES, *NUMBER_QUANTITIES, *SIGMA_QUANTITIES, *BOUND_QUANTITIES, *PRODUCTS, *GROWTH_MASSES)
"""Every canonical column name."""

OWN_OUTPUT = (
    "total_",
    "coverage_",
    "principal_",
    "sigma_principal_",
    "axis_",
    "rho_",
    "share_",
    "predicted_",
    "allowance_",
)
"""How the names of columns begin that a roll-up adds beside these."""


def base_of(quantity: str) -> str:
    """Give the quantity whose spread a column states, or the quantity itself where it states none.

    >>> base_of("sigma_Ixy"), base_of("mass_max"), base_of("Cx"), base_of("corr_group")
    ('Ixy', 'mass', 'Cx', 'corr_group')
    """
    head, _, end = quantity.rpartition("_")
    return head if end in BOUNDS else quantity.removeprefix("sigma_")


def dimension_of(quantity: str) -> tuple[int, int, int] | None:
    """Give the powers of mass, length and time of a number column; None for columns without a unit.

    >>> dimension_of("sigma_Ixy"), dimension_of("Cx_min"), dimension_of("qty")
    ((1, 2, 0), (0, 1, 0), None)
    """
    base = base_of(quantity)
    if base in MASS_QUANTITIES:
        return MASS
    if base in CENTER_COLUMNS or base in RADII_COLUMNS:
        return LENGTH
    return INERTIA if base in INERTIA_COLUMNS else None
