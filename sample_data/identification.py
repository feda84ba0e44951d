"""A fit of the base parameters of arm.json to simulated forces, compared with the mass table links.csv.

python identification.py, in this folder; docs/howto/identification.md explains it.
"""

import json
from pathlib import Path

import numpy as np

import massprops as mp

SIGMA = 0.2


def as_json(document):
    """Read a mechanism from its document."""
    return mp.read_mechanism(json.dumps(document).encode())


def with_masses(document, bodies):
    """Return the mechanism with the mass properties of a roll-up: centres from the origins of the frames."""
    for one in document["bodies"]:
        body, origin = bodies[one["id"]], [float(x) for x in one.get("p", ["0"] * 3)]
        mass, *moments = body.parameters(origin)[:4]  # first moments about the origin of the frame
        entries = [body.inertia[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        one["mass"], one["c"] = repr(float(mass)), [repr(float(x / mass)) for x in moments]
        one["I"] = [repr(float(x)) for x in entries]
    return document


def forces(mechanism, observation):
    """Compute joint forces along the trajectory, one column a joint coordinate of the observation."""
    model, motion = mp.SpatialModel.from_mechanism(mechanism), observation.trajectory
    place = [motion.names.index(name) for name in model.names]
    rows = zip(motion.values[:, place], motion.rates[:, place], motion.accelerations[:, place], strict=True)
    found = np.array([model.at(q).inverse_dynamics(qd, qdd) for q, qd, qdd in rows])
    return found[:, [model.names.index(name) for name in motion.names]].reshape(-1)


arm = json.loads(Path("arm.json").read_text())
table = mp.rollup(mp.read_bom("links.csv"))
design = as_json(with_masses(arm, table))

rows = Path("links.csv").read_text() + "CABLE,lower,0.25,0.85,0.02,0.43,0.0002,0.0002,0.0001,0,0,0,-\n"
Path("built.csv").write_text(rows)
built = as_json(with_masses(arm, mp.rollup(mp.read_bom("built.csv"))))

base = mp.base_parameters(design)
observation = mp.observation_matrix(design)
names = list(base.combinations())
W = observation.regressor(names)
measured = forces(built, observation) + np.random.default_rng(1).normal(0, SIGMA, len(W))
fit = np.linalg.lstsq(W, measured, rcond=None)[0]
C = SIGMA**2 * np.linalg.inv(W.T @ W)

for name, found in (("design", base), ("built", mp.base_parameters(built))):
    difference = fit - np.array(list(found.parameter_values().values()))
    print(name, round(float(difference @ np.linalg.solve(C, difference)), 1))  # noqa: T201 - what the script is for
