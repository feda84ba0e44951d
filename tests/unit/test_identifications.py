"""Identification of simulated machines with known parameters: fit, prior, payloads, filters, exciting motions."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="identify needs SciPy")

from massprops_cli import identify, read_bom, rollup
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.identifications import checks, fit as fits, prior as priors, signals
from massprops_cli.identifications.excitation import design_excitation
from massprops_cli.identifications.machine import IdentifySettings
from massprops_cli.identifications.signals import _inertial_regressor as inertial_regressor
from massprops_cli.mechanisms.model import RobotReading
from tests.examples import first
from tests.identification_cases import (
    FRICTION,
    ROBOTS,
    coverage,
    harmonics,
    joint_forces,
    machine_of,
    robot_text,
    simulated,
    true_values,
    write_run,
)
from tests.output_cases import SWING

TERMS = ("armature", "viscous", "coulomb", "offset")
NOISY_ROBOTS = {("arm of 6 with friction", 0.1), ("floating base", 0.0)}
"""Robots and their noise in the ordinary run; the others are slow."""


def identified(
    folder: Path, text: str, seeds=(1, 2), rate=100.0, seconds=12.0, terms=TERMS, change=None, checked=False, **keywords
):
    """Simulate runs of a robot, and identify it; ``change`` alters times, positions and forces of each run.

    What is wrong with recordings, and which mass explains a difference, is searched for where ``checked``.
    """
    machine = machine_of(text, keywords["reading"].base if "reading" in keywords else "fixed", terms)
    (folder / "robot.urdf").write_text(text)
    files = []
    for seed in seeds:
        t, q, tau = simulated(machine, rate, seconds, seed)
        t, q, tau = (t, q, tau) if change is None else change(seed, t, q, tau)
        files.append(write_run(folder / f"run{seed}.csv", machine, t, q, tau, seed))
    settings = {"terms": list(terms), **keywords.pop("settings", {})}
    with pytest.MonkeyPatch.context() as patch:
        if not checked:
            leave_out_checks(patch)
        return machine, identify(folder / "robot.urdf", files, settings=settings, **keywords)


def leave_out_checks(patch: pytest.MonkeyPatch) -> None:
    """Identify without the two searches that take most of the time."""
    patch.setattr(checks, "check_recordings", lambda *_: False)
    patch.setattr(checks.Evidence, "check_omitted_masses", lambda *_: None)


def deviations(machine, found):
    """Return how many σ each parameter is from the truth."""
    transform = found.groups.columns.transform
    return (found.fit.values - transform[:, : len(true_values(machine))] @ true_values(machine)) / found.fit.sigmas


def rules(found):
    """Return the rules of the findings, without that on gravity."""
    return {one.rule for one in found.findings} - {"MP821"}


@pytest.mark.parametrize("robot", sorted(ROBOTS))
def test_regressor_times_parameters_is_inverse_dynamics(robot):
    text, base, _ = ROBOTS[robot]
    model = machine_of(text, base).model
    chance = np.random.default_rng(0)
    q, qd, qdd = (chance.uniform(-1, 1, (7, model.degrees)) for _ in range(3))
    W = inertial_regressor(model, q, qd, qdd)
    assert W @ machine_of(text, base).stated_values() == pytest.approx(joint_forces(model, q, qd, qdd), abs=1e-10)


def test_parameters_of_an_arm_are_within_their_sigmas_and_the_table_agrees(tmp_path):
    pairs = [identified(tmp_path, robot_text(4), seeds=seeds, checked=1 in seeds) for seeds in ((3, 4), (1, 2))]
    off, found = np.concatenate([deviations(*pair) for pair in pairs]), pairs[-1][1]
    assert np.sqrt((off**2).mean()) < 1.3  # of 2 × 36 values that are correlated: 1.04 in 12 pairs of runs
    assert np.abs(off).max() < 4.5
    assert 1e-3 < found.table["probability"] < 1 - 1e-3
    assert rules(found) <= {"MP898"}
    assert all(0.9 < one["rms"] < 1.4 for one in found.validation)
    for one in found.residuals():
        assert one["noise"] == pytest.approx(0.1, rel=0.25)
    masses = {one["link"]: one for one in found.links()}
    assert masses["link4"]["values"]["m"] == pytest.approx(
        masses["link4"]["table"]["m"], abs=4 * masses["link4"]["sigmas"]["m"]
    )


@pytest.mark.slow
def test_friction_is_found(tmp_path):
    machine, found = identified(tmp_path, robot_text(3), seeds=(1,))
    rows = {row["parameter"]: row for row in found.parameters()}
    for term in ("viscous", "coulomb", "offset"):
        for joint in ("j1", "j2", "j3"):
            row = rows[f"{term}_{joint}"]
            assert abs(row["value"] - FRICTION[term]) < 4.5 * row["sigma"]
    assert (
        len(rows) == len(found.groups.columns.kept) == len(machine.base_parameters) + 3 * 4 - 2
    )  # two armatures merge


@pytest.mark.parametrize(
    "case", first(sorted(product(ROBOTS, [0.0, 0.1]), key=NOISY_ROBOTS.__contains__, reverse=True), 2), ids=str
)
def test_intervals_hold_the_truth_with_white_and_coloured_noise(case):
    """Noise of white samples, and of a correlation that falls to 1/e in 0.1 s: with σ of white noise about 70 %."""
    robot, correlated = case
    inside, chances = coverage(robot, 6, correlated=correlated)
    # 6 runs of 24 to 58 parameters that are correlated: their share has a σ of about 0.03
    assert abs(inside.mean() - 0.95) < 0.1
    assert correlated or inside.mean() > 0.95 - 4 * np.sqrt(0.95 * 0.05 / inside.size) - 0.02
    assert chances.min() > 1e-3  # the table is the truth


def test_free_base_without_a_wrench_and_with_joint_torques(tmp_path):
    text, base, _ = ROBOTS["floating base"]
    machine = machine_of(text, base)
    t, q, tau = simulated(machine, 100.0, 12.0, 1)
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_rotvec(q[:, :3]).as_quat().T
    pose = np.column_stack([q[:, 3:6], w, x, y, z])
    heads = ["t", *(f"base.{end}" for end in ("x", "y", "z", "qw", "qx", "qy", "qz")), "q_j1", "q_j2"]
    heads += [f"tau_{name}" for name in machine.model.names]
    noisy = tau + np.random.default_rng(1).normal(0, 0.05, tau.shape)
    (tmp_path / "robot.urdf").write_text(text)
    np.savetxt(
        tmp_path / "run.csv",
        np.column_stack([t, pose, q[:, 6:], noisy]),
        "%.9g",
        ",",
        header=",".join(heads),
        comments="",
    )
    found = identify(
        tmp_path / "robot.urdf", tmp_path / "run.csv", reading=RobotReading(base="free"), settings={"terms": []}
    )
    assert len(found.fit.values) == len(machine.base_parameters) == 24
    assert np.sqrt((deviations(machine, found) ** 2).mean()) < 1.4
    total = next(row for row in found.parameters() if row["parameter"].startswith("mx_"))
    assert total["sigma"] < 0.01


def test_base_wrench_of_an_arm_on_a_force_sensor(tmp_path):
    """The base does not move: its six forces are measured, and no torque of a joint."""
    text = ROBOTS["floating base"][0]
    machine = machine_of(text, "free")
    t, q, qd, qdd = harmonics(8, 50.0, 12.0, 1)
    for one in (q, qd, qdd):
        one[:, :6] = 0.0
    tau = joint_forces(machine.model, q, qd, qdd)
    tau = tau + np.random.default_rng(1).normal(0, 0.05, tau.shape)
    heads = ["t", "q_j1", "q_j2", *(f"tau_{name}" for name in machine.model.names[:6])]
    (tmp_path / "robot.urdf").write_text(text)
    np.savetxt(
        tmp_path / "run.csv",
        np.column_stack([t, q[:, 6:], tau[:, :6]]),
        "%.9g",
        ",",
        header=",".join(heads),
        comments="",
    )
    found = identify(
        tmp_path / "robot.urdf", tmp_path / "run.csv", reading=RobotReading(base="free"), settings={"terms": []}
    )
    assert np.sqrt((deviations(machine, found) ** 2).mean()) < 1.5
    assert 10 < len(found.fit.values) < 24  # a base at rest shows less than one that moves


def test_known_and_unknown_payloads(tmp_path):
    text = robot_text(3)
    with_tool = text.replace(
        "</robot>",
        '<link name="tool"><inertial><mass value="1.5"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
        '<joint name="grip" type="fixed"><parent link="link3"/><child link="tool"/>'
        '<origin xyz="0 0.05 0.2"/></joint></robot>',
    )

    def loaded(seed, t, q, tau):
        """Carry the tool in the second run."""
        return (t, q, tau) if seed == 1 else simulated(machine_of(with_tool, terms=TERMS), 100.0, 12.0, seed)

    _, forgotten = identified(tmp_path, text, change=loaded)
    (message,) = [one.message for one in forgotten.findings if "differs from" in one.message]
    assert message.startswith("run differs from run1.csv: χ² ")
    value, _, sigma = message.partition("carries ")[2].split()[:3]
    assert abs(float(value) - 1.5) < 2.5 * float(sigma) < 0.6  # it is no point
    assert "kg at link link3" in message
    entry = {"link": "link3", "runs": ["run2.csv"]}
    machine, unknown = identified(tmp_path, text, change=loaded, settings={"payload": {"tool": entry}})
    rows = {row["parameter"]: row for row in unknown.parameters() if "@" in row["parameter"]}
    for name, truth in (("mx@tool", 0.0), ("my@tool", 1.5 * 0.05), ("m@tool", 1.5)):
        if name in rows and not rows[name]["includes"]:
            assert abs(rows[name]["value"] - truth) < 4.5 * rows[name]["sigma"]
    assert "m@tool" in rows or "mz@tool" in rows
    assert unknown.table["probability"] > 1e-3
    tensor = [0.01, 0.01, 0.01, 0, 0, 0]
    known = {**entry, "mass": 1.5, "c": [0, 0.05, 0.2], "I": tensor}
    machine, found = identified(tmp_path, text, change=loaded, settings={"payload": {"tool": known}})
    assert np.sqrt((deviations(machine, found) ** 2).mean()) < 1.4


def test_mimic_joints_are_constraints(tmp_path):
    text = robot_text(3).replace(
        '<limit lower="-2.8"', '<mimic joint="j2" multiplier="-0.5" offset="0.3"/><limit lower="-2.8"', 3
    )
    parts = text.split("<mimic")
    text = parts[0] + "".join(("<mimic" if k == 2 else "<nomimic") + part for k, part in enumerate(parts[1:]))
    machine = machine_of(text)
    assert machine.names == ("j1", "j2")
    assert machine.coupling.tolist() == [[1, 0], [0, 1], [0, -0.5]]
    t, q, qd, qdd = harmonics(2, 100.0, 12.0, 1)
    q, qd, qdd = q @ machine.coupling.T + machine.offset, qd @ machine.coupling.T, qdd @ machine.coupling.T
    tau = joint_forces(machine.model, q, qd, qdd) @ machine.coupling + np.random.default_rng(2).normal(
        0, 0.05, (len(t), 2)
    )
    (tmp_path / "robot.urdf").write_text(text)
    rows = np.column_stack([t, q[:, :2], tau])
    np.savetxt(tmp_path / "run.csv", rows, "%.9g", ",", header="t,q_j1,q_j2,tau_j1,tau_j2", comments="")
    found = identify(tmp_path / "robot.urdf", tmp_path / "run.csv", settings={"terms": []})
    assert "MP822" not in rules(found)
    assert np.sqrt((deviations(machine, found) ** 2).mean()) < 1.5
    assert len(found.fit.values) <= len(machine.base_parameters)


def test_currents_with_gains_and_units_of_headings(tmp_path):
    machine, plain = identified(tmp_path, robot_text(2), seeds=(1,))
    t, q, tau = simulated(machine, 100.0, 12.0, 1)
    chance = np.random.default_rng(1)
    q, tau = q + chance.normal(0, 1e-6, q.shape), tau + chance.normal(0, 0.1, tau.shape)
    rows = np.column_stack([1000 * t, np.degrees(q), tau[:, 0] / 20, 1000 * tau[:, 1]])
    head = "Time [ms];J1.Position (deg);j2_pos [deg];i_j1;tau_j2 [N*mm]"
    np.savetxt(tmp_path / "other.csv", rows, "%.9g", ";", header=head, comments="")
    settings = {"terms": list(TERMS), "gains": {"j1": 20.0}}
    found = identify(tmp_path / "robot.urdf", tmp_path / "other.csv", settings=settings)
    assert found.fit.values == pytest.approx(plain.fit.values, rel=1e-4, abs=1e-4)


def test_parquet_is_read_as_csv(tmp_path):
    import pandas as pd

    _, plain = identified(tmp_path, robot_text(2), seeds=(1,))
    pd.read_csv(tmp_path / "run1.csv").to_parquet(tmp_path / "run1.parquet")
    found = identify(tmp_path / "robot.urdf", tmp_path / "run1.parquet", settings={"terms": list(TERMS)})
    assert found.fit.values == pytest.approx(plain.fit.values, rel=1e-12)


def test_gaps_blank_cells_and_spikes_do_not_change_the_answer(tmp_path):
    def damaged(seed, t, q, tau):
        """Leave out two seconds, and add spikes."""
        tau, q = tau.copy(), q.copy()
        tau[[200, 700], 0] += 400
        q[500, 1] += 0.5
        keep = (t < 3) | (t > 4)
        return t[keep], q[keep], tau[keep]

    machine, found = identified(tmp_path, robot_text(3), change=damaged)
    message = next(one.message for one in found.findings if one.rule == "MP897")
    assert "1 gap in time" in message
    assert "2 spikes in the torque of j1" in message
    assert "1 spike in the position of j2" in message
    assert np.sqrt((deviations(machine, found) ** 2).mean()) < 1.4


@pytest.mark.parametrize(
    ("change", "rule", "words"),
    [
        (lambda _, t, q, tau: (1000 * t, q, tau), "MP894", "time is in ms"),
        pytest.param(
            lambda _, t, q, tau: (t, q, -tau),
            "MP894",
            "torques of all joints have the opposite sign",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda _, t, q, tau: (t, np.degrees(q), tau),
            "MP894",
            "positions of j1, j2, j3 are in deg",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda _, t, q, tau: (t, q, 1000 * tau),
            "MP894",
            "torques of j1, j2, j3 are in N*mm",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_wrong_units_are_named(tmp_path, change, rule, words):
    from massprops_cli.findings.finding import TableError

    findings = Findings()
    with pytest.raises(TableError):
        identified(tmp_path, robot_text(3), change=change, checked=True, findings=findings)
    assert any(one.rule == rule and words in one.message for one in findings), [one.message for one in findings]


@pytest.mark.parametrize("case", first(["tau: torques", "q: positions", "both: positions and torques"], 1))
def test_swapped_joints_are_named(tmp_path, case):
    which, _, what = case.partition(": ")

    def swapped(_, t, q, tau):
        """Exchange joints 2 and 3."""
        order = [0, 2, 1, 3]
        return t, q[:, order] if which != "tau" else q, tau[:, order] if which != "q" else tau

    _, found = identified(tmp_path, robot_text(4), seeds=(1,), rate=50.0, change=swapped, checked=True)
    (message,) = [one.message for one in found.findings if "exchanged" in one.message]
    assert message.startswith(f"{what} of j2 and j3 are exchanged, probably: 1e")


def test_stuck_joint_is_named(tmp_path):
    def stuck(_, t, q, tau):
        """Hold joint 2."""
        machine = machine_of(robot_text(3), terms=TERMS)
        q, qd, qdd = harmonics(3, 100.0, 12.0, 1)[1:]
        q[:, 1], qd[:, 1], qdd[:, 1] = 0.4, 0, 0
        return t, q, joint_forces(machine.model, q, qd, qdd)

    _, found = identified(tmp_path, robot_text(3), seeds=(1,), change=stuck, checked=True)
    assert "joints do not move: j2" in [one.message for one in found.findings]


@pytest.mark.parametrize(("joints", "rule"), [(["j2"], "MP895"), (["j1", "j2", "j3"], "MP893")])
def test_constant_torques_are_named(tmp_path, joints, rule):
    import pandas as pd

    from massprops_cli.identifications.runs import read_runs

    machine = machine_of(robot_text(3), terms=TERMS)
    file, findings = write_run(tmp_path / "run.csv", machine, *simulated(machine, 100.0, 12.0, 1), 1), Findings()
    pd.read_csv(file).assign(**{f"tau_{name}": 5.0 for name in joints}).to_csv(file, index=False)
    try:
        read_runs(machine, [str(file)], findings)
    except TableError:
        assert rule == "MP893"
    (message,) = [one.message for one in findings if one.rule == rule]
    assert message == f"torques never change, are probably not recorded, and are left out: {', '.join(joints)}"


def test_unknown_quantity_and_payload_of_wrong_form(tmp_path):
    for settings, words in (
        ({"columns": {"j9.q": "q"}}, "unknown quantity: j9.q"),
        ({"payload": {"tool": {"link": "link2", "mass": "x"}}}, "mass, c and I of [identify.payload.tool]"),
        ({"payload": {"tool": {"link": "link2", "runs": "run1.csv"}}}, "not a list of files"),
    ):
        with pytest.raises(UsageError) as raised:
            identified(tmp_path, robot_text(2), seeds=(1,), settings=settings)
        assert words in str(raised.value)


def test_correlation_is_that_of_the_covariance(tmp_path):
    _, found = identified(tmp_path, robot_text(2), seeds=(1,))
    correlation = np.array(found.to_dict()["correlation"])
    assert np.diag(correlation) == pytest.approx(1)
    covariance = found.fit.covariance
    assert correlation[1, 2] == pytest.approx(covariance[1, 2] / np.sqrt(covariance[1, 1] * covariance[2, 2]))
    row = found.parameters()[1]
    names = [one["parameter"] for one in found.parameters()]
    others = np.abs(np.delete(correlation[1], 1))
    assert abs(row["correlation"]) == pytest.approx(others.max())
    assert row["correlation"] == correlation[1, names.index(row["correlated"])]


def test_rotor_and_friction_of_a_mechanism_file():
    document = json.loads(SWING)
    document["joints"][0] |= {"armature": 0.25, "viscous": "1/2", "coulomb": 0.75}
    machine = machine_of(json.dumps(document), terms=TERMS)
    assert machine.stated_terms()[:3].tolist() == [0.25, 0.5, 0.75]


def test_forgotten_payload_is_a_mass_at_the_last_link(tmp_path):
    heavy = robot_text(3).replace('<mass value="3.031"/>', '<mass value="4.531"/>')
    _, found = identified(
        tmp_path,
        robot_text(3),
        change=lambda seed, *_: simulated(machine_of(heavy, terms=TERMS), 100.0, 12.0, seed),
        checked=True,
    )
    (message,) = [one.message for one in found.findings if "does not have" in one.message]
    mass = float(message.split()[3])
    assert "at link link3" in message
    assert mass == pytest.approx(1.5, abs=0.1)  # the link is heavier by a point at its centre
    assert found.table["probability"] < 1e-6


def test_noise_of_few_rows_is_not_too_small():
    """60 rows and 20 parameters: the mean square residual is 2/3 of the variance of the noise, which is 1."""
    chance, found = np.random.default_rng(3), []
    for _ in range(150):
        rows = np.column_stack([W := chance.normal(size=(60, 20)), W.sum(axis=1) + chance.normal(size=60)])
        columns = fits.Columns([str(k) for k in range(20)], list(range(20)), np.eye(20))
        groups = fits.Groups(columns, {(0, 0, 0): signals.upper_factor(rows)}, {(0, 0, 0): 60}, 1.0, [])
        fit = fits.weighted_fit(groups)
        found.append((fit.noise[0, 0] ** 2, ((fit.values - 1) ** 2 / fit.sigmas**2).mean()))
    noise, square = np.mean(found, axis=0)
    assert noise == pytest.approx(1, abs=0.06)  # 3 σ of 150 estimates
    assert square == pytest.approx(40 / 38, abs=0.1)  # of Student's t with 40 degrees of freedom


def test_white_noise_remains_white_after_decimation():
    h = signals._root_raised_cosine(7)
    correlations = np.correlate(h, h, "full")[len(h) - 1 :: 7]
    assert correlations[0] == pytest.approx(1)
    assert np.abs(correlations[1:]).max() < 2e-3


def test_differences_of_order_8():
    step = 0.01
    t = np.arange(400) * step
    values = np.sin(9 * t)[:, None]
    inner = slice(4, -4)
    assert signals._differences(values, step)[inner, 0] == pytest.approx(9 * np.cos(9 * t)[inner], abs=1e-8)
    assert signals._differences(values, step, second=True)[inner, 0] == pytest.approx(
        -81 * np.sin(9 * t)[inner], abs=1e-6
    )


def test_pseudo_inertia_of_points():
    """Σ m x xᵀ, Σ m x and Σ m of three points; a moved frame moves the points."""
    chance = np.random.default_rng(1)
    points, masses = chance.normal(size=(3, 3)), np.array([1.0, 2.0, 0.5])

    def ten(points):
        """Return the ten parameters by the sums that define them."""
        J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, points, strict=True))
        return np.array([masses.sum(), *(masses @ points), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])

    homogeneous = np.column_stack([points, np.ones(3)])
    assert priors._pseudo_inertia(ten(points)) == pytest.approx(homogeneous.T @ (masses[:, None] * homogeneous))
    R, d = np.linalg.qr(chance.normal(size=(3, 3)))[0], chance.normal(size=3)
    assert priors.frame_change(R, d) @ ten(points) == pytest.approx(ten(points @ R.T + d))


def _problem(seed):
    """Return a problem of two bodies whose free optimum is no body."""
    chance = np.random.default_rng(seed)
    theta = np.concatenate([priors.parameters_of(np.diag([0.02, 0.03, 0.01, 2.0]) + 0.001) for _ in range(2)])
    root = np.zeros((20, 20))
    for k in range(2):
        at = slice(10 * k, 10 * k + 10)
        root[at, at] = np.diag(0.3 * priors.parameter_scales(theta[at]))
    A = chance.normal(size=(12, 20))
    return np.eye(20) + A.T @ A, A.T @ chance.normal(size=12) * 8, theta, root


def _links(theta, box=None):
    """Return what holds for two links."""
    return {k: priors._possible(theta[10 * k : 10 * k + 10], box) for k in (0, 1)}


@pytest.mark.parametrize("case", first([(0, 1e-10), (0, 1e-14), (1, 1e-14), (2, 1e-14)], 1), ids=str)
def test_nearest_bodies_are_those_of_slsqp(case):
    """SciPy's SLSQP with a Cholesky factor of each pseudo-inertia as unknowns has no constraint at all."""
    from scipy.optimize import minimize

    seed, precision = case
    H, g, theta, root = _problem(seed)
    u = priors._nearest_bodies(H, g, theta, root, _links(theta))
    low = np.tril_indices(4)

    def of_factors(x):
        """Return u of the lower factors."""
        ten = []
        for k in range(2):
            L = np.zeros((4, 4))
            L[low] = x[10 * k : 10 * k + 10]
            ten.append(priors.parameters_of(L @ L.T))
        return (np.concatenate(ten) - theta) / np.diag(root)

    start = np.concatenate([np.linalg.cholesky(priors._pseudo_inertia(theta[k : k + 10]))[low] for k in (0, 10)])

    def size(x):
        """Return what is least at the nearest bodies."""
        near = of_factors(x)
        return near @ H @ near / 2 - g @ near

    best = minimize(size, start, method="SLSQP", options={"maxiter": 3000, "ftol": precision})
    found = float(u @ H @ u / 2 - g @ u)
    free = np.linalg.solve(H, g)
    assert min(np.linalg.eigvalsh(priors._pseudo_inertia((theta + root @ free)[k : k + 10]))[0] for k in (0, 10)) < 0
    assert min(np.linalg.eigvalsh(priors._pseudo_inertia((theta + root @ u)[k : k + 10]))[0] for k in (0, 10)) > 0
    assert found <= best.fun + 1e-6 * abs(best.fun)
    assert found == pytest.approx(best.fun, rel=1e-3)


