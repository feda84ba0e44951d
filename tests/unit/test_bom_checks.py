"""Physical checks of single items, of parts in several places, and of what only the roll-up can show."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.rollup import _unit_slip_text
from tests.unit.bom_tables import HEADER, bom_of, only, reported

CUBE = "1 1 1 0 0 0"
TOP = "t . . . . . . . . . . . - ."


def test_a_negative_mass_needs_to_be_allowed() -> None:
    rows = ("t . .", "a t -2", "b t 5")
    assert only(bom_of("id parent mass", *rows).findings, "MP401").item == "a"
    assert mp.rollup(bom_of("id parent mass", *rows), keep_going=True).root.mass == 3  # as stated, and not written
    allowed = bom_of("id parent mass", *rows, allow_negative_mass=True)
    assert allowed.findings == ()
    assert mp.rollup(allowed).root.mass == 3


def test_a_mass_of_nothing_is_a_warning() -> None:
    assert only(bom_of("id parent mass", "t . .", "a t 0", "b t 5").findings, "MP402").severity is mp.Severity.WARNING


@pytest.mark.parametrize(
    ("tensor", "rule"),
    [("1 1 2 0 0 0", ""), ("0 1 1 0 0 0", ""), ("1 1 2.5 0 0 0", "MP404"), ("1 1 1 2 0 0", "MP403"),
     ("1.00 1.00 2.01 0 0 0", "MP405"), ("0 0 0 0 0 0", "MP406")],
)  # fmt: skip
def test_tensors_are_judged_by_their_principal_moments(tensor: str, rule: str) -> None:
    """A plate and a rod lie on the boundary; 2.01 may be 2.005, and 1.00 may be 1.005."""
    bom = bom_of(HEADER, TOP, f"a t 1 0 0 0 {tensor} - no", f"b t 1 1 1 1 {CUBE} - no")
    assert [f.rule for f in bom.findings if f.item == "a"] == ([rule] if rule else [])


def test_the_rounding_of_a_cell_is_that_of_its_own_unit() -> None:
    """The same digits in g·mm² and kg·mm² next to masses in kg: one slack, one rounding, both scaled by 1000."""
    header = HEADER.replace("mass", "mass[kg]").replace("Cx Cy Cz", "Cx[mm] Cy[mm] Cz[mm]")
    for unit in ("kg*mm^2", "g*mm^2"):
        names = header
        for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"):
            names = names.replace(name, f"{name}[{unit}]")
        noted = bom_of(names, TOP, "a t 1 0 0 0 1.00 1.00 2.01 0 0 0 - no", f"b t 1 1 1 1 {CUBE} - no")
        assert [f.rule for f in noted.findings if f.item == "a"] == ["MP405"]


def test_a_body_removed_has_negative_moments() -> None:
    """A plate of 1 1 2 with a hole of mass 1 in its middle: what is left has the rest of every moment."""
    rows = (TOP, "a t 3 0 0 0 1 1 2 0 0 0 - no", "hole t -1 0 0 0 -.25 -.25 -.5 0 0 0 - no")
    bom = bom_of(HEADER, *rows, allow_negative_mass=True)
    assert bom.findings == ()
    assert np.diag(mp.rollup(bom).root.inertia).tolist() == [0.75, 0.75, 1.5]
    wrong = bom_of(HEADER, TOP, rows[1], f"hole t -1 0 0 0 {CUBE} - no", allow_negative_mass=True)
    assert "mass is negative" in only(wrong.findings, "MP403").message


@pytest.mark.parametrize(
    ("tensor", "rule"),
    [("3.1 3.2 3.3", "MP403"), ("0.1 1.15 1.2", "MP404"), ("0.5 0.5 0.5", ""), ("1.1 1.2 0.0001", "MP404")],
)
def test_computed_tensor_with_removed_pieces_is_that_of_a_body(tensor: str, rule: str) -> None:
    """1.1 1.2 1.3 less 3.1 3.2 3.3 is −2 three times; less 0.1 1.15 1.2 it is 1 0.05 0.1; less 0.5 a body."""
    rows = (f"{TOP} 1", "u t . . . . . . . . . . - . 1", "a u 5 2 0 0 1.1 1.2 1.3 0 0 0 - no 1")
    hole = f"b u 2 2 0 0 {tensor} 0 0 0 - no -1"
    found = [f for f in mp.rollup(bom_of(f"{HEADER} qty", *rows, hole), keep_going=True).findings if f.item != "b"]
    found = [f for f in found if f.rule in ("MP403", "MP404")]
    assert [(f.rule, f.item) for f in found] == ([(rule, "t"), (rule, "u")] if rule else [])
    assert all(f.severity is mp.Severity.WARNING for f in found)


@pytest.mark.parametrize(("qty", "warned"), [("2", True), ("-2", True), ("1", False), ("1.5", False), ("0", False)])
def test_several_pieces_at_one_place_are_warned_of(qty: str, warned: bool) -> None:
    header = f"{HEADER} qty"
    leaf = bom_of(header, f"{TOP} .", f"a t 1 0 0 0 {CUBE} - no {qty}", f"b t 9 0 0 0 {CUBE} - no 1")
    assert bool(reported(leaf.findings, "MP412")) is warned
    rows = (
        f"{TOP} .",
        f"A t . . . . . . . . . . - . {qty}",
        f"a A 1 0 0 0 {CUBE} - no 1",
        f"b t 9 0 0 0 {CUBE} - no 1",
    )
    assert [f.item for f in reported(bom_of(header, *rows).findings, "MP412")] == (["A"] if warned else [])
    point = bom_of(header, f"{TOP} .", f"a t 1 0 0 0 {CUBE} - yes {qty}", f"b t 9 0 0 0 {CUBE} - no 1")
    assert not reported(point.findings, "MP412")


def test_a_large_sigma_is_reported_once_a_column_and_not_of_centres() -> None:
    header = "id parent mass Cx Cy Cz sigma_mass sigma_Cx sigma_Cy sigma_Cz"
    rows = ("t . . . . . . . . .", "a t 1 0 0 0 2 5 5 5", "b t 1 0 0 0 3 5 5 5", "c t 1 0 0 0 1 5 5 5")
    finding = only(bom_of(header, *rows).findings, "MP503")
    assert (finding.item, finding.count) == ("a", 2)
    assert "mass in 2 of 3 items, first a: 2 (mass 1)" in finding.message


def test_a_negative_sigma_is_an_error() -> None:
    finding = only(bom_of("id parent mass sigma_mass", "t . . .", "a t 1 -0.1", "b t 1 0.1").findings, "MP501")
    assert (finding.item, finding.place.column, finding.value) == ("a", "sigma_mass", "-0.1")


def test_a_negative_sigma_is_not_rolled_up() -> None:
    bom = bom_of("id parent mass sigma_mass", "t . . .", "a t 1 -0.1", "b t 1 0.1")
    assert mp.rollup(bom, keep_going=True).root.sigma_mass is None


def test_incomplete_sigma_columns_give_the_sigmas_that_they_can() -> None:
    bom = bom_of("id parent mass Cx Cy Cz sigma_mass", "t . . . . . .", "a t 1 0 0 0 .1", "b t 1 1 0 0 .1")
    assert only(bom.findings, "MP504").severity is mp.Severity.WARNING
    root = mp.rollup(bom).root
    assert root.sigma_mass == pytest.approx(0.02**0.5)
    assert root.sigma_center is None


def test_branches_that_cancel() -> None:
    """+2 and −2, 1 apart, shift the parent's centre by 2·1/5 and are no body themselves."""
    rows = [TOP, "A t . . . . . . . . . . - .", f"a A 2 1 0 0 {CUBE} - no", f"b A 2 0 0 0 {CUBE} - no"]
    header = f"{HEADER} qty"
    rows = [f"{row} {qty}" for row, qty in zip(rows, (1, 1, -1, 1), strict=True)]
    result = mp.rollup(bom_of(header, *rows, f"c t 5 0 0 0 {CUBE} - no 1"))
    assert only(result.findings, "MP409").item == "A"
    assert (result["A"].mass, result["A"].center, result["A"].inertia) == (0.0, None, None)
    assert result.root.center is not None
    assert result.root.center[0] == pytest.approx(-0.4, rel=1e-15)
    alone = mp.rollup(bom_of(header, *rows))
    assert only(alone.findings, "MP410").item == "t"
    assert only(alone.findings, "MP410").severity is mp.Severity.WARNING
    assert (alone.root.mass, alone.root.center, alone.root.inertia, alone.root.radii) == (0.0, None, None, None)


