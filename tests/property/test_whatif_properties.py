"""What-if is the roll-up of the edited table, whatever its sigmas follow from and in whatever order cells are set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.whatif import whatif
from massprops_cli.findings.finding import FindingsError, UsageError
from tests.examples import examples

NUMBERS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
coordinate = st.integers(-400, 400).map(lambda n: n / 100)
mass_value = st.integers(50, 3000).map(lambda n: n / 100)
METHODS = ("estimated", "calculated", "weighed")


@st.composite
def leaf(draw: Any, way: str, *, with_tensor: bool) -> dict[str, Any]:
    """A leaf whose sigmas are stated in one way: percent cells, percent columns, bounds, methods or numbers."""
    mass = draw(mass_value)
    row: dict[str, Any] = {"mass [kg]": mass, **{f"C{a} [m]": draw(coordinate) for a in "xyz"}}
    if with_tensor:
        a, b, c = (draw(mass_value) for _ in "abc")
        row |= {"Ixx [kg m2]": b + c, "Iyy [kg m2]": a + c, "Izz [kg m2]": a + b}
        row |= {f"I{e} [kg m2]": 0 for e in ("xy", "xz", "yz")}
    row |= {f"sigma_C{a}": draw(st.integers(0, 9)) / 100 for a in "xyz"}
    if way == "percent":
        row["sigma_mass [%]"] = draw(st.integers(0, 30))
    elif way == "cells":
        row["sigma_mass"] = draw(st.sampled_from(["5 %", "0.25", "12.5 %"]))
    elif way == "bounds":
        low, high = draw(st.integers(0, 5)), draw(st.integers(0, 5))
        row |= {"mass_min": mass - low, "mass_max": mass + high, "mass_likely": draw(st.sampled_from([None, mass]))}
        row["dist"] = draw(st.sampled_from([None, "triangular", "uniform"]))
    else:
        row["method"] = draw(st.sampled_from(METHODS))
    if with_tensor and way != "method":
        # a percentage of a moment follows it; products are 0, so theirs are numbers
        row |= {f"sigma_I{e}": draw(st.sampled_from(["10 %", 0.5])) for e in ("xx", "yy", "zz")}
        row |= {f"sigma_I{e}": 0.125 for e in ("xy", "xz", "yz")}
    return row


@st.composite
def tables(draw: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Two assemblies of leaves, and the options to read them with."""
    way = draw(st.sampled_from(["percent", "cells", "bounds", "method"]))
    with_tensor = draw(st.booleans())
    rows: list[dict[str, Any]] = [{"id": "top", "parent": ""}]
    rows += [{"id": name, "parent": "top", "qty": draw(st.integers(1, 3))} for name in ("G0", "G1")]
    for k in range(draw(st.integers(2, 5))):
        parent = ["G0", "G1", "top"][k % 3] if k else "G1"
        body = draw(leaf(way, with_tensor=with_tensor))
        rows.append({"id": f"P{k}", "parent": parent, "qty": draw(st.integers(1, 3)), **body})
    first = draw(leaf(way, with_tensor=with_tensor))
    rows.append({"id": "P.9", "parent": "G0", "qty": 1, **first})
    options: dict[str, Any] = {"poi": draw(st.sampled_from("+-"))} if with_tensor else {}
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows], options


def column_of(row: dict[str, Any], quantity: str) -> str:
    return next(name for name in row if name.split()[0] == quantity)