@pytest.mark.parametrize("seed", first(range(3), 1))
def test_nearest_bodies_inside_a_box_are_those_of_slsqp(seed):
    """The box as constraints of SLSQP on moments: ∫ (x − l)(h − x) dm ≥ 0, of unknown Cholesky factors."""
    from scipy.optimize import minimize

    H, g, theta, root = _problem(seed)
    box = np.array([-0.15, -0.1, -0.2]), np.array([0.1, 0.15, 0.2])
    u = priors._nearest_bodies(H, g, theta, root, _links(theta, box))
    low = np.tril_indices(4)

    def bodies(x):
        """Return Σ (mass at the end) of the factors of both links."""
        factors = [np.zeros((4, 4)), np.zeros((4, 4))]
        for L, part in zip(factors, np.split(x, 2), strict=True):
            L[low] = part
        return [L @ L.T for L in factors]

    def of_bodies(x):
        """Return u of the factors."""
        return np.linalg.solve(root, np.concatenate([priors.parameters_of(one) for one in bodies(x)]) - theta)

    def slabs(x):
        """Return the moments that are not negative."""
        return np.concatenate(
            [(box[0] + box[1]) * S[:3, 3] - np.diag(S)[:3] - box[0] * box[1] * S[3, 3] for S in bodies(x)]
        )

    middle = np.array([*(box[0] + box[1]) / 2, 1.0])
    inner = 2 * (np.outer(middle, middle) + np.diag([*(box[1] - box[0]) ** 2 / 12, 0.0]))
    start = np.tile(np.linalg.cholesky(inner + 1e-9 * np.eye(4))[low], 2)
    best = minimize(
        lambda x: of_bodies(x) @ H @ of_bodies(x) / 2 - g @ of_bodies(x), start, method="SLSQP",
        constraints={"type": "ineq", "fun": slabs}, options={"maxiter": 3000, "ftol": 1e-14},
    )  # fmt: skip
    found = float(u @ H @ u / 2 - g @ u)
    free = priors._nearest_bodies(H, g, theta, root, _links(theta))
    assert found > float(free @ H @ free / 2 - g @ free) + 1e-3  # the box changes the bodies
    assert found == pytest.approx(best.fun, rel=1e-3)
    for ten in (theta + root @ u).reshape(2, 10):
        S = priors._pseudo_inertia(ten)
        assert ((box[0] < S[:3, 3] / S[3, 3]) & (S[:3, 3] / S[3, 3] < box[1])).all()  # the centre is in the box
        assert (np.sqrt(np.diag(S)[:3] / S[3, 3]) < np.maximum(-box[0], box[1])).all()  # and so is its mass


