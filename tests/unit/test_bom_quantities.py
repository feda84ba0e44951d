"""Masses of complete rows and quantities already multiplied, next to the same tree written per piece and per parent."""

from __future__ import annotations

import csv
import io

import pytest

import massprops_cli
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.table_edit import rollup_table_edit
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import UsageError

# a wing holds 4 ribs of 0.5 kg with 6 rivets of 0.01 kg each, and there are 2 wings: 2 (4 (0.5 + 6 · 0.01)) = 4.48
HEADER = "id,parent,qty,mass\n"
PIECES = HEADER + "plane,,,\nwing,plane,2,\nribs,wing,4,\nrib,ribs,1,0.5\nrivet,ribs,6,0.01\n"
READINGS = {
    ("each", "per-parent"): PIECES,
    ("line", "per-parent"): PIECES.replace("6,0.01", "6,0.06"),
    ("each", "total"): HEADER + "plane,,,\nwing,plane,2,\nribs,wing,8,\nrib,ribs,8,0.5\nrivet,ribs,48,0.01\n",
    ("line", "total"): HEADER + "plane,,,\nwing,plane,2,\nribs,wing,8,\nrib,ribs,8,4.0\nrivet,ribs,48,0.48\n",
}


def read(sheet: str, **options: object) -> Bom:
    """Read a sheet from its text."""
    return Bom.from_records(list(csv.DictReader(io.StringIO(sheet))), **options)


@pytest.mark.parametrize("reading", READINGS)
def test_four_ways_to_write_one_tree(reading: tuple[str, str]) -> None:
    mass_is, qty_is = reading
    result = rollup(read(READINGS[reading], mass_is=mass_is, qty_is=qty_is))
    masses = dict(zip(result.bom.ids, result.rollup.bodies.mass.tolist(), strict=True))
    wanted = {"plane": 4.48, "wing": 2.24, "ribs": 0.56, "rib": 0.5, "rivet": 0.01}
    assert masses == {name: pytest.approx(mass) for name, mass in wanted.items()}


@pytest.mark.parametrize("reading", READINGS)
def test_assemblies_are_written_as_the_column_is_read(reading: tuple[str, str]) -> None:
    mass_is, qty_is = reading
    result = rollup(read(READINGS[reading], mass_is=mass_is, qty_is=qty_is))
    fill = next(fill for fill in rollup_table_edit(result).fills if fill.column == 3)
    written = dict(zip(fill.rows.tolist(), list(fill.values), strict=True))
    pieces = {"each": (1, 1), "line": (2, 4 if qty_is == "per-parent" else 8)}[mass_is]
    assert written == {1: pytest.approx(4.48), 2: pytest.approx(2.24 * pieces[0]), 3: pytest.approx(0.56 * pieces[1])}


def test_what_an_assembly_states_is_of_its_line_too() -> None:
    sheet = READINGS["line", "total"].replace("wing,plane,2,", "wing,plane,2,4.48")
    assert not [f for f in rollup(read(sheet, mass_is="line", qty_is="total")).findings if f.rule == "MP411"]
    assert [f for f in rollup(read(sheet, qty_is="total", assembly_values="check")).findings if f.rule == "MP411"]


def test_an_assembly_with_a_body_of_its_own() -> None:
    sheet = HEADER + "top,,,\nbox,top,2,3\nnut,box,{nuts},{mass}\n"  # two boxes of 1.5 kg with five nuts of 0.1 kg each
    for qty_is, nuts, mass in (("per-parent", 5, 0.5), ("total", 10, 1.0)):
        options = {"mass_is": "line", "qty_is": qty_is, "assembly_values": "own"}
        assert rollup(read(sheet.format(nuts=nuts, mass=mass), **options)).root.mass == pytest.approx(4.0)


def test_a_total_that_does_not_divide_is_rejected() -> None:
    with pytest.raises(UsageError, match=r"not multiples .*nut: 5 in 2"):
        read(HEADER + "top,,,\nbox,top,2,\nnut,box,5,0.1\n", qty_is="total")


