"""Budgets held against tables: every limit kept and broken, with numbers worked out by hand."""

from __future__ import annotations

from datetime import date
from math import erf, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.check import Check, check
from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.model import Verdict, Waiver
from massprops_cli.findings.finding import ConfigError, Severity
from massprops_cli.rollups.regions import edge_abscissas, is_inside_polygon

TODAY = date(2026, 11, 21)
POINT = {"Ipoint": "true"}


def result_of(rows: list[dict[str, Any]], **options: Any) -> Result:
    return rollup(Bom.from_records(rows, **options), keep_going=True)


def masses(**parts: float | None) -> Result:
    rows: list[dict[str, Any]] = [{"id": "SAT", "parent": "", "mass [kg]": None}]
    rows += [{"id": name, "parent": "SAT", "mass [kg]": mass} for name, mass in parts.items()]
    return result_of(rows, allow_missing=frozenset({"mass"}))


def checked(result: Result, folder: Path, *lines: str, today: date = TODAY) -> Check:
    path = folder / "budget.toml"
    path.write_text("\n".join(["[[budget]]", *lines]), encoding="utf-8")
    return check(result, read_budget(str(path)), today=today)


def only(result: Result, folder: Path, *lines: str) -> Verdict:
    [verdict] = checked(result, folder, *lines).verdicts
    return verdict


def test_mass_above_its_limit(tmp_path: Path) -> None:
    verdict = only(masses(A=500.0, B=360.0), tmp_path, 'item = "SAT"', 'mass-max = "850 kg"')
    assert (verdict.rule, verdict.subject, verdict.kept) == ("MP601", "mass-max", False)
    assert (verdict.value, verdict.limit, verdict.unit, verdict.margin) == (860.0, 850.0, "kg", -10.0)
    assert verdict.requirement == "mass ≤ 850 kg (predicted)"
    assert verdict.place.line == 3
    assert verdict.message == "SAT: predicted mass 860 kg is above 850 kg by 10 kg"


def test_limit_in_another_unit_is_reported_in_it(tmp_path: Path) -> None:
    verdict = only(masses(A=500.0, B=360.0), tmp_path, 'item = "SAT"', 'mass-max = "0.9 t"', 'basis = "basic"')
    assert verdict.kept
    assert verdict.unit == "t"
    assert verdict.value == pytest.approx(0.86, rel=1e-14)
    assert verdict.margin == pytest.approx(0.04, rel=1e-12)
    assert verdict.requirement.endswith("(basic)")


def test_mass_at_its_limit_but_for_rounding_keeps_it(tmp_path: Path) -> None:
    result = masses(A=0.1, B=0.2)
    assert result.root.mass == 0.1 + 0.2 > 0.3
    assert only(result, tmp_path, 'item = "SAT"', 'mass-max = "0.3 kg"').kept
    assert only(result, tmp_path, 'item = "SAT"', 'mass-min = "300 g"').kept
    assert not only(result, tmp_path, 'item = "SAT"', 'mass-max = "0.2999999999 kg"').kept


def test_mass_that_is_not_known_keeps_no_limit(tmp_path: Path) -> None:
    result = masses(A=500.0, B=None)
    for line, rule in (('mass-max = "850 kg"', "MP601"), ('mass-min = "1 kg"', "MP602")):
        verdict = only(result, tmp_path, 'item = "SAT"', line)
        assert (verdict.rule, verdict.kept, verdict.value, verdict.margin) == (rule, False, None, None)
        assert verdict.remedy == 'enter the missing values, or state incomplete = "allow" in an entry of a budget file'
        assert "1 of its 2 parts has no mass" in verdict.message


@pytest.mark.parametrize(
    ("more", "value", "formula"),
    [
        ([], 100 * 50 / 800, "(limit − predicted) / predicted"),
        (['margin-basis = "basic"'], 100 * 50 / 800, "(limit − basic) / basic"),
        (['margin-basis = "allocation"'], 100 * 50 / 850, "(limit − predicted) / limit"),
        (['basis = "basic"'], 100 * 50 / 800, "(limit − basic) / basic"),
    ],
)
def test_margin(more: list[str], value: float, formula: str, tmp_path: Path) -> None:
    lines = 'item = "SAT"', 'mass-max = "850 kg"', 'margin-min = "6 %"', *more
    mass, margin = checked(masses(A=800.0), tmp_path, *lines).verdicts
    assert mass.kept
    assert margin.value == pytest.approx(value, rel=1e-14)
    assert margin.kept is (value >= 6)
    assert formula in margin.requirement
    assert formula in margin.message


