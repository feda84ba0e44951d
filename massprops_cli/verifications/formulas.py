"""Live formulas: assembly cells of a workbook that sum named ranges of their children, and the sheet of these."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.bom.results.result_dict import derived_column
from massprops_cli.files.workbook.cells import FORMULA_SHEET, cell_address, cell_position, column_letters
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.verifications.cells import QUANTITIES, TableReading, open_workbook
from massprops_cli.verifications.digits import typed_numbers

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.files.workbook.sheet_xml import CellValue

_LETTERS = ("n", "w", "m", "x", "y", "z", "xx", "yy", "zz", "xy", "xz", "yz", "s")  # endings of the names of ranges
_HEADS = ("assembly", "child", "n", "variance × n", "mass", "Cx", "Cy", "Cz", *QUANTITIES[4:], "sigma_mass")
_EXPLANATION = (
    "Formulas of the assemblies. Each block lists the children of one assembly, in coherent units:",
    "n is the quantity, then mass, centre and tensor entries about the own centre, from the cells of the table.",
    "mass = SUMPRODUCT(n, m)        centre = SUMPRODUCT(n, m, x) / SUMPRODUCT(n, m)",
    "Ixx = SUMPRODUCT(n, xx + m·((y − Cy)² + (z − Cz)²))        Ixy = SUMPRODUCT(n, xy − m·(x − Cx)·(y − Cy))",
    "σ mass = SQRT(SUMPRODUCT(w, s²)), of independent masses; other σ are numbers: first order is not a plain sum.",
    "Names of ranges: mp_ASSEMBLY_n, _w (of a variance), _m, _x, _y, _z, _xx …, _s. A new row needs a new roll-up.",
)
_AXES = "xyz"


@dataclass
class _LiveFormulas:
    """Formulas of the cells of a table (row, column from 0 in the sheet), and the sheet of ranges."""

    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    rows: list[Sequence[CellValue]] = field(default_factory=list)
    sheet_cells: dict[tuple[int, int], str] = field(default_factory=dict)  # formulas of the sheet of ranges
    names: dict[str, str] = field(default_factory=dict)  # range of each name


class _FormulaBuilder:
    """Makes the formulas of one roll-up."""

    def __init__(self, result: Result, sheet: str, filled: Collection[tuple[int, int]] | None) -> None:
        self.result, self.bom, self.sheet, self.filled = result, result.bom, sheet, filled
        if self.bom.poses is not None:
            raise UsageError("--formulas requires numbers in one frame; omit it for a table with poses")
        if self.bom.pieces is not None:
            raise UsageError("--formulas requires the mass of one piece in each row; omit it for masses of rows")
        if result.rollup.cancelled.any():
            raise UsageError("--formulas requires branches whose masses do not cancel; omit it for this table")
        self.reading = TableReading(self.bom, Findings())
        self.made, self.named = _LiveFormulas(), set[str]()
        source, info = self.bom.table.source, self.bom.table.sheet_info
        is_edited = info is not None and source.format in ("xlsx", "xlsm")
        self.top, self.left = (info.first_row, info.first_column) if info is not None and is_edited else (0, 0)
        self.columns = {q: c for q, c in self.bom.columns.by_quantity.items() if c.by_row is None and not c.percent}
        self.values = _values(result)
        self.weights = self.bom.quantity.variance_weight().tolist()

    def build(self) -> _LiveFormulas:
        """Write the formulas of all assemblies, from the root down."""
        units = self.bom.units
        lengths = [units.length] * 3
        self.made.rows += [[text] for text in _EXPLANATION]
        self.made.rows.append([])
        self.made.rows.append(_HEADS)
        self.made.rows.append(["", "", "", "", units.mass, *lengths, *[units.inertia] * 6, units.mass])
        for item in self.bom.tree.preorder_items().tolist():
            if not self.bom.ends[item] and self.bom.rows[item] >= 0:
                self._assembly(item)
        if not self.made.cells:
            raise UsageError("no cell can be a formula: masses are missing, or have units by row; omit --formulas")
        return self.made

    def _assembly(self, item: int) -> None:
        """Write the block of the children of an assembly, and its formulas."""
        children = [i for i in self.bom.tree.children(item).tolist() if self.bom.quantity.count[i]]
        quantities = self._computed(item)
        if not children or not quantities:
            return
        name, first = self._name(self.bom.ids[item]), len(self.made.rows)
        for child in children:
            row: list[CellValue] = [self.bom.ids[item], self.bom.ids[child]]
            count, weight = float(self.bom.quantity.count[child]), float(self.weights[child])
            row += [count, weight]
            if cell := self._quantity_cell(child, count):
                self.made.sheet_cells[len(self.made.rows), 2] = cell
                if weight == abs(count):  # independent pieces
                    self.made.sheet_cells[len(self.made.rows), 3] = f"ABS({cell})"
            for k, quantity in enumerate((*QUANTITIES, "sigma_mass")):
                value = self.values[child][k]
                row.append(value)
                if formula := self._reference(child, quantity, value):
                    self.made.sheet_cells[len(self.made.rows), k + 4] = formula
            self.made.rows.append(row)
        self.made.rows.append([])
        for k, letters in enumerate(_LETTERS, 2):
            column = column_letters(k)
            self.made.names[f"{name}_{letters}"] = (
                f"'{FORMULA_SHEET}'!${column}${first + 1}:${column}${first + len(children)}"
            )
        for quantity in quantities:
            of = self.columns[quantity]
            sign = "-" if quantity in QUANTITIES[7:] and self.result.written_sign[item] > 0 else ""
            formula = self._formula(item, name, quantity)
            factor = self.reading.factor(of, quantity, 0)
            formula = f"{sign}{formula}" if factor == 1 else f"{sign}({formula})/{_factor_text(factor)}"
            self.made.cells[self._cell(item, quantity)] = formula

    def _computed(self, item: int) -> list[str]:
        """List the quantities of an assembly that are plain sums over known children, and have a column."""
        coverage, bom = self.result.rollup.coverage, self.bom
        known = {
            "m": coverage.known_mass[item] == coverage.rows[item],
            "C": coverage.known_center[item] == coverage.rows[item],
            "I": coverage.known_center[item] == coverage.rows[item] and bom.options.inertia_about is None,
        }
        if bool(self.result.rollup.cancelled[item]) or self.result.rollup.placed is not None:
            return []
        found = [
            quantity
            for k, quantity in enumerate(QUANTITIES)
            if quantity in self.columns and known[quantity[0]] and self.values[item][k] is not None
        ]
        is_plain = self.result.rollup.method in ("covariance", "massprops") and self.result.correlation is None
        if is_plain and bom.deviations is None and "sigma_mass" in self.columns and "mass" in found:
            sigmas = self.result.rollup.sigmas
            if sigmas is not None and (sigmas.known is None or sigmas.known[item, 0]):
                found.append("sigma_mass")
        return [one for one in found if one[0] != "I" or {"Cx", "Cy", "Cz"} <= set(found)]

    def _name(self, text: str) -> str:
        """Return a name of ranges that no other assembly has."""
        base = name = "mp_" + re.sub(r"[^A-Za-z0-9_]", "_", text)[:80]
        k = 1
        while name.casefold() in self.named:  # Excel ignores case
            k += 1
            name = f"{base}_{k}"
        self.named.add(name.casefold())
        return name

    def _cell(self, item: int, quantity: str) -> tuple[int, int]:
        """Return the place of an item's cell in the sheet."""
        return int(self.bom.rows[item]) + self.top, self.columns[quantity].index + self.left

    def _quantity_cell(self, child: int, count: float) -> str:
        """Return the cell of a child's quantity; nothing where it is not that number."""
        column, row = self.bom.columns.by_quantity.get("qty"), int(self.bom.rows[child])
        text = None if column is None or row < 0 else self.reading.text(row, column.index)
        is_number = re.fullmatch(r"[-+0-9.eE]+", text or "") is not None
        if column is None or not text or not is_number or float(typed_numbers(text)[0]) != count:
            return ""
        return f"{self._sheet_name}!{cell_address(row + self.top, column.index + self.left)}"

    @property
    def _sheet_name(self) -> str:
        """The name of the sheet of the table, quoted."""
        return "'" + self.sheet.replace("'", "''") + "'"

    def _reference(self, child: int, quantity: str, value: float | None) -> str:
        """Return the formula of a child's number in coherent units; nothing where no cell has it."""
        column, row = self.columns.get(quantity), int(self.bom.rows[child])
        if column is None or row < 0 or value is None:
            return ""
        text, factor = self.reading.text(row, column.index), self.reading.factor(column, quantity, 0)
        sign = -1 if quantity in QUANTITIES[7:] and self._sign(child) > 0 else 1
        if self.bom.ends[child]:
            typed = typed_numbers(text or "")
            numeric = len(typed) == 1 and re.fullmatch(r"[-+0-9.eE]+", text or "") is not None
            if not numeric or abs(float(typed[0] * factor * sign) - value) > 1e-12 * abs(value):
                return ""
        elif self._cell(child, quantity) not in (self.filled or ()):
            return ""
        cell = f"{self._sheet_name}!{cell_address(*self._cell(child, quantity))}"
        return f"{'-' if sign < 0 else ''}{cell}" + ("" if factor == 1 else f"*{_factor_text(factor)}")

    def _sign(self, item: int) -> int:
        """Return the sign convention of an item's row."""
        return int(self.result.written_sign[item] if not self.bom.ends[item] else self.bom.sign[item])

    def _formula(self, item: int, name: str, quantity: str) -> str:
        """Return the formula of an assembly in coherent units: docs/formulas.md, section 2."""
        if quantity == "mass":
            return f"SUMPRODUCT({name}_n,{name}_m)"
        if quantity == "sigma_mass":
            return f"SQRT(SUMPRODUCT({name}_w,{name}_s^2))"
        if quantity[0] == "C":
            return f"SUMPRODUCT({name}_n,{name}_m,{name}_{quantity[1]})/SUMPRODUCT({name}_n,{name}_m)"
        a, b = quantity[1], quantity[2]
        arms = {}
        for axis in _AXES:
            factor = self.reading.factor(self.columns[f"C{axis}"], f"C{axis}", 0)
            cell = cell_address(*self._cell(item, f"C{axis}")) + ("" if factor == 1 else f"*{_factor_text(factor)}")
            arms[axis] = f"({name}_{axis}-{cell})"
        if a == b:
            others = "+".join(f"{arms[axis]}^2" for axis in _AXES if axis != a)
            return f"SUMPRODUCT({name}_n,{name}_{a}{b}+{name}_m*({others}))"
        return f"SUMPRODUCT({name}_n,{name}_{a}{b}-{name}_m*{arms[a]}*{arms[b]})"


