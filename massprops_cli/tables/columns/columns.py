"""Which column of a table is which quantity, and what a cell in it is to be multiplied with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import ColumnEdit, PrefetchTable, Table, TableEdit, file_table, short_numbers
from massprops_cli.findings.finding import Finding, Findings, Severity, rule_finding
from massprops_cli.tables.cells.number_text import DEFAULT_CELL_RULES, CellRules
from massprops_cli.tables.cells.numbers import (
    ParsedColumn,
    half_unit_of_cell,
    has_decimal_comma,
    parse_column,
    table_decimal_mark,
)
from massprops_cli.tables.cells.units import (
    MASS,
    Units,
    quantity_dimension,
    strip_unit_brackets,
    unit_of_dimension,
    unit_without_direction,
)
from massprops_cli.tables.columns import headings, sigma_columns
from massprops_cli.tables.columns.cell_parts import sign_side_cells, split_tuple_columns, stated_product_sign
from massprops_cli.tables.columns.column_units import (
    ColumnUnits,
    RowUnits,
    UnitConversion,
    choose_unit_conversion,
    find_units,
    read_row_units,
)
from massprops_cli.tables.columns.header import HeaderRow, columns_by_reference, find_header_row, read_header
from massprops_cli.tables.columns.mass_headings import ColumnEquation, has_mass_unit, has_other_unit, mark_of_sums
from massprops_cli.tables.columns.sigma_columns import SigmaForm
from massprops_cli.tables.options import (
    BOUND_QUANTITIES,
    CENTER_COLUMNS,
    GROWTH_MASSES,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    PATTERN_QUANTITIES,
    POSE_QUANTITIES,
    ROW_TOTAL_QUANTITIES,
    TEXT_QUANTITIES,
    TableOptions,
    base_quantity,
)

_Point = tuple[float, float, float]
_ORIGIN_POINT: _Point = (0.0, 0.0, 0.0)
_POINT_PHRASES = {
    headings.ORIGIN: "about the origin",
    headings.OWN: "about the item's own centre of mass",
    "": "about an unstated point",
}


def _stated_reference_point(header: HeaderRow, options: TableOptions, findings: Findings) -> _Point | None:
    """Find the point that headers of inertia name, the origin of the table's frame; None for own centres."""
    # it replaces ``--config inertia-about=…``, is reported, and must agree with the option and from column to column
    named = {
        q: headings.inertia_reference(header.texts[header.columns[q]]) for q in INERTIA_COLUMNS if q in header.columns
    }
    if (first := next((quantity for quantity, point in named.items() if point), None)) is None:
        return None
    name, place, about = header.name(first), header.place_of(first), named[first]
    if fault := _reference_conflict(header, named, about, options):
        findings.report("MP249", f"{name} is {_POINT_PHRASES[about]}, and {fault}", place, value=name)
        return None
    if about == headings.OWN:
        return None
    message = f"{name}: inertia {_POINT_PHRASES[about]} transferred to the centres of mass of the items"
    findings.report("MP248", message, place, value=name, count=len(named))
    return _ORIGIN_POINT


