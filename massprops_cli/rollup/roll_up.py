"""Tree × bodies → bodies: the mass properties of every assembly, and their sigmas level by level.

Equations: Zimmerman & Nakai, SAWE paper 3360, sections 2 and 3; FORMULAS.md 1–3 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollup.combine import Cancelled, combine, families
from massprops_cli.rollup.coverage import Coverage, coverage
from massprops_cli.rollup.narrow import combine_narrow
from massprops_cli.rollup.points import Points
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.state import (
    COVARIANCE,
    MASS,
    OFFSET,
    REFERENCE,
    TENSOR,
    VAR_MASS,
    VAR_MOMENT,
    VAR_TENSOR,
    Floats,
    working_state,
)
from massprops_cli.tree.stretches import stretches
from massprops_cli.tree.tree import Tree

Mask = NDArray[np.bool_]
METHODS = ("massprops", "none")


@dataclass(frozen=True, slots=True)
class Rollup:
    """Every item of a tree with its mass properties, in item order, leaves as they were given.

    ``bodies`` are about each item's own centre; ``radii (n, 3)`` and ``sigma_radii (n, 3)`` are NaN where blank (point
    masses, no mass, not known) and None where not computed; ``cancelled (n,)`` marks assemblies whose masses
    cancel, which have neither centre nor tensor; ``below`` holds what the children of stated items give.
    """

    bodies: Bodies
    sigmas: Sigmas | None
    radii: Floats | None
    sigma_radii: Floats | None
    coverage: Coverage
    cancelled: Mask
    below: Bodies | None
    method: str


def roll_up(
    tree: Tree,
    bodies: Bodies,
    sigmas: Sigmas | None = None,
    quantity: Quantity | None = None,
    *,
    method: str = "massprops",
    stated: Mask | None = None,
) -> Rollup:
    """Add up mass, centre, tensor and radii of gyration of every assembly, and their sigmas.

    ``bodies`` of assemblies are not read, except where ``stated (n,)``: there the item's own numbers go up. Method
    ``massprops`` propagates ten sigmas level by level, children and quantities independent; ``none`` leaves them out.

    >>> tree = Tree.from_parents([-1, 0, 0])
    >>> two = Bodies(np.array([0.0, 1.0, 3.0]), np.array([[0, 0, 0], [0, 0, 0], [4.0, 0, 0]]), np.zeros((3, 6)), np.zeros(3, bool))
    >>> rolled = roll_up(tree, two, method="none")
    >>> rolled.bodies.mass[0], rolled.bodies.center[0].tolist(), rolled.bodies.inertia[0].tolist()
    (np.float64(4.0), [3.0, 0.0, 0.0], [0.0, 12.0, 12.0, 0.0, 0.0, 0.0])
    """
    if method not in METHODS:
        raise UsageError(f"the method is {method}; it can be {' or '.join(METHODS)}")
    if method == "none":
        sigmas = None
    n = len(tree)
    quantity = quantity or Quantity.one_each(n)
    state = working_state(tree, bodies, sigmas, quantity)
    cancelled = Cancelled(n)
    if bool((state[MASS] < 0).any()) or bool((quantity.count < 0).any()):
        cancelled.watch(state[MASS])
    points = Points(tree, bodies.is_point, bodies.center)
    below = climb(tree, state, cancelled, points, stated, bodies)
    return read_out(tree, bodies, sigmas, quantity, state, cancelled, points, stated, below, method)


def climb(
    tree: Tree, state: Floats, cancelled: Cancelled, points: Points, stated: Mask | None, bodies: Bodies
) -> Floats | None:
    """Combine all levels, deepest first; gives the working state of stated items' children, where there are any."""
    centers = bodies.center is not None
    tensors = centers and bodies.inertia is not None
    held = None if stated is None else stated[tree.order] & (tree.n_children > 0)
    below = None if held is None or not held.any() else state.copy()
    for low, high, narrow in stretches(tree):
        if narrow and below is None:
            combine_narrow(state, tree, low, high, cancelled, points, centers=centers, tensors=tensors)
            continue
        for first, last in levels_between(tree, low, high):
            own = None if below is None or held is None else first + np.flatnonzero(held[first:last])
            kept = None if own is None else state[:, own].copy()
            for family in families(tree.first_child, tree.n_children, first, last):
                combine(state, family, cancelled, centers=centers, tensors=tensors)
            if centers:
                points.settle(state, first, last)
            if own is not None and below is not None and kept is not None:
                below[:, own] = state[:, own]
                state[:, own] = kept
                cancelled.is_cancelled[own] = False
    return below


def levels_between(tree: Tree, low: int, high: int) -> list[tuple[int, int]]:
    """List the levels from position ``low`` to ``high``, deepest first."""
    a, b = np.searchsorted(tree.levels, [low, high])
    bounds = tree.levels[a : b + 1].tolist()
    return list(zip(bounds[:-1], bounds[1:], strict=True))[::-1]


