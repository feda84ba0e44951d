"""OpenVSP, AVL and OpenRocket files on the command line; the sums are done by hand in the comments."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILES = Path(__file__).parents[1] / "importers"
VSP, AVL, ORK = (FILES / "openvsp_biplane_MassProps.txt", FILES / "avl_glider.mass", FILES / "openrocket_sounding.xml")
Run = Callable[..., Any]


def report_of(result: Any) -> dict[str, Any]:
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    assert isinstance(report, dict)
    return report


def root_of(result: Any) -> dict[str, Any]:
    report = report_of(result)
    return next(item for item in report["items"] if item["id"] == report["root"])


def rows_of(result: Any) -> dict[str, dict[str, str]]:
    assert result.exit_code == 0, result.output
    return {row["id"]: row for row in csv.DictReader(io.StringIO(result.stdout))}


def rules_of(result: Any) -> list[str]:
    return [finding["rule"] for finding in report_of(result)["findings"]]


def test_openvsp_components_sum_to_the_totals_of_the_file(massprops: Run, tmp_path: Path) -> None:
    row = rows_of(massprops("rollup", VSP, "--to", "csv", "-o", "-"))["Vehicle"]
    assert float(row["mass"]) == 150
    # x = (100·5 + 40·6 + 10·4)/150, z = (40·1 − 10·2)/150
    assert float(row["Cx"]) == pytest.approx(5.2)
    assert float(row["Cz"]) == pytest.approx(20 / 150)
    # Ixx = 50 + 300 + 40·1² + 10·2² − 150·z²; +∫xz dm = 2 + 40·6·1 − 10·4·2 − 150·5.2·z
    assert float(row["Ixx"]) == pytest.approx(430 - 150 * (20 / 150) ** 2)
    assert (float(row["Ixz"]), row["POIconv"]) == (pytest.approx(58), "+")
    checked = massprops("validate", VSP, "--fail-on", "note", "--ignore", "MP140")
    assert checked.exit_code == 0, checked.output


def test_openvsp_totals_that_differ_are_reported(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a_MassProps.txt"
    path.write_text(VSP.read_text().replace("Totals\t1.500000000000000e+02", "Totals\t1.600000000000000e+02"))
    result = massprops("rollup", path, "--format", "concise", "-o", tmp_path / "o.csv")
    assert "160" in result.output
    assert "warning" in result.output


def test_openvsp_totals_are_the_values_of_the_root(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a_MassProps.txt"
    text = VSP.read_text()
    path.write_text(text[: text.index("Name", text.index("Gear"))])
    with_totals, without = (
        rows_of(massprops("convert", file, "--to", "csv", "-o", "-"))["Vehicle"] for file in (VSP, path)
    )
    # the totals of OpenVSP are about the centre of mass, so not about the origin of the table
    assert (float(with_totals["mass"]), with_totals["Ipoint"]) == (150, "false")
    assert (without["mass"], without["Ipoint"]) == ("", "")


def test_openvsp_faults_of_values_name_the_line(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a_MassProps.txt"
    path.write_text(VSP.read_text().replace("Gear\t1.", "Gear\t-1."))
    result = massprops("rollup", path, "--format", "json", "-o", tmp_path / "o.csv")
    lines = {finding["place"]["line"] for finding in json.loads(result.stdout)["findings"] if finding["item"] == "Gear"}
    assert lines == {15}


def test_openvsp_faults_are_all_reported_with_their_lines(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a_MassProps.txt"
    text = VSP.read_text().replace("Fuselage\t1.000000000000000e+02", "Fuselage\tnan").replace("Gear\t", "Gear")
    path.write_text(text)
    result = massprops("rollup", path)
    assert result.exit_code == 2
    assert "value of Fuselage is not a number: 'nan'" in result.output
    assert f"{path.name}:13" in result.output
    assert f"{path.name}:15" in result.output


def test_avl_items_in_grams_and_inches_with_factors_and_summands(massprops: Run) -> None:
    rows = rows_of(massprops("rollup", AVL, "--to", "csv", "-o", "-"))
    top, inch = rows["avl_glider"], 0.0254
    # masses 50 + 50 + 1.2·20 + 26; x = (50·4·2 + 24·8.5 − 26·6)/150; z = 100·1/150
    assert float(top["mass [kg]"]) == pytest.approx(0.15)
    assert float(top["Cx [m]"]) == pytest.approx(448 / 150 * inch)
    assert float(top["Cz [m]"]) == pytest.approx(100 / 150 * inch)
    # Ixx = 2·4000 + 100·(10² + 1²) − 150·z²; +∫xz dm = 100·4·1 − 150·x·z
    assert float(top["Ixx [kg*m^2]"]) == pytest.approx((18100 - 150 * (2 / 3) ** 2) * 1e-3 * inch**2)
    assert float(top["Ixz [kg*m^2]"]) == pytest.approx((400 - 150 * 448 / 150 * 2 / 3) * 1e-3 * inch**2)
    assert (top["POIconv"], rows["boom"]["Ipoint"]) == ("+", "true")
    assert "nose weight" not in rows


def test_avl_file_without_units_is_read_by_its_suffix(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.mass"
    path.write_text("# no units\n2.0 1.0 0 0 ! front\n6.0D0, 5. 0 0\n")
    row = rows_of(massprops("rollup", path, "--to", "csv", "-o", "-"))["a"]
    assert (float(row["mass"]), float(row["Cx"])) == (8, 4)
    assert "not stated" in massprops("rollup", path).output


def test_avl_lines_that_are_no_numbers_are_all_reported(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.mass"
    path.write_text("Lunit = 1 m\nMunit = x kg\n1 2 3 4\nwing 2 3\n1 2\n")
    result = massprops("rollup", path)
    assert result.exit_code == 2
    assert [f"a.mass:{line}" in result.output for line in (2, 3, 4, 5)] == [True, False, True, True]


def test_openrocket_masses_follow_from_shape_and_material(massprops: Run, tmp_path: Path) -> None:
    rows = rows_of(massprops("rollup", ORK, "--to", "csv", "-o", "-"))
    masses = {name: float(row["mass [kg]"]) for name, row in rows.items()}
    centres = {name: float(row["Cx [m]"]) for name, row in rows.items()}
    expected = {
        "Nose cone": (1000 * math.pi * 0.05**2 * 0.3 / 3, 0.75 * 0.3),
        "Body tube (own)": (700 * math.pi * (0.05**2 - 0.048**2), 0.3 + 0.5),
        "Motor mount": (700 * math.pi * (0.02**2 - 0.019**2) * 0.3, 1.3 - 0.15),
        "Fins": (3 * 0.1 * 0.1 * 0.003 * 600, 1.2 + 0.075),
        "Bulkhead": (500 * math.pi * 0.048**2 * 0.01, 0.3 + 0.2 + 0.005),
        "Avionics": (0.5, 0.8),
        "Parachute": (0.067 * math.pi / 4, 0.3 + 0.3 + 0.05),
        "Shock cord": (0.008, 0.7 + 0.025),
    }
    for name, (mass, centre) in expected.items():
        assert masses[name] == pytest.approx(mass), name
        assert centres[name] == pytest.approx(centre), name
    total = sum(mass for mass, _ in expected.values())
    assert masses["Sounding rocket"] == pytest.approx(total)
    assert centres["Sounding rocket"] == pytest.approx(sum(m * x for m, x in expected.values()) / total)


def test_openrocket_archive_is_read_as_its_xml(massprops: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.ork", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("preview.png", b"x" * 5000)
        archive.write(ORK, "rocket.ork")
    packed = massprops("convert", tmp_path / "a.ork", "--to", "csv")
    assert packed.exit_code == 0, packed.output
    assert packed.stdout == massprops("convert", ORK, "--to", "csv").stdout


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("<shape>conical</shape>", "<shape>spike</shape>", "Nose cone is not computed: its shape is spike"),
        ("square</cross", "wedge</cross", "Fins is not computed: the cross-section of its fins is wedge"),
        ("<length>0.3</length>", "<length>0</length>", "Nose cone is not computed: its length is not positive"),
        ("single</cluster", "4-ring</cluster", "Motor mount is not computed: it is a cluster of tubes"),
        ('"surface" density', '"bulk" density', "Parachute is not computed: it has no surface density"),
    ],
)
def test_a_component_without_a_formula_and_override_is_a_finding(
    massprops: Run, tmp_path: Path, old: str, new: str, reason: str
) -> None:
    path = tmp_path / "a.ork"
    path.write_text(ORK.read_text().replace(old, new))
    result = massprops("rollup", path)
    assert result.exit_code == 1
    assert reason in result.output
    assert "partial, not written" in result.output


_ELLIPSE = "<shape>ellipsoid</shape>"
_CIRCLE = (0.3**2 + 0.05**2) / (2 * 0.05)  # radius of the arc of a tangent ogive, 0.3 m long and 0.05 m wide


@pytest.mark.parametrize(
    ("profile", "volume"),
    [
        (_ELLIPSE, 2 / 3 * math.pi * 0.05**2 * 0.3),
        ("<shape>haack</shape><shapeparameter>0</shapeparameter>", math.pi * 0.05**2 * 0.3 / 2),
        ("<shape>haack</shape><shapeparameter>0.3333333333</shapeparameter>", math.pi * 0.05**2 * 0.3 * 9 / 16),
        ("<shape>power</shape><shapeparameter>0.75</shapeparameter>", math.pi * 0.05**2 * 0.3 / 2.5),
        ("<shape>parabolic</shape><shapeparameter>1</shapeparameter>", math.pi * 0.05**2 * 0.3 * 8 / 15),
        (
            "<shape>ogive</shape>",
            math.pi * (0.3 * _CIRCLE**2 - 0.3**3 / 3 - (_CIRCLE - 0.05) * _CIRCLE**2 * math.asin(0.3 / _CIRCLE)),
        ),
        ("<shape>ogive</shape><shapeparameter>0</shapeparameter>", math.pi * 0.05**2 * 0.1),
    ],
)
def test_a_solid_nose_of_every_profile_has_the_volume_of_its_closed_form(
    massprops: Run, tmp_path: Path, profile: str, volume: float
) -> None:
    path = tmp_path / "a.ork"
    path.write_text(ORK.read_text().replace("<shape>conical</shape>", profile))
    row = rows_of(massprops("rollup", path, "--to", "csv", "-o", "-"))["Nose cone"]
    assert float(row["mass [kg]"]) == pytest.approx(1000 * volume, rel=2e-5)


def test_a_wall_of_an_ellipsoid_has_the_thickness_across_its_surface(massprops: Run, tmp_path: Path) -> None:
    """A thin wall is its area times its thickness, and half a sphere of radius r has the area 2 π r²."""
    text = ORK.read_text().replace("<shape>conical</shape>", _ELLIPSE)
    text = text.replace("<length>0.3</length>", "<length>0.05</length>", 1)
    text = text.replace("<thickness>filled</thickness>", "<thickness>0.00001</thickness>", 1)
    (tmp_path / "a.ork").write_text(text)
    row = rows_of(massprops("rollup", tmp_path / "a.ork", "--to", "csv", "-o", "-"))["Nose cone"]
    assert float(row["mass [kg]"]) == pytest.approx(1000 * 2 * math.pi * 0.05**2 * 0.00001, rel=1e-3)
    assert float(row["Cx [m]"]) == pytest.approx(0.025, rel=1e-3)


@pytest.mark.parametrize(("clipped", "share"), [("true", 1.0), ("false", 0.0)])
def test_a_clipped_transition_continues_a_nose(massprops: Run, tmp_path: Path, clipped: str, share: float) -> None:
    """A square-root profile that is clipped at half its radius is that of a nose 4/3 as long, r² linear in x."""
    nose = "<aftradius>0.05</aftradius>"
    transition = f"<foreradius>0.025</foreradius>{nose}<shapeclipped>{clipped}</shapeclipped>"
    text = ORK.read_text().replace("nosecone>", "transition>").replace(nose, transition, 1)
    text = text.replace("<shape>conical</shape>", "<shape>power</shape><shapeparameter>0.5</shapeparameter>")
    (tmp_path / "a.ork").write_text(text)
    row = rows_of(massprops("rollup", tmp_path / "a.ork", "--to", "csv", "-o", "-"))["Nose cone"]
    linear = math.pi * 0.3 * (0.05**2 + 0.025**2) / 2
    # r = 0.025 (1 + √u): the mean of r² over u is 0.025² (1 + 4/3 + 1/2)
    added = math.pi * 0.3 * 0.025**2 * (1 + 4 / 3 + 1 / 2)
    assert float(row["mass [kg]"]) == pytest.approx(1000 * (share * linear + (1 - share) * added), rel=2e-5)


@pytest.mark.parametrize(("at", "inner"), [(0.9, 0.02), (0.2, 0.0)])
def test_an_automatic_ring_has_the_radius_of_the_tube_through_it(
    massprops: Run, tmp_path: Path, at: float, inner: float
) -> None:
    """The motor mount is 0.7 m to 1 m behind the front of the body tube."""
    ring = (
        "<centeringring><name>Ring</name><material type='bulk' density='500'/><length>0.01</length>"
        f"<axialoffset method='top'>{at}</axialoffset><outerradius>auto</outerradius>"
        "<innerradius>auto</innerradius></centeringring>"
    )
    (tmp_path / "a.ork").write_text(ORK.read_text().replace("<innertube>", f"{ring}<innertube>", 1))
    row = rows_of(massprops("rollup", tmp_path / "a.ork", "--to", "csv", "-o", "-"))["Ring"]
    assert float(row["mass [kg]"]) == pytest.approx(500 * math.pi * (0.048**2 - inner**2) * 0.01)


def test_an_override_of_mass_and_centre_counts_before_the_shape(massprops: Run, tmp_path: Path) -> None:
    text = ORK.read_text().replace(
        "<shape>conical</shape>", "<shape>spike</shape><overridemass>0.9</overridemass><overridecg>0.2</overridecg>"
    )
    (tmp_path / "a.ork").write_text(text)
    row = rows_of(massprops("rollup", tmp_path / "a.ork", "--to", "csv", "-o", "-"))["Nose cone"]
    assert (float(row["mass [kg]"]), float(row["Cx [m]"])) == (0.9, 0.2)


def test_an_override_with_subcomponents_replaces_them(massprops: Run, tmp_path: Path) -> None:
    override = "<overridemass>3.0</overridemass><overridesubcomponentsmass>true</overridesubcomponentsmass>"
    (tmp_path / "a.ork").write_text(
        ORK.read_text().replace("<name>Body tube</name>", f"<name>Body tube</name>{override}")
    )
    rows = rows_of(massprops("rollup", tmp_path / "a.ork", "--to", "csv", "-o", "-"))
    assert "Avionics" not in rows
    nose = 1000 * math.pi * 0.05**2 * 0.3 / 3
    assert float(rows["Sounding rocket"]["mass [kg]"]) == pytest.approx(3 + nose)
    before = rows_of(massprops("rollup", ORK, "--to", "csv", "-o", "-"))["Body tube"]
    assert float(rows["Body tube"]["Cx [m]"]) == pytest.approx(float(before["Cx [m]"]))


def test_pods_count_as_often_as_they_are_there_and_a_hollow_cone_is_exact(massprops: Run, tmp_path: Path) -> None:
    cone = (
        "<nosecone><name>Tip</name><material type='bulk' density='1000'/><length>0.04</length>"
        "<thickness>0.006</thickness><shape>conical</shape><aftradius>0.03</aftradius><aftshoulderradius>0.02</aftshoulderradius>"
        "<aftshoulderlength>0.01</aftshoulderlength><aftshoulderthickness>0.001</aftshoulderthickness></nosecone>"
    )
    pods = (
        "<podset><name>Pods</name><instancecount>3</instancecount><axialoffset method='top'>0.5</axialoffset>"
        f"<subcomponents>{cone}</subcomponents></podset>"
    )
    (tmp_path / "a.ork").write_text(ORK.read_text().replace("<innertube>", f"{pods}<innertube>", 1))
    rows = rows_of(massprops("rollup", tmp_path / "a.ork", "--to", "csv", "-o", "-"))
    # wall across a slope of 3 : 4 : 5: radii smaller by 0.006·5/4 = 0.0075, so the inside is 3/4 as wide and as long
    outer = math.pi * 0.03**2 * 0.04 / 3
    shoulder = math.pi * (0.02**2 - 0.019**2) * 0.01
    volume = outer * (1 - 0.75**3) + shoulder
    assert float(rows["Tip"]["mass [kg]"]) == pytest.approx(1000 * volume)
    moment = outer * 0.03 - outer * 0.75**3 * (0.01 + 0.75 * 0.03) + shoulder * 0.045
    assert float(rows["Tip"]["Cx [m]"]) == pytest.approx(0.3 + 0.5 + moment / volume)
    plain = rows_of(massprops("rollup", ORK, "--to", "csv", "-o", "-"))["Sounding rocket"]
    added = float(rows["Sounding rocket"]["mass [kg]"]) - float(plain["mass [kg]"])
    assert added == pytest.approx(3 * 1000 * volume)


def test_files_without_components_are_rejected(massprops: Run, tmp_path: Path) -> None:
    for text in ("<openrocket/>", "<openrocket><rocket><name>R</name></rocket></openrocket>"):
        (tmp_path / "a.ork").write_text(text)
        assert "MP111" in massprops("rollup", tmp_path / "a.ork", "--format", "concise").output
    with zipfile.ZipFile(tmp_path / "b.ork", "w") as archive:
        archive.writestr("readme.txt", "no design")
    assert "archive has no rocket.ork" in massprops("rollup", tmp_path / "b.ork").output


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("arm.urdf", "<robot name='arm'><link name='a'/></robot>", "robot has no link with an inertial"),
        ("arm.xml", "<?xml version='1.0'?><!-- x --><robot name='arm'/>", "robot has no link with an inertial"),
        ("arm.xacro", "<launch/>", "XML of an unknown kind: its root element is launch"),
        ("world.sdf", "<?xml version='1.0'?><sdf version='1.6'/>", "file has no world and no model"),
        ("parts.xml", "<?xml version='1.0'?><parts/>", "XML of an unknown kind: its root element is parts"),
        (
            "book.csv",
            "<?xml version='1.0'?><Workbook xmlns='a'/>",
            "XML of an unknown kind: its root element is Workbook",
        ),
    ],
)
def test_xml_of_no_known_kind_is_rejected_by_name(
    massprops: Run, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    result = massprops("rollup", tmp_path / name)
    assert result.exit_code == 2
    assert message in result.output


def test_short_rows_are_completed_with_one_note_and_long_rows_are_errors(massprops: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,parent,mass,Cx,Cy,Cz,note\ntop\na,top,1,2,3,4\nb,top,3,2,3,4,spare\n")
    result = massprops("rollup", path, "-o", tmp_path / "o.csv", "-v")
    assert result.exit_code == 0, result.output
    assert result.output.count("MP133") == 1
    assert (tmp_path / "o.csv").read_text().splitlines()[1:3] == ["top,,4,2,3,4", "a,top,1,2,3,4"]
    path.write_text(path.read_text() + "c,top,1,2,3,4,x,y\n")
    longer = massprops("rollup", path, "-o", tmp_path / "p.csv")
    assert longer.exit_code == 1
    assert "MP108" in longer.output
