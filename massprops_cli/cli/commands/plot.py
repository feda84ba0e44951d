"""``massprops plot``: one picture of a design review as a file."""

from __future__ import annotations

from collections.abc import Sequence

from massprops_cli.cli.command import Command
from massprops_cli.cli.commands.report import ReportRun, make_review
from massprops_cli.cli.stages.output_files import check_picture
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_findings
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import Finding, FindingsError, UsageError
from massprops_cli.options import PICTURE_KINDS, wrong_word_text
from massprops_cli.reports.pictures.svg import Picture
from massprops_cli.reports.review.content import ReviewSettings

COMMAND = Command(
    "plot",
    panel="Look",
    summary="Draw one picture of a table: where its mass is, centre, inertia, uncertainty, changes.",
    examples=(
        "treemap spacecraft.csv -o treemap.svg",
        "centre bom.csv --budget budget.toml -o centre.svg",
        "waterfall bom_rev_b.csv --baseline bom.csv -o waterfall.svg",
    ),
    usual="output budget baseline uncertainty unit sheet",
    sets="single-file sigmas shared-sigmas findings",
    more="""
trend draws a history that massprops trend --record wrote; waterfall needs --baseline, limits needs limits, pareto needs
σ, histogram needs --uncertainty montecarlo. svg needs no library; png and pdf are drawn by Matplotlib (extra plot).
Exit code 1 if the table has errors; the picture is written.
""",
)


def command(run: ReportRun) -> int:
    """Draw one picture."""
    if run.kind not in (*PICTURE_KINDS, "trend"):
        raise UsageError(wrong_word_text("picture", run.kind, (*PICTURE_KINDS, "trend")))
    name = run.output or "-"
    if not name.lower().endswith(".svg"):
        check_picture("" if name == "-" else name)
    screen = report_screen(data_on_stdout=name == "-")
    try:
        picture, findings = _trend_of(run) if run.kind == "trend" else _picture_of(run)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "no picture")
    # write a picture to a file, or to standard output as svg
    from massprops_cli.reports.review.report import save_picture

    if name == "-":
        report_screen(data_on_stdout=False).write(picture.svg(is_file=True))
    else:
        save_picture(picture, name, replaces=not run.no_clobber)
    code = exit_code(findings, run)
    did = f"{run.file}: {run.kind}" + ("" if name == "-" else f" {screen.symbols.arrow} {name}")
    if not run.quiet or code:
        report_findings(screen, run.file, findings, run, did, failed=bool(code), brief=True)
    return code


def _trend_of(run: ReportRun) -> tuple[Picture, Sequence[Finding]]:
    """Draw the curve over the revisions of a recorded history."""
    from massprops_cli.trends.picture import trend_picture
    from massprops_cli.trends.trend import trend

    made = trend([run.file], budget=list(run.budget or ()))
    return trend_picture(made), made.findings


def _picture_of(run: ReportRun) -> tuple[Picture, Sequence[Finding]]:
    """Read the table, roll it up, and draw a picture of it."""
    from massprops_cli.reports.review.report import review_picture

    bom = read_input_bom(run, write_poi="none")
    review = make_review(run, bom, ReviewSettings(depth=run.depth))
    return review_picture(review, run.kind), review.result.findings
