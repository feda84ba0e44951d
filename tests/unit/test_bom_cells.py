"""Cells of number columns: units, blanks, parts of sets, texts that are no numbers."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.item_rows import _MANY_CELLS
from tests.unit.bom_tables import HEADER, bom_of, only, reported


def test_numbers_are_coherent() -> None:
    bom = bom_of("id parent mass[g] Cx[mm] Cy[cm] Cz[mm]", "t . . . . .", "a t 2000 1 2 3", "b t 1 0 0 0")
    assert bom.units.mass == "g"
    assert bom["a"].center is not None
    assert bom["a"].center.tolist() == [1.0, 20.0, 3.0]


@pytest.mark.parametrize(
    ("cell", "rule", "words"),
    [
        ("1,234", "MP205", "1234 or 1.234"),
        ("1e999", "MP221", "too large"),
        ("1e-999", "MP221", "too small"),
        ("x", "MP205", "x"),
    ],
)
def test_a_cell_that_is_not_a_number_has_a_place(cell: str, rule: str, words: str) -> None:
    finding = only(bom_of("id parent mass", "t . .", f"a t {cell}", "b t 1").findings, rule)
    assert (finding.item, finding.place.row, finding.place.column, finding.value) == ("a", 3, "mass", cell)
    assert words in finding.message
    assert finding.message.startswith("mass of a ")


def test_a_cell_that_is_not_a_number_is_not_reported_as_blank_too() -> None:
    bom = bom_of("id parent mass", "t . .", "a t x", "b t 1")
    assert [f.rule for f in bom.findings] == ["MP205"]
    assert mp.rollup(bom, keep_going=True).root.mass == 1.0


def test_the_reason_is_each_cells_own_also_among_many() -> None:
    rows = [f"p{k} t {'1_5' if k % 2 else 'abc'}" for k in range(_MANY_CELLS + 2)]
    bom = bom_of("id parent mass", "t . .", *rows)
    finding = only(bom.findings, "MP205")
    assert finding.count == _MANY_CELLS + 2
    assert "abc" in finding.message
    assert f"row {_MANY_CELLS + 4}" in finding.message


def test_blank_on_some_leaves_is_reported_of_each() -> None:
    findings = reported(bom_of("id parent mass", "t . .", "a t .", "b t 1", "c t .").findings, "MP206")
    assert [(f.item, f.place.row, f.message) for f in findings] == [
        ("a", 3, "mass of a is missing"),
        ("c", 5, "mass of c is missing"),
    ]
    assert "--allow-missing mass" in findings[0].remedy


def test_blank_on_the_only_leaf_names_it() -> None:
    assert only(bom_of("id parent mass", "t . .", "a t .").findings, "MP206").message == "mass of a is missing"


def test_items_that_are_in_another_order_than_their_rows() -> None:
    """Uses are expanded level by level, and what is wrong with their rows is reported from the top of the file down."""
    rows = ("B d x", "A b .", ". A .", "A B .", "B c .", "b e y", "b f 1", "b g .", "B b .")
    bom = bom_of("parent child mass", *rows)
    assert bom.rows.tolist() != sorted(bom.rows.tolist())
    assert [(f.item, f.place.row, f.value) for f in reported(bom.findings, "MP205")] == [
        ("A/B/d", 2, "x"),
        ("A/b/e", 7, "y"),
    ]
    blank = [f.place.row for f in reported(bom.findings, "MP206")]
    assert blank == sorted(blank)
    assert len(set(blank)) > 1


def test_blank_on_all_leaves_is_one_story() -> None:
    bom = bom_of("id parent mass Cx Cy Cz", "t . . . . .", *(f"p{k} t . . . ." for k in range(9)))
    assert [(f.rule, f.count) for f in bom.findings] == [("MP206", 9), ("MP206", 9)]
    assert bom.findings[0].message == "mass of all 9 leaves is missing: column mass is blank"
    after = mp.rollup(bom, keep_going=True)
    assert len(after.findings) == 2
    assert np.isnan(after.root.mass)


@pytest.mark.parametrize("allowed", ["mass", "center", "inertia", "sigma"])
def test_allow_missing_warns_of_its_own_quantity_alone(allowed: str) -> None:
    numbers = ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    sigmas = [f"sigma_{name}" for name in numbers]
    full = dict.fromkeys([*numbers, *sigmas], 1.0) | {"Ixy": 0, "Ixz": 0, "Iyz": 0, "POIconv": "-"}
    rows = [{"id": "t"}, {"id": "a", "parent": "t", "POIconv": "-"}, full | {"id": "b", "parent": "t"}]
    rules: dict[str, list[str]] = {}
    for finding in Bom.from_records(rows, allow_missing=allowed).findings:
        rules.setdefault(finding.rule, []).append(finding.message)
    words = {"mass": "mass of a is missing", "center": "centre of mass of a is missing"}
    warned = {"mass", "center"} & {allowed}
    assert "MP502" not in rules
    assert {text for text in rules["MP206"] if text in words.values()} == {words[w] for w in set(words) - warned}
    assert {text for text in rules.get("MP223", ()) if text in words.values()} == {words[w] for w in warned}


def test_strict_makes_everything_missing_an_error() -> None:
    numbers = ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    sigmas = [f"sigma_{name}" for name in numbers]
    full = dict.fromkeys([*numbers, *sigmas], 1.0) | {"Ixy": 0, "Ixz": 0, "Iyz": 0, "POIconv": "-"}
    rows = [{"id": "t"}, {"id": "a", "parent": "t", "POIconv": "-"}, full | {"id": "b", "parent": "t"}]
    for options in ({"strict": True}, {"allow_missing": "none"}):
        rules = [f.rule for f in Bom.from_records(rows, **options).findings]
        assert (rules.count("MP206"), rules.count("MP502"), rules.count("MP223")) == (3, 3, 0)
    with pytest.raises(mp.UsageError, match="cannot be combined with strict"):
        Bom.from_records(rows, strict=True, allow_missing="mass")


def test_part_of_a_set_is_an_error_allowed_or_not() -> None:
    bom = bom_of(
        "id parent mass Cx Cy Cz", "t . . . . .", "a t 1 1 . 3", "b t 1 . . 0", "c t 1 1 1 1", allow_missing="all"
    )
    assert {f.message for f in reported(bom.findings, "MP212")} == {
        "centre of mass of a is incomplete: Cy missing",
        "centre of mass of b is incomplete: Cx, Cy missing",
    }
    assert {f.rule for f in bom.findings} == {"MP212"}
    assert only(bom_of("id parent mass Cx Cy Cz", "t . . . . .", "a t 1 1 . 3").findings, "MP212").place.column == "Cy"
    assert bom.has_errors


def test_missing_is_never_zero() -> None:
    rows = ("t . . . . . . . . . . . - .", "a t 2 . . . 1 1 1 0 0 0 - false", "b t 3 1 0 0 1 1 1 0 0 0 - false")
    bom = bom_of(HEADER, *rows, allow_missing="center")
    root = mp.rollup(bom).root
    assert root.center is not None
    assert root.inertia is not None
    assert (root.mass, root.center.tolist(), np.diag(root.inertia).tolist()) == (5.0, [1, 0, 0], [1, 1, 1])
    assert mp.rollup(bom).to_dict()["items"][0]["coverage"] == {
        "leaves": 2,
        "mass": 2,
        "center": 1,
        "inertia": 1,
        "center_share_of_mass": 0.6,
        "inertia_share_of_mass": 0.6,
        "mass_lower_bound": False,
        "moments_lower_bound": True,
    }


def test_a_row_left_out_by_its_quantity_may_be_blank_and_stays_so() -> None:
    bom = bom_of("id parent qty mass Cx Cy Cz", "t . . . . . .", "a t 0 . . . .", "b t 1 2 1 0 0")
    assert not bom.has_errors
    result = mp.rollup(bom)
    assert result.root.mass == 2.0
    assert result.to_dict()["items"][1]["mass"] is None
    assert result.to_dict()["items"][1]["center"] is None
