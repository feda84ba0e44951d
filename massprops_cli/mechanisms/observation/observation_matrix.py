"""The observation matrix W: rows of the inverse dynamics, one for each sample and independent coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.mechanisms.inertia_forms import energy_form, twist_bracket
from massprops_cli.mechanisms.model import Mechanism, transposed_matrix
from massprops_cli.mechanisms.motion import Configuration
from massprops_cli.mechanisms.observation.loop_motion import LoopMotion, stacked_array
from massprops_cli.mechanisms.observation.real_numbers import RealNumbers


def inertia_columns(mechanism: Mechanism, motion: LoopMotion, unit: float) -> NDArray[Any]:
    """Return the generalized forces (samples, independent, parameters) of unit parameters of the bodies."""
    numbers = motion.numbers
    count = motion.samples
    with numbers.precision():
        state = motion.state
        gravity = [numbers.constant(one) / unit for one in mechanism.gravity]
        blocks = []
        for body in range(len(mechanism.bodies)):
            velocity, acceleration = _body_motion(mechanism, state, body, gravity, numbers)
            rows = []
            for twist in motion.partial_twists(body):
                own = _in_body(mechanism, state, body, twist, numbers)
                # P·(I A) − (V × P)·(I V), linear in the inertia I, with the twist V, the acceleration A less gravity,
                # and the twist P of a unit rate of the coordinate
                first = energy_form(own, acceleration)
                second = energy_form(twist_bracket(velocity, own), velocity)
                rows.append(stacked_array([a - b for a, b in zip(first, second, strict=True)], count))
            blocks.append(np.stack(rows, axis=1) if rows else np.zeros((count, 0, 10)))
        return numbers.midpoints(np.concatenate(blocks, axis=2))


def _body_motion(
    mechanism: Mechanism, state: Configuration, body: int, gravity: list[Any], numbers: RealNumbers
) -> tuple[list[Any], list[Any]]:
    """Return the twist of a body, and its acceleration less gravity, in body axes at the origin of its frame."""
    columns = list(zip(*state.rotations[body], strict=True))
    rates = [[_derivative(value) for value in column] for column in columns]
    spin = [numbers.sum_of_products(columns[(k + 2) % 3], rates[(k + 1) % 3]) for k in range(3)]
    velocity = [_derivative(value) for value in state.positions[body]]
    turned = [numbers.sum_of_products(column, velocity) for column in columns]
    pull = [numbers.sum_of_products(column, gravity) for column in columns]
    rows = [[numbers.constant(v) for v in row] for row in transposed_matrix(mechanism.bodies[body].rotation)]
    parts = [[numbers.sum_of_products(row, one) for row in rows] for one in (spin, turned, pull)]
    twist = [_term(one, 0) for one in (*parts[0], *parts[1])]
    acceleration = [_term(one, 1) for one in (*parts[0], *parts[1])]
    for k in range(3):
        acceleration[3 + k] = acceleration[3 + k] - _term(parts[2][k], 0)
    return twist, acceleration


def _in_body(
    mechanism: Mechanism, state: Configuration, body: int, twist: list[Any], numbers: RealNumbers
) -> list[Any]:
    """Turn a twist from ground axes to the axes of a body."""
    columns = [[_term(value, 0) for value in column] for column in zip(*state.rotations[body], strict=True)]
    rows = [[numbers.constant(v) for v in row] for row in transposed_matrix(mechanism.bodies[body].rotation)]
    found = []
    for part in (twist[:3], twist[3:]):
        turned = [numbers.sum_of_products(column, part) for column in columns]
        found += [numbers.sum_of_products(row, turned) for row in rows]
    return found


def _derivative(value: Any) -> Any:
    """Return the derivative of a Taylor series; that of a constant is 0."""
    return value.derivative() if hasattr(value, "derivative") else 0


def _term(value: Any, order: int) -> Any:
    """Return a coefficient of a Taylor series; those of a constant are the constant and 0."""
    if hasattr(value, "terms"):
        return value.terms[order]
    return value if order == 0 else 0
