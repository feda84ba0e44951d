"""Private functions and properties of ``bom`` and ``bom.results``: worked examples."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.solid_inputs import SolidInput
from massprops_cli.bom.bom import Bom, _is_nonnegative_number, _resolve_inertia_point, _table_options_from_keywords
from massprops_cli.bom.items.solid_cells import _center_faults, _shape_faults
from massprops_cli.bom.results.probability import _parse_probability_query
from massprops_cli.bom.results.table_edit import _comma_text, _merge_edits, _result_column_index, _sigma_symbol
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import ColumnEdit, GridTable, TableSource
from massprops_cli.tables.account import column_address


def test_table_options_from_keywords() -> None:
    options = _table_options_from_keywords({"allow_missing": "mass"})
    assert sorted(options.allow_missing) == ["inertia", "mass", "sigma"]


def test_resolve_inertia_point() -> None:
    assert _resolve_inertia_point("origin") == (0.0, 0.0, 0.0)
    assert _resolve_inertia_point([1, 2, 3]) == (1.0, 2.0, 3.0)
    assert _resolve_inertia_point(None) is None


def test_is_nonnegative_number() -> None:
    assert [_is_nonnegative_number(value) for value in (2, -1.0, "2")] == [True, False, False]


def test_column_address() -> None:
    assert column_address(GridTable(TableSource("a", "json"), [["id"]]), 0, 0) == "1"


def test_parse_probability_query() -> None:
    bom = Bom.from_records([{"id": "SAT", "parent": "", "mass [kg]": 800.0}])
    query = _parse_probability_query("SAT: mass <= 850000 g", bom)
    assert repr(query.region) == "ResultRange(result=0, low=-inf, high=850.0)"


def test_totals_of_a_result() -> None:
    masses = {"battery": 3.0, "panel": 4.0, "Total": 7.0}
    rows = [{"part": name, "mass [kg]": mass} for name, mass in masses.items()]
    (total,) = rollup(Bom.from_records(rows)).totals
    assert (total.label, total.stated, total.computed, total.unit, total.agrees) == ("Total", 7.0, 7.0, "kg", True)


def test_comma_text() -> None:
    texts = [_comma_text(text) for text in ("9,5", "9,534", "1,234e-05", "7")]
    assert texts == ["9,5", "9,5340", "1,2340e-05", "7"]


def test_merge_edits() -> None:
    one = ColumnEdit(0, np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    (merged,) = _merge_edits([one], [ColumnEdit(0, np.array([2]), np.array([9.0]))])
    assert isinstance(merged.values, np.ndarray)
    assert merged.values.tolist() == [1.0, 9.0, 3.0]


def test_sigma_symbol() -> None:
    assert [_sigma_symbol(encoding) for encoding in ("utf-8", "cp1252", "")] == ["σ", " sigma", "σ"]


def test_result_column_index() -> None:
    assert _result_column_index(["id", "principal_1 [kg*mm^2]", "sigma_kx [m] (2σ)"], "sigma_kx") == 2


def test_shape_faults_example() -> None:
    ball = SolidInput("sphere", {"r": 1.0, "mass": 2.0}, {}, "z", "mass")
    assert (_shape_faults([ball], BodyArray.of([2.0], [[0.0, 0, 0]], np.eye(3) * 800))[0].power) == (-3)


def test_center_faults_example() -> None:
    ball = SolidInput("sphere", {"r": 1.0, "mass": 2.0}, {}, "z", "mass")
    assert ([fault.power for fault in _center_faults([ball], np.array([[0.0, 0.0, 500.0]]))]) == ([-3])
