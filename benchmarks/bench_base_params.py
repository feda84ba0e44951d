"""Base parameters: CPU time of the complete command for the suspension, a 7-joint arm and a humanoid of 30 joints.

python benchmarks/bench_base_params.py [robot.urdf ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOALS = {"suspension": 1.0, "arm of 7 joints": 1.0, "humanoid of 30 joints": 10.0}
"""Largest time of the complete process, s."""
_INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
_TURNS = ("1.5707963", "-1.5707963", "0.5236")


def limb(name: str, root: str, joints: int) -> str:
    """Write links of a chain, each with a revolute joint about z, across the one before or inclined to it."""
    parts = []
    for k in range(joints):
        parent = root if k == 0 else f"{name}{k - 1}"
        parts.append(
            f"<link name='{name}{k}'>{_INERTIAL}</link><joint name='{name}_{k}' type='revolute'>"
            f"<parent link='{parent}'/><child link='{name}{k}'/>"
            f"<origin xyz='0.0{k + 1} -0.1 0.2' rpy='{_TURNS[k % 3]} 0 0'/>"
            "<axis xyz='0 0 1'/></joint>"
        )
    return "".join(parts)


def robot(limbs: dict[str, int]) -> str:
    """Write a root with limbs."""
    body = "".join(limb(name, "root", joints) for name, joints in limbs.items())
    return f"<robot name='robot'><link name='root'>{_INERTIAL}</link>{body}</robot>"


def seconds(*arguments: str) -> tuple[float, float]:
    """Return the shortest wall and CPU times of three runs of the command."""
    times = []
    for _ in range(3):
        before, start = os.times(), time.perf_counter()
        command = [sys.executable, "-m", "massprops_cli", "base-params", *arguments, "--format", "concise", "-q"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        times.append((time.perf_counter() - start, cpu))
    return min(wall for wall, _ in times), min(cpu for _, cpu in times)


def main() -> None:
    """Measure, and print a line for each mechanism."""
    with tempfile.TemporaryDirectory() as name:
        arm, humanoid = Path(name) / "arm.urdf", Path(name) / "humanoid.urdf"
        arm.write_text(robot({"arm": 7}))
        humanoid.write_text(robot({"left_leg": 6, "right_leg": 6, "left_arm": 7, "right_arm": 7, "head": 4}))
        runs = [
            ("suspension", [str(ROOT / "sample_data" / "suspension.json")]),
            ("arm of 7 joints", [str(arm)]),
            ("humanoid of 30 joints", [str(humanoid), "--base", "free"]),
            *((Path(path).stem, [path]) for path in sys.argv[1:] if path.endswith(".urdf")),
        ]
        for what, arguments in runs:
            wall, cpu = seconds(*arguments)
            goal = f" (goal {GOALS[what]:g} s)" if what in GOALS else ""
            print(f"base-params, {what}: {wall:.2f} s, {cpu:.2f} s of CPU{goal}")


if __name__ == "__main__":
    main()
