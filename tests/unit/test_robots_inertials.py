"""``convert --into``: the inertials of a robot get the numbers of a table, and no other byte of the file changes."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.robots.inertial_resolution import file_with_inertials
from massprops_cli.robots.urdf import read_urdf_model

ROBOT = """<?xml version="1.0"?>
<!-- a robot -->
<robot name="arm">
  <link name="base">
    <!-- kept -->
    <inertial>
      <origin xyz="0 0 0.05" rpy="0 0 1.5707963267948966"/>
      <mass value="4.0" />
      <inertia ixx="0.040" ixy="0" ixz="0" iyy="0.050" iyz="0" izz="0.060"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/>
    <parent link="base"/><child link='rod'/>
  </joint>
  <link name='rod'>
    <inertial>
      <mass value='3.0'/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.250" iyz="0" izz="0.250"/>
    </inertial>
  </link>
  <joint name="tip" type="fixed"><parent link="rod"/><child link="tool"/></joint>
  <link name="tool"/>
</robot>
"""
HEAD = "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
HEAD += "Iyz [kg*m^2],POIconv,frame\n"


def written(table: str | Path, robot: str | bytes, **options: Any) -> tuple[str, int, Findings]:
    """The robot with the numbers of a table, the number of links changed, and the findings."""
    if isinstance(table, str):
        rows = [dict(zip(HEAD.strip().split(","), row.split(","), strict=True)) for row in table.splitlines()]
        bom = mp.Bom.from_records(rows, units="SI", **options)
    else:
        bom = mp.read_bom(table, units="SI")
    findings = Findings()
    data = robot if isinstance(robot, bytes) else robot.encode()
    content, links = file_with_inertials(bom, "arm.urdf", data, findings)
    return content.decode(), links, findings


def changes(old: str, new: str) -> list[str]:
    """The lines that differ."""
    return [line for line in difflib.ndiff(old.splitlines(), new.splitlines()) if line[0] in "+-"]


def test_a_table_of_the_robot_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ROBOT)
    mp.read_bom(tmp_path / "arm.urdf").save(str(tmp_path / "arm.csv"))
    assert written(tmp_path / "arm.csv", ROBOT)[:2] == (ROBOT, 0)


def test_only_numbers_that_differ_are_written() -> None:
    new, links, findings = written("rod,,1,3.5,0.5,0,0,0.001,0.25,0.25,0,0,0,-,own", ROBOT, frame="own")
    assert links == 1
    assert changes(ROBOT, new) == [
        '+       <origin xyz="0.5 0 0"/>',
        "-       <mass value='3.0'/>",
        "+       <mass value='3.5'/>",
    ]
    assert [(one.rule, one.count) for one in findings] == [("MP889", 1)]  # base


def test_a_turned_inertial_keeps_its_axes() -> None:
    # the axes of the inertial are turned by 90° about z: Ixx along the link is Iyy along its axes
    new, _, _ = written("base,,1,4,0,0,0.05,0.5,0.25,0.375,0.0625,0,0,-,own", ROBOT, frame="own")
    assert 'ixx="0.25" ixy="-0.0625" ixz="0" iyy="0.5" iyz="0" izz="0.375"' in new
    assert 'rpy="0 0 1.5707963267948966"' in new


def test_parts_of_a_link_are_joined() -> None:
    rows = "rod,,1,,,,,,,,,,,,own\na,rod,2,0.5,1,0,0,0.5,0.5,0.5,0,0,0,-,own\nb,rod,1,1,-1,0,0,1,1,1,0,0,0,-,own"
    link = read_urdf_model("arm.urdf", written(rows, ROBOT, frame="own")[0].encode(), Findings()).links["rod"]
    assert link.inertial is not None
    values = [float(text) for text in (link.inertial.mass, *link.inertial.pose[:3], *link.inertial.tensor)]
    assert values == [2.0, 0.0, 0.0, 0.0, 2.0, 4.0, 4.0, 0.0, 0.0, 0.0]  # 2 × 1 kg at 1 m from the centre


def test_a_link_without_an_inertial_gets_one() -> None:
    row = "tool,,1,0.2,0,0,0.03,0.001,0.001,0.001,0,0,0,-,own"
    new, links, _ = written(row, ROBOT, frame="own")
    assert links == 1
    assert changes(ROBOT, new) == [
        '-   <link name="tool"/>',
        '+   <link name="tool">',
        "+     <inertial>",
        '+       <origin xyz="0 0 0.03"/>',
        '+       <mass value="0.2"/>',
        '+       <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/>',
        "+     </inertial>",
        "+   </link>",
    ]
    open_link = ROBOT.replace('<link name="tool"/>', '<link name="tool">\n    <visual/>\n  </link>')
    assert "\n    <inertial>\n      <origin" in written(row, open_link, frame="own")[0]
    one_line = "".join(line.strip() for line in ROBOT.splitlines())
    short = written(row, one_line, frame="own")[0]
    assert short.endswith('iyz="0"/></inertial></link></robot>')


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings_and_line_ends_are_kept(codec: str) -> None:
    row = "rod,,1,3.25,0,0,0,0.001,0.25,0.25,0,0,0,-,own"
    robot = ROBOT.replace("a robot", "ein Körper").replace("\n", "\r\n")
    robot = robot.replace('"1.0"?', '"1.0" encoding="iso-8859-1"?') if codec == "iso-8859-1" else robot
    bom = mp.Bom.from_records([dict(zip(HEAD.strip().split(","), row.split(","), strict=True))], frame="own")
    content, _ = file_with_inertials(bom, "arm.urdf", robot.encode(codec), Findings())
    assert content == robot.replace("'3.0'", "'3.25'").encode(codec)


def test_parts_of_no_link_and_incomplete_links() -> None:
    rows = "top,,1,,,,,,,,,,,,own\nrod,top,1,3,0.5,0,0,,,,,,,,own\nxx,top,1,1,0,0,0,1,1,1,0,0,0,-,own"
    findings = Findings()
    names = HEAD.strip().split(",")
    bom = mp.Bom.from_records([dict(zip(names, row.split(","), strict=True)) for row in rows.splitlines()], frame="own")
    with pytest.raises(TableError):
        file_with_inertials(bom, "arm.urdf", ROBOT.encode(), findings)
    assert [(one.rule, one.item) for one in findings] == [("MP887", "xx"), ("MP888", "rod"), ("MP887", "")]


def test_the_frame_of_a_table_without_poses_is_stated() -> None:
    row = "rod,,1,3,0.5,0,0,0.001,0.25,0.25,0,0,0,-,"
    with pytest.raises(UsageError, match="pass --config frame=own"):
        written(row, ROBOT)


def test_random_tables_of_a_chain() -> None:
    # each link has two parts with poses of their own; the inertial is their sum in the frame of the link
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = rng.uniform(0.5, 1.5, (2, 7))
        t, angle = rng.uniform(-1, 1, (2, 3)), rng.uniform(-3, 3, 2)
        rows = [{"id": "base"}, {"id": "rod", "parent": "base", "tx [m]": 5, "ty [m]": 1, "tz [m]": 2, **spin(1)}]
        for k in range(2):
            row = {"id": f"p{k}", "parent": "rod", "mass [kg]": values[k, 0], "POIconv": "-", **spin(angle[k])}
            row |= dict(zip(("Cx [m]", "Cy [m]", "Cz [m]"), values[k, 1:4].tolist(), strict=True))
            row |= dict(zip(("Ixx [kg*m^2]", "Iyy [kg*m^2]", "Izz [kg*m^2]"), values[k, 4:].tolist(), strict=True))
            row |= dict(zip(("Ixy [kg*m^2]", "Ixz [kg*m^2]", "Iyz [kg*m^2]"), (0, 0, 0), strict=True))
            row |= dict(zip(("tx [m]", "ty [m]", "tz [m]"), t[k].tolist(), strict=True))
            rows.append(row)
        bom = mp.Bom.from_records(rows, frame="own")
        content, _ = file_with_inertials(bom, "arm.urdf", ROBOT.encode(), Findings())
        link = read_urdf_model("arm.urdf", content, Findings()).links["rod"]
        assert link.inertial is not None
        masses, turns = values[:, 0], [turn(a) for a in angle]
        centers = np.array([turns[k] @ values[k, 1:4] + t[k] for k in range(2)])
        whole = masses @ centers / masses.sum()
        tensor = sum(
            turns[k] @ np.diag(values[k, 4:]) @ turns[k].T
            + masses[k] * ((d := centers[k] - whole) @ d * np.eye(3) - np.outer(d, d))
            for k in range(2)
        )
        known = [float(text) for text in (link.inertial.mass, *link.inertial.pose[:3], *link.inertial.tensor)]
        entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        expected = [masses.sum(), *whole, *(tensor[entry] for entry in entries)]
        np.testing.assert_allclose(known, expected, rtol=0, atol=1e-12)


def spin(angle: float) -> dict[str, float]:
    """The cells of a turn about z."""
    return {"roll [rad]": 0.0, "pitch [rad]": 0.0, "yaw [rad]": angle}


def turn(angle: float) -> np.ndarray:
    """The rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_command(tmp_path: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(ROBOT)
    assert massprops("convert", "arm.urdf", "-o", "arm.xlsx").exit_code == 0
    assert massprops("convert", "arm.xlsx", "--into", "arm.urdf", "-o", "new.urdf").exit_code == 0
    assert Path("new.urdf").read_text() == ROBOT
    again = massprops("convert", "arm.xlsx", "--into", "arm.urdf", "-o", "new.urdf", "--no-clobber")
    assert again.exit_code == 2
    assert "new.urdf" in again.output
    for option in (("--to", "csv"), ("--to-layout", "edges"), ("--units", "SI")):
        result = massprops("convert", "arm.xlsx", "--into", "arm.urdf", *option)
        assert result.exit_code == 2
        assert f"--into-robot and {option[0]} are exclusive" in result.output
    assert "cannot read none.urdf" in massprops("convert", "arm.xlsx", "--into", "none.urdf").output
    Path("bad.urdf").write_text("<robot><link/></robot>")
    assert massprops("convert", "arm.xlsx", "--into", "bad.urdf").exit_code == 2
