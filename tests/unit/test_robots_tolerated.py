"""Robot files that simulators read: XML that strict parsers reject, missing models, odd elements; sums by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings
from massprops_cli.robots import urdf
from massprops_cli.robots.robot_model import parse_source
from massprops_cli.robots.tolerated_xml import tolerated_xml

Run = Callable[..., Any]
TENSOR = '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/>'
SDF_TENSOR = "<inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz></inertia>"


def link(name: str, mass: float | str, more: str = "") -> str:
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{TENSOR}{more}</inertial></link>'


def joint(name: str, parent: str, child: str, kind: str = "fixed", more: str = "<origin xyz='1 0 0'/>") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


ROBOT = f"<robot name='r'>{link('a', 2)}\n{link('b', 1)}\n{joint('j', 'a', 'b')}</robot>"


def body(name: str, mass: float | str, more: str = "") -> str:
    return f"<link name='{name}'><inertial><mass>{mass}</mass>{SDF_TENSOR}</inertial>{more}</link>"


def model(*parts: str, name: str = "m", version: str = "1.9", more: str = "") -> str:
    return f"<sdf version='{version}'><model name='{name}'>{''.join(parts)}</model>{more}</sdf>"


def include(uri: str, more: str = "") -> str:
    return f"<include><uri>{uri}</uri>{more}</include>"


def rolled(text: str | bytes, folder: Path, name: str = "", **options: Any) -> mp.Result:
    """The roll-up of a file, with the values that are known."""
    data = text.encode() if isinstance(text, str) else text
    path = folder / (name or ("r.sdf" if b"<sdf" in data or b"<gazebo" in data else "r.urdf"))
    path.write_bytes(data)
    return mp.rollup(mp.read_bom(path, **options), keep_going=True)


def rules(result: mp.Result, severity: mp.Severity = mp.Severity.ERROR) -> list[tuple[str, str]]:
    return [(one.rule, one.item) for one in result.findings if one.severity is severity]


def coverage(result: mp.Result) -> tuple[int, int, int]:
    """The leaves, and those whose mass and whose centre is known."""
    known = result.rollup.coverage
    root = result.root_item
    return int(known.rows[root]), int(known.known_mass[root]), int(known.known_center[root])


FAULTS = {
    "version 0.0 of XML (expected 1.0)": lambda text: b'<?xml version="0.0" ?>\n' + text,
    "declaration not at the beginning": lambda text: b'\n<!-- a -->\n<?xml version="1.0"?>\n' + text,
    "text before the root element": lambda text: b'?xml version="1.0" encoding="UTF-8"?>\n' + text,
    "-- in 2 comments": lambda text: text.replace(b">\n<", b"><!-- a --b 4 <c> --->\n<!-- <!-- --><!-- d --><", 1),
    "text after the root element": lambda text: text + b"\n\0\0 end",
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("text", [ROBOT, model("\n", body("a", 2), "\n", body("b", 1))])
def test_xml_is_read_with_one_note(fault: str, text: str, tmp_path: Path) -> None:
    data = FAULTS[fault](text.encode())
    result = rolled(data, tmp_path)
    assert result.root.mass == 3
    notes = [one for one in result.findings if one.rule == "MP104"]
    assert [(one.severity, one.place.line) for one in notes] == [(mp.Severity.NOTE, 1)]
    assert fault in notes[0].message
    # no byte has another position, and no line another number
    read, _, _ = tolerated_xml(data)
    assert len(read) == len(data)
    assert [k for k, byte in enumerate(read) if byte == 10] == [k for k, byte in enumerate(data) if byte == 10]


def test_well_formed_xml_is_not_changed() -> None:
    """Two hyphens in character data, in an attribute or at the ends of a comment are no fault."""
    text = '\ufeff<?xml version="1.0"?><!----><!-- a - b --><robot a="--"><![CDATA[<!-- -- -->]]></robot>\n<!-- c -->\n'
    assert tolerated_xml(text.encode()) == (text.encode(), None, [])


def test_encoding_of_a_declaration_that_is_not_at_the_beginning_is_used() -> None:
    data = "\n<?xml version='1.0' encoding='ISO-8859-1'?>\n<robot name='\xe9t\xe9'/>".encode("latin-1")
    assert parse_source("r.urdf", data).attributes["name"] == "\xe9t\xe9"


@pytest.mark.parametrize("text", ["<robot name='r'>", "<robot></robot></robot>", "<robot/><robot></robot>", "monkeys"])
def test_other_faults_of_xml_are_errors(text: str, tmp_path: Path) -> None:
    with pytest.raises(mp.TableError) as raised:
        rolled(text, tmp_path, "r.urdf")
    assert [one.rule for one in raised.value.findings] == ["MP104"]


@pytest.mark.parametrize("fault", FAULTS)
def test_writing_back_changes_the_number_and_no_other_byte(fault: str, tmp_path: Path, massprops: Run) -> None:
    data = FAULTS[fault](ROBOT.encode())
    (tmp_path / "r.urdf").write_bytes(data)
    table = tmp_path / "t.csv"
    assert massprops("convert", tmp_path / "r.urdf", "-o", table).exit_code == 0
    table.write_text(table.read_text().replace("a/body,a,1,2,", "a/body,a,1,5,"))
    out = tmp_path / "new.urdf"
    done = massprops("convert", table, "--into-robot", tmp_path / "r.urdf", "-o", out)
    assert done.exit_code == 0, done.output
    assert out.read_bytes() == data.replace(b'value="2"', b'value="5"')


def test_four_angles_leave_the_mass_of_the_branch(tmp_path: Path) -> None:
    four = joint("k", "b", "c", more="<origin xyz='1 0 0' rpy='0 0 1.57 0'/>")
    text = ROBOT.replace("</robot>", f"{link('c', 4)}{link('d', 8)}{four}{joint('l', 'c', 'd')}</robot>")
    result = rolled(text, tmp_path)
    assert result.root.mass == 15
    assert rules(result) == [("MP205", "k")]
    assert coverage(result) == (4, 4, 2)
    # the centre of the two links that are placed: (2·0 + 1·1)/3
    assert result.root.center[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("kind", "more", "expected"), [
    ("spherical", "", [("MP867", "j")]),
    ("revolute", "<axis xyz='1 0 0'/><axis xyz='0 1 0'/>", [("MP866", "j")]),
])  # fmt: skip
def test_odd_joints_leave_all_numbers(kind: str, more: str, expected: list, tmp_path: Path) -> None:
    result = rolled(ROBOT.replace('type="fixed"', f'type="{kind}"').replace("</joint>", f"{more}</joint>"), tmp_path)
    assert rules(result) == expected
    np.testing.assert_allclose([result.root.mass, *result.root.center], [3, 1 / 3, 0, 0], rtol=1e-15)


def test_joint_of_unknown_type_is_written(tmp_path: Path, massprops: Run) -> None:
    """All numbers are right, so that the table is written; the exit code is 1."""
    (tmp_path / "r.urdf").write_text(ROBOT.replace('type="fixed"', 'type="spherical"'))
    assert massprops("rollup", tmp_path / "r.urdf").exit_code == 1
    assert (tmp_path / "r.urdf.rollup.csv").is_file()
    assert massprops("robot", "massmatrix", tmp_path / "r.urdf").exit_code == 2


@pytest.mark.parametrize(("bad", "rule"), [
    (link("b", "1,5"), "MP205"), (link("b", 1, "<mass value='2'/>"), "MP866"),
    (f"<link name='b'><inertial/>{link('b', 1)[15:]}", "MP866"),
])  # fmt: skip
def test_inertials_that_are_not_clear_make_a_lower_bound(bad: str, rule: str, tmp_path: Path) -> None:
    """The cause is reported, and not that the mass is missing."""
    result = rolled(ROBOT.replace(link("b", 1), bad), tmp_path)
    assert result.root.mass == 2
    assert rules(result) == [(rule, "b")]
    assert coverage(result) == (2, 1, 1)


def test_parent_world_is_the_world(tmp_path: Path) -> None:
    """Drake's convention: a link of that name is not needed."""
    result = rolled(ROBOT.replace("</robot>", f"{joint('w', 'world', 'a')}</robot>"), tmp_path)
    assert rules(result) == []
    assert result.ids[0] == "world"
    np.testing.assert_allclose([result.root.mass, result.root.center[0]], [3, 4 / 3])


