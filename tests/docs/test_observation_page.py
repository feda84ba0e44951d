"""The page about singular values shows what the cases of its script give."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "mechanisms_numerical.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> Any:
    pytest.importorskip("flint", reason="variable precision needs python-flint, the extra mechanism")
    spec = importlib.util.spec_from_file_location("make_observation", ROOT / "docs" / "make_observation.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results(script: Any) -> dict[str, Any]:
    """The cases in double precision."""
    return script.case_results(digits=False)


@pytest.fixture(scope="module")
def all_results(script: Any, results: dict[str, Any]) -> dict[str, Any]:
    """With the case of forty digits, which takes seconds."""
    return script.case_results()


def compare_rows(results: dict[str, Any]) -> None:
    """Compare the rows of the table with cases."""
    rows = re.findall(
        r"^\| ([^|]*\S) +\| [^|]*\| (\S+) \| (\S+) after (\d+) \| (\w+) \| ([^|]*)\|$", PAGE, re.MULTILINE
    )
    assert len(rows) == 4
    assert [name for name, *_ in rows][: len(results)] == list(results)
    for name, ratio, largest, place, count, deviation in rows[: len(results)]:
        compare_row(results[name], name, ratio, largest, place, count, deviation)


def compare_row(found: Any, name: str, ratio: str, largest: str, place: str, count: str, deviation: str) -> None:
    if found.ratio > 2:  # others are ratios of rounding errors, whose largest is anywhere
        assert float(ratio) == pytest.approx(found.ratio, rel=0.5), name
        assert (int(place), float(largest)) == (found.largest[0], pytest.approx(found.largest[1], rel=0.5)), name
    else:
        assert max(float(ratio), float(largest), found.largest[1]) < 100, name
    assert count == ("rejected" if found.count is None else str(found.count)), name
    if found.deviation is not None:
        assert float(deviation) == pytest.approx(found.deviation, rel=5, abs=1e-15), name


@pytest.mark.slow
def test_table_of_the_published_cases(results: dict[str, Any]) -> None:
    compare_rows(results)


@pytest.mark.slow
def test_table_with_forty_digits(all_results: dict[str, Any]) -> None:
    compare_rows(all_results)
    precise = list(all_results.values())[3]
    assert precise.count == 41
    assert precise.deviation < 1e-15


@pytest.mark.slow
def test_three_statements(results: dict[str, Any]) -> None:
    double, loose, half = results.values()
    assert double.count == 41
    assert 1e-6 < double.deviation < 1e-4
    assert loose.count is None
    assert half.count is None
    assert max(loose.ratio, half.ratio) < 100
    assert loose.largest[0] == 44
    assert 1e-7 < loose.observation.residual <= 1e-6
    assert max(double.observation.residual, half.observation.residual) < 1e-15


@pytest.mark.slow
def test_picture_is_what_its_script_draws(script: Any, all_results: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need Matplotlib, the extra plot")
    script.draw(tmp_path / "observation.svg", all_results)
    ours, shipped = (
        (folder / "observation.svg").read_text(encoding="utf-8") for folder in (tmp_path, ROOT / "docs" / "internals")
    )
    assert ours.count("<use ") == pytest.approx(shipped.count("<use "), rel=0.05)
