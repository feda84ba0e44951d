"""``massprops report``: a design review in one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from massprops_cli.bom.bom import Bom
from massprops_cli.cli.command import (
    Command,
    RollupRun,
    TableRun,
    command_name,
    command_option,
    command_record,
    split_option_values,
    with_options,
)
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.output_files import check_output_file, sibling_file
from massprops_cli.cli.stages.table_input import read_input_bom, sheet_of_workbook, verbose_decision_blocks
from massprops_cli.cli.streams import command_line_words, report_screen
from massprops_cli.findings.finding import FindingsError, UsageError, count_with_noun
from massprops_cli.options import SECTION_NAMES, STATUS_COLUMNS, wrong_word_text
from massprops_cli.reports.review.content import Review, ReviewSettings, review_format

COMMAND = Command(
    "report",
    panel="Write",
    summary="Write a design review in one file: status, margins, centre, uncertainty, changes.",
    examples=(
        "spacecraft.csv -o review.html",
        "bom.csv --budget budget.toml -o review.html",
        "bom_rev_b.csv --baseline bom.csv --static --reproducible -o review.html",
    ),
    usual="output budget baseline reasons by static reproducible uncertainty unit sheet",
    sets="single-file sigmas shared-sigmas findings",
    more="""
The file needs no network and holds no code of others but Apache ECharts; it is whole without a script, in print and
on a phone. Sections appear where their data exist. [report] of massprops.toml has title, project, author, logo,
revision, date, sections, status-columns, depth, and remarks in Markdown by section or item: [report.remarks].
Exit code as of check: 1 if a limit is broken or the table has errors; the report is written.
""",
)


class ReportRun(RollupRun):
    """The options of ``report`` and ``plot``."""

    kind: str = command_option("kind", "plot")
    baseline: str = command_option("baseline")
    reasons: str = command_option("reasons")
    today: str = command_option("today")
    static: bool = command_option("static")
    reproducible: bool = command_option("reproducible")
    title: str = command_option("title")
    project: str = command_option("project")
    author: str = command_option("author")
    logo: str = command_option("logo")
    history: str = command_option("history")
    date: str = command_option("date")
    sections: Any = command_option("sections")
    status_columns: Any = command_option("status-columns")
    depth: int = command_option("depth", "report")
    chromium: str = command_option("chromium")


def command(run: ReportRun) -> int:
    """Read the table, roll it up, check and compare it, and write the report."""
    from massprops_cli.reports.review.page import review_page
    from massprops_cli.reports.review.report import review_sections, write_review

    name = run.output or str(sibling_file(run.file, "review.html"))
    review_format(name)
    settings = _review_settings(run)
    if name != "-":
        check_output_file(name, no_clobber=run.no_clobber)
    bom = read_input_bom(run, write_poi="none")
    screen = report_screen(data_on_stdout=name == "-")
    more = verbose_decision_blocks(bom, run, screen.symbols)
    try:
        review = make_review(run, bom, settings)
    except FindingsError as error:
        return report_output.report_failure(screen, run.file, error.findings, run, "no report", more=more)
    if name == "-":
        report_screen(data_on_stdout=False).write(review_page(review, review_sections(review)))
    else:
        write_review(review, name, program=run.chromium, replaces=not run.no_clobber)
    code = report_output.exit_code(review.findings, run)
    did = f"{run.file}: report on {count_with_noun(len(bom), 'item')}"
    did += "" if name == "-" else f" {screen.symbols.arrow} {name}"
    if not run.quiet or code:
        shown = report_output.selected_findings(review.findings, run)
        report_output.report_findings(screen, run.file, shown, run, did, failed=bool(code), brief=True, more=more)
    return code


def make_review(run: ReportRun, bom: Bom, settings: ReviewSettings) -> Review:
    """Roll up a table, and read what it is compared with."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.review.report import review_of_result

    drawn = {name: getattr(run, name) for name in ("samples", "seed", "distribution")}
    keywords = drawn if run.method == "montecarlo" else {}
    result = rollup(bom, run.method, keep_going=True, **run.correlation, **keywords)
    baseline = None
    if run.baseline:
        old = with_options(run, file=run.baseline, more=None, condition="")
        baseline = read_input_bom(with_options(old, sheet=sheet_of_workbook(old)), write_poi="none")
    budgets = list(dict.fromkeys(run.budget)) if run.budget else None
    review = review_of_result(result, budgets, baseline, settings, reasons=run.reasons, today=run.today)
    vars(review)["findings"] = report_output.selected_findings(
        review.findings, with_options(run, quiet=False)
    )  # the file is whole
    return review


def review_file_names(run: TableRun) -> list[str]:
    """Return the files of ``--report html=FILE``; UsageError for another style, an input, or several tables."""
    texts: list[str] = [text for text in getattr(run, "report", None) or () if text.startswith("html=")]
    inputs = [run.file, getattr(run, "old", ""), *(getattr(run, "budget", None) or ())]
    words = command_record(command_name(command_line_words()) or "rollup").option("report").words
    if not words and len(texts) < len(getattr(run, "report", None) or ()):
        raise UsageError("invalid --report: expected html=FILE; other styles are those of massprops check")
    if texts and run.accounts is not None:
        raise UsageError("--report html=FILE is a report on one table; run the command for each file")
    return [name for _, name in report_output.parse_report_options(texts, [name for name in inputs if name])]


def write_review_files(run: TableRun, names: Sequence[str], make: Callable[[ReviewSettings], Review]) -> None:
    """Write a design review next to the result of another command, with the texts of [report]."""
    if not names:
        return
    from massprops_cli.reports.review.report import write_review

    review = make(_review_settings(run))
    for name in names:
        if review_format(name) != "html":
            raise UsageError(f"--report html={name}: the suffix of the file is .html; massprops report writes others")
        write_review(review, name, replaces=not run.no_clobber)


def _review_settings(run: TableRun) -> ReviewSettings:
    """Return the texts of the report, of the options and of [report]."""
    stated = run.settings.report

    def value(name: str, default: Any = "") -> Any:
        return getattr(run, name.replace("-", "_"), None) or stated.get(name, default)

    sections, columns = (split_option_values(value(name)) for name in ("sections", "status-columns"))
    for label, words, known in (("sections", sections, SECTION_NAMES), ("status-columns", columns, STATUS_COLUMNS)):
        if wrong := next((word for word in words if word not in known), ""):
            raise UsageError(wrong_word_text(label, wrong, known))
    texts = {name: value(name) for name in ("title", "project", "author", "logo", "history", "revision", "date")}
    command_line = "massprops " + " ".join(command_line_words())
    return ReviewSettings(
        **texts, remarks=stated.get("remarks", {}), sections=sections, columns=columns, command=command_line,
        by=split_option_values(value("by")), depth=run.depth if isinstance(run, ReportRun) else int(value("depth", 3)),
        is_static=value("static", False), is_reproducible=value("reproducible", False),
    )  # fmt: skip
