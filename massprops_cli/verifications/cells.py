"""A table read again by other readers: csv and json by the standard library, xlsx by openpyxl; numbers as fractions."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from massprops_cli.files.table import file_table
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.account import unread_column_list
from massprops_cli.verifications.digits import typed_numbers, unit_size
from massprops_cli.verifications.frames import typed_frames
from massprops_cli.verifications.solids import compared_solids

if TYPE_CHECKING:
    from massprops_cli.bodies.bodies import Bodies, Sigmas
    from massprops_cli.bom.bom import Bom
    from massprops_cli.files.table import Table, TableSource
    from massprops_cli.tables.columns.columns import QuantityColumn

QUANTITIES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
RADII = ("kx", "ky", "kz")
NAMES = (*QUANTITIES, *RADII, *(f"sigma_{name}" for name in (*QUANTITIES, *RADII)))
_FORMATS = {"csv": "csv", "tsv": "csv", "json": "json", "jsonl": "json", "xlsx": "openpyxl", "xlsm": "openpyxl"}
_AGREEMENT = 1e-12  # relative difference within which a double is the number that a cell states


class _OwnCells(NamedTuple):
    """The texts of a file by the number of the row (a line, a row of a sheet, a record), and what read them."""

    rows: dict[int, list[str]]
    reader: str


def file_bytes(source: TableSource) -> bytes:
    """Return the bytes of a table's file, unpacked."""
    data = Path(source.name).read_bytes() if source.content is None else source.content
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def _read_own_cells(source: TableSource) -> _OwnCells | None:
    """Read a file again; None for a format that no second reader knows, and for several files."""
    kind = _FORMATS.get(source.format, "")
    try:
        data = file_bytes(source)
        if kind == "openpyxl":
            return _workbook_cells(data, source.sheet)
        if kind == "csv":
            return _OwnCells(dict(_csv_rows(data, source)), "csv of the standard library")
        if kind == "json":
            return _OwnCells(dict(_json_rows(data, source.format)), "json of the standard library")
    except (OSError, ValueError, KeyError, csv.Error):
        return None
    return None


def _csv_rows(data: bytes, source: TableSource) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of a text file by the line of each."""
    text = data.decode(source.encoding or "utf-8").removeprefix("\ufeff")
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=source.delimiter or ",")
    line = 1
    for record in reader:
        yield line, record
        line = reader.line_num + 1


def _json_rows(data: bytes, form: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of a JSON file by their number, the names first; numbers keep their digits."""
    text = data.decode("utf-8-sig")
    lines = [line for line in text.splitlines() if line.strip()] if form == "jsonl" else []
    digits: dict[str, Any] = {"parse_float": str, "parse_int": str}
    records = [json.loads(line, **digits) for line in lines] if lines else json.loads(text, **digits)
    names = list(dict.fromkeys(name for record in records for name in record))
    yield 1, names
    for k, record in enumerate(records, 2):
        values = [record.get(name) for name in names]
        yield k, ["" if x is None else str(x).lower() if isinstance(x, bool) else str(x) for x in values]


def open_workbook(file: Any, **options: bool) -> Any:
    """Load a workbook with openpyxl, without its warnings of what it does not keep."""
    import warnings

    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return openpyxl.load_workbook(file, **options)


def _workbook_cells(data: bytes, sheet: str) -> _OwnCells:
    """Read the saved values of a worksheet."""
    import openpyxl

    rows = open_workbook(io.BytesIO(data), data_only=True)[sheet].iter_rows(values_only=True)
    texts = {k: [_cell_text(value) for value in cells] for k, cells in enumerate(rows, 1)}
    return _OwnCells(texts, f"openpyxl {openpyxl.__version__}")


def read_workbook_names(name: str) -> list[str]:
    """List the worksheets of a workbook; none for other files."""
    import zipfile

    if not name.lower().endswith((".xlsx", ".xlsm")):
        return []
    try:
        names: list[str] = open_workbook(name, read_only=True).sheetnames
        return names
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return []


def _cell_text(value: object) -> str:
    """Return the text of a cell's value: a number by its shortest digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


@dataclass
class CellCount:
    """How many cells were compared, by what became of them."""

    entered: int = 0  # numbers that entered a sum, equal to the double that was used
    derived: int = 0  # values that are not one cell: converted, of a shape, of a pose
    unused: int = 0  # other cells, equal in both readers
    different: int = 0
    not_used: dict[str, int] = field(default_factory=dict)  # numbers of columns that the account does not explain
    reader: str = ""


@dataclass
class TypedTable:
    """The inputs of a roll-up as fractions in coherent units: (n,) lists of ten values and ten sigmas, None unknown."""

    values: list[list[Fraction | None]]
    sigmas: list[list[Fraction]]
    count: CellCount
    methods: Sequence[str] = ()
    not_verified: Sequence[str] = ()
    frames: list[tuple[list[list[Fraction]], list[Fraction]]] = field(default_factory=list)
    """Rotation and origin of the frame of each item's numbers in that of the root; empty without poses."""
    groups: list[str] = field(default_factory=list)
    """Name of the group of each item, whose values deviate together; empty for an item that shares none."""
    cells: dict[tuple[int, str], tuple[int, int, str]] = field(default_factory=dict)
    """Row, column and text of the cell of an item's quantity."""
    address: Callable[[int, int], str] = lambda row, column: f"{row + 1}:{column + 1}"


