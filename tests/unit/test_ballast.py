"""Ballast of tables: published answers, sigmas, removed items, conditions, impossible limits, faults, files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.ballasts.problem import BallastCondition, balance_planes

ROOT = Path(__file__).parents[2]
SPACECRAFT = str(ROOT / "sample_data/spacecraft.csv")
POINTS = str(ROOT / "sample_data/ballast/ballast_points.csv")


@pytest.fixture
def scipy() -> None:
    pytest.importorskip("scipy", reason="ballast needs SciPy (extra ballast)")


def hull(**more: Any) -> mp.Bom:
    rows = [{"id": "top", "parent": ""}, {"id": "hull", "parent": "top", "mass [lb]": 4954.0, "Cx [in]": 30.5, **more}]
    return mp.Bom.from_records(rows)


@pytest.mark.usefixtures("scipy")
@pytest.mark.parametrize("limit", ["Cx >= 32 in", "Cx = 32 in", "Cx in 32..33 in", "LCG ≥ 0.8128 m"])
def test_published_aircraft(limit: str) -> None:
    """4,954 lb at 30.5 in, to 32.0 in by ballast at 162 in: 57.16 lb."""
    answer = mp.ballast(hull(), limit, [{"id": "tail", "x [in]": 162.0}])
    assert (answer.status, len(answer.placed)) == ("least", 1)
    assert round(answer.mass, 2) == 57.16
    assert answer.mass == pytest.approx(4954 * 1.5 / 130, rel=1e-12)


def test_published_planes() -> None:
    """M 500, c (0.004, −0.007), P (1.3, −0.8), planes at −0.6 and 1.1."""
    tensor = np.array([40.0, 50.0, 60.0, 0.0, -1.3, 0.8])
    one = balance_planes(BallastCondition("", 500.0, np.array([0.004, -0.007, 0.0]), tensor), "z", (-0.6, 1.1))
    assert np.allclose(one.unbalances, [(-0.529412, 1.794118), (-1.470588, 1.705882)], atol=5e-7)
    assert one.polar(0) == (pytest.approx(1.870600, abs=1e-5), pytest.approx(106.4399, abs=1e-3))


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_planes_leave_no_static_and_no_couple_unbalance(axis: str) -> None:
    """With masses at a radius of 1 at both planes the products with the spin axis and the offsets are 0."""
    result = mp.rollup(SPACECRAFT)
    answer = mp.ballast(result, planes=f"{axis}=-0.3,0.9 m")
    balance, body = answer.planes, result.root
    assert balance is not None
    assert body.center is not None
    assert body.inertia is not None
    at, names = "xyz".index(axis), ["xyz".index(one) for one in balance.axes]
    assert names == [at, (at + 1) % 3, (at + 2) % 3]
    for k, across in enumerate(names[1:]):
        unbalances = [one[k] for one in balance.unbalances]
        static = body.mass * body.center[across] + sum(unbalances)
        product = body.mass * body.center[across] * body.center[at] - body.inertia[across, at]
        couple = product + sum(u * z for u, z in zip(unbalances, balance.planes, strict=True))
        assert abs(static) < 1e-12
        assert abs(couple) < 1e-12
        assert balance.sigmas is not None


def test_sigmas_of_planes_against_sampling() -> None:
    """δ of m, h and J by their covariance, put into the closed form."""
    result = mp.rollup(SPACECRAFT)
    balance = mp.ballast(result, planes="0.1,1.1 m").planes
    rolled, root = result.rollup, result.root_item
    assert balance is not None
    assert balance.sigmas is not None
    assert rolled.bodies.center is not None
    assert rolled.bodies.inertia is not None
    draws = np.random.default_rng(7).multivariate_normal(np.zeros(10), rolled.covariance_of(root), 200_000)
    mass, center, tensor = rolled.bodies.mass[root], rolled.bodies.center[root], rolled.bodies.inertia[root]
    m, h = mass + draws[:, 0], mass * center + draws[:, 1:4] + draws[:, :1] * center  # about the origin
    # J about the old centre: products about the origin are −Jxz + c_x h_z' + c_z h_x' + c_x c_z m
    product = -(tensor[4] + draws[:, 8]) + center[0] * draws[:, 3] + center[2] * draws[:, 1] + m * center[0] * center[2]
    (z1, z2) = balance.planes
    first = (product - h[:, 0] * z2) / (z2 - z1)
    assert first.mean() == pytest.approx(balance.unbalances[0][0], abs=5e-3)
    assert first.std() == pytest.approx(balance.sigmas[0][0], rel=0.01)


@pytest.mark.usefixtures("scipy")
def test_sigmas_stay_inside_and_are_those_of_the_rollup() -> None:
    result = mp.rollup(SPACECRAFT)
    loose = mp.ballast(result, "Cx in -2..2 mm", POINTS)
    points = [{"id": "aft", "x [m]": -0.4, "y [m]": 0.0, "z [m]": 0.1}]
    tight = mp.ballast(result, "Cx in -2..2 mm", points, sigma=2)
    effect = tight.effects[0]
    assert effect.sigma is not None
    assert effect.after + 2 * effect.sigma <= 2 + 1e-9
    assert effect.after + 2 * effect.sigma == pytest.approx(2, abs=1e-4)  # the least: nothing is left
    assert tight.mass > loose.mass > 0
    again = mp.rollup(tight.changed_table().read_again(result.bom))
    assert again.root.center is not None
    assert again.root.sigma_center is not None
    assert again.root.center[0] * 1e3 == pytest.approx(effect.after, rel=1e-9)
    assert again.root.sigma_center[0] * 1e3 == pytest.approx(effect.sigma, rel=1e-6)


@pytest.mark.usefixtures("scipy")
def test_tensors_of_an_answer_are_those_of_the_rollup() -> None:
    """A product, a moment and a tilt with a box of the centre, sigmas inside: checked in the table with ballast."""
    result = mp.rollup(SPACECRAFT)
    rng = np.random.default_rng(3)
    places = [
        {"id": f"P{k}", "x [m]": x, "y [m]": y, "z [m]": z, "max mass [kg]": 2.0}
        for k, (x, y, z) in enumerate(rng.uniform(-0.5, 0.9, (40, 3)).tolist())
    ]
    limits = ["Cx in -3..3 mm", "Ixz in -0.1..0.1 kg*m^2", "Izz <= 27 kg*m^2", "tilt xy <= 0.3 deg"]
    for sigma in (0.0, 1.0):
        answer = mp.ballast(result, limits, places, sigma=sigma)
        assert answer.status == "local optimum"
        root = mp.rollup(answer.changed_table().read_again(result.bom)).root
        assert root.inertia is not None
        assert root.sigma_inertia is not None
        product, moment, tilt = answer.effects[1:]
        assert root.inertia[0, 2] == pytest.approx(
            product.after * np.sign(root.inertia[0, 2] / product.after), rel=1e-9
        )
        assert root.sigma_inertia[0, 2] == pytest.approx(product.sigma, rel=1e-6)
        assert abs(root.inertia[0, 2]) + sigma * root.sigma_inertia[0, 2] <= 0.1 + 1e-9
        assert root.inertia[2, 2] == pytest.approx(moment.after, rel=1e-9)
        assert root.inertia[2, 2] + sigma * root.sigma_inertia[2, 2] <= 27 + 1e-9
        difference = abs(root.inertia[1, 1] - root.inertia[0, 0])
        angle = np.degrees(np.arctan(-2 * root.inertia[0, 1] / difference) / 2)
        assert angle == pytest.approx(tilt.after, rel=1e-9)
        assert tilt.sigma is not None
        assert abs(angle) + sigma * tilt.sigma <= 0.3 + 1e-6


@pytest.mark.usefixtures("scipy")
def test_existing_ballast_is_removed_by_pieces() -> None:
    rows = [
        {"id": "top", "parent": "", "qty": 1},
        {"id": "body", "parent": "top", "qty": 1, "mass": 90.0, "Cx": 1.0, "Cy": 0.0, "Cz": 0.0},
        {"id": "lead", "parent": "top", "qty": 5, "mass": 2.0, "Cx": 11.0, "Cy": 0.0, "Cz": 0.0},
    ]
    result = mp.rollup(mp.Bom.from_records(rows))  # the centre is at 2
    answer = mp.ballast(result, "Cx <= 1.5", [{"id": "fore", "x": -9.0, "y": 0.0, "z": 0.0}], remove="lead")
    # (90 + 22 n)/(90 + 2 n) ≤ 1.5 with n pieces left: n = 2 gives 134/94 = 1.4255, n = 3 gives 1.625; none is added
    assert [(one.id, one.pieces, one.mass) for one in answer.removed] == [("lead", 5, -10.0)]
    answer = mp.ballast(result, "Cx in 1.4..1.5", [{"id": "fore", "x": -9.0, "y": 0.0, "z": 0.0}], remove=["lead"])
    assert [(one.id, one.pieces) for one in answer.removed] == [("lead", 3)]
    table = answer.changed_table().read_again(result.bom)
    assert mp.rollup(table).root.mass == 94.0


@pytest.mark.usefixtures("scipy")
def test_ballast_keeps_the_limits_of_all_conditions() -> None:
    full, empty = hull(), hull(name="e")
    results = {"full": mp.rollup(full), "empty": mp.rollup(mp.whatif(empty, set={"hull.mass": 3000.0}).changed_bom())}
    answer = mp.ballast(results["full"], "Cx in 32..33 in", [{"id": "tail", "x [in]": 162.0}], conditions=results)
    assert [one.condition for one in answer.effects] == ["full", "empty"]
    assert [one.after for one in answer.effects] == [
        pytest.approx(32.0),
        pytest.approx(30.5 + answer.mass * 131.5 / (3000 + answer.mass)),
    ]
    impossible = mp.ballast(results["full"], "Cx in 32..32.5 in", [{"id": "tail", "x [in]": 162.0}], conditions=results)
    assert impossible.status == "impossible"
    assert impossible.clash == ("Cx in 32..32.5 in in full", "Cx in 32..32.5 in in empty")
    # the least largest miss: both ends are missed by the same length, w (162 − x)/M = x − 30.5 at 32 − d and 32.5 + d
    misses = [one.miss for one in impossible.effects]
    assert misses[0] == pytest.approx(misses[1], rel=1e-6)
    x, y = 32 - misses[0], 32.5 + misses[1]
    assert 4954 * (x - 30.5) / (162 - x) == pytest.approx(3000 * (y - 30.5) / (162 - y), rel=1e-6)


@pytest.mark.usefixtures("scipy")
def test_impossible_limits_state_miss_clash_and_help() -> None:
    places = [{"id": "tail", "x [in]": 162.0, "max mass [lb]": 50.0}, {"id": "nose", "x [in]": 0.0}]
    answer = mp.ballast(hull(), "Cx = 32 in", places)
    assert (answer.is_possible, answer.status) == (False, "impossible")
    assert [(one.id, one.mass) for one in answer.placed] == [("tail", pytest.approx(50.0))]
    far = 32 - (4954 * 30.5 + 50 * 162) / 5004
    assert answer.effects[0].miss == pytest.approx(far, rel=1e-9)
    assert answer.help == ("more mass at tail: 57.1615 lb in place of 50 lb",)
    (finding,) = [one for one in answer.findings if one.rule == "MP673"]
    assert finding.message == f"limits cannot be kept: Cx = 32 in; the best attempt misses Cx by {far:.6g} in"
    with pytest.raises(mp.UsageError, match="no table with ballast"):
        answer.changed_table()
    places = [{"id": "nose", "x [in]": 0.0}]
    assert mp.ballast(hull(), "Cx >= 32 in", places).help == ("a place with x above 32 in",)
    places = [{"id": "tail", "x [in]": 162.0, "piece mass [lb]": 100.0}]
    assert mp.ballast(hull(), "Cx = 32 in", places).help == (
        "smaller pieces: 57.1615 lb in pieces of any size is enough",
    )


def test_all_faults_of_a_call_are_reported_together() -> None:
    places = [{"id": "a", "x [in]": None, "stock": -1}, {"id": "a", "x [in]": 5, "max mass [lb]": "heavy"}]
    with pytest.raises(mp.FindingsError) as caught:
        mp.ballast(
            hull(), ["Cx in 5..1 in", "Cy = 0 in", "Cx < 4 in", "Cx = 3", "tilt xy <= 1 deg"], places, remove=["x"]
        )
    found = [(one.rule, one.message) for one in caught.value.findings]
    assert [rule for rule, _ in found] == ["MP670"] * 5 + ["MP671"] * 5 + ["MP672"]
    texts = "; ".join(text for _, text in found)
    for part in (
        "limit has its low end above its high end: 5..1 in",
        "limit of Cy needs a centre of mass that the table does not state",
        "limit is not read: Cx < 4 in",
        'limit of Cx is not a number with a unit: "3"',
        "limit of tilt xy needs tensors of inertia",
        "point a has no place: x is blank",
        "stock of a is negative: -1",
        "stock of a has no piece mass: -1",
        "id of a point is given twice: a",
        "most mass of a is not a number: heavy",
        "id is not in the table: x",
    ):
        assert part in texts
    with pytest.raises(mp.UsageError, match="sigma is not a number"):
        mp.ballast(hull(), "Cx = 3 in", places, sigma=-1)
    with pytest.raises(mp.FindingsError, match="planes are one plane"):
        mp.ballast(SPACECRAFT, planes="1,1 m")


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(mp.UsageError, match=r"pip install 'massprops\[ballast\]'"):
        mp.ballast(hull(), "Cx >= 32 in", [{"id": "tail", "x [in]": 162.0}])


@pytest.mark.usefixtures("scipy")
def test_command_writes_reports_and_exits(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    out = tmp_path / "out.csv"
    call = ["ballast", SPACECRAFT, "--at", POINTS, "--to", "Cx in -2..2 mm", "--to", "Cy in -1..1 mm"]
    done = massprops(*call, "-o", out)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) <= 24
    assert "least mass; basic masses; checked in exact fractions" in done.stdout
    report = json.loads(massprops(*call, "--format", "json").stdout)
    assert report["possible"] is True
    root = mp.rollup(str(out)).root
    assert root.center is not None
    assert root.mass == pytest.approx(mp.rollup(SPACECRAFT).root.mass + report["mass"], rel=1e-12)
    assert root.center[0] * 1e3 == pytest.approx(report["limits"][0]["after"], rel=1e-9)
    assert abs(root.center[1]) <= 1e-3
    assert massprops(*call, "--format", "csv").stdout.startswith(
        "place,mass [kg],pieces,x [m],y [m],z [m],parent\nB2,1.25,5,-0.4,0.0,0.1,"
    )
    levels = tmp_path / "levels.csv"
    levels.write_text("level,id,mass [kg],Cx [m],Cy [m],Cz [m]\n0,S,,,,\n1,A,10,0.1,0,0\n1,B,5,0,0,0\n")
    rejected = massprops("ballast", levels, "--at", POINTS, "--to", "Cx in -2..2 mm", "-o", out)
    assert rejected.exit_code == 2
    assert f"first massprops convert {levels} --to-layout parent -o levels.parent.csv" in rejected.output
    assert "| " in massprops(*call, "--format", "md").stdout or "B2" in massprops(*call, "--format", "md").stdout
    missed = massprops(*call[:-4], "--to", "Cx in -20..-10 mm", "-o", tmp_path / "no.csv")
    assert missed.exit_code == 1
    assert not (tmp_path / "no.csv").exists()
    assert "misses Cx by 9.53852 mm" in missed.stderr
    none = massprops("ballast", SPACECRAFT, "--at", POINTS, "--to", "Cx <= 9 mm", "-o", tmp_path / "same.csv")
    assert (none.exit_code, (tmp_path / "same.csv").read_bytes()) == (0, Path(SPACECRAFT).read_bytes())
    assert "no ballast is needed" in none.stdout
    assert massprops(*call, "--to", "Cx <= 1 kg").exit_code == 2
    assert massprops("ballast", SPACECRAFT, "--to", "Cx <= 1 mm").exit_code == 2


@pytest.mark.usefixtures("scipy")
def test_growth_counts_and_ballast_has_none() -> None:
    """Predicted masses 11 at 1 m and 13 at −1 m: m at 2 m with (−2 + 2 m)/(24 + m) = −0.001."""
    rows: list[dict[str, Any]] = [{"id": "top", "parent": "", "MGA [%]": None}]
    for name, growth, x in (("a", 10, 1.0), ("b", 30, -1.0)):
        place = {"Cx [m]": x, "Cy [m]": 0.0, "Cz [m]": 0.0}
        rows.append({"id": name, "parent": "top", "mass [kg]": 10.0, "MGA [%]": growth, **place})
    result = mp.rollup(mp.Bom.from_records(rows))
    answer = mp.ballast(result, "Cx in -1..1 mm", [{"id": "P", "x [mm]": 2000, "y [mm]": 0, "z [mm]": 0}])
    assert answer.basis == "predicted"
    assert answer.mass == pytest.approx((2 - 0.024) / 2.001, rel=1e-9)
    again = mp.rollup(answer.changed_table().read_again(result.bom)).predicted
    assert again is not None
    assert again.bodies.mass[result.root_item] == pytest.approx(24 + answer.mass, rel=1e-12)
