"""Parts of random trees: joined again they are the whole, and what is outside an aggregated set does not change."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli import (
    Bom,
    FindingsError,
    Result,
    TableError,
    UsageError,
    aggregate,
    assemble,
    contributions,
    partition,
    read_bom,
    rollup,
)
from tests.examples import first

TOLERANCE = 1e-12


def random_rows(seed: int, *, n: int = 24, counts: bool = True) -> list[dict[str, Any]]:
    """A table with ids in any order, points, quantities, groups, part numbers and all sigmas."""
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = [{"id": "N0", "parent": ""}]
    rows += [{"id": f"N{k}", "parent": f"N{rng.randrange(max(0, k - 6), k)}"} for k in range(1, n)]
    parents = {row["parent"] for row in rows}
    for row in rows:
        row["qty"] = rng.choice([1, 1, 1, 2, 3]) if counts and row["parent"] else ""
        if row["id"] in parents:
            continue
        row["part"] = rng.choice(["M6", "M8", ""])
        row["corr_group"] = rng.choice(["scale", "", "", ""])
        row["mass [kg]"] = rng.uniform(1, 5)
        row |= {f"C{axis} [mm]": rng.uniform(-900, 900) for axis in "xyz"}
        row |= {f"I{axes} [kg*mm^2]": rng.uniform(9, 12) for axes in ("xx", "yy", "zz")}
        row |= {f"I{axes} [kg*mm^2]": rng.uniform(-1, 1) for axes in ("xy", "xz", "yz")}
        row["POIconv"] = rng.choice("+-")
        row["Ipoint"] = rng.random() < 0.2
        row["sigma_mass [kg]"] = rng.uniform(0, 0.2)
        row |= {f"sigma_C{axis} [mm]": rng.uniform(0, 2) for axis in "xyz"}
        row |= {f"sigma_I{axes} [kg*mm^2]": rng.uniform(0, 1) for axes in ("xx", "yy", "zz", "xy", "xz", "yz")}
    rng.shuffle(rows)
    return rows


def largest_difference(result: Result, whole: Result, *, covariances: bool = True) -> tuple[int, float]:
    """The largest relative difference of all items that both have, and their number."""
    names = [name for name in result.bom.ids if whole.bom.find(name) is not None]
    worst = 0.0
    for name in names:
        i, k = result.bom.item(name), whole.bom.item(name)
        one, other = result.rollup.bodies, whole.rollup.bodies
        worst = max(worst, abs(one.mass[i] / other.mass[k] - 1))
        worst = max(worst, np.abs(one.center[i] - other.center[k]).max() / np.abs(other.center[k]).max())
        worst = max(worst, np.abs(one.inertia[i] - other.inertia[k]).max() / max(np.abs(other.inertia[k]).max(), 1e-9))
        if covariances and not result.bom.tree.is_leaf()[i]:
            expected = whole.rollup.covariance_of(k)
            scale = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
            gap = np.abs(result.rollup.covariance_of(i) - expected)
            worst = max(worst, float((gap / np.where(scale > 0, scale, 1.0)).max()))
    return len(names), worst


@pytest.mark.spread(2)
@pytest.mark.parametrize("correlate", ["none", "part", "all"])
@pytest.mark.parametrize("seed", first(range(6), 1))
def test_parts_joined_are_the_whole(seed: int, correlate: str, tmp_path: Path) -> None:
    bom = Bom.from_records(random_rows(seed))
    whole = rollup(bom, correlate=correlate, correlate_centers=correlate == "part")
    inner = [name for i, name in enumerate(bom.ids) if not bom.tree.is_leaf()[i] and bom.tree.parent[i] >= 0]
    for number, at in enumerate([[inner[seed % len(inner)]], []]):
        into = 0 if at else 4
        parts = partition(bom, at, into, correlate=correlate, correlate_centers=correlate == "part")
        files = parts.save(tmp_path / str(number))
        tables = [name for name in files if name.endswith(".csv")]
        (branches,) = (name for name in files if name.endswith(".branches.json"))
        for table in tables:  # each is read without options, and without a warning of its own
            read = read_bom(table, config=False)
            assert not read.has_errors
            rollup(read)
        joined = assemble(tables, correlate=correlate, correlate_centers=correlate == "part")
        assert largest_difference(joined, whole) == pytest.approx((len(bom), 0.0), abs=TOLERANCE)
        # the part with the root alone, all others represented by leaves with their covariances and groups
        top = next(
            name for name, part in zip(tables, parts.parts, strict=True) if bom.ids[bom.tree.order[0]] in part.tops
        )
        alone = assemble([top], branches)
        count, worst = largest_difference(alone, whole)
        assert worst < TOLERANCE
        assert count < len(bom)
        # a part without its file: reported, and the sigmas differ
        rough = assemble([top], correlate=correlate, correlate_centers=correlate == "part")
        assert [finding.rule for finding in rough.findings if finding.rule == "MP843"] == ["MP843"]
        assert largest_difference(rough, whole, covariances=False)[1] < TOLERANCE


@pytest.mark.parametrize("seed", first(range(12), 2))
def test_items_outside_an_aggregated_set_do_not_change(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    bom = Bom.from_records(random_rows(seed))
    for correlate in ("none", "part"):
        whole = rollup(bom, correlate=correlate)
        for nodes in (rng.sample(list(bom.ids), 2), rng.sample(list(bom.ids), 4)):
            made = aggregate(bom, nodes, closure=True, correlate=correlate)
            files = made.save(tmp_path / "new.csv")
            again = rollup(read_bom(files[0], config=False), correlate=correlate)
            assert not again.bom.has_errors
            outside = {name for name, inside in zip(bom.ids, made.members.tolist(), strict=True) if not inside}
            assert outside <= set(again.bom.ids)
            assert largest_difference(again, whole, covariances=False)[1] < TOLERANCE
            exact = assemble(
                [files[0]], files[1] if len(files) > 1 else "", correlate=None if len(files) > 1 else correlate
            )
            assert largest_difference(exact, whole)[1] < TOLERANCE
            assert not [finding for finding in exact.findings if finding.rule == "MP843"]


def test_a_collapsed_item_keeps_its_children_and_gets_a_leaf_of_its_own(tmp_path: Path) -> None:
    rows = [
        {"id": "TOP"},
        {"id": "A", "parent": "TOP", "qty": 2},
        {"id": "A.1", "parent": "A", "mass": 3.0, "qty": 1},
        {"id": "A.2", "parent": "A", "qty": 3},
        {"id": "A.2.1", "parent": "A.2", "mass": 5.0, "qty": 1},
        {"id": "B", "parent": "TOP", "mass": 7.0, "qty": 1},
    ]
    made = aggregate(Bom.from_records(rows), ["A", "B", "A.1"])
    assert (made.name, made.own_name, made.children) == ("A+B", "A+B/own", ("A.2", "A+B/own"))
    table = made.table.to_pylist()
    assert [(row["id"], row["parent"], row["qty"], row["mass"]) for row in table] == [
        ("TOP", None, None, None),
        ("A+B", "TOP", 1.0, None),
        ("A+B/own", "A+B", 1.0, 2 * 3.0 + 7.0),
        ("A.2", "A+B", 2 * 3.0, None),
        ("A.2.1", "A.2", 1.0, 5.0),
    ]


def test_a_set_without_children_becomes_a_leaf_and_one_without_leaves_an_assembly() -> None:
    rows = [
        {"id": "TOP"},
        {"id": "A", "parent": "TOP"},
        {"id": "A.1", "parent": "A", "mass": 3.0},
        {"id": "A.2", "parent": "A", "mass": 5.0},
    ]
    bom = Bom.from_records(rows)
    leaf = aggregate(bom, ["A", "A.1", "A.2"])
    assert (leaf.name, leaf.own_name, leaf.children) == ("A", "A", ())
    assert leaf.table.to_pylist()[1]["mass"] == 8.0
    assembly = aggregate(bom, ["TOP", "A"])
    assert (assembly.name, assembly.own_name, assembly.children) == ("TOP", "", ("A.1", "A.2"))
    assert [row["parent"] for row in assembly.table.to_pylist()] == [None, "TOP", "TOP"]


def test_parts_that_do_not_fit_are_rejected(tmp_path: Path) -> None:
    bom = Bom.from_records(random_rows(3))
    inner = next(name for i, name in enumerate(bom.ids) if not bom.tree.is_leaf()[i] and bom.tree.parent[i] >= 0)
    files = partition(bom, [inner]).save(tmp_path)
    tables = [name for name in files if name.endswith(".csv")]
    with pytest.raises(FindingsError, match="item is in two parts") as caught:
        assemble([*tables, tables[0]])
    assert {f.rule for f in caught.value.findings if f.severity.value == "error"} == {"MP844"}
    branches = next(name for name in files if name.endswith(".json"))
    content = json.loads(Path(branches).read_text())
    content["branches"][0]["mass"] *= 1.01
    Path(branches).write_text(json.dumps(content))
    top = next(name for name in tables if name.endswith(".P.csv"))
    with pytest.raises(FindingsError, match="other numbers than the leaf"):
        assemble([top], branches)
    del content["branches"][0]["covariance"]
    Path(branches).write_text(json.dumps(content))
    with pytest.raises(TableError, match="not a file of branches"):
        assemble([top], branches)
    with pytest.raises(UsageError, match="no parts"):
        assemble([])


def test_parts_without_a_common_tree_are_rejected() -> None:
    one = Bom.from_records([{"id": "A"}, {"id": "A.1", "parent": "A", "mass": 1.0}])
    other = Bom.from_records([{"id": "B"}, {"id": "B.1", "parent": "B", "mass": 1.0}])
    with pytest.raises(FindingsError, match="do not form one tree"):
        assemble([one, other])
    grams = Bom.from_records([{"id": "A.1"}, {"id": "x", "parent": "A.1", "mass [g]": 1.0}])
    with pytest.raises(FindingsError, match="different units"):
        assemble([one, grams])


def test_numbers_of_assemblies_are_not_divided() -> None:
    rows = [{"id": "TOP", "mass": 1.0}, {"id": "A", "parent": "TOP", "mass": 2.0}]
    bom = Bom.from_records(rows, assembly_values="own")
    with pytest.raises(UsageError, match="assembly-values"):
        partition(bom, ["A"]).table("P")


def test_contributions_reject_parts_of_which_there_is_only_a_sum(tmp_path: Path) -> None:
    bom = Bom.from_records(random_rows(0))
    inner = [name for i, name in enumerate(bom.ids) if not bom.tree.is_leaf()[i] and bom.tree.parent[i] >= 0]
    parts = partition(bom, [inner[0]])
    files = parts.save(tmp_path / "parts")
    tables = [name for name in files if name.endswith(".csv")]
    (branches,) = (name for name in files if name.endswith(".branches.json"))
    top = next(name for name, part in zip(tables, parts.parts, strict=True) if bom.ids[bom.tree.order[0]] in part.tops)
    with pytest.raises(UsageError, match=f"only a sum: {inner[0]}"):
        contributions(assemble([top], branches).bom)