@pytest.mark.parametrize(("more", "placed"), [
    (link("c", 4), 2),  # not joined
    (f"{link('c', 4)}{joint('k', 'c', 'b')}", 1),  # b is the child of two joints
    (f"{link('c', 3)}{link('d', 1)}{joint('k', 'c', 'd')}{joint('l', 'd', 'c')}", 2),  # c and d form a loop
])  # fmt: skip
def test_links_that_form_no_tree_count_with_their_mass(more: str, placed: int, tmp_path: Path) -> None:
    result = rolled(ROBOT.replace("</robot>", f"{more}</robot>"), tmp_path)
    assert result.root.mass == 7
    assert {rule for rule, _ in rules(result)} == {"MP860"}
    leaves, masses, centers = coverage(result)
    assert (masses, centers) == (leaves, placed)


def test_mechanisms_need_every_pose(tmp_path: Path, massprops: Run) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT.replace("xyz='1 0 0'", "rpy='0 0 0 0'"))
    done = massprops("robot", "massmatrix", tmp_path / "r.urdf")
    assert done.exit_code == 2
    assert "MP205" in done.output
    assert "internal error" not in done.output


MISSING = (
    "https://fuel.gazebosim.org/1.0/openrobotics/models/Sun", "model://nowhere", "nowhere", "../outside", "broken",
    "old", "jinja",
)  # fmt: skip


