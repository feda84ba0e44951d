"""Sides in words next to coordinates: port and starboard, fore and aft."""

from __future__ import annotations

from math import isnan

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.cells.number_text import words
from massprops_cli.tables.columns.cell_parts import sign_side_cells, stated_product_sign
from massprops_cli.tables.options import TableOptions

HEADER = ("Item", "Weight [t]", "LCG [m]", "F/A", "TCG [m]", "P/S", "VCG [m]")


def rejected(*sides: tuple[str, str]) -> list[str]:
    """Give what is rejected in a table of one item for each pair of sides."""
    rows = [(f"Tank {k}", "10", "5", along, "2", across, "3") for k, (along, across) in enumerate(sides)]
    bom = Bom.from_records([dict(zip(HEADER, row, strict=True)) for row in rows])
    return [finding.message for finding in bom.findings if finding.rule == "MP260"]


def test_sides_that_differ_are_rejected() -> None:
    assert rejected(("F", "P"), ("F", "S")) == ["P/S states the side of each TCG [m], and is not read as a sign"]
    assert len(rejected(("Fwd.", "port"), ("AFT", "stbd"))) == 2


@pytest.mark.parametrize("second", [("F", "P"), ("", ""), ("F", "see drawing"), ("S", "A")])
def test_one_side_and_remarks_are_no_signs(second: tuple[str, str]) -> None:
    assert rejected(("F", "P"), second) == []


def test_every_word_for_a_side_has_a_source() -> None:
    assert all(len(entry["source"]) > 3 for entry in words("sides")["side"])


SHIP = """Item,Weight [t],VCG [m],LCG [m],L-Mom [t m]
Hull,100,4,1.5A,-150
Engine,20,2,10A,-200
Crane,5,12,22F,110"""


def bom_of_text(text: str, **options: object) -> Bom:
    header, *rows = [line.split(",") for line in text.splitlines()]
    return Bom.from_records([dict(zip(header, row, strict=True)) for row in rows], **options)


@pytest.mark.parametrize(("side", "sign"), [("F", -1), ("A", 1), ("aft", 1), ("fwd.", -1)])
def test_an_option_states_the_positive_side(side: str, sign: int) -> None:
    bom = bom_of_text(SHIP, positive=side, allow_missing="center")
    assert rollup(bom).root.center[0] == pytest.approx(sign * 240 / 125)


def test_sides_in_cells_without_a_sign_are_a_question() -> None:
    bom = bom_of_text(SHIP)
    (question,) = [finding for finding in bom.findings if finding.rule == "MP260"]
    assert question.remedy.startswith("pass --config positive=F, or --config positive=A")
    assert not [finding for finding in bom.findings if finding.rule in ("MP205", "MP212")]
    x, _, z = rollup(bom, keep_going=True).root.center.tolist()
    assert z == pytest.approx((400 + 40 + 60) / 125)
    assert isnan(x)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(("LCG forward positive", "1.5"), ("LCG: fwd = +", "1.5"), ("positive aft", "-1.5"), ("A negative", "1.5")),
        *(("F = forward, A = aft", ""), ("forward positive; aft positive", "")),
    ],
)
def test_a_text_above_the_header_states_the_positive_side(text: str, shown: str) -> None:
    rows = [[text, "", ""], ["id", "mass", "LCG [m]"], ["a", "2", "1.5F"], ["b", "1", "3A"]]
    view = sign_side_cells(GridTable(TableSource("a.csv", "csv"), rows), 1, TableOptions(), Findings())
    assert view.text(2, 2) == shown


def test_sides_next_to_coordinates_are_signs_with_the_option() -> None:
    rows = [("Tank 1", "10", "5", "F", "2", "P", "3"), ("Tank 2", "30", "1", "A", "2", "S", "3")]
    bom = Bom.from_records([dict(zip(HEADER, row, strict=True)) for row in rows], positive=["F", "S"])
    assert rollup(bom).root.center.tolist() == [0.5, 1.0, 3.0]  # (50 − 30) / 40, (−20 + 60) / 40


def test_a_formula_above_the_header_states_the_sign_of_products() -> None:
    assert stated_product_sign(["products as in URDF: Ixy = −∫xy dm"]) == "-"
    assert stated_product_sign(["Ixy=+sum(x*y*m)"]) == "+"
    assert stated_product_sign(["Ixy = -∫xy dm", "Ixy = ∫xy dm"]) == ""


BLANKS = """Item,Weight [t],LCG [m],TCG [m],VCG [m]
Hull,90,20,,4
Tank port,10,40,2,3
Total,100,22,0.2,3.9"""


def test_totals_show_that_blank_coordinates_are_zero() -> None:
    bom = bom_of_text(BLANKS)
    assert [finding.rule for finding in bom.findings if finding.rule in ("MP212", "MP263")] == ["MP263"]
    assert rollup(bom).root.center.tolist() == pytest.approx([22, 0.2, 3.9])


@pytest.mark.parametrize(
    "text", [BLANKS.replace("0.2,", "0.5,"), BLANKS.replace("0.2,", ","), BLANKS.rpartition("\n")[0]]
)
def test_other_blank_coordinates_are_missing_without_the_option(text: str) -> None:
    bom = bom_of_text(text.strip())
    (missing,) = [finding for finding in bom.findings if finding.rule == "MP212"]
    assert "--config blank-coordinate=0" in missing.remedy
    assert rollup(bom_of_text(text.strip(), blank_coordinate="0")).root.center.tolist() == pytest.approx([22, 0.2, 3.9])
