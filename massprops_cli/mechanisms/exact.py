"""Exact numbers: fractions and prime fields, row reduction over them, and the grouping of parameters that it gives."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms import model, prime_field
from massprops_cli.mechanisms.inertia_forms import moved_inertia, potential_form
from massprops_cli.mechanisms.motion import Configuration, MotionGenerator, body_twist

_EXPONENTS = (127, 521, 1279, 2203)
"""Exponents of Mersenne primes, the later ones for coefficients that do not fit the earlier."""
_CHECK_EXPONENT = 89
_FIRST_TERMS = 24  # of the Taylor series of the first motions
_MORE_TERMS = 8  # of the motions that check
_FURTHER_ROWS = 8  # beyond the number of parameters
_MOST_TERMS = 200  # beyond, reductions with different pivots are returned as they are
_Welds = list[tuple[int, list[list[Any]]] | None]
"""Of each body: the body to which fixed joints join it, and its parameters as parameters of that body."""
_MovingBodies = tuple[model.Mechanism, model.SpanningTree, list[int], _Welds]
"""A mechanism with its tree, one body of each group that fixed joints join, and what joins the others."""


def exact_grouping(
    mechanism: model.Mechanism, order: Sequence[int], expected: prime_field.Grouping | None = None
) -> prime_field.Grouping | None:
    """Return the base parameters with exact coefficients."""
    first, check = _agreeing_reductions(mechanism, order)
    if expected is not None and all(_confirms(expected, order, one) for one in (first, check)):
        return replace(expected, freedoms=first.freedoms)
    for exponent in _EXPONENTS:
        if exponent != first.exponent:
            first = _Reduction(first.bodies, order, exponent, first.terms)
        if (rows := _fractions(first, check)) is not None:
            return prime_field.grouping_of_rows(order, first.pivots, rows, first.freedoms)
    return None


def exact_count(mechanism: model.Mechanism) -> int:
    """Return the number of base parameters."""
    return len(_agreeing_reductions(mechanism, range(len(mechanism.parameter_names)))[0].pivots)


def _agreeing_reductions(mechanism: model.Mechanism, order: Sequence[int]) -> tuple[_Reduction, _Reduction]:
    """Return the reductions over both primes, with as many terms as they need to have the same pivots."""
    # one body of each group that fixed joints join, without that of the ground, and what joins the others
    group = model.fixed_groups(mechanism)
    moving = [body for body in range(len(mechanism.bodies)) if group[body] == body]
    welds: _Welds = []
    for body in range(len(mechanism.bodies)):
        if group[body] == model.GROUND:
            welds.append(None)
            continue
        (here, turn), (there, other) = mechanism.pose(group[body]), mechanism.pose(body)
        back = model.transposed_matrix(turn)
        offset = model.rotated_vector(back, model.vector_sum(there, here, -1))
        welds.append((group[body], moved_inertia(model.matrix_product(back, other), offset)))
    bodies, terms = (mechanism, model.spanning_tree(mechanism), moving, welds), _FIRST_TERMS
    first = _Reduction(bodies, order, _EXPONENTS[0], terms)
    while True:
        check = _Reduction(bodies, order, _CHECK_EXPONENT, terms + _MORE_TERMS)
        if check.pivots == first.pivots or terms > _MOST_TERMS:
            return first, check
        terms = terms * 3 // 2
        first = _Reduction(bodies, order, _EXPONENTS[0], terms)


def _confirms(expected: prime_field.Grouping, order: Sequence[int], found: _Reduction) -> bool:
    """Return whether reduced rows are the residues of a grouping."""
    if [order[pivot] for pivot in found.pivots] != sorted(expected.base, key=list(order).index):
        return False
    known: dict[Any, int] = {}
    for pivot, row in zip(found.pivots, found.rows, strict=True):
        terms = expected.base[order[pivot]]
        for column, value in enumerate(row):
            exact = 1 if column == pivot else terms.get(order[column], 0)
            if exact not in known:
                if exact.denominator % found.prime == 0:
                    return False
                known[exact] = prime_field.residue(exact, found.prime)
            if known[exact] != value:
                return False
    return True


class _Reduction:
    """Reduced energy rows over one prime."""

    def __init__(self, bodies: _MovingBodies, order: Sequence[int], exponent: int, terms: int) -> None:
        """Generate motions until there are more rows than parameters, and reduce them."""
        self.bodies, self.exponent, self.prime, self.terms = bodies, exponent, (1 << exponent) - 1, terms
        mechanism, tree, moving, welds = bodies
        motions = MotionGenerator(tree, exponent, random.Random(terms))
        self.freedoms = motions.degrees_of_freedom
        rows: list[list[int]] = []
        while self.freedoms and len(rows) < len(model.QUANTITIES) * len(moving) + _FURTHER_ROWS:
            rows += energy_rows(mechanism, motions.motion(terms), moving)
        rows = _all_columns(rows, moving, welds, self.prime)
        self.pivots, self.rows = prime_field.reduced_rows_modulo(
            [[row[index] for index in order] for row in rows], exponent
        )


def _fractions(found: _Reduction, check: _Reduction) -> list[list[Fraction]] | None:
    """Reconstruct the reduced rows; None if a number does not fit, or differs from that of the second prime."""
    rows = []
    known: dict[int, Fraction | None] = {}
    for row, other in zip(found.rows, check.rows, strict=True):
        exact = []
        for value, second in zip(row, other, strict=True):
            if value not in known:
                known[value] = prime_field.reconstructed_fraction(value, found.prime)
            if (fraction := known[value]) is None or prime_field.residue(fraction, check.prime) != second:
                return None
            exact.append(fraction)
        rows.append(exact)
    return rows


def _all_columns(rows: list[list[int]], moving: list[int], welds: _Welds, prime: int) -> list[list[int]]:
    """Return rows with the columns of all bodies, from those of the bodies that represent their groups."""
    width = len(model.QUANTITIES)
    if len(places := {body: width * number for number, body in enumerate(moving)}) == len(welds):
        return rows
    found: list[list[int]] = [[] for _ in rows]
    for weld in welds:
        start = 0 if weld is None else places[weld[0]]
        columns = (
            [[prime_field.residue(value, prime) for value in one] for one in zip(*weld[1], strict=True)] if weld else []
        )
        for row, wide in zip(rows, found, strict=True):
            own = row[start : start + width]
            moved = [sum(a * b for a, b in zip(own, one, strict=True) if b) % prime for one in columns]
            wide.extend(moved or [0] * width)
    return found


def energy_rows(
    mechanism: model.Mechanism, state: Configuration, bodies: Sequence[int] | None = None
) -> list[list[int]]:
    """Return a row for each coefficient of kinetic and potential energy along a motion, a column for each parameter."""
    ring = state.ring
    chosen = range(len(mechanism.bodies)) if bodies is None else bodies
    kinetic = [ring.unpack(one) for body in chosen for one in _kinetic_series(mechanism, state, body)]
    rows = [list(row) for row in zip(*kinetic, strict=True)][: ring.terms - 1]
    if any(mechanism.gravity):
        potential = [ring.unpack(one) for body in chosen for one in potential_form(mechanism, state, body)]
        rows += [list(row) for row in zip(*potential, strict=True)][1:]
    return rows


def _kinetic_series(mechanism: model.Mechanism, state: Configuration, body: int) -> list[Any]:
    """Return the kinetic energy of a unit of each parameter of a body: v·v/2, v × ω, and ω·I·ω/2 in body axes."""
    ring, twist = state.ring, body_twist(mechanism, state, body)
    w, v = twist[:3], twist[3:]
    half = ring.constant(Fraction(1, 2))
    squares = [ring.multiply(half, ring.multiply(value, value)) for value in w]
    products = [ring.multiply(w[i], w[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    mass = ring.multiply(half, ring.sum_of_products(v, v))
    moments = (squares[0], products[0], products[1], squares[1], products[2], squares[2])
    return [mass, *ring.cross(v, w), *moments]
