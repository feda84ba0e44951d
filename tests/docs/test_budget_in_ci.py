"""The page about budgets in CI shows the sample project, and the project's workflow does what the page states."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import massprops_cli as mp
from tests.warm import warm_words

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "sample_data" / "budget"
WORKFLOW = PROJECT / ".github" / "workflows" / "weight-budget.yml"
PAGE = (ROOT / "docs" / "howto" / "budget_in_ci.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout of the sample project, and the tool's command on the path next to it."""
    shutil.copytree(PROJECT, tmp_path / "project")
    command = tmp_path / "bin" / "massprops"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {warm_words()} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path / "project"


def run_step(script: str, project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the runner does: its own shell, which ends at the first command that fails."""
    path = f"{project.parent / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=project,
        env={
            **os.environ,
            "PATH": path,
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
            "CI": "true",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def steps_of(workflow: str) -> list[str]:
    return [line for line in re.findall(r"^ +(?:- )?run: (.+)$", workflow, re.MULTILINE) if "pip install" not in line]


def test_page_links_to_the_files_of_the_project() -> None:
    linked = {(ROOT / "docs" / "howto" / target).resolve() for target in re.findall(r"\]\((\S+?\.yml)\)", PAGE)}
    assert linked == {WORKFLOW, PROJECT / ".gitlab-ci.yml"}


def test_budgets_of_the_page_are_in_the_project() -> None:
    budget = tomllib.loads((PROJECT / "budget.toml").read_text(encoding="utf-8"))
    for block in blocks("toml"):
        for name, entries in tomllib.loads(block).items():
            for entry in entries:
                assert any(entry.items() <= each.items() for each in budget[name]), entry


def test_hook_of_the_page(project: Path) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (block,) = (block for block in blocks("yaml") if "hooks:" in block)
    (name,) = re.findall(r"- id: (\S+)", block)
    (entry,) = re.findall(rf"- id: {name}\n(?:  .*\n)*?  entry: (.+)\n", hooks)
    (arguments,) = re.findall(r"args: \[(.+)\]", block)
    line = f"{entry} {arguments.replace(',', '')}"
    assert run_step(line, project).returncode == 0
    shutil.copy(project / "bom_rev_b.csv", project / "bom.csv")
    done = run_step(line, project)
    assert done.returncode == 1
    assert "MP601" in done.stdout
    (version,) = re.findall(r"rev: v(\S+)", block)
    assert version == mp.__version__


def test_masses_of_the_project_by_hand() -> None:
    first, second = (mp.rollup(mp.read_bom(str(PROJECT / name))) for name in ("bom.csv", "bom_rev_b.csv"))
    structure, power, attitude, radio = 585 + 4 * 92, 505 + 151 + 4 * 128, 3 * 137 + 196, 94 + 83
    assert first["SAT"].mass == pytest.approx(structure + power + attitude + radio + 685 + 211 + 165)
    assert second["SAT"].mass - first["SAT"].mass == pytest.approx((742 - 685) + 4 * (131 - 128))
    assert second["PLD"].mass == pytest.approx(742 + 211)
    grown = 585 + 4 * 92 * 1.08, 505 + 151 * 1.05 + 4 * 128 * 1.05, 3 * 137 + 196 * 1.05, 94 * 1.05 + 83
    predicted = first.predicted.bodies.mass[first.root_item]
    assert predicted == pytest.approx(sum(grown) + 685 * 1.12 + 211 * 1.15 + 165 * 1.20)
    (over,) = re.findall(r"PLD: predicted mass (\S+) g is above 1020 g", PAGE)
    assert float(over) == pytest.approx(742 * 1.08 + 211 * 1.15)


def test_the_step_passes_the_first_revision(project: Path) -> None:
    (script,) = steps_of(WORKFLOW.read_text(encoding="utf-8"))
    summary = project.parent / "summary.md"
    done = run_step(script, project, GITHUB_STEP_SUMMARY=str(summary), GITHUB_ACTIONS="true")
    assert (done.returncode, done.stderr) == (0, "")
    assert "::error" not in done.stdout
    assert summary.read_text(encoding="utf-8").startswith("### ✔ `bom.csv`: 14 of 15 limits kept")


def test_the_step_stops_the_second_revision(project: Path) -> None:
    shutil.copy(project / "bom_rev_b.csv", project / "bom.csv")
    (script,) = steps_of(WORKFLOW.read_text(encoding="utf-8"))
    summary = project.parent / "summary.md"
    done = run_step(script, project, GITHUB_STEP_SUMMARY=str(summary), GITHUB_ACTIONS="true")
    assert (done.returncode, done.stderr) == (1, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("::error file=bom.csv,line=16,title=MP601 mass-over-limit::PLD: ")
    assert not any(line.startswith("::error") for line in rest)
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("### ✘ `bom.csv`: 13 of 15 limits kept, 1 error")
    assert "| PLD Camera |" in text


def test_the_step_does_not_pass_over_a_budget_it_cannot_read(project: Path) -> None:
    with (project / "budget.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[budget]]\nitem = "COM"\nmas-max = "1 kg"\n')
    (script,) = steps_of(WORKFLOW.read_text(encoding="utf-8"))
    done = run_step(script, project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "mass-max" in done.stderr


def test_the_job_of_gitlab(project: Path) -> None:
    job = (PROJECT / ".gitlab-ci.yml").read_text(encoding="utf-8")
    (script,) = re.findall(r"^    - (massprops .+)$", job, re.MULTILINE)
    assert run_step(script, project).returncode == 0
    for name in re.findall(r"^      (?:codequality|junit): (\S+)$", job, re.MULTILINE):
        assert (project / name).stat().st_size > 0
    shutil.copy(project / "bom_rev_b.csv", project / "bom.csv")
    done = run_step(script, project)
    assert done.returncode == 1
    assert "MP601" in done.stdout
    assert "mass-over-limit" in (project / "code-quality.json").read_text(encoding="utf-8")


def test_screen_of_the_page_is_what_the_tool_prints(project: Path) -> None:
    done = run_step("massprops check bom_rev_b.csv --budget budget.toml", project)
    (shown,) = re.findall(r"(?:^    .*\n)+", PAGE.partition("## The pipeline")[0].replace("```", ""), re.MULTILINE)
    for line in shown.splitlines():
        assert line.removeprefix("    ") in done.stdout
