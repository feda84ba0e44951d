"""The names of columns that programs and engineers write, and what keeps one from being read as another."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.columns import headings
from massprops_cli.tables.columns.header import read_header
from massprops_cli.tables.columns.headings import (
    _axis_synonyms,
    heading_unit,
    read_heading,
    read_headings,
    squeeze_text,
)
from massprops_cli.tables.options import QUANTITIES

PATH = Path(headings.__file__).parents[1] / "words" / "synonyms.toml"
WRITTEN = [
    (quantity, text, source)
    for name, headers in tomllib.loads(PATH.read_text("utf-8")).items()
    for header, source in headers.items()
    for quantity, text in _axis_synonyms(name, header.replace("[unit]", "(kg)"))
]


def test_every_name_is_listed_once_after_squeezing() -> None:
    count = Counter(squeeze_text(text) for _, text, _ in WRITTEN)
    assert [name for name, times in count.items() if times > 1 or not name] == []


def test_every_name_has_a_source() -> None:
    assert [text for _, text, source in WRITTEN if len(source.strip()) < 3] == []


def test_every_name_is_read_as_its_own_quantity_and_as_no_other() -> None:
    """A name with a unit or a level inside it might be split before it is looked up."""
    assert [(text, quantity) for quantity, text, _ in WRITTEN if read_heading(text).quantity != quantity] == []
    assert {quantity for quantity, _, _ in WRITTEN} <= {*QUANTITIES, ""}


def test_every_name_but_the_stations_is_read_alone() -> None:
    alone = [(quantity, text) for quantity, text, _ in WRITTEN]
    assert [text for quantity, text in alone if read_headings([text])[0].quantity != quantity] == []


@pytest.mark.parametrize("unit", ["[kg]", "(kg)", "/ kg", ", kg"])
def test_every_name_of_a_mass_is_read_with_a_unit_behind_it(unit: str) -> None:
    names = [text for quantity, text, _ in WRITTEN if quantity == "mass" and not text.endswith("(kg)")]
    assert [name for name in names if read_heading(f"{name} {unit}")[:2] != ("mass", "kg")] == []


# The column names of AutoCAD Mechanical's bill of materials as its help page "BOM Column Name" lists them, with the
# quantities that it describes there: item number, count, mass of one, mass of all.
AUTOCAD = {
    "English": ("Item", "Qty", "Mass", "Total Mass"),
    "German": ("Pos.", "Anz.", "Masse", "Gesamtmasse"),
    "Spanish": ("Elemento", "Cantidad", "Masa", "Masa total"),
    "Portuguese": ("Item", "Qtd", "Massa", "Massa total"),
    "Polish": ("Pozycja", "Ilość", "Masa", "Masa całkowita"),
    "Russian": ("Поз", "Кол.", "Масса", "Общая масса"),
    "Chinese": ("序号", "数量", "质量", "总重"),
    "Japanese": ("項目", "数量", "質量", "総質量"),
    "Korean": ("항목", "수량", "질량", "총 질량"),
}


@pytest.mark.parametrize("language", AUTOCAD)
def test_one_program_in_many_languages(language: str) -> None:
    assert [heading.quantity for heading in read_headings(AUTOCAD[language])] == ["item", "qty", "mass", "line_mass"]


@pytest.mark.parametrize(
    "names",
    [
        ("ITEM NO.", "PART NUMBER", "DESCRIPTION", "QTY.", "WEIGHT"),
        ("N.º DE ELEMENTO", "N.º DE PIEZA", "DESCRIPCIÓN", "CANT.", "PESO"),
        ("NR ELEMENTU", "NUMER CZĘŚCI", "OPIS", "ILOŚĆ", "CIĘŻAR"),
    ],
)
def test_the_templates_of_solidworks(names: tuple[str, ...]) -> None:
    assert [read_heading(name).quantity for name in names] == ["item", "part", "name", "qty", "mass"]


@pytest.mark.parametrize(
    ("names", "read"),
    [
        # the visible columns of sinara-hw/DIOT_EEM_Adapter, DIOT EEM Adapter.BomDoc (Altium)
        (
            ("Comment", "Part Number", "Footprint", "Description", "Manufacturer", "Quantity", "Designator"),
            {"Part Number": "part", "Description": "name", "Quantity": "qty"},
        ),
        # KaiUR/Pycatia_Scripts, wiki page BOM-Export-With-Materials (CATIA)
        (
            ("Level", "Part Number", "Instance Name", "Description", "Nomenclature", "Mass_kg", "Material"),
            {"Level": "level", "Part Number": "part", "Instance Name": "id", "Description": "name",
             "Nomenclature": "name", "Mass_kg": "mass"},
        ),
        # APEbbers/BillOfMaterials-WB, its page: the standard columns (FreeCAD)
        (("Quantity", "Label", "Description"), {"Quantity": "qty", "Label": "name", "Description": "name"}),
        # Windchill Help, File Format for Importing Product Structures or BOMs
        (("Level", "Quantity", "Unit of Measure"), {"Level": "level", "Quantity": "qty", "Unit of Measure": "uom"}),
        # AutoCAD Mechanical Help, BOM columns, Italian and French
        (("Quantità", "Nome", "Descrizione", "Massa"),
         {"Quantità": "qty", "Nome": "name", "Descrizione": "name", "Massa": "mass"}),
        (("Qté", "Nom", "Masse", "Masse totale"),
         {"Qté": "qty", "Nom": "name", "Masse": "mass", "Masse totale": "line_mass"}),
    ],
)  # fmt: skip
def test_columns_of_public_files_and_pages(names: tuple[str, ...], read: dict[str, str]) -> None:
    found = {name: heading.quantity for name, heading in zip(names, read_headings(names), strict=True)}
    assert {name: quantity for name, quantity in found.items() if quantity} == read


@pytest.mark.parametrize(
    "names",
    [
        ("Find No.", "Drawing", "Equipment", "Qty Req'd", "Wt Ea (lbs)", "Ext Wt (lbs)"),
        ("Pos.", "Artikelnummer", "Benennung", "Stk", "Einzelgewicht [kg]", "Gesamtgewicht [kg]"),
        ("Repère", "Référence", "Désignation", "Nb", "Masse unitaire (kg)", "Masse totale (kg)"),
        ("Posizione", "Codice", "Denominazione", "Q.tà", "Massa unitaria (kg)", "Peso totale (kg)"),
        ("Item", "Código", "Denominação", "Qtde", "Peso Unit. (kg)", "Peso Total (kg)"),
        ("Lp.", "Numer części", "Nazwa", "Szt.", "Masa jedn. (kg)", "Masa całk. (kg)"),
        ("№ п/п", "Обозначение", "Наименование", "Кол-во", "Масса ед. (kg)", "Масса общ. (kg)"),
        ("序号", "代号", "名称", "数量", "单重(kg)", "总重(kg)"),
        ("番号", "図番", "品名", "員数", "単重(kg)", "総重量(kg)"),
        ("번호", "품번", "품명", "수량", "단중(kg)", "총중량(kg)"),
    ],
)
def test_the_lists_on_drawings_in_many_languages(names: tuple[str, ...]) -> None:
    read = [heading.quantity for heading in read_headings(names)]
    assert read == ["item", "part" if read[1] else "", "name", "qty", "mass", "line_mass"]


LEVELS = "Ebene, Stufe, Niveau, Nivel, Nível, Livello, Poziom, Уровень, 层级, 层次, BOM层级, レベル, 레벨, BOM 레벨"


@pytest.mark.parametrize("text", [*LEVELS.split(", "), "stufe", "УРОВЕНЬ", "Stufe (ab 0)"])
def test_levels_in_every_language(text: str) -> None:
    assert read_heading(text).quantity == "level"


@pytest.mark.parametrize("text", ["Nombre", "Article", "Number", "部品番号", "Gesamt", "Gewichtsanteil", "Массив"])
def test_words_of_two_meanings_are_left_out(text: str) -> None:
    assert read_heading(text).quantity == ""


def test_the_names_of_ships() -> None:
    assert [h[:2] for h in read_headings(["LCG (m)", "TCG (m)", "VCG (m)"])] == [("Cx", "m"), ("Cy", "m"), ("Cz", "m")]


def test_a_factor_of_safety_does_not_become_a_centre() -> None:
    table = GridTable(TableSource("b.csv", "csv"), [["id", "parent", "mass", "FS"], ["A", "", "1", "1.5"]])
    findings = Findings()
    row = read_header(table, {}, findings)
    assert (row.columns, findings) == ({"id": 0, "parent": 1, "mass": 2}, [])


@pytest.mark.parametrize("text", ["mass [kg]\ufeff", "\u200bmass [kg]", "ma\u00adss\u2009[kg]", "mass\u00a0[kg]\u00a0"])
def test_invisible_characters_do_not_hide_a_heading(text: str) -> None:
    assert read_heading(text)[:2] == ("mass", "kg")
    assert heading_unit(text, "mass") == "kg"


@pytest.mark.parametrize(
    ("header", "quantity", "unit"),
    [
        ("质量（千克）", "mass", "千克"),
        ("重量［ｋｇ］", "mass", "ｋｇ"),
        ("質量(キログラム)", "mass", "キログラム"),
        ("Масса, кг", "mass", "кг"),
        ("Weight (LT)", "mass", "LT"),
    ],
)
def test_units_and_brackets_of_other_scripts(header: str, quantity: str, unit: str) -> None:
    heading = read_heading(header)
    assert (heading.quantity, heading.unit) == (quantity, unit)
