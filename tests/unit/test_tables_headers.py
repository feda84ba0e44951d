"""What header cells state, and what is wrong with a header row."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings, Severity, TableError
from massprops_cli.tables.cells.cell_words import may_count_in_heading
from massprops_cli.tables.columns import headings
from massprops_cli.tables.columns.header import read_header
from massprops_cli.tables.columns.headings import heading_unit, is_header_like, read_heading, squeeze_text
from massprops_cli.tables.options import QUANTITIES


def header(*names: str, rows: tuple[tuple[str, ...], ...] = (), **mapping: str):
    table = GridTable(TableSource("b.csv", "csv"), [list(names), *[list(row) for row in rows]])
    findings = Findings()
    return read_header(table, mapping, findings), findings


@pytest.mark.parametrize("name", QUANTITIES)
def test_canonical_names_are_themselves_without_looking_up_a_synonym(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headings, "_heading_synonyms", lambda: 1 / 0)
    assert read_heading(f" {name} ")[:3] == (name, "", 0)


@pytest.mark.parametrize("name", QUANTITIES)
def test_canonical_names_in_any_case(name: str) -> None:
    assert read_heading(name.upper()).quantity == name
    assert read_heading(name.replace("_", " ").lower()).quantity == name


@pytest.mark.parametrize(
    ("text", "quantity", "unit"),
    [
        ("Mass [kg]", "mass", "kg"), ("Weight (lb)", "mass", "lb"), ("mass_g", "mass", "g"),
        ("CG X (in)", "Cx", "in"),
        ("Ixx, kg·m²", "Ixx", "kg·m²"), ("Mass/kg", "mass", "kg"), ("Weight / kg", "mass", "kg"),
        ("Mass in kg", "mass", "kg"), ("Unit Weight (g)", "mass", "g"), ("Mass per (g)", "mass", "g"),
        ("Mass_kg", "mass", "kg"), ("UnitWeight", "mass", ""), ("CBE Mass (kg)", "mass", "kg"),
        ("own_mass", "mass", ""),
        ("質量", "mass", ""), ("Масса", "mass", ""), ("Gewicht [kg]", "mass", "kg"), ("Xarm", "Cx", ""),
        ("X_cg (mm)", "Cx", "mm"), ("cgY", "Cy", ""), ("ZCG", "Cz", ""), ("Jxx", "Ixx", ""),
        ("Lxy", "Ixy", ""),
        ("XX_inertia", "Ixx", ""), ("Izx", "Ixz", ""), ("Ixx_kgm2", "Ixx", "kgm2"),
        ("Ixx (kg*(m^2))", "Ixx", "kg*(m^2)"),
        ("ITEM NO.", "item", ""), ("Item", "item", ""), ("Nº DO ITEM", "item", ""), ("항목", "item", ""),
        ("#", "item", ""),
        ("bl_level_starting_0", "level", ""), ("PART NUMBER", "part", ""), ("P/N", "part", ""),
        ("PARTNUMBER", "part", ""),
        ("DESCRIÇÃO", "name", ""), ("Nomenclature", "name", ""), ("Instance Name", "id", ""),
        ("padre", "parent", ""),
        ("pid", "parent", ""), ("QTY.", "qty", ""), ("Anzahl", "qty", ""), ("# of Parts", "qty", ""),
        ("數量", "qty", ""),
        ("Qty (each)", "qty", ""), ("U/M", "uom", ""), ("POI Conv", "POIconv", ""),
        ("Point mass", "Ipoint", ""),
        ("σ mass", "sigma_mass", ""), ("mass sigma", "sigma_mass", ""), ("mass std", "sigma_mass", ""),
        ("u(mass)", "sigma_mass", ""), ("u(Cx) [mm]", "sigma_Cx", "mm"),
        ("sigma_Ixx [kg*m^2]", "sigma_Ixx", "kg*m^2"),
        ("std Cx", "sigma_Cx", ""), ("σCx", "sigma_Cx", ""), ("sigma of mass (kg)", "sigma_mass", "kg"),
        ("Mass (apples)", "mass", "apples"), ("mass [%]", "mass", "%"), ("kx [mm]", "kx", "mm"),
        ("Cx_in", "Cx", "in"),
        ('Cx (")', "Cx", '"'), ('Cx "', "Cx", '"'), ("Cx [']", "Cx", "'"),
    ],
)  # fmt: skip
def test_synonyms_and_units(text: str, quantity: str, unit: str) -> None:
    heading = read_heading(text)
    assert (heading.quantity, heading.unit) == (quantity, unit)


@pytest.mark.parametrize(
    "text",
    [
        "Total", "Total (USD)", "Max Mass (kg)",
        "mass margin", "total_mass", "coverage_mass", "principal_1", "axis_1x", "", "  ",
        "Level 1", "Material",
        "cost", "Mass mm", "sigma", "[kg]", "mass %", "mass ±", "mass +/-", "<mass", "mass uncertainty",
        "x", "1", "u(cost)",
    ],
)  # fmt: skip
def test_what_is_not_read(text: str) -> None:
    assert read_heading(text).quantity == ""


@pytest.mark.parametrize(
    ("text", "quantity", "unit"),
    [
        ("Total mass", "line_mass", ""),
        ("TOTAL_MASS", "line_mass", ""),
        ("Total / kg", "line_mass", "kg"),
        ("Total Weight (g)", "line_mass", "g"),
        ("Ext. (lb)", "line_mass", "lb"),
        ("총 질량", "line_mass", ""),
        ("QTY TOTAL", "total_qty", ""),
        ("Ext. Quantity", "total_qty", ""),
    ],
)
def test_headers_of_two_meanings(text: str, quantity: str, unit: str) -> None:
    heading = read_heading(text)
    assert (heading.quantity, heading.unit) == (quantity, unit)


# every heading that was a synonym of its own before words of several lists were joined, and a few that never were
COUNTED = {
    "qty": [
        "Part Qty", "req'd qty", "Qty used", "# of parts", "No. off", "No. of parts installed", "Number (pcs)",
        "Qty per next higher assy", "Anzahl der Teile", "benötigte Menge", "Stück je Baugruppe", "Nombre d'unités",
        "Nb de pièces", "Quantité requise", "Qté par ensemble", "Cantidad por conjunto", "Número de piezas",
        "Q.tà richiesta", "N. pezzi", "Qtd. por conjunto", "Nº de peças", "Ilość sztuk", "Кол-во на узел",
        "Number of", "PerAssemblyQty", "Pcs/Set",
    ],
    "total_qty": [
        "Total no. off", "Qty per rover", "No. per drone", "Units per boat", "Menge je Gerät", "Stückzahl gesamt",
        "Qté totale par avion", "Cantidad total", "Quantità per velivolo", "Qtd. total",
    ],
    "": [
        "Number of holes", "# part", "No. item", "Qty unit", "Qty units", "Per piece", "je Stück", "Part count",
        "Spare qty", "No. of wings", "Vehicle qty", "Per unit", "Number in crew", "Teile", "N/m",
        "Total required power",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("quantity", "text"), [(name, text) for name, texts in COUNTED.items() for text in texts])
def test_words_that_count_pieces_are_read_in_every_combination(quantity: str, text: str) -> None:
    assert read_heading(text).quantity in ((quantity,) if quantity else ("", "name", "uom"))


@pytest.mark.parametrize("text", ["Spare qty", "No. of parts per wing", "Anzahl Schrauben", "Count per bay"])
def test_words_that_may_count_pieces(text: str) -> None:
    assert may_count_in_heading(text)


@pytest.mark.parametrize("text", ["Number of holes", "N/m", "Price", "Part power", "Power per piece", "Number"])
def test_words_that_count_no_pieces(text: str) -> None:
    assert not may_count_in_heading(text)


def test_every_synonym_has_a_source_and_one_meaning() -> None:
    path = Path(headings.__file__).parents[1] / "words" / "synonyms.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    meanings: dict[str, str] = {}
    for quantity, names in data.items():
        for name, source in names.items():
            assert source.strip()
            for here, text in headings._axis_synonyms(quantity, name):
                assert here in (*QUANTITIES, "")
                assert meanings.setdefault(squeeze_text(text), here) == here, text
    canonical = {squeeze_text(name): name for name in QUANTITIES}
    for text, here in meanings.items():
        assert canonical.get(text, here) == here


def test_the_names_seen_elsewhere_are_read(reference: Path) -> None:
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", (reference / "header_synonyms.md").read_text("utf-8"), re.MULTILINE)
    seen = {kind: re.findall(r"`([^`]+)`", cell) for kind, cell in rows}
    wanted = {"unit mass": "mass", "quantity": "qty", "name/description": "name"}
    for kind, quantity in wanted.items():
        names = [name for name in seen[kind] if name not in ("TOTAL_MASS", "MASS", "Unit QTY")]
        if kind == "unit mass":
            names = [part for name in names for part in name.split(", ")]
        unread = [name for name in names if read_heading(name).quantity != quantity]
        assert unread == [], kind
    for name in seen["total mass"]:
        if name != "mass(kg)":
            assert read_heading(name).quantity == "line_mass", name


def test_a_units_text_of_a_mapped_column() -> None:
    assert heading_unit("Total / kg", "mass") == "kg"
    assert heading_unit("Grand total [lb]", "mass") == "lb"
    assert heading_unit("Grand total", "mass") == ""
    assert heading_unit("Number [kg]", "qty") == ""


def test_a_plain_header() -> None:
    row, findings = header("id", "parent", "Mass [kg]", "supplier")
    assert row.columns == {"id": 0, "parent": 1, "mass": 2}
    assert row.units["mass"] == "kg"
    assert findings == []


def test_blank_rows_above_the_header_are_passed_over() -> None:
    row, _ = header("", "", rows=(("id", "mass"), ("a", "1")))
    assert row.row == 1
    assert row.columns == {"id": 0, "mass": 1}


def test_two_columns_of_one_meaning_are_rejected_and_mapping_chooses() -> None:
    row, (finding,) = header("id", "Menge", "Quantity")
    assert finding.rule == "MP202"
    assert "Menge" in finding.message
    assert "Quantity" in finding.message
    assert "--map qty=" in finding.remedy
    assert len(finding.related) == 2
    row, findings = header("id", "Menge", "Quantity", qty="Menge")
    assert findings == []
    assert row.columns["qty"] == 1


def test_the_canonical_name_goes_before_a_synonym_and_it_is_reported() -> None:
    row, (finding,) = header("id", "Weight (lb)", "mass")
    assert row.columns["mass"] == 2
    assert (finding.rule, finding.severity) == ("MP225", Severity.NOTE)
    assert "Weight (lb)" in finding.message


def test_the_canonical_name_twice_is_rejected() -> None:
    assert [f.rule for f in header("id", "mass", "Mass [kg]")[1]] == ["MP202"]
    assert [f.rule for f in header("id", "id", "mass")[1]] == ["MP202"]


def test_of_several_labels_the_best_known_is_used() -> None:
    row, findings = header("id", "Description", "Component", "mass")
    assert row.columns["name"] == 2
    assert [f.rule for f in findings] == ["MP225"]


def test_total_mass_is_the_mass_where_no_other_is_next_to_it() -> None:
    row, findings = header("id", "parent", "Total mass [kg]")
    assert (row.columns["mass"], row.units["mass"], row.doubtful) == (2, "kg", {"mass"})
    assert findings == []
    row, findings = header("id", "parent", "Total mass [kg]", mass="Total mass [kg]")
    assert (row.columns["mass"], row.units["mass"], row.doubtful) == (2, "kg", {"mass"})
    row, findings = header("id", "parent", "Total mass [kg]", "Mass [g]")
    assert (row.columns["mass"], row.columns["line_mass"], row.doubtful) == (3, 2, frozenset())
    assert (row.units["mass"], row.units["line_mass"], findings) == ("g", "kg", [])


def test_mapping_by_a_name_in_any_case_and_without_its_unit() -> None:
    row, findings = header("Part Number", "Parent", "GROSS (kg)", id="part number", mass="Gross")
    assert row.columns == {"id": 0, "parent": 1, "mass": 2}
    assert row.units["mass"] == "kg"
    assert findings == []


def test_a_mapping_of_what_does_not_exist() -> None:
    _, findings = header("id", "Gross", "mass", mas="Gross", qty="Grozz")
    assert [f.rule for f in findings] == ["MP204", "MP204"]
    assert "nearest is mass" in findings[0].message
    assert "nearest is Gross" in findings[1].message
    assert "id, Gross, mass" in findings[1].remedy


def test_one_column_cannot_be_mapped_to_two_quantities() -> None:
    assert [f.rule for f in header("id", "n", "mass", name="n", part="n")[1]] == ["MP204"]


def test_a_first_row_of_data_is_not_a_header() -> None:
    with pytest.raises(TableError) as caught:
        header("A", "", "12.5", rows=(("B", "A", "3"),))
    assert [f.rule for f in caught.value.findings] == ["MP201"]
    assert "12.5" in str(caught.value)


def test_an_empty_table_has_no_header() -> None:
    with pytest.raises(TableError, match="MP111"):
        header("", " ")


def test_numbers_among_names_are_no_fault() -> None:
    assert header("id", "1", "2", "mass")[0].columns == {"id": 0, "mass": 3}


@pytest.mark.parametrize(
    "name",
    [
        "Mass margin",
        "Qty on hand",
        "supplier",
        "cost",
        "total_mass",
        "coverage_leaves",
        "principal_1",
        "axis_3z",
        "Comment",
    ],
)
def test_what_does_not_is_not(name: str) -> None:
    assert header("id", "mass", name)[1] == []


def test_which_rows_look_like_a_header() -> None:
    assert is_header_like(["Part Number", "Qty", "Weight (lb)"])
    assert not is_header_like(["Month", "Cost"])
    assert not is_header_like(["A", "1", "2"])
    assert not is_header_like([])


def test_peers_headers_are_read_without_a_word(reference: Path) -> None:
    for path in sorted((reference / "massprops_r").glob("*_table*.csv")):
        names = path.read_text("utf-8").splitlines()[0].split(",")
        row, findings = header(*names)
        assert findings == [], path.name
        assert set(row.columns) >= set(names) - {"pid", "work", "budget"}


@pytest.mark.parametrize("text", ["(" * 30_000, "mass " * 8000, "[" * 30_000 + "]", "a_" * 15_000, "sigma " * 6000])
def test_an_endless_header_is_passed_over(text: str) -> None:
    assert header("id", "mass", text)[0].columns == {"id": 0, "mass": 1}
    assert header("id", "mass", text, qty=text)[0].columns["qty"] == 2


def test_a_header_below_titles_is_found_and_reported() -> None:
    rows = (("Revision B", "3", ""), ("", "", ""), ("id", "parent", "mass"), ("Top", "", ""))
    read, findings = header("Kestrel mass list", "", "", rows=rows)
    assert (read.row, [finding.rule for finding in findings]) == (3, ["MP228"])


def test_a_first_row_that_names_two_quantities_is_the_header() -> None:
    read, findings = header("id", "parent", "cost", rows=(("id", "parent", "mass"),))
    assert (read.row, findings) == (0, [])


def test_a_first_row_named_by_map_is_the_header() -> None:
    read, _ = header("Kestrel", "b", rows=(("id", "mass"),), id="Kestrel")
    assert read.row == 0


def test_items_that_parents_name_are_ids() -> None:
    assert header("Item", "Parent", "Qty", "Weight (kg)")[0].columns["id"] == 0
    assert "id" not in header("Item", "Part Number", "Parent", "Weight (kg)")[0].columns
    assert header("Item", "Parent", "mass", item="Item")[0].columns["item"] == 0


@pytest.mark.parametrize(("text", "quantity"), [("m / kg", "mass"), ("m (mm)", ""), ("m", ""), ("m [lb]", "mass")])
def test_a_letter_over_its_unit(text: str, quantity: str) -> None:
    assert read_heading(text).quantity == quantity


@pytest.mark.parametrize(
    ("names", "cell", "rules"),
    [(("CG (mm)", ""), "100", ["MP247"]), (("Centre of Mass", ""), "100", ["MP247"]), (("CG (mm)", ""), "N/A", [])],
)
def test_a_centre_is_not_passed_over_with_a_note(names: tuple[str, str], cell: str, rules: list[str]) -> None:
    _, findings = header("id", "mass", *names, rows=(("a", "2", cell, ""),))
    assert [finding.rule for finding in findings] == rules


def test_a_word_within_a_heading_is_no_unit_of_length() -> None:
    assert heading_unit("Arm in front of datum", "Cx") == ""
    assert heading_unit("Arm mm from datum", "Cx") == "mm"
