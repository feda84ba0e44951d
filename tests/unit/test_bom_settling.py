"""Readings of masses and quantities, settled by a total typed beside them."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.answers.rolling import rollup
from massprops_cli.bom.bom import Bom

# two boxes with six nuts and a mass of 0.5: the total says how they are meant
SHEET = "id,parent,qty,mass\ntop,,,\nbox,top,2,\nnut,box,6,0.5\nTotal,,,{total}\n"


def read(sheet: str, **options: object) -> Bom:
    """Read a sheet from its text."""
    return Bom.from_records(list(csv.DictReader(io.StringIO(sheet))), **options)


@pytest.mark.parametrize(
    ("total", "rules", "remedy"),
    [
        ("6.0", [], ""),
        ("3.0", ["MP251"], "say it with --qty-is total"),
        ("1.0", ["MP251"], "say it with --mass-is line"),
        ("0.5", ["MP251"], "say it with --mass-is line --qty-is total"),
        ("7.0", ["MP413"], None),
    ],
)
def test_one_reading_that_agrees_is_taken(total: str, rules: list[str], remedy: str | None) -> None:
    bom = read(SHEET.format(total=total))
    told = [finding for finding in bom.findings if finding.rule in ("MP251", "MP252", "MP413")]
    assert [finding.rule for finding in told] == rules
    assert rollup(bom).root.mass == pytest.approx(6.0 if rules == ["MP413"] else float(total))
    if remedy:
        assert told[0].remedy == remedy


def test_several_readings_that_agree_are_offered() -> None:
    bom = read(SHEET.format(total="6").replace("6,0.5", "2,3"))
    (finding,) = [finding for finding in bom.findings if finding.rule == "MP252"]
    assert finding.remedy == "pass --mass-is line, or --qty-is total"


def test_what_is_said_is_not_guessed_again() -> None:
    bom = read(SHEET.format(total="3.0"), mass_is="each")
    assert [finding.rule for finding in bom.findings if finding.rule in ("MP251", "MP413")] == ["MP413"]
    assert rollup(bom).root.mass == 6
