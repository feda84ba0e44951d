"""The inputs of a roll-up as one value, and the coverage of its results where inputs are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.options import named_option
from massprops_cli.trees.tree import ItemQuantity, Tree

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
NO_LABEL = "(no group)"  # of items without a label at or above them
NO_GROUP = -1  # group number of an item whose uncertainties, and those of each of its pieces, are independent
NO_LOT = -1  # lot number of a source that belongs to one item only
PARAMETER_NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The ten quantities in the order of every covariance and correlation."""
ROUNDING_OF_SOURCES = 1e-9  # share of a variance below which what its sources leave is rounding
SAMPLED_RESULTS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "kx", "ky", "kz")
"""What is sampled of every item; tensors are about the sample's own centre."""
PERCENTILES = (5.0, 50.0, 80.0, 90.0, 95.0)  # per cent of the samples
DISTRIBUTION_KINDS = named_option("distribution").words
KIND_NOT_STATED = -1  # the kind of an item whose row states none: that of ``--config distribution``
_Record = TypeVar("_Record", Bodies, Sigmas)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlation:
    """Shared uncertainties of n items; n pieces of a member share theirs and contribute n², not n, to a variance."""

    group: _Index  # (n,) group of each item, or NO_GROUP; read for leaves and stated assemblies
    labels: Sequence[str] = ()  # names of the groups
    shares_centers: bool = False  # whether uncertainties of centres are shared too
    coupled: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))  # (c,) groups
    matrix: _Floats = field(default_factory=lambda: np.zeros((10, 0, 0)))
    """(d, c, c) correlations of coupled groups, each different one once; positive semi-definite, 1 on the diagonal."""
    matrix_of: tuple[int, ...] = tuple(range(10))  # number in matrix for mass, Cx … Cz, Ixx … Iyz
    kinds: Sequence[str] = ()
    """What each group has in common: ``group`` (corr_group), ``part``, ``item`` (its pieces) or ``all``."""

    @classmethod
    def none(cls, n: int) -> Correlation:
        """Return independent uncertainties of all items and pieces."""
        return cls(np.full(n, NO_GROUP, np.int32))

    @property
    def is_none(self) -> bool:
        """Whether no uncertainties are shared."""
        return not bool((self.group != NO_GROUP).any())

    @property
    def shared_inputs(self) -> NDArray[np.intp]:
        """The inputs ``(j,)`` whose uncertainties members share, by their places in the ten."""
        return np.arange(10) if self.shares_centers else np.delete(np.arange(10), [1, 2, 3])

    def factors(self) -> _Floats:
        """Return F (d, c, c) with F Fᵀ = R, by Cholesky or eigenvectors: docs/formulas.md, section 6."""
        factors = np.empty(self.matrix.shape)
        for k, matrix in enumerate(self.matrix):
            try:
                factors[k] = np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                values, vectors = np.linalg.eigh(matrix)
                factors[k] = vectors * np.sqrt(np.maximum(values, 0.0))
        return factors

    def picked(self, items: NDArray[np.intp]) -> Correlation:
        """Return the correlation of items (k,), now 0 … k − 1; groups keep their numbers."""
        return replace(self, group=self.group[items])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Placement:
    """Poses of n items: the axes and frames in which their numbers are given."""

    rotation: _Floats  # (n, 3, 3) axes of each row; column k is axis k in the axes of the table
    bodies: Bodies  # in the frames of their rows
    sigmas: Sigmas | None  # independent along the axes of the rows; 0 where unknown
    origin: _Floats  # (n, 3) length, origins of the frames, in the frame of the table
    covariance: _Floats | None  # (n, 6, 6) of shift and small rotation, axes of the table: length², length × rad, rad²
    rest: _Floats | None = None  # (n, 3) length, what rounding takes from the centres in the frame of the table

    def picked(self, items: NDArray[np.intp], covariance: _Floats | None = None) -> Placement:
        """Return the placement of items (k,), with other covariances of their poses (k, 6, 6)."""
        sigmas = None if self.sigmas is None else at_items(self.sigmas, items)
        bodies = at_items(self.bodies, items)
        return Placement(self.rotation[items], bodies, sigmas, self.origin[items], covariance)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShapeDeviations:
    """The effects of k uncertain inputs of shapes on the values of n items."""

    items: NDArray[np.intp]  # (k,) item of each source
    vectors: _Floats  # (k, 10) of m, Cx … Cz, Ixx … Iyz about the own centre for one sigma, axes of the rows
    lot: NDArray[np.intp]  # (k,) or NO_LOT; parts of a lot, and all their pieces, share the deviation of its density
    names: NDArray[np.str_]  # (k,) of the inputs, such as r, wall or density
    sigmas: _Floats  # (k,) of the inputs, coherent units; NaN where the input is not one number
    labels: Sequence[str] = ()  # names of the lots

    def picked(self, items: NDArray[np.intp]) -> ShapeDeviations:
        """Return the deviations of items (k,), now 0 … k − 1; lots keep their numbers."""
        order = np.argsort(self.items, kind="stable")
        first, last = (np.searchsorted(self.items[order], items, side) for side in ("left", "right"))
        counts = last - first
        new = np.repeat(np.arange(len(items)), counts)
        within = np.arange(len(new)) - np.repeat(np.cumsum(counts) - counts, counts)
        return replace(self.picked_sources(order[np.repeat(first, counts) + within]), items=new)

    def without(self, items: NDArray[np.intp]) -> ShapeDeviations:
        """Return the deviations without those of items (k,), whose sigmas then are independent."""
        return self.picked_sources(np.flatnonzero(~np.isin(self.items, items)))

    def picked_sources(self, at: NDArray[np.intp]) -> ShapeDeviations:
        """Return the sources at places (j,)."""
        items, vectors, lot = self.items[at], self.vectors[at], self.lot[at]
        return ShapeDeviations(items, vectors, lot, self.names[at], self.sigmas[at], self.labels)


