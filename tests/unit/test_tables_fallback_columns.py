"""Columns that replace a quantity: instances before lengths, as Inventor writes them."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup

# four beams of a metre, 2 kg each, and eight bolts of 0.1 kg
BEAMS = "Part Number,Unit QTY,Item QTY,QTY,Mass [kg]\nBEAM,1000 mm,4,4000 mm,2\nBOLT,Each,8,8,0.1\n"


def read(sheet: str, without: str = "", **options: object) -> Bom:
    """Read a sheet, without one of its columns."""
    rows = list(csv.DictReader(io.StringIO(sheet)))
    return Bom.from_records([{name: text for name, text in row.items() if name != without} for row in rows], **options)


def test_instances_are_counted() -> None:
    bom = read(BEAMS)
    assert rollup(bom).root.mass == pytest.approx(4 * 2 + 8 * 0.1)
    assert [f.message for f in bom.findings if f.rule == "MP225"] == [
        "column QTY is not read: column Item QTY counts the pieces"
    ]


def test_lengths_are_rejected() -> None:
    (finding,) = [f for f in read(BEAMS, without="Item QTY").findings if f.rule == "MP254"]
    assert finding.message == "QTY is a size, not a count: the number of pieces × Unit QTY (1000 mm for one piece)"


def test_a_quantity_that_is_named_is_used() -> None:
    bom = read(BEAMS, without="Item QTY", map={"qty": "QTY"})
    assert [f for f in bom.findings if f.rule == "MP254"] == []


@pytest.mark.parametrize("one", ["Each", "1", "", "EA", "1.000"])
def test_single_pieces_are_counted_by_either(one: str) -> None:
    bom = read(BEAMS.replace("1000 mm", one).replace("4000 mm", "4"), without="Item QTY")
    assert rollup(bom).root.mass == pytest.approx(4 * 2 + 8 * 0.1)


def test_a_quantity_of_a_unit_alone_is_the_quantity() -> None:
    bom = read("Part Number,Unit QTY,Mass [kg]\nBEAM,4,2\nBOLT,8,0.1\n")
    assert rollup(bom).root.mass == pytest.approx(4 * 2 + 8 * 0.1)
