"""Envelopes of the centre of mass: distances, probabilities and travel against independent formulas."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import massprops_cli as mp
from massprops_cli.loadings.envelope import _Face
from massprops_cli.rollups.regions import border_sigmas, box_over_mass_probability, polygon_probability
from tests.examples import first

MAC, LEMAC = 134.5, 625.6  # inches: 41,000 kg at 663 in is 27.8 %, with 2,500 kg at 360 in 14.86 %
NOTCHED = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (2.0, 1.0), (0.0, 3.0))  # concave: a notch from above


def aircraft(**more: Any) -> mp.Bom:
    rows = [{"id": "A", "parent": ""}, {"id": "base", "parent": "A", "mass [kg]": 41_000, "Cx [in]": 663}]
    rows.append({"id": "load", "parent": "A", "mass [kg]": 2_500, "Cx [in]": 360, "qty": 1})
    rows = [{"qty": 1, **row, "Cy [in]": 0, "Cz [in]": 0, **more} for row in rows]
    return mp.Bom.from_records(rows)


def chord(percent: float) -> str:
    return f"{LEMAC + percent * MAC / 100} in"


def on_segments(corners: Any, n: int = 40_001) -> NDArray[np.float64]:
    """Return many points on the border of a polygon."""
    starts, ends = np.array(corners), np.roll(np.array(corners), -1, axis=0)
    share = np.linspace(0, 1, n)[:, None]
    return np.concatenate([a + share * (b - a) for a, b in zip(starts, ends, strict=True)])


def winding(corners: Any, point: Any) -> bool:
    """Return whether the corners go around a point, by the sum of the angles."""
    z = np.array([complex(*one) for one in corners]) - complex(*point)
    return abs(np.angle(np.roll(z, -1) / z).sum()) > 3


def test_chords_of_an_aircraft() -> None:
    limits = [[chord(15), "35000 kg"], [chord(30), "35000 kg"], [chord(30), "45000 kg"], [chord(15), "45000 kg"]]
    states = {"zero": {"off": "load"}, "loaded": {}}
    answer = mp.conditions(aircraft(), states, envelopes=[{"name": "flight", "points": limits}])
    zero, loaded = answer.envelope_check.verdicts
    assert zero.inside
    assert zero.margin == pytest.approx((30 - 100 * (663 - LEMAC) / MAC) * MAC / 100, rel=1e-12)
    assert 30 - 100 * zero.margin / MAC == pytest.approx(27.8, abs=0.05)
    assert zero.mass_margin == pytest.approx(4_000)
    assert loaded.inside is False
    assert 15 + 100 * loaded.margin / MAC == pytest.approx(14.86, abs=0.005)
    [finding] = answer.envelope_check.findings
    assert finding.rule == "MP657"
    assert "condition loaded: Cx 645.586 in at 43500 kg is outside envelope flight, 0.189 in from" in finding.message
    assert np.isnan(zero.probability)  # the table has no sigmas


def test_units_of_a_box_and_its_line_over_mass() -> None:
    """A box of 10 to 20 ft at 40 t and of 50 to 55 ft at 50 t: at 43.5 t the low limit is 22 ft, the high 30.5 ft."""
    rows = [["40000 kg", "10 ft", "20 ft"], ["50 t", "50 ft", "55 ft"]]
    box = {"box": rows, "rule": "linear"}
    answer = mp.conditions(aircraft(), {"loaded": {}}, envelopes=[box])
    [one] = answer.envelope_check.verdicts
    center = (41_000 * 663 + 2_500 * 360) / 43_500
    low, high = (a + (b - a) * 0.35 for a, b in ((10 * 12, 50 * 12), (20 * 12, 55 * 12)))
    assert (low, high) == pytest.approx((24 * 12, 32.25 * 12))
    assert one.margin == pytest.approx(high - center)
    assert one.inside is False


@pytest.mark.parametrize("count", first([60, 200], 1))
def test_distances_against_many_points(count: int) -> None:
    rng = np.random.default_rng(7)
    border = on_segments(NOTCHED)
    across, plane = _Face(1, 0, NOTCHED), _Face(1, 2, NOTCHED)
    for x, y in rng.uniform([-1, -1], [5, 4], (count, 2)):
        inside, margin, up = across.measure(np.array([y, x, 0.0, 0.0]))
        assert inside == winding(NOTCHED, (x, y))
        sign = 1 if inside else -1
        level = border[np.abs(border[:, 1] - y) < 1e-4, 0]
        assert np.isnan(margin) == (not len(level))
        if len(level):
            assert margin == pytest.approx(sign * np.abs(level - x).min(), abs=3e-4)
        column = border[np.abs(border[:, 0] - x) < 1e-4, 1]
        if len(column):
            assert up == pytest.approx(sign * np.abs(column - y).min(), abs=3e-4)
        elif 0 <= y <= 3:
            assert np.isnan(up)
        else:  # from the end of the masses
            assert up == pytest.approx(-max(-y, y - 3))
        inside, margin, _ = plane.measure(np.array([0.0, x, y, 0.0]))
        assert margin == pytest.approx(sign * np.hypot(*(border - (x, y)).T).min(), abs=1e-4)


@pytest.mark.parametrize("corner", NOTCHED)
def test_corners_and_edges_are_inside(corner: tuple[float, float]) -> None:
    face = _Face(1, 0, NOTCHED)
    assert face.measure(np.array([corner[1], corner[0], 0, 0])) == (True, 0.0, 0.0)
    assert face.measure(np.array([0.3 * 3, 4.0 + 1e-15, 0, 0]))[0]


def test_sigmas_and_probability_of_a_half_plane() -> None:
    """Of one edge, all others far, σ is that along its normal, and the probability Φ of it."""
    covariance = np.array([[4.0, 1.2], [1.2, 1.0]])
    far = [(3.0, -400.0), (3.0 - 800.0, 400.0), (-2e3, 400.0), (-2e3, -400.0)]  # x + y = const: normal (1, 1)
    mean, normal = np.array([-398.0, -0.5]), np.array([1.0, 1.0])
    sigma = float(np.sqrt(normal @ covariance @ normal))
    distance = (3.0 - 400.0 - mean @ normal) / sigma
    assert border_sigmas(mean, covariance, far) == pytest.approx(distance, rel=1e-12)
    assert polygon_probability(mean, covariance, far) == pytest.approx(NormalDist().cdf(distance), abs=1e-13)
    flat = np.diag([4.0, 0.0])
    square = [(-1.0, -1.0), (5.0, -1.0), (5.0, 1.0), (-1.0, 1.0)]
    assert border_sigmas(np.zeros(2), flat, square) == pytest.approx(0.5)
    assert border_sigmas(np.array([0.0, 3.0]), flat, square) == np.inf


def test_probabilities_against_samples(tmp_path: Path) -> None:
    """A concave polygon, and a box of two axes: the covariance of mass and centre is that of drawn parts."""
    rng, n = np.random.default_rng(3), 400_000
    parts = {"P": (50.0, (1.0, 0.2, 0.0), 2.0, 0.03), "Q": (30.0, (3.0, -0.4, 0.0), 1.5, 0.05)}
    rows: list[dict[str, Any]] = [{"id": "S", "parent": ""}]
    for name, (mass, center, sigma, spread) in parts.items():
        row = {"id": name, "parent": "S", "mass [kg]": mass, "sigma_mass [kg]": sigma}
        row |= {f"C{axis} [m]": x for axis, x in zip("xyz", center, strict=True)}
        rows.append(row | {f"sigma_C{axis} [m]": spread for axis in "xyz"})
    notched = [["1.70 m", "74 kg"], ["1.80 m", "74 kg"], ["1.80 m", "86 kg"], ["1.75 m", "79 kg"], ["1.70 m", "86 kg"]]
    box = [["76 kg", "1.7 m", "1.78 m", "-40 mm", "0 mm"], ["84 kg", "1.72 m", "1.8 m", "-60 mm", "10 mm"]]
    given = [{"name": "notched", "points": notched}, {"name": "box", "axis": "xy", "box": box}]
    answer = mp.conditions(mp.Bom.from_records(rows), {"whole": {}}, envelopes=given)
    masses = [rng.normal(mass, sigma, n) for mass, _, sigma, _ in parts.values()]
    centers = [rng.normal(center, spread, (n, 3)) for _, center, _, spread in parts.values()]
    m = np.sum(masses, axis=0)
    c = np.sum([one[:, None] * at for one, at in zip(masses, centers, strict=True)], axis=0) / m[:, None]
    corners = [(float(x.split()[0]), float(y.split()[0])) for x, y in notched]
    crossed = np.zeros(n, bool)  # ray to the right
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            crossed ^= ((y0 > m) != (y1 > m)) & (c[:, 0] < x0 + (x1 - x0) * (m - y0) / (y1 - y0))
    t = (m - 76) / 8
    low, high = (1.7 + 0.02 * t, -0.04 - 0.02 * t), (1.78 + 0.02 * t, 0.01 * t)
    boxed = (t >= 0) & (t <= 1)
    for k in (0, 1):
        boxed &= (c[:, k] >= low[k]) & (c[:, k] <= high[k])
    for one, hits in zip(answer.envelope_check.verdicts, (crossed, boxed), strict=True):
        share = float(hits.mean())
        # four standard errors of the samples, and the curvature of c = Σ m c / m, second order
        assert one.probability == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n) + 1e-3)
        assert 0.1 < share < 0.9
        assert (one.sigmas > 0) == one.inside


def test_box_of_one_axis_is_its_polygon() -> None:
    mean = np.array([100.0, 1.0, 2.0, 3.0])
    root = np.random.default_rng(2).normal(size=(4, 4)) * np.array([3, 0.1, 0.1, 0.1])[:, None]
    rows = np.full((3, 7), np.inf)
    rows[:, 1:4] = -np.inf
    rows[:, [0, 2, 5]] = [[95, 1.8, 2.2], [101, 1.9, 2.4], [110, 1.7, 2.3]]
    around = [(1.8, 95.0), (1.9, 101.0), (1.7, 110.0), (2.3, 110.0), (2.4, 101.0), (2.2, 95.0)]
    for scale in (1.0, 0.0):  # with and without an uncertainty of the mass
        covariance = root @ root.T * np.outer([scale, 1, 1, 1], [scale, 1, 1, 1])
        picked = np.ix_([2, 0], [2, 0])
        wanted = polygon_probability(mean[[2, 0]], covariance[picked], around)
        assert box_over_mass_probability(mean, covariance, rows) == pytest.approx(wanted, abs=1e-11)


MISSION = """
[[mission]]
step = "start"
[[mission]]
step = "end"
{change}
[[envelope]]
name = "E"
points = {points}
"""
TANKED = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nS,,,,,\nD,S,10,0,0,0\nF,S,{mass},4,0,0\n"


def mission(folder: Path, change: str, points: str, mass: float = 30, tank: str = "") -> mp.Conditions:
    (folder / "bom.csv").write_text(TANKED.format(mass=mass))
    (folder / "massprops.toml").write_text(MISSION.format(change=change, points=points) + tank)
    return mp.conditions(folder / "bom.csv")


def test_burned_mass_goes_along_a_curve(tmp_path: Path) -> None:
    """From 40 kg at 3 m to 20 kg at 2 m: at 30 kg 80/30 m, right of the chord at 2.5 m and of a border at 2.6 m."""
    points = '[["0 m", "10 kg"], ["2.2 m", "10 kg"], ["2.6 m", "30 kg"], ["3.2 m", "41 kg"], ["0 m", "41 kg"]]'
    burned = mission(tmp_path, 'burn = ["F=20 kg"]', points).envelope_check
    masses = np.linspace(40, 20, 21)
    np.testing.assert_allclose(burned.paths["start", "end"][:, :2].T, [masses, (4 * masses - 40) / masses], rtol=1e-12)
    assert [one.inside for one in burned.verdicts] == [True, True, False]
    travel = burned.verdicts[-1]
    assert travel.start == "start"
    # the border x = 2.6 − 0.02 (30 − m) is furthest from 4 − 40/m where 40/m² = 0.02: at m = √2000
    assert travel.mass == pytest.approx(30, abs=1)  # a corner of the border is before that mass
    assert travel.margin == pytest.approx(2.6 - 80 / 30, abs=2e-3)
    assert "from start to end: Cx 26" in burned.findings[0].message
    straight = mission(tmp_path, 'burn = ["F=20 kg"]\nset = ["D.Cx=0 m"]', points).envelope_check
    assert len(straight.paths["start", "end"]) == 2
    assert straight.findings == ()


def test_straight_travel_leaves_a_notch(tmp_path: Path) -> None:
    """Both ends are inside, the way between them is not: a step that takes a part off."""
    points = '[["0 m", "0 kg"], ["4 m", "0 kg"], ["4 m", "50 kg"], ["3 m", "50 kg"], ["1.5 m", "15 kg"], ["1 m", "50 kg"], ["0 m", "50 kg"]]'  # noqa: E501
    check = mission(tmp_path, 'off = ["F"]', points).envelope_check
    assert [one.inside for one in check.verdicts] == [True, True, False]
    [finding] = check.findings
    assert finding.rule == "MP657"


def test_tank_goes_along_its_schedule(tmp_path: Path) -> None:
    """A box whose liquid falls along x: mass and centre are those of a schedule."""
    tank = '[tank.T]\nitem = "F"\nshape = "box"\ndims = "a=1 m; b=1 m; c=1 m"\ndensity = "30 kg/m3"\n'
    tank += "at = [4.0, 0, 0]\ndown = [-1, 0, 0]\nfill = 100\n"
    points = '[["0 m", "0 kg"], ["9 m", "0 kg"], ["9 m", "99 kg"], ["0 m", "99 kg"]]'
    answer = mission(tmp_path, "fill = { T = 0 }", points, mass=0, tank=tank)
    path = answer.envelope_check.paths["start", "end"]
    burn = mp.schedule(tmp_path / "bom.csv", "T", steps=20)
    np.testing.assert_allclose(path, np.column_stack([burn.mass, burn.center]), rtol=1e-9, atol=1e-12)
    assert answer.envelope_check.verdicts[-1].inside


def test_unknown_centres_and_masses_out_of_reach() -> None:
    rows = [{"id": "S", "parent": ""}, {"id": "P", "parent": "S", "mass [kg]": 5}]
    plain = {"points": [[0, "1 kg"], [1, "1 kg"], [1, "9 kg"]]}  # the table states no unit of length
    check = mp.conditions(mp.Bom.from_records(rows), {"a": {}}, envelopes=[plain]).envelope_check
    assert check.verdicts[0].inside is None
    assert "undecided" in check.findings[0].message
    given = [{"points": [["0 m", "1 t"], ["1 m", "1 t"], ["1 m", "9 t"]]}]
    [finding] = mp.conditions(aircraft(), {"a": {}}, envelopes=given).envelope_check.findings
    assert (finding.rule, "43500 kg … 43500 kg, and the envelope is of 1000 kg … 9000 kg" in finding.message) == (
        "MP658",
        True,
    )


def test_margin_of_mass_above_a_slanted_side() -> None:
    """At x = 1.05 the side from (1, 5) to (1.2, 13) is at a mass of 7: 15 is 8 above it."""
    corners = [(1.0, 0.0), (1.0, 5.0), (1.2, 13.0), (2.0, 13.0), (2.0, 0.0)]
    for mass in (12.0, 15.0):
        inside, _, up = _Face(1, 0, corners).measure(np.array([mass, 1.05, 0, 0]))
        assert (inside, up) == (False, pytest.approx(7 - mass))
