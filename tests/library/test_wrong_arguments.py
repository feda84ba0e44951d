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
    with pytest.raises(mp.UsageError, match="no change is stated: set, scale, drop, new or move"):
        mp.whatif(bom)


def test_short_texts_of_results(bom: mp.Bom) -> None:
    changed = mp.Bom.from_records([*ROWS[:2], {**ROWS[2], "mass [kg]": 2.5}])
    assert repr(mp.inspect(bom)).startswith("<Inspection of records: parent, 4 columns read, 0 not read; 0 findings>")
    assert repr(mp.diff(bom, changed).whole) == "<ChangeBreakdown of 3 lines: mass +0.3>"
    assert repr(mp.whatif(bom, set={"A.mass": 1.2})).endswith("mass of SAT 3.3 → 3.4>")


UNCERTAIN = mp.Bom.from_records([*ROWS, {"id": "C", "parent": "SAT", "mass [kg]": 1.0, "sigma_mass [kg]": 0.1}])
WRONG_TYPES: dict[str, tuple[Callable[[Any], object], list[Any]]] = {
    "progress": (lambda x: mp.rollup(UNCERTAIN, "montecarlo", samples=100, progress=x), [5, "zz", [1], True]),
    "config": (lambda x: mp.Bom.from_records(ROWS, config=x), [5, [1], b"x", np.nan, True]),
    "sigma_percent": (lambda x: mp.Bom.from_records(ROWS, sigma_percent=x), [{1: 2}, {"a": "b"}, {"a": -1}, [1]]),
    "sigma_level": (lambda x: mp.Bom.from_records(ROWS, sigma_level=x), [0, 4, 5, 1.5, "2", True]),
    "add": (lambda x: mp.whatif(UNCERTAIN, add=x), [None, 5, b"x"]),
    "assembly": (lambda x: mp.whatif(UNCERTAIN, drop=["A"]).after(x), [1.5, None, True, 7, -1, "A"]),
    "weighed": (lambda x: mp.contributions(UNCERTAIN).weighed(x), [1.5, "a", -1, None, True]),
    "rows": (lambda x: list(mp.contributions(UNCERTAIN).rows(x)), [1.5, "a", -1, True]),
    "pareto": (lambda x: list(mp.mass_pareto(UNCERTAIN).rows(x)), [1.5, "a", -1, True]),
    "partition": (lambda x: mp.partition(UNCERTAIN, x), [5, None, [5]]),
    "aggregate": (lambda x: mp.aggregate(UNCERTAIN, x), [5, None, [5]]),
    "assemble": (mp.assemble, [5, None, "a.csv"]),
    "shape": (lambda x: mp.solids(x, {"r": 1}, density=1), [5, None, b"x"]),
    "dims": (lambda x: mp.solids("sphere", x, density=1), [5, None, [1], {"r": "a"}]),
    "text": (mp.parse_dims, [5, None, b"x", [1]]),
    "material": (mp.find_material, [5, None, b"x", [1]]),
    "materials": (mp.read_materials, [5, b"x", [1], True]),
    "rotation": (mp.rollup(UNCERTAIN).root.rotated, ["a", None, {}]),
    "mass": (lambda x: mp.BodyArray.of(x, [0, 0, 0], np.eye(3)), ["", {}]),
    "parameters": (lambda x: mp.Body.from_parameters(x, [0, 0, 0]), ["a", {}, [1, 2]]),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_arguments_of_a_wrong_type(name: str) -> None:
    call, values = WRONG_TYPES[name]
    for value in values:
        with pytest.raises(mp.UsageError):
            call(value)


def test_options_that_the_command_rejects(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("id,parent,mass [kg],sigma_mass\nSAT,,,\nA,SAT,3,0.1\n")
    for name, value in (("sheet", "X"), ("sheet", "1"), ("materials", "zz"), ("growth_table", "zz")):
        with pytest.raises(mp.UsageError, match=f"--sheet|{value}"):
            mp.read_bom(path, **{name: value})  # type: ignore[arg-type] # a TypedDict
    mp.rollup(path).save(tmp_path / "b.xlsx")
    with pytest.raises(mp.UsageError, match="columns requires a text table"):
        mp.read_bom(tmp_path / "b.xlsx", columns=["id", "mass"])
    assert len(mp.read_bom(tmp_path / "b.xlsx", sheet="1")) == 2
