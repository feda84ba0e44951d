"""``strict`` is the validation of the R package massProps: what that rejects is rejected, and its tables are not."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp

from .error_cases import NOT_A_TABLE, PEER, rows_of

CASES: dict[str, dict[str, Any]] = {
    case["case"]: case for case in PEER["table_cases"] if case["case"] not in NOT_A_TABLE
}

READ_OTHERWISE = {
    "Cx column is text": "in csv there is nothing else than text; a text that is a number is one",
    "Ipoint 0/1": "0 and 1 are truth values",
}
"""What massProps rejects for a class of R, and a text file cannot show."""

STRICTER = {"leaf POIconv empty": "MP213", "leaf POIconv 'neg'": "MP213", "leaf sigma_mass Inf": "MP407"}
"""What massProps accepts with wrong numbers, and the rule that rejects it here, strict or not."""


def errors_of(case: dict[str, Any], path: Path, **options: Any) -> set[str]:
    """Give the rules that are errors in the table of a case."""
    rows = rows_of(case)
    header = list(rows[0]) if rows else ["id", "parent", "mass"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for row in rows:
            cells = (row.get(name) for name in header)
            writer.writerow(["" if c is None else str(c).lower() if isinstance(c, bool) else c for c in cells])
    try:
        findings = mp.validate(mp.read_bom(path, **options))
    except mp.TableError as error:
        findings = list(error.findings)
    return {finding.rule for finding in findings if finding.severity is mp.Severity.ERROR}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "error" in case["expected"]])
def test_what_massprops_rejects_is_rejected(name: str, tmp_path: Path) -> None:
    errors = errors_of(CASES[name], tmp_path / "bom.csv", strict=True)
    assert bool(errors) == (name not in READ_OTHERWISE), CASES[name]["expected"]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "error" not in case["expected"]])
def test_what_massprops_accepts_is_accepted_where_its_numbers_are_right(name: str, tmp_path: Path) -> None:
    assert errors_of(CASES[name], tmp_path / "bom.csv", strict=True, assembly_values="check") == (
        {STRICTER[name]} if name in STRICTER else set()
    )


@pytest.mark.parametrize("name", ["leaf mass zero", "triangle equality: thin plate diag(1,1,2)", "leaf sigma_mass NA"])
def test_without_strict_these_are_no_errors(name: str, tmp_path: Path) -> None:
    assert not errors_of(CASES[name], tmp_path / "bom.csv")
