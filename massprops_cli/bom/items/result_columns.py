"""Quantities and their columns: mass, centre of mass, inertia tensor and their sigmas, covariances and correlations."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, principal_sigmas, six_entries
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.rollups.covariance import (
    PAIR_INDEX,
    PARAMETER_PAIRS,
    VARIANCE_INDEX,
    Covariances,
    full_covariances,
    packed_covariances,
)
from massprops_cli.rollups.inputs import PARAMETER_NAMES, SAMPLED_RESULTS
from massprops_cli.rollups.rollup import Rollup

if TYPE_CHECKING:
    from massprops_cli.bodies.body import Body
    from massprops_cli.bodies.poses import Poses
    from massprops_cli.rollups.montecarlo.samples import SampledRollup

SIGN_CONVENTION_TEXT = "products of inertia are tensor entries: Ixy = −∫xy dm"
_AXES = ("x", "y", "z")
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
_BLOCK_ITEMS = 65_536  # number of items whose 6 × 6 covariances are in memory together
_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]


class QuantitySet(NamedTuple):
    """One quantity and its columns, in the order of the arrays; ``allow`` is its word in ``--allow-missing``."""

    name: str
    columns: tuple[str, ...]
    allow: str
    words: str

    @property
    def is_sigma(self) -> bool:
        """Whether these are standard deviations."""
        return self.allow == "sigma"


MASS = QuantitySet("mass", ("mass",), "mass", "mass")
CENTER = QuantitySet("center", tuple(f"C{a}" for a in _AXES), "center", "centre of mass")
INERTIA = QuantitySet("inertia", tuple(f"I{e}" for e in ENTRIES), "inertia", "inertia tensor")
SIGMA_MASS = QuantitySet("sigma_mass", ("sigma_mass",), "sigma", "sigma of mass")
SIGMA_CENTER = QuantitySet("sigma_center", tuple(f"sigma_C{a}" for a in _AXES), "sigma", "sigma of the centre of mass")
SIGMA_INERTIA = QuantitySet(
    "sigma_inertia", tuple(f"sigma_I{e}" for e in ENTRIES), "sigma", "sigma of the inertia tensor"
)
VALUE_SETS = (MASS, CENTER, INERTIA)
SIGMA_SETS = (SIGMA_MASS, SIGMA_CENTER, SIGMA_INERTIA)
QUANTITY_SETS = (*VALUE_SETS, *SIGMA_SETS)
SIGMA_SLICES = (slice(0, 1), slice(1, 4), slice(4, 10))  # the sigmas of mass, centre and tensor among the ten
RADII = ("kx", "ky", "kz")
SIGMA_RADII = ("sigma_kx", "sigma_ky", "sigma_kz")
Floats = NDArray[np.float64]
_ItemSelection = NDArray[np.intp] | slice
_Arrays = TypeVar("_Arrays", Bodies, Sigmas)
COVARIANCES = tuple(f"cov_{PARAMETER_NAMES[a]}_{PARAMETER_NAMES[b]}" for a, b in PARAMETER_PAIRS)
"""The 55 covariances, the upper triangle row by row."""
CORRELATIONS = {f"rho_{PARAMETER_NAMES[a]}_{PARAMETER_NAMES[b]}": (a, b) for a, b in PARAMETER_PAIRS if a != b}
"""The 45 correlations, each with its two of the ten parameters."""
_ALL_ITEMS = slice(None)
_PRODUCT_NAMES = ("Ixy", "Ixz", "Iyz")


class ItemCovariance:
    """Covariances of the ten parameters of items, coherent units; NaN is unknown, a part's are independent."""

    def __init__(self, rollup: Rollup) -> None:
        self.rollup = rollup
        self.column = np.full(len(rollup.bodies.mass), -1)
        """The place of an item among the assemblies with a covariance."""
        if (source := rollup.sampled or rollup.covariances) is not None:
            self.column[source.items] = np.arange(len(source.items))

    @property
    def is_known(self) -> bool:
        """Whether the method gives covariances of the ten parameters, in addition to their sigmas."""
        return self.rollup.covariances is not None or self.rollup.sampled is not None

    def has(self, k: int) -> bool:
        """Return whether a parameter has a sigma."""
        if (sigmas := self.rollup.sigmas) is None or not self.is_known:
            return False
        return k == 0 or (sigmas.center if k < 4 else sigmas.inertia) is not None

    def covariance(self, a: int, b: int, items: _ItemSelection = _ALL_ITEMS) -> Floats | None:
        """Compute the covariance (k,) of the parameters at two places of the ten (docs/formulas.md, section 5)."""
        if not (self.has(a) and self.has(b)):
            return None
        column = self.column[items]
        values = self.own_sigma(a, items) ** 2 if a == b else np.zeros(len(column))
        inner = column >= 0
        values[inner] = self.of_assemblies(a, b, column[inner])
        known = np.ones(len(column), bool)
        for k in (a, b):
            for mask in self.masks(k):
                known &= mask[items]
        return values if known.all() else np.where(known, values, np.nan)

    def correlation(self, a: int, b: int, items: _ItemSelection = _ALL_ITEMS) -> Floats | None:
        """Compute the correlation (k,) of two parameters (docs/formulas.md, section 5); NaN without uncertainty."""
        both, one, other = (self.covariance(*pair, items) for pair in ((a, b), (a, a), (b, b)))
        if both is None or one is None or other is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.sqrt(one) * np.sqrt(other)
            # rounding must not make a correlation larger than one
            return np.where(scale > 0, np.clip(both / scale, -1.0, 1.0), np.nan)

    def packed(self, items: _ItemSelection = _ALL_ITEMS) -> Floats | None:
        """Collect the upper triangles (55, k) of the 10 × 10 covariances, row by row (docs/formulas.md, section 5)."""
        if not self.has(0):
            return None
        missing = np.full(len(self.column[items]), np.nan)
        columns = (self.covariance(a, b, items) for a, b in PARAMETER_PAIRS)
        return np.stack([missing if column is None else column for column in columns])

    def matrix(self, i: int) -> Floats | None:
        """Assemble the covariance (10, 10) of one item's parameters (docs/formulas.md, section 5); None without one."""
        packed = self.packed(np.array([i]))
        return None if packed is None else full_covariances(packed[:, 0])

    def tensors(self, items: _ItemSelection = _ALL_ITEMS) -> Floats | None:
        """Collect covariances (k, 6, 6) of the tensor entries about own centres (docs/formulas.md, section 5)."""
        if (sigmas := self.rollup.sigmas) is None or sigmas.inertia is None:
            return None
        block = np.zeros((len(self.column[items]), 6, 6))
        for a, b in PARAMETER_PAIRS:
            if a >= 4 and self.is_known:
                block[:, a - 4, b - 4] = block[:, b - 4, a - 4] = self.covariance(a, b, items)
            elif a == b >= 4:
                block[:, a - 4, a - 4] = self.own_sigma(a, items) ** 2
        return block

    def own_sigma(self, k: int, items: _ItemSelection) -> Floats:
        """Select the sigma (k,) of one of the ten parameters, known or not."""
        sigmas = self.rollup.sigmas
        assert sigmas is not None
        if k == 0:
            return np.asarray(sigmas.mass[items])
        array, at = (sigmas.center, k - 1) if k < 4 else (sigmas.inertia, k - 4)
        assert array is not None
        return np.asarray(array[items, at])

    def of_assemblies(self, a: int, b: int, columns: NDArray[np.intp]) -> Floats:
        """Compute the covariance (k,) of assemblies from places (k,) in the arrays (docs/formulas.md, section 5)."""
        sampled, exact = self.rollup.sampled, self.rollup.covariances
        if sampled is not None:
            return np.asarray(sampled.covariance[columns, PAIR_INDEX[a, b]])
        assert exact is not None
        found: Floats = exact.packed[PAIR_INDEX[a, b], columns]
        mass = self.rollup.with_place.bodies.mass[exact.items[columns]]
        with np.errstate(divide="ignore", invalid="ignore"):
            for k in (a, b):
                found = found / mass if 1 <= k < 4 else found  # of a centre: that of its first moment ÷ mass
        return found

    def masks(self, k: int) -> list[NDArray[np.bool_]]:
        """Collect the masks (n,) of the numbers that must be known for a covariance of one of the ten parameters."""
        bodies, sigmas = self.rollup.bodies, self.rollup.sigmas
        needed = [
            None if sigmas is None or sigmas.known is None else sigmas.known[:, k],
            bodies.has_mass,
            bodies.has_center if k >= 1 else None,
            bodies.has_inertia if k >= 4 else None,
        ]
        return [mask for mask in needed if mask is not None]


