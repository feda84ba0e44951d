"""Energy rows: the coefficients of kinetic and potential energy by all inertial parameters along random motions.

A combination of parameters is without effect exactly if its kinetic energy vanishes and its potential energy is constant
on the constraint manifold; both energies are linear in the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from massprops_cli.mechanisms.model import Mechanism, Vector, transposed_matrix
from massprops_cli.mechanisms.motion import Configuration
from massprops_cli.mechanisms.series import SeriesRing


def energy_rows(mechanism: Mechanism, state: Configuration) -> list[list[int]]:
    """Return one row for each coefficient of kinetic and of potential energy, one column for each parameter.

    Parameters
    ----------
    mechanism : Mechanism
        Bodies and gravity.
    state : Configuration
        One motion; its last term is lost to the derivative.

    Returns
    -------
    list of list of int
        Residues; the constant of the potential energy is left out.
    """
    ring = state.ring
    kinetic: list[list[int]] = []
    potential: list[list[int]] = []
    for body in range(len(mechanism.bodies)):
        kinetic += [ring.unpack(one) for one in _kinetic_series(mechanism, state, body)]
        potential += [ring.unpack(one) for one in _potential_series(mechanism, state, body)]
    last = ring.terms - 1
    rows = [list(row) for row in zip(*kinetic, strict=True)][:last]
    if any(mechanism.gravity):
        rows += [list(row) for row in zip(*potential, strict=True)][1:]
    return rows


def _kinetic_series(mechanism: Mechanism, state: Configuration, body: int) -> list[Any]:
    """Return the kinetic energy of a unit of each parameter of a body: v·v/2, v × ω, and ω·I·ω/2 in body axes."""
    ring = state.ring
    columns = list(zip(*state.rotations[body], strict=True))
    rates = [[ring.derivative(value) for value in column] for column in columns]
    spin = [ring.sum_of_products(columns[(k + 2) % 3], rates[(k + 1) % 3]) for k in range(3)]
    velocity = [ring.derivative(value) for value in state.positions[body]]
    turned = [ring.sum_of_products(column, velocity) for column in columns]
    w = _in_body_axes(mechanism, body, spin, ring)
    v = _in_body_axes(mechanism, body, turned, ring)
    half = ring.constant(_inverse_of_two(ring))
    squares = [ring.multiply(half, ring.multiply(value, value)) for value in w]
    products = [ring.multiply(w[i], w[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    mass = ring.multiply(half, ring.sum_of_products(v, v))
    moments = (squares[0], products[0], products[1], squares[1], products[2], squares[2])
    return [mass, *ring.cross(v, w), *moments]


def _potential_series(mechanism: Mechanism, state: Configuration, body: int) -> list[Any]:
    """Return the potential energy of a unit of each parameter of a body: −g·p, and −g in body axes."""
    ring = state.ring
    pull = [ring.constant(-value) for value in mechanism.gravity]
    mass = ring.sum_of_products(pull, state.positions[body])
    turned = [ring.sum_of_products(column, pull) for column in zip(*state.rotations[body], strict=True)]
    return [mass, *_in_body_axes(mechanism, body, turned, ring), *[ring.zero] * 6]


def _in_body_axes(mechanism: Mechanism, body: int, vector: Sequence[Any], ring: SeriesRing) -> list[Any]:
    """Turn a vector from internal axes, which are parallel to the ground at the pose, to the axes of the body."""
    rotation: tuple[Vector, ...] = transposed_matrix(mechanism.bodies[body].rotation)
    return [ring.sum_of_products([ring.constant(value) for value in row], vector) for row in rotation]


def _inverse_of_two(ring: SeriesRing) -> int:
    """Return 1/2 modulo the prime."""
    return (ring.prime + 1) // 2
