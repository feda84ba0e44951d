"""FAST-OAD weight breakdowns, against a file of our own and the published weights of one aircraft."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import massprops_cli as mp
from massprops_cli.files.importers.fastoad import read_fastoad
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.findings.finding import Findings, TableError

PLANE = Path(__file__).parents[1] / "importers" / "fastoad_turboprop.xml"


def read(weight: str) -> ReportTable:
    text = f"<FASTOAD_model><data><weight>{weight}</weight></data></FASTOAD_model>"
    return read_fastoad("plane.xml", text.encode(), FileOptions(), False, Findings())


def row(table: ReportTable, i: int) -> dict[str, str]:
    return dict(zip(table.row(0), table.row(i), strict=True))


def test_the_total_is_the_operating_weight_that_the_file_states() -> None:
    result = mp.rollup(mp.Bom.read(PLANE))
    # airframe 1240.5 + 1510.2 + 118.7 + 141 + 92 + 318 = 3420.4; propulsion 1210 + 96 + 144 = 1450
    # systems 610.5 + 120 + 330 + 290 + 280 = 1630.5; furniture 540 + 130 = 670; crew 255
    assert result["airframe"].mass == pytest.approx(3420.4)
    assert result["systems"].mass == pytest.approx(1630.5)
    assert result.root.mass == pytest.approx(3420.4 + 1450 + 1630.5 + 670 + 255)
    printed = [(one["label"], one["agrees"]) for one in result.to_dict()["reconciliation"]]
    assert printed == [(label, True) for label in ("OWE", "airframe", "propulsion", "systems", "furniture")]


def test_the_groups_of_a_published_aircraft_make_its_operating_weight(tmp_path: Path) -> None:
    """Figures of FAST-OAD_CS25's test data (cg_inputs.xml, commit 0e686d1), each rounded to 0.01 kg."""
    groups = {"airframe": 22448.35, "propulsion": 7740.81, "systems": 7818.58, "furniture": 3112.5, "crew": 470.0}
    stated = '<aircraft><OWE units="kg">41590.25</OWE></aircraft>'
    masses = "".join(f'<{group}><mass units="kg">{mass}</mass></{group}>' for group, mass in groups.items())
    path = tmp_path / "plane.xml"
    path.write_text(f"<FASTOAD_model><data><weight>{stated}{masses}</weight></data></FASTOAD_model>")
    root = mp.rollup(mp.Bom.read(path)).root
    assert root.mass == pytest.approx(41590.25, abs=0.03)


def test_the_centre_is_that_of_the_parts() -> None:
    # read again by another parser: every element that has a mass and a place of its own
    moment = total = 0.0
    for element in ElementTree.parse(PLANE).iter():
        mass, x = element.findtext("mass"), element.findtext("CG/x")
        if mass and x:
            total, moment = total + float(mass), moment + float(mass) * float(x)
    root = mp.rollup(mp.Bom.read(PLANE)).root
    assert root.center == pytest.approx([moment / total, 0, 0], rel=1e-12)


def test_design_weights_and_places_without_mass_are_no_items() -> None:
    findings = Findings()
    table = read_fastoad("plane.xml", PLANE.read_bytes(), FileOptions(), False, findings)
    ids = set(table.texts(0, 1))
    assert "OWE" in ids
    assert not {id for id in ids if "MTOW" in id or "fuel_tank" in id}
    assert (
        dict(zip(table.texts(0), table.texts(1), strict=True))["airframe:landing_gear:front"] == "airframe:landing_gear"
    )
    assert [finding.rule for finding in findings] == ["MP141"]


@pytest.mark.parametrize(("units", "mass"), [("", "2"), (' units="kg"', "2"), (' units="lb"', "0.90718474")])
def test_a_mass_without_units_is_in_kilograms(units: str, mass: str) -> None:
    assert row(read(f"<wing><mass{units}>2</mass></wing>"), 2)["mass [kg]"] == mass


def test_three_coordinates_are_read_unchanged() -> None:
    place = '<CG><x units="ft">10</x><y>0.5</y><z>-1</z></CG>'
    findings = Findings()
    table = read_fastoad(
        "plane.xml",
        f"<FASTOAD_model><data><weight><engine><mass>7</mass>{place}</engine></weight></data></FASTOAD_model>".encode(),
        FileOptions(),
        False,
        findings,
    )
    engine = row(table, 2)
    assert [float(engine[f"C{axis} [m]"]) for axis in "xyz"] == pytest.approx([3.048, 0.5, -1])
    assert not findings


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("", "states no masses"),
        ("<aircraft><MTOW>75000</MTOW></aircraft>", "states no masses"),
        ("<wing><mass>heavy</mass></wing>", "not a number: 'heavy'"),
        ('<wing><mass units="t">7</mass></wing>', "unit of mass is unknown: t "),
    ],
)
def test_what_cannot_be_read_is_rejected(weight: str, words: str) -> None:
    with pytest.raises(TableError) as caught:
        read(weight)
    assert words in str(caught.value)
