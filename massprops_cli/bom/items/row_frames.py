"""Results in the frames in which the rows of a table are given, from those in the frame of the root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.rollups.covariance import VARIANCE_INDEX, Covariances, full_covariances, packed_covariances
from massprops_cli.rollups.montecarlo.samples import SampledRollup
from massprops_cli.rollups.rollup import Rollup

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_OF_MASS_AND_MOMENTS = (4, 5, 6)  # places of Ixx, Iyy, Izz among the ten


def rollup_in_row_frames(numbers: Poses, own: Sigmas | None, rollup: Rollup, ends: _Mask) -> Rollup:
    """Return a roll-up in which the numbers of each item are in the frame of its row (docs/formulas.md, section 12).

    Centres from its origin; tensors about own centres, and sigmas, along its axes.
    """
    back = numbers.inverse()
    turned = ~(back.rotation == np.eye(3)).all(axis=(1, 2))
    covariances = None if rollup.covariances is None else _turned_covariances(rollup.covariances, back, ~ends)
    mass_moments = rollup.mass_moments
    if mass_moments is not None and covariances is not None:
        matrices = full_covariances(covariances.packed.T)
        mass_moments = covariances.items, matrices[:, 0, _OF_MASS_AND_MOMENTS]
    return replace(
        rollup,
        bodies=_bodies_in(rollup.bodies, back, turned),
        below=None if rollup.below is None else _bodies_in(rollup.below, back, turned),
        sigmas=_sigmas_in(rollup, back, (own, ends, turned), covariances),
        covariances=covariances,
        mass_moments=mass_moments,
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
