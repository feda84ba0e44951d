"""A condition is the table with other cells: of random tables, against a table that is read from the edited text."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import massprops_cli as mp
from tests.examples import examples

TENSOR = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
TEN = ("mass", "Cx", "Cy", "Cz", *TENSOR)
Row = dict[str, Any]


@st.composite
def tables(draw: Any) -> list[Row]:
    """A tree of three levels, some sigmas in percent."""

    def number(low: float, high: float) -> float:
        return draw(st.integers(round(low * 64), round(high * 64))) / 64

    rows: list[Row] = [{"id": "top", "parent": ""}]
    rows += [{"id": name, "parent": above, "qty": draw(st.integers(1, 3))} for name, above in BRANCHES.items()]
    for k in range(draw(st.integers(4, 9))):
        a, b, c = (number(0.5, 9) for _ in "abc")
        row: Row = {"id": f"P{k}", "parent": draw(st.sampled_from(["top", *BRANCHES])), "qty": draw(st.integers(0, 3))}
        row |= {"mass": number(0.5, 30), "Cx": number(-4, 4), "Cy": number(-4, 4), "Cz": number(-4, 4)}
        row |= {"Ixx": b + c, "Iyy": a + c, "Izz": a + b, "Ixy": 0.0, "Ixz": 0.0, "Iyz": 0.0}
        row |= {f"sigma_{name}": number(0, 0.5) for name in TEN}
        row["sigma_mass"] = draw(st.sampled_from(["5 %", "0.25", "12.5 %"]))
        rows.append(row | {"kind": draw(st.sampled_from(["fuel", "dry"]))})
    # no branch is empty, and something has mass
    rows += [leaf_of(rows[-1], f"Q{k}", name) for k, name in enumerate(["top", *BRANCHES])]
    return rows


BRANCHES = {"G0": "top", "G1": "top", "H": "G0"}


def leaf_of(row: Row, name: str, parent: str) -> Row:
    return {**row, "id": name, "parent": parent, "qty": 1, "kind": "dry"}


def read(rows: list[Row]) -> mp.Bom:
    """Read rows from the text of a csv file."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    units = {"mass": "kg", **{f"C{a}": "m" for a in "xyz"}, **dict.fromkeys(TENSOR, "kg m2")}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([f"{n} [{units[n]}]" if n in units else n for n in names])
    writer.writerows([[row.get(name, "") for name in names] for row in rows])
    return mp.read_bom(io.StringIO(text.getvalue()), poi="-", qty_is="per-parent")


def edited(rows: list[Row], changes: dict[str, Any]) -> list[Row]:
    """Make the changes of a condition in the cells of a table."""
    found = {row["id"]: dict(row) for row in rows}
    for text in changes.get("set", ()):
        name, value = text.split("=")
        item, quantity = name.split(".")
        found[item][quantity] = float(value)
    for text in changes.get("scale", ()):
        name, factor = text.split("=")
        for row in found.values():
            if name.removesuffix(".mass") in path(found, row["id"]) and "mass" in row:
                for key in ("mass", *TENSOR, *(f"sigma_{one}" for one in TENSOR), "sigma_mass"):
                    if "%" not in str(row[key]):
                        row[key] = repr(float(row[key]) * float(factor))
    for key, count in (("off", 0), ("on", 1)):
        for text in changes.get(key, ()):
            for row in found.values():
                if row["id"] == text or (text == "where kind = fuel" and row.get("kind") == "fuel"):
                    row["qty"] = count if key == "off" else (row["qty"] or 1)
    return list(found.values())


def path(found: dict[str, Row], name: str) -> list[str]:
    above = [name]
    while found[above[-1]]["parent"]:
        above.append(found[above[-1]]["parent"])
    return above


@st.composite
def changes_of(draw: Any, rows: list[Row]) -> dict[str, Any]:
    """Changes of leaves and branches."""
    leaves = [row["id"] for row in rows if "mass" in row]
    changes: dict[str, Any] = {}
    number = st.integers(32, 1920).map(lambda n: n / 64)
    if draw(st.booleans()):
        cells = draw(
            st.lists(
                st.tuples(st.sampled_from(leaves), st.sampled_from(["mass", "Cx", "qty"])), unique=True, max_size=4
            )
        )
        values = [draw(st.integers(0, 4)) if quantity == "qty" else draw(number) for _, quantity in cells]
        changes["set"] = [f"{item}.{quantity}={value}" for (item, quantity), value in zip(cells, values, strict=True)]
    if draw(st.booleans()):
        changes["scale"] = [
            f"{draw(st.sampled_from(['top', 'G0', *leaves]))}.mass={draw(st.sampled_from([0.5, 1.25, 3.0]))}"
        ]
    texts = ["where kind = fuel"] * any(row.get("kind") == "fuel" for row in rows) + ["G1", "H"]
    if draw(st.booleans()):
        changes["off"] = [draw(st.sampled_from([*texts, *(name for name in leaves if name != "Q0")]))]
    return changes


