"""Probabilities and intervals of a roll-up, by every method, and how they are written."""

from __future__ import annotations

import json
import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.probability import (
    Interval,
    Probability,
    _ProbabilityQuery,
    _result_intervals,
    parse_interval_level,
    query_answers_dict,
    query_probabilities,
)
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.check import check
from massprops_cli.budgets.file import _budget_from_tables
from massprops_cli.findings.finding import UsageError
from massprops_cli.reports.page.page import ASCII, UNICODE, _page_lines
from massprops_cli.reports.probability import (
    _interval_blocks,
    _probability_blocks,
    _probability_text,
    answer_blocks,
    answer_markdown,
)
from massprops_cli.rollups.regions import ResultRange

ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
PHI = NormalDist().cdf


def part(name: str, mass: float, center: tuple[float, float, float], **sigmas: float) -> dict[str, Any]:
    """One row: a cube with sigmas of mass, centre and inertia, 0 where they are not given."""
    cells = {"id": name, "parent": "SAT", "mass [kg]": mass, "POIconv": "-", "Ipoint": "FALSE"}
    cells |= {f"C{a} [mm]": value for a, value in zip("xyz", center, strict=True)}
    cells |= {f"I{e} [kg*mm^2]": 1e4 if e[0] == e[1] else 0.0 for e in ENTRIES}
    cells["sigma_mass"] = sigmas.get("m", 0.0)
    cells |= {f"sigma_C{a}": sigmas.get("c", 0.0) for a in "xyz"}
    cells |= {f"sigma_I{e}": sigmas.get("i", 0.0) for e in ENTRIES}
    return cells


def rolled(method: str, **options: Any) -> Result:
    """Two parts whose masses err, so that the centre errs along the line between them."""
    parts = [part("A", 10, (100, 0, 0), m=1.0), part("B", 20, (-100, 50, 0), m=1.0, i=5.0)]
    top = dict.fromkeys(parts[0]) | {"id": "SAT", "parent": ""}
    return rollup(Bom.from_records([top, *parts]), method, **options)


# σ(c) along the line from A to B, 206.155 long: |∂c/∂m_A| = 206.155·20/900 and |∂c/∂m_B| = 206.155·10/900
CENTER = (-100 / 3, 100 / 3)
SIGMA_CX = 200 * math.hypot(20, 10) / 900