@settings(max_examples=examples(120), deadline=None)
@given(tables(), st.data())
def test_what_if_is_the_roll_up_of_the_edited_table(
    table: tuple[list[dict[str, Any]], dict[str, Any]], data: Any
) -> None:
    rows, options = table
    leaves = [row["id"] for row in rows if row["id"].startswith("P")]
    settable = [name for name in rows[0] if name.split()[0].removeprefix("sigma_") in (*NUMBERS, "qty")]
    changes: dict[str, float] = {}
    for _ in range(data.draw(st.integers(1, 4))):
        column = data.draw(st.sampled_from(settable)).split()[0]
        value = data.draw(coordinate if column[0] == "C" else st.integers(1, 4) if column == "qty" else mass_value)
        changes[f"{data.draw(st.sampled_from(leaves))}.{column}"] = value
    edited = {row["id"]: dict(row) for row in rows}
    for name, value in changes.items():
        item, _, quantity = name.rpartition(".")
        edited[item][column_of(edited[item], quantity)] = value
    bom = Bom.from_records(rows, **options)
    assert not bom.has_errors
    after = Bom.from_records(list(edited.values()), **options)
    orders = (list(changes), data.draw(st.permutations(list(changes))))
    if after.has_errors:
        for order in orders:
            with pytest.raises(FindingsError) as rejected:
                whatif(bom, set={name: changes[name] for name in order})
            rules = {(f.rule, f.item) for f in rejected.value.findings if f.severity.value == "error"}
            assert rules == {(f.rule, f.item) for f in after.findings if f.severity.value == "error"}
        return
    expected = rollup(after)
    for order in orders:
        change = whatif(bom, set={name: changes[name] for name in order})
        for k, name in enumerate(change.ids):
            body, other = change.after(k), expected[name]
            for value, wanted in (
                (body.mass, other.mass),
                (body.center, other.center),
                (body.inertia, other.inertia),
                (body.sigma_mass, other.sigma_mass),
                (body.sigma_center, other.sigma_center),
                (body.sigma_inertia, other.sigma_inertia),
            ):
                assert (value is None) is (wanted is None)
                if value is not None:
                    size = np.abs(wanted).max()
                    np.testing.assert_allclose(value, wanted, rtol=0, atol=1e-12 * max(1.0, size))
        warned = {(f.rule, f.item) for f in change.findings if f.severity.value == "warning"}
        assert warned >= {(f.rule, f.item) for f in after.findings if f.severity.value == "warning" and f.count == 1}


@given(st.permutations(["a.mass", "a.sigma_mass", "b.mass", "b.sigma_mass", "a.qty"]))
def test_the_order_of_what_is_set_does_not_matter(order: list[str]) -> None:
    """Ten percent of 20 twice, and 4 % of 5: √(2·4 + 0.04)."""
    rows = [{"id": "top", "parent": "", "mass": None, "sigma_mass [%]": None}]
    rows += [{"id": name, "parent": "top", "mass": 3, "sigma_mass [%]": 7} for name in "ab"]
    values = {"a.mass": 20.0, "a.sigma_mass": 10.0, "b.mass": 5.0, "b.sigma_mass": 4.0, "a.qty": 2.0}
    change = whatif(Bom.from_records(rows), set={name: values[name] for name in order})
    assert change.after(0).mass == 45.0
    assert change.after(0).sigma_mass == pytest.approx(np.sqrt(8.04), rel=1e-15)


@given(st.sampled_from([1.5, 0.25, 3.0]), st.sampled_from(["percent", "bounds", "method"]), st.data())
def test_scaling_after_setting_scales_what_was_set(factor: float, way: str, data: Any) -> None:
    row = data.draw(leaf(way, with_tensor=False))
    other = data.draw(leaf(way, with_tensor=False))
    rows = [{"id": "t", "parent": "", **dict.fromkeys([*row, *other])}]
    rows += [{**rows[0], "id": "a", "parent": "t", **row}, {**rows[0], "id": "b", "parent": "t", **other}]
    bom = Bom.from_records(rows)
    assume(not bom.has_errors)
    value = row["mass [kg]"]
    set_ = {"a.mass": value, "a.Cx": 0.5}
    try:
        plain = whatif(bom, set=set_)
        both = whatif(bom, set=set_, scale={"t.mass": factor})
    except UsageError:
        assume(False)
    assert both.after(0).mass == pytest.approx(factor * plain.after(0).mass, rel=1e-14)
    assert both.after(0).sigma_mass == pytest.approx(factor * plain.after(0).sigma_mass, rel=1e-14)
