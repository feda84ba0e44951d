"""``convert --into model.sdf``: the inertials get the numbers of a table, and no other byte of the file changes."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.robots.inertial_resolution import file_with_inertials
from tests.examples import first

ROBOT = """<?xml version="1.0"?>
<!-- a robot -->
<sdf version="1.11" xmlns:gz="http://gazebosim.org/schema">
  <model name="arm">
    <link name="base">
      <!-- kept -->
      <inertial>
        <pose degrees="true"> 0 0  0.05 0 0 90 </pose>
        <mass><!-- weighed -->4.0</mass>
        <inertia><ixx>0.040</ixx><iyy>0.050</iyy><izz>0.060</izz></inertia>
      </inertial>
    </link>
    <link name='rod'>
      <pose relative_to="shoulder"/>
      <inertial>
        <mass>3.0</mass>
      </inertial>
    </link>
    <joint name="shoulder" type="revolute"><parent>base</parent><child>rod</child>
      <pose relative_to="base">0 0 1 0 0 0</pose></joint>
    <link name="block">
      <inertial auto="true">
        <density>500</density>
      </inertial>
      <collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>
    </link>
    <model name="hand">
      <pose>1 0 0 0 0 0.5</pose>
      <link name="palm"/>
      <gz:plugin/>
    </model>
  </model>
