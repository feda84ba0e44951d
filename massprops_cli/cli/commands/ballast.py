"""``massprops ballast``: least ballast that keeps limits of centre and inertia, and balancing in two planes."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import Any

from massprops_cli.cli.command import (
    Command,
    RepeatedOption,
    WritingRun,
    command_option,
    parse_number_option,
    split_option_ids,
    with_options,
)
from massprops_cli.cli.stages.output_files import requested_output
from massprops_cli.cli.stages.report_output import is_silent, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.stages.table_output import write_changed_table
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_FINDINGS
from massprops_cli.findings.finding import FindingsError, UsageError

COMMAND = Command(
    "ballast",
    panel="Compute",
    summary="Find the least ballast that keeps limits of centre and inertia.",
    examples=(
        'spacecraft.csv --to "Cx in -2..2 mm" --at ballast/ballast_points.csv',
        'spacecraft.csv --to "Cx in -2..2 mm" --to "Cy in -1..1 mm" --at ballast/ballast_points.csv -o ballasted.csv',
        "spacecraft.csv --planes 0.1,1.1",
    ),
    usual="to at sigma remove planes output format unit sheet",
    sets="single-file sigmas shared-sigmas findings",
    more="""
POINTS is a table with id, x, y, z, and optionally max mass, piece mass, stock (pieces of that mass) and parent; units
are in the headings. Limits apply to the predicted mass where growth is stated. With piece masses the answer is in whole
pieces. Centres alone give the least mass; with limits of inertia the answer is a local optimum. Every answer is
checked in exact fractions and by a roll-up. Exit code 1: impossible; the limits that clash, and what would help, are
printed. -o writes the table with the ballast as items. --condition all keeps the limits in all loading conditions.
Needs SciPy (extra ballast), except --planes.
""",
)


class _BallastRun(WritingRun):
    """The options of ``ballast``: limits, places and what may be removed, or two planes."""

    to: RepeatedOption = command_option("to", COMMAND)
    to_format: str = ""  # the suffix of -o
    at: str = command_option("at", COMMAND)
    sigma: str = command_option("sigma", COMMAND)
    remove: RepeatedOption = command_option("remove", COMMAND)
    planes: str = command_option("planes", COMMAND)


def command(run: _BallastRun) -> int:
    """Read the table, find the ballast, and report it."""
    if run.uncertainty not in (None, "covariance", "none"):
        raise UsageError(f"uncertainty {run.uncertainty} is not supported by ballast (covariance or none)")
    if not run.planes and not (run.to and run.at):
        raise UsageError("ballast needs --to LIMIT and --at POINTS, such as --to 'Cx in -5..5 mm', or --planes Z1,Z2")
    if run.planes and run.output:
        raise UsageError("-o writes ballast at places; --planes gives masses times radius: omit one")
    names = split_option_ids(run.remove)
    marks = [name.removeprefix("column:") for name in names if name.startswith("column:")]
    is_all, ignored = run.condition == "all", [*(run.ignore_column or ()), *marks]  # they do not choose the rows
    if run.condition and not is_all and run.output:
        raise UsageError("-o writes the table as it was read, with ballast for --condition all, not for one condition")
    run = with_options(run, ignore_column=ignored, condition="" if is_all else run.condition)
    bom = read_input_bom(run, write_poi="none")
    target, screen = requested_output(run, bom.table)
    if target is not None and bom.layout != "parent":
        name = shlex.quote(f"{PurePath(run.file).stem}.parent{PurePath(run.file).suffix}")
        first = f"massprops convert {shlex.quote(run.file)} --to-layout parent -o {name}"
        raise UsageError(f"-o adds rows to the layout parent, not to {bom.layout}; first {first}, then use {name}")
    from massprops_cli.ballasts.ballast import ballast
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.ballast import ballast_blocks, ballast_csv

    code = EXIT_FINDINGS
    try:
        result = rollup(bom, run.method, **run.correlation)
        of_conditions = None
        if is_all:
            from massprops_cli.loadings.results import conditions

            made = conditions(bom, run.conditions or None, uncertainty=run.method, correlate=run.correlate)
            of_conditions = {name: made[name] for name in made.names}
        code = EXIT_FAILURE  # faults of the call
        with _quiet_solver():
            limits: dict[str, Any] = {"remove": names, "planes": run.planes, "conditions": of_conditions}
            limits["sigma"] = parse_number_option("--sigma", run.sigma or "0")
            answer = ballast(result, run.to or (), run.at or None, **limits)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "no ballast computed", code)
    findings = list(answer.findings)
    if target is not None and answer.is_possible:
        findings += write_changed_table(answer.changed_table(), bom, target)
    if not is_silent(run, has_output=target is not None):
        write_view(
            screen,
            run.format,
            lambda symbols: ballast_blocks(answer, symbols, shows_all=run.format == "full" or run.verbose),
            verbose_decision_blocks(bom, run, screen.symbols),
            json=answer.to_dict,
            jsonl=lambda: answer.to_dict()["placed"],
            csv=lambda: ballast_csv(answer),
        )
    did = f"{run.file}: {'ballast computed' if answer.is_possible else 'limits are not kept'}"
    code = report_on_stderr(run.file, findings, run, did, failed=not answer.is_possible)
    return code if answer.is_possible else max(code, EXIT_FINDINGS)


@contextmanager
def _quiet_solver() -> Iterator[None]:
    """Discard what the solver's library itself prints to standard output, to which data may be written."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        with suppress(OSError, AttributeError, TypeError):
            import ctypes

            ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
