"""What identification reports of a two-link arm whose torques are a closed form, independent of the package."""

from __future__ import annotations

import math
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("scipy", reason="identify needs SciPy")

from massprops_cli import identify, read_bom, rollup
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.identifications.excitation import design_excitation
from massprops_cli.identifications.machine import IdentifySettings, read_machine
from massprops_cli.identifications.signals import hold_resting_joints
from massprops_cli.mechanisms.model import RobotReading
from massprops_cli.robots.exact_poses import _rational_angle
from tests.examples import covering, first
from tests.identification_cases import harmonics, joint_forces, machine_of, robot_text, simulated, write_run

G, LENGTH, NOISE = 9.81, 0.5, 0.1
UPPER = {"m": 3.0, "x": 0.22, "z": 0.03, "I": 0.09}
FORE = {"m": 1.6, "x": 0.18, "z": -0.02, "I": 0.035}
FRICTION = {"armature": (0.2, 0.05), "viscous": (0.8, 0.4), "coulomb": (0.6, 0.3), "offset": (0.15, -0.1)}
NAMES = ("shoulder", "elbow")


def robot(upper=UPPER, fore=FORE, torque=(60, 20)) -> bytes:
    """Write an arm of two joints about y in a vertical plane as URDF."""
    links = "".join(
        f'<link name="{name}"><inertial><origin xyz="{one["x"]} 0 {one["z"]}"/><mass value="{one["m"]}"/><inertia '
        f'ixx="{0.4 * one["I"]}" ixy="0" ixz="0" iyy="{one["I"]}" iyz="0" izz="{0.9 * one["I"]}"/></inertial></link>'
        for name, one in (("upper", upper), ("fore", fore))
    )
    joints = "".join(
        f'<joint name="{name}" type="revolute"><origin xyz="{x} 0 0"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/><limit lower="-2.9" upper="2.9" effort="{most}" velocity="6"/></joint>'
        for name, x, parent, child, most in zip(
            NAMES, (0, LENGTH), ("base", "upper"), ("upper", "fore"), torque, strict=True
        )
    )
    return f'<robot name="arm"><link name="base"/>{links}{joints}</robot>'.encode()


def motion(seed: int, seconds: float = 16.0, rate: float = 50.0) -> tuple[np.ndarray, ...]:
    """Return times, positions, velocities and accelerations (samples, 2) of five harmonics of 8 s."""
    chance, t = np.random.default_rng(seed), np.arange(round(seconds * rate)) / rate
    w = 2 * np.pi * np.arange(1, 6) / 8
    a, b = chance.normal(size=(2, 5, 2)) * 0.5 / np.sqrt(np.arange(1, 6))[:, None]
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return t, s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w * w) @ a - (c * w * w) @ b


def torques(q, qd, qdd, upper=UPPER, fore=FORE, friction=FRICTION) -> np.ndarray:
    """Return the torques by forces on the two mass points and moments, with friction; rotation about +y."""
    angle, rate, gain = np.cumsum(q, axis=1).T, np.cumsum(qd, axis=1).T, np.cumsum(qdd, axis=1).T

    def arm(k: int, x: float, z: float) -> tuple[np.ndarray, np.ndarray]:
        """Return lever and acceleration (2, samples) in the plane x, z of a point of a body that turns."""
        s, c = np.sin(angle[k]), np.cos(angle[k])
        point = np.array([c * x + s * z, -s * x + c * z])
        lever = np.array([point[1], -point[0]])
        return lever, lever * gain[k] - point * rate[k] ** 2

    gravity = np.array([[0.0], [G]])
    (lever, first), (elbow, tip), (reach, second) = (
        arm(0, upper["x"], upper["z"]),
        arm(0, LENGTH, 0),
        arm(1, fore["x"], fore["z"]),
    )
    force = fore["m"] * (tip + second + gravity)
    tau2 = (force * reach).sum(axis=0) + fore["I"] * gain[1]
    tau1 = (
        (upper["m"] * (first + gravity) * lever).sum(axis=0) + upper["I"] * gain[0] + (force * elbow).sum(axis=0) + tau2
    )
    f = {term: np.array(values) for term, values in friction.items()}
    return (
        np.column_stack([tau1, tau2])
        + f["armature"] * qdd
        + f["viscous"] * qd
        + f["coulomb"] * np.sign(qd)
        + f["offset"]
    )


def loaded(body: dict[str, float], mass: float, x: float, z: float = 0.0) -> dict[str, float]:
    """Return a body with a mass at a point."""
    m = body["m"] + mass
    cx, cz = (body["m"] * body["x"] + mass * x) / m, (body["m"] * body["z"] + mass * z) / m
    about = body["I"] + body["m"] * (body["x"] ** 2 + body["z"] ** 2) + mass * (x * x + z * z)
    return {"m": m, "x": cx, "z": cz, "I": about - m * (cx**2 + cz**2)}


