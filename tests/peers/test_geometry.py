"""Bodies against published test suites: sums, moved and rotated tensors, validity, principal moments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import (
    Bodies,
    _is_valid_tensor,
    full_tensors,
    principal_axes,
    six_entries,
    tensor_faults,
)
from massprops_cli.bodies.body import Body
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree

Case = dict[str, Any]


@pytest.fixture(scope="module")
def cases(reference: Path) -> dict[str, list[Case]]:
    by_kind: dict[str, list[Case]] = {}
    for case in json.loads((reference / "geometry" / "cases.json").read_text())["cases"]:
        by_kind.setdefault(case["kind"], []).append(case)
    return by_kind


def turn(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return np.asarray(rz @ ry @ rx)


def in_base_axes(given: Case) -> Body:
    """A body whose tensor is given in its own axes, expressed in the frame's."""
    body = Body(given["mass"], np.zeros(3), np.array(given["inertia_com"], float)).rotated(turn(*given["rpy"]))
    return Body(given["mass"], np.array(given["com"], float), body.inertia)


def combined(bodies: list[Body], count: list[float]) -> Body:
    """Roll bodies up as the children of one root."""
    n = len(bodies) + 1
    mass = np.array([0.0, *(b.mass for b in bodies)])
    center, inertia = np.zeros((n, 3)), np.zeros((n, 6))
    for i, body in enumerate(bodies, start=1):
        assert body.center is not None
        assert body.inertia is not None
        center[i], inertia[i] = body.center, six_entries(body.inertia)
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, *[0] * (n - 1)]),
            Bodies(mass, center, inertia, np.zeros(n, bool)),
            quantity=ItemQuantity(np.array([1.0, *count]), np.zeros(n, bool)),
        ),
        method="none",
    )
    return Body.of(rolled.bodies, 0)


@pytest.mark.parametrize("kind", ["sum", "difference"])
def test_sums_and_differences(cases: dict[str, list[Case]], kind: str) -> None:
    for case in cases[kind]:
        bodies = [in_base_axes(b) for b in case["inputs"]["bodies"]]
        body = combined(bodies, [1.0, 1.0 if kind == "sum" else -1.0])
        expected, tolerance = case["expected"], 1e-12
        assert body.mass == pytest.approx(expected["mass"], rel=tolerance)
        assert body.center == pytest.approx(np.array(expected["com"]), abs=tolerance)
        if "inertia_com" in expected:
            assert body.inertia == pytest.approx(np.array(expected["inertia_com"]), abs=tolerance), case["name"]
        else:
            about_origin = np.array(expected["inertia_about_origin"])
            assert body.about([0.0, 0.0, 0.0]) == pytest.approx(about_origin, abs=tolerance), case["name"]


def ten(given: Case) -> Body:
    """A body from ten numbers: mass, first moment, tensor about the centre."""
    entries = [given[k] for k in ("Ixx", "Iyy", "Izz", "Ixy", "Izx", "Iyz")]
    return Body(given["m"], np.array(given["mt"]) / given["m"], full_tensors(np.array(entries)))


def moved(body: Body, rotation: np.ndarray, step: list[float]) -> Body:
    turned = body.rotated(rotation)
    assert turned.center is not None
    return Body(body.mass, turned.center + np.array(step), turned.inertia)


def test_ten_parameters_turned_moved_and_merged(cases: dict[str, list[Case]]) -> None:
    for case in cases["transform10"]:
        inputs, expected = case["inputs"], case["expected"]
        start = inputs.get("inertia10") or inputs["child"]
        body = moved(ten(start), np.array(inputs["R"]), inputs["t"])
        if "parent" in inputs:
            body = combined([ten(inputs["parent"]), body], [1.0, 1.0])
        wanted = ten(expected["inertia10"])
        assert body.mass == pytest.approx(wanted.mass, rel=1e-13)
        assert body.center == pytest.approx(wanted.center, rel=1e-13)
        assert body.inertia == pytest.approx(wanted.inertia, rel=1e-12, abs=1e-13)
        if "inertia_about_origin" in expected:
            about_origin = np.array(expected["inertia_about_origin"])
            assert body.about([0.0, 0.0, 0.0]) == pytest.approx(about_origin, rel=1e-13)


def test_rotations(cases: dict[str, list[Case]]) -> None:
    for case in cases["rotation"]:
        inputs = case["inputs"]
        body = Body(inputs["mass"], np.zeros(3), np.diag(inputs["inertia_diag"])).rotated(turn(*inputs["rpy"]))
        assert body.inertia == pytest.approx(np.array(case["expected"]["inertia"]), abs=1e-14), case["name"]


def test_validity(cases: dict[str, list[Case]]) -> None:
    for case in cases["validity"]:
        tensor = six_entries(np.array(case["inputs"]["inertia"], float))
        expected = case["expected"]
        if (case["inputs"]["mass"] or 0) < 0:  # the sign of the mass is another rule's business
            continue
        rules = {j.rule for j in tensor_faults(tensor[None], lambda row: np.zeros(6))}
        wanted = set() if expected["valid"] else {"MP404" if expected["positive_semidefinite"] else "MP403"}
        assert rules == wanted, case["name"]
        assert _is_valid_tensor(tensor) == expected["valid"], case["name"]


def test_principal_moments(cases: dict[str, list[Case]]) -> None:
    for case in cases["validity"] + cases["principal"]:
        tensor = np.array(case["inputs"]["inertia"], float)
        expected = np.array(case["expected"].get("principal", case["expected"].get("principal_sorted")))
        moments, axes = principal_axes(six_entries(tensor)[None])
        scale = max(np.abs(expected).max(), 1e-300)
        # some of the published figures have seven digits
        assert np.abs(moments[0] - expected).max() / scale < 1e-8, case["name"]
        assert np.abs(axes[0] @ tensor @ axes[0].T - np.diag(moments[0])).max() / scale < 1e-14, case["name"]
        assert np.linalg.det(axes[0]) == pytest.approx(1.0, abs=1e-12), case["name"]
