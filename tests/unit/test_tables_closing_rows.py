"""What suppliers write below a list: sums without a label, averages, targets, sums carried to the next page."""

from __future__ import annotations

import csv
import io

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup

LIST = "Part Name,Qty,Mass [kg],Total mass [kg]\nFrame,2,10,20\nSkin,1,6,6\n"


def read(text: str) -> Bom:
    """Read a list from its text."""
    return Bom.from_records(list(csv.DictReader(io.StringIO(text))))


def rules(bom: Bom) -> set[str]:
    """Give the rules that found something."""
    return {finding.rule for finding in bom.findings}


@pytest.mark.parametrize("row", [",,,26", ",,26,", ",,26,26", ",,16,26"])
def test_a_sum_without_a_label_is_a_total(row: str) -> None:
    bom = read(f"{LIST}{row}\n")
    assert "MP250" in rules(bom)
    assert rollup(bom).root.mass == 26


@pytest.mark.parametrize("row", ["Box,,26,", ",1,26,", "#4,,26,"])
def test_a_row_with_a_name_or_a_quantity_may_be_a_part(row: str) -> None:
    assert "MP257" in rules(read(f"{LIST}{row}\n"))


@pytest.mark.parametrize("label", ["Average", "Max", "Target", "Deviation", "Mittelwert", "Δ"])
def test_figures_below_a_total_are_no_items(label: str) -> None:
    bom = read(f"{LIST}Total,,,26\n{label},,13,\n")
    assert rollup(bom).root.mass == 26
    assert not any("figure" in finding.message for finding in bom.findings)


def test_figures_elsewhere_are_ambiguous() -> None:
    assert rollup(read(f"{LIST}Average station,,13,\n")).root.mass == 39
    bom = read(f"{LIST}Average,,13,\n")
    assert "MP257" in rules(bom)
    assert bom.has_errors


def test_a_limit_that_no_total_counts_is_not_a_part() -> None:
    bom = read(f"{LIST}Target,,13,\n")
    assert rollup(bom).root.mass == 26
    assert "MP257" not in rules(bom)


def test_sums_carried_to_the_next_page_are_no_items() -> None:
    bom = read(f"{LIST}Carried forward,,,26\nBrought forward,,,26\nMotor,1,4,4\nTotal,,,30\n")
    assert rollup(bom).root.mass == 30
    assert not {"MP251", "MP252", "MP413"} & rules(bom)