def write(folder: Path, seed: int, change=None, name: str = "", noise: float = NOISE, **truth) -> Path:
    """Write a run with white noise; ``change`` alters times, positions and torques."""
    t, q, qd, qdd = motion(seed)
    chance = np.random.default_rng([1, seed])
    tau = torques(q, qd, qdd, **truth) + chance.normal(0, noise, q.shape)
    q = q + chance.normal(0, 1e-5, q.shape)
    t, q, tau = (t, q, tau) if change is None else change(t, q, tau)
    path = folder / (name or f"run{seed}.csv")
    heads = ",".join(["t", *(f"q_{one}" for one in NAMES), *(f"tau_{one}" for one in NAMES)])
    np.savetxt(path, np.column_stack([t, q, tau]), "%.9g", ",", header=heads, comments="")
    return path


def identified(folder: Path, runs: list[Path], text: bytes | None = None, **keywords):
    """Identify the arm, and return the result with its messages but that on gravity."""
    (folder / "arm.urdf").write_bytes(text or robot())
    found = identify(folder / "arm.urdf", runs, **keywords)
    return found, [(one.rule, one.message) for one in found.findings if one.rule != "MP821"]


def true_values(found, upper=UPPER, fore=FORE) -> dict[str, float]:
    """Return the base parameters by their closed form."""
    J2 = fore["I"] + fore["m"] * (fore["x"] ** 2 + fore["z"] ** 2)
    J1 = upper["I"] + upper["m"] * (upper["x"] ** 2 + upper["z"] ** 2)
    values = {
        "mx_upper": upper["m"] * upper["x"] + LENGTH * fore["m"], "mz_upper": upper["m"] * upper["z"],
        "Iyy_upper": J1 + LENGTH**2 * fore["m"] + FRICTION["armature"][0],
        "mx_fore": fore["m"] * fore["x"], "mz_fore": fore["m"] * fore["z"], "Iyy_fore": J2,
        "armature_elbow": FRICTION["armature"][1],
    }  # fmt: skip
    return values | {f"{term}_{name}": FRICTION[term][k] for term in list(FRICTION)[1:] for k, name in enumerate(NAMES)}


def deviations(found, **truth) -> np.ndarray:
    """Return how many σ each parameter is from the truth."""
    values = true_values(found, **truth)
    return np.array([(one["value"] - values[one["parameter"]]) / one["sigma"] for one in found.parameters()])


def test_runs_that_agree_have_no_finding(tmp_path):
    found, messages = identified(tmp_path, [write(tmp_path, seed) for seed in (1, 2, 3)])
    assert messages == []
    assert np.abs(deviations(found)).max() < 4.5
    assert all(0.9 < one["rms"] < 1.15 for one in found.validation)


@pytest.mark.parametrize("count", first([1, 2], 1))
def test_a_payload_in_one_run_is_named_and_widens_all_sigmas(tmp_path, count):
    """0.5 kg at 0.3 m of the fore arm changes mx_fore by 0.15 kg·m."""
    heavy = loaded(FORE, 0.5, 0.3)
    runs = [write(tmp_path, seed) for seed in range(1, 1 + count)] + [write(tmp_path, 9, fore=heavy)]
    found, messages = identified(tmp_path, runs)
    (message,) = [text for rule, text in messages if "differs from" in text]
    assert message.startswith(f"run differs from {'run1.csv' if count == 1 else 'the other runs'}: χ² ")
    assert "mx_fore by" in message
    mass = float(re.search(r"carries ([\d.]+) ± [\d.]+ kg at link fore", message)[1])
    assert abs(mass - 0.5) < 0.02
    row = next(one for one in found.parameters() if one["parameter"] == "mx_fore")
    # the truth of both machines is inside the intervals, which one run alone would not have
    for value in (0.288, 0.438):
        assert abs(row["value"] - value) < 3 * row["sigma"]
    assert row["sigma"] > 0.03


def test_other_friction_of_a_run_is_named(tmp_path):
    worn = {**FRICTION, "viscous": (1.1, 0.4)}
    _, messages = identified(tmp_path, [write(tmp_path, 1), write(tmp_path, 2), write(tmp_path, 3, friction=worn)])
    (message,) = [text for _, text in messages if "differs from" in text]
    assert "farthest: viscous_shoulder" in message


