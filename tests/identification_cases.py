"""Robots with known parameters, their simulated runs, and how often intervals of an identification hold the truth."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np

from massprops_cli.findings.finding import Findings
from massprops_cli.identifications import fit as fits, prior as priors
from massprops_cli.identifications.machine import IdentifySettings, Machine, read_machine
from massprops_cli.identifications.runs import Run
from massprops_cli.identifications.signals import choose_filter, differentiate_runs
from massprops_cli.mechanisms.model import RobotReading
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel

NOISE, ENCODER = 0.1, 1e-6
FRICTION = {"armature": 0.1, "viscous": 0.5, "coulomb": 0.8, "offset": 0.05, "spring": 0.0}


def robot_text(joints: int, seed: int = 0, name: str = "arm") -> str:
    """Write a URDF file of an arm of revolute joints about z and y in turn, with links that are bodies."""
    chance = np.random.default_rng(seed)
    parts = [f'<robot name="{name}">', '  <link name="base"/>' if joints else ""]
    for k in range(1, joints + 1):
        mass, center = round(6 * 0.75**k + 0.5, 3), (chance.uniform(-0.05, 0.05, 3) + np.array([0, 0, 0.1])).round(4)
        root = chance.uniform(-1, 1, (3, 3))
        tensor = (root @ root.T * 0.1 + np.eye(3) * 0.5) * mass * 0.02
        entries = " ".join(
            f'{entry}="{tensor[i, j]:.6f}"'
            for entry, i, j in (
                ("ixx", 0, 0),
                ("ixy", 0, 1),
                ("ixz", 0, 2),
                ("iyy", 1, 1),
                ("iyz", 1, 2),
                ("izz", 2, 2),
            )
        )
        parts += [
            f'  <link name="link{k}">',
            f'    <inertial><origin xyz="{" ".join(map(str, center))}"/>',
            f'      <mass value="{mass}"/><inertia {entries}/></inertial>',
            "  </link>",
            f'  <joint name="j{k}" type="revolute">',
            f'    <parent link="{"base" if k == 1 else f"link{k - 1}"}"/><child link="link{k}"/>',
            f'    <origin xyz="0 0 {0.2 + 0.03 * k:.2f}"/><axis xyz="{"0 0 1" if k % 2 else "0 1 0"}"/>',
            '    <limit lower="-2.8" upper="2.8" velocity="3" effort="200"/>',
            "  </joint>",
        ]
    return "\n".join([*parts, "</robot>"]) + "\n"


def floating_text() -> str:
    """Write a URDF file of a body that floats, with an arm of two joints."""
    tensor = '<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.12" iyz="-0.01" izz="0.09"/>'
    inertial = f'<inertial><origin xyz="0.02 -0.03 0.05"/><mass value="4"/>{tensor}</inertial>'
    return robot_text(2, 3, "floating").replace('<link name="base"/>', f'<link name="base">{inertial}</link>')


ROBOTS = {
    "arm of 7": (robot_text(7), "fixed", ()),
    "arm of 6 with friction": (robot_text(6, 1), "fixed", ("armature", "viscous", "coulomb", "offset")),
    "floating base": (floating_text(), "free", ()),
}


def machine_of(text: str, base: str = "fixed", terms: tuple[str, ...] = (), **settings: object) -> Machine:
    """Read a robot."""
    stated = IdentifySettings.of({"terms": list(terms), **settings})
    return read_machine(text.encode(), "", RobotReading(base=base), stated, Findings())  # type: ignore[arg-type]


def harmonics(count: int, rate: float, seconds: float, seed: int, size: float = 0.8) -> tuple[np.ndarray, ...]:
    """Return times, and positions, velocities and accelerations ``(samples, count)`` of five harmonics."""
    chance = np.random.default_rng(seed)
    t = np.arange(round(rate * seconds)) / rate
    q, qd, qdd = (np.zeros((len(t), count)) for _ in range(3))
    for j in range(count):
        for k in range(1, 6):
            w, (a, b) = 2 * np.pi * k / 8, chance.normal(size=2) * size / k**0.7 / 2
            q[:, j] += a * np.sin(w * t) + b * np.cos(w * t)
            qd[:, j] += w * (a * np.cos(w * t) - b * np.sin(w * t))
            qdd[:, j] -= w * w * (a * np.sin(w * t) + b * np.cos(w * t))
    return t, q, qd, qdd


def joint_forces(model: SpatialModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the forces of a motion by Newton's and Euler's equations, which share no code with the package."""
    key = pickle.dumps((model.columns, model.turns, model.points, model.inertias, q, qd, qdd))
    if key not in _FORCES:  # many tests are on the same motion
        _FORCES[key] = _newton_euler(model, q, qd, qdd)
    return _FORCES[key].copy()


