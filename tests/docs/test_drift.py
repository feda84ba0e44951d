"""The page about drift shows what the tool gives."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "drift.md").read_text(encoding="utf-8")


def root_sigmas(method: str) -> dict[str, float]:
    """The sigmas of the satellite, by name."""
    result = mp.rollup(mp.read_bom(str(ROOT / "sample_data" / "spacecraft.csv")), uncertainty=method)
    root, rolled = result.root_item, result.rollup
    assert rolled.sigmas is not None
    assert rolled.sigmas.center is not None
    assert rolled.sigmas.inertia is not None
    assert rolled.sigma_radii is not None
    names = ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "kx", "ky", "kz"]
    kinds = (rolled.sigmas.mass[[root]], rolled.sigmas.center[root], rolled.sigmas.inertia[root])
    return dict(zip(names, np.concatenate([*kinds, rolled.sigma_radii[root]]).tolist(), strict=True))


def test_table_of_the_satellite() -> None:
    number = r"([\d.]+)"
    rows = re.findall(rf"^\| (\w+), \S+ \| {number} \| {number} \| {number} \| (\S+) % \|$", PAGE, re.MULTILINE)
    published, exact = root_sigmas("massprops"), root_sigmas("covariance")
    assert [name for name, *_ in rows] == list(exact)
    for name, by_paper, by_covariance, by_drawing, percent in rows:
        assert f"{published[name]:.{decimals(by_paper)}f}" == by_paper
        assert f"{exact[name]:.{decimals(by_covariance)}f}" == by_covariance
        assert float(by_drawing) == pytest.approx(exact[name], rel=0.01)
        assert round(100 * (published[name] / exact[name] - 1)) == int(percent.replace("−", "-"))


def decimals(number: str) -> int:
    """How many decimals a number is written with."""
    return len(number.partition(".")[2])


@pytest.fixture(scope="module")
def script() -> Any:
    pytest.importorskip("matplotlib", reason="pictures need Matplotlib, the extra plot")
    spec = importlib.util.spec_from_file_location("make_drift", ROOT / "docs" / "make_drift.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_picture_is_what_its_script_draws(script: Any, tmp_path: Path) -> None:
    script.draw(tmp_path / "drift.svg")
    # another version of Matplotlib draws letters otherwise, but as many dots
    ours, shipped = (
        (folder / "drift.svg").read_text(encoding="utf-8") for folder in (tmp_path, ROOT / "docs" / "internals")
    )
    assert ours.count("<use ") == pytest.approx(shipped.count("<use "), rel=0.05)


def test_ratios_are_those_of_the_published_example(script: Any, reference: Path) -> None:
    """The level-by-level sigma of TOP's Cx is 0.12748 and the exact one 0.1: 27.48 % too large."""
    bom = mp.read_bom(str(reference / "massprops_r" / "toy_pathdep.csv"))
    exact, published = mp.rollup(bom, "covariance"), mp.rollup(bom, "massprops")
    found = script._sigma_deviations(exact.rollup, published.rollup, np.array([bom.item("TOP")]), ("Cx", "Cy", "Cz"))
    assert found[0, 0] == pytest.approx(27.48, abs=0.005)


def test_quantities_without_sigma_have_no_ratio(script: Any) -> None:
    leaves = [{"id": name, "parent": "top", "mass": 1.0, "sigma_mass": 0.1} for name in "ab"]
    only = mp.rollup(mp.Bom.from_records([{"id": "top", "parent": ""}, *leaves]), "covariance").rollup
    assert script._sigma_deviations(only, only, np.array([0]), ("Cx", "Cy", "Cz")).shape == (0, 1)
    assert script._percent_range_text(np.array([np.nan])) == "unknown"


def test_percent_range_text(script: Any) -> None:
    assert tuple(script._percent_range_text(np.array(pair)) for pair in ([4.2, 7.9], [-0.001, 0.0], [-41.0, 3.0])) == (
        "+4 … +8 %",
        "0 %",
        "−41 … +3 %",
    )