class TestAnswers:
    @pytest.mark.parametrize("method", ["massprops", "covariance"])
    def test_one_quantity(self, method: str) -> None:
        mass, center = query_probabilities(rolled(method), ["mass <= 32 kg", "Cx in -35 .. * mm"])
        assert mass.value == pytest.approx(PHI(2 / math.sqrt(2)), rel=1e-12)
        assert mass.opposite == pytest.approx(PHI(-2 / math.sqrt(2)), rel=1e-12)
        assert center.value == pytest.approx(PHI((CENTER[0] + 35) / SIGMA_CX), rel=1e-12)
        assert {mass.how, center.how} == {"normal approximation"}

    def test_the_covariance_of_the_centre_counts(self) -> None:
        # the centre moves along one line, so Cy is a function of Cx: the box is an interval of Cx
        question = "center in box -40 .. -30, 33 .. *, *"
        [whole] = query_probabilities(rolled("covariance"), [question])
        upper = CENTER[0] + 4 * (CENTER[1] - 33)  # Cy falls by 50 where Cx grows by 200
        between = PHI((upper - CENTER[0]) / SIGMA_CX) - PHI((-40 - CENTER[0]) / SIGMA_CX)
        assert whole.value == pytest.approx(between, abs=1e-7)
        [apart] = query_probabilities(rolled("massprops"), [question])
        sides = PHI((-30 - CENTER[0]) / SIGMA_CX) - PHI((-40 - CENTER[0]) / SIGMA_CX)
        assert apart.value == pytest.approx(sides * PHI((CENTER[1] - 33) / (SIGMA_CX / 4)), rel=1e-12)

    def test_an_ellipse_of_one_axis_is_an_interval(self) -> None:
        result = rolled("covariance")
        ellipse, span = query_probabilities(result, ["center in ellipse -34,0,0 ; 3,*,* mm", "Cx in -37 .. -31"])
        assert ellipse.value == pytest.approx(span.value, rel=1e-12)

    def test_a_leaf_has_its_own_sigmas(self) -> None:
        one, two = query_probabilities(rolled("covariance"), ["A: mass <= 11", "A: center in box 99..101, *, *"])
        assert one.value == pytest.approx(PHI(1.0), rel=1e-12)
        assert two.value == 1.0

    def test_samples_are_counted(self) -> None:
        questions = ["mass <= 31 kg", "center in box -40 .. -30, 33 .. *, *", "A: mass <= 11"]
        result = rolled("montecarlo", samples=4000, probability=questions)
        for sampled, exact in zip(
            query_probabilities(result, questions), query_probabilities(rolled("covariance"), questions), strict=True
        ):
            assert (sampled.how, sampled.n) == ("samples", 4000)
            assert sampled.value == round(sampled.value * 4000) / 4000
            assert sampled.error == pytest.approx(math.sqrt(sampled.value * (1 - sampled.value) / 4000), rel=1e-12)
            # the centre is not quite normal: 1e-2 for what first order leaves out
            assert abs(sampled.value - exact.value) < 5 * sampled.error + 1e-2
        [other] = query_probabilities(result, ["mass <= 30"])
        assert (other.how, other.value) == ("normal approximation", 0.5)

    def test_what_is_not_known_is_reported(self) -> None:
        rows = [{"id": "SAT", "parent": "", "mass": 5.0, "sigma_mass": 1.0}]
        options = {"allow_missing": frozenset({"center", "inertia", "sigma"})}
        result = rollup(Bom.from_records(rows, **options))
        [one] = query_probabilities(result, ["Cx <= 5"])
        assert math.isnan(one.value)
        assert one.how == "Cx of SAT is unknown"
        assert one.to_dict()["probability"] is None

    def test_where_masses_cancel_there_is_not_a_centre(self) -> None:
        parts = [part("A", 10, (100, 0, 0), m=1.0), part("B", -10, (0, 0, 0), m=1.0)]
        top = dict.fromkeys(parts[0]) | {"id": "SAT", "parent": ""}
        bom = Bom.from_records([top, *parts], allow_negative_mass=True)
        result = rollup(bom, "covariance", keep_going=True)
        mass, center = query_probabilities(result, ["mass <= 0", "center in box 0..1, *, *"])
        assert mass.value == 0.5
        assert center.how == "Cx of SAT is unknown"
        assert [one.name for one in _result_intervals(result, 0, 0.9)] == ["mass"]

    def test_without_sigmas_there_is_not_a_probability(self) -> None:
        with pytest.raises(UsageError, match="needs sigmas"):
            query_probabilities(rolled("none"), ["mass <= 5"])


BOX = "center in box -40..-30, 30..35, * mm"


class TestIntervals:
    def test_the_normal_approximation(self) -> None:
        result = rolled("covariance")
        found = {one.name: one for one in _result_intervals(result, 0, 0.95)}
        assert len(found) == 13
        reach = NormalDist().inv_cdf(0.975) * math.sqrt(2)
        assert found["mass"].low == pytest.approx(30 - reach, rel=1e-12)
        assert found["mass"].high == pytest.approx(30 + reach, rel=1e-12)

    def test_samples(self) -> None:
        result = rolled("montecarlo", samples=4000)
        mass = _result_intervals(result, 0, 0.9)[0]
        assert mass.how == "samples"
        reach = NormalDist().inv_cdf(0.95) * math.sqrt(2)
        # standard error of a quantile: sqrt(p(1 − p)/n) over the density there
        error = math.sqrt(0.05 * 0.95 / 4000) / (NormalDist().pdf(reach / math.sqrt(2)) / math.sqrt(2))
        assert mass.low == pytest.approx(30 - reach, abs=5 * error)
        assert mass.high == pytest.approx(30 + reach, abs=5 * error)

    def test_too_few_samples_for_the_level(self) -> None:
        assert _result_intervals(rolled("montecarlo", samples=1000), 0, 0.999)[0].how == "normal approximation"

    @pytest.mark.parametrize(
        ("text", "level"), [("95%", 0.95), ("95", 0.95), ("0.95", 0.95), (" 99.73 % ", 0.9973), ("0.5%", 0.005)]
    )
    def test_levels(self, text: str, level: float) -> None:
        assert parse_interval_level(text) == pytest.approx(level, rel=1e-15)

    @pytest.mark.parametrize("text", ["", "x", "0", "100%", "1", "-5%", "nan", "95%%"])
    def test_levels_that_are_none(self, text: str) -> None:
        with pytest.raises(UsageError, match="for instance 95%"):
            parse_interval_level(text)


