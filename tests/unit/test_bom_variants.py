"""Quantities of variants: which column counts, and what its blanks mean."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import UsageError

# mass of one piece: hook 30, gun 90, radar 120 and cone 10 in the nose
ITEMS = {"Jet": "", "Nose": "Jet", "Radar": "Nose", "Cone": "Nose", "Hook": "Jet", "Gun": "Jet"}
MASSES = {"Radar": "120", "Cone": "10", "Hook": "30", "Gun": "90"}


def bom_of(quantities: str, **options: object) -> Bom:
    """Give Jet with quantities of nose, radar, cone, hook and gun, ``.`` for a blank."""
    cells = dict(zip(("Nose", "Radar", "Cone", "Hook", "Gun"), quantities.split(), strict=True))
    records = [
        {"id": i, "parent": p, "mass": MASSES.get(i, ""), "qty": "7", "B": cells.get(i, ".").replace(".", "")}
        for i, p in ITEMS.items()
    ]
    return Bom.from_records(records, qty_column="B", **options)


def mass_of(bom: Bom) -> float:
    return float(mp.rollup(bom).rollup.bodies.mass[0])


@pytest.mark.parametrize(
    ("quantities", "mass", "rules"),
    [
        ("1 1 1 2 1", 120 + 10 + 60 + 90, set()),
        ("1 1 1 0 1", 120 + 10 + 90, {"MP217"}),
        # the column writes its ones: a blank is none
        ("1 1 . 2 .", 120 + 60, {"MP217"}),
        # it writes its zeros: a blank is one
        ("2 . . 0 .", 2 * 130 + 90, {"MP216", "MP217"}),
        # no assembly has a cell: each is there once
        (". 1 1 . 1", 120 + 10 + 90, {"MP216", "MP217"}),
        # nothing below the nose has a cell: it all comes with the nose
        ("1 . . 1 .", 120 + 10 + 30, {"MP216", "MP217"}),
        ("2 . . 2 2", 2 * 130 + 60 + 180, {"MP216"}),
    ],
)
def test_blank_is_read_by_what_the_column_writes(quantities: str, mass: float, rules: set[str]) -> None:
    bom = bom_of(quantities)
    assert not bom.has_errors
    assert {finding.rule for finding in bom.findings} - {"MP271"} == rules  # the other variant's column is not read
    assert mass_of(bom) == mass


@pytest.mark.parametrize(
    ("quantities", "as_none", "as_one"),
    [
        ("1 1 1 0 .", 130, 220),  # both 0 and 1 are written
        ("2 2 2 . .", 520, 640),  # neither
    ],
)
def test_blank_with_two_readings_is_rejected_and_resolved_by_an_option(
    quantities: str, as_none: float, as_one: float
) -> None:
    (error,) = [finding for finding in bom_of(quantities).findings if finding.rule == "MP331"]
    assert "--config blank-qty=0 or --config blank-qty=1" in error.remedy
    assert "MP216" not in {finding.rule for finding in bom_of(quantities).findings}
    assert mass_of(bom_of(quantities, blank_qty="0")) == as_none
    assert mass_of(bom_of(quantities, blank_qty="1")) == as_one


def test_blank_assembly_above_what_counts_is_rejected_where_other_assemblies_have_cells() -> None:
    records = [
        {"id": "Ship", "parent": "", "mass": "", "B": ""},
        {"id": "Hull", "parent": "Ship", "mass": "", "B": "1"},
        {"id": "Plate", "parent": "Hull", "mass": "5", "B": "4"},
        {"id": "Mast", "parent": "Ship", "mass": "", "B": ""},
        {"id": "Pole", "parent": "Mast", "mass": "7", "B": "1"},
    ]
    (error,) = [f for f in Bom.from_records(records, qty_column="B").findings if f.rule == "MP331"]
    assert error.item == "Mast"
    assert mass_of(Bom.from_records(records, qty_column="B", blank_qty="0")) == 20
    assert mass_of(Bom.from_records(records, qty_column="B", blank_qty="1")) == 27


def test_quantities_of_uses_are_read_from_their_own_rows() -> None:
    uses = [
        {"parent": "", "child": "Cart", "mass": "", "A": "", "B": ""},
        {"parent": "Cart", "child": "Axle", "mass": "", "A": "1", "B": "2"},
        {"parent": "Axle", "child": "Wheel", "mass": "3", "A": "2", "B": "2"},
        {"parent": "Cart", "child": "Wheel", "mass": "3", "A": "1", "B": ""},
    ]
    assert mass_of(Bom.from_records(uses, qty_column="A")) == 9
    assert mass_of(Bom.from_records(uses, qty_column="B", blank_qty="0")) == 12


def test_two_columns_of_quantities_cannot_be_requested() -> None:
    with pytest.raises(UsageError, match="name different quantity columns: B and qty"):
        bom_of("1 1 1 1 1", map={"qty": "qty"})
    with pytest.raises(UsageError, match="invalid blank_qty: 2"):
        bom_of("1 1 1 1 1", blank_qty="2")
