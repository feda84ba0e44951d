"""Tables and results are mappings from ids to bodies, in the manner of a dictionary."""

from __future__ import annotations

import math

import pytest

import massprops_cli as mp

BOM = mp.Bom.from_records(
    [
        {"id": "SAT", "parent": ""},
        {"id": "BUS", "parent": "SAT", "mass [kg]": 2.9},
        {"id": "TANK", "parent": "BUS", "mass [kg]": 3.0},
        {"id": "PLD", "parent": "SAT", "mass [kg]": 5.0},
    ],
    assembly_values="ignore",
)
IDS = ["SAT", "BUS", "TANK", "PLD"]
TOTALS = [8.0, 3.0, 3.0, 5.0]


@pytest.mark.parametrize("items", [BOM, mp.rollup(BOM)], ids=["Bom", "Result"])
def test_iteration_gives_ids_in_file_order(items: mp.Bom | mp.Result) -> None:
    assert list(items) == list(items.keys()) == list(items.ids) == [name for name, _ in items.items()] == IDS
    assert len(items) == 4
    assert [body.name for body in items.values()] == IDS
    assert ("TANK" in items, "tank" in items, 0 in items, None in items) == (True, False, False, False)
    assert (items.get("tank"), items.get("tank", 0.0)) == (None, 0.0)
    assert set(dict(items)) == set(IDS)


def test_a_result_gives_computed_items() -> None:
    result = mp.rollup(BOM)
    assert [body.mass for body in result.values()] == TOTALS
    assert {name: body.mass for name, body in dict(result).items()} == dict(zip(IDS, TOTALS, strict=True))
    found = result.get("BUS")
    assert found is not None
    assert found.mass == 3.0


def test_a_table_gives_items_as_their_rows_state_them() -> None:
    masses = [body.mass for body in BOM.values()]
    assert math.isnan(masses[0])
    assert masses[1:] == [2.9, 3.0, 5.0]


def test_a_duplicate_id_is_that_of_its_first_row() -> None:
    rows = [{"id": "SAT", "parent": ""}, *({"id": "A", "parent": "SAT", "mass": mass} for mass in (1.0, 2.0))]
    twice = mp.Bom.from_records(rows)
    assert list(twice) == ["SAT", "A", "A"]
    assert [body.mass for body in twice.values()][1:] == [1.0, 2.0]
    assert twice["A"].mass == 1.0


def test_an_unknown_id_is_a_key_error_and_a_usage_error() -> None:
    for items in (BOM, mp.rollup(BOM)):
        with pytest.raises(KeyError, match="id is not in the table: TANC"):
            items["TANC"]
        with pytest.raises(mp.UsageError) as raised:
            items["TANC"]
        assert isinstance(raised.value, mp.UnknownId)
        assert str(raised.value) == "id is not in the table: TANC (nearest: TANK)"


def test_an_item_by_number_is_not_an_id() -> None:
    with pytest.raises(mp.UsageError, match=r"item is not a number: 'BUS' .expected result\['BUS'\]"):
        mp.rollup(BOM).body("BUS")  # type: ignore[arg-type] # wrong on purpose
