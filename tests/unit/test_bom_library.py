"""The library's doors: reading, options by name, DataFrames, items by id, printed and plain forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import _table_options_from_keywords
from tests.unit.bom_tables import HEADER, bom_of, only

ROWS = ("t . . . . . . . . . . . - .", "a t 2 1 0 0 1 1 1 0.25 0 0 + no", "b t 3 0 0 0 2 2 2 0 0 0 - no")


@pytest.mark.parametrize(
    ("options", "words"),
    [({"allow_missing": "masss"}, "masss"), ({"assembly_values": "x"}, "check, own"), ({"poi": "x"}, "invalid poi: x"),
     ({"write_poi": ""}, "keep"), ({"layout": "tree"}, "dotted"), ({"colour": 1}, "unknown option: colour")],
)  # fmt: skip
def test_words_that_are_no_option_are_rejected(options: dict[str, object], words: str) -> None:
    with pytest.raises(mp.UsageError, match=words):
        _table_options_from_keywords(options)


@pytest.mark.parametrize(
    "allowed", ["all", ["all"], "mass, center,inertia,sigma", ("mass", "center", "inertia", "sigma")]
)
def test_what_may_be_missing_is_reported_in_several_ways(allowed: object) -> None:
    assert _table_options_from_keywords({"allow_missing": allowed}).allow_missing == {
        "mass",
        "center",
        "inertia",
        "sigma",
    }


def test_an_unknown_method_is_rejected() -> None:
    bom = bom_of(HEADER, *ROWS)
    with pytest.raises(mp.UsageError, match="invalid uncertainty: guess"):
        mp.rollup(bom, "guess")
    with pytest.raises(mp.UsageError, match="sigma columns"):
        mp.rollup(bom, "massprops")


def test_errors_are_raised_with_all_findings_unless_going_on() -> None:
    bom = bom_of("id parent mass", "t . .", "a t x", "b t 2", "c t y")
    with pytest.raises(mp.FindingsError) as rejected:
        mp.rollup(bom)
    assert rejected.value.findings == bom.findings
    result = mp.rollup(bom, keep_going=True)
    assert (result.root.mass, result.has_errors, bom.has_errors) == (2.0, True, True)
    assert result.rollup.coverage.known_mass.tolist() == [1, 0, 1, 0]
    assert mp.validate(bom) == list(result.findings)


def test_items_by_id() -> None:
    result = mp.rollup(bom_of(HEADER, *ROWS))
    assert (result["t"].mass, result["a"].mass, result.bom["b"].mass) == (5.0, 2.0, 3.0)
    twice = bom_of("id parent mass", "t . .", "a t 1", "a t 2")
    assert mp.rollup(twice, keep_going=True)["a"].mass == 1.0
    with pytest.raises(mp.UsageError, match=r"id is not in the table: tt .nearest: t"):
        result["tt"]


def test_a_bom_gives_rows_as_written_and_a_result_gives_totals() -> None:
    rows = (ROWS[0].replace("t . . ", "t . 5.1 "), *ROWS[1:])
    bom = bom_of(HEADER, *rows)
    assert (bom["t"].mass, bom["t"].center, bom["t"].inertia) == (5.1, None, None)
    frame = bom.to_dataframe().set_index("id")
    assert frame.loc["t", "mass"] == 5.1
    assert frame.loc[["t"], ["Cx", "Ixx"]].isna().all(axis=None)
    assert frame.loc["a", "Ixy"] == -0.25
    totals = mp.rollup(bom).to_dataframe().set_index("id")
    assert totals.loc["t", "mass"] == 5.0
    assert totals.loc["t", "kx"] == pytest.approx((3 / 5) ** 0.5)
    assert pd.isna(totals.loc["t", "parent"])


def test_an_assembly_that_is_blank_has_no_mass_as_written() -> None:
    assert np.isnan(bom_of(HEADER, *ROWS)["t"].mass)


def test_a_frame_may_hold_what_pandas_makes_of_a_csv() -> None:
    """Missing parents as NaN, ids as numbers, truth values, nullable and categorical columns, a named index."""
    frame = pd.DataFrame(
        {
            "parent": [np.nan, 1.0, 1.0],
            "mass": pd.array([None, 2, 3], dtype="Int64"),
            "Ipoint": [None, True, np.False_],
            "supplier": pd.Categorical(["x", None, "y"]),
        },
        index=pd.Index([1, 2, 3], name="id"),
    )
    bom = mp.Bom.from_dataframe(frame)
    assert (list(bom.ids), bom.tree.parent.tolist(), bom.findings) == (["1", "2", "3"], [-1, 0, 0], ())
    assert mp.rollup(bom).root.mass == 5
    assert bom.bodies.is_point.tolist() == [False, True, False]


def test_a_frame_of_another_frame_is_the_same() -> None:
    result = mp.rollup(bom_of(HEADER, *ROWS))
    again = mp.rollup(mp.Bom.from_dataframe(result.to_dataframe()))
    assert not again.has_errors
    assert again.to_dict()["items"] == result.to_dict()["items"]


def test_only_a_frame_is_a_frame() -> None:
    with pytest.raises(mp.UsageError, match="not a pandas DataFrame: list"):
        mp.Bom.from_dataframe([1])


def test_what_is_shown_in_a_notebook_is_a_line() -> None:
    bom = bom_of(HEADER, *ROWS)
    assert repr(bom).endswith(f"{len(bom)} items under t, layout parent; no findings>")
    assert repr(mp.whatif(bom, set={"a.mass": 4.0})).endswith("mass of t 5.0 → 7.0>")


def test_a_frame_with_infinite_numbers_has_a_finding() -> None:
    frame = pd.DataFrame({"id": ["t", "a"], "parent": [None, "t"], "mass": [None, np.inf]})
    assert only(mp.Bom.from_dataframe(frame).findings, "MP407").value == "inf"


def test_a_frame_without_rows_is_not_a_table() -> None:
    with pytest.raises(mp.TableError):
        mp.Bom.from_dataframe(pd.DataFrame({"id": [], "parent": [], "mass": []}))


def test_the_dictionary_is_plain_json_and_never_nan() -> None:
    bom = bom_of(HEADER, *ROWS, "c t 1 . . . 4 4 4 0 0 0 - no", allow_missing="all")
    printed = mp.rollup(bom).to_dict()
    assert json.loads(json.dumps(printed, allow_nan=False)) == printed
    items = {item["id"]: item for item in printed["items"]}
    assert (items["c"]["center"], items["c"]["radii"]) == (None, [2, 2, 2])
    assert items["t"]["coverage"]["center"] == 2
    assert (items["t"]["mass"], items["t"]["parent"], items["a"]["level"]) == (6.0, None, 1)
    assert items["a"]["inertia"]["Ixy"] == -0.25
    assert (printed["summary"]["items"], printed["summary"]["leaves"], printed["summary"]["warnings"]) == (4, 3, 1)


def test_reading_takes_options_of_file_and_table(tmp_path: Path) -> None:
    path = tmp_path / "bom.txt"
    path.write_text("Nr;within;mass\nt;;\na;t;2\n", encoding="utf-16")
    bom = mp.read_bom(path, format="csv", delimiter=";", encoding="utf-16", map={"id": "Nr", "parent": "within"})
    assert mp.rollup(bom).root.mass == 2
    assert repr(mp.rollup(bom)).startswith("t: rigid body\n  mass     2")


def test_a_root_is_made_or_chosen() -> None:
    rows = ("a . 1", "b . 4", "c b 4")
    assert only(bom_of("id parent mass", *rows).findings, "MP308").count == 2
    made = mp.rollup(bom_of("id parent mass", *rows, make_root="a"))
    assert (made.bom.ids[-1], made.root.mass) == ("a 2", 5.0)
    assert made.filling().fills[0].rows.tolist() == [2]
    chosen = mp.rollup(bom_of("id parent mass", *rows, root="b"))
    assert (list(chosen.bom.ids), chosen.root.mass) == (["b", "c"], 4.0)
    assert only(chosen.findings, "MP320").count == 1


def test_chain_at_the_depth_cap_and_beyond() -> None:
    n = 10_001
    names = [f"p{k}" for k in range(n)]
    frame = pd.DataFrame({"id": names, "parent": [None, *names[:-1]], "mass": [None] * (n - 1) + [2.5]})
    result = mp.rollup(mp.Bom.from_dataframe(frame))
    assert (result.root.mass, len(result.findings)) == (2.5, 0)
    assert result.to_dict()["items"][-1]["level"] == n - 1
    deeper = pd.concat([frame, pd.DataFrame({"id": ["end"], "parent": [names[-1]], "mass": [1.0]})])
    with pytest.raises(mp.TableError) as rejected:
        mp.Bom.from_dataframe(deeper)
    (finding,) = rejected.value.findings
    assert finding.rule == "MP114"
    assert finding.message == "tree exceeds the maximum depth: 10,001 levels (at most 10,000)"
    assert finding.remedy.endswith("raise the limit with --config cap=depth=10001")