</sdf>
"""
HEAD = "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
HEAD += "Iyz [kg*m^2],POIconv,frame\n"


def written(row: str, robot: str = ROBOT) -> tuple[str, int, Findings]:
    """The robot with one row, in the frame of its link."""
    names = HEAD.strip().split(",")
    bom = mp.Bom.from_records([dict(zip(names, row.split(","), strict=True))], units="SI", frame="own")
    findings = Findings()
    content, links = file_with_inertials(bom, "arm.sdf", robot.encode(), findings)
    return content.decode(), links, findings


def changes(new: str, old: str = ROBOT) -> list[str]:
    """The lines that differ, without blanks around them; removed lines first."""
    lines = [line for line in difflib.ndiff(old.splitlines(), new.splitlines()) if line[0] in "+-"]
    return [f"{line[0]} {line[2:].strip()}" for line in sorted(lines, key=lambda line: line[0] == "+")]


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_table_of_the_robot_changes_nothing(suffix: str, tmp_path: Path) -> None:
    """Stated, default and automatic inertials, and those of nested models."""
    path = tmp_path / "arm.sdf"
    path.write_text(ROBOT)
    mp.read_bom(path).save(str(tmp_path / f"arm.{suffix}"))
    bom = mp.read_bom(tmp_path / f"arm.{suffix}", units="SI")
    assert [id for id in bom.ids if "/body" in id] == ["base/body", "rod/body", "block/body", "hand::palm/body"]
    assert file_with_inertials(bom, "arm.sdf", ROBOT.encode(), Findings()) == (ROBOT.encode(), 0)


def test_only_numbers_that_differ_are_written() -> None:
    # the axes of the inertial are turned by 90° about z: Ixx along the link is Iyy along its axes
    new, links, findings = written("base,,1,4.5,0.25,0,0.05,0.050,0.040,0.0625,0,0,0,-,own")
    assert links == 1
    assert changes(new) == [
        '- <pose degrees="true"> 0 0  0.05 0 0 90 </pose>',
        "- <mass><!-- weighed -->4.0</mass>",
        "- <inertia><ixx>0.040</ixx><iyy>0.050</iyy><izz>0.060</izz></inertia>",
        '+ <pose degrees="true"> 0.25 0  0.05 0 0 90 </pose>',
        "+ <mass><!-- weighed -->4.5</mass>",
        "+ <inertia><ixx>0.040</ixx><iyy>0.050</iyy><izz>0.0625</izz></inertia>",
    ]
    assert [(one.rule, one.count) for one in findings] == [("MP889", 2)]  # rod, block: palm states none


def test_elements_that_are_missing_are_added() -> None:
    new, _, _ = written("base,,1,4,0,0,0.05,0.050,0.040,0.060,0.001,0,0,-,own")
    # a quarter turn changes the sign of the product
    assert changes(new) == [
        "- <inertia><ixx>0.040</ixx><iyy>0.050</iyy><izz>0.060</izz></inertia>",
        "+ <inertia>",
        "+ <ixy>-0.001</ixy><ixx>0.040</ixx><iyy>0.050</iyy><izz>0.060</izz></inertia>",
    ]
    new, _, _ = written("rod,,1,3,0.5,0,0,0.25,0.25,0.125,0,0,0,-,own")
    assert changes(new) == [
        "+ <pose>0.5 0 0 0 0 0</pose>", "+ <inertia>", "+ <ixx>0.25</ixx>", "+ <iyy>0.25</iyy>", "+ <izz>0.125</izz>",
        "+ <ixy>0</ixy>", "+ <ixz>0</ixz>", "+ <iyz>0</iyz>", "+ </inertia>",
    ]  # fmt: skip


def test_a_link_with_the_default_gets_an_inertial() -> None:
    assert written("hand::palm,,1,1,0,0,0,1,1,1,0,0,0,-,own")[:2] == (ROBOT, 0)
    new, links, _ = written("hand::palm,,1,0.5,0,0,0.125,1,1,1,0,0,0,-,own")
    assert links == 1
    assert '<link name="palm">\n        <inertial>\n          <pose>0 0 0.125 0 0 0</pose>' in new
    path = Path("new.sdf")
    link = mp.resolve_inertials(path, content=new.encode())
    assert not link.findings.has_errors


def test_an_automatic_inertial_becomes_numbers_if_it_differs() -> None:
    # 500 kg/m³ · 6 m³ = 3000 kg, and 3000/12 · (4 + 9, 1 + 9, 1 + 4)
    assert written("block,,1,3000,0,0,0,3250,2500,1250,0,0,0,-,own")[:2] == (ROBOT, 0)
    new, links, _ = written("block,,1,3000,0,0,0,3250,2500,1000,0,0,0,-,own")
    assert links == 1
    assert '<inertial auto="false">' in new
    assert "<izz>1000</izz>" in new
    assert [line for line in changes(new) if line[0] == "-"] == ['- <inertial auto="true">']


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        ("<pose/>", "<pose>0 0 0.5 0 0 0</pose>"),
        ('<pose rotation_format="quat_xyzw"/>', '<pose rotation_format="quat_xyzw">0 0 0.5 0 0 0 1</pose>'),
        (
            '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>',
            '<pose rotation_format="quat_xyzw">0 0 0.5 0 0 0 1</pose>',
        ),
        ("<pose>\n  0\n  0 <!-- z --> 0\n  0 0 0</pose>", "<pose>\n  0\n  0 <!-- z --> 0.5\n  0 0 0</pose>"),
        ("<pose><![CDATA[0 0 0 0 0 0]]></pose>", "<pose>0 0 0.5 0 0 0</pose>"),
    ],
)
def test_forms_of_a_pose(pose: str, expected: str) -> None:
    tensor = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    link = f"<link name='a'><inertial>{pose}<mass>1</mass>{tensor}</inertial></link>"
    robot = f"<sdf version='1.11'><model name='m'>{link}</model></sdf>"
    row = "a,,1,{},0,0,0.5,1,1,1,0,0,0,-,own"
    assert written(row.format("1"), robot)[0] == robot.replace(pose, expected)
    assert "<mass>2</mass>" in written(row.format("2"), robot)[0]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings_and_line_ends_are_kept(codec: str) -> None:
    robot = ROBOT.replace("a robot", "ein Körper").replace("\n", "\r\n")
    robot = robot.replace('"1.0"?', '"1.0" encoding="iso-8859-1"?') if codec == "iso-8859-1" else robot
    row = "rod,,1,3.25,0,0,0,1,1,1,0,0,0,-,own"
    bom = mp.Bom.from_records([dict(zip(HEAD.strip().split(","), row.split(","), strict=True))], frame="own")
    content, _ = file_with_inertials(bom, "arm.sdf", robot.encode(codec), Findings())
    assert content == robot.replace("<mass>3.0<", "<mass>3.25<").encode(codec)


def test_links_of_included_files_are_not_written(tmp_path: Path) -> None:
    leg = (
        "<sdf version='1.11'><model name='l'><link name='leg'><inertial><mass>2</mass></inertial></link></model></sdf>"
    )
    (tmp_path / "leg.sdf").write_text(leg)
    top = "<sdf version='1.11'><model name='m'><include><uri>leg.sdf</uri></include><link name='a'/></model></sdf>"
    names = HEAD.strip().split(",")
    row = "l::leg,,1,{},0,0,0,1,1,1,0,0,0,-,own"
    for mass, rules in (("2", []), ("3", ["MP868"])):
        bom = mp.Bom.from_records([dict(zip(names, row.format(mass).split(","), strict=True))], units="SI", frame="own")
        findings = Findings()
        assert file_with_inertials(bom, str(tmp_path / "m.sdf"), top.encode(), findings) == (top.encode(), 0)
        assert [one.rule for one in findings] == rules


def test_unknown_links_and_faults_of_the_file() -> None:
    with pytest.raises(TableError, match=r"no link of arm\.sdf has a mass"):
        written("nothing,,1,3,0,0,0,1,1,1,0,0,0,-,own")
    with pytest.raises(TableError, match="frame does not exist"):
        written("rod,,1,3,0,0,0,1,1,1,0,0,0,-,own", ROBOT.replace('"shoulder"/>', '"elbow"/>'))


@pytest.mark.parametrize("count", first([6, 20], 1))
def test_random_bodies_of_turned_inertials(tmp_path: Path, count: int) -> None:
    """The file with the numbers of a table has the roll-up of the table, whatever the axes of its inertials."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        angles = " ".join(f"{value:.3f}" for value in rng.uniform(-3, 3, 3))
        frame = " ".join(f"{value:.3f}" for value in rng.uniform(-3, 3, 6))
        text = ROBOT.replace(' degrees="true"> 0 0  0.05 0 0 90 ', f">0.1 0.2 0.3 {angles}")
        text = text.replace("1 0 0 0 0 0.5", frame)
        (tmp_path / "arm.sdf").write_text(text)
        mp.read_bom(tmp_path / "arm.sdf").save(str(tmp_path / "arm.csv"))
        lines = (tmp_path / "arm.csv").read_text().splitlines()
        for k, line in enumerate(lines):
            cells = line.split(",")
            if cells[0] in ("base/body", "hand::palm/body"):
                cells[3:13] = [
                    repr(float(value)) for value in [*rng.uniform(1, 2, 4), *rng.uniform(3, 4, 3), 0.1, 0.2, 0.3]
                ]
                lines[k] = ",".join(cells)
        (tmp_path / "arm.csv").write_text("\n".join(lines) + "\n")
        bom = mp.read_bom(tmp_path / "arm.csv", units="SI")
        content, links = file_with_inertials(bom, "arm.sdf", text.encode(), Findings())
        assert links == 2
        (tmp_path / "new.sdf").write_bytes(content)
        new, expected = mp.rollup(tmp_path / "new.sdf").root, mp.rollup(bom).root
        assert abs(new.mass - expected.mass) < 1e-12
        np.testing.assert_allclose(new.center, expected.center, rtol=0, atol=1e-12)
        np.testing.assert_allclose(new.inertia, expected.inertia, rtol=0, atol=1e-10)


