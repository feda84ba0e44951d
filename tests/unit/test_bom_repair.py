"""Repair of invalid tensors in tables, against a numeric search; tensors that were not determined; shapes as bounds."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.bodies.bodies import _is_valid_tensor, full_tensors
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.solid_shapes import enclosing_size
from massprops_cli.cli.app import app

HEAD = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],\
Ixz [kg*m^2],Iyz [kg*m^2],POIconv,remark\n"


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_only_cells_of_invalid_tensors_change(tmp_path: Path):
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    source.write_text(HEAD + 'T,,,,,,,,,,,,-,\nA,T,55,1,0,0,7.0000,15.0000,23.0000,0,0,0,-,"a, b"\n'
                      "B,T,2,1.50,0,0,1.0,1.0,2.000,0,0,0,-,plate\n"
                      "C,T,2,3,0,0,2.00000,2.00000,1.00000,0.50000,0,0,+,\n")  # fmt: skip
    result = run("convert", "--fix", source, "-o", out, "--format", "concise")
    assert result.exit_code == 1, result.output  # 2 % away: a guess
    old, new = source.read_text().splitlines(), out.read_text().splitlines()
    assert [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [2]
    cells = new[2].split(",")
    # δ = 23 − 7 − 15 = 1: each moment moves by 1/3, the distance is 1/√3
    assert [float(x) for x in cells[6:9]] == pytest.approx([7 + 1 / 3, 15 + 1 / 3, 23 - 1 / 3], rel=1e-14)
    assert cells[9:12] == ["0", "0", "0"]
    assert "distance 577350" in result.output
    assert not {"MP403", "MP404"} & {f.rule for f in mp.validate(str(out))}


def test_repair_keeps_the_sign_convention_and_the_reference_point(tmp_path: Path):
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    R = mp.Poses.from_rpy([[0, 0, 0]], [[0, 0, 20]], "deg").rotation[0]
    own = R @ np.diag([7.0, 15, 23]) @ R.T
    c = np.array([1.0, 2, 3])
    I = own + 55 * (c @ c * np.eye(3) - np.outer(c, c))  # noqa: E741 # the tensor
    numbers = [I[0, 0], I[1, 1], I[2, 2], -I[0, 1], -I[0, 2], -I[1, 2]]
    head = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\n"
    source.write_text(f"{head}A,T,55,1,2,3,{','.join(map(repr, map(float, numbers)))},+\n")
    assert run("convert", "--fix", source, "--inertia-about", "origin", "-o", out).exit_code == 1
    fixed = mp.rollup(mp.read_bom(out, inertia_about="origin"))["A"].inertia
    expected = R @ np.diag([22 / 3, 46 / 3, 68 / 3]) @ R.T
    assert fixed == pytest.approx(expected, abs=1e-11)


def test_nearest_tensor_against_a_numeric_search():
    """Descent over all second moments B Bᵀ: no valid tensor with other axes or moments is nearer."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(8, 3, 3))
    six = (A + A.swapaxes(1, 2))[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    found = BodyArray.of(np.ones(8), np.zeros((8, 3)), six).nearest_valid()
    # every valid tensor is tr(S) 1 − S with S = B Bᵀ: descend over B from several starts
    B, target = rng.normal(size=(4, 8, 3, 3)), full_tensors(six)

    def gap(B):
        S = B @ B.swapaxes(-1, -2)
        return np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S - target

    for _ in range(4000):
        off = gap(B)
        B = B - 0.04 * (np.trace(off, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - off) @ B
    best = np.linalg.norm(gap(B), axis=(-2, -1)).min(axis=0)
    assert (found.distance <= best + 1e-9).all()
    assert found.distance == pytest.approx(best, rel=1e-3, abs=1e-3)
    assert all(map(_is_valid_tensor, found.inertia))


def findings_of(rows: str, unit: str = "kg*m^2") -> list[mp.Finding]:
    text = HEAD.replace("kg*m^2", unit) + "T,,,,,,,,,,,,-,\n" + rows
    return [f for f in mp.read_bom(io.StringIO(text), format="csv").findings if f.rule.startswith("MP71")]


def test_defaults_are_found_in_the_unit_of_the_cells():
    row = "A,T,5,1,0,0,1,1,1,0,0,0,-,\n"
    for unit in ("kg*m^2", "kg*mm^2", "lb*in^2"):
        (found,) = findings_of(row, unit)
        assert (found.rule, found.item) == ("MP713", "A")
        assert "identity" in found.message
    assert not findings_of("A,T,5,1,0,0,1.5,1.5,1.5,0,0,0,-,\n")
    assert not findings_of("A,T,5,1,0,0,1,1,1,0.1,0,0,-,\n")


def test_repeated_tensors_need_three_masses():
    rows = [f"{name},T,{mass},1,0,0,2,3,4,0,0,0,-,\n" for name, mass in zip("ABC", (1, 2, 3), strict=True)]
    (found,) = findings_of("".join(rows))
    assert (found.rule, found.item) == ("MP714", "A")
    assert "A, B, C" in found.message
    assert not findings_of("".join(rows[:2]))
    assert not findings_of("".join(row.replace(",2,1,0", ",1,1,0").replace(",3,1,0", ",1,1,0") for row in rows))


@pytest.mark.parametrize(
    ("shape", "dims", "size"),
    [
        ("cylinder", {"r": 1.0, "L": 3.0}, (2, 2, 3)),
        ("box", {"a": 1.0, "b": 2.0, "c": 3.0}, (1, 2, 3)),
        ("pyramid", {"a": 1.0, "b": 2.0, "L": 3.0}, (1, 2, 3)),
        ("spherical cap", {"r": 5.0, "h": 2.0}, (8, 8, 2)),
        ("spherical cap", {"r": 5.0, "h": 7.0}, (10, 10, 7)),
        ("torus", {"R": 4.0, "r": 1.0}, (10, 10, 2)),
        ("disc", {"r": 4.0, "t": 0.5}, (8.5, 8.5, 0.5)),
        ("frustum", {"r1": 1.0, "r2": 2.0, "L": 5.0}, (4, 4, 5)),
    ],
)
def test_enclosing_boxes(shape, dims, size):
    assert enclosing_size(shape, dims) == pytest.approx(size, rel=1e-15)


def test_every_shape_is_within_its_own_bounds():
    dims = {
        "a": 1.0,
        "b": 1.5,
        "c": 2.0,
        "r": 1.0,
        "L": 3.0,
        "ri": 0.5,
        "r1": 1.0,
        "r2": 0.5,
        "R": 3.0,
        "h": 1.2,
        "n": 6.0,
        "e": 0.4,
    }
    from massprops_cli.bodies.plausibility import geometry_faults

    for name, shape in mp.SHAPES.items():
        own = {one: dims[one] for one in shape.dims}
        body = mp.solids(name, {one: [value] for one, value in own.items()}, mass=[2.0]).bodies
        half = np.array(enclosing_size(name, own)) / 2
        centered = BodyArray(body.mass, np.zeros((1, 3)), body.inertia)
        assert geometry_faults(centered, -half, half) == [], name


def test_tensor_of_an_item_with_a_pose_is_replaced_in_its_own_frame(tmp_path: Path):
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    head = HEAD.replace("remark", "tx [mm],ty [mm],tz [mm],roll [deg],pitch [deg],yaw [deg],frame")
    source.write_text(head + "T,,,,,,,,,,,,-,0,0,0,0,0,90,own\n"
                      "A,T,55,1,0,0,7.0000,15.0000,23.0000,0,0,0,-,1,2,3,10,20,30,own\n"
                      "B,T,2,1.50,0,0,1.0,1.0,2.000,0,0,0,-,,,,,,,root\n")  # fmt: skip
    result = run("convert", "--fix", source, "-o", out, "--format", "concise")
    assert result.exit_code == 1, result.output  # 2 % away: a guess
    old, new = source.read_text().splitlines(), out.read_text().splitlines()
    assert [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [2]
    # in its own axes the tensor is diagonal: each moment moves by 1/3, as without a pose
    assert [float(x) for x in new[2].split(",")[6:9]] == pytest.approx([7 + 1 / 3, 15 + 1 / 3, 23 - 1 / 3], rel=1e-14)
    assert new[2].split(",")[9:12] == ["0", "0", "0"]
    assert "distance 577350" in result.output
    assert not {"MP403", "MP404"} & {f.rule for f in mp.validate(str(out))}


SLIPS = {
    "digits of Izz": ([2.5, 3, 1.5, 0.1, 0.2, -0.1], lambda t: t * [1, 1, 1000, 1, 1, 1], "Izz is multiplied by 0.001"),
    "digits of Ixx": ([2.5, 3, 1.5, 0.1, 0.2, -0.1], lambda t: t * [0.01, 1, 1, 1, 1, 1], "Ixx is multiplied by 100"),
    "sign of Iyy": ([2.5, 3, 1.5, 0.1, 0.2, -0.1], lambda t: t * [1, -1, 1, 1, 1, 1], "other sign of Iyy"),
    "row order": ([10.0, 11, 12, 2, 1, -3], lambda t: t[[0, 3, 4, 1, 5, 2]], "row order"),
    "parallel axis": ([2.5, 3, 1.5, 0.1, 0.2, -0.1], lambda t: t - 40 * np.array([1, 1, 0, 0, 0, 0]), "m d²"),
}  # fmt: skip


@pytest.mark.parametrize("name", SLIPS)
def test_the_only_slip_that_explains_a_tensor_is_corrected(tmp_path: Path, name: str) -> None:
    tensor, slip, words = SLIPS[name]
    right = np.array(tensor)
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    head = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\n"
    source.write_text(
        f"{head}A,T,40,0,0,1,{','.join(f'{x:.12g}' for x in slip(right))},-\nB,T,1,0,0,0,1,2,2.5,0,0,0,-\n"
    )
    result = run("convert", "--fix", source, "-o", out, "--format", "full")
    assert result.exit_code == 0, result.output
    assert words in " ".join(result.output.split())
    fixed = mp.rollup(mp.read_bom(out))["A"].inertia
    assert fixed == pytest.approx(full_tensors(right), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("has_twin", [False, True])
def test_a_part_of_the_same_mass_decides_between_powers(tmp_path: Path, has_twin: bool) -> None:
    """2, 2, 40: Izz × 0.1, × 0.01 and less are all possible; the right one of the pair has 0.4. Alone it is left."""
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    head = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\n"
    twin = "right,T,5,0,-1,0,2,2,0.4,0.02,0,0,-\n" if has_twin else ""
    source.write_text(f"{head}left,T,5,0,1,0,2,2,40,-0.02,0,0,-\n{twin}")
    result = run("convert", "--fix", source, "-o", out)
    assert result.exit_code == (0 if has_twin else 1)
    assert ("warning MP716" in result.output) != has_twin
    Izz = mp.rollup(mp.read_bom(out))["left"].inertia[2, 2]
    assert Izz == pytest.approx(0.4 if has_twin else 40)


def test_rounding_beyond_the_digits_is_no_warning(tmp_path: Path) -> None:
    source = tmp_path / "bom.csv"
    head = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\n"
    source.write_text(f"{head}A,T,1,0,0,0,1.000,2.000,3.010,0,0,0,-\n")
    result = run("convert", "--fix", source, "-o", tmp_path / "out.csv", "--format", "full")
    assert result.exit_code == 0, result.output
    assert "nearest valid one" in result.output


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("5,0,0,0,6,0", "first six of nine"),  # xx xy xz yx yy yz under Ixx Iyy Izz Ixy Ixz Iyz
        ("5,0,0,0,0,6", "first six of nine"),  # the same in the order of URDF
        ("-37.5,-37,1.5,0.1,0.2,-0.1", "m d²"),
        ("2,3,40,0,0,0", "Izz is multiplied by 0.1"),
    ],
)
def test_the_cause_is_named_where_the_tensor_is_rejected(entries: str, words: str) -> None:
    text = f"id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\nA,T,40,0,0,1,{entries},-\n"
    found = [
        one.message for one in mp.read_bom(io.StringIO(text), format="csv").findings if one.rule in ("MP403", "MP404")
    ]
    assert len(found) == 1
    assert words in found[0]


def test_robot_file_is_fixed_in_place_of_its_numbers(tmp_path: Path) -> None:
    """RealMan's slip: izz of 1.676 for 0.001676."""
    robot = """<?xml version="1.0"?>
<robot name="r"><!-- kept -->
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="l1"><inertial><mass value="1.559"/><inertia ixx="0.00266" ixy="-0.000031" ixz="0" iyy="0.00230" iyz="0.00015" izz="1.676"/></inertial></link>
  <joint name="j" type="fixed"><parent link="base"/><child link="l1"/><origin xyz="0 0 1" rpy="0.3 0 0"/></joint>
</robot>
"""  # noqa: E501 - lines of a file
    source, out = tmp_path / "r.urdf", tmp_path / "r2.urdf"
    source.write_text(robot)
    result = run("convert", "--fix", source, "-o", out, "--format", "full")
    assert result.exit_code == 0, result.output
    assert out.read_text() == robot.replace('"1.676"', '"0.001676"')
    assert "robot in" in result.output
    assert run("convert", "--fix", source, "-o", out, "--no-clobber").exit_code == 2
    assert run("convert", "--fix", source, "-o", tmp_path / "r.csv").exit_code == 0
    assert run("convert", "--fix", source, "-o", tmp_path / "r.sdf").exit_code == 2  # another format
    assert run("convert", "--fix", source, "-o", source).exit_code == 2
    assert source.read_text() == robot


SHAPES = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv,shape,dims\nT,,,,,,,,,,,,,,\n"


def box_moments(m: float, a: float, b: float, c: float) -> np.ndarray:
    return m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])