class TestWriting:
    requested = _ProbabilityQuery(0, "SAT", "Ixx ≤ 850 kg*m^2", ResultRange(4, high=850.0))

    @pytest.mark.parametrize(
        ("value", "opposite", "text"),
        [
            (0.97725, 0.02275, "97.7 %"),
            (0.5, 0.5, "50.0 %"),
            (0.99999, 1e-5, "1 − 1.0e-05"),
            (1.0, 3e-7, "1 − 3.0e-07"),
            (4.2e-9, 1.0, "4.2e-09"),
            (0.99987, 0.00013, "99.987 %"),
            (1.0, 0.0, "100 %"),
            (0.0, 1.0, "0 %"),
            (math.nan, math.nan, "unknown"),
        ],
    )
    def test_digits_distinguish_it_from_certainty(self, value: float, opposite: float, text: str) -> None:
        assert _probability_text(Probability(self.requested, value, opposite)) == text

    @pytest.mark.parametrize(
        ("count", "text"), [(0, "< 0.3 %"), (1000, "> 99.7 %"), (500, "(50.0 ± 1.6) %"), (999, "(99.90 ± 0.10) %")]
    )
    def test_shares_have_their_standard_error(self, count: int, text: str) -> None:
        one = Probability(self.requested, count / 1000, 1 - count / 1000, "samples", 1000)
        assert _probability_text(one) == text

    def test_an_integral_is_not_a_better_than_it_is(self) -> None:
        assert _probability_text(Probability(self.requested, 1.0, 0.0, accuracy=1e-12)) == "> 1 − 1e-12"
        assert _probability_text(Probability(self.requested, 1e-15, 1.0, accuracy=1e-12)) == "< 1e-12"

    def test_lines(self) -> None:
        other = _ProbabilityQuery(1, "A", "center in box 1..2, *, * mm", ResultRange(0))
        found = [Probability(self.requested, 1.0, 3.2e-7), Probability(other, 1.0, 0.0, "samples", 3000)]
        lines = [line.text for line in _page_lines(_probability_blocks(found, 0, UNICODE), 80, UNICODE)]
        assert lines == [
            "P(Ixx ≤ 850 kg·m²) = 1 − 3.2e-07  (normal approximation)",
            "A: P(center in box 1..2, *, * mm) > 99.9 %  (3,000 samples)",
        ]
        plain = [line.text for line in _page_lines(_probability_blocks(found, 0, ASCII), None, ASCII)]
        assert plain[0] == "P(Ixx <= 850 kg*m^2) = 1 - 3.2e-07  (normal approximation)"
        assert all(line.isascii() for line in plain)

    @pytest.mark.parametrize("width", [40, 80, 200])
    def test_nothing_is_wider_than_the_screen(self, width: int) -> None:
        result = rolled("covariance")
        blocks = _probability_blocks(query_probabilities(result, ["center in box -40..-30, 30..35, * mm"]), 0, UNICODE)
        blocks += _interval_blocks(_result_intervals(result, 0, 0.95), "SAT", result.bom.units, UNICODE)
        assert all(len(line.text) <= width for line in _page_lines(blocks, width, UNICODE))

    def test_the_screen_shows_intervals_to_the_digit_of_the_sigma(self) -> None:
        one = Interval("mass", 850.0, 12.3, 825.89, 874.1, 0.95)
        units = rolled("none").bom.units
        head, row = _page_lines(_interval_blocks([one], "SAT", units, UNICODE), 80, UNICODE)
        assert head.text == "95 % intervals of SAT  (normal approximation)"
        assert row.text.split() == ["mass", "826", "874", "kg"]
        (unknown,) = _page_lines(_interval_blocks([], "SAT", units, UNICODE), 80, UNICODE)
        assert unknown.text == "intervals of SAT  unknown: masses or sigmas missing below it"

    def test_what_is_requested_of_a_roll_up_is_printed_on_the_screen(self) -> None:
        result = rolled("covariance", probability=["mass <= 32 kg"], intervals=["95%"], items=["A"])
        lines = [line.text for line in _page_lines(answer_blocks(result, UNICODE, (100.0, 0.0, 0.0)), 80, UNICODE)]
        assert lines[:2] == ["", "P(mass ≤ 32 kg) = 92.1 %  (normal approximation)"]
        assert [line for line in lines if "intervals of" in line] == [
            "95 % intervals of SAT  (normal approximation)",
            "95 % intervals of A  (normal approximation)",
        ]
        low, high = (f"{CENTER[0] - 100 + sign * 1.959964 * SIGMA_CX:.1f}" for sign in (-1, 1))
        assert next(line.split() for line in lines if "Cx" in line) == ["Cx", low, high, "mm"]
        assert answer_blocks(rolled("covariance"), UNICODE) == []

    @pytest.mark.parametrize(("question", "printed"), [("Cx <= 5", True), ("mass <= 5", False), (BOX, True)])
    def test_a_datum_moves_what_is_shown_and_not_what_is_requested(self, question: str, printed: bool) -> None:
        result = rolled("covariance", probability=[question])
        for datum in (None, (100.0, 0.0, 0.0)):
            text = " ".join(line.text for line in _page_lines(answer_blocks(result, UNICODE, datum), 80, UNICODE))
            assert ("not from the datum" in text) == (printed and datum is not None)

    def test_markdown_and_json(self) -> None:
        result = rolled("covariance", probability=["mass <= 32 kg"], intervals=["95%"])
        lines = answer_markdown(result)
        assert "| SAT | P(mass ≤ 32 kg) | 92.1 % | normal approximation |" in lines
        assert "| mass | 27.2 | 32.8 |" in lines
        assert answer_markdown(rolled("covariance")) == []
        values = json.loads(json.dumps(query_answers_dict(result), allow_nan=False))
        [one] = result.probabilities
        assert values["probabilities"] == [
            {
                "item": "SAT",
                "requested": "mass ≤ 32 kg",
                "probability": one.value,
                "opposite": one.opposite,
                "from": "normal approximation",
            }
        ]
        mass = values["intervals"][0]
        assert (mass["item"], mass["result"], mass["level"]) == ("SAT", "mass", 0.95)
        assert mass["high"] == pytest.approx(30 + 1.9599639845 * math.sqrt(2), rel=1e-9)
        assert query_answers_dict(rolled("covariance")) == {}