class TableReading:
    """A table and its second reading."""

    def __init__(self, bom: Bom, findings: Findings) -> None:
        self.bom, self.findings, self.count = bom, findings, CellCount()
        self.table: Table = file_table(bom.table)
        self.cells = _read_own_cells(self.table.source)
        info = self.table.sheet_info
        self.first_column = info.first_column if info is not None and self._is_workbook else 0
        self.first_row = info.first_row if info is not None and self._is_workbook else 0
        self.count.reader = self.cells.reader if self.cells else "none"
        self.factors: dict[str, Fraction] = {}
        self.recomputed: set[tuple[int, str]] = set()  # items and quantities that a shape or mesh gives
        self.methods: list[str] = []  # how poses and solids were recomputed
        self.not_verified: list[str] = []
        self._rows: dict[int, list[str] | None] = {}

    @property
    def _is_workbook(self) -> bool:
        """Whether openpyxl reads the file."""
        return _FORMATS.get(self.table.source.format, "") == "openpyxl"

    def text(self, row: int, column: int) -> str | None:
        """Return the text of a cell by the second reader; None without one."""
        texts = self._rows[row] if row in self._rows else self._rows.setdefault(row, self._row(row))
        if texts is None or column >= self.table.n_columns:
            return None
        j = column + self.first_column
        return texts[j].strip() if j < len(texts) else ""

    def _row(self, row: int) -> list[str] | None:
        """Return the texts of a row of the table by the second reader; None without them."""
        if self.cells is None or row < 0 or row >= self.table.n_rows:
            return None
        line = self.first_row + row + 1 if self._is_workbook else self.table.place(row).line or row + 1
        return self.cells.rows.get(line, [] if self._is_workbook else None)

    def address(self, row: int, column: int) -> str:
        """Return the address of a cell: ``K17``, or line and column of a text file."""
        place = self.table.place(row, column)
        return place.cell or f"{place.line or place.row}:{column + 1}"

    def factor(self, column: QuantityColumn, quantity: str, row: int) -> Fraction:
        """Return what a cell is multiplied with, from exact sizes of units where they are known."""
        if column.by_row is not None:
            return Fraction(repr(column.size(row)))
        if quantity not in self.factors:
            units, made = self.bom.units, Fraction(repr(column.factor))
            base = quantity.removeprefix("sigma_")
            to = units.mass if base == "mass" else units.length if base[0] in "Ct" else units.inertia
            sizes = unit_size(column.unit), unit_size(to)
            if column.unit and sizes[0] is not None and sizes[1] is not None and not column.percent:
                exact = sizes[0] / sizes[1] / Fraction(repr(column.level))
                made = exact if abs(float(exact) / column.factor - 1) < 1e-9 else made
            self.factors[quantity] = made
        return self.factors[quantity]

    def compare_all(self) -> None:
        """Compare every cell of the table in both readers, and count the numbers that nothing explains."""
        if self.cells is None:
            return
        columns, first = self.bom.columns, self.bom.columns.first_row
        for one in unread_column_list(self.table, columns, self.bom.layout, self.bom.how):
            texts = (self.text(i, one.number - 1) or "" for i in range(first, self.table.n_rows))
            if not one.is_explained and (numbers := sum(bool(typed_numbers(text)) for text in texts)):
                self.count.not_used[f"{one.header or 'no header'} ({one.address})"] = numbers
        for i in range(self.table.n_rows):
            for j, text in enumerate(self.table.row(i)):
                own = self.text(i, j)
                if own == (shown := text.strip()) or own is None:
                    self.count.unused += bool(shown)
                elif shown and set(typed_numbers(own)) & set(typed_numbers(shown)):
                    self.count.unused += 1
                elif not is_same_text(own, shown):
                    self.count.different += 1
                    place = self.table.place(i, j)
                    message = f"cell is {shown!r} for the roll-up, and {own!r} for {self.cells.reader}"
                    self.findings.report("MP903", message, place, value=own)


def is_same_text(own: str, shown: str) -> bool:
    """Return whether two texts differ in line ends, blanks or the form of a date or truth value alone."""
    one, other = ("".join(text.split()).casefold().replace("t00:00:00", "") for text in (own, shown))
    return one.removesuffix("00:00:00") == other or (own[:4].isdigit() and own[:10] == shown[:10])


