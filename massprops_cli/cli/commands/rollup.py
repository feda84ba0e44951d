"""``massprops rollup``: every assembly; with ``--all-variants`` one column of results for every quantity column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli._front import room_function
from massprops_cli.cli.command import Command, RollupRun, changed_options, command_module, split_option_values
from massprops_cli.cli.stages import output_files, report_output, table_input, table_output
from massprops_cli.cli.streams import EXIT_FINDINGS, EXIT_OK, Screen, command_line_words, report_screen
from massprops_cli.findings.finding import Finding, Findings, FindingsError, UsageError, count_with_noun
from massprops_cli.reports.page import findings as finding_page
from massprops_cli.reports.page.conventions import ResultWriteOptions, RootView
from massprops_cli.reports.page.page import Line, verdict_line
from massprops_cli.reports.table_files import Target

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.bom.results.variants import Variants

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
    sets="several-files sigmas shared-sigmas table-output",
)
_STYLES = ("massprops_cli.styles.style", "style_tables")
_SAMPLING = ("samples", "seed", "distribution", "workers")
_ADDABLE_COLUMNS = COMMAND.option("add").words
_AGREEMENT = 1e-9  # share of a mass within which a table with other cells agrees with its condition


def _run_all_variants(run: RollupRun) -> int:
    """Read the table, roll up every variant, and report them side by side."""
    report_output.check_style("--all-variants", run.format)
    for name in changed_options(run, RollupRun):
        if name != "all_variants":
            option = name.replace("_", "-")
            option = option if COMMAND.option(option).is_setting else f"--{option}"
            raise UsageError(f"--all-variants computes mass and centre of mass only; omit {option}")
    from massprops_cli.bom.results.variants import roll_up_variants
    from massprops_cli.files.table import GridTable
    from massprops_cli.tables.options import TableOptions

    settings = table_input.settings_without_variant(run.settings)
    options = table_input.resolve_table_options(replace(run, qty_column=None), settings)
    if run.sigmas_are is not None:
        options = replace(options, sigma_level=run.sigmas_are)
    if run.method == "montecarlo":
        raise UsageError("--all-variants computes first-order sigmas; use --uncertainty covariance, massprops or none")
    findings = Findings()
    table = table_input.read_input_table(run, findings)
    target, screen = output_files.requested_output(run, table)
    try:
        variants = roll_up_variants(table, options, tuple(run.qty_column or ()), run.method, **run.correlation)
    except FindingsError as error:
        found = [*findings, *error.findings]
        return report_output.report_failure(screen, run.file, found, run, "not rolled up, nothing written")
    findings += variants.findings
    if target:
        separate = GridTable(variants.bom.table.source, variants.records())
        findings += table_output.write_plain_table(separate, TableOptions(caps=options.caps), target)
    _report_variants(screen, variants, findings, run, target)
    return report_output.exit_code(findings, run)


def _report_variants(
    screen: Screen, variants: Variants, findings: list[Finding], run: RollupRun, target: Target | None
) -> None:
    """Report the variants in the requested style."""
    from massprops_cli.reports.tree import variant_blocks

    shown, style, name = report_output.selected_findings(findings, run), run.format, variants.bom.table.source.name
    counts = count_with_noun(len(variants.names), "variant"), count_with_noun(len(variants.bom), "item")
    did = f"{name}: rolled up {counts[0]} of {counts[1]}"
    names = [] if target is None or target.is_stdout else [target.name]
    head = verdict_line(screen.symbols, shown, did, names, failed=report_output.exit_code(findings, run) != EXIT_OK)
    if style not in ("json", "jsonl", "md") and (run.quiet or style == "concise"):
        screen.show([] if run.quiet else [head])
        screen.write_text(finding_page.finding_lines(shown))
        return
    in_full = style == "full" or run.verbose
    blocks = finding_page.full_finding_blocks(shown) if in_full else finding_page.grouped_finding_blocks(shown)
    report_output.write_view(
        screen,
        style,
        lambda symbols: [head, *variant_blocks(variants, symbols)],
        [Line(), *blocks] if shown else [],
        json=variants.to_dict,
        jsonl=lambda: finding_page.finding_dicts(shown),
    )


def command(run: RollupRun) -> int:
    """Roll up a table, all its variants, or all its loading conditions."""
    if run.combine and run.in_place:
        raise UsageError("--in-place requires one table; omit --combine")
    if run.all_variants:
        return _run_all_variants(run)
    if run.condition == "all":
        code: int = command_module("conditions").command(run)
        return code
    given = {"--in-place": run.in_place, "partition": run.partition, "scheduler": run.scheduler}
    for option in (option for option, value in given.items() if value and run.condition):
        raise UsageError(f"--condition and {option} are mutually exclusive; -o FILE writes the table in the condition")
    return _roll_up_table(run)


def _roll_up_table(run: RollupRun) -> int:
    """Read the table, roll it up, write the result and report: docs/formulas.md, sections 2 to 6."""
    keywords = _rollup_keywords(run, _added_columns(run))
    extra = output_files.check_extra_names(run)
    reports = command_module("report").review_file_names(run) if run.report else list[str]()
    if run.partition and (code := _run_in_blocks(run)) is not None:
        return code
    of_table = _table_options(run)
    rolled = None if run.tables is None else run.tables.take(run.file)
    if rolled is None:
        state = output_files.file_state(run.file)
        bom = _read_in_condition(run, of_table)
    else:
        state, bom = rolled.state, rolled.bom
        table_input.check_sheet(run, bom.table)
    if table_output.has_aggregations(run):
        bom = table_output.drop_missing_mass_finding(bom)
    target = output_files.output_target(run, bom.table.source.format, to_stdout=False, in_place=run.in_place)
    output_files.check_target(target, run.file, no_clobber=run.no_clobber, others=extra)
    try:
        result = _roll_up_with_progress(bom, keywords) if rolled is None else rolled.rolled()
        findings = Findings(result.findings)
        other = table_output.aggregate_columns(result, run, findings)
        other = other._replace(
            previous=_earlier_result(run, result) if run.previous else None,
            styled=room_function(*_STYLES)(result, run.style, findings) if run.style else (),
        )
    except FindingsError as error:
        screen, did = report_screen(data_on_stdout=target.is_stdout), "not rolled up, nothing written"
        more = table_input.verbose_decision_blocks(bom, run, screen.symbols)
        commands = report_output.remedy_commands(error.findings, run)
        return report_output.report_failure(screen, run.file, error.findings, run, did, more=more, commands=commands)
    result = replace(result, about=(view := _root_view(run, result)).about)
    if not run.keep_going and any(finding.is_withholding for finding in findings):
        is_shown = run.format == "json" or (run.format in (None, "full") and not run.quiet)
        commands = report_output.remedy_commands(findings, run) if is_shown else []
        content = report_output.ReportView(Line(), view, other, commands=commands)
        return _report_partial_rollup(result, findings, target, run, content)
    if extra and result.rollup.sigmas is None:
        raise UsageError(f"{extra[0]}: table states no uncertainties to write")
    options = replace(_write_options(run), other=other)
    made = None if rolled is None or view.about is not None else rolled.written(target)  # workers know no point
    of_writing, backup = list[Finding](), ""
    if is_written := not run.condition or bool(run.output):  # else the cells are those of another condition
        of_writing, backup = table_output.write_result(result, target, options, state, made)
    output_files.write_extra_outputs(run, result)
    _write_reviews(run, result, reports, other.previous)
    findings += of_writing
    configuration = run.settings.words if run.verbose else None
    screen, code = report_screen(data_on_stdout=target.is_stdout and is_written), report_output.exit_code(findings, run)
    where = f" in condition {run.condition}" if run.condition else ""
    did = f"{result.bom.table.source.name}: rolled up {count_with_noun(len(result.bom), 'item')}{where}"
    names = [*([target.name] if is_written and not target.is_stdout else []), *extra, *reports]
    shown = report_output.selected_findings(findings, run)
    head = verdict_line(screen.symbols, shown, did, names, failed=code != EXIT_OK)
    content = report_output.ReportView(head, view, other, backup, configuration, is_written=is_written)
    report_output.report_result(screen, result, findings, run, content)
    return code


def _read_in_condition(run: RollupRun, of_table: Mapping[str, Any]) -> Bom:
    """Read a table; to write it in ``--condition``, with the changes in its cells, UsageError if it is another one."""
    conditioned = table_input.read_input_bom(run, **of_table)
    if not (run.condition and run.output) or conditioned.is_withheld:
        return conditioned
    import tempfile

    from massprops_cli.bom.rollup import rollup
    from massprops_cli.loadings.results import conditions

    plain = replace(run, condition="")
    bom = table_input.read_input_bom(plain, table_input.recorded_stdin(), **of_table)
    changed = conditions(bom, run.conditions or None, names=[run.condition]).tables[run.condition].changed_table(bom)
    source = bom.table.source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(source.name).name
        table_output.write_changed_table(changed, bom, Target(str(path), source.format))
        made = table_input.read_input_bom(plain, path.read_bytes(), **of_table)
    found, wanted = (rollup(one, "none", keep_going=True).root.mass or 0.0 for one in (made, conditioned))
    if abs(found - wanted) > _AGREEMENT * abs(wanted):
        raise UsageError(f"not written: with the changes in its cells the table has {found:.6g}, not {wanted:.6g}")
    notes = [one for one in conditioned.findings if one.rule == "MP637"]
    return replace(made, findings=(*made.findings, *notes))


def _write_reviews(run: RollupRun, result: Result, names: Sequence[str], previous: Result | None) -> None:
    """Write the design reviews of ``--report``."""
    if names:
        from massprops_cli.cli.commands.report import write_review_files
        from massprops_cli.reports.review.report import review_of_result

        old = None if previous is None else previous.bom
        write_review_files(run, names, lambda texts: review_of_result(result, run.budget, old, texts))


def _run_in_blocks(run: RollupRun) -> int | None:
    """Roll up a large table in blocks, and report what its parts and the items above them have; None for others."""
    from massprops_cli.cli.stages.block_rollup import is_block_table, roll_up_in_blocks
    from massprops_cli.cli.streams import progress_spinner

    if not is_block_table(run):
        return None
    target = output_files.output_target(run, "csv", to_stdout=False)
    if target.format != "csv" or target.is_stdout or target.compressed:
        raise UsageError(f"{run.file} is read in blocks and written to a csv file; name one with -o")
    output_files.check_target(target, run.file, no_clobber=run.no_clobber)
    screen, failed = report_screen(data_on_stdout=False), "not rolled up, nothing written"
    request = cluster_request(run)
    request = replace(request, keywords={**request.keywords, "partition": 0, "workers": 1})
    try:
        with progress_spinner(f"rolling up {run.file} in {run.partition} parts"):
            found = roll_up_in_blocks(run, request, target)
    except FindingsError as error:
        return report_output.report_failure(screen, run.file, error.findings, run, failed)
    if found.result is None:
        return report_output.report_failure(screen, run.file, found.findings, run, failed)
    bom, mass = found.result.bom, found.result.root.mass
    did = f"{run.file}: rolled up {count_with_noun(found.items, 'item')} in {count_with_noun(found.parts, 'part')}"
    did += (
        f", mass of {bom.ids[bom.tree.order[0]]} {mass:.6g} {bom.units.mass}".rstrip()
        + f" {screen.symbols.arrow} {target.name}"
    )
    shown = report_output.selected_findings(found.findings, run)
    report_output.report_findings(screen, run.file, shown, run, did, brief=True)
    return report_output.exit_code(found.findings, run)


def _earlier_result(run: RollupRun, result: Result) -> Result:
    """Roll up the masses of the earlier revision; UsageError if they are in another unit."""
    from massprops_cli.bom.rollup import rollup

    run = replace(
        run, file=run.previous, more=None, sheet=table_input.sheet_of_workbook(replace(run, file=run.previous))
    )
    earlier = rollup(table_input.read_input_bom(run, use_sigmas=False), "none", keep_going=True)
    if (unit := earlier.bom.units.mass) != (wanted := result.bom.units.mass):
        remedy = f"--units {wanted}" if unit and wanted else f"--unit mass={unit or wanted}"
        found = f"masses of {run.file} are in {unit or 'no unit'}, those of the table in {wanted or 'no unit'}"
        raise UsageError(f"{found}; pass {remedy}")
    return earlier


def cluster_request(run: RollupRun) -> table_output.TableRequest:
    """Return what a worker needs to roll up the table."""
    from massprops_cli.reports.sheets import run_date

    here = replace(run, scheduler="")
    keywords = _rollup_keywords(here, _added_columns(run))
    file_options, table_options = table_input.read_options(run, **_table_options(run))
    writing = replace(_write_options(run), date=run_date())
    return table_output.TableRequest(here, file_options, table_options, keywords, writing)


def _added_columns(run: RollupRun) -> tuple[str, ...]:
    """Return the words of ``--add``."""
    add = split_option_values(run.add)
    for word in add:
        if word not in _ADDABLE_COLUMNS:
            raise UsageError(f"invalid --add: {word} (expected some of {', '.join(_ADDABLE_COLUMNS)})")
    return add


def _table_options(run: RollupRun) -> dict[str, Any]:
    """Return the options of the table that other options of the roll-up imply."""
    return {"write_poi": run.write_poi or "keep", "used": table_output.aggregated_column_names(run)}


def _write_options(run: RollupRun) -> ResultWriteOptions:
    """Return what is written in addition to the ten quantities, without the other columns."""
    return ResultWriteOptions(
        _added_columns(run),
        overwrite_formulas=run.overwrite_formulas,
        fill_summed=run.fill_summed,
        sigma_level=run.sigma_level,
        command=command_line_words(),
        revision=run.revision,
        all_rows=run.all_rows,
        formulas=run.formulas,
    )


def _rollup_keywords(run: RollupRun, add: Sequence[str]) -> dict[str, Any]:
    """Return the uncertainty options as keywords of ``rollup``; rejects those without an effect."""
    if (method := run.method) in ("massprops", "none") and (run.covariance or "rho" in add):
        option = "--covariance" if run.covariance else "--add rho"
        raise UsageError(f"{option} requires --uncertainty covariance or montecarlo, not {method}")
    if run.plot and method != "montecarlo":
        raise UsageError("--plot requires samples; add --uncertainty montecarlo")
    if method == "none" and (run.probability or run.interval or run.sigma_level != 1):
        option = "--probability" if run.probability else "interval" if run.interval else "sigma-level"
        raise UsageError(f"{option} requires uncertainties; omit --uncertainty none")
    if run.item and method != "montecarlo" and not run.interval:
        raise UsageError("--item requires samples or intervals; add --uncertainty montecarlo or --config interval=95%")
    if method != "montecarlo" and any(name in _SAMPLING for name in changed_options(run, RollupRun)):
        raise UsageError("samples, seed and distribution require --uncertainty montecarlo")
    if run.partition and run.style:
        raise UsageError("partition and --style are mutually exclusive")
    if run.partition and method == "montecarlo":
        raise UsageError("partition and --uncertainty montecarlo are mutually exclusive")
    if run.scheduler and not (method == "montecarlo" or run.partition or run.tables is not None):
        raise UsageError("scheduler requires several files, --config partition=N or --uncertainty montecarlo")
    return {
        "uncertainty": method,
        **run.correlation,
        **{name: getattr(run, name) for name in _SAMPLING},
        "scheduler": run.scheduler,
        "partition": run.partition or 0,
        "items": tuple(run.item or ()),
        "probability": tuple(run.probability or ()),
        "intervals": tuple(run.interval or ()),
    }


def _report_partial_rollup(
    result: Result, findings: Sequence[Finding], target: Target, run: RollupRun, content: report_output.ReportView
) -> int:
    """Report a partial result that is not written because of errors; returns the exit code."""
    screen = report_screen(data_on_stdout=target.is_stdout)
    did = f"{result.bom.table.source.name}: partial, not written"
    head = verdict_line(screen.symbols, report_output.selected_findings(findings, run), did, failed=True)
    kept = "" if target.is_stdout or not Path(target.name).exists() else target.name
    report_output.report_result(
        screen, result, findings, run, content._replace(head=head, not_updated=kept, is_written=False)
    )
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


def _root_view(run: RollupRun, result: Result) -> RootView:
    """Return the view of the root: origin, reference point of inertia, principal axes."""
    datum = table_input.parse_point_option(run.datum, "datum") if run.datum else None
    about, words = run.about, ""
    point = None
    if about.startswith("item:"):
        body = result[about.removeprefix("item:")]
        if body.center is None:
            raise UsageError(f"--about names an item whose centre of mass is unknown: {about}")
        x, y, z = (float(c) for c in body.center)
        point, words = (x, y, z), f"the centre of mass of {about.removeprefix('item:')}"
    elif about.startswith("frame:"):
        name = about.removeprefix("frame:")
        bom = result.bom
        if bom.poses is None:
            raise UsageError(f"--about frame:{name} needs poses: {bom.table.source.name} has none")
        x, y, z = bom.poses.in_root.translation[bom.item(name)].tolist()
        point, words = (x, y, z), f"the origin of the frame of {name}"
    elif about != "cg":
        point, words = table_input.parse_point_option(about, "--about"), f"the point {about} of the table's frame"
    return RootView(datum, run.datum, point, words, run.principal, run.sigma_level)
