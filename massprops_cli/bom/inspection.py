"""Inspection of a table: its location, columns, units, conventions, and the columns and rows that are not read.

Nothing is rolled up, so that it also applies to tables with errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any, BinaryIO, Unpack

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, ReadKeywords, bom_from, read_options_from_keywords
from massprops_cli.bom.items.item_flags import point_text
from massprops_cli.bom.items.pose_cells import stated_angle_unit
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Table, TableSource, TableView
from massprops_cli.findings.finding import Finding, Findings, Severity, TableError, UsageError, html_table
from massprops_cli.options import show_keywords
from massprops_cli.rollups.coverage import LeafCounts
from massprops_cli.tables.cells.units import ANGLE_QUANTITIES, OUTPUT_PREFIXES, POSE_QUANTITIES, quantity_dimension
from massprops_cli.tables.columns.column_units import UNIT_GROUPS
from massprops_cli.tables.columns.columns import (
    QuantityColumn,
    TableColumns,
    read_columns,
    synonym_source,
    synonym_sources,
)
from massprops_cli.tables.columns.headings import (
    EXACT_MATCH,
    heading_unit,
    is_quantity_like,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.columns.table_location import find_table
from massprops_cli.tables.layouts.levels import level_columns
from massprops_cli.tables.options import TableOptions

EACH_ROW = "each row"
"""Where the unit of a column is stated whose rows have units of their own; ``unit`` is then the first."""


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column that is read: its number from 1, address, header, quantity and unit.

    ``sure`` is ``name`` for a canonical name, ``synonym`` for a known other one, ``named`` if the user named it, and
    ``place`` if its cells and the columns next to it identify it; ``why`` is the source in words. ``unit_from`` is
    where the unit is stated, or empty; a cell × ``factor`` is the value in the coherent units.
    """

    number: int
    address: str
    header: str
    quantity: str
    unit: str
    unit_from: str
    factor: float
    sure: str
    why: str


@dataclass(frozen=True, slots=True)
class UnreadColumn:
    """A column that is not read, and why."""

    address: str
    header: str
    why: str


def _column_address(table: Table, row: int, column: int) -> str:
    """Return a column's letters in a sheet, or its number from 1 in a text file."""
    cell = table.place(row, column).cell
    return cell.rstrip("0123456789") if cell else str(column + 1)


def _column_reading(
    table: Table, columns: TableColumns, options: TableOptions, column: QuantityColumn, chosen_by: Mapping[str, str]
) -> ReadColumn:
    """Return one column that is read; ``chosen_by`` names the source of a quantity's column."""
    if column.quantity in options.map:
        sure, why = "named", f"named by {chosen_by.get(column.quantity, '--map')}"
    elif column.quantity in POSE_QUANTITIES:
        sure, why = "name", "name of a pose, next to an origin or a frame"
    elif not read_heading(column.header).quantity:
        sure, why = "place", "from its cells and the columns next to it"
    elif read_heading(column.header).rank == EXACT_MATCH:
        sure, why = "name", "canonical name"
    else:
        source = synonym_source(column.header, column.quantity)
        sure, why = "synonym", "a synonym" + (f" ({source})" if source else "")
    unit, source = column.unit, _unit_source(table, columns, options, column)
    if column.quantity in ANGLE_QUANTITIES:
        below = columns.header_row + 1
        units_cell = table.text(below, column.index) if below < columns.first_row else ""
        unit, source = stated_angle_unit(column, units_cell, options.unit)
    address = _column_address(table, columns.header_row, column.index)
    read = (column.index + 1, address, column.header, column.quantity, unit, source, column.factor)
    return ReadColumn(*read, sure, why)