def test_tensor_of_another_mass_is_found_and_multiplied(tmp_path: Path) -> None:
    """A mass of 50 g was entered for a box, the tensor remained that of 8 g: exactly one factor 6.25."""
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    moments = ",".join(f"{x:.8g}" for x in box_moments(8, 10, 30, 20))
    source.write_text(f"{SHAPES}A,T,50,1,2,3,{moments},0,0,0,-,box,a=10; b=30; c=20\n")
    (found,) = [one for one in mp.validate(str(source)) if one.rule == "MP718"]
    assert found.item == "A"
    assert "mass 8 in" in found.message
    assert "6.25" in found.message
    result = run("convert", "--fix", source, "-o", out, "--format", "full")
    assert result.exit_code == 0, result.output
    assert "factor 6.25" in result.output
    fixed = mp.rollup(mp.read_bom(out))["A"].inertia
    assert np.diag(fixed) == pytest.approx(box_moments(50, 10, 30, 20), rel=1e-6)
    assert not [one for one in mp.validate(str(out)) if one.rule == "MP718"]


def test_power_of_ten_of_a_whole_tensor_may_be_that_of_the_mass(tmp_path: Path) -> None:
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    moments = ",".join(f"{x:.8g}" for x in box_moments(0.8, 10, 30, 20))
    source.write_text(f"{SHAPES}A,T,800,1,2,3,{moments},0,0,0,-,box,a=10; b=30; c=20\n")
    result = run("convert", "--fix", source, "-o", out, "--format", "full")
    assert result.exit_code == 1, result.output
    assert "MP718" in result.output
    assert out.read_text() == source.read_text()


