"""The change of a sigma by items: shared uncertainties and uncertain poses; rounding is that of double precision."""

from __future__ import annotations

import pytest
from bom_tables import bom_of

from massprops_cli.bom.bom import Bom
from massprops_cli.revisions.comparison import diff, result_waterfall

_BOXES = ("id", "parent", "shape", "dims", "density [kg/m3]", "lot", "Cx [m]", "Cy [m]", "Cz [m]")


def _boxes(length: str, lots: tuple[str, str] = ("m", "m")):
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


_FRAMES = (
    "id parent mass[kg] Cx[m] Cy[m] Cz[m] sigma_mass sigma_Cx sigma_Cy sigma_Cz "
    "tx[{0}] ty[{0}] tz[{0}] roll[deg] pitch[deg] yaw[deg] frame sigma_tx[{0}] sigma_ty[{0}]"
)


def _frames(sigmas: str, *, y: float = 0.0, yaw: float = 0, unit: str = "m", mass: float = 1.0):
    """A at (1, 0, 0) m in the frame M at (0, y, 0) m, which has the ``sigmas`` of tx and ty; B of 1 kg at the root."""
    return bom_of(
        _FRAMES.format(unit),
        f"R{15 * ' .'} own . .",
        f"M R{8 * ' .'} 0 {y} 0 0 0 {yaw} own {sigmas}",
        f"A M {mass} 0 0 0 0 0 0 0 {1 if unit == 'm' else 1000} 0 0 0 0 0 own . .",
        "B R 1 0 0 0 0 0 0 0 0 0 0 0 0 0 own . .",
    )


def test_the_sigma_of_a_pose_is_a_change_of_its_item() -> None:
    # M has half of the mass: the sigma of Cx is 0.01/2 before and 0.02/2 after
    answer = diff(_frames("0.01 0"), _frames("0.02 0"))
    assert [(row.id, row.changes) for row in answer.rows()] == [("M", ("sigma",))]
    for level in (None, 1, 2):
        steps, fall = _shown(answer, "sigma_Cx", level=level)
        assert (fall.before, fall.after, fall.unchanged) == pytest.approx((0.005, 0.01, 0))
        assert steps == pytest.approx({"M": 0.005})


def test_a_pose_that_moves_keeps_its_part_of_the_sigma() -> None:
    # A of 3 kg instead of 1: M moves 3/4 of the mass instead of 1/2, and A itself is exact
    answer = diff(_frames("0.01 0"), _frames("0.01 0", mass=3.0))
    steps, fall = _shown(answer, "sigma_Cx")
    assert (fall.before, fall.after) == pytest.approx((0.005, 0.0075))
    assert steps == pytest.approx({"M": 0.0025})
    assert [step.words for step in fall.steps] == [("below",)]


def test_the_same_sigma_of_a_pose_is_not_a_change() -> None:
    # the sigmas are along the axes of the parent, whatever the yaw of the frame, and in any unit
    answer = diff(_frames("0.01 0.03"), _frames("0.01 0.03", yaw=33))
    assert [(row.id, row.changes) for row in answer.rows()] == [("M", ("pose",))]
    assert not _shown(answer, "sigma_Cx")[0]
    millimetres = diff(_frames("0.01 0.03"), _frames("10 30", unit="mm"))
    assert "sigma" not in {word for row in millimetres.rows() for word in row.changes}


def test_another_lot_is_a_change_of_its_item() -> None:
    # one lot: σ = 20 kg; two lots: 10 √2
    answer = diff(_boxes("1 m"), _boxes("1 m", ("m", "n")))
    assert [(row.id, row.changes) for row in answer.rows()] == [("B", ("sigma",))]
    steps, fall = _shown(answer, "sigma_mass")
    assert fall.after == pytest.approx(200**0.5)
    assert steps == pytest.approx({"A": -100 / (20 + 200**0.5), "B": -100 / (20 + 200**0.5)})
