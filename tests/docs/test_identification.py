"""The page about identification: the table, the fit within its covariance, and the missing cable."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "identification.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The variables of the script of the page, after its run in a folder with its files."""
    folder = tmp_path_factory.mktemp("identification")
    for name in ("arm.json", "links.csv", "identification.py"):
        assert f"`{name}`" in PAGE or f"[{name}]" in PAGE
        shutil.copy(ROOT / "sample_data" / name, folder)
    names: dict[str, Any] = {"__name__": "example"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile((folder / "identification.py").read_text("utf-8"), "identification.py", "exec"), names)
    return names


def test_roll_up_of_the_table_is_the_mechanism(example: dict[str, Any]) -> None:
    bodies = json.loads((ROOT / "sample_data" / "arm.json").read_text(encoding="utf-8"))["bodies"]
    for stated, rolled in zip(bodies, example["design"].bodies, strict=True):
        assert float(rolled.mass) == pytest.approx(float(stated["mass"]))
        assert [float(x) for x in rolled.center] == pytest.approx([float(x) for x in stated["c"]], abs=1e-12)
        assert [float(x) for x in rolled.inertia] == pytest.approx([float(x) for x in stated["I"]], abs=1e-12)


def distances(example: dict[str, Any], fits: Any, mechanism: mp.Mechanism) -> Any:
    """χ² of the base parameters of a mechanism, for each row of fits."""
    differences = fits - np.array(list(mp.base_parameters(mechanism).parameter_values().values()))
    return np.einsum("...i,...i", differences, np.linalg.solve(example["C"], differences.T).T)


def test_fit_recovers_the_machine_within_its_covariance(example: dict[str, Any]) -> None:
    """χ² of 24 parameters has mean 24 and variance 48; the sum of 50 fits 1200 ± 49."""
    clean = example["forces"](example["built"], example["observation"])
    W, sigma, chance = example["W"], example["SIGMA"], np.random.default_rng(7)
    assert W.shape[1] == 24
    fits = (clean + chance.normal(0, sigma, (50, len(W)))) @ np.linalg.pinv(W).T
    assert abs(distances(example, fits, example["built"]).sum() - 1200) < 4 * 49


def test_page_quotes_both_distances(example: dict[str, Any]) -> None:
    quoted = dict(re.findall(r"^ {4}(design|built) ([\d.]+)$", PAGE, re.MULTILINE))
    for name in ("design", "built"):
        assert float(quoted[name]) == pytest.approx(distances(example, example["fit"], example[name]), abs=0.1)
    assert float(quoted["design"]) > 100 * 24 > 24 + 4 * 7 > float(quoted["built"])


def test_cable_is_seen_in_the_first_moment_of_the_upper_link(example: dict[str, Any]) -> None:
    place = example["names"].index("mx_upper")
    assert example["base"].combinations()["mx_upper"] == {"m_lower": 0.5}
    mass = (example["fit"][place] - 2.75) / 0.5
    sigma = example["C"][place, place] ** 0.5 / 0.5
    assert abs(mass - 0.25) < 4 * sigma < 0.1


def test_values_need_masses() -> None:
    joint = {"type": "S", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0]}
    pendulum = json.dumps({"gravity": [0, 0, 0], "bodies": [{"id": 1}], "joints": [joint]})
    with pytest.raises(mp.UsageError, match="bodies state no mass: 1"):
        mp.base_parameters(mp.read_mechanism(pendulum.encode())).parameter_values()