def _newton_euler(model: SpatialModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the forces of revolute joints and of a free base, all samples together, in the axes of each body."""
    from scipy.spatial.transform import Rotation

    still, up = np.zeros((len(q), 3)), model.tree.parent_position()
    (mass, center, tensor), (at, own) = model.inertias, model.points
    spins, gains, moved = [still], [still], [still - model.gravity]  # weights are forces of a ground that goes upward
    turns, forces, moments = [np.eye(3)[None]], [still], [still]
    columns = [np.flatnonzero(model.owner == k) for k in range(len(up))]
    axes = [model.columns.axis[one] @ model.turns[k] for k, one in enumerate(columns)]
    for k in range(1, len(up)):
        one, parent, is_free = columns[k], up[k], len(columns[k]) == 6
        vectors = q[:, one[:3]] if is_free else q[:, one] @ model.columns.axis[one]
        turns.append(Rotation.from_rotvec(vectors).as_matrix() @ model.turns[k])
        point = _acceleration(moved[parent], spins[parent], gains[parent], at[k])
        spin, gain, point = (np.einsum("nji,nj->ni", turns[k], x) for x in (spins[parent], gains[parent], point))
        if is_free:
            spin, gain = qd[:, one[:3]], qdd[:, one[:3]]
            point = point + qdd[:, one[3:]] + np.cross(spin, qd[:, one[3:]])
        else:
            step = qd[:, one] @ axes[k]
            spin, gain = spin + step, gain + qdd[:, one] @ axes[k] + np.cross(spin, step)
        spins.append(spin)
        gains.append(gain)
        moved.append(_acceleration(point, spin, gain, -own[k]))
        forces.append(mass[k] * _acceleration(moved[k], spin, gain, center[k]))
        moments.append(gain @ tensor[k] + np.cross(spin, spin @ tensor[k]) + np.cross(center[k], forces[k]))
    found = np.zeros_like(q)
    for k in range(len(up) - 1, 0, -1):
        about = moments[k] - np.cross(own[k], forces[k])  # the joint
        found[:, columns[k]] = np.hstack([about, forces[k]]) if len(columns[k]) == 6 else about @ axes[k].T
        force, about = (np.einsum("nij,nj->ni", turns[k], x) for x in (forces[k], about))
        forces[up[k]] = forces[up[k]] + force
        moments[up[k]] = moments[up[k]] + about + np.cross(at[k], force)
    return found


def _acceleration(origin: np.ndarray, spin: np.ndarray, gain: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return the acceleration of a point of a body."""
    return origin + np.cross(gain, arm) + np.cross(spin, np.cross(spin, arm))


_FORCES: dict[bytes, np.ndarray] = {}


def body_rates(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return velocities and accelerations of a free base in body axes, from its rotation vector and displacement."""
    # by SciPy: ω from finite rotations between samples of a fine grid is avoided; ω = J(φ) φ' and its derivative
    from scipy.spatial.transform import Rotation

    def at(shift: float) -> tuple[np.ndarray, np.ndarray]:
        """Return angular and linear velocity, in body axes, a time after each sample by a series of third order."""
        phi = q + shift * qd + shift**2 / 2 * qdd
        rate = qd + shift * qdd
        turn = Rotation.from_rotvec(phi[:, :3])
        small = 1e-4
        other = Rotation.from_rotvec(phi[:, :3] + small * rate[:, :3])
        before = Rotation.from_rotvec(phi[:, :3] - small * rate[:, :3])
        spin = (before.inv() * other).as_rotvec() / (2 * small)
        return spin, turn.inv().apply(rate[:, 3:6])

    small = 1e-4
    (w, v), (w1, v1), (w0, v0) = at(0.0), at(small), at(-small)
    rates, accelerations = qd.copy(), qdd.copy()
    rates[:, :3], rates[:, 3:6] = w, v
    accelerations[:, :3], accelerations[:, 3:6] = (w1 - w0) / (2 * small), (v1 - v0) / (2 * small)
    return rates, accelerations


def simulated(machine: Machine, rate: float, seconds: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, positions and forces of a run without noise, with the friction of ``FRICTION``."""
    t, q, qd, qdd = harmonics(machine.model.degrees, rate, seconds, seed)
    rates, accelerations = (qd, qdd) if not machine.free_names else body_rates(q, qd, qdd, 1 / rate)
    tau = joint_forces(machine.model, q, rates, accelerations)
    terms = {"armature": qdd, "viscous": qd, "coulomb": np.sign(qd), "offset": 1.0, "spring": q}
    for k, name in enumerate(machine.names):
        for term in machine.settings.terms if name not in machine.free_names else ():
            factor = terms[term]
            tau[:, k] += FRICTION[term] * (factor if isinstance(factor, float) else factor[:, k])
    return t, q, tau


def true_values(machine: Machine) -> np.ndarray:
    """Return the parameters of bodies and joints of ``simulated``."""
    terms = [FRICTION[term] for _ in machine.motors for term in machine.settings.terms]
    return np.concatenate([machine.stated_values(), terms])


def coloured_noise(chance: np.random.Generator, shape: tuple[int, ...], step: float, seconds: float) -> np.ndarray:
    """Return noise of deviation 1 whose correlation falls to 1/e in some seconds (AR(1)); white for 0."""
    share = np.exp(-step / seconds) if seconds else 0.0
    noise = chance.normal(size=shape)
    for k in range(1, len(noise)):
        noise[k] = share * noise[k - 1] + np.sqrt(1 - share**2) * noise[k]
    return noise


def coverage(
    robot: str, runs: int, rate: float = 50.0, seconds: float = 12.0, correlated: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the 95 % interval of each parameter holds the truth ``(runs, parameters)``, and p of the table."""
    text, base, terms = ROBOTS[robot]
    machine = machine_of(text, base, terms)
    t, q, tau = simulated(machine, rate, seconds, 1)
    truth, found, chances = true_values(machine), [], []
    table = priors.table_prior(machine, None, Findings())
    for seed in range(runs):
        chance = np.random.default_rng([7, seed])
        positions = q + chance.normal(0, ENCODER, q.shape)
        forces = tau + NOISE * coloured_noise(chance, tau.shape, 1 / rate, correlated)
        measured, parts = np.ones(len(machine.names), bool), [slice(0, len(t))]
        run = Run("run", "run", t, positions, forces, measured, parts, 1 / rate)
        how = choose_filter(machine, [run], Findings())
        differentiate_runs(machine, [run], how, Findings())
        groups = fits.collect_groups(machine, [run], how, [])
        fit = fits.with_robust_sigmas(groups, fits.weighted_fit(groups))
        off = (fit.values - groups.columns.transform @ truth) / fit.sigmas
        found.append(np.abs(off) < 1.959964)
        chances.append(priors.table_chi_square(machine, groups.columns, fit, table)["probability"])
    return np.array(found), np.array(chances)


def write_run(path: Path, machine: Machine, t: np.ndarray, q: np.ndarray, tau: np.ndarray, seed: int = 0) -> Path:
    """Write a run with noise as csv."""
    chance = np.random.default_rng(seed)
    q, tau = q + chance.normal(0, ENCODER, q.shape), tau + chance.normal(0, NOISE, tau.shape)
    heads = ["t", *(f"q_{name}" for name in machine.model.names), *(f"tau_{name}" for name in machine.model.names)]
    rows = np.column_stack([t, q, tau])
    np.savetxt(path, rows, "%.9g", ",", header=",".join(heads), comments="")
    return path