def _unit_source(table: Table, columns: TableColumns, options: TableOptions, column: QuantityColumn) -> str:
    """Return where a column's unit is stated; nothing where it has none."""
    if not column.unit or quantity_dimension(column.quantity) is None:
        return ""
    if column.by_row is not None:
        return EACH_ROW
    if read_heading(column.header).unit or heading_unit(column.header, column.quantity):
        return "header"
    below = columns.header_row + 1
    if below < columns.first_row and table.text(below, column.index).strip():
        return "units row"
    groups = [group for group, members in UNIT_GROUPS.items() if column.quantity in members]
    return "--unit" if any(name in options.unit for name in (column.quantity, *groups)) else "another column"


def _unread_column_list(table: Table, columns: TableColumns) -> tuple[UnreadColumn, ...]:
    """Return the columns with a header that are not read."""
    read = {column.index for column in columns.by_quantity.values()}
    chosen = {column.quantity: column.header for column in columns.by_quantity.values()}
    return tuple(
        UnreadColumn(_column_address(table, columns.header_row, j), text.strip(), _unread_reason(text, chosen))
        for j, text in enumerate(columns.header)
        if j not in read and text.strip()
    )


def _unread_reason(text: str, chosen: Mapping[str, str]) -> str:
    """Return why a column is not read; ``chosen`` is quantity → header of the column that is read for it."""
    quantity = read_heading(text).quantity
    if quantity:
        return f"{chosen[quantity]} is read for {quantity}" if quantity in chosen else f"would be {quantity}"
    if text.strip().startswith(OUTPUT_PREFIXES):
        return "a result of an earlier roll-up"
    if any(squeezed == squeeze_text(text) for squeezed, _ in synonym_sources().get("", ())):
        return "known name, but not an input: a total or a share"
    return "resembles a quantity, but has no known name" if is_quantity_like(text) else "no known name"


_MAX_LISTED_ROWS = 8
"""How many rows are named for one reason."""


@dataclass(frozen=True, slots=True)
class ExcludedRowGroup:
    """Some rows that were left out for one reason: how many, and what the first of them are called."""

    why: str
    count: int
    rows: tuple[str, ...]


def _excluded_row_groups(
    table: Table, columns: TableColumns, bom: Bom | None, findings: Sequence[Finding]
) -> tuple[ExcludedRowGroup, ...]:
    """Group the rows that are not items by reason; without ``bom`` only those around the items are known."""
    sheet: Table = table.base if isinstance(table, TableView) else table
    around = np.flatnonzero(table.left_out).tolist() if isinstance(table, TableView) else []
    joined = {str(finding.place) for finding in findings if finding.rule == "MP241"}  # read with the header
    groups = {"above the header": [i for i in range(columns.header_row) if str(table.place(i)) not in joined]}
    if columns.first_row > columns.header_row + 1:
        groups["a row of units"] = [columns.header_row + 1]
    groups["around the table"] = [i for i in around if i >= columns.first_row]
    groups = {why: [i for i in rows if _has_row_text(sheet, i)] for why, rows in groups.items()}
    if bom is not None:
        groups |= _excluded_rows_by_reason(sheet, columns, bom, set(groups["around the table"]))
    return tuple(
        ExcludedRowGroup(why, len(rows), tuple(_addressed_row_label(sheet, i) for i in rows[:_MAX_LISTED_ROWS]))
        for why, rows in groups.items()
        if rows
    )


def _has_row_text(table: Table, row: int) -> bool:
    """Return whether a row has something in it."""
    return any(text.strip() for text in table.row(row))


def _excluded_rows_by_reason(table: Table, columns: TableColumns, bom: Bom, around: set[int]) -> dict[str, list[int]]:
    """Find the rows below the header without an item, and those whose quantity is 0."""
    used = np.zeros(table.n_rows, bool)
    used[bom.rows[bom.rows >= 0]] = True
    used[list(around)] = True
    rest = (np.flatnonzero(~used[columns.first_row :]) + columns.first_row).tolist()
    filled = [i for i in rest if _has_row_text(table, i)]
    nothing = sorted(set(bom.rows[(bom.quantity.count == 0) & (bom.rows >= 0)].tolist()))
    words = "not selected" if bom.options.root or bom.options.where else "no item"
    return {"blank": sorted(set(rest) - set(filled)), words: filled, "quantity 0": nothing}


