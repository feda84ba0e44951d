"""Conditions on columns, and the rows of a tree that they keep."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import TableError, UsageError
from massprops_cli.tables.rows.row_filter import read_row_condition

SHIP = [
    {"id": "Ship", "parent": "", "group": "", "mass": ""},
    {"id": "Engine room", "parent": "Ship", "group": "Propulsion", "mass": ""},
    {"id": "Engine", "parent": "Engine room", "group": "Propulsion", "mass": "4000"},
    {"id": "Pump", "parent": "Engine room", "group": "Water, fuel", "mass": "120"},
    {"id": "Deck", "parent": "Ship", "group": "", "mass": ""},
    {"id": "Winch", "parent": "Deck", "group": "Mooring", "mass": "300.0"},
    {"id": "Rail", "parent": "Deck", "group": "", "mass": "55"},
]


def mass_of(*conditions: str, records: list[dict[str, str]] = SHIP, **options: object) -> float:
    return float(mp.rollup(Bom.from_records(records, where=conditions, **options)).rollup.bodies.mass[0])


@pytest.mark.parametrize(
    ("text", "column", "sign", "values"),
    [
        ("subsystem = Power", "subsystem", "=", ("Power",)),
        ("subsystem=Power", "subsystem", "=", ("Power",)),
        ("mass <= 2.5", "mass", "<=", ("2.5",)),
        ("mass >= 1e3", "mass", ">=", ("1e3",)),
        ("Part No. != A-1", "Part No.", "!=", ("A-1",)),
        ("maker in (ACME, 'B, C')", "maker", "in", ("ACME", "B, C")),
        ("maker IN(ACME)", "maker", "in", ("ACME",)),
        ('"Mass > 1 kg" = yes', "Mass > 1 kg", "=", ("yes",)),
        ("note = 'a = b'", "note", "=", ("a = b",)),
        ("note = a = b", "note", "=", ("a = b",)),
        ("Link in use = yes", "Link in use", "=", ("yes",)),
        ("note =", "note", "=", ("",)),
    ],
)
def test_condition_is_read(text: str, column: str, sign: str, values: tuple[str, ...]) -> None:
    condition = read_row_condition(text)
    assert (condition.column, condition.sign, condition.values) == (column, sign, values)


@pytest.mark.parametrize("text", ["", "subsystem", "= Power", "mass > heavy", "mass >", "a in (b", "note ~", "a in b"])
def test_no_condition_is_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="--where"):
        read_row_condition(text)


@pytest.mark.parametrize(
    ("condition", "total"),
    [
        ("group = Propulsion", 4000),
        ("group != Propulsion", 120 + 300 + 55),
        ("group in (Propulsion, Mooring)", 4300),
        ("group in ('Water, fuel', Mooring)", 420),
        ("group ~ FUEL", 120),
        ("group =", 55),
        ("mass > 120", 4300),
        ("mass >= 120", 4420),
        ("mass < 120", 55),
        ("mass <= 120", 175),
        ("mass = 300", 300),  # written 300.0: numbers are compared as numbers
        ("mass in (55, 120.0)", 175),
        ("id = Pump", 120),
        ("GROUP = Mooring", 300),
    ],
)
def test_leaves_that_match_are_added_up(condition: str, total: float) -> None:
    assert mass_of(condition) == total


def test_every_condition_must_hold() -> None:
    assert mass_of("mass > 100", "group != Propulsion") == 420


def test_assemblies_of_kept_rows_keep_their_place_and_the_others_go() -> None:
    bom = Bom.from_records(SHIP, where="id = Winch")
    assert list(bom.ids) == ["Ship", "Deck", "Winch"]
    (reported,) = [finding for finding in bom.findings if finding.rule == "MP320"]
    assert reported.message == "--where selects 1 row and 2 assemblies above; 4 rows are excluded"


def test_where_every_row_matches_nothing_is_reported() -> None:
    assert not [f for f in Bom.from_records(SHIP, where="mass > 0").findings if f.rule == "MP320"]


def test_texts_are_compared_as_texts() -> None:
    records = [{"id": "t", "parent": "", "zone": ""}, {"id": "a", "parent": "t", "zone": "01", "mass": "2"}]
    assert mass_of("zone = 01", records=records) == 2
    with pytest.raises(UsageError, match="no leaf matches"):
        mass_of("zone = 1", records=records)


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("grup = Mooring", "the nearest is group"),
        ("group = Moring", "the nearest is Mooring"),
        ("id = Deck", "--root Deck"),
        ("mass > 9000", "no leaf matches"),
        ("group = Gold", "group contains Propulsion, Water, fuel, Mooring"),
    ],
)
def test_what_would_leave_nothing_is_rejected(condition: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        mass_of(condition)


def test_conditions_that_no_row_meets_together_are_rejected() -> None:
    with pytest.raises(UsageError, match="meets every --where"):
        mass_of("group = Mooring", "mass > 1000")


def test_rows_outside_the_root_requested_stay_outside() -> None:
    assert mass_of("mass > 100", root="Deck") == 300
    with pytest.raises(UsageError, match="no row below --root Deck matches --where: id = Pump"):
        mass_of("id = Pump", root="Deck")


def test_blank_below_an_assembly_that_would_decide_otherwise_is_rejected() -> None:
    records = [*SHIP, {"id": "Hose", "parent": "Engine room", "group": "", "mass": "1"}]
    for condition in ("group = Propulsion", "group != Propulsion", "group ~ prop"):
        (reported,) = [f for f in Bom.from_records(records, where=condition).findings if f.rule == "MP330"]
        assert reported.item == "Hose"
        assert "that of its assembly Engine room is Propulsion" in reported.message
    # by neither reading is a hose moored; and a condition on blanks states what they are
    assert mass_of("group = Mooring", records=records) == 300
    assert mass_of("group =", records=records) == 56


def test_word_far_above_is_seen_past_blank_assemblies() -> None:
    records = [
        {"id": "t", "parent": "", "zone": "aft"},
        {"id": "u", "parent": "t", "zone": ""},
        {"id": "v", "parent": "u", "zone": "", "mass": "1"},
        {"id": "w", "parent": "u", "zone": "aft", "mass": "2"},
    ]
    (reported,) = [f for f in Bom.from_records(records, where="zone = aft").findings if f.rule == "MP330"]
    assert (reported.item, reported.place.row) == ("v", 4)


def test_stated_values_are_of_the_whole_and_are_not_compared() -> None:
    records = [{**row, "mass": "475"} if row["id"] == "Deck" else row for row in SHIP]
    bom = Bom.from_records(records, where="id = Winch")
    assert [f.rule for f in mp.rollup(bom).findings if f.rule not in ("MP320", "MP222", "MP423")] == []
    with pytest.raises(UsageError, match="--config assembly-values=stated"):
        mass_of("id = Winch", records=records, assembly_values="stated")


def test_weighed_assembly_that_is_kept_in_part_is_rejected() -> None:
    records = [{**row, "weighed": ""} for row in SHIP]
    records[4] = {**records[4], "weighed": "true", "mass": "360"}
    assert mass_of("mass < 400", records=records) == 360 + 120
    (reported,) = [f for f in Bom.from_records(records, where="id = Winch").findings if f.rule == "MP330"]
    assert reported.item == "Deck"


def test_cell_that_is_not_a_number_is_reported_where_numbers_are_compared() -> None:
    records = [{**row, "cost": {"Pump": "9", "Winch": "dear"}.get(row["id"], "")} for row in SHIP]
    (reported,) = [f for f in Bom.from_records(records, where="cost > 5").findings if f.rule == "MP205"]
    assert (reported.value, reported.place.row) == ("dear", 7)


def test_layouts_are_filtered_alike() -> None:
    levels = [
        {"level": "0", "id": "t", "kind": "", "mass": ""},
        {"level": "1", "id": "a", "kind": "", "mass": ""},
        {"level": "2", "id": "b", "kind": "x", "mass": "3"},
        {"level": "2", "id": "c", "kind": "y", "mass": "4"},
    ]
    assert mass_of("kind = y", records=levels) == 4
    uses = [
        {"parent": "", "child": "t", "kind": "", "mass": ""},
        {"parent": "t", "child": "a", "kind": "", "mass": ""},
        {"parent": "a", "child": "b", "kind": "x", "mass": "3"},
        {"parent": "t", "child": "b", "kind": "x", "mass": "3"},
        {"parent": "t", "child": "c", "kind": "y", "mass": "4"},
    ]
    assert mass_of("kind = x", records=uses) == 6


def test_loop_of_parents_stays_an_error() -> None:
    records = [*SHIP, {"id": "x", "parent": "y", "mass": "1"}, {"id": "y", "parent": "x", "mass": "1"}]
    try:
        bom = Bom.from_records(records, where="group = Mooring")
    except TableError as error:
        pytest.fail(str(error))
    assert float(mp.rollup(bom, keep_going=True).rollup.bodies.mass[0]) == 300


FLEET = [
    {"id": "Ship", "parent": "", "qty": "", "Weight": "", "Unit": "", "Maker": "", "maker ": ""},
    {"id": "Pump", "parent": "Ship", "qty": "2", "Weight": "870", "Unit": "g", "Maker": "ACME", "maker ": "Bell"},
    {"id": "Engine", "parent": "Ship", "qty": "1", "Weight": "3", "Unit": "kg", "Maker": "Bell", "maker ": "Bell"},
]


@pytest.mark.parametrize(
    ("condition", "grams"),
    [("Weight > 2000", 3000.0), ("mass > 2000", 3000.0), ("mass < 2000", 2 * 870.0), ("qty = 2.0", 2 * 870.0)],
)
def test_numbers_are_compared_in_one_unit_under_the_header_or_the_quantity(condition: str, grams: float) -> None:
    assert mass_of(condition, records=FLEET) == pytest.approx(grams)


def test_a_header_in_two_spellings_is_found_by_its_own_only() -> None:
    assert mass_of("Maker = Bell", records=FLEET) == pytest.approx(3000)
    with pytest.raises(UsageError, match="2 columns have the name MAKER; name one by place: col:"):
        mass_of("MAKER = Bell", records=FLEET)


def test_cells_that_are_no_number_are_counted_with_the_place_of_the_first() -> None:
    records = [dict(row, note=note) for row, note in zip(SHIP, ["", "", "7", "high", "", "low", "2"], strict=True)]
    bom = Bom.from_records(records, where=["note > 3"])
    (finding,) = [finding for finding in bom.findings if finding.rule == "MP205"]
    assert finding.message == "--where note > 3 compares numbers, and the cell is not a number: high"
    assert (finding.count, finding.place.row) == (2, 5)


def test_several_blanks_that_would_be_decided_otherwise_are_counted() -> None:
    records = [dict(row) for row in SHIP]
    records[4]["group"] = "Mooring"
    records[5]["group"] = ""
    (finding,) = [
        finding for finding in Bom.from_records(records, where=["group != Mooring"]).findings if finding.rule == "MP330"
    ]
    assert finding.message.startswith("group of Winch is blank, and that of its assembly Deck is Mooring: ")
    assert finding.message.endswith("; the same in 1 more")
    assert finding.count == 2


def test_names_and_part_numbers_stay_with_their_items() -> None:
    records = [dict(row, name=f"the {row['id']}", part=f"P-{row['id']}") for row in SHIP]
    bom = Bom.from_records(records, where=["group = Mooring"])
    assert dict(zip(bom.ids, bom.names or (), strict=True)) == {
        name: f"the {name}" for name in ("Ship", "Deck", "Winch")
    }
    assert mp.rollup(bom).root.mass == 300


def test_an_ambiguous_row_is_excluded_by_another_condition() -> None:
    """Battery 7.5 without the blank cable of 0.5; a row that another condition excludes is not in question."""
    rows = [
        {"id": "Craft", "parent": "", "system": "", "mass": ""},
        {"id": "Supply", "parent": "Craft", "system": "Power", "mass": ""},
        {"id": "Battery", "parent": "Supply", "system": "Power", "mass": "7.5"},
        {"id": "Cable run", "parent": "Supply", "system": "", "mass": "0.5"},
    ]
    assert [f.rule for f in Bom.from_records(rows, where="system = Power").findings if f.rule == "MP330"]
    bom = Bom.from_records(rows, where=["system = Power", "id != Cable run"])
    assert [f.rule for f in bom.findings if f.rule == "MP330"] == []
    assert mp.rollup(bom).root.mass == 7.5


def test_hint_of_an_assembly_weighed_as_a_unit_sums_its_parts() -> None:
    records = [{**row, "weighed": ""} for row in SHIP]
    records[4] = {**records[4], "weighed": "true", "mass": "360"}
    (reported,) = [f for f in Bom.from_records(records, where="id = Winch").findings if f.rule == "MP330"]
    assert "pass --ignore-column weighed" in reported.remedy
    bom = Bom.from_records(records, where="id = Winch", ignore_columns=["weighed"])
    assert [f.rule for f in bom.findings if f.rule == "MP330"] == []
