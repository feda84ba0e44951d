"""Links of a robot against their geometry and against each other: closed forms, mirror images, and faults put in."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Finding
from massprops_cli.robots.robot_checks import _half_extents, _left_right_pairs, _shape_values
from massprops_cli.robots.robot_model import CollisionShape

RULES = ("MP880", "MP881", "MP882", "MP883", "MP884")
TENSOR = np.array([[0.021, 0.001, 0.002], [0.001, 0.022, 0.003], [0.002, 0.003, 0.006]])
CENTER = np.array([0.01, 0.02, -0.2])


def link(name: str, mass: float, center: Sequence[float], tensor: np.ndarray, more: str = "") -> str:
    xyz = " ".join(map(repr, map(float, center)))
    entries = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{float(tensor[i][j])!r}"' for i in range(3) for j in range(i, 3))
    inertial = f'<inertial><origin xyz="{xyz}"/><mass value="{mass!r}"/><inertia {entries}/></inertial>'
    return f'<link name="{name}">{inertial}{more}</link>'


def found(tmp_path: Path, *links: str, **options: Any) -> list[Finding]:
    """The findings of a robot whose links are all fixed to its trunk; link k is in line k + 1."""
    names = [text.split('"')[1] for text in links]
    joints = [f'<joint name="{n}_joint" type="fixed"><parent link="trunk"/><child link="{n}"/></joint>' for n in names]
    trunk = link("trunk", 5, (0, 0, 0), np.diag([0.03, 0.04, 0.05]))
    path = tmp_path / "robot.urdf"
    path.write_text("\n".join([f'<robot name="walker">{trunk}', *links, *joints, "</robot>"]))
    return [one for one in mp.read_bom(path, **options).findings if one.rule in RULES]


def rules(findings: Sequence[Finding]) -> list[str]:
    return [one.rule for one in findings]


@pytest.mark.parametrize("axis", range(3))
def test_mirror_images_have_no_finding(axis: int, tmp_path: Path) -> None:
    mirror = np.diag([-1.0 if k == axis else 1.0 for k in range(3)])
    right = link("right_leg", 2, mirror @ CENTER, mirror @ TENSOR @ mirror)
    assert found(tmp_path, link("left_leg", 2, CENTER, TENSOR), right) == []


def test_mirror_images_in_turned_frames_have_no_finding(tmp_path: Path) -> None:
    turn, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))
    right = link("right_leg", 2, turn @ CENTER, turn @ TENSOR @ turn.T)
    assert found(tmp_path, link("left_leg", 2, CENTER, TENSOR), right) == []


@pytest.mark.parametrize(
    ("products", "words"),
    [
        ((1, 1, 1), "Ixy and Iyz of right_leg have"),  # copied
        ((1, 1, -1), "Ixy of right_leg has"),
        ((-1, -1, -1), "Ixz of right_leg has"),
    ],
)
def test_products_of_a_mirror_image_change_sign_with_its_axis(
    products: tuple[int, int, int], words: str, tmp_path: Path
) -> None:
    """The mirror of y keeps Ixz and changes Ixy and Iyz."""
    xy, xz, yz = products
    signs = np.array([[1, xy, xz], [xy, 1, yz], [xz, yz, 1]])
    right = link("right_leg", 2, CENTER * [1, -1, 1], TENSOR * signs)
    (finding,) = found(tmp_path, link("left_leg", 2, CENTER, TENSOR), right)
    assert (finding.rule, finding.place.line) == ("MP881", 2)
    assert finding.message == f"{words} the wrong sign for a mirror image of left_leg"
    assert [place.line for place in finding.related] == [3]


@pytest.mark.parametrize(
    ("mass", "center", "scale", "words"),
    [
        (2.2, 1.0, 1.0, "masses of left_leg and right_leg differ by 9.1%"),
        (2.0, 1.3, 1.0, "centres of mass of left_leg and right_leg are not mirrored"),
        (2.0, 1.0, 1.2, "inertia tensors of left_leg and right_leg differ"),
        (2.0, 1.0, 1.02, ""),
        (2.01, 1.0, 1.0, ""),
    ],
)
def test_left_and_right_differ(mass: float, center: float, scale: float, words: str, tmp_path: Path) -> None:
    mirror = np.diag([1.0, -1.0, 1.0])
    right = link("right_leg", mass, mirror @ CENTER * center, mirror @ TENSOR @ mirror * scale)
    findings = found(tmp_path, link("left_leg", 2, CENTER, TENSOR), right)
    assert rules(findings) == ["MP880"] * bool(words)
    assert all(words in one.message for one in findings)


def test_mass_of_no_material_is_not_compared_with_the_other_side(tmp_path: Path) -> None:
    left, right = (link(f"{side}_leg", mass, (0, 0, -0.2), ROD, BOX) for side, mass in (("l", 2), ("r", 2000)))
    assert rules(found(tmp_path, left, right)) == ["MP883"]


def test_one_side_without_mass(tmp_path: Path) -> None:
    findings = found(tmp_path, link("l_leg", 2, CENTER, TENSOR), '<link name="r_leg"/>')
    assert [(one.rule, one.place.line, one.message) for one in findings] == [
        ("MP880", 3, "r_leg has no mass, but l_leg has 2 kg")
    ]


def test_names_of_sides() -> None:
    names = ["leg_left_1", "leg_right_1", "HR_knee", "HL_knee", "armL", "arm_L_2", "arm_R_2", "lh_foot", "rh_foot"]
    names += ["LHipYaw", "RHipYaw", "lamp", "ramp", "LeftEye", "RightEye", "lever", "rever", "Lid", "Rid", "left"]
    assert list(_left_right_pairs(names)) == [
        ("leg_left_1", "leg_right_1"), ("HL_knee", "HR_knee"), ("arm_L_2", "arm_R_2"), ("lh_foot", "rh_foot"),
        ("LHipYaw", "RHipYaw"), ("LeftEye", "RightEye"),
    ]  # fmt: skip


def collision(shape: str, origin: str = 'xyz="0 0 0"') -> str:
    return f"<collision><origin {origin}/><geometry>{shape}</geometry></collision>"


BOX = collision('<box size="0.1 0.1 0.4"/>', 'xyz="0 0 -0.2"')
"""4 litres."""
ROD = np.diag([0.03, 0.03, 0.004])


@pytest.mark.parametrize(
    ("z", "remedy"),
    [(-0.2, None), (-0.44, None), (0.03, None), (0.2, "wrong sign"), (-0.45, ""), (200.0, "millimetres")],
)
def test_center_outside_its_box(z: float, remedy: str | None, tmp_path: Path) -> None:
    """The box is from -0.4 to 0 m, its diagonal √0.18 = 0.424 m: the margin is 0.042 m."""
    findings = found(tmp_path, link("leg", 2, (0, 0, z), ROD, BOX))
    assert rules(findings) == ([] if remedy is None else ["MP882"])
    assert all(one.place.line == 2 and (remedy or "") in one.remedy for one in findings)


@pytest.mark.parametrize(
    ("mass", "rule", "remedy"),
    [(0.039, "MP883", ""), (0.041, None, ""), (99.0, None, ""), (101.0, "MP883", ""), (2000.0, "MP883", "grams")],
)
def test_density_of_no_material(mass: float, rule: str | None, remedy: str, tmp_path: Path) -> None:
    """4 litres at 10 and 25,000 kg/m³ are 0.04 and 100 kg."""
    findings = found(tmp_path, link("leg", mass, (0, 0, -0.2), ROD * mass / 2, BOX))
    assert rules(findings) == ([rule] if rule else [])
    assert all(remedy in one.remedy for one in findings)


def test_overlapping_shapes_are_in_one_box(tmp_path: Path) -> None:
    ball = collision('<sphere radius="0.2"/>', 'xyz="0 0 0.3"')
    assert found(tmp_path, link("leg", 2, (0, 0, 0.45), ROD, BOX + ball)) == []


@pytest.mark.parametrize(("scale", "unit"), [(1.0, None), (1e6, "kg·mm²"), (1e9, "g·mm²")])
def test_tensor_in_another_unit(scale: float, unit: str | None, tmp_path: Path) -> None:
    findings = found(tmp_path, link("leg", 2, (0, 0, -0.2), ROD * scale, BOX))
    assert rules(findings) == ([] if unit is None else ["MP884"])
    assert all(f"in {unit}:" in one.remedy for one in findings)


@pytest.mark.parametrize(
    "shape",
    [
        '<box size="1 1"/>', '<box size="1 1 -1"/>', '<box size="a b c"/>', '<cylinder radius="1"/>', "<cone/>",
        '<box size="1 1 nan"/>', '<mesh filename="package://leg/leg.stl"/>', '<mesh scale="1 1" filename="x"/>',
        '<box size="1 1 1"/><sphere radius="1"/>',
    ],
)  # fmt: skip
def test_geometry_with_faults_is_not_compared(shape: str, tmp_path: Path) -> None:
    assert found(tmp_path, link("leg", 2, (0, 0, 90), ROD, collision(shape))) == []


def test_extents_and_volumes_of_shapes() -> None:
    """A cylinder of radius 3 and length 8 turned by 45°: √½ (8/2 + 3) on both axes; its capsule √½ 4 + 3."""
    root = 0.5**0.5
    turned = np.array([[1, 0, 0], [0, root, -root], [0, root, root]])
    cylinder, capsule = (CollisionShape(kind, (3.0, 8.0), (0, 0, 0), (0, 0, 0)) for kind in ("cylinder", "capsule"))
    np.testing.assert_allclose(_half_extents(cylinder, turned), [3, 7 * root, 7 * root], rtol=1e-15)
    np.testing.assert_allclose(_half_extents(capsule, turned), [3, 4 * root + 3, 4 * root + 3], rtol=1e-15)
    assert _shape_values(cylinder, "density", 1.0)[0] == pytest.approx(72 * np.pi)
    assert _shape_values(capsule, "density", 1.0)[0] == pytest.approx(72 * np.pi + 36 * np.pi)
    box = CollisionShape("box", (2.0, 4.0, 6.0), (0, 0, 0), (0, 0, 0))
    np.testing.assert_allclose(_half_extents(box, turned), [1, 5 * root, 5 * root], rtol=1e-15)
    assert _shape_values(box, "density", 1.0)[0] == pytest.approx(48)


def test_boxes_of_meshes_in_given_folders(tmp_path: Path) -> None:
    """One triangle from 0 to (0.1, 0.1, -0.4), scaled by 2: the centre at z = -1 is outside -0.8 to 0."""
    triangle = struct.pack("<12fH", *[0.0] * 6, 0.1, 0.1, 0.0, 0.0, 0.1, -0.4, 0)
    folder = tmp_path / "robots" / "leg"
    folder.mkdir(parents=True)
    (folder / "leg.stl").write_bytes(b" " * 80 + struct.pack("<I", 1) + triangle)
    mesh = collision('<mesh filename="package://leg/leg.stl" scale="2 2 2"/>')
    text = link("leg", 2, (0.1, 0.1, -1), ROD, mesh)
    assert found(tmp_path, text) == []
    assert found(tmp_path, text.replace("leg/leg.stl", "../../leg/leg.stl"), mesh_roots=str(tmp_path / "robots")) == []
    (finding,) = found(tmp_path, text, mesh_roots=str(tmp_path / "robots"))
    assert finding.rule == "MP882"
    assert "z = -1 m is not in -0.8 to 0 m" in finding.message


def test_hints_are_for_a_robot_and_lines_are_those_of_the_file(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    found(tmp_path, link("leg", 2, (0, 0, 0.2), ROD, BOX), link("zero", 0.0, (0, 0, 0), ROD * 0))
    path = str(tmp_path / "robot.urdf")
    shown = massprops("validate", path, "--format", "json").stdout
    hints = {one["rule"]: one["remedy"] for one in json.loads(shown)["findings"]}
    assert hints["MP402"] == "state the mass of the link, or delete its inertial"
    assert "wrong sign" in hints["MP882"]
    github = massprops("validate", path, "--format", "github").stdout
    assert f"::warning file={path},line=2" in github
    sarif = json.loads(massprops("validate", path, "--format", "sarif").stdout)
    regions = {
        one["ruleId"]: one["locations"][0]["physicalLocation"]["region"]["startLine"]
        for one in sarif["runs"][0]["results"]
    }
    assert (regions["MP882"], regions["MP402"]) == (2, 3)
    assert massprops("validate", path).exit_code == 0


def test_moving_joint_without_mass_is_one_finding(tmp_path: Path) -> None:
    zero = link("hand", 0.0, (0, 0, 0), ROD * 0)
    joint = '<joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/></joint>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{link("arm", 1, (0, 0, 0), ROD)}{zero}{joint}</robot>')
    assert [one.rule for one in mp.read_bom(path).findings] == ["MP864"]


def test_one_number_in_all_entries_is_a_placeholder(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{link("arm", 1, (0, 0, 0), np.full((3, 3), 1e-6))}</robot>')
    findings = [one for one in mp.read_bom(path).findings if one.rule == "MP713"]
    assert ["all six entries of the tensor are 1e-06" in one.message for one in findings] == [True]


@pytest.mark.parametrize("mass", ["1e308", "1e-308"])
@pytest.mark.filterwarnings("error")
def test_extreme_numbers_give_no_warnings_of_numpy(mass: str, tmp_path: Path) -> None:
    inertial = f'<inertial><mass value="{mass}"/><inertia ixx="0.2" iyy="0.3" izz="0.4"/></inertial>'
    boxes = [collision(f'<box size="{size} {size} {size}"/>') for size in ("1e-200", "1e200")]
    names = ("left_a", "right_a")
    links = [f'<link name="{name}">{inertial}{box}</link>' for name, box in zip(names, boxes, strict=True)]
    assert set(rules(found(tmp_path, *links))) <= {"MP880", "MP883", "MP882"}


@pytest.mark.parametrize("mass", ["", '<mass value="-2"/>'])
def test_missing_and_negative_masses_have_one_finding(mass: str, tmp_path: Path) -> None:
    entries = '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/>'
    left = f'<link name="left_a"><inertial>{mass}{entries}</inertial></link>'
    assert found(tmp_path, left, link("right_a", 2, (0, 0, 0), ROD)) == []


def test_sides_of_long_names_of_one_letter_are_not_searched() -> None:
    assert list(_left_right_pairs(["l_" * 99 + "a", "r_" + "l_" * 98 + "a"])) != []
    assert list(_left_right_pairs(["l_" * 100 + "a", "r_" + "l_" * 99 + "a"])) == []
