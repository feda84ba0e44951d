"""Poses of SDF: frames, joints, nested models, placement frames, includes; positions by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import TableError

HALF = math.sqrt(0.5)


def body(name: str, pose: str = "", attributes: str = "") -> str:
    """A link of 1 kg at its own origin."""
    stated = f"<pose {attributes}>{pose}</pose>" if pose or attributes else ""
    tensor = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
    return f"<link name='{name}'>{stated}<inertial><mass>1</mass>{tensor}</inertial></link>"


def sdf(*parts: str, version: str = "1.11", more: str = "") -> str:
    return f"<sdf version='{version}'><model name='m' {more}>{''.join(parts)}</model></sdf>"


def frame(pose: str, name: str = "f", of_pose: str = "", of_frame: str = "") -> str:
    return f"<frame name='{name}' {of_frame}><pose {of_pose}>{pose}</pose></frame>"


def nested(name: str, *parts: str, pose: str = "0 0 5 0 0 0", of_pose: str = "", more: str = "") -> str:
    return f"<model name='{name}' {more}><pose {of_pose}>{pose}</pose>{''.join(parts)}</model>"


IN_F = "relative_to='f'"
QUARTER = f"1 0 0 0 0 {HALF!r} {HALF!r}"


def read(text: str, folder: Path, **options: object) -> mp.Bom:
    path = folder / "model.sdf"
    path.write_text(text, encoding="utf-8")
    return mp.read_bom(path, **options)


def center(text: str, folder: Path, **options: object) -> list[float]:
    """Centre of the only link that has a mass, in the frame of the model."""
    return [round(float(value), 12) for value in mp.rollup(read(text, folder, **options)).root.center]


def codes(text: str, folder: Path, **options: object) -> list[tuple[str, int | None]]:
    """The errors of a file, whether or not it is read."""
    try:
        found = read(text, folder, **options).findings
    except TableError as error:
        found = tuple(error.findings)
    return [(finding.rule, finding.place.line) for finding in found if finding.severity is mp.Severity.ERROR]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([body("a", "1 2 3 0 0 0")], [1, 2, 3]),
        ([body("a", "1 2 3 0 0 0", "relative_to='__model__'")], [1, 2, 3]),
        # a frame turned by 90° about z at (1, 0, 0): its x is the y of the model
        ([body("a", "2 0 0 0 0 0", IN_F), frame("1 0 0 0 0 90", of_pose="degrees='true'")], [1, 2, 0]),
        # the pose of a frame is by default in what it is attached to
        ([body("a", "1 0 0 0 0 0", IN_F), frame("0 1 0 0 0 0", of_frame="attached_to='g'"),
          frame("0 0 1 0 0 0", "g")], [1, 1, 1]),
        # with relative_to it is in that frame, whatever it is attached to
        ([body("a", "1 0 0 0 0 0", IN_F), frame("0 1 0 0 0 0", "f", "relative_to='__model__'", "attached_to='g'"),
          frame("0 0 1 0 0 0", "g")], [1, 1, 0]),
        # a quaternion of 90° about z, x y z w
        ([body("a", "2 0 0 0 0 0", IN_F), frame(QUARTER, of_pose="rotation_format='quat_xyzw'")], [1, 2, 0]),
        # a nested model and a link in it
        ([nested("n", body("a", "1 0 0 0 0 0"))], [1, 0, 5]),
        # the frame tip of the nested model is placed at z = 5; the model itself is 1 below
        ([nested("n", body("a"), frame("0 0 1 0 0 0", "tip"), more="placement_frame='tip'")], [0, 0, 4]),
        # a name in a nested model
        ([nested("n", frame("0 1 0 0 0 0")), body("a", "1 0 0 0 0 0", "relative_to='n::f'")], [1, 1, 5]),
        ([nested("n", body("a"), of_pose=IN_F), frame("1 1 0 0 0 0")], [1, 1, 5]),
    ],
)  # fmt: skip
def test_pose_is_composed(parts: list[str], expected: list[float], tmp_path: Path) -> None:
    assert center(sdf(*parts), tmp_path) == expected


def test_frame_of_a_joint_is_that_of_its_child_unless_its_pose_states_another(tmp_path: Path) -> None:
    carrier = "<model name='c'><link name='none'/></model>"
    joint = "<joint name='j' type='fixed'>{}<parent>world</parent><child>c</child></joint>"
    for pose, expected in (
        ("<pose>0 0 1 0 0 0</pose>", 8.0),
        ("<pose relative_to='__model__'>0 0 1 0 0 0</pose>", 1.0),
    ):
        moved = carrier.replace("<link", "<pose>0 0 7 0 0 0</pose><link", 1)
        text = sdf(moved, joint.format(pose), body("a", "0 0 0 0 0 0", "relative_to='j'"))
        assert center(text, tmp_path, default_inertial="zero") == [0, 0, expected]


def test_before_1_7_the_frame_is_an_attribute_of_that_name(tmp_path: Path) -> None:
    frames = "<frame name='f'><pose>0 0 1 0 0 0</pose></frame>"
    assert center(sdf(body("a", "1 0 0 0 0 0", "frame='f'"), frames, version="1.6"), tmp_path) == [1, 0, 1]
    later = sdf(body("a", "1 0 0 0 0 0", "frame='f'"), frames, version="1.7")
    found = [one.message for one in read(later, tmp_path).findings if one.rule == "MP854"]
    assert found == ["pose of a states the attribute frame, which SDF has until 1.6: 'f'"]


@pytest.mark.parametrize("version", ["1.5", "1.6", "1.7", "1.12"])
def test_relative_to_is_read_in_every_version(version: str, tmp_path: Path) -> None:
    """The conversion of libsdformat keeps relative_to in files before 1.7, as PX4's rovers have it."""
    frames = "<frame name='f'><pose>0 0 1 0 0 0</pose></frame><frame name='g'><pose>0 0 2 0 0 0</pose></frame>"
    assert center(sdf(body("a", "1 0 0 0 0 0", IN_F), frames, version=version), tmp_path) == [1, 0, 1]
    if version in ("1.5", "1.6"):  # frame replaces relative_to
        both = sdf(body("a", "1 0 0 0 0 0", "frame='g' relative_to='f'"), frames, version=version)
        assert center(both, tmp_path) == [1, 0, 2]


