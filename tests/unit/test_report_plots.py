"""Pictures: what they show, that they are the same every time, and what cannot be drawn."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.contributions import contributions, mass_pareto
from massprops_cli.findings.finding import OutputError, UsageError
from massprops_cli.reports import plots as canvas
from massprops_cli.reports.plots import histogram_plot, pareto_plot
from tests.examples import first

pytest.importorskip("matplotlib", reason="pictures need Matplotlib, the extra plot")


def part(name: str, parent: str, x: float, mass: float, sigma: float) -> dict[str, Any]:
    return {
        "id": name,
        "parent": parent,
        "mass": mass,
        **dict.fromkeys(("Cy", "Cz", "Ixy", "Ixz", "Iyz"), 0.0),
        "Cx": x,
        **dict.fromkeys(("Ixx", "Iyy", "Izz"), mass),
        "sigma_mass": sigma,
        **{f"sigma_{name}": 0.01 for name in ("Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")},
        "POIconv": "-",
    }


ROWS = [
    {"id": "top", "parent": ""},
    {"id": "wing", "parent": "top"},
    part("rib", "wing", 1.0, 2.0, 0.2),
    part("spar", "wing", 3.0, 4.0, 0.1),
    part("tail", "top", -9.0, 3.0, 0.3),
]


@pytest.fixture(scope="module")
def bom() -> Bom:
    return Bom.from_records(ROWS)


@pytest.fixture(scope="module")
def sampled(bom: Bom) -> Any:
    return mp.rollup(bom, "montecarlo", samples=400, items=["wing"])


def texts_of(draw: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Draw with texts kept as texts."""
    monkeypatch.setitem(canvas._PLOT_STYLE, "svg.fonttype", "none")
    draw(str(path))
    return path.read_text(encoding="utf-8")


def test_a_budget_names_rows_shares_and_sources(bom: Bom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = contributions(bom, "Izz")
    page = texts_of(lambda path: pareto_plot(answer, path, 2), tmp_path / "shares.svg", monkeypatch)
    first, second = answer.rows(2)
    for text in ("Contributors to Izz uncertainty, top", first.name, second.name, "1 more", "mass", "CG"):
        assert f">{text}<" in page
    assert f">{100 * first.share:.1f} %<" in page
    assert f">{100 * second.cumulative:.1f} %<" in page


def test_masses_are_drawn_too(bom: Bom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = texts_of(lambda path: pareto_plot(mass_pareto(bom), path), tmp_path / "mass.svg", monkeypatch)
    assert ">Contributors to mass, top<" in page
    assert ">44.4 %<" in page  # 4 of 9


def test_nothing_uncertain_is_not_drawn(tmp_path: Path) -> None:
    certain = [{**row, **{key: 0.0 for key in row if key.startswith("sigma")}} for row in ROWS]
    with pytest.raises(UsageError, match="nothing to draw"):
        pareto_plot(contributions(Bom.from_records(certain)), str(tmp_path / "none.png"))


def test_any_name_can_be_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [{"id": name, "parent": "top", "mass": 1.0, "sigma_mass": 0.1} for name in ("a$_b$^c", "翼", "x" * 60)]
    answer = contributions(Bom.from_records([{"id": "top", "parent": ""}, *leaves]))
    page = texts_of(lambda path: pareto_plot(answer, path), tmp_path / "a.svg", monkeypatch)
    assert ">a$_b$^c<" in page
    assert ">翼<" in page
    assert "x" * 30 not in page
    pareto_plot(answer, str(tmp_path / "a.png"))


@pytest.mark.parametrize("suffix", first(["svg", "png", "pdf"], 1))
def test_the_same_numbers_make_the_same_bytes(bom: Bom, sampled: Any, tmp_path: Path, suffix: str) -> None:
    pictures = []
    for k in range(2):
        paths = [str(tmp_path / f"{name}{k}.{suffix}") for name in ("shares", "samples")]
        pareto_plot(contributions(bom, "Iyy"), paths[0])
        histogram_plot(sampled, paths[1])
        pictures.append([Path(path).read_bytes() for path in paths])
    assert pictures[0] == pictures[1]


def test_samples_are_marked_at_percentiles(sampled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = texts_of(lambda path: histogram_plot(sampled, path, of=["mass"]), tmp_path / "mass.svg", monkeypatch)
    titles = ("Mass property distributions, top", "Monte Carlo, 400 samples; marks: percentiles")
    for text in (*titles, "P5", "P50", "P80", "P90", "P95"):
        assert f">{text}<" in page
    assert ">9.00 ± 0.37<" in page  # sqrt(0.2² + 0.1² + 0.3²)
    page = texts_of(lambda path: histogram_plot(sampled, path, "wing"), tmp_path / "all.svg", monkeypatch)
    assert all(f">{name}<" in page for name in ("mass", "Cx", "Ixx", "Iyz", "kz"))


def test_what_was_not_sampled_is_not_drawn(bom: Bom, sampled: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "a.svg")
    with pytest.raises(UsageError, match="no samples"):
        histogram_plot(mp.rollup(bom), path)
    with pytest.raises(UsageError, match="samples of rib"):
        histogram_plot(sampled, path, "rib")
    with pytest.raises(UsageError, match="id is not in the table: nose"):
        histogram_plot(sampled, path, "nose")
    assert not Path(path).exists()


def test_without_matplotlib_the_extra_is_named(bom: Bom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"massprops\[plot\]"):
        pareto_plot(contributions(bom), str(tmp_path / "a.svg"))


def test_where_a_picture_cannot_go(bom: Bom, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the suffix is one of"):
        pareto_plot(contributions(bom), str(tmp_path / "a.gif"))
    with pytest.raises(OutputError):
        pareto_plot(contributions(bom), str(tmp_path / "nowhere" / "a.svg"))
