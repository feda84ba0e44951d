"""Comparisons at the edges: the root alone, moved branches of repeated parts, stated assemblies, reasons."""

from __future__ import annotations

import io

import pytest
from bom_tables import HEADER, bom_of, reported

import massprops_cli as mp
from massprops_cli.findings.finding import Severity
from massprops_cli.reports.diff import diff_markdown
from massprops_cli.revisions.comparison import diff, result_waterfall


def uses(*rows: str) -> mp.Bom:
    """A table of uses: one part stands in several places."""
    return mp.read_bom(io.StringIO("\n".join(["parent,child,qty,mass", *rows]) + "\n"), format="csv", layout="edges")


def rows_of(answer: mp.Diff) -> dict[str, object]:
    return {row.id: row for row in answer.rows()}


def test_root_alone_is_compared() -> None:
    answer = diff(bom_of("id parent mass", "A . 2"), bom_of("id parent mass", "A . 3"))
    (row,) = answer.rows()
    assert (row.id, row.mass, row.quantity, row.parent) == ("A", (2, 3), (1, 1), ("", ""))
    assert row.contributions["mass"] == 1


def test_root_alone_has_first_moments() -> None:
    header, rest = "id parent mass Cx Cy Cz", "0 0"
    answer = diff(bom_of(header, f"A . 2 1 {rest}"), bom_of(header, f"A . 2 4 {rest}"))
    (row,) = answer.rows()
    assert row.contributions["Cx"] == pytest.approx(3)


def test_branches_below_a_moved_assembly_go_with_it() -> None:
    inner = ("S,p,1,1", "S,q,2,3", "A,S,1,", "A,p,1,1")
    elsewhere = ("R,C,1,", "C,S,1,", "C,p,1,1")
    old = uses("R,A,1,", *inner, *elsewhere)
    new = uses("R,B,1,", "B,A,1,", *inner, *elsewhere)
    changes = {name: row.changes for name, row in rows_of(diff(old, new)).items()}
    # B is new, A is in it, and all below A goes with it although parts of these numbers are elsewhere too
    assert changes == {"R/B": ("added",), "R/B/A": ("re-parented",)}


def test_branch_that_moves_under_the_root_goes_with_it() -> None:
    inner = ("A,p,1,1", "A,q,1,1", "B,p,1,1", "B,q,1,1")
    changes = diff(uses("R,B,1,", "B,A,1,", *inner), uses("R,A,1,", "R,B,1,", *inner)).rows()
    assert {row.id: row.changes for row in changes} == {"R/A": ("re-parented",)}


def test_massless_root_is_within_a_threshold_of_nothing() -> None:
    pair = (bom_of("id parent mass", "A . 0"), bom_of("id parent mass", "A . 0"))
    assert reported(diff(*pair, thresholds=["mass 0"]).findings, "MP640") == []


def test_change_by_the_threshold_is_within_it() -> None:
    old, new = bom_of("id parent mass", "A . 2"), bom_of("id parent mass", "A . 3")
    assert reported(diff(old, new, thresholds=["mass 1"]).findings, "MP640") == []
    assert len(reported(diff(old, new, thresholds=["mass 0.999"]).findings, "MP640")) == 1