def test_models_that_are_stated_in_themselves(tmp_path: Path) -> None:
    """The fault of a model in a world has the same finding as that of a frame."""
    own = nested("n", body("a"), pose="0 0 0 0 0 0", of_pose="relative_to='n'")
    world = f"<sdf version='1.11'><world name='w'>{own}</world></sdf>"
    assert codes(world, tmp_path) == [("MP873", 1)]
    assert codes(sdf(own), tmp_path) == [("MP873", 1)]
    two = nested("p", body("a"), of_pose="relative_to='q'") + nested("q", body("a"), of_pose="relative_to='p'")
    assert [rule for rule, _ in codes(sdf(two), tmp_path)] == ["MP873"]


def test_flag_that_is_not_true_or_false_has_a_hint_of_its_own(tmp_path: Path) -> None:
    bom = read(sdf("<link name='a'><inertial auto='yes'/></link>"), tmp_path)
    assert [(one.message, one.remedy) for one in bom.findings if one.rule == "MP854"] == [
        ("auto is not true or false: 'yes'", "write true or false")
    ]


@pytest.mark.parametrize("version", [f"1.{minor}" for minor in range(2, 13)])
def test_versions_that_are_read(version: str, tmp_path: Path) -> None:
    assert center(sdf(body("a", "1 0 0 0 0 0"), version=version), tmp_path) == [1, 0, 0]


@pytest.mark.parametrize("version", ["", "1.1", "1.13", "2.0", "one", "1.5.1", "1.１１"])
def test_other_versions_are_rejected(version: str, tmp_path: Path) -> None:
    assert codes(sdf(body("a"), version=version), tmp_path) == [("MP870", 1)]


def test_numbers_of_a_pose_that_is_not_composed_keep_their_text(tmp_path: Path) -> None:
    table = read(sdf(body("a", "1.50 0 0 0 0 0.100")), tmp_path).table
    assert table.row(2)[14:20] == ["1.50", "0", "0", "0", "0", "0.100"]


def test_turned_frames_reproduce_the_rotation_at_a_pitch_of_a_quarter_turn(tmp_path: Path) -> None:
    # turns about z, then y by 90°, then x: roll and yaw are about one axis
    turned_frame = frame(f"0 0 0 0.3 {math.pi / 2!r} 0.7")
    bom = read(sdf(turned_frame, body("a", "1 2 3 0.1 0 0", "relative_to='f'")), tmp_path)
    roll, pitch, yaw = (float(text) for text in bom.table.row(2)[17:20])
    turned = mp.Poses.from_rpy([[0.0, 0, 0]] * 3, [[0.3, math.pi / 2, 0.7], [0.1, 0, 0], [roll, pitch, yaw]], "rad")
    expected = turned.rotation[0] @ turned.rotation[1]
    np.testing.assert_allclose(turned.rotation[2], expected, rtol=0, atol=1e-15)


def test_ids_are_scoped_names(tmp_path: Path) -> None:
    below = nested("n", body("a"), nested("o", body("a")))
    ids = read(sdf(body("a"), below), tmp_path).ids
    assert sorted(ids) == sorted(["m", "a", "a/body", "n", "n::a", "n::a/body", "n::o", "n::o::a", "n::o::a/body"])


