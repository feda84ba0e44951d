"""Write identify/run1.csv and run2.csv: simulated motions of the arm as built, with noise of the torques and encoders.

python make_runs.py, in this folder. The arm as built has a cable of 0.25 kg that links.csv omits, and friction.
"""

import json
from pathlib import Path

import numpy as np

import massprops as mp

RATE, SECONDS = 50, 16
NOISE, ENCODER = 0.2, 1e-5  # N·m or N; rad or m
FRICTION = {  # viscous, Coulomb, offset
    "base": (1.2, 2.0, 0.1), "shoulder": (1.0, 1.5, -0.2), "elbow": (0.6, 0.8, 0.1), "quill.a": (0.05, 0.1, 0.0),
    "quill.d": (8.0, 3.0, 0.5),
}  # fmt: skip
ARMATURE = {"base": 0.5, "shoulder": 0.3, "elbow": 0.1, "quill.a": 0.01, "quill.d": 0.4}


def with_masses(document, bodies):
    """Return the mechanism with the mass properties of a roll-up: centres from the origins of the frames."""
    for one in document["bodies"]:
        body, origin = bodies[one["id"]], [float(x) for x in one.get("p", ["0"] * 3)]
        mass, *moments = body.parameters(origin)[:4]  # first moments about the origin of the frame
        entries = [body.inertia[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        one["mass"], one["c"] = repr(float(mass)), [repr(float(x / mass)) for x in moments]
        one["I"] = [repr(float(x)) for x in entries]
    return document


def main():
    """Write both runs."""
    rows = Path("links.csv").read_text() + "CABLE,lower,0.25,0.85,0.02,0.43,0.0002,0.0002,0.0001,0,0,0,-\n"
    Path("built.csv").write_text(rows)
    table = mp.rollup(mp.read_bom("built.csv"))
    Path("built.csv").unlink()
    built = json.dumps(with_masses(json.loads(Path("arm.json").read_text()), table)).encode()
    model = mp.SpatialModel.read(built)
    for number in (1, 2):
        chance = np.random.default_rng(number)
        t = np.arange(RATE * SECONDS) / RATE
        q, qd, qdd = (np.zeros((len(t), model.degrees)) for _ in range(3))
        for k, name in enumerate(model.names):
            size = 0.05 if name == "quill.d" else 0.6
            for harmonic in range(1, 6):
                w, (a, b) = 2 * np.pi * harmonic / 8, chance.normal(size=2) * size / harmonic**0.5
                q[:, k] += a * np.sin(w * t) + b * np.cos(w * t)
                qd[:, k] += w * (a * np.cos(w * t) - b * np.sin(w * t))
                qdd[:, k] -= w * w * (a * np.sin(w * t) + b * np.cos(w * t))
        tau = np.array([model.at(a).inverse_dynamics(b, c) for a, b, c in zip(q, qd, qdd, strict=True)])
        viscous, coulomb, offset = np.array([FRICTION[name] for name in model.names]).T
        tau += viscous * qd + coulomb * np.sign(qd) + offset + np.array([ARMATURE[one] for one in model.names]) * qdd
        tau += chance.normal(0, NOISE, tau.shape)
        q += chance.normal(0, ENCODER, q.shape)
        heads = ["t", *(f"q_{name}" for name in model.names), *(f"tau_{name}" for name in model.names)]
        lines = [",".join(heads)]
        lines += [
            ",".join([f"{time:g}", *(f"{x:.5f}" for x in a), *(f"{x:.2f}" for x in b)])
            for time, a, b in zip(t, q, tau, strict=True)
        ]
        Path(f"identify/run{number}.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