def principal_moment_sigmas(rollup: Rollup, axes: Floats) -> Floats | None:
    """Compute sigmas (n, 3) of principal moments about own centres, axes (n, 3, 3) (docs/formulas.md, section 5)."""
    spread = ItemCovariance(rollup)
    found = np.full((len(axes), 3), np.nan)
    for start in range(0, len(axes), _BLOCK_ITEMS):
        items = slice(start, start + _BLOCK_ITEMS)
        if (block := spread.tensors(items)) is None:
            return None
        found[items] = principal_sigmas(axes[items], block).sigmas
    return found


def item_quantity_values(rollup: Rollup, quantity: str) -> Floats | None:
    """Select a quantity (n,) such as ``Ixy``, ``sigma_mass``, ``kx`` or ``rho_mass_Cx``; None if not computed."""
    # coherent unit, table's frame, tensor entries about own centres; after a simulation assemblies have sampled sigmas
    if quantity.startswith("mean_"):
        return _sampled_mean(rollup, quantity.removeprefix("mean_"))
    if quantity in RADII:
        return None if rollup.radii is None else rollup.radii[:, RADII.index(quantity)]
    if quantity.startswith("sigma_"):
        first_order = first_order_sigma(rollup, quantity)
        return first_order if rollup.sampled is None else _merge_sampled_sigmas(first_order, rollup.sampled, quantity)
    if quantity in CORRELATIONS:
        return ItemCovariance(rollup).correlation(*CORRELATIONS[quantity])
    return body_column(rollup.bodies, quantity)


