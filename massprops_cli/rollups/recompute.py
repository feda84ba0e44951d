"""Changed leaves → new totals of the assemblies above them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.covariance import Covariances
from massprops_cli.rollups.coverage import Coverage, coverage, is_complete
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.rollups.subtotals import picked_bodies, picked_sigmas
from massprops_cli.trees.tree import Quantity, Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)
SEEN = 1e-10
"""Rounding that is larger than this share of a radius of gyration matters in a difference."""


@dataclass(frozen=True, slots=True)
class ChangedAssemblies:
    """The assemblies that a change changes.

    ``items (k,)`` are the assemblies above it, the root last; ``before`` and ``after`` hold them as items 0 … k − 1,
    and the coverages what they are made of.
    """

    items: NDArray[np.intp]
    before: Bodies
    before_sigmas: Sigmas | None
    after: Bodies
    after_sigmas: Sigmas | None
    before_coverage: Coverage
    after_coverage: Coverage


def recompute(rolled: Rollup, inputs: RollupInputs, changed: NDArray[np.intp]) -> ChangedAssemblies:
    """Roll up again the assemblies above the ``changed`` items.

    ``inputs`` hold the new numbers of the changed items (a dropped item has quantity 0); ``rolled`` is the roll-up
    before. Other branches go in as they came out of it, so the cost is that of the families above the change;
    everything is rolled up again with errors that are shared across branches, where something is missing, far from the
    origin, where centres that came out are too coarse, and where masses or quantities are negative, since a branch
    whose masses cancel is more than its centre and tensor.
    """
    above = assemblies_above(inputs.tree, changed)
    is_shared = not inputs.correlation.is_none and rolled.covariances is not None
    is_partial = not is_complete(inputs.bodies, inputs.sigmas) or rolled.placed is not None
    if is_shared or is_partial or rolled.handed_up is not None or is_far(rolled.bodies, above):
        again = roll_up(inputs, method=rolled.method)
        return compared(above, rolled, again, above, again.coverage)
    again = path_rollup(rolled, inputs, changed, above)
    # a branch is more than the one leaf it is in that roll-up
    return compared(above, rolled, again, np.arange(len(above)), coverage(inputs))


def path_rollup(rolled: Rollup, inputs: RollupInputs, changed: NDArray[np.intp], above: NDArray[np.intp]) -> Rollup:
    """Roll up the assemblies ``above`` the change as items 0 … k − 1, with their other children as leaves."""
    tree, quantity = inputs.tree, inputs.quantity
    children = np.concatenate([tree.children(int(i)) for i in above]) if len(above) else np.zeros(0, np.int32)
    members = np.concatenate([above, np.setdiff1d(children, above)]).astype(np.intp)
    bodies, sigmas = mixed(rolled, inputs.bodies, inputs.sigmas, changed)
    # an unchanged branch of which nothing counts is no body that could be missing a centre
    empty = (rolled.coverage.rows[members] == 0) & ~np.isin(members, above) & ~np.isin(members, changed)
    part = RollupInputs.of(
        small_tree(tree, members),
        picked_bodies(bodies, members),
        None if sigmas is None else without_gaps(picked_sigmas(sigmas, members)),
        Quantity(np.where(empty, 0.0, quantity.count[members]), quantity.measured[members]),
        stated=None if inputs.stated is None else inputs.stated[members] & (np.arange(len(members)) < len(above)),
    )
    branches = covariances_of_branches(rolled, members[len(above) :], len(above))
    return roll_up(part, method=rolled.method, given=branches)


def is_far(bodies: Bodies, items: NDArray[np.intp]) -> bool:
    """Tell whether some assemblies are so small beside their coordinates that rounding these shows (FORMULAS 8)."""
    if bodies.center is None or bodies.inertia is None:
        return False
    rounding = np.finfo(float).eps * np.abs(bodies.center[items]).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.sqrt(np.abs(bodies.inertia[items, :3]).max(axis=1) / np.abs(bodies.mass[items]))
    return bool((rounding > SEEN * radius).any())


def compared(
    above: NDArray[np.intp], rolled: Rollup, again: Rollup, place: NDArray[np.intp], covered: Coverage
) -> ChangedAssemblies:
    """Set the assemblies beside what they were; ``place`` are their numbers in the roll-up ``again``.

    ``covered`` is the coverage of the whole tree with the change.
    """
    return ChangedAssemblies(
        above,
        picked_bodies(rolled.bodies, above),
        None if rolled.sigmas is None else picked_sigmas(rolled.sigmas, above),
        picked_bodies(again.bodies, place),
        None if again.sigmas is None else picked_sigmas(again.sigmas, place),
        rolled.coverage.picked(above),
        covered.picked(above),
    )


def covariances_of_branches(rolled: Rollup, beside: NDArray[np.intp], first: int) -> Covariances | None:
    """Give the covariances of the branches ``beside`` the changed assemblies, numbered from ``first`` on."""
    if rolled.covariances is None:
        return None
    columns = rolled.covariances.columns
    branches = [(first + k, columns[i]) for k, i in enumerate(beside.tolist()) if i in columns]
    items, at = (np.array([pair[side] for pair in branches], np.int32) for side in (0, 1))
    return Covariances(items, rolled.covariances.packed[:, at])


def assemblies_above(tree: Tree, changed: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the assemblies above the changed items, deepest first."""
    is_above = np.zeros(len(tree), bool)
    for i in changed.tolist():
        while (i := int(tree.parent[i])) >= 0 and not is_above[i]:
            is_above[i] = True
    at = np.flatnonzero(is_above)
    return at[np.argsort(tree.position[at])[::-1]]


