"""Budgets at the edges: limits that are met exactly, selectors and shares at their bounds, and the words for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.limits import _inside_point, _margin_without_rounding
from massprops_cli.budgets.model import Selector
from massprops_cli.findings.finding import ConfigError
from tests.unit.test_budget_checking import checked, masses, only, result_of

MASS = 'mass-max = "1 kg"'


def entries(folder: Path, *lines: str) -> Any:
    path = folder / "budget.toml"
    path.write_text("\n".join(["[[budget]]", *lines]), encoding="utf-8")
    return read_budget(str(path)).entries


def test_range_states_both_ends(tmp_path: Path) -> None:
    rows = [{"id": "S", "parent": "", "mass [kg]": 2.0, "Cx [mm]": 3.0, "Cy [mm]": 0.0, "Cz [mm]": 0.0}]
    verdict = only(result_of(rows), tmp_path, 'item = "S"', 'center-x = ["-5 mm", "5 mm"]')
    assert verdict.requirement == "-5 mm ≤ Cx ≤ 5 mm (predicted)"
    assert (verdict.limit, verdict.margin) == (5.0, 2.0)


def test_limit_met_exactly_is_kept_with_no_margin(tmp_path: Path) -> None:
    verdict = only(masses(A=2.0), tmp_path, 'item = "SAT"', 'mass-max = "2 kg"')
    assert verdict.message == "SAT: predicted mass 2 kg is within 2 kg, margin 0 kg"


@pytest.mark.parametrize(
    ("selector", "expected"),
    [("{ level = 0 }", Selector(level=0)), ('{ column = "a", value = "" }', Selector(column="a", value=""))],
)
def test_selector_at_its_bound(selector: str, expected: Selector, tmp_path: Path) -> None:
    assert entries(tmp_path, f"item = {selector}", MASS)[0].selector == expected


@pytest.mark.parametrize(
    "selector",
    [
        "{ level = -1 }", "{ level = true }", "{ level = 1, column = 'a' }", '{ column = "", value = "x" }',
        '{ column = "a", value = "x", level = 1 }', '""',
    ],
)  # fmt: skip
def test_selector_beyond_its_bound(selector: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="item"):
        entries(tmp_path, f"item = {selector}", MASS)


@pytest.mark.parametrize(("text", "share"), [('"95 %"', 0.95), ("0.95", 0.95), ('"0.5 %"', 0.005)])
def test_probability_as_share_or_percentage(text: str, share: float, tmp_path: Path) -> None:
    limits = entries(tmp_path, 'item = "S"', MASS, f"probability-min = {text}")[0].limits
    assert limits[-1].low.number == pytest.approx(share, rel=1e-15)


@pytest.mark.parametrize("text", ["0.0", "1.0", '"0 %"', '"100 %"', "true", "2.0"])
def test_probability_at_an_end_is_rejected(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a probability"):
        entries(tmp_path, 'item = "S"', MASS, f"probability-min = {text}")


@pytest.mark.parametrize(("text", "is_valid"), [("-100 %", False), ("-99 %", True), ("0 %", True)])
def test_margin_at_its_bound(text: str, is_valid: bool, tmp_path: Path) -> None:
    lines = ('item = "S"', MASS, f'margin-min = "{text}"')
    if is_valid:
        assert entries(tmp_path, *lines)
    else:
        with pytest.raises(ConfigError, match="is not a margin"):
            entries(tmp_path, *lines)


@pytest.mark.parametrize(("text", "is_valid"), [("0 %", False), ("100 %", True), ("100.1 %", False), ("0.1 %", True)])
def test_share_at_its_bounds(text: str, is_valid: bool, tmp_path: Path) -> None:
    lines = ('item = "S"', f'coverage-min = "{text}"')
    if is_valid:
        assert entries(tmp_path, *lines)[0].limits[0].low.number == float(text.split(maxsplit=1)[0])
    else:
        with pytest.raises(ConfigError, match="is not a share"):
            entries(tmp_path, *lines)


def test_shares_of_the_basic_mass_are_without_growth(tmp_path: Path) -> None:
    rows = [
        {"id": "S", "parent": "", "mass [kg]": None, "growth_%": None, "method": ""},
        {"id": "A", "parent": "S", "mass [kg]": 1.0, "growth_%": 100.0, "method": "estimated"},
        {"id": "B", "parent": "S", "mass [kg]": 1.0, "growth_%": 0.0, "method": "calculated"},
    ]
    for basis, share in (("basic", 50.0), ("predicted", 100 / 3)):
        lines = ('item = "S"', 'maturity-min = ["calculated", "60 %"]', f'basis = "{basis}"')
        verdict = only(result_of(rows), tmp_path, *lines)
        assert verdict.value == pytest.approx(share, rel=1e-12), basis


def test_margin_of_nothing_has_no_probability(tmp_path: Path) -> None:
    rows = [{"id": "S", "parent": "", "mass [kg]": 0.0, "sigma_mass [kg]": 0.1}]
    lines = ('item = "S"', 'mass-max = "1 kg"', 'margin-min = "5 %"', "probability-min = 0.9")
    messages = [one.message for one in checked(result_of(rows), tmp_path, *lines).verdicts]
    assert any("its mass is not above 0" in one for one in messages)
    rows[0]["mass [kg]"] = 0.5
    messages = [one.message for one in checked(result_of(rows), tmp_path, *lines).verdicts]
    assert not any("is not above 0" in one for one in messages)


def test_probability_of_a_margin_has_the_basis_of_the_margin(tmp_path: Path) -> None:
    rows = [{"id": "S", "parent": "", "mass [kg]": 1.0, "sigma_mass [kg]": 0.001, "growth_%": 50.0}]
    lines = ('item = "S"', 'mass-max = "2 kg"', 'margin-min = "50 %"', 'basis = "predicted"', "probability-min = 0.9")
    # 2 / 1.5 − 1 = 33 % of the predicted mass, 2 / 1 − 1 = 100 % of the basic one
    for basis, is_kept in (("predicted", False), ("basic", True)):
        verdicts = checked(result_of(rows), tmp_path, *lines, f'margin-basis = "{basis}"').verdicts
        of_margin = [one for one in verdicts if "margin ≥" in one.requirement and "P(" in one.requirement]
        assert [one.kept for one in of_margin] == [is_kept], basis


def test_missing_parts_are_named_up_to_three(tmp_path: Path) -> None:
    result = masses(A=1.0, B=None, C=None, D=None, E=None)
    verdict = only(result, tmp_path, 'item = "SAT"', 'mass-min = "2 kg"')
    assert "4 of its 5 parts have no mass (B, C, D and 1 more)" in verdict.message
    verdict = only(masses(A=1.0, B=None, C=None, D=None), tmp_path, 'item = "SAT"', 'mass-min = "2 kg"')
    assert "3 of its 4 parts have no mass (B, C, D)" in verdict.message


def test_notebook_shows_verdicts(tmp_path: Path) -> None:
    outcome = checked(masses(A=2.0), tmp_path, 'item = "SAT"', 'mass-max = "3 kg"', 'mass-min = "2.5 kg"')
    assert outcome._repr_html_().count("<td>kept</td>") == 1
    assert outcome._repr_html_().count("<td>not kept</td>") == 1


def test_margin_met_exactly_in_another_unit(tmp_path: Path) -> None:
    result = masses(**{f"P{k}": 0.1 for k in range(30)})
    assert result.root.mass != 3.0
    for basis in ("basic", "allocation"):
        top = {"basic": "3750 g", "allocation": "4000 g"}[basis]
        lines = ('item = "SAT"', f'mass-max = "{top}"', 'margin-min = "25 %"', f'margin-basis = "{basis}"')
        of_margin = [one for one in checked(result, tmp_path, *lines).verdicts if one.subject == "margin-min"]
        assert [one.kept for one in of_margin] == [True], basis


SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0)]


@pytest.mark.parametrize(
    ("point", "found"),
    [
        ((4.05, 1.0), (4.0, 1.0)), ((-0.05, 1.0), (0.0, 1.0)), ((2.0, 2.05), (2.0, 2.0)), ((2.0, -0.05), (2.0, 0.0)),
        ((4.1, 1.0), (4.0, 1.0)), ((4.2, 1.0), None), ((2.0, 2.2), None), ((2.0, -0.2), None),
    ],
)  # fmt: skip
def test_point_within_the_slack_of_an_edge(point: Any, found: Any) -> None:
    inside = _inside_point(SQUARE, point, (0.1 + 1e-12, 0.1))
    assert inside == (None if found is None else pytest.approx(found, abs=1e-12))


def test_tip_of_an_envelope_is_reached_in_mass() -> None:
    # above the tip no edge is at this mass; half a slack below it one is
    tip = [(0.0, 1.0), (2.0, 1.0), (1.0, 3.0)]
    assert _inside_point(tip, (1.0, 3.05), (0.1, 0.1)) == (1.0, 3.0)
    down = [(0.0, 3.0), (1.0, 1.0), (2.0, 3.0)]
    assert _inside_point(down, (1.0, 0.95), (0.1, 0.1)) == (1.0, 1.0)


def test_margin_within_rounding_is_none() -> None:
    assert _margin_without_rounding(-1e-3, 1e-2) == 0.0
    assert _margin_without_rounding(-2e-2, 1e-2) == -2e-2


def test_limits_may_be_equal(tmp_path: Path) -> None:
    lines = ('item = "SAT"', 'mass-min = "2000 g"', 'mass-max = "2 kg"')
    assert all(one.kept for one in checked(masses(A=2.0), tmp_path, *lines).verdicts)
    with pytest.raises(ConfigError, match="is above mass-max"):
        entries(tmp_path, 'item = "SAT"', 'mass-min = "2001 g"', 'mass-max = "2 kg"')


@pytest.mark.parametrize(
    "line",
    [
        'maturity-min = ["calculated"]', 'maturity-min = ["calculated", "80 %", "1 %"]', 'maturity-min = "guessed"',
        'center-envelope = [["0 m", "1 kg"], ["1 m", "1 kg"], ["1 m"]]',
        'center-envelope = [["0 m", "1 kg"], ["1 m", "1 kg"], "1 m"]',
        'center-envelope = [["0 m", "1 kg"], ["1 m", "2 kg"]]',
    ],
)  # fmt: skip
def test_list_of_another_length_is_rejected(line: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"toml:3"):
        entries(tmp_path, 'item = "SAT"', line)


def test_known_part_above_a_limit_breaks_it(tmp_path: Path) -> None:
    result = masses(A=2.5, B=None)
    verdict = only(result, tmp_path, 'item = "SAT"', 'mass-max = "2000 g"')
    assert verdict.message.startswith("SAT: known part of predicted mass 2500 g is above 2000 g by 500 g")
    assert (verdict.value, verdict.margin, verdict.kept) == (2500.0, -500.0, False)
    assert verdict.is_broken
    assert not verdict.is_undecided
    open_one = only(result, tmp_path, 'item = "SAT"', 'mass-max = "3000 g"')
    assert open_one.is_undecided
    assert open_one.to_dict()["at_least"] == 2500.0
    assert "at_least" not in verdict.to_dict()


def test_margin_of_a_known_part_above_the_greatest_mass_is_broken(tmp_path: Path) -> None:
    lines = ('item = "SAT"', 'mass-max = "3 kg"', 'margin-min = "20 %"')
    # at most 2.5 kg leave a margin of 20 %
    for mass, margin in ((2.6, 100 * (3 / 2.6 - 1)), (2.4, None)):
        verdicts = checked(masses(A=mass, B=None), tmp_path, *lines).verdicts
        (of_margin,) = [one for one in verdicts if one.subject == "margin-min"]
        assert of_margin.value == (None if margin is None else pytest.approx(margin))
        assert not of_margin.kept


def test_envelope_names_what_is_missing(tmp_path: Path) -> None:
    corners = 'center-envelope = [["0 m", "1 kg"], ["1 m", "1 kg"], ["1 m", "5 kg"]]'
    rows = [
        {"id": "S", "parent": "", "mass [kg]": None, "Cx [m]": None, "Cy [m]": None, "Cz [m]": None},
        {"id": "A", "parent": "S", "mass [kg]": 2.0, "Cx [m]": None, "Cy [m]": None, "Cz [m]": None},
    ]
    result = result_of(rows, allow_missing=frozenset({"center"}))
    assert "centre" in only(result, tmp_path, 'item = "S"', corners).message
    rows[1] |= {"mass [kg]": None, "Cx [m]": 0.5, "Cy [m]": 0.0, "Cz [m]": 0.0}
    result = result_of(rows, allow_missing=frozenset({"mass"}))
    assert "has no mass" in only(result, tmp_path, 'item = "S"', corners).message


def test_errors_of_the_tree_leave_limits_open(tmp_path: Path) -> None:
    rows = [
        {"id": "S", "parent": "", "mass [kg]": None},
        {"id": "A", "parent": "S", "mass [kg]": 2.0},
        {"id": "B", "parent": "X", "mass [kg]": 1.0},
    ]
    result = result_of(rows)
    verdict = only(result, tmp_path, 'item = "S"', 'mass-max = "3 kg"')
    assert verdict.is_undecided
    assert "the table has errors (MP305), so items may be outside the tree" in verdict.message
    over = only(result, tmp_path, 'item = "S"', 'mass-max = "1 kg"')
    assert (over.is_broken, over.is_undecided, over.margin) == (True, False, -1.0)
    allowed = only(result, tmp_path, 'item = "S"', 'mass-max = "3 kg"', 'incomplete = "allow"')
    assert allowed.kept


def test_column_on_two_columns_selects_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mass [kg],group,group\nS,,,,\nA,S,1,x,y\n")
    result = mp.rollup(mp.read_bom(path), keep_going=True)
    findings = checked(result, tmp_path, 'item = { column = "group", value = "x" }', MASS).budget_findings
    assert ["header is on 2 columns: group" in one.message for one in findings if one.rule == "MP610"] == [True]


def test_value_near_those_of_the_column_is_offered(tmp_path: Path) -> None:
    rows = [
        {"id": "S", "parent": "", "mass [kg]": None, "group": "power"},
        {"id": "A", "parent": "S", "mass [kg]": 1.0, "group": ""},
    ]
    findings = checked(result_of(rows), tmp_path, 'item = { column = "group", value = "powr" }', MASS).budget_findings
    assert any("the nearest is power" in one.message for one in findings)
    kept = checked(result_of(rows), tmp_path, 'item = { column = "group", value = "power" }', MASS).verdicts
    assert [one.item for one in kept] == ["S"]


def test_budget_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg]\nS,,\nA,S,2\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="no budget is given"):
        mp.check(mp.read_bom("bom.csv"))
    (tmp_path / "massprops.toml").write_text('[[budget]]\nitem = "S"\nmass-max = "1 kg"\n')
    assert [one.kept for one in mp.check(mp.read_bom("bom.csv")).verdicts] == [False]
    (tmp_path / "massprops.toml").write_text("[read]\n")
    with pytest.raises(ConfigError, match="no budget is given"):
        mp.check(mp.read_bom("bom.csv"))
