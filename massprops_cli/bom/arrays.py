"""Named numbers of items: which array column a table's column is."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.sets import AXES, ENTRIES, RADII, SIGMA_RADII
from massprops_cli.rollup.roll_up import Rollup

Floats = NDArray[np.float64]


def value_of_items(rollup: Rollup, quantity: str) -> Floats | None:
    """Give a quantity of every item ``(n,)`` in coherent units, NaN where it is not known; None if not computed.

    Products are tensor entries. ``quantity`` is a canonical column name: ``mass``, ``Cx``, ``Ixy``, ``sigma_Ixx``,
    ``kx``.
    """
    if quantity in RADII:
        return None if rollup.radii is None else rollup.radii[:, RADII.index(quantity)]
    if quantity in SIGMA_RADII:
        return None if rollup.sigma_radii is None else rollup.sigma_radii[:, SIGMA_RADII.index(quantity)]
    if quantity.startswith("sigma_"):
        return None if rollup.sigmas is None else sigma_column(rollup.sigmas, quantity.removeprefix("sigma_"))
    return body_column(rollup.bodies, quantity)


def of_item(rollup: Rollup, i: int) -> Rollup:
    """Give the roll-up of item ``i`` alone, arrays of one row each, so that what is derived is derived for it only.

    ``coverage`` and ``below`` stay those of the whole.
    """
    bodies, sigmas, covariance = rollup.bodies, rollup.sigmas, rollup.covariance
    if covariance is not None:
        at = np.flatnonzero(covariance[0] == i)
        covariance = np.zeros(len(at), np.int32), covariance[1][at]
    return replace(
        rollup,
        bodies=Bodies(*(row_of(getattr(bodies, field.name), i) for field in fields(bodies))),
        sigmas=None
        if sigmas is None
        else Sigmas(*(row_of(getattr(sigmas, field.name), i) for field in fields(sigmas))),
        cancelled=rollup.cancelled[i : i + 1],
        covariance=covariance,
    )


def row_of(array: Any, i: int) -> Any:
    """Give row ``i`` as an array of one row; None stays None."""
    return None if array is None else array[i : i + 1]


def body_column(bodies: Bodies, quantity: str) -> Floats | None:
    """Give one of the ten numbers of every body, NaN where it is missing."""
    if quantity == "mass":
        return masked(bodies.mass, bodies.has_mass)
    if quantity.startswith("C"):
        return None if bodies.center is None else masked(bodies.center[:, AXES.index(quantity[1:])], bodies.has_center)
    if bodies.inertia is None:
        return None
    return masked(bodies.inertia[:, ENTRIES.index(quantity[1:])], bodies.has_inertia)


def sigma_column(sigmas: Sigmas, quantity: str) -> Floats | None:
    """Give one of the ten sigmas of every body, NaN where it is missing."""
    if quantity == "mass":
        return masked(sigmas.mass, sigmas.known)
    array = sigmas.center if quantity.startswith("C") else sigmas.inertia
    names = AXES if quantity.startswith("C") else ENTRIES
    return None if array is None else masked(array[:, names.index(quantity[1:])], sigmas.known)


def masked(values: Floats, known: NDArray[np.bool_] | None) -> Floats:
    """Put NaN where a value is not known."""
    return values if known is None else np.where(known, values, np.nan)
