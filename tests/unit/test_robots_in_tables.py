"""Robots as sub-assemblies of a table, and sigmas of links by name, against poses composed in the test."""

from __future__ import annotations

import json

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.cli.app import run_command_line as run

POUND, INCH = 0.45359237, 0.0254
ROBOT = """<robot name="arm">
<link name="base"><inertial><origin xyz="0 0 0.05"/><mass value="4"/>
<inertia ixx="0.021" ixy="0.001" ixz="0.002" iyy="0.023" iyz="-0.003" izz="0.032"/></inertial></link>
<joint name="elbow" type="revolute"><origin xyz="0 0.2 0.1"/><parent link="base"/><child link="rod"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<link name="rod"><inertial><origin xyz="0.25 0 0"/><mass value="1.5"/>
<inertia ixx="0.001" ixy="0.0002" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link></robot>
"""
MODEL = """<sdf version="1.9"><model name="cart"><link name="chassis"><inertial>
<pose>0.1 0 0.2 0 0 0</pose><mass>2</mass>
<inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>
</model></sdf>"""
HEAD = "id,parent,mass [lb],Cx [in],Cy [in],Cz [in],Ixx [lb*in^2],Iyy [lb*in^2],Izz [lb*in^2],Ixy [lb*in^2],"
HEAD += "Ixz [lb*in^2],Iyz [lb*in^2],robot,tx [in],ty [in],tz [in],roll [deg],pitch [deg],yaw [deg],frame\n"


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation (3, 3) about a coordinate axis, rad."""
    result, c, s = np.eye(3), np.cos(angle), np.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    result[j, j], result[k, k], result[j, k], result[k, j] = c, c, -s, s
    return result


def tensor(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> np.ndarray:
    """Symmetric matrix (3, 3) of six entries."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def moved(bodies, rotation, shift):
    """Move bodies (mass, centre, tensor about it) by x' = R x + t."""
    return [(m, rotation @ c + shift, rotation @ i @ rotation.T) for m, c, i in bodies]


def added(bodies):
    """Mass, centre and tensor about it of several bodies."""
    mass = sum(m for m, _, _ in bodies)
    center = sum(m * c for m, c, _ in bodies) / mass
    own = sum(i + m * (np.dot(c - center, c - center) * np.eye(3) - np.outer(c - center, c - center))
              for m, c, i in bodies)  # fmt: skip
    return mass, center, own


def arm(elbow: float):
    """Bodies of the robot in the frame of its base, kg and m."""
    base = (4.0, np.array([0, 0, 0.05]), tensor(0.021, 0.023, 0.032, 0.001, 0.002, -0.003))
    rod = (1.5, np.array([0.25, 0, 0]), tensor(0.001, 0.03, 0.03, 0.0002, 0, 0))
    return [base, *moved([rod], turn(2, elbow), np.array([0, 0.2, 0.1]))]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT)
    (tmp_path / "cart.sdf").write_text(MODEL)
    rows = "cell,,,,,,,,,,,,,,,,,,,\n"
    rows += "desk,cell,100,10,-5,15,9000,8000,7000,0,0,0,,,,,,,,root\n"
    rows += "left,cell,,,,,,,,,,,arm.urdf,10,0,30,10,20,90,own\n"
    rows += "right,cell,,,,,,,,,,,arm.urdf,-10,5,30,0,0,-45,own\n"
    rows += "cart,cell,,,,,,,,,,,cart.sdf,0,40,0,0,0,0,own\n"
    (tmp_path / "cell.csv").write_text(HEAD + rows)
    return tmp_path


def expected(left: float, right: float):
    """Mass, centre and tensor of the cell, lb and in."""
    desk = (100 * POUND, np.array([10, -5, 15]) * INCH, np.diag([9000, 8000, 7000]) * POUND * INCH**2)
    angles = np.deg2rad([10, 20, 90])
    placed = moved(
        arm(left), turn(2, angles[2]) @ turn(1, angles[1]) @ turn(0, angles[0]), np.array([10, 0, 30]) * INCH
    )
    placed += moved(arm(right), turn(2, np.deg2rad(-45)), np.array([-10, 5, 30]) * INCH)
    cart = (2.0, np.array([0.1, 40 * INCH, 0.2]), np.diag([0.2, 0.3, 0.4]))
    mass, center, own = added([desk, *placed, cart])
    return mass / POUND, center / INCH, own / POUND / INCH**2