def test_nothing_and_nothing_do_not_cancel() -> None:
    """A massless last frame under an assembly, and two of them: no mass, no centre, and no word of signs."""
    for rows in (("a t . . . .", "b a 0 1 2 3"), ("a t . . . .", "b a 0 1 2 3", "c a 0 4 5 6")):
        result = mp.rollup(bom_of("id parent mass Cx Cy Cz", "t . . . . .", *rows))
        assert not reported(result.findings, "MP409")
        assert not reported(result.findings, "MP410")
        assert (result.root.mass, result.root.center) == (0.0, None)


def test_an_assembly_whose_products_are_not_known_needs_no_convention() -> None:
    rows = ("t . . . . . . . . . . . . .", f"a t 1 0 1 0 {CUBE} + no", "b t 1 1 0 0 1 1 1 0.5 . . - no")
    result = mp.rollup(bom_of(HEADER, *rows), keep_going=True)
    assert not reported(result.findings, "MP224")
    assert only(result.findings, "MP212").item == "b"
    assert result.root.inertia is not None
    assert np.isnan(result.root.inertia[0, 1])
    assert np.diag(result.root.inertia).tolist() == [2.5, 2.5, 3.0]


def test_stated_products_without_a_convention_are_not_compared() -> None:
    header = HEADER.replace(" POIconv", "")
    result = mp.rollup(
        bom_of(header, "t . 2 0.5 0 0 2 2.5 2.5 0.3 0 0 no", f"a t 1 0 0 0 {CUBE} no", f"b t 1 1 0 0 {CUBE} no")
    )
    assert {finding.rule for finding in result.findings} == {"MP713"}  # cubes have the default tensor of programs