@pytest.mark.parametrize("uri", MISSING)
def test_model_that_is_missing_is_a_lower_bound_at_its_item(uri: str, tmp_path: Path, massprops: Run) -> None:
    folder = tmp_path / "worlds"
    for name, text in (("broken", "<sdf"), ("old", model(body("a", 1), version="1.0")), ("jinja", "")):
        (folder / name).mkdir(parents=True)
        (folder / name / "model.config").write_text(f"<model><sdf version='1.6'>{name}.sdf</sdf></model>")
        (folder / name / f"{name}.sdf{'.jinja' if name == 'jinja' else ''}").write_text(text)
    world = f"<sdf version='1.9'><world name='w'>{include(uri)}<model name='m'>{body('b', 2)}</model></world></sdf>"
    result = rolled(world, folder, "w.sdf")
    assert result.root.mass == 2
    assert [rule for rule, _ in rules(result)] == ["MP850"]
    assert coverage(result) == (2, 1, 1)
    done = massprops("rollup", folder / "w.sdf")
    assert done.exit_code == 1
    assert "mass          ≥ 2" in done.output
    assert ("made" in done.output or "makes it from jinja.sdf.jinja" in done.output) == (uri == "jinja")


def test_inertials_of_the_file_itself_are_written_without_a_missing_model(tmp_path: Path, massprops: Run) -> None:
    box = "<collision name='c'><density>24</density><geometry><box><size>1 1 1</size></box></geometry></collision>"
    text = model(include("gone"), f"<link name='b'><inertial auto='true'/>{box}</link>", version="1.11")
    (tmp_path / "m.sdf").write_text(text)
    done = massprops("robot", "inertials", tmp_path / "m.sdf", "-o", tmp_path / "n.sdf")
    assert (done.exit_code, "warning MP850" in done.output) == (0, True)
    assert "<mass>24</mass>" in (tmp_path / "n.sdf").read_text().replace("24.0", "24")


