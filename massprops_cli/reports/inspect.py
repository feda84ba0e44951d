"""What was understood of a table, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings import Severity
from massprops_cli.reports.page import (
    Grid,
    Line,
    PageBlock,
    Symbols,
    TextSpan,
    WordPairs,
    count_with_noun,
    source_words,
    text_line,
    unit_text,
)
from massprops_cli.tables import DEFAULT_ALLOWED_MISSING, TableOptions, base_quantity, quantity_dimension

if TYPE_CHECKING:
    from massprops_cli.bom import Inspection, ReadColumn


_ERRORS_SHOWN = 6
"""How many kinds of errors are shown; validate shows them all."""


def inspect_blocks(seen: Inspection, configuration: Sequence[str], symbols: Symbols) -> list[PageBlock]:
    """Lay out everything that was understood; ``configuration`` names the files of options that were read."""
    return [
        _inspection_headline(seen, symbols),
        Line(),
        _inspection_grid([*_source_pairs(seen, configuration), *_meaning_pairs(seen, symbols)]),
        Line(),
        _column_grid(seen, symbols),
        *_excluded_row_blocks(seen),
        *_coverage_blocks(seen),
        *_finding_summary_blocks(seen, symbols),
    ]


def _inspection_headline(seen: Inspection, symbols: Symbols) -> Line:
    """Say in a line whether the file holds a table of parts."""
    errors = seen.count(Severity.ERROR)
    if seen.is_bom and errors:
        what = f" {seen.source.name}: a tree under {seen.root}, with {count_with_noun(errors, 'error')} to settle"
        return text_line(TextSpan(symbols.bad, "bad"), what)
    if seen.is_bom:
        what = f" {seen.source.name}: {count_with_noun(seen.coverage['items'], 'item')} under {seen.root}"
        return text_line(TextSpan(symbols.good, "good"), what)
    found = (
        "columns were read, and no tree of parts was found" if seen.columns else "no column names anything of a part"
    )
    return text_line(TextSpan(symbols.bad, "bad"), f" {seen.source.name}: {found}")


def _inspection_grid(pairs: WordPairs) -> Grid:
    """Make a grid of names and what was understood, without those that are empty."""
    return Grid([[TextSpan(name, "dim"), TextSpan(words)] for name, words in pairs if words], "ll")


def _source_pairs(seen: Inspection, configuration: Sequence[str]) -> WordPairs:
    """Say how bytes became a table and where in it the items stand."""
    told = [("configuration" if k == 0 else "", words) for k, words in enumerate(configuration)]
    return [*told, *source_words(seen.source), ("header", seen.header), ("first item", seen.first_item)]


def _meaning_pairs(seen: Inspection, symbols: Symbols) -> WordPairs:
    """Say what the table means: hierarchy, units, signs, points, errors, values of assemblies."""
    units = ", ".join(dict.fromkeys(seen.units))
    return [
        ("layout", seen.layout + (f": {seen.how}" if seen.how else "")),
        ("units", unit_text(units, symbols) if units else "not stated; taken as coherent"),
        ("products", seen.signs),
        ("inertia about", seen.about),
        *(("errors" if k == 0 else "", words) for k, words in enumerate(seen.sigmas)),
        ("growth", seen.growth),
        ("assembly values", seen.options.assembly_values or "check"),
        ("may be missing", _allowed_missing_words(seen.options)),
    ]


def _allowed_missing_words(options: TableOptions) -> str:
    """Name what may be missing where that is not the default."""
    if options.allow_missing == DEFAULT_ALLOWED_MISSING:
        return ""
    return ", ".join(sorted(options.allow_missing)) or "nothing, as --strict says"


def _column_grid(seen: Inspection, symbols: Symbols) -> Grid:
    """Say of every column what it was read as, in which unit, and why; or why it was not read.

    Columns side by side that differ in nothing but their axis, and all that are not read for one reason, share a row.
    """
    rows = [[TextSpan(text, "dim") for text in ("column", "header", "read as", "unit", "why")]]
    for group in _similar_column_groups(seen.columns):
        first, last = group[0], group[-1]
        unit = unit_text(first.unit, symbols) or "-"
        factor = f" {symbols.times} {first.factor!r}" if first.factor != 1 else ""
        place = f" ({first.unit_from})" if first.unit_from not in ("", "header") else ""
        texts = (
            _column_range_text(getattr(first, name), getattr(last, name), symbols)
            for name in ("address", "header", "quantity")
        )
        rows.append([TextSpan(text) for text in (*texts, unit + factor + place, first.why)])
    for why in dict.fromkeys(column.why for column in seen.unread):
        group_of = [column for column in seen.unread if column.why == why]
        addresses, headers = (
            ", ".join(" ".join(getattr(c, name).split()) for c in group_of) for name in ("address", "header")
        )
        rows.append(
            [
                TextSpan(text, "dim")
                for text in (addresses, headers, "-" if why == "makes the tree" else "not read", "", why)
            ]
        )
    return Grid(rows, "lllll", shrink=1)


def _similar_column_groups(columns: Sequence[ReadColumn]) -> list[list[ReadColumn]]:
    """Group columns with a unit's dimension that stand side by side and say the same of themselves."""
    groups: list[list[ReadColumn]] = []
    for column in columns:
        before = groups[-1][-1] if groups and quantity_dimension(column.quantity) is not None else None
        if before and before.number + 1 == column.number and _column_traits(before) == _column_traits(column):
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _column_traits(column: ReadColumn) -> tuple[object, ...]:
    """Give what columns in one row have in common."""
    spread = column.quantity.removesuffix(base_quantity(column.quantity))
    return spread, quantity_dimension(column.quantity), column.unit, column.unit_from, column.factor, column.why