def test_tensors_of_cavities_rings_and_balls_are_not_those_of_another_mass() -> None:
    from massprops_cli.bodies.plausibility import mass_factor

    full = box_moments(1, 1, 2, 3)
    zeros = np.zeros(3)
    for share in (0.2, 0.5, 0.8, 0.97):  # of a cavity of the same shape: (1 − s⁵)/(1 − s³) of the tensor
        hollow = full * (1 - share**5) / (1 - share**3)
        assert mass_factor(np.append(hollow, zeros), np.append(full, zeros)) is None
    r, length = 1.0, 0.02  # a rim of a thin wheel has the moments of a disc but for a factor
    disc = np.array([r * r / 4 + length**2 / 12] * 2 + [r * r / 2, 0, 0, 0])
    rim = np.array([r * r / 2 + length**2 / 12] * 2 + [r * r, 0, 0, 0])
    assert mass_factor(rim, disc) is None
    assert mass_factor(np.array([0.1, 0.1, 0.1, 0, 0, 0]), np.array([0.4, 0.4, 0.4, 0, 0, 0])) is None
    assert mass_factor(np.append(full, zeros), np.append(full, zeros)) is None
    for share in (0.4, 0.9, 1.1, 2.9):  # of a padded copy of 1/√share of the sides, or of a core
        assert mass_factor(np.append(full * share, zeros), np.append(full, zeros)) is None
    for share in (0.16, 0.32, 3.1):
        assert mass_factor(np.append(full * share, zeros), np.append(full, zeros)) == pytest.approx(1 / share, rel=1e-5)
    assert mass_factor(np.append(full * 2, zeros + 0.3), np.append(full, zeros)) is None  # products of another body


