"""Growth: what a row states, what a table makes of category and maturity, and what is predicted with it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.growth import SHIPPED_TABLES, _read_growth_table
from massprops_cli.bom.results.result_dict import _allowance_column
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.check import check
from massprops_cli.budgets.file import _budget_from_tables
from massprops_cli.findings.finding import UsageError

AXES = "xyz"
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


def bom_of(*rows: dict[str, Any], **options: Any) -> Bom:
    return Bom.from_records([{"id": "SAT", "parent": ""}, *({"parent": "SAT", **row} for row in rows)], **options)


def rules(bom: Bom) -> list[str]:
    return [finding.rule for finding in bom.findings if finding.rule.startswith("MP62")]


def growth(bom: Bom) -> list[float]:
    assert bom.growth is not None
    return bom.growth[1:].tolist()


@pytest.mark.parametrize(
    ("header", "cells", "shares"),
    [
        ("mga [%]", ["10", "0.5"], [0.1, 0.005]),
        ("MGA (%)", ["10 %", "0"], [0.1, 0.0]),
        ("Growth", ["10", "25"], [0.1, 0.25]),
        ("Contingency", ["0.5 %", "1%"], [0.005, 0.01]),
        ("Contingency %", ["0.5", "1"], [0.005, 0.01]),
        ("Growth allowance", ["0", "0"], [0.0, 0.0]),
    ],
)
def test_percent_column(header: str, cells: list[str], shares: list[float]) -> None:
    bom = bom_of(*({"id": f"P{k}", "mass": 1.0, header: cell} for k, cell in enumerate(cells)))
    assert growth(bom) == pytest.approx(shares, rel=1e-15)
    assert not rules(bom)


@pytest.mark.parametrize("cells", [["0.15", "0.3"], ["0", "1"]])
def test_numbers_that_may_be_fractions_are_rejected(cells: list[str]) -> None:
    bom = bom_of(*({"id": f"P{k}", "mass": 1.0, "mga": cell} for k, cell in enumerate(cells)))
    assert rules(bom) == ["MP622"]
    assert bom.has_errors


@pytest.mark.parametrize("cell", ["-5", "many", "1,234 %"])
def test_bad_growth(cell: str) -> None:
    bom = bom_of({"id": "A", "mass": 1.0, "mga [%]": "12"}, {"id": "B", "mass": 1.0, "mga [%]": cell})
    assert rules(bom) == ["MP622"]
    assert f"mga [%] of B is not a percentage of 0 or more: {cell}" in next(
        finding.message for finding in bom.findings if finding.rule == "MP622"
    )


def test_column_of_words_is_not_read() -> None:
    bom = bom_of(*({"id": f"P{k}", "mass": 1.0, "Growth": cell} for k, cell in enumerate(["yes", "no"])))
    assert bom.growth is None
    assert [finding.rule for finding in bom.findings if "Growth" in finding.message] == ["MP225"]


def test_column_in_kilograms_is_growth_as_a_mass() -> None:
    bom = bom_of(
        *(
            {"id": f"P{k}", "mass (kg)": mass, "Contingency (kg)": more}
            for k, (mass, more) in enumerate([(4, 1), (8, 3)])
        )
    )
    assert growth(bom) == [0.25, 0.375]


def test_weighed_items_have_none() -> None:
    bom = bom_of(
        {"id": "A", "mass": 1.0, "mga [%]": "10", "weighed": "yes", "method": ""},
        {"id": "B", "mass": 1.0, "mga [%]": None, "weighed": "", "method": "weighed"},
        {"id": "C", "mass": 1.0, "mga [%]": "20", "weighed": "", "method": "estimated"},
    )
    assert growth(bom) == [0.0, 0.0, 0.2]
    assert rules(bom) == ["MP623"]


def test_missing_growth_leaves_the_total_unknown() -> None:
    bom = bom_of({"id": "A", "mass": 1.0, "mga [%]": "10"}, {"id": "B", "mass": 1.0})
    assert rules(bom) == ["MP621"]
    result = rollup(bom)
    assert result.predicted is not None
    assert result.predicted.coverage.known_mass.tolist()[0] == 1
    requested = {"item": "SAT", "coverage-min": "100 %"}
    basic, with_growth = (
        check(result, _budget_from_tables("b", "", {"budget": [{**requested, "basis": basis}]})).verdicts[0]
        for basis in ("basic", "predicted")
    )
    assert (basic.kept, with_growth.kept, with_growth.value) == (True, False, 50.0)


def test_predicted_mass_center_and_tensor_by_the_formulas() -> None:
    """m' = Σ m(1+g); c' = Σ m(1+g) c / m'; I' = Σ (1+g) (I + m (|d|² − d dᵀ)), with d from c'."""
    random = np.random.default_rng(7)
    parts: list[dict[str, Any]] = []
    mass, center, share = random.uniform(1, 5, 4), random.uniform(-2, 2, (4, 3)), np.array([0.1, 0.0, 0.3, 0.25])
    spread = random.uniform(-1, 1, (4, 3, 3))
    tensors = np.array([np.eye(3) * np.trace(s @ s.T) - s @ s.T for s in spread])
    for k in range(4):
        six = [tensors[k][AXES.index(a), AXES.index(b)] for a, b in ENTRIES]
        parts.append(
            {
                "id": f"P{k}",
                "parent": "SUB" if k < 2 else "SAT",
                "mass": mass[k],
                "mga [%]": 100 * share[k],
                "POIconv": "-",
            }
            | {f"C{axis}": center[k][j] for j, axis in enumerate(AXES)}
            | {f"I{entry}": six[j] for j, entry in enumerate(ENTRIES)}
            | {"Ipoint": "false"}
        )
    bom = bom_of({"id": "SUB", "POIconv": "-"}, *parts)
    result = rollup(bom)
    heavy = mass * (1 + share)
    middle = heavy @ center / heavy.sum()
    whole = np.zeros((3, 3))
    for k in range(4):
        d = center[k] - middle
        whole += (1 + share[k]) * (tensors[k] + mass[k] * (d @ d * np.eye(3) - np.outer(d, d)))
    predicted = result.predicted
    assert predicted is not None
    assert predicted.bodies.center is not None
    assert predicted.bodies.inertia is not None
    assert predicted.bodies.mass[0] == pytest.approx(heavy.sum(), rel=1e-14)
    assert predicted.bodies.center[0] == pytest.approx(middle, rel=1e-12)
    expected = [whole[AXES.index(a), AXES.index(b)] for a, b in ENTRIES]
    assert predicted.bodies.inertia[0] == pytest.approx(expected, rel=1e-12)
    sub = result.bom.item("SUB")
    assert predicted.bodies.mass[sub] == pytest.approx(heavy[:2].sum(), rel=1e-14)
    assert result.root.mass == pytest.approx(mass.sum(), rel=1e-14)