def test_prior_has_the_covariance_of_the_table(tmp_path):
    """σ of mass, centre and tensor of a table about own centres, moved to the frame of the link by derivatives."""
    (tmp_path / "robot.urdf").write_text(robot_text(1))
    machine = machine_of(robot_text(1))
    (tmp_path / "links.csv").write_text(
        "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
        "Iyz [kg*m^2],POIconv,sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m],sigma_Ixx [kg*m^2],"
        "sigma_Iyy [kg*m^2],sigma_Izz [kg*m^2],sigma_Ixy [kg*m^2],sigma_Ixz [kg*m^2],sigma_Iyz [kg*m^2]\n"
        "ARM,,,,,,,,,,,,-,,,,,,,,,,\n"
        "link1,ARM,5,0.02,0.01,0.33,0.07,0.05,0.07,0.001,0,0,-,0.1,0.01,0.02,0.03,0.001,0.002,0.003,0.0001,0.0002,0.0003\n"
    )
    prior = priors.table_prior(machine, read_bom(tmp_path / "links.csv"), Findings())
    c, m = np.array([0.02, 0.01, 0.33 - 0.23]), 5.0
    sigma = np.array([0.1, 0.01, 0.02, 0.03, 0.001, 0.0001, 0.0002, 0.002, 0.0003, 0.003])

    def ten(x):
        """Return the parameters about the joint of mass, centre and tensor."""
        a, c = x[0], x[1:4]
        J = np.array([[x[4], x[5], x[6]], [x[5], x[7], x[8]], [x[6], x[8], x[9]]]) + a * (
            c @ c * np.eye(3) - np.outer(c, c)
        )
        return np.array([a, *(a * c), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])

    x = np.array([m, *c, 0.07, 0.001, 0, 0.05, 0, 0.07])
    D = np.column_stack([(ten(x + h) - ten(x - h)) / 2e-6 for h in 1e-6 * np.eye(10)])
    assert prior.values == pytest.approx(ten(x))
    assert prior.covariance == pytest.approx(D @ np.diag(sigma**2) @ D.T, abs=1e-9)
    assert prior.is_stated.all()


