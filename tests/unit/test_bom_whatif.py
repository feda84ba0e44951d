"""Changes tried out, held against the same table edited by hand, and what cannot be tried."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.cli.app import app
from tests.unit.bom_tables import HEADER, bom_of

SIGMAS = "sigma_mass sigma_Cx sigma_Cy sigma_Cz sigma_Ixx sigma_Iyy sigma_Izz sigma_Ixy sigma_Ixz sigma_Iyz"
WIDE = f"{HEADER} qty {SIGMAS}"
BLANK = " . . . . . . . . . ."
SIGMA = " .1 .1 .1 .1 .1 .1 .1 .1 .1 .1"
ROWS = {
    "t": "t . . . . . . . . . . . - . 1" + BLANK,
    "A": "A t . . . . . . . . . . + . 2" + BLANK,
    "a": "a A 2 1 0 0 4 5 6 0.25 0 0 + no 1" + SIGMA,
    "b": "b A 3 0 2 0 4 5 6 0.5 0 0 - no 3" + SIGMA,
    "c": "c t 1 0 0 3 . . . . . . . yes 1 .1 .1 .1 .1 . . . . . .",
}


def table(edits: dict[str, tuple[str, str]] | None = None, **options: Any) -> mp.Bom:
    """Give the table with some cells edited: id → (column, text)."""
    names = WIDE.split()
    rows = []
    for name, row in ROWS.items():
        cells = row.split()
        if edits and name in edits:
            column, text = edits[name]
            cells[names.index(column)] = text
        rows.append(" ".join(cells))
    return bom_of(WIDE, *rows, **options)


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("name", "column", "value"),
    [("a", "mass", 2.5), ("b", "Cz", -7), ("a", "Ixy", -0.75), ("b", "Ixy", -0.75), ("b", "Izz", 8.5),
     ("b", "qty", 2), ("b", "qty", 0.5), ("b", "qty", -1), ("c", "Cx", 4), ("a", "sigma_Cx", 0.7), ("A", "qty", 3)],
)  # fmt: skip
def test_setting_is_editing(name: str, column: str, value: float) -> None:
    change = mp.whatif(table(), set={f"{name}.{column}": value})
    after = mp.rollup(table({name: (column, f"{value:g}")}))
    before = mp.rollup(table())
    assert change.ids == (["t"] if name in "Ac" else ["t", "A"])
    for k, item in enumerate(change.ids):
        for body, expected in ((change.before(k), before[item]), (change.after(k), after[item])):
            assert body.mass == pytest.approx(expected.mass, rel=1e-14)
            assert np.allclose(body.center, expected.center, rtol=1e-13, atol=1e-13)
            assert np.allclose(body.inertia, expected.inertia, rtol=1e-12, atol=1e-12)
            assert np.allclose(body.sigma_inertia, expected.sigma_inertia, rtol=1e-12)


def test_what_was_done_is_reported_in_the_tables_own_words() -> None:
    change = mp.whatif(table(), set={"a.Ixy": 1, "a.mass": 3}, scale={"A.mass": 1.1}, drop=["c"])
    assert change.notes == (
        "a.Ixy 0.25 → 1",
        "a.mass 2 → 3, inertia unchanged",
        "mass, inertia and their sigmas of 2 leaves at or below A × 1.1",
        "c dropped",
    )


def test_one_leaf_is_one() -> None:
    (reported,) = mp.whatif(table(), scale={"a.mass": 2}).notes
    assert reported == "mass, inertia and their sigmas of 1 leaf at or below a × 2"


def test_differences_are_after_minus_before() -> None:
    printed = mp.whatif(table(), set={"a.mass": 2.5}).to_dict()
    top = printed["items"][0]
    # two assemblies with half a unit more each
    assert (top["before"]["mass"], top["after"]["mass"], top["difference"]["mass"]) == (23.0, 24.0, 1.0)
    assert printed["changes"] == ["a.mass 2 → 2.5, inertia unchanged"]


def test_a_quantity_in_metres_stays_one_piece() -> None:
    header = "id parent qty uom mass sigma_mass"
    bom = bom_of(header, "t . 1 . . .", "a t 2.5 . 1 1", "b t 3 m 1 1")
    assert mp.whatif(bom, set={"a.qty": 4}).after(0).sigma_mass == pytest.approx((4 + 9) ** 0.5, rel=1e-15)
    assert mp.whatif(bom, set={"b.qty": 4}).after(0).sigma_mass == pytest.approx((6.25 + 16) ** 0.5, rel=1e-15)


@pytest.mark.parametrize(("before", "after", "sigma"), [(1, 8, 0.8), (8, 1, 0.1), (1, 0, 0.0)])
def test_pieces_that_come_to_be_several_share_their_errors(before: int, after: int, sigma: float) -> None:
    header = "id parent qty mass sigma_mass part"
    bom = bom_of(header, "t . 1 . . .", f"a t {before} 1 0.1 M6", "b t 1 5 0.3 plate")
    change = mp.whatif(bom, set={"a.qty": after}, correlate="part")
    assert change.after(0).sigma_mass == pytest.approx(np.hypot(sigma, 0.3), rel=1e-14)


def test_a_blank_can_be_filled_in_whole() -> None:
    rows = ("t . . . . .", "a t . . . .", "b t 2 4 0 0")
    bom = bom_of("id parent mass Cx Cy Cz", *rows, allow_missing="all")
    change = mp.whatif(bom, set={"a.mass": 2, "a.Cx": 0, "a.Cy": 0, "a.Cz": 0})
    assert change.before(0).center is not None
    assert (change.before(0).center.tolist(), change.after(0).mass) == ([4, 0, 0], 4.0)
    assert change.after(0).center is not None
    assert change.after(0).center.tolist() == [2, 0, 0]
    assert change.notes[0] == "a.mass blank → 2"
    with pytest.raises(mp.UsageError, match="set Cy, Cz as well"):
        mp.whatif(bom, set={"a.mass": 2, "a.Cx": 0})
    alone = mp.whatif(bom, set={"a.mass": 2}).after(0)
    assert (alone.mass, None if alone.center is None else alone.center.tolist()) == (4, [4, 0, 0])


STATED = ("t . . . . .", "A t 5 1 0 yes", "a A 1 2 0 .", "b A 1 2 0 .", "c t 5 3 0 .")


def test_weighed_assemblies_hold_what_is_below_them() -> None:
    bom = bom_of("id parent mass Cx Cy weighed Cz", *(f"{row} {'.' if row.startswith('t') else 0}" for row in STATED))
    below = mp.whatif(bom, set={"a.mass": 9})
    assert [below.after(k).mass for k in range(2)] == [10.0, 5.0]
    assert below.notes[-1] == "A is weighed: changes below it have no effect on it"
    own = mp.whatif(bom, set={"A.mass": 15})
    assert (own.after(0).mass, own.after(0).center.tolist()) == (20.0, [1.5, 0, 0])
    scaled = mp.whatif(bom, scale={"t.mass": 2})
    assert scaled.after(0).mass == 20.0
    assert "3 leaves and 1 weighed assembly" in scaled.notes[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"set": {"A.mass": 1}}, "mass of assembly A is computed"),
        ({"set": {"a.colour": 1}}, "does not end in a quantity"),
        ({"set": {"a": 1}}, "does not end in a quantity"),
        ({"set": {"a.sigma_qty": 1}}, "does not end in a quantity"),
        ({"set": {"x.mass": 1}}, "id is not in the table: x"),
        ({"set": {"a.mass": -1}}, "--config allow-negative-mass=true"),
        ({"set": {"a.mass": float("nan")}}, "not finite"),
        ({"set": {"a.sigma_Cx": -1}}, "sigma_Cx is negative"),
        ({"set": {"c.Ixx": 1}}, "point mass c has no Ixx"),
        ({"scale": {"a.Cx": 2}}, "applies to mass only"),
        ({"scale": {"a.mass": -2}}, "is negative: -2"),
        ({"drop": ["t"]}, "root cannot be dropped: t"),
        ({}, "no change is stated"),
    ],
)
def test_what_cannot_be_is_rejected(change: dict[str, Any], words: str) -> None:
    with pytest.raises(mp.UsageError) as rejected:
        mp.whatif(table(), **change)
    assert words in str(rejected.value)


@pytest.mark.parametrize(
    ("header", "row", "change", "rule", "words"),
    [
        ("mass_min mass_max", "9 11", {"a.mass": 20}, "MP507", "mass is not between mass_min and mass_max: a"),
        ("mass_min mass_max dist", "9 11 uniform", {"a.mass": 8}, "MP507", "mass is not between"),
        ("sigma_mass mass_min mass_max dist", "0.57735 9 11 uniform", {"a.sigma_mass": 5}, "MP510", "of its bounds"),
    ],
)
def test_errors_of_the_edited_table_are_errors(
    header: str, row: str, change: dict[str, float], rule: str, words: str
) -> None:
    other = {"9 11": "4 6", "9 11 uniform": "4 6 uniform"}.get(row, "0.1 . . .")
    bom = bom_of(f"id parent mass {header}", "t ." + " ." * (len(row.split()) + 1), f"a t 10 {row}", f"b t 5 {other}")
    with pytest.raises(mp.FindingsError) as rejected:
        mp.whatif(bom, set=change)
    assert [finding.rule for finding in rejected.value.findings if finding.severity.value == "error"] == [rule]
    assert words in str(rejected.value)


def test_a_tensor_that_no_body_has_is_an_error_and_a_mass_of_0_a_warning() -> None:
    with pytest.raises(mp.FindingsError, match="inertia tensor of a: largest of the principal moments") as rejected:
        mp.whatif(table(), set={"a.Izz": 99})
    assert rejected.value.findings[0].place.row == 4
    before = {finding.rule for finding in table().findings}
    added = [f for f in mp.whatif(table(), set={"a.mass": 0}).findings if f.rule not in before]
    assert {(finding.severity.value, finding.item) for finding in added} == {("warning", "a")}
    assert any(finding.rule == "MP402" for finding in added), added


def test_quantities_of_row_totals_and_of_the_whole() -> None:
    """Four nuts weigh 0.4 together: eight of them need another total. Of 6 bolts in 3 boxes each box has 2."""
    bom = bom_of("id parent qty mass", "t . . .", "nut t 4 0.4", "b t 1 5", mass_is="line")
    with pytest.raises(mp.UsageError, match=r"set nut\.mass as well"):
        mp.whatif(bom, set={"nut.qty": 8})
    for names in (("nut.qty", "nut.mass"), ("nut.mass", "nut.qty")):
        values = {"nut.qty": 8.0, "nut.mass": 0.9}
        assert mp.whatif(bom, set={name: values[name] for name in names}).after(0).mass == pytest.approx(5.9)
    boxes = bom_of("id parent qty mass", "t . . .", "box t 3 .", "bolt box 6 1.5", "b t 1 5", qty_is="total")
    assert mp.whatif(boxes, set={"bolt.qty": 12}).after(0).mass == 12 * 1.5 + 5
    assert mp.whatif(boxes, set={"box.qty": 6}).after(0).mass == 6 * 1.5 + 5
    both = mp.whatif(boxes, set={"bolt.qty": 4, "box.qty": 1, "bolt.mass": 2})
    assert [both.after(k).mass for k in range(2)] == [4 * 2 + 5, 4 * 2]
    with pytest.raises(mp.UsageError, match="not multiples"):
        mp.whatif(boxes, set={"bolt.qty": 7})


def test_numbers_that_were_written_with_commas_and_units_are_set_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;parent;mass [kg];sigma_mass\nt;;;\na;t;1.234,5;5 %\nb;t;2,5 kg;0,1\n", encoding="utf-8")
    bom = mp.read_bom(path)
    change = mp.whatif(bom, set={"a.mass": 1.234})
    assert change.notes == ("a.mass 1.234,5 → 1.234 kg",)
    assert change.after(0).mass == pytest.approx(3.734, rel=1e-15)
    assert change.after(0).sigma_mass == pytest.approx(np.hypot(0.0617, 0.1), rel=1e-14)


def test_several_numbers_of_a_tensor_are_judged_together() -> None:
    assert mp.whatif(table(), set={"a.Ixx": 50, "a.Iyy": 60, "a.Izz": 99}).after(1).inertia[2, 2] > 99


def test_quantities_that_the_table_has_not_are_rejected() -> None:
    bom = bom_of("id parent mass", "t . .", "a t 1")
    for name, words in (("a.Cx", "column is missing: Cx"), ("a.sigma_mass", "column is missing: sigma_mass")):
        with pytest.raises(mp.UsageError, match=words):
            mp.whatif(bom, set={name: 1})
    assert mp.whatif(bom, set={"a.qty": 4}).after(0).mass == 4


def test_a_table_with_errors_is_not_changed() -> None:
    with pytest.raises(mp.FindingsError):
        mp.whatif(bom_of("id parent mass", "t . .", "a t x"), set={"a.mass": 1})


@pytest.mark.parametrize("value", ["x", "", None, True, [20], 1j])
def test_a_value_that_is_not_a_number_is_an_error_that_names_it(value: Any) -> None:
    for change in ({"set": {"a.mass": value}}, {"set": {"a.qty": value}}, {"scale": {"a.mass": value}}):
        with pytest.raises(mp.UsageError) as rejected:
            mp.whatif(table(), **change)
        assert "a." in str(rejected.value)
        assert f"is not a number: {value!r}" in str(rejected.value)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2), Fraction(2)])
def test_numbers_of_any_kind_are_values(value: Any) -> None:
    assert mp.whatif(table(), set={"a.mass": value}).notes[0].endswith("2, inertia unchanged")


def test_an_integer_beyond_double_precision_is_not_finite() -> None:
    with pytest.raises(mp.UsageError, match="not finite"):
        mp.whatif(table(), set={"a.mass": 10**400})


NAMED = [
    {"id": "1", "name": "Sat", "parent": "", "mass [kg]": None, "Cx [mm]": None, "Cy [mm]": None, "Cz [mm]": None},
    {
        "id": "2",
        "name": "Tank",
        "parent": "1",
        "mass [kg]": 10,
        "mga [%]": 10,
        "Cx [mm]": 0,
        "Cy [mm]": 0,
        "Cz [mm]": 0,
    },
    {"id": "3", "name": "Box", "parent": "1", "mass [kg]": 5, "mga [%]": 20, "Cx [mm]": 9, "Cy [mm]": 0, "Cz [mm]": 0},
    {"id": "4", "name": "Box", "parent": "1", "mass [kg]": 1, "mga [%]": 0, "Cx [mm]": 9, "Cy [mm]": 0, "Cz [mm]": 0},
]


def test_names_units_and_growth() -> None:
    """20 kg and 20 % of Tank: 26 of mass; 24 + 6 + 1 predicted. 1 in is 25.4 mm: (20·25.4 + 9·6)/26."""
    bom = mp.Bom.from_records(NAMED)
    change = mp.whatif(bom, set={"Tank.mass": "20000 g", "2.growth": "20 %", "Tank.Cx": "1 in"})
    assert (change.before(0).mass, change.after(0).mass) == (16, 26)
    assert change.predicted_mass(0) == (18, pytest.approx(31, rel=1e-15))
    assert change.after(0).center[0] == pytest.approx((20 * 25.4 + 54) / 26, rel=1e-15)
    item = change.to_dict()["items"][0]
    assert (item["before"]["predicted_mass"], item["after"]["predicted_mass"]) == (18, pytest.approx(31))
    assert item["difference"]["predicted_mass"] == pytest.approx(13)
    assert mp.whatif(bom, set={"Tank.growth": 30}).predicted_mass(0) == (18, pytest.approx(20))
    assert mp.whatif(bom, drop=["Tank"]).predicted_mass(0) == (18, pytest.approx(7))
    assert mp.whatif(bom, scale={"Tank.mass": 2}).predicted_mass(0) == (18, pytest.approx(29))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Box.mass": 3}, r"name is not unique: Box (ids: 3, 4)"),
        ({"Tnak.mass": 3}, "(nearest: Tank)"),
        ({"2.mas": 3}, "name does not end in a quantity: 2.mas; the nearest is mass"),
        ({"2.mass": "3 m"}, "value of 2.mass has no unit of mass: 3 m (expected a text such as 2.3 lb)"),
        ({"2.Cx": "3 kg"}, "has no unit of length: 3 kg (expected a text such as 25 mm)"),
        ({"2.growth": "3 kg"}, "has a unit: 3 kg (expected a percentage such as 10 %)"),
        ({"2.growth": -3}, "growth of 2 is negative: -3 %"),
        ({"2.qty": "2 kg"}, "has a unit: 2 kg (expected a number without a unit)"),
        ({"2.mass": 3, "Tank.mass": 4}, "value is assigned twice: mass of 2"),
        ({"2.qty": 3, "Tank.qty": 4}, "value is assigned twice: qty of 2"),
        ({"Sat.growth": 3}, "growth of assembly 1 is computed"),
    ],
)
def test_wrong_names_and_units(change: dict[str, Any], words: str) -> None:
    with pytest.raises(mp.UsageError) as raised:
        mp.whatif(mp.Bom.from_records(NAMED), set=change)
    assert words in str(raised.value)


def test_units_need_the_unit_of_the_column() -> None:
    rows = [{"id": "t", "parent": "", "mass": None}, {"id": "a", "parent": "t", "mass": 2}]
    with pytest.raises(mp.UsageError, match=r"unit of a\.mass is not stated in the table: 3 kg \(omit the unit, or"):
        mp.whatif(mp.Bom.from_records(rows), set={"a.mass": "3 kg"})
    with pytest.raises(mp.UsageError, match="column is missing: growth"):
        mp.whatif(mp.Bom.from_records(rows), set={"a.growth": "3 %"})


def test_a_branch_of_quantity_zero_next_to_a_change_adds_nothing() -> None:
    """a 4 at x = 1 and 2 b of 5 at y = 1: mass 14, CG (4/14, 10/14, 0), σ of mass √(0.1² + 2·0.1²)."""
    parts = {"Cx": 1.0, "Cy": 2.0, "Cz": 3.0, "sigma_Cx": 0.1, "sigma_Cy": 0.1, "sigma_Cz": 0.1, "sigma_mass": 0.1}
    rows = [{"id": "t", "parent": ""}, {"id": "u", "parent": "t"}, {"id": "z", "parent": "u"}]
    rows += [{"id": name, "parent": "z", "qty": 0, "mass": 3.0, **parts} for name in ("z1", "z2")]
    rows += [{"id": "a", "parent": "u", "qty": 1, "mass": 2.0, **parts, "Cx": 1.0, "Cy": 0.0, "Cz": 0.0}]
    rows += [{"id": "b", "parent": "t", "qty": 2, "mass": 5.0, **parts, "Cx": 0.0, "Cy": 1.0, "Cz": 0.0}]
    after = mp.whatif(mp.Bom.from_records(rows), set={"a.mass": 4.0}).after(0)
    assert after.mass == 14
    assert list(after.center) == pytest.approx([4 / 14, 10 / 14, 0], rel=1e-15)
    assert after.sigma_mass == pytest.approx(0.1 * 3**0.5, rel=1e-12)


def test_condition_of_the_configuration_is_followed(tmp_path):
    (tmp_path / "bom.csv").write_text("id,parent,mass\ntop,,\nframe,top,5\nfuel,top,3\n")
    (tmp_path / "massprops.toml").write_text('[condition.dry]\ndrop = ["fuel"]\nset = ["frame.mass=6"]\n')
    dry = mp.whatif(tmp_path / "bom.csv", condition="dry")
    assert (dry.before(0).mass, dry.after(0).mass) == (8, 6)
    assert mp.whatif(tmp_path / "bom.csv", condition="dry", set={"frame.mass": 7}).after(0).mass == 7
    with pytest.raises(mp.UsageError, match="unknown condition: dyr"):
        mp.whatif(tmp_path / "bom.csv", condition="dyr")


POSED = """id,parent,shape,dims,wall,density,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],roll [deg],\
pitch [deg],yaw [deg],frame
R,,,,,,,,,,0,0,0,0,0,0,own
M,R,,,,,,,,,1,0,0,0,0,0,own
A,M,sphere,r=50 mm,5 mm,7850 kg/m3,,,,,0.5,0,0,0,0,0,own
B,R,,,,,3,0.1,0,0,0.5,0,0,0,0,0,own
"""


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("changes", "edits"),
    [
        ({"M.tx": 2}, {"M,R,,,,,,,,,1,": "M,R,,,,,,,,,2,"}),
        ({"M.tx": "2"}, {"M,R,,,,,,,,,1,": "M,R,,,,,,,,,2,"}),
        ({"M.tx": 2.5, "M.yaw": 30}, {"M,R,,,,,,,,,1,0,0,0,0,0": "M,R,,,,,,,,,2.5,0,0,0,0,30"}),
        ({"A.dims": "r=60 mm"}, {"r=50 mm": "r=60 mm"}),
        ({"A.wall": "6 mm"}, {",5 mm": ",6 mm"}),
        ({"A.density": "2700 kg/m3", "B.mass": 4}, {"7850": "2700", "B,R,,,,,3": "B,R,,,,,4"}),
    ],
)
def test_poses_and_solids_are_set_as_their_cells_are_edited(
    changes: dict[str, Any], edits: dict[str, str], tmp_path: Path
) -> None:
    source, edited = tmp_path / "bom.csv", tmp_path / "edited.csv"
    source.write_text(POSED)
    text = POSED
    for one, other in edits.items():
        assert one in text
        text = text.replace(one, other)
    edited.write_text(text)
    change = mp.whatif(source, set=changes)
    before, after = mp.rollup(source), mp.rollup(edited)
    assert "R" in change.ids
    for k, item in enumerate(change.ids):
        for body, expected in ((change.before(k), before[item]), (change.after(k), after[item])):
            assert body.mass == pytest.approx(expected.mass, rel=1e-14)
            assert np.allclose(body.center, expected.center, rtol=1e-13, atol=1e-13)
    words = [f"--set={name}={value}" for name, value in changes.items()]
    result = CliRunner().invoke(app, ["whatif", str(source), *words, "-o", str(tmp_path / "new.csv")])
    assert result.exit_code == 0, result.output
    assert mp.rollup(tmp_path / "new.csv")["R"].center == pytest.approx(after["R"].center, rel=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A.tx": "abc"}, "tx .* of A is not a number: abc"),
        ({"A.density": "heavy"}, "density is not a number"),
        ({"A.material": "steel"}, "column is missing: material"),
        ({"Z.tx": 1}, "id is not in the table: Z"),
        ({"A.tx": float("nan")}, "not finite"),
    ],
)
def test_what_a_pose_or_a_solid_cannot_be_set_to(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    source = tmp_path / "bom.csv"
    source.write_text(POSED)
    with pytest.raises(mp.MasspropsError, match=message):
        mp.whatif(source, set=change)


SIBLINGS = "id parent mass mga"
PAIR = ("S . . .", "A S 10 10", "B S 10 10")


@pytest.mark.parametrize(
    ("b", "change", "own", "check"),
    [
        ("10", {"move": {"A": "B"}}, 20.0, 10.0),  # own: 10 + 10; check: A replaces B
        ("10.6", {"new": ["C parent=B mass=10 mga=10"]}, 30.6, 20.0),  # own: 10 + 10.6 + 10; check: 10 + 10
        ("10.6", {"new": ["C parent=B mass=5 mga=10"]}, 25.6, 15.0),
    ],
)
def test_leaf_with_a_mass_that_gets_children_is_a_question(
    b: str, change: dict[str, Any], own: float, check: float
) -> None:
    rows = (*PAIR[:2], f"B S {b} 10")
    with pytest.raises(mp.FindingsError) as raised:
        mp.whatif(bom_of(SIBLINGS, *rows), **change)
    (finding,) = raised.value.findings
    assert (finding.rule, finding.item) == ("MP420", "B")
    assert f"total {own:g}" in finding.remedy
    assert f"total {check:g}" in finding.remedy
    for meaning, mass in (("own", own), ("check", check)):
        answer = mp.whatif(bom_of(SIBLINGS, *rows, assembly_values=meaning), **change)
        assert answer.after(0).mass == pytest.approx(mass, rel=1e-14)


def test_leaf_without_a_mass_gets_children() -> None:
    bom = bom_of(SIBLINGS, "S . . .", "A S 10 10", "B S . .", allow_missing="mass")
    assert mp.whatif(bom, move={"A": "B"}).after(0).mass == 10


def test_added_item_with_a_mass_and_children_is_a_question() -> None:
    with pytest.raises(mp.FindingsError, match="MP420"):
        mp.whatif(bom_of(SIBLINGS, *PAIR), new=["N parent=S mass=3 mga=0", "M parent=N mass=3 mga=0"])


def test_assembly_that_states_a_mass_is_not_left_without_children() -> None:
    bom = bom_of("id parent mass", "S . .", "T S 10", "A T 10", "B S 10")
    with pytest.raises(mp.UsageError, match=r"assembly T states a mass and is left without children; set T\.mass"):
        mp.whatif(bom, move={"A": "S"})
    for rest in ({"set": {"T.mass": 0}}, {"drop": ["T"]}):
        assert mp.whatif(bom, move={"A": "S"}, **rest).after(0).mass == 20  # A 10 + B 10
    own = bom_of("id parent mass", "S . .", "T S 10", "A T 10", "B S 10", assembly_values="own")
    assert mp.whatif(own, move={"A": "S"}).after(0).mass == 30  # and T 10


PARTIAL = ("S . .", "A S 10", "B S .")


def test_lower_bounds_are_marked_and_ids_select_assemblies() -> None:
    answer = mp.whatif(bom_of("id parent mass", *PARTIAL, allow_missing="mass"), set={"A.mass": 12})
    assert repr(answer) == "<WhatIf A.mass 10 → 12; mass of S ≥ 10 → ≥ 12>"
    assert "<td>≥ 10</td><td>≥ 12</td><td>2</td>" in answer._repr_html_()
    assert int(answer.coverage("S")[0].known_mass[0]) == 1
    for body in (answer.before("S"), answer.after("S"), answer.after(0)):
        assert body.lower_bounds == ("mass",)
        assert body.coverage == "mass of 1 of 2 leaves"
    with pytest.raises(mp.UsageError, match=r"item is not an assembly above the changes: A \(expected S\)"):
        answer.before("A")
    whole = mp.whatif(bom_of("id parent mass", "S . .", "A S 10"), set={"A.mass": 12})
    assert (whole.before("S").lower_bounds, whole.before("S").coverage) == ((), "")


def test_pareto_of_a_lower_bound_is_marked() -> None:
    pareto = mp.mass_pareto(bom_of("id parent mass", *PARTIAL, allow_missing="mass"))
    assert repr(pareto).startswith("<MassPareto of S: ≥ 10")


@pytest.mark.parametrize("name", ["whatif", "diff"])
def test_errors_name_a_call_of_the_same_function(name: str) -> None:
    def error_of(*rows: str) -> str:
        bom = bom_of("id parent mass", *rows)
        with pytest.raises(mp.FindingsError) as raised:
            mp.whatif(bom, set={"A.mass": 3}) if name == "whatif" else mp.diff(bom, bom)
        return str(raised.value)

    assert error_of(*PARTIAL).endswith('next: mp.read_bom(…, allow_missing="mass")')
    assert error_of("S . .", "A S 10", "B S -1").endswith(f"next: mp.{name}(…, keep_going=True)")


def test_attrs_of_a_dataframe_mark_lower_bounds_and_errors() -> None:
    frame = mp.rollup(bom_of("id parent mass", *PARTIAL, allow_missing="mass")).to_dataframe()
    assert frame.attrs["lower_bounds"] == {"S": ("mass",)}
    assert "errors" not in frame.attrs
    broken = mp.rollup(bom_of("id parent mass", "S . .", "A S 10", "B X 5"), keep_going=True).to_dataframe()
    assert any("MP305" in text for text in broken.attrs["errors"])
    total = mp.rollup(bom_of("Item mass", "A 10", "B 20", "Total 35")).to_dataframe()  # 10 + 20 is not 35
    assert any("MP415" in text for text in total.attrs["errors"])


SHAPED = (
    "id,parent,shape,dims,wall [m],density [kg/m3]\nR,,,,,\nI=3.x,R,cylinder,r=0.05 m; L=0.3 m,,1000\n"
    "I2,R,box,a=1 m; b=1 m; c=1 m,0.1,1000\n"
)


@pytest.mark.parametrize(
    ("change", "mass"),
    [
        ("I=3.x.density=2700 ± 10 kg/m3 (k=2)", 2700 * np.pi * 0.05**2 * 0.3 + 1000 * (1 - 0.8**3)),
        ("I2.wall=0.05±0.002 m (k=1)", 1000 * np.pi * 0.05**2 * 0.3 + 1000 * (1 - 0.9**3)),
        ("I2.dims=a=2±0.1 m (k=2); b=1 m; c=1 m", 1000 * np.pi * 0.05**2 * 0.3 + 1000 * (2 - 1.8 * 0.8**2)),
    ],
)
def test_the_name_of_a_change_ends_at_its_quantity(tmp_path: Path, change: str, mass: float) -> None:
    """Ids and values contain = and dots too."""
    (tmp_path / "s.csv").write_text(SHAPED)
    result = CliRunner().invoke(app, ["whatif", str(tmp_path / "s.csv"), "--set", change, "--format", "json"])
    assert result.exit_code == 0, result.output
    assert f"{mass:.6g}"[:6] in result.output