def assert_same(result: mp.Result, wanted: mp.Result) -> None:
    """Compare every assembly, sigmas included, to 1e-12 of the largest number of its kind."""
    assert result.bom.ids == wanted.bom.ids
    inner = ~wanted.bom.tree.is_leaf()
    for mine, other in ((result.rollup.bodies, wanted.rollup.bodies), (result.rollup.sigmas, wanted.rollup.sigmas)):
        for name in ("mass", "center", "inertia"):
            one, two = getattr(mine, name)[inner], getattr(other, name)[inner]
            np.testing.assert_allclose(one, two, rtol=0, atol=1e-12 * max(1.0, float(np.nanmax(np.abs(two)))))


@settings(max_examples=examples(500), deadline=None)
@given(st.data())
def test_conditions_equal_the_edited_table(data: Any) -> None:
    rows = data.draw(tables())
    first, second = (data.draw(changes_of(rows)) for _ in "ab")
    bom = read(rows)
    assert not bom.has_errors, bom.findings
    given_conditions: dict[str, Any] = {"one": first, "two": second, "three": {"base": "one", "scale": ["G1.mass=2"]}}
    if first.get("off"):
        given_conditions["four"] = {"base": "one", "on": first["off"]}
    texts = {"one": edited(rows, first), "two": edited(rows, second)}
    texts["three"] = edited(texts["one"], {"scale": ["G1.mass=2"]})
    if first.get("off"):
        before = {row["id"]: row["qty"] for row in edited(rows, {**first, "off": []}) if "qty" in row}
        texts["four"] = [
            {**row, "qty": before[row["id"]] or 1} if is_off(row, first["off"][0]) else row for row in texts["one"]
        ]
        if not any(is_off(row, first["off"][0]) and before[row["id"]] for row in texts["one"]):
            return  # an item that the table has off already is a finding
    if any(
        is_off(row, text) and row["qty"] == 0 and text[0] != "w"
        for one in (first, second)
        for text in one.get("off", ())
        for row in edited(rows, {**one, "off": []})
        if "qty" in row
    ):
        with pytest.raises(mp.FindingsError, match="off already"):
            mp.conditions(bom, given_conditions)
        return
    answer = mp.conditions(bom, given_conditions)
    for k, (name, text) in enumerate(texts.items()):
        wanted = mp.rollup(read(text))
        assert_same(answer[name], wanted)
        root = wanted.root
        values = [root.mass, *root.center, *root.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]]
        sigmas = [root.sigma_mass, *root.sigma_center, *root.sigma_inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]]
        for mine, other in ((answer.totals.values[k], values), (answer.totals.sigmas[k], sigmas)):
            for columns in (slice(0, 1), slice(1, 4), slice(4, 10)):
                scale = max(1.0, float(np.abs(other[columns]).max()))
                np.testing.assert_allclose(mine[columns], other[columns], rtol=0, atol=1e-12 * scale)


def is_off(row: Row, text: str) -> bool:
    return row["id"] == text or (text == "where kind = fuel" and row.get("kind") == "fuel")


@settings(max_examples=examples(80), deadline=None)
@given(
    st.integers(-180, 180),
    st.sampled_from("xyz"),
    st.tuples(*[st.integers(-40, 40).map(lambda n: n / 8)] * 6),
    tables(),
)
def test_moved_branches_equal_a_table_with_poses(
    angle: int, axis: str, vectors: tuple[float, ...], rows: list[Row]
) -> None:
    """x' = R (x − p) + p + t is the pose of the branch, whose rows are in its frame."""
    pivot, shift = np.array(vectors[:3]), np.array(vectors[3:])
    turned = mp.Poses.from_rpy([[0.0, 0, 0]], [[angle if one == axis else 0 for one in "xyz"]], "deg").rotation[0]
    origin = pivot - turned @ pivot + shift
    motion = {"rotate": f"{axis} {angle} deg", "pivot": ",".join(map(repr, vectors[:3]))}
    motion["translate"] = ",".join(map(repr, vectors[3:])) + " m"
    posed = [
        {**row, "frame": "own", "tx": "", "ty": "", "tz": "", "roll [deg]": "", "pitch [deg]": "", "yaw [deg]": ""}
        for row in rows
    ]
    moved = [dict(row) for row in posed]
    for row in moved:
        if row["id"] == "G0":
            row |= dict(zip(("tx", "ty", "tz"), map(repr, origin.tolist()), strict=True))
            row |= {
                f"{name} [deg]": angle if one == axis else 0
                for name, one in zip(("roll", "pitch", "yaw"), "xyz", strict=True)
            }
    wanted = mp.rollup(read(moved))
    for table in (rows, posed):
        answer = mp.conditions(read(table), {"out": {"pose": {"G0": motion}}})
        assert_same(answer["out"], wanted)
