"""Cells of inertia about a point: tensors about one point add up unchanged, whatever the centres."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import massprops_cli
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.item_flags import parse_point
from massprops_cli.bom.results.table_edit import rollup_table_edit
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import UsageError

HEADER = "id,parent,qty,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz"
TENSORS = {"a": [90.0, 80.0, 70.0, -1.5, 2.5, 0.5], "b": [300.0, 310.0, 320.0, 12.0, -7.0, 3.0]}
PLACES = {"a": (2.0, [1.0, -2.0, 3.0]), "b": (5.0, [-1.5, 0.5, 4.0])}


def table(top: str = ",,,,,,,,,", header: str = HEADER) -> list[dict[str, str]]:
    """Make a table of two leaves with a tensor each; ``top`` are the assembly's numbers."""
    lines = [header, f"top,,1,{top}"]
    for name, tensor in TENSORS.items():
        mass, center = PLACES[name]
        lines.append(",".join([name, "top", "1", *(str(x) for x in [mass, *center, *tensor])]))
    return list(csv.DictReader(io.StringIO("\n".join(lines))))


def read(rows: list[dict[str, str]], **options: object) -> Bom:
    """Read records whose products are tensor entries."""
    return Bom.from_records(rows, **{"poi": "-", **options})


def full(six: list[float]) -> np.ndarray:
    """Write six entries as a matrix."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def steiner(mass: float, away: np.ndarray) -> np.ndarray:
    """Give the tensor of a point mass, entry by entry."""
    return mass * np.array([[(away @ away) * (i == j) - away[i] * away[j] for j in range(3)] for i in range(3)])


@pytest.mark.parametrize("point", ["origin", "1.25,-3,0.5"])
def test_leaves_are_moved_to_their_own_centers(point: str) -> None:
    bom = read(table(), inertia_about=point)
    about = np.zeros(3) if point == "origin" else np.array([1.25, -3, 0.5])
    for i, name in enumerate(bom.ids):
        if name in TENSORS:
            mass, center = PLACES[name]
            wanted = full(TENSORS[name]) - steiner(mass, np.array(center) - about)
            assert bom.bodies.inertia is not None
            assert full(bom.bodies.inertia[i].tolist()) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("point", ["origin", "0.25,-1,0.5"])
def test_the_written_tensor_is_the_plain_sum_of_the_written_ones(point: str) -> None:
    filled = rollup_table_edit(rollup(read(table(), inertia_about=point)))
    header = HEADER.split(",")
    got = {header[fill.column]: fill.values[0] for fill in filled.fills}
    wanted = np.sum([TENSORS[name] for name in TENSORS], axis=0)
    assert [got[name] for name in header[-6:]] == pytest.approx(wanted, rel=1e-13)


def test_the_own_centers_need_no_option() -> None:
    tensors = [
        read(table(), **given).bodies.inertia for given in ({}, {"inertia_about": "own"}, {"inertia_about": None})
    ]
    assert tensors[0] is not None
    assert all(np.array_equal(tensors[0], tensor) for tensor in tensors[1:])  # type: ignore[arg-type] # no None here


def test_an_assembly_is_compared_about_the_point() -> None:
    numbers = np.sum([TENSORS[name] for name in TENSORS], axis=0)
    center = (2 * np.array(PLACES["a"][1]) + 5 * np.array(PLACES["b"][1])) / 7
    right = ",".join(str(x) for x in [7.0, *center, *numbers])
    assert not [f for f in rollup(read(table(right), inertia_about="origin")).findings if f.rule == "MP411"]
    (differs,) = [f for f in rollup(read(table(right)), keep_going=True).findings if f.rule == "MP411"]
    assert "Ixx 390.0" in differs.message


def test_a_stated_assembly_is_moved_as_well() -> None:
    numbers = [500.0, 600.0, 700.0, 1.0, 2.0, 3.0]
    rows = table(",".join(str(x) for x in [4.0, 1.0, 2.0, 3.0, *numbers]))
    result = rollup(read(rows, inertia_about="origin", assembly_values="stated"))
    assert np.asarray(result.root.inertia) == pytest.approx(full(numbers) - steiner(4.0, np.array([1.0, 2, 3])))


def test_rounding_of_mass_and_center_explains_a_tensor_that_is_off() -> None:
    rows = [{"id": "top", "parent": ""}, {"id": "rod", "parent": "top"}]
    numbers = dict(
        zip(HEADER.split(",")[3:], ["1.00", "0.0", "0.0", "10.0", "100.4", "100.3", "0.6", "0", "0", "0"], strict=True)
    )
    bom = read([{**rows[0], **dict.fromkeys(numbers, "")}, {**rows[1], **numbers}], inertia_about="origin")
    assert [f.rule for f in bom.findings if f.rule.startswith("MP40")] == []
    numbers["Ixx"] = "99.9"  # -0.1 about its own centre; half a unit of Cz alone is worth 1
    bom = read([{**rows[0], **dict.fromkeys(numbers, "")}, {**rows[1], **numbers}], inertia_about="origin")
    assert [f.rule for f in bom.findings if f.rule.startswith("MP40")] == ["MP405"]


def test_sigmas_of_inertia_about_a_point_are_rejected() -> None:
    rows = [{**row, "sigma_Ixx": "0.1" if row["parent"] else ""} for row in table()]
    with pytest.raises(UsageError, match=r"ambiguous: sigma_Ixx.*--uncertainty none"):
        read(rows, inertia_about="origin")
    assert read(rows, inertia_about="origin", use_sigmas=False).sigmas is None


@pytest.mark.parametrize("text", ["middle", "1,2", "1,2,x", "1,2,1e999"])
def test_what_is_not_a_point_is_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="own, origin or three numbers such as"):
        parse_point(text)


def test_a_part_without_a_center_has_no_tensor() -> None:
    rows = table()
    for axis in ("Cx", "Cy", "Cz"):
        rows[1][axis] = ""
    bom = read(rows, inertia_about="origin", allow_missing="center")
    assert bom.bodies.has_inertia is not None
    assert dict(zip(bom.ids, bom.bodies.has_inertia.tolist(), strict=True))["a"] is False
    assert [f.rule for f in bom.findings] == ["MP223"]


@pytest.mark.parametrize("change", [{"Ixx": 95.0, "Iyy": 88.0}, {"Cx": 0.5}, {"mass": 1.5, "Cy": 0.1}])
def test_what_is_set_while_cells_are_about_a_point_is_the_cell(change: dict[str, float]) -> None:
    """About the origin the cells of both leaves add up, whatever their masses and centres."""
    made = massprops_cli.whatif(
        read(table(), inertia_about="origin"), set={f"a.{name}": value for name, value in change.items()}
    )
    a = dict(zip(HEADER.split(",")[3:], [PLACES["a"][0], *PLACES["a"][1], *TENSORS["a"]], strict=True)) | change
    mass, moment = PLACES["b"][0], PLACES["b"][0] * np.array(PLACES["b"][1])
    whole = a["mass"] + mass
    center = (a["mass"] * np.array([a["Cx"], a["Cy"], a["Cz"]]) + moment) / whole
    cells = full([a[name] for name in HEADER.split(",")[7:]]) + full(TENSORS["b"])
    assert made.after(0).mass == whole
    assert made.after(0).center == pytest.approx(center, rel=1e-14)
    assert made.after(0).inertia == pytest.approx(cells - steiner(whole, center), rel=1e-12)
    assert ("unchanged" in made.notes[0]) is ("Ixx" not in change)
