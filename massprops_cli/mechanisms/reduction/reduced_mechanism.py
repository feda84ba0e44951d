"""The mechanism with fewer non-zero parameters and the same dynamics.

Eliminated parameters are 0 and the kept ones have the values of the base parameters. A body whose first moments remain
keeps its mass, so that it has a centre of mass; a mass of any value is allowed for, since the others compensate it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Findings, Place, TableError, UsageError
from massprops_cli.mechanisms.exact import energy_rows
from massprops_cli.mechanisms.inertia_forms import body_parameters, product_parameters
from massprops_cli.mechanisms.model import QUANTITIES, Mechanism, MechanismBody
from massprops_cli.mechanisms.motion import MotionGenerator
from massprops_cli.mechanisms.series import residue
from massprops_cli.mechanisms.tree import spanning_tree

if TYPE_CHECKING:
    from massprops_cli.mechanisms.base_inertia import BaseParameters

_WIDTH = len(QUANTITIES)
_CHECK_EXPONENT = 107
"""A prime that the reduction itself does not use."""
_CHECK_TERMS = 32  # of the Taylor series of the motion that checks; also its random seed


def _mechanism_parameters(mechanism: Mechanism) -> list[Fraction]:
    """Return the values of all parameters; a body without a mass has 0."""
    return [Fraction(value) for body in mechanism.bodies for value in body_parameters(body)]


def reduced_mechanism(found: BaseParameters, findings: Findings | None = None) -> Mechanism:
    """Return the mechanism with as few non-zero parameters as its base parameters permit, and the same dynamics.

    Parameters
    ----------
    found : BaseParameters
        Base parameters with exact coefficients.
    findings : Findings, optional
        Receives warnings and notes.

    Returns
    -------
    Mechanism
        With other masses, centres and inertia, which need not be those of a solid: a moment may be negative.

    Raises
    ------
    UsageError
        The coefficients are not exact.
    TableError
        No body states a mass.

    Notes
    -----
    Along a random motion over a further prime, the kinetic energies are checked to be equal, and the potential energies
    up to a constant.

    Examples
    --------
    >>> from massprops_cli import base_parameters, read_mechanism
    >>> pendulum = b'''{"gravity": [0, "-10", 0], "bodies": [{"id": 1, "mass": 3, "c": [2, 0, 0],
    ...   "I": [1, 2, 4, 0, 0, 0]}],
    ...   "joints": [{"type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}]}'''
    >>> body = reduced_mechanism(base_parameters(read_mechanism(pendulum))).bodies[0]
    >>> body.mass, body.center, [str(value) for value in body.inertia]
    (Fraction(3, 1), (Fraction(2, 1), Fraction(0, 1), Fraction(0, 1)), ['0', '-12', '4', '0', '0', '0'])
    """
    if found.method not in ("exact", "structural") or found.mechanism.is_approximate:
        raise UsageError(f"a reduced mechanism needs exact coefficients; use --method exact, not {found.method}")
    mechanism, collected = found.mechanism, Findings() if findings is None else findings
    if all(body.mass is None for body in mechanism.bodies):
        collected.report(
            "MP823", "bodies state no mass, so that there is nothing to reduce", Place(mechanism.name or "-")
        )
        raise TableError(collected)
    values = _mechanism_parameters(mechanism)
    retained: dict[int, Fraction] = {}
    reduced = _reduced_values(found, values, retained)
    while further := _bodies_without_center(reduced, retained):
        retained |= {_WIDTH * body: values[_WIDTH * body] or Fraction(1) for body in further}
        reduced = _reduced_values(found, values, retained)
    _check_energies(mechanism, [new - old for new, old in zip(reduced, values, strict=True)])
    bodies = [
        _body(body, reduced[_WIDTH * number : _WIDTH * (number + 1)], collected)
        for number, body in enumerate(mechanism.bodies)
    ]
    if collected.has_errors:
        raise TableError(collected)
    return replace(mechanism, bodies=tuple(bodies))


def _reduced_values(found: BaseParameters, values: list[Fraction], retained: Mapping[int, Fraction]) -> list[Fraction]:
    """Return the parameters where eliminated ones are 0, or have the value that they retain."""
    reduced = [Fraction(0)] * len(values)
    for index, value in retained.items():
        reduced[index] = value
    for head, terms in found.grouping.base.items():
        reduced[head] = values[head] + sum(
            (Fraction(factor) * (values[index] - reduced[index]) for index, factor in terms.items()), Fraction(0)
        )
    return reduced


def _bodies_without_center(reduced: list[Fraction], retained: Mapping[int, Fraction]) -> list[int]:
    """Return the bodies that have first moments and no mass."""
    return [
        index // _WIDTH
        for index in range(0, len(reduced), _WIDTH)
        if not reduced[index] and index not in retained and any(reduced[index + 1 : index + 4])
    ]


def _body(body: MechanismBody, parameters: Sequence[Fraction], findings: Findings) -> MechanismBody:
    """Return a body with other parameters, as mass, centre of mass and inertia about it."""
    mass, *moments, xx, xy, xz, yy, yz, zz = parameters
    if not mass and any(moments):
        message = f"body {body.name} has first moments and no mass, so that it has no centre of mass"
        findings.report("MP823", message, item=body.name)
        return body
    x, y, z = (value / mass if mass else Fraction(0) for value in moments)
    point = product_parameters((x, y, z, Fraction(1)), (x, y, z, Fraction(1)))
    own = [value - mass * share for value, share in zip((xx, xy, xz, yy, yz, zz), point[4:], strict=True)]
    return replace(body, mass=mass, center=(x, y, z), inertia=(own[0], own[3], own[5], own[1], own[2], own[4]))


def _check_energies(mechanism: Mechanism, changes: Sequence[Fraction]) -> None:
    """Check that changes of the parameters leave the energies along a random motion as they are."""
    motions = MotionGenerator(spanning_tree(mechanism), _CHECK_EXPONENT, random.Random(_CHECK_TERMS))
    prime = (1 << _CHECK_EXPONENT) - 1
    weights = [residue(value, prime) for value in changes]
    for row in energy_rows(mechanism, motions.motion(_CHECK_TERMS)) if motions.degrees_of_freedom else ():
        if sum(value * weight for value, weight in zip(row, weights, strict=True)) % prime:
            raise ArithmeticError("the reduced mechanism has other energies")