def read_out(
    tree: Tree,
    bodies: Bodies,
    sigmas: Sigmas | None,
    quantity: Quantity,
    state: Floats,
    cancelled: Cancelled,
    points: Points,
    stated: Mask | None,
    below: Floats | None,
    method: str,
) -> Rollup:
    """Bring the working state back into item order, leaves with the very numbers they were given."""
    leaf = tree.n_children == 0
    held = leaf if stated is None else leaf | stated[tree.order]
    inner = np.flatnonzero(~held)
    items = tree.order[inner]
    ends = np.zeros(len(tree), bool)
    ends[tree.order[held]] = True
    covered = coverage(tree, bodies, sigmas, quantity, ends)
    is_cancelled = np.zeros(len(tree), bool)
    is_cancelled[items] = cancelled.is_cancelled[inner] & (covered.rows[items] > 0)
    no_center = np.zeros(len(tree), bool)
    no_center[items] = cancelled.is_cancelled[inner]
    rolled = rolled_bodies(bodies, state, inner, items, covered, no_center, points.is_point)
    rolled_sigmas = None if sigmas is None else sigmas_from(sigmas, state, inner, items, covered, no_center)
    radii = None if rolled.inertia is None else radii_of_gyration(rolled)
    sigma_radii = None
    if radii is not None and rolled_sigmas is not None and rolled_sigmas.inertia is not None:
        covariance = np.zeros((len(tree), 3))
        covariance[items] = state[COVARIANCE, inner].T
        sigma_radii = sigma_of_radii(rolled, rolled_sigmas, radii, covariance)
    what_children_give = None
    if below is not None and stated is not None:
        own = np.flatnonzero(stated[tree.order] & ~leaf)
        what_children_give = rolled_bodies(
            bodies, below, own, tree.order[own], covered, no_center & False, points.is_point, keep_masks=False
        )
    return Rollup(rolled, rolled_sigmas, radii, sigma_radii, covered, is_cancelled, what_children_give, method)


def rolled_bodies(
    bodies: Bodies,
    state: Floats,
    inner: NDArray[np.intp],
    items: NDArray[np.int32],
    covered: Coverage,
    no_center: Mask,
    is_point: Mask,
    *,
    keep_masks: bool = True,
) -> Bodies:
    """Put the numbers of the positions ``inner``, which are ``items``, into the arrays of the leaves."""
    mass = bodies.mass.copy()
    mass[items] = state[MASS, inner]
    center = inertia = has_center = has_inertia = None
    point = bodies.is_point.copy()
    point[items] = is_point[inner]
    has_mass = None
    if bodies.center is not None:
        center = bodies.center.copy()
        center[items] = (state[REFERENCE, inner] + state[OFFSET, inner]).T
    if bodies.inertia is not None and bodies.center is not None:
        inertia = bodies.inertia.copy()
        inertia[items] = state[TENSOR, inner].T
    elif bodies.inertia is not None:
        inertia = bodies.inertia.copy()
    if keep_masks:
        has_mass = known_above(bodies.has_mass, covered.rows > 0, items, covered)
        centered = (covered.known_center == covered.rows) & (covered.known_mass == covered.rows) & ~no_center & (covered.rows > 0)
        if center is not None:
            has_center = known_above(bodies.has_center, centered, items, covered)
        if inertia is not None:
            whole = centered & (covered.known_inertia == covered.rows)
            has_inertia = known_above(bodies.has_inertia, whole, items, covered)
    return Bodies(mass, center, inertia, point, has_mass, has_center, has_inertia)


def known_above(
    leaves: Mask | None, assemblies: Mask, items: NDArray[np.int32], covered: Coverage
) -> Mask | None:
    """Join what is known of leaves with what can be known of assemblies; None when that is all."""
    if leaves is None and bool(assemblies[items].all()):
        return None
    known = np.ones(len(assemblies), bool) if leaves is None else leaves.copy()
    known[items] = assemblies[items]
    return known


def sigmas_from(
    sigmas: Sigmas,
    state: Floats,
    inner: NDArray[np.intp],
    items: NDArray[np.int32],
    covered: Coverage,
    no_center: Mask,
) -> Sigmas:
    """Take the square roots of the assemblies' variances; s_c = sqrt(var h) / |m|."""
    mass = sigmas.mass.copy()
    mass[items] = np.sqrt(state[VAR_MASS, inner])
    center = inertia = None
    if sigmas.center is not None:
        center = sigmas.center.copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            center[items] = (np.sqrt(state[VAR_MOMENT, inner]) / np.abs(state[MASS, inner])).T
    if sigmas.inertia is not None:
        inertia = sigmas.inertia.copy()
        inertia[items] = np.sqrt(state[VAR_TENSOR, inner]).T
    known = known_above(sigmas.known, (covered.known_sigma == covered.rows) & (covered.rows > 0), items, covered)
    if no_center.any():
        for array in (center, inertia):
            if array is not None:
                array[no_center] = np.nan
    return Sigmas(mass, center, inertia, known)


def radii_of_gyration(bodies: Bodies) -> Floats:
    """Give k_a = sqrt(I_aa / m) about the own centre ``(n, 3)``; NaN for points, without mass, or where not known."""
    assert bodies.inertia is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.sqrt(bodies.inertia[:, :3] / bodies.mass[:, None])
    blank = bodies.is_point | ~np.isfinite(radii).all(axis=1)
    for known in (bodies.has_mass, bodies.has_inertia):
        if known is not None:
            blank |= ~known
    radii[blank] = np.nan
    return radii


def sigma_of_radii(bodies: Bodies, sigmas: Sigmas, radii: Floats, covariance: Floats) -> Floats:
    """Give ½ sqrt(s_I²/(m I) + I s_m²/m³ − 2 cov/m²) ``(n, 3)``, cov summed over the direct children (FORMULAS 3)."""
    assert bodies.inertia is not None
    assert sigmas.inertia is not None
    m = bodies.mass[:, None]
    moments = bodies.inertia[:, :3]
    with np.errstate(divide="ignore", invalid="ignore"):
        square = sigmas.inertia[:, :3] ** 2 / (m * moments)
        square += moments * sigmas.mass[:, None] ** 2 / m**3
        square -= 2 * covariance / m**2
        result = 0.5 * np.sqrt(np.maximum(square, 0.0))
    result[np.isnan(radii) | ~np.isfinite(result)] = np.nan
    if sigmas.known is not None:
        result[~sigmas.known] = np.nan
    return result
