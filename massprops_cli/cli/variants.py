"""``massprops rollup --all-variants``: one column of results for every column of quantities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from massprops_cli.cli.exits import FOUND
from massprops_cli.cli.options import MEANING, Meaning, Output, Reading, Reporting, Style, Uncertain
from massprops_cli.cli.output_files import Target, check_target, target_of
from massprops_cli.cli.reading import read_table, table_options_of, without_variant
from massprops_cli.cli.reporting import check_style, exit_code, selected, tell_findings
from massprops_cli.cli.settings import settings_for
from massprops_cli.cli.streams import Screen, report_screen
from massprops_cli.cli.writing import write_plain
from massprops_cli.findings import Finding, FindingsError, UsageError
from massprops_cli.reports.findings import concise, full_blocks, grouped_blocks, json_lines, json_text, plural
from massprops_cli.reports.page import FULL, Line, fenced
from massprops_cli.reports.summary import verdict

if TYPE_CHECKING:
    from massprops_cli.bom.variants import Variants
    from massprops_cli.tables.options import TableOptions


@dataclass(frozen=True)
class AllVariants:
    """Whether every variant is rolled up."""

    all_variants: Annotated[
        bool,
        typer.Option(
            "--all-variants",
            help="Roll up every column of quantities: those of --qty-column, or those that look like variants.",
            rich_help_panel=MEANING,
        ),
    ] = False


def tell_variants(
    reading: Reading, meaning: Meaning, reporting: Reporting, output: Output, uncertain: Uncertain, *others: object
) -> int:
    """Read once, roll up every variant, write where asked to, and show them beside each other.

    ``others`` are the groups of options that have no meaning here, each as the command line left it.
    """
    check_style("--all-variants", reporting.format)
    refuse_options(others)
    from massprops_cli.bom.variants import roll_up_variants

    settings = without_variant(settings_for(reading.file, reading.config))
    options = table_options_of(reading, replace(meaning, qty_column=None), settings)
    if uncertain.sigmas_are is not None:
        options = replace(options, sigma_level=uncertain.sigmas_are)
    method = uncertain.uncertainty.value if uncertain.uncertainty else "auto"
    if method == "montecarlo":
        raise UsageError("--all-variants gives sigmas to first order; use --uncertainty covariance, massprops or none")
    table, findings = read_table(reading)
    target = None
    if output.output or output.to_format:
        target = target_of(reading.file, table.source.format, output, to_stdout=True)
        check_target(target, None, reading.file, force=output.force)
    screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
    try:
        variants = roll_up_variants(
            table,
            options,
            tuple(meaning.qty_column or ()),
            method,
            correlate=uncertain.correlate.value,
            correlate_centers=uncertain.correlate_centers,
            correlations=uncertain.correlations,
        )
    except FindingsError as error:
        did = f"{reading.file}: not rolled up, nothing written"
        tell_findings(screen, reading.file, [*findings, *error.findings], reporting, did, failed=True, brief=True)
        return FOUND
    findings = [*findings, *variants.findings, *(written(variants, options, target) if target else [])]
    show(screen, variants, findings, reporting, target)
    return exit_code(findings, reporting)


def refuse_options(groups: Iterable[object]) -> None:
    """Refuse the first option of some groups that is not left as it is by itself."""
    for group in groups:
        names = [name for name, value in vars(group).items() if value != getattr(type(group)(), name)]
        if names:
            option = f"--{names[0].replace('_', '-')}"
            raise UsageError(f"--all-variants gives mass and centre of every variant; leave out {option}")


def written(variants: Variants, options: TableOptions, target: Target) -> list[Finding]:
    """Write the results as a table of their own."""
    from massprops_cli.files.table import GridTable
    from massprops_cli.tables.options import TableOptions

    plain = TableOptions(max_depth=options.max_depth, max_items=options.max_items)
    return write_plain(GridTable(variants.bom.table.source, variants.records()), plain, target)


def show(
    screen: Screen, variants: Variants, findings: list[Finding], reporting: Reporting, target: Target | None
) -> None:
    """Report in the format asked for."""
    from massprops_cli.reports.tree import variant_blocks

    shown, style, name = selected(findings, reporting), reporting.format, variants.bom.table.source.name
    did = f"{name}: rolled up {plural(len(variants.names), 'variant')} of {plural(len(variants.bom), 'item')}"
    head = verdict(screen.symbols, shown, did, [] if target is None or target.is_stdout else [target.name])
    if style is Style.json:
        screen.write(json_text(variants.to_dict()))
    elif style is Style.jsonl:
        screen.write(json_lines(shown))
    elif style is Style.md:
        screen.write(fenced([head, *variant_blocks(variants, FULL)]))
    elif reporting.quiet or style is Style.concise:
        screen.show([] if reporting.quiet else [head])
        screen.write(concise(shown))
    else:
        blocks = full_blocks(shown) if style is Style.full else grouped_blocks(shown, screen.symbols, "--format full")
        screen.show([head, *variant_blocks(variants, screen.symbols), *([Line(), *blocks] if shown else [])])
