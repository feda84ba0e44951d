"""``massprops plot``: one picture of a design review as a file."""

from __future__ import annotations

from massprops_cli.cli.command import Command
from massprops_cli.cli.commands.report import ReportRun, make_review
from massprops_cli.cli.stages.output_files import check_picture
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_findings
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings.finding import FindingsError, UsageError
from massprops_cli.options import PICTURE_KINDS, wrong_word_text
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
waterfall needs --baseline, limits needs limits, pareto needs σ, histogram needs --uncertainty montecarlo. svg needs no
library; png and pdf are drawn by Matplotlib (extra plot). Exit code 1 if the table has errors; the picture is written.
""",
)


def command(run: ReportRun) -> int:
    """Read the table, roll it up, and draw the picture."""
    if run.kind not in PICTURE_KINDS:
        raise UsageError(wrong_word_text("picture", run.kind, PICTURE_KINDS))
    name = run.output or "-"
    if not name.lower().endswith(".svg"):
        check_picture("" if name == "-" else name)
    bom = read_input_bom(run, write_poi="none")
    screen = report_screen(data_on_stdout=name == "-")
    from massprops_cli.reports.review.kinds import review_picture, save_picture

    try:
        review = make_review(run, bom, ReviewSettings(depth=run.depth))
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "no picture")
    picture = review_picture(review, run.kind)
    if name == "-":
        report_screen(data_on_stdout=False).write(picture.svg(is_file=True))
    else:
        save_picture(picture, name, replaces=not run.no_clobber)
    code = exit_code(review.result.findings, run)
    did = f"{run.file}: {run.kind}" + ("" if name == "-" else f" {screen.symbols.arrow} {name}")
    if not run.quiet or code:
        report_findings(screen, run.file, review.result.findings, run, did, failed=bool(code), brief=True)
    return code
