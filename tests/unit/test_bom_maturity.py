"""Shares of mass that are estimated, calculated, weighed."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.budgets.file import _budget_from_tables
from tests.unit.bom_tables import bom_of

HEADER = "id parent mass qty method sigma_mass"


def shares(*rows: str, **options: object) -> dict[str, list[float]]:
    result = mp.rollup(bom_of(HEADER, *rows, **options))
    return {word: share.tolist() for word, share in result.shares_of_mass.items()}


def test_masses_count_as_often_as_their_quantities_state() -> None:
    """1 + 2·(3 + 2·0.5) kg: 1 weighed, 6 estimated, 2 calculated."""
    rows = ("t . . . . .", "a t 1 1 W 0", "m t . 2 . .", "b m 3 1 E 0", "c m 0.5 2 calc. 0")
    found = shares(*rows)
    assert {word: share[0] for word, share in found.items()} == pytest.approx(
        {"estimated": 6 / 9, "calculated": 2 / 9, "weighed": 1 / 9}
    )
    assert found["estimated"][2] == pytest.approx(3 / 4)
    assert np.sum(list(found.values()), axis=0) == pytest.approx(np.ones(5))


def test_a_removed_piece_counts_by_its_size() -> None:
    rows = ("t . . . . .", "a t 3 1 weighed 0", "hole t 1 -1 estimated 0")
    found = shares(*rows)
    assert (found["weighed"][0], found["estimated"][0]) == (0.75, 0.25)
    rows = ("t . . . . .", "a t 3 1 weighed 0", "hole t -1 1 estimated 0")
    found = shares(*rows, allow_negative_mass=True)
    assert (found["weighed"][0], found["estimated"][0]) == (0.75, 0.25)


def test_what_is_under_a_weighed_assembly_does_not_count() -> None:
    header = "id parent mass method sigma_mass weighed"
    rows = ("t . . . . .", "s t 5 weighed 0.1 yes", "a s 2 estimated 0.1 no", "b t 5 estimated 0.1 no")
    result = mp.rollup(bom_of(header, *rows))
    found = {word: share[0] for word, share in result.shares_of_mass.items()}
    assert found == pytest.approx({"estimated": 0.5, "calculated": 0.0, "weighed": 0.5})


def test_without_the_column_there_are_no_shares() -> None:
    assert mp.rollup(bom_of("id parent mass", "t . .", "a t 1")).shares_of_mass == {}


def test_a_row_that_is_marked_as_weighed_is_weighed_whatever_its_method() -> None:
    rows = [
        {"id": "top", "parent": "", "mass": None, "weighed": None, "method": None},
        {"id": "a", "parent": "top", "mass": 3.0, "weighed": "yes", "method": "estimated"},
        {"id": "b", "parent": "top", "mass": 1.0, "weighed": "no", "method": "calculated"},
    ]
    printed = mp.rollup(mp.Bom.from_records(rows)).shares_of_mass
    assert {word: float(share[0]) for word, share in printed.items()} == {
        "estimated": 0.0, "calculated": 0.25, "weighed": 0.75,
    }  # fmt: skip


def test_marks_alone_report_what_is_weighed() -> None:
    rows = [
        {"id": "top", "parent": "", "mass": None, "weighed": None},
        {"id": "a", "parent": "top", "mass": 3.0, "weighed": "yes"},
        {"id": "b", "parent": "top", "mass": 1.0, "weighed": "no"},
    ]
    printed = mp.rollup(mp.Bom.from_records(rows)).shares_of_mass
    assert (float(printed["weighed"][0]), float(printed["not_stated"][0])) == (0.75, 0.25)
    nothing = [{**row, "weighed": "no" if row["weighed"] else None} for row in rows]
    assert mp.rollup(mp.Bom.from_records(nothing)).shares_of_mass == {}


def test_maturity_counts_masses_on_the_basis_of_the_entry() -> None:
    """Predicted: 2·10·1.5 estimated, 20·1.1 calculated, 3·20 weighed, so 82 of 112; basic 80 of 100."""
    header = "id parent qty mass_[kg] method mga_[%]"
    rows = ("R . . . . .", "A R 2 10 estimated 50", "B R 1 20 calculated 10", "C R 3 20 weighed 0")
    result = mp.rollup(bom_of(header, *rows))
    for basis, percent in (("predicted", 100 * 82 / 112), ("basic", 80.0)):
        for least, kept in ((percent - 1e-6, True), (percent, True), (percent + 1e-6, False)):
            limits = {"item": "R", "basis": basis, "maturity-min": ["calculated", f"{least!r} %"]}
            (verdict,) = mp.check(result, _budget_from_tables("b.toml", "", {"budget": [limits]})).verdicts
            assert verdict.value == pytest.approx(percent, rel=1e-14)
            assert (verdict.kept, basis in verdict.requirement) == (kept, True)


def test_growth_of_a_weighed_assembly_counts_for_its_share() -> None:
    """S is weighed, 5 kg without growth; b grows from 5 to 6: 5 of 11."""
    header = "id parent mass_[kg] method weighed mga_[%]"
    rows = ("t . . . . .", "s t 5 weighed yes .", "a s 2 estimated no 30", "b t 5 estimated no 20")
    limits = {"item": "t", "maturity-min": ["weighed", "1 %"]}
    check = mp.check(mp.rollup(bom_of(header, *rows)), _budget_from_tables("b.toml", "", {"budget": [limits]}))
    assert check.verdicts[0].value == pytest.approx(100 * 5 / 11)
