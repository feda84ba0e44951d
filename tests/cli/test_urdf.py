"""URDF files on the command line: found by content, rolled up, drawn, compared and converted."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ARM = Path(__file__).parents[1] / "importers" / "urdf_two_link_arm.urdf"
Run = Callable[..., Any]


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    return Path(shutil.copy(ARM, tmp_path / "arm.urdf"))


def test_rollup_writes_a_csv_that_reads_back(massprops: Run, arm: Path) -> None:
    assert massprops("rollup", arm).exit_code == 0
    written = arm.with_name("arm.urdf.rollup.csv")
    rows = {row["id"]: row for row in csv.DictReader(written.read_text(encoding="utf-8").splitlines())}
    # 4 + 3 + 1.2 kg; y = (3·0.5 + 1.2·1)/8.2
    assert float(rows["base"]["mass [kg]"]) == pytest.approx(8.2)
    assert float(rows["base"]["Cy [m]"]) == pytest.approx(2.7 / 8.2)
    # cells of an assembly are in the frame of its link: the rod of the forearm is along its own x
    assert float(rows["forearm"]["Cx [m]"]) == pytest.approx(0.25)
    again = json.loads(massprops("rollup", written, "--format", "json", "-o", written.with_name("b.csv")).stdout)
    top = next(item for item in again["items"] if item["id"] == "base")
    assert top["mass"] == pytest.approx(8.2)


def test_content_counts_and_the_option_names_the_format(massprops: Run, arm: Path) -> None:
    other = arm.rename(arm.with_name("arm.xml"))
    assert massprops("validate", other).exit_code == 0
    piped = massprops("validate", "-", "--from", "urdf", stdin=ARM.read_bytes())
    assert piped.exit_code == 0, piped.output
    assert massprops("validate", "-", stdin=ARM.read_bytes()).exit_code == 0


def test_tree_has_the_links_and_their_bodies(massprops: Run, arm: Path) -> None:
    shown = massprops("tree", arm).output
    assert [line.split("─")[-1].split()[0] for line in shown.splitlines()[2:8]] == [
        "base/body", "upper_arm", "upper_arm/body", "forearm", "forearm/body", "tool0",
    ]  # fmt: skip


def test_budget_of_a_robot(massprops: Run, arm: Path) -> None:
    budget = arm.with_name("budget.toml")
    for limit, code in (("8.3 kg", 0), ("8.1 kg", 1)):
        budget.write_text(f'[[budget]]\nitem = "base"\nmass-max = "{limit}"\n')
        checked = massprops("check", arm, "--budget", budget)
        assert (checked.exit_code, "MP601" in checked.output) == (code, bool(code)), checked.output


def test_workbook_of_a_robot_has_the_same_result(massprops: Run, arm: Path) -> None:
    book = arm.with_suffix(".xlsx")
    assert massprops("convert", arm, "-o", book).exit_code == 0
    compared = massprops("diff", arm, book)
    assert compared.exit_code == 0
    assert "no item changed" in compared.output
    arm.write_text(ARM.read_text().replace('<mass value="1.2"/>', '<mass value="1.5"/>'))
    changed = massprops("diff", book, arm, "--format", "json")
    assert "forearm/body" in changed.output


def test_findings_name_the_line_and_the_exit_code_is_1(massprops: Run, arm: Path) -> None:
    arm.write_text(ARM.read_text().replace('<child link="forearm"/>', '<child link="forarm"/>'))
    result = massprops("validate", arm)
    assert result.exit_code != 0
    assert f"{arm}:29" in result.output
    assert "the nearest is forearm" in result.output


def test_suffix_without_a_robot_is_rejected(massprops: Run, tmp_path: Path) -> None:
    for text, rule in (("id,parent,mass\na,,1\n", "MP"), ("<sdf/>", "version of SDF is not stated"), ("", "MP")):
        (tmp_path / "a.urdf").write_text(text)
        result = massprops("validate", tmp_path / "a.urdf")
        assert "internal error" not in result.output
        assert rule in result.output, result.output
