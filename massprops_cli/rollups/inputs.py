"""The inputs of a roll-up as one value: tree, bodies, sigmas, quantities, stated assemblies, shared uncertainties.

Members of one group share one standard deviate per quantity: ten of them, with correlation 1 between the same quantity
of two members and 0 between different quantities (formulas.md, section 6). Such groups are the eight bolts of one
drawing and everything that was weighed on one scale. Centres are shared only on request, since parts of one drawing are
placed separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, Sigmas
from massprops_cli.trees import ItemQuantity, Tree

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

NO_GROUP = -1
"""The group number of an item whose errors, and those of each of its pieces, are its own."""

PARAMETER_NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The ten quantities in the order of every covariance and correlation."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlation:
    """Which of n items share their errors.

    ``group (n,)`` is the number of an item's group, ``NO_GROUP`` for errors of its own; it is read for items whose own
    numbers go up (leaves, stated assemblies). All pieces of a member share, so n pieces of it weigh n², not n, in a
    variance. ``labels[g]`` names group g. ``shares_centers`` is true if uncertainties of centres are shared too.

    ``coupled (c,)`` are groups whose shared deviates are correlated with each other, and ``matrix (10, c, c)`` those
    correlations, one matrix for each of the ten quantities in the order mass, Cx … Cz, Ixx … Iyz; each is symmetric,
    positive semi-definite and 1 on its diagonal.

    >>> two_bolts = Correlation(np.array([NO_GROUP, 0, 0], np.int32), ["bolt"])
    >>> two_bolts.is_none, Correlation.none(3).is_none
    (False, True)
    """

    group: _Index
    labels: Sequence[str] = ()
    shares_centers: bool = False
    coupled: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    matrix: _Floats = field(default_factory=lambda: np.zeros((10, 0, 0)))

    @classmethod
    def none(cls, n: int) -> Correlation:
        """Every item's errors, and every piece's, are its own."""
        return cls(np.full(n, NO_GROUP, np.int32))

    @property
    def is_none(self) -> bool:
        """Whether no errors are shared."""
        return not bool((self.group != NO_GROUP).any())

    def factors(self) -> _Floats:
        """Return F ``(10, c, c)`` with F Fᵀ = R: the coupled deviates are z = F u with independent u.

        By the eigenvectors of R, so that it may be singular.

        >>> one = Correlation(np.zeros(0, np.int32), coupled=np.arange(2), matrix=np.ones((1, 2, 2)))
        >>> (one.factors() @ one.factors().transpose(0, 2, 1)).round(12).tolist()
        [[[1.0, 1.0], [1.0, 1.0]]]
        """
        values, vectors = np.linalg.eigh(self.matrix)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])

    def picked(self, items: NDArray[np.intp]) -> Correlation:
        """Return the correlation of some items, renumbered 0 … len(items) − 1; groups keep their numbers."""
        return Correlation(self.group[items], self.labels, self.shares_centers, self.coupled, self.matrix)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RollupInputs:
    """What a roll-up is computed from; ``of`` fills in what is left out.

    ``bodies`` and ``sigmas`` have a row for every item of ``tree``. Those of assemblies are not read, except where
    ``stated (n,)``: there the item's own numbers go up. ``quantity`` is how often each parent counts a child, and
    ``correlation`` whose errors are shared.
    """

    tree: Tree
    bodies: Bodies
    sigmas: Sigmas | None
    quantity: ItemQuantity
    stated: _Mask | None
    correlation: Correlation

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
        """Return the inputs with one piece of every item, no stated assemblies and no shared uncertainties by default.

        >>> tree = Tree.from_parents([-1, 0, 0])
        >>> two = Bodies(np.array([0.0, 1.0, 3.0]), None, None, np.zeros(3, bool))
        >>> RollupInputs.of(tree, two, stated=np.array([False, True, False])).ends.tolist()
        [False, True, True]
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
