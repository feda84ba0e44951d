"""SolidWorks mass-properties text, against files of our own and the published figures of two parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.importers.solidworks import read_solidworks
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.findings.finding import Findings, TableError

FILES = Path(__file__).parents[1] / "importers"
PUMP, TWO = (FILES / f"solidworks_{name}.txt" for name in ("pump_housing", "two_parts"))
LB, FT = 0.45359237, 0.3048


def read(text: str, sheet: str = "") -> ReportTable:
    return read_solidworks("part.txt", text.encode(), FileOptions(sheet=sheet), False, Findings())


def row(table: ReportTable) -> dict[str, str]:
    return dict(zip(table.row(0), table.row(1), strict=True))


def rejected(text: str) -> str:
    with pytest.raises(TableError) as caught:
        read(text)
    return str(caught.value)


def report(*lines: str) -> str:
    return "\n".join(["Mass properties of bolt", *(lines or ("Mass = 1 kilograms",))])


SIX = tuple(f"{a}{b}" for a, b in ("xx", "yy", "zz", "xy", "xz", "yz"))


def full_report(
    mass: str,
    centre: tuple[float, ...],
    own: tuple[float, ...],
    origin: tuple[float, ...],
    units: tuple[str, str, str],
    note: str = "",
) -> str:
    """A report in the layout of SolidWorks: mass, centre, both tensors as Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    length, inertia_mass, inertia_length = units
    tensors = (
        ("L", "Taken at the center of mass and aligned with the output coordinate system.", own),
        ("I", "Taken at the output coordinate system.", origin),
    )
    lines = [f"Mass = {mass}", f"Center of mass: ( {length} )"]
    lines += [f"\t{axis} = {value:.8f}" for axis, value in zip("XYZ", centre, strict=True)]
    for letter, where, entries in tensors:
        lines += [f"Moments of inertia: ( {inertia_mass} * square {inertia_length} )", f"{where} {note}".rstrip()]
        lines += ["\t".join(f"{letter}{name} = {value:.8f}" for name, value in zip(SIX, entries, strict=True))]
    return report(*lines)


