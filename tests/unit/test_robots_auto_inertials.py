"""Automatic inertials: the published cases of sdformat, closed forms, and everything else byte for byte."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.options import FileOptions
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.robots.sdf.sdf_table import read_sdf
from tests.mesh_examples import box as mesh_of_box, write_stl

DATA = Path(__file__).parents[1] / "data" / "robots"
CASES = {case["name"]: case for case in json.loads((DATA / "sdf_cases.json").read_text())["cases"]}
LINKS = [case for case in CASES.values() if case["kind"] == "sdf_link"]
ELEMENTS = {"box": ("size",), "cylinder": ("radius", "length")}


def texts(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


def collision(given: dict[str, Any], name: str) -> str:
    dims = "".join(f"<{one}>{texts(given['dims'][one])}</{one}>" for one in ELEMENTS[given["shape"]])
    density = f"<density>{given['density']}</density>" if "density" in given else ""
    pose = f"<pose>{texts(given['pose'])}</pose>" if "pose" in given else ""
    shape = f"<geometry><{given['shape']}>{dims}</{given['shape']}></geometry>"
    return f"<collision name='{name}'>{pose}{density}{shape}</collision>"


def shaped(shape: str, density: str = "1", pose: str = "0 0 0 0 0 0", name: str = "c") -> str:
    """A collision with a geometry in XML."""
    stated = f"<density>{density}</density>" if density else ""
    return f"<collision name='{name}'><pose>{pose}</pose>{stated}<geometry>{shape}</geometry></collision>"


def auto(*collisions: str) -> str:
    return f"<link name='a'><inertial auto='true'/>{''.join(collisions)}</link>"


def heavy(name: str, mass: int) -> str:
    """A link with a stated inertial."""
    tensor = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    return f"<link name='{name}'><inertial><mass>{mass}</mass>{tensor}</inertial></link>"


def link_of(case: dict[str, Any]) -> str:
    given = case["inputs"]
    parts = [f"<mass>{given['mass']}</mass>"] if "mass" in given else []
    parts += [f"<density>{given['density']}</density>"] if "density" in given else []
    parts += [f"<pose>{texts(given['pose'])}</pose>"] if "pose" in given else []
    if "inertia" in given:
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        entries = zip(names, given["inertia"], strict=True)
        parts.append(f"<inertia>{''.join(f'<{name}>{value}</{name}>' for name, value in entries)}</inertia>")
    auto = " auto='true'" if given["auto"] else ""
    shapes = "".join(collision(one, f"c{k}") for k, one in enumerate(given.get("collisions", [])))
    return f"<link name='link'><inertial{auto}>{''.join(parts)}</inertial>{shapes}</link>"


def sdf(*parts: str, version: str = "1.11", more: str = "") -> str:
    return f"<sdf version='{version}'><model name='m'>{more}{''.join(parts)}</model></sdf>"


def resolved(text: str, folder: Path, **options: Any) -> mp.ResolvedInertials:
    path = folder / "model.sdf"
    path.write_text(text, encoding="utf-8")
    return mp.resolve_inertials(path, **options)


def rules(findings: Findings) -> list[str]:
    return sorted(finding.rule for finding in findings)


@pytest.mark.parametrize("case", LINKS, ids=lambda case: case["name"])
def test_published_link(case: dict[str, Any], tmp_path: Path) -> None:
    expected = case["expected"]
    found = resolved(sdf(link_of(case)), tmp_path)
    if "error" in expected:
        assert rules(found.findings) == ["MP855"]
        assert not found.bodies
        return
    assert ("MP856" in rules(found.findings)) == ("warning" in expected)
    near = {**case["tolerance"]}
    for bom in (mp.read_bom(tmp_path / "model.sdf"), _read(found.content, tmp_path)):
        root = mp.rollup(bom).root
        assert root.mass == pytest.approx(expected["mass"], **near)
        assert root.center == pytest.approx(np.array(expected["com"], float), abs=1e-9)
        assert root.inertia.diagonal() == pytest.approx(np.array(expected["inertia_com_diag"], float), **near)
        assert root.inertia[np.triu_indices(3, 1)] == pytest.approx(np.zeros(3), abs=1e-12)


def _read(content: bytes, folder: Path) -> mp.Bom:
    (folder / "new.sdf").write_bytes(content)
    return mp.read_bom(folder / "new.sdf")


@pytest.mark.parametrize("name", ["inertial_stats.sdf", "inertial_stats_auto.sdf"])
def test_published_model(name: str) -> None:
    expected = CASES[f"stats_{name}"]["expected"]
    root = mp.rollup(mp.read_bom(DATA / name)).root
    assert root.mass == expected["mass"]
    assert root.center == pytest.approx(np.array(expected["com"], float), abs=1e-9)
    assert root.inertia == pytest.approx(np.array(expected["inertia_com"], float), abs=1e-9)


def test_published_invalid_model_is_an_error() -> None:
    assert CASES["sdf_negative_mass"]["expected"]["error"]
    findings = mp.read_bom(DATA / "inertial_invalid.sdf").findings
    assert ("MP401", 6) in [(finding.rule, finding.place.line) for finding in findings]


SHAPES = {
    # shape → elements, volume, centre on z, and mean squares of the own axes
    "box": ("<size>1 2 3</size>", 6.0, 0.0, (1 / 12, 4 / 12, 9 / 12)),
    "sphere": ("<radius>0.3</radius>", 4 / 3 * math.pi * 0.027, 0.0, (0.018, 0.018, 0.018)),
    "ellipsoid": ("<radii>1 2 3</radii>", 8 * math.pi, 0.0, (0.2, 0.8, 1.8)),
    "cylinder": ("<radius>0.3</radius><length>2</length>", 0.18 * math.pi, 0.0, (0.0225, 0.0225, 4 / 12)),
    "cone": ("<radius>0.3</radius><length>2</length>", 0.06 * math.pi, -0.5, (0.0135, 0.0135, 0.15)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_closed_form_of_a_turned_and_moved_shape(shape: str, tmp_path: Path) -> None:
    elements, volume, z, u = SHAPES[shape]
    # a quarter turn about y: own z is x of the link, own x is −z
    turned = shaped(f"<{shape}>{elements}</{shape}>", "50", f"1 2 3 0 {math.pi / 2!r} 0")
    body = resolved(sdf(auto(turned)), tmp_path).bodies["a"]
    mass = 50 * volume
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert body.center == pytest.approx([1 + z, 2, 3], rel=1e-14)
    own = mass * np.array([u[1] + u[2], u[0] + u[2], u[0] + u[1]])
    assert body.inertia.diagonal() == pytest.approx(own[[2, 1, 0]], rel=1e-13)


def test_capsule_is_a_cylinder_with_two_hemispheres(tmp_path: Path) -> None:
    r, length = 0.3, 2.0
    capsule = f"<capsule><radius>{r}</radius><length>{length}</length></capsule>"
    body = resolved(sdf(auto(shaped(capsule))), tmp_path).bodies["a"]
    rod, ball = math.pi * r**2 * length, 4 / 3 * math.pi * r**3
    assert body.mass == pytest.approx(rod + ball, rel=1e-14)
    assert body.inertia[2, 2] == pytest.approx(rod * r**2 / 2 + ball * 2 / 5 * r**2, rel=1e-14)
    # the centre of a hemisphere is 3r/8 from its face, and its moment about that centre 83/320 m r²
    ends = ball * (83 / 320 * r**2 + (length / 2 + 3 * r / 8) ** 2)
    assert body.inertia[0, 0] == pytest.approx(rod * (r**2 / 4 + length**2 / 12) + ends, rel=1e-13)


@pytest.mark.parametrize(("scale", "sides"), [("1 1 1", (1, 1, 1)), ("2 1 0.5", (2, 1, 0.5)), ("-1 1 1", (1, 1, 1))])
def test_mesh_of_a_box_equals_the_box(scale: str, sides: tuple[float, ...], tmp_path: Path) -> None:
    a, b, c = (0.2 * sides[0], 0.1 * sides[1], 0.3 * sides[2])
    write_stl(tmp_path / "part.stl", mesh_of_box((0.2, 0.1, 0.3), at=(0.0, 0.0, 0.0)))
    mesh = shaped(f"<mesh><uri>model://part.stl</uri><scale>{scale}</scale></mesh>", "100")
    text = sdf(auto(mesh))
    found = resolved(text, tmp_path)
    assert rules(found.findings) == []
    body = found.bodies["a"]
    assert body.mass == pytest.approx(100 * a * b * c, rel=1e-6)  # coordinates of STL are in single precision
    moments = body.mass / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    assert body.inertia.diagonal() == pytest.approx(moments, rel=1e-6)


@pytest.mark.parametrize(
    ("uri", "rule"),
    [("../part.stl", "MP721"), ("https://x/part.stl", "MP721"), ("no.stl", "MP721"), ("model.sdf", "MP721")],
)
def test_mesh_outside_the_folders_is_an_error(uri: str, rule: str, tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", mesh_of_box())
    robots = tmp_path / "robots"
    robots.mkdir()
    shape = f"<geometry><mesh><uri>{uri}</uri></mesh></geometry>"
    found = resolved(
        sdf(f"<link name='a'><inertial auto='true'/>\n<collision name='c'>{shape}</collision></link>"), robots
    )
    assert [(f.rule, f.place.line) for f in found.findings if f.severity is mp.Severity.ERROR] == [(rule, 2)]


def test_voxel_size_is_a_custom_parameter_of_collision_or_link(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", mesh_of_box((0.2, 0.1, 0.3), at=(0.0, 0.0, 0.0)))
    shape = "<geometry><mesh><uri>part.stl</uri></mesh></geometry>"
    params = "<auto_inertia_params><gz:voxel_size>{}</gz:voxel_size></auto_inertia_params>"
    for of_link, of_collision in ((params.format(0.01), ""), (params.format(5), params.format(0.01))):
        text = sdf(f"<link name='a'><inertial auto='true'><density>100</density>{of_link}</inertial>",
                   f"<collision name='c'>{of_collision}{shape}</collision></link>")  # fmt: skip
        found = resolved(text, tmp_path)
        assert rules(found.findings) == ["MP738"]
        assert found.bodies["a"].mass == pytest.approx(0.6, rel=0.2)


def test_overlap_of_shapes_and_meshes(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", mesh_of_box((1.0, 1.0, 1.0), at=(0.0, 0.0, 0.0)))
    shapes = {
        "box": "<box><size>1 1 1</size></box>",
        "sphere": "<sphere><radius>0.5</radius></sphere>",
        "ellipsoid": "<ellipsoid><radii>0.5 0.5 0.5</radii></ellipsoid>",
        "cylinder": "<cylinder><radius>0.5</radius><length>1</length></cylinder>",
        "capsule": "<capsule><radius>0.25</radius><length>0.5</length></capsule>",
        "cone": "<cone><radius>0.5</radius><length>1</length></cone>",
        "mesh": "<mesh><uri>part.stl</uri></mesh>",
    }
    for k, one in enumerate(shapes.values()):
        for j, other in enumerate(shapes.values()):
            # each pair in one order overlaps, and in the other does not
            for z, overlaps in ((0.3, True),) * (k <= j) + ((1.0, False),) * (k >= j):
                parts = shaped(one, name="a"), shaped(other, pose=f"0 0 {z} 0 0 0", name="b")
                found = resolved(sdf(auto(*parts)), tmp_path)
                assert ("MP858" in rules(found.findings)) == overlaps, (one, other, z)


def test_overlap_of_boxes_is_estimated(tmp_path: Path) -> None:
    cube = "<box><size>1 1 1</size></box>"
    parts = shaped(cube, name="a"), shaped(cube, pose="0.75 0 0 0 0 0", name="b")
    found = resolved(sdf(auto(*parts)), tmp_path)
    assert "a/a and a/b overlap: about 25% of the smaller one is counted twice" in str(found.findings[0])


BOX = "<geometry><box><size>1 1 1</size></box></geometry>"
SOURCE = """<?xml version="1.0"?>
<!-- a robot -->
<sdf   version='1.11' xmlns:gz="http://gazebosim.org/schema">
  <model name="m">
    <link  name="one"   gz:x='1'>
      <inertial   auto='true' >
        <!-- keep -->
        <mass>  3 </mass>
        <density>5</density><gz:other>1</gz:other>
      </inertial>
      <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>
    </link>
    <link name="two"><inertial auto="1"/><collision name="c">
      <density>7</density><geometry><box><size>1 1 1</size></box></geometry></collision></link>
    <link name="three"><inertial auto="false"><mass>1</mass></inertial></link>
  </model>
