"""Named numbers of items: which array column a table's column is."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.items.correlations import CORRELATIONS, Spread
from massprops_cli.bom.items.sets import AXES, ENTRIES, RADII, SIGMA_CENTER, SIGMA_INERTIA, SIGMA_RADII
from massprops_cli.rollup.covariance.packed import Covariances
from massprops_cli.rollup.montecarlo.request import RESULTS
from massprops_cli.rollup.rolled import Rollup

if TYPE_CHECKING:
    from massprops_cli.rollup.montecarlo.sampling import Sampled

Floats = NDArray[np.float64]
Index = NDArray[np.int32]


def value_of_items(rollup: Rollup, quantity: str) -> Floats | None:
    """Give a quantity of every item ``(n,)`` in coherent units, NaN where it is not known; None if not computed.

    Products are tensor entries. ``quantity`` is a canonical column name: ``mass``, ``Cx``, ``Ixy``, ``sigma_Ixx``,
    ``kx``, or a correlation, ``rho_mass_Cx``. Sigmas of assemblies are the sampled ones after a simulation, whose means
    are ``mean_mass`` and so on.
    """
    if quantity.startswith("mean_"):
        return sampled_mean(rollup, quantity.removeprefix("mean_"))
    if quantity in RADII:
        return None if rollup.radii is None else rollup.radii[:, RADII.index(quantity)]
    if quantity.startswith("sigma_"):
        first_order = sigma_to_first_order(rollup, quantity)
        return first_order if rollup.sampled is None else with_sampled(first_order, rollup.sampled, quantity)
    if quantity in CORRELATIONS:
        return Spread(rollup).correlation(*CORRELATIONS[quantity])
    return body_column(rollup.bodies, quantity)


def sigma_to_first_order(rollup: Rollup, quantity: str) -> Floats | None:
    """Give a sigma of every item ``(n,)``, whatever was sampled."""
    if quantity in SIGMA_RADII:
        return None if rollup.sigma_radii is None else rollup.sigma_radii[:, SIGMA_RADII.index(quantity)]
    return None if rollup.sigmas is None else sigma_column(rollup.sigmas, quantity.removeprefix("sigma_"))


def with_sampled(sigma: Floats | None, sampled: Sampled, quantity: str) -> Floats | None:
    """Put the sampled sigmas of assemblies, NaN where not known, in the place of those to first order."""
    if sigma is None:
        return None
    mixed = sigma.copy()
    mixed[sampled.items] = sampled.sigma[:, RESULTS.index(quantity.removeprefix("sigma_"))]
    return mixed


def sampled_mean(rollup: Rollup, quantity: str) -> Floats | None:
    """Give the mean of the samples of every item ``(n,)``; NaN for parts, None where nothing was sampled."""
    if rollup.sampled is None or value_of_items(rollup, quantity) is None:
        return None
    means = np.full(len(rollup.bodies.mass), np.nan)
    means[rollup.sampled.items] = rollup.sampled.mean[:, RESULTS.index(quantity)]
    return means


def of_item(rollup: Rollup, i: int) -> Rollup:
    """Give the roll-up of item ``i`` alone, arrays of one row each, so that what is derived is derived for it only.

    ``coverage`` and ``below`` stay those of the whole.
    """
    bodies, sigmas = rollup.bodies, rollup.sigmas
    return replace(
        rollup,
        bodies=Bodies(*(row_of(getattr(bodies, field.name), i) for field in fields(bodies))),
        sigmas=None
        if sigmas is None
        else Sigmas(*(row_of(getattr(sigmas, field.name), i) for field in fields(sigmas))),
        cancelled=rollup.cancelled[i : i + 1],
        mass_moments=None if rollup.mass_moments is None else only(i, *rollup.mass_moments),
        covariances=None if rollup.covariances is None else covariances_of_item(rollup.covariances, i),
        sampled=None if rollup.sampled is None else sampled_of_item(rollup.sampled, i),
    )


def only(i: int, items: Index, values: Floats) -> tuple[Index, Floats]:
    """Give what belongs to item ``i`` alone, which is then item 0; nothing where ``items`` does not name it."""
    at = np.flatnonzero(items == i)
    return np.zeros(len(at), np.int32), values[at]


def covariances_of_item(covariances: Covariances, i: int) -> Covariances:
    """Give the covariances of item ``i`` alone, as item 0."""
    item, packed = only(i, covariances.items, covariances.packed.T)
    return Covariances(item, packed.T)


def sampled_of_item(sampled: Sampled, i: int) -> Sampled:
    """Give what was sampled of item ``i`` alone, as item 0."""
    at = np.flatnonzero(sampled.items == i)
    rows = ("mean", "sigma", "covariance", "shift", "sigma_error", "n")
    picked = {name: getattr(sampled, name)[at] for name in rows}
    return replace(sampled, items=np.zeros(len(at), np.int32), **picked)


def told_sigmas(rollup: Rollup) -> Sigmas | None:
    """Give the sigmas that are told of every item: the sampled ones of assemblies after a simulation."""
    sigmas = rollup.sigmas
    if sigmas is None or rollup.sampled is None:
        return sigmas

    def columns(names: tuple[str, ...]) -> Floats:
        found = (value_of_items(rollup, name) for name in names)
        return np.column_stack([column for column in found if column is not None])

    mass = value_of_items(rollup, "sigma_mass")
    assert mass is not None
    center = None if sigmas.center is None else columns(SIGMA_CENTER.columns)
    inertia = None if sigmas.inertia is None else columns(SIGMA_INERTIA.columns)
    return Sigmas(mass, center, inertia, sigmas.known)


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
