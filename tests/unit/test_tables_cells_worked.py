"""Worked examples of functions in the room tables/cells."""

from __future__ import annotations

import numpy as np

from massprops_cli.tables.cells.cell_words import (
    doubtful_label_kind,
    is_combined_name,
    label_kind,
    leading_label_words,
    read_piece_counts,
    read_signs,
    read_truth_values,
    sign_fault,
    truth_value_fault,
)
from massprops_cli.tables.cells.number_text import (
    CellRules,
    CellText,
    DecimalReadings,
    common_decimal_mark,
    decimal_readings,
    half_unit_of_last_digit,
    is_number,
    is_one_set,
    is_piece_unit,
    is_placeholder,
    is_unknown_number,
    measure_factor,
    number_fault,
    parse_measure,
    read_number,
    split_cell_text,
    split_unit_ratio,
    visible_text,
)
from massprops_cli.tables.cells.numbers import (
    ParsedColumn,
    cell_measure,
    half_unit_of_cell,
    has_decimal_comma,
    is_filled_text,
    read_number_cells,
    rejected_cell_fault,
    split_quantity_text,
)
from massprops_cli.tables.cells.units import (
    _LENGTH_UNITS,
    KILOGRAM,
    METRE,
    StatedUnit,
    Units,
    _simple_unit_names,
    ambiguous_unit,
    choose_unit_system,
    coherent_system,
    likely_unit,
    mass_unit_of_weight,
    parse_unit_system,
    quantity_dimension,
    read_unit,
    strip_unit_brackets,
    unit_of_dimension,
    unit_without_direction,
)
from massprops_cli.tables.options import base_quantity


def test_read_truth_values_example() -> None:
    assert (
        read_truth_values(["TRUE", " no ", "", "maybe"]).values.tolist(),
        read_truth_values(["x", "1"]).bad.tolist(),
    ) == (([True, False, False, False], [0]))
    assert (
        read_truth_values(["=TRUE()", "FALSCH"]).values.tolist(),
        read_truth_values(["=TRUE()", "1"]).in_words.tolist(),
    ) == (([True, False], [0]))


def test_read_signs_example() -> None:
    signs = read_signs(["+", " - ", "\u2212", "\u2013", ""])
    assert (signs.signs.tolist(), signs.unicode.tolist(), signs.bad.tolist()) == (([1, -1, -1, 0, 0], [2], [3]))


def test_read_piece_counts_example() -> None:
    none = np.array([], dtype=np.intp)
    parsed = ParsedColumn(np.array([2.0, np.nan, 0.5]), np.array([False, True, False]), none)
    assert (read_piece_counts(parsed).count.tolist(), read_piece_counts(parsed, ["EA", "m", ""]).measured.tolist()) == (
        ([2.0, 1.0, 0.5], [False, True, True])
    )


def test_sign_fault_example() -> None:
    assert (sign_fault("\u2013")) == ("is an en dash (U+2013), neither + nor -")


def test_truth_value_fault_example() -> None:
    assert (truth_value_fault(" maybe")) == ("is not a truth value: maybe (true or false, yes or no, 1 or 0)")


def test_label_kind_example() -> None:
    assert (label_kind("TOTAL MASS (kg):"), label_kind("Margin 10 %"), label_kind("Harness subtotal", alone=True)) == (
        ("total", "margin", "subtotal")
    )
    assert (label_kind("Total incl. margin"), label_kind("System margin")) == (("total", "margin"))
    assert (label_kind("Total station"), label_kind("Harness subtotal"), label_kind("Limit switch", alone=True)) == (
        ("", "", "")
    )


def test_doubtful_label_kind_example() -> None:
    assert (doubtful_label_kind("Dry mass [kg]"), doubtful_label_kind("Launcher limit", alone=True)) == (
        ("total", "limit")
    )
    assert (
        (
            doubtful_label_kind("Dry bay"),
            doubtful_label_kind("Limit switch", alone=True),
            doubtful_label_kind("Launcher limit"),
        )
    ) == (("", "", ""))


def test_leading_label_words_example() -> None:
    assert (
        (
            leading_label_words("Limit (rule 4.2)"),
            leading_label_words("Total incl. margin"),
            leading_label_words("(Total)"),
        )
    ) == ((("limit",), ("total",), ("total",)))


def test_is_combined_name_example() -> None:
    assert (is_combined_name("Combined"), is_combined_name("Both wings"), is_combined_name("Bracket")) == (
        (True, True, False)
    )


