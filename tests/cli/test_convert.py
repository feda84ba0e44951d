"""``convert``: units, tables with something around them, and pipes of real processes."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.examples import first
from tests.warm import warm_words

from .conftest import assert_exit

ROOT = Path(__file__).parents[2]

# 2 lb at 10 in and 3.5 lb at -1 in; an international pound is 0.45359237 kg, an inch 0.0254 m
POUNDS = """id,parent,mass [lb],Cx [in],Cy [in],Cz [in],note
top,,,,,,
a,top,2,10,0,0, kept
b,top,3.50,-1,0,0,007
"""


@pytest.fixture
def pounds(tmp_path):
    path = tmp_path / "pounds.csv"
    path.write_text(POUNDS)
    return path


def rows_of(text: str) -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("layout", [(), ("--to-layout", "level"), ("--to-layout", "dotted")])
def test_units_convert_number_cells_and_headers_and_state_it(run, pounds, layout):
    result = run("convert", pounds, "--units", "SI", *layout)
    assert result.exit_code == 0, result.output
    rows = rows_of(result.stdout)
    assert float(rows["a"]["mass [kg]"]) == pytest.approx(2 * 0.45359237, rel=1e-15)
    assert float(rows["b"]["Cx [m]"]) == pytest.approx(-0.0254, rel=1e-15)
    assert (rows["a"]["note"], rows["b"]["note"], rows["top"]["mass [kg]"]) == (" kept", "007", "")
    assert "MP211" in result.stderr


SQUARE_INCH = 0.45359237 * 0.0254**2  # lb·in² in kg·m²


@pytest.mark.parametrize(
    ("units", "header", "values"),
    [
        ("kg", ["mass [kg]", "Cx [in]", "Ixx [lb*in^2]"], [5 * 0.45359237, 0.2, 20.0]),
        ("kg,mm,kg*m^2", ["mass [kg]", "Cx [mm]", "Ixx [kg*m^2]"], [5 * 0.45359237, 5.08, 20 * SQUARE_INCH]),
        ("kg,m", ["mass [kg]", "Cx [m]", "Ixx [kg*m^2]"], [5 * 0.45359237, 0.00508, 20 * SQUARE_INCH]),
    ],
)
def test_units_of_some_quantities(run, tmp_path, units, header, values):
    path = tmp_path / "pounds.csv"
    inertia = "Ixx [lb*in^2],Iyy [lb*in^2],Izz [lb*in^2],Ixy [lb*in^2],Ixz [lb*in^2],Iyz [lb*in^2]"
    path.write_text(
        f"id,parent,mass [lb],Cx [in],Cy [in],Cz [in],{inertia},POIconv\n"
        "top,,,,,,,,,,,,-\na,top,2,-1,0,0,10,10,10,0,0,0,-\nb,top,3,1,0,0,10,10,10,0,0,0,-\n"
    )
    result = run("rollup", path, "--units", units, "-o", tmp_path / "out.csv", "-v")
    assert_exit(result, 0, "MP211")
    top = rows_of((tmp_path / "out.csv").read_text())["top"]
    assert [float(top[name]) for name in header] == pytest.approx(values, rel=1e-14)  # both leaves on the x axis
    again = run("rollup", tmp_path / "out.csv", "-o", tmp_path / "again.csv")
    assert again.exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_units_there_and_back_give_the_same_numbers(run, pounds, tmp_path):
    run("convert", pounds, "--units", "kg,mm", "-o", tmp_path / "metric.xlsx")
    result = run("convert", tmp_path / "metric.xlsx", "--units", "lb,in", "--to", "json")
    b = json.loads(result.stdout)[2]
    assert b["mass [lb]"] == pytest.approx(3.5, rel=1e-15)
    assert b["Cx [in]"] == pytest.approx(-1, rel=1e-15)


def test_row_of_units_is_rewritten(run, tmp_path):
    path = tmp_path / "row.csv"
    path.write_text("id,parent,mass\n,,lb\ntop,,\na,top,2\n")
    result = run("convert", path, "--units", "SI")
    assert result.stdout.splitlines()[1] == ",,kg"
    assert float(rows_of(result.stdout)["a"]["mass"]) == pytest.approx(0.90718474, rel=1e-15)


def test_units_that_are_none_convert_nothing(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("id,parent,mass [parsec]\ntop,,\na,top,2\n")
    result = run("convert", path, "--units", "SI")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "MP207" in result.stderr


def test_layout_is_that_of_the_table_in_the_sheet(run, tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text("Budget,,\n,,\nid,parent,mass\ntop,,\na,top,2\n,,\nNote: estimates only,,\n")
    result = run("convert", path, "--to-layout", "dotted")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[2:] == ["id,item,mass", "top,1,", "a,1.1,2"]
    assert "MP258" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes of a POSIX shell")
@pytest.mark.parametrize(
    "line",
    first(
        [
            "massprops convert pounds.xlsx --to json --to-layout dotted | massprops rollup - --from json --to csv",
            "massprops convert - --from csv --to jsonl < pounds.csv | massprops rollup - --from jsonl --to csv",
            "massprops convert pounds.xlsx --to csv --to-layout level | massprops rollup - --from csv",
            "massprops convert pounds.csv --where 'mass > 3' | massprops rollup - --from csv",
        ],
        2,
    ),
)
def test_pipe_gives_the_same_total(run, pounds, tmp_path, line):
    run("convert", pounds, "-o", tmp_path / "pounds.xlsx")
    script = f'set -o pipefail; massprops() {{ {warm_words()} "$@"; }}; {line}'
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    top = rows_of(done.stdout.decode())["top"]
    assert float(top["mass [lb]"]) == (3.5 if "where" in line else 5.5)
    assert float(top["Cx [in]"]) == pytest.approx(-1 if "where" in line else (20 - 3.5) / 5.5, rel=1e-14)
    assert b"rolled up" in done.stderr


PLANE = """id,parent,name,mass [kg],qty,note
Plane,,A plane,,,=1+1
Wing,Plane,Wing,,2,
Spar 1e5,Wing,Spar,12.5,1,007
Rib,Wing,,0.125,14,1.10
Tail,Plane,Tail,1e-3,1, blank
"""


@pytest.mark.spread(3)
@pytest.mark.parametrize("format_name", ["tsv", "xlsx", "jsonl", "parquet"])
@pytest.mark.parametrize("layout", ["parent", "level", "dotted", "edges", "indented", "columns"])
def test_tree_and_cells_come_back_through_every_layout_and_format(run, tmp_path, layout, format_name):
    start, there, back = tmp_path / "plane.csv", tmp_path / f"there.{format_name}", tmp_path / "back.csv"
    start.write_text(PLANE)
    for arguments in ((start, "-o", there, "--to-layout", layout), (there, "-o", back, "--to-layout", "parent")):
        result = run("convert", *arguments)
        assert result.exit_code == 0, result.output
    returned, truth = rows_of(back.read_text()), rows_of(PLANE)
    assert list(returned) == list(truth)
    for name, row in truth.items():
        for column, text in row.items():
            held = returned[name][column].removeprefix("'")  # a formula from a workbook is guarded in csv
            if column in ("mass [kg]", "qty") and text:
                assert float(held) == float(text)
            else:
                assert held == text, (name, column)


def test_layouts_look_as_they_are_called(run, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("id,parent,mass\nt,,\na,t,\nb,a,2\n")
    looks = {
        "edges": ["parent,child,mass", ",t,", "t,a,", "a,b,2"],
        "indented": ["id,mass", "t,", "  a,", "    b,2"],
        "columns": ["Level 1,Level 2,Level 3,mass", "t,,,", ",a,,", ",,b,2"],
    }
    for layout, lines in looks.items():
        assert run("convert", path, "--to-layout", layout).stdout.splitlines() == lines


def test_name_that_begins_with_blanks_is_not_a_level(run, tmp_path):
    path = tmp_path / "blanks.csv"
    path.write_text("id,parent,name,mass\nt,,top,\na,t,  bolt,2\n")
    result = run("convert", path, "--to-layout", "indented")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "name begins with blanks" in result.stderr


def test_tree_of_very_many_levels_is_not_written_as_columns(run, tmp_path):
    path = tmp_path / "deep.csv"
    rows = [f"{i},{i - 1 if i else ''},{'1' if i == 250 else ''}" for i in range(251)]
    path.write_text("\n".join(["id,parent,mass", *rows]) + "\n")
    result = run("convert", path, "--to-layout", "columns")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "251 (at most 200)" in result.stderr


def test_truth_values_and_blanks_of_typed_formats_are_no_numbers(run, tmp_path):
    path = tmp_path / "typed.json"
    path.write_text('[{"id": "t", "parent": null, "mass": null}, {"id": "a", "parent": "t", "mass": 2, "new": true}]')
    result = run("convert", path, "--to-layout", "level", "--to", "csv")
    assert result.stdout.splitlines() == ["id,level,mass,new", "t,0,,", "a,1,2,true"]


def test_a_row_of_totals_is_no_item_of_another_layout(run, tmp_path):
    path = tmp_path / "totals.csv"
    path.write_text("id,parent,mass [kg]\nSAT,,\nA,SAT,2\nB,SAT,3\nTotal,,5\n")
    result = run("convert", path, "--to-layout", "level")
    assert result.stdout.splitlines() == ["id,level,mass [kg]", "SAT,0,", "A,1,2", "B,1,3"]
    assert "note MP250  total is excluded: Total" in result.stderr


@pytest.mark.parametrize("layout", ["parent", "level", "edges", "dotted", "indented", "columns"])
def test_several_top_rows_of_a_numbered_list_get_the_root_of_the_roll_up(run, tmp_path, layout):
    path = tmp_path / "probe.csv"
    path.write_text("item,name,mass [kg]\n1,Bus,\n1.1,Frame,2\n1.2,Tank,3\n2,Payload,\n2.1,Camera,4\n")
    written = tmp_path / "written.csv"
    assert run("convert", path, "--to-layout", layout, "-o", written).exit_code == 0
    if layout == "dotted":
        assert written.read_bytes() == path.read_bytes()  # it has this layout
        return
    result = json.loads(run("rollup", written, "--format", "json", "-o", tmp_path / "o.csv").stdout)
    assert result["root"] == "probe"
    assert result["items"][0]["mass"] == 2 + 3 + 4


def test_make_root_writes_a_row_for_the_root_in_the_same_layout(run, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("id,parent,mass\na,,\nb,a,2\nc,,3\n")
    result = run("convert", path, "--make-root", "a")
    # the name is in use
    assert result.stdout.splitlines() == ["id,parent,mass", "a 2,,", "a,a 2,", "b,a,2", "c,a 2,3"]


@pytest.mark.parametrize("options", [("--to-layout", "parent"), ("--make-root", "R"), ("--where", "mass = 1")])
@pytest.mark.parametrize("text", ["id,parent,mass\n", "Level,Name,mass\n", "title\n\nid,parent,mass [kg]\n"])
def test_a_header_without_rows_is_reported(run, tmp_path, options, text):
    path = tmp_path / "h.csv"
    path.write_text(text)
    done = run("convert", path, *options, "-o", tmp_path / "c.csv")
    assert_exit(done, 2, "MP111", "header and no row")
    assert not (tmp_path / "c.csv").exists()


def test_converted_cells_have_the_fewest_digits(run, tmp_path):
    """0.1314 kg·m² is 131399999.99999999 g·mm² in doubles; back again, each cell is as it was typed."""
    (tmp_path / "a.csv").write_text(
        "id,parent,mass [kg],Cx [m],Ixx [kg*m^2]\nS,,,,\nA,S,1.857,-0.938,0.1314\nB,S,0.018,0.3937,0.1639\n"
    )
    assert run("convert", tmp_path / "a.csv", "--units", "g,mm", "-o", tmp_path / "b.csv").exit_code == 0
    assert (tmp_path / "b.csv").read_text().splitlines()[2:] == ["A,S,1857,-938,131400000", "B,S,18,393.7,163900000"]
    assert run("convert", tmp_path / "b.csv", "--units", "kg,m", "-o", tmp_path / "c.csv").exit_code == 0
    assert (tmp_path / "c.csv").read_text() == (tmp_path / "a.csv").read_text()


@pytest.mark.parametrize("head", ["Item,Mass (t),LCG (m fwd AP),VCG (m ABL)", "Item,Mass,LCG,VCG\n,t,m fwd AP,m ABL"])
def test_the_origin_of_a_coordinate_stays_in_its_heading(massprops, tmp_path, head: str):
    (path := tmp_path / "ship.csv").write_text(f"{head}\nA,2,3,1.5\n")
    result = massprops("convert", path, "--units", "kg,mm", "-o", "-")
    assert result.exit_code == 0, result.stderr
    converted = head.replace("(t)", "(kg)").replace(",t,", ",kg,").replace("m fwd", "mm fwd").replace("m ABL", "mm ABL")
    assert result.stdout == f"{converted}\nA,2000,3000,1500\n"
