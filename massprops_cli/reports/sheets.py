"""What the tool's own worksheets hold: Rollup, Findings and About; and a whole table as a worksheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.fill import coherent_unit, headed
from massprops_cli.bom.result_columns import CORRELATIONS
from massprops_cli.bom.result_dict import (
    ALLOWANCE,
    AXIS_NAMES,
    COVERAGE,
    PREDICTED,
    PRINCIPAL,
    SHARE,
    SIGMA_PRINCIPAL,
    further_column,
    is_sigma,
)
from massprops_cli.files.fill import Filling
from massprops_cli.files.view import as_in_file, own_names
from massprops_cli.files.workbook.sheet_xml import LONGEST_TEXT, CellValue, Comment, Look, Sheet, SheetsFor
from massprops_cli.findings import Finding, Severity
from massprops_cli.reports.conventions import uncertainty_rows, units_words
from massprops_cli.reports.findings import by_gravity, counts_text
from massprops_cli.reports.limits import reconciliation_cells
from massprops_cli.reports.number_text import format_of_values, number_formats
from massprops_cli.reports.page import FULL
from massprops_cli.reports.samples import samples_sheet
from massprops_cli.reports.subtotals import Other
from massprops_cli.tables.quantities import TEXT_QUANTITIES, WITH_NUMBERS
from massprops_cli.trees.tree import preorder

if TYPE_CHECKING:
    from massprops_cli.bom.read import Bom
    from massprops_cli.bom.result import Result
    from massprops_cli.files.table import Table
    from massprops_cli.tables.columns import Columns


TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
RADII = ("kx", "ky", "kz")
DEEPEST_OUTLINE = 7
LOOKS = {Severity.ERROR: Look.ERROR, Severity.WARNING: Look.WARNING, Severity.NOTE: Look.NOTE}
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """What the tool's own sheets hold beside the results.

    Other columns, how many standard deviations a sigma is, and whether all correlations are to stand there.
    """

    other: Other
    sigma_level: int = 1
    correlations: bool = False


def own_sheets(result: Result, findings: Sequence[Finding], options: SheetOptions) -> SheetsFor:
    """Make the maker of the tool's own sheets; it is given what the writing adds to ``findings``."""
    rolled: list[Sheet] = []

    def made(more: Sequence[Finding]) -> list[Sheet]:
        if not rolled:
            rolled.append(rollup_sheet(result, options))
            rolled.append(samples_sheet(result, options.sigma_level))
        told = [*findings, *more]
        return [*rolled, findings_sheet(told), about_sheet(result, told, options.sigma_level)]

    return made


def rollup_sheet(result: Result, options: SheetOptions) -> Sheet:
    """Put every item with every result on a sheet, in the table's coherent units, products as tensor entries.

    Other columns that were rolled up stand to the right, subtotals below the items after a blank row.
    """
    bom = result.bom
    other, level = options.other, options.sigma_level
    names, columns = result_columns(result, options)
    parents = bom.tree.parent.tolist()
    depth = bom.tree.depth()
    texts: list[Sequence[CellValue]] = [list(bom.ids), [bom.ids[p] if p >= 0 else None for p in parents]]
    header: list[CellValue] = ["id", "parent"]
    if bom.names is not None:
        header.append("name")
        texts.append(list(bom.names))
    header += [headed(name, coherent_unit(result, name), level if is_sigma(name) else 1) for name in names]
    header += [f"{rolled.way} {name}" for name, rolled in other.columns]
    columns += [rolled.values for _, rolled in other.columns]
    rows: list[Sequence[CellValue]] = [header]
    rows += zip(*texts, *(column.tolist() for column in columns), strict=True)
    assemblies = np.flatnonzero(~bom.tree.is_leaf()) + 1
    computed = {
        len(texts) + k: assemblies for k, name in enumerate(names) if name.removeprefix("sigma_") in (*TEN, *RADII)
    }
    below = subtotal_rows(result, options, names, len(texts))
    outline = np.concatenate([[0], np.minimum(depth, DEEPEST_OUTLINE), np.zeros(len(below))]).astype(np.uint8)
    rows += below
    # a filter would sort the subtotals in among the items
    formats = {len(texts) + k: code for k, column in enumerate(columns) if (code := format_of_values(column))}
    return Sheet(
        "Rollup",
        rows,
        number_formats=formats,
        computed=computed,
        outline=outline,
        frozen_columns=1,
        autofilter=not below,
        own=True,
    )


