"""The header row: which column is which quantity, by its name, by ``--map`` or by place (``col:D``, ``col:4``)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby, pairwise

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    Place,
    TableError,
    nearest_name,
    nearest_name_hint,
    rule_finding,
)
from massprops_cli.tables import options
from massprops_cli.tables.cells.number_text import is_measure, is_number, parse_measure, split_cell_text
from massprops_cli.tables.cells.units import quantity_dimension, unit_of_dimension
from massprops_cli.tables.columns.cell_parts import read_tuple_header
from massprops_cli.tables.columns.headings import (
    IDENTIFYING_QUANTITIES,
    OWN,
    UNREAD_HEADING,
    Heading,
    column_reference,
    heading_sigma_levels,
    heading_unit,
    inertia_reference,
    is_header_like,
    is_unit_of,
    read_heading,
    read_headings,
    squeeze_text,
)
from massprops_cli.tables.columns.implied_columns import (
    MASS_COLUMNS,
    HeaderCells,
    infer_center_columns,
    infer_count_columns,
    infer_mass_columns,
)
from massprops_cli.tables.columns.inferred_columns import (
    assign_fallback_columns,
    infer_name_column,
    infer_numbering_column,
    infer_unit_columns,
)
from massprops_cli.tables.columns.mass_headings import (
    ColumnEquation,
    MassRoles,
    ProposedMasses,
    is_heading_of_kind,
    is_per_piece,
    mass_unit_heading,
)
from massprops_cli.tables.equations import RowSample, is_labelled_row

_MAX_OFFERED = 4  # columns that a hint offers
_SAMPLE_ROWS = 200  # number of rows examined to decide whether a column contains numbers


def first_number(table: Table, column: int, first_row: int, *, amounts: bool = False) -> str:
    """Find the first number of a column of numbers; ``amounts``: also of percentages, and of masses with a unit."""
    rows = range(first_row, min(table.n_rows, first_row + _SAMPLE_ROWS))
    cells = [text for i in rows if (text := table.text(i, column).strip())]
    numbers = [text for text in cells if is_number(text) or (amounts and _is_amount(text))]
    is_whole = len(numbers) > 2 and all(text.isascii() and text.isdigit() for text in numbers)
    # numbers of rows: each one more than the one before, or ten
    numbers_rows = is_whole and {int(after) - int(before) for before, after in pairwise(numbers)} in ({1}, {10})
    return numbers[0] if 2 * len(numbers) > len(cells) and not numbers_rows else ""


def _is_amount(text: str) -> bool:
    """Return whether a text is a number with a percent sign, or with a unit of mass, or several in brackets."""
    if text.endswith("%"):
        return is_number(text[:-1].rstrip())
    if text.startswith(("(", "[", "{")) and any(map(str.isdigit, text)):
        return re.search(r"[^\W\d_eE]", text) is None  # (1.5e3, 2; 3)
    part = split_cell_text(text)
    return is_number(part.number) and is_unit_of(part.unit, "mass")


def columns_by_reference(wanted: str, table: Table) -> list[int]:
    """Find the column that ``col:D`` or ``col:4`` names, in a worksheet counted from the sheet's first column."""
    if (form := re.fullmatch(r"col:\s*(?:([A-Za-z]{1,3})|(\d{1,5}))", wanted.strip())) is None:
        return []
    place = int(form[2]) if form[2] else reduce(lambda n, letter: 26 * n + ord(letter) - 64, form[1].upper(), 0)  # A: 1
    column = place - 1 - (table.sheet_info.first_column if table.sheet_info is not None else 0)
    return [column] if 0 <= column < table.n_columns else []


