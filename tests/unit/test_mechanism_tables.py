"""Mechanisms as two text files and as a workbook: the same as the JSON file, and findings for bad tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from massprops_cli import base_parameters, read_mechanism
from massprops_cli.findings.finding import TableError, UsageError
from tests.unit.mechanism_examples import SUSPENSION, SUSPENSION_EXPECTED

AXES = ("x", "y", "z")
BODY_COLUMNS = ["id", *(f"p{a}" for a in AXES), *(f"q{a}" for a in ("w", *AXES)), *(f"g{a}" for a in AXES)]
JOINT_COLUMNS = ["name", "type", "i", "j", *(f"{key}{a}" for key in ("pi", "pj", "ai", "aj") for a in AXES)]


def tables() -> dict[str, list[list[Any]]]:
    """The suspension as rows of two tables."""
    bodies = [[*BODY_COLUMNS], ["0", *[""] * 7, *SUSPENSION["gravity"]]]
    bodies += [[str(body["id"]), *body["p"], *body["q"], "", "", ""] for body in SUSPENSION["bodies"]]
    joints = [[*JOINT_COLUMNS]]
    for joint in SUSPENSION["joints"]:
        row = [joint[key] for key in ("name", "type", "i", "j")]
        for key in ("pi", "pj", "ai", "aj"):
            row += joint.get(key, ["", "", ""])
        joints.append(row)
    return {"bodies": bodies, "joints": joints}


def written(folder: Path, content: dict[str, list[list[Any]]]) -> tuple[Path, Path]:
    """Write both tables as csv."""
    for name, rows in content.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    return folder / "bodies.csv", folder / "joints.csv"


def test_two_text_files_give_the_published_suspension(tmp_path: Path) -> None:
    mechanism = read_mechanism(*written(tmp_path, tables()))
    assert mechanism.bodies == read_mechanism(json.dumps(SUSPENSION).encode()).bodies
    found = base_parameters(mechanism, eliminate=SUSPENSION_EXPECTED["eliminated"])
    assert len(found.grouping.base) == 41
    assert str(found.combinations()["mx1"]["m7"]) == "-32759/502000"


def test_workbook_with_texts_and_numbers_gives_the_same_mechanism(tmp_path: Path) -> None:
    book = Workbook()
    book.remove(book.active)
    for name, rows in tables().items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([0.5 if cell == "1/2" else 1 if cell == "1" else cell for cell in row])
    book.save(tmp_path / "suspension.xlsx")
    found = read_mechanism(tmp_path / "suspension.xlsx")
    expected = read_mechanism(json.dumps(SUSPENSION).encode())
    assert (found.bodies, found.joints, found.gravity) == (expected.bodies, expected.joints, expected.gravity)


def test_bad_tables_are_reported(tmp_path: Path) -> None:
    def rules(change: Any) -> list[tuple[str, str]]:
        content = tables()
        change(content)
        with pytest.raises(TableError) as caught:
            read_mechanism(*written(tmp_path, content))
        return [
            (finding.rule, finding.message) for finding in caught.value.findings if finding.severity.value == "error"
        ]

    assert rules(lambda one: one["bodies"].pop(1))[0][0] == "MP802"
    assert (
        "unknown column: pz1"
        in rules(lambda one: one["bodies"].__setitem__(0, [*BODY_COLUMNS[:3], "pz1", *BODY_COLUMNS[4:]]))[0][1]
    )
    assert "has no column type" in rules(lambda one: one["joints"][0].__setitem__(1, "kind"))[1][1]
    assert "point pi of joint F" in rules(lambda one: one["joints"][1].__setitem__(5, ""))[0][1]
    with pytest.raises(TableError, match="no table of joints"):
        read_mechanism(tmp_path / "bodies.csv")
    (tmp_path / "one.json").write_text(json.dumps(SUSPENSION))
    with pytest.raises(UsageError, match="belongs to a table"):
        read_mechanism(tmp_path / "one.json", tmp_path / "joints.csv")