def _addressed_row_label(table: Table, row: int) -> str:
    """Return a row's address and the first text in it."""
    where = _table_row_address(table, row)
    first = next((text.strip() for text in table.row(row) if text.strip()), "")
    return f"{where} {first[:40]}" if first else where


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was understood of one table, and every finding of reading it.

    ``header`` and ``first_item`` are addresses of rows; ``root`` is the id at the top. ``layout``, ``root`` and
    ``coverage`` are empty where no tree could be made of the table. ``coverage`` counts rows of the table, items,
    leaves that count, and of how many of these mass, centre, inertia and sigmas are known. ``remedies`` are one line
    an error that resolves it.
    """

    source: TableSource
    header: str
    first_item: str
    layout: str
    how: str
    root: str
    columns: tuple[ReadColumn, ...]
    unread: tuple[UnreadColumn, ...]
    units: tuple[str, ...]
    signs: str
    about: str
    sigmas: tuple[str, ...]
    growth: str
    left_out: tuple[ExcludedRowGroup, ...]
    coverage: Mapping[str, int]
    options: TableOptions
    findings: tuple[Finding, ...]

    def _repr_html_(self) -> str:
        """Return a table of the columns that are read for a notebook."""
        header = ["header", "column", "quantity", "unit", "read because of"]
        rows = ((one.header, one.address, one.quantity, one.unit, one.why or one.sure) for one in self.columns)
        layout = f", layout {self.layout}" if self.layout else ", no tree"
        return html_table(f"Columns read of {self.source.name}{layout}", header, rows, len(self.columns))

    @property
    def is_bom(self) -> bool:
        """Whether a tree of items could be made of the table, by columns that name something of them."""
        return bool(self.layout and self.columns)

    @property
    def remedies(self) -> tuple[str, ...]:
        """What resolves the errors: the remedy of each, once."""
        errors = (f for f in self.findings if f.severity is Severity.ERROR)
        return tuple(dict.fromkeys(f.remedy for f in errors if f.remedy))

    def count(self, severity: Severity) -> int:
        """Count the findings of one severity.

        Parameters
        ----------
        severity : Severity
            Severity.

        Returns
        -------
        int
            Number of findings.
        """
        return sum(finding.severity is severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Export the inspection as JSON values.

        Returns
        -------
        dict
            JSON values; an empty text means none.
        """
        source = self.source
        names = ("name", "format", "compressed", "sheet", "encoding", "delimiter")
        return {
            "source": {name: getattr(source, name) for name in names},
            "header": self.header,
            "first_item": self.first_item,
            "layout": self.layout,
            "how": self.how,
            "root": self.root,
            "columns": [asdict(column) for column in self.columns],
            "columns_not_read": [asdict(column) for column in self.unread],
            "units": list(self.units),
            "sign": self.signs,
            "inertia_about": self.about,
            "sigmas": list(self.sigmas),
            "rows_left_out": [asdict(rows) for rows in self.left_out],
            "coverage": dict(self.coverage),
            "growth": self.growth,
            "assembly_values": self.options.assembly_values or "check",
            **({"configuration": list(self.options.configuration)} if self.options.configuration else {}),
            "remedies": list(self.remedies),
            "findings": [finding.to_dict() for finding in self.findings],
        }


