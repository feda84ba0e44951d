"""``massprops rollup``: mass properties of every assembly.

``massprops rollup --all-variants``: one column of results for every quantity column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.command import Command
from massprops_cli.cli.option_groups import (
    AggregationOptions,
    ClusterOptions,
    FrameOptions,
    MeaningOptions,
    MonteCarloOptions,
    OutputOptions,
    ReportOptions,
    ResultOptions,
    TableInputOptions,
    UncertaintyOptions,
    UncertaintyReportOptions,
    command_option,
    split_option_values,
)
from massprops_cli.cli.stages.output_files import (
    ExtraOutputs,
    check_target,
    file_state,
    output_target,
    requested_target,
)
from massprops_cli.cli.stages.report_output import (
    ReportView,
    check_style,
    exit_code,
    remedy_commands,
    report_failure,
    report_result,
    selected_findings,
    write_view,
)
from massprops_cli.cli.stages.table_input import (
    check_sheet,
    configuration_summary,
    explain_table,
    parse_point_option,
    read_and_explain_bom,
    read_input_table,
    read_options,
    resolve_table_options,
    settings_without_variant,
    verbose_decision_blocks,
)
from massprops_cli.cli.stages.table_output import (
    aggregate_columns,
    aggregated_column_names,
    drop_missing_mass_finding,
    has_aggregations,
    write_plain_table,
    write_result,
)
from massprops_cli.cli.streams import EXIT_FINDINGS, Screen, command_line_words, report_screen
from massprops_cli.findings.finding import Finding, Findings, FindingsError, UsageError
from massprops_cli.options import named_option
from massprops_cli.reports.page.findings import (
    count_with_noun,
    finding_dicts,
    finding_lines,
    full_finding_blocks,
    grouped_finding_blocks,
)
from massprops_cli.reports.page.page import Line
from massprops_cli.reports.summary import RootView, verdict_line
from massprops_cli.reports.table_files import ResultWriteOptions, Target

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.bom.variants import Variants
    from massprops_cli.cli.stages.cluster_tables import TableRequest

COMMAND = Command(
    "rollup",
    panel="Compute",
    summary="Compute the mass properties of every assembly and write the completed table.",
    examples=(
        "spacecraft.xlsx",
        "spacecraft.csv -o rolled.csv --add radii,principal",
        "spacecraft.csv --format json -o rolled.json",
    ),
    usual="output in-place add format uncertainty units poi map unit sheet",
    sets="several-files sigmas shared-sigmas table-output findings-report",
    more="""
