"""Rows of sums in trees and lists, and hierarchies by marks and codes: what each comes to, added up by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import massprops_cli as mp
from tests.tables.test_lists_people_write import read

LEVELS, PARENTS = "Level,Item,Mass (kg)/", "id,parent,mass [kg]/"


@pytest.mark.parametrize(
    ("rows", "skipped", "mass"),
    [
        (LEVELS + "1,Bus,/2,Panel,3/1,Bus subtotal,3/1,Cam,5", ["Bus subtotal"], 8),
        (LEVELS + "1,Wing,/2,Spar,68/2,Total wing,68/1,Tail,/2,Rib,8/2,Total tail,8", ["Total wing", "Total tail"], 76),
        (LEVELS + "1,Hull,/2,Shell,300.4/2,Deck,121.7/1,Launch mass,422.1", ["Launch mass"], 422.1),
        (PARENTS + "Bus,,/Panel,Bus,121.6/Engine,Bus,121.7/Bus total,Bus,243.3", ["Bus total"], 243.3),
        (
            (
                "Pos,Item,Mass (kg)/1,Bus,/1.1,Panel,121.6/1.2,Sum structure,121.6/2,Power,/2.1,PCU,15.1"
                "/2.2,Sum power,15.1/3,Sum total,136.7"
            ),
            ["Sum structure", "Sum power", "Sum total"],
            136.7,
        ),
    ],
)
def test_a_sum_with_a_place_in_the_tree_is_a_question(
    rows: str, skipped: list[str], mass: float, tmp_path: Path
) -> None:
    assert read(tmp_path, *rows.split("/"))[1] == {"MP257"}
    assert read(tmp_path, *rows.split("/"), skip_rows=skipped) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        (PARENTS + "Bus,,/Panel,Bus,121.6/Engine,Bus,121.7/Total pressure probe,Bus,2.3", 245.6),
        (LEVELS + "1,Hull,300.4/1,Engine,121.7/1,Dry mass,422.1", 422.1),  # the level never changes: a list
        (LEVELS + "1,Hull,300.4/1,Engine,121.7", 422.1),
    ],
)
def test_other_rows_of_trees_are_parts(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split("/")) == (pytest.approx(mass), set())


ITEMS = "Item,Mass (kg)|"


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        (ITEMS + "Gearbox,45|- housing,30|- gears,15|Motor,20", 65),
        (ITEMS + "Gearbox,45.37|- housing,30.12|- gears,15.25|Motor,20.4|Total,65.77", 65.77),
        (ITEMS + "Vehicle,1023.47|- Body,612.31|- Engine,411.16|-- Block,211.16|-- Head,200.00", 1023.47),
        (ITEMS + "Car,|> Body,3|> Engine,|>> Block,2", 5),
        (ITEMS + "Sat,|├─ Bus,|│  ├─ A,1|│  └─ B,2|└─ Cam,4", 7),
        ("Item,Qty,Mass (kg)|Car,1,|.Axle,2,|..Hub,2,5|.Body,1,100", 120),
        (ITEMS + "1 Cab,50|1.1 Shell,20|1.2 Floor,30", 50),
        # no hierarchy: masses of their own, marks of every row, axes, voltages
        (ITEMS + "Laptop,2.0|- charger,0.3|Bag,1", 3.3),
        (ITEMS + "- Frame,2|- Motor,3", 5),
        (ITEMS + "Frame,2|-X panel,3|-Y panel,1", 6),
        (ITEMS + "5 V regulator,0.2|12 V battery,3|1.5 V cell,0.1", 3.3),
        (ITEMS + "1 Frame,2|2 Motor,3|3 Box,1", 6),
    ],
)
def test_marks_before_names(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split("|")) == (pytest.approx(mass), set())


def test_marks_that_are_parts_of_some_rows_only_are_a_question(tmp_path: Path) -> None:
    rows = (ITEMS + "Gearbox,45|- housing,30|- gears,15|Motor,20|- cable,0.5").split("|")
    assert read(tmp_path, *rows)[1] == {"MP316"}
    assert read(tmp_path, *rows, layout="flat") == (pytest.approx(110.5), set())


CODES = "Code,Item,Mass (kg)/"


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        (CODES + "100,Hull,500.5/110,Shell,312.0/111,Plating,212.3/113,Bottom,99.7/120,Bulkheads,188.5", 500.5),
        (CODES + "21-00-00,Air,28.4/21-10-01,Pump,20/21-10-02,Duct,8.4/24-00-00,Power,5/24-30-01,Cell,5", 33.4),
        (CODES + "A,Hull,30/A1,Shell,20/A2,Deck,10/B,Engine,50/B1,Diesel,50", 80),
        (CODES + "1010,Bracket L,0.3/1011,Bracket R,0.3/1020,Plate,0.5", 1.1),  # part numbers
        (CODES + "100,Hull,500/110,Shell,312/120,Bulkheads,100", 912),  # masses of their own
        ("No,Item,Mass (kg)/" + "/".join(f"{k},P{k},0.5" for k in range(1, 13)), 6),
    ],
)
def test_codes_of_groups(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split("/")) == (pytest.approx(mass), set())


@pytest.mark.parametrize("codes", [("10", "11", "20", "21"), ("21", "21-10", "24", "24-30")])
def test_groups_of_one_code_each_are_a_question(codes: tuple[str, ...], tmp_path: Path) -> None:
    rows = [f"{code},{item},{mass}" for code, item, mass in zip(codes, "ABCD", [500, 500, 96, 96], strict=True)]
    assert read(tmp_path, "Code,Item,Mass (kg)", *rows)[1] == {"MP316"}


@pytest.mark.parametrize(("parts", "mass"), [(1, 12), (2, 14)])
def test_a_row_below_the_only_total_is_a_question(parts: int, mass: float, tmp_path: Path) -> None:
    rows = ["Item,Mass (kg)", "A,12", "C,2"][: parts + 1]
    assert read(tmp_path, *rows, f"Total,{mass}", "B,15")[1] == {"MP257"}


def test_a_first_row_with_a_measure_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("A,4,2 kg\nB,1,1 kg\n", encoding="utf-8")
    with pytest.raises(mp.TableError) as caught:
        mp.rollup(path)
    (finding,) = caught.value.findings
    assert finding.rule == "MP201"
    assert float(mp.rollup(path, columns="name,qty,mass").rollup.bodies.mass.max()) == pytest.approx(9)


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Group,Item,Mass (kg)/BODY,,/,Skin,14/,Subtotal,14", 14),
        ("Gruppe,Teil,Masse (kg)/Rumpf,,/,Haut,14/,Zwischensumme,14/Antrieb,,/,Motor,5/,Zwischensumme,5", 19),
        ("WBS,Item,Qty,Mass (kg)/1.0,Bus,2,/1.1,Panel,1,3/1.2,Tank,1,4/2.0,Cam,1,5", 19),
        ("Item,Part,Qty,Mass (kg)/A,Axle,2,/A.1,Hub,1,7/B,Box,1,1", 15),
        ("Item,Part,Qty,Mass (kg)/1,Axle,2,/1-1,Hub,1,7/1-2,Pin,1,1/2,Box,1,5", 21),
        ("Indenture,Part,Qty,Mass (kg)/1,Axle,2,/2,Hub,2,5/1,Box,1,3", 23),
    ],
)
def test_groups_without_a_mass(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split("/")) == (pytest.approx(mass), set())


def test_a_part_number_without_a_mass_is_no_group(tmp_path: Path) -> None:
    """The mass is missing: the part after it is not a part of it."""
    rows = "Part No,Item,Mass (kg)", "1010,Left,", "1011,Right,0.3", "1020,Plate,0.5"
    assert read(tmp_path, *rows)[1] == {"MP206"}
