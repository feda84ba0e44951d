"""Joint forces of 1,000 bodies, as a chain and as a star, against a textbook recursion in NumPy, a level at a time.

python benchmarks/bench_spatial.py [bodies]
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from massprops_cli import SpatialModel

GOAL = 3.0
"""Largest time, as a multiple of that of the recursion."""


def document(n: int, shape: str) -> dict[str, object]:
    """Bars of length 1 with revolute joints about different axes, in a chain or all on the ground."""
    axes = (["0", "0", "1"], ["0", "1", "0"], ["1", "0", "0"])
    bodies = [
        {"id": str(k), "mass": "1", "c": ["1/2", "0", "0"], "I": ["0.01", "0.09", "0.09", "0", "0", "0"]}
        | {"p": [str(k - 1) if shape == "chain" else "0", "0", "0"]}
        for k in range(1, n + 1)
    ]
    joints = [
        {"name": f"J{k}", "type": "R", "i": str(k - 1) if shape == "chain" else "0", "j": str(k)}
        | {"pi": ["1" if shape == "chain" and k > 1 else "0", "0", "0"], "pj": ["0", "0", "0"], "ai": axes[k % 3]}
        for k in range(1, n + 1)
    ]
    return {"gravity": ["0", "0", "-9.81"], "bodies": bodies, "joints": joints}


def level_recursion(model: SpatialModel, q: np.ndarray, rate: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Newton and Euler's recursion outward and inward, all bodies of a level together, for revolute joints."""
    tree = model.tree
    up = tree.parent_position()
    n = len(up)
    at = np.zeros((n, 3))
    at[model.owner] = [one.axis for one in model.columns]
    angle, speed, gain = np.zeros(n), np.zeros(n), np.zeros(n)
    angle[model.owner], speed[model.owner], gain[model.owner] = q, rate, second
    mass, center, tensor = model.inertias
    turn, place = np.zeros((n, 3, 3)), np.zeros((n, 3))
    w, dw, a = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    turn[0], a[0] = np.eye(3), -model.gravity
    axis = np.zeros((n, 3))
    levels = tree.levels.tolist()
    for low, high in pairwise(levels[1:]):
        p = up[low:high]
        x = at[low:high]
        c, s = np.cos(angle[low:high])[:, None, None], np.sin(angle[low:high])[:, None, None]
        cross = np.zeros((high - low, 3, 3))
        cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -x[:, 2], x[:, 1], -x[:, 0]
        cross -= cross.swapaxes(1, 2)
        own = c * np.eye(3) + s * cross + (1 - c) * x[:, :, None] * x[:, None, :]
        turn[low:high] = turn[p] @ own @ model.turns[low:high]
        step = np.einsum("nij,nj->ni", turn[p], model.points[0][low:high])
        place[low:high] = step
        axis[low:high] = np.einsum("nij,nj->ni", turn[p], x)
        w[low:high] = w[p] + axis[low:high] * speed[low:high, None]
        dw[low:high] = dw[p] + axis[low:high] * gain[low:high, None]
        dw[low:high] += np.cross(w[p], axis[low:high]) * speed[low:high, None]
        a[low:high] = a[p] + np.cross(dw[p], step) + np.cross(w[p], np.cross(w[p], step))
    arm = np.einsum("nij,nj->ni", turn, center)
    inertia = turn @ tensor @ turn.swapaxes(1, 2)
    ac = a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    force = mass[:, None] * ac
    moment = np.einsum("nij,nj->ni", inertia, dw) + np.cross(w, np.einsum("nij,nj->ni", inertia, w))
    moment += np.cross(arm, force)
    for low, high in zip(levels[-2:0:-1], levels[:1:-1], strict=True):
        np.add.at(moment, up[low:high], moment[low:high] + np.cross(place[low:high], force[low:high]))
        np.add.at(force, up[low:high], force[low:high])
    return np.einsum("ni,ni->n", axis, moment)[model.owner]


def seconds(call: Callable[[], object], runs: int = 9) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main(n: int) -> int:
    worst = 0.0
    for shape in ("chain", "star"):
        model = SpatialModel.read(json.dumps(document(n, shape)).encode())
        rng = np.random.default_rng(1)
        q, rate, second = (rng.uniform(-1, 1, n) * 0.1 for _ in range(3))
        ours, theirs = model.at(q).inverse_dynamics(rate, second), level_recursion(model, q, rate, second)
        error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        motion = q, rate, second
        one = seconds(lambda model=model, motion=motion: model.at(motion[0]).inverse_dynamics(*motion[1:]))
        other = seconds(lambda model=model, motion=motion: level_recursion(model, *motion))
        worst = max(worst, one / other)
        times = f"T {1e3 * one:.2f} ms, recursion {1e3 * other:.2f} ms, {one / other:.2f} ×"
        print(f"{shape}: {n} bodies, {times}; largest difference {error:.1e}")
    return int(worst > GOAL)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000))