@pytest.mark.slow
def test_another_gain_of_a_joint_than_in_two_other_runs_is_named(tmp_path):
    gain = write(tmp_path, 4, lambda t, q, tau: (t, q, tau * [1.0, 1.1]))
    _, messages = identified(tmp_path, [write(tmp_path, 1), write(tmp_path, 2), gain])
    (message,) = [text for _, text in messages if "differs from" in text]
    assert "mx_fore by" in message


@pytest.mark.parametrize("factor", first([1.1, 0.8], 1))
def test_a_gain_of_all_torques_is_named_and_no_payload(tmp_path, factor):
    def scaled(t, q, tau):
        return t, q, factor * tau

    runs = [write(tmp_path, 1), write(tmp_path, 2, scaled, "gain.csv")]
    _, messages = identified(tmp_path, runs)
    (message,) = [text for _, text in messages if "differs from" in text]
    found = float(re.search(r"torques are ([\d.]+) times the true ones", message)[1])
    assert found == pytest.approx(factor if "from run1.csv" in message else 1 / factor, rel=0.02)
    assert "kg" not in message
    _, messages = identified(tmp_path, [write(tmp_path, k, scaled) for k in (1, 2)])
    (message,) = [text for _, text in messages if "of the table" in text and "torques" in text]
    assert float(re.search(r"probably ([\d.]+) times", message)[1]) == pytest.approx(factor, rel=0.02)


@pytest.mark.parametrize("pairs", first([2, 60], 1))
def test_runs_that_agree_are_rarely_reported(tmp_path, pairs):
    """Pairs of runs of the same arm, half of them with noise whose correlation falls to 1/e in 0.1 s."""
    alarms = 0
    for seed in range(pairs):
        share = np.exp(-0.2) * (seed % 2)

        def coloured(t, q, tau, share=share, seed=seed):
            """Add correlated noise."""
            noise = np.random.default_rng([3, seed, len(t)]).normal(0, NOISE, tau.shape)
            for k in range(1, len(noise)):
                noise[k] = share * noise[k - 1] + np.sqrt(1 - share**2) * noise[k]
            return t, q, tau + noise

        runs = [write(tmp_path, 100 + 2 * seed + k, coloured, f"{k}.csv", 1e-3) for k in (0, 1)]
        _, messages = identified(tmp_path, runs)
        alarms += any("differs" in text or "probably:" in text for _, text in messages)
    assert alarms <= pairs // 60  # of 60 pairs 0.06 are expected at 0.001


def test_masses_alike_in_the_motion_are_all_named(tmp_path):
    """0.6 kg at 0.35 m of the upper arm is, without the rotor of the shoulder, that of 0.42 kg at the elbow."""
    _, messages = identified(tmp_path, [write(tmp_path, 9, upper=loaded(UPPER, 0.6, 0.35))])
    (message,) = [text for _, text in messages if "does not have" in text]
    assert "at link upper" in message
    assert "at link fore" in message
    assert "as likely within a factor of 20" in message
    assert not [text for _, text in messages if "friction" in text]
    # two links that differ a little from the table are no single mass
    other = robot({**UPPER, "m": 2.7, "x": 0.2, "z": 0.0}, {**FORE, "m": 1.5, "x": 0.17, "z": 0.0})
    _, messages = identified(tmp_path, [write(tmp_path, 9)], other)
    assert not [text for _, text in messages if "does not have" in text]
    assert [text for _, text in messages if text.startswith("motion rejects")]


@pytest.mark.parametrize("case", first([("viscous", (-0.8, 0.4)), ("armature", (0.2, -0.03))], 1), ids=str)
def test_negative_friction_and_rotors_are_named(tmp_path, case):
    term, values = case
    runs = [write(tmp_path, seed, friction={**FRICTION, term: values}, noise=0.02) for seed in (1, 2)]
    _, messages = identified(tmp_path, runs)
    (message,) = [text for rule, text in messages if rule == "MP899" and "negative" in text]
    which = NAMES[int(values[1] < 0)]
    value = float(re.search(rf"{term}_{which} (-[\d.]+) ±", message)[1])
    assert value == pytest.approx(min(values), abs=0.01)


def columns(q=(1.0, 1.0), tau=(1.0, 1.0), t=1.0, late=0):
    """Return a change of units, signs and delay of the columns."""

    def change(times, positions, forces):
        """Scale and shift."""
        forces = np.roll(forces, late, axis=0)
        some = slice(abs(late), len(times) - abs(late) or None)
        return (times * t)[some], (positions * q)[some], (forces * tau)[some]

    return change