@pytest.mark.parametrize(("z", "expected"), [(0.1, 0.04), (1.1, 0.4)])
def test_the_shape_decides_between_powers(tmp_path: Path, z: float, expected: float) -> None:
    """2, 2, 40: Izz × 0.01 is that of a bar of 5 kg and the width 0.69, Izz × 0.001 that of a thinner one."""
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    width = (6 * expected / 5) ** 0.5
    length = (12 * 2 / 5 - width**2) ** 0.5
    # the shape is a little larger than the body
    dims = f"a={1.1 * width:.4f}; b={1.1 * width:.4f}; c={1.1 * length:.4f}"
    source.write_text(f"{SHAPES}A,T,5,0,0,{z},2,2,40,0,0,0,-,box,{dims}\n")
    result = run("convert", "--fix", source, "-o", out, "--format", "full")
    assert result.exit_code == 0, result.output
    assert mp.rollup(mp.read_bom(out))["A"].inertia[2, 2] == pytest.approx(expected)


def test_a_slip_that_the_shape_contradicts_is_not_applied(tmp_path: Path) -> None:
    """RealMan's izz × 0.001 is the only slip, but a body of this shape is a hundred times as large."""
    source = tmp_path / "bom.csv"
    six = "0.00266,0.0023,1.676,0,0,0"
    for dims, code in (("a=0.14; b=0.12; c=0.03", 0), ("a=1.4; b=1.2; c=1.3", 1)):
        source.write_text(f"{SHAPES}A,T,1.559,0,0,0,{six},-,box,{dims}\n")
        result = run("convert", "--fix", source, "-o", tmp_path / "out.csv", "--format", "full")
        assert result.exit_code == code, result.output
        assert ("Izz is multiplied by 0.001" in result.output) == (code == 0)


