"""The table of changes holds what the rows state."""

from __future__ import annotations

from math import isnan

import pytest
from bom_tables import bom_of

from massprops_cli.revisions.comparison import diff

HEADER = "id parent name mass qty Cx Cy Cz"


def test_a_row_for_every_change():
    old = bom_of(HEADER, "top . T . . . . .", "a top A 1 1 0 0 0", "b top B 2 1 1 0 0", "c top C 3 2 2 0 0")
    new = bom_of(HEADER, "top . T . . . . .", "x top X . 1 . . .", "a x A 1 1 0 0 0", "c top C 4 3 2 0 0")
    answer = diff(old, new, reasons={"c": "why"})
    frame = answer.to_dataframe()
    rows = list(answer.rows())
    assert frame["id"].tolist() == [row.id for row in rows] == ["x", "a", "c", "b"]
    assert frame["name"].tolist() == ["X", "A", "C", "B"]
    assert frame["changes"].tolist() == ["added", "re-parented", "quantity, mass", "removed"]
    assert frame["reason"].tolist() == ["", "", "why", ""]
    for record, row in zip(frame.to_dict("records"), rows, strict=True):
        for key in ("parent", "qty", "mass"):
            pair = row.quantity if key == "qty" else getattr(row, key)
            for end, value in zip(("before", "after"), pair, strict=True):
                cell = record[f"{key}_{end}"]
                assert cell == value or (value is None and (cell is None or isnan(cell)))
        for name, value in row.contributions.items():
            assert record[f"d_{name}"] == pytest.approx(float("nan") if value is None else value, nan_ok=True)


def test_nothing_changed():
    bom = bom_of(HEADER, "top . T . . . . .", "a top A 1 1 0 0 0")
    frame = diff(bom, bom).to_dataframe()
    assert len(frame) == 0
    assert frame.columns[:4].tolist() == ["id", "name", "changes", "reason"]


def test_a_table_of_one_item():
    header = "id parent name mass"
    frame = diff(bom_of(header, "A . old 2"), bom_of(header, "B . new 3")).to_dataframe()
    assert frame[["id", "name", "changes"]].to_numpy().tolist() == [["B", "new", "mass"]]
    assert frame["d_mass"].tolist() == [1]
