"""Measurements of a list: closed forms of one and two leaves, stands, pendulums, scales, plans, written tables."""

from __future__ import annotations

import json
from itertools import combinations
from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import Workbook, load_workbook

import massprops as mp
from massprops_cli.findings.finding import FindingsError, UsageError
from massprops_cli.reports.contributions import reconcile_blocks
from massprops_cli.reports.page.page import UNICODE

HEADS = (
    "id parent mass|kg Cx|m Cy|m Cz|m Ixx|kg*m^2 Iyy|kg*m^2 Izz|kg*m^2 sigma_mass|kg sigma_Cx|m sigma_Cy|m sigma_Cz|m"
)
HEADS += " sigma_Ixx|kg*m^2 sigma_Iyy|kg*m^2 sigma_Izz|kg*m^2"


def bom_of(*rows: str, heads: str = HEADS) -> mp.Bom:
    names = [f"{name.split('|')[0]} [{name.split('|')[1]}]" if "|" in name else name for name in heads.split()]
    records = []
    for row in rows:
        cells = [None if cell == "." else cell for cell in row.split()]
        records.append(dict(zip(names, cells + [None] * (len(names) - len(cells)), strict=True)))
    return mp.Bom.from_records(records)


TWO = (
    "T .",
    "A T 10 0.5 0 0 0.4 0.5 0.6 0.3 0.01 0.01 0.01 0.02 0.02 0.02",
    "B T 5 -0.4 0.2 0.1 0.2 0.2 0.3 0.4 0.02 0.02 0.02 0.01 0.01 0.01",
)


def masses(made: mp.Reconciliation, *names: str) -> list[float]:
    return [float(made.result[name].mass or 0) for name in names]


def test_mass_of_a_sum_is_shared_by_variances() -> None:
    made = mp.reconcile(bom_of(*TWO), "T mass 16±0.5 kg")
    gain = 1.0 / (0.25 + 0.25)  # (16 − 15) / (σ² of the sum + σ² of the scale)
    assert masses(made, "A", "B", "T") == pytest.approx([10 + 0.09 * gain, 5 + 0.16 * gain, 15 + 0.25 * gain])
    assert made.chi2 == pytest.approx(1 / 0.5)
    assert made.measured[0].residual == pytest.approx(1 / sqrt(0.5))
    sigmas = [sqrt(made.covariance(name)[0, 0]) for name in ("A", "B", "T")]
    expected = [0.09 - 0.09**2 / 0.5, 0.16 - 0.16**2 / 0.5, 0.25 - 0.25**2 / 0.5]
    assert sigmas == pytest.approx([sqrt(x) for x in expected])


@pytest.mark.parametrize("text", ["2σ", "k=2", "2 sigma"])
def test_level_of_sigma(text: str) -> None:
    made = mp.reconcile(bom_of(*TWO), f"T mass 16±1 kg ({text})")
    assert made.measured[0].sigma == pytest.approx(0.5)
    assert mp.reconcile(bom_of(*TWO), "T mass 16 kg ± 1 kg (uniform)").measured[0].sigma == pytest.approx(1 / sqrt(3))


def test_units_are_converted() -> None:
    made = mp.reconcile(bom_of(*TWO), "T mass 16000±500 g")
    assert masses(made, "T") == pytest.approx(masses(mp.reconcile(bom_of(*TWO), "T mass 16±0.5 kg"), "T"))
    assert made.measured[0].expected == pytest.approx(15000)


def test_two_measurements_on_one_scale_share_its_bias() -> None:
    rows = ("T .", *(f"{x} T 1 0 0 0 . . . 9" for x in "AB"))
    made = mp.reconcile(bom_of(*rows), ["A mass 10±0.1 kg scale S", "B mass 10±0.1 kg scale S", "S bias 0±2 kg"])
    # S of (A, B): 81 + 0.01 + 4 on the diagonal, 4 off it
    system = np.array([[85.01, 4.0], [4.0, 85.01]])
    weights = np.linalg.solve(system, [9.0, 9.0])
    assert masses(made, "A", "B") == pytest.approx((1 + 81 * weights).tolist())
    (bias,) = made.scales
    assert bias.after == pytest.approx(4 * weights.sum())
    assert bias.sigma_after == pytest.approx(sqrt(4 - 16 * np.linalg.inv(system).sum()))


