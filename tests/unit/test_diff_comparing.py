"""What changed between two revisions, against numbers worked out by hand."""

from __future__ import annotations

import io

import numpy as np
import pytest
from bom_tables import HEADER, bom_of

import massprops_cli as mp
from massprops_cli.findings.finding import FindingsError, UsageError
from massprops_cli.reports.diff import waterfall_rows
from massprops_cli.revisions.attribution import COMPARED_RESULTS
from massprops_cli.revisions.comparison import diff, result_waterfall

OLD = ("top . . . . . . . . . . . - .", "a top 2 -1 0 0 0 0 0 0 0 0 - true", "b top 3 1 0 0 0 0 0 0 0 0 - true")


def rows_of(answer):
    return {row.id: row for row in answer.rows()}


def test_mass_center_and_inertia_of_two_points():
    old = bom_of(HEADER, *OLD)
    new = bom_of(HEADER, OLD[0], "a top 3 -1 0 0 0 0 0 0 0 0 - true", OLD[2])
    answer = diff(old, new)
    # 2 kg at -1 and 3 kg at 1: centre 0.2, Iyy = 2·1.2² + 3·0.8² = 4.8; 3 and 3: centre 0, Iyy = 6
    change = dict(zip(COMPARED_RESULTS, answer.whole.change.tolist(), strict=True))
    assert change["mass"] == 1
    assert change["Cx"] == pytest.approx(-0.2)
    assert change["Iyy"] == pytest.approx(1.2)
    (row,) = answer.rows()
    assert (row.id, row.changes, row.mass, row.quantity) == ("a", ("mass",), (2, 3), (1, 1))
    assert row.contributions["Cx"] == pytest.approx(-0.2)
    assert row.contributions["Iyy"] == pytest.approx(1.2)
    assert row.contributions["sigma_mass"] is None


