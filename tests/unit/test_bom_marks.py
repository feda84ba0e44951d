"""Quantities, point masses, sign conventions, and what assembly rows with numbers of their own mean."""

from __future__ import annotations

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.checks.assembly_values import _inherited_product_signs
from massprops_cli.trees.tree import Tree
from tests.unit.bom_tables import HEADER, bom_of, only, reported

CUBE = "1 1 1 0 0 0"
"""The tensor of any body alike in all axes."""


@pytest.mark.parametrize(
    ("qty", "uom", "times", "rule"),
    [(".", ".", 1, "MP216"), ("0", ".", 0, "MP217"), ("-2", ".", -2, "MP218"), ("0.5", ".", 0.5, "MP219"),
     ("3", "m", 3, "MP219"), ("3", "ea", 3, ""), ("2", ".", 2, "")],
)  # fmt: skip
def test_a_parent_counts_a_row_so_many_times(qty: str, uom: str, times: float, rule: str) -> None:
    bom = bom_of("id parent qty uom mass", "t . . . .", f"a t {qty} {uom} 2", "b t 1 . 100")
    assert mp.rollup(bom).root.mass == 100 + 2 * times
    assert [f.rule for f in bom.findings] == ([rule] if rule else [])


def test_independent_pieces_add_variances_and_a_measure_scales_the_sigma() -> None:
    """Four pieces: 2 σ. Four metres of one piece: 4 σ. Pieces removed add theirs (σ of b is 0)."""
    rows = ("t . . . . .", "b t 1 . 100 0")
    for qty, uom, sigma in (("4", ".", 2.0), ("4", "m", 4.0), ("-4", ".", 2.0)):
        bom = bom_of("id parent qty uom mass sigma_mass", *rows, f"a t {qty} {uom} 2 1")
        assert mp.rollup(bom).root.sigma_mass == pytest.approx(sigma, rel=1e-15)


@pytest.mark.parametrize("cell", [".", "1", "1.0", "0"])
def test_a_root_of_one_piece_has_no_question(cell: str) -> None:
    bom = bom_of("id parent qty mass", f"t . {cell} .", "a t 1 2")
    assert "MP252" not in [finding.rule for finding in bom.findings]
    assert mp.rollup(bom).root.mass == 2


@pytest.mark.parametrize(("cell", "of_all"), [("3", "12"), ("0.5", "2"), ("2pcs", "8")])
def test_a_quantity_of_the_root_is_a_question_with_both_masses(cell: str, of_all: str) -> None:
    """Two pieces of 2 kg hang under the root: 4 kg, times what the root states."""
    rows = ("id parent qty mass", "a t 2 2", f"t . {cell} .")
    finding = only(bom_of(*rows).findings, "MP252")
    assert finding.message.endswith(f"mass of one 4, of all {of_all}")
    assert finding.item == "t"
    assert "--root t for one" in finding.remedy
    assert f"--config make-root='t x {finding.value}' for all" in finding.remedy


def test_the_options_of_the_question_give_the_masses_it_states() -> None:
    rows = [{"id": "t", "parent": "", "qty": "3"}, {"id": "a", "parent": "t", "qty": "2", "mass": "2"}]
    assert mp.rollup(mp.Bom.from_records(rows, root="t")).root.mass == 4
    assert mp.rollup(mp.Bom.from_records(rows, make_root="t x 3")).root.mass == 12


def test_a_quantity_that_is_not_a_number_is_an_error() -> None:
    finding = only(bom_of("id parent qty mass", "t . . .", "a t two 2").findings, "MP205")
    assert (finding.item, finding.value) == ("a", "two")


def test_blank_point_flag_on_a_leaf_is_false_and_noted() -> None:
    rows = (f"a t 1 0 0 0 {CUBE} - .", f"b t 1 0 0 0 {CUBE} - no", "t . . . . . . . . . . . - .")
    finding = only(bom_of(HEADER, *rows).findings, "MP215")
    assert (finding.severity, finding.message) == (mp.Severity.NOTE, "blank Ipoint read as false: a")
    finding = only(bom_of(HEADER, *rows, strict=True).findings, "MP215")
    assert (finding.severity, finding.message) == (mp.Severity.ERROR, "Ipoint flag of a is missing")