def test_table_of_links_rolls_up_to_the_identified_mass(tmp_path):
    _, found = identified(tmp_path, robot_text(3), seeds=(1,))
    lines = [",".join(str(cell) for cell in row) for row in found.table_rows()]
    (tmp_path / "out.csv").write_text("\n".join(lines) + "\n")
    result = rollup(read_bom(tmp_path / "out.csv"))
    assert not [one for one in result.findings if one.severity.value == "error"]
    whole = result[result.bom.ids[0]]
    assert whole.mass == pytest.approx(sum(one["values"]["m"] for one in found.links()))
    first = sum(one["values"]["m"] * 0 for one in found.links())
    assert first == 0


def test_robot_keeps_all_bytes_but_its_inertials(tmp_path):
    _, found = identified(tmp_path, robot_text(3), seeds=(1,))
    new, old = found.robot(tmp_path / "robot.urdf").decode(), (tmp_path / "robot.urdf").read_text()
    assert [line for line in new.splitlines() if "<inertia" not in line] == [
        line for line in old.splitlines() if "<inertia" not in line
    ]
    (tmp_path / "new.urdf").write_text(new)
    again = machine_of(new).stated_values()
    assert again == pytest.approx(found.full.values, abs=1e-9)


def test_motion_keeps_all_limits_and_is_better_than_the_first():
    text = robot_text(3).replace('effort="200"', 'effort="60"')
    settings = {"terms": [], "trials": 80, "samples": 100, "limits": {"all": {"acceleration": 6.0}}}
    found = design_excitation(text.encode(), settings=settings)
    t, (q, qd, qdd) = found.times, found.motion
    assert np.abs(q).max() <= 2.8
    assert np.abs(qd).max() <= 3
    assert np.abs(qdd).max() <= 6
    machine = machine_of(text)
    tau = joint_forces(machine.model, q, qd, qdd)
    assert found.torques == pytest.approx(tau, abs=1e-8)
    assert np.abs(tau).max() <= 60
    assert np.abs(np.concatenate([qd[[0, -1]], qdd[[0, -1]]])).max() < 1e-9
    inner = slice(10, -10)
    from scipy.interpolate import make_interp_spline

    spline = make_interp_spline(t, q, 5)
    assert spline(t[inner], 1) == pytest.approx(qd[inner], abs=1e-3)
    assert found.condition < found.start
    again = design_excitation(text.encode(), settings=settings)
    assert (again.motion == found.motion).all()
    W = inertial_regressor(machine.model, q, qd, qdd)[:, :, list(machine.base_parameters)]
    rows = W.reshape(-1, W.shape[2])
    assert found.condition == pytest.approx(np.linalg.cond(rows / np.linalg.norm(rows, axis=0)))
    assert found.noise == pytest.approx(0.01 * np.abs(tau).max(axis=0))


