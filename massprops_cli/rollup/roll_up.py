"""Tree × bodies → bodies: the mass properties of every assembly, and their sigmas.

Equations: Zimmerman & Nakai, SAWE paper 3360, sections 2 and 3; FORMULAS.md 1–5 and 8.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollup.cancelling import Cancelling
from massprops_cli.rollup.carry import combine_carrying
from massprops_cli.rollup.combine import blocks, combine
from massprops_cli.rollup.correlation import Correlation
from massprops_cli.rollup.covariance.covariances import Errors, covariances
from massprops_cli.rollup.covariance.packed import PLACE, VARIANCES, Covariances
from massprops_cli.rollup.coverage import Coverage, coverage
from massprops_cli.rollup.narrow import combine_narrow
from massprops_cli.rollup.points import Points
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.rolled import Rollup
from massprops_cli.rollup.state import (
    COVARIANCE,
    MASS,
    OFFSET,
    REFERENCE,
    TENSOR,
    VARIANCE,
    Floats,
    Working,
)
from massprops_cli.tree.stretches import Stretch, stretches
from massprops_cli.tree.tree import Tree

Mask = NDArray[np.bool_]
METHODS = ("covariance", "massprops", "none")
FEW = 16
"""Levels of at most so many items cost less item by item than as arrays."""


def roll_up(
    tree: Tree,
    bodies: Bodies,
    sigmas: Sigmas | None = None,
    quantity: Quantity | None = None,
    *,
    method: str = "covariance",
    stated: Mask | None = None,
    correlation: Correlation | None = None,
    given: Covariances | None = None,
) -> Rollup:
    """Add up mass, centre, tensor and radii of gyration of every assembly, and their sigmas.

    ``bodies`` of assemblies are not read, except where ``stated (n,)``: there the item's own numbers go up.
    Method ``covariance`` is exact to first order (FORMULAS 4, 5); ``correlation`` says whose errors are shared, and
    ``given`` leaves that stand for whole branches, with the covariances of these. Method ``massprops`` propagates ten
    sigmas level by level, children and quantities independent; ``none`` leaves sigmas out.

    >>> tree = Tree.from_parents([-1, 0, 0])
    >>> mass, center = np.array([0.0, 1.0, 3.0]), np.array([[0.0, 0, 0], [0, 0, 0], [4, 0, 0]])
    >>> two = Bodies(mass, center, np.zeros((3, 6)), np.zeros(3, bool))
    >>> rolled = roll_up(tree, two, method="none")
    >>> rolled.bodies.mass[0], rolled.bodies.center[0].tolist(), rolled.bodies.inertia[0].tolist()
    (np.float64(4.0), [3.0, 0.0, 0.0], [0.0, 12.0, 12.0, 0.0, 0.0, 0.0])
    """
    if method not in METHODS:
        raise UsageError(f"the method is {method}; it can be {' or '.join(METHODS)}")
    if method == "none":
        sigmas = None
    if correlation is not None and not correlation.is_none and method == "massprops":
        raise UsageError("the method massprops knows no shared errors; use the method covariance")
    n = len(tree)
    quantity = quantity or Quantity.one_each(n)
    exact = method == "covariance" and sigmas is not None
    working = Working(tree, bodies, None if exact else sigmas, quantity, stated)
    cancelling = Cancelling(n)
    if bool((bodies.mass < 0).any()) or bool((quantity.count < 0).any()):
        cancelling.watch(bodies.mass[tree.order])
    points = Points(working)
    found_errors = None
    # numbers too large for double precision come out as such; the caller looks for them
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        climb(tree, working, cancelling, points)
        if exact and sigmas is not None:
            errors = Errors(sigmas, quantity, correlation or Correlation.none(n), given)
            found_errors = covariances(working, errors, points.is_point)
    return read_out(working, Inputs(bodies, sigmas, quantity, stated, method), cancelling, points, found_errors)


class Inputs(NamedTuple):
    """What was to be rolled up."""

    bodies: Bodies
    sigmas: Sigmas | None
    quantity: Quantity
    stated: Mask | None
    method: str


def climb(tree: Tree, working: Working, cancelling: Cancelling, points: Points) -> None:
    """Combine all levels, deepest first."""
    for low, high, narrow in cut_at_stated(tree, working, stretches(tree)):
        levels = levels_between(tree, low, high)
        if narrow:
            plain = cancelling.size is None and cancelling.moment is None and not points.any
            if plain and combine_carrying(working, tree, low, high):
                continue
            if high - low <= FEW * len(levels):
                combine_narrow(working, tree, low, high, cancelling, points)
                continue
        for first, last in levels:
            for families in blocks(tree, working, first, last):
                combine(working, families, cancelling)
                if working.has_centers:
                    points.settle(working, families)


def cut_at_stated(tree: Tree, working: Working, whole: list[Stretch]) -> list[Stretch]:
    """Cut narrow stretches at stated assemblies, whose children do not go up: their levels are taken by themselves."""
    stated = working.inner[~working.goes_up[working.inner]]
    if not len(stated):
        return whole
    pieces: list[Stretch] = []
    for stretch in whole:
        inside = stated[(stated >= stretch.low) & (stated < stretch.high)] if stretch.narrow else stated[:0]
        top = stretch.high
        for level in sorted(set((np.searchsorted(tree.levels, inside, side="right") - 1).tolist()), reverse=True):
            first, last = int(tree.levels[level]), int(tree.levels[level + 1])
            if last < top:
                pieces.append(Stretch(last, top, True))
            pieces.append(Stretch(first, last, False))
            top = first
        if stretch.low < top:
            pieces.append(Stretch(stretch.low, top, stretch.narrow))
    return pieces


def levels_between(tree: Tree, low: int, high: int) -> list[tuple[int, int]]:
    """List the levels from position ``low`` to ``high``, deepest first."""
    a, b = np.searchsorted(tree.levels, [low, high])
    bounds = tree.levels[a : b + 1].tolist()
    return list(pairwise(bounds))[::-1]


def read_out(
    working: Working, inputs: Inputs, cancelling: Cancelling, points: Points, exact: Covariances | None
) -> Rollup:
    """Bring the sums into item order, leaves and stated assemblies with the very numbers they were given."""
    tree, (bodies, sigmas, quantity, _, method) = working.tree, inputs
    up = working.goes_up[working.inner]
    found = Found(tree.order[working.inner[up]], working.sums if up.all() else working.sums[:, up])
    ends = np.ones(len(tree), bool)
    ends[found.items] = False
    covered = coverage(tree, bodies, sigmas, quantity, ends)
    no_center = np.zeros(len(tree), bool)
    no_center[found.items] = cancelling.is_cancelled[working.inner[up]]
    is_point = np.zeros(len(tree), bool)
    is_point[tree.order] = points.is_point
    known = Known(covered, no_center)
    rolled = rolled_bodies(bodies, found, is_point, known)
    rolled_sigmas = mass_moments = None
    if sigmas is not None:
        if exact is None:
            variances, shared = found.sums[VARIANCE], found.sums[COVARIANCE]
        else:
            variances, shared = exact.packed[list(VARIANCES)], exact.packed[[PLACE[0, 4], PLACE[0, 5], PLACE[0, 6]]]
        rolled_sigmas = sigmas_from(sigmas, found, variances, known)
        mass_moments = found.items, shared.T
    below = None
    if not up.all():
        held = Found(tree.order[working.inner[~up]], working.sums[:, ~up])
        below = rolled_bodies(bodies, held, is_point, None)
    cancelled = no_center & (covered.known_mass > 0)
    return Rollup(rolled, rolled_sigmas, covered, cancelled, below, method, mass_moments, exact)


class Found(NamedTuple):
    """What was computed: the assemblies ``items (k,)`` and their ``sums (N, k)``."""

    items: NDArray[np.int32]
    sums: Floats


class Known(NamedTuple):
    """What can be known of an assembly: what its leaves have, and whether its masses cancel ``(n,)``."""

    covered: Coverage
    no_center: Mask


def rolled_bodies(bodies: Bodies, found: Found, is_point: Mask, known: Known | None) -> Bodies:
    """Put the computed numbers into the arrays of the leaves; without ``known`` no masks are made."""
    items, sums = found
    mass = bodies.mass.copy()
    mass[items] = sums[MASS]
    point = bodies.is_point.copy()
    point[items] = is_point[items]
    center = inertia = None
    if bodies.center is not None:
        center = bodies.center.copy()
        center[items] = (sums[REFERENCE] + sums[OFFSET]).T
    if bodies.inertia is not None:
        inertia = bodies.inertia.copy()
        if center is not None:
            inertia[items] = sums[TENSOR].T
    if known is None:
        return Bodies(mass, center, inertia, point)
    covered = known.covered
    some = covered.rows > 0
    centered = some & (covered.known_center == covered.rows) & (covered.known_mass == covered.rows) & ~known.no_center
    return Bodies(
        mass,
        center,
        inertia,
        point,
        known_above(bodies.has_mass, some & (covered.known_mass > 0), items),
        None if center is None else known_above(bodies.has_center, centered, items),
        None
        if inertia is None
        else known_above(bodies.has_inertia, centered & (covered.known_inertia == covered.rows), items),
    )


def known_above(leaves: Mask | None, assemblies: Mask, items: NDArray[np.int32]) -> Mask | None:
    """Join what is known of leaves with what can be known of assemblies; None when that is all."""
    if leaves is None and bool(assemblies[items].all()):
        return None
    known = np.ones(len(assemblies), bool) if leaves is None else leaves.copy()
    known[items] = assemblies[items]
    return known


def sigmas_from(sigmas: Sigmas, found: Found, variances: Floats, known: Known) -> Sigmas:
    """Take the square roots of the assemblies' ``variances (10, k)``; s_c = sqrt(var h) / |m|."""
    items, sums = found
    mass = sigmas.mass.copy()
    mass[items] = np.sqrt(variances[0])
    center = inertia = None
    if sigmas.center is not None:
        center = sigmas.center.copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            center[items] = (np.sqrt(variances[1:4]) / np.abs(sums[MASS])).T
    if sigmas.inertia is not None:
        inertia = sigmas.inertia.copy()
        inertia[items] = np.sqrt(variances[4:]).T
    covered = known.covered
    mask = known_above(sigmas.known, (covered.known_sigma == covered.rows) & (covered.rows > 0), items)
    if known.no_center.any():
        for array in (center, inertia):
            if array is not None:
                array[known.no_center] = np.nan
    return Sigmas(mass, center, inertia, mask)
