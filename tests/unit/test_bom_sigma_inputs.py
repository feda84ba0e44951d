"""Sigmas from every statement a table can make; expectations are closed forms typed here."""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import openpyxl
import pytest
from numpy.testing import assert_allclose

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.whatif import whatif
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import DISTRIBUTION_KINDS, KIND_NOT_STATED, PERCENTILES
from tests.unit.bom_tables import HEADER, bom_of, only, reported

TENSOR = "5 0 0 6 7 8 0.1 -0.2 0 - false"


def masses(header: str, *rows: str, **options: Any) -> Bom:
    return bom_of(f"id parent mass {header}", f"T .{' .' * (len(header.split()) + 1)}", *rows, **options)


def sigma_mass(bom: Bom) -> list[float]:
    assert bom.sigmas is not None
    return bom.sigmas.mass[1:].tolist()


@pytest.mark.parametrize(
    ("header", "cell", "sigma"),
    [
        ("sigma_mass", "0.5", 0.5),
        ("sigma_mass", "5%", 0.4),
        ("sigma_mass_[%]", "5", 0.4),
        ("sigma_mass_(%)", "5%", 0.4),
        ("sigma_mass_pct", "5", 0.4),
        ("sigma_mass_(2σ)", "0.5", 0.25),
        ("sigma_mass_(2σ)", "5%", 0.2),
        ("sigma_mass_[%,k=2]", "5", 0.2),
        ("3-sigma_mass", "0.6", 0.2),
        ("U(mass)_(k=2)", "0.5", 0.25),
        ("u(mass)", "0.5", 0.5),
    ],
)
def test_forms_of_a_sigma(header: str, cell: str, sigma: float) -> None:
    bom = masses(header, f"A T -8 {cell}", allow_negative_mass=True)
    assert not bom.has_errors
    assert_allclose(sigma_mass(bom), [sigma])
    assert bool(reported(bom.findings, "MP505")) == (sigma != 0.5)


def test_cells_state_each_its_own() -> None:
    bom = bom_of(
        f"{HEADER} sigma_mass sigma_Cx sigma_Cy sigma_Cz sigma_Ixx sigma_Iyy sigma_Izz sigma_Ixy sigma_Ixz sigma_Iyz",
        "T" + " ." * 23,
        f"A T 10 {TENSOR} 10% 20% 1 1% 50% 1 10% 10% 10% 3%",
    )
    assert bom.sigmas is not None
    assert bom.sigmas.center is not None
    assert bom.sigmas.inertia is not None
    assert not bom.has_errors
    assert_allclose(bom.sigmas.mass[1], 1)
    assert_allclose(bom.sigmas.center[1], [1, 1, 0])
    assert_allclose(bom.sigmas.inertia[1], [3, 1, 0.8, 0.01, 0.02, 0])


def test_option_states_the_level_and_a_header_comes_first() -> None:
    assert_allclose(sigma_mass(masses("sigma_mass", "A T 8 0.6", sigma_level=3)), [0.2])
    assert_allclose(sigma_mass(masses("2σ_mass", "A T 8 0.6", sigma_level=3)), [0.3])
    assert_allclose(sigma_mass(masses("U(mass)", "A T 8 0.6", sigma_level=2)), [0.3])


@pytest.mark.parametrize(
    "options",
    [{"sigma_level": 0}, {"sigma_level": "2"}, {"sigma_percent": 10}, {"sigma_percent": {"estimated": "10 %"}}],
)
def test_options_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"is not an? "):
        masses("sigma_mass", "A T 8 1", **options)


@pytest.mark.parametrize("header", ["U(mass)", "2σ_mass_(k=3)"])
def test_level_that_is_not_clear(header: str) -> None:
    assert only(masses(header, "A T 8 1").findings, "MP506")


def test_units_and_levels_together() -> None:
    bom = Bom.from_records([{"id": "T", "parent": ""}, {"id": "A", "parent": "T", "mass [kg]": 8, "2σ mass [g]": 500}])
    assert_allclose(sigma_mass(bom), [0.25])