def test_contributions_are_the_mean_of_two_ways_to_see_the_change():
    old = bom_of(HEADER, *OLD)
    new = bom_of(HEADER, OLD[0], "a top 4 -3 1 0 1 2 2 0 0 0 - false", "b top 5 2 0 1 0 0 0 0 0 0 - true")
    whole = diff(old, new).whole
    m, c = np.array([2.0, 3]), np.array([[-1.0, 0, 0], [1, 0, 0]])
    n, d = np.array([4.0, 5]), np.array([[-3.0, 1, 0], [2, 0, 1]])
    big, bigger = m.sum(), n.sum()
    C, D = m @ c / big, n @ d / bigger
    for k, line in enumerate((1, 2)):
        from_before = (n[k] * (d[k] - C) - m[k] * (c[k] - C)) / bigger
        from_after = (n[k] * (d[k] - D) - m[k] * (c[k] - D)) / big
        assert whole.parts.contributions[line, 1:4] == pytest.approx((from_before + from_after) / 2)

    def about(point):
        own = np.array([np.diag([1.0, 2, 2]), np.zeros((3, 3))])

        def shifted(mass, at):
            r = at - point
            return mass * (r @ r * np.eye(3) - np.outer(r, r))

        return np.array([own[k] + shifted(n[k], d[k]) - shifted(m[k], c[k]) for k in (0, 1)])

    tensors = (big * about(C) + bigger * about(D)) / (big + bigger)
    for k, line in enumerate((1, 2)):
        expected = tensors[k][[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        assert whole.parts.contributions[line, 4:10] == pytest.approx(expected)


def test_a_change_of_quantity_and_of_mass_at_once_is_split_evenly():
    old = bom_of("id parent mass qty", "top . . .", "a top 2 3")
    new = bom_of("id parent mass qty", "top . . .", "a top 5 4")
    by = diff(old, new).whole.by_change()
    assert by == {"added": 0, "removed": 0, "structure": 0, "quantity": 3.5, "mass": 10.5, "rounding": 0}


def test_quantities_multiply_down_the_tree():
    old = bom_of("id parent mass qty", "top . . .", "box top . 2", "a box 1 3", "b top 4 1")
    new = bom_of("id parent mass qty", "top . . .", "box top . 5", "a box 1 3", "b top 4 1")
    answer = diff(old, new)
    rows = rows_of(answer)
    assert rows["box"].changes == ("quantity",)
    assert rows["box"].contributions["mass"] == 9
    assert "a" not in rows
    assert answer.whole.contributions()[:, 0].tolist() == [0, 0, 9, 0]
    assert answer.at("box").change[0] == 0
    assert (result_waterfall(answer, item="box").before, result_waterfall(answer).before) == (3, 10)


def test_the_reason_of_a_quantity_holds_for_what_is_below():
    old = bom_of("id parent mass qty", "top . . .", "box top . 2", "a box 1 3", "b top 4 1")
    new = bom_of("id parent mass qty", "top . . .", "box top . 5", "a box 1 3", "b top 6 1")
    answer = diff(old, new, reasons={"box": "ECR-1", "b": "ECR-2"})
    assert answer.by_reason() == {"ECR-1": 9, "ECR-2": 2}
    assert {step.id: step.reason for step in result_waterfall(answer).steps} == {"a": "ECR-1", "b": "ECR-2"}
    assert answer.findings == ()


def test_ids_that_are_nearly_the_same_are_reported_once():
    header = "id parent mass"
    old = bom_of(header, "top . .", *(f"tnk-{k} top 1" for k in range(5)), "007 top 1", "fan top 1")
    new = bom_of(header, "top . .", *(f"TNK-{k} top 1" for k in range(5)), "7 top 1", "fans top 1")
    (finding,) = diff(old, new).findings
    assert (finding.rule, finding.item) == ("MP646", "TNK-0")
    assert "'TNK-0' added, 'tnk-0' removed" in finding.message
    assert finding.message.endswith("and 3 more")


def test_added_removed_moved_and_broken_down():
    header = "id parent mass"
    old = bom_of(header, "top . .", "x top .", "y top .", "a x 1", "b y 2", "c y 4", "e y 8")
    new = bom_of(header, "top . .", "x top .", "y top .", "a y 1", "c y .", "c1 c 5", "d x 16", "e y 8")
    answer = diff(old, new)
    rows = rows_of(answer)
    assert {name: row.changes for name, row in rows.items()} == {
        "a": ("re-parented",), "c": ("structure",), "c1": ("added",), "d": ("added",), "b": ("removed",),
    }  # fmt: skip
    assert rows["a"].parent == ("x", "y")
    assert rows["b"].mass == (2, None)
    assert answer.counts() == {"added": 2, "removed": 1, "re-parented": 1, "structure": 1}
    one = dict(zip(map(answer.id, range(len(answer.matching))), answer.whole.contributions(1)[:, 0], strict=True))
    assert (one["x"], one["y"]) == (15, 0)
    by = answer.whole.by_change()
    assert (by["added"], by["removed"], by["structure"]) == (21, -2, -4)
    with pytest.raises(UsageError, match="item is not in records: d"):
        answer.at("d")
    with pytest.raises(UsageError, match="item is not in records: b"):
        answer.at("b")
    with pytest.raises(UsageError, match="id is not in the table: z"):
        answer.at("z")


def test_sigma_by_shares_of_the_variance():
    header = "id parent mass sigma_mass"
    answer = diff(
        bom_of(header, "top . . .", "a top 2 0.3", "b top 3 0.4"),
        bom_of(header, "top . . .", "a top 2 1.2", "b top 3 0.4"),
    )
    whole = answer.whole
    assert whole.change[10] == pytest.approx(np.sqrt(1.6) - 0.5)
    assert whole.parts.contributions[1, 10] == pytest.approx((1.44 - 0.09) / (np.sqrt(1.6) + 0.5))
    assert whole.parts.contributions[2, 10] == 0
    assert rows_of(answer)["a"].changes == ("sigma",)


def test_sigmas_that_are_small_or_zero():
    header = "id parent mass sigma_mass"
    old = bom_of(header, "top . . .", "a top 2 0.003", "b top 3 0.004")
    new = bom_of(header, "top . . .", "a top 2 0", "b top 3 0.004")
    whole = diff(old, new).whole
    assert whole.contributions()[:, 10] == pytest.approx([0, -(0.003**2) / 0.009, 0])
    exact = bom_of(header, "top . . .", "a top 2 0", "b top 3 0")
    assert diff(exact, exact).whole.contributions()[:, 10].tolist() == [0, 0, 0]
    header = "id parent mass Cx Cy Cz sigma_mass sigma_Cx sigma_Cy sigma_Cz"
    places = bom_of(header, "top " + ". " * 9, "a top 2 -1 0 0 0 0 0 0")
    heavier = bom_of(header, "top " + ". " * 9, "a top 3 -1 0 0 0 0 0 0")
    assert diff(places, heavier).whole.column("sigma_Cx").contributions.tolist() == [0, 0]


def test_other_units_are_converted_and_the_same_number_is_not_a_change():
    old = bom_of("id parent mass[g]", "top . .", "a top 2100", "b top 3300")
    new = bom_of("id parent mass[kg]", "top . .", "a top 2.1", "b top 3.4")
    answer = diff(old, new)
    (row,) = answer.rows()
    assert row.id == "b"
    assert row.contributions["mass"] == pytest.approx(0.1, abs=1e-12)
    assert answer.whole.contributions()[1, 0] == 0


def test_a_unit_in_one_file_only_is_rejected():
    with pytest.raises(UsageError, match="old file states no unit of mass"):
        diff(bom_of("id parent mass", "top . .", "a top 2"), bom_of("id parent mass[kg]", "top . .", "a top 2"))


def test_roots_belong_together_and_another_item_may_take_the_name():
    answer = diff(bom_of("id parent mass", "A . .", "a A 2"), bom_of("id parent mass", "B . .", "A B .", "a A 2"))
    assert {row.id: row.changes for row in answer.rows()} == {"A": ("added",), "a": ("re-parented",)}
    assert answer.whole.change[0] == 0


def test_a_whole_of_one_item():
    answer = diff(bom_of("id parent mass", "A . 2"), bom_of("id parent mass", "B . 3"))
    (step,) = result_waterfall(answer).steps
    assert (step.id, step.words, step.value) == ("B", ("mass",), 1)
    by = answer.whole.by_change()
    assert (by["mass"], by["added"], by["removed"]) == (1, 0, 0)


def test_part_numbers_match_in_place_first():
    header = "id parent mass part"
    old = bom_of(header, "t . . .", "x t . X", "y t . Y", "1 x 1 S", "2 y 2 S", "3 y 3 S")
    new = bom_of(header, "t . . .", "k t . X", "l t . Y", "7 l 2 S", "8 l 3 S", "9 k 1 S")
    answer = diff(old, new, match="part")
    assert list(answer.rows()) == []
    assert answer.matching.in_order == ("S",)
    moved = bom_of(header, "t . . .", "k t . X", "l t . Y", "7 l 2 S", "8 k 3 S", "9 k 1 S")
    (row,) = (row for row in diff(old, moved, match="part").rows() if "re-parented" in row.changes)
    assert row.parent == ("y", "k")


def test_matching_by_part_needs_the_column():
    bom = bom_of("id parent mass", "top . .", "a top 2")
    with pytest.raises(UsageError, match="no column of part numbers"):
        diff(bom, bom, match="part")
    with pytest.raises(UsageError, match=r"invalid match: name \(expected one of id, part\)"):
        diff(bom, bom, match="name")


def test_a_use_that_moved_in_layout_edges_is_found_by_its_part():
    header = "parent child qty mass"
    old = bom_of(header, ". A 1 .", "A B 1 .", "A C 1 .", "B bolt 2 1", "C nut 1 1")
    new = bom_of(header, ". A 1 .", "A B 1 .", "A C 1 .", "C bolt 2 1", "B nut 1 1")
    answer = diff(old, new)
    assert answer.old.bom.layout == "edges"
    assert {row.changes for row in answer.rows()} == {("re-parented",)}
    assert len(answer.lines) == 2


def test_what_is_below_a_use_that_moved_moves_with_it():
    header = "parent child qty mass"
    ends = (". A 1 .", "A X 1 .", "A Y 1 .")
    inside = ("K bolt 2 1", "L bolt 3 1", "K lid 1 4", "L pin 1 5", "X rod 1 6", "Y rod 1 6")
    old = bom_of(header, *ends, "X K 1 .", "X L 1 .", *inside)
    new = bom_of(header, *ends, "Y K 1 .", "Y L 1 .", *inside)
    answer = diff(old, new)
    assert {row.id: row.changes for row in answer.rows()} == {"A/Y/K": ("re-parented",), "A/Y/L": ("re-parented",)}
    assert not answer.whole.contributions()[:, 0].any()


def test_stated_assemblies_represent_what_is_below():
    header = "id parent mass"
    old = bom_of(header, "t . .", "box t 10", "a box 4", "b t 1", assembly_values="stated")
    new = bom_of(header, "t . .", "box t 12", "a box 5", "b t 1", assembly_values="stated")
    answer = diff(old, new)
    assert answer.whole.change[0] == 2
    assert rows_of(answer)["box"].changes == ("mass",)
    assert answer.whole.contributions()[:, 0].sum() == pytest.approx(float(answer.whole.change[0]))


def test_a_table_with_errors_is_rejected():
    good = bom_of("id parent mass", "top . .", "a top 2")
    with pytest.raises(FindingsError):
        diff(good, bom_of("id parent mass", "top . .", "a top x"))


def test_samples_are_not_compared():
    bom = bom_of("id parent mass", "top . .", "a top 2")
    with pytest.raises(UsageError, match="not samples"):
        diff(bom, bom, uncertainty="montecarlo")


def test_a_level_below_one_is_rejected():
    bom = bom_of("id parent mass", "top . .", "a top 2")
    with pytest.raises(UsageError, match="level is not positive: 0"):
        diff(bom, bom).whole.contributions(0)


def test_growth():
    header = "id parent mass mga[%]"
    old = bom_of(header, "top . . .", "a top 2 10", "b top 3 20")
    new = bom_of(header, "top . . .", "a top 2 30", "b top 4 20")
    answer = diff(old, new)
    assert {row.id: row.changes for row in answer.rows()} == {"a": ("growth",), "b": ("mass",)}
    contributions = {row.id: row.contributions["predicted_mass"] for row in answer.rows()}
    assert contributions == pytest.approx({"a": 0.4, "b": 1.2})
    assert answer.whole.change[11] == pytest.approx(1.6)


def test_growth_in_one_file_only():
    new = bom_of("id parent mass mga[%]", "top . . .", "a top 2 30", "b top 3 0")
    old = bom_of("id parent mass", "top . .", "a top 2", "b top 3")
    answer = diff(old, new)
    (row,) = answer.rows()
    assert (row.id, row.changes, row.contributions["mass"]) == ("a", ("growth",), 0)
    assert row.contributions["predicted_mass"] == pytest.approx(0.6)
    assert np.isnan(diff(old, old).whole.change[11])


def test_errors_that_are_shared_are_split_among_the_members():
    header = "id parent mass sigma_mass corr_group"
    old = bom_of(header, "top . . . .", "a top 2 0.3 g", "b top 3 0.4 g", "c top 1 0 .")
    new = bom_of(header, "top . . . .", "a top 2 0.6 g", "b top 3 0.4 g", "c top 1 0 .")
    whole = diff(old, new).whole
    # sigmas of one group add: 0.7 before, 1.0 after; a leaf's part is its own times the sum
    assert whole.change[10] == pytest.approx(0.3)
    expected = [0, (0.6 * 1.0 - 0.3 * 0.7) / 1.7, (0.4 * 1.0 - 0.4 * 0.7) / 1.7, 0]
    assert whole.contributions()[:, 10] == pytest.approx(expected)


def test_sigma_of_a_centre():
    header = "id parent mass Cx Cy Cz sigma_mass sigma_Cx sigma_Cy sigma_Cz"
    top = "top " + ". " * 9
    old = bom_of(header, top, "a top 2 -1 0 0 0.1 0.3 0 0", "b top 3 1 0 0 0 0 0 0")
    new = bom_of(header, top, "a top 2 -1 0 0 0.1 0.6 0 0", "b top 3 1 0 0 0 0 0 0")
    column = diff(old, new).whole.column("sigma_Cx")
    # dC/dc = m/M = 0.4, dC/dm = (c - C)/M = -0.24
    assert column.before == pytest.approx(np.hypot(0.4 * 0.3, 0.24 * 0.1))
    assert column.after == pytest.approx(np.hypot(0.4 * 0.6, 0.24 * 0.1))
    assert column.contributions == pytest.approx([0, column.after - column.before, 0])
    with pytest.raises(UsageError, match="massprops"):
        diff(old, new, uncertainty="massprops").whole.column("sigma_Cx")
    assert np.isnan(diff(old, new, uncertainty="none").whole.column("sigma_Cx").before)


def test_what_the_moved_centre_does_to_the_sigma_of_unchanged_items():
    header = "id parent mass Cx Cy Cz sigma_mass sigma_Cx sigma_Cy sigma_Cz"
    top = "top " + ". " * 9
    old = bom_of(header, top, "a top 2 -1 0 0 0 0.3 0 0", "b top 3 1 0 0 0.2 0 0 0", "d top 1 0 0 0 0 0 0 0")
    new = bom_of(header, top, "a top 2 -1 0 0 0 0.6 0 0", "b top 3 1 0 0 0.2 0 0 0", "d top 5 2 0 0 0 0 0 0")
    answer = diff(old, new)
    column = answer.whole.column("sigma_Cx")
    # M = 6, C = 1/6 and M' = 10, C' = 1.1; dC/dx = m/M, dC/dm = (x - C)/M
    before, after = np.hypot(0.3 * 2 / 6, 0.2 * (1 - 1 / 6) / 6), np.hypot(0.6 * 0.2, 0.2 * (1 - 1.1) / 10)
    assert (column.before, column.after) == pytest.approx((before, after))
    of_a = ((0.6 * 0.2) ** 2 - (0.3 / 3) ** 2) / (before + after)
    of_b = ((0.2 * 0.01) ** 2 - (0.2 * 5 / 36) ** 2) / (before + after)
    assert column.contributions == pytest.approx([0, of_a, 0, 0])
    assert column.unchanged == pytest.approx(of_b)
    assert abs(column.rounding) < 1e-15
    fall = result_waterfall(answer, "sigma_Cx")
    assert fall.unchanged == column.unchanged
    rows = {label: (words, float(change)) for label, words, change, *_ in waterfall_rows(fall)}
    assert rows["unchanged items"][0] == "CG of the assembly moved"
    assert sum(rows[name][1] for name in ("a", "unchanged items")) == pytest.approx(rows["change"][1])
    assert result_waterfall(answer, "sigma_mass").unchanged == 0


def test_lengths_are_converted_too():
    header = (
        "id parent mass[g] Cx[mm] Cy[mm] Cz[mm] Ixx[g*mm^2] Iyy[g*mm^2] Izz[g*mm^2] Ixy[g*mm^2] Ixz[g*mm^2] Iyz[g*mm^2]"
    )
    si = header.replace("[g", "[kg").replace("mm", "m")
    top = "top " + ". " * 11
    b = "b top 3 2 1 0 5 5 5 0 0 0"
    old = bom_of(
        header, top, "a top 2000 1000 2000 300 4e9 4e9 4e9 0 0 0", "b top 3000 2000 1000 0 5e9 5e9 5e9 0 0 0", poi="-"
    )
    same = bom_of(si, top, "a top 2 1 2 0.3 4 4 4 0 0 0", b, poi="-")
    new = bom_of(si, top, "a top 2 1.5 2 0.3 4 4 4 0 0 0", b, poi="-")
    assert list(diff(old, same).rows()) == []
    (row,) = diff(old, new).rows()
    assert row.changes == ("center",)
    assert row.contributions["Cx"] == pytest.approx(0.2)
    assert dict(row.contributions) == pytest.approx(dict(next(iter(diff(same, new).rows())).contributions), nan_ok=True)


def test_centers_in_one_file_only_do_not_change_the_shares_of_the_mass():
    old = bom_of("id parent mass sigma_mass", "top . . .", "a top 2 0.3", "b top 3 0.4")
    places = "id parent mass Cx Cy Cz sigma_mass"
    new = bom_of(places, "top . . . . . .", "a top 2 1 0 0 1.2", "b top 3 0 0 0 0.4")
    answer = diff(old, new, reasons={"a": "ECR-1"})
    assert rows_of(answer)["a"].reason == "ECR-1"
    column = answer.whole.column("sigma_mass")
    # 0.3 and 0.4 give 0.5; 1.2 and 0.4 give the root of 1.6
    assert (column.before, column.after) == pytest.approx((0.5, np.sqrt(1.6)))
    assert column.contributions == pytest.approx([0, (1.44 - 0.09) / (np.sqrt(1.6) + 0.5), 0])


def test_sigma_of_an_inertia_in_other_units():
    entries = ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    header = " ".join(["id parent mass[{0}] Cx[{1}] Cy[{1}] Cz[{1}]", *(f"{name}[{{0}}*{{1}}^2]" for name in entries)])
    header += " " + " ".join(f"sigma_{name}[{{0}}*{{1}}^2]" for name in entries)
    header += " sigma_mass[{0}] sigma_Cx[{1}] sigma_Cy[{1}] sigma_Cz[{1}]"
    top = "top " + ". " * 21
    # 3 kg m² and 5 kg m²; 1 kg = 1000 g and 1 m² = 10^6 mm²
    old = bom_of(header.format("g", "mm"), top, "a top 2000 0 0 0 9e9 9e9 9e9 0 0 0 3e9 0 0 0 0 0 0 0 0 0", poi="-")
    new = bom_of(header.format("kg", "m"), top, "a top 2 0 0 0 9 9 9 0 0 0 5 0 0 0 0 0 0 0 0 0", poi="-")
    column = diff(old, new).whole.column("sigma_Ixx")
    assert (column.before, column.after) == pytest.approx((3, 5))
    assert column.contributions == pytest.approx([0, 2])


def test_a_stated_root_represents_all_items():
    header = "id parent mass"
    old = bom_of(header, "t . 10", "a t 4", "b t 1", assembly_values="stated")
    new = bom_of(header, "t . 12", "a t 9", "b t 1", assembly_values="stated")
    whole = diff(old, new).whole
    assert whole.change[0] == 2
    assert whole.contributions()[:, 0].tolist() == [2, 0, 0]
    assert whole.contributions(1)[:, 0].tolist() == [2, 0, 0]


def test_the_reason_of_a_root_is_that_of_the_new_file():
    header = "id parent mass why"
    answer = diff(bom_of(header, "A . 2 ECR-1"), bom_of(header, "B . 3 ECR-2"), reason_column="why")
    assert {row.id: row.reason for row in answer.rows()} == {"B": "ECR-2"}


def test_a_threshold_of_a_result_that_one_file_does_not_have():
    old = bom_of("id parent mass", "top . .", "a top 2")
    new = bom_of("id parent mass Cx Cy Cz", "top . . . . .", "a top 2 1 0 0")
    for pair in ((old, new), (new, old)):
        (finding,) = (f for f in diff(*pair, thresholds=["Cx 2"]).findings if f.rule == "MP640")
        assert finding.message == "top: Cx is not known in records, threshold 2 is undecided"


def test_a_threshold_of_the_first_item_names_its_row():
    header = "id parent mass"
    answer = diff(bom_of(header, "A . 2"), bom_of(header, "A . 3"), thresholds=["mass 0.5"])
    (finding,) = (f for f in answer.findings if f.rule == "MP640")
    assert (finding.place.row, finding.item) == (2, "A")  # row 1 is the header


def test_sigma_of_an_added_item():
    header = "id parent mass sigma_mass"
    old = bom_of(header, "top . . .", "a top 2 0.3")
    new = bom_of(header, "top . . .", "a top 2 0.3", "b top 3 0.4")
    (row,) = diff(old, new).rows()
    # 0.3 before; 0.3 and 0.4 give 0.5 after: the change of 0.2 is that of b
    assert (row.id, row.changes) == ("b", ("added",))
    assert row.contributions["sigma_mass"] == pytest.approx(0.2)
    (back,) = diff(new, old).rows()
    assert back.contributions["sigma_mass"] == pytest.approx(-0.2)


def test_a_moved_item_with_the_part_number_of_the_root_is_found():
    header = "id parent mass part"
    old = bom_of(header, "t . . X", "y t . Y", "z y 1 Z", "x y 2 X")
    new = bom_of(header, "t . . X", "y t . Y", "z y 1 Z", "x t 2 X")
    assert {row.id: row.changes for row in diff(old, new, match="part").rows()} == {"x": ("re-parented",)}


def test_growth_of_a_table_of_one_item():
    header = "id parent mass mga[%]"
    (row,) = diff(bom_of(header, "A . 2 10"), bom_of(header, "A . 2 30")).rows()
    assert row.changes == ("growth",)
    assert row.contributions["predicted_mass"] == pytest.approx(0.4)  # 2.6 − 2.2


def test_a_reason_of_a_table_of_one_item_is_used():
    header = "id parent mass"
    answer = diff(bom_of(header, "A . 2"), bom_of(header, "A . 3"), reasons={"A": "ECR-1"})
    assert answer.findings == ()
    assert [row.reason for row in answer.rows()] == ["ECR-1"]


def test_an_added_item_without_a_centre_does_not_change_the_inertia():
    top = "t " + ". " * 11 + "- true"
    a = "a t 2 1 0 0 0 0 0 0 0 0 - true"
    missing = frozenset({"center", "inertia"})
    new = bom_of(HEADER, top, a, "b t 3 . . . . . . . . . - true", allow_missing=missing)
    (row,) = diff(bom_of(HEADER, top, a, allow_missing=missing), new).rows()
    assert (row.id, row.contributions["mass"]) == ("b", 3)
    assert [row.contributions[name] for name in ("Cx", "Ixx", "Iyy", "Ixy")] == [0, 0, 0, 0]


def test_an_added_item_like_the_last_one_is_not_unchanged():
    header = "id parent mass Cx Cy Cz sigma_mass sigma_Cx sigma_Cy sigma_Cz"
    top = "top " + ". " * 9
    old = bom_of(header, top, "a top 2 1 0 0 0 0.3 0 0")
    new = bom_of(header, top, "a top 2 1 0 0 0 0.3 0 0", "b top 2 1 0 0 0 0.3 0 0")
    column = diff(old, new).whole.column("sigma_Cx")
    # dC/dx = 1 before and 1/2 of each after: 0.3, and the root of 2 times 0.15
    both = 0.3 + 0.15 * np.sqrt(2)
    assert (column.before, column.after) == pytest.approx((0.3, 0.15 * np.sqrt(2)))
    assert column.contributions == pytest.approx([0, 0, 0.15**2 / both])
    assert column.unchanged == pytest.approx((0.15**2 - 0.3**2) / both)


POSED = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame
R,,,,,,0,0,0,0,0,0,own
M,R,,,,,1,0,0,0,0,0,own
A,M,2,0.1,0,0,0.5,0,0,0,0,0,own
A2,M,2,0.1,0,0,0.7,0.3,0,0,0,{yaw},own
B,R,3,{x},0,0,0.5,0,0,0,0,0,own
"""


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({}, {}),
        ({"M,R,,,,,1,0": "M,R,,,,,2,0"}, {"M": ("pose",)}),
        ({"M,R,,,,,1,0,0,0,0,0": "M,R,,,,,1,0,0,0,0,30"}, {"M": ("pose",)}),
        ({"{yaw}": "10"}, {"A2": ("pose",)}),
        ({"{x}": "0.2"}, {"B": ("center",)}),
        ({"M,R,,,,,1,0": "M,R,,,,,2,0", "{x}": "0.2"}, {"M": ("pose",), "B": ("center",)}),
        ({"A,M,2": "A,R,2"}, {"A": ("re-parented",)}),
        ({"B,R,3,{x},0,0,0.5,0,0,0,0,0,own": "B,R,3,0.6,0,0,0.5,0,0,0,0,0,root"}, {}),  # the same place
        ({"B,R,3,{x},0,0,0.5,0,0,0,0,0,own": "B,R,3,0.7,0,0,0.5,0,0,0,0,0,root"}, {"B": ("center",)}),
    ],
)  # fmt: skip
def test_moved_poses_are_the_change(edits: dict[str, str], expected: dict[str, tuple[str, ...]]) -> None:
    """Not the parts that they move: their own numbers are the same."""

    def read(changes: dict[str, str]) -> mp.Bom:
        text = POSED
        for one, other in changes.items():
            text = text.replace(one, other)
        return mp.read_bom(io.StringIO(text.format(yaw=0, x=0.1)), format="csv")

    answer = diff(read({}), read(edits))
    assert {row.id: row.changes for row in answer.rows()} == expected
    total = answer.whole.column("Cx")
    assert total.contributions.sum() + total.unchanged + total.rounding == pytest.approx(total.after - total.before)


def test_poses_in_other_units_are_the_same() -> None:
    values = POSED.format(yaw=17, x=0.1)
    lines = [line.split(",") for line in values.splitlines()]
    lines[0] = [name.replace("[m]", "[mm]") for name in lines[0]]
    for line in lines[1:]:
        line[3:9] = [f"{float(text) * 1000:g}" if text else "" for text in line[3:9]]
    other = "\n".join(",".join(line) for line in lines)
    answer = diff(*(mp.read_bom(io.StringIO(text), format="csv") for text in (values, other)))
    assert list(answer.rows()) == []


def test_waterfall_names_the_pose_above() -> None:
    before, after = (POSED.format(yaw=0, x=0.1).replace("M,R,,,,,1", f"M,R,,,,,{x}") for x in (1, 2))
    answer = diff(*(mp.read_bom(io.StringIO(text), format="csv") for text in (before, after)))
    assert {step.id: step.words for step in result_waterfall(answer, "Cx").steps} == {
        "A": ("pose above",), "A2": ("pose above",)
    }  # fmt: skip