The output is FILE.rollup.SUFFIX in the folder of the input, or the file of -o; with input - the data goes to standard
output and the report to standard error. If the table has errors, the result is printed as far as it can be computed,
headed "partial, not written", and the exit code is 1; --keep-going writes it. massprops rules CODE states the effect of
an error.
""",
)


@dataclass(frozen=True)
class _VariantOptions:
    """Roll-up of all variants."""

    all_variants: bool = command_option("all-variants", COMMAND)


def _run_all_variants(
    reading: TableInputOptions,
    meaning: MeaningOptions,
    reporting: ReportOptions,
    output: OutputOptions,
    uncertain: UncertaintyOptions,
    *others: object,
) -> int:
    """Read the table, roll up every variant, and report them side by side; ``others`` are groups that do not apply."""
    check_style("--all-variants", reporting.format)
    _reject_options(others)
    from massprops_cli.bom.variants import roll_up_variants
    from massprops_cli.files.table import GridTable
    from massprops_cli.tables.options import TableOptions

    settings = settings_without_variant(reading.settings)
    options = resolve_table_options(reading, replace(meaning, qty_column=None), settings)
    if uncertain.sigmas_are is not None:
        options = replace(options, sigma_level=uncertain.sigmas_are)
    method = uncertain.uncertainty or "auto"
    if method == "montecarlo":
        raise UsageError("--all-variants computes first-order sigmas; use --uncertainty covariance, massprops or none")
    findings = Findings()
    table = read_input_table(reading, meaning, findings)
    target = requested_target(reading.file, table, output)
    screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
    try:
        variants = roll_up_variants(table, options, tuple(meaning.qty_column or ()), method, **uncertain.correlation)
    except FindingsError as error:
        found = [*findings, *error.findings]
        return report_failure(screen, reading.file, found, reporting, "not rolled up, nothing written")
    findings += variants.findings
    if target:
        separate = GridTable(variants.bom.table.source, variants.records())
        findings += write_plain_table(separate, TableOptions(caps=options.caps), target)
    _report_variants(screen, variants, findings, reporting, target)
    return exit_code(findings, reporting)


def _reject_options(groups: Iterable[object]) -> None:
    """Reject the first option of some groups that differs from its default."""
    for group in groups:
        names = [name for name, value in vars(group).items() if value != getattr(type(group)(), name)]
        if names:
            option = f"--{names[0].replace('_', '-')}"
            raise UsageError(f"--all-variants computes mass and centre of mass only; omit {option}")


def _report_variants(
    screen: Screen, variants: Variants, findings: list[Finding], reporting: ReportOptions, target: Target | None
) -> None:
    """Report the variants in the requested style."""
    from massprops_cli.reports.tree import variant_blocks

    shown, style, name = selected_findings(findings, reporting), reporting.format, variants.bom.table.source.name
    counts = count_with_noun(len(variants.names), "variant"), count_with_noun(len(variants.bom), "item")
    did = f"{name}: rolled up {counts[0]} of {counts[1]}"
    head = verdict_line(screen.symbols, shown, did, [] if target is None or target.is_stdout else [target.name])
    if style not in ("json", "jsonl", "md") and (reporting.quiet or style == "concise"):
        screen.show([] if reporting.quiet else [head])
        screen.write_text(finding_lines(shown))
        return
    in_full = style == "full" or reporting.verbose
    blocks = full_finding_blocks(shown) if in_full else grouped_finding_blocks(shown, screen.symbols)
    write_view(
        screen,
        style,
        lambda symbols: [head, *variant_blocks(variants, symbols)],
        [Line(), *blocks] if shown else [],
        json=variants.to_dict,
        jsonl=lambda: finding_dicts(shown),
    )


_ADDABLE_COLUMNS = named_option("add").words


def command(
    reading: TableInputOptions,
    meaning: MeaningOptions,
    *,
    uncertain: UncertaintyOptions,
    simulated: MonteCarloOptions,
    cluster: ClusterOptions,
    reported: UncertaintyReportOptions,
    reporting: ReportOptions,
    output: OutputOptions,
    filled: ResultOptions,
    columns: AggregationOptions,
    frame: FrameOptions,
    variants: _VariantOptions,
) -> int:
    """Read the table, roll it up, write the result and report: docs/formulas.md, sections 2 to 6."""
    if reading.combine and filled.in_place:
        raise UsageError("--in-place requires one table; omit --combine")
    if variants.all_variants:
        return _run_all_variants(
            reading, meaning, reporting, output, uncertain, simulated, cluster, reported, filled, columns, frame
        )
    add = _added_columns(filled)
    keywords = _rollup_keywords(uncertain, simulated, cluster, reported, add)
    extra = ExtraOutputs(reported.covariance, reported.plot, (reported.item or [""])[0], not output.no_clobber)
    extra.check_names()
    of_table = _table_options(uncertain, filled, columns)
    rolled = None if cluster.tables is None else cluster.tables.take(reading.file)
    if rolled is None:
        state = file_state(reading.file)
        bom = read_and_explain_bom(reading, meaning, reporting, **of_table)
    else:
        state, bom = rolled.state, rolled.bom
        check_sheet(reading, bom.table)
        explain_table(bom, reading, meaning, reporting)
    if has_aggregations(columns):
        bom = drop_missing_mass_finding(bom)
    target = output_target(reading.file, bom.table.source.format, output, to_stdout=False, in_place=filled.in_place)
    check_target(target, reading.file, no_clobber=output.no_clobber, others=extra.names)
    try:
        result = _roll_up_with_progress(bom, keywords) if rolled is None else rolled.rolled()
        findings = Findings(result.findings)
        other = aggregate_columns(result, columns, findings)
    except FindingsError as error:
        screen, did = report_screen(data_on_stdout=target.is_stdout), "not rolled up, nothing written"
        more = verbose_decision_blocks(bom, reading, reporting, screen.symbols)
        commands = remedy_commands(error.findings, reading, meaning)
        return report_failure(screen, reading.file, error.findings, reporting, did, more=more, commands=commands)
    view = _root_view(frame, reported, result)
    if not filled.keep_going and any(finding.is_withholding for finding in findings):
        is_shown = reporting.format == "json" or (reporting.format in (None, "full") and not reporting.quiet)
        commands = remedy_commands(findings, reading, meaning) if is_shown else []
        content = ReportView(Line(), view, other, commands=commands)
        return _report_partial_rollup(result, findings, target, reporting, content)
    extra.check_result(result)
    options = replace(_write_options(filled, reported), other=other)
    written = write_result(result, target, options, state, None if rolled is None else rolled.written(target))
    extra.write(result)
    findings += written.findings
    configuration = configuration_summary(reading) if reporting.verbose else None
    content = ReportView(Line(), view, other, written.backup, configuration)
    _report_rollup(result, findings, target, reporting, content, extra)
    return exit_code(findings, reporting)


def cluster_request(
    reading: TableInputOptions,
    meaning: MeaningOptions,
    *,
    uncertain: UncertaintyOptions,
    simulated: MonteCarloOptions,
    cluster: ClusterOptions,
    reported: UncertaintyReportOptions,
    output: OutputOptions,
    filled: ResultOptions,
    columns: AggregationOptions,
    **_others: object,
) -> TableRequest:
    """Return what a worker needs to roll up the table."""
    from massprops_cli.cli.stages.cluster_tables import TableRequest
    from massprops_cli.reports.sheets import run_date

    here = replace(cluster, scheduler="")
    keywords = _rollup_keywords(uncertain, simulated, here, reported, _added_columns(filled))
    file_options, table_options = read_options(reading, meaning, **_table_options(uncertain, filled, columns))
    return TableRequest(
        reading.file,
        file_options,
        table_options,
        keywords,
        columns,
        output,
        filled.in_place,
        filled.keep_going,
        replace(_write_options(filled, reported), date=run_date()),
    )


def _added_columns(filled: ResultOptions) -> tuple[str, ...]:
    """Return the words of ``--add``."""
    add = split_option_values(filled.add)
    for word in add:
        if word not in _ADDABLE_COLUMNS:
            raise UsageError(f"invalid --add: {word} (expected some of {', '.join(_ADDABLE_COLUMNS)})")
    return add


def _table_options(uncertain: UncertaintyOptions, filled: ResultOptions, columns: AggregationOptions) -> dict[str, Any]:
    """Return the options of the table that other options of the roll-up imply."""
    return {
        "use_sigmas": uncertain.uncertainty != "none",
        "sigma_level": uncertain.sigmas_are,
        "write_poi": filled.write_poi or "keep",
        "used": aggregated_column_names(columns),
    }


def _write_options(filled: ResultOptions, reported: UncertaintyReportOptions) -> ResultWriteOptions:
    """Return what is written in addition to the ten quantities, without the other columns."""
    return ResultWriteOptions(
        _added_columns(filled),
        overwrite_formulas=filled.overwrite_formulas,
        sigma_level=reported.sigma_level,
        command=command_line_words(),
    )


def _rollup_keywords(
    uncertain: UncertaintyOptions,
    simulated: MonteCarloOptions,
    cluster: ClusterOptions,
    reported: UncertaintyReportOptions,
    add: Sequence[str],
) -> dict[str, Any]:
    """Return the uncertainty options as keywords of ``rollup``; rejects those without an effect."""
    method = uncertain.uncertainty or "auto"
    if method in ("massprops", "none") and (reported.covariance or "rho" in add):
        option = "--covariance" if reported.covariance else "--add rho"
        raise UsageError(f"{option} requires --uncertainty covariance or montecarlo, not {method}")
    if reported.plot and method != "montecarlo":
        raise UsageError("--plot requires samples; add --uncertainty montecarlo")
    if method == "none" and (reported.probability or reported.interval or reported.sigma_level != 1):
        option = "--probability" if reported.probability else "--interval" if reported.interval else "--sigma-level"
        raise UsageError(f"{option} requires uncertainties; omit --uncertainty none")
    if reported.item and method != "montecarlo" and not reported.interval:
        raise UsageError("--item requires samples or intervals; add --uncertainty montecarlo or --interval 95%")
    if method != "montecarlo" and simulated != MonteCarloOptions():
        raise UsageError("--samples, --seed, --distribution and --workers require --uncertainty montecarlo")
    if cluster.partition and method == "montecarlo":
        raise UsageError("--partition and --uncertainty montecarlo are mutually exclusive")
    if cluster.scheduler and not (method == "montecarlo" or cluster.partition or cluster.tables is not None):
        raise UsageError("--scheduler requires several files, --partition N or --uncertainty montecarlo")
    return {
        "uncertainty": method,
        **uncertain.correlation,
        **vars(simulated),
        "scheduler": cluster.scheduler,
        "partition": cluster.partition or 0,
        "items": tuple(reported.item or ()),
        "probability": tuple(reported.probability or ()),
        "intervals": tuple(reported.interval or ()),
    }


def _report_rollup(
    result: Result,
    findings: Sequence[Finding],
    target: Target,
    reporting: ReportOptions,
    content: ReportView,
    extra: ExtraOutputs,
) -> None:
    """Report the roll-up on the stream without data."""
    screen = report_screen(data_on_stdout=target.is_stdout)
    did = f"{result.bom.table.source.name}: rolled up {count_with_noun(len(result.bom), 'item')}"
    names = [*([] if target.is_stdout else [target.name]), *extra.names]
    head = verdict_line(screen.symbols, selected_findings(findings, reporting), did, names)
    report_result(screen, result, findings, reporting, content._replace(head=head))


def _report_partial_rollup(
    result: Result, findings: Sequence[Finding], target: Target, reporting: ReportOptions, content: ReportView
) -> int:
    """Report a partial result that is not written because of errors; returns the exit code."""
    screen = report_screen(data_on_stdout=target.is_stdout)
    did = f"{result.bom.table.source.name}: partial, not written"
    head = verdict_line(screen.symbols, selected_findings(findings, reporting), did, failed=True)
    kept = "" if target.is_stdout or not Path(target.name).exists() else target.name
    report_result(screen, result, findings, reporting, content._replace(head=head, not_updated=kept, is_written=False))
    return EXIT_FINDINGS


def _roll_up_with_progress(bom: Bom, keywords: Mapping[str, Any]) -> Result:
    """Roll up what can be computed, and show progress."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.cli.streams import progress_bar, progress_spinner

    if keywords["uncertainty"] == "montecarlo":
        with progress_bar(f"computing {keywords['samples']:,} samples") as advance:
            return rollup(bom, keep_going=True, progress=advance, **keywords)
    with progress_spinner(f"rolling up {len(bom):,} items"):
        return rollup(bom, keep_going=True, **keywords)