def boxes() -> Result:
    rows = [
        {"id": "SAT", "parent": "", **POINT},
        {"id": "A", "parent": "SAT", "mass [kg]": 1.0, "Cx [m]": 0.0, "Cy [m]": 0.0, "Cz [m]": 0.0, **POINT},
        {"id": "B", "parent": "SAT", "mass [kg]": 3.0, "Cx [m]": 4.0, "Cy [m]": 0.0, "Cz [m]": 0.0, **POINT},
    ]
    moments = {f"I{entry} [kg*m^2]": None for entry in ("xx", "yy", "zz", "xy", "xz", "yz")}
    return result_of([{**row, **moments, "POIconv": "+"} for row in rows])


def test_center_and_inertia(tmp_path: Path) -> None:
    # two points: centre (1·0 + 3·4)/4 = 3 m; Iyy = 1·3² + 3·1² = 12 kg m²
    lines = 'item = "SAT"', 'center-x = ["2990 mm", "2995 mm"]', 'Iyy = ["*", "12.5 kg m2"]', 'Izz = ["13 kg m2", "*"]'
    x, yy, zz = checked(boxes(), tmp_path, *lines).verdicts
    assert (x.rule, x.kept, x.unit) == ("MP604", False, "mm")
    assert x.value == pytest.approx(3000.0)
    assert x.margin == pytest.approx(-5.0)
    assert (yy.rule, yy.kept, yy.margin) == ("MP606", True, pytest.approx(0.5))
    assert (zz.kept, zz.margin, zz.requirement) == (False, pytest.approx(-1.0), "Izz ≥ 13 kg m2 (predicted)")


def test_why_a_centre_is_not_known(tmp_path: Path) -> None:
    rows = [{"id": "SAT", "parent": ""}, {"id": "A", "parent": "SAT", "mass [kg]": 1.0, "Cx [m]": 1.0}]
    rows += [{"id": "B", "parent": "SAT", "mass [kg]": 1.0}, {"id": "C", "parent": "SAT", "Cx [m]": 1.0}]
    axes = {"Cy [m]": 0.0, "Cz [m]": 0.0}
    table = [{**row, **(axes if "Cx [m]" in row else {}), "mga [%]": 0 if row["parent"] else None} for row in rows]
    for drop, why in ((0, "1 of its 3 parts has no mass or no growth"), (1, "1 of its 2 parts has no centre")):
        result = result_of(table[: 4 - drop], allow_missing=frozenset({"mass", "center"}))
        verdict = only(result, tmp_path, 'item = "SAT"', 'center-x = ["0 m", "2 m"]')
        assert (verdict.kept, verdict.value) == (False, None)
        assert why in verdict.message


def test_points_are_not_among_the_parts_without_inertia(tmp_path: Path) -> None:
    place = {"mass [kg]": 1.0, "Cx [m]": 1.0, "Cy [m]": 0.0, "Cz [m]": 0.0, "POIconv": "+"}
    blank = {f"I{entry} [kg*m^2]": None for entry in ("xx", "yy", "zz", "xy", "xz", "yz")}
    rows = [{"id": "SAT", "parent": "", **blank}, {"id": "A", "parent": "SAT", **place, **blank, **POINT}]
    rows += [{"id": "B", "parent": "SAT", **place, **blank, "Ipoint": "false"}]
    verdict = only(
        result_of(rows, allow_missing=frozenset({"inertia"})), tmp_path, 'item = "SAT"', 'Ixx = ["*", "1 kg m2"]'
    )
    assert not verdict.kept
    assert "1 of its 2 parts has no inertia (B)" in verdict.message


def test_column_that_is_not_there(tmp_path: Path) -> None:
    lines = 'item = "SAT"', 'center-x = ["0 mm", "1 mm"]', "probability-min = 0.9"
    for verdict in checked(masses(A=1.0), tmp_path, *lines).verdicts:
        assert (verdict.kept, verdict.value) == (False, None)
        assert "the table has no such column" in verdict.message
        assert verdict.remedy is None  # there are no cells to complete


def test_limit_on_the_known_part_of_a_mass_in_other_units(tmp_path: Path) -> None:
    result = masses(A=500.0, B=None)  # at least 500 kg = 0.5 t = 500,000 g
    for limit, is_exceeded in (("0.9 t", False), ("0.4 t", True), ("900000 g", False), ("400000 g", True)):
        verdict = only(result, tmp_path, 'item = "SAT"', f'mass-max = "{limit}"')
        assert not verdict.kept
        assert ("undecided" in verdict.message) is not is_exceeded
    assert only(result, tmp_path, 'item = "SAT"', 'mass-max = "0.9 t"').at_least == pytest.approx(0.5, rel=1e-14)
    assert only(result, tmp_path, 'item = "SAT"', 'mass-max = "0.4 t"').margin == pytest.approx(-0.1, rel=1e-12)


def test_unit_on_a_table_without_any(tmp_path: Path) -> None:
    result = result_of([{"id": "SAT", "parent": "", "mass": 1.0}])
    with pytest.raises(ConfigError, match="toml:3: mass-max: table states no unit of mass, and the limit is in kg"):
        only(result, tmp_path, 'item = "SAT"', 'mass-max = "1 kg"')


