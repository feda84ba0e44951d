"""Tables without a root, and the root requested: all findings are reported, and --root cuts what is above it."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom

LOOP = [
    {"id": "A", "parent": "B", "mass": "1"},
    {"id": "B", "parent": "A", "mass": "x"},
    {"id": "C", "parent": "B", "mass": "3"},
]
CUT_OUT = [
    {"id": "A", "parent": "System", "mass": None},
    {"id": "B", "parent": "A", "mass": 1.0},
    {"id": "C", "parent": "System", "mass": 2.0},
    {"id": "D", "parent": "B", "mass": 4.0},
]


def test_a_table_without_a_root_reports_its_cells_too() -> None:
    leaf = {"id": "D", "parent": "C", "mass": "x"}
    rules = {finding.rule for finding in mp.validate(Bom.from_records([*LOOP, leaf]))}
    assert {"MP205", "MP307", "MP309", "MP310"} <= rules


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_table_without_a_root_is_not_rolled_up(keep_going: bool) -> None:
    with pytest.raises(mp.FindingsError):
        mp.rollup(Bom.from_records(LOOP), keep_going=keep_going)


def test_the_root_requested_may_have_a_parent_outside_the_table() -> None:
    result = mp.rollup(Bom.from_records(CUT_OUT, root="A", assembly_values="check"))
    assert result.root.mass == 4.0
    assert [finding.rule for finding in result.findings if finding.rule != "MP411"] == ["MP320"]


def test_an_unknown_parent_below_the_root_requested_stays_an_error() -> None:
    lost = {"id": "E", "parent": "Systen", "mass": 1.0}
    bom = Bom.from_records([{"id": "top", "parent": ""}, *CUT_OUT, lost])
    assert {finding.rule for finding in bom.findings} >= {"MP305"}
    below = Bom.from_records([*CUT_OUT, lost], root="A")
    assert "MP305" not in {finding.rule for finding in below.findings}


def test_the_root_requested_opens_a_loop() -> None:
    rows = [{"id": "A", "parent": "B", "mass": None}, {"id": "B", "parent": "A", "mass": 1.0}]
    assert mp.rollup(Bom.from_records(rows, root="A")).root.mass == 1.0