def test_joints_and_poses_of_a_missing_model(tmp_path: Path) -> None:
    """Its names are not known to be wrong; what is stated in one of its frames has no known pose."""
    fixed = "<joint name='j' type='fixed'><parent>g::palm</parent><child>a</child></joint>"
    on_it = "<pose relative_to='g::palm'>1 0 0 0 0 0</pose>"
    text = model(include("gone", "<name>g</name>"), body("a", 2), body("b", 1, on_it), fixed)
    result = rolled(text, tmp_path)
    assert [rule for rule, _ in rules(result)] == ["MP850"]
    assert result.root.mass == 3
    assert coverage(result) == (3, 2, 1)


def test_bare_names_are_folders_of_models(tmp_path: Path) -> None:
    """A chain: the world includes x500 by its name, whose configuration names a file that includes x500_base."""
    models = tmp_path / "models"
    for name, text in (("x500", model(body("cam", 1), include("x500_base"))), ("x500_base", model(body("hull", 2)))):
        (models / name).mkdir(parents=True)
        (models / name / "model.config").write_text("<model><sdf version='1.9'>model.sdf</sdf></model>")
        (models / name / "model.sdf").write_text(text)
    world = f"<sdf version='1.9'><world name='w'>{include('x500')}</world></sdf>"
    assert rolled(world, tmp_path, mesh_roots=str(models)).root.mass == 3
    top = rolled(f"<sdf version='1.9'>{include('x500')}</sdf>", tmp_path, mesh_roots=str(models))
    assert (top.root.mass, rules(top)) == (3, [])


def test_lights_and_actors_have_no_mass(tmp_path: Path) -> None:
    (tmp_path / "sun").mkdir()
    (tmp_path / "sun" / "model.sdf").write_text("<sdf version='1.6'><light name='sun' type='directional'/></sdf>")
    world = f"<sdf version='1.9'><world name='w'>{include('sun/model.sdf')}"
    result = rolled(f"{world}<model name='m'>{body('a', 2)}</model></world></sdf>", tmp_path)
    assert (result.root.mass, rules(result), coverage(result)[1]) == (2, [], coverage(result)[0])
    for text in ("<sdf version='1.9'><actor name='x'/></sdf>", "<sdf version='1.9'><world name='w'/></sdf>"):
        assert (rolled(text, tmp_path).root.mass, rules(rolled(text, tmp_path))) == (0, [])


@pytest.mark.parametrize("version", ["1.2", "1.3", "1.4"])
@pytest.mark.parametrize("root", ["sdf", "gazebo"])
def test_older_versions_are_read(version: str, root: str, tmp_path: Path) -> None:
    turned = body("b", 1, "<pose>0 0 0 0 0 1.5707963267948966</pose>").replace(
        "<mass>", "<pose>1 0 0 0 0 0</pose><mass>"
    )
    hinge = "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>"
    text = model(body("a", 2), turned, hinge, version=version).replace("sdf", root)
    np.testing.assert_allclose(rolled(text, tmp_path).root.center, [0, 1 / 3, 0], atol=1e-12)
    # the conversion of 1.4 to 1.5 adds use_parent_model_frame = true: the axis is x of the model, not of b
    moved = rolled(text, tmp_path, q={"j": "90 deg"})
    np.testing.assert_allclose(moved.root.center, [0, 0, 1 / 3], atol=1e-12)


def test_joint_with_the_name_of_a_link_is_read_until_1_6(tmp_path: Path) -> None:
    parts = body("a", 2), body("b", 1), "<joint name='b' type='revolute'><parent>a</parent><child>b</child></joint>"
    assert rules(rolled(model(*parts, version="1.6"), tmp_path)) == []
    with pytest.raises(mp.TableError, match="two elements of a model have the name b"):
        rolled(model(*parts, version="1.7"), tmp_path)


