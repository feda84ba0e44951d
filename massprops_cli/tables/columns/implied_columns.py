"""Columns that their cells, their units or their place make a quantity, whatever they are called."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, Place, name_list, rule_finding
from massprops_cli.tables.cells.number_text import (
    is_number,
    is_piece_unit,
    middle_of_range,
    read_number,
    split_cell_text,
    word_set,
    words,
)
from massprops_cli.tables.cells.numbers import is_filled_text
from massprops_cli.tables.columns.headings import (
    IDENTIFYING_QUANTITIES,
    MAX_HEADING_LENGTH,
    REMARK_MATCH,
    SYNONYM_MATCH,
    Heading,
    center_names,
    heading_unit,
    ignore_option,
    is_quantity_like,
    is_unit_of,
    is_variant_heading,
    map_option,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.columns.mass_headings import (
    has_mass_unit,
    has_other_unit,
    header_words,
    is_heading_of_kind,
    is_non_mass_heading,
    is_possible_mass_heading,
    mass_unit_heading,
    names_other_number,
)
from massprops_cli.tables.equations import is_labelled_row
from massprops_cli.tables.options import CENTER_COLUMNS, is_output_heading

Headings = dict[int, Heading]

_SAMPLE_ROWS = 200  # number of rows examined to identify a column
_MIN_NUMBERED_ROWS = 4  # number of consecutive numbers that identify row numbers
_COUNTING_KINDS = ("name", "count", "number", "letter", "index")  # the kinds of headers that count pieces
_INDEX_KIND = "index"  # the kind that numbers the rows as a rule: ``#``, ``No.``; a lone letter may do so too
_MAX_USUAL_COUNT = 100  # half of the cells of an index that counts pieces are not above it
_IN_A_MASS_TABLE = "numbers, in a table that states masses"
"""The reason for a column that may hold masses for its cells alone."""
_MASS_WORD = r"(?i)mass|weight|gewicht|poids|peso|вес|масс|質量|重量|무게|중량|(?:^|[^a-z])wt(?:$|[^a-z])"
"""Words for a mass in a header."""
_COUNT_QUANTITIES = frozenset(("qty", "item_qty", "total_qty"))
MASS_COLUMNS = frozenset(("mass", "line_mass"))


class HeaderCells:
    """The columns below a header: their names, addresses and first cells, and what they are read as so far.

    ``chosen`` are the columns that ``--map`` names, by quantity; ``headings`` those of all other columns, by column.
    """

    def __init__(self, table: Table, row: int) -> None:
        self.table, self.row = table, row
        self.headings: Headings = {}
        self.chosen: dict[str, int] = {}
        self.texts = table.row(row)
        self.names = [text.strip() for text in self.texts]
        self.rows = range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))
        self._top: dict[int, list[str]] = {}

    def top(self, j: int) -> list[str]:
        """Read the first cells of a column, without blanks around their texts."""
        if j not in self._top:
            self._top[j] = [self.table.text(i, j).strip() for i in self.rows]
        return self._top[j]

    def filled(self, j: int) -> list[str]:
        """Read those that are not blank, and no placeholders."""
        return [text for text in self.top(j) if is_filled_text(text)]

    def all_filled(self, j: int) -> set[str]:
        """Read the distinct cells of the whole column that are not blank, and no placeholders."""
        return {text.strip() for text in self.table.texts(j, self.row + 1) if is_filled_text(text)}

    def leading(self, j: int) -> list[str]:
        """Read the first filled cells of a column without the labels of sums."""
        return [text for text in self.filled(j) if not is_labelled_row([text])]

    def below(self, j: int) -> str:
        """Read the cell below the name of a column, without brackets: in a row of units, the unit."""
        return self.top(j)[0].strip("[](){}").strip() if self.rows else ""

    def place(self, j: int) -> Place:
        """Find the address of the name of a column."""
        return self.table.place(self.row, j, self.names[j])

    def option(self, j: int, quantity: str) -> str:
        """Write the option that reads a column as a quantity."""
        return map_option(self.table, self.row, j, quantity)

    @property
    def known(self) -> set[str]:
        """The quantities that have a column."""
        return {heading.quantity for heading in self.headings.values()} | set(self.chosen)

    def read_as(self, *quantities: str) -> list[int]:
        """List the columns that are read as some quantities; those of "" are not read."""
        return [j for j, heading in self.headings.items() if heading.quantity in quantities]

    def is_running(self, j: int, least: int = _MIN_NUMBERED_ROWS) -> bool:
        """Return whether the first cells of a column number the rows from 0 or 1 on, over enough rows."""
        numbers = [read_number(text) or 0.0 for text in self.leading(j)]
        return len(numbers) >= least and numbers[0] in (0, 1) and all(b - a == 1 for a, b in pairwise(numbers))

    def is_mostly_numbers(self, j: int) -> bool:
        """Return whether most filled cells are numbers, also estimates, ranges and with a unit of mass."""
        cells = self.leading(j)
        texts = [text for text in cells if not is_number(text) and not is_number(text.replace(",", "."))]
        parts = [middle_of_range(text) or split_cell_text(text) for text in texts]
        return 2 * sum(not one.number or bool(one.unit and not is_unit_of(one.unit, "mass")) for one in parts) < len(
            cells
        )

    def has_masses(self, j: int) -> bool:
        """Return whether every leading cell is a number with a unit of mass."""
        parts = [split_cell_text(text) for text in self.leading(j)]
        return bool(parts) and all(part.number and is_unit_of(part.unit, "mass") for part in parts)

    def implied(self, j: int, holds: str, quantity: str) -> Finding:
        """Report that a column is read as a quantity because of its cells."""
        message = f"{self.names[j] or f'column {j + 1} without a header'} read as {quantity}: it contains {holds}"
        remedy = f"pass {ignore_option(self.table, self.row, j)} if it is another one"
        return rule_finding("MP270", message, self.place(j), value=self.names[j], remedy=remedy)


def infer_count_columns(cells: HeaderCells, findings: Findings) -> Headings:
    """Read whole numbers below a plural or a letter, ``Units``, as the quantity."""
    if _COUNT_QUANTITIES & cells.known:
        return {}
    for j, heading in cells.headings.items():
        header = cells.names[j]
        kind = "" if is_variant_heading(header) else _count_headers().get(squeeze_text(header.replace("×", "x")), "")
        if not kind or heading.quantity not in ("", "uom", "name", *(("item",) if kind == _INDEX_KIND else ())):
            continue
        is_count = kind != _INDEX_KIND or _is_counting_index(cells, j)
        if not is_count or not _is_count_column(cells, j):
            continue
        if cells.is_running(j, 2 if kind in ("letter", _INDEX_KIND) else _MIN_NUMBERED_ROWS):
            findings += _ambiguous_count_findings(cells, j)
            continue
        findings.append(cells.implied(j, "whole numbers", "the quantity"))
        return {j: heading._replace(quantity="qty", unit="", rank=SYNONYM_MATCH)}
    return {}


def _ambiguous_count_findings(cells: HeaderCells, j: int) -> list[Finding]:
    """Report 1, 2, 3 after the names as possible quantities; before them, or from four rows on, they number rows."""
    names = [k for k in cells.read_as(*IDENTIFYING_QUANTITIES) if k != j]
    if j < min(names, default=0) or len(cells.leading(j)) >= _MIN_NUMBERED_ROWS:
        return []
    readings = f"{cells.option(j, 'qty')} if it counts pieces", f"{cells.option(j, 'item')} if it numbers the rows"
    message = f"{cells.names[j]} is ambiguous: number of pieces or row number"
    remedy = cells.table.source.run_remedy(*readings)
    return [rule_finding("MP253", message, cells.place(j), value=cells.names[j], remedy=remedy)]


def _is_counting_index(cells: HeaderCells, j: int) -> bool:
    """Return whether a column such as ``#`` or ``x`` may count pieces: numbers in no order, no parents, no y and z."""
    others = [name for k, name in enumerate(cells.names) if k != j]
    over = [k for k in cells.read_as("parent", "child") if k != j]
    over += [k for name, k in cells.chosen.items() if name in ("parent", "child")]
    if any({*filter(None, cells.top(k))} & {*cells.top(j)} for k in over):  # parents are named by these numbers
        return False
    if squeeze_text(cells.names[j]) == "x" and any(_parse_axis_header(name)[0] for name in others):
        return False
    numbers = [number for text in cells.leading(j) if (number := read_number(text)) is not None]
    steps = [b - a for a, b in pairwise(numbers)]
    if len(numbers) >= _MIN_NUMBERED_ROWS and (2 * steps.count(1) > len(steps) or min(steps) > 0):
        return False
    if len(numbers) > _MIN_NUMBERED_ROWS and len(set(numbers)) == len(numbers):
        return False
    return bool(numbers) and sorted(numbers)[len(numbers) // 2] <= _MAX_USUAL_COUNT


def is_possible_count_of_index(cells: HeaderCells, j: int) -> bool:
    """Return whether a column such as ``Number``, or ``Number A`` of a variant, may count pieces by its cells."""
    name = cells.names[j]
    stem = name[:-2] if is_variant_heading(name) else name
    return _count_headers().get(squeeze_text(stem)) == _INDEX_KIND and _is_counting_index(cells, j)


@lru_cache(maxsize=1)
def _count_headers() -> dict[str, str]:
    """Load the headers of columns that count pieces where they hold whole numbers: squeezed text → kind."""
    kinds = words("plurals")
    listed = ((kind, text) for kind in _COUNTING_KINDS for texts in kinds[kind].values() for text in texts)
    return {squeeze_text(text): kind for kind, text in listed}


def _is_count_column(cells: HeaderCells, j: int) -> bool:
    """Return whether a column holds numbers only, those of its first rows whole and not negative."""
    # the first cell may be a unit: [-]
    table, first = cells.table, cells.row + 1
    top = [text for i, text in zip(cells.rows, cells.top(j), strict=True) if not _is_row_label(table, i, j)]
    numbers = [read_number(text) for text in top if is_filled_text(text) and not is_piece_unit(text.strip("[](){}"))]
    if not numbers or any(number is None or number < 0 or number != int(number) for number in numbers):
        return False
    texts = {text: i for i, text in enumerate(table.texts(j, first), first) if is_filled_text(text)}
    return all(
        read_number(text) is not None or is_piece_unit(text.strip("[](){}")) or _is_row_label(table, i, j)
        for text, i in texts.items()
    )


def _is_row_label(table: Table, row: int, j: int) -> bool:
    """Return whether a cell labels its row, as that of a sum does: by its words, or because no other has letters."""
    has_letters = [k for k, text in enumerate(table.row(row)) if any(map(str.isalpha, text))]
    return has_letters == [j] or is_labelled_row([table.text(row, j)])


def infer_mass_columns(cells: HeaderCells, findings: Findings) -> Headings:
    """Read columns of numbers as masses where none is known: by a unit of mass (``g/pc`` before ``g``), or a word."""
    known = MASS_COLUMNS & cells.known
    found: dict[int, Heading] = {}
    for j, heading in cells.headings.items() if "mass" not in known else ():
        unit, of_piece = mass_unit_heading(cells.names[j])
        first, _, rest = cells.names[j].partition(" ")  # kg total, g gesamt
        is_unit = not unit and is_unit_of(first, "mass")
        is_of_rows = is_unit and read_heading(f"{rest} [{first}]").quantity == "line_mass"
        is_of_masses = heading.quantity == "uom" and not known and cells.has_masses(j)  # Unit: 1.9 t
        is_wanted = not heading.quantity and (of_piece if known else is_of_rows or bool(unit))
        if not is_of_masses and not (is_wanted and cells.is_mostly_numbers(j)):
            continue
        is_second = not of_piece and any(one.quantity == "mass" for one in found.values())  # g each, g
        read_as = Heading("line_mass" if is_second else "mass", unit, SYNONYM_MATCH if of_piece else REMARK_MATCH)
        found[j] = Heading("line_mass", first, SYNONYM_MATCH) if is_of_rows else read_as
        findings.append(cells.implied(j, "numbers under a unit of mass", "the mass"))
    if known or found:
        return found
    for j in cells.read_as("mass_likely"):
        findings.append(cells.implied(j, "the likely masses, and no other column does", "the mass"))
        return {j: cells.headings[j]._replace(quantity="mass", rank=REMARK_MATCH)}
    grown = cells.read_as("mass_with_growth")  # an estimate, where nothing else is a mass
    has_growth = any(is_heading_of_kind("growth", name) for j, name in enumerate(cells.names) if j not in grown)
    if len(grown) == 1 and not has_growth and cells.is_mostly_numbers(grown[0]):
        findings.append(cells.implied(grown[0], "the only numbers under a word for masses", "the mass"))
        return {grown[0]: cells.headings[grown[0]]._replace(quantity="mass", rank=REMARK_MATCH)}
    amounts = (j for j in cells.read_as("qty") if has_mass_unit(cells.names[j]))  # Quantity (g)
    read = set(range(len(cells.names))).difference(cells.read_as(""), amounts)
    sole = [(j, why) for j, why in likely_mass_columns(cells, read) if why != _IN_A_MASS_TABLE]
    if len(sole) != 1 or is_non_mass_heading(cells.names[sole[0][0]]):
        return {}
    ((j, why),) = sole
    quantity = "line_mass" if header_words(cells.names[j]) & word_set("masses", "total") else "mass"
    findings.append(cells.implied(j, why, "the mass"))
    findings += _rival_masses_findings(cells, j)
    return {j: Heading(quantity, heading_unit(cells.names[j], "mass"), REMARK_MATCH)}


def _rival_masses_findings(cells: HeaderCells, mass: int) -> list[Finding]:
    """Ask which of several columns is the mass that only units in its cells show: ``Low | Nominal | High``."""

    def numbers(j: int) -> list[float]:
        return [read_number(split_cell_text(text).number.replace(",", ".")) or 0.0 for text in cells.top(j)]

    own = [] if is_possible_mass_heading(cells.names[mass]) else numbers(mass)
    others = {j: numbers(j) for j in cells.read_as("") if j != mass and not has_other_unit(cells.names[j])}
    pairs = {j: [(one, two) for one, two in zip(own, other, strict=True) if one] for j, other in others.items() if own}
    alike = [j for j, each in pairs.items() if len(each) > 1 and all(one / 3 < two < 3 * one for one, two in each)]
    if not alike:
        return []
    columns = sorted([mass, *alike])
    message = f"mass column is ambiguous: {name_list([cells.names[j] for j in columns])} are alike"
    remedy = cells.table.source.run_remedy(*(cells.option(j, "mass") for j in columns))
    return [rule_finding("MP252", message, cells.place(mass), value=cells.names[mass], remedy=remedy)]


def likely_mass_columns(cells: HeaderCells, read: set[int]) -> list[tuple[int, str]]:
    """List the columns that are not read and may hold masses."""
    ranked: list[tuple[int, int, str]] = []
    for j, header in enumerate(cells.names):
        is_free = j not in read and header and not is_output_heading(header)
        if not is_free or not cells.is_mostly_numbers(j) or has_other_unit(header):
            continue
        if has_mass_unit(header) or mass_unit_heading(header)[0] or cells.has_masses(j):
            ranked.append((0, j, "numbers with a unit of mass"))
        elif re.search(_MASS_WORD, header):
            ranked.append((1, j, "numbers, and a header that names a mass"))
        elif names_other_number(header) or is_quantity_like(header) or cells.is_running(j):
            continue
        elif _states_mass_elsewhere(cells, j):
            ranked.append((2, j, _IN_A_MASS_TABLE))
    return [(j, why) for _, j, why in sorted(ranked)]


def _states_mass_elsewhere(cells: HeaderCells, j: int) -> bool:
    """Return whether a title, a row of units or a column of units next to some numbers is about masses."""
    others = (cells.leading(k) for k in range(len(cells.names)) if k != j)
    is_stated = is_unit_of(cells.below(j), "mass") or any(
        texts and all(is_unit_of(text, "mass") for text in texts) for texts in others
    )
    return is_stated or any(re.search(_MASS_WORD, text) for i in range(cells.row) for text in cells.table.row(i))


# X [mm], X_mm
_NAME_AND_UNIT = r"(?P<name>.*?)\s*[\[({](?P<unit>[^\[\](){}]*)[\])}]|(?P<bare>.*)[\s_,/]+(?P<after>\S+)"
_PLACE_WORD = re.compile(
    r"[\s_]+(?:from|above|aft of|forward of|fwd of|ahead of|behind|right of|left of|ab|über|hinter|von|depuis)[\s_]",
    re.IGNORECASE,
)
"""What comes between an axis and the place that the coordinate is measured from: ``x from nose``."""
_AXIS_KIND = "axis"  # the kind of header that is an axis alone: ``X``, ``Y``, ``Z``


def infer_center_columns(cells: HeaderCells, findings: Findings) -> Headings:
    """Read columns named by axes, or else an arm, as coordinates of the centre of mass, and report it."""
    # if some are missing and the others have no unit of length, or cells are not numbers, that is reported instead
    known = cells.known
    if not known & MASS_COLUMNS or known & set(CENTER_COLUMNS):
        return {}
    axes = _axis_columns(cells)
    names = ", ".join(cells.names[j] for j in axes)
    given = sorted(heading.quantity for heading in axes.values())
    is_whole = given == list(CENTER_COLUMNS)
    has_units = len(set(given)) == len(given) and all(_has_length(cells, j) for j in axes)
    if axes and (has_units or is_whole) and all(_has_leading_number(cells, j) for j in axes):
        several = "a coordinate" if len(axes) == 1 else "coordinates"
        reading = "the centre of mass" if is_whole else f"{several} of the centre of mass"
        _report_reading(cells, axes, f"{names} read as {reading}: {', '.join(given)}", findings)
        return axes
    if not axes or (len(axes) == 1 and not has_units):  # a lone X is anything
        return _arm_column(cells, findings)
    missing = [axis for axis in CENTER_COLUMNS if given.count(axis) != 1]
    each = ", ".join(missing or given)
    message = f"{names}: coordinates are not read without one column of numbers for each of {each}"
    maps = _axis_options(cells, axes) if len({*given}) == len(given) else "one --map for each coordinate"
    remedy = f"add the columns that are missing, with 0 where the coordinate is 0, or pass {maps}"
    findings.report("MP247", message, cells.place(min(axes)), remedy=remedy)
    return {}


def _axis_options(cells: HeaderCells, axes: Headings) -> str:
    """Write the options that read columns as coordinates."""
    return " ".join(cells.option(j, heading.quantity) for j, heading in axes.items())


def _report_reading(cells: HeaderCells, axes: Headings, message: str, findings: Findings) -> None:
    """Report the columns that are read as coordinates, with the headers or the options that confirm it."""
    named = ", ".join(f"CG {heading.quantity[1:].upper()}" for heading in axes.values())
    remedy = f"name {'it' if len(axes) == 1 else 'them'} {named}, or pass {_axis_options(cells, axes)}"
    findings.report("MP246", message, cells.place(min(axes)), remedy=remedy, count=len(axes))


def _has_length(cells: HeaderCells, j: int) -> bool:
    """Return whether a header, or the cell of units below it, states a unit of length."""
    text = cells.names[j]
    units = (_parse_axis_header(text)[2], heading_unit(text, CENTER_COLUMNS[0]), cells.below(j))
    return any(unit and is_unit_of(unit, "Cx") for unit in units)


def _arm_column(cells: HeaderCells, findings: Findings) -> Headings:
    """Find the only arm: a column of lengths so called."""
    of_arms = (j for j in cells.read_as("") if _arm_axis(cells.names[j]))
    named = [j for j in of_arms if _has_length(cells, j) and _has_leading_number(cells, j)]
    if len(named) != 1:
        return {}
    name = cells.names[named[0]]
    axis = _arm_axis(name)
    axes = {named[0]: Heading(axis, heading_unit(name, CENTER_COLUMNS[0]), SYNONYM_MATCH)}
    message = f"{name} read as a coordinate of the centre of mass, {axis}: its unit is a length"
    _report_reading(cells, axes, message, findings)
    return axes


def _names_and_units(text: str) -> list[tuple[str, str]]:
    """List how a header may be a name and a unit behind it: the whole of it is a name too."""
    if (match := re.fullmatch(_NAME_AND_UNIT, text)) is None:
        return [(text, "")]
    name, unit = (match["name"], match["unit"]) if match["unit"] is not None else (match["bare"], match["after"])
    return [(text, ""), (name, unit.strip())]


def _arm_axis(text: str) -> str:
    """Return the coordinate that a header of an arm names; empty for other headers."""
    names = [name for name, _ in _names_and_units(text)]
    names += [_PLACE_WORD.split(name)[0] for name in names]  # CG distance from racket-head top
    return next((axis for name in names if (axis := _arm_words().get(squeeze_text(name), ""))), "")


@lru_cache(maxsize=1)
def _arm_words() -> dict[str, str]:
    """Load the headers of a lone arm: squeezed text → coordinate."""
    listed = (entry for entry in words("axes")["arm"].values())
    return {squeeze_text(text): entry["axis"] for entry in listed for text in entry["texts"]}


def _axis_columns(cells: HeaderCells) -> Headings:
    """Find the columns that are called by an axis and a unit of length, or none, in the header and below it."""
    # headers of one kind go together (``Xg``, ``Yg``, ``Zg``); a kind with all three axes comes first
    kinds: dict[str, dict[int, Heading]] = {}
    for j, heading in cells.headings.items():
        kind, axis, unit = _parse_axis_header(cells.names[j])
        if heading.quantity or not kind:
            continue
        below = cells.top(j)[0] if cells.rows else ""
        in_row = "" if _begins_with_number(below) or not is_filled_text(below) else below
        if all(is_unit_of(text, "Cx") for text in (unit, in_row) if text):
            for key in (kind, f"{kind} {unit}"):  # next to X (in), Y (in), Z (in) a lone x is none of them
                kinds.setdefault(key, {})[j] = Heading(axis, unit, SYNONYM_MATCH)
    whole = [axes for axes in kinds.values() if sorted(one.quantity for one in axes.values()) == list(CENTER_COLUMNS)]
    if whole:
        return whole[0]
    return max((axes for kind, axes in kinds.items() if kind == _AXIS_KIND or len(axes) > 1), key=len, default={})


def _parse_axis_header(text: str) -> tuple[str, str, str]:
    """Parse a header of one coordinate: kind, coordinate and unit; three empty texts for other headers."""
    if len(text) > MAX_HEADING_LENGTH:
        return "", "", ""
    named = _names_and_units(text)
    named += [(bare, unit) for name, unit in reversed(named) if (bare := _without_center_words(name))]
    named += [(_PLACE_WORD.split(name)[0], unit) for name, unit in reversed(named) if _PLACE_WORD.search(name)]
    for name, unit in named:
        if (known := _axis_header_words().get(squeeze_text(name))) is not None:
            return *known, unit
        frame, _, axis = name.replace(" ", "_").casefold().rpartition("_")
        if axis in ("x", "y", "z") and squeeze_text(frame.partition("_")[0]) in center_names():  # CoM_TT_x
            return frame, f"C{axis}", unit
    return "", "", ""


def coordinate_of_header(text: str) -> str:
    """Find the coordinate that a header of lengths is named after."""
    _, axis, unit = _parse_axis_header(text.strip())
    return axis if unit and is_unit_of(unit, "Cx") else ""


def _without_center_words(name: str) -> str:
    """Return what follows the words for a centre in a header, ``E`` in ``Centre of gravity E``; empty without them."""
    before, _, after = name.strip().rpartition(" ")
    return after if squeeze_text(before) in center_names() else ""


@lru_cache(maxsize=1)
def _axis_header_words() -> dict[str, tuple[str, str]]:
    """Load the headers of coordinates that are read three together: squeezed text → kind and coordinate."""
    names = {axis: (_AXIS_KIND, coordinate) for axis, coordinate in zip("xyz", CENTER_COLUMNS, strict=True)}
    for entry in words("axes")["mark"].values():
        for mark in map(squeeze_text, entry["texts"]):
            for axis, coordinate in zip("xyz", CENTER_COLUMNS, strict=True):
                names.setdefault(f"{axis}{mark}", (mark, coordinate))
                if len(mark) > 1:
                    names.setdefault(f"{mark}{axis}", (mark, coordinate))
    for name, entry in words("axes")["triple"].items():
        kind = name.partition("_")[0]
        for text, coordinate in zip(entry["texts"], CENTER_COLUMNS, strict=True):
            names.setdefault(squeeze_text(text), (kind, coordinate))
    return names


def _has_leading_number(cells: HeaderCells, j: int) -> bool:
    """Return whether the first filled cell below a header, without its unit, is a number."""
    return _begins_with_number(next((text for text in cells.filled(j) if not is_unit_of(text, "Cx")), ""))


def _begins_with_number(text: str) -> bool:
    """Return whether a cell begins with a number, whatever its decimal mark and its sign of minus: ``−150``."""
    first = (text.split() or [""])[0].replace("\u2212", "-")
    return is_number(first) or is_number(first.replace(",", "."))
