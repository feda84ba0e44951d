"""What ordinary sheets of many trades were boiled down to, each with what it must give; totals added by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


def report_of(massprops: Any, tmp_path: Path, name: str, *options: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Roll a table up; gives the exit code, the report and the root's numbers."""
    result = massprops("rollup", FOLDER / name, *options, "-o", tmp_path / "out.csv", "--format", "json")
    report = json.loads(result.stdout)
    return result.exit_code, report, next(item for item in report["items"] if item["parent"] is None)


@pytest.mark.parametrize(
    ("name", "options", "mass", "predicted"),
    [
        ("r01_chain.csv", ["--assembly-values", "own"], 9.1, None),
        ("r01b_chain_massless_end.csv", ["--assembly-values", "own"], 9.0, None),
        ("r02_margin.csv", [], 175, None),
        ("r03_two_masses.csv", [], 2665, None),
        ("r04_slip.csv", [], 389.75, None),
        ("r06_wbs_total.csv", [], 32, 34.8),
        ("r07_weight_report.csv", [], 60, 63.5),
        ("r08_erp.csv", ["--assembly-values", "check"], 220, None),
        ("r09_wb.md", ["--allow-negative-mass"], 1310, None),
        ("r10_group_statement.csv", [], 450, None),
        ("r11_products.csv", [], 170, None),
        ("r12_limit.csv", [], 460, None),
        ("r13_summe.csv", [], 73, None),
        ("r14_codes_and_names.csv", [], 120, None),
        ("r15_roots.csv", [], 10, None),
        ("r16_terse.csv", [], 1560, None),
        ("r17_francais.csv", [], 580.9, None),
        ("r18_doubtful_subtotal.csv", [], 2370, None),
    ],
)
def test_right_at_the_first_run(
    name: str, options: list[str], mass: float, predicted: float | None, massprops: Any, tmp_path: Path
) -> None:
    code, report, root = report_of(massprops, tmp_path, name, *options)
    assert code == 0, report["findings"]
    assert root["mass"] == pytest.approx(mass, rel=1e-12)
    assert all(one["agrees"] for one in report.get("reconciliation", ()) if one["kind"] in ("total", "subtotal"))
    if predicted is not None:
        assert root["predicted_mass"] == pytest.approx(predicted, rel=1e-12)


@pytest.mark.parametrize("name", ["r01_chain.csv", "r01b_chain_massless_end.csv"])
def test_bodies_on_inner_rows_are_ambiguous(name: str, massprops: Any, tmp_path: Path) -> None:
    code, report, _ = report_of(massprops, tmp_path, name)
    assert code == 1
    (finding,) = [one for one in report["findings"] if one["rule"] == "MP420"]
    assert "--assembly-values own" in finding["remedy"]
    assert not (tmp_path / "out.csv").exists()


def test_a_slip_of_a_factor_is_a_warning(massprops: Any, tmp_path: Path) -> None:
    _, report, _ = report_of(massprops, tmp_path, "r04_slip.csv")
    warned = [one for one in report["findings"] if one["rule"] in ("MP421", "MP422")]
    assert any("Bracket right" in one["message"] for one in warned)


def test_a_mass_to_be_determined_leaves_a_lower_bound(massprops: Any, tmp_path: Path) -> None:
    code, _, root = report_of(massprops, tmp_path, "r05_cbe.csv")
    assert code == 1
    assert root["mass"] == 8.5
    code, _, root = report_of(massprops, tmp_path, "r05_cbe.csv", "--allow-missing", "mass")
    assert (code, root["mass"]) == (0, 8.5)
    assert root["predicted_mass"] == pytest.approx(9.225, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "center"),
    [
        # (100·0 + 50·1 + 20·2) / 170, (100·1 + 50·1 + 20·2) / 170
        ("r11_products.csv", (90 / 170, 0, 190 / 170)),
        # (80·20 + 20·22 + 15·14 + 5·11) / 120, (80·2 + 20·3 + 15·2 + 5·1) / 120
        ("r14_codes_and_names.csv", (2305 / 120, 0, 255 / 120)),
    ],
)
def test_centres(name: str, center: tuple[float, float, float], massprops: Any, tmp_path: Path) -> None:
    _, _, root = report_of(massprops, tmp_path, name)
    assert root["center"] == pytest.approx(center, rel=1e-12, abs=1e-12)