def test_stated_gain_and_bias_are_applied() -> None:
    lines = ["T mass 17±0.001 kg scale S", "S bias 2±0 kg", "S gain 0.1±0"]
    made = mp.reconcile(bom_of(*TWO), lines)
    assert made.measured[0].expected == pytest.approx(1.1 * 15 + 2)
    assert masses(made, "T") == pytest.approx([15 / 1.1], rel=1e-4)


def test_three_and_four_supports() -> None:
    bom = bom_of("T .", "A T 12 0.1 0.2 0.3 1 1 1 1 0.1 0.1 0.1")
    at = ["1,-1,0", "1,1,0", "-1,0,0"]
    made = mp.reconcile(bom, [f"T reaction 4±0.1 kg at {point} m" for point in at])
    # Σ R = 12, R1 + R2 − R3 = 1.2, R2 − R1 = 2.4
    expected = [one.expected for one in made.measured]
    assert expected == pytest.approx([2.1, 4.5, 5.4])
    square = ["1,-1,0", "1,1,0", "-1,1,0", "-1,-1,0"]
    made = mp.reconcile(bom, [f"T reaction 3±0.1 kg at {point} m" for point in square])
    # a + b x + c y: a = 3, 4 b = 1.2, 4 c = 2.4
    assert [one.expected for one in made.measured] == pytest.approx([3 + 0.3 - 0.6, 3.9, 3 - 0.3 + 0.6, 3 - 0.9])


def test_equal_springs_are_stated_where_they_are_assumed() -> None:
    bom = bom_of("T .", "A T 12 0.1 0.2 0.3 1 1 1 1 0.1 0.1 0.1")
    three, line = ["1,-1,0", "1,1,0", "-1,0,0"], ["1,0,0", "0,0,0", "-1,0,0"]
    for points, is_assumed in ((three, False), ([*three, "-1,1,0"], True), (line, True), (line[:2], False)):
        made = mp.reconcile(bom, [f"T reaction 4±0.1 kg at {point} m" for point in points])
        shown = str(reconcile_blocks(made, UNICODE))
        assert ("those of equal springs" in shown) is is_assumed, points


def test_decimal_commas_of_measurements() -> None:
    for line in ("T mass 14,5±0,25 kg", "T mass 14.5±0.25 kg"):
        made = mp.reconcile(bom_of(*TWO), line)
        assert (made.measured[0].value, made.measured[0].sigma) == (14.5, 0.25)
    made = mp.reconcile(bom_of(*TWO), {"item": "T", "quantity": "mass", "value": "14,5", "sigma": "0,25", "unit": "kg"})
    assert (made.measured[0].value, made.measured[0].sigma) == (14.5, 0.25)
    with pytest.raises(FindingsError, match="comma that can separate thousands: 1,450"):
        mp.reconcile(bom_of(*TWO), "T mass 1,450±3 kg")


def test_a_cross_is_an_exit_code_of_1(tmp_path: Path, massprops: Any) -> None:
    rows = "id,parent,mass [kg],sigma_mass [kg]\nT,,,\nA,T,10,0.1\n"
    (tmp_path / "bom.csv").write_text(rows, encoding="utf-8")
    for line, mark in (("T mass 20±0.1 kg", "! "), ("T mass 10±0.1 kg", "✔ ")):
        ran = massprops("reconcile", tmp_path / "bom.csv", "--measured", line)
        assert ran.exit_code == 0
        assert ran.stdout.startswith(mark)


def test_axles_of_a_car_that_stands_on_x() -> None:
    bom = bom_of("T .", "A T 10 0.8 0.2 0.3 1 1 1 1 0.1 0.1 0.1")
    made = mp.reconcile(bom, ["T reaction 70±1 N at 0,0,0 m on axles", "T reaction 30±1 N at 2,0,0 m on axles"])
    assert [one.expected for one in made.measured] == pytest.approx([6 * 9.80665, 4 * 9.80665])
    side = ["T reaction 5±1 kg at 0,0,0 m down -x", "T reaction 5±1 kg at 0,2,0 m down -x"]
    assert [one.expected for one in mp.reconcile(bom, side).measured] == pytest.approx([9.0, 1.0])