def test_command(tmp_path: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.sdf").write_text(ROBOT)
    assert massprops("convert", "arm.sdf", "-o", "arm.xlsx").exit_code == 0
    assert massprops("convert", "arm.xlsx", "--into", "arm.sdf", "-o", "same.sdf").exit_code == 0
    assert Path("same.sdf").read_text() == ROBOT


@pytest.mark.parametrize("away", ["3", "100000.3", "6371000.7"])
def test_a_robot_far_from_the_origin_does_not_change(away: str, tmp_path: Path) -> None:
    """Positions of links in the model have fewer decimals there, and those in the link keep theirs."""
    path = tmp_path / "arm.sdf"
    text = ROBOT.replace('<link name="base">', f'<link name="base"><pose>{away} 2.7 3 0.1 0.2 0.3</pose>')
    path.write_text(text)
    mp.read_bom(path).save(str(tmp_path / "arm.csv"))
    bom = mp.read_bom(tmp_path / "arm.csv", units="SI")
    assert file_with_inertials(bom, "arm.sdf", text.encode(), Findings()) == (text.encode(), 0)


def test_numbers_beyond_double_precision_are_not_written() -> None:
    parts = "rod,,1,,,,,,,,,,,,own|a,rod,2,1e308,1,0,0,1,1,1,0,0,0,-,own|b,rod,1,1e308,-1,0,0,1,1,1,0,0,0,-,own"
    names = HEAD.strip().split(",")
    rows = [dict(zip(names, row.split(","), strict=True)) for row in parts.split("|")]
    bom, findings = mp.Bom.from_records(rows, units="SI", frame="own"), Findings()
    with pytest.raises(TableError, match="no link"):
        file_with_inertials(bom, "a.sdf", ROBOT.encode(), findings)
    assert "MP888" in [one.rule for one in findings]