def test_own_and_stated_numbers_of_assemblies_grow() -> None:
    rows = [
        {"id": "SAT", "parent": "", "mass": None, "mga [%]": None, "weighed": ""},
        {"id": "BUS", "parent": "SAT", "mass": 10.0, "mga [%]": 20, "weighed": ""},
        {"id": "BOX", "parent": "BUS", "mass": 4.0, "mga [%]": 50, "weighed": ""},
    ]
    own = rollup(Bom.from_records(rows, assembly_values="own")).predicted
    stated = rollup(Bom.from_records(rows, assembly_values="stated")).predicted
    assert own is not None
    assert stated is not None
    assert own.bodies.mass[0] == pytest.approx(10 * 1.2 + 4 * 1.5)
    bus = rollup(Bom.from_records(rows, assembly_values="own")).to_dict()["items"][1]
    assert (bus["allowance_mass"], bus["predicted_mass"]) == pytest.approx((10 * 0.2 + 4 * 0.5, 18.0))
    assert stated.bodies.mass[0] == pytest.approx(10 * 1.2)
    rows[1]["weighed"] = "yes"
    weighed = rollup(Bom.from_records(rows)).predicted
    assert weighed is not None
    assert weighed.bodies.mass[0] == 10.0


def test_quantities_count_growth_too() -> None:
    result = rollup(bom_of({"id": "A", "mass": 2.0, "mga [%]": 10, "qty": 3}))
    assert result.predicted is not None
    assert result.predicted.bodies.mass[0] == pytest.approx(6.6)