def test_periods_of_pendulums() -> None:
    bom = bom_of("T .", "A T 12 0.1 0.2 0.3 1 2 3 1 0.1 0.1 0.1 0.1 0.1 0.1")
    lines = [
        "T period 3±0.01 s axis z length 2±0.1 m arm 0.5±0.02 m",
        "T period 3±0.01 s axis x stiffness 8±0.1 N*m fixture 0.5±0.05 kg*m^2",
    ]
    made = mp.reconcile(bom, lines)
    hung, swung = 2 * pi * sqrt(3 * 2 / (12 * 9.80665 * 0.25)), 2 * pi * sqrt(1.5 / 8)
    assert [one.expected for one in made.measured] == pytest.approx([hung, swung])
    # σ of the list: T/2 (σ_I/I, σ_m/m); the measurement adds those of the geometry
    of_list = hung / 2 * sqrt((0.1 / 3) ** 2 + (1 / 12) ** 2)
    geometry = hung * sqrt((0.1 / 2 / 2) ** 2 + (0.02 / 0.5) ** 2)
    assert made.measured[0].sigma_expected == pytest.approx(of_list)
    assert made.measured[0].residual == pytest.approx((3 - hung) / sqrt(of_list**2 + 0.01**2 + geometry**2))


def test_moment_about_a_point_and_in_turned_axes() -> None:
    bom = bom_of("T .", "A T 2 1 0 0 1 2 3 0.1 0.01 0.01 0.01 0.1 0.1 0.1")
    made = mp.reconcile(
        bom, ["T Iyy 9±1 kg*m^2 at 0,0,3 m", "T Ixx 9±1 kg*m^2 axes 0,0,30 deg", "T Cx 9±1 m axes 0,0,60 deg"]
    )
    # 2 + 2 (1 + 9); 1 cos² + 2 sin² of 30°; cos 60°
    assert [one.expected for one in made.measured] == pytest.approx([22, 0.75 + 0.5, 0.5])


def test_one_of_two_pieces_and_their_mean() -> None:
    heads = HEADS.replace("parent ", "parent qty ")
    bom = bom_of("T . 1", "A T 2 10 0 0 0 . . . 0.3", heads=heads)
    one, both = (mp.reconcile(bom, f"A mass 11±0.4 kg{word}") for word in ("", " each"))
    # variance of the mean 0.045; a single piece has another 0.045
    assert masses(one, "T") == pytest.approx([20 + 2 * 0.045 / (0.09 + 0.16)])
    assert masses(both, "T") == pytest.approx([20 + 2 * 0.045 / (0.045 + 0.16)])
    assert [f.rule for f in one.findings if f.rule[:4] == "MP52"] == ["MP523"]


def test_groups_deviate_together() -> None:
    heads = HEADS.replace("parent ", "parent corr_group ")
    bom = bom_of("T . .", "A T g 10 0 0 0 . . . 0.3", "B T g 5 0 0 0 . . . 0.4", "C T . 5 0 0 0 . . . 0.4", heads=heads)
    made = mp.reconcile(bom, "A mass 10.5±0.1 kg")
    # B moves by cov(B, A) / (var A + var) = 0.12 · 0.5 / 0.1
    assert masses(made, "B", "C") == pytest.approx([5 + 0.12 * 0.5 / 0.1, 5.0])


def test_masses_stay_positive() -> None:
    rows = ("T .", "A T 10 0 0 0 . . . 0.1", "B T 1 0 0 0 . . . 2")
    made = mp.reconcile(bom_of(*rows), "T mass 9.5±0.001 kg")
    assert masses(made, "A", "B") == pytest.approx([9.5, 0.0], abs=1e-3)
    assert any(f.rule == "MP526" for f in made.findings)


def test_tensors_stay_possible() -> None:
    bom = bom_of("T .", "A T 10 0 0 0 1 1 1.9 0.1 0.01 0.01 0.01 0.1 0.1 0.1")
    made = mp.reconcile(bom, "A Izz 2.6±0.01 kg*m^2")
    body = made.result.rollup.bodies
    assert body.inertia is not None
    x, y, z = body.inertia[1, :3]
    assert z <= (x + y) * (1 + 1e-9)
    assert z == pytest.approx(x + y)


