"""What ``massprops.toml`` states of sigmas: percentages by method, and how many standard deviations numbers are."""

from __future__ import annotations

from pathlib import Path

import pytest

from massprops_cli.bom.settings import read_settings
from massprops_cli.findings.finding import ConfigError


def settings(folder: Path, text: str) -> object:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(str(folder / "bom.csv"), str(path))


def test_percentages_and_level(tmp_path: Path) -> None:
    (tmp_path / "massprops.toml").write_text("[sigma-percent]\nestimated = 20\nquoted = 3\n", encoding="utf-8")
    (tmp_path / "own.toml").write_text("[sigma-percent]\nestimated = 15\n[read]\nsigmas-are = 2\n", encoding="utf-8")
    read = read_settings(str(tmp_path / "bom.csv"), str(tmp_path / "own.toml"))
    assert read.sigma_percent == {"estimated": 15, "quoted": 3}
    assert read.read["sigmas-are"] == "2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[sigma-percent]\nestimatd = 10", "unknown method: sigma-percent.estimatd; the nearest is estimated"),
        ("[sigma-percent]\nestimated = '10'", "sigma-percent.estimated is not a percentage: '10'"),
        ("[sigma-percent]\nestimated = -1", "expected 0 or more"),
        ("[sigma-percent]\nestimated = inf", "is not a percentage"),
        ("[sigma-percent]\nestimated = true", "is not a percentage"),
        ("[sigma_percent]\nestimated = 10", "unknown key: sigma_percent; the nearest is sigma-percent"),
        ("sigma-percent = 10", "sigma-percent is not a table"),
        ("[read]\nsigmas-are = 4", "invalid read.sigmas-are: 4"),
        ("[read]\nsigma-are = 2", "the nearest is sigmas-are"),
    ],
)
def test_rejected(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("(", r"\(")):
        settings(tmp_path, text)


def test_percent_as_a_unit(tmp_path: Path) -> None:
    settings(tmp_path, "[units]\nsigma_mass = '%'\n")
    with pytest.raises(ConfigError, match=r"units\.mass is not a unit of mass: %"):
        settings(tmp_path, "[units]\nmass = '%'\n")


@pytest.mark.parametrize("word", ["E", "Estimated", "as weighed", "quoted"])
def test_taken(tmp_path: Path, word: str) -> None:
    settings(tmp_path, f"[sigma-percent]\n'{word}' = 10\n")