def test_motion_by_the_determinant():
    settings = {"terms": [], "trials": 60, "samples": 80, "criterion": "D"}
    found = design_excitation(robot_text(2).encode(), settings=settings)
    other = design_excitation(robot_text(2).encode(), settings={**settings, "trials": 6})

    def size(one):
        """Return log det of the information matrix."""
        machine = machine_of(robot_text(2))
        W = inertial_regressor(machine.model, *one.motion)[:, :, list(machine.base_parameters)]
        rows = W.reshape(-1, W.shape[2])
        return np.linalg.slogdet(rows.T @ rows)[1]

    assert size(found) > size(other)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"term": []}, "unknown key of [identify]: term"),
        ({"terms": ["stiction"]}, "unknown term"),
        ({"cutoff": -1.0}, "not a positive number"),
        ({"gains": {"j1": "x"}}, "is not a number"),
        ({"criterion": "A"}, "unknown criterion"),
        ({"couple": {"j1": [1, 2]}}, "coupling of j1"),
        ({"limits": {"j1": {"speed": 1}}}, "limits of j1"),
        ({"seed": True}, "wrong type of seed"),
        ({"seed": -1}, "seed of [identify] is negative"),
        ({"couple": {"j1": ["j2", 1, "x"]}}, "coupling of j1"),
        ({"limits": {"j1": {"torque": "x"}}}, "limit of j1.torque"),
        ({"columns": {"j1.q": 3}}, "columns of [identify] has no text for j1.q"),
        ({"units": {"t": 3}}, "units of [identify] has no text for t"),
        ({"motors": {"m5": 3}}, "motor m5 in [identify.motors]"),
        ({"motors": {"m5": {"j1": "x"}}}, "turns of m5.j1"),
    ],
)
def test_wrong_settings_are_usage_errors(settings, words):
    with pytest.raises(UsageError) as raised:
        IdentifySettings.of(settings)
    assert words in str(raised.value)