_LISTED = ("T .", "A T 9 0.5 0 0 . . . 0.05 0.01 0.01 0.01", "B T 5 -0.4 0.2 0.1 . . . 0.05 0.01 0.01 0.01")
SLIPS = (*_LISTED, "D T 1.42 0.2 -0.3 0.4 . . . 0.02 0.01 0.01 0.01")


def product_lines(*bodies: tuple[float, tuple[float, float, float]]) -> list[str]:
    mass = sum(m for m, _ in bodies)
    center = [sum(m * c[k] for m, c in bodies) / mass for k in range(3)]
    return [f"T mass {mass}±0.01 kg", *(f"T C{axis} {x}±0.002 m" for axis, x in zip("xyz", center, strict=True))]


A, B, D = (9.0, (0.5, 0.0, 0.0)), (5.0, (-0.4, 0.2, 0.1)), (1.42, (0.2, -0.3, 0.4))


@pytest.mark.parametrize(
    ("bodies", "kind", "words"),
    [
        ((A, B), "left out", "D is not in the product"),
        ((A, B, D, D), "twice", "D is in the product once more than listed"),
        ((A, B, (14.2, D[1])), "factor", "mass of D is 10 times more than listed"),
        ((A, B, (1.42 / 2.2046226218, D[1])), "factor", "mass of D is 2.2046 times less than listed"),
        ((A, B, (1.42, (0.2, 0.3, 0.4))), "sign", "Cy of D has the other sign"),
        ((A, B, D, (2.5, (0.9, 0.9, -0.9))), "unlisted mass", "2.5 kg at 0.9"),
    ],
)
def test_hypotheses_name_the_slip(bodies: Any, kind: str, words: str) -> None:
    made = mp.reconcile(bom_of(*SLIPS), product_lines(*bodies))
    assert made.hypotheses[0].kind == kind
    assert made.hypotheses[0].text.startswith(words)
    if kind == "unlisted mass":
        assert made.hypotheses[0].center == pytest.approx((0.9, 0.9, -0.9), abs=1e-3)
    assert made.p < 0.01


def test_a_wrong_datum_of_all_centres() -> None:
    bom = bom_of(*SLIPS)
    truth = mp.rollup(bom).rollup.bodies.center
    assert truth is not None
    centers = {name: float(truth[bom.item(name), 0]) for name in bom.ids}
    lines = [f"{i} Cx {centers[i] + 0.25}±0.002 m" for i in ("T", "A", "B", "D")]
    first = mp.reconcile(bom, lines).hypotheses[0]
    assert first.kind == "datum"
    assert first.center == pytest.approx((0.25, 0, 0), abs=0.02)


def test_plan_is_the_best_of_all_sets() -> None:
    rows = ("T .", *(f"{x} T 10 {k} 0 0 . . . {0.1 * (k + 1)}" for k, x in enumerate("ABCDE")))
    bom = bom_of(*rows)
    offers = [f"{x} mass ±{0.1 + 0.05 * k} kg" for k, x in enumerate("ABCDE")]
    plan = mp.reconcile(bom, (), offers=offers, weigh=2).plan
    assert plan is not None
    own = [0.01 * (k + 1) ** 2 for k in range(5)]
    left = [v - v * v / (v + (0.1 + 0.05 * k) ** 2) for k, v in enumerate(own)]
    best = min(sum(left[k] if k in chosen else own[k] for k in range(5)) for chosen in combinations(range(5), 2))
    assert plan.is_exact
    assert plan.sigma_after == pytest.approx(sqrt(best))
    assert [one.item for one in plan.steps] == ["E", "D"]
    # nine tenths of the gain of a perfect scale: σ² = v/9
    assert plan.steps[0].sigma_worth == pytest.approx(0.5 / 3)
    priced = [f"{line} cost {c}" for line, c in zip(offers, (1, 1, 1, 1, 9), strict=True)]
    cheap = mp.reconcile(bom, (), offers=priced, weigh=1).plan
    assert cheap is not None
    assert [one.item for one in cheap.steps] == ["D"]


