"""What the summary and the tool's sheets state of uncertainties."""

from __future__ import annotations

from pathlib import Path

import pytest

import massprops_cli as mp
from massprops_cli.reports.limits import markdown_report
from massprops_cli.reports.page.conventions import AggregatedColumns, ResultWriteOptions, RootView, convention_rows
from massprops_cli.reports.page.page import ASCII, UNICODE, _display_width, plain_text
from massprops_cli.reports.probability import answer_blocks, answer_markdown
from massprops_cli.reports.sheets import _about_sheet, _rollup_sheet
from massprops_cli.reports.summary import summary_blocks

TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def table(**more: object) -> mp.Bom:
    """Two boxes and four bolts; the boxes' moments Iyy and Izz are near each other."""
    rows: list[dict[str, object]] = [{"id": "top", "parent": ""}]
    for name, count, method, x in (("box", 1, "weighed", 0.0), ("lid", 1, "estimated", 2.0), ("bolt", 4, "", 1.0)):
        row: dict[str, object] = {"id": name, "parent": "top", "qty": count, "method": method, "part": name}
        row |= dict(zip(TEN, (2.0, x, 0, 0, 1, 8, 8, 0, 0, 0), strict=True)) | {"POIconv": "-", "Ipoint": "false"}
        row |= {f"sigma_{n}": 0.1 for n in TEN}
        rows.append(row)
    return mp.Bom.from_records(rows, **more)


@pytest.fixture(scope="module")
def result() -> mp.Result:
    return mp.rollup(table())


def text_of(result: mp.Result, width: int | None = None, **view: object) -> str:
    return plain_text(summary_blocks(result, UNICODE, RootView(**view)), width, UNICODE)


def test_one_line_states_what_sharing_errors_is_worth(result: mp.Result) -> None:
    """Six pieces of σ 0.1: √6 alone, √(1 + 1 + 4²) by part, 6 all together."""
    (line,) = [line for line in text_of(result).splitlines() if line.startswith("  correlate ")]
    assert line.split(maxsplit=1)[1].startswith("σ mass: none 0.24, part 0.42, all 0.60")
    assert _display_width(line) <= 80
    (line,) = [line for line in text_of(result, sigma_level=2).splitlines() if line.startswith("  correlate ")]
    assert "2σ mass: none 0.49, part 0.85, all 1.2" in line


def test_nothing_repeated_reports_nothing_of_sharing() -> None:
    rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 1.0, "sigma_mass": 0.1}]
    plain_result = mp.rollup(mp.Bom.from_records(rows))
    assert "correlate" not in text_of(plain_result)
    assert "correlation" not in text_of(plain_result)


def test_a_root_without_known_sigmas_reports_nothing_of_sharing_and_why_it_has_no_intervals() -> None:
    """One leaf has no sigma, so what a total's is worth cannot be determined; no line is left empty for it."""
    rows: list[dict[str, object]] = [{"id": "top", "parent": ""}]
    rows += [{"id": k, "parent": "top", "qty": 2, "mass": 1.0, "sigma_mass": s} for k, s in (("a", 0.1), ("b", None))]
    unknown = mp.rollup(mp.Bom.from_records(rows, allow_missing="sigma"), intervals=["95%"])
    assert "correlate" not in text_of(unknown)
    assert unknown.assumptions == {}
    printed = plain_text(answer_blocks(unknown, UNICODE), 80, UNICODE)
    assert printed.strip() == "intervals of top  unknown: masses or sigmas missing below it"
    assert "## Intervals of top" in answer_markdown(unknown)
    (missing,) = [finding for finding in unknown.findings if finding.rule == "MP223"]
    assert "those of the assemblies above are unknown" in missing.remedy


def test_shares_of_mass_by_method_are_under_the_root(result: mp.Result) -> None:
    assert "maturity  16.7 % estimated, 16.7 % weighed, 66.7 % not stated" in text_of(result)


def test_every_heading_states_the_level_and_level_one_reports_nothing(result: mp.Result) -> None:
    assert "(root)  ± 2σ" in text_of(result, sigma_level=2)
    assert "2σ" not in text_of(result)
    heads = {
        level: list(next(iter(_rollup_sheet(result, ResultWriteOptions(sigma_level=level)).rows))) for level in (1, 2)
    }
    assert [f"{text} (2σ)" if str(text).startswith("σ ") else text for text in heads[1]] == heads[2]
    assert "sigma (2σ)" in markdown_report(result, [], RootView(sigma_level=2), AggregatedColumns())
    assert "| sigma |" in markdown_report(result, [], RootView(), AggregatedColumns())
    about = [list(row) for row in _about_sheet(result, [], 3, {}).rows]
    assert ["sigmas", "every ± is three standard deviations (3σ)"] in about
    assert result.to_dict(2)["sigma_level"] == 2
    assert result.to_dict(2)["items"][0]["sigma_mass"] == 2 * result.to_dict()["items"][0]["sigma_mass"]
    assert result.to_dict(2)["items"][0]["mass"] == result.to_dict()["items"][0]["mass"]


