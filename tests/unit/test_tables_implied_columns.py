"""Columns that cells, units or place make a quantity, and the commands offered where nothing does."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource

Run = Callable[..., Result]


def bom_of(text: str) -> Bom:
    rows = [line.split(",") for line in text.strip("\n").split("\n")]
    return Bom.from_table(GridTable(TableSource("list.csv", "csv"), [list(row) for row in rows]))


def mass_of(text: str) -> float:
    bom = bom_of(text)
    assert not bom.has_errors, bom.findings
    return float(mp.rollup(bom).root.mass or 0)


def test_a_cost_is_not_offered_as_a_mass() -> None:
    with pytest.raises(mp.TableError) as caught:
        bom_of("Month,Cost\nMay,1\nJune,2")
    assert "Cost" not in caught.value.findings[-1].remedy


@pytest.mark.parametrize(
    "text",
    [
        "Item,Reading,Cost\nA,12,5\nB,3,7",
        "Month,Load\nMay,1\nJune,2",
        "Index,Name,Quantity\n1,Frame,1\n1.1,Rail,6",
        "Mass list,,\n,,\nNumber,Name,Quantity\n1,Frame,1\n2,Rail,6",
    ],
)
def test_no_masses_are_made_of_other_numbers(text: str) -> None:
    with pytest.raises(mp.TableError) as caught:
        bom_of(text)
    (finding,) = [one for one in caught.value.findings if one.rule == "MP244"]
    assert "no header names a mass" in finding.message
    assert "run massprops" not in finding.remedy


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "each", ["g/pc", "g/pc.", "g each", "g per piece", "g/Stk", "g pro Stück", "g/pièce", "g/szt", "[g/ea]"]
)
@pytest.mark.parametrize("n", ["n", "N", "Qty", "Nombre", "Anzahl"])
def test_units_as_headers(each: str, n: str) -> None:
    assert mass_of(f"Part,{n},{each},g\nPlate,2,80,160\nMotor,6,150,900\nCamera,1,500,500\n,,sum,1560") == 1560


@pytest.mark.parametrize("unit", ["kg", "[kg]", "lbs", "(t)", "кг", "g"])
def test_a_unit_of_mass_alone_is_a_column_of_masses(unit: str) -> None:
    bom = bom_of(f"Part,{unit}\nPlate,2\nMotor,6")
    assert mp.rollup(bom).root.mass == 8
    assert "MP270" in {f.rule for f in bom.findings}


def test_a_unit_of_mass_next_to_a_mass_is_not_read() -> None:
    assert mass_of("Part,Mass [kg],t\nPlate,2,0.5\nMotor,6,0.7") == 8


def test_running_numbers_are_no_counts() -> None:
    assert mass_of("n,Part,Mass [kg]\n1,Plate,2\n2,Motor,6\n3,Seat,1") == 9
    assert mass_of("Part,n,Mass [kg]\nPlate,4,2\nMotor,2,6\nSeat,3,1") == 23
    assert mass_of("Part,n,Mass [kg]\nPlate,2,2\nMotor,3,6") == 22


def test_the_mass_of_one_piece_comes_before_a_mass_without_a_word() -> None:
    assert mass_of("Part,Qty,g,g/pc\nPlate,2,160,80\nMotor,6,900,150\nCamera,1,500,500") == 1560


TITLED = """WEIGHT STATEMENT,,,
,Weight (lb),FS (in),WL (in)
ROTOR,300,140,66
  Blades,200,140,66
  Hub,100,140,66
CABIN,150,170,78
  Seats,150,170,78
