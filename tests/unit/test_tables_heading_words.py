"""Words of engineers in nine languages: headings of quantities, masses, growth and limits, and labels of rows."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_kind
from massprops_cli.tables.columns.headings import read_heading
from massprops_cli.tables.columns.mass_headings import is_heading_of_kind

PARTS = "Wheel,4,2\nBody,1,10\nSeat,2,0.5"
MASS = 19  # 4 × 2 + 10 + 2 × 0.5


def bom_of(text: str) -> Bom:
    rows = [line.split(",") for line in text.strip("\n").split("\n")]
    return Bom.from_table(GridTable(TableSource("list.csv", "csv"), [list(row) for row in rows]))


def root_of(text: str) -> mp.Body:
    bom = bom_of(text)
    assert not bom.has_errors, bom.findings
    return mp.rollup(bom).root


HEADINGS = {
    "qty": (
        *("Nbre", "How many", "Num off", "No. req'd", "# req", "Units required", "Quan.", "Stckz.", "Stück", "Anz."),
        *("Menge", "Nombre de pièces", "Cant.", "Ctd.", "Q.tà", "Nr. pezzi", "Quant.", "Qtd.", "Nº de peças", "件数"),
        *("个数", "台数", "数量(台)", "員数", "個数", "소요량", "개수", "수량(개)"),
    ),
    "total_qty": ("Qty per aircraft", "Units per vehicle", "Anzahl je Flugzeug", "Qté totale", "总数量", "총 수량"),
    "name": (
        *("What", "Product", "Part description", "Gegenstand", "Produkt", "Objet", "Équipement", "Artículo", "Oggetto"),
        *("零件名称", "设备名称", "コンポーネント", "機器名", "부품명", "구성품"),
    ),
    "mass": (
        *("Unit (kg)", "each (kg)", "Unit, kg", "Mass/pc [kg]", "Weight per item (kg)", "Masse je Stück [kg]"),
        *("m einzeln [kg]", "Gew. einzeln (kg)", "Masse par pièce (kg)", "Poids à l'unité, kg", "Peso ud. (kg)"),
        *("Peso cad. (kg)", "Massa al pezzo (kg)", "Peso unit. (kg)", "Massa por peça (kg)", "单台重量(kg)"),
        *(
            "単品重量 [kg]",
            "1個あたり質量(kg)",
            "개당 무게(kg)",
            "단위질량(kg)",
            "Basismasse [kg]",
            "Masse ohne Marge [kg]",
        ),
        *("Masse de base (kg)", "Masa básica (kg)", "Massa base (kg)", "基本质量(kg)", "基本質量[kg]", "기본 질량(kg)"),
    ),
    "line_mass": (
        *("Masse gesamt [kg]", "EXT WT (kg)", "Wt total (kg)", "Mass of all units (kg)", "All (kg)", "m_total [kg]"),
        *("Gew. ges. (kg)", "Summengewicht kg", "Masse tot. [kg]", "Peso tot. (kg)", "Massa totale (kg)"),
        *("Peso complessivo, kg", "合计质量/kg", "合計質量[kg]", "合計(kg)", "총질량(kg)", "합계 무게(kg)"),
    ),
    "mass_with_growth": (
        *("Predicted mass (kg)", "MEV (kg)", "Mass incl. margin (kg)", "CBE+MGA (kg)", "Masse mit Marge [kg]"),
        *("Masse avec aléa (kg)", "Masa con contingencia (kg)", "Massa con margine (kg)", "Massa com margem (kg)"),
        *("预计质量(kg)", "マージン込み質量[kg]", "마진 포함 질량(kg)"),
    ),
    "mga": (
        "Cont. %",
        "Zuschlag [%]",
        "Aléa (%)",
        "Contingencia (%)",
        "Contingenza (%)",
        "增长率(%)",
        "増加率[%]",
        "증가율(%)",
    ),
    "mass_unit": (
        "WUn",
        "GEWEI",
        "Unité de masse",
        "Unidad de peso",
        "Unità di massa",
        "质量单位",
        "重量単位",
        "중량 단위",
    ),
    "uom": ("ME", "UN", "Einh.", "Unité", "Unidad", "Unità", "Unidade"),
    "parent": ("Übergeordnete Baugruppe", "Ensemble supérieur", "Conjunto superior", "父级", "親番号", "상위품"),
}


@pytest.mark.parametrize("quantity", HEADINGS)
def test_headings_in_nine_languages(quantity: str) -> None:
    assert {text: read_heading(text).quantity for text in HEADINGS[quantity]} == dict.fromkeys(
        HEADINGS[quantity], quantity
    )


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "limit",
            "Zugewiesen [kg]|Masse allouée|Asignación|Alocação|Allocazione|分配质量|配分質量[kg]|할당 질량|Rest [kg]",
        ),
        ("growth", "Aléa|Kontingenz|余量(kg)|マージン[kg]|余裕[%]|마진(kg)|여유|增长量"),
        ("with", "Masse avec aléa|预计质量|マージン込み質量|마진 포함 질량|Massa prevista"),
        ("total", "합계 무게|合计质量|Peso complessivo|Ges. Masse"),
    ],
)
def test_words_of_columns_that_arithmetic_decides(kind: str, texts: str) -> None:
    assert [text for text in texts.split("|") if not is_heading_of_kind(kind, text)] == []


WEAK = [
    *(
        "#",
        "No.",
        "No",
        "Nr.",
        "Nº",
        "N°",
        "Num",
        "Number",
        "x",
        "X",
        "×",
        "n",
        "Nos",
        "Nos.",
        "EA",
        "Off",
        "Nbr",
        "Times",
    ),
    *("Multiplier", "Per aircraft", "Per vehicle", "Nombre", "Unid.", "Unidad", "数", "件", "台", "개"),
]


@pytest.mark.spread(4)
@pytest.mark.parametrize("header", WEAK)
@pytest.mark.parametrize("name", ["Part", "Gizmo", "Baugruppe"])
def test_a_word_of_several_meanings_counts_pieces_by_its_cells(header: str, name: str) -> None:
    assert root_of(f"{name},{header},Mass [kg]\n{PARTS}").mass == MASS


def test_a_row_of_units_does_not_change_that() -> None:
    assert root_of(f"Part,Nos,Mass\n,[-],[kg]\n{PARTS}").mass == MASS


@pytest.mark.spread(3, keep=("numbers5-#",))
@pytest.mark.parametrize("header", ["#", "No.", "Nr.", "x"])
@pytest.mark.parametrize(
    "numbers",
    [
        *((1, 2, 3, 4, 5), (10, 20, 30, 40), (1, 2, 4, 7), (1, 2, 3, 1, 2), (4711, 1203, 4711, 996)),
        *((7, 3, 12, 5, 9), (1, 2, 3, 3, 4), (0.5, 1, 2, 2), (-1, 4, 4, 2)),
    ],
)
def test_numbers_of_rows_drawings_and_places_count_no_pieces(header: str, numbers: tuple[float, ...]) -> None:
    rows = "".join(f"\n{number:g},Part {place},2" for place, number in enumerate(numbers))
    bom = bom_of(f"{header},Part,Mass [kg]{rows}")
    assert "qty" not in bom.columns.by_quantity


def test_x_next_to_y_and_z_is_a_coordinate() -> None:
    bom = bom_of("Part,Mass [kg],x,y,z\nWheel,2,4,1,1\nBody,10,1,2,2\nSeat,1,2,1,0")
    assert "qty" not in bom.columns.by_quantity


def test_numbers_that_parents_name_count_no_pieces() -> None:
    bom = bom_of("No.,Parent,Name,Mass [kg]\n1,,Top,\n3,1,Wheel,2\n2,1,Body,10")
    assert "qty" not in bom.columns.by_quantity


@pytest.mark.parametrize("header", ["#", "No.", "x"])
def test_a_few_numbers_in_order_behind_the_names_are_a_question(header: str) -> None:
    bom = bom_of(f"Part,{header},Mass [kg]\nBody,1,10\nWheel,2,2")
    assert {"MP253"} == {finding.rule for finding in bom.findings if finding.severity.name == "ERROR"}


@pytest.mark.parametrize(
    ("piece", "row"), [("kg each", "kg"), ("kg/ud", "kg total"), ("kg/Stk", "kg gesamt"), ("kg/pc", "total kg")]
)
def test_headings_that_begin_with_a_unit(piece: str, row: str) -> None:
    assert root_of(f"Part,#,{piece},{row}\nWheel,4,2,8\nBody,1,10,10\nSeat,2,0.5,1").mass == MASS
    assert root_of(f"Part,#,{piece}\n{PARTS}").mass == MASS


@pytest.mark.parametrize(
    "header", ["Predicted mass", "Masse mit Marge", "预计质量", "マージン込み質量", "마진 포함 질량"]
)
def test_a_mass_with_growth_is_read_by_its_name(header: str) -> None:
    result = mp.rollup(bom_of(f"Part,Basic mass [kg],{header} [kg]\nWheel,2,2.5\nBody,10,11\nSeat,1,1"))
    assert result.root.mass == 13
    assert result.predicted is not None
    assert result.predicted.bodies.mass[result.bom.tree.order[0]] == 14.5


def test_a_mass_with_growth_next_to_a_quantity_or_alone_is_not_read_by_its_name() -> None:
    bom = bom_of("Part,Qty,Unit mass [kg],Total mass [kg],Predicted mass [kg]\nWheel,4,2,8,9\nBody,2,10,20,21")
    assert "mass_with_growth" not in bom.columns.by_quantity
    alone = bom_of("Part,Predicted mass [kg]\nWheel,2.5\nBody,11")
    assert (mp.rollup(alone).root.mass, alone.growth) == (13.5, None)  # the only masses are the masses


def test_a_sum_under_the_only_heading_with_a_unit_is_of_the_row() -> None:
    bom = bom_of("Part,Qty,Subtotal [kg]\nWheel,4,8\nBody,1,10\nSeat,2,1")
    assert bom.columns.by_quantity["mass"].header == "Subtotal [kg]"
    assert "MP252" in {finding.rule for finding in bom.findings}


@pytest.mark.parametrize("header", ["CG station (mm)", "CG from nose (mm)", "Schwerpunktlage (mm)", "重心位置(mm)"])
def test_a_centre_along_one_axis(header: str) -> None:
    root = root_of(f"Part,Mass [kg],{header}\nWheel,2,100\nBody,10,40")
    assert root.center[0] == pytest.approx(50)


def test_a_centre_above_the_keel() -> None:
    assert root_of("Part,Mass [t],CG above keel (m)\nHull,2,4\nMast,2,10").center[2] == pytest.approx(7)


@pytest.mark.parametrize(
    "header", ["Category", "Kategorie", "Baugruppe", "Catégorie", "Categoría", "Categoria", "类别", "分類", "분류"]
)
def test_a_column_of_groups_alone_names_the_items(header: str) -> None:
    assert list(bom_of(f"{header},Mass (g)\nPower,285\nMotors,1420").ids[:2]) == ["Power", "Motors"]


LABELS = {
    "total": (
        *(
            "总计",
            "총계",
            "Gesamtgewicht",
            "Overall total",
            "共计",
            "全備質量",
            "계",
            "Totale generale",
            "Total marge comprise",
        ),
        *(
            "Total com margem",
            "TOTAL WITH MARGIN",
            "마진 포함 합계",
            "Gesamtmasse mit Reserve",
            "含余量总质量",
            "マージン込み合計",
        ),
    ),
    "subtotal": (
        "Group total",
        "Teilsumme",
        "Total partiel",
        "Suma parcial",
        "Parziale",
        "分计",
        "中間計",
        "부분 합계",
    ),
    "margin": (
        *("Growth allowance 10 %", "System margin", "Systemmarge", "Marge système", "Margen de sistema", "系统余量"),
        *("Margine di sistema", "Margem do sistema", "システムマージン", "마진 20 %"),
    ),
    "limit": (
        *("zulässiges Gesamtgewicht", "Zul. Höchstmasse", "MTOW limit", "Permissible total weight", "Vorgabe"),
        *("Maximum permissible mass", "Launcher capability", "Masse maximale autorisée", "Masa máxima permitida"),
        *(
            "Massa massima ammessa",
            "Massa máxima permitida",
            "最大允许质量",
            "最大許容質量",
            "최대 허용 질량",
            "요구 조건",
        ),
    ),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_rows(kind: str) -> None:
    assert {text: label_kind(text, alone=True) for text in LABELS[kind]} == dict.fromkeys(LABELS[kind], kind)


@pytest.mark.parametrize(
    "text",
    ["Abfluggewicht", "Masse à vide équipée", "Peso al decollo", "干质量", "離陸重量", "건조 질량", "Complete vehicle"],
)
def test_labels_that_only_a_sum_decides(text: str) -> None:
    assert (label_kind(text, alone=True), doubtful_label_kind(text, alone=True)) == ("", "total")


@pytest.mark.parametrize(
    "text", ["Balance weight", "Reserve parachute", "Limit switch", "Margin light", "Growth chamber"]
)
def test_a_word_in_the_name_of_a_part_makes_no_label(text: str) -> None:
    assert label_kind(text, alone=True) == ""


def test_a_limit_below_the_total_is_not_a_part() -> None:
    root = root_of("Teil,Masse [kg]\nRad,2\nRumpf,10.5\nGesamtgewicht,12.5\nZulässiges Gesamtgewicht,15")
    assert root.mass == 12.5