def checked_mass(result: Result, limit: float, item: str = "R") -> float | None:
    """P(mass ≤ limit) of an item, as ``check`` computes it."""
    text = [{"item": item, "mass-max": f"{limit!r} kg", "probability-min": 0.5}]
    done = check(result, _budget_from_tables("b.toml", "", {"budget": text}))
    return next(one.value for one in done.verdicts if one.rule == "MP608")


def query_mass(result: Result, limit: float, item: str = "R", basis: str = "") -> float:
    return query_probabilities(result, [f"{item}: {basis}mass <= {limit!r} kg"])[0].value


def bounded(rows: list[dict[str, Any]], **options: Any) -> Result:
    return rollup(Bom.from_records([{"id": "R", "parent": ""}, *rows]), **options)


THREE_POINT = [
    {"id": "A", "parent": "R", "mass [kg]": 10, "mass_min": 9, "mass_likely": 10, "mass_max": 14},
    {"id": "B", "parent": "R", "mass [kg]": 5, "mass_min": 4, "mass_likely": None, "mass_max": 6},
]


class TestLopsidedBounds:
    """The law of a mass is that of its inputs, not a normal one at the stated value."""

    def test_three_point_estimates(self):
        # B uniform: (∫ over 9.5 … 10 of (x − 9)²/5 + ∫ over 10 … 11.5 of 1 − (14 − x)²/20) / 2
        right = ((1 - 0.5**3) / 15 + 1.5 - (4**3 - 2.5**3) / 60) / 2
        result = bounded(THREE_POINT)
        assert query_mass(result, 15.5) == pytest.approx(right, abs=1e-9)
        assert checked_mass(result, 15.5) == pytest.approx(right, abs=1e-9)
        assert query_probabilities(result, ["mass <= 15.5 kg"])[0].how == "sum of distributions"

    @pytest.mark.parametrize(("limit", "right"), [(1.0, 1 / 6), (0.5, 0.5**3 / 6), (2.9, 1 - 0.1**3 / 6), (3.5, 1.0)])
    def test_three_uniform_pieces(self, limit: float, right: float):
        """Irwin and Hall: the sum of three pieces of 0 … 1 kg."""
        result = bounded([{"id": "A", "parent": "R", "qty": 3, "mass [kg]": 0.5, "mass_min": 0, "mass_max": 1}])
        assert query_mass(result, limit) == pytest.approx(right, abs=1e-9)
        assert checked_mass(result, limit) == pytest.approx(right, abs=1e-9)

    @pytest.mark.parametrize(("likely", "right"), [(0, 1 - 0.7**2), (1, 0.3**2), (0.3, 0.3)])
    def test_one_triangle(self, likely: float, right: float):
        row = {"id": "A", "parent": "R", "mass [kg]": 0.5, "mass_min": 0, "mass_likely": likely, "mass_max": 1}
        assert query_mass(bounded([row]), 0.3) == pytest.approx(right, abs=1e-5)

    def test_uniform_and_normal(self):
        """∫ Φ((L − u)/s) du = s (G(L/s) − G((L − 1)/s)) with G(z) = z Φ(z) + φ(z)."""
        rows = [
            {"id": "A", "parent": "R", "mass [kg]": 0.5, "mass_min": 0, "mass_max": 1, "sigma_mass": None},
            {"id": "N", "parent": "R", "mass [kg]": 2, "mass_min": None, "mass_max": None, "sigma_mass": 0.2},
        ]
        whole, s = bounded(rows), 0.2
        g = [z * PHI(z) + NormalDist().pdf(z) for z in (0.1 / s, -0.9 / s)]
        assert query_mass(whole, 2.1) == pytest.approx(s * (g[0] - g[1]), abs=1e-10)

    def test_pieces_of_pieces_and_removed_pieces(self):
        """Own samples of 3 × 2 triangles, less one uniform, and half a triangle: a size, not a count."""
        rows = [
            {"id": "G", "parent": "R", "qty": 3},
            {**THREE_POINT[0], "parent": "G", "qty": 2},
            {**THREE_POINT[1], "qty": -1},
            {**THREE_POINT[0], "id": "C", "qty": 0.5},
        ]
        result = bounded([{"mass_likely": None, **row} for row in rows], keep_going=True)
        random, n = np.random.default_rng(7), 400_000
        drawn = random.triangular(9, 10, 14, (6, n)).sum(axis=0) - random.uniform(4, 6, n)
        drawn += 0.5 * random.triangular(9, 10, 14, n)
        for limit in (62.0, 66.0, 70.0):
            share = float((drawn <= limit).mean())
            assert query_mass(result, limit) == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / n) + 1e-9)
        assert checked_mass(result, 66.0) == query_mass(result, 66.0)

    def test_center_is_about_the_mean_of_its_inputs(self):
        """Bounds −1, 0, 4 of Cx have the mean 1, where the normal approximation has one half."""
        bounds = {"Cx_min": -1, "Cx_likely": 0, "Cx_max": 4}
        row = {"id": "A", "parent": "R", "mass [kg]": 2, "Cx [mm]": 0, "Cy [mm]": 0, "Cz [mm]": 0, **bounds}
        row |= {"sigma_mass": 0.1, "sigma_Cy": 0, "sigma_Cz": 0}
        result = bounded([row])
        found = query_probabilities(result, ["Cx <= 1 mm", "center in box *..1, *, * mm"])
        assert [one.value for one in found] == pytest.approx([0.5, 0.5], abs=1e-12)
        low, high = next((one.low, one.high) for one in _result_intervals(result, 0, 0.9) if one.name == "Cx")
        assert (low + high) / 2 == pytest.approx(1)

    def test_truncated_normal(self):
        """2 ± 1 kg cut at 2 kg has the mean 2 + √(2/π)."""
        row = {"id": "A", "parent": "R", "mass [kg]": 2, "sigma_mass": 1, "dist": "truncated", "mass_min": 2}
        result = bounded([{**row, "mass_max": 1e6}])
        assert result.at_means is not None
        assert result.at_means.bodies.mass[0] == pytest.approx(2 + math.sqrt(2 / math.pi), abs=1e-4)


