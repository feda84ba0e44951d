"""``massprops contributions``: which leaves make the uncertainty of a result, and which weighings would help."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from massprops_cli.cli.exits import FOUND
from massprops_cli.cli.extra_files import check_picture
from massprops_cli.cli.options import OUT, SHOW, Meaning, Output, Reading, Reporting, Style, Uncertain
from massprops_cli.cli.output_files import Target, check_target, target_of
from massprops_cli.cli.reading import decided, read_explained
from massprops_cli.cli.reporting import exit_code, rules_of, selected, tell_findings
from massprops_cli.cli.streams import Screen, report_screen, screen_for
from massprops_cli.findings import Finding, FindingsError, UsageError
from massprops_cli.reports.findings import json_text

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.contributions import Contributions, MassPareto
    from massprops_cli.bom.read import Bom
    from massprops_cli.reports.page import Block


MORE = """

Shares are of the variance, exact to first order, and add up to 100 %. The derivative is that of the result by the
input that matters most in the row. -o writes every row as a table; findings of the table go to stderr.
"""
TOP = 10
WEIGHED = 3


@dataclass(frozen=True)
class Question:
    """What is to be taken apart."""

    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="RESULT",
            help="mass, Cx Cy Cz, Ixx Iyy Izz Ixy Ixz Iyz, kx ky kz, or the principal moments I1 I2 I3.",
        ),
    ] = "mass"
    item: Annotated[str, typer.Option("--item", metavar="ID", help="Of this item instead of the root.")] = ""
    mean: Annotated[
        bool, typer.Option("--mean", help="Show which leaves make the mass itself, instead of its sigma.")
    ] = False
    weigh: Annotated[
        int | None,
        typer.Option(
            "--weigh",
            metavar="N",
            min=0,
            help="Say what weighing the best N would be worth; 3 by itself, 0 for nothing.",
        ),
    ] = None
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", min=1, help="Show so many rows; 10 by itself.", rich_help_panel=SHOW),
    ] = None
    plot: Annotated[
        str,
        typer.Option(
            "--plot", metavar="FILE", help="Draw the shares as a picture: svg, png or pdf.", rich_help_panel=OUT
        ),
    ] = ""


def command(
    reading: Reading,
    meaning: Meaning,
    uncertain: Uncertain,
    reporting: Reporting,
    output: Output,
    question: Question,
) -> int:
    """Read, take the variance apart, show the rows that matter."""
    rules_of(reporting)
    if uncertain.uncertainty is not None and uncertain.uncertainty.value != "covariance":
        raise UsageError(f"contributions are those of --uncertainty covariance, not of {uncertain.uncertainty.value}")
    if question.mean and (question.weigh is not None or uncertain != Uncertain()):
        raise UsageError("--mean shows what makes the mass; --weigh and the options of uncertainty are about its sigma")
    bom = read_explained(
        reading, meaning, reporting, use_sigmas=not question.mean, sigma_level=uncertain.sigmas_are, write_poi="none"
    )
    target = table_target(bom, reading, output)
    if question.plot:
        check_picture(question.plot, reading.file, "" if target is None else target.name, force=output.force)
    screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
    more = decided(bom, reading, screen.symbols, is_verbose=reporting.verbose)
    try:
        answer = answer_of(bom, uncertain, question)
    except (FindingsError, UsageError) as error:
        from massprops_cli.rollups.leaf_sums import MissingError

        if isinstance(error, UsageError) and not (bom.is_withheld or isinstance(error, MissingError)):
            raise
        did = f"{reading.file}: {'no contributions' if isinstance(error, MissingError) else 'not rolled up'}" + (
            "" if isinstance(error, FindingsError) else f" ({error})"
        )
        findings = error.findings if isinstance(error, FindingsError) else bom.findings
        tell_findings(screen, reading.file, findings, reporting, did, failed=True, brief=True, more=more)
        return FOUND
    found = list(answer.findings)
    if question.plot:
        from massprops_cli.reports.plots import pareto_plot

        pareto_plot(answer, question.plot, question.top or TOP)
    if target is not None:
        found += write_frame(answer.to_dataframe(), target)
    if target is None or not reporting.quiet:
        tell(screen, answer, question, reporting, more)
    return tell_of_table(found, reading, reporting)


def table_target(bom: Bom, reading: Reading, output: Output) -> Target | None:
    """Say where the rows are written as a table; nowhere unless asked to."""
    if not (output.output or output.to_format):
        return None
    target = target_of(reading.file, bom.table.source.format, output, to_stdout=True)
    check_target(target, None, reading.file, force=output.force)
    return target


def answer_of(bom: Bom, uncertain: Uncertain, question: Question) -> Contributions | MassPareto:
    """Ask the library."""
    from massprops_cli.bom.contributions import contributions, mass_pareto

    item = question.item or None
    if question.mean:
        if question.of != "mass":
            raise UsageError(f"--mean shows what makes the mass, and --of is {question.of}")
        return mass_pareto(bom, item, keep_going=True)
    return contributions(
        bom,
        question.of,
        item,
        correlate=uncertain.correlate.value,
        correlate_centers=uncertain.correlate_centers,
        correlations=uncertain.correlations,
        keep_going=True,
    )


def write_frame(frame: pd.DataFrame, target: Target) -> list[Finding]:
    """Write a frame as a table in the format of the target."""
    from massprops_cli.bom.export import grid_from_dataframe
    from massprops_cli.cli.writing import write_plain
    from massprops_cli.tables.options import TableOptions

    return write_plain(grid_from_dataframe(frame), TableOptions(), target)


def tell(
    screen: Screen,
    answer: Contributions | MassPareto,
    question: Question,
    reporting: Reporting,
    more: Sequence[Block],
) -> None:
    """Show the answer in the format asked for; the formats for machines have all rows unless --top is given."""
    from massprops_cli.reports import contributions as view

    style, top = reporting.format, question.top or TOP
    weigh = WEIGHED if question.weigh is None else question.weigh
    if style is Style.json:
        screen.write(json_text(view.dictionary(answer, question.top, weigh)))
    elif style is Style.jsonl:
        screen.write(view.json_lines(answer, question.top))
    elif style is Style.md:
        screen.tell(view.markdown(answer, top, weigh))
    elif style is Style.concise:
        screen.tell(view.concise(answer, top))
    else:
        screen.show([*view.blocks(answer, screen.symbols, top, weigh), *more])


def tell_of_table(findings: Sequence[Finding], reading: Reading, reporting: Reporting) -> int:
    """Say on stderr what is to be said of the table; gives the exit code."""
    if selected(findings, reporting):
        did = f"{reading.file}: the table"
        tell_findings(screen_for(sys.stderr), reading.file, findings, reporting, did, failed=False, brief=True)
    return exit_code(findings, reporting)
