"""SDF against Drake, where it is installed: automatic inertials, frames, nested models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp

parsing = pytest.importorskip("pydrake.multibody.parsing")
plants = pytest.importorskip("pydrake.multibody.plant")

SHAPES = {
    "box": "<box><size>0.3 0.5 0.7</size></box>",
    "sphere": "<sphere><radius>0.3</radius></sphere>",
    "ellipsoid": "<ellipsoid><radii>0.2 0.3 0.4</radii></ellipsoid>",
    "cylinder": "<cylinder><radius>0.3</radius><length>0.9</length></cylinder>",
    "capsule": "<capsule><radius>0.2</radius><length>0.9</length></capsule>",
}


def collision(name: str, shape: str, pose: str, density: float) -> str:
    stated = f"<density>{density}</density>" if density else ""
    return f"<collision name='{name}'><pose>{pose}</pose>{stated}<geometry>{shape}</geometry></collision>"


def whole_body(path: Path) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and tensor about the centre of all links in the frame of the only model, by Drake."""
    plant = plants.MultibodyPlant(0.0)
    models = parsing.Parser(plant).AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    found = [plant.get_body(index) for index in range_of(plant)]
    whole = None
    for body in found:
        pose = plant.EvalBodyPoseInWorld(context, body)
        moved = body.default_spatial_inertia().ReExpress(pose.rotation()).Shift(-pose.translation())
        whole = moved if whole is None else _sum(whole, moved)
    assert models
    assert whole is not None
    mass, center = whole.get_mass(), whole.get_com()
    tensor = whole.Shift(center).CalcRotationalInertia().CopyToFullMatrix3()
    return mass, center, tensor


def _sum(one, other):
    one += other
    return one


def range_of(plant):
    """Indices of the bodies other than the world."""
    index = pytest.importorskip("pydrake.multibody.tree").BodyIndex
    return [index(k) for k in range(1, plant.num_bodies())]


def assert_equal(path: Path) -> None:
    mass, center, tensor = whole_body(path)
    root = mp.rollup(mp.read_bom(path)).root
    assert root.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(root.center, center, rtol=0, atol=1e-12)
    np.testing.assert_allclose(root.inertia, tensor, rtol=0, atol=1e-11 * float(np.abs(tensor).max()))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mass", ["", "<mass>2.5</mass>"])
def test_automatic_inertial_equals_drake(shape: str, mass: str, tmp_path: Path) -> None:
    parts = collision("a", SHAPES[shape], "0.1 -0.2 0.3 0.4 0.5 -0.6", 700.0)
    parts += collision("b", SHAPES["box"], "2 0 0 0 0.3 0", 0.0)
    inertial = f"<inertial auto='true'>{mass}<density>40</density></inertial>"
    text = f"<link name='l'><pose>1 2 3 0.3 -0.2 0.1</pose>{inertial}{parts}</link>"
    path = tmp_path / "model.sdf"
    path.write_text(f"<sdf version='1.11'><model name='m'>{text}</model></sdf>")
    assert_equal(path)


def test_frames_and_nested_models_equal_drake(tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    tensor = (
        "<inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz><ixy>0.01</ixy><ixz>-0.02</ixz><iyz>0.03</iyz></inertia>"
    )
    inertial = f"<inertial><pose>0.1 0.2 0.3 0.3 0.2 0.1</pose><mass>2</mass>{tensor}</inertial>"
    path.write_text(
        f"""<sdf version='1.11'><model name='m'>
        <link name='a'><pose>1 2 3 0.1 0.2 0.3</pose>{inertial}</link>
        <frame name='f' attached_to='a'><pose degrees='true'>0.5 0 0 10 20 30</pose></frame>
        <link name='b'><pose relative_to='f'>0 1 0 0 0 1</pose>{inertial}</link>
        <joint name='j' type='fixed'><pose>0 0 1 0 0 0.5</pose><parent>a</parent><child>b</child></joint>
        <link name='c'><pose relative_to='j' rotation_format='quat_xyzw'>1 0 0 0.5 0.5 0.5 0.5</pose>{inertial}</link>
        <model name='n' placement_frame='tip'><pose relative_to='c'>0.2 0 0 0 0.4 0</pose>
          <link name='d'><pose>0 0 0.3 0 0 0.2</pose>{inertial}</link>
          <frame name='tip' attached_to='d'><pose>0.1 0 0 0.7 0 0</pose></frame>
        </model>
        <link name='e'><pose relative_to='n::tip'>0 0 1 0 0 0</pose>{inertial}</link>
        </model></sdf>"""
    )
    assert_equal(path)


@pytest.mark.parametrize("name", ["inertial_stats.sdf", "inertial_stats_auto.sdf"])
def test_models_of_sdformat_equal_drake(name: str) -> None:
    assert_equal(Path(__file__).parents[1] / "data" / "robots" / name)