def _mapped_columns(cells: HeaderCells, mapping: Mapping[str, str], findings: Findings) -> dict[str, int]:
    """Find the columns that ``--map`` names."""
    table, row, texts = cells.table, cells.row, cells.texts
    chosen: dict[str, int] = {}
    for quantity, wanted in mapping.items():
        if quantity not in (*options.QUANTITIES, *options.SOLID_QUANTITIES, *options.POSE_QUANTITIES):
            near = nearest_name_hint(quantity, options.QUANTITIES)
            findings.report("MP204", f"--map names an unknown quantity: {quantity}{near}", value=quantity)
            continue
        if len(columns := _columns_called(wanted, cells)) == 1:
            chosen[quantity] = columns[0]
            continue
        no_such = f"no such column{nearest_name_hint(wanted, texts)}"
        what = f"--map {quantity}={wanted}: " + (f"{len(columns)} columns have this name" if columns else no_such)
        names = ", ".join(text for text in texts if text.strip())
        offered_columns = columns or [j for j, text in enumerate(texts) if text == nearest_name(wanted, texts)]
        offered = " or ".join(cells.option(j, quantity) for j in offered_columns[:_MAX_OFFERED])
        remedy = f"use one of the columns {names}, or a position such as col:4"
        remedy = f"pass {offered}, or {remedy}" if offered else remedy
        findings.report("MP204", what, table.place(row), value=wanted, remedy=remedy)
    for j in sorted(j for j, times in Counter(chosen.values()).items() if times > 1):
        names = " and ".join(quantity for quantity, column in chosen.items() if column == j)
        message = f"--map uses one column for several quantities: {texts[j]} for {names}"
        findings.report("MP204", message, table.place(row, j, texts[j]))
    return chosen


def columns_by_name(wanted: str, texts: Sequence[str]) -> list[int]:
    """Return the columns of a name: exactly so, else trimmed, else in any case, else without the unit."""
    ways = (
        lambda text: text == wanted,
        lambda text: text.strip() == wanted.strip(),
        lambda text: squeeze_text(text) == squeeze_text(wanted) != "",
        lambda text: squeeze_text(text.split("[")[0].split("(")[0]) == squeeze_text(wanted) != "",
        lambda text: text.rpartition(" [")[0] == wanted != "",
    )
    found = ([j for j, text in enumerate(texts) if same(text)] for same in ways)
    return next(filter(None, found), [])


_FINER_DIGIT_RATIO = 10  # how much smaller last digits are that make a column be read before another


def _choose_equivalent_column(
    cells: HeaderCells, columns: Sequence[int], headings: Mapping[int, Heading]
) -> int | None:
    """Choose among columns of one quantity that agree in every row within their last digits; None otherwise."""
    # Each must state a unit of its own in the header. One without formulas is used before one that has them, for that
    # is where the numbers were typed; of others the first, unless another one is written with ten times smaller digits.
    dimension = quantity_dimension(headings[columns[0]].quantity)
    units = [unit_of_dimension(headings[j].unit, dimension) if dimension else None for j in columns]
    if len(known := [unit for unit in units if unit is not None]) < len(columns) or len(set(known)) < len(columns):
        return None
    sample = RowSample(cells.table, cells.row)  # without sums, in which rounded numbers may differ
    read = [sample.numbers(j).scaled(unit.over(known[0])) for j, unit in zip(columns, known, strict=True)]
    filled = [np.isfinite(one.values) for one in read]
    if not all(
        (rows == filled[0]).all() and one.fits(read[0])[rows].all() for one, rows in zip(read, filled, strict=True)
    ):
        return None
    computed = [sum(column == j for _, column in sample.formulas) for j in columns]
    typed = [k for k in range(len(columns)) if computed[k] == min(computed)]
    digits = {k: float(read[k].half[filled[0]].sum()) for k in typed}
    finest = min(typed, key=lambda k: digits[k])
    return columns[finest if _FINER_DIGIT_RATIO * digits[finest] < digits[typed[0]] else typed[0]]


_FIRST_DUPLICATE_QUANTITIES = ("name", "part", "method", "item_qty", "unit_qty", *options.ROW_TOTAL_QUANTITIES)
"""Quantities that may have several columns: the best known name is used."""


