"""Columns of parents in all but name: never guessed, and the command that reads them is printed."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import TableError
from tests.unit.bom_tables import only

Row = tuple[str | None, str | None, str | None]
ROBOT: tuple[Row, ...] = (("Robot", None, None), ("Base", "Robot", "42.5"), ("Arm", "Robot", "7.5"))


def robot(*rows: Row, **options: object) -> Bom:
    return Bom.from_records([dict(zip(("part", "module", "mass [kg]"), row, strict=True)) for row in rows], **options)


@pytest.mark.parametrize(
    "rows",
    [
        ROBOT,
        ROBOT[::-1],
        (("Robot", None, "50"), *ROBOT[1:]),
        (*ROBOT, ("Tool", "Arm", "1")),
        (*ROBOT, ("Spare", None, "1")),
        (*ROBOT[:2], ("Arm", "Rover", "7.5")),
        (("Robot", "Rover", None), ("Rover", "Robot", None), *ROBOT[1:], ("Top", None, None)),
        (*ROBOT, ("Tool", "Robot", None)),
        (*ROBOT, ("Arm", "Robot", "7.5")),
    ],
)
def test_names_of_other_rows_are_a_question(rows: tuple[Row, ...]) -> None:
    with pytest.raises(TableError) as caught:
        robot(*rows)
    assert "pass --map parent=module" in only(caught.value.findings, "MP316").remedy


def test_the_printed_option_gives_the_tree() -> None:
    bom = robot(*ROBOT, map={"parent": "module"})
    assert float(mp.rollup(bom).root.mass) == 50.0
    assert bom.tree.parent.tolist() == [-1, 0, 0]


def test_a_list_that_is_requested_is_one() -> None:
    assert robot(*ROBOT, layout="flat", allow_missing=frozenset(("mass",))).layout == "flat"
