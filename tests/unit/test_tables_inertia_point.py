"""Headers that state what their inertia is about."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from bom_tables import only, reported

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.tables.columns.headings import inertia_reference, read_heading

SIX = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
# 2 kg at x = 3 with 1, 2, 2 about its own centre: 2 x 9 more about the origin, for y and z
OWN, ORIGIN = "1,2,2,0,0,0", "1,20,20,0,0,0"


def bom_of(names: list[str], cells: str, **options: object) -> Bom:
    """Read one part with some names for its six columns of inertia."""
    text = f"id,parent,mass,Cx,Cy,Cz,{','.join(names)}\ntop{',' * (5 + len(names))}\na,top,2,3,0,0,{cells}\n"
    return Bom.from_records(list(csv.DictReader(io.StringIO(text))), poi="-", **options)


def moments(bom: Bom) -> list[float]:
    """Give the moments of the whole about its own centre."""
    return np.diag(rollup(bom).root.inertia).tolist()


@pytest.mark.parametrize(
    "form",
    [
        "{} about origin",
        "{} @ origin",
        "{} (about the origin)",
        "{} (taken at the output coordinate system)",
        "Inertia about origin {}",
    ],
)
def test_moments_about_the_origin_are_moved(form):
    bom = bom_of([form.format(name) for name in SIX], ORIGIN)
    assert moments(bom) == pytest.approx([1, 2, 2])
    assert "transferred to the centres of mass of the items" in only(bom.findings, "MP248").message
    assert not reported(bom_of([form.format(name) for name in SIX], ORIGIN, inertia_about="origin").findings, "MP249")


@pytest.mark.parametrize(
    "form", ["{} about CG", "{} (taken at the center of mass)", "{} at centroid", "{} @ C.G.", "{}"]
)
def test_moments_about_own_centres_stay(form):
    bom = bom_of([form.format(name) for name in SIX], OWN)
    assert moments(bom) == pytest.approx([1, 2, 2])
    assert not reported(bom.findings, "MP248")


def test_solidworks_names_the_tensor_at_the_centre_with_an_l():
    both = [*SIX, *(name.replace("I", "L") for name in SIX)]
    bom = bom_of(both, f"{ORIGIN},{OWN}")
    assert moments(bom) == pytest.approx([1, 2, 2])
    assert "column Ixx is not read: column Lxx is read as Ixx" in reported(bom.findings, "MP225")[0].message


@pytest.mark.parametrize(
    ("first", "others", "about"),
    [
        ("about origin", "about CG", None),
        ("about origin", "", None),
        ("about CG", "about CG", "origin"),
        ("@ origin", "@ origin", "1,0,0"),
        ("@ origin", "@ origin", "own"),
    ],
)
def test_points_that_differ_are_rejected(first, others, about):
    names = [f"Ixx {first}", *(f"{name} {others}".strip() for name in SIX[1:])]
    assert only(bom_of(names, OWN, inertia_about=about).findings, "MP249")


def test_a_sigma_next_to_moments_about_the_origin_is_rejected():
    names = [*(f"{name} about origin" for name in SIX), "sigma_Ixx"]
    assert "sigma_Ixx" in only(bom_of(names, f"{ORIGIN},0.1").findings, "MP249").message
    assert moments(bom_of(names, f"{ORIGIN},0.1", use_sigmas=False)) == pytest.approx([1, 2, 2])


def test_another_point_is_not_read_and_units_are():
    assert read_heading("Ixx about hinge").quantity == ""
    assert read_heading("Izz (kg·m², about origin)")[:2] == ("Izz", "kg·m²")
    assert inertia_reference("Iyy at output coordinate system [kg*m^2]") == "origin"
    assert read_heading("Flow about origin").quantity == ""


def test_assemblies_are_written_about_the_origin_again():
    from massprops_cli.bom.results.table_edit import rollup_table_edit

    bom = bom_of([f"{name} about origin" for name in SIX], ORIGIN)
    filled = {fill.column: list(fill.values) for fill in rollup_table_edit(rollup(bom)).fills}
    assert filled[7] == pytest.approx([20])
