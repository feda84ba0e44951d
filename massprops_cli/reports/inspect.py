"""How a table is read, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page.conventions import configuration_words, source_words, unit_text
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.tables.cells.units import quantity_dimension
from massprops_cli.tables.options import DEFAULT_ALLOWED_MISSING, base_quantity

if TYPE_CHECKING:
    from massprops_cli.bom.inspection import Inspection
    from massprops_cli.tables.account import ReadColumn


def reading_blocks(seen: Inspection, configuration: Sequence[str], symbols: Symbols) -> list[PageBlock]:
    """Lay out the account of a table: where it is, its meaning, its columns, and the rows that are not items."""
    where = [*source_words(seen.source), ("header", seen.header), ("first item", seen.first_item)]
    units = ", ".join(dict.fromkeys(seen.units))
    is_default = seen.options.allow_missing == DEFAULT_ALLOWED_MISSING
    meaning = [
        ("layout", seen.layout + (f": {seen.how}" if seen.how else "")),
        ("root", seen.root),
        ("units", unit_text(units, symbols) if units else "not stated; read as coherent"),
        ("products", seen.signs),
        ("inertia about", seen.about),
        *(("uncertainty" if k == 0 else "", words) for k, words in enumerate(seen.sigmas)),
        ("growth", seen.growth),
        ("assembly values", seen.options.assembly_values or "check"),
        (
            "may be missing",
            "" if is_default else ", ".join(sorted(seen.options.allow_missing)) or "none (--config strict=true)",
        ),
    ]
    pairs = [*configuration_words(configuration), *where, *meaning]
    return [
        Line(),
        Grid([[TextSpan(name, "dim"), TextSpan(words)] for name, words in pairs if words], "ll"),
        Line(),
        _column_grid(seen, symbols),
        *_excluded_row_blocks(seen),
        *_coverage_blocks(seen),
    ]


def _column_grid(seen: Inspection, symbols: Symbols) -> Grid:
    """List the columns with quantity, unit and reason, or the reason for not reading them."""
    # adjacent columns that differ only in their axis share a row, and so do columns that are not read for the same
    # reason
    rows = [[TextSpan(text, "dim") for text in ("column", "header", "read as", "unit", "reason")]]
    # group adjacent columns of one dimension with the same unit and reason
    groups: list[list[ReadColumn]] = []
    for column in seen.columns:
        before = groups[-1][-1] if groups and quantity_dimension(column.quantity) is not None else None
        if before and before.number + 1 == column.number and _column_traits(before) == _column_traits(column):
            groups[-1].append(column)
        else:
            groups.append([column])
    for group in groups:
        first, last = group[0], group[-1]
        unit = unit_text(first.unit, symbols) or "-"
        factor = f" {symbols.times} {first.factor!r}" if first.factor != 1 else ""
        place = f" ({first.unit_from})" if first.unit_from not in ("", "header") else ""
        texts = (
            _column_range_text(getattr(first, name), getattr(last, name), symbols)
            for name in ("address", "header", "quantity")
        )
        why = f"{first.why}; {first.equation} in {first.rows} rows" if first.equation else first.why
        rows.append([TextSpan(text) for text in (*texts, unit + factor + place, why)])
    for why in dict.fromkeys(column.why for column in seen.unread):
        group_of = [column for column in seen.unread if column.why == why]
        addresses, headers = (
            ", ".join(" ".join(getattr(c, name).split()) for c in group_of) for name in ("address", "header")
        )
        rows.append(
            [
                TextSpan(text, "dim")
                for text in (addresses, headers, "-" if why == "defines the tree" else "not read", "", why)
            ]
        )
    return Grid(rows, "lllll", shrink=1)


def _column_traits(column: ReadColumn) -> tuple[object, ...]:
    """Return the properties that columns of one row share."""
    spread = column.quantity.removesuffix(base_quantity(column.quantity))
    return spread, quantity_dimension(column.quantity), column.unit, column.unit_from, column.factor, column.why


def _column_range_text(first: str, last: str, symbols: Symbols) -> str:
    """Name the first and the last of a group, each on one line."""
    first, last = " ".join(first.split()), " ".join(last.split())
    return first if first == last else f"{first} {symbols.rest} {last}"


def _excluded_row_blocks(seen: Inspection) -> list[PageBlock]:
    """List the excluded rows with the reason."""
    if not seen.left_out:
        return []
    rows = [[TextSpan("excluded", "dim"), TextSpan("rows", "dim"), TextSpan("")]]
    for group in seen.left_out:
        rest = group.count - len(group.rows)
        more = f" and {rest:,} more" if rest else ""
        rows.append([TextSpan(group.why), TextSpan(f"{group.count:,}"), TextSpan("; ".join(group.rows) + more)])
    return [Line(), Grid(rows, "lrl", shrink=2)]


def _coverage_blocks(seen: Inspection) -> list[PageBlock]:
    """Report the number of leaves with each quantity."""
    if not (counts := seen.coverage):
        return []
    known = [(name, counts[name]) for name in ("mass", "center", "inertia", "sigma") if counts[name]]
    parts = ", ".join(f"{'CG' if name == 'center' else name} of {count:,}" for name, count in known) or "no value"
    rows = count_with_noun(counts["rows"], "row")
    leaves = count_with_noun(counts["leaves"], "leaf")
    return [Line(), text_line(f"  {rows} below the header, {leaves} counted; known: {parts}")]