def test_lengths_need_not_divide() -> None:
    sheet = "id,parent,qty,uom,mass\ntop,,,,\nbox,top,2,,\ncable,box,5,m,0.1\n"
    assert rollup(read(sheet, qty_is="total")).root.mass == pytest.approx(0.5)


def test_a_quantity_of_zero_leaves_out_what_is_below() -> None:
    sheet = HEADER + "top,,,\nbox,top,0,\nnut,box,4,0.1\nlid,top,1,2\n"
    assert rollup(read(sheet, qty_is="total", mass_is="line")).root.mass == 2


def test_a_sigma_of_several_pieces_is_rejected_next_to_row_totals() -> None:
    rows = [{"id": "top", "parent": ""}, {"id": "nut", "parent": "top", "qty": 4, "mass": 0.4, "sigma_mass": 0.01}]
    with pytest.raises(UsageError, match="sigma_mass of nut is ambiguous"):
        Bom.from_records(rows, mass_is="line")
    assert rollup(Bom.from_records(rows, mass_is="line", use_sigmas=False)).root.mass == pytest.approx(0.4)


def test_a_changed_mass_is_of_the_line() -> None:
    bom = read(HEADER + "top,,,\nnut,top,4,0.4\n", mass_is="line")
    assert massprops_cli.whatif(bom, set={"nut.mass": 0.8}).after(0).mass == pytest.approx(0.8)


def test_words_that_the_options_do_not_take() -> None:
    with pytest.raises(UsageError, match=r"invalid mass_is: row \(expected one of each, line\)"):
        read(PIECES, mass_is="row")


@pytest.mark.parametrize(("qty", "is_rejected"), [("4", True), ("0", False), ("1", False)])
def test_an_inertia_of_several_pieces_is_rejected_next_to_row_totals(qty: str, is_rejected: bool) -> None:
    names = ("id", "parent", "qty", "mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "Ipoint")
    top = dict.fromkeys(names) | {"id": "top"}
    nut = dict(zip(names, ("nut", "top", qty, 0.4, 0, 0, 0, 1, 1, 1, 0, 0, 0, "false"), strict=True))
    pin = nut | {"id": "pin", "qty": "3", "Ipoint": "true"}
    if is_rejected:
        with pytest.raises(UsageError, match="Ixx of nut is ambiguous"):
            Bom.from_records([top, nut, pin], mass_is="line")
    else:
        bom = Bom.from_records([top, nut, pin], mass_is="line")
        assert rollup(bom).root.mass == pytest.approx(0.4 + (0.4 if qty == "1" else 0.0))


def test_a_blank_quantity_in_the_whole_is_one() -> None:
    sheet = HEADER + "top,,,\nbox,top,,\nnut,box,4,0.1\n"
    assert rollup(read(sheet, qty_is="total", mass_is="line")).root.mass == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("rows", "allow", "rules"),
    [
        ("A,R,1,6\nB,R,-1,12\n", False, ["MP401 warning"]),
        ("A,R,1,6\nB,R,-1,12\n", True, []),
        ("A,R,1,12\nB,R,-1,6\n", False, []),
        ("S,R,1,\nA,S,-1,6\nB,R,1,8\n", False, []),  # a branch of removed parts, in a tree that has a mass
        ("S,R,-2,\nA,S,1,6\nB,R,1,8\n", False, ["MP401 warning"]),  # 8 − 12
        ("A,R,1,-6\nB,R,1,2\n", False, ["MP401 error", "MP401 warning"]),
    ],
)
def test_total_below_zero_is_a_warning_at_the_root(rows: str, allow: bool, rules: list[str]) -> None:
    text = "id,parent,qty,mass\nR,,1,\n" + rows
    result = rollup(massprops_cli.read_bom(io.StringIO(text), format="csv", allow_negative_mass=allow), keep_going=True)
    assert [f"{one.rule} {one.severity.value}" for one in result.findings if one.rule == "MP401"] == rules