def _reference_conflict(header: HeaderRow, named: Mapping[str, str], about: str, options: TableOptions) -> str:
    """Report what contradicts the point of an inertia: another column, the option, or a sigma of unknown meaning."""
    # a column without a point is about the own centre of mass
    others = [q for q, point in named.items() if point != about and (point or about != headings.OWN)]
    if others:
        return f"{header.name(others[0])} is {_POINT_PHRASES[named[others[0]]]}"
    requested = options.inertia_about
    if options.inertia_own and about == headings.ORIGIN:
        return "inertia-about is own"
    if requested is not None and (about != headings.ORIGIN or any(requested)):
        return f"inertia-about is {','.join(f'{x + 0.0:.12g}' for x in requested)}"
    spreads = [q for q in header.columns if base_quantity(q) in INERTIA_COLUMNS and q not in INERTIA_COLUMNS]
    if about != headings.ORIGIN or not options.use_sigmas or not spreads:
        return ""
    included = f"{header.name(spreads[0])} includes the uncertainties of mass and centre of mass"
    return f"whether {included} is not stated; pass --uncertainty none"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class QuantityColumn:
    """One column that is read, and how its cells become values."""

    index: int  # from 0
    quantity: str
    header: str
    unit: str = ""  # of its cells, the first one of by_row; empty where none is stated
    factor: float = 1.0  # cell × factor is the value in coherent units, of sigmas that of one standard deviation
    level: float = 1.0  # standard deviations in a cell of sigmas
    percent: bool = False  # cell × factor is one standard deviation in percent of the row's own value
    rules: CellRules = DEFAULT_CELL_RULES
    by_row: RowUnits | None = None  # units of its rows, where another column states them; factor is of the first

    def sizes(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | float:
        """Look up the factors (k,) from cells to coherent units in table rows (k,); NaN if the unit is unknown."""
        return self.factor if self.by_row is None else self.factor * self.by_row.sizes(rows)

    def size(self, row: int) -> float:
        """Look up the factor from a cell to coherent units in one table row."""
        return self.factor if self.by_row is None else self.factor * float(self.by_row.sizes(np.array([row]))[0])

    def parse(self, table: Table, first: int, rules: CellRules | None = None) -> ParsedColumn:
        """Parse the cells of the column from a row on, by its rules or others."""
        return parse_column(table, self.index, table.numbers([self.index], first)[0], first, rules or self.rules)

    def values(self, table: Table, first: int, *, estimates: bool = False) -> NDArray[np.float64]:
        """Read the numbers (n,) from a row on in coherent units, NaN without one; ``estimates`` too, as in a total."""
        rules = self.rules._replace(approximate=True) if estimates else self.rules
        return self.parse(table, first, rules).values * self.sizes(np.arange(first, table.n_rows))

    def has_decimal_comma(self, table: Table, first: int) -> bool:
        """Return whether a cell from a row on can be read with a decimal comma only."""
        return has_decimal_comma(table.texts(self.index, first))

    def half_digit(self, table: Table, row: int, label: str = "") -> float:
        """Return half a unit of the last digit of a cell, in coherent units."""
        return half_unit_of_cell(table.text(row, self.index), self.rules, label) * self.size(row)

    def unit_at(self, row: int) -> str:
        """Look up the unit of the cell in one table row."""
        return self.unit if self.by_row is None else self.by_row.text(row)

    def label_size(self, label: str) -> float:
        """Return the size of a unit of mass in a label, ``Total (kg)``, in the unit of the column; 1 without one."""
        match = re.search(r"[\[(]\s*([^()\[\]]+?)\s*[\])]", label)
        stated = unit_of_dimension(match[1], MASS, common_only=True) if match else None
        own = unit_of_dimension(self.unit, MASS) if self.unit else None
        return stated.over(own) if stated is not None and own is not None else 1.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _UnitRewrite:
    """What ``--units`` changes in the table: every number cell, and the places that state units."""

    units_row_at: int | None  # None without a units row
    factors: dict[int, float] = field(default_factory=dict)  # column → factor from a cell to the new cell
    header: dict[int, str] = field(default_factory=dict)  # column → new text of the header
    units_row: dict[int, str] = field(default_factory=dict)  # column → new text in row units_row_at
    row_units: dict[int, str] = field(default_factory=dict)  # column that holds units → new text of every cell
    written: dict[int, tuple[str, float]] = field(default_factory=dict)
    """Column → new unit, and what 1 in it is in the coherent system."""


class TableColumns(NamedTuple):
    """What a table's columns mean: rows of the header and of the first item, columns by quantity, units."""

    header_row: int
    first_row: int
    by_quantity: dict[str, QuantityColumn]
    header: list[str]  # text of every column, read or not
    units: Units
    rewrite: _UnitRewrite | None = None  # with --units only
    doubtful: frozenset[str] = frozenset()  # quantities whose header can also mean a product: Total mass, Ext. Qty
    inertia_about: _Point | None = None  # point that headers of inertia name, None for own centres
    mass_is: str = ""  # each or line, where relations between the columns show the meaning of the masses
    poi: str = ""  # sign convention of products that a text above the header states
    explained: frozenset[int] = frozenset()  # columns that are not read, and that an equation or an option explains
    equations: tuple[ColumnEquation, ...] = ()  # that show the roles of columns of masses

    def having(self, quantities: Iterable[str]) -> list[QuantityColumn]:
        """List the columns of some quantities, of those that the table has."""
        return [self.by_quantity[name] for name in quantities if name in self.by_quantity]


def columns_of_name(name: str, table: Table, columns: TableColumns) -> list[int]:
    """Find columns by their header, exactly or in any case, the quantity that one is read as, or its place."""
    headers = [text.strip() for text in columns.header]
    if same := [j for j, text in enumerate(headers) if text == name.strip()]:
        return same
    if name in columns.by_quantity:
        return [columns.by_quantity[name].index]
    same = [j for j, text in enumerate(headers) if text.casefold() == name.casefold()]
    return same or columns_by_reference(name, table)


def show_made_columns(table: Table, options: TableOptions, findings: Findings) -> Table:
    """Show the parts of tuples, coordinates with signs for their sides, and the results that solids need."""
    table = split_tuple_columns(table, find_header_row(table, options.map))
    table = sign_side_cells(table, find_header_row(table, options.map), options, findings)
    return sigma_columns.with_solid_columns(table, find_header_row(table, options.map), options)


def read_columns(table: Table, options: TableOptions, findings: Findings) -> TableColumns:
    """Identify header, row of units and the options that name columns; faults are findings if it has a header."""
    header = read_header(table, options.map, findings, frozen=options.frozen, ignore=options.ignore_columns)
    findings += sigma_columns.exclude_bound_columns(header)
    stated = find_units(header, options, findings)
    first_row = header.row + (1 if stated.row_texts is None else 2)
    _announce_columns(header, options)
    by_row = read_row_units(header, first_row, stated, options, findings)
    findings += sigma_columns.exclude_word_columns(header, first_row, options)
    findings += sigma_columns.exclude_growth_column(header, first_row, options)
    conversion = choose_unit_conversion(header, stated, options, findings)
    of_sigmas = findings if options.use_sigmas else Findings()
    forms = sigma_columns.sigma_forms(header, first_row, stated.percent, options, of_sigmas)
    by_quantity = {}
    for name in header.columns:
        column = _build_quantity_column(name, header, conversion, forms.get(name, SigmaForm()), options)
        unit = None if name in by_row else column.rules.unit
        rules = column.rules._replace(unit=unit, in_cells=name in stated.in_cells)
        by_quantity[name] = replace(column, by_row=by_row.get(name), rules=rules)
    is_large = isinstance(file_table(table), PrefetchTable)
    if not options.decimal and not is_large:
        by_quantity = _with_shown_decimal_mark(header, by_quantity, first_row)
        findings += _decimal_mark_question(header, by_quantity, first_row)
    findings += _check_column_sets(header, options)
    explained = header.explained
    if "level" in by_quantity and not {"level"} & {*options.map, options.layout}:
        texts = table.texts(by_quantity["level"].index, first_row)
        if len({text.strip() for text in texts} - {""}) < 2:  # without a tree the rows are a list
            explained |= {by_quantity.pop("level").index}
    is_open = not (options.frozen or {"item", "name"} & {*options.map} or is_large)
    if is_open and {"item", "name"} <= by_quantity.keys():
        items, names = ([*map(str.strip, table.texts(by_quantity[one].index, first_row))] for one in ("item", "name"))
        if all(re.search(r"[^\W\d_]{3}", text) for text in items) and len({*items}) == len(items) > len(
            {*names} - {""}
        ):
            explained |= {by_quantity["name"].index}  # a description of it
            by_quantity["name"] = replace(by_quantity.pop("item"), quantity="name")
    rewrite = _build_unit_rewrite(header, stated, conversion, by_row) if options.units else None
    findings += _converted_columns_findings(header, conversion, rewrite)
    return TableColumns(
        header.row,
        first_row,
        by_quantity,
        header.texts,
        conversion.units,
        rewrite,
        header.doubtful,
        _stated_reference_point(header, options, findings),
        options.mass_is or header.mass_is,
        _stated_poi(header, options, findings),
        explained,
        header.equations,
    )


def _stated_poi(header: HeaderRow, options: TableOptions, findings: Findings) -> str:
    """Find the sign convention of products that a formula in or above the header states, where nothing else does."""
    if options.poi or "Ixy" not in header.columns or "POIconv" in header.columns:
        return ""
    if sign := stated_product_sign([*(", ".join(header.table.row(i)) for i in range(header.row)), *header.texts]):
        name = header.name("Ixy")
        message = f"{name} read as {'−' if sign == '-' else '+'}∫xy dm, as the text above the header states"
        findings.report("MP262", message, header.place_of("Ixy"), value=name, remedy=f"confirm it with --poi {sign}")
    return sign


def _build_quantity_column(
    quantity: str, header: HeaderRow, conversion: UnitConversion, form: SigmaForm, options: TableOptions
) -> QuantityColumn:
    """Build the description of one column from its header, unit and cells."""
    dimension = quantity_dimension(quantity)
    text = conversion.texts.get(quantity, header.units.get(quantity, "") if quantity == "mga" else "")
    unit = None if form.percent or dimension is None else unit_of_dimension(text, dimension)
    is_of_one = quantity == "mass" and "line" not in (options.mass_is, header.mass_is)  # a line has no mass per metre
    of_measure = "quantity" if quantity == "qty" else "mass" if is_of_one else ""
    return QuantityColumn(
        header.columns[quantity],
        quantity,
        header.name(quantity),
        headings.PERCENT if form.percent else text,
        form.scale * conversion.factors.get(quantity, 1.0) / form.level,
        form.level,
        form.percent,
        CellRules(options.decimal, options.accept_approximate, unit, of_measure=of_measure),
    )


def _with_shown_decimal_mark(
    header: HeaderRow, columns: dict[str, QuantityColumn], first_row: int
) -> dict[str, QuantityColumn]:
    """Let the decimal mark of all columns of numbers decide where a column does not show its own: ``1,299``."""
    numbers = {name: one for name, one in columns.items() if quantity_dimension(name) or name in POSE_QUANTITIES}
    known = {column.index for column in columns.values()}
    free = {j: text for j, text in enumerate(header.texts) if j not in known}
    deciding = [column.index for name, column in numbers.items() if name not in POSE_QUANTITIES]
    deciding += [j for j, text in free.items() if has_other_unit(text) or has_mass_unit(text)]  # of measures
    rows = range(first_row, min(header.table.n_rows, first_row + _MOST_ROWS))
    deciding += [j for j in free if any("%" in header.table.text(i, j) for i in rows)]
    of_mass = [columns[name] for name in ("mass", "line_mass") if name in columns]

    def read(mark: str) -> list[NDArray[np.float64]]:
        of_rows = (*of_mass, *([columns["qty"]] if "qty" in columns else []))
        return [one.parse(header.table, first_row, one.rules._replace(decimal=mark)).values for one in of_rows]

    sums = mark_of_sums(header.table, first_row, [one.index for one in of_mass], read)
    if not (shown := table_decimal_mark(header.table, deciding, first_row) or sums):
        return columns
    shown_by = {name: one.rules._replace(shown=shown) for name, one in numbers.items()}
    shown_by |= {one.quantity: shown_by[one.quantity]._replace(decimal=sums) for one in of_mass if sums == ","}
    return columns | {name: replace(numbers[name], rules=rules) for name, rules in shown_by.items()}


_POSSIBLE_GROUPS = re.compile(r"[1-9]\d{0,2}\.\d{3}")  # 1.250
_MOST_ROWS = 1_000  # rows that are searched for points and shares


def _decimal_mark_question(header: HeaderRow, columns: Mapping[str, QuantityColumn], first_row: int) -> list[Finding]:
    """Ask whether points before three digits are decimal, where ``;`` or a language of decimal commas is with them."""
    table = header.table
    if table.source.delimiter != ";" and not headings.has_decimal_comma_language(header.texts):
        return []
    of_numbers = {one.index: one for name, one in columns.items() if name == "qty" or quantity_dimension(name)}
    found: list[tuple[int, int, str]] = []
    for j in (j for j, one in of_numbers.items() if not one.rules.decimal):
        texts = [table.text(i, j).strip() for i in range(first_row, min(table.n_rows, first_row + _MOST_ROWS))]
        if any("," in text for text in texts) or any(table.is_typed(j, first_row)):
            return []
        found += [(first_row + k, j, text) for k, text in enumerate(texts) if "." in text]
    if not found or not all(_POSSIBLE_GROUPS.fullmatch(text) for _, _, text in found):
        return []
    row, j, text = found[0]
    whole = text.replace(".", "")
    message = f"{of_numbers[j].header} is ambiguous: {text} ({whole} or {text})"
    remedy = f"pass --decimal , to read {whole}, or --decimal . to read {text}"
    place = table.place(row, j, of_numbers[j].header)
    return [rule_finding("MP205", message, place, value=text, remedy=remedy, count=len(found))]


def _announce_columns(header: HeaderRow, options: TableOptions) -> None:
    """Announce the columns that will be read, so that a reader of large files reads the file only once."""
    if not isinstance(table := header.table, PrefetchTable):
        return
    ten, of_poses = NUMBER_QUANTITIES[:10], {"frame", "pose_covariance", *PATTERN_QUANTITIES}
    numbers = {"qty", *ROW_TOTAL_QUANTITIES, *GROWTH_MASSES, *ten} | ({*POSE_QUANTITIES} - of_poses)
    numbers |= {*(f"sigma_{name}" for name in ten), *BOUND_QUANTITIES} if options.use_sigmas else set()
    texts = {*TEXT_QUANTITIES, *of_poses} - numbers
    if not options.growth_table:  # nothing will ask for these
        texts -= {"category", "maturity"}
    of_texts, of_numbers = (
        [index for quantity, index in header.columns.items() if quantity in some] for some in (texts, numbers)
    )
    table.read_ahead(of_texts, of_numbers)


def _check_column_sets(header: HeaderRow, options: TableOptions) -> list[Finding]:
    """Report the columns that are missing from a set."""
    findings = Findings()
    given = {names: [name for name in names if name in header.columns] for names in _COLUMN_SETS}
    for names, what in _COLUMN_SETS.items():
        if 0 < len(given[names]) < len(names):
            findings.append(_incomplete_set_finding(header, names, what, options))
    centers, moments, products = given.values()
    if len(moments) == len(_MOMENTS) and not products:
        lacks, remedy = "columns Ixy, Ixz, Iyz missing", "add columns Ixy, Ixz, Iyz, with 0 where the value is 0"
        rule, message = "MP223", f"products of inertia read as 0: {lacks} (part axes are principal axes)"
        if options.is_strict:
            rule, message = "MP212", f"incomplete inertia tensor: {lacks}"
        findings.report(rule, message, header.place_of("Ixx"), remedy=remedy)
    if products and not moments:
        findings.append(_incomplete_set_finding(header, INERTIA_COLUMNS, "inertia tensor", options))
    if "Ixx" in moments and not centers:
        severity = Severity.WARNING if "center" in options.allow_missing else None
        message = "incomplete centre of mass: the inertia tensor requires columns Cx, Cy, Cz"
        findings.report("MP203", message, header.place_of("Ixx"), severity=severity)
    if options.use_sigmas:
        findings += sigma_columns.check_sigma_columns(header, is_strict=options.is_strict)
    return findings


_MOMENTS, _PRODUCTS = INERTIA_COLUMNS[:3], INERTIA_COLUMNS[3:]  # the moments and the products of inertia
_COLUMN_SETS = {CENTER_COLUMNS: "centre of mass", _MOMENTS: "inertia tensor", _PRODUCTS: "inertia tensor"}


def _incomplete_set_finding(header: HeaderRow, names: tuple[str, ...], words: str, options: TableOptions) -> Finding:
    """Report which columns of a set are missing; quantities that need them are not computed."""
    # ``words`` name the set in the message; of a centre the coordinates given are computed: one or two for ships
    is_center = names == CENTER_COLUMNS
    given = [name for name in names if name in header.columns]
    missing = [name for name in names if name not in header.columns]
    columns = f"{'column' if len(missing) == 1 else 'columns'} {', '.join(missing)}"
    message = f"incomplete {words}: {columns} missing"
    if is_center:
        sigmas = any(f"sigma_{name}" in header.columns for name in names)
        computed = f"{', '.join(given)} {'is' if len(given) == 1 else 'are'} computed"
        message += f" ({computed}{', without sigmas' if sigmas else ''})"
    remedy = f"add {'a ' if len(missing) == 1 else ''}{columns}, with 0 where the value is 0"
    may_be_partial = is_center and not options.is_strict and not set(INERTIA_COLUMNS) & set(header.columns)
    severity = Severity.NOTE if len(given) == 1 else Severity.WARNING
    place = header.place_of(given[0])
    return rule_finding("MP212", message, place, remedy=remedy, severity=severity if may_be_partial else None)


def _converted_columns_findings(
    header: HeaderRow, conversion: UnitConversion, rewrite: _UnitRewrite | None
) -> list[Finding]:
    """Report once which columns ``--units`` converts."""
    if not (changed := [index for index, factor in (rewrite.factors.items() if rewrite else ()) if factor != 1.0]):
        return []
    columns = ", ".join(header.texts[index].strip() for index in sorted(changed))
    *others, last = dict.fromkeys(unit.text for unit in conversion.requested if unit is not None)
    message = f"{columns}: cells converted to {', '.join(others)}{' and ' if others else ''}{last}"
    return [rule_finding("MP211", message, header.table.place(header.row, min(changed)), count=len(changed))]


def _header_with_unit(text: str, old: str, new: str) -> str:
    """Replace the unit in a header, at its last separate occurrence."""
    alone = list(re.finditer(rf"(?<![^\W\d_]){re.escape(old)}(?![^\W\d_])", text))
    start = alone[-1].start() if alone else text.rindex(old)
    return f"{text[:start]}{new}{text[start + len(old) :]}"


def _build_unit_rewrite(
    header: HeaderRow, stated: ColumnUnits, conversion: UnitConversion, by_row: Mapping[str, RowUnits]
) -> _UnitRewrite:
    """Build the changes of cells and headers for other units."""
    rewrite = _UnitRewrite(None if stated.row_texts is None else header.row + 1)
    for quantity, index in header.columns.items():
        if (target := conversion.target(quantity)) is None or quantity not in conversion.factors:
            continue
        new, coherent = target.text, conversion.system.of(quantity)
        size = 1.0 if coherent is None or target.unit == coherent.unit else target.unit.over(coherent.unit)
        rewrite.written[index] = (new, size)
        rewrite.factors[index] = conversion.factors[quantity] / size
        if stated.row_texts is not None and quantity not in by_row:
            before = stated.row_texts.get(index, "")
            old = unit_without_direction(strip_unit_brackets(before))
            rewrite.units_row[index] = before.replace(old, new, 1) if before else new
        text = renamed = header.texts[index]
        if quantity in by_row:
            rewrite.row_units[by_row[quantity].index] = new
        elif header.units[quantity]:
            renamed = _header_with_unit(text, unit_without_direction(header.units[quantity]), new)
        elif stated.row_texts is None:
            renamed = f"{text.rstrip()} [{new}]"
        if renamed != text:
            rewrite.header[index] = renamed
    return rewrite


def converted_cell_edits(table: Table, columns: TableColumns, rewrite: _UnitRewrite) -> list[ColumnEdit]:
    """Convert the number cells of every column that changes its unit; other cells are not changed."""
    first, fills = columns.first_row, []
    by_index = {column.index: column for column in columns.by_quantity.values()}
    for index, factor in sorted(rewrite.factors.items()):
        column = by_index[index]
        if factor == 1.0 and column.by_row is None:
            continue
        parsed = column.parse(table, first)
        # 1.2 kg/m is true under any unit, and a plain number would be of one unit of its row's quantity
        given = np.setdiff1d(np.flatnonzero(np.isfinite(parsed.values)), list(parsed.measures)).astype(np.intp)
        rows = given + first
        sizes = 1.0 if column.by_row is None else column.by_row.sizes(rows)
        fills.append(ColumnEdit(index, rows, parsed.values[given] * (factor * sizes)))
    return fills


def unit_cell_edits(columns: TableColumns) -> list[ColumnEdit]:
    """Write the new units into the cells of columns that hold units row by row."""
    new = {} if columns.rewrite is None else columns.rewrite.row_units
    stated = [(row_unit_columns(columns)[index].stated_rows, index, text) for index, text in sorted(new.items())]
    return [ColumnEdit(index, rows, [text] * len(rows)) for rows, index, text in stated if len(rows)]


def row_unit_columns(columns: TableColumns) -> dict[int, RowUnits]:
    """Select the columns that hold units row by row."""
    return {column.by_row.index: column.by_row for column in columns.by_quantity.values() if column.by_row is not None}


def units_row_edits(rewrite: _UnitRewrite) -> list[ColumnEdit]:
    """Write the new cells of the units row."""
    if rewrite.units_row_at is None:
        return []
    row = np.array([rewrite.units_row_at], dtype=np.intp)
    return [ColumnEdit(index, row, [text]) for index, text in sorted(rewrite.units_row.items())]


def unit_rewrite_edit(table: Table, columns: TableColumns) -> TableEdit:
    """Collect the changes of ``--units`` to a table in its own layout: number cells, headers and the units row."""
    if (rewrite := columns.rewrite) is None:
        return TableEdit(header_row=columns.header_row)
    converted = converted_cell_edits(table, columns, rewrite)
    numbers = [one._replace(values=short_numbers(np.asarray(one.values, float))) for one in converted]
    fills = [*numbers, *units_row_edits(rewrite), *unit_cell_edits(columns)]
    return TableEdit(tuple(fills), header_row=columns.header_row, renames=rewrite.header)
