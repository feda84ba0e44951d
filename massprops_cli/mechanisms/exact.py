"""Base parameters by exact row reduction of energy rows over prime fields.

The result is checked with a second prime, other random motions and more terms; every closure equation, redundant ones
included, is checked along every motion.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from massprops_cli.mechanisms.energy import energy_rows
from massprops_cli.mechanisms.grouping import Grouping, grouping_of_rows
from massprops_cli.mechanisms.model import Mechanism
from massprops_cli.mechanisms.motion import MotionGenerator
from massprops_cli.mechanisms.row_reduction import reduced_rows_modulo
from massprops_cli.mechanisms.series import reconstructed_fraction, residue
from massprops_cli.mechanisms.tree import SpanningTree, spanning_tree

_EXPONENTS = (127, 521, 1279, 2203)
"""Exponents of Mersenne primes, the later ones for coefficients that do not fit the earlier."""
_CHECK_EXPONENT = 89
"""Exponent of the second prime."""
_FIRST_TERMS = 24
_MORE_TERMS = 8
_FURTHER_ROWS = 8
_MOST_TERMS = 200


def exact_grouping(mechanism: Mechanism, order: Sequence[int]) -> Grouping:
    """Return the base parameters with exact coefficients.

    Parameters
    ----------
    mechanism : Mechanism
        Without errors: connected, closed exactly at its pose.
    order : sequence of int
        All parameters, those to keep first.

    Returns
    -------
    Grouping
        Kept parameters, coefficients, degrees of freedom.

    Raises
    ------
    SingularPoseError
        The pose is singular.
    """
    tree = spanning_tree(mechanism)
    terms = _FIRST_TERMS
    first = _Reduction(mechanism, tree, order, _EXPONENTS[0], terms)
    while True:
        check = _Reduction(mechanism, tree, order, _CHECK_EXPONENT, terms + _MORE_TERMS)
        if check.pivots == first.pivots or terms > _MOST_TERMS:
            break
        terms = terms * 3 // 2
        first = _Reduction(mechanism, tree, order, _EXPONENTS[0], terms)
    for exponent in _EXPONENTS:
        if exponent != first.exponent:
            first = _Reduction(mechanism, tree, order, exponent, terms)
        rows = _fractions(first, check)
        if rows is not None:
            return grouping_of_rows(order, first.pivots, rows, first.freedoms)
    raise OverflowError("coefficients of the base parameters have more than 300 digits")


class _Reduction:
    """Reduced energy rows over one prime."""

    def __init__(
        self, mechanism: Mechanism, tree: SpanningTree, order: Sequence[int], exponent: int, terms: int
    ) -> None:
        """Generate motions until there are more rows than parameters, and reduce them."""
        self.exponent, self.prime = exponent, (1 << exponent) - 1
        motions = MotionGenerator(tree, exponent, random.Random(terms))
        self.freedoms = motions.degrees_of_freedom
        rows: list[list[int]] = []
        while self.freedoms and len(rows) < len(order) + _FURTHER_ROWS:
            rows += energy_rows(mechanism, motions.motion(terms))
        self.pivots, self.rows = reduced_rows_modulo([[row[index] for index in order] for row in rows], exponent)


def _fractions(found: _Reduction, check: _Reduction) -> list[list[Fraction]] | None:
    """Reconstruct the reduced rows; None if a number does not fit, or differs from that of the second prime."""
    rows = []
    known: dict[int, Fraction | None] = {}
    for row, other in zip(found.rows, check.rows, strict=True):
        exact = []
        for value, second in zip(row, other, strict=True):
            if value not in known:
                known[value] = reconstructed_fraction(value, found.prime)
            fraction = known[value]
            if fraction is None or residue(fraction, check.prime) != second:
                return None
            exact.append(fraction)
        rows.append(exact)
    return rows
