"""Robots of example-robot-data against Pinocchio, where both are installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp

pin = pytest.importorskip("pinocchio")
FOLDERS = [Path(folder) / "cmeel.prefix/share/example-robot-data/robots" for folder in sys.path]
ROBOTS = sorted(path for folder in FOLDERS if "site-packages" in folder.parts for path in folder.rglob("*.urdf"))
TOLERANCE = 1e-12


def whole_inertia(path: Path, q=None):
    """Inertia of all links in the frame of the root link; joints are at 0, or at ``q``."""
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    pin.forwardKinematics(
        model, data, np.concatenate([[0, 0, 0, 0, 0, 0, 1], pin.neutral(model)[7:] if q is None else q])
    )
    whole = pin.Inertia.Zero()
    for place, inertia in zip(data.oMi, model.inertias, strict=True):
        whole += place.act(inertia)
    return whole


@pytest.mark.skipif(not ROBOTS, reason="example-robot-data is not installed")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_robot_equals_pinocchio(path: Path) -> None:
    if "<inertial" not in path.read_text(encoding="utf-8", errors="replace"):
        with pytest.raises(mp.TableError, match="no link with an inertial"):
            mp.read_bom(path)
        return
    expected = whole_inertia(path)
    root = mp.rollup(mp.read_bom(path)).root
    assert root.mass == pytest.approx(expected.mass, rel=TOLERANCE)
    # lengths are compared with the largest coordinate, or 1 mm where all are smaller
    scale = max(1e-3, float(np.abs(expected.lever).max()))
    np.testing.assert_allclose(root.center, expected.lever, rtol=0, atol=TOLERANCE * scale)
    np.testing.assert_allclose(
        root.inertia, expected.inertia, rtol=0, atol=TOLERANCE * float(np.abs(expected.inertia).max())
    )


@pytest.mark.skipif(not ROBOTS, reason="example-robot-data is not installed")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_robot_at_random_positions_equals_pinocchio(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    if "<inertial" not in text:
        pytest.skip("no inertial")
    model = pin.buildModelFromUrdf(str(path))
    rng = np.random.default_rng(len(text))
    given, values = {}, []
    for name, joint in list(zip(model.names, model.joints, strict=True))[1:]:
        angle = float(rng.uniform(-3, 3))
        given[name] = angle
        values += [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
    if len(values) != model.nq or "<mimic" in text:
        pytest.skip("joints that are planar, floating, or follow others")
    expected = whole_inertia(path, values)
    root = mp.rollup(mp.read_bom(path, q=given), keep_going=True).root
    scale = max(1e-3, float(np.abs(expected.lever).max()))
    np.testing.assert_allclose(root.center, expected.lever, rtol=0, atol=TOLERANCE * scale)
    np.testing.assert_allclose(
        root.inertia, expected.inertia, rtol=0, atol=TOLERANCE * float(np.abs(expected.inertia).max())
    )