def test_world_with_several_models(tmp_path: Path) -> None:
    model = "<model name='{0}'><pose relative_to='f'>{1} 0 0 0 0 0</pose>{2}</model>"
    parts = (
        "<frame name='f'><pose>0 0 1 0 0 0</pose></frame>"
        + model.format("p", 1, body("a"))
        + model.format("q", 3, body("a"))
    )
    bom = read(f"<sdf version='1.9'><world name='w'>{parts}</world></sdf>", tmp_path)
    root = mp.rollup(bom).root
    assert root.mass == 2
    assert root.center.tolist() == [2, 0, 1]
    assert {"w", "p", "p::a", "q::a/body"} <= set(bom.ids)


def test_pose_of_the_only_model_is_not_applied(tmp_path: Path) -> None:
    assert center(sdf("<pose>0 0 9 0 0 0</pose>", body("a", "1 0 0 0 0 0")), tmp_path) == [1, 0, 0]


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ([body("a", "0 0 0 0 0 0", "relative_to='b'"), body("b", "0 0 0 0 0 0", "relative_to='a'")], "MP873"),
        ([body("a", "0 0 0 0 0 0", "relative_to='a'")], "MP873"),
        (["<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>", body("a")], "MP873"),
        ([nested("n", frame(""), body("a", "0 0 0 0 0 0", "relative_to='g'"), more="placement_frame='f'")], "MP872"),
        ([body("a", "0 0 0 0 0 0", "relative_to='world'")], "MP872"),
        ([body("a"), "<joint name='j' type='fixed'><parent>a</parent><child>c</child></joint>"], "MP861"),
        ([body("a"), body("a")], "MP862"),
        ([body("a"), "<frame name='a'/>"], "MP862"),
        ([body("")], "MP862"),
        ([body("a", "1 2 3")], "MP854"),
        ([body("a", "1 2 3 0 0 nan")], "MP854"),
        ([body("a", "1 2 3 0 0 0", "rotation_format='rpy'")], "MP854"),
        ([body("a", "1 2 3 0 0 0 2", "rotation_format='quat_xyzw'")], "MP854"),
        ([body("a", "1 2 3 0 0 0 1", "rotation_format='quat_xyzw' degrees='true'")], "MP854"),
        ([body("a").replace("<mass>1", "<mass>x")], "MP205"),
        ([body("a").replace("<mass>1</mass>", "<mass>1</mass><mass>2</mass>")], "MP866"),
    ],
)  # fmt: skip
def test_faults_name_their_rule(parts: list[str], rule: str, tmp_path: Path) -> None:
    assert rule in [code for code, _ in codes(sdf(*parts), tmp_path)]


def test_canonical_link_must_exist(tmp_path: Path) -> None:
    assert codes(sdf(body("a"), more="canonical_link='b'"), tmp_path) == [("MP872", 1)]
    assert len(read(sdf(nested("n", body("b")), more="canonical_link='n::b'"), tmp_path)) == 4


def test_all_faults_in_one_run(tmp_path: Path) -> None:
    text = sdf("\n" + body("a", "1"), "\n" + body("a"), "\n" + body("c").replace("<ixx>0.1", "<ixx>x"))
    assert codes(text, tmp_path) == [("MP854", 2), ("MP862", 3), ("MP205", 4)]


def test_document_types_and_entities_are_rejected(tmp_path: Path) -> None:
    for text in (
        "<!DOCTYPE sdf [<!ENTITY a 'x'>]>" + sdf(body("a")),
        "<!DOCTYPE sdf SYSTEM 'http://localhost/x.dtd'>" + sdf(body("a")),
    ):
        assert [code for code, _ in codes(text, tmp_path)] == ["MP115"]
    assert [code for code, _ in codes(sdf(body("a", "&pose;")), tmp_path)] == ["MP104"]


def test_custom_elements_need_no_declared_prefix(tmp_path: Path) -> None:
    text = sdf("<gz:custom gz:kind='x'/>", body("a", "1 0 0 0 0 0"), "<plugin name='p'><anything/></plugin>")
    assert center(text, tmp_path) == [1, 0, 0]


