"""The change of a sigma by items: shared uncertainties and uncertain poses; rounding is that of double precision."""

from __future__ import annotations

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.revisions.comparison import diff, result_waterfall

_BOXES = ("id", "parent", "shape", "dims", "density [kg/m3]", "lot", "Cx [m]", "Cy [m]", "Cz [m]")


def _boxes(length: str, lots: tuple[str, str] = ("m", "m"), **columns: str):
    """Two boxes of 1000 ± 10 kg/m³: A as long as stated, B 1 m."""

    def row(name: str, a: str, lot: str, x: str) -> dict[str, str | None]:
        cells = (name, "R", "box", f"a={a}; b=1 m; c=1 m", "1000±20 (2σ)", lot, x, "0", "0")
        return dict(zip(_BOXES, cells, strict=True))

    return Bom.from_records([{"id": "R", "parent": ""}, row("A", length, lots[0], "0"), row("B", "1 m", lots[1], "2")])


def _shown(answer, of: str, **options):
    """Return the steps of a waterfall by item, without rounding."""
    fall = result_waterfall(answer, of, **options)
    assert abs(fall.rounding) <= 1e-14 * abs(fall.after)
    return {step.id: step.value for step in fall.steps}, fall


def test_a_lot_is_split_among_its_members() -> None:
    # one deviation of 1 %: σ = 10 + 10 = 20 kg before, 20 + 10 = 30 kg after; the part of A in the variance is
    # 10 · 20 before and 20 · 30 after, that of B 10 · 20 and 10 · 30; each is divided by 20 + 30
    steps, fall = _shown(diff(_boxes("1 m"), _boxes("2 m")), "sigma_mass")
    assert (fall.before, fall.after) == pytest.approx((20, 30))
    assert steps == pytest.approx({"A": 8, "B": 2})
    assert {step.id: step.words for step in fall.steps}["B"] == ("shared uncertainty",)
    answer = diff(_boxes("1 m"), _boxes("2 m"))
    assert {row.id: row.contributions["sigma_mass"] for row in answer.rows()} == pytest.approx({"A": 8})


def test_a_lot_and_an_own_tolerance_add_up() -> None:
    # a = 2 m ± 0.01 m adds 10² kg² to 30² kg², to A alone
    steps, fall = _shown(diff(_boxes("1 m"), _boxes("2±0.02 m (2σ)")), "sigma_mass")
    assert fall.after == pytest.approx(1000**0.5)
    sigmas = 20 + 1000**0.5
    assert steps == pytest.approx({"A": (20 * 30 + 100 - 200) / sigmas, "B": (300 - 200) / sigmas})


def test_method_massprops_has_no_lots() -> None:
    # level by level, parts are independent: σ² = 10² + 10² and 20² + 10²
    answer = diff(_boxes("1 m"), _boxes("2 m"), uncertainty="massprops")
    steps, fall = _shown(answer, "sigma_mass")
    assert fall.after == pytest.approx(500**0.5)
    assert steps == pytest.approx({"A": 300 / (200**0.5 + 500**0.5)})