def first_order_sigma(rollup: Rollup, quantity: str) -> Floats | None:
    """Select the first-order sigma (n,), coherent unit (docs/formulas.md, sections 3 to 5); None if not computed."""
    if quantity in SIGMA_RADII:
        return None if rollup.sigma_radii is None else rollup.sigma_radii[:, SIGMA_RADII.index(quantity)]
    return None if rollup.sigmas is None else sigma_column(rollup.sigmas, quantity.removeprefix("sigma_"))


def _merge_sampled_sigmas(sigma: Floats | None, sampled: SampledRollup, quantity: str) -> Floats | None:
    """Replace the first-order sigmas of assemblies by the sampled ones, NaN if unknown."""
    if sigma is None:
        return None
    mixed = sigma.copy()
    mixed[sampled.items] = sampled.sigma[:, SAMPLED_RESULTS.index(quantity.removeprefix("sigma_"))]
    return mixed


def _sampled_mean(rollup: Rollup, quantity: str) -> Floats | None:
    """Return the mean of the samples of every item ``(n,)``; NaN for parts, None without samples."""
    if rollup.sampled is None or item_quantity_values(rollup, quantity) is None:
        return None
    means = np.full(len(rollup.bodies.mass), np.nan)
    means[rollup.sampled.items] = rollup.sampled.mean[:, SAMPLED_RESULTS.index(quantity)]
    return means


def single_item_rollup(rollup: Rollup, i: int) -> Rollup:
    """Extract the roll-up of one item, as arrays of one row. ``coverage`` and ``below`` remain those of all items."""
    exact = rollup.covariances
    return replace(
        rollup,
        bodies=_single_array_rows(rollup.bodies, i),
        sigmas=None if rollup.sigmas is None else _single_array_rows(rollup.sigmas, i),
        cancelled=rollup.cancelled[i : i + 1],
        mass_moments=None if rollup.mass_moments is None else _single_item_values(i, *rollup.mass_moments),
        covariances=None if exact is None else Covariances(*_single_item_values(i, exact.items, exact.packed, axis=1)),
        sampled=None if rollup.sampled is None else _single_item_samples(rollup.sampled, i),
        placed=None if rollup.placed is None else single_item_rollup(rollup.placed, i),
    )


def _single_item_values(i: int, items: _Index, values: Floats, axis: int = 0) -> tuple[_Index, Floats]:
    """Return the values of item ``i`` as those of item 0; none if ``items`` does not contain it."""
    at = np.flatnonzero(items == i)
    return np.zeros(len(at), np.int32), values.take(at, axis)


def _single_item_samples(sampled: SampledRollup, i: int) -> SampledRollup:
    """Return the samples of item ``i`` alone, as item 0."""
    at = np.flatnonzero(sampled.items == i)
    rows = ("mean", "sigma", "covariance", "shift", "sigma_error", "n")
    one = {name: getattr(sampled, name)[at] for name in rows}
    return replace(sampled, items=np.zeros(len(at), np.int32), **one)