HYPOTHESES = [
    ({"tau": (1, -1)}, "MP895", "torques of elbow have the opposite sign"),
    ({"tau": (-1, 1)}, "MP895", "torques of shoulder have the opposite sign"),
    ({"q": (1, -1)}, "MP895", "positions of elbow have the opposite sign"),
    ({"q": (1, -1), "tau": (1, -1)}, "MP895", "positions and torques of elbow have the opposite sign"),
    ({"late": 5}, "MP895", "torques are 0.1 s (5 samples) late"),
    ({"late": -3}, "MP895", "torques are 0.06 s (3 samples) early"),
    ({"tau": (-1, -1)}, "MP894", "torques of all joints have the opposite sign"),
    ({"tau": (1000, 1000)}, "MP894", "torques of shoulder, elbow are in N*mm"),
    ({"tau": (1, 1000)}, "MP894", "torques of elbow are in N*mm"),
    ({"q": (180 / np.pi, 180 / np.pi)}, "MP894", "positions of shoulder, elbow are in deg"),
    ({"q": (1, 180 / np.pi)}, "MP894", "positions of elbow are in deg"),
    ({"t": 1000}, "MP894", "time is in ms"),
]


def joint_columns(zero=(0.0, 0.0), gain=(1.0, 1.0), late=(0, 0)):
    """Return a change of zeros, gains and delays of the columns of single joints."""

    def change(times, positions, forces):
        """Shift and scale."""
        some = slice(max(map(abs, late)), len(times) - max(map(abs, late)) or None)
        forces = np.column_stack([np.roll(one, shift) for one, shift in zip(forces.T, late, strict=True)])
        return times[some], (positions + zero)[some], (forces * gain)[some]

    return change


JOINT_FAULTS = [
    ({"late": (0, 2)}, r"torques of elbow are 0\.04 s \(2 samples\) late", 0.0),
    ({"late": (-1, 0)}, r"torques of shoulder are 0\.02 s \(1 sample\) early", 0.0),
    ({"gain": (0.8, 1.0)}, r"torques of shoulder are ([\d.]+) times the true ones", 0.8),
]


@pytest.mark.parametrize(
    ("fault", "masses"),
    covering(JOINT_FAULTS, [1.0, 0.95]),
    ids=lambda value: value[1] if isinstance(value, tuple) else None,
)
def test_faults_of_a_single_joint_are_named(tmp_path, fault, masses):
    """Also with a table whose masses are 5 % too small."""
    change, words, number = fault
    run = write(tmp_path, 3, joint_columns(**change))
    _, messages = identified(tmp_path, [run], robot({**UPPER, "m": 3.0 * masses}, {**FORE, "m": 1.6 * masses}))
    (match,) = [found for rule, text in messages if rule == "MP895" and (found := re.match(words, text))]
    assert not number or float(match[1]) == pytest.approx(number, rel=0.03)


RUN_FAULTS = [
    ({"zero": (0.05, 0.0)}, r"positions of shoulder are ([\d.]+) rad too large", 0.05),
    ({"zero": (0.0, 0.2)}, r"positions of elbow are ([\d.]+) rad too (?:large|small)", 0.2),
    ({"gain": (1.0, 1.1)}, r"torques of elbow are ([\d.]+) times the true ones", 1.1),
]