def test_tensor_near_its_threshold_in_other_units() -> None:
    def block(unit: str, length: float, more: float) -> mp.Bom:
        text = f"id,parent,mass [kg],Cx [{unit}],Cy [{unit}],Cz [{unit}],"
        text += ",".join(f"{name} [kg*{unit}^2]" for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")) + ",POIconv\n"
        J = [(1 + more) * length**2] * 3
        return mp.read_bom(io.StringIO(text + f"A,,1,0,0,0,{','.join(map(repr, J))},0,0,0,-\n"), format="csv")

    # a change of 1e-9 of the tensor is no rounding in either unit
    for old, new in ((block("m", 1, 0), block("m", 1, 1e-9)), (block("mm", 1e3, 0), block("mm", 1e3, 1e-9))):
        assert len(reported(diff(old, new, thresholds=["Ixx 1e-10 %"]).findings, "MP640")) == 1
        assert reported(diff(old, new, thresholds=["Ixx 1e-6 %"]).findings, "MP640") == []


def test_parts_below_a_stated_assembly_do_not_contribute() -> None:
    def table(leaf: float, other: float) -> mp.Bom:
        rows = ("T . .", "S T 10", f"M S {4 + leaf:g}", "N M 4", f"L M {leaf}", f"O T {other}")
        return bom_of("id parent mass", *rows, assembly_values="stated")

    answer = diff(table(2.0, 5.0), table(3.0, 6.0))
    assert answer.whole.change[0] == pytest.approx(1)
    of_mass = dict(zip(answer.new.bom.ids, answer.whole.contributions()[:, 0].tolist(), strict=True))
    assert of_mass == {"T": 0, "S": 0, "M": 0, "N": 0, "L": 0, "O": pytest.approx(1)}


def test_tensors_of_one_file_only_are_not_compared() -> None:
    old = bom_of("id parent mass Cx Cy Cz", "A . 2 0 0 0")
    new = bom_of(HEADER, "A . 2 0 0 0 1 1 1 0 0 0 - false")
    answer = diff(old, new, keep_going=True)
    assert answer.whole.change[0] == 0
    assert all(row.contributions["Ixx"] is None for row in answer.rows())


def test_changes_without_a_reason_are_named_in_order() -> None:
    old = bom_of("id parent mass", "T . .", *(f"P{k} T 1" for k in range(6)))
    new = bom_of("id parent mass", "T . .", *(f"P{k} T {2 if k else 1}" for k in range(6)))
    answer = diff(old, new, reasons={"P1": "heavier", "P0": "not changed"})
    (missing,) = reported(answer.findings, "MP643")
    assert (missing.item, missing.count, missing.severity) == ("P2", 4, Severity.WARNING)
    assert "P2, P3, P4 and 1 more" in missing.message
    assert len(missing.related) == 3
    assert (missing.place, *missing.related)[0] != missing.related[0]
    (unused,) = reported(answer.findings, "MP644")
    assert unused.message.endswith(": P0")


def _growth_table(mass: str, growth: str, of_a: str = "10") -> mp.Bom:
    return bom_of("id parent mass mga", "S . . .", f"A S {of_a} 10", f"B S {mass} {growth}", allow_missing="mass")


def test_predicted_mass_is_not_known_where_a_growth_is_missing() -> None:
    # A 10 → 12 kg with 10 %; B has no growth, so that neither total is known
    answer = diff(_growth_table("5", "."), _growth_table("5", ".", "12"))
    total = answer.to_dict()["total"]
    assert total["predicted_mass"] == dict.fromkeys(("before", "after", "change", "rounding"))
    assert total["mass"] == {"before": 15.0, "after": 17.0, "change": 2.0, "rounding": 0.0}
    (row,) = answer.rows()
    assert row.contributions["predicted_mass"] == pytest.approx(2.2)  # 12 × 1.1 − 10 × 1.1
    # 10 × 1.1 + 5 × 1.2 = 17 before; 15.5 × 1.1 + an unknown growth after
    answer = diff(_growth_table("5", "20"), _growth_table("5", ".", "15.5"), thresholds=["predicted_mass 1"])
    (finding,) = reported(answer.findings, "MP640")
    assert finding.message == "S: predicted_mass is not known in records, threshold 1 is undecided"
    assert answer.to_dict()["total"]["predicted_mass"]["before"] == pytest.approx(17)


def test_lower_bound_is_marked_and_leaves_a_threshold_undecided() -> None:
    answer = diff(_growth_table("5", "20"), _growth_table(".", "20"), thresholds=["mass 10"])  # 15 → ≥ 10
    (finding,) = reported(answer.findings, "MP640")
    assert finding.message == "S: mass is known for some parts only in records, threshold 10 is undecided"
    assert answer.to_dict()["total"]["mass"]["after_known"] == "lower bound"
    assert answer.to_dataframe().attrs["known"] == {"mass": {"after_known": "lower bound"}}
    assert "mass -5 (known parts only)" in repr(answer)
    assert "(known parts only)" in answer._repr_html_()
    (row,) = answer.rows()
    assert row.mass == (5.0, None)
    fall = result_waterfall(answer)
    assert (fall.before_known, fall.after_known) == ("whole", "lower bound")
    page = diff_markdown(answer, fall)
    assert "| mass | 15 | ≥ 10 | -5 | known parts only |" in page.replace("−", "-")