def _factor_text(factor: Fraction) -> str:
    """Write a factor as a double."""
    return repr(float(factor)).removesuffix(".0")


def _values(result: Result) -> list[list[float | None]]:
    """Return the ten values and the sigma of the mass of all items, coherent units; 0 for points, None unknown."""
    unknown, point = np.full(len(result.bom), np.nan), result.rollup.bodies.is_point
    columns = [derived_column(result, name) for name in (*QUANTITIES, "sigma_mass")]
    columns = [np.where(point & (4 <= k < 10), 0.0, unknown if one is None else one) for k, one in enumerate(columns)]
    return [[None if math.isnan(one) else one for one in row] for row in np.array(columns).T.tolist()]


def live_formulas(result: Result, sheet: str = "", filled: Collection[tuple[int, int]] | None = None) -> _LiveFormulas:
    """Make the formulas of the assemblies for a worksheet of a name, whose ``filled`` cells have numbers."""
    return _FormulaBuilder(result, sheet, filled).build()


def sheet_of_table(result: Result, sheets: Sequence[str]) -> str:
    """Return the worksheet that has the table: that of an edited workbook, or the first."""
    name = result.bom.table.source.sheet
    return name if name in sheets else sheets[0]


def add_formulas(data: bytes, result: Result) -> bytes:
    """Write formulas into the cells of a written workbook that have the numbers, and define the names."""
    import io

    from massprops_cli.files.workbook.package import EditablePackage, WorkbookPart

    with EditablePackage(data) as package:
        book = WorkbookPart(package)
        parts = book.sheets()
        sheet = sheet_of_table(result, list(parts))
        made = live_formulas(result, sheet, _filled_cells(package.read(parts[sheet])))
        for name, cells in ((sheet, made.cells), (FORMULA_SHEET, made.sheet_cells)):
            package.write(parts[name], _with_formulas(package.read(parts[name]), cells))
        _define_names(book, made.names)
        book.recompute_on_opening()
        book.save()
        out = io.BytesIO()
        package.save(out)
    return out.getvalue()