@pytest.mark.parametrize(
    ("fault", "others"),
    [
        pytest.param(fault, others, marks=() if others == 1 and fault != RUN_FAULTS[1] else pytest.mark.slow)
        for fault, others in product(RUN_FAULTS, [1, 2])
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else None,
)
def test_faults_of_one_run_are_named_by_the_links_that_others_show(tmp_path, fault, others):
    """The zero of an encoder, and the gain of a joint, are no payloads; the zero of the last joint has either sign."""
    change, words, number = fault
    runs = [write(tmp_path, seed) for seed in range(1, 1 + others)]
    runs.append(write(tmp_path, 3, joint_columns(**change)))
    _, messages = identified(tmp_path, runs)
    (message,) = [text for _, text in messages if "differs from" in text]
    assert "carries" not in message
    assert float(re.search(words, message)[1]) == pytest.approx(number, rel=0.06)


@pytest.mark.parametrize(
    ("case", "masses"),
    covering(HYPOTHESES, [1.0, 0.9]),
    ids=lambda value: value[2] if isinstance(value, tuple) else None,
)
def test_what_a_recording_probably_is(tmp_path, case, masses):
    """Also with a table whose masses are 10 % too small."""
    change, rule, words = case
    run = write(tmp_path, 3, columns(**change))
    text, findings = robot({**UPPER, "m": 3.0 * masses}, {**FORE, "m": 1.6 * masses}), Findings()
    try:
        identified(tmp_path, [run], text, findings=findings)
    except TableError:
        assert rule == "MP894"
    (found,) = [one for one in findings if "probably: 1e" in one.message]
    assert (found.rule, found.message.partition(", probably")[0]) == (rule, words)


@pytest.mark.parametrize("gravity", first([(0, 0, G), (G, 0, 0), (0, 0, 0), (0, 0, -1.62)], 2), ids=str)
def test_gravity_of_the_wrong_sign_or_direction_is_named(tmp_path, gravity):
    run, findings = write(tmp_path, 3), Findings()
    with pytest.raises(TableError):
        identified(tmp_path, [run], findings=findings, reading=RobotReading(gravity=tuple(map(str, gravity))))
    (message,) = [one.message for one in findings if one.rule == "MP894"]
    found = np.array(message.partition("gravity is ")[2].partition(" m/s²")[0].split(), float)
    assert found.tolist() == [0, 0, -G]


def test_lengths_of_a_slide_in_millimetres_are_named(tmp_path):
    """A cart with a pendulum by its Lagrangian: F = (M + m) ẍ + m r (−cos θ θ̈ + sin θ θ̇²)."""
    M, m, r, J = 4.0, 0.8, 0.3, 0.03 + 0.8 * 0.09
    t, q, qd, qdd = motion(2)
    q, qd, qdd = (one * [0.3, 1.0] for one in (q, qd, qdd))
    s, c = np.sin(q[:, 1]), np.cos(q[:, 1])
    force = (M + m) * qdd[:, 0] + m * r * (s * qd[:, 1] ** 2 - c * qdd[:, 1]) + 5 * qd[:, 0] + 2 * np.sign(qd[:, 0])
    tau = J * qdd[:, 1] - m * r * c * qdd[:, 0] + m * G * r * s + 0.05 * qd[:, 1]
    noise = np.random.default_rng(5).normal(size=q.shape) * [0.2, 0.03]
    (tmp_path / "cart.urdf").write_text(
        '<robot name="cart"><link name="rail"/><link name="cart"><inertial><mass value="4"/>'
        '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link><link name="pole"><inertial>'
        '<origin xyz="0 0 -0.3"/><mass value="0.8"/><inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.002"'
        '/></inertial></link><joint name="x" type="prismatic"><parent link="rail"/><child link="cart"/><axis '
        'xyz="1 0 0"/>'
        '<limit lower="-1" upper="1" effort="100" velocity="3"/></joint><joint name="p" type="continuous">'
        '<parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint></robot>'
    )
    for scale in (1.0, 1000.0):
        rows = np.column_stack([t, q * [scale, 1.0], np.column_stack([force, tau]) + noise])
        np.savetxt(tmp_path / "run.csv", rows, "%.9g", ",", header="t,q_x,q_p,tau_x,tau_p", comments="")
        findings = Findings()
        if scale == 1.0:
            found = identify(tmp_path / "cart.urdf", tmp_path / "run.csv", findings=findings)
            pole = next(one for one in found.parameters() if one["parameter"] == "Iyy_pole")
            assert abs(pole["value"] - J) < 4 * pole["sigma"]
            assert not [one for one in findings if "probably" in one.message]
        else:
            with pytest.raises(TableError):
                identify(tmp_path / "cart.urdf", tmp_path / "run.csv", findings=findings)
            assert any(one.message.startswith("positions of x are in mm, probably") for one in findings)
    np.savetxt(tmp_path / "run.csv", rows, "%.9g", ",", header="t,q_x [mm],q_p,i_x,tau_p", comments="")
    findings = Findings()
    with pytest.raises(TableError):
        identify(tmp_path / "cart.urdf", tmp_path / "run.csv", findings=findings)
    assert any("x = the force of 1 A in N" in one.remedy for one in findings)


def test_a_run_given_twice_counts_once(tmp_path):
    run = write(tmp_path, 1)
    copy = tmp_path / "copy.csv"
    copy.write_bytes(run.read_bytes())
    once, _ = identified(tmp_path, [run])
    twice, messages = identified(tmp_path, [run, copy, run])
    assert twice.fit.sigmas == pytest.approx(once.fit.sigmas)
    assert [rule for rule, text in messages if "counts once" in text] == ["MP897", "MP897"]


def test_a_payload_of_one_run_is_no_fault_of_its_prediction(tmp_path):
    """Other runs show nothing of it, so that it is free in the prediction; before, the residual was 9e13 σ."""
    runs = [write(tmp_path, 1), write(tmp_path, 9, fore=loaded(FORE, 0.5, 0.3))]
    settings = {"payload": {"tool": {"link": "fore", "runs": ["run9.csv"]}}}
    found, messages = identified(tmp_path, runs, settings=settings)
    assert all(0.9 < one["rms"] < 1.2 for one in found.validation)
    assert not [text for _, text in messages if "differs" in text]
    assert abs(next(one["value"] for one in found.parameters() if one["parameter"] == "mx@tool") - 0.15) < 0.01


def test_low_limits_of_torque_give_a_smaller_motion():
    """Holding the stretched arm needs 17 N·m; 12 N·m hold it only near the vertical."""
    found = design_excitation(robot(torque=(12, 20)), settings={"trials": 60})
    q, qd, qdd = found.motion
    none = dict.fromkeys(FRICTION, (0.0, 0.0))
    tau = torques(q, qd, qdd, friction=none)
    assert found.torques == pytest.approx(tau, abs=1e-9)
    assert np.abs(tau[:, 0]).max() <= 12
    assert found.condition < 100
    level = torques(np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)), friction=none)
    assert abs(level[0, 0]) > 12
    with pytest.raises(UsageError, match="no motion keeps the limits of torque"):
        design_excitation(robot(torque=(1e-4, 1e-4)), settings={"trials": 20})


