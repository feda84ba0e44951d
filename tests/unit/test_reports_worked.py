"""Worked examples of functions in the room reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from massprops_cli.findings.finding import Place, count_with_noun, finding_counts_text, rule_finding
from massprops_cli.reports.formats.comment import comment_text
from massprops_cli.reports.formats.github import github_text
from massprops_cli.reports.formats.gitlab import gitlab_text
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry, entry_fingerprints, repository_path
from massprops_cli.reports.formats.sarif import sarif_text
from massprops_cli.reports.limits import _amount_text, kept_limits_text, limit_margin_text, limit_value_text
from massprops_cli.reports.mechanisms import joint_force_csv
from massprops_cli.reports.page.conventions import (
    decimal_exponent,
    difference_text,
    formatted_number,
    level_text,
    number_and_sigma,
    percent_text,
    shown_inertia_unit,
    sigma_text,
    source_words,
    unit_text,
    value_number_format,
    value_with_sigma,
)
from massprops_cli.reports.page.findings import (
    _finding_line,
    escape_markdown_cell,
    findings_report,
    json_line,
    json_text,
    markdown_code,
)
from massprops_cli.reports.page.page import (
    ASCII,
    UNICODE,
    TextSpan,
    code_fence,
    escape_control_characters,
    escape_workflow_commands,
    fenced_markdown,
    histogram_text,
    symbols_for,
    text_line,
    verdict_line,
)
from massprops_cli.reports.plots import picture_format
from massprops_cli.reports.probability import sampled_number_text
from massprops_cli.reports.summary import known_leaves_text
from massprops_cli.reports.table_files import format_of_name


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
    assert (_amount_text(860.0, "kg"), _amount_text(None, "kg")) == (("860 kg", "not known"))


@pytest.mark.parametrize(
    ("value", "limit", "margin", "sigma", "shown"),
    [
        (0.0663136, 20.0, 19.9336864, 0.47, ("0.07 mm", "19.93 mm")),  # two digits of σ
        (860.4321, 850.0, -10.4321, None, ("860 mm", "-10 mm")),  # digits of the limit
        (136.435, 140.0, 3.565, None, ("136.4 mm", "3.6 mm")),  # three digits at least, two of a margin
        (849.9996, 850.0, 0.0004, 12.0, ("849.99960 mm", "0.00040 mm")),  # a margin is not shown as 0
        (100.0, 100.0, 0.0, None, ("100 mm", "0 mm")),
    ],
)
def test_digits_of_a_limit(value: float, limit: float, margin: float, sigma: float | None, shown: object) -> None:
    from massprops_cli.budgets.model import Verdict

    one = Verdict("MP604", "A", "", "center-x", "", value, limit, "mm", margin, True, "", sigma=sigma)
    assert (limit_value_text(one), limit_margin_text(one)) == shown


def test_limit_value_text_example() -> None:
    from massprops_cli.budgets.model import Verdict

    assert (
        limit_value_text(Verdict("MP601", "A", "", "mass-max", "", None, None, "kg", None, False, "", at_least=20.0))
    ) == ("≥ 20 kg")


def test_kept_limits_text_example() -> None:
    assert kept_limits_text([], "budget.toml", 0) == "0 of 0 limits of budget.toml kept"


def test_level_text_example() -> None:
    from massprops_cli.reports.page.page import UNICODE

    assert (level_text(2, UNICODE), level_text(2, ASCII)) == (("2σ", "2 sigma"))


def test_shown_inertia_unit_example() -> None:
    from massprops_cli.bom.bom import Bom

    row = {"id": "A", "mass [kg]": 1, "Cx [mm]": 0, "Cy [mm]": 0, "Cz [mm]": 0}
    assert (shown_inertia_unit(Bom.from_records([row | {f"I{a} [kg m2]": 1 for a in ("xx", "yy", "zz")}]))) == (
        ("kg m2", 1000000.0)
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
    assert (_finding_line(rule_finding("MP205", "mass of P.1 is not a number", place, value="x")).text) == (
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


def test_comment_text_example() -> None:
    assert comment_text(ReportData("bom.csv", [])) == "### ✔ `bom.csv`: 0 errors, 0 warnings\n"


def test_github_text_example() -> None:
    finding = rule_finding("MP302", "the id is empty", Place("bom.csv", line=4))
    command = "::error file=bom.csv,line=4,title=MP302 empty-id::the id is empty; give the row an id, or delete it\n"
    assert github_text(ReportData("bom.csv", [finding])) == command
