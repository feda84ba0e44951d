"""Whose errors are shared: groups by column, by part number, and correlations between groups from a file."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.correlation_groups import GroupCorrelations, item_correlation, read_correlations
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import Finding, Findings, FindingsError, UsageError
from massprops_cli.rollups.inputs import NO_GROUP, PARAMETER_NAMES
from tests.unit.bom_tables import bom_of, only

HEADER = "id parent mass sigma_mass qty part corr_group"


def groups_of(bom: Bom, rule: str = "none") -> dict[str, str]:
    sharing = item_correlation(bom, rule)
    return {bom.ids[i]: sharing.labels[g] for i, g in enumerate(sharing.group.tolist()) if g != NO_GROUP}


TREE = (
    "T . . . 1 . .",
    "S T . . 2 . .",
    "A S 1 0.1 1 M6 .",
    "B T 1 0.1 1 M6 .",
    "C T 1 0.1 4 . .",
    "D T 1 0.1 1 . x",
    "E T 1 0.1 1 M8 x",
    "F T 1 0.1 1 . .",
    "G T 1 0.1 1 M8 .",
)


@pytest.mark.parametrize(
    ("rule", "groups"),
    [
        ("none", {"D": "x", "E": "x"}),
        ("part", {"A": "M6", "B": "M6", "C": "C", "D": "x", "E": "x"}),
        ("all", dict.fromkeys("ABCDEFG", "(all)")),
    ],
)
def test_rules(rule: str, groups: dict[str, str]) -> None:
    assert groups_of(bom_of(HEADER, *TREE), rule) == groups


def test_a_part_in_an_assembly_of_several_is_several_pieces() -> None:
    bom = bom_of(HEADER, "T . . . 1 . .", "S T . . 2 . .", "A S 1 0.1 1 . .", "B T 1 0.1 1.5 . .")
    assert groups_of(bom, "part") == {"A": "A"}  # B is one piece of that size


@pytest.mark.parametrize("rule", ["part", "all"])
@pytest.mark.parametrize("column", ["part", "corr_group"])
def test_a_row_shows_one_piece_also_where_its_parent_counts_none(rule: str, column: str) -> None:
    """Four pieces of B with one error each of 0.1 are 0.4 in A; two of A in S 0.8; the root holds none of them."""
    shown = []
    for counted in (0, 1, 3, -1):
        rows = ("R . . . . .", "X R 1 5 0.1 x", f"S R {counted} . . .", "A S 2 . . .", "B A 4 1 0.1 b")
        bom = bom_of(f"id parent qty mass sigma_mass {column}", *rows)
        shown.append(rollup(bom, correlate=rule).rollup.sigmas)
    for sigmas in shown:
        assert sigmas is not None
        assert_allclose(sigmas.mass[[3, 2]], [0.4, 0.8], rtol=1e-14)
    none, once = (sigmas.mass[0] for sigmas in shown[:2])
    assert_allclose([none, once], [0.1, 0.9 if rule == "all" else sqrt(0.01 + 0.64)], rtol=1e-14)


def test_quantities_that_multiply_beyond_double_precision_are_reported_and_nothing_else() -> None:
    chain = [f"a{k} a{k - 1} . . 2 . ." for k in range(1, 1100)]
    with pytest.raises(FindingsError) as rejected:
        rollup(bom_of(HEADER, "a0 . . . 1 . .", *chain, "leaf a1099 1 0.1 2 M6 ."), correlate="part")
    assert {finding.rule for finding in rejected.value.findings} == {"MP407"}


def test_parts_of_layout_edges_are_shared() -> None:
    bom = bom_of(
        "parent child qty mass sigma_mass", ". T . . .", "T S 1 . .", "T U 1 . .", "S bolt 1 1 0.1", "U bolt 1 . ."
    )
    assert bom.part_numbers is not None
    bolts = [i for i, name in enumerate(bom.part_numbers) if name == "bolt"]
    assert len(bolts) == 2
    sharing = item_correlation(bom, "part")
    assert len({int(sharing.group[i]) for i in bolts} - {NO_GROUP}) == 1


def test_unknown_rule() -> None:
    with pytest.raises(UsageError, match="none, part, all"):
        item_correlation(bom_of(HEADER, *TREE), "parts")


def test_one_group_of_all_leaves_nothing_to_couple() -> None:
    with pytest.raises(UsageError, match="one group"):
        item_correlation(bom_of(HEADER, *TREE), "all", matrix=GroupCorrelations(("x",), np.ones((10, 1, 1))))


def test_group_on_a_computed_assembly_is_not_read() -> None:
    bom = bom_of(HEADER, "T . . . 1 . x", "A T 1 0.1 1 . x", "B T 1 0.1 1 . x")
    assert only(bom.findings, "MP514").severity.value == "warning"
    assert groups_of(bom) == {"A": "x", "B": "x"}
    assert bom.groups is not None
    assert list(bom.groups) == ["", "x", "x"]


@pytest.mark.parametrize(("rule", "variance"), [("none", 2 * 0.01 + 0.01 + 4 * 0.01), ("all", (2 + 1 + 4) ** 2 * 0.01)])
def test_sigma_of_a_total(rule: str, variance: float) -> None:
    bom = bom_of(HEADER, "T . . . 1 . .", "A T 1 0.1 2 p .", "B T 1 0.1 1 p .", "C T 1 0.1 4 . .")
    result = rollup(bom, "covariance", correlate=rule)
    assert result.rollup.sigmas is not None
    assert_allclose(result.rollup.sigmas.mass[0], sqrt(variance))


def test_sigma_with_shared_part_numbers() -> None:
    bom = bom_of(HEADER, "T . . . 1 . .", "A T 1 0.1 2 p .", "B T 1 0.1 1 p .", "C T 1 0.1 4 . .")
    result = rollup(bom, "covariance", correlate="part")
    assert result.rollup.sigmas is not None
    assert_allclose(result.rollup.sigmas.mass[0], sqrt(0.3**2 + 0.4**2))


THREE = bom_of(HEADER, "T . . . 1 . .", "A T 1 0.3 1 . x", "B T 1 0.4 1 . y", "C T 1 0.5 1 . y")


def by_quantity(coupling: GroupCorrelations) -> np.ndarray:
    """Return the matrix of each of the ten quantities."""
    return coupling.matrix[list(coupling.matrix_of)]


def read(folder: Path, *rows: str, centers: bool = False) -> tuple[GroupCorrelations | None, Findings]:
    path = folder / "correlations.csv"
    path.write_text("\n".join(["A;B;Quantity;rho", *rows]) + "\n", encoding="utf-8")
    findings = Findings()
    return read_correlations(THREE, str(path), findings, correlate_centers=centers), findings


def test_matrix_of_a_file(tmp_path: Path) -> None:
    coupling, findings = read(tmp_path, "x;y;mass;0.5", "y;x;inertia;-0.25", "x;y;Ixx;-.25", "x;x;mass;1")
    assert coupling is not None
    assert not findings
    assert coupling.names == ("x", "y")
    assert_allclose(by_quantity(coupling)[:, 0, 1], [0.5, 0, 0, 0, *[-0.25] * 6])
    assert_allclose(by_quantity(coupling), by_quantity(coupling).transpose(0, 2, 1))
    assert_allclose(np.diagonal(by_quantity(coupling), axis1=1, axis2=2), 1)
    sharing = item_correlation(THREE, "none", False, coupling)
    assert [sharing.labels[g] for g in sharing.coupled.tolist()] == ["x", "y"]
    assert sharing.group.tolist() == [NO_GROUP, 0, 1, 1]


def test_sigma_with_correlated_groups(tmp_path: Path) -> None:
    path = tmp_path / "correlations.csv"
    path.write_text("a,b,quantity,rho\nx,y,mass,0.5\n")
    result = rollup(THREE, "covariance", correlations=str(path))
    assert result.rollup.sigmas is not None
    # 0.3 and 0.9 with a correlation of a half
    assert_allclose(result.rollup.sigmas.mass[0], sqrt(0.09 + 0.81 + 2 * 0.5 * 0.27))


def test_a_part_with_the_name_of_a_group_is_not_coupled(tmp_path: Path) -> None:
    path = tmp_path / "correlations.csv"
    path.write_text("a,b,quantity,rho\nx,y,mass,1\n")
    bom = bom_of(HEADER, "T . . . 1 . .", "A T 1 0.1 1 . x", "B T 1 0.2 1 . y", "C T 1 0.4 1 x .", "D T 1 0.4 1 x .")
    result = rollup(bom, correlate="part", correlations=str(path))
    assert result.root.sigma_mass == pytest.approx(sqrt(0.3**2 + 0.8**2), rel=1e-14)


def test_what_sharing_is_worth_holds_with_correlated_groups(tmp_path: Path) -> None:
    path = tmp_path / "correlations.csv"
    path.write_text("a,b,quantity,rho\nx,y,mass,0.5\n")
    bom = bom_of(HEADER, "T . . . 1 . .", "A T 1 0.3 1 . x", "B T 1 0.9 1 . y", "C T 1 0.1 4 p .")
    groups = 0.09 + 0.81 + 2 * 0.5 * 0.27
    expected = {"none": sqrt(groups + 4 * 0.01), "part": sqrt(groups + 0.16), "all": 1.6}
    for word in ("none", "part"):
        result = rollup(bom, correlate=word, correlations=str(path))
        assert {name: found["mass"] for name, found in result.assumptions.items()} == pytest.approx(expected, rel=1e-14)
        assert result.root.sigma_mass == pytest.approx(expected[word], rel=1e-14)


def test_all_covers_what_is_shared(tmp_path: Path) -> None:
    coupling, _ = read(tmp_path, "x;y;all;0.5")
    assert coupling is not None
    assert [PARAMETER_NAMES[k] for k in np.flatnonzero(by_quantity(coupling)[:, 0, 1])] == [
        "mass",
        *PARAMETER_NAMES[4:],
    ]
    coupling, _ = read(tmp_path, "x;y;all;0.5", "x;y;center;0.5", centers=True)
    assert coupling is not None
    assert np.count_nonzero(by_quantity(coupling)[:, 0, 1]) == 10


@pytest.mark.parametrize(
    ("row", "rule", "words"),
    [
        ("x;yy;mass;0.5", "MP516", "group is not in the table: yy; the nearest is y"),
        (";y;mass;0.5", "MP516", "group is not in the table: blank"),
        ("x;y;weight;0.5", "MP515", "quantity is not known: weight"),
        ("x;y;centre;0.5", "MP515", "correlate-centers"),
        ("x;y;mass;1.01", "MP515", "rho is not a correlation: 1.01"),
        ("x;y;mass;0,5", "MP515", "rho is not a correlation: 0,5"),
        ("x;y;mass;", "MP515", "rho is not a correlation: blank"),
        ("x;x;mass;0.5", "MP515", "x with itself"),
        ("y;x;mass;0.4", "MP515", "two correlations of mass: 0.3 and 0.4"),
    ],
)
def test_rows_that_cannot_be_used(tmp_path: Path, row: str, rule: str, words: str) -> None:
    coupling, findings = read(tmp_path, "x;y;mass;0.3", "", row)
    assert coupling is None
    finding = only(findings, rule)
    assert words in finding.message
    assert finding.place.line == 4


def test_columns_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "correlations.csv"
    path.write_text("a,b,rho\nx,y,0.5\n")
    findings = Findings()
    coupling = read_correlations(THREE, str(path), findings)
    assert coupling is None
    assert "missing: quantity" in only(findings, "MP203").message


def test_matrix_that_cannot_be(tmp_path: Path) -> None:
    bom = bom_of(HEADER, "T . . . 1 . .", "A T 1 0.3 1 . x", "B T 1 0.4 1 . y", "C T 1 0.5 1 . z")
    path = tmp_path / "correlations.csv"
    path.write_text("a,b,quantity,rho\nx,y,mass,0.9\ny,z,mass,0.9\n")
    findings = Findings()
    coupling = read_correlations(bom, str(path), findings)
    assert coupling is None
    finding = only(findings, "MP517")
    # eigenvalues of a chain: 1 and 1 ± 0.9 √2
    assert f"{1 - 0.9 * sqrt(2):.6g}" in finding.message
    assert finding.remedy is not None
    assert "0.7856" in finding.remedy  # 1 / (0.9 √2) is 0.78567


def test_centers_cannot_be_shared_with_no_item() -> None:
    """Without a group, a rule or a file the wish would change nothing, so it is a slip; level by level it never can."""
    bom = bom_of("id parent mass sigma_mass", "T . . .", "A T 1 0.1", "B T 1 0.1")
    with pytest.raises(UsageError, match="needs --correlate part or all"):
        rollup(bom, correlate_centers=True)
    assert rollup(bom, correlate="part", correlate_centers=True).root.mass == 2
    for method in ("massprops", "none"):
        with pytest.raises(UsageError, match=f"{method} does not support correlated"):
            rollup(bom, method, correlate="part", correlate_centers=True)


def test_sigmas_of_another_assumption_state_it() -> None:
    """What was written under one assumption and is read under another is no fault of the table's masses."""
    bom = bom_of("id parent mass sigma_mass", "T . 2 0.2", "A T 1 0.1", "B T 1 0.1")
    (differs,) = reported_of(rollup(bom).findings, "MP411")
    assert "--correlate used for it" in differs.remedy
    assert not reported_of(rollup(bom, correlate="all").findings, "MP411")
    heavier = bom_of("id parent mass sigma_mass", "T . 2.15 0.2", "A T 1.0 0.1", "B T 1.0 0.1")
    (differs,) = reported_of(rollup(heavier).findings, "MP411")
    assert "--config assembly-values=" in differs.remedy


def reported_of(findings: Sequence[Finding], rule: str) -> list[Finding]:
    return [finding for finding in findings if finding.rule == rule]
