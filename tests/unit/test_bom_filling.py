"""What goes into the table: computed cells, columns at the right, units, sign conventions, other units throughout."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.results.table_edit import _merge_edits, _result_column_index
from massprops_cli.files.table import ColumnEdit, edited_row_texts
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
    rows = edited_row_texts(result.bom.table, result.filling(add))
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
    assert _result_column_index(["total_mass_2", "total_mass [kg]"], "total_mass") == 1
    assert _result_column_index(["total_mass extra"], "total_mass") is None


def test_what_is_not_known_is_left_blank() -> None:
    bom = bom_of(HEADER, TOP, f"a t 2 . . . {CUBE} - no", f"b t 3 1 0 0 {CUBE} - no", allow_missing="all")
    top = cells(mp.rollup(bom), "radii", "coverage")["t"]
    assert (top["mass"], top["Cx"], top["Ixx"], top["kx"]) == ("5", "1", "1", "0.5773502691896257")
    assert (top["coverage_mass"], top["coverage_center"]) == ("1", "0.6")


@pytest.mark.parametrize(("write", "sign", "entry"), [("keep", "-", "0.5"), ("+", "+", "-0.5"), ("-", "-", "0.5")])
def test_aggregates_are_written_in_the_convention_requested(write: str, sign: str, entry: str) -> None:
    """The leaf's tensor entry is 0.5, written −0.5 under +; the assembly's own cell states -."""
    bom = bom_of(HEADER, TOP, "a t 1 0 0 0 1 1 1 -0.5 0 0 + no", f"b t 1 0 0 0 {CUBE} - no", write_poi=write)
    filled = cells(mp.rollup(bom))
    assert (filled["t"]["POIconv"], filled["t"]["Ixy"], filled["t"]["Ixz"]) == (sign, entry, "0")
    assert (filled["a"]["POIconv"], filled["a"]["Ixy"]) == ("+", "-0.5")


def test_another_convention_needs_a_column_that_states_it() -> None:
    header = HEADER.replace(" POIconv", "")
    rows = ("t . . . . . . . . . . . .", "a t 1 0 0 0 1 1 1 0.5 0 0 no")
    with pytest.raises(mp.UsageError, match="needs a column POIconv"):
        mp.rollup(bom_of(header, *rows, poi="-", write_poi="+"))
    assert cells(mp.rollup(bom_of(header, *rows, poi="+", write_poi="+")))["t"]["Ixy"] == "0.5"
    mixed = mp.rollup(bom_of(HEADER, TOP, "a t 1 0 0 0 1 1 1 -0.5 0 0 + no", f"b t 1 0 0 0 {CUBE} - no", write_poi="-"))
    assert mixed.written_sign.tolist() == [-1, 1, -1]


def test_all_in_other_units_rewrites_cells_and_headers() -> None:
    result = mp.rollup(bom_of(UNITS, *TWO, poi="-", units="g,m"))
    rows = edited_row_texts(result.bom.table, result.filling(("radii",)))
    top, b = (dict(zip(rows[0], rows[k], strict=True)) for k in (1, 3))
    assert (b["mass[g]"], b["Cx[m]"], b["Ixx[g*m^2]"]) == ("1000", "2", "1000")
    assert (top["mass[g]"], top["Cx[m]"], top["Iyy[g*m^2]"]) == ("2000", "1", "4000")
    assert float(top["ky [m]"]) == pytest.approx(2**0.5, rel=1e-15)


def test_computed_cells_go_over_converted_ones() -> None:
    under = ColumnEdit(0, np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    text = ColumnEdit(2, np.array([0]), ["mm"])
    over = ColumnEdit(0, np.array([2, 5]), np.array([9.0, 8.0]))
    joined, kept = _merge_edits([under, text], [over])
    assert (joined.rows.tolist(), np.asarray(joined.values).tolist()) == ([1, 2, 3, 5], [1.0, 9.0, 3.0, 8.0])
    assert kept is text


def test_rollup_without_sigmas_leaves_their_cells_alone() -> None:
    bom = bom_of("id parent mass sigma_mass", "t . . 7", "a t 1 .1", "b t 1 .1", use_sigmas=False)
    top = cells(mp.rollup(bom, "none"))["t"]
    assert (top["mass"], top["sigma_mass"]) == ("2", "7")


SIGMAS = "id parent mass Cx Cy Cz Ixx Iyy Izz Ixy Ixz Iyz POIconv Ipoint {} " + " ".join(
    f"sigma_{name}" for name in ("Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
)
BLANK = " ".join("." * 11)
ENDS = "0 0 0 1 1 1 0 0 0 - no"
REST = "0 0 0 0.1 0.1 0.1 0 0 0"


def two_masses(heading: str, one: str, other: str, **options: object) -> mp.Result:
    """Two bodies of 3 and 4 kg at one place under t, their sigmas of mass written as the heading states."""
    rows = (f"t . . {BLANK} " + " ".join("." * 10), f"a t 3 {ENDS} {one} {REST}", f"b t 4 {ENDS} {other} {REST}")
    return mp.rollup(bom_of(SIGMAS.format(heading), *rows, **options))


@pytest.mark.parametrize(
    ("heading", "one", "other", "expected"),
    [
        ("sigma_mass", "0.3", "0.4", 0.5),
        ("sigma_mass(2σ)", "0.6", "0.8", 1.0),
        ("sigma_mass[%]", "10", "10", 50 / 7),
        ("sigma_mass[g](3σ)", "900", "1200", 1500),
    ],
)
def test_sigmas_go_out_as_their_column_states_them(heading: str, one: str, other: str, expected: float) -> None:
    """σ of the sum is 0.5 kg, by 3-4-5: at two sigmas 1, in percent of 7 kg 7.14, in grams 500."""
    units = {"mass": "kg", "length": "m", "inertia": "kg*m^2"} if "[g]" in heading else {}
    result = two_masses(heading, one, other, unit=units)
    column = result.bom.columns.by_quantity["sigma_mass"]
    (fill,) = [f for f in result.filling().fills if f.column == column.index]
    assert np.asarray(fill.values).tolist() == pytest.approx([expected], rel=1e-14)


def test_a_level_stays_when_all_goes_over_to_other_units() -> None:
    header = "id parent mass[kg] sigma_mass[kg](2σ)"
    result = mp.rollup(bom_of(header, "t . . .", "a t 3 0.6", "b t 4 0.8", units="g,m"))
    top = cells(result)["t"]
    assert [float(text) for text in list(top.values())[2:]] == pytest.approx([7000, 1000], rel=1e-14)


def test_added_sigmas_are_at_the_level_requested_and_state_it() -> None:
    result = two_masses("sigma_mass", "0.3", "0.4")
    plain, twice = (result.filling(("sigma", "principal"), level) for level in (1, 2))
    once = {one.name: np.asarray(one.values) for one in plain.added}
    assert {"sigma_kx", "sigma_principal_1"} <= set(once)
    assert "sigma_mass" not in once  # it has its own column
    for one in twice.added:
        bare = one.name.removesuffix(" (2σ)")
        is_sigma = bare.startswith("sigma_")
        assert one.name.endswith(" (2σ)") == is_sigma
        np.testing.assert_array_equal(one.values, once[bare] * (2 if is_sigma else 1))
    assert [np.asarray(f.values).tolist() for f in plain.fills] == [np.asarray(f.values).tolist() for f in twice.fills]


def test_sigmas_without_columns_of_their_own_are_added() -> None:
    header = "id parent mass mass_min mass_max"
    result = mp.rollup(bom_of(header, "t . . . .", "a t 3 2 4", "b t 4 3 5"))
    top = cells(result, "sigma")["t"]
    assert float(top["sigma_mass"]) == pytest.approx((2 * 4 / 12) ** 0.5, rel=1e-14)  # two uniform errors, ±1 each


def test_shares_of_mass_are_next_to_coverage() -> None:
    rows = ("t . . . . .", "a t 3 1 weighed 0", "b t 4 2 estimated 0", "c t 1 1 . 0")
    result = mp.rollup(bom_of("id parent mass qty method sigma_mass", *rows))
    top = cells(result, "coverage")["t"]
    found = {name: float(top[name]) for name in top if name.startswith("share_")}
    shares = {"estimated": 8 / 12, "calculated": 0.0, "weighed": 3 / 12, "not_stated": 1 / 12}
    assert found == pytest.approx({f"share_{word}": share for word, share in shares.items()}, rel=1e-14)
    assert result.to_dict()["items"][0]["mass_share"] == pytest.approx(shares, rel=1e-14)


def test_correlations_come_when_requested_and_stay() -> None:
    result = two_masses("sigma_mass", "0.3", "0.4")
    assert not any(name.startswith("rho_") for name in cells(result, "sigma", "principal", "coverage")["t"])
    added = [one.name for one in result.filling(("rho",)).added]
    assert len(added) == 45
    assert added[0] == "rho_mass_Cx"