def _frame_origin(bom: Bom, name: str) -> list[float]:
    """Return the origin of the frame of an item, such as a link, in that of the root."""
    if bom.poses is None:
        raise UsageError(f"--about frame:{name} needs poses: {bom.table.source.name} has none")
    origin: list[float] = bom.poses.in_root.translation[bom.item(name)].tolist()
    return origin


def _root_view(frame: FrameOptions, reported: UncertaintyReportOptions, result: Result) -> RootView:
    """Return the view of the root: origin, reference point of inertia, principal axes."""
    datum = parse_point_option(frame.datum, "--datum") if frame.datum else None
    about, words = frame.about, ""
    point = None
    if about.startswith("item:"):
        body = result[about.removeprefix("item:")]
        if body.center is None:
            raise UsageError(f"--about names an item whose centre of mass is unknown: {about}")
        x, y, z = (float(c) for c in body.center)
        point, words = (x, y, z), f"the centre of mass of {about.removeprefix('item:')}"
    elif about.startswith("frame:"):
        name = about.removeprefix("frame:")
        x, y, z = _frame_origin(result.bom, name)
        point, words = (x, y, z), f"the origin of the frame of {name}"
    elif about != "cg":
        point, words = parse_point_option(about, "--about"), f"the point {about} of the table's frame"
    return RootView(datum, frame.datum, point, words, frame.principal, reported.sigma_level)