def _filled_cells(content: bytes) -> set[tuple[int, int]]:
    """Return the cells of a worksheet that have a number."""
    from massprops_cli.files.workbook.package import parse_part

    numbers = (one for one in _elements(parse_part(content), "c") if len(one) and one.get("t", "n") == "n")
    places = (cell_position(str(one.get("r", ""))) for one in numbers)
    return {place for place in places if place is not None}


def _with_formulas(content: bytes, cells: Mapping[tuple[int, int], str]) -> bytes:
    """Put formulas before the values of cells of a sheet that are numbers."""
    from massprops_cli.files.workbook.package import parse_part, part_bytes

    root = parse_part(content)
    wanted = {cell_address(*place): formula for place, formula in cells.items()}
    for cell in _elements(root, "c"):
        formula = wanted.get(str(cell.get("r", "")))
        kinds = [str(one.tag).rpartition("}")[2] for one in cell]
        if formula is not None and kinds == ["v"] and cell.get("t", "n") == "n":
            made = cell.makeelement(str(cell[0].tag)[: -len("v")] + "f", {})
            made.text = formula
            cell.insert(0, made)
    return part_bytes(root)


def _elements(root: Any, name: str) -> Iterator[Any]:
    """Yield the elements of a local name."""
    return (one for one in root.iter() if isinstance(one.tag, str) and one.tag.rpartition("}")[2] == name)


