"""What goes into the table: computed cells, columns at the right, units, sign conventions, other units throughout."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.filling import place_in
from massprops_cli.bom.rewriting import merged
from massprops_cli.files.fill import Fill
from massprops_cli.files.filled import filled_rows
from tests.unit.bom_tables import HEADER, bom_of

CUBE = "1 1 1 0 0 0"
TOP = "t . . . . . . . . . . . - ."
UNITS = (
    "id parent mass[kg] Cx[mm] Cy[mm] Cz[mm] Ixx[kg*m^2] Iyy[kg*m^2] Izz[kg*m^2] Ixy[kg*m^2] Ixz[kg*m^2] Iyz[kg*m^2]"
)
TWO = ("t . . . . . . . . . . .", "a t 1 0 0 0 1 1 1 0 0 0", "b t 1 2000 0 0 1 1 1 0 0 0")
"""Two bodies of 1 kg, 2 m apart: moments 2 along the line, 2 + 2 across it, in kg·m²."""


def cells(result: mp.Result, *add: str) -> dict[str, dict[str, str]]:
    """Give the filled table: id → header → text."""
    rows = filled_rows(result.bom.table, result.filling(add))
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}


def test_results_go_out_in_each_columns_own_unit() -> None:
    top = cells(mp.rollup(bom_of(UNITS, *TWO, poi="-")))["t"]
    assert {name: top[name] for name in ("mass[kg]", "Cx[mm]", "Ixx[kg*m^2]", "Iyy[kg*m^2]")} == {
        "mass[kg]": "2", "Cx[mm]": "1000", "Ixx[kg*m^2]": "2", "Iyy[kg*m^2]": "4"
    }  # fmt: skip


def test_leaves_stay_as_they_were_written() -> None:
    written = [row.replace(" 1 ", " 1.000 ", 1) for row in TWO]
    assert cells(mp.rollup(bom_of(UNITS, *written, poi="-")))["a"]["mass[kg]"] == "1.000"


def test_added_columns_name_their_unit_and_are_found_again() -> None:
    first = mp.rollup(bom_of(UNITS, *TWO, poi="-"))
    top = cells(first, "radii", "principal", "coverage")["t"]
    assert float(top["kx [mm]"]) == pytest.approx(1000, rel=1e-15)
    assert float(top["ky [mm]"]) == pytest.approx(1000 * 2**0.5, rel=1e-15)
    assert [float(top[f"principal_{k} [kg*mm^2]"]) for k in (1, 2, 3)] == pytest.approx([2e6, 4e6, 4e6], rel=1e-15)
    assert (top["coverage_leaves"], top["coverage_inertia"]) == ("2", "1")


def test_radii_are_filled_in_the_unit_of_their_column() -> None:
    header = f"{UNITS} kx[m] ky[m] kz[m]"
    top = cells(mp.rollup(bom_of(header, *(f"{row} . . ." for row in TWO), poi="-")), "radii")["t"]
    assert float(top["ky[m]"]) == pytest.approx(2**0.5, rel=1e-15)
    assert not any(name.startswith("kx [") for name in top)


def test_a_column_of_an_earlier_run_in_another_unit_is_renamed() -> None:
    header = f"{UNITS} principal_1~[kg*m^2]"
    result = mp.rollup(bom_of(header, *(f"{row} ." for row in TWO), poi="-"))
    result.bom.columns.header[-1] = "principal_1 [kg*m^2]"
    filling = result.filling()
    assert filling.renames == {12: "principal_1 [kg*mm^2]"}
    (fill,) = [f for f in filling.fills if f.column == 12]
    assert np.asarray(fill.values).tolist() == pytest.approx([2e6, 1e6, 1e6], rel=1e-15)


def test_place_of_a_result_is_exact() -> None:
    assert place_in(["total_mass_2", "total_mass [kg]"], "total_mass") == 1
    assert place_in(["total_mass extra"], "total_mass") is None


def test_what_is_not_known_is_left_blank() -> None:
    bom = bom_of(HEADER, TOP, f"a t 2 . . . {CUBE} - no", f"b t 3 1 0 0 {CUBE} - no", allow_missing="all")
    top = cells(mp.rollup(bom), "radii", "coverage")["t"]
    assert (top["mass"], top["Cx"], top["Ixx"], top["kx"]) == ("5", "", "", "")
    assert (top["coverage_mass"], top["coverage_center"]) == ("1", "0.6")


@pytest.mark.parametrize(("write", "sign", "entry"), [("keep", "-", "0.5"), ("+", "+", "-0.5"), ("-", "-", "0.5")])
def test_aggregates_are_written_in_the_convention_asked_for(write: str, sign: str, entry: str) -> None:
    """The leaf's tensor entry is 0.5, written −0.5 under +; the assembly's own cell says -."""
    bom = bom_of(HEADER, TOP, "a t 1 0 0 0 1 1 1 -0.5 0 0 + no", f"b t 1 0 0 0 {CUBE} - no", write_poi=write)
    filled = cells(mp.rollup(bom))
    assert (filled["t"]["POIconv"], filled["t"]["Ixy"], filled["t"]["Ixz"]) == (sign, entry, "0")
    assert (filled["a"]["POIconv"], filled["a"]["Ixy"]) == ("+", "-0.5")


def test_another_convention_needs_a_column_that_says_so() -> None:
    header = HEADER.replace(" POIconv", "")
    rows = ("t . . . . . . . . . . . .", "a t 1 0 0 0 1 1 1 0.5 0 0 no")
    with pytest.raises(mp.UsageError, match="needs a column POIconv"):
        mp.rollup(bom_of(header, *rows, poi="-", write_poi="+"))
    assert cells(mp.rollup(bom_of(header, *rows, poi="+", write_poi="+")))["t"]["Ixy"] == "0.5"
    mixed = mp.rollup(bom_of(HEADER, TOP, "a t 1 0 0 0 1 1 1 -0.5 0 0 + no", f"b t 1 0 0 0 {CUBE} - no", write_poi="-"))
    assert mixed.written_sign.tolist() == [-1, 1, -1]


def test_all_in_other_units_rewrites_cells_and_headers() -> None:
    result = mp.rollup(bom_of(UNITS, *TWO, poi="-", units="g,m"))
    rows = filled_rows(result.bom.table, result.filling(("radii",)))
    top, b = (dict(zip(rows[0], rows[k], strict=True)) for k in (1, 3))
    assert (b["mass[g]"], b["Cx[m]"], b["Ixx[g*m^2]"]) == ("1000", "2", "1000")
    assert (top["mass[g]"], top["Cx[m]"], top["Iyy[g*m^2]"]) == ("2000", "1", "4000")
    assert float(top["ky [m]"]) == pytest.approx(2**0.5, rel=1e-15)


def test_computed_cells_go_over_converted_ones() -> None:
    under = Fill(0, np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    text = Fill(2, np.array([0]), ["mm"])
    over = Fill(0, np.array([2, 5]), np.array([9.0, 8.0]))
    joined, kept = merged([under, text], [over])
    assert (joined.rows.tolist(), np.asarray(joined.values).tolist()) == ([1, 2, 3, 5], [1.0, 9.0, 3.0, 8.0])
    assert kept is text


def test_rollup_without_sigmas_leaves_their_cells_alone() -> None:
    bom = bom_of("id parent mass sigma_mass", "t . . 7", "a t 1 .1", "b t 1 .1", use_sigmas=False)
    top = cells(mp.rollup(bom, "none"))["t"]
    assert (top["mass"], top["sigma_mass"]) == ("2", "7")
