"""Changed leaves → new totals, along the paths that they touch and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollup.groups import picked_bodies, picked_sigmas
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.roll_up import Rollup, roll_up
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Touched:
    """What a change does.

    ``items (k,)`` are the assemblies above it, the root last; ``before`` and ``after`` hold them as items 0 … k − 1.
    """

    items: NDArray[np.intp]
    before: Bodies
    before_sigmas: Sigmas | None
    after: Bodies
    after_sigmas: Sigmas | None


def recompute(
    tree: Tree,
    rolled: Rollup,
    bodies: Bodies,
    sigmas: Sigmas | None,
    quantity: Quantity,
    changed: NDArray[np.intp],
) -> Touched:
    """Roll up again what stands above the ``changed`` items.

    ``bodies``, ``sigmas`` and ``quantity`` hold the new numbers of the changed items (a dropped item has
    quantity 0); ``rolled`` is the roll-up before. Untouched branches go in as they came out of it, so the
    cost is that of the touched families.
    """
    above = touched_assemblies(tree, changed, rolled.cancelled)
    children = np.concatenate([tree.children(int(i)) for i in above]) if len(above) else np.zeros(0, np.int32)
    members = np.concatenate([above, np.setdiff1d(children, above)]).astype(np.intp)
    small = small_tree(tree, members)
    source = mixed(rolled, bodies, sigmas, changed)
    # an untouched branch of which nothing counts is no body that could be missing a centre
    empty = (rolled.coverage.rows[members] == 0) & ~np.isin(members, above) & ~np.isin(members, changed)
    held = Quantity(np.where(empty, 0.0, quantity.count[members]), quantity.measured[members])
    again = roll_up(
        small,
        picked_bodies(source[0], members),
        None if source[1] is None else without_gaps(picked_sigmas(source[1], members)),
        held,
        method=rolled.method,
    )
    place = np.arange(len(above))
    return Touched(
        above,
        picked_bodies(rolled.bodies, above),
        None if rolled.sigmas is None else picked_sigmas(rolled.sigmas, above),
        picked_bodies(again.bodies, place),
        None if again.sigmas is None else picked_sigmas(again.sigmas, place),
    )


def touched_assemblies(tree: Tree, changed: NDArray[np.intp], cancelled: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Give the assemblies above the changed items, deepest first.

    A branch whose masses cancel is no body that could go in as one, so those beside the path are rolled up
    again too.
    """
    touched = np.zeros(len(tree), bool)
    for i in changed.tolist():
        while (i := int(tree.parent[i])) >= 0 and not touched[i]:
            touched[i] = True
    for d in range(len(tree.levels) - 1 if cancelled.any() else 0):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        above = tree.parent[items]
        touched[items] |= cancelled[items] & (above >= 0) & touched[above]
    at = np.flatnonzero(touched)
    return at[np.argsort(tree.position[at])[::-1]]


def small_tree(tree: Tree, members: NDArray[np.intp]) -> Tree:
    """Give the tree of the touched assemblies and their children, siblings in order, as items 0 … len(members) − 1."""
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
    old = rolled.bodies
    new = replace(
        old,
        mass=overlaid(old.mass, bodies.mass, changed),
        center=None if old.center is None or bodies.center is None else overlaid(old.center, bodies.center, changed),
        inertia=None
        if old.inertia is None or bodies.inertia is None
        else overlaid(old.inertia, bodies.inertia, changed),
    )
    if rolled.sigmas is None or sigmas is None:
        return new, None
    s = rolled.sigmas
    return new, replace(
        s,
        mass=overlaid(s.mass, sigmas.mass, changed),
        center=None if s.center is None or sigmas.center is None else overlaid(s.center, sigmas.center, changed),
        inertia=None if s.inertia is None or sigmas.inertia is None else overlaid(s.inertia, sigmas.inertia, changed),
    )


def overlaid(values: Floats, new: Floats, where: NDArray[np.intp]) -> Floats:
    """Give ``values`` with those of ``new`` in some rows."""
    result = values.copy()
    result[where] = new[where]
    return result