def _define_names(book: Any, names: Mapping[str, str]) -> None:
    """Define names of ranges, and remove those of an earlier run."""
    section = book.section_of_names()
    for known in list(section):
        if str(known.get("name", "")).startswith("mp_"):
            section.remove(known)
    for name in sorted(names, key=str.casefold):
        one = section.makeelement(f"{{{book.namespace}}}definedName", {"name": name})
        one.text = names[name]
        section.append(one)


def edited_formulas(result: Result, name: str) -> list[tuple[str, str, str]]:
    """List the cells and names of a written workbook whose formula is not that of the roll-up: place, found, wanted."""
    book = open_workbook(name)
    sheet = sheet_of_table(result, book.sheetnames)
    numbers = (cell for row in book[sheet].iter_rows() for cell in row if cell.data_type in "nf")
    filled = {(int(cell.row or 0) - 1, int(cell.column or 0) - 1) for cell in numbers if cell.value is not None}
    made = live_formulas(result, sheet, filled)
    info, wrong = result.bom.table.sheet_info, list[tuple[str, str, str]]()
    kept = set() if info is None else {(i + info.first_row, j + info.first_column) for i, j in info.formulas}
    for title, cells in ((sheet, made.cells), (FORMULA_SHEET, made.sheet_cells)):
        for (row, column), formula in sorted(cells.items()):
            cell = book[title].cell(row + 1, column + 1)
            is_own = title == sheet and (row, column) in kept
            if cell.value is not None and not is_own and _bare(str(cell.value)) != _bare(f"={formula}"):
                wrong.append((f"{title}!{cell.coordinate}", str(cell.value), f"={formula}"))
    for title, area in made.names.items():
        found = book.defined_names.get(title)
        if _bare(text := "" if found is None else str(found.attr_text)) != _bare(area):
            wrong.append((f"name {title}", text, area))
    return wrong


def _bare(formula: str) -> str:
    """Return a formula without what programs write differently: blanks, quotes of sheets, marks of fixed cells."""
    return re.sub(r"[\s'$]", "", formula)