def read_typed_table(bom: Bom, findings: Findings, correlate: str = "none") -> TypedTable:
    """Read a table again, and compare each cell with the number that the roll-up used."""
    reading = TableReading(bom, findings)
    bodies, sigmas = bom.own_numbers or (bom.bodies, bom.sigmas)
    reading.compare_all()
    made = TypedTable([], [], reading.count, reading.methods, reading.not_verified, address=reading.address)
    made.frames, made.groups = typed_frames(reading), _typed_groups(reading, correlate)
    reading.recomputed = compared_solids(reading, bodies)
    values, spreads = _ten_numbers(bodies), np.zeros((len(bom), 10)) if sigmas is None else _ten_numbers(sigmas)
    masks = (bodies.has_mass, bodies.has_center, bodies.has_inertia)
    for columns, mask in zip((slice(0, 1), slice(1, 4), slice(4, 10)), masks, strict=True):
        values[np.zeros(len(bom), bool) if mask is None else ~mask, columns] = np.nan
    values[~bom.ends], spreads[~bom.ends], spreads[bodies.is_point, 4:] = np.nan, 0.0, 0.0
    for i, (row, spread) in enumerate(zip(values.tolist(), spreads.tolist(), strict=True)):
        pairs = list(zip(QUANTITIES, row, spread, strict=True))
        made.values.append([None if math.isnan(x) else _typed_value(reading, made, i, name, x) for name, x, _ in pairs])
        made.sigmas.append(
            [_typed_value(reading, made, i, f"sigma_{name}", x) if x > 0 else Fraction(0) for name, _, x in pairs]
        )
    return made


def _typed_groups(reading: TableReading, correlate: str) -> list[str]:
    """Return the name of the group of each item, by its cell and ``--correlate``: docs/formulas.md, section 6."""
    bom, named = reading.bom, reading.bom.columns.by_quantity
    part = "part" if "part" in named else "child"

    def text(name: str, i: int) -> str:
        if name not in named or (row := int(bom.rows[i])) < 0:
            return ""
        found = reading.text(row, named[name].index)
        return (reading.table.text(row, named[name].index) if found is None else found).strip()

    made = []
    for i, is_end in enumerate(bom.ends.tolist()):
        group = f"group {label}" if (label := text("corr_group", i)) else ""
        if correlate == "part":
            group = group or f"part {text(part, i) or bom.ids[i]}"
        made.append("" if not is_end else "(all)" if correlate == "all" else group)
    return made


def _ten_numbers(of: Bodies | Sigmas) -> Any:
    """Return masses, centres and tensors (n, 10), NaN without a column."""
    n = len(of.mass)
    center = np.full((n, 3), np.nan) if of.center is None else of.center
    return np.column_stack([of.mass, center, np.full((n, 6), np.nan) if of.inertia is None else of.inertia])


def _typed_value(reading: TableReading, made: TypedTable, i: int, quantity: str, used: float) -> Fraction:
    """Return the value that the typed digits of a cell are, if the roll-up used it; else that of the roll-up."""
    bom = reading.bom
    column = bom.columns.by_quantity.get(quantity)
    row = int(bom.rows[i])
    text = reading.text(row, column.index) if column is not None else None
    if column is None or not text or column.percent:
        reading.count.derived += used != 0 and (i, quantity) not in reading.recomputed
        return Fraction(used)
    factor = reading.factor(column, quantity, row)
    made.cells[i, quantity] = (row, column.index, text)
    pieces = 1 if bom.pieces is None or quantity not in ("mass", "sigma_mass") else Fraction(float(bom.pieces[i]))
    sign = -1 if quantity in ("Ixy", "Ixz", "Iyz") and bom.sign[i] > 0 else 1
    ratio = factor if sign == pieces == 1 else sign * factor / (pieces or 1)
    numbers = typed_numbers(text)
    size = float(ratio)
    for number in numbers:
        if abs(number.numerator / number.denominator * size - used) <= _AGREEMENT * abs(used):
            reading.count.entered += 1
            return number if ratio == 1 else number * ratio
    reading.count.derived += 1
    if _is_plain(bom, column, quantity):
        reading.count.different += 1
        unit = f" {column.unit}" if column.unit else ""
        place = reading.table.place(row, column.index)
        message = f"{quantity} of {bom.ids[i]} is {text}{unit} in the cell, and {used!r} in the roll-up"
        reading.findings.report("MP903", message, place, value=text, item=bom.ids[i])
    return Fraction(used)


def _is_plain(bom: Bom, column: QuantityColumn, quantity: str) -> bool:
    """Return whether nothing but the cell and its unit makes a value: no pose, reference point, shape or growth."""
    others = {"shape", "mesh", "dims", "frame", "origin", "roll", "qw", "qx"} & set(bom.columns.by_quantity)
    moved = bom.options.inertia_about is not None or bom.poses is not None or bool(others)
    about = quantity.removeprefix("sigma_")[0] == "I" and any(one.rule == "MP248" for one in bom.findings)
    stated = column.rules.in_cells or column.by_row is not None or bom.pieces is not None
    return not (moved or about or stated or bom.extra is not None or bom.growth is not None)
