"""Headers that state sigmas in percent, at a level or as bounds, and the words of columns that go with them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from massprops_cli.findings.finding import Findings
from massprops_cli.tables.cells.units import quantity_dimension
from massprops_cli.tables.columns import sigma_columns as uncertainty_words
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.columns.headings import read_heading, squeeze_text
from massprops_cli.tables.columns.sigma_columns import distribution_spellings, method_percentages, method_spellings
from massprops_cli.tables.options import BOUND_QUANTITIES, TableOptions, base_quantity
from tests.unit.bom_tables import bom_of, reported


@pytest.mark.parametrize(
    ("text", "quantity", "unit", "levels"),
    [
        ("sigma_mass [%]", "sigma_mass", "%", ()), ("sigma_Cx (%)", "sigma_Cx", "%", ()),
        ("σ mass %", "sigma_mass", "%", ()), ("sigma_mass_pct", "sigma_mass", "%", ()),
        ("sigma Ixx [percent]", "sigma_Ixx", "%", ()), ("sigma_mass [% of value]", "sigma_mass", "%", ()),
        ("2σ mass", "sigma_mass", "", (2,)), ("mass 2σ", "sigma_mass", "", (2,)),
        ("2 sigma CG X", "sigma_Cx", "", (2,)),
        ("2-sigma mass [lb]", "sigma_mass", "lb", (2,)), ("3σ Ixx (kg·m²)", "sigma_Ixx", "kg·m²", (3,)),
        ("sigma_mass (2σ)", "sigma_mass", "", (2,)), ("sigma_mass [kg] (2σ)", "sigma_mass", "kg", (2,)),
        ("sigma_mass [kg, k=2]", "sigma_mass", "kg", (2,)), ("sigma_mass [kg; K = 1.96]", "sigma_mass", "kg", (1.96,)),
        ("sigma_mass k=2", "sigma_mass", "", (2,)), ("sigma_mass [%, 3-sigma]", "sigma_mass", "%", (3,)),
        ("1σ mass", "sigma_mass", "", (1,)), ("2σ mass (k=3)", "sigma_mass", "", (3, 2)),
        ("U(mass)", "sigma_mass", "", (0,)), ("U(mass) [kg]", "sigma_mass", "kg", (0,)),
        ("U(mass) [kg, k=2]", "sigma_mass", "kg", (2,)), ("u(mass) [kg]", "sigma_mass", "kg", ()),
        ("mass_min", "mass_min", "", ()), ("Mass max [kg]", "mass_max", "kg", ()), ("CG X likely", "Cx_likely", "", ()),
        ("Weight Minimum (lb)", "mass_min", "lb", ()), ("Iyx max", "Ixy_max", "", ()),
        ("Method", "method", "", ()), ("Distribution", "dist", "", ()), ("corr group", "corr_group", "", ()),
    ],
)  # fmt: skip
def test_headers(text: str, quantity: str, unit: str, levels: tuple[float, ...]) -> None:
    heading = read_heading(text)
    assert (heading.quantity, heading.unit, heading.levels) == (quantity, unit, levels)


@pytest.mark.parametrize(
    "text", ["Max Mass", "mass limit max", "2σ", "k=2", "sigma_mass_max", "kx_min", "2σ cost", "%"]
)
def test_what_is_none(text: str) -> None:
    assert read_heading(text).quantity == ""


def test_percent_and_levels_belong_to_sigmas_only() -> None:
    assert read_heading("mass (2σ)") == read_heading("mass (2σ)")._replace(quantity="mass", unit="2σ", levels=())
    assert read_heading("mass %").quantity == ""


def test_bounds_have_the_dimension_of_their_quantity() -> None:
    assert len(BOUND_QUANTITIES) == 30
    assert all(
        quantity_dimension(name) == quantity_dimension(base_quantity(name)) is not None for name in BOUND_QUANTITIES
    )


def test_mapped_columns_state_it_too() -> None:
    bom = bom_of("id parent mass doubt_[%,k=2]", "A . 10 5", map={"sigma_mass": "doubt_[%,k=2]"})
    assert bom.sigmas is not None
    assert bom.sigmas.mass.tolist() == [0.25]


def test_words_have_one_meaning() -> None:
    path = Path(uncertainty_words.__file__).parents[1] / "words" / "uncertainty.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    for table in ("method", "distribution"):
        words = [squeeze_text(text) for word, others in data[table].items() for text in (word, *others)]
        assert len(words) == len(set(words))
    assert set(data["sigma-percent"]) == set(data["method"])


@pytest.mark.parametrize(
    ("text", "word"), [("E", "estimated"), ("est.", "estimated"), ("CAD", "calculated"), ("Measured", "weighed")]
)
def test_methods(text: str, word: str) -> None:
    assert method_spellings({})[squeeze_text(text)] == word


@pytest.mark.parametrize(
    ("text", "word"), [("Gaussian", "normal"), ("log-normal", "lognormal"), ("rectangular", "uniform")]
)
def test_distributions(text: str, word: str) -> None:
    assert distribution_spellings()[squeeze_text(text)] == word


def test_own_percentages_come_first_whatever_their_form() -> None:
    own = method_percentages({"EST.": 20.0, "quoted": 3.0})
    assert own == method_percentages({}) | {"estimated": 20.0, "quoted": 3.0}


def test_units_row_may_state_percent() -> None:
    bom = bom_of("id parent mass sigma_mass", "- - kg %", "A . 10 5")
    assert bom.sigmas is not None
    assert bom.sigmas.mass.tolist() == [0.5]
    assert not reported(bom.findings, "MP227")


def test_option_may_state_percent() -> None:
    bom = bom_of("id parent mass_[kg] sigma_mass", "A . 10 5", unit={"sigma_mass": "%"})
    assert bom.sigmas is not None
    assert bom.sigmas.mass.tolist() == [0.5]
    assert reported(
        bom_of("id parent mass_[kg] sigma_mass_[g]", "A . 10 5", unit={"sigma_mass": "%"}).findings, "MP209"
    )


def test_radii_of_an_earlier_run_state_nothing_that_is_read() -> None:
    assert not reported(bom_of("id parent mass sigma_mass sigma_kx_(2σ)", "A . 10 5 1").findings, "MP505")


def test_bounds_follow_the_units_of_their_values() -> None:
    bom = bom_of("id parent mass_[kg] mass_min_[g] mass_max", "A . 10 9000 11")
    assert bom.shapes is not None
    low, _, high = bom.shapes.bounds[0]
    assert (low.tolist(), high.tolist()) == ([9], [11])


def test_rewriting_units_takes_bounds_along() -> None:
    bom = bom_of("id parent mass_[kg] mass_min_[g] mass_max_[kg]", "A . 10 9000 11", units="g,mm")
    assert bom.columns.rewrite is not None
    assert bom.columns.rewrite.factors == {2: 1000, 3: 1, 4: 1000}
    assert bom.columns.rewrite.header == {2: "mass_[g]", 4: "mass_max_[g]"}


def test_a_table_without_such_columns_knows_nothing_of_them() -> None:
    bom = bom_of("id parent mass", "A . 10")
    assert (bom.sigmas, bom.shapes, bom.groups, bom.part_numbers, bom.maturity) == (None,) * 5
    columns = read_columns(bom.table, TableOptions(), Findings())
    assert all(c.level == 1 and not c.percent for c in columns.by_quantity.values())