def _choose_quantity_column(
    cells: HeaderCells, quantity: str, columns: list[int], headings: Mapping[int, Heading], findings: Findings
) -> int:
    """Choose among the columns that mean one quantity: the canonical name first; two alike are an error."""
    # of inertia about several points, the one about own centres is used
    if len(columns) == 1:
        return columns[0]
    table, row, texts, names = cells.table, cells.row, cells.texts, cells.names
    about = {j: inertia_reference(texts[j]) if quantity in options.INERTIA_COLUMNS else "" for j in columns}
    columns = sorted(columns, key=lambda j: (about[j] != OWN, headings[j].rank, headings[j].order, j))
    first, others = columns[0], columns[1:]
    equals = [j for j in others if (headings[j].rank, about[j]) == (headings[first].rank, about[first])]
    same = _choose_equivalent_column(cells, columns, headings) if equals and len(equals) == len(others) else None
    why = f"column {names[first]} is read as {quantity}"
    if same is not None:
        first, others = same, [j for j in columns if j != same]
        why = f"it repeats {names[same]} in another unit"
    elif equals and (
        quantity not in _FIRST_DUPLICATE_QUANTITIES or squeeze_text(texts[equals[0]]) == squeeze_text(texts[first])
    ):
        both = [first, *equals]
        shown = [names[j] for j in both]
        if len(set(shown)) < len(both):  # by place, and by the heading above
            above = [next(filter(str.strip, table.row(row - 1)[j::-1]), "").strip() if row else "" for j in both]
            refs = [f"{column_reference(table, row, j)} {text}".strip() for j, text in zip(both, above, strict=True)]
            shown = [f"{name} ({ref})" for name, ref in zip(shown, refs, strict=True)]
        message = f"{' and '.join(shown)} both mean {quantity}"
        options_of = " or ".join(cells.option(j, quantity) for j in both[:_MAX_OFFERED])
        remedy = f"rename one, or select one with {options_of}"
        places = tuple(table.place(row, j, texts[j]) for j in both)
        findings.report("MP202", message, places[1], value=texts[equals[0]], remedy=remedy, related=places)
        return first
    for j in others:
        message, remedy = f"column {names[j]} is not read: {why}", f"select it with {cells.option(j, quantity)}"
        findings.report("MP225", message, table.place(row, j, texts[j]), value=texts[j], remedy=remedy)
    return first


def _unmapped_quantity_finding(cells: HeaderCells, quantity: str, j: int) -> Finding:
    """Reject a column that would be a quantity, where a frozen map does not list that quantity."""
    message = f"column {cells.names[j]} is read as {quantity}, which the frozen map does not list"
    remedy = f"list it with {cells.option(j, quantity)}, or freeze the map again with massprops validate --save-map"
    return rule_finding("MP245", message, cells.place(j), value=cells.texts[j], remedy=remedy)


def _unread_center_findings(cells: HeaderCells, read: set[int]) -> Iterator[Finding]:
    """Warn of columns that resemble a centre of mass and are not read."""
    for j, text in enumerate(cells.texts):
        whole = None if j in read else read_tuple_header(text)
        is_center = whole is not None and read_heading(whole.names[0]).quantity == options.CENTER_COLUMNS[0]
        if is_center and cells.all_filled(j):
            message = f"{text.strip()} resembles a centre of mass, and is not read as three coordinates"
            remedy = "name each coordinate in the header, or with --map Cx=… --map Cy=… --map Cz=…"
            yield rule_finding("MP247", message, cells.table.place(cells.row, j, text), value=text, remedy=remedy)


_ITEM_NAME_QUANTITIES = frozenset(("id", "child", "part", "name"))  # what a column of parents may name

_COLUMN_INFERENCES = (
    infer_mass_columns, infer_center_columns, infer_numbering_column, infer_count_columns, infer_unit_columns,
    infer_name_column,
)  # fmt: skip
"""What identifies a quantity in addition to its name, in this order."""

