"""Changed leaves → new totals of the assemblies above them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.covariance import Covariances
from massprops_cli.rollups.coverage import Coverage, is_complete_data, tree_coverage
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.rollups.subtotals import bodies_at_items, sigmas_at_items
from massprops_cli.trees.tree import ItemQuantity, Tree

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_T = TypeVar("_T", bound=np.generic)
_SIGNIFICANT_ROUNDING = 1e-10
"""Rounding that is larger than this share of a radius of gyration matters in a difference."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChangedAssemblies:
    """The assemblies above changed items, before and after."""

    items: NDArray[np.intp]  # (k,) deepest first, the root last; bodies, sigmas and coverage in this order
    before: Bodies
    before_sigmas: Sigmas | None
    after: Bodies
    after_sigmas: Sigmas | None
    before_coverage: Coverage
    after_coverage: Coverage


def recompute_rollup(rolled: Rollup, inputs: RollupInputs, changed: NDArray[np.intp]) -> ChangedAssemblies:
    """Compute again the assemblies above changed items (c,), at the cost of the families on their paths.

    The inputs have the new values; a removed item has quantity 0.
    """
    above = _assemblies_above(inputs.tree, changed)
    # other branches are bodies of the new roll-up; everything is computed again where uncertainties are shared across
    # branches, values are missing or negative, or rounding matters far from the origin (docs/formulas.md, section 9)
    is_shared = not inputs.correlation.is_none and rolled.covariances is not None
    is_partial = not is_complete_data(inputs.bodies, inputs.sigmas) or rolled.placed is not None
    is_joint = inputs.deviations is not None or inputs.placement is not None
    is_joint &= rolled.covariances is not None
    if is_shared or is_partial or is_joint or rolled.passed_up is not None or _is_far_from_origin(rolled.bodies, above):
        again = roll_up(inputs, method=rolled.method)
        return _assembly_changes(above, rolled, again, above, again.coverage)
    again = _path_rollup(rolled, inputs, changed, above)
    # a branch is more than the one leaf it is in that roll-up
    return _assembly_changes(above, rolled, again, np.arange(len(above)), tree_coverage(inputs))


def _path_rollup(rolled: Rollup, inputs: RollupInputs, changed: NDArray[np.intp], above: NDArray[np.intp]) -> Rollup:
    """Roll up the assemblies ``above`` the change as items 0 … k − 1, with their other children as leaves."""
    tree, quantity = inputs.tree, inputs.quantity
    children = np.concatenate([tree.children(int(i)) for i in above]) if len(above) else np.zeros(0, np.int32)
    members = np.concatenate([above, np.setdiff1d(children, above)]).astype(np.intp)
    bodies, sigmas = _bodies_with_changes(rolled, inputs.bodies, inputs.sigmas, changed)
    part = RollupInputs.of(
        _affected_tree(tree, members),
        bodies_at_items(bodies, members),
        None if sigmas is None else _sigmas_without_gaps(sigmas_at_items(sigmas, members)),
        ItemQuantity(quantity.count[members], quantity.measured[members]),
        stated=None if inputs.stated is None else inputs.stated[members] & (np.arange(len(members)) < len(above)),
    )
    branches = _branch_covariances(rolled, members[len(above) :], len(above))
    return roll_up(part, method=rolled.method, given=branches)


def _is_far_from_origin(bodies: Bodies, items: NDArray[np.intp]) -> bool:
    """Return whether the rounding of coordinates is significant for some assemblies (docs/formulas.md, section 9)."""
    if bodies.center is None or bodies.inertia is None:
        return False
    rounding = np.finfo(float).eps * np.abs(bodies.center[items]).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.sqrt(np.abs(bodies.inertia[items, :3]).max(axis=1) / np.abs(bodies.mass[items]))
    return bool((rounding > _SIGNIFICANT_ROUNDING * radius).any())