def inspect(source: BomSource, **options: Unpack[ReadKeywords]) -> Inspection:
    """Report how a table was read: columns, units, layout, rows and columns that were left out.

    Parameters
    ----------
    source : BomSource
        A path, an open file or a DataFrame, or a bill of materials that has been read.
    **options : keywords
        Keywords on the file and on the meaning of its table, as in ``read_bom``; only with a path.

    Returns
    -------
    Inspection
        Where no tree can be made of the table, its columns are listed and ``is_bom`` is False.

    Raises
    ------
    TableError
        No table with a header in the file.
    UsageError
        An unknown keyword, or a word that it does not take; the message names the nearest.

    Notes
    -----
    Nothing is rolled up.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> seen = inspect(Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "Mass (kg)": 2.0}]))
    >>> seen.layout, [(column.quantity, column.unit) for column in seen.columns]
    ('parent', [('id', ''), ('parent', ''), ('mass', 'kg')])
    """
    if isinstance(source, str | PathLike):
        return inspect_file(str(source), *read_options_from_keywords(options, str(source)))
    if options:
        raise UsageError("keywords of read_bom are only for a path; read the table with read_bom or Bom.from_dataframe")
    return bom_inspection(bom_from(source, "source"))


show_keywords(inspect, ReadKeywords)


def inspect_file(
    name: str,
    file_options: FileOptions,
    options: TableOptions,
    stdin: BinaryIO | None = None,
    chosen_by: Mapping[str, str] | None = None,
) -> Inspection:
    """Inspect a file, even if no tree can be made of its table."""
    from massprops_cli.bom.sources import read_source_table

    findings = Findings()
    table, options = read_source_table(Bom, name, file_options, options, stdin, findings)
    return table_inspection(table, options, findings, chosen_by)


def table_inspection(
    table: Table, options: TableOptions, findings: Sequence[Finding] = (), chosen_by: Mapping[str, str] | None = None
) -> Inspection:
    """Inspect a table of cells, even if no tree can be made of it."""
    try:
        return bom_inspection(Bom.from_table(table, options, findings), chosen_by)
    except TableError as error:
        found = find_table(table, options, Findings())
        columns = read_columns(found, options, Findings())
        return _columns_inspection(found, columns, options, error.findings, chosen_by)


def bom_inspection(bom: Bom, chosen_by: Mapping[str, str] | None = None) -> Inspection:
    """Inspect a table that was read."""
    table, columns, options = bom.table, bom.columns, bom.options
    bare = _columns_inspection(table, columns, options, bom.findings, chosen_by)
    return replace(
        bare,
        layout=bom.layout,
        how=bom.how,
        unread=_explain_tree_columns(bare.unread, bom),
        root=bom.ids[int(bom.tree.order[0])],
        left_out=_excluded_row_groups(table, columns, bom, bom.findings),
        coverage=_coverage_counts(bom),
    )


def _explain_tree_columns(unread: Sequence[UnreadColumn], bom: Bom) -> tuple[UnreadColumn, ...]:
    """Mark the unread columns that define the tree: names of levels, groups filled down."""
    levels = level_columns(bom.table, bom.columns) if bom.layout == "columns" else []
    headers = {bom.columns.header[j].strip() for j in levels}
    return tuple(
        replace(c, why="defines the tree") if c.header in headers or f"column {c.header}" in bom.how else c
        for c in unread
    )


def _columns_inspection(
    table: Table,
    columns: TableColumns,
    options: TableOptions,
    findings: Sequence[Finding],
    chosen_by: Mapping[str, str] | None,
) -> Inspection:
    """Return the inspection of a table's columns alone."""
    has_items, units = columns.first_row < table.n_rows, columns.units
    ordered = sorted(columns.by_quantity.values(), key=lambda column: column.index)
    named = tuple(unit for unit in (units.mass, units.length, units.inertia) if unit)
    return Inspection(
        source=table.source,
        header=_table_row_address(table, columns.header_row),
        first_item=_table_row_address(table, columns.first_row) if has_items else "",
        layout="",
        how="",
        root="",
        columns=tuple(_column_reading(table, columns, options, one, chosen_by or {}) for one in ordered),
        unread=_unread_column_list(table, columns),
        units=named if units.stated else (),
        signs=product_sign_source(columns, options),
        about=_inertia_point_source(columns, options),
        sigmas=_uncertainty_sources(columns, options),
        growth=_growth_source(columns, options),
        left_out=_excluded_row_groups(table, columns, None, findings),
        coverage={},
        options=options,
        findings=tuple(findings),
    )


