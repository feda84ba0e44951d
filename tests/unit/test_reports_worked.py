"""Worked examples of functions in the room reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from massprops_cli.bom.results.probability import Interval, Probability, _ProbabilityQuery
from massprops_cli.budgets.model import Verdict
from massprops_cli.findings.finding import Finding, Place
from massprops_cli.reports.contributions import _name_list_text, _result_name
from massprops_cli.reports.diff import _signed_number_text, _waterfall_bar, _WaterfallRow
from massprops_cli.reports.formats.code_hosts import _escape_command_data, _escape_command_property, gitlab_text
from massprops_cli.reports.formats.junit import _xml_text
from massprops_cli.reports.formats.openmetrics import _base_unit, _escape_label
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry, entry_fingerprints, repository_path
from massprops_cli.reports.formats.sarif import _sarif_location, sarif_text
from massprops_cli.reports.graphs.joint_forces import joint_force_csv
from massprops_cli.reports.inspect import _column_range_text
from massprops_cli.reports.limits import (
    _assembly_count_text,
    _limit_state,
    amount_text,
    kept_limits_text,
    limit_value_text,
)
from massprops_cli.reports.markdown import _quantity_label, _sigma_heading
from massprops_cli.reports.page.conventions import (
    _level_words,
    _ShownUnit,
    level_text,
    shown_inertia_unit,
    source_words,
)
from massprops_cli.reports.page.findings import (
    _message_text,
    _names_value,
    _printable_text,
    _quoted_text,
    count_with_noun,
    escape_markdown_cell,
    finding_counts_text,
    finding_line,
    findings_report,
    json_line,
    json_text,
    markdown_code,
)
from massprops_cli.reports.page.number_text import (
    _decimal_count,
    decimal_exponent,
    difference_text,
    formatted_number,
    number_and_sigma,
    percent_text,
    sigma_text,
    unit_text,
    value_number_format,
    value_with_sigma,
)
from massprops_cli.reports.page.page import (
    ASCII,
    UNICODE,
    Grid,
    TextSpan,
    _align_decimal_points,
    _share_bar,
    _split_words,
    code_fence,
    escape_control_characters,
    escape_workflow_commands,
    fenced_markdown,
    histogram_text,
    symbols_for,
    text_line,
)
from massprops_cli.reports.plots import picture_format
from massprops_cli.reports.probability import (
    _certainty_text,
    _interval_end_texts,
    _level_percent,
    _number_to_sigma_digit,
    _probability_text,
)
from massprops_cli.reports.samples import sampled_number_text
from massprops_cli.reports.sheets import _is_round_trip_text
from massprops_cli.reports.subtotals import _quantity_unit
from massprops_cli.reports.summary import known_leaves_text, verdict_line
from massprops_cli.reports.table_files import format_of_name
from massprops_cli.reports.tree import _coverage_change_text
from massprops_cli.rollups.regions import ResultRange
from massprops_cli.tables.cells.unit_text import KILOGRAM


def test_gitlab_text_example() -> None:
    assert (gitlab_text(ReportData("bom.csv", []))) == ("[]\n")


def test_repository_path_example() -> None:
    named = repository_path(Place("./parts/../bom.csv", line=3), "")
    assert (named, repository_path(Place(), f"{Path.cwd()}/parts/bom.csv")) == (("bom.csv", "parts/bom.csv"))


def test_entry_fingerprints_example() -> None:
    from massprops_cli.findings.finding import Place, rule_finding

    one, moved = (ReportEntry(rule_finding("MP302", "the id is empty", Place("a.csv", line=k))) for k in (4, 9))
    assert (next(entry_fingerprints([one], "")) == next(entry_fingerprints([moved], ""))) is True
    assert (len(set(entry_fingerprints([one, moved], "")))) == (2)


def test_sarif_text_example() -> None:
    assert ('"version": "2.1.0"' in sarif_text(ReportData("bom.csv", []))) is True


def test_joint_force_csv_example() -> None:
    assert (joint_force_csv({"coordinates": ["A"], "M": [[2.0]], "C": [-1.5]})) == ("coordinate,M A,C\nA,2.0,-1.5\n")


def test_amount_text_example() -> None:
    assert (amount_text(860.0, "kg"), amount_text(None, "kg")) == (("860 kg", "not known"))


def test_limit_value_text_example() -> None:
    from massprops_cli.budgets.model import Verdict

    assert (
        limit_value_text(Verdict("MP601", "A", "", "mass-max", "", None, None, "kg", None, False, "", at_least=20.0))
    ) == ("≥ 20 kg")


def test_kept_limits_text_example() -> None:
    assert (kept_limits_text([], "budget.toml")) == ("0 of 0 limits of budget.toml kept")


def test_level_text_example() -> None:
    from massprops_cli.reports.page.page import UNICODE

    assert (level_text(2, UNICODE), level_text(2, ASCII)) == (("2σ", "2 sigma"))


def test_shown_inertia_unit_example() -> None:
    from massprops_cli.bom.bom import Bom

    row = {"id": "A", "mass [kg]": 1, "Cx [mm]": 0, "Cy [mm]": 0, "Cz [mm]": 0}
    assert (shown_inertia_unit(Bom.from_records([row | {f"I{a} [kg m2]": 1 for a in ("xx", "yy", "zz")}]))) == (
        _ShownUnit(text="kg m2", size=1000000.0)
    )


def test_source_words_example() -> None:
    from massprops_cli.files.table import TableSource

    assert (source_words(TableSource("a.csv", "csv", encoding="utf-8", delimiter=";"))) == (
        [("format", "csv"), ("encoding", "utf-8"), ("delimiter", "semicolon")]
    )


def test_finding_counts_text_example() -> None:
    assert (finding_counts_text([])) == ("0 errors, 0 warnings")


def test_count_with_noun_example() -> None:
    assert (count_with_noun(1, "error"), count_with_noun(61234, "item")) == (("1 error", "61,234 items"))


def test_finding_line_example() -> None:
    from massprops_cli.findings.finding import Place, rule_finding

    place = Place("bom.csv", line=6, position=3)
    assert (finding_line(rule_finding("MP205", "mass of P.1 is not a number", place, value="x")).text) == (
        "bom.csv:6:3  error MP205  mass of P.1 is not a number: 'x'"
    )


def test_escape_markdown_cell_example() -> None:
    assert (escape_markdown_cell("a|b" + chr(10) + "c")) == ("a\\|b c")


def test_markdown_code_example() -> None:
    assert (markdown_code("bom.csv"), markdown_code("a`b")) == (("`bom.csv`", "``a`b``"))


def test_json_text_example() -> None:
    assert (json_text({"mass": 0.1})) == ('{\n "mass": 0.1\n}\n')


def test_json_line_example() -> None:
    assert (json_line({"mass": 0.1})) == ('{"mass": 0.1}\n')


def test_findings_report_example() -> None:
    assert (findings_report("bom.csv", [])["summary"]) == ({"errors": 0, "warnings": 0, "notes": 0})


def test_formatted_number_example() -> None:
    assert (
        formatted_number(1234.5678),
        formatted_number(0.000012345678),
        formatted_number(1e9 / 3),
        formatted_number(-0.0),
    ) == (("1234.57", "1.23457e-05", "3.33333e+08", "0"))


def test_value_with_sigma_example() -> None:
    assert (value_with_sigma(12.3456, 0.0234, ASCII), value_with_sigma(56789.0, 1234.0, ASCII)) == (
        ("12.346 +/- 0.023", "56800 +/- 1200")
    )
    assert (value_with_sigma(1.23456e12, 4.5e9, ASCII), value_with_sigma(2.0, 0.0, ASCII)) == (
        ("(1.2346 +/- 0.0045)e+12", "2 +/- 0")
    )
    assert (value_with_sigma(0.045, 9e-9, ASCII), value_with_sigma(4.5e-8, 9e-9, ASCII)) == (
        ("0.0450000000 +/- 0.0000000090", "(4.50 +/- 0.90)e-08")
    )
    assert (value_with_sigma(1e9, 1e-21, ASCII), value_with_sigma(2e300, 1e-300, ASCII)) == (
        ("1000000000 +/- 1.0e-21", "2e+300 +/- 1.0e-300")
    )


def test_sigma_text_example() -> None:
    assert (sigma_text(0.303), sigma_text(0.3), sigma_text(20451.6), sigma_text(4.5e-20), sigma_text(0.0)) == (
        ("0.30", "0.30", "20000", "4.5e-20", "0")
    )


def test_number_and_sigma_example() -> None:
    assert (number_and_sigma(12.3456, 0.0234, ASCII), number_and_sigma(float("nan"), 1.0, ASCII)) == (
        (("12.346", "+/- 0.023"), ("-", ""))
    )


def test_difference_text_example() -> None:
    assert (difference_text(0.0243902, 0.07), difference_text(0.00943396, 0.038), difference_text(-0.195122, 1.2)) == (
        ("+0.024", "+0.0094", "-0.20")
    )
    assert (
        difference_text(0.0243902, float("nan")),
        difference_text(1e-17, 0.07),
        difference_text(float("nan"), 1.0),
    ) == (("+0.0243902", "0", "-"))


def test_decimal_exponent_example() -> None:
    assert (decimal_exponent(0.0996, 2), decimal_exponent(0.0994, 2)) == ((-1, -2))


def test_percent_text_example() -> None:
    assert (percent_text(0.12345), percent_text(1.0), percent_text(0.00001)) == (("12.3 %", "100 %", "< 0.1 %"))


def test_unit_text_example() -> None:
    from massprops_cli.reports.page.page import UNICODE

    assert (unit_text("kg*m^2", UNICODE), unit_text("kg*m^2", ASCII)) == (("kg·m²", "kg*m^2"))


def test_value_number_format_example() -> None:
    assert ([value_number_format(np.array(values)) for values in ([150.3345, 0.045], [3.0, np.nan], [2e-9])]) == (
        ["0.000", "", "0.00000E+00"]
    )


def test_escape_control_characters_example() -> None:
    assert (escape_control_characters("a" + chr(27) + "[1m")) == ("a\\u001b[1m")


def test_escape_workflow_commands_example() -> None:
    assert (escape_workflow_commands("::error::x"), escape_workflow_commands("a ##[error]")) == (
        (": :error::x", "a # #[error]")
    )


def test_symbols_for_example() -> None:
    assert (symbols_for("utf-8").good, symbols_for("latin-1").good) == (("✔", "ok:"))


def test_histogram_text_example() -> None:
    assert (histogram_text([0, 1, 4, 8, 4, 1], UNICODE), histogram_text([0, 1, 4, 8], ASCII)) == ((" ▁▄█▄▁", " _-#"))


def test_fenced_markdown_example() -> None:
    assert (fenced_markdown([text_line("a page")]).splitlines()) == (["```", "a page", "```"])


def test_code_fence_example() -> None:
    assert (code_fence("a``b", 1)) == ("```")


def test_text_line_example() -> None:
    assert (text_line("two ", TextSpan("words", "strong")).text) == ("two words")


def test_picture_format_example() -> None:
    assert (picture_format("shares.SVG")) == ("svg")


def test_sampled_number_text_example() -> None:
    assert (sampled_number_text(12.3456, 0.0234), sampled_number_text(float("nan"), 1.0)) == (("12.346", "-"))
    assert (sampled_number_text(12.3456, 0.0), sampled_number_text(3e9, 2e7)) == (("12.3456", "3.00000e+09"))


def test_verdict_line_example() -> None:
    assert (verdict_line(ASCII, [], "rolled up 3 items", ["bom.rollup.csv"]).text) == (
        "ok: rolled up 3 items, 0 errors, 0 warnings -> bom.rollup.csv"
    )


def test_known_leaves_text_example() -> None:
    assert (known_leaves_text(3, 4)) == ("of 3 of 4 leaves")


def test_format_of_name_example() -> None:
    assert (format_of_name("a.csv.gz"), format_of_name("b.XLSX"), format_of_name("c")) == (("csv", "xlsx", ""))


def test_result_name() -> None:
    assert (_result_name("mass"), _result_name("Cx")) == ("mass", "Cx")


def test_name_list_text() -> None:
    assert (_name_list_text(["a"]), _name_list_text(["a", "b", "c"])) == ("a", "a, b and c")


def test_signed_number_text() -> None:
    assert (_signed_number_text(0.126, -2), _signed_number_text(-3.0, -2), _signed_number_text(0.0001, -2)) == (
        "+0.13",
        "-3.00",
        "0.00",
    )


def test_waterfall_bar() -> None:
    assert _waterfall_bar(_WaterfallRow("", "", "", "", 0.5, 0.25), ASCII) == "      ######"


def test_escape_command_data() -> None:
    assert _escape_command_data("95 %" + chr(10) + "::error::") == "95 %25%0A::error::"


def test_escape_command_property() -> None:
    assert _escape_command_property("C:/a,b.csv") == "C%3A/a%2Cb.csv"


def test_escape_workflow_commands() -> None:
    assert escape_workflow_commands("id ##[error]x") == "id # #[error]x"


def test_xml_text() -> None:
    assert _xml_text("a" + chr(7)) == "a\\x07"


def test_base_unit() -> None:
    assert (_base_unit("g", "kilograms", KILOGRAM), _base_unit("", "kilograms", KILOGRAM)) == (
        ("kilograms", 0.001),
        ("", 1.0),
    )


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


def test_assembly_count_text() -> None:
    assert (_assembly_count_text(1), _assembly_count_text(2000)) == ("1 assembly", "2,000 assemblies")


def test_quantity_label() -> None:
    assert (_quantity_label("mass", ""), _quantity_label("CG", "Cx"), _quantity_label("axis 1", "x")) == (
        "mass",
        "Cx",
        "axis 1 x",
    )


def test_sigma_heading() -> None:
    assert (_sigma_heading(1), _sigma_heading(2)) == ("sigma", "sigma (2σ)")


def test_level_words() -> None:
    assert _level_words(2, ASCII) == "every +/- is two standard deviations (2 sigma)"


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
    assert [_decimal_count(texts) for texts in (["1.55", "0.045", ""], ["0.12345678"], ["7", "12"], ["1e-3"])] == [
        3,
        6,
        0,
        None,
    ]


def test_align_decimal_points() -> None:
    grid = Grid([[TextSpan("1.25")], [TextSpan("13")], [TextSpan("-")]], "d")
    assert [row[0].text for row in _align_decimal_points(grid).rows] == ["1.25", "13   ", "-   "]


def test_share_bar() -> None:
    assert (_share_bar(0.5, 8, UNICODE), _share_bar(0.5, 8, ASCII)) == ("████", "####")


def test_split_words() -> None:
    assert _split_words("  a bc ") == ["  ", "a ", "bc "]


def test_probability_text() -> None:
    query = _ProbabilityQuery(0, "SAT", "mass ≤ 850 kg", ResultRange(0, high=850.0))
    assert (
        _probability_text(Probability(query, 0.97725, 0.02275)),
        _probability_text(Probability(query, 1.0, 3.2e-7)),
    ) == ("97.7 %", "1 − 3.2e-07")
    assert _probability_text(Probability(query, 0.9771, 0.0229, "samples", 10_000)) == "(97.71 ± 0.15) %"
    assert _probability_text(Probability(query, 1.0, 0.0, "samples", 10_000)) == "> 99.97 %"


def test_certainty_text() -> None:
    assert (
        _certainty_text(0.5, 0.5, 0.0),
        _certainty_text(0.9987, 0.0013, 0.0),
        _certainty_text(3e-12, 1.0, 1e-12),
    ) == ("50.0 %", "99.87 %", "3.0e-12")
    assert (_certainty_text(1.0, 1e-15, 1e-12), _certainty_text(0.0, 1.0, 0.0)) == ("> 1 − 1e-12", "0 %")


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


def test_quantity_unit() -> None:
    assert _quantity_unit("Cx", "kg", "m", "kg*m^2") == "m"


def test_coverage_change_text() -> None:
    before = "of 75 % of the mass"
    assert (_coverage_change_text(before, before), _coverage_change_text(before, "")) == (
        "of 75 % of the mass",
        "before: of 75 % of the mass",
    )
