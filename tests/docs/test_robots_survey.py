"""The survey of robots is what its script counts, and its examples have the numbers of the files."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "robots_survey.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("make_robots_survey", ROOT / "docs" / "make_robots_survey.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_counts_of_a_robot(script: Any, tmp_path: Path) -> None:
    """The sample robot has one fault of each kind that its page names; a second file has no inertial."""
    folder = tmp_path / "walker_description" / "urdf"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "sample_data" / "robot" / "walker.urdf", folder)
    (folder / "frame.urdf").write_text("<robot name='frame'><link name='base'/></robot>")
    text = script.text(tmp_path)
    (row,) = re.findall(r"^\| walker: .*$", text, re.MULTILINE)
    heads = re.findall(r"^\| robot \|.*$", text, re.MULTILINE)[0].split("|")
    cells = dict(zip((head.strip() for head in heads), (cell.strip() for cell in row.split("|")), strict=True))
    assert {name for name, cell in cells.items() if cell == "1"} == {
        "impossible", "placeholder", "products", "centre", "density",
    }  # fmt: skip
    assert cells["links"] == "6"
    assert float(cells["mass, kg"]) == pytest.approx(6 + 0.2 + 2 * 1.5 + 0.8 + 800)
    assert "`frame.urdf` is not read: robot has no link with an inertial." in text
    assert "in 1 of 1 files (1 links)" in text


def test_page_is_of_the_script(script: Any) -> None:
    assert script.EXAMPLES in PAGE
    assert f"| robot | links | mass, kg | {' | '.join(script.COLUMNS)} |" in PAGE
    rows = re.findall(r"^\| \w+: `\S+` .*$", PAGE, re.MULTILINE)
    number = int(re.findall(r": (\d+) files", PAGE)[0])
    assert len(rows) + PAGE.count("is not read") == number
    impossible = [row.split("|")[4 + list(script.COLUMNS).index("impossible")].strip() for row in rows]
    total = sum(int(cell or 0) for cell in impossible)
    assert f"are in {sum(map(bool, impossible))} of {len(rows)} files ({total} links)" in PAGE


def test_tensor_of_the_first_example() -> None:
    """The principal moments of the page exclude a body: 7.2659 is more than 2.30064 + 3.48527."""
    first, second, third = (float(text) for text in re.findall(r"([\d.]+) · 10⁻⁶", PAGE)[:3])
    assert third / (first + second) == pytest.approx(1.25, abs=0.01)
    (total,) = re.findall(r"the sum of the others,\s([\d.]+) · 10⁻⁶", PAGE)
    assert float(total) == pytest.approx(first + second, rel=1e-12)


def test_mirror_of_the_second_example() -> None:
    mirror = np.diag([1, -1, 1])
    tensor = np.array([[1, 2, 3], [2, 1, 4], [3, 4, 1]])
    signs = (mirror @ tensor @ mirror) / tensor
    assert (signs[0, 1], signs[1, 2], signs[0, 2]) == (-1, -1, 1)
    assert "changes the signs of ixy and iyz" in PAGE