@pytest.mark.parametrize("count", first([50, 200], 1))
def test_promised_sigmas_are_the_spread_of_identified_values(tmp_path, count):
    """Identifications of the designed motion at 100 Hz with the stated noise."""
    from massprops_cli.identifications import fit as fits
    from massprops_cli.identifications.machine import IdentifySettings, read_machine
    from massprops_cli.identifications.runs import Run
    from massprops_cli.identifications.signals import choose_filter, differentiate_runs

    settings = {"trials": 40, "noise": {"all": 0.2, "elbow": 0.05}, "rate": 100.0}
    found = design_excitation(robot(), settings=settings)
    assert found.noise.tolist() == [0.2, 0.05]
    t = np.arange(1001) / 100
    # the harmonics from the written positions at 20 Hz: exact below 10 Hz
    w = 2 * np.pi / 10 * np.arange(1, 6)
    coarse, fine = (
        np.hstack([np.ones((len(one), 1)), np.sin(np.outer(one, w)), np.cos(np.outer(one, w))])
        for one in (found.times, t)
    )
    coefficients = np.linalg.lstsq(coarse, found.motion[0], rcond=None)[0]
    q, s, c = fine @ coefficients, fine[:, 1:6], fine[:, 6:]
    qd = (c * w) @ coefficients[1:6] - (s * w) @ coefficients[6:]
    qdd = -(s * w * w) @ coefficients[1:6] - (c * w * w) @ coefficients[6:]
    tau = torques(q, qd, qdd)
    machine = read_machine(robot(), "", RobotReading(), IdentifySettings.of({}), Findings())
    values, chance = [], np.random.default_rng(1)
    run = Run("run", "run", t, q, tau, np.ones(2, bool), [slice(0, len(t))], 0.01)
    how = choose_filter(machine, [run], Findings())
    differentiate_runs(machine, [run], how, Findings())
    for _ in range(count):
        run.forces = tau + chance.normal(size=tau.shape) * found.noise
        groups = fits.collect_groups(machine, [run], how, [])
        values.append(fits.weighted_fit(groups).values)
    assert tuple(groups.columns.heads) == found.parameters
    ratio = np.std(values, axis=0) / found.sigmas
    assert abs(np.sqrt((ratio**2).mean()) - 1) < 0.05 * np.sqrt(200 / count)
    assert ratio == pytest.approx(1, abs=0.2 * np.sqrt(200 / count))  # 4 σ of a deviation of so many values


def test_the_written_table_rolls_up_without_a_warning(tmp_path):
    found, _ = identified(tmp_path, [write(tmp_path, 1), write(tmp_path, 2)])
    (tmp_path / "out.csv").write_text(
        "\n".join(",".join(str(cell) for cell in row) for row in found.table_rows()) + "\n"
    )
    result = rollup(read_bom(tmp_path / "out.csv"))
    assert [str(one) for one in result.findings if one.severity.value != "note"] == []


def test_torques_in_millinewton_metres(tmp_path):
    run = write(tmp_path, 1)
    plain, _ = identified(tmp_path, [run])
    data = np.loadtxt(run, delimiter=",", skiprows=1)
    data[:, 3] *= 1000
    np.savetxt(run, data, "%.9g", ",", header="t,q_shoulder,q_elbow,tau_shoulder [mN*m],tau_elbow", comments="")
    other, _ = identified(tmp_path, [run])
    assert other.fit.values == pytest.approx(plain.fit.values, rel=1e-5)


