"""The page about robots in CI shows the sample robot, and the steps of its workflow do what the page states."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "sample_data" / "robot"
WORKFLOW = (PROJECT / ".github" / "workflows" / "robot-inertias.yml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "howto" / "robot_in_ci.md").read_text(encoding="utf-8")
FAULTS = ["MP404", "MP422", "MP713", "MP881", "MP882", "MP883"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def steps() -> list[list[str]]:
    """The arguments of massprops in the steps of the workflow."""
    return [shlex.split(line)[1:] for line in re.findall(r"run: (massprops .+)", WORKFLOW)]


def test_page_has_the_files_of_the_project() -> None:
    budget = tomllib.loads((PROJECT / "robot_budget.toml").read_text(encoding="utf-8"))
    assert [tomllib.loads(block) for block in blocks("toml")] == [budget]
    assert "(../../sample_data/robot/.github/workflows/robot-inertias.yml)" in PAGE


def test_faults_of_the_sample_are_those_of_the_page() -> None:
    found = sorted(finding.rule for finding in mp.read_bom(PROJECT / "walker.urdf").findings)
    assert found == FAULTS
    table = PAGE.partition("| finding |")[2].partition("\n\n")[0]
    assert sorted(set(re.findall(r"\[(MP\d+)\]", table))) == FAULTS


def test_corrected_robot_by_hand() -> None:
    """6 kg, 0.2 kg at x = 0.08 m, two thighs of 1.5 kg at x = 0.004 m, two shins of 0.8 kg."""
    bom = mp.read_bom(PROJECT / "walker_corrected.urdf")
    assert list(bom.findings) == []
    root = mp.rollup(bom).root
    mass = 6 + 0.2 + 2 * (1.5 + 0.8)
    assert root.mass == pytest.approx(mass, rel=1e-15)
    z = (6 * 0.12 + 0.2 * 0.28 - 2 * 1.5 * 0.13 - 2 * 0.8 * 0.44) / mass
    assert list(root.center) == pytest.approx([(0.2 * 0.08 + 2 * 1.5 * 0.004) / mass, 0, z], abs=1e-15)


@pytest.mark.parametrize(("name", "codes"), [("walker.urdf", [1, 1]), ("walker_corrected.urdf", [0, 0])])
def test_steps_of_the_workflow(
    name: str, codes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]
) -> None:
    shutil.copy(PROJECT / name, tmp_path / "robot.urdf")
    shutil.copy(PROJECT / "robot_budget.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    results = [massprops(*arguments) for arguments in steps()]
    assert [result.exit_code for result in results] == codes
    lines = {
        re.search(r"title=(MP\d+)", line)[1]: int(re.search(r",line=(\d+)", line)[1])  # type: ignore[index] # every line matches
        for line in results[0].stdout.splitlines()
        if line.startswith("::")
    }
    source = (tmp_path / "robot.urdf").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == (FAULTS if codes[0] else [])
    assert all("<inertial>" in source[line - 1] for line in lines.values())