def test_growth_of_an_assembly_is_not_used() -> None:
    bom = Bom.from_records(
        [{"id": "SAT", "parent": "", "mga [%]": 10}, {"id": "A", "parent": "SAT", "mass": 1.0, "mga [%]": 10}]
    )
    assert rules(bom) == ["MP623"]
    assert bom.growth is not None
    assert np.isnan(bom.growth).tolist() == [True, False]


@pytest.mark.parametrize("name", SHIPPED_TABLES)
def test_shipped_tables_hold_the_numbers_of_the_reference(name: str, reference: Path) -> None:
    source = reference / "growth" / f"{name.replace('-', '_')}.csv"
    header, *rows = csv.reader(source.read_text(encoding="utf-8").splitlines())
    table = _read_growth_table(name)
    printed = {(row[0], word): float(cell) for row in rows for word, cell in zip(header[1:], row[1:], strict=True)}
    assert len(table.percent) == len(printed)
    assert all(table.of(*words) == percent for words, percent in printed.items())


def test_category_and_maturity() -> None:
    bom = bom_of(
        {"id": "A", "mass": 1.0, "category": "Propulsion", "Design maturity": "estimated"},
        {"id": "B", "mass": 1.0, "category": "batteries", "Design maturity": "Pre-Released", "mga [%]": 3},
        {"id": "C", "mass": 1.0, "category": "batteries", "Design maturity": "released"},
        growth_table="maturity-by-category",
    )
    assert growth(bom) == pytest.approx([0.18, 0.03, 0.05])
    assert not rules(bom)


def test_words_that_are_not_in_the_table_are_errors() -> None:
    bom = bom_of(
        {"id": "A", "mass": 1.0, "category": "Propulsoin", "maturity": "estimated"},
        {"id": "B", "mass": 1.0, "category": "thermal", "maturity": "estimatd"},
        growth_table="maturity-by-category",
    )
    assert rules(bom) == ["MP620", "MP620"]
    reported = " ".join(finding.message for finding in bom.findings)
    assert "nearest is propulsion" in reported
    assert "nearest is estimated" in reported
    blank = bom_of({"id": "A", "mass": 1.0, "category": "thermal", "maturity": ""}, growth_table="maturity-by-category")
    assert rules(blank) == ["MP621"]


def test_own_table_with_a_row_for_any(tmp_path: Path) -> None:
    path = tmp_path / "growth.csv"
    path.write_text("category,new,old\nany,20,5\nharness,50,30 %\n", encoding="utf-8")
    rows = {"id": "A", "mass": 1.0, "category": "box", "maturity": "NEW"}, {
        "id": "B", "mass": 1.0, "category": "Harness", "maturity": "old",
    }  # fmt: skip
    assert growth(bom_of(*rows, growth_table=str(path))) == [0.2, 0.3]


def test_missing_column_and_unreadable_tables(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="column required by growth table cubesat-by-source is missing: maturity"):
        bom_of({"id": "A", "mass": 1.0}, growth_table="cubesat-by-source")
    with pytest.raises(UsageError, match="column required by growth table maturity-by-category is missing: category"):
        bom_of({"id": "A", "mass": 1.0, "maturity": "estimated"}, growth_table="maturity-by-category")
    for text, reported in (
        ("a,b\n1,2\n", r"has no header or no rows: .*growth.csv \(expected, for instance, category,"),
        ("category,new\n", "has no header or no rows"),
        ("category,new\nany,-1\n", r"is not a percentage of 0 or more: -1 \(any, new\)"),
        ("category,new\nany\n", r"has 1 cells: any \(the header has 2\)"),
        ("category,new\nany,1\nANY,2\n", "is duplicated or has no name: ANY, new"),
        ('category,new\n"any,1\n', "is not valid csv"),
    ):
        path = tmp_path / "growth.csv"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=reported):
            _read_growth_table(str(path))
    with pytest.raises(UsageError, match=r"cannot be read.*maturity-by-category"):
        _read_growth_table(str(tmp_path / "none.csv"))


