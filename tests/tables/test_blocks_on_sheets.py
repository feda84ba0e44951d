"""Sheets with other blocks next to and below the table, and with headers that are not the first row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import TableError
from massprops_cli.tables.cells import units

INPUTS = ("Inputs,", "Mass Allocation,", "Attitude Allocation,0.2", "Comms Allocation,0.05", "Cubesat Requirements,")
LIST = (
    "Component List,,,,,,", "Component,,,,Dist. From Origin [cm],,", "Number,Component,Subsystem,Mass [kg],X,Y,Z",
    "1,Battery,Power,0.148,0,0,5", "2,Rod,Attitude,0.03,5,9,0",
)  # fmt: skip


def _bom(tmp_path: Path, text: str, **options: Any) -> mp.Bom:
    path = tmp_path / "list.csv"
    path.write_text(text.replace("/", "\n") + "\n", encoding="utf-8")
    return mp.read_bom(path, **options)


def _mass(tmp_path: Path, text: str, **options: Any) -> float:
    return mp.rollup(_bom(tmp_path, text, **options)).root.mass


@pytest.mark.parametrize("is_left", [True, False])
def test_labels_of_a_block_next_to_the_table_do_not_classify_its_rows(tmp_path: Path, is_left: bool) -> None:
    """0.148 + 0.03 + 0.058 kg; the row of the rod is that of requirements in the other block."""
    inputs, parts = (*INPUTS, "Max Mass [kg],3.6"), (*LIST, "3,Computer,Computing,0.058,9,0,0")
    pairs = zip(inputs, parts, strict=True) if is_left else zip(parts, inputs, strict=True)
    assert _mass(tmp_path, "/".join(f"{one},,{other}" for one, other in pairs)) == pytest.approx(0.236)


def test_header_next_to_numbers_of_another_block_is_found(tmp_path: Path) -> None:
    """Measured: 0.15 + 0.03 + 0.35 kg; estimated: 0.2 + 0.1 + 0.4 kg."""
    parts = (
        *LIST[:2],
        "Number,Part,Group,Estimated Mass [kg],Actual Mass [kg],Y,Z",
        "1,A,P,0.2,0.15,,",
        "2,B,P,0.1,0.03,,",
        "3,C,P,0.4,0.35,,",
    )
    text = "/".join(f"{one},,{other}" for one, other in zip((*INPUTS, ","), parts, strict=True))
    assert _mass(tmp_path, text, map={"mass": "Actual Mass [kg]"}) == pytest.approx(0.53)
    assert _mass(tmp_path, text, map={"mass": "Estimated Mass [kg]"}) == pytest.approx(0.7)


def test_mass_of_a_block_with_words_of_its_own_is_not_that_of_the_parts(tmp_path: Path) -> None:
    """434 + 4074 g of the list; 4.508 kg is a figure of the block on its left."""
    text = "mass (kg),power (W),,part,total mass (g)/4.508,60,,cell,434/,,,battery,4074/inputs:,cells:,,,/power,B2,,,"
    assert _mass(tmp_path, text) == pytest.approx(4508)


def test_columns_after_a_blank_one_that_go_with_the_rows_are_of_the_table(tmp_path: Path) -> None:
    """2 × 1 + 3 kg."""
    assert _mass(tmp_path, "Part,Mass (kg),,Qty,Remark/A,1,,2,x/B,3,,1,") == pytest.approx(5)


def test_block_below_the_table_with_other_quantities_ends_it(tmp_path: Path) -> None:
    """The prices of 364 and 308 are not masses."""
    text = "part,mass (g)/cell,434/tube,1335//misc,upfront cost,cell output/,364,308"
    rows = [line if line.count(",") == 2 else f"{line}," if line else ",," for line in text.split("/")]
    assert _mass(tmp_path, "/".join(rows)) == pytest.approx(1769)
    # a row without a number after a blank one is a part without a mass
    parts = _bom(tmp_path, "part,mass (g),source/cell,434,A/,,/tube,TBD,B/bolt,5,C", allow_missing="mass")
    assert list(parts.ids)[:-1] == ["cell", "tube", "bolt"]


GROUPS = "Group,Part,Qty,Mass (g)/Power,cell,2,10/,wire,1,5/,,,/Data,board,1,70/,,,/Group,Part,Qty,Mass (g)/"


def test_groups_under_a_repeated_header_are_one_table(tmp_path: Path) -> None:
    """2 × 10 + 5 + 70 + 40 × 0.5 g."""
    assert _mass(tmp_path, f"{GROUPS}Frame,bolt,40,0.5") == pytest.approx(115)


@pytest.mark.parametrize(
    "text",
    [
        f"{GROUPS}Frame,cell,2,9",  # another variant of the cell
        "Part,Mass (g)/cell,10/wire,5/,/Part,Mass (g)/bolt,4/,/Part,Mass (g)/nut,4",  # no groups in a table
        "Part,Mass (g)/cell,10/wire,5/,/Part,Mass (g)/bolt,4",
    ],
)
def test_tables_with_one_header_are_a_question(tmp_path: Path, text: str) -> None:
    with pytest.raises(TableError) as rejected:
        _bom(tmp_path, text)
    assert {finding.rule for finding in rejected.value.findings} == {"MP242"}


def test_quantities_of_five_configurations_are_a_question_that_names_each(tmp_path: Path, massprops: Any) -> None:
    """1 × 1 + 2 × 1, 2 × 1 + 2 × 1, … kg; four commands, and the places of all five."""
    path = tmp_path / "tubes.csv"
    path.write_text(
        ",,A,B,C,D,E\n,mass (kg),qty,qty,qty,qty,qty\ntube,1,1,2,3,4,5\nbar,2,1,1,1,1,1\n", encoding="utf-8"
    )
    result = json.loads(massprops("rollup", path, "--format", "json").stdout)
    offered = [(one["command"].rpartition("=")[2].split()[0], one["total"]) for one in result["next"]]
    assert offered == [(f"col:{k + 2}", f"{k + 2} kg") for k in range(1, 5)]
    places = " and ".join(f"qty (col:{k + 3} {name})" for k, name in enumerate("ABCDE"))
    assert places in " ".join(massprops("rollup", path).output.split())


def test_units_of_other_quantities_are_not_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "_read_with_pint", lambda _: pytest.fail("Pint is loaded"))
    assert _mass(tmp_path, "Part,Mass (kg),Power (W),Price (eur),Life (h)/A,1,2.5,3.5,9/B,2,3.5,1.5,8.5") == 3
