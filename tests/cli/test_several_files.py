"""Texts without a header, the tree in another file, and one tree from several files, on the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import massprops_cli as mp

R_DATA = Path(__file__).parents[1] / "data" / "massprops_r"
Run = Callable[..., Any]


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def rolled(massprops: Run, tmp_path: Path, *arguments: object, exit_code: int = 0) -> dict[str, dict[str, str]]:
    result = massprops("rollup", *arguments, "-o", tmp_path / "out.csv")
    assert result.exit_code == exit_code, result.output
    return rows_of(tmp_path / "out.csv")


HEADERLESS = "motor,0.5,1,0,2\nbattery,1.5,3,0,0\n"


def test_a_list_without_a_header_is_read_with_columns(massprops: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "list.csv", HEADERLESS)
    rejected = massprops("rollup", path)
    assert rejected.exit_code == 2
    assert "--config columns=id,parent,mass" in rejected.output
    result = massprops("rollup", path, "--columns", "id,mass,Cx,Cy,Cz", "--format", "json")
    root = next(item for item in json.loads(result.stdout)["items"] if item["id"] == "list")
    assert root["mass"] == 2
    assert root["center"] == [2.5, 0, 0.5]  # (0.5·1 + 1.5·3)/2 and 0.5·2/2
    assert (tmp_path / "list.rollup.csv").read_text() == "id,mass,Cx,Cy,Cz\n" + HEADERLESS


def test_findings_of_a_list_without_a_header_have_its_lines(massprops: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "list.csv", HEADERLESS + "frame,x,1,2,3\nskid,1\n")
    result = massprops("rollup", path, "--columns", "id,mass,Cx,Cy,Cz", "--format", "concise")
    assert "list.csv:3:2" in result.output
    assert "list.csv:4:" in result.output


def test_columns_of_a_configuration_and_of_the_library(massprops: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "list.csv", "a;x;1,5\nb;y;2,5\n")
    put(tmp_path, "massprops.toml", '[read]\ncolumns = "id,,mass"\ndecimal = ","\n')
    result = massprops("rollup", path, "--format", "json")
    assert next(item for item in json.loads(result.stdout)["items"] if item["id"] == "list")["mass"] == 4
    assert mp.rollup(mp.read_bom(path, columns=["id", "", "mass"], decimal=","))["list"].mass == 4
    saved = massprops("validate", path, "--save-map", tmp_path / "map.toml")
    assert saved.exit_code == 0, saved.output
    assert 'columns = "id,,mass"' in (tmp_path / "map.toml").read_text()


def test_columns_of_a_workbook_are_rejected(massprops: Run, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["id", "mass"])
    book.active.append(["a", 1])
    book.save(tmp_path / "a.xlsx")
    result = massprops("rollup", tmp_path / "a.xlsx", "--columns", "id,mass")
    assert result.exit_code == 2
    assert "columns requires a text table" in result.output


def written_by_r(folder: Path, name: str, *, is_child_first: bool = True) -> tuple[Path, Path]:
    """Write a table of the R package as ``write.csv`` does, without its parents, and their edges apart from it."""
    with (R_DATA / name).open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    kept = [j for j, text in enumerate(header) if text != "parent"]

    def cell(text: str, j: int) -> str:
        is_text = header[j] in ("id", "name", "POIconv")
        return "NA" if not text else f'"{text}"' if is_text else text

    lines = [",".join(['""', *(f'"{header[j]}"' for j in kept)])]
    lines += [",".join([f'"{k}"', *(cell(row[j], j) for j in kept)]) for k, row in enumerate(rows, 1)]
    pairs = [(row[0], row[1]) if is_child_first else (row[1], row[0]) for row in rows if row[1]]
    edges = ['"","V1","V2"', *(f'"{k}","{one}","{other}"' for k, (one, other) in enumerate(pairs, 1))]
    return put(folder, "table.csv", "\n".join(lines) + "\n"), put(folder, "tree.csv", "\n".join(edges) + "\n")


@pytest.mark.parametrize("is_child_first", [True, False])
def test_a_table_of_r_and_its_tree_roll_up_to_the_result_of_r(
    massprops: Run, tmp_path: Path, is_child_first: bool
) -> None:
    table, tree = written_by_r(tmp_path, "test_table.csv", is_child_first=is_child_first)
    rows = rolled(massprops, tmp_path, table, "--tree", tree)
    expected = rows_of(R_DATA / "test_table_expected.csv")
    assert rows.keys() == expected.keys()
    for id, row in expected.items():
        for name in ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"):
            assert float(rows[id][name]) == pytest.approx(float(row[name]), abs=1e-12), (id, name)
    assert "parent" not in rows["A.1"]


def test_a_chain_of_edges_requires_its_direction(massprops: Run, tmp_path: Path) -> None:
    table = put(tmp_path, "table.csv", "id,mass\ntop,\nmid,\nlow,5\n")
    tree = put(tmp_path, "tree.csv", "from,to\nlow,mid\nmid,top\n")
    rejected = massprops("rollup", table, "--tree", tree)
    assert rejected.exit_code == 2
    assert "--config tree-direction=child-parent or --config tree-direction=parent-child" in rejected.output
    rows = rolled(massprops, tmp_path, table, "--tree", tree, "--tree-direction", "child-parent")
    assert [float(rows[id]["mass"]) for id in ("top", "mid", "low")] == [5, 5, 5]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("id,parent\na,top\nc,top\n", "ids without a row in the table: c"),
        ("id,parent\na,top\nb,top\nb,a\n", "b has several parents in the tree file: top and a"),
        ("one,two,three\na,top,1\n", "no two columns of children and parents"),
    ],
)
def test_a_tree_that_does_not_fit_is_rejected(massprops: Run, tmp_path: Path, tree: str, message: str) -> None:
    table = put(tmp_path, "table.csv", "id,mass\ntop,\na,1\nb,2\n")
    result = massprops("rollup", table, "--tree", put(tmp_path, "tree.csv", tree))
    assert result.exit_code == 2
    assert message in result.output


def test_a_tree_without_headers_and_with_na_for_the_root(massprops: Run, tmp_path: Path) -> None:
    table = put(tmp_path, "table.csv", "title of the table,\nid,mass\ntop,\na,1\nb,2\n")
    tree = put(tmp_path, "tree.csv", "a,top\nb,top\n")
    massprops("rollup", table, "--tree", tree, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "title of the table,\nid,mass\ntop,3\na,1\nb,2\n"
    tree = put(tmp_path, "tree.csv", "child,parent\ntop,NA\na,top\nb,top\n")
    assert massprops("validate", table, "--tree", tree).exit_code == 0


def test_a_tree_in_the_library(tmp_path: Path) -> None:
    table = put(tmp_path, "table.csv", "id,mass\ntop,\na,1\nb,2\n")
    tree = put(tmp_path, "tree.csv", "id,parent\na,top\nb,top\n")
    assert mp.rollup(mp.read_bom(table, tree=str(tree)))["top"].mass == 3


STRUCTURE = "id,parent,mass [kg],Cx [m]\nSTR,,,\nPanel,STR,4,\nBolt,STR,0.5,\n"
POWER = "Part,Qty,Weight (g)\nBattery,2,800\nBolt,40,5\nTotal,,1800\n"


def test_files_of_other_layouts_and_units_are_branches_of_one_tree(massprops: Run, tmp_path: Path) -> None:
    one = put(tmp_path, "structure.csv", STRUCTURE.replace(",Cx [m]", "").replace(",\n", "\n"))
    two = put(tmp_path, "power.csv", POWER)
    rows = rolled(massprops, tmp_path, one, two, "--combine", "branch", "--make-root", "SAT")
    # 4 + 0.5 and 2·0.8 + 40·0.005 kg
    assert float(rows["SAT"]["mass [kg]"]) == pytest.approx(6.3)
    assert float(rows["STR"]["mass [kg]"]) == 4.5
    assert float(rows["power"]["mass [kg]"]) == pytest.approx(1.8)
    assert rows["structure/Bolt"]["parent"] == "STR"
    assert rows["power/Bolt"]["qty"] == "40"
    assert [rows[id]["parent"] for id in ("STR", "power", "SAT")] == ["SAT", "SAT", ""]


def test_the_output_of_combined_files_has_the_name_of_no_file(massprops: Run, tmp_path: Path) -> None:
    one, two = put(tmp_path, "b.csv", "id,parent,mass\nB,,\nP,B,2\n"), put(tmp_path, "c.csv", "id,parent,mass\nC,,3\n")
    result = massprops("rollup", one, two, "--combine", "branch")
    assert result.exit_code == 0
    assert rows_of(tmp_path / "combined.rollup.csv")["combined"]["mass"] == "5"
    assert not (tmp_path / "b.rollup.csv").exists()


def test_findings_of_combined_files_have_their_own_places(massprops: Run, tmp_path: Path) -> None:
    one = put(tmp_path, "structure.csv", STRUCTURE.replace(",Cx [m]", "").replace(",\n", "\n").replace(",4", ",x"))
    two = put(tmp_path, "power.csv", POWER.replace("800", ""))
    result = massprops("rollup", one, two, "--combine", "branch", "--format", "concise")
    assert result.exit_code == 1
    assert "structure.csv:3:3" in result.output
    assert "power.csv:2:3" in result.output


def test_sheets_of_a_workbook_are_branches(massprops: Run, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    tables: Sequence[tuple[str, list[list[object]]]] = (
        ("Structure", [["id", "parent", "mass (kg)"], ["STR", None, None], ["Panel", "STR", 4]]),
        ("Power", [["Part", "Mass (kg)"], ["Battery", 1.5], ["Cable", 0.5]]),
        ("Notes", [["nothing to read"]]),
    )
    book.remove(book.active)
    for name, rows in tables:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(tmp_path / "budget.xlsx")
    assert "--combine branch" in massprops("rollup", tmp_path / "budget.xlsx").output
    found = rolled(massprops, tmp_path, tmp_path / "budget.xlsx", "--combine", "branch")
    assert float(found["combined"]["mass [kg]"]) == 6
    assert float(found["Power"]["mass [kg]"]) == 2
    named = rolled(massprops, tmp_path, tmp_path / "budget.xlsx", "--combine", "branch", "--sheet", "Power,Structure")
    assert float(named["combined"]["mass [kg]"]) == 6


SECTIONS = """# Drone

