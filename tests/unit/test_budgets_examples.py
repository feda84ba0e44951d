"""Worked examples of private functions: reading and checking of budgets."""

from __future__ import annotations

from massprops_cli.bom.bom import Bom
from massprops_cli.budgets.check import _is_waiver_for, _selected_items
from massprops_cli.budgets.file import _LIMIT_READERS, _entry_lines
from massprops_cli.budgets.limits import _greatest_mass, _inside_point, _margin_without_rounding
from massprops_cli.budgets.model import BudgetEntry, Limit, LimitMeasure, Selector, Waiver
from massprops_cli.findings.finding import rule_finding


def test_selected_items() -> None:
    rows = [{"id": "SAT", "parent": ""}, {"id": "TANK 1", "parent": "SAT"}, {"id": "TANK 2", "parent": "SAT"}]
    assert [
        _selected_items(selector, Bom.from_records(rows)) for selector in (Selector("TANK *"), Selector(level=0))
    ] == [[1, 2], [0]]


def test_is_pattern_match() -> None:
    for pattern, item in (("TANK*", "TANK 1"), ("A[1]", "A[1]")):
        assert _is_waiver_for(Waiver("MP413", pattern, "known"), rule_finding("MP413", "differs", item=item))


def test_entry_lines() -> None:
    [one] = _entry_lines('[[budget]]\nitem = "SAT"\n', ("budget",), 1)
    assert one == {None: 1, "item": 2}


def test_read_limit() -> None:
    assert _LIMIT_READERS["mass-max"](Limit("mass-max"), "850 kg").high == LimitMeasure(number=850.0, unit="kg")


def test_greatest_mass() -> None:
    limits = (Limit("mass-max", high=LimitMeasure(840.0, "kg")),)
    assert (
        (
            _greatest_mass(BudgetEntry(Selector("SAT"), limits), 5.0),
            _greatest_mass(BudgetEntry(Selector("SAT"), limits, margin_basis="allocation"), 5.0),
        )
    ) == (LimitMeasure(number=800.0, unit="kg"), LimitMeasure(number=798.0, unit="kg"))


def test_margin_without_rounding() -> None:
    assert (_margin_without_rounding(-1e-13, 850e-12), _margin_without_rounding(-0.001, 850e-12)) == (0.0, -0.001)


def test_inside_point() -> None:
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert (_inside_point(square, (2.0, 4.25), (0.0, 0.25)), _inside_point(square, (2.0, 4.5), (0.0, 0.25))) == (
        (2.0, 4.0),
        None,
    )
