"""Mechanisms with fewer parameters: equal energies and accelerations, files that are read again."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from massprops_cli import ArticulatedBodies, Mechanism, SpatialModel, base_parameters, read_mechanism
from massprops_cli.findings.finding import TableError, UsageError
from massprops_cli.mechanisms.exact import energy_rows
from massprops_cli.mechanisms.inertia_forms import body_parameters
from massprops_cli.mechanisms.mechanism_document import mechanism_document, reduced_mechanism
from massprops_cli.mechanisms.model import spanning_tree
from massprops_cli.mechanisms.motion import MotionGenerator
from massprops_cli.mechanisms.prime_field import residue
from massprops_cli.robots.inertial_resolution import urdf_with_inertials
from tests.unit.mechanism_examples import CHAINS, SUSPENSION, mdh_chain, planar_linkage, random_chain


def with_masses(document: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    """A mechanism whose bodies have masses, centres and positive definite inertia."""
    chance = random.Random(seed)
    bodies = []
    for body in document["bodies"]:
        mass, center = Fraction(chance.randint(1, 50), 7), [Fraction(chance.randint(-9, 9), 10) for _ in range(3)]
        inertia = [Fraction(chance.randint(20, 30), 9) for _ in range(3)]
        inertia += [Fraction(chance.randint(-4, 4), 9) for _ in range(3)]
        bodies.append(body | {"mass": str(mass), "c": list(map(str, center)), "I": list(map(str, inertia))})
    return document | {"bodies": bodies}


def mechanism_of(document: dict[str, Any]) -> Mechanism:
    """Read a document as a file."""
    return read_mechanism(json.dumps(document).encode())


def parameters_of(mechanism: Mechanism) -> list[Fraction]:
    """The parameters of all bodies, one after another."""
    return [Fraction(value) for body in mechanism.bodies for value in body_parameters(body)]


def non_zero(mechanism: Mechanism) -> int:
    """The number of parameters that are not 0."""
    return sum(value != 0 for value in parameters_of(mechanism))


CHAIN_KINDS = [
    ("R", "R", "R"),
    ("free", "R", "P"),
    ("R", "U", "P", "S"),
    ("C", "planar", "helical"),
    ("R", "fixed", "R"),
]


@pytest.mark.parametrize("kinds", CHAIN_KINDS, ids="-".join)
def test_reduced_chain_has_the_same_accelerations(kinds: tuple[str, ...]) -> None:
    mechanism = mechanism_of(with_masses(random_chain(kinds, 5)))
    found = base_parameters(mechanism)
    reduced = reduced_mechanism(found)
    # a body whose first moments remain keeps its mass
    assert non_zero(reduced) <= len(found.grouping.base) + len(mechanism.bodies) < non_zero(mechanism)
    again = mechanism_of(mechanism_document(reduced))
    assert again.bodies == reduced.bodies
    models = [SpatialModel.from_mechanism(one) for one in (mechanism, again)]
    generator = np.random.default_rng(3)
    for _ in range(4):
        q, rate, force = (generator.normal(size=models[0].degrees) for _ in range(3))
        one, other = (ArticulatedBodies.of(model.at(q)).forward_dynamics(rate, force) for model in models)
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-10 * np.abs(one).max())


@pytest.mark.parametrize(
    "document",
    [
        SUSPENSION,
        SUSPENSION | {"gravity": ["0", "0", "0"]},
        planar_linkage([["0", "0"], ["1/10", "3/10"], ["6/10", "3/10"], ["5/10", "0"]]),
    ],
    ids=["suspension", "without gravity", "parallelogram"],
)
def test_energies_of_reduced_loops_are_equal_in_exact_arithmetic(document: dict[str, Any]) -> None:
    mechanism = mechanism_of(with_masses(document))
    found = base_parameters(mechanism)
    reduced = reduced_mechanism(found)
    assert non_zero(reduced) < non_zero(mechanism)
    old, new = (parameters_of(one) for one in (mechanism, reduced))
    exponent = 521  # neither the prime of the reduction nor that of its check
    prime = (1 << exponent) - 1
    change = [residue(b - a, prime) for a, b in zip(old, new, strict=True)]
    motions = MotionGenerator(spanning_tree(mechanism), exponent, random.Random(77))
    for _ in range(2):
        rows = energy_rows(mechanism, motions.motion(20))
        assert all(sum(a * b for a, b in zip(row, change, strict=True)) % prime == 0 for row in rows)
        assert any(sum(a * residue(b, prime) for a, b in zip(row, old, strict=True)) % prime for row in rows)


def test_slider_crank_has_the_same_energy_by_its_closed_form() -> None:
    """Crank r about A, rod l to a slider on the x axis: energies from the angles, for the old and the new bodies."""
    document = with_masses(planar_linkage([["0", "0"], ["0", "0.3"], ["0.4", "0"]], slider=True))
    mechanism = mechanism_of(document)
    reduced = reduced_mechanism(base_parameters(mechanism))
    r, length = 0.3, 0.5

    def energies(one: Mechanism, angle: float, rate: float) -> tuple[float, float]:
        lean = math.asin(-r * math.sin(angle) / length)
        lean_rate = -r * math.cos(angle) * rate / (length * math.cos(lean))
        slide = -r * math.sin(angle) * rate - length * math.sin(lean) * lean_rate
        # frames are parallel to the ground at the pose: crank at 90°, rod at atan2(-3, 4)
        states = [
            (0.0, 0.0, angle - math.pi / 2, rate),
            (-r * math.sin(angle) * rate, r * math.cos(angle) * rate, lean - math.atan2(-3, 4), lean_rate),
            (slide, 0.0, 0.0, 0.0),
        ]
        heights = [0.0, r * math.sin(angle), 0.0]
        kinetic = potential = 0.0
        for body, (vx, vy, turn, spin), height in zip(one.bodies, states, heights, strict=True):
            m, izz = float(body.mass), float(body.inertia[2])
            x, y = float(body.center[0]), float(body.center[1])
            cx, cy = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
            kinetic += (m * ((vx - spin * cy) ** 2 + (vy + spin * cx) ** 2) + izz * spin**2) / 2
            potential += m * 9.81 * (height + cy)
        return kinetic, potential

    constants = []
    for angle, rate in ((1.2, 0.7), (0.4, -1.1), (2.9, 2.0), (-1.0, 0.3)):
        old, new = (energies(one, angle, rate) for one in (mechanism, reduced))
        assert new[0] == pytest.approx(old[0], rel=1e-12)
        constants.append(new[1] - old[1])
    assert max(constants) - min(constants) < 1e-12 * max(map(abs, constants), default=0) + 1e-12
    assert non_zero(reduced) < non_zero(mechanism)


def test_reduction_needs_masses_and_exact_coefficients() -> None:
    chain = mdh_chain(CHAINS["robots"]["planar2r_vertical"]["mdh"], ["0", "-9.81", "0"])
    with pytest.raises(TableError) as caught:
        reduced_mechanism(base_parameters(mechanism_of(chain)))
    assert "MP823" in [finding.rule for finding in caught.value.findings]
    with pytest.raises(UsageError, match="exact"):
        reduced_mechanism(base_parameters(mechanism_of(with_masses(chain)), "complex"))


def test_masses_that_cancel_are_reported() -> None:
    """A free body of mass 0 with first moments has no centre of mass; the second has the negative mass of the first."""
    chain = with_masses(random_chain(("free", "fixed"), 2))
    chain["bodies"][0]["mass"], chain["bodies"][1]["mass"] = "2", "-2"
    with pytest.raises(TableError) as caught:
        reduced_mechanism(base_parameters(mechanism_of(chain)))
    assert "no centre of mass" in caught.value.findings[-1].message


ARM = b"""<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
    <inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial><visual/></link>
  <link name="fore"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="2" izz="3" ixy="0.5" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="b" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.5 0 0" rpy="0.4 0 0"/></joint>
  <joint name="c" type="prismatic"><parent link="fore"/><child link="tip"/><origin xyz="0.3 0 0" rpy="0 0.7 0"/></joint>
</robot>
"""


def test_robot_keeps_its_bytes_but_for_the_inertials() -> None:
    mechanism = read_mechanism(ARM)
    reduced = reduced_mechanism(base_parameters(mechanism))
    written = urdf_with_inertials("-", ARM, reduced)
    assert written.count(b"<inertial>") == 3 - (reduced.bodies[2].mass is None)
    assert b'<link name="base"/>' in written
    assert b"<visual/></link>" in written
    models = [SpatialModel.read(data) for data in (ARM, written)]
    generator = np.random.default_rng(3)
    q, rate, force = (generator.normal(size=3) for _ in range(3))
    one, other = (model.at(q).inverse_dynamics(rate, force) for model in models)
    np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-12)
