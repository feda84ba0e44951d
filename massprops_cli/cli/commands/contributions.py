"""``massprops contributions``: contributors to an uncertainty, and the gain from weighing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from massprops_cli.cli.command import Command, TableRun, WritingRun, changed_options, command_option
from massprops_cli.cli.stages.output_files import check_picture, requested_output
from massprops_cli.cli.stages.report_output import exit_code, is_silent, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.streams import EXIT_OK, Screen
from massprops_cli.findings.finding import Finding, FindingsError, UsageError
from massprops_cli.reports.table_files import WORKBOOK_FORMATS, SheetTitle, Target

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.contributions import Contributions, MassPareto
    from massprops_cli.reports.page.page import PageBlock

COMMAND = Command(
    "contributions",
    panel="Compute",
    summary="Rank the contributors to an uncertainty and show the gain from weighing them.",
    examples=("spacecraft.csv", "spacecraft.csv --of Ixx --top 5", "spacecraft.csv --value --item PLD"),
    usual="of item top value weigh correlate output plot format sheet",
    sets="single-file sigmas shared-sigmas table-output view",
    more="""
Shares are of the variance, exact to first order, and add up to 100 %. The derivative is that of the result by the
dominant input of the row. -o writes every row as a table; findings of the table go to standard error.
""",
)
_DEFAULT_ROWS = 10
_DEFAULT_WEIGHINGS = 3


class _ContributionRun(WritingRun):
    """The options of ``contributions``: with the result, and the rows to show."""

    of: str = command_option("of", COMMAND)
    item: str = command_option("item", COMMAND)
    value: bool = command_option("value", COMMAND)
    weigh: int | None = command_option("weigh", COMMAND)
    top: int | None = command_option("top", COMMAND)
    plot: str = command_option("plot", COMMAND)


def command(run: _ContributionRun) -> int:
    """Rank the contributions to the variance, first order: docs/formulas.md, sections 5 and 6."""
    if run.uncertainty is not None and run.uncertainty != "covariance":
        raise UsageError(f"contributions requires --uncertainty covariance, not {run.uncertainty}")
    if run.value and (run.weigh is not None or changed_options(run, TableRun)):
        raise UsageError(
            "--value excludes --weigh and the uncertainty options, because it ranks contributions to the mass itself"
        )
    check_picture(run.plot)
    bom = read_input_bom(run, use_sigmas=not run.value, write_poi="none")
    target, screen = requested_output(run, bom.table)
    more = verbose_decision_blocks(bom, run, screen.symbols)
    try:
        answer = _requested_contributions(bom, run)
    except (FindingsError, UsageError) as error:
        from massprops_cli.rollups.leaf_sums import MissingError

        if isinstance(error, UsageError) and not (bom.is_withheld or isinstance(error, MissingError)):
            raise
        did = "no contributions" if isinstance(error, MissingError) else "not rolled up"
        if isinstance(error, FindingsError):
            return report_failure(screen, run.file, error.findings, run, did, more=more)
        return report_failure(screen, run.file, bom.findings, run, f"{did} ({error})", more=more)
    found = list(answer.findings)
    if run.plot:
        from massprops_cli.reports.plots import pareto_plot

        pareto_plot(answer, run.plot, run.top or _DEFAULT_ROWS, replaces=not run.no_clobber)
    if target is not None:
        from massprops_cli.reports import contributions as view

        sheet = SheetTitle("Contributions", view.contribution_title(answer))
        found += write_frame(answer.to_dataframe(), target, sheet, partial(view.contribution_heading, answer))
    if not is_silent(run, has_output=target is not None):
        _report_contributions(screen, answer, run, more, exit_code(found, run) != EXIT_OK)
    return report_on_stderr(run.file, found, run, f"{run.file}: the table")


def _requested_contributions(bom: Bom, run: _ContributionRun) -> Contributions | MassPareto:
    """Compute the requested contributions."""
    from massprops_cli.bom.contributions import contributions, mass_pareto

    item = run.item or None
    if run.value:
        if run.of != "mass":
            raise UsageError(f"--value ranks contributions to the mass only, not to --of {run.of}")
        return mass_pareto(bom, item, keep_going=True)
    return contributions(bom, run.of, item, **run.correlation, keep_going=True)


def write_frame(
    frame: pd.DataFrame, target: Target, sheet: SheetTitle, headings: Callable[[str], str] | None = None
) -> list[Finding]:
    """Write a frame as a table; a worksheet has no blank column; headings are words in it, or have units everywhere."""
    from massprops_cli.bom.results.export import grid_from_dataframe
    from massprops_cli.cli.stages.table_output import write_plain_table
    from massprops_cli.files.table import short_numbers
    from massprops_cli.tables.options import TableOptions

    if headings is None:
        units = {name: f"{name} [{unit}]" for name, unit in frame.attrs["units"].items() if unit}
        frame, headings = frame.rename(columns=units), str
    numbers = frame.select_dtypes("float")
    frame = frame.assign(**{str(name): short_numbers(numbers[name].to_numpy()) for name in numbers})
    if target.format in WORKBOOK_FORMATS:
        blank = [name for name in frame if len(frame) and (frame[name].isna() | frame[name].eq("")).all()]
        frame = frame.drop(columns=blank).rename(columns=headings)
    return write_plain_table(grid_from_dataframe(frame), TableOptions(), target, sheet)


def _report_contributions(
    screen: Screen, answer: Contributions | MassPareto, run: _ContributionRun, more: Sequence[PageBlock], failed: bool
) -> None:
    """Report the contributions in the requested style; json and jsonl have all rows unless --top is given."""
    from massprops_cli.reports import contributions as view

    top, weigh = run.top or _DEFAULT_ROWS, _DEFAULT_WEIGHINGS if run.weigh is None else run.weigh
    write_view(
        screen,
        run.format,
        lambda symbols: view.contribution_blocks(answer, symbols, top, weigh, failed=failed),
        more,
        json=lambda: view.contribution_dict(answer, run.top, weigh),
        jsonl=lambda: view.contribution_rows(answer, run.top),
        md=lambda: view.contribution_markdown(answer, top, weigh),
        concise=lambda: view.contribution_lines(answer, top),
    )