def test_tables_of_measurements(tmp_path: Path) -> None:
    table = tmp_path / "weighings.csv"
    table.write_text("item,quantity,value,sigma [2σ],unit\nT,mass,16,1,kg\nT,Cx,200,4,mm\n", encoding="utf-8")
    of_lines = mp.reconcile(bom_of(*TWO), ["T mass 16±0.5 kg", "T Cx 200±2 mm"])
    frame = [
        {"item": "T", "quantity": "mass", "value": "16±0.5 kg"},
        {"item": "T", "quantity": "Cx", "value": "0.2±0.002 m"},
    ]
    for given in (str(table), table, frame):
        made = mp.reconcile(bom_of(*TWO), given)
        assert made.chi2 == pytest.approx(of_lines.chi2)


def test_written_tables_agree_with_the_result(tmp_path: Path, massprops: Any) -> None:
    heads = "id,parent,method,mass [kg],Cx [m],sigma_mass [kg],sigma_Cx [m]"
    (tmp_path / "bom.csv").write_text(f"{heads}\nT,,,,,,\nA,T,E,10,0.5,0.3,0.01\nB,T,weighed,5,-0.4,0.1,0.02\n")
    call = ["reconcile", tmp_path / "bom.csv", "--measured", "T mass 16±0.5 kg", "-o", tmp_path / "out.csv", "-q"]
    made = mp.reconcile(str(tmp_path / "bom.csv"), "T mass 16±0.5 kg")
    assert massprops(*call).exit_code == 0
    wide = mp.read_bom(tmp_path / "out.csv")
    head = wide.columns.header
    column = [wide.table.text(row, head.index("reconciled_mass [kg]")) for row in (1, 2, 3)]
    assert [float(text) for text in column] == pytest.approx(masses(made, "T", "A", "B"))
    assert massprops(*call, "--overwrite").exit_code == 0
    again = mp.rollup(str(tmp_path / "out.csv"))
    assert masses(made, "A", "B", "T") == pytest.approx([float(again[x].mass or 0) for x in ("A", "B", "T")])
    assert list(again.bom.maturity or ()) == ["", "reconciled", "weighed"]
    assert made.shares["reconciled"][1] == pytest.approx(masses(made, "A")[0] / masses(made, "T")[0])


def test_overwritten_values_have_their_method_in_a_table_without_such_a_column(tmp_path: Path, massprops: Any) -> None:
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg],sigma_mass [kg]\nT,,,\nA,T,2,0.1\nB,T,3,0\n")
    call = ["reconcile", tmp_path / "bom.csv", "--measured", "T mass 5.2±0.05 kg", "-o", tmp_path / "out.csv"]
    assert massprops(*call, "--overwrite").exit_code == 0
    assert list(mp.read_bom(tmp_path / "out.csv").maturity or ()) == ["", "reconciled", ""]  # σ of B is 0


def test_budget_margins_before_and_after() -> None:
    made = mp.reconcile(bom_of(*TWO), "T mass 16±0.5 kg")
    assert made.before["T"].mass == pytest.approx(15)
    frame = made.to_dataframe()
    assert frame["reconciled_mass"].tolist() == pytest.approx(masses(made, "T", "A", "B"))
    assert made.to_dict()["items"][0]["reconciled_mass"] == pytest.approx(15.5)


def test_wrong_calls() -> None:
    with pytest.raises(UsageError, match="needs σ"):
        mp.reconcile(mp.Bom.from_records([{"id": "T", "parent": "", "mass": 3.0}]), "T mass 3±1")
    with pytest.raises(UsageError, match="result of a plan"):
        mp.reconcile(bom_of(*TWO), (), offers="A mass ±1 kg", of="weight")
    rows = [{"id": "T", "parent": ""}, {"id": "A", "parent": "T", "mass [kg]": 3.0, "sigma_mass [kg]": 0.1}]
    for of, words in (("Ixx", "no tensors of inertia for --of Ixx"), ("Cx", "no centres of mass for --of Cx")):
        with pytest.raises(UsageError, match=words):
            mp.reconcile(mp.Bom.from_records(rows), (), offers="A mass ±1 kg", of=of)
    for line in (
        "T mass 3 kg",
        "T weight 3±1 kg",
        "T mass x±1 kg",
        "T Cz 3±1 kg",
        "T mass 3±-1 kg",
        "T mass 3±1 kg (9x)",
    ):
        with pytest.raises(FindingsError):
            mp.reconcile(bom_of(*TWO), line)


