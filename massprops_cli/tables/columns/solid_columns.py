"""Columns of poses, solids and meshes: what their headings state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, AddedColumn, ColumnNumbers, Table, TableEdit, TableView
from massprops_cli.findings.finding import Findings, Place, TableError
from massprops_cli.tables.cells.units import CENTER_COLUMNS, SOLID_QUANTITIES
from massprops_cli.tables.columns.header import HeaderRow, read_header
from massprops_cli.tables.options import TableOptions

_TENSOR = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_SIGN = "POIconv"
_POSITIONS = ("tx", "ty", "tz")
_UNIT = re.compile(r"\d\.?\s*(?![eE][+-]?\d)[A-Za-zµ]")
"""A unit behind a number."""


def with_solid_columns(table: Table, header_row: int, options: TableOptions) -> Table:
    """Show the columns that results of shapes or meshes need; the table itself if it lacks none, or has no solids."""
    try:
        header = read_header(table, options.map, Findings(), frozen=options.frozen, ignore=options.ignore_columns)
    except TableError:  # which is raised again where it is collected
        return table
    known = {quantity: header.units.get(quantity, "") for quantity in header.columns}
    if not ({"shape", "dims"} <= known.keys() or "mesh" in known):
        return table
    has_center, has_tensor = bool(known.keys() & set(CENTER_COLUMNS)), bool(known.keys() & set(_TENSOR))
    if "mass" in known and not has_center and _has_other_masses(table, header):
        return table
    has_units = _has_units(table, header)
    mass = _unit_of(known, ("mass",), "kg" if has_units else "", "mass" in options.unit)
    length = _unit_of(known, (*CENTER_COLUMNS, *_POSITIONS), "m" if has_units else "", "length" in options.unit)
    if mass is None or length is None:
        return table
    names = [] if "mass" in known else [_header("mass", mass)]
    names += [] if has_center else [_header(name, length) for name in CENTER_COLUMNS]
    if not has_tensor:
        names += [_header(name, f"{mass}*{length}^2" if mass and length else "") for name in _TENSOR]
        names += [] if _SIGN in known else [_SIGN]
    return _SolidColumns(table, header_row, names) if names else table


def _has_other_masses(table: Table, header: HeaderRow) -> bool:
    """Return whether a row without a shape or a mesh states a mass, so that the table may be one of masses alone."""
    columns = [header.columns[name] for name in ("shape", "mesh") if name in header.columns]
    solids = zip(*(table.texts(j, header.row + 1) for j in columns), strict=True)
    masses = table.texts(header.columns["mass"], header.row + 1)
    return any(mass.strip() and not "".join(texts).strip() for mass, texts in zip(masses, solids, strict=True))


def _has_units(table: Table, header: HeaderRow) -> bool:
    """Return whether dimensions, densities or columns state a unit; a table without any is read as coherent."""
    columns = [header.columns[name] for name in SOLID_QUANTITIES if name in header.columns]
    measured = (*CENTER_COLUMNS, *_POSITIONS, *SOLID_QUANTITIES, "mass")
    if any(map(header.units.get, measured)) or header.columns.keys() & {"material", "mesh"}:
        return True
    if any(bracket in header.texts[j] for j in columns for bracket in "[("):
        return True
    return any(_UNIT.search(text) for j in columns for text in table.texts(j, header.row + 1))


def _unit_of(known: Mapping[str, str], names: Sequence[str], otherwise: str, is_stated: bool) -> str | None:
    """Return the unit of columns: empty if an option or nothing states it, None if one of them only has none."""
    units = [known[name] for name in names if name in known]
    if is_stated or not (otherwise or any(units)):
        return ""
    return None if not all(units) else next(iter(units), otherwise)


def _header(name: str, unit: str) -> str:
    """Write the header of an added column, with its unit."""
    return f"{name} [{unit}]" if unit else name


class _SolidColumns(TableView):
    """A table with blank columns of results to the right of its own; their signs of products are tensor entries."""

    def __init__(self, table: Table, header_row: int, names: Sequence[str]) -> None:
        super().__init__(table)
        self.header_row, self.names, self.first = header_row, tuple(names), table.n_columns
        self.n_columns = table.n_columns + len(names)

    def row(self, i: int) -> list[str]:
        """Read the texts of row ``i``, with those of the added columns."""
        texts = (super().row(i) + [""] * self.first)[: self.first]
        return texts + [self._text(i, name) for name in self.names]

    def text(self, i: int, j: int) -> str:
        """Read the text of one cell."""
        return super().text(i, j) if j < self.first else self._text(i, self.names[j - self.first])

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Read the texts of column ``j`` from row ``start`` on."""
        if j < self.first:
            return super().texts(j, start)
        return [self._text(i, self.names[j - self.first]) for i in range(start, self.n_rows)]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; those added are blank."""
        own = [j for j in columns if j < self.first]
        read = dict(zip(own, super().numbers(own, start), strict=True))
        n = self.n_rows - start
        return [
            read[j] if j in read else ColumnNumbers(np.full(n, np.nan), np.full(n, BLANK, np.uint8)) for j in columns
        ]

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Test which cells of column ``j`` are typed numbers in the file ``(n,)``."""
        return super().is_typed(j, start) if j < self.first else np.zeros(self.n_rows - start, bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Find the address of a cell; that of an added column is its row's."""
        return super().place(i, j, column) if j is None or j < self.first else super().place(i)

    def edit_of_base(self, filling: TableEdit) -> TableEdit:
        """Add the columns that the table below lacks, with the signs of products in the rows that have them."""
        own = tuple(fill for fill in filling.fills if fill.column < self.first)
        names = dict(enumerate(self.names, self.first)) | filling.renames
        added = [AddedColumn(names[j], rows, values) for j, rows, values in filling.fills if j >= self.first]
        if _SIGN in self.names and _SIGN not in {one.name for one in added}:
            added += [
                AddedColumn(_SIGN, one.rows, ["-"] * len(one.rows)) for one in added if one.name.startswith("Iyz")
            ]
        renames = {j: text for j, text in filling.renames.items() if j < self.first}
        return replace(filling, fills=own, added=(*added, *filling.added), renames=renames)

    def _text(self, i: int, name: str) -> str:
        """Return the text of an added column in a row."""
        if i == self.header_row:
            return name
        return "-" if name == _SIGN and i > self.header_row else ""