## Structure

| Component | Mass [g] | Qty |
|---|---:|---:|
| Plate | 55 | 1 |
| Arm | 12.5 | 4 |
| **Subtotal** | **105** | |

## Electronics

Component | Mass [g] | Qty
--- | ---: | ---:
ESC | 8 | 4
**Subtotal** | **32** | |
**Total** | **137** | |
"""


def test_tables_of_a_readme_are_branches_with_their_headings(massprops: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "README.md", SECTIONS)
    rows = rolled(massprops, tmp_path, path, "--combine", "branch")
    masses = {id: float(rows[id]["mass [g]"]) for id in ("combined", "Structure", "Electronics")}
    assert masses == {"combined": 137, "Structure": 105, "Electronics": 32}
    wrong = put(tmp_path, "README.md", SECTIONS.replace("137", "140"))
    assert "MP415" in massprops("rollup", wrong, "--combine", "branch", "--format", "concise").output


def test_rows_of_several_files_are_joined_by_id(massprops: Run, tmp_path: Path) -> None:
    tree = put(tmp_path, "tree.csv", "id,parent\ntop,\na,top\nb,top\n")
    masses = put(tmp_path, "masses.csv", "Part,Mass [kg]\na,1\nb,3\nTotal,4\n")
    centres = put(tmp_path, "centres.csv", "id,Cx [m],Cy [m],Cz [m]\na,1,0,0\nb,2,0,4\n")
    rows = rolled(massprops, tmp_path, tree, masses, centres, "--combine", "id")
    top = {name: float(rows["top"][name]) for name in ("mass [kg]", "Cx [m]", "Cz [m]")}
    assert top == {"mass [kg]": 4, "Cx [m]": 1.75, "Cz [m]": 3}
    bom = mp.read_bom(tree, combine="id", more=[masses, centres])
    assert mp.rollup(bom)["top"].mass == 4


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("id,mass [kg]\na,7\n", "a has mass 7 here and 1 in"),
        ("id,mass [g]\nb,7\n", "mass is in g here and in kg in"),
        ("size,price\nb,7\n", "column of ids is missing"),
    ],
)
def test_files_that_contradict_each_other_are_not_joined(
    massprops: Run, tmp_path: Path, second: str, message: str
) -> None:
    one = put(tmp_path, "one.csv", "id,parent,mass [kg]\ntop,,\na,top,1\nb,top,\n")
    result = massprops("rollup", one, put(tmp_path, "two.csv", second), "--combine", "id")
    assert result.exit_code in (1, 2)
    assert message in result.output
    assert not (tmp_path / "one.rollup.csv").exists()


def test_wrong_calls_of_several_files(massprops: Run, tmp_path: Path) -> None:
    one, two = put(tmp_path, "one.csv", "id,mass\na,1\nb,2\n"), put(tmp_path, "two.csv", "id,mass\nc,3\nd,4\n")
    calls: list[tuple[tuple[object, ...], str]] = [
        ((one, "--combine", "branch"), "one table"),
        ((one, two, "--combine", "branch", "--in-place"), "omit --combine"),
        ((one, two, "--combine", "branch", "--tree", two), "mutually exclusive"),
        ((one, "--tree-direction", "child-parent"), "requires --tree"),
        ((one, two, "--combine", "twig"), "invalid --combine: twig"),
    ]
    for arguments, message in calls:
        result = massprops("rollup", *arguments)
        assert result.exit_code == 2, arguments
        assert message in result.output, result.output
    rejected = massprops("tree", one, two)
    assert rejected.exit_code == 2
    assert "pass --combine branch or --combine id" in rejected.output


def test_the_tree_or_one_of_the_files_is_standard_input(massprops: Run, tmp_path: Path) -> None:
    table = put(tmp_path, "table.csv", "id,mass\ntop,\na,1\nb,2\n")
    by_tree = massprops("tree", table, "--tree", "-", "--format", "json", stdin=b"id,parent\na,top\nb,top\n")
    assert by_tree.exit_code == 0, by_tree.output
    joined = massprops("validate", table, "-", "--combine", "id", "--from", "csv", stdin=b"id,parent\na,top\nb,top\n")
    assert joined.exit_code == 0, joined.output
    assert massprops("validate", "-", "-", "--combine", "id", stdin=b"").exit_code == 2