def test_envelope(tmp_path: Path) -> None:
    polygon = '[["x", "mass"], ["2 m", "0 kg"], ["2800 mm", "0 kg"], ["4 m", "8 kg"], ["2 m", "8 kg"]]'
    # at 4 kg the slanted edge is at (2.8 + 4)/2 = 3.4 m, and the centre at 3 m
    verdict = only(boxes(), tmp_path, 'item = "SAT"', f"center-envelope = {polygon}")
    assert (verdict.rule, verdict.kept, verdict.unit) == ("MP605", True, "m")
    assert verdict.value == pytest.approx(3.0)
    assert verdict.limit == pytest.approx(3.4)
    assert verdict.margin == pytest.approx(0.4)
    narrow = polygon.replace("4 m", "3 m")  # there the edge is at 2.9 m
    verdict = only(boxes(), tmp_path, 'item = "SAT"', f"center-envelope = {narrow}")
    assert not verdict.kept
    assert verdict.margin == pytest.approx(-0.1)
    light = polygon.replace("8 kg", "3 kg")
    verdict = only(boxes(), tmp_path, 'item = "SAT"', f"center-envelope = {light}")
    assert (verdict.kept, verdict.unit, verdict.limit, verdict.margin) == (False, "kg", 3.0, -1.0)


