"""Readings that equipment lists of trades need: rows of columns below groups, masses in parts, margins with a place."""

from __future__ import annotations

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.build import build_bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import TableError
from massprops_cli.tables.options import TableOptions


def bom_of(text: str, **options: object) -> Bom:
    rows = [line.split("|") for line in text.strip("\n").splitlines()]
    width = max(map(len, rows))
    grid = [[*row, *[""] * (width - len(row))] for row in rows]
    return build_bom(Bom, GridTable(TableSource("a.csv", "csv"), grid), TableOptions(**options), [])


def rules(bom: Bom) -> set[str]:
    return {finding.rule for finding in bom.findings}


MODULE = """
WEIGHT REPORT
Tag|Description|Weight [t]||WCF|Factored [t]|Centre of gravity [m]
||Dry|Operating|[-]||E|N|EL
S-1|Trusses|400|400|1.05|420|10|20|30
V-1|Separator|100|150|1.1|110|20|30|40
"""


def test_a_row_of_columns_below_a_row_of_groups_is_no_item() -> None:
    bom = bom_of(MODULE, map={"mass": "Weight Dry [t]"})
    assert "MP241" in rules(bom)
    root = rollup(bom).root
    assert root.mass == 500
    assert root.center.tolist() == [12, 22, 32]  # (400·10 + 100·20) / 500 …


def test_two_masses_below_one_group_are_a_question() -> None:
    with pytest.raises(TableError) as raised:
        bom_of(MODULE)
    (question,) = [finding for finding in raised.value.findings if finding.rule == "MP252"]
    assert "mass='Weight Dry [t]'" in question.remedy
    assert "mass='Weight Operating [t]'" in question.remedy


STAGES = """
Element|Dry mass [kg]|Propellant [kg]|Gross mass [kg]
Tank|300||300
Engine|50||50
Fuel||1000|1000
Oxidiser||2000|2000
"""


def test_a_sum_of_columns_with_blanks_is_the_mass() -> None:
    bom = bom_of(STAGES)
    assert not bom.has_errors, bom.findings
    assert rollup(bom).root.mass == 3350
    (note,) = [finding for finding in bom.findings if finding.rule == "MP280"]
    assert "Gross mass [kg] = Dry mass [kg] + Propellant [kg] (blanks are 0) in 4 rows" in note.message


def test_a_sum_that_does_not_hold_is_none() -> None:
    with pytest.raises(TableError) as raised:
        bom_of(STAGES.replace("Fuel||1000|1000", "Fuel||1000|1100"))
    assert not [finding for finding in raised.value.findings if finding.rule == "MP280"]


SHIP = """
Code|Item|Weight [t]|VCG [m]
100|HULL
110|Plates|80|2
120|Frames|20|3
|Total 100|100|2.2
200|MACHINERY
210|Engine|40|1
|Total 200|40|1
M|Margin (5 %)|7|4
|LIGHTSHIP|147|1.95918
|LOAD
F1|Fuel|50|1
F2|Crew|3|5
|Total load|53|1.22642
|FULL LOAD|200|1.765
"""


def test_a_margin_with_a_code_and_a_place_is_a_part() -> None:
    bom = bom_of(SHIP, allow_missing=frozenset({"center"}))
    assert not bom.has_errors, bom.findings
    assert "MP282" in rules(bom)
    root = rollup(bom).root
    assert root.mass == 200
    assert root.center[2] == pytest.approx((160 + 60 + 40 + 28 + 50 + 15) / 200)


def test_a_margin_without_a_code_is_growth() -> None:
    assert rollup(bom_of(SHIP.replace("M|Margin", "|Margin"), allow_missing=frozenset({"center"}))).root.mass == 193


def test_names_without_a_code_are_groups_too() -> None:
    bom = bom_of(SHIP)
    assert {"HULL", "MACHINERY", "LOAD"} <= {bom.ids[i] for i in (~bom.tree.is_leaf()).nonzero()[0]}


WEIGHTS = """
Item|Weight [lb]|Arm [in]
Wing|1,299|189.3
Tail|1,360|425.8
"""


def test_the_decimal_mark_of_another_column_decides() -> None:
    bom = bom_of(WEIGHTS)
    assert rollup(bom).root.mass == 2659
    assert "MP231" in rules(bom)
    commas = WEIGHTS.replace("189.3", "189,3").replace("425.8", "425,8")
    assert rollup(bom_of(commas)).root.mass == pytest.approx(2.659)


@pytest.mark.parametrize("arms", [("189.3", "425,8"), ("189.000", "400")])
def test_columns_that_show_no_decimal_mark_decide_nothing(arms: tuple[str, str]) -> None:
    text = WEIGHTS.replace("189.3", arms[0]).replace("425.8", arms[1])
    assert [finding.rule for finding in bom_of(text).findings].count("MP205") == 2