@pytest.mark.parametrize(("parts", "rule", "known"), [
    ((body("b", 1, "<pose>1 2 3 4</pose>"),), "MP854", (2, 2, 1)),
    ((body("b", 1, "<pose relative_to='nothing'/>"),), "MP872", (2, 2, 1)),
    ((f"<model name='n'><pose>1</pose>{body('b', 1)}</model>",), "MP854", (2, 2, 1)),
    ((body("b", "x"),), "MP205", (2, 1, 1)),
    ((body("b", 1).replace("<mass>", "<mass>3</mass><mass>"),), "MP866", (2, 1, 1)),
    ((body("b", 1).replace("<mass>", "<pose>1 2</pose><mass>"),), "MP854", (2, 2, 1)),
])  # fmt: skip
def test_odd_elements_of_sdf_leave_the_rest(parts: tuple, rule: str, known: tuple, tmp_path: Path) -> None:
    result = rolled(model(body("a", 2), *parts), tmp_path)
    assert [one for one, _ in rules(result)] == [rule]
    assert (result.root.mass, coverage(result)) == (3 if known[1] == 2 else 2, known)


def test_automatic_inertial_of_a_collision_that_is_not_valid_has_one_finding(tmp_path: Path) -> None:
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    auto = f"<link name='b'><inertial auto='true'/><collision name='c'><pose>1</pose>{box}</collision></link>"
    result = rolled(model(body("a", 2), auto), tmp_path)
    assert [rule for rule, _ in rules(result)] == ["MP854"]
    assert (result.root.mass, coverage(result)) == (2, (2, 1, 1))


def test_automatic_inertial_in_a_link_without_known_pose_has_its_mass(tmp_path: Path) -> None:
    box = "<collision name='c'><density>24</density><geometry><box><size>1 1 1</size></box></geometry></collision>"
    auto = f"<link name='b'><pose>1</pose><inertial auto='true'/>{box}</link>"
    result = rolled(model(body("a", 2), auto), tmp_path)
    assert (result.root.mass, coverage(result)) == (26, (2, 2, 1))


XACRO = (
    "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:property name='m' value='4'/>\n"
    f"{link('a', '${m/2}')}</robot>"
)  # fmt: skip


def test_xacro_is_expanded_in_memory(tmp_path: Path, massprops: Run) -> None:
    pytest.importorskip("xacro")
    result = rolled(XACRO, tmp_path, "r.urdf.xacro")
    assert result.root.mass == 2
    assert [rule for rule, _ in rules(result, mp.Severity.NOTE)] == ["MP865"]
    with pytest.raises(mp.TableError, match="xacro does not expand the file"):
        rolled(XACRO.replace("m/2", "n/2"), tmp_path, "s.urdf.xacro")
    # only a file named as one of xacro is expanded, and none is written into
    with pytest.raises(mp.TableError, match="file is a xacro macro file"):
        rolled(XACRO, tmp_path, "r.urdf")
    table = tmp_path / "t.csv"
    assert massprops("convert", tmp_path / "r.urdf.xacro", "-o", table).exit_code == 0
    into = massprops("convert", table, "--into-robot", tmp_path / "r.urdf.xacro", "-o", tmp_path / "n.xacro")
    assert (into.exit_code, "MP865" in into.output) == (2, True)


def test_xacro_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urdf, "find_spec", lambda name: None)
    with pytest.raises(mp.TableError, match=r"pip install 'massprops\[robot\]'"):
        rolled(XACRO, tmp_path, "r.urdf.xacro")


def test_expansion_of_xacro_has_a_limit_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urdf, "find_spec", lambda name: sys)
    monkeypatch.setattr(urdf, "_PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(urdf, "_SECONDS", 0.1)
    path = tmp_path / "r.urdf.xacro"
    path.write_text(XACRO)
    with pytest.raises(mp.TableError, match="it takes more than"):
        urdf._expanded_robot(str(path), path.read_bytes(), Findings())