MAX_TITLE_ROWS = 40  # how many rows of titles may be above a header


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeaderRow:
    """The header as read: its row, the cells' texts, and each quantity's column and unit text."""

    table: Table
    row: int
    texts: list[str]
    columns: dict[str, int]
    units: dict[str, str]
    levels: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Standard deviations that sigma columns state, 0 if ambiguous."""
    doubtful: frozenset[str] = frozenset()
    """Quantities whose header may also mean a product: a row total of masses, a total quantity."""
    mass_is: str = ""  # each or line, where relations between the columns show the meaning of the masses
    explained: frozenset[int] = frozenset()
    """Columns that are not read, and that an equation between columns or an option explains."""
    equations: tuple[ColumnEquation, ...] = ()

    def name(self, quantity: str) -> str:
        """Return the heading of a quantity."""
        return self.texts[self.columns[quantity]].strip()

    def place_of(self, quantity: str, row: int | None = None) -> Place:
        """Return the address of the heading of a quantity, or of a cell below it."""
        return self.table.place(self.row if row is None else row, self.columns[quantity], self.name(quantity))


def read_header(
    table: Table, mapping: Mapping[str, str], findings: Findings, *, frozen: bool = False, ignore: Sequence[str] = ()
) -> HeaderRow:
    """Read the header: the first row that is not blank, or the first that is one below rows of titles."""
    first = _first_filled_row(table)
    row = find_header_row(table, mapping)
    texts = table.row(row)
    _reject_row_of_data(table, row, mapping)
    cells = HeaderCells(table, row)
    chosen = _mapped_columns(cells, mapping, findings)
    if row > first:
        title = next(text.strip() for text in table.row(first) if text.strip())
        message = f"rows above the header are not read: {title}"
        findings.report("MP228", message, table.place(first), value=title, count=row - first)
    ignored = _ignored_columns(cells, ignore, findings)
    free = {j: one for j, one in enumerate(read_headings(texts)) if j not in {*chosen.values(), *ignored}}
    cells.chosen, cells.headings = chosen, free
    for infer_columns in _COLUMN_INFERENCES:
        cells.headings |= infer_columns(cells, findings)
    masses = MassRoles(cells.headings) if frozen else _mass_roles(ProposedMasses(table, row, cells.headings, chosen))
    cells.headings = headings = masses.headings
    findings += masses.findings
    headings |= {} if frozen else infer_name_column(cells, findings)  # once the masses are known
    units = {quantity: heading_unit(texts[j], quantity) for quantity, j in chosen.items()}
    if "mass" in chosen:
        units["mass"] = units["mass"] or mass_unit_heading(texts[chosen["mass"]])[0]
    levels = {quantity: heading_sigma_levels(texts[j], quantity) for quantity, j in chosen.items()}
    candidates: dict[str, list[int]] = defaultdict(list)
    for j, heading in headings.items():
        if heading.quantity and heading.quantity not in chosen:
            candidates[heading.quantity].append(j)
    for quantity, columns in candidates.items():
        if frozen:
            findings.append(_unmapped_quantity_finding(cells, quantity, columns[0]))
            continue
        best = _choose_quantity_column(cells, quantity, columns, headings, findings)
        chosen[quantity], units[quantity], levels[quantity] = best, headings[best].unit, headings[best].levels
    read = set(chosen.values()) | {j for j, heading in headings.items() if heading.quantity}
    known = read | ignored | masses.explained | set(chosen.values())
    findings += [] if "Cx" in chosen else _unread_center_findings(cells, known)
    findings += assign_fallback_columns(cells, chosen, units, mapping)
    if "parent" in chosen and "item" in chosen and "item" not in mapping and not _ITEM_NAME_QUANTITIES & set(chosen):
        chosen["id"], units["id"] = chosen.pop("item"), units.pop("item")  # what parents name is an id
    named = {j: {read_heading(texts[j]).quantity, headings.get(j, UNREAD_HEADING).quantity} for j in chosen.values()}
    of_products = options.ROW_TOTAL_QUANTITIES.items()
    doubtful = {of for product, of in of_products if of in chosen and product in named[chosen[of]]}
    doubtful |= {"mass"} if "mass" in mapping and is_heading_of_kind("sum", texts[chosen.get("mass", 0)]) else set()
    doubtful |= {"mass"} if _states_masses_of_rows(cells, chosen) else set()
    # a column that --map names as row total, without one of single pieces, is of all pieces of its row
    mass_is = masses.mass_is or ("line" if "line_mass" in mapping and "line_mass" not in chosen else "")
    if mass_is or masses.is_open:
        doubtful = doubtful - {"mass"} if mass_is else doubtful | {"mass"}
    of_sigmas = {quantity: level for quantity, level in levels.items() if level}
    open_ones, explained = frozenset(doubtful & set(chosen)), frozenset(masses.explained | ignored)
    return HeaderRow(table, row, list(texts), chosen, units, of_sigmas, open_ones, mass_is, explained, masses.equations)


def _states_masses_of_rows(cells: HeaderCells, chosen: Mapping[str, int]) -> bool:
    """Return whether masses may be of rows: next to the number of parts of a category, or the length of all pieces."""
    if "qty" not in chosen or "line_mass" in chosen:
        return False
    name, mass = (cells.texts[chosen.get(one, chosen.get("mass", 0))] for one in ("name", "mass"))
    of_groups = read_heading(name).quantity == "category" and not is_per_piece(mass)
    totals = [j for j, text in enumerate(cells.texts) if is_heading_of_kind("total", text)]
    units = {j: heading_unit(cells.texts[j], "Cx") for j in totals}
    units |= {j: split_cell_text(text).unit for j in totals for text in cells.top(j) if not units[j] and text}
    return of_groups or any(unit and parse_measure(unit) is not None for unit in units.values())


def _mass_roles(proposed: ProposedMasses) -> MassRoles:
    """Find the roles of the columns of masses; most tables need no arithmetic for it, and no import."""
    if not proposed.needs_arithmetic:
        return MassRoles(dict(proposed.headings))
    from massprops_cli.tables.columns.mass_roles import find_mass_roles

    return find_mass_roles(proposed)


def _columns_called(wanted: str, cells: HeaderCells) -> list[int]:
    """Find the columns of a name or a reference."""
    return columns_by_name(wanted, cells.texts) or columns_by_reference(wanted, cells.table)


def _ignored_columns(cells: HeaderCells, ignore: Sequence[str], findings: Findings) -> set[int]:
    """Find the columns that ``--ignore-column`` names."""
    ignored: set[int] = set()
    for wanted in ignore:
        ignored |= set(columns := _columns_called(wanted, cells))
        if not columns:
            what = f"--ignore-column {wanted}: no such column{nearest_name_hint(wanted, cells.texts)}"
            findings.report("MP204", what, cells.table.place(cells.row), value=wanted)
    return ignored


def _first_filled_row(table: Table) -> int:
    """Return the first row with something in it; raises TableError when there is none."""
    if (first := next((row for row in range(table.n_rows) if any(map(str.strip, table.row(row)))), None)) is None:
        raise TableError([rule_finding("MP111", "table is empty", table.place(0))])
    return first


def find_header_row(table: Table, mapping: Mapping[str, str]) -> int:
    """Find the row of the header: the first that is not blank, unless a row below it names more quantities."""
    first = _first_filled_row(table)
    wanted = {squeeze_text(text) for text in mapping.values()}
    texts = [text for text in table.row(first) if text.strip()]
    known = {read_heading(text).quantity for text in texts} - {""}
    if len(known) > 1 or any(squeeze_text(text) in wanted for text in texts):
        return first
    rows = range(first, min(first + MAX_TITLE_ROWS, table.n_rows))
    forms = (is_header_like, names_items_and_unit_of_mass)
    named = next((row for is_header in forms for row in rows if is_header(table.row(row))), None)
    named = _row_above_numbers(table, first, len(known)) if named is None else named
    # rows below a heading of masses are a table, and no titles of the next one
    return next((row for row in range(first, named) if heads_masses(table, row)), named)


def heads_masses(table: Table, row: int, columns: Sequence[int] = ()) -> bool:
    """Return whether cells of a row are words, the first of any names, and masses with a unit are below another."""
    texts, below = table.row(row), table.row(min(row + 1, table.n_rows - 1))
    columns = columns or range(table.n_columns)
    first, *others = [j for j in columns if texts[j].strip()] or [0]
    has_names = bool(below[first].strip()) and not is_number(below[first].strip()) and not is_labelled_row(below)
    of_units = columns_of_mass_units(texts)
    has_masses = any(
        is_number(below[j].strip().replace(",", "."))
        if j in of_units
        else read_heading(texts[j]).quantity in MASS_COLUMNS and _is_amount(below[j].strip())  # a number with its unit
        for j in others
    )
    return has_names and has_masses and not any(is_number(texts[j]) for j in columns)


def columns_of_words(*rows: Sequence[str]) -> list[int]:
    """List the columns of a header's rows without the parts between blank columns that contain a number."""
    cells = [[text.strip() for text in texts] for texts in zip(*rows, strict=True)]
    parts = [list(part) for _, part in groupby(range(len(cells)), lambda j: any(cells[j]))]
    return [j for part in parts if not any(is_number(text) for j in part for text in cells[j]) for j in part]