def test_correlations_are_on_the_sheet_only_when_requested(result: mp.Result) -> None:
    plain_head = list(next(iter(_rollup_sheet(result, ResultWriteOptions()).rows)))
    requested = list(next(iter(_rollup_sheet(result, ResultWriteOptions(("rho",))).rows)))
    assert not any(str(text).startswith("rho_") for text in plain_head)
    assert requested[: len(plain_head)] == plain_head
    assert len(requested) == len(plain_head) + 45


def test_moments_near_each_other_are_marked(result: mp.Result) -> None:
    text = text_of(result, shows_principal=True)
    assert "I2*" in text
    assert "I3*" in text
    assert "I1*" not in text
    assert "*  I2 and I3 differ by less than 3 σ" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "part uncertainties independent"),
        ({"correlate": "part"}, "mass and inertia fully correlated within 1 group"),
        ({"correlate": "all"}, "mass and inertia fully correlated, all items"),
        ({"correlate": "all", "correlate_centers": True}, "mass, CG and inertia fully correlated, all items"),
    ],
)
def test_conventions_state_whose_errors_are_shared(options: dict[str, object], words: str) -> None:
    printed = dict(convention_rows(mp.rollup(table(), **options), ASCII, "", "", 1))
    assert printed["correlation"] == words


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("covariance", "covariance: first-order, full covariance"),
        ("massprops", "massprops: first-order, level by level (SAWE 3360)"),
        ("montecarlo", "montecarlo: 50 samples, seed 7, uniform distribution"),
        ("none", "none, by option"),
    ],
)
def test_conventions_name_the_method(method: str, words: str) -> None:
    options = {"samples": 50, "seed": 7, "distribution": "uniform"} if method == "montecarlo" else {}
    printed = dict(convention_rows(mp.rollup(table(), method, **options), ASCII, "", "0,0,0", 1))
    assert printed["uncertainty"] == words
    assert ("its sigmas: root as one body" in printed.get("", "")) == (method == "massprops")


def test_no_sigmas_are_distinguished_from_sigmas_not_requested() -> None:
    """Without the columns the table states none; where they are there but not read, it was the caller's wish."""
    rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 1.0}]
    bare = mp.rollup(mp.Bom.from_records(rows))
    unread = mp.rollup(table(use_sigmas=False), "none")
    printed = [dict(convention_rows(one, ASCII, "", "", 1))["uncertainty"] for one in (bare, unread)]
    assert printed == ["none: the table states no sigma", "none, by option"]


def test_level_by_level_states_that_groups_are_not_read() -> None:
    rows = [{"id": "top", "parent": ""}]
    rows += [{"id": k, "parent": "top", "mass": 1.0, "sigma_mass": 0.1, "corr_group": "scale"} for k in "ab"]
    printed = dict(convention_rows(mp.rollup(mp.Bom.from_records(rows), "massprops"), ASCII, "", "", 1))
    assert printed["correlation"] == "none: the level-by-level method ignores corr_group"


@pytest.mark.parametrize("width", [80, 200])
def test_the_summary_keeps_its_width(result: mp.Result, width: int) -> None:
    about = {"about": (0.0, 0.0, 0.0), "about_words": "the point 0,0,0 of the table's frame", "shows_principal": True}
    for level in (1, 2, 3):
        lines = text_of(result, width, sigma_level=level, **about).splitlines()
        assert max(map(_display_width, lines)) <= width


def test_markdown_reports_what_the_screen_reports(result: mp.Result) -> None:
    text = markdown_report(result, [], RootView(shows_principal=True, sigma_level=2), AggregatedColumns())
    for words in (
        "| I2* |",
        "| axis 3 z |",
        "- maturity 16.7 % estimated, 16.7 % weighed, 66.7 % not stated",
        "- correlate 2σ mass: none 0.49, part 0.85, all 1.2",
        "- I2 and I3 differ by less than 3 σ",
    ):
        assert words in text
    drawn = markdown_report(
        mp.rollup(table(), "montecarlo", samples=100), [], RootView(sigma_level=2), AggregatedColumns()
    )
    assert "| result | mean | sigma (2σ) | P5 | P50 | P80 | P90 | P95 | unit |" in drawn


def test_no_sigmas_because_of_invalid_correlations_are_not_by_option(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("x,y\n1,2\n", encoding="utf-8")
    result = mp.rollup(table(), correlations=str(path), keep_going=True)
    printed = dict(convention_rows(result, ASCII, "", "", 1))["uncertainty"]
    assert printed == "none: the correlations are not valid"
    (found,) = [finding for finding in result.findings if finding.rule == "MP203"]
    assert found.remedy == "add the columns a, b, quantity, rho to this file"
