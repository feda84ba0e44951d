"""Columns of parents in all but name: used where no other reading is possible, ambiguous elsewhere."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import TableError
from tests.unit.bom_tables import only, reported

Row = tuple[str | None, str | None, str | None]
ROBOT: tuple[Row, ...] = (("Robot", None, None), ("Base", "Robot", "42.5"), ("Arm", "Robot", "7.5"))


def robot(*rows: Row, **options: object) -> Bom:
    return Bom.from_records([dict(zip(("part", "module", "mass [kg]"), row, strict=True)) for row in rows], **options)


def test_the_only_reading_is_used_and_reported() -> None:
    bom = robot(*ROBOT)
    assert not bom.has_errors
    assert (
        only(bom.findings, "MP324").message
        == "column module is read as the parent of part: it names items of other rows"
    )
    assert float(mp.rollup(bom).root.mass) == 50.0
    assert bom.tree.parent.tolist() == [-1, 0, 0]


def test_the_order_of_the_rows_does_not_matter() -> None:
    bom = robot(*reversed(ROBOT))
    assert float(mp.rollup(bom).root.mass) == 50.0


@pytest.mark.parametrize(
    "changed",
    [
        (("Robot", None, "50"), *ROBOT[1:]),
        (*ROBOT, ("Tool", "Arm", "1")),
        (*ROBOT, ("Spare", None, "1")),
        (*ROBOT[:2], ("Arm", "Rover", "7.5")),
        (("Robot", "Rover", None), ("Rover", "Robot", None), *ROBOT[1:], ("Top", None, None)),
        (*ROBOT, ("Tool", "Robot", None)),
    ],
    ids=["root has a mass", "mounted on a part", "two without", "a name of none", "a circle", "a leaf without a mass"],
)
def test_where_another_reading_remains_nothing_is_used(changed: tuple[Row, ...]) -> None:
    with pytest.raises(TableError) as caught:
        robot(*changed)
    assert "pass --map parent=module" in only(caught.value.findings, "MP316").remedy


def test_an_item_named_twice_leaves_it_open() -> None:
    with pytest.raises(TableError):
        robot(*ROBOT, ("Arm", "Robot", "7.5"))


def test_a_list_that_is_requested_is_one() -> None:
    bom = robot(*ROBOT, layout="flat", allow_missing=frozenset(("mass",)))
    assert bom.layout == "flat"
    assert not reported(robot(*ROBOT, map={"parent": "module"}).findings, "MP324")