def test_a_point_mass_adds_no_tensor_of_its_own_whatever_its_cells_hold() -> None:
    """Two points of mass 3 and 1, 4 apart: m1 m2 / (m1 + m2) d² = 12 across the line, 0 along it."""
    bom = bom_of(HEADER, "t . . . . . . . . . . . - .", "a t 3 0 0 0 9 9 9 1 1 1 - yes", "b t 1 4 0 0 . . . . . . - T")
    assert bom.findings == ()
    assert np.diag(mp.rollup(bom).root.inertia).tolist() == [0.0, 12.0, 12.0]
    assert bom["a"].inertia is not None
    assert not bom["a"].inertia.any()


def test_an_assembly_is_a_point_only_if_its_children_are_one() -> None:
    rows = ["t . . . . . . . . . . . - .", "A t . . . . . . . . . . - 0"]
    rows += ["a A 1 2 0 0 . . . . . . - 1", "b A 1 2 0 0 . . . . . . - 1", f"c t 1 5 0 0 {CUBE} - 0"]
    result = mp.rollup(bom_of(HEADER, *rows))
    assert result["A"].is_point
    assert not result.root.is_point
    assert result["A"].radii is None
    (fill,) = [f for f in result.filling().fills if result.bom.columns.header[f.column] == "Ipoint"]
    assert (fill.rows.tolist(), list(fill.values)) == ([1, 2], ["0", "1"])


def test_rows_with_a_centre_and_no_inertia_are_noted_without_a_point_column() -> None:
    header = HEADER.replace(" Ipoint", "")
    bom = bom_of(header, "t . . . . . . . . . . . -", "a t 1 0 0 0 . . . . . . -", f"b t 1 0 0 0 {CUBE} -")
    assert only(bom.findings, "MP222").item == "a"


@pytest.mark.parametrize(("sign", "entry"), [("+", -0.25), ("-", 0.25), ("\u2212", 0.25)])
def test_products_become_tensor_entries(sign: str, entry: float) -> None:
    bom = bom_of(HEADER, f"a . 1 0 0 0 1 1 1 0.25 0 0 {sign} false")
    assert bom["a"].inertia is not None
    assert bom["a"].inertia[0, 1] == entry
    assert [f.rule for f in bom.findings] == (["MP220"] if sign == "\u2212" else [])


@pytest.mark.parametrize("sign", ["\u2013", "x", "."])
def test_another_sign_is_never_plus(sign: str) -> None:
    bom = bom_of(HEADER, "t . . . . . . . . . . . - .", f"a t 1 0 0 0 1 1 1 0.25 0 0 {sign} false")
    finding = only(bom.findings, "MP213")
    assert finding.item == "a"
    assert ("en dash" in finding.message) is (sign == "\u2013")


def test_a_blank_sign_is_fine_where_there_are_no_products() -> None:
    bom = bom_of(HEADER, "t . . . . . . . . . . . . .", f"a t 1 0 0 0 {CUBE} . false", f"b t 1 1 0 0 {CUBE} + false")
    result = mp.rollup(bom)
    assert {finding.rule for finding in result.findings} == {"MP713"}  # cubes have the default tensor of programs


def test_products_without_a_convention_are_rejected_and_both_readings_offered() -> None:
    header = HEADER.replace(" POIconv", "")
    rows = ("t . . . . . . . . . . . .", "a t 1 0 0 0 1 1 1 0.25 0 0 no", f"b t 1 0 0 0 {CUBE} no")
    finding = only(bom_of(header, *rows).findings, "MP214")
    assert (finding.item, finding.count) == ("a", 1)
    assert "--poi +" in finding.remedy
    assert "--poi -" in finding.remedy
    for poi, entry in (("+", -0.25), ("-", 0.25)):
        bom = bom_of(header, *rows, poi=poi)
        assert bom["a"].inertia is not None
        assert bom["a"].inertia[0, 1] == entry


def test_a_blank_assembly_takes_the_sign_that_its_children_share() -> None:
    """Items 0 (1 (3, 4), 2 (5)): 3 and 4 share +; 2 takes −; 0 has children of both kinds."""
    tree = Tree.from_parents(np.array([-1, 0, 0, 1, 1, 2], np.int32))
    signs, differ = _inherited_product_signs(tree, np.array([0, 0, 0, 1, 1, -1], np.int8))
    assert (signs.tolist(), np.flatnonzero(differ).tolist()) == ([0, 1, -1, 1, 1, -1], [0])
    assert _inherited_product_signs(tree, np.array([0, 0, -1, 1, 1, 1], np.int8))[0].tolist() == [0, 1, -1, 1, 1, 1]
    assert _inherited_product_signs(tree, np.array([0, 0, 0, -1, -1, -1], np.int8))[0].tolist() == [-1] * 6