def _column_range_text(first: str, last: str, symbols: Symbols) -> str:
    """Name the first and the last of a group, each on one line.

    >>> from massprops_cli.reports.page.page import ASCII
    >>> _column_range_text("Cx", "Cz", ASCII), _column_range_text("Mass\\n[kg]", "Mass\\n[kg]", ASCII)
    ('Cx .. Cz', 'Mass [kg]')
    """
    first, last = " ".join(first.split()), " ".join(last.split())
    return first if first == last else f"{first} {symbols.rest} {last}"


def _excluded_row_blocks(seen: Inspection) -> list[PageBlock]:
    """Say which rows were left out and why."""
    if not seen.left_out:
        return []
    rows = [[TextSpan("left out", "dim"), TextSpan("rows", "dim"), TextSpan("")]]
    for group in seen.left_out:
        rest = group.count - len(group.rows)
        more = f" and {rest:,} more" if rest else ""
        rows.append([TextSpan(group.why), TextSpan(f"{group.count:,}"), TextSpan("; ".join(group.rows) + more)])
    return [Line(), Grid(rows, "lrl", shrink=2)]


def _coverage_blocks(seen: Inspection) -> list[PageBlock]:
    """Say of how many leaves each quantity is known."""
    counts = seen.coverage
    if not counts:
        return [Line()]
    known = [(name, counts[name]) for name in ("mass", "center", "inertia", "sigma") if counts[name]]
    told = ", ".join(f"{name} of {count:,}" for name, count in known) or "no number"
    words = (
        f"  {count_with_noun(counts['rows'], 'row')} below the header, {counts['leaves']:,} leaves count; known: {told}"
    )
    return [Line(), text_line(words.replace("1 leaves count", "1 leaf counts") if counts["leaves"] == 1 else words)]


def _reading_finding_blocks(seen: Inspection) -> list[PageBlock]:
    """Say once for each rule what was decided in reading, the warnings first."""
    first = {f.rule: f for f in reversed(seen.findings) if f.severity is not Severity.ERROR}
    told = sorted(first.values(), key=lambda finding: (-finding.severity.rank, finding.rule))
    styles = {Severity.WARNING: "warn", Severity.NOTE: "note"}
    return [
        text_line(TextSpan(f"    {f.severity.value} ", styles[f.severity]), f"{f.rule}: {f.message}", hang=6)
        for f in told
    ]


def _finding_summary_blocks(seen: Inspection, symbols: Symbols) -> list[PageBlock]:
    """Count the findings, and say what one line would settle each kind of error."""
    counts = [
        count_with_noun(seen.count(severity), severity.value) for severity in reversed(Severity) if seen.count(severity)
    ]
    blocks: list[PageBlock] = [
        text_line("  findings of reading: " + (", ".join(counts) or "none")),
        *_reading_finding_blocks(seen),
    ]
    first = {f.rule: f for f in reversed(seen.findings) if f.severity is Severity.ERROR}
    if not first:
        return blocks
    errors = sorted(first.values(), key=lambda finding: finding.rule)
    blocks += [Line(), text_line(TextSpan("  what would settle the rest", "strong"))]
    for finding in errors[:_ERRORS_SHOWN]:
        blocks.append(text_line(TextSpan(f"  {symbols.bad} ", "bad"), f"{finding.rule}: {finding.message}", hang=4))
        if finding.remedy:
            blocks.append(text_line(f"    {symbols.arrow} {finding.remedy}", hang=6))
    if len(errors) > _ERRORS_SHOWN:
        blocks.append(
            text_line(f"  and {len(errors) - _ERRORS_SHOWN} more kinds of errors: massprops validate shows them")
        )
    return blocks