</sdf>
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "crlf"])
def test_everything_else_remains_byte_for_byte(encoding: str, tmp_path: Path) -> None:
    text = SOURCE.replace("\n", "\r\n") if encoding == "crlf" else SOURCE
    codec = "utf-8" if encoding == "crlf" else encoding
    data = text.encode(codec)
    path = tmp_path / "model.sdf"
    path.write_bytes(data)
    found = mp.resolve_inertials(path)
    assert sorted(found.bodies) == ["one", "two"]
    made = found.content.decode(codec)
    assert found.content.startswith(data[:2])
    if encoding == "crlf":
        assert made.count("\r\n") == made.count("\n")
        made, text = made.replace("\r\n", "\n"), SOURCE
    # without what is new, and with what was replaced, it is the old text
    first, _second = re.findall(r"<pose>.*?</inertia>\s*", made, re.DOTALL)
    old = made.replace("<mass>3</mass>", "<mass>  3 </mass>").replace('auto="false" >', "auto='true' >")
    assert old.split('<link name="two">')[0].replace(first, "", 1).split() == text.split('<link name="two">')[0].split()
    replaced = (
        "<!-- keep -->\n        <mass>3</mass>\n        <density>5</density><gz:other>1</gz:other>\n        <pose>"
    )
    assert replaced in made
    assert made.endswith(text[text.index("<density>7") :])
    path.write_bytes(found.content)
    again = mp.resolve_inertials(path)
    assert again.content == found.content
    assert not again.bodies