def test_a_part_at_the_mirrored_place_has_priority(tmp_path: Path) -> None:
    source, out = tmp_path / "bom.csv", tmp_path / "fixed.csv"
    head = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\n"
    rows = (
        "left,T,5,0.2,1,0,2,2,40,-0.02,0,0,-\nright,T,5,0.2,-1,0,2,2,0.4,0.02,0,0,-\nother,T,5,3,3,0,2,2,4,0.02,0,0,-\n"
    )
    source.write_text(head + rows)
    assert run("convert", "--fix", source, "-o", out).exit_code == 0
    fixed = mp.rollup(mp.read_bom(out))["left"].inertia
    assert (fixed[2, 2], fixed[0, 1]) == pytest.approx((0.4, -0.02))


def test_nothing_is_made_of_a_tensor_that_is_rounding(tmp_path: Path) -> None:
    """iCub's r_hip_2: entries of −5e-20 next to m d² of 0.0005 are zeros, from which nothing was subtracted."""
    source = tmp_path / "bom.csv"
    head = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,\n"
    source.write_text(head + "A,T,0.5,0.03,0,0,-5.4e-20,-5.4e-20,0,0,0,0,-\n")
    result = run("convert", "--fix", source, "-o", tmp_path / "out.csv", "--format", "full")
    assert "m d²" not in result.output


def test_padded_collision_of_a_link_leaves_its_tensor(tmp_path: Path) -> None:
    """The collision is the link with all sides times 1.2: the tensor of its box is 1.44 times that of the link."""
    source, out = tmp_path / "r.urdf", tmp_path / "r2.urdf"
    ixx, iyy, izz = (f"{x:.8g}" for x in box_moments(10, 0.5, 0.25, 0.1))
    source.write_text(f"""<robot name="r"><link name="base"><inertial><mass value="10"/>
<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.6 0.3 0.12"/></geometry></collision></link></robot>
""")
    assert "MP718" not in run("validate", source).output
    assert run("convert", "--fix", source, "-o", out).exit_code == 0
    assert out.read_text() == source.read_text()


@pytest.mark.parametrize("turn", ["0 0 0", "0 0 1.5707963267948966"])
def test_collision_of_a_link_shows_the_tensor_of_another_mass(tmp_path: Path, turn: str) -> None:
    source, out = tmp_path / "r.urdf", tmp_path / "r2.urdf"
    a, b, c = (0.1, 0.3, 0.2) if turn == "0 0 0" else (0.3, 0.1, 0.2)  # sides along the axes of the inertial
    ixx, iyy, izz = (f"{x:.8g}" for x in box_moments(8, a, b, c))
    source.write_text(f"""<robot name="r"><link name="base"><inertial><origin xyz="0 0 0" rpy="{turn}"/>
<mass value="50"/>
<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.1 0.3 0.2"/></geometry></collision></link></robot>
""")
    result = run("validate", source)
    assert "MP718" in result.output
    assert result.exit_code == 0
    result = run("convert", "--fix", source, "-o", out, "--format", "full")
    assert result.exit_code == 0, result.output
    tensor = mp.rollup(mp.read_bom(out))["base"].inertia
    assert np.diag(tensor) == pytest.approx(box_moments(50, 0.1, 0.3, 0.2), rel=1e-6)
