"""``massprops rollup``: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.cli.asking import point_of, read_bom
from massprops_cli.cli.options import (
    Columns,
    Filled,
    Frame,
    Meaning,
    Output,
    Reading,
    Reporting,
    Uncertain,
    listed,
)
from massprops_cli.cli.outputs import Target, check_target, target_of
from massprops_cli.cli.report import tell_findings, tell_result
from massprops_cli.cli.selection import exit_code, rules_of
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings import FindingsError, UsageError
from massprops_cli.report.findings_text import plural
from massprops_cli.report.summary import View, verdict

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.result import Result

ADDABLE = ("radii", "sigma", "principal", "coverage")

MORE = """

FILE.rollup.SUFFIX is written beside the input; with input - the data goes to standard output, and all else to stderr.
A table with errors is not rolled up: all of them are told, nothing is written, and the exit code is 1.
"""


def command(
    reading: Reading,
    meaning: Meaning,
    uncertain: Uncertain,
    reporting: Reporting,
    output: Output,
    filled: Filled,
    columns: Columns,
    frame: Frame,
) -> int:
    """Read, roll up, write, tell."""
    rules_of(reporting)
    add = listed(filled.add)
    for word in add:
        if word not in ADDABLE:
            raise UsageError(f"--add has {word}; it takes {', '.join(ADDABLE)}")
    method = uncertain.uncertainty.value if uncertain.uncertainty else "auto"
    write_poi = filled.write_poi.value if filled.write_poi else "keep"
    bom = read_bom(reading, meaning, use_sigmas=method != "none", write_poi=write_poi)
    target = target_of(
        reading.file, bom.table.source.format, output, to_stdout=False, in_place=filled.in_place
    )
    result = rolled_up(bom, method, reading, reporting, target, keep_going=filled.keep_going)
    if result is None:
        return 1
    view = view_of(frame, result)
    check_target(target, bom, reading.file, force=output.force)
    from massprops_cli.cli.writing import write_result

    said = write_result(result, target, add, columns, overwrite_formulas=filled.overwrite_formulas)
    findings = [*result.findings, *said]
    screen = report_screen(data_on_stdout=target.is_stdout)
    head = verdict(
        screen.symbols,
        findings,
        f"{reading.file}: rolled up {plural(len(bom), 'item')}",
        [] if target.is_stdout else [target.name],
    )
    tell_result(screen, result, findings, reporting, view, head)
    return exit_code(findings, reporting)


def rolled_up(
    bom: Bom, method: str, reading: Reading, reporting: Reporting, target: Target, *, keep_going: bool
) -> Result | None:
    """Roll up; on errors tell all findings and give nothing."""
    from massprops_cli.bom.rolling import rollup
    from massprops_cli.report.progress import progress

    try:
        with progress(f"rolling up {len(bom):,} items"):
            return rollup(bom, method, keep_going=keep_going)
    except FindingsError as error:
        screen = report_screen(data_on_stdout=target.is_stdout)
        did = f"{reading.file}: not rolled up, nothing written"
        tell_findings(screen, reading.file, error.findings, reporting, did, failed=True, brief=True)
        return None


def view_of(frame: Frame, result: Result) -> View:
    """Say how the root is to be shown."""
    datum = point_of(frame.datum, "--datum") if frame.datum else None
    about, words = frame.about, ""
    point = None
    if about.startswith("item:"):
        body = result[about.removeprefix("item:")]
        if body.center is None:
            raise UsageError(f"--about is {about}, and the centre of that item is not known")
        x, y, z = (float(c) for c in body.center)
        point, words = (x, y, z), f"the centre of {about.removeprefix('item:')}"
    elif about != "cg":
        point, words = point_of(about, "--about"), f"the point {about} of the table's frame"
    return View(datum, frame.datum, point, words, frame.principal)