def reported_sigmas(rollup: Rollup) -> Sigmas | None:
    """Select the reported sigmas of every item: after a simulation the sampled ones of assemblies."""
    if (sigmas := rollup.sigmas) is None or rollup.sampled is None:
        return sigmas

    def columns(names: tuple[str, ...]) -> Floats:
        found = (item_quantity_values(rollup, name) for name in names)
        return np.column_stack([column for column in found if column is not None])

    mass = item_quantity_values(rollup, "sigma_mass")
    assert mass is not None
    center = None if sigmas.center is None else columns(SIGMA_CENTER.columns)
    inertia = None if sigmas.inertia is None else columns(SIGMA_INERTIA.columns)
    return Sigmas(mass, center, inertia, sigmas.known)


def _single_array_rows(arrays: _Arrays, i: int) -> _Arrays:
    """Return row ``i`` of all arrays, as arrays of one row; None stays None."""
    stated = {field.name: getattr(arrays, field.name) for field in fields(arrays)}
    return replace(arrays, **{name: array[i : i + 1] for name, array in stated.items() if array is not None})


def body_column(bodies: Bodies, quantity: str) -> Floats | None:
    """Select one of the ten parameters (n,) of every body, NaN if missing; None without the array."""
    if quantity == "mass":
        return _values_or_nan(bodies.mass, bodies.has_mass)
    if quantity.startswith("C"):
        center = None if bodies.center is None else bodies.center[:, _AXES.index(quantity[1:])]
        return None if center is None else _values_or_nan(center, bodies.has_center)
    if bodies.inertia is None:
        return None
    entry = _values_or_nan(bodies.inertia[:, ENTRIES.index(quantity[1:])], bodies.has_inertia)
    return _values_or_nan(entry, bodies.has_products) if quantity in _PRODUCT_NAMES else entry


def sigma_column(sigmas: Sigmas, quantity: str) -> Floats | None:
    """Select one of the ten sigmas (n,) of every body, NaN if missing; None without the array."""
    known = None if sigmas.known is None else sigmas.known[:, PARAMETER_NAMES.index(quantity)]
    if quantity == "mass":
        return _values_or_nan(sigmas.mass, known)
    array = sigmas.center if quantity.startswith("C") else sigmas.inertia
    names = _AXES if quantity.startswith("C") else ENTRIES
    return None if array is None else _values_or_nan(array[:, names.index(quantity[1:])], known)


def _values_or_nan(values: Floats, known: NDArray[np.bool_] | None) -> Floats:
    """Return values with NaN for unknown ones."""
    return values if known is None else np.where(known, values, np.nan)


def finite_or_none(value: float | None) -> float | None:
    """Return a number that JSON can hold."""
    return value if value is not None and np.isfinite(value) else None


def rollup_in_row_frames(numbers: Poses, own: Sigmas | None, rollup: Rollup, ends: _Mask) -> Rollup:
    """Return a roll-up with each item's numbers in the frame of its row (docs/formulas.md, section 12)."""
    back = numbers.inverse()
    turned = ~(back.rotation == np.eye(3)).all(axis=(1, 2))
    covariances = None if rollup.covariances is None else _turned_covariances(rollup.covariances, back, ~ends)
    return replace(
        rollup,
        bodies=_bodies_in(rollup.bodies, back, turned),
        below=None if rollup.below is None else _bodies_in(rollup.below, back, turned),
        sigmas=_sigmas_in(rollup, back, (own, ends, turned), covariances),
        covariances=None if rollup.covariances is None else _turned_covariances(rollup.covariances, back, ends | ~ends),
        sampled=None if rollup.sampled is None else _sampled_in(rollup.sampled, back),
        placed=None if rollup.placed is None else rollup_in_row_frames(numbers, own, rollup.placed, ends),
    )


def _bodies_in(bodies: Bodies, back: Poses, turned: _Mask) -> Bodies:
    """Return bodies in the rows' frames; masks of what is known stay."""
    moved = turned | (back.translation != 0).any(axis=1)
    center, inertia = bodies.center, bodies.inertia
    if center is not None:
        center = np.where(moved[:, None], back.points(center), center)
    if inertia is not None:
        inertia = np.where(turned[:, None], back.tensors(inertia), inertia)
    return replace(bodies, center=center, inertia=inertia)


