"""Schedules in the programmes that they are written for: JSBSim and RocketPy, where they are installed."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.parts_report import FOOT, INCH, POUND
from tests.unit.test_tanks import DRY, LIQUID_ROWS, SAMPLE, TANKS, read

ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


@pytest.fixture(params=["stage", "tilted tanks", "together"])
def burn(request: pytest.FixtureRequest, tmp_path: Path) -> mp.Schedule:
    if request.param == "stage":
        return mp.schedule(mp.read_bom(SAMPLE / "stage.csv"), "propellant", steps=12)
    bom = read(tmp_path, DRY + LIQUID_ROWS, TANKS)
    return mp.schedule(bom, ["OX", "KEROSENE"], steps=12, together=request.param == "together")


def six(full: np.ndarray) -> np.ndarray:
    return full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def test_jsbsim_computes_the_same(burn: mp.Schedule, tmp_path: Path) -> None:
    jsbsim = pytest.importorskip("jsbsim")
    folder = tmp_path / "aircraft" / "burn"
    folder.mkdir(parents=True)
    burn.save(folder / "burn.jsbsim.xml")
    (folder / "burn.jsbsim.xml").rename(folder / "burn.xml")
    fdm = jsbsim.FGFDMExec(str(tmp_path))
    fdm.set_debug_level(0)
    assert fdm.load_model("burn")
    assert fdm.run_ic()
    pound_foot = POUND * 32.174049 * FOOT**2  # a slug of JSBSim
    for k in range(len(burn.mass)):
        for i in range(len(burn.tanks)):
            fdm[f"propulsion/tank[{i}]/contents-lbs"] = burn.tank_mass[k, i] / POUND
        for _ in range(4):  # tanks, centre and tensor are of the frame before
            fdm.run()
        assert fdm["inertia/weight-lbs"] * POUND == pytest.approx(burn.mass[k], rel=1e-12)
        center = [fdm[f"inertia/cg-{axis}-in"] * INCH for axis in "xyz"]
        np.testing.assert_allclose(center, burn.center[k], rtol=0, atol=1e-12 * np.abs(burn.center).max())
        found = [fdm[f"inertia/i{entry}-slugs_ft2"] * pound_foot for entry in ENTRIES]
        np.testing.assert_allclose(found, six(burn.inertia[k]), rtol=0, atol=1e-11 * burn.inertia.max())


def test_rocketpy_computes_the_same(burn: mp.Schedule, tmp_path: Path) -> None:
    pytest.importorskip("rocketpy")
    burn.save(tmp_path / "burn.rocketpy.py")
    made = runpy.run_path(str(tmp_path / "burn.rocketpy.py"))
    motor = made["ScheduledMotor"](thrust_source=5000.0, burn_time=80.0, nozzle_radius=0.2)
    rocket = made["rocket_with"](motor, 0.6, 0.4, 0.4)
    whole = burn.mass[0] - burn.mass[-1]
    for k in range(len(burn.mass)):
        time = 80.0 * burn.burned[k] / whole  # constant thrust
        mass, center = rocket.total_mass(time), rocket.center_of_mass(time)
        assert mass == pytest.approx(burn.mass[k], rel=1e-9)
        assert center == pytest.approx(burn.center[k, 2], rel=1e-8)
        # RocketPy's tensor is about the centre of the dry rocket
        arm = mass * (center - rocket.center_of_dry_mass_position) ** 2 * np.array([1, 1, 0, 0, 0, 0])
        about_dry = [getattr(rocket, f"I_{name}")(time) for name in ("11", "22", "33", "12", "13", "23")]
        np.testing.assert_allclose(
            np.array(about_dry) - arm, six(burn.inertia[k]), rtol=0, atol=1e-8 * burn.inertia.max()
        )