def small_tree(tree: Tree, members: NDArray[np.intp]) -> Tree:
    """Give the tree of the changed assemblies and their children, siblings in order, as items 0 … len(members) − 1."""
    number = np.full(len(tree) + 1, -1, np.int32)
    number[members] = np.arange(len(members))
    return Tree.from_parents(number[tree.parent[members]])


def without_gaps(sigmas: Sigmas) -> Sigmas:
    """Put 0 where a branch has no centre and so no sigmas, since nothing times not-a-number is not nothing."""
    parts = [None if part is None else np.nan_to_num(part) for part in (sigmas.center, sigmas.inertia)]
    return replace(sigmas, center=parts[0], inertia=parts[1])


def mixed(
    rolled: Rollup, bodies: Bodies, sigmas: Sigmas | None, changed: NDArray[np.intp]
) -> tuple[Bodies, Sigmas | None]:
    """Take what was rolled up, with the new numbers of the changed items in it."""
    old, s = rolled.bodies, rolled.sigmas
    new = replace(
        old,
        mass=overlaid(old.mass, bodies.mass, changed),
        center=overlaid_if(old.center, bodies.center, changed),
        inertia=overlaid_if(old.inertia, bodies.inertia, changed),
        has_mass=known_now(old.has_mass, bodies.has_mass, changed),
        has_center=known_now(old.has_center, bodies.has_center, changed),
        has_inertia=known_now(old.has_inertia, bodies.has_inertia, changed),
        has_products=known_now(old.has_products, bodies.has_products, changed),
    )
    if s is None or sigmas is None:
        return new, None
    return new, Sigmas(
        overlaid(s.mass, sigmas.mass, changed),
        overlaid_if(s.center, sigmas.center, changed),
        overlaid_if(s.inertia, sigmas.inertia, changed),
        known_now(s.known, sigmas.known, changed),
    )


def overlaid(values: NDArray[T], new: NDArray[T], where: NDArray[np.intp]) -> NDArray[T]:
    """Give ``values`` with those of ``new`` in some rows."""
    result = values.copy()
    result[where] = new[where]
    return result


def overlaid_if(values: Floats | None, new: Floats | None, where: NDArray[np.intp]) -> Floats | None:
    """Give ``values`` with those of ``new`` in some rows, where both are there."""
    return None if values is None or new is None else overlaid(values, new, where)


def known_now(old: Mask | None, new: Mask | None, where: NDArray[np.intp]) -> Mask | None:
    """Give what is known with what is known of the changed rows; no mask means all."""
    if old is None and new is None:
        return None
    everything = np.ones_like(old if old is not None else new)
    return overlaid(everything if old is None else old, everything if new is None else new, where)