def test_limits_are_on_predicted_mass_by_default_and_sigmas_stay_apart() -> None:
    rows = {"id": "A", "mass [kg]": 800.0, "sigma_mass [kg]": 10.0, "mga [%]": 10.0}
    result = rollup(bom_of(rows))
    given = {"item": "SAT", "mass-max": "890 kg", "margin-min": "1 %", "probability-min": 0.5}
    verdicts = check(result, _budget_from_tables("b", "", {"budget": [given]})).verdicts
    mass, margin, chance, _ = verdicts
    assert mass.value == pytest.approx(880.0)
    assert margin.value == pytest.approx(100 * 10 / 880)
    assert chance.value == pytest.approx(0.841344746068543)  # Phi(1): 10 kg above 880, with the sigma of 800
    basic = check(result, _budget_from_tables("b", "", {"budget": [{**given, "basis": "basic"}]})).verdicts[0]
    assert basic.value == pytest.approx(800.0)
    by_allocation = {"item": "SAT", "mass-max": "1000 kg", "margin-min": "1 %", "margin-basis": "allocation"}
    share = check(result, _budget_from_tables("b", "", {"budget": [by_allocation]})).verdicts[1]
    assert share.value == pytest.approx(12.0)


def cells() -> Bom:
    parts = (
        {"id": "A", "mass [kg]": 12.5, "mga [%]": 10, "weighed": ""},
        {"id": "B", "mass [kg]": 7.5, "weighed": "yes"},
    )
    return bom_of(*parts)


def test_columns_of_growth() -> None:
    filling = rollup(cells()).filling(["growth"])
    added = {column.name: np.asarray(column.values, float).tolist() for column in filling.added}
    assert added == {
        "allowance_percent [%]": pytest.approx([6.25, 10.0, 0.0]),
        "allowance_mass [kg]": pytest.approx([1.25, 1.25, 0.0]),
        "predicted_mass [kg]": pytest.approx([21.25, 13.75, 7.5]),
    }
    assert not rollup(cells()).filling().added


def test_report_holds_what_is_predicted_of_every_item() -> None:
    items = rollup(cells()).to_dict()["items"]
    assert [item["predicted_mass"] for item in items] == [21.25, 13.75, 7.5]
    assert [item["allowance_percent"] for item in items] == [6.25, 10.0, 0.0]
    bare = rollup(bom_of({"id": "A", "mass": 1.0})).to_dict()["items"]
    assert "predicted_mass" not in bare[0]


def test_what_is_predicted_of_an_incomplete_assembly_is_blank() -> None:
    result = rollup(bom_of({"id": "A", "mass": 1.0, "mga [%]": 10}, {"id": "B", "mass": 2.0}))
    assert [item["predicted_mass"] for item in result.to_dict()["items"]] == [None, 1.1, None]


def test_sheet_and_screen_show_growth() -> None:
    from massprops_cli.reports.page.conventions import ResultWriteOptions
    from massprops_cli.reports.page.page import ASCII
    from massprops_cli.reports.sheets import _rollup_sheet
    from massprops_cli.reports.summary import growth_lines

    result = rollup(cells())
    header, first, *_ = _rollup_sheet(result, ResultWriteOptions()).rows
    assert dict(zip(header, first, strict=True))["predicted mass [kg]"] == pytest.approx(21.25)
    [line] = growth_lines(result, 0, ASCII)
    assert "basic mass 20 + growth allowance 1.25 (6.2 %) = predicted mass 21.25 kg" in line.text
    assert not growth_lines(rollup(bom_of({"id": "A", "mass": 1.0})), 0, ASCII)
    lacking = rollup(bom_of({"id": "A", "mass": 1.0, "mga [%]": 10}, {"id": "B", "mass": 2.0}))
    assert "1 part without a growth allowance" in growth_lines(lacking, 0, ASCII)[0].text


def test_decimal_commas_and_words_for_blank() -> None:
    rows = [{"id": f"P{k}", "mass": 1.0, "mga [%]": cell} for k, cell in enumerate(["12,5", "7 %", "0,5 %", "TBD"])]
    bom = bom_of(*rows)
    assert growth(bom) == pytest.approx([0.125, 0.07, 0.005, float("nan")], nan_ok=True)
    assert [finding.rule for finding in bom.findings] == ["MP229", "MP231", "MP621"]