@pytest.mark.parametrize(
    ("q", "left", "right"), [({}, 0, 0), ({"left:elbow": "90 deg", "right:elbow": 0.3}, np.pi / 2, 0.3)]
)
def test_masses_centers_and_tensors_of_robots_in_a_table_of_pounds_and_inches(folder, q, left, right):
    bom = mp.read_bom(folder / "cell.csv", q=q)
    result = mp.rollup(bom)
    body = result.rollup.bodies
    top = int(bom.tree.order[0])
    mass, center, own = expected(left, right)
    assert body.mass[top] == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(body.center[top], center, rtol=1e-12)
    np.testing.assert_allclose(tensor(*body.inertia[top]), own, rtol=1e-11, atol=1e-9)
    assert "left/rod/body" in bom.ids
    assert bom.ids[int(bom.tree.parent[bom.item("left/base")])] == "left"


def test_an_id_with_a_colon_is_not_that_of_another_row(folder):
    rows = "cell,,,,,,\nleft,cell,,,,,arm.urdf\nleft:2,cell,,,,,arm.urdf\n"
    (folder / "two.csv").write_text(f"id,parent,mass [kg],Cx [m],Cy [m],Cz [m],robot\n{rows}")
    bom = mp.read_bom(folder / "two.csv", q={"left:2:elbow": "90 deg"})
    turned = {name: mp.rollup(bom)[name].center for name in ("left", "left:2")}
    assert np.abs(turned["left"] - turned["left:2"]).max() > 1e-3
    np.testing.assert_allclose(turned["left"], added(arm(0))[1], atol=1e-12)
    np.testing.assert_allclose(turned["left:2"], added(arm(np.pi / 2))[1], atol=1e-12)


def test_unknown_item_and_joint_of_a_position(folder):
    with pytest.raises(mp.UsageError, match=r"with ID one of left, right, cart"):
        mp.read_bom(folder / "cell.csv", q={"elbow": 1})
    with pytest.raises(mp.UsageError, match=r"^\S+\.\w+: robot has no joint 'elbw'; the nearest is elbow"):
        mp.read_bom(folder / "cell.csv", q={"left:elbw": 1})
    (folder / "plain.csv").write_text("id,parent,mass [kg]\na,,\nb,a,1\n")
    with pytest.raises(mp.UsageError, match="need a robot, or rows that name one"):
        mp.read_bom(folder / "plain.csv", q={"left:elbow": 1})


def test_the_table_itself_is_filled_in_and_reads_the_same_again(folder):
    assert run(["rollup", str(folder / "cell.csv"), "-o", str(folder / "out.csv"), "-q"]) == 0
    header, *rows = (line.split(",") for line in (folder / "out.csv").read_text().splitlines())
    assert [row[0] for row in rows] == ["cell", "desk", "left", "right", "cart"]
    assert float(rows[2][header.index("mass [lb]")]) == pytest.approx(5.5 / POUND, rel=1e-13)
    assert rows[2][header.index("robot")] == "arm.urdf"
    again = mp.rollup(mp.read_bom(folder / "out.csv", frame="root"))
    mass, center, _ = expected(0, 0)
    assert again.rollup.bodies.mass[int(again.bom.tree.order[0])] == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(again.rollup.bodies.center[int(again.bom.tree.order[0])], center, rtol=1e-12)


@pytest.mark.parametrize("layout", ["parent", "level", "indented"])
def test_links_written_as_rows_have_the_same_sums(folder, layout, capsys):
    flat = folder / "flat.csv"
    command = ["convert", str(folder / "cell.csv"), "--to-layout", layout, "--q", "left:elbow=90 deg", "-o", str(flat)]
    assert run(command) == 0
    bom = mp.read_bom(flat)
    assert len(bom) == len(mp.read_bom(folder / "cell.csv"))
    mass, center, own = expected(np.pi / 2, 0)
    bodies, top = mp.rollup(bom).rollup.bodies, int(bom.tree.order[0])
    assert bodies.mass[top] == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(bodies.center[top], center, rtol=1e-12)
    np.testing.assert_allclose(tensor(*bodies.inertia[top]), own, rtol=1e-11, atol=1e-9)
    capsys.readouterr()
    assert run(["convert", str(folder / "cell.csv"), "--q", "left:elbow=1"]) == 2
    assert "need --to-layout" in capsys.readouterr().err