def test_plan_of_offers_with_costs_is_the_best_set_for_its_cost() -> None:
    bom = bom_of("T .", *(f"{x} T 10 0 0 0 . . . {s}" for x, s in zip("ABC", (0.4, 0.3, 0.7), strict=True)))
    offers = [f"{x} mass ±0 kg cost {c}" for x, c in zip("ABC", (1, 1, 3.5), strict=True)]
    plan = mp.reconcile(bom, (), offers=offers, weigh=2).plan
    assert plan is not None
    assert plan.is_exact
    # one after the other: A 0.16, then C 0.49/3.5 before B 0.09; the sets: AB 0.25/2, AC 0.65/4.5, BC 0.58/4.5
    assert {one.item for one in plan.steps} == {"A", "C"}
    offers[2] = "C mass ±0 kg cost 4.5"  # AB 0.125, AC 0.65/5.5 = 0.118; C alone 0.109 is above B 0.09
    made = mp.reconcile(bom, (), offers=offers, weigh=2).plan
    assert made is not None
    assert {one.item for one in made.steps} == {"A", "B"}
    many = [f"A mass ±{0.1 + k / 100} kg cost {1 + k % 3}" for k in range(30)]
    greedy = mp.reconcile(bom, (), offers=many, weigh=8).plan
    assert greedy is not None
    assert not greedy.is_exact


def test_certain_measurements_that_contradict() -> None:
    for lines in (["T mass 16±0 kg", "T mass 17±0 kg"], ["A mass 11±0 kg", "B mass 6±0 kg", "T mass 16.5±0 kg"]):
        with pytest.raises(FindingsError, match="contradicts"):
            mp.reconcile(bom_of(*TWO), lines)
    made = mp.reconcile(bom_of(*TWO), ["T mass 16±0 kg", "T mass 16±0 kg"])
    assert masses(made, "T") == pytest.approx([16])
    assert made.chi2 == pytest.approx(1 / 0.25)


def test_measured_item_that_is_not_in_the_product() -> None:
    heads = "id parent qty mass|kg sigma_mass|kg"
    bom = bom_of("T . 1", "A T 1 10 0.3", "S T 0 . .", "B S 2 3 0.1", heads=heads)
    for name in ("S", "B"):
        with pytest.raises(FindingsError, match=f"{name} is not in the product"):
            mp.reconcile(bom, f"{name} mass 3±0.1 kg")


def test_limits_of_the_reconciled_list() -> None:
    heads = "id parent mass|kg sigma_mass|kg MGA|%"
    bom = bom_of("T .", "A T 10 0.3 10", "B T 5 0.4 10", heads=heads)
    made = mp.reconcile(bom, "T mass 16±0 kg")
    predicted = made.result.predicted
    assert predicted is not None
    assert predicted.bodies.mass[0] == pytest.approx(16 * 1.1)
    assert made.before.predicted is not None
    assert made.before.predicted.bodies.mass[0] == pytest.approx(15 * 1.1)
    assert made.shares == {"reconciled": (0.0, 1.0), "not_stated": (1.0, 0.0)} | dict.fromkeys(
        ("estimated", "calculated", "weighed"), (0.0, 0.0)
    )