def included(folder: Path, name: str = "gripper", more: str = "", version: str = "1.9") -> None:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "model.config").write_text(
        "<model><name>g</name><sdf version='1.5'>old.sdf</sdf>"
        "<sdf version='1.9'>new.sdf</sdf><sdf version='1.13'>next.sdf</sdf></model>"
    )
    pose = "<pose>0 0 9 0 0 0</pose><frame name='tip'><pose>0 0 1 0 0 0</pose></frame>"
    parts = body("palm", "1 0 0 0 0 0") + pose + more
    text = f"<sdf version='{version}'><model name='g'>{parts}</model></sdf>"
    (folder / name / "new.sdf").write_text(text)


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        ("<uri>model://gripper</uri>", [1, 0, 9]),
        ("<uri>model://gripper/new.sdf</uri>", [1, 0, 9]),
        ("<uri>package://gripper/new.sdf</uri>", [1, 0, 9]),
        ("<uri>gripper/new.sdf</uri>", [1, 0, 9]),
        ("<uri>gripper</uri><pose>0 5 0 0 0 0</pose>", [1, 5, 0]),
        ("<uri>gripper</uri><pose>0 5 0 0 0 0</pose><placement_frame>tip</placement_frame>", [1, 5, -1]),
        ("<uri>gripper</uri><pose relative_to='f'>0 5 0 0 0 0</pose>", [1, 5, 2]),
    ],
)
def test_included_model(include: str, expected: list[float], tmp_path: Path) -> None:
    included(tmp_path)
    bom = read(sdf(frame("0 0 2 0 0 0"), f"<include>{include}<name>hand</name></include>"), tmp_path)
    assert mp.rollup(bom).root.center.tolist() == expected
    assert "hand::palm/body" in bom.ids


def test_merged_names_are_those_of_the_including_model(tmp_path: Path) -> None:
    included(tmp_path)
    text = sdf("<include merge='true'><uri>gripper</uri></include>", body("a", "0 1 0 0 0 0", "relative_to='palm'"))
    bom = read(text, tmp_path)
    # palm is at (1, 0, 9), a next to it
    assert mp.rollup(bom).root.center.tolist() == [1, 0.5, 9]
    assert {"palm", "palm/body", "a"} <= set(bom.ids)


def test_findings_of_an_included_file_are_in_that_file(tmp_path: Path) -> None:
    included(tmp_path, more="\n<link name='b'><pose>1</pose></link>")
    found = read(sdf("<include><uri>gripper</uri></include>"), tmp_path).findings
    assert [str(finding.place) for finding in found if finding.rule == "MP854"] == ["gripper/new.sdf:2"]


@pytest.mark.parametrize(
    "uri",
    [
        "http://example.org/model", "https://fuel.gazebosim.org/x", "ftp://x/y", "model://other", "../outside.sdf",
        "/etc/passwd", "file:///etc/passwd", "gripper/../../outside.sdf",
        "model://gripper/../../outside.sdf", "", "a\u0001b",
        "gripper/none.sdf", "empty", "link/outside.sdf",
    ],
)  # fmt: skip
def test_includes_outside_the_folders_are_rejected(uri: str, tmp_path: Path) -> None:
    (tmp_path / "outside.sdf").write_text(sdf(body("a")))
    robots = tmp_path / "robots"
    (robots / "empty").mkdir(parents=True)
    included(robots)
    (robots / "link").symlink_to(tmp_path)
    escaped = uri.replace("\u0001", "")
    assert [code for code, _ in codes(sdf(f"<include><uri>{escaped}</uri></include>"), robots)] == ["MP850"]


def test_further_folders_are_allowed_by_name(tmp_path: Path) -> None:
    included(tmp_path)
    robots = tmp_path / "robots"
    robots.mkdir()
    text = sdf("<include><uri>model://gripper</uri></include>")
    assert codes(text, robots) == [("MP850", 1)]
    assert read(text, robots, mesh_roots=str(tmp_path)).ids[0] == "m"


def test_cycle_of_includes(tmp_path: Path) -> None:
    (tmp_path / "b.sdf").write_text(sdf("<include><uri>model.sdf</uri></include>"))
    assert codes(sdf("<include><uri>b.sdf</uri></include>"), tmp_path) == [("MP851", 1)]


def test_files_that_multiply_are_rejected(tmp_path: Path) -> None:
    # each file includes the next one ten times: 10⁶ models of 7 files
    for k in range(6):
        text = "".join(f"<include><uri>f{k + 1}.sdf</uri><name>n{i}</name></include>" for i in range(10))
        (tmp_path / f"f{k}.sdf").write_text(sdf(text))
    (tmp_path / "f6.sdf").write_text(sdf(body("a")))
    assert [code for code, _ in codes(sdf("<include><uri>f0.sdf</uri></include>"), tmp_path)] == ["MP852"]


@pytest.mark.parametrize("name", ["__model__", "__root__", "__"])
def test_reserved_names_are_rejected(name: str, tmp_path: Path) -> None:
    """A link with the name of the model's frame would be at its origin."""
    assert codes(sdf(body(name, "1 0 0 0 0 0")), tmp_path) == [("MP862", 1)]
    assert codes(sdf(body("a"), frame("0 0 0 0 0 0", name)), tmp_path) == [("MP862", 1)]
    assert center(sdf(body("__a", "1 0 0 0 0 0")), tmp_path) == [1, 0, 0]
