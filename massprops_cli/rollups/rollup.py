"""Tree × bodies → bodies: the mass properties of every assembly, and their sigmas.

Equations: Zimmerman and Nakai, SAWE paper 3360, sections 2 and 3; docs/formulas.md, sections 2 to 6 and 9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.combination import (
    CENTER_ROWS,
    COVARIANCE,
    MASS,
    MOMENT,
    OFFSET,
    REFERENCE,
    SIZE_OF_MASS,
    TENSOR,
    VARIANCE,
    RollupState,
    combine_families,
    is_point_mass,
    is_without_center,
    tensor_terms,
)
from massprops_cli.rollups.covariance import (
    PAIR_INDEX,
    VARIANCE_INDEX,
    Covariances,
    pose_covariances,
    turned_leaf_covariances,
)
from massprops_cli.rollups.inputs import (
    Correlation,
    Coverage,
    RollupInputs,
    UpwardSums,
    bodies_with_masks,
    is_complete_data,
    is_placed_body,
    known_mass_part,
    known_products,
    known_sigmas,
    placed_part,
    tree_coverage,
)
from massprops_cli.rollups.shared_uncertainty import assembly_covariances, leaf_covariances, own_covariances
from massprops_cli.trees.tree import Tree

if TYPE_CHECKING:
    from massprops_cli.rollups.montecarlo.samples import SampledRollup

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_CANCELLED_MASS = 1e-14
"""Less than this share of terms that cancel is rounding: a common factor of all masses changes no radius."""
_MASS_AND_MOMENTS, _MOMENTS = [PAIR_INDEX[0, k] for k in (4, 5, 6)], [PAIR_INDEX[k, k] for k in (4, 5, 6)]
"""Rows of packed covariances: of the mass with Ixx, Iyy and Izz, and of each of these."""
_AssemblySums = tuple[NDArray[np.int32], _Floats]  # what was computed: the assemblies items (k,) and their sums (N, k)


class _SignedMoments(NamedTuple):
    """The moments of k assemblies as they go up, where some mass or quantity is negative."""

    items: NDArray[np.int32]  # (k,)
    reference: _Floats  # (3, k) the poles are reference + offset; this part is input numbers
    offset: _Floats  # (3, k)
    center: _Floats  # (3, k) centre minus pole; 0 without a centre
    ten: _Floats  # (10, k) m, hx … hz, Jxx … Jyz about the pole
    size: _Floats  # (k,) sum of the sizes of the masses


@dataclass(frozen=True, eq=False, repr=False)
class Rollup:
    """The mass properties of every item of a tree, by item number; leaves as stated."""

    bodies: Bodies  # each about its own centre
    sigmas: Sigmas | None
    coverage: Coverage  # the leaves from which each result is computed
    cancelled: _Mask  # (n,) assemblies whose masses cancel: without mass, centre and tensor
    below: Bodies | None  # sums of the children of stated assemblies
    method: str  # covariance, massprops, none; montecarlo if sampled is not None
    mass_moments: tuple[NDArray[np.int32], _Floats] | None = None
    covariances: Covariances | None = None  # of the assemblies, for method covariance
    sampled: SampledRollup | None = None
    placed: Rollup | None = None  # where masses have no place: roll-up of those that have one, for centres and tensors
    passed_up: _SignedMoments | None = None  # of the assemblies, if something is negative; otherwise the bodies suffice
    upward: UpwardSums | None = None  # of the assemblies below the root, on request

    def __repr__(self) -> str:
        """Return the number of items and the method."""
        return f"<Rollup of {len(self.bodies.mass):,} items, uncertainty {self.method}>"

    @cached_property
    def radii(self) -> _Floats | None:
        """Radii of gyration about the own centres ``(n, 3)``, length; NaN for points, without mass, if not known."""
        if (bodies := self.with_place.bodies).inertia is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            radii = np.sqrt(bodies.inertia[:, :3] / bodies.mass[:, None])  # k_a = √(I_aa / m)
        blank = bodies.is_point | ~np.isfinite(radii).all(axis=1)
        for known in (bodies.has_mass, bodies.has_inertia):
            if known is not None:
                blank |= ~known
        radii[blank] = np.nan
        return radii

    @property
    def with_place(self) -> Rollup:
        """The part to which centres and tensors apply: this roll-up, unless some masses have no place."""
        return self.placed or self

    @cached_property
    def sigma_radii(self) -> _Floats | None:
        """Sigmas of the radii ``(n, 3)``, length; NaN where they or the radii are not known."""
        if self.placed is not None:
            return self.placed.sigma_radii
        if self.radii is None or self.sigmas is None or self.sigmas.inertia is None or self.mass_moments is None:
            return None
        variance, covariance = self.sigmas.inertia[:, :3] ** 2, np.zeros((len(self.radii), 3))
        covariance[self.mass_moments[0]] = self.mass_moments[1]
        if (exact := self.covariances) is not None:  # with leaves whose values deviate together
            variance[exact.items], covariance[exact.items] = exact.packed[_MOMENTS].T, exact.packed[_MASS_AND_MOMENTS].T
        return _radius_sigmas(self.bodies, self.sigmas, self.radii, (variance, covariance))

    def covariance_of(self, i: int) -> _Floats:
        """Return V (10, 10) of m, hx … hz, Jxx … Jyz about the own centre, table axes: docs/formulas.md, section 5."""
        # for an item with values of its own diagonal: s_m², (m s_c)², s_I², 0 without such a sigma
        if self.covariances is not None and i in self.covariances.columns:
            return self.covariances.matrix(i)
        result = np.zeros((10, 10))
        if self.sigmas is None:
            return result
        of_moment = np.zeros(3) if self.sigmas.center is None else self.bodies.mass[i] * self.sigmas.center[i]
        of_tensor = np.zeros(6) if self.sigmas.inertia is None or self.bodies.is_point[i] else self.sigmas.inertia[i]
        np.fill_diagonal(result, np.nan_to_num(np.concatenate([[self.sigmas.mass[i]], of_moment, of_tensor])) ** 2)
        return result


def _radius_sigmas(bodies: Bodies, sigmas: Sigmas, radii: _Floats, spread: tuple[_Floats, _Floats]) -> _Floats:
    """Return ½ √(s_I²/(m I) + I s_m²/m³ − 2 cov(I, m)/m²) ``(n, 3)`` (docs/formulas.md, sections 4 and 5)."""
    assert bodies.inertia is not None
    m, (variance, covariance) = bodies.mass[:, None], spread
    moments = bodies.inertia[:, :3]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square = variance / (m * moments)
        square += moments * sigmas.mass[:, None] ** 2 / m**3
        rounding = _CANCELLED_MASS * square
        square -= 2 * covariance / m**2
        square[np.abs(square) <= rounding] = 0.0
        result = 0.5 * np.sqrt(np.maximum(square, 0.0))
    result[np.isnan(radii) | ~np.isfinite(result)] = np.nan
    if sigmas.known is not None:
        result[~(sigmas.known[:, :1] & sigmas.known[:, 4:7])] = np.nan
    return result


_SIGMA_METHODS = ("covariance", "massprops", "none")
_CompleteRollup = Callable[..., Rollup]  # ``complete_rollup``, or a function that divides its work


def roll_up(
    inputs: RollupInputs,
    *,
    method: str = "covariance",
    given: Covariances | None = None,
    complete: _CompleteRollup | None = None,
) -> Rollup:
    """Compute bodies and sigmas of every assembly: docs/formulas.md, sections 2, 3, 4, 5, 6 and 9."""
    complete = complete or complete_rollup
    if method not in _SIGMA_METHODS:
        raise UsageError(f"method is unknown: {method} (expected {' or '.join(_SIGMA_METHODS)})")
    if method == "none":
        inputs = replace(inputs, sigmas=None)
    if method == "massprops" and not inputs.correlation.is_none:
        raise UsageError("method massprops does not support shared uncertainties (use covariance)")
    missing = inputs.bodies.missing_axes
    if (near := _inputs_near_a_body(inputs)) is not None and not missing.any():
        rolled = roll_up(near[0], method=method, given=given, complete=complete)
        return _moved_rollup(rolled, inputs.bodies, inputs.ends, near[1])
    if missing.any():
        in_given_axes = inputs.in_given_axes(missing)
        rolled = roll_up(in_given_axes, method=method, given=given, complete=complete)
        return _with_centers(rolled, lambda center: np.where(missing, np.nan, center))
    if inputs.bodies.center is None and inputs.bodies.inertia is not None:
        return _unplaced_rollup(inputs, method, given, complete)
    turned, apart = None, replace(inputs, correlation=Correlation.none(len(inputs.tree)))
    if inputs.placement is not None and method == "covariance":
        turned = turned_leaf_covariances(apart)
    bodies, sigmas = inputs.bodies, inputs.sigmas
    has_all = sigmas is None or not (
        (bodies.center is not None and sigmas.center is None) or (bodies.inertia is not None and sigmas.inertia is None)
    )
    if has_all and is_complete_data(bodies, sigmas):
        rolled = complete(inputs, method, given, turned if inputs.correlation.is_none else None)
    else:
        rolled = _partial_rollup(inputs, method, given, complete)
    if rolled.covariances is None or (inputs.deviations is None and turned is None):
        return rolled
    return replace(rolled, covariances=rolled.covariances.with_leaves(leaf_covariances(apart, turned)))


def _inputs_near_a_body(inputs: RollupInputs) -> tuple[RollupInputs, _Floats] | None:
    """Return inputs with centres from that of one body (3,), with what rounding took; None if it took nothing."""
    bodies, placed = inputs.bodies, inputs.placement
    if placed is None or placed.rest is None or bodies.center is None:
        return None
    known = inputs.ends if bodies.has_center is None else inputs.ends & bodies.has_center
    origin = bodies.center[int(np.argmax(known))]
    near = replace(bodies, center=(bodies.center - origin) + placed.rest)
    return replace(inputs, bodies=near, placement=replace(placed, origin=placed.origin - origin, rest=None)), origin


def _moved_rollup(rolled: Rollup, given: Bodies, ends: _Mask, origin: _Floats) -> Rollup:
    """Return a roll-up whose centres are from ``origin`` (3,), in the frame of the table; those of ends as given."""
    if (up := rolled.passed_up) is not None:
        rolled = replace(rolled, passed_up=up._replace(reference=up.reference + origin[:, None]))
    own = given.center
    assert own is not None
    moved = _with_centers(rolled, lambda center: np.where(ends[:, None], own, center + origin))
    placed = None if rolled.placed is None else _moved_rollup(rolled.placed, given, ends, origin)
    return replace(moved, placed=placed)


def _with_centers(rolled: Rollup, changed: Callable[[_Floats], _Floats]) -> Rollup:
    """Return a roll-up with other centres, by a function of those (n, 3) that it has."""

    def with_center(one: Any) -> Any:
        return one if one is None or one.center is None else replace(one, center=changed(one.center))

    placed = None if rolled.placed is None else _with_centers(rolled.placed, changed)
    return replace(rolled, bodies=with_center(rolled.bodies), below=with_center(rolled.below), placed=placed)


def _unplaced_rollup(inputs: RollupInputs, method: str, given: Covariances | None, complete: _CompleteRollup) -> Rollup:
    """Roll up the masses of leaves without centres: no assembly has a tensor, since its leaves have no place."""
    bodies, sigmas, ends, n = inputs.bodies, inputs.sigmas, inputs.ends, len(inputs.tree)
    assert bodies.inertia is not None
    heavy = replace(bodies, inertia=None, has_center=None, has_inertia=None, has_products=None)
    of_mass = None if sigmas is None else Sigmas(sigmas.mass, None, None, sigmas.known)
    masses = roll_up(replace(inputs, bodies=heavy, sigmas=of_mass), method=method, given=given, complete=complete)
    no_tensor = np.zeros((n, 6))
    result = replace(
        masses.bodies,
        inertia=np.where(ends[:, None], bodies.inertia, no_tensor),
        has_inertia=ends if bodies.has_inertia is None else ends & bodies.has_inertia,
        has_products=ends if bodies.has_products is None else ends & bodies.has_products,
    )
    spread = masses.sigmas
    if sigmas is not None and spread is not None:
        own = np.ones((n, 10), bool) if sigmas.known is None else sigmas.known.copy()
        own[:, 0] = True if spread.known is None else spread.known[:, 0]
        own[~ends, 1:] = False
        spread = Sigmas(spread.mass, None, _chosen_rows(ends, sigmas.inertia, no_tensor), None if own.all() else own)
    return replace(masses, bodies=result, sigmas=spread)


def _partial_rollup(inputs: RollupInputs, method: str, given: Covariances | None, complete: _CompleteRollup) -> Rollup:
    """Roll up what is known: masses of the leaves that have one, centres and tensors of those with a place too."""
    bodies = inputs.bodies
    placed = _masked_rollup(complete(placed_part(inputs), method, given), inputs)
    if bodies.center is None or not (inputs.ends & ~is_placed_body(bodies) & (bodies.mass != 0)).any():
        return placed
    return _joined_rollup(placed, complete(known_mass_part(inputs), method, None), not inputs.correlation.is_none)


def _masked_rollup(rolled: Rollup, inputs: RollupInputs) -> Rollup:
    """Return the roll-up of a part of the inputs with masks of known values; ends keep the values of the inputs."""
    bodies, sigmas, ends, covered = inputs.bodies, inputs.sigmas, inputs.ends, tree_coverage(inputs)
    products = known_products(inputs)
    numbers = replace(
        rolled.bodies,
        mass=np.where(ends, bodies.mass, rolled.bodies.mass),
        center=_chosen_rows(ends, bodies.center, rolled.bodies.center),
        inertia=_chosen_rows(ends, bodies.inertia, rolled.bodies.inertia),
        is_point=np.where(ends, bodies.is_point, rolled.bodies.is_point),
    )
    result = bodies_with_masks(numbers, bodies, covered, products, ends)
    rolled_sigmas = None
    if sigmas is not None and rolled.sigmas is not None:
        known = known_sigmas(inputs)
        rolled_sigmas = replace(
            Sigmas(
                np.where(ends, sigmas.mass, rolled.sigmas.mass),
                _chosen_rows(ends, sigmas.center, rolled.sigmas.center),
                _chosen_rows(ends, sigmas.inertia, rolled.sigmas.inertia),
            ),
            known=None if known.all() else known,
        )
    cancelled = rolled.cancelled & ((covered.known_center > 0) | (bodies.center is None))
    return replace(rolled, bodies=result, sigmas=rolled_sigmas, coverage=covered, cancelled=cancelled)


def _joined_rollup(placed: Rollup, heavy: Rollup, shares_errors: bool) -> Rollup:
    """Return the roll-up of the ``placed`` part with the masses of all; the part remains available as ``placed``."""
    # the covariance of the mass with the rest is that of the placed mass, because the uncertainty of the other mass
    # is its own; with shared uncertainties it is unknown where something has no place
    bodies = replace(placed.bodies, mass=heavy.bodies.mass)
    if (sigmas := placed.sigmas) is not None and heavy.sigmas is not None:
        sigmas = replace(sigmas, mass=heavy.sigmas.mass)
    below = None
    if placed.below is not None and heavy.below is not None:
        below = replace(placed.below, mass=heavy.below.mass)
    if (exact := placed.covariances) is not None and heavy.covariances is not None:
        packed = exact.packed.copy()
        of_mass = np.array([PAIR_INDEX[0, k] for k in range(1, 10)])
        if shares_errors:
            packed[np.ix_(of_mass, np.flatnonzero(~placed.coverage.center_is_whole[exact.items]))] = np.nan
        packed[PAIR_INDEX[0, 0]] = heavy.covariances.packed[PAIR_INDEX[0, 0]]
        exact = replace(exact, packed=packed)
    return replace(placed, bodies=bodies, sigmas=sigmas, below=below, covariances=exact, placed=placed)


def _chosen_rows(ends: _Mask, given: _Floats | None, rolled: _Floats | None) -> _Floats | None:
    """Return the rows of one array where ``ends (n,)``, else those of the other; None where one is not there."""
    return None if given is None or rolled is None else np.where(ends[:, None], given, rolled)


def without_rounding(rolled: Rollup, tree: Tree, ends: _Mask, turned: Rollup | None = None) -> Rollup:
    """Return 0 for centres and products of assemblies whose terms cancel to an ulp of the largest below them."""
    # ends (n,) have the numbers of the inputs; what was turned into the frames of rows has the rounding of all axes
    bodies, ulp, inner = rolled.bodies, np.finfo(float).eps, ~ends
    center, inertia = bodies.center, bodies.inertia
    if center is not None:
        size = terms = np.nan_to_num(np.abs(center))
        if turned is not None and turned.bodies.center is not None:
            terms = np.nan_to_num(np.abs(np.hstack([center, turned.bodies.center]))).max(axis=1, keepdims=True)
        if (inner[:, None] & (size > 0) & (size <= ulp * terms.max(axis=0))).any():  # else nothing can be rounding
            reach = np.column_stack([tree.subtree_extremes(one, np.maximum, inner | ends, 0.0) for one in terms.T])
            center = np.where(inner[:, None] & (size <= ulp * reach), 0.0, center)
    if inertia is not None:
        products = np.abs(inertia[:, 3:])
        small = inner[:, None] & (products > 0) & (products <= ulp * inertia[:, :3].max(axis=1, keepdims=True))
        if small.any():
            inertia = np.concatenate([inertia[:, :3], np.where(small, 0.0, inertia[:, 3:])], axis=1)
    return replace(rolled, bodies=replace(bodies, center=center, inertia=inertia))


def complete_rollup(
    inputs: RollupInputs, method: str, given: Covariances | None, turned: Covariances | None = None
) -> Rollup:
    """Roll up bodies of which nothing is missing: docs/formulas.md, sections 2 to 6."""
    exact = method == "covariance" and inputs.sigmas is not None
    working = RollupState(replace(inputs, sigmas=None) if exact else inputs)
    # numbers too large for double precision come out as such; the caller looks for them
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        with np.errstate(divide="ignore"):  # by the mass of a branch without mass
            for families in inputs.tree.level_blocks():
                combine_families(working, families)
        is_point = is_point_mass(working)
        found, of_leaves = None, given
        if exact:
            if inputs.placement is not None or inputs.deviations is not None:
                of_leaves = own_covariances(inputs, given, turned)
            found = assembly_covariances(working, inputs, of_leaves, is_point, given)
        return _rollup_from_sums(working, inputs, method, is_point, found)


def _rollup_from_sums(
    working: RollupState, inputs: RollupInputs, method: str, point_positions: _Mask, exact: Covariances | None
) -> Rollup:
    """Return the sums in item order; leaves and stated assemblies have exactly the values of the inputs."""
    tree, bodies, sigmas = inputs.tree, inputs.bodies, inputs.sigmas
    up = working.goes_up[working.inner]
    items, sums = tree.order[working.inner[up]], working.sums if up.all() else working.sums[:, up]
    covered = tree_coverage(inputs)
    no_center = np.zeros(len(tree), bool)
    no_center[items] = working.without_center()[up]
    is_point = np.zeros(len(tree), bool)
    is_point[tree.order] = point_positions
    some = covered.rows > 0
    rolled = _rolled_bodies(bodies, (items, sums), is_point, (some, some & ~no_center))
    passed_up, cancelled = None, np.zeros(len(tree), bool)
    if working.is_signed:
        own = (sums[REFERENCE], sums[OFFSET], sums[CENTER_ROWS])
        ten = np.concatenate([sums[MASS][None], sums[MOMENT], sums[TENSOR]])
        passed_up = _SignedMoments(items, *own, ten, sums[SIZE_OF_MASS])
        cancelled[items] = no_center[items] & (passed_up.size > 0)  # nothing and nothing do not cancel
    of_poses = (
        pose_covariances(inputs, rolled, cancelled) if exact is not None and inputs.placement is not None else None
    )
    if exact is not None and of_poses is not None:
        exact.packed[:] += of_poses[:, exact.items]
        if exact.branches is not None:
            exact.branches.packed[:] += of_poses[:, exact.branches.items]
    rolled_sigmas = mass_moments = None
    if sigmas is not None:
        if exact is None:
            variances, shared = sums[VARIANCE], sums[COVARIANCE]
        else:
            variances, shared = exact.packed[list(VARIANCE_INDEX)], exact.packed[_MASS_AND_MOMENTS]
            np.maximum(variances, 0.0, out=variances)  # what cancels in a move leaves rounding of either sign
        rolled_sigmas = _assembly_sigmas(sigmas, (items, sums), variances, some, no_center)
        if rolled_sigmas.inertia is not None:
            rolled_sigmas.inertia[items[is_point[items]]] = 0.0
        mass_moments = items, shared.T
    below = None
    if not up.all():
        below = _rolled_bodies(bodies, (tree.order[working.inner[~up]], working.sums[:, ~up]), is_point, None)
    upward = None
    if inputs.upward is not None and not len(inputs.upward.items):
        children = tree.children(int(tree.order[0]))
        below_root = children[~tree.is_leaf()[children]].astype(np.intp)
        of_branches = working.sums[:, working.rank[tree.position[below_root]]]
        upward = UpwardSums(below_root, of_branches, inputs.upward.narrow)
    of_sums = (rolled, rolled_sigmas, covered, cancelled, below, method, mass_moments, exact)
    return Rollup(*of_sums, passed_up=passed_up, upward=upward)


def _rolled_bodies(bodies: Bodies, found: _AssemblySums, is_point: _Mask, known: tuple[_Mask, _Mask] | None) -> Bodies:
    """Return the leaves with the computed values in them; ``known (n,)`` assemblies have a mass, and a centre."""
    items, sums = found
    signed = len(sums) > SIZE_OF_MASS
    mass = bodies.mass.copy()
    mass[items] = np.where(is_without_center(sums[MASS], sums[SIZE_OF_MASS]), 0.0, sums[MASS]) if signed else sums[MASS]
    point = bodies.is_point.copy()
    point[items] = is_point[items]
    center = inertia = None
    if bodies.center is not None:
        center = bodies.center.copy()
        seen = sums[OFFSET] + sums[CENTER_ROWS] if signed else sums[OFFSET]
        center[items] = (sums[REFERENCE] + seen).T
    if bodies.inertia is not None:
        inertia, tensors = bodies.inertia.copy(), sums[TENSOR]
        if signed:  # J − m Phi(c) with the centre c from the pole
            one, nothing = np.ones_like(sums[MASS]), np.zeros_like(tensors)
            tensors = tensors - tensor_terms(one, sums[MASS], sums[CENTER_ROWS], nothing)
        inertia[items] = tensors.T
        inertia[items[is_point[items]]] = 0.0
    if known is None:
        return Bodies(mass, center, inertia, point)
    has_mass, centered = (_item_mask(one, items) for one in known)
    has_center, has_inertia = (None if array is None else centered for array in (center, inertia))
    return Bodies(mass, center, inertia, point, has_mass, has_center, has_inertia)


def _item_mask(assemblies: _Mask, items: NDArray[np.int32]) -> _Mask | None:
    """Return the leaves and the assemblies that can be known as one mask; None if that is all."""
    if bool(assemblies[items].all()):
        return None
    known = np.ones(len(assemblies), bool)
    known[items] = assemblies[items]
    return known


def _assembly_sigmas(sigmas: Sigmas, found: _AssemblySums, variances: _Floats, some: _Mask, no_center: _Mask) -> Sigmas:
    """Return the square roots of the assemblies' ``variances (10, k)``; s_c = √(var h) / |m|."""
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
    mask = _item_mask(some, items)
    if no_center.any():
        for array in (center, inertia):
            if array is not None:
                array[no_center] = np.nan
    return Sigmas(mass, center, inertia, None if mask is None else np.repeat(mask[:, None], 10, axis=1))