def test_edited_text_of_an_empty_element(tmp_path: Path) -> None:
    text = sdf(
        "\n  <link name='a'>\n    <inertial auto='true'/>\n    ",
        f"<collision name='c'><density>24</density>{BOX}</collision>\n  </link>\n",
    )
    expected = """    <inertial auto="false">
      <mass>24</mass>
      <pose>0 0 0 0 0 0</pose>
      <inertia>
        <ixx>4</ixx>
        <iyy>4</iyy>
        <izz>4</izz>
        <ixy>0</ixy>
        <ixz>0</ixz>
        <iyz>0</iyz>
      </inertia>
    </inertial>"""
    made = resolved(text, tmp_path).content.decode()
    assert made == text.replace("    <inertial auto='true'/>", expected)


def test_static_models_are_skipped_and_have_no_default(tmp_path: Path) -> None:
    parts = auto(shaped("<box><size>1 1 1</size></box>", "")), "<link name='b'/>"
    text = sdf(*parts, f"<model name='n'>{heavy('c', 2)}</model>", more="<static>true</static>")
    found = resolved(text, tmp_path)
    assert found.content == text.encode()
    assert not found.bodies
    bom = mp.read_bom(tmp_path / "model.sdf")
    assert mp.rollup(bom).root.mass == 2
    assert ("MP863", 2) in [(finding.rule, finding.count) for finding in bom.findings]


