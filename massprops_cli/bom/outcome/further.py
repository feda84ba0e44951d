"""The results beside the ten quantities and their sigmas: their names, and their values of every item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.arrays import value_of_items
from massprops_cli.bom.items.correlations import CORRELATIONS
from massprops_cli.bom.items.sets import RADII, SETS, SIGMA_RADII

if TYPE_CHECKING:
    from massprops_cli.bom.outcome.outcome import Outcome

Floats = NDArray[np.float64]

ADDABLE = ("radii", "sigma", "principal", "coverage", "rho", "growth")
"""What ``--add`` takes."""

PRINCIPAL = ("principal_1", "principal_2", "principal_3")
SIGMA_PRINCIPAL = ("sigma_principal_1", "sigma_principal_2", "sigma_principal_3")
AXIS_NAMES = tuple(f"axis_{k}{a}" for k in (1, 2, 3) for a in "xyz")
COVERAGE = ("coverage_leaves", "coverage_mass", "coverage_center", "coverage_inertia")
SIGMAS = tuple(name for quantity_set in SETS if quantity_set.is_sigma for name in quantity_set.columns)
PREDICTED = "predicted_"
"""Before the name of a quantity that includes growth: ``predicted_mass``."""
ALLOWANCE = ("allowance_percent", "allowance_mass")
PREDICTED_ADDED = tuple(PREDICTED + name for name in ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz"))
"""What ``--add growth`` brings beside the allowance; products, whose sign is each row's own, stand in reports."""
SHARE = "share_"
"""Before the word that tells how a mass came about: ``share_estimated``."""


def further_names(result: Outcome) -> list[tuple[str, tuple[str, ...]]]:
    """Give the word of ``--add`` and the names it brings, in the order they are to stand at the table's right."""
    return [
        ("radii", RADII),
        ("sigma", (*SIGMAS, *SIGMA_RADII)),
        ("principal", (*PRINCIPAL, *SIGMA_PRINCIPAL, *AXIS_NAMES)),
        ("coverage", (*COVERAGE, *(SHARE + word for word in result.shares_of_mass))),
        ("rho", tuple(CORRELATIONS)),
        ("growth", (*ALLOWANCE, *PREDICTED_ADDED)),
    ]


def further_column(result: Outcome, name: str) -> Floats | None:
    """Give one result of every item ``(n,)`` in coherent units, NaN where it is not known; None if not computed."""
    if name in COVERAGE:
        return result.coverage_column(name)
    if name.startswith(SHARE):
        return result.shares_of_mass.get(name.removeprefix(SHARE))
    if name in (*PRINCIPAL, *SIGMA_PRINCIPAL, *AXIS_NAMES):
        return principal_column(result, name)
    if name in ALLOWANCE:
        return allowance_column(result, name)
    if name.startswith(PREDICTED):
        return predicted_column(result, name.removeprefix(PREDICTED))
    return value_of_items(result.rollup, name)


def principal_column(result: Outcome, name: str) -> Floats | None:
    """Give principal moments, their sigmas, or parts of their axes; None without tensors, or without sigmas."""
    if result.rollup.bodies.inertia is None:
        return None
    if name in PRINCIPAL:
        return result.principal.moments[:, PRINCIPAL.index(name)]
    if name in AXIS_NAMES:
        return result.principal.axes.reshape(-1, 9)[:, AXIS_NAMES.index(name)]
    sigmas = result.principal_sigmas
    return None if sigmas is None else sigmas[:, SIGMA_PRINCIPAL.index(name)]


def predicted_column(result: Outcome, quantity: str) -> Floats | None:
    """Give what is predicted of every item, NaN where a mass or a growth below it is not known; None without growth."""
    if result.predicted is None:
        return None
    values = value_of_items(result.predicted, quantity)
    coverage = result.predicted.coverage
    return None if values is None else np.where(coverage.known_mass == coverage.rows, values, np.nan)


def allowance_column(result: Outcome, name: str) -> Floats | None:
    """Give the growth of every item, as a mass or in percent of its basic mass; None without growth."""
    predicted, basic = predicted_column(result, "mass"), value_of_items(result.rollup, "mass")
    if predicted is None or basic is None:
        return None
    share = result.bom.growth
    assert share is not None
    mass = np.where(np.isnan(share), predicted - basic, basic * share)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return mass if name == "allowance_mass" else np.where(np.isnan(share), 100 * mass / basic, 100 * share)


def is_sigma(name: str) -> bool:
    """Tell whether a result is a standard deviation, which a sigma level multiplies."""
    return name.startswith("sigma_")
