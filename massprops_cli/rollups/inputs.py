"""The inputs of a roll-up as one value: tree, bodies, sigmas, quantities, stated assemblies, shared uncertainties.

Members of one group share one standard deviate per quantity: ten of them, with correlation 1 between the same quantity
of two members and 0 between different quantities (docs/formulas.md, section 6). Such groups are the eight bolts of one
drawing and everything that was weighed on one scale. Centres are shared only on request, since parts of one drawing are
placed separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.trees.tree import ItemQuantity, Tree

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

NO_GROUP = -1
"""Group number of an item whose uncertainties, and those of each of its pieces, are independent."""

NO_LOT = -1
"""Lot number of a source that belongs to one item only."""

PARAMETER_NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The ten quantities in the order of every covariance and correlation."""


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

    def factors(self) -> _Floats:
        """Return F (d, c, c) with F Fᵀ = R: coupled deviates are z = F u with independent u.

        R of docs/formulas.md, section 6; by Cholesky, by the eigenvectors where R is singular.
        """
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShapeDeviations:
    """The effects of k uncertain inputs of shapes on the values of n items."""

    items: NDArray[np.intp]  # (k,) item of each source
    vectors: _Floats  # (k, 10) of m, Cx … Cz, Ixx … Iyz about the own centre for one sigma, axes of the table
    lot: NDArray[np.intp]  # (k,) or NO_LOT; parts of a lot, and all their pieces, share the deviation of its density
    labels: Sequence[str] = ()  # names of the lots

    def picked(self, items: NDArray[np.intp]) -> ShapeDeviations:
        """Return the deviations of items (k,), now 0 … k − 1; lots keep their numbers."""
        order = np.argsort(self.items, kind="stable")
        first, last = (np.searchsorted(self.items[order], items, side) for side in ("left", "right"))
        counts = last - first
        new = np.repeat(np.arange(len(items)), counts)
        within = np.arange(len(new)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = order[np.repeat(first, counts) + within]
        return ShapeDeviations(new, self.vectors[at], self.lot[at], self.labels)

    def without(self, items: NDArray[np.intp]) -> ShapeDeviations:
        """Return the deviations without those of items (k,), whose sigmas then are independent."""
        kept = ~np.isin(self.items, items)
        return ShapeDeviations(self.items[kept], self.vectors[kept], self.lot[kept], self.labels)


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