def test_default_inertial_names_its_share(tmp_path: Path) -> None:
    (tmp_path / "m.sdf").write_text(sdf(heavy("a", 3), "\n<link name='b'/>"))
    bom = mp.read_bom(tmp_path / "m.sdf")
    finding = next(one for one in bom.findings if one.rule == "MP853")
    assert finding.message.endswith("1 kg of 4 kg (25.0%): b")
    assert finding.place.line == 2
    assert mp.rollup(bom).root.mass == 4
    bom = mp.read_bom(tmp_path / "m.sdf", default_inertial="zero")
    assert mp.rollup(bom).root.mass == 3
    assert "MP853" not in rules(Findings(bom.findings))
    bom = mp.read_bom(tmp_path / "m.sdf", default_inertial="error")
    assert [one.severity for one in bom.findings if one.rule == "MP853" and one.severity is mp.Severity.ERROR]


def test_failure_policy(tmp_path: Path) -> None:
    text = sdf("<link name='a'><inertial auto='true'/></link>")
    assert not resolved(text, tmp_path).bodies
    found = resolved(text, tmp_path, on_failure="default")
    assert [(one.rule, one.severity) for one in found.findings] == [("MP855", mp.Severity.WARNING)]
    assert found.bodies["a"].mass == 1
    assert found.bodies["a"].inertia.tolist() == np.eye(3).tolist()


def test_skip_leaves_the_file(tmp_path: Path) -> None:
    found = resolved(SOURCE, tmp_path, skip=True)
    assert found.content == SOURCE.encode()
    assert rules(found.findings) == ["MP859"]


URDF = """<robot name="arm">
  <link name="base">
    <visual><geometry><sphere radius="1"/></geometry></visual>
    <collision><origin xyz="1 0 0" rpy="0 0 0.5"/><geometry><cylinder radius="0.5" length="2"/></geometry></collision>
  </link>
  <link name="rod">
    <inertial><mass value="2"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <joint name="j" type="fixed"><parent link="base"/><child link="rod"/></joint>
</robot>
"""


