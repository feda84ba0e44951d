"""JSBSim aircraft, against two files of our own: a ``mass_balance`` alone, and a rocket of point masses."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.importers.jsbsim import read_jsbsim
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.findings.finding import Findings, TableError

FILES = Path(__file__).parents[1] / "importers"
QUADROTOR, ROCKET = FILES / "jsbsim_quadrotor.xml", FILES / "jsbsim_rocket.xml"
LB, INCH = 0.45359237, 0.0254


def read(body: str, tag: str = "mass_balance") -> ReportTable:
    return read_jsbsim("plane.xml", f"<{tag}>{body}</{tag}>".encode(), FileOptions(), False, Findings())


def row(table: ReportTable, i: int) -> dict[str, str]:
    return dict(zip(table.row(0), table.row(i), strict=True))


def rejected(body: str) -> str:
    with pytest.raises(TableError) as caught:
        read(body)
    return str(caught.value)


def test_a_mass_balance_alone_is_what_its_file_states() -> None:
    root = mp.rollup(mp.Bom.read(QUADROTOR)).root
    assert root.mass == 1.62
    assert root.center == pytest.approx([0.01, 0, -0.02])
    assert root.inertia == pytest.approx(np.array([[0.0171, 0, 0.0004], [0, 0.0183, 0], [0.0004, 0, 0.0309]]))


def test_the_figures_of_the_f450_quadrotor() -> None:
    """Figures of JSBSim's aircraft F450 (aircraft/F450/Mass.xml, commit 05c0b17)."""
    table = read(
        '<emptywt unit="KG">1.4</emptywt><location name="CG" unit="M"/>'
        '<ixx unit="KG*M2">0.0190</ixx><iyy unit="KG*M2">0.0190</iyy><izz unit="KG*M2">0.0252</izz>'
    )
    names = ("mass [kg]", *(f"I{axes} [kg*m^2]" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")))
    assert [float(row(table, 2)[name]) for name in names] == [1.4, 0.019, 0.019, 0.0252, 0, 0, 0]


def test_a_rocket_has_the_mass_and_centre_of_its_parts() -> None:
    # read again by another parser, in the file's own pounds and inches; on paper:
    # 410 + 65 + 38 + 4 x 7 + 19 + 22 + 88 = 670 lb
    weights, places = [], []
    for point in ElementTree.parse(ROCKET).iter("pointmass"):
        where = point.find("location")
        assert where is not None
        step = 12 if where.get("unit") == "FT" else 1
        weights.append(float(point.findtext("weight", "")))
        places.append([float(where.findtext(axis, "")) * step for axis in "xyz"])
    centre = np.average(places, axis=0, weights=weights)
    root = mp.rollup(mp.Bom.read(ROCKET)).root
    assert sum(weights) == 670
    assert root.mass == pytest.approx(670 * LB, rel=1e-14)
    assert root.center == pytest.approx(centre * INCH, abs=1e-12)


def test_tanks_are_left_out_and_reported() -> None:
    findings = Findings()
    read_jsbsim("rocket.xml", ROCKET.read_bytes(), FileOptions(), False, findings)
    assert [finding.rule for finding in findings] == ["MP140"]
    assert findings[0].place.line is not None


@pytest.mark.parametrize(
    ("unit", "mass"), [("", LB), (' unit="LBS"', LB), (' unit="KG"', 1.0), (' unit="SLUG"', 14.593902937206364)]
)
def test_a_mass_without_unit_is_in_pounds(unit: str, mass: float) -> None:
    assert float(row(read(f"<emptywt{unit}>1</emptywt>"), 2)["mass [kg]"]) == pytest.approx(mass, rel=1e-14)


def test_lengths_and_inertias_without_unit_are_in_inches_and_slug_square_feet() -> None:
    table = read('<emptywt>1</emptywt><location name="CG"><x>10</x></location><ixx>1</ixx>')
    empty = row(table, 2)
    assert float(empty["Cx [m]"]) == pytest.approx(0.254)
    assert (empty["Cy [m]"], empty["Iyy [kg*m^2]"]) == ("0", "0")
    # NIST SP 811, appendix B.9: 1 slug·ft² = 1.355818 kg·m² (through pound-foot squared: 0.04214011 · 32.17405)
    assert float(empty["Ixx [kg*m^2]"]) == pytest.approx(0.04214011 * 32.17405, rel=1e-6)


@pytest.mark.parametrize(
    ("attribute", "poi"),
    [("", "-"), ('negated_crossproduct_inertia="true"', "-"), ('negated_crossproduct_inertia="false"', "+")],
)
def test_products_are_tensor_entries_unless_stated(attribute: str, poi: str) -> None:
    text = f'<mass_balance {attribute}><emptywt unit="KG">1</emptywt><ixz unit="KG*M2">2</ixz></mass_balance>'
    table = read_jsbsim("plane.xml", text.encode(), FileOptions(), False, Findings())
    assert row(table, 2)["POIconv"] == poi
    assert row(table, 2)["Ixz [kg*m^2]"] == "2"


def moments(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> list[float]:
    return [float(np.mean(v)) for v in (y**2 + z**2, x**2 + z**2, x**2 + y**2)]


def shape_points(shape: str, r: float, length: float) -> list[float]:
    """Moments of inertia of one kilogram, as means over evenly spread points."""
    n = 60
    middle = (np.arange(n) + 0.5) / n
    u, v, w = np.meshgrid(middle, middle, middle)
    angle = 2 * math.pi * u
    if shape in ("tube", "cylinder"):
        radius = r * (np.sqrt(v) if shape == "cylinder" else 1)
        return moments(length * (w - 0.5), radius * np.cos(angle), radius * np.sin(angle))
    radius, height = r * (np.cbrt(v) if shape == "ball" else 1), 2 * w - 1
    around = np.sqrt(1 - height**2)
    return moments(radius * height, radius * around * np.cos(angle), radius * around * np.sin(angle))


@pytest.mark.parametrize("shape", ["tube", "cylinder", "sphere", "ball"])
def test_shapes_have_the_inertia_of_their_points(shape: str) -> None:
    form = f'<form shape="{shape}"><radius unit="M">2</radius><length unit="M">3</length></form>'
    table = read(f'<pointmass name="p">{form}<weight unit="KG">1</weight><location unit="M"/></pointmass>')
    found = [float(row(table, 2)[f"I{axes} [kg*m^2]"]) for axes in ("xx", "yy", "zz")]
    assert found == pytest.approx(shape_points(shape, 2, 3), rel=1e-3)
    assert row(table, 2)["Ipoint"] == "false"


def test_a_point_mass_without_form_is_a_point() -> None:
    table = read('<pointmass name="pilot"><weight>180</weight><location/></pointmass>' * 2)
    assert [row(table, i)["id"] for i in (2, 3)] == ["pilot", "pilot (2)"]
    assert row(table, 2)["Ipoint"] == "true"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "states no mass"),
        ("<emptywt/>", "emptywt is blank"),
        ("<emptywt>heavy</emptywt>", "not a number: 'heavy'"),
        ('<emptywt unit="STONE">1</emptywt>', "is unknown: STONE"),
        ("<emptywt>1</emptywt", "XML is not well-formed"),
        ("<pointmass><weight>1</weight></pointmass>", "has no location"),
        ("<pointmass><location/></pointmass>", "has no weight"),
    ],
)
def test_what_cannot_be_read_is_rejected(body: str, words: str) -> None:
    assert words in rejected(body)


def test_a_mass_balance_elsewhere_is_rejected() -> None:
    with pytest.raises(TableError, match="is in another file: Mass"):
        read_jsbsim(
            "plane.xml", b'<fdm_config><mass_balance file="Mass"/></fdm_config>', FileOptions(), False, Findings()
        )
    with pytest.raises(TableError, match="has no mass_balance"):
        read_jsbsim("plane.xml", b"<fdm_config/>", FileOptions(), False, Findings())


def test_entities_are_rejected() -> None:
    text = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><mass_balance><emptywt>&e;</emptywt></mass_balance>'
    with pytest.raises(TableError, match="document type"):
        read_jsbsim("plane.xml", text, FileOptions(), False, Findings())