def test_workbook_with_a_robot_keeps_its_rows(folder):
    import openpyxl

    book = openpyxl.Workbook()
    for line in (folder / "cell.csv").read_text().splitlines():
        cells = [float(text) if text.lstrip("-").isdigit() else text or None for text in line.split(",")]
        book.active.append(cells)
    book.save(folder / "cell.xlsx")
    out = folder / "out.xlsx"
    assert run(["rollup", str(folder / "cell.xlsx"), "-o", str(out), "-q"]) == 0
    rows = list(openpyxl.load_workbook(out).active.values)
    assert [row[0] for row in rows[:6]] == ["id", "cell", "desk", "left", "right", "cart"]
    assert rows[1][2] == pytest.approx(expected(0, 0)[0], rel=1e-13)


def test_robots_that_are_not_read_are_lower_bounds(folder, capsys):
    (folder / "loop.sdf").write_text(
        '<sdf version="1.9"><model name="a"><link name="l"/><include><uri>loop.sdf</uri></include></model></sdf>'
    )
    (folder / "broken.urdf").write_text("<robot><link")
    names = ["gone.urdf", "../arm.urdf", "cell.csv", "broken.urdf", "loop.sdf"]
    rows = "".join(f"r{k},top,,{name}\n" for k, name in enumerate(names))
    (folder / "bad.csv").write_text(f"id,parent,mass [kg],robot\ntop,,,\na,top,2,\ngood,top,,arm.urdf\n{rows}")
    assert run(["rollup", str(folder / "bad.csv"), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    reasons = [one["message"] for one in found["findings"] if one["rule"] == "MP891"]
    words = ["no such file", "outside the folder", "is csv, not URDF", "not well-formed", "includes itself"]
    assert len(reasons) >= 4
    for reason, word in zip(reasons, words, strict=False):
        assert word in reason
    assert not [one for one in found["findings"] if one["rule"] == "MP206"]
    top = found["items"][0]
    assert top["coverage"]["mass_lower_bound"]
    assert top["mass"] == pytest.approx(2 + 5.5)


def test_columns_of_files_are_read_where_they_name_robots(folder):
    head = "id,parent,mass [kg],File\n"
    (folder / "files.csv").write_text(f"{head}top,,,\na,top,2,a.step\nb,top,,arm.urdf\nc,top,9,arm.urdf\n")
    bom = mp.read_bom(folder / "files.csv")
    assert "b/rod" in bom.ids
    assert "c/rod" not in bom.ids  # its mass is stated
    (folder / "drawings.csv").write_text(f"{head}top,,,\na,top,2,a.step\nb,top,3,\n")
    assert len(mp.read_bom(folder / "drawings.csv")) == 3


def test_units_by_row_in_cells_and_not_at_all(folder):
    (folder / "rows.csv").write_text("id,parent,mass,unit,robot\nt,,,,\na,t,5,lb,\nb,t,500,g,\nr,t,,,arm.urdf\n")
    bom = mp.read_bom(folder / "rows.csv")
    assert mp.rollup(bom).rollup.bodies.mass[int(bom.tree.order[0])] == pytest.approx(
        5 + (0.5 + 5.5) / POUND, rel=1e-12
    )
    (folder / "cells.csv").write_text("id,parent,mass,robot\nt,,,\na,t,5 lb,\nr,t,,arm.urdf\n")
    bom = mp.read_bom(folder / "cells.csv")
    assert mp.rollup(bom).rollup.bodies.mass[int(bom.tree.order[0])] == pytest.approx(5 + 5.5 / POUND, rel=1e-12)
    (folder / "none.csv").write_text("id,parent,mass,robot\nt,,,\na,t,5,\nr,t,,arm.urdf\n")
    found = [one for one in mp.read_bom(folder / "none.csv").findings if one.rule == "MP891"]
    assert "unit of mass is not stated" in found[0].message


def test_pattern_of_robots(folder):
    head = "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],robot,pattern,pattern_pitch [m],tx [m],ty [m],tz [m],frame\n"
    (folder / "line.csv").write_text(f"{head}t,,,,,,,,,,,,,\nr,t,3,,,,,arm.urdf,linear,1 0 0,0,0,0,own\n")
    bom = mp.read_bom(folder / "line.csv")
    bodies = mp.rollup(bom).rollup.bodies
    _, center, _ = added([one for k in range(3) for one in moved(arm(0), np.eye(3), np.array([k, 0, 0]))])
    np.testing.assert_allclose(bodies.center[int(bom.tree.order[0])], center, rtol=1e-12)
    assert "r#2/rod/body" in bom.ids


def test_changes_of_a_table_with_robots(folder, capsys):
    cell = str(folder / "cell.csv")
    assert run(["whatif", cell, "--set", "left/rod/body.mass=9"]) == 2
    assert "change the robot there" in capsys.readouterr().err
    out = folder / "new.csv"
    new = "lamp parent=cell mass=3 Cx=1 Cy=1 Cz=1 frame=root"
    assert run(["whatif", cell, "--set", "desk.mass=90", "--new", new, "-o", str(out), "-q"]) == 0
    ids = [line.split(",")[0] for line in out.read_text().splitlines()[1:]]
    assert ids == ["cell", "desk", "left", "right", "cart", "lamp"]
    bom = mp.read_bom(out)
    assert mp.rollup(bom).rollup.bodies.mass[int(bom.tree.order[0])] == pytest.approx(93 + (11 + 2) / POUND, rel=1e-12)


SIGMAS = "link,sigma_mass [g],sigma_Cx [mm],sigma_Cy [mm],sigma_Cz [mm]\nbase,20,1,1,1\nrod/body,1 %,2,2,2\n"


def test_sigmas_of_links_by_name(folder):
    (folder / "sigmas.csv").write_text(SIGMAS.replace("1 %", "10"))
    bom = mp.read_bom(folder / "arm.urdf", link_sigmas=str(folder / "sigmas.csv"))
    sigmas = mp.rollup(bom).rollup.sigmas
    top = int(bom.tree.order[0])
    assert sigmas.mass[top] == pytest.approx(np.hypot(0.02, 0.01), rel=1e-12)
    # x of the centre: masses 4 and 1.5 at x = 0 and 0.25, each uncertain
    m, x, s_m, s_x = np.array([4, 1.5]), np.array([0, 0.25]), np.array([0.02, 0.01]), np.array([0.001, 0.002])
    center = (m * x).sum() / m.sum()
    variance = (((x - center) * s_m) ** 2 + (m * s_x) ** 2).sum() / m.sum() ** 2
    assert sigmas.center[top, 0] == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_faults_of_a_table_of_sigmas(folder):
    (folder / "sigmas.csv").write_text("link,sigma_mass [kg]\nbase,x\nrod,0.01\n")
    bom = mp.read_bom(folder / "arm.urdf", link_sigmas=str(folder / "sigmas.csv"))
    assert [str(one.place) for one in bom.findings if one.rule == "MP205"] == [f"{folder / 'sigmas.csv'}:2:2"]
    (folder / "sigmas.csv").write_text("link,comment\nbase,x\n")
    with pytest.raises(mp.TableError, match="column of sigmas"):
        mp.read_bom(folder / "arm.urdf", link_sigmas=str(folder / "sigmas.csv"))


def test_sigmas_of_links_from_the_configuration_and_in_a_table(folder):
    (folder / "sigmas.csv").write_text("link,sigma_mass [%]\nleft/base,1\nright/rod/body,2\nleft/rd,3\n")
    (folder / "massprops.toml").write_text('[file."cell.csv".read]\nlink-sigmas = "sigmas.csv"\n')
    bom = mp.read_bom(folder / "cell.csv")
    found = [one for one in bom.findings if one.rule == "MP892"]
    assert [one.value for one in found] == ["left/rd"]
    assert "the nearest is left/rod" in found[0].message
    sigma = bom.sigmas.mass
    assert sigma[bom.item("left/base/body")] == pytest.approx(0.01 * 4 / POUND, rel=1e-12)
    assert sigma[bom.item("right/rod/body")] == pytest.approx(0.02 * 1.5 / POUND, rel=1e-12)
    assert sigma[bom.item("left/rod/body")] == 0


def test_tensors_about_another_point_are_not_combined_with_robots(folder):
    with pytest.raises(mp.FindingsError) as caught:
        mp.rollup(mp.read_bom(folder / "cell.csv", inertia_about="0,0,0"))
    found = [one for one in caught.value.findings if one.rule == "MP891"]
    assert len(found) == 3
    assert "not about centres of mass" in found[0].message
