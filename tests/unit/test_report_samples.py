"""Sampled distributions: on the screen, in JSON, on a sheet."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.results.uncertainty import (
    SAMPLED_RESULT_NAMES,
    SampledResult,
    dictionary_of_samples,
    requested_samples,
)
from massprops_cli.reports.page.conventions import ResultWriteOptions
from massprops_cli.reports.page.page import ASCII, UNICODE, _display_width, plain_text
from massprops_cli.reports.probability import _rebin_histogram, sample_blocks, samples_sheet
from massprops_cli.reports.sheets import own_sheets
from tests.unit.bom_tables import bom_of

TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def table(sigma_mass: float) -> mp.Bom:
    """Two rods end to end; the sigma of the second one's mass is chosen."""
    rows: list[dict[str, object]] = [{"id": "top", "parent": ""}]
    for name, x, s_mass in (("a", 0.0, 0.01), ("b", 10.0, sigma_mass)):
        row: dict[str, object] = {"id": name, "parent": "top", "POIconv": "-", "Ipoint": "false"}
        row |= dict(zip(TEN, (2.0, x, 0, 0, 1, 8, 8, 0, 0, 0), strict=True))
        row |= {f"sigma_{n}": 0.01 for n in TEN} | {"sigma_mass": s_mass}
        rows.append(row)
    return mp.Bom.from_records(rows)


@pytest.fixture(scope="module")
def small() -> mp.Result:
    return mp.rollup(table(0.02), "montecarlo", samples=4000, seed=3, items=["a"])


@pytest.fixture(scope="module")
def large() -> mp.Result:
    return mp.rollup(table(0.8), "montecarlo", samples=20_000, seed=3)


def test_sampled_sigmas_are_next_to_first_order_within_their_errors(small: mp.Result) -> None:
    root, part = requested_samples(small)
    assert (root.item, part.item) == (0, 1)
    exact = mp.rollup(small.bom)
    for one in root.results:
        if one.name in TEN:
            expected = exact.to_dict()["items"][0]
            sigmas = {"mass": expected["sigma_mass"], **expected["sigma_inertia"]}
            sigmas |= dict(zip(("Cx", "Cy", "Cz"), expected["sigma_center"], strict=True))
            name = one.name if one.name in sigmas else one.name.removeprefix("I")
            assert one.first_order == pytest.approx(sigmas.get(one.name, sigmas.get(name)), rel=1e-14)
        if one.name not in ("I1", "I2", "I3"):
            assert abs(one.sigma - one.first_order) < 5 * one.sigma_error
    assert not root.differences


def test_a_large_sigma_moves_the_mean_as_second_order_predicts(large: mp.Result) -> None:
    """Ixx' shift of the mean is the variance of the halves' offsets: predicted, found, and reported."""
    (root,) = requested_samples(large)
    by_name = {one.name: one for one in root.results}
    iyy = by_name["Iyy"]
    assert abs(iyy.predicted) > 4 * iyy.shift_error
    assert abs(iyy.shift - iyy.predicted) < abs(iyy.shift) / 4
    assert any(one.result == "Iyy" and one.kind == "mean" for one in root.differences)
    text = plain_text(sample_blocks(large, UNICODE), None, UNICODE)
    head = r"mean of [\w, ]*Iyy[\w, ]*: Monte Carlo differs from the nominal value"
    assert re.search(rf"{head} by [\d to]+ standard errors; ", text)


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("symbols", [UNICODE, ASCII])
def test_screen_keeps_its_width_and_names_every_result(small: mp.Result, columns: int, symbols) -> None:
    text = plain_text(sample_blocks(small, symbols), columns, symbols)
    assert max(map(_display_width, text.splitlines())) <= columns
    for name in SAMPLED_RESULT_NAMES:
        assert len(re.findall(rf"^  {name} ", text, re.MULTILINE)) >= 2
    assert all(f"P{k}" in text for k in (5, 50, 80, 90, 95))


def test_json_holds_everything_and_a_level_multiplies_sigmas(small: mp.Result) -> None:
    once, twice = (dictionary_of_samples(small, level) for level in (1, 2))
    json.dumps(once, allow_nan=False)
    one, two = (printed["items"]["top"]["results"]["Ixx"] for printed in (once, twice))
    sigmas = ("sigma", "sigma_error", "sigma_first_order")
    assert [two[name] for name in sigmas] == [2 * one[name] for name in sigmas]
    others = ("mean", "shift", "shift_error", "shift_second_order", "percentiles", "histogram")
    assert [two[name] for name in others] == [one[name] for name in others]
    assert sum(one["histogram"]["counts"]) == 4000
    assert len(one["histogram"]["edges"]) == len(one["histogram"]["counts"]) + 1
    assert len(one["percentiles"]) == len(once["percents"]) == 5
    assert small.to_dict()["sampled"] == once


def test_sheet_has_a_column_a_result_and_states_when_nothing_was_drawn(small: mp.Result) -> None:
    sheet = samples_sheet(small, 2)
    rows = [list(row) for row in sheet.rows]
    assert rows[0][:4] == ["item", "statistic", "mass", "Cx"]
    by_words = {(row[0], row[1]): row for row in rows}
    root = requested_samples(small)[0].results[0]
    assert by_words["top", "sigma (2σ)"][2] == 2 * root.sigma
    assert sum(row[2] or 0 for row in rows if row[0] == "top" and str(row[1]).startswith("bar ")) == 4000
    (nothing,) = [
        one for one in own_sheets(mp.rollup(small.bom), [], ResultWriteOptions(), {})([]) if one.name == "Samples"
    ]
    assert nothing.only_replaces
    assert [list(row) for row in nothing.rows][1] == ["no samples in the last roll-up"]


def test_fewer_bars_keep_the_samples_but_for_the_ends() -> None:
    counts = np.array([1, 3, 10, 20, 30, 20, 10, 3, 1])
    numbers = [1.0] * 7
    one = SampledResult("mass", *numbers, np.zeros(5), np.arange(10.0), counts)
    assert _rebin_histogram(replace(one, sigma=0.0), 4) == []
    found = _rebin_histogram(one, 4)
    assert sum(found) == pytest.approx(0.996 * counts.sum())
    assert found == pytest.approx(found[::-1])


def test_every_assembly_has_its_mean_and_its_correlations(small: mp.Result) -> None:
    printed = small.to_dict()
    top, part = printed["items"][:2]
    (root,) = [item for item in requested_samples(small) if item.item == 0]
    assert top["sampled_mean"]["Iyy"] == {one.name: one.mean for one in root.results}["Iyy"]
    assert part["sampled_mean"] is None
    rho = printed["sampled"]["items"]["top"]["correlations"]
    assert len(rho) == 45
    exact = mp.rollup(small.bom).root.correlation
    assert exact is not None
    assert rho["rho_mass_Cx"] == pytest.approx(exact[0, 1], abs=5 / 4000**0.5)
    assert "sampled_mean" not in mp.rollup(small.bom).to_dict()["items"][0]


def test_where_nothing_can_be_added_up_it_is_reported() -> None:
    header = "id parent mass sigma_mass"
    bom = bom_of(header, "t . . .", "a t 1 0.1", "b t 2 .", allow_missing="all")
    text = plain_text(sample_blocks(mp.rollup(bom, "montecarlo", samples=20), UNICODE), 80, UNICODE)
    assert "masses or sigmas missing below it" in text