class UpwardSums(NamedTuple):
    """What goes up from k leaves that represent branches; with no leaves, a request for that of the root's children."""

    items: NDArray[np.intp]  # (k,)
    sums: _Floats  # (N, k) as ``RollupState.sums``
    narrow: _Mask  # (n,) items whose covariances are moved by matrices, as in the tree that this is a part of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RollupInputs:
    """The inputs of a roll-up of n items; ``of`` supplies the defaults."""

    tree: Tree
    bodies: Bodies  # those of assemblies are read only where stated
    sigmas: Sigmas | None  # likewise
    quantity: ItemQuantity
    stated: _Mask | None  # (n,) True where an assembly's own values go up
    correlation: Correlation
    deviations: ShapeDeviations | None = None  # joint deviations of the values of shapes, which their sigmas include
    placement: Placement | None = None  # poses that turn the sigmas, and that are uncertain
    branches: NDArray[np.intp] | None = None
    """Computed assemblies whose covariances without open groups are also returned, to represent them elsewhere."""
    upward: UpwardSums | None = None

    @classmethod
    def of(
        cls,
        tree: Tree,
        bodies: Bodies,
        sigmas: Sigmas | None = None,
        quantity: ItemQuantity | None = None,
        *,
        stated: _Mask | None = None,
        correlation: Correlation | None = None,
    ) -> RollupInputs:
        """Return the inputs; default: one piece of every item, no ``stated`` (n,) assemblies, nothing shared."""
        n = len(tree)
        return cls(
            tree, bodies, sigmas, quantity or ItemQuantity.one_each(n), stated, correlation or Correlation.none(n)
        )

    @property
    def ends(self) -> _Mask:
        """Which items go up with their own numbers ``(n,)``: leaves and stated assemblies."""
        leaf = self.tree.is_leaf()
        return leaf if self.stated is None else leaf | self.stated

    def in_given_axes(self, missing: _Mask) -> RollupInputs:
        """Return the inputs with 0 for the coordinates that are not given, and without what needs all of them."""
        assert self.bodies.center is not None
        bodies = replace(self.bodies, center=np.where(missing, 0.0, self.bodies.center), inertia=None)
        sigmas = None if self.sigmas is None else replace(self.sigmas, center=None, inertia=None)
        return replace(self, bodies=bodies, sigmas=sigmas)


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """Options of a simulation; ``keep_samples`` stores the samples of the watched items."""

    samples: int = named_option("samples").value
    seed: int = named_option("seed").value
    distribution: str = named_option("distribution").value
    workers: int = named_option("workers").value
    scheduler: str = named_option("scheduler").value
    keep_samples: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InputShapes:
    """Distributions of the ten inputs of n items; without bounds, of the width of the sigma (± √3 σ, ± √6 σ)."""

    kind: NDArray[np.int8]  # (n,) index in ``DISTRIBUTION_KINDS``, or KIND_NOT_STATED
    bounds: Mapping[int, _Floats] = field(default_factory=dict)
    """Least, most likely and greatest value (3, n), NaN where not stated, by place in mass, Cx … Cz, Ixx … Iyz."""
    bounded: Mapping[int, NDArray[np.int8]] = field(default_factory=dict)  # (n,) kinds where bounds decide

    def kinds_of(self, place: int) -> NDArray[np.int8]:
        """Return the kinds (n,) of one quantity, index in ``DISTRIBUTION_KINDS`` or ``KIND_NOT_STATED``."""
        return self.bounded.get(place, self.kind)

    def over(self, taken: Callable[[NDArray[Any], float], NDArray[Any]]) -> InputShapes:
        """Return those of other items; ``taken`` maps an array (n,) and the value where nothing is stated."""
        bounds = {place: np.array([taken(ends, np.nan) for ends in three]) for place, three in self.bounds.items()}
        bounded = {place: taken(kind, KIND_NOT_STATED) for place, kind in self.bounded.items()}
        return InputShapes(taken(self.kind, KIND_NOT_STATED), bounds, bounded)