def test_command_writes_all_outputs(tmp_path, massprops, monkeypatch):
    identified(tmp_path, robot_text(2), seeds=(1, 2), rate=50.0, seconds=8.0)
    monkeypatch.chdir(tmp_path)
    call = ("identify", "robot.urdf", "--data", "run1.csv")
    assert "2 runs" in massprops(*call, "--data", "run2.csv").output
    leave_out_checks(monkeypatch)
    for name in ("out.urdf", "out.csv", "out.json", "out.md"):
        plot = ("--plot", "report.png") if name == "out.json" else ()
        assert massprops(*call, "-o", name, "-q", *plot).exit_code == 0
        assert (tmp_path / name).stat().st_size > 500
    assert (tmp_path / "report.png").stat().st_size > 500
    content = json.loads((tmp_path / "out.json").read_text())
    assert len(content["covariance"]) == len(content["base_parameters"])
    assert massprops(*call, "--format", "csv").stdout.startswith("parameter,sum,value")
    assert massprops("rollup", "out.csv", "-q", "-o", "rolled.csv").exit_code == 0
    (tmp_path / "massprops.toml").write_text("[identify]\ntrials = 20\n")
    assert massprops("identify", "robot.urdf", "--design", "motion.csv", "--plot", "motion.png").exit_code == 0
    assert (tmp_path / "motion.csv").read_text().startswith("t,q_j1,qd_j1,qdd_j1,q_j2")
    assert massprops(*call, "-o", "out.txt").exit_code == 2
    assert massprops("identify", "robot.urdf").exit_code == 2
    assert massprops("identify", "robot.urdf", "--design", "m.csv", "--data", "run1.csv").exit_code == 2