OWN_HEADER = f"{HEADER} weighed"
OWN = (
    "t . . . . . . . . . . . - . .",
    "A t 5 1 0 0 2 2 2 0 0 0 - . {weighed}",
    f"b A 2 0 0 0 {CUBE} - no .",
    f"c t 3 0 0 0 {CUBE} - no .",
)


def own_table(weighed: str = ".", a: str = "", **options: str) -> mp.Bom:
    """Three bodies; A states mass 5 at x = 1 next to its child b of mass 2."""
    rows = [row.format(weighed=weighed) for row in OWN]
    rows[1] = a or rows[1]
    return bom_of(OWN_HEADER, *rows, **options)


@pytest.mark.parametrize(
    ("values", "weighed", "of_a", "of_t"),
    [("check", ".", 2, 5), ("ignore", ".", 2, 5), ("own", ".", 7, 10), ("stated", ".", 5, 8),
     ("check", "yes", 5, 8), ("ignore", "yes", 5, 8), ("own", "yes", 5, 8)],
)  # fmt: skip
def test_whose_numbers_go_up(values: str, weighed: str, of_a: float, of_t: float) -> None:
    result = mp.rollup(own_table(weighed, assembly_values=values))
    assert (result["A"].mass, result.root.mass) == (of_a, of_t)
    assert len(result.bom) == (5 if (values, weighed) == ("own", ".") else 4)
    differing = [f.item for f in reported(result.findings, "MP411")]
    assert differing == (["A"] if values in ("check", "stated") or weighed == "yes" else [])


def test_stated_numbers_are_not_written_over() -> None:
    result = mp.rollup(own_table("yes"))
    assert all(2 not in fill.rows for fill in result.filling().fills)
    assert "mass 5 (children: 2)" in only(result.findings, "MP411").message


def test_own_numbers_are_not_written_over_either() -> None:
    result = mp.rollup(own_table(assembly_values="own"))
    filling = result.filling()
    assert filling.fills == ()
    total = next(added for added in filling.added if added.name == "total_mass")
    assert (total.rows.tolist(), np.asarray(total.values).tolist()) == ([1, 2], [10.0, 7.0])
    # 5 at x = 1 and 2 at x = 0: 2·5/7·1² across, next to the own moments 2 + 1
    assert result["A"].inertia[1, 1] == pytest.approx(3 + 10 / 7, rel=1e-15)


@pytest.mark.parametrize("values", ["own", "stated"])
@pytest.mark.parametrize(
    ("row", "rule"),
    [("A t 5 . . . 2 2 2 0 0 0 - . .", "MP206"), ("A t 5 1 0 0 . . . . . . - . .", "MP223"),
     ("A t 5 1 0 0 2 2 2 0.1 0 0 . . .", "MP213"), ("A t 5 1 0 0 2 2 9 0 0 0 - . .", "MP404"),
     ("A t -5 1 0 0 2 2 2 0 0 0 - . .", "MP401"), ("A t 5 1 . 0 2 2 2 0 0 0 - . .", "MP212")],
)  # fmt: skip
def test_numbers_that_go_up_are_held_to_what_a_leaf_is_held_to(values: str, row: str, rule: str) -> None:
    assert only(own_table(a=row, assembly_values=values).findings, rule).item == "A"
    assert not reported(own_table(a=row).findings, rule)


def test_weighed_rows_stay_weighed_next_to_own_numbers() -> None:
    """A goes up as it was weighed, B with its own 4 next to its child's 1."""
    rows = ("t . . .", "A t 5 yes", "a A 2 .", "B t 4 .", "b B 1 .")
    result = mp.rollup(bom_of("id parent mass weighed", *rows, assembly_values="own"))
    assert [result[name].mass for name in ("A", "B", "t")] == [5.0, 5.0, 10.0]


def test_weighed_rows_need_no_convention_to_be_written_in() -> None:
    header = f"{HEADER} weighed"
    rows = ("t . . . . . . . . . . . - . .", f"A t 5 1 0 0 {CUBE} . . yes", f"a A 1 0 1 0 {CUBE} + no .",
            "b A 1 1 0 0 1 1 1 0.5 0 0 - no .")  # fmt: skip
    assert not reported(mp.rollup(bom_of(header, *rows)).findings, "MP224")


def test_a_bad_mark_of_weighing_is_an_error() -> None:
    assert only(own_table("perhaps").findings, "MP215").item == "A"