_Counts = NDArray[np.int64]

SIGMA_NEEDS = np.zeros((10, 10), bool)
"""Row: a sigma of an assembly (mass, Cx … Cz, Ixx … Iyz); column: a sigma of its leaves that it is made of."""
for _result, _inputs in enumerate(
    ((0,), (0, 1), (0, 2), (0, 3), (0, 2, 3, 4), (0, 1, 3, 5), (0, 1, 2, 6), (0, 1, 2, 7), (0, 1, 3, 8), (0, 2, 3, 9))
):
    SIGMA_NEEDS[_result, list(_inputs)] = True


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coverage:
    """What is known at and below every item, (n,) by item number."""

    rows: _Counts  # leaves that count, without those of quantity 0
    known_mass: _Counts  # leaves from which masses are computed; likewise centres, tensors
    known_center: _Counts
    known_inertia: _Counts
    known_sigma: _Counts  # leaves with all sigmas
    mass_share_center: _Floats  # of the known mass, by absolute value, 0 … 1; NaN without mass
    mass_share_inertia: _Floats
    mass_is_bound: _Mask  # True where missing values can only increase the mass
    moments_are_bounds: _Mask  # likewise the three moments of inertia

    @property
    def mass_is_whole(self) -> _Mask:
        """Whether every leaf has a mass ``(n,)``."""
        return np.equal(self.known_mass, self.rows)

    @property
    def center_is_whole(self) -> _Mask:
        """Whether the centre is that of all leaves ``(n,)``."""
        return np.equal(self.known_center, self.rows)

    @property
    def inertia_is_whole(self) -> _Mask:
        """Whether the tensor is that of all leaves, each with its own ``(n,)``."""
        return np.equal(self.known_inertia, self.rows)

    def known(self, of: str, i: int = 0) -> str:
        """Return how much of a result of item ``i`` is known: ``whole``, ``lower bound`` or ``partial``."""
        base = of.removeprefix("predicted_").removeprefix("sigma_")
        whole = {"m": self.mass_is_whole, "C": self.center_is_whole, "I": self.inertia_is_whole}[base[0]]
        bounds = {"mass": self.mass_is_bound} | dict.fromkeys(("Ixx", "Iyy", "Izz"), self.moments_are_bounds)
        return "whole" if whole[i] else "lower bound" if of in bounds and bounds[of][i] else "partial"

    def lower_bounds(self, i: int) -> tuple[str, ...]:
        """Return which values of item ``i`` are lower bounds: ``mass``, ``moments``."""
        return ("mass",) * int(self.mass_is_bound[i]) + ("moments",) * int(self.moments_are_bounds[i])

    def mass_text(self, i: int) -> str:
        """Write of how many leaves a mass of item ``i`` is; empty if of all."""
        known, rows = int(self.known_mass[i]), int(self.rows[i])
        return "" if known == rows else f"mass of {known:,} of {rows:,} leaves"

    def picked(self, at: NDArray[np.intp]) -> Coverage:
        """Return the coverage of items (k,), in their order."""
        return Coverage(*(getattr(self, field.name)[at] for field in fields(self)))


