"""Base parameters by the observation matrix, against exact coefficients, the dynamics of trees, and closed forms."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli import (
    BaseParameters,
    ObservationSettings,
    SpatialModel,
    base_parameters,
    observation_matrix,
    read_mechanism,
)
from massprops_cli.findings.finding import TableError, UsageError
from massprops_cli.mechanisms.observation.observation_matrix import fourier_trajectory
from tests.examples import first
from tests.unit.mechanism_examples import SUSPENSION, SUSPENSION_EXPECTED, planar_linkage, random_chain
from tests.unit.test_mechanisms import mechanism_of

EXACT = {
    (row["head"], name): float(Fraction(value))
    for row in SUSPENSION_EXPECTED["base"]
    for name, value in row["exact"].items()
}
"""Coefficients of the suspension."""


@cache
def suspension(**settings: Any) -> BaseParameters:
    """The base parameters of the suspension with the published elimination."""
    observation = ObservationSettings(**settings)
    return base_parameters(mechanism_of(SUSPENSION), "svd", SUSPENSION_EXPECTED["eliminated"], observation=observation)


def coefficients(found: BaseParameters) -> dict[tuple[str, str], float]:
    """All coefficients."""
    return {(head, name): value for head, terms in found.combinations().items() for name, value in terms.items()}


def rejection(call: Any) -> Any:
    """The first finding of a rejected call."""
    with pytest.raises(TableError) as caught:
        call()
    return caught.value.findings[0]


def test_suspension_in_doubles_has_a_gap_and_coefficients_to_1e_5() -> None:
    found = suspension()
    assert found.observation is not None
    assert len(found.grouping.base) == 41
    assert found.observation.coordinates == ("F", "K")
    assert found.observation.residual < 1e-15
    assert found.observation.gap is not None
    assert 1e3 < found.observation.gap < 1e6
    assert 1e10 < found.observation.condition_number < 1e13
    # the paper: coefficients of double precision agree to about five digits
    given = coefficients(found)
    assert {key for key, value in given.items() if abs(value) > 1e-6} == set(EXACT)  # others are rounding
    largest = max(abs(given[key] - value) for key, value in EXACT.items())
    assert 1e-7 < largest < 2e-4


def test_deviations_of_coefficients_are_as_large_as_their_errors() -> None:
    # rounding differs by processor, and is not independent by row: the largest errors are 2 to 7 deviations
    found = suspension()
    assert found.observation is not None
    names = found.names
    errors = [
        abs(found.grouping.base[head][index] - EXACT.get((names[head], names[index]), 0.0)) / sigma
        for head, terms in found.observation.deviations.items()
        for index, sigma in terms.items()
    ]
    assert len(errors) in (57, 58)  # one of them may be rounding
    assert 0.1 < sorted(errors)[28] < 3
    assert max(errors) < 20


@pytest.mark.parametrize("settings", [{"closure": 1e-6}, {"amplitude": 0.5}], ids=["closure 1e-6", "half amplitude"])
def test_suspension_without_a_gap_is_rejected(settings: dict[str, float]) -> None:
    finding = rejection(lambda: suspension(**settings))
    assert finding.rule == "MP846"
    assert float(finding.value) < 100
    assert ("--config digits=50" in finding.remedy) == ("amplitude" in settings)


def test_closure_to_1e_6_has_a_ratio_that_a_largest_gap_would_accept_wrongly() -> None:
    values = observation_matrix(mechanism_of(SUSPENSION), ObservationSettings(closure=1e-6)).singular_values
    ratios = values[:-1] / np.maximum(values[1:], 1e-30 * values[0])
    assert ratios[43] > 1e5  # 44 of 41
    assert ratios[40] < 100


@pytest.mark.parametrize("amplitude", first([1.0, 0.5], 0))
def test_enough_digits_give_the_exact_coefficients(amplitude: float) -> None:
    pytest.importorskip("flint")
    found = suspension(digits=40, amplitude=amplitude)
    assert found.observation is not None
    given = coefficients(found)
    assert {key for key, value in given.items() if abs(value) > 1e-6} == set(EXACT)  # others are rounding
    assert max(abs(given[key] - value) for key, value in EXACT.items()) < 1e-15
    assert found.observation.gap is not None
    assert found.observation.gap > 1e20


def test_many_digits_give_the_exact_coefficients_of_a_four_bar() -> None:
    pytest.importorskip("flint")
    linkage = mechanism_of(planar_linkage([(0, 0), ("0.1", "0.3"), ("0.6", "0.5"), ("0.7", 0)]))
    found = coefficients(base_parameters(linkage, "svd", observation=ObservationSettings(digits=30)))
    exact = coefficients(base_parameters(linkage))
    assert {key for key, value in found.items() if abs(value) > 1e-12} == set(exact)
    assert max(abs(found[key] - float(value)) for key, value in exact.items()) < 1e-15


def test_too_few_digits_are_rejected() -> None:
    pytest.importorskip("flint")
    finding = rejection(lambda: suspension(digits=18, amplitude=0.5))
    assert finding.rule == "MP846"
    assert "--config digits=36" in finding.remedy


def body_parameters(document: dict[str, Any]) -> list[float]:
    """Ten parameters a body about its origin, from masses, centres and tensors about them."""
    found = []
    for body in document["bodies"]:
        m = float(Fraction(body["mass"]))
        x, y, z = (float(Fraction(value)) for value in body["c"])
        xx, yy, zz, xy, xz, yz = (float(Fraction(value)) for value in body["I"])
        found += [m, m * x, m * y, m * z]
        found += [xx + m * (y * y + z * z), xy - m * x * y, xz - m * x * z]
        found += [yy + m * (x * x + z * z), yz - m * y * z, zz + m * (x * x + y * y)]
    return found


@pytest.mark.parametrize("kinds", [["R", "P", "R"], ["C", "helical", "R"], ["planar", "U"]])
def test_rows_are_the_inverse_dynamics_of_a_chain(kinds: list[str], tmp_path: Path) -> None:
    document = random_chain(kinds, 3)
    for number, body in enumerate(document["bodies"], 1):
        body |= {"mass": str(number), "c": ["0.1", "-0.2", "0.3"], "I": ["1", "1.2", "1.1", "0.1", "-0.05", "0.02"]}
    mechanism = mechanism_of(document)
    model = SpatialModel.from_mechanism(mechanism)
    chance = np.random.default_rng(5)
    header, rows = ["time"], [[0.0], [1.0], [2.0]]
    for name in model.names:
        header += [name, f"{name}.qd", f"{name}.qdd"]
        for row in rows:
            row.extend(chance.normal(size=3).tolist())
    file = tmp_path / "motion.csv"
    file.write_text("\n".join(",".join(map(str, line)) for line in [header, *rows]))
    found = observation_matrix(mechanism, ObservationSettings(trajectory=str(file)))
    assert found.coordinates == model.names
    forces = (found.regressor() @ body_parameters(document)).reshape(3, -1)
    for row, force in zip(rows, forces, strict=True):
        q, qd, qdd = (row[1 + k :: 3] for k in range(3))
        expected = model.at(q).inverse_dynamics(qd, qdd)
        assert force == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())


def test_rows_of_a_loop_are_the_power_of_its_bodies(tmp_path: Path) -> None:
    """Torque of a crank of a parallelogram, whose rod only translates: a closed form."""
    length, start = 0.5, np.arctan2(0.4, 0.3)
    document = planar_linkage([(0, 0), ("0.3", "0.4"), ("1.1", "0.4"), ("0.8", 0)])
    times = np.linspace(0, 1, 7)
    angle, rate, acceleration = 0.4 + times - times**2, 1 - 2 * times, -2 + 0 * times
    file = tmp_path / "motion.csv"
    lines = zip(times, angle, rate, acceleration, strict=True)
    file.write_text("time,A,A.qd,A.qdd\n" + "\n".join(",".join(map(str, line)) for line in lines))
    # frames of crank, rod and rocker are in A, B and D
    found = observation_matrix(mechanism_of(document), ObservationSettings(trajectory=str(file)))
    columns = {name: found.regressor([name])[:, 0] for name in found.parameters}
    assert columns["Izz1"] == pytest.approx(acceleration)
    assert columns["Izz3"] == pytest.approx(acceleration)
    assert columns["mx1"] == pytest.approx(9.81 * np.cos(angle))
    assert columns["m2"] == pytest.approx(length * (length * acceleration + 9.81 * np.cos(angle + start)))
    assert columns["Izz2"] == pytest.approx(0 * times, abs=1e-9)
    assert columns["m3"] == pytest.approx(0 * times, abs=1e-9)


@pytest.mark.slow
def test_full_turns_of_a_crank_are_followed(tmp_path: Path) -> None:
    document = planar_linkage([(0, 0), ("0.2", 0), ("1", "0.6"), ("0.9", 0)])
    times = np.linspace(0, 6, 60)
    file = tmp_path / "turns.csv"
    file.write_text("time,A\n" + "\n".join(f"{t},{3 * t + 0.5 * np.sin(4 * t)}" for t in times))
    found = base_parameters(mechanism_of(document), "svd", observation=ObservationSettings(trajectory=str(file)))
    assert len(found.grouping.base) == len(base_parameters(mechanism_of(document)).grouping.base) == 8
    assert found.observation is not None
    assert found.observation.trajectory.has_differences


@pytest.mark.slow
def test_constant_rate_does_not_show_the_inertia_of_a_crank(tmp_path: Path) -> None:
    document = planar_linkage([(0, 0), ("0.2", 0), ("1", "0.6"), ("0.9", 0)])
    file = tmp_path / "constant.csv"
    file.write_text("time,A,A.qd,A.qdd\n" + "\n".join(f"{t / 10},{t / 5},2,0" for t in range(60)))
    found = base_parameters(mechanism_of(document), "svd", observation=ObservationSettings(trajectory=str(file)))
    assert "Izz1" in {found.names[index] for index in found.grouping.without_effect}
    assert [(finding.rule, finding.value) for finding in found.findings] == [("MP848", "7")]


@pytest.mark.parametrize("seed", first(range(6), 1))
def test_methods_agree_on_random_chains(seed: int) -> None:
    chance = np.random.default_rng(seed)
    kinds = chance.choice(["R", "P", "U", "S", "C", "planar", "free", "fixed"], chance.integers(1, 5)).tolist()
    gravity = [(1, 2, -9), (0, 0, 0), (0, 0, -9)][seed % 3]
    mechanism = mechanism_of(random_chain(kinds, seed, gravity))
    counts = [len(base_parameters(mechanism, method).grouping.base) for method in ("exact", "complex", "svd")]
    assert counts[0] == counts[1] == counts[2]
    assert not base_parameters(mechanism, "svd").findings


def test_helical_chain() -> None:
    mechanism = mechanism_of(random_chain(["helical", "R", "helical"], 2))
    assert len(base_parameters(mechanism, "svd").grouping.base) == len(base_parameters(mechanism).grouping.base)


def test_joint_with_terms_that_closes_a_loop() -> None:
    """All four hinges of a linkage have viscous friction; those of a parallelogram turn by the same rate."""
    general = planar_linkage([(0, 0), ("0.1", "0.3"), ("0.6", "0.5"), ("0.7", 0)])
    equal = planar_linkage([(0, 0), ("0.1", "0.3"), ("0.6", "0.3"), ("0.5", 0)])
    counts = {}
    for name, document in (("general", general), ("equal", equal)):
        for joint in document["joints"]:
            joint["terms"] = ["viscous"]
        found = base_parameters(mechanism_of(document), "svd")
        counts[name] = [one for one in found.combinations() if one.startswith("viscous_")]
    assert counts["general"] == [f"viscous_{joint}" for joint in "ABCD"]
    assert len(counts["equal"]) == 1
    found = base_parameters(mechanism_of(equal), "svd", ["viscous_B", "viscous_C", "viscous_D"])
    assert found.combinations()["viscous_A"] == pytest.approx({"viscous_B": 1, "viscous_C": 1, "viscous_D": 1})


def test_preload_of_a_vertical_slide_is_grouped_with_the_mass() -> None:
    slide = {"name": "A", "type": "P", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
    document = {"gravity": [0, 0, "-9.81"], "bodies": [{"id": 1}], "joints": [slide | {"terms": "spring coulomb"}]}
    mechanism = mechanism_of(document)
    found = base_parameters(mechanism, "svd", ["preload_A"])
    # force = m (q'' + g) + coulomb sign(q') + spring q + preload: all four are independent
    assert set(found.combinations()) == {"m1", "coulomb_A", "spring_A", "preload_A"}
    assert [finding.rule for finding in found.findings] == ["MP811"]
    exact = base_parameters(mechanism)
    assert [finding.rule for finding in exact.findings if finding.rule != "MP812"] == ["MP849"]


def test_fewer_rows_than_base_parameters_are_rejected() -> None:
    linkage = mechanism_of(planar_linkage([(0, 0), ("0.1", "0.3"), ("0.6", "0.5"), ("0.7", 0)]))
    finding = rejection(lambda: base_parameters(linkage, "svd", observation=ObservationSettings(samples=5)))
    assert (finding.rule, finding.value, finding.remedy) == ("MP846", "5", "state more samples")
    assert len(base_parameters(linkage, "svd", observation=ObservationSettings(samples=40)).grouping.base) == 8


def test_few_samples_do_not_show_all_parameters() -> None:
    found = suspension(samples=20)
    assert len(found.grouping.base) < 41
    assert "MP848" in [finding.rule for finding in found.findings]


def in_millimetres(document: dict[str, Any]) -> dict[str, Any]:
    """The same mechanism with lengths in millimetres."""

    def scaled(texts: list[str]) -> list[str]:
        return [f"({text})*1000" for text in texts]

    found = json.loads(json.dumps(document))
    found["gravity"] = scaled(found["gravity"])
    for body in found["bodies"]:
        body["p"] = scaled(body["p"])
    for joint in found["joints"]:
        joint |= {key: scaled(joint[key]) for key in ("pi", "pj") if key in joint}
    return found


@pytest.mark.slow
def test_rank_does_not_depend_on_the_unit_of_length() -> None:
    found = base_parameters(mechanism_of(in_millimetres(SUSPENSION)), "svd", SUSPENSION_EXPECTED["eliminated"])
    assert len(found.grouping.base) == 41
    powers = {"m": 0, "mx": 1, "my": 1, "mz": 1}
    for (head, name), value in EXACT.items():
        factor = 1000.0 ** (powers.get(head[:-1], 2) - powers.get(name[:-1], 2))
        assert found.combinations()[head][name] == pytest.approx(value * factor, rel=1e-2, abs=2e-4 * factor)


def test_harmonics_are_those_of_the_paper() -> None:
    found = fourier_trajectory(["F", "K"], [1, 1], 70, 1.0, 400)
    t = found.times
    assert found.values[:, 0] == pytest.approx(0.5 * np.sin(3 * t) + 0.1 * np.sin(10 * t))
    assert found.values[:, 1] == pytest.approx(0.3 * np.sin(2**0.5 * t) + 0.7 * np.sin(17**0.5 * t))
    assert found.rates[:, 0] == pytest.approx(1.5 * np.cos(3 * t) + np.cos(10 * t))
    assert found.accelerations[:, 1] == pytest.approx(-0.6 * np.sin(2**0.5 * t) - 11.9 * np.sin(17**0.5 * t))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,A,Z\n0,0,0\n1,1,1\n2,2,2\n", "unknown column: 'Z'"),
        ("time,A.qd\n0,0\n1,1\n2,2\n", "has no positions: A.qd"),
        ("time,A,A\n0,0,0\n1,1,1\n2,2,2\n", "occurs twice: A"),
        ("A\n0\n1\n2\n", "no column time"),
        ("time,A\n0,0\n1,x\n2,2\n", "row 3 of the trajectory: A is not a finite number: 'x'"),
        ("time,A\n0,0\n1,nan\n2,2\n", "A is not a finite number: 'nan'"),
        ("time,A\n0,0\n1,1\n1,2\n", "do not increase over three rows or more: row 4"),
        ("time,A\n0,0\n1,1\n", "three rows or more: 2 rows"),
        ("time,A,B\n0,0,0\n1,1,1\n2,2,2\n", "depend on the others at the pose: "),
    ],
)
def test_trajectories_that_cannot_be_read(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    file.write_text(text)
    linkage = mechanism_of(planar_linkage([(0, 0), ("0.1", "0.3"), ("0.6", "0.5"), ("0.7", 0)]))
    finding = rejection(lambda: observation_matrix(linkage, ObservationSettings(trajectory=str(file))))
    assert finding.rule == "MP847"
    assert message in finding.message


def test_trajectory_without_a_coordinate_names_it(tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    file.write_text("time,F\n0,0\n1,0.1\n2,0.2\n")
    finding = rejection(lambda: observation_matrix(mechanism_of(SUSPENSION), ObservationSettings(trajectory=str(file))))
    assert "1 of 2 independent coordinates; missing, for instance: K" in finding.message


def test_singular_sample_is_rejected(tmp_path: Path) -> None:
    """A rhombus of equal bars folds: crank and rod coincide at the quarter turn, and the rod may turn alone."""
    rhombus = mechanism_of(planar_linkage([(0, 0), ("0.6", "0.8"), ("1.6", "0.8"), (1, 0)]))
    file = tmp_path / "motion.csv"
    start = float(np.arctan2(0.8, 0.6))
    file.write_text(f"time,A\n0,0\n1,{-start / 2}\n2,{-start}\n")
    finding = rejection(lambda: observation_matrix(rhombus, ObservationSettings(trajectory=str(file))))
    assert finding.rule == "MP847"


@pytest.mark.parametrize(
    "settings", [{"digits": -1}, {"amplitude": 0.0}, {"amplitude": float("nan")}, {"closure": 2.0}]
)
def test_settings_out_of_range(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ObservationSettings(**settings)


def test_unknown_column_of_a_regressor() -> None:
    found = observation_matrix(read_mechanism(json.dumps(planar_linkage([(0, 0), (1, 2), (3, 3), (4, 0)])).encode()))
    with pytest.raises(UsageError, match="unknown parameter: mx9"):
        found.regressor(["mx9"])
    table = found.table(["mx1", "my1"])
    assert list(table) == ["time", "coordinate", "mx1", "my1"]
    assert len(table["time"]) == len(table["coordinate"]) == len(table["mx1"]) == len(found.matrix)


def test_terms_of_a_mechanism_file_are_checked() -> None:
    hinge = {"name": "A", "type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}

    def read(**changes: Any) -> Any:
        return mechanism_of({"gravity": [0, 0, 0], "bodies": [{"id": 1}], "joints": [hinge | changes]})

    assert read(terms="spring; viscous").joints[0].terms == ("viscous", "spring")
    assert read(terms=[]).joints[0].terms == ()
    assert "unknown term: 'sticky'" in rejection(lambda: read(terms=["sticky"])).message
    assert "unknown term: '3'" in rejection(lambda: read(terms=3)).message
    assert "no coordinate for terms: a joint S" in rejection(lambda: read(type="S", terms="viscous")).message
