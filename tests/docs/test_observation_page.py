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
    return script.case_results()


def test_table_of_the_published_cases(results: dict[str, Any]) -> None:
    rows = re.findall(
        r"^\| ([^|]*\S) +\| [^|]*\| (\S+) \| (\S+) after (\d+) \| (\w+) \| ([^|]*)\|$", PAGE, re.MULTILINE
    )
    assert [name for name, *_ in rows] == list(results)
    for name, ratio, largest, place, count, deviation in rows:
        found = results[name]
        if found.ratio > 2:  # others are ratios of rounding errors, whose largest is anywhere
            assert float(ratio) == pytest.approx(found.ratio, rel=0.5), name
            assert (int(place), float(largest)) == (found.largest[0], pytest.approx(found.largest[1], rel=0.5)), name
        else:
            assert max(float(ratio), float(largest), found.largest[1]) < 100, name
        assert count == ("rejected" if found.count is None else str(found.count)), name
        if found.deviation is not None:
            assert float(deviation) == pytest.approx(found.deviation, rel=5, abs=1e-15), name


def test_four_statements(results: dict[str, Any]) -> None:
    double, loose, half, precise = results.values()
    assert double.count == precise.count == 41
    assert 1e-6 < double.deviation < 1e-4
    assert loose.count is None
    assert half.count is None
    assert max(loose.ratio, half.ratio) < 100
    assert loose.largest[0] == 44
    assert precise.deviation < 1e-15
    assert 1e-7 < loose.observation.residual <= 1e-6
    assert max(double.observation.residual, half.observation.residual) < 1e-15


def test_picture_is_what_its_script_draws(script: Any, results: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need Matplotlib, the extra plot")
    script.draw(tmp_path / "observation.svg", results)
    ours, shipped = (
        (folder / "observation.svg").read_text(encoding="utf-8") for folder in (tmp_path, ROOT / "docs" / "internals")
    )
    assert ours.count("<use ") == pytest.approx(shipped.count("<use "), rel=0.05)
