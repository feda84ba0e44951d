"""Mechanisms whose pose is approximate: assembled to 300 digits, with the same base parameters as at an exact pose."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from massprops_cli import BaseParameters, Mechanism, RobotReading, base_parameters, read_mechanism, reduced_mechanism
from massprops_cli.findings.finding import TableError, UsageError
from massprops_cli.mechanisms import assembled_motion
from massprops_cli.mechanisms.assembled_motion import (
    _middle_fraction,
    _precise_number,
    _precise_numbers,
    _PreciseSeries,
)
from tests.examples import first
from tests.unit.mechanism_examples import SUSPENSION, SUSPENSION_EXPECTED, planar_linkage

FOUR_BAR = planar_linkage([["0", "0"], ["1/10", "3/10"], ["6/10", "5/10"], ["7/10", "0"]])
PARALLELOGRAM = planar_linkage([["0", "0"], ["1/10", "3/10"], ["6/10", "3/10"], ["5/10", "0"]])


def shifted(document: dict[str, Any], size: Fraction) -> dict[str, Any]:
    """A mechanism whose bodies are moved and turned a little from the exact pose."""
    bodies = []
    for number, body in enumerate(document["bodies"]):
        w, x, y, z = (Fraction(value) for value in body.get("q", (1, 0, 0, 0)))
        place = [Fraction(value) + size * (number % 3 - 1) for value in body.get("p", (0, 0, 0))]
        bodies.append(body | {"p": list(map(str, place)), "q": [str(w), str(x), str(y), str(z + size / 2)]})
    # a joint whose second axis follows from the pose has both axes stated at the exact pose
    exact = read_mechanism(json.dumps(document).encode())
    joints = [
        one | {"ai": [str(v) for v in joint.axes[0]], "aj": [str(v) for v in joint.axes[1]]}
        for one, joint in zip(document["joints"], exact.joints, strict=True)
    ]
    return document | {"bodies": bodies, "joints": joints}


def approximate(document: dict[str, Any]) -> Mechanism:
    """Read a document whose pose is approximate."""
    return read_mechanism(json.dumps(document).encode(), reading=RobotReading(assemble=True))


@cache
def moved_base_parameters() -> BaseParameters:
    """Base parameters of the four-bar from a pose that is moved a little."""
    return base_parameters(approximate(shifted(FOUR_BAR, Fraction(1, 300))))


@pytest.mark.parametrize("document", first([FOUR_BAR, PARALLELOGRAM], 1), ids=["four-bar", "parallelogram"])
def test_approximate_pose_gives_the_exact_fractions(document: dict[str, Any]) -> None:
    exact = base_parameters(read_mechanism(json.dumps(document).encode()))
    is_cached = document is FOUR_BAR
    found = moved_base_parameters() if is_cached else base_parameters(approximate(shifted(document, Fraction(1, 300))))
    assert found.mechanism.is_approximate
    assert found.combinations() == exact.combinations()
    assert found.grouping.freedoms == exact.grouping.freedoms
    assert not found.is_certified
    assert "MP825" in [finding.rule for finding in found.findings]


@pytest.mark.slow
def test_approximate_suspension_has_every_published_coefficient() -> None:
    document = json.loads(json.dumps(SUSPENSION))
    for number, body in enumerate(document["bodies"]):
        body["p"] = [str(Fraction(value) + Fraction(number, 3000)) for value in body.get("p", (0, 0, 0))]
    found = base_parameters(approximate(document), eliminate=SUSPENSION_EXPECTED["eliminated"])
    assert found.combinations() == {
        row["head"]: {name: Fraction(value) for name, value in row["exact"].items()}
        for row in SUSPENSION_EXPECTED["base"]
    }
    assert found.grouping.freedoms == 2


def test_without_the_fast_integers_decimals_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    document = shifted(FOUR_BAR, Fraction(1, 500))
    expected = base_parameters(approximate(document)).combinations()
    monkeypatch.setitem(sys.modules, "flint", None)
    monkeypatch.setattr(assembled_motion, "_TERMS", (8, 12))  # decimals take four times as long with all terms
    found = base_parameters(approximate(document))
    assert found.combinations() == expected
    assert [finding.rule for finding in found.findings] == ["MP812", "MP825"]


def test_an_exact_pose_remains_exact() -> None:
    found = base_parameters(approximate(FOUR_BAR))
    assert not found.mechanism.is_approximate
    assert found.is_certified


def test_lengths_that_do_not_meet_are_reported_with_the_joint() -> None:
    document = json.loads(json.dumps(FOUR_BAR))
    document["joints"][3]["pi"] = ["5", "0", "0"]
    with pytest.raises(TableError) as caught:
        base_parameters(approximate(document))
    finding = next(one for one in caught.value.findings if one.rule == "MP824")
    assert finding.item in ("A", "B", "C", "D")
    assert "remains open by" in finding.message


def test_approximate_pose_needs_the_method_exact_and_has_no_reduced_mechanism() -> None:
    found = moved_base_parameters()
    with pytest.raises(UsageError, match="exact"):
        base_parameters(found.mechanism, "structural")
    with pytest.raises(UsageError, match="exact"):
        reduced_mechanism(found)


@pytest.mark.parametrize("is_fast", [True, False])
def test_series_of_300_digits(is_fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """1/(1 - t/3) has the coefficients 3^-k; its derivative those of 1/3 over the square."""
    if not is_fast:
        monkeypatch.setitem(sys.modules, "flint", None)
    with _precise_numbers():
        ring = _PreciseSeries(6)
        series = ring.pack([_precise_number(1), _precise_number(Fraction(-1, 3))])
        inverse = ring.inverse(series)
        for power, value in enumerate(ring.unpack(inverse)):
            assert abs(_middle_fraction(value) - Fraction(1, 3**power)) < Fraction(1, 10**300)
        third = ring.constant(Fraction(1, 3))
        left, right = ring.derivative(inverse), ring.multiply(third, ring.multiply(inverse, inverse))
        for one, other in list(zip(ring.unpack(left), ring.unpack(right), strict=True))[:5]:
            assert abs(_middle_fraction(one) - _middle_fraction(other)) < Fraction(1, 10**300)
