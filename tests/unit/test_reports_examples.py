"""Worked examples of private functions: texts of reports."""

from __future__ import annotations

from massprops_cli.bom.results.probability import Interval, Probability, _ProbabilityQuery
from massprops_cli.budgets.model import Verdict
from massprops_cli.findings.finding import Finding, Place, count_with_noun, name_series
from massprops_cli.reports.diff import _signed_number_text, _waterfall_bar
from massprops_cli.reports.formats.github import _escape_command_data, _escape_command_property
from massprops_cli.reports.formats.junit import _xml_text
from massprops_cli.reports.formats.openmetrics import _escape_label, metric_factor
from massprops_cli.reports.formats.sarif import _sarif_location
from massprops_cli.reports.inspect import _column_range_text
from massprops_cli.reports.limits import _limit_state, _quantity_label, _sigma_heading
from massprops_cli.reports.page.conventions import _decimal_count, level_text
from massprops_cli.reports.page.findings import _message_text, _names_value, _printable_text, _quoted_text
from massprops_cli.reports.page.page import (
    ASCII,
    UNICODE,
    _aligned_texts,
    _share_bar,
    _wrap_line,
    escape_workflow_commands,
    text_line,
)
from massprops_cli.reports.probability import (
    _interval_end_texts,
    _level_percent,
    _number_to_sigma_digit,
    _probability_text,
    certainty_text,
)
from massprops_cli.reports.table_sheets import _is_round_trip_text
from massprops_cli.reports.tree import _coverage_change_text
from massprops_cli.rollups.regions import ResultRange


def test_name_series() -> None:
    assert (name_series(["a"]), name_series(["a", "b", "c"])) == ("a", "a, b and c")


def test_signed_number_text() -> None:
    assert (_signed_number_text(0.126, -2), _signed_number_text(-3.0, -2), _signed_number_text(0.0001, -2)) == (
        "+0.13",
        "-3.00",
        "0.00",
    )


def test_waterfall_bar() -> None:
    assert _waterfall_bar(0.5, 0.25, ASCII) == "      ######"


def test_escape_command_data() -> None:
    assert _escape_command_data("95 %" + chr(10) + "::error::") == "95 %25%0A::error::"


def test_escape_command_property() -> None:
    assert _escape_command_property("C:/a,b.csv") == "C%3A/a%2Cb.csv"


def test_escape_workflow_commands() -> None:
    assert escape_workflow_commands("id ##[error]x") == "id # #[error]x"


def test_xml_text() -> None:
    assert _xml_text("a" + chr(7)) == "a\\x07"


def test_metric_factor() -> None:
    assert (metric_factor("g", "kilograms"), metric_factor("", "kilograms")) == (("kilograms", 0.001), ("", 1.0))


def test_escape_label() -> None:
    assert _escape_label('a"b' + chr(10)) == 'a\\"b\\n'


def test_sarif_location() -> None:
    assert _sarif_location(Place("my bom.csv", line=3), "") == {
        "physicalLocation": {"artifactLocation": {"uri": "my%20bom.csv"}, "region": {"startLine": 3}}
    }


def test_column_range_text() -> None:
    assert (_column_range_text("Cx", "Cz", ASCII), _column_range_text("Mass\n[kg]", "Mass\n[kg]", ASCII)) == (
        "Cx .. Cz",
        "Mass [kg]",
    )


def test_limit_state() -> None:
    verdict = Verdict("MP601", "SAT", "", "mass-max", "mass ≤ 850 kg", 860.0, 850.0, "kg", -10.0, False, "over")
    assert _limit_state(verdict, ASCII).text == "error"


def test_count_with_noun() -> None:
    assert (count_with_noun(1, "assembly"), count_with_noun(2000, "assembly")) == ("1 assembly", "2,000 assemblies")


def test_quantity_label() -> None:
    assert (_quantity_label("mass", ""), _quantity_label("CG", "Cx"), _quantity_label("axis 1", "x")) == (
        "mass",
        "Cx",
        "axis 1 x",
    )