def test_totals_beyond_double_precision_are_reported() -> None:
    bom = bom_of("id parent mass", "t . .", "a t 1e308", "b t 1e308")
    with pytest.raises(mp.FindingsError) as rejected:
        mp.rollup(bom)
    assert only(rejected.value.findings, "MP407").item == "t"


@pytest.mark.parametrize("method", ["covariance", "massprops", "montecarlo"])
def test_sigmas_whose_squares_overflow_are_reported(method: str) -> None:
    bom = bom_of("id parent mass sigma_mass", "t . . .", "a t 1e200 1e199", "b t 1 1")
    with pytest.raises(mp.FindingsError) as rejected:
        mp.rollup(bom, method, samples=100)
    assert "variance of mass" in only(rejected.value.findings, "MP407").message


@pytest.mark.parametrize(
    ("stated", "differs"),
    [("3.0", False), ("3.1", False), ("3.03", True), ("3.15", True), ("2.9", True), ("3", False), ("3.0500", False),
     ("3.04", False), ("3.0570", False), ("3.0573", True)],
)  # fmt: skip
def test_an_assembly_may_differ_by_half_its_last_digit(stated: str, differs: bool) -> None:
    # and by the rounding of 1.05 and 2.00: 0.005 √2 = 0.00707
    result = mp.rollup(bom_of("id parent mass", f"t . {stated}", "a t 1.05", "b t 2.00"))
    assert [f.item for f in reported(result.findings, "MP411")] == (["t"] if differs else [])


def test_stated_numbers_are_compared_in_their_own_unit() -> None:
    header = "id parent mass[kg] Cx[mm] Cy[m] Cz[mm]"
    bom = bom_of(header, "t . 2 10 0.021 0", "a t 1 10 0.02 0", "b t 1 10 0.02 0")
    finding = only(mp.rollup(bom).findings, "MP411")
    assert finding.message == "stated values of t differ from those of its children: Cy 0.021 (children: 0.02)"
    assert finding.place.column == "Cy[m]"


@pytest.mark.parametrize(("cell", "stated"), [("+", "-0.5"), ("-", "0.5"), (".", "-0.5")])
def test_stated_products_are_compared_in_the_convention_of_their_cell(cell: str, stated: str) -> None:
    """The leaf writes −0.5 under +; a blank assembly cell represents the sign its children share."""
    rows = (f"t . 1 0 0 0 1 1 1 {stated} 0 0 {cell} no", "a t 1 0 0 0 1 1 1 -0.5 0 0 + no")
    for write in ("keep", "+", "-"):
        assert not reported(mp.rollup(bom_of(HEADER, *rows, write_poi=write)).findings, "MP411")
    wrong = rows[0].replace(stated, "0.25")
    finding = only(mp.rollup(bom_of(HEADER, wrong, rows[1])).findings, "MP411")
    assert f"Ixy 0.25 (children: {stated})" in finding.message


def test_an_assembly_without_a_convention_is_an_error() -> None:
    rows = ("t . . . . . . . . . . . . .", f"a t 1 0 1 0 {CUBE} + no", f"b t 1 1 0 0 {CUBE} - no")
    going_on = mp.rollup(bom_of(HEADER, *rows))
    assert only(going_on.findings, "MP224").item == "t"
    assert going_on.has_errors
    (fill,) = [f for f in going_on.filling().fills if going_on.bom.columns.header[f.column] == "Ixy"]
    assert np.isnan(np.asarray(fill.values)).all()
    assert not reported(mp.rollup(bom_of(HEADER, *rows, write_poi="-")).findings, "MP224")


