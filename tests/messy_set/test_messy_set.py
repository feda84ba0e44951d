"""Every messy table is read with the total that was added by hand, or rejected with the remedy it needs."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from massprops_cli.bom.inspection import inspect
from massprops_cli.findings.finding import TableError
from tests.golden_files import GOLDEN, assert_golden

HERE = Path(__file__).parent
FILES = HERE / "files"
INSPECTED = GOLDEN / "inspect_messy"
CASES: list[dict[str, Any]] = tomllib.loads((HERE / "manifest.toml").read_text(encoding="utf-8"))["file"]

# a column of two units may be added up in either
IN_KG = {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237}


def name_of(case: dict[str, Any]) -> str:
    """Name a case by its file and the options given with it."""
    return " ".join([case["name"], *case.get("options", ())])


def fault_of(case: dict[str, Any], result: Result) -> str:
    """State how the result differs from what the manifest requires; nothing if it does not."""
    reported = result.stdout + result.stderr
    wanted = [*case.get("offers", ()), *case.get("says", ())]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return f"a traceback: {result.exception!r}"
    if (result.exit_code == 0) != (case["must"] == "read"):
        return f"exit code {result.exit_code}, must {case['must']}: {reported}"
    if missing := [words for words in wanted if words.lower() not in reported.lower()]:
        return f"{missing} not said: {reported}"
    return fault_of_numbers(case, json.loads(result.stdout)) if case["must"] == "read" else ""


def fault_of_numbers(case: dict[str, Any], report: dict[str, Any]) -> str:
    """Compare the mass, the unit and the centre of the root with those typed in the manifest."""
    root = next(item for item in report["items"] if item["id"] == report["root"])
    unit = report["units"]["mass"]
    faults = []
    if root["mass"] * IN_KG.get(unit, 0) != pytest.approx(case["mass"] * IN_KG[case["unit"]], rel=1e-9):
        faults.append(f"mass {root['mass']} {unit}, must be {case['mass']} {case['unit']}")
    if "centre" in case and root.get("center") != pytest.approx(case["centre"], rel=1e-9, abs=1e-9):
        faults.append(f"centre {root.get('center')}, must be {case['centre']}")
    moments = [root.get("inertia", {}).get(name) for name in ("Ixx", "Iyy", "Izz")]
    if "moments" in case and moments != pytest.approx(case["moments"], rel=1e-9):
        faults.append(f"moments {moments}, must be {case['moments']}")
    return "; ".join(faults)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_messy_table_is_read_right_or_rejected_with_its_remedy(case, massprops, tmp_path):
    table = shutil.copy(FILES / case["name"], tmp_path)
    fault = fault_of(case, massprops("rollup", table, "--format", "json", *case.get("options", ())))
    assert not fault, fault


@pytest.mark.parametrize("case", [case for case in CASES if "options" not in case], ids=name_of)
def test_layout_and_rule_codes_of_a_messy_table(case):
    try:
        printed = inspect(FILES / case["name"]).to_dict()
    except TableError as error:
        printed = {"findings": [finding.to_dict() for finding in error.findings]}
    assert printed.get("layout", "") == case["layout"]
    codes = {finding["rule"] for finding in printed["findings"]}
    assert codes - set(case.get("codes_also", ())) == set(case["codes"])


@pytest.mark.parametrize("golden", sorted(INSPECTED.iterdir()), ids=lambda path: path.stem)
def test_the_screen_of_inspect_is_the_golden_one(golden, massprops, tmp_path, monkeypatch):
    shutil.copy(FILES / golden.stem, tmp_path)
    monkeypatch.chdir(tmp_path)
    result = massprops("inspect", golden.stem)
    assert isinstance(result.exception, SystemExit | None)
    assert_golden(golden, result.stdout + result.stderr)


def test_every_file_is_in_the_manifest():
    names = [case["name"] for case in CASES if "options" not in case]
    assert sorted(names) == sorted(path.name for path in FILES.iterdir())
    assert {case["name"] for case in CASES} == set(names)