def test_read_number_example() -> None:
    assert (read_number(" 12.50 "), read_number("1e3"), read_number("1_000"), read_number("nan")) == (
        (12.5, 1000.0, None, None)
    )


def test_is_number_example() -> None:
    assert (is_number("-.5"), is_number("1,5")) == ((True, False))


def test_half_unit_of_last_digit_example() -> None:
    assert (half_unit_of_last_digit("12.50"), half_unit_of_last_digit("1e3"), half_unit_of_last_digit("-")) == (
        (0.005, 500.0, 0.0)
    )


def test_decimal_readings_example() -> None:
    assert (decimal_readings("1,234"), decimal_readings("1.234,5")) == (
        (DecimalReadings(point="1234", comma="1.234"), DecimalReadings(point="", comma="1234.5"))
    )
    assert (decimal_readings("1 234")) == (DecimalReadings(point="1234", comma="1234"))


def test_common_decimal_mark_example() -> None:
    assert (
        (
            common_decimal_mark(["1,25", "1,234", "7"]),
            common_decimal_mark(["1,234.5", "1,234"]),
            common_decimal_mark(["1,234"]),
        )
    ) == ((",", ".", ""))
    assert (common_decimal_mark(["1,25", "1.5"])) == ("")


def test_visible_text_example() -> None:
    assert (visible_text("**~482g**")) == ("~482g")
    assert (visible_text("\u200b 3\u00a0kg\u3000")) == ("3\xa0kg")


def test_split_cell_text_example() -> None:
    assert (split_cell_text(" ~ 1,5 kg"), split_cell_text("1 234,5").number, split_cell_text("<3").number) == (
        (CellText(number="1,5", unit="kg", estimated=True, hidden=False, otherwise=False), "1 234,5", "")
    )


def test_is_placeholder_example() -> None:
    assert (is_placeholder(" n/a "), is_placeholder("- None -"), is_placeholder("0"), is_placeholder("")) == (
        (True, True, False, False)
    )


def test_is_unknown_number_example() -> None:
    assert (is_unknown_number("TBD"), is_unknown_number("-"), is_unknown_number("N/A")) == ((True, False, False))


def test_is_one_set_example() -> None:
    assert (is_one_set("1 lot"), is_one_set("1 Satz"), is_one_set("2 sets"), is_one_set("1 pair")) == (
        (True, True, False, False)
    )


def test_is_piece_unit_example() -> None:
    assert (is_piece_unit("EA"), is_piece_unit("Stk."), is_piece_unit("m"), is_piece_unit("pair")) == (
        (True, True, False, False)
    )


def test_parse_measure_example() -> None:
    assert (parse_measure("MTR") == parse_measure("m"), parse_measure("sq ft").dimension, parse_measure("kg")) == (
        (True, (0, 2, 0), None)
    )


def test_split_unit_ratio_example() -> None:
    assert (split_unit_ratio("kg/m"), split_unit_ratio("lb per ft"), split_unit_ratio("kg")) == (
        (("kg", "m"), ("lb", "ft"), ("kg", ""))
    )
    assert (split_unit_ratio("g each"), split_unit_ratio("each")) == ((("g", "each"), ("", "each")))


def test_measure_factor_example() -> None:
    assert (
        measure_factor("mm", "m"),
        measure_factor("EA", "pc"),
        measure_factor("", "pc"),
        measure_factor("", "m"),
    ) == ((0.001, 1.0, 1.0, None))


def test_number_fault_example() -> None:
    assert (number_fault("3 kg").message) == ("has a unit, kg: 3 kg")
    assert (number_fault("1,234").message) == ("is ambiguous: 1,234 (1234 or 1.234)")
    assert (number_fault("1e999").rule) == ("MP221")


def test_has_decimal_comma_example() -> None:
    assert (has_decimal_comma(["1,234", "0,5 kg"]), has_decimal_comma(["1,234"])) == ((True, False))


def test_read_number_cells_example() -> None:
    assert ([cell.value for cell in read_number_cells(["1,25", "1,234", "TBD", "~3"], CellRules())]) == (
        [1.25, 1.234, None, 3.0]
    )


def test_split_quantity_text_example() -> None:
    assert (
        (
            split_quantity_text("x4", CellRules(of_measure="quantity")).number,
            split_quantity_text("x4", CellRules()).number,
        )
    ) == (("4", ""))


def test_cell_measure_example() -> None:
    assert (
        cell_measure("pcs", CellRules(of_measure="quantity")),
        cell_measure("kg/m", CellRules(of_measure="mass")),
    ) == (("pcs", "m"))


