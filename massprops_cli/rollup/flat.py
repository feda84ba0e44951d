"""An item as the leaves below it, side by side: the flat form of the roll-up, in which each leaf is seen directly.

Everything that the levels give follows from the leaves at once, since moving the reference point is linear
(FORMULAS 4). The sums of this module are those of FORMULAS 1 over all descendant leaves; they share no code with
the roll-up level by level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollup.groups import ends_of, path_quantities
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Flat:
    """The k leaves that count below one item, and what they add up to.

    ``items (k,)`` are their numbers; ``times (k,)`` how often each counts in the item, and ``weight (k,)`` what its
    variance is multiplied by when its pieces' errors are their own. ``mass (k,)`` is that of one piece and
    ``arm (3, k)`` runs from the item's centre to the leaf's; None without centres. ``total`` is the item's mass and
    ``inertia (6,)`` its tensor about its own centre; None without tensors.
    """

    items: NDArray[np.intp]
    times: Floats
    weight: Floats
    mass: Floats
    arm: Floats | None
    total: float
    center: Floats | None
    inertia: Floats | None

    def __len__(self) -> int:
        """Give the number of leaves."""
        return len(self.items)


def flat_of(
    tree: Tree, bodies: Bodies, quantity: Quantity, item: int, *, stated: Mask | None = None, needs: str = "inertia"
) -> Flat:
    """Lay out the leaves below an item; a ``stated (n,)`` assembly counts as a leaf, in the place of those below it.

    ``needs`` says up to what the numbers are wanted: ``mass``, ``center`` or ``inertia``; the rest is not computed.
    Raises UsageError (``MissingError``) where a leaf lacks one of them, since then the whole has none.

    >>> two = Bodies(np.array([0, 1.0, 3.0]), np.array([[0, 0, 0], [0, 0, 0], [4.0, 0, 0]]), None, np.zeros(3, bool))
    >>> flat = flat_of(Tree.from_parents([-1, 0, 0]), two, Quantity.one_each(3), 0, needs="center")
    >>> flat.total, flat.arm[0].tolist()
    (4.0, [-3.0, 1.0])
    """
    members = np.arange(len(tree)) if tree.parent[item] < 0 else tree.descendants(item).astype(np.intp)
    below = tree if tree.parent[item] < 0 else branch(tree, members)
    counted = Quantity(quantity.count[members], quantity.measured[members], quantity.variance_weight()[members])
    path = path_quantities(below, counted)
    ends = np.flatnonzero(ends_of(below, None if stated is None else stated[members]) & (path.count != 0))
    at = members[ends]
    if not len(at):
        raise UsageError("nothing below the item counts, all of it has quantity 0")
    times, mass = path.count[ends], bodies.mass[at]
    check_known(bodies, at, needs)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are looked for below
        total = float((times * mass).sum())
        arm = center = inertia = None
        if needs != "mass":
            assert bodies.center is not None
            arm, center = arms(bodies.center[at], times * mass, total)
        if needs == "inertia" and arm is not None:
            assert bodies.inertia is not None
            own = np.where(bodies.is_point[at], 0.0, bodies.inertia[at].T)
            inertia = (times * (own + mass * phi(arm))).sum(axis=1)
    for numbers in (total, center, inertia):
        if numbers is not None:
            refuse_overflow(numbers)
    return Flat(at, times, path.variance_weight()[ends], mass, arm, total, center, inertia)


def branch(tree: Tree, members: NDArray[np.intp]) -> Tree:
    """Give one item and everything below it as a tree of its own, items numbered as in ``members``."""
    number = np.full(len(tree) + 1, -1, np.int32)
    number[members] = np.arange(len(members), dtype=np.int32)
    parent = number[tree.parent[members]]
    parent[0] = -1  # the top item's own parent is no member
    return Tree.from_parents(parent)


def check_known(bodies: Bodies, at: NDArray[np.intp], needs: str) -> None:
    """Refuse leaves that lack what is needed."""
    sets: list[tuple[str, Floats | None, Mask | None]] = [("mass", bodies.mass, bodies.has_mass)]
    if needs != "mass":
        sets.append(("centre", bodies.center, bodies.has_center))
    if needs == "inertia":
        has = None if bodies.has_inertia is None else bodies.has_inertia | bodies.is_point
        sets.append(("inertia", bodies.inertia, has))
    for words, values, has in sets:
        if values is None:
            raise UsageError(f"the table has no columns of {words}, and that is needed here")
        refuse_gaps(has, at, words)


class MissingError(UsageError):
    """Something is not known of the leaves ``items (k,)``, so that nothing is known of the whole."""

    def __init__(self, message: str, items: NDArray[np.intp]) -> None:
        super().__init__(message)
        self.items = items


def refuse_gaps(known: Mask | None, at: NDArray[np.intp], words: str) -> None:
    """Raise MissingError where something is not ``known (n,)`` of every leaf ``at (k,)``."""
    lacking = at[:0] if known is None else at[~known[at]]
    if len(lacking):
        message = f"{len(lacking):,} of {len(at):,} leaves have no {words}, so the whole is not known"
        raise MissingError(message, lacking)


def refuse_overflow(numbers: Floats | float) -> None:
    """Raise UsageError where numbers went beyond double precision."""
    if not np.isfinite(numbers).all():
        raise UsageError("the numbers are too large for double precision; use larger units")


def arms(places: Floats, weights: Floats, total: float) -> tuple[Floats, Floats]:
    """Measure leaves ``(k, 3)`` from their centre; gives the arms ``(3, k)`` and the centre ``(3,)``.

    Coordinates are taken from the first leaf before anything else, so that nothing is lost far from the origin
    (FORMULAS 8).
    """
    if total == 0:
        raise UsageError("the masses add up to 0, so there is no centre of mass, and nothing about it")
    offsets = np.ascontiguousarray((places - places[0]).T)
    center = (weights * offsets).sum(axis=1) / total
    return offsets - center[:, None], places[0] + center


def phi(arm: Floats) -> Floats:
    """Give the tensors ``(6, k)`` of unit masses at ``arm (3, k)``: |v|² 1 − v vᵀ (FORMULAS 0).

    >>> phi(np.array([[1.0], [2.0], [3.0]]))[:, 0].tolist()
    [13.0, 10.0, 5.0, -2.0, -3.0, -6.0]
    """
    x, y, z = arm
    return np.stack([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])


def input_sigmas(flat: Flat, bodies: Bodies, sigmas: Sigmas, needs: str) -> Floats:
    """Give the sigmas of each leaf's ten inputs ``(10, k)``, those of one piece; 0 for what is not needed.

    Raises UsageError where sigmas of leaves are missing.
    """
    refuse_gaps(sigmas.known, flat.items, "sigmas")
    ten = np.zeros((10, len(flat)))
    ten[0] = sigmas.mass[flat.items]
    if needs == "mass":
        return ten
    if sigmas.center is None:
        raise UsageError("the table has no sigmas of the centres, and they are needed here")
    ten[1:4] = sigmas.center[flat.items].T
    if needs == "inertia":
        if sigmas.inertia is None:
            raise UsageError("the table has no sigmas of the inertia, and they are needed here")
        ten[4:] = np.where(bodies.is_point[flat.items], 0.0, sigmas.inertia[flat.items].T)
    return ten
