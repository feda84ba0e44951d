"""Quantities in a unit of mass: what they weigh is known, and the mass next to them must agree."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from tests.unit.bom_tables import only, reported


def glued(qty: str | None, uom: str, mass: str | None, header: str = "mass [kg]", **options: object) -> Bom:
    """Read a kit of a plate that weighs 3, and glue."""
    rows = [
        {"id": "KIT", "parent": None, "qty": "1", "UoM": None, header: None},
        {"id": "Plate", "parent": "KIT", "qty": "2", "UoM": "EA", header: "1.5"},
        {"id": "Glue", "parent": "KIT", "qty": qty, "UoM": uom, header: mass},
    ]
    return Bom.from_records(rows, **options)


@pytest.mark.parametrize(
    ("qty", "uom", "mass", "weighs"),
    [
        ("50", "g", "0.001", 0.05),
        ("2.5", "kg", "1", 2.5),
        ("2", "lb", "0.4536", 0.9072),
        ("50", "g", None, 0.05),
        ("2", "lb", None, 0.90718474),
    ],
)
def test_a_quantity_of_mass_weighs_itself(qty: str, uom: str, mass: str | None, weighs: float) -> None:
    bom = glued(qty, uom, mass)
    assert not bom.has_errors
    assert float(mp.rollup(bom).root.mass) == pytest.approx(3 + weighs, rel=1e-14)
    filled = [finding for finding in reported(bom.findings, "MP219") if "filled from a quantity" in finding.message]
    assert len(filled) == (mass is None)


def test_masses_come_back_in_the_unit_of_their_column() -> None:
    assert float(mp.rollup(glued("50", "g", None, "mass [lb]")).root.mass) == pytest.approx(3 + 0.05 / 0.45359237)


@pytest.mark.parametrize("mass", ["1", "0.05", "0"])
def test_another_mass_is_rejected_with_both_readings(mass: str) -> None:
    finding = only(glued("50", "g", mass).findings, "MP237")
    product = f"{50 * float(mass):g}"
    assert finding.message.startswith("quantity and mass of Glue are inconsistent: 50 g of ")
    assert f"each ({product} kg; the quantity is 0.05 kg)" in finding.message
    assert "--mass-is line" in (finding.remedy or "")


def test_the_option_resolves_it() -> None:
    bom = glued("50", "g", "1", mass_is="line")
    assert not bom.has_errors
    assert float(mp.rollup(bom).root.mass) == pytest.approx(1.5 + 1, rel=1e-14)


def test_without_a_quantity_there_is_nothing_to_contradict() -> None:
    assert not reported(glued(None, "g", "1").findings, "MP237")


def test_without_a_unit_of_masses_one_must_be_possible() -> None:
    assert not glued("50", "g", "0.001", "mass").has_errors
    finding = only(glued("50", "g", "1.2", "mass").findings, "MP237")
    assert finding.message == "quantity and mass of Glue are inconsistent: 50 g of 1.2 each (60)"
    assert only(glued("50", "g", None, "mass").findings, "MP206").item == "Glue"
