"""The library's words for a budget and for a Pareto of masses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import FindingsError, UsageError

SIGMAS = {"a": 0.3, "b": 0.4, "c": 1.2}


def bom_of(**more: Any) -> Bom:
    """Three leaves of 5, with variances 0.09, 0.16 and 1.44: 1.69 = 1.3² in all."""
    leaves = [
        {"id": name, "parent": "top", "name": name.upper(), "mass": 5.0, "sigma_mass": sigma, **more.get(name, {})}
        for name, sigma in SIGMAS.items()
    ]
    return Bom.from_records([{"id": "top", "parent": ""}, *leaves])


def test_rows_and_what_weighing_is_worth() -> None:
    answer = mp.contributions(bom_of())
    assert (answer.of, answer.id, answer.value) == ("mass", "top", 15.0)
    assert answer.sigma == pytest.approx(1.3, rel=1e-15)
    first, *_, last = answer.rows()
    assert (first.kind, first.name, first.label, first.input, first.derivative) == ("leaf", "c", "C", "mass", 1.0)
    assert (first.share, first.input_sigma) == (pytest.approx(1.44 / 1.69), 1.2)
    assert last.cumulative == pytest.approx(1.0, abs=1e-15)
    assert [row.name for row in answer.rows(2)] == ["c", "b"]
    weighed = answer.weighed(2)
    assert weighed.names == ("c", "b")
    assert weighed.after == pytest.approx(0.3, rel=1e-15)


def test_a_frame_has_every_row() -> None:
    answer = mp.contributions(bom_of(a={"qty": 4}))
    frame = answer.to_dataframe()
    assert frame["name"].tolist() == ["c", "a", "b"]
    assert frame["share"].sum() == pytest.approx(1.0, abs=1e-15)
    assert frame["derivative"].tolist() == [1.0, 4.0, 1.0]
    rows = answer.to_dict()["contributions"]
    assert [row["share"] for row in rows] == frame["share"].tolist()


def test_pieces_of_one_part_share_when_requested() -> None:
    """Four pieces: 4 s² when their errors are their own, 16 s² when they share them."""
    apart = mp.contributions(bom_of(a={"qty": 4}))
    shared = mp.contributions(bom_of(a={"qty": 4}), correlate="part")
    assert apart.sigma**2 == pytest.approx(4 * 0.09 + 0.16 + 1.44)
    assert shared.sigma**2 == pytest.approx(16 * 0.09 + 0.16 + 1.44)
    assert shared.sigma == pytest.approx(mp.rollup(bom_of(a={"qty": 4}), correlate="part").root.sigma_mass, rel=1e-14)


def test_groups_of_the_table_are_rows() -> None:
    answer = mp.contributions(bom_of(a={"corr_group": "scale 1"}, b={"corr_group": "scale 1"}))
    group = next(row for row in answer.rows() if row.kind == "group")
    assert (group.name, group.derivative, group.input_sigma) == ("scale 1", None, None)  # 0.3 and 0.4 differ
    assert answer.sigma**2 == pytest.approx(0.7**2 + 1.44)
    assert [part.name for part in group.parts] == ["b", "a"]
    assert sum(part.share for part in group.parts) == pytest.approx(group.share)
    assert "parts" in answer.to_dict()["contributions"][1]


def test_coupled_groups_are_one_row(tmp_path: Path) -> None:
    file = tmp_path / "rho.csv"
    file.write_text("a,b,quantity,rho\ng,h,mass,0.5\n")
    answer = mp.contributions(bom_of(a={"corr_group": "g"}, b={"corr_group": "h"}), correlations=str(file))
    joint = next(row for row in answer.rows() if row.kind == "coupled groups")
    assert answer.sigma**2 == pytest.approx(0.09 + 0.16 + 2 * 0.5 * 0.3 * 0.4 + 1.44)
    assert [part.name for part in joint.parts] == ["h", "g"]
    assert joint.parts[0].share * answer.sigma**2 == pytest.approx(0.16 + 0.06)


def test_moments_close_to_each_other_are_reported() -> None:
    cube = {**dict.fromkeys(("Cx", "Cy", "Cz", "Ixy", "Ixz", "Iyz"), 0.0), "Ixx": 2.0, "Iyy": 2.0, "Izz": 5.0 / 2}
    sigmas = {f"sigma_{name}": 0.1 for name in cube}
    leaf = {"id": "a", "parent": "top", "mass": 3.0, "sigma_mass": 0.1, **cube, **sigmas, "POIconv": "-"}
    bom = Bom.from_records([{"id": "top", "parent": ""}, leaf])
    assert mp.contributions(bom, "I1").is_near
    # I3 − I2 is 0.5, and the sigma of that sqrt(2) 0.1
    far = mp.contributions(bom, "I3")
    assert far.to_dict()["sigmas_to_next_moment"] == pytest.approx(0.5 / (0.1 * np.sqrt(2)))
    assert not far.is_near


def test_the_heaviest_leaves() -> None:
    pareto = mp.mass_pareto(bom_of(b={"qty": 3}))
    first = next(pareto.rows())
    assert (first.name, first.pieces, first.mass, first.share) == ("b", 3.0, 15.0, 0.6)
    assert pareto.to_dataframe()["cumulative"].tolist() == pytest.approx([0.6, 0.8, 1.0])
    assert repr(pareto) == "<MassPareto of top: 25; 60.0 % is b>"
    assert mp.mass_pareto(bom_of(), "a").total == 5.0


def test_what_cannot_be_requested() -> None:
    with pytest.raises(UsageError, match="invalid correlate: some"):
        mp.contributions(bom_of(), correlate="some")
    with pytest.raises(UsageError, match="sigma columns"):
        mp.contributions(Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 1.0}]))
    with pytest.raises(FindingsError):
        mp.contributions(bom_of(b={"parent": "nowhere"}))
    with pytest.raises(FindingsError):
        mp.mass_pareto(bom_of(b={"parent": "nowhere"}))
    with pytest.raises(UsageError, match="item has no counted leaves"):
        mp.mass_pareto(bom_of(a={"qty": 0}, b={"qty": 0}, c={"qty": 0}))


def test_weighing_counts_a_lot_as_one_row() -> None:
    # two cylinders of one lot, m = ρ π r² L; ρ 2700 ± 30 shared, r 50 ± 0.2 mm each: without ρ and without one r
    # the σ is that of the other r, 2 m · 0.2 / 50
    columns = ("id", "parent", "shape", "dims", "density [kg/m3]", "lot", "Cx [m]", "Cy [m]", "Cz [m]")
    dims = "r=50±0.4 mm (2σ); L=300 mm"
    rows = [(i, "R", "cylinder", dims, "2700 ± 60 (2σ)", "m", x, "0", "0") for i, x in (("A", "0"), ("B", "1"))]
    table = Bom.from_records([{"id": "R", "parent": ""}, *(dict(zip(columns, row, strict=True)) for row in rows)])
    gain = mp.contributions(table).weighed(2)
    mass = 2700 * np.pi * 0.05**2 * 0.3
    assert gain.names[0] == "lot m"
    assert gain.after == pytest.approx(2 * mass * 0.2 / 50)
    assert gain.before == pytest.approx(mass * np.hypot(2 * 30 / 2700, np.sqrt(2) * 2 * 0.2 / 50))