def subtotal_rows(result: Result, options: SheetOptions, names: Sequence[str], texts: int) -> list[Sequence[CellValue]]:
    """Give a blank row, and a row a group under the columns of the items; ``texts`` columns of text come first."""
    other, groups = options.other, options.other.groups
    if groups is None:
        return []
    k = len(groups.labels)
    grouped = replace(result, rollup=groups.rollup)
    found = dict(zip(*result_columns(grouped, options, of_groups=True), strict=True))
    blank = np.full(k, np.nan)
    columns = [found.get(name, blank)[:k] for name in names]
    columns += [rolled.values[:k] for _, rolled in other.group_columns]
    by = "by " + ", ".join(other.labels)
    values = zip(*(column.tolist() for column in columns), strict=True)
    rest = [None] * (texts - 2)
    rows: list[Sequence[CellValue]] = [[None] * (texts + len(columns))]
    rows += [[", ".join(label), by, *rest, *row] for label, row in zip(groups.labels, values, strict=True)]
    return rows


def result_columns(result: Result, options: SheetOptions, *, of_groups: bool = False) -> tuple[list[str], list[Floats]]:
    """Give the names and values of everything that was computed, a value an item; sigmas at a level.

    ``of_groups`` leaves out what is known of items only: growth, and shares by method.
    """
    if "mass" not in result.bom.columns.by_quantity:  # other columns are all there is
        return ["coverage_leaves"], [result.coverage_column("coverage_leaves")]
    names = [quantity for name in (*TEN, *RADII) for quantity in (name, f"mean_{name}", f"sigma_{name}")]
    names += [quantity for both in zip(PRINCIPAL, SIGMA_PRINCIPAL, strict=True) for quantity in both]
    names += [*ALLOWANCE, *(PREDICTED + name for name in TEN)]
    names += [*AXIS_NAMES, *COVERAGE, *(SHARE + word for word in result.shares_of_mass)]
    names += CORRELATIONS if options.correlations else ()
    if of_groups:
        names = [name for name in names if not name.startswith((SHARE, PREDICTED, *ALLOWANCE))]
    level = options.sigma_level
    found = [(name, values) for name in names if (values := further_column(result, name)) is not None]
    return [name for name, _ in found], [level * values if is_sigma(name) else values for name, values in found]


def findings_sheet(findings: Sequence[Finding]) -> Sheet:
    """Put every finding on a sheet, the gravest first."""
    rows: list[list[CellValue]] = [["severity", "rule", "name", "place", "item", "value", "message", "remedy", "count"]]
    looks = {}
    for finding in by_gravity(findings):
        looks[len(rows), 0] = LOOKS[finding.severity]
        # without the file's name, so that a roll-up of this very file gives the same sheet
        cells = (replace(finding.place, file=""), finding.item, finding.value, finding.message, finding.remedy)
        texts = [str(cell)[:LONGEST_TEXT] or None for cell in cells]
        rows.append([finding.severity.value, finding.rule, finding.name, *texts, float(finding.count)])
    if len(rows) == 1:
        rows.append(["none", *[None] * 8])
    return Sheet("Findings", rows, widths=[10, 8, 22, 28, 18, 18, 60, 50, 8], looks=looks, own=True)


