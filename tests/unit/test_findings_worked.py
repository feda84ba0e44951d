"""Worked examples of functions in the room findings."""

from __future__ import annotations

from massprops_cli.findings.finding import (
    Place,
    html_table,
    name_list,
    nearest_name,
    nearest_name_hint,
    notebook_progress,
    rule_finding,
)


def test_place__str_example() -> None:
    assert (str(Place("bom.csv", line=17, position=5))) == ("bom.csv:17:5")
    assert (str(Place("bom.xlsx", sheet="Parts", row=17, cell="K17"))) == ("bom.xlsx:Parts!K17")


def test_rule_finding_example() -> None:
    assert (rule_finding("MP302", "the id is empty", Place("bom.csv", line=4)).severity.value) == ("error")


def test_name_list_example() -> None:
    assert (name_list(["a", "b", "c"], 2), name_list(["a", "b"], 2), name_list(["a"], 1, count=1_500)) == (
        ("a, b and 1 more", "a, b", "a and 1,499 more")
    )


def test_nearest_name_hint_example() -> None:
    assert (nearest_name_hint("mas", ["mass", "Cx"])) == ("; the nearest is mass")
    assert (nearest_name_hint("colour", ["qty_column"])) == ("")


def test_nearest_name_example() -> None:
    assert (nearest_name("mas", ["mass", "Cx"]), nearest_name("mas", ["Cx"])) == (("mass", ""))


def test_html_table_example() -> None:
    assert (html_table("Masses", ["id", "mass [kg]"], [["<A>", 2.0]], 1)[:39]) == (
        "<table><caption>Masses</caption><thead>"
    )


def test_notebook_progress_example() -> None:
    with notebook_progress("100 samples") as advance:
        advance(50, 100)
