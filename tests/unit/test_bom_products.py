"""Products in columns of their own, held against mass × quantity."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup


def printed(sheet: str, **options: object) -> list[str]:
    """Read a sheet from its text, and give the findings on its products."""
    bom = Bom.from_records(list(csv.DictReader(io.StringIO(sheet))), **options)
    return [finding.message for finding in bom.findings if finding.rule == "MP414"]


LINES = "id,parent,qty,Mass [kg],Total mass [{unit}]\ntop,,,,\nbox,top,2,,\nnut,box,3,0.5,{nut}\nlid,top,4,2.0,{lid}\n"


@pytest.mark.parametrize(
    ("unit", "nut", "lid", "wrong"),
    [
        ("kg", "1.5", "8", []),  # in one parent
        ("kg", "3", "8", []),  # in the whole
        ("g", "1500", "8000", []),
        ("kg", "", "8", []),
        ("kg", "1.5", "9", ["Total mass [kg] of lid differs from mass × quantity: 9 (computed: 8)"]),
        ("g", "1500", "8", ["Total mass [g] of lid differs from mass × quantity: 8 (computed: 8000)"]),
    ],
)
def test_a_mass_of_a_line(unit: str, nut: str, lid: str, wrong: list[str]) -> None:
    assert printed(LINES.format(unit=unit, nut=nut, lid=lid)) == wrong


def test_the_mass_of_one_piece_counts() -> None:
    bom = Bom.from_records(list(csv.DictReader(io.StringIO(LINES.format(unit="kg", nut="1.5", lid="9")))))
    assert rollup(bom).root.mass == pytest.approx(2 * 3 * 0.5 + 4 * 2)


@pytest.mark.parametrize(("line", "wrong"), [("1.8", False), ("1.4", False), ("1.9", True), ("1.3", True)])
def test_written_digits_leave_room(line: str, wrong: bool) -> None:
    # 0.4 represents 0.35 to 0.45: 4 pieces are 1.4 to 1.8, and the cell rounds by 0.05
    sheet = f"id,parent,qty,mass,Ext. mass\ntop,,,,\na,top,4,0.4,{line}\n"
    assert bool(printed(sheet)) is wrong


QUANTITIES = "id,parent,qty,Total Qty,mass\ntop,,1,1,\nbox,top,2,2,\nnut,box,3,{total},0.5\n"


def test_a_total_quantity() -> None:
    assert printed(QUANTITIES.format(total=6)) == []
    assert printed(QUANTITIES.format(total=3)) == [
        "Total Qty of nut differs from the product of the quantities above: 3 (computed: 6)"
    ]
    assert printed(QUANTITIES.format(total=6).replace("box,3", "box,6"), qty_is="total") == []
