"""Cells and files as people and programs write them, by classes, each with neighbours that are not read so."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli.tables.cells.number_text import CellRules, is_placeholder, split_cell_text
from massprops_cli.tables.cells.numbers import read_number_cells, rejected_cell_fault
from massprops_cli.tables.cells.units import read_unit

HAS_USD = find_spec("pxr") is not None

Run = Callable[..., Any]


def value(text: str) -> float | None:
    return read_number_cells([text], CellRules())[0].value


def report(massprops: Run, tmp_path: Path, text: str, *options: str, name: str = "list.csv") -> dict[str, Any]:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    result = massprops("rollup", path, "-o", tmp_path / "out.csv", "--format", "json", *options)
    return {"exit": result.exit_code, **json.loads(result.stdout)}


def mass(found: dict[str, Any]) -> float:
    items = {item["id"]: item for item in found["items"]}
    return float(items[found["root"]]["mass"])


def rules(found: dict[str, Any]) -> list[str]:
    return [one["rule"] for one in found["findings"] if one["severity"] != "note"]


@pytest.mark.parametrize(
    "text",
    [
        "2.5*",
        "2.5**",
        "2.5 †",
        "2.5‡",
        "2.5 [a]",
        "2.5 [1]",
        "2.5 (b)",
        "2.5 ¹⁾",
        "~2.5 (est.)",
        "2.5 (est.)",
        "ca. 2.5",
        "2.5 est.",
        "est. 2.5",
        "≈ 2.5*",
        "約2.5",
        "2.5 (approx.)",
        "2.5 (max)",
        "**2.5** (max)",
        "2.5 (TRL 3)",
        "2.5 [TBD]",
        "2.5 ¹",
        "2.5 (geschätzt)",
        "2,5 (CAD est.)",
    ],
)
def test_footnotes_and_estimates_are_the_number(text: str) -> None:
    assert value(text) == 2.5
    assert split_cell_text(text).estimated


@pytest.mark.parametrize(
    "text",
    [
        "2.5**3",
        "2*3",
        "2.5²",
        "2.5 1)",
        "2.5?",
        "*2.5",
        "2.5 (g)",
        "2.5 [kg]",
        "2.5 (15)",
        "2.5 (removed)",
        "est.",
        "1-2",
    ],
)
def test_other_marks_are_not(text: str) -> None:
    assert value(text) is None


@pytest.mark.parametrize(
    ("text", "grams"),
    [
        ("168 g (~28 g each)", 168),
        ("618 g (103 g each)", 618),
        ("72 (18g each)", 72),
        ("484 g (1.07 lb)", 484),
        ("882 lbs (400 kg)", 882 * 453.59237),
        ("484 g (2.07 lb)", None),
        ("168 g (~30 g each)", None),
        ("10 kg (5 lb)", None),
        ("168 g (28)", None),
    ],
)
def test_a_second_mass_in_brackets_agrees_or_is_a_finding_with_both(text: str, grams: float | None) -> None:
    """484 g is 1.0670 lb; 6 × 28 g = 168 g; 882 lb is 400.07 kg."""
    grammes = CellRules(unit=read_unit("g"), of_measure="mass")
    assert read_number_cells([text], grammes)[0].value == (None if grams is None else pytest.approx(grams))
    if grams is None:
        message = rejected_cell_fault(text, grammes).message
        assert all(number in message.rpartition(":")[2] for number in re.findall(r"[\d.]+", text))


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("Part,Qty,Mass (g)\nScrew,6,168 g (~28 g each)\nBox,2,10\nTotal,,188\n", 188),
        ("Part,Mass (g)\nScrew,168 g (~28 g each)\nBox,20\n", 188),
        ("Part,Qty,Mass (g)\nScrew,16,~3 g total\nBox,2,10\n", 23),
        ("Part,Qty,Mass (g)\nScrew,16,3 g\nBox,2,10\n", 68),
        ("Part,Mass (kg)\nBody,7.2\nLid,1 kg total\nTotal,8.2 kg total\n", 8.2),
        ("Part,Qty,Mass each (kg)\nJig,4 (manifest),0.64\nBase,1,0.47\n", 3.03),
        ("Item,Mass (kg)\nBody,7.2*\nBase,2.6 ¹\n¹ supplier,\n", 9.8),
    ],
)
def test_a_mass_of_the_row_is_not_of_each_and_no_word_in_it_makes_a_total(
    massprops: Run, tmp_path: Path, text: str, total: float
) -> None:
    found = report(massprops, tmp_path, text)
    assert (found["exit"], mass(found)) == (0, pytest.approx(total))


def test_a_mass_of_pieces_next_to_another_quantity_is_an_error(massprops: Run, tmp_path: Path) -> None:
    found = report(massprops, tmp_path, "Part,Qty,Mass [g]\nA,5,168 g (~28 g each)\nB,2,1\n")
    assert (found["exit"], rules(found)) == (1, ["MP237"])


def test_a_footnote_after_a_unit_leaves_the_unit() -> None:
    assert split_cell_text("3.5 kg*")[:2] == ("3.5", "kg")


@pytest.mark.parametrize(
    ("text", "result"),
    [("4 × 5.5 = 22", 22), ("55 × 4 = 220", 220), ("4 x 0,25 = 1,0", 1), ("3 × 0.333 = 1.0", 1), ("2*3=6", 6)],
)
def test_a_product_whose_arithmetic_holds_is_its_result(text: str, result: float) -> None:
    assert value(text) == result


@pytest.mark.parametrize("text", ["4 × 5.5 = 23", "4 × 5.5", "=4*5.5", "2 × 3 kg = 6 lb", "1.5 × 10^3"])
def test_other_products_are_not(text: str) -> None:
    assert value(text) is None


def test_one_warning_for_all_columns(massprops: Run, tmp_path: Path) -> None:
    text = "id,parent,mass,Cx,Cy,Cz\nT,,,,,\nA,T,2.0*,~1,0,0\nB,T,3 (est.),2†,0,0\n"
    found = report(massprops, tmp_path, text)
    assert (found["exit"], mass(found), rules(found).count("MP232")) == (0, 5, 1)


def test_a_product_next_to_its_quantity_is_the_mass_of_the_row(massprops: Run, tmp_path: Path) -> None:
    found = report(massprops, tmp_path, "Part,Qty,Mass [kg]\nA,4,4 × 5.5 = 22\nB,2,1\nC,,2 × 3 = 6\n")
    assert (found["exit"], mass(found)) == (0, 30)


def test_a_product_next_to_another_quantity_is_an_error(massprops: Run, tmp_path: Path) -> None:
    found = report(massprops, tmp_path, "Part,Qty,Mass [kg]\nA,3,4 × 5.5 = 22\nB,2,1\n")
    assert (found["exit"], rules(found)) == (1, ["MP237"])


@pytest.mark.parametrize(("meaning", "total"), [("each", 580), ("line", 160)])
def test_a_count_next_to_a_mass_is_a_question_with_both_commands(
    massprops: Run, tmp_path: Path, meaning: str, total: float
) -> None:
    text = "Part,Mass [g]\nA,140 g (×4)\nB,20\n"
    found = report(massprops, tmp_path, text)
    assert (found["exit"], rules(found)) == (1, ["MP205"])
    assert any(f"--mass-is {meaning}" in step["command"] for step in found["next"])
    assert mass(report(massprops, tmp_path, text, "--mass-is", meaning)) == total


def test_a_quantity_as_required_needs_the_mass_of_the_row(massprops: Run, tmp_path: Path) -> None:
    row = report(massprops, tmp_path, "Part,Qty,Unit mass [kg],Total mass [kg]\nA,2,1.5,3.0\nB,AR,,0.4\nC,2,1,2\n")
    assert row["exit"] == 0
    assert mass(row) == pytest.approx(5.4)
    piece = report(massprops, tmp_path, "Part,Qty,Mass [kg]\nA,2,1.5\nB,AR,0.4\n")
    assert (piece["exit"], rules(piece)) == (1, ["MP205"])


@pytest.mark.parametrize(("row", "total"), [("2 pair,3,12", 12.0), ("2 pairs,3,6", 6.0), ("4 sets,0.5,4.0", 4.0)])
def test_a_quantity_in_other_words_follows_from_both_masses(
    massprops: Run, tmp_path: Path, row: str, total: float
) -> None:
    found = report(massprops, tmp_path, f"Part,Qty,Each (g),Total (g)\nA,2,1.5,3\nB,{row}\nC,1,35,35\n")
    assert (found["exit"], rules(found), mass(found)) == (0, [], pytest.approx(38 + total))


def test_a_quantity_that_no_whole_number_explains_leaves_a_lower_bound(massprops: Run, tmp_path: Path) -> None:
    """The row of an unknown number of pieces is not one piece."""
    found = report(massprops, tmp_path, "Part,Qty,Each (g),Total (g)\nA,2,1.5,3\nB,2 pair,3.0,10\nC,1,35,35\n")
    assert (found["exit"], mass(found)) == (1, 38)
    assert "MP205" in rules(found)
    coverage = next(item for item in found["items"] if item["id"] == found["root"])["coverage"]
    assert (coverage["leaves"], coverage["mass"], coverage["mass_lower_bound"]) == (3, 2, True)


@pytest.mark.parametrize("text", ["25-30", "25–30", "25 to 30", "25 kg - 30 kg", "25..30", "25 bis 30 kg"])
def test_a_range_is_a_question_whose_command_reads_its_middle(massprops: Run, tmp_path: Path, text: str) -> None:
    table = f"Part,Mass [kg]\nA,{text}\nB,2\n"
    found = report(massprops, tmp_path, table)
    assert (found["exit"], rules(found)) == (1, ["MP205"])
    assert any("--config accept-approximate=true" in step["command"] for step in found["next"])
    assert mass(report(massprops, tmp_path, table, "--accept-approximate")) == 29.5


@pytest.mark.parametrize("text", ["30-25", "25-30 kg-g", "25 kg - 30 g", "1-2-3", "5-"])
def test_what_is_not_one_range_stays_an_error(massprops: Run, tmp_path: Path, text: str) -> None:
    found = report(massprops, tmp_path, f"Part,Mass [kg]\nA,{text}\nB,2\n", "--accept-approximate")
    assert (found["exit"], rules(found)) == (1, ["MP205"])


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("2 pair", "write 4 if the mass is of one piece, 2 if it is of 2"),
        ("3 dozen", "write 36 if the mass is of one piece, 3 if it is of 12"),
        ("2 sets", "write 2 if the mass is of one of them"),
    ],
)
def test_pairs_dozens_and_sets(text: str, remedy: str) -> None:
    assert rejected_cell_fault(text, CellRules(of_measure="quantity")).remedy == remedy


@pytest.mark.parametrize("unit", ["g", "oz", "mm"])
def test_the_unit_of_a_cell_is_the_one_that_is_offered(unit: str) -> None:
    kind = "length" if unit == "mm" else "mass"
    assert f"--unit {kind}={unit}" in str(rejected_cell_fault(f"35{unit}", CellRules()).remedy)


@pytest.mark.parametrize(
    "text", ["NULL", "NaN", "null", r"\N", "#N/A", "missing", "NaT", "(null)", "<NA>", "None", "- (negligible)"]
)
def test_missing_values_of_programs_are_blank(text: str) -> None:
    assert is_placeholder(text)


def test_one_note_for_a_row_of_missing_values(massprops: Run, tmp_path: Path) -> None:
    columns = "mass,Cx,Cy,Cz,Ixx,Iyy,Izz"
    text = f"id,parent,{columns}\nT,,NaN,NULL,NA,-,#N/A,<NA>,missing\nA,T,1,1,1,1,1,1,1\n"
    found = report(massprops, tmp_path, text)
    notes = [one for one in found["findings"] if one["rule"] == "MP229"]
    assert (found["exit"], len(notes), notes[0]["count"]) == (0, 1, 7)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_narrow_floats_have_their_shortest_digits(massprops: Run, tmp_path: Path, suffix: str) -> None:
    import pyarrow as pa
    from pyarrow import feather, parquet

    values = {
        name: pa.array([None, number], pa.float32()) for name, number in (("Ixx", 0.1), ("Iyy", 0.2), ("Izz", 0.3))
    }
    center = {name: pa.array([None, np.float16(0.1)], pa.float16()) for name in ("Cx", "Cy", "Cz")}
    table = pa.table({"id": ["T", "A"], "parent": [None, "T"], "mass": [None, 1.0], **center, **values})
    path = tmp_path / f"plate.{suffix}"
    (parquet.write_table if suffix == "parquet" else feather.write_feather)(table, path)
    result = massprops("rollup", path, "-o", tmp_path / "out.csv", "--to", "csv")
    assert result.exit_code == 0
    assert "MP404" not in result.output
    assert (tmp_path / "out.csv").read_text().splitlines()[2] == "A,T,1,0.1,0.1,0.1,0.1,0.2,0.3"


def test_parents_with_a_decimal_point_are_the_whole_ids(massprops: Run, tmp_path: Path) -> None:
    found = report(massprops, tmp_path, "id,parent,mass\n1,,\n2,1.0,3\n3,1.0,4\n")
    assert (found["exit"], mass(found), rules(found)) == (0, 7, ["MP303"])
    dotted = report(massprops, tmp_path, "id,parent,mass\n1,,\n1.1,1.0,3\n1.2,1.0,4\n")
    assert "MP305" in rules(dotted)


TREE = {
    "id": "A",
    "mass": 3.5,
    "children": [{"id": "B", "mass": 1.5}, {"id": "C", "mass": None, "children": [{"id": "D", "mass": 2}]}],
}


@pytest.mark.parametrize("key", ["children", "parts", "components", "items", "BOM"])
def test_objects_within_objects_are_a_tree(massprops: Run, tmp_path: Path, key: str) -> None:
    text = json.dumps([TREE] if key == "parts" else TREE).replace("children", key)
    found = report(massprops, tmp_path, text, name="tree.json")
    assert (found["exit"], found["root"], mass(found), len(found["items"])) == (0, "A", 3.5, 4)


def test_an_object_around_the_records_is_not_an_item(massprops: Run, tmp_path: Path) -> None:
    text = json.dumps({"title": "x", "items": [{"name": "B", "mass_kg": 1.5, "qty": 2}, {"name": "C", "mass_kg": 2}]})
    found = report(massprops, tmp_path, text, name="list.json")
    assert (found["exit"], mass(found), len(found["items"])) == (0, 5, 3)


@pytest.mark.parametrize(
    "text",
    [
        "Teil|Menge|Masse [kg]\nA|2|1,5\nB|3|0,25\n",
        "\n\nPart,Qty,Mass [kg]\nA,2,1.5\nB,3,0.25\n",
        ";Teil;Menge;Masse [kg]\n;A;2;1,5\n;B;3;0,25\n",
        "Part,Qty,Mass [kg]\nA,2,1.5\nINDENTED BILL OF MATERIAL / PAGE 2,,\nPart,Qty,Mass [kg]\nB,3,0.25\n",
        "List,,\nPart,Qty,Mass [kg]\nA,2,1.5\n,,\nList,,\nPage 2 of 2,,\n,,\nPart,Qty,Mass [kg]\nB,3,0.25\n",
    ],
    ids=["bars", "blank lines", "blank column", "page header", "page header of two rows"],
)
def test_lists_as_programs_print_them(massprops: Run, tmp_path: Path, text: str) -> None:
    found = report(massprops, tmp_path, text)
    assert (found["exit"], mass(found), len(found["items"])) == (0, 3.75, 3)


@pytest.mark.parametrize("title", ["Payload", "Sheet metal", "Bus 2"])
def test_a_heading_above_a_repeated_header_is_not_that_of_a_page(massprops: Run, tmp_path: Path, title: str) -> None:
    found = report(massprops, tmp_path, f"Part,Qty,Mass [kg]\nA,2,1.5\n{title},,\nPart,Qty,Mass [kg]\nB,3,0.25\n")
    assert title in json.dumps(found)


def test_members_of_a_design_that_are_not_read_may_have_any_path(massprops: Run, tmp_path: Path) -> None:
    body = "<bodytube><name>B</name><length>1.0</length><thickness>0.001</thickness><radius>0.05</radius>"
    material = '<material type="bulk" density="1000.0">M</material></bodytube>'
    xml = f"<openrocket><rocket><name>R</name><subcomponents><stage><name>S</name><subcomponents>{body}{material}"
    xml += "</subcomponents></stage></subcomponents></rocket></openrocket>"
    for member, code in (("/datafiles/chute.jpg", 0), ("/rocket.ork", 2)):
        path = tmp_path / f"{code}.ork"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("rocket.ork" if code == 0 else member, xml)
            archive.writestr(member if code == 0 else "other.txt", "picture")
        assert massprops("rollup", path, "-o", tmp_path / "out.csv").exit_code == code


@pytest.mark.parametrize(
    ("content", "kind", "remedy"),
    [
        (b"SQLite format 3\0...", "a SQLite database", "sqlite3"),
        (b"ISO-10303-21;\nHEADER;", "a STEP file", "CAD"),
        pytest.param(b"#usda 1.0\n", "a USD scene", "URDF", marks=pytest.mark.skipif(HAS_USD, reason="read")),
    ],
)
@pytest.mark.parametrize("name", ["list.csv", "list"])
def test_files_of_other_kinds_are_named(
    massprops: Run, tmp_path: Path, content: bytes, kind: str, remedy: str, name: str
) -> None:
    (tmp_path / name).write_bytes(content)
    result = massprops("rollup", tmp_path / name)
    assert result.exit_code == 2
    assert f"file is {kind}" in result.output
    assert remedy in result.output
