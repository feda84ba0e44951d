"""Formulas of a workbook that read computed cells: which cells are filled, which formulas are named, old saved values.

Satellite: Airframe (Frame 4, Skin 3) and Power (Battery 5, PCDU 2); by hand 14 = 7 + 7, in C2, C3 and C6.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

Run = Callable[..., Any]
ROWS: list[list[Any]] = [
    ["Level", "Name", "Mass (kg)"],
    [1, "Satellite", None],
    [2, "Airframe", None],
    [3, "Frame", 4],
    [3, "Skin", 3],
    [2, "Power", None],
    [3, "Battery", 5],
    [3, "PCDU", 2],
]
UNSAVED = re.compile(rb'(<c r="([A-Z]+\d+)"[^>]*><f\b(?:[^<]*</f>|[^>]*/>))(?:<v\s*/>|<v></v>)</c>')
RESULTS = {"C2": 14, "C3": 7, "C6": 7}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(
    cells: dict[str, Any],
    values: dict[str, float] | None = None,
    *,
    rows: list[list[Any]] = ROWS,
    add: Callable[[openpyxl.Workbook], object] = str,
) -> None:
    """Save the table, with further cells such as ``Sum!B1`` and saved values of formulas (1 where none is given)."""
    made = openpyxl.Workbook()
    made.active.title = "BOM"
    for row in rows:
        made["BOM"].append(row)
    for address, value in cells.items():
        sheet, _, cell = address.rpartition("!")
        if sheet and sheet not in made.sheetnames:
            made.create_sheet(sheet)
        made[sheet or "BOM"][cell] = value
    add(made)
    made.save("bom.xlsx")
    for k, name in enumerate(made.sheetnames, 1):

        def valued(cell: re.Match[bytes], name: str = name) -> bytes:
            address = cell[2].decode() if name == "BOM" else f"{name}!{cell[2].decode()}"
            return cell[1] + f"<v>{(values or {}).get(address, 1)}</v></c>".encode()

        rewrite(f"xl/worksheets/sheet{k}.xml", partial(UNSAVED.sub, valued))


def rewrite(part: str, change: Callable[[bytes], bytes]) -> None:
    """Change a part of the workbook."""
    with zipfile.ZipFile("bom.xlsx") as old:
        parts = {name: old.read(name) for name in old.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile("bom.xlsx", "w") as new:
        for name, data in parts.items():
            new.writestr(name, data)


def rolled(run: Run, *options: str) -> tuple[dict[str, Any], str]:
    """Roll up the workbook: the cells of the masses, and what was printed."""
    done = run("rollup", "bom.xlsx", "-o", "out.xlsx", "-v", *options)
    assert done.exit_code == 0, done.output
    with closing(openpyxl.load_workbook("out.xlsx", read_only=True)) as out:
        return {address: out["BOM"][address].value for address in RESULTS}, done.output


def named(output: str) -> str:
    found = re.search(r"MP135.*: (.*)", output)
    return found[1].strip() if found else ""


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("formulas", "names"),
    [
        ({"C9": "=SUM(C2:C8)"}, "C9"),
        ({"C9": "=C2+C3+C4+C5+C6+C7+C8"}, "C9"),
        ({"C9": "=+$C$2+C4"}, "C9"),
        ({"C9": "=SUBTOTAL(109,C2:C8)/1000"}, "C9"),
        ({"Sum!B1": "=SUM(BOM!C:C)"}, "Sum!B1"),
        ({"Sum!B1": "=ROUND(SUM(BOM!2:8),1)"}, "Sum!B1"),
        ({"Mass's sum!B1": "=SUM(BOM!C2:C8)"}, "Mass's sum!B1"),
        ({"Sum!B1": "=SUMPRODUCT((BOM!A2:A8>0)*BOM!C2:C8)"}, "Sum!B1"),
        ({"Sum!B1": '=SUMIF(BOM!A:A,">0",BOM!C:C)'}, "Sum!B1"),
        ({"Sum!B1": "=MAX(BOM!C2:C8)", "Sum!B2": "=COUNT(BOM!C2:C8)"}, "Sum!B1, Sum!B2"),
        ({"Sum!B1": "=IF(SUM(BOM!C2:C8)>20,1,0)"}, "Sum!B1"),
        ({"Sum!B1": "=BOM!C4/SUM(BOM!C2:C8)"}, "Sum!B1"),
        ({"Sum!B1": '=SUM(INDIRECT("BOM!C2:C8"))'}, "Sum!B1"),
        ({"Sum!B1": "=SUM(OFFSET(BOM!C2,0,0,7,1))"}, "Sum!B1"),
        ({"Sum!B1": "=SUM(BOM!C2:INDEX(BOM!C:C,8))"}, "Sum!B1"),
        ({f"E{row}": f"=2*C{row}" for row in range(2, 9)} | {"Sum!B1": "=SUM(BOM!E2:E8)"}, "Sum!B1"),
        ({"Sum!B1": "=_xlfn.AGGREGATE(9,6,BOM!C2:C8)"}, "Sum!B1"),
        ({"Sum!B1": "=SUMPRODUCT((BOM!C2:C8>2.5)*1)", "Sum!B2": "=OR(BOM!C2:C8>21)"}, "Sum!B1, Sum!B2"),
        ({"Sum!B1": "=SUM(INDEX(BOM!A2:C8,0,3))", "Sum!B2": "=SUM(INDEX(BOM!C2:C8,))"}, "Sum!B1, Sum!B2"),
        ({"Sum!B1": '=SUM(VLOOKUP({"Power","PCDU"},BOM!B2:C8,2,0))'}, "Sum!B1"),
        ({"Sum!B1": '=SUM(HLOOKUP("Mass (kg)",BOM!A1:C8,{2,3,4},0))'}, "Sum!B1"),
        ({"Sum!B1": '=SUM(_xlfn.XLOOKUP({"Power","PCDU"},BOM!B2:B8,BOM!C2:C8))'}, "Sum!B1"),
    ],
)
def test_cells_of_a_sum_with_parts_stay_blank(massprops: Run, formulas: dict[str, str], names: str) -> None:
    save(formulas, {"C9": 14})
    cells, output = rolled(massprops)
    assert named(output) == names
    # +$C$2+C4: only the whole and one of its parts
    is_part = formulas.get("C9") == "=+$C$2+C4"
    assert cells == {"C2": None, "C3": 7 if is_part else None, "C6": 7 if is_part else None}
    out = openpyxl.load_workbook("out.xlsx")
    assert "computed: 14; not filled" in out["BOM"]["C2"].comment.text
    header, *rows = out["Rollup"].iter_rows(values_only=True)
    masses = {row[0]: row[header.index("mass [kg]")] for row in rows}
    assert (masses["Satellite"], masses["Airframe"], masses["Power"]) == (14, 7, 7)
    for address, formula in formulas.items():
        sheet, _, cell = address.rpartition("!")
        assert out[sheet or "BOM"][cell].value == formula


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "formulas",
    [
        {"C9": "=C4+C5+C7+C8"},
        {"Sum!B1": "=SUM(BOM!C4:C5,BOM!C7:C8)"},
        {"Sum!B1": "=BOM!C3", "Sum!B2": "=BOM!C6", "Sum!B3": "=SUM(B1:B2)", "Sum!C1": "=B1/B$3", "Sum!D1": "=20-B1"},
        {"Sum!B1": "=BOM!C3+BOM!C6", "Sum!B2": "=SUM(BOM!C3,BOM!C6)"},
        {"Sum!B1": "=BOM!C3", "Sum!B2": "=BOM!C7", "Sum!B3": "=BOM!C8", "Sum!B4": "=SUM(B1:B3)"},
        {
            "Sum!B1": "=BOM!C3",
            "Sum!B2": "=BOM!C6",
            "Sum!B3": "=BOM!C2",
            "Sum!C3": "=SUM(C1:C2)",
            "Sum!C1": "=IF(B$3=0,0,B1/B$3)",
            "Sum!C2": "=IF(B$3=0,0,B2/B$3)",
        },
        {"Sum!B1": '=VLOOKUP("Power",BOM!B2:C8,2,FALSE)', "Sum!B2": "=INDEX(BOM!C2:C8,5)+B1"},
        {f"E{row}": f"=C{row}/C$2" for row in range(2, 9)},
        {"Sum!B1": "=BOM!C3-SUM(BOM!C4:C5)", "Sum!B2": "=BOM!C4/BOM!C2+BOM!C5/BOM!C2"},
        {"Sum!B1": "=SUM([1]BOM!C2:C8)", "Sum!B2": "=SUM('[1]BOM'!C2:C8)", "Sum!B3": "=SUM(C2:C8)"},
        {"Sum!B1": '=IF(BOM!C2>20,"C2:C8","C2+C3")', "Sum!B2": "=SUM(Missing)+SUM(BOM!A2:A8)"},
    ],
)
def test_cells_that_formulas_wait_for_are_filled(massprops: Run, formulas: dict[str, str]) -> None:
    save(formulas, {"C9": 14})
    cells, output = rolled(massprops)
    assert cells == RESULTS
    assert "MP135" not in output


@pytest.mark.spread(3, keep=("=-(-BOM!C3-BOM!C4)-C3",))
@pytest.mark.parametrize(
    ("formula", "blank"),
    [
        ('=VLOOKUP("Power",BOM!B:C,2,0)+BOM!C7', "C6"),
        ('=SUM(VLOOKUP("Power",BOM!B:C,2,0),BOM!C4)', ""),
        ('=VLOOKUP("Power",BOM!B:C,2,0)+VLOOKUP("airframe",BOM!B2:C8,2,FALSE)', ""),
        ('=VLOOKUP("Satellite",BOM!B:C,2,0)+VLOOKUP("Power",BOM!B:C,2,0)', "C2 C6"),
        ('=INDEX(BOM!C:C,MATCH("Power",BOM!B:B,0))+INDEX(BOM!A2:C8,MATCH("PCDU",BOM!B2:B8,0),3)', "C6"),
        ("=INDEX(BOM!C2:C8,2)+INDEX(BOM!C2:C8,3)", "C3"),
        ("=INDEX(BOM!C2:C8,2)+INDEX(BOM!C2:C8,5)", ""),
        ("=INDEX(BOM!C2:C4,3)+BOM!C2", "C2"),
        ('=_xlfn.XLOOKUP("Power",BOM!B2:B8,BOM!C2:C8)+BOM!C8', "C6"),
        ('=HLOOKUP("Mass (kg)",BOM!A1:C8,3,0)+BOM!C4', "C3"),
        ('=LOOKUP(2,1/(BOM!B2:B8="Power"),BOM!C2:C8)+BOM!C4', "C2 C3 C6"),
        # the name is not known, nor the row: with another cell of the table, but not alone
        ("=VLOOKUP(F1,BOM!B:C,2,0)+BOM!C4", "C2 C3 C6"),
        ("=ROUND(IFERROR(VLOOKUP(F1,BOM!B:C,2,0)+D1,0),1)", ""),
        ('=VLOOKUP("Power",BOM!B:C,2)', ""),
        ('=INDIRECT("BOM!C"&D1)+BOM!C4', "C2 C3 C6"),
        ('=IF(D1>2,INDIRECT("BOM!C"&D1),OFFSET(BOM!C1,D1,0))*2', ""),
        # signs
        ("=BOM!C4+BOM!C5-(-BOM!C3)", "C3"),
        ("=-(-BOM!C3-BOM!C4)", "C3"),
        ("=ABS(-BOM!C3-BOM!C4)", "C3"),
        ("=BOM!C4-(BOM!C5-BOM!C3)", "C3"),
        ("=BOM!C3-(BOM!C4+BOM!C5)", ""),
        ("=20-BOM!C3-BOM!C6-(BOM!D4-BOM!D5)", ""),
        ('=IF(BOM!C3>BOM!C4,"heavy","light")', ""),
    ],
)
def test_lookups_and_signs(massprops: Run, formula: str, blank: str) -> None:
    save({"Sum!B1": formula, "Sum!D1": 3, "Sum!F1": '="Power"'})
    cells, output = rolled(massprops)
    assert {address for address, value in cells.items() if value is None} == set(blank.split())
    assert named(output) == ("Sum!B1" if blank else "")


@pytest.mark.spread(2, keep=("=INDEX(BOM!C:C,MATCH(BOM!B{0},BOM!B:B,0))-rows3-C2 C3 C6",))
@pytest.mark.parametrize(
    ("lookup", "rows", "blank"),
    [
        ("=VLOOKUP(BOM!B{0},BOM!B$2:C$8,2,0)", range(2, 9), "C2 C3 C6"),
        ("=VLOOKUP(BOM!B{0},BOM!B$2:C$8,2,0)", (3, 6), ""),
        ("=IFERROR(VLOOKUP(BOM!B{0},BOM!B:C,2,0),0)*BOM!A{0}", (3, 4), "C3"),
        ("=INDEX(BOM!C:C,MATCH(BOM!B{0},BOM!B:B,0))", range(2, 9), "C2 C3 C6"),
        ("=INDEX(BOM!C:C,MATCH(BOM!B{0},BOM!B:B,0))", (3, 7, 8), ""),
        ('=INDIRECT("BOM!C"&{0})', range(2, 9), "C2 C3 C6"),
        ("=OFFSET(BOM!C$1,{0}-1,0)", range(2, 9), "C2 C3 C6"),
        ("=LOOKUP({0},BOM!A$2:A$8,BOM!C$2:C$8)", range(2, 4), "C2 C3 C6"),
    ],
)
def test_columns_of_lookups(massprops: Run, lookup: str, rows: Iterable[int], blank: str) -> None:
    """Without the sum all cells are filled."""
    column = {f"Sum!A{row}": lookup.format(row) for row in rows}
    for cells, names, empty in ((column, "", ""), (column | {"Sum!B1": "=SUM(A2:A8)"}, "Sum!B1", blank)):
        save(cells)
        filled, output = rolled(massprops)
        assert {address for address, value in filled.items() if value is None} == set(empty.split())
        assert named(output) == (names if empty else "")


def test_names_tables_arrays_and_ranges_over_sheets_are_followed(massprops: Run) -> None:
    def add(made: openpyxl.Workbook) -> None:
        made["Sum"]["B3"] = ArrayFormula("B3", "=SUM(BOM!A2:A8*BOM!C2:C8)")
        made["BOM"].add_table(Table(displayName="Parts", ref="A1:C8"))
        made.defined_names["All"] = DefinedName("All", attr_text="BOM!$C$2:$C$8")
        made.defined_names["Whole"] = DefinedName("Whole", attr_text="SUM(All)+1")

    sums = ("=SUM(All)", "=SUM(Parts[Mass (kg)])", 0, "=SUM(BOM:Sum!C2:C8)", "=2*Whole")
    save({f"Sum!B{k}": formula for k, formula in enumerate(sums, 1)}, add=add)
    cells, output = rolled(massprops)
    assert set(cells.values()) == {None}
    assert named(output) == "Sum!B1, Sum!B2, Sum!B3, Sum!B4, Sum!B5"


KINDS = ["Kind", "assembly", "assembly", "part", "skin panel", "assembly", "part", "part"]
WITH_KINDS = [[*row, kind] for row, kind in zip(ROWS, KINDS, strict=True)]


@pytest.mark.spread(
    3,
    keep=(
        '=AVERAGEIFS(BOM!C:C,BOM!D:D,"*a?t*")+AVERAGEIF(BOM!D:D,"skin*",BOM!C:C)-',
        '=SUMIFS(BOM!C:C,BOM!D:D,"<>assembly",BOM!A:A,">=1")-',
    ),
)
@pytest.mark.parametrize(
    ("formula", "blank"),
    [
        # parts only: all cells are filled
        ('=SUMIF(BOM!D:D,"part",BOM!C:C)', ""),
        ('=SUMIF(BOM!D2:D8,"PART",BOM!C2)+SUMIF(BOM!D:D,"nothing",BOM!C:C)', ""),
        ('=SUMIF(BOM!A2:A8,">2",BOM!C2:C8)', ""),
        ('=SUMIF(BOM!A2:A8,"<>"&D1,BOM!C2:C8)+SUMIF(BOM!D2:D8,E1,BOM!C2:C8)', "C2 C3 C6"),
        ('=SUMIFS(BOM!C:C,BOM!D:D,"<>assembly",BOM!A:A,">=1")', ""),
        ('=AVERAGEIFS(BOM!C:C,BOM!D:D,"*a?t*")+AVERAGEIF(BOM!D:D,"skin*",BOM!C:C)', ""),
        ('=COUNTIFS(BOM!A2:A8,3,BOM!C2:C8,">1")+COUNTIF(BOM!D2:D8,"part")', ""),
        ("=SUMIFS(BOM!C2:C8,BOM!A2:A8,2)", ""),
        ("=SUMIF(BOM!A3:A5,3,BOM!C2)", "C3"),
        ('=SUMIF(Kinds,"part",Masses)', ""),
        # assemblies within each other
        ('=SUMIF(BOM!D2:D8,"assembly",BOM!C2:C8)', "C2 C3 C6"),
        ('=SUMIF(BOM!A2:A8,"<=2",BOM!C2:C8)', "C2 C3 C6"),
        ('=SUMIF(BOM!D2:D8,"~*",BOM!C2:C8)+SUMIF(BOM!D2:D8,"*",BOM!C2:C8)', "C2 C3 C6"),
        # criteria that are not evaluated: of computed cells, of cells with formulas, of texts read in several ways
        ('=SUMIF(BOM!C2:C8,">0")', "C2 C3 C6"),
        ("=SUMIF(BOM!D2:D8,F1,BOM!C2:C8)", "C2 C3 C6"),
        ('=SUMIF(BOM!D2:D8,"1/2",BOM!C2:C8)', "C2 C3 C6"),
        ('=SUMIF(BOM!D2:D8,">m",BOM!C2:C8)', "C2 C3 C6"),
        ('=SUMIF(BOM!D2:D8,"",BOM!C2:C8)', "C2 C3 C6"),
        ("=SUMIF(BOM!D2:D8,BOM!D2:D3,BOM!C2:C8)", "C2 C3 C6"),
        ('=SUMIFS(BOM!C2:C8,BOM!D2:D7,"part")', "C2 C3 C6"),
        ('=SUMIFS(BOM!C2:C8,BOM!D2:D8,"part",BOM!A2:A8)', "C2 C3 C6"),
        ('=SUMIF(BOM!A2:B8,">0",BOM!B2)', "C2 C3 C6"),
        ('=SUMIF(BOM!E2:E8,"part",BOM!C2:C8)', "C2 C3 C6"),
    ],
)
def test_criteria_of_constants_are_evaluated(massprops: Run, formula: str, blank: str) -> None:
    def add(made: openpyxl.Workbook) -> None:
        for name, letter in (("Masses", "C"), ("Kinds", "D")):
            made.defined_names[name] = DefinedName(name, attr_text=f"BOM!${letter}$2:${letter}$8")

    kinds = {f"E{row}": f"=D{row}" for row in range(2, 9)}
    save({"Sum!B1": formula, "Sum!D1": 3, "Sum!E1": "part", "Sum!F1": '="part"', **kinds}, rows=WITH_KINDS, add=add)
    cells, output = rolled(massprops)
    assert {address for address, value in cells.items() if value is None} == set(blank.split())
    assert named(output) == ("Sum!B1" if blank else "")


def test_cells_of_an_array_formula_depend_on_their_own_rows(massprops: Run) -> None:
    def add(made: openpyxl.Workbook) -> None:
        made["Sum"]["A2"] = ArrayFormula("A2:A8", "=BOM!C2:C8*BOM!A2:A8")
        for row in range(3, 9):
            made["Sum"][f"A{row}"] = 1

    save({"Sum!B1": "=SUM(A4:A5,A7:A8)", "Sum!B2": "=A3+A6", "Sum!B3": "=A4"}, add=add)
    cells, output = rolled(massprops)
    assert cells == RESULTS
    assert "MP135" not in output
    saved = openpyxl.load_workbook("out.xlsx", data_only=True)["Sum"]
    assert [saved[f"A{row}"].value for row in range(2, 9)] == [None, None, 1, 1, None, 1, 1]
    assert [saved[f"B{row}"].value for row in range(1, 4)] == [1, None, 1]


@pytest.mark.parametrize("array", ["=BOM!C2:C8*1", "=SUM(BOM!C2:C8)*BOM!A2:A8", "=BOM!C2:C8+BOM!C2"])
def test_sums_of_an_array_formula_are_followed(massprops: Run, array: str) -> None:
    save({"Sum!B1": "=SUM(A2:A4)"}, add=lambda made: made["Sum"].__setitem__("A2", ArrayFormula("A2:A8", array)))
    cells, output = rolled(massprops)
    assert cells["C2"] is None
    assert "Sum!B1" in named(output) or "more" in named(output)


def test_columns_of_a_table_are_distinguished(massprops: Run) -> None:
    line = {f"D{row}": "=Parts[[#This Row],[Mass (kg)]]*1000" for row in range(2, 9)}
    sums = {
        "Sum!B1": "=SUM(Parts[Level])",
        "Sum!B2": "=SUM(Parts[Line '[g']])",
        "Sum!B3": "=Parts[[#This Row],[Level]]",
    }
    table = Table(displayName="Parts", ref="A1:D8")
    save({"D1": "Line [g]", **line, **sums}, add=lambda made: made["BOM"].add_table(table))
    _, output = rolled(massprops, "--ignore-column", "Line [g]")
    assert named(output) == "Sum!B2"


def test_shared_formulas_move_their_relative_addresses(massprops: Run) -> None:
    save({f"E{row}": f"=C{row}" for row in range(2, 9)} | {"Sum!B1": "=SUM(BOM!E2:E8)", "Sum!B2": "=SUM(BOM!E4:E5)"})

    def share(data: bytes) -> bytes:
        data = data.replace(b"<f>C2</f>", b'<f t="shared" ref="E2:E8" si="0">C2</f>')
        return re.sub(rb"<f>C[3-8]</f>", b'<f t="shared" si="0"/>', data)

    rewrite("xl/worksheets/sheet1.xml", share)
    cells, output = rolled(massprops)
    assert set(cells.values()) == {None}
    assert named(output) == "Sum!B1"


def test_an_input_of_the_roll_up_does_not_change(massprops: Run) -> None:
    save({}, {"C9": 0}, rows=[*ROWS, [2, "Harness", "=0.5*C3"]])
    cells, output = rolled(massprops)
    assert cells == {"C2": 14, "C3": None, "C6": 7}
    assert named(output) == "C9"


def test_old_values_are_removed_and_others_stay(massprops: Run) -> None:
    save(
        {"Sum!B1": "=BOM!C3", "Sum!B2": "=B1*2", "Sum!B3": "=BOM!C4", "Sum!B4": "=SUM(BOM!C4:C5)", "E4": "=C4/C2"},
        {"Sum!B1": 0, "Sum!B2": 0, "Sum!B3": 4, "Sum!B4": 7, "E4": 9},
    )
    rolled(massprops)
    saved = openpyxl.load_workbook("out.xlsx", data_only=True)
    assert [saved["Sum"][f"B{k}"].value for k in range(1, 5)] == [None, None, 4, 7]
    assert saved["BOM"]["E4"].value is None
    # that a value is missing is not a warning of the next run
    again = massprops("rollup", "out.xlsx", "-o", "again.xlsx")
    assert (again.exit_code, "0 warnings" in again.output) == (0, True)
    assert openpyxl.load_workbook("again.xlsx")["BOM"]["C3"].value == 7


def test_a_changed_input_removes_old_values(massprops: Run) -> None:
    save({"C9": "=C4+C5+C7+C8", "Sum!B1": "=BOM!C9", "Sum!B2": "=BOM!C5"}, {"C9": 14, "Sum!B1": 14, "Sum!B2": 3})
    done = massprops("whatif", "bom.xlsx", "--set", "Frame.mass=6 kg", "-o", "out.xlsx")
    assert done.exit_code == 0, done.output
    saved = openpyxl.load_workbook("out.xlsx", data_only=True)
    assert [saved["BOM"]["C9"].value, saved["Sum"]["B1"].value, saved["Sum"]["B2"].value] == [None, None, 3]


def test_twice_is_once_with_unfilled_cells(massprops: Run) -> None:
    save({"C9": "=SUM(C2:C8)"}, {"C9": 14})
    rolled(massprops)
    assert openpyxl.load_workbook("out.xlsx", data_only=True)["BOM"]["C9"].value == 14
    assert massprops("rollup", "out.xlsx", "-o", "again.xlsx").exit_code == 0
    assert Path("again.xlsx").read_bytes() == Path("out.xlsx").read_bytes()


def test_values_that_are_there_change_nothing(massprops: Run) -> None:
    stated = {"Satellite": 14, "Airframe": 7, "Power": 7}
    save({"Sum!B1": "=SUM(BOM!C2:C8)"}, rows=[[*row[:2], stated.get(row[1], row[2])] for row in ROWS])
    cells, output = rolled(massprops)
    assert cells == RESULTS
    assert "MP135" not in output


def test_fill_summed_fills_and_lists_the_formulas(massprops: Run) -> None:
    save({"C9": "=SUM(C2:C8)", **{f"E{row}": "=C2+C3" for row in range(2, 9)}}, {"C9": 14})
    cells, output = rolled(massprops, "--fill-summed")
    assert cells == RESULTS
    assert named(output) == "E2, E3, E4, E5, E6 and 3 more"
    assert "values of formulas change, because 3 cells that they sum are filled" in output


def test_circles_deep_brackets_and_broken_formulas_are_read(massprops: Run) -> None:
    deep = "=" + "(" * 300 + "C2+C4" + ")" * 300
    save({"E2": "=E3+C2", "E3": "=E2+C4", "F2": deep, "G2": "=SUM(", "G3": "=)))C2", "G4": '="C2'})
    cells, output = rolled(massprops)
    assert cells == {"C2": None, "C3": 7, "C6": 7}
    assert named(output) == "E2, F2, E3"


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_sample_workbook_shows_its_results(massprops: Run) -> None:
    sample = Path(__file__).parents[2] / "sample_data" / "spacecraft.xlsx"
    done = massprops("rollup", str(sample), "-o", "out.xlsx")
    assert "MP135" not in done.output
    table, saved = openpyxl.load_workbook("out.xlsx")["BOM"], openpyxl.load_workbook("out.xlsx", data_only=True)
    assert isinstance(table["H67"].value, float)
    assert [saved["Summary"][cell].value for cell in ("B4", "C4", "E4", "B14", "D4")] == [None, None, None, None, 46]


LEVELS_AND_QUANTITIES = [[*row, 1 if k else "Qty"] for k, row in enumerate(ROWS)]


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("cells", "blank"),
    [
        ({"C8": "=IF(C3>4,2,1)"}, "C3"),
        ({"C8": '=IF(C3="",1,2)'}, "C3"),
        ({"C8": "=IF(ISBLANK(C3),1,2)"}, "C3"),
        ({"C8": "=CHOOSE(IF(C3>0,2,1),1,2)"}, "C3"),
        ({"C8": "=1+(C3>4)*1"}, "C3"),
        ({"C8": "=2/(1+C3)"}, "C3"),
        ({"C8": "=IFERROR(1/C3,2)"}, "C3"),
        ({"C8": "=F1+1", "F1": "=IF(C3>4,1,0)"}, "C3"),
        ({"C8": '=VLOOKUP("Airframe",B2:C7,2,0)*0.1+1'}, "C2 C3 C6"),
        ({"C8": "=IF(AND(C3>1,Sum!A1>0),3,1)", "Sum!A1": "=BOM!C2"}, "C2 C3"),
        ({"D8": "=ROUND(C3/2,0)+1"}, "C3"),
        ({"D8": "=MAX(C3,1)"}, "C3"),
        ({"D6": "=IF(C3>4,2,1)"}, "C3"),  # of an assembly
        ({"A8": "=IF(C3>4,2,3)"}, "C3"),
        ({"B8": '=IF(C3>4,"PCDU","PCDU 2")'}, "C3"),
        ({"B3": '="Airframe "&TEXT(C2,"0.0")'}, "C2"),
        ({"C8": "=C7*0.4", "D8": "=ROUND(D7,0)"}, ""),
    ],
)
def test_cells_that_inputs_read_in_any_way_stay_blank(massprops: Run, cells: dict[str, str], blank: str) -> None:
    """Also in comparisons, tests of blank cells and divisors, and as quantity, level or name; a second run agrees."""
    save(cells, {"A8": 3}, rows=LEVELS_AND_QUANTITIES)
    filled, output = rolled(massprops)
    assert {address for address, value in filled.items() if value is None} == set(blank.split())
    assert named(output) == (next(iter(cells)) if blank else "")
    assert massprops("rollup", "out.xlsx", "-o", "again.xlsx").exit_code == 0
    assert Path("again.xlsx").read_bytes() == Path("out.xlsx").read_bytes()


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("name", "place", "formula", "blank"),
    [
        ("BOM!$C$2:$C1", "Sum!A10", "=SUM(above)", "C2 C3 C6"),
        ("BOM!$C$2:$C1", "Sum!A2", "=SUM(above)", ""),
        ("BOM!$C1", "F3", "=F2+above+C4", "C3"),
        ("BOM!$C1+BOM!$C2", "F3", "=above", "C3"),
        ("BOM!$C1+BOM!$C2", "F6", "=above", "C6"),
        ("BOM!XFD1", "D3", "=above+C4", "C3"),
        ("BOM!$C1048576", "F4", "=above+C4", "C3"),
        ("!$C$2:$C$8", "F3", "=SUM(above)", "C2 C3 C6"),
        ("!$C$2:$C$8", "Sum!F3", "=SUM(above)", ""),
        ("$C$2:$C$8", "F3", "=SUM(above)", "C2 C3 C6"),
        ("_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a+_xlpm.b)", "F3", "=above(C3,C4)", "C3"),
    ],
)
def test_names_with_relative_addresses(massprops: Run, name: str, place: str, formula: str, blank: str) -> None:
    """They count from the cell of the formula, across the edges of the sheet."""

    def add(made: openpyxl.Workbook) -> None:
        made.defined_names["above"] = DefinedName("above", attr_text=name)

    save({place: formula}, add=add)
    filled, output = rolled(massprops)
    assert {address for address, value in filled.items() if value is None} == set(blank.split())
    assert named(output) == (place if blank else "")


def test_a_column_of_a_relative_name_is_named_by_row(massprops: Run) -> None:
    def add(made: openpyxl.Workbook) -> None:
        made.defined_names["rowmass"] = DefinedName("rowmass", attr_text="BOM!$C1")

    save({f"E{row}": "=rowmass*9.81" for row in range(2, 9)}, add=add)
    filled, output = rolled(massprops)
    assert filled == RESULTS
    assert re.search(r"MP136.*3 formulas read computed values: E2, E3, E6\n", output)


@pytest.mark.parametrize("formula", ["_xlfn.LAMBDA(_xlpm.r,SUM(_xlpm.r))(BOM!C2:C8)", "_xlfn.LAMBDA(x,y,x+y)(C2,C4)"])
def test_functions_that_are_called_at_once(massprops: Run, formula: str) -> None:
    save({"E1": f"={formula}"})
    filled, output = rolled(massprops)
    assert (filled["C2"], named(output)) == (None, "E1")


def test_array_formulas_whose_other_cells_are_not_in_the_file(massprops: Run) -> None:
    def add(made: openpyxl.Workbook) -> None:
        made["Sum"]["B1"] = ArrayFormula("B1:B7", "=BOM!C2:C8*9.81")

    save({"Sum!D1": "=B2*2", "Sum!D2": "=B3*2"}, add=add)
    filled, output = rolled(massprops)
    assert filled == RESULTS
    assert re.search(r"MP136.*: Sum!B1, Sum!D1, Sum!B2, Sum!B5\n", output)


def test_formulas_that_are_kept_are_no_results(massprops: Run) -> None:
    """No cell is filled, so that no value changes: neither MP136 nor a removed value."""
    save({"C2": "=C3+C6", "C3": "=SUM(C4:C5)", "C6": "=C7+C8", "Sum!A1": "=BOM!C2"}, {"C2": 14, "C3": 7, "C6": 7})
    _, output = rolled(massprops)
    assert "MP135" not in output
    assert "MP136" not in output
    assert openpyxl.load_workbook("out.xlsx", data_only=True)["BOM"]["C2"].value == 14


def test_values_that_do_not_change_are_kept(massprops: Run) -> None:
    """Of formulas that read cells which hold the computed value."""
    rows = [[*row[:2], RESULTS.get(f"C{k}", row[2])] for k, row in enumerate(ROWS, 1)]
    save({"C8": "=C3/3.5", "Sum!A1": "=BOM!C3"}, {"C8": 2, "Sum!A1": 7}, rows=rows)
    rolled(massprops)
    out = openpyxl.load_workbook("out.xlsx", data_only=True)
    assert (out["BOM"]["C8"].value, out["Sum"]["A1"].value) == (2, 7)
    assert massprops("rollup", "out.xlsx", "-o", "again.xlsx").exit_code == 0


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("code", "result"),
    [
        ('0.0 "lb"', "General"),
        ("#,##0.0,", "General"),
        ("0%", "General"),
        ("mm/dd/yyyy", "General"),
        ('0.0 "KG"', '0.0 "KG"'),
        ("0.000", "0.000"),
        ("#,##0.00;[Red]-#,##0.00", "#,##0.00;[Red]-#,##0.00"),
        ('0.0;-0.0;"none"', '0.0;-0.0;"none"'),
        ("@", "@"),
    ],
)
def test_number_formats_of_another_unit_are_not_kept(massprops: Run, code: str, result: str) -> None:
    def add(made: openpyxl.Workbook) -> None:
        made["BOM"]["C3"].number_format = code

    save({}, add=add)
    assert rolled(massprops)[0] == RESULTS
    assert openpyxl.load_workbook("out.xlsx")["BOM"]["C3"].number_format == result
    assert massprops("rollup", "out.xlsx", "-o", "again.xlsx").exit_code == 0
    assert Path("again.xlsx").read_bytes() == Path("out.xlsx").read_bytes()


@pytest.mark.parametrize(
    "below",
    [
        {"B10": "Total", "C10": "=C2"},
        {"B9": "Total", "C9": "=C3+C6"},
        {"B10": "Total", "C10": "=C2", "B11": "Limit", "C11": 20, "B12": "Remaining", "C12": "=C11-C10"},
        {"B10": "Total", "C10": "=C2", "B11": "Margin 10 %", "C11": "=0.1*C10"}
        | {"B12": "Total with margin", "C12": "=C10+C11"},
        {"B10": "Total", "C10": "=F10+1", "F10": "=Sum!A1", "Sum!A1": "=BOM!C2-1"},
    ],
)
def test_totals_of_blank_cells_are_not_compared(massprops: Run, below: dict[str, Any]) -> None:
    """Their saved values are of the time before; a second run gives the same file."""
    save(below, dict.fromkeys(below, 0))
    filled, output = rolled(massprops)
    assert filled == RESULTS
    assert f"read{'s' * (len(below) < 3)} computed values" in output
    assert massprops("rollup", "out.xlsx", "-o", "again.xlsx").exit_code == 0
    assert Path("again.xlsx").read_bytes() == Path("out.xlsx").read_bytes()


def test_totals_of_parts_are_compared(massprops: Run) -> None:
    save({"B9": "Total", "C9": "=C4+C5+C7+C8"}, {"C9": 23})
    done = massprops("rollup", "bom.xlsx", "-o", "out.xlsx")
    assert (done.exit_code, "MP415" in done.output) == (1, True)


def test_a_row_of_a_status_is_offered_as_no_item(massprops: Run) -> None:
    rows = [["id", "parent", "mass [kg]"], ["SAT"], ["A", "SAT", 4], ["B", "SAT", 3], ["Status", None, "OK"]]
    save({}, rows=rows)
    done = massprops("rollup", "bom.xlsx", "-o", "out.xlsx")
    assert (done.exit_code, "--skip-row Status" in done.output) == (1, True)
    assert massprops("rollup", "bom.xlsx", "-o", "out.xlsx", "--skip-row", "Status").exit_code == 0