def test_inertials_of_urdf(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    found = mp.resolve_inertials(path, density=10.0)
    mass = 10 * math.pi * 0.25 * 2
    assert list(found.bodies) == ["base"]
    assert rules(found.findings) == []
    body = found.bodies["base"]
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert body.center.tolist() == [1, 0, 0]
    assert body.inertia.diagonal() == pytest.approx(
        mass * np.array([0.0625 + 4 / 12, 0.0625 + 4 / 12, 0.125]), rel=1e-13
    )
    made = found.content.decode()
    new = made[made.index("    <inertial>") : made.index("    <visual>")]
    assert made.replace(new, "", 1) == URDF
    path.write_bytes(found.content)
    assert mp.rollup(mp.read_bom(path)).root.mass == pytest.approx(mass + 2, rel=1e-14)


def test_visuals_and_replacement_of_urdf(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    found = mp.resolve_inertials(path, source="visual", density=1.0)
    assert found.bodies["base"].mass == pytest.approx(4 / 3 * math.pi, rel=1e-14)
    found = mp.resolve_inertials(path, replace=True)
    assert rules(found.findings) == ["MP856"]
    assert found.bodies["rod"].mass == 1000.0
    assert found.content.decode().count("<inertial>") == 2


def test_wrong_calls() -> None:
    data = sdf("<link name='a'/>").encode()
    for options in (
        {"density": 5.0},
        {"replace": True},
        {"source": "visual"},
        {"density": -1.0},
        {"density": math.nan},
    ):
        with pytest.raises(UsageError):
            mp.resolve_inertials("m.sdf", content=data, **options)
    with pytest.raises(TableError, match="expected sdf, robot or mujoco"):
        mp.resolve_inertials("m.sdf", content=b"<model/>")
    with pytest.raises(TableError, match="no such file"):
        mp.resolve_inertials("none.sdf")


def test_reader_leaves_automatic_inertials_blank() -> None:
    data = sdf(f"<link name='a'><inertial auto='true'/><collision name='c'>{BOX}</collision></link>").encode()
    table = read_sdf("m.sdf", data, FileOptions(), False, Findings())
    assert table.row(3)[:4] == ["a/body", "a", "1", ""]


@pytest.mark.parametrize("size", ["1e200 1e200 1", "1e150 1e150 1e150"])
def test_geometry_beyond_double_precision_is_an_error(size: str, tmp_path: Path) -> None:
    """No infinite mass is written, and NumPy prints no warning."""
    box = f"<box><size>{size}</size></box>"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = resolved(sdf(auto(shaped(box))), tmp_path)
        path = tmp_path / "robot.urdf"
        shape = f'<collision><geometry><box size="{size}"/></geometry></collision>'
        path.write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
        urdf = mp.resolve_inertials(path, density=1000.0)
    for one in (found, urdf):
        assert rules(one.findings) == ["MP855"]
        assert not one.bodies
        assert "beyond double precision" in one.findings[0].message
    assert b"<inertial" not in urdf.content


def test_default_inertial_is_one_finding(tmp_path: Path) -> None:
    """The identity matrix of a link that states none is not a placeholder as well; a stated one is."""
    path = tmp_path / "model.sdf"
    mass = "<inertial><mass>2</mass></inertial>"
    path.write_text(sdf("<link name='a'/>", f"<link name='b'>{mass}</link>", heavy("c", 3)))
    found = sorted((one.rule, one.item) for one in mp.read_bom(path).findings)
    assert found == [("MP713", "c/body"), ("MP853", "a")]


def test_notes_on_columns_are_not_those_of_a_robot(tmp_path: Path) -> None:
    """A robot has no column of quantities and none of point masses."""
    path = tmp_path / "robot.urdf"
    inertial = '<inertial><mass value="2"/></inertial>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    path.write_text(f'<robot name="r"><link name="a">{inertial}</link><link name="b"/>{joint}</robot>')
    found = {one.rule: one for one in mp.read_bom(path).findings}
    assert sorted(found) == ["MP223", "MP863"]
    assert found["MP223"].remedy == "state the inertia of the link: from CAD, or from its geometry"


@pytest.mark.parametrize("text", ["1_5", "١٢", "0x1p3", "1,5", "inf", "nan", "1 1"])
def test_numbers_of_python_are_not_those_of_a_robot(text: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    shape = f'<collision><geometry><sphere radius="{text}"/></geometry></collision>'
    path.write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
    found = mp.resolve_inertials(path, density=1000.0)
    assert "MP205" in rules(found.findings)
    assert not found.bodies


def test_a_stated_mass_remains_as_it_is(tmp_path: Path) -> None:
    """The geometry has a mass of its own, by which the stated one divides to more digits."""
    for mass in ("0.25", "0.1", "1.7", "3e-7"):
        path = tmp_path / "m.sdf"
        inertial = f'<inertial auto="true"><mass>{mass}</mass></inertial>'
        shape = "<geometry><cylinder><radius>0.01</radius><length>0.4</length></cylinder></geometry>"
        collision = f"<collision name='c'><density>1600</density>{shape}</collision>"
        model = f"<model name='m'><link name='a'>{inertial}{collision}</link></model>"
        path.write_text(f"<sdf version='1.11'>{model}</sdf>")
        assert float(mp.rollup(path).root.mass) == float(mass)
