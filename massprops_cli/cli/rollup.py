"""``massprops rollup``: the main job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.exits import FOUND
from massprops_cli.cli.extra_files import Beside
from massprops_cli.cli.options import (
    Asked,
    Columns,
    Filled,
    Frame,
    Meaning,
    Output,
    Reading,
    Reporting,
    Simulated,
    Uncertain,
    listed,
)
from massprops_cli.cli.other_columns import is_asked, rolled_columns, used_columns, without_mass_rule
from massprops_cli.cli.output_files import Target, check_target, target_of
from massprops_cli.cli.reading import configuration_of, decided, point_of, read_explained, stdin_of
from massprops_cli.cli.reporting import Told, exit_code, rules_of, selected, tell_findings, tell_result
from massprops_cli.cli.streams import report_screen
from massprops_cli.cli.variants import AllVariants, tell_variants
from massprops_cli.cli.writing import Writing, write_result
from massprops_cli.findings import Finding, FindingsError, UsageError
from massprops_cli.reports.findings import plural
from massprops_cli.reports.page import Line
from massprops_cli.reports.summary import View, verdict

if TYPE_CHECKING:
    from massprops_cli.bom.read import Bom
    from massprops_cli.bom.result import Result


ADDABLE = ("radii", "sigma", "principal", "coverage", "rho", "growth")

MORE = """

FILE.rollup.SUFFIX is written beside the input; with input - the data goes to standard output, and all else
to stderr.
With errors in the table the result is printed as far as it can be computed, headed "partial, not written", and the
exit code is 1; --keep-going writes it. massprops rules CODE states which errors leave the result written.
"""


def command(
    reading: Reading,
    meaning: Meaning,
    *,
    uncertain: Uncertain,
    simulated: Simulated,
    asked: Asked,
    reporting: Reporting,
    output: Output,
    filled: Filled,
    columns: Columns,
    frame: Frame,
    variants: AllVariants,
) -> int:
    """Read, roll up, write, tell."""
    rules_of(reporting)
    if variants.all_variants:
        return tell_variants(reading, meaning, reporting, output, uncertain, simulated, asked, filled, columns, frame)
    add = listed(filled.add)
    for word in add:
        if word not in ADDABLE:
            raise UsageError(f"--add has {word}; it takes {', '.join(ADDABLE)}")
    wanted = wanted_of(uncertain, simulated, asked, add)
    write_poi = filled.write_poi.value if filled.write_poi else "keep"
    stdin = stdin_of(reading)
    uses_sigmas = wanted["uncertainty"] != "none"
    bom = read_explained(
        reading,
        meaning,
        reporting,
        stdin,
        use_sigmas=uses_sigmas,
        sigma_level=uncertain.sigmas_are,
        write_poi=write_poi,
        used=used_columns(columns),
    )
    if is_asked(columns):
        bom = without_mass_rule(bom)
    target = target_of(reading.file, bom.table.source.format, output, to_stdout=False, in_place=filled.in_place)
    try:
        result = rolled_up(bom, wanted)
        other, faults = rolled_columns(result, columns)
    except FindingsError as error:
        screen = report_screen(data_on_stdout=target.is_stdout)
        did = f"{reading.file}: not rolled up, nothing written"
        more = decided(bom, reading, screen.symbols, is_verbose=reporting.verbose)
        tell_findings(screen, reading.file, error.findings, reporting, did, failed=True, brief=True, more=more)
        return FOUND
    view = view_of(frame, asked, result)
    findings = [*result.findings, *faults]
    if not filled.keep_going and any(finding.is_withholding for finding in findings):
        return tell_partial(result, findings, target, reporting, Told(Line(), view, other))
    check_target(target, bom, reading.file, force=output.force)
    beside = Beside(asked.covariance, asked.plot, (asked.item or [""])[0])
    beside.check(result, reading.file, target.name, force=output.force)
    written = write_result(result, target, Writing(add, other, filled.overwrite_formulas, stdin, asked.sigma_level))
    beside.write(result)
    findings += written.findings
    configuration = configuration_of(reading) if reporting.verbose else None
    told = Told(Line(), view, other, written.backup, configuration)
    tell(result, findings, target, reporting, told, beside)
    return exit_code(findings, reporting)


def wanted_of(uncertain: Uncertain, simulated: Simulated, asked: Asked, add: Sequence[str]) -> dict[str, Any]:
    """Give the options of uncertainty as those of the library's ``rollup``; refuses those that would do nothing."""
    method = uncertain.uncertainty.value if uncertain.uncertainty else "auto"
    if method in ("massprops", "none") and (asked.covariance or asked.plot or "rho" in add):
        option = "--covariance" if asked.covariance else "--plot" if asked.plot else "--add rho"
        raise UsageError(f"{option} needs --uncertainty covariance or montecarlo, and it is {method}")
    if method == "none" and (asked.probability or asked.interval or asked.sigma_level != 1):
        option = "--probability" if asked.probability else "--interval" if asked.interval else "--sigma-level"
        raise UsageError(f"{option} needs uncertainties, and --uncertainty is none")
    if asked.item and method != "montecarlo" and not asked.interval:
        raise UsageError("--item shows samples and intervals; add --uncertainty montecarlo or --interval 95%")
    if method != "montecarlo" and simulated != Simulated():
        raise UsageError("--samples, --seed, --distribution, --workers and --scheduler need --uncertainty montecarlo")
    return {
        "uncertainty": method,
        "correlate": uncertain.correlate.value,
        "correlate_centers": uncertain.correlate_centers,
        "correlations": uncertain.correlations,
        "samples": simulated.samples,
        "seed": simulated.seed,
        "distribution": simulated.distribution.value,
        "workers": simulated.workers,
        "scheduler": simulated.scheduler,
        "items": tuple(asked.item or ()),
        "probability": tuple(asked.probability or ()),
        "intervals": tuple(asked.interval or ()),
    }