def test_a_joint_that_is_held_has_the_mean_of_its_noise_in_all_runs() -> None:
    rng = np.random.default_rng(4)
    machine = SimpleNamespace(model=SimpleNamespace(names=("a", "b")), free_names=frozenset())
    time = np.arange(4000) / 200
    noise = 2e-4 * rng.standard_normal((2, 4000, 2))
    runs = [SimpleNamespace(positions=np.stack([np.sin(time), 0.3 + 0 * time], 1) + one) for one in noise]
    moving = [one.positions[:, 0].copy() for one in runs]
    hold_resting_joints(cast(Any, machine), cast(Any, runs))
    (place,) = {float(x) for one in runs for x in one.positions[:, 1]}
    assert place == pytest.approx(0.3, abs=1e-5)
    assert all((one.positions[:, 0] == was).all() for one, was in zip(runs, moving, strict=True))


@pytest.mark.parametrize("text", ["0.3", "0.1", "-1.0", "2.5", "1.5708"])
def test_angles_of_dynamics_are_as_precise_as_written_or_quarter_turns(text: str) -> None:
    real, imaginary, _ = _rational_angle(text, digits="precise")
    angle = 2 * math.atan2(imaginary, real)
    expected = math.pi / 2 if text == "1.5708" else float(text)
    assert math.remainder(angle - expected, 2 * math.pi) == pytest.approx(0, abs=1e-15)


def test_a_held_joint_with_a_noisy_encoder_is_named(tmp_path):
    chance = np.random.default_rng(8)
    t, q, qd, qdd = motion(1)
    for one in (q, qd, qdd):
        one[:, 1] = 0.0
    tau = torques(q, qd, qdd) + chance.normal(0, NOISE, q.shape)
    q = q + chance.normal(0, 2e-4, q.shape)
    path = tmp_path / "held.csv"
    np.savetxt(
        path,
        np.column_stack([t, q, tau]),
        "%.9g",
        ",",
        header="t,q_shoulder,q_elbow,tau_shoulder,tau_elbow",
        comments="",
    )
    _, messages = identified(tmp_path, [path])
    assert ("MP895", "joints do not move: elbow") in messages


def test_frames_of_a_machine_are_as_precise_as_written():
    text = robot().replace(b'<origin xyz="0.5 0 0"/>', b'<origin xyz="0.5 0 0" rpy="0 0.3 0"/>')
    assert b"rpy" in text
    machine = read_machine(text, "", RobotReading(), IdentifySettings(), Findings())
    rotation = np.array(machine.mechanism.pose(1)[1], float)
    assert math.atan2(rotation[0, 2], rotation[0, 0]) == pytest.approx(0.3, abs=1e-15)


def test_data_without_noise_have_a_hypothesis(tmp_path):
    """Residuals of 0 once were weights without bound."""
    run = write(tmp_path, 3, columns(tau=(1, -1)), noise=0.0)
    _, messages = identified(tmp_path, [run])
    assert [text for _, text in messages if text.startswith("torques of elbow have the opposite sign, probably")]


@pytest.mark.parametrize("what", first(["dead", "braked"], 1))
def test_a_dead_torque_and_a_held_joint_are_no_mass(tmp_path, what):
    """The elbow is braked, so that its torque is noise, next to an honest run; and it is dead while the arm moves."""

    def dead(t, q, tau):
        """Lose the torque of the elbow."""
        return t, q, np.column_stack([tau[:, 0], np.random.default_rng(1).normal(0, NOISE, len(t))])

    def braked(t, q, tau):
        """Hold the elbow exactly."""
        rest = np.full(len(t), 0.3)
        _, *own = motion(2)
        both = [np.column_stack([one[:, 0], rest * (k == 0)]) for k, one in enumerate(own)]
        return t, both[0], np.column_stack([torques(*both)[:, 0] + tau[:, 0] * 0, dead(t, q, tau)[2][:, 1]])

    honest = write(tmp_path, 1)
    _, messages = identified(tmp_path, [honest, write(tmp_path, 2, {"dead": dead, "braked": braked}[what])])
    assert [text for rule, text in messages if rule == "MP895" and "does not explain the torques of elbow" in text]
    assert not [text for _, text in messages if " kg at link" in text]


def test_torques_without_gravity_are_named(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "G", 0.0)
    run, findings = write(tmp_path, 3), Findings()
    with pytest.raises(TableError):
        identified(tmp_path, [run], findings=findings)
    (message,) = [one.message for one in findings if one.rule == "MP894"]
    assert message.startswith("gravity is 0 0 0 m/s²")


