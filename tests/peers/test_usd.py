"""Masses of USD stages made with pxr; answers in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp

pytest.importorskip("pxr")
from pxr import Gf, Usd, UsdGeom, UsdPhysics


@pytest.fixture
def stage(tmp_path):
    """Stage in centimetres and kilograms."""
    made = Usd.Stage.CreateNew(str(tmp_path / "robot.usda"))
    UsdGeom.SetStageMetersPerUnit(made, 0.01)
    UsdPhysics.SetStageKilogramsPerUnit(made, 1.0)
    made.SetDefaultPrim(UsdGeom.Xform.Define(made, "/robot").GetPrim())
    return made


def body(stage, name):
    prim = UsdGeom.Xform.Define(stage, f"/robot/{name}")
    UsdPhysics.RigidBodyAPI.Apply(prim.GetPrim())
    return prim


def saved(stage, tmp_path, name):
    path = tmp_path / name
    stage.GetRootLayer().Export(str(path))
    return mp.read_bom(path)


@pytest.mark.parametrize("name", ["out.usda", "out.usdc"])
def test_stated_inertial_of_a_turned_body(stage, tmp_path, name):
    arm = body(stage, "arm")
    arm.AddTranslateOp().Set(Gf.Vec3d(100, 0, 0))
    arm.AddRotateZOp().Set(90)
    mass = UsdPhysics.MassAPI.Apply(arm.GetPrim())
    mass.CreateMassAttr(2.1)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(10, 0, 0))
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(1000, 2000, 2500))
    mass.CreatePrincipalAxesAttr(Gf.Quatf(0.9238795, 0, 0, 0.3826834))  # 45° about z
    bom = saved(stage, tmp_path, name)
    i = bom.item("arm")
    assert bom.bodies.mass[i] == 2.1
    np.testing.assert_allclose(bom.bodies.center[i], [1, 0.1, 0], atol=1e-9)
    # R diag(0.1, 0.2, 0.25) Rᵀ at 45° + 90° about z
    np.testing.assert_allclose(bom.bodies.inertia[i], [0.15, 0.15, 0.25, 0.05, 0, 0], atol=1e-7)
    assert not bom.has_errors


def test_densities_of_colliders_and_masses_that_scale_them(stage, tmp_path):
    for name in ("light", "heavy"):
        body(stage, name)
        cube = UsdGeom.Cube.Define(stage, f"/robot/{name}/cube")
        cube.CreateSizeAttr(10.0)
        cube.AddTranslateOp().Set(Gf.Vec3d(0, 20, 0))
        cube.AddScaleOp().Set(Gf.Vec3f(1, 2, 3))
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        UsdPhysics.MassAPI.Apply(cube.GetPrim()).CreateDensityAttr(0.002)
        cone = UsdGeom.Cone.Define(stage, f"/robot/{name}/cone")
        cone.CreateRadiusAttr(5)
        cone.CreateHeightAttr(10)
        cone.CreateAxisAttr("X")
        UsdPhysics.CollisionAPI.Apply(cone.GetPrim())
    UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/robot/heavy")).CreateMassAttr(30.0)
    bom = saved(stage, tmp_path, "out.usda")
    box, tip = 0.1 * 0.2 * 0.3 * 2000, np.pi * 0.05**2 * 0.1 / 3 * 1000  # water where no density is stated
    i, k = bom.item("light"), bom.item("heavy")
    assert bom.bodies.mass[i] == pytest.approx(box + tip, rel=1e-12)
    center = np.array([-0.025 * tip, 0.2 * box, 0]) / (box + tip)
    np.testing.assert_allclose(bom.bodies.center[i], center, rtol=1e-9, atol=1e-12)
    xx = box * (0.2**2 + 0.3**2) / 12 + 0.3 * tip * 0.05**2
    xx += box * (0.2 - center[1]) ** 2 + tip * center[1] ** 2
    assert bom.bodies.inertia[i, 0] == pytest.approx(xx, rel=1e-9)
    assert bom.bodies.mass[k] == 30
    np.testing.assert_allclose(bom.bodies.inertia[k], bom.bodies.inertia[i] * 30 / (box + tip), rtol=1e-9)


def test_bodies_that_are_not_computed_are_lower_bounds(stage, tmp_path):
    body(stage, "shell")
    mesh = UsdGeom.Mesh.Define(stage, "/robot/shell/mesh")
    UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
    body(stage, "empty")
    scaled = body(stage, "scaled")
    scaled.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
    UsdPhysics.MassAPI.Apply(scaled.GetPrim()).CreateMassAttr(3.0)
    bom = saved(stage, tmp_path, "out.usda")
    found = sorted((one.rule, one.item) for one in bom.findings if one.severity.value == "error")
    assert found == [("MP854", "scaled"), ("MP855", "empty"), ("MP855", "shell")]
    result = mp.rollup(bom, keep_going=True)
    assert result.rollup.bodies.mass[int(bom.tree.order[0])] == 3
    assert not result.rollup.coverage.mass_is_whole[int(bom.tree.order[0])]


def test_layers_outside_the_folder_are_rejected(stage, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    body(stage, "arm")
    stage.GetRootLayer().Save()
    other = Usd.Stage.CreateNew(str(inside / "top.usda"))
    other.OverridePrim("/robot").GetReferences().AddReference("../robot.usda")
    other.GetRootLayer().Save()
    with pytest.raises(mp.TableError, match="outside the folder"):
        mp.read_bom(inside / "top.usda")
    assert mp.read_bom(inside / "top.usda", mesh_roots=str(tmp_path)).ids
