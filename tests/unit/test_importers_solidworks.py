"""SolidWorks mass-properties text, against three public reports; their sources stand in tests/importers/README.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.importers.parts_report import ReportTable
from massprops_cli.files.importers.solidworks import read_solidworks
from massprops_cli.files.options import FileOptions
from massprops_cli.findings import Findings
from massprops_cli.findings.finding import TableError

FILES = Path(__file__).parents[1] / "importers"
ROBOT, LEG, WING = (FILES / f"solidworks_{name}.txt" for name in ("examplerobot", "atrias_leg", "shellwing"))
LB, FT = 0.45359237, 0.3048


def read(text: str, sheet: str = "") -> ReportTable:
    return read_solidworks("part.txt", text.encode(), FileOptions(sheet=sheet), False, Findings())


def row(table: ReportTable) -> dict[str, str]:
    return dict(zip(table.row(0), table.row(1), strict=True))


def refused(text: str) -> str:
    with pytest.raises(TableError) as caught:
        read(text)
    return str(caught.value)


def report(*lines: str) -> str:
    return "\n".join(["Mass properties of bolt", *(lines or ("Mass = 1 kilograms",))])


def test_the_leg_has_the_tensor_about_the_origin_that_its_report_states() -> None:
    body = mp.rollup(mp.Bom.read(LEG)).root
    x, y, z = body.center
    # parallel axes, from any textbook: tensor entries about the origin
    step = body.mass * np.array(
        [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
    )
    stated = np.array(
        [
            [0.47661572, 0.11097872, 0.00049218],
            [0.11097872, 0.72860543, -0.00951923],
            [0.00049218, -0.00951923, 0.94906058],
        ]
    )
    assert body.mass == 21.48285668
    assert body.inertia + step == pytest.approx(stated, abs=2e-7)


def test_the_wing_has_the_principal_axes_that_its_report_states() -> None:
    body = mp.rollup(mp.Bom.read(WING)).root
    assert body.mass == pytest.approx(1.51653435 * LB, rel=1e-14)
    assert body.center == pytest.approx([-0.45582142 * FT, 0.92780847 * FT, 0])
    axis = np.array([-0.17069455, 0.98532399, 0])
    assert body.inertia @ axis == pytest.approx(0.16112601 * LB * FT**2 * axis, abs=1e-9)


def test_of_several_reports_one_must_be_named() -> None:
    text = ROBOT.read_text()
    assert "there are several reports: dell-inspiron-530-pc, Assem3" in refused(text)
    table = row(read(text, "Assem3"))
    assert table == row(read(text, "2"))
    assert float(table["mass [kg]"]) == pytest.approx(14.33209)
    assert float(table["Cy [m]"]) == pytest.approx(0.55388)
    assert float(table["Ixx [kg*m^2]"]) == pytest.approx(1.56738334737)
    with pytest.raises(TableError, match="no report of Assem4"):
        read(text, "Assem4")


def test_the_line_of_the_report_is_told() -> None:
    assert read(ROBOT.read_text(), "Assem3").place(1).line == 38


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


def test_a_sign_that_nothing_shows_is_asked_for(tmp_path: Path) -> None:
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
        (report("Mass = 1,234 grams"), "1,234 can be read as two numbers"),
        (report("Mass = heavy grams"), "'heavy' is not a number"),
        (report("Mass = 1 stones"), "the unit stones"),
        (report("Volume = 1 cubic meters"), "states no mass"),
        (report("Mass = 1 grams", "Center of mass: ( meters )", "X = 1.0"), "states no Y"),
        ("Density of bolt", "Mass properties of"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, words: str) -> None:
    assert words in refused(text)


def test_lines_may_end_as_windows_ends_them() -> None:
    assert row(read(LEG.read_text().replace("\n", " \r\n"))) == row(read(LEG.read_text()))


def test_numbers_that_contradict_each_other_are_refused() -> None:
    assert "can be read as two numbers" in refused(report("Mass = 12.3.4 kilograms", "Volume = 1.5 cubic meters"))


def test_a_text_made_to_be_slow_is_not() -> None:
    blank, open_brackets = "\n \n" * 100_000, "Center of mass (" * 50_000
    assert row(read(report(blank, "Mass = 1 kilograms", open_brackets)))["mass [kg]"] == "1"
