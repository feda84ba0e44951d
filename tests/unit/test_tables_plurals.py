"""Headers in the plural: names of items, or counts of pieces, by what their cells hold."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource


def bom_of(text: str) -> Bom:
    rows = [line.split(",") for line in text.strip("\n").split("\n")]
    return Bom.from_table(GridTable(TableSource("list.csv", "csv"), [list(row) for row in rows]))


def mass_of(text: str) -> float:
    bom = bom_of(text)
    assert not bom.has_errors, bom.findings
    return float(mp.rollup(bom).root.mass or 0)


@pytest.mark.parametrize(
    "header",
    ["Units", "UNITS", "Unidades", "Unités", "Einheiten", "Jednostki", "Pieces", "Stücke", "Pièces", "Piezas", "Pezzi"],
)
def test_whole_numbers_under_a_plural_are_counts(header: str) -> None:
    assert mass_of(f"Part,{header},Mass [kg]\nWheel,4,2\nBody,1,10\nSeat,2,0.5") == 19
    assert mass_of(f"Component,Mass [kg],{header}\nWheel,2,4\nBody,10,\nSeat,0.5,2") == 19


@pytest.mark.parametrize(
    "header",
    [
        *("Components", "Parts", "ITEMS", "Teile", "Komponenten", "Composants", "Éléments", "Componentes", "Piezas"),
        *("Peças", "Componenti", "Części", "Детали", "零件", "部品", "부품"),
    ],
)
def test_words_under_a_plural_are_names(header: str) -> None:
    bom = bom_of(f"{header},Qty,Mass [kg]\nWheel,4,2\nBody,1,10")
    assert bom.ids[:2] == ["Wheel", "Body"]
    assert mp.rollup(bom).root.mass == 18


def test_a_unit_of_measure_stays_one() -> None:
    assert mass_of("Part,Qty,Units,Mass [kg]\nWheel,4,EA,2\nBody,1,EA,10") == 18
    assert mass_of("Part,Qty,Units,Mass [kg]\nWheel,2,1,2\nBody,1,1,10") == 14


def test_sizes_that_are_not_whole_are_no_counts() -> None:
    bom = bom_of("Part,Units,Mass [kg]\nWheel,0.4,2\nBody,1.5,10")
    assert "qty" not in bom.columns.by_quantity


def test_a_plural_next_to_a_name_in_the_singular_is_the_second_choice() -> None:
    bom = bom_of("Component,Parts,Mass [kg]\nWheel,rim and tyre,2\nBody,panels,10")
    assert list(bom.ids[:2]) == ["Wheel", "Body"]


def test_whole_numbers_without_a_name_next_to_them_are_no_counts() -> None:
    with pytest.raises(mp.TableError):
        bom_of("Units,Mass [kg]\n4,2\n1,10")