def test_points_in_a_polygon_that_is_not_convex() -> None:
    notched = [(0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (3.0, 1.0), (0.0, 4.0)]
    assert is_inside_polygon(notched, 1.0, 2.0)
    assert not is_inside_polygon(notched, 3.0, 2.0)
    assert is_inside_polygon(notched, 5.0, 2.0)
    assert is_inside_polygon(notched, 3.0, 1.0)
    assert is_inside_polygon(notched, 4.0, 0.0)
    assert not is_inside_polygon(notched, 7.0, 0.0)
    assert edge_abscissas(notched, 2.0) == [0.0, 2.0, 4.0, 6.0]


def test_coverage(tmp_path: Path) -> None:
    result = masses(A=1.0, B=1.0, C=1.0, D=None)
    verdict = only(result, tmp_path, 'item = "SAT"', 'coverage-min = "75 %"')
    assert (verdict.rule, verdict.kept, verdict.value) == ("MP607", True, 75.0)
    assert not only(result, tmp_path, 'item = "SAT"', 'coverage-min = "76 %"').kept


def test_probability(tmp_path: Path) -> None:
    result = result_of([{"id": "SAT", "parent": "", "mass [kg]": 840.0, "sigma_mass [kg]": 10.0}])
    phi = 0.5 * (1 + erf(1 / sqrt(2)))  # the limit is one sigma away
    mass, chance = checked(result, tmp_path, 'item = "SAT"', 'mass-max = "850 kg"', "probability-min = 0.9").verdicts
    assert mass.kept
    assert (chance.rule, chance.kept, chance.requirement) == ("MP608", False, "P(mass ≤ 850 kg) ≥ 0.9 (predicted)")
    assert chance.value == pytest.approx(phi, rel=1e-12)
    lines = 'item = "SAT"', 'mass-max = "850 kg"', 'margin-min = "0 %"', "probability-min = 0.8"
    *_, of_mass, of_margin = checked(result, tmp_path, *lines).verdicts
    assert of_mass.kept
    assert of_margin.value == pytest.approx(phi, rel=1e-12)


@pytest.mark.parametrize(
    ("basis", "greatest"),
    [("predicted", 850 / 1.05), ("allocation", 850 * 0.95)],  # (850 − m)/m = 5 %, (850 − m)/850 = 5 %
)
def test_probability_of_a_margin(basis: str, greatest: float, tmp_path: Path) -> None:
    result = result_of([{"id": "SAT", "parent": "", "mass [kg]": 800.0, "sigma_mass [kg]": 10.0}])
    lines = 'item = "SAT"', 'mass-max = "850 kg"', 'margin-min = "5 %"', "probability-min = 0.5"
    *_, chance = checked(result, tmp_path, *lines, f'margin-basis = "{basis}"').verdicts
    assert chance.value == pytest.approx(0.5 * (1 + erf((greatest - 800) / 10 / sqrt(2))), rel=1e-12)


def test_probability_of_a_margin_that_is_none(tmp_path: Path) -> None:
    rows = [{"id": "SAT", "parent": "", "mass [kg]": -10.0, "sigma_mass [kg]": 1.0}]
    result = result_of(rows, allow_negative_mass=True)
    lines = 'item = "SAT"', 'mass-max = "-5 kg"', 'margin-min = "5 %"', "probability-min = 0.5"
    *_, of_mass, of_margin = checked(result, tmp_path, *lines).verdicts
    assert of_mass.kept
    assert not of_margin.kept
    assert "is unknown: its mass is not above 0" in of_margin.message


def test_probability_without_a_sigma_is_not_kept(tmp_path: Path) -> None:
    lines = 'item = "SAT"', 'mass-max = "850 kg"', "probability-min = 0.9"
    _, chance = checked(masses(A=1.0), tmp_path, *lines).verdicts
    assert not chance.kept
    assert "the sigma of its mass is unknown" in chance.message


def two_points(uncertainty: str = "auto") -> Result:
    """Give 2 ± 0.2 kg at 0 and 6 ± 0.6 kg at 4 ± 0.1 m."""
    rows: list[dict[str, Any]] = [{"id": "SAT", "parent": ""}]
    for name, mass, x, of_mass, of_x in (("A", 2.0, 0.0, 0.2, 0.0), ("B", 6.0, 4.0, 0.6, 0.1)):
        center = {"Cx [m]": x, "Cy [m]": 0.0, "Cz [m]": 0.0}
        sigmas = {"sigma_mass [kg]": of_mass, "sigma_Cx [m]": of_x, "sigma_Cy [m]": 0.0, "sigma_Cz [m]": 0.0}
        rows.append({"id": name, "parent": "SAT", "mass [kg]": mass, **center, **sigmas})
    return rollup(Bom.from_records(rows), uncertainty, keep_going=True)


def test_probability_of_an_envelope(tmp_path: Path) -> None:
    # below the edge m = 4 x − 2 (m = 8 at 2.5) all other edges being far: P(4 x − m ≥ 2). With M = 8 and C = 3 m:
    # V[m] = 0.04 + 0.36; V[x] = (0.04·9 + 0.36·1 + 0.01·36)/64; V[m, x] = (0.04·(−3) + 0.36·1)/8
    slanted = '[["x", "mass"], ["-99.5 m", "-400 kg"], ["100500 mm", "400 kg"], ["100500 mm", "-0.4 t"]]'
    of_mass, of_x, shared = 0.4, 1.08 / 64, 0.24 / 8
    expected = 0.5 * (1 + erf((4 * 3 - 8 - 2) / sqrt(2 * (16 * of_x + of_mass - 8 * shared))))
    lines = 'item = "SAT"', f"center-envelope = {slanted}", "probability-min = 0.99"
    inside, chance = checked(two_points(), tmp_path, *lines).verdicts
    assert inside.kept
    assert (chance.rule, chance.requirement) == ("MP608", "P(x and mass in the envelope) ≥ 0.99 (predicted)")
    assert chance.value == pytest.approx(expected, abs=1e-11)
    assert chance.kept == (expected >= 0.99)
    assert ("is at least 0.99" if chance.kept else "is less than 0.99") in chance.message


def test_envelope_in_other_units_than_the_table(tmp_path: Path) -> None:
    # 8 kg at x = 3 m; at 8000 g the edges are at 2900 mm and 3050 mm
    corners = '["2900 mm", "1000 g"], ["3050 mm", "1000 g"], ["3050 mm", "9000 g"], ["2900 mm", "9000 g"]'
    verdict = only(two_points(), tmp_path, 'item = "SAT"', f'center-envelope = [["x", "mass"], {corners}]')
    assert verdict.kept
    assert (verdict.value, verdict.limit, verdict.unit) == (pytest.approx(3000), pytest.approx(3050), "mm")
    assert verdict.margin == pytest.approx(50)
    assert "8000 g at x = 3000 mm is inside the envelope, 50 mm from its edge" in verdict.message


def test_probability_of_an_envelope_that_is_not_known(tmp_path: Path) -> None:
    square = '[["x", "mass"], ["0 m", "0 kg"], ["4 m", "0 kg"], ["4 m", "9 kg"], ["0 m", "9 kg"]]'
    lines = 'item = "SAT"', f"center-envelope = {square}", "probability-min = 0.5"
    for result in (boxes(), two_points("massprops")):
        _, chance = checked(result, tmp_path, *lines).verdicts
        assert not chance.kept
        assert "the correlation of its mass and its centre of mass is unknown" in chance.message
    _, chance = checked(masses(A=1.0), tmp_path, *lines).verdicts
    assert "is unknown: the table has no such column" in chance.message
    center = {"Cx [m]": 2.0, "Cy [m]": 0.0, "Cz [m]": 0.0}
    rows = [
        {"id": "SAT", "parent": ""},
        {"id": "A", "parent": "SAT", "mass [kg]": 5.0, "sigma_mass [kg]": 0.1, **center},
    ]
    _, chance = checked(result_of(rows), tmp_path, *lines).verdicts  # the sigma of the mass alone is not enough
    assert (chance.kept, chance.value) == (False, None)
    assert "the correlation of its mass and its centre of mass is unknown" in chance.message


def test_maturity(tmp_path: Path) -> None:
    parts = [("A", 60.0, "calculated"), ("B", 10.0, "weighed"), ("C", 30.0, "estimated")]
    rows: list[dict[str, Any]] = [{"id": "SAT", "parent": "", "mass": None, "method": None}]
    rows += [{"id": name, "parent": "SAT", "mass": mass, "method": word} for name, mass, word in parts]
    result = result_of(rows)
    verdict = only(result, tmp_path, 'item = "SAT"', 'maturity-min = ["calculated", "80 %"]')
    assert (verdict.rule, verdict.kept) == ("MP609", False)
    assert verdict.value == pytest.approx(70.0)
    assert only(result, tmp_path, 'item = "SAT"', 'maturity-min = ["weighed", "10 %"]').kept
    assert "no column method" in only(masses(A=1.0), tmp_path, 'item = "SAT"', 'maturity-min = "weighed"').message


def tree() -> Result:
    rows = [
        {"id": "SAT", "parent": "", "mass [kg]": None, "subsystem": ""},
        {"id": "PWR", "parent": "SAT", "mass [kg]": None, "subsystem": "Power"},
        {"id": "BAT 1", "parent": "PWR", "mass [kg]": 5.0, "subsystem": "Power"},
        {"id": "BAT 2", "parent": "PWR", "mass [kg]": 7.0, "subsystem": "Power "},
        {"id": "TANK", "parent": "SAT", "mass [kg]": 9.0, "subsystem": "Propulsion"},
    ]
    return result_of(rows)


@pytest.mark.parametrize(
    ("item", "names"),
    [
        ('"SAT"', ["SAT"]),
        ('"BAT*"', ["BAT 1", "BAT 2"]),
        ('"*"', ["SAT", "PWR", "BAT 1", "BAT 2", "TANK"]),
        ("{ level = 1 }", ["PWR", "TANK"]),
        ('{ column = "subsystem", value = "Power" }', ["PWR"]),
        ('{ column = "subsystem", value = "Power", each = true }', ["PWR", "BAT 1", "BAT 2"]),
        ('{ column = "subsystem", value = "Power", each = false }', ["PWR"]),
    ],
)
def test_selection(item: str, names: list[str], tmp_path: Path) -> None:
    verdicts = checked(tree(), tmp_path, f"item = {item}", 'mass-max = "8 kg"').verdicts
    assert [verdict.item for verdict in verdicts] == names


@pytest.mark.parametrize(
    ("item", "reported"),
    [
        ('"SATT"', "id is not in the table: SATT (nearest: SAT)"),
        ('"sat"', "id is not in the table: sat (nearest: SAT)"),
        ('"X*"', "budget entry selects no item: no id matches X*"),
        ("{ level = 3 }", "budget entry selects no item: level 3 (expected 0 to 2)"),
        ('{ column = "subsytem", value = "Power" }', "unknown column: subsytem; the nearest is subsystem"),
        ('{ column = "subsystem", value = "Powr" }', "selects no item: subsystem = Powr; the nearest is Power"),
    ],
)
def test_entry_that_selects_nothing_is_an_error(item: str, reported: str, tmp_path: Path) -> None:
    done = checked(tree(), tmp_path, f"item = {item}", 'mass-max = "8 kg"')
    [finding] = [one for one in done.budget_findings if one.rule != "MP624"]
    assert (finding.rule, finding.severity, finding.place.line) == ("MP610", Severity.ERROR, 2)
    assert reported in finding.message
    assert not done.is_kept


WAIVER = "[[waive]]", 'rule = "MP601"', 'item = "TANK"', 'reason = "so"'


def test_waived_limit_is_a_note(tmp_path: Path) -> None:
    lines = 'item = "*"', 'mass-max = "8 kg"', *WAIVER, "expires = 2026-11-21"
    done = checked(tree(), tmp_path, *lines)
    waived = [verdict for verdict in done.verdicts if verdict.waiver]
    assert [verdict.item for verdict in waived] == ["TANK"]
    assert waived[0].finding.severity is Severity.NOTE
    assert "waived: so" in waived[0].finding.message
    assert {finding.rule for finding in done.budget_findings} == {"MP624"}
    assert not done.is_kept  # SAT and PWR are too heavy as well
    assert checked(tree(), tmp_path, 'item = "TANK"', 'mass-max = "8 kg"', *WAIVER).is_kept


MAX = 'basis = "basic"\nmass-max = "11 kg"'


def checked_total(folder: Path, rule: str, item: str) -> Check:
    (folder / "bus.csv").write_text("Part,Mass [kg]\nWheel,2\nBody,10\nTotal,99\n", encoding="utf-8")
    waiver = ["[[waive]]", f'rule = "{rule}"', f'item = "{item}"', 'reason = "of last year"']
    return checked(rollup(Bom.read(str(folder / "bus.csv"))), folder, 'item = "Body"', MAX, *waiver)


def test_waived_total_is_a_note_and_does_not_fail(tmp_path: Path) -> None:
    done = checked_total(tmp_path, "MP415", "Total")
    assert done.is_kept
    assert not done.budget_findings
    of_total = [finding for finding in done.findings if finding.rule == "MP415"]
    assert [(one.severity, one.item) for one in of_total] == [(Severity.NOTE, "Total")]
    assert "Total differs from the sum of all rows above: 99 kg (computed: 12)" in of_total[0].message
    assert "waived: of last year" in of_total[0].message
    assert [one.severity for one in done.result.findings if one.rule == "MP415"] == [Severity.ERROR]


def test_waived_subtotal_has_no_warning(tmp_path: Path) -> None:
    rows = "id,parent,name,mass [kg]\nSAT,,Satellite,\nBAT,SAT,Battery,3.25\nRAD,SAT,Radio,0.25\n,,Subtotal,3.60\n"
    (tmp_path / "sat.csv").write_text(rows, encoding="utf-8")
    result = rollup(Bom.read(str(tmp_path / "sat.csv")))
    severities = []
    for item in ("Subtotal", "Other"):
        waiver = ["[[waive]]", 'rule = "MP413"', f'item = "{item}"', 'reason = "so"']
        done = checked(result, tmp_path, 'item = "BAT"', MAX, *waiver)
        severities += [one.severity for one in done.findings if one.rule == "MP413"]
    assert severities == [Severity.NOTE, Severity.WARNING]


@pytest.mark.parametrize(("rule", "item"), [("MP415", "Sum"), ("MP413", "Total")])
def test_waiver_of_another_total_waives_nothing(tmp_path: Path, rule: str, item: str) -> None:
    done = checked_total(tmp_path, rule, item)
    assert not done.is_kept
    assert [finding.rule for finding in done.budget_findings] == ["MP611"]


def test_expired_and_unused_waivers(tmp_path: Path) -> None:
    lines = 'item = "TANK"', 'mass-max = "8 kg"', *WAIVER, "expires = 2026-11-20"
    done = checked(tree(), tmp_path, *lines)
    assert [finding.rule for finding in done.budget_findings] == ["MP624", "MP612"]
    assert done.verdicts[0].is_broken
    done = checked(tree(), tmp_path, 'item = "TANK"', 'mass-max = "9 kg"', *WAIVER)
    assert [(finding.rule, finding.severity) for finding in done.budget_findings[1:]] == [("MP611", Severity.WARNING)]
    assert done.is_kept


def test_severity_of_the_entry(tmp_path: Path) -> None:
    done = checked(tree(), tmp_path, 'item = "TANK"', 'mass-max = "8 kg"', 'severity = "warning"')
    assert [finding.severity for finding in done.findings if finding.rule == "MP601"] == [Severity.WARNING]
    assert done.is_kept


def test_verdict_as_plain_values(tmp_path: Path) -> None:
    done = checked(tree(), tmp_path, 'item = "TANK"', 'mass-max = "8 kg"', *WAIVER)
    [values] = done.to_dict()["verdicts"]
    assert values["waiver"] == {"rule": "MP601", "item": "TANK", "reason": "so", "expires": None}
    assert (values["value"], values["limit"], values["margin"], values["kept"]) == (9.0, 8.0, -1.0, False)
    assert Waiver("MP601", "A", "so").has_expired(TODAY) is False


def test_place_of_the_item(tmp_path: Path) -> None:
    table = tmp_path / "bom.csv"
    table.write_text("id,parent,mass [kg]\nSAT,,\nTANK,SAT,9\n", encoding="utf-8")
    verdict = only(rollup(Bom.read(str(table))), tmp_path, 'item = "TANK"', 'mass-max = "8 kg"')
    assert (verdict.item_place.line, verdict.item_place.column) == (3, "mass [kg]")
    assert verdict.finding.place.line == 3


def test_shares_on_the_limit_are_reported_to_keep_it(tmp_path):
    coverage = only(masses(A=1.0, B=2.0, C=3.0, D=None), tmp_path, 'item = "SAT"', 'coverage-min = "75 %"')
    assert coverage.kept
    assert "75 % of its parts is known, at least 75 %" in coverage.message
    rows = [{"id": "SAT", "parent": "", "method": ""}]
    rows += [
        {"id": f"i{k}", "parent": "SAT", "mass [kg]": 0.1, "method": "weighed" if k else "estimated"} for k in range(3)
    ]
    sure = result_of(rows)  # two of three tenths of a kilogram: 200/3 %, whose last place is a matter of rounding
    for text in ("66.66666666666667 %", "66.66666666666666 %"):
        verdict = only(sure, tmp_path, 'item = "SAT"', f'maturity-min = ["weighed", "{text}"]')
        assert verdict.kept
        assert "is weighed or more mature, at least 66.6" in verdict.message


@pytest.mark.parametrize(("least", "side"), [("7 %", "is less than 7 %"), ("6 %", "is at least 6 %")])
def test_margins_to_a_limit_in_another_unit(least, side, tmp_path):
    # (0.85 t − 0.8 t) / 0.8 t = 6.25 %
    lines = 'item = "SAT"', 'mass-max = "0.85 t"', f'margin-min = "{least}"'
    margin = checked(masses(A=800.0), tmp_path, *lines).verdicts[1]
    assert margin.value == pytest.approx(6.25, rel=1e-12)
    assert margin.margin == pytest.approx(6.25 - float(least[0]), rel=1e-12)
    assert margin.message.endswith(f"(0.85 − 0.8) / 0.8 t {side}")


def test_margins_that_have_no_meaning(tmp_path):
    lines = 'item = "SAT"', 'mass-max = "9 kg"', 'margin-min = "1 %"'
    margin = checked(masses(A=1.0, B=None), tmp_path, *lines).verdicts[1]
    assert margin.message == "SAT: undecided: margin is unknown: 1 of its 2 parts has no mass (B)"
    assert not margin.kept
    limits = 'item = "SAT"', 'mass-max = "0 kg"', 'margin-min = "1 %"'
    printed = [verdict.message for verdict in checked(masses(A=0.5), tmp_path, *limits).verdicts]
    assert printed[1] == "SAT: undecided: margin is unknown: its limit is not above 0"
    limits = 'item = "SAT"', 'mass-max = "0.5 kg"', 'margin-min = "1 %"'
    printed = [verdict.message for verdict in checked(masses(A=0.0), tmp_path, *limits).verdicts]
    assert printed[1] == "SAT: undecided: margin is unknown: its mass is not above 0"


def test_rounding_breaks_no_limit_of_zero(tmp_path):
    # 0.1 · 1.1 + 0.2 · 0.3 − 0.3 · 0.17/0.3 is 0, but for rounding
    places = {"a": (0.1, 1.1), "b": (0.2, 0.3), "c": (0.3, -0.5666666666666668)}
    rows: list[dict[str, Any]] = [{"id": "T", "parent": ""}]
    rows += [
        {"id": name, "parent": "T", "mass [kg]": mass, "Cx [mm]": x, "Cy [mm]": 0.0, "Cz [mm]": 0.0}
        for name, (mass, x) in places.items()
    ]
    result = result_of(rows)
    center = result.rollup.bodies.center
    assert center is not None
    assert center[0, 0] == 0
    assert only(result, tmp_path, 'item = "T"', 'center-x = ["0 mm", "5 mm"]').kept
    assert not only(result, tmp_path, 'item = "T"', 'center-x = ["1e-9 mm", "5 mm"]').kept
    sum_of_two = masses(a=0.1, b=0.2)  # 5.6e-17 above 0.3
    assert sum_of_two.rollup.bodies.mass[0] > 0.3
    for most, is_kept in (("0.3 kg", True), ("0.29999999 kg", False)):
        limits = 'item = "SAT"', f'mass-max = "{most}"', 'margin-min = "0 %"'
        assert [verdict.kept for verdict in checked(sum_of_two, tmp_path, *limits).verdicts] == [is_kept, is_kept]


def test_column_value_of_the_item_in_the_first_row(tmp_path):
    rows = [{"id": "SAT", "parent": "", "mass [kg]": None, "group": "all"}]
    rows += [{"id": "A", "parent": "SAT", "mass [kg]": 2.0, "group": "part"}]
    verdict = only(result_of(rows), tmp_path, 'item = { column = "group", value = "all" }', 'mass-max = "3 kg"')
    assert (verdict.item, verdict.value, verdict.margin) == ("SAT", 2.0, 1.0)


MOST = 'mass-max = "11 kg"'
FLAT = [
    {"id": "Battery", "parent": "SAT", "qty": 2, "mass [kg]": 6.0, "subsystem": "Power", "sigma_mass": 0.3},
    {"id": "PCDU", "parent": "SAT", "qty": 1, "mass [kg]": 8.0, "subsystem": "Power", "sigma_mass": 0.4},
    {"id": "Frame", "parent": "SAT", "qty": 1, "mass [kg]": 20.0, "subsystem": "Structure", "sigma_mass": 0.0},
    {"id": "Array", "parent": "SAT", "qty": 2, "mass [kg]": 11.0, "subsystem": "Power", "sigma_mass": 0.6},
]
POWER = 'item = { column = "subsystem", value = "Power" }'


def verdicts_of(rows: list[dict[str, Any]], tmp_path: Path, *lines: str) -> list[Verdict]:
    top = dict.fromkeys(rows[0]) | {"id": "SAT", "parent": ""}
    return list(checked(result_of([top, *rows]), tmp_path, *lines).verdicts)


def test_items_of_a_column_are_checked_as_their_sum(tmp_path: Path) -> None:
    """2 × 6 + 8 + 2 × 11 = 42 kg; σ² = 2 × 0.09 + 0.16 + 2 × 0.36 = 1.06."""
    limit, chance = verdicts_of(FLAT, tmp_path, POWER, 'mass-max = "43 kg"', "probability-min = 0.5")
    assert (limit.item, limit.value, limit.margin, limit.rule) == ("subsystem = Power", 42.0, 1.0, "MP601")
    assert chance.value == pytest.approx(NormalDist(42, sqrt(1.06)).cdf(43))
    assert [one.value for one in verdicts_of(FLAT, tmp_path, POWER.replace(" }", ", each = true }"), MOST)] == [
        6,
        8,
        11,
    ]


def test_sum_of_a_column_has_growth_and_gaps(tmp_path: Path) -> None:
    rows = [{**row, "mga [%]": 10 * k} for k, row in enumerate(FLAT)]  # 12 + 8.8 + 22 × 1.3
    assert verdicts_of(rows, tmp_path, POWER, MOST)[0].value == pytest.approx(49.4)
    assert verdicts_of(rows, tmp_path, POWER, MOST, 'basis = "basic"')[0].value == pytest.approx(42)
    open_one, broken = (
        verdicts_of([{**FLAT[0], "mass [kg]": None}, *FLAT[1:]], tmp_path, POWER, f'mass-max = "{most} kg"')[0]
        for most in (31, 29)
    )
    assert (open_one.is_undecided, broken.is_undecided, broken.margin) == (True, False, -1.0)


def test_sum_of_a_column_counts_every_leaf_once(tmp_path: Path) -> None:
    """A label of an assembly is that of its leaves without one: 3 × (2 + 5) + 1, and 3 × 4 of another label."""
    cells = ("id", "parent", "qty", "mass [kg]", "subsystem")
    rows = [
        dict(zip(cells, row, strict=True))
        for row in (
            ("BOX", "SAT", 3, None, "Power"),
            ("CELL", "BOX", 1, 2.0, ""),
            ("CELL 2", "BOX", 1, 5.0, "Power"),
            ("CABLE", "BOX", 1, 4.0, "Harness"),
            ("LOOSE", "SAT", 1, 1.0, "Power"),
        )
    ]
    assert [one.value for one in verdicts_of(rows, tmp_path, POWER, MOST)] == [22.0]
    assert [one.value for one in verdicts_of(rows, tmp_path, POWER.replace("Power", "Harness"), MOST)] == [12.0]


def test_waiver_of_a_sum(tmp_path: Path) -> None:
    waiver = "[[waive]]", 'rule = "MP601"', 'item = "subsystem = *"', 'reason = "so"'
    [one] = verdicts_of(FLAT, tmp_path, POWER, 'mass-max = "9 kg"', *waiver)
    assert not one.is_broken


PRODUCTS = [
    {"id": "B", "parent": "SAT", "mass [kg]": 2.0, "Cx [m]": 0, "Cy [m]": 0, "Cz [m]": 0},
    {"id": "C", "parent": "SAT", "mass [kg]": 2.0, "Cx [m]": 1, "Cy [m]": 1, "Cz [m]": 0},
]
TENSOR = dict.fromkeys((f"I{entry} [kg m2]" for entry in ("xx", "yy", "zz")), 4.0) | {
    "Ixz [kg m2]": 0,
    "Iyz [kg m2]": 0,
}


@pytest.mark.parametrize(
    ("signs", "stated", "value"),
    [
        ("++", "", 2.0),  # ∫xy dm = 2 × 0.5 + 2 × 2 × 0.25
        ("--", "", -2.0),  # rows state tensor entries of −0.5
        ("++", "-", -2.0),
        ("--", "+", 2.0),
        ("+-", "", None),
        ("+-", "+", 2.0),
        ("-+", "-", -2.0),
    ],
)
def test_limits_of_products_have_the_sign_of_the_table(signs: str, stated: str, value: float | None, tmp_path: Path):
    rows = [
        {**row, **TENSOR, "Ixy [kg m2]": 0.5 if sign == "+" else -0.5, "POIconv": sign}
        for row, sign in zip(PRODUCTS, signs, strict=True)
    ]
    key = [f'products = "{stated}"'] if stated else []
    [one] = verdicts_of(rows, tmp_path, 'item = "SAT"', 'Ixy = ["-9 kg m2", "9 kg m2"]', *key)
    assert one.value == (value if value is None else pytest.approx(value))
    assert (one.kept, one.is_undecided) == (value is not None, value is None)
    assert one.requirement.endswith(f"products {stated or (signs[0] if len(set(signs)) == 1 else '±')})")


def test_unknown_sign_of_products_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="products is not valid"):
        verdicts_of(PRODUCTS, tmp_path, 'item = "SAT"', MOST, 'products = "x"')
