"""Uncertain poses, lots and shapes in rare places: groups, samples in pieces, stated assemblies, cut trees."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bodies.solid_inputs import SolidInputError, parse_mesh, read_materials
from massprops_cli.bodies.solid_shapes import enclosing_box
from massprops_cli.findings.finding import ConfigError, UsageError

HEAD = (
    "id,parent,qty,group,mass [kg],Cx [mm],Cy [mm],Cz [mm],sigma_mass [kg],sigma_Cx [mm],sigma_Cy [mm],sigma_Cz [mm],"
    "tx [mm],ty [mm],tz [mm],roll [deg],pitch [deg],yaw [deg],frame,sigma_tx [mm],sigma_rz [mrad]\n"
    "T,,,,,,,,,,,,,,,,,,,,\n"
)
ARM = """Arm,T,{qty},,,,,,,,,,0,0,0,0,0,0,own,{tx},{rz}
A,Arm,1,red,3,0,200,0,0.1,0,0,0,,,,,,,own,,
B,T,1,blue,5,0,0,0,0.2,0,0,0,,,,,,,own,,
"""
SHAPES = """id,parent,mass [kg],shape,dims,density,lot,tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame
T,,,,,,,,,,,,,
A,T,,box,a=1±0.01 m (1σ); b=2 m; c=1 m,10 kg/m3,{lot},1,0,0,0,0,30,own
B,T,,box,a=1±0.02 m (1σ); b=1 m; c=1 m,10 kg/m3,{lot},-1,0,0,0,40,0,own
"""


def bom_of(text: str, **options: object) -> mp.Bom:
    return mp.read_bom(io.StringIO(text), format="csv", **options)


def arm(qty: int = 2, tx: object = 0.3, rz: object = 2) -> str:
    """An arm of 3 kg whose pose is uncertain, and a part of 5 kg at the origin."""
    return HEAD + ARM.format(qty=qty, tx=tx, rz=rz)


@pytest.mark.parametrize(("shape", "dims", "far"), [
    ("sphere", {"r": 3}, 3.0), ("cylinder", {"r": 3, "L": 8}, 5.0), ("box", {"a": 4, "b": 6, "c": 12}, 7.0),
])  # fmt: skip
def test_farthest_point_of_a_shape(shape: str, dims: dict[str, float], far: float) -> None:
    _, _, farthest = enclosing_box(shape, dims)
    assert farthest == pytest.approx(far)


@pytest.mark.parametrize(("text", "reason"), [
    ("a = " + "[" * 9_000 + "]" * 9_000, "nested too deeply"), ("a = " + "9" * 5_000, "does not fit in 64 bits"),
])  # fmt: skip
def test_materials_that_no_reader_takes(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "materials.toml").write_text(text)
    with pytest.raises(ConfigError, match=reason):
        read_materials(tmp_path / "materials.toml")


def test_mesh_of_negative_density_is_an_error() -> None:
    with pytest.raises(SolidInputError, match="density is not positive: -5 kg/m3"):
        parse_mesh({"mesh": "a.stl", "density": "-5 kg/m3"}, lambda *_: 1.0)


def test_pieces_share_the_pose_of_their_row_in_samples() -> None:
    bom = bom_of(arm())
    exact, sampled = mp.rollup(bom, "covariance")["T"], mp.rollup(bom, "montecarlo", samples=40_000, seed=3)["T"]
    # two pieces of 3 kg move together by 0.3 mm and by 2 mrad of 200 mm; the centre of A is at x = 0 otherwise
    assert exact.sigma_center[0] == pytest.approx(6 / 11 * np.hypot(0.3, 0.4), rel=1e-12)
    assert sampled.sigma_center[0] == pytest.approx(exact.sigma_center[0], rel=0.02)
    assert sampled.sigma_mass == pytest.approx(np.hypot(np.sqrt(2) * 0.1, 0.2), rel=0.02)


def test_exact_poses_are_sampled_along_the_rows() -> None:
    turned = HEAD + "A,T,1,,3,0,200,0,0,0,5,0,0,0,0,0,0,90,own,,\n"
    found = mp.rollup(bom_of(turned), "montecarlo", samples=20_000, seed=5)["T"]
    # the row's y points to −x of the root
    np.testing.assert_allclose(found.center, [-200, 0, 0], atol=0.2)
    assert found.sigma_center[0] == pytest.approx(5, rel=0.03)
    assert found.sigma_center[1] == pytest.approx(0, abs=1e-9)


def test_branch_without_mass_or_center_has_no_effect() -> None:
    # with an error in the pose of the arm nothing is known of it: the report is the error, not a rejected method
    text = arm().replace("0,0,0,0,0,0,own", "0,0,0,,0,0,own")
    with pytest.raises(mp.FindingsError) as raised:
        mp.rollup(bom_of(text), "covariance")
    assert "MP706" in {one.rule for one in raised.value.findings}
    light = arm().replace("red,3,", "red,0,")
    assert mp.rollup(bom_of(light), "covariance")["T"].sigma_center[0] == 0


def test_masses_that_cancel_under_an_uncertain_pose_are_rejected() -> None:
    text = arm(qty=1) + "C,Arm,1,red,-3,0,0,0,0,0,0,0,,,,,,,own,,\n"
    with pytest.raises(UsageError, match="masses of an assembly cancel"):
        mp.rollup(bom_of(text), "covariance")


@pytest.mark.parametrize("poses", [(0.3, 2), ("", "")])
def test_groups_of_turned_parts_have_their_own_centers(poses: tuple[object, object], massprops, tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(arm(tx=poses[0], rz=poses[1]))
    words = ("rollup", str(tmp_path / "bom.csv"), "--by", "group", "-o", str(tmp_path / "out.csv"), "--format", "json")
    done = massprops(*words)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    red = next(group for group in report["groups"] if group["labels"] == {"group": "red"})
    assert [red[name] for name in ("mass", "Cx", "Cy", "Cz")] == pytest.approx([6, 0, 200, 0], abs=1e-9)
    # an uncertain pose is that of a branch, and a group is none: then only the masses of groups have sigmas
    assert ("sigma_Cx" in red) == (poses[0] == "")
    row = next(row for row in report["review"] if row.get("labels") == {"group": "red"})
    assert row["sigma_mass"] == pytest.approx(2**0.5 * 0.1)


def test_contributions_of_shapes_without_lots() -> None:
    found = mp.contributions(bom_of(SHAPES.format(lot="")), "mass")
    # 20 kg ± 1 %, 10 kg ± 2 %
    assert found.sigma == pytest.approx(np.hypot(0.2, 0.2), rel=1e-9)
    assert [row.share for row in found.rows()] == pytest.approx([0.5, 0.5])


def test_changed_shape_has_independent_deviations() -> None:
    rows = SHAPES.format(lot="L").replace("10 kg/m3", "10±1 kg/m3 (1σ)").splitlines()
    plain = [",".join(row.split(",")[:10]) for row in rows]
    head = plain[0].replace("tx [m],ty [m],tz [m]", "Cx [m],Cy [m],Cz [m]")
    found = mp.whatif(bom_of("\n".join([head, *plain[1:]])), set={"A.mass": 40.0})
    # before, 30 kg of one lot with σ = 10 %; after, the stated 40 kg are not of the lot
    assert (found.before(0).mass, found.after(0).mass) == pytest.approx((30, 50))
    assert found.before(0).sigma_mass == pytest.approx(np.sqrt(3**2 + 0.2**2 + 0.2**2), rel=1e-3)


def test_shapes_are_sampled_from_normal_distributions() -> None:
    free = SHAPES.format(lot="").replace("B,T,,box,a=1±0.02 m (1σ); b=1 m; c=1 m,10 kg/m3", "B,T,10,,,")
    head, top, a, b = free.splitlines()
    bom = bom_of("\n".join([head + ",sigma_mass [kg]", top + ",", a + ",", b + ",0.3"]))
    found = mp.rollup(bom, "montecarlo", samples=40_000, seed=2, distribution="uniform")["T"]
    assert found.sigma_mass == pytest.approx(np.hypot(0.2, 0.3), rel=0.02)


def test_lot_in_several_parts_of_a_cut_tree_is_rejected(massprops, tmp_path: Path) -> None:
    rows = SHAPES.format(lot="L").replace("10 kg/m3", "10±1 kg/m3 (1σ)").splitlines()
    deep = [rows[0], rows[1], "S,T,,,,,,,,,,,,", rows[2].replace("A,T", "A,S"), rows[3]]
    (tmp_path / "bom.csv").write_text("\n".join(deep) + "\n")
    done = massprops("partition", str(tmp_path / "bom.csv"), "--at", "S", "-o", str(tmp_path / "parts"))
    assert done.exit_code == 2
    assert "parts of one lot are in several parts of the tree" in " ".join(done.output.split())


def test_poses_below_a_stated_assembly_do_not_contribute() -> None:
    inner = "G,Arm,1,,,,,,,,,,10,0,0,0,0,0,own,0.5,1\nH,G,1,red,2,0,50,0,0,0,0,0,,,,,,,own,,\n"
    stated = arm(qty=1).replace("Arm,T,1,,,,,,,,,", "Arm,T,1,,4,0,100,0,0.3,0,0,0") + inner
    bom = bom_of(stated, assembly_values="stated")
    found = mp.contributions(bom, "Cx", "T")
    names = [row.name for row in found.rows() if row.kind == "pose"]
    assert names
    assert sum(row.share for row in found.rows()) == pytest.approx(1)


def test_uncertain_poses_elsewhere_do_not_contribute() -> None:
    found = mp.contributions(bom_of(arm()), "Cx", "Arm")
    assert [row for row in found.rows() if row.kind == "pose"] == []


def test_sampled_part_is_not_moved_by_its_own_pose() -> None:
    rows = HEAD + "A,T,1,,3,0,200,0,0,0,4,0,0,0,0,0,0,0,own,0.3,2\nB,T,1,,1,0,0,0,0,0,0,0,,,,,,,own,,\n"
    found = mp.rollup(bom_of(rows), "montecarlo", samples=20_000, seed=1, items=["A", "T"])
    assert found["A"].sigma_center[0] == pytest.approx(0, abs=1e-12)
    assert found["A"].sigma_center[1] == pytest.approx(4, rel=0.03)
    assert found["T"].sigma_center[0] == pytest.approx(3 / 4 * np.hypot(0.3, 0.4), rel=0.03)
