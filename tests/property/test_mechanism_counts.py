"""Random mechanisms whose number of base parameters is known by construction."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from massprops_cli import base_parameters, read_mechanism
from massprops_cli.mechanisms.base_inertia import _elimination_order
from massprops_cli.mechanisms.exact import exact_grouping
from massprops_cli.mechanisms.structural import open_chain_grouping, restricted_bodies, structural_grouping
from tests.examples import first
from tests.unit.mechanism_examples import random_chain, strings

OWN = {"R": 7, "P": 4, "S": 9, "U": 9, "C": 9, "helical": 9, "planar": 9, "fixed": 0}
"""Joint type → ten parameters less those that pass through the joint: what moves alike in both bodies of it.

R: the mass, the first moment and the second moment along the axis. P: six second moments. S, U: a mass. C, helical,
planar: the second moment along the axis or normal.
"""


@pytest.mark.parametrize("seed", first(range(10), 3))
def test_chain_on_a_free_body_has_the_parameters_of_its_joints(seed: int) -> None:
    chance = random.Random(seed)
    kinds = [chance.choice(list(OWN)) for _ in range(chance.randint(1, 4))]
    mechanism = read_mechanism(json.dumps(random_chain(["free", *kinds], seed)).encode())
    found = base_parameters(mechanism)
    assert len(found.grouping.base) == 10 + sum(OWN[kind] for kind in kinds)
    assert found.is_certified


@pytest.mark.parametrize("seed", first(range(6), 3))
def test_three_methods_agree_on_random_chains_of_all_joint_types(seed: int) -> None:
    chance = random.Random(100 + seed)
    kinds = [chance.choice(["R", "P", "C", "U", "S", "planar", "helical"]) for _ in range(3)]
    mechanism = read_mechanism(json.dumps(random_chain(kinds, seed, (0, 0, -1))).encode())
    order = _elimination_order(mechanism, ())
    exact = exact_grouping(mechanism, order)
    assert open_chain_grouping(mechanism, order).base == exact.base
    # the rules of transfer and of restricted bodies are an upper bound
    assert len(structural_grouping(mechanism, order, restricted_bodies(mechanism)).base) >= len(exact.base)
    if "helical" not in kinds:
        assert list(base_parameters(mechanism, "complex").grouping.base) == list(exact.base)


def planar_dyads(seed: int) -> tuple[dict[str, Any], int]:
    """A crank and dyads of two bars at random points, each pinned to the ground or to a bar; and the number of pins.

    Every dyad adds two bars and three pins, and leaves one degree of freedom.
    """
    chance = random.Random(seed)

    def point() -> list[Fraction]:
        return [*(Fraction(chance.randint(-99, 99), 10) for _ in range(2)), Fraction(0)]

    pins = [(0, 1)]
    for _ in range(chance.randint(1, 3)):
        first = max(max(pin) for pin in pins) + 1
        one = chance.randint(1, first - 1)
        other = chance.choice([body for body in range(first) if body != one])
        pins += [(one, first), (first, first + 1), (other, first + 1)]
    joints = []
    for number, (i, j) in enumerate(pins):
        spot = strings(point())
        joints.append({"name": f"J{number}", "type": "R", "i": i, "j": j, "pi": spot, "pj": spot, "ai": [0, 0, 1]})
    bodies = [{"id": number} for number in range(1, max(max(pin) for pin in pins) + 1)]
    return {"gravity": ["3", "-9", "0"], "bodies": bodies, "joints": joints}, len(pins)


@pytest.mark.parametrize("seed", first(range(8), 3))
def test_planar_linkage_of_bars_has_four_a_bar_less_one_a_pin(seed: int) -> None:
    """A bar in a plane has mass, two first moments and Izz; each pin passes one mass, that of the ground away."""
    document, pins = planar_dyads(seed)
    found = base_parameters(read_mechanism(json.dumps(document).encode()))
    assert found.grouping.freedoms == 1
    assert len(found.grouping.base) == 4 * len(document["bodies"]) - pins
    assert found.is_certified
