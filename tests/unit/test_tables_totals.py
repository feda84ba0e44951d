"""Rows that are totals, margins and limits: by their label and their place, never by an item's name alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import TableError
from massprops_cli.tables.cells.cell_words import _labels, doubtful_label_kind, label_kind
from massprops_cli.tables.rows import row_roles, total_rows
from tests.examples import first
from tests.unit.bom_tables import only

BUS = [{"id": "SAT", "parent": ""}, {"id": "a", "parent": "SAT", "mass": 2}, {"id": "b", "parent": "SAT", "mass": 3.5}]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("TOTAL", "total"),
        (" Grand total: ", "total"),
        ("Total Mass [kg]", "total"),
        ("Gesamtgewicht", "total"),
        ("Gesamtmasse [kg]", "total"),
        ("Gewicht gesamt", "total"),
        ("Poids total", "total"),
        ("Masse totale :", "total"),
        ("Masa całkowita", "total"),
        ("Общая масса", "total"),
        ("总重量（kg）", "total"),
        ("質量合計", "total"),
        ("총중량", "total"),
        ("Gesamtsteuergerät", ""),
        ("Dry mass", ""),
        ("Gesamt Gewicht", "total"),
        ("Total général", "total"),
        ("合計", "total"),
        ("Итого:", "total"),
        ("Sub-Total", "subtotal"),
        ("Zwischensumme", "subtotal"),
        ("Margin (20%)", "margin"),
        ("System margin", "margin"),
        ("Total with margin", "total"),
        ("Limit", "limit"),
        ("Not-to-exceed", "limit"),
        ("Total station", ""),
        ("Limit switch", ""),
        ("Reserve parachute", ""),
        ("Summer kit", ""),
        ("", ""),
    ],
)
def test_labels(text: str, kind: str) -> None:
    assert label_kind(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Harness total", "total"), ("Subtotal Harness", "subtotal"), ("Total: Harness", "total"), ("Total station", "")],
)
def test_a_label_that_is_alone_may_name_what_it_sums(text: str, kind: str) -> None:
    assert label_kind(text, alone=True) == kind


def test_every_label_is_known_as_its_kind() -> None:
    for kind, words in _labels("label"):
        assert label_kind(" ".join(words)) == kind


@pytest.mark.parametrize("column", ["id", "name", "mass", "note"])
def test_the_label_may_be_in_any_column(column: str) -> None:
    rows = [{"id": "", "parent": "", "name": "", "mass": "", "note": "", **row} for row in [*BUS, {column: "TOTAL"}]]
    bom = Bom.from_records(rows)
    assert [(total.row, total.kind, total.label) for total in bom.totals] == [(4, "total", "TOTAL")]
    assert rollup(bom).root.mass == 5.5


def test_a_row_with_a_place_in_the_tree_is_an_item() -> None:
    bom = Bom.from_records([*BUS, {"id": "Margin", "parent": "SAT", "mass": 0.5}])
    assert not bom.totals
    assert rollup(bom).root.mass == 6


def test_a_root_that_is_called_total_is_an_item() -> None:
    rows = [{"id": "TOTAL", "parent": ""}, {"id": "a", "parent": "TOTAL", "mass": 2}]
    assert not Bom.from_records(rows).totals


def test_a_row_with_a_part_number_is_an_item() -> None:
    rows = [{"level": 0, "part": "A", "name": "Kit"}, {"level": 1, "part": "TS-1", "name": "Total", "mass": 2}]
    assert not Bom.from_records(rows).totals


def test_totals_by_level_and_item_number() -> None:
    by_level = [
        {"level": 0, "part": "A"},
        {"level": 1, "part": "B", "mass": 2},
        {"level": "", "part": "Summe", "mass": 2},
    ]
    assert [total.mass for total in Bom.from_records(by_level).totals] == [2]
    by_item = [{"item": "1", "part": "A"}, {"item": "1.1", "part": "B", "mass": 2}, {"item": "Total", "mass": 2}]
    assert [total.mass for total in Bom.from_records(by_item).totals] == [2]


def test_a_long_clean_table_is_not_searched_cell_by_cell() -> None:
    n = 20_000
    rows = [{"id": "r", "parent": "", "mass": ""}, *({"id": f"p{k}", "parent": "r", "mass": 1} for k in range(n))]
    rows[n // 2] = {"id": "Subtotal", "parent": "", "mass": n // 2 - 1}
    bom = Bom.from_records(rows)
    from massprops_cli.tables.rows.total_rows import total_row_candidates

    found = list(total_row_candidates(bom.table, bom.columns))
    assert len(found) < 500
    assert [total.label for total in bom.totals] == ["Subtotal"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Dry mass", "total"),
        ("Spacecraft wet mass [kg]", "total"),
        ("MTOW", "total"),
        ("Lightship", "total"),
        ("Leermasse", "total"),
        ("Launch vehicle capability", "limit"),
        ("Launcher limit", "limit"),
        ("Total Bus", "total"),
        ("Dry bay", ""),
        ("Payload", ""),
        ("Propellant", ""),
        ("Lightweight panel", ""),
        ("Margin plate", ""),
        ("Limit switch", ""),
    ],
)
def test_labels_that_may_name_items(text: str, kind: str) -> None:
    assert doubtful_label_kind(text, alone=True) == kind


def test_every_doubtful_label_is_known_as_its_kind() -> None:
    for kind, words in _labels("doubtful"):
        assert doubtful_label_kind(" ".join(words)) == kind


def list_of(*rows: tuple[str, float | None]) -> Bom:
    return Bom.from_records([{"name": name, "mass": mass} for name, mass in rows])


def test_a_sum_of_the_rows_above_is_a_total_whatever_it_is_called() -> None:
    dry = [("Hull", 310.0), ("Power", 185.0), ("Dry mass", 495.0)]
    bom = list_of(*dry, ("Propellant", 120), ("Wet mass", 615), ("Capability", 700))
    assert [total.label for total in bom.totals] == ["Dry mass", "Wet mass", "Capability"]
    assert float(rollup(bom).rollup.bodies.mass.max()) == 615
    assert not bom.has_errors


def test_a_sum_of_pieces_is_one_too() -> None:
    rows = [
        {"name": "Leg", "qty": 4, "mass": 2.5},
        {"name": "Top", "qty": 1, "mass": 5},
        {"name": "Empty weight", "mass": 15},
    ]
    bom = Bom.from_records(rows)
    assert [total.label for total in bom.totals] == ["Empty weight"]


@pytest.mark.parametrize(
    "rows", [[("Hull", 310), ("Power", 185), ("Dry mass", 480)], [("Hull", 310), ("Dry mass", 310), ("Power", 5)]]
)
def test_what_is_not_a_sum_is_ambiguous(rows: list[tuple[str, float]]) -> None:
    (finding,) = [one for one in list_of(*rows).findings if one.rule == "MP257"]
    assert "--count-row 'Dry mass'" in finding.remedy
    assert "--skip-row 'Dry mass'" in finding.remedy
    counted = Bom.from_records([{"name": name, "mass": mass} for name, mass in rows], count_rows="Dry mass")
    assert rollup(counted).root.mass == sum(mass for _, mass in rows)
    skipped = Bom.from_records([{"name": name, "mass": mass} for name, mass in rows], skip_rows="Dry mass")
    assert rollup(skipped).root.mass == sum(mass for name, mass in rows if name != "Dry mass")


def test_a_limit_is_not_a_part_unless_a_total_counts_it() -> None:
    assert [one.kind for one in list_of(("a", 1), ("b", 2), ("Total", 3), ("Launcher limit", 5)).totals] == [
        "total",
        "limit",
    ]
    assert [one.kind for one in list_of(("a", 1), ("Launcher limit", 5), ("b", 2)).totals] == ["limit"]
    counted = list_of(("a", 1), ("Launcher limit", 5), ("b", 2), ("Total", 8))
    assert [one.kind for one in counted.totals] == ["total"]
    assert rollup(counted).root.mass == 8


def test_a_row_with_a_place_or_an_id_is_an_item() -> None:
    bom = Bom.from_records([*BUS, {"id": "Dry mass", "parent": "SAT", "mass": 5.5}])
    assert bom.totals == ()
    assert len(bom) == 4


def ambiguous(read: Callable[..., Bom], *rows: object) -> str:
    """The question about rows that may be sums."""
    try:
        findings = read(*rows).findings
    except TableError as error:
        findings = tuple(error.findings)
    return only(findings, "MP257").message


PARTS = [("Runko", 24.0), ("Pyörä", 26.0), ("Moottori", 38.0)]


def test_a_last_row_that_is_the_sum_of_all_others_is_ambiguous_whatever_it_is_called() -> None:
    assert ambiguous(list_of, *PARTS, ("Kokonaan", 88.0)) == "row is ambiguous: Kokonaan (a part of 88 or a total)"
    # without the cells that the parts have it is their sum
    rows = [{"name": name, "supplier": "KONE", "mass": mass} for name, mass in PARTS]
    bom = Bom.from_records([*rows, {"name": "Kokonaan", "mass": 88.0}])
    assert [(one.label, one.kind) for one in bom.totals] == [("Kokonaan", "total")]
    assert float(rollup(bom).rollup.bodies.mass.max()) == 88
    records = [{"name": name, "mass": mass} for name, mass in [*PARTS, ("Kokonaan", 88.0)]]
    assert Bom.from_records(records, layout="flat").totals == ()


@pytest.mark.parametrize(
    "rows",
    [
        [{"name": "Koko", "mass": 88}, *({"name": name, "mass": mass} for name, mass in PARTS)],
        [*({"name": name, "qty": 1, "mass": mass} for name, mass in PARTS), {"name": "Koko", "qty": 1, "mass": 88}],
    ],
)
def test_another_row_that_is_a_sum_is_ambiguous(rows: list[dict[str, object]]) -> None:
    assert ambiguous(Bom.from_records, rows) == "row is ambiguous: Koko (a part of 88 or a total)"
    assert float(rollup(Bom.from_records(rows, layout="flat")).rollup.bodies.mass.max()) == 176


def test_a_sum_of_two_rows_may_be_chance() -> None:
    assert len(list_of(("a", 1), ("b", 2), ("c", 3))) == 4


def test_a_column_of_items_may_hold_names() -> None:
    rows = [{"Item": name, "mass": mass} for name, mass in [*PARTS, ("Dry mass", 80.0)]]
    assert "MP257" in {one.rule for one in Bom.from_records(rows).findings}


SUMS = [("Battery", 6.0), ("Panel", 4.0), ("Power", 10.0), ("Heater", 2.0), ("Radiator", 1.0), ("Thermal", 3.0)]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (SUMS, "Power, Thermal"),
        ([*SUMS, ("Spacecraft", 13.0)], "Power, Thermal, Spacecraft"),
        (SUMS[::-1], "Thermal, Power"),
    ],
)
def test_rows_that_are_sums_of_all_the_others_are_ambiguous(rows: list[tuple[str, float]], names: str) -> None:
    assert ambiguous(list_of, *rows).startswith(f"rows may be parts or totals: {names} ")


def test_one_row_that_is_the_sum_of_its_neighbours_may_be_chance() -> None:
    assert len(list_of(*SUMS[:4], ("Antenna", 7))) == 6


def test_a_total_that_names_its_rows_is_one_where_it_is_their_sum() -> None:
    bom = list_of(("Cell", 6), ("Panel", 4), ("Total Bus", 10), ("Lens", 2), ("Baffle", 3), ("Total Payload", 5))
    assert [total.label for total in bom.totals] == ["Total Bus", "Total Payload"]
    assert "Total station" in ambiguous(list_of, ("Cell", 6), ("Panel", 4), ("Total station", 5.4))


@pytest.fixture(params=first([600, 6_000], 1))
def count(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Give the number of parts of a list that is too long to be searched row by row."""
    for module in (row_roles, total_rows):
        monkeypatch.setattr(module, "FULL_SCAN_ROWS", request.param - 100)
    return int(request.param)


