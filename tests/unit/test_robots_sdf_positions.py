"""Joints of SDF at stated positions: by hand, and as the same robot in URDF, whose motions pinocchio confirms."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import UsageError

AXIS = "<axis><xyz>0 0 1</xyz>{}</axis>"


def link(name: str, pose: str = "0 0 0 0 0 0", center: str = "1 0 0", of_pose: str = "") -> str:
    """A link of 1 kg, 1 m along its x."""
    tensor = "<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia>"
    inertial = f"<inertial><pose>{center} 0 0 0</pose><mass>1</mass>{tensor}</inertial>"
    return f"<link name='{name}'><pose {of_pose}>{pose}</pose>{inertial}</link>"


def joint(
    name: str, parent: str, child: str, axis: str = AXIS.format(""), kind: str = "revolute", pose: str = ""
) -> str:
    stated = f"<pose>{pose}</pose>" if pose else ""
    return f"<joint name='{name}' type='{kind}'>{stated}<parent>{parent}</parent><child>{child}</child>{axis}</joint>"


def center(folder: Path, *parts: str, version: str = "1.11", world: bool = False, **q: float | str) -> list[float]:
    """Centre of mass of a model whose joints are at positions."""
    path = folder / "model.sdf"
    text = f"<model name='m'>{''.join(parts)}</model>"
    text = f"<world name='w'>{text}</world>" if world else text
    path.write_text(f"<sdf version='{version}'>{text}</sdf>")
    stated: dict[str, float | str] = {name.replace("__", "::"): value for name, value in q.items()}
    return [round(float(value), 12) + 0.0 for value in mp.rollup(mp.read_bom(path, q=stated)).root.center]


BASE = "<link name='base'><inertial><mass>0.5</mass></inertial></link>"
ARM = (BASE, link("a"), joint("j", "base", "a"))


@pytest.mark.parametrize(
    ("parts", "q", "expected"),
    [
        # 1 kg of 1.5 kg, 1 m along x; a quarter turn about z puts it on y
        ((BASE, link("a"), joint("j", "base", "a")), math.pi / 2, [0, 2 / 3, 0]),
        ((BASE, link("a"), joint("j", "base", "a")), "180 deg", [-2 / 3, 0, 0]),
        ((BASE, link("a"), joint("j", "base", "a", kind="prismatic")), "30 cm", [2 / 3, 0, 0.2]),
        # the joint is at x = 1, where the centre is
        ((BASE, link("a"), joint("j", "base", "a", pose="1 0 0 0 0 0")), 1.0, [2 / 3, 0, 0]),
        # the frame of the joint is turned by 90° about x: its z is −y of the link
        ((BASE, link("a"), joint("j", "base", "a", pose=f"0 0 0 {math.pi / 2!r} 0 0")), math.pi / 2, [0, 0, 2 / 3]),
        # what is fixed to the child moves with it
        ((BASE, link("a"), link("c"), joint("j", "base", "a"), joint("f", "a", "c", kind="fixed")), "180 deg",
         [-0.8, 0, 0]),
        # a frame and a nested model stand for a link
        ((BASE, link("a"), "<frame name='f' attached_to='a'/>", joint("j", "base", "f")), "180 deg", [-2 / 3, 0, 0]),
    ],
)  # fmt: skip
def test_center_of_a_moved_link(parts: tuple[str, ...], q: float | str, expected: list[float], tmp_path: Path) -> None:
    np.testing.assert_allclose(center(tmp_path, *parts, j=q), expected, rtol=0, atol=1e-11)


def test_axis_in_another_frame(tmp_path: Path) -> None:
    """The link is turned by 90° about x, so that z of the model is y of the joint."""
    turned = link("a", f"0 0 0 {math.pi / 2!r} 0 0")
    in_model = "<axis><xyz expressed_in='__model__'>0 0 1</xyz></axis>"
    in_base = "<axis><xyz expressed_in='base'>0 0 1</xyz></axis>"
    older = "<axis><xyz>0 0 1</xyz><use_parent_model_frame>true</use_parent_model_frame></axis>"
    for axis, version in ((in_model, "1.11"), (in_base, "1.9"), (older, "1.6")):
        parts = (BASE, turned, joint("j", "base", "a", axis))
        np.testing.assert_allclose(
            center(tmp_path, *parts, version=version, j=math.pi / 2), [0, 2 / 3, 0], rtol=0, atol=1e-11
        )
    own = (BASE, turned, joint("j", "base", "a"))  # z of the joint is −y of the model
    np.testing.assert_allclose(center(tmp_path, *own, j=math.pi / 2), [0, 0, 2 / 3], rtol=0, atol=1e-11)


def test_joints_of_nested_models_have_scoped_names(tmp_path: Path) -> None:
    inner = f"<model name='hand'><pose>0 0 1 0 0 0</pose>{link('palm')}{link('tip')}{joint('k', 'palm', 'tip')}</model>"
    parts = (BASE, inner, joint("j", "base", "hand::palm"))
    # both half turns: palm at −1, tip back at 1
    assert center(tmp_path, *parts, j="180 deg", hand__k="180 deg") == [0, 0, 0.8]
    assert center(tmp_path, *parts, hand__k="180 deg") == [0, 0, 0.8]
    assert center(tmp_path, *parts, j="180 deg") == [-0.8, 0, 0.8]
    # a nested model stands for its first link
    assert center(tmp_path, BASE, inner, joint("j", "base", "hand"), j="180 deg") == [-0.8, 0, 0.8]
    assert center(tmp_path, *ARM, world=True, m__j="180 deg") == [round(-2 / 3, 12), 0, 0]


def test_same_robot_as_in_urdf(tmp_path: Path) -> None:
    """Chains and branches with random poses, axes and positions."""
    rng = np.random.default_rng(11)
    for _ in range(10):
        sdf, urdf, q = [link("l0")], [], {}
        inertial = '<inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx=".1" iyy=".2" izz=".25"/></inertial>'
        urdf.append(f'<link name="l0">{inertial}</link>')
        for k in range(1, 6):
            over = f"l{int(rng.integers(0, k))}"
            pose, axis = ([f"{value:.3f}" for value in rng.uniform(-1, 1, n)] for n in (6, 3))
            kind = str(rng.choice(["revolute", "prismatic", "continuous"]))
            sdf.append(link(f"l{k}", " ".join(pose), of_pose=f"relative_to='{over}'"))
            sdf.append(joint(f"j{k}", over, f"l{k}", f"<axis><xyz>{' '.join(axis)}</xyz></axis>", kind))
            origin = f'<origin xyz="{" ".join(pose[:3])}" rpy="{" ".join(pose[3:])}"/><axis xyz="{" ".join(axis)}"/>'
            ends = f'<parent link="{over}"/><child link="l{k}"/>'
            urdf.append(f'<link name="l{k}">{inertial}</link><joint name="j{k}" type="{kind}">{origin}{ends}</joint>')
            q[f"j{k}"] = float(rng.uniform(-2, 2))
        (tmp_path / "m.sdf").write_text(f"<sdf version='1.11'><model name='m'>{''.join(sdf)}</model></sdf>")
        (tmp_path / "m.urdf").write_text(f'<robot name="m">{"".join(urdf)}</robot>')
        one, other = (mp.rollup(mp.read_bom(tmp_path / f"m.{end}", q=q)).root for end in ("sdf", "urdf"))
        np.testing.assert_allclose(one.center, other.center, rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.inertia, other.inertia, rtol=0, atol=1e-11)


def test_joints_that_follow_others(tmp_path: Path) -> None:
    numbers = "<multiplier>2</multiplier><offset>0.25</offset><reference>0.125</reference>"
    mimic = f"<mimic joint='j' axis='axis'>{numbers}</mimic>"
    parts = (*ARM, link("c"), joint("k", "base", "c", AXIS.format(mimic)))
    angle = 2 * (0.5 - 0.125) + 0.25
    found = center(tmp_path, *parts, j=0.5)
    expected = (np.array([math.cos(0.5), math.sin(0.5)]) + np.array([math.cos(angle), math.sin(angle)])) / 2.5
    np.testing.assert_allclose(found[:2], expected, rtol=0, atol=1e-11)
    with pytest.raises(UsageError, match="joint k follows j"):
        center(tmp_path, *parts, k=0.5)


def test_limits(tmp_path: Path) -> None:
    limited = AXIS.format("<limit><lower>-1</lower><upper>1</upper></limit>")
    endless = AXIS.format("<limit><lower>-1e16</lower><upper>inf</upper></limit>")
    one_sided = AXIS.format("<limit><lower>-1</lower></limit>")
    for axis, q, rules in (
        (limited, 1.0, []), (limited, 1.01, ["MP890"]), (endless, 9.0, []), (one_sided, 9.0, []),
        (one_sided, -9.0, ["MP890"]),
    ):  # fmt: skip
        center(tmp_path, BASE, link("a"), joint("j", "base", "a", axis))
        findings = mp.read_bom(tmp_path / "model.sdf", q={"j": q}).findings
        assert [one.rule for one in findings if one.rule == "MP890"] == rules


@pytest.mark.parametrize(
    ("parts", "q", "message"),
    [
        (ARM, {"x": 1.0}, r"robot has no joint 'x' \(it has j\)"),
        ((BASE, link("a"), joint("j", "base", "a", kind="fixed")), {"j": 1.0}, "joint j is fixed"),
        ((BASE, link("a"), joint("j", "base", "a", kind="ball")), {"j": 1.0}, "ball joint j is not moved"),
        ((BASE, link("a"), joint("j", "base", "a", "")), {"j": 1.0}, "axis of joint j is zero"),
        ((*ARM, joint("k", "base", "a")), {"j": 1.0}, "joint j is in a loop with joint k"),
        ((*ARM, joint("k", "world", "a", kind="fixed")), {"j": 1.0}, "joint j is in a loop with joint k"),
        ((*ARM, link("c"), joint("k", "c", "base")), {"j": 1.0, "k": 1.0}, None),
        ((*ARM, link("c"), joint("k", "c", "a")), {"j": 1.0, "k": 1.0}, "joints j and k move each other"),
    ],
)
def test_positions_that_do_not_fit(
    parts: tuple[str, ...], q: dict[str, float], message: str | None, tmp_path: Path
) -> None:
    if message is None:
        assert len(center(tmp_path, *parts, **q)) == 3
        return
    with pytest.raises(UsageError, match=message):
        center(tmp_path, *parts, **q)


def test_at_0_the_text_of_the_file_is_kept(tmp_path: Path) -> None:
    parts = (BASE, link("a", "1.50 0 0 0 0 0"), joint("j", "base", "a"))
    center(tmp_path, *parts)
    for q in ({}, {"j": 0.0}):
        table = mp.read_bom(tmp_path / "model.sdf", q=q).table
        assert [table.text(i, 14) for i in range(table.n_rows) if table.text(i, 0) == "a"] == ["1.50"]


def test_command(tmp_path: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    center(tmp_path, *ARM)
    Path("massprops.toml").write_text('[pose.back]\nj = "180 deg"\n')
    for options in (("--q", "j=180 deg"), ("--pose", "back")):
        assert massprops("rollup", "model.sdf", *options, "-o", "a.csv").exit_code == 0
        assert abs(mp.read_bom("a.csv")["m"].center[0] + 2 / 3) < 1e-12
    # written back, the inertial of the moved link does not change
    massprops("convert", "model.sdf", "--q", "j=1", "-o", "b.csv")
    assert massprops("convert", "b.csv", "--into", "model.sdf", "-o", "new.sdf").exit_code == 0
    assert Path("new.sdf").read_text() == Path("model.sdf").read_text()