def has_known_mass(bodies: Bodies) -> _Mask:
    """Return which of n bodies (n,) have a known mass."""
    return _mask_or_all(bodies.has_mass, len(bodies.mass))


def is_placed_body(bodies: Bodies) -> _Mask:
    """Return which bodies (n,) contribute to a centre: of known mass and centre, or mass 0; none without columns."""
    if bodies.center is None:
        return np.zeros(len(bodies.mass), bool)
    result: _Mask = has_known_mass(bodies) & (_mask_or_all(bodies.has_center, len(bodies.mass)) | (bodies.mass == 0))
    return result


def is_complete_data(bodies: Bodies, sigmas: Sigmas | None) -> bool:
    """Return whether no value of any body is missing."""
    masks = (bodies.has_mass, bodies.has_center, bodies.has_inertia, bodies.has_products)
    return all(mask is None for mask in masks) and (sigmas is None or sigmas.known is None)


def _mask_or_all(mask: _Mask | None, n: int) -> _Mask:
    """Return a mask ``(n,)``, True everywhere where it is None."""
    return np.ones(n, bool) if mask is None else mask


def tree_coverage(inputs: RollupInputs) -> Coverage:
    """Return what is known at and below every item."""
    n, bodies, sigmas = len(inputs.tree), inputs.bodies, inputs.sigmas
    counts = inputs.quantity.count != 0
    below = LeafCounts(inputs.tree, inputs.ends, None if counts.all() else counts.astype(float))
    rows = below.count(None)
    none = np.zeros_like(rows)
    known_sigma = none if sigmas is None else rows
    if sigmas is not None and sigmas.known is not None:
        known_sigma = below.count(np.asarray(sigmas.known.all(axis=1)))
    if is_complete_data(bodies, None):
        has_columns, no = (bodies.center is not None, bodies.inertia is not None), np.zeros(n, bool)
        of_center, of_inertia = (rows if one else none for one in has_columns)
        shares = [np.full(n, float(one)) for one in has_columns]
        return Coverage(rows, rows, of_center, of_inertia, known_sigma, shares[0], shares[1], no, no)
    return _partial_coverage(below, bodies, inputs.quantity, rows, known_sigma)


def _partial_coverage(
    below: LeafCounts, bodies: Bodies, quantity: ItemQuantity, rows: _Counts, known_sigma: _Counts
) -> Coverage:
    """Return the coverage where values are missing."""
    massive, placed, n = has_known_mass(bodies), is_placed_body(bodies), len(bodies.mass)
    with_tensor: _Mask = _mask_or_all(bodies.has_inertia, n) | bodies.is_point | (bodies.mass == 0)
    solid: _Mask = np.zeros(n, bool) if bodies.inertia is None else placed & with_tensor
    of_mass, of_center, of_inertia = (below.count(mask) for mask in (massive, placed, solid))
    size = np.abs(quantity.count)
    whole = below.total(np.abs(bodies.mass) * massive, size)
    sum_placed = below.total(bodies.mass * placed, quantity.count)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [below.total(np.abs(bodies.mass) * mask, size) / whole for mask in (placed, solid)]
    adds = [~below.is_reached_negatively(~mask, bodies.mass, quantity) for mask in (massive, solid)]
    adds[1] &= bodies.inertia is not None
    bounds = (of_mass < rows) & (of_mass > 0) & adds[0], (of_inertia < rows) & adds[1] & (sum_placed > 0)
    return Coverage(rows, of_mass, of_center, of_inertia, known_sigma, shares[0], shares[1], *bounds)


