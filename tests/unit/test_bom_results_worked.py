"""Worked examples of functions in the room bom/results."""

from __future__ import annotations

from massprops_cli.bom.results.probability import parse_interval_level, query_probabilities
from massprops_cli.bom.results.table_edit import result_header
from massprops_cli.bom.results.uncertainty import mass_shares_by_method, uncertainty_from_keywords


def test_query_probabilities_example() -> None:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.rollup import rollup

    rows = [{"id": "SAT", "parent": "", "mass": 800.0, "sigma_mass": 10.0}]
    options = {"allow_missing": frozenset({"center", "inertia", "sigma"})}
    [one] = query_probabilities(rollup(Bom.from_records(rows, **options)), ["mass <= 820"])
    assert (round(one.value, 6), one.how) == ((0.97725, "normal approximation"))


def test_parse_interval_level_example() -> None:
    assert (parse_interval_level("95%"), parse_interval_level("0.9"), parse_interval_level("99.7 %")) == (
        (0.95, 0.9, 0.997)
    )


def test_result_header_example() -> None:
    assert (result_header("Cx", "mm"), result_header("sigma_kx", "mm", 2)) == (("Cx [mm]", "sigma_kx [mm] (2σ)"))


def test_uncertainty_from_keywords_example() -> None:
    assert (uncertainty_from_keywords("montecarlo", {"samples": 500}).sampling.samples) == (500)


def test_mass_shares_by_method_example() -> None:
    from massprops_cli.bom.bom import Bom

    parts = [{"id": "a", "parent": "top", "mass": 1.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    assert (mass_shares_by_method(Bom.from_records([{"id": "top", "parent": ""}, *parts]))) == ({})
