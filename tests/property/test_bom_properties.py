"""What holds for the roll-up of any table: twice is once, order and units do not matter, copies are a quantity."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.whatif import whatif
from massprops_cli.files.table import GridTable, TableSource, edited_row_texts
from massprops_cli.tables.options import TableOptions
from tests.examples import examples

NUMBERS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
SIGMAS = tuple(f"sigma_{name}" for name in NUMBERS)
HEADER = ("id", "parent", "qty", "Ipoint", "POIconv", *NUMBERS, *SIGMAS)
QUICK = settings(max_examples=examples(25), deadline=None)


@dataclass
class Drawn:
    """A random tree as rows of a table, by column name; blanks are None."""

    rows: list[dict[str, Any]]
    leaves: list[str] = field(default_factory=list)

    def bom(self, **options: Any) -> Bom:
        return Bom.from_records(self.rows, **options)

    def copy(self) -> Drawn:
        return Drawn([dict(row) for row in self.rows], self.leaves)

    def row(self, name: str) -> dict[str, Any]:
        return next(row for row in self.rows if row["id"] == name)


def body_of(rng: np.random.Generator, sign: str) -> dict[str, float]:
    """Make one body of five masses: its tensor is valid by construction; products in a sign convention."""
    masses, places = rng.uniform(0.1, 2, 5), rng.normal(0, 1, (5, 3))
    center = masses @ places / masses.sum()
    away = places - center
    tensor = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, away, strict=True))
    products = [tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    turn = -1.0 if sign == "+" else 1.0
    values = [masses.sum(), *(center + rng.uniform(-5, 5, 3)), *np.diag(tensor), *(turn * p for p in products)]
    return dict(zip(NUMBERS, map(float, values), strict=True))


@st.composite
def tables(draw: st.DrawFn, points: bool = True, quantities: bool = True) -> Drawn:
    """Draw a tree with bodies on its leaves; assemblies are blank but for their sign convention."""
    n = draw(st.integers(2, 14))
    parents = [-1, *(draw(st.integers(0, i - 1)) for i in range(1, n))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = []
    for i in range(n):
        row: dict[str, Any] = dict.fromkeys(HEADER)
        row |= {"id": f"p{i}", "parent": f"p{parents[i]}" if i else None, "POIconv": "+-"[int(rng.integers(2))]}
        if quantities:
            row["qty"] = int(rng.integers(1, 4)) if i else 1
        if i not in parents:
            row |= body_of(rng, row["POIconv"]) | {"Ipoint": bool(points and rng.random() < 0.3)}
            row |= dict(zip(SIGMAS, rng.uniform(0.001, 0.01, 10).tolist(), strict=True))
            if row["Ipoint"]:
                row |= dict.fromkeys((*NUMBERS[4:], *SIGMAS[4:]))
        rows.append(row)
    return Drawn(rows, [f"p{i}" for i in range(n) if i not in parents])


def numbers(bom: Bom) -> dict[str, Any]:
    """Give what a roll-up states of every item, by id: mass, centre, tensor, sigmas."""
    result = rollup(bom)
    rolled, sigmas = result.rollup.bodies, result.rollup.sigmas
    assert rolled.center is not None
    assert rolled.inertia is not None
    assert sigmas is not None
    assert sigmas.center is not None
    assert sigmas.inertia is not None
    arrays = (rolled.mass[:, None], rolled.center, rolled.inertia, sigmas.mass[:, None], sigmas.center, sigmas.inertia)
    return {name: [array[i] for array in arrays] for i, name in enumerate(bom.ids)}


def assert_same(one: list[Any], other: list[Any], tolerance: float = 1e-11) -> None:
    """Compare two items: each kind of number against the size of its largest entry (centres: of the frame, 10)."""
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        size = max(float(np.abs(a).max()), float(np.abs(b).max()), 10.0 if k == 1 else 0.0)
        assert np.abs(a - b).max() <= tolerance * size, (k, a, b)


def table_of(drawn: Drawn) -> GridTable:
    rows = [list(HEADER), *([row[name] for name in HEADER] for row in drawn.rows)]
    return GridTable(TableSource("t", "csv"), rows)


ADDS = st.sampled_from([(), ("radii",), ("radii", "sigma", "principal", "coverage")])
OWN = TableOptions(assembly_values="own")


@QUICK
@given(tables(), ADDS)
def test_twice_is_once(drawn: Drawn, add: tuple[str, ...]) -> None:
    """Roll up, fill in, read back, roll up: the same cells, and no new findings."""
    first = rollup(Bom.from_table(table_of(drawn)))
    once = edited_row_texts(first.bom.table, first.filling(add))
    second = rollup(Bom.from_table(GridTable(TableSource("t", "csv"), once)))
    assert edited_row_texts(second.bom.table, second.filling()) == once
    assert edited_row_texts(second.bom.table, second.filling(add)) == once
    assert [f.rule for f in second.findings] == [f.rule for f in first.findings]


@QUICK
@given(tables(points=False), st.data())
def test_twice_is_once_next_to_own_numbers(drawn: Drawn, data: st.DataObject) -> None:
    inner = [row["id"] for row in drawn.rows if row["id"] not in drawn.leaves]
    rng = np.random.default_rng(5)
    for name in data.draw(st.sets(st.sampled_from(inner), min_size=1)):
        row = drawn.row(name)
        row |= body_of(rng, row["POIconv"]) | dict(zip(SIGMAS, rng.uniform(0.001, 0.01, 10).tolist(), strict=True))
    first = rollup(Bom.from_table(table_of(drawn), OWN))
    once = edited_row_texts(first.bom.table, first.filling())
    second = rollup(Bom.from_table(GridTable(TableSource("t", "csv"), once), OWN))
    assert edited_row_texts(second.bom.table, second.filling()) == once


@QUICK
@given(tables(points=False), st.data())
def test_own_numbers_are_a_leaf_next_to_the_children(drawn: Drawn, data: st.DataObject) -> None:
    inner = [row["id"] for row in drawn.rows if row["id"] not in drawn.leaves]
    rng = np.random.default_rng(6)
    explicit = drawn.copy()
    for name in data.draw(st.sets(st.sampled_from(inner), min_size=1)):
        row = drawn.row(name)
        own = body_of(rng, row["POIconv"]) | dict(zip(SIGMAS, rng.uniform(0.001, 0.01, 10).tolist(), strict=True))
        row |= own
        leaf = dict.fromkeys(HEADER) | {"id": f"{name} (own)", "parent": name, "POIconv": row["POIconv"]}
        explicit.rows.append(leaf | own | {"qty": 1, "Ipoint": False})
    expected, found = numbers(explicit.bom()), numbers(drawn.bom(assembly_values="own"))
    assert expected.keys() == found.keys()
    for name, item in expected.items():
        assert_same(found[name], item)


@QUICK
@given(tables(), st.data())
def test_order_of_rows_does_not_matter(drawn: Drawn, data: st.DataObject) -> None:
    shuffled = Drawn(data.draw(st.permutations(drawn.rows)))
    expected, found = numbers(drawn.bom()), numbers(shuffled.bom())
    for name, item in expected.items():
        assert_same(found[name], item)


@QUICK
@given(tables(), st.tuples(*[st.integers(-100, 100)] * 3))
def test_moving_commutes(drawn: Drawn, by: tuple[int, int, int]) -> None:
    """Shift the frame: centres shift with it, and nothing else changes."""
    moved = drawn.copy()
    for row in moved.rows:
        for axis, step in zip(("Cx", "Cy", "Cz"), by, strict=True):
            row[axis] = None if row[axis] is None else row[axis] + step
    expected, found = numbers(drawn.bom()), numbers(moved.bom())
    for name, item in expected.items():
        item[1] = item[1] + np.array(by)
        # what was rounded when the cells were shifted
        assert_same(found[name], item, tolerance=1e-9)


@QUICK
@given(tables(points=False), st.sampled_from([("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")]), st.booleans())
def test_rotating_commutes(drawn: Drawn, axes: tuple[str, str, str], half_turn: bool) -> None:
    """Turn the axes into one another, and by half a turn about x: every total turns with the parts."""
    sign = {"x": 1, "y": -1, "z": -1} if half_turn else {"x": 1, "y": 1, "z": 1}

    def turned(row: dict[str, Any]) -> dict[str, Any]:
        new = dict(row)
        for to, of in zip("xyz", axes, strict=True):
            for prefix in ("", "sigma_"):
                value = row[f"{prefix}C{of}"]
                new[f"{prefix}C{to}"] = value if prefix or value is None else sign[to] * value
                new[f"{prefix}I{to}{to}"] = row[f"{prefix}I{of}{of}"]
        for a, b in ("xy", "xz", "yz"):
            of = "".join(sorted(axes["xyz".index(a)] + axes["xyz".index(b)]))
            value = row[f"I{of}"]
            new[f"I{a}{b}"] = None if value is None else sign[a] * sign[b] * value
            new[f"sigma_I{a}{b}"] = row[f"sigma_I{of}"]
        return new

    found = rollup(Drawn([turned(row) for row in drawn.rows]).bom()).to_dict()["items"]
    for item, before in zip(found, rollup(drawn.bom()).to_dict()["items"], strict=True):
        flat = {f"C{a}": v for a, v in zip("xyz", before["center"], strict=True)} | before["inertia"]
        flat |= {f"sigma_C{a}": v for a, v in zip("xyz", before["sigma_center"], strict=True)}
        flat |= {f"sigma_{name}": v for name, v in before["sigma_inertia"].items()}
        new = turned(flat)
        assert item["center"] == pytest.approx([new[f"C{a}"] for a in "xyz"], rel=1e-11, abs=1e-11)
        assert item["inertia"] == pytest.approx({n: new[n] for n in NUMBERS[4:]}, rel=1e-11, abs=1e-10)
        assert item["sigma_inertia"] == pytest.approx({n: new[f"sigma_{n}"] for n in NUMBERS[4:]}, rel=1e-11)


@QUICK
@given(tables())
def test_units_commute(drawn: Drawn) -> None:
    """The same bodies in lb and in, given in kg and mm."""
    pound, inch = 0.45359237, 25.4
    per = {"mass": pound, "C": inch, "I": pound * inch**2}
    british = drawn.copy()
    for row in british.rows:
        for name in (*NUMBERS, *SIGMAS):
            base = name.removeprefix("sigma_")
            if row[name] is not None:
                row[name] = row[name] / per["mass" if base == "mass" else base[0]]
    metric = rollup(drawn.bom())
    found = rollup(british.bom(unit={"mass": "lb", "length": "in", "inertia": "lb*in^2"}, units="kg,mm"))
    assert found.bom.units.mass == "kg"
    for a, b in zip(found.to_dict()["items"], metric.to_dict()["items"], strict=True):
        assert a["mass"] == pytest.approx(b["mass"], rel=1e-12)
        assert a["center"] == pytest.approx(b["center"], rel=1e-11, abs=1e-11)
        assert a["inertia"] == pytest.approx(b["inertia"], rel=1e-10, abs=1e-10)
        assert a["sigma_inertia"] == pytest.approx(b["sigma_inertia"], rel=1e-10, nan_ok=True)


@QUICK
@given(tables(points=False))
def test_a_quantity_is_as_many_copies(drawn: Drawn) -> None:
    """Each leaf of quantity n, written n times; independent pieces, so that variances add up as well."""
    copies = Drawn([])
    for row in drawn.rows:
        if row["id"] not in drawn.leaves:
            copies.rows.append(row)
            continue
        copies.rows += [row | {"id": f"{row['id']}-{k}", "qty": 1} for k in range(row["qty"])]
    expected, found = numbers(copies.bom()), numbers(drawn.bom())
    for name, item in found.items():
        if name not in drawn.leaves:
            assert_same(item, expected[name])


@QUICK
@given(tables(), st.data())
def test_what_if_is_an_edited_table(drawn: Drawn, data: st.DataObject) -> None:
    leaves = st.sampled_from(drawn.leaves)
    set_ = {f"{data.draw(leaves)}.mass": 2.25, f"{data.draw(leaves)}.Cy": -3.5, f"{data.draw(leaves)}.qty": 5}
    any_item = st.sampled_from([row["id"] for row in drawn.rows])
    scaled = data.draw(any_item)
    dropped = data.draw(st.sampled_from([row["id"] for row in drawn.rows[1:]]))
    change = whatif(drawn.bom(), set=set_, scale={f"{scaled}.mass": 1.5}, drop=[dropped])
    edited = drawn.copy()
    for name, value in set_.items():
        item, _, quantity = name.rpartition(".")
        edited.row(item)[quantity] = value
    bom = drawn.bom()
    below = {bom.ids[i] for i in bom.tree.leaves(bom.item(scaled)).tolist()}
    for row in edited.rows:
        if row["id"] in below:
            for name in ("mass", *NUMBERS[4:], "sigma_mass", *SIGMAS[4:]):
                row[name] = None if row[name] is None else row[name] * 1.5
    edited.row(dropped)["qty"] = 0
    after = rollup(edited.bom(), keep_going=True)
    for k, name in enumerate(change.ids):
        body, expected = change.after(k), after[name]
        if after.rollup.coverage.rows[after.bom.item(name)] == 0:
            assert body.mass != body.mass or body.mass == 0
            continue
        assert body.mass == pytest.approx(expected.mass, rel=1e-12)
        assert np.allclose(body.center, expected.center, rtol=0, atol=1e-10)
        assert np.allclose(body.inertia, expected.inertia, rtol=0, atol=1e-10 * np.abs(expected.inertia).max() + 1e-14)
        assert np.allclose(body.sigma_inertia, expected.sigma_inertia, rtol=1e-10, atol=1e-14)


def csv_text(drawn: Drawn) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([["" if row[n] is None else row[n] for n in HEADER] for row in drawn.rows])
    return out.getvalue()


@settings(max_examples=examples(8), deadline=None)
@given(tables())
def test_every_door_gives_the_same(tmp_path_factory: pytest.TempPathFactory, drawn: Drawn) -> None:
    """A csv, a DataFrame and records; the library's dictionary and the command line's JSON."""
    import pandas as pd
    from typer.testing import CliRunner

    from massprops_cli.cli.app import app

    path: Path = tmp_path_factory.mktemp("doors") / "bom.csv"
    path.write_text(csv_text(drawn), encoding="utf-8")
    of_file = rollup(mp.read_bom(path))
    arguments = ["rollup", str(path), "--format", "json", "-o", str(path.with_name("out.csv"))]
    ran = CliRunner().invoke(app, arguments)
    printed = json.loads(ran.stdout)
    assert printed == json.loads(json.dumps(of_file.to_dict()))
    frame = pd.read_csv(path, dtype=str)  # versions before 3 do not read all digits of numbers
    frame = frame.apply(lambda one: one if one.name in ("id", "parent", "Ipoint", "POIconv") else one.astype(float))
    of_frame = rollup(Bom.from_dataframe(frame))
    of_records = rollup(drawn.bom())
    assert of_frame.to_dict()["items"] == of_file.to_dict()["items"] == of_records.to_dict()["items"]
    twice = [argument.replace("out.csv", "twice.csv").replace("bom.csv", "out.csv") for argument in arguments]
    assert CliRunner().invoke(app, twice).exit_code == ran.exit_code == 0
    assert path.with_name("twice.csv").read_bytes() == path.with_name("out.csv").read_bytes()
    again = mp.rollup(mp.read_bom(path.with_name("out.csv")))
    assert again.to_dict()["items"] == of_file.to_dict()["items"]
