"""Bodies against the published test suites of gz-math, SDFormat, Drake, Pinocchio, trimesh and MuJoCo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import _is_valid_tensor, full_tensors, principal_axes, six_entries
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import placeholder_faults
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.solids import solid_faults, solids
from massprops_cli.findings.finding import UsageError

Case = dict[str, Any]
DATA = Path(__file__).parents[1] / "data" / "bodies" / "cases.json"
CASES: list[Case] = json.loads(DATA.read_text("utf-8"))["cases"]


def tolerance_of(case: Case, default: float = 1e-12) -> dict[str, float]:
    """The tolerance of a case; those that published digits need are 1e-6."""
    stated = case["tolerance"]
    return {"rel": stated.get("rel", default), "abs": stated.get("abs", 1e-14)}


def dims_of(inputs: Case) -> dict[str, Any]:
    given = inputs["dims"]
    if "size" in given:
        return dict(zip("abc", given["size"], strict=True))
    if "radii" in given:
        return dict(zip("abc", given["radii"], strict=True))
    return {"r": given["radius"]} | ({"L": given["length"]} if "length" in given else {})


def body_of(inputs: Case) -> BodyArray:
    """A solid with its mass or density, in the frame of its pose."""
    amount = {"mass": inputs["mass"]} if "mass" in inputs else {"density": inputs["density"]}
    bodies = solids(inputs["shape"], dims_of(inputs), **amount).bodies
    pose = inputs.get("pose", [0.0] * 6)
    return bodies.transformed(Poses.from_rpy(pose[:3], pose[3:], "rad"))


def primitive(case: Case) -> None:
    body, expected = body_of(case["inputs"]), case["expected"]
    near = tolerance_of(case)
    assert body.mass[0] == pytest.approx(expected["mass"], **near)
    assert body.center[0] == pytest.approx(np.array(expected["com"], float), **near)
    assert body.inertia[0, :3] == pytest.approx(np.array(expected["inertia_com_diag"]), **near)
    assert body.inertia[0, 3:].tolist() == expected["inertia_com_offdiag"]


def primitive_invalid(case: Case) -> None:
    inputs = case["inputs"]
    faults = solid_faults(inputs["shape"], dims_of(inputs), density=inputs["density"])
    assert len(faults) == 1
    with pytest.raises(UsageError, match="not positive"):
        body_of(inputs)


def shift(case: Case) -> None:
    body = body_of(case["inputs"])
    about = body.parameters(case["inputs"]["point"])[0]
    assert about[4:7] == pytest.approx(np.array(case["expected"]["inertia_about_point_diag"]), **tolerance_of(case))


def sdf_link(case: Case) -> None:
    """Solids of a link; a density of the link or of water replaces missing ones, a mass of the link scales them."""
    inputs, expected = case["inputs"], case["expected"]
    density = inputs.get("density", 1000.0)
    parts = [body_of({"density": density} | part) for part in inputs["collisions"]]
    body = BodyArray(*(np.concatenate(a) for a in zip(*((p.mass, p.center, p.inertia) for p in parts), strict=True)))
    body = body.total()
    if "mass" in inputs:
        scale = inputs["mass"] / body.mass
        body = BodyArray(body.mass * scale, body.center, body.inertia * scale)
    near = tolerance_of(case)
    assert body.mass[0] == pytest.approx(expected["mass"], **near)
    assert body.center[0] == pytest.approx(np.array(expected["com"], float), **near)
    assert body.inertia[0, :3] == pytest.approx(np.array(expected["inertia_com_diag"], float), **near)
    assert body.inertia[0, 3:] == pytest.approx(np.zeros(3), abs=1e-12)


def in_base_axes(given: Case) -> Body:
    """A body whose tensor is given in its own axes, expressed in those of the frame."""
    turn = Poses.from_rpy([0.0, 0, 0], given["rpy"], "rad")
    body = Body(given["mass"], np.zeros(3), np.array(given["inertia_com"], float)).transformed(turn)
    return body.translated(given["com"])


def sum_or_difference(case: Case) -> None:
    first, second = (in_base_axes(given) for given in case["inputs"]["bodies"])
    body = first + second if case["kind"] == "sum" else first - second
    expected = case["expected"]
    assert body.mass == pytest.approx(expected["mass"], rel=1e-15)
    assert body.center == pytest.approx(np.array(expected["com"], float), abs=1e-12)
    if "inertia_com" in expected:
        assert body.inertia == pytest.approx(np.array(expected["inertia_com"], float), abs=1e-12)
    else:
        assert body.about([0.0, 0, 0]) == pytest.approx(np.array(expected["inertia_about_origin"]), abs=1e-12)


def spatial6(case: Case) -> None:
    inputs, expected = case["inputs"], case["expected"]
    if "body" in inputs:
        body = in_base_axes(inputs["body"])
        assert body.inertia == pytest.approx(np.array(expected["inertia_com_base"]), abs=1e-12)
        matrix = body.spatial()
        assert matrix[:3, 3:] == pytest.approx(np.array(expected["top_right"]), abs=1e-12)
        assert (matrix[3:, :3] == matrix[:3, 3:].T).all()
        assert (matrix[:3, :3] == body.mass * np.eye(3)).all()
        return
    about = inputs["mass"] * np.array(inputs["unit_inertia"])
    first = inputs["mass"] * np.array(inputs["com"])
    body = Body.from_parameters([inputs["mass"], *first, *about])
    assert body.spatial()[3:, 3:] == pytest.approx(np.array(expected["inertia_about_origin"]), abs=1e-12)
    assert body.center == pytest.approx(np.array(inputs["com"]), abs=1e-15)


def validity(case: Case) -> None:
    tensor = six_entries(np.array(case["inputs"]["inertia"], float))
    expected, mass = case["expected"], case["inputs"]["mass"]
    moments = principal_axes(tensor[None]).moments[0]
    scale = np.abs(moments).max()
    assert np.abs(moments - np.array(expected["principal"])).max() <= 1e-8 * scale
    assert _is_valid_tensor(tensor) == (expected["valid"] or (mass is not None and mass < 0))
    nearest = BodyArray.of(1.0, [0.0, 0, 0], tensor).nearest_valid()
    assert (nearest.distance[0] == 0) == _is_valid_tensor(tensor)
    assert _is_valid_tensor(nearest.inertia[0])
    assert bool(placeholder_faults(BodyArray.of(1.0, [0.0, 0, 0], tensor))) == (case["name"] == "placeholder_identity")


def fixup(case: Case) -> None:
    inputs, expected = case["inputs"], case["expected"]["frobenius_nearest_diag"]
    given = np.array([*inputs["inertia_diag"], 0, 0, 0], float)
    fixed = BodyArray.of(inputs["mass"], [0.0, 0, 0], given).nearest_valid()
    assert fixed.inertia[0, :3] == pytest.approx(np.array(expected), rel=1e-14)
    assert fixed.distance[0] == pytest.approx(np.linalg.norm(given[:3] - expected), rel=1e-14)


def principal(case: Case) -> None:
    tensor = np.array(case["inputs"]["inertia"], float)
    moments = principal_axes(six_entries(tensor)[None]).moments[0]
    expected = np.array(case["expected"]["principal_sorted"])
    assert moments == pytest.approx(expected, rel=1e-8)
    factor, rank = Body(1.0, np.zeros(3), tensor).factor()
    assert rank == 3
    assert factor @ factor.T == pytest.approx(tensor, rel=1e-14, abs=1e-14 * expected.max())


def equivalent_box(case: Case) -> None:
    inputs = case["inputs"]
    sides = BodyArray.of(inputs["mass"], [0.0, 0, 0], np.array(inputs["inertia"], float)).equivalent_boxes()[0]
    assert sorted(sides) == pytest.approx(case["expected"]["size_sorted"], **tolerance_of(case))


def rotation(case: Case) -> None:
    inputs = case["inputs"]
    turn = Poses.from_rpy([0.0, 0, 0], inputs["rpy"], "rad")
    body = BodyArray.of(inputs["mass"], [0.0, 0, 0], np.diag(inputs["inertia_diag"])).transformed(turn)
    assert full_tensors(body.inertia[0]) == pytest.approx(np.array(case["expected"]["inertia"]), abs=1e-14)


def frame(case: Case) -> None:
    """The tensor about the corner of a box, in the axes of a frame."""
    inputs = case["inputs"]
    quarter = Poses.from_rpy([0.0, 0, 0], [0, 0, 90 if "+90deg" in inputs["frame"] else 0], "deg")
    body = body_of(inputs).translated(np.array(inputs["dims"]["size"]) / 2).transformed(quarter.inverse())
    about = full_tensors(body.parameters()[0, 4:])
    assert about == pytest.approx(np.array(case["expected"]["inertia"]), **tolerance_of(case))


def ten(given: Case) -> list[float]:
    names = ("Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Izx")
    return [given["m"], *given["mt"], *(given[name] for name in names)]


def transform10(case: Case) -> None:
    inputs, expected = case["inputs"], case["expected"]
    start = BodyArray.from_parameters([ten(inputs.get("inertia10") or inputs["child"])], form="KSL")
    pose = Poses.from_cosines([inputs["t"]], [inputs["R"]], 1e-12)
    body = start.transformed(pose)
    if "parent" in inputs:
        body = BodyArray.from_parameters([ten(inputs["parent"])], form="KSL").merged(start, pose)
    found = body.parameters(form="KSL")[0]
    assert found == pytest.approx(np.array(ten(expected["inertia10"])), rel=1e-12, abs=1e-14)
    if "inertia_about_origin" not in expected:
        return
    about = full_tensors(body.parameters()[0, 4:])
    assert about == pytest.approx(np.array(expected["inertia_about_origin"]), rel=1e-13)
    second = np.trace(about) / 2 * np.eye(3) - about
    pseudo = np.array(expected["pseudo_inertia"])
    assert second == pytest.approx(pseudo[:3, :3], rel=1e-12, abs=1e-13)
    pinocchio = body.parameters()[0][[0, 1, 2, 3, 4, 7, 5, 8, 9, 6]]
    assert pinocchio == pytest.approx(np.array(expected["dynamic_parameters"]), rel=1e-12, abs=1e-13)


def parametrization(case: Case) -> None:
    inputs = case["inputs"]
    body = BodyArray.of(inputs["mass"], inputs["com"], np.array(inputs["inertia_com"]))
    order = ["m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    found = dict(zip(order, body.parameters()[0], strict=True))
    m, c = inputs["mass"], np.array(inputs["com"])
    about = np.array(inputs["inertia_com"]) + m * (c @ c * np.eye(3) - np.outer(c, c))
    wanted = [m, *(m * c), about[0, 0], about[0, 1], about[1, 1], about[0, 2], about[1, 2], about[2, 2]]
    assert [found[name] for name in case["expected"]["order"]] == pytest.approx(wanted, rel=1e-15)


def rank(case: Case) -> None:
    for scale in (1.0, 1e-12, 1e12):
        body = Body(scale, np.zeros(3), scale * np.array(case["inputs"]["inertia"], float))
        assert body.factor().rank == case["expected"]["rank"]


def mesh_box_posed(case: Case) -> None:
    """The closed form of a posed box, which its mesh must reproduce."""
    inputs, expected = case["inputs"], case["expected"]
    pose = Poses.from_axis_angle(
        [inputs["translation"]], [inputs.get("axis", [0, 0, 1])], inputs.get("angle", 0), "rad"
    )
    sides = dict(zip("abc", inputs["size"], strict=True))
    body = solids("box", sides, density=inputs["density"]).bodies.transformed(pose)
    assert body.mass[0] == pytest.approx(expected["mass"], rel=1e-14)
    assert body.center[0] == pytest.approx(np.array(inputs["translation"]), rel=1e-15)
    if "inertia_com" in expected:
        assert full_tensors(body.inertia[0]) == pytest.approx(np.array(expected["inertia_com"]), rel=1e-14)
    else:
        moments = principal_axes(body.inertia).moments[0]
        assert moments == pytest.approx(np.array(expected["principal_sorted"]), rel=1e-14)


CHECKS: dict[str, Callable[[Case], None]] = {
    "primitive": primitive,
    "primitive_invalid": primitive_invalid,
    "shift": shift,
    "sdf_link": sdf_link,
    "sum": sum_or_difference,
    "difference": sum_or_difference,
    "spatial6": spatial6,
    "validity": validity,
    "fixup": fixup,
    "principal": principal,
    "equivalent_box": equivalent_box,
    "rotation": rotation,
    "frame": frame,
    "transform10": transform10,
    "parametrization": parametrization,
    "rank": rank,
    "mesh_box_posed": mesh_box_posed,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['name']}")
def test_published_case(case: Case) -> None:
    CHECKS[case["kind"]](case)


def test_all_cases_are_present() -> None:
    assert len(CASES) == 104
    assert {case["kind"] for case in CASES} == set(CHECKS)
