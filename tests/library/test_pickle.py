"""Tables and results are copied, pickled and sent to other processes with all that they can compute."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import massprops_cli as mp

HEADER = "id,parent,mass [kg],sigma_mass [kg]\n"
ROWS = HEADER + "SAT,,,\nBUS,SAT,,\nTANK,BUS,3,0.3\nPLD,SAT,5,0.4\n"
MASS, SIGMA = 8.0, 0.5
"""3 + 5 kg; √(0.3² + 0.4²) kg."""

Copy = Callable[[Any], Any]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: list[Copy] = [pickled, copy.deepcopy, copy.copy]


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


def from_csv(folder: Path) -> mp.Bom:
    return mp.read_bom(write(folder, "bom.csv", ROWS))


def from_large_csv(folder: Path) -> mp.Bom:
    filler = "".join(f"{k:09d}{'.' * 600},TANK,0.0001,0\n" for k in range(10_000))
    return mp.read_bom(
        write(folder, "large.csv", ROWS.replace("TANK,BUS,3", "TANK,BUS,") + filler + "LAST,TANK,2,0.3\n")
    )


def from_workbook(folder: Path) -> mp.Bom:
    path = folder / "bom.xlsx"
    pd.read_csv(write(folder, "bom.csv", ROWS)).to_excel(path, index=False)
    return mp.read_bom(path)


def from_parquet(folder: Path) -> mp.Bom:
    path = folder / "bom.parquet"
    pd.read_csv(write(folder, "bom.csv", ROWS)).to_parquet(path)
    return mp.read_bom(path)


def from_frame(folder: Path) -> mp.Bom:
    return mp.Bom.from_dataframe(pd.read_csv(write(folder, "bom.csv", ROWS)))


def from_branches(folder: Path) -> mp.Bom:
    one = write(folder, "one.csv", HEADER + "BUS,,,\nTANK,BUS,3,0.3\n")
    return mp.read_bom(
        one, combine="branch", make_root="SAT", more=[write(folder, "two.csv", HEADER + "PLD,,,\nP,PLD,5,0.4\n")]
    )


def from_joined_files(folder: Path) -> mp.Bom:
    tree = write(folder, "tree.csv", "id,parent\nSAT,\nTANK,SAT\nPLD,SAT\n")
    mass = write(folder, "mass.csv", "id,mass [kg],sigma_mass [kg]\nTANK,3,0.3\nPLD,5,0.4\n")
    return mp.read_bom(tree, combine="id", more=[mass])


SOURCES = [from_csv, from_large_csv, from_workbook, from_parquet, from_frame, from_branches, from_joined_files]


@pytest.fixture(scope="module", params=SOURCES)
def bom(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> mp.Bom:
    """Read the table of each kind once."""
    made: mp.Bom = request.param(tmp_path_factory.mktemp("source"))
    return made


@pytest.mark.parametrize("make_copy", COPIES)
def test_a_table_is_copied(bom: mp.Bom, make_copy: Copy) -> None:
    again = make_copy(bom)
    assert (list(again.ids), again.findings) == (list(bom.ids), bom.findings)
    assert again.table.row(1) == bom.table.row(1)
    root = mp.rollup(again).root
    assert (root.mass, root.sigma_mass) == (pytest.approx(MASS), pytest.approx(SIGMA))


@pytest.mark.parametrize("make_copy", COPIES)
def test_a_result_is_copied_with_what_it_has_computed(make_copy: Copy, tmp_path: Path) -> None:
    result = mp.rollup(from_csv(tmp_path), "montecarlo", samples=200, items=["BUS"], probability="mass <= 8 kg")
    computed = (result.assumptions, result.samples, result.probabilities, result.totals, result.stated_masses)
    again = make_copy(result)
    assert again.to_dict() == result.to_dict()
    assert (again.assumptions, again.totals, again.stated_masses) == (computed[0], computed[3], computed[4])
    assert again.root.sigma_mass == result.root.sigma_mass
    assert np.array_equal(again.principal.moments, result.principal.moments, equal_nan=True)


def test_tables_and_results_pass_between_spawned_processes(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result = pool.submit(mp.rollup, from_csv(tmp_path)).result()
    assert (result.root.mass, result.root.sigma_mass) == (MASS, pytest.approx(SIGMA))


@pytest.mark.parametrize("text", [ROWS.replace("3,0.3", "x,0.3"), "a,b\n1,2\n"])
def test_exceptions_keep_their_findings(text: str, tmp_path: Path) -> None:
    with pytest.raises(mp.MasspropsError) as raised:
        mp.rollup(mp.read_bom(write(tmp_path, "bom.csv", text)))
    assert raised.value.findings
    assert pickled(raised.value).findings == raised.value.findings
    assert mp.UsageError("wrong").findings == ()