def long_list(count: int, *names: tuple[int, str, float]) -> Bom:
    """Read parts of 1 kg with some other rows put in before a number of them."""
    rows: list[dict[str, object]] = [{"name": f"p{k}", "mass": 1.0} for k in range(count)]
    for k, name, mass in sorted(names, reverse=True):
        rows.insert(k, {"name": name, "mass": mass})
    return Bom.from_records(rows)


def test_totals_of_a_long_list_are_found_by_their_names(count: int) -> None:
    bom = long_list(count, (count // 2, "Subtotal", count / 2), (count, "Total", float(count)))
    assert [(total.kind, total.mass) for total in bom.totals] == [("subtotal", count / 2), ("total", count)]
    assert rollup(bom).root.mass == count


def test_totals_of_a_long_tree_are_found_by_their_blank_parents() -> None:
    rows: list[dict[str, object]] = [{"id": "top", "parent": None, "mass": None}]
    rows += [{"id": f"p{k}", "parent": "top", "mass": 1.0} for k in range(6_000)]
    rows.insert(3_001, {"id": None, "parent": None, "mass": 3_000.0, "note": "Subtotal"})
    rows.append({"id": None, "parent": None, "mass": 6_000.0, "note": "Total"})
    bom = Bom.from_records(rows)
    assert [(total.kind, total.mass) for total in bom.totals] == [("subtotal", 3_000), ("total", 6_000)]
    assert rollup(bom).root.mass == 6_000


def test_a_total_is_in_the_unit_of_its_own_row() -> None:
    rows = [("a", 500, "g"), ("b", 2, "kg"), ("Total", 2.5, "kg")]
    bom = Bom.from_records([{"name": name, "mass": mass, "Unit": unit} for name, mass, unit in rows])
    assert [total.mass for total in bom.totals] == [2500]  # in g, the first unit of the column
    assert rollup(bom).root.mass == 2500


def test_words_under_the_masses_do_not_make_a_label_one_of_several() -> None:
    rows = [("a", 1.0), ("b", 2.0), ("c", 4.0), ("Harness total", "TBD")]
    bom = Bom.from_records([{"name": name, "mass": mass} for name, mass in rows])
    assert [(total.label, total.kind, total.mass) for total in bom.totals] == [("Harness total", "total", None)]


@pytest.mark.parametrize("between", [[], [{"name": None, "mass": None}]])
def test_a_limit_below_a_total_is_not_a_part(between: list[dict[str, object]]) -> None:
    rows = [("a", 1.0), ("b", 2.0), ("c", 4.0), ("Total", 7.0)]
    records: list[dict[str, object]] = [{"name": name, "mass": mass} for name, mass in rows]
    records += [*between, {"name": "Launcher limit", "mass": 9.0}]
    assert [total.kind for total in Bom.from_records(records).totals] == ["total", "limit"]


def test_a_part_below_a_total_of_all_parts_is_ambiguous() -> None:
    bom = list_of(("a", 1.0), ("b", 2.0), ("c", 4.0), ("Total", 7.0), ("bolt", 1.0), ("Launcher limit", 9.0))
    (finding,) = [one for one in bom.findings if one.rule == "MP257"]
    assert finding.message == "row is ambiguous: bolt (a part of 1 or a derived value)"


def test_a_sum_is_of_rows_in_their_own_units() -> None:
    rows = [("a", 500, "g"), ("b", 2, "kg"), ("c", 1, "kg"), ("Dry mass", 3.5, "kg")]
    bom = Bom.from_records([{"name": name, "mass": mass, "Unit": unit} for name, mass, unit in rows])
    assert [(total.label, total.mass) for total in bom.totals] == [("Dry mass", 3500)]


@pytest.mark.parametrize(
    ("_labels", "words"),
    [
        (["Total"], "total is excluded: Total"),
        (["Subtotal", "Total"], "2 rows are excluded (subtotal, total): Subtotal (and 1 more)"),
        (["Total", "Total"], "total is excluded: Total (and 1 more)"),
        (["Subtotal", "Total", "Margin"], "3 rows are excluded (subtotal, total, margin): Subtotal (and 2 more)"),
    ],
)
def test_rows_that_are_left_out_are_reported_together(_labels: list[str], words: str) -> None:
    rows = [{"name": "a", "mass": 1.0}, {"name": "b", "mass": 2.0}, *({"name": text, "mass": 3.0} for text in _labels)]
    (finding,) = [finding for finding in Bom.from_records(rows).findings if finding.rule == "MP250"]
    assert finding.message == words
    assert (finding.count, finding.place.row) == (len(_labels), 4)  # the header is row 1
    assert [place.row for place in finding.related] == [5, 6][: len(_labels) - 1]


def test_a_first_row_that_is_the_sum_of_all_others_is_ambiguous() -> None:
    assert "Everything (a part of 7" in ambiguous(list_of, ("Everything", 7), ("a", 1), ("b", 2), ("c", 4))


COUNTED = ({"name": "Wing", "qty": 1, "mass": 2}, {"name": "Tail", "qty": 2, "mass": 3})


def test_a_margin_with_a_quantity_is_ambiguous() -> None:
    held, nose = {"name": "Contingency", "qty": 1, "mass": 2.5}, {"name": "Nose", "qty": 1, "mass": 4}
    (finding,) = [one for one in Bom.from_records([*COUNTED, held, nose]).findings if one.rule == "MP257"]
    assert finding.message == "row is ambiguous: Contingency (a part of 2.5 or a margin)"
    assert "--count-row Contingency" in finding.remedy


def test_a_margin_below_a_total_is_none_of_the_parts() -> None:
    rows = [{"name": "Total", "mass": 8}, {"name": "Contingency", "qty": 1, "mass": 2.5}]
    assert rollup(Bom.from_records([*COUNTED, *rows])).root.mass == 2 + 2 * 3


def test_a_margin_without_a_total_is_ambiguous() -> None:
    bom = Bom.from_records([*COUNTED, {"name": "Contingency", "mass": 2.5}])
    assert "MP257" in {one.rule for one in bom.findings}


def test_a_last_row_without_a_name_that_is_not_a_sum_is_ambiguous() -> None:
    rows = [*COUNTED, {"name": "Nose", "qty": 1, "mass": 4}, {"mass": 9.5}]
    assert ambiguous(Bom.from_records, rows) == "row is ambiguous: row 5 (a part of 9.5 or a subtotal)"
    assert rollup(Bom.from_records(rows, layout="flat")).root.mass == 2 + 2 * 3 + 4 + 9.5


NAMELESS = ("Frame", "123.4"), ("Skin", "45.6"), ("Bolts", "7.89")


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("id,parent,mass", ["A,,", *(f"{name},A,{mass}" for name, mass in NAMELESS)]),
        ("Item No.,Part,Mass (g)", ["1,A,", *(f"1.{k},{name},{mass}" for k, (name, mass) in enumerate(NAMELESS, 1))]),
        ("level,part,mass", ["0,A,", *(f"1,{name},{mass}" for name, mass in NAMELESS)]),
    ],
)
@pytest.mark.parametrize("last", ["176.89", "176.80"])
def test_a_last_row_of_a_tree_without_a_name_is_a_total_if_it_is_the_sum(
    header: str, rows: list[str], last: str
) -> None:
    names = header.split(",")
    bom = Bom.from_records([dict(zip(names, row.split(","), strict=True)) for row in [*rows, f",,{last}"]])
    assert bool(bom.totals) == (last == "176.89")
    if bom.totals:
        assert rollup(bom).root.mass == pytest.approx(176.89)


def test_a_last_row_of_a_long_list_without_a_name_is_a_total() -> None:
    bom = long_list(6_000, (6_000, "", 6_000.0))
    assert [total.row for total in bom.totals] == [6_001]
    assert rollup(bom).root.mass == 6_000