def test_half_unit_of_cell_example() -> None:
    assert (
        half_unit_of_cell("1,25"),
        half_unit_of_cell("1,250"),
        half_unit_of_cell("~3"),
        half_unit_of_cell("TBD"),
    ) == ((0.005, 0.0005, 0.5, 0.0))


def test_is_filled_text_example() -> None:
    assert (is_filled_text("3 kg"), is_filled_text(" "), is_filled_text("TBD")) == ((True, False, False))


def test_rejected_cell_fault_example() -> None:
    assert (rejected_cell_fault("1,234", CellRules()).message) == ("is ambiguous: 1,234 (1234 or 1.234)")
    assert (rejected_cell_fault("140 g (×4)", CellRules(of_measure="mass", unit=KILOGRAM)).remedy) == (
        "pass --mass-is each to read 560 g, or --mass-is line to read 140 g"
    )


def test_unit_times_example() -> None:
    assert (KILOGRAM.times(METRE, 2).dimension) == ((1, 2, 0))


def test_unit_over_example() -> None:
    assert (METRE.over(METRE), _LENGTH_UNITS["in"].over(_LENGTH_UNITS["mm"])) == ((1.0, 25.4))


def test_ambiguous_unit_example() -> None:
    assert (ambiguous_unit("[ST]")[0], ambiguous_unit("t")) == (("a stone, 6.35 kg, or a short ton, 907.18 kg", None))


def test_unit_of_dimension_example() -> None:
    assert (unit_of_dimension("lb-in²", (1, 2, 0)) == unit_of_dimension("lbin2", (1, 2, 0))) is True
    assert (unit_of_dimension("kg", (0, 1, 0)) is None) is True


def test_read_unit_example() -> None:
    assert (read_unit("kg*m^2").dimension, read_unit("kg/m").dimension, read_unit("apples")) == (
        ((1, 2, 0), (1, -1, 0), None)
    )


def test_simple_unit_names_example() -> None:
    assert (_simple_unit_names("kg·m²"), _simple_unit_names("lbin2")) == ((["kg", "m"], ["lb", "in"]))


def test_base_quantity_example() -> None:
    assert (
        base_quantity("sigma_Ixy"),
        base_quantity("mass_max"),
        base_quantity("Cx"),
        base_quantity("corr_group"),
    ) == (("Ixy", "mass", "Cx", "corr_group"))


def test_quantity_dimension_example() -> None:
    assert (quantity_dimension("sigma_Ixy"), quantity_dimension("Cx_min"), quantity_dimension("qty")) == (
        ((1, 2, 0), (0, 1, 0), None)
    )


def test_parse_unit_system_example() -> None:
    assert (parse_unit_system("lb,in").units) == (Units(mass="lb", length="in", inertia="lb*in^2", stated=True))
    assert (parse_unit_system("kg").units, parse_unit_system("kg,mm,kg*m^2").units.inertia) == (
        (Units(mass="kg", length="", inertia="", stated=True), "kg*m^2")
    )


def test_coherent_system_example() -> None:
    assert (coherent_system(parse_unit_system("kg"), parse_unit_system("lb,in")).units.inertia) == ("kg*in^2")


def test_choose_unit_system_example() -> None:
    def read(text, quantity):
        return StatedUnit(text, unit_of_dimension(text, quantity_dimension(quantity)))

    assert (choose_unit_system({"mass": read("kg", "mass"), "Ixx": read("kg*mm^2", "Ixx")}).units.length) == ("mm")


def test_mass_unit_of_weight_example() -> None:
    assert (mass_unit_of_weight("lbf").text, mass_unit_of_weight("N").unit.over(KILOGRAM) * 9.80665) == (("lb", 1.0))


def test_strip_unit_brackets_example() -> None:
    assert (strip_unit_brackets("[kg]"), strip_unit_brackets(" (mm) "), strip_unit_brackets("kg/(m s)")) == (
        ("kg", "mm", "kg/(m s)")
    )


def test_unit_without_direction_example() -> None:
    assert (
        unit_without_direction("m fwd AP"),
        unit_without_direction("[mm aft of datum]"),
        unit_without_direction("m über Kiel"),
        unit_without_direction("m s"),
        unit_without_direction("mm or in"),
        unit_without_direction("kg fwd AP"),
    ) == (("m", "mm", "m", "m s", "mm or in", "kg fwd AP"))


def test_likely_unit_example() -> None:
    assert (likely_unit("mass", "MT"), likely_unit("Cx", "m (approx)"), likely_unit("mass", "apples")) == (
        ("t", "m", "")
    )