GROWING = [
    {"id": "A", "parent": "R", "mass [kg]": 3, "sigma_mass": 0.03, "mga [%]": 10},
    {"id": "B", "parent": "R", "mass [kg]": 1, "sigma_mass": 0.04, "mga [%]": 5},
]


class TestBasis:
    """One sentence has one probability: predicted where growth is stated. 4 kg basic, 4.35 kg predicted, σ 0.05 kg."""

    @pytest.mark.parametrize("limit", [4.2, 4.3, 4.35, 4.4])
    def test_same_number_of_rollup_and_check(self, limit: float):
        result, right = bounded(GROWING), PHI((limit - 4.35) / 0.05)
        assert query_mass(result, limit) == pytest.approx(right, abs=1e-12)
        assert checked_mass(result, limit) == pytest.approx(right, abs=1e-12)
        assert query_mass(result, limit, basis="predicted_") == query_mass(result, limit)
        assert query_mass(result, limit, basis="basic ") == pytest.approx(PHI((limit - 4) / 0.05), abs=1e-12)

    def test_samples_are_predicted(self):
        texts = ["mass <= 4.35 kg", "basic mass <= 4 kg"]
        result = bounded(GROWING, uncertainty="montecarlo", samples=20_000, probability=texts)
        for one in query_probabilities(result, texts):
            assert one.n == 20_000
            assert abs(one.value - 0.5) < 5 * one.error

    def test_basis_is_stated(self):
        one, other = query_probabilities(bounded(GROWING), ["mass <= 4.2 kg", "basic mass <= 4.2 kg"])
        assert (one.basis, one.to_dict()["basis"], other.basis) == ("predicted", "predicted", "basic")
        [line] = _page_lines(_probability_blocks([one], 0, UNICODE), None, UNICODE)
        assert line.text.endswith("(predicted, normal approximation)")
        without = bounded([{key: cell for key, cell in row.items() if key != "mga [%]"} for row in GROWING])
        assert query_probabilities(without, ["mass <= 4.2 kg"])[0].basis == ""

    def test_unknown_growth_gives_no_probability(self):
        """A known part of the predicted mass is no predicted mass."""
        result = bounded([GROWING[0], {**GROWING[1], "mga [%]": None}], keep_going=True)
        [one] = query_probabilities(result, ["mass <= 99 kg"])
        assert math.isnan(one.value)
        assert one.how == "predicted mass of R is unknown"
        assert query_probabilities(result, ["basic mass <= 99 kg"])[0].value == 1.0