@pytest.mark.parametrize("yaw", [90, 180, -90, 30])
def test_leaf_that_is_turned_by_its_pose_is_that_leaf_in_the_axes_of_the_root(yaw: float) -> None:
    # σ alike in x and y for 30 degrees, where the axes of the table have a covariance
    along = {"x": 0.02, "y": 0.05 if yaw % 90 == 0 else 0.02, "z": 0.01}
    center, turn = np.array([0.2, 0.1, 0.3]), np.deg2rad(yaw)
    R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    sigma = np.sqrt((R**2) @ np.array(list(along.values())) ** 2)
    heads = "id parent mass|kg Cx|m Cy|m Cz|m sigma_mass|kg sigma_Cx|m sigma_Cy|m sigma_Cz|m"
    heads += " tx|m ty|m tz|m roll|deg pitch|deg yaw|deg frame"
    others = ("T .", "B T 5 0 0 0 0.1 0.01 0.01 0.01 0 0 0 0 0 0 own")
    own = f"A T 10 0.2 0.1 0.3 0.1 {' '.join(map(str, along.values()))} 0 0 0 0 0 {yaw} own"
    values = [*(R @ center).tolist(), 0.1, *sigma.tolist()]
    turned = f"A T 10 {' '.join(map(str, values))} 0 0 0 0 0 0 own"
    lines = ["T Cx 0±0.001 m", "T Cy 0.1±0.001 m"]
    first, second = (mp.reconcile(bom_of(*others, row, heads=heads), lines) for row in (own, turned))
    assert first.chi2 == pytest.approx(second.chi2)
    for name in ("A", "B", "T"):
        assert first.result[name].center == pytest.approx(second.result[name].center, abs=1e-9)
        assert first.covariance(name) == pytest.approx(second.covariance(name), abs=1e-9)


def test_budget_has_margins_before_and_after(tmp_path: Path, massprops: Any) -> None:
    table, budget = tmp_path / "bom.csv", tmp_path / "budget.toml"
    table.write_text("id,parent,mass [kg],sigma_mass [kg],method\nT,,,,\nA,T,10,0.3,estimated\nB,T,5,0.4,weighed\n")
    limits = 'mass-max = "15.5 kg"\nbasis = "basic"\nmaturity-min = ["reconciled", "60 %"]\n'
    budget.write_text(f'[[budget]]\nitem = "T"\n{limits}')
    call = ("reconcile", str(table), "--measured", "T mass 16±0.001 kg", "--budget", str(budget))
    done = massprops(*call, "--format", "json")
    assert done.exit_code == 1
    assert "MP601" in done.stderr
    found = json.loads(done.stdout)["limits"]
    assert [one["margin"] for one in found["before"]] == pytest.approx([0.5, 100 * 5 / 15 - 60])
    assert [one["margin"] for one in found["after"]] == pytest.approx([-0.5, 40.0], abs=1e-4)
    assert [one["kept"] for one in found["after"]] == [False, True]
    page = massprops(*call).stdout
    (line,) = (line for line in page.splitlines() if "15.5 kg" in line)
    assert "0.50 kg" in line
    assert massprops(*call[:3], "T mass 15.1±0.001 kg", *call[4:]).exit_code == 0


def test_limits_of_the_configuration(tmp_path: Path, massprops: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bom.csv").write_text("id,parent,mass [kg],sigma_mass [kg]\nT,,,\nA,T,10,0.3\n")
    Path("massprops.toml").write_text('[[budget]]\nitem = "T"\nmass-max = "9 kg"\n')
    assert massprops("reconcile", "bom.csv", "--measured", "T mass 9.5±0.01 kg").exit_code == 1
    assert massprops("reconcile", "bom.csv", "--measured", "T mass 8.5±0.01 kg").exit_code == 0


def test_a_misspelt_quantity_is_not_a_file() -> None:
    with pytest.raises(FindingsError, match="measurement is not read: T maas"):
        mp.reconcile(bom_of(*TWO), "T maas 16±0.05 kg")


def test_workbook_has_the_new_columns_right_of_its_table(tmp_path: Path, massprops: Any) -> None:
    table, made, book = tmp_path / "bom.xlsx", tmp_path / "made.xlsx", Workbook()
    for row in (["id", "parent", "mass [kg]", "sigma_mass [kg]"], ["T", "", None, None], ["A", "T", 10, 0.3]):
        book.worksheets[0].append(row)
    book.save(table)
    done = massprops("reconcile", str(table), "--measured", "T mass 11±0.4 kg", "-o", str(made))
    assert done.exit_code == 0
    rows = list(load_workbook(made).worksheets[0].iter_rows(values_only=True))
    assert rows[0][4:] == ("reconciled_mass [kg]", "reconciled_sigma_mass [kg]")
    assert [row[4:] for row in rows[1:]] == [pytest.approx((10.36, 0.24))] * 2  # 10 + 0.09/0.25, √(0.09 0.16/0.25)