def columns_of_mass_units(texts: Sequence[str]) -> list[int]:
    """List the columns whose headings have a unit of mass, in brackets or behind a word for masses."""
    of_masses = [j for j, text in enumerate(texts) if is_unit_of(heading_unit(text, "mass"), "mass")]
    named = [j for j in of_masses if texts[j].rstrip()[-1] in "])" or read_heading(texts[j]).quantity in MASS_COLUMNS]
    return [*named, *(j for j, text in enumerate(texts) if mass_unit_heading(text)[0])]  # g


def names_items_and_unit_of_mass(row: Sequence[str]) -> bool:
    """Return whether a row of words names the items, or begins with a blank, and a column has a unit of mass."""
    texts = [row[j] for j in columns_of_words(row)] or row
    named = {read_heading(text).quantity for text in texts}
    names_items = bool(named & IDENTIFYING_QUANTITIES) or not texts[0].strip()
    return names_items and not any(map(is_number, texts)) and bool(columns_of_mass_units(texts))


def _row_above_numbers(table: Table, first: int, known: int) -> int:
    """Find the row of the header by its form: the first of words alone that has more cells than the titles above."""
    # It has numbers below it, and names as many quantities as the ``known`` ones of the ``first`` row. A lone cell is a
    # header where it names a mass: the names of the items may have none.
    titles = 0
    for row in range(first, min(first + MAX_TITLE_ROWS, table.n_rows)):
        filled = [(j, text) for j, text in enumerate(table.row(row)) if text.strip()]
        # a number above blank cells alone is next to the table
        below = [table.row(i) for i in range(row + 1, min(row + 1 + MAX_TITLE_ROWS, table.n_rows))]
        over = {j for j, _ in filled if any(cells[j].strip() for cells in below)}
        texts = [text for j, text in filled if j in over or not over or not is_number(text.replace(",", "."))]
        has_numbers = any(is_measure(text) or is_number(text.replace(",", ".")) for text in texts)
        if has_numbers and len(texts) > max(titles, 2):
            break
        named = {read_heading(text).quantity for text in texts} - {""}
        wider = len(texts) > 1 and (titles == 1 or len(texts) >= 2 * titles)
        if row > first and not has_numbers and len(named) >= known and (wider or named & {"mass", "line_mass"}):
            return row
        titles = max(titles, len(texts))
    return first


def _reject_row_of_data(table: Table, row: int, mapping: Mapping[str, str]) -> None:
    """Raise TableError for a first row with numbers and without a known column name."""
    texts, wanted = table.row(row), {squeeze_text(text) for text in mapping.values()}
    number = next((text for text in texts if is_measure(text)), None)
    is_named = any(read_heading(text).quantity for text in texts if not is_measure(text))
    if number is None or is_named or any(squeeze_text(text) in wanted for text in texts):
        return
    message = f"first row is not a header: no known column name, and the number {number.strip()}"
    is_list = [is_measure(text) for text in texts[:2]] == [False, True] and not any(map(str.strip, texts[2:]))
    remedy = "write the column names in the first row, such as id, parent, mass"
    if table.source.delimiter:  # of a text
        remedy += f"; or name them in order, as in --config columns={'name,mass' if is_list else 'id,parent,mass'}"
    raise TableError([rule_finding("MP201", message, table.place(row), value=number, remedy=remedy)])
