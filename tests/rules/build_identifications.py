"""Calls of ``identify`` that meet a rule, or nearly do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.identification_cases import harmonics, joint_forces, machine_of, robot_text

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]


def identify(folder: Path, *options: str, head: str = "", held: int = 0, **change: object) -> list[str]:
    """Write an arm of joints that are held and two that move, and a run of it, changed; and give the command line."""
    pytest.importorskip("scipy", reason="identify needs SciPy")
    count = held + 2
    text = robot_text(count)
    (folder / "arm.urdf").write_text(text)
    machine = machine_of(text)
    t, *motion = harmonics(count, 50.0, 12.0, 3)
    q, qd, qdd = (one * (np.arange(count) >= held) for one in motion)
    tau = joint_forces(machine.model, q, qd, qdd) + np.random.default_rng(4).normal(0, 0.02, q.shape)
    columns = {"t": t, "q": q.copy(), "tau": tau}
    for name, function in change.items():
        columns[name] = function(columns[name])  # type: ignore[operator]
    rows = np.column_stack([columns["t"], columns["q"], columns["tau"]])
    heading = head or ",".join(["t", *(f"{mark}_j{k + 1}" for mark in ("q", "tau") for k in range(count))])
    np.savetxt(folder / "run.csv", rows, "%.8g", ",", header=heading, comments="")
    (folder / "massprops.toml").write_text('[identify]\nterms = ["viscous"]\n')
    return ["identify", str(folder / "arm.urdf"), "--data", str(folder / "run.csv"), *options]


@bad("MP893")
def a_run_without_positions_of_a_joint(folder: Path) -> list[str]:
    return identify(folder, head="t,q_j1,other,tau_j1,tau_j2")


@bad("MP894")
def time_in_milliseconds(folder: Path) -> list[str]:
    return identify(folder, t=lambda t: 1000 * t)


@bad("MP894")
def positions_in_degrees(folder: Path) -> list[str]:
    return identify(folder, q=np.degrees)


@bad("MP895")
def a_stuck_joint(folder: Path) -> list[str]:
    return identify(folder, q=lambda q: np.column_stack([q[:, 0], np.full(len(q), 0.3)]))


@bad("MP896")
def torques_of_a_heavier_link(folder: Path) -> list[str]:
    words = identify(folder)
    path = folder / "arm.urdf"
    path.write_text(path.read_text().replace('<mass value="3.875"/>', '<mass value="3.0"/>'))
    return words


@bad("MP897")
def a_gap_in_time(folder: Path) -> list[str]:
    return identify(folder, t=lambda t: t + 2.0 * (t > 6))


@bad("MP897")
def the_same_run_twice(folder: Path) -> list[str]:
    words = identify(folder)
    (folder / "copy.csv").write_bytes((folder / "run.csv").read_bytes())
    return [*words, "--data", str(folder / "copy.csv")]


@bad("MP894")
def torques_of_the_opposite_sign(folder: Path) -> list[str]:
    return identify(folder, tau=lambda tau: -tau)


@bad("MP895")
def a_reversed_joint(folder: Path) -> list[str]:
    return identify(folder, tau=lambda tau: tau * [1.0, -1.0])


@bad("MP899")
def a_joint_that_is_driven_by_its_friction(folder: Path) -> list[str]:
    words = identify(folder)
    rows = np.loadtxt(folder / "run.csv", delimiter=",", skiprows=1)
    rows[:, 4] -= 0.5 * np.gradient(rows[:, 2], rows[:, 0])
    np.savetxt(folder / "run.csv", rows, "%.8g", ",", header="t,q_j1,q_j2,tau_j1,tau_j2", comments="")
    return words


@bad("MP898")
def a_motion_of_joints_at_the_tip(folder: Path) -> list[str]:
    return identify(folder, head="t,q_j1,q_j2,q_j3,q_j4,other,more,tau_j3,tau_j4", held=2)


@bad("MP899")
def torques_of_no_body(folder: Path) -> list[str]:
    words = identify(folder)
    rows = np.loadtxt(folder / "run.csv", delimiter=",", skiprows=1)
    rate = 1 / (rows[1, 0] - rows[0, 0])
    speed = np.gradient(rows[:, 2]) * rate
    rows[:, 4] -= 2.0 * np.gradient(speed) * rate  # a moment of inertia below 0
    np.savetxt(folder / "run.csv", rows, "%.8g", ",", header="t,q_j1,q_j2,tau_j1,tau_j2", comments="")
    return words


@good("MP893", "MP894", "MP895", "MP896", "MP897", "MP899")
def the_run_of_the_arm(folder: Path) -> list[str]:
    return identify(folder)


@good("MP894")
def milliseconds_that_the_heading_states(folder: Path) -> list[str]:
    return identify(folder, t=lambda t: 1000 * t, head="t [ms],q_j1,q_j2,tau_j1,tau_j2")


@good("MP898")
def an_arm_of_one_joint_on_a_slide(folder: Path) -> list[str]:
    words = identify(folder)
    (folder / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>'
        '<joint name="j1" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>'
        '<limit lower="-3" upper="3" velocity="3" effort="50"/></joint></robot>'
    )
    return words