def about_sheet(result: Result, findings: Sequence[Finding], level: int) -> Sheet:
    """Say what made the results, and what they are to be read with."""
    from massprops_cli._version import VERSION
    from massprops_cli.bom.outcome import SIGN_WORDS

    bom = result.bom
    totals: list[list[CellValue]] = [[*pair] for pair in reconciliation_cells(result)]
    rows: list[list[CellValue]] = [
        ["massprops", VERSION],
        ["sheet", bom.table.source.sheet or None],
        ["layout", bom.layout],
        ["items", float(len(bom))],
        ["findings", counts_text(findings)],
        ["units", units_words(result, FULL)],
        ["frame", "one frame for all items; centres from its origin"],
        ["inertia", "about each item's own centre of mass"],
        ["products", SIGN_WORDS.partition(": ")[2] + " in the sheet Rollup; in the table, each row's own convention"],
        *uncertainty_cells(result, level),
        *totals,
        [
            "marks",
            "coloured cells of the table were computed; the colour and the comments are replaced by the next run",
        ],
    ]
    looks = {(0, 0): Look.TITLE, **{(k, 0): Look.HEADER for k in range(1, len(rows))}}
    return Sheet("About", rows, header_rows=0, widths=[14, 90], looks=looks, autofilter=False, own=True)


def uncertainty_cells(result: Result, level: int) -> list[list[CellValue]]:
    """State the method, whose errors are shared, and the sigma level, a row each."""
    return [[name, words] for name, words in uncertainty_rows(result, FULL, level)]


def comments_of(bom: Bom, findings: Sequence[Finding]) -> list[Comment]:
    """Turn findings that have a cell of the table's own sheet into comments, one a cell."""
    from massprops_cli.files.workbook.cells import cell_position

    texts: dict[tuple[int, int], list[str]] = {}
    for finding in findings:
        place = finding.place
        if not place.cell or (place.sheet and place.sheet != bom.table.source.sheet):
            continue
        position = cell_position(place.cell)
        if position is not None:
            remedy = f"\n{finding.remedy}" if finding.remedy else ""
            texts.setdefault(position, []).append(f"{finding.severity.value} {finding.rule}: {finding.message}{remedy}")
    return [Comment(row, column, "\n\n".join(said)) for (row, column), said in sorted(texts.items())]


def bom_sheet(bom: Bom, filling: Filling) -> Sheet:
    """Put the whole filled table on a worksheet, the tree as outline groups where its rows stand depth-first."""
    outline = np.zeros(bom.table.n_rows, dtype=np.uint8)
    order = preorder(bom.tree)
    order = order[bom.rows[order] >= 0]
    if (np.diff(bom.rows[order]) > 0).all():
        outline[bom.rows[order]] = np.minimum(bom.tree.depth()[order], DEEPEST_OUTLINE)
    return plain_sheet(as_in_file(bom.table), bom.columns, own_names(bom.table, filling), outline)


def plain_sheet(table: Table, columns: Columns, filling: Filling, outline: NDArray[np.uint8] | None = None) -> Sheet:
    """Put a whole table on a worksheet named BOM: numbers as numbers, everything else as text."""
    from massprops_cli.files.workbook.new import table_sheet

    name, numeric = table.source.sheet or "BOM", numeric_columns(table, columns)
    counted = {columns.by_quantity["qty"].index} if "qty" in columns.by_quantity else set()
    sheet = table_sheet(table, filling, name=name, numeric=numeric, outline=outline)
    return replace(sheet, number_formats=number_formats(table, sorted(numeric - counted), columns.first_row))


def numeric_columns(table: Table, columns: Columns) -> set[int]:
    """Tell which columns become numbers: those of a number quantity, and those whose cells all read back as written."""
    texts = {
        column.index
        for quantity, column in columns.by_quantity.items()
        if quantity in TEXT_QUANTITIES and quantity not in WITH_NUMBERS
    }
    sure = {
        column.index
        for quantity, column in columns.by_quantity.items()
        if quantity not in TEXT_QUANTITIES or quantity == "qty"
    }
    others = set(range(table.n_columns)) - texts - sure
    # parts of a tuple's cell have columns of their own that the file does not have
    return {j for j in sure if j < table.n_columns} | {
        j for j in others if all(map(reads_back, table.texts(j, columns.first_row)))
    }


def reads_back(text: str) -> bool:
    """Tell whether a text is blank, or a number in the shortest form that reads back the same.

    >>> reads_back("1.5"), reads_back("1.50"), reads_back("007"), reads_back("")
    (True, False, False, True)
    """
    if not text:
        return True
    from massprops_cli.tables.numbers import read_number

    number = read_number(text)
    return number is not None and text in (repr(number), repr(number).removesuffix(".0"))