@pytest.mark.parametrize(("times", "words"), [(25.0, "in²"), (31.0, "mass in g"), (1000.0, "m²"), (1001.0, "")])
def test_a_slip_of_units_is_named(times: float, words: str) -> None:
    assert words in _unit_slip_text(times)
    assert bool(_unit_slip_text(times)) is bool(words)


def test_radii_that_do_not_fit_the_tree() -> None:
    """A cube of inertia 1e6 and mass 1 has a radius of 1000 in a tree 1 across."""
    rows = (TOP, "a t 1 0 0 0 1e6 1e6 1e6 0 0 0 - no", f"b t 1 1 0 0 {CUBE} - no")
    finding = only(mp.rollup(bom_of(HEADER, *rows)).findings, "MP408")
    assert finding.item == "a"
    assert "does not fit the tree: 1000 (extent 1;" in finding.message
    removed = (TOP, "a t -1 0 0 0 1e6 1e6 1e6 0 0 0 - no", f"b t 9 1 0 0 {CUBE} - no")
    assert not reported(
        mp.rollup(bom_of(HEADER, *removed, allow_negative_mass=True), keep_going=True).findings, "MP408"
    )
    fitting = (TOP, "a t 1 0 0 0 99 99 99 0 0 0 - no", f"b t 1 1 0 0 {CUBE} - no")
    assert not reported(mp.rollup(bom_of(HEADER, *fitting)).findings, "MP408")


def test_rows_of_one_part_number_should_have_the_same_numbers() -> None:
    header = "id parent part mass Cx Cy Cz"
    rows = ("t . . . . . .", "a t P1 1 0 0 0", "b t P1 1 5 0 0", "c t P1 2 0 0 0", "d t P2 2 0 0 0", "e t . 3 0 0 0")
    finding = only(bom_of(header, *rows, "f t . 4 0 0 0", "g t P1 3 0 0 0").findings, "MP319")
    assert finding.message == "rows of part P1 have different values: a and c, g"
    assert (finding.value, finding.count, finding.place.row) == ("P1", 2, 5)


def test_one_part_in_several_places_has_one_centre() -> None:
    header = "parent child qty mass Cx Cy Cz"
    rows = (
        ". car . . . . .",
        "car axle 2 . . . .",
        "axle wheel 2 10 1 0 0",
        "car wheel 1 . . . .",
        "car body 1 500 0 0 1",
    )
    bom = bom_of(header, *rows)
    assert only(bom.findings, "MP318").item == "wheel"
    result = mp.rollup(bom)
    # 2 axles of 2 wheels, a spare, the body; the row of the axle shows one of them
    assert (result.root.mass, result["car/axle"].mass) == (550.0, 20.0)
    assert result.root.center is not None
    assert result.root.center.tolist() == pytest.approx([50 / 550, 0, 500 / 550], rel=1e-15)


def test_a_tensor_that_is_not_a_bodys_is_used_as_it_is_stated() -> None:
    bom = bom_of(HEADER, TOP, "a t 1 0 0 0 1 1 9 0 0 0 - no", f"b t 1 1 0 0 {CUBE} - no")
    result = mp.rollup(bom)
    assert only(result.findings, "MP404").severity is mp.Severity.ERROR
    assert result.root.inertia is not None
    assert np.diag(result.root.inertia).tolist() == [2.0, 2.5, 10.5]
    assert result.rollup.coverage.known_inertia.tolist() == [2, 1, 1]


def test_a_mass_of_nothing_has_no_radius_to_be_judged() -> None:
    rows = (TOP, f"a t 0 0 0 0 {CUBE} - no", f"b t 1 1 0 0 {CUBE} - no")
    # cubes have the default tensor of programs
    assert [f.rule for f in mp.rollup(bom_of(HEADER, *rows)).findings] == ["MP402", "MP713", "MP713"]


def test_stated_products_without_a_convention_are_reported_once() -> None:
    rows = ("t . . . . . . . . . . . - .", "A t 5 1 0 0 1 1 1 0.5 0 0 . .", f"a A 1 0 1 0 {CUBE} + no")
    rows += (f"b A 1 1 0 0 {CUBE} - no",)
    result = mp.rollup(bom_of(HEADER, *rows, assembly_values="stated"), keep_going=True)
    assert [f.rule for f in result.findings if f.severity is mp.Severity.ERROR] == ["MP213"]