def about_the_origin(body: mp.Body) -> np.ndarray:
    """Tensor entries about the origin, by the parallel-axis theorem."""
    x, y, z = body.center
    step = [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
    return body.inertia + body.mass * np.array(step)


def test_the_pump_housing_has_the_tensor_about_the_origin_that_its_report_states() -> None:
    body = mp.rollup(mp.Bom.read(PUMP)).root
    assert body.mass == 3.25
    # the report writes products as integrals; on paper Ixy = -0.0021 + 3.25 x 0.12 x -0.045 = -0.01965
    stated = [[0.04050625, 0.01965, -0.0125], [0.01965, 0.077125, 0.0056875], [-0.0125, 0.0056875, 0.07258125]]
    assert about_the_origin(body) == pytest.approx(np.array(stated), abs=1e-8)


def test_a_published_leg_has_the_tensor_about_the_origin_that_was_published(tmp_path: Path) -> None:
    """Figures of the wiki page "ATRIAS 2.0 Measurements" of the robot ATRIAS, "One whole Leg"."""
    path = tmp_path / "leg.txt"
    path.write_text(
        full_report(
            "21.48285668 kilograms",
            (0.15699680, -0.03205624, -0.00092478),
            (0.45452151, 0.19907772, 0.39747541, -0.00286138, 0.00262687, 0.00888237),
            (0.47661572, 0.72860543, 0.94906058, -0.11097872, -0.00049218, 0.00951923),
            ("meters", "kilograms", "meters"),
        )
    )
    body = mp.rollup(mp.Bom.read(path)).root
    stated = np.array(
        [
            [0.47661572, 0.11097872, 0.00049218],
            [0.11097872, 0.72860543, -0.00951923],
            [0.00049218, -0.00951923, 0.94906058],
        ]
    )
    assert body.mass == 21.48285668
    assert about_the_origin(body) == pytest.approx(stated, abs=2e-7)


def test_a_published_wing_has_the_principal_axes_that_were_published(tmp_path: Path) -> None:
    """Figures of a report in pounds and feet, part "shellwing", published with a Python program."""
    path = tmp_path / "wing.txt"
    path.write_text(
        full_report(
            "1.51653435 pounds",
            (-0.45582142, 0.92780847, 0),
            (0.50358715, 0.17140362, 0.66303218, -0.05932693, 0, 0),
            (1.80906323, 0.48649877, 2.28360341, -0.70069202, 0, 0),
            ("feet", "pounds", "feet"),
            "(Using positive tensor notation.)",
        )
    )
    body = mp.rollup(mp.Bom.read(path)).root
    assert body.mass == pytest.approx(1.51653435 * LB, rel=1e-14)
    assert body.center == pytest.approx([-0.45582142 * FT, 0.92780847 * FT, 0])
    axis = np.array([-0.17069455, 0.98532399, 0])
    assert body.inertia @ axis == pytest.approx(0.16112601 * LB * FT**2 * axis, abs=1e-9)


def test_of_several_reports_one_must_be_named() -> None:
    text = TWO.read_text()
    assert "file contains several reports: gearbox cover, base plate" in rejected(text)
    table = row(read(text, "base plate"))
    assert table == row(read(text, "2"))
    assert float(table["mass [kg]"]) == pytest.approx(5.41625)
    assert float(table["Cy [m]"]) == pytest.approx(0.4125)
    assert float(table["Ixx [kg*m^2]"]) == pytest.approx(0.026)
    assert float(row(read(text, "1"))["Ixx [kg*m^2]"]) == pytest.approx(41250.5e-3 * 0.0254**2)
    with pytest.raises(TableError, match="no report of base"):
        read(text, "base")


def test_the_line_of_the_report_is_reported() -> None:
    assert read(TWO.read_text(), "base plate").place(1).line == 36


TENSORS = """
Center of mass: ( meters )
  X = 1.0
  Y = 2.0
  Z = 0.0
Moments of inertia: ( kilograms * square meters )
Taken at the center of mass and aligned with the output coordinate system. {note}
  Lxx = 5.0 Lxy = 0.5 Lxz = 0.0
  Lyx = 0.5 Lyy = 5.0 Lyz = 0.0
  Lzx = 0.0 Lzy = 0.0 Lzz = 5.0
{origin}"""
ORIGIN = """Moments of inertia: ( kilograms * square meters )
Taken at the output coordinate system. {note}
  Ixx = 13.0 Ixy = {product} Ixz = 0.0
  Iyx = {product} Iyy = 7.0 Iyz = 0.0
  Izx = 0.0 Izy = 0.0 Izz = 15.0
"""


@pytest.mark.parametrize(
    ("note", "product", "sign"),
    [
        ("", 0.5 + 2 * 1 * 2, "+"),
        ("", 0.5 - 2 * 1 * 2, "-"),
        ("(Using negative tensor notation.)", 0.5 - 2 * 1 * 2, "-"),
        ("(Using positive tensor notation.)", None, "+"),
        ("(Using negative\ntensor notation.)", None, "-"),
        ("(Using positive tensor notation.)", 0.5 - 2 * 1 * 2, "-"),  # numbers come before words
    ],
)
def test_the_sign_of_products_is_that_of_the_numbers_else_of_the_words(
    note: str, product: float | None, sign: str
) -> None:
    origin = "" if product is None else ORIGIN.format(note=note, product=product)
    table = read(report("Mass = 2 kilograms", TENSORS.format(note=note, origin=origin)))
    assert row(table)["POIconv"] == sign
    assert row(table)["Ixy [kg*m^2]"] == "0.5"


def test_a_sign_that_nothing_shows_is_requested(tmp_path: Path) -> None:
    path = tmp_path / "part.txt"
    path.write_text(report("Mass = 2 kilograms", TENSORS.format(note="", origin="")))
    assert "MP214" in {finding.rule for finding in mp.Bom.read(path).findings}


@pytest.mark.parametrize(
    ("words", "mass"),
    [
        ("= 206.3895 grams", 0.2063895),
        ("= 0,25 kilograms", 0.25),
        ("= 1.234,5 grams", 1.2345),
        ("= 1,234.5 grams", 1.2345),
        ("(user-overridden) = 2 pounds", 2 * LB),
        ("= 3 slugs", 3 * 14.593902937206364),
    ],
)
def test_masses(words: str, mass: float) -> None:
    assert float(row(read(report(f"Mass {words}")))["mass [kg]"]) == pytest.approx(mass, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (report("Mass = 1,234 grams"), "number is ambiguous: 1,234"),
        (report("Mass = heavy grams"), "not a number: 'heavy'"),
        (report("Mass = 1 stones"), "unit is unknown: stones"),
        (report("Volume = 1 cubic meters"), "states no mass"),
        (report("Mass = 1 grams", "Center of mass: ( meters )", "X = 1.0"), "states no Y"),
        ("Density of bolt", "Mass properties of"),
    ],
)
def test_what_cannot_be_read_is_rejected(text: str, words: str) -> None:
    assert words in rejected(text)


def test_lines_may_end_as_windows_ends_them() -> None:
    assert row(read(PUMP.read_text().replace("\n", " \r\n"))) == row(read(PUMP.read_text()))


def test_numbers_that_contradict_each_other_are_rejected() -> None:
    assert "number is ambiguous: 12.3.4" in rejected(report("Mass = 12.3.4 kilograms", "Volume = 1.5 cubic meters"))


def test_a_text_made_to_be_slow_is_not() -> None:
    blank, open_brackets = "\n \n" * 100_000, "Center of mass (" * 50_000
    assert row(read(report(blank, "Mass = 1 kilograms", open_brackets)))["mass [kg]"] == "1"