def _table_row_address(table: Table, row: int) -> str:
    """Return a row's address without the file's name: a line of a text file, a row of a sheet."""
    place = table.place(row)
    return f"line {place.line}" if place.line is not None else f"row {place.row}"


def product_sign_source(columns: TableColumns, options: TableOptions) -> str:
    """Describe the source of the sign of the products of inertia (docs/formulas.md, section 1)."""
    if not {"Ixy", "Ixz", "Iyz"} & set(columns.by_quantity):
        return ""
    column = columns.by_quantity.get("POIconv")
    if column is not None:
        return f"of each row, from column {column.header}"
    return f"{options.poi} for all rows, as requested" if options.poi else "not stated"


def _inertia_point_source(columns: TableColumns, options: TableOptions) -> str:
    """Return which point the cells of inertia are about; nothing without them."""
    if "Ixx" not in columns.by_quantity:
        return ""
    if options.inertia_about is None:
        return "each item's own centre of mass"
    why = "as requested" if columns.inertia_about is None else "as the header states"
    return f"{point_text(options.inertia_about)}, {why}"


def _uncertainty_sources(columns: TableColumns, options: TableOptions) -> tuple[str, ...]:
    """Return how uncertainties are stated: sigmas at a level or in percent, bounds, distributions, methods, groups."""
    named = columns.by_quantity
    if not options.use_sigmas:
        return ("not read, as requested",) if any(name.startswith("sigma_") for name in named) else ()
    kinds: dict[str, list[str]] = {}
    for quantity, column in named.items():
        if quantity.startswith("sigma_"):
            form = f"{column.level:g} sigma" + (" in percent" if column.percent else "")
            kinds.setdefault(form, []).append(quantity.removeprefix("sigma_"))
        elif quantity.endswith("_min"):
            kinds.setdefault("bounds", []).append(quantity.removesuffix("_min"))
    words = {"dist": "distributions", "method": "sigmas by method", "corr_group": "correlation groups"}
    statements = [f"{form}: {', '.join(quantities)}" for form, quantities in kinds.items()]
    return (*statements, *(f"{what}: {named[key].header}" for key, what in words.items() if key in named))


def _growth_source(columns: TableColumns, options: TableOptions) -> str:
    """Return where growth comes from: a column, a table by category and maturity, or both; nothing without either."""
    column, table = columns.by_quantity.get("mga"), options.growth_table
    by_table = f"the table {table}, by category and maturity" if table else ""
    own = f"the column {column.header}" if column is not None else ""
    return f"{own}, else {by_table}" if own and by_table else own or by_table


def _coverage_counts(bom: Bom) -> dict[str, int]:
    """Count rows, items, leaves, and the leaves whose mass, centre, inertia and sigmas are known."""
    ends = bom.tree.is_leaf() if bom.stated is None else bom.tree.is_leaf() | bom.stated
    if bom.extra is not None:
        ends = ends | bom.extra
    root, bodies, sigmas = int(bom.tree.order[0]), bom.bodies, bom.sigmas
    below = LeafCounts(bom.tree, ends, (bom.quantity.count != 0).astype(float))
    has_mass = "mass" in bom.columns.by_quantity
    known = None if sigmas is None or sigmas.known is None else np.asarray(sigmas.known.all(axis=1))

    def count(there: bool, mask: NDArray[np.bool_] | None) -> int:
        """Return the number of leaves below the root that the mask (n,) selects; 0 without the quantity."""
        return int(below.count(mask)[root]) if there else 0

    return {
        "rows": bom.table.n_rows - bom.columns.first_row,
        "items": len(bom),
        "leaves": count(True, None),
        "mass": count(has_mass, bodies.has_mass),
        "center": count(bodies.center is not None, bodies.has_center),
        "inertia": count(bodies.inertia is not None, bodies.has_inertia),
        "sigma": count(sigmas is not None, known),
    }
