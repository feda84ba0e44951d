"""Limits of joints in exciting motions, encodings that are kept, and several models in a file."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings
from massprops_cli.mechanisms.base_inertia import base_parameters
from massprops_cli.mechanisms.mechanism_document import reduced_mechanism
from massprops_cli.mechanisms.mechanism_file import read_mechanism
from massprops_cli.mechanisms.observation.observed_parameters import ObservationSettings, observation_matrix
from massprops_cli.robots.inertial_resolution import urdf_with_inertials

BODY = """<inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
ARM = f"""<?xml version="1.0" encoding="UTF-16"?>
<robot name="é"><link name="base"/><link name="a">{BODY}</link><link name="b">{BODY}</link>
<joint name="A" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-0.1" upper="0.1" effort="1" velocity="1"/></joint>
<joint name="B" type="revolute"><origin xyz="0.5 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="0.5" upper="2" effort="1" velocity="1"/></joint></robot>
"""
PLAIN = ARM.replace("UTF-16", "UTF-8").encode()


def test_harmonics_stay_within_the_limits_of_the_joints():
    mechanism = read_mechanism(PLAIN)
    found = observation_matrix(mechanism, ObservationSettings(samples=500))
    motion = found.trajectory
    assert motion.names == motion.limited == ("A", "B")
    assert (motion.values[:, 0] >= -0.1 - 1e-15).all()
    assert np.ptp(motion.values[:, 0]) == pytest.approx(0.2, rel=1e-12)
    assert motion.values[:, 1].min() == pytest.approx(0.5, rel=1e-12)  # its reach of less than 1.5 fits, moved
    assert motion.values[:, 1].max() <= 2
    # rates are those of the moved positions
    step = motion.times[1] - motion.times[0]
    middle = (motion.values[2:] - motion.values[:-2]) / (2 * step)
    np.testing.assert_allclose(motion.rates[1:-1], middle, atol=0.02 * np.abs(motion.rates).max())
    free = PLAIN.replace(b"<limit", b"<!--").replace(b'velocity="1"/>', b"-->")
    assert observation_matrix(read_mechanism(free), ObservationSettings()).trajectory.limited == ()
    assert len(base_parameters(mechanism, "svd").grouping.base) == len(base_parameters(mechanism).grouping.base) == 8


def test_a_stated_motion_outside_the_limits_is_reported(tmp_path):
    times = np.linspace(0, 6, 200)
    columns = np.stack([times, 0.5 * np.sin(3 * times), 1 + 0.4 * np.sin(2 * times)], axis=1)
    np.savetxt(tmp_path / "motion.csv", columns, delimiter=",", header="time,A,B", comments="")
    findings = Findings()
    settings = ObservationSettings(trajectory=str(tmp_path / "motion.csv"))
    base_parameters(read_mechanism(PLAIN), "svd", findings=findings, observation=settings)
    found = [one for one in findings if one.rule == "MP890"]
    assert [one.item for one in found] == ["A"]
    assert "(-0.1 to 0.1)" in found[0].message


def test_reduced_robot_keeps_its_encoding():
    data = ARM.encode("utf-16")
    written = urdf_with_inertials("-", data, reduced_mechanism(base_parameters(read_mechanism(data))))
    assert written[:2] == data[:2]
    text = written.decode("utf-16")
    assert text.splitlines()[0] == ARM.splitlines()[0]
    assert 'name="é"' in text
    assert text.count("<inertial>") == 2
    again = base_parameters(read_mechanism(written))
    assert len(again.grouping.base) == 8


def test_several_models_of_a_file_are_one_world(tmp_path):
    link = "<link name='base'><inertial><pose>0.1 0 0 0 0 0</pose><mass>{}</mass>"
    link += "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>"
    models = f"<model name='arm'><pose>1 0 0 0 0 0</pose>{link.format(2)}</model>"
    models += f"<model name='hand'>{link.format(1)}</model>"
    path = tmp_path / "two.sdf"
    path.write_text(f"<sdf version='1.11'>{models}</sdf>")
    bom = mp.read_bom(path)
    assert [(one.rule, one.severity.value) for one in bom.findings if one.rule == "MP871"] == [("MP871", "warning")]
    assert {"arm::base", "hand::base"} <= set(bom.ids)
    root = mp.rollup(bom).root
    assert root.mass == pytest.approx(3)
    assert root.center[0] == pytest.approx((2 * 1.1 + 1 * 0.1) / 3)
    path.write_text(f"<sdf version='1.11'><world name='a'>{models}</world><world name='b'>{models}</world></sdf>")
    with pytest.raises(mp.TableError, match="2 worlds"):
        mp.read_bom(path)
