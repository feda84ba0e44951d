"""What-if is the roll-up of the changed table: of cells, factors, quantities, and of items added, moved and dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import massprops_cli as mp
from massprops_cli.cli.stages.table_output import write_changed_table
from massprops_cli.reports.table_files import Target
from tests.examples import examples
from tests.property.test_whatif_properties import coordinate, leaf, mass_value


@st.composite
def changed_tables(draw: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A tree of two levels, and changes of its items."""
    way = draw(st.sampled_from(["percent", "cells", "method"]))
    with_tensor = draw(st.booleans())
    rows: list[dict[str, Any]] = [{"id": "top", "parent": ""}]
    rows += [{"id": name, "parent": "top", "qty": draw(st.integers(1, 3))} for name in ("G0", "G1", "G2")]
    for k in range(7):
        body = draw(leaf(way, with_tensor=with_tensor)) | {"POIconv": "-"}
        row = {"id": f"P{k}", "parent": f"G{k % 3}", "qty": draw(st.integers(1, 3)), "name": f"Part {k}", **body}
        rows.append(row | {"mga [%]": draw(st.integers(2, 30))})
    names = list(dict.fromkeys(name for row in rows for name in row))
    changes: dict[str, Any] = {}
    if draw(st.booleans()):
        changes["set"] = {"Part 0.mass": f"{draw(mass_value)} kg", "P3.Cx": f"{draw(coordinate) * 1000} mm"}
        changes["set"] |= {"P1.qty": draw(st.integers(1, 4)), "P2.growth": draw(st.integers(2, 40))}
    if draw(st.booleans()):
        changes["scale"] = {
            draw(st.sampled_from(["top.mass", "G0.mass", "P0.mass"])): draw(st.sampled_from([0.5, 1.75]))
        }
    if draw(st.booleans()):
        changes["move"] = {"P4": draw(st.sampled_from(["G0", "G2"])), "Part 5": draw(st.sampled_from(["G1", "top"]))}
    if draw(st.booleans()):
        new = {"id": "NEW", "parent": draw(st.sampled_from(["G0", "G1", "top"])), "mass": "2500 g"}
        new |= {"Cx": "0.5 m", "Cy": 1, "Cz": "-25 mm", "mga": 10, "qty": 2}
        new |= {f"sigma_C{axis}": 0.5 for axis in "xyz"}
        new |= {"percent": {"sigma_mass": 4}, "cells": {"sigma_mass": 0.25}}.get(way, {"method": "weighed"})
        if with_tensor:
            new |= {"POIconv": "-", **{f"I{e}": 3 for e in ("xx", "yy", "zz")}, "Ixy": 0, "Ixz": 0, "Iyz": 0}
            new |= {} if way == "method" else {f"sigma_I{e}": 0.125 for e in ("xx", "yy", "zz", "xy", "xz", "yz")}
        changes["new"] = [new]
    if draw(st.booleans()) or not changes:
        changes["drop"] = [draw(st.sampled_from(["P6", "Part 3"]))]
    return [{name: row.get(name) for name in names} for row in rows], changes


def assert_is_rollup_of(change: mp.WhatIf, result: mp.Result) -> None:
    """Compare every assembly after the change with the roll-up of the changed table, sigmas included."""
    for k, name in enumerate(change.ids):
        body, other = change.after(k), result[name]
        for field in ("mass", "center", "inertia", "sigma_mass", "sigma_center", "sigma_inertia"):
            value, wanted = getattr(body, field), getattr(other, field)
            assert (value is None) is (wanted is None), (name, field)
            if value is not None:
                scale = max(1.0, float(np.abs(np.nan_to_num(wanted)).max()))
                np.testing.assert_allclose(value, wanted, rtol=0, atol=1e-12 * scale)
    predicted = result.predicted
    assert predicted is not None
    for k, name in enumerate(change.ids):
        wanted = float(predicted.bodies.mass[result.bom.item(name)])
        assert change.predicted_mass(k)[1] == pytest.approx(wanted, rel=1e-12)


@settings(max_examples=examples(80), deadline=None)
@given(changed_tables())
def test_changes_are_the_roll_up_of_the_changed_table(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[dict[str, Any]], dict[str, Any]]
) -> None:
    rows, changes = table
    bom = mp.Bom.from_records(rows)
    assert not bom.has_errors
    change = mp.whatif(bom, **changes)
    again = change.changed_bom()
    assert not again.has_errors, again.findings
    assert_is_rollup_of(change, mp.rollup(again))
    before = mp.rollup(bom)
    for k, name in enumerate(change.ids):
        assert change.before(k).mass == pytest.approx(before[name].mass, rel=1e-14)
    folder = tmp_path_factory.mktemp("t")
    source, written = folder / "a.csv", folder / "b.csv"
    lines = [",".join(rows[0]), *(",".join("" if v is None else str(v) for v in row.values()) for row in rows)]
    source.write_text("\r\n".join(lines), encoding="utf-8")
    of_file = mp.read_bom(source)
    change = mp.whatif(of_file, **changes)
    write_changed_table(change.changed_table(), of_file, Target(str(written), "csv", False))
    assert_is_rollup_of(change, mp.rollup(mp.read_bom(written)))