class LeafCounts:
    """Counts and sums over the leaves at and below every item, without those below a stated assembly."""

    def __init__(self, tree: Tree, ends: _Mask, weight: _Floats | None) -> None:
        self.tree, self.ends, self.weight = tree, ends, weight
        covered = ends & ~tree.is_leaf()
        if covered.any():  # nothing goes up through a stated assembly from below
            parent = tree.parent
            through = np.ones(len(tree)) if weight is None else weight.copy()
            through[(parent >= 0) & covered[parent]] = 0.0
            self.weight = through

    def count(self, known: _Mask | None) -> _Counts:
        """Return the number of known (n,) leaves and stated assemblies in every branch (n,); None counts all."""
        which = self.ends if known is None else self.ends & known
        return np.rint(self.tree.subtree_sums(which.astype(float), self.weight)).astype(np.int64)

    def is_reached_negatively(self, missing: _Mask, mass: _Floats, quantity: ItemQuantity) -> _Mask:
        """Return items (n,) whose sum a missing value may decrease: above a missing leaf (n,) that is subtracted."""
        # A negative mass (n,), and an odd number of negative quantities on the path, is subtracted
        sign = np.sign(quantity.count)
        of_leaf = np.where(mass < 0, -1.0, 1.0) * missing
        result: _Mask = self.total(of_leaf, sign) < self.total(missing.astype(float), np.abs(sign))
        return result

    def total(self, values: _Floats, times: _Floats) -> _Floats:
        """Return the sums over the leaves of every branch, values (n,), any unit, × factors (n,) → (n,)."""
        weight = times * (1.0 if self.weight is None else self.weight)
        return self.tree.subtree_sums(np.where(self.ends, values, 0.0), weight)


def known_mass_part(inputs: RollupInputs) -> RollupInputs:
    """Return the inputs with known masses alone; unknown masses and their sigmas are 0."""
    bodies, sigmas = inputs.bodies, inputs.sigmas
    massive = has_known_mass(bodies)
    alone = Bodies(np.where(massive, bodies.mass, 0.0), None, None, np.zeros(len(massive), bool))
    if sigmas is None:
        return replace(inputs, bodies=alone)
    known = True if sigmas.known is None else sigmas.known[:, 0]
    return replace(inputs, bodies=alone, sigmas=Sigmas(np.where(massive & known, sigmas.mass, 0.0), None, None))


def placed_part(inputs: RollupInputs) -> RollupInputs:
    """Return the inputs from which centres and tensors are computed, without gaps."""
    bodies, sigmas, ends, n = inputs.bodies, inputs.sigmas, inputs.ends, len(inputs.tree)
    if bodies.center is None:
        return known_mass_part(inputs)
    left_out = ends & ~is_placed_body(bodies)
    located = ends & _mask_or_all(bodies.has_center, n)
    without = left_out | (ends & ~_mask_or_all(bodies.has_inertia, n))
    part = Bodies(
        np.where(left_out, 0.0, bodies.mass),
        _centers_with_neighbors(inputs.tree, bodies.center, located, ends),
        None if bodies.inertia is None else np.where(without[:, None], 0.0, bodies.inertia),
        bodies.is_point & (located | ~ends),
    )
    if sigmas is None:
        return replace(inputs, bodies=part)
    kept = ~left_out[:, None] & (np.ones((n, 10), bool) if sigmas.known is None else sigmas.known)
    of_part = Sigmas(
        np.where(kept[:, 0], sigmas.mass, 0.0),
        None if sigmas.center is None else np.where(kept[:, 1:4], sigmas.center, 0.0),
        None if sigmas.inertia is None else np.where(kept[:, 4:], sigmas.inertia, 0.0),
    )
    return replace(inputs, bodies=part, sigmas=of_part)


def _centers_with_neighbors(tree: Tree, center: _Floats, located: _Mask, ends: _Mask) -> _Floats:
    """Return centres in which ``ends (n,)`` without one have that of the previous end, so that no digit is lost."""
    if located[ends].all() or not located.any():
        return center
    at = located[tree.order]
    last = np.maximum.accumulate(np.where(at, np.arange(len(at)), int(np.argmax(at))))
    return np.where((located | ~ends)[:, None], center, center[tree.order[last][tree.position]])


