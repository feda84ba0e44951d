"""An arm of 7 joints identified from 200,000 samples: seconds of the processor and memory of the whole command."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

JOINTS, SAMPLES, RATE = 7, 200_000, 1000
GOAL = "20 s, 1 GB"


def arm() -> str:
    """Write an arm of revolute joints about z and y in turn as URDF."""
    links = '<link name="base"/>'
    for k in range(1, JOINTS + 1):
        links += (
            f'<link name="link{k}"><inertial><origin xyz="0.02 0.03 0.1"/><mass value="{7 - 0.8 * k:.1f}"/>'
            '<inertia ixx="0.05" ixy="0.002" ixz="0.001" iyy="0.06" iyz="-0.003" izz="0.03"/></inertial></link>'
            f'<joint name="j{k}" type="revolute"><parent link="{f"link{k - 1}" if k > 1 else "base"}"/>'
            f'<child link="link{k}"/><origin xyz="0 0 0.25"/><axis xyz="{"0 0 1" if k % 2 else "0 1 0"}"/>'
            '<limit lower="-3" upper="3" effort="200" velocity="3"/></joint>'
        )
    return f'<robot name="arm">{links}</robot>'


def run_of(path: Path) -> np.ndarray:
    """Return times, positions and torques with noise."""
    from massprops_cli.findings.finding import Findings
    from massprops_cli.identifications.machine import IdentifySettings, read_machine
    from massprops_cli.identifications.signals import machine_regressor
    from massprops_cli.mechanisms.model import RobotReading

    machine = read_machine(path, "", RobotReading(), IdentifySettings.of({}), Findings())
    chance, t = np.random.default_rng(1), np.arange(SAMPLES) / RATE
    w = 2 * np.pi * np.arange(1, 6) / 8
    a, b = chance.normal(size=(2, 5, JOINTS)) * 0.4
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w * w) @ a - (c * w * w) @ b
    values = np.concatenate([machine.stated_values(), np.tile([0.1, 0.5, 0.8, 0.05], JOINTS)])
    places = range(0, SAMPLES, 10_000)
    tau = np.vstack([machine_regressor(machine, *(x[i : i + 10_000] for x in (q, qd, qdd))) @ values for i in places])
    return np.column_stack([t, q + chance.normal(0, 1e-6, q.shape), tau + chance.normal(0, 0.1, tau.shape)])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        robot, data = Path(folder, "arm.urdf"), Path(folder, "run.csv")
        robot.write_text(arm())
        heads = ["t", *(f"q_j{k}" for k in range(1, JOINTS + 1)), *(f"tau_j{k}" for k in range(1, JOINTS + 1))]
        np.savetxt(data, run_of(robot), "%.9g", ",", header=",".join(heads), comments="")
        command = [
            sys.executable,
            "-m",
            "massprops_cli",
            "identify",
            str(robot),
            "--data",
            str(data),
            "--format",
            "json",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6
    print(f"| identify {SAMPLES:,} samples of {JOINTS} joints | {seconds:.1f} s, {memory:.2f} GB | {GOAL} |")


if __name__ == "__main__":
    main()
