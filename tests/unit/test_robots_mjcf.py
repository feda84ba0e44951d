"""MJCF: bodies, inertials and faults with numbers that are known without MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.robots.inertial_resolution import file_with_inertials

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1">
      <geom type="box" size=".1 .2 .3" density="500"/>
      <body name="rod" pos="0 0 .3">
        <joint name="elbow" axis="0 1 0" pos="0 0 .1" range="-1 1"/>
        <inertial pos="0 0 .2" mass="2" diaginertia=".10 .10 .02"/>
      </body>
      <body name="hook" pos="0 0 -1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def written(tmp_path: Path, bodies: str, head: str = "") -> Path:
    """A model of some bodies."""
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco>{head}<worldbody>{bodies}</worldbody></mujoco>")
    return path


def test_bodies_are_items_with_the_closed_forms_of_their_geoms(arm: Path) -> None:
    bom = mp.read_bom(arm)
    assert list(bom.ids) == ["world", "base", "base/body", "rod", "rod/body", "hook"]
    box = bom["base/body"]
    mass = 500 * 0.2 * 0.4 * 0.6
    assert box.mass == pytest.approx(mass, rel=1e-15)
    expected = [mass / 12 * (0.4**2 + 0.6**2), mass / 12 * (0.2**2 + 0.6**2), mass / 12 * (0.2**2 + 0.4**2)]
    np.testing.assert_allclose(np.diagonal(box.inertia), expected, rtol=1e-14)
    root = mp.rollup(bom).root
    assert root.mass == pytest.approx(mass + 2, rel=1e-15)
    assert root.center[2] == pytest.approx((mass * 1 + 2 * 1.5) / (mass + 2), rel=1e-15)
    assert [(one.rule, one.item) for one in bom.findings] == [("MP863", "hook")]


@pytest.mark.parametrize(
    ("given", "x", "z"), [("90 deg", 0.1, 1.4), ("0.5", 0.1 * math.sin(0.5), 1.4 + 0.1 * math.cos(0.5))]
)
def test_hinge_turns_about_its_anchor(arm: Path, given: str, x: float, z: float) -> None:
    rod = mp.rollup(mp.read_bom(arm, q={"elbow": given}))["rod"]
    root = mp.rollup(mp.read_bom(arm, q={"elbow": given}))
    assert rod.mass == 2
    mass = root.root.mass
    np.testing.assert_allclose(root.root.center, [2 * x / mass, 0, (24 + 2 * z) / mass], rtol=1e-14, atol=1e-15)


def test_position_outside_the_range_is_a_warning(arm: Path) -> None:
    assert {one.rule for one in mp.read_bom(arm, q={"elbow": "2"}).findings} == {"MP863", "MP890"}
    with pytest.raises(UsageError, match="no joint 'elbo'"):
        mp.read_bom(arm, q={"elbo": "2"})


def test_capsule_between_points_and_shell(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '<body name="a"><geom type="capsule" size=".1" fromto="0 0 0 3 0 4"/></body>'
        '<body name="b"><geom size=".5" mass="3" shellinertia="true"/></body>',
    )
    bom = mp.read_bom(path)
    assert bom["a/body"].mass == pytest.approx(1000 * math.pi * (0.01 * 5 + 4 / 3 * 0.001), rel=1e-15)
    np.testing.assert_allclose(bom["a/body"].center, [1.5, 0, 2], atol=1e-15)
    np.testing.assert_allclose(bom["b/body"].inertia, np.eye(3) * 2 / 3 * 3 * 0.25, rtol=1e-15)


def test_mesh_of_the_model(tmp_path: Path) -> None:
    corner = '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" scale="2 1 1"/>'
    bom = mp.read_bom(
        written(tmp_path, '<body name="a"><geom type="mesh" mesh="m"/></body>', f"<asset>{corner}</asset>")
    )
    assert bom["a/body"].mass == pytest.approx(1000 * 2 / 6, rel=1e-15)
    np.testing.assert_allclose(bom["a/body"].center, [0.5, 0.25, 0.25], rtol=1e-15)


@pytest.mark.parametrize(
    ("bodies", "head", "rule"),
    [
        ('<body><geom class="none" size="1"/></body>', "", "MP874"),
        ('<body><geom type="mesh" mesh="none"/></body>', "", "MP874"),
        ('<attach model="none" prefix=""/>', "", "MP874"),
        ('<include file="none.xml"/>', "", "MP850"),
        ('<body name="a"><geom size="1"/></body><body name="a"/>', "", "MP862"),
        ('<body><joint type="R"/><geom size="1"/></body>', "", "MP867"),
        ('<body quat="0 0 0 0"><geom size="1"/></body>', "", "MP854"),
        ('<body pos="1 2"><geom size="1"/></body>', "", "MP205"),
        ('<body name="a"/>', "", "MP111"),
        ('<body><geom size="1" euler="1 2 3"/></body>', '<compiler eulerseq="xyw"/>', "MP854"),
        ("<body>" * 190 + '<attach body="x" prefix="y"/>' + "</body>" * 190, "", "MP874"),
    ],
)
def test_faults_stop_reading(tmp_path: Path, bodies: str, head: str, rule: str) -> None:
    with pytest.raises(TableError) as error:
        mp.rollup(mp.read_bom(written(tmp_path, bodies, head)))
    assert rule in {one.rule for one in error.value.findings}


def test_total_mass_next_to_an_unknown_body_leaves_all_open(tmp_path: Path) -> None:
    """The share of the known bodies in the total of 10 kg is not known."""
    bodies = '<body name="a"><geom size="0.1" mass="1"/></body><body name="b"><composite type="cable"/></body>'
    bom = mp.read_bom(written(tmp_path, bodies, '<compiler settotalmass="10"/>'))
    assert "MP875" in [one.rule for one in bom.findings]
    assert bom["a/body"].mass is None or math.isnan(bom["a/body"].mass)


def test_copies_without_end_are_rejected_before_they_are_made(tmp_path: Path) -> None:
    many = '<body name="b"><replicate count="1e9" offset="1 0 0"><geom size="0.1"/></replicate></body>'
    with pytest.raises(TableError, match=r"1,000,000,\d+ elements"):
        mp.read_bom(written(tmp_path, many))


def test_body_that_attaches_itself_ends(tmp_path: Path) -> None:
    path = written(tmp_path, '<body name="a"><geom size="1"/><attach body="a" prefix="b"/></body>')
    with pytest.raises(TableError) as error:
        mp.read_bom(path)
    assert {one.rule for one in error.value.findings} == {"MP852"}


@pytest.mark.parametrize(
    ("geom", "head"),
    [
        ('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" file="none.stl"/></asset>'),
        ('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" builtin="sphere" params="1"/></asset>'),
        ('<geom type="box" size="1 0 1"/>', ""),
    ],
)
def test_unknown_geoms_leave_the_mass_open(tmp_path: Path, geom: str, head: str) -> None:
    bodies = f'<body name="a"><geom size=".1"/>{geom}</body><body name="b"><geom size=".1"/></body>'
    bom = mp.read_bom(written(tmp_path, bodies, head))
    assert not bom.states_mass[bom.item("a/body")]
    assert {one.rule for one in bom.findings} & {"MP721", "MP855", "MP874", "MP875"}


def test_composite_is_a_lower_bound(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    path = written(tmp_path, '<body name="a"><geom size=".1"/></body><composite type="cable" count="3 1 1"/>')
    shown = massprops("rollup", str(path), "--allow-missing", "mass")
    assert "MP875" in shown.output
    assert shown.exit_code in (0, 1)


def into_arm(row: dict[str, object], text: str = ARM) -> str:
    """The model with the numbers of one row, in the frame of its body."""
    values = dict.fromkeys(("Cx", "Cy", "Cz", "Ixy", "Ixz", "Iyz"), 0.0) | row
    bom = mp.Bom.from_records([{**values, "POIconv": "-"}], units="SI", frame="own")
    return file_with_inertials(bom, "arm.xml", text.encode(), Findings())[0].decode()


def test_numbers_that_differ_are_written_and_all_else_is_kept() -> None:
    row = {"id": "rod", "mass": 3, "Cz": 0.2, "Ixx": 0.1, "Iyy": 0.1, "Izz": 0.02}
    assert into_arm(row) == ARM.replace('mass="2"', 'mass="3"')
    assert into_arm({**row, "mass": 2}) == ARM
    assert into_arm({**row, "mass": 2, "Izz": 0.03}) == ARM.replace(".10 .10 .02", "0.1 0.1 0.03")
    full = 'pos="0 0 .2" mass="2" diaginertia=".10 .10 .02"'
    expected = ' fullinertia="0.1 0.1 0.02 0.001 0 0" pos="0 0 .2" mass="2"'
    assert into_arm({**row, "mass": 2, "Ixy": 0.001}) == ARM.replace(f" {full}", expected)


def test_inertial_is_added() -> None:
    row = {"id": "hook", "mass": 3, "Cx": 0.2, "Ixx": 0.1, "Iyy": 0.1, "Izz": 0.02}
    added = '<inertial pos="0.2 0 0" mass="3" diaginertia="0.1 0.1 0.02"/>'
    body = '<body name="hook" pos="0 0 -1"'
    assert into_arm(row) == ARM.replace(f"{body}/>", f"{body}>\n        {added}\n      </body>")


@pytest.mark.parametrize("option", ['inertiafromgeom="true"', 'settotalmass="3"'])
def test_inertials_that_have_no_effect_are_not_written(option: str) -> None:
    row = {"id": "hook", "mass": 3, "Cx": 0.2, "Ixx": 0.1, "Iyy": 0.1, "Izz": 0.02}
    with pytest.raises(UsageError, match=option.partition("=")[0]):
        into_arm(row, ARM.replace("<compiler", f"<compiler {option}"))


def test_commands(arm: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(arm.parent)
    assert massprops("rollup", "arm.xml").exit_code == 0
    assert "rod" in massprops("tree", "arm.xml").output
    assert massprops("validate", "arm.xml").exit_code == 0
    assert massprops("diff", "arm.xml", "arm.xml").exit_code == 0
    assert massprops("convert", "arm.xml", "-o", "arm.csv").exit_code == 0
    assert massprops("convert", "arm.csv", "--into-robot", "arm.xml", "-o", "new.xml").exit_code == 0
    assert Path("new.xml").read_text() == ARM
    assert massprops("robot", "inertials", "arm.xml", "-o", "filled.xml").exit_code == 0
    assert Path("filled.xml").read_text().count("<inertial ") == 2
    assert "elbow" in massprops("robot", "massmatrix", "arm.xml").output
    several = ARM.replace("<joint", '<joint name="b"/><joint')
    Path("arm.xml").write_text(several)
    assert "1 body has several joints: rod" in massprops("robot", "massmatrix", "arm.xml").output


def test_checks_of_links(tmp_path: Path) -> None:
    stated = '<inertial pos="0 0 {}" mass="{}" diaginertia="1 1 {}"/>'
    box = '<geom type="box" size=".5 .5 .5"/>'
    bodies = "".join(
        f'<body name="{name}">{stated.format(*values)}{box}</body>'
        for name, values in {"far": (3, 60, 1), "heavy": (0, 1e6, 1), "flat": (0, 60, 3), "left": (0, 60, 1)}.items()
    )
    bodies += f'<body name="right">{stated.format(0, 70, 1)}{box}</body>'
    found = {(one.rule, one.item.removesuffix("/body")) for one in mp.validate(mp.read_bom(written(tmp_path, bodies)))}
    assert {("MP882", "far"), ("MP883", "heavy"), ("MP404", "flat"), ("MP880", "left")} <= found


BALL = '<geom size=".1" mass="{}"/>'
BALL_MOMENT = 0.4 * 0.1**2  # of a solid ball of 1 kg and a radius of 0.1 m: 2/5 m r²


@pytest.mark.parametrize(
    ("compiler", "inside", "mass", "moments"),
    [
        ('settotalmass="8"', BALL.format(1), 2.0, [2 * BALL_MOMENT] * 3),  # 1 of 4 kg becomes 2 of 8 kg
        ('boundmass="2"', BALL.format(1), 2.0, [BALL_MOMENT] * 3),
        ('boundinertia="0.5"', BALL.format(1), 1.0, [0.5] * 3),
        ('balanceinertia="true"', '<inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/>', 1.0, [2.0] * 3),
        ('inertiagrouprange="0 1"', BALL.format(1) + '<geom size=".1" mass="5" group="3"/>', 1.0, [BALL_MOMENT] * 3),
        ('inertiafromgeom="true"', f'<inertial pos="0 0 0" mass="9"/>{BALL.format(1)}', 1.0, [BALL_MOMENT] * 3),
        ("", f'<inertial pos="0 0 0" mass="9" diaginertia="1 2 3"/>{BALL.format(1)}', 9.0, [1.0, 2.0, 3.0]),
    ],
)
def test_rules_of_the_compiler(tmp_path: Path, compiler: str, inside: str, mass: float, moments: list[float]) -> None:
    bodies = f'<body name="a">{inside}</body><body name="b">{BALL.format(3)}</body>'
    found = mp.read_bom(written(tmp_path, bodies, f"<compiler {compiler}/>"))["a/body"]
    assert found.mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(np.diagonal(found.inertia), moments, rtol=1e-13)


def test_classes_of_defaults(tmp_path: Path) -> None:
    """The class of a geom, else that of the body around it, else the main one; an attribute has priority."""
    head = (
        '<default><geom density="500" size=".1"/><default class="steel"><geom density="7850"/>'
        '<default class="small"><geom size=".05"/></default></default></default>'
    )
    bodies = "".join(
        (
            '<body name="a"><geom/></body>',
            '<body name="b" childclass="steel"><geom/><body name="c"><geom class="small"/></body></body>',
            '<body name="d" childclass="steel"><geom density="1"/></body>',
        )
    )
    bom, ball = mp.read_bom(written(tmp_path, bodies, head)), 4 / 3 * math.pi * 0.1**3
    masses = [bom[f"{name}/body"].mass for name in "abcd"]
    assert masses == pytest.approx([500 * ball, 7850 * ball, 7850 * ball / 8, ball], rel=1e-14)


def test_copies_are_each_moved_from_the_one_before(tmp_path: Path) -> None:
    """Four steps of 1 m, each turned by 90° to the left: the corners of a square."""
    square = f'<body name="a"><replicate count="4" offset="1 0 0" euler="0 0 90">{BALL.format(1)}</replicate></body>'
    found = mp.read_bom(written(tmp_path, square))["a/body"]
    assert found.mass == pytest.approx(4, rel=1e-15)
    np.testing.assert_allclose(found.center, [0.5, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(np.diagonal(found.inertia), np.array([1, 1, 2]) + 4 * BALL_MOMENT, rtol=1e-14)


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ('quat="1 0 0 1"', [1, 0, 2]),
        ('axisangle="0 0 2 90"', [1, 0, 2]),
        ('euler="0 0 90"', [1, 0, 2]),
        ('xyaxes="0 1 0 -1 0 0"', [1, 0, 2]),
        ('zaxis="3 0 0"', [2, 1, 0]),
    ],
)
def test_quarter_turns_of_a_box(tmp_path: Path, words: str, order: list[int]) -> None:
    """A quarter turn exchanges two moments of a box of 0.2, 0.4, 0.6 m."""
    found = mp.read_bom(
        written(tmp_path, f'<body name="a"><geom type="box" size=".1 .2 .3" mass="12" {words}/></body>')
    )["a/body"]
    squares = np.array([0.2, 0.4, 0.6]) ** 2
    np.testing.assert_allclose(np.diagonal(found.inertia), (squares.sum() - squares)[order], rtol=1e-13)
    np.testing.assert_allclose(found.inertia - np.diag(np.diagonal(found.inertia)), 0, atol=1e-15)


def test_body_of_another_model_is_attached_with_a_prefix(tmp_path: Path) -> None:
    (tmp_path / "gripper.xml").write_text(
        f'<mujoco model="gripper"><worldbody><body name="palm" pos="0 0 1">{BALL.format(2)}</body></worldbody></mujoco>'
    )
    head = '<asset><model name="g" file="gripper.xml"/></asset>'
    frame = '<frame pos="0 0 3"><attach model="g" body="palm" prefix="l_"/></frame>'
    attached = f'<body name="arm">{BALL.format(1)}{frame}</body>'
    bom = mp.read_bom(written(tmp_path, attached, head))
    assert list(bom.ids) == ["world", "arm", "arm/body", "l_palm", "l_palm/body"]
    assert mp.rollup(bom).root.center[2] == pytest.approx(2 * 4 / 3, rel=1e-15)


def test_prefixes_of_attached_models_add_up(tmp_path: Path) -> None:
    head = '<asset><model name="{0}" file="{0}.xml"/></asset>'
    for name, inside in (("finger", ""), ("gripper", '<attach model="finger" body="finger" prefix="f_"/>')):
        asset = head.format("finger") if inside else ""
        (tmp_path / f"{name}.xml").write_text(
            f'<mujoco>{asset}<worldbody><body name="{name}">{BALL.format(1)}{inside}</body></worldbody></mujoco>'
        )
    bom = mp.read_bom(written(tmp_path, '<attach model="gripper" body="gripper" prefix="l_"/>', head.format("gripper")))
    assert list(bom.ids)[1::2] == ["l_gripper", "l_f_finger"]
