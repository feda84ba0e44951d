"""Headers that are repeated, titles above a table, results below its total: what each list comes to, by hand."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from tests.tables.test_lists_people_write import read

HEADINGS = [
    "Est. mass (g)", "Dry mass (g)", "Measured weight (g)", "Weight est. (g)", "Mass estimated [g]", "Gewicht ca. (g)",
    "Masse estimée (g)", "Peso estimado (g)", "Mass (g)",
]  # fmt: skip
"""Headings with a unit of mass, most of them with a word that no list knows."""

PAGES = "Part;{0}/Mirror;799/Tube;601/{1};1400//Part;{0}/{1};1400/Finder;90/Baffle;3858/{2};5348"


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("gap", ["", "/"])
@pytest.mark.parametrize("title", ["", "Telescope/"])
def test_rows_above_a_repeated_header_count(heading: str, gap: str, title: str, tmp_path: Path) -> None:
    """799 + 601 + 90 + 3858 = 5348, or the question which table; never 3948."""
    header = f"Component,{heading}"
    rows = f"{title}{header}/Mirror,799/Tube,601/{gap}{header}/Finder,90/Baffle,3858".split("/")
    assert read(tmp_path, *rows) == ((None, {"MP242"}) if gap else (5348, set()))
    first, _ = read(tmp_path, *rows, table=1) if gap else (1400, set())
    assert first == 1400


@pytest.mark.parametrize("heading", HEADINGS)
def test_two_markdown_tables_of_one_heading(heading: str, tmp_path: Path) -> None:
    header = [f"| Component | {heading} |", "|---|---|"]
    rows = ["## A", "", *header, "| Mirror | 799 |", "", "## B", "", *header, "| Finder | 90 |"]
    assert read(tmp_path, *rows, name="two.md") == (None, {"MP242"})


@pytest.mark.parametrize(
    ("carried", "total"),
    [("Carried forward", "Grand total"), ("Übertrag", "Summe"), ("Report", "Somme"), ("Suma anterior", "Total")],
)
@pytest.mark.parametrize("heading", ["Mass (g)", "Est. mass (g)"])
def test_a_page_goes_on_with_the_sum_carried_forward(carried: str, total: str, heading: str, tmp_path: Path) -> None:
    """1400 is stated twice and is no part; 1400 + 90 + 3858 = 5348."""
    rows = PAGES.format(heading, carried, total).split("/")
    assert read(tmp_path, *rows) == (5348, set())
    sheet = openpyxl.Workbook()
    for row in rows:
        cells = row.split(";")
        sheet.active.append([int(cell) if cell.isdigit() else cell or None for cell in cells])  # type: ignore[union-attr] # a worksheet
    sheet.save(tmp_path / "pages.xlsx")
    import massprops_cli as mp

    result = mp.rollup(tmp_path / "pages.xlsx")
    assert float(result.rollup.bodies.mass[result.root_item]) == 5348


def test_a_table_of_masses_above_another_header_is_not_its_title(tmp_path: Path) -> None:
    rows = "Piece,Est. mass (g)", "Mirror,799", "Tube,601", "", "Component,Mass (g)", "Finder,90", "Baffle,3858"
    assert read(tmp_path, *rows) == (None, {"MP242"})


@pytest.mark.parametrize(
    "titles",
    ["Mass list rev. C, 2025-03-12/", "Mass list, rev. C/Author, Meier/", "List, 12 parts", "Mass list/;", "A, B, C/D"],
)
@pytest.mark.parametrize("header", ["Part;Mass (kg)", "Teil;Masse (kg);Preis (EUR)"])
def test_the_delimiter_is_that_of_the_table_and_not_of_its_title(titles: str, header: str, tmp_path: Path) -> None:
    """4,35 + 36,35 + 32,72 = 73.42."""
    more = ";1,50" * (header.count(";") - 1)
    rows = [*titles.split("/"), header, f"Tube;4,35{more}", f"Box;36,35{more}", f"Cone;32,72{more}"]
    mass, errors = read(tmp_path, *rows)
    assert (mass and round(mass, 9), errors) == (73.42, set())


@pytest.mark.parametrize(
    "side", [",,,1.0755/,CBE (kg),Note,1.06", ",,,2/Item,Mass (kg),Note,", ",,,3.5/Item,CBE (kg),Note,7"]
)
def test_numbers_next_to_a_header_do_not_hide_it(side: str, tmp_path: Path) -> None:
    rows = [*side.split("/"), "1.0 Payload,40,a,", "1.1 Bus,30,b,", "2.0 Tank,12,c,"]
    assert read(tmp_path, *rows) == (82, set())


@pytest.mark.parametrize(
    ("rows", "commands"),
    [
        ("Frame,301/Motor,463/Option A: box,531/Option B: box,976/Total (Option A),1295/Total (Option B),1740",
         {"Option A: box": 1740, "Option B: box": 1295}),
        ("Rahmen,301/Variante 1 Holm,50/Variante 2 Holm,70/Summe (Variante 1),351/Summe (Variante 2),371",
         {"Variante 1 Holm": 371, "Variante 2 Holm": 351}),
    ],
)  # fmt: skip
def test_options_with_a_total_each_are_a_question(rows: str, commands: dict[str, float], tmp_path: Path) -> None:
    """Each total is that of the common parts and of one option."""
    listed = ["Part,Mass (g)", *rows.split("/")]
    assert read(tmp_path, *listed) == (None, {"MP257"})
    for skipped, mass in commands.items():
        assert read(tmp_path, *listed, skip_rows=[skipped]) == (mass, set())


@pytest.mark.parametrize("word", ["incl.", "of which", "davon", "dont", "di cui", "de los cuales", "其中"])
@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("total", ["Total,56.3", ""])
def test_a_part_of_the_part_above_it(word: str, indent: str, total: str, tmp_path: Path) -> None:
    """24.6 + 31.7 = 56.3: the stated total decides, and without one the words are a question in a list."""
    mass, errors = read(
        tmp_path, "Part,Mass (kg)", "Drive,24.6", f"{indent}{word} motor,14.2", "Frame,31.7", *[total][: len(total)]
    )
    assert mass is None or round(mass, 9) == 56.3
    assert mass is not None or (not total and errors == {"MP257"})


def test_a_part_named_as_its_group_makes_no_tree(tmp_path: Path) -> None:
    """1400 + 1200 + 4180 + 200 = 6980."""
    rows = ["Structure,Frame,1400", "Structure,Shell,1200", "Energy,Energy,4180", "Energy,Wiring,200", ",TOTAL,6980"]
    assert read(tmp_path, "Group,Component,Mass (lb)", *rows) == (6980, set())
    assert read(tmp_path, "Group,Component,Mass (lb)", *rows[:-1]) == (6980, set())


def test_results_below_the_total_are_no_parts(tmp_path: Path) -> None:
    """1400 + 1200 + 4180 = 6780; below it a difference, a length and a share."""
    rows = ["Item,Mass (lb)", "Frame,1400", "Shell,1200", "Battery,4180", "TOTAL,6780", "Total mass saved (lb),2650"]
    assert read(tmp_path, *rows, "Curb CG from front (in),156.04", "Share saved (%),39.1") == (6780, set())


def test_a_row_with_the_sum_of_another_column_alone_makes_no_bound(tmp_path: Path) -> None:
    """2801 + 489 + 400 = 3690 is the difference of two designs; 6981 + 789 + 1600 = 9370."""
    rows = "Line,Mass (lb),Change (m)/Battery,6981,2801/Solar,789,489/Shell,1600,400/NET delta,,{}"
    assert read(tmp_path, *rows.format(3690).split("/")) == (9370, set())
    assert read(tmp_path, *rows.format(3691).split("/"))[1] == {"MP206"}


@pytest.mark.parametrize("total", ["Total,7.5/", ""])
@pytest.mark.parametrize("label", ["With Margin", "Mit Marge", "Avec marge", "Incl. contingency"])
def test_the_mass_with_a_margin(total: str, label: str, tmp_path: Path) -> None:
    """7.5 × 1.2 = 9: no part, and compared with the parts and the margin."""
    rows = f"Part,Mass (kg),Confidence/A,1.5,high/B,6,low/{total}Margin (20%),1.5,usual/{label},{{}},".split("/")
    assert read(tmp_path, *[row.format("9.0") for row in rows]) == (7.5, set())
    assert read(tmp_path, "Part,Mass (g)", "Frame,400", "Fasteners + margin,100") == (500, set())