def test_runs_of_a_pattern_and_of_the_shell_are_all_read(tmp_path, massprops, monkeypatch):
    leave_out_checks(monkeypatch)
    monkeypatch.chdir(tmp_path)
    machine = machine_of(robot_text(2))
    (tmp_path / "robot.urdf").write_text(robot_text(2))
    for seed in (1, 2):
        write_run(tmp_path / f"run{seed}.csv", machine, *simulated(machine, 50.0, 8.0, seed), seed)
    found = [
        massprops("identify", "robot.urdf", *words, "--format", "json").stdout
        for words in (
            ("--data", "run1.csv", "--data", "run2.csv"),
            ("--data", "run*.csv"),
            ("--data", "run1.csv", "run2.csv"),
        )
    ]
    assert '"run2.csv"' in found[0]
    assert found[0] == found[1] == found[2]
    missing = massprops("identify", "robot.urdf", "--data", "walk*.csv")
    assert missing.exit_code == 2
    assert "no file matches: walk*.csv" in missing.stderr


def test_difference_counts_the_sigmas_of_fit_and_table(tmp_path):
    """A table 5 % off with σ of 10 %: off by about half a σ, however small σ of the fit are."""
    text = robot_text(1)
    _, found = identified(tmp_path, text, seeds=(1,), terms=())
    rows = [[str(cell) for cell in row] for row in found.table_rows()]
    rows[2][2:4] = ["5.25", "0.5"]
    rows[2][4:7], rows[2][7:10] = ["0.05", "0.02", "0.33"], ["0.01"] * 3
    (tmp_path / "prior.csv").write_text("\n".join(",".join(row) for row in rows) + "\n")
    other = identify(tmp_path / "robot.urdf", tmp_path / "run1.csv", tmp_path / "prior.csv", settings={"terms": []})
    for row in other.parameters():
        both = np.hypot(row["sigma"], row["table_sigma"])
        assert row["off"] == pytest.approx((row["value"] - row["table"]) / both)
        assert both > 0
    assert max(row["table_sigma"] / row["sigma"] for row in other.parameters()) > 3