def test_hint_of_an_invalid_tensor_names_the_option_that_reads_it_otherwise() -> None:
    """5 with products of 2.4: as tensor entries the moments are 0.2, 7.4, 7.4 (a body), negated 2.6, 2.6, 9.8."""
    header = ("id", "parent", "mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    cells = ("A", "t", "12", "1", "0", "0", "5", "5", "5", "2.4", "2.4", "-2.4")
    rows = [{"id": "t", "parent": ""}, dict(zip(header, cells, strict=True))]
    assert only(mp.Bom.from_records(rows, poi="+").findings, "MP404").remedy == "pass --poi -"
    assert "MP404" not in [f.rule for f in mp.Bom.from_records(rows, poi="-").findings]
    signed = [rows[0], {**rows[1], "POIconv": "+"}]
    assert only(mp.Bom.from_records(signed).findings, "MP404").remedy == "write the other sign in POIconv of the row"
    other = mp.Bom.from_records(rows, poi="+", inertia_about="origin")
    assert "pass --config inertia-about=own" in only(other.findings, "MP403").remedy


@pytest.mark.parametrize(
    ("signs", "written", "conflicts"),
    [
        ("....", "--", []),  # no part states a sign: tensor entries
        ("+...", "++", []),  # the sign that is used in the table
        ("...-", "--", []),
        ("+..-", "+-", ["t"]),  # of the two groups one has each
        ("+-..", "0-", ["g"]),
        ("+-+-", "00", ["g", "h"]),
    ],
)
def test_blank_signs_are_no_sign(signs: str, written: str, conflicts: list[str]) -> None:
    """Two groups of two parts off the axes: only signs that are stated can differ."""
    blank = " .".join([""] * 12)
    groups = [f"t .{blank} .", f"g t{blank} .", f"h t{blank} ."]
    parts = zip("abcd", "gghh", (1, 2, 3, 5), signs, strict=True)
    rows = [f"{i} {up} 1 {x} {x} 0 . . . . . . {sign} no" for i, up, x, sign in parts]
    bom = bom_of(HEADER, *groups, *rows)
    result = mp.rollup(bom, keep_going=True)
    found = sorted(one.item for one in reported(result.findings, "MP224"))
    assert [one for one in found if one != "t"] == [one for one in conflicts if one != "t"]
    marks = {1: "+", -1: "-", 0: "0"}
    assert "".join(marks[int(result.written_sign[bom.item(one)])] for one in "gh") == written
    assert result["g"].inertia[0, 1] == pytest.approx(-0.5)  # −Σ m x y about the middle, 1/2 + 1/2 of (0.5)²


@pytest.mark.parametrize(
    ("stated", "differs"),
    [
        # 2 × 412.250 + 4 × 98.400 + 12 × 2.533 = 1248.496; √(1² + 2² + 6²) × 0.001 = 0.0064, and 0.0005 of its own
        ("1248.500", False),
        ("1248.502", False),
        ("1248.490", False),
        ("1248.503", True),
        ("1248.489", True),
        ("1248.5", False),
        ("1248.6", True),
    ],
)
def test_a_stated_mass_agrees_within_the_rounding_of_its_parts(stated: str, differs: bool) -> None:
    parts = ["a s 2 412.250", "b s 4 98.400", "c s 12 2.533"]
    result = mp.rollup(bom_of("id parent qty mass[kg]", f"s . 1 {stated}", *parts))
    assert [f.item for f in reported(result.findings, "MP411")] == (["s"] if differs else [])


def test_rounding_of_parts_counts_as_often_as_the_parts_and_in_their_units() -> None:
    parts = ["s t 3 .", "a s 2 412.250", "b s 4 98.400", "c s 12 2.533"]
    for stated, differs in (("3745.512", True), ("3745.507", False), ("3745.469", False), ("3745.464", True)):
        # 3 × 1248.496 = 3745.488, 3 × 0.0064 = 0.0192, and 0.0005 of its own
        result = mp.rollup(bom_of("id parent qty mass[kg]", f"t . 1 {stated}", *parts))
        assert [f.item for f in reported(result.findings, "MP411")] == (["t"] if differs else [])
    grams = ["a s 2 412250.", "b s 4 98400", "c s 12 2533"]
    for stated, differs in (("1248503", True), ("1248502", False)):
        result = mp.rollup(bom_of("id parent qty mass[g]", f"s . 1 {stated}", *grams))
        assert [f.item for f in reported(result.findings, "MP411")] == (["s"] if differs else [])
