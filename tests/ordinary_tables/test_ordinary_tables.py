"""A hundred tables in the manner of ordinary engineers' sheets, written without a look at the reader, totals typed.

``manifest.toml`` states of each what is right: the mass, or that the table is ambiguous, and the exit code. A
table whose reading may be ambiguous (``or_question``) may give the mass or a question, and never another mass.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
TABLES = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))["table"]

REQUESTED = {
    "034_subtotals_above_pt.csv": "its groups are rows and words of a column: --map parent with --make-root gives 201",
}
"""Tables that stop with a remedy where the manifest expects a mass, and why."""


def root_mass(report: dict[str, Any]) -> float | None:
    """Give the mass of the root in a report; None where nothing was computed."""
    roots = [item for item in report.get("items", []) if item["parent"] is None]
    return roots[0]["mass"] if roots else None


@pytest.mark.parametrize("table", TABLES, ids=[table["file"] for table in TABLES])
def test_an_ordinary_table_is_right_or_ambiguous(table: dict[str, Any], massprops, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    result = massprops("rollup", FOLDER / table["file"], "-o", out, "--format", "json")
    report = json.loads(result.stdout) if result.stdout.startswith("{") else {}
    mass = root_mass(report)
    codes = {table["exit"], *table.get("exit_also", ())}
    if table["file"] in REQUESTED:
        assert result.exit_code in (1, 2)
        assert '"severity": "error"' in result.output
        return
    if table.get("question") and result.exit_code != 0:
        assert not out.exists()
        assert "MP" in result.output
        return
    if table.get("or_question") and result.exit_code != 0 and mass is None:
        return
    assert result.exit_code in codes, report.get("findings", result.output)
    if "right" in table:
        assert mass == pytest.approx(table["right"], rel=1e-6)
    if table.get("predicted") is not None:
        root = next(item for item in report["items"] if item["parent"] is None)
        stated = [
            one["computed"] for one in report.get("reconciliation", ()) if one["agrees"]
        ]  # a margin in a row of its own
        predicted = [root["predicted_mass"]] if "predicted_mass" in root else stated
        assert any(mass == pytest.approx(table["predicted"], rel=1e-6) for mass in predicted)