WEIGHT EMPTY,450,,"""


def test_names_without_a_header_below_a_title() -> None:
    bom = bom_of(TITLED)
    assert not bom.has_errors, bom.findings
    root = mp.rollup(bom).root
    assert root.mass == 450
    assert (root.center[0], root.center[2]) == (150, 70)  # (300·140 + 150·170) / 450, (300·66 + 150·78) / 450
    (missing,) = [f for f in bom.findings if f.rule == "MP212"]
    assert "column Cy missing" in missing.message
    assert missing.severity.value == "warning"


@pytest.mark.parametrize("title", ["Mass budget,,", "Satellite,,\n2024,,", "Weights,,\n,,\nas of May,,"])
@pytest.mark.parametrize("header", ["Gegenstand,Bemerkung,kg", "Part,Supplier,Mass", ",Supplier,Mass"])
def test_the_header_is_below_its_titles_whatever_it_is_called(title: str, header: str) -> None:
    text = f"{title}\n{header}\nFrame,ACME,12\nWheel,X,3"
    assert mass_of(text) == 15
    assert mass_of(text.replace("Frame,ACME,12", "Frame,,12")) == 15


def test_a_title_of_several_cells_is_narrower_than_its_header() -> None:
    text = "Project X,,,rev 3\nGegenstand,Bemerkung,Ort,kg\nFrame,ACME,here,12\nWheel,X,there,3"
    assert mass_of(text) == 15


def test_a_first_row_with_a_blank_name_stays_the_header() -> None:
    bom = bom_of("Part,Mass,\nFrame,TBD,steel\nWheel,3,rubber")
    assert bom.columns.header_row == 0
    with pytest.raises(mp.TableError) as caught:
        bom_of("Part,,\nFrame,TBD,steel\nWheel,3,rubber")
    assert "MP228" not in {finding.rule for finding in caught.value.findings}


ERP = """BILL OF MATERIAL,,,,,PAGE 1
LEVEL,ITEM NUMBER,DESCRIPTION,QTY PER,UM,NET WT
0,A-1,UNIT,1,EA,0.000
.1,A-2,SET,2,EA,0.000
..2,B-1,DRIVE,1,EA,100.000
..2,B-2,ROD,2.5,FT,4.000
.1,C-1,PALLET,0,EA,50.000"""


@pytest.mark.parametrize("header", ["NET WT", "Net weight", "Nettogewicht", "Poids net", "Peso neto", "净重"])
def test_an_erp_report_below_its_page_title(header: str) -> None:
    # 2 x (100 + 2.5 x 4), the pallet left out
    assert mass_of(ERP.replace("NET WT", header)) == 220


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("ITEM NO.,PART,QTY.,MASS\n1,AX-1,1,3 kg\n1.1,AX-2,1,2 kg\n1.2,AX-3,2,0.5 kg\n2,BX-1,1,7 kg", 10),
        ("ITEM NO.,PART,QTY.,MASS\n1,AX-1,2,\n1.1,AX-2,1,2\n2,BX-1,1,7\n3,CX-1,3,\n3.1,CX-2,2,1", 17),
        ("Level,Part,Mass\n1,A,\n2,B,2\n1,C,\n2,D,3\n2,E,4", 9),
        ("Part,Mass\nA,\n  B,2\nC,\n  D,3\n  E,4\nF,1", 10),
        ("Level 1,Level 2,Mass\nA,,\n,B,2\nC,,\n,D,3", 5),
    ],
)
def test_several_top_rows_of_a_list_are_one_product(text: str, total: float) -> None:
    bom = bom_of(text)
    assert mass_of(text) == total
    (made,) = [f for f in bom.findings if f.rule == "MP317"]
    assert made.severity.value == "note"


@pytest.mark.parametrize("text", ["id,parent,mass\na,,1\nb,,2\nc,b,2", "Level,Part,Mass\n0,A,\n1,B,2\n0,C,\n1,D,3"])
def test_several_rows_without_a_parent_stay_a_question(text: str) -> None:
    assert "MP308" in {f.rule for f in bom_of(text).findings}


def test_root_of_a_plain_list_has_no_note() -> None:
    assert not bom_of("Part,Mass\nA,1\nB,2").findings


def test_several_assemblies_without_a_parent_get_a_root_with_a_warning() -> None:
    text = "id,parent,mass\na,,\nb,a,2\nc,,\nd,c,3"
    bom = bom_of(text)
    assert mass_of(text) == 5
    assert {f.rule: f.severity.value for f in bom.findings}["MP317"] == "warning"


@pytest.mark.parametrize(("text", "total"), [("Thing,Amount of stuff (kg),Cost\nA,12,5\nA,3,7", 15)])
def test_where_no_column_is_known_whole_commands_are_offered_that_work(
    text: str, total: float, tmp_path: Path, massprops: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my list.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    result = massprops("rollup", "my list.csv", "--decimal", ".", "--format", "json")
    assert result.exit_code != 0
    reported = json.loads(result.stdout)["findings"] if result.stdout else []
    remedies = " ".join(f.get("remedy", "") for f in reported) or result.output
    assert "HEADER" not in remedies
    command = remedies.split("run ")[1].split(" (")[0]
    words = shlex.split(command if command.count("'") % 2 == 0 else remedies.split("run ")[1].split("' (")[0] + "'")
    assert "--decimal" in words
    done = massprops(*words[1:])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert next(item["mass"] for item in report["items"] if item["id"] == report["root"]) == total


@pytest.mark.parametrize(
    "header", ["Gewicht netto [kg]", "As weighed (kg)", "Dry weight (t)", "Weight est.", "Poids estimé (kg)"]
)
def test_the_only_column_that_may_hold_masses_does(header: str) -> None:
    assert mass_of(f"Part,Qty,{header},Cost\nPlate,2,8,5\nMotor,1,15,9") == 31


OTHERS = ["Weight factor", "Mass limit (kg)", "± (kg)", "Margin (kg)", "Gross weight (kg)", "Tolerance (g)"]


@pytest.mark.parametrize("header", OTHERS)
def test_a_number_next_to_a_mass_is_not_the_mass(header: str) -> None:
    with pytest.raises(mp.TableError):
        bom_of(f"Part,Qty,{header}\nPlate,2,8\nMotor,1,15")


def test_running_numbers_behind_the_names_are_a_question_whose_commands_work(
    tmp_path: Path, massprops: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("Part,n,Mass [kg]\nA,1,2\nB,2,3\n")
    monkeypatch.chdir(tmp_path)
    findings = json.loads(massprops("rollup", "a.csv", "--format", "json").stdout)["findings"]
    (remedy,) = [f["remedy"] for f in findings if f["rule"] == "MP253"]
    masses = []
    for part in remedy.split("massprops ")[1:]:
        words = shlex.split(part.split(" if ")[0])
        report = json.loads(massprops(*words).stdout)
        masses.append(next(item["mass"] for item in report["items"] if item["id"] == report["root"]))
    assert masses == [8, 5]
