"""Links of an SDF file against their geometry and each other: the rules of URDF, with faults put in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Finding
from massprops_cli.robots.robot_checks import _half_extents, _shape_values
from massprops_cli.robots.robot_model import CollisionShape
from tests.mesh_examples import box as mesh_of_box, write_stl

RULES = ("MP864", "MP880", "MP881", "MP882", "MP883", "MP884")
LEG = "<box><size>0.1 0.1 0.4</size></box>"


def link(
    name: str, mass: str = "2", center: str = "0 0 -0.2 0 0 0", shape: str = "", tensor: str = "", **more: str
) -> str:
    """A leg; its collision is 0.2 m below its origin."""
    entries = tensor or "<ixx>0.028</ixx><iyy>0.028</iyy><izz>0.0033</izz>"
    inertial = f"<inertial><pose>{center}</pose><mass>{mass}</mass><inertia>{entries}</inertia></inertial>"
    pose = more.get("pose", "<pose>0 0 -0.2 0 0 0</pose>")
    collision = f"<collision name='c'>{pose}<geometry>{shape}</geometry></collision>" if shape else ""
    return f"<link name='{name}'>{inertial}{collision}</link>"


def found(folder: Path, *parts: str, **options: object) -> list[Finding]:
    """The findings of a model; part k is in line k + 1."""
    path = folder / "model.sdf"
    path.write_text("\n".join(["<sdf version='1.11'><model name='m'>", *parts, "</model></sdf>"]))
    return [one for one in mp.read_bom(path, **options).findings if one.rule in RULES]


def lines(findings: list[Finding]) -> list[tuple[str, int | None]]:
    return [(one.rule, one.place.line) for one in findings]


def test_possible_links_have_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, link("left_leg", shape=LEG), link("right_leg", shape=LEG)) == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"center": "0 0 0.2 0 0 0"}, "MP882"),  # the sign of z
        ({"mass": "2000", "tensor": "<ixx>28</ixx><iyy>28</iyy><izz>3.3</izz>"}, "MP883"),  # 500,000 kg/m³
        ({"tensor": "<ixx>28</ixx><iyy>28</iyy><izz>3.3</izz>"}, "MP884"),  # g·m²
        # the axes of the inertial are turned: its pose is that of the row
        ({"center": "0 0 0.2 0 0 1.5"}, "MP882"),
    ],
)
def test_link_against_its_geometry(change: dict[str, str], rule: str, tmp_path: Path) -> None:
    assert lines(found(tmp_path, link("base", shape=LEG), link("leg", shape=LEG, **change))) == [(rule, 3)]


def test_pose_of_a_collision_in_another_frame(tmp_path: Path) -> None:
    """The collision is stated in a frame 1 m above the link, so that its centre is at −0.2 m in the link."""
    frame = "<frame name='f'><pose>0 0 1 0 0 0</pose></frame>"
    pose = "<pose relative_to='f'>0 0 {} 0 0 0</pose>"
    assert found(tmp_path, frame, link("leg", shape=LEG, pose=pose.format("-1.2"))) == []
    assert lines(found(tmp_path, frame, link("leg", shape=LEG, pose=pose.format("-0.2")))) == [("MP882", 3)]


def test_left_and_right(tmp_path: Path) -> None:
    assert lines(found(tmp_path, link("left_leg"), link("right_leg", mass="3"))) == [("MP880", 2)]
    signed = "<ixx>0.028</ixx><iyy>0.028</iyy><izz>0.0033</izz><ixy>0.002</ixy><iyz>{0}0.002</iyz>"
    left = link("left_leg", tensor=signed.format(""), center="0.01 0.02 -0.2 0 0 0")
    right = link("right_leg", tensor=signed.format(""), center="0.01 -0.02 -0.2 0 0 0")
    assert [one.rule for one in found(tmp_path, left, right)] == ["MP881"]


def test_defaults_and_computed_links_are_not_compared_with_defaults(tmp_path: Path) -> None:
    """A link with the default of the format has MP853; an automatic inertial fits its geometry."""
    auto = "<link name='{}'><inertial auto='true'><density>800</density></inertial>{}</link>"
    shape = f"<collision name='c'><geometry>{LEG}</geometry></collision>"
    assert found(tmp_path, link("left_leg"), "<link name='right_leg'/>") == []
    assert found(tmp_path, auto.format("left_leg", shape), auto.format("right_leg", shape)) == []
    wider = shape.replace("0.4", "0.5")
    assert lines(found(tmp_path, auto.format("left_leg", shape), auto.format("right_leg", wider))) == [("MP880", 2)]


def test_ids_and_places_of_included_files(tmp_path: Path) -> None:
    leg = link("leg", shape=LEG, center="0 0 0.2 0 0 0")
    (tmp_path / "leg.sdf").write_text(f"<sdf version='1.11'>\n<model name='l'>\n{leg}</model></sdf>")
    finding = found(tmp_path, "<include><uri>leg.sdf</uri><name>front</name></include>")[0]
    assert (finding.rule, finding.item, finding.place.file, finding.place.line) == ("MP882", "front::leg", "leg.sdf", 3)


def test_moving_joint_without_mass(tmp_path: Path) -> None:
    none = "<ixx>0</ixx><iyy>0</iyy><izz>0</izz>"
    joint = "<joint name='{0}{1}' type='{2}'><parent>{0}</parent><child>{1}</child></joint>"
    empty = [link("b", mass="0", tensor=none), link("c", mass="0", tensor=none)]
    moved = joint.format("a", "b", "revolute")
    assert lines(found(tmp_path, link("a"), *empty, moved, joint.format("b", "c", "fixed"))) == [("MP864", 5)]
    rules = [one.rule for one in mp.read_bom(tmp_path / "model.sdf").findings]
    assert rules.count("MP402") == 1  # of c, which no joint moves
    # what is fixed to it has a mass
    assert found(tmp_path, link("a"), *empty, link("d"), moved, joint.format("b", "d", "fixed")) == []
    assert found(tmp_path, link("a"), empty[0], joint.format("a", "b", "fixed")) == []
    world = joint.format("world", "b", "fixed")
    assert found(tmp_path, link("a"), empty[0], moved, world) == []
    assert found(tmp_path, "<static>true</static>", link("a"), empty[0], moved) == []


def test_boxes_of_meshes_in_given_folders(tmp_path: Path) -> None:
    mesh = mesh_of_box((0.1, 0.1, 0.4))
    write_stl(tmp_path / "leg.stl", mesh)
    shape = "<mesh><uri>leg.stl</uri></mesh>"
    text = link("leg", shape=shape, center="0 0 3 0 0 0")
    assert found(tmp_path, text) == []
    assert lines(found(tmp_path, text, mesh_roots=[str(tmp_path)])) == [("MP882", 2)]
    assert found(tmp_path, link("leg", shape="<mesh><uri>no.stl</uri></mesh>"), mesh_roots=[str(tmp_path)]) == []


@pytest.mark.parametrize("shape", ["<plane/>", "<box><size>0 1 1</size></box>", "<heightmap/>", ""])
def test_unknown_geometry_is_not_compared(shape: str, tmp_path: Path) -> None:
    assert found(tmp_path, link("leg", center="9 9 9 0 0 0", shape=shape or "<polyline/>")) == []


def test_extents_and_volumes_of_cones_and_ellipsoids() -> None:
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    ellipsoid = CollisionShape("ellipsoid", (1.0, 2.0, 3.0), (0, 0, 0), (0, 0, 0))
    np.testing.assert_allclose(_half_extents(ellipsoid, turn), [2, 1, 3], rtol=0, atol=1e-15)
    assert abs(_shape_values(ellipsoid, "density", 1.0)[0] - 8 * np.pi) < 1e-12
    cone = CollisionShape("cone", (1.0, 4.0), (0, 0, 0), (0, 0, 0))
    np.testing.assert_allclose(_half_extents(cone, np.eye(3)), [1, 1, 2], rtol=0, atol=1e-15)
    assert abs(_shape_values(cone, "density", 1.0)[0] - 4 * np.pi / 3) < 1e-12
