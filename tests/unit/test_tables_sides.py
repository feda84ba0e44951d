"""Sides in words next to coordinates: port and starboard, fore and aft."""

from __future__ import annotations

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.tables.words import words

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