def _assembly_changes(
    above: NDArray[np.intp], rolled: Rollup, again: Rollup, place: NDArray[np.intp], covered: Coverage
) -> ChangedAssemblies:
    """Return the assemblies before and after; ``place`` are their numbers in ``again``, ``covered`` its coverage."""
    return ChangedAssemblies(
        above,
        bodies_at_items(rolled.bodies, above),
        None if rolled.sigmas is None else sigmas_at_items(rolled.sigmas, above),
        bodies_at_items(again.bodies, place),
        None if again.sigmas is None else sigmas_at_items(again.sigmas, place),
        rolled.coverage.picked(above),
        covered.picked(above),
    )


def _branch_covariances(rolled: Rollup, unchanged: NDArray[np.intp], first: int) -> Covariances | None:
    """Return the covariances of the branches ``unchanged`` next to the changed assemblies, numbered from ``first``."""
    if rolled.covariances is None:
        return None
    columns = rolled.covariances.columns
    branches = [(first + k, columns[i]) for k, i in enumerate(unchanged.tolist()) if i in columns]
    items, at = (np.array([pair[side] for pair in branches], np.int32) for side in (0, 1))
    return Covariances(items, rolled.covariances.packed[:, at])


def _assemblies_above(tree: Tree, changed: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the assemblies above the changed items, deepest first."""
    is_above = np.zeros(len(tree), bool)
    for i in changed.tolist():
        while (i := int(tree.parent[i])) >= 0 and not is_above[i]:
            is_above[i] = True
    at = np.flatnonzero(is_above)
    return at[np.argsort(tree.position[at])[::-1]]


def _affected_tree(tree: Tree, members: NDArray[np.intp]) -> Tree:
    """Return the tree of the changed assemblies and their children, siblings in order, as items 0 … len(members)−1."""
    number = np.full(len(tree) + 1, -1, np.int32)
    number[members] = np.arange(len(members))
    return Tree.from_parents(number[tree.parent[members]])


def _sigmas_without_gaps(sigmas: Sigmas) -> Sigmas:
    """Return sigmas with 0 where a branch has no centre and so no sigmas, because 0 × NaN is not 0."""
    parts = [None if part is None else np.nan_to_num(part) for part in (sigmas.center, sigmas.inertia)]
    return replace(sigmas, center=parts[0], inertia=parts[1])


def _bodies_with_changes(
    rolled: Rollup, bodies: Bodies, sigmas: Sigmas | None, changed: NDArray[np.intp]
) -> tuple[Bodies, Sigmas | None]:
    """Return rolled-up bodies and sigmas with the new values of the changed items."""
    old, s = rolled.bodies, rolled.sigmas
    masks = ("has_mass", "has_center", "has_inertia", "has_products")
    known: dict[str, Any] = {name: _overlaid_mask(getattr(old, name), getattr(bodies, name), changed) for name in masks}
    new = replace(old, **_overlaid_numbers(old, bodies, changed), **known)
    if s is None or sigmas is None:
        return new, None
    known = {"known": _overlaid_mask(s.known, sigmas.known, changed)}
    return new, replace(s, **_overlaid_numbers(s, sigmas, changed), **known)


def _overlaid_numbers(old: Bodies | Sigmas, new: Bodies | Sigmas, where: NDArray[np.intp]) -> dict[str, Any]:
    """Return masses, centres and tensors with those of ``new`` in some rows, where both are there."""
    pairs = {name: (getattr(old, name), getattr(new, name)) for name in ("mass", "center", "inertia")}
    return {
        name: None if one is None or other is None else _overlaid_values(one, other, where)
        for name, (one, other) in pairs.items()
    }


def _overlaid_values(values: NDArray[_T], new: NDArray[_T], where: NDArray[np.intp]) -> NDArray[_T]:
    """Return ``values`` with those of ``new`` in some rows."""
    result = values.copy()
    result[where] = new[where]
    return result


def _overlaid_mask(old: _Mask | None, new: _Mask | None, where: NDArray[np.intp]) -> _Mask | None:
    """Return the known values with those of the changed rows; None means all."""
    if old is None and new is None:
        return None
    everything = np.ones_like(old if old is not None else new)
    return _overlaid_values(everything if old is None else old, everything if new is None else new, where)