def test_percent_as_a_worksheet_shows_it(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="the workbook is written by XlsxWriter, the extra test")
    path = tmp_path / "bom.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet, percent = book.add_worksheet(), book.add_format({"num_format": "0.0%"})
        sheet.write_row(0, 0, ["id", "parent", "mass", "MGA"])
        for row, cells in enumerate((["SAT", ""], ["A", "SAT", 10], ["B", "SAT", 20]), 1):
            sheet.write_row(row, 0, cells)
        sheet.write(2, 3, 0.15, percent)
        sheet.write(3, 3, 0.05, percent)
    assert growth(Bom.read(str(path))) == pytest.approx([0.15, 0.05])


def test_a_growth_beyond_all_bounds_warns_of_no_overflow():
    parts = [
        {"id": "a", "parent": "T", "mass": 4.0, "mga [%]": 1e308},
        {"id": "b", "parent": "T", "mass": 5.0, "mga [%]": 0},
    ]
    result = rollup(Bom.from_records([{"id": "T", "parent": ""}, *parts]))
    percent = _allowance_column(result, "allowance_percent")
    assert percent is not None
    assert percent[1:].tolist() == pytest.approx([1e308, 0.0])


@pytest.mark.parametrize("has_blank_mass", [True, False])
def test_what_lacks_a_growth_counts_with_its_mass_in_a_lower_bound(has_blank_mass):
    other = {"mass": None, "mga [%]": 10} if has_blank_mass else {"mass": 3.0, "mga [%]": None}
    rows = [{"id": "T", "parent": ""}, {"id": "a", "parent": "T", "mass": 2.0, "mga [%]": 50}]
    bom = Bom.from_records([*rows, {"id": "b", "parent": "T", **other}], allow_missing=frozenset({"mass"}))
    predicted = rollup(bom, keep_going=True).predicted
    assert predicted is not None
    assert predicted.coverage.known_mass.tolist() == [1, 1, 0]
    known = 0.0 if has_blank_mass else 3.0
    assert predicted.bodies.mass.tolist() == [3.0 + known, 3.0, known]  # 2 + 50 %
    assert predicted.coverage.mass_is_bound.tolist()[0]


def test_a_share_or_a_percentage_is_ambiguous_with_both_numbers():
    rows = [{"id": "T", "parent": "", "mga": ""}, {"id": "a", "parent": "T", "mass": 1.0, "mga": "0"}]
    bom = Bom.from_records([*rows, {"id": "b", "parent": "T", "mass": 1.0, "mga": "0.15"}])
    (finding,) = (one for one in bom.findings if one.rule == "MP622")
    assert "0.15 % or 15 %" in finding.message
    assert finding.item == "b"


def test_what_is_weighed_needs_no_growth_that_can_be_read():
    head = {"id": "T", "parent": "", "mga [%]": "", "weighed": ""}
    weighed = {"id": "a", "parent": "T", "mass": 2.0, "mga [%]": "much", "weighed": "yes"}
    other = {"id": "b", "parent": "T", "mass": 3.0, "mga [%]": "10", "weighed": ""}
    predicted = rollup(Bom.from_records([head, weighed, other])).predicted
    assert predicted is not None
    assert predicted.bodies.mass[0] == pytest.approx(2 + 3.3, rel=1e-15)
    fault = Bom.from_records([head, weighed | {"weighed": ""}, other])
    assert [finding.rule for finding in fault.findings if finding.severity.value == "error"] == ["MP622"]


def test_what_is_weighed_is_not_looked_up():
    words = {"category": "structure", "maturity": "no such word"}
    rows = [{"id": "T", "parent": ""}, {"id": "a", "parent": "T", "mass": 2.0, "weighed": "yes", **words}]
    options = {"growth_table": "maturity-by-category"}
    predicted = rollup(Bom.from_records(rows, **options)).predicted
    assert predicted is not None
    assert predicted.bodies.mass[0] == 2.0
    fault = Bom.from_records([rows[0], rows[1] | {"weighed": "no"}], **options)
    assert "MP620" in {finding.rule for finding in fault.findings}


@pytest.mark.parametrize("heading", ["Growth factor", "Contingency factor", "Wachstumsfaktor"])
def test_growth_as_a_factor(heading):
    """mass × factor: 10 × 1.1 + 20 × 1.15 + 5 × 1."""
    rows = [{"id": f"P{k}", "mass": m, heading: f} for k, (m, f) in enumerate([(10, "1.10"), (20, "1.15"), (5, "1.0")])]
    result = rollup(Bom.from_records(rows))
    assert result.predicted is not None
    assert result.predicted.bodies.mass[result.bom.tree.order[0]] == pytest.approx(11 + 23 + 5, rel=1e-12)


