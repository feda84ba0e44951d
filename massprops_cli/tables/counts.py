"""Numbers of pieces: questions about them, and columns that ``--map`` computes from others.

``--map qty='Qty/set * Sets'``, ``mass='lb + oz'``, ``mass='Weight per 100 / 100'``, ``qty='count in Item'``. A sum is
in the unit of its first column; there a blank is 0 next to a number.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, NUMBER, ColumnNumbers, Floats, Table, shortest_number_text
from massprops_cli.findings.finding import Finding, Findings, name_list, rule_finding
from massprops_cli.tables.account import unread_number_findings
from massprops_cli.tables.cells.cell_words import PIECE_MARKS, may_count_in_heading, pieces_in_name
from massprops_cli.tables.cells.number_text import CellRules, is_number, read_number, word_set, words
from massprops_cli.tables.cells.numbers import is_filled_text, parse_column
from massprops_cli.tables.cells.units import MASS, unit_of_dimension
from massprops_cli.tables.columns import implied_columns
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.header import columns_by_name, columns_by_reference
from massprops_cli.tables.columns.headings import (
    OPERATION_SIGNS,
    column_command_name,
    heading_unit,
    ignore_option,
    map_option,
    operand_name,
)
from massprops_cli.tables.columns.mass_headings import (
    is_heading_of_kind,
    is_possible_mass_heading,
    is_required_margin,
    mass_unit_heading,
    names_other_number,
    pieces_per,
)
from massprops_cli.tables.columns.sigma_columns import WiderTable
from massprops_cli.tables.options import TableOptions, is_output_heading
from massprops_cli.tables.rows.total_rows import TotalRow, is_stated_total, quantity_values

_MIN_ASCENDING = 6  # rows whose numbers only grow are numbered: by chance one quantity in 720 lists does
_MIN_FILLED = 0.5  # the share of rows with a mass in which a number of pieces is stated
_TOP_ROWS = 50  # rows of a column that are read before all of it is read
_MOST_PIECES = 20  # of the part that is there least often, under a heading without a word for counts
_MIN_NUMBERED_ROWS = 2  # 1, 2, 3 in order number the rows
_YEARS = (1950, 2100)  # whole numbers within these are years
_PER = re.compile(r"(?:\bper|\bpro|\bje|\bpar|\bpor|/)\s*([^\W\d_]{3,})", re.IGNORECASE)  # Qty per wing


def _count_questions(
    table: Table, columns: TableColumns, options: TableOptions, totals: Sequence[TotalRow]
) -> Iterator[Finding]:
    """Ask what the counts and sizes of a table mean that are not read."""
    if options.frozen or "mass" not in columns.by_quantity:
        return
    yield from _size_questions(table, columns, options)
    if _fitting_counts(table, columns, (), totals) != [None]:  # else the masses are those of the rows
        yield from _second_count_questions(table, columns, options)
        yield from _name_questions(table, columns, options)


def combinations_of_counts(table: Table, row: int, counts: Sequence[int], *, otherwise: str = "*+") -> list[str]:
    """Write the options that multiply counts of sets and in a set, add those of two sides, or else do both or none."""
    if len(counts) != 2:
        return []
    names, header = [operand_name(table, row, j) for j in counts], table.row(row)
    sides = [set(re.findall(r"\w+", header[j].casefold())) & word_set("loads", "pair") for j in counts]
    is_product = any(two in _second_counts(header, one) for one, two in (counts, counts[::-1]))
    signs = "*" if is_product else "+" if all(sides) and sides[0] != sides[1] else otherwise
    return [f"--map qty={shlex.quote(f' {sign} '.join(names))}" for sign in signs]


def _second_count_questions(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[Finding]:
    """Ask which column counts the pieces where a heading names a second one, and no row totals show which."""
    named, row = columns.by_quantity, columns.header_row
    is_known = {"qty", "total_qty"} & set(options.map) or columns.mass_is or options.qty_column
    if "qty" not in named or is_known or {"line_mass", "total_qty"} & named.keys():
        return
    read = {column.index for column in named.values()} | columns.explained
    quantity = named["qty"]
    is_weighed = np.isfinite(quantity_values(table, columns, "mass", np.nan))
    values = quantity_values(table, columns, "qty", np.nan)
    for j, text in enumerate(columns.header):
        is_ignored = text.strip() in (quantity.header.strip(), *options.ignore_columns)  # MP202: columns of one heading
        if j in read or is_ignored or not _names_second_count(text, quantity.header):
            continue
        texts = zip(table.texts(j, columns.first_row), values, strict=True)
        is_alike = all(not one.strip() or one.strip() == f"{value:g}" for one, value in texts)
        if is_alike or not _may_count(table, columns, j, is_weighed, 1):
            continue
        names = [quantity.header, text.strip()]
        both = quantity.index, j
        ways = [*(map_option(table, row, k, "qty") for k in both), *combinations_of_counts(table, row, both)]
        message = f"2 columns may count the pieces: {name_list(names)}"
        yield rule_finding(
            "MP253", message, table.place(row, j, text), value=names[1], count=2, remedy=table.source.run_remedy(*ways)
        )


def _names_second_count(text: str, quantity: str) -> bool:
    """Return whether a heading names a number of pieces, or what another one counts them in: wings, per wing."""
    bare = re.sub(r"[\W_]+", " ", text.casefold()).strip()
    known = words("counting")["second"]
    if not bare or set(bare.split()) & set(known["stock"]):
        return False
    is_per = any(_second_counts(pair, 0) for pair in ((quantity, text), (text, quantity)))
    return is_per or may_count_in_heading(text) or bool(set(bare.split()) & set(known["words"]))


def _second_counts(header: Sequence[str], j: int) -> list[int]:
    """List the columns that name what a column counts pieces in: wings, next to Qty per wing."""
    found = _PER.search(header[j])
    return [k for k, text in enumerate(header) if found and k != j and found[1].casefold() in text.casefold()]


def _size_questions(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[Finding]:
    """Ask whether masses or quantities are of several pieces: per 100, pairs."""
    row = columns.header_row
    for quantity, sign in (("mass", "/"), ("qty", "*")):
        column = columns.by_quantity.get(quantity)
        size = 1.0 if column is None else pieces_per(column.header, is_count=quantity == "qty")
        if column is None or size == 1 or quantity in options.map:
            continue
        name = operand_name(table, row, column.index)
        ways = [f"--map {quantity}={shlex.quote(text)}" for text in (f"{name} {sign} {size:g}", name)]
        message = f"{column.header} is ambiguous: of {size:g} pieces, or of one"
        code = "MP252" if quantity == "mass" else "MP253"
        place = table.place(row, column.index, column.header)
        yield rule_finding(code, message, place, value=column.header, remedy=table.source.run_remedy(*ways))


def _name_questions(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[Finding]:
    """Ask whether the names count pieces where no column counts them, and no heading names masses of rows."""
    named, row = columns.by_quantity, columns.header_row
    name = next(iter(columns.having(("name", "id", "item", "part"))), None)
    of_rows = {columns.mass_is, options.mass_is} - {""} or "line_mass" in named or "mass" in columns.doubtful
    if name is None or "qty" in named or of_rows:
        return
    texts = table.texts(name.index, columns.first_row)
    among = texts.rows_with(_MARKS_OF_PIECES).tolist() if hasattr(texts, "rows_with") else range(len(texts))
    masses = quantity_values(table, columns, "mass", np.nan)
    weighed = [i for i in among if np.isfinite(masses[i])]
    if counted := [i for i in weighed if pieces_in_name(texts[i]) > 1]:
        pieces = shlex.quote(f"count in {operand_name(table, row, name.index)}")
        message, ways = "name may count pieces, and no column does", [f"--map qty={pieces}", "--mass-is line"]
    elif counted := [i for i in weighed if re.search(_OF_EACH, texts[i])]:
        message, ways = "mass of one of several pieces, and no column counts them", ["--mass-is each if one is there"]
    else:
        return
    first, text = counted[0] + columns.first_row, texts[counted[0]].strip()
    place, remedy = table.place(first, name.index, name.header), table.source.run_remedy(*ways)
    remedy = remedy if len(ways) > 1 else f"add a column with the number of pieces, or {remedy}"
    yield rule_finding("MP253", f"{message}: {text}", place, count=len(counted), value=text, remedy=remedy)


_EACH = r"each|ea|per piece|apiece|je|pro stück|chacune?|par pièce|c/u|cada un[oa]?|cadaun[oa]|cad|per stuk"
_OF_EACH = rf"(?i)[(\[]\s*(?:{_EACH})\.?\s*[)\]]|,\s*each\s*$"  # Landing gear (each)
_MARKS_OF_PIECES = rf"{PIECE_MARKS}|(?i:[(\[]\s*(?:{_EACH})|,\s*each)"  # of names that may be of several pieces


def with_explained_counts(
    table: Table,
    columns: TableColumns,
    options: TableOptions,
    totals: Sequence[TotalRow],
    known: AbstractSet[int],
    findings: Findings,
) -> TableColumns:
    """Read the column of counts with which the total agrees as the quantity, else ask; list what is not read."""
    if not any(finding.rule == "MP253" for finding in findings):
        findings += () if totals else _state_questions(table, columns, options)
        if counts := _possible_counts(table, columns, options, known):
            fitting = _fitting_counts(table, columns, counts, totals)
            if len(fitting) != 1:
                findings.append(_count_question(table, columns, counts))
            elif fitting[0] is not None:
                columns = _with_quantity(table, columns, options, fitting[0], findings)
    if not any(finding.rule in ("MP252", "MP253") for finding in findings):
        findings += _count_questions(table, columns, options, totals)
    findings += unread_number_findings(table, columns, findings, known)
    return columns


def _with_quantity(
    table: Table, columns: TableColumns, options: TableOptions, j: int, findings: Findings
) -> TableColumns:
    """Read a column as the quantity, because the stated total agrees with it alone."""
    name = columns.header[j].strip() or f"column {j + 1}"
    message = f"{name} read as the quantity: the stated total agrees only with it"
    findings.report("MP270", message, table.place(columns.header_row, j, name), value=name)
    rules = CellRules(options.decimal, options.accept_approximate, None, of_measure="quantity")
    quantity = QuantityColumn(j, "qty", columns.header[j].strip(), rules=rules)
    return columns._replace(by_quantity={**columns.by_quantity, "qty": quantity})


def _possible_counts(table: Table, columns: TableColumns, options: TableOptions, known: AbstractSet[int]) -> list[int]:
    """List the columns that may count pieces: whole numbers that nothing explains, where no quantity is known."""
    named = columns.by_quantity
    of_rows = "line" in (columns.mass_is, options.mass_is) or "line_mass" in named or "mass" in columns.doubtful
    if options.frozen or "qty" in named or "mass" not in named or of_rows:
        return []
    read = {column.index for column in named.values()} | columns.explained | known
    read |= {column.by_row.index for column in named.values() if column.by_row is not None}
    weighed = quantity_values(table, columns, "mass", np.nan) if len(read) < len(columns.header) else np.zeros(0)
    cells = implied_columns.HeaderCells(table, columns.header_row)
    return [
        j
        for j, text in enumerate(columns.header)
        if j not in read
        and not is_output_heading(text)
        and (
            not names_other_number(text)
            or (may_count_in_heading(text) and not is_required_margin(text))
            or implied_columns.is_possible_count_of_index(cells, j)
        )
        and not is_possible_mass_heading(text)
        and not is_heading_of_kind("limit", text)
        and _may_count(table, columns, j, np.isfinite(weighed))
    ]


def _may_count(table: Table, columns: TableColumns, j: int, is_weighed: NDArray[np.bool_], least: int = 2) -> bool:
    """Return whether a column holds whole numbers, some above 1, in rows with masses: no running number, no years."""
    rows = range(columns.first_row, min(table.n_rows, columns.first_row + _TOP_ROWS))
    top = [text for i in rows if is_filled_text(text := table.text(i, j))]
    if not all(text.strip().isdigit() or is_number(text) for text in top):
        return False
    parsed = parse_column(table, j, table.numbers([j], columns.first_row)[0], columns.first_row)
    values = parsed.values[is_weighed & np.isfinite(parsed.values)]
    if len(parsed.bad) or len(values) < max(least, _MIN_FILLED * np.count_nonzero(is_weighed)):
        return False
    if (values < 0).any() or (values != np.floor(values)).any() or values.max() <= 1:
        return False
    if least > 1 and columns.header[j].strip() and values[values > 0].min() > _MOST_PIECES:
        return False
    is_year = bool(((values >= _YEARS[0]) & (values <= _YEARS[1])).all())
    if is_year or (len(values) >= _MIN_ASCENDING and bool((np.diff(values) > 0).all())):
        return False
    return not implied_columns.HeaderCells(table, columns.header_row).is_running(j, _MIN_NUMBERED_ROWS)


def _fitting_counts(
    table: Table, columns: TableColumns, counts: Sequence[int], totals: Sequence[TotalRow]
) -> list[int | None]:
    """List the columns of counts with which the masses give a stated total; None is the masses alone."""
    masses = quantity_values(table, columns, "mass", 0.0)
    times: dict[int | None, Floats] = {None: np.ones(len(masses)), **{j: _counts(table, columns, j) for j in counts}}
    return [j for j, one in times.items() if is_stated_total(totals, masses * one, columns.first_row)]


def _counts(table: Table, columns: TableColumns, j: int) -> Floats:
    """Read the numbers of pieces (n,) in a column, 1 for a blank."""
    values = parse_column(table, j, table.numbers([j], columns.first_row)[0], columns.first_row).values
    return np.where(np.isfinite(values), values, 1.0)


def _state_questions(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[Finding]:
    """Ask which row counts where the heading of the names, such as Condition, shows that they exclude each other."""
    named = next(iter(columns.having(("name", "id"))), None)
    is_known = options.frozen or options.where or {"name", "id", "qty"} & options.map.keys()
    if named is None or is_known or named.header.strip().casefold() not in words("counting")["states"]["texts"]:
        return
    weighed = np.flatnonzero(quantity_values(table, columns, "mass", 0.0)).tolist()
    names = [table.text(columns.first_row + k, named.index).strip() for k in weighed]
    if len(names) < 2 or "qty" in columns.by_quantity:
        return
    one = shlex.quote(f"{named.header.strip()} = {names[0]}")
    every = map_option(table, columns.header_row, named.index, "name")
    message = f"rows may exclude each other: {named.header.strip()} {name_list(names)}"
    remedy = table.source.run_remedy(f"--where {one}", f"{every} if they are parts of one whole")
    place = table.place(columns.header_row, named.index, named.header)
    yield rule_finding("MP253", message, place, value=named.header, count=len(names), remedy=remedy)


def _count_question(table: Table, columns: TableColumns, counts: Sequence[int]) -> Finding:
    """Ask whether columns count the pieces of their rows."""
    row = columns.header_row
    names = [columns.header[j].strip() or f"column {j + 1}" for j in counts]
    ignored = " ".join(ignore_option(table, row, j) for j in counts)
    ways = []
    for j in counts:
        size = pieces_per(columns.header[j], is_count=True)
        several = shlex.quote(f"{operand_name(table, row, j)} * {size:g}")
        ways += [f"--map qty={several}"] if size != 1 else []
        if _is_blank_next_to_mass(table, columns, j):  # of a variant: none of these
            ways.append(f"--qty-column {shlex.quote(column_command_name(table, row, j))}")
        ways.append(map_option(table, row, j, "qty"))
    ways += combinations_of_counts(table, row, counts)
    message = f"column may be the quantity, and no other column is: {name_list(names)}"
    remedy = table.source.run_remedy(*ways[:3], f"{ignored} if it does not count pieces")
    place = table.place(row, counts[0], columns.header[counts[0]])
    return rule_finding("MP253", message, place, value=names[0], remedy=remedy, count=len(counts))


def _is_blank_next_to_mass(table: Table, columns: TableColumns, j: int) -> bool:
    """Return whether a column is blank in a row with a mass."""
    masses = quantity_values(table, columns, "mass", 0.0)
    texts = table.texts(j, columns.first_row)
    return any(not text.strip() for text, mass in zip(texts, masses.tolist(), strict=True) if mass)


# Columns that are computed --------------------------------------------------------------------------------------------

_PIECES = "count in "
_SIGNIFICANT_DIGITS = 12  # of a computed number: beyond them is the rounding of binary fractions


def with_computed_columns(table: Table, header_row: int, mapping: Mapping[str, str]) -> Table:
    """Show the columns that a map computes to the right of the others."""
    texts, added = table.row(header_row), dict[str, Floats]()
    for wanted in dict.fromkeys(mapping.values()):
        is_computed = wanted.startswith(_PIECES) or OPERATION_SIGNS.search(wanted) is not None
        if is_computed and not columns_by_name(wanted, texts) and (read := _computed(table, header_row, wanted)):
            added[read[0]] = read[1]
    return _ComputedColumns(table, header_row, added) if added else table


def _computed(table: Table, row: int, wanted: str) -> tuple[str, Floats] | None:
    """Compute a column: its header with a unit, and its numbers (n_rows,); None where no such columns exist."""
    if wanted.startswith(_PIECES):
        columns = _columns(table, row, wanted.removeprefix(_PIECES))
        names = [text.strip() if i > row else "" for i, text in enumerate(table.texts(columns[0]))] if columns else []
        counts = np.array([(pieces_in_name(name) or 1.0) if name else np.nan for name in names])
        return (wanted, counts) if columns else None
    first, *rest = OPERATION_SIGNS.split(wanted)
    columns, values = _columns(table, row, first), _operand(table, row, first, "")
    if values is None or not columns:
        return None
    unit = _mass_unit(table.text(row, columns[0]))
    for sign, name in zip(rest[::2], rest[1::2], strict=True):
        if (other := _operand(table, row, name, unit if sign == "+" else "")) is None:
            return None
        values = _combined(values, sign, other)
    return (f"{wanted} [{unit}]" if unit else wanted), values


def _combined(one: Floats, sign: str, two: Floats) -> Floats:
    """Add, multiply or divide numbers; a blank is 0 in a sum with a number."""
    if sign == "+":
        return np.where(np.isnan(one) & np.isnan(two), np.nan, np.nan_to_num(one) + np.nan_to_num(two))
    with np.errstate(divide="ignore", invalid="ignore"):
        result = one / two if sign == "/" else one * two
    return np.where(np.isfinite(result), result, np.nan)


def _mass_unit(header: str) -> str:
    """Return the unit of mass that a header states or is; empty for none."""
    bare = re.sub(r"\s*/\s*\d.*", "", header)  # kg/1000 pcs
    stated = mass_unit_heading(bare)[0] or heading_unit(bare, "mass")
    return stated if unit_of_dimension(stated, MASS, common_only=True) is not None else ""


def _columns(table: Table, row: int, name: str) -> list[int]:
    """Find the column of an operand."""
    return columns_by_name(name, table.row(row)) or columns_by_reference(name, table)


def _operand(table: Table, row: int, name: str, unit: str) -> Floats | None:
    """Read a column, in a unit of mass where both state one, or a number (n_rows,); None for neither."""
    if not (columns := _columns(table, row, name)):
        number = read_number(name)
        return None if number is None else np.full(table.n_rows, number)
    values, first = np.full(table.n_rows, np.nan), row + 1
    values[first:] = parse_column(table, columns[0], table.numbers(columns[:1], first)[0], first).values
    stated = _mass_unit(table.text(row, columns[0]))
    own, wanted = (unit_of_dimension(text, MASS, common_only=True) for text in (stated, unit))
    return values * own.over(wanted) if own is not None and wanted is not None else values


class _ComputedColumns(WiderTable):
    """A table with computed columns to the right of its own."""

    def __init__(self, table: Table, header_row: int, added: Mapping[str, Floats]) -> None:
        super().__init__(table, header_row, list(added))
        self.values = {name: np.array([float(f"{x:.{_SIGNIFICANT_DIGITS}g}") for x in added[name]]) for name in added}

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on."""
        read = super().numbers(columns, start)
        for k, j in enumerate(columns):
            if j >= self.first:
                values = self.values[self.names[j - self.first]][start:]
                read[k] = ColumnNumbers(values, np.where(np.isnan(values), BLANK, NUMBER).astype(np.uint8))
        return read

    def _show(self, i: int, j: int, text: str) -> str:
        """Return the text of a computed column in a row."""
        name = self.names[j - self.first]
        value = float(self.values[name][i])
        return name if i == self.header_row else text if np.isnan(value) else shortest_number_text(value)
