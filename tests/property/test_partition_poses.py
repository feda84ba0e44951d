"""Parts of random trees with poses: joined again they are the whole, with what cut branches share of their poses."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from massprops_cli import Bom, FindingsError, UsageError, aggregate, assemble, partition, read_bom, rollup
from tests.examples import first
from tests.mesh_examples import box, write_stl
from tests.property.test_partition_properties import TOLERANCE, largest_difference, random_rows


def posed_rows(seed: int, *, uncertain: bool, patterns: bool = False) -> list[dict[str, Any]]:
    """A table in which every item has a pose, and numbers are in frames of all kinds."""
    rng = random.Random(100 + seed)
    rows = random_rows(seed, counts=not patterns)
    parents = {row["parent"] for row in rows}
    for row in rows:
        row |= {f"t{axis} [mm]": rng.uniform(-500, 500) for axis in "xyz"}
        row |= {name: rng.uniform(-180, 180) for name in ("roll [deg]", "pitch [deg]", "yaw [deg]")}
        row["frame"] = rng.choice(["own", "parent", "root"])
        if uncertain and rng.random() < 0.6:
            row |= {f"sigma_t{axis} [mm]": rng.uniform(0, 2) for axis in "xyz"}
            row |= {f"sigma_r{axis} [mrad]": rng.uniform(0, 3) for axis in "xyz"}
        if patterns and row["parent"] and rng.random() < 0.3:
            row |= {"pattern": "circular", "pattern_axis": "1 2 3", "qty": 3}
        elif patterns and row["parent"]:
            row["qty"] = 1
        if row["id"] not in parents:
            row["Ipoint"] = False
    return rows


@pytest.mark.parametrize("kind", first(["patterns", "exact", "uncertain"], 1))
@pytest.mark.parametrize("seed", first(range(4), 1))
def test_parts_joined_are_the_whole(seed: int, kind: str, tmp_path: Path) -> None:
    correlate = "none" if kind != "exact" else "part"
    bom = Bom.from_records(posed_rows(seed, uncertain=kind != "exact", patterns=kind == "patterns"))
    whole = rollup(bom, correlate=correlate)
    inner = [name for i, name in enumerate(bom.ids) if not bom.tree.is_leaf()[i] and bom.tree.parent[i] >= 0]
    for number, at in enumerate([[inner[seed % len(inner)]], []]):
        parts = partition(bom, at, 0 if at else 4, correlate=correlate)
        files = parts.save(tmp_path / str(number))
        tables = [name for name in files if name.endswith(".csv")]
        (branches,) = (name for name in files if name.endswith(".branches.json"))
        for table in tables:  # each alone: its items are in the frame of the whole
            read = read_bom(table, config=False)
            assert not read.has_errors
            assert largest_difference(rollup(read), whole, covariances=False)[1] < TOLERANCE
        joined = assemble(tables, correlate=correlate)
        assert largest_difference(joined, whole) == pytest.approx((len(bom), 0.0), abs=TOLERANCE)
        top = next(
            name for name, part in zip(tables, parts.parts, strict=True) if bom.ids[bom.tree.order[0]] in part.tops
        )
        alone = assemble([top], branches)
        count, worst = largest_difference(alone, whole)
        assert worst < TOLERANCE
        assert count < len(bom)


@pytest.mark.parametrize("seed", first(range(8), 2))
def test_items_outside_an_aggregated_set_do_not_change(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    bom = Bom.from_records(posed_rows(seed, uncertain=False))
    for correlate in ("none", "part"):
        whole = rollup(bom, correlate=correlate)
        made = aggregate(bom, rng.sample(list(bom.ids), 3), closure=True, correlate=correlate)
        files = made.save(tmp_path / "new.csv")
        again = rollup(read_bom(files[0], config=False), correlate=correlate)
        assert largest_difference(again, whole, covariances=False)[1] < TOLERANCE
        exact = assemble(
            [files[0]], files[1] if len(files) > 1 else "", correlate=None if len(files) > 1 else correlate
        )
        assert largest_difference(exact, whole)[1] < TOLERANCE


@pytest.mark.parametrize("seed", first(range(20), 3))
def test_uncertain_poses_of_aggregated_items_are_carried_or_rejected(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    bom = Bom.from_records(posed_rows(seed, uncertain=True))
    whole = rollup(bom)
    uncertain = {bom.ids[i] for i in bom.poses.covariance.any(axis=(1, 2)).nonzero()[0]}
    try:
        made = aggregate(bom, rng.sample(list(bom.ids), 2), closure=True)
    except FindingsError as error:
        named = {f.item for f in error.findings if f.rule == "MP842"}
        assert named
        assert named <= uncertain
        return
    files = made.save(tmp_path / "new.csv")
    exact = assemble([files[0]], files[1] if len(files) > 1 else "")
    assert largest_difference(exact, whole)[1] < TOLERANCE


NUMBERS = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
SHAPES = f"""id,parent,qty,{NUMBERS},POIconv,shape,dims,axis,density,lot,tx [m],ty [m],tz [m],yaw [deg],roll [deg],\
pitch [deg],frame,sigma_tx [mm],sigma_rz [mrad]
RACK,,,,,,,,,,,,,-,,,,,,,,,,,,root,,
A,RACK,1,,,,,,,,,,,-,,,,,,0.1,0.2,0.3,20,30,40,own,0.5,2
POST-1,A,1,,,,,,,,,,,-,cone,r=20±0.2 mm (2σ); L=1000±2 mm (2σ),x,7850±80 kg/m3 (2σ),LOT,1,0,0,5,6,7,own,,
POST-2,A,2,,0.1,0.2,0.3,,,,,,,-,cone,r=20±0.2 mm (2σ); L=1000±2 mm (2σ),z,DENSITY,LOT,1,0,0,0,0,0,parent,0.1,1
SHELF,RACK,1,,0,0,1,,,,,,,-,plate,a=800 mm; b=600 mm; t=5±0.1 mm (uniform),,2700±20 kg/m3 (2σ),,,,,,,,root,,
"""


@pytest.mark.parametrize("lot", ["", "melt 7"])
def test_parts_with_uncertain_shapes_joined_are_the_whole(lot: str, tmp_path: Path) -> None:
    (tmp_path / "rack.csv").write_text(SHAPES.replace("DENSITY", "7850±80 kg/m3 (2σ)").replace("LOT", lot))
    bom = read_bom(tmp_path / "rack.csv", config=False)
    whole = rollup(bom)
    parts = partition(bom, ["RACK"])
    files = parts.save(tmp_path / "parts")
    tables = [name for name in files if name.endswith(".csv")]
    assert largest_difference(assemble(tables), whole) == pytest.approx((len(bom), 0.0), abs=TOLERANCE)
    top = next(name for name, part in zip(tables, parts.parts, strict=True) if "RACK" in part.tops)
    assert largest_difference(assemble([top], files[-1]), whole)[1] < TOLERANCE


def test_parts_of_uncertain_meshes_are_rejected(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", box((100, 200, 300)))
    text = f"id,parent,{NUMBERS},mesh,mesh_units,density\nT,,,,,,,,,,,,,,\n"
    text += f"A,T{',' * 11}part.stl,mm,1000±10 kg/m3 (1σ)\nB,A{',' * 11}part.stl,mm,1000 kg/m3\n".replace("A,T", "C,T")
    (tmp_path / "bom.csv").write_text(text.replace("B,A", "B,T"))
    with pytest.raises(UsageError, match="uncertainty of meshes: C"):
        partition(read_bom(tmp_path / "bom.csv", config=False), ["T"]).table("S")