def tell(
    result: Result, findings: Sequence[Finding], target: Target, reporting: Reporting, told: Told, beside: Beside
) -> None:
    """Report the roll-up on the stream that is free."""
    screen = report_screen(data_on_stdout=target.is_stdout)
    did = f"{result.bom.table.source.name}: rolled up {plural(len(result.bom), 'item')}"
    names = [*([] if target.is_stdout else [target.name]), *beside.names]
    head = verdict(screen.symbols, selected(findings, reporting), did, names)
    tell_result(screen, result, findings, reporting, replace(told, head=head))


def tell_partial(result: Result, findings: Sequence[Finding], target: Target, reporting: Reporting, told: Told) -> int:
    """Report what can be computed in spite of errors that keep it from being written; gives the exit code."""
    screen = report_screen(data_on_stdout=target.is_stdout)
    did = f"{result.bom.table.source.name}: partial, not written"
    head = verdict(screen.symbols, selected(findings, reporting), did, failed=True)
    kept = "" if target.is_stdout or not Path(target.name).exists() else target.name
    tell_result(screen, result, findings, reporting, replace(told, head=head, not_updated=kept, is_written=False))
    return FOUND


def rolled_up(bom: Bom, wanted: Mapping[str, Any]) -> Result:
    """Roll up what can be, and show progress when it takes long."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.cli.streams import counted, progress

    if wanted["uncertainty"] == "montecarlo":
        with counted(f"drawing {wanted['samples']:,} samples") as advance:
            return rollup(bom, keep_going=True, progress=advance, **wanted)
    with progress(f"rolling up {len(bom):,} items"):
        return rollup(bom, keep_going=True, **wanted)


def view_of(frame: Frame, asked: Asked, result: Result) -> View:
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
    return View(datum, frame.datum, point, words, frame.principal, asked.sigma_level)
