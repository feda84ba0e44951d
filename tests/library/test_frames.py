"""DataFrames keep the user's own columns, and carry units both ways."""

from __future__ import annotations

import io
import math

import pandas as pd
import pytest

import massprops_cli as mp

TEXT = (
    "Item,Above,supplier,power [W],Mass [lb],Cx [in],Cy [in],Cz [in],sigma_mass [lb],method,supplier,qty\n"
    "SAT,,,,,,,,,,,\n"
    "TANK,SAT,0042,1.50,3,1,0,0,0.3,weighed,x,1\n"
    "PLD,SAT,ACME,2,5,9,0,0,0.4,,,1\n"
)


def table() -> mp.Bom:
    return mp.read_bom(io.StringIO(TEXT), map={"id": "Item", "parent": "Above"}, allow_missing="all")


@pytest.mark.parametrize("frame", [table().to_dataframe(), mp.rollup(table()).to_dataframe()], ids=["Bom", "Result"])
def test_own_columns_are_kept_as_in_the_file(frame: pd.DataFrame) -> None:
    assert frame["supplier"].fillna("").tolist() == ["", "0042", "ACME"]
    assert frame["supplier.1"].fillna("").tolist() == ["", "x", ""]
    assert frame["method"].fillna("").tolist() == ["", "weighed", ""]
    assert math.isnan(frame["power [W]"][0])
    assert frame["power [W]"].tolist()[1:] == [1.5, 2.0]


def test_numbers_that_are_labels_remain_texts() -> None:
    rows = [
        {"id": "SAT", "parent": ""},
        *({"id": text, "parent": "SAT", "mass": 1.0, "rev": text} for text in ("1.1", "1.10")),
    ]
    assert mp.Bom.from_records(rows).to_dataframe()["rev"].fillna("").tolist() == ["", "1.1", "1.10"]


def test_units_are_in_attrs() -> None:
    units = mp.rollup(table()).to_dataframe().attrs["units"]
    assert {name: units[name] for name in ("mass", "sigma_mass", "Cx", "Cz")} == {
        "mass": "lb",
        "sigma_mass": "lb",
        "Cx": "in",
        "Cz": "in",
    }
    assert "id" not in units
    plain = mp.Bom.from_records([{"id": "A", "parent": "", "mass": 1.0}]).to_dataframe()
    assert plain.attrs["units"] == {}


def test_a_frame_is_read_with_its_units() -> None:
    frame = mp.rollup(table()).to_dataframe()
    again = mp.Bom.from_dataframe(frame, allow_missing="all", assembly_values="check")
    assert (again.units.mass, again.units.length) == ("lb", "in")
    first, second = mp.rollup(table()), mp.rollup(again)
    assert second.root.mass == first.root.mass == 8.0
    for center in (first.root.center, second.root.center):
        assert center is not None
        assert center.tolist() == [6.0, 0.0, 0.0]  # (3·1 + 5·9)/8
    pd.testing.assert_frame_equal(second.to_dataframe(), frame)
    assert second.to_dataframe().attrs == frame.attrs


def test_units_of_any_frame_are_read() -> None:
    frame = pd.DataFrame({"id": ["A", "B"], "parent": [None, "A"], "Weight": [None, 2.0], "colour": ["red", "blue"]})
    frame.attrs["units"] = {"Weight": "lb", "colour": "nm"}
    assert mp.Bom.from_dataframe(frame).units.mass == "lb"
    assert "colour" in mp.Bom.from_dataframe(frame).columns.header
    assert mp.Bom.from_dataframe(frame, unit={"mass": "kg"}).units.mass == "kg"
    mapped = frame.rename(columns={"Weight": "W1"})
    assert mp.Bom.from_dataframe(mapped, map={"mass": "W1"}, unit={"mass": "g"}).units.mass == "g"
    stated = frame.rename(columns={"Weight": "Weight [kg]"})
    stated.attrs["units"] = {"Weight [kg]": "lb"}
    assert mp.Bom.from_dataframe(stated).units.mass == "kg"


def test_wrong_units_are_a_usage_error() -> None:
    frame = pd.DataFrame({"id": ["A"], "parent": [None], "mass": [1.0]})
    for units in ("kg", {"mass": 1}):
        frame.attrs["units"] = units
        with pytest.raises(mp.UsageError, match="units in attrs of the DataFrame are not texts by column"):
            mp.rollup(frame)


def test_a_made_root_has_blank_cells() -> None:
    bom = mp.Bom.from_records([{"id": "A", "mass": 1.0, "note": "n"}, {"id": "B", "mass": 2.0, "note": ""}])
    frame = bom.to_dataframe()
    assert sorted(frame["note"].fillna("").tolist()) == ["", "", "n"]
    assert len(frame) == 3


def test_a_file_with_the_name_of_the_source_is_not_recorded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("dataframe", "records"):
        (tmp_path / name).write_text("other")
    records = mp.Bom.from_records([{"id": "A", "parent": "", "mass": 1.0}], allow_missing="all")
    for bom in (records, mp.Bom.from_dataframe(records.to_dataframe(), allow_missing="all")):
        mp.rollup(bom).save("out.xlsx")
        about = (
            pd.read_excel("out.xlsx", sheet_name="About", header=None, engine="openpyxl")
            .fillna("")
            .astype(str)
            .to_numpy()
            .tolist()
        )
        assert [row[1] for row in about if "SHA" in row[0]] in ([], [""])


def test_groups_of_columns_are_added() -> None:
    """1.2 kg with an allowance of 10 %, 3 kg with 5 %: predicted 1.32 and 3.15 kg."""
    rows = [{"id": "t", "parent": ""}, {"id": "a", "parent": "t", "mass [kg]": 1.2, "mga [%]": 10}]
    result = mp.rollup(mp.Bom.from_records([*rows, {"id": "b", "parent": "t", "mass [kg]": 3.0, "mga [%]": 5}]))
    frame = result.to_dataframe(add=["growth"])
    assert frame["predicted_mass"].tolist() == pytest.approx([4.47, 1.32, 3.15])
    assert frame["allowance_percent"].tolist() == pytest.approx([100 * 0.27 / 4.2, 10, 5])
    assert frame.attrs["units"]["predicted_mass"] == "kg"
    both = result.to_dataframe(add="growth,coverage")
    assert both["coverage_leaves"].tolist() == [2, 1, 1]
    assert "predicted_mass" not in result.to_dataframe()
    with pytest.raises(mp.UsageError, match=r"invalid add: growht .expected some of radii, sigma"):
        result.to_dataframe(add=["growht"])
