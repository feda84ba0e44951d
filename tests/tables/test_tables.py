"""Every table gives what ``manifest.toml`` states: the numbers of the root, the exit code, the findings, the layout."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.bom.inspection import inspect
from massprops_cli.findings.finding import TableError
from tests.golden_files import GOLDEN, assert_golden
from tests.tables.cell_sums import disagreements
from tests.tables.manifest import CASES, FOLDER, FOLDERS, TRAP_FILES, name_of

INSPECTED = GOLDEN / "inspect_tables"
AXES = ("Cx", "Cy", "Cz")
MOMENTS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
REL = 1e-12
Case = dict[str, Any]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_table(case: Case, massprops: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = Path(shutil.copy(FOLDER / case["file"], tmp_path)).name
    arguments = ["rollup", table, *case.get("options", ())]
    if case.get("runs", 1) == 2 and (rejected := massprops(*arguments)).exit_code != 0:
        arguments = next_command(rejected)
    result = massprops(*arguments, "--format", "json")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in exit_codes(case), result.output
    written = [path.name for path in tmp_path.iterdir() if path.name != table]
    assert bool(written) == (result.exit_code == 0 or case.get("written", False))
    check_output(case, result)
    if result.stdout.startswith("{"):
        check_report(case, json.loads(result.stdout), result.exit_code)
    else:
        assert "mass" not in case
    if "codes" in case:
        check_inspection(case)


def exit_codes(case: Case) -> set[int]:
    """Return the exit codes that are right."""
    return set(case["exit"]) if isinstance(case["exit"], list) else {case["exit"]}


def next_command(result: Any) -> list[str]:
    """Return the first command below ``next:`` of a rejection as entered, split as a shell does."""
    below = result.output.partition("\nnext: ")[2]
    line = next(line for line in below.splitlines() if "massprops " in line)
    return shlex.split(line[line.index("massprops ") :])[1:]


def check_output(case: Case, result: Any) -> None:
    """Check the texts that must be printed; a rejection prints an error with its code."""
    missing = [text for text in case.get("prints", ()) if text.lower() not in result.output.lower()]
    assert not missing, result.output
    if result.exit_code != 0:
        assert '"severity": "error"' in result.output


def check_report(case: Case, report: dict[str, Any], exit_code: int) -> None:
    """Check the numbers of the root, the stated totals and the findings."""
    root = next((item for item in report.get("items", ()) if item["parent"] is None), {})
    check_findings(case, report)
    if root.get("mass") is None:
        assert "mass" not in case or (case.get("or_question") and exit_code != 0)
        return
    if "mass" not in case:
        assert exit_code != 0 or "readings" not in case
        assert root["mass"] in [pytest.approx(mass, rel=REL) for mass in case.get("readings", [root["mass"]])]
        return
    assert root["mass"] == pytest.approx(case["mass"], rel=REL)
    assert report["units"]["mass"] == case.get("unit", "")
    assert root["coverage"].get("mass_lower_bound", False) == case.get("lower_bound", False)
    check_growth(case, report, root)
    check_center_and_inertia(case, report, root)
    totals = [one for one in report.get("reconciliation", ()) if one["kind"] in ("total", "subtotal")]
    assert [one["label"] for one in totals if not one["agrees"]] == case.get("disagrees", [])


def check_growth(case: Case, report: dict[str, Any], root: dict[str, Any]) -> None:
    if "predicted" in case:
        assert root["predicted_mass"] == pytest.approx(case["predicted"], rel=REL)
    if "predicted_total" in case:  # a margin in a row of its own
        agreed = [one["computed"] for one in report["reconciliation"] if one["agrees"]]
        assert pytest.approx(case["predicted_total"], rel=REL) in agreed


def check_center_and_inertia(case: Case, report: dict[str, Any], root: dict[str, Any]) -> None:
    """Compare what the case states; coordinates that are not known are left out."""
    center = root.get("center", [None] * 3)
    if "center" in case:
        assert [value for value in center if value is not None] == pytest.approx(case["center"], rel=REL, abs=1e-12)
    if "length" in case:
        assert report["units"]["length"] == case["length"]
    for name, value in case.get("coordinates", {}).items():
        assert center[AXES.index(name)] == pytest.approx(value, rel=REL, abs=1e-12)
    if "inertia" in case:
        names = MOMENTS[: len(case["inertia"])]
        assert [root["inertia"][name] for name in names] == pytest.approx(case["inertia"], rel=REL)


def check_findings(case: Case, report: dict[str, Any]) -> None:
    """Compare all findings of the rules that the case names."""
    for rule, texts in case.get("findings", {}).items():
        found = [finding for finding in report["findings"] if finding["rule"] == rule]
        assert len(found) == len(texts), found
        for finding, text in zip(found, texts, strict=True):
            assert text in " ".join(finding.get(key, "") for key in ("message", "item", "remedy"))
    contradicted = {finding["rule"] for finding in report["findings"]} & {"MP415"}
    assert contradicted <= set(case.get("findings", {}))


@cache
def inspected(file: str) -> dict[str, Any]:
    """Inspect a file, once for all of its cases."""
    try:
        return inspect(FOLDER / file).to_dict()
    except TableError as error:
        return {"findings": [finding.to_dict() for finding in error.findings]}


def check_inspection(case: Case) -> None:
    """Check the layout and the rule codes that ``inspect`` reports."""
    printed = inspected(case["file"])
    assert printed.get("layout", "") == case["layout"]
    codes = {finding["rule"] for finding in printed["findings"]}
    assert codes - set(case.get("codes_also", ())) == set(case["codes"])


@pytest.mark.parametrize("case", [case for case in CASES if "cells" in case or "reading_cells" in case], ids=name_of)
def test_numbers_of_the_manifest_are_sums_of_cells(case: Case) -> None:
    assert disagreements(FOLDER / case["file"], case) == []


def test_every_file_is_in_the_manifest() -> None:
    listed = sorted({case["file"] for case in CASES})
    assert listed == sorted(f"{name}/{path.name}" for name in FOLDERS for path in (FOLDER / name).iterdir())
    assert len({name_of(case) for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.get("intent") or case.get("traps"), case["file"]
        assert case.get("source", FOLDERS[case["file"].partition("/")[0]]["source"])


@pytest.mark.parametrize("golden", sorted(INSPECTED.iterdir()), ids=lambda path: path.stem)
def test_screen_of_inspect_is_the_golden_one(
    golden: Path, massprops: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(TRAP_FILES / golden.stem, tmp_path)
    monkeypatch.chdir(tmp_path)
    result = massprops("validate", golden.stem)
    assert isinstance(result.exception, SystemExit | None)
    assert_golden(golden, result.stdout + result.stderr)
