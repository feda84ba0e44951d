"""Functions of the library read the configuration of a table as the commands do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.cli.app import app

CONFIGURATION = """
[columns]
id = "Pos."
parent = "Teil von"
[units]
mass = "lb"
[[budget]]
item = "SAT"
mass-max = "8 lb"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "massprops.toml").write_text(CONFIGURATION, "utf-8")
    (tmp_path / "a.csv").write_text("Pos.,Teil von,mass\nSAT,,\nTANK,SAT,3\nPLD,SAT,5\n", "utf-8")
    (tmp_path / "b.csv").write_text("Pos.,Teil von,mass\nSAT,,\nTANK,SAT,4\nPLD,SAT,5\n", "utf-8")
    return tmp_path


def reported(*words: str) -> dict:
    run = CliRunner().invoke(app, [*words, "--format", "json"])
    return json.loads(run.stdout)


def test_rollup(folder: Path) -> None:
    result = mp.rollup(folder / "a.csv")
    assert (result.root.mass, result.bom.units.mass) == (8.0, "lb")
    with (folder / "a.csv").open("rb") as file:
        assert mp.rollup(file).bom.units.mass == "lb"


def test_diff(folder: Path) -> None:
    found = mp.diff(str(folder / "a.csv"), str(folder / "b.csv"))
    assert [(row.id, row.mass) for row in found.rows()] == [("TANK", (3.0, 4.0))]
    printed = reported("diff", str(folder / "a.csv"), str(folder / "b.csv"))
    assert (printed["units"]["mass"], printed["total"]) == ("lb", found.to_dict()["total"])


def test_check(folder: Path) -> None:
    assert mp.check(folder / "a.csv").is_kept
    outcome = mp.check(mp.rollup(folder / "b.csv"))
    assert [verdict.message for verdict in outcome.verdicts] == ["SAT: predicted mass 9 lb is above 8 lb by 1 lb"]
    extra = folder / "more.toml"
    extra.write_text('[[budget]]\nitem = "TANK"\nmass-max = "3.5 lb"\n', "utf-8")
    assert [one.item for one in mp.check(mp.read_bom(folder / "b.csv", config=extra)).verdicts] == ["TANK"]


def test_check_without_a_budget(folder: Path) -> None:
    rows = [{"id": "SAT", "parent": ""}, {"id": "A", "parent": "SAT", "mass": 1.0}]
    with pytest.raises(
        mp.ConfigError,
        match=r"no budget is given; name its file \(budget, --budget\), or add \[\[budget\]\] to massprops\.toml",
    ):
        mp.check(mp.Bom.from_records(rows))
    bom = mp.read_bom(folder / "a.csv", config=False, map={"id": "Pos.", "parent": "Teil von"})
    with pytest.raises(mp.ConfigError, match="no budget is given"):
        mp.check(bom)