def test_percent_of_a_mass_that_is_missing_is_one_story() -> None:
    bom = masses("sigma_mass", "A T . 5%", "B T 2 1")
    assert [f.rule for f in bom.findings if f.severity.value == "error"] == ["MP206"]


def test_percent_next_to_another_unit_is_rejected() -> None:
    records = [{"id": "T", "parent": ""}, {"id": "A", "parent": "T", "mass": 1, "sigma_mass [%]": 5}]
    units = {"id": "", "parent": "", "mass": "kg", "sigma_mass [%]": "g"}
    assert only(Bom.from_records([units, *records]).findings, "MP209")


def test_computed_assemblies_are_written_in_the_form_of_their_column() -> None:
    result = rollup(masses("sigma_mass_[%,k=2]", "A T 30 20", "B T 70 10"))
    # σ² = 3² + 3.5²; in percent of 100, twice
    fill = next(f for f in result.filling().fills if f.column == 3)
    assert_allclose(np.asarray(fill.values, float), [2 * sqrt(9 + 12.25)])


@pytest.mark.parametrize("every", [True, False])
def test_worksheet_that_shows_numbers_in_percent(tmp_path: Path, every: bool) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (["id", "parent", "mass", "2σ mass"], ["T"], ["A", "T", 30, 0.2], ["B", "T", 70, 0.1 if every else 7]):
        sheet.append(row)
    for cell in ("D2", "D3", "D4") if every else ("D3",):
        sheet[cell].number_format = "0.0%"
    book.save(tmp_path / "bom.xlsx")
    bom = Bom.read(str(tmp_path / "bom.xlsx"))
    assert_allclose(sigma_mass(bom), [3, 3.5])
    assert reported(bom.findings, "MP505")
    fill = next(f for f in rollup(bom).filling().fills if f.column == 3)
    twice = 2 * sqrt(9 + 12.25)
    assert_allclose(np.asarray(fill.values, float), [twice / 100 if every else twice])


