"""A sigma is the same number however it is stated, and no cell under such a column is a fault of the tool."""

from __future__ import annotations

from contextlib import suppress
from math import sqrt

import pytest
from hypothesis import given, strategies as st

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import FindingsError

sizes = st.floats(1e-6, 1e6)
CELLS = st.sampled_from(
    [
        "",
        " ",
        "0",
        "1",
        "-1",
        "5%",
        "5 %",
        "%",
        "-5%",
        "1e400%",
        "2σ",
        "normal",
        "uniform",
        "E",
        "est",
        "weighed",
        "x",
        "g",
    ]
)
COLUMNS = (
    "sigma_mass", "sigma_mass [%]", "2σ mass", "U(mass)", "sigma_Cx", "mass_min", "mass_likely", "mass_max", "Cx_min",
    "Cx_max", "dist", "method", "corr_group", "part", "qty", "Cx",
)  # fmt: skip


@given(mass=sizes, share=st.floats(1e-6, 10), negative=st.booleans())
def test_every_statement_gives_the_same_sigma(mass: float, share: float, negative: bool) -> None:
    value, sigma = (-mass if negative else mass), mass * share
    half = sqrt(3) * sigma
    forms: list[dict[str, object]] = [
        {"sigma_mass": sigma},
        {"sigma_mass": f"{100 * share!r} %"},
        {"sigma_mass [%]": 100 * share},
        {"2σ mass": 2 * sigma},
        {"sigma_mass [%, k=3]": 300 * share},
        {"mass_min": value - half, "mass_max": value + half},
        {"mass_min": value - sqrt(2) * half, "mass_likely": value, "mass_max": value + sqrt(2) * half},
        {"method": "quoted"},
    ]
    for form in forms:
        rows = [{"id": "T", "parent": ""}, {"id": "A", "parent": "T", "mass": value, **form}]
        bom = Bom.from_records(rows, allow_negative_mass=True, sigma_percent={"quoted": 100 * share})
        assert not bom.has_errors
        assert bom.sigmas is not None
        assert bom.sigmas.mass[1] == pytest.approx(sigma, rel=1e-9)


@given(
    names=st.lists(st.sampled_from(COLUMNS), unique=True, max_size=6),
    cells=st.lists(st.lists(CELLS, min_size=6, max_size=6), min_size=2, max_size=4),
    options=st.fixed_dictionaries({"use_sigmas": st.booleans(), "assembly_values": st.sampled_from(["check", "own"])}),
)
def test_any_cells_are_read_or_reported(names: list[str], cells: list[list[str]], options: dict[str, object]) -> None:
    rows = [
        {"id": f"i{k}", "parent": "i0" if k else "", "mass": "2", **dict(zip(names, row, strict=False))}
        for k, row in enumerate(cells)
    ]
    bom = Bom.from_records(rows, **options)
    assert bom.sigmas is None or (bom.sigmas.mass[bom.tree.is_leaf()] >= 0).all() or bom.has_errors
    for correlate in ("none", "part", "all"):
        with suppress(FindingsError):
            rollup(bom, correlate=correlate)