def test_friction_of_a_motor_of_two_joints(tmp_path):
    """A motor that turns with both joints adds its friction and rotor to both forces."""

    def joined(_, t, q, tau):
        """Add 0.3 of viscous and 0.6 of Coulomb friction and a rotor of 0.05, by finite differences."""
        turn = q[:, 1] + q[:, 2]
        rate = np.gradient(turn, t)
        force = 0.3 * rate + 0.6 * np.sign(rate) + 0.05 * np.gradient(rate, t)
        tau = tau.copy()
        tau[:, 1:] += force[:, None]
        return t, q, tau

    settings = {"motors": {"m": {"j2": 1.0, "j3": 1.0}}}
    _, found = identified(tmp_path, robot_text(3), seeds=(1,), change=joined, settings=settings)
    of = {row["parameter"]: row for row in found.parameters()}
    for name, truth in (("viscous_m", 0.3), ("coulomb_m", 0.6), ("viscous_j2", FRICTION["viscous"])):
        assert abs(of[name]["value"] - truth) < 4 * of[name]["sigma"]
        assert of[name]["sigma"] < 0.1
    with pytest.raises(UsageError, match=r"motors\] names a joint that is unknown or follows another: j9"):
        identified(tmp_path, robot_text(3), settings={"motors": {"m": {"j9": 1.0}}})


def test_uneven_samples_keep_the_scale_of_time(tmp_path):
    """Steps of 8, 10 and 14 ms: as even steps of their median, rates would be 7 % too small."""
    from scipy.interpolate import CubicSpline

    def uneven(seed, t, q, tau):
        """Keep some of the samples of a run."""
        steps = np.random.default_rng(seed).choice([0.008, 0.01, 0.014], 1300, p=[0.2, 0.5, 0.3])
        times = t[0] + np.cumsum(steps)
        times = times[times < t[-1]]
        return times, CubicSpline(t, q)(times), CubicSpline(t, tau)(times)

    machine, found = identified(tmp_path, robot_text(2), seeds=(1,), change=uneven, terms=())
    truth = found.groups.columns.transform @ true_values(machine)
    large = np.abs(truth) > 0.3
    assert found.fit.values[large] == pytest.approx(truth[large], rel=0.02)


def test_links_stay_inside_their_collision_geometry(tmp_path):
    """The geometry is a small box at the joint, and the robot has its centre outside."""
    text = robot_text(2).replace(
        "</inertial>", '</inertial><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    )
    _, free = identified(tmp_path, text, seeds=(1,), terms=())
    _, found = identified(tmp_path, text, seeds=(1,), terms=(), settings={"collisions": True})
    for one, other in zip(found.links(), free.links(), strict=True):
        if one["link"] == "base":
            continue
        center = np.array([one["values"][f"m{axis}"] for axis in "xyz"]) / one["values"]["m"]
        assert np.abs(center).max() < 0.05
        assert one["values"]["Izz"] < one["values"]["m"] * 2 * 0.05**2
        assert abs(other["values"]["mz"] / other["values"]["m"]) > 0.05
    (message,) = [one.message for one in found.findings if one.rule == "MP899"]
    assert message.startswith("best parameters of links belong to no bodies inside their collision geometry")
    _, bare = identified(tmp_path, robot_text(2), seeds=(1,), terms=(), settings={"collisions": True})
    assert "collision geometry of links is not known" in next(
        one.message for one in bare.findings if one.rule == "MP899"
    )
    with pytest.raises(UsageError, match="need the file of a robot"):
        identify(
            SWING.encode(),
            tmp_path / "run1.csv",
            settings={"collisions": True, "columns": {"A.q": "q_j1", "A.tau": "tau_j1"}},
        )


def test_columns_and_units_on_the_command_line(tmp_path, massprops, monkeypatch):
    import pandas as pd

    identified(tmp_path, robot_text(2), seeds=(1,))
    leave_out_checks(monkeypatch)
    monkeypatch.chdir(tmp_path)
    plain = massprops("identify", "robot.urdf", "--data", "run1.csv", "--format", "csv").stdout
    run = pd.read_csv("run1.csv")
    run["t"], run["q_j2"] = 1000 * run["t"], np.degrees(run["q_j2"])
    run.rename(columns={"t": "Clock", "q_j2": "second"}).to_csv("other.csv", index=False)
    given = ("--map", "t=Clock", "--map", "j2.q=second", "--unit", "t=ms", "--unit", "j2.q=deg")
    found = massprops("identify", "robot.urdf", "--data", "other.csv", *given, "--format", "csv").stdout
    first, second = ([float(line.split(",")[2]) for line in text.splitlines()[1:]] for text in (plain, found))
    assert second == pytest.approx(first, rel=1e-3, abs=1e-3)
    wrong = massprops("identify", "robot.urdf", "--data", "other.csv", "--map", "j3.q=second")
    assert wrong.exit_code == 2
    assert "--map names an unknown quantity: j3.q" in wrong.output
    assert (
        "unknown unit of column second: grad"
        in massprops(
            "identify",
            "robot.urdf",
            "--data",
            "other.csv",
            "--map",
            "t=Clock",
            "--map",
            "j2.q=second",
            "--unit",
            "q=grad",
        ).output
    )


@pytest.mark.parametrize("bits", first([12, 16], 1))
def test_a_coarse_encoder_leaves_the_cut_off_above_the_motion(tmp_path, bits):
    """Harmonics of at most 5/8 Hz: noise is that of the spectrum above the skirts of their peaks."""
    step = 2 * np.pi / 2**bits
    machine, found = identified(
        tmp_path, robot_text(2), seconds=16.0, change=lambda _, t, q, tau: (t, step * np.round(q / step), tau)
    )
    assert found.filtering.cutoff > 1.5
    assert np.abs(deviations(machine, found)).max() < 4.5


def test_reversed_torques_of_a_joint_are_rejected_without_a_fault(tmp_path):
    reverse = np.array([1.0, -1.0])
    _, found = identified(
        tmp_path, robot_text(2), seeds=(3,), change=lambda _, t, q, tau: (t, q, tau * reverse), checked=True
    )
    assert "MP896" in rules(found)
