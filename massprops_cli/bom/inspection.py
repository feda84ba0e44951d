"""Inspection of a table, also with errors: its location, columns, units, conventions, what is not read. No roll-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any, BinaryIO, Unpack

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom import account as accounts
from massprops_cli.bom.bom import Bom, BomSource, ReadKeywords, bom_from, read_options_from_keywords
from massprops_cli.bom.items.item_flags import point_text
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Table, TableSource
from massprops_cli.findings.finding import Finding, Findings, Severity, TableError, UsageError, html_table
from massprops_cli.options import show_keywords
from massprops_cli.rollups.inputs import LeafCounts
from massprops_cli.tables.account import ReadColumn, UnreadColumn, row_address, unread_column_list
from massprops_cli.tables.columns.columns import TableColumns, read_columns
from massprops_cli.tables.layouts.detection import find_table_of_pages
from massprops_cli.tables.options import TableOptions


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was understood of one table, and every finding of reading it.

    ``header`` and ``first_item`` are addresses of rows; ``root`` is the id at the top. ``layout``, ``root`` and
    ``coverage`` are empty where no tree could be made of the table. ``coverage`` counts rows of the table, items,
    leaves that count, and of how many of these mass, centre, inertia and sigmas are known. ``remedies`` are one line
    an error that resolves it. ``account`` is that of ``Bom.account``.
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
    left_out: tuple[accounts.ExcludedRowGroup, ...]
    coverage: Mapping[str, int]
    options: TableOptions
    findings: tuple[Finding, ...]
    account: tuple[accounts.AccountLine, ...] = ()

    def __repr__(self) -> str:
        """Return the file, its layout and the numbers of columns and findings."""
        what = f"{self.layout or 'no tree'}, {len(self.columns)} columns read, {len(self.unread)} not read"
        return f"<Inspection of {self.source.name}: {what}; {len(self.findings)} findings>"

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
            "columns": [column._asdict() for column in self.columns],
            "columns_not_read": [column._asdict() for column in self.unread],
            "units": list(self.units),
            "sign": self.signs,
            "inertia_about": self.about,
            "sigmas": list(self.sigmas),
            "account": [line._asdict() for line in self.account],
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
    try:
        return bom_inspection(Bom.from_table(table, options, findings), chosen_by)
    except TableError as error:
        found = find_table_of_pages(table, options, Findings())
        return _columns_inspection(found, read_columns(found, options, Findings()), options, error.findings, chosen_by)


def bom_inspection(bom: Bom, chosen_by: Mapping[str, str] | None = None) -> Inspection:
    """Inspect a table that was read."""
    table, columns, options = bom.table, bom.columns, bom.options
    return replace(
        _columns_inspection(table, columns, options, bom.findings, chosen_by),
        layout=bom.layout,
        how=bom.how,
        unread=unread_column_list(table, columns, bom.layout, bom.how),
        root=bom.ids[int(bom.tree.order[0])],
        left_out=accounts.excluded_row_groups(table, accounts.excluded_rows(table, columns, bom, bom.findings)),
        coverage=_coverage_counts(bom),
        account=tuple(accounts.account_lines(bom)),
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
    growth, of_table = columns.by_quantity.get("mga"), options.growth_table
    own_growth = f"the column {growth.header}" if growth is not None else ""
    growth_table = f"the table {of_table}, by category and maturity" if of_table else ""
    return Inspection(
        source=table.source,
        header=row_address(table, columns.header_row),
        first_item=row_address(table, columns.first_row) if has_items else "",
        layout="",
        how="",
        root="",
        columns=tuple(accounts.column_reading(table, columns, options, one, chosen_by or {}) for one in ordered),
        unread=unread_column_list(table, columns, "", ""),
        units=named if units.stated else (),
        signs=_product_sign_source(columns, options),
        about=_inertia_point_source(columns, options),
        sigmas=_uncertainty_sources(columns, options),
        growth=", else ".join(filter(None, (own_growth, growth_table))),
        left_out=accounts.excluded_row_groups(table, accounts.excluded_rows(table, columns, None, findings)),
        coverage={},
        options=options,
        findings=tuple(findings),
    )


def _product_sign_source(columns: TableColumns, options: TableOptions) -> str:
    """Describe the source of the sign of the products of inertia (docs/formulas.md, section 1)."""
    if not {"Ixy", "Ixz", "Iyz"} & set(columns.by_quantity):
        return ""
    if (column := columns.by_quantity.get("POIconv")) is not None:
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


def _coverage_counts(bom: Bom) -> dict[str, int]:
    """Count rows, items, leaves, and the leaves whose mass, centre, inertia and sigmas are known."""
    ends = bom.ends if bom.extra is None else bom.ends | bom.extra
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