def test_what_a_worksheet_shows_in_percent_is_that_under_a_header_of_percent_too(tmp_path: Path) -> None:
    """0.1 shown as 10.0 % next to a plain 5: both are percentages as a person reads them."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (["id", "parent", "mass", "2σ mass [%]"], ["T"], ["A", "T", 30, 0.2], ["B", "T", 70, 10]):
        sheet.append(row)
    sheet["D3"].number_format = "0.0%"
    book.save(tmp_path / "bom.xlsx")
    assert_allclose(sigma_mass(Bom.read(str(tmp_path / "bom.xlsx"))), [3, 3.5])


@pytest.mark.parametrize(("stated", "is_reported"), [("18.4", False), ("18.4 %", False), ("9.2", True)])
def test_stated_assemblies_are_compared_in_the_form_of_their_column(stated: str, is_reported: bool) -> None:
    rows = [("T", "", 50, stated), ("A", "T", 15, 40), ("B", "T", 35, 20)]
    names = ("id", "parent", "mass", "sigma_mass [%, k=2]")
    result = rollup(Bom.from_records([dict(zip(names, row, strict=True)) for row in rows]))
    # σ² = 3² + 3.5² again, of 50: two of them are 18.44 %
    assert [f.message.rpartition("children: ")[2] for f in reported(result.findings, "MP411")] == [
        "18.4391)"
    ] * is_reported


def test_what_if_takes_a_number_in_the_form_of_its_column() -> None:
    change = whatif(masses("sigma_mass_[%,k=2]", "A T 30 20", "B T 70 10"), set={"A.sigma_mass": 40.0})
    assert change.notes[0] == "A.sigma_mass 20 → 40 %"
    sigmas = change.touched.after_sigmas
    assert sigmas is not None
    assert_allclose(sigmas.mass[-1], sqrt(36 + 12.25))


def test_uniform_and_triangular_bounds() -> None:
    bom = masses("mass_min mass_likely mass_max", "A T 11 8 . 14", "B T 3 0 3 6", "C T 3 1 2 6")
    # of a, b, c: (b - a)² / 12, and (a² + b² + c² - ab - ac - bc) / 18
    assert_allclose(np.square(sigma_mass(bom)), [36 / 12, 27 / 18, 21 / 18])
    assert bom.shapes is not None
    assert [DISTRIBUTION_KINDS[k] for k in bom.shapes.kinds_of(0)[1:]] == ["uniform", "triangular", "triangular"]
    assert bom.shapes.kinds_of(0)[0] == KIND_NOT_STATED
    assert_allclose(bom.shapes.bounds[0][2][1:], [14, 6, 6])
    assert not reported(bom.findings, "MP511")  # (1 + 2 + 6) / 3 is 3, and the others are symmetric


def test_bounds_of_one_quantity_do_not_decide_those_of_another() -> None:
    """Uniform 9 … 11: 2/√12. A likeliest Cx, or a sigma of Cy next to its bounds, leaves the mass as it is."""
    header = (
        "id parent mass mass_min mass_likely mass_max Cx Cx_min Cx_likely Cx_max Cy Cy_min Cy_max sigma_Cy Cz sigma_Cz"
    )
    rows = (
        "A T 10 9 . 11 0 -1 0 1 0 -3 3 1 0 0",
        "B T 10 9 . 11 0 -1 . 1 0 . . 1 0 0",
        "C T 10 9 10 11 0 -1 . 1 0 -3 3 . 0 0",
    )
    bom = bom_of(header, "T" + " ." * 15, *rows)
    assert not bom.has_errors
    assert bom.shapes is not None
    assert bom.sigmas is not None
    assert bom.sigmas.center is not None
    assert_allclose(bom.sigmas.mass[1:], [2 / sqrt(12), 2 / sqrt(12), 1 / sqrt(6)])
    assert_allclose(bom.sigmas.center[1:, 0], [1 / sqrt(6), 1 / sqrt(3), 1 / sqrt(3)])
    assert_allclose(bom.sigmas.center[1:, 1], [1, 1, 6 / sqrt(12)])
    kinds = [
        [DISTRIBUTION_KINDS[k] if k >= 0 else "" for k in bom.shapes.kinds_of(place)[1:]] for place in (0, 1, 2, 3)
    ]
    assert kinds == [
        ["uniform", "uniform", "triangular"],
        ["triangular", "uniform", "uniform"],
        ["truncated", "", "uniform"],
        ["", "", ""],
    ]


def test_samples_are_drawn_by_the_kind_of_each_quantity() -> None:
    """The mass is uniform on 9 … 11; Cx, of which the row states no bounds, is normal and goes beyond its ± √3 σ."""
    header = "id parent mass mass_min mass_max Cx sigma_Cx Cy sigma_Cy Cz sigma_Cz"
    result = rollup(
        bom_of(header, "T" + " ." * 10, "A T 10 9 11 0 1 0 0 0 0"), "montecarlo", samples=20_000, items=("A",)
    )
    assert result.rollup.sampled is not None
    mass, station = result.rollup.sampled.watched[0].percentiles[:, :2].T
    shares = np.array(PERCENTILES) / 100
    assert_allclose(mass, 9 + 2 * shares, atol=0.03)
    assert_allclose(station, [NormalDist().inv_cdf(share) for share in shares], atol=0.1)


def test_mode_of_a_triangular_input_is_its_value_where_no_likeliest_is_given() -> None:
    bom = masses("mass_min mass_max dist", "A T 2 1 6 triangular")
    assert_allclose(sigma_mass(bom), [sqrt(21 / 18)])
    assert only(bom.findings, "MP511").item == "A"  # (1 + 2 + 6) / 3 is not 2


def test_bounds_of_products_turn_with_their_sign() -> None:
    names = [*HEADER.split(), *(f"sigma_{q}" for q in HEADER.split()[2:11]), "Iyz_min", "Iyz_max"]
    cells = "A T 1 0 0 0 5 6 7 0.1 0.2 0.5 + false 0 0 0 0 0 0 0 0 0 0.4 1"
    bom = bom_of(" ".join(names), "T" + " ." * 24, cells)
    assert not bom.has_errors
    assert bom.shapes is not None
    assert bom.sigmas is not None
    assert bom.sigmas.inertia is not None
    bounds = bom.shapes.bounds[9]
    assert (bounds[0, 1], bounds[2, 1]) == (-1, -0.4)
    assert_allclose(bom.sigmas.inertia[1, 5], 0.6 / sqrt(12))


def test_bounds_with_a_sigma_are_those_of_a_truncated_normal() -> None:
    bom = masses("sigma_mass mass_min mass_max dist", "A T 3 0.5 1 5 .", "B T 3 1.1547 1 5 uniform", "C T 3 9 . . .")
    assert bom.shapes is not None
    assert [DISTRIBUTION_KINDS[k] if k >= 0 else "" for k in bom.shapes.kinds_of(0)[1:]] == ["truncated", "uniform", ""]
    assert_allclose(sigma_mass(bom), [0.5, 4 / sqrt(12), 9])
    assert not bom.has_errors


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("A T 3 . 5 1 .", "MP507"),
        ("A T 6 . 1 5 .", "MP507"),
        ("A T 0.5 . 1 5 .", "MP507"),
        ("A T 3 . 1 . .", "MP212"),
        ("A T 3 . 1 x5 .", "MP205"),
        ("A T 3 1 1 5 normal", "MP509"),
        ("A T 3 1 1 5 log-normal", "MP509"),
        ("A T 3 . 1 5 truncated", "MP509"),
        ("A T 3 1 1 5 uniform", "MP510"),
        ("A T 3 1 . . unifrom", "MP508"),
    ],
)
def test_bounds_and_distributions_that_contradict(row: str, rule: str) -> None:
    bom = masses("sigma_mass mass_min mass_max dist", row, "B T 1 0.1 . . .")
    assert [f.rule for f in bom.findings if f.severity.value == "error"] == [rule]


def test_a_distribution_without_bounds_has_no_sigma() -> None:
    bom = masses("sigma_mass mass_min mass_max dist", "A T 3 . . . uniform", "B T 1 0.1 . . .")
    assert [f.rule for f in bom.findings if f.severity.value == "warning"] == ["MP223"]
    assert not bom.has_errors


def test_method_gives_the_sigma_of_what_is_truncated() -> None:
    bom = masses("mass_min mass_max dist method", "A T 3 1 5 truncated E")
    assert not bom.has_errors
    assert_allclose(sigma_mass(bom), [0.3])


@pytest.mark.parametrize("header", ["mass_max", "mass_min", "Cx_min Cx_max"])
def test_bounds_that_are_no_pair_are_not_read(header: str) -> None:
    bom = masses(header, f"A T 1{' 2' * len(header.split())}")
    assert bom.sigmas is None
    assert reported(bom.findings, "MP225")
    assert not bom.has_errors


def test_methods_make_percentages_of_mass_and_of_the_largest_moment() -> None:
    bom = bom_of(
        f"{HEADER} sigma_Cx sigma_Cy sigma_Cz method",
        "T" + " ." * 17,
        f"A T 10 {TENSOR} 1 2 3 E",
        "B T 4 0 0 0 . . . . . . . true 0 0 0 weighed",
        sigma_percent={"estimated": 20.0},
    )
    assert not bom.has_errors
    assert bom.sigmas is not None
    assert bom.sigmas.center is not None
    assert bom.sigmas.inertia is not None
    assert_allclose(bom.sigmas.mass[1:], [2, 0.04])
    assert_allclose(bom.sigmas.center[1], [1, 2, 3])
    assert_allclose(bom.sigmas.inertia[1], [1.6] * 6)  # 20 % of Izz = 8
    assert_allclose(bom.sigmas.inertia[2], 0)
    assert bom.maturity is not None
    assert list(bom.maturity) == ["", "estimated", "weighed"]
    note = only(bom.findings, "MP505").message
    assert "estimated 20 %" in note
    assert "not a standard: weighed" in note


def test_methods_fill_blank_sigmas_only() -> None:
    assert_allclose(sigma_mass(masses("sigma_mass method", "A T 10 3 E", "B T 10 . C")), [3, 0.5])


def test_centers_without_sigmas_are_read_as_exact_and_that_is_reported() -> None:
    bom = bom_of("id parent mass Cx Cy Cz method", "T . . . . . .", "A T 10 1 2 3 calc.")
    assert only(bom.findings, "MP513")
    assert bom.sigmas is not None
    assert_allclose(bom.sigmas.center, 0)
    assert not bom.has_errors


def test_part_of_the_sigmas_of_centers_stays_an_error_with_methods() -> None:
    assert only(
        bom_of("id parent mass Cx Cy Cz sigma_Cx method", "T . . . . . . .", "A T 1 1 2 3 1 E").findings, "MP504"
    )


def test_unknown_method_is_one_story() -> None:
    bom = masses("method", "A T 1 estimated", "B T 1 estimatd")
    assert [f.rule for f in bom.findings if f.severity.value == "error"] == ["MP512"]
    assert "the nearest is estimated" in only(bom.findings, "MP512").message


def test_own_words_for_methods() -> None:
    bom = masses("method", "A T 10 Quoted", sigma_percent={"quoted": 3.0})
    assert_allclose(sigma_mass(bom), [0.3])


def test_other_methods_are_not_read() -> None:
    bom = masses("Method", "A T 1 welded", "B T 1 cast", "C T 1 E")
    assert bom.sigmas is None
    assert bom.maturity is None
    assert "is not read" in only(bom.findings, "MP225").message
    assert not bom.has_errors


def test_nothing_is_read_without_uncertainty() -> None:
    bom = masses("sigma_mass mass_min mass_max dist method", "A T 1 x 9 1 y z", "B T 1 . . . . E", use_sigmas=False)
    assert bom.sigmas is None
    assert bom.shapes is None
    assert not bom.has_errors


def test_stated_uncertainties_follow_items_into_own_leaves_and_made_roots() -> None:
    bom = bom_of(
        "id parent mass mass_min mass_max corr_group method",
        "P . 1 0.5 1.5 g E",
        "A P 2 1 3 g W",
        "B . 4 3 5 . W",
        assembly_values="own",
        make_root="all",
    )
    assert list(bom.ids) == ["P", "A", "B", "all", "P (own)"]
    assert bom.shapes is not None
    assert bom.groups is not None
    assert bom.maturity is not None
    assert_allclose(bom.shapes.bounds[0][0], [0.5, 1, 3, np.nan, 0.5])
    assert list(bom.groups) == ["g", "g", "", "", "g"]
    assert list(bom.maturity) == ["estimated", "weighed", "weighed", "", "estimated"]


def test_the_error_of_a_mass_that_is_missing_does_not_count() -> None:
    rows = [{"id": "a", "parent": "top", "sigma_mass": 0.5}, {"id": "b", "parent": "top", "mass": 2, "sigma_mass": 0.1}]
    bom = Bom.from_records([{"id": "top", "parent": ""}, *rows], allow_missing="mass")
    for method in ("covariance", "massprops"):
        assert rollup(bom, method).root.sigma_mass == pytest.approx(0.1)


PAGE = (Path(__file__).parents[2] / "docs/tables/uncertainty.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```csv\n(id,.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("table", EXAMPLES)
def test_examples_of_the_documentation(table: str, tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(table, encoding="utf-8")
    bom = Bom.read(str(tmp_path / "bom.csv"))
    assert not bom.has_errors
    # between 12.1 and 13 with the mode 12.4 it is √(0.63 / 18), and 1 % of 12.5 is 0.125; all others state 0.1
    sigma = sqrt(0.63 / 18) if "mass_min" in table else 0.125 if "method" in table else 0.1
    assert_allclose(sigma_mass(bom)[0], sigma)