def test_sigma_heading() -> None:
    assert (_sigma_heading(1), _sigma_heading(2)) == ("sigma", "sigma (2σ)")


def test_level_text() -> None:
    assert (level_text(2, ASCII), level_text(2, UNICODE)) == ("2 sigma", "2σ")


def test_message_text() -> None:
    assert _message_text(Finding("MP205", "the mass is not a number", value="1O1")) == "the mass is not a number: '1O1'"
    assert _message_text(Finding("MP402", "r has a mass of 0", value="0")) == "r has a mass of 0"


def test_names_value() -> None:
    assert (_names_value("r has a mass of 0", "0"), _names_value("the mass of 10 parts", "0")) == (True, False)


def test_quoted_text() -> None:
    assert (_quoted_text("1,5"), _quoted_text("a" + chr(7)), _quoted_text("a" * 200)[-25:]) == (
        "'1,5'",
        "'a\\x07'",
        "aaaaaa…' (200 characters)",
    )


def test_printable_text() -> None:
    assert _printable_text("Mass" + chr(10) + "[kg]" + chr(7)) == "Mass [kg]\\x07"


def test_decimal_count() -> None:
    columns = (["1.55", "0.045", ""], ["0.1234567891"], ["7", "12"], ["1e-3", "2.5E-2"], ["0,25"], ["1 kg"])
    assert [_decimal_count(texts) for texts in columns] == [3, 9, 0, 3, 2, None]


def test_aligned_texts() -> None:
    assert _aligned_texts(["1.25", "13", "-"], "d") == ["1.25", "13   ", "-   "]


def test_share_bar() -> None:
    assert (_share_bar(0.5, 8, UNICODE), _share_bar(0.5, 8, ASCII)) == ("████", "####")


def test_lines_are_wrapped_between_words() -> None:
    assert [line.text for line in _wrap_line(text_line("  a bc d", hang=2), 6)] == ["  a bc", "  d"]


def test_probability_text() -> None:
    query = _ProbabilityQuery(0, "SAT", "mass ≤ 850 kg", ResultRange(0, high=850.0))
    assert (
        _probability_text(Probability(query, 0.97725, 0.02275)),
        _probability_text(Probability(query, 1.0, 3.2e-7)),
    ) == ("97.7 %", "1 − 3.2e-07")
    assert _probability_text(Probability(query, 0.9771, 0.0229, "samples", 10_000)) == "(97.71 ± 0.15) %"
    assert _probability_text(Probability(query, 1.0, 0.0, "samples", 10_000)) == "> 99.97 %"


def test_certainty_text() -> None:
    assert (certainty_text(0.5, 0.5, 0.0), certainty_text(0.9987, 0.0013, 0.0), certainty_text(3e-12, 1.0, 1e-12)) == (
        "50.0 %",
        "99.87 %",
        "3.0e-12",
    )
    assert (certainty_text(1.0, 1e-15, 1e-12), certainty_text(0.0, 1.0, 0.0)) == ("> 1 − 1e-12", "0 %")


def test_interval_end_texts() -> None:
    assert _interval_end_texts(Interval("mass", 850.0, 12.3, 825.892443, 874.107557, 0.95)) == ("826", "874")


def test_number_to_sigma_digit() -> None:
    assert (
        _number_to_sigma_digit(33.0, 1.04),
        _number_to_sigma_digit(1.23456e12, 4.5e9),
        _number_to_sigma_digit(2.0, 0.0),
    ) == ("33.0", "1.2346e+12", "2")


def test_level_percent() -> None:
    assert (_level_percent(0.95), _level_percent(0.9973)) == ("95 %", "99.73 %")


def test_is_round_trip_text() -> None:
    assert (
        _is_round_trip_text("1.5"),
        _is_round_trip_text("1.50"),
        _is_round_trip_text("007"),
        _is_round_trip_text(""),
    ) == (True, False, False, True)


def test_coverage_change_text() -> None:
    before = "of 75 % of the mass"
    assert (_coverage_change_text(before, before), _coverage_change_text(before, "")) == (
        "of 75 % of the mass",
        "before: of 75 % of the mass",
    )
