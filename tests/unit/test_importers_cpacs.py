"""CPACS mass breakdowns, against a file of our own and published figures of the design tool VAMPzero."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import massprops_cli as mp
from massprops_cli.files.importers.cpacs import read_cpacs
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.findings.finding import Finding, Findings, TableError

AT_X = "<location><x>1</x><y>0</y><z>0</z></location>"
INERTIA = "<massInertia><Jxx>80</Jxx><Jyy>90</Jyy><Jzz>90</Jzz></massInertia>"
PLANE = Path(__file__).parents[1] / "importers" / "cpacs_commuter.xml"


def read(breakdown: str, model: str = "<model uID='X'>{}</model>") -> tuple[ReportTable, list[Finding]]:
    inner = model.format(f"<analyses><massBreakdown>{breakdown}</massBreakdown></analyses>")
    text = f"<cpacs><vehicles><aircraft>{inner}</aircraft></vehicles></cpacs>"
    findings = Findings()
    return read_cpacs("plane.xml", text.encode(), FileOptions(), False, findings), findings


def row(table: ReportTable, i: int) -> dict[str, str]:
    return dict(zip(table.row(0), table.row(i), strict=True))


def described(mass: float, more: str = "") -> str:
    return f"<massDescription><mass>{mass}</mass>{more}</massDescription>"


def test_the_totals_are_those_that_the_file_states() -> None:
    result = mp.rollup(mp.read_bom(PLANE, allow_missing={"center"}))
    # 420 + 980 + 96.5 + 74 + 1310 + 260 + 88 + 912 + 745 + 345 = 5230.5; with 1900 of payload and 1470 of fuel 8600.5
    assert result["mOEM"].mass == 5230.5
    assert result.root.mass == 8600.5
    printed = [(one["label"], one["stated"], one["agrees"]) for one in result.to_dict()["reconciliation"]]
    assert printed == [("C19", 8600.5, True), ("mOEM", 5228, False)]
    reported = [finding.message for finding in result.findings if finding.rule == "MP411"]
    assert reported == ["stated values of mOEM differ from those of its children: mass 5228 (children: 5230.5)"]


def test_the_masses_that_vampzero_published_make_its_take_off_mass(tmp_path: Path) -> None:
    """Figures of VAMPzero's toolOutput.xml (p-chambers/VAMPzero, 03ac4e7); the parts are 0.065 kg off the total."""
    parts = {
        "mOperatorItems": 6605.74065291, "wing": 13524.6635778, "htp": 597.309527992, "vtp": 240.514373274,
        "fuselage": 11331.3972645, "mLandingGears": 2984.29592848, "mPylons": 749.663183872,
        "mPowerUnits": 4674.01719148, "mSystems": 5828.41048474, "mFurnishing": 3883.60958427,
    }  # fmt: skip
    inner = "".join(f"<{part}>{described(mass)}</{part}>" for part, mass in parts.items())
    breakdown = (
        "<designMasses><mTOM><mass>90522.640129</mass></mTOM></designMasses>"
        f"<payload>{described(18900)}</payload><fuel>{described(21203.0826756)}</fuel>"
        f"<mOEM>{described(50419.601817)}{inner}</mOEM>"
    )
    path = tmp_path / "plane.xml"
    path.write_text(
        "<cpacs><vehicles><aircraft><model uID='A'><analyses><massBreakdown>"
        f"{breakdown}</massBreakdown></analyses></model></aircraft></vehicles></cpacs>"
    )
    result = mp.rollup(mp.read_bom(path))
    assert result.root.mass == pytest.approx(90522.640129, abs=0.065)
    assert result["mOEM"].mass == pytest.approx(50419.601817, abs=0.03)
    printed = [(one["label"], one["agrees"]) for one in result.to_dict()["reconciliation"]]
    assert printed == [("A", True), ("mOEM", False)]  # 0.065 is within half a unit of the payload, 18900


def test_the_centre_of_the_wings_is_that_of_the_three() -> None:
    # read again by another parser
    moment = total = 0.0
    for part in ElementTree.parse(PLANE).iter("mWingStructure"):
        mass, x = float(part.findtext("massDescription/mass")), float(part.findtext("massDescription/location/x"))
        total, moment = total + mass, moment + mass * x
    wings = mp.rollup(mp.read_bom(PLANE, allow_missing={"center"}))["mOEM:mEM:mStructure:mWingsStructure"]
    assert wings.mass == pytest.approx(total, rel=1e-12)
    assert wings.center == pytest.approx([moment / total, 0, 0], rel=1e-12)