def _turned_covariances(exact: Covariances, back: Poses, computed: _Mask) -> Covariances:
    """Return the covariances of computed assemblies in the axes of the rows; those of parts are as stated."""
    chosen = computed[exact.items]
    items, packed = exact.items[chosen], exact.packed[:, chosen]
    M = turn_matrices(back.rotation[items])
    V = M @ full_covariances(packed.T) @ np.swapaxes(M, 1, 2)
    return Covariances(items, np.ascontiguousarray(packed_covariances(V).T))


def _sigmas_in(
    rollup: Rollup, back: Poses, of_rows: tuple[Sigmas | None, _Mask, _Mask], exact: Covariances | None
) -> Sigmas | None:
    """Return the sigmas along the axes of the rows: as stated, from covariances, or without correlations."""
    sigmas, (own, ends, turned) = rollup.sigmas, of_rows
    if sigmas is None:
        return None
    center, inertia = sigmas.center, sigmas.inertia
    # what is neither stated by a row nor has a covariance turns without correlations
    free = turned & ~ends if own is not None else turned
    if exact is not None:
        free[exact.items] = False
    loose = np.flatnonzero(free)
    squares = turn_matrices(back.rotation[loose]) ** 2
    mass = np.ones(len(ends)) if exact is None else rollup.with_place.bodies.mass[exact.items]
    results: list[_Floats | None] = []
    for values, given, columns in (
        (center, None if own is None else own.center, slice(1, 4)),
        (inertia, None if own is None else own.inertia, slice(4, 10)),
    ):
        if values is None:
            results.append(None)
            continue
        found = values.copy()
        found[loose] = np.sqrt(np.einsum("nab,nb->na", squares[:, columns, columns], values[loose] ** 2))
        if exact is not None:
            variances = exact.packed[list(VARIANCE_INDEX)][columns].T
            with np.errstate(divide="ignore", invalid="ignore"):
                exact_sigmas = np.sqrt(np.maximum(variances, 0.0)) / (
                    np.abs(mass)[:, None] if columns.start == 1 else 1.0
                )
            found[exact.items] = exact_sigmas
        found = np.where(turned[:, None], found, values)
        results.append(found if given is None else np.where((ends & turned)[:, None], given, found))
    known = sigmas.known
    if known is not None:
        known = known.copy()
        for columns in (slice(1, 4), slice(4, 10)):
            known[turned, columns] &= np.asarray(known[turned, columns].all(axis=1))[:, None]
    return Sigmas(sigmas.mass, results[0], results[1], known)


def _sampled_in(sampled: SampledRollup, back: Poses) -> SampledRollup:
    """Return sampled results in the rows' frames; radii of gyration about turned axes are not sampled."""
    there = back[sampled.items]
    turned = ~(there.rotation == np.eye(3)).all(axis=(1, 2))
    M = turn_matrices(there.rotation)
    V = M @ full_covariances(sampled.covariance) @ np.swapaxes(M, 1, 2)
    mean, sigma, shift = sampled.mean.copy(), sampled.sigma.copy(), sampled.shift.copy()
    mean[:, :10] = np.einsum("nab,nb->na", M, mean[:, :10])
    mean[:, 1:4] += there.translation
    shift[:, :10] = np.einsum("nab,nb->na", M, shift[:, :10])
    sigma[:, :10] = np.where(turned[:, None], np.sqrt(np.maximum(np.diagonal(V, axis1=1, axis2=2), 0.0)), sigma[:, :10])
    for array in (mean, sigma, shift):
        array[turned, 10:] = np.nan
    return replace(sampled, mean=mean, sigma=sigma, shift=shift, covariance=packed_covariances(V))


def body_numbers(body: Body) -> dict[str, float | None]:
    """List the numbers of a body by their canonical names."""
    numbers: dict[str, float | None] = {"mass": body.mass}
    for name, array in (("C", body.center), ("sigma_C", body.sigma_center)):
        numbers |= {f"{name}{a}": None if array is None else float(array[i]) for i, a in enumerate(_AXES)}
    for name, tensor in (("I", body.inertia), ("sigma_I", body.sigma_inertia)):
        flat = None if tensor is None else six_entries(tensor).tolist()
        numbers |= {f"{name}{e}": None if flat is None else flat[i] for i, e in enumerate(ENTRIES)}
    numbers["sigma_mass"] = body.sigma_mass
    return {name: finite_or_none(value) for name, value in numbers.items()}
