"""Arguments of a wrong type or size raise UsageError; those of NumPy are like those of Python."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops as mp

ROWS: list[dict[str, Any]] = [
    {"id": "SAT", "parent": ""},
    {"id": "A", "parent": "SAT", "mass [kg]": 1.1, "sigma_mass [kg]": 0.1},
    {"id": "B", "parent": "SAT", "mass [kg]": 2.2, "sigma_mass [kg]": 0.1},
]


@pytest.fixture(scope="module")
def bom() -> mp.Bom:
    return mp.Bom.from_records(ROWS)


@pytest.fixture(scope="module")
def result(bom: mp.Bom) -> mp.Result:
    return mp.rollup(bom)


BODY = mp.Body(2.0, np.array([1.0, 2.0, 3.0]), np.eye(3), 0.1, np.full(3, 0.1), np.full((3, 3), 0.1))
ARRAY = mp.BodyArray.of([1.0, 2.0], np.zeros((2, 3)), np.tile(np.eye(3), (2, 1, 1)))
VECTORS: list[Any] = [1, [1], [0, 0], "cg", "1 m", None, [0, 0, np.nan], [0, 0, np.inf], ["a", 0, 0], np.zeros((3, 3))]


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("method", ["about", "sigma_about", "translated", "spatial", "parameters"])
def test_points_of_a_body(method: str, vector: Any) -> None:
    with pytest.raises(mp.UsageError, match="is not a vector of three finite numbers"):
        getattr(BODY, method)(vector)


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("method", ["translated", "spatial", "parameters"])
def test_points_of_bodies(method: str, vector: Any) -> None:
    with pytest.raises(mp.UsageError, match="is not a vector of three finite numbers"):
        getattr(ARRAY, method)(vector)


def test_points_for_each_body() -> None:
    assert ARRAY.translated([[1.0, 0, 0], [2.0, 0, 0]]).center[:, 0].tolist() == [1, 2]
    assert ARRAY.translated((1, 0, 0)).center[:, 0].tolist() == [1, 1]


@pytest.mark.parametrize("one", [BODY, ARRAY])
@pytest.mark.parametrize(
    "call",
    [
        lambda one: one + 1,
        lambda one: one - "x",
        lambda one: 1 + one,
        lambda one: one.merged(3),
        lambda one: one.merged(one, 3),
        lambda one: one.merged(3, mp.Poses.from_rpy([[0, 0, 0]], [[0, 0, 0]], "deg")),
        lambda one: one.transformed("x"),
    ],
)
def test_bodies_are_joined_with_bodies(one: Any, call: Callable[[Any], object]) -> None:
    with pytest.raises((mp.UsageError, TypeError)):
        call(one)


def test_tensors_are_symmetric() -> None:
    with pytest.raises(mp.UsageError, match="tensor of body 0 is not symmetric"):
        mp.BodyArray.of(1, [0, 0, 0], [[1, 2, 3], [0, 1, 0], [0, 0, 1]])
    rounded = np.array([[1, 0.1, 0], [0.1 + 1e-9, 1, 0], [0, 0, 1]])
    assert mp.BodyArray.of(1, [0, 0, 0], rounded).inertia[0, 3] == 0.1
    assert np.isnan(mp.BodyArray.of(1, [0, 0, 0], np.full((3, 3), np.nan)).inertia).all()


@pytest.mark.parametrize("kind", [np.int64, np.uint8, int])
def test_integers_of_numpy(bom: mp.Bom, result: mp.Result, kind: type, tmp_path: Path) -> None:
    drawn = mp.rollup(bom, "montecarlo", samples=kind(100), seed=kind(7))
    assert drawn.root.sigma_mass == mp.rollup(bom, "montecarlo", samples=100, seed=7).root.sigma_mass
    assert result.to_dict(sigma_level=kind(2)) == result.to_dict(sigma_level=2)
    result.save(tmp_path / "out.csv", sigma_level=kind(2))


@pytest.mark.parametrize("level", [0, -1, 4, 2.5, "2", True, None])
def test_levels_of_sigma(result: mp.Result, level: Any, tmp_path: Path) -> None:
    with pytest.raises(mp.UsageError, match="sigma_level is not an integer from 1 to 3"):
        result.to_dict(sigma_level=level)
    with pytest.raises(mp.UsageError, match="sigma_level is not an integer from 1 to 3"):
        result.save(tmp_path / "out.csv", sigma_level=level)


@pytest.mark.parametrize("top", [0, -1, 2.5, "3", None])
def test_numbers_of_bars(result: mp.Result, top: Any) -> None:
    for draw in (result.plot.bars, result.plot.pareto, result.plot.center):
        with pytest.raises(mp.UsageError, match="top is not an integer of 1 or more"):
            draw(top=top)
    with pytest.raises(mp.UsageError, match="levels is not an integer of 1 or more"):
        result.plot.tree(levels=top)


def test_groups_of_columns(result: mp.Result) -> None:
    for wrong in (None, 3):
        with pytest.raises(mp.UsageError, match="add is not a text or a list of texts"):
            result.to_dataframe(add=wrong)  # type: ignore[arg-type] # a wrong type


def test_nearest_material() -> None:
    with pytest.raises(mp.UsageError, match="nearest is alumin"):
        mp.find_material("alu")


def test_files_that_cannot_be_read(tmp_path: Path, bom: mp.Bom) -> None:
    path = tmp_path / "bom.xlsx"
    mp.rollup(bom).save(path)
    with path.open(encoding="utf-8") as text, pytest.raises(mp.TableError, match="open it with the mode 'rb'"):
        mp.rollup(text)
    file = io.BytesIO(path.read_bytes())
    file.close()
    with pytest.raises(mp.TableError, match="closed file"):
        mp.rollup(file)


def test_no_change(bom: mp.Bom) -> None:
    with pytest.raises(mp.UsageError, match="no change is stated: set, scale, drop, add or move"):
        mp.whatif(bom)


def test_short_texts_of_results(bom: mp.Bom) -> None:
    changed = mp.Bom.from_records([*ROWS[:2], {**ROWS[2], "mass [kg]": 2.5}])
    assert repr(mp.inspect(bom)).startswith("<Inspection of records: parent, 4 columns read, 0 not read; 0 findings>")
    assert repr(mp.diff(bom, changed).whole) == "<ChangeBreakdown of 3 lines: mass +0.3>"
    assert repr(mp.whatif(bom, set={"A.mass": 1.2})).endswith("mass of SAT 3.3 → 3.4>")