def test_what_is_not_read_unchanged_is_reported() -> None:
    findings = Findings()
    read_cpacs("plane.xml", PLANE.read_bytes(), FileOptions(), False, findings)
    assert [finding.rule for finding in findings] == ["MP141", "MP140", "MP140"]
    assert [word for word in ("mCargo", "mPowerUnits") if any(word in f.message for f in findings)]
    assert findings[0].count == 5


@pytest.mark.parametrize(
    ("centre", "moments"), [((3, 0, 0), (8, 116, 116)), ((0, 3, 0), (116, 8, 116)), ((0, 0, 3), (116, 116, 8))]
)
def test_an_inertia_about_the_origin_is_moved_to_the_own_centre(centre, moments) -> None:
    # a solid cube of side 2 m and 12 kg has m (2² + 2²) / 12 = 8 kg·m² about its own centre, 8 + 12·3² = 116 about axes
    # at 3 m
    inertia = "<massInertia><Jxx>{}</Jxx><Jyy>{}</Jyy><Jzz>{}</Jzz></massInertia>".format(*moments)
    location = "<location><x>{}</x><y>{}</y><z>{}</z></location>".format(*centre)
    table, findings = read(f"<mOEM><cube>{described(12, location + inertia)}</cube></mOEM>")
    own = row(table, 3)
    assert [float(own[f"I{axis} [kg*m^2]"]) for axis in ("xx", "yy", "zz", "xy", "xz", "yz")] == [8, 8, 8, 0, 0, 0]
    (finding,) = findings
    assert (finding.rule, finding.value) == ("MP248", "mOEM:cube")
    assert "transferred to the centre of mass" in finding.message


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (INERTIA, "no location"),
        (f"{AT_X}<massInertia><Jxx>8</Jxx></massInertia>", "not all of"),
        (f"<location><x>1</x><y>0</y><z>2</z></location>{INERTIA}", "products"),
        (f"{AT_X}<orientation><x>0</x><y>0</y><z>30</z></orientation>{INERTIA}", "rotated"),
    ],
)
def test_an_inertia_that_cannot_be_moved_is_left_out_and_reported(more: str, why: str) -> None:
    table, findings = read(f"<mOEM><gear>{described(12, more)}</gear></mOEM>")
    assert not [name for name in table.row(0) if name.startswith("I")]
    (finding,) = findings
    assert finding.rule == "MP140"
    assert why in finding.message


def test_a_mass_without_description_is_an_item_and_siblings_are_numbered() -> None:
    table, _ = read(
        "<mOEM><mGroup><mElement><mass>2</mass></mElement><mElement><mass>3</mass></mElement></mGroup></mOEM>"
    )
    assert table.texts(0, 1) == ["X", "mOEM", "mOEM:mGroup", "mOEM:mGroup:mElement[1]", "mOEM:mGroup:mElement[2]"]
    assert table.texts(2, 1) == ["", "", "", "2", "3"]


def test_take_off_mass_is_compared_only_where_all_of_it_is_there() -> None:
    design = "<designMasses><mTOM><mass>9</mass></mTOM></designMasses>"
    part = f"<mOEM>{described(5)}</mOEM>"
    assert row(read(design + part)[0], 1)["mass [kg]"] == ""
    whole = f"{design}{part}<fuel>{described(3)}</fuel><payload>{described(1)}</payload>"
    assert row(read(whole)[0], 1)["mass [kg]"] == "9"


def test_two_aircraft_are_two_roots() -> None:
    one = f"<analyses><massBreakdown><fuel>{described(3)}</fuel></massBreakdown></analyses>"
    table, _ = read("", f"<model uID='A'>{one}</model><model uID='B'>{one}</model>")
    assert table.texts(0, 1) == ["A", "A:fuel", "B", "B:fuel"]
    assert table.texts(1, 1) == ["", "A", "", "B"]


def test_a_file_without_masses_is_rejected() -> None:
    with pytest.raises(TableError) as caught:
        read("")
    assert [finding.rule for finding in caught.value.findings] == ["MP111"]
