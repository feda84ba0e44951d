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
    """Shared uncertainties of n items.

    All pieces of a member share their uncertainty, so n pieces contribute n², not n, to a variance.

    Attributes
    ----------
    group : array of int, shape (n,)
        Group of each item, or ``NO_GROUP``; read for leaves and stated assemblies.
    labels : sequence of str
        Names of the groups.
    shares_centers : bool
        Whether uncertainties of centres are shared too.
    coupled : array of int, shape (c,)
        Groups that are correlated with each other.
    matrix : array, shape (d, c, c), dimensionless
        Their correlations, each different matrix once; symmetric, positive semi-definite, 1 on the diagonal.
    matrix_of : tuple of int
        Number in ``matrix`` for each of mass, Cx … Cz, Ixx … Iyz; by default ten matrices in this order.
    """

    group: _Index
    labels: Sequence[str] = ()
    shares_centers: bool = False
    coupled: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    matrix: _Floats = field(default_factory=lambda: np.zeros((10, 0, 0)))
    matrix_of: tuple[int, ...] = tuple(range(10))
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
        """Return F with F Fᵀ = R: the coupled deviates are z = F u with independent u.

        Returns
        -------
        array, shape (d, c, c), dimensionless
            One factor for each matrix.

        Notes
        -----
        R of docs/formulas.md, section 6. By Cholesky; by the eigenvectors where R is singular.
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
        """Return the correlation of some items.

        Parameters
        ----------
        items : array of int, shape (k,)
            Item numbers.

        Returns
        -------
        Correlation
            Items 0 … k − 1 in this order; groups keep their numbers.
        """
        return replace(self, group=self.group[items])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Placement:
    """Where the numbers of n items come from.

    Attributes
    ----------
    rotation : array, shape (n, 3, 3), dimensionless
        Axes in which the row of each item is given; column k is axis k in the axes of the table.
    bodies : Bodies
        n bodies in the frames of their rows.
    sigmas : Sigmas or None
        Their sigmas, independent along the axes of the rows; 0 where unknown.
    origin : array, shape (n, 3), length
        Origins of the frames of the items, in the frame of the table.
    covariance : array, shape (n, 6, 6), or None
        Covariance of the shift and the small rotation of each frame, axes of the table: length², length × rad, rad².
    """

    rotation: _Floats
    bodies: Bodies
    sigmas: Sigmas | None
    origin: _Floats
    covariance: _Floats | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShapeDeviations:
    """The effects of k uncertain inputs of shapes on the values of n items.

    Attributes
    ----------
    items : array of int, shape (k,)
        Item of each source.
    vectors : array, shape (k, 10), mass, length, mass × length²
        Deviations of (m, Cx … Cz, Ixx … Iyz about the own centre) for one sigma of the source, axes of the table.
    lot : array of int, shape (k,)
        Lot whose density the source is, or ``NO_LOT``. All parts of a lot, and all their pieces, share its deviation.
    labels : sequence of str
        Names of the lots.
    """

    items: NDArray[np.intp]
    vectors: _Floats
    lot: NDArray[np.intp]
    labels: Sequence[str] = ()

    def picked(self, items: NDArray[np.intp]) -> ShapeDeviations:
        """Return the deviations of some items.

        Parameters
        ----------
        items : array of int, shape (k,)
            Item numbers.

        Returns
        -------
        ShapeDeviations
            Items 0 … k − 1 in this order; lots keep their numbers.
        """
        order = np.argsort(self.items, kind="stable")
        first, last = (np.searchsorted(self.items[order], items, side) for side in ("left", "right"))
        counts = last - first
        new = np.repeat(np.arange(len(items)), counts)
        within = np.arange(len(new)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = order[np.repeat(first, counts) + within]
        return ShapeDeviations(new, self.vectors[at], self.lot[at], self.labels)

    def without(self, items: NDArray[np.intp]) -> ShapeDeviations:
        """Return the deviations without those of some items, whose sigmas then are independent.

        Parameters
        ----------
        items : array of int
            Item numbers.

        Returns
        -------
        ShapeDeviations
            The other sources.
        """
        kept = ~np.isin(self.items, items)
        return ShapeDeviations(self.items[kept], self.vectors[kept], self.lot[kept], self.labels)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RollupInputs:
    """The inputs of a roll-up of n items; ``of`` supplies the defaults.

    Attributes
    ----------
    tree : Tree
        n items.
    bodies : Bodies
        n bodies; those of assemblies are not read, except where ``stated``.
    sigmas : Sigmas or None
        n rows, likewise.
    quantity : ItemQuantity
        Quantity of each item in its parent.
    stated : array of bool, shape (n,), or None
        True where an assembly's own values go up.
    correlation : Correlation
        Shared uncertainties.
    deviations : ShapeDeviations or None
        Joint deviations of the values of shapes, which their sigmas include; None without shapes.
    placement : Placement or None
        Poses that turn the sigmas, and that are uncertain; None for a table without poses.
    """

    tree: Tree
    bodies: Bodies
    sigmas: Sigmas | None
    quantity: ItemQuantity
    stated: _Mask | None
    correlation: Correlation
    deviations: ShapeDeviations | None = None
    placement: Placement | None = None
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
        """Return the inputs; default: one piece of every item, no stated assemblies, independent uncertainties.

        Parameters
        ----------
        tree : Tree
            n items.
        bodies : Bodies
            n bodies.
        sigmas : Sigmas, optional
            Sigmas of the n bodies.
        quantity : ItemQuantity, optional
            Quantity of each item in its parent.
        stated : array of bool, shape (n,), optional
            True where an assembly's own values go up.
        correlation : Correlation, optional
            Shared uncertainties.

        Returns
        -------
        RollupInputs
            The inputs.
        """
        n = len(tree)
        return cls(
            tree, bodies, sigmas, quantity or ItemQuantity.one_each(n), stated, correlation or Correlation.none(n)
        )

    @property
    def ends(self) -> _Mask:
        """Which items go up with their own numbers ``(n,)``: leaves and stated assemblies."""
        leaf = self.tree.is_leaf()
        return leaf if self.stated is None else leaf | self.stated