def own_known_sigmas(bodies: Bodies, sigmas: Sigmas) -> _Mask:
    """Return which sigmas (n, 10) of bodies are known, or are not needed."""
    own = np.ones((len(bodies.mass), 10), bool) if sigmas.known is None else sigmas.known.copy()
    if sigmas.center is None:
        own[:, 1:4] = bodies.center is None
    if sigmas.inertia is None:
        own[:, 4:] = bodies.inertia is None
    own[bodies.is_point, 4:] = True
    if bodies.inertia is not None and bodies.has_inertia is not None:
        own[~bodies.has_inertia & ~bodies.is_point, 4:] = False
    return own


def known_sigmas(inputs: RollupInputs) -> _Mask:
    """Return known sigmas (n, 10), order mass, Cx … Cz, Ixx … Iyz; of leaves and stated assemblies as stated."""
    # of other assemblies where the leaves that contribute have all sigmas of SIGMA_NEEDS
    bodies, sigmas, ends, n = inputs.bodies, inputs.sigmas, inputs.ends, len(inputs.tree)
    assert sigmas is not None
    own = own_known_sigmas(bodies, sigmas)
    below = LeafCounts(inputs.tree, ends, (inputs.quantity.count != 0).astype(float))
    massive, placed = has_known_mass(bodies), is_placed_body(bodies)
    lacking = np.empty((n, 10), bool)
    for k in range(10):
        lacking[:, k] = below.count(placed & ~own[:, k]) > 0
    of_center = ~(lacking @ SIGMA_NEEDS.T)
    of_center[:, 0] = below.count(massive & ~own[:, 0]) == 0
    return np.where(ends[:, None], own, of_center)


def known_products(inputs: RollupInputs) -> _Mask | None:
    """Return which items (n,) have products of inertia computed from known ones; None if all have."""
    bodies, ends = inputs.bodies, inputs.ends
    if bodies.has_products is None:
        return None
    below = LeafCounts(inputs.tree, ends, (inputs.quantity.count != 0).astype(float))
    return np.where(ends, bodies.has_products, below.count(is_placed_body(bodies) & ~bodies.has_products) == 0)


def bodies_with_masks(bodies: Bodies, given: Bodies, covered: Coverage, products: _Mask | None, ends: _Mask) -> Bodies:
    """Return rolled-up bodies with masks of known values; for ``ends`` (n,), leaves and stated, those given."""
    n = len(bodies.mass)
    some = covered.known_center > 0
    center, inertia = (some & _mask_or_all(mask, n) for mask in (bodies.has_center, bodies.has_inertia))
    return replace(
        bodies,
        has_mass=_mask_or_none(np.where(ends, _mask_or_all(given.has_mass, n), covered.known_mass > 0)),
        has_center=None
        if bodies.center is None
        else _mask_or_none(np.where(ends, _mask_or_all(given.has_center, n), center)),
        has_inertia=None
        if bodies.inertia is None
        else _mask_or_none(np.where(ends, _mask_or_all(given.has_inertia, n), inertia)),
        has_products=products,
    )


def _mask_or_none(mask: _Mask) -> _Mask | None:
    """Return None for a mask that is True everywhere."""
    return None if mask.all() else mask


def with_rows(record: _Record, *parts: tuple[NDArray[np.integer], _Record]) -> _Record:
    """Return n bodies or sigmas with those of parts in some rows (k,) each; a mask that is None is True everywhere."""
    arrays: dict[str, Any] = {}
    for name in (one.name for one in fields(record)):
        own, new = getattr(record, name), [getattr(part, name) for _, part in parts]
        is_mask = name == "known" or name.startswith("has_")
        if own is None and not (is_mask and any(rows is not None for rows in new)):
            continue
        shape = (len(record.mass), 10) if name == "known" else (len(record.mass),)
        arrays[name] = np.ones(shape, bool) if own is None else own.copy()
        for (where, _), rows in zip(parts, new, strict=True):
            arrays[name][where] = (True if is_mask else np.nan) if rows is None else rows
    return replace(record, **arrays)