def test_a_factor_next_to_percentages_is_ambiguous():
    rows = [{"id": f"P{k}", "mass": 1.0, "Growth factor": cell} for k, cell in enumerate(["10", "5", "1.15"])]
    (finding,) = (one for one in Bom.from_records(rows).findings if one.rule == "MP622")
    assert "1.15 % or 15 %" in finding.message


WITH_MARGIN = "Item,Mass [kg],Growth %,Predicted [kg]\nBus,100,10,110\nPayload,50,20,60\nTotal,150,,170\n"
WITH_MARGIN += "System margin 20 %,,,34\nTotal with margin,,,204\n"


def checked_total(tmp_path: Path, entry: str) -> mp.Check:
    (table := tmp_path / "sat.csv").write_text(WITH_MARGIN)
    (budget := tmp_path / "budget.toml").write_text(f'[[budget]]\nitem = "sat"\n{entry}\n')
    return mp.check(table, budget)


@pytest.mark.parametrize(
    ("entry", "kept", "rules"),
    [
        ('mass-max = "190 kg"', True, {"MP628"}),  # 170, and 170 + 34 with the margin
        ('mass-max = "204 kg"', True, set()),
        ('mass-max = "160 kg"', False, {"MP601"}),
        ('mass-max = "190 kg"\nbasis = "with-margin"', False, {"MP601"}),
        ('mass-max = "204 kg"\nbasis = "with-margin"', True, set()),
        ('mass-max = "190 kg"\nbasis = "basic"', True, set()),  # 150 + 34 = 184
        ('mass-max = "180 kg"\nbasis = "basic"', True, {"MP628"}),
    ],
)
def test_limits_and_the_system_margin_of_the_table(tmp_path: Path, entry: str, kept: bool, rules: set[str]) -> None:
    done = checked_total(tmp_path, entry)
    assert [one.kept for one in done.verdicts] == [kept]
    assert {one.rule for one in done.findings if one.rule.startswith("MP6")} == rules
    if "with-margin" in entry:
        assert done.verdicts[0].value == pytest.approx(100 * 1.1 + 50 * 1.2 + 34)


def test_the_system_margin_is_of_the_total_only(tmp_path: Path) -> None:
    (table := tmp_path / "sat.csv").write_text(WITH_MARGIN)
    (budget := tmp_path / "budget.toml").write_text('[[budget]]\nitem = "Bus"\nmass-max = "120 kg"\n')
    done = mp.check(table, budget)  # 110 kg, and 110 + 34 is above 120
    assert done.is_kept
    assert "MP628" not in {one.rule for one in done.findings}


def test_the_review_table_has_the_margin_with_the_system_margin(tmp_path: Path) -> None:
    (table := tmp_path / "sat.csv").write_text(WITH_MARGIN)
    entry = '[[budget]]\nitem = "sat"\nmass-max = "190 kg"\nbasis = "with-margin"\n'
    (tmp_path / "massprops.toml").write_text(entry)
    assert mp.rollup(table).table()["margin"].iloc[-1] == pytest.approx(190 - (110 + 60 + 34))


def test_an_unknown_item_names_the_root(tmp_path: Path) -> None:
    (table := tmp_path / "sat.csv").write_text(WITH_MARGIN)
    (budget := tmp_path / "budget.toml").write_text('[[budget]]\nitem = "ROOT"\nmass-max = "120 kg"\n')
    assert [one.message for one in mp.check(table, budget).findings if one.rule == "MP610"] == [
        "id is not in the table: ROOT (root: sat)"
    ]


def test_a_margin_in_no_total_counts_where_the_entry_states_it(tmp_path: Path) -> None:
    (table := tmp_path / "sat.csv").write_text(WITH_MARGIN.replace("Total with margin,,,204\n", ""))
    (budget := tmp_path / "b.toml").write_text('[[budget]]\nitem = "sat"\nmass-max = "190 kg"\nbasis = "with-margin"\n')
    assert mp.check(table, budget).verdicts[0].value == pytest.approx(204)