def test_two_columns_of_a_heading_are_an_error(tmp_path):
    run = write(tmp_path, 1)
    run.write_text(run.read_text().replace("tau_elbow", "tau_shoulder", 1))
    findings = Findings()
    with pytest.raises(TableError):
        identified(tmp_path, [run], findings=findings)
    assert [one.message for one in findings if one.rule == "MP893"] == ["columns have the same heading: tau_shoulder"]


@pytest.mark.parametrize("case", first([("kgf*cm", 0.0980665), ("lbf*in", 0.112984829), ("N*cm", 0.01)], 1), ids=str)
def test_units_that_are_named_can_be_stated(tmp_path, case):
    unit, size = case
    run = write(tmp_path, 3, columns(tau=(1, 1 / size)))
    findings = Findings()
    with pytest.raises(TableError):
        identified(tmp_path, [run], findings=findings)
    (message,) = [one.message for one in findings if one.rule == "MP894"]
    assert message.startswith(f"torques of elbow are in {unit}, probably")
    _, messages = identified(tmp_path, [run], settings={"units": {"elbow.tau": unit}})
    assert messages == []


def test_what_no_motion_shows_is_no_warning(tmp_path):
    """The first link turns about a vertical axis only, so that its mass stays as in the table."""
    arm = machine_of(robot_text(3), terms=())
    (tmp_path / "arm.urdf").write_text(robot_text(3))
    run = write_run(tmp_path / "run.csv", arm, *simulated(arm, 100.0, 12.0, 1), 1)
    found = identify(tmp_path / "arm.urdf", run, settings={"terms": ["armature"]})
    assert [one["shown"] for one in found.links() if one["link"] == "link1"] == [0]
    assert {one.rule for one in found.findings} <= {"MP821", "MP897"}


@pytest.mark.parametrize("seeds", first([(1, 2), (3, 4)], 1), ids=str)
def test_borders_within_noise_are_no_warning(tmp_path, seeds):
    """Flat links, Iyy = Ixx + Izz, are on the border of what a body can have; noise alone puts some beyond it."""
    flat = robot().replace(b'izz="0.081"', b'izz="0.054"').replace(b'izz="0.03150000000000001"', b'izz="0.021"')
    beyond = 0
    for seed in seeds:
        found, messages = identified(tmp_path, [write(tmp_path, seed)], flat)
        beyond += len(found.full.active)
        assert messages == []
    assert beyond


def test_the_written_robot_has_the_format_of_the_read_one_and_rates_are_those_of_the_runs(tmp_path, massprops):
    run, other = write(tmp_path, 1), write(tmp_path, 2, lambda t, q, tau: (t / 2, q, tau))
    (tmp_path / "arm.urdf").write_bytes(robot())
    findings = Findings()
    with pytest.raises(TableError):
        identify(tmp_path / "arm.urdf", [run, other], findings=findings)
    assert [one.message for one in findings if one.rule == "MP893"] == [
        "runs have different sample rates: 100 Hz and 50 Hz"
    ]
    result = massprops("identify", tmp_path / "arm.urdf", "--data", run, "-o", tmp_path / "arm.sdf")
    assert result.exit_code == 2
    assert "write -o identified.urdf" in result.output


@pytest.mark.parametrize("noise", first([0.0, NOISE], 1))
def test_a_brake_that_holds_a_joint_whose_torque_is_not_recorded_is_no_payload(tmp_path, noise):
    """Noise or 0 in place of the torque of a joint that is held: neither run carries anything."""
    arm = machine_of(robot_text(3), terms=())
    (tmp_path / "arm.urdf").write_text(robot_text(3))
    honest = write_run(tmp_path / "honest.csv", arm, *simulated(arm, 100.0, 12.0, 1), 1)
    t, *moved = harmonics(3, 100.0, 12.0, 2)
    q, qd, qdd = (one * [1.0, 0.0, 1.0] for one in moved)
    q = q + np.array([0.0, 0.5, 0.0])
    tau, chance = joint_forces(arm.model, q, qd, qdd), np.random.default_rng(5)
    tau = tau + chance.normal(0, NOISE, tau.shape)
    tau[:, 1] = chance.normal(0, noise, len(t))
    heads = "t,q_j1,q_j2,q_j3,tau_j1,tau_j2,tau_j3"
    np.savetxt(tmp_path / "brake.csv", np.column_stack([t, q, tau]), "%.9g", ",", header=heads, comments="")
    found = identify(tmp_path / "arm.urdf", [honest, tmp_path / "brake.csv"], settings={"terms": []})
    messages = [one.message for one in found.findings]
    assert not [text for text in messages if "carries" in text or "kg at link" in text]
    assert any(("does not explain the torques of j2" if noise else "are left out: j2") in text for text in messages)
    assert noise or not [text for text in messages if "differs" in text or "not explain" in text]
